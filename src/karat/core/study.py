"""A study: a question about measures, answered by an experiment that can be cut into units.

A study is a frozen record of what it was told: its measures, its size, its seed. `units()` names the parts of the work,
`measured(unit, rng)` does one of them and gives arrays, `tables(parts)` makes the answer of all of them. It writes
nothing: an engine (`karat.engines`) decides where the units run and where their arrays are kept.
"""

from __future__ import annotations

import hashlib
import inspect
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, fields
from typing import Any, ClassVar, NamedTuple, TypeVar

import numpy as np

from karat.core.arithmetic import Array
from karat.core.digest import digest
from karat.core.hooks import run_study
from karat.core.measure import Measure
from karat.core.registry import Registry, question_of
from karat.core.table import Table
from karat.core.validation import whole

S = TypeVar("S", bound="type[Study]")
Part = dict[str, Array]
"""What one unit found: named arrays."""
Tables = dict[str, Table]
"""The answer of a study: named tables, the most important first."""


class StudyOption(NamedTuple):
    """One option of a study: its default is the field's, its type and description are those of the docstring."""

    kind: str
    default: Any
    words: str


@dataclass(frozen=True, eq=False, kw_only=True)
class Study:
    """What all studies share.

    Parameters
    ----------
    seed : int
        Seed of the random numbers. The same seed gives the same results, whatever the number of workers.
    """

    name: ClassVar[str]
    symbol: ClassVar[str]
    aliases: ClassVar[tuple[str, ...]]
    cite: ClassVar[str]
    question: ClassVar[str]
    size: ClassVar[str] = ""
    """The field that says how large it is."""
    takes: ClassVar[str] = ""
    """The field that files are read into: "matrices", "values", or none."""
    in_processes: ClassVar[bool] = False
    """Units hold Python's lock: on one machine they run in processes."""
    example: ClassVar[str] = ""
    """What an example on the command line has behind the study's name: something that ends in seconds."""

    seed: int = 1

    def __post_init__(self) -> None:
        """Check what was told, before any work is done."""
        seed: Any = self.seed
        seed = int(seed.integers(1 << 62)) if isinstance(seed, np.random.Generator) else seed
        self._set(seed=whole("seed", seed, least=0))

    def _set(self, **checked: Any) -> None:
        for name, value in checked.items():
            object.__setattr__(self, name, value)

    def units(self) -> list[str]:
        """Names of the parts of the work, in their order."""
        raise NotImplementedError

    def measured(self, unit: str, rng: np.random.Generator) -> Part:
        """Do one unit. What is random in it comes from `rng` alone."""
        raise NotImplementedError

    def tables(self, parts: Mapping[str, Part]) -> Tables:
        """The answer, from the parts of all units."""
        raise NotImplementedError

    def figures(self, tables: Tables) -> dict[str, Any]:
        """Diagrams of the answer, by their names; none unless a study draws some."""
        return {}

    @property
    def has_figures(self) -> bool:
        """Does it draw some? To be asked before any work is done."""
        return type(self).figures is not Study.figures

    def generator(self, unit: str) -> np.random.Generator:
        """Random numbers that belong to a unit: the same whoever does it, and whatever else is done."""
        words = np.frombuffer(hashlib.sha256(f"{self.name}/{unit}".encode()).digest(), "<u4")
        return np.random.default_rng([self.seed, *words.tolist()])

    @classmethod
    def options(cls) -> dict[str, StudyOption]:
        """All options, by name."""
        described: dict[str, tuple[str, str]] = {}
        for base in reversed(cls.__mro__):
            described |= described_parameters(vars(base).get("__doc__") or "")
        options = {}
        for f in fields(cls):
            kind, words = described.get(f.name, ("", ""))
            options[f.name] = StudyOption(kind, None if f.default is MISSING else f.default, words)
        return options

    @classmethod
    def description(cls) -> str:
        """What its docstring says between the question and the sections."""
        paragraphs = SECTION.split(inspect.getdoc(cls) or "")[0].strip().split("\n\n")
        return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs[1:])

    def sent(self, unit: str) -> Study:
        """What a unit needs of the study, wherever it is done: all of it, or a lighter copy."""
        return self

    def arguments(self) -> dict[str, Any]:
        """What the study was told, as plain data: two runs with equal arguments give equal tables."""
        return {f.name: _fingerprint(getattr(self, f.name)) for f in fields(self)}

    def run(self, **options: Any) -> Tables:
        """Run the study and return its tables.

        Parameters
        ----------
        **options
            Those of `karat.engines.run`: `workers`, `executor`, `folder` and `progress`.

        Returns
        -------
        dict of str to Table
            The most important table first.
        """
        tables: Tables = run_study(self, **options)
        return tables

    def __repr__(self) -> str:
        return f"<study {self.name}: {self.question}>"


SECTION = re.compile(r"^[A-Z][A-Za-z ]+\n-{3,}\n", re.MULTILINE)
"""The head of a section of a docstring."""
PARAMETER = re.compile(r"^(\w+) : (.+)\n((?:    .*\n?|\n)*)", re.MULTILINE)


def described_parameters(docstring: str) -> dict[str, tuple[str, str]]:
    """Name to type and description, from the section of parameters.

    >>> described_parameters("Throws.\\n\\nParameters\\n----------\\nthrows : int\\n    How\\n    many.\\n")
    {'throws': ('int', 'How many.')}
    """
    _, head, section = inspect.cleandoc(docstring).partition("Parameters\n----------\n")
    own = SECTION.split(f"{section}\n")[0] if head else ""
    return {name: (kind, " ".join(words.split())) for name, kind, words in PARAMETER.findall(own)}


studies: Registry[type[Study]] = Registry("study")
"""All that were declared."""


def study(*, name: str, cite: str, aliases: tuple[str, ...] = ()) -> Callable[[S], S]:
    """Declare a study. Its question is the first paragraph of its docstring; it joins the catalogue, `karat study` and
    the tests."""

    def declare(kind: S) -> S:
        studies.declare(kind, name, aliases=aliases, cite=cite, question=question_of(kind))
        return kind

    return declare


def _fingerprint(value: Any) -> Any:
    """What two runs are compared by: equal for equal arguments, which plain data need not be (nan)."""
    if isinstance(value, Measure):
        parameters = {k: _fingerprint(v) for k, v in value.parameters.items()}
        own: dict[str, Any] = {"symbol": value.symbol, "formula": digest(value.function)}
        return own | ({"parameters": parameters} if parameters else {})
    if isinstance(value, np.ndarray | np.generic):
        return _fingerprint(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)  # nan is not equal to itself, and JSON has no infinity
    if isinstance(value, Mapping):
        return {str(k): _fingerprint(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_fingerprint(v) for v in value]
    return value
