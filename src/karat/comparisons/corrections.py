"""Adjusted p-values: what several tests at once are worth together. Each keeps the chance of any false alarm below
the level; where p-values are undefined (nan) they stay so and are not counted."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from karat.core.arithmetic import Array
from karat.core.errors import InputError
from karat.data.frames import numbers


def bonferroni(p_values: Any) -> Array:
    """Each p-value times their number: the plainest correction, and the weakest test. See [holm1979].

    >>> bonferroni([0.01, 0.02, 0.5]).round(3).tolist()
    [0.03, 0.06, 1.0]
    """
    return _adjusted(p_values, lambda p: p * len(p))


def holm(p_values: Any) -> Array:
    """Step down from the smallest: valid however the tests depend on each other, never weaker than Bonferroni's
    [holm1979].

    >>> holm([0.01, 0.02, 0.5]).round(3).tolist()
    [0.03, 0.04, 0.5]
    """
    return _adjusted(p_values, lambda p: np.maximum.accumulate(p * np.arange(len(p), 0, -1)))


def hochberg(p_values: Any) -> Array:
    """Step up from the largest: stronger than Holm's, and valid for independent (or positively dependent) tests
    [hochberg1988].

    >>> hochberg([0.04, 0.03, 0.5]).round(3).tolist()
    [0.08, 0.08, 0.5]
    """
    return _adjusted(p_values, lambda p: np.minimum.accumulate((p * np.arange(len(p), 0, -1))[::-1])[::-1])


CORRECTIONS: Mapping[str, Callable[[Any], Array]] = {"bonferroni": bonferroni, "hochberg": hochberg, "holm": holm}
"""By name."""


def correction(name: str) -> Callable[[Any], Array]:
    """A correction by its name; Holm's is [holm1979], Hochberg's is [hochberg1988]."""
    if name not in CORRECTIONS:
        raise InputError(f"there is no correction {name!r}; name one of {', '.join(CORRECTIONS)}.")
    return CORRECTIONS[name]


def _adjusted(p_values: Any, rule: Callable[[Array], Array]) -> Array:
    """The rule works on ascending p-values."""
    p, _ = numbers(p_values, "p_values", "p-values")
    if p.ndim != 1:
        raise InputError(f"p_values has the shape {p.shape}; give a list of p-values, of shape (tests,).")
    wrong = (p < 0) | (p > 1)
    if wrong.any():
        raise InputError(f"p_values holds {p[wrong][0]}; p-values lie in [0, 1]: give those of the tests themselves.")
    out = np.full(len(p), np.nan)
    there = np.flatnonzero(~np.isnan(p))
    order = there[np.argsort(p[there], kind="stable")]
    out[order] = np.minimum(rule(p[order]), 1.0)
    return out
