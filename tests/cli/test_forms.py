"""--as: what a command prints is a table, Markdown, LaTeX or JSON; and JSON never fails."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import karat
from karat.cli.output import print_json
from karat.core.documents import in_markdown
from karat.core.words import number
from karat.measures.lookup import find

DEMO = Path(karat.__file__).parent / "cli" / "demo_data"
FOREST, BOOST, BAYES = (DEMO / f"{name}.csv" for name in ("random_forest", "adaboost", "naive_bayes"))
PRINTING: dict[str, tuple[Any, ...]] = {
    "evaluate": (FOREST, "--positive", "malignant", "--intervals", "--per-class"),
    "compare": (FOREST, BOOST, BAYES, "--measures", "MCC,LogL", "--replicates", "50", "--details", "--pairs"),
    "gate": (FOREST, BOOST, "--require", "MCC>=0.1"),
    "operating": (FOREST, "--positive", "malignant", "--cost", "fp=1,fn=5"),
    "advise": (FOREST,),
    "measures": (),
    "diagrams": (),
    "comparisons": (),
    "findings": (),
    "studies": (),
    "versions": (),
}


def tables_in_markdown(text: str) -> list[list[list[str]]]:
    """As GitHub reads them: lines that begin and end with a bar, the second of dashes."""
    tables: list[list[list[str]]] = [[]]
    for line in [*text.splitlines(), ""]:
        if line.startswith("| ") and line.endswith(" |"):
            cells = re.split(r"(?<!\\)\|", line)[1:-1]
            tables[-1].append([cell.strip() for cell in cells])
        elif tables[-1]:
            assert line == "", f"{line!r} would be taken for a row"
            tables.append([])
    return [table for table in tables if table]


@pytest.mark.parametrize("command", PRINTING)
def test_markdown_is_made_of_tables(command: str, run: Any) -> None:
    tables = tables_in_markdown(run(command, *PRINTING[command], "--as", "markdown"))
    assert tables
    for head, dashes, *rows in tables:
        assert rows
        assert all(re.fullmatch(r":--|--:", cell) for cell in dashes)
        assert {len(head)} == {len(row) for row in (dashes, *rows)}


@pytest.mark.parametrize("command", PRINTING)
def test_latex_is_tables_and_comments(command: str, run: Any) -> None:
    text = run(command, *PRINTING[command], "--as", "latex")
    begun = re.findall(r"\\begin{tabular}{([lr]+)}", text)
    assert begun
    inside = False
    for line in filter(None, text.splitlines()):
        inside = inside or line.startswith(r"\begin{tabular}")
        if not inside:
            assert line.startswith("%")
        elif line.endswith(r"\\"):
            assert line.count("&") - line.count(r"\&") == len(begun[0]) - 1
            assert not re.search(r"(?<!\\)[%#_]|[<>^~](?!})", line.replace("$<$", "").replace("$>$", "")), line
        if line == r"\end{tabular}":
            inside, begun = False, begun[1:]


@pytest.mark.parametrize("command", PRINTING)
def test_json_is_what_it_was(command: str, run: Any) -> None:
    by_flag, by_form = (run(command, *PRINTING[command], *how) for how in (("--json",), ("--as", "json")))
    assert by_flag == by_form
    json.loads(by_flag, parse_constant=lambda word: pytest.fail(f"{word} is no JSON"))


def test_markdown_has_the_numbers_of_all_models(run: Any, told: Any) -> None:
    how = ("evaluate", FOREST, BOOST, BAYES, "--measures", "MCC,LogL")
    ((head, _, mcc, loss),) = tables_in_markdown(run(*how, "--as", "markdown"))
    values = {name: e["measures"] for name, e in told(*how).items()}
    assert head[2:] == list(values)
    for row, symbol in ((mcc, "MCC"), (loss, "LogL")):
        assert row[0] == find(symbol).label
        assert [cell.replace(r"\*", "").strip() for cell in row[2:]] == [number(v[symbol]) for v in values.values()]


def test_the_form_is_one(run: Any) -> None:
    assert "--json and --as markdown were both given" in run("measures", "--json", "--as", "markdown", code=2)
    assert "it is one of table, markdown, latex, json" in run("measures", "--as", "html", code=2)
    assert run("measures", "--json", "--as", "json") == run("measures", "--json")


def test_names_do_no_harm_in_markdown(run: Any, tmp_path: Path) -> None:
    path = tmp_path / "m.csv"
    names = ["a|b", "*bold*", "<script>", "`x`", "[x](y)", "n" * 60, "\u6a21\u578b"]
    path.write_text("y_true,p_1,model\n" + "".join(f"{i % 2},.{i + 1},{m}\n" for m in names for i in range(8)))
    ((head, _, *rows),) = tables_in_markdown(run("evaluate", path, "--as", "markdown"))
    assert head[2:] == [r"a\|b", r"\*bold\*", "&lt;script>", r"\`x\`", r"[x\](y)", "n" * 60, "\u6a21\u578b"]
    assert rows
    assert in_markdown("+ better [0.1, 0.2], p < 0.001", lines=True) == r"\+ better [0.1, 0.2], p < 0.001"
    assert in_markdown("&lt; & </b>") == "&amp;lt; & &lt;/b>"


def test_json_of_whatever_there_is(capsys: pytest.CaptureFixture[str]) -> None:
    odd = {"nan": math.nan, "inf": [math.inf, -math.inf], "numpy": np.float64(0.5), "array": np.array([1.0, np.nan])}
    print_json(odd | {"date": np.datetime64("2024-01-01"), "path": Path("x"), 3: {"set": {1}}, "\udcff": "\u2028"})
    found = json.loads(capsys.readouterr().out, parse_constant=lambda word: pytest.fail(word))
    assert found["inf"] == [None, None]
    assert found["array"] == [1.0, None]
    assert (found["nan"], found["numpy"], found["3"]) == (None, 0.5, {"set": [1]})


@pytest.mark.parametrize("width", [80, 120])
@pytest.mark.parametrize("command", [*PRINTING, "demo"])
def test_nothing_is_wider_than_the_terminal(
    command: str, width: int, run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    if command == "demo":
        monkeypatch.setattr("karat.cli.demo.write_report", lambda *given, **options: None)
    text = run(command, *PRINTING.get(command, ()))
    assert max(len(line) for line in text.splitlines() if "report.html" not in line) <= width
    assert text.count("↑") > 2 or command not in ("evaluate", "measures", "demo")


def test_measures_are_grouped_and_searched(run: Any, told: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    declared = karat.catalogue.measures
    monkeypatch.setenv("COLUMNS", "100")
    text = run("measures")
    places = [text.index(f"(--family {family})") for family in dict.fromkeys(m.family for m in declared.values())]
    assert places == sorted(places)
    rows = [line for line in text.splitlines() if re.search(r" [↑↓·]( |$)", line)]
    assert len(rows) == len(declared)  # one row for each
    found = [m["symbol"] for m in told("measures", "RECALL")]
    assert len(found) >= 3
    assert all(any("recall" in str(m[key]).lower() for key in ("title", "name", "aliases", "question"))
               for m in told("measures", "recall"))  # fmt: skip
    assert "Acc" not in found
    assert [m["symbol"] for m in told("measures", "matthews", "phi")] == ["MCC"]
    assert "no measure has the words 'xyzzy'" in run("measures", "xyzzy", code=2)


def test_the_demo_says_what_was_computed(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("karat.cli.demo.write_report", lambda *given, **options: None)
    text = " ".join(run("demo").split())
    with_p = "By accuracy random_forest and adaboost do not differ significantly (0.963 against 0.963, p = 1)."
    assert with_p in text  # 548 of 569 right, both of them
    title = find("ECE").title
    error = f"random_forest has the lower {title[0].lower()}{title[1:]} (0.0296 against 0.280, p < 0.001)"
    assert error in text
    assert "lower log loss" not in text  # of which a single large loss tells


def test_one_row_where_names_give_one_number(run: Any, tmp_path: Path) -> None:
    areas = ["AUNU", "AUNP", "AU1U", "AU1P"]
    (line,) = [x for x in run("evaluate", FOREST, "--measures", ",".join(areas)).splitlines() if "\u2191" in x]
    assert line.startswith(f"{find('AUNU').title} ({', '.join(areas)})")
    three = tmp_path / "three.csv"
    rows = ["a,.7,.2,.1", "a,.3,.4,.3", "b,.1,.6,.3", "c,.5,.1,.4", "b,.4,.5,.1", "c,.1,.2,.7", "a,.6,.2,.2"]
    three.write_text("\n".join(["y_true,p_a,p_b,p_c", *rows]))
    text = run("evaluate", three, "--measures", ",".join(areas))
    assert [line.split("(")[1].split(")")[0] for line in text.splitlines() if "\u2191" in line] == areas


def test_many_classes_and_wide_names(run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from rich.cells import cell_len

    rng = np.random.default_rng(0)
    letters = [chr(97 + i) * (1 + i) for i in range(26)]  # the last has 26 letters
    y = rng.integers(0, 26, 260)
    p = rng.dirichlet(np.ones(26), 260) + np.eye(26)[y]
    p /= p.sum(axis=1, keepdims=True)
    lines = [f"y_true,model,{','.join(f'p_{c}' for c in letters)}"]
    for model in ("\u6a21\u578b" * 12, "n" * 60, "n" * 59 + "m"):
        lines += [",".join([letters[t], model, *(repr(float(x)) for x in row)]) for t, row in zip(y, p, strict=True)]
    path = tmp_path / "many.csv"
    path.write_text("\n".join(lines))
    monkeypatch.setenv("COLUMNS", "80")
    for command in (("evaluate", "--per-class"), ("compare", "--measures", "MCC,Acc")):
        text = run(command[0], path, *command[1:])
        assert max(map(cell_len, text.splitlines())) <= 80
        for i, name in enumerate(("\u6a21\u578b" * 12, "n" * 60, "n" * 59 + "m"), 1):
            assert f"[{i}] {name}" in text  # whole, below the table
