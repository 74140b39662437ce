"""The paired permutation test: would a difference this large be a surprise if the two models were interchangeable?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import karat.measures  # noqa: F401 - declares the measures, which are found by name here
from karat.comparisons.exchange_law import ExchangeLaw
from karat.comparisons.measure_names import in_sentence
from karat.core.comparison import MODELS, comparison
from karat.core.errors import InputError, option
from karat.core.keywords import understand
from karat.core.measure import Measure
from karat.core.record import Verdict
from karat.core.validation import checked_level, false_alarms, two_names, whole
from karat.core.words import counted, number, p_value
from karat.data import Predictions
from karat.data.row_labels import refuse_unlike_rows
from karat.findings.copies import told_of_copies
from karat.measures.lookup import find
from karat.resampling.draws import entropy
from karat.resampling.exchanges import Exchanges
from karat.statistics import Summary


@dataclass(frozen=True, eq=False, repr=False)
class Permutation(Verdict):
    """The difference of a measure between two models, and how often permuting their predictions makes one as large.

    Attributes
    ----------
    measure, title : str
        Its symbol, and what most of the field calls it.
    names : tuple of str
        The first and the second model.
    first, second : float
        Their values.
    p : float
        nan where the measure is undefined; `reason` says why.
    replicates : int
        Number of permutations.
    exact : bool
        Were all permutations tried, instead of some drawn at random?
    undefined : int
        Permutations in which the measure has no value; they count as large differences.
    orientation : int
        1 if a higher value is better, -1 if a lower one is, 0 if the measure only describes.
    reason : str
    level : float
        Confidence of the test.
    caveat : str
        What to know of the p-value, if rows are copies of each other; the verdict says it.
    """

    measure: str
    names: tuple[str, str]
    first: float
    second: float
    p: float
    replicates: int
    exact: bool
    undefined: int
    orientation: int
    reason: str = ""
    level: float = 0.95
    title: str = ""
    caveat: str = ""

    @property
    def spoken(self) -> str:
        """The measure as a sentence names it."""
        return in_sentence(self.title or self.measure)

    @property
    def difference(self) -> float:
        """First minus second."""
        return self.first - self.second

    @property
    def smallest_p(self) -> float:
        """The smallest p-value that so many permutations can give: each has an opposite that is as large."""
        return min(1.0, 2 / self.replicates) if self.exact else 1 / (1 + self.replicates)

    @property
    def hopeless(self) -> bool:
        """Are there too few permutations to show any difference at this level?"""
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
        """What was found, in one sentence; and in another, if rows are copies."""
        return " ".join(filter(None, (self._found(), self.caveat)))

    def _found(self) -> str:
        a, b = self.names
        if self.p != self.p:
            return f"{a} and {b} can't be compared by {self.spoken}: {self.reason}."
        seen = f"{number(self.first)} and {number(self.second)}, {p_value(self.p)}"
        if self.hopeless:
            return self._hopeless_verdict(seen)
        if self.p > false_alarms(self.level):
            return f"No significant difference between {a} and {b} on {self.spoken} ({seen})."
        if not self.orientation:
            return f"{a} and {b} differ significantly on {self.spoken} ({seen})."
        better, worse = (a, b) if self.difference * self.orientation > 0 else (b, a)
        return f"{better} is significantly better than {worse} on {self.spoken} ({seen})."

    def _hopeless_verdict(self, seen: str) -> str:
        both = " and ".join(self.names)
        if self.exact and self.replicates == 1:
            return f"No significant difference between {both}: they agree on all that {self.spoken} depends on."
        few, more = "they differ on too few cases, so", ""
        if not self.exact:
            few, more = f"with {counted(self.replicates, 'replicate')}", f"; pass a higher {option('replicates')}"
        least = f"p can't be below {number(self.smallest_p)}"
        return f"No test of {self.spoken} could show a difference between {both}: {few} {least} ({seen}){more}."


@comparison(of=MODELS, cite="yeh2000")
@understand(usage="permutation_test('mcc', y_true, (p1, p2)), or karat.compare({'a': e1, 'b': e2}, test='permutation')")
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

    A paired permutation test of any measure [yeh2000]. If the models are interchangeable, so are their predictions of
    each case: the p-value is the share of random exchanges, the data themselves counted once, with a difference at
    least as large [phipson2010].

    Parameters
    ----------
    measure : str or Measure
        By symbol, name or alias.
    y_true : array-like of shape (n,)
        True labels.
    y_proba, y_pred, y_score : pair of array-like, optional
        (of the first model, of the second); each as in `karat.evaluate`.
    labels, positive, sample_weight
        As in `karat.evaluate`.
    replicates : int, default 9999
        Number of random permutations. Where the models differ on so few cases that there are no more, all are tried
        and the test is exact.
    seed : int or numpy.random.Generator, optional
    names : tuple of str, default ("A", "B")
        Names of the models, for the verdict.
    level : float, default 0.95
        Confidence of the test.

    Returns
    -------
    Permutation

    See Also
    --------
    compare : intervals too, and corrected for several measures and models.
    mcnemar : the test of accuracy, exact or mid-p.

    Examples
    --------
    >>> truth = [0, 1] * 10
    >>> test = permutation_test("Acc", truth, y_pred=(truth, [0] * 20))
    >>> test.difference, test.p == 2 / 2**10, test.exact
    (0.5, True, True)
    >>> test.verdict
    'A is significantly better than B on accuracy (1 and 0.500, p = 0.002).'
    """
    find(measure)
    names = two_names(names)
    if not isinstance(seed, np.random.Generator | None):
        entropy(seed)
    pairs = {"y_proba": y_proba, "y_pred": y_pred, "y_score": y_score}
    for name, pair in pairs.items():
        if pair is not None and (isinstance(pair, str | dict) or not hasattr(pair, "__len__") or len(pair) != 2):
            raise InputError(f"{name} is not a pair; give ({name} of the first model, {name} of the second).")
    columns = [(f"{name}[{i}]", pair[i]) for name, pair in pairs.items() if pair is not None for i in (0, 1)]
    refuse_unlike_rows([("y_true", y_true), *columns, ("sample_weight", sample_weight)])

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
        return Permutation(m.symbol, names, a, b, math.nan, 0, False, 0, m.orientation, reason, level, m.title)
    exact = exchanges.units < 31 and 1 << exchanges.units <= replicates + 1
    law = ExchangeLaw.of(exchanges, replicates, np.random.default_rng(seed), exact)
    count, tried = law.as_large(abs(a - b)), len(law.differences)
    p = count / tried if exact else (1 + count) / (1 + tried)
    seen = (law.undefined, m.orientation, "", level, m.title)
    caveat = told_of_copies({"first": Summary(first), "second": Summary(second)}, by="use karat.compare with")
    return Permutation(m.symbol, names, a, b, p, tried, exact, *seen, caveat)
