"""Some models on the same cases (or each on its own): what each case adds to their measures, and how they differ."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, fields, replace

import numpy as np

from karat.comparisons.difference import Difference
from karat.comparisons.difference_test import BLOCKS, MANY, USUAL_EXCHANGES, DifferenceTest
from karat.comparisons.mcnemar import McNemar, mcnemar_of
from karat.core.arithmetic import Array
from karat.core.cached import cached
from karat.core.errors import InputError
from karat.core.workers import cores, in_threads
from karat.data import Predictions
from karat.evaluation import Evaluation
from karat.intervals.calibrated_bins import ErrorScores
from karat.intervals.delong import AreaTest, delong_paired
from karat.measures.value import MeasureOf
from karat.resampling.draws import Resampling, effective_groups, stream
from karat.resampling.influence import Influence, influences_of
from karat.resampling.measure_values import values_of_models
from karat.statistics import ConfidenceBins, Counts, Pairs, Summary
from karat.statistics.added import needs_cases

WORTH_A_THREAD = 20_000
"""Cases from which on models are looked at side by side."""


@dataclass(frozen=True, eq=False)
class PairedModels:
    """Some models, and how differences between them are judged."""

    models: Mapping[str, Evaluation]
    wanted: list[MeasureOf]
    resampling: Resampling
    margins: Mapping[str, tuple[float, float]]
    method: str = "auto"
    alternative: str = "two-sided"
    paired: bool = True
    exchanges: int = USUAL_EXCHANGES
    """how many are drawn where not all are tried, of measures that a verdict speaks of and that add up"""
    spoken: Collection[str] = ()
    """the keys of those that it speaks of"""

    @cached
    def cluster(self) -> Array | None:
        """[n]: the group of each case."""
        return self.resampling.clusters(int(next(iter(self.models.values())).n)) if self.paired else None

    @property
    def units(self) -> int:
        """How many cases, or groups, the models were given."""
        return int(next(iter(self.models.values())).n) if self.cluster is None else int(self.cluster.max()) + 1

    @cached
    def equal_units(self) -> float:
        """The same; groups of unequal size count as the number of equal ones that tell as much."""
        return float(self.units) if self.cluster is None else effective_groups(self.cluster)

    @property
    def unit(self) -> str:
        """What they are called."""
        return "case" if self.cluster is None else "group"

    @cached
    def cases(self) -> dict[str, Predictions]:
        """Of each model; refuses models of which they are not known."""
        out = {}
        for name, e in self.models.items():
            p = e.statistics.source.cases
            if p is None:
                if e.statistics.source.added is not None:
                    raise InputError(f"{needs_cases(f'a comparison with {name}')}.")
                raise InputError(
                    f"{name} is a confusion matrix, which has no individual cases; give the predictions of each case."
                )
            out[name] = p
        return out

    def _measured(self, name: str) -> list[MeasureOf]:
        summary = self.models[name].statistics
        return [m for m in self.wanted if not m.why_not(summary)]

    @cached
    def influences(self) -> dict[str, dict[str, Influence]]:
        """Of each model and measure: what each case adds. The same units are left out of all models."""
        with np.errstate(all="ignore"):
            found = in_threads(self._influences_of, self.cases, self._threads)
        return dict(zip(self.cases, found, strict=True))

    def _influences_of(self, name: str) -> dict[str, Influence]:
        summary = self.models[name].statistics
        smooth = [m for m in self._measured(name) if not m.kind.bends]
        values = [m.value(summary) for m in smooth]
        alone = replace(self.resampling, workers=1) if self._threads > 1 else self.resampling
        return influences_of(summary, smooth, values, alone, self.cluster)

    @property
    def _threads(self) -> int:
        """Models that are looked at side by side."""
        cases = int(next(iter(self.models.values())).n)
        workers = self.resampling.workers
        return min(cores(workers), len(self.models)) if workers is not None or cases > WORTH_A_THREAD else 1

    @cached
    def replicates(self) -> dict[str, dict[str, Array]]:
        """Of each model and measure: its values on the same draws of cases."""
        summaries = {name: e.statistics for name, e in self.models.items()}
        return values_of_models(self.wanted, summaries, self.resampling)

    def flips(self, names: tuple[str, str]) -> McNemar | None:
        """McNemar's test of two models, where it has a meaning."""
        two = [self.models[name].statistics for name in names]
        if not self.paired or any(s.lacks(Counts) or s.source.weight is not None for s in two):
            return None
        if self.cluster is not None:
            return None
        right = [s.source.cases.right[0] for s in two if s.source.cases is not None]
        return mcnemar_of(*right, method="auto", names=names, level=self.resampling.level)

    def areas(self, names: tuple[str, str]) -> AreaTest | None:
        """DeLong's test of two models, where it has a meaning."""
        two = [self.models[name].statistics for name in names]
        if not self.paired or self.cluster is not None:
            return None
        if any(s.lacks(Pairs) or s.source.weight is not None for s in two):
            return None
        p = two[0].source
        if p.cases is None or p.positive is None:
            return None
        smallest = min(float(p.class_weight[p.positive]), p.n)
        if smallest < 2 or p.n - smallest < 2:
            return None
        return delong_paired(two[0], two[1], level=self.resampling.level)

    def value(self, m: MeasureOf, name: str) -> float:
        """Of a model; nan where it has none."""
        summary = self.models[name].statistics
        return math.nan if m.why_not(summary) else m.value(summary)

    def why(self, m: MeasureOf, names: tuple[str, str]) -> str:
        """Why one of two models has no value; empty if both have one."""
        for name in names:
            summary = self.models[name].statistics
            reason = m.why_not(summary)
            if reason or not math.isfinite(self.value(m, name)):
                return f"{m.key} of {name} is undefined: {reason or m.measure.undefined or 'it is not finite'}"
        return ""

    def test(self, m: MeasureOf, names: tuple[str, str]) -> DifferenceTest:
        """Of two models by a measure."""
        return DifferenceTest(self, m, names)

    def difference(self, m: MeasureOf, names: tuple[str, str]) -> Difference:
        """First less second."""
        return self.test(m, names).difference

    def error_scores(self, m: MeasureOf, name: str) -> ErrorScores:
        """How surprising a model's calibration error in bins would be in populations of other errors."""
        summary = self.models[name].statistics
        kept: dict[tuple[int, int, int], ErrorScores] = summary.computed.setdefault(ErrorScores, {})
        key = id(m.measure), self.resampling.seed, self.resampling.replicates
        if key not in kept:  # every other model is compared with it
            kept[key] = ErrorScores.of(m, m.statistic(summary), self.value(m, name), self.resampling)
        return kept[key]

    def bins_of_units(self, m: MeasureOf, name: str) -> ConfidenceBins:
        """[units, bins]: of each case, or of random blocks of many."""
        p = self.cases[name]
        if p.n <= MANY:
            return m.statistic(Summary(p.each_alone(np.arange(p.n))))  # type: ignore[no-any-return]
        parts = np.array_split(stream(self.resampling.seed, 1 << 25).permutation(p.n), BLOCKS)
        of_each = [m.statistic(Summary(p.take(np.sort(part)))) for part in parts]
        return ConfidenceBins(*(np.stack([getattr(x, f.name) for x in of_each]) for f in fields(ConfidenceBins)))
