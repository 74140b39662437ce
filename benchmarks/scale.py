"""A file of Parquet that need not fit into memory: karat against reading it, and against others.

    python benchmarks/scale.py [--rows 5e7] [--only karat duckdb]
    python benchmarks/scale.py --sizes     # nanoseconds a row of 5e6, 5e7 and 5e8 rows, in one process that is warm

Every candidate runs in a process of its own, in turns, three times; the least CPU time counts (user and system, with
all that is imported, whose bytecode is kept, as after an installation), and the peak of its memory. The file is made
first: y_true int8, p_1 float32, row groups of a million.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

READING = "pyarrow, reading only"
CANDIDATES = {
    READING: """
import pyarrow.dataset as ds
for b in ds.dataset(PATH).to_batches(columns=["y_true", "p_1"], batch_size=1 << 20): pass
""",
    "karat, certified": """
import karat
e = karat.accumulate(PATH, exact=False).evaluation()
print(*e.bounds("AUC"), e["LogLoss"], e["BrierLoss"], e["ECE"], e["MCC"], e["AP"])
e.diagram("roc_curve"); e.diagram("precision_recall"); e.diagram("reliability", bins=20)
""",
    "karat, exact": """
import karat
e = karat.accumulate(PATH, exact=True).evaluation()
print(*e.bounds("AUC"), e["LogLoss"], e["BrierLoss"], e["ECE"], e["MCC"])
""",
    "karat evaluate, findings included": """
from karat.cli import main
try:
    main(["evaluate", PATH, "--quiet"])
except SystemExit:
    pass
""",
    "polars, streaming": """
import polars as pl
t = pl.scan_parquet(PATH).group_by("p_1").agg(pl.col("y_true").sum().cast(pl.Float64).alias("k"), pl.len().alias("n"))
t = t.sort("p_1").collect(engine="streaming")
k, n = t["k"], t["n"].cast(pl.Float64)
below = (n - k).cum_sum() - (n - k)
print(float((k * (below + (n - k) / 2)).sum()) / (float(k.sum()) * float((n - k).sum())))
""",
    "duckdb": """
import duckdb
print(duckdb.sql(f'''
with t as (select p_1, sum(y_true)::double k, count(*)::double n from '{PATH}' group by p_1),
u as (select k, n - k m, sum(n - k) over (order by p_1) - (n - k) below from t)
select sum(k * (below + m / 2)) / (sum(k) * sum(m)) from u''').fetchall())
""",
    "pandas and scikit-learn, 5 outputs": """
import pandas as pd
from sklearn.metrics import brier_score_loss, confusion_matrix, log_loss, precision_recall_curve, roc_auc_score
t = pd.read_parquet(PATH, columns=["y_true", "p_1"])
y, p = t["y_true"].to_numpy(), t["p_1"].to_numpy()
print(roc_auc_score(y, p), log_loss(y, p), brier_score_loss(y, p), confusion_matrix(y, p > 0.5))
precision_recall_curve(y, p)
""",
}


def make(path: Path, rows: int) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng, writer = np.random.default_rng(0), None
    for start in range(0, rows, 1_000_000):
        n = min(1_000_000, rows - start)
        p = (1 / (1 + np.exp(-rng.normal(0, 1.5, n)))).astype(np.float32)
        table = pa.table({"y_true": (rng.random(n) < p).astype(np.int8), "p_1": p})
        writer = writer or pq.ParquetWriter(path, table.schema)
        writer.write_table(table, row_group_size=1_000_000)
    assert writer is not None
    writer.close()


MEASURED = """
PATH = {path!r}
{code}
import resource, sys
used = resource.getrusage(resource.RUSAGE_SELF)
print("MEASURED", used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, file=sys.stderr)
"""


def measured(code: str, path: Path) -> tuple[float, float] | None:
    """(CPU seconds, peak MB) of a process of its own; None if it fails."""
    script = MEASURED.format(path=str(path), code=code)
    bytecode = {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(path.parent / "bytecode")}
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=os.environ | bytecode)
    lines = [line for line in done.stderr.splitlines() if line.startswith("MEASURED")]
    if not lines:
        print(done.stderr[-500:], file=sys.stderr)
        return None
    _, seconds, peak = lines[-1].split()
    return float(seconds), float(peak)


def sizes(folder: Path, rounds: int) -> None:
    """CPU time for each row of one file under 1, 10 and 100 names, in turns, and the peak of memory so far."""
    import time

    import karat

    rows = 5_000_000
    make(folder / "0.parquet", rows)
    names = [folder / f"{i}.parquet" for i in range(100)]
    for name in names[1:]:
        name.symlink_to(names[0])
    karat.accumulate(names[0], exact=False).evaluation()
    for _ in range(rounds):
        for many in (1, 10, 100):
            start = time.process_time()
            karat.accumulate(names[:many], exact=False).evaluation()
            each = (time.process_time() - start) / (many * rows) * 1e9
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            print(f"{many * rows:11,} rows: {each:.1f} ns each, peak {peak:.0f} MB", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=float, default=5e7)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", nargs="*", default=[], help="what the names begin with; reading is always there")
    parser.add_argument("--sizes", action="store_true", help="time for each row of three sizes")
    options = parser.parse_args()
    if options.sizes:
        with tempfile.TemporaryDirectory() as folder:
            sizes(Path(folder), options.rounds)
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "predictions.parquet"
        make(path, int(options.rows))
        found: dict[str, list[tuple[float, float]]] = {}
        for _ in range(options.rounds):
            for name, code in CANDIDATES.items():
                asked = not options.only or name == READING or name.startswith(tuple(options.only))
                if asked and (one := measured(code, path)) is not None:
                    found.setdefault(name, []).append(one)
                    print(f"{name}: {one[0]:.2f} s, {one[1]:,.0f} MB", file=sys.stderr, flush=True)
    reading = min(s for s, _ in found[READING])
    lines = [f"{int(options.rows):,} rows, {options.rounds} rounds, least CPU time", ""]
    lines += ["| who | CPU s | times reading | peak MB |", "|---|---|---|---|"]
    for name, runs in found.items():
        seconds, peak = min(s for s, _ in runs), max(m for _, m in runs)
        lines.append(f"| {name} | {seconds:.2f} | {seconds / reading:.2f} | {peak:,.0f} |")
    print("\n".join(lines))


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    main()
