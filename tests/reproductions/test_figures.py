"""`karat reproduce PAPER --figures DIR`: every figure that a paper's reproduction can draw, at the smallest size."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from commands import refused, run
from karat.reproductions import PAPERS, reproduce
from karat.reproductions.paper_figures import INDEX

pytest.importorskip("matplotlib")

PUBLISHED = {
    "ferri2009": range(1, 9),
    "valverde2014": (1, 2, 3, 4, 6),  # 5 shows the parts of 3 as rectangles
    "jurman2012": (1,),
    "wang2013": range(1, 9),
    "prati2011": (*range(1, 8), *range(11, 21)),  # 8 to 10 are sketches without numbers
}
"""The numbers of the figures that show results."""


def drawn(folder: Path) -> dict[int, str]:
    """The rows of the index: number to file, or to why there is none."""
    rows = re.findall(r"^\| (\d+) \| (.+?) \| (.+) \|$", (folder / INDEX).read_text(), re.MULTILINE)
    assert all(shows for _, _, shows in rows)
    return {int(number): file for number, file, _ in rows}


def texts(file: Path) -> list[str]:
    return re.findall(r">([^<>]+)</t(?:ext|span)>", file.read_text())


@pytest.mark.parametrize("paper", PAPERS)
def test_every_figure_with_results_is_declared(paper: str) -> None:
    assert [f.number for f in PAPERS[paper].FIGURES] == list(PUBLISHED[paper])


def test_ferri(tmp_path: Path) -> None:
    reproduce("ferri2009", share=0.0005, workers=1, figures=tmp_path)
    rows = drawn(tmp_path)
    assert {n for n, file in rows.items() if file.startswith("not drawn: it needs data")} == {2, 3, 4}
    for n in (1, 5, 6, 7, 8):
        words = texts(tmp_path / f"ferri2009-figure_{n:02d}.svg")
        assert {"CalB", "LogL"} <= set(words)
    assert "Level of noise in the ranking" in texts(tmp_path / "ferri2009-figure_07.svg")
    assert "Ranking" in texts(tmp_path / "ferri2009-figure_05.svg")


def test_valverde(tmp_path: Path) -> None:
    pytest.importorskip("mpltern")
    matrices = {"C_1": [[5, 1], [2, 4]], "C_4": [[3, 3], [2, 4]]}
    reproduce("valverde2014", share=0.5, workers=1, matrices=matrices, figures=tmp_path)
    assert not any(file.startswith("not drawn") for file in drawn(tmp_path).values())
    words = texts(tmp_path / "valverde2014-figure_02.svg")
    # the accuracies of the caption, of two classes and of three
    assert {"2 classes, 100 cases", "0.750", "0.880", "0.970", "3 classes, 18 cases", "0.667", "0.833"} <= set(words)
    assert sum(word == "accuracy" for word in words) == 2  # a legend for each: colours are not shared


def test_jurman(tmp_path: Path) -> None:
    reproduce("jurman2012", share=0.0005, workers=1, figures=tmp_path)
    words = texts(tmp_path / "jurman2012-figure_01.svg")
    assert {"MCC", "CEN", "tMCC", "k CEN"} <= set(words)  # both pairs of axes are named


def test_prati_with_and_without_predictions(tmp_path: Path) -> None:
    reproduce("prati2011", figures=tmp_path / "without")
    rows = drawn(tmp_path / "without")
    assert [n for n, file in rows.items() if not file.startswith("not drawn")] == [*range(1, 8), 11, 12]
    rng = np.random.default_rng(0)
    y = np.arange(60) % 3 == 0
    for name in ("naive_bayes", "bayes_net", "nbtree"):
        p = np.clip(0.3 + 0.3 * y + 0.2 * rng.normal(size=60), 0.01, 0.99)
        lines = [f"{int(truth)},{1 - one:.6f},{one:.6f}" for truth, one in zip(y, p, strict=True)]
        (tmp_path / f"{name}.csv").write_text("y_true,p_0,p_1\n" + "\n".join(lines))
    reproduce("prati2011", predictions=tmp_path, figures=tmp_path / "with")
    files = sorted(path.name for path in (tmp_path / "with").glob("*.svg"))
    assert files == [f"prati2011-figure_{n:02d}.svg" for n in (*range(1, 8), *range(11, 21))]
    for path in (tmp_path / "with").glob("*figure_[12][0-9].svg"):
        assert any("NBTree" in word for word in texts(path)), path.name


def test_wang(tmp_path: Path) -> None:
    pytest.importorskip("sklearn")
    rng = np.random.default_rng(1)
    lines = [",".join([*(f"{x:.3f}" for x in rng.normal(size=6)), "abc"[i % 3]]) for i in range(60)]
    (tmp_path / "car.csv").write_text("a,b,c,d,e,f,class\n" + "\n".join(lines))
    reproduce("wang2013", data=tmp_path, share=0.003, workers=1, figures=tmp_path / "figures")
    assert len(list((tmp_path / "figures").glob("*.svg"))) == 8
    two = texts(tmp_path / "figures" / "wang2013-figure_02.svg")
    assert {"arbiter: rpCEN", "arbiter: pCEN", "rpCEN against AU1P"} <= set(two)
    assert {"arbiter: MAE", "arbiter: MSE"} <= set(texts(tmp_path / "figures" / "wang2013-figure_08.svg"))


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run("reproduce", "jurman2012", "--share", "0.0005", "--figures", str(tmp_path / "new"))
    assert sorted(path.name for path in (tmp_path / "new").iterdir()) == [INDEX, "jurman2012-figure_01.svg"]
    run("reproduce", "prati2011", "--figures", str(tmp_path / "prati"))
    assert "it needs --predictions" in (tmp_path / "prati" / INDEX).read_text()
    (tmp_path / "file").write_text("")
    assert "can't be created" in refused(capsys, "reproduce", "prati2011", "--figures", str(tmp_path / "file"))
    words = " ".join(run("reproduce", "--help").split())
    assert "--figures" in words
    assert "Draws Figs. 1 to 4, 6." in words


def test_nothing_stays_open(tmp_path: Path) -> None:
    import matplotlib.pyplot as plt

    before: Any = plt.get_fignums()
    reproduce("jurman2012", share=0.0005, workers=1, figures=tmp_path)
    assert plt.get_fignums() == before
