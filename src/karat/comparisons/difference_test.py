"""Two models by one measure: which test holds for how they differ, and what it gives.

Student's t of what each case adds is the rule. Where few cases tell (or differ, or carry the difference), where a
measure is biased or of ranks, and where it bends, exchanges of predictions take its place, or must agree."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.comparisons.binned_errors import TwoErrors, by_outcomes, correlation
from karat.comparisons.difference import Difference
from karat.comparisons.exchange_law import ExchangeLaw
from karat.comparisons.judgement import (
    BOOTSTRAP,
    LARGE_LOSSES,
    SIDES,
    STUDENTISED,
    UNBIASED,
    UNDEFINED,
    Judgement,
    Tail,
    by_bootstrap,
    by_exchange,
    by_mcnemar,
    by_student,
    by_welch,
    effect,
)
from karat.comparisons.margin_test import few_flips, with_margin
from karat.comparisons.measure_names import title_of
from karat.comparisons.mover import SingleEnds, by_mover
from karat.core.cached import cached
from karat.core.errors import InputError
from karat.core.validation import false_alarms
from karat.data import Predictions
from karat.intervals.interval import Interval, intervals
from karat.intervals.support import BENDS, bent, too_mixed, unsupported
from karat.measures.value import MeasureOf
from karat.resampling.block_values import BlockExchanges
from karat.resampling.draws import FEWEST_EFFECTIVE, FEWEST_GROUPS, Resampling, stream, unequal_groups
from karat.resampling.exchanges import Exchanges, told_differently
from karat.resampling.influence import LAST_DIGITS, Influence
from karat.resampling.other_outcomes import Unseen, unseen_outcomes
from karat.resampling.ranked import of_ranks, sees_ranks
from karat.resampling.studentised import StudentisedExchanges
from karat.statistics import ConfidenceBins, Counts, Summary

if TYPE_CHECKING:
    from karat.comparisons.paired_models import PairedModels

FEW = 50
"""Cases (or groups) below which Student's t is not trusted alone: exchanges must tell the models apart, too."""
FEW_THAT_DIFFER = 10
"""The same of cases (or groups) that the models differ on, however many others there are: these speak for neither."""
FEW_IF_BIASED = 400
"""Below which measures of decisions are left to exchanges in standard errors where the bias of a model's own value is
large (measures of disorder)."""
LARGE_BIAS, LARGE_BIAS_OF_FEW = 1 / 5, 1 / 12
"""Of its standard error. The second is for more than two classes and fewer cases still: Student's t told equal models
apart in 0.02 of samples by the geometric mean of three recalls (50 cases), these exchanges in 0.045."""
FEW_IF_RANKED = 100
"""Below which areas and other measures of order are left to exchanges of ranks alone: where models happen to differ
much, the spread of what cases add is large as well, so that Student's t hardly ever calls that a difference."""
FREE = 10.0
"""The same for degrees of freedom."""
TRIED = 12
"""So many units can be exchanged in all ways; more of them at random."""
BLOCKS = 200
"""Of many cases, so many random blocks are exchanged: interchangeable models are so block by block as well."""
MANY = 2000
"""Cases from which on blocks are exchanged; measures that do not add up over blocks are not tested then."""
USUAL_EXCHANGES = 1000
"""With more exchanges, blocks are from fewer cases on."""
LEAST_CARRIERS = 3.0
"""So many cases must carry the variance of the difference, for exchanges of ranks and for margins."""
AFFORDABLE = 4_000_000
"""Scores that are exchanged for more exchanges than were asked for, of measures that do not add up: half a second."""


@dataclass(frozen=True, eq=False)
class DifferenceTest:
    """Two of some models by a measure."""

    of: PairedModels
    m: MeasureOf
    names: tuple[str, str]

    # ------------------------------------------------------------------------------------------------- what is given

    @property
    def resampling(self) -> Resampling:
        """How cases are drawn, and the level."""
        return self.of.resampling

    @property
    def level(self) -> float:
        """Confidence of intervals."""
        return self.of.resampling.level

    @property
    def summaries(self) -> tuple[Summary, Summary]:
        """Of both models."""
        first, second = self.names
        return self.of.models[first].statistics, self.of.models[second].statistics

    @property
    def cases(self) -> tuple[Predictions, Predictions]:
        """Of both models."""
        first, second = self.names
        return self.of.cases[first], self.of.cases[second]

    @property
    def side(self) -> int:
        """Of the first value less the second, that is tested for; 0 for both."""
        if self.of.alternative in SIDES:
            return SIDES[self.of.alternative]
        return self.m.measure.orientation * (1 if self.of.alternative == "better" else -1)

    @property
    def room(self) -> float:
        """The largest difference that the range of the measure leaves room for."""
        least, most = self.m.measure.range_for(len(self.summaries[0].source.classes))
        return most - least

    @cached
    def values(self) -> tuple[float, float]:
        """Of both models."""
        first, second = self.names
        return self.of.value(self.m, first), self.of.value(self.m, second)

    @cached
    def seen(self) -> float:
        """The first value less the second, but for the last digits of both."""
        a, b = self.values
        return 0.0 if abs(a - b) <= LAST_DIGITS * max(abs(a), abs(b)) else a - b

    @cached
    def single_influences(self) -> tuple[Influence | None, Influence | None]:
        """What each case adds to the measure of each model, if that is known."""
        first, second = self.names
        return self.of.influences[first].get(self.m.key), self.of.influences[second].get(self.m.key)

    @cached
    def influence(self) -> Influence | None:
        """The same of their difference."""
        one, other = self.single_influences
        return None if one is None or other is None or not self.of.paired else one - other

    @cached
    def changed(self) -> int:
        """Of how many cases, or groups, do the models tell the measure different things?"""
        differ = told_differently(*self.cases, self.m)
        cluster = self.of.cluster
        return int(differ.sum()) if cluster is None else len(np.unique(cluster[differ]))

    @property
    def few_carry(self) -> bool:
        """Do very few cases make the variance of the difference?"""
        one = self.influence
        return one is not None and one.known and 0 < one.carriers < LEAST_CARRIERS

    # ----------------------------------------------------------------------------------------------- what comes of it

    @property
    def difference(self) -> Difference:
        """First less second, and how sure that is."""
        unknown = (math.nan,) * 5
        undefined = Difference(self.m.key, self.values, *unknown, better=None, method=UNDEFINED, title=title_of(self.m))
        if not math.isfinite(self.seen):
            return replace(undefined, reason=self.of.why(self.m, self.names))
        if reason := self._says_something_else():
            return replace(undefined, difference=self.seen, reason=reason)
        j, influence = self.judged(), self.influence
        low, high = self._possible(j)
        d = replace(undefined, difference=self.seen, low=low, high=high, p=j.p, least=j.least)
        d = replace(d, method=j.method, reason=j.reason, by_draws=j.by_draws)
        if influence is not None and influence.known:
            d = replace(d, bias=influence.bias, effect=effect(influence, self.of.units))
        if d.missed:
            d = replace(d, reason="; ".join(filter(None, (d.reason, self._why_beside(d)))))
        return with_margin(self, d, j)

    def _why_beside(self, d: Difference) -> str:
        """Why the interval does not hold the difference."""
        if self.of.method not in BOOTSTRAP:
            return UNBIASED
        mirrored = self.of.method == "basic"
        most = (
            f"nearly all replicates have a {'smaller' if (d.low > d.difference) == mirrored else 'larger'} difference"
        )
        return f"{most}, and the basic interval mirrors them" if mirrored else most

    def _possible(self, j: Judgement) -> tuple[float, float]:
        """The ends, but for differences that there is no room for; an open end stays so."""
        room = max(self.room, abs(self.seen))
        low, high = (x if math.isinf(x) else min(max(x, -room), room) for x in (j.low, j.high))
        return low, high

    def _says_something_else(self) -> str:
        """Why a value is not one of what the measure is about (a calibration loss that is just the squared error), so
        that nobody is better on it; empty if both are. What is so by convention is compared."""
        said: dict[str, str] = {}
        for name, summary in zip(self.names, self.summaries, strict=True):
            with np.errstate(all="ignore"):
                remarks = [str(r) for r in self.m.remarks(summary) if not r.convention]
            if remarks:
                said[name] = "; ".join(remarks)
        if not said:
            return ""
        of_one = f"of {next(iter(said))} " if len(said) == 1 else ""
        return f"{of_one}it is {next(iter(said.values()))}"

    def tail_of_few_flips(self, d: Difference) -> Tail | None:
        """Tests against margins where few cases make the difference."""
        return few_flips(self, d)

    # ------------------------------------------------------------------------------------------------- which test holds

    def judged(self) -> Judgement:
        """By the test that holds for so many cases, such models and such a measure."""
        m, method = self.m, self.of.method
        if not self.of.paired:
            return self._unpaired()
        if m.measure.symbol == "Acc" and method == "auto" and (flips := self.of.flips(self.names)) is not None:
            return by_mcnemar(flips, self.level, self.side)
        alike = self.changed == 0  # then nothing speaks against the test of exchanges, which moves nothing
        if self._too_unequal and not alike:
            return Judgement.unknown(self._too_unequal)
        if method == "auto" and not alike and self._too_mixed:
            return Judgement.unknown(f"no valid test is known for models whose errors differ: {self._too_mixed}")
        judged = self._smooth()
        known = judged is not None and not math.isnan(judged.p)
        thin, biased, few = self._thin, self._biased, self.changed < FEW_THAT_DIFFER
        ranks = not (thin or few) and self._left_to_ranks
        if judged is not None and known and method != "exchange" and not (thin or few or ranks or biased):
            return judged
        if method == "auto" and not alike and (reason := m.kind.unsupported or self._uneven):
            return Judgement.unknown(f"no valid test is known for models whose errors differ: {reason}")
        alone = judged is None or not known or method == "exchange"
        exchanged = self._exchanged(ranks, studentised=ranks or (biased and not alone))
        if isinstance(exchanged, str):
            if alike:
                return Judgement.alike(self.side)
            return Judgement.unknown(exchanged) if judged is None or m.kind.bends else judged
        alone |= ranks or (not thin and exchanged.method == STUDENTISED)
        return exchanged if judged is None or alone else judged.or_wider(exchanged, self.level)

    @cached
    def _thin(self) -> bool:
        """Are there too few cases for Student's t, the bootstrap or draws of outcomes to be trusted alone?"""
        if self.m.kind is ConfidenceBins and self.of.method == "auto":
            return self.of.units < FEW
        influence = self.influence
        if influence is None or not influence.known or influence.freedom_by_class < FREE:
            return True
        if self.of.equal_units < FEW:
            return True
        grouped = self.of.cluster is not None
        both = zip(self.summaries, self.single_influences, strict=True)
        return any(
            one is not None and (unsupported(self.m, s, one, grouped) or bent(self.m, s, one)) for s, one in both
        )

    @property
    def _biased(self) -> bool:
        """Are there too few cases for Student's t of a measure of decisions whose bias is large beside its error?"""
        if not self.m.counted or self.of.units >= FEW_IF_BIASED:
            return False
        several = len(self.summaries[0].source.classes) > 2
        limit = LARGE_BIAS_OF_FEW if several and self.of.units < FEW_IF_RANKED else LARGE_BIAS
        return any(
            one is not None and one.known and abs(one.bias) > limit * one.error for one in self.single_influences
        )

    @property
    def _left_to_ranks(self) -> bool:
        """Are exchanges of ranks the better test of so few cases? Not where models differ in a handful of cases: these
        move the ranks of all others, which then look as if they spoke for a difference as well; nor of groups, for
        which the level of such a test was not simulated."""
        of, one = self.of, self.influence
        few = of.method == "auto" and of.cluster is None and sees_ranks(self.m) and of.units < FEW_IF_RANKED
        return few and one is not None and one.known and not self.few_carry

    @property
    def _too_unequal(self) -> str:
        """Why groups of such sizes do not tell how much models differ; empty if they do. Exchanges of whole groups, if
        these were asked for, need not know it: they ask whether the models are interchangeable."""
        few = self.of.units >= FEWEST_GROUPS and self.of.equal_units < FEWEST_EFFECTIVE
        return unequal_groups(self.of.equal_units) if few and self.of.method != "exchange" else ""

    @cached
    def _too_mixed(self) -> str:
        """Why no test of a measure of disorder holds for so few cases; empty if one does."""
        if not self.m.counted:
            return ""
        return too_mixed(self.m, *(s.get(Counts) for s in self.summaries))

    @property
    def _uneven(self) -> str:
        """Why outcomes can't be drawn; empty if they can, or need not be."""
        weighted = any(s.source.weight is not None for s in self.summaries)
        uneven = self.m.kind.bends and (weighted or self.of.cluster is not None)
        return "there are weights or groups" if uneven else ""

    # ------------------------------------------------------------------------------------------------------ the tests

    def _smooth(self) -> Judgement | None:
        """By Student's t, or from replicates if that was asked for; None where neither tells anything. It is no surer
        than the cases that the models differ on can be."""
        judged = self._smooth_of_all()
        return None if judged is None else judged.no_surer_than(self.changed, self.level)

    def _smooth_of_all(self) -> Judgement | None:
        """The same, as if every case spoke for one of the models."""
        influence, level, side = self.influence, self.level, self.side
        if self.of.method in BOOTSTRAP:
            first, second = (self.of.replicates[name][self.m.key] for name in self.names)
            with np.errstate(invalid="ignore"):
                drawn = first - second
                drawn[np.abs(drawn) <= LAST_DIGITS * np.maximum(np.abs(first), np.abs(second))] = 0.0
            drawn = drawn[np.isfinite(drawn)]
            a = influence.acceleration if influence is not None and influence.known else 0.0
            return by_bootstrap(self.of.method, self.seen, drawn, a, level, side) if len(drawn) > 1 else None
        if self.m.kind is ConfidenceBins:
            return None if self._uneven else by_outcomes(self._two_errors, level, side)
        if influence is None or not influence.known or not influence.error > 0:
            return None
        unseen = self._unseen_outcomes([*self.summaries])
        judged, by_cases = (by_student(influence, level, side, outcomes) for outcomes in (unseen, None))
        turned = by_cases.p <= false_alarms(level) < judged.p
        return replace(judged, reason=judged.reason or LARGE_LOSSES) if turned else judged

    def _unseen_outcomes(self, models: list[Summary]) -> Unseen | None:
        """What few cases do not show: rare, large losses."""
        return unseen_outcomes(self.m, models, self.resampling, self.of.cluster)

    @property
    def _two_errors(self) -> TwoErrors:
        """Two calibration errors in bins, and how they go together if they are of the same cases."""
        first, second = (self.of.error_scores(self.m, name) for name in self.names)
        if not self.of.paired:
            return TwoErrors(first, second, self.resampling.seed)
        of_units = [self.of.bins_of_units(self.m, name) for name in self.names]
        gaps = [(np.asarray(x.hits - x.forecast, float), np.asarray(x.weight, float)) for x in of_units]
        return TwoErrors(first, second, self.resampling.seed, correlation(first, second, gaps))

    def _exchanged(self, ranks: bool, studentised: bool) -> Judgement | str:
        """From what differences exchanges of predictions, or of ranks, make; or why that can't be said."""
        m, drawn, cluster = self.m, self._drawn, self.of.cluster
        first, second = self.cases
        if ranks:
            first, second, m = of_ranks(first, second, m)
        if cluster is None and not (m.kind.additive and not m.of_score_tables):
            if first.n * len(first.classes) * drawn > AFFORDABLE:
                drawn = self.resampling.replicates
            tried = min(drawn, 1 << min(self.changed, TRIED))
            if first.n > MANY and first.n * len(first.classes) * tried > AFFORDABLE:
                return f"no valid test of {m.measure.symbol} is feasible with so many cases"
        elif cluster is None and first.n * drawn > MANY * USUAL_EXCHANGES and not studentised and self.changed > BLOCKS:
            cluster = stream(self.resampling.seed, 1 << 25).permutation(np.arange(first.n) % BLOCKS)
        try:
            exchanges = Exchanges(first, second, m, cluster)
        except InputError as trouble:  # one is given as scores, say, and the other as decisions
            return str(trouble).rstrip(".")
        if studentised and self.of.units >= FEW:
            in_errors = StudentisedExchanges(first, second, m, cluster)
            if in_errors.feasible and 0 < in_errors.seen[1] < math.inf:
                return self._by_law(in_errors, drawn, *in_errors.seen)
        return self._by_law(exchanges, drawn, self.seen)

    @property
    def _drawn(self) -> int:
        """How many exchanges are drawn, where not all are tried."""
        return self.of.exchanges if self.m.key in self.of.spoken else self.resampling.replicates

    def _by_law(
        self, exchanges: Exchanges | BlockExchanges, drawn: int, difference: float, error: float = 0.0
    ) -> Judgement:
        exact = exchanges.units <= TRIED and 1 << exchanges.units <= max(drawn, 1 << 8)
        law = ExchangeLaw.of(exchanges, drawn, stream(self.resampling.seed, 1 << 24), exact)
        return by_exchange(law, difference, self.level, self.side, error)

    # --------------------------------------------------------------------------------------- models on different cases

    def _unpaired(self) -> Judgement:
        m = self.m
        if m.kind is ConfidenceBins and not self._uneven:
            return by_outcomes(self._two_errors, self.level, self.side)
        if m.kind.bends:
            return Judgement.unknown(f"no test of {m.measure.symbol} is known for models on different cases")
        parts = [self.of.influences[name][m.key] for name in self.names]
        for name, summary, one in zip(self.names, self.summaries, parts, strict=True):
            reason = unsupported(m, summary, one) or (BENDS if one.known and bent(m, summary, one) else "")
            if reason:
                return Judgement.unknown(f"{name}: {reason}")
        if any(one.error == 0 for one in parts):
            return self._by_single_intervals()
        first, second = (self._unseen_outcomes([summary]) for summary in self.summaries)
        unseen = None if first is None or second is None else first.less(second)
        return by_welch(parts[0], parts[1], self.level, self.side, unseen)

    def _by_single_intervals(self) -> Judgement:
        """Where one of the values does not vary between cases."""
        for name in self.names:
            one = self._single_interval(name, self.level)
            if math.isnan(one.low):
                return Judgement.unknown(f"{name}: {one.reason or 'its value does not vary between cases'}")

        def ends_of(name: str) -> SingleEnds:
            def ends(level: float) -> tuple[float, float]:
                one = self._single_interval(name, level)
                return one.low, one.high

            return ends

        first, second = self.names
        return by_mover(self.values, (ends_of(first), ends_of(second)), self.level, self.side)

    def _single_interval(self, name: str, level: float) -> Interval:
        m, summary, drawn = self.m, self.of.models[name].statistics, self.resampling
        options: dict[str, Any] = {"replicates": drawn.replicates, "seed": drawn.seed, "stratified": drawn.stratified}
        if m.key != m.measure.symbol:
            options["classes"] = [summary.source.classes[m.place or 0]]
        return intervals(summary, [m.measure], level=level, **options)[m.key]
