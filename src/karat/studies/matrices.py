"""Spaces and families of confusion matrices that measures are tried on."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from karat.core.arithmetic import Array

LARGEST = 1000
"""Cells of random matrices are at most this."""


def random_matrices(rng: np.random.Generator, classes: Array) -> Iterator[tuple[Array, Array]]:
    """(places, matrices) of each size in turn, for the number of classes of each matrix (Jurman & Furlanello 2012):
    right cases of each class 1..1000, wrong ones of each cell 1..1000 rho, rho uniform in [.01, 1] for each matrix."""
    for n in np.unique(classes).tolist():
        at = np.flatnonzero(classes == n)
        highest = np.floor(LARGEST * rng.uniform(0.01, 1, len(at)))
        matrices = rng.random((len(at), n, n))
        matrices *= highest[:, None, None]
        np.floor(matrices, out=matrices)
        matrices += 1
        matrices[:, range(n), range(n)] = rng.integers(1, LARGEST + 1, (len(at), n))
        yield at, matrices


def one_error(n: int, a: float) -> Array:
    """Z_A: all cells 1, but A in the last row's first: ever more cases of one class are called another."""
    table = np.ones((n, n))
    table[-1, 0] = a
    return table


def unbalanced_guess(n: int, a: float) -> Array:
    """All cells 1, but A in the last row: a guess, while the last class grows."""
    return np.vstack([np.ones((n - 1, n)), np.full((1, n), float(a))])


def even(n: int, a: float) -> Array:
    """B: A on the diagonal, 1 elsewhere: all classes alike."""
    return np.ones((n, n)) + (a - 1) * np.eye(n)


FAMILIES = {"Z_A": one_error, "unbalanced": unbalanced_guess, "B": even}
