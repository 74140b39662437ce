"""`karat.evaluate`: labels and probabilities in, every measure out, each statistic computed once."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from karat.core import hooks
from karat.core.errors import InputError, option, quoted
from karat.core.keywords import understand, unknown_keyword
from karat.core.measure import Measure, Remark
from karat.core.other_names import OF_EVALUATION, instead
from karat.core.statistic import Needs, Statistic
from karat.core.table import Table, Tabular
from karat.core.words import Text, direction
from karat.data import Matrix, Predictions, Source
from karat.data.named_columns import named_columns
from karat.data.row_labels import refuse_other_labels
from karat.measures.arguments import predictions_for
from karat.measures.certified import bounds_of, of_cells, value_between
from karat.measures.choices import refuse_unchosen
from karat.measures.display import crossed, measure_rows, table_of_values
from karat.measures.lookup import PAPERS, Named, find, headline, measures_named, papers
from karat.measures.value import NO_VALUE, MeasureOf
from karat.statistics import Counts, Pairs, Summary
from karat.statistics.summary import summaries_of

if TYPE_CHECKING:
    from karat.core.finding import Findings
    from karat.decisions.operating import Operating
    from karat.diagrams.diagram import CatalogueDiagram
    from karat.groups import ByColumn, ByGroup, GroupColumn
    from karat.intervals.interval import Intervals

PER_CLASS = ("TPR", "PPV", "F1", "CEN_j", "AUC")
CLASSES_NAMED = 8
"""So many classes are named where an evaluation says what it is about."""


@understand
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
    by: Any = None,
    align: str = "row",
) -> Evaluation:
    """Evaluate the predictions of a classifier: every measure, from labels and probabilities.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        True labels (str, int or bool): array, list, pandas, polars or Arrow column.
    y_proba : array-like of shape (n, classes) or (n,), or data frame, optional
        Predicted probabilities, columns in the order of `labels` (by default the sorted labels); a data frame is
        matched by its column names, `<class>` or `p_<class>`; one column is the probability of the positive class.
    y_pred : array-like of shape (n,), optional
        Predicted labels. By default the most probable class, the first of equals.
    labels : sequence, optional
        All classes, in the order of the columns. Needed where a class has no case.
    sample_weight : array-like of shape (n,), optional
        Weights of at least 0. A whole weight equals repeating the case, for all measures but CalB, which counts cases
        and is undefined with weights.
    positive : label, optional
        The positive of two classes; of 0 and 1 it is 1.
    y_score : array-like of shape (n, classes) or (n,), optional
        Real scores instead of probabilities (`decision_function`, logits). Measures of probabilities are undefined for
        them. With a column for each class the highest score is the prediction; with one column there is none.
    normalise : bool, default False
        Divide each row of probabilities by its sum; otherwise a row must sum to 1 within the precision of its type.
    columns : dict, optional
        {class: column} for a data frame whose columns have other names.
    reject : label, optional
        The label in `y_pred` that stands for "no prediction".
    ids : array-like of shape (n,), optional
        An id (str or int) for each case, none of them twice. `karat.compare` joins models by them.
    by : dict or array-like of shape (n,), optional
        {name: the group of each case}, or one such column: `e.by()` evaluates each group, and the report shows them.
    align : {"row", "index"}, default "row"
        "row": rows belong together as they stand, and pandas columns with different indexes are an error. "index":
        everything is put in the order of `y_true` by its pandas index.

    Returns
    -------
    Evaluation

    Raises
    ------
    InputError
        Where the input is not what it should be; the message says what to do.

    See Also
    --------
    compare : two or more models on the same cases.
    evaluate_matrix : from a confusion matrix alone.
    evaluate_estimator : from a model with scikit-learn's methods.
    report : an interactive page.

    Examples
    --------
    >>> e = evaluate([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> e["accuracy"], e["roc_auc"]
    (0.75, 0.75)
    """
    e = Evaluation(
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
    if by is not None:
        e.columns = named_columns(by)
        e.group_columns()  # refused now, not when first asked for
    return e


@understand
def evaluate_matrix(matrix: Any, labels: Any = None, *, positive: Any = None) -> Evaluation:
    """Evaluate a confusion matrix.

    Parameters
    ----------
    matrix : array-like of shape (classes, columns), or data frame
        Counts; rows are the true classes, columns the predicted ones. More columns than rows mean a reject option.
    labels : sequence, optional
        The classes, in the order of the rows.
    positive : label, optional
        The positive of two classes; of 0 and 1 it is 1.

    Returns
    -------
    Evaluation
        Measures that need probabilities are undefined.

    Examples
    --------
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


NOT_YET = dict.fromkeys(PAPERS, math.nan)
"""The measures of the papers in their order, which a dict keeps as they are computed."""


class Evaluation(Tabular):
    """The evaluation of one model's predictions: what `karat.evaluate` returns.

    `e["mcc"]` is the value of a measure, by symbol, title or alias, in any case; `e` itself shows the usual ones.

    Attributes
    ----------
    n : number of cases (or their weight).
    classes : the classes, in their order.
    positive : the positive class, or None.
    ids : the id of each case, or None.

    See Also
    --------
    evaluate, evaluate_matrix, evaluate_estimator : make one.
    compare : two or more models on the same cases.

    Examples
    --------
    >>> e = evaluate(["sick", "well", "sick", "well"], [0.8, 0.3, 0.6, 0.6], positive="sick")
    >>> e["accuracy"], e["precision"], e["roc_auc"]
    (0.75, 0.6666666666666666, 0.875)
    >>> e.matrix()
    rows: true class, columns: predicted class
    truth  sick  well
    sick      2     0
    well      1     1
    """

    @understand(usage="karat.evaluate(y_true, y_proba)")
    def __init__(self, source: Source) -> None:
        if not hasattr(source, "classes"):
            raise InputError("an Evaluation is made by karat.evaluate(y_true, y_proba).")
        self.statistics = Summary(source)
        self._values: dict[str, float] = {}
        self._reasons: dict[str, str] = {}
        self.columns: dict[str, Any] = {}
        """columns of groups that were given with the predictions, by name"""
        self.left_out = ""
        """rows that could not be read, where it was asked to go on without them"""

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
        """The positive class, or None if none was given."""
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
            if column is not None and cases is not None and cases.shuffled:
                raise InputError(
                    f"the rows were accumulated without their order, so {name} can't be matched to them; "
                    "accumulate them with paired=True."
                )
            refuse_other_labels(None if cases is None else cases.row_labels, column, name)

    @property
    def rejected(self) -> int | float:
        """Number of cases without a prediction."""
        return self.statistics.source.rejected

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
        positive and none was named."""
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
        """Symbols of the measures that it shows, so that `dict(e)` works."""
        return [m.symbol for m in headline(self.statistics)]

    def items(self) -> list[tuple[str, float]]:
        """Symbols and values of the measures that it shows."""
        return list(self.values().items())

    def __len__(self) -> int:
        return len(self.keys())

    def why(self, key: str | Measure) -> str:
        """Why a measure is undefined here, or what should be known about its value, such as that it is one by
        convention; empty if there is nothing to say.

        Examples
        --------
        >>> evaluate_matrix([[5, 0], [0, 0]]).why("MCC")
        'by convention 0 where all cases or all predictions are in one class, its formula being 0/0'
        """
        return self.undefined_because(key) or "; ".join(map(str, self._remarks(find(key))))

    def bounds(self, key: str | Measure) -> tuple[float, float]:
        """(low, high) that certainly hold the exact value of a measure.

        They are equal where it is exact: always, but for measures of the order of the scores (ROC AUC, average
        precision, ...) of cases that were added up without keeping them. nan where nothing is known.

        Examples
        --------
        >>> evaluate([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]).bounds("roc_auc")
        (0.75, 0.75)
        """
        measure = find(key)
        value = self[measure]
        return bounds_of(measure, self.statistics) if of_cells(measure, self.statistics) else (value, value)

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
            return self._of_papers()
        named = tuple(measures_named(measures, self.statistics))
        values = self._listed(named)
        for m in named if measures != "all" else ():
            if values[m.symbol] != values[m.symbol]:
                refuse_unchosen(m, self.statistics)
        return values

    def _of_papers(self) -> dict[str, float]:
        """Symbol to value; nan also where a choice was not made."""
        if self._values:
            self._fill(_by_statistic(papers()))
            return {symbol: self._values[symbol] for symbol in PAPERS}
        self._values = NOT_YET.copy()
        try:
            self._fill(_by_statistic(papers()))
        except BaseException:
            self._values = {}
            raise
        return self._values.copy()

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
        summary.asked = {group.kind for group in groups}
        for group in groups if reasons else ():
            for m in (*group.measures, *group.classwise):  # another measure may have had the symbol
                reasons.pop(m.symbol, None)
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
        formulas = [f for m, f in zip(group.measures, group.formulas, strict=True) if m not in cells]
        kept, classwise = ([m for m in ms if m not in cells] for ms in (group.measures, group.classwise))
        return group._replace(measures=kept, formulas=formulas, classwise=classwise)

    def diagram(self, name: str, *, positive: Any = None, label: str = "", **options: Any) -> CatalogueDiagram:
        """A diagram of these predictions as a record of numbers.

        Parameters
        ----------
        name : str
            Its name in the catalogue, such as "roc_curve"; `karat.catalogue.diagrams` lists them.
        positive : label, optional
            The class whose diagram it is; by default the positive one.
        label : str, optional
            The name of the model in legends.
        **options : of the diagram, such as `bins` or `band`.

        See Also
        --------
        plot : draws it.
        """
        from karat.diagrams import diagrams

        kind = diagrams[name]
        if kind.made_from == "table":
            raise InputError(
                f"{kind.name} is not made from predictions; use karat.catalogue.diagrams[{name!r}].of(...)."
            )
        return kind.of(self.statistics, positive=positive, name=label, **options)

    @understand(usage="e.plot('roc_curve'), or e.plot() for several diagrams")
    def plot(self, name: str | None = None, *, ax: Any = None, **options: Any) -> Any:
        """Draw a diagram, or without a name the panel of diagrams that fits what was given.

        Parameters
        ----------
        name : str, optional
            A diagram of the catalogue, such as "roc_curve", "reliability" or "confusion_matrix".
        ax : matplotlib axes, optional
            Where to draw it; by default a figure of its own.
        **options : of the diagram, such as `bins` or `band`.

        See Also
        --------
        diagram : the numbers behind it.
        """
        from karat.diagrams import plot_of

        return plot_of({"": self}, name, ax=ax, **options)

    def report(self, path: Any = None, **options: Any) -> Any:
        """An interactive page about these predictions: see `karat.report`.

        Parameters
        ----------
        path : str or path, optional
            The file to write; without it a notebook shows the page.
        **options
            Those of `karat.report`, such as `title`, `measures`, `level` and `groups`.

        Returns
        -------
        Report
            It shows itself in a notebook; `save(path)` writes it.
        """
        return hooks.report(self, path, **options)

    @understand
    def operating(self, cost: Any = None, prior: Any = None, assumed: Any = None, level: float = 0.95) -> Operating:
        """Expected cost under these costs and class frequencies, the best threshold, and the best rule.

        Parameters
        ----------
        cost : array-like of shape (classes, classes) or dict, optional
            Cost by true and predicted class; by default each error costs 1.
        prior : array-like, dict or float, optional
            Class frequencies where the model will be used; by default those of the data.
        assumed : array-like, dict or float, optional
            Class frequencies that the probabilities assume; by default those of the data.
        level : float, default 0.95
            Confidence of the intervals.

        Returns
        -------
        Operating
        """
        from karat.decisions.operating import operating

        return operating(self, cost, prior, assumed, level=level)

    def findings(self) -> Findings:
        """Findings: what a reviewer would point out about these predictions, in plain words, the gravest first.

        Returns
        -------
        Findings
            Empty for a healthy model.
        """
        from karat.findings.collection import findings

        return findings(self)

    @understand(usage="e.at_prevalence(0.01), or e.at_prevalence({class: share})")
    def at_prevalence(self, share: Any) -> Evaluation:
        """The evaluation if the classes had other frequencies.

        Parameters
        ----------
        share : dict or float
            {class: share}, or the share of the positive of two classes.

        Returns
        -------
        Evaluation
            Cases are weighted by class; probabilities and predictions stay as they are. Measures that count cases
            (CalB) are undefined with weights.

        Examples
        --------
        >>> e = evaluate([0, 0, 0, 1], y_pred=[0, 0, 1, 1])
        >>> round(e["PPV"], 3), round(e.at_prevalence(0.01)["PPV"], 3)
        (0.5, 0.029)
        """
        from karat.decisions.prevalence import restated

        return Evaluation(restated(self.statistics, share))

    def group_columns(self, given: Any = None, **options: Any) -> dict[str, GroupColumn]:
        """Columns of groups, checked: {name: values}, one column, or names of those that came with the predictions."""
        from karat.groups import group_columns

        source = self.statistics.source
        if source.cases is None:
            return self._columns_of_cells(given, **options)
        columns = named_columns(given, self.columns)
        own = {name: column for name, column in columns.items() if self.columns.get(name) is not column}
        self.refuse_other_cases(**own)
        return group_columns(columns, source.cases.n, **options)

    def _columns_of_cells(self, given: Any, **options: Any) -> dict[str, GroupColumn]:
        """The same of cases that were added up: columns that were taken in with them."""
        from karat.groups import group_columns

        added = self.statistics.source.added
        if added is None:
            raise InputError(
                "a confusion matrix has no cases, and can't be grouped; give the predictions of each case."
            )
        known = {} if added.cells is None else added.cells.columns
        named = [given] if isinstance(given, str) else list(known) if given is None else given
        chosen = isinstance(named, list | tuple) and all(isinstance(name, str) and name in known for name in named)
        if added.cells is None or not chosen:
            there = f"; columns that were taken in are {quoted(known)}" if known else ""
            raise InputError(
                f"the cases were added up and can't be grouped afterwards{there}; pass {option('by')} where they are "
                "accumulated."
            )
        return group_columns(named_columns(given, known), len(added.cells.cases), times=added.cells.cases, **options)

    @understand
    def by(
        self, columns: Any = None, *, cross: bool = False, bins: Any = None, missing: str = "group", level: float = 0.95
    ) -> ByGroup | ByColumn:
        """Every measure by group of the cases, with intervals, and gaps between the groups.

        Parameters
        ----------
        columns : array-like of shape (n,), dict or str, optional
            The group of each case; {name: column} for several; the name of a column that was given to
            `karat.evaluate(..., by=)`. By default all of these.
        cross : bool, default False
            The combinations of several columns instead.
        bins : int, sequence or False, optional
            Numbers of more than 20 kinds are cut into so many quantile bins, 4 by default, or at these edges; False:
            every number is a group. Of several columns {name: bins}.
        missing : {"group", "drop"}, default "group"
            Missing values are a group of their own, or their cases are left out (the result says how many).
        level : float, default 0.95
            Confidence of the intervals.

        Returns
        -------
        ByGroup
            Of several columns, or a dict, a mapping from their names.

        Examples
        --------
        >>> e = evaluate([0, 1] * 60, y_pred=[0, 1] * 50 + [1, 1] * 10)
        >>> g = e.by(["north"] * 60 + ["south"] * 60)
        >>> g["accuracy"].value
        (1.0, 0.8333333333333334)
        """
        from karat.groups import AddedByGroup, ByColumn, ByGroup

        found = self.group_columns(columns, cross=cross, bins=bins, missing=missing)
        kind = ByGroup if self.statistics.source.added is None else AddedByGroup
        groups = {name: kind(self.statistics, column, level) for name, column in found.items()}
        alone = len(groups) == 1 and (cross or not isinstance(columns, Mapping))
        return next(iter(groups.values())) if alone else ByColumn(groups)

    def over(self, dates: Any, every: str = "week", measures: Named | None = None, **options: Any) -> Any:
        """Measures over time, limits from a reference, and whether and when they changed: see `karat.course`.

        Parameters
        ----------
        dates : array-like of shape (n,)
            The date of each case.
        every : {"hour", "day", "week", "month", "quarter", "year"}, default "week"
            How long a period is.
        measures : names of measures, optional
            By default MCC, ROC AUC and log loss, as far as they are available.
        **options : of `karat.course`, such as `reference` and `level`.

        Returns
        -------
        TimeCourse
        """
        return hooks.course(self, dates, every=every, measures=measures, **options)

    @understand
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
        """An interval for each measure.

        Parameters
        ----------
        measures : names of measures, "papers" or "all", optional
            By default those that the evaluation shows.
        level : float, default 0.95
            Confidence.
        method : str, default "auto"
            "auto" chooses by measured coverage; or "jackknife", "percentile", "basic", "bca", "bayes", "analytic" or
            "logit".
        replicates, seed : int
            Of the methods that resample.
        stratified : bool, default False
            Resample within classes.
        groups : array-like of shape (n,), optional
            Cases of one group (a patient, a user) belong together.
        prior : optional
            Of method "bayes".
        classes : optional
            Intervals of measures of each class: "all", or some of the classes.
        workers : int, optional
            Number of threads; by default one for each core.

        Returns
        -------
        Intervals
            `intervals["mcc"].low`, `.high`, `.method`, and `.reason` where there is no interval.

        Examples
        --------
        >>> e = evaluate([0, 1] * 50, y_pred=[0, 1] * 45 + [1, 0] * 5)
        >>> one = e.intervals("accuracy")["accuracy"]
        >>> round(one.low, 3), round(one.high, 3), one.method
        (0.826, 0.945, 'wilson')
        """
        from karat.intervals.interval import intervals

        self.refuse_other_cases(groups=groups)
        options: Any = {"level": level, "method": method, "replicates": replicates, "seed": seed}
        named = measures_named(measures, self.statistics)
        for m in named if classes is None else ():
            refuse_unchosen(m, self.statistics, f"; {option('classes')} gives an interval for each class")
        options |= {"stratified": stratified, "groups": groups, "prior": prior, "classes": classes, "workers": workers}
        return intervals(self.statistics, named, **options)

    @understand
    def per_class(self, measures: Named | None = None) -> Table:
        """A table with a row for each class against the rest.

        Parameters
        ----------
        measures : names of measures of one class, optional
            By default recall, precision, F1, ROC AUC and confusion entropy, as far as they are available.
        """
        table: dict[str, list[Any]] = {"class": list(self.classes), "cases": self._class_weights()}
        for measure in measures_named(PER_CLASS if measures is None else measures):
            if not measure.classwise:
                raise InputError(
                    f"{measure.symbol} is a measure of all classes, not of each; leave it out of per_class()."
                )
            if lacking := self.statistics.lacks(measure.statistic):
                if measures is None:
                    continue
                raise InputError(f"{measure.symbol} is not available: {lacking}.")
            of_each = MeasureOf(measure)
            table[measure.symbol] = of_each.values(of_each.statistic(self.statistics)).tolist()
        return Table(table, "each class against the rest")

    def _class_weights(self) -> list[float]:
        return [int(w) if float(w).is_integer() else float(w) for w in self.statistics.source.class_weight]

    def pairs(self) -> Table:
        """AUC(j, k): a case of class j (row) against one of class k (column), by the score of class j."""
        lacking = self.statistics.lacks(Pairs)
        if lacking:
            raise InputError(f"AUC(j, k) is not available: {lacking}.")
        rows = self.statistics[Pairs].against_each.T.tolist()
        return Table(crossed("class", self.classes, self.classes, rows), "AUC(j, k)")

    @understand(
        normalize="the table has counts; e.plot('confusion_matrix', normalize='true') shows shares",
        normalise="the table has counts; e.plot('confusion_matrix', normalize='true') shows shares",
    )
    def matrix(self) -> Table:
        """The confusion matrix: rows are the true classes, columns the predicted ones."""
        lacking = self.statistics.lacks(Counts)
        if lacking:
            raise InputError(f"the confusion matrix is not available: {lacking}.")
        columns = self.statistics[Counts].table.T.tolist()
        cells = [[int(x) if float(x).is_integer() else x for x in column] for column in columns]
        columns_by_name = crossed("truth", self.classes, self.statistics.source.outputs, cells)
        return Table(columns_by_name, "rows: true class, columns: predicted class")

    def to_dict(self, measures: Named | None = None) -> dict[str, Any]:
        """Plain data, ready for JSON.

        Parameters
        ----------
        measures : names of measures, "papers" or "all", optional
            By default those that the evaluation shows and the 27 of the papers.

        Returns
        -------
        dict
            "n", "classes", "positive", "weighted", "measures" ({symbol: value}; undefined or infinite is None),
            "undefined" ({symbol: reason}), "conventions" and "notes" ({symbol: sentence}).
        """
        named = self._kept() if measures is None else tuple(measures_named(measures))
        values = self._listed(named)
        conventions, notes = self._remarked(named)
        certified = {m.symbol: list(self.bounds(m)) for m in named if of_cells(m, self.statistics)}
        return ({"bounds": certified} if certified else {}) | {
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
        """One row for each measure: title, symbol, value, whether higher is better, why it is undefined, what should be
        known about its value, family and question."""
        rows = self._kept() if measures is None else tuple(measures_named(measures))
        return Table(
            {
                "measure": [m.title for m in rows],
                "symbol": [m.symbol for m in rows],
                "value": [self.value_or_nan(m) for m in rows],
                "better": [direction(m.orientation) for m in rows],
                "undefined": [self.undefined_because(m) for m in rows],
                "note": ["; ".join(map(str, self._remarks(m))) for m in rows],
                "family": [m.family for m in rows],
                "question": [m.question for m in rows],
            }
        )

    def to_frame(self, measures: Named | None = None, backend: str | None = None) -> Any:  # type: ignore[override]
        """`to_table` as a data frame (pandas, polars or pyarrow)."""
        return self.to_table(measures).to_frame(backend)

    def displayed(self, measures: Named | None = None, intervals: Intervals | None = None) -> Table:
        """One row for each measure as people read it: its title and symbol, which direction is better, its value and
        interval; below them why some have no value, and what should be known of others."""
        named = tuple(dict.fromkeys(measures_named(measures, self.statistics)))
        values = self._listed(named)
        undefined = {m.symbol: self._reasons[m.symbol] for m in named if m.symbol in self._reasons}
        conventions, notes = self._remarked(named)
        rows = measure_rows(named, [self.statistics])
        return table_of_values(self._title, rows, values, undefined, conventions | notes, intervals)

    def summary(self, measures: Named | None = None, *, intervals: bool = True, **options: Any) -> Text:
        """What it shows with intervals, and the findings, as text.

        Parameters
        ----------
        measures : names of measures, "papers" or "all"; those that it shows by default.
        intervals : with an interval for each measure.
        **options : of `intervals`, such as `level` and `groups`.

        Returns
        -------
        Text
            A str that a terminal and a notebook show as it is.
        """
        for word in options.keys() - OF_INTERVALS:
            known = ["measures", "intervals", *OF_INTERVALS]
            raise InputError(unknown_keyword("summary()", word, options[word], known))
        ends = self.intervals(measures, **options) if intervals else None
        lines = [f"{f.severity}: {f.title}." for f in self.findings()]
        return Text("\n".join([repr(self.displayed(measures, ends)), *(["", *lines] if lines else [])]))

    @property
    def _title(self) -> str:
        return f"Evaluation of {self.subject()}, from {self.statistics.source.kind}"

    def subject(self, name: Callable[[object], str] = str, rejected: str | None = None) -> str:
        """What it is about: how many cases, how many of them rejected (or what else is to be said of that), which
        classes. `name` words a class.

        Examples
        --------
        >>> evaluate([0, 1], y_pred=[0, 1]).subject()
        '2 cases, 2 classes (0, 1; positive: 1)'
        """
        if rejected is None:
            share = f"({100 * self.rejected / self.n:.3g} %)" if self.rejected else ""
            rejected = f", {self.rejected:,} of them rejected {share}" if share else ""
        names = [*map(name, self.classes[:CLASSES_NAMED]), *(["..."] if len(self.classes) > CLASSES_NAMED else [])]
        positive = "" if self.positive is None else f"; positive: {name(self.positive)}"
        weights = ", weighted" if self.statistics.source.weight is not None else ""
        left_out = f" ({self.left_out})" if self.left_out else ""
        cases = f"{self.n:,} case{'s' * (self.n != 1)}{left_out}{weights}{rejected}"
        return f"{cases}, {len(self.classes):,} class{'es' * (len(self.classes) != 1)} ({', '.join(names)}{positive})"

    def __repr__(self) -> str:
        return repr(self.displayed())


def identified(name: str, e: Evaluation, ids: Any) -> Evaluation:
    """A model with the id of each of its cases."""
    cases = e.statistics.source.cases
    if cases is None or cases.ids is not None:
        without = "was added up and" if e.statistics.source.added is not None else "is a confusion matrix, which"
        why = f"{without} has no cases to identify" if cases is None else "has ids already"
        raise InputError(f"{name} {why}; pass ids= to karat.evaluate instead of karat.compare.")
    return Evaluation(cases.identified(ids))


def evaluations_in_one_order(models: Mapping[str, Evaluation]) -> dict[str, Evaluation]:
    """Models about the same classes; where their cases have ids, all in the order of the first."""
    summaries = summaries_of(models)
    return {
        str(name): e if summaries[str(name)] is e.statistics else Evaluation(summaries[str(name)].source)
        for name, e in models.items()
    }


def value_from_predictions(
    measure: Measure, y_true: Any = None, y_proba: Any = None, y_pred: Any = None, *others: Any, **options: Any
) -> float:
    """What a measure gives when it is called on labels and probabilities. One that needs only the order of the cases
    takes any real scores instead of probabilities, and one of predicted classes takes these."""
    given = (y_true, y_proba, y_pred, options.get("y_score"))
    _refuse_misuse(measure, given, others, options)
    y_proba, y_pred = predictions_for(measure, y_true, y_proba, y_pred)
    if measure.statistic.needs is Needs.SCORES and y_proba is not None and not {"y_score", "normalise"} & set(options):
        return evaluate(y_true, None, y_pred, y_score=y_proba, **options)[measure]
    return evaluate(y_true, y_proba, y_pred, **options)[measure]


def _refuse_misuse(
    measure: Measure, given: tuple[Any, ...], others: tuple[Any, ...], options: Mapping[str, Any]
) -> None:
    """Arguments that a measure does not take, in the words of its caller."""
    name, how = f"{measure.name}()", f"karat.measures.{measure.name}(y_true, y_pred or y_proba)"
    for word, value in options.items():
        if word not in OF_EVALUATE:
            advice = {
                "average": f"averages are measures of their own: karat.macro({measure.symbol!r}), micro or weighted",
                "normalize": "it is a share of the cases; multiply it by their number",
                "weights": "there is no weighted form of it; sample_weight= weighs cases",
            }
            raise InputError(unknown_keyword(name, word, value, list(OF_EVALUATE), advice))
    if others:
        raise InputError(f"{name} takes y_true, y_proba, y_pred by position; write {how}.")
    if all(value is None for value in given):
        raise InputError(f"{name} needs y_true and predictions; write {how}.")


OF_EVALUATE = tuple(inspect.signature(evaluate).parameters)
OF_INTERVALS = tuple(inspect.signature(Evaluation.intervals).parameters)[2:]
"""Their arguments."""
