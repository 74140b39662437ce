"""Rows that were given more than once: each copy adds to what tests take for evidence, and to nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from karat.core.arithmetic import Array
from karat.core.cached import cached
from karat.core.errors import option
from karat.data import Predictions
from karat.statistics import Summary
from karat.statistics.p_values import SURE, sign_test
from karat.statistics.score_table import pieces

FEWEST_REGULAR_GROUPS = 20
"""So many groups of equal scores do not all have an even number of cases (or a multiple of three, ...) by accident: the
chance is about one in a million."""
TOLERATED_SHARE = 0.1
"""Among many copies some cases may have equal scores by accident: so many groups of unlike truths beside those that
neighbours make."""
FEW_COPIES = 0.01
"""A share of copied rows that changes no interval."""
MIXER = np.uint64(0x9E3779B97F4A7C15)
"""An odd number without a pattern (2^64 divided by the golden ratio): multiplied by it, bits spread."""


@dataclass(frozen=True, eq=False)
class Copies:
    """Rows that are equal in truth and all scores (and in decisions that were given)."""

    predictions: Predictions
    noticed: bool
    """are they copies? Models that know few different scores give them to many cases, but then to cases of other
    classes too, as often as to those with neighbouring scores; copies always agree in truth"""

    @cached
    def group(self) -> Array:
        """[n]: which rows are equal; 0, 1, ..."""
        p = self.predictions
        assert p.scores is not None
        columns = [_mixed(p.scores[0]), p.truth[0]]
        return _grouped(columns if p.decided is None else [*columns, p.decided[0]])

    @property
    def distinct(self) -> int:
        """How many different rows there are."""
        return int(self.group.max()) + 1

    @cached
    def cases(self) -> Array:
        """[n]: which rows are one case, if the data were given several times as a whole; else each row is one."""
        return _cases(self.group, self.predictions.weight)

    @property
    def times(self) -> int:
        """How often the data as a whole were given."""
        return self.predictions.n // (int(self.cases.max()) + 1) if self.noticed else 1

    @classmethod
    def of(cls, s: Summary) -> Copies | None:
        """None where cases or scores are not known."""
        p = s.source.cases
        if p is None or p.held is None or p.lead or p.n == 0:
            return None
        if cls not in s.computed:
            of_one_column = p.extent is not None and p.extent.given is not None and len(p.classes) == 2
            noticed = _are_in_table(s) if of_one_column and p.weight is None else _are_copies(p)
            s.computed[cls] = cls(p, noticed)
        return s.computed[cls]  # type: ignore[no-any-return]


def _mixed(scores: Array) -> Array:
    """One number of 64 bits for each row of scores: equal for equal rows (and by accident once in 2^64)."""
    bits = np.ascontiguousarray(scores + 0.0, dtype=np.float64).view(np.uint64)  # -0. is 0.
    mixed = np.zeros(len(bits), np.uint64)
    for column in bits.T:
        mixed = (mixed ^ column) * MIXER
        mixed ^= mixed >> np.uint64(32)
    return mixed


def _grouped(columns: list[Array]) -> Array:
    """[n]: the number of the group of equal rows, groups in the order of their first rows."""
    group = np.zeros(len(columns[0]), np.int64)
    for column in columns:
        _, place = np.unique(column, return_inverse=True)
        _, group = np.unique(group * (int(place.max()) + 1) + place, return_inverse=True)
    _, first = np.unique(group, return_index=True)
    rank = np.empty(len(first), np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    return np.asarray(rank[group])


def _are_copies(p: Predictions) -> bool:
    """Do the truths of equal scores agree although those of neighbouring ones do not, or is each group of equal scores
    the same multiple?"""
    assert p.scores is not None
    scores, key = p.scores[0], _mixed(p.scores[0])
    in_order = np.sort(key)
    if not (in_order[1:] == in_order[:-1]).any():
        return False
    two = scores.shape[1] <= 2  # then the scores of one class tell all
    similar: list[Array] = [scores[:, -1]] if two else [scores.max(axis=1), scores.argmax(axis=1)]
    order = np.lexsort([key, *similar])
    key, truth = key[order], p.truth[0][order]
    starts = np.flatnonzero(np.append(True, key[1:] != key[:-1]))
    sizes = np.diff(np.append(starts, len(truth)))
    if _times(sizes) > 1:
        return True
    tied = np.flatnonzero(sizes > 1)
    low, high = (at.reduceat(truth, starts) for at in (np.minimum, np.maximum))
    unlike = float((low != high)[tied].sum())
    beside = np.where(tied + 1 < len(starts), tied + 1, tied - 1)  # of one group alone this is the group itself
    neighbours = float((truth[starts[tied]] != truth[starts[beside]]).sum())
    return unlike <= TOLERATED_SHARE * neighbours and sign_test(neighbours, unlike) < SURE


def _times(sizes: Array) -> int:
    """What divides the sizes of all groups of equal rows: how often the data as a whole were given."""
    return int(np.gcd.reduce(sizes)) if len(sizes) >= FEWEST_REGULAR_GROUPS else 1


def _are_in_table(s: Summary) -> bool:
    """The same where one column of scores tells all: from the numbers of cases of both classes at each score."""
    counts = s.table_of_class(1).weight
    scores = counts.shape[1]
    tied = np.concatenate(
        [part.start + np.flatnonzero(counts[0, part] + counts[1, part] > 1) for part in pieces(scores)]
    )
    if not len(tied):
        return False
    alone = len(tied) < scores  # then nothing but 1 divides all sizes
    if not alone and _times(counts.sum(axis=0).astype(np.int64)) > 1:
        return True
    unlike = float((counts[:, tied] > 0).all(axis=0).sum())
    beside = np.where(tied + 1 < scores, tied + 1, tied - 1)
    here, there = (counts[1, at] / counts[:, at].sum(axis=0) for at in (tied, beside))
    neighbours = float(np.rint((here * (1 - there) + there * (1 - here)).sum()))
    return unlike <= TOLERATED_SHARE * neighbours and sign_test(neighbours, unlike) < SURE


def given_once(s: Summary) -> Summary:
    """Of data that were given several times as a whole: the same, given once. Rows that were equal before stay, as many
    as they were."""
    copies = Copies.of(s)
    return s if copies is None or copies.times == 1 else _collapsed(s, copies.cases)


def distinct_cases(s: Summary) -> Summary:
    """The same with each copied row once, weighted by its copies: every measure is what it was, and tests count cases.
    Without copies the very same."""
    s = given_once(s)
    copies = Copies.of(s)
    return s if copies is None or not copies.noticed else _collapsed(s, copies.group)


def distinct_cases_of_all(summaries: Mapping[str, Summary]) -> dict[str, Summary]:
    """The same for models of the same cases: copies are rows that are equal for all of them."""
    group = copies_for_all(summaries)
    if group is None:
        return dict(summaries)
    cases = _cases(group, next(iter(summaries.values())).source.weight)
    if int(cases.max()) + 1 == len(group):
        return {name: _collapsed(s, group) for name, s in summaries.items()}
    return distinct_cases_of_all({name: _collapsed(s, cases) for name, s in summaries.items()})


def copies_for_all(summaries: Mapping[str, Summary]) -> Array | None:
    """[n]: which rows are equal for all models of the same cases; None if no copies were noticed."""
    copies = {name: Copies.of(s) for name, s in summaries.items()}
    sizes = {s.source.n for s in summaries.values()}
    if len(sizes) > 1 or any(s.source.cases is None for s in summaries.values()):
        return None
    if not any(c is not None and c.noticed for c in copies.values()):
        return None
    return _grouped([column for name, s in summaries.items() for column in _identity(s, copies[name])])


def told_of_copies(summaries: Mapping[str, Summary], cluster: Array | None = None, by: str = "pass") -> str:
    """What to know of tests of models on the same cases that take copies of a row for independent ones; empty if there
    are none, or if the groups [n] keep copies together. `by` says how groups are given."""
    copy = copies_for_all(summaries)
    distinct = 0 if copy is None else int(copy.max()) + 1
    if copy is None or distinct > (1 - FEW_COPIES) * len(copy):
        return ""
    if cluster is not None and len(np.unique(np.stack([copy, cluster]), axis=1).T) == distinct:
        return ""
    return (
        f"Only {distinct} of the {len(copy)} rows are different, so p-values are too small and intervals too narrow: "
        f"compare the different rows, or {by} {option('groups')} to keep copies together."
    )


def _identity(s: Summary, copies: Copies | None) -> list[Array]:
    """Columns in which copies are equal."""
    p = s.source.cases
    assert p is not None
    return [p.truth[0], p.decisions[0]] if copies is None else [copies.group]


def _cases(group: Array, weight: Array | None) -> Array:
    """[n]: which rows are copies of one case. If the size of every group of equal rows (and weights) is a multiple of
    how often the data were given, as many of them remain as were equal before."""
    same = group if weight is None else _grouped([group, weight[0]])
    sizes = np.bincount(same)
    order = np.argsort(same, kind="stable")
    place = np.empty_like(order)
    place[order] = np.arange(len(order)) - np.repeat(sizes.cumsum() - sizes, sizes)
    return _grouped([same, place % (sizes // _times(sizes))[same]])


def _collapsed(s: Summary, group: Array) -> Summary:
    p = s.source.cases
    assert p is not None
    _, first = np.unique(group, return_index=True)
    weight = np.bincount(group, None if p.weight is None else p.weight[0])
    even = p.weight is None and bool((weight == weight[0]).all())
    return Summary(p.take(first).reweighted(None if even else weight[None].astype(float)))
