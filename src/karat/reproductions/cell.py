"""One number or statement of a paper, and ours."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from karat.core.errors import option
from karat.core.table import Table, packaged_rows

REPRODUCED = "reproduced"
CORRECTED = "reproduced after a documented correction"
OPEN = "reproduced within what the paper leaves open"
FITTED = "consistent (from values fitted to what is printed)"
UNDECIDED = "undecided"
FAILED = "not reproduced"
NOT_PRINTED = "not printed in the paper"
NOT_RUN = "not run"


@dataclass(frozen=True, kw_only=True)
class Cell:
    """A published value and ours. Numbers agree within the last printed digit and three Monte Carlo errors; where these
    exceed the last printed digit, that they agree decides nothing."""

    where: str
    what: str
    published: Any
    """None: the paper does not print it"""
    ours: Any
    """None: it was not run, `why` says why"""
    digits: int = 0
    """printed after the point"""
    error: float = 0.0
    open: float = 0.0
    """how far a choice that the paper does not tell moves ours"""
    correction: str = ""
    """what had to be read otherwise than printed"""
    why: str = ""
    """why it can't agree, or what to know"""
    decided: bool = True
    """of a statement: is it outside the interval of ours that it could be the other way round?"""
    fitted: bool = False
    """was what ours is made of chosen to give what is printed?"""

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
    def _vague(self) -> bool:
        """Would other numbers have agreed as well? An error of 5 % of a number does no harm."""
        if isinstance(self.published, str):
            return False
        return bool(self.error > max(10**-self.digits, 0.05 * abs(self.published)))

    @property
    def verdict(self) -> str:
        """In the words that are printed."""
        if self.ours is None:
            return NOT_RUN
        if self.published is None:
            return NOT_PRINTED
        if not self.decided or math.isnan(self.error) or (self.agrees and self._vague):
            return UNDECIDED
        if not self.agrees:
            left_open = self.open and self._within(self.open)
            return FAILED if not left_open else FITTED if self.fitted else OPEN
        if self.fitted:
            return FITTED
        return CORRECTED if self.correction else REPRODUCED

    @property
    def note(self) -> str:
        """What was corrected, or why it is not reproduced."""
        if self.verdict == FAILED:
            return self.why or "no explanation is known"
        doubt = "too few repetitions to decide" if self.verdict == UNDECIDED else ""
        return "; ".join(text for text in (doubt, self.correction, self.why) if text)


class Publication:
    """What a paper printed: the rows of the CSV file that has its name.

    A row without `what` is a note. Words of a row may hold {notes}, and {names} that are given along with ours.
    """

    def __init__(self, paper: str) -> None:
        rows = numbers(paper)
        self.rows = {row["key"]: row for row in rows if row["what"]}
        self.notes = {row["key"]: row["why"] for row in rows if not row["what"]}

    def keys(self, group: str) -> list[str]:
        """What the keys of a group, such as "AUC naive Bayes", say behind its name."""
        return [key.removeprefix(f"{group} ") for key in self.rows if key.startswith(f"{group} ")]

    def cell(
        self,
        key: str,
        ours: Any,
        *,
        published: Any = None,
        error: float = 0.0,
        open: float = 0.0,
        correction: str | None = None,
        why: str | None = None,
        decided: bool = True,
        fitted: bool = False,
        **names: Any,
    ) -> Cell:
        """Ours (of a statement: does it hold?) beside the row of this key; what is given goes before the row."""
        row = self.rows[key]
        options = {name: option(name) for name in ("data", "matrices", "predictions")}
        names |= options | self.notes
        words = {name: row[name].format(**names) for name in ("where", "what")}
        given = {"correction": correction, "why": why}
        words |= {name: row[name].format(**names) if text is None else text for name, text in given.items()}
        return Cell(
            **words,
            published=(_typed(row["published"]) if row["published"] else None) if published is None else published,
            ours=("no", "yes")[int(ours)] if isinstance(ours, bool | np.bool_) else ours,
            digits=int(row["digits"] or 0),
            error=error,
            open=open,
            decided=decided,
            fitted=fitted,
        )


def numbers(name: str) -> tuple[dict[str, str], ...]:
    """The rows of a CSV file of this folder."""
    return packaged_rows(__package__, name)


def _typed(text: str) -> int | float | str:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text


def table_of(cells: Iterable[Cell], title: str) -> Table:
    """One row for each cell."""
    names = ("where", "what", "published", "ours", "error", "open", "verdict", "note")
    rows = ({name: getattr(c, name) for name in names} for c in cells)
    return Table.of((row | {"error": row["error"] or None, "open": row["open"] or None} for row in rows), title)
