"""Curves of one class against the rest that can have a confidence band."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from karat.core.arithmetic import Array
from karat.core.errors import InputError, option
from karat.core.validation import number_between
from karat.diagrams import drawing
from karat.diagrams.diagram import options_of
from karat.diagrams.prediction_diagram import PredictionDiagram, place_of
from karat.resampling import Band, OperatingPoints, Resampling, curve_band
from karat.statistics import Summary
from karat.statistics.added import needs_cases
from karat.statistics.score_grid import BEST, WORST

VISIBLE = 0.004
"""Heights that differ by less are one line."""


@dataclass(frozen=True, eq=False, kw_only=True)
class BandedCurve(PredictionDiagram):
    """A curve that says its height at any place of the horizontal axis, given the operating points. It then has the
    options of `confidence_band`: `band=0.95` adds a band of this level, at each place or (`simultaneous=True`) for the
    curve as a whole, by bootstrap over the cases or over whole `groups`; `replicates` and `seed` say how often and from
    where."""

    places: ClassVar[Array] = np.linspace(0, 1, 401)
    """Where the band is computed: finer than it can be seen."""
    needs_share: ClassVar[bool] = True
    """Does the height depend on how frequent the class is?"""
    has_band: ClassVar[bool] = True

    certifies: ClassVar[str] = ""
    """Do bounds of the ROC curve bound it, too? By all of its points, or by those of its hull."""
    band: Band | None = None
    certified: tuple[Array, Array, Array] | None = None
    """places, and the lowest and highest heights there, where the scores were kept in cells only"""

    @classmethod
    def heights(cls, points: OperatingPoints, at: Array) -> Array:
        """[R, places]: the heights of replicates of the curve."""
        raise NotImplementedError

    @classmethod
    def limits(cls, at: Array) -> tuple[Any, Any]:
        """The lowest and the highest height that the curve can have at these places."""
        return 0.0, 1.0

    @classmethod
    def options(cls) -> list[str]:
        """What `compute` and the band can be told."""
        return [*super().options(), *(BAND_OPTIONS if cls.has_band else ())]

    @classmethod
    def of(cls, summary: Summary, *, positive: Any = None, name: str = "", **options: Any) -> Self:
        """Of the statistics of some predictions."""
        cls.check(options)
        about_band = {key: options.pop(key) for key in BAND_OPTIONS if key in options}
        record = super().of(summary, positive=positive, name=name, **options)
        share = options.get("prevalence") if cls.needs_share else None
        object.__setattr__(record, "band", cls.confidence_band(summary, record.positive, share, **about_band))
        added = summary.source.added
        if cls.certifies and added is not None and not added.exact:
            place = place_of(summary, positive, cls.name)
            object.__setattr__(record, "certified", cls._certified(summary, place, share))
        return record

    @classmethod
    def _certified(cls, summary: Summary, place: int, share: float | None) -> tuple[Array, Array, Array]:
        """Between which heights the curve lies, whatever the scores in each cell were."""
        heights = []
        for view in (WORST, BEST):
            t = summary.seen_as(view).table_of_class(place)
            at = t.hull if cls.certifies == "hull" else slice(None)
            fpr, tpr = (x[None, at] for x in t.rates)
            points = OperatingPoints(fpr, tpr, np.array([float(t.prevalence) if share is None else share]), t.scores)
            heights.append(cls.heights(points, cls.places)[0])
        return cls.places, np.minimum(*heights), np.maximum(*heights)

    @classmethod
    def confidence_band(
        cls,
        summary: Summary,
        positive: Any,
        share: float | None = None,
        *,
        band: float | None = None,
        simultaneous: bool = False,
        replicates: int = 1000,
        seed: int = 0,
        groups: Any = None,
    ) -> Band | None:
        """The band of the curve of this class; none, if no level is said. `share` restates its frequency."""
        if band is None:
            if simultaneous or groups is not None:
                given = "groups" if groups is not None else "simultaneous"
                raise InputError(f"{given} was given without a band; add {option('band', 0.95)}, or leave {given} out.")
            return None
        number_between("band", band, 0, 1, ends="()")
        if not isinstance(simultaneous, bool):
            raise InputError(f"simultaneous is {simultaneous!r}; give True for a band of the whole curve, or False.")
        cases = summary.source.cases
        if cases is None:
            if summary.source.added is not None:
                raise InputError(f"{needs_cases('a band')}, or leave {option('band')} out.")
            raise InputError(
                f"a band draws cases again, and {summary.source.kind} has none; give predictions, or leave "
                f"{option('band')} out."
            )
        by_class = groups is None and (share is not None or cases.decreed or not cls.needs_share)
        resampling = Resampling.of(band, replicates, seed, by_class, groups)
        place = place_of(summary, positive, cls.name)
        return curve_band(
            cases,
            place,
            cls.heights,
            cls.places,
            resampling,
            simultaneous=simultaneous,
            share=share,
            limits=cls.limits(cls.places),
            of_sides=not cls.needs_share,
        )

    def draw_hull(self, ax: Any, x: Array, y: Array, colour: str) -> None:
        """The convex hull of the curve, a thin line in its colour; what such lines are is said once."""
        ax.plot(x, y, color=colour, linewidth=0.7, alpha=0.8)
        drawing.sample(ax, "convex hull")

    def draw_band(self, ax: Any, colour: str) -> None:
        """A soft area in the colour of the curve; what such areas are is said once."""
        if self.certified is not None and float(np.nanmax(self.certified[2] - self.certified[1])) > VISIBLE:
            at, low, high = self.certified
            ax.fill_between(at, low, high, color=colour, gid="bounds", alpha=0.3, linewidth=0)
        if self.band is not None:
            area = {"alpha": 0.18, "linewidth": 0}
            ax.fill_between(self.band.at, self.band.low, self.band.high, color=colour, gid="band", **area)
            drawing.sample(ax, self.band.words, area=True)


BAND_OPTIONS = tuple(options_of(BandedCurve.confidence_band))
"""What a band can be told."""
