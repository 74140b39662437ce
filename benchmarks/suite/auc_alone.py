"""One measure asked for alone: the area under the ROC curve, against the libraries that compute it fastest."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

import karat

from .measuring import Row, duration, in_turns, insist_on_agreement, measured
from .problems import predictions


def intelex(y: Any, p: Any) -> Callable[[], float]:
    """Each peer gets its input ready-made."""
    from sklearnex.metrics import roc_auc_score

    return lambda: roc_auc_score(y, p)


def scors(y: Any, p: Any) -> Callable[[], float]:
    """Labels are truth values."""
    from scors import roc_auc

    positive = y.astype(bool)
    return lambda: roc_auc(positive, p)


PEERS = {"scikit-learn-intelex": (intelex, 5.0), "scors": (scors, 3.0)}
"""Name to call and target."""


def rows(quick: bool) -> Iterator[Row]:
    """Probabilities and scores, in both precisions."""
    for n in (100_000,) if quick else (1_000_000, 10_000_000):
        y, both = predictions(n, 2, complementary=True)
        for kind in (np.float64, np.float32):
            p = np.ascontiguousarray(both[:, 1], dtype=kind)
            for name in PEERS:
                rows_of = partial(against, name, y, p, kind.__name__, 3 if quick or n > 1_000_000 else 5)
                yield from measured(f"AUC alone, n = {n:,}, {kind.__name__}, against {name}", rows_of)


def against(name: str, y: Any, p: Any, kind: str, rounds: int) -> Iterator[Row]:
    """The ways to ask for it."""
    made, target = PEERS[name]
    peer = made(y, p)
    ways = {
        "karat.measures.roc_auc": lambda: karat.measures.roc_auc(y, p),
        "karat.evaluate with y_score": lambda: karat.evaluate(y, y_score=p)["AUC"],
    }
    for call in ways.values():
        insist_on_agreement({"AUC": call()}, {"AUC": peer()}, 1e-9)
    other, *ours = in_turns([peer, *ways.values()], rounds)
    for way, own in zip(ways, ours, strict=True):
        what = f"AUC alone, {way}, n = {len(y):,}, {kind}"
        yield Row(what, duration(own), f"{name} {duration(other)}", other / own, target)
