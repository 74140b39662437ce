"""Comparison of models. Its pieces have tests of their own (tests/comparisons); here, how they are put together."""

from __future__ import annotations

import itertools
import json
import re
from typing import Any

import numpy as np
import pytest

import karat
from karat.comparisons.measure_names import in_sentence
from karat.core.documents import in_markdown
from karat.core.errors import InputError
from karat.measures.lookup import PAPERS, headline
from karat.measures.rates import f_score


def word(symbol: str) -> str:
    """A measure as a sentence names it."""
    return in_sentence(karat.catalogue.measures[symbol].title)


def two_models(n: int, seed: int, gap: float = 0.0) -> tuple[Any, dict[str, Any]]:
    """Two models of which the second sees the truth less clearly, by `gap`."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    clear = {"one": 1.2, "two": 1.2 - gap}
    return y, {name: 1 / (1 + np.exp(-(c * (2 * y - 1) + rng.normal(0, 1.5, n)))) for name, c in clear.items()}


def test_differences_are_differences_of_evaluations() -> None:
    y, models = two_models(200, 0, 0.5)
    c = karat.compare(models, y, replicates=99)
    pair = c["one", "two"]
    e = {name: karat.evaluate(y, p) for name, p in models.items()}
    for symbol, d in pair.differences.items():
        assert d.difference == e["one"][symbol] - e["two"][symbol]
        assert d.low <= d.difference <= d.high or d.reason
        assert pair[symbol.lower()] is d
    json.dumps(c.to_dict(), allow_nan=False)
    assert c.verdict in " ".join(repr(c).split())
    assert "<table>" in c._repr_html_()


def exchangeable(seed: int, n: int = 120) -> tuple[Any, dict[str, Any]]:
    """Two noisy versions of one model."""
    rng = np.random.default_rng([seed, 1])
    y = rng.integers(0, 2, n)
    shared = 0.8 * rng.normal(size=(n, 2))
    models = {}
    for name in ("one", "two"):
        z = shared + 0.6 * rng.normal(size=(n, 2))
        z[np.arange(n), y] += 1.5
        models[name] = 1 / (1 + np.exp(z[:, 0] - z[:, 1]))
    return y, models


def test_tables_name_no_winner_that_the_verdict_does_not_name() -> None:
    """In some samples one of four measures is significant alone, but not as one of four."""
    apart = 0
    for seed in (15, 50, 57, 58):
        y, models = exchangeable(seed)
        c = karat.compare(models, y, measures=["MCC", "AUC", "LogLoss", "ECE"])
        pair = c["one", "two"]
        apart += any(d.p <= 0.05 for d in pair.differences.values())
        assert c.verdict.startswith("No significant difference between one and two")
        for table in (c.to_table(), pair.to_table()):
            assert table.columns["significantly better"] == [""] * 4
        least = min(d.p for d in pair.differences.values())
        assert min(pair.to_table().columns["p"]) == pytest.approx(min(1.0, 4 * least))  # Holm's
        for text in (str(pair), pair.to_markdown(), c.to_markdown(), c.to_latex()):
            assert "corrected (Holm) for" in text
            assert "4 tests" in text
            assert "intervals are of each difference alone" in text.replace("\\", "")
    assert apart == 4
    alone = karat.compare(models, y, measures=["MCC"])["one", "two"]
    assert alone.to_table().notes == ()


def test_a_verdict_says_that_equivalence_is_not_corrected() -> None:
    y, models = exchangeable(3, n=600)
    said = "Tests of equivalence and non-inferiority are of each measure alone, and not corrected."
    c = karat.compare(models, y, measures=["MCC", "AUC"], margin=0.3)
    assert c["one", "two"]["MCC"].equivalent
    assert said in c.corrections
    assert c["one", "two"].to_table().notes[-1] == said
    plain = karat.compare(models, y, measures=["MCC", "AUC"])
    assert said not in plain.corrections + repr(plain["one", "two"])


def test_the_same_seed_gives_the_same_numbers_whatever_the_threads() -> None:
    y, models = two_models(300, 1, 0.3)
    one, two = (karat.compare(models, y, seed=5, replicates=200, workers=w).to_dict() for w in (1, 3))
    assert one == two
    drawn = [karat.compare(models, y, seed=s, replicates=200, method="percentile").to_dict() for s in (5, 6)]
    assert drawn[0]["pairs"] != drawn[1]["pairs"]


def test_flips_are_mcnemars_and_areas_delongs() -> None:
    stats = pytest.importorskip("scipy.stats")
    y, models = two_models(150, 2, 0.6)
    c = karat.compare(models, y, measures=["Acc", "AUC"], replicates=99)
    a, b = ((p > 0.5) == y for p in models.values())
    flips = int((a & ~b).sum()), int((b & ~a).sum())
    pair = c["one", "two"]
    assert pair["Acc"].p == pytest.approx(
        2 * stats.binom.cdf(min(flips), sum(flips), 0.5) - stats.binom.pmf(min(flips), sum(flips), 0.5)
    )
    assert pair.flips is not None
    assert (pair.flips.only_first, pair.flips.only_second) == flips
    assert (len(c.flipped("one", "two")["one"]), len(c.flipped("one", "two")["two"])) == flips
    assert pair.areas is not None
    assert pair.areas.difference == pytest.approx(pair["AUC"].difference)
    assert stats.norm.isf(pair["AUC"].p / 2) == pytest.approx(stats.norm.isf(pair.areas.p / 2), rel=0.05)


def test_bare_scores_decide_nothing_and_so_flip_nothing() -> None:
    y = [0, 0, 1, 1]
    scores = {"a": [-2.0, 1.0, 3.0, 4.0], "b": [2.0, 1.0, 3.0, -4.0]}
    c = karat.compare(scores, y, kind="scores", measures=["AUC"], replicates=19)
    with pytest.raises(karat.InputError, match="scores without a threshold predict no class; pass y_pred"):
        c.flipped("a", "b")
    with pytest.raises(karat.InputError, match="'d' is not one of the models"):
        c.flipped("a", "d")
    columns = {name: np.column_stack([np.zeros(4), s]) for name, s in scores.items()}
    wide = karat.compare(columns, y, kind="scores", measures=["AUC"], replicates=19)
    assert wide.flipped("a", "b") == {"a": [0, 3], "b": []}


def test_other_tests_can_be_asked_for() -> None:
    y, models = two_models(120, 7, 0.4)
    of_test = {
        test: karat.compare(models, y, measures=["Acc", "MSE"], test=test, replicates=999)["one", "two"]
        for test in ("bootstrap", "permutation")
    }
    assert {d.method for d in of_test["bootstrap"].differences.values()} == {"percentile bootstrap"}
    direct = karat.permutation_test("MSE", y, list(models.values()), replicates=999, seed=0)
    assert of_test["permutation"]["MSE"].p == pytest.approx(direct.p, abs=0.03)
    assert of_test["permutation"]["MSE"].p == pytest.approx(of_test["bootstrap"]["MSE"].p, abs=0.05)


def test_accuracy_is_not_mcnemars_where_cases_come_in_groups() -> None:
    """Twelve patients, each copied twenty times: there is as much to know as of twelve, whoever counts the copies."""
    y = np.array([0, 1] * 6)
    one, two = y.copy(), y.copy()
    one[:1] = 1 - one[:1]
    two[1:5] = 1 - two[1:5]
    copied = {"one": np.repeat(one, 20), "two": np.repeat(two, 20)}
    many = np.repeat(y, 20)
    options: dict[str, Any] = {"measures": ["Acc"], "kind": "decisions", "replicates": 4000}
    alone = karat.compare(copied, many, **options)["one", "two"]
    assert alone["Acc"].method == "McNemar's test, mid-p"
    assert alone["Acc"].p < 1e-6
    gain = np.repeat((one == y).astype(float) - (two == y), 1)[:5]  # the patients on which they differ
    all_ways = np.abs([np.dot(signs, gain) for signs in itertools.product((1, -1), repeat=5)])
    larger, equal = int((all_ways > 3).sum()), int((all_ways == 3).sum())
    exchanged = (larger + (equal + 2) / 2) / 32
    pair = karat.compare(copied, many, groups=np.repeat(np.arange(12), 20), **options)["one", "two"]
    assert pair["Acc"].p >= exchanged > 0.05
    assert pair["Acc"].method == "jackknife t test and permutation test"
    assert pair["Acc"].better is None
    assert pair.flips is None


def test_a_clear_difference_is_found_and_said() -> None:
    y, models = two_models(800, 3, 0.8)
    c = karat.compare(models, y, replicates=400)
    assert c["one", "two"]["MCC"].better == "one"
    assert c["one", "two"]["LogLoss"].better == "one"  # lower is better
    d = c["one", "two"]["MCC"]
    size, low, high = (f"{x:.3f}" for x in (d.difference, d.low, d.high))
    assert c.verdict.startswith(
        f"one is significantly better on {word('MCC')} ({size} higher [{low}, {high}], corrected p < 0.001)"
    )
    assert f"{word('LogLoss')} ({-c['one', 'two']['LogLoss'].difference:.3f} lower [" in c.verdict


def test_equal_models_are_seldom_told_apart() -> None:
    """Level 5 %: of 200 comparisons of equals, about 10 may differ; 22 are as many as happen once in 2,000 times."""
    symbols = ["MCC", "MSE", "AUNU"]
    told = dict.fromkeys(symbols, 0)
    for seed in range(200):
        y, models = two_models(150, 100 + seed)
        pair = karat.compare(models, y, measures=symbols, replicates=200, seed=seed)["one", "two"]
        for symbol in symbols:
            told[symbol] += pair[symbol].better is not None
    assert max(told.values()) <= 22, told


def test_many_models_are_corrected_for() -> None:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 300)
    models = {f"m{i}": rng.dirichlet(1 + 2 * np.eye(3)[y].mean(axis=0), 300) for i in range(5)}
    c = karat.compare(models, y, measures=["MCC", "LogL"], replicates=199)
    assert len(c.pairs) == 10
    for pair in c.pairs.values():
        for d in pair.differences.values():
            assert d.adjusted >= d.p
    assert "is best" in c.verdict
    against = karat.compare(models, y, measures=["MCC"], baseline="m2", replicates=99)
    assert set(against.pairs) == {(m, "m2") for m in models if m != "m2"}


def test_a_pair_can_be_asked_for_in_either_order() -> None:
    y, models = two_models(300, 6)
    asked = {"measures": ["Acc", "AUC", "MSE"], "replicates": 199}
    there = karat.compare(models, y, **asked)["two", "one"]
    again = karat.compare(dict(reversed(models.items())), y, **asked)["two", "one"]
    assert there.names == ("two", "one")
    for name, d in again.differences.items():
        found = there[name]
        assert (found.values, found.better) == (d.values, d.better)
        numbers = [(x.difference, x.low, x.high, x.p, x.adjusted) for x in (found, d)]
        np.testing.assert_allclose(*numbers, rtol=0, atol=1e-12)
    assert there.flips is not None
    assert again.flips is not None
    assert there.flips.to_dict() == again.flips.to_dict()
    assert there.areas is not None
    assert again.areas is not None
    np.testing.assert_allclose(there.areas.statistic, again.areas.statistic)
    assert there.areas.areas == again.areas.areas
    with pytest.raises(InputError, match="was not compared"):
        karat.compare(models, y, **asked)["two", "two"]


def test_small_p_values_are_not_shown_as_0() -> None:
    y = np.arange(400) % 2
    c = karat.compare({"good": np.where(y, 0.8, 0.2), "bad": np.where(y, 0.4, 0.6)}, y, measures=["Acc"], replicates=99)
    p = c["good", "bad"]["Acc"].p
    assert 0 < p < 1e-6
    table = c["good", "bad"].to_table()
    assert "< 0.001" in repr(table)
    assert "&lt; 0.001" in table._repr_html_()
    assert table.to_dict()["p"] == [p]
    assert table.to_frame("pyarrow")["p"].to_pylist() == [p]


def test_equivalence_needs_a_margin() -> None:
    y, models = two_models(2000, 4)
    near = {"one": models["one"], "two": np.clip(models["one"] + 1e-3, 0, 1)}
    assert karat.compare(near, y, measures=["MSE"], replicates=99)["one", "two"]["MSE"].equivalent is None
    assert karat.compare(near, y, measures=["MSE"], margin=0.02, replicates=99)["one", "two"]["MSE"].equivalent
    said = karat.compare(near, y, measures=["LogL"], margin=0.02, replicates=99, method="percentile")
    assert f"one and two are equivalent on {word('LogL')} within 0.02 (difference " in said.verdict
    d = said["one", "two"]["LogL"]
    assert said["one", "two"].to_table().columns["equivalent"] == [d.equal]
    assert re.fullmatch(r"equivalent within 0\.02 \(90 % interval \[-0\.0\S+, 0\.0\S+\], p = 0\.010\)", d.equal)
    three = {**near, "three": np.clip(models["one"] + 2e-3, 0, 1)}
    told = karat.compare(three, y, measures=["LogL"], margin=0.02)
    assert told["one", "two"]["LogL"].equal
    assert "is best (" in told.verdict
    assert ", equivalent within 0.02 (p " in told.verdict or "significantly better than all others" in told.verdict
    wide = karat.compare(models, y, measures=["MSE"], margin={"MSE": 1e-5}, replicates=99)
    assert wide["one", "two"].to_table().columns["equivalent"] == [""]
    assert wide["one", "two"]["MSE"].equivalent is False


def test_a_margin_is_said_of_a_measure_by_any_of_its_names() -> None:
    y, models = two_models(2000, 4)
    near = {"one": models["one"], "two": np.clip(models["one"] + 1e-3, 0, 1)}
    measures = ["Acc", "F1", karat.macro("F1")]
    for key in ("accuracy", "acc", "macro(F1)", karat.macro("F1")):
        said = karat.compare(near, y, measures=measures, margin={key: 0.5}, replicates=49)["one", "two"]
        told = [symbol for symbol, d in said.differences.items() if d.equivalent]
        assert told == ["Acc" if key in ("accuracy", "acc") else "macro(F1)"]
    with pytest.raises(karat.InputError, match="margin names MCC, which is not compared"):
        karat.compare(near, y, measures=measures, margin={"mcc": 0.5}, replicates=49)
    with pytest.raises(karat.InputError, match=r"no measure 'acuracy'.*Acc"):
        karat.compare(near, y, measures=measures, margin={"acuracy": 0.5}, replicates=49)


def test_evaluations_can_be_compared_too() -> None:
    y, models = two_models(100, 5)
    made = {name: karat.evaluate(y, p) for name, p in models.items()}
    again = karat.compare(made, replicates=99)
    assert again.to_dict() == karat.compare(models, y, replicates=99).to_dict()
    assert again.rankings().models == ("one", "two")
    assert again.dominance(replicates=0).to_table().columns["best"]


def test_measures_that_the_catalogue_does_not_list_rank_models_too() -> None:
    """In every measure here the first model is the better one; of the last lower values are."""
    skl = pytest.importorskip("sklearn.metrics")
    y, models = two_models(400, 3, 0.8)
    f1 = {name: skl.f1_score(y, p > 0.5, average="macro") for name, p in models.items()}
    assert f1["one"] > f1["two"]
    measures = [karat.macro("F1"), "MCC", f_score.at(beta=2), "MSE"]
    found = karat.compare(models, y, measures=measures, replicates=9).rankings()
    assert found.measures == ("macro(F1)", "MCC", "F1(beta=2)", "MSE")
    assert set(found.choices.values()) == {("one",)}
    with pytest.raises(karat.InputError, match="none of the measures"):
        karat.compare(models, y, measures=["H_X"], replicates=9).rankings()


def test_differences_are_found_by_any_name_of_a_measure() -> None:
    y, models = two_models(60, 5)
    c = karat.compare(models, y, measures=["Acc", "CEN", karat.macro("F1")], replicates=19)
    pair = c["one", "two"]
    assert pair["confusion_entropy"] is pair["cen"] is pair.differences["CEN"]
    assert pair[karat.macro("F1")] is pair["macro(f1)"] is pair.differences["macro(F1)"]
    with pytest.raises(karat.InputError, match="MCC was not requested"):
        pair["MCC"]
    with pytest.raises(karat.InputError, match=r"no measure 'acuracy'\. Did you mean"):
        pair["acuracy"]
    two = c.rankings().consistency("accuracy", "confusion_entropy")
    assert two.names == ("Acc", "CEN")


Y = [0, 1, 0, 1]
P = [0.1, 0.8, 0.4, 0.6]
BAD: list[tuple[dict[str, Any], Any, dict[str, Any], str]] = [
    ({"a": P}, Y, {}, "only one model"),
    ({}, Y, {}, "models is empty; give two or more by name"),
    ({"a": P, "b": P[:3]}, Y, {}, "3 cases"),
    ({"a": P, "b": P}, None, {}, "y_true is missing"),
    ({"a": P, "b": P}, Y, {"baseline": "c"}, "is not one of the models"),
    ({"a": P, "b": P}, Y, {"level": 95}, "level is 95"),
    ({"a": P, "b": P}, Y, {"level": 0.05}, "at least 0.5"),
    ({"a": P, "b": P}, Y, {"kind": "guesses"}, "kind is"),
    ({"a": P, "b": P}, Y, {"measures": ["nonsense"]}, "no measure"),
    ({"a": P, "b": P}, Y, {"replicates": 0}, "replicates"),
    ({"a": P, "b": P}, Y, {"groups": [1, 2]}, "groups"),
    ({"a": P, "b": P}, Y, {"test": "t"}, "test is"),
]


@pytest.mark.parametrize(("models", "y", "options", "words"), BAD, ids=[row[3] for row in BAD])
def test_bad_input_is_refused_in_a_sentence(models: Any, y: Any, options: dict[str, Any], words: str) -> None:
    with pytest.raises(karat.InputError, match=words):
        karat.compare(models, y, **options)


def test_models_on_other_cases_or_classes_are_refused() -> None:
    one, other = karat.evaluate(Y, P), karat.evaluate([1, 1, 0, 1], P)
    with pytest.raises(karat.InputError, match="different y_true"):
        karat.compare({"a": one, "b": other})
    third = karat.evaluate([0, 1, 2, 1], np.eye(3)[[0, 1, 2, 1]])
    with pytest.raises(karat.InputError, match="classes"):
        karat.compare({"a": one, "b": third})
    with pytest.raises(karat.InputError, match="b is a confusion matrix"):
        karat.compare({"a": one, "b": karat.evaluate_matrix([[2, 0], [0, 2]])})


@pytest.mark.parametrize(
    "asked", [karat.compare, karat.findings_of, karat.dominance], ids=["compare", "findings_of", "dominance"]
)
def test_models_with_other_weights_are_refused(asked: Any) -> None:
    plain = karat.evaluate(Y, P)
    one, two = (karat.evaluate(Y, P, sample_weight=w) for w in ([1, 2, 1, 1], [1, 1, 2, 1]))
    for other in (two, plain):
        with pytest.raises(karat.InputError, match="a and b have different weights"):
            asked({"a": one, "b": other})
    asked({"a": one, "b": one})


def test_a_matrix_in_front_hides_no_other_cases() -> None:
    matrix, one, other = karat.evaluate_matrix([[2, 0], [0, 2]]), karat.evaluate(Y, P), karat.evaluate([1, 1, 0, 1], P)
    with pytest.raises(karat.InputError, match="different y_true"):
        karat.findings_of({"m": matrix, "a": one, "b": other})


def test_of_many_models_the_best_can_be_told_apart() -> None:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 1500)
    models = {
        f"m{i}": 1 / (1 + np.exp(-((2 * y - 1) * (3 if i == 0 else 0.2) + rng.normal(size=len(y))))) for i in range(8)
    }
    c = karat.compare(models, y, measures=["MCC", "LogL"], replicates=200)
    assert c.verdict.startswith(f"{karat.catalogue.measures['MCC'].title}: m0 is best (0.9")
    assert c.verdict.count("significantly better than all others.") == 2
    for pair in c.pairs.values():  # 28 of them: a p-value of 2 / 201 could pass no correction
        d = pair["MCC"]
        error = sum(v * (1 - v) for v in ((1 + x) / 2 for x in d.values)) ** 0.5 / len(y) ** 0.5
        assert d.adjusted < 1e-6 if "m0" in pair.names else abs(d.difference) < 6 * error


def test_too_few_replicates_are_said() -> None:
    y, p = [0, 0, 1, 1, 0, 1] * 9, [0.2, 0.6, 0.7, 0.4, 0.1, 0.9] * 9
    c = karat.compare(
        {"a": p, "b": [0.3, 0.2, 0.6, 0.9, 0.6, 0.4] * 9}, y, measures=["MSE"], replicates=10, method="bca"
    )
    assert c.verdict.endswith("(10 replicates are too few for 95 %: 40 or more are needed.)")
    found = karat.evaluate(y, p).intervals(["MSE", "KapS"], method="bca", replicates=10)
    assert all("10 replicates are too few" in i.reason for i in found.values())
    assert not karat.evaluate(y, p).intervals(["MSE"], replicates=40)["MSE"].reason
    with pytest.raises(
        karat.InputError,
        match=r"replicates is 99, with which no difference of 3 pairs could be significant; give at least 120",
    ):
        karat.compare(dict.fromkeys("abc", p), y, test="permutation", replicates=99)


# ------------------------------------------------------------------------------------------ what people write first


def test_evaluations_need_no_names() -> None:
    y, models = two_models(60, 8)
    one, two = (karat.evaluate(y, p) for p in models.values())
    named = karat.compare({"model 1": one, "model 2": two}, measures="Acc").to_dict()
    assert karat.compare(one, two, measures="Acc").to_dict() == named
    assert karat.compare([one, two], measures="Acc").to_dict() == named
    assert list(karat.compare(one, two, one, measures="Acc").models) == ["model 1", "model 2", "model 3"]


def test_the_truth_may_come_first() -> None:
    y, models = two_models(60, 8)
    assert karat.compare(y, models, measures="Acc").to_dict() == karat.compare(models, y, measures="Acc").to_dict()


class Estimator:
    """What looks like a fitted model."""

    def predict(self, rows: Any) -> Any:
        return rows


FIRST: list[tuple[tuple[Any, ...], str]] = [
    ((P, P, Y), 'models are given by name: compare({"first": p1, "second": p2}, y_true).'),
    ((P, P), "models is a list; models are given by name: compare("),
    ((P,), "models is a list; models are given by name: compare("),
    ((np.array(P), Y), "models is an ndarray; models are given by name: compare("),
    (([P, P], Y), "models is a list; models are given by name: compare("),
    (({"a": P, "b": P},), "y_true is missing; give the true labels after the models"),
    (({"a": P}, Y), "only one model was given; give two or more, or evaluate it alone."),
    (
        ({"a": Estimator(), "b": Estimator()}, Y),
        "a is given as Estimator; use karat.compare_estimators({name: estimator}, X, y)",
    ),
    (({1: P, "1": P}, Y), "are written the same way; rename one of them"),
    (({"a": karat.evaluate(Y, P), "b": P}, Y), "a is an evaluation, which has its true labels; leave y_true out."),
]


@pytest.mark.parametrize(("given", "words"), FIRST, ids=[row[1][:40] for row in FIRST])
def test_first_attempts_get_a_sentence(given: tuple[Any, ...], words: str) -> None:
    with pytest.raises(InputError) as problem:
        karat.compare(*given)
    assert words in str(problem.value)


# ------------------------------------------------------------------------------------------------- how it is shown


def many_models(n: int, number: int, classes: int = 2) -> tuple[Any, dict[str, Any]]:
    rng = np.random.default_rng(1)
    y = rng.integers(0, classes, n)
    raw = (np.exp((2 - 0.2 * i) * np.eye(classes)[y] + rng.normal(0, 1.2, (n, classes))) for i in range(number))
    return y, {f"model_{i}": x / x.sum(axis=1, keepdims=True) for i, x in enumerate(raw)}


def test_two_models_are_shown_with_their_difference_verdict_first() -> None:
    y, models = two_models(300, 3, 0.8)
    c = karat.compare(models, y)
    lines = c.summary().splitlines()
    assert lines[0].startswith("one is significantly better on ")
    head = lines[lines.index("") + 1]
    assert head.split()[:3] == ["measure", "one", "two"]
    assert head.endswith("p")
    d = c["one", "two"]["Acc"]
    row = next(line for line in lines if line.startswith("Accuracy"))
    assert f"{d.values[0]:.3f}" in row.split("*")[0]  # the better one is marked
    assert f"{d.difference:.3f} [{d.low:.3f}, {d.high:.3f}]" in row
    assert any(line.startswith("* significantly better (significant: p ≤ 0.05)") for line in lines)
    assert repr(c) == c.summary()
    assert max(map(len, lines)) <= 80


@pytest.mark.parametrize(("number", "classes"), [(5, 2), (5, 4), (20, 2)])
def test_many_models_fit_a_screen(number: int, classes: int) -> None:
    y, models = many_models(200, number, classes)
    c = karat.compare(models, y, replicates=199)
    lines = c.summary().splitlines()
    assert len(lines) <= 40
    assert max(map(len, lines)) <= 80
    columns = lines[lines.index("") + 1].split()
    assert "model_0" in columns
    if number == 20:
        assert f"{number - len(columns) + 1} more models: see to_table()." in lines
    else:
        assert columns == ["measure", *models]
    assert set(c.to_table().columns) == {"measure", "symbol", *models, "significantly better"}
    wide = c.summary(width=400).splitlines()
    assert wide[wide.index("") + 1].split() == ["measure", *models]


@pytest.mark.parametrize("models", [2, 3])
def test_what_is_corrected_is_said_once(models: int, capsys: pytest.CaptureFixture[str]) -> None:
    """Below each table: in the legend of its marks, or in sentences of its own."""
    from karat.cli.comparison_view import View, show_comparison

    rng = np.random.default_rng(2)
    y = np.arange(300) % 2
    c = karat.compare({f"m{i}": np.clip(0.3 * i * y + 0.5 * rng.random(300), 0, 1) for i in range(models)}, y)
    show_comparison(View(c))
    printed = capsys.readouterr().out
    shown_table = c.displayed()
    for text in (str(c), c._repr_html_(), repr(shown_table), printed):
        assert text.count("(Holm)") == 1, text


def test_the_verdict_says_that_it_is_corrected_where_the_table_is_not() -> None:
    y, models = two_models(300, 0, 0.25)
    c = karat.compare(models, y, measures=["Acc", "MCC", "MSE", "AUC"])
    pair = c["one", "two"]
    least = min(d.familywise for d in pair.differences.values())
    assert pair.claims == 4
    assert least > 0.05 > min(d.p for d in pair.differences.values())
    assert c.verdict.endswith(f" (corrected p ≥ {least:.3f}).")
    alone = karat.compare(models, y, measures=["MSE"]).verdict
    assert "corrected" not in alone


def test_long_names_are_shortened_where_that_tells_them_apart() -> None:
    y, models = many_models(200, 5)
    long = {f"{name}_of_gradient_boosted_trees": p for name, p in models.items()}
    lines = karat.compare(long, y, measures=["MSE", "MCC"]).summary().splitlines()
    assert lines[lines.index("") + 1].split() == ["measure", *(f"{name}_…" for name in models)]
    assert max(map(len, lines)) <= 80
    alike = {f"a_long_name_that_ends_in_{name}": p for name, p in models.items()}
    lines = karat.compare(alike, y, measures=["MSE", "MCC"]).summary().splitlines()
    heads = lines[lines.index("") + 1].split()[1:]
    assert len(set(heads)) == len(models)
    assert all("…" in head and head.endswith(name[-2:]) for head, name in zip(heads, models, strict=True))
    middling = {f"a_long_name_{name}_that_ends_alike": p for name, p in models.items()}
    lines = karat.compare(middling, y, measures=["MSE", "MCC"]).summary().splitlines()
    assert lines[lines.index("") + 1].split()[1] in middling


def test_marks_say_who_is_best_and_who_is_not_significantly_worse() -> None:
    y, models = many_models(200, 4)
    c = karat.compare(models, y, measures=["MSE"])
    best = min(models, key=lambda name: c.values_of("MSE")[name])
    row = c.summary().splitlines()[c.summary().splitlines().index("") + 2]
    cells = {name: row[place:].split()[:2] for name, place in zip(models, _places(c), strict=True)}
    for name, (value, *mark) in cells.items():
        assert float(value) == pytest.approx(c.models[name]["MSE"], abs=5e-4)
        alike = name != best and c[best, name]["MSE"].winner(c.level) is None
        assert mark[:1] == (["*"] if name == best else ["~"] if alike else mark[:1])
        assert alike == (mark[:1] == ["~"])
    against = karat.compare(models, y, measures=["MSE"], baseline="model_3")
    assert "+ significantly better than model_3" in against.summary()
    assert against.verdict.startswith("model_0 against model_3: model_0 is significantly better on ")


def _places(c: Any) -> list[int]:
    """Where the columns of the models begin."""
    lines = c.summary().splitlines()
    head = lines[lines.index("") + 1]
    return [head.index(name) for name in c.models]


def test_equal_numbers_are_one_row() -> None:
    y, models = two_models(80, 4, 0.4)
    c = karat.compare(models, y, measures=["AUNU", "AUNP", "AU1U", "AU1P", "MCC"])
    assert len(c.to_table().columns["symbol"]) == 5
    rows = c.displayed().columns["measure"]
    assert len(rows) == 2
    assert rows[0].endswith("(AUNU, AUNP, AU1U, AU1P)")


def test_a_model_may_be_called_like_a_column() -> None:
    y, models = two_models(80, 4, 0.4)
    c = karat.compare({"p": models["one"], "measure": models["two"]}, y, measures=["Acc"])
    table = c["p", "measure"].to_table().columns
    assert table["model p"] == [c.models["p"]["Acc"]]
    assert table["p"] == [c["p", "measure"]["Acc"].adjusted]
    assert c.to_table().columns["model measure"] == [c.models["measure"]["Acc"]]


def test_a_comparison_is_a_mapping_of_pairs() -> None:
    y, models = two_models(60, 8)
    c = karat.compare(models, y, measures=["Acc"])
    assert c.keys() == [("one", "two")] == list(c)
    assert dict(c) == dict(c.items()) == c.pairs
    assert c.get(("two", "one")).names == ("two", "one")
    assert c.get(("one", "three"), 0) == 0
    assert ("two", "one") in c
    assert len(c) == 1
    assert c.values_of("accuracy") == {name: c.models[name]["Acc"] for name in models}
    sentences = {
        "one": r"'one' is one model; write c.models\['one'\]",
        "Acc": r"write c\['one', 'two'\]\['Acc'\] for their difference",
        ("one", "x"): "was not compared; the pairs are",
    }
    for key, words in sentences.items():
        with pytest.raises(InputError, match=words):
            c[key]


def test_it_can_be_written_and_reported(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    y, models = two_models(60, 8)
    c = karat.compare(models, y, measures=["Acc", "MCC"])
    assert c.to_markdown().startswith(in_markdown(c.verdict))
    assert "| Accuracy (Acc) |" in c.to_markdown()
    *_, none, blank, note = c.to_markdown().splitlines()
    assert (none, blank) == ("No difference is significant.", "")
    assert note == f"{c.corrections} Cases were paired by row, as no ids were given."
    truth = np.arange(100) % 2
    unequal = {"good": 0.25 + 0.5 * truth, "bad": np.linspace(0.1, 0.9, 100)}
    marked = karat.compare(unequal, truth, measures=["MSE"]).to_markdown()
    assert r"\* significantly better (significant: p ≤ 0.05)." in marked.splitlines()
    assert r"\begin{tabular}" in c.to_latex()
    assert json.loads(c.to_json())["verdict"] == c.verdict
    assert c.verdict in c.to_html()
    given = []
    monkeypatch.setattr("karat.core.hooks.report", lambda *data, **options: given.append((data, options)))
    c.report(tmp_path / "page.html", title="x")
    assert given == [((c, tmp_path / "page.html"), {"title": "x"})]


def test_it_can_be_drawn() -> None:
    pyplot = pytest.importorskip("matplotlib.pyplot")
    y, models = two_models(60, 8)
    c = karat.compare(models, y, measures=["Acc"])
    figure, ax = pyplot.subplots()
    c.plot("roc_curve", ax=ax)
    legend = " ".join(text.get_text() for text in ax.get_legend().get_texts())
    assert "one" in legend
    assert "two" in legend
    pyplot.close(figure)


# -------------------------------------------------------------------------------- which measures the verdict is about


def test_what_is_compared_depends_on_what_was_given() -> None:
    y, models = two_models(80, 4, 0.4)
    c = karat.compare(models, y)
    shown = [m.symbol for m in headline(c.models["one"].statistics)]
    assert list(c.measure_keys) == shown
    assert c.aspects == {"decisions": "MCC", "ranking": "AUC", "probabilities": "LogLoss", "calibration": "ECE"}
    every = karat.compare(models, y, measures="papers")
    assert [key for key in every.measure_keys if key in PAPERS] == list(PAPERS)
    assert every["one", "two"]["AUNU"].familywise == pytest.approx(c["one", "two"]["AUC"].familywise, rel=0.2)
    assert every.aspects == c.aspects | {"ranking": "AUNU", "probabilities": "LogL"}  # these are of the papers
    labels = {name: (p > 0.5).astype(int) for name, p in models.items()}
    decided = karat.compare(labels, y, kind="decisions")
    assert decided.aspects == {"decisions": "MCC"}
    assert "LogLoss" not in decided.measure_keys
    named = karat.compare(models, y, measures=["MSE", "Acc"])
    assert named.aspects == {"MSE": "MSE", "Acc": "Acc"}


def test_all_measures_can_be_compared_at_once() -> None:
    y, models = two_models(60, 4, 0.4)
    c = karat.compare(models, y, measures="all", replicates=49)
    assert set(karat.catalogue.measures) <= {*c.measure_keys}
    assert list(c.aspects) == ["decisions", "ranking", "probabilities", "calibration"]


def test_measures_that_only_describe_differ_without_a_winner() -> None:
    y = np.array([0, 1] * 100)
    rng = np.random.default_rng(0)
    models = {"often": np.where(rng.random(200) < 0.95, 1, y), "fair": np.where(rng.random(200) < 0.05, 1 - y, y)}
    c = karat.compare(models, y, kind="decisions", measures=["H_Y"])
    assert c.verdict.startswith("often and fair differ significantly on ")
    assert c["often", "fair"]["H_Y"].better is None
    assert c.displayed().notes[0] == "≠ significantly different (significant: p ≤ 0.05)."
    page = re.sub("<[^>]*>", "", c.report(replicates=20).html)
    assert "often and fair differ significantly on" in page
    assert "o significant difference in any" not in page


def test_of_several_models_those_that_differ_on_a_describing_measure_are_named() -> None:
    """The verdict spoke of the first two alone, and the table said that no difference is significant."""
    y = np.array([0, 1] * 100)
    rng = np.random.default_rng(0)
    fair = [np.where(rng.random(200) < 0.05, 1 - y, y) for _ in range(2)]
    often = np.where(rng.random(200) < 0.95, 1, y)
    models = {"one": fair[0], "two": fair[1], "often": often}
    c = karat.compare(models, y, kind="decisions", measures=["H_Y", "Prev"], positive=1)
    assert c.sentences == [
        "Entropy of the predicted classes in bits: often differs significantly from one and two.",
        "Prevalence: no significant differences.",
    ]
    assert list(c.displayed().columns["often"]) != list(c.displayed().columns["one"])
    assert c.displayed().notes[0].startswith("≠ significantly different from all others")
    assert (
        "No difference is significant."
        in karat.compare(models, y, kind="decisions", measures=["Prev"], positive=1).displayed().notes
    )


def test_a_row_without_marks_makes_no_model_worse() -> None:
    """A describing measure has no marks where nothing differs; others were said to be significantly worse."""
    y, models = two_models(60, 8)
    three = models | {"three": models["one"] ** 0.9}
    c = karat.compare(three, y, measures=["Acc", "Prev"], positive=1)
    assert "significantly worse" not in str(c)
    assert "significantly worse" not in re.sub("<[^>]*>", "", c.report(replicates=20).html)
    one_sided = karat.compare(three, y, measures=["Acc", "Prev"], positive=1, alternative="better")
    assert one_sided.sentences[-1] == "Prevalence: no significant differences."


def test_what_a_margin_did_not_show_is_said() -> None:
    """Nothing was said of a margin unless equivalence was shown."""
    y = np.arange(200) % 2
    rng = np.random.default_rng(4)
    good, poor = y + rng.normal(0, 0.8, 200), y + rng.normal(0, 1.4, 200)
    models = {"poor": 1 / (1 + np.exp(1 - 2 * poor)), "good": 1 / (1 + np.exp(1 - 2 * good))}
    c = karat.compare(models, y, measures=["AUC"], margin=0.02)
    d = c["poor", "good"]["AUC"]
    assert (d.equivalent, d.noninferior) == (False, False)
    assert "neither equivalence within 0.02 nor non-inferiority of poor was shown on ROC AUC" in c.verdict
    (line,) = [note for note in c.displayed().notes if note.startswith("ROC AUC: ")]
    assert "poor and good are not shown to be equivalent within 0.02 (90 % interval [" in line
    assert line.endswith("poor is not shown to be non-inferior (p = 1).")
    assert line in re.sub("<[^>]*>", "", c.report(replicates=20).html)


def test_one_sided_tests_are_named_wherever_they_are_shown() -> None:
    y, models = two_models(60, 8)
    c = karat.compare(models, y, measures=["Acc"], alternative="better")
    first, second = models
    said = f"p-values are one-sided (is {first} better than {second}?), of each measure alone."
    assert said in " ".join(str(c).split())
    assert said in c._repr_html_()
    assert said in re.sub("<[^>]*>", "", c.report(replicates=20).html)


def test_models_of_equal_value_are_best_together() -> None:
    """One of them was called the best, and not tested against the other."""
    y, models = two_models(60, 8)
    first = next(iter(models.values()))
    three = karat.compare({"one": first, "two": first, "other": 1 - np.asarray(first)}, y, measures=["Acc"])
    assert three.verdict.startswith("Accuracy: one and two are best (")
    right = np.arange(40) < 30
    one, two = np.where(right, 1, 0), np.where(np.arange(40) >= 10, 1, 0)  # as often right, on other cases
    worse = np.where((np.arange(40) < 20) & right, 1, 0)  # never right where the first is wrong
    models = {"one": one, "two": two, "worse": worse}
    told = karat.compare(models, np.ones(40, int), kind="decisions", labels=[0, 1], measures=["Acc"])
    assert told["one", "worse"]["Acc"].winner(0.95) == "one"
    assert told["two", "worse"]["Acc"].winner(0.95) is None
    assert told.verdict == "Accuracy: one and two are best (0.750), no significant difference from worse."
    assert [told.displayed().columns[name][0][-1] for name in told.models] == ["*", "*", "~"]
    same = karat.compare(dict.fromkeys(("a", "b", "c"), first), y, measures=["Acc"])
    assert same.verdict == f"Accuracy: no model is better, all have {same.models['a']['Acc']:.3f}."


def test_labels_are_compared_with_the_scores_that_they_were_made_of() -> None:
    """They agree on every case: it was said that one lacks what the other has."""
    rng = np.random.default_rng(3)
    y, p = np.arange(60) % 2, rng.random(60)
    labels, scores = karat.evaluate(y, y_pred=(p > 0.5).astype(int), positive=1), karat.evaluate(y, p, positive=1)
    d = karat.compare({"labels": labels, "scores": scores}, measures=["MCC", "F1"])["labels", "scores"]["MCC"]
    assert d.p == 1
    assert d.reason == "the models agree on every case that counts"


def test_a_verdict_names_what_could_not_be_compared() -> None:
    y, models = two_models(60, 8)
    labels = {
        name: np.asarray(p).argmax(axis=1) if np.ndim(p) > 1 else (p > 0.5).astype(int) for name, p in models.items()
    }
    c = karat.compare(labels, y, kind="decisions", measures=["AUC", "Acc"], positive=1)
    assert c.verdict.endswith("ROC AUC could not be tested.")


def test_methods_have_familiar_names() -> None:
    y, models = two_models(60, 4, 0.4)
    for word_, method in (("permutation", "exchange"), ("bootstrap", "percentile")):
        assert karat.compare(models, y, measures="MSE", method=word_).method == method


# ------------------------------------------------------------------------------------------------- whose case is it


def in_orders_of_their_own(n: int = 80) -> tuple[Any, dict[str, Any], dict[str, Any]]:
    """Truth and two models; and for each model an order of its cases, the second's shuffled within the classes."""
    y, models = two_models(n, 11, 0.5)
    order = np.arange(n)
    for c in (0, 1):
        order[y == c] = np.random.default_rng(c).permutation(order[y == c])
    return y, models, {"one": np.arange(n), "two": order}


def test_the_result_says_how_models_were_paired() -> None:
    y, models = two_models(40, 3)
    by_row = karat.compare(models, y, measures=["Acc"], replicates=19)
    assert by_row.pairing == by_row.to_dict()["pairing"] == "by row, as no ids were given"
    by_id = karat.compare(models, y, measures=["Acc"], replicates=19, ids=[f"case {i}" for i in range(40)])
    assert by_id.pairing == by_id.to_dict()["pairing"] == "by id"
    assert by_id["one", "two"].to_dict() == by_row["one", "two"].to_dict()
    assert by_id.models["two"].ids.tolist()[:2] == ["case 0", "case 1"]


def test_models_in_orders_of_their_own_are_joined_by_id() -> None:
    y, models, orders = in_orders_of_their_own()
    expected = karat.compare(models, y, replicates=49)["one", "two"].to_dict()
    weight = np.random.default_rng(0).uniform(0.5, 2, len(y))
    own = {name: models[name][order] for name, order in orders.items()}
    truths = {name: y[order] for name, order in orders.items()}
    evaluations = {name: karat.evaluate(truths[name], own[name]) for name in orders}
    with_ids = {name: karat.evaluate(truths[name], own[name], ids=orders[name]) for name in orders}
    assert karat.compare(evaluations, replicates=49)["one", "two"].to_dict() != expected  # silently wrong by row
    for c in (
        karat.compare(own, truths, ids=orders, replicates=49),
        karat.compare(evaluations, ids=orders, replicates=49),
        karat.compare(with_ids, replicates=49),
    ):
        assert c["one", "two"].to_dict() == expected
        assert c.pairing == "by id"
        assert np.array_equal(c.models["two"].ids, np.arange(len(y)))
    weights = {name: weight[order] for name, order in orders.items()}
    weighted = karat.compare(own, truths, ids=orders, sample_weight=weights, replicates=49)
    plain = karat.compare(models, y, sample_weight=weight, replicates=49)
    assert weighted["one", "two"].to_dict() == plain["one", "two"].to_dict()


def test_the_first_model_gives_the_order_of_groups() -> None:
    y, models, orders = in_orders_of_their_own()
    groups = np.arange(len(y)) // 4
    own = {name: karat.evaluate(y[order], models[name][order], ids=order) for name, order in orders.items()}
    c = karat.compare(own, groups=groups, replicates=49, measures=["MSE"])
    expected = karat.compare(models, y, groups=groups, replicates=49, measures=["MSE"])
    assert c["one", "two"].to_dict() == expected["one", "two"].to_dict()


def test_refusals_of_ids() -> None:
    y, models, orders = in_orders_of_their_own()
    truths = {name: y[order] for name, order in orders.items()}
    e = {name: karat.evaluate(y, p, ids=range(len(y))) for name, p in models.items()}
    refused: list[tuple[str, Any, dict[str, Any]]] = [
        ("y_true came by model, and ids did not", models, {"y_true": truths}),
        ("y_true came by model, and ids did not", models, {"y_true": truths, "ids": orders["two"]}),
        ("ids came by model, and y_true did not", models, {"y_true": y, "ids": orders}),
        ("y_true and ids came by model, and sample_weight did not", models,
         {"y_true": truths, "ids": orders, "sample_weight": np.ones(len(y))}),
        ("ids has entries for 'one' and none for 'two'", models, {"y_true": truths, "ids": {"one": orders["one"]}}),
        ("one has ids already; pass ids= to karat.evaluate", e, {"ids": range(len(y))}),
        ("ids are not unique: 0;", models, {"y_true": y, "ids": [0, 0, *range(2, len(y))]}),
    ]  # fmt: skip
    for words, given, options in refused:
        with pytest.raises(InputError) as problem:
            karat.compare(given, **options, replicates=19)
        assert words in str(problem.value)


def test_a_measure_that_needs_a_positive_class_asks_for_it() -> None:
    rng = np.random.default_rng(0)
    y = np.array(["fraud", "ok"])[rng.integers(0, 2, 60)]
    a, b = (np.stack([x, 1 - x], axis=1) for x in rng.random((2, 60)))
    with pytest.raises(InputError, match=r"F1 needs a positive class: positive='fraud' gives .*classes='all' compares"):
        karat.compare({"a": a, "b": b}, y, measures=["F1"])
    assert karat.compare({"a": a, "b": b}, y, measures=["AUC"])["a", "b"]["AUC"].p > 0.05  # the same for both
    assert "F1[ok]" in karat.compare({"a": a, "b": b}, y, measures=["F1"], classes="all")["a", "b"].differences


def test_classes_are_compared_by_measures_of_one_class() -> None:
    rng = np.random.default_rng(0)
    y = np.arange(60) % 3
    models = {name: rng.dirichlet(np.ones(3), 60) for name in "ab"}
    by_default = karat.compare(models, y, classes=[2])["a", "b"].differences
    assert {"Precision[2]", "Recall[2]", "F1[2]", "AUC[2]", "AP[2]", "Acc"} <= {*by_default}
    assert "Recall[1]" not in by_default
    with pytest.raises(InputError, match="and MCC is of all classes; name one as well: Precision, Recall, F1, AUC and"):
        karat.compare(models, y, measures="MCC", classes="all")


def test_copies_of_rows_are_told_of() -> None:
    """Ten copies of each row make a small difference significant; nothing else does."""
    rng = np.random.default_rng(5)
    y = rng.integers(0, 2, 40)
    models = {name: 1 / (1 + np.exp(-(2 * y - 1 + rng.normal(size=40)))) for name in ("a", "b")}
    once = karat.compare(models, y, measures=["LogL"])
    tenfold = karat.compare({name: np.tile(p, 10) for name, p in models.items()}, np.tile(y, 10), measures=["LogL"])
    few = "Only 40 of the 400 rows are different, so p-values are too small"
    assert "copies" not in str(once)
    pair = tenfold["a", "b"]
    views = [tenfold.verdict, str(tenfold), tenfold._repr_html_(), tenfold.to_markdown(), tenfold.to_json()]
    views += [pair.verdict, pair.to_markdown(), tenfold.to_table().title, tenfold.report().html]
    assert all(few in " ".join(str(view).split()) for view in views)


def test_copies_that_groups_keep_together_need_no_caveat() -> None:
    rng = np.random.default_rng(5)
    y, case = np.tile(rng.integers(0, 2, 40), 10), np.tile(np.arange(40), 10)
    models = {name: np.tile(rng.random(40), 10) for name in ("a", "b", "c")}
    assert not karat.compare(models, y, measures=["LogL"], groups=case).caveat
    assert "Only 40 of the 400" in karat.compare(models, y, measures=["LogL"], groups=np.arange(400) // 40).verdict
    assert "Only 40 of the 400" in karat.compare(models, y, measures=["LogL"], baseline="a").verdict
