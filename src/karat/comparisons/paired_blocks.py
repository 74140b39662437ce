"""Models whose cases were let go: what each random block of them adds to their measures, and how they differ."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from karat.comparisons.difference import Difference
from karat.comparisons.difference_test import DifferenceTest
from karat.comparisons.judgement import Judgement, Tail
from karat.comparisons.mcnemar import McNemar, mcnemar_of_counts
from karat.comparisons.paired_models import PairedModels
from karat.core.arithmetic import Array
from karat.core.cached import cached
from karat.core.errors import InputError
from karat.evaluation import Evaluation
from karat.intervals.delong import AreaTest
from karat.measures.certified import bounds_of_one, certain_value
from karat.measures.value import MeasureOf
from karat.resampling.block_values import (
    BlockExchanges,
    changes_of_blocks,
    drawn_blocks,
    influences_of_blocks,
    told_by_blocks,
)
from karat.resampling.influence import Influence
from karat.statistics import ConfidenceBins, Counts, Summary
from karat.statistics.added import keep_rows, needs_cases
from karat.statistics.case_blocks import BLOCKS


def without_cases(models: Mapping[str, Evaluation]) -> bool:
    """Were the cases of some of these models let go?"""
    return any(e.statistics.source.added is not None for e in models.values())


def same_blocks(summaries: Mapping[str, Summary], paired: bool) -> None:
    """Refuse models of which no blocks are known, and if `paired`, such as were not given the same cases, as far as
    blocks of them tell."""
    (first, one), *others = summaries.items()
    for name, summary in summaries.items():
        source = summary.source
        if source.added is None or source.added.blocks is None:
            listed = source.added is not None and source.added.top
            ways = "" if listed else ", or accumulate all models at once, or each of them with paired=True"
            raise InputError(f"{needs_cases(f'a comparison with {name}', source.added)}{ways}.")
    mine = one.source.added.blocks
    for name, other in others if paired else ():
        theirs = other.source.added.blocks
        same = np.array_equal(mine.cases, theirs.cases) and np.allclose(mine.weight, theirs.weight, rtol=1e-9)
        if not same:
            many = f"{one.source.n:,} and {other.source.n:,} cases"
            words = many if one.source.n != other.source.n else "cases in different orders, or other true labels"
            raise InputError(
                f"{first} and {name} have {words}; give all models the same rows in the same order, or the id of each "
                "row, or accumulate all models at once."
            )


class PairedBlocks(PairedModels):
    """Some models, and how differences between them are judged."""

    @cached
    def cluster(self) -> Array | None:
        """No case is known, so none belongs to a group."""
        if self.resampling.groups is not None:
            raise InputError(f"{needs_cases('a comparison by groups')}.")
        return None

    @cached
    def influences(self) -> dict[str, dict[str, Influence]]:
        """Of each model and measure: what each block adds."""
        return {name: self._influences_of(name) for name in self.models}

    def _influences_of(self, name: str) -> dict[str, Influence]:
        summary = self.models[name].statistics
        told = [m for m in self._measured(name) if not m.kind.bends and told_by_blocks(m, summary)]
        with np.errstate(all="ignore"):
            return influences_of_blocks(summary, told, [self.value(m, name) for m in told])

    @cached
    def replicates(self) -> dict[str, dict[str, Array]]:
        """Of each model and measure: its values on the same draws of blocks."""
        drawn, undefined = drawn_blocks(self.resampling), np.full(self.resampling.replicates, np.nan)
        out = {}
        for name, e in self.models.items():
            told = [m for m in self._measured(name) if told_by_blocks(m, e.statistics)]
            change = changes_of_blocks(e.statistics, told, drawn)
            values = {m.key: self.value(m, name) + change[m.key] for m in told}
            out[name] = {m.key: values.get(m.key, undefined) for m in self.wanted}
        return out

    def value(self, m: MeasureOf, name: str) -> float:
        """Of a model, as far as sums tell it."""
        summary = self.models[name].statistics
        return math.nan if m.why_not(summary) else certain_value(m, summary)[0]

    def why(self, m: MeasureOf, names: tuple[str, str]) -> str:
        """Why one of two models has no value, or none that sums tell."""
        for name in names:
            summary = self.models[name].statistics
            if not m.why_not(summary) and (reason := certain_value(m, summary)[1]):
                return f"{m.key} of {name} is not known: {reason}"
        return super().why(m, names)

    def test(self, m: MeasureOf, names: tuple[str, str]) -> DifferenceTest:
        """Of two models by a measure."""
        return BlocksTest(self, m, names)

    def flips(self, names: tuple[str, str]) -> McNemar | None:
        """McNemar's test of two models that were taken in together."""
        sources = [self.models[name].statistics.source for name in names]
        if not self.paired or any(s.weight is not None for s in sources):
            return None
        one, other = (s.added.company for s in sources)
        if one is None or other is None or one.only_right is not other.only_right:
            return None
        gained, lost = (one.only_right[two] for two in ((one.name, other.name), (other.name, one.name)))
        right = int(self.models[names[0]].statistics.get(Counts).hits.sum())
        of_all = (gained, lost, right - gained, int(sources[0].n))
        return mcnemar_of_counts(*of_all, method="auto", names=names, level=self.resampling.level)

    def areas(self, names: tuple[str, str]) -> AreaTest | None:
        """DeLong's test needs the cases; the difference of the areas is judged as others are."""
        return None

    def bins_of_units(self, m: MeasureOf, name: str) -> ConfidenceBins:
        """[units, bins]: of each block."""
        source = self.models[name].statistics.source
        return source.added.of_blocks(m.kind, m.measure.statistic_parameters, np.eye(BLOCKS))  # type: ignore[no-any-return]

    @property
    def unit(self) -> str:
        """What is counted here."""
        return "random block"


class BlocksTest(DifferenceTest):
    """Two of some models whose cases were let go, by a measure."""

    def judged(self) -> Judgement:
        """No surer than the values are known."""
        if self.influence is None and not self.m.kind.bends:
            return Judgement.unknown(f"{needs_cases('its uncertainty')}")
        bounds = [bounds_of_one(self.m, summary) for summary in self.summaries]
        return super().judged().uncertain_by(sum((high - low) / 2 for low, high in bounds))

    @property
    def _left_to_ranks(self) -> bool:
        """Ranks need the cases."""
        return False

    @property
    def _biased(self) -> bool:
        """Blocks are exchanged where they are too few, whatever their bias: of each case in them nothing is known."""
        return False

    def _exchanged(self, ranks: bool, studentised: bool) -> Judgement | str:
        if not self._can_be_exchanged:
            return f"exchanging predictions needs the cases, and only sums of them were kept; {keep_rows()}"
        return self._by_law(BlockExchanges(*self.summaries, self.m), self._drawn, self.seen)

    @property
    def _can_be_exchanged(self) -> bool:
        """Does what was kept of each block add up to the measure?"""
        if self.m.of_score_tables or not self.m.kind.additive:
            return False
        return all(told_by_blocks(self.m, summary) for summary in self.summaries)

    @cached
    def changed(self) -> int:
        """In how many blocks the models tell the measure different things: on no fewer cases."""
        if self._can_be_exchanged:
            return BlockExchanges(*self.summaries, self.m).units
        one, other = self.single_influences
        return 0 if one is None or other is None else int((one.moves != other.moves).sum())

    def tail_of_few_flips(self, d: Difference) -> Tail | None:
        """Of single cases, which are not known."""
        return None
