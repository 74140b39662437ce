"""What CONTRIBUTING.md says is enough is enough: each block, put into a module of its own, is found everywhere."""

from __future__ import annotations

import importlib
import importlib.util
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import karat

TEXT = (Path(__file__).resolve().parents[1] / "CONTRIBUTING.md").read_text(encoding="utf-8")
BLOCKS = {
    title.removeprefix("A ").strip(): block
    for title, block in re.findall(r"^## (A [a-z]+)\n.*?```python\n(.*?)```", TEXT, re.M | re.S)
}
Y = [0, 0, 1, 1, 0, 1]
P = [0.1, 0.4, 0.35, 0.8, 0.2, 0.9]


@pytest.fixture
def added(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """The block of a section as a module; what it declares is taken back afterwards."""
    from karat.core.comparison import comparisons

    catalogue = karat.catalogue
    registries = (catalogue.measures, catalogue.checks, catalogue.diagrams, catalogue.studies, comparisons)
    before = [list(registry) for registry in registries]
    if request.param == "learner":
        pytest.importorskip("sklearn")
    name = f"contributed_{request.param}"
    (tmp_path / f"{name}.py").write_text(BLOCKS[request.param], encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    yield importlib.import_module(name)
    sys.modules.pop(name, None)
    for registry, known in zip(registries, before, strict=True):
        for symbol in [symbol for symbol in registry if symbol not in known]:
            registry.remove(symbol)


def add(section: str) -> Any:
    return pytest.mark.parametrize("added", [section], indirect=True)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "predictions.csv"
    path.write_text("y_true,p_1\n" + "".join(f"{y},{p}\n" for y, p in zip(Y, P, strict=True)))
    return path


def test_a_measure_of_ones_own_as_the_readme_has_it() -> None:
    readme = (Path(__file__).resolve().parents[1] / "README.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```python\n(from karat\.statistics import Counts\n.*?)```", readme, re.S)

    def my_profit(y_true: Any, y_proba: Any) -> float:
        return float(np.sum((2 * y_true - 1) * (y_proba > 0.5)))

    try:
        exec(compile(block, "README.md", "exec", dont_inherit=True), {"karat": karat, "my_profit": my_profit})
        e = karat.evaluate(Y, P)
        assert (e["my_profit"], e["share"]) == (2.0, 5 / 6)
    finally:
        for symbol in ("my_profit", "Share"):
            karat.catalogue.measures.remove(symbol)


def test_every_kind_has_its_section() -> None:
    assert list(BLOCKS) == ["measure", "diagram", "comparison", "finding", "study", "learner", "command"]


@add("measure")
def test_a_measure(added: ModuleType, run: Any, file: Path) -> None:
    assert karat.evaluate(Y, P)["coherence"] == 5 / 6
    assert "Coherence" in run("measures")
    assert json.loads(run("evaluate", file, "--measures", "coherence", "--json"))["measures"] == {"Coherence": 5 / 6}
    assert not any(karat.check_measure("Coherence").columns["complaint"])
    html = karat.report(karat.evaluate(Y, P), measures=["Coherence", "MCC"], replicates=20).html
    assert "What share of the decisions is right?" in html


@add("diagram")
def test_a_diagram(added: ModuleType, run: Any, file: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    assert karat.catalogue.diagrams["share_above"].from_predictions(Y, P).share.tolist() == [
        1 / 3,
        2 / 3,
        2 / 3,
        1,
        1,
        1,
    ]
    assert "share_above" in run("diagrams")
    run("plot", "share_above", file, "-o", tmp_path / "drawn.svg")
    assert (tmp_path / "drawn.svg").stat().st_size > 1000
    assert "Share above" in karat.report(karat.evaluate(Y, P), replicates=20).html


@add("comparison")
def test_a_comparison(added: ModuleType, run: Any) -> None:
    assert "lead" in run("comparisons")
    assert "In how many cases" in run("explain", "lead")
    answer = karat.catalogue.comparisons["lead"]([1, 2, 3], [1, 1, 4])
    assert answer.to_dict() == {"ahead": 1, "behind": 1, "verdict": answer.verdict}
    models = {"a": karat.evaluate(Y, P), "b": karat.evaluate(Y, P[::-1])}
    assert "In how many cases" in karat.report(models, replicates=20).html


@add("finding")
def test_a_finding(added: ModuleType, run: Any) -> None:
    assert "many-classes" in karat.catalogue.checks
    assert "more classes than anybody" in run("explain", "many-classes")
    y = np.arange(1500)
    findings = karat.evaluate(y, y_pred=np.roll(y, 1)).findings()
    assert "many-classes" in findings.codes
    assert "many-classes" not in karat.evaluate(Y, P).findings().codes


@add("study")
def test_a_study(added: ModuleType, run: Any) -> None:
    assert "coins" in run("studies")
    (share,) = karat.catalogue.studies["coins"](throws=500, seed=3).run()["heads"].columns["share"]
    assert 0.4 < share < 0.6
    assert "heads" in run("study", "coins", "--size", "200")


@add("learner")
def test_a_learner(added: ModuleType, run: Any) -> None:
    from karat.learners import FAMILIES

    try:
        words = ("--set", "learners=Majority,NB", "--set", "datasets=iris", "--set", "folds=2", "--repetitions", "1")
        assert "Acc" in run("study", "correlation", *words, "--measures", "Acc,MCC,MSE")
    finally:
        del FAMILIES["Majority"]


def test_a_command(run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import karat.cli
    from karat.cli.main import commands

    (tmp_path / "count.py").write_text(BLOCKS["command"], encoding="utf-8")
    monkeypatch.setattr(karat.cli, "__path__", [*karat.cli.__path__, str(tmp_path)])
    try:
        assert run("count").strip() == str(len(karat.catalogue.measures))
        assert "how many measures" in run("--help")
    finally:
        commands.pop("count", None)
        sys.modules.pop("karat.cli.count", None)
