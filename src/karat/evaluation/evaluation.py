"""An evaluation: the values of measures, and the doors to all that can be asked about one model."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from karat.core import hooks
from karat.core.arithmetic import within
from karat.core.errors import InputError, option, quoted
from karat.core.keywords import understand, unknown_keyword
from karat.core.table import Table
from karat.core.words import Text, direction
from karat.data import Source
from karat.data.named_columns import named_columns
from karat.data.row_labels import refuse_other_labels
from karat.evaluation.valued_measures import ValuedMeasures
from karat.measures.certified import of_cells
from karat.measures.choices import refuse_unchosen
from karat.measures.display import crossed, interval_beside, measure_rows, table_of_values
from karat.measures.lookup import Named, measures_named, one_word
from karat.measures.value import MeasureOf
from karat.statistics import Counts, Pairs

if TYPE_CHECKING:
    from karat.core.finding import Findings
    from karat.decisions.operating import Operating
    from karat.diagrams.diagram import CatalogueDiagram
    from karat.groups import ByColumn, ByGroup, GroupColumn
    from karat.intervals.interval import Intervals

PER_CLASS = ("TPR", "PPV", "F1", "CEN_j", "AUC")
CLASSES_NAMED = 8
"""So many classes are named where an evaluation says what it is about."""


class Evaluation(ValuedMeasures):
    """The evaluation of one model's predictions: what `karat.evaluate` returns.

    `e["mcc"]` is the value of a measure, by symbol, title or alias, in any case; `e` itself shows the usual ones.

    Attributes
    ----------
    n : int or float
        Number of cases, or their weight.
    classes : tuple
        The classes, in their order.
    positive : label or None
        The positive class.
    ids : array or None
        The id of each case.

    See Also
    --------
    evaluate, evaluate_matrix, evaluate_estimator : make one.
    compare : two or more models on the same cases.

    Examples
    --------
    >>> import karat
    >>> e = karat.evaluate(["sick", "well", "sick", "well"], [0.8, 0.3, 0.6, 0.6], positive="sick")
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
        super().__init__(source)
        self.columns: dict[str, Any] = {}
        """columns of groups that were given with the predictions, by name"""
        self.left_out = ""
        """rows that could not be read, where it was asked to go on without them"""

    @property
    def n(self) -> int | float:
        """Number of cases.

        Examples
        --------
        >>> import karat
        >>> m = karat.evaluate_matrix([[50, 3], [8, 20]])
        >>> m.n
        81
        """
        return self.statistics.source.n

    @property
    def classes(self) -> tuple[Any, ...]:
        """The classes, in their order.

        Examples
        --------
        >>> import karat
        >>> y, p = ["sick", "well", "sick", "well"], [0.8, 0.3, 0.6, 0.6]
        >>> e = karat.evaluate(y, p, positive="sick")
        >>> e.classes
        ('sick', 'well')
        """
        return self.statistics.source.classes

    @property
    def positive(self) -> Any:
        """The positive class, or None if none was given.

        Examples
        --------
        >>> import karat
        >>> y, p = ["sick", "well", "sick", "well"], [0.8, 0.3, 0.6, 0.6]
        >>> e = karat.evaluate(y, p, positive="sick")
        >>> e.positive
        'sick'
        """
        place = self.statistics.source.positive
        return None if place is None else self.classes[place]

    @property
    def ids(self) -> Any:
        """[n]: the id of each case; None if none were given.

        Examples
        --------
        >>> import karat
        >>> karat.evaluate([0, 1], y_pred=[0, 1], ids=["p1", "p2"]).ids.tolist()
        ['p1', 'p2']
        """
        cases = self.statistics.source.cases
        return None if cases is None else cases.ids

    def refuse_other_cases(self, **columns: Any) -> None:
        """Columns that are given later, by name, must not have another pandas index than `y_true`.

        Examples
        --------
        >>> import karat
        >>> m = karat.evaluate_matrix([[50, 3], [8, 20]])
        >>> m.refuse_other_cases(groups=None)  # nothing was given, so there is nothing to refuse
        """
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
        """Number of cases without a prediction.

        Examples
        --------
        >>> import karat
        >>> karat.evaluate(["a", "b", "b"], y_pred=["a", "b", "?"], reject="?").rejected
        1
        """
        return self.statistics.source.rejected

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

        Examples
        --------
        >>> import karat
        >>> y, p = ["sick", "well", "sick", "well"], [0.8, 0.3, 0.6, 0.6]
        >>> e = karat.evaluate(y, p, positive="sick")
        >>> e.diagram("roc_curve").area
        0.875
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

        Examples
        --------
        >>> import karat
        >>> y, p = ["sick", "well", "sick", "well"], [0.8, 0.3, 0.6, 0.6]
        >>> e = karat.evaluate(y, p, positive="sick")
        >>> e.plot("roc_curve").ax_.get_xlabel()
        'False positive rate'
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

        Examples
        --------
        >>> import karat
        >>> y, p = ["sick", "well", "sick", "well"], [0.8, 0.3, 0.6, 0.6]
        >>> e = karat.evaluate(y, p, positive="sick")
        >>> e.report()  # e.report("report.html") writes it to a file
        <report of ... MB>
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

        Examples
        --------
        >>> import karat
        >>> e = karat.evaluate([0, 0, 1, 1, 1], [0.1, 0.3, 0.4, 0.8, 0.9])
        >>> best = e.operating(cost={"fp": 1, "fn": 5})
        >>> best["as predicted"].cost, best.threshold.cost  # a threshold of 0.5 misses one positive case
        (1.0, 0.0)
        """
        from karat.decisions.operating import operating

        return operating(self, cost, prior, assumed, level=level)

    def findings(self) -> Findings:
        """Findings: what a reviewer would point out about these predictions, in plain words, the gravest first.

        Returns
        -------
        Findings
            Empty for a healthy model.

        Examples
        --------
        >>> import karat
        >>> e = karat.evaluate([0, 1] * 50, [0.01, 0.99] * 35 + [0.99, 0.01] * 15)
        >>> [finding.code for finding in e.findings()]
        ['overconfident', 'tied-scores']
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
        >>> import karat
        >>> e = karat.evaluate([0, 0, 0, 1], y_pred=[0, 0, 1, 1])
        >>> round(e["PPV"], 3), round(e.at_prevalence(0.01)["PPV"], 3)
        (0.5, 0.029)
        """
        from karat.decisions.prevalence import restated

        return Evaluation(restated(self.statistics, share))

    def take_columns(self, by: Any) -> None:
        """Columns of groups that come with the predictions: refused now, not when first asked for.

        Examples
        --------
        >>> import karat
        >>> e = karat.evaluate([0, 1, 1], y_pred=[0, 1, 0])
        >>> e.take_columns({"site": ["north", "south", "south"]})
        >>> e.by("site")["accuracy"].value
        (1.0, 0.5)
        """
        from karat.groups.group_columns import values_by_case

        columns = named_columns(by)
        self.refuse_other_cases(**columns)
        self.columns = {name: values_by_case(name, column) for name, column in columns.items()}
        self.group_columns()

    def group_columns(self, given: Any = None, **options: Any) -> dict[str, GroupColumn]:
        """Columns of groups, checked: {name: values}, one column, or names of those that came with the predictions.

        Examples
        --------
        >>> import karat
        >>> e = karat.evaluate([0, 1, 1], y_pred=[0, 1, 0], by={"site": ["north", "south", "south"]})
        >>> list(e.group_columns("site"))
        ['site']
        """
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
        >>> import karat
        >>> e = karat.evaluate([0, 1] * 60, y_pred=[0, 1] * 50 + [1, 1] * 10)
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

        Examples
        --------
        >>> import karat
        >>> e = karat.evaluate([0, 1] * 40, y_pred=[0, 1] * 30 + [1, 0] * 10)
        >>> days = [f"2026-05-{1 + case // 40:02}" for case in range(80)]
        >>> e.over(days, every="day", measures=["accuracy"])["accuracy"].value
        (1.0, 0.5)
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
        >>> import karat
        >>> e = karat.evaluate([0, 1] * 50, y_pred=[0, 1] * 45 + [1, 0] * 5)
        >>> one = e.intervals("accuracy")["accuracy"]
        >>> round(one.low, 3), round(one.high, 3), one.method
        (0.826, 0.945, 'wilson')
        """
        from karat.intervals.interval import intervals

        self.refuse_other_cases(groups=groups)
        options: Any = {"level": level, "method": method, "replicates": replicates, "seed": seed}
        named = measures_named(measures, self.statistics)
        for m in named if classes is None and not one_word(measures) else ():
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

        Examples
        --------
        >>> import karat
        >>> karat.evaluate(["a", "b", "b", "c"], y_pred=["a", "b", "c", "c"]).per_class(["recall", "precision"])
        each class against the rest
        class  cases  Recall  Precision
        a          1   1.000      1.000
        b          2   0.500      1.000
        c          1   1.000      0.500
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
        """AUC(j, k): a case of class j (row) against one of class k (column), by the score of class j.

        Examples
        --------
        >>> import karat
        >>> karat.evaluate(["a", "b", "c"], [[0.7, 0.2, 0.1], [0.3, 0.4, 0.3], [0.2, 0.5, 0.3]]).pairs()
        AUC(j, k)
        class      a      b      c
        a      -      1.000  1.000
        b      1.000  -      0.000
        c      1.000  0.500  -
        """
        lacking = self.statistics.lacks(Pairs)
        if lacking:
            raise InputError(f"AUC(j, k) is not available: {lacking}.")
        rows = within(self.statistics[Pairs].against_each.T, 0.0, 1.0).tolist()
        return Table(crossed("class", self.classes, self.classes, rows), "AUC(j, k)")

    @understand(
        normalize="the table has counts; e.plot('confusion_matrix', normalize='true') shows shares",
        normalise="the table has counts; e.plot('confusion_matrix', normalize='true') shows shares",
    )
    def matrix(self) -> Table:
        """The confusion matrix: rows are the true classes, columns the predicted ones.

        Examples
        --------
        >>> import karat
        >>> karat.evaluate([0, 1, 1, 0], [0.2, 0.9, 0.4, 0.1]).matrix()
        rows: true class, columns: predicted class
        truth  0  1
            0  2  0
            1  1  1
        """
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
            "undefined" ({symbol: reason}), "conventions" and "notes" ({symbol: sentence}); "bounds"
            where rows were added up, "supposed" where only the most probable classes were given.

        Examples
        --------
        >>> import karat
        >>> m = karat.evaluate_matrix([[50, 3], [8, 20]])
        >>> m.to_dict(["accuracy", "roc_auc"])["undefined"]
        {'AUC': 'it needs scores, and only a confusion matrix was given'}
        """
        named = self._kept() if measures is None else tuple(measures_named(measures))
        values = self._listed(named)
        conventions, notes = self._remarked(named)
        certified = {m.symbol: list(self.bounds(m)) for m in named if of_cells(m, self.statistics)}
        added = self.statistics.source.added
        supposed = "" if added is None else added.top
        return (
            ({"bounds": certified} if certified else {})
            | ({"supposed": supposed} if supposed else {})
            | {
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
        )

    def to_table(self, measures: Named | None = None) -> Table:
        """One row for each measure: title, symbol, value, whether higher is better, why it is undefined, what should be
        known about its value, family and question.

        Examples
        --------
        >>> import karat
        >>> m = karat.evaluate_matrix([[50, 3], [8, 20]])
        >>> m.to_table(["accuracy", "mcc"]).columns["symbol"]
        ['Acc', 'MCC']
        """
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
        """`to_table` as a data frame (pandas, polars or pyarrow).

        Examples
        --------
        >>> import karat
        >>> m = karat.evaluate_matrix([[50, 3], [8, 20]])
        >>> m.to_frame(["accuracy", "mcc"], backend="pyarrow").shape
        (2, 8)
        """
        return self.to_table(measures).to_frame(backend)

    def displayed(self, measures: Named | None = None, intervals: Intervals | None = None) -> Table:
        """One row for each measure as people read it: its title and symbol, which direction is better, its value and
        interval; below them why some have no value, and what should be known of others.

        Examples
        --------
        >>> import karat
        >>> m = karat.evaluate_matrix([[50, 3], [8, 20]])
        >>> m.displayed(["accuracy", "mcc"])
        Evaluation of 81 cases, 2 classes (0, 1; positive: 1), from a confusion matrix
        measure                                 better  value
        Accuracy (Acc)                          ↑       0.864
        Matthews correlation coefficient (MCC)  ↑       0.694
        """
        named = tuple(dict.fromkeys(measures_named(measures, self.statistics)))
        values = self._listed(named)
        undefined = {m.symbol: self._reasons[m.symbol] for m in named if m.symbol in self._reasons}
        conventions, notes = self._remarked(named)
        rows = measure_rows(named, [self.statistics], interval_beside(intervals))
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

        Examples
        --------
        >>> import karat
        >>> e = karat.evaluate([0, 1] * 50, y_pred=[0, 1] * 45 + [1, 0] * 5)
        >>> e.summary(["accuracy", "mcc"])
        Evaluation of 100 cases, 2 classes (0, 1; positive: 1), from predicted labels
        measure                                 better  value  95 % interval
        Accuracy (Acc)                          ↑       0.900  [0.826, 0.945]
        Matthews correlation coefficient (MCC)  ↑       0.800  [0.656, 0.895]
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
        >>> import karat
        >>> karat.evaluate([0, 1], y_pred=[0, 1]).subject()
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


OF_INTERVALS = tuple(inspect.signature(Evaluation.intervals).parameters)[2:]
"""Its arguments but for the measures."""
