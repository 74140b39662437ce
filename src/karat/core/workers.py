"""How many cores karat may use: `workers` where it can be given, `KARAT_WORKERS` in the environment, or all there are.
Numbers do not depend on it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import Any, TypeVar

from karat.core.errors import InputError
from karat.core.validation import whole

VARIABLE = "KARAT_WORKERS"
T = TypeVar("T")


def cores(workers: Any = None) -> int:
    """The number that was given, that of the environment, or that of the cores this process may use."""
    if workers is not None:
        return whole("workers", workers)
    if said := os.environ.get(VARIABLE, "").strip():
        if not (said.isdecimal() and int(said) > 0):
            raise InputError(f"{VARIABLE} is {said!r} in the environment; set it to a whole number of at least 1.")
        return int(said)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def in_threads(function: Callable[[Any], T], items: Iterable[Any], workers: int) -> list[T]:
    """What the function gives for each item, in their order; so many at the same time."""
    items = list(items)
    if min(workers, len(items)) < 2:
        return [function(item) for item in items]
    with ThreadPoolExecutor(min(workers, len(items))) as pool:  # numpy's errstate goes with the context
        return [task.result() for task in [pool.submit(copy_context().run, function, item) for item in items]]
