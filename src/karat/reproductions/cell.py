"""One number or statement of a paper, and what we find in its place."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from karat.core.table import Table

REPRODUCED = "reproduced"
CORRECTED = "reproduced after a documented correction"
OPEN = "reproduced within what the paper leaves open"
FAILED = "not reproduced"
NOT_RUN = "not run"


@dataclass(frozen=True, kw_only=True)
class Cell:
    """Published against ours. Numbers agree within the last printed digit and three Monte-Carlo errors."""

    where: str
    what: str
    published: Any
    ours: Any
    """None: it was not run, `why` says why"""
    digits: int = 0
    """printed after the point"""
    error: float = 0.0
    open: float = 0.0
    """how far a choice that the paper does not tell moves ours"""
    correction: str = ""
    """what had to be read otherwise than printed for ours to be had"""
    why: str = ""
    """why it can't agree, or what to know"""

    @property
    def agrees(self) -> bool:
        """Is ours what was published?"""
        if isinstance(self.published, str) or isinstance(self.ours, str):
            return bool(self.published == self.ours)
        return self._within(0.0)

    def _within(self, more: float) -> bool:
        if isinstance(self.ours, str) or math.isnan(self.ours):
            return False
        return bool(abs(self.published - self.ours) <= 0.500001 * 10**-self.digits + 3 * self.error + more)

    @property
    def verdict(self) -> str:
        """In the words that are printed."""
        if self.ours is None:
            return NOT_RUN
        if not self.agrees:
            return OPEN if self.open and self._within(self.open) else FAILED
        return CORRECTED if self.correction else REPRODUCED

    @property
    def note(self) -> str:
        """What was corrected, or why it is not reproduced."""
        if self.verdict == FAILED:
            return self.why or "no explanation was found"
        return "; ".join(text for text in (self.correction, self.why) if text)


def truth(holds: bool) -> str:
    """A statement that holds or does not."""
    return "yes" if holds else "no"


def table_of(cells: Iterable[Cell], title: str) -> Table:
    """One row for each cell."""
    rows = list(cells)
    return Table(
        {
            "where": [c.where for c in rows],
            "what": [c.what for c in rows],
            "published": [c.published for c in rows],
            "ours": [c.ours for c in rows],
            "error": [c.error or None for c in rows],
            "open": [c.open or None for c in rows],
            "verdict": [c.verdict for c in rows],
            "note": [c.note for c in rows],
        },
        title,
    )
