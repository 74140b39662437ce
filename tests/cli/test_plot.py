"""`karat plot`: the overview, familiar words, and what help says. More of it is in test_commands.py."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import karat

FILE = "y_true,p_a,p_b\na,.8,.2\nb,.3,.7\na,.6,.4\nb,.6,.4\n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "model.csv"
    path.write_text(FILE)
    return path


def test_overview(run: Any, told: Any, file: Path, tmp_path: Path) -> None:
    positive = ("--positive", "b")
    assert list(told("plot", "overview", file, *positive)) == [
        "roc_curve", "precision_recall", "reliability", "confusion_matrix"
    ]  # fmt: skip
    assert told("plot", "overview", file, *positive, "--set", "bins=2")["reliability"]["grouping"] == "width"
    assert "has an option 'nothing'" in run("plot", "overview", file, *positive, "--set", "nothing=1", code=2)
    assert "name it instead of `overview`" in run("plot", "overview", file, "--each-class", code=2)
    pytest.importorskip("matplotlib")
    run("plot", "overview", file, *positive, "-o", tmp_path / "all.png")
    assert (tmp_path / "all.png").read_bytes()[:4] == b"\x89PNG"


def test_familiar_words(told: Any, run: Any, file: Path, tmp_path: Path) -> None:
    rows = told("plot", "confusion_matrix", file, "--set", "normalize=true")["members"][0]
    assert (rows["table"], rows["view"]) == ([[1, 0], [0.5, 0.5]], "truth")
    bins = told("plot", "reliability", file, "--positive", "b", "--set", "n_bins=2")["members"][0]
    assert bins["edges"] == [0, 0.5, 1]
    assert "use --set view=" in run("plot", "confusion_matrix", file, "--set", "normalize=rows", code=2)
    pytest.importorskip("matplotlib")
    out = tmp_path / "roc.svg"
    run("plot", "roc_curve", file, "--positive", "b", "--set", "color=#123456", "--set", "hull=true", "-o", out)
    assert "#123456" in out.read_text()
    said = run("plot", "roc_curve", file, "--positive", "b", "--set", "color=nocolour", "-o", out, code=2)
    assert "can't be drawn with color='nocolour'" in said


def test_help_has_examples(run: Any) -> None:
    said = run("plot", "--help")
    for words in ("Examples", "karat plot roc_curve", "karat plot overview", "--set"):
        assert words in said


def test_bands_by_groups(run: Any, told: Any, tmp_path: Path) -> None:
    """Groups of a column, as `compare` and `evaluate` have them: here each group is of one class and one score, so that
    80 cases tell no more than their eight groups."""
    lines = [f"g{i % 8},{'ab'[i % 2]},{(1 + i % 8) / 10}" for i in range(80)]
    file = tmp_path / "grouped.csv"
    file.write_text("\n".join(["site,y_true,p_b", *lines, ""]))
    band = ("plot", "roc_curve", file, "--positive", "b", "--set", "band=0.95")
    alone, grouped = (told(*band, *more)["members"][0]["band"] for more in ((), ("--groups", "site")))
    widths = [sum(high - low for low, high in zip(x["low"], x["high"], strict=True)) for x in (alone, grouped)]
    assert widths[1] > 1.3 * widths[0]
    assert "--set band=0.95" in run(*band[:5], "--groups", "site", code=2)
    assert "which --groups names" in run(*band, "--groups", "patient", code=2)
    assert "leave --groups out" in run("plot", "confusion_matrix", file, "--groups", "site", code=2)
    assert "instead of `overview`" in run("plot", "overview", file, "--groups", "site", code=2)


@pytest.mark.parametrize("trouble", [TypeError("no such"), ValueError("too many")])
def test_only_what_was_said_of_a_diagram_can_be_wrong(trouble: Exception) -> None:
    """Without options of a diagram an error is karat's own, and is reported as such."""
    from karat.cli.plot import _computed

    def fails() -> None:
        raise trouble

    kind = karat.catalogue.diagrams["roc_curve"]
    with pytest.raises(type(trouble), match=str(trouble)):
        _computed(kind, {}, fails)
    with pytest.raises(karat.InputError, match=f"roc_curve can't be made with band=7 .{trouble}.; correct the values"):
        _computed(kind, {"band": 7}, fails)
