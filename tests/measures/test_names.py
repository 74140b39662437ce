"""Titles, the names that other libraries have, measures as attributes, and what is said of a name that nothing has."""

from __future__ import annotations

import ast
import importlib.util
import math
import pkgutil
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import karat
from karat.core.elsewhere import names_elsewhere
from karat.core.measure import Measure
from karat.core.registry import Registry
from karat.measures.display import MeasureRow
from karat.measures.lookup import OF_CLASSES, OF_POSITIVE, PAPERS, find, headline, python_names

MEASURES = karat.catalogue.measures
HOME = Path(karat.measures.__file__).parent
ROOT = Path(__file__).resolve().parents[2]


# -------------------------------------------------------------------------------------------------------------- titles


def test_every_declaration_says_its_title() -> None:
    untitled = []
    for path in HOME.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            declares = isinstance(node, ast.FunctionDef) and any(
                isinstance(d, ast.Call) and isinstance(d.func, ast.Name) and d.func.id in ("measure", "rate")
                for d in node.decorator_list
            )
            named = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "named"
            call: Any = node.decorator_list[0] if declares else node if named else None  # type: ignore[attr-defined]
            if call is not None and "title" not in {keyword.arg for keyword in call.keywords}:
                untitled.append(ast.unparse(call)[:60])
    assert not untitled


def test_titles_are_unique_and_in_the_words_of_the_field() -> None:
    titles = [m.title for m in MEASURES.values()]
    assert len({title.casefold() for title in titles}) == len(titles)
    for m in MEASURES.values():
        assert re.fullmatch(r"[A-Z].*[^.?!\s]", m.title), m.symbol
        for text in (m.title, m.question, m.undefined, *(r.words for r in m.remarks)):
            assert not re.search(r"\b(decid|decision|told apart|flatter|false alarm)", text), (m.symbol, text)


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("MCC", "Matthews correlation coefficient (MCC)"),
        ("MAvA", "Balanced accuracy (MAvA)"),
        ("MFM", "Macro F1 (MFM)"),
        ("KapS", "Cohen's kappa (KapS)"),
        ("AUNU", "ROC AUC, one-vs-rest (AUNU)"),
        ("LogL", "Log loss in bits (LogL)"),
        ("log_loss", "Log loss in nats (LogLoss)"),
        ("pCEN", "Probabilistic confusion entropy (pCEN)"),
        ("precision", "Precision"),
        ("macro(Precision)", "Macro precision"),
        ("macro(F1)", "Macro F1"),
        ("weighted(AUC)", "Weighted ROC AUC"),
        ("micro(Jaccard)", "Micro Jaccard index"),
        ("neg_log_loss", "Negated log loss in nats"),
        ("neg_brier_score", "Negated Brier score"),
    ],
)
def test_labels(name: str, label: str) -> None:
    assert find(name).label == label
    assert find("F1").at(beta=3).label == "F1, beta=3"


# ------------------------------------------------------------------------------------------------------ names elsewhere


def test_a_name_elsewhere_is_an_alias_exactly_if_the_number_is_the_same() -> None:
    said: dict[str, str] = {}
    for row in names_elsewhere():
        known = find(row.measure) if row.measure else None
        assert known is not None or row.note, row
        if row.note or len(row.name) == 1:
            continue
        target = said.setdefault(row.name, row.measure)
        assert target == row.measure, f"{row.name} is {target} and {row.measure}"
        assert known is not None
        assert find(row.name).symbol == known.symbol
        assert row.name in (known.symbol, known.name, *known.aliases, *known.spelt) or row.name.casefold() in {
            name.casefold() for name in (known.symbol, *known.aliases)
        }


def test_pycm_says_the_same() -> None:
    pycm = pytest.importorskip("pycm", reason="PyCM is not installed")
    rng = np.random.default_rng(4)
    rows = [row for row in names_elsewhere() if row.library == "PyCM" and not row.note]
    compared = dict.fromkeys((row.name for row in rows), 0)
    for k in (2, 3, 4):
        for n in (12, 80):
            y = rng.choice(list("abcd")[:k], n).tolist()
            d = [label if rng.random() < 0.5 else str(rng.choice(list("abcd")[:k])) for label in y]
            theirs = pycm.ConfusionMatrix(y, d)
            e = karat.evaluate(y, y_pred=d)
            for row in rows:
                measure, value = find(row.measure), getattr(theirs, row.name)
                values = value if isinstance(value, dict) else {None: value}
                assert isinstance(value, dict) == measure.classwise, row
                for label, one in values.items():
                    if one == "None" or not math.isfinite(one):
                        continue
                    ours = e[measure] if label is None else karat.evaluate(y, y_pred=d, positive=label)[measure]
                    assert ours == pytest.approx(one, rel=1e-9, abs=1e-9), row
                    compared[row.name] += 1
    assert all(count >= 5 for count in compared.values()), compared


# ----------------------------------------------------------------------------------------------- measures as attributes


def test_every_name_that_can_be_written_is_an_attribute() -> None:
    names = python_names()
    for m in MEASURES.values():
        for name in (m.name, m.symbol, *m.aliases, *m.spelt):
            if name.isidentifier():
                assert getattr(karat.measures, name) is m, name
                assert name in names
    assert set(names) <= set(dir(karat.measures))
    for name in ("mcc", "roc_auc", "balanced_accuracy", "log_loss", "f1", "precision", "recall", "auc", "f1_macro"):
        assert isinstance(getattr(karat.measures, name), Measure)


def test_no_measure_is_hidden_by_a_module_or_a_function() -> None:
    modules = {module.name for module in pkgutil.iter_modules([str(HOME)])}
    assert not set(python_names()) & (modules | set(karat.measures.__all__))


def test_the_stub_is_that_of_the_catalogue() -> None:
    spec = importlib.util.spec_from_file_location("measures_stub", ROOT / "tools" / "measures_stub.py")
    assert spec is not None
    assert spec.loader is not None
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    assert (HOME / "__init__.pyi").read_text(encoding="utf-8") == tool.stub(), "run tools/measures_stub.py"


def test_an_attribute_that_is_none_says_what_was_meant() -> None:
    with pytest.raises(AttributeError, match="Did you mean MCC"):
        karat.measures.mccc  # noqa: B018
    with pytest.raises(AttributeError, match=re.escape("use F1.at(beta=...)")):
        karat.measures.fbeta_score  # noqa: B018
    assert not hasattr(karat.measures, "__wrapped__")


# ------------------------------------------------------------------------- predicted classes instead of probabilities


@pytest.mark.parametrize(
    ("y", "predicted"),
    [
        ([0, 0, 1, 1], [0, 1, 1, 1]),
        ([0, 0, 1, 1], [0.0, 1.0, 1.0, 1.0]),
        ([False, False, True, True], [False, True, True, True]),
        (list("aabb"), list("abbb")),
        ([3, 3, 5, 5], np.array([[3], [5], [5], [5]])[:, 0]),
    ],
)
def test_measures_of_predicted_classes_take_these_in_the_second_place(y: Any, predicted: Any) -> None:
    assert karat.measures.mcc(y, predicted) == pytest.approx(1 / math.sqrt(3))
    assert karat.measures.accuracy(y, predicted) == 0.75
    assert karat.measures.mcc(y, predicted) == karat.measures.mcc(y, y_pred=predicted)
    for name in ("log_loss", "brier_score_loss", "ECE"):
        with pytest.raises(karat.InputError, match="needs probabilities, and what was given are predicted classes"):
            getattr(karat.measures, name)(y, predicted)


def test_several_classes_and_a_positive_one() -> None:
    y, d = [0, 1, 2, 2], [0, 1, 1, 2]
    assert karat.measures.balanced_accuracy(y, d) == pytest.approx((1 + 1 + 0.5) / 3)
    assert karat.measures.f1(list("aabb"), list("abbb"), positive="b") == pytest.approx(0.8)


def test_probabilities_stay_probabilities() -> None:
    y = [0, 0, 1, 1]
    assert karat.measures.mcc(y, [0.2, 0.6, 0.7, 0.9]) == pytest.approx(1 / math.sqrt(3))
    assert karat.measures.log_loss(y, [[1, 0], [0.5, 0.5], [0, 1], [0, 1]]) == pytest.approx(math.log(2) / 4)
    assert karat.measures.log_loss(y, np.eye(2)[y]) == 0
    assert karat.measures.roc_auc(y, [1, 2, 3, 2]) == 0.875  # any real scores
    assert karat.measures.roc_auc(y, [0, 1, 1, 1]) == 0.75
    with pytest.raises(karat.InputError, match="AUC needs scores, and what was given are predicted classes"):
        karat.measures.roc_auc(list("aabb"), list("abbb"))


# -------------------------------------------------------------------------------------------------- what is shown first


def test_the_default_depends_on_what_was_given() -> None:
    y, p = [0, 0, 1, 1, 1], [0.2, 0.6, 0.7, 0.4, 0.9]
    two = karat.evaluate(y, p)
    assert two.keys() == list(OF_POSITIVE)
    titles = [m.title for m in headline(two.statistics)]
    assert titles == [
        "Accuracy", "Balanced accuracy", "Precision", "Recall", "F1", "Matthews correlation coefficient", "ROC AUC",
        "Average precision", "Log loss in nats", "Brier score", "Expected calibration error",
        "Entropy-modulated accuracy", "Normalised information transfer", "Probabilistic confusion entropy",
    ]  # fmt: skip
    assert karat.evaluate(y, y_pred=[0, 1, 1, 0, 1]).keys() == ["Acc", "MAvA", "Precision", "Recall", "F1", "MCC", "EMA", "NIT"]  # fmt: skip # noqa: E501
    assert karat.evaluate(y, y_score=[-1, 2, 3, 0.5, 4]).keys() == ["AUC", "AP"]
    three = karat.evaluate([0, 1, 2, 2], np.array([[6, 2, 2], [3, 4, 3], [1, 1, 8], [5, 1, 4]]) / 10)
    assert three.keys() == list(OF_CLASSES)
    assert {*PAPERS, *OF_CLASSES} == three.to_dict()["measures"].keys()


# ----------------------------------------------------------------------------------------------- what nothing is called


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("MCCC", "Did you mean MCC or "),
        ("balanced_acuracy", "Did you mean MAvA"),
        ("accuracy of everything", "Nearest in meaning: Accuracy (Acc), "),
        ("how good is the precision of it", "Nearest in meaning: Precision"),
        ("xyzzy", "`karat measures` lists them."),
    ],
)
def test_what_is_near_by_spelling_or_by_meaning(name: str, says: str) -> None:
    with pytest.raises(karat.InputError, match=re.escape(says)) as caught:
        find(name)
    assert str(caught.value).startswith(f"there is no measure {name!r}. ")


def test_three_at_most_are_near_in_meaning() -> None:
    assert MEASURES.related("accuracy")[0] == "Acc"
    assert len(MEASURES.related("entropy")) == 3
    assert MEASURES.related("of the") == []
    assert MEASURES.near("f") == []


def test_blanks_and_hyphens_do_for_underscores() -> None:
    assert find("Balanced accuracy") is find("balanced-accuracy") is find("MAvA")
    assert find("log loss").symbol == "LogLoss"


def test_a_name_in_its_own_spelling() -> None:
    assert (find("F1").symbol, find("f1").symbol, find("F1_SCORE").symbol) == ("F1", "F1Score", "F1Score")
    assert (find("Jaccard").symbol, find("jaccard").symbol, find("JACCARD").symbol) == (
        "Jaccard",
        "JaccardScore",
        "Jaccard",
    )
    kept: Registry[Any] = Registry("thing")
    one = type("One", (), {"symbol": "One", "name": "first", "aliases": (), "spelt": ("two",)})()
    two = type("Two", (), {"symbol": "Two", "name": "second", "aliases": ()})()
    kept.add(two)
    kept.add(one)
    assert kept["two"] is one
    assert kept["Two"] is kept["TWO"] is two
    kept.remove("One")
    assert kept["two"] is two


CLASSWISE = [m.symbol for m in karat.catalogue.measures.values() if m.classwise]


@pytest.mark.parametrize("symbol", CLASSWISE)
def test_averages_are_written_as_what_they_average(symbol: str) -> None:
    """A symbol with _ is written as it is in LaTeX, too; and what is pooled is nowhere 0/0, of which remarks tell."""
    m = karat.catalogue.measures[symbol]
    for average in (karat.macro, karat.weighted):
        made = average(symbol)
        assert symbol.replace("_", r"\_") in made.formula
        assert (made.symbol, made.name) == (f"{average.__name__}({symbol})", f"{average.__name__}_{m.name}")
        assert not made.classwise
    e = karat.evaluate_matrix([[5, 1, 0], [1, 3, 0], [1, 1, 0]])
    notes = {name: " ".join(map(str, e.displayed([f"{name}(Precision)"]).notes)) for name in ("macro", "micro")}
    assert "0/0" in notes["macro"]
    assert "0/0" not in notes["micro"]


def test_long_titles_give_way_to_symbols() -> None:
    m = karat.catalogue.measures["MCC"]
    assert MeasureRow(replace(m, title="x" * 24)).brief == "x" * 24
    assert MeasureRow(replace(m, title="x" * 25)).brief == "MCC"
    assert MeasureRow(replace(m, title="x" * 25), of_class="b").brief == "MCC[b]"
