"""Libraries of linear algebra kept to one thread while a unit runs: the units are what runs side by side."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Any

_lock = Lock()
_inside = 0
_limits: Any = None


@contextmanager
def one_thread() -> Iterator[None]:
    """One thread for BLAS and OpenMP until the last unit of this process has left; nothing without threadpoolctl.

    Threads of BLAS within threads of a study wait for each other, and sums in another order are other numbers.
    """
    global _inside, _limits  # limits belong to the process, so units in threads must share them
    with _lock:
        if _inside == 0:
            _limits = _limited()
        _inside += 1
    try:
        yield
    finally:
        with _lock:
            _inside -= 1
            if _inside == 0 and _limits is not None:
                _limits.restore_original_limits()
                _limits = None


def _limited() -> Any:
    try:
        from threadpoolctl import threadpool_limits
    except ImportError:
        return None
    return threadpool_limits(1)
