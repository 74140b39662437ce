"""Findings about probabilities: do they mean what they say, and are they probabilities at all?"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from karat.core.arithmetic import Array
from karat.core.errors import option
from karat.core.finding import NOTE, WARNING, Observation, check
from karat.core.statistic import Needs
from karat.core.words import against, counted, number, p_value, percent, share_of
from karat.findings.class_words import class_words, classes_words
from karat.findings.prior_shift import FEWEST_CASES, Shift, shift_of
from karat.findings.ranking_checks import NOTHING, ranking_of
from karat.findings.seen_cases import SeenColumn, column_of, sample_of
from karat.measures.agreement import kappa_statistic
from karat.measures.calibration import calibration_by_segments, no_mixed_groups
from karat.measures.probability import logarithmic_loss, mean_squared_probability_error
from karat.statistics import ClassBins, ConfidenceBins, Counts, LossSums, Segments, Summary
from karat.statistics.added import FINE_BINS, keep_rows
from karat.statistics.p_values import SURE, bernstein_tail, binomial_tail, effective, normal_tail

NEGLIGIBLE_DISTANCE = 0.01
"""A distance between probability and frequency that changes no decision, however surely it is there."""
DISTANCE_THAT_MATTERS = 0.05
"""A distance that changes decisions: one in twenty cases is promised and not delivered."""
VARIANCE_NEAR_NORMAL = 10.0
"""With a variance of at least this many cases a sum of hits is close enough to normal for a tail of one in a thousand;
below, the binomial distribution bounds it."""
HARD_SHARE = 0.9
"""If this share of the cases has only the probabilities 0 and 1, they are decisions in disguise."""
ROWS_TRIED = 1000
"""Rows that show that probabilities were not rounded, before all are looked at."""
ROUNDING_LEFT = 1e-12
"""What arithmetic leaves of a rounded number."""
NARROW_BAND = 0.25
"""Nine in ten probabilities of each class within a band narrower than this are squeezed, if they should be wider."""
STEEP_SLOPE = 2.0
"""Frequencies that rise at least twice as fast as the probabilities that stand for them are squeezed."""
MOST_CLASSES_LOOKED_AT = 50
"""Columns are looked at one by one up to this number of classes."""
CASES_OF_A_REGION = 10
"""Fewer cases are no region, however surprising they are: they are told of one by one."""
PILE_SHARE = 0.05
"""A share of the cases at one end that no continuous probabilities have."""
MOSTLY_APART = 0.9
"""With a share of different probabilities above this there are no groups of equal ones."""
TIED_SHARE = 0.001
"""A share of cases with two most probable classes from which on they are worth a line."""
VISIBLE_KAPPA_GAP = 0.0005
"""A difference of KapS that can be seen in its third digit."""
CASES_OF_A_PATTERN = 50
"""Cases from which on a regular pattern of scores is no accident."""


def _columns(s: Summary) -> list[int]:
    """The classes to look at: of two the positive one, if it was said, because the other is its mirror image; none of
    very many."""
    if s.source.positive is not None:
        return [s.source.positive]
    k = len(s.source.classes)
    return list(range(k)) if k <= MOST_CLASSES_LOOKED_AT else []


def _surprise(n: float, excess: float, variance: float, promised: float) -> tuple[float, float]:
    """By how much hits exceed their probabilities, as a share of the weight, and how likely that or more (in its
    direction) is by chance."""
    if n == 0 or excess == 0:
        return 0.0, 1.0
    if variance >= VARIANCE_NEAR_NORMAL:
        return excess / n, normal_tail(abs(excess) / math.sqrt(variance))
    right, mean = promised + excess, promised / n
    tail = binomial_tail(right, n, mean) if excess > 0 else binomial_tail(n - right, n, 1 - mean)
    return excess / n, tail


def confidence(s: Summary, sign: int) -> dict[str, Any] | None:
    """Confidence in the most probable class against how often it is right, and where they differ most; None unless the
    model is over- (1) or under-confident (-1), surely and by enough to matter."""
    if s.lacks(ConfidenceBins):
        return None
    weight, stated, right, gap, variance = _confidence_sums(s)
    excess, chance = _surprise(weight, gap, variance, stated)
    if -sign * excess < NEGLIGIBLE_DISTANCE or 2 * chance >= SURE:
        return None
    b = s[ConfidenceBins]
    worst = int((sign * (b.forecast - b.hits)).argmax())
    bins = len(b.weight)
    return {
        "confidence": stated / weight,
        "right": right / weight,
        "p": 2 * chance,
        "region": (worst / bins, (worst + 1) / bins),
        "confidence there": float(b.forecast[worst] / b.weight[worst]),
        "right there": float(b.hits[worst] / b.weight[worst]),
        "class": _most_confident_class(s, sign),
    }


def _confidence_sums(s: Summary) -> tuple[float, ...]:
    """(effective weight, confidence, hits, hits minus confidence, their variance) of all cases; of added statistics, of
    fine bins."""
    sample = sample_of(s)
    if sample is not None and sample.of_rows:
        return sample.facts[:5]
    b = s.get(ConfidenceBins, bins=FINE_BINS)
    there, case = b.weight > 0, effective(s)
    weight, forecast, hits = (x[there] * case for x in (b.weight, b.forecast, b.hits))
    parts = weight, forecast, hits, hits - forecast, forecast * (1 - forecast / weight)
    return tuple(float(x.sum()) for x in parts)


def _most_confident_class(s: Summary, sign: int) -> Any:
    """The class whose predictions make most of the gap; None where that is not known."""
    sample = sample_of(s)
    if sample is None:
        return None
    y, p = sample.truth, sample.probabilities
    top = p.argmax(axis=1)
    stated, hits = p[np.arange(len(p)), top], (top == y).astype(float)
    by_class = np.bincount(top, sign * sample.weight * (stated - hits), p.shape[1])
    return s.source.classes[int(by_class.argmax())]


def _confidently(s: Summary, sign: int, title: str, advice: str) -> Observation | None:
    evidence = confidence(s, sign)
    if evidence is None:
        return None
    stated, right, (low, high) = evidence["confidence"], evidence["right"], evidence["region"]
    accuracy = "accuracy" if s.source.decided is None else "accuracy of the most probable class"
    title = f"{title}: the mean confidence is {number(stated)}, the {accuracy} {number(right)}"
    of_class = "" if evidence["class"] is None else f" and from predictions of {class_words(evidence['class'])}"
    words = (
        f"The difference is significant ({p_value(evidence['p'])}). It comes mostly from cases with a confidence of "
        f"{low:g} to {high:g} (mean confidence {number(evidence['confidence there'])}, accuracy "
        f"{number(evidence['right there'])}){of_class}. {advice}"
    )
    return Observation(WARNING if abs(stated - right) >= DISTANCE_THAT_MATTERS else NOTE, title, words, evidence)


@check(code="overconfident", needs=Needs.PROBABILITIES, measures=("ECE", "LogL", "CalB"), diagram="reliability")
def overconfident(s: Summary) -> Observation | None:
    """Is the model more confident than it is accurate?"""
    return _confidently(s, 1, "Overconfident", "Recalibrate the probabilities before using them.")


@check(code="underconfident", needs=Needs.PROBABILITIES, measures=("ECE", "LogL", "CalB"), diagram="reliability")
def underconfident(s: Summary) -> Observation | None:
    """Is the model less confident than it is accurate?"""
    return _confidently(s, -1, "Underconfident", "The model knows more than its probabilities say: recalibrate them.")


@check(code="tilted-probabilities", needs=Needs.PROBABILITIES, measures=("REL", "MSE"), diagram="reliability")
def tilted_probabilities(s: Summary) -> Observation | None:
    """Do the mean predicted probabilities differ from the class frequencies?"""
    places = _columns(s)
    k = len(places)
    sums = {j: _column_sums(s, j) for j in places}
    surprises = {j: _surprise(*x) for j, x in sums.items()}
    sure = [j for j, (gap, tail) in surprises.items() if abs(gap) >= NEGLIGIBLE_DISTANCE and 2 * k * tail < SURE]
    if not sure:
        return None
    j = max(sure, key=lambda i: abs(surprises[i][0]))
    (gap, tail), name = surprises[j], s.source.classes[j]
    weight, excess, _, expected = sums[j]
    promised, share = expected / weight, (expected + excess) / weight
    everywhere = bool((s.source.class_weight > 0).all())  # of a class without cases p new / old would be 0
    shift = _shift(s) if everywhere and min(_sides(s, j)) >= FEWEST_CASES else None
    if shift is not None and not shift.explains:
        shift = None
    there = "no case is" if share == 0 else "all cases are" if share == 1 else f"{percent(share)} of the cases are"
    called = class_words(name)
    title = f"Mean predicted probability of {called} is {number(promised)}; {there} {called}"
    too, p_gap = "low" if gap > 0 else "high", p_value(min(1.0, 2 * k * tail))
    words = (
        f"The probabilities are too {too} by {number(abs(gap))} on average ({p_gap}). {_remedy_of_tilt(s, shift, j)}"
    )
    evidence = {
        "class": name,
        "promised": promised,
        "share": share,
        "p": min(1.0, 2 * k * tail),
        "all": [s.source.classes[i] for i in sure],
        "in training": None if shift is None else shift.frequencies,
    }
    return Observation(WARNING if abs(gap) >= DISTANCE_THAT_MATTERS else NOTE, title, words, evidence)


def _column_sums(s: Summary, j: int) -> tuple[float, float, float, float]:
    """(effective weight, cases minus probabilities, the variance of these cases, probabilities) of class j."""
    sample = sample_of(s)
    if sample is not None and sample.of_rows:
        excess, variance, promised = sample.facts.columns[j].tolist()
        return sample.facts.weight, excess, variance, promised
    c = column_of(s, j)
    p, w = c.scores, c.weight
    excess, variance = float((w * (c.hits - p)).sum()), float((c.squares * p * (1 - p)).sum())
    return float(w.sum()), excess, variance, float((w * p).sum())


def _sides(s: Summary, j: int) -> tuple[int, int]:
    """How many cases are of class j, and how many of the others; those of weight 0 are none."""
    if s.source.added is not None:
        cases = s.source.added.weights.cases
        return int(cases[j]), int(cases.sum() - cases[j])
    sample = sample_of(s)
    assert sample is not None
    y, w = sample.truth, sample.weight
    own = int(np.count_nonzero((y == j) & (w > 0)))
    return own, int(np.count_nonzero(w > 0)) - own


def _shift(s: Summary) -> Shift | None:
    sample = sample_of(s)
    return None if sample is None else shift_of(sample.truth, sample.probabilities, sample.weight, sample.squares)


def _remedy_of_tilt(s: Summary, shift: Shift | None, j: int) -> str:
    """What to do about probabilities that promise too many or too few cases of class j; `shift` explains them, or
    nothing does."""
    name, sample = class_words(s.source.classes[j]), sample_of(s)
    if s.source.class_weight[j] == 0:
        return (
            f"If {name} cannot occur here, drop its column and renormalise the rows; if it can, cases of it are "
            "missing from these data, and they do not show how frequent it should be."
        )
    if s.source.class_weight[j] == s.source.class_weight.sum():
        return "There are no cases of any other class, so these data do not show how to correct them: add some."
    if not column_of(s, j).scores.any():
        return (
            f"Every probability of {name} is 0, which no rescaling can correct: its column is missing, or the model "
            "was trained without the class. Train it with cases of all classes."
        )
    if not (s.source.class_weight > 0).all():
        return (
            "The class frequencies in training cannot be estimated without cases of all classes: recalibrate the "
            "probabilities."
        )
    own, others = _sides(s, j)
    if min(own, others) < FEWEST_CASES:
        rare = f"{counted(own)} of {name}" if own < others else f"{counted(others)} of other classes"
        return (
            f"With only {rare} neither the reason nor the right correction can be estimated: collect more, then "
            "recalibrate."
        )
    if sample is None:
        return f"Whether different class frequencies in training explain this needs the cases; {keep_rows()}."
    if shift is None:
        return (
            "Different class frequencies in training do not explain this, so correcting for them would not help: "
            "recalibrate (Platt scaling or isotonic regression)."
        )
    p = sample.predictions
    corrected = replace(p, held=np.ascontiguousarray(shift.corrected[None]))
    before, after = (float(logarithmic_loss(Summary(q)[LossSums])) for q in (p, corrected))
    return (
        f"This would be expected if {percent(float(shift.frequencies[j]))} of the training cases were {name}. "
        "If so, multiply each probability by the ratio of new to old class frequency and renormalise (log loss "
        f"{number(after)} instead of {number(before)} bits); otherwise recalibrate."
    )


@check(code="miscalibrated-region", needs=Needs.PROBABILITIES, measures=("cwECE", "CalL", "REL"), diagram="reliability")
def miscalibrated_region(s: Summary) -> Observation | None:
    """Is a range of probabilities miscalibrated, although confidence and accuracy agree overall?"""
    if s.lacks(ClassBins) or confidence(s, 1) or confidence(s, -1):  # they say where themselves
        return None
    b, case = s[ClassBins], effective(s)
    bins = b.weight.shape[1]
    places = _columns(s)
    if not places:
        return None
    worst: tuple[float, int, int] = (1.0, 0, 0)
    for j in places:
        for i in np.flatnonzero(b.weight[j] > 0).tolist():
            n, stated, right = (float(x[j, i]) * case for x in (b.weight, b.forecast, b.hits))
            if abs(stated - right) < DISTANCE_THAT_MATTERS * n or n < CASES_OF_A_REGION:
                continue
            above = right > stated
            tail = binomial_tail(right if above else n - right, n, stated / n if above else 1 - stated / n)
            worst = min(worst, (tail, i, j))
    tail, i, j = worst
    chance = 2 * tail * bins * len(places)
    if chance >= SURE:
        return None
    name, stated, right = s.source.classes[j], b.forecast[j, i] / b.weight[j, i], b.hits[j, i] / b.weight[j, i]
    title = (
        f"Where the predicted probability of {class_words(name)} is {i / bins:g} to {(i + 1) / bins:g}, "
        f"{share_of(float(right), 'cases')} are {class_words(name)}"
    )
    too = "low" if right > stated else "high"
    words = (
        f"The mean predicted probability of these {counted(float(b.weight[j, i]))} is {number(stated)}, significantly "
        f"too {too} (exact binomial test, {p_value(chance)}), although confidence and accuracy agree overall. "
        "Recalibrate the probabilities."
    )
    evidence = {"class": name, "from": i / bins, "to": (i + 1) / bins, "stated": stated, "right": right, "p": chance}
    return Observation(WARNING, title, words, evidence)


def digits_of(p: Array) -> int | None:
    """To how many digits probabilities were rounded; None if to more than five."""
    for digits in range(6):
        units = p * 10.0**digits
        some = units[:ROWS_TRIED]
        if all(np.abs(x - np.rint(x)).max() < ROUNDING_LEFT * 10.0**digits for x in (some, units)):
            return digits
    return None


def zeros_by_rounding(y: Array, p: Array, w: Array) -> bool:
    """Do classes with the probability 0 occur no more often than probabilities that were rounded to 0 allow?"""
    zeros = p == 0
    happened = float(w[zeros[np.arange(len(p)), y]].sum())
    if happened == 0:
        return True
    digits = digits_of(p)
    if digits is None or digits == 0:
        return False
    possible = np.minimum(zeros.sum(axis=1) * 10.0**-digits, 1)
    cases = float(w[possible > 0].sum())
    return binomial_tail(happened, cases, float((w * possible).sum()) / cases) >= SURE


@check(code="hard-probabilities", needs=Needs.PROBABILITIES, measures=("LogL", "AUC"), diagram="reliability")
def hard_probabilities(s: Summary) -> Observation | None:
    """Are the probabilities just 0 and 1?"""
    sample = sample_of(s)
    if sample is None:
        return None
    hard = sample.facts.certain / sample.facts.weight
    if hard < HARD_SHARE:
        return None
    y, p, w = sample.truth, sample.probabilities, sample.weight
    if hard < 1 and zeros_by_rounding(y, p, w):  # a strong model whose probabilities were rounded
        return None
    wrong = float((w * (p[np.arange(len(p)), y] == 0)).sum() / w.sum())
    only = "All probabilities are" if hard == 1 else f"The probabilities of {percent(hard)} of the cases are only"
    title = f"{only} 0 or 1: they look like class predictions"
    happen = f" The true class has probability 0 in {share_of(wrong, 'cases')}." if wrong else ""
    words = (
        f"Ranking and probability measures then only repeat the class predictions.{happen} Pass class predictions as "
        f"{option('y_pred')}, or pass the probabilities that the model predicts."
    )
    return Observation(WARNING, title, words, {"hard": hard, "impossible and true": wrong})


@check(code="tied-decisions", needs=Needs.PROBABILITIES, measures=("KapS", "Acc", "MCC"), diagram="confusion_matrix")
def tied_decisions(s: Summary) -> Observation | None:
    """Are there cases with a tie for the highest probability?"""
    sample = sample_of(s)
    if s.source.decided is not None or sample is None or not sample.facts.tied:
        return None
    y, p, w = sample.truth, sample.probabilities, sample.weight
    k = p.shape[1]
    first, last = p.argmax(axis=1), k - 1 - p[:, ::-1].argmax(axis=1)
    tied = np.flatnonzero((first != last) & (w > 0))
    share = float(w[tied].sum() / w.sum())
    moved = s[Counts].table.astype(float)
    np.add.at(moved, (y[tied], first[tied]), -w[tied] / effective(s))
    np.add.at(moved, (y[tied], last[tied]), w[tied] / effective(s))
    here, there = float(kappa_statistic(s[Counts])), float(kappa_statistic(Counts(moved)))
    if share < TIED_SHARE and not abs(here - there) >= VISIBLE_KAPPA_GAP:
        return None
    names = [s.source.classes[j] for j in np.unique(first[tied])]
    cases = round(float(sample.cases[tied].sum()))
    many, same = cases > 1, here == there or not (math.isfinite(here) and math.isfinite(there))
    title = f"{cases} case{'s have' if many else ' has'} a tie for the highest probability"
    reverse = f"Reversing the class order would change Cohen's kappa ({against(there, here)}). " if not same else ""
    words = (
        f"{'They are' if many else 'It is'} predicted as the first tied class in class order "
        f"({classes_words(names)}). {reverse}"
        f"Pass {option('labels')} in the order in which to break ties, or pass class predictions as {option('y_pred')}."
    )
    evidence = {"cases": cases, "share": share, "first": sample.first(tied), "decided for": names}
    return Observation(NOTE, title, words, evidence | {"KapS": here, "KapS in reverse order": there})


@check(code="impossible-truths", needs=Needs.PROBABILITIES, measures=("LogL",), diagram="reliability")
def impossible_truths(s: Summary) -> Observation | None:
    """Are there cases with a predicted probability of 0 for the true class?"""
    sample = sample_of(s)
    if sample is None or not sample.facts.impossible:
        return None
    y, p, w = sample.truth, sample.probabilities, sample.weight
    impossible = np.flatnonzero((p[np.arange(len(p)), y] == 0) & (w > 0))
    logl = float(logarithmic_loss(s[LossSums]))
    names = [s.source.classes[j] for j in np.unique(y[impossible])]
    cases = round(float(sample.cases[impossible].sum()))
    many, eps = cases > 1, LossSums.parameters["eps"]
    least = f"{eps:g}".replace("e-0", "e-")
    title = f"{cases} case{'s have' if many else ' has'} a predicted probability of 0 for the true class"
    words = (
        f"The log loss of such a case is infinite; LogL uses {least} instead of 0, {number(-math.log2(eps))} bits"
        f"{' each' if many else ''}, so its value ({number(logl)}) depends on that convention. Smooth the probabilities"
    )
    evidence = {"cases": cases, "first": sample.first(impossible), "true classes": names, "LogL": logl}
    if zeros_by_rounding(y, p, w):
        digits = digits_of(p)
        evidence["digits"] = digits
        words += f", or pass more digits: rounding to {counted(digits or 0, 'digit')} explains the zeros."
        return Observation(NOTE, title, words, evidence)
    return Observation(WARNING, title, f"{words}.", evidence)


@check(code="squeezed-scores", needs=Needs.PROBABILITIES, measures=("AUC", "ECE", "DD"), diagram="discrimination")
def squeezed_scores(s: Summary) -> Observation | None:
    """Do the probabilities lie in a narrow range although the classes are separated better?"""
    if _is_wide(s):
        return None
    low, high = _band(s)
    if (high - low).max() >= NARROW_BAND:
        return None
    steepest, chance, j = 0.0, 1.0, 0
    for i in _columns(s):
        slope, tail = _slope(column_of(s, i))
        if slope > steepest:
            steepest, chance, j = slope, tail, i
    if steepest < STEEP_SLOPE or 2 * len(s.source.classes) * chance >= SURE:
        return None
    name, called = s.source.classes[j], class_words(s.source.classes[j])
    ranks = ranking_of(s)
    ranked = f", although they rank the cases well (ROC AUC {number(ranks.value)})" if ranks.sure else ""
    title = f"90 % of the probabilities of {called} lie between {number(low[j])} and {number(high[j])}{ranked}"
    words = (
        f"The share of {called} rises {number(steepest)} times as fast as its predicted probability: these look like "
        f"scores (of boosting or voting), not probabilities. Recalibrate them, or pass them as {option('y_score')}."
    )
    evidence = {"class": name, "from": low[j], "to": high[j], "slope": steepest} | ranks.evidence
    return Observation(WARNING, title, words, evidence)


def _is_wide(s: Summary) -> bool:
    """Do bins show already that nine in ten probabilities of some class don't lie in a narrow band?"""
    cases = s.source.cases
    if cases is None or cases.weight is not None:  # the band counts cases, whatever their weight
        return False
    below, bins = np.cumsum(s[ClassBins].weight, axis=1), s[ClassBins].weight.shape[1]
    ends = 0.05 * cases.n + 1, 0.95 * cases.n - 1
    inner = np.count_nonzero((below > ends[0]) & (below < ends[1]), axis=1) - 1  # bins between the ends of the band
    return bool(inner.max() / bins >= NARROW_BAND)


def _band(s: Summary) -> tuple[Array, Array]:
    """[k] each: between which nine in ten probabilities of each class lie."""
    sample = sample_of(s)
    if sample is not None and sample.of_rows:
        low, high = np.quantile(sample.probabilities[sample.weight > 0], [0.05, 0.95], axis=0)
        return low, high
    columns = [column_of(s, j) for j in range(len(s.source.classes))]
    ends = [[_quantile(c.scores, c.weight, q) for c in columns] for q in (0.05, 0.95)]
    return np.array(ends[0]), np.array(ends[1])


def _quantile(x: Array, w: Array, q: float) -> float:
    """Of cells that stand for cases."""
    order = np.argsort(x)
    place = int(np.searchsorted(np.cumsum(w[order]), q * w.sum()))
    return float(x[order[min(place, len(x) - 1)]])


def _slope(column: SeenColumn) -> tuple[float, float]:
    """How fast frequencies rise with probabilities, which is 1 if these are calibrated, and the chance of that or more
    if they were; 0 where nothing spreads."""
    hits, p, w = column.hits, column.scores, column.weight
    mean = float((w * p).sum() / w.sum())
    away = p - mean
    spread = float((w * away**2).sum())
    if spread <= (NOTHING * mean) ** 2 * float(w.sum()):  # what arithmetic leaves of a constant
        return 0.0, 1.0
    slope = float((w * away * hits).sum()) / spread
    variance = float((column.squares * away**2 * p * (1 - p)).sum())
    heaviest = np.where(w > 0, column.squares / np.where(w > 0, w, 1.0), 0.0)
    return slope, bernstein_tail((slope - 1) * spread, variance, float((heaviest * np.abs(away)).max()))


@check(code="clipped-probabilities", needs=Needs.PROBABILITIES, measures=("ECE", "LogL"), diagram="reliability")
def clipped_probabilities(s: Summary) -> Observation | None:
    """Were probabilities clipped at a value that does not match the class frequency?"""
    sample = sample_of(s)
    if sample is None or not (sample.of_rows or s.source.added.exact):  # how many probabilities differ is not known
        return None
    y, w = sample.truth, sample.weight
    total, columns = float(w.sum()), _columns(s)
    worst: tuple[float, int, float, float, float] | None = None
    for j in columns:
        x = sample.column(j)
        ends = float(x.min()), float(x.max())
        for end in ends:
            if end in (0, 1):
                continue
            at = np.flatnonzero(x == end)
            pile = float(w[at].sum())
            if pile < PILE_SHARE * total or sample.cases[at].sum() < CASES_OF_A_REGION:
                continue
            inside = (x > ends[0]) & (x < ends[1])
            between = x[inside]
            few_places = len(between) == 0 or len(np.unique(between)) < sample.cases[inside].sum() / 2
            if few_places:  # they lie there anyway
                continue
            right = float(w[at[y[at] == j]].sum())
            above = right > end * pile
            tail = binomial_tail(right if above else pile - right, pile, end if above else 1 - end)
            if abs(right / pile - end) >= NEGLIGIBLE_DISTANCE and (worst is None or tail < worst[0]):
                worst = (tail, j, end, pile, right / pile)
    if worst is None or 4 * len(columns) * worst[0] >= SURE:
        return None
    tail, j, end, pile, right = worst
    name, called = s.source.classes[j], class_words(s.source.classes[j])
    title = (
        f"{percent(pile / total)} of the probabilities of {called} are exactly {number(end)}: they seem to be clipped"
    )
    words = (
        f"{percent(right)} of these cases are {called}. Clipping also loses the ranking of these cases: pass the "
        "probabilities as the model predicts them, or recalibrate them."
    )
    evidence = {
        "class": name,
        "value": end,
        "share": pile / total,
        "right": right,
        "p": min(1.0, 4 * len(columns) * tail),
    }
    rare, promised = (right, end) if end < 0.5 else (1 - right, 1 - end)
    far = abs(right - end) >= DISTANCE_THAT_MATTERS or not promised / 2 < rare < promised * 2
    return Observation(WARNING if far else NOTE, title, words, evidence)


@check(code="calibration-loss-is-error", needs=Needs.PROBABILITIES, measures=("CalL", "MSE"), diagram="reliability")
def calibration_loss_is_error(s: Summary) -> Observation | None:
    """Are hardly any two probabilities equal, so that CalL is just the squared error?"""
    if s.lacks(Segments):
        return None
    apart, weight = MOSTLY_APART * s.source.n, s.source.class_weight
    if len(weight) == 2 and len(s.table_of_class(1).scores) < apart:  # that table is there anyway
        return None
    g = s[Segments]
    refined = float(g.refinement.sum())
    if not no_mixed_groups(g):
        return None
    places = np.flatnonzero(weight > 0)[:MOST_CLASSES_LOOKED_AT].tolist() if len(weight) > 2 else []
    if any(len(s.table_of_class(j).scores) < apart for j in places):
        return None
    cal, mse = float(calibration_by_segments(g)), float(mean_squared_probability_error(s[LossSums]))
    same = "no" if refined == 0 else "hardly any"
    left = f"the squared error (MSE {number(mse)})"
    if not (g.weight > 0).all():
        left = "the squared error of the classes that occur"
    almost = "" if refined == 0 else "almost "
    title = f"Calibration loss (CalL {number(cal)}) is {almost}the squared error here, not a measure of calibration"
    words = (
        "It compares each distinct probability with the share of the class among the cases that have it, and here "
        f"{same} two cases of different classes have the same probability: what remains is {left}. Judge calibration "
        "by the reliability diagram, by ECE or CalB, or by CalL of probabilities rounded to one digit."
    )
    return Observation(NOTE, title, words, {"CalL": cal, "MSE": mse})


@check(code="scores-not-probabilities", needs=Needs.PROBABILITIES, measures=("ECE", "AUC"), diagram="reliability")
def scores_not_probabilities(s: Summary) -> Observation | None:
    """Are the probabilities ranks, or min-max scaled scores?"""
    cases = s.source.cases
    if cases is None or cases.held is None or cases.n < CASES_OF_A_PATTERN:  # each case has to be seen
        return None
    n = cases.n
    for j in _columns(s):
        x = cases.column(j)
        if not _may_be_regular(x):
            continue
        x = np.sort(x)
        steps = np.diff(x)
        name = s.source.classes[j]
        if steps.min() > 0 and np.ptp(steps) < 1e-6 * steps.mean():
            title, what = f"The probabilities of {class_words(name)} are evenly spaced: they look like ranks", "ranks"
        elif x[0] == 0 < x[1] and x[-1] == 1 > x[-2] and np.count_nonzero(steps) > HARD_SHARE * (n - 1):
            once = f"The probabilities of {class_words(name)} are 0 and 1 exactly once each"
            title = f"{once}: they look like min-max scaled scores"
            what = "stretched scores"
        else:
            continue
        words = (
            f"Their order may be right, but their values are not probabilities: pass them as {option('y_score')}, or "
            "recalibrate them before using log loss, squared error or calibration."
        )
        return Observation(WARNING, title, words, {"class": name, "looks like": what})
    return None


def _may_be_regular(x: Array) -> bool:
    """Could they be evenly spaced, with their mean in the middle, or reach from 0 to 1? If not, they need no sort."""
    low, high = float(x.min()), float(x.max())
    return (low, high) == (0.0, 1.0) or abs(float(x.mean()) - (low + high) / 2) <= 1e-5 * (high - low)
