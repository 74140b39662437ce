"""`karat study`, `karat studies`, `karat reproduce`."""

from __future__ import annotations

import csv
import json
import shlex
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

import karat
from commands import refused, run
from karat.reproductions import PAPERS


def rows(file: Path) -> list[dict[str, str]]:
    with file.open(newline="") as stream:
        return list(csv.DictReader(stream))


SMALL = ("study", "sensitivity", "--repetitions", "30", "--measures", "Acc,MCC", "--set", "steps=2")


def test_every_study_is_listed() -> None:
    text = run("studies")
    for name, kind in karat.catalogue.studies.items():
        assert f"\n{name} " in text
        assert kind.question in text
    assert [s["name"] for s in json.loads(run("studies", "--json"))] == list(karat.catalogue.studies)


def test_a_study_prints_json_and_tables(tmp_path: Path) -> None:
    held = json.loads(run(*SMALL, "--seed", "4", "--json"))
    assert held["study"] == "sensitivity"
    assert held["arguments"]["seed"] == 4
    assert held["tables"]["averages"]["measure"] == ["Acc", "MCC"] * 4
    text = run(*SMALL, "--seed", "4")
    assert "share of wrong choices" in text
    again = json.loads(run(*SMALL, "--seed", "4", "--json", "--workers", "2", "--folder", str(tmp_path / "run")))
    assert again == held
    assert (tmp_path / "run" / "manifest.json").exists()


def test_tables_are_written(tmp_path: Path) -> None:
    out = tmp_path / "wrong.csv"
    assert run(*SMALL, "-o", str(out)) == ""
    assert {p.name for p in tmp_path.iterdir()} == {"wrong.csv"} | {
        f"wrong-{t}.csv" for t in ("labels", "probabilities", "ranking", "frequencies", "levels")
    }
    assert [r["measure"] for r in rows(out)] == ["Acc", "MCC"] * 4
    pytest.importorskip("matplotlib")
    drawn = json.loads(
        run("plot", "sensitivity", str(tmp_path / "wrong-labels.csv"), "--json", "-o", str(tmp_path / "x.svg"))
    )
    assert sorted(drawn["errors"]) == ["Acc", "MCC"]


@pytest.mark.parametrize("kind", ["json", "list", "folder"])
def test_a_population_is_read_from_files(tmp_path: Path, kind: str) -> None:
    matrices = {"C_2": [[5, 1], [2, 4]], "C_10": [[3, 3], [2, 4]]}
    given = tmp_path / "given"
    if kind == "folder":
        given.mkdir()
        for name, m in matrices.items():
            lines = [["truth", "a", "b"], ["a", *m[0]], ["b", *m[1]]]
            (given / f"{name}.csv").write_text("\n".join(",".join(map(str, line)) for line in lines))
    else:
        held: Any = matrices if kind == "json" else [{"name": n, "matrix": m} for n, m in matrices.items()]
        given = tmp_path / "given.json"
        given.write_text(json.dumps(held))
    found = json.loads(run("study", "meg", str(given), "--size", "200", "--json"))["tables"]["ranking"]
    assert found["classifier"] == ["C_2", "C_10"]
    assert found["EMA"][0] == pytest.approx(karat.evaluate_matrix(matrices["C_2"])["EMA"], abs=1e-12)


@pytest.mark.parametrize("kind", ["files", "folder", "list", "object"])
def test_two_matrices_of_one_name_are_refused(tmp_path: Path, kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    one, other = [[5, 1], [2, 4]], [[3, 3], [2, 4]]
    (tmp_path / "a").mkdir()
    a, b = tmp_path / "a" / "C.csv", tmp_path / "a" / "more.json"
    given = [str(a), str(b)] if kind == "files" else [str(tmp_path / "a")] if kind == "folder" else [str(b)]
    a.write_text("truth,a,b\na,5,1\nb,2,4\n")
    b.write_text(
        {
            "list": json.dumps([{"name": "C", "matrix": one}, {"name": "C", "matrix": other}]),
            "object": f'{{"C": {one}, "C": {other}}}',
        }.get(kind, json.dumps({"C": other}))
    )
    said = refused(capsys, "study", "meg", *given)
    assert "a second confusion matrix named 'C'" in said


def test_redundancy_of_a_file(tmp_path: Path) -> None:
    file = tmp_path / "values.csv"
    file.write_text("dataset,Acc,MSE\n" + "\n".join(f"a,{i / 10},{1 - i / 10}" for i in range(6)))
    found = json.loads(run("study", "redundancy", str(file), "--json"))["tables"]
    assert found["pearson"]["MSE"][0] == pytest.approx(1)


def test_figures_are_drawn(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    run(*SMALL, "--set", "kinds=labels", "--figures", str(tmp_path / "drawn"), "--json")
    assert (tmp_path / "drawn" / "sensitivity-labels.svg").read_text().startswith("<?xml")


def test_a_paper_is_reproduced(tmp_path: Path) -> None:
    held = json.loads(run("reproduce", "jurman2012", "--share", "0.01", "--json", "-o", str(tmp_path / "cells.csv")))
    assert held["paper"] == "jurman2012"
    assert len(held["cells"]["verdict"]) == len(rows(tmp_path / "cells.csv"))
    text = run("reproduce", "jurman2012", "--share", "0.01")
    assert "reproduced after a documented correction" in text
    assert "as printed" in text
    assert "\n[1] the base of the logarithm" in text  # every verdict that needs a reason has it below
    assert "0.9941477" in text


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["study", "sensitivty"], "Did you mean sensitivity?"),
        (["study", "zzz"], "`karat studies` lists them"),
        (["study", "sensitivity", "--measures", "Accc"], "no measure 'Accc'"),
        (
            ["study", "sensitivity", "--measures", "AUC"],
            "AUC is not available in this study: it is a measure of one class",
        ),
        (
            ["study", "census", "--measures", "LogL"],
            "LogL is not available in this study: it can't be computed from a confusion matrix",
        ),
        (["study", "sensitivity", "--repetitions", "0"], "repetitions is 0"),
        (["study", "sensitivity", "--workers", "0"], "workers is 0"),
        (["study", "sensitivity", "--set", "colour=1"], "no option 'colour'"),
        (["study", "sensitivity", "--folder", "/dev/null/x"], "can't be written"),
        (["study", "sensitivity", "-o", "/nowhere/x.csv"], "can't be written"),
        (["study", "sensitivity", "-o", "x.xlsx"], "not a CSV or Parquet file"),
        (["study", "sensitivity", "file.csv"], "takes no files"),
        (["study", "redundancy", "--size", "3"], "has no size"),
        (["study"], "the name of the study is missing; it is one of census, "),
        (["study", "zzz", "--help"], "there is no study 'zzz'"),
        (["study", "meg"], "no confusion matrices"),
        (["study", "meg", "/nowhere.json"], "there is no file"),
        (["reproduce", "nobody1999"], "no reproduction of 'nobody1999'; the papers are ferri2009, "),
        (["reproduce", "jurman2012", "--data", "."], "does not use --data (it needs no input)"),
        (["reproduce", "valverde2014", "--predictions", "."], "does not use --predictions (it uses --matrices)"),
        (["reproduce", "ferri2009", "--share", "2"], "share is 2"),
    ],
)
def test_bad_input_is_one_line(capsys: pytest.CaptureFixture[str], words: list[str], said: str) -> None:
    assert said in refused(capsys, *words)


def test_tables_are_written_as_parquet_too(tmp_path: Path) -> None:
    pq = pytest.importorskip("pyarrow.parquet")
    for name in ("t.csv", "t.parquet"):
        run("study", "traits", "-o", str(tmp_path / name))
    files = sorted(p.stem for p in tmp_path.glob("*.parquet"))
    assert files == sorted(p.stem for p in tmp_path.glob("*.csv"))
    with (tmp_path / "t.csv").open(newline="") as stream:
        rows = list(csv.reader(stream))
    table = pq.read_table(tmp_path / "t.parquet")
    assert table.column_names == rows[0]
    assert table.num_rows == len(rows) - 1


@pytest.mark.parametrize("name", list(karat.catalogue.studies))
def test_help_of_a_study_shows_every_option(name: str) -> None:
    """With its type, what it does, and its default; and a line that can be typed."""
    kind = karat.catalogue.studies[name]
    lines = run("study", name, "--help").splitlines()
    text = " ".join(" ".join(lines).split())
    options = kind.options()
    assert list(options) == [f.name for f in fields(kind)]
    for key, option in options.items():
        assert option.kind, f"{key} has no type"
        assert option.words.endswith("."), f"{key} is not described"
        assert option.words in text
        if key != kind.takes:
            flag = "size" if key == kind.size else key
            assert (
                (f"--{flag} <" in text) if key in ("measures", "data", "seed", kind.size) else f"--set {key}=<" in text
            )
    assert kind.question in text
    assert f"  karat study {name} {kind.example}".rstrip() in lines
    assert "--workers" in text  # what all studies have in common


def test_defaults_in_help() -> None:
    text = " ".join(run("study", "sensitivity", "--help").split())
    assert "highest level. [default: 20]" in text
    assert "[default: labels,probabilities,ranking,frequencies]" in text
    assert "independent noise. [default: false]" in text
    assert "--set method=<dirichlet|bootstrap>" in run("study", "meg", "--help")


def test_help_of_all_lists_the_studies_and_the_papers() -> None:
    text = run("study", "--help")
    for name, kind in karat.catalogue.studies.items():
        assert f"\n  {name} " in text
        assert kind.question in " ".join(text.split())
    text = run("reproduce", "--help")
    for key in PAPERS:
        assert f"\n  {key} " in text
    assert "Takes --data and --predictions." in " ".join(text.split())
    assert "karat reproduce jurman2012 --share 0.01" in " ".join(text.split())


@pytest.mark.parametrize("name", list(karat.catalogue.studies))
def test_examples_of_help_run(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("KARAT_DATA", raising=False)
    Path("matrices.json").write_text(json.dumps({"forest": [[50, 3], [4, 43]], "tree": [[45, 8], [9, 38]]}))
    rows = [f"{d},{i / 10},{i**2 / 100}" for d in "ab" for i in range(5)]
    Path("values.csv").write_text("\n".join(["dataset,Acc,MCC", *rows]))
    if name in ("correlation", "win_loss_equal"):
        pytest.importorskip("sklearn")
    words = shlex.split(karat.catalogue.studies[name].example)
    assert run("study", name, *words, columns=80).strip()


def test_measures_are_shown_by_their_titles(tmp_path: Path) -> None:
    label = karat.catalogue.measures["MCC"].label
    assert label.endswith(" (MCC)")
    assert f"labels {label} " in " ".join(run(*SMALL).split())
    run(*SMALL, "-o", str(tmp_path / "wrong.csv"))
    assert {r["measure"] for r in rows(tmp_path / "wrong.csv")} == {"Acc", "MCC"}  # files keep symbols


def test_of_a_long_table_the_beginning_is_shown() -> None:
    words = ("study", "sensitivity", "--repetitions", "2", "--measures", "Acc,MCC")
    assert "12 of 168 rows; -o FILE.csv writes all of them." in run(*words, "--set", "steps=20")


@pytest.mark.skipif("--as " not in run("evaluate", "--help"), reason="no command has --as")
@pytest.mark.parametrize(
    ("form", "head"),
    [
        ("markdown", "| noise | measure | wrong | error |"),
        ("latex", r"noise & measure & wrong & error &"),
    ],
)
def test_tables_for_pull_requests_and_papers(form: str, head: str) -> None:
    text = run(*SMALL, "--as", form, columns=60)
    assert head in text
    assert "share of wrong choices" in text
    cells = run("reproduce", "prati2011", "--as", form, columns=60)
    assert {"markdown": "| what | published | ours | verdict |", "latex": "what & published & ours & verdict"}[
        form
    ] in cells
    assert "6 reproduced after a documented correction" in cells
