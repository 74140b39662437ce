"""The data sets of published studies, as the papers describe them, and how what is found differs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from karat.core.errors import UnknownNameError
from karat.core.table import packaged_rows
from karat.datasets.data_set import NO_CLASS, DataSet
from karat.datasets.folders import load

PRINTED = 0.011
"""Percentages are printed to two digits, some rounded and some cut off."""


@dataclass(frozen=True)
class Published:
    """One row of a paper's table of data sets. What the paper doesn't say is None."""

    study: str
    """A key of the references."""
    name: str
    """The paper's."""
    found_as: str
    """karat's, for `load`."""
    cases: int
    attributes: int
    classes: int
    nominal: int | None
    numeric: int | None
    majority: float | None
    """Percent of the cases that are of the largest class."""
    minority: float | None
    why: str
    """Why the set that was found differs, as far as it is known."""

    def load(self, data: str | Path | None = None) -> DataSet:
        """What was found under this name."""
        return load(self.found_as, data)

    def differences(self, data: DataSet) -> dict[str, tuple[float, float]]:
        """Where these cases differ from the paper: {what: (published, found)}."""
        counts = np.bincount(data.y[data.y != NO_CLASS], minlength=1)
        counts = counts[counts > 0]
        actual = {
            "cases": len(data.y),
            "attributes": data.X.shape[1],
            "classes": len(data.classes),
            "nominal": len(data.nominal),
            "numeric": data.X.shape[1] - len(data.nominal),
            "majority": round(float(100 * counts.max() / counts.sum()), 2),
            "minority": round(float(100 * counts.min() / counts.sum()), 2),
        }
        printed = {what: getattr(self, what) for what in actual}
        return {
            what: (printed[what], value)
            for what, value in actual.items()
            if printed[what] is not None and abs(printed[what] - value) > (PRINTED if what.endswith("ority") else 0)
        }


def published(study: str) -> tuple[Published, ...]:
    """The data sets of a study: "wang2013" (19 sets) or "ferri2009" (30 sets).

    >>> [p.name for p in published("wang2013") if p.classes > 9]
    ['soybean', 'pendigits', 'audiology']
    """
    rows = tuple(row for row in _all() if row.study == study)
    if not rows:
        raise UnknownNameError(
            f"there is no list of data sets for {study!r}; there are lists for {', '.join(studies())}."
        )
    return rows


def studies() -> tuple[str, ...]:
    """The studies whose data sets are listed."""
    return tuple(dict.fromkeys(row.study for row in _all()))


@cache
def _all() -> tuple[Published, ...]:
    return tuple(_row(row) for row in packaged_rows(__package__, "published"))


def _row(row: dict[str, str]) -> Published:
    values: dict[str, float | None] = {}
    for name in ("cases", "attributes", "classes", "nominal", "numeric", "majority", "minority"):
        kind = float if name.endswith("ority") else int
        values[name] = kind(row[name]) if row[name] else None
    return Published(**row | values)  # type: ignore[arg-type]
