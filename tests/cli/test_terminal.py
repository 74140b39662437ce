"""What commands print: marks, notes, p-values, widths; and where they can write to."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import karat
from karat.cli import main

DEMO = Path(karat.__file__).parent / "cli" / "demo_data"
FOREST, BOOST, BAYES = (DEMO / f"{name}.csv" for name in ("random_forest", "adaboost", "naive_bayes"))


@pytest.fixture
def glass(tmp_path: Path) -> Path:
    """Few cases of six classes: resampling shifts the calibration error."""
    rng = np.random.default_rng(5)
    y = rng.integers(0, 6, 90)
    p = rng.dirichlet(np.ones(6), 90) + 0.8 * np.eye(6)[y]
    p /= p.sum(axis=1, keepdims=True)
    lines = [",".join([f"c{t}", *map(str, row)]) for t, row in zip(y, p, strict=True)]
    path = tmp_path / "glass.csv"
    path.write_text("\n".join(["y_true," + ",".join(f"p_c{j}" for j in range(6)), *lines]))
    return path


# ------------------------------------------------------------------------------------------------- intervals


def test_intervals_say_how_they_were_made_and_what_to_know(run: Any, told: Any, glass: Path) -> None:
    how = ("evaluate", glass, "--intervals", "--replicates", "200")
    facts = told(*how)["intervals"]
    doubtful = {symbol for symbol, found in facts.items() if found["reason"] and found["value"] is not None}
    assert 0 < len(doubtful) < len(facts)  # the case was made for that
    text = run(*how)
    for symbol in facts:
        line = next(line for line in text.splitlines() if line.startswith(f"{symbol} "))
        assert ("*" in line) == (symbol in doubtful)
    for reason in {facts[symbol]["reason"] for symbol in doubtful}:
        assert text.count(reason) == 1
        said = next(line for line in text.splitlines() if reason in line)
        named = said.removeprefix("* ").partition(":")[0].split(", ")
        assert named == [symbol for symbol in facts if facts[symbol]["reason"] == reason]
    assert "95 % intervals by mid-p: Acc; exact bound: " in text
    assert "* " not in run("evaluate", BOOST, "--intervals", "--replicates", "50", "--measures", "Acc")


def test_the_method_groups_and_strata_of_intervals_can_be_said(
    run: Any, told: Any, glass: Path, tmp_path: Path
) -> None:
    head, *rows = glass.read_text().splitlines()
    grouped = tmp_path / "grouped.csv"
    grouped.write_text("\n".join([f"{head},patient", *(f"{row},g{i // 9}" for i, row in enumerate(rows))]))
    names = [name.removeprefix("p_") for name in head.split(",")[1:]]
    table = [row.split(",") for row in rows]
    e = karat.evaluate([row[0] for row in table], np.array([row[1:] for row in table], float), labels=names)
    how = ("evaluate", grouped, "--intervals", "--measures", "MCC,LogL")
    for words, options in (
        (("--groups", "patient"), {"groups": np.arange(90) // 9}),
        (("--stratified",), {"stratified": True}),
        (("--method", "bca", "--seed", "3"), {"method": "bca", "seed": 3}),
    ):
        assert told(*how, *words)["intervals"] == e.intervals(["MCC", "LogL"], **options).to_dict()
    plain = told(*how)["intervals"]
    assert plain == e.intervals(["MCC", "LogL"]).to_dict()
    assert plain != told(*how, "--groups", "patient")["intervals"]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--groups", "y_true"), "say --intervals, too"),
        (("--method", "bca"), "say --intervals, too"),
        (("--intervals", "--groups", "ward"), "no column 'ward', which --groups names"),
        (("--intervals", "--groups", "gaps"), "column 'gaps' of gaps.csv has no group in row 1"),
        (("--intervals", "--method", "magic"), "method is 'magic'"),
        (("--intervals", "--groups", "y_true", "--stratified"), "both stratified and groups"),
    ],
)
def test_what_intervals_can_not_be_asked_for(
    words: tuple[str, ...], says: str, tmp_path: Path, monkeypatch: Any, capsys: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gaps.csv").write_text("y_true,p_1,gaps\n0,.2,a\n1,.7,\n0,.4,b\n")
    with pytest.raises(SystemExit) as stopped:
        main(["evaluate", "gaps.csv", *words])
    assert stopped.value.code == 2
    assert says in capsys.readouterr().err


def test_a_matrix_has_no_groups(tmp_path: Path, capsys: Any) -> None:
    path = tmp_path / "matrix.csv"
    path.write_text("truth,a,b\na,5,1\nb,2,6\n")
    with pytest.raises(SystemExit):
        main(["evaluate", str(path), "--intervals", "--groups", "a"])
    assert "a confusion matrix, whose cases have no groups; leave --groups out" in capsys.readouterr().err


def test_long_reasons_stand_below_a_table_of_80_columns(glass: Path, monkeypatch: Any, capsys: Any) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    with pytest.raises(SystemExit):
        main(["evaluate", str(glass), "--intervals", "--measures", "MCC,CEN,CalB,EMA"])
    text = capsys.readouterr().out
    assert max(map(len, text.splitlines())) <= 80
    table, _, below = text.partition("95 % intervals by")
    assert "says the same" not in table
    assert "* MCC, CEN, EMA: every case says the same" in below
    assert "* CalB: no method that is known covers it" in below


# ------------------------------------------------------------------------------------------------- comparisons


def test_each_of_several_models_is_set_against_the_best_or_the_baseline(run: Any, told: Any) -> None:
    how = ("compare", FOREST, BOOST, BAYES, "--measures", "MCC,LogL", "--replicates", "199")
    pairs = {tuple(pair["models"]): pair["differences"] for pair in told(*how)["pairs"]}
    rows = [line.split() for line in run(*how).splitlines() if line.startswith(("MCC ", "LogL "))]
    assert [row[:2] for row in rows[:3]] == [["MCC", "adaboost"], ["MCC", "random_forest"], ["MCC", "naive_bayes"]]
    assert rows[0][-1] == "(best)"
    d = pairs["random_forest", "naive_bayes"]["LogL"]
    shown = next(row for row in rows if row[:2] == ["LogL", "naive_bayes"])
    assert shown[3:6] == [f"{-d[key]:.4f}" for key in ("difference", "high", "low")]
    assert d["p"] >= d["least"] > 0  # no smaller than exchanges could show
    assert d["adjusted"] < 0.001
    assert shown[6:] == ["<", ".001", "random_forest"]
    text = run(*how, "--baseline", "adaboost")
    rows = [line.split() for line in text.splitlines() if line.startswith("MCC ")]
    assert (rows[0][1], rows[0][-1]) == ("adaboost", "(baseline)")
    assert "Differences to adaboost:" in text
    assert "95 % intervals are of each difference alone" in " ".join(text.split())
    assert "random_forest and adaboost: MCC equal within .9 (p" in run(*how, "--margin", ".9")


# ------------------------------------------------------------------------------------------------- where to


def test_places_that_can_not_be_written_to(run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder.html").mkdir()
    (tmp_path / "folder.csv").mkdir()
    (tmp_path / "file").write_text("")
    for command in (("report", BOOST), ("demo",)):
        for out, says in (
            (".", "is a folder; name a file in it"),
            ("folder.html", "is a folder; name a file in it"),
            ("x.pdf", "print the page from the browser"),
            ("x", "name it .html"),
            ("none/x.html", "there is no folder 'none'"),
            ("file/x.html", "there is no folder 'file'"),
        ):
            assert says in run(*command, "-o", out, code=2)
    for out in (".", "folder.csv", "none/x.csv", "file/x.csv", "/proc/x.csv"):
        assert "name" in run("study", "traits", "-o", out, code=2)
    for words, says in (
        (("traits", "--figures", "x"), "has no figures"),
        (("sensitivity", "--size", "2", "--figures", "file"), "can't be made"),
    ):
        assert says in run("study", *words, code=2)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["file", "folder.csv", "folder.html"]


# ------------------------------------------------------------------------------------------------- widths


@pytest.mark.parametrize("width", [0, 1, 19, 20, 40])
def test_nothing_is_lost_in_a_narrow_terminal(width: int, run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    text = run("evaluate", BOOST, "--measures", "rpCEN,MCC")
    lines = text.splitlines()
    assert max(map(len, lines)) <= (width if width >= 20 else 80)
    assert sum(line.startswith("rpCEN  ") for line in lines) == (1 if width < 20 else 2)  # a table cut in two, or whole
    for word in karat.catalogue.measures["rpCEN"].question.split():
        assert word in text.replace("\n", " ")


def test_rejected_cases_are_counted(run: Any, tmp_path: Path) -> None:
    path = tmp_path / "some.csv"
    path.write_text("y_true,y_pred\n" + "a,a\nb,b\na,?\nb,a\n" * 2)
    words = "8 cases, 2 of them rejected (25 %), 2 classes (a, b"
    assert words in run("evaluate", path, "--reject", "?").splitlines()[0]
    e = karat.evaluate(list("abab") * 2, y_pred=list("ab?a") * 2, reject="?")
    assert e.rejected == 2
    assert words in repr(e)
    assert words in e._repr_html_()
    assert karat.evaluate_matrix([[5, 1, 2], [1, 5, 0]]).rejected == 2
    assert "rejected" not in repr(karat.evaluate([0, 1], y_pred=[0, 1]))


@pytest.mark.parametrize("command", ["evaluate --intervals", "compare", "gate --require MCC.lo>=0", "report"])
@pytest.mark.parametrize("replicates", [0, -1])
def test_replicates_that_can_not_be_drawn(command: str, replicates: int, run: Any, tmp_path: Path) -> None:
    name, *more = command.split()
    more += ["-o", str(tmp_path / "x.html")] if name == "report" else []
    said = run(name, FOREST, BOOST, *more, "--replicates", replicates, code=2)
    assert f"replicates is {replicates}; give a whole number" in said


# ------------------------------------------------------------------------------------------------- costs


def _literal_cost(threshold: float) -> float:
    """With a false alarm at 1, a miss at 5 and a tenth of the cases positive, by counting."""
    with BOOST.open() as file:
        rows = [(r["y_true"] == "malignant", float(r["p_malignant"]) >= threshold) for r in csv.DictReader(file)]
    alarm, miss = (np.mean([d != t for t, d in rows if t == sick]) for sick in (False, True))
    return float(0.9 * alarm + 0.1 * 5 * miss)


@pytest.mark.parametrize("cost", ["fp=1,fn=5", "fn=5, FP=1,tp=0", "[[0, 1], [5, 0]]"])
@pytest.mark.parametrize("prior", [".1", ".9,.1", "[0.9, 0.1]", "malignant=.1", "benign=.9, malignant=.1"])
def test_operating_gives_what_the_library_gives(cost: str, prior: str, told: Any, run: Any) -> None:
    how = ("operating", BOOST, "--positive", "malignant", "--cost", cost, "--prior", prior)
    found = told(*how)
    with BOOST.open() as file:
        rows = list(csv.DictReader(file))
    proba = [float(row["p_malignant"]) for row in rows]
    e = karat.evaluate([row["y_true"] for row in rows], proba, labels=["benign", "malignant"], positive="malignant")
    expected = e.operating([[0, 1], [5, 0]], 0.1)
    assert found["cost"] == [[0, 1], [5, 0]]
    assert found["threshold"]["cost"] == pytest.approx(expected.threshold.cost)
    text = run(*how)
    threshold = float(next(m[1] for m in [re.search(r"positive from (\S+) on", text)] if m))
    assert _literal_cost(threshold) == pytest.approx(found["threshold"]["cost"], abs=1e-12)
    assert found["threshold"]["interval"] == list(expected.threshold.interval)
    assert f"on new cases it costs about {expected.threshold.new_cost:.4g} [" in text
    assert "frequencies: benign 0.9, malignant 0.1" in text
    assert "as decided" in text


def test_operating_of_more_classes_and_models(told: Any, run: Any, glass: Path) -> None:
    cost = json.dumps((1 - np.eye(6)).tolist())
    found = told("operating", glass, "--cost", cost, "--prior", "c0=.5,c1=.1,c2=.1,c3=.1,c4=.1")
    assert found["prior"] == pytest.approx([0.5, *[0.1] * 5])
    assert found["threshold"] is None
    assert set(told("operating", BOOST, FOREST)) == {"adaboost", "random_forest"}
    assert "say --positive" in run("operating", BOOST)
    glass.write_text(",a,b\na,5,1\nb,0,7\n")
    assert "--positive" not in run("operating", glass)  # a matrix has no threshold


@pytest.mark.parametrize(
    ("more", "says"),
    [
        (("--cost", "fp=1"), "does not say what both errors cost"),
        (("--cost", "fp=1,fn=x"), "holds 'x', which is no number"),
        (("--cost", "fp=1,fm=2"), "can't be understood"),
        (("--cost", "[[0, 1]"), "no matrix of numbers in JSON"),
        (("--cost", '[["a"]]'), "no matrix of numbers in JSON"),
        (("--cost", "[[0, 1], [5]]"), "rows of different lengths"),
        (("--prior", "malignant=.2,malignant=.3"), "twice"),
        (("--prior", "x"), "which is no number"),
        (("--prior", "1.5"), "give a number from 0 to 1"),
        (("--prior", "cat=.5"), "not among the classes"),
        (("--prior", ".1,.2,.7"), "give 2 shares"),
        (("--level", ".05"), "it is a confidence such as 0.95"),
    ],
)
def test_refusals_of_operating(more: tuple[str, ...], says: str, run: Any, glass: Path) -> None:
    assert says in run("operating", BOOST, "--positive", "malignant", *more, code=2)
    assert "say --positive, or give a matrix" in run("operating", glass, "--cost", "fp=1,fn=5", code=2)
