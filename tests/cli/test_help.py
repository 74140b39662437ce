"""Every command has examples in its help, and they run."""

from __future__ import annotations

import csv
import shlex
from pathlib import Path
from typing import Any

import pytest

import karat
from commands import run
from karat.cli.main import application, commands, help_of

DEMO = Path(karat.__file__).parent / "cli" / "demo_data"
application()
ELSEWHERE = ("study", "reproduce")
"""Commands whose examples take long."""
EXAMPLES = [(name, line) for name, function in commands.items() if name not in ELSEWHERE
            for line in help_of(function)[1]]  # fmt: skip


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The bundled predictions under the names of the examples, with ids and groups; a table of results, and digits."""
    for name, source in (("forest", "random_forest"), ("boosting", "adaboost"), ("bayes", "naive_bayes")):
        with (DEMO / f"{source}.csv").open() as file:
            head, *rows = csv.reader(file)
        beside = ["age", "site", "euros", "date"]
        lines = [
            [*head, "id", "patient", *beside],
            *(
                [
                    *row,
                    str(i),
                    f"patient {i // 3}",
                    str(40 + i % 30),
                    "ns"[i % 2],
                    str(i % 5),
                    f"2026-03-{1 + i // 30:02}",
                ]
                for i, row in enumerate(rows)
            ),
        ]
        (tmp_path / f"{name}.csv").write_text("".join(",".join(line) + "\n" for line in lines))
    rows = [f"m{i},d{j},{0.5 + 0.1 * i + (j * 7 % 5) / 30}" for i in range(3) for j in range(8)]
    (tmp_path / "results.csv").write_text("\n".join(["model,dataset,value", *rows]))
    _write_digits(tmp_path / "digits.parquet")
    (tmp_path / "preds").mkdir()
    _write_digits(tmp_path / "preds" / "part-0.parquet", site=["north", "south"] * 15, age=list(range(50, 80)))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _write_digits(path: Path, **more: Any) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    import pyarrow as pa

    y = [str(i % 3) for i in range(30)]
    loss = [0.01 * (i % 7) for i in range(30)]
    columns = {f"p_{c}": [0.6 - x if t == c else 0.2 + x / 2 for t, x in zip(y, loss, strict=True)] for c in "012"}
    parquet.write_table(pa.table({"y_true": y, **columns, **more}), path)


@pytest.mark.parametrize("name", list(commands))
def test_every_command_has_examples(name: str, run: Any) -> None:
    _, examples = help_of(commands[name])
    assert any(line.startswith(f"karat {name}") for line in examples)
    shown = run(name, "--help")
    for line in examples:
        assert f"\n    {line}\n" in shown  # as it is to be typed: not broken
    assert "None" not in shown


@pytest.mark.parametrize(("name", "line"), EXAMPLES, ids=[line for _, line in EXAMPLES])
def test_examples_run(name: str, line: str, files: Path, run: Any) -> None:
    words = shlex.split(line)
    if name == "plot":
        pytest.importorskip("matplotlib")
    if name == "gate" and "baseline.json" in line:
        (files / "baseline.json").write_text(run("evaluate", "forest.csv", "--json"))
    words = words[: words.index(">")] if ">" in words else words
    run(*words[1:])


def test_help_lists_first_what_is_needed_first(run: Any) -> None:
    text = run("--help")
    assert text.index("  demo ") < text.index("  evaluate ") < text.index("  compare ") < text.index("  study ")
    listed = text[text.index("Commands:") : text.index("Examples:")]
    assert "..." not in listed  # no sentence is cut


def test_the_help_of_reproduce_tells_of_every_paper() -> None:
    from karat.reproductions import PAPERS, inputs_of

    told = " ".join(run("reproduce", "--help").split())
    for key, paper in PAPERS.items():
        takes = " and ".join(f"--{name}" for name in inputs_of(paper))
        start = " ".join(f"{key} {paper.__doc__}".split()) + (f" Takes {takes}." if takes else "") + " Draws Figs. "
        assert start in told, key
        assert str(paper.FIGURES[0].number) == told.split(start)[1][: len(str(paper.FIGURES[0].number))]


@pytest.mark.parametrize("name", karat.catalogue.studies)
def test_the_help_of_a_study_tells_what_it_asks_and_takes(name: str) -> None:
    study = karat.catalogue.studies[name]
    assert f"{name} {study.question}" in " ".join(run("study", "--help").split())
    told = " ".join(run("study", name, "--help").split())
    for words in (study.question, study.description(), f"karat study {name} {study.example}".strip()):
        assert " ".join(words.split()) in told
    own = told.split(f"Options of {name}:")[1].split("Options of every study:")[0]
    for option, described in study.options().items():
        if option != study.takes:
            assert " ".join(described.words.split()).rstrip(".") in own, option
