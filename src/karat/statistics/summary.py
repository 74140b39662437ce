"""All that is known of one set of predictions: each statistic computed once, when first asked for."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np

from karat.core.statistic import Statistic
from karat.data import Matrix, Predictions
from karat.statistics import walks
from karat.statistics.counts import Binary, Counts
from karat.statistics.ordered import Margins, Pairs, Segments, Windows
from karat.statistics.placements import Placements
from karat.statistics.probability import LossSums, ProbabilitySums
from karat.statistics.scores import ScoreTable

S = TypeVar("S", bound=Statistic)

ROWS, COLUMNS = (Counts, ProbabilitySums, LossSums), (Pairs, Margins, Segments, Windows)
"""Statistics that come out of one walk together."""
TOGETHER: dict[type[Statistic], tuple[type[Statistic], ...]] = {
    kind: together for together in (ROWS, COLUMNS) for kind in together
}


class Summary:
    """The statistics of some predictions, or of a bare matrix."""

    def __init__(self, source: Predictions | Matrix) -> None:
        self.source = source
        self.known: dict[Any, Any] = {}
        """The statistics computed so far; those without parameters by their class."""

    def lacks(self, kind: type[Statistic]) -> str:
        """Why this statistic can't be had; empty if it can."""
        lacking = self.source.lacks(kind.needs)
        if not lacking and not kind.weighted and self.source.weight is not None:
            return "it counts cases, and has no meaning for cases with weights"
        return lacking

    def __getitem__(self, kind: type[S]) -> S:
        return self.get(kind)

    def get(self, kind: type[S], **parameters: Any) -> S:
        """The statistic, computed now if it was not yet."""
        key = (kind, *sorted(parameters.items())) if parameters else kind
        statistic = self.known.get(key)
        if statistic is None:
            statistic = self.known[key] = self._computed(kind, parameters)
        return statistic

    def _computed(self, kind: type[S], parameters: dict[str, Any]) -> S:
        if kind is Binary:
            return self.get(Counts).binary  # type: ignore[return-value]
        p = self.source
        together: Any = TOGETHER.get(kind)
        if together is None or parameters or isinstance(p, Matrix) or p.scores is None:
            return kind.of(p, **parameters)
        known, complete = self.known, p.weight is None and p.probabilities
        if p.lead or len(p.outputs) > walks.FEW:
            walked: Any = walks.rows(p) if together is ROWS else walks.columns(p)
            for other in together:
                if complete or not self.lacks(other):
                    known[other] = other.taken(walked)
        else:
            digests: Any = walks.row_digest(p) if together is ROWS else walks.column_digest(p)
            for other, digest in zip(together, digests, strict=True):
                if complete or not self.lacks(other):
                    known[other] = other.known(digest)
        return known[kind]  # type: ignore[no-any-return]

    def table_of_class(self, j: int) -> ScoreTable:
        """The score table of class j against the rest."""
        key = (ScoreTable, j)
        if key not in self.known:
            assert isinstance(self.source, Predictions)
            self.known[key] = ScoreTable.of_class(self.source, j)
        return self.known[key]  # type: ignore[no-any-return]

    def placements_of_class(self, j: int) -> Placements:
        """The placements of class j against the rest. Of two columns that mirror each other they also give the pairs,
        which are then not looked for by another sort."""
        key = (Placements, j)
        if key not in self.known:
            p = self.source
            assert isinstance(p, Predictions)
            placements = self.known[key] = Placements.of_class(p, j)
            if len(p.classes) == 2 and p.extent is not None and p.extent.given is not None and p.weight is None:
                pairs = Pairs(np.array([[0.0, placements.won], [placements.won, 0.0]]), p.class_weight)
                self.known.setdefault(Pairs, pairs)
        return self.known[key]  # type: ignore[no-any-return]
