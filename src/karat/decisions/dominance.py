"""Which model is best under which operating conditions: the lower envelope of cost lines, with exact borders."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from karat import kernels
from karat.core.arithmetic import TOLERANCE, Array
from karat.core.comparison import MODELS, comparison
from karat.core.errors import InputError, option
from karat.core.keywords import understand
from karat.core.plain_data import plain
from karat.core.record import Record
from karat.core.statistic import Needs
from karat.core.table import Table
from karat.core.validation import checked_level, whole
from karat.data import Predictions
from karat.measures.rates import false_positive_rate, true_positive_rate
from karat.resampling import bootstrap_tables
from karat.resampling.draws import Draws, blocks, entropy
from karat.resampling.replicates import Replicates
from karat.statistics import Binary, Counts, ScoreTable, Summary
from karat.statistics.added import needs_cases
from karat.statistics.roc_hull import ALWAYS, NEVER, checked_probability_cost, lower_envelope, slope_at, upper_hull
from karat.statistics.summary import paired, positive_of, same_cases, summary_of

Point = tuple[float, float]
"""(fpr, tpr)"""
Points = list[tuple[float, float, float]]
"""(fpr, tpr, threshold) of operating points; the threshold is nan for decisions as they are"""
ONE_CLASS = "one of the two classes has no case; give cases of both."


def points_of(summary: Summary, thresholds: bool) -> Points:
    """The operating points that can be the best: where `thresholds` may be chosen, the vertices of the hull."""
    positive = positive_of(summary)
    if thresholds and not summary.source.lacks(Needs.SCORES):
        points = next(_vertices(summary.table_of_class(positive)))
    else:
        lacking = summary.lacks(Binary)
        if lacking:
            raise InputError(f"its ROC point is not available: {lacking}.")
        points = next(_as_decided(summary[Binary], positive))
    if points is None:
        raise InputError(ONE_CLASS)
    return points


def replicated_points(
    summaries: dict[str, Summary], thresholds: bool, replicates: int, seed: Any
) -> Iterator[dict[str, Points]]:
    """The points of every model in one replicate after the other: cases are drawn for all models alike, bare matrices
    each by itself. Replicates without a case of one of the classes are left out."""
    own = np.random.SeedSequence(entropy(seed)).generate_state(len(summaries), np.uint64)
    cases = {name: s.source.cases for name, s in summaries.items() if s.source.cases is not None}
    parts: list[Iterator[list[Points | None]]] = [
        ([points] for points in _without_cases(s, thresholds, replicates, int(key)))
        for s, key in zip(summaries.values(), own, strict=True)
        if s.source.cases is None
    ]
    if cases:
        positive = positive_of(next(iter(summaries.values())))
        parts.append(_of_cases(list(cases.values()), positive, thresholds, replicates, seed))
    names = [*(name for name in summaries if name not in cases), *cases]
    for drawn in zip(*parts, strict=True):
        points = dict(zip(names, itertools.chain(*drawn), strict=True))
        if all(p is not None for p in points.values()):
            yield {name: points[name] or [] for name in summaries}


def _of_cases(
    models: list[Predictions], positive: int, thresholds: bool, replicates: int, seed: Any
) -> Iterator[list[Points | None]]:
    """Of each model in one replicate after the other; what is drawn is drawn once for all."""
    order = np.argsort(models[0].truth[0], kind="stable")  # one order of the cases for all models
    arranged = [Replicates(p, order) for p in models]
    draws = Draws.of(seed, replicates, (models[0].n,))
    for part in blocks(replicates, models[0].n):
        counts = draws.counts(part)
        yield from map(list, zip(*(_drawn(of, positive, thresholds, counts) for of in arranged), strict=True))


def _drawn(of: Replicates, positive: int, thresholds: bool, counts: Array) -> Iterator[Points | None]:
    if thresholds and not of.p.lacks(Needs.SCORES):
        return _vertices(of.table_of_class(positive, counts))
    return _as_decided(of.get(Binary, {}, counts), positive)


def _without_cases(s: Summary, thresholds: bool, replicates: int, seed: int) -> Iterator[Points | None]:
    """Of a bare matrix by its counts; of added statistics by the cells of their scores, of which neighbours are joined
    to a thousand: a hull of fewer points lies below the whole by less than can be seen."""
    added, positive = s.source.added, positive_of(s)
    if added is not None and added.weighted:
        raise InputError(f"{needs_cases('resampling with weights')}.")
    if added is None or not thresholds or s.lacks(ScoreTable):
        return _of_counts(s[Counts], positive, replicates, seed)
    t = s.table_of_class(positive).joined(MOST_CELLS)
    drawn = bootstrap_tables(np.stack([t.negative, t.positive]), replicates, seed)
    return itertools.chain.from_iterable(_vertices(ScoreTable(t.scores, np.asarray(some, float))) for some in drawn)


def _of_counts(counts: Counts, positive: int, replicates: int, seed: int) -> Iterator[Points | None]:
    for some in bootstrap_tables(counts.table, replicates, seed):
        yield from _as_decided(Counts(some).binary, positive)


def _vertices(t: ScoreTable) -> Iterator[Points | None]:
    """The strict vertices of the hull of each ROC curve but (0, 0) and (1, 1); None if a class has no case."""
    m = len(t.scores)
    places, reached, ends = kernels.hulls(t.positive.reshape(-1, m), t.negative.reshape(-1, m))
    thresholds = t.thresholds
    for start, end in itertools.pairwise(ends.tolist()):
        (misses, hits), at = reached[:, start:end], places[start:end]
        if not (misses[-1] > 0 and hits[-1] > 0):
            yield None
            continue
        x, y = misses / misses[-1], hits / hits[-1]
        inner = upper_hull(x, y)[1:-1]  # where weights are rounded, some are no vertices
        yield list(zip(x[inner].tolist(), y[inner].tolist(), thresholds[at[inner]].tolist(), strict=True))


def _as_decided(binary: Binary, positive: int) -> Iterator[Points | None]:
    """One point for each of some tables of counts; None if a class has no case."""
    fpr, tpr = (np.atleast_2d(rate(binary))[:, positive] for rate in (false_positive_rate, true_positive_rate))
    for x, y in zip(fpr.tolist(), tpr.tolist(), strict=True):
        yield [(x, y, math.nan)] if math.isfinite(x) and math.isfinite(y) else None


MOST_CELLS = 1024
"""Of scores that are drawn again where the cases are not known."""
TRIVIAL = {NEVER: (0.0, 0.0), ALWAYS: (1.0, 1.0)}


class Region(NamedTuple):
    """Probability costs at which the same models are best."""

    start: float
    end: float
    best: tuple[str, ...]


class Meeting(NamedTuple):
    """Where two regions meet, and who is best before and after."""

    pc: float
    before: tuple[str, ...]
    after: tuple[str, ...]


@dataclass(frozen=True)
class Piece(Record):
    """A range of probability costs in which one operating point is the best."""

    start: float
    end: float
    best: tuple[str, ...]
    """the models that have this point: more than one is a tie"""
    fpr: float
    tpr: float
    threshold: float = math.nan
    """positive from this score on, of the first of them; nan for decisions as they are"""


@dataclass(frozen=True)
class Border(Record):
    """The probability cost at which one model gives way to another."""

    pc: float
    slope: float
    """of the lines of equal cost in ROC space"""
    before: tuple[str, ...]
    after: tuple[str, ...]
    low: float = math.nan
    high: float = math.nan
    """a bootstrap interval of the border, over the replicates that have it; nan where there are no cases to resample"""
    seen: float = math.nan
    """the share of replicates in which these two meet at a border at all"""


@dataclass(frozen=True, repr=False)
class Dominance(Record):
    """Which model is best where, from PC = 0 (only false positives matter) to PC = 1 (only false negatives do).

    The probability cost PC is the share of the highest expected cost that false negatives have: the prevalence if both
    errors cost the same.

    Attributes
    ----------
    pieces : tuple of Piece
        The best operating point of each range of PC.
    borders : tuple of Border
        Where one model gives way to another, with bootstrap intervals.
    models : tuple of str
    level : float
        Confidence of the intervals.
    regions : tuple of Region
        Ranges of PC in which the same models are best.
    """

    pieces: tuple[Piece, ...]
    borders: tuple[Border, ...]
    models: tuple[str, ...]
    level: float = 0.95
    regions: tuple[Region, ...] = ()

    @property
    def reigns(self) -> tuple[Region, ...]:
        """The regions, as plain data call them."""
        return self.regions

    @property
    def nowhere(self) -> tuple[str, ...]:
        """Models that are best nowhere."""
        return tuple(m for m in self.models if not any(m in region.best for region in self.regions))

    def best_at(self, pc: float) -> tuple[str, ...]:
        """The best at a probability cost; at a border, all that meet there."""
        checked_probability_cost(pc)
        here = [r.best for r in self.regions if r.start - TOLERANCE <= pc <= r.end + TOLERANCE]
        return tuple(dict.fromkeys(name for best in here for name in best))

    def to_table(self) -> Table:
        """One row for each region; the interval of its end, where any is known."""
        ends = {b.pc: (b.low, b.high, b.seen) for b in self.borders}
        rows = []
        for start, end, best in self.regions:
            low, high, seen = ends.get(end, (math.nan,) * 3)
            row = {"from PC": start, "to PC": end, "best": " = ".join(best)}
            rows.append(row | ({"end low": low, "end high": high, "seen": seen} if ends else {}))
        return Table.of(rows, "best model by probability cost (PC)")

    def to_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON; unknown is None."""
        regions = [{"from": r.start, "to": r.end, "best": r.best} for r in self.regions]
        head = {"models": self.models, "nowhere": self.nowhere, "level": self.level, "reigns": regions}
        data: dict[str, Any] = plain(head | {"pieces": self.pieces, "borders": self.borders})
        return data

    def __repr__(self) -> str:
        lost = f"\nnever best: {', '.join(self.nowhere)}" if self.nowhere else ""
        return f"{self.to_table()!r}{lost}"


@comparison(of=MODELS, cite="drummond2006")
@understand(usage="karat.dominance({'a': karat.evaluate(y_true, p1), 'b': karat.evaluate(y_true, p2)})")
def dominance(
    models: Any, *, thresholds: bool = True, level: float = 0.95, replicates: int = 500, seed: Any = 0
) -> Dominance:
    """Which model is best under which costs and class frequencies?

    The lower envelope of the cost lines of all operating points [drummond2006].

    Parameters
    ----------
    models : dict
        {name: evaluation of two classes}, or {name: (fpr, tpr)} for ROC points.
    thresholds : bool, default True
        May each model with scores choose its threshold? False: its predictions are taken as given.
    level : float, default 0.95
        Confidence of the bootstrap intervals of the borders.
    replicates : int, default 500
        Cases are resampled, the same for all models; confusion matrices each by itself. 0: no intervals.
    seed : int, default 0

    Returns
    -------
    Dominance

    See Also
    --------
    karat.compare : which model is better on measures.

    Examples
    --------
    >>> print(dominance({"a": (0.1, 0.6), "b": (0.4, 0.9)}).to_table())
    best model by probability cost (PC)
    from PC  to PC  best             end low  end high  seen
      0.000  0.143  always negative        -         -     -
      0.143  0.500  a                      -         -     -
      0.500  0.857  b                      -         -     -
      0.857  1.000  always positive        -         -     -
    """
    checked_level(level)
    entropy(seed)
    given = _given(models)
    summaries = {name: model for name, model in given.items() if isinstance(model, Summary)}
    positive = {name: s.source.classes[positive_of(s)] for name, s in summaries.items()}
    if len(set(positive.values())) > 1:
        raise InputError(
            f"the models have different positive classes ({positive}); pass the same {option('positive')} to all."
        )
    pieces = _pieces({name: _points(model, thresholds) for name, model in given.items()})
    regions = _regions(pieces)
    replicated: list[list[Meeting]] = []
    if whole("replicates", replicates, least=0) and summaries and len(summaries) == len(given):
        summaries = paired(summaries)
        same_cases(summaries)
        draws = replicated_points(summaries, thresholds, replicates, seed)
        replicated = [_meetings(_regions(_pieces(points))) for points in draws]
    borders = tuple(_border(meeting, replicated, level) for meeting in _meetings(regions))
    return Dominance(tuple(pieces), borders, tuple(given), level, tuple(regions))


def _given(models: Any) -> dict[str, Summary | Point]:
    if not isinstance(models, dict) or not models:
        raise InputError("models are given by name: dominance({name: evaluation, ...}), or {name: (fpr, tpr)}.")
    trivial = [name for name in models if name in TRIVIAL]
    if trivial:
        raise InputError(
            f"a model is called {trivial[0]!r}, which is the name of a constant prediction; give it another name."
        )
    given: dict[str, Summary | Point] = {}
    for name, model in models.items():
        if isinstance(model, tuple | list) and len(model) == 2:
            fpr, tpr = (float(x) for x in model)
            if not (0 <= fpr <= 1 and 0 <= tpr <= 1):
                raise InputError(f"{name} is given as the ROC point {(fpr, tpr)}; both rates lie in [0, 1].")
            given[str(name)] = (fpr, tpr)
        else:
            given[str(name)] = summary_of(model)
    return given


def _points(model: Summary | Point, thresholds: bool) -> Points:
    return [(*model, math.nan)] if isinstance(model, tuple) else points_of(model, thresholds)


def _pieces(points: dict[str, Points]) -> list[Piece]:
    flat = [(name, *point) for name, listed in points.items() for point in listed]
    flat = [*((name, *point, math.nan) for name, point in TRIVIAL.items()), *flat]
    lines = np.array([(fpr, 1 - tpr) for _, fpr, tpr, _ in flat])
    breaks, which = lower_envelope(lines)
    same = np.abs(lines[which][:, None] - lines).max(axis=2) <= TOLERANCE
    pieces = []
    for start, end, i, equal in zip(breaks[:-1], breaks[1:], which, same, strict=True):
        tied = np.flatnonzero(equal)
        names = tuple(dict.fromkeys(flat[j][0] for j in tied))
        threshold = next((flat[j][3] for j in tied if flat[j][3] == flat[j][3]), math.nan)
        pieces.append(Piece(float(start), float(end), names, float(flat[i][1]), float(flat[i][2]), threshold))
    return pieces


def _regions(pieces: list[Piece]) -> list[Region]:
    """Neighbouring pieces of the same models are one region."""
    regions: list[Region] = []
    for p in pieces:
        if regions and regions[-1].best == p.best:
            regions[-1] = Region(regions[-1].start, p.end, p.best)
        else:
            regions.append(Region(p.start, p.end, p.best))
    return regions


def _meetings(regions: list[Region]) -> list[Meeting]:
    return [Meeting(a.end, a.best, b.best) for a, b in itertools.pairwise(regions)]


def _border(meeting: Meeting, replicated: list[list[Meeting]], level: float) -> Border:
    """With an interval, if there are replicates."""
    pc, before, after = meeting
    border = Border(pc, float(slope_at(pc)), before, after)
    if not replicated:
        return border
    places = []
    for drawn in replicated:  # of several such borders the nearest
        met = [m.pc for m in drawn if set(m.before) & set(before) and set(m.after) & set(after)]
        if met:
            places.append(min(met, key=lambda x: abs(x - pc)))
    low, high = np.quantile(places, [(1 - level) / 2, (1 + level) / 2]) if places else (math.nan, math.nan)
    return replace(border, low=float(low), high=float(high), seen=len(places) / len(replicated))
