"""Numbers as a sentence or a legend has them."""

from __future__ import annotations

import math


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
