"""What compare says of few cases, of bias, of many tests at once, and of what was asked: against tests that are known
from outside (scipy, DeLong and exchanges by hand), and by simulation."""

from __future__ import annotations

import itertools
import math
import re
from typing import Any

import numpy as np
import pytest
from scipy import optimize, stats

import karat
from karat.comparisons import difference_test
from karat.comparisons.judgement import by_bootstrap
from karat.comparisons.measure_names import in_sentence
from karat.core.errors import InputError
from karat.statistics.p_values import mid_p_sign_test

LN2 = math.log(2)


def models_of(n: int, seed: int, gap: float = 0.0, k: int = 2, shared: float = 1.0) -> tuple[Any, dict[str, Any]]:
    """Two models of which the second sees the truth less clearly, by `gap`; exchangeable if that is 0."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, k, n)
    common = rng.normal(0, shared, (n, k))
    out = {}
    for name, clear in (("one", 1.5), ("two", 1.5 - gap)):
        x = clear * np.eye(k)[y] + common + rng.normal(0, 1, (n, k))
        p = np.exp(x)
        out[name] = p / p.sum(axis=1, keepdims=True)
    return y, out


def losses(y: Any, p: Any, what: str) -> Any:
    truth = np.eye(p.shape[1])[y]
    return -np.log(p[np.arange(len(y)), y]) / LN2 if what == "LogL" else ((truth - p) ** 2).mean(axis=1)


def word(symbol: str) -> str:
    """A measure as a sentence names it."""
    return in_sentence(karat.catalogue.measures[symbol].title)


def compared(models: dict[str, Any], y: Any, **options: Any) -> Any:
    k = next(iter(models.values())).shape[1]
    return karat.compare(models, y, labels=list(range(k)), **options)["one", "two"]


# ------------------------------------------------------------------------------------------------------- few cases


def test_one_case_tells_nothing() -> None:
    models = {"one": np.array([[0.1, 0.9]]), "two": np.array([[0.3, 0.7]])}
    pair = compared(models, [1], measures=["MCC", "LogL"])
    assert pair["LogL"].p == 1
    assert math.isnan(pair["LogL"].low)
    assert pair["LogL"].better is None
    assert "too few cases" in pair.verdict
    assert "1 case (or group) only" in pair["LogL"].reason


def test_one_group_of_fifty_cases_tells_nothing() -> None:
    y, models = models_of(50, 0, 1.5)
    assert compared(models, y, measures=["LogL"])["LogL"].p < 0.05  # fifty cases would
    pair = compared(models, y, measures=["LogL"], groups=[7] * 50)
    assert pair["LogL"].p == pair["LogL"].least == 1
    assert pair["LogL"].better is None
    assert "too few cases (or groups)" in pair.verdict


def test_three_cases_can_reach_a_quarter() -> None:
    y = [0, 1, 1]
    right = np.eye(2)[y]
    models = {"one": 0.98 * right + 0.01, "two": 0.5 + 0 * right}
    for symbol in ("LogL", "MSE"):
        d = compared(models, y, measures=[symbol])[symbol]
        assert d.p == d.least == 0.25
        assert d.better is None
    assert "so p can't be below 0.250." in compared(models, y, measures=["LogL"]).verdict


@pytest.mark.parametrize("what", ["LogL", "MSE"])
def test_few_cases_are_exchanged_in_all_ways(what: str) -> None:
    """By hand: both signs of each case's difference. Exchanges that make it as large count half, but for the data
    and their mirror image."""
    for seed in range(5):
        y, models = models_of(8, seed, 1.0)
        loss = losses(y, models["one"], what) - losses(y, models["two"], what)
        sums = np.abs([np.dot(signs, loss) for signs in itertools.product((1, -1), repeat=8)]) / 8
        seen = abs(loss.mean())
        larger, equal = int((sums > seen + 1e-9).sum()), int((np.abs(sums - seen) <= 1e-9).sum())
        expected = (larger + (equal + 2) / 2) / 256
        d = compared(models, y, measures=[what], method="exchange")[what]
        assert d.difference == pytest.approx(loss.mean())
        assert d.p == pytest.approx(expected)
        auto = compared(models, y, measures=[what])[what]
        t = stats.ttest_1samp(loss, 0)
        assert auto.p >= d.p - 1e-12  # the larger of that and Student's t
        assert auto.p >= t.pvalue - 1e-9  # whose degrees of freedom are at most those of the t test
        assert auto.method == "jackknife t test and permutation test"


@pytest.mark.parametrize("n", [4, 6, 10, 20])
def test_exchangeable_models_are_seldom_told_apart(n: int) -> None:
    symbols = ["LogL", "MSE", "Acc", "MCC", "AUC"]
    told = dict.fromkeys(symbols, 0)
    times = 200
    for seed in range(times):
        y, models = models_of(n, 1000 * n + seed)
        pair = karat.compare(models, y, measures=symbols, labels=[0, 1], positive=1, replicates=199)["one", "two"]
        for symbol in symbols:
            told[symbol] += pair[symbol].p <= 0.05
    assert max(told.values()) <= times * 0.05 + 3 * math.sqrt(times * 0.05 * 0.95), told


def of_other_scales(n: int, seed: int) -> tuple[Any, dict[str, Any]]:
    """Two models that order cases equally well, one of them nearer to 1 throughout."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    common = rng.normal(0, 0.8, n)
    one, two = (1 / (1 + np.exp(-(2.2 * y + common + rng.normal(0, 0.6, n) + shift))) for shift in (-3, 1))
    return y, {"one": one, "two": two}


def test_areas_of_few_cases_are_compared_by_exchanging_ranks() -> None:
    """By hand: with the ranks of both models among all cases, each difference in its standard error (DeLong's). Scores
    of other scales can't be exchanged."""
    y, models = of_other_scales(60, 3)
    first, second = (stats.rankdata(p) for p in models.values())
    swap = np.random.default_rng(0).random((4000, 60)) < 0.5

    def placed(x: Any) -> tuple[Any, Any]:
        above, below = x[..., y == 1, None], x[..., None, y == 0]
        won = (above > below) + (above == below) / 2
        return won.mean(axis=-1), won.mean(axis=-2)

    def difference(a: Any, b: Any) -> tuple[Any, Any]:
        one, other = placed(a), placed(b)
        error = np.sqrt(sum((x - z).var(axis=-1, ddof=1) / 30 for x, z in zip(one, other, strict=True)))
        return one[0].mean(axis=-1) - other[0].mean(axis=-1), error

    drawn, errors = difference(np.where(swap, second, first), np.where(swap, first, second))
    (seen, error), law = difference(first, second), np.abs(drawn / errors)
    pair = karat.compare(models, y, measures=["AUC", "AUNU"])["one", "two"]
    assert pair["AUC"].method == "studentised permutation test"
    assert pair["AUC"].difference == pytest.approx(seen)
    assert pair["AUC"].p == pytest.approx((law > abs(seen / error) - 1e-9).mean(), abs=0.05)
    assert pair["AUC"].p == pair["AUNU"].p
    assert pair["AUC"].high - seen == pytest.approx(np.quantile(law, 0.95) * error, abs=0.012)
    transformed = karat.compare({"one": models["one"] ** 3, "two": models["two"]}, y, measures=["AUC"])["one", "two"]
    assert transformed["AUC"].p == pair["AUC"].p


def test_crossing_roc_curves_of_one_area_are_not_called_different_too_often() -> None:
    """The scores of one model spread three times as far in one class, and go with those of the other: exchanges of
    ranks without their standard errors told them apart in 0.08. In 300 samples 0.05 shows as 0.08 at most."""
    told = 0
    for seed in range(300):
        rng = np.random.default_rng(seed)
        y = np.arange(80) % 2
        common = rng.normal(size=80)
        one, two = (np.sqrt(0.8) * common + np.sqrt(0.2) * rng.normal(size=80) for _ in range(2))
        apart = stats.norm.ppf(0.75)
        models = {"one": one + apart * np.sqrt(2) * y, "two": np.where(y == 1, 3 * two + apart * np.sqrt(10), two)}
        told += karat.compare(models, y, kind="scores", measures=["AUC"], replicates=199)["one", "two"]["AUC"].p <= 0.05
    assert 0.02 * 300 <= told <= 0.07 * 300


def test_measures_of_disorder_of_some_cases_are_studentised() -> None:
    """Of 50 cases Student's t told equal models of other errors apart in 0.09 (rCEN), exchanges as they are in 0.01."""
    y, models = models_of(90, 3, 0.3, k=3)
    d = compared(models, y, measures=["CEN"])["CEN"]
    assert d.method == "studentised permutation test"
    assert (d.low <= 0 <= d.high) == (d.p > 0.05)
    weighted = compared(models, y, measures=["CEN"], sample_weight=np.arange(90) % 3 + 1.0)["CEN"]
    assert weighted.method == "jackknife t test and permutation test"
    y, models = models_of(40, 3, 0.3, k=3)
    assert compared(models, y, measures=["CEN"])["CEN"].method == "jackknife t test and permutation test"


def test_ranks_are_not_exchanged_where_a_handful_of_cases_makes_the_difference() -> None:
    """One case that is ranked otherwise moves all others by one rank."""
    y, models = of_other_scales(60, 1)
    two = models["one"].copy()
    two[1] = two.min() / 2
    d = karat.compare({"one": models["one"], "two": two}, y, measures=["AUC"])["one", "two"]["AUC"]
    assert d.method == "jackknife t test and permutation test"
    assert d.p == d.least == 1  # one case could as well have spoken for the other


# ------------------------------------------------------------------------------------------- against known tests


@pytest.mark.parametrize("what", ["LogL", "MSE"])
def test_mean_losses_are_compared_by_the_paired_t_test(what: str) -> None:
    """But for what other outcomes add, which is little with so many cases."""
    y, models = models_of(180, 3, 0.3, k=3)
    first, second = (losses(y, p, what) for p in models.values())
    t = stats.ttest_rel(first, second)
    ends = t.confidence_interval(0.95)
    d = compared(models, y, measures=[what])[what]
    assert d.method == "jackknife t test"
    assert d.bias == pytest.approx(0, abs=1e-12)
    width = ends.high - ends.low
    assert ends.low - 0.1 * width < d.low < ends.low + 0.01 * width
    assert ends.high - 0.01 * width < d.high < ends.high + 0.1 * width
    assert stats.norm.isf(d.p / 2) == pytest.approx(stats.norm.isf(t.pvalue / 2), rel=0.06)
    each = karat.compare(models, y, measures=[what], groups=np.arange(180))["one", "two"][what]
    assert (each.low, each.high) == pytest.approx((d.low, d.high), abs=0.02 * width)  # groups of one are cases
    gap = first - second
    assert d.effect == pytest.approx(gap.mean() / gap.std(ddof=1))


def delong_by_hand(y: Any, scores: list[Any]) -> tuple[float, float]:
    """The difference of two areas and its standard error: from the placements of every case, with loops."""
    placements: list[list[Any]] = [[], []]
    for s in scores:
        pos, neg = s[y == 1], s[y == 0]
        placements[1].append(np.array([np.mean((p > neg) + 0.5 * (p == neg)) for p in pos]))
        placements[0].append(np.array([np.mean((pos > q) + 0.5 * (pos == q)) for q in neg]))
    gaps = [first - second for first, second in placements]
    return float(gaps[1].mean()), math.sqrt(sum(g.var(ddof=1) / len(g) for g in gaps))


def test_areas_have_the_errors_of_delong() -> None:
    y, models = models_of(200, 5, 0.4)
    difference, error = delong_by_hand(y, [p[:, 1] for p in models.values()])
    d = karat.compare(models, y, measures=["AUC"], positive=1)["one", "two"]["AUC"]
    assert d.difference == pytest.approx(difference)
    assert (d.high - d.low) / 2 / 1.96 == pytest.approx(error, rel=0.05)
    assert stats.norm.isf(d.p / 2) == pytest.approx(abs(difference) / error, rel=0.05)


def mid_p_by_hand(gained: int, flips: int) -> float:
    """Of at least so many gains; what was seen counts half, but in full where all are gains."""
    as_seen = stats.binom.pmf(gained, flips, 0.5)
    return float(stats.binom.sf(gained, flips, 0.5) + (as_seen if gained == flips else as_seen / 2))


def test_accuracies_are_compared_by_mcnemar_with_an_interval_that_agrees() -> None:
    def two_sided(gain: int, flips: int) -> float:
        return min(1.0, 2 * mid_p_by_hand((flips + abs(gain)) // 2, flips))

    for seed in range(20):
        y, models = models_of(60, seed, 0.8)
        right = [p.argmax(axis=1) == y for p in models.values()]
        first, second = int((right[0] & ~right[1]).sum()), int((right[1] & ~right[0]).sum())
        d = compared(models, y, measures=["Acc"])["Acc"]
        flips = first + second
        assert d.p == pytest.approx(two_sided(first - second, flips))
        kept = [g for g in range(-flips, flips + 1, 2) if two_sided(g, flips) > 0.05]
        if d.low == d.low:
            assert d.low == pytest.approx((first - second - max(kept)) / 60)
        for alternative, gained in (("greater", first), ("less", second)):
            one = compared(models, y, measures=["Acc"], alternative=alternative)["Acc"]
            assert one.p == pytest.approx(mid_p_by_hand(gained, flips))


def test_accuracies_of_fifty_cases_are_told_apart_as_often_as_the_level_says() -> None:
    """The exact test did so in 0.9 % if the models differ on a tenth of the cases, in 2.2 % if on a fifth."""
    for share, least in ((0.1, 0.012), (0.2, 0.035), (0.4, 0.04), (0.8, 0.04)):
        alarms = 0.0
        for flips in range(51):
            gained = [g for g in range(flips + 1) if mid_p_sign_test(g, flips - g, sides=2) <= 0.05]
            alarms += float(stats.binom.pmf(flips, 50, share) * stats.binom.pmf(gained, flips, 0.5).sum())
        assert least < alarms < 0.055


def test_mcnemars_test_beside_the_accuracies_is_the_same() -> None:
    for gained, lost in ((9, 2), (12, 4), (6, 0), (3, 3), (0, 5)):
        y = np.zeros(60, int)
        one, two = y.copy(), y.copy()
        two[:gained] = 1
        one[gained : gained + lost] = 1
        pair = karat.compare({"one": one, "two": two}, y, kind="decisions", measures=["Acc"], labels=(0, 1))[
            "one", "two"
        ]
        expected = min(1.0, 2 * mid_p_by_hand(max(gained, lost), gained + lost))
        assert pair["Acc"].p == pytest.approx(expected)
        assert pair.flips is not None
        assert pair.flips.p == pytest.approx(expected)
        low, high = pair.flips.odds_interval
        assert (low <= 1 <= high) == (expected > 0.05)


def test_models_with_cases_of_their_own_are_not_joined_by_id() -> None:
    y, models = models_of(60, 1)
    own = {name: karat.evaluate(y, p, ids=[f"{name} {i}" for i in range(60)]) for name, p in models.items()}
    bare = {name: karat.evaluate(y, p) for name, p in models.items()}
    found, expected = (karat.compare(e, measures=["LogL"], paired=False)["one", "two"]["LogL"] for e in (own, bare))
    assert (found.p, found.low, found.high) == (expected.p, expected.low, expected.high)
    assert found.method == "jackknife t test, unpaired"
    fewer = {"one": models["one"], "two": models["two"][:50]}
    by_model = karat.compare(fewer, {"one": y, "two": y[:50]}, measures=["LogL"], paired=False)["one", "two"]["LogL"]
    alone = {"one": bare["one"], "two": karat.evaluate(y[:50], models["two"][:50])}
    assert by_model.p == karat.compare(alone, measures=["LogL"], paired=False)["one", "two"]["LogL"].p


def test_few_flips_have_no_interval() -> None:
    y = np.arange(100) % 2
    one, two = y.copy(), y.copy()
    two[:3] = 1 - two[:3]
    d = karat.compare({"one": one, "two": two}, y, kind="decisions", measures=["Acc"])["one", "two"]["Acc"]
    assert (d.p, d.least) == (0.25, 0.25)
    assert "just one of the models is correct on 3 cases" in d.reason
    assert math.isnan(d.low)
    assert math.isnan(d.high)


def test_models_that_say_the_same_are_not_compared() -> None:
    y, models = models_of(60, 1)
    c = karat.compare({"a": models["one"], "b": models["one"]}, y)
    assert c.verdict == "No significant difference between a and b: the models agree on every case that counts."
    for d in c["a", "b"].differences.values():
        assert not d.p < 1
        assert math.isnan(d.low)  # "0 [0, 0]" would be surer than the data


def test_groups_are_exchanged_whole() -> None:
    """By hand: the sums of each group change their signs."""
    y, models = models_of(48, 2, 1.0)
    group = np.repeat(np.arange(6), 8)
    loss = losses(y, models["one"], "MSE") - losses(y, models["two"], "MSE")
    sums = np.bincount(group, loss)
    all_ways = np.abs([np.dot(signs, sums) for signs in itertools.product((1, -1), repeat=6)])
    larger = int((all_ways > abs(sums.sum()) + 1e-9).sum())
    equal = int((np.abs(all_ways - abs(sums.sum())) <= 1e-9).sum())
    d = compared(models, y, measures=["MSE"], groups=group, method="exchange")["MSE"]
    assert d.p == pytest.approx((larger + (equal + 2) / 2) / 64)
    assert d.least == 2 / 64
    auto = compared(models, y, measures=["MSE"], groups=group)["MSE"]
    t = stats.ttest_1samp(sums, 0)  # groups of one size: the t test of their sums
    assert auto.p >= max(d.p, t.pvalue) - 1e-9


def test_models_on_different_cases_are_compared_by_welch() -> None:
    y1, first = models_of(130, 1, k=3)
    y2, second = models_of(170, 2, 0.9, k=3)
    e = {"one": karat.evaluate(y1, first["one"]), "two": karat.evaluate(y2, second["two"])}
    c = karat.compare(e, measures=["LogL", "AUNU", "ECE"], paired=False)
    welch = stats.ttest_ind(losses(y1, first["one"], "LogL"), losses(y2, second["two"], "LogL"), equal_var=False)
    d = c["one", "two"]["LogL"]
    assert d.difference == pytest.approx(e["one"]["LogL"] - e["two"]["LogL"])
    assert stats.norm.isf(d.p / 2) == pytest.approx(stats.norm.isf(welch.pvalue / 2), rel=0.05)
    ends = welch.confidence_interval(0.95)
    assert (d.low, d.high) == pytest.approx((ends.low, ends.high), rel=0.05)
    assert 0 < c["one", "two"]["AUNU"].p <= 1
    assert 0 < c["one", "two"]["ECE"].p <= 1
    several = karat.compare(e, measures=["cwECE"], paired=False)["one", "two"]["cwECE"]
    assert "no test of cwECE is known for models on different cases" in several.reason
    assert c.pairing == "none: the models were given different cases"
    with pytest.raises(InputError, match="different cases"):
        c.flipped("one", "two")
    with pytest.raises(InputError, match="leave out groups and method"):
        karat.compare(e, paired=False, method="exchange")
    with pytest.raises(InputError, match="classes"):
        karat.compare({"one": e["one"], "two": karat.evaluate(*_two_classes())}, paired=False)


def _two_classes() -> tuple[Any, Any]:
    y, models = models_of(40, 0)
    return y, models["one"]


# ------------------------------------------------------------------------------------------------------------ bias


def ema(joint: Any) -> float:
    """2^(I - H(X)): the entropy-modulated accuracy of a table of probabilities, by hand."""
    p, q = joint.sum(axis=1), joint.sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        information = np.nansum(joint * np.log2(joint / np.outer(p, q)))
    return float(2 ** (information - -(p * np.log2(p)).sum()))


def test_diffuse_errors_are_not_worse_by_their_bias() -> None:
    """Two confusions of six classes with the same EMA in the population: errors go anywhere, or to one class each.
    Uncorrected, their difference was found in every fifth sample."""
    k, n, times = 6, 300, 150
    paired = (0.8 * np.eye(k) + 0.2 * np.roll(np.eye(k), 1, axis=1)) / k

    def diffuse(right: float) -> Any:
        return (right * np.eye(k) + (1 - right) / (k - 1) * (1 - np.eye(k))) / k

    right = optimize.brentq(lambda r: ema(diffuse(r)) - ema(paired), 0.5, 0.999)
    laws = {"paired": paired * k, "diffuse": diffuse(right) * k}
    check = karat.evaluate_matrix(np.round(paired * 6e6))["EMA"]
    assert check == pytest.approx(ema(paired), abs=1e-6)
    rng = np.random.default_rng(0)
    told = 0
    for _ in range(times):
        y = rng.integers(0, k, n)
        decided = {name: (rng.random((n, 1)) > law[y].cumsum(axis=1)).sum(axis=1) for name, law in laws.items()}
        decided = {name: np.minimum(d, k - 1) for name, d in decided.items()}
        c = karat.compare(decided, y, kind="decisions", labels=list(range(k)), measures=["EMA"], replicates=99)
        told += c["paired", "diffuse"]["EMA"].p <= 0.05
    assert told <= times * 0.05 + 3 * math.sqrt(times * 0.05 * 0.95), told


def test_disorders_of_few_errors_of_many_kinds_are_not_compared() -> None:
    """Six classes, 60 cases, diffuse against paired errors of equal EMA: every test told them apart in 0.08 to 0.10."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 6, 80)
    one = np.where(rng.random(80) < 0.2, (y + 1) % 6, y)
    other = np.where(rng.random(80) < 0.12, rng.integers(0, 6, 80), y)
    options: Any = {"kind": "decisions", "labels": list(range(6))}
    found = karat.compare({"a": one, "b": other}, y, measures=["EMA", "CEN", "MCC"], **options)["a", "b"]
    for symbol in ("EMA", "CEN"):
        assert math.isnan(found[symbol].p)
        assert math.isnan(found[symbol].low)
        assert "22 errors of both models among 30 kinds of error are too few" in found[symbol].reason
    assert found["MCC"].p < 0.05
    asked = karat.compare({"a": one, "b": other}, y, measures="EMA", method="exchange", **options)["a", "b"]["EMA"]
    assert 0 < asked.p < 1  # whoever takes the models for interchangeable may say so


# ----------------------------------------------------------------------------------------- p-values and intervals


METHODS = ("auto", "jackknife", "exchange", "percentile", "basic", "bca")


@pytest.mark.parametrize("method", METHODS)
def test_p_values_and_intervals_never_disagree(method: str) -> None:
    symbols = ["Acc", "MCC", "LogL", "MSE", "AUC", "EMA", "ECE", "F1"]
    decided = 0
    for seed, (n, gap) in enumerate(itertools.product((7, 25, 60, 120), (0.0, 0.5, 1.0))):
        y, models = models_of(n, 50 + seed, gap)
        for alternative in ("two-sided", "greater", "less", "better", "worse"):
            options: dict[str, Any] = {"method": method, "alternative": alternative, "replicates": 99}
            c = karat.compare(models, y, measures=symbols, labels=[0, 1], positive=1, **options)
            for d in c["one", "two"].differences.values():
                if d.p == d.p and d.low == d.low:
                    decided += 1
                    assert (d.p <= 0.05) == (not d.low <= 0 <= d.high), (method, alternative, n, d)
                assert not d.p < d.least
                assert (d.better is not None) == (d.p <= 0.05)
    assert decided > 200


def test_sides() -> None:
    y, models = models_of(150, 4, 0.3)
    kinds = ("two-sided", "greater", "less", "better", "worse")
    d = {a: compared(models, y, measures=["LogL"], alternative=a)["LogL"] for a in kinds}
    assert 1 <= d["greater"].p + d["less"].p < 1.01  # what was not seen counts against either
    assert d["two-sided"].p == pytest.approx(2 * min(d["greater"].p, d["less"].p))
    assert d["better"].p == d["less"].p  # a loss
    assert d["worse"].p == d["greater"].p
    assert (d["greater"].high, d["less"].low) == (math.inf, -math.inf)
    first, second = (losses(y, p, "LogL") for p in models.values())
    less = stats.ttest_rel(first, second, alternative="less")
    assert stats.norm.isf(d["less"].p) == pytest.approx(stats.norm.isf(less.pvalue), rel=0.03)
    weak = compared({"one": models["two"], "two": models["one"]}, y, measures=["LogL"], alternative="better")
    assert weak.verdict.startswith(f"one is not significantly better on {word('LogL')} (difference ")
    with pytest.raises(InputError, match="alternative is"):
        compared(models, y, alternative="larger")


def test_methods_have_other_names() -> None:
    y, models = models_of(80, 4, 0.3)
    for test, method in (("bootstrap", "percentile"), ("permutation", "exchange")):
        one, other = (
            compared(models, y, measures=["MSE", "MCC"], replicates=200, **how).to_dict()
            for how in ({"test": test}, {"method": method})
        )
        assert one == other
    with pytest.raises(InputError, match="give method alone"):
        compared(models, y, test="bootstrap", method="bca")
    with pytest.raises(InputError, match="method is"):
        compared(models, y, method="guess")


@pytest.mark.parametrize("method", ["percentile", "basic", "bca"])
def test_bootstraps_agree_with_the_t_test_where_there_are_many_cases(method: str) -> None:
    y, models = models_of(400, 8, 0.25)
    first, second = (losses(y, p, "MSE") for p in models.values())
    ends = stats.ttest_rel(first, second).confidence_interval(0.95)
    d = compared(models, y, measures=["MSE"], method=method, replicates=2000)["MSE"]
    assert (d.low, d.high) == pytest.approx((ends.low, ends.high), abs=0.12 * (ends.high - ends.low))


# ------------------------------------------------------------------------------------------------------- margins


def test_margins_of_a_mean_loss_are_one_sided_t_tests() -> None:
    y, models = models_of(150, 6, 0.05)
    first, second = (losses(y, p, "MSE") for p in models.values())
    gap = first - second
    margin = 0.02
    above = stats.ttest_1samp(gap, -margin, alternative="greater").pvalue
    below = stats.ttest_1samp(gap, margin, alternative="less").pvalue
    d = compared(models, y, measures=["MSE"], margin=margin)["MSE"]
    z = stats.norm.isf
    assert z(d.p_equivalent) == pytest.approx(z(max(above, below)), rel=0.03)
    assert z(d.p_noninferior) == pytest.approx(z(below), rel=0.03)  # of a loss, worse is more
    assert d.noninferior == (below <= 0.05)
    assert d.equivalent == (max(above, below) <= 0.05)


def test_margins_of_accuracy_hold_for_few_flips() -> None:
    """Nobody flips: the share of flips is below the margin with the probability (1 - margin)^n at most."""
    for n, margin in ((40, 0.05), (100, 0.05), (400, 0.02), (30, 0.2)):
        y = np.arange(n) % 2
        models = {"one": y, "two": y}
        d = karat.compare(models, y, kind="decisions", measures=["Acc"], margin=margin)["one", "two"]["Acc"]
        exact = (1 - margin) ** n
        assert exact <= d.p_equivalent <= exact + 0.05
        assert d.equivalent == (d.p_equivalent <= 0.05)


def test_margins_of_accuracy_keep_their_level() -> None:
    """At the margin, at most about 5 % are called non-inferior."""
    rng = np.random.default_rng(1)
    n, margin, times = 100, 0.1, 400
    shares = [0.05, 0.15, 0.8]  # only the first is right, only the second, both
    told = 0
    for _ in range(times):
        kind = rng.choice(3, n, p=shares)
        y = np.ones(n, int)
        models = {"one": (kind != 1).astype(int), "two": (kind != 0).astype(int)}
        c = karat.compare(models, y, kind="decisions", labels=[0, 1], measures=["Acc"], margin=margin)
        told += bool(c["one", "two"]["Acc"].noninferior)
    assert 2 <= told <= times * 0.05 + 3 * math.sqrt(times * 0.05 * 0.95)


def test_margins_are_checked_and_said() -> None:
    y, models = models_of(150, 6)
    for wrong in (0, -0.1, (0.1, 0.2), {"MSE": math.nan}):
        with pytest.raises(InputError, match="margin is"):
            compared(models, y, measures=["MSE"], margin=wrong)
    skew = compared(models, y, measures=["MSE"], margin=(-0.001, 0.2))
    assert skew["MSE"].noninferior
    assert not skew["MSE"].equivalent
    assert f"one is non-inferior on {word('MSE')} (worse by less than" in skew.verdict


# ------------------------------------------------------------------------------------- verdicts and multiplicity


def test_a_verdict_is_about_what_was_asked() -> None:
    y, models = models_of(120, 3, 1.2, k=3)
    c = karat.compare(models, y, measures=["Acc", "MSE", "KapS"])
    assert c.verdict.startswith("one is significantly better on accuracy (0.225 higher [")
    assert f"{word('KapS')} (0.333 higher [" in c.verdict
    assert set(c.aspects) == {"Acc", "MSE", "KapS"}
    usual = karat.compare(models, y)
    assert set(usual.aspects) == {"decisions", "ranking", "probabilities", "calibration"}
    only = karat.compare({n: p.argmax(axis=1) for n, p in models.items()}, y, kind="decisions", measures=["LogL"])
    assert only.verdict.startswith("one and two can't be compared: LogL of one is undefined: ")


def test_verdicts_seldom_name_a_winner_of_equals() -> None:
    times, winners = 200, 0
    for seed in range(times):
        y, models = models_of(60, 7000 + seed)
        pair = compared(models, y, replicates=199, measures=["MCC", "AUNU", "LogL", "ECE"])
        winners += any(d.winner(0.95) for d in pair.differences.values())
    assert winners <= times * 0.05 + 2.5 * math.sqrt(times * 0.05 * 0.95), winners


def test_verdicts_are_corrected_over_all_they_speak_of() -> None:
    y, models = models_of(200, 11, 0.25)
    pair = compared(models, y, measures=["Acc", "LogL", "MSE", "MCC"])
    p = sorted(d.p for d in pair.differences.values())
    expected = np.minimum(np.maximum.accumulate(np.array(p) * [4, 3, 2, 1]), 1)
    assert sorted(d.familywise for d in pair.differences.values()) == pytest.approx(expected.tolist())
    assert all(d.adjusted == d.p for d in pair.differences.values())  # one pair of models
    assert pair.claims == 4


def test_the_choice_of_finalists_is_corrected_for() -> None:
    y, models = models_of(200, 11, 0.3)
    alone = karat.compare(models, y, measures=["LogL"])["one", "two"]["LogL"]
    chosen = karat.compare(models, y, measures=["LogL"], among=6)
    d = chosen["one", "two"]["LogL"]
    assert d.p == alone.p
    assert d.adjusted == d.familywise == pytest.approx(min(1, 15 * alone.p))
    assert "15 pairs of models" in chosen.corrections
    of_three = karat.compare(models | {"three": models["two"]}, y, measures=["LogL", "MSE"], among=6)
    legend = "corrected (Holm) for 30 tests"
    assert legend in of_three.to_markdown()
    assert of_three.corrections in " ".join(repr(of_three).split())
    with pytest.raises(InputError, match="among is 1"):
        karat.compare(models, y, among=1)


def test_six_cases_can_convince_of_one_thing_but_not_of_four() -> None:
    y = np.array([0, 1, 0, 1, 0, 1])
    right = np.eye(2)[y]
    models = {"one": 0.9 * right + 0.05, "two": 0.4 * right + 0.3}
    one = compared(models, y, measures=["LogL"], method="exchange")
    assert one["LogL"].p == 2 / 64
    assert one.verdict.startswith(f"one is significantly better on {word('LogL')} (0.441 lower [")
    four = compared(models, y, measures=["LogL", "MSE", "MAE", "pCEN"], method="exchange")
    assert re.search(r"p can't be below 0\.12\d \(corrected", four.verdict)
    assert "(corrected for 4 tests)" in four.verdict


def test_measures_of_one_class_are_compared_by_class() -> None:
    y, models = models_of(150, 5, 0.8, k=3)
    c = karat.compare(models, y, measures=["F1", "Acc"], classes="all")
    assert list(c["one", "two"].differences) == ["F1[0]", "F1[1]", "F1[2]", "Acc"]
    for j in range(3):
        d = c["one", "two"][f"F1[{j}]"]
        values = []
        for p in models.values():
            decided = p.argmax(axis=1) == j
            values.append(2 * (decided & (y == j)).sum() / (decided.sum() + (y == j).sum()))
        assert d.values == pytest.approx(values)
        assert d.adjusted >= d.p
    p = sorted(c["one", "two"][f"F1[{j}]"].p for j in range(3))
    adjusted = sorted(c["one", "two"][f"F1[{j}]"].adjusted for j in range(3))
    assert adjusted == pytest.approx(np.minimum(np.maximum.accumulate(np.array(p) * [3, 2, 1]), 1).tolist())
    assert c.to_table().columns["symbol"] == ["F1[0]", "F1[1]", "F1[2]", "Acc"]
    assert c.to_table().columns["measure"][0] == f"{karat.catalogue.measures['F1'].title} of 0"
    assert "the classes" in c.corrections


def test_many_models_can_be_told_apart_by_exchanges_too() -> None:
    """Of 8 models 28 pairs and 4 aspects are tested: a thousand exchanges could not show that much."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 40)
    models = {f"m{i}": np.eye(2)[y] * 0.1 + 0.45 + 0 * y[:, None] for i in range(7)}
    models = {name: p + rng.uniform(-0.02, 0.02, (40, 1)) * [1, -1] for name, p in models.items()}
    models["best"] = np.eye(2)[y] * 0.9 + 0.05
    c = karat.compare(models, y, measures=["LogL", "MSE", "MAE", "pCEN"], groups=np.arange(40))
    assert c["best", "m0"]["MAE"].winner(0.95) == "best"
    assert c["best", "m0"]["MAE"].least * c["best", "m0"].claims <= 0.05


def test_too_few_replicates_are_not_too_few_cases() -> None:
    y, models = models_of(40, 5, 1.5)
    symbols = ["LogL", "MSE", "MAE"]
    c = karat.compare(models, y, measures=symbols, method="exchange", replicates=45)
    assert c["one", "two"]["LogL"].by_draws
    assert c.verdict.startswith(
        "No test could show a significant difference between one and two: with so few replicates p"
    )
    assert karat.compare(models, y, measures=symbols, method="exchange").verdict.startswith(
        "one is significantly better"
    )


# ------------------------------------------------------------------------------- what was not seen, or not asked


def forty(flipped: int, noise: float = 0.0) -> tuple[Any, dict[str, Any]]:
    """A sure model of 40 cases that is always right, and one that is wrong on so many."""
    rng = np.random.default_rng(0)
    y = np.array([1, 0] * 20)
    decided = np.where(np.arange(40) < flipped, 1 - y, y)
    models = {"one": np.where(y, 0.9, 0.1), "two": np.where(decided, 0.8, 0.2)}
    return y, {name: p + rng.normal(0, 0.01, 40) * (name == "one" or noise) for name, p in models.items()}


def test_models_that_decide_alike_are_not_shown_to_be_equal() -> None:
    y = np.array([0, 1] * 30)
    models = {"one": np.where(y, 0.9, 0.1), "two": np.where(y, 0.8, 0.2)}
    pair = karat.compare(models, y, measures=["MCC", "AUNU"], margin=1e-9)["one", "two"]
    for d in pair.differences.values():
        assert d.p == d.least == 1
        assert not d.p_equivalent < 0.5
        assert not d.p_noninferior < 0.5
        assert not d.equivalent
        assert not d.noninferior
        assert "the models agree on every case" in d.reason
    for side in ("greater", "less"):
        one = karat.compare(models, y, measures=["MCC"], alternative=side)["one", "two"]["MCC"]
        assert one.p == one.least == 1


@pytest.mark.parametrize("method", ["auto", "exchange", "percentile"])
@pytest.mark.parametrize("flipped", [0, 1, 2, 5])
@pytest.mark.parametrize("n", [40, 400])
def test_few_flips_show_as_much_of_any_measure_as_of_accuracy(method: str, flipped: int, n: int) -> None:
    """Of balanced classes all right MAvA is the accuracy, and MCC about twice as much: so are their margins. One flip
    of 40 has shown an MCC to be non-inferior within .06, because exchanges of one case have no spread."""
    y = np.arange(n) % 2
    models = {"one": np.where(y, 0.9, 0.1), "two": np.where(np.arange(n) < flipped, 0.9 - 0.8 * y, 0.1 + 0.8 * y)}
    margin = {"Acc": 0.03, "MAvA": 0.03, "MCC": 0.06}
    pair = karat.compare(models, y, margin=margin, measures=["MAvA", "MCC", "Acc"], method=method)["one", "two"]
    known = karat.compare(models, y, margin=0.03, measures=["Acc"])["one", "two"]["Acc"]  # Tango's score test
    for symbol in margin:
        assert pair[symbol].p_noninferior == pytest.approx(known.p_noninferior, abs=0.03)
        both = pair[symbol].p_equivalent, known.p_equivalent
        assert min(both) > 0.5 or both[0] == pytest.approx(both[1], abs=0.05)


def test_margins_of_other_measures_keep_their_level_with_few_flips() -> None:
    """Only the first model errs, as often as the margin says: at most 5 % are called non-inferior."""
    rng = np.random.default_rng(2)
    n, times = 100, 300
    y = np.arange(n) % 2
    for rate in (0.02, 0.04, 0.06):
        told = 0
        for _ in range(times):
            models = {"one": np.where(rng.random(n) < rate, 1 - y, y), "two": y}
            c = karat.compare(models, y, kind="decisions", measures=["MAvA"], margin=rate, replicates=99)
            told += bool(c["one", "two"]["MAvA"].noninferior)
        assert told <= times * 0.05 + 3 * math.sqrt(times * 0.05 * 0.95), rate


def test_margins_of_scores_that_differ_on_few_cases_are_not_known() -> None:
    y, models = forty(0)
    models["two"] = np.where(np.arange(40) < 3, models["two"], models["one"])
    weight = np.linspace(1, 2, 40)
    d = karat.compare(models, y, margin=0.1, measures=["MSE"], sample_weight=weight)["one", "two"]["MSE"]
    assert math.isnan(d.p_noninferior)
    assert d.noninferior is d.equivalent is False
    assert "the models differ on 3 cases, too few" in d.reason
    plain = karat.compare(models, y, margin=0.1, measures=["MSE", "LogL"])["one", "two"]
    assert min(d.p_noninferior for d in plain.differences.values()) > 0.05


@pytest.mark.parametrize(("n", "equal"), [(40, False), (2000, True)])
@pytest.mark.parametrize("moved", [0, 1])
def test_areas_of_many_cases_are_shown_to_be_equal_by_what_does_not_move(n: int, equal: bool, moved: int) -> None:
    """If one positive of a share r had another rank, none, or one, of 20 cases would be seen in most samples."""
    y = np.arange(n) % 2
    noise = np.linspace(0, 0.01, n)
    one, two = np.where(y, 0.9, 0.1) + noise, np.where(y, 0.8, 0.2) + noise
    two[1 : 1 + 2 * moved : 2] = 0.05
    d = karat.compare({"one": one, "two": two}, y, measures=["AUNU"], margin=0.05)["one", "two"]["AUNU"]
    assert d.difference == pytest.approx(moved / (n / 2))
    assert d.equivalent is equal
    assert d.p_equivalent >= min(0.05, (1 - 0.05) ** (n / 2))  # that no positive of so many was seen to move


def test_cases_that_are_decided_alike_are_not_counted() -> None:
    """All 40 scores differ, 5 decisions do: no p-value can be below 2 / 2^5."""
    y, models = forty(5, noise=1)
    for method in ("auto", "exchange"):
        d = karat.compare(models, y, measures=["MCC"], method=method)["one", "two"]["MCC"]
        assert d.least == 2 / 2**5
        assert d.p >= d.least
        assert "5 cases" in d.reason
    assert karat.compare(models, y, measures=["MSE"])["one", "two"]["MSE"].least < 0.01


def test_cases_without_weight_are_not_counted() -> None:
    y, models = forty(20, noise=1)
    weight = (np.arange(40) < 4).astype(float)
    d = karat.compare(models, y, measures=["MSE"], sample_weight=weight, method="exchange")["one", "two"]["MSE"]
    assert d.least == 2 / 2**4


@pytest.mark.parametrize("alternative", ["better", "greater", "worse", "less"])
def test_the_other_side_was_not_tested(alternative: str) -> None:
    """The last of three models is the best by far; that a is better than it was asked, and the reverse was not."""
    y = models_of(60, 0)[0]
    rng = np.random.default_rng(0)
    models = {name: rng.uniform(0.3, 0.7, 60) for name in ("a", "b")} | {"c": np.where(y, 0.9, 0.1)}
    c = karat.compare(models, y, measures=["MCC"], alternative=alternative)
    side = {"greater": "higher", "less": "lower"}.get(alternative, alternative)
    title = karat.catalogue.measures["MCC"].title
    assert "no significant difference" not in c.verdict
    assert "best" not in c.verdict
    if alternative in ("better", "greater"):
        assert (
            c.verdict == f"{title}: a is not significantly {side} than b and c; b is not significantly {side} than c."
        )
    else:
        assert f"{title}: a is significantly {side} than c, and not significantly {side} than b; b is" in c.verdict
    turned = c["c", "a"]
    other = {"better": "worse", "worse": "better", "less": "greater", "greater": "less"}
    assert turned.alternative == other[alternative]
    asked = {"c": models["c"], "a": models["a"]}
    again = karat.compare(asked, y, measures=["MCC"], alternative=turned.alternative)["c", "a"]["MCC"]
    assert turned["MCC"].p == pytest.approx(again.p)
    assert c["a", "c"].turned().turned().alternative == alternative


def test_what_was_not_tested_is_not_called_alike() -> None:
    e = {}
    for name, seed in (("a", 1), ("b", 2), ("c", 3)):
        y, models = models_of(80, seed)
        e[name] = karat.evaluate(y, models["one"])
    c = karat.compare(e, measures=["CalB", "LogL"], paired=False)
    on_calibration = c.sentences[0]
    assert "no significant difference" not in on_calibration
    assert "not tested against" in on_calibration
    assert "significantly" not in on_calibration


def test_p_values_are_as_small_as_exchanges_allow_and_never_0() -> None:
    y = np.arange(60) % 2
    rng = np.random.default_rng(0)
    sure = {"one": np.where(y, 0.9, 0.1) + rng.normal(0, 1e-4, 60), "two": np.where(y, 0.6, 0.4)}
    d = karat.compare(sure, y, measures=["SAUC"])["one", "two"]["SAUC"]  # no loss, of which larger ones may be unseen
    assert d.p == d.least == 2.0**-59
    one = karat.compare(sure, y, measures=["SAUC"], alternative="better")["one", "two"]["SAUC"]
    assert one.p == one.least == 2.0**-60
    assert 1e-9 < karat.compare(sure, y, measures=["MSE"])["one", "two"]["MSE"].p < 1e-3
    n = 20_000
    y = np.arange(n) % 2
    many = {"one": np.where(y, 0.9, 0.1) + rng.normal(0, 1e-4, n), "two": np.where(y, 0.6, 0.4)}
    c = karat.compare(many, y, measures=["MSE", "Acc"], margin=0.9)
    for d in c["one", "two"].differences.values():
        assert 0 < d.p <= 1
        assert d.p_equivalent > 0
    right = {"one": y, "two": 1 - y}
    d = karat.compare(right, y, kind="decisions", measures=["Acc"])["one", "two"]["Acc"]
    assert 0 < d.least <= d.p < 1e-300


@pytest.mark.parametrize("ones", [20, 17])
@pytest.mark.parametrize("method", ["percentile", "basic", "bca"])
def test_replicates_that_differ_by_rounding_are_all_alike(method: str, ones: int) -> None:
    """Every case adds -.03: the bootstrap has nothing to say, and exchanges are sure."""
    y = (np.arange(40) < ones).astype(int)
    models = {"one": np.where(y, 0.9, 0.1), "two": np.where(y, 0.8, 0.2)}
    d = karat.compare(models, y, measures=["MSE"], method=method)["one", "two"]["MSE"]
    assert d.method == "permutation test"
    assert d.p < 0.01
    assert d.low < -0.03 < d.high < 0
    assert d.better == "one"


def test_intervals_of_differences_stay_in_the_possible_range() -> None:
    y = np.array([1, 0] * 40)
    models = {"one": np.where(y, 0.9, 0.1), "two": np.where(y, 0.1, 0.9)}
    pair = karat.compare(models, y, measures=["MCC", "KapS", "MAvA", "AUNU", "MSE", "LogL"])["one", "two"]
    for symbol, most in (("MCC", 2), ("KapS", 2), ("MAvA", 1), ("AUNU", 1), ("MSE", 1)):
        d = pair[symbol]
        assert -most <= d.low < d.high <= most, symbol
        assert d.p <= 0.05
    assert pair["LogL"].low < pair["LogL"].high < 0
    one = karat.compare(models, y, measures=["MCC"], alternative="greater")["one", "two"]["MCC"]
    assert one.high == math.inf  # what was not asked


def test_too_few_exchanges_say_how_many_are_needed() -> None:
    y, models = models_of(40, 5, 3.0)
    c = karat.compare(models, y, among=20, measures=["LogL", "MSE", "MAE", "MCC"])
    assert c.verdict == (
        "No test could show a significant difference between one and two: with so few replicates p can't be below "
        "0.0760 (corrected for 760 tests); use 30400 or more."
    )
    asked = karat.compare(models, y, among=20, measures=["LogL", "MSE", "MAE", "MCC"], replicates=30_400)
    assert "too few" not in asked.verdict


def test_rankings_of_many_models_can_be_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 7 models 21 pairs and 4 aspects are tested; a thousand exchanges of an area could not show that much."""
    rng = np.random.default_rng(0)
    y = np.arange(40) % 2
    models = {f"m{i}": rng.uniform(0.3, 0.7, 40) for i in range(6)} | {"best": np.where(y, 0.9, 0.1)}
    c = karat.compare(models, y, baseline="best", among=7)
    d = c["m0", "best"]["AUC"]
    assert d.least * c["m0", "best"].claims <= 0.05
    assert d.winner(0.95) == "best"
    monkeypatch.setattr("karat.comparisons.difference_test.AFFORDABLE", 0)
    few = karat.compare(models, y, baseline="best", among=7)
    assert few["m0", "best"]["AUC"].least == 1 / 1001
    assert few["m0", "best"]["AUC"].winner(0.95) is None
    assert "can't be tested with fewer than 3360 replicates" in few["m0", "best"].verdict
    every = karat.compare(models, y)
    assert "best is best (1), with too few replicates to test it against m0" in every.verdict


def test_ties_are_not_too_few_cases() -> None:
    """Only one case moves the measure though all differ: half of all exchanges make the difference as large."""
    y = np.arange(40) % 2
    one = np.where(y, 0.9, 0.1) + np.linspace(0, 0.01, 40)
    two = np.where(y, 0.8, 0.2) + np.linspace(0, 0.01, 40)
    two[1] = 0.05
    d = karat.compare({"one": one, "two": two}, y, measures=["AUNU"], method="exchange")["one", "two"]["AUNU"]
    assert math.isnan(d.low)
    assert "cases (or groups) only" not in d.reason
    assert "rests on so few cases that no size of it" in d.reason
    two[1:10:2] = 0.05 - np.arange(5) / 1000
    d = karat.compare({"one": one, "two": two}, y, measures=["AUNU"], method="exchange")["one", "two"]["AUNU"]
    assert d.p == pytest.approx(2 / 2**5, abs=0.02)  # of five cases that move it; not half as much
    assert d.better is None


def test_margins_are_said_where_the_models_differ_on_too_few_cases() -> None:
    y = np.arange(200) % 2
    two = y.copy()
    two[:2] = 1 - two[:2]
    models = {"one": y, "two": two}
    c = karat.compare(models, y, kind="decisions", measures=["Acc"], margin=0.1)
    assert c["one", "two"]["Acc"].equivalent
    assert "too few cases" in c.verdict
    claim = "one and two are equivalent on accuracy within 0.1"
    assert f"{claim} (difference 0.0100, 90 % interval [-0.0081, 0.0334], p < 0.001)" in c.verdict
    same = karat.compare({"one": y, "two": y}, y, kind="decisions", measures=["Acc"], margin=0.1)
    assert f"{claim} (difference 0.0000, 90 % interval [-0.0179, 0.0179], p < 0.001)" in same.verdict
    assert same.verdict.startswith("No significant difference between one and two: the models are correct on the same")


def test_verdicts_are_grammatical() -> None:
    y, models = models_of(150, 6)
    skew = compared(models, y, measures=["MSE"], margin=(-0.001, 0.2)).verdict
    assert skew.startswith(f"one is non-inferior on {word('MSE')} (worse by less than 0.2, if at all; p < 0.001)")
    merit = compared(models, y, measures=["Acc"], margin=(-0.2, 0.001)).verdict
    assert "worse by less than 0.2, if at all" in merit
    alike = compared(models, y, measures=["MSE"]).verdict
    assert alike.startswith(f"No significant difference between one and two on {word('MSE')} (difference ")
    lower = compared(models, y, measures=["MSE"], alternative="less").verdict
    assert lower.startswith(f"one is not significantly lower on {word('MSE')} (difference ")
    y, models = models_of(120, 3, 1.2, k=3)
    assert karat.compare(models, y, measures=["MSE"]).verdict.startswith(
        f"one is significantly better on {word('MSE')} ("
    )


def test_only_tests_that_were_made_are_corrected_for() -> None:
    rng = np.random.default_rng(2)
    y = rng.integers(0, 2, 80)
    a, b = (1 / (1 + np.exp(-(2 * y - 1 + rng.normal(size=80)))) for _ in range(2))
    both = karat.compare({"a": a, "b": b}, y, measures=["LogL", "CalB"])  # CalB has no test
    alone = karat.compare({"a": a, "b": b}, y, measures=["LogL"])
    assert both["a", "b"]["LogL"].familywise == alone["a", "b"]["LogL"].familywise == alone["a", "b"]["LogL"].p
    assert "tests" not in both.corrections
    assert (
        "p-values are corrected (Holm) for 2 tests."
        in karat.compare({"a": a, "b": b}, y, measures=["LogL", "MCC", "CalB"]).corrections
    )


def test_what_was_seen_may_lie_between_the_exchanges_drawn() -> None:
    y, p = np.arange(40) % 2, np.linspace(1, 0, 40)
    d = karat.compare({"a": p, "b": p / 2}, y, measures=["precision"])["a", "b"]["precision"]
    assert d.method.endswith("permutation test")
    assert (d.p > 0.05) == (d.low <= 0 <= d.high)


def test_a_bootstrap_end_beyond_all_replicates_is_no_proof() -> None:
    rng = np.random.default_rng(3)
    drawn = np.sort(rng.normal(1.0, 0.25, 200))
    difference = float(drawn[30])  # most replicates lie above it, so that the end is far below
    judged = by_bootstrap("bca", difference, drawn, 0.0, 0.95, 0)
    z0 = stats.norm.ppf(30.5 / 200)
    assert stats.norm.cdf(2 * z0 - 1.96) * 201 < 1  # the share of replicates below the end
    assert math.isnan(judged.p)
    assert "beyond all replicates" in judged.reason


@pytest.mark.parametrize("n", [300, 5000])
def test_the_size_of_an_effect_is_of_cases_however_many_are_left_out_together(n: int) -> None:
    rng = np.random.default_rng(4)
    y = rng.integers(0, 2, n)
    a, b = (1 / (1 + np.exp(-(2 * y - 1 + sd * rng.normal(size=n)))) for sd in (1, 1.5))
    loss = (a - y) ** 2 - (b - y) ** 2
    effect = karat.compare({"a": a, "b": b}, y, measures=["BrierLoss"])["a", "b"]["BrierLoss"].effect
    assert effect == pytest.approx(loss.mean() / loss.std(), rel=0.2)


def test_means_of_recalls_of_few_cases_are_exchanged_in_standard_errors() -> None:
    """Three classes of 50 cases: Student's t told equal models apart by the geometric mean of their recalls in 0.02."""
    y, models = models_of(50, 3, 0.3, k=3)
    assert compared(models, y, measures=["MAvG"])["MAvG"].method == "studentised permutation test"
    y, models = models_of(150, 3, 0.3, k=3)
    assert compared(models, y, measures=["MAvG"])["MAvG"].method == "jackknife t test"


def test_areas_of_groups_are_not_left_to_exchanges_of_ranks() -> None:
    """Of single cases their level was simulated, of groups it was not."""
    rng = np.random.default_rng(0)
    y = np.arange(240) % 2
    s = rng.normal(y, 1)
    models = {"a": 1 / (1 + np.exp(-s)), "b": 1 / (1 + np.exp(-0.6 * s - rng.normal(0, 0.8, 240)))}
    grouped = karat.compare(models, y, measures=["AUC"], groups=np.arange(240) // 4)
    alone = karat.compare({name: p[:60] for name, p in models.items()}, y[:60], measures=["AUC"])
    assert grouped["a", "b"]["AUC"].method == "jackknife t test"
    assert alone["a", "b"]["AUC"].method == "studentised permutation test"


# --------------------------------------------------------------------------------- few cases that the models differ on


def base_of(n: int, seed: int) -> tuple[Any, Any, Any]:
    """Truth, and twice the decisions of one model, which is right in three of four cases."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    one = np.where(rng.random(n) < 0.75, y, 1 - y)
    return y, one, one.copy()


def agreeing(d: Any, level: float = 0.95) -> bool:
    """Do the p-value, the interval, the least p-value and the reason say the same?"""
    said = re.search(r"can't be below ([\d.]+)", d.reason)
    least = said is None or float(said[1]) == pytest.approx(d.least, rel=0.01)
    ends = d.p > 1 - level if math.isnan(d.low) else (d.low <= 0 <= d.high) == (d.p > 1 - level)
    return least and ends and d.p >= d.least * (1 - 1e-9)


@pytest.mark.parametrize("n", [60, 500, 5000])
@pytest.mark.parametrize("flipped", [2, 3, 4, 5])
def test_many_cases_on_which_models_agree_make_few_flips_no_surer(n: int, flipped: int) -> None:
    y, one, two = base_of(n, 8)
    some = np.flatnonzero(y == 1)[:flipped]
    one[some], two[some] = 1, 0
    pair = karat.compare({"one": one, "two": two}, y, kind="decisions", positive=1, measures=DECIDED)["one", "two"]
    for symbol in DECIDED:
        d = pair[symbol]
        assert d.p >= 2.0 ** (1 - flipped) * (1 - 1e-9), (symbol, d.p)
        assert d.better is None
        assert agreeing(d), (symbol, d.p, d.least, d.reason, d.low, d.high)


DECIDED = ["Acc", "TPR", "MCC", "NIT", "F1", "MAvA", "EMA"]


@pytest.mark.parametrize("n", [60, 500, 3000])
@pytest.mark.parametrize("method", ["auto", "jackknife", "percentile"])
def test_few_probabilities_that_differ_are_no_surer_either(n: int, method: str) -> None:
    y, models = models_of(n, 3)
    models["two"] = models["one"].copy()
    models["two"][:4] = 0.5 * models["one"][:4] + 0.5 * (1 - np.eye(2)[y[:4]])
    symbols = ["LogLoss", "BrierLoss", "MCC", "AUC", "AUNU"]
    pair = compared(models, y, measures=symbols, positive=1, method=method, replicates=200)
    for symbol in symbols:
        d = pair[symbol]
        assert d.p >= 0.125 * (1 - 1e-9), (symbol, d.p, d.method)
        assert agreeing(d), (symbol, d.p, d.least, d.reason, d.low, d.high)


def test_six_cases_that_differ_can_convince_whoever_agrees_with_them() -> None:
    y, one, two = base_of(500, 8)
    some = np.flatnonzero(y == 1)[:6]
    one[some], two[some] = 1, 0
    d = karat.compare({"one": one, "two": two}, y, kind="decisions", positive=1, measures=["TPR"])["one", "two"]["TPR"]
    assert d.p == pytest.approx(2.0**-5)
    assert d.better == "one"
    assert agreeing(d)


def test_flips_that_a_measure_does_not_see_make_it_no_surer() -> None:
    """Recall does not see cases of other classes, nor do accuracies one error for another."""
    y, one, two = base_of(500, 8)
    some, others = np.flatnonzero(y == 1)[:4], np.flatnonzero(y == 0)[:60]
    one[some], two[some] = 1, 0
    two[others] = 1 - one[others]
    d = karat.compare({"one": one, "two": two}, y, kind="decisions", positive=1, measures=["TPR"])["one", "two"]["TPR"]
    assert d.p == d.least == 0.125
    assert agreeing(d)
    y = np.arange(600) % 3
    one, two = np.where(np.arange(600) < 300, y, (y + 1) % 3), np.where(np.arange(600) < 300, y, (y + 2) % 3)
    two[300:304] = y[300:304]
    given: dict[str, Any] = {"kind": "decisions", "measures": ["Acc", "MAvA"]}
    for more in ({"sample_weight": np.ones(600) * 2}, {}):
        pair = karat.compare({"one": one, "two": two}, y, **given, **more)["one", "two"]
        assert all(d.p >= 0.125 for d in pair.differences.values())


def test_groups_that_differ_are_counted_not_all() -> None:
    y, one, two = base_of(600, 8)
    groups = np.arange(600) // 10
    some = np.flatnonzero((y == 1) & (groups < 4))
    one[some], two[some] = 1, 0
    pair = karat.compare({"one": one, "two": two}, y, kind="decisions", measures=["Acc", "MCC"], groups=groups)
    for symbol in ("Acc", "MCC"):
        d = pair["one", "two"][symbol]
        assert d.p >= 0.125 * (1 - 1e-9)
        assert agreeing(d), (symbol, d.p, d.least, d.reason)


def test_the_least_p_value_is_the_one_that_the_reason_says() -> None:
    y, one, two = base_of(50, 1)
    groups = np.arange(50) // 10
    one[:40], two[:40] = y[:40], np.where(np.arange(40) % 3, y[:40], 1 - y[:40])
    two[40:] = one[40:]
    given: dict[str, Any] = {"kind": "decisions", "labels": [0, 1]}
    of_groups = karat.compare({"one": one, "two": two}, y, measures=["Acc"], groups=groups, **given)
    of_three = karat.compare({"one": [0, 1, 1], "two": [1, 0, 1]}, [0, 1, 1], measures=["MCC"], **given)
    for d in (of_groups["one", "two"]["Acc"], of_three["one", "two"]["MCC"]):
        assert d.p >= d.least
        assert agreeing(d), (d.p, d.least, d.reason)
    assert of_groups["one", "two"]["Acc"].least == 0.125


# -------------------------------------------------------------------------------------- values that say something else


def test_calibration_losses_that_are_squared_errors_are_not_compared() -> None:
    y, models = models_of(200, 0, 1.5)
    given = {name: p[:, 1] for name, p in models.items()}
    c = karat.compare(given, y, labels=[0, 1], measures=["CalL", "REL", "MSE"])
    assert c["one", "two"]["MSE"].better == "one"
    for symbol in ("CalL", "REL"):
        d = c["one", "two"][symbol]
        assert math.isnan(d.p)
        assert d.better is None
        assert karat.evaluate(y, given["one"], labels=[0, 1]).why(symbol) in d.reason
    assert c.verdict.endswith("; calibration loss and reliability of the Brier score could not be tested.")
    alone = karat.compare(given, y, labels=[0, 1], measures=["CalL"])
    assert "can't be compared" in alone.verdict
    assert "it says nothing about calibration then" in alone.verdict


def test_one_of_two_calibration_losses_that_is_a_squared_error_is_enough() -> None:
    y, models = models_of(200, 0, 1.5)
    rounded = {name: p[:, 1].round(1) for name, p in models.items()}
    assert karat.compare(rounded, y, labels=[0, 1], measures=["CalL"])["one", "two"]["CalL"].p < 0.05
    mixed = rounded | {"one": models["one"][:, 1]}
    d = karat.compare(mixed, y, labels=[0, 1], measures=["CalL"])["one", "two"]["CalL"]
    assert math.isnan(d.p)
    assert d.reason.startswith("of one it is just the squared error")


def test_no_mark_says_who_is_best_on_a_calibration_loss_that_is_a_squared_error() -> None:
    y, models = models_of(200, 0, 1.5)
    given = {name: p[:, 1] for name, p in models.items()} | {"three": models["one"][:, 1] ** 2}
    c = karat.compare(given, y, labels=[0, 1], measures=["CalL", "MSE"])
    shown = [line for line in str(c).splitlines() if "*" in line and "best" not in line]
    assert len(shown) == 1
    assert "MSE" in shown[0]


# --------------------------------------------------------------------------------------------------- calibration errors


def of_other_sharpness(n: int, rng: Any) -> tuple[Any, Any, Any]:
    """Two calibrated models, of which one knows nothing."""
    p = 1 / (1 + np.exp(-2 * rng.normal(size=n)))
    return (rng.random(n) < p).astype(int), np.full(n, 0.5001), p


def off_in_other_places(n: int, rng: Any) -> tuple[Any, Any, Any]:
    """One off by 0.1 everywhere, one by 0.2 in half of the cases: ECE 0.1 of both."""
    share = rng.choice([0.25, 0.75], n)
    sure = np.sign(share - 0.5)
    return (rng.random(n) < share).astype(int), share + 0.1 * sure, share + 0.2 * sure * (rng.random(n) < 0.5)


@pytest.mark.parametrize("population", [of_other_sharpness, off_in_other_places])
def test_equal_calibration_errors_of_other_models_are_seldom_told_apart(population: Any) -> None:
    """Exchanges alone told them apart in 0.24 and 0.11 of samples."""
    told = 0
    for s in range(150):
        y, one, two = population(50, np.random.default_rng([s, 12]))
        d = karat.compare({"one": one, "two": two}, y, labels=[0, 1], measures="ECE", seed=s, replicates=199)
        told += d["one", "two"]["ECE"].p <= 0.05
        assert agreeing(d["one", "two"]["ECE"])
    assert told <= 0.05 * 150 + 2 * math.sqrt(150 * 0.05 * 0.95)


def test_a_test_of_small_calibration_errors_keeps_its_level() -> None:
    """It is not too careful either: with exchanges that had to agree, 5 of these 200 had such a p-value."""
    small = 0
    for s in range(200):
        rng = np.random.default_rng([s, 31])
        known, other = 1.5 * rng.normal(size=(2, 100))
        y = (rng.random(100) < 1 / (1 + np.exp(-known - other))).astype(int)
        one, two = (1 / (1 + np.exp(-0.75 * x)) for x in (known, other))
        d = karat.compare({"one": one, "two": two}, y, labels=[0, 1], measures="ECE", seed=s, replicates=199)
        small += d["one", "two"]["ECE"].p <= 0.1
        assert agreeing(d["one", "two"]["ECE"])
    assert 10 <= small <= 0.1 * 200 + 2 * math.sqrt(200 * 0.1 * 0.9)


def test_a_large_difference_of_calibration_errors_is_found() -> None:
    y, _, two = of_other_sharpness(400, np.random.default_rng(3))
    d = karat.compare({"one": two, "two": two**4}, y, labels=[0, 1], measures="ECE")["one", "two"]["ECE"]
    assert d.better == "one"
    assert d.method == "draws of outcomes"
    turned = karat.compare({"two": two**4, "one": two}, y, labels=[0, 1], measures="ECE")["two", "one"]["ECE"]
    assert (turned.p, turned.low, turned.high) == pytest.approx((d.p, -d.high, -d.low), abs=1e-6)
    assert d.low < -(karat.evaluate(y, two**4)["ECE"] - karat.evaluate(y, two)["ECE"]) < d.high


def test_few_replicates_make_no_difference_of_calibration_errors_surer() -> None:
    """p went with how many were asked for: of 20 0.006, of 500 0.001; of other models of 100 0.04, of 5,000 0.07."""
    y = np.random.default_rng(1).integers(0, 2, 800)
    z = [np.random.default_rng(s).normal(0, math.sqrt(2), 800) + 3 * (2 * y - 1) for s in (0, 1)]
    models = {"one": 1 / (1 + np.exp(-z[0])), "two": 1 / (1 + np.exp(-z[1] * 0.8))}
    p = [karat.compare(models, y, measures="ECE", replicates=r)["one", "two"]["ECE"].p for r in (20, 100, 500)]
    assert p[0] == p[1] == p[2]


def test_calibration_errors_with_weights_or_groups_have_no_test() -> None:
    y, _, two = of_other_sharpness(200, np.random.default_rng(3))
    for given in ({"groups": np.arange(200) // 4}, {"sample_weight": np.linspace(1, 2, 200)}):
        options: dict[str, Any] = {"labels": [0, 1], "measures": "ECE", **given}
        d = karat.compare({"one": two, "two": two**4}, y, **options)["one", "two"]["ECE"]
        assert math.isnan(d.p)
        assert "weights or groups" in d.reason
        asked = karat.compare({"one": two, "two": two**4}, y, method="exchange", **options)["one", "two"]["ECE"]
        assert asked.p < 0.05


# ----------------------------------------------------------------------------------- different cases, and no error seen


def decided(right: int, of: int, positive: float = 0.5) -> Any:
    """An evaluation of so many right decisions, errors being spread over both classes."""
    y = (np.arange(of) % 10 < 10 * positive).astype(int)
    wrong = np.random.default_rng(0).permutation(of) >= right
    return karat.evaluate(y, y_pred=np.where(wrong, 1 - y, y), labels=[0, 1], positive=1)


@pytest.mark.parametrize("symbol", ["Acc", "MCC", "F1", "EMA"])
def test_a_model_without_errors_is_compared_with_one_on_other_cases(symbol: str) -> None:
    pair = karat.compare({"one": decided(500, 500), "two": decided(300, 500)}, measures=symbol, paired=False)
    d = pair["one", "two"][symbol]
    assert d.p < 0.001
    assert d.better == "one"
    assert 0 < d.low < d.difference < d.high
    assert d.method == "intervals of both models"


def test_two_models_without_errors_on_other_cases_may_differ_as_much_as_each_may_be_off() -> None:
    models = {"one": decided(50, 50), "two": decided(80, 80)}
    d = karat.compare(models, measures="Acc", paired=False)["one", "two"]["Acc"]
    assert d.p == 1
    assert d.better is None
    assert (-d.low, d.high) == pytest.approx([1 - e.intervals("Acc")["Acc"].low for e in models.values()])


def test_equal_models_on_other_cases_are_seldom_told_apart_though_one_shows_no_error() -> None:
    told, rng = 0, np.random.default_rng(9)
    for _ in range(300):
        models = {name: decided(n - int(rng.binomial(n, 0.04)), n) for name, n in (("one", 50), ("two", 90))}
        d = karat.compare(models, measures="Acc", paired=False)["one", "two"]["Acc"]
        told += d.p <= 0.05
        assert (d.low <= 0 <= d.high) == (d.p > 0.05)
    assert told <= 0.05 * 300 + 2 * math.sqrt(300 * 0.05 * 0.95)


def test_calibration_errors_on_other_cases_are_compared() -> None:
    y, _, p = of_other_sharpness(400, np.random.default_rng(3))
    z, _, q = of_other_sharpness(300, np.random.default_rng(4))
    models = {"one": karat.evaluate(y, p), "two": karat.evaluate(z, q**4)}
    d = karat.compare(models, measures="ECE", paired=False)["one", "two"]["ECE"]
    assert d.p < 0.001
    assert d.better == "one"
    told = 0
    for s in range(100):
        (y, _, p), (z, q, _) = (of_other_sharpness(n, np.random.default_rng([s, n])) for n in (100, 150))
        two = {"one": karat.evaluate(y, p), "two": karat.evaluate(z, q, labels=[0, 1])}
        told += karat.compare(two, measures="ECE", paired=False, replicates=199)["one", "two"]["ECE"].p <= 0.05
    assert told <= 10


# ------------------------------------------------------------------------------------------------------- at the edges


@pytest.mark.parametrize("n", [1, 2, 3, 200])
def test_a_model_that_is_wrong_wherever_the_other_is_right_is_tested_against_margins(n: int) -> None:
    """The score test divided by a variance of 0."""
    y = np.arange(n) % 2
    right = np.where(y == 1, 0.8, 0.2)
    models = {"right": right, "wrong": 1 - right}
    for a, b in (("right", "wrong"), ("wrong", "right")):
        c = karat.compare({a: models[a], b: models[b]}, y, labels=[0, 1], positive=1, margin=0.1, measures=["Acc"])
        d = c[a, b]["Acc"]
        assert d.equivalent is False
        assert d.equivalence_low <= d.difference <= d.equivalence_high
        assert d.noninferior is (n == 200 and a == "right")


@pytest.mark.parametrize("method", ["basic", "percentile", "auto"])
def test_the_last_digits_of_equal_values_are_no_difference(method: str) -> None:
    """Two perfect rankings with weights differed by 3e-16, significantly so by the basic bootstrap."""
    y = np.arange(120) % 2
    for seed in range(12):
        rng = np.random.default_rng(seed)
        models = {name: np.where(y == 1, 0.8, 0.2) + rng.uniform(-0.1, 0.1, 120) for name in ("one", "two")}
        weight = rng.uniform(0.1, 3, 120)
        c = karat.compare(models, y, positive=1, sample_weight=weight, method=method, measures=["AUC", "AUNU"])
        for d in c["one", "two"].differences.values():
            assert d.difference == 0
            assert d.better is None
            assert not d.low > 0 > d.high


def test_what_is_larger_than_all_drawn_exchanges_has_an_interval() -> None:
    """A significant difference had none, "as no size of it would be significant": several exchanges were as large as
    the largest of them."""
    rng = np.random.default_rng(11)
    y = rng.integers(0, 2, 120)
    models = {"constant": np.tile([1 / 3, 2 / 3], (120, 1)), "right": np.eye(2)[y] * 0.8 + 0.1}
    for seed in range(10, 14):
        options: dict[str, Any] = {"method": "exchange", "level": 0.99, "replicates": 400, "seed": seed}
        c = karat.compare(models, y, positive=1, measures=["KapS", "Acc", "MCC", "EMA"], **options)
        for d in c["constant", "right"].differences.values():
            assert (d.p <= 0.01) == (d.high < 0)
            assert d.p > 0.01 or d.better == "right"


def test_intervals_of_single_models_are_taken_at_few_levels(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each test against a margin asked for some hundred of them: half a minute for a perfect model of ten classes."""
    made: list[float] = []
    real = difference_test.intervals
    monkeypatch.setattr(difference_test, "intervals", lambda *a, **o: made.append(o["level"]) or real(*a, **o))
    y = np.arange(60) % 2
    perfect, middling = np.where(y == 1, 0.9, 0.1), np.random.default_rng(0).random(60)
    models = {"perfect": karat.evaluate(y, perfect), "middling": karat.evaluate(y, middling)}
    d = karat.compare(models, paired=False, margin=0.1, measures=["MCC"])["perfect", "middling"]["MCC"]
    assert d.equivalent is False
    assert len(made) <= 110
