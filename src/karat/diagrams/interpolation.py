"""Between two thresholds true and false positives grow together in a straight line (Davis and Goadrich 2006), so that
shares of them, such as precision and risk, bend. Here are points on the bends, close enough to be drawn."""

from __future__ import annotations

import numpy as np

from karat.core.arithmetic import Array
from karat.diagrams import drawing

STEPS = 24
"""Points on a curved piece between two thresholds: more than a printed line can show."""


def refined(tp: Array, fp: Array, across: Array) -> tuple[Array, Array]:
    """(tp, fp) after each threshold, and where a share of them bends between two whose places `across` the axes are far
    apart."""
    rise, run = np.diff(tp), np.diff(fp)
    wide = np.diff(across) > 1 / drawing.COLUMNS
    bends = wide & (run * tp[:-1] != fp[:-1] * rise)
    count = np.where(bends, STEPS, 1)
    start = np.repeat(np.arange(len(rise)), count)
    part = (np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count) + 1) / count[start]
    return tp[:-1][start] + part * rise[start], fp[:-1][start] + part * run[start]
