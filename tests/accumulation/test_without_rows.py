"""An evaluation of added statistics alone: everything works from them, or says in one sentence what it would need."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np
import pytest

import karat
from karat import Accumulator
from karat.core.errors import InputError
from karat.core.measure import measures
from karat.intervals.delong import variance, variance_in_table
from karat.intervals.interval import METHODS
from karat.statistics import ScoreTable

KINDS = ("keys", "three", "labels", "labels of two", "weighted", "decided")
KEEP = "keep the rows (exact=True)"
N = 6000


def cases(kind: str, n: int = N) -> dict[str, Any]:
    rng = np.random.default_rng(5)
    if kind in ("three", "labels"):
        y, z = rng.integers(0, 3, n), rng.normal(size=(n, 3))
        z[np.arange(n), y] += 1.2
        p = np.exp(z) / np.exp(z).sum(axis=1, keepdims=True)
        return {"y_true": y, "y_proba": p} if kind == "three" else {"y_true": y, "y_pred": p.argmax(axis=1)}
    y = (rng.random(n) < 0.3).astype(int)
    p = 1 / (1 + np.exp(-(1.5 * y - 1.2 + rng.normal(size=n))))
    if kind == "labels of two":
        return {"y_true": y, "y_pred": (p > 0.5).astype(int)}
    more = {"weighted": {"sample_weight": rng.uniform(0.5, 2, n)}, "decided": {"y_pred": (p > 0.4).astype(int)}}
    return {"y_true": y, "y_proba": p} | more.get(kind, {})


def without_rows(given: dict[str, Any], parts: int = 3) -> karat.Evaluation:
    a = Accumulator(exact=False)
    for at in np.array_split(np.arange(len(given["y_true"])), parts):
        a.update(**{name: column[at] for name, column in given.items()})
    e = a.evaluation()
    assert e.statistics.source.cases is None
    return e


@lru_cache
def both(kind: str) -> tuple[karat.Evaluation, karat.Evaluation]:
    return without_rows(cases(kind)), karat.evaluate(**cases(kind))


def answer(function: Any) -> Any:
    """What it gives, or the sentence of its refusal; any other error fails the test."""
    try:
        return function()
    except InputError as trouble:
        return str(trouble)


@pytest.mark.parametrize("kind", KINDS)
def test_every_measure_is_exact_or_between_its_bounds(kind: str) -> None:
    e, whole = both(kind)
    for m in karat.catalogue.measures.values():
        value, true = e.value_or_nan(m), whole.value_or_nan(m)
        if math.isnan(value):
            assert e.undefined_because(m), m.symbol
            continue
        low, high = e.bounds(m)
        slack = 1e-9 * max(1.0, abs(true))
        assert low - slack <= true <= high + slack, (m.symbol, low, true, high)
        assert low - slack <= value <= high + slack, m.symbol


def one_class(kind: str) -> dict[str, Any]:
    return {"positive": 1} if kind in ("three", "labels") else {}


@pytest.mark.parametrize("kind", KINDS)
def test_every_diagram_is_made_or_says_what_it_needs(kind: str) -> None:
    import matplotlib.pyplot as plt

    e, whole = both(kind)
    made = set()
    for name, diagram in karat.catalogue.diagrams.items():
        options = one_class(kind) if getattr(diagram, "two_classes", False) else {}
        with_rows = answer(lambda name=name, options=options: whole.diagram(name, **options))
        without = answer(lambda name=name, options=options: e.diagram(name, **options))
        if isinstance(without, str):
            assert isinstance(with_rows, str) or KEEP in without, (name, without)
            continue
        made.add(name)
        without.plot()
        plt.close("all")
        assert "certified" not in repr(without)
        without.to_dict()
        if hasattr(without, "area"):
            assert without.area == pytest.approx(with_rows.area, abs=1e-3), name
    e.plot()
    plt.close("all")
    refused = {n for n in karat.catalogue.diagrams if not isinstance(answer(lambda n=n: whole.diagram(n)), str)} - made
    assert refused <= {"coverage_risk"}


@pytest.mark.parametrize("kind", ["keys", "weighted", "decided"])
def test_points_of_curves_lie_on_the_exact_curves(kind: str) -> None:
    e, whole = both(kind)
    roc, exact = e.diagram("roc_curve"), whole.diagram("roc_curve")
    points = set(zip(exact.fpr.round(9).tolist(), exact.tpr.round(9).tolist(), strict=True))
    assert len(roc.fpr) > N / 2
    assert set(zip(roc.fpr.round(9).tolist(), roc.tpr.round(9).tolist(), strict=True)) <= points
    for name in ("roc_curve", "precision_recall", "cost_curve"):
        mine, theirs = e.diagram(name), whole.diagram(name)
        at, low, high = mine.certified
        assert len(mine.to_dict()["certified"]) == 3
        assert theirs.to_dict()["certified"] is None
        true = type(mine).heights(_points(whole), at)[0]
        assert ((low <= true + 1e-12) & (true <= high + 1e-12)).all(), name
        assert (high - low).max() < 0.01
    bins, exact_bins = (x.diagram("reliability", bins=10) for x in (e, whole))
    np.testing.assert_allclose(bins.share, exact_bins.share, atol=1e-12)
    np.testing.assert_allclose(bins.observed, exact_bins.observed, atol=1e-12)
    np.testing.assert_allclose(bins.forecast, exact_bins.forecast, atol=1e-5)


def _points(e: karat.Evaluation) -> Any:
    from karat.resampling import OperatingPoints

    t = e.statistics.table_of_class(1)
    fpr, tpr = t.rates
    return OperatingPoints(fpr[None], tpr[None], np.array([float(t.prevalence)]), t.scores)


def test_a_band_that_can_be_seen_is_drawn() -> None:
    import matplotlib.pyplot as plt

    y = np.arange(400) % 2
    p = 0.25 + 1e-8 * np.random.default_rng(0).random(400)  # all in one cell
    p[::4] += 0.25
    for name in ("roc_curve", "precision_recall", "cost_curve"):
        plt.close("all")
        drawn = without_rows({"y_true": y, "y_proba": p}).diagram(name).plot().ax_
        assert any(artist.get_gid() == "bounds" for artist in drawn.collections), name
    drawn = both("keys")[0].diagram("roc_curve").plot().ax_
    assert not any(artist.get_gid() == "bounds" for artist in drawn.collections)
    plt.close("all")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("method", METHODS)
def test_every_interval_is_that_of_the_rows_or_says_what_it_needs(kind: str, method: str) -> None:
    e, whole = both(kind)
    named = [m for m in karat.catalogue.measures.values() if math.isfinite(whole.value_or_nan(m))]
    mine = e.intervals(named, method=method, replicates=100)
    assert all(one.reason for one in mine.values() if math.isnan(one.low))
    told = {symbol: one for symbol, one in mine.items() if math.isfinite(one.low)}
    theirs = whole.intervals(list(told), method=method, replicates=100)
    for symbol, one in told.items():
        other = theirs[symbol]
        width = other.high - other.low
        assert width > 0, (symbol, one)
        tolerance = 0.25 * width + 1e-9
        assert abs(one.low - other.low) < tolerance, (symbol, one, other)
        assert abs(one.high - other.high) < tolerance, (symbol, one, other)
    if method == "auto" and kind != "weighted":
        assert len(told) > 40
        assert mine["Acc"].method == "wilson"
    if method == "auto" and kind == "keys":
        assert mine["AUC"].method == "delong"
        assert all(math.isfinite(mine[symbol].low) for symbol in ("LogL", "Brier", "MSE", "LogLoss", "MPR", "ECE"))


@pytest.mark.parametrize("kind", ["keys", "three"])
def test_the_error_of_a_mean_loss_is_that_of_the_losses(kind: str) -> None:
    given = cases(kind)
    y, p = given["y_true"], given["y_proba"]
    p = np.stack([1 - p, p], axis=1) if p.ndim == 1 else p
    losses = {"LogLoss": -np.log(p[np.arange(N), y])}
    if kind == "keys":
        losses["BrierLoss"] = (p[:, 1] - y) ** 2
    for symbol, loss in losses.items():
        one = both(kind)[0].intervals(symbol)[symbol]
        half = 1.96 * loss.std() / math.sqrt(N)
        assert one.value == pytest.approx(loss.mean(), rel=1e-12)
        assert (one.high - one.low) / 2 == pytest.approx(half, rel=0.01), symbol


def test_delong_of_six_cases_by_hand() -> None:
    # all scores of one class above those of the other but for one inversion, by hand: placements 1, 1, 1, 1/2
    given = {"y_true": np.array([0, 0, 1, 1, 1, 1]), "y_proba": np.array([0.1, 0.4, 0.3, 0.5, 0.6, 0.7])}
    table = without_rows(given, parts=1).statistics.table_of_class(1)
    own, rest = np.array([0.5, 1, 1, 1]), np.array([1, 0.75])
    assert variance_in_table(table) == pytest.approx(own.var(ddof=1) / 4 + rest.var(ddof=1) / 2, rel=1e-12)


def test_the_log_loss_of_three_classes_has_an_interval_and_the_squared_error_says_why_not() -> None:
    e, whole = both("three")
    mine, theirs = (x.intervals(["LogL", "LogLoss", "Brier"]) for x in (e, whole))
    for symbol in ("LogL", "LogLoss"):
        width = theirs[symbol].high - theirs[symbol].low
        assert mine[symbol].high - mine[symbol].low == pytest.approx(width, rel=0.15)  # 200 groups of cases, and cells
        assert mine[symbol].value == pytest.approx(theirs[symbol].value, rel=1e-12)
    assert KEEP in mine["Brier"].reason


@pytest.mark.parametrize("kind", ["keys", "three", "weighted"])
def test_intervals_of_classes_are_given(kind: str) -> None:
    e, whole = both(kind)
    mine, theirs = (x.intervals(["recall", "AUC"], classes="all", method="auto") for x in (e, whole))
    for key, one in mine.items():
        if kind == "weighted":
            assert KEEP in one.reason
        else:
            assert (one.low, one.high) == pytest.approx((theirs[key].low, theirs[key].high), abs=1e-5), key
    with pytest.raises(InputError, match="no cases to group"):
        e.intervals("accuracy", groups=np.arange(N))


def test_delong_from_a_table_of_ties_is_that_of_the_cases() -> None:
    given = cases("keys")
    given["y_proba"] = given["y_proba"].round(2)  # every cell holds one score
    e, whole = without_rows(given), karat.evaluate(**given)
    exact = variance(whole.statistics.placements_of_class(1))
    assert variance_in_table(e.statistics.table_of_class(1)) == pytest.approx(exact, rel=1e-12)


SICK = {
    "overconfident": lambda y, p: p**3 / (p**3 + (1 - p) ** 3),
    "underconfident": lambda y, p: p**0.3 / (p**0.3 + (1 - p) ** 0.3),
    "tilted-probabilities": lambda y, p: 6 * p / (6 * p + 1 - p),
    "miscalibrated-region": lambda y, p: p + 0.2 * ((p > 0.55) & (p < 0.65)) - 0.3 * ((p > 0.85) & (p < 0.95)),
    "hard-probabilities": lambda y, p: np.stack([p <= 0.5, p > 0.5], axis=1).astype(float),
    "constant-scores": lambda y, p: np.full(len(p), 0.25),
    "reversed-scores": lambda y, p: 1 - p,
    "tied-scores": lambda y, p: np.clip((3 * p).round() / 3, 0.1, 0.9),
    "tied-decisions": lambda y, p: np.where(np.arange(len(p)) % 50 == 0, 0.5, p.round(3)),
    "impossible-truths": lambda y, p: np.where(np.arange(len(p)) % 50 == 0, 0.0, p),
    "squeezed-scores": lambda y, p: 0.25 + p / 10,
    "perfect-ranking": lambda y, p: (p + y) / 3,
}
LEFT_OUT = {"calibration-loss-is-error", "less-accurate-than-possible", "decisions-contradict", "duplicated-rows"}
"""Findings that need the cases."""


def sick(code: str) -> dict[str, Any]:
    rng = np.random.default_rng(2)
    z = rng.normal(-0.5, 1.5, N)
    p = 1 / (1 + np.exp(-z))
    y = (rng.random(N) < p).astype(int)
    return {"y_true": y, "y_proba": SICK[code](y, p)}


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("code", SICK)
def test_findings_are_those_of_the_rows(code: str, weighted: bool) -> None:
    given = sick(code)
    if weighted and code == "perfect-ranking":
        pytest.skip("sums of weights are rounded, so that the area is not 1 exactly")
    if weighted:
        given["sample_weight"] = np.random.default_rng(3).uniform(0.5, 2, N)
    mine, theirs = (e.findings() for e in (without_rows(given), karat.evaluate(**given)))
    assert code in theirs.codes
    assert code in mine.codes
    assert [c for c in theirs.codes if c not in LEFT_OUT] == [c for c in mine.codes if c not in LEFT_OUT]
    titles = {f.code: f.title for f in theirs}
    if not weighted:
        assert all(f.title == titles[f.code] for f in mine if f.code not in LEFT_OUT)


def test_a_shift_of_frequencies_is_explained_from_cells() -> None:
    given = sick("tilted-probabilities")
    mine, theirs = (
        next(f for f in e.findings() if f.code == "tilted-probabilities")
        for e in (without_rows(given), karat.evaluate(**given))
    )
    np.testing.assert_allclose(mine.evidence["in training"], theirs.evidence["in training"], atol=1e-4)
    assert str(mine) == str(theirs)


def test_findings_of_three_classes_use_what_is_known_of_each_column() -> None:
    given = cases("three")
    given["y_proba"] = given["y_proba"] * [3, 1, 1] / (given["y_proba"] * [3, 1, 1]).sum(axis=1, keepdims=True)
    mine, theirs = (e.findings() for e in (without_rows(given), karat.evaluate(**given)))
    assert {"tilted-probabilities"} <= set(mine.codes)
    assert set(theirs.codes) - LEFT_OUT == set(mine.codes) - LEFT_OUT
    assert KEEP in str(next(f for f in mine if f.code == "tilted-probabilities"))


def test_uneven_weights_are_found_and_survive_bytes() -> None:
    given = cases("keys") | {"sample_weight": np.where(np.arange(N) == 7, 5000.0, 1.0)}
    a = Accumulator(exact=False)
    a.update(**given)
    again = Accumulator.from_bytes(a.to_bytes()).evaluation()
    mine, theirs = (
        next(f for f in e.findings() if f.code == "uneven-weights") for e in (again, karat.evaluate(**given))
    )
    assert mine.evidence == pytest.approx(theirs.evidence)


def test_sums_of_weights_add_up() -> None:
    y, w = np.array([0, 1, 1, 0, 2, 1]), np.array([0.5, 2.0, 0.0, 3.0, 1.5, 4.0])
    a = Accumulator(labels=[0, 1, 2], exact=False)
    for at in (slice(0, 2), slice(2, 4), slice(4, 6)):
        a.update(y[at], y_pred=np.array([0, 1, 2])[y[at]], sample_weight=w[at])
    sums = a.evaluation().statistics.source.added.weights
    assert sums.cases.tolist() == [2, 2, 1]
    assert sums.total.tolist() == [3.5, 6.0, 1.5]
    assert sums.squares.tolist() == [9.25, 20.0, 2.25]
    assert sums.heaviest.tolist() == [3.0, 4.0, 1.5]


@pytest.mark.parametrize("kind", KINDS)
def test_operating_is_that_of_the_rows(kind: str) -> None:
    e, whole = both(kind)
    k = len(e.classes)
    cost = np.full((k, k), 3.0) * (1 - np.eye(k)) * np.arange(1, k + 1)[:, None]
    prior = [0.2, 0.3, 0.5] if k == 3 else 0.1
    mine, theirs = (x.operating(cost=cost, prior=prior) for x in (e, whole))
    names = {s.name for s in mine.strategies}
    lacking = {"least expected cost"} if kind == "three" else set()
    assert names | lacking == {s.name for s in theirs.strategies}
    for strategy in mine.strategies:
        assert strategy.cost == pytest.approx(theirs[strategy.name].cost, abs=2e-3), strategy.name
    if mine.threshold is not None:
        assert mine.threshold.cost == pytest.approx(theirs.threshold.cost, abs=2e-3)
        assert KEEP in mine.threshold.reason
    assert repr(mine)


@pytest.mark.parametrize("kind", KINDS)
def test_other_frequencies_are_those_of_the_rows(kind: str) -> None:
    e, whole = both(kind)
    share = {0: 0.1, 1: 0.4, 2: 0.5} if len(e.classes) == 3 else 0.1
    mine, theirs = (x.at_prevalence(share) for x in (e, whole))
    for m in karat.catalogue.measures.values():
        value = mine.value_or_nan(m)
        if math.isfinite(value):
            assert value == pytest.approx(theirs.value_or_nan(m), abs=2e-3), m.symbol
    mine.findings()
    assert all(math.isfinite(i.low) or i.reason for i in mine.intervals().values())
    assert mine.summary()


@pytest.mark.parametrize("kind", KINDS)
def test_tables_pages_and_comparisons(kind: str, tmp_path: Any) -> None:
    e, whole = both(kind)
    for text in (e.summary(), repr(e), e.to_markdown(), e.to_latex(), e.to_html(), e.to_json(), repr(e.per_class())):
        assert text
    assert e.to_table().columns["symbol"] == whole.to_table().columns["symbol"]
    np.testing.assert_allclose(e.matrix().columns["1"], whole.matrix().columns["1"], rtol=1e-12)
    e.report(tmp_path / "one.html")
    karat.report({"one": e, "two": whole}, tmp_path / "two.html")
    assert all((tmp_path / f"{name}.html").stat().st_size > 10_000 for name in ("one", "two"))
    for options in ({}, {"paired": True}, {"paired": False}):
        for other in (e, whole):
            with pytest.raises(InputError, match="needs the cases") as trouble:
                karat.compare({"first": e, "second": other}, **options)
            assert KEEP in str(trouble.value)


@pytest.mark.parametrize("kind", KINDS)
def test_no_row_is_touched_by_what_models_have_in_common(kind: str) -> None:
    e, whole = both(kind)
    for models in ({"a": e, "b": e}, {"a": e, "b": whole}):
        answer(lambda models=models: karat.findings_of(models))
        answer(lambda models=models: karat.decisions.dominance(models, replicates=20))
        answer(lambda models=models: karat.intervals.delong_paired(*models.values()))
    with pytest.raises(InputError):
        karat.compare({"a": e, "b": whole}, ids=np.arange(N))


def test_a_gate_takes_values_ends_and_stored_values(tmp_path: Any) -> None:
    from karat.cli.gate import Requirement, _check_answerable, _row

    e, whole = both("keys")
    stored = tmp_path / "stored.json"
    stored.write_text(whole.to_json())
    ends = e.intervals(["AUC", "AP"])
    for text, held in (
        ("AUC>=0.8", True),
        ("AUC.lo>=0.99", False),
        (f"AUC>={stored}-0.001", True),
        (f"Acc>={stored}", True),
        ("AP.lo>=0.1", False),
        ("CalB<=1", False),
    ):
        r = Requirement.of(text)
        _check_answerable(r, "e", e)
        row = _row("e", r, e, ends[r.symbol] if r.end else None, r.bound("e", e))
        assert row["met"] is held, (text, row)


ODD: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "one class": ({"labels": [0, 1]}, {"y_true": [0] * 30, "y_proba": np.linspace(0.1, 0.8, 30)}),
    "two cases": ({}, {"y_true": [0, 1], "y_proba": [0.2, 0.7]}),
    "no difference": ({}, {"y_true": [0, 1], "y_proba": [0.5, 0.5]}),
    "one positive": ({}, {"y_true": [1] + [0] * 29, "y_proba": np.linspace(0.1, 0.8, 30)}),
    "without weight": (
        {},
        {"y_true": [0, 1] * 15, "y_proba": np.linspace(0.1, 0.8, 30), "sample_weight": [0] * 9 + [1] * 21},
    ),
    "hard": ({}, {"y_true": [0, 1] * 15, "y_proba": np.eye(2)[[0, 1, 1] * 10]}),
    "absent class": (
        {"labels": [0, 1, 2]},
        {"y_true": [0, 1] * 15, "y_proba": [[0.5, 0.3, 0.2], [0.1, 0.6, 0.3]] * 15},
    ),
    "rejected": (
        {"labels": [0, 1]},
        {"y_true": [0, 1] * 15, "y_proba": np.linspace(0.1, 0.8, 30), "y_pred": [0, 1, -1] * 10, "reject": -1},
    ),
}


@pytest.mark.parametrize("kind", ODD)
def test_odd_data_are_walked_through_without_a_fault(kind: str) -> None:
    about, given = ODD[kind]
    a = Accumulator(exact=False, **about)
    a.update(**given)
    e, whole = a.evaluation(), karat.evaluate(**given, **about)
    for m in karat.catalogue.measures.values():
        value = e.value_or_nan(m)
        assert math.isnan(value) or value == pytest.approx(whole.value_or_nan(m), abs=1e-9), m.symbol
    for name in karat.catalogue.diagrams:
        answer(lambda name=name: e.diagram(name, positive=e.classes[1]))
    for method in METHODS:
        mine = e.intervals(method=method, replicates=50)
        assert all(math.isfinite(i.low) or i.reason for i in mine.values())
    assert set(e.findings().codes) - LEFT_OUT <= set(whole.findings().codes)
    answer(e.operating)
    other = answer(lambda: e.at_prevalence(dict.fromkeys(e.classes, 1 / len(e.classes))))
    if not isinstance(other, str):
        other.findings()
        other.intervals()


def gap_in_the_middle(t: ScoreTable) -> Any:
    """How far is the curve from the diagonal at the middle score?"""
    fpr, tpr = t.rates
    middle = len(fpr) // 2
    return abs(tpr[middle] - fpr[middle])


def test_a_measure_of_ones_own_has_bounds_only_if_it_claims_them() -> None:
    declared = karat.measure(symbol="Gap", title="Gap", formula="x", range=(0, 1), best=1, classwise=True)
    try:
        silent = declared(gap_in_the_middle)
        e = both("keys")[0]
        assert all(math.isnan(x) for x in e.bounds(silent))
        assert "order of the scores" in e.undefined_because(silent)
    finally:
        measures.remove("Gap")


@pytest.mark.parametrize("p", [0.9, 1.0])
@pytest.mark.parametrize("wrong", [False, True])
def test_states_of_cases_that_are_all_right_or_all_wrong_come_back(wrong: bool, p: float) -> None:
    """Random problems on a cluster found it: some sums of such cases are 0, and their own bytes were refused."""
    y = np.array([0, 1, 1])
    a = karat.Accumulator(labels=[0, 1], positive=1, exact=False)
    one = np.where((y == 1) != wrong, p, 1 - p)
    a.update(y, np.stack([1 - one, one], axis=1), sample_weight=[2.0, 1.0, 3.0])
    b = karat.Accumulator.from_bytes(a.to_bytes())
    assert b.evaluation()["Acc"] == (0.0 if wrong else 1.0)
    assert b.evaluation().to_dict() == a.evaluation().to_dict()
