"""What a page draws of a diagram: lines or points on two axes, and what they are compared with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

UNIT = (0.0, 1.0)
"""From 0 to 1."""


@dataclass(frozen=True)
class Axis:
    """One of the two axes."""

    title: str
    domain: tuple[float, float] | None = None
    """from where to where; None: as the lines need"""
    ticks: Sequence[tuple[float, str]] = ()
    """places and what is written there; none: numbers"""


@dataclass(frozen=True)
class Line:
    """The line, or the points, of one model."""

    x: Any
    y: Any
    label: str = ""
    """what is to be known of it as a whole"""
    model: str = ""
    """whose it is, where a diagram shows several"""


@dataclass(frozen=True)
class Panel:
    """Lines or points on two axes."""

    x: Axis
    y: Axis
    lines: Sequence[Line] = ()
    references: Mapping[str, tuple[Any, Any]] = field(default_factory=dict)
    """name to (x, y) of what the lines are compared with"""
    areas: Sequence[Sequence[tuple[float, float]]] = ()
    """corners of regions that are good to be in"""
    points: bool = False
    """each place of a line is marked"""
