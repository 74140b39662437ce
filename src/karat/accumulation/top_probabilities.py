"""Probabilities of the few most probable of very many classes, added up: {class: p} for each case."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from karat.accumulation.model_states import Folded, Frame
from karat.core.arithmetic import Array
from karat.core.errors import InputError, option
from karat.data import Predictions, Source
from karat.data.top_rows import TopRows, places_of, rows_of, truth_of
from karat.statistics.top_sums import SUPPOSED, sums_of_top


@dataclass
class TopState:
    """What is kept of them: counts, losses and calibration of the predicted class. Rows are let go at once."""

    frame: Frame
    rest: str | None = None
    rows: int = 0
    weighted: bool = False
    folded: Folded = field(default_factory=Folded)
    keep = False
    size = 0

    def add(self, p: Predictions, first: Array | int = 0) -> None:
        """Others are refused."""
        raise InputError("updates before gave {class: probability} for each case; give the same in each update.")

    def add_rows(self, y_true: Any, y_proba: Any, rest: str | None, sample_weight: Any = None) -> None:
        """Some more cases."""
        classes, top = self.frame.classes, y_proba if isinstance(y_proba, TopRows) else rows_of(y_proba)
        truth = places_of(truth_of(y_true), classes)
        sums, used = sums_of_top(truth, top, classes, rest, sample_weight)
        if self.rest and used and self.rest != used:
            raise InputError(f"updates before had {option('rest', self.rest)}; give the same in each update.")
        self.folded.add(sums, ())
        self.rest = self.rest or used
        self.rows += len(truth)
        self.weighted |= sample_weight is not None

    def merge(self, other: TopState) -> None:
        """Take in what another has."""
        if self.rest and other.rest and self.rest != other.rest:
            raise InputError(f"one has {option('rest', self.rest)} and the other {other.rest!r}; give the same.")
        self.rest = self.rest or other.rest
        self.rows += other.rows
        self.weighted |= other.weighted
        if other.folded.sums is not None:
            self.folded.add(other.folded.sums, ())

    def before_merge(self) -> None:
        """None wait."""

    def fold(self) -> None:
        """They are gone."""

    def source(self, most_rows: int) -> Source:
        """The sums."""
        return replace(self.folded.source(self.frame, self.rows, self.weighted), top=SUPPOSED[self.rest])
