"""The report as a text: what it holds, that no name can break it, how large it is; and that its script computes as
karat does."""

from __future__ import annotations

import json
import math
import re
import shutil
import subprocess
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from xml.dom import minidom

import numpy as np
import pytest

import karat
from commands import run
from karat.core.errors import InputError
from karat.core.words import interval
from karat.diagrams import ROI, CostCurve, DecisionCurve, PrecisionRecall, Reliability, ROCCurve
from karat.page import bundle
from karat.page.content import Content, affordable
from karat.page.json_numbers import embedded
from karat.page.mathml import mathml
from karat.page.payload import page_data
from karat.page.payload_curves import bends
from karat.statistics.roc_hull import Condition, lower_envelope, normalised_cost, slope_at

STATIC = Path(karat.__file__).parent / "page" / "static"
VOID = {"meta", "img", "br", "input", "link", "hr"}
HOSTILE = [
    '</script><img src=x onerror="window.stolen=1">',
    "\"quotes' & <b>bold</b>",
    "שלום مرحبا",
    "👩‍👩‍👧 emoji \ud800",
    "x" * 200,
    "constructor",
    "__proto__",
    "\u2028line\u2029",
    '=HYPERLINK("x")',
    "${title} {{x}} datum['name']",
]


@pytest.fixture(autouse=True)
def libraries_are_short(monkeypatch: pytest.MonkeyPatch) -> None:
    """The charts' libraries are not what is tested here, and take seconds to bundle."""
    monkeypatch.setattr(bundle, "charts", lambda: "window.vegaLite=0;")


def proba(y: Any, k: int, strength: float, seed: int = 0) -> Any:
    rng = np.random.default_rng(seed)
    z = rng.normal(size=(len(y), k))
    z[np.arange(len(y)), y] += strength
    e = np.exp(z)
    return e / e.sum(axis=1, keepdims=True)


def two(n: int = 300, models: int = 2) -> dict[str, karat.Evaluation]:
    y = np.random.default_rng(7).integers(0, 2, n)
    return {f"m{i}": karat.evaluate(y, proba(y, 2, 1 + i / 3, i)[:, 1]) for i in range(models)}


def three(n: int = 300) -> dict[str, karat.Evaluation]:
    y = np.random.default_rng(8).integers(0, 3, n)
    return {name: karat.evaluate(y, proba(y, 3, s, i)) for i, (name, s) in enumerate({"a": 1.5, "b": 1.0}.items())}


class Page(HTMLParser):
    """Reads a page as a browser would: elements with their attributes, text, and whether all are closed."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.texts: dict[str, list[str]] = {}
        self.unclosed = ""
        self.html = html
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID and not (self.open and "math" in self.open and tag == "mspace"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: Any) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.unclosed = self.unclosed or tag

    def handle_data(self, data: str) -> None:
        if self.open:
            self.texts.setdefault(self.open[-1], []).append(data)

    @property
    def data(self) -> Any:
        return json.loads(next(t for t in self.texts["script"] if t.startswith("{")))


def made(models: Any, **options: Any) -> Page:
    page = Page(karat.report(models, **{"replicates": 20} | options).html)
    assert not page.unclosed
    assert not page.open
    return page


def test_the_package_is_also_the_function(tmp_path: Path) -> None:
    found = karat.report(two(), tmp_path / "r.html", replicates=20)
    assert found.path == tmp_path / "r.html"
    assert (tmp_path / "r.html").read_text(encoding="utf-8") == found.html
    assert [p.name for p in tmp_path.iterdir()] == ["r.html"]  # nothing half-written is left
    assert "srcdoc" in found._repr_html_()


def test_the_page_allows_no_connection_and_only_its_own_scripts() -> None:
    page = made(two())
    rules = next(a["content"] for t, a in page.elements if t == "meta" and a.get("http-equiv"))
    assert rules is not None
    assert "default-src 'none'" in rules
    assert "connect-src 'none'" in rules
    script = re.search(r"script-src ([^;]*)", rules)
    assert script is not None
    assert "unsafe" not in script[1]
    assert script[1].count("'sha256-") == 2
    linked = [a for _, a in page.elements if "src" in a or "href" in a]
    assert all((a.get("href") or "").startswith("#") for a in linked)
    assert not [name for _, a in page.elements for name in a if name.startswith("on")]


def test_every_measure_stands_in_the_table_without_a_script() -> None:
    models = two()
    html = karat.report(models, replicates=20).html
    first, more = re.findall(r'<table class="measures.*?</table>', html, re.DOTALL)
    assert html.index(first) < html.index('<details class="more">') < html.index(more)
    rows = {unescape(row[0]): row for row in map(measure_row, re.findall(r'<tr><th scope="row".*?</tr>', first + more))}
    shown = [m for row in rows.values() for m in (row[1] or row[0]).split(" = ")]
    headline = models["m0"].keys()
    assert [unescape(title) for title, _, _ in map(measure_row, re.findall(r'<tr><th scope="row".*?</tr>', first))] == [
        karat.catalogue.measures[symbol].title for symbol in headline
    ]
    for symbol in (*headline, *karat.catalogue.papers):
        m = karat.catalogue.measures[symbol]
        assert symbol in shown or m.title in shown
    assert len(shown) == len(set(shown))
    area = karat.catalogue.measures["AUC"].title
    assert set(rows[area][1].split(" = ")) == {"AUC", "AU1U", "AU1P", "AUNU", "AUNP"}  # one number of two classes
    m = karat.catalogue.measures["MCC"]
    best = max(models, key=lambda name: models[name]["MCC"])
    (difference,) = (pair.differences["MCC"] for pair in karat.compare(models, replicates=20).pairs.values())
    cells = re.findall(r"<td([^>]*)>", rows[m.title][2])
    assert difference.p > 0.05  # so none of the two is marked as better
    assert [("best" in cell) for cell in cells] == [False, False]
    assert f"{models[best]['MCC']:.3f}" in rows[m.title][2]
    assert m.question.replace("'", "&#x27;") in rows[m.title][2]


def measure_row(row: str) -> tuple[str, str, str]:
    """Title, symbols and the rest of a row of the table."""
    title = re.search(r'<span class="symbol">(.*?)</span>', row)
    code = re.search(r'<span class="code">(.*?)</span>', row)
    assert title is not None
    return title[1], code[1] if code else "", row


def test_several_classes_keep_the_areas_apart() -> None:
    html = karat.report(three(), replicates=20).html
    areas = [karat.catalogue.measures[s] for s in ("AUNU", "AUNP", "AU1U", "AU1P")]
    for m in areas:
        assert f'<span class="symbol">{m.title}</span>' in html
        assert f'<span class="code">{m.symbol}</span>' in html or m.title == m.symbol


def test_probabilities_and_the_truth_have_a_page_without_being_evaluated() -> None:
    y = np.random.default_rng(7).integers(0, 2, 120)
    names = np.array(["fine", "sick"])[y]
    p, q = proba(y, 2, 1.0, 1), proba(y, 2, 2.0, 2)
    options: dict[str, Any] = {"replicates": 20, "intervals": False}
    given = karat.report({"a": p, "b": q}, names, positive="sick", **options).html
    both = {name: karat.evaluate(names, x, positive="sick") for name, x in {"a": p, "b": q}.items()}
    assert given == karat.report(both, **options).html
    one = karat.report(both["a"], **options).html
    assert "<title>Evaluation of model</title>" in one
    with pytest.raises(InputError, match=r"a is an evaluation, which has its own y_true; leave y_true out"):
        karat.report(both, names)
    with pytest.raises(InputError, match=r"a is an evaluation, which has its own positive; leave positive out"):
        karat.report(both, positive="sick")
    with pytest.raises(InputError, match=r"models is an ndarray; pass karat\.report\(\{'model': y_proba\}, y_true\)"):
        karat.report(p, names)
    with pytest.raises(
        InputError, match=r"a is an ndarray and y_true was not given; pass karat\.report\(models, y_true\)"
    ):
        karat.report({"a": p})
    with pytest.raises(InputError, match="no model was given"):
        karat.report({})


def test_the_path_may_stand_where_the_truth_would(tmp_path: Path) -> None:
    e = two()["m0"]
    options: dict[str, Any] = {"replicates": 20, "intervals": False}
    assert karat.report(e, tmp_path / "a.html", **options).path == tmp_path / "a.html"
    assert karat.report(e, str(tmp_path / "b.html"), **options).path == tmp_path / "b.html"
    assert karat.report(e, path=tmp_path / "c.html", **options).path == tmp_path / "c.html"
    y = np.arange(40) % 2
    assert karat.report({"a": proba(y, 2, 1.0)}, y, tmp_path / "d.html", **options).path == tmp_path / "d.html"
    with pytest.raises(InputError, match="y_true is the text"):
        karat.report(e, "e.html", "f.html")


def test_each_class_stands_in_a_table_of_its_own() -> None:
    models = three()
    html = karat.report(models, replicates=20).html
    part = html[html.index('<details class="classes">') :]
    recall = models["a"].per_class().columns["TPR"]
    for value in recall:
        assert f'<td data-sort="{value!r}">{value:.3f}</td>' in part
    assert '<details class="classes">' not in karat.report(two(), replicates=20).html


def test_intervals_in_the_table_are_those_of_the_evaluation() -> None:
    models = two()
    content = Content.of(models, replicates=50)
    ends = models["m0"].intervals(["MCC", "LogL"], replicates=50)
    for symbol in ("MCC", "LogL"):
        found = next(m for m in page_data(content)["measures"] if m["symbol"] == symbol)
        assert found["low"][0] == ends[symbol].low
        assert found["high"][0] == ends[symbol].high


def test_rejected_cases_are_counted() -> None:
    some = karat.evaluate([0, 1, 0, 1] * 5, y_pred=[0, 1, -1, 0] * 5, reject=-1)
    none = karat.evaluate([0, 1, 0, 1] * 5, y_pred=[0, 1, 1, 0] * 5)
    assert "20 cases, 5 of them rejected (25 %), 2 classes" in karat.report(some, replicates=50).html
    html = karat.report({"some": some, "none": none}, replicates=50).html
    assert re.search(r"20 cases \(rejected by <bdi[^>]*>some</bdi> 5\), 2 classes", html)


def test_intervals_that_may_miss_say_so() -> None:
    models = {"few": karat.evaluate(np.arange(90) % 6, proba(np.arange(90) % 6, 6, 2.0))}
    shown = [m.symbol for m in Content.of(models, intervals=False, replicates=10).rows()]  # one of equal numbers
    ends = models["few"].intervals(shown, replicates=100)
    doubtful = [symbol for symbol, found in ends.items() if "kinds of error are too few" in found.reason]
    assert 1 < len(doubtful) < len(ends)  # the case was made for that
    page = made(models, replicates=100)
    titles = [a.get("title") or "" for tag, a in page.elements if tag == "span" and a.get("class") == "interval"]
    assert sum("kinds of error are too few" in title for title in titles) == len(doubtful)
    assert sum("not available‡" in text for text in page.texts["span"]) == sum(math.isnan(i.low) for i in ends.values())
    (note,) = [text for text in page.texts["p"] if "kinds of error are too few" in text]
    titles = note.removeprefix("‡ ").split(":")[0].split("; ")
    assert set(titles) >= {karat.catalogue.measures[symbol].title for symbol in doubtful}


def test_notes_name_their_models_and_many_are_folded() -> None:
    y = np.arange(90) % 6
    p = {"one": proba(y, 6, 2.0), "two": proba(y, 6, 1.5)}
    few = {name: karat.evaluate(y, x) for name, x in p.items()}
    folded = made(few, replicates=100)
    told = [text for text in folded.texts["p"] if text.startswith(("† ", "‡ "))]
    assert len(told) > 3
    assert f"{len(told)} notes on values and intervals" in folded.texts["summary"]
    alone = [text for text in told if "kinds of error" in text]
    for name, x in p.items():
        errors = (x.argmax(axis=1) != y).sum()
        assert any(f" ({name}): {errors} errors among" in text for text in alone)
    assert not any("notes on values" in text for text in made({"one": few["one"]}, replicates=100).texts["summary"])


def test_the_verdict_is_that_of_the_comparison() -> None:
    y = np.random.default_rng(1).integers(0, 2, 800)
    good = karat.evaluate(y, proba(y, 2, 3.0)[:, 1])
    page = made({"good": good, "bad": karat.evaluate(y, proba(y, 2, 0.5)[:, 1])}, replicates=200)
    c = karat.compare({"good": good, "bad": karat.evaluate(y, proba(y, 2, 0.5)[:, 1])}, replicates=200)
    d = c["good", "bad"]["LogLoss"]
    assert d.better == "good"
    low, high = sorted((-d.low, -d.high))  # lower is better: ahead by the difference turned round
    rows = {row[0]: row[1:] for row in verdict_rows(page.html)}
    assert list(rows) == ["Class predictions", "Ranking", "Probabilities", "Calibration"]
    assert rows["Probabilities"] == [
        f"{karat.catalogue.measures['LogLoss'].title} {good['LogLoss']:.3f}",
        "good",
        f"{-d.difference:.3f} [{low:.3f}, {high:.3f}]",
        "< 0.001",
        "none: significantly better",
    ]
    same = made({"one": good, "two": karat.evaluate(y, proba(y, 2, 3.0, 1)[:, 1])}).html
    assert {row[5] for row in verdict_rows(same)} <= {"one", "two"}


def verdict_rows(html: str) -> list[list[str]]:
    """The cells of the table of the verdict."""
    table = re.search(r'<table class="verdict">.*?</table>', html, re.DOTALL)
    assert table is not None
    rows = re.findall(r"<tr class=.*?</tr>", table[0])
    return [[unescape(re.sub("<[^>]*>", "", cell)) for cell in re.split("</t[hd]>", row)[:-1]] for row in rows]


def test_measures_that_the_catalogue_does_not_list_stand_on_the_page() -> None:
    page = made(two(), measures=[karat.macro("F1"), "MCC"])
    assert [m["symbol"] for m in page.data["measures"]] == ["macro(F1)", "MCC"]
    assert page.data["rankings"]["measures"] == ["macro(F1)", "MCC"]


def test_the_page_says_what_was_done(monkeypatch: pytest.MonkeyPatch) -> None:
    """As many replicates as were asked for are not few; a test is called by its name."""
    models, chosen = two(), ["MCC", "Acc", "AUC", "MSE"]

    def said(models: Any, **options: Any) -> str:
        return " ".join(unescape(karat.report(models, **options).html).split())

    asked = said(models, measures=chosen, replicates=200)
    assert "With so many cases" not in asked
    c = karat.compare(models, measures=chosen, replicates=200)
    exact, t = (c["m0", "m1"][symbol].method for symbol in ("Acc", "MCC"))
    assert exact != t
    assert f"Compared by {t} for MCC, AUC and MSE, {exact} for Acc. {c.corrections} Cases were paired by row" in asked
    compared: dict[str, Any] = {"measures": chosen, "replicates": 50}
    for options in ({"test": "permutation"}, {"groups": np.arange(300) // 3}, {"test": "bootstrap"}):
        c = karat.compare(models, **options, **compared)
        (method,) = {d.method for d in c["m0", "m1"].differences.values()}
        assert f"Compared by {method}. {c.corrections}" in said(c, replicates=20)
    monkeypatch.setattr("karat.page.content.DRAWS", 30_000)
    assert "some measures were resampled only 100 times" in said(models, measures=chosen)


def test_the_verdict_says_which_model_to_use_when() -> None:
    models = two(500, 3)
    found = karat.dominance(models, replicates=200)
    html = karat.report(models, replicates=20).html
    row = html[html.index('<p class="when">') :]
    text = re.sub("<[^>]*>", "", row[: row.index("</p>")])
    assert found.borders
    for border in found.borders:  # with equal costs the probability cost is the prevalence
        assert re.search(rf"up to (a prevalence of )?{re.escape(interval(border.pc, border.low, border.high))}", text)
    for name in found.nowhere:
        assert name in text[text.index("Never: ") :]


def test_of_many_models_the_best_of_each_aspect_is_among_those_that_are_tested() -> None:
    models = two(150, 20)
    content = Content.of(models, intervals=False, replicates=10)
    assert content.comparison is not None
    assert len(content.comparison.models) == 8
    for symbol in ("MCC", "AUNU", "LogL", "ECE"):
        assert set(content.best(karat.catalogue.measures[symbol])) & set(content.comparison.models)


@pytest.mark.parametrize("classes", [True, False])
def test_hostile_names_are_only_text(classes: bool) -> None:
    y = np.arange(200) % len(HOSTILE)
    if classes:
        e = karat.evaluate([HOSTILE[j] for j in y], proba(y, len(HOSTILE), 1.0), labels=HOSTILE)
        page = made({"a": e}, intervals=False)
    else:
        z = y % 2
        page = made({name: karat.evaluate(z, proba(z, 2, 1 + i / 9, i)[:, 1]) for i, name in enumerate(HOSTILE)})
    assert not [t for t, _ in page.elements if t in ("img", "b", "iframe")]
    assert [t for t, _ in page.elements].count("script") == 3
    seen = page.data["classes"] if classes else [m["name"] for m in page.data["models"]]
    assert seen == [name.encode("utf-8", "replace").decode() for name in HOSTILE]


def test_embedded_data_ends_no_element_and_comes_back() -> None:
    data = {"a": [HOSTILE[0], HOSTILE[7], "<!--", "]]>", 1.5, None]}
    text = embedded(data)
    assert not set("<>&\u2028\u2029") & set(text)
    assert json.loads(text) == data


def test_the_size_does_not_grow_with_the_cases() -> None:
    sizes = {n: len(karat.report(two(n), intervals=False, replicates=10).html) for n in (2_000, 200_000)}
    assert sizes[200_000] < 1.6 * sizes[2_000]
    assert sizes[200_000] < 1_500_000


def test_a_hundred_models_stay_small() -> None:
    html = karat.report(two(200, 100), intervals=False, replicates=10).html
    assert len(html) < 4_000_000
    with pytest.raises(InputError, match="at most 100"):
        karat.report(two(50, 101))


def test_the_maps_of_all_models_have_one_order_of_classes() -> None:
    rng = np.random.default_rng(5)
    y = rng.integers(0, 6, 600)
    models = {}
    for i in range(3):
        p = proba(y, 6, 1.0, i)
        p[:, [i, i + 3]] = p[:, [i, i + 3]].mean(axis=1, keepdims=True)  # each mixes up other classes
        models[f"m{i}"] = karat.evaluate(y, p / p.sum(axis=1, keepdims=True))
    maps = page_data(Content.of(models, intervals=False, replicates=10))["confusion"]
    assert len(maps) == 6
    assert len({tuple(m["rows"]) for m in maps}) == 1
    assert sorted(maps[0]["rows"]) == list(range(6))
    for m in maps[::2]:
        rows = m["rows"]
        scores = np.asarray(models[f"m{m['model']}"].statistics.source.scores)[0]
        decided = scores.argmax(axis=1)
        assert m["cells"] == [[int(((y == i) & (decided == j)).sum()) for j in rows] for i in rows]
        assert m["outputs"] == [str(j) for j in rows]


def test_bands_are_those_of_the_diagrams_thinned() -> None:
    models = two(400)
    data = page_data(Content.of(models, replicates=20))
    (rest,) = data["rest"]
    for i, e in enumerate(models.values()):
        band = ROCCurve.of(e.statistics, positive=1, band=0.95, replicates=200).band
        found = rest["bands"]["roc_curve"][i]
        assert found["model"] == i
        assert 30 <= len(found["x"]) <= 60
        assert [found["x"][0], found["x"][-1]] == [0, 1]
        assert found["low"] == pytest.approx(np.interp(found["x"], band.at, band.low).tolist(), abs=1e-3)
        assert found["high"] == pytest.approx(np.interp(found["x"], band.at, band.high).tolist(), abs=1e-3)
        d = Reliability.of(e.statistics, positive=1, band=0.95, replicates=200)
        found = rest["bands"]["reliability"][i]
        assert len(d.curve[0]) <= 60  # so that all places are carried
        assert found["x"] == pytest.approx(d.curve[0].tolist(), rel=1e-3)
        assert found["low"] == pytest.approx(d.band[0].tolist(), abs=1e-4)
        assert found["high"] == pytest.approx(d.band[1].tolist(), abs=1e-4)
        assert found["ticks"][1] == pytest.approx(d.refinement[1].tolist(), rel=1e-2)
    assert page_data(Content.of(models, intervals=False, replicates=10))["rest"][0]["bands"] == {}
    assert page_data(Content.of(two(100, 5), replicates=10))["rest"][0]["bands"] == {}
    weighted = karat.evaluate([0, 1] * 20, np.arange(40) / 40, sample_weight=1 + np.arange(40) / 7)
    bands = page_data(Content.of(weighted, replicates=10))["rest"][0]["bands"]
    assert [len(bands[name]) for name in ("roc_curve", "reliability")] == [1, 0]  # a consistency band needs whole cases
    alone = karat.evaluate([0, 1, 1, 1], [0.1, 0.9, 0.8, 0.7])
    assert page_data(Content.of(alone, replicates=10))["rest"][0]["bands"]["roc_curve"] == []


def test_of_many_classes_some_have_bands() -> None:
    y = np.arange(300) % 10
    models = {name: karat.evaluate(y, proba(y, 10, 1.0, i), positive=9) for i, name in enumerate("abc")}
    rest = page_data(Content.of(models, replicates=10))["rest"]
    assert [k["class"] for k in rest if k["bands"]] == [0, 1, 2, 9]
    assert sum(len(b) for k in rest for b in k["bands"].values()) == 24


def test_the_hull_is_exact_and_the_curve_lies_on_it_or_below() -> None:
    models = two(400)  # of more cases thresholds are rounded: see the next test
    rest = page_data(Content.of(models, intervals=False, replicates=10))["rest"][0]
    for series, e in zip(rest["models"], models.values(), strict=True):
        t = e.statistics.table_of_class(1)
        assert [series["tp"][i] for i in series["hull"]] == t.true_positives[t.hull].tolist()
        assert [series["fp"][i] for i in series["hull"]] == t.false_positives[t.hull].tolist()
        assert [series["threshold"][i] for i in series["hull"][1:]] == t.thresholds[t.hull][1:].tolist()
        assert series["threshold"][0] is None
        for step in (0, 37, 50, 100):
            taken = np.asarray(e.statistics.source.scores)[0, :, 1] >= step / 100  # the threshold slider counts exactly
            truth = np.asarray(e.statistics.source.truth)[0] == 1
            assert series["grid"]["tp"][step] == (taken & truth).sum()
            assert series["grid"]["fp"][step] == (taken & ~truth).sum()


def test_rounded_thresholds_cost_next_to_nothing_whatever_errors_cost() -> None:
    models = two(20_000)
    rest = page_data(Content.of(models, intervals=False, replicates=10))["rest"][0]
    pc = np.linspace(0, 1, 201)[:, None]
    digits = []
    for series, e in zip(rest["models"], models.values(), strict=True):
        t = e.statistics.table_of_class(1)
        fpr, tpr = (np.asarray(series[key])[series["hull"]] / rest[of] for key, of in (("fp", "rest"), ("tp", "own")))
        least = (pc * (1 - t.rates[1]) + (1 - pc) * t.rates[0]).min(axis=1)
        found = (pc * (1 - tpr) + (1 - pc) * fpr).min(axis=1)
        assert (found >= least - 1e-12).all()
        assert (found <= 1.005 * least + 1e-12).all()
        digits += [len(text.removeprefix("0.").lstrip("0")) for text in series["cuts"]]
    assert np.median(digits) <= 4


@pytest.mark.parametrize(
    ("models", "ids", "sentence"),
    [
        (
            lambda y: {"a": karat.evaluate(y, y_pred=1 - y), "b": karat.evaluate(y, y_pred=y)},
            0,
            "only predicted labels",
        ),
        (lambda y: {"a": karat.evaluate_matrix([[9, 2], [3, 7]], positive=1)}, 0, "only confusion matrices"),
        (lambda y: {"a": karat.evaluate(y, y_score=y + np.arange(len(y)), positive=1)}, 1, "need class predictions"),
    ],
)
def test_what_can_not_be_had_is_left_out_with_a_sentence(models: Any, ids: int, sentence: str) -> None:
    y = np.arange(60) % 2
    page = made(models(y))
    assert sentence in " ".join(page.texts["p"])
    why = models(y)["a"].undefined_because("MSE")
    assert re.search(f"{karat.catalogue.measures['MSE'].title}.*: {re.escape(why)}", " ".join(page.texts["p"]))
    curves = {panel["id"] for panel in page.data["rest"][0]["panels"]} - {"roc_graph", "cost_lines"}
    assert not curves or ids
    assert page.data["rest"][0]["discrimination"] == [None] * len(page.data["models"])


@pytest.mark.parametrize(
    "models",
    [
        lambda y: karat.evaluate(y, proba(y, 2, 1.0)[:, 1], sample_weight=1 + np.arange(len(y)) / 7),
        lambda y: karat.evaluate(np.array(["u", "v"])[y], proba(y, 2, 1.0), labels=["u", "v"]),
        lambda y: {"one class": karat.evaluate([1] * 20, [0.9] * 20, labels=[0, 1])},
        lambda y: karat.evaluate(y.astype(str), y_pred=["?", *map(str, y[1:])], reject="?", positive="1"),
        lambda y: karat.compare(two(), replicates=20),
        lambda y: karat.evaluate_matrix([[5, 1, 1], [0, 6, 2]]),
    ],
)
def test_unusual_models_have_a_page(models: Any) -> None:
    page = made(models(np.arange(80) % 2))
    assert page.data["models"]


def test_rejected_cases_are_counted_in_the_heading_and_said_to_be_neither() -> None:
    y = ["well"] * 8 + ["sick"] * 4
    a = karat.evaluate(y, y_pred=["well"] * 6 + ["?"] * 3 + ["sick"] * 3, reject="?", positive="sick")
    b = karat.evaluate(y, y_pred=["well"] * 8 + ["sick"] * 4, reject="?", positive="sick")
    page = made({"a": a})
    heading = next(i for i, (t, at) in enumerate(page.elements) if t == "p" and at.get("class") == "subject")
    assert heading
    assert "12 cases, 3 of them rejected (25 %)" in " ".join(page.texts["p"])
    assert made({"a": a, "b": b}).data["rejected"] == [3, 0]
    assert "(rejected by " in " ".join(made({"a": a, "b": b}).texts["p"])
    assert "rejected" not in " ".join(made(two()).texts["p"])


def test_very_many_classes_have_a_page_without_resampling(monkeypatch: pytest.MonkeyPatch) -> None:
    assert affordable(1000, 5000, 1000) == 0
    assert affordable(1000, 1_000_000, 2) == 100
    assert affordable(1000, 10_000, 2) == 1000
    monkeypatch.setattr("karat.page.content.CELLS", 1000)
    y = np.arange(300) % 60
    page = made({"a": karat.evaluate(y, proba(y, 60, 3.0))}, replicates=1000)
    assert "There are no intervals" in " ".join(page.texts["p"])
    assert len(page.data["rest"]) == 30
    assert len(page.data["confusion"][0]["cells"]) == 30


def test_refusals() -> None:
    e = two()["m0"]
    with pytest.raises(InputError, match="a is a list and y_true was not given"):
        karat.report({"a": [1, 2]})
    with pytest.raises(InputError, match="models is a list; pass"):
        karat.report([e])
    with pytest.raises(InputError, match="written the same way"):
        karat.report({1: e, "1": e})
    with pytest.raises(InputError, match=r"there is no folder '/nowhere/at/all' for r\.html; create it first"):
        karat.report(e, "/nowhere/at/all/r.html")
    with pytest.raises(InputError, match="different y_true"):
        karat.report({"a": e, "b": karat.evaluate([0, 1] * 150, [0.5] * 300)})


def test_models_that_differ_by_rounding_alone_are_both_best() -> None:
    m = karat.catalogue.measures["MCC"]
    values = {"a": 0.1 + 0.2, "b": 0.3, "c": 0.3 - 1e-9, "d": math.nan}
    models = {name: SimpleNamespace(value_or_nan=lambda _, value=value: value) for name, value in values.items()}
    assert 0.1 + 0.2 != 0.3
    assert Content.best(SimpleNamespace(models=models), m) == ["a", "b"]  # type: ignore[arg-type]


def test_every_formula_becomes_mathml() -> None:
    declared = karat.catalogue.measures
    others = [declared["partAUC"].at(max_fpr=0.5), declared["EC"].at(cost=[[0, 10], [10, 0]])]
    averages = [
        average(m) for m in (declared["F1"], others[0]) for average in (karat.macro, karat.weighted, karat.micro)
    ]
    for m in [*declared.values(), *others, *averages]:
        tree = minidom.parseString(mathml(m.formula))
        shown = "".join(t.data for t in _texts(tree.getElementsByTagName("mrow")[0]))
        assert "\\" not in shown, m.symbol
    assert averages[0].formula == r"\frac{1}{c'}\sum_{j \in J} \text{F1}_j"
    assert "<mtext>partAUC with max_fpr=0.5</mtext>" in mathml(others[0].formula)
    made = mathml(r"\frac{a}{b}_2")
    assert "<msub><mfrac><mrow><mi>a</mi></mrow><mrow><mi>b</mi></mrow></mfrac><mn>2</mn></msub>" in made


def _texts(node: Any) -> list[Any]:
    return [node] if node.nodeType == node.TEXT_NODE else [t for child in node.childNodes for t in _texts(child)]


# ------------------------------------------------------------------------------------------- the page's script


class Script:
    """Asks the page's own functions, in node."""

    def __init__(self, *files: str) -> None:
        if shutil.which("node") is None:
            pytest.skip("there is no node to ask the script with (the page's own tests ask it in a browser)")
        self.files = [str(STATIC / name) for name in files]

    def __call__(self, code: str, **given: Any) -> Any:
        """The value of an expression; `given` are its variables, and each file's functions are in scope."""
        lines = [f"require({json.dumps(file)});" for file in self.files]
        lines += [f"const {name} = {json.dumps(value)};" for name, value in given.items()]
        lines += ["const C = globalThis.karatConditions, P = globalThis.karatPoints;"]
        lines += [
            f"console.log(JSON.stringify({code}, (k, v) => typeof v === 'number' && !isFinite(v) ? String(v) : v));"
        ]
        out = subprocess.run(["node", "-"], input="\n".join(lines), capture_output=True, text=True, timeout=60)
        assert out.returncode == 0, out.stderr
        return json.loads(out.stdout)


@pytest.fixture(scope="module")
def script() -> Script:
    names = ("names", "conditions", "charts", "shapes", "maps", "points", "bands", "classes", "details", "panels")
    return Script(*(f"{name}.js" for name in names))


CONDITIONS = [
    {"prevalence": p, "alarm": a, "miss": m, "hit": h, "pass": g}
    for p, a, m, h, g in [
        (0.3, 1, 1, 0, 0),
        (0.01, 1, 50, 0, 0),
        (0.5, 6.5, 1, 0, 0),
        (0.2, 0.5, 2, 3, 0.25),
        (0.9, 1, 0, 1, 0),
    ]
]


def priced(c: dict[str, float]) -> list[list[float]]:
    """Costs by truth and decision, gains negative."""
    return [[-c["pass"], c["alarm"]], [c["miss"], -c["hit"]]]


def test_the_legend_of_a_file_tells_long_names_apart() -> None:
    names = [f"gradient boosting with a name that has no end of its own, the {i}" for i in range(3)]
    code = (
        "karatExports.alone({ layer: [{ encoding: { color: { field: 'model', scale: {} } } }], datasets: {} }, "
        "{ title: '', caption: '', facts: () => '', models }, "
        "{ order: [2, 0, 1], shown: new Set([0, 1, 2]) }, models, 500)"
        ".layer[0].encoding.color.legend.values"
    )
    found = Script("names.js", "charts.js", "shapes.js", "maps.js", "exports.js")(
        code, models=[{"name": n} for n in names]
    )
    assert [text[-5:] for text in found] == ["the 2", "the 0", "the 1"]
    assert all("…" in text and len(text) <= 36 for text in found)


def test_probability_cost_and_normalised_cost(script: Script) -> None:
    rng = np.random.default_rng(3)
    fpr, tpr = rng.random(5), rng.random(5)
    code = (
        "cs.map((c, i) => [C.probabilityCost(c), C.slopeAt(C.probabilityCost(c)), "
        "C.normalisedCost(f[i], t[i], C.probabilityCost(c)), C.prevalenceAt(C.probabilityCost(c), c)])"
    )
    found = script(code, cs=CONDITIONS, f=fpr.tolist(), t=tpr.tolist())
    for c, (pc, slope, cost, prevalence), x, y in zip(CONDITIONS, found, fpr, tpr, strict=True):
        expected = Condition(c["alarm"] + c["pass"], c["miss"] + c["hit"], c["prevalence"])
        assert pc == pytest.approx(expected.pc, abs=1e-15)
        assert slope == pytest.approx(slope_at(expected.pc))
        assert cost == pytest.approx(float(normalised_cost(x, y, expected.pc)))
        assert prevalence == pytest.approx(c["prevalence"])


def test_the_best_threshold_is_karats(script: Script) -> None:
    models = two(400)
    data = json.loads(embedded(page_data(Content.of(models, intervals=False, replicates=10))))
    state = [{**c, "rest": 0, "mode": "best", "step": 0, "cases": 400} for c in CONDITIONS]
    code = "s.map((s) => P.operating(P.rated(d)[0], {...s, shown: new Set([0, 1])}))"
    for c, points in zip(CONDITIONS, script(code, d=data, s=state), strict=True):
        for point, e in zip(points, models.values(), strict=True):
            best = e.operating(cost=priced(c), prior=[1 - c["prevalence"], c["prevalence"]]).threshold
            assert best is not None
            assert point["cost"] == pytest.approx(best.cost, abs=1e-12)
            table = np.array(best.matrix)
            ties = best.ties > 0
            assert ties or point["tpr"] == pytest.approx(table[1, 1] / table[1].sum())
            assert ties or point["threshold"] is None or point["threshold"] == best.threshold
            restated = e.at_prevalence(c["prevalence"])
            assert point["share"] * point["precision"] == pytest.approx(c["prevalence"] * point["tpr"])
            assert restated.n == 400


def test_the_page_words_thresholds_as_the_terminal_does(script: Script) -> None:
    y = np.array([0, 0, 0, 0, 1, 1, 1, 0] * 5)
    p = np.array([0.2, 0.4, 0.99999, 0.9999999995, 0.99999999963, 0.9999999999, 1.0, 0.03] * 5)
    models = two(400) | {"sharp": karat.evaluate(y, p)}
    for name in ("m0", "m1", "sharp"):
        data = json.loads(embedded(page_data(Content.of({name: models[name]}, intervals=False, replicates=10))))
        state = {**CONDITIONS[0], "prevalence": float((data["rest"][0]["own"]) / data["n"])}
        code = "P.operating(P.rated(d)[0], {...s, rest: 0, mode: 'best', shown: new Set([0])})[0].cut"
        best = models[name].operating().threshold
        assert best is not None
        assert script(code, d=data, s=state) in best.rule.split()
    rest = data["rest"][0]["models"][0]
    for tp, cut in zip(rest["tp"], rest["threshold"], strict=True):
        assert tp == (0 if cut is None else ((p >= cut) & (y == 1)).sum())


def test_the_rule_names_the_class_that_is_looked_for(script: Script) -> None:
    rule = "[[0, 0], [1, 1], [0.2, 0.7]].map(([fpr, tpr]) => P.rule({fpr, tpr, cut: '0.53'}, true, 'sick'))"
    assert script(rule) == ["never predict sick", "always predict sick", "predict sick from 0.53 on"]
    assert script("[P.trivial(C.NEVER, 'sick'), P.trivial('forest', 'sick')]") == ["never predict sick", "forest"]
    shown = [karat.catalogue.diagrams[n].shows for n in ("roc_curve", "precision_recall", "lift", "threshold_curve",
                                                         "lift_by_decile", "decision_curve")]  # fmt: skip
    told = script("shown.map((t) => P.about(t, '$& sick'))", shown=shown)
    assert not [text for text in told if re.search("(?<!false )positive", text)]
    assert "cases of $& sick" in told[0]
    assert script("P.about('cases predicted positive', 'sick')") == "cases predicted as sick"
    assert script("[P.spoken('x'.repeat(99)).length, P.spoken(name)]", name=HOSTILE[2]) == [
        24,
        f"\u2068{HOSTILE[2]}\u2069",
    ]


def test_rejected_cases_count_as_not_the_class_at_an_operating_point(script: Script) -> None:
    y = ["well"] * 8 + ["sick"] * 4
    e = karat.evaluate(y, y_pred=["well"] * 5 + ["?"] * 2 + ["sick", "?"] + ["sick"] * 3, reject="?", positive="sick")
    data = json.loads(embedded(page_data(Content.of({"a": e}, intervals=False, replicates=10))))
    state = {**CONDITIONS[0], "prevalence": 1 / 3, "rest": 0, "mode": "best", "step": 0, "cases": 12}
    code = (
        "[P.operating(P.rated(d)[0], {...s, shown: new Set([0])})].map((p) => [p[0].cost, C.undecided(p, [3], 'sick')])"
    )
    ((cost, said),) = script(code, d=data, s=state)
    assert cost == pytest.approx(2 / 12)  # one false alarm, and one sick case that was not decided
    assert said == (
        "Rejected cases (3 of a) count as not predicted as sick here: a rejected case of sick is a false negative "
        "(missed), any other costs nothing."
    )
    assert script("C.undecided([{at: 0, name: 'a', scored: true}], [3], 'sick')") == ""
    priced = e.operating()["as decided"].cost
    assert priced == pytest.approx(4 / 12)  # below, the two rejected ones that are well cost 1 each, too


def test_a_threshold_for_all_decides_as_karat_does(script: Script) -> None:
    models = two(400)
    data = json.loads(embedded(page_data(Content.of(models, intervals=False, replicates=10))))
    state = {**CONDITIONS[3], "rest": 0, "mode": "threshold", "step": 30, "cases": 1000}
    points = script("P.operating(P.rated(d)[0], {...s, shown: new Set([0, 1])})", d=data, s=state)
    for point, e in zip(points, models.values(), strict=True):
        p = np.asarray(e.statistics.source.scores)[0, :, 1]
        y = np.asarray(e.statistics.source.truth)[0]
        decided = karat.evaluate(y, y_pred=(p >= 0.3).astype(int), labels=[0, 1]).at_prevalence(0.2)
        assert point["precision"] == pytest.approx(decided["PPV"])
        assert point["tpr"] == pytest.approx(decided["TPR"])
        ec = karat.catalogue.measures["EC"].at(cost=priced(CONDITIONS[3]))
        assert point["cost"] == pytest.approx(decided[ec])
        assert point["profit"] == pytest.approx(-1000 * decided[ec])


def test_curves_of_cost_precision_benefit_and_profit(script: Script) -> None:
    e = two(300)["m1"]
    t = e.statistics.table_of_class(1)
    fpr, tpr = t.rates
    points = [{"fpr": x, "tpr": y, "threshold": 0} for x, y in zip(fpr.tolist(), tpr.tolist(), strict=True)]
    c = CONDITIONS[3]
    cost = CostCurve.compute(t)
    found = script("C.costCurve(p)", p=[points[i] for i in t.hull])
    assert sorted({x["pc"] for x in found}) == pytest.approx(np.unique(cost.pc).tolist())
    assert [x["cost"] for x in found] == pytest.approx(np.interp([x["pc"] for x in found], cost.pc, cost.cost).tolist())
    pr = PrecisionRecall.compute(t, prevalence=c["prevalence"])
    found = script("p.map((p) => C.precision(p.fpr, p.tpr, 0.2))", p=points)
    assert found[0] == "NaN"
    assert found[1:] == pytest.approx(pr.precision[1:].tolist())
    roi = ROI.compute(t, tp=c["hit"], fp=-c["alarm"], fn=-c["miss"], tn=c["pass"], cases=5000, prevalence=0.2)
    found = script("p.map((p) => [C.reached(p.fpr, p.tpr, 0.2), C.profit(p.fpr, p.tpr, c, 5000)])", p=points, c=c)
    assert [x for x, _ in found] == pytest.approx(roi.contacted.tolist())
    assert [y for _, y in found] == pytest.approx(roi.profit.tolist())
    curve = DecisionCurve.compute(t, points=101, prevalence=0.2)
    at = len(t.scores) - np.searchsorted(t.scores, curve.threshold, "left")
    asked = [{**points[i], "threshold": x} for i, x in zip(at, curve.threshold.tolist(), strict=True)]
    found = script("p.map((p) => C.netBenefit(p.fpr, p.tpr, 0.2, p.threshold))", p=asked)
    assert found == pytest.approx(curve.benefit.tolist())


def test_precision_recall_bends_as_the_diagram_does(script: Script) -> None:
    t = two(60)["m0"].statistics.table_of_class(1)
    points = [{"fpr": x, "tpr": y, "threshold": 0} for x, y in zip(*(r.tolist() for r in t.rates), strict=True)]
    pr = PrecisionRecall.compute(t)
    found = script("P.precisionRecall(p, v)", p=points, v=float(t.prevalence))
    assert found[0]["y"] == pytest.approx(pr.curve[1][0])
    tp, fp = t.true_positives, t.false_positives
    for point in found[1:]:  # false positives are linear in true positives between thresholds
        i = int(np.searchsorted(tp, point["x"] * tp[-1] - 1e-9))
        if tp[i] == tp[i - 1] or abs(point["x"] * tp[-1] - tp[i]) < 1e-9:
            continue
        x = point["x"] * tp[-1]
        alarms = fp[i - 1] + (fp[i] - fp[i - 1]) * (x - tp[i - 1]) / (tp[i] - tp[i - 1])
        assert point["y"] == pytest.approx(x / (x + alarms))


def test_who_reigns_where(script: Script) -> None:
    models = two(500, 4)
    expected = karat.dominance(models, replicates=0)
    points = []
    for name, e in models.items():
        t = e.statistics.table_of_class(1)
        x, y = (r[t.hull].tolist() for r in t.rates)
        points.append({"name": name, "points": [{"fpr": a, "tpr": b} for a, b in zip(x, y, strict=True)]})
    found = script("C.reigns(m)", m=points)
    assert [tuple(r["best"]) for r in found] == [best for _, _, best in expected.regions]
    assert [r["from"] for r in found] == pytest.approx([start for start, _, _ in expected.regions])
    assert [r["to"] for r in found] == pytest.approx([end for _, end, _ in expected.regions])


def test_the_lower_envelope(script: Script) -> None:
    rng = np.random.default_rng(5)
    for _ in range(3):
        lines = rng.integers(0, 8, (30, 2)) / 7
        breaks, which = lower_envelope(lines)
        found = script("C.lowerEnvelope(l)", l=lines.tolist())
        assert found["breaks"] == pytest.approx(breaks.tolist())
        assert lines[found["which"]].tolist() == lines[which].tolist()


def test_costs_of_every_kind_of_error(script: Script) -> None:
    models = three()
    cost, prior = [[0, 1, 5], [2, -1, 0.5], [4, 1, 0]], [0.5, 0.3, 0.2]
    for e in models.values():
        table = e.matrix().columns
        cells = np.array([list(map(float, table[str(c)])) for c in e.classes]).T.tolist()
        found = script("[C.expectedCostOf(t, c, p), C.bestConstant(c, p).cost]", t=cells, c=cost, p=prior)
        expected = e.operating(cost=cost, prior=prior)
        assert found == pytest.approx([expected["as decided"].cost, expected["always the same"].cost])
    assert script("C.withShare([0.5, 0.3, 0.2], 1, 0.65)") == pytest.approx([0.25, 0.65, 0.1])
    assert script("C.expectedCostOf([[0, 0], [1, 1]], [[0, 1], [1, 0]], [0.5, 0.5])") == "NaN"


# ------------------------------------------------------------------------------------------- the command line


def test_the_command_writes_a_page(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    for name in ("one", "two"):
        rows = [f"{i % 2},{p:.3f}" for i, p in enumerate(rng.random(60))]
        (tmp_path / f"{name}.csv").write_text("\n".join(["y_true,p_1", *rows]) + "\n")
    out = tmp_path / "page.html"
    words = ["report", str(tmp_path / "one.csv"), str(tmp_path / "two.csv"), "-o", str(out), "--replicates", "20"]
    assert str(out) in run(*words, "--title", "My <models>")
    page = Page(out.read_text(encoding="utf-8"))
    assert page.texts["title"] == ["My <models>"]
    assert [m["name"] for m in page.data["models"]] == ["one", "two"]


def test_the_libraries_are_kept_and_a_torn_copy_is_made_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    import vl_convert

    monkeypatch.setenv("KARAT_CACHE", str(tmp_path / "cache"))
    calls = []
    monkeypatch.setattr(vl_convert, "javascript_bundle", lambda: calls.append(1) or "x;window.vegaLite=y;")
    assert not bundle.ready()
    assert bundle.charts() == bundle.charts() == "x;window.vegaLite=y;"
    assert len(calls) == 1
    assert bundle.ready()
    (kept,) = (tmp_path / "cache").iterdir()
    kept.write_text("x;win")
    assert bundle.charts() == "x;window.vegaLite=y;"
    assert len(calls) == 2
    monkeypatch.setenv("KARAT_CACHE", str(kept / "no folder"))  # nowhere to keep it
    assert bundle.charts() == "x;window.vegaLite=y;"
    assert math.isclose(len(calls), 3)


def test_a_notebook_shows_diagrams_evaluations_and_comparisons() -> None:
    mpl = pytest.importorskip("matplotlib")
    mpl.use("Agg")
    import matplotlib.pyplot as plt

    models = two()
    open_before = plt.get_fignums()
    shown = models["m0"].diagram("roc_curve")._repr_mimebundle_()
    assert "<svg" in shown["image/svg+xml"]
    several = karat.catalogue.diagrams["roc_curve"].of_models({name: e.statistics for name, e in models.items()})
    assert "<svg" in several._repr_mimebundle_()["image/svg+xml"]
    assert plt.get_fignums() == open_before
    drawn = models["m0"].diagram("lift").plot()
    assert list(drawn._repr_mimebundle_()) == ["text/plain"]  # it is on display already
    plt.close(drawn.figure_)
    assert models["m0"]._repr_html_().startswith("<table")
    assert "<table" in karat.compare(models, replicates=10)._repr_html_()


def test_decisions_are_points_of_the_roc_graph_and_lines_of_cost() -> None:
    y, p = [0, 0, 0, 1, 1, 1], [0.1, 0.2, 0.7, 0.6, 0.8, 0.3]
    data = page_data(Content.of({"a": karat.evaluate(y, p), "b": karat.evaluate(y, y_pred=[0, 1, 0, 1, 1, 1])}))
    panels = {panel["id"]: panel for panel in data["rest"][0]["panels"]}
    assert [(line["model"], line["x"], line["y"]) for line in panels["roc_graph"]["lines"]] == [
        (0, [0.3333], [0.6667]),
        (1, [0.3333], [1]),
    ]
    assert panels["cost_lines"]["lines"][0]["y"] == [0.3333, 0.3333]
    assert panels["roc_graph"]["lines"][0]["label"] == "never the best"


def test_conventions_and_notes_stand_below_the_table() -> None:
    y = np.zeros(12, int)
    p = np.column_stack([np.linspace(0.6, 0.9, 12), 1 - np.linspace(0.6, 0.9, 12)])
    text = karat.report({"one": karat.evaluate(y, p, labels=[0, 1])}, replicates=20).html
    sentence = "by convention 0 where all cases or all predictions are in one class, its formula being 0/0"
    mcc, cal = (karat.catalogue.measures[symbol].title for symbol in ("MCC", "CalL"))
    assert f'<p class="quiet">† {mcc}: {sentence}.</p>' in text
    assert f'<sup title="{sentence}">†</sup>' in text
    assert "<dt>by convention</dt><dd>0 where all cases or all predictions" in text
    assert re.search(f'<p class="quiet">† {cal}: just the squared error', text)
    healthy = karat.report({"one": karat.evaluate([0, 1, 1, 0], y_pred=[0, 1, 0, 0])}, replicates=20).html
    assert "†" not in healthy


def test_a_page_of_measures_that_need_a_positive_class_says_so() -> None:
    y = np.array(list("ababbaabab"))
    models = {
        name: karat.evaluate(y, np.column_stack([q, 1 - q]))
        for name, q in (("one", np.linspace(0.1, 0.9, 10)), ("two", np.linspace(0.8, 0.2, 10)))
    }
    text = karat.report(models, measures=["F1", "AUC", "MCC"], replicates=20).html
    assert "undefined: the positive class is ambiguous for the labels" in unescape(text)
    assert "AUC" in text
    assert f'data-sort="{models["one"]["AUC"]!r}"' in text


def test_lines_of_a_page_are_carried_without_what_no_pixel_shows() -> None:
    x = np.linspace(0, 1, 400)
    curves = {"line": 3 * x, "bend": np.abs(x - 0.37), "arc": np.sqrt(1 - (x - 0.5) ** 2), "wave": np.sin(9 * x)}
    for name, y in curves.items():
        kept = bends(x, y)
        assert (kept[0], kept[-1]) == (0, 399)
        off = np.abs(np.interp(x, x[kept], y[kept]) - y).max() / np.ptp(y)
        assert off < 0.003, name  # of a chart of 300 pixels less than one
        assert len(kept) < (30 if name == "line" else 200), name
    steps = np.repeat(np.arange(50.0), 2)  # corners are no neighbours of a straight line
    assert len(bends(steps[1:], steps[:-1])) == 99
