"""What comes out when models are evaluated: evaluations and comparisons that know their folds."""

from __future__ import annotations

import html
import math
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from karat.across.fold_t import CorrectedT, corrected_t, mean_of_folds
from karat.comparisons.model_comparison import Comparison
from karat.core.arithmetic import Array
from karat.core.errors import InputError, quoted
from karat.core.measure import Measure
from karat.core.table import Table
from karat.core.validation import checked_level
from karat.core.words import PValue, Text
from karat.data.source import Source
from karat.evaluation import Evaluation
from karat.intervals.interval import Interval, Intervals
from karat.measures.choices import refuse_unchosen
from karat.measures.lookup import Named, find, measures_named
from karat.statistics.p_values import holm

AS_TRAINED = (
    "p-values and intervals are of the models as they were trained in these folds; over_folds() also covers the "
    "variability of training."
)


@dataclass(frozen=True, eq=False)
class Fold:
    """A part of a cross-validation."""

    number: int
    """counted from 1, over all repetitions"""
    repeat: int
    """the repetition, counted from 1"""
    trained: int
    """number of training cases"""
    rows: Array
    """the rows of X that it was tested on"""
    evaluation: Evaluation
    """of the predictions for these rows"""


class EstimatorEvaluation(Evaluation):
    """The evaluation of a model: an `Evaluation` that knows its folds.

    Attributes
    ----------
    folds : tuple of Fold
        The folds in which the model was trained and tested; empty if it was evaluated as it was.
    rows : ndarray of shape (n,)
        The row of X that each case comes from.
    fold : ndarray of shape (n,)
        The number of the fold that each case was predicted in; 0 if there are none.
    groups : ndarray of shape (n,) or None
        The group of each case; intervals and comparisons draw groups whole.
    remarks : tuple of str
        What should be known of the predictions, in sentences.

    See Also
    --------
    karat.evaluate_estimator : Makes one.
    """

    def __init__(
        self,
        source: Source,
        *,
        folds: tuple[Fold, ...] = (),
        rows: Array | None = None,
        groups: Array | None = None,
        remarks: tuple[str, ...] = (),
    ) -> None:
        super().__init__(source)
        self.folds, self.groups, self.remarks = folds, groups, remarks
        self.rows = np.arange(int(source.n)) if rows is None else rows

    @property
    def fold(self) -> Array:
        """[n]: the number of the fold that each case was predicted in; 0 if there are none."""
        numbered = np.zeros(int(self.rows.max()) + 1, int)
        for one in reversed(self.folds):
            numbered[one.rows] = one.number
        return numbered[self.rows]

    def by_fold(self, measures: Named | None = None) -> Table:
        """Measures of each fold.

        Parameters
        ----------
        measures : str, Measure or list of them, optional
            Those to show; what the evaluation shows by default.

        Returns
        -------
        Table
            One row per fold, of all repetitions: its number, its test and training cases, and a column per measure; nan
            where the measure is undefined in a fold.
        """
        named = self._of_folds(measures)
        return Table(_fold_columns(self.folds) | {m.symbol: self._fold_values(m) for m in named}, "by fold")

    def over_folds(self, measures: Named | None = None, *, level: float = 0.95) -> Intervals:
        """Mean over the folds, with a corrected t interval [nadeau2003].

        The standard error takes into account that the training sets of the folds overlap, so that the interval covers
        the variability of training as well as that of the cases. A mean over folds is not the value of all cases
        together: a measure of ranking or correlation of one fold compares the cases of that fold only.

        Parameters
        ----------
        measures : str, Measure or list of them, optional
            Those to show; what the evaluation shows by default.
        level : float, default 0.95
            Of the intervals.

        Returns
        -------
        Intervals
            Symbol to interval.
        """
        level = checked_level(level)
        named = self._of_folds(measures)
        made = {m.symbol: self._over_folds(m, level) for m in named}
        return Intervals(made, level)

    def intervals(self, measures: Named | None = None, *, groups: Any = None, **options: Any) -> Intervals:
        """An interval for each measure, as `Evaluation.intervals`; the groups are those of the evaluation, unless
        others are given. They cover the sampling of the cases, not the variability of training."""
        return super().intervals(measures, groups=self.groups if groups is None else groups, **options)

    def to_dict(self, measures: Named | None = None) -> dict[str, Any]:
        """Plain data, ready for JSON, with the number of folds and the remarks."""
        return super().to_dict(measures) | {"folds": len(self.folds), "remarks": list(self.remarks)}

    def summary(self, measures: Named | None = None, *, intervals: bool = True, **options: Any) -> Text:
        """What `Evaluation.summary` says, and the remarks."""
        return Text("\n".join([super().summary(measures, intervals=intervals, **options), "", *self.remarks]).rstrip())

    def _of_folds(self, measures: Named | None) -> list[Measure]:
        if not self.folds:
            raise InputError("the model was evaluated as it was, without folds; pass cv=5 to train it in folds.")
        named = measures_named(measures, self.statistics)
        for m in named:
            refuse_unchosen(m, self.statistics)
        return named

    def _fold_values(self, m: Measure) -> list[float]:
        return [fold.evaluation.value_or_nan(m) for fold in self.folds]

    @property
    def ratio(self) -> float:
        """Test cases per training case of the folds."""
        return sum(len(fold.rows) for fold in self.folds) / sum(fold.trained for fold in self.folds)

    def _over_folds(self, m: Measure, level: float) -> Interval:
        from scipy.special import stdtrit

        values = np.array(self._fold_values(m))
        many, undefined = len(values), float(np.mean(values != values))
        mean = float(values.mean())
        if undefined or many < 2 or not math.isfinite(mean):
            why = f"it is undefined in {round(undefined * many)} of {many} folds" if undefined else "it is infinite"
            why = why if many > 1 else "one fold does not show how much folds differ"
            return Interval(mean, math.nan, math.nan, level, "", why, undefined)
        mean, error, df = mean_of_folds(values, self.ratio)
        least, most = m.range_for(len(self.classes))
        half = float(stdtrit(df, (1 + level) / 2)) * error
        low, high = max(mean - half, min(least, mean)), min(mean + half, max(most, mean))
        if error == 0:
            return Interval(mean, math.nan, math.nan, level, "", "it is the same in all folds", 0.0)
        return Interval(mean, low, high, level, f"corrected t, {many} folds")

    def __repr__(self) -> str:
        return "\n".join([super().__repr__(), *self.remarks])

    def _repr_html_(self) -> str:
        return super()._repr_html_() + "".join(f"<p>{html.escape(remark)}</p>" for remark in self.remarks)


def _fold_columns(folds: tuple[Fold, ...]) -> dict[str, list[Any]]:
    columns: dict[str, list[Any]] = {"fold": [fold.number for fold in folds]}
    if folds[-1].repeat > 1:
        columns["repeat"] = [fold.repeat for fold in folds]
    columns["test cases"] = [len(fold.rows) for fold in folds]
    return columns | {"training cases": [fold.trained for fold in folds]}


@dataclass(frozen=True, eq=False, repr=False)
class EstimatorComparison(Comparison):
    """The comparison of models: a `Comparison` that knows the folds, which are the same for all models.

    See Also
    --------
    karat.compare_estimators : Makes one.
    """

    @classmethod
    def of(cls, comparison: Comparison) -> EstimatorComparison:
        """The same comparison."""
        return cls(**{f.name: getattr(comparison, f.name) for f in fields(Comparison)})

    def by_fold(self, measure: str | Measure) -> Table:
        """A measure of each model in each fold.

        Parameters
        ----------
        measure : str or Measure
            The measure, by any of its names.

        Returns
        -------
        Table
            One row per fold, of all repetitions, and a column per model.
        """
        m, models = find(measure), self._models()
        columns = _fold_columns(next(iter(models.values())).folds)
        values = {name: e.by_fold(m).columns[m.symbol] for name, e in models.items()}
        return Table(columns | values, f"{m.label} by fold")

    def corrected_t(
        self, measure: str | Measure, first: str | None = None, second: str | None = None, *, level: float = 0.95
    ) -> CorrectedT:
        """The corrected t test of two models over the folds [nadeau2003], which allows for training sets that overlap.

        Parameters
        ----------
        measure : str or Measure
            The measure, by any of its names.
        first, second : str, optional
            The models; may be left out if there are two.
        level : float, default 0.95
            Of the interval and the verdict.

        Returns
        -------
        CorrectedT
            The mean difference (above 0 where the first model is better), its interval, t and p.
        """
        m, models = find(measure), self._models()
        if first is None or second is None:
            if len(models) != 2:
                raise InputError(f"there are {len(models)} models; name two of {quoted(models, 8)}.")
            first, second = models
        for name in (first, second):
            if name not in models:
                raise InputError(f"{name!r} is not one of the models; choose one of {quoted(models, 8)}.")
        if m.orientation == 0:
            raise InputError(f"{m.symbol} only describes: neither high nor low is better; name another measure.")
        a, b = (models[name] for name in (first, second))
        one, other = (e.by_fold(m).columns[m.symbol] for e in (a, b))
        return corrected_t(one, other, a.ratio, lower_is_better=m.orientation < 0, names=(first, second), level=level)

    def over_folds(self, measures: Named | None = None, *, level: float = 0.95) -> Table:
        """The corrected t tests of every two models over the folds [nadeau2003].

        Unlike the tests of the comparison itself, which take the models as they were trained, these also cover the
        variability of training.

        Parameters
        ----------
        measures : str, Measure or list of them, optional
            Those to test; unless given, those that the verdict of the comparison speaks of.
        level : float, default 0.95
            Of the intervals.

        Returns
        -------
        Table
            One row per measure and pair of models: the mean advantage of the first over the folds (above 0 where it is
            better, also for a loss), its interval, and p corrected (Holm) over the pairs; nan where the measure is
            undefined in a fold.
        """
        columns = ("measure", "first", "second", "advantage", "low", "high", "p")
        table: dict[str, list[Any]] = {name: [] for name in columns}
        for m in measures_named([*self.aspects.values()] if measures is None else measures):
            tests = [self._test(m, first, second, level) for first, second in self.pairs]
            for (first, second), test, p in zip(self.pairs, tests, holm([t[3] for t in tests]), strict=True):
                row = (m.label, first, second, *test[:3], PValue(p))
                for name, value in zip(columns, row, strict=True):
                    table[name].append(value)
        folds = len(next(iter(self._models().values())).folds)
        return Table(table, f"corrected t over {folds} folds, {100 * level:g} % intervals")

    def _test(self, m: Measure, first: str, second: str, level: float) -> tuple[float, float, float, float]:
        """The mean difference, its interval, p."""
        of_both = [self._models()[name].by_fold(m).columns[m.symbol] for name in (first, second)]
        if not np.isfinite(of_both).all() or len(of_both[0]) < 2:
            return math.nan, math.nan, math.nan, math.nan
        test = self.corrected_t(m, first, second, level=level)
        return test.mean, *test.interval, test.p

    def __repr__(self) -> str:
        in_folds = any(e.folds for e in self._models().values())
        return f"{super().__repr__()}\n{AS_TRAINED}" if in_folds else super().__repr__()

    def _models(self) -> dict[str, EstimatorEvaluation]:
        return {name: e for name, e in self.models.items() if isinstance(e, EstimatorEvaluation)}
