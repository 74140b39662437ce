"""Measures by group: what `e.by(site)` returns."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from karat.core.arithmetic import Array
from karat.core.errors import InputError, UnknownNameError, option, quoted
from karat.core.keywords import understand
from karat.core.measure import Measure
from karat.core.plain_data import plain
from karat.core.table import Table, Tabular
from karat.core.validation import checked_level, one_of, whole
from karat.core.words import counted
from karat.data import Predictions, Source
from karat.groups.gap import KINDS, Gap
from karat.groups.gap_intervals import Values, shrunken, standard_errors
from karat.groups.group_columns import GroupColumn
from karat.groups.group_gaps import GapOptions, gap_between, gaps_table
from karat.groups.group_values import slices_of, values_by_group, values_of_rest
from karat.groups.measure_by_group import MeasureByGroup
from karat.groups.reassignments import WITHIN, Labelling
from karat.intervals.interval import Interval, intervals
from karat.measures.certified import certain_value
from karat.measures.choices import refuse_unchosen
from karat.measures.lookup import Named, find, headline, measures_named
from karat.measures.value import NO_VALUE, MeasureOf
from karat.statistics import Summary

SMALLEST = 10
"""Cases below which a group is not compared with others."""
SHOWN = ("Acc", "Recall", "Precision", "MCC", "AUC", "LogLoss")
SHOWN_OF_CLASSES = ("Acc", "MAvA", "MCC", "AUNU", "LogLoss")
"""Measures of the short table."""
MOST_SHOWN = 30
"""Groups of the short table: the largest."""
MOST_CURVES = 8
"""Groups whose curves are drawn on one axes, unless others are named."""
ERROR_LEVEL = 0.95
"""Of the intervals from which standard errors are taken."""


class ByGroup(Tabular):
    """Every measure by group: what `e.by(site)` returns.

    `g["recall"]` is a table of one measure: cases, value, interval, difference to the rest. `g.gap("recall")` says how
    far the groups are apart, with an interval and a p-value that hold where there is no gap.

    Attributes
    ----------
    name : str
        The column of groups.
    groups : tuple of str
    cases : tuple of int
    note : str
        How numbers were cut into groups, and how many cases were left out.

    Examples
    --------
    >>> import karat
    >>> e = karat.evaluate([0, 1] * 60, y_pred=[0, 1] * 50 + [1, 1] * 10)
    >>> g = e.by(["north"] * 60 + ["south"] * 60)
    >>> g["accuracy"]["south"]
    0.833 [0.723, 0.912]
    >>> round(g.gap("accuracy").value, 3), g.gap("accuracy").p < 0.01
    (0.167, True)
    """

    def __init__(self, summary: Summary, column: GroupColumn, level: float = 0.95) -> None:
        self.column = column
        self.level = checked_level(level)
        self._choose(summary)
        self._intervals: dict[Any, Interval] = {}
        self._tables: dict[str, MeasureByGroup] = {}

    def _choose(self, summary: Summary) -> None:
        """The cases that are in a group."""
        cases = summary.source.cases
        assert cases is not None
        kept = np.flatnonzero(self.column.codes >= 0)
        self.p: Predictions = cases if len(kept) == cases.n else cases.take(kept)
        self.codes: Array = self.column.codes[kept]
        self.whole = summary if len(kept) == cases.n else Summary(self.p)
        self.source: Source = self.p

    @property
    def name(self) -> str:
        """The column of groups."""
        return self.column.name

    @property
    def groups(self) -> tuple[str, ...]:
        """The groups, in their order."""
        return self.column.labels

    @property
    def note(self) -> str:
        """How numbers were cut, and how many cases were left out."""
        return self.column.note

    @cached_property
    def parts(self) -> list[Summary]:
        """The statistics of each group."""
        return [Summary(p) for p in slices_of(self.p, self.codes, len(self.groups))]

    @cached_property
    def class_cases(self) -> Array:
        """[groups, k]: number of cases of each class."""
        k = len(self.p.classes)
        cell = self.codes.astype(np.int64) * k + self.p.truth[0]
        return np.bincount(cell, minlength=len(self.groups) * k).reshape(-1, k)

    def together(self, groups: Sequence[int]) -> Summary:
        """The statistics of the cases of these groups."""
        inside = np.isin(self.codes, groups)
        return Summary(self.p if inside.all() else self.p.take(np.flatnonzero(inside)))

    def rest(self, wanted: list[MeasureOf], groups: Sequence[int]) -> dict[str, Array]:
        """key: [groups]; the measures of these groups without one of them."""
        inside, codes = self._among(groups)
        p = self.p if inside is None else self.p.take(inside)
        return values_of_rest(wanted, p, codes, len(groups))

    def labelling(self, groups: Sequence[int], within: str, factor: Array | None) -> Labelling | None:
        """How the labels of these groups may be permuted; None if that can't be told."""
        inside, codes = self._among(groups)
        p = self.p if inside is None else self.p.take(inside)
        return Labelling(p, codes, len(groups), within, factor)

    def _among(self, groups: Sequence[int]) -> tuple[Array | None, Array]:
        """The cases of these groups (None: all), and the place of each one's group among them."""
        place = np.full(len(self.groups), -1, np.int32)
        place[list(groups)] = np.arange(len(groups))
        codes = place[self.codes]
        inside = codes >= 0
        return (None, codes) if inside.all() else (np.flatnonzero(inside), codes[inside])

    @property
    def cases(self) -> tuple[int, ...]:
        """Number of cases of each group."""
        return tuple(self.class_cases.sum(axis=1).tolist())

    def values(self, measures: Named | None = None) -> dict[str, list[float]]:
        """Symbol to the value in each group: of what an evaluation shows, or of the measures named."""
        named = measures_named(measures, self.whole)
        for m in named if measures != "all" else ():
            refuse_unchosen(m, self.whole)
        known = [self._of(m) for m in named if not self._why_not(m)]
        found = values_by_group(known, self.parts) if known else {}
        undefined = np.full(len(self.groups), math.nan)
        return {m.symbol: found.get(m.symbol, undefined).tolist() for m in named}

    def _of(self, measure: Measure) -> MeasureOf:
        return MeasureOf.on(measure, self.whole)

    def _why_not(self, measure: Measure) -> str:
        return self._of(measure).why_not(self.whole)

    def __getitem__(self, key: str | Measure) -> MeasureByGroup:
        """The table of one measure, by symbol, name or alias, in any case."""
        measure = find(key)
        refuse_unchosen(measure, self.whole)
        if measure.symbol not in self._tables:
            self._tables[measure.symbol] = self._table(measure)
        return self._tables[measure.symbol]

    def __iter__(self) -> Iterator[str]:
        return (m.symbol for m in headline(self.whole))

    def __len__(self) -> int:
        return len(headline(self.whole))

    def __contains__(self, key: object) -> bool:
        try:
            return find(key) is not None  # type: ignore[arg-type]
        except InputError:
            return False

    def _table(self, measure: Measure) -> MeasureByGroup:
        count = len(self.groups)
        nothing = np.full(count, math.nan)
        reason = self._why_not(measure)
        m = self._of(measure)
        value = nothing if reason else values_by_group([m], self.parts)[m.key]
        rest = nothing if reason else self.rest([m], range(count))[m.key]

        def none(place: int, level: float) -> Interval:
            why = reason or certain_value(m, self.parts[place])[1] or measure.undefined or NO_VALUE
            return Interval(math.nan, math.nan, math.nan, level, "", why)

        def ends(level: float) -> list[Interval]:
            return [none(i, level) if v != v else self.interval_of(m, i, level) for i, v in enumerate(value.tolist())]

        own = ends(self.level)
        low, high = (np.array([getattr(one, end) for one in own]) for end in ("low", "high"))
        usual = Values(value, *(np.array([getattr(one, end) for one in ends(ERROR_LEVEL)]) for end in ("low", "high")))
        moved = shrunken(value, standard_errors(usual, ERROR_LEVEL))
        said = ["" if v != v else self.remarks_on(m, i) for i, v in enumerate(value.tolist())]
        reasons = ["; ".join(filter(None, both)) for both in zip((one.reason for one in own), said, strict=True)]
        present = (self.class_cases > 0).sum(axis=1)
        return MeasureByGroup(
            measure.symbol, measure.title, self.name, self.groups, self.cases, tuple(present.tolist()),
            tuple(value.tolist()), tuple(low.tolist()), tuple(high.tolist()), tuple((value - rest).tolist()),
            tuple(moved.tolist()), tuple(reasons), self.level, self.note,
            math.nan if reason else certain_value(m, self.whole)[0],
        )  # fmt: skip

    def remarks_on(self, m: MeasureOf, place: int) -> str:
        """What should be known of the value of a group, such as that it is one by convention."""
        with np.errstate(all="ignore"):
            return "; ".join(map(str, m.remarks(self.parts[place])))

    def interval_of(self, m: MeasureOf, place: int, level: float) -> Interval:
        """What `evaluate` of the group gives."""
        key = (m.key, place, round(level, 12))
        if key not in self._intervals:
            self._intervals[key] = intervals(self.parts[place], [m.measure], level=level)[m.measure]
        return self._intervals[key]

    # ------------------------------------------------------------------------------------------------- gaps

    @understand
    def gap(
        self,
        name: str | Measure,
        kind: str = "difference",
        *,
        prevalence: str = "own",
        within: str | None = None,
        level: float = 0.95,
        replicates: int = 1999,
        seed: int = 0,
        smallest: int = SMALLEST,
    ) -> Gap:
        """How far a measure is apart between the groups, with an interval and a p-value that hold without a gap.

        Parameters
        ----------
        name : str or Measure
            A measure, or "demographic parity", "equal opportunity", "equalised odds", "predictive parity" or
            "calibration within groups".
        kind : {"difference", "ratio", "worst", "spread"}, default "difference"
            The largest difference, the smallest ratio, the worst group against all other cases, or the standard
            deviation between groups.
        prevalence : {"own", "common"}, default "own"
            "common": every group is given the class frequencies of all cases, so that a gap is not merely that a class
            is rarer in one group.
        within : {"classes", "all"}, optional
            Group labels are permuted within the true classes, or among all cases. By default within classes if the
            measure does not depend on class frequencies, and at a common prevalence.
        level : float, default 0.95
            Confidence.
        replicates, seed : int
            Of the permutations.
        smallest : int, default 10
            Groups with fewer cases are not compared; the result names them.

        Returns
        -------
        Gap
            `.value`, `.low`, `.high`, `.p`; `.p_by_group` says which group it is.
        """
        one_of("kind", kind, KINDS)
        one_of("prevalence", prevalence, ("own", "common"))
        if within is not None:
            one_of("within", within, WITHIN)
        options = GapOptions(
            kind, prevalence, within, checked_level(level), whole("replicates", replicates),
            whole("seed", seed, least=0), whole("smallest", smallest),
        )  # fmt: skip
        return gap_between(self, name, options)

    def gaps(self, measures: Iterable[str | Measure] | None = None, **options: Any) -> Table:
        """The gap of each measure, its p-values corrected over the measures by Holm's method.

        Parameters
        ----------
        measures : names of measures or gaps, optional
            By default those that an evaluation shows.
        **options : of `gap`.
        """
        named = list(self) if measures is None else list([measures] if isinstance(measures, str) else measures)
        found = [self.gap(name, **options) for name in named]
        return gaps_table({self.name: found})

    def plot(self, name: str | Measure, *, groups: Iterable[str] | None = None, ax: Any = None, **options: Any) -> Any:
        """Draw a measure by group, or a diagram of every group on one axes.

        Parameters
        ----------
        name : str
            A measure: a dot and an interval for each group. Or a diagram, such as "roc_curve" or "reliability": a
            curve for each group.
        groups : names of groups, optional
            Those whose curves are drawn; by default the largest 8.
        ax : matplotlib axes, optional
            Where to draw it; by default a figure of its own.
        **options : of the diagram, such as `bins`; how it looks.
        """
        from karat.diagrams import diagrams, plot_of

        if name in self and not (isinstance(name, str) and name in diagrams):
            return self[name].plot(ax, **options)
        chosen = list(groups) if groups is not None else self.largest(MOST_CURVES)
        if unknown := [group for group in chosen if group not in self.groups]:
            raise UnknownNameError(f"{self.name} has no group {quoted(unknown)}; its groups are {quoted(self.groups)}.")
        parts = {group: self.parts[self.groups.index(group)] for group in chosen}
        return plot_of(parts, str(name), ax=ax, **options)

    def largest(self, most: int) -> list[str]:
        """The groups with the most cases, in their order."""
        order = sorted(range(len(self.groups)), key=lambda g: -self.cases[g])[:most]
        return [self.groups[g] for g in sorted(order)]

    # ------------------------------------------------------------------------------------------------- as a table

    def shown_measures(self) -> list[Measure]:
        """Those that are looked at first."""
        two = len(self.source.classes) == 2 and self.source.positive is not None
        named = map(find, SHOWN if two else SHOWN_OF_CLASSES)
        return [m for m in named if not self.whole.lacks(m.statistic)]

    def to_table(self, measures: Named | None = None) -> Table:
        """One row for each group: number of cases, and the value of each measure."""
        values = self.values(measures)
        return Table({self.name: list(self.groups), "cases": list(self.cases), **values}, f"by {self.name}")

    def displayed(self) -> Table:
        """The largest groups, and the measures that are looked at first."""
        shown = self.shown_measures()
        order = [self.groups.index(group) for group in self.largest(MOST_SHOWN)]
        values = self.values(shown)
        columns: dict[str, list[Any]] = {m.title: [values[m.symbol][g] for g in order] for m in shown}
        more = len(self.groups) - len(order)
        notes = [f"The largest {MOST_SHOWN} of {len(self.groups):,} groups; to_frame() has all."] if more else []
        notes += [f"{self.note}."] if self.note else []
        notes += ["g['recall'] has intervals, g.gap('recall') the gap and its p-value."]
        rows: dict[str, list[Any]] = {self.name: [self.groups[g] for g in order]}
        rows["cases"] = [self.cases[g] for g in order]
        return Table(rows | columns, f"{counted(len(self.groups), 'group')} by {self.name}", tuple(notes))

    def to_dict(self, measures: Named | None = None) -> dict[str, Any]:
        """Plain data, ready for JSON; undefined or infinite is None."""
        values = self.values(measures)
        return {
            "by": self.name,
            "groups": list(self.groups),
            "cases": list(self.cases),
            "classes": (self.class_cases > 0).sum(axis=1).tolist(),
            "note": self.note,
            "measures": {symbol: [plain(v) for v in of_groups] for symbol, of_groups in values.items()},
        }

    def __repr__(self) -> str:
        return repr(self.displayed())


class ByColumn(Mapping[str, ByGroup]):
    """Groups by several columns: what `e.by({"site": site, "age": age})` returns; `by["site"]` is those of one."""

    def __init__(self, columns: Mapping[str, ByGroup]) -> None:
        self.columns = dict(columns)

    def __getitem__(self, name: str) -> ByGroup:
        if name not in self.columns:
            raise UnknownNameError(f"{option('by')} has no column {name!r}; there are {quoted(self.columns)}.")
        return self.columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)

    def gaps(self, measures: Iterable[str | Measure] | None = None, **options: Any) -> Table:
        """The gaps of all columns; p-values corrected over columns and measures by Holm's method."""
        found = {}
        for name, g in self.columns.items():
            named = list(g) if measures is None else list([measures] if isinstance(measures, str) else measures)
            found[name] = [g.gap(one, **options) for one in named]
        return gaps_table(found)

    def to_dict(self, measures: Named | None = None) -> dict[str, Any]:
        """Plain data, ready for JSON."""
        return {name: g.to_dict(measures) for name, g in self.columns.items()}

    def __repr__(self) -> str:
        return "\n\n".join(map(repr, self.columns.values()))

    def _repr_html_(self) -> str:
        return "".join(g._repr_html_() for g in self.columns.values())
