"""Commands on files: the numbers are those of the library, and what is printed can be read."""

from __future__ import annotations

import csv
import json
import os
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len

import karat
from commands import refused
from karat.cli.layout import laid_out
from karat.core.words import number

DEMO = Path(karat.__file__).parent / "cli" / "demo_data"
FOREST, BOOST = DEMO / "random_forest.csv", DEMO / "adaboost.csv"
GOOD = "y_true,p_a,p_b\na,0.9,0.1\nb,0.2,0.8\na,0.6,0.4\nb,0.7,0.3\n"


def evaluated(path: Path, **options: Any) -> karat.Evaluation:
    with path.open() as file:
        rows = list(csv.DictReader(file))
    proba = [[float(row["p_benign"]), float(row["p_malignant"])] for row in rows]
    return karat.evaluate([row["y_true"] for row in rows], proba, labels=["benign", "malignant"], **options)


# ------------------------------------------------------------------------------------------------- numbers


def test_evaluate_gives_the_numbers_of_the_library(told: Any) -> None:
    e = evaluated(BOOST, positive="malignant")
    found = told("evaluate", BOOST, "--positive", "malignant", "--intervals", "--replicates", "30", "--per-class")
    assert {name: found[name] for name in e.to_dict()} == e.to_dict()
    assert found["intervals"] == e.intervals(replicates=30).to_dict()
    assert found["per_class"] == e.per_class().to_dict()
    assert found["findings"] == e.findings().to_dict()
    named = told("evaluate", BOOST, "--measures", "macro(F1), MCC,H_X|Y")
    assert named["measures"] == e.values(["macro(F1)", "MCC", "H_X|Y"])
    assert len(told("evaluate", BOOST, "--measures", "all")["measures"]) == len(karat.catalogue.measures)


def test_compare_gives_the_numbers_of_the_library(told: Any) -> None:
    models = {
        "adaboost": evaluated(BOOST, positive="malignant"),
        "random_forest": evaluated(FOREST, positive="malignant"),
    }
    c = karat.compare(models, measures=["MCC", "AUC", "LogL"], replicates=50, seed=3)
    asked = ("--positive", "malignant", "--measures", "MCC,AUC,LogL", "--replicates", "50", "--seed", "3")
    found = told("compare", BOOST, FOREST, *asked)
    assert {name: found[name] for name in c.to_dict()} == json.loads(json.dumps(c.to_dict()))
    assert found["dominance"] == json.loads(json.dumps(c.dominance().to_dict()))
    assert found["rankings"] == json.loads(json.dumps(c.rankings().to_dict()))


def test_advise_gives_the_advice_of_the_library(told: Any, run: Any) -> None:
    found = told("advise", BOOST, "--decision", "rank", "--no-costs")
    assert found == json.loads(json.dumps(karat.advise(evaluated(BOOST), decision="rank", costs=False).to_dict()))
    text = run("advise", BOOST)
    assert "confusion_matrix" in text
    assert "Gorodkin (2004)" in text
    assert set(told("advise", BOOST, FOREST)) == {"adaboost", "random_forest"}


def test_plot_gives_the_numbers_of_the_library(told: Any) -> None:
    found = told("plot", "roc_curve", BOOST, "--positive", "malignant")
    expected = evaluated(BOOST).diagram("roc_curve", positive="malignant").to_dict()
    (member,) = found["members"]
    assert {**member, "model": ""} == json.loads(json.dumps(expected))


@pytest.mark.parametrize("content", [
    GOOD, "y_true,p_a\na,.9\nb,.2\n", "y_true,p_a,p_b\na,.9,.1\n", ",a,b\na,5,1\nb,0,7\n", "y_true,score\n0,1\n1,3\n",
    "y_true,p_a,p_b,weight\na,.9,.1,0\nb,.2,.8,1\n", "y_true,p_True,p_False\nTrue,.9,.1\nFalse,.2,.8\n",
    "y_true,y_pred\n0,0\n1,1\n",
])  # fmt: skip
def test_json_is_json_whatever_is_undefined(content: str, told: Any, run: Any, tmp_path: Path) -> None:
    path = tmp_path / "m.csv"
    path.write_text(content)
    words = ("evaluate", path, "--measures", "all", "--intervals", "--replicates", "10", "--per-class")
    assert told(*words)["measures"]
    assert "measure" in run(*words)
    assert told("advise", path)
    if not content.startswith(","):
        assert told("compare", path, path, "--replicates", "10")
        assert run("compare", path, path, "--replicates", "10")


def test_measures_that_can_not_be_compared_say_why(run: Any, tmp_path: Path) -> None:
    (tmp_path / "m.csv").write_text(GOOD)
    text = run("compare", tmp_path / "m.csv", tmp_path / "m.csv", "--measures", "F1", "--replicates", "10", code=2)
    assert "F1 needs a positive class: --positive" in text
    assert "--classes compares each class" in text


def test_what_needs_a_choice_says_what_each_gives(
    run: Any, told: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = "F1 needs a positive class: --positive benign gives 0.971, --positive malignant gives 0.949."
    for asked in ("F1", "MCC,F1"):
        assert words in refused(capsys, "evaluate", str(BOOST), "--measures", asked, "--intervals")
        assert words in refused(capsys, "report", str(BOOST), "--measures", asked, "-o", str(tmp_path / "page.html"))
    run("report", BOOST, "--measures", "ALL", "--no-intervals", "-o", tmp_path / "page.html")  # one word names none
    assert "0.991" in run("evaluate", BOOST, "--measures", "AUC")  # the same for both
    everything = told("evaluate", BOOST, "--measures", "all")
    assert everything["measures"]["F1"] is None
    assert (
        everything["undefined"]["F1"]
        == "the positive class is ambiguous for the labels 'benign', 'malignant': pass --positive"
    )


def test_conventions_are_marked_and_said_below(run: Any, told: Any, tmp_path: Path) -> None:
    path = tmp_path / "m.csv"
    path.write_text("y_true,y_pred\n" + "ok,ok\n" * 5)
    words = ("evaluate", path, "--labels", "ok,fraud", "--measures", "MCC,Acc,tMCC")
    sentence = "by convention 0 where all cases or all predictions are in one class, its formula being 0/0"
    text = run(*words)
    assert "0.000†" in text
    assert f"† {karat.catalogue.measures['MCC'].title}: {sentence}." in text
    assert "1.000†" not in text
    assert told(*words)["conventions"]["MCC"] == sentence
    assert "†" not in run("evaluate", BOOST, "--measures", "MCC")


# ------------------------------------------------------------------------------------------------- models and names


def test_models_of_one_name_are_told_apart(told: Any, tmp_path: Path) -> None:
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "m.csv").write_text(GOOD)
    a, b = tmp_path / "one" / "m.csv", tmp_path / "two" / "m.csv"
    assert list(told("evaluate", a, b)) == ["one/m", "two/m"]
    assert list(told("evaluate", a, a, a)) == ["one/m", "m (2)", "m (3)"]
    (tmp_path / "m (2).csv").write_text(GOOD)
    assert len(told("evaluate", tmp_path / "m (2).csv", a, a, b)) == 4


HOSTILE = ["[bold]x[/bold]", ":smile: \N{GRINNING FACE}", "\u05e9\u05dc\u05d5\u05dd", "n" * 200, "a\x1b[31mb", "%s{0}"]


@pytest.mark.parametrize("width", [20, 40, 80, 300])
def test_names_are_printed_as_they_are(width: int, run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    path = tmp_path / "m.csv"
    path.write_text(
        "y_true,p_0,p_1,model\n" + "".join(f"{i % 2},.{i + 1},.{9 - i},{m}\n" for m in HOSTILE for i in range(8))
    )
    for words in (
        ("evaluate", path),
        ("compare", path, "--replicates", "5", "--measures", "MCC"),
        ("gate", path, "--require", "MCC>=-1"),
    ):
        text = run(*words)
        assert "\x1b" not in text
        joined = "".join(text.split())
        for name in (*HOSTILE[:3], "n" * 200, "%s{0}") if width == 300 else ():
            assert "".join(name.split()) in joined
        assert all(cell_len(line) <= width for line in text.splitlines())


@pytest.fixture
def twelve(tmp_path: Path) -> tuple[Path, dict[str, float]]:
    """Models, the first of which is best; and their log loss."""
    path = tmp_path / "m.csv"
    names = [f"model_number_{i}" for i in range(12)]
    rows = [f"{i % 3},{1 - 0.02 * (m + j)},{0.01 * (m + j)},{0.01 * (m + j)},{name}\n"
            for m, name in enumerate(names) for j, i in enumerate(range(9))]  # fmt: skip
    path.write_text("y_true,p_0,p_1,p_2,model\n" + "".join(rows))
    values = {name: karat.evaluate([i % 3 for i in range(9)], [[1 - 0.02 * (m + j), 0.01 * (m + j), 0.01 * (m + j)]
                                                               for j in range(9)])["LogL"]
              for m, name in enumerate(names)}  # fmt: skip
    return path, values


@pytest.mark.parametrize("command", ["compare", "evaluate"])
def test_of_many_models_the_best_are_shown_or_all(
    command: str, twelve: Any, run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, values = twelve
    words = (command, path, "--measures", "LogL,MSE", *(("--replicates", "5") if command == "compare" else ()))
    order = sorted(values, key=lambda name: values[name])
    title = karat.catalogue.measures["LogL"].title
    for width in (80, 120, 300):
        monkeypatch.setenv("COLUMNS", str(width))
        for more in ((), ("--all",)):
            text = run(*words, *more)
            shown = [line for line in text.splitlines() if line.startswith(title) and "↓" in line]
            numbers = [word.rstrip("*~") for line in shown for word in line.split() if word[:1].isdigit()]
            whole = len(numbers) == 12 and len(shown) == 1  # then the models are as they were given
            expected = [number(values[name]) for name in (values if whole else order)]
            if not more and width < 300:
                assert 4 <= len(numbers) < 12
                assert f"The best {len(numbers)} of 12 models; --all shows all" in text
                assert len(shown) == 1  # never a broken table
            else:
                assert len(numbers) == 12
            assert numbers == expected[: len(numbers)]
            assert all(len(line) <= width and line == line.rstrip() for line in text.splitlines())


def test_columns_share_the_room() -> None:
    lines = [["name", "x", "words"], ["a" * 30, "0.1234", "word " * 40]]
    ((places, widths),) = laid_out(lines, [False, True, False], 80)
    assert places == [0, 1, 2]
    assert widths[:2] == [30, 6]
    assert sum(widths) + 4 == 80
    many = [["name", *"abcdefghij"], ["row", *["0.1234567"] * 10]]
    blocks = laid_out(many, [False, *[True] * 10], 40)
    assert [i for places, _ in blocks for i in places[1:]] == list(range(1, 11))
    assert all(places[0] == 0 and sum(widths) + 2 * (len(widths) - 1) <= 40 for places, widths in blocks)


# ------------------------------------------------------------------------------------------------- diagrams


TABLES = {
    "critical_difference": "model,dataset,value\n" + "".join(f"m{i},d{j},{i + (j * 7 % 5) / 3}\n" for i in range(4)
                                                             for j in range(8)),
    "dendrogram": "id,MCC,Acc,AUC\na,.1,.2,.9\nb,.3,.1,.4\nc,.2,.7,.5\nd,.6,.4,.1\n",
    "win_loss_equal": "name,win,loss\nx,.3,.2\ny,.5,.1\n",
    "ranks": "name,d1,d2\nx,1,2\ny,2,1\n",
    "sensitivity": "noise,MCC,Acc\n0,0,.1\n10,.1,.2\n",
    "accuracy_triangle": "accuracy,imbalance,information\n.5,.1,.1\n1,.1,.9\n",
    "measure_scatter": "MCC,CEN\n.5,.1\n1,0\n",
    "course": "period,value,low,high,limit_low,limit_high\n2026-01,.8,.7,.9,,\n2026-02,.5,.4,.6,.6,.9\n",
    "group_dots": "group,value,low,high,cases\nnorth,.8,.7,.9,50\nsouth,.6,.5,.7,40\n",
}  # fmt: skip
MORE = {"critical_difference": ("--set", "measure=MCC")}


@pytest.mark.parametrize("name", list(karat.catalogue.diagrams))
def test_every_diagram_can_be_reached(name: str, told: Any, tmp_path: Path) -> None:
    files: list[Path] = [BOOST, FOREST]
    if name in TABLES:
        files = [tmp_path / "table.csv"]
        files[0].write_text(TABLES[name])
    assert told("plot", name, *files, "--positive", "malignant", *MORE.get(name, ()))["diagram"] == name


@pytest.mark.parametrize("ending", ["svg", "pdf", "png"])
def test_diagrams_are_drawn(ending: str, run: Any, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    out = tmp_path / f"figure.{ending}"
    run("plot", "roc_curve", BOOST, FOREST, "--positive", "malignant", "-o", out)
    assert out.read_bytes()[:4] in (b"<?xm", b"%PDF", b"\x89PNG")
    if ending == "svg":
        run("plot", "precision_recall", BOOST, "--each-class", "--multiples", "-o", out)
        assert ">benign" in out.read_text()


def test_options_of_diagrams(told: Any, tmp_path: Path) -> None:
    found = told("plot", "reliability", BOOST, "--positive", "malignant", "--set", "grouping=width", "--set", "bins=4")
    assert found["members"][0]["edges"] == [0, 0.25, 0.5, 0.75, 1]
    ranks = tmp_path / "ranks.csv"
    ranks.write_text("model,rank\na,1.2\nb,2.5\nc,2.3\n")
    found = told("plot", "cd", ranks, "--set", "critical_difference=.9")
    assert (found["models"], found["critical_difference"]) == (["a", "c", "b"], 0.9)
    long = tmp_path / "long.csv"
    long.write_text(TABLES["critical_difference"])
    high = told("plot", "cd", long, "--set", "lower_is_better=false", "--set", "level=0.9")
    low = told("plot", "cd", long, "--set", "measure=LogL")
    assert high["models"] == ["m3", "m2", "m1", "m0"]
    assert low["models"] == high["models"][::-1]
    assert high["critical_difference"] < low["critical_difference"]  # ten false alarms in a hundred, against five
    several = told("plot", "roc_curve", BOOST, "--each-class", "--set", "averages=macro,weighted")
    assert len(several["averages"]) == 2
    words = told("plot", "sensitivity", _table(tmp_path, "sensitivity"), "--set", "axis=noise, in words")
    assert words["axis"] == "noise, in words"


def _table(folder: Path, name: str) -> Path:
    path = folder / f"{name}.csv"
    path.write_text(TABLES[name])
    return path


@pytest.mark.parametrize("name", list(TABLES))
def test_predictions_are_no_table_of_results(name: str, run: Any, tmp_path: Path) -> None:
    for more in ((), ("--set", "critical_difference=1")) if name == "critical_difference" else ((),):
        said = run("plot", name, BOOST, *more, code=2)
        assert f"holds predictions (the column y_true), and {name} is made from results: " in said
        assert "column" in said.partition("results:")[2]
    other = tmp_path / "other.csv"
    other.write_text(BOOST.read_text().replace("y_true", "truth", 1))
    assert "holds predictions" in run("plot", name, other, code=2)
    assert "holds predictions" in run("study", "redundancy", BOOST, code=2)


def test_refusals_of_plot(run: Any, tmp_path: Path) -> None:
    table = _table(tmp_path, "critical_difference")
    (tmp_path / "ranks.csv").write_text("model,rank\na,1.2\nb,2.5\n")
    shown = ("--positive", "malignant")
    for words, says in [
        (("roc_curv", BOOST), "Did you mean roc_curve"),
        (("roc_curve", BOOST), "pass --positive, or use --each-class"),
        (("roc_curve", BOOST, FOREST, "--each-class"), "give one"),
        (("entropy_triangle", BOOST, "--each-class"), "leave --each-class out"),
        (("coverage_risk", BOOST, "--each-class"), "leave --each-class out"),
        (("roc_curve", BOOST, *shown, "--set", "bins"), "is not name=value"),
        (("roc_curve", BOOST, *shown, "--set", "foo=1"), "has no option 'foo'"),
        (("roc_curve", BOOST, *shown, "--as", "markdown"), "--as markdown is for tables, and a diagram is a picture"),
        (("roc_curve", BOOST, *shown, "--set", "y_score=1"), "simultaneous, replicates, seed, groups, interval.\n"),
        (("roc_curve", BOOST, "--set", "positive=malignant"), "use --positive; it has threshold"),
        (("roc_curve", BOOST, *shown, "--set", "averages=macro"), "has no option 'averages'"),
        (("det", BOOST, *shown, "--set", "foo=1"), "it has none"),
        (("roc_curve", BOOST, *shown, "--set", "seed=abc"), "seed is 'abc'"),
        (("roc_curve", BOOST, *shown, "--set", "seed=-1"), "seed is -1"),
        (("reliability", BOOST, *shown, "--set", "replicates=0"), "replicates is 0"),
        (("roc_curve", BOOST, "--each-class", "--set", "replicates=1.5"), "replicates is 1.5"),
        (("entropy_triangle", BOOST, "--set", "seed=abc"), "seed is 'abc'"),
        (("roc_curve", BOOST, *shown, "-o", tmp_path / "none" / "x.svg"), "there is no folder"),
        (("cd", table), "pass --set measure=, or pass --set lower_is_better=True"),
        (("cd", table, "--set", "foo=1"), "it has critical_difference, measure, lower_is_better, level"),
        (("cd", table, "--set", "lower_is_better=perhaps"), "pass True or False"),
        (("cd", tmp_path / "ranks.csv"), "--set critical_difference=NUMBER"),
        (("cd", tmp_path / "ranks.csv", "--set", "critical_difference=big"), "correct the values of --set"),
        (("ranks", table, table), "2 files were given"),
        (("ranks", table), "has no column 'name'"),
    ]:
        assert says in run("plot", *words, code=2)


def test_refusals_of_files_for_a_figure(run: Any, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    (tmp_path / "folder.svg").mkdir()
    for name, says in (("x.gif", "name it .svg, .pdf or .png"), ("folder.svg", "can't be written")):
        assert says in run("plot", "roc_curve", BOOST, "--positive", "malignant", "-o", tmp_path / name, code=2)


# ------------------------------------------------------------------------------------------------- usage


def test_wrong_usage_is_one_line(run: Any) -> None:
    for words, says in [
        (("evaluate", BOOST, "--nope"), "no such option"),
        (("evaluate",), "missing argument 'PREDICTIONS'"),
        (("evalute", BOOST), "Did you mean 'evaluate'? `karat --help` shows how."),
        (("roc", BOOST), "no such command 'roc'; write `karat plot roc_curve`."),
        (("help",), "no such command 'help'; write `karat --help`."),
        (("evaluate", BOOST, "--metric", "f1"), "no such option: --metric; write --measures."),
        (("evaluate", BOOST, "--pos-label", "malignant"), "no such option: --pos-label; write --positive."),
        (("evaluate", BOOST, "--alpha", "0.1"), "no such option: --alpha; write --level."),
        (("evaluate", BOOST, "--target", "y"), "no such option: --target; write --truth."),
        (("evaluate", BOOST, "--output", "x.json"), "no such option: --output; write > FILE"),
        (("plot", "roc_curve", BOOST, "--output", "x.svg"), "no such option: --output; write -o FILE."),
        (("evaluate", BOOST, "--level", "x"), "--level is 'x'; give a number."),
        (("evaluate", BOOST, "--intervals", "--level", "95"), "level is 95"),
        (("evaluate", BOOST, "--measures", ","), "--measures names none"),
        (("evaluate", BOOST, "--positive", "x"), "--positive x is not one of the classes"),
        (("evaluate", "-", "-"), "stdin (-) was given more than once"),
        (("compare", BOOST), "only one model was given"),
        (("compare", BOOST, FOREST, "--baseline", "x"), "choose one of adaboost, random_forest"),
        (("plot",), "missing argument '"),
        (("gate", BOOST), "missing option '--require'"),
        (("advise", BOOST, "--decision", "x"), "classify, rank, probability, contact"),
    ]:
        assert says in run(*words, code=2)


def test_labels_with_commas_are_quoted(told: Any, tmp_path: Path) -> None:
    (tmp_path / "m.csv").write_text('y_true,"p_x, y",p_b\n"x, y",.9,.1\nb,.2,.8\n')
    assert told("evaluate", tmp_path / "m.csv", "--labels", '"x, y",b')["classes"] == ["x, y", "b"]


def python(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *words], capture_output=True, text=True, check=False,
                          env={**os.environ, **environment})  # fmt: skip


def test_the_shell_completes() -> None:
    code = "import sys; sys.argv = ['karat']; from karat.cli import main; main()"
    for words, offered in (
        ("karat ev", "evaluate"),
        ("karat plot reli", "reliability"),
        ("karat explain KapS", "KapS"),
    ):
        out = python("-c", code, _KARAT_COMPLETE="complete_bash", COMP_WORDS=words, COMP_CWORD=str(words.count(" ")))
        assert out.stdout.split() == [offered]


@pytest.mark.parametrize(
    "command",
    [
        ["demo", "-o", "demo.html"],
        ["plot", "roc_curve", str(FOREST), "--positive", "malignant", "--json", "-o", "curve.svg"],
        ["study", "census", "--size", "4", "--json", "-o", "census.csv"],
        ["gate", str(FOREST), "--require", "accuracy>=0.1", "--junit", "gate.xml"],
    ],
    ids=lambda command: command[0],
)
def test_files_are_written_though_nobody_reads_what_is_printed(command: list[str], tmp_path: Path) -> None:
    """As `karat demo | head -3`, if head is quicker."""
    read, write = os.pipe()
    os.close(read)
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    with os.fdopen(write, "wb") as closed:
        words = [sys.executable, "-m", "karat", *command]
        out = subprocess.run(words, stdout=closed, stderr=subprocess.PIPE, cwd=tmp_path, env=environment, check=False)
    assert out.returncode == 141
    written = [path.name for path in tmp_path.iterdir() if path.stat().st_size]
    assert any(name.startswith(Path(command[-1]).stem) for name in written)


def test_a_closed_pipe_is_no_failed_gate() -> None:
    command = f"{sys.executable} -m karat measures --json; echo $? >&2"
    out = subprocess.run(["sh", "-c", f"({command}) | true"], capture_output=True, text=True, check=True)
    assert out.stderr.split() in (["141"], ["0"])  # 0: it was all written before the pipe was closed


def test_help_is_light() -> None:
    """Within three times of importing typer, in processor time, and without numpy."""
    code = (
        "import sys; sys.argv = ['karat', '--help']\nfrom karat.cli import main\ntry: main()\nexcept SystemExit: pass\n"
    )
    out = python("-c", f"{code}print([m for m in ('numpy', 'scipy', 'pyarrow', 'matplotlib') if m in sys.modules])")
    assert out.stdout.splitlines()[-1] == "[]"

    def spent(*words: str) -> float:
        def once() -> float:
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            python(*words)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

        return min(once() for _ in range(3))

    assert spent("-m", "karat", "--help") < 3 * spent("-c", "import typer")


def test_colours_only_where_they_are_wanted() -> None:
    words = ("-m", "karat", "measures", "--family", "ranking")
    assert "\x1b" not in python(*words).stdout
    assert "\x1b[3" not in python(*words, FORCE_COLOR="1", NO_COLOR="1").stdout


def test_evidence_that_is_undefined_is_json(run: Any, tmp_path: Path) -> None:
    """Two cases of one class, one of them tied: kappa has no value, and the finding that names it can be written."""
    file = tmp_path / "x.csv"
    file.write_text("y_true,p_0,p_1\n0,.8,.2\n0,.5,.5\n")
    findings = json.loads(run("evaluate", file, "--json"))["findings"]
    assert any(None in f["evidence"].values() for f in findings)
