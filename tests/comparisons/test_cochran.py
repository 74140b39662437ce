"""Cochran's Q."""

from __future__ import annotations

import itertools
import json
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy import stats

import karat
from karat.comparisons.cochran import cochran, cochran_of
from karat.comparisons.mcnemar import METHODS, mcnemar_of
from levels import keeps_its_level

NAMES = ("a", "b", "c", "d")
NIST = [[1, 1, 1], [1, 1, 1], [0, 1, 0], [1, 1, 0], [0, 0, 0], [1, 1, 1], [1, 1, 1], [1, 1, 0], [0, 0, 1], [0, 1, 0],
        [1, 1, 1], [1, 1, 1]]  # fmt: skip
"""Dataplot's manual (from Conover): three players predict twelve games."""
OTHER = [[1, 1, 0], [1, 1, 0], [1, 0, 0], [1, 1, 1], [0, 1, 0], [1, 0, 0], [1, 1, 0], [1, 1, 0], [0, 0, 0], [1, 1, 1],
         [1, 0, 0], [1, 1, 0]]  # fmt: skip


def literal_q(x: Any) -> Fraction:
    """The definition, with loops."""
    k = len(x[0])
    columns = [sum(row[j] for row in x) for j in range(k)]
    rows = [sum(row) for row in x]
    above = (k - 1) * (k * sum(c * c for c in columns) - sum(columns) ** 2)
    return Fraction(above, k * sum(rows) - sum(r * r for r in rows))


def by_all_exchanges(x: Any) -> Fraction:
    """Every order of the answers within every case."""
    seen = literal_q(x)
    values = [literal_q(rows) for rows in itertools.product(*(sorted(set(itertools.permutations(row))) for row in x))]
    return Fraction(sum(v >= seen for v in values), len(values))


@pytest.mark.parametrize(
    ("x", "q", "p"), [(NIST, 2.8, 0.246597), (OTHER, 104 / 9, 0.003095586852365)], ids=["conover", "statsmodels"]
)
def test_worked_examples(x: Any, q: float, p: float) -> None:
    """Conover's, as Dataplot's manual prints it; and statsmodels' cochrans_q."""
    test = cochran_of(np.array(x, bool), NAMES[:3], "chi-square")
    assert (test.statistic, test.df) == (pytest.approx(q, abs=1e-12), 2)
    assert test.p == pytest.approx(p, abs=5e-7)


def test_the_definition_and_the_chi_square_law() -> None:
    rng = np.random.default_rng(4)
    for k, n in ((2, 30), (3, 20), (4, 200), (7, 50)):
        x = rng.random((n, k)) < rng.random(k)
        test = cochran_of(x, tuple(map(str, range(k))), "chi-square")
        assert test.statistic == pytest.approx(float(literal_q(x.astype(int).tolist())), rel=1e-12)
        assert test.p == pytest.approx(stats.chi2.sf(test.statistic, k - 1), rel=1e-9)
        assert test.right == tuple(x.sum(axis=0))
        assert test.mixed == sum(0 < sum(row) < k for row in x.tolist())


def test_the_exact_p_value_is_that_of_all_exchanges() -> None:
    rng = np.random.default_rng(5)
    smaller = 0
    for _ in range(30):
        k = int(rng.integers(3, 5))
        x = (rng.random((6 if k == 3 else 4, k)) < 0.5).astype(int)
        if all(sum(row) in (0, k) for row in x.tolist()):
            continue
        test = cochran_of(x.astype(bool), NAMES[:k])
        assert test.method == "exact"
        assert test.p == pytest.approx(float(by_all_exchanges(x.tolist())), rel=1e-13)
        smaller += test.p < 1
    assert smaller > 10


def test_the_smallest_p_value_is_that_of_the_most_unequal_exchange() -> None:
    for x in ([[1, 0, 0], [1, 1, 0], [0, 1, 0]], [[1, 0, 0, 0], [1, 1, 1, 0], [1, 1, 0, 0]], [[1, 0, 0], [0, 1, 0]]):
        every = [
            literal_q(rows) for rows in itertools.product(*(sorted(set(itertools.permutations(row))) for row in x))
        ]
        least = Fraction(sum(v == max(every) for v in every), len(every))
        assert cochran_of(np.array(x, bool), NAMES[: len(x[0])]).smallest_p == pytest.approx(float(least), rel=1e-13)
    few = cochran_of(np.array([[1, 0, 0], [1, 0, 0], [1, 1, 1]], bool), NAMES[:3])
    assert few.p == few.smallest_p == pytest.approx(1 / 3)
    assert few.verdict.startswith(
        "No test could show a significant difference in accuracy: the models differ on 2 cases only, so p can't "
        "be below 0.333 ("
    )


def test_of_two_models_it_is_mcnemars() -> None:
    rng = np.random.default_rng(6)
    for n in (5, 40, 3000):
        x = rng.random((n, 2)) < (0.5, 0.6)
        both = int((x[:, 0] & ~x[:, 1]).sum()), int((x[:, 1] & ~x[:, 0]).sum())
        q, p = METHODS["chi-square"](*both)
        test = cochran_of(x, ("a", "b"), "chi-square")
        assert (test.statistic, test.p) == pytest.approx((q, p), rel=1e-12)
        assert cochran_of(x, ("a", "b")).method == "exact"
        assert cochran_of(x, ("a", "b")).p == mcnemar_of(*x.T).p


def test_sampled_exchanges_agree_with_all() -> None:
    x = np.random.default_rng(7).random((30, 3)) < (0.5, 0.7, 0.8)
    exact, drawn = cochran_of(x, NAMES[:3]), cochran_of(x, NAMES[:3], "sampled", 20_000)
    assert drawn.p == pytest.approx(exact.p, abs=4 * math.sqrt(exact.p * (1 - exact.p) / 20_000))
    assert 0.001 < exact.p < 0.5
    assert (drawn.method, drawn.replicates) == ("sampled", 20_000)
    assert drawn.p == cochran_of(x, NAMES[:3], "sampled", 20_000).p
    sure = cochran_of(np.array([[1, 0, 0]] * 60, bool), NAMES[:3], "sampled", 99)
    assert sure.p == sure.smallest_p == 0.01  # never 0


def test_it_keeps_its_level() -> None:
    rng = np.random.default_rng(8)
    hard = rng.random((1500, 25, 1))  # some cases are harder than others, for all models alike
    right = rng.random((1500, 25, 3)) < hard
    tests = [cochran_of(x, NAMES[:3]) for x in right]
    assert {t.method for t in tests} == {"exact"}
    assert keeps_its_level([t.p <= 0.05 for t in tests], 0.05, exactly=False)
    assert np.mean([t.p <= 0.05 for t in tests]) > 0.025
    better = rng.random((200, 60, 3)) < np.clip(rng.random((200, 60, 1)) + np.array([0, 0, 0.3]), 0, 1)
    assert np.mean([cochran_of(x, NAMES[:3]).p <= 0.05 for x in better]) > 0.8


def test_words_refusals_and_the_size_of_the_effect() -> None:
    y = ["x"] * 6 + ["y"] * 4
    models = {"good": y, "poor": ["y"] * 10, "worst": ["y"] * 6 + ["x"] * 4}
    test = karat.cochran(y, models)
    assert test.right == (10, 4, 0)
    assert test.verdict.startswith(
        "The models differ significantly in accuracy (correct: good 10, poor 4 and worst 0 of 10 cases; Q(2) = "
    )
    assert test.to_table().columns["accuracy"] == [1.0, 0.4, 0.0]
    assert test.eta_squared == pytest.approx(float(literal_q([[1, 0, 0]] * 6 + [[1, 1, 0]] * 4)) / 20)
    assert test.to_table().columns["model"] == ["good", "poor", "worst"]
    assert json.loads(json.dumps(test.to_dict()))["eta_squared"] == test.eta_squared
    alike = karat.cochran(y, {"a": y, "b": y})
    assert (alike.p, alike.to_dict()["statistic"]) == (1, None)
    assert "correct on the same cases" in alike.verdict
    for wrong in ({"a": y}, [y, y]):
        with pytest.raises(karat.InputError, match="two or more models by name"):
            karat.cochran(y, wrong)  # type: ignore[arg-type]
    with pytest.raises(karat.InputError, match="weights"):
        cochran(y, models, sample_weight=[1] * 10)
    with pytest.raises(karat.InputError, match="method is 'fisher'"):
        cochran(y, models, method="fisher")
    rng = np.random.default_rng(1)
    with pytest.raises(karat.InputError, match="method='sampled'"):
        cochran_of(rng.random((40, 24)) < 0.5, tuple(map(str, range(24))), "exact")
    with pytest.raises(karat.InputError, match="confidence"):
        cochran(y, models, level=0.05)


def test_chi_square_claims_nothing_that_all_exchanges_could_not_show() -> None:
    """Of all 27 ways to exchange the answers to three cases, 3 are as uneven; chi-square has .0498."""
    test = karat.cochran([1] * 3, {"a": [1] * 3, "b": [0] * 3, "c": [0] * 3}, method="chi-square")
    assert (test.p, test.smallest_p) == pytest.approx((math.exp(-3), 3 / 27))
    assert not test.differs
    assert test.verdict.startswith(
        "No test could show a significant difference in accuracy: the models differ on 3 cases"
    )
    assert "p can't be below 0.111" in test.verdict
    assert test.verdict.endswith("p = 0.050 by chi-square, which is not valid for so few).")


def test_one_case_is_said_in_the_singular() -> None:
    assert "of 1 case;" in karat.cochran([1], {"a": [1], "b": [0], "c": [0]}).verdict


@pytest.mark.parametrize("method", ["auto", "chi-square"])
def test_no_p_value_is_0(method: str) -> None:
    n = 20_000
    test = cochran([1] * n, {"a": [1] * n, "b": [0] * n, "c": [0] * n}, method=method)
    assert 0 < test.smallest_p < 1e-300
    assert test.p > 0
