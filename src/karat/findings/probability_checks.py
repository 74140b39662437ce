"""Findings about what was given as probabilities: are they probabilities at all, and whole?"""

from __future__ import annotations

import math

import numpy as np

from karat.core.arithmetic import Array
from karat.core.errors import option
from karat.core.finding import NOTE, WARNING, Observation, check
from karat.core.statistic import Needs
from karat.core.words import against, counted, number, percent, share_of
from karat.findings.calibration_checks import (
    CASES_OF_A_REGION,
    DISTANCE_THAT_MATTERS,
    MOST_CLASSES_LOOKED_AT,
    NEGLIGIBLE_DISTANCE,
    columns_looked_at,
)
from karat.findings.class_words import class_words, classes_words
from karat.findings.copies import Copies, given_once
from karat.findings.ranking_checks import NOTHING, ranking_of
from karat.findings.seen_cases import SeenColumn, column_of, sample_of
from karat.measures.agreement import kappa_statistic
from karat.measures.calibration import MIXED, calibration_by_segments, no_mixed_groups
from karat.measures.familiar import log_loss
from karat.measures.probability import mean_squared_probability_error
from karat.statistics import ClassBins, Counts, LossSums, Segments, Summary
from karat.statistics.p_values import SURE, bernstein_tail, binomial_tail, effective

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


@check(
    code="hard-probabilities",
    needs=Needs.PROBABILITIES,
    measures=("LogLoss", "AUC"),
    diagram="reliability",
    restated=True,
)
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


@check(
    code="tied-decisions",
    needs=Needs.PROBABILITIES,
    measures=("KapS", "Acc", "MCC"),
    diagram="confusion_matrix",
    restated=True,
)
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


@check(code="impossible-truths", needs=Needs.PROBABILITIES, measures=("LogLoss",), diagram="reliability", restated=True)
def impossible_truths(s: Summary) -> Observation | None:
    """Are there cases with a predicted probability of 0 for the true class?"""
    sample = sample_of(s)
    if sample is None or not sample.facts.impossible:
        return None
    y, p, w = sample.truth, sample.probabilities, sample.weight
    impossible = np.flatnonzero((p[np.arange(len(p)), y] == 0) & (w > 0))
    eps, loss = log_loss.parameters["eps"], float(log_loss(s.get(LossSums, **log_loss.parameters)))
    names = [s.source.classes[j] for j in np.unique(y[impossible])]
    cases = round(float(sample.cases[impossible].sum()))
    many = cases > 1
    title = f"{cases} case{'s have' if many else ' has'} a predicted probability of 0 for the true class"
    words = (
        f"The log loss of such a case is infinite; {eps:.3g} is used instead of 0, {number(-math.log(eps))} nats"
        f"{' each' if many else ''}, so its value ({number(loss)}) depends on that convention. Smooth the probabilities"
    )
    evidence = {"cases": cases, "first": sample.first(impossible), "true classes": names, "LogLoss": loss}
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
    for i in columns_looked_at(s):
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


@check(code="clipped-probabilities", needs=Needs.PROBABILITIES, measures=("ECE", "LogLoss"), diagram="reliability")
def clipped_probabilities(s: Summary) -> Observation | None:
    """Were probabilities clipped at a value that does not match the class frequency?"""
    sample = sample_of(s)
    if sample is None or not (sample.of_rows or s.source.added.exact):  # how many probabilities differ is not known
        return None
    y, w = sample.truth, sample.weight
    total, columns = float(w.sum()), columns_looked_at(s)
    worst: tuple[float, int, float, float, float] | None = None
    for j in columns:
        x = sample.predictions.held_column(j)
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


@check(
    code="calibration-loss-is-error",
    needs=Needs.PROBABILITIES,
    measures=("CalL", "MSE"),
    diagram="reliability",
    restated=True,
)
def calibration_loss_is_error(s: Summary) -> Observation | None:
    """Are hardly any two probabilities equal, so that CalL is just the squared error?"""
    if s.lacks(Segments):
        return None
    apart, weight = MOSTLY_APART * s.source.n, s.source.class_weight
    if len(weight) == 2:  # that table is there anyway
        t, error = s.table_of_class(1), float(s[LossSums].squares.sum()) / 2
        if len(t.scores) < apart or t.mixed[1] > 2 * MIXED * error:  # certainly, whatever rounding adds
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


@check(
    code="scores-not-probabilities",
    needs=Needs.PROBABILITIES,
    measures=("ECE", "AUC"),
    diagram="reliability",
    every_row=True,  # values of which a copied row makes several do not occur once
    restated=True,
)
def scores_not_probabilities(s: Summary) -> Observation | None:
    """Are the probabilities ranks, or min-max scaled scores?"""
    copies, cases = Copies.of(s), given_once(s).source.cases
    if cases is None or cases.held is None or cases.n < CASES_OF_A_PATTERN:  # each case has to be seen
        return None
    times = 1 if copies is None else copies.times
    often = "once each" if times == 1 else f"once each in each of {times} copies of the data"
    for j in columns_looked_at(s):
        x = cases.held_column(j)
        if not _may_be_regular(x):
            continue
        x = np.sort(x.astype(np.float64))
        steps = np.diff(x)
        name = s.source.classes[j]
        if steps.min() > 0 and np.ptp(steps) < 1e-6 * steps.mean():
            title, what = f"The probabilities of {class_words(name)} are evenly spaced: they look like ranks", "ranks"
        elif _is_stretched(x) and digits_of(x) is None:  # rounding makes 0 and 1, too
            once = f"The probabilities of {class_words(name)} are 0 and 1 exactly {often}"
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


def _is_stretched(x: Array) -> bool:
    """Are the lowest and the highest, each there once, 0 and 1, and hardly any two the same?"""
    return bool(x[0] == 0 < x[1] and x[-1] == 1 > x[-2] and np.count_nonzero(np.diff(x)) > HARD_SHARE * (len(x) - 1))


def _may_be_regular(x: Array) -> bool:
    """Could they be evenly spaced, with their mean in the middle, or reach from 0 to 1? If not, they need no sort."""
    low, high = float(x.min()), float(x.max())
    return (low, high) == (0.0, 1.0) or abs(float(x.mean(dtype=np.float64)) - (low + high) / 2) <= 1e-5 * (high - low)
