"""Requirements that look at parts of the cases: groups of a column, periods of time, another file."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from karat.core.errors import InputError
from karat.core.words import listed, number, p_value

if TYPE_CHECKING:
    from karat.cli.gate import Requirement
    from karat.cli.options import Reader
    from karat.evaluation import Evaluation
    from karat.groups import ByGroup

GROUPS, TIME, FILES = ("min", "max", "gap"), ("drop", "outside"), ("change", "remaining")
"""Over groups; over time; against another file."""
OVER = (*GROUPS, *TIME, *FILES)


class Looked:
    """What a requirement finds in parts of the cases: (value, why)."""

    def __init__(self, models: Reader, every: str, level: float, seed: int) -> None:
        self.models, self.every, self.level, self.seed = models, every, level, seed
        self.references: dict[str, Evaluation] = {}

    def refuse_wrong(self, r: Requirement) -> None:
        """What is wrong with a requirement, before anything is computed."""
        if r.over and self.models.options.get("groups"):
            raise InputError(
                f"{r.text!r} takes cases to be independent, and --groups says that they are not; leave one of them out."
            )
        if r.over in TIME and r.end:
            raise InputError(f"{r.text!r}: {r.over} is a number without an interval; leave .lo and .hi out.")
        if r.over in FILES:
            self._reference(r.column)

    def value(self, r: Requirement, e: Evaluation) -> tuple[float, str]:
        """The value that is compared with the bound, nan if there is none; and where it is from, or why not."""
        if r.over in TIME:
            return self._over_time(r, e)
        if r.over in FILES:
            return self._against(r, e)
        g: Any = e.by(r.column, level=self.level)
        return _gap(g, r, self.level) if r.over == "gap" else _extreme(g, r)

    def _over_time(self, r: Requirement, e: Evaluation) -> tuple[float, str]:
        """By how much it became worse at a significant change, 0 if there is none; how many periods are beyond their
        limits."""
        from karat.measures.lookup import find

        course = e.over(r.column, self.every, [r.symbol], level=self.level, seed=self.seed)
        c = course[r.symbol]
        if r.over == "outside":
            known = any(x == x for x in c.limit_low)
            where = listed(list(c.outside), 3) if c.outside else ""
            return (float(len(c.outside)), where) if known else (math.nan, c.reason)
        if c.p != c.p:
            return math.nan, c.reason
        if not c.changed:
            return 0.0, f"no significant change over {len(course.periods)} {self.every}s, {p_value(c.p)}"
        way = find(r.symbol).orientation
        worse = (c.before - c.after) * way if way else abs(c.after - c.before)
        return worse, f"{number(c.before)} to {number(c.after)} since {c.changed}, {p_value(c.p)}"

    def _against(self, r: Requirement, e: Evaluation) -> tuple[float, str]:
        """The change from the reference, or what class frequencies do not explain of it."""
        from karat.changes import shift

        one = shift(self._reference(r.column), e, measures=[r.symbol], level=self.level, seed=self.seed)[r.symbol]
        ends = {"": r.over, "low": "low", "high": "high"}
        if r.over == "remaining":
            ends |= {"low": "remaining_low", "high": "remaining_high"}
        value = float(getattr(one, ends[r.end]))
        return value, one.reason if value != value else f"{number(one.reference)} to {number(one.current)}"

    def _reference(self, path: str) -> Evaluation:
        from karat.cli.options import Reader

        if path not in self.references:
            found = Reader([path], **self.models.options | {"beside": ()}).evaluations()
            if len(found) > 1:
                raise InputError(f"{path} holds {len(found)} models; name a file of one.")
            self.references[path] = next(iter(found.values()))
        return self.references[path]


def _gap(g: ByGroup, r: Requirement, level: float) -> tuple[float, str]:
    gap = g.gap(r.symbol, level=level)
    value = float(getattr(gap, r.end or "value"))
    return value, gap.reason if value != value else f"{gap.worst} and {gap.best}"


def _extreme(g: ByGroup, r: Requirement) -> tuple[float, str]:
    """Of all groups. One without a value, or without an interval where its end is asked for, meets no requirement."""
    table = g[r.symbol] if r.end else None
    values = g.values([r.symbol])[r.symbol] if table is None else getattr(table, r.end)
    unknown = [group for group, v in zip(g.groups, values, strict=True) if v != v]
    if unknown:
        return math.nan, f"no {'interval' if r.end else 'value'} for {listed(unknown, 3)}"
    value = (min if r.over == "min" else max)(values)
    return value, _group_and_remark(g, r.symbol, values.index(value))


def _group_and_remark(g: ByGroup, symbol: str, place: int) -> str:
    from karat.measures.lookup import find
    from karat.measures.value import MeasureOf

    remark = g.remarks_on(MeasureOf.on(find(symbol), g.whole), place)
    return f"{g.groups[place]} ({remark})" if remark else g.groups[place]
