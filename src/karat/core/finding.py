"""A finding: something about a model that its user should know, in plain words, with its evidence."""

from __future__ import annotations

import html
import textwrap
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NamedTuple

from karat.core.plain_data import plain
from karat.core.record import Record
from karat.core.registry import Registry, question_of
from karat.core.statistic import Needs
from karat.core.table import Table, Tabular
from karat.core.validation import one_of


class Severity(StrEnum):
    """How much a finding matters."""

    PROBLEM = "problem"
    """the model, or the data, should not be used as they are"""
    WARNING = "warning"
    """a number is misleading"""
    NOTE = "note"
    """good to know"""

    @property
    def rank(self) -> int:
        """0 is the gravest."""
        return list(Severity).index(self)


PROBLEM, WARNING, NOTE = Severity
NOTHING = "No findings."
WIDTH = 100
"""Of findings in a terminal."""


class Observation(NamedTuple):
    """What a check returns when there is something to say."""

    severity: Severity
    title: str
    """one short line"""
    words: str
    """what it means, and what to do"""
    evidence: dict[str, Any]
    """the numbers that it rests on"""


@dataclass(frozen=True)
class Finding(Record):
    """Something about a model, or about several models, that its user should know.

    Attributes
    ----------
    code : str
        What kind of finding it is, for programs: "overconfident".
    severity : {"problem", "warning", "note"}
        A problem: do not use the model or the data as they are. A warning: a number is misleading. A note: good to
        know.
    title : str
        One line.
    words : str
        What it means, and what to do.
    evidence : dict
        The numbers that it rests on.
    measures : tuple of str
        Symbols of the measures that show it.
    diagram : str
        Name of the diagram that shows it: `e.plot(finding.diagram)`.
    """

    code: str
    severity: Severity
    title: str
    words: str
    evidence: dict[str, Any] = field(default_factory=dict)
    measures: tuple[str, ...] = ()
    diagram: str = ""

    def __str__(self) -> str:
        return f"{self.severity}: {self.title}. {self.words}"


class Findings(Tabular, tuple[Finding, ...]):
    """A tuple of findings, the most severe first; a terminal and a notebook show them in words.

    See Also
    --------
    Finding : One of them.

    Examples
    --------
    >>> import karat
    >>> found = karat.evaluate_matrix([[940, 0], [60, 0]], labels=["well", "ill"]).findings()
    >>> found.codes
    ['no-better-than-majority', 'never-decided']
    >>> found[0].evidence["Acc"]
    0.94
    >>> len(found.of("note"))
    0
    """

    __slots__ = ()

    @property
    def codes(self) -> list[str]:
        """The code of each finding."""
        return [f.code for f in self]

    def of(self, severity: str) -> Findings:
        """Only those of one severity.

        Parameters
        ----------
        severity : {"problem", "warning", "note"}

        Returns
        -------
        Findings

        Raises
        ------
        InputError
            If there is no such severity.
        """
        one_of("severity", severity, tuple(Severity))
        return Findings(f for f in self if f.severity == Severity(severity))

    def to_dict(self) -> list[dict[str, Any]]:
        """Plain data, ready for JSON: a dictionary for each finding."""
        return [f.to_dict() for f in self]

    def to_table(self) -> Table:
        """One row for each finding: severity, code, title and words."""
        fields = ("severity", "code", "title", "words")
        return Table({name: [str(getattr(f, name)) for f in self] for name in fields})

    def __repr__(self) -> str:
        return "\n".join(f"{f.severity:<9}{f.title}\n{_wrapped(f.words)}" for f in self) or NOTHING

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{f.severity}</td><td style='text-align:left'><b>{html.escape(f.title)}</b><br>"
            f"{html.escape(f.words)}</td></tr>"
            for f in self
        )
        return f"<table><tbody>{rows or f'<tr><td>{NOTHING}</td></tr>'}</tbody></table>"


def _wrapped(words: str) -> str:
    return textwrap.fill(words, WIDTH, initial_indent=" " * 9, subsequent_indent=" " * 9)


@dataclass(frozen=True, eq=False)
class Check:
    """One declared check: a function of the statistics of one model (or of several) that finds something or nothing."""

    function: Callable[..., Observation | None]
    code: str
    question: str
    measures: tuple[str, ...]
    diagram: str
    needs: Needs | None
    """None: nothing but the truth"""
    several: bool
    every_row: bool
    """is it about the rows as they were given? Others see copies of a row as one case"""
    restated: bool
    """is it as true where class frequencies were said, not seen? Others test the cases against these frequencies"""
    name: str
    aliases: tuple[str, ...] = ()

    @property
    def symbol(self) -> str:
        """What it is registered as."""
        return self.code

    def __call__(self, data: Any) -> Finding | None:
        """The finding, or None."""
        observation = self.function(data)
        if observation is None:
            return None
        severity, title, words, evidence = observation
        return Finding(self.code, severity, title, words, plain(evidence), self.measures, self.diagram)

    def __repr__(self) -> str:
        return f"<check {self.code}: {self.question}>"


checks: Registry[Check] = Registry("finding")
"""All that were declared."""


def check(
    *,
    code: str,
    needs: Needs | None = Needs.DECISIONS,
    measures: tuple[str, ...] = (),
    diagram: str = "",
    several: bool = False,
    every_row: bool = False,
    restated: bool = False,
) -> Callable[[Callable[..., Observation | None]], Check]:
    """Declare a check. Its name is the function's, its question the docstring's; it joins `e.findings()`, or
    `findings_of(models)` if it is about several models."""

    def declare(function: Callable[..., Observation | None]) -> Check:
        question, name = question_of(function), function.__name__
        about = (measures, diagram, needs, several, every_row, restated)
        return checks.add(Check(function, code, question, *about, name))

    return declare
