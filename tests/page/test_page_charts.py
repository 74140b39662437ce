"""Charts and tables of the page in a real browser: what stands out, what files hold, what points say, what can be seen
larger; checked by counting and by karat."""

from __future__ import annotations

import csv
import io
import re
import shutil
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import karat
from karat.cli.demo import demo_models

sync_api = pytest.importorskip("playwright.sync_api")

DEMO = demo_models()
FLOWERS = ["setosa", "versicolor", "virginica", "other"]
LINES = "#figure-{} .chart .mark-line.role-mark path[stroke='{}']"
AT_HALF = float(np.nextafter(0.5, 1))
"""Of two equal probabilities the first class is predicted."""
BLUE, ORANGE, GREEN = "#0072B2", "#D55E00", "#009E73"


def several(classes: list[str], models: int, n: int = 400) -> dict[str, karat.Evaluation]:
    """Models of several classes, each better than the one before."""
    rng = np.random.default_rng(0)
    k = len(classes)
    y = rng.integers(0, k, n)
    made = {}
    for i in range(models):
        z = rng.normal(size=(n, k)) + (1 + i) * np.eye(k)[y]
        p = np.exp(z) / np.exp(z).sum(axis=1, keepdims=True)
        made[f"model_{i}"] = karat.evaluate([classes[j] for j in y], p, labels=classes)
    return made


MANY = several(FLOWERS, 3)
TEN = several([f"class {i}" for i in range(10)], 2, 300)


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory, demo_page: Path) -> Path:
    made = tmp_path_factory.mktemp("charts")
    shutil.copy(demo_page, made)
    karat.report(MANY, made / "many.html", replicates=20)
    karat.report(TEN, made / "ten.html", replicates=10, intervals=False)
    return made


def opened(browser: Any, path: Path, width: int = 1400) -> tuple[Any, list[str]]:
    """A page that is drawn, and what goes wrong on it."""
    page = browser.new_page(
        viewport={"width": width, "height": 900}, accept_downloads=True, reduced_motion="reduce", color_scheme="light"
    )
    trouble: list[str] = []
    page.on("console", lambda m: trouble.append(m.text))
    page.on("pageerror", lambda e: trouble.append(str(e)))
    page.goto(path.as_uri())
    page.wait_for_selector("html[data-ready=all]", state="attached", timeout=60_000)
    return page, trouble


@pytest.fixture(scope="module")
def demo(browser: Any, pages: Path) -> Iterator[Any]:
    page, trouble = opened(browser, pages / "demo.html")
    yield page
    assert trouble == []
    page.close()


@pytest.fixture(scope="module")
def many(browser: Any, pages: Path) -> Iterator[Any]:
    page, trouble = opened(browser, pages / "many.html")
    yield page
    assert trouble == []
    page.close()


def opacity(page: Any, figure: str, colour: str) -> float:
    """Of a model's line."""
    page.locator(f"#figure-{figure}").scroll_into_view_if_needed()
    page.wait_for_timeout(250)
    return float(page.locator(LINES.format(figure, colour)).first.get_attribute("opacity") or 1)


def place(page: Any, figure: str, x: float, y: float) -> tuple[float, float]:
    """Where a point of the unit square lies in the window, by the ticks 0 and 1 of the axes."""
    ends = page.evaluate(
        """(id) => [0, 1].map((axis) => {
          const all = document.querySelectorAll(`#figure-${id} .chart .mark-rule.role-axis-tick`);
          const ticks = all[axis].querySelectorAll("line");
          const boxes = [...ticks].map((t) => t.getBoundingClientRect());
          const at = (b) => (axis ? b.top + b.height / 2 : b.left + b.width / 2);
          return [at(boxes[0]), at(boxes[boxes.length - 1])];
        })""",
        figure,
    )
    (left, right), (bottom, top) = ends
    return left + x * (right - left), bottom + y * (top - bottom)


def rates(e: karat.Evaluation, cut: float) -> tuple[int, int, int, int]:
    """True and false positives, false negatives and true negatives of cases from a threshold on, by counting."""
    p, y = np.asarray(e.statistics.source.scores)[0, :, 1], np.asarray(e.statistics.source.truth)[0]
    told = p >= cut
    return tuple(int(x.sum()) for x in (told & (y == 1), told & (y == 0), ~told & (y == 1), ~told & (y == 0)))


def test_a_model_under_the_pointer_stands_out_in_every_chart_and_table(demo: Any) -> None:
    for target in (
        ".headline thead th:nth-child(3)",  # its name in a table
        ".headline tbody tr:nth-child(4) td:nth-child(3)",  # a number of it
        "#controls .models label:nth-of-type(2)",
        "#figure-expected_cost .keys li:nth-child(2) .model",
    ):
        demo.locator(target).scroll_into_view_if_needed()
        demo.hover(target)
        demo.wait_for_selector(".headline td.lit")
        assert demo.locator(".headline tbody td.lit").count() == demo.locator(".headline tbody tr").count()
        assert demo.locator(".measures").first.locator("thead th.lit").inner_text().strip() == "adaboost"
        assert demo.locator("#answers tr.lit th").inner_text().strip() == "adaboost"
        assert demo.locator("#controls label.lit").inner_text().strip() == "adaboost"
        demo.wait_for_timeout(200)
        for colour, dimmed in ((BLUE, True), (ORANGE, False), (GREEN, True)):
            lines = demo.locator(LINES.format("expected_cost", colour))
            assert (float(lines.first.get_attribute("opacity") or 1) < 0.5) is dimmed, target
    demo.hover("h1")
    demo.wait_for_selector(".lit", state="detached")


def test_a_line_under_the_pointer_stands_out_in_the_other_charts(demo: Any) -> None:
    demo.locator("#first").scroll_into_view_if_needed()
    x, y = place(demo, "roc_curve", 0.75, 0.75)  # no line is near
    demo.mouse.move(x, y)
    demo.mouse.move(x + 1, y)
    demo.wait_for_timeout(200)
    assert demo.locator(".lit").count() == 0
    page_x, page_y = demo.evaluate(
        """() => { const d = [...document.querySelectorAll("#figure-expected_cost .chart .mark-symbol path")].filter(
             (p) => p.getAttribute("fill") === "#009E73").pop().getBoundingClientRect();
             return [d.left + d.width / 2, d.top + d.height / 2]; }"""
    )
    demo.mouse.move(page_x + 1, page_y)
    demo.mouse.move(page_x, page_y)
    demo.wait_for_selector("#controls label.lit")
    assert demo.locator("#controls label.lit").inner_text().strip() == "naive_bayes"
    demo.wait_for_timeout(200)
    lit = [
        float(demo.locator(LINES.format("roc_curve", c)).first.get_attribute("opacity")) for c in (BLUE, ORANGE, GREEN)
    ]
    assert max(lit[:2]) < 0.5
    assert lit[2] == 1
    demo.mouse.move(5, 5)
    demo.wait_for_selector(".lit", state="detached")


def test_the_keyboard_lets_a_model_stand_out_as_the_pointer_does(demo: Any) -> None:
    demo.evaluate("() => scrollTo(0, 0)")
    demo.locator("#controls .models input").nth(1).focus()
    demo.wait_for_selector(".headline td.lit")
    assert opacity(demo, "expected_cost", ORANGE) == 1
    assert opacity(demo, "expected_cost", BLUE) < 0.5
    assert opacity(demo, "reliability", BLUE) < 0.5  # a chart that comes into view later
    demo.locator(".measures thead button.sort").nth(1).focus()
    demo.wait_for_function("() => document.querySelector('#controls label.lit').innerText.trim() === 'random_forest'")
    demo.evaluate("() => document.activeElement.blur()")
    demo.wait_for_selector(".lit", state="detached")


def saved(page: Any, figure: str, kind: str) -> str:
    with page.expect_download(timeout=60_000) as waiting:
        # by its event: a page that draws charts as they come near moves under a pointer that aims
        page.dispatch_event(f"#figure-{figure} button:text-is('{kind}')", "click")
    return Path(waiting.value.path()).read_bytes().decode("utf-8", "replace")


def words(svg: str) -> str:
    return " ".join(unescape(re.sub("<[^>]*>", " ", svg)).split())


def test_every_chart_that_is_taken_away_has_its_title_legend_class_and_conditions(demo: Any) -> None:
    demo.fill("#miss", "7")
    live = {"roc_curve", "expected_cost", "cost_curve", "roi", "decision_curve", "precision_recall", "lift"}
    ids = [name.removeprefix("figure-") for name in demo.eval_on_selector_all("main figure", "fs => fs.map(f => f.id)")]
    assert live < set(ids)
    for name in ids:
        said = words(saved(demo, name, "SVG"))
        assert demo.locator(f"#figure-{name} h3").inner_text() in said
        one = demo.locator(f"#figure-{name} .keys li").count() == 1
        assert "Model: adaboost." in said if one else all(model in said for model in DEMO), name
        if name != "rankings" and not one and name != "coverage_risk":
            assert "ositive class malignant" in said, name
        if name in live:
            assert "prevalence 0.3726; a missed case (FN) costs 7, a false alarm (FP) 1" in said
    assert " 0 353 cases " in words(saved(demo, "confusion_matrix", "SVG"))  # what the shades mean
    demo.click("#reset")


ALL_AT_ONCE = """(kind) => {
  const drawn = karat.figures.filter((f) => f.result).length;
  const buttons = [...document.querySelectorAll("main figure .tools button")].filter((b) => b.textContent === kind);
  buttons.forEach((b) => b.click());
  return [drawn, buttons.length];
}"""


def test_files_that_are_asked_for_at_once_before_their_charts_are_drawn_all_arrive(browser: Any, pages: Path) -> None:
    """Of more than ten files within a second a browser drops the rest."""
    page = browser.new_page(viewport={"width": 1400, "height": 900}, accept_downloads=True)
    taken: list[str] = []
    page.on("download", lambda file: taken.append(file.suggested_filename))
    page.goto((pages / "demo.html").as_uri(), wait_until="commit")
    page.wait_for_function("() => window.karat && document.querySelector('main figure .tools button')")
    drawn, asked = page.evaluate(ALL_AT_ONCE, "SVG")
    assert drawn < asked
    for _ in range(600):
        if len(taken) == asked:
            break
        page.wait_for_timeout(100)
    assert len(set(taken)) == asked > 20
    page.close()


def test_a_file_of_numbers_names_model_threshold_counts_class_and_costs(demo: Any) -> None:
    demo.fill("#miss", "7")
    rows = list(csv.DictReader(io.StringIO(saved(demo, "roc_curve", "CSV"))))
    demo.click("#reset")
    assert {r["series"] for r in rows} == {"curve", "operating point", "reference"}
    assert {r["model"] for r in rows if r["series"] == "operating point"} == set(DEMO)
    assert {r["reference"] for r in rows if r["series"] == "reference"} == {"chance", "equal cost"}
    for r in rows:
        assert (r["chart"], r["positive class"]) == ("ROC curve", "malignant")
        assert (float(r["prevalence"]), r["cost of a false negative"]) == (pytest.approx(212 / 569), "7")
    curve = [r for r in rows if r["series"] != "reference" and r["threshold"] not in ("∞", "above all scores")]
    assert len(curve) > 100
    for r in curve[::7]:
        tp, fp, fn, tn = rates(DEMO[r["model"]], float(r["threshold"]))
        assert [float(r[name]) for name in ("TP", "FP", "FN", "TN")] == [tp, fp, fn, tn]
        assert float(r["recall (malignant)"]) == pytest.approx(tp / 212)
        assert float(r["false positive rate (malignant)"]) == pytest.approx(fp / 357)
    table = list(csv.DictReader(io.StringIO(saved(demo, "confusion_matrix", "CSV"))))
    assert {(r["model"], r["positive class"]) for r in table} == {
        ("adaboost", "malignant")
    }  # the model that is recommended
    assert sum(int(r["cases"]) for r in table) == 569


@pytest.mark.parametrize("figure", ["roc_curve", "cost_curve", "precision_recall", "lift", "decision_curve", "det"])
def test_a_tooltip_says_model_threshold_both_coordinates_and_counts(demo: Any, figure: str) -> None:
    demo.locator(f"#figure-{figure}").scroll_into_view_if_needed()
    box = demo.locator(f"#figure-{figure} .chart svg").bounding_box()
    demo.mouse.move(box["x"] + 0.37 * box["width"], box["y"] + 0.4 * box["height"])
    demo.mouse.move(box["x"] + 0.37 * box["width"] + 2, box["y"] + 0.4 * box["height"])
    demo.wait_for_selector("#tip:not([hidden])")
    lines = demo.locator("#tip div").all_inner_texts()
    said = dict(line.rsplit(" ", 1) for line in lines if not line.startswith("counts"))
    assert said["model"] in DEMO
    places = [name for name in said if name not in ("model", "threshold", "overall equal error rate")]
    assert len(places) == 2
    assert all(re.fullmatch(r"[\u2212-]?[\d.e-]+", said[name]) for name in places)
    (told,) = [line for line in lines if line.startswith("counts")]
    counts = [int(n) for n in re.findall(r"\d+", told)]
    if "threshold" in said and said["threshold"] not in ("scores", "∞"):
        tp, fp, fn, tn = rates(DEMO[said["model"]], float(said["threshold"]))
        assert counts == [tp, fn, fp, tn]
    else:
        assert sum(counts) == 569
    demo.keyboard.press("Escape")


def domain(page: Any) -> list[float]:
    ticks = page.locator("#enlarged .chart .role-axis-label").first.locator("text").all_text_contents()
    return [float(ticks[0]), float(ticks[-1])]


def test_a_chart_is_enlarged_zoomed_reset_and_closed_by_keyboard(demo: Any) -> None:
    demo.evaluate("() => scrollTo(0, 0)")
    opener = demo.locator("#figure-roc_curve button:text-is('Enlarge')")
    opener.focus()
    demo.keyboard.press("Enter")
    demo.wait_for_selector("dialog[open] #enlarged .chart svg")
    small = demo.locator("#figure-roc_curve .chart svg").bounding_box()
    large = demo.locator("#enlarged .chart svg").bounding_box()
    assert large["width"] > 1.5 * small["width"]
    assert large["height"] > 1.5 * small["height"]
    assert large["x"] >= 0
    assert large["x"] + large["width"] <= 1400
    assert demo.locator("#enlarged .keys li").count() == 3
    assert demo.locator("dialog").get_attribute("aria-labelledby") == demo.locator("#enlarged h2").get_attribute("id")
    assert domain(demo) == [0, 1]
    demo.locator("#enlarged button:text-is('+')").focus()
    demo.keyboard.press("Enter")
    demo.wait_for_timeout(300)
    low, high = domain(demo)
    assert low > 0.1
    assert high < 0.9
    demo.locator("#enlarged button:text-is('Reset zoom')").focus()
    demo.keyboard.press("Enter")
    demo.wait_for_timeout(500)
    assert domain(demo) == [0, 1]
    demo.mouse.move(large["x"] + large["width"] / 2, large["y"] + large["height"] / 2)
    demo.wait_for_selector("dialog #tip:not([hidden])")  # above the window, not behind it
    demo.mouse.wheel(0, -400)
    demo.wait_for_timeout(300)
    assert domain(demo) != [0, 1]
    demo.keyboard.press("Escape")
    demo.wait_for_selector("dialog[open]", state="detached")
    assert opener.evaluate("b => b === document.activeElement")
    assert demo.locator("body > #tip").count() == 1


def test_every_chart_can_be_enlarged_and_comes_back(demo: Any, many: Any) -> None:
    """Of several classes those that two do not have."""
    all_of = {page: page.eval_on_selector_all("main figure", "fs => fs.map(f => f.id)") for page in (demo, many)}
    maps = {"figure-confusion_matrix", "figure-rankings"}  # they look otherwise
    more = [(many, figure) for figure in all_of[many] if figure not in all_of[demo] or figure in maps]
    assert len(more) >= 5
    for page, figure in [*((demo, figure) for figure in all_of[demo]), *more]:
        button = page.locator(f"#{figure} button:text-is('Enlarge')")
        button.click()
        page.wait_for_selector("#enlarged .chart svg .mark-group")
        title = page.locator("#enlarged h2").inner_text()
        assert title == page.locator(f"#{figure} h3").text_content()
        assert page.locator("#enlarged").evaluate("f => f.scrollWidth <= f.clientWidth"), figure
        page.locator("#enlarged button:text-is('Close')").click()
        page.wait_for_selector("#enlarged", state="detached")
        assert button.evaluate("b => b === document.activeElement")


def test_an_enlarged_chart_is_gone_as_soon_as_it_is_closed_and_another_can_be_opened_at_once(demo: Any) -> None:
    left, title = demo.evaluate(
        """() => {
          const press = (place, text) =>
            [...document.querySelectorAll(`${place} button`)].find((b) => b.textContent === text).click();
          press("#figure-roc_curve", "Enlarge");
          press("#enlarged", "Close");
          const left = document.querySelectorAll("#enlarged").length;
          press("#figure-lift", "Enlarge");
          return [left, document.querySelector("#enlarged h2").textContent];
        }"""
    )
    assert left == 0
    demo.wait_for_selector("dialog[open] #enlarged .chart svg .mark-group")
    assert demo.locator("#enlarged h2").inner_text() == title == demo.locator("#figure-lift h3").inner_text()
    demo.keyboard.press("Escape")
    demo.wait_for_selector("dialog[open]", state="detached")
    assert demo.locator("#enlarged").count() == 0


def test_nothing_moves_when_conditions_or_the_section_change_and_large_numbers_are_whole(demo: Any) -> None:
    demo.click("#reset")
    demo.evaluate("() => scrollTo(0, 0)")
    top = "() => document.getElementById('first').getBoundingClientRect().top"
    before = demo.evaluate(top)
    demo.fill("#miss", "25")
    demo.wait_for_selector("#now:not([hidden])")
    assert demo.evaluate(top) == before
    demo.fill("#cases", "1000000")
    assert demo.locator("#cases").evaluate("e => e.scrollWidth <= e.clientWidth")
    demo.locator("#figure-roi").scroll_into_view_if_needed()
    demo.wait_for_function("() => /\\dM/.test(document.querySelector('#figure-roi .chart').textContent)")
    ticks = demo.locator("#figure-roi .chart .role-axis-label text").all_text_contents()
    assert "0" in ticks
    assert "0M" not in ticks
    demo.click("#reset")
    places = "() => [...document.querySelectorAll('#contents a')].map((a) => a.getBoundingClientRect().left)"
    found = set()
    for section in ("summary", "curves", "measures"):
        demo.click(f"#contents a[href='#{section}']")
        demo.wait_for_function("h => document.querySelector('#contents [aria-current]').hash === h", arg=f"#{section}")
        found.add(tuple(demo.evaluate(places)))
    assert len(found) == 1
    demo.evaluate("() => scrollTo(0, 0)")


def test_names_in_charts_are_whole(demo: Any, many: Any) -> None:
    for page in (demo, many):
        cut = page.evaluate(
            "() => [...document.querySelectorAll('figure svg text')].map((t) => t.textContent)"
            ".filter((t) => t.includes('…'))"
        )
        assert cut == []


def test_the_wheel_scrolls_the_page_even_over_a_chart(demo: Any) -> None:
    demo.evaluate("() => scrollTo(0, 0)")
    box = demo.locator("#figure-roc_curve .chart svg").bounding_box()
    demo.mouse.move(box["x"] + 100, box["y"] + 100)
    demo.mouse.wheel(0, 300)
    demo.wait_for_function("() => scrollY > 200")
    demo.evaluate("() => scrollTo(0, 0)")


def test_curves_of_all_classes_have_their_macro_average(many: Any) -> None:
    for place, (name, e) in enumerate(MANY.items()):
        many.select_option("#detail-model", str(place))
        for figure in ("roc_of_classes", "precision_recall_of_classes"):
            rows = list(csv.DictReader(io.StringIO(saved(many, figure, "CSV"))))
            assert {r["model"] for r in rows} == {name}
            assert list(dict.fromkeys(r["class"] for r in rows)) == [*FLOWERS, "macro average"]
        rows = list(csv.DictReader(io.StringIO(saved(many, "roc_of_classes", "CSV"))))
        mean = [(float(r["false positive rate"]), float(r["recall"])) for r in rows if r["class"] == "macro average"]
        assert np.trapezoid([y for _, y in mean], [x for x, _ in mean]) == pytest.approx(e["AUNU"], abs=2e-3)
        own = [(float(r["false positive rate"]), float(r["recall"])) for r in rows if r["class"] == "virginica"]
        area = e.per_class().columns["AUC"][2]
        assert np.trapezoid([y for _, y in own], [x for x, _ in own]) == pytest.approx(area, abs=2e-3)
    many.locator("#figure-roc_of_classes").scroll_into_view_if_needed()
    many.wait_for_timeout(300)
    assert many.locator("#figure-roc_of_classes .chart .mark-line.role-mark path").count() == len(FLOWERS) + 1
    legend = many.locator("#figure-roc_of_classes .chart .role-legend-label text").all_text_contents()
    assert legend == [*FLOWERS, "macro average"]
    rows = list(csv.DictReader(io.StringIO(saved(many, "macro_roc", "CSV"))))
    for name, e in MANY.items():  # all models at once
        mine = [r for r in rows if r["model"] == name]
        assert float(mine[0]["overall"]) == pytest.approx(e["AUNU"], abs=2e-3)
    many.select_option("#detail-model", "0")


def matrices(page: Any, model: str) -> dict[str, list[list[str]]]:
    """Of a model, by the names of the matrices: rows of names and numbers."""
    pair = page.locator("#at .pair", has_text=model)
    found = {}
    for table in pair.locator("table").all():
        cells = table.evaluate("t => [...t.rows].map((r) => [...r.cells].map((c) => c.innerText.trim()))")
        found[table.locator("caption").inner_text()] = cells
    return found


def test_matrices_as_predicted_and_at_the_threshold_stand_side_by_side(demo: Any) -> None:
    demo.locator("#at").scroll_into_view_if_needed()
    for name, e in DEMO.items():
        (said, predicted), (at, now) = matrices(demo, name).items()
        assert said == "As predicted"
        assert at.startswith("At this threshold: ")
        for cut, table in ((AT_HALF, predicted), (float(at.split()[-1]), now)):
            tp, fp, fn, tn = rates(e, cut)
            assert table[0] == ["true class", "predicted as benign", "predicted as malignant"]
            assert table[1:] == [["benign", f"{tn} TN", f"{fp} FP"], ["malignant", f"{fn} FN", f"{tp} TP"]]
        tops = (
            demo.locator("#at .pair", has_text=name)
            .locator("table")
            .evaluate_all("ts => ts.map(t => t.getBoundingClientRect().top)")
        )
        assert tops[0] == tops[1]
    assert "whatever the label was" in demo.inner_text("#two-matrices")
    tp, fp, *_ = np.subtract(rates(DEMO["naive_bayes"], 0.002), rates(DEMO["naive_bayes"], AT_HALF))
    assert f"{tp} more true positives, {fp} more false positives than as predicted." in demo.inner_text("#at")


def test_classes_have_one_order_and_rates_one_name(demo: Any, many: Any) -> None:
    for page, names in ((demo, ["benign", "malignant"]), (many, FLOWERS)):
        page.locator("#figure-confusion_matrix").scroll_into_view_if_needed()
        page.wait_for_timeout(300)
        labels = page.locator("#figure-confusion_matrix .chart .role-axis-label").all()
        for axis in labels:
            assert axis.locator("text").all_text_contents() == names
        assert page.locator(".prices tbody th").all_inner_texts() == names
        heads = page.locator("#answers thead th").all_inner_texts()
        assert heads[2:5] == ["recall", "false positive rate", "precision"]
        page.locator("#figure-roc_curve").scroll_into_view_if_needed()
        page.wait_for_timeout(300)
        titles = page.locator("#figure-roc_curve .chart .role-axis-title text").all_text_contents()
        assert [re.sub(r" \(.*", "", t) for t in titles] == ["false positive rate", "recall"]


def test_a_click_puts_the_best_first_whichever_way_is_better(demo: Any, many: Any) -> None:
    demo.locator("details.more").evaluate("d => d.open = true")
    ways = {m.title: m.orientation for m in karat.catalogue.measures.values()}
    for table in demo.locator(".measures").all():
        table.locator("thead button.sort").nth(2).click()
        for body in table.locator("tbody").all():
            rows = body.evaluate(
                "b => [...b.querySelectorAll('tr:not(.family)')].filter(r => r.children[2].dataset.sort)"
                ".map(r => [r.querySelector('.symbol').textContent, +r.children[2].dataset.sort])"
            )
            higher = [value for title, value in rows if ways[title] > 0]
            lower = [value for title, value in rows if ways[title] < 0]
            assert higher == sorted(higher, reverse=True)
            assert lower == sorted(lower)
    many.locator("details.classes").evaluate("d => d.open = true")
    table = many.locator("details.classes table").first
    heads = table.locator("thead th").all_inner_texts()
    for title, best in (("F1", max), ("Confusion entropy", min), ("Recall", max)):
        at = next((i for i, text in enumerate(heads) if text.startswith(title)), None)
        if at is None:
            continue
        table.locator("thead button.sort").nth(at).click()
        values = table.evaluate("(t, i) => [...t.tBodies[0].rows].map(r => +r.cells[i].dataset.sort)", at)
        assert len(values) == 4
        assert values[0] == best(values)
    table.locator("thead button.sort").first.click()
    assert table.locator("thead th").first.get_attribute("aria-sort") == "ascending"
    assert table.locator("tbody th").all_inner_texts() == sorted(FLOWERS)


def test_costs_of_ten_classes_stay_inside_the_page(browser: Any, pages: Path) -> None:
    page, trouble = opened(browser, pages / "ten.html", 390)
    for width in (390, 1400):
        page.set_viewport_size({"width": width, "height": 900})
        frame = page.locator("#costs .wide").first
        frame.scroll_into_view_if_needed()
        assert page.evaluate("() => document.documentElement.scrollWidth - innerWidth") <= 0
        box = frame.bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width
        last = page.locator("#cost-0-9")
        if width == 1400:
            assert frame.evaluate("f => f.scrollWidth <= f.clientWidth")  # all of them are seen at once
        else:
            frame.evaluate("f => f.scrollLeft = f.scrollWidth")
            name = page.locator(".prices tbody th").first.bounding_box()
            assert 0 <= name["x"] < 60  # the class stays in view
        assert last.bounding_box()["x"] + last.bounding_box()["width"] <= width
    assert trouble == []
    page.close()


def test_the_table_of_measures_marks_ties_as_the_headline_does(demo: Any) -> None:
    def marks(table: str, cells: str) -> dict[str, list[str]]:
        return demo.evaluate(
            """([table, name]) => Object.fromEntries([...document.querySelector(table).tBodies[0].rows].map((r) => [
                 r.querySelector(name).innerText.replace(/[\\s\\u00a0]*[↑↓]/, "").trim(),
                 [...r.cells].slice(1).map((c) => (c.querySelector(".mark") || {innerText: ""}).innerText.trim())]))""",
            [table, cells],
        )

    headline, table = marks(".headline", "th span"), marks(".measures", ".symbol")
    assert len(headline) > 8
    assert {title: table[title] for title in headline} == headline
    assert any("~" in row for row in table.values())
    assert "no significant difference from the best" in demo.inner_text("#measures .legend >> nth=0")


MOVES = """async (moves) => {
  const box = document.getElementById("miss-range");
  for (let i = 0; i < moves; i++) {
    box.value = String(-1 + i / 10);
    box.dispatchEvent(new Event("input"));
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  }
}"""


def test_a_move_of_a_slider_takes_less_than_50_milliseconds_of_the_processor(demo: Any) -> None:
    """Of the processor, not of the clock: other tests may run at the same time."""
    demo.evaluate("() => scrollTo(0, 0)")
    session = demo.context.new_cdp_session(demo)
    session.send("Performance.setTimeDomain", {"timeDomain": "threadTicks"})
    session.send("Performance.enable")

    def spent() -> float:
        return next(
            m["value"] for m in session.send("Performance.getMetrics")["metrics"] if m["name"] == "ScriptDuration"
        )

    demo.evaluate(MOVES, 20)  # warm
    took = []
    for _ in range(3):
        before = spent()
        demo.evaluate(MOVES, 20)
        took.append((spent() - before) / 20)
    assert min(took) < 0.05
    demo.click("#reset")
