"""What was read of files, what was left out, and what memory does not hold."""

from __future__ import annotations

from dataclasses import dataclass

from karat.core.errors import InputError


@dataclass(frozen=True)
class FilesRead:
    """What was read."""

    files: int
    parts: int
    """row groups, or files that are read as a whole"""
    bytes: int
    """of the columns that were read, as they lie on disk"""
    resumed: int = 0
    """parts that were taken from a checkpoint instead"""


@dataclass(frozen=True)
class Skipped:
    """What was left out, because it was asked to leave out what can't be read."""

    rows: int = 0
    """those of parts included, as far as their number is known"""
    parts: int = 0
    """files or row groups"""
    first: str = ""
    """what was wrong with the first"""

    def __add__(self, other: Skipped) -> Skipped:
        return Skipped(self.rows + other.rows, self.parts + other.parts, self.first or other.first)

    def __bool__(self) -> bool:
        return bool(self.rows or self.parts)

    def __str__(self) -> str:
        parts = f"{self.parts:,} unreadable part{'s' * (self.parts != 1)}" if self.parts else ""
        rows = f"{self.rows:,} row{'s' * (self.rows != 1)}" if self.rows else ""
        return f"{rows or parts} left out{f', in {parts}' if rows and parts else ''}" if self else ""


class OverBudgetError(InputError):
    """Rows are to be kept, and memory does not hold them: no fault of the rows."""
