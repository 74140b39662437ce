"""How often does each measure prefer the better of two models as noise grows?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from karat.batches import evaluate_batch
from karat.core.arithmetic import TOLERANCE, Array
from karat.core.errors import InputError
from karat.core.study import Part, Study, Tables, study
from karat.core.table import Table
from karat.core.validation import one_of, whole
from karat.studies import noise
from karat.studies.inputs import names_of, refuse_uncomputable, study_measures, suitable_headline, why_not_choosing

BLOCK = 500
"""Repetitions in a unit."""
NEAR = 0.01
"""Measures whose lines are no further apart, on average, are of one cluster."""


@study(name="sensitivity", cite="ferri2009", aliases=("noise",))
@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Sensitivity(Study):
    """Which measures still prefer the better of two models when labels, probabilities, ranking or class frequencies
    are distorted?

    Two models with an accuracy of 95 % and 90 % on 100 cases get more and more noise of one kind. A measure is wrong if
    it prefers the worse model; a tie or an undefined value counts as half wrong (Ferri et al. 2009, section 6).

    Parameters
    ----------
    measures : names
        Measures to compare. By default those of the paper that apply.
    repetitions : int
        Pairs of models at each level of each kind of noise.
    steps : int
        Number of levels from no noise to the highest level.
    kinds : names
        Kinds of noise: labels, probabilities, ranking, frequencies.
    common : bool
        Give both models the same noise instead of independent noise.
    """

    size: ClassVar[str] = "repetitions"
    example: ClassVar[str] = "--size 200 --set kinds=labels,ranking --measures Acc,MCC,LogL"
    measures: Any = None
    repetitions: int = 10_000
    steps: int = 20
    kinds: Any = tuple(noise.MOST)
    common: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.common, bool):
            raise InputError(f"common is {self.common!r}; pass true or false.")
        self._set(
            measures=study_measures(self.measures, suitable_headline(why_not_choosing), why_not_choosing),
            repetitions=whole("repetitions", self.repetitions),
            steps=whole("steps", self.steps),
            kinds=tuple(one_of("a kind of noise", kind, noise.MOST) for kind in names_of(self.kinds)),
        )
        if not self.kinds:
            raise InputError(f"no kind of noise was given; choose from {', '.join(noise.MOST)}.")
        few = noise.models(np.random.default_rng(0), 2)
        refuse_uncomputable(self.measures, lambda m: evaluate_batch(few.truth[0], few.p[0], [m])[m.symbol])

    def levels(self, kind: str) -> Array:
        """The levels of a kind of noise; cases are removed in whole numbers."""
        levels = np.linspace(0, noise.MOST[kind], self.steps + 1)
        return np.unique(np.rint(levels)) if kind == "frequencies" else levels

    def units(self) -> list[str]:
        """Blocks of repetitions of each kind of noise."""
        blocks = range(-(-self.repetitions // BLOCK))
        return [f"{kind}-{block:05d}" for kind in self.kinds for block in blocks]

    def measured(self, unit: str, rng: np.random.Generator) -> Part:
        """Scores of the wrong choice, summed over the repetitions of a block: [levels, measures]."""
        kind, block = unit.split("-")
        repetitions = min(BLOCK, self.repetitions - int(block) * BLOCK)
        scores = np.empty((len(self.levels(kind)), repetitions, len(self.measures)))
        unknown = np.zeros((len(scores), len(self.measures)))
        for i, which, spoiled in self._spoiled(kind, repetitions, rng):
            wrong, undefined = self._wrong(spoiled)
            scores[i, which] = wrong
            unknown[i] += undefined.sum(axis=0)
        return {
            "sum": scores.sum(axis=1),
            "square": (scores**2).sum(axis=1),
            "ties": (scores == 0.5).sum(axis=1),
            "undefined": unknown,
            "mean_square": (scores.mean(axis=0) ** 2).sum(axis=0),
        }

    def _spoiled(
        self, kind: str, repetitions: int, rng: np.random.Generator
    ) -> Iterator[tuple[int, Any, noise.Models]]:
        """(number of the level, which repetitions, the models with their noise)."""
        levels, every = self.levels(kind), slice(None)
        if kind == "ranking":
            pair = noise.models(rng, repetitions)
            for i, spoiled in enumerate(noise.exchanged(rng, pair, levels, self.common)):
                yield i, every, spoiled
            return
        for i, level in enumerate(levels):
            pair = noise.models(rng, repetitions)
            if kind == "frequencies":
                for which, fewer in noise.fewer_cases(rng, pair, level, self.common):
                    yield i, which, fewer
            else:
                spoil = noise.other_labels if kind == "labels" else noise.other_probabilities
                yield i, every, spoil(rng, pair, level, self.common)

    def _values(self, m: noise.Models) -> Array:
        """[2, repetitions, measures], higher being better."""
        values = evaluate_batch(m.truth, m.p, self.measures)
        return np.stack([measure.orientation * values[measure.symbol] for measure in self.measures], axis=-1)

    def _wrong(self, m: noise.Models) -> tuple[Array, Array]:
        better, worse = self._values(m)
        undefined = np.isnan(better) | np.isnan(worse)
        with np.errstate(invalid="ignore"):
            gap = np.where(better == worse, 0.0, worse - better)  # two infinite values are equal
        far = np.abs(gap) > TOLERANCE * np.maximum(1, np.where(np.isfinite(better), np.abs(better), 1))
        return np.where(far & ~undefined, (gap > 0).astype(float), 0.5), undefined

    def tables(self, parts: Mapping[str, Part]) -> Tables:
        """Averages over the levels with their Monte-Carlo error and cluster; shares of wrong choices at each level."""
        averages, long = [], []
        wide: Tables = {}
        symbols = [m.symbol for m in self.measures]
        for kind in self.kinds:
            units = [part for name, part in parts.items() if name.startswith(f"{kind}-")]
            total = {name: np.sum([u[name] for u in units], axis=0) for name in units[0]}
            n, levels = self.repetitions, self.levels(kind)
            wrong = total["sum"] / n
            mean = wrong.mean(axis=0)
            spread = n if n > 1 else np.nan  # of one repetition no error is known
            error = np.sqrt(np.maximum(total["square"] / n - wrong**2, 0) / spread)
            mean_error = np.sqrt(np.maximum(total["mean_square"] / n - mean**2, 0) / spread)
            group = clusters(wrong.T, NEAR)
            for j, symbol in enumerate(symbols):
                averages.append(
                    {
                        "noise": kind, "measure": symbol, "wrong": float(mean[j]), "error": float(mean_error[j]),
                        "most": float(wrong[:, j].max()), "at level": float(levels[wrong[:, j].argmax()]),
                        "cluster": int(group[j]), "undefined": float(total["undefined"][:, j].sum() / n / len(levels)),
                    }
                )  # fmt: skip
            for i, level in enumerate(levels):
                for j, symbol in enumerate(symbols):
                    long.append(
                        {
                            "noise": kind, "level": float(level), "measure": symbol, "wrong": float(wrong[i, j]),
                            "error": float(error[i, j]), "ties": float(total["ties"][i, j] / n),
                            "undefined": float(total["undefined"][i, j] / n),
                        }
                    )  # fmt: skip
            columns = {"noise": levels.tolist()} | {s: wrong[:, j].tolist() for j, s in enumerate(symbols)}
            wide[kind] = Table(columns, f"share of wrong choices with noise in the {kind}")
        title = f"share of wrong choices, mean over all levels of noise; {self.repetitions} repetitions each"
        return {
            "averages": Table.of(averages, title),
            **wide,
            "levels": Table.of(long, "share of wrong choices at each level"),
        }

    def figures(self, tables: Tables) -> dict[str, Any]:
        """Lines of wrong choices, one figure for each kind of noise."""
        return {kind: wrong_choices(kind, tables[kind]) for kind in self.kinds}


def wrong_choices(kind: str, table: Table) -> Any:
    """The figure of one kind of noise, from its table."""
    from karat.diagrams import SensitivityFigure

    return SensitivityFigure.from_table(table.columns, axis=f"Level of noise in the {kind}")


def clusters(lines: Array, near: float) -> Array:
    """Number of the cluster of each line, from the lowest up: groups joined by the mean distance of their lines."""
    if len(lines) < 2:
        return np.ones(len(lines), int)
    from scipy.cluster.hierarchy import fcluster, linkage

    cluster = fcluster(linkage(lines, "average", lambda a, b: float(np.abs(a - b).mean())), near, "distance")
    lowest = sorted(set(cluster.tolist()), key=lambda c: float(lines[cluster == c].mean()))
    return np.array([lowest.index(c) + 1 for c in cluster.tolist()])
