"""How comparisons are put into words: with what all sentences share, intervals and probabilities."""

from __future__ import annotations

from typing import Any

from karat.core.words import PValue, listed, number, p_value

__all__ = ["PValue", "interval", "listed", "number", "p_value", "share", "within"]


def interval(estimate: float, low: float, high: float, digits: int = 2) -> str:
    """An estimate and its interval.

    >>> interval(0.03, 0.01, 0.052)
    '.03 [.01, .05]'
    """
    return f"{number(estimate, digits)} [{number(low, digits)}, {number(high, digits)}]"


def within(margin: Any) -> str:
    """The differences that are too small to matter.

    >>> within(0.01), within(2), within((-0.01, 0.02))
    ('.01', '2', '-.01 and .02')
    """
    ends = margin if isinstance(margin, tuple | list) else (margin,)
    texts = [f"{float(x):g}" for x in ends]
    return " and ".join(t.replace("0.", ".", 1) if t.startswith(("0.", "-0.")) else t for t in texts)


def share(value: float) -> str:
    """A probability that is never written as certain.

    >>> share(0.953), share(0.9999), share(0.0001)
    ('95 %', 'over 99 %', 'under 1 %')
    """
    if value > 0.99:
        return "over 99 %"
    return "under 1 %" if value < 0.01 else f"{100 * value:.0f} %"
