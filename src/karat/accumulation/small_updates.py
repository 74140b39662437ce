"""Updates of a few rows, put together before they are taken in: what an update costs beside its rows is paid once."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from karat import kernels
from karat.accumulation.model_states import ModelState
from karat.accumulation.pair_keys import KEY_OF
from karat.accumulation.row_states import RowState
from karat.core.arithmetic import Array
from karat.data.border import SUM_TOLERANCE

FEW = 512
"""Rows of an update that waits for others."""
MOST = 4096
"""Rows that wait."""
ROOM = {kind: np.empty(FEW, key) for kind, key in KEY_OF.items()}
"""Where keys are written to see whether they can be; they are not read."""
UNEVEN = {kind: max(SUM_TOLERANCE, math.sqrt(np.finfo(kind).eps)) for kind in KEY_OF}


class SmallUpdates:
    """Rows of plain arrays that wait: labels are the places of classes, and nothing is given but probabilities."""

    def __init__(self, models: Mapping[str, ModelState]) -> None:
        self.names = list(models)
        self.truth: list[Array] = []
        self.proba: list[list[Array]] = []
        self.rows = 0
        self._kinds = [_columns(state) for state in models.values()]
        self._can = bool(models) and len(set(self._kinds)) == 1 and self._kinds[0] > 0

    def take(self, y_true: Any, y_proba: Any) -> bool:
        """Are these such rows? Then a copy of them waits. (What is wrong with others is said elsewhere.)"""
        if not self._can or type(y_true) is not np.ndarray or y_true.ndim != 1 or y_true.dtype.kind not in "biu":
            return False
        given = list(y_proba.values()) if type(y_proba) is dict and list(y_proba) == self.names else [y_proba]
        n = len(y_true)
        if not 0 < n <= FEW or len(given) != len(self.names):
            return False
        sound = _sound_column if self._kinds[0] == 1 else _sound_table
        if not all(sound(y_true, p, n, self._kinds[0]) for p in given):
            return False
        self.truth.append(y_true.copy())
        self.proba.append([p.copy() for p in given])
        self.rows += n
        return True

    def joined(self) -> tuple[Array, Any]:
        """(y_true, y_proba) of all of them, as one update."""
        columns = [np.concatenate(each) for each in zip(*self.proba, strict=True)]
        named = self.names != [""]
        return np.concatenate(self.truth), dict(zip(self.names, columns, strict=True)) if named else columns[0]


def _columns(state: ModelState) -> int:
    """How many columns of probabilities plain rows have for this state; 0 if it takes no such rows."""
    frame = state.frame
    k = len(frame.classes)
    if not isinstance(state, RowState) or not frame.probabilities or frame.given_decisions:
        return 0
    if frame.classes != tuple(range(k)) or any(type(label) is not int for label in frame.classes):
        return 0
    if state.place is None:
        return k
    return 1 if state.place == 1 and state.plain else 0


def _sound_column(y: Array, p: Any, n: int, _: int) -> bool:
    if type(p) is not np.ndarray or p.shape != (n,) or p.dtype not in ROOM:
        return False
    column, truth = np.ascontiguousarray(p), np.ascontiguousarray(y)
    return bool(kernels.pack_pairs(truth, column, ROOM[p.dtype][:n]) < 0)


def _sound_table(y: Array, p: Any, n: int, k: int) -> bool:
    if type(p) is not np.ndarray or p.shape != (n, k) or p.dtype not in UNEVEN or y.min() < 0 or y.max() >= k:
        return False
    sums = p @ np.ones(k, p.dtype)
    return bool(p.min() >= 0 and sums.max() - 1 <= UNEVEN[p.dtype] and 1 - sums.min() <= UNEVEN[p.dtype])
