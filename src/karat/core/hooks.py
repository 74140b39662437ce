"""Slots that are filled from above, so that what is declared here can be used as a whole: a measure is called on labels
and probabilities, a study runs itself. `core` imports nothing of karat; `karat/__init__.py` fills the slots."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class Slot:
    """A function that lies above, fetched when it is first called."""

    def __init__(self) -> None:
        self._fetch: Callable[[], Callable[..., Any]] | None = None
        self._function: Callable[..., Any] | None = None

    def fill(self, fetch: Callable[[], Callable[..., Any]]) -> None:
        """Say where the function is."""
        self._fetch, self._function = fetch, None

    def __call__(self, *data: Any, **options: Any) -> Any:
        if self._function is None:
            assert self._fetch is not None, "karat/__init__.py fills every slot"
            self._function = self._fetch()
        return self._function(*data, **options)


value_from_predictions = Slot()
"""The value of a measure on labels and probabilities."""
run_study = Slot()
"""The tables of a study."""
compare_across = Slot()
"""Models ranked over many data sets, from a table of results: what a diagram of such ranks is made from."""
measure_of_symbol = Slot()
"""A declared measure, all of them being declared first: what a pickled one is when it comes back."""
report = Slot()
"""The page about some models: what an evaluation and a comparison write of themselves."""
intervals = Slot()
"""An interval of each measure on some predictions: what a figure writes beside a number."""
interval_of_rate = Slot()
"""(low, high, method) of a share, from how many of how many, and the level."""
course = Slot()
"""Measures over time: what an evaluation tells of itself when it is given dates."""
