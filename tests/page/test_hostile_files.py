"""What leaves a page whose names mean harm: files, paper, and what is copied."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

import karat
from browsing import Opened
from page.data_shape import wrong

NAMES = ["=1+1|' /C calc'!A0", '</script><img src=x onerror="window.stolen=1">', '"\n@SUM(1)', "+x\u2028\x1b[31m"]
BUTTONS = {
    "#figure-roc_curve button:text('SVG')": "svg",
    "#figure-confusion_matrix button:text('CSV')": "csv",
    "#figure-confusion_matrix button:text('PNG')": "png",
    "#json": "json",
    "#csv": "csv",
}


@pytest.fixture(scope="module")
def opened(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    path = tmp_path_factory.mktemp("harm") / "report.html"
    rng = np.random.default_rng(0)
    y = np.arange(80) % len(NAMES)
    p = {name: rng.dirichlet(np.ones(len(NAMES)), 80) / 2 + np.eye(len(NAMES))[y] / 2 for name in NAMES}
    truth = [NAMES[j] for j in y]
    karat.report({n: karat.evaluate(truth, q, labels=NAMES) for n, q in p.items()}, path, intervals=False)
    one = Opened(browser, path.as_uri())
    one.drawn()
    yield one
    one.page.close()


def harmless(opened: Opened) -> None:
    assert opened.page.evaluate("() => window.stolen") is None
    assert opened.trouble == []
    assert len(opened.requests) == 1


def test_files(opened: Opened, tmp_path: Path) -> None:
    page, found = opened.page, []
    for button, ending in BUTTONS.items():
        with page.expect_download() as waiting:
            page.click(button)
        name = waiting.value.suggested_filename
        assert name.startswith("karat-")
        waiting.value.save_as(tmp_path / name)
        found.append((ending, (tmp_path / name).read_bytes()))
    for ending, content in found:
        if ending == "csv":
            rows = list(csv.reader(io.StringIO(content.decode(), newline="")))
            cells = {cell for row in rows for cell in row}
            assert not [c for c in cells if c[:1] in "=@+-\t\r" and c and not _number(c)]
            assert len({len(row) for row in rows}) == 1
        elif ending == "json":
            data = json.loads(content)
            assert [m["name"] for m in data["models"]] == NAMES
            for m in data["models"]:
                del m["at"]  # the script's own
            assert wrong(data) == []
        elif ending == "svg":
            parts = list(ElementTree.fromstring(content).iter())
            assert {part.tag.split("}")[1] for part in parts}.isdisjoint(
                {"script", "image", "img", "foreignObject", "a"}
            )
            assert not [name for part in parts for name in part.attrib if name.lower().startswith("on")]
        else:
            assert content.startswith(b"\x89PNG")
    harmless(opened)


def _number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def test_paper(opened: Opened) -> None:
    assert opened.page.pdf().startswith(b"%PDF")
    harmless(opened)


COPIED = """() => new Promise((done) => {
  addEventListener("copy", () => {
    const range = getSelection().getRangeAt(0).cloneContents();
    done([getSelection().toString(), range.querySelectorAll("img, b, script[src], [onerror]").length]);
  }, { once: true });
  getSelection().selectAllChildren(document.body);
  document.execCommand("copy");
})"""


def test_what_is_copied(opened: Opened) -> None:
    text, elements = opened.page.evaluate(COPIED)
    assert elements == 0
    assert "<img src=x onerror=" in text
    harmless(opened)
