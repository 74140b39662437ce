"""How a tree is grown and pruned."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from karat.core.errors import InputError
from karat.core.validation import whole


@dataclass(frozen=True)
class Rules:
    """J48's options, under names that say what they do."""

    least: int = 2
    """At least two branches of a split have so many cases (Weka's -M)."""
    binary: bool = False
    """Part one nominal value from all others, instead of one branch for each value (-B)."""
    collapse: bool = True
    """Cut off subtrees that make no fewer training errors than their node; J48 does so even with -U."""
    prune: bool = True
    """Error-based pruning (without it: -U)."""
    raising: bool = True
    """Let the largest branch take the place of its node (without it: -S)."""
    confidence: float = 0.25
    """Of the upper limit of a leaf's errors (-C); above one half nothing is added to the errors, as in Weka."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "least", whole("min_cases", self.least))
        if not 0 < self.confidence < 1:
            raise InputError(f"confidence is {self.confidence}; pass a number between 0 and 1 (C4.5 uses 0.25).")

    @property
    def stored_confidence(self) -> float:
        """Weka keeps it in single precision."""
        return float(np.float32(self.confidence))

    @property
    def z(self) -> float:
        """The normal quantile of the upper limit."""
        from scipy.special import ndtri

        return float(ndtri(float(np.float32(1) - np.float32(self.confidence))))
