"""A comparison: a question about models, data sets or measures, answered by a test or a ranking. It is declared like a
measure, so that the catalogue, the command line, the page and the docs find it."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, TypeVar

from karat.core.registry import Registry

F = TypeVar("F", bound=Callable[..., Any])


class Of(StrEnum):
    """What is compared."""

    MODELS = "models on the same cases"
    DATA_SETS = "models on many data sets"
    MEASURES = "measures"


MODELS, DATA_SETS, MEASURES = Of


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

    def __call__(self, *data: Any, **options: Any) -> Any:
        """What the comparison says."""
        return self.function(*data, **options)

    def __repr__(self) -> str:
        return f"<comparison {self.name} of {self.of}: {self.question}>"


comparisons: Registry[DeclaredComparison] = Registry("comparison")
"""All that were declared."""


def comparison(*, of: Of, cite: str, name: str = "", aliases: tuple[str, ...] = ()) -> Callable[[F], F]:
    """Declare a comparison. Its name is the function's, unless said; its question is the docstring's first line. The
    function stays what it is."""

    def declare(function: F) -> F:
        question = (inspect.getdoc(function) or "").strip().split("\n")[0]
        if not question.endswith("?"):
            raise TypeError(f"{function.__name__}: its docstring must begin with the question that it answers.")
        comparisons.add(DeclaredComparison(function, name or function.__name__, of, question, cite, aliases))
        return function

    return declare
