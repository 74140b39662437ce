"""Bowker's test of symmetry: where two models disagree, does one name a class in place of another as often as the other
names that one in its place?"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from karat.comparisons.exchange_test import Chance, ExchangeTest
from karat.core.arithmetic import Array
from karat.core.comparison import MODELS, comparison
from karat.core.errors import InputError, ShapeError
from karat.core.keywords import understand
from karat.core.table import Table
from karat.core.validation import two_names
from karat.core.words import counted, number
from karat.data.border import Labels, union
from karat.data.labels import distinct, placed
from karat.data.row_labels import refuse_unlike_rows
from karat.resampling.draws import blocks, entropy, stream

MOST_SUMS = 1 << 20
"""Sums that are held at a time for an exact p-value."""
ENOUGH = 10
"""Of every pair of classes so many disagreements are enough for chi-square."""
DIGITS = 9
"""To which sums are taken for the same, as rounding may have parted them."""
PURPOSE = 1 << 24
"""Of the random numbers (see `stream`)."""


@dataclass(frozen=True, eq=False, repr=False)
class Bowker(ExchangeTest):
    """The table of two models' predictions, and the p-value of "their disagreements are symmetric".

    Attributes
    ----------
    names : tuple of str
        The first and the second model.
    classes : tuple
        The classes, in the order of the table.
    table : list of list of int
        Number of cases by the class that the first model predicts (rows) and the second (columns).
    statistic, df, p, smallest_p, method, replicates, level
        Chi-square, its degrees of freedom (pairs of classes about which the models disagree at all) and p-value, the
        smallest p-value that cases like these could give, and how it was found.
    """

    names: tuple[str, str]
    classes: tuple[Any, ...]
    table: list[list[int]]

    @property
    def n(self) -> int:
        """Number of cases."""
        return int(np.sum(self.table))

    @property
    def disagreements(self) -> int:
        """Cases that the two predict differently."""
        return self.n - int(np.trace(self.table))

    @property
    def most_uneven(self) -> tuple[Any, Any, int, int]:
        """(class of the first, class of the second, so many cases, so many the other way round) of the pair of classes
        that adds most to the statistic."""
        t = np.array(self.table)
        with np.errstate(invalid="ignore"):
            parts = np.nan_to_num(np.where(t >= t.T, (t - t.T) ** 2 / (t + t.T), 0.0))
        i, j = (int(x) for x in np.unravel_index(int(parts.argmax()), parts.shape))
        return self.classes[i], self.classes[j], int(t[i, j]), int(t[j, i])

    def to_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON, with the verdict; undefined is None."""
        return super().to_dict() | {"n": self.n, "disagreements": self.disagreements}

    @property
    def verdict(self) -> str:
        """What was found, in one sentence."""
        a, b = self.names
        apart = self.disagreements
        if not apart:
            return f"{a} and {b} predict the same class in {'the only case' if self.n == 1 else f'all {self.n} cases'}."
        numbers = f"{apart} of {counted(self.n)}; chi-square({self.df}) = {number(self.statistic)}, {self.p_in_words}"
        if self.differs:
            one, other, there, back = self.most_uneven
            return (
                f"The disagreements of {a} and {b} are significantly asymmetric ({numbers}): most of all {a} predicts "
                f"{one} where {b} predicts {other} in {counted(there)}, and the other way round in {back}."
            )
        if self.hopeless:
            least = number(self.smallest_p)
            return (
                f"No test could show that the disagreements of {a} and {b} are asymmetric: they are so few that p "
                f"can't be below {least} ({numbers})."
            )
        return f"The disagreements of {a} and {b} are not significantly asymmetric ({numbers})."

    def to_table(self) -> Table:
        """The predictions: rows the first model, columns the second."""
        a, b = self.names
        rows: dict[str, list[Any]] = {f"{a} \\ {b}": [str(c) for c in self.classes]}
        columns = zip(self.classes, zip(*self.table, strict=True), strict=True)
        return Table(rows | {str(c): list(column) for c, column in columns}, self.verdict)


@comparison(of=MODELS, cite="bowker1948")
@understand(usage="bowker(y_pred_1, y_pred_2)")
def bowker(
    first: Any,
    second: Any,
    *,
    method: str = "auto",
    replicates: int = 9999,
    seed: int = 0,
    names: tuple[str, str] = ("A", "B"),
    level: float = 0.95,
    sample_weight: Any = None,
) -> Bowker:
    """Where two models disagree, do they name each class in place of another equally often?

    Bowker's test of symmetry [bowker1948] of the predicted labels of two models. Of a single model, give the truth as
    the first: does it mistake a for b as often as b for a? Of two classes it is McNemar's test of the same table.

    Parameters
    ----------
    first, second : array-like of shape (n,)
        Predicted labels of the two models.
    method : {"auto", "exact", "sampled", "chi-square"}, default "auto"
        "exact": every disagreement goes either way with probability one half, in all ways. "sampled": `replicates` of
        them, the data themselves counted once [phipson2010]. "chi-square": for many disagreements. "auto": the first
        of these that is feasible, chi-square only where each pair of classes has ten disagreements.
    replicates, seed : int
        Of the method "sampled".
    names : tuple of str, default ("A", "B")
        Names of the models, for the verdict.
    level : float, default 0.95
        Confidence of the test.
    sample_weight : None
        Weights are refused: the test counts cases.

    Returns
    -------
    Bowker

    See Also
    --------
    mcnemar : do two models err equally often?

    Notes
    -----
    Labels do not show whether rows are copies of each other, which makes p-values too small; `karat.compare`, given
    probabilities, notices it and says so.

    Examples
    --------
    >>> test = bowker(list("aaaabbbccc"), list("bbbbbbbcca"), names=("tree", "net"))
    >>> test.table, test.statistic, test.p
    ([[0, 4, 0], [0, 3, 0], [1, 0, 2]], 5.0, 0.125)
    """
    if sample_weight is not None:
        raise InputError("Bowker's test counts cases and can't take weights; leave sample_weight out.")
    refuse_unlike_rows([("first", first), ("second", second)])
    one, other = Labels(*distinct(first, "first")), Labels(*distinct(second, "second"))
    if len(one.codes) != len(other.codes):
        raise ShapeError(
            f"first has {counted(len(one.codes))} and second {len(other.codes)}; give predictions of the same cases."
        )
    classes = one.categories or union(one.values, other.values, names=("first", "second"))
    rows, columns = placed(*one[:2], classes, "first"), placed(*other[:2], classes, "second")
    counts = np.zeros((len(classes), len(classes)), np.int64)
    np.add.at(counts, (rows, columns), 1)
    return bowker_of(counts, tuple(classes), method, replicates, entropy(seed), two_names(names), level)


def bowker_of(
    table: Array,
    classes: tuple[Any, ...],
    method: str = "auto",
    replicates: int = 9999,
    seed: int = 0,
    names: tuple[str, str] = ("A", "B"),
    level: float = 0.95,
) -> Bowker:
    """The same [bowker1948], given the square table of predictions: rows the first model, columns the second."""
    counts = np.rint(table).astype(np.int64)
    i, j = np.triu_indices(len(counts), 1)
    there, back = counts[i, j], counts[j, i]
    there, back = (x[there + back > 0] for x in (there, back))
    times = there + back
    statistic = float(((there - back) ** 2 / times).sum()) if len(times) else math.nan
    chance = Chance(
        statistic,
        len(times),
        2.0 ** float(len(times) - times.sum()),
        lambda patient: _exact(times, statistic),
        lambda replicates: _sampled(times, statistic, replicates, seed),
        width=len(times),
        many=bool(len(times) and times.min() >= ENOUGH),
        subject=f"{times.sum()} disagreements about {len(times)} pairs of classes",
    )
    return Bowker(names, classes, counts.tolist(), **chance.test(method, replicates, level))


def _exact(times: Array, statistic: float) -> float:
    """The chance of a statistic at least as large if each disagreement goes either way with the chance of one half; nan
    if there are too many sums."""
    sums: Array = np.zeros(1)
    chance: Array = np.ones(1)
    for t in sorted(times.tolist()):
        gap = np.arange(t % 2, t + 1, 2)
        if len(sums) * len(gap) > MOST_SUMS:
            return math.nan
        moved = np.round(np.add.outer(sums, gap**2 / t), DIGITS).ravel()
        sums, place = np.unique(moved, return_inverse=True)
        chance = np.bincount(place, np.multiply.outer(chance, _gaps(t)).ravel())
    return min(1.0, math.fsum(chance[sums >= statistic - 10.0 ** (2 - DIGITS)]))


def _gaps(t: int) -> Array:
    """How likely |heads - tails| of t tosses is t % 2, t % 2 + 2, ..., t."""
    from scipy.special import gammaln

    heads = np.arange(-(-t // 2), t + 1)
    law = np.exp(gammaln(t + 1) - gammaln(heads + 1) - gammaln(t - heads + 1) - t * math.log(2))
    return np.asarray(np.where(2 * heads == t, law, 2 * law))


def _sampled(times: Array, statistic: float, replicates: int, seed: int) -> int:
    """How many of so many ways drawn at random have a statistic at least as large."""
    rng, large = stream(seed, PURPOSE), 0
    for part in blocks(replicates, len(times)):
        heads = rng.binomial(times, 0.5, (part.stop - part.start, len(times)))
        large += int((((2 * heads - times) ** 2 / times).sum(axis=-1) >= statistic * (1 - 1e-12)).sum())
    return large
