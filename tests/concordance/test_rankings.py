"""Measures against each other: consistency, discriminancy, rank correlation, choices, the smallest set."""

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
from karat.concordance.rankings import compare_measures, consistency, inversions
from karat.concordance.smallest_set import MOST_SETS, _cover, _greedy, smallest_set
from optional import pandas as pd
from optional import polars as pl
from published import of_all, tables_with

# ------------------------------------------------------------------------- consistency and discriminancy


def exact_keys(table: Any) -> tuple[Fraction, Fraction]:
    """Two fractions that order matrices of equal total as MCC and CEN do: sign(MCC) MCC^2 (0 where it is 0/0), and
    exp(2 s ln b CEN), which is the product of D_j^(D_j - 2 c_jj) over that of c_jk^(2 c_jk), D_j = t_j + u_j."""
    k = len(table)
    rows, columns = [sum(r) for r in table], [sum(r[j] for r in table) for j in range(k)]
    s = sum(rows)
    above = sum(table[j][j] for j in range(k)) * s - sum(t * u for t, u in zip(rows, columns, strict=True))
    below = (s * s - sum(u * u for u in columns)) * (s * s - sum(t * t for t in rows))
    mcc = Fraction(above * abs(above), below) if below else Fraction(0)
    cen = Fraction(1)
    for j in range(k):
        d = rows[j] + columns[j]
        cen *= Fraction(d) ** (d - 2 * table[j][j]) if d else 1
        for i in range(k):
            if i != j and table[i][j]:
                cen /= Fraction(table[i][j]) ** (2 * table[i][j])
    return mcc, cen


@pytest.fixture(scope="module")
def jurman() -> Any:
    return tables_with((2, 4, 3))


def test_jurman_in_exact_arithmetic(jurman: Any) -> None:
    """Jurman & Furlanello, row sums (2, 4, 3), "about 6": with fractions 3178 / 591 = 5.377."""
    mcc, cen = zip(*(exact_keys(t.tolist()) for t in jurman), strict=True)
    found = consistency(
        np.array(cen, object), np.array(mcc, object), lower_is_better=(True, False), names=("CEN", "MCC")
    )
    assert (found.counts.only_first, found.counts.only_second) == (3178, 591)
    assert found.discriminancy == pytest.approx(5.377326565, abs=1e-9)
    assert found.consistency == pytest.approx(0.785817, abs=5e-7)
    assert sum(found.counts) == 900 * 899 // 2
    cen_title, mcc_title = titles("CEN", "MCC")
    assert found.verdict == (
        f"{cen_title} and {mcc_title} agree on 79 % of the pairs that both distinguish; {cen_title} distinguishes 3178 "
        f"pairs that {mcc_title} does not, and {mcc_title} 591 that {cen_title} does not."
    )


def test_jurman_in_floating_point(jurman: Any) -> None:
    """Equality within 1e-12 gives what exact arithmetic gives, raw equality does not."""
    cen, mcc = of_all(jurman, "CEN", "MCC")
    found = consistency(cen, mcc, lower_is_better=(True, False))
    assert (found.counts.only_first, found.counts.only_second) == (3178, 591)
    assert found.consistency == pytest.approx(0.785817, abs=5e-7)
    raw = consistency(cen, mcc, lower_is_better=(True, False), tolerance=0)
    assert (raw.counts.only_first, raw.counts.only_second) != (3178, 591)
    for least, ratio in [(2, 5.254), (3, 6.331)]:  # without matrices with empty columns
        some = (jurman.sum(axis=1) > 0).sum(axis=1) >= least
        part = consistency(cen[some], mcc[some], lower_is_better=(True, False))
        assert part.discriminancy == pytest.approx(ratio, abs=5e-4)


def test_pairs_by_two_loops() -> None:
    rng = np.random.default_rng(1)
    for n, values in itertools.product((2, 3, 10, 41), (1, 2, 5, 1000)):
        f, g = rng.integers(0, values, (2, n))
        kinds = [(int(np.sign(f[i] - f[j])), int(np.sign(g[i] - g[j]))) for i in range(n) for j in range(i)]
        found = consistency(f, g)
        expected = (
            sum(a * b > 0 for a, b in kinds),
            sum(a * b < 0 for a, b in kinds),
            sum(a != 0 and b == 0 for a, b in kinds),
            sum(a == 0 and b != 0 for a, b in kinds),
            sum(a == b == 0 for a, b in kinds),
        )
        assert tuple(found.counts) == expected
        turned = consistency(f, g, lower_is_better=(True, False)).counts
        assert (turned.concordant, turned.discordant) == expected[1::-1]
        with np.errstate(all="ignore"):
            assert found.tau == pytest.approx(stats.kendalltau(f, g).statistic, abs=1e-12, nan_ok=True)


def test_inversions() -> None:
    rng = np.random.default_rng(2)
    for n in (1, 2, 7, 64, 65):
        s = rng.integers(0, n + 3, n)
        assert inversions(s) == sum(int(s[i] > s[j]) for i in range(n) for j in range(i, n))


def test_a_hundred_thousand_values_in_a_moment() -> None:
    rng = np.random.default_rng(3)
    x = rng.random(100_000).round(4)
    y = (x + rng.random(100_000)).round(3)
    found = consistency(x, y)
    assert sum(found.counts) == 100_000 * 99_999 // 2
    assert found.tau == pytest.approx(stats.kendalltau(x, y).statistic, abs=1e-12)


def test_degrees_at_the_ends() -> None:
    finer = consistency([1, 2, 3], [1, 1, 1])
    assert math.isinf(finer.discriminancy)
    assert math.isnan(finer.consistency)
    assert math.isnan(finer.tau)
    assert finer.verdict == (
        "f and g have no pair that both distinguish; f distinguishes 3 pairs that g does not, and g none that f does "
        "not."
    )
    assert consistency([1, 2], [1, 2]).verdict == (
        "f and g agree on 100 % of the pairs that both distinguish; neither distinguishes more pairs than the other."
    )
    assert finer.to_dict()["discriminancy"] is None
    assert math.isnan(consistency([1, 2], [1, 2]).discriminancy)
    json.dumps(finer.to_dict())
    for bad in [([1, 2], [1, 2, 3]), ([1], [1]), ([1, math.nan], [1, 2]), (["a", "b"], [1, 2])]:
        with pytest.raises(karat.InputError):
            consistency(*bad)


# ----------------------------------------------------------------------------------------------- rankings

VALUES = {
    "MCC": [0.6, 0.5, 0.4, 0.1],
    "Acc": [0.8, 0.75, 0.7, 0.6],
    "LogL": [0.9, 0.6, 0.7, 1.2],
    "KapS": [0.5, 0.1 + 0.4, 0.3, 0.2],
    "CalL": [0.1, 0.1, 0.1, 0.1],
}
MODELS = ["forest", "boosting", "tree", "stump"]


def titles(*symbols: str) -> list[str]:
    return [karat.catalogue.measures[symbol].title for symbol in symbols]


def test_sentences_name_measures_by_their_titles() -> None:
    """Also one that nobody prefers alone, at the beginning of the sentence."""
    found = compare_measures({"accuracy": [0.5, 0.5], "speed": [1, 1]}, lower_is_better={"speed": True})
    assert found.verdict == "The best models tie by Accuracy and speed."


def test_which_measure_would_choose_which_model() -> None:
    found = compare_measures(VALUES, MODELS)
    assert found.choices["MCC"] == ("forest",)
    assert found.choices["LogL"] == ("boosting",)
    assert found.choices["KapS"] == ("forest", "boosting")
    assert found.undecided == ("KapS", "CalL")
    assert found.chosen_by == {"forest": ("MCC", "Acc"), "boosting": ("LogL",)}
    loss, kappa, calibration = titles("LogL", "KapS", "CalL")
    assert found.verdict == (
        f"2 of 5 measures prefer forest; {loss} prefers boosting; the best models tie by {kappa} and {calibration}."
    )
    assert found.ranks[3].tolist() == [1.5, 1.5, 3, 4]
    table = found.to_table()
    assert table.columns["rank of tree"] == [3, 3, 2, 3, 2.5]
    assert [row[4] for row in table.cells] == ["3", "3", "2", "3", "2.50"]
    assert table.columns["measure"] == list(VALUES)
    assert f">{karat.catalogue.measures['LogL'].label}</td>" in found._repr_html_()
    json.dumps(found.to_dict())
    assert found.consistency("MCC", "LogL").counts[:2] == (4, 2)


def test_a_sentence_names_few_measures_and_counts_the_others() -> None:
    values = {f"m{i}": [9, i] if i < 3 else [i, 9] for i in range(5)} | {f"t{i}": [i, i] for i in range(4)}
    assert compare_measures(values, ["a", "b"], lower_is_better=dict.fromkeys(values, False)).verdict == (
        "3 of 9 measures prefer a; m3 and m4 prefer b; the best models tie by t0, t1, t2 and 1 more."
    )


def test_equal_numbers_count_once() -> None:
    """Of two classes the variants of the AUC are one number, and PAUC is MAPR."""
    rng = np.random.default_rng(2)
    y = rng.integers(0, 2, 400)
    models = {
        n: karat.evaluate(y, np.clip(rng.normal(0.3 + gap * y, 0.2), 0, 1)) for n, gap in (("a", 0.4), ("b", 0.1))
    }
    symbols = ["AU1U", "AU1P", "AUNU", "AUNP", "PAUC", "MAPR", "MSE"]
    found = karat.compare_measures({s: [e[s] for e in models.values()] for s in symbols}, list(models))
    assert found.repeated == {"AU1P": "AU1U", "AUNU": "AU1U", "AUNP": "AU1U", "MAPR": "PAUC"}
    assert found.verdict == "3 of 3 distinct measures prefer a."
    assert found.chosen_by["a"] == tuple(symbols)  # which measure says what is still all there


def test_tau_agrees_with_scipy() -> None:
    rng = np.random.default_rng(4)
    names = ["Acc", "MCC", "MSE", "LogL", "CEN"]
    values = {name: rng.random(30).round(1 if i % 2 else 3) for i, name in enumerate(names)}
    found = compare_measures(values)
    for (i, a), (j, b) in itertools.product(enumerate(names), repeat=2):
        sign = (-1 if a in ("MSE", "LogL", "CEN") else 1) * (-1 if b in ("MSE", "LogL", "CEN") else 1)
        assert found.tau[i, j] == pytest.approx(sign * stats.kendalltau(values[a], values[b]).statistic, abs=1e-12)
    assert found.correlations().columns["CEN"][4] == 1


def test_tau_of_many_models_is_that_of_few(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(6)
    values = {name: rng.random(40).round(1) for name in ("Acc", "MCC", "MSE")} | {"CEN": np.ones(40)}
    few = compare_measures(values).tau
    monkeypatch.setattr("karat.concordance.rankings.MODELS_AT_ONCE", 0)
    assert compare_measures(values).tau == pytest.approx(few, abs=1e-15, nan_ok=True)
    assert np.isnan(few[3]).all()


@pytest.mark.parametrize("make", [dict, lambda t: pd.DataFrame(t), lambda t: pl.DataFrame(t)])
def test_values_in_frames(make: Any) -> None:
    table = {"model": MODELS, **VALUES}
    assert compare_measures(make(table), "model").to_dict() == compare_measures(VALUES, MODELS).to_dict()


@pytest.mark.parametrize(
    ("values", "options", "message"),
    [
        ({"speed": [1, 2]}, {}, "lower_is_better"),
        ({"Acc": [1, math.nan]}, {}, "leave the measure or the model out"),
        ({"Acc": [1, 2], "MCC": [1, 2, 3]}, {}, "one for each model"),
        ({"Acc": [1]}, {}, "at least two"),
        ({"Acc": [1, 2]}, {"models": ["a", "a"]}, "one distinct name for each"),
        ({"Acc": [1, 2]}, {"lower_is_better": {"speed": True}}, "does not have"),
        ({"Acc": [1, 2]}, {"lower_is_better": {"Acc": True}}, "otherwise"),
        ({"Acc": [1, 2]}, {"models": "model"}, "no column 'model'"),
        ({}, {}, "no measures"),
    ],
)
def test_bad_values(values: Any, options: Any, message: str) -> None:
    with pytest.raises(karat.InputError, match=message):
        compare_measures(values, **options)


def test_unknown_measures_are_said() -> None:
    values = {"speed": [1.0, 2.0], "ours": [0.3, 0.1]}
    found = compare_measures(values, ["a", "b"], lower_is_better={"speed": True, "ours": False})
    assert found.choices == {"speed": ("a",), "ours": ("a",)}
    with pytest.raises(karat.InputError, match="no measure 'x'"):
        found.consistency("x", "speed")


# -------------------------------------------------------------------------------------------- smallest set


def dominates(chosen: Any, near: Any) -> bool:
    return bool(near[list(chosen)].any(axis=0).all())


def test_smallest_set_by_all_subsets() -> None:
    rng = np.random.default_rng(5)
    for _ in range(12):
        values = rng.normal(size=(9, 2)) @ rng.normal(size=(2, 15)) + 0.3 * rng.normal(size=(9, 15))
        tau = np.array([[stats.kendalltau(a, b).statistic for a in values] for b in values])
        found = smallest_set(tau, threshold=0.6)
        near = np.abs(tau) >= 0.6
        least = next(s for s in range(1, 10) if any(dominates(c, near) for c in itertools.combinations(range(9), s)))
        assert found.exact
        assert len(found.kept) == least
        assert dominates([int(name) for name in found.kept], near)
        for kept, others in found.stands_for.items():
            for other, correlation in others:
                assert correlation == tau[int(kept), int(other)]
                assert abs(correlation) >= 0.6
        assert sorted([*found.kept, *(o for v in found.stands_for.values() for o, _ in v)]) == [
            str(i) for i in range(9)
        ]


def test_smallest_set_explains_itself() -> None:
    found = compare_measures(VALUES, MODELS).smallest_set(0.9)
    assert found.kept == ("MCC", "LogL")
    assert found.silent == ("CalL",)
    mcc, accuracy, kappa, loss, calibration = titles("MCC", "Acc", "KapS", "LogL", "CalL")
    assert found.verdict == (
        f"2 of 5 measures represent all (rank correlation of at least 0.9): {mcc} (for {accuracy} and {kappa}) and "
        f"{loss}; {calibration} is constant."
    )
    assert found.to_table().columns["told by"] == ["MCC", "MCC", "MCC", "LogL", ""]
    json.dumps(found.to_dict())
    close = [[1, 0.91, 0.92], [0.91, 1, 0.99], [0.92, 0.99, 1]]  # any one would do: the nearest to the others is taken
    assert smallest_set(close, ["a", "b", "c"]).kept == ("c",)
    assert smallest_set([[1, -0.95], [-0.95, 1]]).kept == ("0",)  # the other way round tells the same
    for bad, threshold in [([[1, 0]], 0.9), ([[1]], 0), ([[1]], 1.5)]:
        with pytest.raises(karat.InputError):
            smallest_set(bad, threshold=threshold)


def test_large_clusters_are_covered_greedily() -> None:
    """A ring of 60 measures, each near its two neighbours: 20 are needed, and too many sets to try."""
    n = 60
    tau = np.eye(n)
    for i in range(n):
        tau[i, (i + 1) % n] = tau[(i + 1) % n, i] = 0.95
    assert math.comb(n, 4) > MOST_SETS
    found = smallest_set(tau)
    assert not found.exact
    assert 20 <= len(found.kept) <= 30
    assert dominates([int(m) for m in found.kept], tau >= 0.9)
    assert "(rank correlation of at least 0.9; fewer may be enough)" in found.verdict
    assert smallest_set(tau).to_dict() == found.to_dict()
    star = np.eye(6)
    star[0] = star[:, 0] = 1
    covers = {i: sum(1 << j for j in range(6) if star[i, j] >= 0.9) for i in range(6)}
    assert _greedy(list(range(6)), covers, 63, star) == [0] == _cover(list(range(6)), star >= 0.9, star)[0]


def test_measures_that_all_tell_nothing() -> None:
    nothing = smallest_set(np.full((3, 3), np.nan), ["a", "b", "c"])
    assert nothing.verdict == "All 3 measures are constant."
    assert nothing.to_table().columns["told by"] == ["", "", ""]
