"""`karat.accumulate`: files, folders and datasets, read part by part, by all cores."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

from karat.accumulation.accumulator import Accumulator, FilesRead
from karat.accumulation.checkpoints import Checkpoint
from karat.accumulation.cluster_tree import by_tree
from karat.accumulation.conditions import condition
from karat.accumulation.dataset_files import dataset_of
from karat.accumulation.dataset_parts import COUNT, STOP, Beginning, DatasetPart, PartReader, ReadColumns, Tally
from karat.core.errors import InputError, LabelError, option, quoted
from karat.core.validation import one_of
from karat.data.files import first_line
from karat.data.labels import MISSING, label_reader, typed
from karat.data.prediction_files import Names

if TYPE_CHECKING:
    import pyarrow.dataset as ds

WORTH_KEEPING = 16
"""Bytes that a row of unknown width may take, where it is asked whether all rows fit."""


def accumulate(
    source: Any,
    *,
    labels: Any = None,
    positive: Any = None,
    truth: str = "y_true",
    proba: str = "p_",
    pred: str | None = None,
    weight: str | None = None,
    where: Any = None,
    exact: Any = "auto",
    memory: str | int = "1GB",
    workers: int | None = None,
    executor: Executor | Any = None,
    filesystem: Any = None,
    progress: Callable[[int, int | None], None] | None = None,
    on_error: str = STOP,
    checkpoint: str | Path | None = None,
) -> Accumulator:
    """Accumulate the predictions in files, a folder or a dataset, whatever their number.

    Parameters
    ----------
    source : str, path, list of them, or pyarrow.dataset.Dataset
        Files (Parquet, Arrow, CSV, JSON lines), a pattern such as `preds/*.parquet`, or a folder.
    labels : sequence, optional
        All classes. By default those that the columns `p_<class>` name, or that a look at the true labels finds.
    positive : label, optional
        The positive of two classes; of 0 and 1 it is 1.
    truth, proba, pred, weight : str
        Names of the columns of true labels ("y_true"), of what the names of probabilities begin with (`p_`), of
        predicted labels ("y_pred") and of weights ("weight").
    where : str or pyarrow.compute.Expression, optional
        Only the rows for which it is true, such as "site = 'north' and age > 60".
    exact, memory : see `karat.Accumulator`
    workers : int, optional
        Threads; by default one for each core.
    executor : concurrent.futures.Executor or dask.distributed.Client, optional
        Where parts are read instead. On a cluster every part is a task, and their sums are added up there as a tree;
        the parts of a worker that is lost are read again by another.
    filesystem : pyarrow.fs.FileSystem, optional
        Where the files are, if not on disk.
    progress : callable, optional
        Called with the number of rows read so far and that of all, if it is known.
    on_error : {"stop", "count"}, default "stop"
        "count": rows with a missing or impossible value, and parts that can't be read, are left out and counted
        (`Accumulator.skipped`).
    checkpoint : path, optional
        A folder where what was read is kept, part by part: the same call goes on from there if it was interrupted.

    Returns
    -------
    Accumulator

    Raises
    ------
    InputError
        If something can't be read, or is no prediction; file, row group and row are named.
    """
    one_of(option("on_error"), on_error, (STOP, COUNT))
    names, tolerant = Names(truth, proba, None, pred, weight), on_error == COUNT
    dataset = dataset_of(source, filesystem, names, tolerant)
    asked = condition(where, dataset.schema)
    units = units_of(dataset, tolerant)
    columns = columns_of(dataset, names, labels, positive, lambda read: _distinct(units, read, asked, tolerant))
    total = None if any(u.rows is None for u in units) else sum(u.rows or 0 for u in units)
    if exact == "auto" and total is not None and total * WORTH_KEEPING > Accumulator(memory=memory).memory:
        exact = False
    begin = Beginning(columns, exact, memory)
    read = PartReader(columns, asked, begin, on_error)
    kept = None if checkpoint is None else Checkpoint(Path(checkpoint), f"{columns}|{asked}|{exact}|{on_error}")
    tally = Tally(total, progress)
    if kept is not None and hasattr(executor, "get_executor"):
        executor = executor.get_executor()  # what is to be kept comes here, part by part
    if hasattr(executor, "get_executor"):
        whole = by_tree(executor, read.state, units)
    elif executor is not None:
        whole = _by_executor(executor, read, units, tally, kept)
    else:
        whole = _by_threads(read, units, _workers(workers), tally, kept)
    resumed = 0 if kept is None else kept.resumed
    whole.files = FilesRead(
        len({u.path for u in units}), len(units), sum(u.size(columns.names) for u in units), resumed
    )
    return whole


def columns_of(
    dataset: ds.Dataset, names: Names, labels: Any, positive: Any, distinct: Callable[[list[str]], list[Any]]
) -> ReadColumns:
    """Which columns there are, by their names, and the classes; `distinct` gives the distinct values of columns."""
    there = dataset.schema.names
    if names.truth not in there:
        raise InputError(
            f"there is no column {names.truth!r} for the true labels; the columns are {quoted(there, 12)}: name it "
            f"with {option('truth')}."
        )
    decided, weight = (_named(there, names, role) for role in ("decided", "weight"))
    others = {names.truth, decided, weight}
    proba = [n for n in there if n.startswith(names.proba) and n != names.proba and n not in others]
    if not proba and decided is None:
        raise InputError(
            f"there are no columns {names.proba}<class> of probabilities and no predicted labels; the columns are "
            f"{quoted(there, 12)}: name them with {option('proba')} or {option('pred')}."
        )
    read = [names.truth] if proba or decided is None else [names.truth, decided]
    seen, reader = _labels(dataset, read, labels, distinct)
    of_class = {typed(n[len(names.proba) :], seen): n for n in proba}
    classes = list(seen) if labels is not None else sorted({*seen, *of_class}, key=lambda c: (str(type(c)), c))
    if labels is None and len(classes) == 1 and classes[0] in (0, 1):
        classes = [type(classes[0])(0), type(classes[0])(1)]  # whose other class has no case here
    _refuse_lacking(classes, of_class, proba)
    kept: dict[str, Any] = {"labels": tuple(classes), "reader": reader}
    if len(of_class) == 1:
        ((alone, column),) = of_class.items()
        if positive is not None and typed(positive, classes) != alone:
            raise LabelError(f"there is the probability of {alone!r} only, and {option('positive')} is {positive!r}.")
        return ReadColumns(names.truth, (column,), decided, weight, positive=alone, **kept)
    ordered = tuple(of_class[c] for c in classes if c in of_class)
    return ReadColumns(names.truth, ordered, decided, weight, positive=typed(positive, classes), **kept)


def _refuse_lacking(classes: list[Any], of_class: dict[Any, str], proba: list[str]) -> None:
    """Every class needs its column, but for one of two."""
    unknown = [label for label in of_class if label not in classes]
    lacking = [label for label in classes if label not in of_class]
    if unknown or (lacking and of_class and not (len(of_class) == 1 and len(classes) == 2)):
        raise LabelError(
            f"the classes are {quoted(classes)} and there are columns {quoted(proba, 12)}; give one for each class, or "
            f"name the classes with {option('labels')}."
        )


def _named(there: list[str], names: Names, role: str) -> str | None:
    name = getattr(names, role)
    if name is not None and name not in there:
        raise InputError(f"there is no column {name!r}; the columns are {quoted(there, 12)}.")
    return names.called(role) if names.called(role) in there else None


def _labels(
    dataset: ds.Dataset, read: list[str], given: Any, distinct: Callable[[list[str]], list[Any]]
) -> tuple[list[Any], Any]:
    """The distinct labels of some columns (those that were given, in the type of these), and what makes them of texts,
    where the files know no types."""
    kind = dataset.schema.field(read[0]).type
    untyped = type(getattr(dataset, "format", None)).__name__ == "CsvFileFormat"
    if given is not None and not untyped:
        return [typed(label, _like(kind)) for label in given], None
    found = list(given) if given is not None else distinct(read)
    if not untyped:
        return sorted(found, key=lambda label: (str(type(label)), label)), None
    reader = label_reader([str(label) for label in found])
    absent = {""} if reader is str else MISSING
    values = [reader(str(label)) for label in found if str(label) not in absent]
    return values if given is not None else sorted(values), reader


def _like(kind: Any) -> list[Any]:
    """A value of the type that a column has."""
    import pyarrow as pa

    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    if pa.types.is_boolean(kind):
        return [True]
    return [0] if pa.types.is_integer(kind) else [0.0] if pa.types.is_floating(kind) else [""]


def _distinct(units: list[DatasetPart], read: list[str], where: Any, tolerant: bool) -> list[Any]:
    """The distinct values: from the statistics of Parquet where these tell, else by a pass over the columns. Missing
    ones are left out, which is noticed later."""
    import pyarrow.compute as pc

    span = _span(units, read[0]) if len(read) == 1 else None
    if span is not None and span[1] - span[0] <= 1:
        return sorted({*span})
    distinct: dict[Any, None] = {}
    for unit in units:
        try:
            for batch in unit.batches(read, where):
                for column in batch.columns:
                    distinct.update(dict.fromkeys(pc.unique(column).to_pylist()))
        except InputError:
            if not tolerant:
                raise
    return [label for label in distinct if label is not None and label == label]


def _span(units: list[DatasetPart], truth: str) -> tuple[int, int] | None:
    """The smallest and the largest of whole numbers, if the files say so."""
    ends: list[Any] = []
    for unit in units:
        if unit.group is None:
            return None
        known = (unit.fragment.row_groups[0].statistics or {}).get(truth)
        if known is None:
            return None
        ends += [known["min"], known["max"]]
    return (min(ends), max(ends)) if ends and all(type(end) is int for end in ends) else None


def units_of(dataset: ds.Dataset, tolerant: bool = False) -> list[DatasetPart]:
    """The parts that are read as a whole; `tolerant`: one that can't be opened is a part, too, and fails later."""
    import pyarrow.dataset as ds

    units: list[DatasetPart] = []
    for fragment in dataset.get_fragments():
        path = getattr(fragment, "path", "the data")
        keys = ds.get_partition_keys(fragment.partition_expression)
        known = {name: dataset.schema.field(name).type for name in keys if name in dataset.schema.names}
        if not hasattr(fragment, "split_by_row_group"):
            units.append(DatasetPart(fragment, path, partition=known))
            continue
        first = 0
        try:
            for i, group in enumerate(fragment.split_by_row_group()):
                rows = group.row_groups[0].num_rows
                units.append(DatasetPart(group, path, i, first, rows, known))
                first += rows
        except Exception as trouble:  # each reader of Arrow has its own ways to fail
            if not tolerant:
                raise InputError(f"{path} can't be read: {first_line(trouble)}.") from None
            units.append(DatasetPart(fragment, path))
    return units


def _by_threads(
    read: PartReader, units: list[DatasetPart], many: int, tally: Tally, kept: Checkpoint | None
) -> Accumulator:
    """Each thread has an accumulator of its own, and the same units each time, so that the same numbers come out."""
    many = max(1, min(many, len(units)))
    stop = threading.Event()

    def work(mine: Sequence[DatasetPart]) -> Accumulator:
        accumulator = read.begin()
        try:
            for unit in mine:
                if stop.is_set():
                    break
                rows = _taken(accumulator, read, unit, kept)
                tally.add(rows if unit.rows is None else unit.rows)
        except BaseException:
            stop.set()
            raise
        return accumulator

    if many == 1:
        return work(units)
    with ThreadPoolExecutor(many) as pool:
        try:
            whole, *others = pool.map(work, [units[i::many] for i in range(many)])
        finally:
            stop.set()  # whoever interrupts does not wait for all files
    for other in others:
        whole += other
    return whole


def _taken(accumulator: Accumulator, read: PartReader, unit: DatasetPart, kept: Checkpoint | None) -> int:
    """Take in a unit: at once, or apart from others, if it may fail or is to be kept."""
    if kept is None and read.on_error == STOP:
        return read.into(accumulator, unit)
    state = None if kept is None else kept.get(unit)
    if state is None:
        state = read.whole(unit)
        if kept is not None:
            kept.put(unit, state.to_bytes())
    accumulator += state
    return state.rows


def _by_executor(
    executor: Executor, read: PartReader, units: list[DatasetPart], tally: Tally, kept: Checkpoint | None
) -> Accumulator:
    """One task for each unit; only statistics travel."""
    whole = read.begin()
    for unit, state in _states(executor, read, units, kept):
        whole += state
        tally.add(state.rows if unit.rows is None else unit.rows)
    return whole


def _states(
    executor: Executor, read: PartReader, units: list[DatasetPart], kept: Checkpoint | None
) -> Iterator[tuple[DatasetPart, Accumulator]]:
    todo = []
    for unit in units:
        state = None if kept is None else kept.get(unit)
        if state is None:
            todo.append(unit)
        else:
            yield unit, state
    for unit, raw in zip(todo, executor.map(read.state, [[unit] for unit in todo]), strict=True):
        if kept is not None:
            kept.put(unit, raw)
        yield unit, Accumulator.from_bytes(raw)


def _workers(asked: int | None) -> int:
    if asked is None:
        return int(os.environ.get("KARAT_WORKERS", 0)) or os.cpu_count() or 1
    if isinstance(asked, bool) or not isinstance(asked, int) or asked < 1:
        raise InputError(f"{option('workers')} is {asked!r}; give a whole number of at least 1.")
    return asked
