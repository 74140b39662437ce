"""What people wait for: whole commands, from files, in fresh processes; CPU seconds of the process and its threads."""

from __future__ import annotations

import resource
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

import numpy as np

from .measuring import COMPILED, Row, duration

READ = "import sys; from pyarrow import parquet; parquet.read_table(sys.argv[1])"
PEERS = """
import sys, pandas, sklearn.metrics as m
t = pandas.read_parquet(sys.argv[1]); y, p = t["y_true"], t["p_1"].astype("float64")
m.roc_auc_score(y, p), m.average_precision_score(y, p), m.log_loss(y, p), m.brier_score_loss(y, p)
m.accuracy_score(y, p >= 0.5)
"""


def seconds(*command: str) -> float:
    """CPU seconds of a command in a process of its own."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *command], check=True, capture_output=True, env=COMPILED)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def predictions(folder: Path, n: int, name: str, skill: float, classes: int = 2) -> str:
    """A file of n cases: labels int8 and probabilities float32."""
    import pyarrow as pa
    from pyarrow import parquet

    rng = np.random.default_rng(n)
    y = rng.integers(0, classes, n).astype(np.int8)
    scores = np.random.default_rng(len(name)).normal(size=(n, classes))
    scores[np.arange(n), y] += skill
    p = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    columns = {f"p_{c}": p[:, c].astype(np.float32) for c in (range(classes) if classes > 2 else (1,))}
    path = folder / f"{name}.parquet"
    parquet.write_table(pa.table({"y_true": y, **columns}), path)
    return str(path)


def rows(quick: bool) -> Iterator[Row]:
    """`karat evaluate` beside reading and beside pandas with scikit-learn; `compare` and `report` in seconds."""
    less = 10 if quick else 1
    with TemporaryDirectory() as name:
        folder = Path(name)
        first = predictions(folder, 1000, "small", 1.0)
        seconds("-m", "karat", "evaluate", first)  # compiles what an installed karat has compiled
        large = predictions(folder, 5_000_000 // less, "large", 1.0)
        asked = ("-m", "karat", "evaluate"), ("-c", READ), ("-c", PEERS)
        turns = [[seconds(*command, large) for command in asked] for _ in range(1 if quick else 3)]
        karat, read, peers = (min(times) for times in zip(*turns, strict=True))
        what = f"`karat evaluate`, {5_000_000 // less:,} rows of Parquet"
        yield Row(what, duration(karat), f"pandas + scikit-learn, 5 outputs {duration(peers)}", peers / karat, 3.0)
        yield Row(what, duration(karat), f"pyarrow reading {duration(read)}", karat / read, 2.5, False)
        small = min(seconds("-m", "karat", "evaluate", first) for _ in range(5))
        yield _within("`karat evaluate`, 1,000 rows, cold", small, 0.5)
        two = [predictions(folder, 100_000 // less, m, s) for m, s in (("one", 1.0), ("other", 0.8))]
        start = perf_counter()
        yield _within("`karat compare`, two models of 1e5", seconds("-m", "karat", "compare", *two), 4.0)
        yield _within("the same, wall time on all cores", perf_counter() - start, 2.5)
        page = ("-o", str(folder / "page.html"))
        two = [predictions(folder, 1_000_000 // less, m, s) for m, s in (("one", 1.0), ("other", 0.8))]
        yield _within("`karat report`, two models of 1e6", seconds("-m", "karat", "report", *two, *page), 12.0)
        two = [predictions(folder, 20_000 // less, m, s, 26) for m, s in (("one", 3.0), ("other", 2.5))]
        yield _within("`karat report`, two models of 26 classes", seconds("-m", "karat", "report", *two, *page), 5.0)


def _within(what: str, karat: float, target: float) -> Row:
    return Row(what, duration(karat), "seconds", karat, target, False)
