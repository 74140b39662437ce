"""Do the units of a study: in threads, in processes, or on any executor; with progress, interrupt and resume."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor, wait
from contextlib import contextmanager
from typing import Any

from karat import kernels
from karat.core.errors import InputError
from karat.core.study import Part, Study, Tables
from karat.core.validation import whole
from karat.engines.store import Folder

AHEAD = 2
"""Units handed out for each worker: the next one lies ready, and an interrupt has few to wait for."""


def run(
    study: Study,
    *,
    workers: int | None = None,
    folder: str | os.PathLike[str] | None = None,
    executor: Executor | None = None,
    progress: bool = False,
) -> Tables:
    """The tables of a study. The same seed gives the same numbers wherever the units run, and in whatever order.

    Parameters
    ----------
    workers : how many units at a time; all cores unless said. Threads where the kernels are compiled (they let each
        other run) and the study does not hold Python's lock (`apart`), else processes.
    folder : keep each finished unit there; a run that was stopped, told the same again, goes on where it was.
    executor : any `concurrent.futures.Executor` instead (dask's `client.get_executor()` too); it is left open.
    progress : show on stderr how far it is and how long it will take.
    """
    count = _workers(workers)
    names = study.units()
    kept = None if folder is None else Folder.of(folder, study, names)
    parts: dict[str, Part] = {}
    if kept is not None:
        parts = {name: part for name in names if (part := kept.finished(name)) is not None}
    left = [name for name in names if name not in parts]

    def finish(name: str, part: Part) -> None:
        if kept is not None:
            kept.keep(name, part)
        parts[name] = part
        step()

    with _progress(study.name, len(names), len(parts), progress) as step:
        if executor is None and (count == 1 or len(left) <= 1):
            for name in left:
                finish(name, _unit(study, name))
        elif left:
            with _pool(executor, count, study.apart) as pool:
                # how many an executor does at a time only it knows: it gets them all
                _spread(pool, study, left, AHEAD * count if executor is None else len(left), finish)
    return study.tables({name: parts[name] for name in names})


def _unit(study: Study, name: str) -> Part:
    """One unit, wherever it is called."""
    return study.measured(name, study.generator(name))


def _workers(workers: int | None) -> int:
    if workers is not None:
        return whole("workers", workers)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def _pool(executor: Executor | None, count: int, apart: bool = False) -> Iterator[Executor]:
    """The executor that was given, or one that ends with the run."""
    if executor is not None:
        if not callable(getattr(executor, "submit", None)):
            raise InputError(f"executor is {executor!r}; give one with submit(), as those of concurrent.futures.")
        yield executor
        return
    own: Executor
    if kernels.name == "native" and not apart:
        own = ThreadPoolExecutor(count)
    else:  # an interrupt is for the run, not for its workers
        own = ProcessPoolExecutor(count, initializer=signal.signal, initargs=(signal.SIGINT, signal.SIG_IGN))
    try:
        yield own
    finally:
        own.shutdown(wait=True, cancel_futures=True)


def _spread(pool: Executor, study: Study, left: list[str], ahead: int, finish: Callable[[str, Part], None]) -> None:
    """Hand the units out, a few ahead of the workers, and take each result as it comes."""
    waiting: dict[Future[Any], str] = {}
    todo = iter(left)
    try:
        while True:
            while len(waiting) < ahead and (name := next(todo, None)) is not None:
                waiting[pool.submit(_unit, study.sent(name), name)] = name
            if not waiting:
                return
            done, _ = wait(waiting, return_when=FIRST_COMPLETED)
            for future in sorted(done, key=lambda f: f.exception() is not None):  # what is done is kept, then errors
                finish(waiting.pop(future), future.result())
    except BaseException:
        for future in waiting:
            future.cancel()
        raise


@contextmanager
def _progress(what: str, total: int, done: int, wanted: bool) -> Iterator[Callable[[], None]]:
    """A bar on stderr, with the time left, for so many units of which some were done before; or nothing. It is moved
    on by a call."""
    if not wanted:
        yield lambda: None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    bar = Progress(
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(),
        TextColumn("left"), TimeRemainingColumn(), console=Console(stderr=True), transient=False,
    )  # fmt: skip
    task = bar.add_task(what, total=total, completed=done)
    with bar:
        yield lambda: bar.advance(task)
