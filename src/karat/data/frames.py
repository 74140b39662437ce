"""Arrays out of whatever holds them: numpy, lists, pandas, polars, pyarrow and all that speaks the Arrow protocol."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from karat.data.errors import InputError, LabelError, ShapeError

Array = NDArray[Any]


def _native_frame(data: Any) -> Any:
    """The narwhals view of a data frame or series, or None if it is neither."""
    if isinstance(data, np.ndarray | list | tuple | range):
        return None
    import narwhals.stable.v1 as nw

    view = nw.from_native(data, allow_series=True, pass_through=True)
    if isinstance(view, nw.LazyFrame):
        return view.collect()
    if isinstance(view, nw.DataFrame | nw.Series):
        return view
    if hasattr(data, "__arrow_c_stream__") or hasattr(data, "__arrow_c_array__"):
        import pyarrow as pa

        if hasattr(data, "__arrow_c_array__") and not hasattr(data, "schema"):
            return nw.from_native(pa.chunked_array([pa.array(data)]), series_only=True)
        return nw.from_native(pa.table(data))
    return None


def column(data: Any, what: str) -> tuple[Array, list[Any] | None]:
    """One value for each case, and the declared categories if the column has them (pandas Categorical, polars Enum)."""
    view = _native_frame(data)
    categories = None
    if view is not None:
        import narwhals.stable.v1 as nw

        if isinstance(view, nw.DataFrame):
            if view.shape[1] != 1:
                raise ShapeError(
                    f"{what} is a table with {view.shape[1]} columns; give the one column that holds it, as in "
                    f"table[{view.columns[0]!r}]."
                )
            view = view[view.columns[0]]
        if view.null_count():
            raise InputError(
                f"{what} has {view.null_count()} missing values among {len(view)}; remove or fill those cases, "
                "karat drops nothing."
            )
        dtype = view.dtype
        if isinstance(dtype, nw.Enum) or (dtype == nw.Categorical and "pandas" in type(view.to_native()).__module__):
            categories = view.cat.get_categories().to_list()
            array = np.array(view.cast(nw.String).to_list() if _all_text(categories) else view.to_list(), dtype=object)
        elif dtype in (nw.String, nw.Categorical):
            array = np.array(view.cast(nw.String).to_list(), dtype=object)
        else:
            array = np.asarray(view.to_numpy())
    elif isinstance(data, np.ndarray):
        array = data
    elif isinstance(data, str | bytes) or not hasattr(data, "__iter__"):
        raise ShapeError(f"{what} is a {type(data).__name__}; give one value for each case (list, array or column).")
    else:
        array = _from_list(list(data), what)
    if array.ndim != 1:
        raise ShapeError(f"{what} has the shape {array.shape}; give one value for each case, of shape (n,).")
    return array, categories


def _all_text(values: list[Any]) -> bool:
    return all(isinstance(v, str) for v in values)


def _from_list(values: list[Any], what: str) -> Array:
    kinds = {_kind(type(v)) for v in values}
    if len(kinds) > 1:
        raise LabelError(f"{what} mixes {' and '.join(sorted(kinds))}; give values of one type, for example all str.")
    if kinds <= {"int", "float", "bool"}:
        return np.asarray(values)
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
    if issubclass(kind, str):
        return "str"
    return kind.__name__


def kinds_of(array: Array) -> set[str]:
    """The types of the values in an object array."""
    return {_kind(t) for t in set(map(type, array.tolist()))}


def numbers(data: Any, what: str) -> tuple[Array, list[Any] | None]:
    """A float64 array of one or two dimensions, and the column names if it came as a table."""
    view = _native_frame(data)
    names: list[Any] | None = None
    if view is not None:
        import narwhals.stable.v1 as nw

        if isinstance(view, nw.DataFrame):
            native = view.to_native()
            names = list(getattr(native, "columns", view.columns)) if hasattr(native, "iloc") else list(view.columns)
            for name in view.columns:
                if not view[name].dtype.is_numeric():
                    raise InputError(
                        f"column {name!r} of {what} holds {view[name].dtype}, not numbers; leave it out or convert it."
                    )
                if view[name].null_count():
                    raise InputError(f"column {name!r} of {what} has missing values; fill or remove those cases.")
        elif view.null_count():
            raise InputError(f"{what} has {view.null_count()} missing values; fill or remove those cases.")
        data = view.to_numpy()
    try:
        array = np.asarray(data)
        if array.dtype == object or array.dtype.kind in "US":
            if array.dtype.kind in "US" or kinds_of(array.ravel()) - {"int", "float", "bool"}:
                raise ValueError
        elif array.dtype.kind not in "biuf":
            raise ValueError
        array = np.ascontiguousarray(array, dtype=np.float64)
    except (ValueError, TypeError):
        raise InputError(
            f"{what} is not a table of numbers (rows of one length, one column for each class); give floats."
        ) from None
    return array, names
