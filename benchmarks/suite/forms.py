"""The forms in which people have their data: all measures that they define, against scikit-learn on plain arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import karat

from .evaluate import SHARED
from .measuring import Row, duration, in_turns, insist_on_agreement, times_faster
from .others import scikit_learn
from .problems import predictions

LABELS: dict[str, Callable[[Any], Any]] = {
    "int8": lambda y: y.astype(np.int8),
    "bool": lambda y: y.astype(bool),
    "float": lambda y: y.astype(float),
    "text": lambda y: np.array(["no", "yes"])[y],
    "text objects": lambda y: np.array(["no", "yes"])[y].astype(object),
    "categories": lambda y: categories(y),
    "text of Arrow": lambda y: arrow_text(y),
}
PROBABILITIES: dict[str, Callable[[Any], Any]] = {
    "float64": lambda p: p,
    "float32": lambda p: p.astype(np.float32),
    "float32, columns [1 - p, p]": lambda p: np.stack([1 - p[:, 1].astype(np.float32), p[:, 1].astype(np.float32)], 1),
    "one column of float64": lambda p: p[:, 1].copy(),
    "one column of float32": lambda p: p[:, 1].astype(np.float32),
    "rounded to 3 digits": lambda p: np.stack([1 - np.round(p[:, 1], 3), np.round(p[:, 1], 3)], axis=1),
}


def rows(quick: bool) -> Iterator[Row]:
    """Probabilities, labels and weights of other kinds; scores; matrices of whole numbers."""
    n, rounds = (100_000, 3) if quick else (1_000_000, 5)
    y, p = predictions(n, 2, complementary=True)
    peer = scikit_learn(y, p, (*SHARED, "AUC"))
    insist_on_agreement({symbol: karat.evaluate(y, p)[symbol] for symbol in peer()}, peer(), 1e-6)

    given: dict[str, tuple[float, tuple[Any, Any, Any]]] = {}
    given |= {what: (45.0, (y, held(p), None)) for what, held in PROBABILITIES.items()}
    given |= {what: (45.0, (*frame, None)) for what, frame in frames(y, p).items()}
    given |= {f"labels as {what}": (20.0, (labelled(y), p, None)) for what, labelled in LABELS.items()}
    given["weights"] = 20.0, (y, p, np.random.default_rng(1).random(n) + 0.5)
    calls = [lambda x=x: karat.evaluate(x[0], x[1], sample_weight=x[2]).values("papers") for _, x in given.values()]
    theirs, *ours = in_turns([peer, *calls], rounds)
    for (what, (target, _)), taken in zip(given.items(), ours, strict=True):
        words = duration(taken), f"scikit-learn, plain {duration(theirs)}"
        yield Row(f"27 measures, n = {n:,}, {what}", *words, theirs / taken, target)
    yield floor(n, y, p, rounds)
    yield from scores(n, y, p, rounds)
    yield from matrices(20_000 if quick else 200_000, rounds)


def categories(y: Any) -> Any:
    """Of pandas."""
    import pandas as pd

    return pd.Series(pd.Categorical.from_codes(y, ["no", "yes"]))


def arrow_text(y: Any) -> Any:
    """As a column of a file."""
    import pyarrow as pa

    return pa.array(np.array(["no", "yes"])[y])


def frames(y: Any, p: Any) -> dict[str, tuple[Any, Any]]:
    """Labels and probabilities as columns of tables."""
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    return {
        "pandas": (pd.Series(y), pd.DataFrame({0: p[:, 0], 1: p[:, 1]})),
        "polars": (pl.Series(y), pl.DataFrame({"0": p[:, 0], "1": p[:, 1]})),
        "Arrow": (pa.array(y), pa.table({"0": p[:, 0], "1": p[:, 1]})),
    }


def floor(n: int, y: Any, p: Any, rounds: int) -> Row:
    """karat's share of the least that has to be done: read all, sort keys that hold score and class, look at each."""
    bits = np.ascontiguousarray(p[:, 1]).view(np.uint64)

    def least() -> Any:
        p.sum()
        keys = bits << np.uint64(1) | y.view(np.uint64)
        keys.sort()
        return np.cumsum(keys & np.uint64(1))

    ours, theirs = in_turns([lambda: karat.evaluate(y, p).values("papers"), least], rounds)
    words = duration(ours), f"read, np.sort, scan {duration(theirs)}"
    return Row(f"27 measures, n = {n:,}, against the floor", *words, ours / theirs, 2.0, at_least=False)


def scores(n: int, y: Any, p: Any, rounds: int) -> Iterator[Row]:
    """One column of scores: the area, against scikit-learn's and against the price of an order."""
    from sklearn.metrics import roc_auc_score

    z = np.log(p[:, 1] / p[:, 0])
    insist_on_agreement({"AUC": karat.evaluate(y, y_score=z)["AUC"]}, {"AUC": roc_auc_score(y, z)}, 1e-9)
    for name, peer in (("scikit-learn", lambda: roc_auc_score(y, z)), ("np.argsort", lambda: np.argsort(z))):
        target = 3.0 if name == "scikit-learn" else 1.0
        call = lambda: karat.evaluate(y, y_score=z)["AUC"]  # noqa: E731
        yield times_faster(f"AUC of y_score, n = {n:,}", call, peer, name, target, rounds=rounds)


def matrices(count: int, rounds: int) -> Iterator[Row]:
    """Whole numbers against floats, and twelve measures against two: karat's share of its own time."""
    rng = np.random.default_rng(2)
    whole = [rng.integers(1, 50, (k, k)) for k in rng.integers(2, 6, count)]
    floats = [table.astype(float) for table in whole]
    two = ["MCC", "CEN"]
    calls = [
        lambda: karat.evaluate_matrices(floats, two),
        lambda: karat.evaluate_matrices(whole, two),
        lambda: karat.evaluate_matrices(floats),
    ]
    plain, of_whole, twelve = in_turns(calls, rounds)
    name = f"{count:,} matrices of 2 to 5 classes"
    for what, taken, target in (("whole numbers", of_whole, 3.0), ("12 measures", twelve, 2.0)):
        words = f"{taken * 1e3:,.0f} ms", f"floats, 2 measures {plain * 1e3:,.0f} ms"
        yield Row(f"{name}, {what}", *words, taken / plain, target, at_least=False)
