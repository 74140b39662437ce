"""`karat.compare_across`: many models on many data sets, from a long table of results."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from karat.across.fold_t import CorrectedT, CorrelatedT, bayes_t, corrected_t
from karat.across.rank_tests import (
    AgainstControl,
    CriticalDifference,
    Friedman,
    Nemenyi,
    against_control,
    critical_difference,
    friedman,
    nemenyi,
)
from karat.across.results import Results
from karat.across.signed_ranks import SignedRanks, Wilcoxon, bayes_ranks, wilcoxon
from karat.core.arithmetic import Array
from karat.core.comparison import DATA_SETS, comparison
from karat.core.errors import InputError
from karat.core.keywords import understand
from karat.core.record import Verdict
from karat.core.table import Table
from karat.core.validation import checked_level
from karat.core.words import PValue
from karat.statistics.p_values import correction as correction_named
from karat.statistics.ranks import RankTable


@dataclass(frozen=True, eq=False, repr=False)
class Across(Verdict):
    """Models ranked on each data set by their mean value: what `karat.compare_across` returns.

    Tests of two models, and those on the folds of one data set, are methods.

    Attributes
    ----------
    results : Results
        The values, by model, data set and fold.
    friedman : Friedman
        The test that all models are equal.
    critical_difference : CriticalDifference
        Average ranks, and groups of models without a significant difference.
    level : float
        Confidence of the tests.
    """

    results: Results
    friedman: Friedman
    critical_difference: CriticalDifference
    level: float = 0.95

    @property
    def verdict(self) -> str:
        """What the results say, in one sentence."""
        if len(self.results.models) == 2:
            return self.wilcoxon(*self.results.models).verdict
        if not self.friedman.differs:
            return self.friedman.verdict
        return f"{self.friedman.verdict[:-1]}: {self.critical_difference.verdict}"

    def to_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON."""
        r = self.results
        means = {d: dict(zip(r.models, row, strict=True)) for d, row in zip(r.datasets, r.means.tolist(), strict=True)}
        return {
            "measure": r.measure,
            "lower_is_better": r.lower_is_better,
            "models": list(r.models),
            "datasets": list(r.datasets),
            "means": means,
            "friedman": self.friedman.to_dict(),
            "critical_difference": self.critical_difference.to_dict(),
            "level": self.level,
            "verdict": self.verdict,
        }

    def to_table(self) -> Table:
        """One row for each model, the best first: average rank, groups without a significant difference (by letter),
        mean."""
        table = self.critical_difference.to_table()
        mean = dict(zip(self.results.models, self.results.means.mean(axis=0).tolist(), strict=True))
        values = [mean[name] for name in self.critical_difference.names]
        return Table(table.columns | {f"mean {self.results.measure}": values}, self.verdict)

    def ranks(self) -> RankTable:
        """The rank of each model on each data set."""
        return RankTable.of(self.results.means, self.results.models, lower_is_better=self.results.lower_is_better)

    def nemenyi(self) -> Nemenyi:
        """All models against all [nemenyi1963]."""
        return nemenyi(self.ranks(), level=self.level)

    def against(self, control: str, correction: str = "holm") -> AgainstControl:
        """All models against one [demsar2006, holm1979]."""
        return against_control(self.ranks(), control, correction=correction, level=self.level)

    def wilcoxon(self, first: str, second: str, **options: Any) -> Wilcoxon:
        """Two models over all data sets [wilcoxon1945]; options as in `wilcoxon`."""
        return wilcoxon(**self._pair(self.results.means, first, second), level=self.level, **options)

    def wilcoxon_pairs(self, correction: str = "holm", **options: Any) -> Table:
        """Wilcoxon's test of every pair of models, with p-values adjusted for their number [wilcoxon1945, holm1979]."""
        names = self.results.models
        tests = [self.wilcoxon(a, b, **options) for i, a in enumerate(names) for b in names[i + 1 :]]
        p = [w.p for w in tests]
        ahead = [w.names if w.for_first >= w.for_second else w.names[::-1] for w in tests]
        order = np.argsort(p, kind="stable").tolist()
        adjusted = correction_named(correction)(p).tolist()
        rows = [(*ahead[i], PValue(p[i]), PValue(adjusted[i])) for i in order]
        records = (dict(zip(("better", "worse", "p", "adjusted p"), row, strict=True)) for row in rows)
        return Table.of(records, f"Wilcoxon's test of all pairs, adjusted by {correction}")

    def bayes_ranks(self, first: str, second: str, **options: Any) -> SignedRanks:
        """Two models on the next data set [benavoli2014]; options as in `bayes_ranks`."""
        return bayes_ranks(**self._pair(self.results.means, first, second), **options)

    def corrected_t(self, first: str, second: str, dataset: Any, ratio: float) -> CorrectedT:
        """Two models on the folds of one data set [nadeau2003]."""
        folds = self.results.folds(dataset)
        return corrected_t(ratio=ratio, **self._pair(folds, first, second), level=self.level)

    def bayes_t(self, first: str, second: str, dataset: Any, ratio: float, **options: Any) -> CorrelatedT:
        """Two models on the folds of one data set [corani2015]; options as in `bayes_t`."""
        return bayes_t(ratio=ratio, **self._pair(self.results.folds(dataset), first, second), **options)

    def _pair(self, values: Array, first: str, second: str) -> dict[str, Any]:
        """What tests of two models take."""
        two = {which: values[:, self.results.model(m)] for which, m in (("first", first), ("second", second))}
        return two | {"names": (str(first), str(second)), "lower_is_better": self.results.lower_is_better}


@comparison(of=DATA_SETS, cite="demsar2006")
@understand
def compare_across(
    table: Any,
    measure: str | None = None,
    *,
    lower_is_better: bool | None = None,
    columns: Mapping[str, str] | None = None,
    level: float = 0.95,
) -> Across:
    """Which of many models are best over many data sets?

    By their average ranks: Friedman's test, and which differences of ranks are significant [demsar2006].

    Parameters
    ----------
    table : data frame or dict
        A long table (pandas, polars, Arrow, or a dict of columns) with the columns model, dataset and value, and
        perhaps fold and seed (a model's value on a data set is the mean over them) and measure.
    measure : str, optional
        Which of the measures in the table; also the name to look up whether lower is better.
    lower_is_better : bool, optional
        For a measure that karat does not know.
    columns : dict, optional
        {"model": "algorithm", ...} where the table has other names.
    level : float, default 0.95
        Confidence of the tests.

    Returns
    -------
    Across

    Raises
    ------
    InputError
        Where a value is missing or given twice; the message says which.

    See Also
    --------
    compare : models on the cases of one data set.

    Examples
    --------
    >>> models, datasets = ["tree", "net", "forest"], ["iris", "wine", "glass", "wdbc", "ecoli"]
    >>> rows = [(m, d, 0.7 + 0.1 * i + 0.01 * j) for i, m in enumerate(models) for j, d in enumerate(datasets)]
    >>> model, dataset, value = zip(*rows)
    >>> compare_across({"model": model, "dataset": dataset, "value": value}, "Acc").critical_difference.verdict
    'forest ranks best (1); no significant difference from net (CD 1.48), but significantly better than tree.'
    """
    level = checked_level(level)
    results = Results.of(table, measure, lower_is_better=lower_is_better, columns=columns)
    if len(results.datasets) < 2:
        raise InputError(
            f"the table of results has only the data set {results.datasets[0]!r}; give at least two, or compare two "
            "models on its folds with karat.across.corrected_t."
        )
    ranked = RankTable.of(results.means, results.models, lower_is_better=results.lower_is_better)
    return Across(results, friedman(ranked, level=level), critical_difference(ranked, level=level), level)
