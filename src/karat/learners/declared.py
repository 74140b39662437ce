"""What learners take from a data set: its nominal columns, and all the classes that it declares."""

from __future__ import annotations

from typing import Any, Self


class OfDataSet:
    """A learner with the parameters `nominal` and `classes`."""

    @classmethod
    def of(cls, data: Any, **options: Any) -> Self:
        """A classifier for a data set's codes: its nominal columns and all its declared classes."""
        return cls(nominal=data.nominal, classes=tuple(range(len(data.classes))), **options)  # type: ignore[call-arg]
