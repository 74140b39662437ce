"""Four steps that assess several classifiers of one task, with intervals."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from karat.core.arithmetic import Array
from karat.core.errors import InputError, option
from karat.core.measure import Measure
from karat.core.study import Part, Study, Tables, study
from karat.core.table import Table
from karat.core.validation import checked_level, one_of, whole
from karat.core.words import interval, number, percent
from karat.data import Matrix
from karat.measures.lookup import find
from karat.resampling import bootstrap_tables, posterior
from karat.statistics import Counts
from karat.studies.inputs import refuse_uncomputable, study_measures, why_not_of_matrices

OWN = ("k_X|Y", "mu", "Acc", "EMA", "NIT")
TRIANGLE = {"ET_DH": "imbalance", "ET_2MI": "information", "ET_VI": "variation"}
CORNERS = {"ET_DH": "specialised", "ET_2MI": "informative", "ET_VI": "near chance"}
"""What a classifier is that lies at this corner of the triangle."""
NEAR = 2 / 3
"""The share from which on a classifier is at a corner, halfway to it from the middle of the triangle (1/3); with less
it lies between two."""
EFFECTIVE = ("k_X", "delta_X", "ETY_DH")


@study(name="meg", cite="valverde2014", aliases=("population",))
@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Population(Study):
    """Which classifier of a task is best, is the ranking significant, and has the task been solved at all?

    The procedure of Valverde-Albacete & Pelaez-Moreno (2014) for confusion matrices of any task: the effective number
    of classes (k_X), the ranking by EMA, the position of each classifier in the entropy triangle, and by NIT whether
    the task is solved. NIT lies between 1/k, for predictions without information, and k_X/k. Intervals come from the
    posterior distribution of each matrix or from the bootstrap. The matrices are resampled independently, because they
    do not say which cases the classifiers share: where classifiers make the same errors, a difference is more certain
    than shown here.

    Parameters
    ----------
    matrices : {name: confusion matrix}
        Square matrices of counts, one row for each true class. On the command line: CSV files, folders of them, or a
        JSON file {"name": [[...], ...], ...}.
    measures : names
        Measures of confusion matrices to show. By default those of the paper.
    by : name
        Measure that ranks the classifiers.
    draws : int
        Draws from the posterior distribution, or bootstrap replicates.
    method : {"dirichlet", "bootstrap"}
        How intervals are made.
    prior : float
        Added to every cell of a matrix, with the method dirichlet.
    level : float
        Confidence level.
    solved : float
        Share of the way from a constant prediction (1/k) to a perfect one (k_X/k) from which NIT says that the task is
        solved. A convention: the paper names no number.
    """

    size: ClassVar[str] = "draws"
    takes: ClassVar[str] = "matrices"
    example: ClassVar[str] = "matrices.json"
    matrices: Any = None
    measures: Any = None
    by: Any = "EMA"
    draws: int = 10_000
    method: str = "dirichlet"
    prior: float = 0.5
    level: float = 0.95
    solved: float = 0.5

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set(matrices=_matrices(self.matrices), by=find(self.by), draws=whole("draws", self.draws, least=100))
        if why_not_of_matrices(self.by) or not self.by.orientation:
            raise InputError(
                f"{self.by.symbol} can't rank confusion matrices; name a measure for which "
                "higher or lower is better, for example MCC."
            )
        measures = study_measures(self.measures, OWN, why_not_of_matrices)
        needed = {m.symbol: m for m in (*measures, self.by, find("Acc"), find("NIT"))}
        first = Counts(next(iter(self.matrices.values()))[None])
        refuse_uncomputable(needed.values(), lambda m: m(first))
        self._set(measures=tuple(needed.values()), method=one_of("method", self.method, ("dirichlet", "bootstrap")))
        if self.method == "bootstrap" and any((t % 1).any() for t in self.matrices.values()):
            raise InputError(
                "a matrix has counts that are not whole numbers, and the bootstrap needs whole ones; pass "
                f"{option('method', 'dirichlet')}."
            )
        self._set(level=checked_level(self.level))
        for name, low, high in (("prior", 0, math.inf), ("solved", 0, 1)):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | float) or not low < value < high:
                raise InputError(
                    f"{name} is {value!r}; pass a number above {low}" + (f" and below {high}." * (high == 1))
                )

    def units(self) -> list[str]:
        """One for each classifier."""
        return [f"{i:04d}" for i in range(len(self.matrices))]

    def measured(self, unit: str, rng: np.random.Generator) -> Part:
        """The measures of a matrix and of its draws."""
        counted = list(self.matrices.values())[int(unit)]
        seed = int(rng.integers(1 << 62))
        if self.method == "dirichlet":
            drawn = posterior(counted, self.prior, self.draws, seed)
        else:
            drawn = bootstrap_tables(counted, self.draws, seed)
        one = Counts(counted)
        with np.errstate(all="ignore"):
            return {
                "values": np.array([float(m(one)) for m in self.measures]),
                "draws": np.concatenate([self._values(Counts(some)) for some in drawn], axis=1),
                "triangle": np.array([float(find(s)(one)) for s in TRIANGLE]),
                "effective": np.array([float(find(s)(one)) for s in EFFECTIVE]),
            }

    def _values(self, counts: Counts) -> Array:
        """[measures, tables]."""
        return np.stack([np.asarray(m(counts), float) for m in self.measures])

    def tables(self, parts: Mapping[str, Part]) -> Tables:
        """The four steps, and every pair of classifiers."""
        names = list(self.matrices)
        units = list(parts.values())
        values = np.array([p["values"] for p in units])
        draws = np.array([p["draws"] for p in units])  # [classifiers, measures, draws]
        by = self._place(self.by)
        drawn = self.by.orientation * draws[:, by]
        order = np.argsort(-self.by.orientation * values[:, by], kind="stable").tolist()
        return {
            "ranking": self._ranking(names, values, draws, order),
            "steps": self._steps(names, units, values, draws, order),
            "triangle": self._triangle(names, units, order),
            "pairs": self._pairs(names, drawn, order),
        }

    def _place(self, measure: Measure) -> int:
        return [m.symbol for m in self.measures].index(measure.symbol)

    def _ranking(self, names: list[str], values: Array, draws: Array, order: list[int]) -> Table:
        by, accuracy = self._place(self.by), values[:, self._place(find("Acc"))]
        tail = 50 * (1 - self.level)
        low, high = np.nanpercentile(draws[:, by], [tail, 100 - tail], axis=1)
        best = np.bincount(np.nanargmax(self.by.orientation * draws[:, by], axis=0), minlength=len(names)) / self.draws
        by_accuracy = np.argsort(np.argsort(-accuracy, kind="stable"), kind="stable") + 1
        rows = []
        for rank, i in enumerate(order, 1):
            row: dict[str, Any] = {"rank": rank, "classifier": names[i], "rank by Acc": int(by_accuracy[i])}
            row |= {m.symbol: float(v) for m, v in zip(self.measures, values[i], strict=True)}
            row |= {f"{self.by.symbol} low": float(low[i]), f"{self.by.symbol} high": float(high[i])}
            rows.append(row | {"chance to be best": float(best[i])})
        return Table.of(rows, f"classifiers by {self.by.label}, {percent(self.level)} intervals ({self.method})")

    def _triangle(self, names: list[str], units: list[Part], order: list[int]) -> Table:
        rows = []
        for i in order:
            shares = dict(zip(TRIANGLE, units[i]["triangle"].tolist(), strict=True))
            row: dict[str, Any] = {"classifier": names[i]} | {TRIANGLE[s]: v for s, v in shares.items()}
            row["imbalance of predictions"] = float(units[i]["effective"][2])
            rows.append(row | {"position": position(shares)})
        return Table.of(rows, "position in the entropy triangle")

    def _pairs(self, names: list[str], drawn: Array, order: list[int]) -> Table:
        rows = []
        for a, i in enumerate(order):
            for j in order[a + 1 :]:
                sure = float((drawn[i] > drawn[j]).mean() + (drawn[i] == drawn[j]).mean() / 2)
                rows.append(
                    {
                        "better": names[i], "worse": names[j], "probability": sure,
                        "significant": sure > (1 + self.level) / 2,
                    }
                )  # fmt: skip
        empty: dict[str, list[Any]] = {"better": [], "worse": [], "probability": [], "significant": []}
        title = f"probability that the first is better by {self.by.label}"
        return Table.of(rows, title) if rows else Table(empty, title)

    def _steps(self, names: list[str], units: list[Part], values: Array, draws: Array, order: list[int]) -> Table:
        """What the four steps say."""
        k = len(next(iter(self.matrices.values())))
        effective = [float(p["effective"][0]) for p in units]
        same = max(effective) - min(effective) < 1e-9
        nit = self._place(find("NIT"))
        best = order[0]
        tail = 50 * (1 - self.level)
        low, high = np.nanpercentile(draws[best, nit], [tail, 100 - tail])
        value = float(values[best, nit])
        specialised = [names[i] for i in order if units[i]["triangle"].argmax() == 0]
        least, most = 1 / k, effective[best] / k
        findings = [
            f"k_X is {number(effective[0], 4)} of {k} classes"
            + ("" if same else f" for {names[0]}, up to {number(max(effective), 4)} for others: the test cases differ"),
            f"by {self.by.title} the ranking is {', '.join(names[i] for i in order)}",
            f"mainly specialised: {', '.join(specialised) or 'none'}",
            f"NIT of {names[best]} is {interval(value, low, high)}; {self._verdict(value, least, most)}",
        ]
        steps = ["effective classes", "order", "triangle", "solved?"]
        return Table({"step": [f"{i}. {s}" for i, s in enumerate(steps, 1)], "finding": findings}, "the four steps")

    def _verdict(self, value: float, least: float, most: float) -> str:
        """Is the task solved? NIT is not 0 for predictions without information, and 1 only where they are perfect and
        classes equally frequent."""
        least, most, value = (round(x, 12) for x in (least, most, value))  # 1 is written as 1
        if most - least < 1e-9:
            return f"all cases belong to one class: any predictions give {number(least)}, and there is nothing to solve"
        way = (value - least) / (most - least)
        solved = "solved" if way >= self.solved else "not solved"
        return (
            f"constant predictions give {number(least)} and perfect ones {number(most)}: it gets {number(way)} of the "
            f"way, so the task is {solved} (threshold {self.solved:g})"
        )

    def figures(self, tables: Tables) -> dict[str, Any]:
        """The classifiers in the entropy triangle."""
        from karat.diagrams import EntropyTriangle
        from karat.statistics import Summary

        return {"triangle": EntropyTriangle.of_models({n: Summary(Matrix.of(m)) for n, m in self.matrices.items()})}


def position(shares: Mapping[str, float]) -> str:
    """Where in the entropy triangle these shares lie: at a corner, or between the two that are nearest.

    >>> position({"ET_DH": 0.01, "ET_2MI": 0.44, "ET_VI": 0.55})
    'between near chance and informative'
    >>> position({"ET_DH": 0.02, "ET_2MI": 0.02, "ET_VI": 0.96})
    'near chance'
    """
    first, second = sorted(shares, key=lambda s: -shares[s])[:2]
    if shares[first] >= NEAR:
        return CORNERS[first]
    return f"between {CORNERS[first]} and {CORNERS[second]}"


def _matrices(given: Any) -> dict[str, Array]:
    """Name to a checked table; all of one shape."""
    if given is None:
        raise InputError("no confusion matrices were given; pass {name: matrix}, or files of them on the command line.")
    if not isinstance(given, Mapping):
        given = {f"C_{i}": m for i, m in enumerate(given, 1)}
    if not given:
        raise InputError("there is no confusion matrix; pass at least one.")
    tables = {str(name): Matrix.of(m).table for name, m in given.items()}
    shapes = {t.shape for t in tables.values()}
    if len(shapes) > 1:
        listed = ", ".join(f"{n} {t.shape[0]} x {t.shape[1]}" for n, t in list(tables.items())[:4])
        raise InputError(f"the matrices have different shapes ({listed}); pass matrices of one task.")
    return tables
