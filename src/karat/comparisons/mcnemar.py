"""McNemar's test: do two models err equally often on the same cases?"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from karat.core.comparison import MODELS, comparison
from karat.core.errors import InputError
from karat.core.keywords import understand
from karat.core.plain_data import plain
from karat.core.record import Verdict
from karat.core.table import Table
from karat.core.validation import checked_level, false_alarms, one_of, two_names
from karat.core.words import counted, number, p_value
from karat.data import Predictions
from karat.data.row_labels import refuse_unlike_rows
from karat.intervals.rate_interval import mid_p, wilson
from karat.statistics.p_values import mid_p_sign_test, never_0, normal_tail, sign_test


@dataclass(frozen=True, eq=False, repr=False)
class McNemar(Verdict):
    """Cases on which just one of two models is correct, and the p-value of "both are correct equally often".

    Attributes
    ----------
    names : tuple of str
        The first and the second model.
    both_right, only_first, only_second, both_wrong : int
        Cases on which both models are correct, just the first, just the second, or neither.
    statistic : float
        Chi-square; of the exact tests the smaller number of flips.
    p : float
    method : str
    level : float
        Confidence of the test.
    """

    names: tuple[str, str]
    both_right: int
    only_first: int
    only_second: int
    both_wrong: int
    statistic: float
    p: float
    method: str
    level: float = 0.95

    @property
    def n(self) -> int:
        """Number of cases."""
        return self.both_right + self.only_first + self.only_second + self.both_wrong

    @property
    def smallest_p(self) -> float:
        """The smallest p-value that so many flips could give, had all been in favour of one model."""
        return METHODS[self.method](self.only_first + self.only_second, 0)[1]

    @property
    def cohens_g(self) -> float:
        """The first model's share of the flips, less one half: Cohen's g, small from 0.05 on, medium from 0.15, large
        from 0.25 [cohen1988]; nan without flips."""
        flips = self.only_first + self.only_second
        return self.only_first / flips - 0.5 if flips else math.nan

    @property
    def odds_ratio(self) -> float:
        """How many times as often just the first model is correct as just the second; nan without flips."""
        if not self.only_second:
            return math.inf if self.only_first else math.nan
        return self.only_first / self.only_second

    @property
    def odds_interval(self) -> tuple[float, float]:
        """Its interval at this level: the odds that the test does not reject. So it holds 1 if p is above 1 - level,
        and only then. From 0 to infinity without flips."""
        low, high = self._share_interval()
        return low / (1 - low), high / (1 - high) if high < 1 else math.inf

    def _share_interval(self) -> tuple[float, float]:
        """The same of the first model's share of the flips."""
        from scipy.special import betaincinv

        b, c, tail = self.only_first, self.only_second, false_alarms(self.level) / 2
        if self.method in LESS and b + c:
            less = LESS[self.method] / 2
            low = wilson(b - less, b + c, self.level)[0] if b else 0.0
            return low, wilson(b + less, b + c, self.level)[1] if c else 1.0
        if b + c and (self.method == "mid-p" or (self.method == "auto" and b and c)):
            return mid_p(b, b + c, self.level)
        low = float(betaincinv(b, c + 1, tail)) if b else 0.0
        return low, float(betaincinv(b + 1, c, 1 - tail)) if c else 1.0

    def to_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON, with the verdict and sizes of the effect; undefined or infinite is None."""
        sizes = ("smallest_p", "cohens_g", "odds_ratio", "odds_interval")
        return super().to_dict() | {name: plain(getattr(self, name)) for name in sizes}

    def turned(self) -> McNemar:
        """The second model first."""
        return replace(self, names=self.names[::-1], only_first=self.only_second, only_second=self.only_first)

    @property
    def verdict(self) -> str:
        """What was found, in one sentence."""
        a, b = self.names
        flips = self.only_first + self.only_second
        if not flips:
            return f"No significant difference between {a} and {b}: they are correct on the same cases."
        count = f"{self.only_first} against {self.only_second} of the {counted(flips)} on which just one is correct"
        if self.p <= false_alarms(self.level):
            better, worse = (a, b) if self.only_first > self.only_second else (b, a)
            return f"{better} is correct significantly more often than {worse} ({count}; {p_value(self.p)})."
        if self.smallest_p > false_alarms(self.level):
            return (
                f"No test could show a significant difference in accuracy between {a} and {b}: they differ on so few "
                f"cases that p can't be below {number(self.smallest_p)} ({count}; {p_value(self.p)})."
            )
        return f"No significant difference in accuracy between {a} and {b} ({count}; {p_value(self.p)})."

    def to_table(self) -> Table:
        """The table of flips: rows the first model, columns the second."""
        a, b = self.names
        return Table(
            {
                f"{a} \\ {b}": [f"{a} correct", f"{a} wrong"],
                f"{b} correct": [self.both_right, self.only_second],
                f"{b} wrong": [self.only_first, self.both_wrong],
            },
            self.verdict,
        )


@comparison(of=MODELS, cite="mcnemar1947")
@understand(usage="mcnemar(y_true, y_pred_1, y_pred_2), or karat.compare({'a': e1, 'b': e2})")
def mcnemar(
    y_true: Any,
    first: Any,
    second: Any,
    *,
    method: str = "exact",
    names: tuple[str, str] = ("A", "B"),
    level: float = 0.95,
    sample_weight: Any = None,
) -> McNemar:
    """Do two models err equally often on the same cases?

    McNemar's test of their predicted labels [mcnemar1947].

    Parameters
    ----------
    y_true : array-like of shape (n,)
        True labels.
    first, second : array-like of shape (n,)
        Predicted labels of the two models.
    method : {"exact", "mid-p", "auto", "chi-square", "chi-square-corrected"}, default "exact"
        "exact": binomial, never above its level. "mid-p": closer to its level, and hardly ever above it
        [fagerland2013]. "auto", which `karat.compare` uses: mid-p, but exact where all flips are in favour of one
        model. "chi-square": for many flips; "chi-square-corrected": with the continuity correction of [edwards1948].
    names : tuple of str, default ("A", "B")
        Names of the models, for the verdict.
    level : float, default 0.95
        Confidence of the test.
    sample_weight : None
        Weights are refused: the test counts cases.

    Returns
    -------
    McNemar

    See Also
    --------
    cochran : more than two models.
    permutation_test : any measure, with weights.

    Notes
    -----
    Labels do not show whether rows are copies of each other, which makes p-values too small; `karat.compare`, given
    probabilities, notices it and says so.

    Examples
    --------
    >>> truth = [1] * 12
    >>> test = mcnemar(truth, [1] * 9 + [0] * 3, [1, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0])
    >>> test.only_first, test.only_second, round(test.p, 4)
    (7, 1, 0.0703)
    >>> test.verdict.split(' (')[0]
    'No significant difference in accuracy between A and B'
    """
    if sample_weight is not None:
        raise InputError(
            "McNemar's test counts cases and can't take weights; leave sample_weight out, or use permutation_test, "
            "which takes weights."
        )
    refuse_unlike_rows([("y_true", y_true), ("first", first), ("second", second)])
    models = [Predictions.of(y_true, y_pred=decisions) for decisions in (first, second)]
    right, also = ((p.decided == p.truth)[0] for p in models)  # type: ignore[index]
    return mcnemar_of(right, also, method=method, names=two_names(names), level=level)


def mcnemar_of(
    right: Any, also: Any, *, method: str = "exact", names: tuple[str, str] = ("A", "B"), level: float = 0.95
) -> McNemar:
    """The same [mcnemar1947], given for each case whether the first model is correct, and whether the second is."""
    b, c, both = (int(x.sum()) for x in (right & ~also, also & ~right, right & also))
    return mcnemar_of_counts(b, c, both, len(right), method=method, names=names, level=level)


def mcnemar_of_counts(
    first: int, second: int, both: int, n: int, *, method: str = "exact", names: tuple[str, str], level: float
) -> McNemar:
    """The same of n cases, given on how many only the first model is correct, only the second, and both."""
    level = checked_level(level)
    statistic, p = METHODS[one_of("method", method, METHODS)](first, second)
    wrong = int(n) - first - second - both
    return McNemar(names, both, first, second, wrong, float(statistic), float(p), method, level)


def score_tail(gained: int, lost: int, n: int, shift: float) -> float:
    """The p-value of "the first is right in at most `shift` (not 0) more of all cases than the second": the score test
    of paired shares [tango1998], half a case less sure, as few flips need."""
    if abs(shift) >= 1:
        return float(shift > 0)
    b, c = -gained - lost + (2 * n - gained + lost) * shift, -lost * shift * (1 - shift)
    losing = (math.sqrt(max(b * b - 8 * n * c, 0.0)) - b) / (4 * n)  # the likeliest share of losses at that shift
    variance = n * (2 * losing + shift * (1 - shift))
    ahead = gained - lost - n * shift - 0.5
    if not variance > 0:  # at that shift nothing could be otherwise
        return float(ahead <= 0)
    return never_0(normal_tail(ahead / math.sqrt(variance)))


def _exact(b: int, c: int) -> tuple[float, float]:
    return min(b, c), sign_test(b, c, sides=2)


def _mid_p(b: int, c: int) -> tuple[float, float]:
    from scipy.special import gammaln

    low, n = min(b, c), b + c
    as_seen = math.exp(gammaln(n + 1) - gammaln(low + 1) - gammaln(n - low + 1) - n * math.log(2))
    return low, 1.0 if b == c else 2 * sign_test(max(b, c), low) - as_seen


def _chi_square(b: int, c: int, less: int = 0) -> tuple[float, float]:
    from scipy.special import chdtrc

    if b + c == 0:
        return math.nan, 1.0
    statistic = max(abs(b - c) - less, 0) ** 2 / (b + c)
    return statistic, never_0(float(chdtrc(1, statistic)))


LESS = {"chi-square": 0, "chi-square-corrected": 1}
"""What is taken from the difference of the flips first."""
METHODS: Mapping[str, Callable[[int, int], tuple[float, float]]] = {
    "exact": _exact,
    "mid-p": _mid_p,
    "auto": lambda b, c: (min(b, c), mid_p_sign_test(b, c, sides=2)),
    **{method: partial(_chi_square, less=less) for method, less in LESS.items()},
}
"""Numbers of flips to statistic and p-value."""
