"""Predictions arranged once, so that the statistics of any replicate are sums over counts, without sorting again.

What adds up is linear in the counts: the statistic of each case alone, times how often it was drawn. What depends on
order is walked through in the order found once.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from karat import kernels
from karat.core.arithmetic import Array
from karat.core.statistic import Statistic
from karat.data import Predictions

WIDE = 8
"""Columns up to which a row of a table is summed as columns, also if a case fills only one of them."""
PART = 1 << 21
"""Numbers of one field held at a time while cases are looked at one by one."""


@dataclass(frozen=True, eq=False)
class Cells:
    """Sums over cells of what each case brings: the layout of `kernels.weighted_sums`."""

    order: Array | None
    starts: Array
    values: Array
    broken: tuple[tuple[float, Array], ...] = ()
    """values that are not finite, and where: a case that is not drawn must not bring them"""

    @classmethod
    def of(cls, order: Array | None, starts: Array, values: Array) -> Cells:
        """Set values that are not finite aside."""
        finite = np.isfinite(values)
        broken: list[tuple[float, Array]] = []
        if not finite.all():
            kinds = ((np.nan, np.isnan(values)), (np.inf, values == np.inf), (-np.inf, values == -np.inf))
            broken = [(kind, np.ascontiguousarray(where.astype(float))) for kind, where in kinds if where.any()]
            values = np.where(finite, values, 0.0)
        return cls(order, starts.astype(np.int64), np.ascontiguousarray(values), tuple(broken))

    def summed(self, counts: Array) -> Array:
        """[R, cells, q]."""
        out: Array = kernels.weighted_sums(counts, self.order, self.starts, self.values)
        for kind, where in self.broken:
            hit = kernels.weighted_sums(counts, self.order, self.starts, where) > 0
            out = out + np.where(hit, kind, 0.0)
        return out


@dataclass(frozen=True, eq=False)
class Sums:
    """How each field of a statistic that adds up is summed over the counts."""

    kind: type[Statistic]
    by_class: Cells | None
    widths: tuple[int, ...]
    """of the fields that are summed by class, 0 for the others"""
    others: tuple[Cells | None, ...]
    shapes: tuple[tuple[int, ...], ...]

    @classmethod
    def of(
        cls,
        kind: type[Statistic],
        parameters: dict[str, Any],
        p: Predictions,
        order: Array,
        starts: Array,
        own_row: bool,
    ) -> Sums:
        """From the statistic of each case alone; the cases in the given order, classes one after the other. `own_row`:
        a case brings something only to the row of its class."""
        label = p.truth[0, order]
        k = len(p.classes)
        first = _fields(kind.of(p.each_alone(order[:1]), **parameters))
        shapes = tuple(x.shape[1:] for x in first)
        classed = [own_row and _dense(x) for x in first]
        columns: list[list[Array]] = [[] for _ in shapes]
        sparse: list[list[tuple[Array, Array, Array]]] = [[] for _ in shapes]
        n, widest = len(order), max(int(np.prod(s)) for s in shapes)
        step = max(1, PART // max(widest, 1))
        at = np.arange(n)
        for part in (slice(i, min(n, i + step)) for i in range(0, n, step)):
            for f, x in enumerate(_fields(kind.of(p.each_alone(order[part]), **parameters))):
                if classed[f]:
                    columns[f].append(x.reshape(len(x), k, -1)[np.arange(len(x)), label[part]])
                else:
                    flat = x.reshape(len(x), -1)
                    case, cell = np.nonzero(flat)
                    sparse[f].append((at[part][case], cell, flat[case, cell]))
        rows = [np.concatenate(c).T for c in columns if c]
        by_class = Cells.of(None, starts, np.concatenate(rows)) if rows else None
        widths = tuple(int(np.prod(s[1:])) if c else 0 for s, c in zip(shapes, classed, strict=True))
        others = tuple(_sparse(s, int(np.prod(shape))) if s else None for s, shape in zip(sparse, shapes, strict=True))
        return cls(kind, by_class, widths, others, shapes)

    def __call__(self, counts: Array) -> Statistic:
        """The statistic of each row of counts."""
        R = len(counts)
        summed = None if self.by_class is None else self.by_class.summed(counts)
        parts, at = [], 0
        for width, cells, shape in zip(self.widths, self.others, self.shapes, strict=True):
            if cells is None:
                assert summed is not None
                parts.append(np.ascontiguousarray(summed[:, :, at : at + width]).reshape(R, *shape))
                at += width
            else:
                parts.append(np.ascontiguousarray(cells.summed(counts)[:, :, 0]).reshape(R, *shape))
        return self.kind(*parts)


def _dense(x: Array) -> bool:
    """Does a case fill the row of its class in this field?"""
    width = int(np.prod(x.shape[2:]))
    return width <= max(WIDE, 2 * int(np.count_nonzero(x)))


def _fields(statistic: Statistic) -> list[Array]:
    return [np.asarray(getattr(statistic, field.name)) for field in fields(statistic)]  # type: ignore[arg-type]


def _sparse(parts: list[tuple[Array, Array, Array]], cells: int) -> Cells:
    """Sums over the cells that are not empty."""
    case, cell, value = (np.concatenate(x) for x in zip(*parts, strict=True))
    by_cell = np.argsort(cell, kind="stable")
    starts = np.searchsorted(cell[by_cell], np.arange(cells + 1))
    return Cells.of(case[by_cell].astype(np.int32), starts, value[by_cell][None].astype(float))


@dataclass(frozen=True, eq=False)
class Column:
    """The cases in descending order of the score of class j, those of j first among equals."""

    j: int
    order: Array
    label: Array
    fresh: Array
    x: Array
    weight: Array | None

    @classmethod
    def of(cls, j: int, x: Array, label: Array, weight: Array | None) -> Column:
        """Sort once."""
        order = np.argsort(-x)
        sorted_x = x[order]
        if (sorted_x[1:] == sorted_x[:-1]).any():
            order = np.lexsort((label != j, -x))
            sorted_x = x[order]
        return cls(
            j,
            order.astype(np.int32),
            label[order].astype(np.int16),
            np.append(True, sorted_x[1:] != sorted_x[:-1]).astype(np.uint8),
            sorted_x,
            None if weight is None else np.ascontiguousarray(weight[order]),
        )


@dataclass(frozen=True, eq=False)
class TwoClasses:
    """The cases of class 0 in ascending order of their scores, then those of class 1, and what these pass."""

    order: Array | None
    first: int
    below: Array
    upto: Array

    @classmethod
    def of(cls, scores: Array, first: int) -> TwoClasses:
        """Of scores in the order of the counts, class 0 before class 1."""
        order = None
        if not all((side[1:] >= side[:-1]).all() for side in (scores[:first], scores[first:])):
            order = np.concatenate([np.argsort(scores[:first]), first + np.argsort(scores[first:])]).astype(np.int32)
            scores = scores[order]
        below, upto, _, _ = kernels.ranks(scores[first:], scores[:first])
        return cls(order, first, below, upto)

    def same_pairs(self, scores: Array) -> bool:
        """Would these scores, of class 0, decide every pair in the same way?"""
        turned = TwoClasses.of(-scores, self.first)
        mine = self.order if self.order is not None else np.arange(len(scores))
        own = turned.order if turned.order is not None else np.arange(len(scores))
        below, upto = (np.empty(len(scores) - self.first, np.int32) for _ in range(2))
        below[own[self.first :] - self.first], upto[own[self.first :] - self.first] = turned.below, turned.upto
        at = mine[self.first :] - self.first
        return bool((below[at] == self.below).all() and (upto[at] == self.upto).all())


def in_order_of(codes: Array) -> Array:
    """Places of the small whole numbers in ascending order, of equal ones in the order given: numpy counts short ones,
    and compares long ones."""
    short = np.int16 if codes.max(initial=0) <= np.iinfo(np.int16).max else np.int64
    return np.argsort(codes.astype(short), kind="stable")


def class_major(p: Predictions) -> Array:
    """Cases by class; of two classes with scores by score within a class, so that walking needs no index."""
    truth = p.truth[0]
    if p.scores is None or len(p.classes) != 2:
        return in_order_of(truth)
    key = p.ordering(1)
    return np.concatenate([at[np.argsort(key[at])] for at in (np.flatnonzero(truth == c) for c in (0, 1))])


def joined(parts: list[Any]) -> Any:
    """Statistics of some replicates each, put together along their leading axis."""
    if len(parts) == 1:
        return parts[0]
    return type(parts[0])(*(np.concatenate(x) for x in zip(*map(_fields, parts), strict=True)))
