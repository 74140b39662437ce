"""What other libraries hold columns and tables in (xarray, torch, dask, Spark, ...), turned into what `arrays` reads:
numpy, lists, or a data frame. Libraries are known by the name of their module; none is imported."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import PurePath
from typing import Any

import numpy as np

from karat.core.arithmetic import Array
from karat.core.errors import InputError, ShapeError, type_words

REASON_SHOWN = 100
"""Characters of another library's message that are repeated."""


def readable(data: Any, what: str, expected: str) -> Any:
    """The same as a numpy array, a list, or something that narwhals or Arrow can read."""
    if type(data) is np.ndarray:
        return data
    if isinstance(data, list | tuple):
        _refuse_parts(data, what)
        return data
    for kind in type(data).__mro__[:-1]:
        library = kind.__module__.partition(".")[0]
        if library in LIBRARIES:
            data = LIBRARIES[library](data, what)
            break
    if isinstance(data, np.ndarray):
        if isinstance(data, np.ma.MaskedArray) and np.ma.is_masked(data):
            raise InputError(f"{what} has masked values; fill or remove those cases first.")
        return np.asarray(data)
    return _of_any_kind(data, what, expected)


def _of_any_kind(data: Any, what: str, expected: str) -> Any:
    """What is left: protocols, and what could be iterated over but would not mean what it says."""
    if hasattr(data, "nnz") and hasattr(data, "toarray"):
        raise ShapeError(f"{what} is a sparse {type(data).__name__}; pass a dense array: {variable(what)}.toarray().")
    if is_of_pandas(data) or hasattr(data, "collect") or speaks_arrow(data):
        return data
    if hasattr(data, "__array__"):
        return as_array(data, what)
    if hasattr(data, "__dlpack__"):
        return as_array(data, what, np.from_dlpack)
    values = isinstance(data, Iterable) and not isinstance(data, str | bytes | bytearray | Mapping | set | frozenset)
    if not values or isinstance(data, type):
        raise ShapeError(f"{what} is {type_words(data)}; {_instead(data, what, expected)}.")
    try:
        return list(data)
    except Exception as trouble:
        raise unreadable(data, what, trouble) from None


def _instead(data: Any, what: str, expected: str) -> str:
    """What to pass in the place of something that holds no values."""
    if hasattr(data, "predict"):
        return "pass predictions, or use karat.evaluate_estimator(model, X, y) for a model itself"
    if isinstance(data, Mapping) and what == "y_true":
        return "pass true labels (karat.compare(models, y_true) takes several models by name)"
    if isinstance(data, Mapping) and what in ("y_proba", "y_score"):
        several = "" if what == "y_score" else "; several models go to karat.compare({name: y_proba, ...}, y_true)"
        return f"pass columns by class as a table, for example pandas.DataFrame({what}){several}"
    if isinstance(data, Mapping) and what == "the matrix":
        return "pass pandas.DataFrame(matrix).T, rows being the true classes"
    if isinstance(data, str | PurePath) and what == "y_true":
        return "pass labels and predictions; files are read by karat.accumulate(path).evaluation() or `karat evaluate`"
    return f"give {expected}, as a list, an array or a column"


def variable(what: str) -> str:
    """What a line of code calls it: an argument by its name, anything else "it"."""
    return what if what.isidentifier() else "it"


def is_of_pandas(data: Any) -> bool:
    """Is it a column, a table, an index or a bare array of pandas?"""
    return hasattr(data, "iloc") or type(data).__module__.partition(".")[0] == "pandas"


def speaks_arrow(data: Any) -> bool:
    """Does it export its data by the Arrow protocol?"""
    return hasattr(data, "__arrow_c_stream__") or hasattr(data, "__arrow_c_array__")


def as_array(data: Any, what: str, reader: Callable[[Any], Any] = np.asarray) -> Array:
    """As a numpy array; what another library objects to is said in a sentence."""
    try:
        return np.asarray(reader(data))
    except Exception as trouble:
        raise unreadable(data, what, trouble) from None


def unreadable(data: Any, what: str, trouble: Exception) -> InputError:
    """What to say where another library can't give its data."""
    reason = " ".join(str(trouble).split()).rstrip(".") or type(trouble).__name__
    reason = reason.replace(". ", "; ")
    reason = reason if len(reason) <= REASON_SHOWN else f"{reason[:REASON_SHOWN]}..."
    return InputError(f"{what} is {type_words(data)} that can't be read as an array ({reason}); pass a numpy array.")


def _refuse_parts(data: list[Any] | tuple[Any, ...], what: str) -> None:
    """A list of tables: batches that nobody joined, or several outputs."""
    shapes = [getattr(part, "shape", ()) for part in (*data[:1], *data[-1:])]
    if shapes and all(isinstance(shape, tuple) and len(shape) > 1 for shape in shapes):
        raise ShapeError(
            f"{what} is a list of {len(data)} arrays of shape {tuple(shapes[0])}; join batches by "
            f"np.concatenate({variable(what)}), and evaluate several outputs one at a time: {variable(what)}[0]."
        )


def _xarray(data: Any, what: str) -> Any:
    """With its coordinates if it has them: they name the cases and the classes."""
    if not hasattr(data, "dims") or not hasattr(data, "to_pandas") or not hasattr(data, "values"):
        raise InputError(f"{what} is {type_words(data)}; pass one of its arrays, as in {variable(what)}['name'].")
    if callable(data.values):  # a Dataset is a mapping of arrays
        raise InputError(f"{what} is an xarray Dataset; pass one of its arrays, as in {variable(what)}['name'].")
    named = data.ndim in (1, 2) and data.dims[-1] in data.coords
    return data.to_pandas() if named else as_array(data, what)


def _torch(data: Any, what: str) -> Any:
    """A tensor on the CPU that needs no gradient."""
    if not hasattr(data, "detach"):
        return data
    device = str(getattr(data, "device", "cpu"))
    if not device.startswith("cpu"):
        raise InputError(f"{what} is a tensor on {device}; pass {variable(what)}.detach().cpu().")
    if getattr(data, "requires_grad", False):
        raise InputError(f"{what} is a tensor that requires grad; pass {variable(what)}.detach().")
    if str(getattr(data, "dtype", "")).endswith("bfloat16"):
        raise InputError(f"{what} is a tensor of bfloat16, which numpy does not have; pass {variable(what)}.float().")
    return as_array(data, what)


def _dask(data: Any, what: str) -> Any:
    """Computed; the rows of a dask collection have an order."""
    return data.compute() if hasattr(data, "compute") else data


def _spark(data: Any, what: str) -> Any:
    """Pandas-on-Spark has an index to pair rows by. Rows of a Spark table have no order of their own: columns that are
    collected one by one need not belong together."""
    if hasattr(data, "to_pandas") and hasattr(data, "iloc"):
        return data.to_pandas()
    if hasattr(data, "toPandas"):
        raise InputError(
            f"{what} is a Spark DataFrame, whose rows have no fixed order; collect all columns at once, table = "
            f"df.toPandas() (or df.toArrow()), and pass its columns, as in {variable(what)}=table['name']."
        )
    if hasattr(data, "alias") and hasattr(data, "cast"):
        raise InputError(
            f"{what} is a Spark Column, which holds no data; collect the DataFrame, table = df.toPandas(), and pass "
            f"{variable(what)}=table['name']."
        )
    return data


def refuse_evaluation(data: Any, what: str) -> Any:
    """It would be read as the names of its measures."""
    if hasattr(data, "findings"):
        labels = "predicted labels (of probabilities p: np.array(e.classes)[p.argmax(axis=1)])"
        given = what.startswith(("y_true", "y_proba", "y_score", "sample_weight", "ids"))
        raise InputError(
            f"{what} is {type_words(data)}, which is no column; pass {'what it was made of' if given else labels}, or "
            "compare evaluations as they are: karat.compare({name: evaluation, ...})."
        )
    return data


def _cupy(data: Any, what: str) -> Any:
    raise InputError(f"{what} is {type_words(data)} of cupy, on the GPU; pass {variable(what)}.get().")


def _pandas(data: Any, what: str) -> Any:
    """Columns, tables, indexes, bare arrays."""
    if getattr(data, "nlevels", 1) > 1:
        raise ShapeError(f"{what} is a MultiIndex; pass one of its levels, as in {variable(what)}.get_level_values(0).")
    if not hasattr(data, "__len__") or not hasattr(data, "isna"):
        raise InputError(f"{what} is {type_words(data)}; pass a column, as in table['name'].")
    return data


def _polars(data: Any, what: str) -> Any:
    if hasattr(data, "over") and not hasattr(data, "to_list"):
        raise InputError(
            f"{what} is {type_words(data)}, which holds no data; select it from its table: df.select({variable(what)})."
        )
    return data


LIBRARIES: Mapping[str, Callable[[Any, str], Any]] = {
    "cupy": _cupy,
    "dask": _dask,
    "dask_expr": _dask,
    "karat": refuse_evaluation,
    "pandas": _pandas,
    "polars": _polars,
    "pyspark": _spark,
    "torch": _torch,
    "xarray": _xarray,
}
"""By the module of a type."""
