"""Libraries that karat can do without: a test that touches one that is not installed is skipped, not failed."""

from __future__ import annotations

from typing import Any

import pytest


class Optional:
    """A module that is imported when it is first touched."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):  # pytest looks whether this is a test
            raise AttributeError(name)
        return getattr(pytest.importorskip(self._name, reason=f"{self._name} is not installed"), name)


pandas: Any = Optional("pandas")
polars: Any = Optional("polars")
metrics: Any = Optional("sklearn.metrics")
