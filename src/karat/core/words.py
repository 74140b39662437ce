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


DIGITS = 3
"""Significant digits of a number that people read, unless more are asked for."""


def number(value: float, digits: int = DIGITS) -> str:
    """Three significant digits, a zero before the point; never as 0 or 1 if it is not.

    >>> number(0.0312), number(-0.5), number(1.41421), number(1234.5), number(0.00001)
    ('0.0312', '-0.500', '1.41', '1234', '1.00e-05')
    >>> number(1.0), number(0.99996), number(0.99999999), number(0.09999), number(float("nan"))
    ('1', '0.99996', '>0.999999', '0.100', 'undefined')
    """
    if not math.isfinite(value):
        return "undefined" if value != value else ("∞" if value > 0 else "-∞")
    if value == int(value):
        return f"{value:.0f}"
    if abs(float(power := f"{value:.{digits - 1}e}")) < SCIENTIFIC:
        return power
    text = decimal(value, decimals_of(value, digits))
    if abs(float(text)) == 1 and abs(value) < 1:
        longer = (decimal(value, d) for d in range(digits + 1, MOST_NINES + 1))
        text = next((t for t in longer if abs(float(t)) < 1), "").rstrip("0")
        text = text or (">0." if value > 0 else "<-0.") + "9" * MOST_NINES
    return text


MOST_NINES = 6
"""A number nearer to 1 than so many digits show is not written out."""


SCIENTIFIC = 1e-4
"""A number nearer to 0 than this is written with its exponent."""


def decimals_of(value: float, digits: int = DIGITS) -> int:
    """Digits after the point, for this number of significant ones, to which it is rounded first; those of 1 are those
    of a share below it.

    >>> decimals_of(0.921), decimals_of(1), decimals_of(0), decimals_of(0.0312), decimals_of(12.5), decimals_of(9.999)
    (3, 3, 3, 4, 1, 1)
    """
    power = int(f"{value:.{digits - 1}e}".partition("e")[2])
    if value == 0 or (power == 0 and abs(value) <= 1):
        return digits
    return min(max(digits - 1 - power, 0), 17)


def decimal(value: float, decimals: int) -> str:
    """With this number of digits after the point; 0 has no sign.

    >>> decimal(0.9, 3), decimal(-0.0001, 2)
    ('0.900', '0.00')
    """
    text = f"{value:.{decimals}f}"
    return text.removeprefix("-") if float(text) == 0 else text


ROUNDING = 1e-9
"""Of a percentage: that by which a computed one may differ from a whole one."""


def percent(share: float) -> str:
    """A share of cases; never as none or all if it is not.

    >>> percent(0.25), percent(0.0421), percent(0.9996), percent(1.0), percent(0.00004), percent(0.3 - 0.2)
    ('25 %', '4.2 %', '99.96 %', '100 %', '0.004 %', '10 %')
    """
    if not math.isfinite(share):
        return "undefined"
    value = 100 * share
    whole = round(value)
    if 10 <= round(abs(value), 1) <= 90 or value == whole or (abs(value - whole) < ROUNDING and 0 < abs(whole) < 100):
        return f"{value:.0f} %"
    if 0 < abs(value) < 0.1:
        return f"{value:.1g} %"
    return next(t for t in (f"{value:.{d}f}" for d in range(1, 18)) if abs(float(t)) != 100) + " %"


def share_of(share: float, things: str) -> str:
    """A share of things as a sentence has it: 1 is all of them.

    >>> share_of(0.25, "cases"), share_of(1.0, "cases"), share_of(0.0, "cases")
    ('25 % of the cases', 'all cases', 'none of the cases')
    """
    return (
        f"all {things}"
        if share == 1
        else f"none of the {things}"
        if share == 0
        else f"{percent(share)} of the {things}"
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
    """Two numbers, with as many digits as it takes to see that they differ.

    >>> against(0.5, 0.25), against(0.92134, 0.92136)
    ('0.500 against 0.250', '0.9213 against 0.9214')
    """
    for digits in (3, 4, 5):
        texts = number(one, digits), number(other, digits)
        if texts[0] != texts[1]:
            break
    return f"{texts[0]} against {texts[1]}"


def p_value(p: float) -> str:
    """A p-value.

    >>> p_value(0.0312), p_value(0.2), p_value(0.00002), p_value(1)
    ('p = 0.031', 'p = 0.200', 'p < 0.001', 'p = 1')
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


def size_words(size: float) -> str:
    """Bytes as people read them.

    >>> size_words(812), size_words(234982993), size_words(1.2e13)
    ('812 bytes', '235 MB', '12 TB')
    """
    for unit, of_one in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if size >= of_one:
            return f"{size / of_one:.3g} {unit}"
    return f"{size:.0f} bytes"


def short(name: str, most: int = 60, end: int | None = None) -> str:
    """A name that a sentence can hold, without some of its middle: names differ at their ends. So many letters of the
    end are kept, a third if nothing else is said.

    >>> short("tree"), short("a forest of 12 trees", 12)
    ('tree', 'a forest…ees')
    """
    end = (most - 1) // 3 if end is None else end
    return name if len(name) <= most else f"{name[: most - 1 - end]}…{name[len(name) - end :]}"


class Fixed(float):
    """A number that tables show with so many digits after the point, because others stand beside it.

    >>> Fixed(0.0901, 3).words
    '0.090'
    """

    decimals: int

    def __new__(cls, value: float, decimals: int) -> Fixed:
        self = super().__new__(cls, value)
        self.decimals = decimals
        return self

    @property
    def words(self) -> str:
        """As a table has it."""
        return decimal(self, self.decimals) if math.isfinite(self) else number(self)


class PValue(float):
    """A number that tables show as a p-value: never as 0.

    >>> [PValue(p).words for p in (0.0312, 0.2, 0.00002, 1)]
    ['0.031', '0.200', '< 0.001', '1']
    """

    @property
    def words(self) -> str:
        """As a table has it."""
        if self != self:
            return "-"
        if self < SMALL:
            return f"< {SMALL}"
        return "1" if self > 1 - SMALL / 2 else decimal(self, 3)


FLOORS = [Context(prec=digits, rounding=ROUND_FLOOR) for digits in range(1, 18)]


def shortest_cut(at: float, below: float) -> str:
    """A threshold with the fewest digits that decide the same: `at` is the lowest score on its upper side, `below` the
    highest on the other one. Of equally short numbers the one nearest to `at`, never above it.

    >>> shortest_cut(0.49, 0.485), shortest_cut(0.5338291, 0.52), shortest_cut(0.99999999963, 0.9999999995)
    ('0.49', '0.53', '0.9999999996')
    """
    if not math.isfinite(at):
        return "∞" if at > 0 else "-∞"
    exact = Decimal(repr(at))
    for floor in FLOORS:
        short = float(floor.create_decimal(exact))
        if short > below:
            return repr(short).removesuffix(".0")
    return repr(at)


def interval(estimate: float, low: float, high: float, digits: int = DIGITS) -> str:
    """An estimate and its interval, all with the same digits after the point.

    >>> interval(0.921, 0.882, 0.95), interval(0.0031, -0.012, 0.018)
    ('0.921 [0.882, 0.950]', '0.0031 [-0.0120, 0.0180]')
    """
    one, *ends = at_one_precision((estimate, low, high), digits)
    return f"{one} [{', '.join(ends)}]"


def apart_from_0(difference: float, low: float, high: float, digits: int = DIGITS) -> list[str]:
    """A difference and its ends, all with the same digits after the point; an end that leaves out 0 is not shown as 0.

    >>> apart_from_0(0.24, 2e-12, 0.48), apart_from_0(-0.24, -0.48, -2e-12), apart_from_0(0.24, -2e-12, 0.48)
    (['0.240', '>0', '0.480'], ['-0.240', '-0.480', '<0'], ['0.240', '0.000', '0.480'])
    """
    size, *ends = at_one_precision((difference, low, high), digits)
    if low > 0 and float(ends[0]) == 0:
        ends[0] = ">0"
    if high < 0 and float(ends[1]) == 0:
        ends[1] = "<0"
    return [size, *ends]


def difference_words(difference: float, low: float, high: float) -> str:
    """A difference and its interval in words.

    >>> difference_words(0.24, 2e-12, 0.48)
    '0.240 [>0, 0.480]'
    """
    size, *ends = apart_from_0(difference, low, high)
    return f"{size} [{', '.join(ends)}]"


def span(low: float, high: float, digits: int = DIGITS) -> str:
    """Two ends alone; nothing where one is not known.

    >>> span(0.882, 0.95), span(float("nan"), 1.0)
    ('[0.882, 0.950]', '')
    """
    return f"[{', '.join(at_one_precision((low, high), digits))}]" if low == low and high == high else ""


def at_one_precision(values: Iterable[float], digits: int = DIGITS) -> list[str]:
    """Numbers with the same digits after the point: as many as the largest needs.

    >>> at_one_precision([0.5, 12.25, float("inf")])
    ['0.5', '12.2', '∞']
    """
    given = list(values)
    return [Fixed(x, common_decimals(given, digits)).words for x in given]


def common_decimals(values: Iterable[float], digits: int = DIGITS) -> int:
    """Digits after the point of numbers that stand side by side: as many as the largest needs."""
    return decimals_of(max((abs(x) for x in values if math.isfinite(x)), default=0.0), digits)


def within(margin: Any) -> str:
    """The differences that are too small to matter.

    >>> within(0.01), within(2), within((-0.01, 0.02))
    ('0.01', '2', '-0.01 and 0.02')
    """
    ends = margin if isinstance(margin, tuple | list) else (margin,)
    return " and ".join(f"{float(x):g}" for x in ends)


def share(value: float) -> str:
    """A probability that is never written as certain.

    >>> share(0.953), share(0.9999), share(0.0001)
    ('95 %', 'over 99 %', 'under 1 %')
    """
    if value > 0.99:
        return "over 99 %"
    return "under 1 %" if value < 0.01 else f"{100 * value:.0f} %"


class Text(str):
    """Lines that show themselves as they are, in a terminal as in a notebook.

    >>> Text("two\\nlines")
    two
    lines
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)
