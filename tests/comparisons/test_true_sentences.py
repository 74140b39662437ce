"""What a comparison says of its numbers is true of them: conventions, reasons, margins, pairing, corrections."""

from __future__ import annotations

import html
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import karat
from karat.intervals.support import too_mixed
from karat.measures import find
from karat.measures.value import MeasureOf
from karat.statistics import Counts


def compared(a: Any, b: Any, y: Any, **options: Any) -> karat.Comparison:
    return karat.compare({"a": a, "b": b}, y, **options)


@pytest.fixture(scope="module")
def never_predicted() -> karat.Comparison:
    return compared([0.1] * 10, [0.2] * 9 + [0.9], [0] * 5 + [1] * 5)


def test_a_value_by_convention_is_marked_and_explained(never_predicted: karat.Comparison) -> None:
    lines = str(never_predicted.summary(width=200)).splitlines()
    precision = next(line for line in lines if line.startswith("Precision"))
    assert precision.split()[1:4] == ["0.000", "†", "1.000"]
    assert "† Precision (a): by convention 0 where the class was never predicted, its formula being 0/0." in lines
    assert any(line.startswith("† Matthews correlation coefficient (a): by convention 0 where all") for line in lines)
    notes = never_predicted.displayed().notes
    assert any(note.startswith("† Precision (a): by convention 0") for note in notes)
    assert "† Precision (a): by convention 0" in never_predicted._repr_html_()


def test_conventions_of_all_models_and_of_single_classes() -> None:
    y = [0] * 5 + [1] * 5
    c = compared([0.1] * 10, [0.2] * 10, y, measures=["MCC", "Precision"], classes="all")
    text = str(c.summary(width=200))
    assert "† Matthews correlation coefficient: by convention 0" in text
    assert "† Precision of 1: by convention 0" in text
    assert "† Precision of 0" not in text


def test_a_basic_interval_beside_its_difference_says_that_it_mirrors_replicates() -> None:
    rng = np.random.default_rng(5)
    y = np.arange(60) % 5
    z = np.exp(rng.normal(size=(60, 5)))
    good, poor = np.eye(5)[y] * 0.98 + 0.02 / 5, z / z.sum(1, keepdims=True)
    d = compared(good, poor, y, measures=["RCI"], method="basic", stratified=True, replicates=400)["a", "b"]["RCI"]
    assert d.low > d.difference
    assert d.bias == 0
    assert d.reason == "nearly all replicates have a smaller difference, and the basic interval mirrors them"


def few_flips(**options: Any) -> Any:
    n = 80
    y = np.arange(n) % 2
    base = np.where(np.arange(n) % 5 < 4, y, 1 - y)
    a, b = base.copy(), base.copy()
    a[0], b[1] = 1 - a[0], 1 - b[1]
    return compared(a, b, y, kind="decisions", measures=["MCC"], **options)


def test_a_margin_has_the_interval_of_its_test() -> None:
    d = few_flips(margin=0.1)["a", "b"]["MCC"]
    assert np.isnan([d.low, d.high]).all()
    assert not d.equivalent
    assert d.equivalence_low < -0.1 < 0.1 < d.equivalence_high
    assert "the models differ on 2 cases: a test for so few is used for the margin (90 % interval [" in d.reason
    wide = few_flips(margin=0.2)["a", "b"]["MCC"]
    assert wide.equivalent
    assert (wide.equivalence_low, wide.equivalence_high) == (d.equivalence_low, d.equivalence_high)


def test_an_equivalence_is_shown_with_the_interval_that_it_rests_on() -> None:
    c = few_flips(margin=0.2)
    d = c["a", "b"]["MCC"]
    ends = f"{d.equivalence_low:.3f}, {d.equivalence_high:.3f}"
    assert f"within 0.2 (difference 0.000, 90 % interval [{ends}], p = " in c.verdict
    assert f"90 % interval [{ends}]" in d.equal
    turned = c["b", "a"]["MCC"]
    assert (turned.equivalence_low, turned.equivalence_high) == (-d.equivalence_high, -d.equivalence_low)


@pytest.mark.parametrize("measure", ["Acc", "MCC", "AUC", "LogLoss"])
@pytest.mark.parametrize("margin", [0.02, 0.05, 0.1, 0.2, (-0.3, 0.05)])
def test_models_are_equivalent_exactly_if_the_interval_lies_within_the_margin(measure: str, margin: Any) -> None:
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, 300)
    p = 1 / (1 + np.exp(-(2 * y - 1 + rng.normal(size=300))))
    q = np.clip(p + rng.normal(size=300) * 0.1, 0.01, 0.99)
    d = compared(p, q, y, measures=[measure], margin=margin)["a", "b"][measure]
    low, high = margin if isinstance(margin, tuple) else (-margin, margin)
    assert d.equivalent == (low <= d.equivalence_low and d.equivalence_high <= high)
    assert d.equivalence_low <= d.equivalence_high


def test_rows_that_were_paired_by_index_are_said_to_be() -> None:
    pd = pytest.importorskip("pandas")
    y = pd.Series([0, 1] * 10)
    p = pd.Series([0.2, 0.8] * 10).sample(frac=1, random_state=1)
    assert compared(p, p, y, align="index").pairing == "by the index of y_true"
    assert compared(p.sort_index(), p.sort_index(), y).pairing == "by row, as no ids were given"
    c = compared(p, p, y, align="index", ids=pd.Series(range(20)))
    assert c.pairing == "by id"


def test_models_that_differ_are_not_said_to_agree() -> None:
    rng = np.random.default_rng(1)
    a, b = rng.integers(0, 2, (2, 40))
    c = compared(a, b, [1] * 40, kind="decisions", measures=["MCC"], labels=[0, 1])
    unmoved = "exchanging the predictions of a case between the models never changes the difference"
    assert c["a", "b"]["MCC"].reason == unmoved
    assert c.verdict == f"No significant difference between a and b: {unmoved}."
    y = np.arange(40) % 2
    assert compared(y, 1 - y, y, kind="decisions", measures=["EMA"])["a", "b"]["EMA"].reason == unmoved


def test_one_number_of_two_classes_is_tested_once() -> None:
    rng = np.random.default_rng(0)
    y, p, q = ["no", "yes"] * 20, rng.random(40), rng.random(40)
    alone = compared(p, q, y, positive="yes", measures=["AUC"])["a", "b"]["AUC"]
    c = compared(p, q, y, positive="yes", measures=["AUC"], classes="all")
    assert c.measure_keys == ("AUC",)
    assert c.claims == 1
    assert c["a", "b"]["AUC"].adjusted == alone.p
    mixed = compared(p, q, y, positive="yes", measures=["AUC", "Recall"], classes="all")
    assert mixed.measure_keys == ("AUC", "Recall[no]", "Recall[yes]")
    assert compared(p, q, y, positive="yes", measures=["AUC"], classes=["no"]).measure_keys == ("AUC[no]",)


def test_unpaired_models_share_no_ids() -> None:
    y, p = [0, 1] * 20, np.random.default_rng(0).random(40)
    first, same, other = (karat.evaluate(y, p, ids=range(start, start + 40)) for start in (0, 38, 40))
    with pytest.raises(karat.InputError) as refused:
        karat.compare({"a": first, "b": same}, paired=False)
    assert str(refused.value) == (
        "a and b share the ids 38, 39, and paired=False is for models with different cases; leave it out to pair "
        "them by id."
    )
    assert not karat.compare({"a": first, "b": other}, paired=False).paired


def test_ids_are_no_fractions() -> None:
    with pytest.raises(karat.InputError, match=r"ids holds 0\.5; give one str or int for each case\."):
        karat.evaluate([0, 1], [0.2, 0.8], ids=[0.5, 1.0])
    with pytest.raises(karat.InputError, match="ids holds inf"):
        karat.evaluate([0, 1], [0.2, 0.8], ids=[1.0, float("inf")])
    whole = karat.evaluate([0, 1], [0.2, 0.8], ids=[1.0, 2.0])
    assert [(one, type(one)) for one in whole.ids] == [(1, int), (2, int)]


def test_corrections_of_named_measures_are_of_all_of_them(never_predicted: karat.Comparison) -> None:
    rng = np.random.default_rng(0)
    y, p, q = [0, 1] * 20, rng.random(40), rng.random(40)
    named = compared(p, q, y, measures=["Acc", "MSE"])
    assert named.corrections == (
        "p-values are corrected (Holm) for 2 tests. 95 % intervals are of each difference alone, without correction."
    )
    assert "corrected p" in named.displayed().columns
    assert never_predicted.corrections.startswith(
        "p-values are of each measure alone; those of the verdict's measures are corrected (Holm) for its 4 tests."
    )
    assert "p" in never_predicted.displayed().columns


@pytest.mark.parametrize(
    ("scale", "words"),
    [(1.0, "1 error of both models among 2 kinds of error is too few"),
     (1.10595123e-8, "1.11e-08 errors of both models among 2 kinds of error are too few")],
)  # fmt: skip
def test_errors_are_counted_as_people_count(scale: float, words: str) -> None:
    y = np.array([0, 1] * 4)
    other = y.copy()
    other[0] = 1
    one, two = (karat.evaluate(y, y_pred=z, sample_weight=np.full(8, scale)) for z in (y, other))
    m = MeasureOf.on(find("RCI"), one.statistics)
    assert too_mixed(m, one.statistics[Counts], two.statistics[Counts]) == words


def test_a_legend_speaks_of_tests_only_where_there_were_any() -> None:
    y = np.arange(8) % 4
    rng = np.random.default_rng(0)
    models = {name: np.where(rng.random(8) < 0.5, y, (y + 1) % 4) for name in "abc"}
    c = karat.compare(models, y, kind="decisions", measures=["RCI"])
    assert all(pair["RCI"].p != pair["RCI"].p for pair in c.pairs.values())
    (said,) = [note for note in c.displayed().notes if "not tested" in note]
    assert said == "? not tested against the best."


def test_what_the_documentation_says_of_a_measure_without_its_class_is_so() -> None:
    said = " ".join((Path(__file__).parents[2] / "docs" / "conventions.md").read_text(encoding="utf-8").split())
    assert 'and `e.get("F1")` is None.' in said
    assert karat.evaluate(["u", "v"] * 5, y_pred=["u", "v"] * 5).get("F1") is None


@pytest.fixture(scope="module")
def biased() -> karat.Comparison:
    """The calibration loss of scores with few ties is too large, of the surer model by more."""
    rng = np.random.default_rng(2)
    y = rng.integers(0, 2, 25_000)
    a, b = (rng.beta(1 + s * y, 1 + s * (1 - y)).round(3) for s in (1, 2))
    return compared(a, b, y, measures=["AUC", "CalL"])


def test_an_interval_beside_its_difference_is_never_shown_without_the_reason(biased: karat.Comparison) -> None:
    d = biased["a", "b"]["CalL"]
    assert not d.low <= d.difference <= d.high
    why = "the interval is corrected for the small-sample bias of the difference, and lies beside it"
    sentence = f"Calibration loss: {why}."
    assert d.reason == why
    assert sentence in " ".join(str(biased.summary()).split())
    assert sentence in biased.displayed().notes
    assert sentence in biased._repr_html_()
    assert f"{d.ahead}, corrected p" in biased.verdict
    assert d.ahead.endswith("after correction for bias")
    assert "ROC AUC: the interval" not in biased.summary()


def test_the_command_says_why_an_interval_lies_beside_its_difference(
    biased: karat.Comparison, capsys: pytest.CaptureFixture[str]
) -> None:
    from karat.cli.comparison_view import View, show_comparison

    show_comparison(View(biased, asked=True))
    assert "Calibration loss: the interval is corrected for the small-sample bias" in " ".join(
        capsys.readouterr().out.split()
    )


def two_models(n: int, seed: int, positives: int) -> tuple[Any, dict[str, Any]]:
    rng = np.random.default_rng(seed)
    y = (np.arange(n) < positives).astype(int)
    scores = {"a": rng.normal(size=n) + 1.6 * y - 1.2, "b": rng.normal(size=n) + 1.2 * y - 1.1}
    return y, {name: 1 / (1 + np.exp(-x)) for name, x in scores.items()}


def test_class_frequencies_that_were_given_are_taken_as_known() -> None:
    """As the intervals of each evaluation take them; groups are resampled whole."""
    y, models = two_models(400, 0, 129)
    restated = {name: karat.evaluate(y, p).at_prevalence(0.02) for name, p in models.items()}
    by_itself, asked = karat.compare(restated), karat.compare(restated, stratified=True)
    varying = karat.compare(models, y)
    for symbol in ("PPV", "F1", "Acc", "MCC", "LogLoss"):
        first, second = (karat.compare(restated, measures=symbol, **options) for options in ({}, {"stratified": True}))
        assert first["a", "b"][symbol].span == second["a", "b"][symbol].span
    said = "Class frequencies are taken as known."
    assert by_itself.corrections == asked.corrections
    assert said in by_itself.corrections
    assert said in " ".join(str(by_itself).split())
    assert said in by_itself._repr_html_()
    assert "frequencies" not in varying.corrections
    grouped = karat.compare(restated, groups=np.arange(400) // 2)
    assert "Groups are resampled whole, so class frequencies vary although they were given." in grouped.corrections


def test_differences_at_a_given_prevalence_have_the_intervals_of_draws_within_classes() -> None:
    """The standard deviations over draws of 60 positive and 1940 negative cases: if their numbers varied as well,
    intervals would be a seventh wider; if the few positive ones were left out in six groups, half as wide again."""
    rng = np.random.default_rng(0)
    y = (np.arange(2000) < 60).astype(int)
    models = {name: 1 / (1 + np.exp(-rng.normal(size=2000) - far * (y - 0.75))) for name, far in (("a", 4), ("b", 2))}
    restated = {name: karat.evaluate(y, p).at_prevalence(0.02) for name, p in models.items()}
    pair = karat.compare(restated, measures=["PPV", "F1"])["a", "b"]
    drawn = []
    for _ in range(3000):
        rows = np.concatenate([rng.integers(0, 60, 60), rng.integers(60, 2000, 1940)])
        rates = [((p[rows[:60]] > 0.5).mean(), (p[rows[60:]] > 0.5).mean()) for p in models.values()]
        values = [(0.02 * t / (0.02 * t + 0.98 * f), 0.04 * t / (0.02 * t + 0.98 * f + 0.02)) for t, f in rates]
        drawn.append(np.subtract(*values))
    for symbol, spread in zip(("PPV", "F1"), np.std(drawn, axis=0), strict=True):
        assert pair[symbol].high - pair[symbol].low == pytest.approx(2 * 1.96 * spread, rel=0.07), symbol


def test_all_views_say_how_cases_were_paired_and_what_was_not_tested() -> None:
    y, models = two_models(80, 1, 30)
    c = karat.compare(models, y, sample_weight=np.arange(80) + 1.0)
    views = [str(c), c._repr_html_(), c.to_markdown(), c.to_latex(), str(c.displayed())]
    for view in (" ".join(view.split()) for view in views):
        assert "Cases were paired by row, as no ids were given." in view
        assert "Not tested: ECE (no valid test is known for models whose errors differ: there" in view
    assert c.to_dict()["pairing"] == "by row, as no ids were given"
    assert "; expected calibration error could not be tested." in c.verdict


def test_an_end_that_leaves_out_0_is_not_shown_as_0() -> None:
    d = replace(compared([0.1, 0.9] * 20, [0.6, 0.7] * 20, [0, 1] * 20)["a", "b"]["Acc"], difference=0.24)
    above, below = replace(d, low=2e-12, high=0.48), replace(d, low=-2e-12, high=0.48)
    assert above.span == "0.240 [>0, 0.480]"
    assert above.turned().span == "-0.240 [-0.480, <0]"
    assert above.ahead == "0.240 higher [>0, 0.480]"
    assert above.turned().ahead == "0.240 lower [>0, 0.480]"
    assert below.span == "0.240 [0.000, 0.480]"


def test_a_difference_without_an_interval_says_why() -> None:
    y, p = [0, 1] * 20, [0.1, 0.9] * 20
    c = compared(p, [*p[:-1], 0.2], y)
    reason = "just one of the models is correct on 1 case (or group) only, so p can't be below 1"
    for view in (str(c), html.unescape(c._repr_html_()), c.to_markdown()):
        assert f"Accuracy: no interval: {reason}." in " ".join(view.split())
    several = karat.compare({"a": p, "b": [*p[:-1], 0.2], "c": p}, y)
    assert "no interval" not in str(several), "the table of several models shows none"


def test_a_calibration_loss_that_is_a_squared_error_is_said_once() -> None:
    rng = np.random.default_rng(3)
    y, models = rng.integers(0, 3, 60), {name: rng.dirichlet([1] * 3, 60) for name in "abc"}
    c = karat.compare(models, y, measures=["CalL", "MSE"])
    text = " ".join(str(c).split())
    assert text.count("just the squared error (MSE)") == 1
    assert "† Calibration loss: just the squared error (MSE) where hardly any cases" in text
    assert "Not tested: CalL (see †)." in text


def test_models_that_predict_the_same_are_not_said_to_differ() -> None:
    """No error of either is no reason why a test would not hold."""
    y, p = [0, 1] * 3, [0.1, 0.9] * 3
    for symbol in ("CEN", "CalB", "ECE"):
        d = compared(p, p, y, measures=symbol)["a", "b"][symbol]
        assert d.p == 1, symbol
        assert d.reason == "the models agree on every case that counts", symbol


def test_what_could_not_be_tested_is_part_of_the_verdict() -> None:
    one = karat.evaluate([0, 1, 0, 1], [0.1, 0.9, 0.4, 0.8])
    other = karat.evaluate([0, 1, 0, 1, 1], [0.6, 0.3, 0.4, 0.2, 0.7])
    verdict = karat.compare({"a": one, "b": other}, paired=False).verdict
    assert verdict.endswith("; Matthews correlation coefficient, ROC AUC and log loss in nats could not be tested.")


def test_the_legend_says_what_significant_means() -> None:
    y, models = two_models(80, 1, 30)
    c = karat.compare(models | {"c": models["a"] ** 2}, y, measures=["Acc", "LogLoss"])
    marks = "~ no significant difference from the best; others are significantly worse (significant: p ≤ 0.05)."
    assert marks in " ".join(str(c).split())
