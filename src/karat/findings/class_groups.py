"""Groups of classes that are mixed up inside and kept apart outside, read from a confusion matrix."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from karat.core.arithmetic import Array

FITTING_ROUNDS = 200
"""Rounds of proportional fitting: it converges geometrically, and only shares of errors are read from it."""


@dataclass(frozen=True, eq=False)
class ClassGroups:
    """A partition of the classes, and how many errors stay inside its groups."""

    classes: tuple[tuple[int, ...], ...]
    """the places of those in each group; the largest group first"""
    inside: float
    """share of the errors that stay inside a group"""
    expected: float
    """the same if every class spread its errors over the others as often as each of them is wrongly named"""
    errors: float
    log_partitions: float
    """how many partitions there were to choose from, as a logarithm"""


def expected_errors(table: Array) -> Array:
    """[k, k]: errors with the same row and column sums, otherwise independent of the true class (quasi-independence):
    proportional fitting of a matrix with an empty diagonal."""
    k = len(table)
    off = table * (1 - np.eye(k))
    rows, columns = off.sum(axis=1), off.sum(axis=0)
    fit = (1 - np.eye(k)) * ((rows > 0)[:, None] & (columns > 0))
    for _ in range(FITTING_ROUNDS):
        for axis, wanted in ((1, rows), (0, columns)):
            now = fit.sum(axis=axis)
            factor = np.divide(wanted, now, out=np.zeros(k), where=now > 0)
            fit = fit * (factor[:, None] if axis == 1 else factor)
    return np.asarray(fit)


def class_groups(table: Array) -> ClassGroups | None:
    """The partition that keeps most errors inside, beyond what is expected: groups are joined, the pair with the
    highest excess first, as long as there is any. None without errors or without groups."""
    k = len(table)
    off = table * (1 - np.eye(k))
    errors = float(off.sum())
    if errors == 0:
        return None
    expected = expected_errors(table)
    excess = off - expected
    between = excess + excess.T
    groups: list[list[int]] = [[j] for j in range(k)]
    while len(groups) > 1:
        upper = np.where(np.triu(np.ones((len(groups), len(groups)), bool), 1), between, -np.inf)
        a, b = divmod(int(upper.argmax()), len(groups))
        if not upper[a, b] > 1e-9 * errors:
            break
        groups[a] += groups.pop(b)
        between[a] += between[b]
        between[:, a] += between[:, b]
        between = np.delete(np.delete(between, b, 0), b, 1)
    if len(groups) == 1 or max(map(len, groups)) == 1:
        return None
    member = np.empty(k, int)
    for g, group in enumerate(groups):
        member[group] = g
    same = member[:, None] == member
    ordered = sorted((tuple(sorted(g)) for g in groups), key=lambda g: (-len(g), g))
    inside, by_chance = (float(table[same].sum()) / errors for table in (off, expected))
    return ClassGroups(tuple(ordered), inside, by_chance, errors, _log_partitions(k))


def _log_partitions(k: int) -> float:
    """The logarithm of the number of partitions of k things (Bell's number, by Dobinski's formula in logarithms)."""
    terms = [k * math.log(i) - math.lgamma(i + 1) for i in range(1, 4 * k + 20)]
    top = max(terms)
    return top + math.log(sum(math.exp(t - top) for t in terms)) - 1
