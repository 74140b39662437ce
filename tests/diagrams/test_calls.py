"""Every diagram as a function: what it can be given, what it says of itself, and what editors know of it."""

from __future__ import annotations

import ast
import inspect
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import karat
import karat.diagrams as kd
from diagrams import many
from karat.diagrams import ConfusionMatrix, ROCCurve, Several, diagrams
from karat.diagrams.diagram_stub import STUB, stub
from karat.diagrams.option_docs import DATA, OPTIONS

RNG = np.random.default_rng(14)
Y = np.append([0, 1], RNG.integers(0, 2, 78))
P = {name: np.clip(0.3 * Y + 0.7 * RNG.random(80), 0, 1) for name in ("forest", "logistic")}
ROWS: dict[str, Any] = {
    "critical_difference": ({"model": ["a", "b"], "rank": [1.2, 1.8]}, {"critical_difference": 0.5}),
    "course": (
        {
            "period": ["a", "b"],
            "value": [0.8, 0.5],
            "low": [0.7, 0.4],
            "high": [0.9, 0.6],
            "limit_low": [0.6, 0.6],
            "limit_high": [0.9, 0.9],
        },
        {"changed": "b"},
    ),
    "group_dots": ({"group": ["a"], "value": [0.8], "low": [0.7], "high": [0.9], "cases": [90]}, {"few": 100}),
    "dendrogram": ({s: RNG.random(9) for s in ("Acc", "AUC", "MCC")}, {}),
    "win_loss_equal": ({"name": ["x", "y"], "win": [0.3, 0.5], "loss": [0.2, 0.1]}, {}),
    "ranks": ({"name": ["x", "y"], "d1": [1, 2], "d2": [2, 1]}, {}),
    "sensitivity": ({"noise": [0, 10], "MCC": [0.0, 0.1]}, {}),
}
every = pytest.mark.parametrize("kind", list(diagrams.values()), ids=list(diagrams))
OF_PREDICTIONS = [k for k in diagrams.values() if k.made_from != "table"]
of_predictions = pytest.mark.parametrize("kind", OF_PREDICTIONS, ids=[k.name for k in OF_PREDICTIONS])


def refused(call: Any, words: str) -> None:
    with pytest.raises(karat.InputError, match=words) as raised:
        call()
    sentence = str(raised.value)
    assert sentence.endswith((".", "?"))
    assert "\n" not in sentence


@of_predictions
def test_one_model(kind: type[Any]) -> None:
    function = getattr(kd, kind.name)
    e = karat.evaluate(Y, P["forest"])
    wanted = kind.from_predictions(Y, P["forest"])
    for record in (function(Y, P["forest"]), function(y_true=Y, y_proba=P["forest"]), function(e)):
        assert isinstance(record, kind)
        assert record.to_dict() == wanted.to_dict()
    assert function(Y, P["forest"], name="f").plot().is_drawn


@of_predictions
def test_several_models(kind: type[Any]) -> None:
    function = getattr(kd, kind.name)
    evaluations = {name: karat.evaluate(Y, p) for name, p in P.items()}
    calls = [function(P, Y), function(P, y_true=Y), function(Y, P), function(evaluations)]
    assert len({str(answer.to_dict()) for answer in calls}) == 1
    if kind.made_from == "models":
        assert calls[0].models == ("forest", "logistic")
    else:
        assert isinstance(calls[0], Several)
        assert [m.model for m in calls[0]] == ["forest", "logistic"]
        assert calls[0]["forest"].to_dict() == kind.from_predictions(Y, P["forest"], name="forest").to_dict()


def test_a_comparison() -> None:
    c = karat.compare(P, Y)
    assert [m.model for m in kd.roc_curve(c)] == ["forest", "logistic"]


@pytest.mark.parametrize("name", list(ROWS))
def test_tables(name: str) -> None:
    columns, options = ROWS[name]
    wanted = diagrams[name].from_table(columns, **options).to_dict()
    assert getattr(kd, name)(columns, **options).to_dict() == wanted
    pd, pl = pytest.importorskip("pandas"), pytest.importorskip("polars")
    for frame in (pd.DataFrame(columns), pl.DataFrame(columns), karat.core.table.Table(columns)):
        assert getattr(kd, name)(frame, **options).to_dict() == wanted
    refused(lambda: getattr(kd, name)(columns, **options, nothing=1), f"{name} has no option 'nothing'; it has")
    refused(lambda: getattr(kd, name)(Y, P["forest"]), "is made from one table")
    refused(lambda: getattr(kd, name)(3), "is made from a table, not from int")


def test_each_class_and_some_classes() -> None:
    y, p = many(4)
    several = kd.roc_curve(y, p, each_class=True, averages=("macro", "weighted"))
    assert [m.positive for m in several] == [0, 1, 2, 3]
    assert len(several.means) == 2
    assert [m.positive for m in kd.roc_curve(y, p, classes=[1, 3])] == [1, 3]
    assert kd.roc_curve(y, p, positive=2).positive == 2
    refused(lambda: kd.roc_curve(y, p), "none was named: pass positive=, or use each_class=True")
    refused(lambda: kd.roc_curve({"a": p, "b": p}, y), "for several models; pass positive=")
    refused(lambda: kd.roc_curve({"a": p, "b": p}, y, each_class=True), "2 were given; give one")
    refused(lambda: kd.roc_curve(y, p, classes=[7]), "7")
    refused(lambda: kd.roc_curve(y, p, positive=1, averages="macro"), "pass each_class=True too")
    refused(lambda: kd.confusion_matrix(y, p, each_class=True), "leave each_class=True out")


def test_fitted_models() -> None:
    naive_bayes = pytest.importorskip("sklearn.naive_bayes")
    metrics = pytest.importorskip("sklearn.metrics")
    X = RNG.normal(size=(80, 3)) + Y[:, None]
    model = naive_bayes.GaussianNB().fit(X, Y)
    area = metrics.roc_auc_score(Y, model.predict_proba(X)[:, 1])
    assert kd.roc_curve(model, X, Y).area == pytest.approx(area, abs=1e-12)
    assert kd.roc_curve({"a": model, "b": model}, X, Y)["b"].area == pytest.approx(area, abs=1e-12)
    refused(lambda: kd.roc_curve(model, X), r"call it with \(model, X, y\)")


def test_what_is_given_wrongly_is_one_sentence() -> None:
    refused(kd.roc_curve, "needs the true labels")
    refused(lambda: kd.roc_curve(P), "without the true labels")
    refused(lambda: kd.roc_curve(Y, P["forest"], None, 3), "4 things by position")
    refused(lambda: kd.roc_curve(Y, P["forest"], y_proba=P["forest"]), "y_proba twice")
    refused(lambda: kd.roc_graph(Y, P, Y), "give both by model")
    refused(lambda: kd.roc_curve(Y, P["forest"], colr="red"), "has no option 'colr'; it has threshold")
    refused(lambda: kd.roc_curve(karat.evaluate(Y, P["forest"]), labels=[0, 1]), "give it to karat.evaluate")
    with pytest.raises(AttributeError, match="Did you mean roc_curve"):
        _ = kd.roc_cruve  # type: ignore[attr-defined]


def test_names_and_aliases() -> None:
    assert set(diagrams) <= set(dir(kd))
    assert kd.calibration_curve is kd.reliability  # type: ignore[attr-defined]
    assert kd.pr_curve is kd.precision_recall  # type: ignore[attr-defined]
    files = {path.stem for path in Path(kd.__file__).parent.glob("*.py")}
    names = {name for kind in diagrams.values() for name in (kind.name, *kind.aliases)}
    assert not files & names  # a module would hide the function


@every
def test_a_function_says_what_it_takes(kind: type[Any]) -> None:
    function = getattr(kd, kind.name)
    assert (function.__name__, function.__module__) == (kind.name, "karat.diagrams")
    parameters = inspect.signature(function).parameters
    assert set(kind.options()) <= set(parameters)
    text = inspect.getdoc(function) or ""
    assert text.startswith(kind.shows)
    for section in ("Parameters", "Returns", "Raises", "See Also"):
        assert f"\n{section}\n{'-' * len(section)}\n" in text
    for name in parameters:
        assert f"\n{name} : " in text or name == "style"
        assert name in OPTIONS if name in kind.options() and name != "name" else name in DATA or name == "style"


def test_the_stub_is_what_the_catalogue_gives() -> None:
    text = STUB.read_text(encoding="utf-8")
    assert text == stub(), "run python -m karat.diagrams.diagram_stub"
    functions: dict[str, list[ast.FunctionDef]] = {}
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef):
            functions.setdefault(node.name, []).append(node)
    assert list(functions) == list(diagrams)
    for name, overloads in functions.items():
        signature = inspect.signature(getattr(kd, name))
        for node in overloads:
            assert ast.get_docstring(node) == diagrams[name].shows
        known = {a.arg for node in overloads for a in (*node.args.args, *node.args.kwonlyargs)}
        assert set(signature.parameters) - {"style"} <= known


def test_type_checkers_know_the_functions(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    file = tmp_path / "use.py"
    file.write_text(
        "from karat.diagrams import roc_curve, roc_graph\n"
        "area: float = roc_curve([0, 1], [0.1, 0.9], band=0.95).area\n"
        "models = roc_curve({'a': [0.1, 0.9]}, [0, 1]).members\n"
        "classes = roc_curve([0, 1], [0.1, 0.9], each_class=True).means\n"
        "hull = roc_graph({'a': [0.1, 0.9]}, [0, 1]).hull\n"
        "roc_curve([0, 1], threshold='high')\n"
    )
    source = Path(karat.__file__).parents[1]
    words = [sys.executable, "-m", "mypy", "--no-incremental", "--config-file=", "--follow-imports=silent", str(file)]
    done = subprocess.run(
        words, capture_output=True, text=True, check=False, cwd=tmp_path, env={"MYPYPATH": str(source)}
    )
    assert done.stdout.count("error:") == 1, done.stdout[:3000]
    assert "use.py:6" in done.stdout


# ------------------------------------------------------------------------------------------- the default panel

E = karat.evaluate(Y, P["forest"])


@pytest.mark.parametrize(
    ("models", "names"),
    [
        (E, ["roc_curve", "precision_recall", "reliability", "confusion_matrix"]),
        (karat.evaluate(Y, y_pred=P["forest"] > 0.5), ["confusion_matrix"]),
        (karat.evaluate(Y, y_score=3 * P["forest"]), ["roc_curve", "precision_recall"]),
        (karat.evaluate_matrix([[3, 1], [2, 4]]), ["confusion_matrix"]),
        (karat.evaluate(*many(4)), ["confusion_matrix", "roc_curve", "reliability", "coverage_risk"]),
        (karat.evaluate(*many(20)), ["confusion_matrix", "roc_curve", "coverage_risk"]),
        ({"a": E, "b": E}, ["roc_curve", "precision_recall", "reliability", "confusion_matrix"]),
        (dict.fromkeys("abcde", E), ["roc_curve", "precision_recall", "reliability", "roc_graph"]),
        (dict.fromkeys("ab", karat.evaluate(*many(4))), ["confusion_matrix", "roc_curve", "coverage_risk"]),
        (karat.evaluate([1, 1], [0.2, 0.7], labels=[0, 1]), ["confusion_matrix"]),
    ],
)  # fmt: skip
def test_the_panel_shows_what_was_given(models: Any, names: list[str]) -> None:
    from diagrams import legible

    panel = kd.panel_of(models)
    assert list(panel.diagrams) == names
    panel.plot()
    titles = [ax.get_title(loc="left") for ax in panel.ax_]
    for name in names:
        assert sum(t.startswith(diagrams[name].title) for t in titles) >= 1
    panel.figure_.canvas.draw()
    assert legible.clipped(panel.figure_) == []
    assert legible.covered(panel.figure_) == []
    assert panel[names[0]] is panel.diagrams[names[0]]
    assert set(panel.to_dict()) == set(names)


def test_the_panel_of_several_models_of_many_classes_has_their_macro_averages() -> None:
    y, p = many(4)
    models = {"a": karat.evaluate(y, p), "b": karat.evaluate(y, np.full((150, 4), 0.25))}
    curves = kd.panel_of(models)["roc_curve"]
    assert curves["a"].area == pytest.approx(models["a"]["AUNU"], abs=1e-12)  # type: ignore[index]
    assert curves["b"].area == pytest.approx(0.5)  # type: ignore[index]


def test_plot_of() -> None:
    plt = pytest.importorskip("matplotlib.pyplot")
    _, ax = plt.subplots()
    drawn = kd.plot_of(E, "roc_curve", ax=ax, color="red", band=0.9, replicates=50)
    assert isinstance(drawn, ROCCurve)
    assert (drawn.ax_, drawn.band.level) == (ax, 0.9)  # type: ignore[union-attr]
    assert [line.get_color() for line in ax.lines if line.get_gid() == "series"] == ["red"]
    assert isinstance(kd.plot_of({"a": E, "b": E}, "roc_curve"), Several)
    assert [m.positive for m in kd.plot_of(karat.evaluate(*many(4)), "roc_curve")] == [0, 1, 2, 3]
    assert isinstance(kd.plot_of(E, "confusion_matrix"), ConfusionMatrix)
    assert kd.plot_of(E).is_drawn
    refused(lambda: kd.plot_of(E, ax=ax), "ax goes with one diagram")
    refused(lambda: kd.plot_of(E, nothing=1), "has an option 'nothing'")
    refused(lambda: kd.plot_of(E, "cd"), "is made from a table of results")
    refused(lambda: kd.plot_of(E, "rock_curve"), "Did you mean roc_curve")
