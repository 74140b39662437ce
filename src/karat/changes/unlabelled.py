"""What a model is probably worth on cases whose labels nobody knows yet."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from karat.changes.label_shift import mixture, p_of_label_shift
from karat.changes.recalibration import Recalibration, recalibration
from karat.core.arithmetic import Array
from karat.core.cached import cached
from karat.core.errors import InputError, ShapeError, option, quoted
from karat.core.words import counted
from karat.data.predictions import Predictions
from karat.decisions.prevalence import observed_shares
from karat.evaluation import Evaluation
from karat.resampling.draws import stream

PURPOSE = 1 << 31
"""Of random numbers."""
MOST_ROWS = 1 << 26
"""Cases times classes that are weighted as if they had labels."""
WORK = 3e7
"""Cases times classes in all replicates together, which lowers their number where there are many cases."""
FEWEST_REPLICATES = 40
FEWEST_CASES = 20


@dataclass(frozen=True, eq=False)
class Unlabelled:
    """Probabilities without labels, beside a reference that has them."""

    reference: Evaluation
    current: Predictions
    """whose truth nobody knows"""

    @classmethod
    def of(cls, reference: Evaluation, current: Any, y_pred: Any) -> Unlabelled:
        """Checked as those of labelled cases are."""
        cases = reference.statistics.source.cases
        if cases is None or cases.held is None or not cases.probabilities:
            raise InputError(
                "the current set has no labels, and the reference no probabilities of single cases to learn from; give "
                "the true labels of the current set, or a reference with probabilities."
            )
        made = _checked(cases, current, y_pred)
        if cases.decided is not None and y_pred is None:
            raise InputError(
                "the reference has predicted labels of its own, and those of the current set were not given; pass "
                f"{option('y_pred')} of the current set."
            )
        if made.n < FEWEST_CASES:
            raise InputError(
                f"the current set has {counted(made.n)} without labels; at least {FEWEST_CASES} are needed to estimate "
                "class frequencies."
            )
        return cls(reference, made)

    @cached
    def scores(self) -> Array:
        """[n, k]: the probabilities of the current set."""
        assert self.current.scores is not None
        return np.asarray(self.current.scores[0])

    @property
    def _cases(self) -> Predictions:
        cases = self.reference.statistics.source.cases
        assert cases is not None
        return cases

    def estimate(self) -> Estimate:
        """Recalibrated on the reference, with the frequencies of highest likelihood."""
        cases = self._cases
        assert cases.scores is not None
        weight = None if cases.weight is None else cases.weight[0]
        found = _estimated(cases.scores[0], cases.truth[0], weight, self.scores, None)
        if found is None:
            raise InputError(
                "the probabilities of the reference can't be recalibrated, because a class has no case or the classes "
                "are separated perfectly; give the true labels of the current set."
            )
        return found

    def p_assumption(self, frequencies: Array) -> float:
        """Of "only the frequencies of the classes changed"."""
        cases = self._cases
        assert cases.scores is not None
        ones = np.ones(len(cases.truth[0])) if cases.weight is None else cases.weight[0]
        weights = (ones, np.ones(len(self.scores)))
        return p_of_label_shift(cases.scores[0], cases.truth[0], self.scores, frequencies, cases.positive or 0, weights)

    def evaluation(self, posteriors: Array, at: Array | None = None) -> Evaluation:
        """As if each case were of every class, with the weight of its probability."""
        n, k = posteriors.shape
        if n * k > MOST_ROWS:
            raise InputError(f"{n:,} cases of {k} classes are too many without labels; pass some of them, at random.")
        rows = self.current.take(np.repeat(np.arange(n) if at is None else at, k))
        every = np.tile(np.arange(k, dtype=np.int32), n)[None]
        return Evaluation(replace(rows, truth=every, weight=np.ascontiguousarray(posteriors.reshape(1, -1))))

    def replicates(self, first: Estimate, symbols: list[str], seed: int, wanted: int) -> Mapping[str, Array]:
        """Of each measure [R, 3]: on the reference, the same restated, and estimated for the current set, each drawn
        again."""
        cases, n = self._cases, len(self.scores)
        assert cases.scores is not None
        cost = (cases.n + n) * len(cases.classes)
        count = int(min(wanted, max(FEWEST_REPLICATES, WORK // cost)))
        rng, rows = stream(seed, PURPOSE), []
        for _ in range(count):
            here, there = rng.integers(0, cases.n, cases.n), rng.integers(0, n, n)
            drawn = cases.take(here)
            assert drawn.scores is not None
            weight = None if drawn.weight is None else drawn.weight[0]
            made = _estimated(drawn.scores[0], drawn.truth[0], weight, self.scores[there], first)
            if made is None:
                continue
            of_reference = Evaluation(drawn)
            shares = dict(zip(cases.classes, made.frequencies.tolist(), strict=True))
            three = (of_reference, of_reference.at_prevalence(shares), self.evaluation(made.posteriors, there))
            rows.append([[e.value_or_nan(s) for e in three] for s in symbols])
        values = np.array(rows).reshape(len(rows), len(symbols), 3)
        return {symbol: values[:, i] for i, symbol in enumerate(symbols)}


@dataclass(frozen=True, eq=False)
class Estimate:
    """What is believed of cases without labels."""

    fit: Recalibration
    frequencies: Array
    posteriors: Array


def _estimated(
    scores: Array, truth: Array, weight: Array | None, current: Array, begin: Estimate | None
) -> Estimate | None:
    fit = recalibration(scores, truth, weight, begin=None if begin is None else begin.fit)
    if fit is None:
        return None
    prior = np.bincount(truth, weight, scores.shape[1]) / (len(truth) if weight is None else weight.sum())
    found = mixture(fit(current), prior, begin=None if begin is None else begin.frequencies)
    return Estimate(fit, found.frequencies, found.posteriors)


def _checked(cases: Predictions, current: Any, y_pred: Any) -> Predictions:
    """The border's checks need a truth: the first class stands for it."""
    shape = np.shape(current) if isinstance(current, np.ndarray | list | tuple) else getattr(current, "shape", ())
    if not shape or not shape[0]:
        raise ShapeError(
            "the current set is neither an evaluation nor probabilities; pass karat.evaluate(y_true, y_proba), or "
            "probabilities of shape (n, classes)."
        )
    positive = None if cases.positive is None else cases.classes[cases.positive]
    options: dict[str, Any] = {"labels": list(cases.classes), "positive": positive}
    try:
        return Predictions.of([cases.classes[0]] * int(shape[0]), current, y_pred, **options)
    except InputError as problem:
        raise type(problem)(
            f"the current set is read as probabilities of {quoted(cases.classes)}, because it is not an evaluation: "
            f"{problem}"
        ) from None


def shares_of(e: Evaluation) -> dict[Any, float]:
    """Class to its frequency."""
    return dict(zip(e.classes, observed_shares(e.statistics).tolist(), strict=True))
