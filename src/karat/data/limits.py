"""How much a file may hold before it is refused: what comes from outside decides nothing about the memory of whoever
reads it."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import Any

from karat.core.errors import InputError, option
from karat.core.validation import size_in_bytes
from karat.core.words import size_words

SHARE, LEAST, UNKNOWN = 8, 256 * 10**6, 2 * 10**9
"""A file may take one of so many parts of the memory of this machine, at least so many bytes; and so many, if nobody
knows how much memory there is."""
COLUMNS = 50_000
"""Columns of a file: twice the largest number of classes that people have (21,841 of ImageNet)."""
DEPTH = 64
"""How deep JSON may be nested: a record is one deep, an array of records two."""
LINE = 16 * 2**20
"""Bytes of a line of text."""
CELL = 8
"""Bytes that a value takes in memory, whatever it took in the file."""
CGROUP = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")
"""Where Linux says what a container may use."""


def limit_of(asked: Any = None) -> int:
    """Bytes that a file may take, unpacked: what was asked for (a size such as "4GB"), or an eighth of the memory."""
    if asked is not None:
        return size_in_bytes(option("limit"), asked)
    memory = memory_of_machine()
    return UNKNOWN if memory is None else max(memory // SHARE, LEAST)


def memory_of_machine() -> int | None:
    """Bytes of memory that this process may use at most."""
    known = []
    with suppress(AttributeError, OSError, ValueError):  # not on Windows
        known.append(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    for file in CGROUP:
        try:
            with open(file, encoding="ascii") as held:
                known.append(int(held.read()))
        except (OSError, ValueError):  # "max", or another system
            continue
    with suppress(ImportError):
        import resource

        known.append(resource.getrlimit(resource.RLIMIT_AS)[0])
    return min((size for size in known if size > 0), default=None)


def refuse_larger(size: float, limit: int, title: str, what: str = "") -> None:
    """Nothing is unpacked or read beyond the limit."""
    if size > limit:
        raise InputError(
            f"{title} holds more than {size_words(limit)}{what}, the limit for a file that is read whole; if it is "
            f"meant to, pass a larger {option('limit')}."
        )


def refuse_wider(columns: int, title: str) -> None:
    """Nor are more columns than any task has classes."""
    if columns > COLUMNS:
        raise InputError(f"{title} has {columns:,} columns, and at most {COLUMNS:,} are read; give fewer.")
