"""Two one-sided tests: is a difference too small to matter? (That a test finds no difference does not say so.)"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from karat.core.comparison import MODELS, comparison
from karat.core.errors import InputError
from karat.core.record import Verdict
from karat.core.table import Table
from karat.core.validation import checked_level, false_alarms
from karat.core.words import PValue, interval, number, p_value


@dataclass(frozen=True, eq=False, repr=False)
class Equivalence(Verdict):
    """Tests of "the difference is below the margins" and "it is above them"; both must be rejected."""

    estimate: float
    margins: tuple[float, float]
    """differences between these are too small to matter"""
    p_below: float
    """of the test that the difference is not above the lower margin"""
    p_above: float
    """of the test that the difference is not below the upper margin"""
    interval: tuple[float, float]
    """the interval of level 2 level - 1 (.90 of .95) that lies between the margins exactly if both tests reject"""
    level: float = 0.95
    names: tuple[str, str] = ("A", "B")

    @property
    def p(self) -> float:
        """The p-value of both together: the larger."""
        return max(self.p_below, self.p_above)

    @property
    def equivalent(self) -> bool:
        """Is the difference shown to be too small to matter?"""
        return self.p <= false_alarms(self.level)

    def to_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON."""
        return super().to_dict() | {"p": self.p, "equivalent": self.equivalent}

    def to_table(self) -> Table:
        """One row for each number."""
        (low, high), (least, most) = self.margins, self.interval
        rows = {
            "difference": self.estimate,
            "interval from": least,
            "interval to": most,
            "margin below": low,
            "margin above": high,
            "p below": PValue(self.p_below),
            "p above": PValue(self.p_above),
            "p": PValue(self.p),
        }
        return Table({"what": list(rows), "value": list(rows.values())}, self.verdict)

    @property
    def verdict(self) -> str:
        """What was found, in one sentence."""
        a, b = self.names
        low, high = self.margins
        digits = 2 if min(-low, high) >= 0.1 else 3 if min(-low, high) >= 0.01 else 4
        edge = number(high, digits) if -low == high else f"{number(low, digits)} to {number(high, digits)}"
        seen = f"difference {interval(self.estimate, *self.interval, digits)}, margin {edge}"
        if self.equivalent:
            return f"{a} and {b} are equivalent: the difference is too small to matter ({seen}; {p_value(self.p)})."
        if self.interval[0] > high or self.interval[1] < low:
            better, worse = (a, b) if self.estimate > 0 else (b, a)
            return f"{a} and {b} are not equivalent: {better} is above {worse} by more than the margin ({seen})."
        return f"{a} and {b} are not shown to be equivalent ({seen}; {p_value(self.p)})."


@comparison(of=MODELS, cite="schuirmann1987")
def equivalence(
    estimate: float,
    standard_error: float,
    margin: float | tuple[float, float],
    *,
    df: float = math.inf,
    level: float = 0.95,
    names: tuple[str, str] = ("A", "B"),
) -> Equivalence:
    """Is a difference between two models too small to matter?

    Two one-sided tests from an estimate of it and its standard error [schuirmann1987]. `margin` is the smallest
    difference that matters, or a pair (lower, upper) around 0; with `df` degrees of freedom the tests are t tests,
    otherwise normal.

    >>> test = equivalence(0.004, 0.003, 0.01)
    >>> round(test.p, 4), test.equivalent
    (0.0228, True)
    """
    margins, level = margin_ends(margin), checked_level(level)
    if not (math.isfinite(estimate) and math.isfinite(standard_error) and standard_error > 0 and df > 0):
        raise InputError(
            f"the difference is {estimate} with the standard error {standard_error} and {df} degrees of freedom; give "
            "a finite difference, and a standard error and degrees of freedom above 0."
        )
    from scipy.special import ndtr, ndtri, stdtr, stdtrit

    below, above = ((margins[0] - estimate) / standard_error, (estimate - margins[1]) / standard_error)
    p = [float(ndtr(x) if math.isinf(df) else stdtr(df, x)) for x in (below, above)]
    half = float(ndtri(level) if math.isinf(df) else stdtrit(df, level)) * standard_error
    return Equivalence(float(estimate), margins, p[0], p[1], (estimate - half, estimate + half), level, names)


def margin_ends(margin: float | tuple[float, float]) -> tuple[float, float]:
    """Between which a difference is too small to matter."""
    low, high = margin if isinstance(margin, tuple | list) else (-margin, margin)
    if not (math.isfinite(low) and math.isfinite(high) and low < 0 < high):
        raise InputError(f"margin is {margin}; give the smallest difference that matters, or (below 0, above 0).")
    return float(low), float(high)
