"""Do MCC and CEN agree? Correlation, ratio, consistency and discriminancy, over random and over all matrices."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any, ClassVar

import numpy as np

from karat.concordance.rankings import Consistency, consistency
from karat.core.arithmetic import Array
from karat.core.errors import InputError
from karat.core.measure import Measure
from karat.core.study import Part, Study, Tables, study
from karat.core.table import Table
from karat.core.validation import whole
from karat.measures.lookup import find
from karat.statistics import Counts
from karat.statistics.many_tables import RowProducts
from karat.studies.census import compositions
from karat.studies.inputs import refuse_uncomputable, study_measures, why_not_of_matrices

LARGEST = 1000
"""Cells of random matrices are at most this."""
BLOCK = 2000
"""Random matrices in a unit."""
SIZES = (3, 30)
"""Numbers of classes of the random matrices."""
OWN = ("MCC", "CEN")
FITTED = ("coreMCC", "tMCC", "tMCC_ln", "CEN")
SPACES = (
    (2, 4, 3), (3, 3, 3), (1, 3, 5), (3, 3, 4), (2, 4, 5), (4, 4, 4), (2, 5, 6), (4, 5, 5), (5, 5, 5), (4, 6, 6),
    (5, 6, 6), (5, 7, 7),
)  # fmt: skip
"""Row sums of small spaces: the one that Jurman & Furlanello name, and eleven of 9 to 19 cases. Theirs are in a table
of another paper and not in this one; these are our own."""
CURVE = (1, 2, 3, 5, 10, 20, 50, 100, 1000, 10_000)
"""Values of A along the families."""
CURVE_SIZES = (2, 3, 4, 5, 10, 30)


def random_matrices(rng: np.random.Generator, classes: Array) -> Iterator[tuple[Array, Array]]:
    """(places, matrices) of each size in turn, for the number of classes of each matrix (Jurman & Furlanello 2012):
    correct cases of each class 1..1000, wrong ones of each cell 1..1000 rho, rho uniform in [0.01, 1] for each."""
    for n in np.unique(classes).tolist():
        at = np.flatnonzero(classes == n)
        highest = np.floor(LARGEST * rng.uniform(0.01, 1, len(at)))
        matrices = rng.random((len(at), n, n))
        matrices *= highest[:, None, None]
        np.floor(matrices, out=matrices)
        matrices += 1
        matrices[:, range(n), range(n)] = rng.integers(1, LARGEST + 1, (len(at), n))
        yield at, matrices


def one_error(n: int, a: float) -> Array:
    """Z_A: all cells 1, but A in the last row's first: ever more cases of one class are predicted as another."""
    table = np.ones((n, n))
    table[-1, 0] = a
    return table


def unbalanced_guess(n: int, a: float) -> Array:
    """All cells 1, but A in the last row: a guess, while the last class grows."""
    return np.vstack([np.ones((n - 1, n)), np.full((1, n), float(a))])


def even(n: int, a: float) -> Array:
    """B: A on the diagonal, 1 elsewhere: all classes alike."""
    return np.ones((n, n)) + (a - 1) * np.eye(n)


FAMILIES = {"Z_A": one_error, "unbalanced": unbalanced_guess, "B": even}


@study(name="mcc_and_cen", cite="jurman2012", aliases=("mcc_cen",))
@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class MccAndCen(Study):
    """Do two measures of confusion matrices agree, and which of them distinguishes more matrices?

    Over random matrices of 3 to 30 classes: the correlation of all measures, the ratio of tMCC to CEN, and the degree
    of consistency. Over all matrices with given row sums: the degrees of consistency and of discriminancy, with
    exact ties (Jurman & Furlanello 2012). The first measure is compared with the second.

    Parameters
    ----------
    measures : names
        Two or more measures of confusion matrices. By default MCC and CEN.
    matrices : int
        Number of random matrices.
    spaces : list of row sums
        Class frequencies; all matrices with these row sums are compared, for example [[2,4,3]]. By default twelve
        spaces of 9 to 19 cases.
    points : int
        Number of matrices that the figure shows.
    """

    size: ClassVar[str] = "matrices"
    example: ClassVar[str] = "--size 2000 --set 'spaces=[[2,4,3]]'"
    measures: Any = None
    matrices: int = 200_000
    spaces: Any = SPACES
    points: int = 1000

    def __post_init__(self) -> None:
        super().__post_init__()
        measures = study_measures(self.measures, OWN, why_not_of_matrices)
        if len(measures) < 2:
            raise InputError(f"only {measures[0].symbol} was given; the study compares two measures or more.")
        self._set(
            measures=measures,
            matrices=whole("matrices", self.matrices, least=2),
            points=whole("points", self.points, least=0),
            spaces=tuple(_space(s) for s in self.spaces),
        )
        for measure in measures:
            if not measure.orientation:
                raise InputError(
                    f"{measure.symbol} has no better direction, so it can't be compared with another; leave it out."
                )
        refuse_uncomputable(measures, lambda m: m(Counts(np.eye(3)[None])))

    @property
    def _all(self) -> tuple[Measure, ...]:
        """The measures asked for, and those of the fit."""
        return tuple({m.symbol: m for m in (*self.measures, *map(find, FITTED))}.values())

    def units(self) -> list[str]:
        """Blocks of random matrices, and spaces."""
        blocks = [f"random-{i:05d}" for i in range(-(-self.matrices // BLOCK))]
        return blocks + ["space-" + "-".join(map(str, s)) for s in self.spaces]

    def measured(self, unit: str, rng: np.random.Generator) -> Part:
        """The measures of a block, or of a space: [measures, matrices]."""
        kind, _, rest = unit.partition("-")
        if kind == "space":
            sizes = [int(n) for n in rest.split("-")]
            return {"values": _values(self.measures, RowProducts([compositions(n, len(sizes)) for n in sizes]))}
        count = min(BLOCK, self.matrices - int(rest) * BLOCK)
        classes = rng.integers(SIZES[0], SIZES[1] + 1, count)
        values = np.empty((len(self._all), count))
        for at, tables in random_matrices(rng, classes):
            values[:, at] = _values(self._all, Counts(tables))
        return {"classes": classes, "values": values}

    def tables(self, parts: Mapping[str, Part]) -> Tables:
        """Correlations of pairs, the fit, spaces, families, and points of the figure."""
        blocks = [part for name, part in parts.items() if name.startswith("random-")]
        classes = np.concatenate([b["classes"] for b in blocks])
        values = dict(zip((m.symbol for m in self._all), np.concatenate([b["values"] for b in blocks], 1), strict=True))
        own = {m.symbol: values[m.symbol] for m in self.measures}
        scaled = {}
        for base, fitted in (("log2", "tMCC"), ("ln", "tMCC_ln")):
            scaled[base] = (values[fitted], values["coreMCC"] / values[fitted] * values["CEN"])
        return {
            "pairs": _pairs(self.measures, own),
            "fit": _fit(scaled, values["CEN"]),
            "spaces": self._spaces(parts),
            "families": _families(self.measures),
            "figure": Table(
                {"classes": classes[: self.points].tolist()}
                | {s: v[: self.points].tolist() for s, v in own.items()}
                | {
                    "tMCC": scaled["log2"][0][: self.points].tolist(),
                    "k CEN": scaled["log2"][1][: self.points].tolist(),
                },
                "points of the figure",
            ),
        }

    def figures(self, tables: Tables) -> dict[str, Any]:
        """The first two measures of random matrices, and tMCC beside k CEN."""
        from karat.diagrams import MeasureScatter

        first, second = (m.symbol for m in self.measures[:2])
        pairs = ((first, second), ("tMCC", "k CEN"))
        columns = tables["figure"].columns
        return {
            f"{x}-{y}".replace(" ", "_"): MeasureScatter.from_table(
                columns, x=x, y=y, colour="classes", name=f"{y} and {x}"
            )
            for x, y in pairs
        }

    def _spaces(self, parts: Mapping[str, Part]) -> Table:
        first, second = self.measures[:2]
        rows = []
        for sizes in self.spaces:
            values = parts["space-" + "-".join(map(str, sizes))]["values"]
            known = np.isfinite(values[:2]).all(axis=0)
            agreement = _against(first, second, values[0, known], values[1, known])
            counts = agreement.counts
            rows.append(
                {
                    "row sums": " ".join(map(str, sizes)), "cases": sum(sizes), "matrices": values.shape[1],
                    f"only {second.symbol}": counts.only_second, f"only {first.symbol}": counts.only_first,
                    "discriminancy": _ratio(counts.only_second, counts.only_first),
                    "consistency": agreement.consistency, "undefined": int((~known).sum()),
                }
            )  # fmt: skip
        title = (
            f"pairs that only one measure distinguishes; discriminancy is that of {second.symbol} over {first.symbol}"
        )
        empty: dict[str, list[Any]] = {"row sums": []}
        return Table.of(rows, title) if rows else Table(empty, title)


def _space(given: Any) -> tuple[int, ...]:
    sizes = given.replace("-", " ").split() if isinstance(given, str) else list(given)
    row_sums = tuple(whole("a row sum", int(n) if isinstance(n, str) and n.isdigit() else n, least=0) for n in sizes)
    matrices = math.prod(math.comb(n + len(row_sums) - 1, len(row_sums) - 1) for n in row_sums)
    if len(row_sums) < 2 or not sum(row_sums) or matrices > 2_000_000:
        raise InputError(
            f"the row sums {given!r} have {matrices:,} matrices; pass row sums of at least two classes and one case, "
            "with at most 2,000,000 matrices."
        )
    return row_sums


def _values(measures: tuple[Measure, ...], counts: Counts) -> Array:
    with np.errstate(all="ignore"):
        return np.stack([np.asarray(m(counts), float) for m in measures])


def _ratio(a: int, b: int) -> float:
    return a / b if b else (math.inf if a else math.nan)


def _against(one: Measure, two: Measure, x: Array, y: Array) -> Consistency:
    """Consistency of two measures, both turned so that higher is better."""
    lower = (one.orientation < 0, two.orientation < 0)
    return consistency(x, y, lower_is_better=lower, names=(one.symbol, two.symbol))


def _pairs(measures: tuple[Measure, ...], values: dict[str, Array]) -> Table:
    rows = []
    for one, two in combinations(measures, 2):
        x, y = values[one.symbol], values[two.symbol]
        known = np.isfinite(x) & np.isfinite(y)
        agreement = _against(one, two, x[known], y[known])
        rows.append(
            {
                "first": one.symbol, "second": two.symbol, "correlation": correlation(x[known], y[known]),
                "consistency": agreement.consistency, "tau": agreement.tau, "matrices": int(known.sum()),
            }
        )  # fmt: skip
    return Table.of(rows, "pairs of measures over random matrices")


def _fit(scaled: dict[str, tuple[Array, Array]], cen: Array) -> Table:
    """How well tMCC stands for CEN, with the logarithm of its constant k to either base."""
    rows = []
    for base, (fitted, k_cen) in scaled.items():
        ratio = fitted / cen
        half = 1.96 * float(ratio.std() / math.sqrt(len(ratio)))
        r = correlation(fitted, k_cen)
        # of a correlation by its influence, as the two are far from normal
        a, b = ((v - v.mean()) / v.std() for v in (fitted, k_cen))
        error = float((a * b - r * (a * a + b * b) / 2).std() / math.sqrt(len(a)))
        rows.append(
            {
                "logarithm": base, "correlation of tMCC and k CEN": r, "error": error,
                "correlation of tMCC and CEN": correlation(fitted, cen), "mean tMCC / CEN": float(ratio.mean()),
                "low": float(ratio.mean()) - half, "high": float(ratio.mean()) + half,
                "tMCC below CEN": float((fitted < cen).mean()),
                "consistency": consistency(fitted, cen).consistency,
            }
        )  # fmt: skip
    return Table.of(rows, "tMCC as an estimate of CEN, over random matrices")


def _families(measures: tuple[Measure, ...]) -> Table:
    rows = []
    for name, family in FAMILIES.items():
        for n in CURVE_SIZES:
            values = _values((find("Acc"), *measures), Counts(np.stack([family(n, a) for a in CURVE])))
            for a, at in zip(CURVE, values.T.tolist(), strict=True):
                symbols = ["Acc", *(m.symbol for m in measures)]
                rows.append({"family": name, "classes": n, "A": a} | dict(zip(symbols, at, strict=True)))
    return Table.of(rows, "families of matrices with a growing parameter A")


def correlation(x: Array, y: Array) -> float:
    """Pearson's; nan where one is constant."""
    x, y = x - x.mean(), y - y.mean()
    spread = math.sqrt(float(x @ x) * float(y @ y))
    return float(x @ y) / spread if spread > 0 else math.nan
