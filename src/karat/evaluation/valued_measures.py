"""The values of measures of one source, each statistic computed once, when it is asked for."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from functools import cache, lru_cache, partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from karat.core.errors import InputError
from karat.core.measure import Measure, Remark
from karat.core.other_names import OF_EVALUATION, instead
from karat.core.statistic import Statistic
from karat.core.table import Tabular
from karat.data import Source
from karat.measures.certified import bounds_of, of_cells, value_between
from karat.measures.choices import refuse_unchosen
from karat.measures.lookup import PAPERS, Named, find, headline, measures_named, papers
from karat.measures.value import NO_VALUE, MeasureOf
from karat.measures.written_formulas import WrittenFormulas, is_own, written
from karat.statistics import Pairs, Summary
from karat.statistics.summary import COLUMNS, ROWS, Kinds

if TYPE_CHECKING:
    pass


class Group(NamedTuple):
    """Measures that are formulas of one statistic."""

    kind: type[Statistic]
    parameters: dict[str, Any]
    first: MeasureOf
    """one of them: all take the same statistic"""
    measures: list[Measure]
    """those of all classes"""
    formulas: list[tuple[str, Callable[..., Any], str]]
    """their symbols and formulas, and why these may have no value"""
    classwise: list[Measure]

    def without(self, symbols: Iterable[str]) -> Group:
        """The others."""
        measures = [m for m in self.measures if m.symbol not in symbols]
        return self._replace(measures=measures, formulas=[f for f in self.formulas if f[0] not in symbols])


class Scan(NamedTuple):
    """Measures of the statistics that come out of one scan of the data."""

    together: Kinds
    groups: list[Group]
    formulas: WrittenFormulas
    """those that are written down"""
    undefined: dict[str, str]
    """their symbols, and why they may have no value"""
    others: list[Group]
    """the groups without them"""


class Plan(NamedTuple):
    """Measures, by what has to be done for them."""

    measures: tuple[Measure, ...]
    scans: list[Scan]
    groups: list[Group]


@lru_cache(maxsize=256)
def planned(measures: tuple[Measure, ...]) -> Plan:
    """How the values of these measures are had."""
    groups = _by_statistic(measures)
    scans = []
    for together in (ROWS, COLUMNS):
        own = [group for group in groups if group.kind in together and not group.parameters]
        if {group.kind for group in own} - {Pairs}:  # pairs alone cost less than what comes out with them
            scans.append(_scan(together, own))
            groups = [group for group in groups if group not in own]
    return Plan(measures, scans, groups)


@cache
def _plan_of_papers() -> Plan:
    """That of their measures, which costs less to remember than to look up."""
    return planned(papers())


def _scan(together: Kinds, groups: list[Group]) -> Scan:
    own = {m.symbol for group in groups for m in group.measures if is_own(m)}
    formulas = written(together, [(g.kind, symbol, f) for g in groups for symbol, f, _ in g.formulas if symbol in own])
    others = [group.without(formulas.symbols) for group in groups]
    undefined = {symbol: why for group in groups for symbol, _, why in group.formulas}
    return Scan(together, groups, formulas, undefined, [g for g in others if g.measures or g.classwise])


def _by_statistic(measures: tuple[Measure, ...]) -> list[Group]:
    """The measures grouped by the statistic they are formulas of."""
    groups: dict[Any, Group] = {}
    for m in measures:
        parameters = m.statistic_parameters
        key = (m.statistic, *sorted(parameters.items()))
        group = groups.setdefault(key, Group(m.statistic, parameters, MeasureOf(m), [], [], []))
        if m.classwise:
            group.classwise.append(m)
        else:
            formula = partial(m.value_of, **m.formula_parameters) if m.formula_parameters else m.value_of
            group.measures.append(m)
            group.formulas.append((m.symbol, formula, m.undefined or NO_VALUE))
    return list(groups.values())


NOT_YET = dict.fromkeys(PAPERS, math.nan)
"""The measures of the papers in their order, which a dict keeps as they are computed."""


class ValuedMeasures(Tabular):
    """The values of measures, by symbol, title or alias, in any case; of those that have none, why."""

    def __init__(self, source: Source) -> None:
        self.statistics = Summary(source)
        self._values: dict[str, float] = {}
        self._reasons: dict[str, str] = {}

    def __getitem__(self, key: str | Measure) -> float:
        """The value of a measure, by symbol, name or alias, in any case.

        nan where its formula has no value (`why` has the reason). A measure that depends on which class is positive is
        an `InputError` where none was named; the message says what each choice would give.
        """
        value = self.value_or_nan(key)
        if value != value:
            refuse_unchosen(find(key), self.statistics)
        return value

    def get(self, key: str | Measure, default: Any = None) -> Any:
        """The value of a measure; `default` where there is no such measure, or where it depends on which class is
        positive and none was named.

        Examples
        --------
        >>> import karat
        >>> m = karat.evaluate_matrix([[50, 3], [8, 20]])
        >>> m.get("accuracy"), m.get("no such measure", "unknown")
        (0.8641975308641975, 'unknown')
        """
        try:
            return self[key]
        except InputError:
            return default

    def value_or_nan(self, key: str | Measure) -> float:
        """The value of a measure; nan also where it needs a choice that was not made: for tables of many measures.

        Examples
        --------
        >>> import karat
        >>> m = karat.evaluate_matrix([[50, 3], [8, 20]])
        >>> m.value_or_nan("roc_auc")  # a confusion matrix has no scores
        nan
        """
        value = self._values.get(key) if isinstance(key, str) else None
        if value is None:
            measure = find(key)
            self._fill(planned((measure,)))
            value = self._values[measure.symbol]
        return value

    def _no_attribute(self, name: str) -> AttributeError:
        return instead("an Evaluation", name, OF_EVALUATION, dir(type(self)), self._asked, "karat.Evaluation")

    def _asked(self, name: str) -> str:
        """How to ask for a measure or a diagram by this name; empty if it is neither."""
        if name in self:
            return f"e[{name!r}]"
        from karat.diagrams import diagrams

        drawn = name.removeprefix("plot_").removeprefix("draw_")
        return f"e.plot({diagrams[drawn].name!r})" if drawn in diagrams else ""

    def __contains__(self, key: object) -> bool:
        """Is it a measure, by symbol, name or alias?"""
        try:
            return find(key) is not None  # type: ignore[arg-type]
        except InputError:
            return False

    def __iter__(self) -> Iterator[str]:
        return iter(self.keys())

    def keys(self) -> list[str]:
        """Symbols of the measures that it shows, so that `dict(e)` works.

        Examples
        --------
        >>> import karat
        >>> m = karat.evaluate_matrix([[50, 3], [8, 20]])
        >>> m.keys()
        ['Acc', 'MAvA', 'Precision', 'Recall', 'F1', 'MCC', 'EMA', 'NIT']
        """
        return [m.symbol for m in headline(self.statistics)]

    def items(self) -> list[tuple[str, float]]:
        """Symbols and values of the measures that it shows.

        Examples
        --------
        >>> import karat
        >>> m = karat.evaluate_matrix([[50, 3], [8, 20]])
        >>> [(symbol, round(value, 3)) for symbol, value in m.items()][:2]
        [('Acc', 0.864), ('MAvA', 0.829)]
        """
        return list(self.values().items())

    def __len__(self) -> int:
        return len(self.keys())

    def why(self, key: str | Measure) -> str:
        """Why a measure is undefined here, or what should be known about its value, such as that it is one by
        convention; empty if there is nothing to say.

        Examples
        --------
        >>> import karat
        >>> karat.evaluate_matrix([[5, 0], [0, 0]]).why("MCC")
        'by convention 0 where all cases or all predictions are in one class, its formula being 0/0'
        """
        return self.undefined_because(key) or "; ".join(map(str, self._remarks(find(key))))

    def bounds(self, key: str | Measure) -> tuple[float, float]:
        """(low, high) that certainly hold the exact value of a measure.

        They are equal where it is exact: always, but for measures of the order of the scores (ROC AUC, average
        precision, ...) of cases that were added up without keeping them. nan where nothing is known.

        Examples
        --------
        >>> import karat
        >>> karat.evaluate([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]).bounds("roc_auc")
        (0.75, 0.75)
        """
        measure = find(key)
        value = self[measure]
        return bounds_of(measure, self.statistics) if of_cells(measure, self.statistics) else (value, value)

    def undefined_because(self, key: str | Measure) -> str:
        """Why a measure has no value here; empty if it has one.

        Examples
        --------
        >>> import karat
        >>> m = karat.evaluate_matrix([[50, 3], [8, 20]])
        >>> m.undefined_because("roc_auc")
        'it needs scores, and only a confusion matrix was given'
        """
        self.value_or_nan(key)
        return self._reasons.get(find(key).symbol, "")

    def conventions(self, measures: Named | None = None) -> dict[str, str]:
        """Symbol to sentence, of the measures that have a value here by convention, their formulas having none.

        Examples
        --------
        >>> import karat
        >>> karat.evaluate_matrix([[5, 0], [2, 0]]).conventions("precision")
        {'Precision': 'by convention 0 where the class was never predicted, its formula being 0/0'}
        """
        return self._remarked(measures_named(measures, self.statistics))[0]

    def notes(self, measures: Named | None = None) -> dict[str, str]:
        """Symbol to sentence, of the measures whose values tell less than it seems.

        Examples
        --------
        >>> import karat
        >>> list(karat.evaluate([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]).notes(["CalL", "MSE"]))
        ['CalL']
        """
        return self._remarked(measures_named(measures, self.statistics))[1]

    def _remarked(self, measures: Iterable[Measure]) -> tuple[dict[str, str], dict[str, str]]:
        """What was said of conventions, and what else; by symbol."""
        said: tuple[dict[str, str], dict[str, str]] = ({}, {})
        for m in measures:
            for r in self._remarks(m) if m.remarks else ():
                before = said[not r.convention].get(m.symbol)
                said[not r.convention][m.symbol] = str(r) if before is None else f"{before}; {r}"
        return said

    def _remarks(self, measure: Measure) -> list[Remark]:
        value = self._values.get(measure.symbol)
        if not measure.remarks or math.isnan(self.value_or_nan(measure) if value is None else value):
            return []
        with np.errstate(all="ignore"):
            return MeasureOf.on(measure, self.statistics).remarks(self.statistics)

    def values(self, measures: Named | None = None) -> dict[str, float]:
        """Symbol to value: of what it shows, of the measures named, of the 27 of the papers ("papers") or of all
        ("all").

        Examples
        --------
        >>> import karat
        >>> m = karat.evaluate_matrix([[50, 3], [8, 20]])
        >>> {symbol: round(value, 3) for symbol, value in m.values(["accuracy", "mcc"]).items()}
        {'Acc': 0.864, 'MCC': 0.694}
        >>> len(m.values("papers"))
        27
        """
        if measures == "papers":
            return self._of_papers()
        named = tuple(measures_named(measures, self.statistics))
        values = self._listed(named)
        for m in named if measures != "all" else ():
            if values[m.symbol] != values[m.symbol]:
                refuse_unchosen(m, self.statistics)
        return values

    def _listed(self, named: tuple[Measure, ...]) -> dict[str, float]:
        """Symbol to value; nan also where a choice was not made."""
        self._fill(planned(named))
        return {m.symbol: self._values[m.symbol] for m in named}

    @property
    def undefined(self) -> dict[str, str]:
        """Symbol to reason, of every headline measure, and every other asked for so far, that has no value here.

        Examples
        --------
        >>> import karat
        >>> m = karat.evaluate_matrix([[50, 3], [8, 20]])
        >>> m.undefined["LogL"]
        'it needs probabilities, and only a confusion matrix was given'
        """
        self._listed(self._kept())
        return dict(self._reasons)

    def _kept(self) -> tuple[Measure, ...]:
        """What it shows, and the measures of the papers."""
        return tuple(dict.fromkeys((*headline(self.statistics), *papers())))

    def _fill(self, plan: Plan) -> None:
        """Compute these measures: what is written down of one evaluation at once, the rest a statistic at a time."""
        summary, values, reasons, groups = self.statistics, self._values, self._reasons, plan.groups
        for m in plan.measures if reasons else ():  # another measure may have had the symbol
            reasons.pop(m.symbol, None)
        for together, own, formulas, undefined, others in plan.scans:
            facts = summary.facts(together)
            if facts is None:
                groups = groups + own
                continue
            if not formulas.put_values(facts, values):
                reasons.update((s, undefined[s]) for s in formulas.symbols if values[s] != values[s])
            groups = groups + others
        if groups:
            self._fill_groups(groups)

    def _fill_groups(self, groups: list[Group]) -> None:
        # formulas of all classes are called as they are: the steps of `MeasureOf` would take as long as they do
        summary, values, reasons = self.statistics, self._values, self._reasons
        summary.asked = {group.kind for group in groups}
        if summary.source.added is not None:
            groups = [self._without_cells(group) for group in groups]
        for kind, parameters, first, measures, formulas, classwise in groups:
            statistic = None if parameters else summary.computed.get(kind)
            if statistic is None:
                if lacking := summary.lacks(kind):
                    for m in (*measures, *classwise):
                        values[m.symbol], reasons[m.symbol] = math.nan, lacking
                    continue
                if measures:
                    each = parameters or kind.per_class == "each"
                    statistic = first.statistic(summary) if each else summary.get(kind)
            for symbol, formula, undefined in formulas:
                value = formula(statistic)
                values[symbol] = value = value if type(value) is float else float(value)
                if value != value:
                    reasons[symbol] = undefined
            for m in classwise:
                one = MeasureOf.on(m, summary)
                reason = one.why_not(summary)
                values[m.symbol] = value = math.nan if reason else one.value(summary)
                if value != value:
                    reasons[m.symbol] = reason or m.undefined or NO_VALUE

    def _without_cells(self, group: Group) -> Group:
        """The measures whose values are exact; those of the others are taken from their bounds."""
        cells = [m for m in (*group.measures, *group.classwise) if of_cells(m, self.statistics)]
        for m in cells:
            low, high = bounds_of(m, self.statistics)
            self._values[m.symbol], reason = value_between(low, high)
            if reason:
                self._reasons[m.symbol] = reason
        if not cells:
            return group
        kept = group.without([m.symbol for m in cells])
        return kept._replace(classwise=[m for m in kept.classwise if m not in cells])

    def _of_papers(self) -> dict[str, float]:
        """Symbol to value; nan also where a choice was not made."""
        if self._values:
            self._fill(_plan_of_papers())
            return {symbol: self._values[symbol] for symbol in PAPERS}
        self._values = NOT_YET.copy()
        try:
            self._fill(_plan_of_papers())
        except BaseException:
            self._values = {}
            raise
        return self._values.copy()
