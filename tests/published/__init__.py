"""The numbers that five papers printed, corrected where the paper is wrong, each to its last digit."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import karat
from karat.statistics import Counts


def of(matrix: Any, *symbols: str) -> Any:
    """The measures of one matrix."""
    e = karat.evaluate_matrix(matrix)
    return e[symbols[0]] if len(symbols) == 1 else [e[symbol] for symbol in symbols]


def of_all(tables: Any, *symbols: str) -> list[Any]:
    """The measures of many matrices of one size, as arrays."""
    counts = Counts(np.asarray(tables, float))
    return [np.asarray(karat.catalogue.measures[symbol](counts)) for symbol in symbols]


def printed(values: Any, digits: int) -> Any:
    """Equal to what was printed with so many digits."""
    return pytest.approx(values, rel=0, abs=0.5000001 * 10**-digits)


def compositions(n: int, parts: int) -> Any:
    """All ways to write n as a sum of so many whole numbers of at least 0."""
    bars = np.array(list(itertools.combinations(range(n + parts - 1), parts - 1)), int).reshape(-1, parts - 1)
    ends = np.hstack([np.full((len(bars), 1), -1), bars, np.full((len(bars), 1), n + parts - 1)])
    return np.diff(ends, axis=1) - 1


def tables_with(row_sums: Any) -> Any:
    """All square matrices with these row sums."""
    rows = [compositions(t, len(row_sums)) for t in row_sums]
    chosen = np.indices([len(r) for r in rows]).reshape(len(rows), -1)
    return np.stack([r[c] for r, c in zip(rows, chosen, strict=True)], axis=1)
