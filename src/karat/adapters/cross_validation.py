"""Out-of-fold answers of some models: every model on the same folds, on all cores."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from pickle import PicklingError
from typing import Any, NamedTuple

from karat.adapters.classifiers import Answer, trained_answer
from karat.adapters.folds import Split, first_line
from karat.core.arithmetic import Array
from karat.core.errors import InputError
from karat.core.validation import whole

PAYS = 2.0
"""Seconds of work left from which on processes are started for it, unless their number was given."""
EVERY = 10.0
"""Seconds between two lines where there is no terminal for a bar."""


class Unit(NamedTuple):
    """One model on one fold."""

    model: str
    fold: int
    who: str
    """both, for a sentence"""


def out_of_fold(
    models: Mapping[str, Any],
    X: Any,
    y: Array,
    weight: Array | None,
    splits: list[Split],
    seed: int,
    workers: int | None,
    progress: bool | None,
) -> dict[str, list[Answer]]:
    """What each model, trained anew in every fold, says of the test cases. What is random in a fold depends on the seed
    and the fold alone."""
    count = None if workers is None else whole("workers", workers)
    many = len(splits)
    units = [Unit(name, i, f"{name}, fold {i + 1} of {many},") for name in models for i in range(many)]

    def arguments(unit: Unit) -> tuple[Any, ...]:
        return models[unit.model], X, y, weight, splits[unit.fold], (seed, unit.fold), unit.who

    answers: dict[str, list[Answer]] = {name: [] for name in models}
    with _progress(len(units), progress) as step:
        results = _results(list(map(arguments, units)), count)
        for unit, one in zip(units, results, strict=True):
            answers[unit.model].append(one)
            step()
    return answers


def _results(tasks: list[tuple[Any, ...]], workers: int | None) -> Iterator[Answer]:
    """One after the other, in their order; the first here, to see whether it pays to start processes for the rest."""
    from joblib import Parallel, delayed  # type: ignore[import-untyped]

    if workers is None:
        start = time.perf_counter()
        yield trained_answer(*tasks.pop(0))
        workers = -1 if (time.perf_counter() - start) * len(tasks) > PAYS else 1
    try:
        yield from Parallel(n_jobs=workers, return_as="generator")(delayed(trained_answer)(*task) for task in tasks)
    except (BrokenProcessPool, PicklingError) as trouble:
        raise InputError(
            f"a process that trains a model was lost ({first_line(trouble)}); pass workers=1 to train the models one "
            "after the other in this one."
        ) from trouble


@contextmanager
def _progress(total: int, wanted: bool | None) -> Iterator[Callable[[], None]]:
    """A bar on stderr while it runs, or a line now and then where there is no terminal; it is moved on by a call.
    Unless it was asked for, only where somebody sees it."""
    if wanted is False or (wanted is None and not sys.stderr.isatty()):
        yield lambda: None
    elif sys.stderr.isatty():
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        columns = (TextColumn("models trained"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task("", total=total)
            yield lambda: bar.advance(task)
    else:
        yield _Lines(total)


class _Lines:
    """A line now and then, and one at the end."""

    def __init__(self, total: int) -> None:
        self.total, self.done, self.last = total, 0, time.monotonic()

    def __call__(self) -> None:
        self.done += 1
        if self.done == self.total or time.monotonic() - self.last >= EVERY:
            self.last = time.monotonic()
            print(f"karat: {self.done} of {self.total} models trained", file=sys.stderr, flush=True)
