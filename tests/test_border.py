"""The border: what karat refuses, in one helpful sentence, and what it takes, whatever holds it."""

from __future__ import annotations

import datetime as dt
import json
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from sklearn.metrics import matthews_corrcoef, roc_auc_score

import karat
from cases import Problem, probabilities, rounded
from karat.core.registry import UnknownNameError
from oracles import ORACLES

evaluate, matrix, batch = karat.evaluate, karat.evaluate_matrix, karat.evaluate_batch
measures, HEADLINE = karat.catalogue.measures, karat.catalogue.headline
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
    ("only the truth", lambda f: f(Y), "only y_true.*give y_proba"),
    ("probabilities and scores", lambda f: f(Y, P, y_score=P), "both y_proba and y_score.*not both"),
    ("truth None", lambda f: f(None, p), "y_true is a NoneType.*one value for each case"),
    # empty
    ("truth empty", lambda f: f([], []), "y_true is empty"),
    ("probabilities empty", lambda f: f(Y, []), "y_proba has 0 cases and y_true has 4"),
    ("decisions empty", lambda f: f(Y, y_pred=[]), "y_pred is empty"),
    ("scores empty", lambda f: f(Y, y_score=[]), "y_score has 0 cases"),
    ("weights empty", lambda f: f(Y, p, sample_weight=[]), "sample_weight has 0 cases"),
    ("labels empty", lambda f: f(Y, P, labels=[]), "labels is empty"),
    # lengths
    ("probabilities short", lambda f: f(Y, p[:3]), "y_proba has 3 cases and y_true has 4"),
    ("decisions long", lambda f: f(Y, y_pred=[*Y, 0]), "y_pred has 5 cases and y_true has 4"),
    ("scores short", lambda f: f(Y, y_score=p[:2]), "y_score has 2 cases and y_true has 4"),
    ("weights short", lambda f: f(Y, p, sample_weight=[1, 1]), "sample_weight has 2 cases and y_true has 4"),
    # shapes
    ("probabilities 3-D", lambda f: f(Y, P[None]), r"y_proba has the shape \(1, 4, 2\)"),
    ("probabilities (n, 1)", lambda f: f(Y, P[:, :1]), r"y_proba has the shape \(n, 1\).*\(n,\)"),
    ("probabilities ragged", lambda f: f(Y, [[0.1, 0.9], [1.0], [0.5, 0.5], [1.0]]), "y_proba.*rows of one length"),
    ("truth one-hot", lambda f: f(np.eye(2)[Y], P), r"y_true has the shape \(4, 2\).*\(n,\)"),
    ("truth (n, 1)", lambda f: f(np.array(Y)[:, None], P), r"y_true has the shape \(4, 1\).*\(n,\)"),
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
    ("truth dates", lambda f: f(DAYS, P), "y_true holds date.*str, int or bool"),
    ("truth list of bytes", lambda f: f([b"a", b"b"] * 2, P), "y_true holds bytes.*str, int or bool"),
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
    ("labels int and str", lambda f: f(Y, P, labels=[0, "1"]), "labels mixes int and str.*one type"),
    # labels that are not there, or not wanted
    ("truth unknown", lambda f: f(Y, P, labels=[0, 2]), "y_true holds 1, .*not among the classes 0, 2.*labels"),
    ("decision unknown", lambda f: f(Y, P, [0, 1, 2, 0], labels=[0, 1]), "y_pred holds 2, .*not among the classes"),
    ("labels twice", lambda f: f(Y, P, labels=[0, 1, 1]), "labels names 1 more than once"),
    ("labels nested", lambda f: f(Y, P, labels=[[0, 1]]), "labels"),
    ("labels one text", lambda f: f(S, P, labels="ab"), "labels is a str.*class"),
    ("labels set", lambda f: f(S, P, labels={"a", "b"}), "labels.*set"),
    ("labels masked", lambda f: f(Y, P, labels=np.ma.masked_array([0, 1, 2], [0, 0, 1])), "labels.*mask"),
    ("labels nan", lambda f: f([0.0, 1.0] * 2, P3, labels=[0.0, 1.0, nan]), "labels.*nan"),
    ("3 columns, 2 labels", lambda f: f([0, 2, 0, 2], P3), r"3 columns and the data hold 2 labels \(0, 2\).*labels="),
    ("1 column, 3 labels", lambda f: f([0, 1, 2, 0], p), r"y_proba has the shape \(4,\).*3 classes"),
    ("long labels", lambda f: f(LONG[:2], y_pred=LONG[2:4], labels=LONG[:2]), "y_pred holds 'ccc"),
    ("positive unsaid a, b", lambda f: f(S, p), "which of 'a', 'b' is positive.*positive="),
    ("positive unsaid -1, 1", lambda f: f([-1, -1, 1, 1], p), "which of -1, 1 is positive.*positive="),
    ("positive unknown", lambda f: f(S, p, positive="c"), "positive='c' is not one of the classes 'a', 'b'"),
    ("positive array", lambda f: f(Y, p, positive=np.array([0, 1])), "positive="),
    ("reject a class", lambda f: f(Y, P, Y, reject=1), "reject=1 is one of the classes 0, 1"),
    ("reject list", lambda f: f(Y, P, Y, reject=[2]), "reject"),
    ("reject array", lambda f: f(Y, P, Y, reject=np.array([2, 3])), "reject"),
    # frames and their columns
    ("column missing", lambda f: f(S, frame("a", values=1.0)), "y_proba are named 'a' and the labels are 'a', 'b'"),
    ("column spare", lambda f: f(S, frame("a", "b", "c"), labels=["a", "b"]), "column 'c', which is no class"),
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
    ("columns= a list", lambda f: f(S, frame("x", "y"), columns=["x", "y"]), "columns.*class: column"),
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
    ("matrix labels too many", lambda: matrix([[1, 2], [3, 4]], [1, 2, 3]), "labels names 3 classes.*2 rows"),
    ("matrix labels twice", lambda: matrix([[1, 2], [3, 4]], ["a", "a"]), "labels names 'a' more than once"),
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
    ("matrix of scores", lambda: evaluate(Y, y_score=p).matrix(), "needs decisions.*y_pred"),
]

NAMES: list[tuple[str, Callable[[], Any], str]] = [
    ("evaluation", lambda: evaluate(Y, p)["Acccc"], r"^(?!.*\bAcc\b.*\bAcc\b).*'Acccc'.*\bAcc\b"),
    ("catalogue", lambda: measures["matthew_corelation"], "'matthew_corelation'.*MCC"),
    ("batch", lambda: batch([0, 1], [0.5, 0.5], ["AUMU"]), "'AUMU'.*AUNU"),
    ("average", lambda: evaluate(Y, p)["macro(F11)"], "'F11'.*F1"),
    ("number", lambda: evaluate(Y, p)[5], "5"),
    ("several", lambda: evaluate(Y, p)["Acc", "MCC"], "Acc"),
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
    assert refused(lambda: call(evaluate), says) == refused(lambda: call(measures["MCC"]), says)


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


# ------------------------------------------------------------------------------------------------- good input

rng = np.random.default_rng(7)
N = 40
TRUTH = rng.integers(0, 3, N)
EIGHTHS = rounded(probabilities(rng, N, 3), 8)  # exact in float16 too, and full of ties,
EIGHTHS[:9] = np.repeat([[3, 3, 2], [3, 2, 3], [2, 3, 3]], 3, axis=0) / 8  # of the most probable classes too
DECIDED = rng.integers(0, 3, N)
WEIGHT = rng.integers(1, 4, N) / 2
WORDS = np.array(["ant", "bee", "cat"])
PLAIN = evaluate(TRUTH.tolist(), EIGHTHS.tolist())
SHUFFLED = [2, 0, 1]


class Stream:
    """Speaks the Arrow stream protocol and nothing else."""

    def __init__(self, data: Any) -> None:
        self.data = data

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self.data.__arrow_c_stream__(requested_schema)


class Tensor:
    """Like a tensor of other libraries: an array on request, whose elements are tensors equal only to themselves."""

    def __init__(self, data: Any) -> None:
        self.data = np.asarray(data)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return self.data.astype(dtype or self.data.dtype)

    def __iter__(self) -> Any:
        return map(Tensor, self.data)

    def __lt__(self, other: Any) -> bool:
        return bool(self.data < other.data)


def strided(a: Any) -> Any:
    """The same values, in a view with gaps."""
    return np.repeat(a, 2, axis=0)[::2]


def locked(a: Any) -> Any:
    """The same values, in an array that can't be written to."""
    a = np.array(a)
    a.setflags(write=False)
    return a


def named(data: Any = EIGHTHS, order: Any = (0, 1, 2)) -> dict[str, Any]:
    """Columns p_0, p_1, p_2 in this order."""
    return {f"p_{j}": np.ascontiguousarray(data[:, j]) for j in order}


INTEGERS = ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8", ">i2", ">i8", ">u8", ">f8")
COLUMNS: dict[str, Callable[[Any], Any]] = {
    "tuple": lambda a: tuple(a.tolist()),
    "generator": lambda a: (v for v in a.tolist()),
    **{f"numpy {d}": lambda a, d=d: a.astype(d) for d in INTEGERS},
    "numpy object": lambda a: np.array(a.tolist(), object),
    "numpy strided": strided,
    "numpy read-only": locked,
    **{f"pandas {d}": lambda a, d=d: pd.Series(a, dtype=d) for d in ("int8", "Int64", "int64[pyarrow]", "object")},
    "pandas index": pd.Index,
    "pandas categorical": lambda a: pd.Series(pd.Categorical(a)),
    "pandas one column": lambda a: pd.DataFrame({"y": a}),
    "polars": pl.Series,
    "arrow": pa.array,
    "arrow chunks": lambda a: pa.chunked_array([a[:7], a[7:]]),
    "arrow table": lambda a: pa.table({"y": a}),
    "arrow stream of a table": lambda a: Stream(pa.table({"y": a})),
    "arrow stream of a column": lambda a: Stream(pl.Series(a)),
    "tensor": Tensor,
}
WORD_COLUMNS: dict[str, Callable[[Any], Any]] = {
    "list": lambda a: a.tolist(),
    "numpy unicode": np.array,
    "numpy big-endian": lambda a: a.astype(">U9"),
    "numpy object": lambda a: a.astype(object),
    **{
        f"pandas {d}": lambda a, d=d: pd.Series(a, dtype=d) for d in ["object", "string", "string[pyarrow]", "category"]
    },
    "pandas bare categorical": pd.Categorical,
    **{f"polars {d}": lambda a, d=d: pl.Series(a, dtype=d) for d in (pl.String, pl.Categorical, pl.Enum(WORDS))},
    "arrow": pa.array,
    "arrow dictionary": lambda a: pa.array(a).dictionary_encode(),
}
TABLES: dict[str, Callable[[], Any]] = {
    "tuples": lambda: tuple(map(tuple, EIGHTHS.tolist())),
    **{f"numpy {d}": lambda d=d: EIGHTHS.astype(d) for d in ["f2", "f4", "g", ">f8", ">f4", "O"]},
    "numpy Fortran": lambda: np.asfortranarray(EIGHTHS),
    "numpy strided": lambda: strided(EIGHTHS),
    "numpy read-only": lambda: locked(EIGHTHS),
    "pandas": lambda: pd.DataFrame(named()),
    "pandas bare numbers": lambda: pd.DataFrame(EIGHTHS),
    "pandas shuffled": lambda: pd.DataFrame(named(order=SHUFFLED)),
    "pandas Float64": lambda: pd.DataFrame(named()).astype("Float64"),
    "pandas arrow": lambda: pd.DataFrame(named()).astype("double[pyarrow]"),
    "polars": lambda: pl.DataFrame(named()),
    "polars lazy": lambda: pl.LazyFrame(named()),
    "polars shuffled": lambda: pl.DataFrame(named(order=SHUFFLED)),
    "arrow": lambda: pa.table(named()),
    "arrow batch": lambda: pa.record_batch(named()),
    "arrow stream": lambda: Stream(pa.table(named())),
}
WEIGHTS: dict[str, Callable[[], Any]] = {
    "list": WEIGHT.tolist,
    "list of int and float": lambda: [int(w) if w == int(w) else w for w in WEIGHT.tolist()],
    "object": lambda: WEIGHT.astype(object),
    "float16": lambda: WEIGHT.astype("f2"),
    "big-endian": lambda: WEIGHT.astype(">f8"),
    "pandas": lambda: pd.Series(WEIGHT),
    "polars": lambda: pl.Series(WEIGHT),
    "arrow": lambda: pa.array(WEIGHT),
}


def same(found: karat.Evaluation, expected: karat.Evaluation, but: str = "", within: float = 0.0) -> None:
    """All headline measures are equal, undefined ones undefined in both."""
    for symbol in HEADLINE:
        close = pytest.approx(expected[symbol], rel=within, abs=within, nan_ok=True)
        assert symbol == but or found[symbol] == close, symbol


@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["", "weighted"])
def test_plain_lists_equal_the_oracles(weight: Any) -> None:
    case = Problem("", TRUTH, EIGHTHS, w=weight, k=3, l=3).case()
    e = evaluate(TRUTH.tolist(), EIGHTHS.tolist(), sample_weight=None if weight is None else weight.tolist())
    for symbol in HEADLINE:
        assert e[symbol] == pytest.approx(ORACLES[symbol](case), abs=1e-12, nan_ok=True), symbol


@pytest.mark.parametrize("make", COLUMNS.values(), ids=COLUMNS)
def test_whatever_holds_the_labels(make: Callable[[Any], Any]) -> None:
    found = evaluate(make(TRUTH), EIGHTHS)
    assert found.classes == (0, 1, 2)
    json.dumps(found.to_dict())
    same(found, PLAIN)
    same(evaluate(TRUTH, y_pred=make(DECIDED)), evaluate(TRUTH.tolist(), y_pred=DECIDED.tolist()))


@pytest.mark.parametrize("make", WORD_COLUMNS.values(), ids=WORD_COLUMNS)
def test_whatever_holds_the_words(make: Callable[[Any], Any]) -> None:
    found = evaluate(make(WORDS[TRUTH]), EIGHTHS, make(WORDS[DECIDED]))
    assert [type(c) for c in found.classes] == [str] * 3
    assert found.classes == ("ant", "bee", "cat")
    same(found, evaluate(TRUTH, EIGHTHS, DECIDED))


@pytest.mark.parametrize("make", TABLES.values(), ids=TABLES)
def test_whatever_holds_the_probabilities(make: Callable[[], Any]) -> None:
    same(evaluate(TRUTH, make()), PLAIN)


@pytest.mark.parametrize("make", WEIGHTS.values(), ids=WEIGHTS)
def test_whatever_holds_the_weights(make: Callable[[], Any]) -> None:
    same(evaluate(TRUTH, EIGHTHS, sample_weight=make()), evaluate(TRUTH, EIGHTHS, sample_weight=WEIGHT))


@pytest.mark.parametrize(
    ("labels", "classes"),
    [
        ([True, False, True], (False, True)),
        (np.array([True, False]), (False, True)),
        (pd.Series([True, False], dtype="boolean"), (False, True)),
        (np.array([-128, 127], np.int8), (-128, 127)),
        ([10**12, 5], (5, 10**12)),
        (np.array([2**63, 1], np.uint64), (1, 2**63)),
        ([2**63, 1, 2**63 + 1], (1, 2**63, 2**63 + 1)),
        (np.array([np.int64(3), np.int64(1)], object), (1, 3)),
        (["b", "a"], ("a", "b")),
        (pd.Series(pd.Categorical(["b", "a"], ["b", "a", "c"])), ("b", "a", "c")),
        (pd.Categorical(["b", "a"], ["b", "a", "c"]), ("b", "a", "c")),
        (pl.Series(["b", "a"], dtype=pl.Enum(["b", "a", "c"])), ("b", "a", "c")),
        (pd.Series(pd.Categorical([2, 1], [2, 1, 3])), (2, 1, 3)),
    ],
    ids=lambda value: "" if isinstance(value, tuple) else None,
)
def test_labels_keep_their_type_and_declared_order(labels: Any, classes: tuple[Any, ...]) -> None:
    e = evaluate(labels, y_pred=labels)
    assert [(type(c), c) for c in e.classes] == [(type(c), c) for c in classes]
    assert e["Acc"] == 1
    json.dumps(e.to_dict())


@pytest.mark.parametrize(
    ("call", "arrays"),
    [
        (lambda y, s, w: evaluate(y, s, y, sample_weight=w), (TRUTH, EIGHTHS, WEIGHT)),
        (lambda y, s: evaluate(y, s, normalise=True), (TRUTH, EIGHTHS * 3)),
        (lambda y, s: evaluate(y, y_score=s), (TRUTH, -EIGHTHS)),
        (lambda y, s: evaluate(y, y_score=s), (TRUTH % 2, -EIGHTHS[:, 0].copy())),
        (lambda m: matrix(m), (np.array([[3.0, 1, 0], [0, 2, -0.0]]),)),
        (lambda y, s: batch(y, s), (TRUTH[None], EIGHTHS[None].copy())),
    ],
    ids=["probabilities", "normalised", "scores", "one column of scores", "matrix", "batch"],
)
def test_input_is_never_modified(call: Callable[..., Any], arrays: tuple[Any, ...]) -> None:
    writable = [a.copy() for a in arrays]
    found = call(*writable)
    if isinstance(found, karat.Evaluation):
        found.values(), found.per_class()
    assert [a.tobytes() for a in writable] == [a.tobytes() for a in arrays]
    call(*map(locked, arrays))


def test_the_order_of_labels_permutes_everything() -> None:
    straight = evaluate(TRUTH, EIGHTHS, DECIDED)
    turned = evaluate(TRUTH, EIGHTHS[:, SHUFFLED], DECIDED, labels=SHUFFLED)
    assert turned.classes == tuple(SHUFFLED)
    same(turned, straight, within=1e-14)
    for symbol, values in straight.per_class().columns.items():
        assert turned.per_class().columns[symbol] == pytest.approx([values[j] for j in SHUFFLED], abs=1e-14), symbol


@pytest.mark.parametrize(
    ("low", "high", "positive"), [(0, 1, None), (False, True, None), ("a", "b", "b"), ("z", "b", "b")]
)
def test_one_column_is_two(low: Any, high: Any, positive: Any) -> None:
    y, q = np.where(TRUTH > 0, high, low).tolist(), EIGHTHS[:, 0]
    both = np.column_stack([1 - q, q] if low < high else [q, 1 - q])
    one = evaluate(y, q, positive=positive)
    assert one.positive == high
    same(one, evaluate(y, both))
    assert one["AUC"] == pytest.approx(roc_auc_score(TRUTH > 0, q), abs=1e-14)


def test_tiny_probabilities_keep_their_order() -> None:
    assert evaluate(Y, [1e-17, 2e-17, 3e-17, 4e-17])["AUNU"] == 1


def test_classes_without_cases() -> None:
    y, q = TRUTH % 2, np.column_stack([EIGHTHS[:, :2], np.zeros(N), EIGHTHS[:, 2]])
    e, case = evaluate(y, q, labels=range(4)), Problem("", y, q, k=4, l=4).case()
    assert e.per_class().columns["cases"] == [*np.bincount(y), 0, 0]
    for symbol in HEADLINE:
        assert e[symbol] == pytest.approx(ORACLES[symbol](case), abs=1e-12, nan_ok=True), symbol


def test_five_hundred_classes() -> None:
    y = rng.permutation(np.arange(1500) % 500)
    q = 0.5 * probabilities(rng, 1500, 500) + 0.5 * np.eye(500)[(y + rng.integers(0, 2, 1500)) % 500]
    e = evaluate(y, q.astype(np.float32))
    assert e["MCC"] == pytest.approx(matthews_corrcoef(y, q.argmax(axis=1)), abs=1e-12)
    assert e["LogL"] == pytest.approx(-np.log2(np.maximum(q[np.arange(1500), y], 1e-5)).mean(), rel=1e-6)


def test_decisions_or_scores_alone_define_what_they_can() -> None:
    ranking = {"AU1U", "AU1P", "AUNU", "AUNP"}
    probable = {"SAUC", "PAUC", "MAPR", "MPR", "MAE", "MSE", "LogL", "CalL", "CalB", "pCEN", "rpCEN"}
    assert set(evaluate(TRUTH, y_pred=DECIDED).undefined) == ranking | probable
    assert set(evaluate(TRUTH, y_score=EIGHTHS - 9).undefined) == probable
    one = evaluate(TRUTH > 0, y_score=EIGHTHS[:, 1] * 70 - 9)
    assert set(HEADLINE) - set(one.undefined) == ranking
    assert one["AUNU"] == pytest.approx(roc_auc_score(TRUTH > 0, EIGHTHS[:, 1]), abs=1e-14)
    assert measures["AUNU"](TRUTH > 0, EIGHTHS[:, 1] * 70 - 9) == one["AUNU"]


def test_rejected_cases_are_a_column_of_the_matrix() -> None:
    y, d = TRUTH % 2, DECIDED  # decision 2 is "no decision"
    table = [[int(((y == i) & (d == j)).sum()) for j in range(3)] for i in range(2)]
    e, m = evaluate(y, y_pred=d, reject=2), matrix(table)
    same(m, e)
    assert e.classes == m.classes == (0, 1)
    assert list(e.matrix().columns.values())[1:] == [list(column) for column in zip(*table, strict=True)]
    case = Problem("", y, None, d=d, k=2, l=3).case()
    for symbol in ("Acc", "KapS", "MFM", "MAvA", "MAvG", "MCC", "RCI", "EMA", "NIT"):
        assert e[symbol] == pytest.approx(ORACLES[symbol](case), abs=1e-12), symbol


def test_a_class_that_is_never_decided_has_no_recall() -> None:
    assert matrix([[1, 2], [3, 4], [5, 6]])["MAvG"] == 0


@pytest.mark.parametrize(
    "table",
    [
        pd.crosstab(pd.Series(list("aabbcc")), pd.Series(list("bbbbcc"))),
        pd.DataFrame([[0, 2], [1, 0]], index=["b", "a"], columns=["a", "b"]),
        evaluate([0, 0, 1, 1], y_pred=[0, 1, 1, 1]).matrix().to_frame("polars"),
    ],
    ids=["no column for a", "rows in another order", "karat's own"],
)
def test_a_matrix_with_names_is_read_by_name_or_refused(table: Any) -> None:
    right = {(3, 2): 4 / 6, (2, 2): 1.0, (2, 3): 3 / 4}[table.shape]
    try:
        found = matrix(table)["Acc"]
    except karat.InputError:
        return
    assert found == pytest.approx(right)


def test_weights_are_repetitions() -> None:
    times = rng.integers(0, 4, N)
    times[TRUTH == 2] = 0  # a class whose cases weigh nothing is a class without cases
    repeated = np.repeat(np.arange(N), times)
    expected = evaluate(TRUTH[repeated], EIGHTHS[repeated], DECIDED[repeated], labels=range(3))
    same(evaluate(TRUTH, EIGHTHS, DECIDED, sample_weight=times), expected, but="CalB", within=1e-12)
    here = times > 0
    heavy = evaluate(TRUTH[here], EIGHTHS[here], DECIDED[here], labels=range(3), sample_weight=times[here])
    same(heavy, expected, but="CalB", within=1e-12)
    same(evaluate(TRUTH, EIGHTHS, sample_weight=[1] * N), PLAIN)
    same(evaluate(TRUTH, EIGHTHS, sample_weight=[0.5] * N), PLAIN, but="CalB", within=1e-12)


def test_the_order_of_cases_does_not_matter() -> None:
    order = rng.permutation(N)
    same(evaluate(TRUTH[order], EIGHTHS[order]), PLAIN, but="CalB", within=1e-13)
    untied = probabilities(rng, N, 3)
    same(evaluate(TRUTH[order], untied[order]), evaluate(TRUTH, untied), within=1e-13)
