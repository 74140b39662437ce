"""A diagram says itself where it belongs: the catalogue, the command line and the page find a new one."""

from __future__ import annotations

import importlib
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import karat
from karat.cli import main
from karat.diagrams import diagrams
from karat.page.content import Content
from karat.page.json_numbers import embedded
from karat.page.payload import page_data
from karat.page.payload_curves import SCRIPTED, page_diagrams

STATIC = Path(karat.__file__).parent / "page" / "static"
MODULE = '''
"""A diagram of one's own."""

from dataclasses import dataclass

import numpy as np

from karat.core.arithmetic import Array
from karat.diagrams import diagram
from karat.diagrams.prediction_diagram import PredictionDiagram
from karat.statistics import ScoreTable


@diagram(name="share_above", title="Above the threshold", cite="prati2011")
@dataclass(frozen=True, eq=False, kw_only=True)
class ShareAbove(PredictionDiagram):
    """How many cases of the class lie at or above each score?"""

    on_page = True
    statistic = ScoreTable
    headline = "highest"
    score: Array
    share_of_the_class: Array
    highest: float

    @classmethod
    def compute(cls, statistic: ScoreTable, *, least: float = 0.0) -> "ShareAbove":
        kept = statistic.scores[::-1] >= least
        tpr = statistic.true_positives[1:] / statistic.true_positives[-1]
        scores = statistic.scores[::-1][kept]
        return cls(score=scores, share_of_the_class=tpr[kept], highest=float(scores[0]))

    def draw(self, ax, label, **style):
        ax.plot(self.score, self.share_of_the_class, label=label or None, **style)
'''
Y, P = [0, 1, 0, 1, 1], [0.2, 0.3, 0.4, 0.6, 0.9]
MODELS = {"a": (Y, P), "b": (Y, [0.9, 0.8, 0.7, 0.3, 0.1])}


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    (tmp_path / "diagram_of_mine.py").write_text(MODULE)
    monkeypatch.syspath_prepend(tmp_path)
    yield importlib.import_module("diagram_of_mine")
    diagrams.remove("share_above")
    del sys.modules["diagram_of_mine"]


def data() -> Any:
    models = {name: karat.evaluate(y, p) for name, (y, p) in MODELS.items()}
    return json.loads(embedded(page_data(Content.of(models, intervals=False, replicates=10))))


def test_the_catalogue_has_it(module: ModuleType) -> None:
    kind = karat.catalogue.diagrams["share_above"]
    assert kind is module.ShareAbove
    assert (kind.made_from, kind.on_page, kind.in_gallery) == ("predictions", True, True)
    d = kind.from_predictions(Y, P, least=0.35)
    assert d.score.tolist() == [0.9, 0.6, 0.4]
    assert d.share_of_the_class.tolist() == [1 / 3, 2 / 3, 2 / 3]
    assert d.xy[1].tolist() == [1 / 3, 2 / 3, 2 / 3]


def test_the_command_line_offers_and_draws_it(
    module: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def answer(*words: str) -> Any:
        with pytest.raises(SystemExit, match="0"):
            main([*words, "--json"])
        return json.loads(capsys.readouterr().out)

    file = tmp_path / "a.csv"
    file.write_text("y_true,p_0,p_1\n" + "".join(f"{y},{1 - p:.1f},{p}\n" for y, p in zip(Y, P, strict=True)))
    assert [d["options"] for d in answer("diagrams") if d["name"] == "share_above"] == [["least"]]
    drawn = answer("plot", "share_above", str(file), "--positive", "1", "--set", "least=.5")
    assert drawn["members"][0]["score"] == [0.9, 0.6]


def test_the_page_draws_its_curve(module: ModuleType) -> None:
    page = data()
    assert page["diagrams"]["share_above"]["title"] == "Above the threshold"
    (panel,) = [p for p in page["rest"][0]["panels"] if p["id"] == "share_above"]
    assert (panel["x"], panel["y"]) == ({"title": "score"}, {"title": "share of the class"})
    assert [line["model"] for line in panel["lines"]] == [0, 1]
    assert panel["lines"][0]["x"] == [0.9, 0.6, 0.4, 0.3, 0.2]
    assert panel["lines"][0]["y"] == [0.3333, 0.6667, 0.6667, 1, 1]
    assert panel["lines"][0]["label"] == "highest 0.900"


def test_the_script_of_the_page_makes_a_panel_of_it(module: ModuleType) -> None:
    if shutil.which("node") is None:
        pytest.skip("there is no node to ask the script with")
    names = ("names", "conditions", "charts", "shapes", "maps", "points", "bands", "classes", "details", "panels")
    code = "".join(f"require({json.dumps(str(STATIC / f'{name}.js'))});" for name in names)
    code += f"const data = {json.dumps(data())};"
    code += "const p = globalThis.karatPanels.panels(data).panels.find((p) => p.id === 'share_above');"
    code += "const s = {rest: 0, shown: new Set([1])}; const rows = p.rows(s).curves;"
    code += "console.log(JSON.stringify([p.title, p.caption(s), rows.map((r) => [r.x, r.y])]));"
    out = subprocess.run(["node", "-"], input=code, capture_output=True, text=True, timeout=60)
    assert out.returncode == 0, out.stderr
    title, caption, rows = json.loads(out.stdout)
    assert title == "Above the threshold"
    assert caption == "How many cases of the class lie at or above each score?"
    assert rows[0] == [0.9, 0]
    assert rows[-1] == [0.1, 1]


def test_a_diagram_that_does_not_say_so_is_not_on_the_page(module: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module.ShareAbove, "on_page", False)
    assert "share_above" not in json.dumps(data())


def test_what_scripts_draw_in_their_own_way_is_what_they_name() -> None:
    on_page = {kind.name for kind in page_diagrams()}
    assert on_page >= SCRIPTED
    texts = {name: (STATIC / f"{name}.js").read_text() for name in ("panels", "details", "maps")}
    named = {word for text in texts.values() for word in re.findall(r'"(\w+)"', text)} & set(diagrams)
    assert named - {"reliability"} == SCRIPTED  # reliability: only its bands and their caption


def test_lines_are_dashed_on_the_page_as_in_the_drawings() -> None:
    plt = pytest.importorskip("matplotlib.pyplot")
    several = karat.catalogue.diagrams["roc_curve"].of_models(
        {name: karat.evaluate(y, p).statistics for name, (y, p) in MODELS.items()}
    )
    lines = [line for line in several.plot().ax_.lines if line.get_gid() == "series"]
    (_, second) = [line._unscaled_dash_pattern[1] for line in lines]
    plt.close(several.figure_)
    first, dash = [model["dash"] for model in data()["models"]]
    width = float(re.search(r"const WIDTH = ([\d.]+);", (STATIC / "charts.js").read_text())[1])
    assert first == []
    assert dash == pytest.approx([width * length for length in second], abs=0.05)


def test_a_notebook_prefers_the_picture_to_a_table() -> None:
    d = karat.catalogue.diagrams["roc_curve"].from_predictions(Y, P)
    assert d._repr_html_ is None
    table = d.to_table().columns
    assert dict(zip(table["what"], table["value"], strict=True))["area"] == np.trapezoid(d.tpr, d.fpr)
    with pytest.raises(AttributeError, match="call plot"):
        _ = d.figure_
