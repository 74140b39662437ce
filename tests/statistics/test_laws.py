"""The laws of statistics: parts add up to the whole, order is nothing, a weight is a repetition, a batch is a loop."""

from __future__ import annotations

import importlib
import math
import pkgutil
from collections.abc import Callable
from contextlib import suppress
from dataclasses import fields, replace
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import partial, reduce
from operator import add
from typing import Any

import numpy as np
import pytest

pytest.importorskip("hypothesis", reason="hypothesis is not installed")

from hypothesis import example, given, settings
from hypothesis import strategies as st

import karat
from karat.core.statistic import Statistic
from karat.data import Predictions
from karat.groups.stacked_cells import StackedCellTable, StackedTable
from karat.statistics import (
    Binary,
    Certainty,
    ClassBins,
    ConfidenceBins,
    Counts,
    ForecastTable,
    LossSums,
    Margins,
    Pairs,
    ProbabilitySums,
    ScoreTable,
    Segments,
    Sequences,
    Windows,
)
from karat.statistics.added import WeightSums
from karat.statistics.cases import Cases, DecidedCases, ScoredCases
from karat.statistics.counts import ListedCounts, SparseCounts
from karat.statistics.many_classes import ManyCells, ManyMargins, ManyPairs, ManySums
from karat.statistics.many_tables import CensusCounts, RaggedCounts, RaggedShares, RowProducts
from karat.statistics.probability_sums import ColumnLosses
from karat.statistics.score_grid import CellTable, ScoreGrid

Make = Callable[[Predictions], Any]

ADDITIVE: dict[str, tuple[type[Statistic], Make]] = {
    "Counts": (Counts, Counts.of),
    "Binary": (Binary, Binary.of),
    "ProbabilitySums": (ProbabilitySums, ProbabilitySums.of),
    "LossSums": (LossSums, LossSums.of),
    "LossSums(eps=.2)": (LossSums, partial(LossSums.of, eps=0.2)),
    "Certainty": (Certainty, Certainty.of),
    "ConfidenceBins": (ConfidenceBins, ConfidenceBins.of),
    "ConfidenceBins(bins=3)": (ConfidenceBins, partial(ConfidenceBins.of, bins=3)),
    "ClassBins": (ClassBins, ClassBins.of),
    "ScoreTable(0)": (ScoreTable, lambda p: ScoreTable.of_class(p, 0)),
    "ScoreTable(1, by_class)": (ScoreTable, lambda p: ScoreTable.of_class(p, 1, by_class=True)),
    "ForecastTable(1)": (ForecastTable, lambda p: ForecastTable.of_class(p, 1)),
    "ColumnLosses": (ColumnLosses, ColumnLosses.of),
    "ScoreGrid(1)": (ScoreGrid, lambda p: ScoreGrid.of_class(p, 1)),
}
ORDERED: dict[str, tuple[type[Statistic], Make]] = {
    "Pairs": (Pairs, Pairs.of),
    "Margins": (Margins, Margins.of),
    "Segments": (Segments, Segments.of),
    "Segments(digits=1)": (Segments, partial(Segments.of, digits=1)),
    "Windows": (Windows, Windows.of),
    "Sequences": (Sequences, Sequences.of),
}
ALL = ADDITIVE | ORDERED
WEIGHTED = {name: row for name, row in ALL.items() if row[0].weighted}
BATCHED = {name: row for name, row in ALL.items() if row[0].per_class != "each"}

additive = pytest.mark.parametrize("name", ADDITIVE)
ordered = pytest.mark.parametrize("name", ORDERED)
quick = settings(deadline=None, max_examples=20, derandomize=True)


def parts_of(statistic: Any) -> dict[str, Any]:
    """The arrays of a statistic by name."""
    return {f.name: np.asarray(getattr(statistic, f.name)) for f in fields(statistic)}


def assert_same(found: Any, expected: Any) -> None:
    """The same kind of statistic with the same numbers (nan where nan)."""
    assert type(found) is type(expected)
    for name, wanted in parts_of(expected).items():
        np.testing.assert_allclose(parts_of(found)[name], wanted, rtol=1e-12, atol=1e-12, err_msg=name)


def chosen(p: Predictions, at: Any, weight: Any = None) -> Predictions:
    """Some of the cases, as often and in the order as said; with other weights."""
    w = weight if weight is not None or p.weight is None else p.weight[:, at]
    decided = None if p.decided is None else np.ascontiguousarray(p.decided[:, at])
    assert p.scores is not None
    scores = np.ascontiguousarray(p.scores[:, at])
    return replace(p, truth=np.ascontiguousarray(p.truth[:, at]), held=scores, decided=decided, weight=w)


@st.composite
def predictions(draw: st.DrawFn, ties: bool = True, decide: bool = True) -> Predictions:
    """Two to four classes, up to 40 cases; equal, zero and one probabilities; perhaps decisions, rejects, weights."""
    k, n = draw(st.integers(2, 4)), draw(st.integers(1, 40))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    p = rng.dirichlet(np.full(k, 0.7), n)
    if ties and draw(st.booleans()):
        parts = np.floor(p * 8)
        parts[np.arange(n), p.argmax(axis=1)] += 8 - parts.sum(axis=1)
        p = parts / 8
    decided = rng.integers(0, k + 1, n) if decide and draw(st.booleans()) else None
    weight = rng.integers(1, 9, n) / 4 if draw(st.booleans()) else None
    reject = None if decided is None else k
    return Predictions.of(
        rng.integers(0, k, n), p, decided, labels=range(k), sample_weight=weight, reject=reject, positive=1
    )


def statistics_of_karat() -> set[type[Statistic]]:
    """Every statistic that can be made, wherever in karat it is defined."""
    for module in pkgutil.walk_packages(karat.__path__, "karat."):
        if not module.name.startswith("karat.cli") and not module.name.endswith("__main__"):
            with suppress(ImportError):  # what is optional may be missing
                importlib.import_module(module.name)

    def below(kind: type[Statistic]) -> set[type[Statistic]]:
        return {kind}.union(*(below(k) for k in kind.__subclasses__()))

    def abstract(kind: type[Statistic]) -> bool:
        return any(getattr(getattr(kind, name), "__isabstractmethod__", False) for name in dir(kind))

    found = {kind for kind in below(Statistic) - {Statistic} if kind.__module__.startswith("karat.")}
    return {kind for kind in found if not abstract(kind)}


def test_every_statistic_is_under_the_laws() -> None:
    assert {kind for kind, _ in ALL.values()} | {
        *(ListedCounts, SparseCounts),
        *(ManyCells, ManyMargins, ManyPairs, ManySums),
        *(CellTable, StackedTable, StackedCellTable),
        *(RaggedCounts, RaggedShares),
        CensusCounts,
        RowProducts,
        Cases,
        ScoredCases,
        DecidedCases,
        WeightSums,
    } == statistics_of_karat()  # they have tests of their own
    assert all(kind.additive for kind, _ in ADDITIVE.values())
    assert not any(kind.additive for kind, _ in ORDERED.values())


@additive
@quick
@given(p=predictions(), random=st.randoms(use_true_random=False))
def test_parts_add_up_in_any_order_and_grouping(name: str, p: Predictions, random: Any) -> None:
    make = ADDITIVE[name][1]
    at = list(range(p.n))
    random.shuffle(at)
    cuts = sorted(random.sample(range(1, p.n), min(p.n - 1, random.randint(0, 5))))
    parts = [make(chosen(p, at[a:b])) for a, b in zip([0, *cuts], [*cuts, p.n], strict=True)]
    whole = make(p)
    assert_same(reduce(add, parts), whole)
    while len(parts) > 1:  # neighbours in an arbitrary grouping, either one first
        i = random.randrange(len(parts) - 1)
        pair = parts[i : i + 2]
        random.shuffle(pair)
        parts[i : i + 2] = [pair[0] + pair[1]]
    assert_same(parts[0], whole)


@ordered
@quick
@given(p=predictions(decide=False))
def test_what_does_not_add_up_says_so(name: str, p: Predictions) -> None:
    one = ORDERED[name][1](p)
    with pytest.raises(TypeError, match=f"{type(one).__name__} does not add up"):
        one + one


@pytest.mark.parametrize("name", ALL)
@quick
@given(data=st.data())
def test_the_order_of_the_cases_is_nothing(name: str, data: st.DataObject) -> None:
    kind, make = ALL[name]
    # Tied cases keep their own order in windows and sequences, so there the law is said of distinct scores only.
    p = data.draw(predictions(ties=kind not in (Windows, Sequences)))
    assert_same(make(chosen(p, data.draw(st.permutations(range(p.n))))), make(p))


@pytest.mark.parametrize("name", WEIGHTED)
@quick
@given(p=predictions(), seed=st.integers(0, 999))
@example(
    p=Predictions.of([0, 0, 0], [[0.25, 0.75]] * 3, [0, 1, 2], labels=range(2), reject=2), seed=0
)  # a rejected case that weighs nothing
def test_no_weight_is_no_case(name: str, p: Predictions, seed: int) -> None:
    make = WEIGHTED[name][1]
    w = np.random.default_rng(seed).integers(0, 3, p.n).astype(float)
    w[0], w[-1] = max(w[0], 1.0), 0.0 if p.n > 1 else 1.0
    assert_same(make(replace(p, weight=w[None])), make(chosen(p, w > 0, w[None, w > 0])))


@pytest.mark.parametrize("name", WEIGHTED)
@quick
@given(p=predictions(), seed=st.integers(0, 999))
def test_a_whole_weight_is_a_repetition(name: str, p: Predictions, seed: int) -> None:
    make = WEIGHTED[name][1]
    times = np.random.default_rng(seed).integers(1, 4, p.n)
    repeated = replace(chosen(p, np.repeat(np.arange(p.n), times)), weight=None)
    assert_same(make(replace(p, weight=times[None].astype(float))), make(repeated))


@pytest.mark.parametrize("name", WEIGHTED)
@quick
@given(p=predictions(), scale=st.sampled_from([2.0**-30, 0.3, 7.0, 1e6]))
def test_weights_scale(name: str, p: Predictions, scale: float) -> None:
    kind, make = WEIGHTED[name]
    one = np.ones((1, p.n)) if p.weight is None else p.weight
    before, after = parts_of(make(replace(p, weight=one))), parts_of(make(replace(p, weight=one * scale)))
    for part, value in before.items():
        # A pair of cases weighs the product of their weights; scores, cells and the place of a row weigh nothing.
        power = 0 if part in ("scores", "own", "cell", "ends") else 2 if part == "matrix" else 1
        np.testing.assert_allclose(after[part], value * scale**power, rtol=1e-12, err_msg=f"{kind.__name__}.{part}")


@pytest.mark.parametrize("name", BATCHED)
@quick
@given(p=predictions(), seed=st.integers(0, 999))
def test_a_batch_is_a_loop(name: str, p: Predictions, seed: int) -> None:
    make, rng = BATCHED[name][1], np.random.default_rng(seed)
    if not BATCHED[name][0].weighted:
        p = replace(p, weight=None)
    members = [chosen(p, rng.integers(0, p.n, p.n)) for _ in range(6)]

    def stacked(arrays: list[Any]) -> Any:
        return None if arrays[0] is None else np.ascontiguousarray(np.concatenate(arrays))

    names = ("truth", "held", "decided", "weight")
    arrays = {field: stacked([getattr(q, field) for q in members]) for field in names}
    found = parts_of(make(replace(p, lead=(2, 3), **arrays)))
    for i, q in enumerate(members):
        for part, value in parts_of(make(q)).items():
            np.testing.assert_allclose(found[part][np.unravel_index(i, (2, 3))], value, rtol=1e-12, err_msg=part)


def test_score_tables_are_of_one_evaluation() -> None:
    p = Predictions.batch([[0, 1], [1, 0]], [[0.2, 0.7], [0.3, 0.4]])
    with pytest.raises(ValueError, match="one evaluation at a time"):
        ScoreTable.of_class(p, 1)


@quick
@given(p=predictions())
def test_pairs_and_margins_are_double_loops(p: Predictions) -> None:
    assert p.scores is not None
    y, x, k = p.truth[0].tolist(), p.scores[0].tolist(), len(p.classes)
    w = [1.0] * p.n if p.weight is None else p.weight[0].tolist()
    wins, gains = np.zeros((k, k)), np.zeros((k, k))
    for i in range(p.n):
        for t in range(p.n):
            j, c = y[i], y[t]
            if j != c:
                a, b = x[i][j], x[t][j]
                wins[j, c] += w[i] * w[t] * (1.0 if a > b else 0.5 if a == b else 0.0)
                gains[j, c] += w[i] * w[t] * max(0.0, a - b)
    np.testing.assert_allclose(Pairs.of(p).matrix, wins, rtol=1e-12)
    np.testing.assert_allclose(Margins.of(p).matrix, gains, rtol=1e-11, atol=1e-12)


# ---------------------------------------------------------------------------------------- hundreds of millions


def exact(table: list[list[int]]) -> dict[str, float]:
    """MCC, KapS, CEN and EMA in whole numbers and fractions; logarithms and roots with 60 digits."""
    k = len(table)
    t, u = [sum(row) for row in table], [sum(column) for column in zip(*table, strict=True)]
    s, trace = sum(t), sum(table[i][i] for i in range(k))
    covariance = trace * s - sum(a * b for a, b in zip(t, u, strict=True))
    spread = (s * s - sum(b * b for b in u)) * (s * s - sum(a * a for a in t))
    chance = Fraction(sum(a * b for a, b in zip(t, u, strict=True)), s * s)
    with localcontext() as context:
        context.prec = 60
        disorder = left = Decimal(0)
        for i in range(k):
            for j in range(k):
                c = Decimal(table[i][j])
                if c:
                    left -= c * (c / u[j]).ln()
                    if i != j:
                        disorder -= c * ((c / (t[i] + u[i])).ln() + (c / (t[j] + u[j])).ln())
        mcc = Decimal(covariance) / Decimal(spread).sqrt() if spread else Decimal(0)
        cen = disorder / (2 * s * Decimal(2 * k - 2).ln())
        kappa = (Fraction(trace, s) - chance) / (1 - chance) if chance != 1 else math.nan
        return {"MCC": float(mcc), "KapS": float(kappa), "CEN": float(cen), "EMA": float((-left / s).exp())}


E8 = 10**8
HUGE = [
    [[E8, 1], [1, E8]],
    [[E8, 3], [5, 2]],
    [[E8, E8 - 1], [E8 + 1, E8]],
    [[1, E8], [E8, 1]],
    [[2, E8], [1, 3]],
    [[E8, E8], [1, 0]],
    [[E8, 0], [0, 1]],
    [[E8, E8 + 7, 1], [3, 99_999_989, 12], [0, 40_000_001, 1]],
    *(np.power(10.0, np.random.default_rng(k).uniform(0, 8, (k, k))).astype(int).tolist() for k in (2, 3, 4, 5, 9)),
]


@pytest.mark.parametrize("table", HUGE, ids=str)
def test_hundreds_of_millions_of_cases(table: list[list[int]]) -> None:
    found = karat.evaluate_matrix(table).values(["MCC", "KapS", "CEN", "EMA"])
    assert found == pytest.approx(exact(table), rel=1e-11, abs=1e-14)
    # the same in a batch, where arrays take the place of floats
    batch = Counts(np.array([[table, table]], float))
    for symbol, value in found.items():
        np.testing.assert_allclose(karat.catalogue.measures[symbol](batch), [[value, value]], rtol=1e-13, atol=1e-15)


def test_very_many_classes_are_counted_by_their_cells() -> None:
    rng = np.random.default_rng(11)
    k = 2100
    y, d, w = rng.integers(0, k, 3000), rng.integers(0, k, 3000), rng.random(3000)
    d = np.where(rng.random(3000) < 0.5, y, d)
    for weight in (None, w):
        e = karat.evaluate(y, y_pred=d, labels=range(k), sample_weight=weight)
        sparse = e.statistics[Counts]
        assert isinstance(sparse, SparseCounts)
        dense = Counts(np.zeros((k, k)))
        np.add.at(dense.table, (y, d), 1.0 if weight is None else weight)
        for m in karat.catalogue.measures.values():
            if m.statistic is Counts and m.symbol != "AccRelabel":
                assert m(sparse) == pytest.approx(m(dense), rel=1e-10, abs=1e-12), m.symbol
        np.testing.assert_allclose(sparse.binary.tn, dense.binary.tn, rtol=1e-12)
        halves = [karat.evaluate(y[h], y_pred=d[h], labels=range(k)) for h in (slice(0, 1000), slice(1000, None))]
        both = halves[0].statistics[Counts] + halves[1].statistics[Counts]
        if weight is None:
            assert both.sums == sparse.sums


def test_many_score_tables_are_added_at_once() -> None:
    rng = np.random.default_rng(0)
    scores = [np.unique(rng.integers(0, 40, 25)) / 40 for _ in range(9)]
    tables = [ScoreTable(x, rng.integers(0, 5, (3, 2, len(x))).astype(float)) for x in scores]
    together, one_by_one = ScoreTable.sum_of(tables), {float(x): np.zeros((3, 2)) for x in np.concatenate(scores)}
    for table in tables:
        for place, score in enumerate(table.scores.tolist()):
            one_by_one[score] += table.weight[..., place]
    assert together.scores.tolist() == sorted(one_by_one)
    assert all((together.weight[..., i] == one_by_one[x]).all() for i, x in enumerate(together.scores.tolist()))
