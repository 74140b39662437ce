"""What has a value by convention, its formula being 0/0, is declared and said; so is what tells less than it seems.

The formulas are written out bare, as the papers have them: what is 0/0 in them is nan here."""

from __future__ import annotations

import itertools
import json
import math
import pickle
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import karat
from karat.core.measure import Measure, Remark

MEASURES = karat.catalogue.measures
Table = Any


def log_share(x: Any) -> Any:
    """x ln x, which has the limit 0 at 0: no convention."""
    return np.where(x == 0, 0.0, x * np.log(np.where(x == 0, 1.0, x)))


def matthews(c: Table) -> Any:
    s, t, u = c.sum(), c.sum(axis=1), c.sum(axis=0)
    return (np.trace(c) * s - t @ u) / np.sqrt((s**2 - u @ u) * (s**2 - t @ t))


def core(c: Table) -> Any:
    n = len(c)
    wrong = np.log(np.float64(1 - np.trace(c) / c.sum())) / np.log(np.float64(2 * n - 2))
    return (1 - matthews(c)) * (1 - wrong) * (1 - 1 / n)


def fitted(c: Table, base: float) -> Any:
    x = np.log(base) / np.log(np.float64(len(c)))
    return core(c) / (1.012 * (1 + 0.18924 * x - 0.06694 * x * x))


def of_class(c: Table, j: int, d: Any) -> Any:
    others = [k for k in range(len(c)) if k != j]
    shares = np.concatenate([c[j, others], c[others, j]]) / d
    return -log_share(shares).sum() / np.log(np.float64(2 * len(c) - 2))


def entropy(c: Table, diagonal: float = 0.0) -> Any:
    d = c.sum(axis=1) + c.sum(axis=0)
    weight = (d - diagonal * 2 * np.diag(c)) / (2 * c.sum())
    return sum(weight[j] * of_class(c, j, d[j]) for j in range(len(c)))


def modified(c: Table) -> Any:
    d = c.sum(axis=1) + c.sum(axis=0) - np.diag(c)
    whole = 2 * c.sum() - (np.trace(c) if len(c) > 2 else 0)
    return sum(d[j] / whole * of_class(c, j, d[j]) for j in range(len(c)))


def shares(c: Table) -> Any:
    return c / c.sum(axis=1, keepdims=True)


def kappa(c: Table) -> Any:
    s = c.sum()
    by_chance = (c.sum(axis=1) @ c.sum(axis=0)) / s**2
    return (np.trace(c) / s - by_chance) / (1 - by_chance)


def relative(c: Table) -> Any:
    p = c / c.sum()
    truth = -log_share(p.sum(axis=1)).sum()
    return (truth - log_share(p.sum(axis=0)).sum() + log_share(p).sum()) / truth


BARE: dict[str, Callable[[Table], Any]] = {
    "Acc": lambda c: np.trace(c) / c.sum(),
    "KapS": kappa,
    "MCC": matthews,
    "MCC01": lambda c: (matthews(c) + 1) / 2,
    "coreMCC": core,
    "tMCC": lambda c: fitted(c, 2.0),
    "tMCC_ln": lambda c: fitted(c, math.e),
    "CEN": entropy,
    "rCEN": lambda c: entropy(shares(c)),
    "CEN_offdiagonal": lambda c: entropy(c, 1.0),
    "rCEN_offdiagonal": lambda c: entropy(shares(c), 1.0),
    "CEN_j": lambda c: of_class(c, 0, c[0].sum() + c[:, 0].sum()),
    "MCEN": modified,
    "RCI": relative,
    "TPR": lambda c: c[0, 0] / c[0].sum(),
    "PPV": lambda c: c[0, 0] / c[:, 0].sum(),
    "FNR": lambda c: c[0, 1:].sum() / c[0].sum(),
    "TNR": lambda c: c[1:, 1:].sum() / c[1:].sum(),
    "FPR": lambda c: c[1:, 0].sum() / c[1:].sum(),
    "NPV": lambda c: c[1:, 1:].sum() / c[:, 1:].sum(),
    "BM": lambda c: c[0, 0] / c[0].sum() + c[1:, 1:].sum() / c[1:].sum() - 1,
    "MK": lambda c: c[0, 0] / c[:, 0].sum() + c[1:, 1:].sum() / c[:, 1:].sum() - 1,
    "GMean": lambda c: np.sqrt(c[0, 0] / c[0].sum() * c[1:, 1:].sum() / c[1:].sum()),
    "Jaccard": lambda c: c[0, 0] / (c[0].sum() + c[1:, 0].sum()),
    "F1": lambda c: 2 * c[0, 0] / (c[0].sum() + c[:, 0].sum()),
    "BAcc": lambda c: (c[0, 0] / c[0].sum() + c[1:, 1:].sum() / c[1:].sum()) / 2,
    "Precision": lambda c: c[0, 0] / c[:, 0].sum(),
    "Recall": lambda c: c[0, 0] / c[0].sum(),
    "F1Score": lambda c: 2 * c[0, 0] / (c[0].sum() + c[:, 0].sum()),
    "JaccardScore": lambda c: c[0, 0] / (c[0].sum() + c[1:, 0].sum()),
    "AveragePrecision": lambda c: (
        ((c[0, 0] ** 2 / c[:, 0].sum() if c[:, 0].any() else 0.0) + c[0, 1:].sum() * c[0].sum() / c.sum()) / c[0].sum()
    ),
    "EMA": lambda c: np.exp(log_share(c / c.sum()).sum() - log_share(c.sum(axis=0) / c.sum()).sum()),
}
OF_CERTAINTY = {
    "pCEN": "CEN",
    "rpCEN": "rCEN",
    "pCEN_offdiagonal": "CEN_offdiagonal",
    "rpCEN_offdiagonal": "rCEN_offdiagonal",
}
"""What these are where all probabilities are 0 or 1."""
BARE |= {symbol: BARE[like] for symbol, like in OF_CERTAINTY.items()}


def tables() -> Iterator[Table]:
    """All of two classes with up to two cases in a cell, and some of three."""
    for cells in itertools.product(range(3), repeat=4):
        if any(cells):
            yield np.reshape(cells, (2, 2)).astype(float)
    rng = np.random.default_rng(8)
    for _ in range(150):
        c = rng.integers(1, 4, (3, 3)) * (rng.random((3, 3)) < rng.choice([0.2, 0.5, 0.9]))
        if c.any():
            yield c.astype(float)


@pytest.fixture(scope="module")
def evaluated() -> list[tuple[Table, karat.Evaluation]]:
    pairs = []
    for c in tables():
        y, d = (np.repeat(axis, c.ravel().astype(int)) for axis in np.indices(c.shape).reshape(2, -1))
        pairs.append((c, karat.evaluate(y, np.eye(len(c))[d], labels=range(len(c)), positive=0)))
    return pairs


@pytest.mark.parametrize("symbol", BARE)
def test_a_convention_is_said_exactly_where_the_bare_formula_has_no_value(
    symbol: str, evaluated: list[tuple[Table, karat.Evaluation]]
) -> None:
    applied = 0
    for c, e in evaluated:
        with np.errstate(all="ignore"):
            bare = float(BARE[symbol](c))
        value = e[symbol]
        said = e.conventions(symbol)
        if math.isnan(bare):
            assert math.isnan(value) != bool(said), (c, value, said)
            applied += bool(said)
            if said:
                assert said == {symbol: e.why(symbol)}
                assert said[symbol].startswith("by convention ")
        else:
            assert value == pytest.approx(bare, abs=1e-12), c
            assert not said, (c, said)
    assert bool(applied) == any(r.convention for r in MEASURES[symbol].remarks)


def test_what_has_a_convention_is_tried_here() -> None:
    assert {m.symbol for m in MEASURES.values() if any(r.convention for r in m.remarks)} <= {*BARE}


@pytest.mark.parametrize("symbol", ["MCC", "tMCC", "CEN", "rCEN", "MCEN", "CEN_j"])
def test_predicates_take_leading_axes(symbol: str) -> None:
    many = [c for c in tables() if len(c) == 3]
    m = MEASURES[symbol]
    together = m.statistic(np.stack(many))  # type: ignore[call-arg]
    for remark in m.remarks:
        each = [np.asarray(remark.applies(m.statistic(c))) for c in many]  # type: ignore[call-arg]
        assert np.array_equal(np.asarray(remark.applies(together)), np.stack(each))


def test_one_class_has_no_base() -> None:
    e = karat.evaluate_matrix([[5]], positive=0)
    names = "MCC MCC01 coreMCC tMCC tMCC_ln CEN rCEN CEN_j CEN_offdiagonal rCEN_offdiagonal MCEN"
    assert set(e.conventions(MEASURES)) == set(names.split())
    assert "base of its logarithm" in e.why("CEN")


def test_the_issue_of_the_empty_row() -> None:
    e = karat.evaluate_matrix([[5, 0], [0, 0]])
    sentence = "by convention 0 where all cases or all predictions are in one class, its formula being 0/0"
    assert e["MCC"] == 0
    assert e.why("MCC") == e.conventions()["MCC"] == e.to_dict()["conventions"]["MCC"] == sentence
    assert json.loads(json.dumps(e.to_dict()))["conventions"].keys() == {
        "MCC",
        "tMCC",
        "CEN",
        "rCEN",
        "Precision",
        "Recall",
    }
    assert f"Matthews correlation coefficient: {sentence}" in repr(e)
    assert f"Matthews correlation coefficient: {sentence}" in e._repr_html_()
    assert e.to_table(["MCC", "Acc"]).columns["note"] == [sentence, ""]
    assert e.to_table(["MCC", "KapS"]).columns["undefined"][0] == ""
    healthy = karat.evaluate_matrix([[5, 1], [1, 3]])
    assert healthy.why("MCC") == ""
    assert healthy.conventions() == healthy.notes() == {}


def test_a_measure_made_from_another_keeps_its_conventions() -> None:
    e = karat.evaluate_matrix([[5, 0], [0, 0]])
    other = MEASURES["tMCC"].at(base=3)
    assert "by convention 0" in e.why(other)
    assert "by convention 0" in e.why(pickle.loads(pickle.dumps(other)))
    one = karat.evaluate_matrix([[5]])
    assert one["macro(CEN_j)"] == 0
    assert "base of its logarithm" in one.why("macro(CEN_j)")
    absent = karat.evaluate_matrix([[5, 1, 0], [1, 3, 0], [0, 0, 0]])
    assert absent.why("macro(CEN_j)") == ""  # only classes with cases are averaged
    assert "never predicted counts 0" in absent.why("CEN")


def test_calibration_loss_that_is_the_squared_error_says_so() -> None:
    rng = np.random.default_rng(0)
    y, p = rng.integers(0, 3, 300), rng.dirichlet([2, 2, 2], 300)
    e = karat.evaluate(y, p)
    squared = np.mean((np.eye(3)[y] - p) ** 2)
    assert e["CalL"] == pytest.approx(squared)
    assert "just the squared error (MSE) where hardly any cases" in e.why("CalL")
    assert e.notes("papers") == e.to_dict()["notes"] == {"CalL": e.why("CalL")}
    assert e.conventions() == {}
    grouped = karat.evaluate(y, np.round(p * 4) / 4, normalise=True)
    assert grouped["CalL"] < 0.9 * grouped["MSE"]
    assert grouped.why("CalL") == ""
    two = karat.evaluate(y > 0, 1 - p[:, 0], positive=True)
    assert two["REL"] == pytest.approx(two["BS"])
    assert "just the squared error (BS)" in two.why("REL")
    assert "just the squared error (BS)" in two.why("macro(REL)")
    certain = karat.evaluate([0, 0, 1, 1], [[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 1.0]])
    assert certain.why("CalL") == ""  # in two groups, and rightly so


def test_remarks_wait_until_somebody_looks() -> None:
    looked: list[int] = []

    def looking(statistic: Any) -> bool:
        looked.append(1)
        return True

    declared = MEASURES["Acc"]
    told = Measure(
        function=declared.function, symbol="Told", formula="a", range=(0, 1), best=1, statistic=declared.statistic,
        family="agreement", name="told", remarks=(Remark("of no use", looking),),
    )  # fmt: skip
    e = karat.evaluate([0, 1, 1], [0.2, 0.4, 0.9])
    e[told], e.values([told]), e.undefined, e.value_or_nan(told)
    assert not looked
    assert e.why(told) == "by convention of no use"
    assert looked


def rows_of_the_document() -> list[str]:
    """One row for each sentence, in the order of the catalogue."""
    by_sentence: dict[str, list[str]] = {}
    for m in MEASURES.values():
        for remark in m.remarks:
            by_sentence.setdefault(remark.words if remark.convention else f"(note) {remark.words}", []).append(m.symbol)
    return [f"| {', '.join(symbols)} | {sentence} |" for sentence, symbols in by_sentence.items()]


def test_the_document_lists_all_of_them() -> None:
    text = (Path(__file__).resolve().parents[2] / "docs" / "conventions.md").read_text(encoding="utf-8")
    listed = [line for line in text.splitlines() if line.startswith("| ") and not line.startswith("| measures ")]
    assert listed == rows_of_the_document(), "write these rows:\n" + "\n".join(rows_of_the_document())
