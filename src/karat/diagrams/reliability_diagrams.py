"""Reliability and attributes diagrams: do probabilities mean what they say, and does that help?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from karat.core.arithmetic import Array
from karat.core.errors import InputError, option
from karat.core.hooks import interval_of_rate
from karat.core.plain_data import plain
from karat.core.validation import number_between, one_of, whole
from karat.diagrams import drawing
from karat.diagrams.diagram import diagram, level_of
from karat.diagrams.panel import UNIT, Axis, Line, Panel
from karat.diagrams.prediction_diagram import PredictionDiagram
from karat.measures.calibration import corp_discrimination, corp_miscalibration
from karat.resampling.draws import entropy
from karat.statistics import ForecastTable, ScoreTable
from karat.statistics.bins import place_in_bins
from karat.statistics.roc_hull import rising_frequency

GROUPINGS = ("identical", "width", "mass", "corp")
MOST_GROUPS = 1000
"""Groups a consistency band is computed on, at most: neighbouring forecasts are joined before isotonic regression."""


@diagram(
    name="reliability",
    title="Reliability diagram",
    cite="murphy1973",
    aliases=("reliability_diagram", "reliability_curve", "calibration_curve", "calibration", "calibration_diagram"),
)
class Reliability(PredictionDiagram):
    """Are the predicted probabilities calibrated: how often does the class occur where they are alike?

    `grouping` joins probabilities that are "identical", in `bins` (10 by default) of equal "width" ((a, b], the first
    also holding 0) or equal "mass", or by isotonic regression ("corp", the default without `bins`: no choice of bins,
    Dimitriadis et al. 2021); `bins=10` alone means equal width. `band=0.95` adds where the points would lie if the
    probabilities were calibrated (drawn from them; `seed`). `interval=0.95` adds an interval of the frequency in each
    group.
    """

    on_page = True
    headline = "reliability"
    statistic = ForecastTable
    forecast: Array
    """mean forecast of each group"""
    observed: Array
    """frequency of the class in it"""
    share: Array
    """p(y): share of all cases in it (the refinement curve)"""
    refinement: tuple[Array, Array]
    """p(y) as it is drawn: by twenty bins where there are too many groups, or they differ too much in width"""
    edges: Array | None
    """borders of bins of equal width"""
    grouping: str
    prevalence: float
    curve: tuple[Array, Array]
    """(forecast, observed) as it is drawn; of isotonic regression both ends of each of its flat pieces"""
    reliability: float
    """mean squared distance of the points from the diagonal; of isotonic regression the measure MCB"""
    resolution: float
    """mean squared distance of the frequencies from the prevalence; of isotonic regression the measure DSC"""
    uncertainty: float
    brier_skill: float
    """BSS of the forecasts themselves, whatever the groups"""
    band: tuple[Array, Array] | None = None
    """low and high, at the forecasts of `curve`"""
    level: float | None = None
    intervals: tuple[Array, Array] | None = None
    """low and high of the frequency of each group"""
    interval_level: float | None = None

    @classmethod
    def compute(
        cls,
        statistic: ForecastTable,
        *,
        grouping: str | None = None,
        bins: int | None = None,
        band: float | None = None,
        replicates: int = 500,
        seed: int = 0,
        interval: float | bool | None = None,
    ) -> Self:
        """Join forecasts into groups and compare each with its frequency."""
        grouping = grouping or ("corp" if bins is None else "width")
        one_of("grouping", grouping, GROUPINGS)
        if bins is not None and grouping not in ("width", "mass"):
            goes_with = f"{option('grouping', 'width')} or 'mass'"
            raise InputError(f"{option('bins', bins)} goes with {goes_with}; the grouping is {grouping!r}.")
        bins = 10 if bins is None else bins
        t = statistic
        corp = grouping == "corp"
        group = _groups(t, grouping, bins)
        weight, forecast, observed = _joined(t, group)
        total = weight.sum()
        prevalence = float(t.prevalence)
        share = weight / total
        curve = _isotonic_curve(t) if corp else (forecast, observed)
        each = (t.positive + t.negative) / total  # every distinct forecast a group of its own
        rate = t.positive / (t.positive + t.negative)
        return cls(
            forecast=forecast,
            observed=observed,
            share=share,
            refinement=_refinement(t, forecast, share, grouping),
            edges=np.arange(bins + 1) / bins if grouping == "width" else None,
            grouping=grouping,
            prevalence=prevalence,
            reliability=float(corp_miscalibration.value_of(t) if corp else (share * (forecast - observed) ** 2).sum()),
            resolution=float(corp_discrimination.value_of(t) if corp else (share * (observed - prevalence) ** 2).sum()),
            curve=curve,
            uncertainty=prevalence * (1 - prevalence),
            brier_skill=float(_skill(each, t.scores, rate, prevalence).sum()),
            band=None if band is None else _consistency(t, grouping, group, curve[0], band, replicates, seed),
            level=band,
            intervals=_of_rates(weight, observed, grouping, level_of(interval)),
            interval_level=level_of(interval),
        )

    def panel(self) -> Panel:
        """The calibration curve and the diagonal."""
        line = Line(*self.curve, self.note)
        axes = Axis("predicted probability", UNIT), Axis("observed frequency", UNIT)
        return Panel(*axes, [line], {"perfect calibration": (UNIT, UNIT)})

    @property
    def note(self) -> str:
        """What a legend says of the curve."""
        return f"miscalibration {drawing.number(self.reliability)}"

    def draw(self, ax: Any, label: str, *, refinement: bool = True, tallest: float | None = None, **style: Any) -> None:
        """The calibration curve against the diagonal, and how often each forecast is made below it; `tallest` is the
        share of cases that the tallest bar stands for."""
        look = drawing.next_series(ax) | style
        if self.band is not None:
            assert self.level is not None
            area = {"alpha": 0.15, "linewidth": 0}
            ax.fill_between(self.curve[0], *self.band, color=look["color"], gid="band", **area)
            drawing.sample(ax, f"{drawing.percent(self.level)} band if calibrated", area=True)
        if self.intervals is not None:
            ax.vlines(self.forecast, *self.intervals, color=look["color"], linewidth=0.8, gid="interval")
            drawing.sample(ax, f"{drawing.percent(self.interval_level or 0)} interval")
        drawing.reference(ax, (0, 1), (0, 1), "perfect calibration")
        text = self.named(label, self.note)
        if self.grouping == "corp":
            alone = {"marker": "o"} if np.ptp(self.curve[0]) == 0 else {}  # a line of one place would not be seen
            ax.plot(*drawing.simplified(*self.curve), label=text, **alone | look)
        else:
            many = len(self.forecast) > 50  # a line through points that are mostly 0 or 1 would be a block
            look |= {"marker": ".", "linestyle": "", "markersize": 2, "rasterized": True} if many else {"marker": "o"}
            ax.plot(*drawing.thinned(self.forecast, self.observed), label=text, **look)
        drawing.square(ax, f"Predicted probability ({self.who})", "Observed frequency")
        if refinement:
            self._draw_refinement(ax, look, tallest)
        drawing.legend(ax)

    def _draw_refinement(self, ax: Any, look: dict[str, Any], tallest: float | None) -> None:
        """p(y), as bars along the bottom of the diagram: a fifth of its height is the share that the legend says. Bars
        that were drawn here before get the same scale."""
        x, y = self.refinement
        earlier = [artist for artist in ax.get_children() if artist.get_gid() == "refinement"]
        most = max(tallest or float(y.max()), *(bars.tallest for bars in earlier), 0.0)
        for bars in earlier:
            bars.set_segments([ends * (1, bars.tallest / most) for ends in bars.get_segments()])
        look = {"color": look["color"], "linewidth": 1.6, "alpha": 0.45, "zorder": 1.2, "gid": "refinement"}
        for bars in (*earlier, ax.vlines(x + 0.007 * len(earlier), 0, 0.2 * y / most, **look)):
            bars.tallest = most
        what = "share of cases (bar of height 0.2: "
        for line in ax.lines:
            if line.get_label().startswith(what):
                line.remove()
        drawing.sample(ax, f"{what}{drawing.percent(most)})")

    @classmethod
    def alike(cls, members: Sequence[Any]) -> dict[str, Any]:
        """One scale of bars."""
        return {"tallest": max(float(m.refinement[1].max()) for m in members)}


@diagram(name="attributes", title="Attributes diagram", cite="hsu1986", aliases=("attributes_diagram",))
class Attributes(Reliability):
    """Which predicted probabilities add to the Brier skill score, and which lower it?

    A point adds to the Brier skill score if it lies nearer to the diagonal than to the line of no resolution: beyond
    the line of no skill, which has the slope one half.
    """

    apart = "classes"

    @property
    def contributions(self) -> Array:
        """What each group adds to the Brier skill score."""
        return _skill(self.share, self.forecast, self.observed, self.prevalence)

    @property
    def skill(self) -> float:
        """The sum of the contributions: the Brier skill score, if each group holds identical forecasts; of the means of
        the groups otherwise."""
        return float(self.contributions.sum())

    def to_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON."""
        return super().to_dict() | {"contributions": plain(self.contributions), "skill": plain(self.skill)}

    def panel(self) -> Panel:
        """The same on the region of skill."""
        p = self.prevalence
        more = {"no skill": (UNIT, (p / 2, (1 + p) / 2)), "no resolution": (UNIT, (p, p)), "frequency": ((p, p), UNIT)}
        areas = [[(0, 0), (0, p / 2), (p, p), (p, 0)], [(p, p), (p, 1), (1, 1), (1, (1 + p) / 2)]]
        line = Line(*self.curve, f"Brier skill {drawing.number(self.brier_skill)}")
        below = super().panel()
        return Panel(below.x, below.y, [line], {**below.references, **more}, areas)

    @property
    def note(self) -> str:
        """What a legend says of the curve."""
        return f"Brier skill {drawing.number(self.brier_skill)}, {super().note}"

    def draw(self, ax: Any, label: str, *, refinement: bool = True, tallest: float | None = None, **style: Any) -> None:
        """The reliability diagram on the region of skill."""
        p = self.prevalence
        if drawing.first_here(ax, "region of skill"):
            look = {"color": "#009E73", "alpha": 0.09, "linewidth": 0}
            ax.fill_between((0, p), (0, 0), (p / 2, p), gid="region of skill", **look)
            ax.fill_between((p, 1), (p, (1 + p) / 2), (1, 1), **look)
            corner = (p + (1 - p) * 0.12, 0.93) if p < 0.7 else (0.88 * p, 0.24)  # in the wider part, above the bars
            side = "left" if p < 0.7 else "right"
            ax.annotate("skill", corner, fontsize=drawing.points(7), color="#00664b", style="italic", ha=side)
        drawing.reference(ax, (0, 1), (p / 2, (1 + p) / 2), "no skill", linestyle=(0, (6, 2)))
        drawing.reference(ax, (0, 1), (p, p), "no resolution", linestyle=(0, (1, 1.5)))
        drawing.reference(ax, (p, p), (0, 1), f"prevalence {drawing.number(p)}", linestyle=(0, (1, 3)))
        super().draw(ax, label, refinement=refinement, tallest=tallest, **style)


def _isotonic_curve(t: ScoreTable) -> tuple[Array, Array]:
    """The isotonic frequency at the lowest and the highest forecast of each pool."""
    pool = t.pools
    new = np.append(True, pool[1:] != pool[:-1])
    ends = np.append(new[1:], True)
    places = np.flatnonzero(new | ends)
    return t.scores[places], t.isotonic[places]


def _skill(share: Array, forecast: Array, observed: Array, prevalence: float) -> Array:
    """What each group adds to the Brier skill score; nan if there is only one class."""
    gain = (observed - prevalence) ** 2 - (forecast - observed) ** 2
    return np.asarray(share * gain / (prevalence * (1 - prevalence) or np.nan))


def _refinement(t: ScoreTable, forecast: Array, share: Array, grouping: str) -> tuple[Array, Array]:
    if len(forecast) <= 50 and grouping in ("identical", "width"):
        return forecast, share
    weight = t.positive + t.negative
    return (np.arange(20) + 0.5) / 20, np.bincount(place_in_bins(t.scores, 20), weight, 20) / weight.sum()


def _groups(t: ScoreTable, grouping: str, bins: int) -> Array:
    """[m]: the group of each distinct forecast, rising from 0."""
    weight = t.positive + t.negative
    if grouping == "identical":
        return np.arange(len(t.scores))
    if grouping == "corp":
        return t.pools
    bins = whole("bins", bins)
    if grouping == "width":
        place = place_in_bins(t.scores, bins)
    else:
        middle = np.cumsum(weight) - weight / 2  # equal forecasts stay together, in the group of their middle
        place = np.floor(middle / weight.sum() * bins).astype(int)
    return np.unique(place, return_inverse=True)[1]


def _joined(t: ScoreTable, group: Array) -> tuple[Array, Array, Array]:
    """Weight, mean forecast and frequency of each group."""
    weight = np.bincount(group, t.positive + t.negative)
    forecast = np.bincount(group, (t.positive + t.negative) * t.scores) / weight
    return weight, forecast, np.bincount(group, t.positive) / weight


def _of_rates(weight: Array, observed: Array, grouping: str, level: float | None) -> tuple[Array, Array] | None:
    """The ends of the interval of each frequency."""
    if level is None:
        return None
    if grouping == "corp":
        raise InputError(
            f"interval shows the frequency in each group, and isotonic regression makes its groups itself; add "
            f"{option('bins', 10)}, or use {option('band', 0.95)}."
        )
    if not np.array_equal(weight, np.round(weight)):
        raise InputError("an interval of each group needs whole-number weights, and these are not; leave interval out.")
    ends = [interval_of_rate(round(w * rate), w, level)[:2] for w, rate in zip(weight, observed, strict=True)]
    low, high = np.array(ends).reshape(-1, 2).T
    return low, high


def _consistency(
    t: ScoreTable, grouping: str, group: Array, at: Array, level: float, replicates: int, seed: int
) -> tuple[Array, Array]:
    """Between which frequencies each point would lie, if the forecasts were right: outcomes are drawn from them
    (Bröcker and Smith 2007); for isotonic regression, which makes its groups from the outcomes, it is done anew."""
    number_between("band", level, 0, 1, ends="()")
    replicates = whole("replicates", replicates)
    weight = t.positive + t.negative
    if not np.array_equal(weight, np.round(weight)):
        raise InputError("a consistency band needs whole-number weights, and these are not whole; leave band out.")
    rng = np.random.default_rng(entropy(seed))
    scores = np.clip(t.scores, 0, 1)
    drawn = np.empty((replicates, len(at)))
    if grouping != "corp":
        mass = np.bincount(group, weight)
        for r in range(replicates):
            drawn[r] = np.bincount(group, rng.binomial(weight.astype(np.int64), scores)) / mass
    else:
        joined = _groups(t, "mass", MOST_GROUPS) if len(scores) > MOST_GROUPS else np.arange(len(scores))
        mass, forecast, _ = _joined(t, joined)
        for r in range(replicates):
            hits = rng.binomial(mass.astype(np.int64), forecast).astype(float)
            drawn[r] = np.interp(at, forecast, rising_frequency(hits, mass - hits))
    low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2], axis=0)
    return low, high
