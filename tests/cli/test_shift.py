"""`karat shift`."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from commands import refused, run


@pytest.fixture
def files(tmp_path: Path) -> Path:
    rng = np.random.default_rng(0)
    for name, share in (("reference", 0.2), ("current", 0.5)):
        y = (rng.random(800) < share).astype(int)
        p = 1 / (1 + np.exp(-(2 * (rng.normal(size=800) + 2 * y - 1) - 1.4)))
        lines = [f"{['no', 'yes'][t]},{1 - x:.6f},{x:.6f}" for t, x in zip(y, p, strict=True)]
        (tmp_path / f"{name}.csv").write_text("\n".join(["y_true,p_no,p_yes", *lines]))
        blind = [line.partition(",")[2] for line in lines]
        (tmp_path / f"{name}_blind.csv").write_text("\n".join(["p_no,p_yes", *blind]))
    return tmp_path


def test_a_shift_with_and_without_labels(files: Path) -> None:
    words = ["shift", str(files / "reference.csv"), str(files / "current.csv"), "--positive", "yes"]
    out = run(*words)
    assert "Class frequencies changed: " in out
    assert "by_frequencies" in out
    facts = json.loads(run(*words, "--json", "--measures", "MCC,roc_auc"))
    assert set(facts["measures"]) == {"MCC", "AUC"}
    words[2] = str(files / "current_blind.csv")
    blind = json.loads(run(*words, "--json", "--measures", "MCC", "--replicates", "20"))
    assert not blind["labelled"]
    assert blind["frequencies"]["yes"][1] == pytest.approx(facts["frequencies"]["yes"][1], abs=0.06)
    assert "Estimated without labels" in run(*words, "--replicates", "20", "--measures", "MCC")


def test_files_that_do_not_fit_are_refused(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    reference, current = str(files / "reference.csv"), str(files / "current.csv")
    assert "1 files were given; give two" in refused(capsys, "shift", reference)
    assert "3 files were given; give two" in refused(capsys, "shift", reference, current, current)
    (files / "other.csv").write_text("y_true,p_no,p_maybe\nno,0.4,0.6\nmaybe,0.5,0.5\n")
    assert "the classes 'no', 'yes' and the current set 'maybe', 'no'" in refused(
        capsys, "shift", reference, str(files / "other.csv")
    )
    (files / "wrong.csv").write_text("x,no,maybe\n1,0.4,0.6\n2,0.5,0.5\n")
    assert "'p_no', 'p_yes' is missing" in refused(capsys, "shift", reference, str(files / "wrong.csv"))
    assert "missing.csv" in refused(capsys, "shift", reference, str(files / "missing.csv"))
