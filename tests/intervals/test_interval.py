"""Intervals: what others compute of the same data, what simulation shows, and what is refused."""

from __future__ import annotations

import itertools
import json
import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

import karat
from cases import probabilities
from karat.core.errors import InputError
from karat.core.measure import measures, rate
from karat.intervals import interval_ends
from karat.intervals.delong import delong_paired, delong_unpaired
from karat.intervals.interval import intervals
from karat.intervals.rate_interval import wilson
from karat.measures.lookup import measures_named
from karat.measures.value import measures_of
from karat.resampling import Replicates, Resampling
from karat.resampling.influence import Influence, Units, influences
from karat.statistics import Binary, Counts

Array = Any


def sample(n: int, k: int, seed: int = 0, shift: float = 1.5) -> tuple[Array, Array]:
    rng = np.random.default_rng(seed)
    y = rng.choice(k, n, p=np.arange(k, 0, -1) / (k * (k + 1) / 2))
    z = rng.normal(size=(n, k))
    z[np.arange(n), y] += shift
    p = np.exp(z)
    return y, p / p.sum(axis=1, keepdims=True)


# ------------------------------------------------------------------------------------------------------ rates


def test_f1_has_the_interval_of_the_share_behind_it() -> None:
    """F1 = 2 J / (1 + J), and J, the Jaccard index, is a share of the cases that are of the class or predicted as it:
    of 5 positive cases among 100 F1 held in 0.998, and was not known with fewer."""
    e = karat.evaluate_matrix([[60, 30], [40, 900]], labels=["a", "b"], positive="a")
    one, share, z2 = e.intervals("F1")["F1"], 60 / 130, stats.norm.ppf(0.975) ** 2
    for end, sign in ((one.low, -1), (one.high, 1)):  # by the quadratic equation of the score test
        j = (60 + z2 / 2 + sign * math.sqrt(z2 * (60 * (1 - share) + z2 / 4))) / (130 + z2)
        assert end == pytest.approx(2 * j / (1 + j), rel=1e-12)
    assert one.method == "wilson"
    few = karat.evaluate_matrix([[2, 1], [3, 94]], labels=["a", "b"], positive="a").intervals(["F1", "F1Score"])
    assert 0.05 < few["F1"].low == few["F1Score"].low < few["F1"].value < few["F1"].high < 0.95
    rng = np.random.default_rng(4)
    tables = rng.multinomial(100, [0.03, 0.02, 0.02, 0.93], 300).reshape(-1, 2, 2)
    found = [karat.evaluate_matrix(t, labels=["a", "b"], positive="a").intervals("F1")["F1"] for t in tables]
    held = [one.low <= 0.6 <= one.high for one in found if one.low == one.low]
    assert len(held) > 270
    assert 0.93 < np.mean(held) < 0.99


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95, 0.999])
def test_wilson_is_that_of_statsmodels(level: float) -> None:
    other = pytest.importorskip("statsmodels.stats.proportion").proportion_confint
    for cases, of in ((0, 1), (1, 1), (0, 30), (30, 30), (7, 30), (123, 4567)):
        assert wilson(cases, of, level) == pytest.approx(other(cases, of, 1 - level, "wilson"), abs=1e-12)


def test_rates_are_what_their_measures_say() -> None:
    rng = np.random.default_rng(0)
    for table in rng.integers(0, 9, (20, 3, 3)).astype(float) + np.eye(3):
        counts = Counts(table)
        for m in measures.values():
            if m.rate is not None:
                statistic = counts if m.statistic is Counts else counts.binary
                cases, of = m.rate(statistic)
                share = np.asarray(cases) / of
                expected = share if m.from_rate is None else [m.from_rate(x) for x in share]
                assert np.asarray(m(statistic)) == pytest.approx(np.asarray(expected))
    rates = "Acc EC F1 F1Score FNR FPR Jaccard JaccardScore NPV PPV Precision PredPos Prev Recall TNR TPR"
    assert sorted(symbol for symbol, m in measures.items() if m.rate is not None) == rates.split()


def test_a_new_rate_has_wilsons_interval_by_itself() -> None:
    @rate(symbol="Alarms", formula=r"\frac{FP}{TP + FP + FN}", best=None, cite="prati2011", classwise=True)
    def alarms(b: Binary) -> tuple[Any, Any]:
        """How many false alarms are there for each case that is or is said to be of the class?"""
        return b.fp, b.tp + b.fp + b.fn

    try:
        e = karat.evaluate_matrix([[500, 100], [50, 350]], [0, 1])
        assert e["Alarms"] == 100 / 500
        interval = e.intervals("Alarms")["Alarms"]
        assert (interval.method, interval.low, interval.high) == ("wilson", *wilson(100, 500, 0.95))
        assert karat.macro("Alarms").rate is None
    finally:
        measures.remove("Alarms")


def test_what_is_no_plain_rate_any_more_has_no_wilson_interval() -> None:
    e = karat.evaluate([0, 1, 1, 0, 1, 0], [0.2, 0.7, 0.4, 0.6, 0.9, 0.1])
    assert measures["EC"].rate is not None
    assert measures["EC"].at(cost=[[0, 2], [1, 0]]).rate is None
    assert e.intervals(measures["EC"].at(cost=[[0, 2], [1, 0]]), method="analytic").to_table().columns["method"] == [""]


def test_wilson_of_an_evaluation() -> None:
    e = karat.evaluate_matrix([[500, 100], [50, 350]], [0, 1])
    found = e.intervals(["Acc", "TPR", "PPV", "EC"])
    for symbol, cases, of in (("Acc", 850, 1000), ("TPR", 350, 400), ("PPV", 350, 450), ("EC", 150, 1000)):
        assert found[symbol].method == "wilson"
        assert (found[symbol].low, found[symbol].high) == wilson(cases, of, 0.95)
    each = e.intervals("TPR", classes="all")
    assert (each["TPR[0]"].low, each["TPR[1]"].low) == (wilson(500, 600, 0.95)[0], wilson(350, 400, 0.95)[0])
    assert list(e.intervals("TPR", classes=[0])) == ["TPR[0]"]


# ------------------------------------------------------------------------------------------------------ areas


def left_out(y: Array, p: Array, symbol: str, **options: Any) -> Array:
    """The measure without each case in turn, literally."""
    kept = [np.arange(len(y)) != i for i in range(len(y))]
    return np.array([karat.evaluate(y[i], p[i], labels=range(p.shape[1]), **options)[symbol] for i in kept])


@pytest.mark.parametrize(("symbol", "within"), [("AU1U", True), ("AUNU", False), ("AUNP", False), ("AU1P", False)])
def test_areas_of_many_classes_by_a_literal_jackknife(symbol: str, within: bool) -> None:
    y, p = sample(60, 3, 5)
    p = np.round(p, 1)
    p /= p.sum(axis=1, keepdims=True)
    x = left_out(y, p, symbol)
    groups = [x[y == c] for c in range(3)] if within else [x]
    error = math.sqrt(sum((len(g) - 1) / len(g) * ((g - g.mean()) ** 2).sum() for g in groups))
    found = karat.evaluate(y, p).intervals(symbol, method="analytic", level=0.9)[symbol]
    assert found.method == ("delong" if within else "jackknife")
    assert found.high - found.value == pytest.approx(stats.norm.ppf(0.95) * error)


def test_delong_of_one_class_against_the_rest() -> None:
    """Placements by a literal double loop."""
    y, p = sample(50, 3, 6)
    p = np.round(p, 1)
    own, rest = p[y == 0, 0], p[y != 0, 0]
    won = np.array([[(a > b) + (a == b) / 2 for b in rest] for a in own])
    variance = won.mean(axis=1).var(ddof=1) / len(own) + won.mean(axis=0).var(ddof=1) / len(rest)
    e = karat.evaluate(y, y_score=p)
    for symbol, scale in (("AUC", 1), ("Gini", 2)):
        found = e.intervals(symbol, classes="all", method="analytic")[f"{symbol}[0]"]
        assert (found.high - found.low) / 2 == pytest.approx(scale * 1.959963984540054 * math.sqrt(variance))


def test_areas_on_the_logit_scale() -> None:
    """log(a / (1 - a)), and an error divided by a (1 - a); Gini is 2 a - 1."""
    e = karat.evaluate(*sample(60, 2, 6), positive=1)
    normal = e.intervals("AUC", method="analytic")["AUC"]
    area, half = normal.value, normal.value - normal.low
    at = math.log(area / (1 - area))
    expected = [1 / (1 + math.exp(-(at + s * half / area / (1 - area)))) for s in (-1, 1)]
    one = e.intervals(["AUC", "Gini", "MCC"], method="logit")
    assert (one["AUC"].low, one["AUC"].high) == pytest.approx(expected)
    assert (one["Gini"].low, one["Gini"].high) == pytest.approx([2 * end - 1 for end in expected])
    assert one["AUC"].method == "delong, logit"
    assert "no formula" in one["MCC"].reason


def test_tests_of_two_areas() -> None:
    y, p = sample(200, 2, 1)
    _, other = sample(200, 2, 2, shift=0.0)
    a, b = (karat.evaluate(y, x[:, 1]).statistics.source for x in (p, other))
    same = delong_paired(a, a)  # type: ignore[arg-type]
    assert (same.difference, same.error) == (0, 0)
    assert math.isnan(same.p)
    found, apart = delong_paired(a, b), delong_unpaired(a, b)  # type: ignore[arg-type]
    assert found.p < 1e-6
    assert found.variances == apart.variances
    assert apart.error == pytest.approx(math.sqrt(sum(apart.variances)))
    assert json.dumps(found.to_dict())
    turned = karat.evaluate(1 - y, p[:, 1]).statistics.source
    with pytest.raises(InputError, match="different cases; give both the same"):
        delong_paired(a, turned)  # type: ignore[arg-type]


# -------------------------------------------------------------------------------------------------- the bootstrap


def left_out_units(value: float, left_out: Array, times: Array, stratum: Array = None, fixed: bool = False) -> Any:
    """Influence of units of the same size, so many of each."""
    strata = np.zeros(len(times), int) if stratum is None else stratum
    units = Units(np.full(len(times), 1 / times.sum()), times.astype(float), strata, fixed)
    return Influence.of(value, left_out, units)


def test_acceleration_is_a_sixth_of_the_skewness() -> None:
    y, p = sample(150, 2)
    loss = ((p - np.eye(2)[y]) ** 2).sum(axis=1) / 2
    without = (loss.sum() - loss) / (len(loss) - 1)
    one = left_out_units(float(loss.mean()), without, np.ones(150))
    assert one.acceleration == pytest.approx(stats.skew(loss) / 6 / math.sqrt(150))
    times, x = np.array([3, 5, 0, 1]), np.array([0.1, 0.4, 0.9, -0.3])
    spread = left_out_units(0.3, np.repeat(x, times), np.ones(9)).acceleration
    assert left_out_units(0.3, x, times).acceleration == pytest.approx(spread)
    values, strata = np.append(without, without + 7), np.repeat([0, 1], 150)
    apart = left_out_units(1.0, values, np.ones(300), strata, fixed=True)
    assert apart.acceleration == pytest.approx(stats.skew(loss) / 6 / math.sqrt(300))  # strata are centred each


def test_bca_of_the_same_replicates_by_its_definition() -> None:
    rng = np.random.default_rng(0)
    x, value, a = np.sort(rng.gamma(3.0, size=999)), 2.7, 0.05
    z = stats.norm.ppf((x < value).mean())
    shares = [stats.norm.cdf(z + (z + q) / (1 - a * (z + q))) for q in stats.norm.ppf([0.05, 0.95])]
    found = interval_ends.ends("bca", value, x, 0.9, a, (0, math.inf))
    assert (found.low, found.high) == pytest.approx(np.quantile(x, shares, method="weibull"))
    low, high = np.quantile(x, [0.05, 0.95], method="weibull")
    assert interval_ends.ends("percentile", value, x, 0.9, a, (0, 9))[:2] == pytest.approx((low, high))
    basic = interval_ends.ends("basic", value, x, 0.9, a, (0, 9))[:2]
    assert basic == pytest.approx((2 * value - high, 2 * value - low))


@pytest.mark.parametrize("method", ["percentile", "basic", "bca"])
def test_scipy_finds_the_same_interval(method: str) -> None:
    """Up to the randomness of both."""
    pytest.importorskip("scipy", minversion="1.15", reason="an older scipy names its options otherwise")
    y, p = sample(120, 2, 3)
    loss = ((p - np.eye(2)[y]) ** 2).sum(axis=1) / 2
    name = {"bca": "BCa"}.get(method, method)
    other = stats.bootstrap((loss,), np.mean, n_resamples=20_000, method=name, rng=1, vectorized=True)
    found = karat.evaluate(y, p).intervals("MSE", method=method, replicates=20_000)["MSE"]
    ends = other.confidence_interval
    assert (found.low, found.high) == pytest.approx((ends.low, ends.high), abs=0.04 * (ends.high - ends.low))


def test_groups_of_the_jackknife_give_the_acceleration_of_single_cases() -> None:
    """Within what random groups can tell: 0.65 over their number is the standard error."""
    y, p = sample(6000, 2)
    loss = ((p - np.eye(2)[y]) ** 2).sum(axis=1) / 2
    e = karat.evaluate(y, p)
    wanted = measures_of([measures["MSE"]], None, e.statistics)
    adds = influences(wanted, [e["MSE"]], Replicates(e.statistics.source.cases), Resampling.of(workers=1), None)
    assert adds["MSE"].acceleration == pytest.approx(stats.skew(loss) / 6 / math.sqrt(6000), abs=4 * 0.65 / 200)


def test_clusters_are_drawn_whole() -> None:
    """Every case five times: known groups give the interval of the cases themselves, unknown ones a narrower one."""
    y, p = sample(150, 2, 4)
    once = karat.evaluate(y, p).intervals("MSE", method="percentile")["MSE"]
    copies = karat.evaluate(np.repeat(y, 5), np.repeat(p, 5, axis=0))
    grouped = copies.intervals("MSE", method="percentile", groups=np.repeat(np.arange(150), 5))["MSE"]
    naive = copies.intervals("MSE", method="percentile")["MSE"]
    assert grouped.high - grouped.low == pytest.approx(once.high - once.low, rel=0.15)
    assert naive.high - naive.low == pytest.approx((once.high - once.low) / math.sqrt(5), rel=0.15)
    jackknife = [copies.intervals("MSE", groups=np.repeat(np.arange(150), 5)), karat.evaluate(y, p).intervals("MSE")]
    ends = [(i["MSE"].low, i["MSE"].high) for i in jackknife]
    assert ends[0] == pytest.approx(ends[1], rel=1e-3)  # but for degrees of freedom, which groups have of no class
    assert copies.intervals("Acc", groups=[f"g{i // 5}" for i in range(750)])["Acc"].method == "jackknife"


def test_weights_do_not_make_cases() -> None:
    """A weight of 5 is not five cases: equal weights change nothing."""
    y, p = sample(200, 2, 4)
    plain = karat.evaluate(y, p).intervals(["MSE", "AUC"], method="bca")
    heavy = karat.evaluate(y, p, sample_weight=np.full(200, 5.0)).intervals(["MSE", "AUC", "Acc"], method="bca")
    for symbol in ("MSE", "AUC"):
        assert (heavy[symbol].low, heavy[symbol].high) == pytest.approx((plain[symbol].low, plain[symbol].high))
    assert karat.evaluate(y, p, sample_weight=np.full(200, 5.0)).intervals("Acc")["Acc"].method == "jackknife"
    assert heavy["Acc"].high - heavy["Acc"].low > 0.08


def test_strata_keep_the_frequencies() -> None:
    y, p = sample(200, 2, 4)
    found = karat.evaluate(y, p).intervals(["Prev", "TPR"], stratified=True, method="percentile")
    assert math.isnan(found["Prev"].low)  # no number of 0 width: what was fixed is not sure
    assert "whatever is drawn again" in found["Prev"].reason
    assert found["TPR"].high > found["TPR"].low


def test_a_posterior_of_accuracy_is_a_beta_distribution() -> None:
    e = karat.evaluate_matrix([[40, 10], [4, 46]], [0, 1])
    for prior in (0.5, 1.0, [[3.0, 0.5], [0.25, 1.0]]):
        added = np.broadcast_to(prior, (2, 2))
        right, wrong = 86 + np.trace(added), 14 + added.sum() - np.trace(added)
        found = e.intervals("Acc", method="bayes", prior=prior, replicates=40_000, level=0.9)["Acc"]
        assert (found.low, found.high) == pytest.approx(stats.beta.ppf([0.05, 0.95], right, wrong), abs=2e-3)
        assert found.method == "bayes"
    rows = e.intervals("TPR", method="bayes", replicates=40_000, stratified=True)["TPR"]
    assert (rows.low, rows.high) == pytest.approx(stats.beta.ppf([0.025, 0.975], 46.25, 4.25), abs=3e-3)
    assert rows.reason == "prior: one case in all, half of it correct"
    assert e.intervals("Acc", method="bayes", prior=0.5)["Acc"].reason == "prior: 0.5 in each cell"


# ------------------------------------------------------------------------------------------------ all measures


def test_very_many_classes_have_intervals() -> None:
    """The cells of a replicate that have no cases are no cells of it: mean recall by a loop over the classes."""
    k = 3000
    rng = np.random.default_rng(5)
    y = np.concatenate([np.arange(k), rng.integers(0, k, k)])
    d = np.where(rng.random(2 * k) < 0.6, y, rng.integers(0, k, 2 * k))
    e = karat.evaluate(y, y_pred=d, labels=range(k))
    found = e.intervals(["MAvA", "rCEN"], method="percentile", replicates=99)
    assert [found[s].undefined for s in ("MAvA", "rCEN")] == [0, 0]
    cells, times = np.unique(y * k + d, return_counts=True)
    drawn = np.random.default_rng(1).multinomial(2 * k, times / times.sum(), 99)
    rows, right = cells // k, cells // k == cells % k
    cases = np.stack([np.bincount(rows, t, k) for t in drawn])
    hits = np.stack([np.bincount(rows[right], t[right], k) for t in drawn])
    means = [np.mean(h[c > 0] / c[c > 0]) for h, c in zip(hits, cases, strict=True)]
    ends = np.quantile(means, [0.025, 0.975])
    assert (found["MAvA"].low, found["MAvA"].high) == pytest.approx(ends, abs=0.15 * (ends[1] - ends[0]))
    for method, name in (("auto", "jackknife"), ("bca", "bc")):  # no acceleration is computed of so many classes
        assert e.intervals(["MCC"], method=method, replicates=99)["MCC"].method == name
    with pytest.raises(InputError, match="leave out stratified"):
        e.intervals(["MCC"], stratified=True)


@pytest.mark.parametrize("method", ["auto", "percentile", "basic", "bca"])
def test_an_interval_is_not_cut_to_the_range_of_other_parameters(method: str) -> None:
    """Ten times the costs are ten times the interval; an area up to .5 may be more than .1."""
    y, p = sample(200, 2, 3)
    e = karat.evaluate(y, p, positive=1)
    cost = np.array([[0, 1], [1.0, 0]])
    one, ten = (e.intervals([measures["EC"].at(cost=c * cost)], method=method, replicates=200) for c in (1, 10))
    (a,), (b,) = one.values(), ten.values()
    assert 0 < a.low < a.value < a.high < 1
    assert (b.value, b.low, b.high) == pytest.approx((10 * a.value, 10 * a.low, 10 * a.high))
    for other in (measures["partAUC"].at(max_fpr=0.5), measures["LogL"].at(eps=0.0)):
        (found,) = e.intervals([other], method=method, replicates=200).values()
        assert found.low < found.value < found.high
    wrong = karat.evaluate([0, 1] * 20, [1.0] * 20 + [0.5] * 20)
    (found,) = wrong.intervals([measures["LogL"].at(eps=2.0**-60)], method=method, replicates=200).values()
    assert found.value == pytest.approx((10 * 60 + 20) / 40)  # in half of the cases, half of the time
    assert 5 < found.low < found.value < found.high < 30


NO_METHOD = ("CalB", "CalB_printed", "CalB_consecutive", "CalB_caruana", "CalL_sum", "cwECE", "MCB")
"""Measures whose intervals would miss however they are made."""


@pytest.mark.parametrize(
    ("k", "method"), list(itertools.product((2, 3), ("auto", "percentile", "basic", "bca", "bayes")))
)
def test_every_measure_has_an_interval_or_a_reason(k: int, method: str) -> None:
    y, p = sample(80, k, 9)
    e = karat.evaluate(y, p, positive=0)
    asked = [*karat.catalogue.measures, "macro(F1)", "weighted(AP)", measures["F1"].at(beta=3.0)]
    found = e.intervals(asked, method=method, replicates=60)
    assert len(found) == len(asked)
    for key, one in found.items():
        if math.isnan(one.low):
            assert one.reason, key
            assert one.method == "" or "bias" in one.reason, key
        else:
            assert one.low <= one.high, key
            assert one.method
        if key in measures:
            assert one.value == pytest.approx(e[key], nan_ok=True)
            least, most = measures[key].range_for(k)
            assert math.isnan(one.low) or least <= one.low <= one.high <= most, key
    missing = [key for key, one in found.items() if math.isnan(one.low)]
    counted = [key for key in asked if isinstance(key, str) and key in measures and key not in missing]
    if method == "auto":
        assert set(missing) == {"H_UX", "H_UY", *NO_METHOD}
    if method == "bayes":
        assert {measures[key].statistic.__name__ for key in counted} == {"Counts", "Binary"}
    assert json.dumps(found.to_dict())


def test_an_interval_does_not_depend_on_what_else_is_asked() -> None:
    y, p = sample(100, 3)
    e = karat.evaluate(y, p)
    alone = e.intervals("LogL", replicates=50)["LogL"]
    assert e.intervals(["CalB", "MCC", "LogL", "AUNU"], replicates=50)["LogL"] == alone
    drawn = [e.intervals("LogL", method="bca", replicates=50, seed=seed)["LogL"] for seed in (0, 1)]
    assert drawn[0] != drawn[1]


def test_how_intervals_show_themselves() -> None:
    y, p = sample(100, 3)
    found = intervals(karat.evaluate(y, p).statistics, measures_named(["Acc", "MCC", "TPR"]), replicates=50)
    assert "95 % intervals" in repr(found)
    assert "one value for each class" in repr(found).splitlines()[-1]  # below the table
    assert list(found.remarks().values()) == [["TPR"]]
    assert "<table>" in found._repr_html_()
    assert found["mcc"] is found["MCC"]
    assert list(found.to_table().columns) == ["symbol", "value", "low", "high", "method", "undefined", "reason"]
    assert found.to_dict()["TPR"]["low"] is None
    frame = found.to_frame()
    assert len(frame) == 3
    with pytest.raises(KeyError):
        found["AUC"]


# -------------------------------------------------------------------------------------------------- hard cases


def test_undefined_replicates_are_counted() -> None:
    y, p = [0] * 20 + [1] + [0] * 20, np.linspace(0.1, 0.9, 41)
    found = karat.evaluate(y, p).intervals(["AUC", "TPR", "MCC"], method="percentile", replicates=400)["AUC"]
    assert found.undefined == pytest.approx(math.exp(-1), abs=0.08)
    assert "undefined" in found.reason
    rare = karat.evaluate(y, p).intervals("AUC", method="analytic")["AUC"]
    assert math.isnan(rare.low)
    assert "fewer than two" in rare.reason


def test_what_tells_nothing_says_so() -> None:
    one = karat.evaluate([1], [0.7], labels=[0, 1]).intervals(["Acc", "MSE", "AUC"])
    assert one["Acc"].method == "mid-p"
    assert (one["Acc"].low, one["Acc"].high) == pytest.approx((0.05, 1))  # half of p is .025
    assert "a single case has no variance" in one["MSE"].reason
    assert "side" in one["AUC"].reason
    perfect = karat.evaluate([0, 1] * 20, [0.1, 0.9] * 20).intervals(["MCC", "Acc", "AUC"])
    assert perfect["MCC"].low < perfect["MCC"].high == 1
    assert "no case shows any variation" in perfect["MCC"].reason
    assert perfect["Acc"].low == pytest.approx(0.05 ** (1 / 40))
    lone = karat.evaluate([0, 1, 1], [0.2, 0.7, 0.6], sample_weight=[0, 1, 1]).intervals(["AUC", "MCC", "MSE"])
    assert lone["AUC"].reason
    assert lone["MSE"].reason
    assert (
        "a single group has no variance"
        in karat.evaluate([0, 1], [0.2, 0.7]).intervals("MSE", groups=[5, 5])["MSE"].reason
    )
    shares = karat.evaluate_matrix([[0.4, 0.1], [0.2, 0.3]], [0, 1])
    assert "not whole" in shares.intervals("MCC")["MCC"].reason
    assert shares.intervals("MCC", method="bayes")["MCC"].low < 1
    odds = karat.evaluate_matrix([[20, 0], [3, 20]], [0, 1]).intervals("OR")["OR"]
    assert odds.value == math.inf
    assert "infinite" in odds.reason
    counted = karat.evaluate_matrix([[20, 0], [3, 20]], [0, 1]).intervals("OR", method="percentile")["OR"]
    assert (counted.method, "whatever is drawn again" in counted.reason) == ("", True)
    drawn = karat.evaluate_matrix([[20, 0], [3, 20]], [0, 1]).intervals("OR", method="bayes")["OR"]
    assert 1 < drawn.low < drawn.high == math.inf


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"level": 1.0}, "level is 1;"),
        ({"level": 0}, "level is 0"),
        ({"level": "high"}, "level is 'high'"),
        ({"replicates": 0}, "replicates is 0"),
        ({"replicates": 2.5}, "replicates is 2.5"),
        ({"method": "magic"}, "method is 'magic'"),
        ({"groups": [1, 2]}, "groups has 2"),
        ({"groups": [1] * 40, "stratified": True}, "both stratified and groups"),
        ({"seed": -1}, "seed is -1"),
        ({"workers": 0}, "workers is 0"),
        ({"classes": ["x"]}, "'x'"),
        ({"method": "bayes", "prior": [1, 2, 3]}, "prior has the shape"),
        ({"method": "bayes", "prior": -1}, "below 0"),
    ],
)
def test_what_is_refused(options: dict[str, Any], message: str) -> None:
    y = np.arange(40) % 2
    e = karat.evaluate(y, probabilities(np.random.default_rng(0), 40, 2))
    with pytest.raises(InputError, match=message) as refused:
        e.intervals(["MCC", "LogL"], **options)
    assert str(refused.value).endswith(".")


def test_a_matrix_has_no_groups() -> None:
    with pytest.raises(InputError, match="with a confusion matrix, which has no cases"):
        karat.evaluate_matrix([[3, 1], [2, 4]]).intervals("MCC", groups=[1, 2])


# -------------------------------------------------------------------------------------------------- simulation

SHOWN = ("Acc", "MCC", "CEN", "rpCEN", "EMA", "AUNU", "AU1U", "LogL", "MSE")


def test_intervals_cover_as_often_as_they_say() -> None:
    """A small version of benchmarks/coverage.py: 300 samples, so that 0.95 shows as 0.91 to 0.98."""
    truth = karat.evaluate(*sample(300_000, 3, 0)).values(SHOWN)
    hits = dict.fromkeys(SHOWN, 0)
    for seed in range(1, 301):
        found = karat.evaluate(*sample(200, 3, seed), labels=range(3)).intervals(SHOWN, replicates=400, seed=seed)
        for symbol in SHOWN:
            hits[symbol] += found[symbol].low <= truth[symbol] <= found[symbol].high
    assert all(0.91 <= hit / 300 <= 0.985 for hit in hits.values()), hits


def test_intervals_are_found_by_any_name_of_a_measure() -> None:
    e = karat.evaluate(["a", "b", "b", "a", "c", "c"], y_pred=["a", "b", "a", "a", "c", "b"])
    found = e.intervals(["CEN", "MCC", karat.macro("F1"), "TPR"], replicates=19, classes=["a"])
    assert found["confusion_entropy"] is found["cen"] is found["CEN"] is found.intervals["CEN"]
    assert found["macro(f1)"] is found[karat.macro("F1")] is found.intervals["macro(F1)"]
    assert found["true_positive_rate[a]"] is found.intervals["TPR[a]"]
    assert "confusion_entropy" in found
    assert found.get("LogL") is None
    with pytest.raises(KeyError, match="Acc was not requested; there are 'CEN', 'MCC'"):
        found["accuracy"]
    with pytest.raises(InputError, match=r"no measure 'confusion_entrpy'\. Did you mean CEN"):
        found["confusion_entrpy"]


# ------------------------------------------------------------------------------------------- frequencies that were said


def told_apart(n: int, seed: int, share: float = 0.3) -> tuple[Array, Array]:
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < share).astype(int)
    return y, 1 / (1 + np.exp(-((2 * y - 1) + 1.2 * rng.normal(size=n))))


RESTATED = ("MSE", "LogL", "Acc", "PPV", "TPR", "F1", "MCC", "AUC")


def test_restated_frequencies_are_not_uncertain() -> None:
    """As wide as intervals of cases drawn within classes by hand; drawing all cases is wider by a third."""
    y, p = told_apart(400, 1)
    ends = karat.evaluate(y, p, positive=1).at_prevalence(0.02).intervals(RESTATED)
    rng, drawn = np.random.default_rng(0), {symbol: [] for symbol in RESTATED}  # type: ignore[var-annotated]
    negative, positive = np.flatnonzero(y == 0), np.flatnonzero(y == 1)
    for _ in range(400):
        at = np.concatenate([rng.choice(rows, len(rows)) for rows in (negative, positive)])
        values = karat.evaluate(y[at], p[at], positive=1).at_prevalence(0.02).values(RESTATED)
        for symbol in RESTATED:
            drawn[symbol].append(values[symbol])
    for symbol in RESTATED:
        low, high = np.quantile(drawn[symbol], [0.025, 0.975])
        one = ends[symbol]
        assert one.low < one.value < one.high
        assert one.high - one.low == pytest.approx(high - low, rel=0.15), symbol
        assert "class frequencies are taken as known" in one.reason


def test_restated_frequencies_are_covered() -> None:
    truth = karat.evaluate(*told_apart(400_000, 0), positive=1).at_prevalence(0.02).values(RESTATED)
    held = dict.fromkeys(RESTATED, 0)
    for seed in range(1, 201):
        e = karat.evaluate(*told_apart(200, seed), positive=1, labels=[0, 1]).at_prevalence(0.02)
        ends = e.intervals(RESTATED)
        for symbol in RESTATED:
            held[symbol] += ends[symbol].low <= truth[symbol] <= ends[symbol].high
    assert all(180 <= hit <= 200 for hit in held.values()), held


def test_a_restated_share_itself_has_no_interval() -> None:
    e = karat.evaluate(*told_apart(100, 2), positive=1).at_prevalence(0.02)
    for method in ("auto", "bca"):
        one = e.intervals("Prev", method=method, replicates=99)["Prev"]
        assert math.isnan(one.low)
        assert "class frequencies are taken as known" in one.reason
    grouped = e.intervals("MSE", groups=np.arange(100) // 5)["MSE"]
    assert "vary although they were given" in grouped.reason


@pytest.mark.parametrize("method", ["auto", "bca", "bayes", "analytic"])
def test_a_restated_matrix_no_longer_knows_its_cases(method: str) -> None:
    e = karat.evaluate_matrix([[50, 10], [5, 35]], [0, 1]).at_prevalence(0.2)
    for symbol in ("Acc", "MCC", "TPR"):
        one = e.intervals(symbol, method=method)[symbol]
        assert math.isnan(one.low)
        assert "give the predictions of each case" in one.reason


@pytest.mark.parametrize("symbol", ["AUC", "Acc", "TPR", "MCC"])
def test_restated_frequencies_are_the_reason_why_a_method_has_no_interval(symbol: str) -> None:
    """It named weights or groups, of which there are none, or said that no formula is known of an area."""
    e = karat.evaluate(*told_apart(200, 2), positive=1)
    for method in ("bayes", "analytic", "logit"):
        restated = e.at_prevalence(0.02).intervals(symbol, method=method)[symbol]
        plain = e.intervals(symbol, method=method)[symbol]
        assert math.isnan(restated.low)
        assert "weights" not in restated.reason
        assert ("changed class frequencies" in restated.reason) == (not math.isnan(plain.low)), method
        assert math.isnan(plain.low) or "no formula" not in restated.reason


def test_weights_and_groups_are_the_reason_why_a_formula_gives_no_interval() -> None:
    y, p = told_apart(200, 2)
    weighted = karat.evaluate(y, p, positive=1, sample_weight=np.linspace(1, 2, 200)).intervals("AUC", method="logit")
    grouped = karat.evaluate(y, p, positive=1).intervals("Acc", method="analytic", groups=np.arange(200) // 5)
    for one in (weighted["AUC"], grouped["Acc"]):
        assert math.isnan(one.low)
        assert "weights or groups" in one.reason


def test_intervals_are_shown_by_titles() -> None:
    e = karat.evaluate([0, 1] * 20, [0.2, 0.7, 0.6, 0.4] * 10)
    own = karat.catalogue.measures["F1"].at(beta=3.0)
    found = e.intervals(["MCC", "macro(F1)", own])
    for name in ("Matthews correlation coefficient (MCC) ", "Macro F1 ", "F1(beta=3.0) "):
        assert f"\n{name}" in repr(found)
        assert name.strip() in found._repr_html_()
    assert "F1 of 0 " in repr(e.intervals(["F1"], classes="all"))
    assert list(found.to_table().columns["symbol"]) == ["MCC", "macro(F1)", "F1(beta=3.0)"]


def test_intervals_of_a_maximum_say_that_they_cover_less() -> None:
    rng = np.random.default_rng(0)
    p = rng.random(400)
    found = karat.evaluate((rng.random(400) < p).astype(int), p).intervals(["KS", "H", "AUC"])
    assert "90 times in 100" in found["KS"].reason
    assert "90 times in 100" in found["H"].reason
    assert not found["AUC"].reason


def test_a_calibration_loss_of_single_cases_is_the_mean_that_it_is() -> None:
    """Equal to the squared error where no two probabilities are equal, it has the interval of that, not a narrower one:
    at 20 cases of a strong model it held in 0.88 instead of 0.93."""
    rng = np.random.default_rng(3)
    y = np.arange(20) % 2
    p = 1 / (1 + np.exp(-rng.normal(3.0 * (2 * y - 1), 1.5)))
    e = karat.evaluate(y, p)
    loss, error = (e.intervals([m])[m] for m in ("CalL", "MSE"))
    assert loss.value == pytest.approx(error.value)
    assert (loss.low, loss.high) == pytest.approx((error.low, error.high))


def test_all_measures_leave_out_what_has_no_single_value() -> None:
    """Of three classes those of one class have no interval, and say so, as in a comparison of all measures."""
    e = karat.evaluate([0, 1, 2] * 10, np.random.default_rng(0).dirichlet([1, 1, 1], 30))
    found = e.intervals("all")
    assert set(found) == set(karat.catalogue.measures)
    assert math.isnan(found["MCB"].low)
    assert found["MCB"].reason.startswith("it has one value for each class: ")
    assert found["MCC"].low < e["MCC"] < found["MCC"].high
    with pytest.raises(karat.InputError, match="MCB has one value for each of the 3 classes"):
        e.intervals(["MCC", "MCB"])


def test_what_does_not_vary_is_refused_in_words_that_are_true_of_every_method() -> None:
    """The jackknife draws no replicates, and spoke of them."""
    e = karat.evaluate([0, 1] * 20, y_proba=[0.5] * 40, positive=1)
    for method in ("auto", "jackknife", "percentile"):
        one = e.intervals("LogLoss", method=method)["LogLoss"]
        assert one.reason == "it is the same whatever is drawn again or left out, so its uncertainty is unknown"
