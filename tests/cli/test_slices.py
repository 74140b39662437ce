"""`karat slices`."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from commands import refused, run


@pytest.fixture
def predictions(tmp_path: Path) -> str:
    """Errors of 50 % where age > 70 and site = north, else 10 %; some values are missing."""
    rng = np.random.default_rng(1)
    n = 2000
    age, site = rng.integers(20, 90, n), rng.choice(["north", "south", "west"], n)
    wrong = rng.random(n) < np.where((age > 70) & (site == "north"), 0.6, 0.1)
    y = rng.integers(0, 2, n)
    lines = [
        f"{y[i]},{abs(y[i] - wrong[i])},{age[i] if i % 50 else ''},{site[i] if i % 40 else ''},{i},{3 * wrong[i]}"
        for i in range(n)
    ]
    path = tmp_path / "forest.csv"
    path.write_text("\n".join(["y_true,y_pred,age,site,row,euros", *lines]), encoding="utf-8")
    return str(path)


def test_slices_in_words_and_as_a_table(predictions: str) -> None:
    out = run("slices", predictions, "--attributes", "age,site")
    assert "and site = north: error 0." in out
    assert "slice" in out
    assert "rest" in out
    facts = json.loads(run("slices", predictions, "--attributes", "age, site", "--loss", "euros", "--json"))
    assert facts["loss"] == "cost"
    assert facts["slices"][0]["value"] > 1
    assert "| slice |" in run("slices", predictions, "--attributes", "site", "--as", "markdown")


def test_columns_that_are_ids_or_not_there_are_refused(predictions: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert "has 2,000 different whole numbers" in refused(capsys, "slices", predictions, "--attributes", "row")
    assert "has no column 'sex'" in refused(capsys, "slices", predictions, "--attributes", "age,sex")
    assert "has no column 'francs'" in refused(capsys, "slices", predictions, "--attributes", "age", "--loss", "francs")
    assert "names no column" in refused(capsys, "slices", predictions, "--attributes", ",")
    assert "--loss is 'log_loss'" in refused(capsys, "slices", predictions, "--attributes", "age", "--loss", "log_loss")


def test_a_confusion_matrix_has_no_attributes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "matrix.csv"
    path.write_text("truth,a,b\na,5,1\nb,1,5\n", encoding="utf-8")
    assert "cases have no attributes" in refused(capsys, "slices", str(path), "--attributes", "age")
