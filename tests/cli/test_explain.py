"""The command line: results on stdout, a refusal in one line on stderr, exit codes 0 and 2."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

import karat
from karat.cli import main
from karat.cli.commands import app


def run(*words: str) -> str:
    result = CliRunner(env={"COLUMNS": "400"}).invoke(app, list(words))
    assert result.exit_code == 0, result.output
    return result.stdout


def test_the_demo_compares_two_models_of_equal_accuracy_and_writes_a_report(tmp_path: Path) -> None:
    models = json.loads(run("demo", "--json"))
    assert list(models) == ["random_forest", "adaboost", "naive_bayes"]
    one, two = (models[name]["measures"] for name in ("random_forest", "adaboost"))
    assert one["Acc"] == two["Acc"]
    assert two["CalB"] > 5 * one["CalB"]
    out = tmp_path / "report.html"
    text = run("demo", "-o", str(out))
    if importlib.util.find_spec("vl_convert") is None:
        assert "karat[report]" in text
    else:
        assert str(out) in text
        assert "naive_bayes" in out.read_text(encoding="utf-8")
    for symbol in karat.catalogue.headline:
        assert f"\n{symbol} " in text
    assert f"{one['LogL']:.4f}*" in text
    assert "\x1b" not in text  # no colours into a pipe


def test_every_measure_is_listed() -> None:
    listed = json.loads(run("measures", "--json"))
    assert [m["symbol"] for m in listed] == list(karat.catalogue.measures)
    text = run("measures")
    assert all(f"\n{m['symbol']} " in text for m in listed)
    ranking = json.loads(run("measures", "--family", "ranking", "--json"))
    assert {m["family"] for m in ranking} == {"ranking"}


def test_documents_count_the_measures_right() -> None:
    root = Path(__file__).resolve().parents[2]
    for name, words in (("README.md", "any of {}, by"), ("CHANGELOG.md", "{} measures in all")):
        assert words.format(len(karat.catalogue.measures)) in (root / name).read_text(), name


def test_the_citation_is_of_this_version() -> None:
    citation = Path(__file__).resolve().parents[2] / "CITATION.cff"
    assert f"\nversion: {karat.__version__}\n" in citation.read_text(encoding="utf-8")


def test_traits_come_from_the_declarations() -> None:
    line = next(line for line in run("measures", "--traits").splitlines() if line.startswith("AU1U "))
    assert line.split() == ["AU1U", "R", "D", "P", "S", "C", "E", "M"]
    assert "M  a strictly increasing transformation of the scores" in run("measures", "--traits")


@pytest.mark.parametrize("symbol", list(karat.catalogue.measures))
def test_every_measure_is_explained(symbol: str) -> None:
    text = run("explain", symbol)
    assert karat.catalogue.measures[symbol].question in text
    assert "citation:" in text


def test_refusals_are_one_line_and_exit_with_2(capsys: pytest.CaptureFixture[str]) -> None:
    for words, says in [
        (["explain", "MCCC"], "Did you mean MCC"),
        (["explain", "macro(MCC)"], "a measure of all classes already"),
        (["measures", "--family", "x"], "the families are"),
    ]:
        with pytest.raises(SystemExit) as stopped:
            main(words)
        assert stopped.value.code == 2
        shown = capsys.readouterr()
        assert says in shown.err
        assert shown.err.count("\n") == 1
        assert shown.out == ""


def test_it_runs_as_a_program() -> None:
    out = subprocess.run([sys.executable, "-m", "karat", "versions"], capture_output=True, text=True, check=True)
    assert out.stdout.startswith("karat")
    assert run("--version") == f"karat {karat.__version__}\n"


def test_a_terminal_without_arrows_is_no_trouble(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    command = [sys.executable, "-m", "karat", "demo", "-o", str(tmp_path / "report.html")]
    out = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    assert "CalB" in out.stdout
