"""How far a run is and how long it will take, on stderr."""

from __future__ import annotations

from types import TracebackType
from typing import Any, Self


class Progress:
    """A bar with the time left, or nothing."""

    def __init__(self, bar: Any = None, task: Any = None) -> None:
        self._bar, self._task = bar, task

    @classmethod
    def of(cls, what: str, total: int, *, done: int = 0, shown: bool = True) -> Progress:
        """A bar for so many units, some of which were done before."""
        if not shown:
            return cls()
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
        from rich.progress import Progress as Bar

        bar = Bar(
            TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(),
            TextColumn("left"), TimeRemainingColumn(), console=Console(stderr=True), transient=False,
        )  # fmt: skip
        return cls(bar, bar.add_task(what, total=total, completed=done))

    def step(self) -> None:
        """One more unit is done."""
        if self._bar is not None:
            self._bar.advance(self._task)

    def __enter__(self) -> Self:
        if self._bar is not None:
            self._bar.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._bar is not None:
            self._bar.stop()
