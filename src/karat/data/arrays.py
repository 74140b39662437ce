"""Arrays out of whatever holds them: numpy, lists, pandas, polars, pyarrow and all that speaks the Arrow protocol."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

import numpy as np

from karat.core.arithmetic import Array
from karat.core.errors import InputError, LabelError, ShapeError, option, quoted

LARGEST_EXACT_WHOLE = 2.0**53
"""Above this, not every whole number is a float."""


def _refuse_strange(data: Any, what: str, expected: str) -> None:
    """What could be iterated over but would not mean what it says."""
    known = hasattr(data, "__array__") or hasattr(data, "collect") or _speaks_arrow(data)
    if not known and (isinstance(data, str | bytes | dict | set | frozenset) or not hasattr(data, "__iter__")):
        raise ShapeError(f"{what} is a {type(data).__name__}; give {expected}, as a list, an array or a column.")
    if hasattr(data, "nnz") and hasattr(data, "toarray"):
        raise ShapeError(f"{what} is a sparse {type(data).__name__}; give a dense array, for example by .toarray().")
    if isinstance(data, np.ma.MaskedArray) and np.ma.is_masked(data):
        raise InputError(f"{what} has masked values; fill or remove those cases, karat drops nothing.")


def _speaks_arrow(data: Any) -> bool:
    return hasattr(data, "__arrow_c_stream__") or hasattr(data, "__arrow_c_array__")


def _frame(data: Any) -> Any:
    """The narwhals view of a data frame or series, or None if it is neither."""
    if isinstance(data, np.ndarray | list | tuple | range):
        return None
    import narwhals.stable.v1 as nw

    if hasattr(data, "categories") and hasattr(data, "codes"):  # a bare pandas Categorical
        data = importlib.import_module("pandas").Series(data)
    if hasattr(data, "iloc") and getattr(data, "ndim", 0) == 2:  # any column names, also numbers and repeated ones
        data = data.set_axis([str(i) for i in range(data.shape[1])], axis=1)
    if type(data).__name__ == "RecordBatch" and type(data).__module__.startswith("pyarrow"):
        data = importlib.import_module("pyarrow").Table.from_batches([data])
    view = nw.from_native(data, allow_series=True, pass_through=True)
    if isinstance(view, nw.LazyFrame):
        return view.collect()
    if isinstance(view, nw.DataFrame | nw.Series):
        return view
    if _speaks_arrow(data):
        import pyarrow as pa

        try:
            return nw.from_native(pa.table(data))
        except (pa.ArrowInvalid, NotImplementedError, TypeError, ValueError):
            whole = (
                pa.chunked_array(data) if hasattr(data, "__arrow_c_stream__") else pa.chunked_array([pa.array(data)])
            )
            return nw.from_native(whole, series_only=True)
    return None


def column(data: Any, what: str, expected: str = "one value for each case") -> tuple[Array, list[Any] | None]:
    """One value for each case, and the declared categories if the column has them (pandas Categorical, polars Enum)."""
    if type(data) is np.ndarray and data.ndim == 1:
        return data, None
    _refuse_strange(data, what, expected)
    view = _frame(data)
    categories = None
    if view is not None:
        array, categories = _column_of_frame(data, view, what)
    elif hasattr(data, "__array__"):
        array = np.asarray(data)
    else:
        array = _from_list(list(data), what)
    if array.ndim != 1:
        hint = " (of a one-hot table that is .argmax(axis=1))" if array.ndim == 2 and array.shape[1] > 1 else ""
        raise ShapeError(f"{what} has the shape {array.shape}; give {expected}, of shape (n,){hint}.")
    return array, categories


def plain_values(data: Any, what: str, expected: str) -> list[Any]:
    """One value for each case, as Python has them, missing ones too."""
    _refuse_strange(data, what, expected)
    view = _frame(data)
    if view is not None:
        import narwhals.stable.v1 as nw

        view = _only_column(data, view, what) if isinstance(view, nw.DataFrame) else view
        return list(view.to_list())
    values = data.tolist() if isinstance(data, np.ndarray) else list(data)
    return [value.item() if isinstance(value, np.generic) else value for value in values]


def is_missing(value: Any) -> bool:
    """None, nan, and what pandas writes for them."""
    return (
        value is None or type(value).__name__ in ("NAType", "NaTType") or (isinstance(value, float) and value != value)
    )


def _only_column(data: Any, view: Any, what: str) -> Any:
    """The column of a table that has but one."""
    if view.shape[1] != 1:
        name = _names(data, view)[0] if view.shape[1] else ""
        raise ShapeError(
            f"{what} is a table with {view.shape[1]} columns; give the one that holds it, as in table[{name!r}]."
        )
    return view[view.columns[0]]


def _column_of_frame(data: Any, view: Any, what: str) -> tuple[Array, list[Any] | None]:
    import narwhals.stable.v1 as nw

    if isinstance(view, nw.DataFrame):
        view = _only_column(data, view, what)
    if view.null_count():
        raise InputError(
            f"{what} has {view.null_count()} missing values among {len(view)}; remove or fill those cases, "
            "karat drops nothing."
        )
    dtype = view.dtype
    if dtype == nw.Categorical and (coded := _dictionary(view.to_native())) is not None:
        plain, categories = coded
        return _column_of_frame(plain, nw.from_native(plain, series_only=True), what)[0], categories
    if dtype in (nw.Int128, nw.UInt128):  # numpy has none
        return objects(view.to_list()), None
    if isinstance(dtype, nw.Enum) or (dtype == nw.Categorical and "pandas" in type(view.to_native()).__module__):
        categories = view.cat.get_categories().to_list()
        return objects(view.to_list()), categories
    if dtype in (nw.String, nw.Categorical):
        return objects(view.cast(nw.String).to_list()), None
    return np.asarray(view.to_numpy()), None


def _dictionary(native: Any) -> tuple[Any, list[Any] | None] | None:
    """The values of an Arrow dictionary column, and if it says that they have an order, all of them in it; None for
    columns of any other kind."""
    import pyarrow as pa

    if not isinstance(native, pa.ChunkedArray):
        if "pyarrow" not in str(getattr(native, "dtype", "")):  # pandas can hold Arrow columns
            return None
        native = pa.chunked_array([pa.array(native)])
    if not pa.types.is_dictionary(native.type):
        return None
    plain = pa.chunked_array([part.dictionary_decode() for part in native.chunks], native.type.value_type)
    if not native.type.ordered:
        return plain, None
    return plain, native.unify_dictionaries().chunk(0).dictionary.to_pylist()


def _from_list(values: list[Any], what: str) -> Array:
    kinds = {_kind(type(v)) for v in values}
    if "NoneType" in kinds:
        raise LabelError(f"{what} has missing labels (None); remove or fill those cases, karat drops nothing.")
    if len(kinds) > 1:
        raise LabelError(f"{what} mixes {' and '.join(sorted(kinds))}; give values of one type, for example all str.")
    if kinds <= {"float", "bool"} or (kinds == {"int"} and all(-(2**63) <= v < 2**63 for v in values)):
        return np.asarray(values)
    return objects(values)


def objects(values: list[Any]) -> Array:
    """An array of these, whatever they are."""
    out = np.empty(len(values), dtype=object)
    out[:] = values
    return out


def _kind(kind: type) -> str:
    if issubclass(kind, bool | np.bool_):
        return "bool"
    if issubclass(kind, int | np.integer):
        return "int"
    if issubclass(kind, float | np.floating):
        return "float"
    return "str" if issubclass(kind, str) else kind.__name__


def kinds_of(array: Array) -> set[str]:
    """The types of the values in an object array."""
    return {_kind(t) for t in set(map(type, array.tolist()))}


def _names(data: Any, view: Any) -> list[Any]:
    """The names of the columns, as they are."""
    return list(data.columns) if hasattr(data, "iloc") else list(view.columns)


def refuse_repeated(names: list[Any], what: str) -> None:
    """Each column has a name of its own."""
    twice = [name for name in dict.fromkeys(names) if names.count(name) > 1]
    if twice:
        raise InputError(f"{what} has more than one column named {quoted(twice)}; name each column once.")


def numbers(
    data: Any, what: str, expected: str = "a number for each case and class", only: Any = None
) -> tuple[Array, list[Any] | None]:
    """A float64 array, and the column names if it came as a table; of the columns named in `only`, if that is said."""
    if type(data) is np.ndarray and data.dtype == np.float64:
        return np.ascontiguousarray(data), None
    _refuse_strange(data, what, expected)
    view = _frame(data)
    names: list[Any] | None = None
    if view is not None:
        import narwhals.stable.v1 as nw

        if isinstance(view, nw.DataFrame):
            names = _names(data, view)
            if only and all(name in names for name in only):
                kept = [i for i, name in enumerate(names) if name in only]
                names, view = [names[i] for i in kept], view.select([view.columns[i] for i in kept])
            refuse_repeated(names, what)
            for i, name in enumerate(names):
                series = view[view.columns[i]]
                if not series.dtype.is_numeric():
                    raise InputError(
                        f"column {quoted([name])} of {what} holds {series.dtype}, not numbers; leave it out or convert."
                    )
                if series.null_count():
                    raise InputError(
                        f"column {quoted([name])} of {what} has missing values; fill or remove those cases."
                    )
        elif view.null_count():
            raise InputError(f"{what} has {view.null_count()} missing values; fill or remove those cases.")
        data = view.to_numpy()
    return _as_floats(data, what, expected), names


def _as_floats(data: Any, what: str, expected: str) -> Array:
    try:
        array = np.asarray(data)
    except ValueError:
        raise InputError(f"{what} is ragged; give {expected}, in rows of one length.") from None
    texts = array.dtype.kind in "USMmV" or (
        array.dtype == object and kinds_of(array.ravel()) - {"int", "float", "bool"}
    )
    if texts or array.dtype.kind == "c":
        kinds = ", ".join(sorted(kinds_of(array.ravel()))) if array.dtype == object else str(array.dtype)
        hint = f" (decided labels go to {option('y_pred')})" if what == "y_proba" else ""
        raise InputError(f"{what} holds {kinds}, not numbers; give {expected}, as floats{hint}.")
    try:
        floats = np.ascontiguousarray(array, dtype=np.float64)
    except (ValueError, TypeError, OverflowError):
        raise InputError(f"{what} can't be read as floats; give {expected}.") from None
    large = array.dtype.kind in "iu" and array.size > 0 and np.abs(floats).max() > LARGEST_EXACT_WHOLE
    if large and (floats.astype(array.dtype) != array).any():
        raise InputError(f"{what} holds whole numbers above 2^53, which floats can't tell apart; divide or shift them.")
    return floats


def named_columns(table: Any, what: str) -> dict[Any, Any]:
    """The columns of a table by name, each ready for `column` or `numbers`: of a data frame, or a dict of columns."""
    if isinstance(table, Mapping):
        return dict(table)
    import narwhals.stable.v1 as nw

    view = None if isinstance(table, str | bytes) else _frame(table)
    if not isinstance(view, nw.DataFrame):
        raise ShapeError(
            f"{what} is a {type(table).__name__}; give a data frame (pandas, polars, Arrow) or a dict of columns."
        )
    names = _names(table, view)
    refuse_repeated(names, what)
    return {name: view[view.columns[i]].to_native() for i, name in enumerate(names)}
