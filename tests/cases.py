"""Problems to test on: those that declarations are tried on, as an oracle takes them."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np

from karat.claims.trial_problems import TrialProblem, probabilities, rounded, troublesome
from oracles.case import Case

__all__ = ["Problem", "probabilities", "problems", "rounded"]


class Problem(TrialProblem):
    """Truth, probabilities, decisions (None: the most probable class), weights, of k classes; l decision columns."""

    def case(self) -> Case:
        """For an oracle."""
        listed: list[Any] = [None if x is None else np.asarray(x).tolist() for x in (self.y, self.p, self.d, self.w)]
        return Case.of(*listed, k=self.k, l=self.l, positive=self.positive)


def problems() -> list[Problem]:
    """Classes 1 to 5; ties; absent classes; weights; given decisions; a reject column; tiny and skewed data."""
    return [Problem(**{f.name: getattr(q, f.name) for f in fields(q)}) for q in troublesome()]
