"""How fast is karat, as a ratio to the best peers in the same run: `python benchmarks/run.py [name ...] [--quick]`.

CPU time of one thread. Prints a table; if all benchmarks were run at full size, writes it to `results.md` beside this
file (a part of them, or a quick run, would not replace what is there).
"""

from __future__ import annotations

import argparse
import importlib
import os
import platform
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from suite.measuring import Row

NAMES = (
    "evaluate",
    "forms",
    "peers",
    "auc_alone",
    "auc_pairs",
    "batch",
    "ragged",
    "census",
    "intervals",
    "trees",
    "cold_start",
    "commands",
    "memory",
    "growth",
)
PACKAGES = ("karat", "numpy", "scipy", "scikit-learn", "torch", "torchmetrics", "catboost", "pycm")
PACKAGES += ("rapidstats", "scors", "scikit-learn-intelex", "confidenceinterval")
RUST = ("RAYON_NUM_THREADS", "POLARS_MAX_THREADS")
COLUMNS = ("what", "karat", "peer", "ratio", "target", "met?")
RESULTS = Path(__file__).with_name("results.md")


def main() -> None:
    """Run what is asked for."""
    parser = argparse.ArgumentParser(description="CPU time of karat against its peers, one thread.")
    parser.add_argument("names", nargs="*", metavar="name", help=f"which: {', '.join(NAMES)} (all unless named)")
    parser.add_argument("--quick", action="store_true", help="smaller sizes (the targets are for full ones)")
    asked = parser.parse_args()
    unknown = [name for name in asked.names if name not in NAMES]
    if unknown:
        parser.error(f"there is no benchmark {', '.join(unknown)}; there are {', '.join(NAMES)}")
    use_one_thread()
    rows: list[Row] = []
    for name in asked.names or NAMES:
        for row in rows_of(name, asked.quick):
            rows.append(row)
            print(f"{name}: {' | '.join(row.cells())}", flush=True)
    page = markdown(rows)
    print(f"\n{page}")
    if not asked.names and not asked.quick:
        RESULTS.write_text(page, encoding="utf-8")


def rows_of(name: str, quick: bool) -> Iterator[Row]:
    """Of one benchmark. A peer that is not installed costs its rows, not the others."""
    from suite.measuring import measured

    return measured(name, lambda: importlib.import_module(f"suite.{name}").rows(quick))


def use_one_thread() -> None:
    """Before numpy and torch are imported, which is why the suite is imported only when it runs."""
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", *RUST):
        os.environ[name] = "1"


def markdown(rows: list[Row]) -> str:
    """The page of results."""
    table = [COLUMNS, ("---",) * len(COLUMNS), *(row.cells() for row in rows)]
    return "\n".join(
        [
            "# Benchmarks",
            "",
            "CPU time of one thread; the least of runs in turns, so that karat and its peer meet the same machine.",
            "The ratio is the peer's time over karat's where the target is a lower bound, karat's share where it is an",
            "upper one, and millions of matrices per second where there is no peer. Where the time goes, and what is",
            "behind targets that are not met, is told in the [notes](README.md).",
            "",
            *(f"| {' | '.join(cells)} |" for cells in table),
            "",
            f"Python {platform.python_version()}, {', '.join(f'{p} {version(p)}' for p in PACKAGES)}; {kernels()}.",
            "",
        ]
    )


def version(package: str) -> str:
    """Its version, if it is there."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "not installed"


def kernels() -> str:
    """Which kernels karat ran on: results of the numpy twins mean something else."""
    import karat

    return f"{karat.show_versions()['kernels']} kernels"


if __name__ == "__main__":
    main()
