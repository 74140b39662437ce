"""The command line: results on stdout, a refusal in one line on stderr, exit codes 0 and 2."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import karat
from commands import refused, run


def test_the_demo_compares_two_models_of_equal_accuracy_and_writes_a_report(tmp_path: Path) -> None:
    models = json.loads(run("demo", "--json"))
    assert list(models) == ["random_forest", "adaboost", "naive_bayes"]
    one, two = (models[name]["measures"] for name in ("random_forest", "adaboost"))
    assert one["Acc"] == two["Acc"]
    assert two["CalB"] > 5 * one["CalB"]
    out = tmp_path / "report.html"
    text = run("demo", "-o", str(out))
    assert str(out) in text
    assert "naive_bayes" in out.read_text(encoding="utf-8")
    for title in ("Accuracy", "Precision", "Recall", "F1", "ROC AUC", "Log loss in nats", "Brier score"):
        assert f"\n{title} " in text
    assert f"{one['LogLoss']:#.3g} *" in text
    assert "\x1b" not in text  # no colours into a pipe


def test_every_measure_is_listed() -> None:
    listed = json.loads(run("measures", "--json"))
    assert [m["symbol"] for m in listed] == list(karat.catalogue.measures)
    text = run("measures")
    assert all(f"\n{m['title'].split()[0]}" in text and f" {m['symbol']} " in text for m in listed)
    assert text.endswith(f"\n{len(listed)} measures. `karat explain SYMBOL` explains one of them.\n")
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
        assert says in refused(capsys, *words)


@pytest.mark.parametrize("kind", ["diagram", "finding", "study", "comparison"])
def test_what_is_declared_is_listed_and_explained(kind: str) -> None:
    registry: Any = getattr(karat.catalogue, {"finding": "checks", "study": "studies"}.get(kind, f"{kind}s"))
    plural = {"study": "studies"}.get(kind, f"{kind}s")
    facts = json.loads(run(plural, "--json"))
    assert [one.get("code", one["name"]) for one in facts] == list(registry)
    text = run(plural)
    for name, declared in registry.items():
        words = declared.shows if kind == "diagram" else declared.question
        assert words in text
        assert words in run("explain", name, "--kind", kind)
        assert f"\n{name} " in text


def test_a_name_of_several_kinds(capsys: pytest.CaptureFixture[str]) -> None:
    measure = json.loads(run("explain", "sensitivity", "--json"))
    assert measure["symbol"] == "TPR"  # a measure comes first
    assert "a diagram has this name: pass --kind diagram" in run("explain", "sensitivity")
    assert "shows:" in run("explain", "sensitivity", "--kind", "diagram")
    assert karat.catalogue.studies["sensitivity"].question in run("explain", "sensitivity", "--kind", "study")
    for words, says in (
        (
            ("roc_curv",),
            "nothing in the catalogue is called 'roc_curv'. Did you mean roc_curve",
        ),
        (("roc_curv", "--kind", "diagram"), "there is no diagram 'roc_curv'. Did you mean roc_curve"),
        (("zzzzz", "--kind", "finding"), "`karat findings` lists them"),
        (("MCC", "--kind", "thing"), "--kind is 'thing'; give measure, diagram, comparison, finding, study"),
    ):
        assert says in refused(capsys, "explain", *words)


def test_a_declared_comparison_is_on_the_command_line() -> None:
    from karat.core.comparison import MODELS, comparison, comparisons

    def coin_toss(one: Any, other: Any) -> Any:
        """Would a coin choose the same?"""

    comparison(of=MODELS, cite="demsar2006")(coin_toss)
    try:
        assert "Would a coin choose the same?" in run("comparisons")
        assert "models on the same cases" in run("explain", "coin_toss")
        assert "Dem" in run("explain", "coin_toss")
    finally:
        comparisons.remove("coin_toss")


def test_it_runs_as_a_program() -> None:
    out = subprocess.run([sys.executable, "-m", "karat", "versions"], capture_output=True, text=True, check=True)
    assert out.stdout.startswith("karat")
    assert run("--version") == f"karat {karat.__version__}\n"


def test_a_terminal_without_arrows_is_no_trouble(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    command = [sys.executable, "-m", "karat", "demo", "-o", str(tmp_path / "report.html")]
    out = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    assert "ECE" in out.stdout


def test_conventions_are_explained() -> None:
    words = "0 where all cases or all predictions are in one class, its formula being 0/0"
    assert words in " ".join(run("explain", "MCC").split())
    facts = json.loads(run("explain", "MCC", "--json"))
    assert facts["by convention"] == [words]
    assert json.loads(run("explain", "Acc", "--json"))["by convention"] == []
    assert "it says nothing about calibration then" in " ".join(run("explain", "CalL").split())
    assert json.loads(run("explain", "AUC", "--json"))["same for both"] is True
    assert json.loads(run("explain", "F1", "--json"))["same for both"] is False


def test_the_command_says_what_the_function_returns() -> None:
    explanation = karat.explain("MCC")
    assert json.loads(run("explain", "MCC", "--json")) == explanation.to_dict()
    for name, text in explanation.lines.items():
        assert f"{name}: " in repr(explanation)
        assert text.split()[0] in " ".join(run("explain", "MCC").split())
    assert "matthews_corrcoef (scikit-learn)" in explanation.lines["known elsewhere as"]
    assert ">Matthews correlation coefficient</td>" in explanation.to_html()
    facts = explanation.to_dict()
    assert (facts["title"], facts["symbol"]) == ("Matthews correlation coefficient", "MCC")
    assert (facts["range"], facts["best"], facts["by chance"]) == ([-1, 1], 1, 0)
    assert "citation: Gorodkin (2004)" in repr(explanation)
    assert karat.explain(karat.catalogue.measures["MCC"]).to_dict() == facts


def test_names_of_scorers_and_averages_are_explained(capsys: pytest.CaptureFixture[str]) -> None:
    assert karat.explain("f1_macro").to_dict()["symbol"] == "macro(F1Score)"
    assert karat.explain("neg_log_loss").lines["range"] == "-36.0 to 0"
    assert karat.explain("OR").lines["range"] == "0 to ∞"
    assert "use F1.at(beta=...)" in refused(capsys, "explain", "fbeta_score")
    assert "Nearest in meaning: Accuracy (Acc)" in refused(capsys, "explain", "accuracy of everything")
