"""What tests share whose answers could as well have been exchanged: by all exchanges, by some, or by chi-square."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from karat.core.errors import InputError, option
from karat.core.record import Verdict
from karat.core.validation import checked_level, false_alarms, one_of, whole
from karat.core.words import p_value
from karat.statistics.p_values import never_0

METHODS = ("auto", "exact", "sampled", "chi-square")
MOST_SAMPLED = 50_000_000
"""Numbers that are drawn for a sampled p-value at most, unless it was asked for."""


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ExchangeTest(Verdict):
    """A statistic, its p-value, and the smallest that there could have been."""

    statistic: float
    """chi-square"""
    df: int
    p: float
    smallest_p: float
    """the smallest that cases like these could give, had they all gone one way"""
    method: str
    """exact: all exchanges of answers; sampled: some of them; or chi-square"""
    replicates: int = 0
    """exchanges that were drawn"""
    level: float = 0.95

    @property
    def differs(self) -> bool:
        """Is there a difference, at this level? Chi-square does not show what all exchanges could not."""
        return self.p <= false_alarms(self.level) and not self.hopeless

    @property
    def hopeless(self) -> bool:
        """Are there too few cases to show any difference at this level?"""
        return self.smallest_p > false_alarms(self.level)

    @property
    def p_in_words(self) -> str:
        """The p-value; where chi-square makes it smaller than it could be, that as well."""
        beyond = self.method == "chi-square" and self.hopeless and self.p < self.smallest_p
        return p_value(self.p) + (" by chi-square, which is not valid for so few" if beyond else "")


@dataclass(frozen=True, eq=False)
class Chance:
    """What is known of a statistic if all exchanges are equally likely."""

    statistic: float
    """nan: there is nothing to exchange"""
    df: int
    smallest: float
    exact: Callable[[bool], float]
    """the share of all exchanges with a statistic as large; nan if that is too much work (True: more is worth it)"""
    sampled: Callable[[int], int]
    """in how many of so many random exchanges it is as large"""
    width: int
    """numbers that an exchange needs"""
    many: bool
    """are there so many cases that chi-square is as good as drawing?"""
    subject: str
    """what can be exchanged, in words"""

    def test(self, method: str, replicates: Any, level: Any) -> dict[str, Any]:
        """The fields of an `ExchangeTest`: by this method, or by the first that is not too much work."""
        replicates, level = whole("replicates", replicates), checked_level(level)
        one_of("method", method, METHODS)
        common: dict[str, Any] = {"statistic": self.statistic, "df": self.df, "level": level}
        if self.statistic != self.statistic:  # nothing to exchange
            return common | {"p": 1.0, "smallest_p": 1.0, "method": "exact"}
        smallest = never_0(self.smallest)
        if method in ("auto", "exact"):
            p = self.exact(method == "exact")
            if p == p:
                return common | {"p": never_0(p), "smallest_p": smallest, "method": "exact"}
            if method == "exact":
                sampled = option("method", "sampled")
                raise InputError(f"there are too many permutations of {self.subject} to try all; use {sampled}.")
        few = not self.many and replicates * self.width <= MOST_SAMPLED
        if method == "sampled" or (method == "auto" and few):
            p, least = (1 + self.sampled(replicates)) / (1 + replicates), max(smallest, 1 / (1 + replicates))
            return common | {"p": p, "smallest_p": least, "method": "sampled", "replicates": replicates}
        from scipy.special import chdtrc

        p = never_0(float(chdtrc(self.df, self.statistic)))
        return common | {"p": p, "smallest_p": smallest, "method": "chi-square"}
