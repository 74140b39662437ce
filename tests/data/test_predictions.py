"""The border: what karat refuses, in one helpful sentence."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import karat
from karat import kernels
from karat.core.errors import InputError
from karat.core.registry import UnknownNameError
from karat.data import Predictions
from karat.statistics.order import _halfway
from optional import pandas as pd
from optional import polars as pl

evaluate, matrix, batch = karat.evaluate, karat.evaluate_matrix, karat.evaluate_batch
measures = karat.catalogue.measures
nan, inf = float("nan"), float("inf")
Y, S = [0, 0, 1, 1], ["a", "a", "b", "b"]
p = [0.1, 0.4, 0.35, 0.8]
P = np.array([[0.9, 0.1], [0.6, 0.4], [0.65, 0.35], [0.2, 0.8]])
P3 = np.array([[0.5, 0.3, 0.2], [0.2, 0.5, 0.3], [0.1, 0.1, 0.8], [0.3, 0.4, 0.3]])
Door = Callable[..., Any]


def frame(*names: Any, values: Any = 0.5) -> Any:
    """A pandas frame of four cases with these columns."""
    return pd.DataFrame([[values] * len(names)] * 4, columns=list(names))


def masked(values: Any) -> Any:
    """The values with the first one masked."""
    mask = np.zeros(np.shape(values), bool)
    mask.flat[0] = True
    return np.ma.masked_array(values, mask)


def first(value: Any, rest: Any) -> list[Any]:
    """The list with another first value."""
    return [value, *list(rest)[1:]]


DAYS = [dt.date(2020, 1, 1), dt.date(2020, 1, 2)] * 2
LONG = [c * 200 for c in "abcdefgh"]

# name, call through a door (evaluate, or a measure called on data), what its sentence must say
PREDICTIONS: list[tuple[str, Callable[[Door], Any], str]] = [
    # nothing, or too much
    ("only the truth", lambda f: f(Y), "only y_true.*pass y_proba"),
    ("probabilities and scores", lambda f: f(Y, P, y_score=P), "both y_proba and y_score.*not both"),
    ("truth None", lambda f: f(None, p), "y_true is None; give one label for each case"),
    # empty
    ("truth empty", lambda f: f([], []), "y_true is empty"),
    ("probabilities empty", lambda f: f(Y, []), "y_proba has 0 cases and y_true has 4"),
    ("decisions empty", lambda f: f(Y, y_pred=[]), "y_pred is empty"),
    ("scores empty", lambda f: f(Y, y_score=[]), "y_score has 0 cases"),
    ("weights empty", lambda f: f(Y, p, sample_weight=[]), "sample_weight has 0 cases"),
    ("labels empty", lambda f: f(Y, P, labels=[]), "labels= is empty"),
    # lengths
    ("probabilities short", lambda f: f(Y, p[:3]), "y_proba has 3 cases and y_true has 4"),
    ("decisions long", lambda f: f(Y, y_pred=[*Y, 0]), "y_pred has 5 cases and y_true has 4"),
    ("scores short", lambda f: f(Y, y_score=p[:2]), "y_score has 2 cases and y_true has 4"),
    ("weights short", lambda f: f(Y, p, sample_weight=[1, 1]), "sample_weight has 2 cases and y_true has 4"),
    # shapes
    ("probabilities 3-D", lambda f: f(Y, P[None]), r"y_proba has the shape \(1, 4, 2\)"),
    ("probabilities (n, 1), 3 classes", lambda f: f([0, 1, 2, 0], P[:, :1]), "3 classes; give one column for each"),
    ("probabilities ragged", lambda f: f(Y, [[0.1, 0.9], [1.0], [0.5, 0.5], [1.0]]), "y_proba.*rows of one length"),
    ("truth one-hot", lambda f: f(np.eye(2)[Y], P), r"y_true has the shape \(4, 2\).*y_true\.argmax\(axis=1\)"),
    ("truth (1, n)", lambda f: f(np.array([Y]), P), r"y_true is one row of 4 values.*y_true\.ravel\(\)"),
    ("truth pandas two columns", lambda f: f(frame("a", "b"), p), r"y_true is a table with 2 columns.*table\['a'\]"),
    ("decisions two columns", lambda f: f(Y, y_pred=frame("a", "b")), "y_pred is a table with 2 columns"),
    # probabilities that are not
    ("probability nan", lambda f: f(Y, first(nan, p)), "y_proba holds .*nan.* in row 0.*finite"),
    ("probability inf", lambda f: f(Y, first(inf, p)), "y_proba holds .*inf.* in row 0.*finite"),
    ("probability null polars", lambda f: f(Y, pl.Series(first(None, p))), "y_proba has 1 missing"),
    ("probability negative", lambda f: f(Y, first([-0.1, 1.1], P)), r"y_proba holds \[-0.1, 1.1\] in row 0.*\[0, 1\]"),
    ("percent", lambda f: f(Y, [10, 40, 35, 80]), r"^(?!.*-9).*10.*\[0, 1\]"),
    ("sum too large", lambda f: f(Y, P * (1 + 1.01e-6)), "row 0, which sums to 1.00000101 .*normalise=True"),
    ("sum too small", lambda f: f(Y, P * (1 - 1.01e-6)), "row 0, which sums to 0.99999899 .*normalise=True"),
    ("normalise decisions", lambda f: f(Y, y_pred=Y, normalise=True), "normalise=True is for y_proba"),
    ("reject without decisions", lambda f: f(Y, p, reject="?"), "reject=.*pass y_pred"),
    ("score infinite", lambda f: f(Y, y_score=[np.inf, 0, 1, 2]), "holds inf in row 0"),
    ("scores too large", lambda f: f(Y, y_score=[2**60, 2**60 + 1, 3, 4]), "whole numbers above 2\\^53"),
    ("normalise zero row", lambda f: f(Y, first([0, 0], P), normalise=True), "normalise=True.*positive sum"),
    ("normalise negative", lambda f: f(Y, first([-1, 2], P), normalise=True), "normalise=True.*at least 0"),
    ("normalise sum inf", lambda f: f(Y, first([1e308] * 2, P), normalise=True), "finite"),
    ("probabilities text", lambda f: f(Y, list(map(str, p))), "y_proba.*numbers.*floats"),
    ("probabilities sparse", lambda f: f(Y, sp.csr_array(P)), "y_proba"),
    ("probabilities dict", lambda f: f(Y, {0: p, 1: p}), "y_proba"),
    ("probabilities masked", lambda f: f(Y, masked(p)), "y_proba.*mask"),
    ("probability rows masked", lambda f: f(Y, masked(P)), "y_proba.*mask"),
    ("decisions as probabilities", lambda f: f(S, S), "y_proba.*y_pred"),
    ("score nan of 500", lambda f: f(range(500), y_score=np.full((500, 500), nan)), "row 0.*finite"),
    ("scores masked", lambda f: f(Y, y_score=masked(p)), "y_score.*mask"),
    # weights
    ("weight nan", lambda f: f(Y, p, sample_weight=[nan, 1.0, 1.0, 1.0]), r"sample_weight.*\(nan\) at case 0"),
    ("weight inf", lambda f: f(Y, p, sample_weight=[inf, 1.0, 1.0, 1.0]), r"sample_weight.*\(inf\) at case 0"),
    ("weight negative", lambda f: f(Y, p, sample_weight=[1, 1, 1, -1]), r"sample_weight is negative.*-1.*case 3"),
    ("weights zero", lambda f: f(Y, p, sample_weight=[0] * 4), "sample_weight sums to 0"),
    ("weights sum inf", lambda f: f(Y, p, sample_weight=[1e308] * 4), "sample_weight sums"),
    ("weights tiny", lambda f: f(Y, p, sample_weight=[1e-170] * 4), "sample_weight sums to 4e-170.*constant"),
    ("weight None", lambda f: f(Y, p, sample_weight=[None, 1, 1, 1]), "^(?!.*str).*sample_weight"),
    ("weights dict", lambda f: f(Y, p, sample_weight=dict.fromkeys(range(4), 1)), "sample_weight.*dict"),
    ("weights set", lambda f: f(Y, p, sample_weight={1, 2, 3, 4}), "sample_weight.*set"),
    ("weights masked", lambda f: f(Y, p, sample_weight=masked([1.0] * 4)), "sample_weight.*mask"),
    # labels that name nothing
    ("label None", lambda f: f([None, 0, 1, 1], p), "y_true.*missing"),
    ("label None object", lambda f: f(np.array([None, *S[1:]], object), P), "y_true has missing labels"),
    ("label nan", lambda f: f([nan, 0.0, 1.0, 1.0], p), "y_true holds nan at case 0"),
    ("label inf", lambda f: f([inf, 0.0, 1.0, 1.0], p), "y_true holds inf at case 0"),
    ("labels real", lambda f: f(p, p), "y_true holds the real number 0.1 at case 0.*y_proba"),
    ("decision None", lambda f: f(Y, y_pred=[None, 0, 1, 1]), "y_pred.*missing"),
    ("decisions real", lambda f: f(Y, y_pred=p), "y_pred holds the real number 0.1 at case 0.*y_proba"),
    ("truth datetime64", lambda f: f(np.array(DAYS, "M8[D]"), P), "y_true holds datetime64.*str, int or bool"),
    ("truth dates", lambda f: f(DAYS, P), "y_true holds .*date; .*str, int or bool"),
    ("truth list of bytes", lambda f: f([b"a", b"b"] * 2, P), "y_true holds .*bytes; .*str, int or bool"),
    ("truth array of bytes", lambda f: f(np.array([b"a", b"b"] * 2), P), "y_true holds.*S1"),
    ("truth dict", lambda f: f(dict.fromkeys(range(4), 0), y_pred=range(4)), "y_true.*dict"),
    ("truth set", lambda f: f({0, 1}, y_pred=[0, 1]), "y_true.*set"),
    ("truth sparse", lambda f: f(sp.csr_matrix(Y), P), "y_true"),
    ("truth sparse 1-D", lambda f: f(sp.coo_array(np.array(Y)), P), "y_true.*coo_array"),
    ("truth masked", lambda f: f(masked(Y), p), "y_true.*mask"),
    ("decisions masked", lambda f: f(Y, y_pred=masked(Y)), "y_pred.*mask"),
    # labels of several types
    ("truth mixed objects", lambda f: f(np.array([0, "a", 1, 1], object), p), "y_true mixes int and str.*one type"),
    ("truth int and str", lambda f: f([0, "a", 1, 1], p), "y_true mixes int and str.*one type"),
    ("truth bool and int", lambda f: f([True, 0, 1, 1], p), "y_true mixes bool and int.*one type"),
    ("truth int and float", lambda f: f([0, 1.0, 1, 0], p), "y_true mixes float and int.*one type"),
    ("truth int, decisions str", lambda f: f(Y, y_pred=list("0011")), "y_true holds int.*y_pred holds str.*one type"),
    ("labels int and str", lambda f: f(Y, P, labels=[0, "1"]), "labels= mixes int and str.*one type"),
    # labels that are not there, or not wanted
    ("truth unknown", lambda f: f(Y, P, labels=[0, 2]), "y_true holds 1, .*not among the classes 0, 2.*labels"),
    ("decision unknown", lambda f: f(Y, P, [0, 1, 2, 0], labels=[0, 1]), "y_pred holds 2, .*not among the classes"),
    ("labels twice", lambda f: f(Y, P, labels=[0, 1, 1]), "labels= names 1 more than once"),
    ("labels nested", lambda f: f(Y, P, labels=[[0, 1]]), "labels"),
    ("labels one text", lambda f: f(S, P, labels="ab"), "labels= is a str.*class"),
    ("labels set", lambda f: f(S, P, labels={"a", "b"}), "labels.*set"),
    ("labels masked", lambda f: f(Y, P, labels=np.ma.masked_array([0, 1, 2], [0, 0, 1])), "labels.*mask"),
    ("labels nan", lambda f: f([0.0, 1.0] * 2, P3, labels=[0.0, 1.0, nan]), "labels.*nan"),
    ("3 columns, 2 labels", lambda f: f([0, 2, 0, 2], P3), r"3 columns and the data hold 2 labels \(0, 2\).*labels="),
    ("1 column, 3 labels", lambda f: f([0, 1, 2, 0], p), r"y_proba has the shape \(4,\).*3 classes"),
    ("long labels", lambda f: f(LONG[:2], y_pred=LONG[2:4], labels=LONG[:2]), "y_pred holds 'ccc"),
    ("positive unsaid a, b", lambda f: f(S, p), "positive class is ambiguous for the labels 'a', 'b'.*positive="),
    (
        "positive unsaid -1, 1",
        lambda f: f([-1, -1, 1, 1], p),
        "positive class is ambiguous for the labels -1, 1.*positive=",
    ),
    ("positive unknown", lambda f: f(S, p, positive="c"), "positive='c' is not one of the classes 'a', 'b'"),
    ("positive array", lambda f: f(Y, p, positive=np.array([0, 1])), "positive="),
    ("reject a class", lambda f: f(Y, P, Y, reject=1), "reject=1 is one of the classes 0, 1"),
    ("reject list", lambda f: f(Y, P, Y, reject=[2]), "reject"),
    ("reject array", lambda f: f(Y, P, Y, reject=np.array([2, 3])), "reject"),
    # frames and their columns
    ("column missing", lambda f: f(S, frame("a", values=1.0)), "one column, of the class 'a'; pass positive='a'"),
    ("column spare", lambda f: f(S, frame("a", "b", "c"), labels=["a", "b"]), "column 'c', which is not a class"),
    ("column twice", lambda f: f(S, frame("a", "b", "b")), "y_proba.*'b'"),
    ("column twice, p_", lambda f: f(S, frame("a", "p_a", "b"), labels=["a", "b"]), "2 columns for the class 'a'"),
    ("columns of other names", lambda f: f(S, frame("x", "y")), "named 'x', 'y' and the labels are 'a', 'b'.*columns="),
    ("columns of text", lambda f: f(S, frame("a", "b", values="x")), "column 'a' of y_proba holds.*not numbers"),
    ("columns in levels", lambda f: f(S, frame(("p", "a"), ("p", "b"))), "y_proba"),
    ("columns of long names", lambda f: f(S, frame(*LONG)), "'aaa.*columns="),
    ("columns= of an array", lambda f: f(S, P, columns={"a": 0, "b": 1}), "columns=.*bare array"),
    ("columns= without a class", lambda f: f(S, frame("x", "y"), columns={"a": "x"}, labels=["a", "b"]), "for 'b'"),
    ("columns= of no column", lambda f: f(S, frame("x", "y"), columns={"a": "x", "b": "z"}), "no column 'z'.*'x', 'y'"),
    ("columns= one for two", lambda f: f(S, frame("x", "y"), columns={"a": "x", "b": "x"}), "'x'.*"),
    ("columns= a list", lambda f: f(S, frame("x", "y"), columns=["x", "y"]), "columns.*class: name of its column"),
    ("columns= mixed", lambda f: f(S, frame("x", "y"), columns={"a": "x", 1: "y"}), "columns= mixes int and str"),
    ("columns= none", lambda f: f(S, frame("x", "y"), columns={"a": "x", None: "y"}), "columns= has missing labels"),
    ("columns= empty", lambda f: f(S, frame("x", "y"), columns={}), "columns"),
]

OTHERS: list[tuple[str, Callable[[], Any], str]] = [
    ("matrix negative", lambda: matrix([[1, -1], [0, 1]]), "matrix holds the negative count -1"),
    ("matrix nan", lambda: matrix([[1, nan], [0, 1]]), "matrix.*not finite.*counts"),
    ("matrix sum inf", lambda: matrix([[1e308, 1e308], [0, 1]]), "matrix"),
    ("matrix zero", lambda: matrix([[0, 0], [0, 0]]), "matrix is all zero"),
    ("matrix 1-D", lambda: matrix([1, 2]), r"matrix has the shape \(2,\).*rows"),
    ("matrix empty", lambda: matrix([]), "matrix has the shape"),
    ("matrix masked", lambda: matrix(masked([[1, 2], [3, 4]])), "matrix.*mask"),
    ("matrix labels too many", lambda: matrix([[1, 2], [3, 4]], [1, 2, 3]), "labels= names 3 classes.*2 rows"),
    ("matrix labels twice", lambda: matrix([[1, 2], [3, 4]], ["a", "a"]), "labels= names 'a' more than once"),
    ("batch too large a label", lambda: batch([0, 2], [[0.5, 0.5]] * 2), "y_true.* 2"),
    ("batch negative label", lambda: batch([0, -1], [[0.5, 0.5]] * 2), "y_true.* -1"),
    ("batch text labels", lambda: batch(["a", "b"], [[0.5, 0.5]] * 2), "y_true.*str|U1"),
    ("batch float labels", lambda: batch([0.0, 1.0], [[0.5, 0.5]] * 2), "integers"),
    ("batch lengths", lambda: batch([0, 1, 1], [[0.5, 0.5]]), r"\(3,\) does not fit y_proba of shape \(1, 2\)"),
    ("batch lengths, two classes", lambda: batch([0, 1, 1], [0.5, 0.5]), r"\(3,\).*\(2,\)"),
    ("batch truth ragged", lambda: batch([[0, 1], [1]], [[0.5, 0.5]] * 2), "y_true"),
    ("batch ragged", lambda: batch([0, 1], [[0.5, 0.5], [0.5]]), "y_proba"),
    ("batch text", lambda: batch([0, 1], ["x", "y"]), "y_proba"),
    ("batch empty", lambda: batch([], []), "y_proba has the shape.*not empty"),
    ("batch nan", lambda: batch([0, 1], [0.5, nan]), "y_proba holds .*nan.* in row 1"),
    ("batch sum", lambda: batch([0, 1], [[0.5, 0.6]] * 2), "^(?!.*normalise=).*sums to 1.1"),
    ("batch masked", lambda: batch([0, 1], masked([0.5, 0.5])), "y_proba.*mask"),
    ("batch truth masked", lambda: batch(masked([0, 1]), [0.5, 0.5]), "y_true.*mask"),
    ("batch of one class", lambda: batch([0, 1], [0.5, 0.5], ["F1"]), "F1 is a measure of one class"),
    ("ranking of nan", lambda: measures["AUNU"](Y, first(nan, p)), "nan.* in row 0.*finite"),
    ("ranking of too few", lambda: measures["AUNU"](Y, p[:2]), "has 2 cases and y_true has 4"),
    ("ranking masked", lambda: measures["AUNU"](Y, masked(p)), "mask"),
    ("ranking normalised", lambda: measures["AUNU"](Y, first([0, 0], P), normalise=True), "normalise"),
    ("matrix of scores", lambda: evaluate(Y, y_score=p).matrix(), "needs predicted labels.*pass y_pred"),
]

NAMES: list[tuple[str, Callable[[], Any], str]] = [
    ("evaluation", lambda: evaluate(Y, p)["Acccc"], r"^(?!.*\bAcc\b.*\bAcc\b).*'Acccc'.*\bAcc\b"),
    ("catalogue", lambda: measures["matthew_corelation"], "'matthew_corelation'.*MCC"),
    ("batch", lambda: batch([0, 1], [0.5, 0.5], ["AUMU"]), "'AUMU'.*AUNU"),
    ("average", lambda: evaluate(Y, p)["macro(F11)"], "'F11'.*F1"),
    ("number", lambda: evaluate(Y, p)[5], "an int was given; name a measure by a str"),
    ("several", lambda: evaluate(Y, p)["Acc", "MCC"], r"pass several to e.values\(\[...\]\)"),
]


def refused(call: Callable[[], Any], says: str, error: type[Exception] = karat.InputError) -> str:
    """The one sentence with which a call is refused."""
    with pytest.raises(error) as caught:
        call()
    text = str(caught.value)
    assert re.search(says, text), text
    assert "\n" not in text, text
    assert len(text) < 300, f"{len(text)} characters: {text[:300]}"
    if error is karat.InputError:  # an unknown name is followed by a question: did you mean ...?
        assert re.fullmatch(r"(?!.*[.?!] [A-Z]).*[^.]\.", text), text
    return text


@pytest.mark.parametrize(("call", "says"), [row[1:] for row in PREDICTIONS], ids=[row[0] for row in PREDICTIONS])
def test_bad_predictions_are_refused(call: Callable[[Door], Any], says: str) -> None:
    said = refused(lambda: call(evaluate), says)
    if says not in AS_LABELS:
        assert said == refused(lambda: call(measures["MCC"]), says)


AS_LABELS = (r"^(?!.*-9).*10.*\[0, 1\]", "y_proba.*numbers.*floats", "y_proba.*y_pred")
"""What a measure of predicted classes takes for such in the second place."""


@pytest.mark.parametrize(("call", "says"), [row[1:] for row in OTHERS], ids=[row[0] for row in OTHERS])
def test_bad_matrices_batches_and_calls_are_refused(call: Callable[[], Any], says: str) -> None:
    refused(call, says)


@pytest.mark.parametrize(("call", "says"), [row[1:] for row in NAMES], ids=[row[0] for row in NAMES])
def test_unknown_names_are_refused_with_a_suggestion(call: Callable[[], Any], says: str) -> None:
    refused(call, says, UnknownNameError)


@pytest.mark.parametrize("total", [1 + 9.9e-7, 1 - 9.9e-7])
def test_sums_within_a_millionth_are_taken_as_they_are(total: float) -> None:
    assert evaluate(Y, P * total)["MPR"] == pytest.approx((0.9 + 0.6 + 0.35 + 0.8) / 4 * total, rel=1e-12)
    assert issubclass(karat.InputError, ValueError)


def test_more_cases_than_places_can_be_kept_of_are_refused() -> None:
    """Without an array of that size: one case, seen 2^31 times."""
    y, p = (np.broadcast_to(x, 2**31) for x in (np.array([1]), np.array([0.5])))
    for given in ((y, p), (y, None, y)):
        with pytest.raises(InputError, match=r"2,147,483,648 cases; give at most 2,147,483,647 at once: .* parts"):
            karat.evaluate(*given)
    with pytest.raises(InputError, match="2,147,483,648 cases"):
        karat.evaluate_batch(np.broadcast_to(y, (2, 2**31)), np.broadcast_to(p, (2, 2**31)))


def test_ties_of_very_many_cases_are_halved_without_wrapping() -> None:
    below, upto = np.array([2**30, 0, 5], np.int32), np.array([2**31 - 1, 2**31 - 1, 6], np.int32)
    exact = [(a + b) / 2 for a, b in zip(below.tolist(), upto.tolist(), strict=True)]
    assert _halfway(below, upto).tolist() == exact


@pytest.mark.parametrize("kind", [np.float64, np.float32])
@pytest.mark.parametrize("columns", [1, 2, 3])
def test_scores_are_held_as_they_were_given(kind: type, columns: int) -> None:
    """Nothing is copied on the way in; all columns in double precision are made when somebody asks."""
    rng = np.random.default_rng(0)
    p = rng.dirichlet(np.ones(max(2, columns)), 50).astype(kind)
    given = p if columns > 1 else np.ascontiguousarray(p[:, 1])
    held = Predictions.of(np.arange(50) % max(2, columns), given)
    assert held.held is not None
    assert held.held.dtype == kind
    assert np.shares_memory(held.held, given)
    assert held.scores is not None
    assert held.scores.dtype == np.float64
    wide = given.astype(float)
    np.testing.assert_array_equal(held.scores[0], wide if columns > 1 else np.stack([1 - wide, wide], axis=1))
    np.testing.assert_array_equal(held.decisions[0], held.scores[0].argmax(axis=1))


@pytest.mark.parametrize("kind", ["native", "numpy"])
@pytest.mark.parametrize("precision", [np.float64, np.float32])
def test_one_plain_column_is_read_like_any_other(precision: type, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if kind == "native" and kernels.native is None:
        pytest.skip("compiled kernels were not built")
    rng = np.random.default_rng(8)
    y, p = rng.integers(0, 2, 50), np.append(rng.random(48), [0.0, 1.0]).astype(precision)
    usual = Predictions.of(y.astype(np.int32), p)
    plain_arrays, calls = kernels.twin("plain_arrays", kind), list[Any]()

    def plain(*given: Any) -> Any:
        calls.append(plain_arrays(*given))
        return calls[-1]

    monkeypatch.setattr(kernels, "plain_arrays", plain)
    quick = Predictions.of(y, p)
    assert calls[-1] is not None
    assert (quick.classes, quick.outputs, quick.positive, quick.alone) == ((0, 1), (0, 1), 1, 1)
    assert quick.extent == usual.extent
    for name in ("truth", "held", "class_weight", "scores", "decisions"):
        one, other = getattr(quick, name), getattr(usual, name)
        assert (one.dtype, one.tolist()) == (other.dtype, other.tolist()), name
    listed = Predictions.of(y.tolist(), p.tolist())
    assert calls[-1] is not None
    assert (listed.truth.tolist(), listed.held.tolist()) == (usual.truth.tolist(), usual.held.tolist())
    for labels in ([*y.tolist()[:-1], 2**70], [*y.tolist()[:-1], 1.0], y.astype(str).tolist()):
        with suppress(InputError):
            Predictions.of(labels, p.tolist())
        assert calls[-1] is None
    for first in (0.0, 1.0):  # perhaps predicted labels
        Predictions.of(y, np.append(precision(first), p[1:]))
        assert calls[-1] is None
    with pytest.raises(InputError, match="nothing but 0 and 1"):
        Predictions.of(y, y.astype(float))
    with pytest.raises(InputError, match="row 3"):
        Predictions.of(y, np.where(np.arange(50) == 3, 1.5, p))
