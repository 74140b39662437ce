"""The cases themselves: for a measure that is a plain function of labels and probabilities, scores or decisions.

Nothing is summed up here, so nothing adds up: such a measure has to see all cases at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from karat.core.arithmetic import Array
from karat.core.errors import InputError
from karat.core.statistic import Needs, Statistic
from karat.data import Matrix, Predictions

MOST_CASES_OF_A_MATRIX = 10_000_000
"""More are not written out."""


@dataclass(frozen=True, eq=False)
class Cases(Statistic):
    """Predictions as they are: labels, and what was predicted for them."""

    needs = Needs.PROBABILITIES
    additive = False
    weighted = False
    predictions: Predictions

    @classmethod
    def of(cls, predictions: Any, **parameters: Any) -> Cases:
        """The cases; of a bare matrix, as many in each cell as were counted."""
        return cls(_of_matrix(predictions) if predictions.cases is None else predictions.cases)

    @property
    def lead(self) -> tuple[int, ...]:
        """The leading axes: none, for one evaluation."""
        return self.predictions.lead

    def each(self) -> Iterator[tuple[Array, Array]]:
        """The true labels and what was predicted, of each evaluation along the leading axes."""
        names = _array(self.predictions.classes)
        for b, truth in enumerate(self.predictions.truth):
            yield names[truth], self._predicted(b)

    def _predicted(self, b: int) -> Array:
        """[n], of the positive of two classes; [n, k], of all."""
        p = self.predictions
        assert p.scores is not None
        two = len(p.classes) == 2 and p.positive is not None
        return np.asarray(p.scores[b, :, p.positive] if two else p.scores[b])


class ScoredCases(Cases):
    """Cases with any real scores."""

    needs = Needs.SCORES


class DecidedCases(Cases):
    """Cases with their decisions."""

    needs = Needs.DECISIONS

    def _predicted(self, b: int) -> Array:
        return np.asarray(_array(self.predictions.outputs)[self.predictions.decisions[b]])


def _array(labels: tuple[Any, ...]) -> Array:
    kinds = {type(label) for label in labels}
    if len(kinds) == 1:
        return np.array(labels)
    array = np.empty(len(labels), object)
    array[:] = labels
    return array


def _of_matrix(m: Matrix) -> Predictions:
    if not m.whole or m.n > MOST_CASES_OF_A_MATRIX:
        raise InputError(
            f"the matrix holds {m.n:,} cases, and a plain function takes them one by one: give whole counts of at most "
            f"{MOST_CASES_OF_A_MATRIX:,}, or declare the measure as a formula of counts (karat.measure)."
        )
    counts = m.table.astype(np.int64)
    truth, decided = (
        np.repeat(axis, counts.ravel()).astype(np.int32) for axis in np.indices(counts.shape).reshape(2, -1)
    )
    return Predictions(m.classes, truth[None], decided=decided[None], outputs=m.outputs, positive=m.positive)
