"""Which measures agree? Correlations of their values over any collection of evaluations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, ClassVar

import numpy as np

from karat.concordance.rankings import consistency
from karat.core.arithmetic import TOLERANCE, Array
from karat.core.errors import InputError
from karat.core.measure import measures as declared
from karat.core.study import Part, Study, Tables, study
from karat.core.table import Table
from karat.core.validation import listed_words, one_of
from karat.statistics.ranks import mid_ranks, places
from karat.studies.inputs import names_of

GROUPS = ("dataset", "data set", "group")
"""Names of the column that says which evaluations belong together."""


@study(name="redundancy", cite="ferri2009", aliases=("correlations",))
@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Redundancy(Study):
    """Which measures are redundant in a collection of evaluations, and which stand alone?

    Works on a table of results: a column for each measure, a row for each evaluation. Where a column `dataset` says
    which evaluations belong together, correlations are computed within each data set and averaged (Ferri et al. 2009,
    section 4), because values on different data sets are not comparable. The sign of measures for which lower is better
    is reversed; for a column that is not a measure of karat, higher is taken as better. Clusters are made by average
    linkage with the distance 1 - correlation.

    Parameters
    ----------
    values : {measure: values} or table
        A column of numbers for each measure, a row for each evaluation, and optionally a column `dataset`. On the
        command line: one file (CSV, Parquet, ...).
    measures : names
        Columns to use. By default all columns of numbers.
    methods : names
        Correlation coefficients: pearson, spearman, kendall.
    cuts : numbers
        Distances (1 - correlation) at which the dendrogram is cut into clusters.
    """

    takes: ClassVar[str] = "values"
    example: ClassVar[str] = "values.csv"
    values: Any = None
    measures: Any = None
    methods: Any = ("pearson", "spearman", "kendall")
    cuts: Any = (0.1, 0.3)

    def __post_init__(self) -> None:
        super().__post_init__()
        group, columns = _columns(self.values, self.measures)
        self._set(
            values={"dataset": group, **columns},
            measures=tuple(columns),
            methods=methods_of(self.methods),
            cuts=distances(self.cuts),
        )

    @property
    def _groups(self) -> list[str]:
        return list(dict.fromkeys(self.values["dataset"].tolist()))

    def units(self) -> list[str]:
        """One for each data set."""
        return [f"dataset-{i:05d}" for i in range(len(self._groups))]

    def measured(self, unit: str, rng: np.random.Generator) -> Part:
        """Correlations within one data set, nan where a measure is constant: [measures, measures] by each method."""
        here = self.values["dataset"] == self._groups[int(unit.split("-")[1])]
        table = np.array([orientation(m) * self.values[m][here] for m in self.measures])
        table = table[:, np.isfinite(table).all(axis=0)]
        if table.shape[1] < 2:
            return {method: np.full((len(table), len(table)), np.nan) for method in self.methods}
        return {method: CORRELATIONS[method](table) for method in self.methods}

    def tables(self, parts: Mapping[str, Part]) -> Tables:
        """Clusters at each cut by each method, and the mean correlations."""
        correlations: Tables = {}
        clustered: dict[str, list[Any]] = {"measure": list(self.measures)}
        for method in self.methods:
            mean = averaged([p[method] for p in parts.values()])
            for cut in self.cuts:
                clustered[f"{method}, {cut:g}"] = clusters(mean, cut)
            columns = dict(zip(self.measures, mean.T.tolist(), strict=True))
            correlations[method] = Table(
                {"measure": list(self.measures)} | columns, f"{method} correlation, mean of data sets"
            )
        return {"clusters": Table(clustered, "cluster of each measure, by method and distance"), **correlations}

    def figures(self, tables: Tables) -> dict[str, Any]:
        """A dendrogram for each method."""
        from karat.diagrams import Dendrogram

        dendrograms = {}
        for method in self.methods:
            rows = np.array([tables[method].columns[m] for m in self.measures], float)
            known = np.isfinite(rows).sum(axis=1) > 1
            names = [m for m, k in zip(self.measures, known, strict=True) if k]
            dendrograms[method] = Dendrogram.of(rows[np.ix_(known, known)], names, name=method)
        return dendrograms


def methods_of(methods: Any) -> tuple[str, ...]:
    """Names of correlations, each once."""
    return tuple(one_of("a method", name, CORRELATIONS) for name in names_of(methods))


def distances(cuts: Any) -> tuple[float, ...]:
    """Where clusters are cut; one or several."""
    listed = tuple(float(c) for c in (cuts if isinstance(cuts, list | tuple) else [cuts]))
    if not listed or not all(0 < c < 2 for c in listed):
        raise InputError(f"cuts is {cuts!r}; pass distances between 0 and 2.")
    return listed


def orientation(name: str) -> int:
    """-1 for a measure of the catalogue for which lower is better."""
    return -1 if name in declared and declared[name].orientation < 0 else 1


def averaged(matrices: Sequence[Array]) -> Array:
    """The mean of correlation matrices, each cell over those in which it is known; nan where it is known in none."""
    each = np.array(matrices)
    known = np.isfinite(each)
    count = known.sum(axis=0)
    return np.where(count > 0, np.where(known, each, 0).sum(axis=0) / np.maximum(count, 1), np.nan)


def clusters(correlation: Array, cut: float) -> list[float | int]:
    """Number of the cluster of each measure, in the order of their first; nan for one that correlates with none."""
    from scipy.cluster.hierarchy import fcluster

    from karat.diagrams import Dendrogram

    known = np.isfinite(correlation).sum(axis=1) > 1
    at = np.flatnonzero(known)
    out: list[float | int] = [np.nan] * len(correlation)
    if len(at) >= 2:
        links = Dendrogram.of(correlation[np.ix_(at, at)], at).links
        label = fcluster(links, cut + TOLERANCE, "distance").tolist()
        first = list(dict.fromkeys(label))
        for i, c in zip(at.tolist(), label, strict=True):
            out[i] = first.index(c) + 1
    return out


def pearson(table: Array) -> Array:
    """Of each two rows."""
    with np.errstate(invalid="ignore", divide="ignore"):
        flat = np.ptp(table, axis=1) == 0
        centred = table - table.mean(axis=1, keepdims=True)
        spread = np.sqrt((centred**2).sum(axis=1))
        square = (centred @ centred.T) / np.outer(spread, spread)
    square[flat], square[:, flat] = np.nan, np.nan
    square = np.asarray(np.clip((square + square.T) / 2, -1, 1))
    square[np.diag_indices(len(square))] = np.where(flat, np.nan, 1.0)
    return square


def spearman(table: Array) -> Array:
    """Pearson's of ranks."""
    return pearson(mid_ranks(places(table))[0])


def kendall(table: Array) -> Array:
    """Tau-b of each two rows."""
    square = np.eye(len(table))
    for i, j in combinations(range(len(table)), 2):
        square[i, j] = square[j, i] = consistency(table[i], table[j]).tau
    flat = np.ptp(table, axis=1) == 0
    square[flat, flat] = np.nan
    return square


CORRELATIONS = {"pearson": pearson, "spearman": spearman, "kendall": kendall}


def _columns(values: Any, names: Any) -> tuple[Array, dict[str, Array]]:
    """The data set of each evaluation, and the values of each measure."""
    if values is None:
        raise InputError(
            "no table of results was given; pass {measure: values}, or a file with a column for each measure on the "
            "command line."
        )
    table = {str(k): np.asarray(v) for k, v in (values.items() if hasattr(values, "items") else dict(values).items())}
    named = next((g for g in GROUPS if g in table), None)
    numeric = [k for k, v in table.items() if k != named and v.dtype.kind in "biuf"]
    wanted = numeric if names is None else [str(name) for name in listed_words(names)]
    for name in wanted:
        if name not in numeric:
            raise InputError(f"there is no numeric column {name!r}; the numeric columns are {', '.join(numeric[:12])}.")
    columns = {name: table[name].astype(float) for name in wanted}
    lengths = {v.shape for v in columns.values()}
    if len(columns) < 2 or len(lengths) != 1 or len(next(iter(lengths))) != 1 or next(iter(lengths))[0] < 3:
        raise InputError(
            f"there are {len(columns)} measures with values of the shapes {sorted(lengths)}; pass at least two "
            "measures with values of the same evaluations, at least three."
        )
    count = next(iter(lengths))[0]
    group = np.array(["all"] * count) if named is None else table[named].astype(str)
    if group.shape != (count,):
        raise InputError(
            f"{named} has the shape {group.shape}, but there are {count} evaluations; pass one value for each."
        )
    return group, columns
