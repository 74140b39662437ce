"""One measure asked for alone: the area under the ROC curve, against the libraries that compute it fastest."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import karat

from .measuring import Row, duration, in_turns, insist_on_agreement
from .problems import predictions


def peers(y: Any, p: Any) -> dict[str, tuple[Callable[[], float], float]]:
    """Name to call and target; each gets its input ready-made."""
    import scors
    from sklearnex.metrics import roc_auc_score

    positive = y.astype(bool)
    return {
        "scikit-learn-intelex": (lambda: roc_auc_score(y, p), 5.0),
        "scors": (lambda: scors.roc_auc(positive, p), 3.0),
    }


def rows(quick: bool) -> Iterator[Row]:
    """Probabilities and scores, in both precisions."""
    for n in (100_000,) if quick else (1_000_000, 10_000_000):
        y, both = predictions(n, 2, complementary=True)
        for kind in (np.float64, np.float32):
            p = np.ascontiguousarray(both[:, 1], dtype=kind)
            yield from of_one(y, p, kind.__name__, 3 if quick or n > 1_000_000 else 5)


def of_one(y: Any, p: Any, kind: str, rounds: int) -> Iterator[Row]:
    """The ways to ask for it."""
    ways = {
        "karat.measures.roc_auc": lambda: karat.measures.roc_auc(y, p),
        "karat.evaluate with y_score": lambda: karat.evaluate(y, y_score=p)["AUC"],
    }
    others = peers(y, p)
    for peer, _ in others.values():
        for call in ways.values():
            insist_on_agreement({"AUC": call()}, {"AUC": peer()}, 1e-9)
    taken = in_turns([*ways.values(), *(peer for peer, _ in others.values())], rounds)
    ours, theirs = taken[: len(ways)], taken[len(ways) :]
    for (name, (_, target)), other in zip(others.items(), theirs, strict=True):
        for way, own in zip(ways, ours, strict=True):
            what = f"AUC alone, {way}, n = {len(y):,}, {kind}"
            yield Row(what, duration(own), f"{name} {duration(other)}", other / own, target)
