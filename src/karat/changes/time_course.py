"""`karat.course`: a measure from period to period, limits from a reference, and whether and when it changed."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.changes.change_point import Step, case_influences, steps
from karat.changes.course_cases import CourseCases
from karat.changes.period_limits import ReferenceCases, drawn_limits
from karat.changes.periods import Periods, one_date
from karat.comparisons.difference import ASPECTS, ASPECTS_OF_POSITIVE
from karat.comparisons.measure_names import in_sentence
from karat.core.arithmetic import Array
from karat.core.comparison import TIMES, comparison
from karat.core.errors import InputError, option, quoted
from karat.core.keywords import understand
from karat.core.measure import Measure
from karat.core.plain_data import plain
from karat.core.record import Record, Verdict
from karat.core.table import Table
from karat.core.validation import checked_level, false_alarms, whole
from karat.core.words import listed, number, p_value, span
from karat.evaluation import Evaluation
from karat.groups import ByGroup
from karat.measures.choices import refuse_unchosen
from karat.measures.lookup import Named, by_name, measures_named
from karat.measures.value import NO_VALUE, MeasureOf, measures_of
from karat.resampling.draws import stream
from karat.statistics import Summary

if TYPE_CHECKING:
    from karat.diagrams.course_charts import CourseChart

PURPOSE = 1 << 32
"""Of random numbers."""
FIRST = 0.25
"""The first periods that are the reference, unless it is said."""
FEWEST_OF_REFERENCE = 30
"""Cases from which on limits are drawn."""
MOST_OF_REFERENCE = 100_000
"""Cases of the reference that are looked at one by one, of those that were added up."""
FEWEST_OF_PERIOD = 10
COLUMNS = ("value", "low", "high", "limit_low", "limit_high")


@dataclass(frozen=True, eq=False, repr=False)
class MeasureCourse(Record):
    """One measure over time: what `course["MCC"]` gives.

    Attributes
    ----------
    measure, title : str
    value, low, high : tuple of float
        Of each period, and its interval; nan where there is none.
    limit_low, limit_high : tuple of float
        Between which all later periods lie with the chance `level`, if nothing has changed since the reference.
    outside : tuple of str
        Periods beyond these limits.
    changed : str
        The first period after the largest change; empty if no change is significant.
    p : float
        Of "no change", corrected for all times and measures.
    before, after : float
        The measure before and since `changed` (or where the change is largest).
    reason : str
        Why something of this is missing.
    """

    measure: str
    title: str
    value: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    limit_low: tuple[float, ...]
    limit_high: tuple[float, ...]
    outside: tuple[str, ...]
    changed: str = ""
    p: float = math.nan
    before: float = math.nan
    after: float = math.nan
    reason: str = ""


@dataclass(frozen=True, eq=False, repr=False)
class TimeCourse(Verdict, Mapping[str, MeasureCourse]):
    """What `karat.course` and `e.over` return: a mapping from measures to `MeasureCourse`.

    Attributes
    ----------
    courses : dict
        {symbol: MeasureCourse}.
    every : str
        How long a period is.
    periods : tuple of str
        The first day (hour, month, ...) of each; a week begins on Monday.
    cases : tuple of int
        Of each period.
    reference : int
        How many of the first periods are the reference.
    level : float
        The chance that no change is claimed if there is none; and that no period is beyond its limits.
    """

    courses: dict[str, MeasureCourse]
    every: str
    periods: tuple[str, ...]
    cases: tuple[int, ...]
    reference: int
    level: float

    def __getitem__(self, key: str | Measure) -> MeasureCourse:
        return by_name(self.courses, key)

    def __iter__(self) -> Iterator[str]:
        return iter(self.courses)

    def __len__(self) -> int:
        return len(self.courses)

    @property
    def verdict(self) -> str:
        """What changed, and when, in sentences."""
        tested = [c for c in self.courses.values() if c.p == c.p]
        said = [self._change(c) for c in tested if c.changed]
        alike = [c for c in tested if not c.changed]
        if alike:
            least = min(c.p for c in alike)
            titles = listed([in_sentence(c.title) for c in alike])
            seen = p_value(least).replace("=", "≥") if len(alike) > 1 and least < 1 else p_value(least)
            said.append(f"No significant change of {titles} over {len(self.periods)} {self.every}s ({seen}).")
        return " ".join(said) or "No measure could be tested for a change."

    def _change(self, c: MeasureCourse) -> str:
        since = f"the week of {c.changed}" if self.every == "week" else c.changed
        way = "rose" if c.after > c.before else "fell"
        title = in_sentence(c.title)
        ends = f"{number(c.before)} to {number(c.after)}"
        return f"{title[:1].upper()}{title[1:]} {way} from {ends} in {since} ({p_value(c.p)})."

    def plot(self, measure: str | Measure | None = None, *, ax: Any = None, **look: Any) -> Any:
        """Draw the course of one measure: its values with intervals, the limits, and where it changed.

        Parameters
        ----------
        measure : str, optional
            By default the one whose change has the smallest p-value.
        ax : matplotlib axes, optional
            Where to draw it; by default a figure of its own.
        **look : of the drawing, such as `color`.

        Returns
        -------
        CourseChart
            The record that was drawn.
        """
        return self.chart(measure).plot(ax, **look)

    def chart(self, measure: str | Measure | None = None) -> CourseChart:
        """What `plot` draws."""
        from karat.diagrams.course_charts import CourseChart

        by_p = sorted(self.courses.values(), key=lambda c: c.p if c.p == c.p else math.inf)
        c = by_p[0] if measure is None else self[measure]
        numbers = (c.value, c.low, c.high, c.limit_low, c.limit_high)
        return CourseChart.of(self.periods, *numbers, changed=c.changed, axis=f"{c.title} by {self.every}")

    def to_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON."""
        return super().to_dict() | {"courses": {key: plain(c.to_dict()) for key, c in self.courses.items()}}

    def to_table(self) -> Table:
        """One row for each measure and period: period, cases, value, low, high, limit_low, limit_high, outside."""
        several = len(self.courses) > 1
        rows = [
            ({"measure": c.title} if several else {})
            | {"period": period, "cases": cases}
            | {name: getattr(c, name)[i] for name in COLUMNS}
            | {"outside": "outside" if period in c.outside else ""}
            for c in self.courses.values()
            for i, (period, cases) in enumerate(zip(self.periods, self.cases, strict=True))
        ]
        return Table(Table.of(rows).columns, self.verdict, self._notes(*self.courses.values()))

    def _notes(self, *courses: MeasureCourse) -> tuple[str, ...]:
        """From what the limits are, and why something is missing."""
        several = f"{self.reference} {self.every}s" if self.reference > 1 else self.every
        reasons = (f"{c.title}: {c.reason}." for c in courses if c.reason)
        return (f"Limits from the first {several}.", *reasons)

    def tables(self) -> list[Table]:
        """As people read them: a table for each measure, one row for each period."""
        return [self._displayed(c) for c in self.courses.values()]

    def _displayed(self, c: MeasureCourse) -> Table:
        columns: dict[str, list[Any]] = {
            self.every: list(self.periods), "cases": list(self.cases), "value": list(c.value),
            f"{100 * self.level:g} % interval": list(map(span, c.low, c.high)),
            "limits": list(map(span, c.limit_low, c.limit_high)),
            "": [", ".join(["outside"] * (x in c.outside) + ["changed"] * (x == c.changed)) for x in self.periods],
        }  # fmt: skip
        if not any(columns[""]):
            del columns[""]
        return Table(columns, c.title, self._notes(c))

    def __repr__(self) -> str:
        return "\n\n".join([self.verdict, *map(repr, self.tables())])


@comparison(of=TIMES, cite="worsley1979", name="change_point", aliases=("change point", "time_course"))
@understand
def course(
    e: Evaluation,
    dates: Any,
    *,
    every: str = "week",
    measures: Named | None = None,
    reference: Any = None,
    level: float = 0.95,
    replicates: int = 999,
    seed: int = 0,
) -> TimeCourse:
    """How does a measure run over time, and did it change: when?

    Two questions, each with its own rate of false alarms, 1 - `level`. Did it change at all? The largest step between
    two periods [worsley1979], over all times and measures, is held against the same cases in random order. Is a later
    period beyond what the reference lets expect? Limits hold all later periods of a measure together.

    Parameters
    ----------
    e : Evaluation
        Of predictions case by case, assumed to be independent of each other.
    dates : array-like of shape (n,), or str
        The date of each case: dates of Python, numpy, pandas or polars, or texts as 2026-03-09. Or the name of a column
        that was given with the predictions (`by`); of cases that were added up, no other is known.
    every : {"hour", "day", "week", "month", "quarter", "year"}, default "week"
        How long a period is. A week begins on Monday.
    measures : names of measures, optional
        By default MCC, ROC AUC and log loss, as far as they are available.
    reference : int or date, optional
        The first so many periods, or the periods before this date, are the reference; by default a quarter of all.
    level : float, default 0.95
    replicates : int, default 999
        Random orders.
    seed : int, default 0

    Returns
    -------
    TimeCourse

    Examples
    --------
    >>> import karat
    >>> import numpy as np
    >>> y = np.tile([0, 1], 300)
    >>> right = np.r_[np.tile([1, 1, 1, 1, 0], 60), np.tile([1, 1, 0], 100)]
    >>> dates = np.datetime64("2026-01-05") + np.arange(600) // 10
    >>> c = karat.course(karat.evaluate(y, y_pred=np.where(right, y, 1 - y)), dates, measures="accuracy")
    >>> c.verdict
    'Accuracy fell from 0.800 to 0.675 in the week of 2026-02-02 (p = 0.003).'
    """
    level, drawn = checked_level(level), whole("replicates", replicates, 19)
    cases = CourseCases.of(e, dates, every)
    periods = cases.periods
    wanted = _wanted(e, measures)
    first = _reference(reference, periods)
    courses = _Courses(cases, first, level, seed)
    found = courses.steps([m for m in wanted if not courses.unfit(m)], drawn)
    groups = cases.groups(level)
    made = {m.key: courses.of(m, groups, found.get(m.key)) for m in wanted}
    return TimeCourse(made, every, periods.labels, tuple(periods.cases.tolist()), first, level)


def _wanted(e: Evaluation, measures: Named | None) -> list[MeasureOf]:
    if measures is None:
        two = len(e.classes) == 2 and e.positive is not None
        spoken = [s for name, s in (ASPECTS_OF_POSITIVE if two else ASPECTS).items() if name != "calibration"]
        named = [m for m in measures_named(spoken) if not e.statistics.lacks(m.statistic)]
    else:
        named = measures_named(measures, e.statistics)
        for m in named:
            refuse_unchosen(m, e.statistics)
    return measures_of(named, None, e.statistics)


def _reference(reference: Any, periods: Periods) -> int:
    """How many of the first periods."""
    count = len(periods.starts)
    if reference is None:
        first = max(1, round(FIRST * count))
    elif isinstance(reference, int | np.integer) and not isinstance(reference, bool):
        first = whole("reference", reference)
    else:
        first = periods.before(one_date(reference))
    if not 0 < first < count:
        raise InputError(
            f"{option('reference')} is {quoted([reference])}, which leaves {first} of {count} {periods.every}s for the "
            "reference; leave at least one for it and one after it."
        )
    return first


@dataclass(frozen=True, eq=False)
class _Courses:
    """The cases, their periods, and how many of these are the reference."""

    cases: CourseCases
    first: int
    level: float
    seed: int

    @property
    def periods(self) -> Periods:
        return self.cases.periods

    def unfit(self, m: MeasureOf) -> str:
        """Why a measure can't be tested for a change."""
        e = self.cases.e
        if reason := m.why_not(e.statistics):
            return reason
        if m.kind.bends:
            return f"no test of a change of {m.measure.symbol} over time is known"
        if not math.isfinite(e.value_or_nan(m.measure)):
            return e.undefined_because(m.measure) or m.measure.undefined or NO_VALUE
        return self.cases.unfit(m)

    def steps(self, wanted: list[MeasureOf], draws: int) -> dict[str, Step]:
        """The largest step of each measure."""
        if not wanted:
            return {}
        values = {m.key: self.cases.e.value_or_nan(m.measure) for m in wanted}
        p, place, times = self.cases.units
        moves = {k: x for k, x in case_influences(p, wanted, values).items() if np.isfinite(x).all()}
        if not moves:
            return {}
        return steps(moves, place, len(self.periods.starts), draws, stream(self.seed, PURPOSE), times)

    def of(self, m: MeasureOf, groups: ByGroup, step: Step | None) -> MeasureCourse:
        """All that is known of one measure."""
        by_period = groups[m.measure]
        count = len(self.periods.starts)
        columns = np.full((3, count), math.nan)
        columns[:, self.cases.filled] = by_period.value, by_period.low, by_period.high
        value, low, high = (tuple(x) for x in columns.tolist())
        reason = self.unfit(m)
        lower, upper = self._limits(m) if not reason else (np.full(len(value), math.nan),) * 2
        labels = self.periods.labels
        outside = [x < a or x > b for x, a, b in zip(value, lower.tolist(), upper.tolist(), strict=True)]
        where = tuple(label for label, out in zip(labels, outside, strict=True) if out)
        row = (value, low, high, tuple(lower.tolist()), tuple(upper.tolist()), where)
        if step is None:
            reason = (
                reason
                or "there are too few cases before and after any change, or one case decides whether there is a value"
            )
            return MeasureCourse(m.key, m.measure.title, *row, reason=reason)
        changed = labels[step.place] if step.p <= false_alarms(self.level) else ""
        since = self.periods.place >= step.place
        before, after = (self.cases.value(m.measure, part) for part in (~since, since))
        limited = np.isfinite(lower).any() or np.isfinite(upper).any()
        return MeasureCourse(
            m.key, m.measure.title, *row, changed, step.p, before, after, "" if limited else self._unlimited()
        )

    def _unlimited(self) -> str:
        """Why no period has limits."""
        n = int(self.periods.cases[: self.first].sum())
        if n < FEWEST_OF_REFERENCE:
            return f"no limits, as the reference has {n} cases, and at least {FEWEST_OF_REFERENCE} are needed"
        return "no limits, as the measure does not vary in the reference, or no later period has enough cases"

    def _limits(self, m: MeasureOf) -> tuple[Array, Array]:
        """Of the periods after the reference that have enough cases; nan of the others."""
        count, cases = len(self.periods.starts), self.periods.cases
        lower, upper = np.full(count, math.nan), np.full(count, math.nan)
        later = np.flatnonzero((np.arange(count) >= self.first) & (cases >= FEWEST_OF_PERIOD))
        n = int(cases[: self.first].sum())
        if n < FEWEST_OF_REFERENCE or not len(later):
            return lower, upper
        value = self.cases.value(m.measure, self.periods.place < self.first)
        rng = stream(self.seed, PURPOSE + 1)
        units = self.cases.units
        sample = units.sample(units.place < self.first, MOST_OF_REFERENCE, rng)
        own = m.value(Summary(sample))
        if not math.isfinite(value) or not math.isfinite(own):
            return lower, upper
        moves = case_influences(sample, [m], {m.key: own})[m.key]
        if not np.isfinite(moves).all() or not moves.std() > 0:
            return lower, upper
        chance = 1 - self.level ** (1 / len(later))
        low, high = drawn_limits(sample, m, ReferenceCases(value, moves, n), cases[later], chance, rng)
        least, most = m.measure.range_for(len(self.cases.e.classes))
        lower[later], upper[later] = np.maximum(low, least), np.minimum(high, most)
        return lower, upper
