"""Weka 3.6.14's J48, as it answered: the same trees, word for word, and the same probabilities."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from peers import ORACLES, load, stored

pytest.importorskip("sklearn")

from karat.datasets import DataSet, published, read_arff, studies
from karat.datasets import load as load_data
from karat.learners import C45Classifier, _python, kernel

DATA = ORACLES.parent / "data"
NAMES = ("breast-cancer", "contact-lenses", "glass", "ionosphere", "iris", "vote", "weather.numeric")
FLAGS: dict[str, dict[str, Any]] = {
    "-U": {"unpruned": True},
    "-A": {"laplace": True},
    "-B": {"binary_splits": True},
    "-S": {"subtree_raising": False},
}
VALUES = {"-M": ("min_cases", int), "-C": ("confidence", float)}


def options(text: str) -> dict[str, Any]:
    """Weka's options under karat's names."""
    words = iter(text.split())
    found: dict[str, Any] = {}
    for word in words:
        if word in FLAGS:
            found |= FLAGS[word]
        else:
            name, kind = VALUES[word]
            found[name] = kind(next(words))
    return found


def read(name: str) -> DataSet:
    return read_arff(ORACLES / "weka" / name)


def text_of(run: dict[str, Any]) -> str:
    """The tree without its title and its numbers of leaves and nodes."""
    text: str = run["tree"]
    return text[text.index("---\n") + 3 : text.index("Number of Leaves")].strip()


def errors(p: Any, y: Any) -> dict[str, float]:
    """What Weka says of the probabilities where they were not stored."""
    off = p - np.eye(p.shape[1])[y]
    return {
        "meanAbsoluteError": float(np.abs(off).mean()),
        "rootMeanSquaredError": float(np.sqrt((off**2).mean())),
        "correct": float((np.argmax(p, axis=1) == y).sum()),
    }


@stored
@pytest.mark.parametrize("twin", ["native", "python"])
@pytest.mark.parametrize("name", NAMES)
def test_every_stored_tree_is_the_same(name: str, twin: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if twin == "native" and kernel.native is None:
        pytest.skip("the compiled trees were not built")
    monkeypatch.setattr(kernel, "in_use", kernel.native if twin == "native" else _python)
    runs = load(f"weka/j48_{name}.json")["runs"]
    assert len({run["options"] for run in runs}) == 8
    if twin == "python":  # slow: only those that are asked about other cases than they learnt from
        runs = [run for run in runs if run["train"] != run["test"]]
    for run in runs:
        train, test = read(run["train"]), read(run["test"])
        assert list(train.classes) == run["classes"]
        model = C45Classifier.of(train, **options(run["options"])).fit(train.X, train.y)
        p = model.predict_proba(test.X)
        assert (model.n_leaves_, model.n_nodes_) == (run["leaves"], run["tree_size"])
        assert model.to_text(train.attributes, train.values, train.classes) == text_of(run)
        if "distribution" in run:
            np.testing.assert_allclose(p, run["distribution"], rtol=0, atol=1e-9)
        for what, value in errors(p, test.y).items():
            assert value == pytest.approx(run["evaluation"][what], abs=1e-9), what


needs_data = pytest.mark.skipif(
    not (DATA / "MANIFEST.csv").is_file(), reason="the folder of data sets is not beside the stored answers"
)


@needs_data
@pytest.mark.parametrize("study", studies())
def test_where_a_published_data_set_differs_a_reason_is_given(study: str) -> None:
    for entry in published(study):
        differences = entry.differences(_found(entry.found_as))
        assert not differences or entry.why, f"{entry.name}: {differences}"


@needs_data
def test_how_many_published_data_sets_differ() -> None:
    differ = {s: {e.name for e in published(s) if e.differences(_found(e.found_as))} for s in studies()}
    assert differ["wang2013"] == {
        *("calendarDOW", "nursery", "segment", "audiology", "flag", "Agaricus", "connect-4", "car")
    }
    assert len(differ["ferri2009"]) == 13


CACHE: dict[str, DataSet] = {}


def _found(name: str) -> DataSet:
    if name not in CACHE:
        CACHE[name] = load_data(name, Path(DATA))
    return CACHE[name]
