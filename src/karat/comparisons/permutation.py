"""The paired permutation test: would a difference this large be a surprise if the two models were interchangeable?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import karat.measures  # noqa: F401 - declares the measures, which are found by name here
from karat.comparisons.exchange_law import ExchangeLaw
from karat.core.comparison import MODELS, comparison
from karat.core.errors import InputError, option
from karat.core.measure import Measure
from karat.core.record import Verdict
from karat.core.validation import checked_level, false_alarms, whole
from karat.core.words import counted, number, p_value
from karat.data import Predictions
from karat.measures.lookup import find
from karat.resampling.exchanges import Exchanges


@dataclass(frozen=True, eq=False, repr=False)
class Permutation(Verdict):
    """The difference of a measure between two models, and how often exchanging their predictions case by case makes a
    difference at least as large."""

    measure: str
    names: tuple[str, str]
    first: float
    second: float
    p: float
    replicates: int
    exact: bool
    """were all exchanges tried, instead of some drawn at random?"""
    undefined: int
    """replicates in which the measure has no value; they count as large differences"""
    orientation: int
    """1 if a higher value is better, -1 if a lower one is, 0 if the measure only describes"""
    reason: str = ""
    """why p is undefined"""
    level: float = 0.95

    @property
    def difference(self) -> float:
        """First minus second."""
        return self.first - self.second

    @property
    def smallest_p(self) -> float:
        """The smallest that so many exchanges could give: with every exchange its opposite is as large."""
        return min(1.0, 2 / self.replicates) if self.exact else 1 / (1 + self.replicates)

    @property
    def hopeless(self) -> bool:
        """Are there too few exchanges to show any difference at this level?"""
        return self.smallest_p > false_alarms(self.level)

    def to_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON; undefined is None."""
        known = self.p == self.p
        return super().to_dict() | {
            "difference": self.difference if math.isfinite(self.difference) else None,
            "smallest_p": self.smallest_p if known else None,
        }

    @property
    def verdict(self) -> str:
        """What was found, in one sentence."""
        a, b = self.names
        if self.p != self.p:
            return f"{a} and {b} can't be compared by {self.measure}: {self.reason}."
        seen = f"{self.measure} {number(self.first)} and {number(self.second)}, {p_value(self.p)}"
        if self.hopeless:
            return self._hopeless_verdict(seen)
        if self.p > false_alarms(self.level):
            return f"{a} and {b} can't be told apart by {self.measure} ({seen})."
        if not self.orientation:
            return f"{a} and {b} differ in {self.measure} ({seen})."
        first_is_better = self.difference * self.orientation > 0
        return f"{a if first_is_better else b} is better than {b if first_is_better else a} ({seen})."

    def _hopeless_verdict(self, seen: str) -> str:
        a, b = self.names
        least = f"{p_value(self.smallest_p)} is the smallest that they could give ({seen})."
        if not self.exact:
            drawn = counted(self.replicates, "exchange")
            verb = "is" if self.replicates == 1 else "are"
            return f"{drawn} {verb} too few to tell {a} and {b} apart, give a higher {option('replicates')}: {least}"
        if self.replicates == 1:
            return f"{a} and {b} are the same in all that {self.measure} sees, so nothing tells them apart."
        return f"{a} and {b} differ on too few cases to be told apart by {self.measure}: {least}"


@comparison(of=MODELS, cite="yeh2000")
def permutation_test(
    measure: str | Measure,
    y_true: Any,
    y_proba: Sequence[Any] | None = None,
    y_pred: Sequence[Any] | None = None,
    *,
    y_score: Sequence[Any] | None = None,
    labels: Any = None,
    positive: Any = None,
    sample_weight: Any = None,
    replicates: int = 9999,
    seed: int | np.random.Generator | None = None,
    names: tuple[str, str] = ("A", "B"),
    level: float = 0.95,
) -> Permutation:
    """Would a measure differ so much between two models that are interchangeable?

    A paired permutation test of any measure [yeh2000]. `y_proba`, `y_pred` and `y_score` are pairs (of the first
    model, of the second), otherwise as in `karat.evaluate`.
    If the models are interchangeable, so are their predictions of each case: the p-value is the share of random
    exchanges, the data themselves counted once, with a difference at least as large [phipson2010]. Where the models
    differ in so few cases that there are no more exchanges than `replicates`, all are tried and the test is exact.

    >>> truth = [0, 1] * 10
    >>> test = permutation_test("Acc", truth, y_pred=(truth, [0] * 20))
    >>> test.difference, test.p == 2 / 2**10, test.exact
    (0.5, True, True)
    """
    pairs = {"y_proba": y_proba, "y_pred": y_pred, "y_score": y_score}
    for name, pair in pairs.items():
        if pair is not None and (isinstance(pair, str | dict) or not hasattr(pair, "__len__") or len(pair) != 2):
            raise InputError(f"{name} is not a pair; give ({name} of the first model, {name} of the second).")

    def model(i: int, classes: Any) -> Predictions:
        given: dict[str, Any] = {name: None if pair is None else pair[i] for name, pair in pairs.items()}
        return Predictions.of(y_true, **given, labels=classes, positive=positive, sample_weight=sample_weight)

    first, second = model(0, labels), model(1, labels)
    if labels is None and first.classes != second.classes:  # one of them decides for a class that the other never does
        both = sorted({*first.classes, *second.classes})
        first, second = model(0, both), model(1, both)
    return permutation_of_predictions(measure, first, second, replicates, seed, names, level)


def permutation_of_predictions(
    measure: str | Measure,
    first: Predictions,
    second: Predictions,
    replicates: int = 9999,
    seed: int | np.random.Generator | None = None,
    names: tuple[str, str] = ("A", "B"),
    level: float = 0.95,
) -> Permutation:
    """`permutation_test` of predictions that were checked before [yeh2000]."""
    level = checked_level(level)
    replicates = whole("replicates", replicates)
    m = find(measure)
    exchanges = Exchanges(first, second, m)
    a, b = exchanges.values()
    if not (math.isfinite(a) and math.isfinite(b)):
        which = names[0] if not math.isfinite(a) else names[1]
        reason = f"it is undefined for {which}" + (f", because {m.undefined}" if m.undefined else "")
        return Permutation(m.symbol, names, a, b, math.nan, 0, False, 0, m.orientation, reason, level)
    exact = exchanges.units < 31 and 1 << exchanges.units <= replicates + 1
    law = ExchangeLaw.of(exchanges, replicates, np.random.default_rng(seed), exact)
    count, tried = law.as_large(abs(a - b)), len(law.differences)
    p = count / tried if exact else (1 + count) / (1 + tried)
    return Permutation(m.symbol, names, a, b, p, tried, exact, law.undefined, m.orientation, "", level)
