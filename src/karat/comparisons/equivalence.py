"""Two one-sided tests: is a difference too small to matter? (That a test finds no difference does not say so.)"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from numbers import Real
from typing import Any

from karat.core.comparison import MODELS, comparison
from karat.core.errors import InputError, quoted, type_words
from karat.core.keywords import understand
from karat.core.record import Verdict
from karat.core.table import Table
from karat.core.validation import checked_level, false_alarms, two_names
from karat.core.words import PValue, interval, p_value, within


@dataclass(frozen=True, eq=False, repr=False)
class Equivalence(Verdict):
    """Two one-sided tests of a difference against a margin.

    Attributes
    ----------
    estimate : float
        The difference.
    margins : tuple of float
        Differences between these are too small to matter.
    p_below, p_above : float
        p-values of "the difference is at most the lower margin" and "at least the upper margin".
    interval : tuple of float
        The interval of level 2 level - 1 (0.90 of 0.95): it lies between the margins exactly if both tests reject.
    level : float
        Confidence of the tests.
    names : tuple of str
        The first and the second model.
    """

    estimate: float
    margins: tuple[float, float]
    p_below: float
    p_above: float
    interval: tuple[float, float]
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
        edge = within(high) if -low == high else f"{within(low)} to {within(high)}"
        seen = f"difference {interval(self.estimate, *self.interval)}, margin {edge}"
        if self.equivalent:
            return f"{a} and {b} are equivalent ({seen}; {p_value(self.p)})."
        if self.interval[0] > high or self.interval[1] < low:
            higher, lower = (a, b) if self.estimate > 0 else (b, a)
            return f"{a} and {b} are not equivalent: {higher} exceeds {lower} by more than the margin ({seen})."
        return f"Equivalence of {a} and {b} is not shown ({seen}; {p_value(self.p)})."


@comparison(of=MODELS, cite="schuirmann1987")
@understand(
    usage="equivalence(estimate, standard_error, margin), or karat.compare({'a': p1, 'b': p2}, y_true, margin=0.02)"
)
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

    Two one-sided tests from an estimate of it and its standard error [schuirmann1987].

    Parameters
    ----------
    estimate : float
        The difference.
    standard_error : float
        Its standard error.
    margin : float or tuple of float
        The smallest difference that matters, or a pair (below 0, above 0).
    df : float, default inf
        Degrees of freedom; with them the tests are t tests, otherwise normal.
    level : float, default 0.95
        Confidence of the tests.
    names : tuple of str, default ("A", "B")
        Names of the models, for the verdict.

    Returns
    -------
    Equivalence

    See Also
    --------
    compare : with `margin`, equivalence and non-inferiority on any measure.

    Examples
    --------
    >>> test = equivalence(0.004, 0.003, 0.01)
    >>> round(test.p, 4), test.equivalent
    (0.0228, True)
    >>> test.verdict
    'A and B are equivalent (difference 0.00400 [-0.00093, 0.00893], margin 0.01; p = 0.023).'
    """
    margins, level = margin_ends(margin), checked_level(level)
    numbers = all(isinstance(value, Real) for value in (estimate, standard_error, df))
    if not (numbers and math.isfinite(estimate) and math.isfinite(standard_error) and standard_error > 0 and df > 0):
        if not numbers:
            raise InputError(
                f"the difference is {type_words(estimate)} and its standard error {type_words(standard_error)}; give "
                "numbers, or use karat.compare(models, y_true, margin=0.02)."
            )
        raise InputError(
            f"the difference is {estimate} with the standard error {standard_error} and {df} degrees of freedom; give "
            "a finite difference, and a standard error and degrees of freedom above 0."
        )
    from scipy.special import ndtr, ndtri, stdtr, stdtrit

    below, above = ((margins[0] - estimate) / standard_error, (estimate - margins[1]) / standard_error)
    p = [float(ndtr(x) if math.isinf(df) else stdtr(df, x)) for x in (below, above)]
    half = float(ndtri(level) if math.isinf(df) else stdtrit(df, level)) * standard_error
    ends = (estimate - half, estimate + half)
    return Equivalence(float(estimate), margins, p[0], p[1], ends, level, two_names(names))


def interval_of_tests(
    tail: Callable[[float, int], float], estimate: float, level: float, reach: float
) -> tuple[float, float]:
    """The differences that neither of two one-sided tests rejects: between the margins exactly if both reject. `tail`
    is the p-value of "the difference is at most (side 1), or at least (side -1), so much", ends beyond
    `reach` are infinite; nan where they can't be told."""

    def end(side: int) -> float:
        rejected, kept = -side * reach, estimate
        if not tail(rejected, side) <= false_alarms(level):
            return math.nan if math.isnan(tail(rejected, side)) else -side * math.inf
        if tail(kept, side) <= false_alarms(level):  # corrected for bias, they may reject what was seen
            kept = side * reach
        for _ in range(HALVINGS):
            middle = (rejected + kept) / 2
            rejected, kept = (middle, kept) if tail(middle, side) <= false_alarms(level) else (rejected, middle)
        return rejected

    return end(1), end(-1)


HALVINGS = 60
"""Of a range, after which a number is known to its last digits."""


def margin_ends(margin: float | tuple[float, float]) -> tuple[float, float]:
    """Between which a difference is too small to matter."""
    ends = tuple(margin) if isinstance(margin, tuple | list) else (margin, margin)
    if len(ends) == 2 and all(isinstance(end, Real) and not isinstance(end, bool) for end in ends):
        low, high = ends if isinstance(margin, tuple | list) else (-ends[0], ends[1])
        if math.isfinite(low) and math.isfinite(high) and low < 0 < high:
            return float(low), float(high)
    raise InputError(f"margin is {quoted([margin])}; give the smallest difference that matters, or (below 0, above 0).")
