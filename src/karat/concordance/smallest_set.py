"""The smallest set of measures that represents all of them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from karat.core.arithmetic import TOLERANCE, Array
from karat.core.comparison import MEASURES, comparison
from karat.core.errors import ShapeError
from karat.core.keywords import understand
from karat.core.measure import measures
from karat.core.record import Verdict
from karat.core.table import Table
from karat.core.validation import listed_words, number_between
from karat.core.words import listed
from karat.data.arrays import numbers

MOST_SETS = 200_000
"""Sets of one size that are tried before the search is left to the greedy rule."""


@dataclass(frozen=True, eq=False, repr=False)
class SmallestSet(Verdict):
    """The measures that are kept, and which others each of them represents; `karat.smallest_set` returns it.

    Attributes
    ----------
    kept : tuple of str
        The measures that are kept.
    stands_for : dict
        For each kept measure, (other measure, rank correlation) of those that it represents.
    silent : tuple of str
        Measures that have the same value for all models.
    threshold : float
        Least absolute rank correlation with the measure that represents it.
    exact : bool
        True if no smaller set exists; False if the search was greedy.
    """

    kept: tuple[str, ...]
    stands_for: dict[str, tuple[tuple[str, float], ...]]
    silent: tuple[str, ...]
    threshold: float
    exact: bool

    @property
    def verdict(self) -> str:
        """What the correlations say, in one sentence."""
        total = len(self.kept) + sum(map(len, self.stands_for.values())) + len(self.silent)
        others = {m: [title_of(other) for other, _ in self.stands_for[m]] for m in self.kept}
        standing = [f"{title_of(m)} (for {listed(others[m])})" for m in self.kept if others[m]]
        alone = [title_of(m) for m in self.kept if not self.stands_for[m]]
        least = "" if self.exact else "; fewer may be enough"
        limit = f"rank correlation of at least {self.threshold:g}{least}"
        verb = "is" if len(self.silent) == 1 else "are"
        constant = f"; {listed(map(title_of, self.silent))} {verb} constant" if self.silent else ""
        if not self.kept:
            return f"All {total} measures are constant."
        some = "measure represents" if len(self.kept) == 1 else "measures represent"
        return f"{len(self.kept)} of {total} {some} all ({limit}): {listed([*standing, *alone])}{constant}."

    def to_table(self) -> Table:
        """One row for each measure: which one represents it, and their rank correlation."""
        rows: list[tuple[str, str, float]] = []
        for m in self.kept:
            rows += [(m, m, 1.0), *((other, m, tau) for other, tau in self.stands_for[m])]
        rows += [(m, "", math.nan) for m in self.silent]
        measure, by, tau = zip(*rows, strict=True)
        return Table({"measure": list(measure), "told by": list(by), "tau": list(tau)}, self.verdict)


@comparison(of=MEASURES, cite="ferri2009")
@understand
def smallest_set(correlations: Any, names: Any = None, *, threshold: float = 0.9) -> SmallestSet:
    """Which few measures represent all of them?

    The fewest measures such that every other one has a rank correlation of at least `threshold`, of either sign, with
    one of them. Measures that are connected by such correlations form a cluster. In each cluster all sets of one, two,
    ... measures are tried until one covers it; among equally small sets the one with the highest correlations is taken,
    then the first in the given order. A cluster with too many sets to try is covered greedily [chvatal1979], each time
    by the measure that represents most of what is left. See also [ferri2009].

    Parameters
    ----------
    correlations : array-like of shape (measures, measures)
        Rank correlations, for example `compare_measures(...).tau`; nan on the diagonal for a constant measure.
    names : list of str, optional
        Names of the measures; by default the columns of a data frame, or numbers.
    threshold : float
        Above 0 and up to 1.

    Returns
    -------
    SmallestSet
        With `kept`, `stands_for`, `silent`, `exact` and a `verdict`.

    Raises
    ------
    InputError
        If the correlations are not square, the names do not fit, or the threshold is out of range.

    See Also
    --------
    compare_measures : Rank correlations of measures from their values for models.

    Examples
    --------
    >>> tau = [[1, 0.95, 0.5, 0.2], [0.95, 1, 0.92, 0.1], [0.5, 0.92, 1, 0.3], [0.2, 0.1, 0.3, 1]]
    >>> smallest_set(tau, ["Acc", "MCC", "KapS", "LogL"]).kept
    ('MCC', 'LogL')
    """
    tau, columns = numbers(correlations, "correlations", "the rank correlation of each pair of measures")
    names = listed_words(names) if names is not None else columns if columns is not None else range(len(tau))
    names = tuple(map(str, names))
    if tau.ndim != 2 or tau.shape[0] != tau.shape[1] or len(names) != len(tau) or not len(tau):
        raise ShapeError(
            f"correlations has the shape {tau.shape} and there are {len(names)} names; pass a square matrix and one "
            "name for each row."
        )
    threshold = number_between("threshold", threshold, 0, 1, ends="(]")
    heard = ~np.isnan(np.diag(tau))
    strength = np.abs(np.where(np.isnan(tau), 0.0, tau))
    near = (strength >= threshold - TOLERANCE) | np.eye(len(tau), dtype=bool)
    kept: list[int] = []
    exact = True
    for cluster in _clusters(near, heard):
        picked, proved = _cover(cluster, near, strength)
        kept, exact = kept + picked, exact and proved
    kept.sort()
    stands_for: dict[str, list[tuple[str, float]]] = {names[i]: [] for i in kept}
    for j in np.flatnonzero(heard):
        if j not in kept:
            best = max((i for i in kept if near[i, j]), key=lambda i: strength[i, j])
            stands_for[names[best]].append((names[j], float(tau[best, j])))
    return SmallestSet(
        tuple(names[i] for i in kept),
        {name: tuple(sorted(others, key=lambda other: -abs(other[1]))) for name, others in stands_for.items()},
        tuple(names[j] for j in np.flatnonzero(~heard)),
        threshold,
        exact,
    )


def title_of(name: str) -> str:
    """What people call the measure of this name; any other name is left as it is."""
    return measures[name].title if name in measures else name


def _clusters(near: Array, heard: Array) -> list[list[int]]:
    """Groups that hang together, in the given order."""
    clusters, left = [], set(np.flatnonzero(heard).tolist())
    while left:
        reached, todo = set(), [min(left)]
        while todo:
            i = todo.pop()
            if i not in reached:
                reached.add(i)
                todo += np.flatnonzero(near[i]).tolist()
        left -= reached
        clusters.append(sorted(reached))
    return clusters


def _cover(cluster: list[int], near: Array, strength: Array) -> tuple[list[int], bool]:
    """The smallest set that covers a cluster, and whether it is proved to be that."""
    covers = {i: sum(1 << c for c, j in enumerate(cluster) if near[i, j]) for i in cluster}
    whole = (1 << len(cluster)) - 1
    for size in range(1, len(cluster) + 1):
        if math.comb(len(cluster), size) > MOST_SETS:
            return _greedy(cluster, covers, whole, strength), False
        best: tuple[float, list[int]] | None = None
        for group in combinations(cluster, size):
            mask = 0
            for i in group:
                mask |= covers[i]
            if mask == whole:
                close = float(strength[np.ix_(group, cluster)].max(axis=0).sum())
                if best is None or close > best[0] + TOLERANCE:
                    best = close, list(group)
        if best is not None:
            return best[1], True
    raise AssertionError("a cluster covers itself")


def _greedy(cluster: list[int], covers: dict[int, int], whole: int, strength: Array) -> list[int]:
    picked: list[int] = []
    left = whole
    while left:
        best = max(cluster, key=lambda i: ((covers[i] & left).bit_count(), float(strength[i, cluster].sum()), -i))
        picked.append(best)
        left &= ~covers[best]
    return picked
