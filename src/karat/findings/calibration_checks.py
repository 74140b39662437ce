"""Findings about calibration: do probabilities mean what they say?"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from karat.core.finding import NOTE, WARNING, Observation, check
from karat.core.statistic import Needs
from karat.core.words import counted, number, p_value, percent, share_of
from karat.findings.class_words import class_words
from karat.findings.prior_shift import FEWEST_CASES, Shift, shift_of
from karat.findings.seen_cases import column_of, sample_of
from karat.measures.familiar import log_loss
from karat.statistics import ClassBins, ConfidenceBins, LossSums, Summary
from karat.statistics.added import FINE_BINS, keep_rows
from karat.statistics.p_values import SURE, binomial_tail, effective, normal_tail

NEGLIGIBLE_DISTANCE = 0.01
"""A distance between probability and frequency that changes no decision, however surely it is there."""
DISTANCE_THAT_MATTERS = 0.05
"""A distance that changes decisions: one in twenty cases is promised and not delivered."""
VARIANCE_NEAR_NORMAL = 10.0
"""With a variance of at least this many cases a sum of hits is close enough to normal for a tail of one in a thousand;
below, the binomial distribution bounds it."""
MOST_CLASSES_LOOKED_AT = 50
"""Columns are looked at one by one up to this number of classes."""
CASES_OF_A_REGION = 10
"""Fewer cases are no region, however surprising they are: they are told of one by one."""


def columns_looked_at(s: Summary) -> list[int]:
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


@check(code="overconfident", needs=Needs.PROBABILITIES, measures=("ECE", "LogLoss", "CalB"), diagram="reliability")
def overconfident(s: Summary) -> Observation | None:
    """Is the model more confident than it is accurate?"""
    return _confidently(s, 1, "Overconfident", "Recalibrate the probabilities before using them.")


@check(code="underconfident", needs=Needs.PROBABILITIES, measures=("ECE", "LogLoss", "CalB"), diagram="reliability")
def underconfident(s: Summary) -> Observation | None:
    """Is the model less confident than it is accurate?"""
    return _confidently(s, -1, "Underconfident", "The model knows more than its probabilities say: recalibrate them.")


@check(code="tilted-probabilities", needs=Needs.PROBABILITIES, measures=("REL", "MSE"), diagram="reliability")
def tilted_probabilities(s: Summary) -> Observation | None:
    """Do the mean predicted probabilities differ from the class frequencies?"""
    places = columns_looked_at(s)
    k = len(places)
    sums = {j: _column_sums(s, j) for j in places}
    surprises = {j: _surprise(*x) for j, x in sums.items()}
    sure = [j for j, (gap, tail) in surprises.items() if abs(gap) >= NEGLIGIBLE_DISTANCE and 2 * k * tail < SURE]
    if not sure:
        return None
    j = max(sure, key=lambda i: abs(surprises[i][0]))
    (gap, tail), name = surprises[j], s.source.classes[j]
    weight, excess, _, expected = sums[j]
    own, others = _sides(s, j)
    promised = expected / weight
    share = (expected + excess) / weight if own and others else float(own > 0)  # rounded sums are nearly none, or all
    everywhere = bool((s.source.class_weight > 0).all())  # of a class without cases p new / old would be 0
    shift = _shift(s) if everywhere and min(own, others) >= FEWEST_CASES else None
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
    before, after = (float(log_loss(Summary(q).get(LossSums, **log_loss.parameters))) for q in (p, corrected))
    return (
        f"This would be expected if {percent(float(shift.frequencies[j]))} of the training cases were {name}. "
        "If so, multiply each probability by the ratio of new to old class frequency and renormalise (log loss "
        f"{number(after)} instead of {number(before)}); otherwise recalibrate."
    )


@check(code="miscalibrated-region", needs=Needs.PROBABILITIES, measures=("cwECE", "CalL", "REL"), diagram="reliability")
def miscalibrated_region(s: Summary) -> Observation | None:
    """Is a range of probabilities miscalibrated, although confidence and accuracy agree overall?"""
    if s.lacks(ClassBins) or confidence(s, 1) or confidence(s, -1):  # they say where themselves
        return None
    b, case = s[ClassBins], effective(s)
    bins = b.weight.shape[1]
    places = columns_looked_at(s)
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
