"""`karat gate`: exit 0 if every model meets every requirement, 1 if not, 2 if it can't be asked."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import karat
from commands import refused
from karat.cli import main

DEMO = Path(karat.__file__).parent / "cli" / "demo_data"
FOREST, BOOST = DEMO / "random_forest.csv", DEMO / "adaboost.csv"


class Ran:
    """What a command did."""

    def __init__(self, code: Any, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err

    @property
    def json(self) -> Any:
        return json.loads(self.out, parse_constant=lambda word: pytest.fail(f"{word} is no JSON"))


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("COLUMNS", "200")

    def command(*words: Any) -> Ran:
        capsys.readouterr()
        with pytest.raises(SystemExit) as stopped:
            main([str(word) for word in words])
        return Ran(stopped.value.code, *capsys.readouterr())

    return command


@pytest.fixture
def gate(run: Any) -> Any:
    def asked(*requirements: str, files: tuple[Any, ...] = (BOOST,), more: tuple[str, ...] = ()) -> Ran:
        words = [word for text in requirements for word in ("--require", text)]
        found: Ran = run("gate", *files, *words, "--replicates", "50", "--json", *more)
        return found

    return asked


@pytest.fixture(scope="module")
def boost() -> Any:
    import csv

    with BOOST.open() as file:
        rows = list(csv.DictReader(file))
    proba = [[float(row["p_benign"]), float(row["p_malignant"])] for row in rows]
    return karat.evaluate([row["y_true"] for row in rows], proba, labels=["benign", "malignant"])


@pytest.mark.parametrize(
    ("text", "symbol", "bound", "met"),
    [
        ("MCC>=0.6", "MCC", 0.6, True),
        ("  mcc  >=  .6  ", "MCC", 0.6, True),
        ("MCC>0.99", "MCC", 0.99, False),
        ("MCC>=1e-3", "MCC", 0.001, True),
        ("MCC>=-1E-3", "MCC", -0.001, True),
        ("MCC<+.5", "MCC", 0.5, False),
        ("LogL<=1", "LogL", 1.0, True),
        ("LOGL<=0.1", "LogL", 0.1, False),
        ("macro(F1)>=0.6", "macro(F1)", 0.6, True),
        ("weighted( AP )>=0.3", "weighted(AP)", 0.3, True),
        ("macro(F0.5)>=0.99", "macro(F0.5)", 0.99, False),
        ("H_X|Y<=1", "H_X|Y", 1.0, True),
        ("MCC>=0.6+0.2", "MCC", 0.8, True),
    ],
)
def test_bounds_on_values(text: str, symbol: str, bound: float, met: bool, gate: Any, boost: Any) -> None:
    ran = gate(text)
    (row,) = ran.json["requirements"]
    assert row["value"] == pytest.approx(boost[symbol])
    assert row["bound"] == pytest.approx(bound)
    assert (row["met"], ran.json["passed"], ran.code) == (met, met, 0 if met else 1)


def test_bounds_on_ends_of_intervals(gate: Any, boost: Any) -> None:
    found = boost.intervals(["AUNU", "macro(F1)"], replicates=50)
    ran = gate("AUNU.lo>=0.9", "AUNU.hi<=0.99", "macro(F1).low>=0.9", "AUNU .high<=1")
    low, high, macro, again = (row["value"] for row in ran.json["requirements"])
    assert (low, high) == pytest.approx((found["AUNU"].low, found["AUNU"].high))
    assert again == high
    assert macro == pytest.approx(found["macro(F1)"].low)
    assert [row["met"] for row in ran.json["requirements"]] == [True, False, True, True]
    assert ran.code == 1


@pytest.fixture
def stored(run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my folder").mkdir()
    told = run("evaluate", BOOST, "--json").out
    for name in ("my-baseline.json", "my folder/base line.json", "run-2", "base+0.01"):
        (tmp_path / name).write_text(told)
    (tmp_path / "two.json").write_text(run("evaluate", BOOST, FOREST, "--json").out)
    return tmp_path


@pytest.mark.parametrize(
    ("bound", "slack"),
    [
        ("my-baseline.json", 0),
        ("my-baseline.json+0.01", 0.01),
        ("my-baseline.json + 1e-2", 0.01),
        ("my-baseline.json-.05", -0.05),
        ("my folder/base line.json", 0),
        ("my folder/base line.json - 0.5", -0.5),
        ("run-2", 0),
        ("run-2-1", -1),
        ("base+0.01", 0),
        ("two.json", 0),
    ],
)
def test_bounds_from_a_stored_evaluation(bound: str, slack: float, stored: Path, gate: Any, boost: Any) -> None:
    ran = gate(f"LogL<={bound}", f"LogL>={bound}")
    for row in ran.json["requirements"]:
        assert row["bound"] == pytest.approx(boost["LogL"] + slack)
    assert [row["met"] for row in ran.json["requirements"]] == [slack >= 0, slack <= 0]


def test_each_model_is_held_against_its_own_stored_value(stored: Path, gate: Any) -> None:
    ran = gate("MCC>=two.json", files=(BOOST, FOREST))
    assert [(row["value"] == row["bound"], row["met"]) for row in ran.json["requirements"]] == [(True, True)] * 2
    other = stored / "other.csv"
    other.write_text(BOOST.read_text())
    assert "and not other" in gate("MCC>=two.json", files=(other,)).err


def test_the_order_of_additions_does_not_fail_a_gate(stored: Path, gate: Any) -> None:
    facts = json.loads((stored / "run-2").read_text())
    facts["measures"]["MCC"] += 2e-16
    (stored / "near.json").write_text(json.dumps(facts))
    assert gate("MCC>=near.json", "MCC<=near.json", "MCC==near.json").code == 0
    assert gate("MCC>near.json").code == 1


def test_what_is_undefined_or_infinite(gate: Any, tmp_path: Path) -> None:
    matrix = tmp_path / "one.csv"
    matrix.write_text("y_true,y_pred\na,a\nb,a\n")
    ran = gate("AUC>=0.5", files=(matrix,), more=("--positive", "a"))  # the data have none
    (row,) = ran.json["requirements"]
    assert (ran.code, row["value"], row["met"]) == (1, None, False)
    assert "were given" in row["why"]
    perfect = tmp_path / "perfect.csv"
    perfect.write_text("y_true,y_pred\n0,0\n1,1\n0,0\n")
    assert math.isinf(karat.evaluate([0, 1, 0], y_pred=[0, 1, 0])["LRP"])
    ran = gate("LRP>=10", files=(perfect,))
    assert (ran.code, ran.json["requirements"][0]["value"], ran.json["requirements"][0]["why"]) == (
        0,
        None,
        "it is infinite",
    )


def all_right(path: Path, n: int) -> Path:
    rows = [f"{i % 2},{0.1 + 0.8 * (i % 2):.1f}" for i in range(n)]
    path.write_text("\n".join(["y_true,p_1", *rows]) + "\n")
    return path


@pytest.mark.parametrize(("n", "says"), [(4, "no case shows any variation"), (12, "no case shows any variation")])
def test_an_end_that_few_cases_can_not_tell_fails_with_its_reason(
    gate: Any, run: Any, tmp_path: Path, n: int, says: str
) -> None:
    file, junit = all_right(tmp_path / "few.csv", n), tmp_path / "junit.xml"
    ran = gate("AUC.lo>=0.99", "MCC.lo>=0.95", files=(file,), more=("--junit", str(junit)))
    assert (ran.code, [row["met"] for row in ran.json["requirements"]]) == (1, [False, False])
    assert says in ran.json["requirements"][0]["why"]
    assert all(row["why"] for row in ran.json["requirements"])
    failures = [node.get("message") or "" for node in ElementTree.parse(junit).iter("failure")]
    assert len(failures) == 2
    assert all(", bound 0.9" in failure for failure in failures)  # the ends are known: the numbers are what is told
    shown = run("gate", file, "--require", "AUC.lo>=0.99")
    assert shown.code == 1
    assert f"NOT MET: {says}: one end is the value, the other an exact bound" in shown.out


def test_a_prior_is_no_reason_for_failing(gate: Any) -> None:
    ran = gate("MCC.lo>=0.999", more=("--method", "bayes"))
    assert [(row["met"], row["why"]) for row in ran.json["requirements"]] == [(False, "")]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("MCC", "is not understood"),
        ("", "is not understood"),
        (">=0.5", "is not understood"),
        ("MCC>=", "is not understood"),
        ("MCC=0.5", "is not understood"),
        ("MCC=>0.5", "is not understood"),
        ("MCC!=0.5", "is not understood"),
        ("MCC>=nan", "neither a number nor a file"),
        ("MCC>=inf", "neither a number nor a file"),
        ("MCC>=none.json+0.1", "'none.json' in 'MCC>=none.json+0.1'"),
        ("MCC>=0.5>=3", "neither a number nor a file"),
        ("MCC>=" + "9" * 5000, "is not understood"),
        ("MCC>=" + "9" * 500, "neither a number nor a file"),
        ("MCC>=" + "a" * 900, "neither a number nor a file"),
        ("MCC>=+1e400", "neither a number nor a file"),
        ("MCC>=-Infinity", "neither a number nor a file"),
        ("MCC>=1_0", "neither a number nor a file"),
        ("MCC>=\u0663", "neither a number nor a file"),
        ("MCC>=0.5+1e400", "is infinite"),
        ("MCC>=1e308+1e308", "is infinite"),
        ("Acc>=1e-400", "'1e-400' is nearer to 0 than numbers can be"),
        ("Acc>=0.5-0.001e-400", "'-0.001e-400' is nearer to 0"),
        ("MCCC>=0.5", "Did you mean MCC"),
        ("AUNU.mid>=0.5", "there is no measure 'AUNU.mid'"),
        ("macro(MCC)>=0.4", "a measure of all classes already"),
        ("MCC>=list.json", "not a stored evaluation"),
        ("MCC>=broken.json", "not a stored evaluation"),
        ("AUC>=my-baseline.json", "--measures 'AUC' --json"),
    ],
)
def test_refusals(text: str, says: str, stored: Path, gate: Any) -> None:
    (stored / "list.json").write_text("[1, 2]")
    (stored / "broken.json").write_text("{")
    ran = gate(text)
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert ran.err.startswith("karat: ")
    assert says in ran.err
    assert "Traceback" not in ran.err


STORED = {
    '{"Acc": [1]}': "is not a stored evaluation",
    "[" * 100_000: "is not a stored evaluation",
    "\x00": "is not a stored evaluation",
    '{"measures": {"MCC": "high"}}': "is 'high'; give a finite number",
    '{"measures": {"MCC": [1]}}': "is [1]; give a finite number",
    '{"measures": {"MCC": true}}': "is True; give a finite number",
    '{"measures": {"MCC": NaN}}': "is nan; give a finite number",
    '{"measures": {"MCC": 1e400}}': "is inf; give a finite number",
    '{"measures": {"MCC": ' + "9" * 400 + "}}": "give a finite number",
    '{"measures": {"MCC": 0.5}, "classes": 3}': "its classes are 3",
    '{"measures": {"MCC": 0.5}, "n": "many"}': "n in",
}


@pytest.mark.parametrize("content", STORED, ids=lambda text: text[:40])
def test_a_baseline_that_is_none(content: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "p.csv").write_text("y_true,p_1\n0,0.2\n1,0.8\n1,0.4\n")
    (tmp_path / "base.json").write_text(content)
    words = refused(capsys, "gate", str(tmp_path / "p.csv"), "--require", f"MCC>={tmp_path / 'base.json'}")
    assert STORED[content] in words


def test_what_was_not_said_is_bad_input(gate: Any, tmp_path: Path) -> None:
    three = tmp_path / "three.csv"
    three.write_text("y_true,y_pred\na,a\nb,b\nc,a\n")
    for text, files, says in (
        (
            "F1>=0.5",
            (BOOST,),
            "F1 needs a positive class: --positive benign gives 0.971, --positive malignant gives 0.949.",
        ),
        ("F1.lo>=0.5", (BOOST,), "F1 needs a positive class: --positive benign gives 0.971"),
        ("F1>=0.5", (three,), "macro(F1) gives 0.556, weighted(F1) gives 0.556, micro(F1) gives 0.667; --positive"),
    ):
        ran = gate(text, files=files)
        assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
        assert says in ran.err
        assert text in ran.err


def test_a_stored_evaluation_is_of_the_same_task(stored: Path, gate: Any, run: Any) -> None:
    three = stored / "three.csv"
    three.write_text("y_true,y_pred\na,a\nb,b\nc,a\n")
    (stored / "three.json").write_text(run("evaluate", three, "--json").out)
    (stored / "benign.json").write_text(run("evaluate", BOOST, "--positive", "benign", "--json").out)
    for name, more, says in (
        ("three.json", (), "the classes a, b, c, and adaboost has the classes benign, malignant"),
        ("benign.json", ("--positive", "malignant"), "pass --positive benign, or store it again"),
    ):
        ran = gate(f"MCC>={name}", more=more)
        assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
        assert says in ran.err
    some = stored / "some.csv"
    some.write_text("\n".join(BOOST.read_text().splitlines()[:101]))
    ran = gate("MCC>=my-baseline.json-1", "LogL<=my-baseline.json+9", files=(some,))
    assert ran.code == 0
    n = len(BOOST.read_text().splitlines()) - 1
    assert ran.err == f"karat: my-baseline.json was made of {n} cases, and some has 100.\n"
    assert gate("MCC>=my-baseline.json").err == ""


def test_junit(run: Any, tmp_path: Path) -> None:
    hostile = tmp_path / "<&\"'[bold]\x01.csv"
    hostile.write_text(BOOST.read_text())
    ran = run("gate", hostile, "--require", "MCC>=0.99", "--require", "MCC>=0.1", "--junit", tmp_path / "j.xml")
    assert ran.code == 1
    suites = ElementTree.parse(tmp_path / "j.xml").getroot()
    (suite,) = suites
    assert (suites.tag, suite.tag) == ("testsuites", "testsuite")
    for element in (suites, suite):
        assert (element.get("tests"), element.get("failures"), element.get("errors")) == ("2", "1", "0")
    failed, passed = suite.findall("testcase")
    assert failed.get("classname") == "<&\"'[bold]\N{REPLACEMENT CHARACTER}"
    assert failed.get("name") == "MCC>=0.99"
    (failure,) = failed
    assert (failure.tag, failure.get("type")) == ("failure", "requirement")
    assert failure.get("message") == failure.text == "MCC>=0.99 is not met: 0.921, bound 0.990"
    assert len(passed) == 0
    ran = run("gate", BOOST, "--require", "MCC>=0.1", "--junit", tmp_path / "none" / "j.xml")
    assert ran.code == 2
    assert "can't be written" in ran.err


def test_github_annotations(run: Any, tmp_path: Path) -> None:
    hostile = tmp_path / "50%\r\nof.csv"
    hostile.write_text(BOOST.read_text())
    words = ("gate", hostile, "--require", "MCC>=0.99", "--require", "MCC>=0.1", "--github")
    expected = "::error title=karat gate::50%25%0D%0Aof: MCC>=0.99 is not met: 0.921, bound 0.990"
    ran = run(*words)
    assert [line for line in ran.out.splitlines() if line.startswith("::")] == [expected]
    ran = run(*words, "--json")  # JSON has stdout to itself
    assert ran.json["passed"] is False
    assert ran.err.splitlines() == [expected]


def test_what_is_shown_is_a_table_whose_points_are_below_each_other(run: Any) -> None:
    ran = run("gate", BOOST, "--require", "MCC>=-0.61", "--require", "OR>=1", "--require", "Acc>=0.99")
    assert ran.out.splitlines() == [
        "model     requirement     value   bound",
        "adaboost  MCC>=-0.61      0.921  -0.610  met",
        "adaboost  OR>=1        1012       1      met",
        "adaboost  Acc>=0.99       0.963   0.990  NOT MET",
    ]


def test_what_is_shown(run: Any) -> None:
    ran = run("gate", BOOST, FOREST, "--require", "MCC>=0.6", "--require", "CalB<=0.1")
    assert ran.code == 1
    assert ran.err == ""
    rows = [line.split() for line in ran.out.splitlines()]
    assert rows[0] == ["model", "requirement", "value", "bound"]
    assert [row[0] for row in rows[1:]] == ["adaboost"] * 2 + ["random_forest"] * 2
    assert [" ".join(row[4:]) for row in rows[1:]] == ["met", "NOT MET", "met", "met"]


def test_a_value_by_convention_says_so(gate: Any, tmp_path: Path) -> None:
    path = tmp_path / "m.csv"
    path.write_text("y_true,y_pred\n" + "ok,ok\n" * 5)
    (row,) = gate("MCC>=0", files=(path,), more=("--labels", "ok,fraud")).json["requirements"]
    assert row["met"]
    assert row["why"].startswith("by convention 0 where all cases")


def test_what_is_the_same_for_both_classes_needs_no_positive_one(gate: Any) -> None:
    (row,) = gate("AUC.lo>=0.9").json["requirements"]
    assert row["met"]
    assert row["value"] < gate("AUC>=0.9").json["requirements"][0]["value"] < 1


def test_a_gate_knows_of_groups(gate: Any, tmp_path: Path) -> None:
    rows = [f"{i % 2},{0.9 * (i % 2) + 0.05:.2f},{i // 10}" for i in range(30)]
    file = tmp_path / "grouped.csv"
    file.write_text("\n".join(["y_true,p_1,patient", *rows]) + "\n")
    assert gate("AUC.lo>=0.7", files=(file,)).code == 0
    ran = gate("AUC.lo>=0.7", files=(file,), more=("--groups", "patient"))
    assert ran.code == 1
    assert "3 groups" in ran.json["requirements"][0]["why"]
