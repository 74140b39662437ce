"""Probabilities of the few most probable of very many classes: {class: p} for each case, and a word about the rest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from karat.accumulation.model_states import Folded, Frame
from karat.core.arithmetic import Array
from karat.core.errors import InputError, LabelError, option, quoted
from karat.core.validation import one_of
from karat.data import Predictions, Source
from karat.data.border import SUM_TOLERANCE
from karat.statistics import ConfidenceBins, Counts, LossSums
from karat.statistics.added import FINE_BINS, LEAST, Sums, WeightSums
from karat.statistics.bins import edges_of
from karat.statistics.counts import DENSE, SparseCounts
from karat.statistics.scans import FLOOR

EVEN, SCALED = "even", "scaled"
RESTS = (EVEN, SCALED)
"""What is supposed of classes that are not listed: they share what is left of 1 evenly; they have 0, and those that are
listed are scaled to sum to 1."""


SUPPOSED = {EVEN: "the others share the rest evenly", SCALED: "scaled, the others have 0", None: "the others have 0"}


class TopRows(NamedTuple):
    """Listed probabilities, one after another, and where the rows of them begin."""

    starts: Array
    labels: Sequence[Any] | Array
    """their classes, or the places of these"""
    values: Array


def are_top(y_proba: Any) -> bool:
    """Are these {class: p} for each case, a column of such maps of Arrow, or numbers and probabilities of classes?"""
    if _are_pair(y_proba):
        return True
    if hasattr(y_proba, "keys") and hasattr(y_proba, "items") and hasattr(y_proba, "offsets"):
        return True
    listed = isinstance(y_proba, list | tuple) or (isinstance(y_proba, np.ndarray) and y_proba.dtype == object)
    return bool(listed and len(y_proba) and isinstance(y_proba[0], Mapping))


def _are_pair(y_proba: Any) -> bool:
    """A tuple of two: the places of the classes and their probabilities, in any order, as arrays of one shape (n, m) or
    columns of lists of Arrow."""
    if not (isinstance(y_proba, tuple) and len(y_proba) == 2):
        return False
    return all(getattr(x, "ndim", 0) == 2 or (hasattr(x, "offsets") and hasattr(x, "flatten")) for x in y_proba)


def _rows_of_pair(pair: tuple[Any, Any]) -> TopRows:
    shapes, flat = [], []
    for x in pair:
        if hasattr(x, "offsets"):
            if x.null_count:
                raise InputError("a row of probabilities is missing; fill or remove those cases first.")
            starts = np.asarray(x.offsets, np.int64)
            shapes.append(starts - starts[0])
            flat.append(np.asarray(x.flatten()))
        else:
            array = np.asarray(x)
            shapes.append(np.arange(len(array) + 1) * array.shape[1])
            flat.append(array.ravel())
    kinds = [x.dtype.kind in "iu" for x in flat]
    if not np.array_equal(*shapes) or sum(kinds) != 1:
        raise InputError(
            "a pair for y_proba is the places of classes, whole numbers, and their probabilities, in one shape (n, m)."
        )
    places, values = (flat[0], flat[1]) if kinds[0] else (flat[1], flat[0])
    return TopRows(shapes[0], places.astype(np.int64), values.astype(np.float64))


def rows_of(y_proba: Any) -> TopRows:
    """As one sequence."""
    if _are_pair(y_proba):
        return _rows_of_pair(y_proba)
    if hasattr(y_proba, "offsets"):
        if y_proba.null_count:
            raise InputError("a row of probabilities is missing; fill or remove those cases first.")
        offsets = np.asarray(y_proba.offsets, np.int64)
        keys, items = (x[int(offsets[0]) : int(offsets[-1])] for x in (y_proba.keys, y_proba.items))
        return TopRows(offsets - offsets[0], keys.to_pylist(), np.asarray(items, np.float64))
    starts = np.concatenate([[0], np.cumsum([len(row) for row in y_proba])])
    labels = [label for row in y_proba for label in row]
    return TopRows(starts, labels, np.array([p for row in y_proba for p in row.values()], np.float64))


@dataclass
class TopState:
    """What is kept of them: counts, losses and calibration of the predicted class. Rows are let go at once."""

    frame: Frame
    rest: str | None = None
    rows: int = 0
    folded: Folded = field(default_factory=Folded)
    keep = False
    size = 0

    def add(self, p: Predictions, first: Array | int = 0) -> None:
        """Others are refused."""
        raise InputError("updates before gave {class: probability} for each case; give the same in each update.")

    def add_rows(self, y_true: Any, y_proba: Any, rest: str | None) -> None:
        """Some more cases."""
        places = {label: i for i, label in enumerate(self.frame.classes)}
        truth = _places(y_true, places)
        top = rows_of(y_proba)
        if len(truth) != len(top.starts) - 1:
            raise InputError(f"there are {len(truth)} true labels and {len(top.starts) - 1} rows of probabilities.")
        cls = top.labels if isinstance(top.labels, np.ndarray) else _places(top.labels, places)
        if len(cls) and not 0 <= cls.min() <= cls.max() < len(places):
            raise LabelError(f"y_proba lists the class at place {cls.max()}, and there are {len(places)}, from 0 on.")
        sums, used = sums_of_top(truth, top, cls, len(places), rest)
        self.folded.add(sums, ())
        self.rest = self.rest or used
        self.rows += len(truth)

    def merge(self, other: TopState) -> None:
        """Take in what another has."""
        if self.rest and other.rest and self.rest != other.rest:
            raise InputError(f"one has {option('rest')}{self.rest!r} and the other {other.rest!r}; give the same.")
        self.rest = self.rest or other.rest
        self.rows += other.rows
        if other.folded.sums is not None:
            self.folded.add(other.folded.sums, ())

    def fold(self) -> None:
        """They are gone."""

    def source(self, most_rows: int) -> Source:
        """The sums."""
        return replace(self.folded.source(self.frame, self.rows), top=SUPPOSED[self.rest])


def _places(labels: Any, places: Mapping[Any, int]) -> Array:
    for name in ("to_pylist", "tolist"):
        labels = getattr(labels, name)() if hasattr(labels, name) else labels
    try:
        return np.array([places[label] for label in labels], np.int64)
    except KeyError as unknown:
        raise LabelError(f"{unknown.args[0]!r} is not among the classes {quoted(list(places))}.") from None


def sums_of_top(truth: Array, top: TopRows, cls: Array, k: int, rest: str | None) -> tuple[Sums, str | None]:
    """The statistics, and what was supposed of the rest, if something had to be."""
    p, n = top.values, len(truth)
    size = np.diff(top.starts)
    row = np.repeat(np.arange(n), size)
    if not n or size.min() == 0 or not (np.isfinite(p) & (p >= 0) & (p <= 1)).all():
        raise InputError("every case needs probabilities between 0 and 1 of one class or more.")
    if len(np.unique(row * k + cls)) < len(cls):
        raise InputError("a class is listed twice for one case; list each once.")
    total = np.bincount(row, p, n)
    if (total > 1 + SUM_TOLERANCE).any() or (total == 0).any():
        raise InputError(
            f"listed probabilities sum to {total[np.argmax(np.abs(total - 0.5))]:.6g}; at most 1 is possible."
        )
    used = None
    if ((1 - total > SUM_TOLERANCE) & (size < k)).any():
        if rest is None:
            raise InputError(
                f"the listed probabilities of a case sum to {total.min():.6g}; choose {option('rest')}'even' (the "
                "other classes share what is left) or 'scaled' (they have 0)."
            )
        one_of(option("rest"), rest, RESTS)
        used = rest
    p = p if used == EVEN else p / total[row]
    left = np.divide(1 - total, k - size, out=np.zeros(n), where=size < k).clip(0) if used == EVEN else np.zeros(n)
    order = np.lexsort((cls, -p, row))
    first = order[top.starts[:-1]]  # the most probable of each case; of equal ones the first class
    best, decided = p[first], cls[first]
    if (left > best).any():
        raise InputError("a class that is not listed would be more probable than all that are; list the most probable.")
    hit = np.where(np.bincount(row, cls == truth[row], n) > 0, np.bincount(row, p * (cls == truth[row]), n), left)
    squares = np.bincount(row, p * p, n) + (k - size) * left**2 - 2 * hit + 1
    return _added(truth, decided, best, hit, squares, k), used


def _added(truth: Array, decided: Array, best: Array, hit: Array, squares: Array, k: int) -> Sums:
    weight = np.bincount(truth, minlength=k).astype(float)
    cells = SparseCounts.of_cells(truth, decided, None, (k, k))
    bins = np.searchsorted(edges_of(FINE_BINS), best, side="left")
    right = (truth == decided).astype(float)
    sums: Sums = {(Counts,): cells if k * k > DENSE else Counts(cells.table)}
    for eps in (FLOOR, LEAST):
        logs = np.bincount(truth, np.log2(np.maximum(hit, eps)), k)
        sums[LossSums, ("eps", eps)] = LossSums(np.bincount(truth, squares, k), logs, weight)
    binned = (np.bincount(bins, x, FINE_BINS) for x in (np.ones(len(best)), best, right))
    sums[ConfidenceBins, ("bins", FINE_BINS)] = ConfidenceBins(*binned)
    sums[(WeightSums,)] = WeightSums.of_ones(weight)
    return sums
