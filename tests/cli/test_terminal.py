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
from karat.cli.layout import broken, laid_out
from karat.core.words import PValue, interval
from karat.measures.lookup import find

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
    title = {symbol: find(symbol).title for symbol in facts}
    for symbol in facts:
        line = next(line for line in text.splitlines() if line.startswith(f"{find(symbol).label} "))
        assert ("*" in line) == (symbol in doubtful)
    for reason in {facts[symbol]["reason"] for symbol in doubtful}:
        assert text.count(reason) == 1
        said = next(line for line in text.splitlines() if reason in line)
        named = [title[symbol] for symbol in facts if facts[symbol]["reason"] == reason]
        assert said.startswith(f"* {named[0]}")
        assert all(name in said for name in named[:8])
        assert not any(f"{name}," in said for name in title.values() if name not in named)
    methods = {found["method"] for found in facts.values() if found["method"]}
    sentence = next(line for line in text.splitlines() if line.startswith("Methods of the intervals: "))
    assert all(f"{method} for " in sentence for method in methods)
    assert sentence.endswith(" for the others.")
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
        (("--groups", "y_true"), "add --intervals"),
        (("--method", "bca"), "add --intervals"),
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
    table, _, below = text.partition("Methods of the intervals")
    assert "says the same" not in table
    below = " ".join(below.split())
    mcc, cen, ema, calb = (find(symbol).title for symbol in ("MCC", "CEN", "EMA", "CalB"))
    assert f"* {mcc}, {cen} and {ema}: no case shows any variation" in below
    assert f"* {calb}: no valid method is known" in below


# ------------------------------------------------------------------------------------------------- comparisons


def row_of(text: str, symbol: str) -> list[str]:
    """What stands behind the name of a measure and its arrow."""
    label = find(symbol).label
    return next(line for line in text.splitlines() if line.startswith(label)).removeprefix(label).split()[1:]


def test_each_of_several_models_is_set_against_the_best_or_the_baseline(run: Any, told: Any) -> None:
    how = ("compare", FOREST, BOOST, BAYES, "--measures", "MCC,LogL", "--replicates", "199")
    facts = told(*how)
    values = {name: e["measures"] for name, e in facts["models"].items()}
    pairs = {tuple(pair["models"]): pair["differences"] for pair in facts["pairs"]}
    best = {"MCC": max(values, key=lambda n: values[n]["MCC"]), "LogL": min(values, key=lambda n: values[n]["LogL"])}
    assert best == {"MCC": "adaboost", "LogL": "random_forest"}  # as the values say, which other tests know
    text = run(*how)
    for symbol, name in best.items():
        expected = []
        for other in values:
            pair = next((p for names, p in pairs.items() if {name, other} == {*names}), None)
            mark = "*" if pair is None else "" if pair[symbol]["adjusted"] <= 0.05 else "~"
            expected.append(f"{values[other][symbol]:.3g}{mark}")
        assert [cell.replace(" ", "") for cell in cells(text, symbol)] == expected
    assert "0.593" in row_of(text, "LogL")  # naive_bayes: p < 0.001, so without a mark
    text = run(*how, "--baseline", "adaboost")
    assert [cell[-1] for cell in cells(text, "LogL")] == ["1", "+", "~"]
    for words in ("+ significantly better than", "- significantly worse than", "~ no significant difference from"):
        assert f"{words} adaboost" in text
    text = run(*how, "--margin", ".9")
    shown = r"0\.9 \(90 % interval \[\S+, \S+\], p < 0\.001\)"
    assert re.search(rf"\nrandom_forest and adaboost: {re.escape(find('MCC').title)} .* {shown}", text)


def cells(text: str, symbol: str) -> list[str]:
    """The numbers of a row with their marks."""
    return [cell.strip() for cell in re.findall(r"[0-9.]+ ?[*~+?-]?", " ".join(row_of(text, symbol)))]


def test_two_models_have_their_difference_beside_them(run: Any, told: Any) -> None:
    how = ("compare", FOREST, BAYES, "--measures", "MCC,LogL")
    (pair,) = told(*how)["pairs"]
    text = run(*how)
    for symbol in ("MCC", "LogL"):
        d = pair["differences"][symbol]
        assert interval(d["difference"], d["low"], d["high"]).split(" ", 1)[1] in text
        assert row_of(text, symbol)[-1] == PValue(d["familywise"]).words.split()[-1]
    assert "difference: random_forest minus naive_bayes" in text
    said = "p-values are corrected (Holm) for 2 tests."
    assert said in " ".join(text.split())


@pytest.mark.parametrize("width", [80, 120])
def test_the_verdict_comes_first_and_five_models_fit_on_a_page(
    width: int, run: Any, told: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, 300)
    names = ("logistic_regression", "random_forest", "gradient_boosting", "support_vector_machine", "naive_bayes")
    for i, name in enumerate(names):
        p = 1 / (1 + np.exp(-(2 * y - 1) * (0.6 + 0.2 * i) - rng.normal(0, 1, 300)))
        (tmp_path / f"{name}.csv").write_text(
            "y_true,p_1\n" + "".join(f"{t},{x:.6f}\n" for t, x in zip(y, p, strict=True))
        )
    files = [tmp_path / f"{name}.csv" for name in names]
    verdict = told("compare", *files)["verdict"]
    monkeypatch.setenv("COLUMNS", str(width))
    text = run("compare", *files)
    lines = text.splitlines()
    assert len(lines) <= 40
    assert max(map(len, lines)) <= width
    _, paragraph, head, *_ = text.split("\n\n")
    assert " ".join(paragraph.split()) == verdict
    rows = [line for line in lines if "↑" in line or "↓" in line]
    assert len(rows) >= 8
    assert all(len(re.findall(r" [0-9]\.[0-9]+", row)) == 5 for row in rows)  # one row for each measure
    columns = list(zip(*(line.ljust(width) for line in head.splitlines() if not {"↑", "↓"} & {*line}), strict=True))
    heading = "".join("".join(column) for column in columns).replace(" ", "")
    assert len(heading) == len("measure") + sum(map(len, names))  # every model is named in full


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
            ("x", ".html"),
            ("none/x.html", "folder 'none'"),
            ("file/x.html", "folder 'file'"),
        ):
            assert says in run(*command, "-o", out, code=2)
    for out in (".", "folder.csv", "none/x.csv", "file/x.csv", "/proc/x.csv"):
        assert "name" in run("study", "traits", "-o", out, code=2)
    for words, says in (
        (("traits", "--figures", "x"), "has no figures"),
        (("sensitivity", "--size", "2", "--figures", "file"), "can't be"),
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
    assert any(line.startswith(find("rpCEN").label if width < 20 else "rpCEN    ↓  0.848") for line in lines)
    monkeypatch.setenv("COLUMNS", "80")
    explained = run("evaluate", BOOST, "--measures", "rpCEN,MCC", "--explain")
    for word in find("rpCEN").question.split():
        assert word in explained


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
    assert "costs: benign predicted as malignant 1, malignant predicted as benign 5" in text
    assert "class frequencies: benign 90 %, malignant 10 %" in text
    assert all(row in text for row in expected.to_table().columns["strategy"])


def test_operating_of_more_classes_and_models(told: Any, run: Any, glass: Path) -> None:
    cost = json.dumps((1 - np.eye(6)).tolist())
    found = told("operating", glass, "--cost", cost, "--prior", "c0=.5,c1=.1,c2=.1,c3=.1,c4=.1")
    assert found["prior"] == pytest.approx([0.5, *[0.1] * 5])
    assert found["threshold"] is None
    assert set(told("operating", BOOST, FOREST)) == {"adaboost", "random_forest"}
    assert "pass --positive" in run("operating", BOOST)
    glass.write_text(",a,b\na,5,1\nb,0,7\n")
    assert "--positive" not in run("operating", glass)  # a matrix has no threshold


@pytest.mark.parametrize(
    ("more", "says"),
    [
        (("--cost", "fp=1"), "does not say what both errors cost"),
        (("--cost", "fp=1,fn=x"), "holds 'x', which is not a number"),
        (("--cost", "fp=1,fm=2"), "is not understood"),
        (("--cost", "[[0, 1]"), "not a matrix of numbers in JSON"),
        (("--cost", '[["a"]]'), "not a matrix of numbers in JSON"),
        (("--cost", "[[0, 1], [5]]"), "rows of different lengths"),
        (("--prior", "malignant=.2,malignant=.3"), "twice"),
        (("--prior", "x"), "which is not a number"),
        (("--prior", "1.5"), "give a number from 0 to 1"),
        (("--prior", "cat=.5"), "the class frequencies name 'cat'"),
        (("--prior", ".1,.2,.7"), "give 2 shares"),
        (("--level", ".05"), "it is a confidence such as 0.95"),
    ],
)
def test_refusals_of_operating(more: tuple[str, ...], says: str, run: Any, glass: Path) -> None:
    assert says in run("operating", BOOST, "--positive", "malignant", *more, code=2)
    assert "pass --positive, or give a matrix" in run("operating", glass, "--cost", "fp=1,fn=5", code=2)


def test_names_of_models_are_not_broken_where_symbols_make_room(run: Any, tmp_path: Path, monkeypatch: Any) -> None:
    """boostin-g and logisti-c stood above their columns, beside titles of 34 letters."""
    monkeypatch.setenv("COLUMNS", "80")
    names, rng = ["forest", "boosting", "logistic", "bayes", "knn"], np.random.default_rng(0)
    y = np.arange(120) % 2
    for i, name in enumerate(names):
        p = 1 / (1 + np.exp(-(2 * y - 1) * (1.5 - 0.2 * i) - rng.normal(size=120)))
        rows = [f"{label},{x:.4f}" for label, x in zip(y, p, strict=True)]
        (tmp_path / f"{name}.csv").write_text("\n".join(["y_true,p_1", *rows]) + "\n")
    lines = run("compare", *(tmp_path / f"{name}.csv" for name in names)).splitlines()
    (head,) = [line for line in lines if line.startswith("measure")]
    assert head.split() == ["measure", *names]
    assert max(map(len, lines)) <= 80
    assert len(lines) <= 40


def test_no_word_of_a_heading_is_broken_where_there_is_room() -> None:
    lines = [["site", "cases", "Recall", "Matthews correlation coefficient"], ["north", "1030", "0.711", "0.427"]]
    ((_, widths),) = laid_out(lines, [False, True, True, True], 34)
    assert broken(lines[0][3], widths[3]) == "Matthews\ncorrelation\ncoefficient"
