"""Many models on many data sets: ranks, Friedman, Nemenyi, Holm, and the long table they come from."""

from __future__ import annotations

import itertools
import json
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from scipy import stats

import karat
from karat.across.across import Across, compare_across
from karat.across.rank_tests import (
    against_control,
    critical_difference,
    critical_rank_difference,
    friedman,
    nemenyi,
    studentized_range_tail,
)
from karat.across.results import Results
from karat.across.signed_ranks import wilcoxon
from karat.statistics.ranks import RankTable, places, tie_loss
from levels import keeps_its_level
from optional import pandas as pd
from optional import polars as pl

# Demsar 2006, Table 6: AUC of C4.5 without and with tuned -m and -cf on 14 data sets
NAMES = ["C4.5", "C4.5+m", "C4.5+cf", "C4.5+m+cf"]
DEMSAR = [
    [0.763, 0.768, 0.771, 0.798],
    [0.599, 0.591, 0.590, 0.569],
    [0.954, 0.971, 0.968, 0.967],
    [0.628, 0.661, 0.654, 0.657],
    [0.882, 0.888, 0.886, 0.898],
    [0.936, 0.931, 0.916, 0.931],
    [0.661, 0.668, 0.609, 0.685],
    [0.583, 0.583, 0.563, 0.625],
    [0.775, 0.838, 0.866, 0.875],
    [1.000, 1.000, 1.000, 1.000],
    [0.940, 0.962, 0.965, 0.962],
    [0.619, 0.666, 0.614, 0.669],
    [0.972, 0.981, 0.9751, 0.975],  # both print .975, with the ranks 2 and 3
    [0.957, 0.978, 0.946, 0.970],
]


def test_demsar_friedman() -> None:
    """Average ranks, chi-square 9.28 (not corrected for ties), F 3.69."""
    found = friedman(DEMSAR, NAMES, correct_ties=False)
    assert found.average_ranks == pytest.approx((3.143, 2.000, 2.893, 1.964), abs=5e-4)
    assert found.chi_square == pytest.approx(9.28, abs=5e-3)
    assert found.f == pytest.approx(3.69, abs=5e-3)
    assert found.degrees == (3, 39)
    assert found.differs
    assert found.verdict == "The models differ significantly (Friedman: F(3, 39) = 3.69, p = 0.020)."


def test_demsar_nemenyi() -> None:
    """The critical difference for 4 classifiers and 14 data sets is 1.25 at .05 and 1.12 at .10, where
    C4.5 is worse than C4.5+m and C4.5+m+cf, and nothing else is found."""
    assert critical_rank_difference(4, 14, 0.95) == pytest.approx(1.25, abs=5e-3)
    found = critical_difference(DEMSAR, NAMES, level=0.9)
    assert found.cd == pytest.approx(1.12, abs=5e-3)
    assert found.names == ("C4.5+m+cf", "C4.5+m", "C4.5+cf", "C4.5")
    assert found.cliques == (("C4.5+m+cf", "C4.5+m", "C4.5+cf"), ("C4.5+cf", "C4.5"))
    sure = {pair[:2] for pair in nemenyi(DEMSAR, NAMES, level=0.9).pairs if pair[2] <= 0.1}
    assert sure == {("C4.5+m+cf", "C4.5"), ("C4.5+m", "C4.5")}
    assert found.verdict == (
        "C4.5+m+cf ranks best (1.96); no significant difference from C4.5+m and C4.5+cf (CD 1.12), but significantly "
        "better than C4.5."
    )
    assert critical_difference(DEMSAR, NAMES).cliques == (tuple(found.names),)
    assert found.to_table().columns["group"] == ["a", "a", "ab", "b"]


def test_demsar_holm() -> None:
    """C4.5 as the control: z and p; Holm rejects the first two at .05."""
    found = against_control(DEMSAR, "C4.5", NAMES)
    assert found.names == ("C4.5+m+cf", "C4.5+m", "C4.5+cf")
    assert found.z == pytest.approx((2.416, 2.342, 0.512), abs=2e-3)  # they round the ranks first
    assert found.p_values == pytest.approx((0.016, 0.019, 0.607), abs=2e-3)  # z = .512 has p = .609, they print .607
    assert [p <= 0.05 for p in found.adjusted] == [True, True, False]
    assert found.verdict == "C4.5+m+cf and C4.5+m are significantly better than C4.5 (Holm, level 0.95)."
    bonferroni = against_control(DEMSAR, "C4.5", NAMES, correction="bonferroni")
    assert bonferroni.adjusted[0] == pytest.approx(3 * found.p_values[0])


def test_demsar_wilcoxon() -> None:
    """C4.5 against C4.5+m: rank sums 93 and 12, differences of equal size sharing their rank although
    floating point tells them apart; below the critical value 21."""
    values = np.array(DEMSAR)
    found = wilcoxon(values[:, 1], values[:, 0], zeros="zsplit")
    assert (found.for_first, found.for_second, found.statistic) == (93, 12, 12)
    assert found.p < 0.05


@pytest.mark.parametrize("k", [2, 3, 10])
@pytest.mark.parametrize("ties", [False, True])
def test_friedman_agrees_with_scipy(k: int, ties: bool) -> None:
    rng = np.random.default_rng(k)
    values = rng.integers(0, 4, (12, k)) / 4 if ties else rng.random((12, k))
    found = friedman(values)
    if k > 2:
        peer = stats.friedmanchisquare(*values.T)
        assert (found.chi_square, found.chi_square_p) == pytest.approx((peer.statistic, peer.pvalue), abs=1e-9)
    assert friedman(-values, lower_is_better=True).to_dict() == found.to_dict()
    assert friedman({f"model {j + 1}": values[:, j] for j in range(k)}).to_dict() == found.to_dict()
    assert friedman(pd.DataFrame(values)).f == found.f


def test_friedman_at_the_ends() -> None:
    always = friedman([[1, 2, 3]] * 5)
    assert math.isinf(always.f)
    assert always.f_p == 0
    assert always.differs
    never = friedman(np.ones((5, 3)))
    assert math.isnan(never.chi_square)
    assert "equal on every data set" in never.verdict
    assert never.to_dict()["f_p"] is None
    assert not never.differs


@pytest.mark.parametrize("k", [2, 3, 5, 10, 40])
def test_studentized_range_agrees_with_scipy(k: int) -> None:
    q = np.array([0.0, 0.3, 1, 2.5, 4, 6])
    assert studentized_range_tail(q, k) == pytest.approx(stats.studentized_range.sf(q, k, np.inf), abs=1e-9)
    cd = critical_rank_difference(k, 20, 0.95)
    assert cd / math.sqrt(k * (k + 1) / 120) * math.sqrt(2) == pytest.approx(
        stats.studentized_range.isf(0.05, k, np.inf), abs=1e-6
    )
    # far out the range of two values has the tail of a normal difference
    assert studentized_range_tail(30.0, 2) == pytest.approx(2 * stats.norm.sf(30 / math.sqrt(2)), rel=1e-9)


def test_nemenyi_agrees_with_scikit_posthocs() -> None:
    peer = pytest.importorskip("scikit_posthocs")
    values = np.random.default_rng(1).random((9, 5)).round(1)
    assert nemenyi(values).p_values == pytest.approx(peer.posthoc_nemenyi_friedman(values).to_numpy(), abs=1e-9)


def test_rank_tests_keep_their_level() -> None:
    rng = np.random.default_rng(3)
    found: dict[str, list[bool]] = {"chi": [], "f": [], "nemenyi": [], "holm": []}
    cd = critical_rank_difference(5, 15)
    for values in rng.normal(size=(2000, 15, 5)):
        ranked = RankTable.of(values)
        test = friedman(ranked)
        found["chi"].append(test.chi_square_p <= 0.05)
        found["f"].append(test.f_p <= 0.05)
        found["nemenyi"].append(bool(np.ptp(ranked.average) >= cd))
        found["holm"].append(min(against_control(ranked, "model 1").adjusted) <= 0.05)
    assert keeps_its_level(found["f"], 0.05)
    for name in ("chi", "nemenyi", "holm"):
        assert keeps_its_level(found[name], 0.05, exactly=False), name
        assert np.mean(found[name]) > 0.02, name


def test_cliques_by_all_subsets() -> None:
    """Maximal sets of models of which no two differ by the critical difference."""
    rng = np.random.default_rng(4)
    for _ in range(30):
        values = rng.normal(size=(25, 6)) + np.arange(6) * 0.3
        found = critical_difference(values)
        rank = dict(zip(found.names, found.average_ranks, strict=True))
        alike = [
            set(group)
            for size in range(2, 7)
            for group in itertools.combinations(found.names, size)
            if all(abs(rank[a] - rank[b]) < found.cd for a, b in itertools.combinations(group, 2))
        ]
        maximal = {frozenset(g) for g in alike if not any(g < other for other in alike)}
        assert {frozenset(c) for c in found.cliques} == maximal
        assert list(found.average_ranks) == sorted(found.average_ranks)


def test_ranks_tie_what_rounding_tells_apart() -> None:
    assert places(np.array([0.1 + 0.2, 0.3, 0.5])).tolist() == [0, 0, 1]
    assert RankTable.of([[0.1 + 0.2, 0.3, 0.5], [1, 2, 3]]).ranks.tolist() == [[2.5, 2.5, 1], [3, 2, 1]]
    assert places(np.array([2**60, 2**60 + 1])).tolist() == [0, 1]
    assert places(np.array([Fraction(1), 1 + Fraction(1, 10**15)], object)).tolist() == [0, 1]


# ------------------------------------------------------------------------------------------ the long table


def long(models: int = 3, datasets: int = 6, folds: int = 4, seed: int = 0) -> dict[str, list[Any]]:
    rng = np.random.default_rng(seed)
    rows: dict[str, list[Any]] = {name: [] for name in ("model", "dataset", "fold", "measure", "value")}
    for m, d, f, s in itertools.product(range(models), range(datasets), range(folds), ("MCC", "LogL", "speed")):
        sign = -1 if s == "LogL" else 1
        values = (f"m{m}", f"d{d}", f, s, 0.5 + sign * 0.1 * m + 0.02 * rng.normal())
        for name, value in zip(rows, values, strict=True):
            rows[name].append(value)
    return rows


TABLE = long()
MAKERS: list[Any] = [
    dict,
    lambda t: pd.DataFrame(t),
    lambda t: pl.DataFrame(t),
    pa.table,
    lambda t: pl.DataFrame(t).lazy(),
]


@pytest.mark.parametrize("make", MAKERS)
def test_containers(make: Any) -> None:
    found = compare_across(make(TABLE), "MCC")
    frame = pd.DataFrame(TABLE)
    means = frame[frame.measure == "MCC"].groupby(["dataset", "model"]).value.mean().unstack()
    assert found.results.means == pytest.approx(means.to_numpy(), abs=1e-15)
    assert found.results.models == ("m0", "m1", "m2")
    assert found.critical_difference.names[0] == "m2"
    assert compare_across(make(TABLE), "LogL").critical_difference.names[0] == "m2"  # its declaration: lower is better


def test_orientation_is_declared_or_said() -> None:
    with pytest.raises(karat.InputError, match="choose one with measure="):
        compare_across(TABLE)
    with pytest.raises(karat.InputError, match="lower_is_better="):
        compare_across(TABLE, "speed")
    with pytest.raises(karat.InputError, match="lower_is_better is 'perhaps'; pass True or False"):
        compare_across(TABLE, "speed", lower_is_better="perhaps")  # type: ignore[arg-type]
    assert compare_across(TABLE, "speed", lower_is_better=True).critical_difference.names[0] == "m0"
    with pytest.raises(karat.InputError, match="says otherwise"):
        compare_across(TABLE, "MCC", lower_is_better=True)
    assert compare_across(TABLE, "matthews_correlation").results.measure == "MCC"
    with pytest.raises(karat.InputError, match="no measure 'AUC'"):
        compare_across(TABLE, "AUC")
    bare = {k: v for k, v in long().items() if k != "measure"}
    with pytest.raises(karat.InputError, match="3 values"):
        compare_across(bare, lower_is_better=False)


def rows(table: dict[str, list[Any]], keep: Any) -> dict[str, list[Any]]:
    picked = [i for i in range(len(table["value"])) if keep({k: v[i] for k, v in table.items()})]
    return {k: [v[i] for i in picked] for k, v in table.items()}


def test_what_is_missing_or_double_is_named() -> None:
    mcc = rows(TABLE, lambda r: r["measure"] == "MCC")
    holed = rows(mcc, lambda r: (r["model"], r["dataset"], r["fold"]) != ("m1", "d2", 3))
    with pytest.raises(karat.InputError, match=r"model 'm1', data set 'd2', fold 3 has no value \(1 missing"):
        compare_across(holed)
    with pytest.raises(karat.InputError, match=r"model 'm1', data set 'd2'.*no value \(4 missing"):
        compare_across(rows(mcc, lambda r: (r["model"], r["dataset"]) != ("m1", "d2")))
    fewer = rows(mcc, lambda r: r["dataset"] != "d0" or r["fold"] < 2)  # one data set has fewer folds: fine
    assert len(compare_across(fewer).results.folds("d0")) == 2
    double = {k: [*v, v[-1]] for k, v in mcc.items()}
    with pytest.raises(karat.InputError, match="has 2 values"):
        compare_across(double)
    nan = dict(mcc, value=[math.nan, *mcc["value"][1:]])
    with pytest.raises(karat.InputError, match=r"row 0 \(model 'm0', dataset 'd0'\) has the value nan"):
        compare_across(nan)
    with pytest.raises(karat.InputError, match="at least two models"):
        compare_across(rows(mcc, lambda r: r["model"] == "m1"))
    with pytest.raises(karat.InputError, match="only the data set 'd1'"):
        compare_across(rows(mcc, lambda r: r["dataset"] == "d1"))
    with pytest.raises(karat.InputError, match="no column 'model'"):
        compare_across({"algorithm": ["a"], "value": [1]})
    with pytest.raises(karat.InputError, match="data frame"):
        compare_across([1, 2, 3])
    with pytest.raises(karat.InputError, match="one length"):
        compare_across(dict(mcc, model=mcc["model"][:-1]))
    with pytest.raises(karat.InputError, match="columns= names 'algo'"):
        compare_across(mcc, columns={"algo": "model"})


def test_other_names_seeds_and_no_folds() -> None:
    mcc = rows(TABLE, lambda r: r["measure"] == "MCC")
    renamed = {{"model": "algorithm", "value": "score"}.get(k, k): v for k, v in mcc.items()}
    found = compare_across(renamed, columns={"model": "algorithm", "value": "score"})
    assert found.to_dict() == compare_across(mcc).to_dict()
    seeds = {"model": mcc["model"], "dataset": mcc["dataset"], "seed": mcc["fold"], "value": mcc["value"]}
    assert compare_across(seeds, "MCC").to_dict()["friedman"] == found.to_dict()["friedman"]
    both = {k: v * 2 for k, v in mcc.items()} | {"seed": [1] * len(mcc["value"]) + [2] * len(mcc["value"])}
    assert Results.of(both).folds("d0").shape == (8, 3)
    with pytest.raises(karat.InputError, match=r"seed 2, fold 1|fold 1, seed 2"):
        compare_across(rows(both, lambda r: (r["model"], r["dataset"], r["fold"], r["seed"]) != ("m0", "d3", 1, 2)))
    single = rows(mcc, lambda r: r["fold"] == 0)
    del single["fold"]
    assert compare_across(single).results.folds("d1").shape == (1, 3)


@pytest.fixture(scope="module")
def across() -> Across:
    return compare_across(TABLE, "MCC")


def test_every_test_can_be_had(across: Across) -> None:
    means = across.results.means
    assert across.wilcoxon("m2", "m0").p == wilcoxon(means[:, 2], means[:, 0]).p
    assert across.against("m0").names[0] == "m2"
    assert across.nemenyi().pairs[0][:2] == ("m2", "m0")
    assert across.bayes_ranks("m2", "m0", rope=0.01, seed=1, draws=2000).p_first > 0.99
    assert across.corrected_t("m2", "m0", "d1", 1 / 3).p < 0.05
    assert across.bayes_t("m2", "m0", "d1", 1 / 3, rope=0.01).p_first > 0.95
    table = across.wilcoxon_pairs()
    assert table.columns["better"][0] in ("m1", "m2")
    assert max(table.columns["adjusted p"]) <= 3 * max(table.columns["p"])
    with pytest.raises(karat.InputError, match="no model 'x'"):
        across.wilcoxon("x", "m0")
    with pytest.raises(karat.InputError, match="no data set 'x'"):
        across.bayes_t("m1", "m0", "x", 0.1)
    with pytest.raises(karat.InputError, match="control"):
        across.against("x")


def test_plain_data_and_words(across: Across) -> None:
    json.dumps(across.to_dict())
    assert across.to_dict()["critical_difference"]["cliques"] == [["m2", "m1"], ["m1", "m0"]]
    assert across.to_table().columns["model"] == ["m2", "m1", "m0"]
    assert across.verdict.startswith("The models differ significantly (Friedman: F(2, 10) = ")
    assert "m2 ranks best (1); " in across.verdict
    assert compare_across(rows(TABLE, lambda r: r["model"] != "m1"), "MCC").verdict.startswith(
        "m2 is significantly better than m0"
    )
    rng = np.random.default_rng(1)
    noise = dict(TABLE, value=rng.random(len(TABLE["value"])).tolist())
    assert compare_across(noise, "MCC").verdict.startswith("No significant difference between the models (")


def test_the_verdict_says_who_is_beaten() -> None:
    """forest and net always before tree and stump, in any order among themselves."""
    rng = np.random.default_rng(2)
    values = np.hstack([1 + rng.random((40, 2)), rng.random((40, 2))])
    found = critical_difference(values, ["forest", "net", "tree", "stump"])
    best, other = found.names[:2]
    assert found.verdict == (
        f"{best} ranks best ({found.average_ranks[0]:.2f}); no significant difference from {other} (CD 0.742); both "
        f"are significantly better than {found.names[2]} and {found.names[3]}."
    )
    alone = critical_difference(values[:, [0, 2, 3]] + [5, 0, 0], ["a", "b", "c"])
    assert alone.verdict == "a ranks best (1), significantly better than b and c (CD 0.524)."


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([[1, 2]], "at least 2"),
        ([[1], [2]], "at least 2"),
        ([1, 2, 3], "data sets, models"),
        ([[1, math.nan], [1, 2]], "finite"),
        ({"a": [1, 2], "b": [1, 2, 3]}, "one value for each data set"),
    ],
)
def test_bad_values(values: Any, message: str) -> None:
    with pytest.raises(karat.InputError, match=message):
        friedman(values)
    with pytest.raises(karat.InputError):
        friedman([[1, 2], [2, 3]], ["a", "a"])


def test_the_size_of_friedmans_effect() -> None:
    """Kendall's W: 12 S / (n^2 (k^3 - k)) of the rank sums, where nothing is tied; 1 where all data sets agree."""
    values = np.random.default_rng(5).normal(size=(7, 5))
    sums = stats.rankdata(values, axis=1).sum(axis=0)
    expected = 12 * ((sums - sums.mean()) ** 2).sum() / (7**2 * (5**3 - 5))
    found = friedman(values)
    assert found.kendalls_w == pytest.approx(expected)
    assert found.to_dict()["kendalls_w"] == found.kendalls_w
    assert friedman([[1, 2, 3]] * 4).kendalls_w == pytest.approx(1)
    assert friedman([[1, 1, 1]] * 4).to_dict()["kendalls_w"] is None


@pytest.mark.parametrize(("value", "shape"), [([], r"\(0,\)"), ([[0.1, 0.2], [0.3, 0.4]], r"\(2, 2\)")])
def test_a_table_of_results_has_one_number_in_each_row(value: Any, shape: str) -> None:
    rows = range(len(value))
    table = {"model": [f"m{i}" for i in rows], "dataset": ["d"] * len(value), "value": np.array(value, float)}
    with pytest.raises(karat.InputError, match=f"column 'value' has the shape {shape}; give one number for each row"):
        Results.of(table)


def test_ties_take_from_the_variance_of_each_row_apart() -> None:
    """By hand: groups of 2 and 1, and of 3: 2^3 - 2 and 3^3 - 3."""
    assert tie_loss(np.array([[2, 1, 0], [3, 0, 0]])).tolist() == [6, 24]
    assert tie_loss(np.array([4, 2])) == 66
