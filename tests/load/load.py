"""Memory and threads under load: `python tests/load/load.py`. Each part prints a line of JSON; what must hold is
asserted.

evaluations: so many one after the other, and reports, without growth of memory; threads: the same numbers from 64 of
them; processes: the same numbers in processes that were forked and spawned; models: 100 of them held at once.
"""

from __future__ import annotations

import argparse
import gc
import json
import multiprocessing
import os
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

import karat

GROWTH = 16e6
"""Bytes by which a process may grow after it is warm."""


def resident() -> int:
    """Bytes of memory that this process holds."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def problem(n: int = 60, seed: int = 0, k: int = 3) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    y = rng.integers(0, k, n)
    p = rng.dirichlet(np.ones(k), n) + np.eye(k)[y] * 0.5
    return y, p / p.sum(axis=1, keepdims=True)


def one(seed: int) -> dict[str, float]:
    """All measures of a problem."""
    return {key: float(x) for key, x in karat.evaluate(*problem(seed=seed)).values("papers").items()}


def growth(work: Callable[[int], Any], count: int, warm: int) -> dict[str, Any]:
    """How much the process grows while something is done again and again."""
    for i in range(warm):
        work(i)
    gc.collect()
    before, begun = resident(), time.process_time()
    for i in range(count):
        work(i)
    gc.collect()
    return {
        "count": count,
        "grown by (MB)": round((resident() - before) / 1e6, 1),
        "seconds": time.process_time() - begun,
    }


def evaluations(count: int) -> dict[str, Any]:
    return growth(one, count, 200)


def reports(count: int) -> dict[str, Any]:
    y, p = problem(40, k=2)
    return growth(lambda i: karat.report(karat.evaluate(y, p)).html, count, 3)


def threads(count: int) -> dict[str, Any]:
    expected = [one(i) for i in range(count)]
    with ThreadPoolExecutor(64) as pool:
        found = list(pool.map(one, range(count)))
    return {"count": count, "threads": 64, "different": sum(a != b for a, b in zip(expected, found, strict=True))}


def processes(count: int) -> dict[str, Any]:
    expected, different = [one(i) for i in range(count)], {}
    for how in ("fork", "spawn"):
        with multiprocessing.get_context(how).Pool(2) as pool:
            found = pool.map(one, range(count))
        different[how] = sum(a != b for a, b in zip(expected, found, strict=True))
    return {"count": count, "different": different}


def models(cases: int) -> dict[str, Any]:
    """100 models, each evaluated while the others are held."""
    y, p = problem(cases, k=2)
    rng = np.random.default_rng(1)
    begun = time.process_time()
    held = {f"m{i}": karat.evaluate(y, np.clip(p[:, 1] + rng.normal(0, i / 200, cases), 0, 1)) for i in range(100)}
    best = max(held, key=lambda name: held[name]["AUC"])
    return {
        "models": 100,
        "cases": cases,
        "best": best,
        "MB": resident() // 10**6,
        "seconds": time.process_time() - begun,
    }


PARTS: dict[str, tuple[Callable[[int], dict[str, Any]], int]] = {
    "evaluations": (evaluations, 100_000),
    "reports": (reports, 1000),
    "threads": (threads, 6400),
    "processes": (processes, 500),
    "models": (models, 1_000_000),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", default=list(PARTS), help=f"some of {', '.join(PARTS)}")
    parser.add_argument("--share", type=float, default=1.0, help="of the numbers of the full size")
    said = parser.parse_args()
    for name in said.parts:
        work, count = PARTS[name]
        told = work(max(2, int(count * said.share)))
        print(json.dumps({name: told}), flush=True)
        assert told.get("grown by (MB)", 0) * 1e6 < GROWTH, "memory grows"
        assert told.get("different", 0) in (0, {"fork": 0, "spawn": 0}), "numbers differ"


if __name__ == "__main__":
    main()
