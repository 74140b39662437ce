"""`--by`: groups on the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import karat


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Any]:
    """Two models of 400 cases at three sites, one of which has the first model's probabilities shuffled."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 400)
    site = np.array(["north", "south", "<b>east</b>"])[rng.integers(0, 3, 400)]
    age = rng.integers(18, 90, 400)
    p = np.round(np.clip(0.5 + 0.3 * (2 * y - 1) + rng.normal(0, 0.2, 400), 0.01, 0.99), 4)
    p[site == "south"] = rng.permutation(p[site == "south"])
    q = np.round(np.clip(0.5 + 0.1 * (2 * y - 1) + rng.normal(0, 0.2, 400), 0.01, 0.99), 4)
    for name, scores in (("a", p), ("b", q)):
        lines = [f"{t},{s},{w},{g}" for t, s, w, g in zip(y, scores, site, age, strict=True)]
        (tmp_path / f"{name}.csv").write_text("\n".join(["y_true,p_1,site,age", *lines]) + "\n")
    return {"a": tmp_path / "a.csv", "b": tmp_path / "b.csv", "y": y, "p": p, "site": site, "age": age}


def test_evaluate_by_columns(run: Any, files: dict[str, Any]) -> None:
    out = run("evaluate", files["a"], "--by", "site", "--by", "age", "--measures", "recall,AUC")
    assert "3 groups by site" in out
    assert "4 groups by age (age was cut into 4 quantile bins, at " in out
    assert "<b>east</b>" in out
    assert "Largest difference between groups" in out
    facts = json.loads(run("evaluate", files["a"], "--by", "site", "--intervals", "--measures", "recall", "--json"))
    g = karat.evaluate(files["y"], files["p"]).by(files["site"])
    by_site = facts["by"]["site"]
    assert by_site["groups"] == list(g.groups)
    assert by_site["measures"]["Recall"] == pytest.approx(list(g["recall"].value))
    assert by_site["intervals"]["Recall"]["low"] == pytest.approx(list(g["recall"].low))
    assert by_site["gaps"]["Recall"]["p"] == g.gap("recall").p
    crossed = json.loads(run("evaluate", files["a"], "--by", "site", "--by", "age", "--cross", "--bins", "2", "--json"))
    assert len(crossed["by"]["site and age"]["groups"]) == 6


def test_patterns_are_read_part_by_part(run: Any, files: dict[str, Any]) -> None:
    facts = json.loads(run("evaluate", files["a"].parent / "a*.csv", "--by", "site", "--json"))
    alone = json.loads(run("evaluate", files["a"], "--by", "site", "--json"))
    assert facts["by"]["site"]["groups"] == alone["by"]["site"]["groups"]
    assert facts["by"]["site"]["measures"]["Acc"] == pytest.approx(alone["by"]["site"]["measures"]["Acc"], abs=1e-12)
    told = run("compare", files["a"].parent / "a*.csv", files["b"].parent / "b*.csv", "--by", "site", code=2)
    assert "--by needs a file as a whole" in told


def test_codes_are_no_numbers(run: Any, tmp_path: Path) -> None:
    path = tmp_path / "codes.csv"
    path.write_text("\n".join(["y_true,y_pred,ward", *(f"{i % 2},{i % 2},00{7 + i % 3}" for i in range(60))]))
    facts = json.loads(run("evaluate", path, "--by", "ward", "--json"))
    assert facts["by"]["ward"]["groups"] == ["007", "008", "009"]


def test_compare_within_groups(run: Any, files: dict[str, Any]) -> None:
    facts = json.loads(run("compare", files["a"], files["b"], "--by", "site", "--measures", "AUC", "--json"))
    table = facts["by"]
    south = table["group"].index("south")
    assert table["difference"][south] < 0
    assert max(table["difference"]) > 0.2
    inside = files["site"] == "south"
    c = karat.compare(
        {"a": files["p"][inside], "b": np.loadtxt(files["b"], delimiter=",", skiprows=1, usecols=1)[inside]},
        files["y"][inside],
        measures=["AUC"],
    )
    assert table["p"][south] == pytest.approx(c["a", "b"]["AUC"].p)
    text = run("compare", files["a"], files["b"], "--by", "site")
    assert "Differences within groups (a minus b; " in text
    rows = [line for line in text.splitlines() if line.startswith("south ")]  # each says of whom it is, and by how much
    assert len(rows) == text.count("(Holm)\n") == 4
    assert all(line.count("[") == 1 for line in rows)


@pytest.mark.parametrize(
    ("requirement", "code", "words"),
    [
        ("min(site: recall).lo>=0.7", 1, "NOT MET: south"),
        ("min(site: recall)>=0.1", 0, "met: south"),
        ("max(site: log_loss)<=0.01", 1, "NOT MET: south"),
        ("gap(site: accuracy)<=0.05", 1, "NOT MET: south and "),
        ("gap(site: accuracy).hi<=0.9", 0, "met: south and "),
    ],
)
def test_gate_over_groups(run: Any, files: dict[str, Any], requirement: str, code: int, words: str) -> None:
    assert words in run("gate", files["a"], "--require", requirement, code=code)


def test_a_group_without_an_interval_meets_no_requirement(run: Any, tmp_path: Path) -> None:
    rows = ["y_true,y_pred,site", *["1,1,a", "0,0,a"] * 30, "0,0,b"]
    (tmp_path / "few.csv").write_text("\n".join(rows) + "\n")
    out = run("gate", tmp_path / "few.csv", "--require", "min(site: TPR)>=0.5", code=1)
    assert "NOT MET: no value for b" in out
    out = run("gate", tmp_path / "few.csv", "--require", "min(site: recall)>=0.5", code=1)
    assert "NOT MET: b (by convention 0 " in out


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("evaluate", "--by", "ward"), "has no column 'ward'"),
        (("evaluate", "--cross"), "--cross, --bins and --drop-missing are about groups; add --by"),
        (("evaluate", "--by", "p_id"), "has no column 'p_id'"),
        (("gate", "--require", "min(ward: recall)>=0.5"), "has no column 'ward'"),
        (("gate", "--require", "min(site: recal)>=0.5"), "recal"),
        (("compare", "--by", "site", "--groups", "site"), "leave out --unpaired and --groups"),
    ],
)
def test_what_can_not_be_grouped_is_refused(
    run: Any, files: dict[str, Any], words: tuple[str, ...], reason: str
) -> None:
    command, *options = words
    given = [files["a"], files["b"]] if command == "compare" else [files["a"]]
    assert reason in run(command, *given, *options, code=2)


def test_a_column_of_ids_is_refused_with_the_count(run: Any, tmp_path: Path) -> None:
    rows = ["y_true,y_pred,patient", *(f"{i % 2},{i % 2},p{i}" for i in range(60))]
    (tmp_path / "ids.csv").write_text("\n".join(rows) + "\n")
    words = run("evaluate", tmp_path / "ids.csv", "--by", "patient", code=2)
    assert "patient has 60 distinct values in 60 cases, nearly one for each" in words
