"""How comparisons are put into words: with what all sentences share, intervals and probabilities."""

from __future__ import annotations

from karat.core.words import listed, number, p_value

__all__ = ["interval", "listed", "number", "p_value", "share"]


def interval(estimate: float, low: float, high: float, digits: int = 2) -> str:
    """An estimate and its interval.

    >>> interval(0.03, 0.01, 0.052)
    '.03 [.01, .05]'
    """
    return f"{number(estimate, digits)} [{number(low, digits)}, {number(high, digits)}]"


def share(value: float) -> str:
    """A probability that is never written as certain.

    >>> share(0.953), share(0.9999), share(0.0001)
    ('95 %', 'over 99 %', 'under 1 %')
    """
    if value > 0.99:
        return "over 99 %"
    return "under 1 %" if value < 0.01 else f"{100 * value:.0f} %"
