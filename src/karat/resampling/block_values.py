"""Measures of cases that were let go, from what was kept of random blocks of them: without each block in turn, with
blocks drawn again, with blocks exchanged between two models. A case has its block by its number or id, whoever took it
in, so that models whose cases are the same have the same blocks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields
from typing import Any

import numpy as np

from karat.core.arithmetic import Array, product
from karat.measures.value import MeasureOf
from karat.resampling.draws import Resampling, stream
from karat.resampling.influence import Influence, Units
from karat.statistics import Summary
from karat.statistics.case_blocks import BLOCKS, CaseBlocks
from karat.statistics.score_table import ScoreTable

AT_ONCE = 50
"""Rows of times that are looked at together: tables of scores are large."""


def told_by_blocks(m: MeasureOf, summary: Summary) -> bool:
    """Can the measure be had without some of the blocks?"""
    added = summary.source.added
    return added is not None and added.blocks is not None and added.blocks.has(m.kind)


@np.errstate(all="ignore")
def changes_of_blocks(summary: Summary, wanted: list[MeasureOf], times: Array) -> dict[str, Array]:
    """key: [R], how each measure changes if every block counts as often as a row of times [R, blocks] says, and not
    once. What depends on the order of scores is taken from coarse cells both times."""
    kinds: dict[Any, list[MeasureOf]] = {}
    for m in wanted:
        kinds.setdefault((m.kind, *sorted(m.measure.statistic_parameters.items())), []).append(m)
    rows = np.concatenate([np.ones((1, BLOCKS)), times])
    out: dict[str, Array] = {}
    for group in kinds.values():
        found: dict[str, list[Array]] = {m.key: [] for m in group}
        for at in range(0, len(rows), AT_ONCE):
            for key, values in _values(summary, group, rows[at : at + AT_ONCE]).items():
                found[key].append(values)
        for m in group:
            values = np.concatenate(found[m.key])
            out[m.key] = values[1:] - values[0]
    return out


def _values(summary: Summary, group: list[MeasureOf], times: Array) -> dict[str, Array]:
    first = group[0]
    kind: Any = ScoreTable if first.of_score_tables else first.kind
    statistic = summary.source.added.of_blocks(kind, first.measure.statistic_parameters, times)
    out = {}
    for m in group:
        own = statistic[m.place] if m.of_score_tables and m.place is not None else statistic
        out[m.key] = np.broadcast_to(m.values(own), (len(times),))
    return out


def influences_of_blocks(summary: Summary, wanted: list[MeasureOf], values: Iterable[float]) -> dict[str, Influence]:
    """Of each measure: what leaving out a block does to it. The same blocks are left out of all models."""
    blocks: CaseBlocks = summary.source.added.blocks
    cases = blocks.cases.sum(axis=1)
    there = np.flatnonzero(cases)
    change = changes_of_blocks(summary, wanted, (1 - np.eye(BLOCKS))[there])
    shares = cases[there] / cases.sum()
    units = Units(shares, np.ones(len(there)), np.zeros(len(there), np.int64), False)
    return {m.key: Influence.of(value, value + change[m.key], units) for m, value in zip(wanted, values, strict=True)}


def drawn_blocks(resampling: Resampling) -> Array:
    """[R, blocks]: how often each block is drawn, as many in all as there are."""
    rng = stream(resampling.seed, 1 << 28)
    return np.asarray(rng.multinomial(BLOCKS, np.full(BLOCKS, 1 / BLOCKS), resampling.replicates), float)


class BlockExchanges:
    """A measure of sums, of two models, and of what they become when they exchange their predictions of some blocks."""

    def __init__(self, first: Summary, second: Summary, m: MeasureOf) -> None:
        self.measure_of = m
        self.of_each = [self._each(s) for s in (first, second)]
        names = [f.name for f in fields(self.of_each[0])]
        differ = np.zeros(BLOCKS, bool)
        for name in names:
            one, other = (np.asarray(getattr(s, name)).reshape(BLOCKS, -1) for s in self.of_each)
            differ |= (one != other).any(axis=1)
        self.names, self.differ = names, np.flatnonzero(differ)

    def _each(self, s: Summary) -> Any:
        return s.source.added.of_blocks(
            self.measure_of.kind, self.measure_of.measure.statistic_parameters, np.eye(BLOCKS)
        )

    @property
    def units(self) -> int:
        """How many blocks can be exchanged."""
        return len(self.differ)

    def values(self) -> tuple[float, float]:
        """Of the two models as they are."""
        first, second = self._after(np.zeros((1, self.units), int))[:, 0].tolist()
        return first, second

    def of_drawn(self, replicates: int, rng: np.random.Generator) -> Array:
        """[2, replicates]: the measure of both after exchanging each block or not, by the toss of a coin."""
        return self._after(rng.integers(0, 2, (replicates, self.units)))

    def of_all(self) -> Array:
        """[2, 2^units]: after every exchange there is."""
        return self._after((np.arange(1 << self.units)[:, None] >> np.arange(self.units)) & 1)

    @np.errstate(all="ignore")
    def _after(self, exchanged: Array) -> Array:
        given = np.zeros((len(exchanged), BLOCKS))
        given[:, self.differ] = exchanged
        values = []
        for mine, yours in (self.of_each, self.of_each[::-1]):
            sums = [_mixed(getattr(mine, name), getattr(yours, name), given) for name in self.names]
            values.append(self.measure_of.values(type(mine)(*sums)))
        return np.asarray(values)


def _mixed(mine: Array, yours: Array, given: Array) -> Array:
    flat = [np.asarray(x, float).reshape(BLOCKS, -1) for x in (mine, yours)]
    mixed = product(1 - given, flat[0]) + product(given, flat[1])
    return mixed.reshape(len(given), *np.shape(mine)[1:])
