"""What other libraries hold data in: read, or refused with what to do. Libraries that are not installed have stand-ins
that behave as theirs do, of the same module."""

from __future__ import annotations

import decimal
import fractions
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import karat
from karat.core.errors import InputError
from optional import pandas as pd
from optional import polars as pl

Y = np.array([0, 0, 1, 1, 0, 1])
P = np.array([0.125, 0.5, 0.375, 0.75, 0.25, 0.625])
BOTH = np.column_stack([1 - P, P])
W = np.array([1.0, 2.0, 0.5, 1.0, 3.0, 1.0])
PLAIN = karat.evaluate(Y, P).to_dict("papers")


def refusal(*arguments: Any, **options: Any) -> str:
    with pytest.raises(InputError) as refused:
        karat.evaluate(*arguments, **options)
    return str(refused.value)


# --------------------------------------------------------------------------------------------------- stand-ins


class TorchTensor:
    """As torch.Tensor: an array on request, if it is on the CPU, needs no gradient and has a type that numpy knows."""

    def __init__(self, data: Any, device: str = "cpu", requires_grad: bool = False, dtype: str = "torch.float32"):
        self.data, self.device, self.requires_grad, self.dtype = np.asarray(data), device, requires_grad, dtype

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        if self.requires_grad:
            raise RuntimeError("Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.")
        if self.device != "cpu":
            raise TypeError("can't convert cuda:0 device type tensor to numpy. Use Tensor.cpu() first.")
        if self.dtype == "torch.bfloat16":
            raise TypeError("Got unsupported ScalarType BFloat16")
        return self.data

    def __len__(self) -> int:
        return len(self.data)

    def __iter__(self) -> Any:
        return (TorchTensor(x) for x in self.data)

    @property
    def ndim(self) -> int:
        return self.data.ndim

    @property
    def shape(self) -> Any:
        return self.data.shape

    def item(self) -> Any:
        return self.data.item()

    def __float__(self) -> Any:
        return float(self.__array__())

    def detach(self) -> TorchTensor:
        return TorchTensor(self.data, self.device)

    def cpu(self) -> TorchTensor:
        return TorchTensor(self.data, "cpu", self.requires_grad)

    def float(self) -> TorchTensor:
        return TorchTensor(self.data, self.device, self.requires_grad)


TorchTensor.__module__ = "torch"


class JaxArray:
    """As jax.Array."""

    def __init__(self, data: Any) -> None:
        self.data = np.asarray(data)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return self.data

    def __len__(self) -> int:
        return len(self.data)


JaxArray.__module__ = "jaxlib._jax"


class OnlyDlpack:
    """Speaks DLPack and nothing else."""

    def __init__(self, data: Any) -> None:
        self.data = np.asarray(data)

    def __dlpack__(self, **options: Any) -> Any:
        return self.data.__dlpack__(**options)

    def __dlpack_device__(self) -> Any:
        return self.data.__dlpack_device__()


class CupyArray:
    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        raise TypeError("Implicit conversion to a NumPy array is not allowed. Please use `.get()`")


CupyArray.__module__ = "cupy"


class DataArray:
    """As xarray.DataArray."""

    def __init__(self, data: Any, coords: dict[str, Any] | None = None, dims: tuple[str, ...] = ("case", "class")):
        self.values, self.coords = np.asarray(data), coords or {}
        self.dims, self.ndim = dims[: self.values.ndim], self.values.ndim

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return self.values

    def __len__(self) -> int:
        return len(self.values)

    def to_pandas(self) -> Any:
        axes = [self.coords.get(name) for name in self.dims]
        return pd.Series(self.values, axes[0]) if self.ndim == 1 else pd.DataFrame(self.values, axes[0], axes[1])


class Dataset:
    """As xarray.Dataset: a mapping of arrays."""

    dims = coords = {"case": 6}  # noqa: RUF012

    def values(self) -> Any:
        return [1]

    def to_pandas(self) -> Any:
        raise AssertionError("nobody asks for it")

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        raise TypeError("cannot directly convert an xarray.Dataset into a numpy array")


DataArray.__module__ = Dataset.__module__ = "xarray.core.dataarray"


class SparkFrame:
    columns = ("y", "p")

    def toPandas(self) -> Any:
        raise AssertionError("columns of Spark are not collected one by one")


class SparkColumn:
    def alias(self) -> None: ...
    def cast(self) -> None: ...
    def __iter__(self) -> Any:
        raise TypeError("Column is not iterable")


class SparkSeries:
    """As pyspark.pandas.Series."""

    iloc = None

    def __init__(self, data: Any, index: Any = None) -> None:
        self.data, self.index = data, index

    def __len__(self) -> int:
        return len(self.data)

    def to_pandas(self) -> Any:
        return pd.Series(self.data, self.index)


SparkFrame.__module__ = SparkColumn.__module__ = "pyspark.sql.connect.dataframe"
SparkSeries.__module__ = "pyspark.pandas.series"


# ------------------------------------------------------------------------------------------------------ read


HOLDERS: dict[str, Callable[[Any], Any]] = {
    "torch": TorchTensor,
    "jax": JaxArray,
    "dlpack": OnlyDlpack,
    "xarray": DataArray,
    "(n, 1)": lambda a: np.asarray(a)[:, None],
    "list of (1,)": lambda a: np.asarray(a)[:, None].tolist(),
    "torch (n, 1)": lambda a: TorchTensor(np.asarray(a)[:, None]),
    "unmasked": np.ma.masked_array,
    "generator": lambda a: (x for x in a.tolist()),
    "map": lambda a: map(a.dtype.type, a.tolist()),
    "dict values": lambda a: dict(enumerate(a.tolist())).values(),
    "list of 0-d arrays": lambda a: [np.array(x) for x in a],
    "list of 0-d tensors": lambda a: [TorchTensor(x) for x in a],
    "list of numpy scalars": list,
    "memory view": memoryview,
    "pandas array": lambda a: pd.array(a.tolist()),
    "pandas index": lambda a: pd.Index(a),
    "pandas object": lambda a: pd.Series(a.tolist(), dtype=object),
    "pandas (n, 1)": lambda a: pd.DataFrame({"value": a}),
    "polars (n, 1)": lambda a: pl.DataFrame({"value": a}),
    "pandas on Spark": SparkSeries,
    "decimals": lambda a: [decimal.Decimal(x) for x in a.tolist()],
    "arrow decimals": lambda a: pa.array([decimal.Decimal(x) for x in a.tolist()]),
}


@pytest.mark.parametrize("hold", HOLDERS.values(), ids=HOLDERS)
def test_whoever_holds_them(hold: Callable[[Any], Any]) -> None:
    """Labels, probabilities of the positive class, predictions, scores and weights."""
    assert karat.evaluate(hold(Y), P).to_dict("papers") == PLAIN
    assert karat.evaluate(Y, hold(P)).to_dict("papers") == PLAIN
    assert karat.evaluate(Y, y_pred=hold(1 - Y))["Acc"] == 0
    assert karat.evaluate(Y, y_score=hold(P * 8))["AUC"] == PLAIN["measures"]["AUNU"]
    weighted = karat.evaluate(Y, P, sample_weight=W)["Acc"]
    assert karat.evaluate(Y, P, sample_weight=hold(W))["Acc"] == weighted != PLAIN["measures"]["Acc"]


TABLES: dict[str, Callable[[], Any]] = {
    "torch": lambda: TorchTensor(BOTH),
    "jax": lambda: JaxArray(BOTH),
    "dlpack": lambda: OnlyDlpack(BOTH),
    "xarray": lambda: DataArray(BOTH),
    "list of rows": lambda: list(BOTH),
    "generator of rows": lambda: (row for row in BOTH),
    "list of tensors": lambda: [TorchTensor(row) for row in BOTH],
    "fractions": lambda: [[1 - fractions.Fraction(p), fractions.Fraction(p)] for p in P.tolist()],
    "decimals": lambda: [[1 - decimal.Decimal(p), decimal.Decimal(p)] for p in P.tolist()],
    "pandas of decimals": lambda: pd.DataFrame({c: [decimal.Decimal(x) for x in BOTH[:, c]] for c in (0, 1)}),
    "arrow of decimals": lambda: pa.table({str(c): [decimal.Decimal(x) for x in BOTH[:, c]] for c in (0, 1)}),
}


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_whoever_holds_the_probabilities(table: Callable[[], Any]) -> None:
    assert karat.evaluate(Y, table()).to_dict("papers") == PLAIN


def test_coordinates_of_xarray_name_cases_and_classes() -> None:
    words = np.array(["ill", "well"])[Y]
    turned = DataArray(BOTH[:, ::-1], {"class": ["well", "ill"]})
    straight = karat.evaluate(words, BOTH)["MCC"]
    assert karat.evaluate(words, turned)["MCC"] == straight
    assert karat.evaluate(words, DataArray(BOTH[:, ::-1]))["MCC"] < 0 < straight
    cases = list("abcdef")
    shuffled = [3, 1, 0, 2, 5, 4]
    y = DataArray(Y, {"case": cases})
    p = DataArray(P[shuffled], {"case": [cases[i] for i in shuffled]})
    assert "(the same labels in another order)" in refusal(y, p)
    assert karat.evaluate(y, p, align="index").to_dict("papers") == PLAIN


def test_pandas_on_spark_is_paired_by_its_index() -> None:
    assert "indexes of y_true and y_proba differ" in refusal(SparkSeries(Y, range(6)), SparkSeries(P, range(1, 7)))


def test_dask_is_computed() -> None:
    da = pytest.importorskip("dask.array")
    dd = pytest.importorskip("dask.dataframe")
    frame = dd.from_pandas(pd.DataFrame({"y": Y, "p": P, "p_0": 1 - P, "p_1": P}), npartitions=2)
    assert karat.evaluate(da.from_array(Y, chunks=2), da.from_array(BOTH, chunks=2)).to_dict("papers") == PLAIN
    assert karat.evaluate(frame["y"], frame["p"]).to_dict("papers") == PLAIN
    assert karat.evaluate(frame["y"], frame[["p_1", "p_0"]]).to_dict("papers") == PLAIN


def test_real_torch() -> None:
    torch = pytest.importorskip("torch")
    assert karat.evaluate(torch.tensor(Y), torch.tensor(P)).to_dict("papers") == PLAIN
    assert "pass y_proba.detach()" in refusal(Y, torch.tensor(P, requires_grad=True))
    assert "pass y_proba.float()" in refusal(Y, torch.tensor(P, dtype=torch.bfloat16))


def test_real_jax() -> None:
    jax = pytest.importorskip("jax.numpy")
    assert karat.evaluate(jax.array(Y), jax.array(P, dtype="float32")).to_dict("papers") == PLAIN


def test_real_xarray() -> None:
    xarray = pytest.importorskip("xarray")
    y, p = xarray.DataArray(Y, dims="case"), xarray.DataArray(BOTH[:, ::-1], [("case", range(6)), ("class", [1, 0])])
    assert karat.evaluate(y, p).to_dict("papers") == PLAIN
    assert "xarray Dataset" in refusal(xarray.Dataset({"y": y}), P)


# -------------------------------------------------------------------------------------------------- refused


REFUSED: dict[str, tuple[Callable[[], Any], str]] = {
    "torch with gradient": (
        lambda: refusal(Y, TorchTensor(P, requires_grad=True)),
        "y_proba is a tensor that requires grad; pass y_proba.detach().",
    ),
    "torch on a GPU": (
        lambda: refusal(TorchTensor(Y, "cuda:0", requires_grad=True), P),
        "y_true is a tensor on cuda:0; pass y_true.detach().cpu().",
    ),
    "a list of tensors with gradient": (
        lambda: refusal(Y, [TorchTensor(p, requires_grad=True) for p in P]),
        "y_proba is a list that can't be read as an array (Can't call numpy() on Tensor that requires grad; Use ",
    ),
    "torch bfloat16": (lambda: refusal(Y, TorchTensor(P, dtype="torch.bfloat16")), "pass y_proba.float()."),
    "cupy": (lambda: refusal(Y, CupyArray()), "on the GPU; pass y_proba.get()."),
    "xarray Dataset": (
        lambda: refusal(Dataset(), P),
        "y_true is an xarray Dataset; pass one of its arrays, as in y_true[",
    ),
    "Spark frame": (lambda: refusal(SparkFrame(), P), "a Spark DataFrame, whose rows have no fixed order; collect all"),
    "Spark column": (lambda: refusal(SparkColumn(), P), "a Spark Column, which holds no data; collect the DataFrame"),
    "polars expression": (lambda: refusal(pl.col("y"), P), "y_true is an Expr, which holds no data; select it"),
    "a lazy table that fails": (
        lambda: refusal(pl.LazyFrame({"y": Y}).select("z"), P),
        "y_true is a LazyFrame that can't be read as an array (",
    ),
    "MultiIndex": (lambda: refusal(pd.MultiIndex.from_arrays([Y, Y]), P), "pass one of its levels, as in y_true.get_l"),
    "GroupBy": (lambda: refusal(pd.Series(Y).groupby(Y), P), "y_true is a SeriesGroupBy; pass a column"),
    "one-hot": (lambda: refusal(np.eye(2)[Y], P), "pass the class of each case: y_true.argmax(axis=1)."),
    "one-hot table": (
        lambda: refusal(pd.get_dummies(pd.Series(Y)), P),
        "y_true is a table with 2 columns, one for each class; pass the class of each case: y_true.idxmax(axis=1).",
    ),
    "one-hot predictions": (lambda: refusal(Y, y_pred=np.eye(3)[Y]), "y_pred.argmax(axis=1)."),
    "several labels": (
        lambda: refusal(np.ones((6, 3), int), P),
        "one column for each label; evaluate the labels one at a time: y_true[:, 0].",
    ),
    "probabilities as y_pred": (
        lambda: refusal(Y, y_pred=BOTH),
        "y_pred has the shape (6, 2) and holds real numbers; give one label for each case, of shape (n,): pass "
        "probabilities as y_proba.",
    ),
    "a table of probabilities as y_pred": (
        lambda: refusal(Y, y_pred=pd.DataFrame(BOTH)),
        "y_pred is a table with 2 columns; pass one of them, as in table[0] (and probabilities as y_proba).",
    ),
    "several outputs": (
        lambda: refusal(Y, [BOTH, BOTH, BOTH]),
        "y_proba is a list of 3 arrays of shape (6, 2); join batches by np.concatenate(y_proba), and evaluate several "
        "outputs one at a time: y_proba[0].",
    ),
    "batches of labels": (lambda: refusal([Y[:4], Y[4:]], P), "np.concatenate(y_true) joins batches."),
    "a model": (
        lambda: refusal(type("Forest", (), {"predict": None})(), Y, P),
        "y_true is a Forest; pass predictions, or use karat.evaluate_estimator(model, X, y) for a model itself.",
    ),
    "several models": (
        lambda: refusal({"a": P}, Y),
        "y_true is a dict; pass true labels (karat.compare(models, y_true) takes several models by name).",
    ),
    "columns by class": (lambda: refusal(Y, {0: 1 - P, 1: P}), "as a table, for example pandas.DataFrame(y_proba)"),
    "wrong order": (
        lambda: refusal(P, Y),
        "y_true holds probabilities and y_proba holds labels; pass them in the other order, the true labels first.",
    ),
    "wrong order of a table": (lambda: refusal(BOTH, Y), "pass them in the other order, the true labels first."),
    "wrong order by name": (lambda: refusal(P, y_pred=Y), "y_true holds probabilities and y_pred holds labels"),
    "labels as probabilities": (
        lambda: refusal(Y, ["ill", "well"] * 3),
        "y_proba holds texts ('ill', 'well', 'ill'), not numbers; pass predicted labels as y_pred.",
    ),
    "probabilities of few classes": (
        lambda: refusal(Y, [{0: 0.7}] * 6),
        "the listed probabilities of a case sum to 0.7; choose rest='even' (the other classes share what is left) or ",
    ),
    "numbers as texts": (lambda: refusal(Y, P.astype(str)), "numbers as texts; convert them to floats, for example by"),
    "masked": (lambda: refusal(np.ma.masked_array(Y, Y == 0), P), "y_true has masked values; fill or remove those"),
    "sparse": (
        lambda: refusal(Y, pytest.importorskip("scipy.sparse").csr_array(BOTH)),
        "y_proba is a sparse csr_array; pass a dense array: y_proba.toarray().",
    ),
    "real decimals as labels": (
        lambda: refusal([decimal.Decimal("1.5")] * 6, y_pred=Y),
        "y_true holds the real number 1.5 at case 0",
    ),
    "above 1 by rounding": (
        lambda: refusal(Y, np.array([[1.0000001, 0.0]] * 6, np.float32)),
        "probabilities are in [0, 1]: if this is rounding, pass np.clip(y_proba, 0, 1).",
    ),
    "a column of the other class": (
        lambda: refusal(Y, pd.DataFrame({"p_0": 1 - P})),
        "y_proba has one column, of the class 0; pass positive=0 if that is the positive class, or one column for each",
    ),
}


@pytest.mark.parametrize(("call", "words"), REFUSED.values(), ids=REFUSED)
def test_what_is_refused_says_what_to_do(call: Callable[[], str], words: str) -> None:
    assert words in call()


# ----------------------------------------------------------------------------------- nothing but 0 and 1


ASKED = "y_proba holds nothing but 0 and 1, like predicted labels; pass them as y_pred, or, if they are probabilities"


@pytest.mark.parametrize("kind", [float, int, bool, "f4", object, list, "(n, 1)", "pandas"])
def test_a_column_of_labels_is_asked_about(kind: Any) -> None:
    column: Any = Y.tolist() if kind is list else Y[:, None] * 1.0 if kind == "(n, 1)" else None
    if column is None:
        column = pd.Series(Y * 1.0) if kind == "pandas" else Y.astype(kind)
    message = refusal(Y, column)
    assert message.startswith(ASKED)
    p = Y * 1.0
    assert karat.evaluate(Y, np.column_stack([1 - p, p]))["Acc"] == 1  # as the message says
    assert karat.evaluate(Y, y_pred=column)["Acc"] == 1


def test_labels_of_other_numbers_are_asked_about() -> None:
    assert refusal(Y + 1, Y + 1).startswith(
        "y_proba holds nothing but labels of y_true; pass predicted labels as y_pred"
    )
    assert "nothing but labels of y_true" in refusal(np.array([0, 1, 2] * 2), np.array([0, 2, 2] * 2))


def test_what_may_be_zeros_and_ones() -> None:
    """Tables, columns whose name says what they are, one case, and scores."""
    hard = Y * 1.0
    assert karat.evaluate(Y, np.eye(2)[Y])["LogL"] == 0
    assert karat.evaluate(Y, np.eye(2, dtype=int)[Y])["LogL"] == 0
    assert karat.evaluate(Y, pd.DataFrame({"p_1": hard}))["LogL"] == 0
    assert karat.evaluate([1], [1.0], labels=[0, 1])["Acc"] == 1
    assert karat.evaluate(Y, y_score=hard)["AUC"] == 1
    assert karat.evaluate(Y, np.where(Y == 1, 1.0, 0.25))["Acc"] == 1
    assert karat.evaluate([0, 1, 1], [0.0, 1.0, 0.5])["Acc"] == 2 / 3


# ------------------------------------------------------------------------------------------------ precision


@pytest.mark.parametrize(("kind", "tolerance"), [("f8", 1e-6), ("f4", 2**-11.5), ("f2", 2**-5)])
@pytest.mark.parametrize("hold", [np.asarray, list, pd.DataFrame, pa.table], ids=["numpy", "rows", "pandas", "arrow"])
def test_rows_sum_to_one_within_the_precision_of_their_type(kind: str, tolerance: float, hold: Any) -> None:
    """The square root of the type's epsilon, 2^-23 and 2^-10; 1e-6 of float64."""

    def rows(share: float) -> Any:
        table = np.tile(np.array([[0.5, 0.5 + share * tolerance]]), (6, 1)).astype(kind)
        return hold({str(c): table[:, c] for c in (0, 1)}) if hold is pa.table else hold(table)

    e = karat.evaluate(Y, rows(0.9))
    given = np.array([0.5, 0.5 + 0.9 * tolerance]).astype(kind).astype(float)
    assert e["MPR"] == pytest.approx((given[0] * 3 + given[1] * 3) / 6, rel=1e-14)  # as given, not divided by the sum
    assert "which sums to 1.0" in refusal(Y, rows(1.1))
    assert karat.evaluate(Y, rows(1.1), normalise=True)["MPR"] == pytest.approx(0.5, rel=1e-6)


def test_softmax_of_float32_and_float16() -> None:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 500, 2000)
    logits = 3 * rng.standard_normal((2000, 500)).astype(np.float32)
    for kind in ("f4", "f2"):
        e = np.exp((logits - logits.max(axis=1, keepdims=True)).astype(kind))
        p = (e / e.sum(axis=1, keepdims=True, dtype=kind)).astype(kind)
        exact = p.astype(float)
        found = karat.evaluate(y, p, labels=range(500))
        assert found["Acc"] == (exact.argmax(axis=1) == y).mean()
        assert found["MPR"] == pytest.approx(exact[np.arange(2000), y].mean(), rel=1e-12)


def test_batches_have_the_same_tolerance() -> None:
    p = np.full((2, 3, 2), 0.5, np.float32)
    p[..., 1] += np.float32(3e-4)
    assert np.isfinite(karat.evaluate_batch([[0, 1, 1]] * 2, p, ["LogL"])["LogL"]).all()
    with pytest.raises(InputError, match=r"sums to 1\.00029"):
        karat.evaluate_batch([[0, 1, 1]] * 2, p.astype(float), ["LogL"])
    one = np.array([[0.25, 0.75, 0.5]])
    assert karat.evaluate_batch([[0, 1, 1]], one[..., None], ["LogL"]) == karat.evaluate_batch(
        [[0, 1, 1]], one, ["LogL"]
    )


@pytest.mark.parametrize(
    ("call", "name", "instead"),
    [
        (lambda y, e: karat.bowker(e, e), "first", "predicted labels (of probabilities p: "),
        (lambda y, e: karat.bowker(y, e), "second", "predicted labels (of probabilities p: "),
        (lambda y, e: karat.mcnemar(y, e, e), "first", "predicted labels (of probabilities p: "),
        (lambda y, e: karat.cochran(y, {"a": y, "b": e}), "models['b']", "predicted labels (of probabilities p: "),
        (lambda y, e: karat.evaluate(y, e), "y_proba", "what it was made of, or"),
        (lambda y, e: karat.evaluate(e, y), "y_true", "what it was made of, or"),
        (lambda y, e: karat.evaluate(y, y_pred=e), "y_pred", "predicted labels (of probabilities p: "),
    ],
)
def test_an_evaluation_is_no_column(call: Callable[[Any, Any], Any], name: str, instead: str) -> None:
    """Not even where there are as many cases as it has measures to show."""
    p = np.array([0.1, 0.9, 0.2, 0.8, 0.3, 0.7, 0.4])
    e = karat.evaluate(np.array([0, 1] * 3 + [0]), p)
    y = np.arange(len(list(e))) % 2
    with pytest.raises(InputError) as refused:
        call(y, e)
    said = str(refused.value)
    assert said.startswith(f"{name} is an Evaluation, which is no column; pass {instead}")
    assert said.endswith("or compare evaluations as they are: karat.compare({name: evaluation, ...}).")
