"""Who and what a page reaches: keyboards and screen readers, every width, paper, notebooks, and other pages."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import karat
from browsing import Opened, settled
from karat.cli.demo import demo_models
from karat.page.report import Report

NAMES = [f"quite_a_long_name_of_a_model_{i}" for i in range(9)]
HOST = """<!doctype html><html style="font-size: 9px"><head><meta charset="utf-8"><title>host</title><style>
* { color: rgb(255, 0, 0) !important; font-family: cursive !important; letter-spacing: 5px !important }
body { margin: 0 200px; text-align: right; text-transform: uppercase; line-height: 4 }
table, section, p, svg { display: none !important } button { background: yellow !important }
.page, #summary { transform: rotate(10deg) }
</style><script>window.vega = "mine"; const n = 1;</script></head><body><h1 id="summary">Host</h1>
<div id="measures">mine</div>%(first)s<div class="advice" id="after">after</div>%(second)s</body></html>"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, demo_page: Path) -> Path:
    """The demo, nine models of long names, five classes, predictions alone, one model; and pages that hold the demo."""
    made, rng = tmp_path_factory.mktemp("reach"), np.random.default_rng(0)
    demo = demo_models()
    shutil.copy(demo_page, made)
    y = (rng.random(300) < 0.3).astype(int)
    scores = {name: 1 / (1 + np.exp(-rng.normal((1 + i / 5) * (2 * y - 1), 1))) for i, name in enumerate(NAMES)}
    karat.report(scores, y, made / "nine.html", positive=1, replicates=10)
    karat.report({"alone": scores[NAMES[0]]}, y, made / "one.html", positive=1, replicates=10)
    given = {name: karat.evaluate(y, y_pred=(p > 0.5).astype(int)) for name, p in list(scores.items())[:2]}
    karat.report(given, made / "predictions.html", replicates=10)
    y = rng.integers(0, 5, 300)
    z = rng.normal(size=(300, 5)) + 2 * np.eye(5)[y]
    p = np.exp(z) / np.exp(z).sum(axis=1, keepdims=True)
    karat.report({"a": p, "b": p[:, ::-1] * 0.1 + p * 0.9}, y, made / "classes.html", replicates=10)
    piece = karat.report(demo, fragment=True, replicates=20)
    assert not re.search(r"<(html|head|body|!doctype)\b", re.sub(r"(?s)<script.*?</script>", "", piece.html))
    (made / "host.html").write_text(HOST % {"first": piece.html, "second": piece.html}, encoding="utf-8")
    shown = Report(demo_page.read_text(encoding="utf-8"))._repr_html_()
    (made / "notebook.html").write_text(
        f"<!doctype html><title>notebook</title><p>In [1]:</p>{shown}", encoding="utf-8"
    )
    return made


PAGES = ["demo", "nine", "one", "predictions", "classes"]


@pytest.fixture(scope="module")
def drawn(browser: Any, folder: Path) -> Iterator[Callable[..., Any]]:
    """A page of the folder, drawn once for all tests, with everything unfolded, as wide and in the colours that a test
    asks for."""
    opened: dict[str, Opened] = {}

    def page_of(name: str, width: int = 1280, scheme: str = "light") -> Any:
        if name not in opened:
            opened[name] = Opened(browser, (folder / f"{name}.html").as_uri(), color_scheme="light", bypass_csp=True)
            opened[name].drawn().locator("details").evaluate_all("ds => ds.forEach((d) => (d.open = true))")
        page = opened[name].page
        page.set_viewport_size({"width": width, "height": 900})
        if name != "host":
            page.evaluate("() => karat.figures.forEach((f) => (f.inView = true))")  # so that all have new colours
            page.emulate_media(color_scheme=scheme)
            settled(page)  # the page is told of it in the next frame
            page.wait_for_function("() => karat.figures.every((f) => !f.busy && !f.stale)")
        settled(page)
        return page

    yield page_of
    for one in opened.values():
        assert one.trouble == []
        one.page.close()


@pytest.mark.parametrize(
    ("name", "scheme"),
    [*((name, "light") for name in (*PAGES, "host")), ("demo", "dark"), ("nine", "dark"), ("classes", "dark")],
)
def test_no_serious_fault_for_those_who_see_little_or_use_no_mouse(
    drawn: Callable[..., Any], name: str, scheme: str
) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed")
    page = drawn(name, scheme=scheme)
    scope = "karat-report:first-of-type" if name == "host" else None  # there are two of them, alike
    options: dict[str, Any] = {"resultTypes": ["violations"]}  # what is fine need not be described
    if scheme == "dark":
        options["runOnly"] = ["color-contrast", "link-in-text-block"]  # whatever depends on colours
    found = axe.Axe().run(page, context=scope, options=options).response["violations"]
    grave = [v for v in found if v["impact"] in ("serious", "critical")]
    assert [(v["id"], [node["html"][:120] for node in v["nodes"][:3]]) for v in grave] == []


def test_models_of_a_legend_stand_in_the_order_of_the_table(drawn: Callable[..., Any]) -> None:
    page = drawn("nine")
    table = page.locator(".headline tbody tr:not([hidden]) th .name").all_text_contents()
    assert table != sorted(table)  # the cheapest is first
    assert page.locator("#first figure").nth(1).locator(".keys .name").all_text_contents()[:8] == table[:8]
    with page.expect_download() as waiting:
        page.dispatch_event("#figure-expected_cost button:text-is('SVG')", "click")
    svg = Path(waiting.value.path()).read_text(encoding="utf-8")
    assert [name for name in re.findall(r"<text[^>]*>([^<]*)</text>", svg) if name in NAMES] == table


def test_keys_alone_reach_everything_and_the_focus_is_seen(browser: Any, folder: Path) -> None:
    opened = Opened(browser, (folder / "nine.html").as_uri(), 1400, 900)
    page = opened.drawn()
    page.keyboard.press("Tab")
    assert page.evaluate("() => document.activeElement.className") == "skip"
    assert page.locator(".skip").bounding_box()["x"] >= 0
    page.keyboard.press("Enter")
    page.wait_for_function("() => location.hash === '#summary'")
    page.evaluate("() => document.activeElement.blur()")
    wanted = page.evaluate(
        "() => [...document.querySelectorAll('a[href], button, input, select, summary, [tabindex=\"0\"]')]"
        ".filter((e) => e.checkVisibility({visibilityProperty: true}) && !e.disabled).map((e, i) => (e.dataset.t = i))"
    )
    page.focus(".skip")
    reached, unseen = set(), []
    for _ in range(2 * len(wanted)):
        at, outline = page.evaluate(
            "() => [document.activeElement.dataset.t, getComputedStyle(document.activeElement).outlineStyle]"
        )
        if at is not None and int(at) in reached:
            break
        if at is not None:
            reached.add(int(at))
            if outline == "none":
                unseen.append(page.evaluate("() => document.activeElement.outerHTML.slice(0, 100)"))
        page.keyboard.press("Tab")
    unreached = page.evaluate(
        'ids => ids.map((i) => document.querySelector(`[data-t="${i}"]`))'
        ".filter((e) => e.type !== 'radio').map((e) => e.outerHTML.slice(0, 100))",
        [i for i in wanted if i not in reached],
    )
    assert unreached == []  # of radio buttons keys reach the group, and arrows the others
    assert unseen == []
    page.close()


OVERFLOW = """() => {
  const room = document.documentElement.clientWidth;
  const inside = (e) => e.closest(".wide, .names, .contents ul, .chart, .hidden, .away, dd, .skip");
  return [...document.querySelectorAll("body *")].filter((e) => e.checkVisibility() && !inside(e)
    && e.getBoundingClientRect().right > room + 1).map((e) => `${e.tagName}.${e.className}`).slice(0, 5);
}"""


@pytest.mark.parametrize("width", [900, 1000, 1100, 1280, 1400])
@pytest.mark.parametrize("name", ["demo", "classes", "predictions"])
def test_the_headline_table_of_few_models_needs_no_scrolling(drawn: Any, name: str, width: int) -> None:
    beyond = "t => t.scrollWidth - t.parentElement.clientWidth"
    assert drawn(name, width).eval_on_selector(".headline", beyond) <= 0


@pytest.mark.parametrize("name", ["demo", "nine", "classes"])
def test_no_reason_of_the_verdict_is_beyond_the_edge(drawn: Any, name: str) -> None:
    """At 1000 pixels the last column once was, and its words made the rows three times as high."""
    for width in (900, 1000, 1100, 1280):
        beyond = "t => t.scrollWidth - t.parentElement.clientWidth"
        assert drawn(name, width).eval_on_selector(".verdict", beyond) <= 0, width


COVERED = """() => [...document.querySelectorAll(".headline th[scope=row] .name")].filter((name) => {
  const a = name.getBoundingClientRect(), b = name.closest("th").getBoundingClientRect();
  return name.checkVisibility() && a.right > b.right + 1;
}).map((name) => name.textContent)"""


BESIDE = """() => [...document.querySelectorAll("figure h3")].filter((title) => {
  const words = document.createRange();
  words.selectNodeContents(title);
  const buttons = title.closest("figure").querySelector(".tools").getBoundingClientRect();
  return [...words.getClientRects()].some((line) => title.checkVisibility() && line.right > buttons.left - 4
    && line.left < buttons.right && line.bottom > buttons.top && line.top < buttons.bottom);
}).map((title) => title.textContent)"""


@pytest.mark.parametrize("name", PAGES)
def test_nothing_leaves_the_page_at_any_width(drawn: Callable[..., Any], name: str) -> None:
    for width in (390, 900, 1400, 2200):
        page = drawn(name, width)
        assert page.evaluate("() => document.documentElement.scrollWidth - innerWidth") <= 0, width
        assert page.evaluate(OVERFLOW) == [], width
        assert page.evaluate(COVERED) == [], width
        assert page.evaluate(BESIDE) == [], width


@pytest.mark.parametrize("name", ["demo", "nine", "classes"])
def test_paper_has_everything_unfolded_and_whole(drawn: Callable[..., Any], name: str) -> None:
    page = drawn(name, 1400, "dark")
    page.locator("details.more").first.evaluate("d => (d.open = false)")
    page.locator("#measures .fold").click()
    assert page.is_hidden("#measures .body")
    before = page.eval_on_selector_all("details[open]", "ds => ds.length")
    page.evaluate("() => dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 703, "height": 1000})  # A4 between its margins
    settled(page)
    for part in ("#controls", "#contents", ".tools", "#actions", ".search", ".skip"):
        assert not any(e.is_visible() for e in page.locator(part).all()), part
    for part in ("#measures .measures", "#findings p[data-finding]", *(["#costs h2 button"] if name == "demo" else [])):
        assert page.locator(part).first.is_visible(), part
    assert page.locator(".measures").nth(1).is_visible()  # those behind a fold, too
    wide = page.evaluate(
        "() => [...document.querySelectorAll('table, figure, .chart svg, .chart canvas')].filter((e) => "
        "e.getBoundingClientRect().right > 703.5).map((e) => [e.tagName, e.id || e.closest('[id]').id])"
    )
    assert wide == []
    if name == "demo":  # short names are whole
        lines = page.eval_on_selector_all(".verdict td .name", "ns => ns.map((n) => n.getBoundingClientRect().height)")
        assert max(lines) < 1.5 * min(lines) < 40
    small = page.evaluate(
        "() => [...document.querySelectorAll('.wide > table')].filter((t) => Number(t.style.zoom) < 0.6)"
        ".map((t) => `${t.className} ${t.style.zoom}`)"
    )
    assert small == []  # it can be read
    page.emulate_media(media="screen")
    page.evaluate("() => dispatchEvent(new Event('afterprint'))")
    assert page.is_hidden("#measures .body")
    assert page.eval_on_selector_all("details[open]", "ds => ds.length") == before
    assert page.pdf(format="A4")[:5] == b"%PDF-"
    page.locator("#measures .fold").click()


def test_a_fragment_and_the_page_around_it_leave_each_other_alone(browser: Any, folder: Path) -> None:
    opened = Opened(browser, (folder / "host.html").as_uri(), 1600, 900)
    page = opened.drawn()
    page.locator("karat-report[data-ready=all]").nth(1).wait_for(state="attached", timeout=60_000)  # both are drawn
    assert page.evaluate("() => [window.vega, window.vegaLite]") == ["mine", None]
    first = page.locator("karat-report").first
    figures = first.locator("figure").count()
    assert figures >= 19
    assert first.locator("figure .chart svg").count() == figures
    style = "e => { const s = getComputedStyle(e); return [s.color, s.letterSpacing, s.fontSize, s.textTransform] }"
    alone = Opened(browser, (folder / "demo.html").as_uri(), 1200, 900)
    for place in ("#advice", ".headline td", "#contents a", "#findings summary", "h1"):
        ours, theirs = (of.locator(place).first.evaluate(style) for of in (first, alone.drawn()))
        assert ours[:2] == theirs[:2], place
        assert ours[3] == theirs[3], place
        if place != "h1":  # whose size follows the width of the page
            assert ours[2] == theirs[2], place
    assert page.locator("#after").evaluate("e => getComputedStyle(e).backgroundColor") == "rgba(0, 0, 0, 0)"
    assert first.locator(".bench").evaluate("e => e.getBoundingClientRect().right") <= 1400
    first.locator("#contents a[href='#measures']").click()
    page.wait_for_function(
        "() => Math.abs(document.querySelector('karat-report').shadowRoot.getElementById('measures')"
        ".getBoundingClientRect().top) < 200"
    )
    assert page.evaluate("() => location.hash") == ""
    first.locator("#miss").fill("25")
    settled(page)
    assert "Under these conditions" in first.locator("#now").inner_text()
    assert page.locator("karat-report").nth(1).locator("#now").is_hidden()
    assert not opened.trouble
    page.close()
    alone.page.close()


def test_a_notebook_shows_the_page_in_a_frame(browser: Any, folder: Path) -> None:
    opened = Opened(browser, (folder / "notebook.html").as_uri())
    frame = opened.page.frame_locator("iframe[title]")
    frame.locator("html[data-ready=all]").wait_for(state="attached")
    assert frame.locator("#first figure .chart svg").count() == 2
    frame.locator("#contents a[href='#measures']").click()
    frame.locator("#contents a[href='#measures'][aria-current]").wait_for()
    assert frame.locator("#measures h2").is_visible()
    assert opened.page.evaluate("() => document.querySelector('iframe').getBoundingClientRect().height") >= 600
    assert not opened.trouble
    opened.page.close()
