"""Pages of many models and classes in a real browser: how large they are, and that one finds and chooses among them."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import karat
from browsing import Opened, settled

FAMILIES = ("forest", "boosting", "bayes")
LETTERS = [chr(ord("a") + i) * 3 for i in range(26)]


def probabilities(y: Any, strength: float, rng: Any) -> Any:
    z = rng.normal(size=(len(y), len(LETTERS))) + strength * np.eye(len(LETTERS))[y]
    return np.exp(z) / np.exp(z).sum(axis=1, keepdims=True)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page of 30 models and 26 classes, and one of 30 models and two."""
    made, rng = tmp_path_factory.mktemp("many"), np.random.default_rng(2)
    y = rng.integers(0, 26, 600)
    models = {
        f"{FAMILIES[i % 3]} {i:02d}": karat.evaluate(
            np.array(LETTERS)[y], probabilities(y, 1 + i / 10, rng), labels=LETTERS
        )
        for i in range(30)
    }
    karat.report(models, made / "letters.html", replicates=10)
    y = (rng.random(400) < 0.4).astype(int)
    scores = {
        f"{FAMILIES[i % 3]} {i:02d}": 1 / (1 + np.exp(-rng.normal((0.2 + i / 20) * (2 * y - 1), 1))) for i in range(30)
    }
    karat.report(scores, y, made / "two.html", positive=1, replicates=10)
    few = {name: models[name] for name in list(models)[-3:]}
    karat.report(few, made / "classes.html", replicates=10)
    return made


def ticked(page: Any) -> list[str]:
    return page.eval_on_selector_all(".models label:has(input:checked)", "ls => ls.map((l) => l.textContent.trim())")


def shown(page: Any, rows: str) -> list[str]:
    return page.eval_on_selector_all(
        rows, "rs => rs.filter((r) => r.checkVisibility()).map((r) => r.cells[0].querySelector('bdi').textContent)"
    )


def test_a_page_of_30_models_and_26_classes_is_below_3_megabytes(folder: Path) -> None:
    for name in ("letters", "two", "classes"):
        assert (folder / f"{name}.html").stat().st_size < 3_000_000, name


def test_models_are_found_and_chosen_by_keyboard_and_every_table_and_chart_follows(browser: Any, folder: Path) -> None:
    opened = Opened(browser, (folder / "two.html").as_uri(), 1400, 900)
    page = opened.drawn()
    page.evaluate("() => document.querySelector('details.more').open = true")
    first = ticked(page)
    assert len(first) == 8
    tables = (".headline tbody tr", "#measures .measures >> nth=0 >> tbody tr", "#answers tbody tr")
    for rows in tables:
        assert sorted(shown(page, rows)) == sorted(first), rows
    page.focus("#search-models")
    page.keyboard.type("BOOST 2")
    listed = page.eval_on_selector_all(".models label:not([hidden])", "ls => ls.map((l) => l.textContent.trim())")
    expected = [f"{FAMILIES[i % 3]} {i:02d}" for i in range(30) if i % 3 == 1 and "2" in f"{i:02d}"]
    assert sorted(listed) == expected
    page.keyboard.press("Enter")
    settled(page)
    assert sorted(ticked(page)) == expected
    assert f"{len(expected)} of 30" in page.inner_text(".models legend")
    for rows in (*tables, "#priced tbody tr:not(:last-child)"):
        assert sorted(shown(page, rows)) == expected, rows
    points = "document.querySelectorAll('#figure-roc_curve .mark-symbol.role-mark path[aria-label*=rule]').length"
    page.wait_for_function(f"() => {points} === {len(expected)}")
    assert f"{len(expected)} of 30 models" in page.inner_text("#of-models")
    page.reload()
    page = opened.drawn()
    assert sorted(ticked(page)) == expected  # remembered
    page.keyboard.press("Escape")
    page.focus("#search-models")
    for key in ("Tab", "Tab", "Tab"):  # all, none, reset
        page.keyboard.press(key)
    page.keyboard.press("Enter")
    settled(page)
    assert ticked(page) == first
    page.keyboard.press("Tab")
    page.keyboard.press("Space")  # the first box of the list
    settled(page)
    assert ticked(page) == first[1:]
    assert not opened.trouble
    page.close()


def test_whiskers_follow_the_scale_of_the_models_that_are_chosen(browser: Any, folder: Path) -> None:
    opened = Opened(browser, (folder / "two.html").as_uri(), 1400, 900)
    page = opened.drawn()
    page.fill("#search-models", "forest 0")
    page.press("#search-models", "Enter")
    settled(page)
    data = page.evaluate("() => karat.data")
    acc = next(m for m in data["measures"] if m["symbol"] == "Acc")
    at = [i for i, m in enumerate(data["models"]) if m["name"].startswith("forest 0")]
    low, high = min(acc["low"][i] for i in at), max(acc["high"][i] for i in at)
    for i in at:
        svg = page.locator(f".headline tr:has([data-model='{i}']) td").first.locator("svg")
        width = float(str(svg.get_attribute("viewBox")).split()[2])
        place = 5 + (width - 10) * (acc["values"][i] - low) / (high - low)
        assert float(svg.locator("circle").get_attribute("cx")) == pytest.approx(place, abs=0.06)
    page.close()


def test_classes_are_found_and_chosen_and_the_maps_follow(browser: Any, folder: Path) -> None:
    opened = Opened(browser, (folder / "classes.html").as_uri(), 1400, 900)
    page = opened.drawn()
    assert page.locator("#class option").count() == 26  # each can be looked at
    page.locator(".choose summary").click()
    page.fill("#search-classes", "c")
    page.press("#search-classes", "Enter")
    settled(page)
    page.locator("#figure-confusion_matrix").scroll_into_view_if_needed()
    cells = "document.querySelectorAll('#figure-confusion_matrix .mark-rect.role-mark path').length"
    page.wait_for_function(f"() => {cells} === 1")
    page.fill("#search-classes", "a")
    page.locator(".choose button", has_text="all").click()
    page.locator("#figure-confusion_matrix").scroll_into_view_if_needed()
    page.wait_for_function(f"() => {cells} === 4")
    page.locator("details.classes summary").click()
    assert shown(page, "details.classes table >> nth=0 >> tbody tr") == ["aaa", "ccc"]
    assert not opened.trouble
    page.close()


def test_findings_are_searched(browser: Any, folder: Path) -> None:
    opened = Opened(browser, (folder / "two.html").as_uri(), 1400, 900)
    page = opened.drawn()
    everything = page.locator("#findings li").count()
    assert everything > 2
    page.fill("#search-findings", "forest 09")
    found = page.eval_on_selector_all(
        "#findings p[data-finding]", "ps => ps.filter((p) => p.checkVisibility()).map((p) => p.textContent)"
    )
    assert found
    assert all("forest" in text and "09" in text for text in found)
    assert re.fullmatch(r"\d+ of \d+ findings", page.inner_text("#found-findings"))
    page.fill("#search-findings", "")
    assert page.eval_on_selector_all("#findings li", "ls => ls.filter((l) => l.checkVisibility()).length") == everything
    page.close()


@pytest.mark.parametrize("name", ["letters", "two", "classes"])
def test_the_first_screen_is_compact(browser: Any, folder: Path, name: str) -> None:
    opened = Opened(browser, (folder / f"{name}.html").as_uri(), 1400, 900)
    page = opened.drawn()
    parts = ["#actions", "#advice", ".headline", *(f"#first figure:nth-child({i}) .chart" for i in (1, 2))]
    boxes = [page.locator(part).bounding_box() for part in parts]
    for upper, lower in pairwise(boxes[:4]):
        assert upper["y"] + upper["height"] <= lower["y"] + 1
    assert all(box["y"] + box["height"] <= 900 for box in boxes)
    cut = page.evaluate(
        "() => { const right = (e) => e.getBoundingClientRect().right; "
        "const room = right(document.querySelector('.headline').parentNode); "
        "return [...document.querySelectorAll('.headline thead th')].filter((th) => right(th) > room + 1).length }"
    )
    assert cut == 0
    page.close()


ROWS = 1500
"""Rows that a chart is given at a move of a slider, at most: Vega looks at each of them."""
COUNTED = """async (from) => {
  const figures = karat.figures.filter((f) => f.inView && f.result);
  const given = {};
  for (const f of figures) {
    const { view } = f.result;
    const data = view.data.bind(view);
    view.data = (name, rows) => {
      given[f.panel.id] = (given[f.panel.id] || 0) + rows.length;
      return data(name, rows);
    };
  }
  const range = document.getElementById("prevalence-range");
  for (let i = 0; i < 5; i++) {  // of moves within a frame the last alone is drawn
    range.value = String(Number(range.min) + (Number(range.max) - Number(range.min)) * (from + 0.02 * i));
    range.dispatchEvent(new Event("input", { bubbles: true }));
  }
  await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  for (const f of figures) delete f.result.view.data;
  return given;
}"""


def test_a_move_of_a_slider_gives_charts_few_rows_wherever_the_page_is_scrolled(browser: Any, folder: Path) -> None:
    opened = Opened(browser, (folder / "two.html").as_uri(), 1400, 900)
    page = opened.drawn()
    page.locator(".models button", has_text="all").click()
    moved = {}
    for i, place in enumerate(("#summary", "#figure-roi", "#curves", "#figure-threshold_curve")):
        page.evaluate("place => document.querySelector(place).scrollIntoView({behavior: 'instant'})", place)
        page.wait_for_function("() => karat.figures.every((f) => !f.busy && !(f.inView && f.stale))")
        settled(page)
        moved |= page.evaluate(COUNTED, 0.3 + 0.1 * i)
    assert {"expected_cost", "roi", "precision_recall", "lift", "threshold_curve"} <= set(moved)
    assert {name: rows for name, rows in moved.items() if rows > ROWS} == {}
    page.close()


def test_paper_has_three_findings_of_a_kind_and_the_screen_all(browser: Any, folder: Path) -> None:
    page = Opened(browser, (folder / "two.html").as_uri(), 1400, 900).page
    seen = """() => [...document.querySelectorAll('.findings li')].map((kind) =>
      [...kind.querySelectorAll('[data-finding]')].filter((f) => getComputedStyle(f).display !== 'none').length)"""
    on_screen = page.evaluate(seen)
    assert max(on_screen) > 3
    page.emulate_media(media="print")
    assert page.evaluate(seen) == [min(number, 3) for number in on_screen]
    page.close()


SCALED = """async () => {
  const stamps = () => karat.figures.filter((f) => f.inView && f.result && f.panel.live)
    .map((f) => [f.panel.id, ["x", "y"].map((axis) => {
      const { stamp, value } = f.result.view._runtime.scales[axis];
      return [String(value.domain()), stamp];
    })]);
  const move = async (share) => {
    const range = document.getElementById("threshold");
    range.value = String(share * Number(range.max));
    range.dispatchEvent(new Event("input", { bubbles: true }));
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  };
  await move(0.4);
  const before = stamps();
  await move(0.5);
  return [before, stamps()].map(Object.fromEntries);
}"""


def test_a_move_leaves_axes_that_do_not_change_alone(browser: Any, folder: Path) -> None:
    """Where an axis is made again, so is each point of every line, and all points that wait for the pointer."""
    page = Opened(browser, (folder / "two.html").as_uri(), 1400, 900).drawn()
    charts = set()
    for place in ("#summary", "#figure-roi", "#figure-threshold_curve"):
        page.evaluate("place => document.querySelector(place).scrollIntoView({behavior: 'instant'})", place)
        page.wait_for_function("() => karat.figures.every((f) => !f.busy && !(f.inView && f.stale))")
        settled(page)
        before, after = page.evaluate(SCALED)
        for name, axes in before.items():
            made_again = [a != b for (_, a), (_, b) in zip(axes, after[name], strict=True)]
            assert made_again == [a != b for (a, _), (b, _) in zip(axes, after[name], strict=True)], name
        charts |= set(after)
    assert {"roc_curve", "expected_cost", "roi", "threshold_curve"} <= charts
    waiting = "() => [...document.querySelectorAll('.mark-symbol path[fill-opacity=\"0\"]')]"
    page.wait_for_function(f"{waiting}.length > 100")
    assert page.evaluate(f"{waiting}.every((p) => getComputedStyle(p).display === 'none')")
    page.close()


EXPRESSIONS = {
    "1 + 2 * 3 - 4 / 8": 6.5,
    "7 % 4 >= 3 && !(2 > 3) || false": True,
    "datum.x > 2 ? 'far' : 'near'": "far",
    "datum['x'] + limit": 5,
    "[datum.x, -limit, +'4', PI > 3]": [3, -2, 4, True],
    "{title: datum.name, 'x': datum.x}": {"title": "a b", "x": 3},
    "if(datum.x === 3, max(1, limit), 0)": 2,
    "upper(substring(datum.name, 0, 1)) + length(datum.list)": "A2",
    "datum.list[1] != 5 ? indexof(datum.list, 7) : clamp(9, 0, 4)": 1,
    "format(datum.x / limit, '.2f')": "1.50",
    "test(regexp('^a'), datum.name)": True,
}
EVALUATED = """async (text) => {
  const transform = [{ type: "formula", expr: text, as: "found" }];
  const values = [{ x: 3, name: "a b", list: [5, 7] }];
  const spec = { signals: [{ name: "limit", value: 2 }], data: [{ name: "rows", values, transform }] };
  const options = { mode: "vega", actions: false, ast: true, expr: karatExpressions };
  const { view } = await vegaEmbed(document.createElement("div"), spec, options);
  return view.data("rows")[0].found;
}"""


def test_expressions_of_charts_mean_what_they_say(browser: Any, folder: Path) -> None:
    page = Opened(browser, (folder / "two.html").as_uri(), 1400, 900).page
    assert {text: page.evaluate(EVALUATED, text) for text in EXPRESSIONS} == EXPRESSIONS
    run = "text => (" + EVALUATED + ")(text).then((found) => typeof found, () => 'refused')"
    assert page.evaluate(run, "datum.name.constructor.constructor") == "refused"
    assert page.evaluate(run, "{f: datum.list.slice.constructor}") == "refused"
    page.close()


def test_lines_are_drawn_with_fewer_corners_and_nowhere_off_by_a_pixel(browser: Any, folder: Path) -> None:
    rng = np.random.default_rng(0)
    walk = np.cumsum(rng.normal(size=1000)) / 60
    walk[300:303] = np.nan  # a gap
    lines = {
        "walk": (np.linspace(0, 1, 1000), walk),
        "stairs": (np.cumsum(rng.random(1000) < 0.5) / 500, np.cumsum(rng.random(1000) < 0.5) / 500),
        "spikes": (np.linspace(0, 1, 400), np.arange(400) % 40 == 0),
        "back": (np.array([0, 0.5, 0.001, 1.0]), np.zeros(4)),
    }
    page = Opened(browser, (folder / "two.html").as_uri(), 1400, 900).page
    for name, (x, y) in lines.items():
        rows = [
            {"x": float(a), "y": None if np.isnan(b) else float(b), "i": i}
            for i, (a, b) in enumerate(zip(x, y, strict=True))
        ]
        # what is not a number can't be sent
        kept = page.evaluate(
            "rows => karatThinning.thin(rows.map((r) => ({...r, y: r.y ?? NaN}))).map((r) => r.i)", rows
        )
        assert kept[0] == 0
        assert kept[-1] == len(x) - 1
        assert len(kept) < len(x) or name == "back"
        scale = [np.ptp(v[~np.isnan(v)]) or 1.0 for v in (x, np.asarray(y, float))]
        places = 400 * np.stack([x / scale[0], np.asarray(y, float) / scale[1]], axis=1)
        assert set(np.flatnonzero(np.isnan(places[:, 1]))) <= set(kept)
        assert max(off(places[a : b + 1]) for a, b in pairwise(kept)) < 1, name
    page.close()


def off(places: Any) -> float:
    """How far the places of a line are from that between its ends."""
    if np.isnan(places).any():
        assert len(places) == 2  # at a gap nothing is left out
        return 0.0
    start, way = places[0], places[-1] - places[0]
    along = np.clip((places - start) @ way / max(way @ way, 1e-300), 0, 1)
    return float(np.linalg.norm(places - start - along[:, None] * way, axis=1).max())


def faulty(y: Any, rng: Any, strength: float) -> Any:
    """Probabilities that are too confident, lean to one class, never choose three others, take one class for another,
    and are 0 for what is true, or tied."""
    z = 2.5 * (rng.normal(size=(len(y), 8)) + strength * np.eye(8)[y])
    z[:, 5:] -= 9
    z[:, 1] += 2.5
    z[(y == 2) & (rng.random(len(y)) < 0.8), 3] += 6
    p = np.exp(z - z.max(axis=1, keepdims=True))
    p = np.round(p / p.sum(axis=1, keepdims=True), 1)
    p[p.sum(axis=1) == 0, 0] = 1
    return np.column_stack([p / p.sum(axis=1, keepdims=True), np.zeros(len(y))])


def test_a_page_of_500_findings_is_below_3_megabytes() -> None:
    """What holds for all models is said once."""
    rng = np.random.default_rng(1)
    y = rng.choice(8, 600, p=[0.6, 0.2, 0.06, 0.05, 0.04, 0.03, 0.012, 0.008])
    again = np.r_[np.arange(600), np.repeat(np.arange(120), 2)]  # rows that occur three times
    models = {
        f"model {i:02d}": karat.evaluate(
            np.array(LETTERS)[y][again], faulty(y, rng, 1.5 + i / 70)[again], labels=LETTERS[:9]
        )
        for i in range(66)
    }
    assert sum(len(e.findings()) for e in models.values()) >= 500
    page = karat.report(models, replicates=10).html
    assert len(page.encode()) < 3_000_000
    said = page.count("<p data-finding>")
    assert 100 < said < 400
