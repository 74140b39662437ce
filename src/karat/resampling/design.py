"""How cases are drawn again: said by the user in six options, checked once, and passed on as one record."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from karat.core.arithmetic import Array
from karat.core.errors import InputError
from karat.core.validation import checked_level, whole
from karat.data.labels import distinct


@dataclass(frozen=True, eq=False)
class Resampling:
    """How many replicates of the cases are drawn, and how; the same seed gives the same ones."""

    level: float
    """of the intervals that follow"""
    replicates: int
    seed: int
    stratified: bool
    """are cases drawn within each class?"""
    groups: Any
    """the group of each case, if groups are drawn whole"""
    workers: int | None
    """threads; None: all processors where that pays"""

    @classmethod
    def of(
        cls,
        level: Any = 0.95,
        replicates: Any = 1000,
        seed: Any = 0,
        stratified: bool = False,
        groups: Any = None,
        workers: Any = None,
    ) -> Resampling:
        """Refuses what can't be drawn."""
        if stratified and groups is not None:
            raise InputError("both stratified and groups were given; groups are drawn whole, so leave out one of them.")
        return cls(
            checked_level(level),
            whole("replicates", replicates),
            whole("seed", seed, least=0),
            bool(stratified),
            groups,
            None if workers is None else whole("workers", workers),
        )

    def clusters(self, n: int) -> Array | None:
        """[n]: the place of each case's group; None if single cases are drawn."""
        if self.groups is None:
            return None
        _, codes, _ = distinct(self.groups, "groups")
        if len(codes) != n:
            raise InputError(f"groups has {len(codes)} entries and there are {n} cases; give the group of each case.")
        return np.unique(codes, return_inverse=True)[1].astype(np.int32)
