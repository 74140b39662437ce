"""`karat.accumulate`: files, folders and datasets, read part by part, by all cores."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from karat.accumulation.accumulator import Accumulator
from karat.accumulation.checkpoints import Checkpoint
from karat.accumulation.cluster_tree import by_tree
from karat.accumulation.conditions import condition
from karat.accumulation.dataset_columns import DistinctLabels, columns_of, of_models, top_columns_of, with_more
from karat.accumulation.dataset_files import dataset_of
from karat.accumulation.dataset_parts import COUNT, STOP, Beginning, DatasetPart, PartReader, Tally
from karat.accumulation.rows_read import FilesRead
from karat.accumulation.second_reading import read_again, too_many
from karat.accumulation.strands import StrandReaders, strands_of
from karat.core.errors import InputError, option
from karat.core.keywords import understand
from karat.core.validation import one_of
from karat.data.files import first_line
from karat.data.parquet_ends import refuse_contradictions
from karat.data.prediction_files import Names

if TYPE_CHECKING:
    import pyarrow.dataset as ds

FILE_BITS = 40
"""Rows of a file have numbers of so many bits, where files are numbered apart."""
WORTH_KEEPING = 16
"""Bytes that a row of unknown width may take, where it is asked whether all rows fit."""


@understand(usage="karat.accumulate('preds/*.parquet').evaluation()")
def accumulate(
    source: Any,
    *,
    labels: Any = None,
    positive: Any = None,
    truth: str = "y_true",
    proba: str | Mapping[str, str] = "p_",
    pred: str | None = None,
    weight: str | None = None,
    ids: str | None = None,
    by: str | Sequence[str] | None = None,
    where: Any = None,
    exact: Any = "auto",
    memory: str | int = "1GB",
    paired: bool | None = None,
    workers: int | None = None,
    executor: Executor | Any = None,
    filesystem: Any = None,
    progress: Callable[[int, int | None], None] | None = None,
    on_error: str = STOP,
    checkpoint: str | Path | None = None,
    rest: str | None = None,
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
        predicted labels ("y_pred") and of weights ("weight"). Several models in one file: `proba` is {name: what the
        names of its columns begin with}.
    ids : str, optional
        Name of the column of ids, by which models are paired; by default they are paired by row.
    by : str or list of str, optional
        Names of columns of groups: `e.by("site")` evaluates each, `e.over("date")` each week. Times are kept by day.
    where : str or pyarrow.compute.Expression, optional
        Only the rows for which it is true, such as "site = 'north' and age > 60".
    exact, memory, paired : see `karat.Accumulator`. Rows of two classes and one column that are too many to be kept are
        read again for `exact=True`, as often as `memory` needs to hold all of them: what follows from pairs of cases
        (ROC AUC) and groups of equal probabilities is then exact, and curves are known between bounds.
    workers : int, optional
        Threads; by default one for each core, of Parquet no more than one for each 32 MB.
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
    rest : {"even", "scaled"}, optional
        The files list the most probable classes of each case: `proba` names a column of {class: p} (a map or a record
        of Arrow, an object of JSON), or two columns of lists, "classes,probabilities". The other classes share what is
        left of 1 evenly, or have 0, those that are listed being scaled to sum to 1. All classes are `labels`, by
        default those that are true or listed somewhere.

    Returns
    -------
    Accumulator

    Raises
    ------
    InputError
        If something can't be read, or is no prediction; file, row group and row are named.

    See Also
    --------
    Accumulator : the batches of a loop.
    evaluate : labels and probabilities that fit into memory.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import mkdtemp
    >>> path = Path(mkdtemp()) / "predictions.csv"
    >>> _ = path.write_text("\\n".join(["y_true,p_cat,p_dog", "cat,0.9,0.1", "dog,0.3,0.7", "dog,0.6,0.4"]))
    >>> e = accumulate(path, positive="dog").evaluation()
    >>> e.n, e["recall"], e["roc_auc"]
    (3, 0.5, 1.0)
    """
    one_of(option("on_error"), on_error, (STOP, COUNT))
    tolerant = on_error == COUNT
    prefixes = dict(proba) if isinstance(proba, Mapping) else {"": proba}
    groups = () if by is None else (by,) if isinstance(by, str) else tuple(dict.fromkeys(by))
    names = [Names(truth, prefix, None, pred, weight, beside=groups) for prefix in prefixes.values()]
    if not names:
        raise InputError(f"{option('proba')} names no model; give {{name: what the names of its columns begin with}}.")
    dataset = dataset_of(source, filesystem, names[0], tolerant)
    asked = condition(where, dataset.schema)
    units = units_of(dataset, tolerant)
    found = DistinctLabels(units, asked, tolerant)
    if rest is None:
        each = [columns_of(dataset, one, labels, positive, found) for one in names]
    else:
        _refuse_beside_top(proba, ids, groups, exact, paired)
        each = [top_columns_of(dataset, names[0], labels, positive, rest, found)]
    columns = with_more(dataset, of_models(dict(zip(prefixes, each, strict=True))), ids, groups)
    total = None if any(u.rows is None for u in units) else sum(u.rows or 0 for u in units)
    if exact == "auto" and total is not None and total * WORTH_KEEPING > Accumulator(memory=memory).memory:
        exact = False
    twice = (
        exact is True and not tolerant and not paired and executor is None and too_many(columns, dataset, total, memory)
    )
    begin = Beginning(columns, False if twice else exact, memory, paired)
    read = PartReader(columns, asked, begin, on_error)
    kept = (
        None if checkpoint is None else Checkpoint(Path(checkpoint), f"{columns}|{asked}|{exact}|{on_error}|{paired}")
    )
    tally = Tally(total, progress)
    sizes = [u.size(columns.names) for u in units]
    many = _workers(workers, None if total is None else sum(sizes))
    if kept is not None and hasattr(executor, "get_executor"):
        executor = executor.get_executor()  # what is to be kept comes here, part by part
    if hasattr(executor, "get_executor"):
        whole = by_tree(executor, read.state, units)
    elif executor is not None:
        whole = _by_executor(executor, read, units, tally, kept)
    else:
        whole = _by_threads(read, units, sizes, many, tally, kept)
    if twice:
        read_again(whole, read, units, many)
    resumed = 0 if kept is None else kept.resumed
    whole.files = FilesRead(len({u.path for u in units}), len(units), sum(sizes), resumed)
    return whole


def _refuse_beside_top(proba: Any, ids: Any, groups: tuple[str, ...], exact: Any, paired: bool | None) -> None:
    """What is not kept of listed probabilities."""
    asked = {"ids": ids is not None, "by": bool(groups), "exact": exact is True, "paired": bool(paired)}
    asked["proba"] = isinstance(proba, Mapping)
    for name, given in asked.items():
        if given:
            raise InputError(
                f"of listed classes of one model only sums are kept; leave {option(name)} or {option('rest')} out."
            )


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
            with fragment.open() as file:
                refuse_contradictions(file)
            for i, group in enumerate(fragment.split_by_row_group()):
                rows = group.row_groups[0].num_rows
                units.append(DatasetPart(group, path, i, first, rows=rows, partition=known))
                first += rows
        except Exception as trouble:  # each reader of Arrow has its own ways to fail
            why = f"{path} can't be read: {first_line(trouble)}."
            if not tolerant:
                raise InputError(why) from None
            units.append(DatasetPart(fragment, path, refused=why))
    return _numbered(units)


def _numbered(units: list[DatasetPart]) -> list[DatasetPart]:
    """Rows are numbered from the first file on; where it is not known how many rows files have, apart in each file."""
    counted = all(unit.rows is not None for unit in units)
    out, passed, files = [], 0, dict.fromkeys(unit.path for unit in units)
    place = {path: i for i, path in enumerate(files)}
    for unit in units:
        out.append(replace(unit, number=passed if counted else (place[unit.path] << FILE_BITS) + unit.first))
        passed += unit.rows or 0
    return out


def _by_threads(
    read: PartReader, units: list[DatasetPart], sizes: list[int], many: int, tally: Tally, kept: Checkpoint | None
) -> Accumulator:
    """The same numbers come out of any number of threads, or the same refusal."""

    def take_in(accumulator: Accumulator, at: int) -> None:
        rows = _taken(accumulator, read, units[at], kept)
        tally.add(rows if units[at].rows is None else units[at].rows or 0)

    return StrandReaders(read.begin, strands_of(sizes), take_in).read(many)


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
    """In the order of the units, whichever of them were kept: sums depend on it."""
    known = [None if kept is None else kept.get(unit) for unit in units]
    read_now = executor.map(read.state, [[unit] for unit, state in zip(units, known, strict=True) if state is None])
    for unit, state in zip(units, known, strict=True):
        if state is not None:
            yield unit, state
            continue
        raw = next(read_now)
        if kept is not None:
            kept.put(unit, raw)
        yield unit, Accumulator.from_bytes(raw)


BYTES_OF_A_WORKER = 32 << 20
"""Of Parquet, without which another thread would cost more to begin and to merge than it saves: its table of cells
takes as long as a million rows."""


def _workers(asked: int | None, size: int | None) -> int:
    """As many threads as somebody said, or as there are cores; of so many bytes of Parquet perhaps fewer. (Text takes
    far longer to read than a table to make, and of what is in memory the size is not known.)"""
    if asked is None:
        cores = int(os.environ.get("KARAT_WORKERS", 0)) or os.cpu_count() or 1
        return cores if size is None else max(1, min(cores, size // BYTES_OF_A_WORKER))
    if isinstance(asked, bool) or not isinstance(asked, int) or asked < 1:
        raise InputError(f"{option('workers')} is {asked!r}; give a whole number of at least 1.")
    return asked
