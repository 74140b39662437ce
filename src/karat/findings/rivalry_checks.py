"""Findings about several models: do measures agree on the best, and are there enough cases to say so?"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from karat.core.arithmetic import TOLERANCE, Array
from karat.core.finding import NOTE, WARNING, Observation, check
from karat.core.measure import measures
from karat.core.statistic import Needs
from karat.core.words import against, counted, listed, number, p_value
from karat.findings.class_words import class_words
from karat.measures import PAPERS
from karat.measures.agreement import accuracy, matthews_correlation
from karat.measures.information import entropy_modulated
from karat.measures.probability import brier_score_of_all_classes
from karat.statistics import Counts, LossSums, Summary
from karat.statistics.p_values import SURE, USUAL, effective, mid_p_sign_test, normal_tail
from karat.statistics.summary import same_cases

Z_POWER, Z_USUAL = 0.8416212335729143, 1.959963984540054
"""Quantiles of the normal distribution at .8 and .975: of the number of cases that is recommended, a difference of the
size seen would be found with the chance .8, at the usual level."""
MEASURES_IN_A_TITLE = MODELS_IN_A_TITLE = 3
"""Labels of measures, and names of models, that a title can hold."""
TELLING_MCC = 0.3
"""A correlation of truth and decisions that is no mere trace."""
Models = dict[str, Summary]


def needed_cases(changed: float, difference: float) -> float:
    """How many cases show a difference in accuracy, where a share `changed` of them is decided right by one model only
    (Connor 1987: 80 % power, 5 % level, two-sided)."""
    if difference == 0:
        return math.inf
    root = Z_USUAL * math.sqrt(changed) + Z_POWER * math.sqrt(max(changed - difference**2, 0.0))
    return math.ceil(root**2 / difference**2)


def needed_cases_unpaired(one: float, two: float) -> float:
    """The same for two accuracies on different cases: how many of each."""
    if one == two:
        return math.inf
    mean = (one + two) / 2
    root = Z_USUAL * math.sqrt(2 * mean * (1 - mean)) + Z_POWER * math.sqrt(one * (1 - one) + two * (1 - two))
    return math.ceil(root**2 / (one - two) ** 2)


LEAST_FLIPS = 6
"""Cases that only one of two models gets right, below which the sign test can't tell them apart at the usual level."""


def accuracy_difference(a: Summary, b: Summary) -> tuple[float, float, float]:
    """Accuracy of a less that of b; the two-sided chance of that or more; the cases needed to show it."""
    one, two = (float(accuracy(s[Counts])) for s in (a, b))
    pa, pb = a.source.cases, b.source.cases
    if pa is None or pb is None:
        n, m = (float(s.source.n) for s in (a, b))
        pooled = (one * n + two * m) / (n + m)
        error = math.sqrt(pooled * (1 - pooled) * (1 / n + 1 / m))
        chance = min(1.0, 2 * normal_tail(abs(one - two) / error)) if error else 1.0
        return one - two, chance, needed_cases_unpaired(one, two)
    w = np.ones(pa.n) if pa.weight is None else pa.weight[0]
    right_a, right_b = pa.right[0], pb.right[0]
    only_a, only_b = (float(w[x].sum()) * effective(a) for x in (right_a & ~right_b, right_b & ~right_a))
    n = float(w.sum()) * effective(a)
    chance = mid_p_sign_test(only_a, only_b, sides=2)
    flips = only_a + only_b
    least = LEAST_FLIPS * n / flips if flips else 0.0  # with fewer, no result could show it
    return one - two, chance, max(needed_cases(flips / n, (only_a - only_b) / n), least, n + 1)


def _test_of_accuracy(a: Summary, b: Summary) -> str:
    """The test that `accuracy_difference` makes, by its name."""
    paired = a.source.cases is not None and b.source.cases is not None
    return "McNemar's test, mid-p" if paired else "z-test of two proportions"


def _by(models: Models, measure: Any) -> dict[str, float]:
    return {name: float(measure(s[Counts])) for name, s in models.items()}


@check(code="measures-disagree", several=True, measures=("Acc", "MCC", "EMA"), diagram="entropy_triangle")
def measures_disagree(models: Models) -> Observation | None:
    """Do accuracy, MCC and EMA favour different models?"""
    values = {m.symbol: _by(models, m) for m in (accuracy, matthews_correlation, entropy_modulated)}
    best = {symbol: max(row, key=lambda name: row[name]) for symbol, row in values.items()}
    others = [
        symbol
        for symbol in ("MCC", "EMA")
        if values[symbol][best["Acc"]] < values[symbol][best[symbol]] - TOLERANCE
        and values["Acc"][best[symbol]] < values["Acc"][best["Acc"]] - TOLERANCE
    ]
    if not others:
        return None
    first = best["Acc"]
    choices = {symbol: best[symbol] for symbol in others}
    listing = " and ".join(
        f"{symbol} favours {name} ({against(values[symbol][name], values[symbol][first])})"
        for symbol, name in choices.items()
    )
    second = next(iter(choices.values()))
    _, chance, _ = accuracy_difference(models[first], models[second])
    title = f"Accuracy favours {first} ({number(values['Acc'][first])}), but {listing}"
    words = (
        "Accuracy counts correct predictions, MCC is the correlation of predicted and true classes, and "
        "entropy-modulated accuracy (EMA) depends on the uncertainty that the predictions leave. Decide which of them "
        "your application needs before choosing a model."
    )
    evidence = {"chosen": best, "values": values, "p": chance}
    if chance >= USUAL:
        test = f"{_test_of_accuracy(models[first], models[second])}, {p_value(chance)}"
        words += f" There is no significant difference in accuracy between {first} and {second} ({test})."
    return Observation(NOTE if chance >= USUAL else WARNING, title, words, evidence)


def _tells(s: Summary) -> bool:
    """Do the decisions surely tell of the class? Without that MCC has a standard deviation of 1 / sqrt(n), or less."""
    mcc, n = float(matthews_correlation(s[Counts])), float(s[Counts].truth.sum()) * effective(s)
    return mcc > TELLING_MCC and normal_tail(mcc * math.sqrt(n)) < SURE


@check(code="constant-preferred", several=True, measures=("MCC", "NIT"), diagram="entropy_triangle")
def constant_preferred(models: Models) -> Observation | None:
    """Do measures favour a model that always predicts the same class over one that separates the classes?"""
    constant = {n: s for n, s in models.items() if (s[Counts].decided > 0).sum() < 2 <= (s[Counts].truth > 0).sum()}
    telling = {n: s for n, s in models.items() if _tells(s)}
    judges = [m for m in (measures[symbol] for symbol in PAPERS) if m.statistic is Counts and m.orientation]
    fooled: dict[tuple[str, str], list[str]] = {}
    for m in judges:
        for a, one in constant.items():
            for b, two in telling.items():
                gap = m.orientation * (float(m(one[Counts])) - float(m(two[Counts])))
                if gap > TOLERANCE:
                    fooled.setdefault((a, b), []).append(m.symbol)
    if not fooled:
        return None
    (a, b), symbols = max(fooled.items(), key=lambda pair: len(pair[1]))
    answer = models[a].source.classes[int(models[a][Counts].decided.argmax())]
    mcc = float(matthews_correlation(models[b][Counts]))
    labels = listed([measures[symbol].label for symbol in symbols], MEASURES_IN_A_TITLE)
    title = f"{a}, which always predicts {class_words(answer)}, is better than {b} by {labels}"
    words = (
        f"A constant prediction carries no information, and {b} does (MCC {number(mcc)} against 0): do not choose "
        f"between the two by {'this measure' if len(symbols) == 1 else 'these measures'}. MCC and NIT do not reward a "
        "constant prediction."
    )
    pairs = [{"constant": c, "other": o, "measures": listing} for (c, o), listing in fooled.items()]
    evidence = {"constant": a, "other": b, "measures": symbols, "MCC": mcc, "all": pairs}
    return Observation(WARNING, title, words, evidence)


@check(code="too-few-cases", several=True, measures=("Acc",), diagram="roc_graph")
def too_few_cases(models: Models) -> Observation | None:
    """Are there too few cases to show that the most accurate model is better than the next?"""
    values = _by(models, accuracy)
    first, second = sorted(values, key=lambda name: -values[name])[:2]
    gap, chance, needed = accuracy_difference(models[first], models[second])
    if chance < USUAL:
        return None
    n = models[first].source.n
    evidence = {"first": first, "second": second, "difference": gap, "p": chance, "n": n}
    if gap == 0:
        equal = [name for name, value in values.items() if abs(value - values[first]) <= TOLERANCE]
        title = f"{listed(equal, MODELS_IN_A_TITLE)} are equally accurate ({number(values[first])})"
        words = "Accuracy gives no reason to prefer one of them."
        return Observation(NOTE, title, words, {**evidence, "equal": equal, "needed": None})
    few = f"{counted(n)} {'is' if n == 1 else 'are'} too few"
    title = f"{few} to show that {first} is more accurate than {second}"
    test = f"{_test_of_accuracy(models[first], models[second])}, {p_value(chance)}"
    words = (
        f"There is no significant difference ({against(values[first], values[second])}; {test}). If the true "
        f"difference is as large as this one, about {needed:,.0f} cases would show it with a power of 80 %."
    )
    return Observation(WARNING, title, words, {**evidence, "needed": needed})


@check(
    code="probabilities-differ",
    several=True,
    needs=Needs.PROBABILITIES,
    measures=("MSE", "LogLoss", "CalB"),
    diagram="reliability",
)
def probabilities_differ(models: Models) -> Observation | None:
    """Are the two most accurate models equally accurate, but not equally good in their probabilities?"""
    values = _by(models, accuracy)
    first, second = sorted(values, key=lambda name: -values[name])[:2]
    if not same_cases({name: models[name] for name in (first, second)}):
        return None
    if accuracy_difference(models[first], models[second])[1] < USUAL:
        return None
    squares = [_squares(models[name]) for name in (first, second)]
    p: Any = models[first].source
    w = np.ones(p.n) if p.weight is None else p.weight[0] * effective(models[first])
    gap = squares[0] - squares[1]
    mean = float((w * gap).sum() / w.sum())
    error = math.sqrt(float((w * w * (gap - mean) ** 2).sum())) / float(w.sum())
    from scipy.special import stdtr  # costs more than all else, where there is one model

    cases = float(w.sum())
    chance = 1.0 if error == 0 else max(2 * float(stdtr(cases - 1, -abs(mean) / error)), 2 ** (1 - cases))
    if chance >= SURE:
        return None
    worse, better = (first, second) if mean > 0 else (second, first)
    brier = {name: float(brier_score_of_all_classes(models[name][LossSums])) for name in (first, second)}
    alike = f"No significant difference in accuracy between {first} and {second}"
    title = f"{alike}, but {better} has better probabilities"
    words = (
        f"Its Brier score is {against(brier[better], brier[worse])} for {worse} (paired t-test, {p_value(chance)}). If "
        "you use the probabilities, this difference matters."
    )
    evidence = {"Brier": brier, "Acc": {n: values[n] for n in (first, second)}, "z": mean / error}
    return Observation(NOTE, title, words, evidence)


def _squares(s: Summary) -> Array:
    p: Any = s.source
    own = p.scores[0] - (p.truth[0][:, None] == np.arange(len(p.classes)))
    return np.asarray((own * own).sum(axis=1))
