"""Replicates: drawn as they should be, the same everywhere, and measured as if each were data of its own."""

from __future__ import annotations

import os
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from scipy import stats

import karat
from cases import Problem, problems
from karat import kernels
from karat.core.errors import InputError
from karat.core.measure import measures
from karat.core.statistic import Statistic
from karat.kernels._resampling import ranks
from karat.measures.lookup import find
from karat.measures.value import measures_of
from karat.resampling.confusion_tables import bootstrap_tables, jackknife_tables
from karat.resampling.draws import Deletions, Draws, Resampling, poisson_pairs
from karat.resampling.measure_values import paired_replicates, values_in_replicates
from karat.resampling.replicates import Replicates

Array = Any
ASKED = [*measures.values(), *(find(name) for name in ("macro(F1)", "weighted(AP)", "micro(AUPRC)", "micro(TPR)"))]
ASKED += [measures["LogL"].at(eps=0.0), measures["ECE"].at(bins=2), measures["CalL"].at(digits=1)]


# ------------------------------------------------------------------------------------------------------- the kernels


def column(rng: np.random.Generator, n: int, k: int, distinct: int, j: int) -> tuple[Array, ...]:
    """(order, label, fresh, x) as `Column.of` makes them."""
    x, label = rng.integers(0, distinct, n) / distinct, rng.integers(0, k, n)
    by = np.lexsort((label != j, -x))
    x, label = x[by], label[by].astype(np.int16)
    fresh = np.append(True, x[1:] != x[:-1]).astype(np.uint8)
    return rng.permutation(n).astype(np.int32), label, fresh, x


def kernel_inputs(name: str, rng: np.random.Generator) -> list[tuple[Any, ...]]:
    made: list[tuple[Any, ...]] = []
    for n, k, distinct in ((1, 2, 1), (2, 2, 9), (37, 3, 5), (90, 2, 60), (200, 2, 10**6), (2500, 4, 40)):
        counts, j = rng.poisson(1.5, (5, n)).astype(np.uint8), int(rng.integers(k))
        order, label, fresh, x = column(rng, n, k, distinct, j)
        starts = np.sort(np.concatenate([[0, n], rng.integers(0, n + 1, 3)])).astype(np.int64)
        first = n // 3
        group = rng.integers(0, 7, n).astype(np.int32)
        scores, place = np.unique(x[::-1], return_inverse=True)
        place, own = place.astype(np.int32), (label[::-1] == j).astype(np.uint8)
        first_row = (np.arange(n) == 0).astype(np.uint8)  # so that no replicate is empty
        sizes = np.maximum((counts + first_row).sum(axis=1, dtype=np.int64) // 10, 1)
        ones, others = (np.sort(rng.integers(0, distinct, m) / distinct) for m in (n - first, first))
        made += {
            "totals": [(counts, starts)],
            "weighted_sums": [(counts, at, starts, rng.normal(size=(3, n))) for at in (None, order)],
            "ranks": [(ones, others), (others, ones)],
            "two_class_wins": [(counts, at, first, *ranks(ones, others)[:2]) for at in (None, order)],
            "wins": [(counts, order, label, fresh, j, k)],
            "walk": [(counts, order, label, fresh, x, w, j, k) for w in (None, rng.random(n))],
            "walk_without": [(label, fresh, x, w, group, 7, j, k) for w in (None, rng.random(n))],
            "precisions_without": [(own, place, w, group, 7) for w in (None, rng.random(n))],
            "sides": [(counts, order, own, place, w, len(scores)) for w in (None, rng.random(n))],
            "window_errors": [(counts + first_row, order, own, place, scores, sizes)],
        }[name]
    return made


KERNELS = [name for name in kernels.CHAPTERS["_resampling"] if name != "draw"]
compiled = pytest.mark.skipif(
    kernels.native is None and os.environ.get("CI") != "true", reason="the compiled kernels were not built"
)


@compiled
@pytest.mark.parametrize("name", KERNELS)
def test_twins_give_the_same_numbers(name: str) -> None:
    for arguments in kernel_inputs(name, np.random.default_rng(3)):
        expected, found = (kernels.twin(name, kind)(*arguments) for kind in ("numpy", "native"))
        expected, found = (x if isinstance(x, tuple) else (x,) for x in (expected, found))
        for a, b in zip(expected, found, strict=True):
            np.testing.assert_allclose(b, a, rtol=1e-11, atol=1e-12)


@compiled
@pytest.mark.parametrize("n", [1, 2, 9, 10, 11, 16, 17, 31, 200, 4099])
def test_twins_draw_the_same_cases(n: int) -> None:
    keys = np.random.SeedSequence(n).generate_state(40, np.uint64)
    drawn = [np.zeros((40, n), np.uint8) for _ in range(2)]
    for kind, out in zip(("numpy", "native"), drawn, strict=True):
        kernels.twin("draw", kind)(keys, out, *poisson_pairs(n))
    np.testing.assert_array_equal(*drawn)


@pytest.mark.parametrize("kind", ["numpy", pytest.param("native", marks=compiled)])
@pytest.mark.parametrize(
    "truth",
    [lambda x: x, lambda x: x**5, lambda x: x**0.2, lambda x: (x > 0.5) * 0.9, lambda x: 0 * x, lambda x: 0 * x + 1],
)
def test_windows_are_off_as_they_say(truth: Any, kind: str) -> None:
    """Window after window: its share lies among its scores, below or above all of them, or changes from one to the
    next; and some cases are drawn very often."""
    rng = np.random.default_rng(5)
    n = 900
    x, order = np.sort(rng.random(n)), rng.permutation(n).astype(np.int32)
    own = (rng.random(n) < truth(x)).astype(np.uint8)
    counts = rng.poisson(1, (4, n)).astype(np.uint8)
    counts[0, rng.integers(0, n, 5)] = 200
    sizes = np.array([70, 1, 64, 33])
    found = kernels.twin("window_errors", kind)(counts, order, own, np.arange(n, dtype=np.int32), x, sizes)
    for row, size, value in zip(counts, sizes.tolist(), found, strict=True):
        scores, hits = (
            np.lib.stride_tricks.sliding_window_view(np.repeat(a, row[order]), size) for a in (x, own.astype(float))
        )
        assert value == pytest.approx(np.abs(scores - hits.mean(axis=1, keepdims=True)).mean(), rel=1e-12)


def test_every_kernel_is_compared() -> None:
    assert all(kernel_inputs(name, np.random.default_rng(3)) for name in KERNELS)


# --------------------------------------------------------------------------------------------------------- the draws


@pytest.mark.parametrize("n", [5, 40, 1000])
def test_counts_are_multinomial(n: int) -> None:
    R = 200_000 // n
    counts = Draws.of(7, R, (n,)).counts(slice(0, R)).astype(int)
    assert (counts.sum(axis=1) == n).all()
    seen = np.bincount(counts.ravel(), minlength=6)[:6]
    expected = stats.binom.pmf(range(6), n, 1 / n) * counts.size
    # cells of one replicate are a little dependent, which makes the sum of squares smaller, never larger
    kept = expected > 5
    assert ((seen - expected)[kept] ** 2 / expected[kept]).sum() < stats.chi2.isf(1e-4, kept.sum())
    assert counts.mean(axis=0) == pytest.approx(1, abs=5 / np.sqrt(R))
    if n < 1000:  # two cases exclude each other: covariance -1/n
        pairs = (np.cov(counts.T).sum() - np.trace(np.cov(counts.T))) / (n * (n - 1))
        assert pairs == pytest.approx(-1 / n, rel=0.15)


def test_pairs_of_counts_come_as_often_as_they_should() -> None:
    """The table behind the draws: every limit is the Poisson distribution function of pairs."""
    table, limits, pairs = poisson_pairs(400)
    mean = 1 - 4 / 20
    joint = stats.poisson.pmf(pairs[:-1, 0], mean) * stats.poisson.pmf(pairs[:-1, 1], mean)
    np.testing.assert_allclose(limits[:-1] / 2.0**64, np.cumsum(joint)[:-1], atol=1e-14)
    told = table[:, 0] < 255
    assert told.mean() > 0.98
    at = np.searchsorted(limits, np.arange(4096, dtype=np.uint64) << np.uint64(52), side="right")
    np.testing.assert_array_equal(table[told], pairs[at[told]])


def test_a_seed_gives_the_same_replicates_in_any_part() -> None:
    whole, longer = Draws.of(3, 50, (300,)), Draws.of(3, 80, (300,))
    counts = whole.counts(slice(0, 50))
    np.testing.assert_array_equal(counts[20:30], longer.counts(slice(20, 30)))
    assert (counts != Draws.of(4, 50, (300,)).counts(slice(0, 50))).any()


def test_strata_and_clusters() -> None:
    counts = Draws.of(0, 30, (10, 25)).counts(slice(0, 30))
    assert (counts[:, :10].sum(axis=1) == 10).all()
    assert (counts[:, 10:].sum(axis=1) == 25).all()
    cluster = np.array([0, 0, 1, 2, 2, 2])
    counts = Draws.of(0, 30, (3,), cluster).counts(slice(0, 30))
    assert (counts[:, [0, 2, 3]].sum(axis=1) == 3).all()
    assert (counts[:, [0, 3, 4]] == counts[:, [1, 4, 5]]).all()


def test_deletions() -> None:
    np.testing.assert_array_equal(Deletions.of((3,), 10, 0).counts(slice(0, 3)), 1 - np.eye(3))
    strata = Deletions.of((60, 0, 40), 10, 0)
    np.testing.assert_array_equal(strata.stratum, [0] * 6 + [2] * 4)
    assert (strata.counts(slice(0, 6))[:, 60:] == 1).all()
    rare = Deletions.of((30, 2000), 200, 0)
    assert np.bincount(rare.stratum).tolist() == [30, 197], "each of a few cases is left out alone"
    many = Deletions.of((100,), 7, 0)
    counts = many.counts(slice(0, 7))
    assert ((1 - counts).sum(axis=0) == 1).all()
    assert {14, 15} == set((1 - counts).sum(axis=1).tolist())


def test_tables_are_drawn_with_their_totals() -> None:
    table = np.array([[30.0, 10], [0, 20]])
    found = np.concatenate(list(bootstrap_tables(table, 4000, 0)))
    assert (found.sum(axis=(1, 2)) == 60).all()
    assert (found[:, 1, 0] == 0).all()
    assert found.mean(axis=0) == pytest.approx(table, abs=0.4)
    assert found[:, 0, 0].var() == pytest.approx(60 * 0.5 * 0.5, rel=0.1)
    found = np.concatenate(list(bootstrap_tables(table, 100, 0, stratified=True)))
    assert (found.sum(axis=2) == [40, 20]).all()


def test_tables_without_cases() -> None:
    table = np.array([[3.0, 1], [0, 2]])
    parts, times, row = jackknife_tables(table, 10, 0)
    np.testing.assert_array_equal(times, [3, 1, 2])
    np.testing.assert_array_equal(row, [0, 0, 1])
    np.testing.assert_array_equal(np.concatenate(list(parts))[1], [[3, 0], [0, 2]])
    rng = np.random.default_rng(0)
    large = rng.integers(0, 9, (20, 20)).astype(float)
    parts, times, row = jackknife_tables(large, 50, 0)
    lost = large - np.concatenate(list(parts))
    np.testing.assert_array_equal(lost.sum(axis=0), large)
    assert (lost.sum(axis=2)[np.arange(len(row)), row] == lost.sum(axis=(1, 2))).all()


# ------------------------------------------------------------------------------ replicates as data of their own


SOME = [p for i, p in enumerate(problems()) if i % 5 == 1 or "-n40-" in p.name]


@pytest.mark.parametrize("problem", SOME, ids=repr)
def test_every_measure_of_every_replicate(problem: Problem) -> None:
    """... is that of the cases with the counts as weights, or repeated as often as they were drawn."""
    compare_with_single_evaluations(problem.evaluated())


@pytest.mark.parametrize("positive", [0, 1])
@pytest.mark.parametrize("kind", ["spread", "ties", "weighted", "near 1", "scores", "decided"])
def test_every_measure_of_every_replicate_of_one_column(kind: str, positive: int) -> None:
    """The other column is its mirror image by definition."""
    rng = np.random.default_rng(5)
    y, x = rng.integers(0, 2, 60), rng.random(60)
    weight = rng.integers(0, 3, 60) + (np.arange(60) == 0) if kind == "weighted" else None
    x = np.round(x, 1) if kind in ("ties", "weighted") else 1 - x * 1e-15 if kind == "near 1" else x
    if kind == "scores":
        compare_with_single_evaluations(karat.evaluate(y, y_score=10 * x - 3, positive=positive))
    elif kind == "decided":
        compare_with_single_evaluations(karat.evaluate(y, y_pred=(x > 0.5).astype(int), positive=positive))
    else:
        compare_with_single_evaluations(karat.evaluate(y, x, sample_weight=weight, positive=positive))


@pytest.mark.parametrize("kind", ["spread", "ties", "weighted", "near 0", "near 1", "both apart"])
def test_every_measure_of_every_replicate_of_two_columns(kind: str) -> None:
    """One is walked over where it tells all of the other; where 1 - p makes or hides ties both are."""
    rng = np.random.default_rng(6)
    y, x = rng.integers(0, 2, 60), rng.random(60)
    weight = rng.integers(0, 3, 60) + (np.arange(60) == 0) if kind == "weighted" else None
    x = np.round(x, 1) if kind in ("ties", "weighted") else x * 1e-17 if kind == "near 0" else x
    x = 1 - x * 1e-15 if kind == "near 1" else x
    first = 1 - x + (1e-7 * rng.random(60) if kind == "both apart" else 0)
    evaluation = karat.evaluate(y, np.stack([first, x], axis=1), sample_weight=weight, positive=1)
    walked = Replicates(evaluation.statistics.source)._walked({})  # type: ignore[arg-type]
    assert tuple(walked) == ((0, 1) if kind in ("near 0", "both apart") else (1,))
    compare_with_single_evaluations(evaluation)


def compare_with_single_evaluations(evaluation: karat.Evaluation) -> None:
    summary = evaluation.statistics
    asked = measures_of([m for m in ASKED if not summary.lacks(m.statistic)], None, summary)
    of: Any = Replicates(summary.source)  # type: ignore[arg-type]
    drawn = of.draws(Resampling.of(replicates=3, seed=11), None)
    found = values_in_replicates(asked, of, drawn)
    counts = drawn.counts(slice(0, 3))
    for weighted in (True, False):
        for r, one in enumerate(of.one_by_one(counts, weighted)):
            if one.source.class_weight.sum() == 0:
                continue
            for t in asked:
                if weighted and not t.kind.weighted:
                    continue
                with np.errstate(all="ignore"):
                    expected = t.value(one)
                assert found[t.key][r] == pytest.approx(expected, rel=1e-8, abs=1e-9, nan_ok=True), (t.key, weighted)


class Highest(Statistic):
    """A statistic of a user's own, of which karat knows nothing."""

    def __init__(self, value: float) -> None:
        self.value = value

    @classmethod
    def of(cls, predictions: Any, **parameters: Any) -> Highest:
        w = np.ones(predictions.n) if predictions.weight is None else predictions.weight[0]
        return cls(float((w * predictions.scores[0, :, 0]).max()))


def test_a_statistic_of_a_users_own_is_taken_one_replicate_at_a_time() -> None:
    from dataclasses import replace

    made = replace(measures["Acc"], symbol="Own", function=lambda s: s.value, statistic=Highest)
    summary = next(p for p in problems() if p.name == "k2-n40").evaluated().statistics
    of: Any = Replicates(summary.source)  # type: ignore[arg-type]
    drawn = of.draws(Resampling.of(replicates=4), None)
    found = values_in_replicates(measures_of([made], None, summary), of, drawn)["Own"]
    p = summary.source.scores[0, of.order, 0]  # type: ignore[union-attr, index]
    assert found == pytest.approx((drawn.counts(slice(0, 4)) * p).max(axis=1))


def test_threads_do_not_change_a_number() -> None:
    rng = np.random.default_rng(0)
    y, p = rng.integers(0, 3, 3000), rng.dirichlet([1, 1, 1], 3000)
    e = karat.evaluate(y, p)
    asked = ["AUNU", "SAUC", "LogL", "CalB", "macro(AP)", "rpCEN"]
    one, two = (e.intervals(asked, replicates=300, workers=w).to_dict() for w in (1, 3))
    assert one == two


def test_models_are_compared_on_the_same_draws() -> None:
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 300)
    good = 1 / (1 + np.exp(-rng.normal(2 * y - 1)))
    models = {"good": good, "same": good, "bad": rng.random(300)}
    sources = {name: karat.evaluate(y, p).statistics for name, p in models.items()}
    asked = ["AUC", "Acc", "LogL", find("KS"), "CalB"]
    found = paired_replicates(sources, asked, Resampling.of(replicates=200, seed=5))
    for key in ("AUC", "Acc", "LogL", "KS", "CalB"):
        np.testing.assert_array_equal(found["good"][key], found["same"][key])
    assert (found["good"]["AUC"] > found["bad"]["AUC"]).all()
    order = np.argsort(y, kind="stable")
    counts = Draws.of(5, 200, (300,)).counts(slice(0, 200))
    at = [np.repeat(order, row) for row in counts[:3]]
    assert found["bad"]["AUC"][:3] == pytest.approx([karat.evaluate(y[i], models["bad"][i])["AUC"] for i in at])
    with pytest.raises(InputError, match="different y_true"):
        paired_replicates({"a": sources["good"], "b": karat.evaluate(1 - y, good).statistics}, asked, Resampling.of())
    with pytest.raises(InputError, match="a model is a confusion matrix"):
        paired_replicates({"a": karat.evaluate_matrix([[1, 2], [3, 4]]).statistics}, asked, Resampling.of())


# ---------------------------------------------------------------------------------------- what is counted in one go


@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("most", [3, 40, 10**6])
def test_joined_score_tables_are_sums_of_neighbouring_scores(classes: int, weighted: bool, most: int) -> None:
    rng = np.random.default_rng(classes)
    y, p = rng.integers(0, classes, 700), rng.dirichlet(np.ones(classes), 700)
    given = p[:, 1] if classes == 2 else p
    e = karat.evaluate(y, given, sample_weight=rng.random(700) if weighted else None)
    replicates = Replicates(e.statistics.source.cases)
    for j in range(classes):
        whole = replicates.scores_of_class(j)
        starts = np.unique(np.append(0, rng.integers(0, len(whole.scores), min(most, 5000))))
        counts = rng.poisson(1.0, (6, 700)).astype(np.uint8)
        found = whole.joined(starts).table(counts)
        expected = np.add.reduceat(whole.table(counts).weight, starts, axis=-1)
        np.testing.assert_array_equal(found.scores, whole.scores[starts])
        np.testing.assert_allclose(found.weight, expected, rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("digits", [2, 16])
@pytest.mark.parametrize("weighted", [False, True])
def test_average_precision_without_each_group_is_that_of_the_other_cases(weighted: bool, digits: int) -> None:
    rng = np.random.default_rng(digits)
    y, p = rng.integers(0, 3, 1200), np.round(rng.dirichlet(np.ones(3), 1200), digits)
    p[:, 0] = np.maximum(1 - p[:, 1:].sum(axis=1), 0)
    weight = rng.random(1200) if weighted else None
    e = karat.evaluate(y, p, sample_weight=weight)
    wanted = measures_of([find("AP"), find("macro(AP)"), find("weighted(AP)")], "all", e.statistics)
    replicates = Replicates(e.statistics.source.cases)
    out = Deletions.of((1200,), 40, 0)
    found = values_in_replicates(wanted, replicates, out)
    for g in range(0, out.rows, 7):
        kept = np.sort(replicates.order[out.group != g])
        part = karat.evaluate(y[kept], p[kept], sample_weight=None if weight is None else weight[kept])
        for m in wanted:
            np.testing.assert_allclose(found[m.key][g], m.value(part.statistics), rtol=1e-12)


def test_what_is_said_of_exchanged_predictions_holds_for_them() -> None:
    """Scores are sorted by their bits because of what was seen of both models: the least and greatest sizes, how far
    rows are from one, and signs; none may be said of one model alone."""
    from karat.resampling.exchanges import _exchanged

    rng = np.random.default_rng(4)
    p = rng.dirichlet(np.ones(3), 20)
    y = np.arange(20) % 3
    far = p.copy()
    far[3] += [4e-7, 0, 0]
    low = p.copy()
    low[5] = [1e-9, 1 - 1e-9, 0]
    for one, other in permutations([p, far, low], 2):
        a, b = (karat.evaluate(y, x).statistics.source for x in (one, other))
        mask = rng.random((8, 20)) < 0.5
        made = _exchanged(a, b, mask)
        extent, held = made.extent, np.concatenate([one, other])
        assert np.array_equal(made.scores, np.where(mask[:, :, None], other, one))
        assert extent.low <= held[held > 0].min()
        assert extent.high >= held.max()
        assert extent.uneven >= 0.99 * np.abs(held.sum(axis=1) - 1).max()
        assert not extent.negative
    signed = karat.evaluate(y, y_score=rng.normal(size=(20, 3))).statistics.source
    plain = karat.evaluate(y, y_score=rng.random((20, 3))).statistics.source
    for a, b in ((signed, plain), (plain, signed)):
        assert _exchanged(a, b, np.zeros((1, 20), bool)).extent.negative
