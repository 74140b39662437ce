"""All 27 measures of the contract, from raw arrays with every check, against the 9 to 11 that scikit-learn has."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import karat

from .measuring import Row, insist_on_agreement, times_faster
from .others import Call, scikit_learn
from .problems import predictions

CASES = (
    (1_000_000, 2, 45.0, 5),
    (1_000_000, 5, 30.0, 5),
    (100_000, 20, 60.0, 5),
    (1_000, 2, 300.0, 21),
    (1_000, 5, 500.0, 21),
)
"""cases, classes, target, rounds"""
SHARED = ("Acc", "KapS", "MFM", "MAvA", "MCC", "RCI", "LogL", "MSE")
AREAS = ("AUNU", "AUNP", "AU1U")
"""For two classes they are one."""
FRESH = 64
"""Data sets in turn, where a processor has learnt none of them by heart: of one and the same thousand cases it guesses
most branches of a sort."""


def against(name: str, peer: Call, y: Any, p: Any, target: float, rounds: int, *, note: str = "") -> Row:
    """karat with all its measures against a peer with those that it has."""
    expected, evaluation = peer(), karat.evaluate(y, p)
    # the tolerance: torch computes in single precision, CatBoost merges scores that are almost equal
    insist_on_agreement({symbol: evaluation[symbol] for symbol in expected}, expected, 1e-4)
    return times_faster(
        f"27 measures, n = {len(y):,}, {p.shape[1]} classes{note}",
        lambda: karat.evaluate(y, p).values("papers"),
        peer,
        f"{name}, {len(expected)} measures,",
        target,
        rounds=rounds,
    )


def rows(quick: bool) -> Iterator[Row]:
    """One for each size; two classes once with columns [1 - p, p] and once with columns rounded each alone."""
    for n, k, target, rounds in CASES:
        for complementary in (True, False) if k == 2 else (False,):
            y, p = predictions(n // 10 if quick and n > 1_000 else n, k, complementary=complementary)
            peer = scikit_learn(y, p, (*SHARED, *(AREAS if k > 2 else ("AUC",))))
            note = ", columns [1 - p, p]" if complementary else ""
            yield against("scikit-learn", peer, y, p, target, 3 if quick else rounds, note=note)
    for k in (2, 5):
        yield fresh(1_000, k, 3 if quick else 21)


def fresh(n: int, k: int, rounds: int) -> Row:
    """Other data in each call."""
    problems = [predictions(n, k, seed=seed) for seed in range(FRESH)]
    peers = [scikit_learn(y, p, (*SHARED, *(AREAS if k > 2 else ("AUC",)))) for y, p in problems[:2]]
    return times_faster(
        f"the same, n = {n:,}, {k} classes, other data each time",
        lambda: [karat.evaluate(y, p).values("papers") for y, p in problems],
        lambda: [peer() for peer in peers],
        "scikit-learn",
        None,
        rounds=rounds,
        per=(FRESH, len(peers)),
    )
