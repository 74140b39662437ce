"""The cases of a course over time, period by period: as they are, or as what was added up tells of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from karat.changes.periods import Periods, periods_of
from karat.core.arithmetic import Array
from karat.core.errors import InputError, option, quoted
from karat.core.measure import Measure
from karat.data.border import Extent
from karat.data.predictions import Predictions
from karat.evaluation import Evaluation
from karat.groups import AddedByGroup, ByGroup, GroupColumn
from karat.measures.value import MeasureOf
from karat.statistics import Counts
from karat.statistics.added import AddedStatistics, needs_cases
from karat.statistics.counts import DENSE


class PeriodUnits(NamedTuple):
    """Cases, the period of each, and how many each stands for (None: one)."""

    p: Predictions
    place: Array
    times: Array | None = None

    def sample(self, inside: Array, most: int, rng: np.random.Generator) -> Predictions:
        """At most so many of the cases that are inside, each for itself."""
        at = np.flatnonzero(inside)
        if self.times is not None:
            times = self.times[at]
            if times.sum() > most:
                times = rng.multivariate_hypergeometric(times, most, method="marginals")
            return self.p.take(np.repeat(at, times)).reweighted(None)
        return self.p.take(at)


@dataclass(frozen=True, eq=False)
class CourseCases:
    """An evaluation, and the period of each case; of cases that were added up, of each combination of groups."""

    e: Evaluation
    periods: Periods

    @classmethod
    def of(cls, e: Any, dates: Any, every: str) -> CourseCases:
        """From the dates, or the name of a column that came with the predictions."""
        if not isinstance(e, Evaluation):
            raise InputError("the course over time needs an evaluation; pass karat.evaluate(y_true, y_proba) first.")
        source = e.statistics.source
        if isinstance(dates, str) and dates in e.columns:
            cells = None if source.added is None else source.added.cells
            times = None if cells is None else cells.cases
            return cls(e, periods_of(e.columns[dates], every, len(e.columns[dates]), times))
        if source.cases is None:
            there = f" (there are {quoted(e.columns)})" if e.columns else ""
            raise InputError(
                f"the course over time needs predictions case by case, or that their dates were accumulated with them; "
                f"pass {option('by')} where they are accumulated, and the name of that column here{there}."
            )
        if isinstance(dates, str):
            there = f"; there are {quoted(e.columns)}" if e.columns else ""
            raise InputError(
                f"{dates!r} is no column that came with the predictions{there}; pass the date of each case."
            )
        e.refuse_other_cases(dates=dates)
        return cls(e, periods_of(dates, every, source.cases.n))

    @property
    def added(self) -> AddedStatistics | None:
        """What was added up, if that is all there is."""
        added: AddedStatistics | None = self.e.statistics.source.added
        return added

    @cached_property
    def filled(self) -> Array:
        """The periods that have a case."""
        return np.flatnonzero(self.periods.cases)

    def groups(self, level: float) -> ByGroup:
        """The periods that have a case, as groups."""
        labels = tuple(self.periods.labels[i] for i in self.filled.tolist())
        codes = np.searchsorted(self.filled, self.periods.place).astype(np.int32)
        column = GroupColumn(self.periods.every, labels, codes, times=self.periods.times)
        return (ByGroup if self.added is None else AddedByGroup)(self.e.statistics, column, level)

    def value(self, measure: Measure, part: Array) -> float:
        """Of the periods [entries] that are chosen."""
        at = np.flatnonzero(part)
        source = self.e.statistics.source
        if self.added is not None:
            assert self.added.cells is not None
            return Evaluation(self.added.cells.joined(at.tolist())).value_or_nan(measure)
        assert source.cases is not None
        return Evaluation(source.cases.take(at)).value_or_nan(measure)

    def unfit(self, m: MeasureOf) -> str:
        """Why what was added up does not tell how cases move a measure."""
        if self.added is None:
            return ""
        if self.added.weight is not None or (self.units.p.held is None and not m.counted):
            return needs_cases("a test of its change")
        return ""

    @cached_property
    def units(self) -> PeriodUnits:
        """Cases by their period. Of what was added up: cells of scores of two classes, else those of the table."""
        if self.added is None:
            cases = self.e.statistics.source.cases
            assert cases is not None
            return PeriodUnits(cases, self.periods.place)
        parts = list(self._cells(self.added))
        place = np.repeat(self.filled, [len(p.truth[0]) for p in parts])
        first = parts[0]
        arrays = {name: [getattr(p, name) for p in parts] for name in ("truth", "held", "decided", "weight")}
        whole: dict[str, Any] = {
            name: None if x[0] is None else np.concatenate(x, axis=1) for name, x in arrays.items()
        }
        times = np.rint(whole.pop("weight")[0]).astype(np.int64)
        named: dict[str, Any] = {"classes": first.classes, "outputs": first.outputs, "positive": first.positive}
        if (held := whole["held"]) is not None:
            named["extent"] = Extent(float(held[held > 0].min()), float(held.max()), 0.0)
        return PeriodUnits(Predictions(weight=times[None].astype(float), **named, **whole), place, times)

    def _cells(self, added: AddedStatistics) -> Iterator[Predictions]:
        """Cases that stand for those of each period."""
        assert added.cells is not None
        scored = added.mirrored and not added.given_decisions
        for period in self.filled.tolist():
            part = added.cells.joined(np.flatnonzero(self.periods.place == period).tolist())
            cells = part.cell_cases() if scored else None
            yield _of_table(part) if cells is None else cells


def _of_table(part: AddedStatistics) -> Predictions:
    """A case for each cell of the confusion table."""
    table = part.statistic(Counts, {}).table if len(part.classes) * len(part.outputs) <= DENSE else np.zeros((0, 0))
    truth, decided = np.nonzero(table)
    named: dict[str, Any] = {"classes": part.classes, "outputs": part.outputs, "positive": part.positive}
    truth, decided = truth[None].astype(np.int32), decided[None].astype(np.int32)
    return Predictions(truth=truth, decided=decided, weight=table[truth[0], decided[0]][None], **named)
