"""`--measures-from`: measures of one's own on the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import karat

DEMO = Path(karat.__file__).parent / "cli" / "demo_data"
BOOST, FOREST = DEMO / "adaboost.csv", DEMO / "random_forest.csv"
DECLARED = '''
import karat
from karat.statistics import Counts

@karat.measure(symbol="Own", formula="a", range=(0, 1), best=1, cite="ferri2009", aliases=("mine",))
def own_accuracy(c: Counts) -> float:
    """What share is right, as I count it?"""
    return c.sums.trace / c.sums.total
'''


@pytest.fixture
def own(tmp_path: Path) -> Path:
    file = tmp_path / "my_measures.py"
    file.write_text(DECLARED)
    return file


def test_they_go_wherever_measures_are_named(own: Path, run: Any, told: Any, tmp_path: Path) -> None:
    before = list(karat.catalogue.measures)
    accuracy = told("evaluate", BOOST)["measures"]["Acc"]
    door = ("--measures-from", own)
    assert told("evaluate", BOOST, "--measures", "mine", *door)["measures"] == {"Own": accuracy}
    (pair,) = told("compare", BOOST, FOREST, "--measures", "Own,Acc", "--replicates", "20", *door)["pairs"]
    assert pair["differences"]["Own"]["difference"] == pair["differences"]["Acc"]["difference"]
    assert pair["differences"]["Own"]["low"] < pair["differences"]["Own"]["high"]
    assert told("gate", BOOST, "--require", "Own>=.9", "--require", "Own.lo>=.5", "--replicates", "20", *door)["passed"]
    assert "Own" in [m["symbol"] for m in told("measures", "--family", "my_measures", *door)]
    assert "What share is right, as I count it?" in run("explain", "own_accuracy", *door)
    wrong = told("study", "sensitivity", "--repetitions", "10", "--measures", "Own,Acc,MCC", "--set", "steps=1", *door)
    rows = wrong["tables"]["averages"]
    shares = dict(zip(rows["measure"], zip(*(v for k, v in rows.items() if k != "measure"), strict=True), strict=True))
    assert shares["Own"] == shares["Acc"]
    table = tmp_path / "long.csv"
    table.write_text("model,dataset,value\n" + "".join(f"m{i},d{j},{i + j % 3}\n" for i in range(3) for j in range(6)))
    assert told("plot", "cd", table, "--set", "measure=Own", *door)["models"] == ["m2", "m1", "m0"]
    assert list(karat.catalogue.measures) == before  # for this run only
    assert not list(tmp_path.glob("__pycache__"))


def test_on_the_page(own: Path, run: Any, tmp_path: Path) -> None:
    pytest.importorskip("vl_convert")
    out = tmp_path / "page.html"
    run("report", BOOST, "-o", out, "--measures", "Own,MCC", "--no-intervals", "--measures-from", own)
    assert "What share is right, as I count it?" in out.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (None, "can't be read (No such file or directory); name a Python file"),
        ("x = 1", "declares no measure"),
        ("x = 1 / 0", "fails in line 1 (ZeroDivisionError: division by zero)"),
        ("x = (", "fails in line 1 (SyntaxError"),
        ("import sys\nsys.exit(0)", "fails in line 2 (SystemExit"),
        ("import no_such_module", "No module named 'no_such_module'"),
        (DECLARED.replace('"Own"', '"MCC"'), "of MCC is taken by MCC"),
        (DECLARED.replace("return ", "raise RuntimeError('no ')\n    return "), "fails in line 8 (RuntimeError: no )"),
        (b"\xff\xfe", "it is not text in UTF-8"),
    ],
)
@pytest.mark.parametrize("command", ["gate", "evaluate"])
def test_refusals(command: str, text: str | bytes | None, says: str, run: Any, tmp_path: Path) -> None:
    """Exit code 1 is a failed gate, so that a faulty file must not end in a traceback."""
    file = tmp_path / "mine.py"
    if text is not None:
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
    before = list(karat.catalogue.measures)
    more = ("--require", "Own>=0") if command == "gate" else ("--measures", "Own")
    assert says in run(command, BOOST, *more, "--measures-from", file, code=2)
    assert list(karat.catalogue.measures) == before


def test_a_file_is_not_run_unless_it_is_named(tmp_path: Path, run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my_measures.py").write_text("raise SystemExit")
    assert "MCC" in json.loads(run("evaluate", BOOST, "--json"))["measures"]
