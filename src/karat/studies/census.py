"""Every confusion matrix of so many cases and classes, and what measures make of them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np

from karat import kernels
from karat.core.arithmetic import TOLERANCE, Array
from karat.core.errors import InputError
from karat.core.measure import Measure
from karat.core.study import Part, Study, Tables, study
from karat.core.table import Table
from karat.core.validation import whole
from karat.measures.lookup import find
from karat.measures.value import values_of_many
from karat.statistics import Counts
from karat.statistics.many_tables import RowProducts
from karat.studies.inputs import refuse_uncomputable, study_measures, why_not_of_matrices

BLOCK = 1 << 15
"""Matrices at a time: what is kept of them should stay in the processor's cache."""
CELLS = 50
"""Parts that the triangle's axes, and the range of a measure, are cut into."""
PRINTED = {(2, 100): (50, 75, 88, 94, 97, 98, 100), (3, 18): (6, 12, 15, 17, 18), (4, 16): (4, 10, 13, 15, 16)}
"""Correct cases at the accuracies that Valverde-Albacete & Pelaez-Moreno (2014) drew, for classes and cases."""
OWN = ("ET_DH", "ET_2MI", "ET_VI", "EMA", "NIT")


@study(name="census", cite="valverde2014", aliases=("exhaustive",))
@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Census(Study):
    """How much does accuracy say about the information that a classifier transfers, over all confusion matrices?

    Goes through every confusion matrix of a number of cases and classes (Valverde-Albacete & Pelaez-Moreno 2014, Data);
    class frequencies that differ only in the names of the classes count once. Matrices are streamed and never stored:
    for each accuracy the study keeps the number of matrices, the minimum, mean and maximum of each measure, and which
    cells of the entropy triangle occur.

    Parameters
    ----------
    measures : names
        Measures of confusion matrices. By default EMA, NIT and the three coordinates of the entropy triangle.
    classes : int
        Number of classes.
    cases : int
        Number of cases. The number of matrices grows quickly: 812 for 6 cases of 3 classes, 320,821 for 18.
    """

    size: ClassVar[str] = "cases"
    example: ClassVar[str] = "--size 8"
    measures: Any = None
    classes: int = 3
    cases: int = 18

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set(
            classes=whole("classes", self.classes, least=2),
            cases=whole("cases", self.cases),
            measures=study_measures(self.measures, OWN, why_not_of_matrices),
        )
        longest = math.comb(self.cases + self.classes - 1, self.classes - 1)
        if longest > 1 << 22 or self.cases > 60_000:
            raise InputError(
                f"{self.cases} cases of {self.classes} classes have {longest:,} possible rows, which is too many; pass "
                "fewer cases or classes."
            )
        one = RowProducts([np.eye(self.classes)[[i]] for i in range(self.classes)])
        refuse_uncomputable(self.measures, lambda m: m(one))

    def units(self) -> list[str]:
        """One for each way to divide the cases among the classes."""
        return ["-".join(map(str, parts)) for parts in partitions(self.cases, self.classes)]

    def measured(self, unit: str, rng: np.random.Generator) -> Part:
        """All matrices with these row sums, summed up by the number of correct cases."""
        sizes = [int(n) for n in unit.split("-")]
        levels = self.cases + 1
        matrices = np.zeros(levels)
        seen = np.zeros((levels, CELLS * CELLS), bool)
        sums = [MeasureSums.of(m, levels, self.classes) for m in self.measures]
        accuracy = np.arange(levels) / self.cases
        with np.errstate(all="ignore"):
            for counts in blocks(sizes):
                level = counts.sums.trace.astype(np.uint16)
                matrices += np.bincount(level, minlength=levels)
                shares = [find(s)(counts) for s in ("ET_DH", "ET_2MI")]
                across, up = (np.minimum(x * CELLS + 1e-9, CELLS - 1).astype(np.int32) for x in shares)
                seen[level, up * CELLS + across] = True
                right = accuracy[level] + TOLERANCE
                values = values_of_many(tuple(self.measures), {Counts: counts}.__getitem__, counts.lead)
                for kept, measure in zip(sums, self.measures, strict=True):
                    kept.add(level, values[measure.symbol], right)
        out: Part = {"matrices": matrices, "seen": np.packbits(seen, axis=1)}
        for i, kept in enumerate(sums):
            out |= {f"{name}{i}": value for name, value in kept.arrays().items()}
        return out

    def tables(self, parts: Mapping[str, Part]) -> Tables:
        """Counts, ranges by accuracy, what accuracies share, and each measure against accuracy."""
        units = list(parts.values())
        matrices = np.sum([u["matrices"] for u in units], axis=0)
        seen = np.bitwise_or.reduce([u["seen"] for u in units])
        cells = np.unpackbits(seen, axis=1)[:, : CELLS * CELLS].astype(bool)
        drawn = levels_drawn(self.classes, self.cases)
        sums = {m.symbol: MeasureSums.joined(units, i, m, self.classes) for i, m in enumerate(self.measures)}
        full = sum(int(p["matrices"].sum()) for name, p in parts.items() if not name.endswith("-0"))
        of = f"all matrices of {self.cases} cases and {self.classes} classes"
        return {
            "counts": Table(
                {
                    "what": ["all", "every class has cases", "at the accuracies drawn", "with named classes"],
                    "matrices": [
                        int(matrices.sum()), full, int(matrices[list(drawn)].sum()),
                        math.comb(self.cases + self.classes**2 - 1, self.classes**2 - 1),
                    ],
                },
                of,
            ),
            "interspersed": interspersed(drawn, self.cases, cells, sums),
            "accuracy": Table.of(
                ({"measure": s, **kept.against(self.cases, matrices)} for s, kept in sums.items()),
                f"measures against accuracy, {of}",
            ),
            "triangle": _met(drawn, self.cases, cells),
            "ranges": Table.of(
                (
                    {"accuracy": a / self.cases, "right": a, "matrices": int(matrices[a]), "drawn": a in drawn}
                    | {"measure": s, **kept.at(a)}
                    for a in range(self.cases + 1)
                    if matrices[a]
                    for s, kept in sums.items()
                ),
                f"measures by accuracy, {of}",
            ),
        }  # fmt: skip

    def figures(self, tables: Tables) -> dict[str, Any]:
        """The accuracies that are drawn, in the entropy triangle."""
        from karat.diagrams import AccuracyTriangle

        name = f"{self.classes} classes, {self.cases} cases"
        return {"triangle": AccuracyTriangle.from_table(tables["triangle"].columns, name=name)}


@dataclass(frozen=True, eq=False)
class MeasureSums:
    """What is kept of one measure, for each number of correct cases."""

    ends: Array
    sums: Array
    bins: Array
    above: Array
    """matrices where it is above accuracy"""
    start: float
    scale: float

    @classmethod
    def of(cls, measure: Measure, levels: int, classes: int) -> MeasureSums:
        """Nothing yet."""
        low, high = measure.range_for(classes)
        bounded = math.isfinite(low) and math.isfinite(high) and high > low
        bins = CELLS if bounded else 1
        ends = np.tile([math.inf, -math.inf], (levels, 1))
        scale = bins / (high - low) if bounded else 0.0
        start = low if bounded else 0.0
        return cls(ends, np.zeros((levels, 2)), np.zeros((levels, bins + 1)), np.zeros(levels), start, scale)

    def add(self, level: Array, values: Array, accuracy: Array) -> None:
        """More matrices."""
        values = np.ascontiguousarray(values, np.float64)
        kernels.by_group(level, values, self.start, self.scale, self.ends, self.sums, self.bins)
        self.above[:] += np.bincount(level[values > accuracy], minlength=len(self.above))

    def arrays(self) -> Part:
        """What is stored."""
        return {"ends": self.ends, "sums": self.sums, "bins": self.bins, "above": self.above}

    @classmethod
    def joined(cls, units: list[Part], place: int, measure: Measure, classes: int) -> MeasureSums:
        """Of all units."""
        ends, sums, bins, above = (
            np.array([u[f"{n}{place}"] for u in units]) for n in ("ends", "sums", "bins", "above")
        )
        empty = cls.of(measure, 1, classes)
        low_high = np.stack([ends[:, :, 0].min(axis=0), ends[:, :, 1].max(axis=0)], axis=1)
        whole_sums = np.array([[[math.fsum(x) for x in at] for at in np.moveaxis(sums, 0, -1)]])[0]
        return cls(low_high, whole_sums, bins.sum(axis=0), above.sum(axis=0), empty.start, empty.scale)

    def at(self, right: int) -> dict[str, Any]:
        """Of one accuracy."""
        count = self.bins[right, :-1].sum()
        low, high = self.ends[right] if count else (math.nan, math.nan)
        mean = self.sums[right, 0] / count if count else math.nan
        undefined = int(self.bins[right, -1])
        return {"lowest": float(low), "mean": float(mean), "highest": float(high), "undefined": undefined}

    def against(self, cases: int, matrices: Array) -> dict[str, Any]:
        """Pearson's correlation with accuracy, and how often the measure is above it."""
        count = self.bins[:, :-1].sum(axis=1)
        a = np.arange(cases + 1) / cases
        n = count.sum()
        mean_a, mean_v = (count @ a) / n, self.sums[:, 0].sum() / n
        together = a @ self.sums[:, 0] / n - mean_a * mean_v
        spread = (count @ a**2 / n - mean_a**2) * (self.sums[:, 1].sum() / n - mean_v**2)
        return {
            "mean": float(mean_v),
            "correlation with accuracy": _without_noise(together / math.sqrt(spread)) if spread > 0 else math.nan,
            "above accuracy": float(self.above.sum() / n),
            "undefined": int(self.bins[:, -1].sum()),
        }


def _without_noise(correlation: float) -> float:
    """By symmetry many correlations are exactly 0; sums of millions of values leave some rounding error."""
    return 0.0 if abs(correlation) <= TOLERANCE else float(correlation)


def interspersed(drawn: tuple[int, ...], cases: int, cells: Array, sums: dict[str, MeasureSums]) -> Table:
    """How much of what is met by the matrices of one accuracy is met by those of the next, too: parts of the triangle
    and of the measures' ranges, relative to the smaller."""
    rows = []
    for a, b in pairwise(drawn):
        met = {"triangle": (cells[a], cells[b])}
        met |= {s: (k.bins[a, :-1] > 0, k.bins[b, :-1] > 0) for s, k in sums.items() if k.scale}
        for where, (one, two) in met.items():
            both, least = int((one & two).sum()), int(min(one.sum(), two.sum()))
            rows.append(
                {
                    "lower": a / cases, "upper": b / cases, "in": where, "of lower": int(one.sum()),
                    "of upper": int(two.sum()), "of both": both, "shared": both / least if least else math.nan,
                }
            )  # fmt: skip
    return Table.of(rows, f"cells (of {CELLS} x {CELLS}) that matrices of two accuracies have in common")


def _met(drawn: tuple[int, ...], cases: int, cells: Array) -> Table:
    """The middle of each part of the triangle that matrices of an accuracy meet: the points of a figure."""
    right, part = np.nonzero(cells[list(drawn)])
    up, across = np.divmod(part, CELLS)
    return Table(
        {
            "accuracy": (np.array(drawn)[right] / cases).tolist(),
            "imbalance": ((across + 0.5) / CELLS).tolist(),
            "information": ((up + 0.5) / CELLS).tolist(),
        },
        f"cells (of {CELLS} x {CELLS}) of the entropy triangle with matrices of each accuracy",
    )


def levels_drawn(classes: int, cases: int) -> tuple[int, ...]:
    """Right cases at the accuracies of the paper's figure; elsewhere from chance on, each half way to all correct."""
    if (classes, cases) in PRINTED:
        return PRINTED[classes, cases]
    levels = [-(-cases // classes)]
    while levels[-1] < cases:
        levels.append(-(-(levels[-1] + cases) // 2))
    return tuple(levels)


def partitions(n: int, parts: int, most: int | None = None) -> Iterator[tuple[int, ...]]:
    """All ways to write n as a sum of so many whole numbers that don't increase and may be 0."""
    most = n if most is None else most
    if parts == 1:
        if n <= most:
            yield (n,)
        return
    for first in range(min(n, most), -(-n // parts) - 1, -1):
        for rest in partitions(n - first, parts - 1, first):
            yield (first, *rest)


@lru_cache(maxsize=256)
def compositions(n: int, parts: int) -> Array:
    """All ways to write n as a sum of so many whole numbers of at least 0, in order: [ways, parts]."""
    if parts == 1:
        return np.array([[float(n)]])
    ways = []
    for first in range(n + 1):
        rest = compositions(n - first, parts - 1)
        ways.append(np.column_stack([np.full(len(rest), float(first)), rest]))
    return np.concatenate(ways)


def blocks(sizes: list[int]) -> Iterator[Counts]:
    """All matrices with these row sums, some at a time."""
    rows = [compositions(n, len(sizes)) for n in sizes]
    yield from _cut(rows, 0)


def _cut(rows: list[Array], at: int) -> Iterator[Counts]:
    """Cut the rows from the first on until a block is small enough."""
    behind = math.prod(len(r) for r in rows[at + 1 :])
    if behind > BLOCK and at + 1 < len(rows):
        for i in range(len(rows[at])):
            yield from _cut([*rows[:at], rows[at][i : i + 1], *rows[at + 1 :]], at + 1)
        return
    step = max(1, BLOCK // behind)
    for i in range(0, len(rows[at]), step):
        yield RowProducts([*rows[:at], rows[at][i : i + step], *rows[at + 1 :]])
