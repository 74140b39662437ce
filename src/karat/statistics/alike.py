"""Which of some average ranks are alike: closer than the critical difference."""

from __future__ import annotations

import numpy as np

from karat.core.arithmetic import Array
from karat.core.rounding import TOLERANCE


def alike(ranks: Array, width: float) -> list[slice]:
    """The longest runs of two or more of these ascending ranks that differ by less than `width`; a run inside another
    does not count.

    >>> alike(np.array([1.1, 1.4, 1.6, 3.0]), 0.3)
    [slice(1, 3, None)]
    """
    ends = [int(np.searchsorted(ranks, r + width - TOLERANCE, side="left")) for r in ranks]
    return [slice(i, end) for i, end in enumerate(ends) if end - i > 1 and (i == 0 or end > ends[i - 1])]
