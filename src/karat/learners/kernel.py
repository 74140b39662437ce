"""Growing and following trees: compiled (`_c45`) where it was built, in Python everywhere.

`KARAT_KERNELS=numpy` in the environment chooses the Python twin.
"""

from __future__ import annotations

import importlib
import os
from typing import Any

import numpy as np

from karat.core.arithmetic import Array
from karat.learners import _python
from karat.learners.columns import Columns
from karat.learners.rules import Rules
from karat.learners.tree import Tree

try:
    native: Any = importlib.import_module("karat.learners._c45")
except ImportError:
    native = None

in_use: Any = _python if native is None or os.environ.get("KARAT_KERNELS") == "numpy" else native
name = "python" if in_use is _python else "native"


def trees(columns: Columns, y: Array, weight: Array, k: int, masks: Array, rules: Rules) -> list[Tree]:
    """One tree for each row of masks (1 leaves a column out), of the cases that have weight."""
    masks = np.ascontiguousarray(masks, np.uint8)
    y, weight = np.ascontiguousarray(y, np.intc), np.ascontiguousarray(weight, float)
    if in_use is _python:
        grown = _python.grow(columns, y, weight, k, masks, rules)
    else:
        c, r = columns, rules
        cases = (c.X, c.codes, c.order, c.ordered, c.known, c.place, c.values, y, weight, c.logs, c.steps)
        options = (r.least, r.binary, r.collapse, r.prune, r.raising, r.stored_confidence, r.z)
        grown = in_use.grow(*cases, k, masks, _many_valued(c, weight, masks), *options)
    return [Tree.of(arrays, columns.values, rules.binary) for arrays in grown]


def _many_valued(columns: Columns, weight: Array, masks: Array) -> Array:
    """For each tree: are all its columns nominal, with at least 0.3 times as many values as there are cases?"""
    few = (columns.values == 0) | (0.3 * int((weight > 0).sum()) - columns.values > 1e-6)
    return np.ascontiguousarray(~((masks == 0) & few).any(axis=1), np.uint8)
