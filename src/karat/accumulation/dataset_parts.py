"""Parts of a dataset, read into an accumulator; what is wrong with a row of them is said with its place."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.accumulation.accumulator import Accumulator
from karat.accumulation.dataset_files import ipc_batches, is_ipc, json_batches, lists_json, refuse_unreadable_json
from karat.accumulation.group_states import GroupsOfFile
from karat.accumulation.rows_read import OverBudgetError, Skipped
from karat.core.arithmetic import Array
from karat.core.errors import InputError, LabelError, option, quoted
from karat.data.arrow_readers import validated
from karat.data.border import SUM_TOLERANCE
from karat.data.coded_values import CodedValues
from karat.data.files import as_written, encoded, first_line, plain_numbers, values_of
from karat.data.labels import MISSING
from karat.data.top_rows import RowFault, TopRows, faults_of_top, rows_of, rows_of_lists

if TYPE_CHECKING:
    import pyarrow as pa

BATCH = 1 << 20
"""Rows that are read at a time."""
STOP, COUNT = "stop", "count"
"""What is done about rows and parts that can't be read: nothing is left out, or they are counted and left out."""


@dataclass(frozen=True)
class ReadColumns:
    """Which columns are read, and what they are."""

    truth: str
    proba: tuple[str, ...]
    """of each class in their order, or of the positive one of two"""
    decided: str | None
    weight: str | None
    labels: tuple[Any, ...]
    positive: Any
    reader: Any = None
    """what makes labels of texts, in files without types"""
    ids: str | None = None
    models: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """names of several models, and the columns of each; `proba` has all of them"""
    by: tuple[str, ...] = ()
    """columns of groups, in which values may be missing"""
    untyped: bool = False
    """are their values texts, which get a type when all are known?"""
    top: tuple[str, ...] = ()
    """a column of {class: p}, or one of lists of classes and one of their probabilities, instead of `proba`"""
    rest: str | None = None
    """what is supposed of classes that are not listed"""

    @property
    def names(self) -> list[str]:
        """All that are read."""
        return [*self.needed, *(name for name in self.by if name not in self.needed)]

    @property
    def needed(self) -> list[str]:
        """Those in which no value may be missing."""
        others = (self.decided, self.weight, self.ids)
        return [self.truth, *self.proba, *self.top, *(name for name in others if name is not None)]

    @property
    def tables(self) -> list[tuple[str, ...]]:
        """The columns of each model."""
        return [columns for _, columns in self.models] or [self.proba]


@dataclass(frozen=True)
class DatasetPart:
    """A part of a dataset that is read as a whole: a row group of Parquet, or another file."""

    fragment: Any
    path: str
    group: int | None = None
    """of Parquet"""
    first: int = 0
    """the place of its first row in the file"""
    number: int = 0
    """that of its first row among all"""
    rows: int | None = None
    """how many it has, if that is known"""
    partition: Mapping[str, Any] = field(default_factory=dict)
    """columns that are known from the path, and their types"""
    refused: str = ""
    """why it is not given to Arrow, which might end the process on it"""

    @property
    def where(self) -> str:
        """File and row group, for messages."""
        return self.path if self.group is None else f"{self.path}, row group {self.group}"

    def batches(self, columns: Any, where: Any = None) -> Iterator[pa.RecordBatch]:
        """Its rows, validated, with the types that this file has: those of another file would be forced upon it."""
        try:
            if self.refused:
                raise InputError(self.refused)
            refuse_unreadable_json(self.fragment, self.path)
            yield from self._batches(columns, where)
        except InputError:
            raise
        except MemoryError:
            raise InputError(f"{self.where} takes more memory than there is; give smaller row groups.") from None
        except Exception as trouble:  # each reader of Arrow has its own ways to fail
            raise InputError(f"{self.where} can't be read: {first_line(trouble)}.") from None

    def _batches(self, columns: Any, where: Any) -> Iterator[pa.RecordBatch]:
        schema = self.fragment.physical_schema
        for name in columns if isinstance(columns, list) else ():
            if name not in schema.names and name not in self.partition:
                raise InputError(
                    f"{self.path} has no column {name!r}, as other files have; its columns are "
                    f"{quoted(schema.names, 12)}: give it that column, or leave the file out."
                )
        for name, kind in self.partition.items():
            schema = schema if name in schema.names else schema.append(_field(name, kind))
        asked = {"columns": columns, "filter": where, "batch_size": BATCH}
        if isinstance(columns, list) and lists_json(self.fragment, columns):
            for batch in json_batches(self.fragment, columns):
                yield from batch.scanner(**asked).to_batches()
            return
        if is_ipc(self.fragment):
            for batch in ipc_batches(self.fragment, self.partition, columns if where is None else None):
                yield from batch.scanner(**asked).to_batches()
            return
        for batch in self.fragment.to_batches(schema=schema, **asked):
            yield validated(batch)

    def size(self, columns: Sequence[str]) -> int:
        """Bytes of these columns where they lie, or of the file, if its columns do not lie apart."""
        if self.group is not None:
            about = self.fragment.metadata
            parts = map(about.row_group(self.group).column, range(about.num_columns))
            try:
                return sum(x.total_compressed_size for x in parts if x.path_in_schema.partition(".")[0] in columns)
            except UnicodeDecodeError:  # a damaged name, of which the reader has another
                return 0
        system = getattr(self.fragment, "filesystem", None)
        return 0 if system is None else int(system.get_file_info(self.path).size or 0)


@dataclass(frozen=True)
class Beginning:
    """How an accumulator begins, wherever it is."""

    columns: ReadColumns
    exact: Any
    memory: str | int
    paired: bool | None = None

    def __call__(self) -> Accumulator:
        return Accumulator(self.columns.labels, self.columns.positive, self.exact, self.memory, self.paired)


@dataclass(frozen=True)
class PartReader:
    """Reads parts of a dataset into an accumulator."""

    columns: ReadColumns
    where: Any
    begin: Beginning
    on_error: str = STOP

    def into(self, accumulator: Accumulator, part: DatasetPart) -> int:
        """Take in all rows of a part; how many they were."""
        rows = 0
        try:
            for batch in part.batches(self.columns.names, self.where):
                if batch.num_rows:
                    self._take(accumulator, batch, part, rows)
                    rows += batch.num_rows
        except InputError:
            raise
        except (OSError, ValueError, TypeError, NotImplementedError) as trouble:  # what Arrow raises for damaged files
            raise InputError(f"{part.where} can't be read: {first_line(trouble)}.") from None
        return rows

    def whole(self, part: DatasetPart) -> Accumulator:
        """An accumulator of one part; one that can't be read is left out as a whole, if that was asked for."""
        accumulator = self.begin()
        try:
            self.into(accumulator, part)
        except InputError as problem:
            if self.on_error != COUNT or isinstance(problem, OverBudgetError):
                raise
            accumulator = self.begin()
            accumulator.skipped = Skipped(part.rows or 0, 1, str(problem))
        return accumulator

    def state(self, parts: Sequence[DatasetPart]) -> bytes:
        """Some parts as the bytes of an accumulator, for who is elsewhere."""
        accumulator = self.begin()
        for part in parts:
            accumulator += self.whole(part)
        return accumulator.to_bytes()

    def _take(self, accumulator: Accumulator, batch: pa.RecordBatch, part: DatasetPart, before: int) -> None:
        try:
            for name in self.columns.needed:
                if batch.column(name).null_count:
                    raise InputError(f"column {name!r} has missing values; fill or remove those cases first.")
            accumulator.update(**self._given(batch, part), first_row=part.number + before)
        except InputError as problem:
            faults = list(faults_of(self.columns, batch))
            wrong = np.logical_or.reduce([mask for mask, _ in faults])
            if not wrong.any():
                raise type(problem)(f"{part.where}: {problem}") from None
            words = self._fault(faults, wrong, part, before)
            if self.on_error != COUNT:
                raise InputError(
                    f"{words}; correct or remove that row, or leave such rows out with {option('on_error', COUNT)}."
                ) from None
            accumulator.skipped += Skipped(int(wrong.sum()), 0, words)
            import pyarrow as pa

            sound = batch.filter(pa.array(~wrong))
            if sound.num_rows:
                accumulator.update(**self._given(sound, part), first_row=part.number + before)

    def _given(self, batch: pa.RecordBatch, part: DatasetPart) -> dict[str, Any]:
        """What an accumulator takes in; columns of nothing but 0 and 1 are probabilities, too, by their name."""
        columns = self.columns
        given: dict[str, Any] = {"y_true": self._labels(batch, columns.truth, part), "certain": True}
        if columns.models:
            given["y_proba"] = {name: _table(batch, own) for name, own in columns.models}
        elif columns.proba:
            given["y_proba"] = _table(batch, columns.proba)
        elif columns.top:
            given |= {"y_proba": listed_rows(batch, columns.top), "rest": columns.rest}
        if columns.ids is not None:
            given["ids"] = values_of(batch.column(columns.ids), columns.ids, part.where)
        if columns.decided is not None:
            given["y_pred"] = self._labels(batch, columns.decided, part)
        if columns.weight is not None:
            given["sample_weight"] = _real(batch.column(columns.weight), columns.weight)
        if columns.by:
            given["by"] = GroupsOfFile({name: _groups(batch.column(name), name, part) for name in columns.by})
            given["by"].untyped = columns.untyped
        return given

    def _labels(self, batch: pa.RecordBatch, name: str, part: DatasetPart) -> Any:
        import pyarrow as pa

        column = batch.column(name)
        if pa.types.is_integer(column.type):
            return plain_numbers(column)
        if self.columns.reader is None:
            return values_of(column, name, part.where)
        texts, places = encoded(column)
        try:
            values = [self.columns.reader(text) for text in texts]
        except ValueError:
            raise LabelError(f"{name} holds labels of several types.") from None
        out = np.empty(len(values), dtype=object)
        out[:] = values
        return out[places]

    def _fault(self, faults: list[RowFault], wrong: Array, part: DatasetPart, before: int) -> str:
        """What is wrong with the first row that something is wrong with, and where it is."""
        row = int(np.argmax(wrong))
        words = next(words for mask, words in faults if mask[row])
        return f"{part.where}, row {self._place(part, before + row):,} (the first is 0): {words(row)}"

    def _place(self, part: DatasetPart, taken: int) -> int:
        """The place in its file of the row that is this one among those that were asked for."""
        if self.where is None:
            return part.first + taken
        passed = 0
        for batch in part.batches({"asked": self.where}):
            places = np.flatnonzero(np.asarray(batch.column(0).fill_null(False)))
            if taken < len(places):
                return part.first + passed + int(places[taken])
            taken -= len(places)
            passed += batch.num_rows
        return part.first + passed


def _groups(column: Any, name: str, part: DatasetPart) -> CodedValues:
    """The distinct values of a column, None among them where some are missing, and the place of each row's."""
    import pyarrow as pa

    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    if pa.types.is_nested(kind) or pa.types.is_binary(kind) or pa.types.is_large_binary(kind):
        raise InputError(f"column {name!r} of {part.path} holds {kind}; give one value for each case.")
    column = column.cast(pa.string() if pa.types.is_string_view(kind) else kind)
    if pa.types.is_timestamp(kind):
        column = as_written(column).cast(pa.date32(), safe=False)
    coded = column.dictionary_encode(null_encoding="encode")
    return CodedValues(coded.dictionary.to_pylist(), plain_numbers(coded.indices))


def listed_rows(batch: Any, names: Sequence[str]) -> TopRows:
    """The most probable classes of each case, in one column or in two."""
    columns = [batch.column(name) for name in names]
    return rows_of(columns[0]) if len(columns) == 1 else rows_of_lists(*columns)


def _table(batch: Any, names: Sequence[str]) -> Any:
    """The probabilities in these columns."""
    columns = [_real(batch.column(name), name) for name in names]
    return columns[0] if len(columns) == 1 else np.column_stack(columns)


def _field(name: str, kind: Any) -> Any:
    import pyarrow as pa

    return pa.field(name, kind)


def _real(column: Any, name: str) -> Any:
    """A column of real numbers, in the precision that it has."""
    import pyarrow as pa

    if pa.types.is_floating(column.type):
        return plain_numbers(column)
    if not _is_real(column.type):
        raise InputError(f"column {name!r} holds {column.type}; give numbers.")
    return plain_numbers(column.cast(pa.float64()))


def _is_real(kind: Any) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_floating(kind) or pa.types.is_integer(kind) or pa.types.is_decimal(kind))


# ------------------------------------------------------------------------------------------------- faults


def faults_of(columns: ReadColumns, batch: pa.RecordBatch) -> Iterator[RowFault]:
    """All that is wrong with rows; asked for only after some were refused."""
    for name in columns.needed:
        yield np.asarray(batch.column(name).is_null()), partial(_absent, name)
    for name in columns.needed:
        if name in (columns.truth, columns.decided):
            yield _unknown(columns, batch.column(name), name)
    numbers = {name: _filled(batch.column(name), name) for name in (*columns.proba, columns.weight) if name}
    for name, x in numbers.items():
        yield _outside(name, x, *((math.inf, WEIGHT) if name == columns.weight else (1.0, PROBABILITY)))
    if columns.top and not any(batch.column(name).null_count for name in columns.top):
        listed = listed_rows(batch, columns.top)
        yield from faults_of_top(listed, listed.places(columns.labels), columns.labels, columns.rest)
    for own in columns.tables:
        if len(own) > 1:
            yield _uneven(np.column_stack([numbers[name] for name in own]))


def _uneven(table: Array) -> RowFault:
    sums = table.sum(axis=1, dtype=np.float64)
    with np.errstate(invalid="ignore"):
        uneven = np.abs(sums - 1) > max(SUM_TOLERANCE, math.sqrt(np.finfo(table.dtype).eps))
    return uneven, lambda row: f"the probabilities sum to {sums[row]:.6g}, not to 1"


def _absent(name: str, row: int) -> str:
    return f"column {name!r} has no value"


WEIGHT, PROBABILITY = "a weight of at least 0", "a probability in [0, 1]"


def _outside(name: str, x: Array, most: float, what: str) -> RowFault:
    wrong = ~(np.isfinite(x) & (x >= 0) & (x <= most))
    return wrong, lambda row: f"column {name!r} holds {x[row]}, which is not {what}"


def _filled(column: Any, name: str) -> Array:
    """Without missing values; what is no number at all is refused as a column, not row by row."""
    return np.asarray(_real(column.fill_null(0), name)) if _is_real(column.type) else np.zeros(len(column))


def _unknown(columns: ReadColumns, column: Any, name: str) -> RowFault:
    """Labels that are not among the classes, those that are missing aside."""
    import pyarrow as pa
    import pyarrow.compute as pc

    plain = column.dictionary_decode() if pa.types.is_dictionary(column.type) else column
    known = [v for v in pc.unique(plain).to_pylist() if v is None or _is_known(columns, v)]
    mask = ~np.asarray(pc.is_in(plain, value_set=pa.array(known, plain.type)))
    classes = quoted(columns.labels)
    return mask, lambda row: f"column {name!r} holds {plain[row].as_py()!r}, which is not among the classes {classes}"


def _is_known(columns: ReadColumns, value: Any) -> bool:
    if columns.reader is None:
        return value in columns.labels
    try:
        return value not in ({""} if columns.reader is str else MISSING) and columns.reader(value) in columns.labels
    except ValueError:
        return False


@dataclass
class Tally:
    """Rows that were read so far, by whatever threads, and who wants to know."""

    total: int | None
    progress: Callable[[int, int | None], None] | None
    rows: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, rows: int) -> None:
        """Some more."""
        with self.lock:
            self.rows += rows
            if self.progress is not None:
                self.progress(self.rows, self.total)
