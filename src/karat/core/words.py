"""Numbers, shares, p-values and names as a sentence or a legend has them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from decimal import ROUND_FLOOR, Context, Decimal
from typing import Any

ARROWS = {1: "↑", -1: "↓", 0: "·"}
DIRECTIONS = {1: "higher", -1: "lower", 0: ""}
"""By a measure's orientation: what is better."""

SMALL = 0.001
"""A p-value below this is not written out: what it would say hangs on the far tail of a model of chance."""


def number(value: float, digits: int = 2) -> str:
    """Without a zero before the point.

    >>> number(0.0312), number(-0.5, 1), number(1.41), number(0.00001)
    ('.03', '-.5', '1.41', '.00')
    """
    if not math.isfinite(value):
        return "undefined" if value != value else ("∞" if value > 0 else "-∞")
    text = f"{value:.{digits}f}"
    return _bare(text.removeprefix("-") if float(text) == 0 else text)


def figure(x: float, digits: int = 2) -> str:
    """A share as people write it: .94; with one digit more near 0 and 1, and never as 0 or 1 if it is not.

    >>> figure(0.9412), figure(0.0042), figure(1.0), figure(-0.25), figure(12.345)
    ('.94', '.004', '1', '-.25', '12.35')
    >>> figure(0.99999999), figure(float("nan"))
    ('.99999999', 'undefined')
    """
    if not math.isfinite(x) or x == int(x):
        return number(x, 0)
    near = abs(x) < 0.1 or 0.99 < abs(x) < 1
    text = number(x, digits + 1 if near else digits)
    if float(text) == 0:
        return _bare(f"{x:.2g}")
    if abs(float(text)) == 1 and abs(x) < 1:
        text = next(t for t in (number(x, d) for d in range(6, 18)) if abs(float(t)) < 1).rstrip("0")
    return text


def share_of(share: float, things: str) -> str:
    """A share of things as a sentence has it: 1 is all of them.

    >>> share_of(0.25, "cases"), share_of(1.0, "cases"), share_of(0.0, "cases")
    ('.25 of the cases', 'all cases', 'none of the cases')
    """
    return (
        f"all {things}" if share == 1 else f"none of the {things}" if share == 0 else f"{figure(share)} of the {things}"
    )


def arrow(orientation: int) -> str:
    """Which way is better: up, down, or none.

    >>> arrow(1), arrow(-1), arrow(0)
    ('↑', '↓', '·')
    """
    return ARROWS[orientation]


def direction(orientation: int) -> str:
    """The same in a word; empty if neither is better.

    >>> direction(1), direction(-1), direction(0)
    ('higher', 'lower', '')
    """
    return DIRECTIONS[orientation]


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


def p_value(p: float) -> str:
    """A p-value.

    >>> p_value(0.0312), p_value(0.2), p_value(0.00002), p_value(1)
    ('p = .031', 'p = .200', 'p < .001', 'p = 1')
    """
    if p != p:
        return "p undefined"
    words = PValue(p).words
    return f"p {words}" if words.startswith("<") else f"p = {words}"


def listed(names: Iterable[Any], most: int | None = None) -> str:
    """Names in a row; of more than `most` the first, and how many others.

    >>> listed(["tree", "forest", "boosting"]), listed("abcde", most=3)
    ('tree, forest and boosting', 'a, b, c and 2 more')
    """
    texts = [str(name) for name in names]
    if most is not None and len(texts) > most:
        texts = [*texts[:most], f"{len(texts) - most} more"]
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} and {texts[-1]}"


def amount(number: float) -> str:
    """A number of cases; weights may leave a part of one.

    >>> amount(12), amount(1234567), amount(2.5), amount(1099.7), amount(0.9999999999999998)
    ('12', '1234567', '2.5', '1100', '1')
    """
    whole = round(number)
    return f"{whole}" if abs(number) >= 100 or abs(number - whole) < 1e-9 else f"{number:.3g}"


def counted(number: float, noun: str = "case") -> str:
    """How many of them there are, in the singular or the plural; weights may leave a part of one.

    >>> counted(1), counted(12), counted(2.5), counted(1234567), counted(1, "step")
    ('1 case', '12 cases', '2.5 cases', '1234567 cases', '1 step')
    """
    text = amount(number)
    return f"{text} {noun}" if text == "1" else f"{text} {noun}s"


def short(name: str, most: int = 60) -> str:
    """A name that a sentence can hold.

    >>> short("tree"), short("a forest of trees", 8)
    ('tree', 'a fores…')
    """
    return name if len(name) <= most else f"{name[: most - 1]}…"


def _bare(text: str) -> str:
    return text.replace("0.", ".", 1) if text.startswith(("0.", "-0.")) else text


class PValue(float):
    """A number that tables show as a p-value: never as 0.

    >>> [PValue(p).words for p in (0.0312, 0.2, 0.00002, 1)]
    ['.031', '.200', '< .001', '1']
    """

    @property
    def words(self) -> str:
        """As a table has it."""
        if self != self:
            return "-"
        if self < SMALL:
            return f"< {number(SMALL, 3)}"
        return "1" if self > 1 - SMALL / 2 else number(self, 3)


def shortest_cut(at: float, below: float) -> str:
    """A threshold with the fewest digits that decide the same: `at` is the lowest score on its upper side, `below` the
    highest on the other one. Of equally short numbers the one nearest to `at`, never above it.

    >>> shortest_cut(0.49, 0.485), shortest_cut(0.5338291, 0.52), shortest_cut(0.99999999963, 0.9999999995)
    ('0.49', '0.53', '0.9999999996')
    """
    if not math.isfinite(at):
        return "∞" if at > 0 else "-∞"
    exact = Decimal(repr(at))
    for digits in range(1, 18):
        short = float(Context(prec=digits, rounding=ROUND_FLOOR).create_decimal(exact))
        if short > below:
            return repr(short).removesuffix(".0")
    return repr(at)


def interval(estimate: float, low: float, high: float, digits: int = 2) -> str:
    """An estimate and its interval.

    >>> interval(0.03, 0.01, 0.052)
    '.03 [.01, .05]'
    """
    return f"{number(estimate, digits)} [{number(low, digits)}, {number(high, digits)}]"


def within(margin: Any) -> str:
    """The differences that are too small to matter.

    >>> within(0.01), within(2), within((-0.01, 0.02))
    ('.01', '2', '-.01 and .02')
    """
    ends = margin if isinstance(margin, tuple | list) else (margin,)
    texts = [f"{float(x):g}" for x in ends]
    return " and ".join(map(_bare, texts))


def share(value: float) -> str:
    """A probability that is never written as certain.

    >>> share(0.953), share(0.9999), share(0.0001)
    ('95 %', 'over 99 %', 'under 1 %')
    """
    if value > 0.99:
        return "over 99 %"
    return "under 1 %" if value < 0.01 else f"{100 * value:.0f} %"
