"""Numbers as a sentence or a legend has them."""

from __future__ import annotations

import math
from decimal import ROUND_FLOOR, Context, Decimal


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


def shortest_cut(at: float, below: float) -> str:
    """A threshold with the fewest digits that decide the same: `at` is the lowest score on its upper side, `below` the
    highest on the other one. Of equally short numbers the one nearest to `at`, never above it.

    >>> shortest_cut(0.49, 0.485), shortest_cut(0.5338291, 0.52), shortest_cut(0.99999999963, 0.9999999995)
    ('0.49', '0.53', '0.9999999996')
    """
    if not math.isfinite(at):
        return "∞" if at > 0 else "-∞"
    exact = Decimal(repr(at))
    for digits in range(1, 18):
        short = float(Context(prec=digits, rounding=ROUND_FLOOR).create_decimal(exact))
        if short > below:
            return repr(short).removesuffix(".0")
    return repr(at)
