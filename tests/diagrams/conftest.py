"""No screen is needed, and no figure is left open."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    yield
    import matplotlib.pyplot as plt

    plt.close("all")
