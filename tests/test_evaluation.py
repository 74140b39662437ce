"""What an evaluation gives back, and how it shows itself."""

from __future__ import annotations

import json
import math
import re
from typing import Any

import numpy as np
import pytest

import karat
from cases import probabilities
from karat.core.table import Table
from karat.statistics import Counts
from oracles import ORACLES
from oracles.case import Case

RNG = np.random.default_rng(4)
Y = RNG.integers(0, 3, 50)
P = probabilities(RNG, 50, 3)


@pytest.fixture
def e() -> karat.Evaluation:
    return karat.evaluate(Y, P)


def test_measures_are_found_by_symbol_name_and_alias_in_any_case(e: karat.Evaluation) -> None:
    assert e["rpCEN"] == e["RPcen"] == e["relative_probabilistic_confusion_entropy"] == e["relative_probabilistic_cen"]
    assert e["confusion_entropy"] == e["CEN"]
    assert e[karat.catalogue.measures["MCC"]] == e["phi"]


def test_the_measures_of_the_papers_are_the_contract() -> None:
    contract = (
        "Acc KapS MFM MAvA MAvG AU1U AU1P AUNU AUNP SAUC PAUC MAPR MPR MAE MSE LogL CalL CalB MCC tMCC CEN rCEN pCEN "
        "rpCEN RCI EMA NIT"
    )
    assert list(karat.catalogue.papers) == contract.split()


def test_to_dict_is_plain_data_with_reasons() -> None:
    found = json.loads(json.dumps(karat.evaluate(["a", "b", "b"], y_pred=["a", "b", "a"]).to_dict()))
    assert found["n"] == 3
    assert found["classes"] == ["a", "b"]
    assert found["measures"]["Acc"] == pytest.approx(2 / 3)
    assert found["measures"]["AUNU"] is None
    assert found["undefined"]["AUNU"] == "it needs scores, and only predicted labels were given"
    assert set(found["measures"]) > set(karat.catalogue.papers)
    assert set(found["undefined"]) == {s for s, v in found["measures"].items() if v is None}


def test_everything_in_the_catalogue_can_be_asked_for(e: karat.Evaluation) -> None:
    found = e.to_dict(karat.catalogue.measures)
    assert set(found["measures"]) == set(karat.catalogue.measures)
    assert found["undefined"]["F1"].startswith("it has one value for each class")


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow", None])
def test_frames(e: karat.Evaluation, backend: str | None) -> None:
    if backend is not None:
        pytest.importorskip(backend, reason=f"{backend} is not installed")
    frame = e.to_frame(backend=backend)
    assert list(map(str, e.to_frame("papers", backend)["symbol"])) == list(karat.catalogue.papers)
    assert set(map(str, frame["symbol"])) == {*e.keys(), *karat.catalogue.papers}
    names = frame.column_names if hasattr(frame, "column_names") else frame.columns
    assert set(names) >= {"measure", "symbol", "value"}


def test_a_frame_of_a_library_that_is_not_there_says_what_to_install(
    e: karat.Evaluation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(ImportError, match=r"^polars is not installed; `pip install polars`"):
        e.to_frame(backend="polars")
    with pytest.raises(ImportError, match="needs pandas, polars or pyarrow"):
        e.to_frame()


def test_each_class_against_the_rest(e: karat.Evaluation) -> None:
    table = e.per_class().columns
    assert list(table) == ["class", "cases", "TPR", "PPV", "F1", "CEN_j", "AUC"]
    for j in range(3):
        case = Case.of(Y.tolist(), P.tolist(), positive=j)
        for symbol in ("TPR", "PPV", "F1", "CEN_j", "AUC"):
            assert table[symbol][j] == pytest.approx(ORACLES[symbol](case), rel=1e-12)
    assert table["cases"] == np.bincount(Y).tolist()


def test_pairs_are_rows_against_columns(e: karat.Evaluation) -> None:
    table = e.pairs().columns
    for j in range(3):
        assert math.isnan(table[str(j)][j])
        for c in {0, 1, 2} - {j}:
            wins = [
                (P[a, j] > P[b, j]) + 0.5 * (P[a, j] == P[b, j])
                for a in range(50)
                for b in range(50)
                if (Y[a], Y[b]) == (j, c)
            ]
            assert table[str(c)][j] == pytest.approx(np.mean(wins))


def test_averages_are_operators(e: karat.Evaluation) -> None:
    f1 = karat.catalogue.measures["F1"]
    per_class = np.array(e.per_class(["F1"]).columns["F1"])
    assert e[karat.macro(f1)] == pytest.approx(per_class.mean())
    assert e["macro(F1)"] == e["Macro( f_measure )".replace(" ", "")] == e["MFM"]
    assert e["weighted(F1)"] == pytest.approx((per_class * np.bincount(Y)).sum() / 50)
    assert e["micro(F1)"] == pytest.approx(e["Acc"])
    with pytest.raises(karat.InputError, match="MCC is a measure of all classes already"):
        karat.macro(karat.catalogue.measures["MCC"])


def test_parameters_make_measures(e: karat.Evaluation) -> None:
    f1, logl, ece, call = (karat.catalogue.measures[s] for s in ("F1", "LogL", "ECE", "CalL"))
    assert e[karat.macro(f1.at(beta=2.0))] == e["macro(F2)"]
    assert f1.at(beta=2.0).symbol == "F1(beta=2.0)"
    hit = P[np.arange(50), Y]
    assert e[logl.at(eps=0.25)] == pytest.approx(-np.log2(np.maximum(hit, 0.25)).mean())
    assert e[ece.at(bins=1)] == pytest.approx(abs(P.max(axis=1).mean() - (P.argmax(axis=1) == Y).mean()))
    rounded = np.round(P, 1)
    groups = [
        ((P_j == v).sum(), v, (Y[P_j == v] == j).mean())
        for j in range(3)
        for P_j in [rounded[:, j]]
        for v in np.unique(P_j)
    ]
    assert e[call.at(digits=1)] == pytest.approx(sum(n * (v - f) ** 2 for n, v, f in groups) / 3 / 50)
    with pytest.raises(TypeError, match="F1 has no parameter 'gamma': it has beta"):
        f1.at(gamma=1)


def test_a_batch_equals_a_loop() -> None:
    y, p = RNG.integers(0, 3, (4, 5, 30)), probabilities(RNG, 600, 3).reshape(4, 5, 30, 3)
    found = karat.evaluate_batch(y, p)
    for b in np.ndindex(4, 5):
        for symbol, value in karat.evaluate(y[b], p[b], labels=range(3)).values("papers").items():
            assert found[symbol][b] == pytest.approx(value, rel=1e-12, abs=1e-14, nan_ok=True), symbol


def test_a_batch_in_blocks_equals_a_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("karat.batches.BLOCK", 3)
    y, p = RNG.integers(0, 2, (10, 25)), np.round(RNG.random((10, 25)), 1)
    found = karat.evaluate_batch(y, p, ["MCC", "CalB", "AUNU"])
    for b in range(10):
        one = karat.evaluate(y[b], p[b], labels=[0, 1])
        assert [found[s][b] for s in found] == pytest.approx([one[s] for s in found], nan_ok=True)


def test_many_matrices_equal_a_loop() -> None:
    tables = [RNG.integers(0, 9, (k, k)) + np.eye(k, dtype=int) for k in RNG.integers(1, 6, 30)]
    found = karat.evaluate_matrices(tables)
    for i, table in enumerate(tables):
        one = karat.evaluate_matrix(table)
        assert {s: v[i] for s, v in found.items()} == pytest.approx({s: one[s] for s in found}, nan_ok=True)
    assert set(found) == {
        s for s in karat.catalogue.papers if one.statistics.lacks(karat.catalogue.measures[s].statistic) == ""
    }
    with pytest.raises(karat.InputError, match="AUNU is not available from a confusion matrix"):
        karat.evaluate_matrices(tables, ["AUNU"])
    with pytest.raises(karat.InputError, match="negative or infinite"):
        karat.evaluate_matrices([np.array([[1.0, -1.0], [0.0, 1.0]])])


def test_matrices_of_all_sizes_and_kinds_are_those_one_by_one() -> None:
    rng = np.random.default_rng(5)
    wide = [
        rng.integers(0, 30, (k, l)) + np.eye(k, l) for k, l in ((2, 3), (3, 2), (5, 5), (1, 1), (4, 4), (2, 2)) * 60
    ]
    perfect = [np.diag(rng.integers(0, 9, 4) + 1.0), np.array([[0.0, 7.0], [0.0, 0.0]]), np.eye(3)[::-1]]
    tables = [
        *wide,
        *perfect,
        [[3, 1], [1, 2]],
        np.ones((2, 2), int),
        np.asfortranarray(wide[2]),
        np.ones((6, 6))[::2, 1:4],
    ]
    everything = [m for m in karat.catalogue.measures.values() if m.statistic is Counts and not m.classwise]
    found = karat.evaluate_matrices(iter(tables), everything)
    assert len(everything) > 25
    for i in [*range(6), *range(len(tables) - 9, len(tables))]:
        one = karat.evaluate_matrix(tables[i])
        for m in everything:
            assert found[m.symbol][i] == pytest.approx(one[m], rel=1e-12, abs=1e-12, nan_ok=True), (m, tables[i])
    assert karat.evaluate_matrices([], ["MCC"])["MCC"].shape == (0,)
    for bad, what in (
        (np.full((2, 2), np.nan), "negative or infinite"),
        (np.empty((0, 2)), "shape"),
        (np.ones(3), "shape"),
    ):
        with pytest.raises(karat.InputError, match=what):
            karat.evaluate_matrices([*wide, bad], ["MCC"])


@pytest.mark.parametrize("kind", ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", ">i4", "f4", "list", "transposed"])
@pytest.mark.parametrize("stacked", [False, True])
def test_matrices_of_whole_numbers_are_those_of_floats(
    kind: str, stacked: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(6)
    shapes = [(3, 3)] * 40 if stacked else [(3, 3), (2, 2), (2, 4), (1, 1)] * 10
    floats = [rng.integers(0, 99, shape) + 1.0 for shape in shapes]
    expected = karat.evaluate_matrices(floats)
    kinds = {"list": lambda t: t.astype(int).tolist(), "transposed": lambda t: t.T.astype(int, order="C").T}
    tables = [kinds.get(kind, lambda t: t.astype(kind))(table) for table in floats]
    if kind in ("i1", "u2", "i4", "i8", "list") or (stacked and kind != "f4"):  # these are not looked at one by one
        monkeypatch.setattr(karat.data.Matrix, "of", None)
    found = karat.evaluate_matrices(np.array(tables) if stacked else tables)
    for symbol, values in expected.items():
        assert np.array_equal(found[symbol], values, equal_nan=True), symbol


def test_what_the_first_matrices_were_asked_for_is_computed_of_the_others_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Sums, entropies and shares were a pass each over every matrix."""
    rng = np.random.default_rng(7)
    tables = [rng.integers(0, 9, (k, k)) + np.eye(k) for k in rng.integers(1, 11, 100)]
    expected = karat.evaluate_matrices(tables)
    passes, facts = [], karat.kernels.ragged_facts

    def seen(given: Any, *parts: Any) -> Any:
        passes.append(parts[:3])
        return facts(given, *parts)

    monkeypatch.setattr(karat.batches, "TABLES", 20)
    monkeypatch.setattr(karat.kernels, "ragged_facts", seen)
    found = karat.evaluate_matrices(tables)
    assert [sum(parts) for parts in passes] == [1, 1, 1, 3, 3, 3, 3]
    for symbol, values in expected.items():
        np.testing.assert_allclose(found[symbol], values, rtol=1e-12, atol=1e-12, err_msg=symbol)


def test_whole_numbers_that_floats_cant_tell_apart_are_refused() -> None:
    for table in (np.array([[2**53 + 3, 0], [3, 4]]), np.array([[2**64 - 1, 0], [3, 4]], np.uint64)):
        for given in ([table], table[None]):
            with pytest.raises(karat.InputError, match=r"above 2\^53"):
                karat.evaluate_matrices(given, ["MCC"])


def test_it_shows_itself(e: karat.Evaluation) -> None:
    text = repr(e)
    assert "50 cases, 3 classes (0, 1, 2), from probabilities" in text
    assert re.search(rf"Accuracy \(Acc\) +↑ +{e['Acc']:.3f}", text)
    assert re.search(rf"Log loss .*↓ +{e['log_loss']:#.3g}", text)
    hostile = karat.evaluate(["<b>", "&", "<b>"], y_pred=["<b>", "&", "&"])
    page = hostile._repr_html_()
    assert "<b>" not in page
    assert "&lt;b&gt;" in page
    assert "ROC AUC" not in page, "what was not given can't be shown"
    assert re.search("Undefined: .*ROC AUC.*: it needs scores", repr(hostile.displayed("papers")))
    assert "<i>" not in Table({"<i>": ["<i>", math.nan, math.inf]})._repr_html_()
    assert repr(Table({"a": ["x"], "b": [math.inf]})) == "a  b\nx  ∞"


def test_what_it_shows_depends_on_what_was_given() -> None:
    y, p = np.array([0, 1] * 10), np.linspace(0.05, 0.95, 20)
    titles = [m.title for m in karat.measures.lookup.headline(karat.evaluate(y, p).statistics)]
    assert titles == [
        *("Accuracy", "Balanced accuracy", "Precision", "Recall", "F1", "Matthews correlation coefficient", "ROC AUC"),
        *("Average precision", "Log loss in nats", "Brier score", "Expected calibration error"),
        *("Entropy-modulated accuracy", "Normalised information transfer", "Probabilistic confusion entropy"),
    ]
    assert "ROC AUC" not in repr(karat.evaluate(y, y_pred=y))
    assert "Accuracy" not in repr(karat.evaluate(y, y_score=p))
    assert "ROC AUC" in repr(karat.evaluate(y, y_score=p))
    several = repr(karat.evaluate(Y, P))
    assert "Macro F1" in several
    assert "one-vs-rest" in several
    for e in (karat.evaluate(y, p), karat.evaluate(Y, P), karat.evaluate(y, y_score=p)):
        assert not any(math.isnan(value) for value in e.values().values())
        assert e.to_dict()["measures"].keys() == {*e.keys(), *karat.catalogue.papers}
        assert len(e.values("papers")) == 27
        assert len(e.values("all")) == len(karat.catalogue.measures)


def test_it_is_a_mapping_of_what_it_shows(e: karat.Evaluation) -> None:
    assert dict(e) == e.values() == dict(e.items())
    assert list(e) == e.keys()
    assert len(e) == len(e.keys())
    assert e.get("mcc") == e["MCC"]
    assert e.get("nonsense") is None
    assert e.get("nonsense", 0) == 0
    assert e.get("F1") is None, "a choice is missing"


def test_tables_for_documents(e: karat.Evaluation) -> None:
    lines = e.to_markdown().splitlines()
    assert lines[0].startswith("Evaluation of 50 cases")
    assert lines[3] == "| :-- | :-- | --: |"
    assert len([line for line in lines if line.startswith("|")]) == len(e) + 2
    latex = karat.evaluate(["a_b", "50 %", "a_b"], y_pred=["a_b", "50 %", "50 %"]).per_class().to_latex()
    assert r"a\_b & 2" in latex
    assert r"50 \% & 1" in latex
    assert json.loads(e.to_json()) == json.loads(json.dumps(e.to_dict()))
    assert e.to_html() == e._repr_html_()
    assert str(e.summary()).startswith(lines[0])
    assert "95 % interval" in e.summary()
    assert repr(e.summary()) == str(e.summary())


def test_versions_say_which_kernels_are_in_use() -> None:
    found = karat.show_versions()
    assert found["kernels"] in ("native", "numpy")
    assert found["numpy"] == np.__version__


def test_what_it_holds() -> None:
    e = karat.evaluate([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    for key in (
        "MCC",
        "mcc",
        karat.catalogue.measures["MCC"].name,
        "kappa",
        "macro(TPR)",
        karat.catalogue.measures["AUC"],
    ):
        assert key in e
    for key in ("no such measure", 0, None, "macro(MCC)", ""):
        assert key not in e
    assert list(e) == list(e.values())
    assert {symbol: e[symbol] for symbol in e}.keys() <= e.to_dict()["measures"].keys()


def test_what_an_evaluation_is_about_is_said_in_the_same_words() -> None:
    y = np.arange(1200) % 10
    e = karat.evaluate(y, y_pred=np.where(y == 3, 10, y), labels=range(10), positive=2, reject=10)
    words = "1,200 cases, 120 of them rejected (10 %), 10 classes (0, 1, 2, 3, 4, 5, 6, 7, ...; positive: 2)"
    assert e.subject() == words
    assert f"Evaluation of {words}, from predicted labels" in repr(e)
    assert e.subject(lambda label: f"<{label}>", "").startswith("1,200 cases, 10 classes (<0>, <1>, ")
