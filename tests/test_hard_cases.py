"""Cases in which a plausible implementation gives a wrong number, or a number where there is none."""

from __future__ import annotations

import inspect
import math
import pickle
from decimal import Decimal, getcontext
from typing import Any

import numpy as np
import pytest

import karat
from cases import Problem
from karat.core.measure import Measure
from optional import pandas as pd
from optional import polars as pl
from oracles import ORACLES
from oracles.case import Case

MEASURES = karat.catalogue.measures
CROSSTABS = [
    ([0, 1, 2, 2], [0, 2, 2, 2], 0.75),  # class 1 is never decided: two columns, named 0 and 2
    ([0, 1, 1], [1, 1, 1], 2 / 3),
    ([0, 1, 2, 2], [0, 1, 3, 3], 0.5),  # decisions that no row is named by
    (list("abca"), list("bbca"), 0.75),
]


@pytest.mark.parametrize(("truth", "decided", "accuracy"), CROSSTABS)
def test_a_crosstab_is_read_by_its_names(truth: Any, decided: Any, accuracy: float) -> None:
    table = pd.crosstab(pd.Series(truth), pd.Series(decided))
    assert karat.evaluate_matrix(table)["Acc"] == pytest.approx(accuracy)


def test_labels_order_a_named_matrix_and_never_rename_it() -> None:
    table = pd.DataFrame([[8, 2], [3, 7]], index=["a", "b"], columns=["a", "b"])
    e = karat.evaluate_matrix(table, labels=["b", "a"], positive="a")
    assert e.classes == ("b", "a")
    assert e["TPR"] == 0.8
    with pytest.raises(karat.InputError, match="name the same classes"):
        karat.evaluate_matrix(table, labels=["a", "c"])
    for half_named in (pd.DataFrame([[1, 9], [9, 1]], columns=[1, 0]), pl.DataFrame({"a": [1, 2], "b": [3, 4]})):
        with pytest.raises(karat.InputError, match="its rows are not"):
            karat.evaluate_matrix(half_named)


def test_a_matrix_goes_out_and_comes_back() -> None:
    e = karat.evaluate(["truth", "b", "b", "truth"], y_pred=["truth", "b", "truth", "b"])
    assert list(e.matrix().columns) == ["truth_", "b", "truth"]
    for backend in ("pyarrow", "polars", "pandas"):
        pytest.importorskip(backend, reason=f"{backend} is not installed")
        plain = karat.evaluate([1, 0, 0, 1, 1], y_pred=[1, 0, 1, 0, 1])
        assert karat.evaluate_matrix(plain.matrix().to_frame(backend))["MCC"] == plain["MCC"]


WEIGHTED = [
    ([1, 0], [1, 1], [0.7, 0.1]),
    ([0, 0, 1, 1], [1, 1, 0, 1], [0.1, 0.2, 0.3, 0.4]),
    ([1, 1], [1, 0], [0.45, 0.92]),
    ([0, 1, 2, 1], [2, 2, 2, 2], [0.1, 0.7, 0.2, 0.31]),
]


@pytest.mark.parametrize(("y", "d", "w"), WEIGHTED)
def test_weights_leave_no_noise_where_nothing_is(y: list[int], d: list[int], w: list[float]) -> None:
    k = max(2, *y, *d) + (max(*y, *d) > 1)
    e = karat.evaluate(y, y_pred=d, sample_weight=w, labels=range(k), positive=1)
    whole = karat.evaluate(y, y_pred=d, sample_weight=[round(100 * x) for x in w], labels=range(k), positive=1)
    for m in MEASURES.values():
        if not e.statistics.lacks(m.statistic):
            assert e[m] == pytest.approx(whole[m], rel=1e-9, abs=1e-12, nan_ok=True), m.symbol


def test_random_weights_leave_no_noise() -> None:
    rng = np.random.default_rng(8)
    for _ in range(300):
        k = int(rng.integers(2, 4))
        n = int(rng.integers(1, 5))
        y, d = rng.integers(0, k, n), rng.integers(0, k, n)
        cents = rng.integers(1, 100, n)
        e, whole = (
            karat.evaluate(y, y_pred=d, sample_weight=w, labels=range(k), positive=1) for w in (cents / 100, cents)
        )
        for symbol in ("NPV", "TNR", "FPR", "OR", "GMean", "LRN", "MK", "MCC", "KapS"):
            assert e[symbol] == pytest.approx(whole[symbol], rel=1e-9, nan_ok=True), (symbol, y, d, cents)


@pytest.mark.parametrize("order", [[0, 1], [1, 0]])
def test_one_column_means_the_same_wherever_its_class_stands(order: list[int]) -> None:
    for y, p in [
        ([0, 1], [0.3, 0.1 + 0.2]),
        ([0, 0, 1, 1], [1e-17, 2e-17, 3e-17, 4e-17]),
        ([0, 1, 1], [0.5, 0.5, 0.2]),
    ]:
        e, plain = karat.evaluate(y, p, labels=order), karat.evaluate(y, p)
        for symbol in karat.catalogue.papers:
            assert e[symbol] == pytest.approx(plain[symbol], rel=1e-12, nan_ok=True), symbol
        table = e.per_class(["AUC", "KS", "AP", "OVL"]).columns
        assert table["AUC"] == [e["AUNU"]] * 2
        assert table["KS"][0] == pytest.approx(table["KS"][1])
        assert MEASURES["AUNU"](y, p, labels=order) == e["AUNU"]
    assert karat.evaluate([0, 1], [0.3, 0.1 + 0.2], labels=order)["AUNU"] == 1
    normal = karat.evaluate([0, 1], [2e-17, 3e-17], labels=order, normalise=True)
    assert normal["AUNU"] == 1


def test_the_positive_class_is_decided_only_above_one_half() -> None:
    for positive in ("a", "b"):
        e = karat.evaluate(["a", "b"], [0.5, 0.5], positive=positive)
        assert e["PredPos"] == 0


def test_very_many_classes_with_weights() -> None:
    k = 2100
    y = np.arange(k)
    w = np.ones(k)
    w[5] = 0
    e = karat.evaluate(y, y_pred=y, sample_weight=w)
    assert (e["MAvA"], e["rCEN"], e["MCC"]) == (1.0, 0.0, pytest.approx(1.0))
    constant = karat.evaluate(y, y_pred=np.zeros(k, int), sample_weight=np.linspace(0.1, 0.9, k))
    assert constant["MCC"] == 0


def exact_information(table: list[list[int]]) -> tuple[Decimal, Decimal]:
    """(MI / H_X, MI) with fifty digits."""
    getcontext().prec = 50
    s = Decimal(sum(map(sum, table)))
    t = [Decimal(sum(row)) for row in table]
    u = [Decimal(sum(column)) for column in zip(*table, strict=True)]
    shared = sum(
        (
            Decimal(c) * (Decimal(c) * s / (t[i] * u[j])).ln()
            for i, row in enumerate(table)
            for j, c in enumerate(row)
            if c
        ),
        Decimal(0),
    )
    truth = sum((x * (s / x).ln() for x in t if x), Decimal(0))
    return shared / truth, shared / s / Decimal(2).ln()


@pytest.mark.parametrize(
    "table", [[[2 * 10**9, 1], [1, 1]], [[10**9, 1], [2, 0]], [[10**6, 3], [5, 7]], [[7, 10**8], [1, 2]]]
)
def test_information_of_huge_counts(table: list[list[int]]) -> None:
    relative, bits = exact_information(table)
    e = karat.evaluate_matrix(table)
    assert e["RCI"] == pytest.approx(float(relative), rel=1e-9)
    assert e["MI"] == pytest.approx(float(bits), rel=1e-9)


@pytest.mark.parametrize("least", [1e-6, 1e-10, 1e-13, 1e-17])
def test_areas_with_very_uneven_weights(least: float) -> None:
    y, p = [0, 0, 1, 2], [[0.8, 0.1, 0.1], [0.6, 0.2, 0.2], [0.1, 0.8, 0.1], [0.1, 0.2, 0.7]]
    e = karat.evaluate(y, p, sample_weight=[0.7, 0.3, least, least])
    for symbol in ("AUNU", "AUNP", "AU1U", "AU1P"):
        assert e[symbol] == pytest.approx(1.0, abs=1e-12)
    case = Case.of(y, p, w=[0.7, 0.3, least, least], positive=0)
    assert e.per_class(["DD"]).columns["DD"][0] == pytest.approx(ORACLES["DD"](case), rel=1e-12)


def test_small_errors_keep_their_digits() -> None:
    p = np.array([[1 - 2e-9, 1e-9, 1e-9]] * 2)
    assert karat.evaluate([0, 0], p, labels=range(3))["MSE"] == pytest.approx(2e-18, rel=1e-6)
    tiny = karat.evaluate([0, 1] * 50, np.tile([[1 - 1e-13, 1e-13], [1e-13, 1 - 1e-13]], (50, 1)))
    assert tiny["MSE"] == pytest.approx(1e-26, rel=1e-2)
    assert karat.evaluate_matrix([[90, 0], [0, 10]])["MCC"] == 1


def test_parameters_that_make_no_sense_are_refused() -> None:
    e = karat.evaluate([0, 1, 1], [0.2, 0.9, 0.4])
    for symbol, parameters in [
        ("EC", {"cost": [[0, math.nan], [1, 0]]}),
        ("EC", {"cost": [[0, 1, 2]]}),
        ("EC", {"prior": [0.5, 0.6]}),
        ("NEC", {"pc": 7}),
        ("NEC", {"pc": math.nan}),
        ("ECE", {"bins": 0}),
        *((symbol, {"bins": bins}) for symbol in ("ECE", "MCE", "cwECE") for bins in (-1, 2.5, True, "9", None)),
        ("LogL", {"eps": -1}),
    ]:
        with pytest.raises(karat.InputError):
            e[MEASURES[symbol].at(**parameters)]
    with pytest.raises(karat.InputError, match="fourth powers"):
        karat.evaluate_matrices([np.array([[3.0, 1], [1, 3]]) * 1e-170])


def parameters_of(m: Measure) -> list[str]:
    told = inspect.signature(m.function).parameters.values()
    return [*m.statistic.parameters, *(p.name for p in told if p.kind is p.KEYWORD_ONLY)]


def test_other_parameters_make_no_claims() -> None:
    other = MEASURES["partAUC"].at(max_fpr=0.5)
    assert (other.traits, other.chance) == (frozenset(), None)
    assert MEASURES["F2"].traits == MEASURES["F1"].traits
    assert other.formula == r"\text{partAUC with max\_fpr=0.5}"
    for symbol, parameters, claims in [
        ("EC", {"cost": [[0, 10], [10, 0]]}, ((-math.inf, math.inf), -math.inf)),
        ("tMCC", {"base": 10.0}, ((-math.inf, math.inf), -math.inf)),
        ("LogL", {"eps": 0.0}, ((0, math.inf), 0)),
        ("partAUC", {"max_fpr": 0.5}, ((0, 1), 1)),
        ("BSS", {"digits": 1}, ((-math.inf, 1), 1)),
        ("UNC", {"digits": 1}, ((0, 0.25), None)),
    ]:
        made = MEASURES[symbol].at(**parameters)
        assert (made.range, made.best) == claims, symbol
        assert made.orientation == made.at(**parameters).orientation == MEASURES[symbol].orientation
    for symbol, of in (("F2", "F1"), ("F0.5", "F1"), ("tMCC_ln", "tMCC")):
        assert (MEASURES[symbol].range, MEASURES[symbol].best) == (MEASURES[of].range, MEASURES[of].best)


OTHER_PARAMETERS = {
    "base": [1.5, 10.0, 1e4],
    "digits": [0, 1, 9],
    "bins": [1, 2, 50],
    "beta": [0.0, 0.3, 40.0],
    "cost": [[[0, 10, 1], [10, -5, 0], [3, 2, 1]]],
    "prior": [[1.0, 0.0, 0.0], [0.2, 0.3, 0.5]],
    "pc": [0.0, 0.9, 1.0],
    "eps": [0.0, 1e-30, 0.9],
    "max_fpr": [1e-6, 0.3, 1.0],
    "a": [1.0, 9.0],
    "b": [1.0, 9.0],
}


@pytest.mark.parametrize("m", [m for m in MEASURES.values() if parameters_of(m)], ids=lambda m: m.symbol)
def test_the_range_holds_with_other_parameters(m: Measure) -> None:
    """Of good, random and opposite predictions."""
    rng = np.random.default_rng(0)
    y = np.array([0, 1, 2, *rng.integers(0, 3, 37)])
    noise = rng.dirichlet(np.full(3, 0.3), 40)
    right = np.eye(3)[y]
    kinds = [right, np.eye(3)[(y + 1) % 3], noise, 0.7 * right + 0.3 * noise, 0.5 * (1 - right)]
    found = [karat.evaluate(y, p, positive=0) for p in kinds]
    for name in parameters_of(m):
        for value in OTHER_PARAMETERS[name]:
            made = m.at(**{name: value})
            least, most = made.range
            values = [e[made] for e in found]
            assert all(v != v or least - 1e-12 <= v <= most + 1e-12 for v in values), (name, value, values)


def test_a_spare_column_is_not_a_class() -> None:
    frame = pd.DataFrame({"a": [0.2, 0.7], "b": [0.8, 0.3], "fold": [0.0, 0.0]})
    with pytest.raises(karat.InputError, match="column 'fold', and no case has that label"):
        karat.evaluate(["a", "b"], frame)
    declared = frame.rename(columns=lambda name: f"p_{name}")
    assert karat.evaluate(["a", "b"], declared).classes == ("a", "b", "fold")


def test_decisions_are_not_probabilities() -> None:
    for column in ([0, 1, 0], [0.0, 1.0, 0.0]):
        with pytest.raises(karat.InputError, match="like predicted labels; pass them as y_pred"):
            karat.evaluate([0, 1, 1], column)
    both = [[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]]
    assert karat.evaluate([0, 1, 1], both)["Acc"] == pytest.approx(2 / 3)


def test_infinite_is_null_in_json_and_said() -> None:
    found = karat.evaluate_matrix([[5, 0], [0, 5]]).to_dict(["OR", "LRP", "Acc"])
    assert found["measures"] == {"OR": None, "LRP": None, "Acc": 1.0}
    assert found["undefined"] == {"OR": "it is infinite", "LRP": "it is infinite"}


def test_measures_travel() -> None:
    assert pickle.loads(pickle.dumps(MEASURES["MCC"])) is MEASURES["MCC"]
    assert MEASURES["AUNU"](y_true=[0, 1], y_proba=[0.1, 0.2]) == 1


def test_a_problem_with_everything_equals_the_oracles_on_both_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    from karat import kernels

    rng = np.random.default_rng(5)
    k = 12
    y, d, w = rng.integers(0, k, 40), np.zeros(40, int), rng.random(40)
    p = rng.dirichlet(np.ones(k), 40)
    problem = Problem("", y, p, d=d, w=w, k=k, l=k, positive=0)
    case = problem.case()
    for kind in ("numpy", kernels.name):
        for name in ("facts", "one_against_rest", "relative", "pair_sums", "row_sums", "scan", "pack"):
            monkeypatch.setattr(kernels, name, kernels.twin(name, kind))
        e = problem.evaluated()
        for symbol in karat.catalogue.papers:
            assert e[symbol] == pytest.approx(ORACLES[symbol](case), rel=1e-10, abs=1e-12, nan_ok=True), symbol


def test_scores_of_any_sign_and_size() -> None:
    """Their sums are no table, and may be negative whole numbers."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 2000)
    s = rng.integers(300, 850, 2000) + 50 * y
    e = karat.evaluate(y, y_score=s, y_pred=(s > 600).astype(int))
    assert e["Acc"] == ((s > 600) == y).mean()
    truth = np.array([0, 1, 2] * 4)
    scores = np.full((12, 3), -1e6)
    scores[np.arange(12), truth] = -1
    assert karat.evaluate(truth, y_score=scores)["Acc"] == 1
    assert karat.evaluate(truth, y_score=scores * 1e300)["AU1U"] == 1


def test_a_tiny_cell_takes_no_information_away() -> None:
    """By hand: all but 2e-17 of the cases are right, so that nearly 1 bit is told."""
    e = karat.evaluate_matrix([[0.5, 1e-17], [1e-17, 0.5]])
    assert [e[s] for s in ("MI", "RCI", "NIT")] == pytest.approx([1, 1, 1], abs=1e-14)
    p = [[0.9, 0.1], [0.8, 0.2], [0.1, 0.9], [0.3, 0.7], [0.2, 0.8]]
    e = karat.evaluate([0, 0, 1, 1, 0], p, sample_weight=[1, 1, 1, 1, 1e-17])
    assert [e["RCI"], e["NIT"]] == pytest.approx([1, 1], abs=1e-14)
    assert math.isnan(karat.evaluate([0, 1, 1], [0.2, 0.7, 0.6], sample_weight=[1e-17, 1, 1])["H"])


def test_minus_zero_is_zero() -> None:
    p = np.eye(5)
    p[0, 1] = 1e-200
    p[p == 0] = -0.0
    assert karat.evaluate(np.arange(5), p)["CalB"] == pytest.approx(0, abs=1e-100)


def test_the_mirror_of_a_column_keeps_its_order() -> None:
    """1 - 1e-20 and 1 - 2e-20 are both 1, but the second case comes after the first; ties elsewhere change nothing."""
    y = np.array([0, 1, 0, 0] + [0, 1] * 8)
    p = np.r_[1e-20, 2e-20, 0.3, 0.3, np.linspace(0.4, 0.9, 16)]

    def windows(scores: list[float], hits: list[bool]) -> float:
        size = max(1, len(scores) // 10)
        found = []
        for start in range(len(scores) - size + 1):
            part, share = scores[start : start + size], sum(hits[start : start + size]) / size
            found.append(sum(abs(x - share) for x in part) / size)
        return sum(found) / len(found)

    up = sorted(range(20), key=lambda i: p[i])
    down = sorted(range(20), key=lambda i: -p[i])
    own = windows([p[i] for i in up], [bool(y[i] == 1) for i in up])
    rest = windows([1 - p[i] for i in down], [bool(y[i] == 0) for i in down])
    assert karat.evaluate(y, p)["CalB"] == pytest.approx((own + rest) / 2, rel=1e-12)
    assert karat.evaluate_batch(y[None], p[None], ["CalB"])["CalB"][0] == pytest.approx((own + rest) / 2, rel=1e-12)
