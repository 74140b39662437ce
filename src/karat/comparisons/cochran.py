"""Cochran's Q: do several models err equally often on the same cases? Of two models it is McNemar's test."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np

from karat.comparisons.exchange_test import Chance, ExchangeTest
from karat.core.arithmetic import Array
from karat.core.comparison import MODELS, comparison
from karat.core.errors import InputError
from karat.core.keywords import understand
from karat.core.plain_data import plain
from karat.core.table import Table
from karat.core.words import counted, listed, number
from karat.data import Predictions
from karat.data.row_labels import refuse_unlike_rows
from karat.resampling.draws import blocks, entropy, stream
from karat.statistics.p_values import sign_test

EXACT_STEPS = 200_000
"""Sums of answers that are looked at for an exact p-value at most: a fraction of a second."""
PATIENT_STEPS = 10 * EXACT_STEPS
"""... where it was asked for."""
PURPOSE = 1 << 23
"""Of the random numbers (see `stream`)."""


@dataclass(frozen=True, eq=False, repr=False)
class Cochran(ExchangeTest):
    """How often each model is correct, and the p-value of "all are correct equally often".

    Attributes
    ----------
    names : tuple of str
        The models.
    right : tuple of int
        Number of cases on which each model is correct.
    n : int
        Number of cases.
    mixed : int
        Cases on which some models are correct and others not: the test rests on these.
    statistic, df, p, smallest_p, method, replicates, level
        Cochran's Q, its degrees of freedom and p-value, the smallest p-value that cases like these could give, and how
        it was found.
    """

    names: tuple[str, ...]
    right: tuple[int, ...]
    n: int
    mixed: int

    @property
    def eta_squared(self) -> float:
        """How far the models are apart: Q as a share of the most that it could be, from 0 to 1 [serlin1982]."""
        return self.statistic / (self.n * self.df)

    def to_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON, with the verdict and the size of the effect; undefined is None."""
        return super().to_dict() | {"eta_squared": plain(self.eta_squared)}

    @property
    def verdict(self) -> str:
        """What was found, in one sentence."""
        if not self.mixed:
            return f"No significant difference between {listed(self.names, 8)}: they are correct on the same cases."
        order = sorted(range(len(self.names)), key=lambda j: -self.right[j])
        counts = listed([f"{self.names[j]} {self.right[j]}" for j in order], 8)
        test = f"Q({self.df}) = {number(self.statistic)}, {self.p_in_words}"
        numbers = f"correct: {counts} of {counted(self.n)}; {test}"
        if self.differs:
            return f"The models differ significantly in accuracy ({numbers})."
        if self.hopeless:
            return (
                f"No test could show a significant difference in accuracy: the models differ on {counted(self.mixed)} "
                f"only, so p can't be below {number(self.smallest_p)} ({numbers})."
            )
        return f"No significant difference in accuracy ({numbers})."

    def to_table(self) -> Table:
        """One row for each model, the best first."""
        rows = sorted(zip(self.names, self.right, strict=True), key=lambda row: -row[1])
        return Table.of(({"model": m, "correct": x, "accuracy": x / self.n} for m, x in rows), self.verdict)


@comparison(of=MODELS, cite="cochran1950")
@understand(usage="cochran(y_true, {'a': y_pred_1, 'b': y_pred_2, 'c': y_pred_3})")
def cochran(
    y_true: Any,
    models: Mapping[str, Any],
    *,
    method: str = "auto",
    replicates: int = 9999,
    seed: int = 0,
    level: float = 0.95,
    sample_weight: Any = None,
) -> Cochran:
    """Do several models err equally often on the same cases?

    Cochran's Q of their predicted labels [cochran1950]: one test of all models, to be made before pairs are compared.
    Of two models Q is McNemar's chi-square, and the exact test McNemar's.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        True labels.
    models : dict
        {name: predicted labels} of two or more models.
    method : {"auto", "exact", "sampled", "chi-square"}, default "auto"
        "exact": all permutations of the predictions within the cases. "sampled": `replicates` of them, the data
        themselves counted once [phipson2010]. "chi-square": for many cases. "auto": the first of these that is
        feasible.
    replicates, seed : int
        Of the method "sampled".
    level : float, default 0.95
        Confidence of the test.
    sample_weight : None
        Weights are refused: the test counts cases.

    Returns
    -------
    Cochran

    See Also
    --------
    mcnemar : two models.
    compare : any measure, with corrected p-values of every two models.

    Notes
    -----
    Labels do not show whether rows are copies of each other, which makes p-values too small; `karat.compare`, given
    probabilities, notices it and says so.

    Examples
    --------
    >>> truth = [1] * 8
    >>> test = cochran(truth, {"a": truth, "b": [1, 1, 1, 0, 0, 0, 0, 1], "c": [0, 0, 1, 0, 0, 0, 0, 1]})
    >>> round(test.statistic, 3), round(test.p, 4), test.method
    (9.333, 0.0082, 'exact')
    >>> test.verdict
    'The models differ significantly in accuracy (correct: a 8, b 4 and c 2 of 8 cases; Q(2) = 9.33, p = 0.008).'
    """
    if sample_weight is not None:
        raise InputError(
            "Cochran's Q counts cases and can't take weights; leave sample_weight out, or compare two models with "
            "permutation_test, which takes weights."
        )
    if not isinstance(models, Mapping) or len(models) < 2:
        raise InputError("give two or more models by name: cochran(y_true, {name: predicted labels, ...}).")
    refuse_unlike_rows([("y_true", y_true), *((f"models[{name!r}]", decisions) for name, decisions in models.items())])
    given = [Predictions.of(y_true, y_pred=decisions) for decisions in models.values()]
    right = np.stack([p.right[0] for p in given], axis=1)
    return cochran_of(right, tuple(map(str, models)), method, replicates, entropy(seed), level)


def cochran_of(
    right: Array,
    names: tuple[str, ...],
    method: str = "auto",
    replicates: int = 9999,
    seed: int = 0,
    level: float = 0.95,
) -> Cochran:
    """The same [cochran1950], given for each case and model whether it is correct: [cases, models]."""
    (n, k), sums, each = right.shape, right.sum(axis=0), right.sum(axis=1)
    sizes = each[(each > 0) & (each < k)]
    spread = int((k * sizes - sizes**2).sum())
    statistic = (k - 1) * (k * int((sums**2).sum()) - int(sums.sum()) ** 2) / spread if spread else math.nan
    reached = int(((sums - int((each == k).sum())) ** 2).sum())
    chance = Chance(
        statistic,
        k - 1,
        _smallest(k, sizes),
        lambda patient: _exact(k, sizes, reached, PATIENT_STEPS if patient else EXACT_STEPS),
        lambda times: _sampled(k, sizes, reached, times, seed),
        width=len(sizes) * k,
        many=False,
        subject=f"the predictions of {k} models for the {len(sizes)} cases on which they differ",
    )
    return Cochran(names, tuple(sums.tolist()), n, len(sizes), **chance.test(method, replicates, level))


def _smallest(k: int, sizes: Array) -> float:
    """The chance of the most unequal sums there can be: every case is right for models that also are where fewer are
    right. So many nested choices there are, of all choices."""
    steps = np.diff([0, *sorted(set(sizes.tolist())), k]).tolist()
    nested = Fraction(math.factorial(k), math.prod(map(math.factorial, steps)))
    return float(nested / math.prod(math.comb(k, size) for size in sizes.tolist()))


def _exact(k: int, sizes: Array, reached: int, most: int) -> float:
    """The share of all ways to say which models are right in each case, so many being right, in which the sums of
    squares of the models' numbers is at least what was reached; nan if that needs more steps than `most`. Models are
    interchangeable, so that their numbers are kept in order, each sort of numbers once."""
    if k == 2:
        wins = len(sizes)
        gap = math.isqrt(2 * reached - wins**2)
        return sign_test((wins + gap) // 2, (wins - gap) // 2, sides=2)
    ways = {(0,) * k: 1}
    steps = 0
    for size, times in sorted(Counter(sizes.tolist()).items()):
        for _ in range(times):
            steps += len(ways) * math.comb(k, size)
            if steps > most:
                return math.nan
            after: Counter[tuple[int, ...]] = Counter()
            for numbers, count in ways.items():
                for places in combinations(range(k), size):
                    moved = list(numbers)
                    for place in places:
                        moved[place] += 1
                    after[tuple(sorted(moved))] += count
            ways = dict(after)
    large = sum(count for numbers, count in ways.items() if sum(x * x for x in numbers) >= reached)
    return float(Fraction(large, sum(ways.values())))


def _sampled(k: int, sizes: Array, reached: int, times: int, seed: int) -> int:
    """How many of so many ways drawn at random have such a sum of squares."""
    rng, large = stream(seed, PURPOSE), 0
    for part in blocks(times, len(sizes) * k):
        places = rng.random((part.stop - part.start, len(sizes), k)).argsort(axis=-1)
        sums = (places < sizes[:, None]).sum(axis=1)
        large += int(((sums**2).sum(axis=-1) >= reached).sum())
    return large
