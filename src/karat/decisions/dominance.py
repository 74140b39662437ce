"""Which model is best under which operating conditions: the lower envelope of cost lines, with exact borders."""

from __future__ import annotations

import itertools
import math
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from karat.core.arithmetic import TOLERANCE
from karat.core.errors import InputError
from karat.core.statistic import Needs
from karat.core.table import Table
from karat.core.validation import checked_level
from karat.decisions.resampled import Point, Points, Resampled, vertices
from karat.measures.rates import false_positive_rate, true_positive_rate
from karat.resampling.draws import entropy
from karat.statistics import Binary, Summary
from karat.statistics.roc_hull import ALWAYS, NEVER, checked_probability_cost, lower_envelope, slope_at
from karat.statistics.summary import positive_of, same_cases, summary_of

Reign = tuple[float, float, tuple[str, ...]]
"""from, to, and who is best there"""
Met = tuple[float, tuple[str, ...], tuple[str, ...]]
"""where, who is best before, who after"""
ONE_CLASS = "a model can't be compared: one of the two classes has no case; give cases of both."
TRIVIAL = {NEVER: (0.0, 0.0), ALWAYS: (1.0, 1.0)}


@dataclass(frozen=True)
class Piece:
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
class Border:
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


@dataclass(frozen=True)
class Dominance:
    """Who is best where, from PC = 0 (only false alarms matter) to PC = 1 (only misses do)."""

    pieces: tuple[Piece, ...]
    """operating points"""
    borders: tuple[Border, ...]
    models: tuple[str, ...]
    level: float = 0.95
    reigns: tuple[Reign, ...] = ()
    """(from, to, models that are best there)"""

    @property
    def nowhere(self) -> tuple[str, ...]:
        """Models that are best nowhere."""
        return tuple(m for m in self.models if not any(m in best for _, _, best in self.reigns))

    def best_at(self, pc: float) -> tuple[str, ...]:
        """The best at a probability cost; at a border, all that meet there."""
        checked_probability_cost(pc)
        here = [best for start, end, best in self.reigns if start - TOLERANCE <= pc <= end + TOLERANCE]
        return tuple(dict.fromkeys(name for best in here for name in best))

    def to_table(self) -> Table:
        """One row for each reign."""
        ends: dict[float, Border] = {b.pc: b for b in self.borders}
        spans = [ends.get(end) for _, end, _ in self.reigns]
        return Table(
            {
                "from PC": [start for start, _, _ in self.reigns],
                "to PC": [end for _, end, _ in self.reigns],
                "best": [" = ".join(best) for _, _, best in self.reigns],
                "end low": [math.nan if b is None else b.low for b in spans],
                "end high": [math.nan if b is None else b.high for b in spans],
                "seen": [math.nan if b is None else b.seen for b in spans],
            },
            "which model is best where (PC: probability cost)",
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain data; what is unknown is None."""

        def plain(record: dict[str, Any]) -> dict[str, Any]:
            finite = {k: None if isinstance(v, float) and not math.isfinite(v) else v for k, v in record.items()}
            return {k: list(v) if isinstance(v, tuple) else v for k, v in finite.items()}

        return {
            "models": list(self.models),
            "nowhere": list(self.nowhere),
            "level": self.level,
            "reigns": [{"from": a, "to": b, "best": list(best)} for a, b, best in self.reigns],
            "pieces": [plain(asdict(p)) for p in self.pieces],
            "borders": [plain(asdict(b)) for b in self.borders],
        }

    def __repr__(self) -> str:
        lost = f"\nbest nowhere: {', '.join(self.nowhere)}" if self.nowhere else ""
        return f"{self.to_table()!r}{lost}"


def dominance(
    models: Any, *, thresholds: bool = True, level: float = 0.95, replicates: int = 500, seed: Any = 0
) -> Dominance:
    """Which model is best under which costs and class frequencies.

    Parameters
    ----------
    models : {name: evaluation of two classes}, or {name: (fpr, tpr)} for bare ROC points.
    thresholds : may each model with scores choose its threshold? False: its decisions are taken as they are.
    level, replicates, seed : of the bootstrap intervals of the borders (cases are resampled, the same for all models;
        of bare matrices each by itself); replicates=0 leaves them out.

    >>> print(dominance({"a": (0.1, 0.6), "b": (0.4, 0.9)}).to_table())
    which model is best where (PC: probability cost)
    from PC   to PC  best             end low  end high  seen
     0.0000  0.1429  always negative        -         -     -
     0.1429  0.5000  a                      -         -     -
     0.5000  0.8571  b                      -         -     -
     0.8571  1.0000  always positive        -         -     -
    """
    checked_level(level)
    rng = np.random.default_rng(entropy(seed))
    given = _given(models)
    named = {name: m.source.classes[positive_of(m)] for name, m in given.items() if isinstance(m, Summary)}
    if len(set(named.values())) > 1:
        raise InputError(f"the positive classes are {named}; compare models with the same positive class.")
    points = {name: _points(model, thresholds) for name, model in given.items()}
    pieces = _pieces(points)
    reigns = _reigns(pieces)
    summaries = {name: model for name, model in given.items() if isinstance(model, Summary)}
    replicated: list[list[Met]] = []
    if replicates and summaries and len(summaries) == len(given):
        same_cases(summaries)
        draws = Resampled(summaries, thresholds, rng)
        for _ in range(replicates):
            drawn = draws.points()
            if drawn is not None:
                replicated.append(_borders(_reigns(_pieces(drawn))))
    borders = tuple(_with_interval(border, replicated, level) for border in _borders(reigns))
    return Dominance(tuple(pieces), borders, tuple(given), level, tuple(reigns))


def _given(models: Any) -> dict[str, Summary | Point]:
    if not isinstance(models, dict) or not models:
        raise InputError("models must be a dictionary from names to evaluations or to (fpr, tpr), not empty.")
    taken = [name for name in models if name in TRIVIAL]
    if taken:
        raise InputError(f"a model is called {taken[0]!r}, which is the name of a trivial one; give it another name.")
    found: dict[str, Summary | Point] = {}
    for name, model in models.items():
        if isinstance(model, tuple | list) and len(model) == 2:
            fpr, tpr = (float(x) for x in model)
            if not (0 <= fpr <= 1 and 0 <= tpr <= 1):
                raise InputError(f"{name} is given as the ROC point {(fpr, tpr)}; both rates lie in [0, 1].")
            found[str(name)] = (fpr, tpr)
        else:
            found[str(name)] = summary_of(model)
    return found


def _points(model: Summary | Point, thresholds: bool) -> Points:
    """(fpr, tpr, threshold) of each operating point that can be the best."""
    if isinstance(model, tuple):
        return [(*model, math.nan)]
    positive = positive_of(model)
    if thresholds and not model.source.lacks(Needs.SCORES):
        found = vertices(model.table_of_class(positive))
        if found is None:
            raise InputError(ONE_CLASS)
        return found
    lacking = model.lacks(Binary)
    if lacking:
        raise InputError(f"a model can't be compared: {lacking}.")
    rates = [float(m(model[Binary])[positive]) for m in (false_positive_rate, true_positive_rate)]
    if not all(map(math.isfinite, rates)):
        raise InputError(ONE_CLASS)
    return [(rates[0], rates[1], math.nan)]


def _pieces(points: dict[str, Points]) -> list[Piece]:
    flat = [(name, *point) for name, listed in points.items() for point in listed]
    flat = [*((name, *point, math.nan) for name, point in TRIVIAL.items()), *flat]
    lines = np.array([(fpr, 1 - tpr) for _, fpr, tpr, _ in flat])
    breaks, which = lower_envelope(lines)
    pieces = []
    for start, end, i in zip(breaks[:-1], breaks[1:], which, strict=True):
        tied = np.flatnonzero(np.abs(lines - lines[i]).max(axis=1) <= TOLERANCE)
        names = tuple(dict.fromkeys(flat[j][0] for j in tied))
        threshold = next((flat[j][3] for j in tied if flat[j][3] == flat[j][3]), math.nan)
        pieces.append(Piece(float(start), float(end), names, float(flat[i][1]), float(flat[i][2]), threshold))
    return pieces


def _reigns(pieces: list[Piece]) -> list[Reign]:
    """Neighbouring pieces of the same models are one reign."""
    found: list[Reign] = []
    for p in pieces:
        if found and found[-1][2] == p.best:
            found[-1] = (found[-1][0], p.end, p.best)
        else:
            found.append((p.start, p.end, p.best))
    return found


def _borders(reigns: list[Reign]) -> list[Met]:
    return [(a[1], a[2], b[2]) for a, b in itertools.pairwise(reigns)]


def _with_interval(border: Met, replicated: list[list[Met]], level: float) -> Border:
    pc, before, after = border
    plain = Border(pc, float(slope_at(pc)), before, after)
    if not replicated:
        return plain
    near = []
    for drawn in replicated:  # of several such borders the nearest
        met = [x for x, a, b in drawn if set(a) & set(before) and set(b) & set(after)]
        if met:
            near.append(min(met, key=lambda x: abs(x - pc)))
    low, high = np.quantile(near, [(1 - level) / 2, (1 + level) / 2]) if near else (math.nan, math.nan)
    return Border(pc, plain.slope, before, after, float(low), float(high), len(near) / len(replicated))
