"""Arrays out of whatever holds them: numpy, lists, pandas, polars, pyarrow and all that speaks the Arrow protocol."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from karat import kernels
from karat.core.arithmetic import Array
from karat.core.errors import InputError, LabelError, ShapeError, option, quoted, type_words
from karat.data.containers import as_array, is_of_pandas, readable, speaks_arrow, unreadable, variable

EPSILON = float(np.finfo(np.float64).eps)
LARGEST_EXACT_WHOLE = 2.0**53
"""Above this, not every whole number is a float."""


def _frame(data: Any, what: str) -> Any:
    """The narwhals view of a data frame or series, or None if it is neither."""
    if isinstance(data, np.ndarray | list | tuple):
        return None
    try:
        return _view(data)
    except Exception as trouble:  # of any library, lazy ones too
        raise unreadable(data, what, trouble) from None


def _view(data: Any) -> Any:
    import narwhals.stable.v1 as nw

    if is_of_pandas(data) and not hasattr(data, "iloc"):  # a bare array of pandas, or an index
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
    if speaks_arrow(data):
        import pyarrow as pa

        try:
            return nw.from_native(pa.table(data))
        except (pa.ArrowInvalid, NotImplementedError, TypeError, ValueError):
            whole = (
                pa.chunked_array(data) if hasattr(data, "__arrow_c_stream__") else pa.chunked_array([pa.array(data)])
            )
            return nw.from_native(whole, series_only=True)
    return None


class Coded(NamedTuple):
    """A column of texts, as the place of each case's text among some that are held once."""

    texts: list[Any]
    """perhaps more than occur, in any order"""
    codes: Array
    """[n] places among them"""


def column(data: Any, what: str, expected: str = "one label for each case") -> tuple[Array, list[Any] | None]:
    """One value for each case, and the declared categories if the column has them (pandas Categorical, polars Enum)."""
    found, categories = coded_column(data, what, expected)
    return objects(found.texts)[found.codes] if isinstance(found, Coded) else found, categories


def coded_column(
    data: Any, what: str, expected: str = "one label for each case"
) -> tuple[Array | Coded, list[Any] | None]:
    """`column`, texts coded where their container has, or soon makes, a dictionary of them."""
    if type(data) is np.ndarray and data.ndim == 1:
        return data, None
    data = readable(data, what, expected)
    if _is_plain_pandas(data, "biu") and data.ndim == 1:
        return data.to_numpy(), None
    view = _frame(data, what)
    categories = None
    if view is not None:
        found, categories = _column_of_frame(data, view, what)
        if isinstance(found, Coded):
            return found, categories
        array = found
    elif isinstance(data, np.ndarray):
        array = data
    else:
        array = _from_list(list(data), what)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        raise ShapeError(_not_one_column(array, what, expected))
    return array, categories


def _not_one_column(array: Array, what: str, expected: str) -> str:
    """What to do with something of another shape: a single value, a row, one-hot labels, probabilities."""
    it = variable(what)
    if array.ndim == 0:
        return f"{what} is a single value, {quoted([array.item()])}; give {expected}, as a list, an array or a column."
    if array.ndim == 2 and len(array) == 1 != array.shape[1]:
        return f"{what} is one row of {array.shape[1]} values; give {expected}, of shape (n,): pass {it}.ravel()."
    has = f"{what} has the shape {array.shape}"
    if array.ndim == 2 and array.size and array.dtype.kind in "biuf":
        if _is_one_hot(array):
            return f"{has}, one column for each class; pass the class of each case: {it}.argmax(axis=1)."
        if ((array == 0) | (array == 1)).all():
            return f"{has}, one column for each label; evaluate the labels one at a time: {it}[:, 0]."
        if array.dtype.kind == "f" and (array != np.floor(array)).any():
            remedy = f"pass probabilities as {option('y_proba')}" if what == "y_pred" else "pass labels"
            remedy = f"pass labels first, and probabilities as {option('y_proba')}" if what == "y_true" else remedy
            return f"{has} and holds real numbers; give {expected}, of shape (n,): {remedy}."
        if what == "y_true" and array.shape[0] == array.shape[1]:
            return f"{has}; give {expected}, of shape (n,), or a confusion matrix to karat.evaluate_matrix."
    return f"{has}; give {expected}, of shape (n,)."


def plain_values(data: Any, what: str, expected: str) -> list[Any]:
    """One value for each case, as Python has them, missing ones too."""
    data = readable(data, what, expected)
    view = _frame(data, what)
    if view is not None:
        import narwhals.stable.v1 as nw

        view = _only_column(data, view, what) if isinstance(view, nw.DataFrame) else view
        return list(view.to_list())
    if isinstance(data, np.ndarray):
        if data.ndim == 2 and data.shape[1] == 1:
            data = data[:, 0]
        if data.ndim != 1:
            raise ShapeError(f"{what} has the shape {data.shape}; give {expected}, of shape (n,).")
    values = data.tolist() if isinstance(data, np.ndarray) else list(data)
    return [value.item() if isinstance(value, np.generic) else value for value in values]


def is_missing(value: Any) -> bool:
    """None, nan, and what pandas writes for them."""
    return (
        value is None or type(value).__name__ in ("NAType", "NaTType") or (isinstance(value, float) and value != value)
    )


def _only_column(data: Any, view: Any, what: str) -> Any:
    """The column of a table that has but one."""
    if view.shape[1] == 1:
        return view[view.columns[0]]
    name = _names(data, view)[0] if view.shape[1] else ""
    has = f"{what} is a table with {view.shape[1]} columns"
    if view.shape[1] and hasattr(data, "idxmax") and _is_one_hot(view.to_numpy()):
        raise ShapeError(f"{has}, one for each class; pass the class of each case: {variable(what)}.idxmax(axis=1).")
    probabilities = f" (and probabilities as {option('y_proba')})" if what == "y_pred" else ""
    raise ShapeError(f"{has}; pass one of them, as in table[{name!r}]{probabilities}.")


def _is_one_hot(array: Array) -> bool:
    """A one in each row, and else zeros?"""
    if array.dtype.kind not in "biuf" or not array.size:
        return False
    return bool(((array == 0) | (array == 1)).all() and (array.sum(axis=1) == 1).all())


FEW_TEXTS = 4096
"""Up to so many texts are coded one by one: that is done before another library has been asked to."""


def _column_of_frame(data: Any, view: Any, what: str) -> tuple[Array | Coded, list[Any] | None]:
    import narwhals.stable.v1 as nw

    if isinstance(view, nw.DataFrame):
        view = _only_column(data, view, what)
    native = view.to_native()
    if str(getattr(native, "dtype", "")) == "object" and (coded := _coded_objects(native)) is not None:
        return coded, None
    if missing := _missing(view):
        raise InputError(f"{what} has {missing} missing values among {len(view)}; fill or remove those cases first.")
    dtype = view.dtype
    if dtype == nw.Categorical and (dictionary := _dictionary(native)) is not None:
        plain, categories = dictionary
        return _column_of_frame(plain, nw.from_native(plain, series_only=True), what)[0], categories
    if dtype in (nw.Int128, nw.UInt128):  # numpy has none
        return objects(view.to_list()), None
    declared = None
    if isinstance(dtype, nw.Enum) or (dtype == nw.Categorical and "pandas" in type(native).__module__):
        declared = view.cat.get_categories().to_list()
        if hasattr(native, "cat") and hasattr(native.cat, "codes"):
            return objects(declared)[native.cat.codes.to_numpy()], declared
    if dtype in (nw.String, nw.Categorical) or declared is not None:
        if len(view) > FEW_TEXTS:
            return _coded_by_arrow(native), declared
        return objects(view.cast(nw.String).to_list()), declared
    return np.asarray(view.to_numpy()), None


def _coded_objects(native: Any) -> Coded | None:
    """A column of Python's objects; None unless all are texts."""
    coded = kernels.object_classes(np.ascontiguousarray(native.to_numpy()))
    return None if coded is None or coded[2] != {str} else Coded(*coded[:2])


def _coded_by_arrow(native: Any) -> Coded:
    """A column of texts that pandas, polars or Arrow holds; of those that are missing the place is that of None."""
    import pyarrow as pa

    if not isinstance(native, pa.ChunkedArray):
        native = pa.chunked_array([native.to_arrow() if hasattr(native, "to_arrow") else pa.array(native)])
    if pa.types.is_dictionary(native.type):
        native = native.unify_dictionaries()
    else:
        native = native.dictionary_encode()
    texts = native.chunk(0).dictionary.to_pylist()
    missing = len(texts) if native.null_count else None
    parts = (part.indices if missing is None else part.indices.fill_null(missing) for part in native.chunks)
    return Coded(texts if missing is None else [*texts, None], np.concatenate([part.to_numpy() for part in parts]))


def coded_texts(data: Any, what: str) -> Coded | None:
    """Texts, as numpy or another library holds them, of which some may be missing; None of anything else."""
    if isinstance(data, np.ndarray):
        if data.ndim != 1 or data.dtype.kind != "U" or not data.size:
            return None
        firsts, codes = kernels.text_classes(np.ascontiguousarray(data))
        return Coded(data[firsts].tolist(), codes)
    view = _frame(data, what)
    if view is None or getattr(view, "ndim", 1) != 1 or len(view) <= FEW_TEXTS:
        return None
    import narwhals.stable.v1 as nw

    native = view.to_native()
    objects_of_python = str(getattr(native, "dtype", "")) == "object"
    texts = view.dtype in (nw.String, nw.Categorical) or isinstance(view.dtype, nw.Enum)
    return None if objects_of_python or not texts else _coded_by_arrow(native)


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


def from_plain_list(values: Any) -> Any:
    """A list of whole numbers, or of floats, as an array, at once; whatever else it is, as it is."""
    array = kernels.plain_list(values) if type(values) is list else None
    return values if array is None else array


def _from_list(values: list[Any], what: str) -> Array:
    kinds = {kind_of(t) for t in set(map(type, values))}
    if "NoneType" in kinds:
        raise LabelError(f"{what} has missing labels (None); fill or remove those cases first.")
    if kinds - PLAIN_KINDS:
        values = [v.item() if getattr(v, "ndim", None) == 0 and hasattr(v, "item") else v for v in values]
        kinds = {kind_of(type(v)) for v in values}
        if any(hasattr(v, "__len__") and not isinstance(v, str | bytes) for v in values):
            return _from_rows(values, what)
    if len(kinds) > 1:
        raise LabelError(f"{what} mixes {' and '.join(sorted(kinds))}; give values of one type, for example all str.")
    if kinds <= {"float", "bool"}:
        return np.asarray(values)
    if kinds == {"int"}:
        array = np.asarray(values)
        if array.dtype.kind == "i" or all(-(2**63) <= v < 2**63 for v in values):
            return array
    return objects(values)


def _from_rows(values: list[Any], what: str) -> Array:
    """Of a list of lists or arrays: a table, if its rows have one length."""
    if any(isinstance(v, Mapping | set | frozenset) for v in values):
        raise LabelError(f"{what} holds {type_words(values[0])} for each case; give one str, int or bool for each.")
    lengths = {len(v) if hasattr(v, "__len__") else -1 for v in values}
    if len(lengths) > 1:
        raise ShapeError(
            f"{what} is a list of parts of different lengths; give one value for each case: "
            f"np.concatenate({variable(what)}) joins batches."
        )
    return as_array(values, what)


def objects(values: list[Any]) -> Array:
    """An array of these, whatever they are."""
    out = np.empty(len(values), dtype=object)
    out[:] = values
    return out


def of_one_kind(values: list[Any]) -> Array:
    """An array of these: of numbers or truth values alone as numpy has them, else of objects."""
    array, kinds = objects(values), {type(value) for value in values}
    for kind in (int, float, bool):
        if kinds == {kind} and (kind is not int or all(abs(value) < 2**63 for value in values)):
            return array.astype(kind)
    return array


PLAIN_KINDS = {"bool", "int", "float", "str"}
NUMBER_KINDS = {"bool", "int", "float", "Decimal", "Fraction"}
"""Types of values that are labels, and numbers, as they stand."""


def kind_of(kind: type) -> str:
    """The name of a type of values; numpy's are called as Python's."""
    if issubclass(kind, bool | np.bool_):
        return "bool"
    if issubclass(kind, int | np.integer):
        return "int"
    if issubclass(kind, float | np.floating):
        return "float"
    return "str" if issubclass(kind, str) else kind.__name__


def kinds_of(array: Array) -> set[str]:
    """The types of the values in an object array."""
    return {kind_of(t) for t in set(map(type, array.tolist()))}


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
    values, names, _ = numbers_as_held(data, what, expected, only)
    return values.astype(np.float64, copy=False), names


def numbers_as_held(
    data: Any, what: str, expected: str = "a number for each case and class", only: Any = None
) -> tuple[Array, list[Any] | None, float]:
    """`numbers`, but float32 stays float32; and the machine epsilon of the type that held them."""
    if type(data) is np.ndarray and data.dtype in (np.float64, np.float32):
        return np.ascontiguousarray(data), None, float(np.finfo(data.dtype).eps)
    data = readable(data, what, expected)
    names: list[Any] | None = None
    if _is_plain_pandas(data, "f") and only is None and data.ndim == 2:
        names = list(data.columns)
        data, view = _plain_columns(data, names, what), None
    else:
        view = _frame(data, what)
    if view is not None:
        import narwhals.stable.v1 as nw

        if isinstance(view, nw.DataFrame):
            names, view = _numeric_columns(data, view, what, only)
        elif missing := _missing(view):
            raise InputError(f"{what} has {missing} missing values; fill or remove those cases first.")
        data = _stacked(view) if isinstance(view, nw.DataFrame) else view.to_numpy()
    values, epsilon = _as_floats(data, what, expected)
    return values, names, epsilon


FEW_COLUMNS = 8
"""So many are put side by side faster one by one than as a whole that is then turned."""


def _stacked(view: Any) -> Array:
    """The columns of a table side by side."""
    columns = [view[name].to_numpy() for name in view.columns] if len(view.columns) <= FEW_COLUMNS else []
    kinds = {column.dtype for column in columns}
    alike = len(kinds) == 1 and kinds <= {np.dtype(np.float64), np.dtype(np.float32)}
    return np.column_stack(columns) if alike else np.asarray(view.to_numpy())


def _is_plain_pandas(data: Any, kinds: str) -> bool:
    """Is it a column or table of pandas that numpy holds, in types of these kinds alone? Most are, and are read sooner
    without a view that is the same for all libraries."""
    if not hasattr(data, "iloc"):
        return False
    types = list(data.dtypes) if data.ndim == 2 else [data.dtype]
    return bool(types) and all(isinstance(held, np.dtype) and held.kind in kinds for held in types)


def _plain_columns(table: Any, names: list[Any], what: str) -> Array:
    """The columns of floats of a plain table of pandas, side by side."""
    refuse_repeated(names, what)
    columns = [table.iloc[:, i].to_numpy() for i in range(len(names))]
    for name, column in zip(names, columns, strict=True):
        if _nans(column):
            raise _missing_in(name, what)
    return np.column_stack(columns) if len(names) <= FEW_COLUMNS else np.asarray(table.to_numpy())


def _missing(series: Any) -> int:
    """How many values of a column are missing. Of pandas' columns that numpy holds, numpy says it sooner."""
    native = series.to_native()
    held = getattr(native, "dtype", None)
    if not isinstance(held, np.dtype) or held.kind not in "biuf":
        return int(series.null_count())
    return _nans(native.to_numpy()) if held.kind == "f" else 0


def _nans(column: Array) -> int:
    """How many values are nan: none, if the least is not (which is known sooner)."""
    least = column.min() if len(column) else 0.0
    return int(np.count_nonzero(np.isnan(column))) if least != least else 0


def _missing_in(name: Any, what: str) -> InputError:
    return InputError(f"column {quoted([name])} of {what} has missing values; fill or remove those cases first.")


def _is_half(series: Any) -> bool:
    """Is it a column of float16, which not every version of narwhals knows?"""
    native = series.to_native()
    return str(getattr(native, "type", getattr(native, "dtype", ""))) in ("halffloat", "float16")


def _numeric_columns(data: Any, view: Any, what: str, only: Any) -> tuple[list[Any], Any]:
    """The names of the columns, and a table that holds them alone, each of numbers."""
    names = _names(data, view)
    if only and all(name in names for name in only):
        kept = [i for i, name in enumerate(names) if name in only]
        names, view = [names[i] for i in kept], view.select([view.columns[i] for i in kept])
    refuse_repeated(names, what)
    if not names:
        raise ShapeError(f"{what} is a table without columns; give one column for each class.")
    for i, name in enumerate(names):
        series = view[view.columns[i]]
        if not (series.dtype.is_numeric() or str(series.dtype) == "Object" or _is_half(series)):
            raise InputError(
                f"column {quoted([name])} of {what} holds {series.dtype}, not numbers; leave it out or convert it."
            )
        if _missing(series):
            raise _missing_in(name, what)
    return names, view


def _as_floats(data: Any, what: str, expected: str) -> tuple[Array, float]:
    try:
        array = np.asarray(data)
    except ValueError:
        raise InputError(f"{what} is ragged; give {expected}, in rows of one length.") from None
    except Exception as trouble:
        raise unreadable(data, what, trouble) from None
    if array.dtype.kind not in "biuf" and not (array.dtype == object and kinds_of(array.ravel()) <= NUMBER_KINDS):
        raise InputError(_not_numbers(array, what, expected))
    try:
        floats = np.ascontiguousarray(array, dtype=np.float32 if array.dtype == np.float32 else np.float64)
    except (ValueError, TypeError, OverflowError):
        raise InputError(f"{what} can't be read as floats; give {expected}.") from None
    large = array.dtype.kind in "iu" and array.size > 0 and np.abs(floats).max() > LARGEST_EXACT_WHOLE
    with np.errstate(invalid="ignore"):
        inexact = large and (floats.astype(array.dtype) != array).any()
    if inexact:
        raise InputError(f"{what} holds whole numbers above 2^53, which are not exact as floats; divide or shift them.")
    return floats, float(np.finfo(array.dtype).eps) if array.dtype.kind == "f" else EPSILON


def _not_numbers(array: Array, what: str, expected: str) -> str:
    """What to do with texts, dates and whatever else is no number."""
    kinds = sorted(kinds_of(array.ravel())) if array.dtype == object else [str(array.dtype)]
    if "NoneType" in kinds:
        return f"{what} has missing values (None); fill or remove those cases first."
    if kinds == ["dict"]:
        return (
            f"{what} holds {{class: probability}}; evaluate one model at a time, by karat.evaluate(y_true, "
            f"{variable(what)}, rest='even'), or give a column for each class."
        )
    if kinds == ["str"] or array.dtype.kind in "UT":
        try:
            array.astype(object).astype(np.float64)
        except ValueError:
            labels = what == "y_proba" and array.ndim == 1
            remedy = f"pass predicted labels as {option('y_pred')}" if labels else f"give {expected}, as floats"
            return f"{what} holds texts ({quoted(array.ravel()[:3].tolist())}), not numbers; {remedy}."
        return (
            f"{what} holds numbers as texts; convert them to floats, for example by np.array({variable(what)}, float)."
        )
    return f"{what} holds {', '.join(kinds)}, not numbers; give {expected}, as floats."


def named_columns(table: Any, what: str) -> dict[Any, Any]:
    """The columns of a table by name, each ready for `column` or `numbers`: of a data frame, or a dict of columns."""
    if isinstance(table, Mapping):
        return dict(table)
    import narwhals.stable.v1 as nw

    table = readable(table, what, "a data frame (pandas, polars, Arrow) or a dict of columns")
    view = _frame(table, what)
    if not isinstance(view, nw.DataFrame):
        raise ShapeError(
            f"{what} is {type_words(table)}; give a data frame (pandas, polars, Arrow) or a dict of columns."
        )
    names = _names(table, view)
    refuse_repeated(names, what)
    return {name: view[view.columns[i]].to_native() for i, name in enumerate(names)}
