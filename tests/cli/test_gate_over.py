"""Requirements over groups, over time and against another file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest


@pytest.fixture
def over_time(tmp_path: Path) -> tuple[Path, Path]:
    """Ten weeks of good predictions; and the same, every third wrong from the sixth week on."""
    rows, worse = [], []
    for i in range(700):
        day = f"2026-{1 + i // 310:02d}-{1 + i // 10 % 31:02d}" if i < 310 else f"2026-02-{1 + (i - 310) // 14:02d}"
        y = i % 2
        decided = 1 - y if i % 10 == 9 or i % 17 == 16 else y
        rows.append(f"{y},{decided},{day}")
        worse.append(f"{y},{1 - y if i > 350 and i % 3 == 0 else decided},{day}")
    paths = tmp_path / "good.csv", tmp_path / "worse.csv"
    for path, lines in zip(paths, (rows, worse), strict=True):
        path.write_text("\n".join(["y_true,y_pred,date", *lines]))
    return paths


def test_requirements_over_time_and_against_a_file(run: Any, over_time: tuple[Path, Path]) -> None:
    good, worse = over_time
    asked = ("--require", "drop(date: accuracy)<=0.05", "--require", "outside(date: accuracy)<=0")
    facts = json.loads(run("gate", good, *asked, "--json"))
    assert [row["value"] for row in facts["requirements"]] == [0, 0]
    facts = json.loads(run("gate", worse, *asked, "--json", code=1))
    drop, outside = facts["requirements"]
    assert not drop["met"]
    assert 0.2 < drop["value"] < 0.4
    assert "since 2026-02-02" in drop["why"]
    assert outside["value"] >= 1
    against = ("--require", f"change({good}: accuracy).hi<=-0.05", "--require", f"remaining({good}: accuracy)>=-0.05")
    change, remaining = json.loads(run("gate", worse, *against, "--json", code=1))["requirements"]
    columns = [np.loadtxt(path, int, delimiter=",", skiprows=1, usecols=(0, 1)) for path in (worse, good)]
    here, there = ((c[:, 0] == c[:, 1]).mean() for c in columns)
    assert change["met"]
    assert change["why"] == f"{there:.3f} to {here:.3f}"
    assert remaining["value"] == pytest.approx(here - there, abs=1e-9)  # frequencies are equal


def test_requirements_of_parts_that_are_refused(run: Any, over_time: tuple[Path, Path]) -> None:
    good, _ = over_time
    for text, words in (
        ("drop(date: accuracy).lo<=0.05", "leave .lo and .hi out"),
        ("change(nothing.csv: accuracy)<=0.05", "there is no file 'nothing.csv'"),
        ("drop(y_pred: accuracy)<=0.05", "is not a date"),
        ("min(date: accuracy)>=baseline.json", "min is compared with a number"),
    ):
        assert words in run("gate", good, "--require", text, code=2)
    told = run("gate", good, "--require", "min(date: accuracy)>=0.1", "--groups", "date", code=2)
    assert "takes cases to be independent" in told
