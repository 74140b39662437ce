"""A comparison: a question about models, data sets or measures, answered by a test or a ranking. It is declared like a
measure, so that the catalogue, the command line and the docs find it."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, TypeVar

from karat.core.record import Record
from karat.core.registry import Registry, question_of

F = TypeVar("F", bound=Callable[..., Any])


class Of(StrEnum):
    """What is compared."""

    MODELS = "models on the same cases"
    DATA_SETS = "models on many data sets"
    FOLDS = "models on the folds of one data set"
    MEASURES = "measures"
    GROUPS = "groups of the cases"
    SETS = "two sets of cases"
    TIMES = "cases over time"


MODELS, DATA_SETS, FOLDS, MEASURES, GROUPS, SETS, TIMES = Of


@dataclass(frozen=True, eq=False)
class DeclaredComparison:
    """One declared comparison. Call it as the function that it is."""

    function: Callable[..., Any]
    name: str
    of: Of
    question: str
    cite: str
    aliases: tuple[str, ...] = ()

    @property
    def symbol(self) -> str:
        """What it is registered as."""
        return self.name

    @property
    def path(self) -> str:
        """How it is called in Python: `karat.across.friedman`."""
        package, _, _ = self.function.__module__.rpartition(".")
        return f"{package}.{self.function.__name__}"

    @property
    def result(self) -> type[Record]:
        """What it answers with: the type that the function says it returns."""
        kind: type[Record] = inspect.unwrap(self.function).__globals__[self.function.__annotations__["return"]]
        assert issubclass(kind, Record), f"{self.name} answers with {kind}, which is no record"
        return kind

    def __call__(self, *data: Any, **options: Any) -> Record:
        """The answer."""
        answer: Record = self.function(*data, **options)
        return answer

    def __repr__(self) -> str:
        return f"<comparison {self.name} of {self.of}: {self.question}>"


comparisons: Registry[DeclaredComparison] = Registry("comparison", order=lambda c: ([*Of].index(c.of), c.path))
"""All that were declared, by what is compared and where they are."""


def comparison(*, of: Of, cite: str, name: str = "", aliases: tuple[str, ...] = ()) -> Callable[[F], F]:
    """Declare a comparison. Its name is the function's unless said, its question the docstring's, its result the
    annotation's; it joins the catalogue, the command line and the tests, and stays the function that it is."""

    def declare(function: F) -> F:
        question = question_of(function)
        comparisons.add(DeclaredComparison(function, name or function.__name__, of, question, cite, aliases))
        return function

    return declare
