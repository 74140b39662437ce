"""One AUC for each of 9,900 pairs of classes."""

from __future__ import annotations

from collections.abc import Iterator

from karat.catalogue import measures

from .measuring import Row, insist_on_agreement, times_faster
from .others import scikit_learn
from .problems import predictions


def rows(quick: bool) -> Iterator[Row]:
    """Hand and Till's M of 100 classes."""
    y, p = predictions(2_000, 100)
    measure, peer = measures["AU1U"], scikit_learn(y, p, ["AU1U"])
    insist_on_agreement({"AU1U": measure(y, p)}, peer())
    what = f"AU1U, n = {len(y):,}, 100 classes"
    yield times_faster(what, lambda: measure(y, p), peer, "scikit-learn", 300.0, rounds=1 if quick else 3)
