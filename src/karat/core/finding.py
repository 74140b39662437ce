"""A finding: something about a model that its user should know, in plain words, with its evidence."""

from __future__ import annotations

import html
import inspect
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any, NamedTuple

from karat.core.registry import Registry
from karat.core.statistic import Needs


class Severity(StrEnum):
    """How much a finding matters."""

    PROBLEM = "problem"
    """the model, or the data, should not be used as they are"""
    WARNING = "warning"
    """a number on display misleads"""
    NOTE = "note"
    """good to know"""


PROBLEM, WARNING, NOTE = Severity


class Found(NamedTuple):
    """What a check returns when there is something to say."""

    severity: Severity
    title: str
    """one short line"""
    words: str
    """what it means, and what to do"""
    evidence: dict[str, Any]
    """the numbers that it rests on"""


@dataclass(frozen=True)
class Finding:
    """Something that was found."""

    code: str
    severity: Severity
    title: str
    words: str
    evidence: dict[str, Any] = field(default_factory=dict)
    measures: tuple[str, ...] = ()
    """symbols of the measures that show it"""
    diagram: str = ""
    """the diagram that shows it"""

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {**asdict(self), "severity": str(self.severity), "measures": list(self.measures)}

    def __str__(self) -> str:
        return f"{self.severity}: {self.title}. {self.words}"


class Findings(tuple[Finding, ...]):
    """Findings, the gravest first."""

    __slots__ = ()

    @property
    def codes(self) -> list[str]:
        """Their codes."""
        return [f.code for f in self]

    def of(self, severity: str) -> Findings:
        """Only those of one severity."""
        return Findings(f for f in self if f.severity == Severity(severity))

    def to_dict(self) -> list[dict[str, Any]]:
        """Plain data."""
        return [f.to_dict() for f in self]

    def __repr__(self) -> str:
        return "\n".join(f"{f.severity:<8}{f.title}\n        {f.words}" for f in self) or "nothing to report"

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{f.severity}</td><td style='text-align:left'><b>{html.escape(f.title)}</b><br>"
            f"{html.escape(f.words)}</td></tr>"
            for f in self
        )
        return f"<table><tbody>{rows or '<tr><td>nothing to report</td></tr>'}</tbody></table>"


@dataclass(frozen=True, eq=False)
class Check:
    """One declared check: a function of the statistics of one model (or of several) that finds something or nothing."""

    function: Callable[..., Found | None]
    code: str
    question: str
    measures: tuple[str, ...]
    diagram: str
    needs: Needs
    several: bool
    name: str
    aliases: tuple[str, ...] = ()

    @property
    def symbol(self) -> str:
        """What it is registered as."""
        return self.code

    def __call__(self, data: Any) -> Finding | None:
        """The finding, or None."""
        found = self.function(data)
        if found is None:
            return None
        severity, title, words, evidence = found
        return Finding(self.code, severity, title, words, _plain(evidence), self.measures, self.diagram)

    def __repr__(self) -> str:
        return f"<check {self.code}: {self.question}>"


def _plain(value: Any) -> Any:
    """Evidence as plain Python data, so that it can be stored."""
    if isinstance(value, dict):
        return {str(k): _plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(v) for v in value]
    return value.tolist() if hasattr(value, "tolist") else value


checks: Registry[Check] = Registry("check")
"""All that were declared."""


def check(
    *,
    code: str,
    needs: Needs = Needs.DECISIONS,
    measures: tuple[str, ...] = (),
    diagram: str = "",
    several: bool = False,
) -> Callable[[Callable[..., Found | None]], Check]:
    """Declare a check. Its name is the function's, its question the docstring's; it joins `e.findings()`, or
    `findings_of(models)` if it is about several models."""

    def declare(function: Callable[..., Found | None]) -> Check:
        question = (inspect.getdoc(function) or "").strip().split("\n")[0]
        if not question.endswith("?"):
            raise TypeError(f"{function.__name__}: its docstring must begin with the question that it answers.")
        return checks.add(Check(function, code, question, measures, diagram, needs, several, function.__name__))

    return declare


def figure(x: float, digits: int = 2) -> str:
    """A share as people write it: .94; with one digit more near 0 and 1.

    >>> figure(0.9412), figure(0.0042), figure(1.0), figure(-0.25), figure(12.345)
    ('.94', '.004', '1', '-.25', '12.35')
    """
    if x == int(x):
        return str(int(x))
    near = abs(x) < 0.1 or 0.99 < abs(x) < 1
    text = f"{x:.{digits + 1 if near else digits}f}"
    if float(text) == 0 or (float(text) == 1 and x < 1):
        text = f"{x:.2g}" if abs(x) < 0.5 else f"{x:.6f}".rstrip("0")
    return text.replace("0.", ".", 1) if text.lstrip("-").startswith("0.") else text


def against(one: float, other: float) -> str:
    """Two figures, with as many digits as it takes to see that they differ.

    >>> against(0.5, 0.25), against(0.9213, 0.9184)
    ('.50 against .25', '.921 against .918')
    """
    for digits in (2, 3, 4):
        texts = figure(one, digits), figure(other, digits)
        if texts[0] != texts[1]:
            break
    return f"{texts[0]} against {texts[1]}"


def listed(names: Any, most: int = 6) -> str:
    """Names in a sentence."""
    texts = [str(name) for name in names]
    shown = texts if len(texts) <= most else [*texts[:most], f"{len(texts) - most} more"]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"
