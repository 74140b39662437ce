"""The statistics of many replicates at once: ordinary statistics with a leading axis over the replicates."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from karat import kernels
from karat.core.arithmetic import Array
from karat.core.statistic import Statistic
from karat.data import Predictions
from karat.resampling._sums import Column, Sums, TwoClasses, class_major
from karat.resampling.draws import Draws, Resampling
from karat.statistics.bins import ClassBins, ConfidenceBins
from karat.statistics.counts import DENSE, Binary, Counts
from karat.statistics.order import Margins, Pairs, Segments, Sequences, Windows, rounded
from karat.statistics.probability_sums import Certainty, LossSums, ProbabilitySums
from karat.statistics.scans import apart, window
from karat.statistics.score_table import ScoreTable
from karat.statistics.summary import Summary

OF_CLASSES = (Counts, ProbabilitySums, LossSums, Certainty)
"""Statistics whose rows are the true classes."""
LINEAR = (*OF_CLASSES, ConfidenceBins, ClassBins)
ORDERED = (Pairs, Margins, Segments)
RUN = 16
"""Cases of one side and score that lie side by side, on average, from which on they are added up as runs."""


class Replicates:
    """Some predictions, arranged so that the statistics of replicates can be had from rows of counts.

    Counts are in the order `order`: cases by class. Several models on the same cases share one order if it is said."""

    def __init__(self, p: Predictions, order: Array | None = None) -> None:
        if len(p.truth) != 1:
            raise ValueError("one evaluation at a time is resampled")
        self.p = p
        self.order = class_major(p) if order is None else order
        self.label = p.truth[0, self.order]
        k = len(p.classes)
        self.starts = np.searchsorted(self.label, np.arange(k + 1)).astype(np.int64)
        self.weight = None if p.weight is None else p.weight[0, self.order]
        self._arranged: dict[Any, Any] = {}

    def arrange(self, kind: type[Statistic], parameters: dict[str, Any], classes: Iterable[int]) -> None:
        """Sort and look up what this statistic needs: done once, before threads start."""
        kind = Counts if kind is Binary else kind
        k = len(self.p.classes)
        if not self.knows(kind):
            return
        if issubclass(kind, ScoreTable):
            for j in classes:
                self._once((ScoreTable, j), lambda j=j: ScorePlaces.of(self, j))
        elif kind in LINEAR:
            self._once(_key(kind, parameters), lambda: self._sums(kind, parameters))
        elif kind is Pairs and self.weight is None and k == 2 and self._two() is not None:
            pass
        elif kind in ORDERED:
            for j in self._walked(parameters):
                self._column(j, parameters)
        elif kind in (Windows, Sequences):
            for j in range(k) if kind is Sequences else self._walked({}):
                self._once(("ascending", j), lambda j=j: self._ascending(j))

    def _sums(self, kind: type[Statistic], parameters: dict[str, Any]) -> Sums:
        return Sums.of(kind, parameters, self.p, self.order, self.starts, kind in OF_CLASSES)

    def _once(self, key: Any, make: Any) -> Any:
        if key not in self._arranged:
            self._arranged[key] = make()
        return self._arranged[key]

    def get(
        self, kind: type[Statistic], parameters: dict[str, Any], counts: Array, walked: dict[Any, Any] | None = None
    ) -> Any:
        """The statistic of each row of counts; not of score tables (see `table_of_class`). `walked` remembers walks
        over the same counts, from which several statistics come."""
        if kind is Binary:
            return self.get(Counts, {}, counts).binary
        if kind in LINEAR:
            self.arrange(kind, parameters, ())
            return self._arranged[_key(kind, parameters)](counts)
        walked = {} if walked is None else walked
        if kind is Windows:
            return Windows(self._window_errors(counts), self._weight_of(counts, walked))
        if kind is Sequences:
            return self._sequences(counts)
        if kind in ORDERED:
            return self._ordered(kind, parameters, counts, walked)
        raise KeyError(kind)

    def knows(self, kind: type[Statistic]) -> bool:
        """Can the statistic be had of many replicates at once?"""
        if kind in (Counts, Binary) and len(self.p.classes) * len(self.p.outputs) > DENSE:
            return False
        return kind in (*LINEAR, *ORDERED, Binary, Windows, Sequences) or issubclass(kind, ScoreTable)

    def draws(self, resampling: Resampling, cluster: Array | None) -> Draws:
        """Draws of these cases: of all, within each class, or of whole clusters ([n]: that of each case)."""
        if cluster is not None:
            sizes: tuple[int, ...] = (int(cluster.max()) + 1,)
            return Draws.of(resampling.seed, resampling.replicates, sizes, cluster[self.order])
        sizes = tuple(int(x) for x in np.diff(self.starts)) if resampling.stratified else (len(self.order),)
        return Draws.of(resampling.seed, resampling.replicates, sizes)

    def class_weight(self, counts: Array) -> Array:
        """[R, k]: the weight of each class in each row of counts."""
        if self.weight is None:
            return kernels.totals(counts, self.starts)
        summed = kernels.weighted_sums(counts, None, self.starts, np.ascontiguousarray(self.weight[None]))
        return np.ascontiguousarray(summed[:, :, 0])

    def _weight_of(self, counts: Array, walked: dict[Any, Any]) -> Array:
        if "weight" not in walked:
            walked["weight"] = self.class_weight(counts)
        return np.asarray(walked["weight"])

    def _two(self) -> TwoClasses | None:
        """The layout for two classes whose columns mirror each other; None if they do not."""
        return self._once("two", self._mirrored)  # type: ignore[no-any-return]

    def _mirrored(self) -> TwoClasses | None:
        assert self.p.scores is not None
        layout = TwoClasses.of(self.p.ordering(1)[self.order], int(self.starts[1]))
        if self.p.extent is not None and self.p.extent.given is not None:
            return layout
        return layout if layout.same_pairs(self.p.scores[0, self.order, 0]) else None

    def _walked(self, parameters: dict[str, Any]) -> Sequence[int]:
        """The columns that have to be walked over: all of them; of two classes whose columns mirror each other, but for
        rounding, the one that was given, or the second."""
        k, extent = len(self.p.classes), self.p.extent
        if k != 2 or extent is None or parameters.get("digits") is not None:
            return range(k)
        if extent.given is not None:
            return (extent.given,)
        mirrored = self.p.probabilities and math.isfinite(apart(extent.uneven)) and self._two() is not None
        return (1,) if mirrored else (0, 1)

    def _column(self, j: int, parameters: dict[str, Any]) -> Column:
        digits = parameters.get("digits")

        def sorted_column() -> Column:
            p = self.p if digits is None else rounded(self.p, digits)
            assert p.scores is not None
            return Column.of(j, p.scores[0, self.order, j], self.label, self.weight)

        return self._once(("column", j, digits), sorted_column)  # type: ignore[no-any-return]

    def of_columns(self, parameters: dict[str, Any], walked: Callable[[Column], tuple[Array, ...]]) -> list[Array]:
        """What a walk over the column of each class gives, [R, k, ...]; of two columns that mirror each other one is
        walked over."""
        columns = self._walked(parameters)
        sums = [walked(self._column(j, parameters)) for j in columns]
        if len(columns) < len(self.p.classes):
            won, gained, deviation, refinement = sums[0]
            mirrored = (won[:, ::-1], gained[:, ::-1], deviation, refinement)
            sums = [mirrored, sums[0]] if columns[0] == 1 else [sums[0], mirrored]
        return [np.stack(x, axis=1) for x in zip(*sums, strict=True)]

    def _ordered(
        self, kind: type[Statistic], parameters: dict[str, Any], counts: Array, walked: dict[Any, Any]
    ) -> Statistic:
        k, weight = len(self.p.classes), self._weight_of(counts, walked)
        digits = parameters.get("digits")
        if kind is Pairs and self.weight is None and digits not in walked:
            return Pairs(self._wins(counts), weight)
        if digits not in walked:
            walked[digits] = self.of_columns(
                parameters, lambda c: kernels.walk(counts, c.order, c.label, c.fresh, c.x, c.weight, c.j, k)
            )
        wins, gains, deviation, refinement = walked[digits]
        if kind is Segments:
            return Segments(deviation, refinement, weight)
        return Pairs(wins, weight) if kind is Pairs else Margins(gains, weight)

    def _wins(self, counts: Array) -> Array:
        k = len(self.p.classes)
        if k == 2 and (two := self._two()) is not None:
            out = np.zeros((len(counts), 2, 2))
            won = kernels.two_class_wins(counts, two.order, two.first, two.below, two.upto)
            out[:, 0, 1] = out[:, 1, 0] = won
            return out
        columns = [self._column(j, {}) for j in range(k)]
        return np.stack([kernels.wins(counts, c.order, c.label, c.fresh, c.j, k) for c in columns], axis=1)

    def _ascending(self, j: int) -> tuple[Array, Array, Array, Array]:
        """Ascending scores of class j: (place among the counts, score, rank of the score, distinct scores)."""
        assert self.p.scores is not None
        by_score = np.argsort(self.p.scores[0, :, j])
        place = np.empty(len(self.order), np.int32)
        place[self.order] = np.arange(len(self.order), dtype=np.int32)
        x = self.p.scores[0, by_score, j]
        new = np.append(True, x[1:] != x[:-1])
        return place[by_score], x, (np.cumsum(new) - 1).astype(np.int32), x[new]

    def _window_errors(self, counts: Array) -> Array:
        out = np.empty((len(counts), len(self.p.classes)))
        cases = kernels.totals(counts, np.array([0, counts.shape[1]]))[:, 0]
        sizes = np.array([window(int(drawn)) for drawn in cases])
        columns = self._walked({})
        for j in columns:
            at, _, rank, values = self._once(("ascending", j), lambda j=j: self._ascending(j))
            own = (self.label[at] == j).astype(np.uint8)
            out[:, j] = kernels.window_errors(counts, at, own, rank, values, sizes)
        if len(columns) < out.shape[1]:
            out[:, 1 - columns[0]] = out[:, columns[0]]
        return out

    def _sequences(self, counts: Array) -> Sequences:
        k, n = len(self.p.classes), int(counts[0].sum())
        x, hit = np.empty((len(counts), k, n)), np.empty((len(counts), k, n), bool)
        for j in range(k):
            at, scores, _, _ = self._once(("ascending", j), lambda j=j: self._ascending(j))
            own = self.label[at] == j
            for r, row in enumerate(counts):
                x[r, j], hit[r, j] = np.repeat(scores, row[at]), np.repeat(own, row[at])
        return Sequences.of_ascending(x, hit, self.class_weight(counts))

    def table_of_class(self, j: int, counts: Array) -> ScoreTable:
        """Score tables of class j against the rest: weight[R, 2, m]."""
        return self.scores_of_class(j).table(counts)

    def scores_of_class(self, j: int) -> ScorePlaces:
        """Where each case stands in the score tables of class j."""
        return self._once((ScoreTable, j), lambda: ScorePlaces.of(self, j))  # type: ignore[no-any-return]

    def one_by_one(self, counts: Array, weighted: bool) -> Iterable[Summary]:
        """Each replicate as predictions of its own: with weights or, where these have no meaning, repeated cases."""
        for row in counts:
            drawn = np.empty(len(row), np.int64)
            drawn[self.order] = row
            if weighted:
                weight = drawn.astype(float) if self.p.weight is None else drawn * self.p.weight[0]
                yield Summary(self.p.reweighted(weight[None]))
            else:
                yield Summary(self.p.take(np.repeat(np.arange(len(row)), drawn)))


def _key(kind: type[Statistic], parameters: dict[str, Any]) -> Any:
    return (kind, *sorted(parameters.items()))


class ScorePlaces:
    """Where each case stands in the score table of a class."""

    def __init__(self, scores: Array, order: Array, own: Array, place: Array, weight: Array | None) -> None:
        self.scores, self.order, self.own, self.place, self.weight = scores, order, own, place, weight

    @classmethod
    def of(cls, replicates: Replicates, j: int) -> ScorePlaces:
        p, at = replicates.p, replicates.order
        x = p.ordering(j)[at]
        order = np.argsort(x)
        x = x[order]
        new = np.append(True, x[1:] != x[:-1])
        scores = 1 + x[new] if p.mirrors(j) else x[new]
        weight = None if replicates.weight is None else np.ascontiguousarray(replicates.weight[order])
        own = (replicates.label[order] == j).astype(np.uint8)
        return cls(scores, order.astype(np.int32), own, (np.cumsum(new) - 1).astype(np.int32), weight)

    def table(self, counts: Array) -> ScoreTable:
        """The score table of each row of counts: weight[R, 2, m]."""
        weight = kernels.sides(counts, self.order, self.own, self.place, self.weight, len(self.scores))
        return ScoreTable(self.scores, weight, 1)

    def joined(self, starts: Array) -> ScorePlaces | ScoreRuns:
        """The same of few scores: neighbours are joined from each of these places on."""
        n, m = len(self.order), len(starts)
        back = np.empty(n, np.intp)
        back[self.order] = np.arange(n)
        place = (np.searchsorted(starts, self.place, "right") - 1).astype(np.int32)[back]
        own, weight = self.own[back], None if self.weight is None else self.weight[back]
        cell = own.astype(np.intp) * m + place
        runs = np.flatnonzero(np.append(True, cell[1:] != cell[:-1])[:n])
        if len(runs) * RUN <= n:
            return ScoreRuns(self.scores[starts], np.append(runs, n).astype(np.int64), cell[runs], weight)
        if m == n:  # nothing is joined
            return self
        return ScorePlaces(self.scores[starts], np.arange(n, dtype=np.int32), own, place, weight)


class ScoreRuns:
    """Score tables of few scores, where cases of one side and score lie side by side in memory."""

    def __init__(self, scores: Array, starts: Array, cell: Array, weight: Array | None) -> None:
        self.scores, self.starts, self.weight = scores, starts, weight
        self.by_cell = np.argsort(cell, kind="stable")
        self.cells, self.firsts = np.unique(cell[self.by_cell], return_index=True)

    def table(self, counts: Array) -> ScoreTable:
        """The score table of each row of counts: weight[R, 2, m]."""
        if self.weight is None:
            sums = kernels.totals(counts, self.starts)
        else:
            sums = kernels.weighted_sums(counts, None, self.starts, self.weight[None])[:, :, 0]
        weight = np.zeros((len(counts), 2 * len(self.scores)))
        weight[:, self.cells] = np.add.reduceat(sums[:, self.by_cell], self.firsts, axis=1)
        return ScoreTable(self.scores, weight.reshape(len(counts), 2, -1), 1)
