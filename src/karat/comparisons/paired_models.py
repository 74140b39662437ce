"""Some models on the same cases (or each on its own): what each case adds to their measures, and how they differ."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from karat.comparisons.binned_errors import TwoErrors, by_outcomes, correlation
from karat.comparisons.difference import Difference
from karat.comparisons.equivalence import interval_of_tests
from karat.comparisons.exchange_law import ExchangeLaw
from karat.comparisons.judgement import (
    BOOTSTRAP,
    LARGE_LOSSES,
    MCNEMAR,
    SAME,
    SAME_RIGHT,
    SIDES,
    STUDENTISED,
    UNBIASED,
    UNDEFINED,
    UNMOVED,
    Judgement,
    Tail,
    by_bootstrap,
    by_exchange,
    by_mcnemar,
    by_student,
    by_welch,
    effect,
    few_flips_tail,
    larger_known,
)
from karat.comparisons.mcnemar import McNemar, mcnemar_of
from karat.comparisons.measure_names import title_of
from karat.comparisons.mover import SingleEnds, by_mover
from karat.core.arithmetic import Array
from karat.core.cached import cached
from karat.core.errors import InputError
from karat.core.validation import false_alarms
from karat.core.words import counted
from karat.core.workers import cores, in_threads
from karat.data import Predictions
from karat.evaluation import Evaluation
from karat.intervals.calibrated_bins import ErrorScores
from karat.intervals.delong import AreaTest, delong_paired
from karat.intervals.interval import Interval, intervals
from karat.intervals.support import BENDS, bent, too_mixed, unsupported
from karat.measures.value import MeasureOf
from karat.resampling.block_values import BlockExchanges
from karat.resampling.draws import FEWEST_EFFECTIVE, FEWEST_GROUPS, Resampling, effective_groups, stream, unequal_groups
from karat.resampling.exchanges import Exchanges, largest_step, told_differently
from karat.resampling.influence import Influence, influences_of
from karat.resampling.measure_values import values_of_models
from karat.resampling.other_outcomes import Unseen, unseen_outcomes
from karat.resampling.ranked import of_ranks, sees_ranks
from karat.resampling.studentised import StudentisedExchanges
from karat.statistics import ConfidenceBins, Counts, Pairs, Summary
from karat.statistics.added import needs_cases

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
ENOUGH_CHANGES = 10
"""Cases (or groups) of which the models must tell a measure different things, for margins: with fewer, what was not
seen matters more than what was, and no spread of what was seen knows it. (For decisions there are tests that do.)"""
LEAST_CARRIERS = 3.0
"""So many of them must carry the variance of the difference; for exchanges of ranks, too."""
WORTH_A_THREAD = 20_000
"""Cases from which on models are looked at side by side."""
AFFORDABLE = 4_000_000
"""Scores that are exchanged for more exchanges than were asked for, of measures that do not add up: half a second."""


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
    def _cases(self) -> dict[str, Predictions]:
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

    def _known(self, name: str) -> list[MeasureOf]:
        summary = self.models[name].statistics
        return [m for m in self.wanted if not m.why_not(summary)]

    @cached
    def influences(self) -> dict[str, dict[str, Influence]]:
        """Of each model and measure: what each case adds. The same units are left out of all models."""
        with np.errstate(all="ignore"):
            found = in_threads(self._influences_of, self._cases, self._threads)
        return dict(zip(self._cases, found, strict=True))

    def _influences_of(self, name: str) -> dict[str, Influence]:
        summary = self.models[name].statistics
        smooth = [m for m in self._known(name) if not m.kind.bends]
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

    def difference(self, m: MeasureOf, names: tuple[str, str]) -> Difference:
        """First less second."""
        a, b = (self._value(m, name) for name in names)
        unknown = (math.nan,) * 5
        undefined = Difference(m.key, (a, b), *unknown, better=None, method=UNDEFINED, title=title_of(m))
        if not math.isfinite(a - b):
            return replace(undefined, reason=self._why(m, names))
        if reason := self._says_something_else(m, names):
            return replace(undefined, difference=a - b, reason=reason)
        influence = self._influence(m, names)
        j = self._judged(m, names, a - b, influence)
        low, high = self._possible(m, names, a - b, j)
        d = replace(undefined, difference=a - b, low=low, high=high, p=j.p, least=j.least)
        d = replace(d, method=j.method, reason=j.reason, by_draws=j.by_draws)
        if influence is not None and influence.known:
            d = replace(d, bias=influence.bias, effect=effect(influence, self.units))
        if d.missed:
            d = replace(d, reason="; ".join(filter(None, (d.reason, self._why_beside(d)))))
        return self._with_margin(m, names, d, j, influence)

    def _why_beside(self, d: Difference) -> str:
        """Why the interval does not hold the difference."""
        if self.method not in BOOTSTRAP:
            return UNBIASED
        mirrored = self.method == "basic"
        most = (
            f"nearly all replicates have a {'smaller' if (d.low > d.difference) == mirrored else 'larger'} difference"
        )
        return f"{most}, and the basic interval mirrors them" if mirrored else most

    def _possible(self, m: MeasureOf, names: tuple[str, str], difference: float, j: Judgement) -> tuple[float, float]:
        """The ends, but for differences that the range of the measure leaves no room for; an open end stays so."""
        least, most = m.measure.range_for(len(self.models[names[0]].statistics.source.classes))
        room = max(most - least, abs(difference))
        low, high = (x if math.isinf(x) else min(max(x, -room), room) for x in (j.low, j.high))
        return low, high

    def _value(self, m: MeasureOf, name: str) -> float:
        summary = self.models[name].statistics
        return math.nan if m.why_not(summary) else m.value(summary)

    def _why(self, m: MeasureOf, names: tuple[str, str]) -> str:
        for name in names:
            summary = self.models[name].statistics
            reason = m.why_not(summary)
            if reason or not math.isfinite(self._value(m, name)):
                return f"{m.key} of {name} is undefined: {reason or m.measure.undefined or 'it is not finite'}"
        return ""

    def _says_something_else(self, m: MeasureOf, names: tuple[str, str]) -> str:
        """Why a value is not one of what the measure is about (a calibration loss that is just the squared error), so
        that nobody is better on it; empty if both are. What is so by convention is compared."""
        said: dict[str, str] = {}
        for name in names:
            with np.errstate(all="ignore"):
                remarks = [str(r) for r in m.remarks(self.models[name].statistics) if not r.convention]
            if remarks:
                said[name] = "; ".join(remarks)
        if not said:
            return ""
        of_one = f"of {next(iter(said))} " if len(said) == 1 else ""
        return f"{of_one}it is {next(iter(said.values()))}"

    def _influence(self, m: MeasureOf, names: tuple[str, str]) -> Influence | None:
        one, other = (self.influences[name].get(m.key) for name in names)
        return None if one is None or other is None or not self.paired else one - other

    def _side(self, m: MeasureOf) -> int:
        if self.alternative in SIDES:
            return SIDES[self.alternative]
        return m.measure.orientation * (1 if self.alternative == "better" else -1)

    def _judged(
        self, m: MeasureOf, names: tuple[str, str], difference: float, influence: Influence | None
    ) -> Judgement:
        level, side = self.resampling.level, self._side(m)
        if not self.paired:
            return self._unpaired(m, names, side)
        if m.measure.symbol == "Acc" and self.method == "auto" and (flips := self.flips(names)) is not None:
            return by_mcnemar(flips, level, side)
        alike = self._changed(m, names) == 0  # then nothing speaks against the test of exchanges, which moves nothing
        if self._too_unequal and not alike:
            return Judgement.unknown(self._too_unequal)
        if self.method == "auto" and not alike and (reason := self._too_mixed(m, names)):
            return Judgement.unknown(f"no valid test is known for models whose errors differ: {reason}")
        judged = self._smooth(m, names, difference, influence, side)
        known = judged is not None and not math.isnan(judged.p)
        thin, biased = self._thin(m, names, influence), self._biased(m, names)
        few = self._changed(m, names) < FEW_THAT_DIFFER
        ranks = not (thin or few) and self._left_to_ranks(m, influence)
        if judged is not None and known and self.method != "exchange" and not (thin or few or ranks or biased):
            return judged
        if self.method == "auto" and not alike and (reason := m.kind.unsupported or self._uneven(m, names)):
            return Judgement.unknown(f"no valid test is known for models whose errors differ: {reason}")
        alone = judged is None or not known or self.method == "exchange"
        exchanged = self._exchanged(m, names, difference, ranks, studentised=ranks or (biased and not alone))
        if isinstance(exchanged, str):
            if alike:
                return Judgement.alike(side)
            return Judgement.unknown(exchanged) if judged is None or m.kind.bends else judged
        alone |= ranks or (not thin and exchanged.method == STUDENTISED)
        return exchanged if judged is None or alone else judged.or_wider(exchanged, level)

    def _smooth(
        self, m: MeasureOf, names: tuple[str, str], difference: float, influence: Influence | None, side: int
    ) -> Judgement | None:
        """By Student's t, or from replicates if that was asked for; None where neither tells anything. It is no surer
        than the cases that the models differ on can be."""
        judged = self._smooth_of_all(m, names, difference, influence, side)
        return None if judged is None else judged.no_surer_than(self._changed(m, names), self.resampling.level)

    def _smooth_of_all(
        self, m: MeasureOf, names: tuple[str, str], difference: float, influence: Influence | None, side: int
    ) -> Judgement | None:
        """The same, as if every case spoke for one of the models."""
        level = self.resampling.level
        if self.method in BOOTSTRAP:
            first, second = (self.replicates[name][m.key] for name in names)
            with np.errstate(invalid="ignore"):
                drawn = first - second
            drawn = drawn[np.isfinite(drawn)]
            a = influence.acceleration if influence is not None and influence.known else 0.0
            return by_bootstrap(self.method, difference, drawn, a, level, side) if len(drawn) > 1 else None
        if m.kind is ConfidenceBins:
            return None if self._uneven(m, names) else by_outcomes(self._two_errors(m, names), level, side)
        if influence is None or not influence.known or not influence.error > 0:
            return None
        unseen = self._unseen_outcomes(m, names)
        judged, by_cases = (by_student(influence, level, side, outcomes) for outcomes in (unseen, None))
        turned = by_cases.p <= false_alarms(level) < judged.p
        return replace(judged, reason=judged.reason or LARGE_LOSSES) if turned else judged

    def _unseen_outcomes(self, m: MeasureOf, names: Collection[str]) -> Unseen | None:
        """What few cases do not show: rare, large losses."""
        return unseen_outcomes(m, [self.models[name].statistics for name in names], self.resampling, self.cluster)

    def _uneven(self, m: MeasureOf, names: tuple[str, str]) -> str:
        """Why outcomes can't be drawn; empty if they can, or need not be."""
        weighted = any(self.models[name].statistics.source.weight is not None for name in names)
        return "there are weights or groups" if m.kind.bends and (weighted or self.cluster is not None) else ""

    def _two_errors(self, m: MeasureOf, names: tuple[str, str]) -> TwoErrors:
        """Two calibration errors in bins, and how they go together if they are of the same cases."""
        first, second = (self._error_scores(m, name) for name in names)
        if not self.paired:
            return TwoErrors(first, second, self.resampling.seed)
        of_units = [self._bins_of_units(m, name) for name in names]
        gaps = [(np.asarray(x.hits - x.forecast, float), np.asarray(x.weight, float)) for x in of_units]
        return TwoErrors(first, second, self.resampling.seed, correlation(first, second, gaps))

    def _error_scores(self, m: MeasureOf, name: str) -> ErrorScores:
        summary = self.models[name].statistics
        kept: dict[tuple[int, int, int], ErrorScores] = summary.computed.setdefault(ErrorScores, {})
        key = id(m.measure), self.resampling.seed, self.resampling.replicates
        if key not in kept:  # every other model is compared with it
            kept[key] = ErrorScores.of(m, m.statistic(summary), self._value(m, name), self.resampling)
        return kept[key]

    def _bins_of_units(self, m: MeasureOf, name: str) -> ConfidenceBins:
        """[units, bins]: of each case, or of random blocks of many."""
        p = self._cases[name]
        if p.n <= MANY:
            return m.statistic(Summary(p.each_alone(np.arange(p.n))))  # type: ignore[no-any-return]
        parts = np.array_split(stream(self.resampling.seed, 1 << 25).permutation(p.n), BLOCKS)
        of_each = [m.statistic(Summary(p.take(np.sort(part)))) for part in parts]
        return ConfidenceBins(*(np.stack([getattr(x, f.name) for x in of_each]) for f in fields(ConfidenceBins)))

    def _thin(self, m: MeasureOf, names: tuple[str, str], influence: Influence | None) -> bool:
        """Are there too few cases for Student's t, the bootstrap or draws of outcomes to be trusted alone?"""
        if m.kind is ConfidenceBins and self.method == "auto":
            return self.units < FEW
        if influence is None or not influence.known or influence.freedom_by_class < FREE:
            return True
        if self.equal_units < FEW:
            return True
        grouped = self.cluster is not None
        both = [(self.models[name].statistics, self.influences[name][m.key]) for name in names]
        return any(unsupported(m, s, one, grouped) or bent(m, s, one) for s, one in both)

    @cached
    def _too_unequal(self) -> str:
        """Why groups of such sizes do not tell how much models differ; empty if they do. Exchanges of whole groups, if
        these were asked for, need not know it: they ask whether the models are interchangeable."""
        few = self.units >= FEWEST_GROUPS and self.equal_units < FEWEST_EFFECTIVE
        return unequal_groups(self.equal_units) if few and self.method != "exchange" else ""

    def _too_mixed(self, m: MeasureOf, names: tuple[str, str]) -> str:
        """Why no test of a measure of disorder holds for so few cases; empty if one does."""
        first, second = (self.models[name].statistics.get(Counts) if m.counted else None for name in names)
        return too_mixed(m, first, second) if first is not None and second is not None else ""

    def _biased(self, m: MeasureOf, names: tuple[str, str]) -> bool:
        """Are there too few cases for Student's t of a measure of decisions whose bias is large beside its error?"""
        if not m.counted or self.units >= FEW_IF_BIASED:
            return False
        several = len(self.models[names[0]].statistics.source.classes) > 2
        limit = LARGE_BIAS_OF_FEW if several and self.units < FEW_IF_RANKED else LARGE_BIAS
        own = [self.influences[name].get(m.key) for name in names]
        return any(one is not None and one.known and abs(one.bias) > limit * one.error for one in own)

    def _left_to_ranks(self, m: MeasureOf, influence: Influence | None) -> bool:
        """Are exchanges of ranks the better test of so few cases? Not where models differ in a handful of cases: these
        move the ranks of all others, which then look as if they spoke for a difference as well; nor of groups, for
        which the level of such a test was not simulated."""
        few = self.method == "auto" and self.cluster is None and sees_ranks(m) and self.units < FEW_IF_RANKED
        return few and influence is not None and influence.known and not self._few_carry(influence)

    def _exchanged(
        self, m: MeasureOf, names: tuple[str, str], difference: float, ranks: bool, studentised: bool
    ) -> Judgement | str:
        """From what differences exchanges of predictions, or of ranks, make; or why that can't be said."""
        side, drawn = self._side(m), self._drawn(m)
        first, second = (self._cases[name] for name in names)
        changed = self._changed(m, names)
        if ranks:
            first, second, m = of_ranks(first, second, m)
        cluster = self.cluster
        if cluster is None and not (m.kind.additive and not m.of_score_tables):
            if first.n * len(first.classes) * drawn > AFFORDABLE:
                drawn = self.resampling.replicates
            tried = min(drawn, 1 << min(changed, TRIED))
            if first.n > MANY and first.n * len(first.classes) * tried > AFFORDABLE:
                return f"no valid test of {m.measure.symbol} is feasible with so many cases"
        elif cluster is None and first.n * drawn > MANY * USUAL_EXCHANGES and not studentised and changed > BLOCKS:
            cluster = stream(self.resampling.seed, 1 << 25).permutation(np.arange(first.n) % BLOCKS)
        try:
            exchanges = Exchanges(first, second, m, cluster)
        except InputError as trouble:  # one is given as scores, say, and the other as decisions
            return str(trouble).rstrip(".")
        error = 0.0
        if studentised and self.units >= FEW:
            in_errors = StudentisedExchanges(first, second, m, cluster)
            if in_errors.feasible and 0 < in_errors.seen[1] < math.inf:
                exchanges, (difference, error) = in_errors, in_errors.seen
        return self._by_law(exchanges, drawn, difference, side, error)

    def _drawn(self, m: MeasureOf) -> int:
        """How many exchanges are drawn, where not all are tried."""
        return self.exchanges if m.key in self.spoken else self.resampling.replicates

    def _by_law(
        self, exchanges: Exchanges | BlockExchanges, drawn: int, difference: float, side: int, error: float = 0.0
    ) -> Judgement:
        exact = exchanges.units <= TRIED and 1 << exchanges.units <= max(drawn, 1 << 8)
        law = ExchangeLaw.of(exchanges, drawn, stream(self.resampling.seed, 1 << 24), exact)
        return by_exchange(law, difference, self.resampling.level, side, error)

    def _unpaired(self, m: MeasureOf, names: tuple[str, str], side: int) -> Judgement:
        if m.kind is ConfidenceBins and not self._uneven(m, names):
            return by_outcomes(self._two_errors(m, names), self.resampling.level, side)
        if m.kind.bends:
            return Judgement.unknown(f"no test of {m.measure.symbol} is known for models on different cases")
        parts = [self.influences[name][m.key] for name in names]
        for name, one in zip(names, parts, strict=True):
            summary = self.models[name].statistics
            reason = unsupported(m, summary, one) or (BENDS if one.known and bent(m, summary, one) else "")
            if reason:
                return Judgement.unknown(f"{name}: {reason}")
        if any(one.error == 0 for one in parts):
            return self._by_single_intervals(m, names, side)
        first, second = (self._unseen_outcomes(m, [name]) for name in names)
        unseen = None if first is None or second is None else first.less(second)
        return by_welch(parts[0], parts[1], self.resampling.level, side, unseen)

    def _by_single_intervals(self, m: MeasureOf, names: tuple[str, str], side: int) -> Judgement:
        """Of models on different cases, one of whose values does not vary between cases."""
        level, found = self.resampling.level, [self._single_interval(m, name, self.resampling.level) for name in names]
        for name, one in zip(names, found, strict=True):
            if math.isnan(one.low):
                return Judgement.unknown(f"{name}: {one.reason or 'its value does not vary between cases'}")

        def ends_of(name: str) -> SingleEnds:
            def ends(level: float) -> tuple[float, float]:
                one = self._single_interval(m, name, level)
                return one.low, one.high

            return ends

        first, second = names
        values = self._value(m, first), self._value(m, second)
        return by_mover(values, (ends_of(first), ends_of(second)), level, side)

    def _single_interval(self, m: MeasureOf, name: str, level: float) -> Interval:
        summary, drawn = self.models[name].statistics, self.resampling
        options: dict[str, Any] = {"replicates": drawn.replicates, "seed": drawn.seed, "stratified": drawn.stratified}
        if m.key != m.measure.symbol:
            options["classes"] = [summary.source.classes[m.place or 0]]
        return intervals(summary, [m.measure], level=level, **options)[m.key]

    def _changed(self, m: MeasureOf, names: tuple[str, str]) -> int:
        """Of how many cases, or groups, do the models tell the measure different things?"""
        first, second = (self._cases[name] for name in names)
        differ = told_differently(first, second, m)
        return int(differ.sum()) if self.cluster is None else len(np.unique(self.cluster[differ]))

    def _tail_of_few_flips(
        self, m: MeasureOf, names: tuple[str, str], d: Difference, influence: Influence | None
    ) -> Tail | None:
        """For margins, where few cases without weights or groups make the difference."""
        two = [self._cases[name] for name in names] if self.paired else []
        if not two or self.cluster is not None or any(p.weight is not None for p in two):
            return None
        flips = self._changed(m, names)
        if not m.counted and d.reason in (SAME, UNMOVED):
            flips = 0
        elif not m.counted and self._few_carry(influence):
            flips = min(flips, math.ceil(LEAST_CARRIERS))
        if flips >= ENOUGH_CHANGES:
            return None
        if m.counted:
            step = max(largest_step(p, m) for p in two)
        else:  # no case moves a mean over its class, or an area, by more
            least, most = m.measure.range_for(len(two[0].classes))
            of_class = np.bincount(two[0].truth[0])
            step = (most - least) / int(of_class[of_class > 0].min())
        return few_flips_tail(d.difference, flips, step) if math.isfinite(step) else None

    @staticmethod
    def _few_carry(influence: Influence | None) -> bool:
        """Do very few cases make the variance of the difference?"""
        return influence is not None and influence.known and 0 < influence.carriers < LEAST_CARRIERS

    def _unseen(self, m: MeasureOf, names: tuple[str, str], influence: Influence | None) -> str:
        """Why nothing can be said of margins, if the models differ in what the measure sees of too few cases."""
        if not self.paired:
            return ""
        changed = self._changed(m, names)
        what = self.unit
        if changed < ENOUGH_CHANGES:
            return f"the models differ on {counted(changed, what)}, too few to test against a margin"
        if self._few_carry(influence):
            return f"the difference rests on very few {what}s, too few to test against a margin"
        return ""

    def _with_margin(
        self, m: MeasureOf, names: tuple[str, str], d: Difference, judged: Judgement, influence: Influence | None
    ) -> Difference:
        """Is the difference too small to matter (two one-sided tests), and is the first no worse by the margin?"""
        margin = self.margins.get(m.measure.symbol)
        if margin is None:
            return d
        low, high = margin
        d = replace(d, margin=high if -low == high else margin)
        tail = judged.tail
        if judged.method != MCNEMAR:
            tail = self._tail_of_few_flips(m, names, d, influence) or tail
        if tail is None:
            return d
        if tail is judged.tail and judged.method != MCNEMAR and (reason := self._unseen(m, names, influence)):
            reason = d.reason if d.reason in (SAME, UNMOVED) else f"{d.reason}; {reason}" if d.reason else reason
            return replace(d, reason=reason, equivalent=False, noninferior=False)
        above, below = tail(low, 1), tail(high, -1)
        both, worse = larger_known(above, below), above if m.measure.orientation >= 0 else below
        tolerated = false_alarms(self.resampling.level)
        d = replace(d, worse_by=-low if m.measure.orientation >= 0 else high)
        d = replace(d, p_equivalent=both, equivalent=both <= tolerated)
        d = self._with_interval_of_margin(m, names, d, tail)
        if tail is not judged.tail and d.reason not in (SAME, SAME_RIGHT, UNMOVED):
            d = replace(d, reason="; ".join(filter(None, (d.reason, self._few_flips_in_words(m, names, d)))))
        return replace(d, p_noninferior=worse, noninferior=worse <= tolerated)

    def _with_interval_of_margin(self, m: MeasureOf, names: tuple[str, str], d: Difference, tail: Tail) -> Difference:
        """With the interval that its tests against the margin would give."""
        level = self.resampling.level
        least, most = m.measure.range_for(len(self.models[names[0]].statistics.source.classes))
        ends = [abs(end) for end in (d.difference, *self.margins[m.measure.symbol])]
        reach = most - least if math.isfinite(most - least) else 1000 * max(ends)
        low, high = interval_of_tests(tail, d.difference, level, max(reach, *ends))
        return replace(d, equivalence_low=low, equivalence_high=high, equivalence_level=2 * level - 1)

    def _few_flips_in_words(self, m: MeasureOf, names: tuple[str, str], d: Difference) -> str:
        """That a margin has a test of its own, whose interval is another."""
        changed = self._changed(m, names)
        few = f"the difference rests on very few {self.unit}s"
        if changed < ENOUGH_CHANGES:
            few = f"the models differ on {counted(changed, self.unit)}"
        return f"{few}: a test for so few is used for the margin ({d.interval_of_margin})"
