"""Cases without labels: how frequent the classes are, if nothing else changed; and whether nothing else did."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from karat.core.arithmetic import Array

STEPS = 2000
STILL = 1e-8
"""Frequencies that change by less in one step have been found."""
BINS = 10
"""Of the scores, in which two sets are compared."""
FEWEST_EXPECTED = 5.0
"""Cases of both sets in a cell; smaller cells are put together."""


class Mixture(NamedTuple):
    """Class frequencies and the probabilities that they give."""

    frequencies: Array
    """[k]"""
    posteriors: Array
    """[n, k]"""


def mixture(posteriors: Array, prior: Array, weight: Array | None = None, begin: Array | None = None) -> Mixture:
    """Frequencies of highest likelihood by expectation maximisation (Saerens, Latinne & Decaestecker 2002), from
    probabilities [n, k] that are calibrated where the classes have the frequencies `prior`."""
    there = prior > 0
    ratio = np.where(there, posteriors / np.where(there, prior, 1.0), 0.0)
    w = np.full(len(posteriors), 1 / len(posteriors)) if weight is None else weight / weight.sum()
    frequencies = prior if begin is None else begin
    for _ in range(STEPS):
        before = frequencies
        joint = ratio * before
        made = joint / joint.sum(axis=1, keepdims=True)
        frequencies = w @ made
        if float(np.abs(frequencies - before).max()) < STILL:
            break
    return Mixture(frequencies, made)


def cells_of(reference: Array, current: Array, place: int) -> tuple[Array, Array]:
    """The cell of each case of both sets: of two classes by the score of one, of more by the highest and its class."""
    both = np.vstack([reference, current])
    if both.shape[1] == 2:
        score = both[:, place]
        inner = np.unique(np.quantile(score, np.arange(1, BINS) / BINS))
        cell = np.searchsorted(inner, score, side="right")
    else:
        top, score = both.argmax(axis=1), both.max(axis=1)
        inner = np.unique(np.quantile(score, [1 / 3, 2 / 3]))
        cell = top * 3 + np.searchsorted(inner, score, side="right")
    return cell[: len(reference)], cell[len(reference) :]


def p_of_label_shift(
    reference: Array, truth: Array, current: Array, frequencies: Array, place: int, weights: tuple[Array, Array]
) -> float:
    """The p-value of "only the frequencies of the classes changed": are the scores of the current set a mixture of
    those of the classes of the reference? A chi-squared statistic of generalised least squares over cells of scores."""
    from scipy.stats import chi2

    k = reference.shape[1]
    cell, other = cells_of(reference, current, place)
    cell, other = _merged(cell, other)
    cells = int(max(cell.max(), other.max())) + 1
    w, v = weights
    of_class = np.array([np.bincount(cell[truth == j], w[truth == j], cells) for j in range(k)])
    cases = np.array([w[truth == j].sum() ** 2 / max((w[truth == j] ** 2).sum(), 1e-300) for j in range(k)])
    there = of_class.sum(axis=1) > 0
    profile = (of_class[there] / of_class[there].sum(axis=1, keepdims=True)).T
    share, cases = frequencies[there], cases[there]
    seen = np.bincount(other, v, cells) / v.sum()
    expected = profile @ share
    covariance = (np.diag(expected) - np.outer(expected, expected)) * float((v**2).sum() / v.sum() ** 2)
    for j, (s, n) in enumerate(zip(share, cases, strict=True)):
        covariance += s**2 / n * (np.diag(profile[:, j]) - np.outer(profile[:, j], profile[:, j]))
    free = cells - 1 - (int(there.sum()) - 1)
    if free < 1:
        return float("nan")
    inverse = np.linalg.pinv(covariance[:-1, :-1])
    left = (seen - expected)[:-1]
    moves = (profile[:, 1:] - profile[:, :1])[:-1]  # frequencies that still sum to one
    if moves.shape[1]:
        best = np.linalg.lstsq(moves.T @ inverse @ moves, moves.T @ inverse @ left, rcond=None)[0]
        left = left - moves @ best
    return float(chi2.sf(left @ inverse @ left, free))


def _merged(cell: Array, other: Array) -> tuple[Array, Array]:
    """Cells with few cases put together with the next one."""
    cells = int(max(cell.max(), other.max())) + 1
    fewest = np.minimum(np.bincount(cell, minlength=cells), np.bincount(other, minlength=cells))
    place, at, have = np.zeros(cells, np.int64), 0, 0.0
    for i in range(cells):
        place[i] = at
        have += fewest[i]
        if have >= FEWEST_EXPECTED:
            at, have = at + 1, 0.0
    if at:  # what is left at the end goes with the last
        place[place == at] = at - 1
    return place[cell], place[other]
