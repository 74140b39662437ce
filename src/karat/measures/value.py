"""The value of a measure on data, of all classes or of one against the rest: the one way to it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from karat.core.arithmetic import TOLERANCE, Array
from karat.core.errors import InputError, option, positive_missing, quoted
from karat.core.measure import Measure, Remark
from karat.core.statistic import Needs, Statistic
from karat.measures.written_formulas import written_of
from karat.statistics import Binary, Counts, Summary

NO_VALUE = "its formula has no value here"


@dataclass(frozen=True, eq=False)
class MeasureOf:
    """A measure, and the place of the class if it is a measure of one. Without a place such a measure has a value for
    each class."""

    measure: Measure
    place: int | None = None
    key: str = ""
    """what its value is found under, where several are asked for: `symbol`, or `symbol[class]`"""

    @classmethod
    def on(cls, measure: Measure, summary: Summary) -> MeasureOf:
        """The measure of all classes, of the positive one, or of either if it is the same for both."""
        return cls(measure, place_of(measure, summary) if measure.classwise else None, measure.symbol)

    @property
    def kind(self) -> type[Statistic]:
        """What it is a formula of."""
        return self.measure.statistic

    @property
    def of_score_tables(self) -> bool:
        """Is it a formula of score tables, one for each class?"""
        return self.kind.per_class == "each"

    @property
    def counted(self) -> bool:
        """Is a confusion table enough?"""
        return self.kind in (Counts, Binary)

    def classes(self, k: int) -> Iterable[int]:
        """The classes whose score tables it needs."""
        return range(k) if self.place is None else (self.place,)

    def why_not(self, summary: Summary) -> str:
        """Why it can't be had of these data, whatever its formula says; empty if it can."""
        if lacking := summary.lacks(self.kind):
            return lacking
        return which_class(summary) if self.measure.classwise and self.place is None else ""

    def statistic(self, summary: Summary) -> Any:
        """What its formula takes: a statistic; of score tables that of its class, or all of them in a list."""
        m = self.measure
        if m.statistic.per_class != "each":
            return summary.get(m.statistic, **m.statistic_parameters)
        if self.place is not None:
            return summary.table_of_class(self.place)
        return [summary.table_of_class(j) for j in range(len(summary.source.classes))]

    def values(self, statistic: Any) -> Array:
        """Its values over the leading axes of what its formula takes (counts do for a 2 x 2 table), and over the
        classes along a last axis if it has a value for each. To be called where numpy's warnings are off."""
        if self.kind is Binary and isinstance(statistic, Counts):
            statistic = statistic.binary
        function, parameters = self.measure.value_of, self.measure.formula_parameters
        if self.of_score_tables and self.measure.classwise and self.place is None:
            return np.stack([np.asarray(function(table, **parameters), float) for table in statistic], axis=-1)
        values = np.asarray(function(statistic, **parameters), float)
        return values if self.place is None or self.of_score_tables else values[..., self.place]

    def value(self, summary: Summary) -> float:
        """Its value on these data."""
        return float(self.values(self.statistic(summary)))

    def remarks(self, summary: Summary) -> list[Remark]:
        """What should be known of its value on these data, which it must have."""
        if not self.measure.remarks:
            return []
        statistic = self.statistic(summary)
        whole = self.place is None or self.of_score_tables
        holding = ((r, np.asarray(r.applies(statistic))) for r in self.measure.remarks)
        return [r for r, holds in holding if (holds if whole else holds[..., self.place]).all()]

    def cases(self, summary: Summary) -> tuple[float, float] | None:
        """Of a rate: of how many cases it is the share, and how many there are; None if it is no rate."""
        return self.cases_behind(summary) if self.measure.from_rate is None else None

    def cases_behind(self, summary: Summary) -> tuple[float, float] | None:
        """The same of a measure that rises with a rate."""
        if self.measure.rate is None:
            return None
        counts = (np.asarray(x, float) for x in self.measure.rate(self.statistic(summary)))
        whole = self.place is None or self.of_score_tables
        share, of = (float(x if whole else x[..., self.place]) for x in counts)
        return share, of


def values_of_many(
    measures: tuple[Measure, ...], statistic_of: Callable[..., Any], lead: tuple[int, ...]
) -> dict[str, Array]:
    """Symbol to values over the leading axes of statistics: of formulas that are written down all at once. To be called
    where numpy's warnings are off."""
    formulas = written_of(measures)
    out = np.empty((len(formulas.symbols), *lead))
    formulas.of_many(statistic_of, out.reshape(len(out), math.prod(lead)))
    values = dict(zip(formulas.symbols, out, strict=True))
    for m in measures:
        if m.symbol not in values:
            values[m.symbol] = MeasureOf(m).values(statistic_of(m.statistic, **m.statistic_parameters))
    return {m.symbol: values[m.symbol] for m in measures}


def which_class(summary: Summary) -> str:
    """Why a measure of one class has no single value where no class was named."""
    if len(summary.source.classes) <= 2:
        return positive_missing(summary.source.classes)
    averages = f"{option('macro')}, {option('weighted')} or {option('micro')}"
    return f"it has one value for each class: use {option('per_class')}, or average it with {averages}"


def place_of(measure: Measure, summary: Summary) -> int | None:
    """The place of the class that a measure of one class is taken of: the positive one. Where none was named, and the
    value is the same for both of two, either; None: it depends on the choice."""
    source = summary.source
    if source.positive is not None or not measure.either_class or len(source.classes) != 2:
        return source.positive
    if summary.lacks(measure.statistic):
        return None
    each = MeasureOf(measure)
    with np.errstate(all="ignore"):
        first, second = each.values(each.statistic(summary)).tolist()
    if math.isclose(first, second, rel_tol=1e-9, abs_tol=TOLERANCE) or (math.isnan(first) and math.isnan(second)):
        return 1
    if measure.statistic.needs is Needs.DECISIONS or not source.probabilities:
        return None
    # the columns sum to one, so that they differ by rounding alone: next to 1 small probabilities become equal
    if source.cases is None or source.cases.scores is None:
        return 1
    told_apart = [len(np.unique(column)) for column in source.cases.scores[0].T]
    return int(told_apart[1] >= told_apart[0])


def measures_of(measures: Iterable[Measure], classes: Any, summary: Summary) -> list[MeasureOf]:
    """Each measure, by its symbol; those of one class of the positive one if `classes` is None, else of each class that
    is named ("all": of all), by `symbol[class]`."""
    names = summary.source.classes
    if isinstance(classes, str) and classes == "all" and classes not in names:
        places: list[int] | None = list(range(len(names)))
    elif classes is None:
        places = None
    else:
        labels = [classes] if isinstance(classes, str) or not isinstance(classes, Iterable) else list(classes)
        for name in labels:
            if name not in names:
                raise InputError(
                    f"{option('classes')} holds {name!r}, which is not among {quoted(names)}; name classes, or "
                    "pass 'all'."
                )
        places = [names.index(name) for name in labels]
    wanted: list[MeasureOf] = []
    for m in measures:
        if not m.classwise:
            wanted.append(MeasureOf(m, key=m.symbol))
        elif places is None:
            wanted.append(MeasureOf.on(m, summary))
        else:
            wanted += [MeasureOf(m, j, f"{m.symbol}[{names[j]}]") for j in places]
    return list({one.key: one for one in wanted}.values())
