"""Intervals of plain rates: so many of so many."""

from __future__ import annotations

import math

from scipy.special import betainc, ndtri

MANY = 100
"""Cases from which on Wilson's interval of a rate covers well; below, the exact one by the mid-P rule does."""
OFTEN = 0.3
"""The share of samples that show the most there is, from which on no other is rare enough to count on that side."""


def of_rate(cases: float, of: float, level: float, chosen: bool = True) -> tuple[float, float, str]:
    """(low, high, method) of a share; was the number that it is of `chosen`, or is it another in each sample?"""
    if of >= MANY or cases != round(cases) or of != round(of):
        return *wilson(cases, of, level), "wilson"
    return *mid_p(cases, of, level, chosen), "mid-p"


def spent(tail: float, often: float, alone: float = 1.0) -> float:
    """The share of samples that may miss a population on one side. It is a tail; but the more often samples show the
    most that there is on the other side (no error at all, or no hit), the less any sample can miss it there, and both
    tails may be spent on this one (as Blaker 2000 does, but not all at once). `alone`: as far as that is all that a
    measure depends on."""
    return tail * (1 + alone * min(often / OFTEN, 1.0))


def wilson(cases: float, of: float, level: float) -> tuple[float, float]:
    """Wilson's interval (1927) of a share: the shares that a score test at this level does not reject."""
    z = float(ndtri((1 + level) / 2))
    share, square = cases / of, z * z / of
    middle = (share + square / 2) / (1 + square)
    half = z * math.sqrt(share * (1 - share) / of + square / (4 * of)) / (1 + square)
    return (0.0 if cases == 0 else middle - half), (1.0 if cases == of else middle + half)


def mid_p(cases: float, of: float, level: float, chosen: bool = True) -> tuple[float, float]:
    """The shares that the exact binomial test does not reject, what was seen counting half (Lancaster 1961). Where the
    number that it is of differs between samples its jumps even out, and a tail that nothing can miss is spent."""
    tail = (1 - level) / 2
    return (
        0.0 if cases == 0 else _share(cases, of, tail, chosen),
        1.0 if cases == of else 1 - _share(of - cases, of, tail, chosen),
    )


def most_unseen(of: float, level: float) -> float:
    """The largest share of cases of a kind that may well exist although none was among so many."""
    return 1 - float(((1 - level) / 2) ** (1 / of))


def _share(cases: float, of: float, tail: float, chosen: bool) -> float:
    """The share with which so many cases or more have this probability, what was seen counting half."""

    def above(share: float) -> float:
        more = float(betainc(cases + 1, of - cases, share)) if cases < of else 0.0
        return (more + float(betainc(cases, of - cases + 1, share))) / 2

    low, high = 0.0, 1.0
    for _ in range(60):  # halving: the probability grows with the share
        middle = (low + high) / 2
        least = tail if chosen else spent(tail, (1 - middle) ** of)
        low, high = (middle, high) if above(middle) < least else (low, middle)
    return (low + high) / 2
