"""What the first screen says: the advice, checked by plain counting and other libraries, and the headline table."""

from __future__ import annotations

import math
import re
from html import unescape
from typing import Any

import numpy as np
import pytest
from scipy import stats

import karat
from karat.comparisons.comparison_marks import ALIKE, BEST, marks_of
from karat.comparisons.difference import ASPECTS
from karat.page.content import Content, _finalists
from karat.page.headline_table import MARGIN, WIDTHS, headline_table
from karat.page.html_tables import classes_table, measures_table
from karat.page.payload import page_data
from karat.page.payload_curves import thresholds
from karat.page.recommendation import Saving, recommendation
from karat.page.verdict import _saved, advice, findings, method, verdict


def scores(n: int = 400, strengths: tuple[float, ...] = (2.5, 1.0), seed: int = 0) -> tuple[Any, dict[str, Any]]:
    """A truth, and scores of models that know more or less of it."""
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.4).astype(int)
    return y, {f"m{i}": 1 / (1 + np.exp(-rng.normal(s * (2 * y - 1), 1.5))) for i, s in enumerate(strengths)}


def evaluated(y: Any, models: dict[str, Any], **options: Any) -> dict[str, Any]:
    return {name: karat.evaluate(y, p, positive=1, **options) for name, p in models.items()}


def text(html: str) -> str:
    return " ".join(unescape(re.sub("<[^>]*>", "", html)).split())


def said(models: Any, **options: Any) -> str:
    return text(advice(Content.of(models, replicates=20, **options)))


def cheapest(y: Any, p: Any) -> tuple[float, Any]:
    """The lowest share of errors of any threshold, and on which cases it errs, by trying them all."""
    cuts = [np.inf, *np.unique(p)]
    errors = [(p >= cut) != (y == 1) for cut in cuts]
    at = min(range(len(cuts)), key=lambda i: (errors[i].mean(), -cuts[i]))
    return float(errors[at].mean()), errors[at]


def test_costs_and_p_values_are_those_of_counting() -> None:
    y, models = scores(strengths=(2.0, 1.4, 1.0))
    r = recommendation(evaluated(y, models), 0.95, None, 0)
    assert r is not None
    found = {name: cheapest(y, p) for name, p in models.items()}
    assert [c.name for c in r.courses] == sorted(models, key=lambda name: found[name][0])
    alone = []
    for c in r.courses:
        assert c.cost == pytest.approx(found[c.name][0], abs=1e-12)
        assert (c.errors == found[c.name][1]).all()
        assert ((models[c.name] >= float(c.threshold)) == (found[c.name][1] ^ (y == 1))).all()
    best = found[r.best.name][1]
    for c in r.courses[1:]:
        other = found[c.name][1]
        flips = int((best & ~other).sum()), int((other & ~best).sum())
        law = stats.binom(sum(flips), 0.5)
        alone.append(float(2 * law.sf(max(flips)) + law.pmf(max(flips))))  # mid-p, as `compare` tests accuracies
        assert r.savings[c.name].share == pytest.approx(1 - best.mean() / other.mean())
    first, second = sorted(alone)  # Holm over the three pairs of models, one of which is not spoken of
    expected = sorted([min(1, 3 * first), min(1, max(3 * first, 2 * second))])
    assert sorted(s.p for s in r.savings.values()) == pytest.approx(expected)


def test_a_threshold_of_many_cases_has_few_digits_and_costs_what_is_said_of_it() -> None:
    y, models = scores(40_000, (1.0, 0.8))
    many = evaluated(y, models)
    r = recommendation(many, 0.95, None, 0)
    assert r is not None
    page = page_data(Content.of(many, replicates=0))["rest"][0]
    for c in r.courses:
        p, cut = models[c.name], float(c.threshold)
        assert len(c.threshold.removeprefix("0.").lstrip("0")) <= 4
        assert c.cost == pytest.approx(np.mean((p >= cut) != (y == 1)), abs=1e-12)
        order = np.argsort(-p)
        least = (y.sum() + np.concatenate([[0], np.cumsum(1 - 2 * y[order])])).min() / len(y)
        assert least <= c.cost <= 1.005 * least
        of_page = page["models"][list(models).index(c.name)]
        for at, text in zip(of_page["hull"], of_page["cuts"], strict=True):  # each decides as the curve does
            chosen = p >= (np.inf if text == "∞" else float(text))
            assert [int((chosen & (y == k)).sum()) for k in (1, 0)] == [of_page["tp"][at], of_page["fp"][at]]


def test_long_names_are_told_apart_by_their_ends() -> None:
    y, models = scores(200, (1.5, 1.4, 1.0, 0.9, 0.8))
    long = {f"gradient boosting with a name that has no end, the {i}": p for i, p in enumerate(models.values())}
    content = Content.of(evaluated(y, long), replicates=20)
    named = re.findall("<strong><bdi[^>]*>([^<]*)</bdi></strong>", advice(content))
    assert len(set(named)) == len(named) > 1
    assert all("…" in name and name[-1].isdigit() and len(name) <= 40 for name in named)
    ends = re.findall('halved" title="([^"]*)"><span>([^<]*)</span><span>([^<]*)</span>', headline_table(content))
    assert {whole for whole, _, _ in ends} == set(long)
    assert all(head + tail == whole and tail.endswith(whole[-1]) for whole, head, tail in ends)


def test_the_interval_of_the_saving_is_near_that_of_a_bootstrap() -> None:
    y, models = scores(2000)
    r = recommendation(evaluated(y, models), 0.95, None, 0)
    assert r is not None
    a, b = (np.asarray(c.errors) for c in r.courses)
    rng = np.random.default_rng(5)
    drawn = rng.integers(0, len(y), (2000, len(y)))
    ends = np.quantile(1 - a[drawn].sum(axis=1) / b[drawn].sum(axis=1), [0.025, 0.975])
    saving = r.savings[r.courses[1].name]
    assert (saving.low, saving.high) == pytest.approx(tuple(ends), abs=0.02)


def test_cases_that_are_there_twice_say_no_more_if_they_are_one_group() -> None:
    y, models = scores()
    once = recommendation(evaluated(y, models), 0.95, None, 0)
    twice = evaluated(np.repeat(y, 2), {name: np.repeat(p, 2) for name, p in models.items()})
    grouped = recommendation(twice, 0.95, np.arange(2 * len(y)) // 2, 0)
    naive = recommendation(twice, 0.95, None, 0)
    assert once is not None
    assert grouped is not None
    assert naive is not None
    of = [next(iter(r.savings.values())) for r in (once, grouped, naive)]
    assert (of[1].low, of[1].high) == pytest.approx((of[0].low, of[0].high))
    assert of[2].high - of[2].low < 0.8 * (of[0].high - of[0].low)
    a, b = (np.asarray(c.errors, float) for c in once.courses)
    assert of[1].p == pytest.approx(float(stats.ttest_1samp(a - b, 0).pvalue))


def test_weights_count_in_the_cost() -> None:
    y, models = scores()
    weight = np.where(y == 1, 3.0, 1.0)
    r = recommendation(evaluated(y, models, sample_weight=weight), 0.95, None, 0)
    assert r is not None
    for c in r.courses:
        every = [np.average((models[c.name] >= t) != (y == 1), weights=weight) for t in np.unique(models[c.name])]
        assert c.cost == pytest.approx(min(every))


def test_few_groups_are_not_surer_than_their_exchanges() -> None:
    """Three groups that all favour one model nearly alike: by exchanging them no p-value below 1/4 can be had."""
    y = np.arange(300) % 2
    good, bad = 0.2 + 0.6 * y, 0.8 - 0.6 * y
    bad = np.where(np.arange(300) % 100 < 50, good, bad)
    bad[0] = good[0] = 0.5  # so that the groups do not differ by exactly the same
    r = recommendation(evaluated(y, {"good": good, "bad": bad}), 0.95, np.repeat([0, 1, 2], 100), 0)
    assert r.savings["bad"].p >= 0.25
    assert r.savings["bad"].share > 0.5


def test_an_interval_of_a_saving_never_contradicts_its_test() -> None:
    rng = np.random.default_rng(5)
    seen = set()
    for seed in range(150):
        y = np.arange(60) % 2
        z = (2 * y - 1) * 0.9
        models = {name: 1 / (1 + np.exp(-z * lift - rng.normal(size=60))) for name, lift in (("a", 1.5), ("b", 0.7))}
        (saving,) = recommendation(evaluated(y, models), 0.95, None, seed).savings.values()
        significant = saving.p <= 0.05
        seen.add(significant)
        assert math.isnan(saving.low) or (saving.low > 0 or saving.high < 0) == significant
    assert seen == {True, False}


def test_a_clear_winner_is_named_with_its_threshold_and_what_is_assumed() -> None:
    y, models = scores(strengths=(3.5, 1.0))
    words = said(evaluated(y, models))
    cost = cheapest(y, models["m0"])[0]
    assert re.match(
        rf"Use m0 and predict 1 from 0\.\d+ on: expected cost {cost:.3g}\d* per case, \d\d % less than m1 "
        r"\[\d\d %, \d\d %\] \(p < 0\.001\)\.",
        words,
    )
    assert "No costs were given: both errors are assumed to cost the same, at the prevalence of" in words
    e = karat.evaluate(y, models["m0"], positive=1)
    assert f"on new ones expect {e.operating().threshold.new_cost:.3g}" in words


def test_an_interval_of_no_saving_has_its_unit() -> None:
    assert _saved(Saving(0.0, -0.14, 0.13, 1.0), "db").startswith("the same as <bdi")
    assert "[\N{MINUS SIGN}14 %, 13 %]" in _saved(Saving(0.0, -0.14, 0.13, 1.0), "db")


def test_where_no_difference_is_significant_the_advice_says_so() -> None:
    y, models = scores(200, (1.5, 1.5, 1.4))
    words = said(evaluated(y, models))
    assert re.match(r"Use any of m\d \(from 0\.\d+ on\), m\d \(from 0\.\d+ on\) and m\d \(from", words)
    assert "to predict 1: no significant difference in expected cost." in words
    two = said(evaluated(y, dict(list(models.items())[:2])))
    assert two.startswith("Use either of ")


def test_of_models_of_like_cost_the_one_with_significantly_better_probabilities_is_advised() -> None:
    y, models = scores(400, (1.5,))
    p = models["m0"]
    sharp = p**6 / (p**6 + (1 - p) ** 6)  # the same order, so the same lowest cost, and far too sure
    other = np.clip(p + 0.1 * (np.arange(400) % 97 == 5), 0, 1)  # some cases are ranked higher
    content = Content.of(evaluated(y, {"sharp": sharp, "other": other, "plain": p}), replicates=50)
    r = content.recommendation
    assert r is not None
    assert r.tie_break is None  # plain and other do not differ
    both = {"sharp": sharp, "plain": p}
    for models in (both, dict(reversed(both.items()))):
        words = said(evaluated(y, models))
        cost = f"{cheapest(y, p)[0]:.3f}"
        assert re.match(
            rf"Use plain and predict 1 from 0\.\d+ on: expected cost {cost}\d* per case, no significant difference "
            rf"from sharp \({cost}\d*, p = 1\), and significantly better probabilities than sharp "
            r"\(log loss, p < 0\.001\)\.",
            words,
        )
    assert f"on new ones expect {karat.evaluate(y, p, positive=1).operating().threshold.new_cost:.3g}" in words
    assert page_data(Content.of(evaluated(y, both), replicates=20))["best"] == 1  # its details are shown first


def test_intervals_beside_corrected_p_values_say_what_they_are_of() -> None:
    """0.0248 [0.0028, 0.0467] stood beside p = 0.116, without a word on why the interval leaves out 0."""
    y, models = scores()
    several = text(verdict(Content.of(evaluated(y, models), replicates=20)))
    assert (
        "p is corrected (Holm) for the 4 tests of this verdict; 95 % intervals are of each difference alone." in several
    )
    one = Content.of(evaluated(y, models), measures=["AUC"], replicates=20)
    assert "corrected" not in text(verdict(one))


def test_models_that_know_nothing_are_not_recommended() -> None:
    rng = np.random.default_rng(0)
    y = (rng.random(300) < 0.1).astype(int)
    flat = {"a": np.full(300, 0.3), "b": np.where(y == 1, 0.2, 0.4)}
    assert said(evaluated(y, flat)).startswith(f"Use no model: always predicting 0 costs {y.mean():.3g}")


def test_without_thresholds_the_advice_has_none() -> None:
    rng = np.random.default_rng(1)
    y = rng.integers(0, 4, 300)
    names = np.array(["ant", "bee", "cat", "dog"])
    p = {name: np.eye(4)[y] * s + rng.random((300, 4)) for name, s in (("good", 1.0), ("poor", 0.2))}
    several = {
        name: karat.evaluate(names[y], x / x.sum(axis=1, keepdims=True), labels=list(names)) for name, x in p.items()
    }
    error = 1 - several["good"]["Acc"]
    words = said(several)
    assert words.startswith(f"Use good: expected cost {error:.3g}") or error == 0
    assert " from " not in words
    assert "all errors are assumed to cost the same" in words
    tables = {"a": karat.evaluate_matrix([[50, 5], [9, 36]]), "b": karat.evaluate_matrix([[45, 10], [9, 36]])}
    assert "Use a: expected cost 0.14 per case, 26 % less than b (not tested)." in said(tables).replace("0.140", "0.14")
    unsaid = karat.evaluate(np.array(["u", "v"])[y % 2], np.column_stack([y % 2 * 0.5 + 0.2, 0.8 - y % 2 * 0.5]))
    assert "No positive class was given, so no threshold is recommended." in said({"one": unsaid})


def test_the_marks_of_the_headline_are_those_of_the_comparison() -> None:
    y, models = scores(300, (2.5, 2.3, 0.8))
    content = Content.of(evaluated(y, models), replicates=50)
    html = headline_table(content)
    assert content.comparison is not None
    signs = set()
    for symbol in ("Acc", "F1", "AUC", "LogLoss", "ECE"):
        title = karat.catalogue.measures[symbol].title
        row = next(r for r in re.findall("<tr>.*?</tr>", html) if f">{title}&nbsp;<" in r)
        marks = re.findall(r'<span class="mark" aria-hidden="true">(.?)</span>', row)
        assert dict(zip(content.names, marks, strict=True)) == marks_of(content.comparison, symbol)
        signs |= set(marks)
    assert {BEST, ALIKE, ""} <= signs  # the case was made for that
    assert "EMA" not in html
    assert "no significant difference from the best" in text(html)


def test_dots_and_whiskers_lie_where_the_numbers_do() -> None:
    y, models = scores(300, (2.5, 1.0))
    content = Content.of(evaluated(y, models), replicates=50)
    row = next(r for r in re.findall("<tr>.*?</tr>", headline_table(content)) if ">Accuracy&nbsp;<" in r)
    ends = {name: content.models[name].intervals(["Acc"], replicates=50)["Acc"] for name in models}
    low, high = min(i.low for i in ends.values()), max(i.high for i in ends.values())
    lines = re.findall(r'<path d="M([\d.]+) 7.0H([\d.]+)"/><circle cx="([\d.]+)"', row)
    for name, places in zip(models, lines, strict=True):
        numbers = ends[name].low, ends[name].high, content.models[name]["Acc"]
        for place, x in zip(map(float, places), numbers, strict=True):
            assert place == pytest.approx(MARGIN + (WIDTHS[2] - 2 * MARGIN) * (x - low) / (high - low), abs=0.06)
        assert f'aria-label="95 % interval {ends[name].low:.3f} to {ends[name].high:.3f}"' in row


def test_ends_of_intervals_are_written_where_one_model_leaves_room() -> None:
    y, models = scores(300, (2.5, 1.0))
    few = {"measures": ["Acc", "AUC"], "replicates": 50}
    assert 'aria-hidden="true">[' not in headline_table(Content.of(evaluated(y, models), **few))
    one = dict([*models.items()][:1])
    content = Content.of(evaluated(y, one), **few)
    [name] = one
    written = re.findall(r'aria-hidden="true">\[([\d.]+), ([\d.]+)\]<', headline_table(content))
    ends = content.intervals[name]
    assert (f"{ends['Acc'].low:.3f}", f"{ends['Acc'].high:.3f}") in written
    cells = re.findall("<td.*?</td>", headline_table(content))
    assert len(written) == sum("interval" in cell and "undefined" not in cell for cell in cells)
    bare = headline_table(Content.of(evaluated(y, one), intervals=False, **few))
    assert 'aria-hidden="true">[' not in bare


def test_of_many_models_those_that_were_tested_stand_below_each_other() -> None:
    y, models = scores(150, tuple(np.linspace(0.5, 2, 20)))
    content = Content.of(evaluated(y, models), replicates=10)
    html = headline_table(content)
    rows = re.findall(r'<tr( hidden)?><th scope="row">(.*?)</th>(.*?)</tr>', html)
    shown = [text(name) for hidden, name, _ in rows if not hidden]
    assert content.comparison is not None
    assert sorted(shown) == sorted(content.comparison.models)
    costs = [cheapest(y, models[name])[0] for name in shown]
    assert costs == sorted(costs)
    assert "8 of 20 models" in text(html)
    others = {text(name): cells for hidden, name, cells in rows if hidden}  # wait to be chosen
    assert {*others, *shown} == {*models}
    assert all("not tested against the best" in cells for cells in others.values())
    below = re.findall(r'<tr><th scope="row" data-sort="([^"]*)">', measures_table(content))
    assert below == [text(name) for _, name, _ in rows]  # one order on the page


def test_where_measures_stand_side_by_side_none_of_the_main_aspects_is_left_out() -> None:
    y, models = scores(150, tuple(np.linspace(0.5, 2, 9)))
    head = re.findall(r'data-measure="(.*?)"', headline_table(Content.of(evaluated(y, models), replicates=10)))
    assert head == ["Acc", "F1", "MCC", "AUC", "AP", "LogLoss", "ECE"]


def test_findings_of_one_kind_are_one_line_with_their_models() -> None:
    y, models = scores(400, (2.0, 1.9, 1.8))
    spoiled = {name: np.clip(p * 4 - 1.5, 0.001, 0.999) for name, p in models.items()}
    content = Content.of(evaluated(y, spoiled), replicates=20)
    kinds = {(f.severity, f.code) for _, f in content.remarks()}
    lines = re.findall("<li class=.*?</li>", findings(content))
    assert len(lines) == len(kinds) < len(content.remarks())
    for kind in kinds:
        about = [(who, f.words) for who, f in content.remarks() if (f.severity, f.code) == kind]
        said = [re.split(r"(?<=[.)]) (?=[A-Z])", words) for _, words in about]
        line = next(line for line in map(text, lines) if all(one in line for words in said for one in words))
        assert all(line.index(name) < line.index(said[0][0]) for who, _ in about for name in who)
        if len({words[-1] for words in said}) == 1:  # advice that all of them share is given once
            assert line.count(said[0][-1]) == 1


def test_models_with_the_same_finding_are_listed_as_people_do_and_all_of_them_once_it_is_open() -> None:
    y, models = scores(300, (2.0,))
    spoiled = np.clip(models["m0"] * 4 - 1.5, 0.001, 0.999)
    html = findings(Content.of(evaluated(y, {f"m{i}": spoiled for i in range(6)}), replicates=10))
    line = next(line for line in re.findall("<li class=.*?</li>", html) if "m0, m1" in line)
    closed, opened = line.split("</summary>")
    assert text(closed).endswith("m0, m1, m2, m3 and 2 more")
    assert text(opened).startswith("m0, m1, m2, m3, m4 and m5 ")


def test_methods_that_bear_names_are_written_with_a_capital() -> None:
    y, models = scores(2000, (1.0,))
    assert "Wilson" in method(Content.of(evaluated(y, models), replicates=20))


def test_one_model_alone_has_its_intervals_in_numbers() -> None:
    y, models = scores(300, (2.0,))
    content = Content.of(evaluated(y, models), replicates=50)
    ends = content.models["m0"].intervals(["Acc"], replicates=50)["Acc"]
    row = next(r for r in re.findall("<tr>.*?</tr>", headline_table(content)) if ">Accuracy&nbsp;<" in r)
    assert text(row).endswith(f"[{ends.low:.3f}, {ends.high:.3f}]")


@pytest.mark.parametrize("scale", [3e-7, 0.04, 1.0, 77.0, 1.3e9])
def test_the_slider_stands_at_numbers_that_can_be_typed_in(scale: float) -> None:
    """From the lowest to the highest score, in even steps but for a twentieth of one."""
    y = np.arange(90) % 2
    raw = scale * (np.random.default_rng(2).normal(size=90) + y)
    models = {name: karat.evaluate(y, y_score=x, positive=1).statistics for name, x in (("a", raw), ("b", raw + scale))}
    steps = thresholds(models)
    high = max(-float(raw.min()), float(raw.max()) + scale)
    low = -high  # a score of one of two classes is, with another sign, that of the other
    even = np.linspace(low, high, 101)
    assert (steps[0], steps[-1]) == (low, pytest.approx(high))
    assert np.abs(steps - even).max() <= 1.001 * (high - low) / 100 / 20
    assert max(len(f"{x:.15g}".strip("-").replace(".", "").strip("0")) for x in steps[1:-1]) <= 12
    proba = {"a": karat.evaluate(y, np.clip(0.5 + raw / scale / 9, 0, 1), positive=1).statistics}
    assert thresholds(proba).tolist() == [i / 100 for i in range(101)]


def test_columns_of_classes_are_called_as_people_call_them() -> None:
    e = karat.evaluate(np.arange(60) % 3, y_pred=np.where(np.arange(60) % 7, np.arange(60) % 3, 0))
    heads = re.findall(
        r'<th scope="col" data-kind="\w+"[^>]*><bdi class="name">(.*?)</bdi>',
        classes_table(Content.of({"a": e}, intervals=False)),
    )
    symbols = list(e.per_class().columns)[1:]
    called = {"TPR": "Recall", "PPV": "Precision"}
    titles = {m.symbol: m.title for m in karat.catalogue.measures.values()}
    assert heads == ["class", *(called.get(symbol, titles.get(symbol, symbol)) for symbol in symbols)]


def test_finalists_are_chosen_by_the_aspects_of_a_verdict() -> None:
    """Other measures have no say beside them; where there are none of them, all that have a better side decide."""
    rng = np.random.default_rng(6)
    models = {f"m{i}": karat.evaluate_matrix(rng.integers(1, 60, (2, 2)), positive=1) for i in range(14)}
    spoken = [m for m in karat.catalogue.measures.values() if m.symbol in ("MCC", "Acc")]
    others = [m for m in karat.catalogue.measures.values() if m.symbol in ("FPR", "TPR", "NPV", "Prev")]
    aspects = [m for m in spoken if m.symbol in ASPECTS.values()]
    assert aspects
    assert _finalists(models, (*aspects, *others)) == _finalists(models, (*aspects,))
    assert _finalists(models, (*others,)) != _finalists(models, (*aspects,))
    best = max(models, key=lambda name: models[name]["TPR"])
    assert best in _finalists(models, (*others,))
