"""`karat evaluate --by date --every week`."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from commands import refused, run


@pytest.fixture
def predictions(tmp_path: Path) -> str:
    """Accuracy 0.9, from the eleventh week on 0.6."""
    rng = np.random.default_rng(0)
    days = np.sort(rng.integers(0, 140, 1500))
    y = rng.integers(0, 2, 1500)
    wrong = rng.random(1500) < np.where(days < 70, 0.1, 0.4)
    lines = [f"{t},{abs(t - w)},{np.datetime64('2026-01-05') + d}" for t, w, d in zip(y, wrong, days, strict=True)]
    path = tmp_path / "forest.csv"
    path.write_text("\n".join(["y_true,y_pred,date", *lines]))
    return str(path)


def test_weeks_of_a_measure(predictions: str) -> None:
    words = ["evaluate", predictions, "--by", "date", "--every", "week", "--measures", "accuracy"]
    out = run(*words)
    assert "Accuracy fell from 0.876" in out
    assert "in the week of 2026-03-16 (p = 0.001)." in out
    (week,) = [line for line in out.splitlines() if line.startswith("2026-03-16")]
    assert week.endswith("outside, changed")
    assert "limits" in out
    narrow = run(*words, "--measures", "accuracy,mcc", columns=80)
    assert all(line.startswith("2026-") for line in narrow.splitlines() if "[" in line)  # each row says its week
    facts = json.loads(run(*words, "--json"))
    assert facts["courses"]["Acc"]["changed"] == "2026-03-16"
    assert "| week |" in run(*words, "--as", "markdown")


def test_a_course_is_drawn(predictions: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["evaluate", predictions, "--by", "date", "--every", "week", "--measures", "accuracy"]
    run(*words, "--figure", str(tmp_path / "course.svg"))
    assert "Accuracy" in (tmp_path / "course.svg").read_text()
    assert "add --by DATE --every week" in refused(capsys, "evaluate", predictions, "--figure", "x.svg")
    assert "there is no folder" in refused(capsys, *words, "--figure", str(tmp_path / "absent" / "x.svg"))


def test_columns_that_are_no_dates_are_refused(predictions: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert "is not a date" in refused(capsys, "evaluate", predictions, "--by", "y_pred", "--every", "week")
    assert "add --by COLUMN once" in refused(capsys, "evaluate", predictions, "--every", "week")
    assert "--every is 'era'" in refused(capsys, "evaluate", predictions, "--by", "date", "--every", "era")
    assert "one year (2026)" in refused(capsys, "evaluate", predictions, "--by", "date", "--every", "year")
