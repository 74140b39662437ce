"""Which measures agree on classifiers trained on real data?"""

from __future__ import annotations

import importlib.metadata
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from time import thread_time
from typing import Any, ClassVar

import numpy as np

from karat.batches import evaluate_batch
from karat.core.arithmetic import TOLERANCE, Array
from karat.core.errors import InputError
from karat.core.study import Part, Tables, study
from karat.core.table import Table
from karat.core.validation import whole
from karat.datasets import DataSet
from karat.engines.one_thread import one_thread
from karat.studies.inputs import (
    DataStudy,
    checksums,
    data_sets,
    likeness,
    names_of,
    study_measures,
    subsets,
    why_not_choosing,
)
from karat.studies.redundancy import CORRELATIONS, averaged, clusters, distances, methods_of

BLOCK = 2
"""Repetitions in a unit."""
DIGITS = 10
"""Of probabilities: counts of cases in parts leave noise in the last bits, which would break ties of scores."""
SYMBOLS = (
    "Acc", "KapS", "MFM", "MAvA", "MAvG", "AU1U", "AU1P", "AUNU", "AUNP",
    "SAUC", "PAUC", "MAPR", "MPR", "MAE", "MSE", "LogL", "CalL", "CalB",
)  # fmt: skip
"""In the order of Table 3 of Ferri et al."""
LEARNERS = ("C4.5", "NB", "LR", "MLP", "kNN", "AdaBoost")


@study(name="correlation", cite="ferri2009", aliases=("correlation_study",))
@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Correlation(DataStudy):
    """Which measures agree on six classifiers trained on real data sets, and when do they disagree?

    Each classifier is evaluated by repeated stratified cross-validation on each data set. There the measures are
    correlated over all evaluations (classifiers x folds), with the sign of those for which lower is better reversed;
    the correlation matrices are averaged over data sets (Ferri et al. 2009, sections 4 and 5). A measure that is
    constant on a data set is left out there, and an evaluation in which one of two measures is undefined is left out of
    their correlation.

    Cases without a class are dropped. A class of one case is in the training or in the test data, never in both, and
    absent classes are left out of averages as in every evaluation. A data set without attributes, with one class, or
    with fewer cases than twice the folds is refused.

    Parameters
    ----------
    learners : names
        Classifiers: C4.5, NB (naive Bayes), LR (logistic regression), MLP, kNN and AdaBoost.
    variants : names
        Variants such as kNN(10): the study is repeated with each of them in place of the classifier of its family.
    repetitions : int
        Repetitions of the cross-validation.
    folds : int
        Folds of the cross-validation.
    methods : names
        Correlation coefficients: pearson, spearman, kendall.
    cuts : numbers
        Distances (1 - correlation) at which the dendrogram is cut into clusters.
    """

    size: ClassVar[str] = "repetitions"
    in_processes: ClassVar[bool] = True
    example: ClassVar[str] = "--size 1 --set datasets=iris,wine --set learners=NB,LR"
    learners: Any = LEARNERS
    variants: Any = ()
    repetitions: int = 20
    folds: int = 5
    methods: Any = ("pearson", "spearman")
    cuts: Any = (0.1, 0.3)

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set(
            measures=study_measures(self.measures, SYMBOLS, why_not_choosing),
            folds=whole("folds", self.folds, least=2),
            repetitions=whole("repetitions", self.repetitions),
            methods=methods_of(self.methods),
            learners=names_of(self.learners),
            variants=names_of(self.variants),
            cuts=distances(self.cuts),
        )
        if len(self.measures) < 2 or not self.learners or not self.methods:
            raise InputError("the study needs at least two measures, a learner and a method; name more.")
        self._set(datasets=data_sets(self.datasets, self.data, "ferri2009", cases=2 * self.folds), data=None)
        for name in self._tried:
            _learner(name, self.datasets[0], 0)  # an unknown one is refused now
        for name in self.variants:
            if _family(name) not in self.learners or name in self.learners:
                raise InputError(
                    f"{name!r} is not a variant of any of {', '.join(self.learners)}; pass for example kNN(10)."
                )
        self._values([(np.array([0, 1]), np.array([[[0.6, 0.4], [0.3, 0.7]]] * len(self._tried)))])

    @property
    def _tried(self) -> tuple[str, ...]:
        return (*self.learners, *self.variants)

    def arguments(self) -> dict[str, Any]:
        """What the study was told, and the libraries that learn."""
        libraries = {name: importlib.metadata.version(name) for name in ("scikit-learn", "scipy")}
        return super().arguments() | {"libraries": libraries}

    def units(self) -> list[str]:
        """Blocks of repetitions of each data set; the first ones of all come first, so that a run that was stopped has
        some of each."""
        blocks = range(-(-self.repetitions // BLOCK))
        return [f"{data.name}-{block:03d}" for block in blocks for data in self.datasets]

    def measured(self, unit: str, rng: np.random.Generator) -> Part:
        """Values [repetitions, folds, learners, measures], higher being better; CPU seconds of each learner and, last,
        of measuring."""
        data, block = self.data_set(unit), int(unit.rpartition("-")[2])
        seconds = np.zeros(len(self._tried) + 1)
        count = min(BLOCK, self.repetitions - block * BLOCK)
        with one_thread():
            tested = []
            for own in rng.spawn(BLOCK)[:count]:
                tested += self._tested(data, own, seconds)
            start = thread_time()
            values = self._values(tested)
            seconds[-1] = thread_time() - start
        return {"values": values.reshape(count, self.folds, len(self._tried), -1), "seconds": seconds}

    def _tested(self, data: DataSet, rng: np.random.Generator, seconds: Array) -> list[tuple[Array, Array]]:
        """(truth [cases], probabilities [learners, cases, classes]) of each fold of a cross-validation."""
        fold = stratified(data.y, self.folds, rng)
        tests = []
        for f in range(self.folds):
            train, seed = fold != f, int(rng.integers(1 << 31))
            proba = []
            for i, name in enumerate(self._tried):
                start = thread_time()
                model = _learner(name, data, seed).fit(data.X[train], data.y[train])
                proba.append(np.round(model.predict_proba(data.X[~train]), DIGITS))
                seconds[i] += thread_time() - start
            tests.append((data.y[~train], np.array(proba)))
        return tests

    def _values(self, tested: list[tuple[Array, Array]]) -> Array:
        """[tests, learners, measures], higher being better; tests of one size are measured together."""
        out = np.empty((len(tested), len(self._tried), len(self.measures)))
        sizes = np.array([len(truth) for truth, _ in tested])
        for n in np.unique(sizes):
            at = np.flatnonzero(sizes == n)
            truth = np.repeat(np.array([tested[i][0] for i in at])[:, None], len(self._tried), axis=1)
            values = evaluate_batch(truth, np.array([tested[i][1] for i in at]), self.measures)
            out[at] = np.stack([m.orientation * values[m.symbol] for m in self.measures], axis=-1)
        return out

    def values(self, parts: Mapping[str, Part], variant: str | None = None) -> dict[str, Array]:
        """Of each data set, [repetitions, folds, learners, measures], maybe with a variant in its family's place."""
        at = list(range(len(self.learners)))
        if variant is not None:
            at[self.learners.index(_family(variant))] = self._tried.index(variant)
        return {
            d.name: np.concatenate([p["values"] for u, p in parts.items() if u.rpartition("-")[0] == d.name])[:, :, at]
            for d in self.datasets
        }

    def seconds(self, parts: Mapping[str, Part]) -> Table:
        """CPU seconds of learning and predicting with each learner, and of measuring."""
        total = np.sum([p["seconds"] for p in parts.values()], axis=0)
        columns = {"work": [*self._tried, "measuring"], "CPU seconds": total.tolist()}
        return Table(columns | {"share": (total / total.sum()).tolist()}, "where the time goes")

    def tables(self, parts: Mapping[str, Part]) -> Tables:
        """Clusters of each kind of data sets, mean correlations, those of all pairs, and the data sets."""
        values = self.values(parts)
        symbols = [m.symbol for m in self.measures]
        like = {data.name: likeness(data) for data in self.datasets}
        kinds = {kind: names for kind, names in subsets(like).items() if names}
        by_variant = {None: values} | {variant: self.values(parts, variant) for variant in self.variants}
        own = {
            variant: {m: {n: _with_and_without(v, m) for n, v in held.items()} for m in self.methods}
            for variant, held in by_variant.items()
        }
        sections = [(kind, names, own[None]) for kind, names in kinds.items()]
        sections += [(f"all, {variant}", list(like), own[variant]) for variant in self.variants]
        groups, pairs, wide = [], [], {}
        for kind, names, correlation in sections:
            for method in self.methods:
                each, without = ([correlation[method][n][i] for n in names] for i in (0, 1))
                mean = averaged(each)
                pairs += list(_pairs(kind, method, symbols, mean, np.array(each), _error(averaged(without))))
                for cut in self.cuts:
                    groups.append(_groups(kind, len(names), method, cut, symbols, mean))
                if kind == "all":
                    columns = dict(zip(symbols, mean.T.tolist(), strict=True))
                    wide[method] = Table({"measure": symbols} | columns, f"{method} correlation, mean of data sets")
        title = (
            f"{len(self.learners)} classifiers, {self.repetitions} x {self.folds} folds, {len(self.datasets)} data sets"
        )
        return {
            "groups": Table.of(groups, f"clusters by mean correlation: {title}"),
            **wide,
            "pairs": Table.of(pairs, "mean correlation of two measures over the data sets on which both vary"),
            "datasets": Table.of(
                _described(values, like, kinds, checksums(self.datasets), symbols),
                "data sets, and measures that are constant on them",
            ),
        }

    def figures(self, tables: Tables) -> dict[str, Any]:
        """Dendrograms: of all data sets by each method, of each kind by the last (rank correlation)."""
        from karat.diagrams import Dendrogram

        dendrograms = {}
        for kind in dict.fromkeys(tables["pairs"].columns["data sets"]):
            for method in self.methods if kind.startswith("all") else self.methods[-1:]:
                square = matrix(tables["pairs"], kind, method, [m.symbol for m in self.measures])
                known = np.isfinite(square).sum(axis=1) > 1
                square = square[np.ix_(known, known)]
                if len(square) > 1 and np.isfinite(square).all():
                    names = [m.symbol for m, k in zip(self.measures, known, strict=True) if k]
                    dendrograms[f"{re.sub('[^A-Za-z0-9]+', '-', kind).strip('-')}-{method}"] = Dendrogram.of(
                        square, names, name=f"{kind}, {method}"
                    )
        return dendrograms


def stratified(y: Array, folds: int, rng: np.random.Generator) -> Array:
    """The fold of each case: shuffled cases are dealt class by class, so that each fold has its share of each class. A
    class of fewer cases than folds is missing from some of them, and one of a single case is learnt or tested, never
    both."""
    order = rng.permutation(len(y))
    order = order[np.argsort(y[order], kind="stable")]
    fold = np.empty(len(y), int)
    fold[order] = np.arange(len(y)) % folds
    return fold


def correlations(values: Array, method: str) -> Array:
    """Of each two rows, over the evaluations in which both are finite; nan where one of them is constant there."""
    count = len(values)
    if np.isfinite(values).all():
        square = CORRELATIONS[method](values)
        still = np.array([_constant(row) for row in values], bool)
        square[still], square[:, still] = np.nan, np.nan
        return square
    square = np.full((count, count), np.nan)
    for i in range(count):
        for j in range(i, count):
            both = values[[i, j]]
            both = both[:, np.isfinite(both).all(axis=0)]
            if both.shape[1] > 2 and not _constant(both[0]) and not _constant(both[1]):
                square[i, j] = square[j, i] = 1.0 if i == j else CORRELATIONS[method](both)[0, 1]
    return square


def matrix(pairs: Table, kind: str, method: str, symbols: list[str], column: str = "correlation") -> Array:
    """The correlations of one kind of data sets, out of the table of pairs."""
    place = {symbol: i for i, symbol in enumerate(symbols)}
    square = np.eye(len(symbols))
    named = (pairs.columns[c] for c in ("data sets", "method", "measure", "other", column))
    for where, by, one, other, value in zip(*named, strict=True):
        if (where, by) == (kind, method):
            i, j = place[one], place[other]
            square[i, j] = square[j, i] = value
    return square


def _learner(name: str, data: Any, seed: int) -> Any:
    from karat.learners import family  # scikit-learn is heavy

    return family(name, data, seed)


def _family(name: str) -> str:
    """kNN of kNN(10)."""
    return name.split("(")[0]


def _constant(row: Array) -> bool:
    return bool(np.ptp(row) <= TOLERANCE * max(1.0, float(np.abs(row).max())))


def _with_and_without(values: Array, method: str) -> tuple[Array, Array]:
    """Correlations over all repetitions, and with each one left out."""

    def of(some: Array) -> Array:
        return correlations(some.reshape(-1, some.shape[-1]).T, method)

    left = range(len(values)) if len(values) > 1 else ()
    without = [of(np.delete(values, r, axis=0)) for r in left]
    return of(values), np.array(without).reshape(-1, values.shape[-1], values.shape[-1])


def _error(without: Array) -> Array:
    """The jackknife's error, of other folds and starts; nan with a single repetition."""
    count = len(without)
    if not count:
        return np.full(without.shape[1:], np.nan)
    return np.asarray(np.sqrt((count - 1) / count * ((without - without.mean(axis=0)) ** 2).sum(axis=0)))


def _pairs(
    kind: str, method: str, symbols: list[str], mean: Array, each: Array, error: Array
) -> Iterator[dict[str, Any]]:
    for i, j in combinations(range(len(symbols)), 2):
        known = each[:, i, j][np.isfinite(each[:, i, j])]
        yield {
            "data sets": kind,
            "method": method,
            "measure": symbols[i],
            "other": symbols[j],
            "correlation": float(mean[i, j]),
            "error": float(error[i, j]),
            "lowest": float(known.min()) if len(known) else np.nan,
            "highest": float(known.max()) if len(known) else np.nan,
            "of": len(known),
        }


def _groups(kind: str, sets: int, method: str, cut: float, symbols: list[str], mean: Array) -> dict[str, Any]:
    label = clusters(mean, cut)
    known = list(dict.fromkeys(c for c in label if c == c))
    words = [" ".join(s for s, c in zip(symbols, label, strict=True) if c == one) for one in known]
    return {
        "data sets": kind,
        "number": sets,
        "method": method,
        "distance": cut,
        "clusters": len(words),
        "members": " | ".join(words),
    }


def _described(
    values: Mapping[str, Array],
    like: Mapping[str, Mapping[str, Any]],
    kinds: Mapping[str, list[str]],
    sums: Mapping[str, str],
    symbols: list[str],
) -> Iterator[dict[str, Any]]:
    for name, block in values.items():
        rows = block.reshape(-1, len(symbols)).T
        finite = [row[np.isfinite(row)] for row in rows]
        still = [s for s, row in zip(symbols, finite, strict=True) if not len(row) or _constant(row)]
        yield {
            "dataset": name,
            **like[name],
            "kinds": " ".join(kind for kind, names in kinds.items() if kind != "all" and name in names),
            "constant measures": " ".join(still),
            "undefined values": int((~np.isfinite(rows)).sum()),
            "checksum": sums[name],
        }
