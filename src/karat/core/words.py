"""Numbers as a sentence or a legend has them."""

from __future__ import annotations

import math

SMALL = 0.001
"""A p-value below this is not written out: what it would say hangs on the far tail of a model of chance."""


def number(value: float, digits: int = 2) -> str:
    """Without a zero before the point.

    >>> number(0.0312), number(-0.5, 1), number(1.41), number(0.00001)
    ('.03', '-.5', '1.41', '.00')
    """
    if not math.isfinite(value):
        return "undefined" if value != value else ("∞" if value > 0 else "-∞")
    text = f"{value:.{digits}f}"
    if float(text) == 0:
        text = text.removeprefix("-")
    return text.replace("0.", ".", 1) if text.startswith(("0.", "-0.")) else text


class PValue(float):
    """A number that tables show as a p-value: never as 0.

    >>> [PValue(p).words for p in (0.0312, 0.2, 0.00002, 1)]
    ['.031', '.200', '< .001', '1']
    """

    @property
    def words(self) -> str:
        """As a table has it."""
        if self != self:
            return "-"
        if self < SMALL:
            return f"< {number(SMALL, 3)}"
        return "1" if self > 1 - SMALL / 2 else number(self, 3)
