"""How often do the bands of curves hold the truth? `python benchmarks/band_coverage.py` prints a table.

Samples of a binormal population (the scores of the class lie d' standard deviations higher; the probabilities are the
true ones), a band of each curve, and how often it holds the curve of the population: place by place, in five regions of
the horizontal axis, and as a whole.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import expit, logit, ndtr

from karat.data import Predictions
from karat.diagrams import BrierCurve, CostCurve, Lift, PrecisionRecall, ROCCurve
from karat.diagrams.banded_curve import BandedCurve
from karat.intervals.rate_interval import wilson
from karat.resampling import OperatingPoints, Resampling, curve_band

CURVES: tuple[type[BandedCurve], ...] = (ROCCurve, PrecisionRecall, Lift, CostCurve, BrierCurve)
PLACES = np.unique(np.concatenate([[0.005, 0.01, 0.02, 0.98, 0.99, 0.995], np.arange(1, 40) / 40]))
"""Where bands are looked at; at 0 and 1 most curves are known."""
REGIONS = ((0.0, 0.05), (0.05, 0.2), (0.2, 0.8), (0.8, 0.95), (0.95, 1.0))
"""Places above the first number, up to the second."""
LEVEL, REPLICATES, SAMPLES = 0.95, 400, 300
EXACT = 1e-9
"""Ends and truths that differ by less are equal."""


@dataclass(frozen=True)
class Population:
    """What is drawn from."""

    distance: float = 1.0
    """d': between the means of the two classes, in standard deviations"""
    n: int = 200
    prevalence: float = 0.5
    step: float = 0.0
    """scores are rounded to multiples of it; 0: no two are equal"""
    groups: int = 0
    """cases come in so many groups of one class each, which share half of the variance; 0: each case is on its own"""
    weighted: bool = False
    """cases have uneven weights, which say nothing about their scores"""

    @property
    def words(self) -> str:
        """As a row of the table names it."""
        more = [f"rounded to {self.step:g}"] * (self.step > 0) + [f"{self.groups} groups"] * (self.groups > 0)
        more += ["uneven weights"] * self.weighted
        return ", ".join([f"n = {self.n:,}, d' = {self.distance:g}, {100 * self.prevalence:g} % positive", *more])

    def probability(self, x: Any) -> Any:
        """Of the class, given the score."""
        return expit(self.distance * np.asarray(x) - self.distance**2 / 2 + logit(self.prevalence))

    def sample(self, rng: np.random.Generator) -> tuple[Predictions, Any]:
        """Some cases, with at least two (or two groups) of each class, and their groups."""
        units = self.groups or self.n
        own = np.zeros(units, int)
        while not 2 <= own.sum() <= units - 2:
            own = (rng.random(units) < self.prevalence).astype(int)
        group = np.arange(self.n) % units
        truth, x = own[group], rng.normal(size=self.n)
        if self.groups:
            x = np.sqrt(0.5) * (x + rng.normal(size=units)[group])
        x += self.distance * truth
        if self.step:
            x = self.step * np.round(x / self.step)
        weight = rng.gamma(2.0, 0.5, self.n) if self.weighted else None
        return Predictions.of(
            truth, self.probability(x), labels=[0, 1], sample_weight=weight
        ), group if self.groups else None

    def points(self) -> OperatingPoints:
        """All of it: at each score that there is, or at very many."""
        step = self.step or 0.0005
        x = step * np.arange(np.floor(-7 / step), np.ceil((7 + self.distance) / step))
        above = x[::-1] - step / 2
        rates = [np.append(0.0, ndtr(mean - above))[None] for mean in (0.0, self.distance)]
        rates = [rate / rate[:, -1:] for rate in rates]
        return OperatingPoints(*rates, np.array([self.prevalence]), self.probability(x))


def held(population: Population, seeds: range, curves: Iterable[Any] = CURVES) -> dict[str, list[int]]:
    """Curve to how often its band holds the truth at each place, the simultaneous band as a whole, and the samples."""
    kinds, points = list(curves), population.points()
    truth = {kind: kind.heights(points, PLACES)[0] for kind in kinds}
    counts = {kind: np.zeros(len(PLACES) + 2, int) for kind in kinds}
    for seed in seeds:
        cases, groups = population.sample(np.random.default_rng([7, seed]))
        for kind in kinds:
            way = Resampling.of(LEVEL, REPLICATES, seed, groups is None and not kind.needs_share, groups)
            for whole in (False, True):
                said: Any = {"limits": kind.limits(PLACES), "of_sides": not kind.needs_share}
                band = curve_band(cases, 1, kind.heights, PLACES, way, simultaneous=whole, **said)
                inside = (band.low - EXACT <= truth[kind]) & (truth[kind] <= band.high + EXACT)
                if whole:
                    counts[kind][-2] += inside.all()
                else:
                    counts[kind][:-2] += inside
            counts[kind][-1] += 1
    return {kind.title: counts[kind].tolist() for kind in kinds}


POPULATIONS = (
    *(Population(d, n, share) for n in (100, 200) for share in (0.5, 0.1) for d in (0.5, 1.0, 2.0)),
    *(Population(1.0, 1000, share) for share in (0.5, 0.1)),
    *(Population(d, 200, 0.5, step=0.5) for d in (0.5, 2.0)),
    *(Population(1.0, 300, 0.5, groups=groups) for groups in (10, 30)),
    Population(1.0, 200, 0.5, weighted=True),
)


def table(held: Iterable[tuple[Population, dict[str, list[int]]]]) -> str:
    """In Markdown; shares below .93 are set in bold where chance does not explain them."""
    names = ["population", "curve", *(f"{low:g} to {high:g}" for low, high in REGIONS), "lowest", "simultaneous"]
    lines = [f"| {' | '.join(names)} |", f"|{' --- |' * len(names)}"]
    for population, row in held:
        for curve, (*of_places, whole, samples) in row.items():
            each = np.array(of_places) / samples
            shares = [each[(low < PLACES) & (high >= PLACES)].mean() for low, high in REGIONS]
            cells = [_cell(share, samples) for share in (*shares, each.min(), whole / samples)]
            lines.append(f"| {' | '.join([population.words, curve, *cells])} |")
    return "\n".join(lines)


def _cell(share: float, samples: int) -> str:
    """A share; places of a region move together, so that their mean is taken for one place."""
    return f"**{share:.3f}**" if wilson(share * samples, samples, LEVEL)[1] < 0.93 else f"{share:.3f}"


if __name__ == "__main__":
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--samples", type=int, default=SAMPLES)
    seeds = range(asked.parse_args().samples)
    print(table((population, held(population, seeds)) for population in POPULATIONS))
