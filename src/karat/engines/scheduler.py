"""Do the units of a study: in threads, in processes, or on any executor; with progress, interrupt and resume."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    Executor,
    Future,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
    wait,
)
from contextlib import contextmanager
from threading import Event, Thread
from time import monotonic
from typing import Any

from karat import kernels
from karat.core.errors import InputError, option
from karat.core.study import Part, Study, Tables
from karat.core.workers import cores
from karat.engines.store import Folder

LINE_EVERY = 10.0
"""Seconds between two lines of progress where there is no terminal that could show a bar."""
LOST = 3
"""Pools whose workers are ended, one after the other without a finished unit, before we give up."""
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
    """Run a study and return its tables.

    The same seed gives the same numbers wherever the units run, and in whatever order.

    Parameters
    ----------
    study : Study
        For example `karat.studies.Sensitivity(repetitions=500)`.
    workers : int, optional
        Units that run at the same time; by default one for each core. They run in threads where the compiled kernels
        are installed and the study does not hold Python's lock, otherwise in processes.
    folder : path, optional
        Folder that keeps each finished unit. A run that was interrupted resumes there with the same arguments.
    executor : concurrent.futures.Executor, optional
        Runs the units instead (also dask's `client.get_executor()`); it is not shut down.
    progress : bool
        Show progress and the remaining time on stderr: a bar in a terminal, otherwise a line every ten seconds.

    Returns
    -------
    dict of str to Table
        The most important table first.

    Raises
    ------
    InputError
        If the folder can't be written or holds another run, or the executor has no `submit`.

    See Also
    --------
    karat.reproductions.reproduce : Run the studies of a paper and compare with what it published.

    Examples
    --------
    >>> from karat.studies import Census
    >>> tables = run(Census(cases=6), workers=1)
    >>> tables["counts"].rows[0]
    ['all', 812]
    """
    count = cores(workers)
    names = study.units()
    kept = None if folder is None else Folder.of(folder, study, names)
    parts: dict[str, Part] = {}

    def finish(name: str, part: Part) -> None:
        if kept is not None:
            kept.keep(name, part)
        parts[name] = part
        step()

    try:
        if kept is not None:
            parts |= {name: part for name in names if (part := kept.finished(name)) is not None}
        left = [name for name in names if name not in parts]
        with _progress(study.name, len(names), len(parts), progress) as step:
            if executor is not None:
                _spread(
                    _checked(executor), study, left, len(left), finish
                )  # only it knows how many it can do at a time
            elif count == 1 or len(left) <= 1:
                for name in left:
                    finish(name, _unit(study, name))
            else:
                _spread_here(study, left, count, finish)
    finally:
        if kept is not None:
            kept.close()
    return study.tables({name: parts[name] for name in names})


def _unit(study: Study, name: str) -> Part:
    """One unit, wherever it is called."""
    return study.measured(name, study.generator(name))


def _spread_here(study: Study, left: list[str], count: int, finish: Callable[[str, Part], None]) -> None:
    """In a pool of our own. Workers that the system ends (for want of memory, mostly) are replaced, and their units
    done again, by half as many at a time; unless that happens again and again, and nothing gets done."""
    done: set[str] = set()

    def note(name: str, part: Part) -> None:
        finish(name, part)
        done.add(name)

    in_vain = 0
    while in_vain < LOST:
        before = len(done)
        try:
            with _pool(count, study.in_processes) as pool:
                _spread(pool, study, [name for name in left if name not in done], AHEAD * count, note)
                return
        except BrokenExecutor:
            in_vain = in_vain + 1 if len(done) == before else 0
            count = max(count // 2, 1)
    raise InputError(
        f"the worker processes of {study.name} were ended {LOST} times in a row before a unit was done, mostly for "
        f"want of memory; pass fewer {option('workers')}, or a smaller study."
    )


def _checked(executor: Executor) -> Executor:
    if not callable(getattr(executor, "submit", None)):
        raise InputError(f"executor is {executor!r}, which has no submit(); pass one of concurrent.futures.")
    return executor


@contextmanager
def _pool(count: int, apart: bool = False) -> Iterator[Executor]:
    """One that ends with the run."""
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
    """Progress on stderr, for so many units of which some were done before; or nothing. A call moves it on."""
    if not wanted:
        yield lambda: None
    elif sys.stderr.isatty():
        with _bar(what, total, done) as step:
            yield step
    else:
        with _lines(what, total, done) as step:
            yield step


@contextmanager
def _bar(what: str, total: int, done: int) -> Iterator[Callable[[], None]]:
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


@contextmanager
def _lines(what: str, total: int, done: int) -> Iterator[Callable[[], None]]:
    """A line now and then, also while no unit ends; a short run has none."""
    finished, ended, start = [done], Event(), monotonic()

    def step() -> None:
        finished[0] += 1

    def write() -> None:
        while not ended.wait(LINE_EVERY):
            print(f"karat: {progress_line(what, total, done, finished[0], monotonic() - start)}", file=sys.stderr)

    writer = Thread(target=write, daemon=True)
    writer.start()
    try:
        yield step
    finally:
        ended.set()
        writer.join()


def progress_line(what: str, total: int, before: int, now: int, seconds: float) -> str:
    """How far a run is, and how long it will take at this speed.

    >>> progress_line("census", 40, 0, 10, 30), progress_line("census", 40, 0, 0, 10)
    ('census: 10 of 40 units, 0:30 elapsed, about 1:30 left', 'census: 0 of 40 units, 0:10 elapsed')
    """
    left = f", about {_clock(seconds / (now - before) * (total - now))} left" if now > before else ""
    return f"{what}: {now} of {total} units, {_clock(seconds)} elapsed{left}"


def _clock(seconds: float) -> str:
    hours, rest = divmod(round(seconds), 3600)
    minutes, rest = divmod(rest, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"
