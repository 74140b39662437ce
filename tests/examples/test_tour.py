"""The notebook of the examples runs, in plain Python and, where Jupyter is installed, in its kernel."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

import pytest

FILE = Path(__file__).parents[2] / "examples" / "tour.ipynb"
CELLS = [cell for cell in json.loads(FILE.read_text())["cells"] if cell["cell_type"] == "code"]
SOURCES = ["".join(cell["source"]) for cell in CELLS]
SHOWN_AS_TABLES = (
    "e", "e.intervals()", "e.findings()", "e.at_prevalence(0.01)", "c", "c.rankings()",
    'c.models["naive Bayes"].findings()',
)  # fmt: skip


def last_line(source: str) -> str:
    return source.splitlines()[-1]


def test_no_output_is_stored() -> None:
    """It would be out of date, and large."""
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in CELLS)
    assert set(SHOWN_AS_TABLES) <= set(map(last_line, SOURCES))


def test_it_runs_and_everything_shows_itself() -> None:
    pytest.importorskip("sklearn")
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    names: dict[str, Any] = {}
    for source in SOURCES:
        tree = ast.parse(source)
        value = None
        if isinstance(tree.body[-1], ast.Expr):
            last = ast.Expression(tree.body.pop().value)  # type: ignore[attr-defined]
            exec(compile(tree, "tour", "exec"), names)
            value = eval(compile(last, "tour", "eval"), names)
        else:
            exec(compile(tree, "tour", "exec"), names)
        if last_line(source) in SHOWN_AS_TABLES:
            assert "<t" in value._repr_html_()
            assert len(repr(value)) > 20
        if ".plot(" in source:
            assert value.figure_.axes
            matplotlib.pyplot.close("all")
    from sklearn.metrics import f1_score, log_loss, roc_auc_score

    model, X, y = (names[name] for name in ("model", "X_test", "y_test"))
    malignant = model.predict_proba(X)[:, 1]
    e = names["e"]
    assert e["f1"] == pytest.approx(f1_score(y, model.predict(X), pos_label="malignant"), abs=1e-12)
    assert e["roc_auc"] == pytest.approx(roc_auc_score(y == "malignant", malignant), abs=1e-12)
    assert e["log_loss"] == pytest.approx(log_loss(y == "malignant", malignant), abs=1e-12)


def test_it_runs_in_jupyter() -> None:
    """Tables are HTML, and every plot is a picture."""
    pytest.importorskip("sklearn")
    pytest.importorskip("matplotlib")
    pytest.importorskip("ipykernel")
    client = pytest.importorskip("nbclient")
    nbformat = pytest.importorskip("nbformat")
    notebook = nbformat.read(FILE, as_version=4)
    client.NotebookClient(notebook, timeout=300, kernel_name="python3").execute()  # raises where a cell fails
    kinds = {}
    for cell in notebook.cells:
        if cell.cell_type == "code":
            kinds[last_line(cell.source)] = {kind for out in cell.outputs for kind in out.get("data", ())}
    for source in SHOWN_AS_TABLES:
        assert "text/html" in kinds[source], source
    plots = [source for source in kinds if ".plot(" in source]
    assert len(plots) == 3
    for source in plots:
        assert "image/png" in kinds[source], source
