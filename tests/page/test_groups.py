"""Groups on the page, in a real browser: the chooser drives table and diagrams, whatever the groups are called."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import karat
from browsing import Opened, settled

HOSTILE = ['</script><img src=x onerror="window.stolen=1">', "\"'<b>&\u2028", "שלום", "x" * 200, "__proto__"]


def evaluation(groups: int, n: int = 3000) -> karat.Evaluation:
    """Groups whose names mean harm, and others."""
    rng = np.random.default_rng(0)
    names = np.array([HOSTILE[i] if i < len(HOSTILE) else f"site {i}" for i in range(groups)], object)
    y = (rng.random(n) < 0.4).astype(int)
    p = 1 / (1 + np.exp(-rng.normal(size=n) - 1.5 * y + 0.5))
    return karat.evaluate(y, p, by={"site": names[np.arange(n) % groups], "age": rng.integers(18, 90, n)})


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("groups")
    karat.report(evaluation(6), made / "few.html", intervals=False)
    karat.report(evaluation(500), made / "many.html", intervals=False)
    return made


def cells(page: Any) -> list[list[str]]:
    return page.eval_on_selector_all(
        "table.by-group tbody tr", "rows => rows.map(r => [...r.children].map(c => c.textContent))"
    )


def test_the_chooser_drives_the_table_and_the_diagrams(browser: Any, folder: Path) -> None:
    opened = Opened(browser, (folder / "few.html").as_uri())
    page = opened.drawn()
    g = evaluation(6).by("site")
    page.select_option("#by-measure", label="Recall")
    settled(page)
    rows = cells(page)
    assert [row[0] for row in rows] == list(g.groups)
    assert [float(row[2]) for row in rows] == pytest.approx(list(g["recall"].value), abs=6e-4)
    assert rows[0][3] == "[{:#.3g}, {:#.3g}]".format(g["recall"].low[0], g["recall"].high[0])
    assert page.locator("figure.by-group .chosen").count() == 0
    page.select_option("#by-group", label="site 5")
    settled(page)
    assert [row[0] for row in cells(page)][:2] == ["Accuracy", "Recall"]
    assert float(cells(page)[1][1]) == pytest.approx(g["recall"]["site 5"].value, abs=6e-4)
    assert page.locator("figure.by-group .chosen").count() == 2
    page.select_option("#by-column", label="age")
    settled(page)
    assert len(cells(page)) == 4
    assert page.locator("figure.by-group .chosen").count() == 0
    page.click("button.pick >> nth=1")
    settled(page)
    assert page.locator("figure.by-group .chosen").count() == 2
    assert page.input_value("#by-group") == "1"
    assert page.evaluate("window.stolen") is None
    assert not [url for url in opened.requests if not url.startswith(("file:", "data:", "blob:"))]
    assert page.locator("table.gaps tbody tr").count() == 12
    opened.page.close()


def test_500_groups_on_a_narrow_screen(browser: Any, folder: Path) -> None:
    opened = Opened(browser, (folder / "many.html").as_uri(), width=390, height=800)
    page = opened.drawn()
    assert len(cells(page)) == 500
    page.select_option("#by-order", "value")
    settled(page)
    values = [float(row[2]) for row in cells(page) if row[2][0].isdigit()]
    assert values == sorted(values)
    page.select_option("#by-group", index=4)
    settled(page)
    assert len(cells(page)) == 6
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert page.evaluate("window.stolen") is None
    opened.page.close()


def test_the_page_grows_with_groups_and_not_with_cases(folder: Path) -> None:
    few = len(karat.report(evaluation(6, 3000), intervals=False).html)
    more_cases = len(karat.report(evaluation(6, 9000), intervals=False).html)
    many = (folder / "many.html").stat().st_size
    assert abs(more_cases - few) < 60_000
    assert 100_000 < many - few < 1_000_000


def test_without_groups_there_is_no_section() -> None:
    html = karat.report({"m": [0.2, 0.7, 0.4, 0.9]}, [0, 1, 0, 1], intervals=False).html
    assert 'id="groups"' not in html
    assert "#groups" not in html.split("<script")[0]
    with_groups = karat.report(
        {"m": [0.2, 0.7] * 30}, [0, 1] * 30, by={"s": ["a", "a", "b"] * 20}, intervals=False
    ).html
    assert 'id="groups"' in with_groups


def test_columns_that_are_no_groups_are_refused_before_any_work_is_done() -> None:
    told: list[str] = []
    for column, words in ((["a", "b"], "has 2 values and there are 60 cases"), (list(range(60)), "as an id has")):
        with pytest.raises(karat.InputError, match=words):
            karat.report({"m": [0.2, 0.7] * 30}, [0, 1] * 30, by={"s": column}, intervals=False, told=told.append)
    assert not [step for step in told if step.startswith("measures of")]
