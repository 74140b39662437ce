"""Intervals: the bootstrap and DeLong's, against loops over other libraries and against those made for it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import karat

from .measuring import Row, duration, in_turns, measured, times_faster
from .others import SCIKIT_LEARN, Given
from .problems import predictions

REPLICATES = 1000
TOGETHER = ("AUC", "LogL", "MSE", "Acc", "MCC")
HARD = {"TPR": "tpr", "TNR": "tnr", "FPR": "fpr", "FNR": "fnr", "PPV": "precision", "NPV": "npv", "F1": "fbeta"}
HARD |= {"Acc": "acc", "MCC": "mcc", "BAcc": "balanced_accuracy", "BM": "informedness", "MK": "markedness"}
HARD |= {"LRP": "plr", "LRN": "nlr", "OR": "dor", "Jaccard": "threat_score", "Prev": "prevalence"}
"""karat's symbols of measures that rapidstats takes from one table as well."""


def rows(quick: bool) -> Iterator[Row]:
    """A thousand replicates each; of a loop a few are run and scaled up."""
    n, rounds = (10_000, 1) if quick else (100_000, 3)
    y, p = predictions(n, 2)
    p = p[:, 1]
    yield against_loop(TOGETHER, y, p, scikit_learn_replicate(TOGETHER, y, p), "scikit-learn in a loop", 400.0, rounds)
    yield all_against_five(y, p, rounds)
    yield from measured(
        "replicates of AUC against scors",
        lambda: [against_loop(("AUC",), y, p, scors_replicate(y, p), "scors in a loop", 20.0, rounds)],
    )
    yield from measured("replicates against rapidstats", lambda: against_rapidstats(y, p, quick, rounds))
    y5, p5 = predictions(10_000, 5)
    peer = scikit_learn_replicate(("AUNU",), y5, p5)
    yield against_loop(("AUNU",), y5, p5, peer, "scikit-learn in a loop", 150.0, rounds)
    yield from measured("DeLong's interval against confidenceinterval", lambda: [against_delong(y, p, rounds)])


def against_rapidstats(y: Any, p: Any, quick: bool, rounds: int) -> Iterator[Row]:
    """Of scores and of decisions."""
    yield against_rapidstats_area(y, p, rounds)
    yield against_rapidstats_table(y, p, rounds)
    if not quick:
        many, proba = predictions(1_000_000, 2)
        yield against_rapidstats_table(many, proba[:, 1], rounds)


def all_against_five(y: Any, p: Any, rounds: int) -> Row:
    """karat's share of its own time: all measures of the papers, of which some need each score in its order."""
    together, five = in_turns([lambda: intervals(y, p, "papers"), lambda: intervals(y, p, TOGETHER)], rounds)
    what = f"{REPLICATES:,} replicates of all 27 measures, n = {len(y):,}, 2 classes"
    return Row(what, duration(together), f"five measures {duration(five)}", together / five, 4.0, at_least=False)


def intervals(y: Any, p: Any, symbols: str | tuple[str, ...], method: str = "percentile") -> Any:
    """karat's, from the raw arrays, one thread."""
    return karat.evaluate(y, p).intervals(symbols, method=method, replicates=REPLICATES, workers=1)


def insist_on_overlap(low: float, high: float, ends: tuple[float, float], what: str) -> None:
    """Two random intervals agree if their ends differ by little of their width."""
    off = max(abs(low - ends[0]), abs(high - ends[1])) / (high - low)
    if not off < 0.25:
        raise AssertionError(f"{what}: karat says {low} to {high}, the peer {ends}")


def against_loop(
    symbols: tuple[str, ...],
    y: Any,
    p: Any,
    replicate: Callable[[], list[float]],
    name: str,
    target: float,
    rounds: int,
) -> Row:
    """karat's thousand replicates against a few of a loop, per replicate."""
    looped = 4
    found, seen = intervals(y, p, symbols), np.array([replicate() for _ in range(60 if len(y) <= 10_000 else 12)])
    for symbol, values in zip(symbols, seen.T, strict=True):  # too few for quantiles, enough for a standard error
        half = (found[symbol].high - found[symbol].low) / 2
        if not 0.4 < 1.96 * values.std() / half < 2:
            raise AssertionError(f"{symbol}: karat's interval is {found[symbol]}, the peer's error {values.std()}")
    return times_faster(
        f"a replicate of {', '.join(symbols)}, n = {len(y):,}, {len(set(y.tolist()))} classes",
        lambda: intervals(y, p, symbols),
        lambda: [replicate() for _ in range(looped)],
        name,
        target,
        rounds=rounds,
        per=(REPLICATES, looped),
    )


def scikit_learn_replicate(symbols: tuple[str, ...], y: Any, p: Any) -> Callable[[], list[float]]:
    """Draw, and measure."""
    rng = np.random.default_rng(1)

    def replicate() -> list[float]:
        at = rng.integers(0, len(y), len(y))
        score = p[at]
        given = Given(y[at], (score > 0.5).astype(int) if p.ndim == 1 else None, score)
        return [SCIKIT_LEARN[symbol](given) for symbol in symbols]

    return replicate


def scors_replicate(y: Any, p: Any) -> Callable[[], list[float]]:
    """Draw, and measure."""
    import scors

    rng = np.random.default_rng(1)

    def replicate() -> list[float]:
        at = rng.integers(0, len(y), len(y))
        return [scors.roc_auc(y[at], p[at])]

    return replicate


def bootstrap(replicates: int) -> Any:
    """That of rapidstats, on one thread."""
    import rapidstats

    return rapidstats.Bootstrap(iterations=replicates, method="percentile", seed=1, n_jobs=1)


def against_rapidstats_area(y: Any, p: Any, rounds: int) -> Row:
    """AUC alone."""
    positive, few = y == 1, 50
    found, peer = intervals(y, p, ("AUC",))["AUC"], bootstrap(400).roc_auc(positive, p)
    insist_on_overlap(found.low, found.high, (peer[0], peer[2]), "AUC")
    return times_faster(
        f"a replicate of AUC, n = {len(y):,}, 2 classes",
        lambda: intervals(y, p, ("AUC",)),
        lambda: bootstrap(few).roc_auc(positive, p),
        "rapidstats",
        20.0,
        rounds=rounds,
        per=(REPLICATES, few),
    )


def against_rapidstats_table(y: Any, p: Any, rounds: int) -> Row:
    """Measures of decisions."""
    positive, decided = y == 1, p > 0.5
    said, few, symbols = decided.astype(int), 200, tuple(HARD)

    def ours() -> Any:
        return karat.evaluate(y, y_pred=said).intervals(symbols, method="percentile", replicates=REPLICATES)

    found, peer = ours(), bootstrap(1000).confusion_matrix(positive, decided)
    for symbol, name in HARD.items():
        ends = getattr(peer, name)
        insist_on_overlap(found[symbol].low, found[symbol].high, (ends[0], ends[2]), symbol)
    return times_faster(
        f"a replicate of {len(symbols)} measures of decisions, n = {len(y):,}, 2 classes",
        ours,
        lambda: bootstrap(few).confusion_matrix(positive, decided),
        "rapidstats, 27 measures,",
        500.0,
        rounds=rounds,
        per=(REPLICATES, few),
    )


def against_delong(y: Any, p: Any, rounds: int) -> Row:
    """DeLong's interval of the AUC."""
    import confidenceinterval

    found = intervals(y, p, ("AUC",), "analytic")["AUC"]
    area, (low, high) = confidenceinterval.roc_auc_score(y, p)
    pairs = zip((found.value, found.low, found.high), (area, low, high), strict=True)
    if not all(math.isclose(a, b, rel_tol=1e-6) for a, b in pairs):  # the peer ranks in single precision
        raise AssertionError(f"karat says {found}, confidenceinterval {low} to {high}")
    return times_faster(
        f"DeLong's interval of AUC, n = {len(y):,}",
        lambda: intervals(y, p, ("AUC",), "analytic"),
        lambda: confidenceinterval.roc_auc_score(y, p),
        "confidenceinterval",
        40.0,
        rounds=max(rounds, 3),
    )
