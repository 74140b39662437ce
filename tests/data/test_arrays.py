"""What karat takes: labels, probabilities and weights, whatever holds them and in whatever order."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import karat
from cases import Problem, probabilities, rounded
from optional import metrics
from optional import pandas as pd
from optional import polars as pl
from oracles import ORACLES

evaluate, matrix, batch = karat.evaluate, karat.evaluate_matrix, karat.evaluate_batch
measures, PAPERS = karat.catalogue.measures, karat.catalogue.papers

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
    "pandas index": lambda a: pd.Index(a),
    "pandas categorical": lambda a: pd.Series(pd.Categorical(a)),
    "pandas one column": lambda a: pd.DataFrame({"y": a}),
    "polars": lambda a: pl.Series(a),
    "polars Int128": lambda a: pl.Series(a, dtype=pl.Int128),
    "arrow": pa.array,
    "arrow dictionary": lambda a: pa.array(a).dictionary_encode(),
    "arrow dictionary of pandas": lambda a: pa.Array.from_pandas(pd.Series(a).astype("category")),
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
    "pandas bare categorical": lambda a: pd.Categorical(a),
    "polars String": lambda a: pl.Series(a, dtype=pl.String),
    "polars Categorical": lambda a: pl.Series(a, dtype=pl.Categorical),
    "polars Enum": lambda a: pl.Series(a, dtype=pl.Enum(WORDS)),
    "arrow": pa.array,
    "arrow dictionary": lambda a: pa.array(a).dictionary_encode(),
    "pandas arrow dictionary": lambda a: pd.Series(
        pd.arrays.ArrowExtensionArray(pa.array(a.tolist()).dictionary_encode())
    ),
    "numpy strings": lambda a: a.astype(np.dtypes.StringDType()),
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
    for symbol in PAPERS:
        close = pytest.approx(expected[symbol], rel=within, abs=within, nan_ok=True)
        assert symbol == but or found[symbol] == close, symbol


@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["", "weighted"])
def test_plain_lists_equal_the_oracles(weight: Any) -> None:
    case = Problem("", TRUTH, EIGHTHS, w=weight, k=3, l=3).case()
    e = evaluate(TRUTH.tolist(), EIGHTHS.tolist(), sample_weight=None if weight is None else weight.tolist())
    for symbol in PAPERS:
        assert e[symbol] == pytest.approx(ORACLES[symbol](case), abs=1e-12, nan_ok=True), symbol


@pytest.mark.parametrize("held", [list, np.array])
def test_a_list_may_stand_beside_an_array(held: Callable[[Any], Any]) -> None:
    y, p = [0, 1, 1, 0, 1], [0.25, 0.5, 0.75, 0.5, 0.125]
    same(evaluate(held(y), p), evaluate(np.array(y), np.array(p)))
    same(evaluate(y, held(p)), evaluate(np.array(y), np.array(p)))


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
        (lambda: pd.Series([True, False], dtype="boolean"), (False, True)),
        (np.array([-128, 127], np.int8), (-128, 127)),
        ([10**12, 5], (5, 10**12)),
        (np.array([2**63, 1], np.uint64), (1, 2**63)),
        ([2**63, 1, 2**63 + 1], (1, 2**63, 2**63 + 1)),
        (np.array([np.int64(3), np.int64(1)], object), (1, 3)),
        (["b", "a"], ("a", "b")),
        (lambda: pd.Series(pd.Categorical(["b", "a"], ["b", "a", "c"])), ("b", "a", "c")),
        (lambda: pd.Categorical(["b", "a"], ["b", "a", "c"]), ("b", "a", "c")),
        (lambda: pl.Series(["b", "a"], dtype=pl.Enum(["b", "a", "c"])), ("b", "a", "c")),
        (lambda: pd.Series(pd.Categorical([2, 1], [2, 1, 3])), (2, 1, 3)),
        (pa.array([10, 9, 10]).dictionary_encode(), (9, 10)),  # as text, 10 would come before 9
        (pa.array([True, False]).dictionary_encode(), (False, True)),
        (pa.DictionaryArray.from_arrays([1, 0], ["b", "a", "c"], ordered=True), ("b", "a", "c")),
        (pa.DictionaryArray.from_arrays([1, 0], ["b", "a", "c"]), ("a", "b")),
    ],
    ids=lambda value: "" if isinstance(value, tuple) else None,
)
def test_labels_keep_their_type_and_declared_order(labels: Any, classes: tuple[Any, ...]) -> None:
    labels = labels() if callable(labels) else labels
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


def test_named_columns_are_all_that_is_looked_at() -> None:
    table = pd.DataFrame({"no": [0.3, 0.8], "yes": [0.7, 0.2], "id": ["q", "r"], "fold": [1, 2]})
    e = evaluate([1, 0], table, columns={np.int64(0): "no", np.int64(1): "yes"})
    assert e["MSE"] == pytest.approx((0.3**2 + 0.2**2) / 2)
    json.dumps(e.to_dict())


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
    same(one, evaluate(y, both), within=1e-14)
    assert one["AUC"] == pytest.approx(metrics.roc_auc_score(TRUTH > 0, q), abs=1e-14)


def test_tiny_probabilities_keep_their_order() -> None:
    assert evaluate([0, 0, 1, 1], [1e-17, 2e-17, 3e-17, 4e-17])["AUNU"] == 1


def test_classes_without_cases() -> None:
    y, q = TRUTH % 2, np.column_stack([EIGHTHS[:, :2], np.zeros(N), EIGHTHS[:, 2]])
    e, case = evaluate(y, q, labels=range(4)), Problem("", y, q, k=4, l=4).case()
    assert e.per_class().columns["cases"] == [*np.bincount(y), 0, 0]
    for symbol in PAPERS:
        assert e[symbol] == pytest.approx(ORACLES[symbol](case), abs=1e-12, nan_ok=True), symbol


def test_five_hundred_classes() -> None:
    y = rng.permutation(np.arange(1500) % 500)
    q = 0.5 * probabilities(rng, 1500, 500) + 0.5 * np.eye(500)[(y + rng.integers(0, 2, 1500)) % 500]
    e = evaluate(y, q.astype(np.float32))
    assert e["MCC"] == pytest.approx(metrics.matthews_corrcoef(y, q.argmax(axis=1)), abs=1e-12)
    assert e["LogL"] == pytest.approx(-np.log2(np.maximum(q[np.arange(1500), y], 1e-5)).mean(), rel=1e-6)


def test_decisions_or_scores_alone_define_what_they_can() -> None:
    ranking = {"AU1U", "AU1P", "AUNU", "AUNP"}
    probable = {"SAUC", "PAUC", "MAPR", "MPR", "MAE", "MSE", "LogL", "CalL", "CalB", "pCEN", "rpCEN"}
    assert set(evaluate(TRUTH, y_pred=DECIDED).undefined) == ranking | probable
    assert set(evaluate(TRUTH, y_score=EIGHTHS - 9).undefined) == probable
    one = evaluate(TRUTH > 0, y_score=EIGHTHS[:, 1] * 70 - 9)
    assert set(PAPERS) - set(one.undefined) == ranking
    assert one["AUNU"] == pytest.approx(metrics.roc_auc_score(TRUTH > 0, EIGHTHS[:, 1]), abs=1e-14)
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
        lambda: pd.crosstab(pd.Series(list("aabbcc")), pd.Series(list("bbbbcc"))),
        lambda: pd.DataFrame([[0, 2], [1, 0]], index=["b", "a"], columns=["a", "b"]),
        lambda: pl.DataFrame(evaluate([0, 0, 1, 1], y_pred=[0, 1, 1, 1]).matrix().to_frame("polars")),
    ],
    ids=["no column for a", "rows in another order", "karat's own"],
)
def test_a_matrix_with_names_is_read_by_name_or_refused(table: Any) -> None:
    table = table()
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


def test_plain_columns_of_pandas_need_no_view(monkeypatch: pytest.MonkeyPatch) -> None:
    """Numbers that numpy holds are read as they are, and refused in the same words as those of other columns."""
    monkeypatch.setattr("karat.data.arrays._view", None)
    table = pd.DataFrame(EIGHTHS)
    assert evaluate(pd.Series(TRUTH), table).values("papers") == PLAIN.values("papers")
    single = evaluate(pd.Series(TRUTH.astype(np.int8)), table.astype(np.float32)[[2, 0, 1]])
    assert single.values("papers") == pytest.approx(PLAIN.values("papers"), rel=1e-13, nan_ok=True)
    for value, words in ((np.nan, "column 1 of y_proba has missing values"), (np.inf, "must be a finite number")):
        spoilt = table.copy()
        spoilt.iloc[3, 1] = value
        with pytest.raises(karat.InputError, match=words):
            evaluate(pd.Series(TRUTH), spoilt)
    with pytest.raises(karat.InputError, match="more than one column named"):
        evaluate(pd.Series(TRUTH), table.set_axis(["0", "1", "1"], axis=1))


@pytest.mark.parametrize("what", ["by", "ids", "attributes"])
def test_a_table_where_one_value_of_each_case_is_asked_for(what: str) -> None:
    """One column serves, whatever the library; of two, the first is named as an
    example of what to pass."""
    y, d = [0, 1] * 20, [0, 1, 1, 0] * 10
    for table in (pd.DataFrame, pl.DataFrame, pa.table):
        one, two = (table({name: [*"ab"] * 20 for name in names}) for names in ("u", "uv"))
        ids = table({"u": [f"case {i}" for i in range(40)]})
        asked = {
            "by": lambda t: karat.evaluate(y, y_pred=d).by({"site": t}),
            "ids": lambda t, ids=ids: karat.evaluate(y, y_pred=d, ids=ids if t.shape[1] == 1 else t),
            "attributes": lambda t: karat.weak_slices(karat.evaluate(y, y_pred=d), {"site": t}),
        }[what]
        asked(one)
        with pytest.raises(karat.InputError, match=r"is a table with 2 columns; pass one of them, as in table\['u'\]"):
            asked(two)
    bare = np.array([*"ab"] * 20, dtype=object)[:, None]
    if what == "attributes":
        asked(bare)
    for wrong in (np.hstack([bare, bare]), np.hstack([bare, bare])[:, :, None]):
        with pytest.raises(karat.InputError, match="shape"):
            asked(wrong)


def test_one_column_of_a_single_class_is_certain() -> None:
    e = karat.evaluate(["a", "a", "a"], [[1.0], [1.0], [1.0]])
    assert (e["Acc"], [str(c) for c in e.classes]) == (1, ["a"])
    for p in ([[1.0], [0.5], [1.0]], [[0.5], [0.5], [0.5]]):
        with pytest.raises(
            karat.InputError, match="has one column, for two classes, and y_true holds only 'a'; name both"
        ):
            karat.evaluate(["a", "a", "a"], p)
