"""`karat.evaluate`: labels and probabilities in, every measure out, each statistic computed once."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache, partial
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from karat.core.errors import InputError, option
from karat.core.measure import Measure, Remark
from karat.core.statistic import Needs, Statistic
from karat.core.table import Table
from karat.core.words import direction
from karat.data import Matrix, Predictions, Source
from karat.data.row_labels import refuse_other_labels
from karat.measures.arguments import predictions_for
from karat.measures.choices import refuse_unchosen
from karat.measures.display import as_html, as_text, crossed
from karat.measures.lookup import PAPERS, Named, find, headline, measures_named, papers
from karat.measures.value import NO_VALUE, MeasureOf
from karat.statistics import Counts, Pairs, Summary
from karat.statistics.summary import summaries_of

if TYPE_CHECKING:
    from karat.core.finding import Findings
    from karat.decisions.operating import Operating
    from karat.diagrams.diagram import CatalogueDiagram
    from karat.intervals.interval import Intervals

PER_CLASS = ("TPR", "PPV", "F1", "CEN_j", "AUC")
CLASSES_NAMED = 8
"""So many classes are named where an evaluation says what it is about."""


def evaluate(
    y_true: Any,
    y_proba: Any = None,
    y_pred: Any = None,
    *,
    labels: Any = None,
    sample_weight: Any = None,
    positive: Any = None,
    y_score: Any = None,
    normalise: bool = False,
    columns: Any = None,
    reject: Any = None,
    ids: Any = None,
    align: str = "row",
) -> Evaluation:
    """What these predictions are worth.

    Parameters
    ----------
    y_true : the true labels (str, int or bool): array, list, pandas, polars or Arrow column.
    y_proba : probabilities (n, classes), columns in the order of `labels`, which is that of the sorted labels unless
        said; or a table with columns named like the classes (or `p_<class>`); or (n,) for the positive of two classes.
    y_pred : the decisions; without them a case is decided for its most probable class, the first of equals.
    labels : all classes, in the order of the columns; needed where a class has no case.
    sample_weight : a weight of at least 0 for each case; a whole weight is the same as repeating the case, for all
        measures but CalB, which counts cases and is undefined with weights.
    positive : the positive class of two-class measures; of 0 and 1 it is 1.
    y_score : real scores instead of probabilities; measures that need probabilities are undefined for them. With one
        column for each class a case is decided for its highest score; with one column there are no decisions.
    normalise : divide each row of probabilities by its sum (otherwise a row must sum to 1 within 1e-6).
    columns : {class: column} for a table whose columns have other names.
    reject : the label in `y_pred` that stands for "no decision".
    ids : whose case each is: a str or int for each case, none of them twice. `karat.compare` joins models by them.
    align : "row": rows belong together as they stand, and pandas columns with different indexes are an error; "index":
        everything is put in the order of `y_true` by its pandas index.

    >>> e = evaluate([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> e["Acc"], e["AUC"]
    (0.75, 0.75)
    """
    return Evaluation(
        Predictions.of(
            y_true,
            y_proba,
            y_pred,
            y_score=y_score,
            labels=labels,
            positive=positive,
            sample_weight=sample_weight,
            normalise=normalise,
            columns=columns,
            reject=reject,
            ids=ids,
            align=align,
        )
    )


def evaluate_matrix(matrix: Any, labels: Any = None, *, positive: Any = None) -> Evaluation:
    """What a bare confusion matrix tells. Rows are the truth; more columns than rows mean a reject option.

    >>> round(evaluate_matrix([[3, 1, 1], [1, 2, 0], [0, 0, 2]])["MCC"], 6)
    0.547142
    """
    return Evaluation(Matrix.of(matrix, labels, positive))


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


@lru_cache(maxsize=256)
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
            formula = partial(m.function, **m.formula_parameters) if m.formula_parameters else m.function
            group.measures.append(m)
            group.formulas.append((m.symbol, formula, m.undefined or NO_VALUE))
    return list(groups.values())


_of_papers = itemgetter(*PAPERS)


class Evaluation:
    """What the predictions of one model are worth: `e["MCC"]`, `e.to_dict()`, `e.per_class()`, ..."""

    def __init__(self, source: Source) -> None:
        self.statistics = Summary(source)
        self._values: dict[str, float] = {}
        self._reasons: dict[str, str] = {}

    @property
    def n(self) -> int | float:
        """Number of cases."""
        return self.statistics.source.n

    @property
    def classes(self) -> tuple[Any, ...]:
        """The classes, in their order."""
        return self.statistics.source.classes

    @property
    def positive(self) -> Any:
        """The positive class, or None if none was said."""
        place = self.statistics.source.positive
        return None if place is None else self.classes[place]

    @property
    def ids(self) -> Any:
        """[n]: the id of each case; None if none were given."""
        cases = self.statistics.source.cases
        return None if cases is None else cases.ids

    def refuse_other_cases(self, **columns: Any) -> None:
        """Columns that are given later, by name, must not have another pandas index than `y_true`."""
        cases = self.statistics.source.cases
        for name, column in columns.items():
            refuse_other_labels(None if cases is None else cases.row_labels, column, name)

    @property
    def rejected(self) -> int | float:
        """Number of cases for which no class was decided."""
        return self.statistics.source.rejected

    def __getitem__(self, key: str | Measure) -> float:
        """The value of a measure; nan where its formula has none (`why` says why). One that depends on which class is
        positive is an error where none was named: it says what each choice would give."""
        value = self.value_or_nan(key)
        if value != value:
            refuse_unchosen(find(key), self.statistics)
        return value

    def get(self, key: str | Measure, default: Any = None) -> Any:
        """The value of a measure; `default` where there is no such measure, or where it needs a choice that was not
        made."""
        try:
            return self[key]
        except InputError:
            return default

    def value_or_nan(self, key: str | Measure) -> float:
        """The value of a measure; nan also where it needs a choice that was not made: for tables of many measures."""
        value = self._values.get(key) if isinstance(key, str) else None
        if value is None:
            measure = find(key)
            self._fill(_by_statistic((measure,)))
            value = self._values[measure.symbol]
        return value

    def __contains__(self, key: object) -> bool:
        """Is it a measure, by symbol, name or alias?"""
        try:
            return find(key) is not None  # type: ignore[arg-type]
        except InputError:
            return False

    def __iter__(self) -> Iterator[str]:
        return iter(self.keys())

    def keys(self) -> list[str]:
        """Symbols of the measures that it shows."""
        return [m.symbol for m in headline(self.statistics)]

    def items(self) -> list[tuple[str, float]]:
        """Symbols and values of the measures that it shows."""
        return list(self.values().items())

    def __len__(self) -> int:
        return len(self.keys())

    def why(self, key: str | Measure) -> str:
        """Why a measure is undefined here, or what should be known of its value, such as that it is one by convention;
        empty if there is nothing to say.

        >>> evaluate_matrix([[5, 0], [0, 0]]).why("MCC")
        'by convention 0 where all cases or all predictions are of one class, its formula being 0/0'
        """
        return self.undefined_because(key) or "; ".join(map(str, self._remarks(find(key))))

    def undefined_because(self, key: str | Measure) -> str:
        """Why a measure has no value here; empty if it has one."""
        self.value_or_nan(key)
        return self._reasons.get(find(key).symbol, "")

    def conventions(self, measures: Named | None = None) -> dict[str, str]:
        """Symbol to sentence, of the measures that have a value here by convention, their formulas having none."""
        return self._remarked(measures_named(measures, self.statistics))[0]

    def notes(self, measures: Named | None = None) -> dict[str, str]:
        """Symbol to sentence, of the measures whose values tell less than it seems."""
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
        ("all")."""
        if measures == "papers":
            self._fill(_by_statistic(papers()))
            return dict(zip(PAPERS, _of_papers(self._values), strict=True))
        named = tuple(measures_named(measures, self.statistics))
        values = self._listed(named)
        for m in named if measures != "all" else ():
            if values[m.symbol] != values[m.symbol]:
                refuse_unchosen(m, self.statistics)
        return values

    def _listed(self, named: tuple[Measure, ...]) -> dict[str, float]:
        """Symbol to value; nan also where a choice was not made."""
        self._fill(_by_statistic(named))
        return {m.symbol: self._values[m.symbol] for m in named}

    @property
    def undefined(self) -> dict[str, str]:
        """Symbol to reason, of every headline measure, and every other asked for so far, that has no value here."""
        self._listed(self._kept())
        return dict(self._reasons)

    def _kept(self) -> tuple[Measure, ...]:
        """What it shows, and the measures of the papers."""
        return tuple(dict.fromkeys((*headline(self.statistics), *papers())))

    def _fill(self, groups: list[Group]) -> None:
        """Compute these measures, a statistic at a time."""
        # formulas of all classes are called as they are: the steps of `MeasureOf` would take as long as they do
        summary, values, reasons = self.statistics, self._values, self._reasons
        for group in groups if reasons else ():
            for m in (*group.measures, *group.classwise):  # another measure may have had the symbol
                reasons.pop(m.symbol, None)
        for kind, parameters, first, measures, formulas, classwise in groups:
            statistic = None if parameters else summary.computed.get(kind)
            if statistic is None:
                if lacking := summary.lacks(kind):
                    for m in (*measures, *classwise):
                        values[m.symbol], reasons[m.symbol] = math.nan, lacking
                    continue
                if measures:
                    statistic = first.statistic(summary)
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

    def diagram(self, name: str, *, positive: Any = None, label: str = "", **options: Any) -> CatalogueDiagram:
        """A diagram of these predictions, by its name in the catalogue: `e.diagram("roc_curve").plot()`."""
        from karat.diagrams import diagrams

        kind = diagrams[name]
        if kind.made_from == "table":
            raise InputError(
                f"{kind.name} is not made from predictions; use karat.catalogue.diagrams[{name!r}].of(...)."
            )
        return kind.of(self.statistics, positive=positive, name=label, **options)

    def operating(self, cost: Any = None, prior: Any = None, assumed: Any = None, level: float = 0.95) -> Operating:
        """What deciding costs under these costs (by truth and decision) and class frequencies, and how to decide best:
        see `karat.decisions.operating.operating`."""
        from karat.decisions.operating import operating

        return operating(self, cost, prior, assumed, level=level)

    def findings(self) -> Findings:
        """What should be known about these predictions, in plain words, the gravest first."""
        from karat.findings.collection import findings

        return findings(self)

    def at_prevalence(self, share: Any) -> Evaluation:
        """The evaluation if the classes had these frequencies: {class: share}, or the share of the positive of two
        classes. Cases are weighted by class; probabilities and decisions stay what they are. Measures that count
        cases (CalB) are undefined with weights.

        >>> e = evaluate([0, 0, 0, 1], y_pred=[0, 0, 1, 1])
        >>> round(e["PPV"], 3), round(e.at_prevalence(0.01)["PPV"], 3)
        (0.5, 0.029)
        """
        from karat.decisions.prevalence import restated

        return Evaluation(restated(self.statistics, share))

    def intervals(
        self,
        measures: Named | None = None,
        *,
        level: float = 0.95,
        method: str = "auto",
        replicates: int = 1000,
        seed: int = 0,
        stratified: bool = False,
        groups: Any = None,
        prior: Any = None,
        classes: Any = None,
        workers: int | None = None,
    ) -> Intervals:
        """An interval for each measure, of the headline unless others are named: see `karat.intervals.interval`."""
        from karat.intervals.interval import intervals

        self.refuse_other_cases(groups=groups)
        options: Any = {"level": level, "method": method, "replicates": replicates, "seed": seed}
        named = measures_named(measures, self.statistics)
        for m in named if classes is None else ():
            refuse_unchosen(m, self.statistics, f"; {option('classes')} gives an interval for each class")
        options |= {"stratified": stratified, "groups": groups, "prior": prior, "classes": classes, "workers": workers}
        return intervals(self.statistics, named, **options)

    def per_class(self, measures: Named | None = None) -> Table:
        """One row for each class against the rest: recall, precision, F, CEN_j and AUC, as far as they can be had, or
        the measures that are named."""
        table: dict[str, list[Any]] = {"class": list(self.classes), "cases": self._class_weights()}
        for measure in measures_named(PER_CLASS if measures is None else measures):
            if not measure.classwise:
                raise InputError(
                    f"{measure.symbol} is a measure of all classes, not of one; leave it out of per_class()."
                )
            if lacking := self.statistics.lacks(measure.statistic):
                if measures is None:
                    continue
                raise InputError(f"{measure.symbol} can't be had: {lacking}.")
            of_each = MeasureOf(measure)
            table[measure.symbol] = of_each.values(of_each.statistic(self.statistics)).tolist()
        return Table(table, "each class against the rest")

    def _class_weights(self) -> list[float]:
        return [int(w) if float(w).is_integer() else float(w) for w in self.statistics.source.class_weight]

    def pairs(self) -> Table:
        """AUC(j, k): a case of class j (row) against one of class k (column), by the score of class j."""
        lacking = self.statistics.lacks(Pairs)
        if lacking:
            raise InputError(f"AUC(j, k) can't be had: {lacking}.")
        rows = self.statistics[Pairs].against_each.T.tolist()
        return Table(crossed("class", self.classes, self.classes, rows), "AUC(j, k)")

    def matrix(self) -> Table:
        """The confusion matrix: rows are the truth, columns the decisions."""
        lacking = self.statistics.lacks(Counts)
        if lacking:
            raise InputError(f"the confusion matrix can't be had: {lacking}.")
        columns = self.statistics[Counts].table.T.tolist()
        cells = [[int(x) if float(x).is_integer() else x for x in column] for column in columns]
        columns_by_name = crossed("truth", self.classes, self.statistics.source.outputs, cells)
        return Table(columns_by_name, "rows truth, columns decided")

    def to_dict(self, measures: Named | None = None) -> dict[str, Any]:
        """Plain data, ready for JSON; undefined or infinite is None, with the reason under "undefined"; what is to be
        known of values is under "conventions" and "notes"."""
        named = self._kept() if measures is None else tuple(measures_named(measures))
        values = self._listed(named)
        conventions, notes = self._remarked(named)
        return {
            "n": self.n,
            "classes": list(self.classes),
            "positive": self.positive,
            "weighted": self.statistics.source.weight is not None,
            "measures": {symbol: value if math.isfinite(value) else None for symbol, value in values.items()},
            "undefined": {
                symbol: self._reasons.get(symbol, "it is infinite")
                for symbol, value in values.items()
                if not math.isfinite(value)
            },
            "conventions": conventions,
            "notes": notes,
        }

    def to_table(self, measures: Named | None = None) -> Table:
        """One row for each measure: its value, whether higher is better, its question, why it is undefined, and what is
        to be known of its value."""
        rows = measures_named(measures, self.statistics)
        return Table(
            {
                "symbol": [m.symbol for m in rows],
                "value": [self.value_or_nan(m) for m in rows],
                "better": [direction(m.orientation) for m in rows],
                "undefined": [self.undefined_because(m) for m in rows],
                "note": ["; ".join(map(str, self._remarks(m))) for m in rows],
                "family": [m.family for m in rows],
                "question": [m.question for m in rows],
            }
        )

    def to_frame(self, measures: Named | None = None, backend: str | None = None) -> Any:
        """`to_table` as a data frame (pandas, polars or pyarrow)."""
        return self.to_table(measures).to_frame(backend)

    @property
    def _title(self) -> str:
        return f"{self.subject()}, from {self.statistics.source.kind}"

    def subject(self, name: Callable[[object], str] = str, rejected: str | None = None) -> str:
        """What it is about: how many cases, how many of them rejected (or what else is to be said of that), which
        classes. `name` words a class.

        >>> evaluate([0, 1], y_pred=[0, 1]).subject()
        '2 cases, 2 classes (0, 1; positive: 1)'
        """
        if rejected is None:
            share = f"({100 * self.rejected / self.n:.3g} %)" if self.rejected else ""
            rejected = f", {self.rejected:,} of them rejected {share}" if share else ""
        names = [*map(name, self.classes[:CLASSES_NAMED]), *(["..."] if len(self.classes) > CLASSES_NAMED else [])]
        positive = "" if self.positive is None else f"; positive: {name(self.positive)}"
        weights = ", weighted" if self.statistics.source.weight is not None else ""
        cases = f"{self.n:,} case{'s' * (self.n != 1)}{weights}{rejected}"
        return f"{cases}, {len(self.classes):,} class{'es' * (len(self.classes) != 1)} ({', '.join(names)}{positive})"

    def __repr__(self) -> str:
        return as_text(f"Evaluation of {self._title}", self.values(), self.undefined, self._said)

    def _repr_html_(self) -> str:
        return as_html(self._title, self.values(), self.undefined, self._said)

    @property
    def _said(self) -> dict[str, str]:
        """Symbol to what should be known of its value, of the headline measures."""
        conventions, notes = self._remarked(headline(self.statistics))
        return conventions | notes


def identified(name: str, e: Evaluation, ids: Any) -> Evaluation:
    """A model with the id of each of its cases."""
    cases = e.statistics.source.cases
    if cases is None or cases.ids is not None:
        why = "is a confusion matrix, whose cases are not known" if cases is None else "was given its ids already"
        raise InputError(f"{name} {why}; leave ids= out of compare, and give it to karat.evaluate.")
    return Evaluation(cases.identified(ids))


def evaluations_in_one_order(models: Mapping[str, Evaluation]) -> dict[str, Evaluation]:
    """Models about the same classes; where their cases have ids, all in the order of the first."""
    summaries = summaries_of(models)
    return {
        str(name): e if summaries[str(name)] is e.statistics else Evaluation(summaries[str(name)].source)
        for name, e in models.items()
    }


def value_from_predictions(
    measure: Measure, y_true: Any, y_proba: Any = None, y_pred: Any = None, **options: Any
) -> float:
    """What a measure gives when it is called on labels and probabilities. One that needs only the order of the cases
    takes any real scores in the place of probabilities, and one of predicted classes takes these."""
    y_proba, y_pred = predictions_for(measure, y_true, y_proba, y_pred)
    if measure.statistic.needs is Needs.SCORES and y_proba is not None and not {"y_score", "normalise"} & set(options):
        return evaluate(y_true, None, y_pred, y_score=y_proba, **options)[measure]
    return evaluate(y_true, y_proba, y_pred, **options)[measure]
