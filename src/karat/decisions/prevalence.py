"""What a model would be worth if the classes had other frequencies: the cases of each class get other weights."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from karat.core.arithmetic import Array
from karat.core.errors import InputError, option, quoted
from karat.data import Source
from karat.measures.costs import shares
from karat.statistics import Summary


def observed_shares(summary: Summary) -> Array:
    """[k]: the frequency of each class in the data."""
    weight = summary.source.class_weight
    return np.asarray(weight / weight.sum())


def class_shares(source: Source, share: Any) -> Array:
    """[k]: shares as they were said: one for each class in their order, {class: share}, or of two classes the share of
    the positive one."""
    classes = source.classes
    if isinstance(share, Mapping):
        unknown = [c for c in share if c not in classes]
        if unknown:
            raise InputError(f"the class frequencies name {quoted(unknown)}; the classes are {quoted(classes)}.")
        left = [c for c in classes if c not in share]
        rest = 1.0 - float(sum(share.values()))
        if len(left) > 1:
            raise InputError(
                f"the class frequencies leave out {quoted(left)}; give one for each class (one can be left out)."
            )
        return shares([float(share[c]) if c in share else rest for c in classes], len(classes))
    if np.ndim(share) == 0:
        if len(classes) != 2 or source.positive is None:
            raise InputError(
                f"one frequency ({share}) was given for the classes {quoted(classes)}; give {{class: frequency}}, or "
                f"of two classes pass {option('positive')}."
            )
        if not (isinstance(share, int | float | np.number) and 0 <= share <= 1):
            raise InputError(f"the frequency of the positive class is {quoted([share])}; give a number from 0 to 1.")
        both = np.full(2, 1.0 - float(share))
        both[source.positive] = float(share)
        return both
    return shares(share, len(classes))


def restated(summary: Summary, share: Any) -> Source:
    """The same data with the classes weighted to these shares."""
    source = summary.source
    new, old = class_shares(source, share), observed_shares(summary)
    missing = [c for c, a, b in zip(source.classes, new, old, strict=True) if a > 0 and b == 0]
    if missing:
        raise InputError(f"{quoted(missing)} is given a frequency and has no case; give it a frequency of 0.")
    factor = np.divide(new, old, out=np.zeros_like(new), where=old > 0)
    return source.with_classes_times(factor)
