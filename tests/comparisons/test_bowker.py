"""Bowker's test of symmetry."""

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
from karat.comparisons.bowker import bowker, bowker_of
from karat.comparisons.mcnemar import METHODS
from levels import keeps_its_level

VISION = [[1520, 266, 124, 66], [234, 1512, 432, 78], [117, 362, 1772, 205], [36, 82, 179, 492]]
"""Unaided vision of both eyes of 7,477 women (Stuart 1953)."""


def literal(table: Any) -> tuple[Fraction, int]:
    """Statistic and pairs of classes that occur, with loops."""
    total, pairs = Fraction(0), 0
    for i, j in itertools.combinations(range(len(table)), 2):
        a, b = int(table[i][j]), int(table[j][i])
        if a + b:
            total, pairs = total + Fraction((a - b) ** 2, a + b), pairs + 1
    return total, pairs


def by_all_tosses(table: Any) -> Fraction:
    """Each disagreement goes either way: all ways, in whole numbers."""
    seen, _ = literal(table)
    cells = [(int(table[i][j] + table[j][i])) for i, j in itertools.combinations(range(len(table)), 2)]
    large = 0
    for heads in itertools.product(*(range(t + 1) for t in cells)):
        x = sum((Fraction((2 * h - t) ** 2, t) for h, t in zip(heads, cells, strict=True) if t), Fraction(0))
        if x >= seen:
            large += math.prod(math.comb(t, h) for h, t in zip(heads, cells, strict=True))
    return Fraction(large, 2 ** sum(cells))


def test_the_vision_of_women() -> None:
    """Bowker's statistic of Stuart's table is 19.11 with 6 degrees of freedom, p = .004, in the textbooks."""
    test = bowker_of(np.array(VISION), (1, 2, 3, 4))
    assert (test.statistic, test.df, test.method) == (pytest.approx(19.107, abs=1e-3), 6, "chi-square")
    assert test.p == pytest.approx(stats.chi2.sf(float(literal(VISION)[0]), 6), rel=1e-9)
    assert test.p == pytest.approx(0.004, abs=5e-5)
    assert bowker_of(np.array(VISION), (1, 2, 3, 4), "sampled", 20_000).p == pytest.approx(test.p, abs=0.002)
    assert test.most_uneven == (1, 4, 66, 36)  # 8.8 of 19.1
    assert "most of all A predicts 1 where B predicts 4 in 66 cases, and the other way round in 36." in test.verdict


def test_the_exact_p_value_is_that_of_all_tosses() -> None:
    rng = np.random.default_rng(3)
    below = 0
    for _ in range(25):
        k = int(rng.integers(2, 5))
        table = rng.poisson(1.2 if k == 4 else 3, (k, k))
        test = bowker_of(table, tuple(range(k)))
        total, pairs = literal(table)
        assert test.df == pairs
        if pairs:
            assert (test.method, test.statistic) == ("exact", pytest.approx(float(total), abs=1e-12))
            assert test.p == pytest.approx(float(by_all_tosses(table)), rel=1e-10)
            below += test.p < 0.5
        most = np.triu(table + table.T, 1)  # all of each pair of classes one way
        assert bowker_of(most, tuple(range(k))).p == pytest.approx(test.smallest_p, rel=1e-10)
    assert below > 3


def test_of_two_classes_it_is_mcnemars_of_the_same_table() -> None:
    for b, c in ((7, 1), (12, 30), (0, 3), (5, 5), (400, 310)):
        table = np.array([[9, b], [c, 4]])
        statistic, p = METHODS["chi-square"](b, c)
        test = bowker_of(table, ("no", "yes"), "chi-square")
        assert (test.statistic, test.p, test.df) == (pytest.approx(statistic), pytest.approx(p), 1)
        assert bowker_of(table, ("no", "yes"), "exact").p == pytest.approx(METHODS["exact"](b, c)[1], rel=1e-9)


def test_it_keeps_its_level_and_finds_what_is_uneven() -> None:
    rng = np.random.default_rng(9)
    even = np.array([[20, 4, 2], [4, 20, 1], [2, 1, 20]]) / 74
    tables = rng.multinomial(60, even.ravel(), 3000).reshape(-1, 3, 3)
    p = np.array([bowker_of(t, (0, 1, 2)).p for t in tables])
    assert keeps_its_level(p <= 0.05, 0.05, exactly=False)
    assert (p <= 0.05).mean() > 0.02
    many = rng.multinomial(3000, even.ravel(), 2000).reshape(-1, 3, 3)
    assert keeps_its_level([bowker_of(t, (0, 1, 2), "chi-square").p <= 0.05 for t in many], 0.05)
    uneven = np.array([[20, 8, 2], [1, 20, 1], [2, 1, 20]]) / 75
    found = rng.multinomial(150, uneven.ravel(), 200).reshape(-1, 3, 3)
    assert np.mean([bowker_of(t, (0, 1, 2)).p <= 0.05 for t in found]) > 0.7


def test_words_and_refusals() -> None:
    first, second = ["cat"] * 12 + ["dog"] * 8, ["dog"] * 9 + ["cat"] * 3 + ["dog"] * 7 + ["eel"]
    test = karat.bowker(first, second, names=("tree", "net"))
    assert test.classes == ("cat", "dog", "eel")
    assert test.table == [[3, 9, 0], [0, 7, 1], [0, 0, 0]]
    assert (test.n, test.disagreements, test.p) == (20, 10, pytest.approx(2 / 2**9))
    assert test.verdict.startswith(
        "The disagreements of tree and net are significantly asymmetric (10 of 20 cases; chi-square(2) = 10, p = 0.004)"
    )
    assert test.to_table().columns["dog"] == [9, 7, 0]
    assert json.loads(json.dumps(test.to_dict()))["disagreements"] == 10
    alike = karat.bowker(first, first)
    assert (alike.p, alike.to_dict()["statistic"]) == (1, None)
    assert alike.verdict == "A and B predict the same class in all 20 cases."
    few = karat.bowker(["a", "a", "b"], ["b", "b", "b"])
    assert few.p == few.smallest_p == 0.5
    assert few.verdict.startswith(
        "No test could show that the disagreements of A and B are asymmetric: they are so few that p can't be below "
        "0.500 ("
    )
    even = karat.bowker(["a"] * 10 + ["b"] * 10, ["b"] * 10 + ["a"] * 10)
    assert even.verdict.startswith("The disagreements of A and B are not significantly asymmetric (20 of 20 cases")
    with pytest.raises(karat.InputError, match="weights"):
        bowker(first, second, sample_weight=[1.0] * 20)
    with pytest.raises(karat.InputError, match="method is 'x'"):
        bowker(first, second, method="x")
    with pytest.raises(karat.InputError, match="method='sampled'"):
        bowker_of(np.random.default_rng(2).poisson(30, (12, 12)), tuple(range(12)), "exact")
    with pytest.raises(karat.InputError, match="confidence"):
        bowker(first, second, level=0.05)


def test_chi_square_claims_nothing_that_all_tosses_could_not_show() -> None:
    test = karat.bowker([1] * 4, [0] * 4, method="chi-square")
    assert (test.p, test.smallest_p) == pytest.approx((stats.chi2.sf(4, 1), 2 / 2**4))
    assert not test.differs
    assert "they are so few that p can't be below 0.125" in test.verdict


def test_one_case_is_said_in_the_singular() -> None:
    assert "(1 of 1 case;" in karat.bowker([1], [0]).verdict
    assert karat.bowker([1], [1]).verdict == "A and B predict the same class in the only case."
    more = karat.bowker([1] * 30 + [0], [0] * 30 + [1]).verdict
    assert "in 30 cases, and the other way round in 1." in more


@pytest.mark.parametrize("method", ["auto", "chi-square"])
def test_no_p_value_is_0(method: str) -> None:
    test = bowker([1] * 20_000, [0] * 20_000, method=method)
    assert 0 < test.smallest_p < 1e-300
    assert 0 < test.p < 1e-300


@pytest.mark.parametrize("names", [("only",), "ab", ("a", "b", "c"), 2])
@pytest.mark.parametrize(
    "test",
    [
        lambda names: karat.bowker([1, 0], [0, 1], names=names),
        lambda names: karat.mcnemar([1, 0], [0, 1], [1, 1], names=names),
        lambda names: karat.permutation_test("Acc", [1, 0], y_pred=([0, 1], [1, 1]), names=names),
        lambda names: karat.equivalence(0.1, 0.1, 0.2, names=names),
    ],
)
def test_two_models_have_two_names(test: Any, names: Any) -> None:
    with pytest.raises(karat.InputError, match=r"^names is .*; give two, such as \(.forest., .tree.\)\.$"):
        test(names)


def test_models_of_other_numbers_of_cases_are_refused_in_its_own_words() -> None:
    with pytest.raises(
        karat.InputError, match=r"^first has 2 cases and second 1; give predictions of the same cases\.$"
    ):
        karat.bowker([1, 2], [1])
    with pytest.raises(karat.InputError, match=r"^y_pred has 1 case and y_true has 2; "):
        karat.mcnemar([1, 0], [1], [1, 0])


@pytest.mark.parametrize(
    ("first", "second", "words"),
    [
        (["a", "b"], [0, 1], "first holds str labels and second holds int labels; give both in one type."),
        ([], [], "first is empty; give at least one case."),
        (["a", "b"], ["a", None], "second has missing labels (None); fill or remove those cases first."),
        ([0, 1], [0.5, 0.1], "second holds the real number 0.5 at case 0, and labels name classes; pass labels as "),
    ],
)
def test_its_arguments_are_called_by_their_names(first: list[Any], second: list[Any], words: str) -> None:
    with pytest.raises(karat.InputError) as refused:
        karat.bowker(first, second)
    assert str(refused.value).startswith(words)
