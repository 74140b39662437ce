"""Findings about decisions: read from the confusion matrix."""

from __future__ import annotations

import math

import numpy as np

from karat.core.arithmetic import Array
from karat.core.errors import option
from karat.core.finding import NOTE, PROBLEM, WARNING, Observation, Severity, check
from karat.core.statistic import Needs
from karat.core.words import amount, counted, listed, number, p_value, percent, share_of
from karat.findings.class_groups import class_groups
from karat.findings.class_words import MOST_NAMED, class_words, classes_words
from karat.findings.knowledge import Knowledge, knowledge_of
from karat.findings.ranking_checks import NOTHING, ranking_of, same_scores
from karat.findings.wrong_names import Exchange, exchanges
from karat.measures.agreement import accuracy, accuracy_after_relabelling, matthews_correlation
from karat.measures.entropy_triangles import triangle_imbalance, triangle_information
from karat.measures.information import entropy_modulated, relative_information, truth_perplexity
from karat.statistics import Counts, Summary
from karat.statistics.p_values import SURE, USUAL, binomial_tail, cases_of_classes, effective, sign_test

HIGH_ACCURACY = 0.8
"""An accuracy that people report with pride."""
LITTLE_INFORMATION = 0.1
"""Decisions that carry less than this share of the information about the class hardly use the cases: a classifier of
two equal classes that carries as much is right in .68 of them."""
FEW_CASES_OF_A_CLASS = 10
"""Of fewer cases the 95 % interval of a share of one half is wider than .6."""
EXCESS_INSIDE_GROUPS = 1.25
"""Errors inside groups must exceed what is expected by a quarter before they are called a structure."""
MOST_CLASSES_PAIRED = 20
"""Of more classes the pairs are too many to be looked at one by one."""
CONTRADICTING_SHARE = 0.05
"""Rounded probabilities may put some predictions on the wrong side; one in twenty is another matter."""
PRECISION_OF_RARE_CLASSES = 0.1
"""Where rare classes are looked for, no more than one in ten predictions of them may be right."""
ACCURACY_THAT_MATTERS = 0.05
"""A loss of accuracy that is worth a line: one case in twenty."""
LEAST_REST = 1e-6
"""However sure a model is of a class, one in a million cases may be of another."""
MOST_CLASSES = 200
"""Of more classes nobody reads groups."""


@check(code="no-better-than-majority", measures=("Acc", "KapS", "MCC"), diagram="confusion_matrix")
def no_better_than_majority(s: Summary) -> Observation | None:
    """Is the accuracy no higher than that of always predicting the most frequent class?"""
    c, case = s[Counts], effective(s)
    t = c.truth
    j = int(t.argmax())
    if (t > 0).sum() < 2:
        return None
    name = s.source.classes[j]
    gained, lost = _against_the_majority(c, case)
    p = sign_test(gained, lost)
    if p < USUAL:
        return None
    acc, share = float(accuracy(c)), float(t[j] / t.sum())
    known = knowledge_of(s)
    evidence = {"Acc": acc, "majority": name, "share": share, "gained": gained, "lost": lost, "p": p, **known.evidence}
    others = float(t.sum() - t[j]) * case
    severity = _severity_of_no_gain(s, known, gained, lost, others)
    remedy = _remedy_of_no_gain(known if acc < 1 else None, severity, float(t.sum()) * case, others, name)
    higher, p_lower = acc > share, sign_test(lost, gained)
    lower = not higher and p_lower < USUAL
    how = "not significantly higher" if higher else "significantly lower" if lower else "no higher"
    title = f"Accuracy ({number(acc)}) is {how} than that of always predicting {class_words(name)} ({number(share)})"
    words = f"{_duel(c, gained, lost, p_lower if lower else p)} {remedy}"
    return Observation(WARNING if higher and severity == PROBLEM else severity, title, words, evidence)


def _duel(c: Counts, gained: float, lost: float, p: float) -> str:
    """The model against always predicting the most frequent class, in words."""
    if gained + lost:
        test = f"one-sided exact McNemar test, {p_value(p)}"
        return f"The model wins {counted(gained)} and loses {amount(lost)} against that constant prediction ({test})."
    if (c.decided > 0).sum() == 1:
        return "The model makes the same prediction for every case."
    return "The model predicts no case of any other class correctly."


def _against_the_majority(c: Counts, case: float) -> tuple[float, float]:
    """How many cases are won and lost against always naming the most frequent class."""
    j = int(c.truth.argmax())
    return float(c.hits.sum() - c.hits[j]) * case, float(c.truth[j] - c.hits[j]) * case


def _severity_of_no_gain(s: Summary, known: Knowledge, gained: float, lost: float, others: float) -> Severity:
    """What it means that accuracy is not surely above the share of the most frequent class. `others` are the cases of
    all other classes."""
    # the most probable class of calibrated probabilities is never worse than a constant answer
    if sign_test(lost, gained) < SURE and s.source.decided is None and s.source.probabilities:
        return PROBLEM
    if known.sure:
        return NOTE
    if gained + lost == 0 and not known.by_scores:  # a fact, if anything could have been gained
        return PROBLEM if sign_test(others, 0) < SURE else NOTE
    return PROBLEM if known.askable else NOTE


def _remedy_of_no_gain(
    known: Knowledge | None, severity: Severity, cases: float, others: float, majority: object
) -> str:
    """What to make of it; with nothing to be mended (no knowledge is given then) there can only be too few cases."""
    if known is not None and known.sure and known.by_scores:
        return (
            f"{known.words}: choose the threshold by costs instead of predicting the most probable class, and judge "
            "the model by its ranking and calibration."
        )
    if known is not None and known.sure:
        return f"{known.words}: judge the model by MCC and by each class, not by accuracy."
    if severity == NOTE or known is None:
        rare = others < cases / 4
        few = f"{counted(others)} of classes other than {class_words(majority)}" if rare else counted(cases)
        are = "is" if amount(others if rare else cases) == "1" else "are"
        return f"{few} {are} too few to tell whether the model is any better: collect more before judging it."
    return "Accuracy is no evidence that this model is useful: look at MCC and at each class."


@check(code="specialised", measures=("Acc", "EMA", "RCI", "ET_2MI"), diagram="entropy_triangle")
def specialised(s: Summary) -> Observation | None:
    """Is the accuracy high although the predictions carry little information about the class?"""
    c = s[Counts]
    acc, information = float(accuracy(c)), float(relative_information(c))
    if acc < HIGH_ACCURACY or not information < LITTLE_INFORMATION or (c.decided > 0).sum() < 2:
        return None
    ema, floor = float(entropy_modulated(c)), 1 / float(truth_perplexity(c))
    carried = f"the predictions carry little information about the class (RCI {number(information)})"
    title = f"Accuracy is {number(acc)}, but {carried}"
    words = (
        f"The model specialises in the frequent classes: its entropy-modulated accuracy (EMA) is {number(ema)}, and "
        f"knowing only the class frequencies gives {number(floor)}. The accuracy comes from class imbalance: judge the "
        "model by MCC, RCI or NIT."
    )
    evidence = {"Acc": acc, "RCI": information, "EMA": ema, "EMA by frequencies": floor}
    evidence |= {"ET_DH": float(triangle_imbalance(c)), "ET_2MI": float(triangle_information(c))}
    known = knowledge_of(s)
    if known.by_scores and known.sure:  # then it is the threshold that gives the rare classes up
        words += f" {known.words}: a lower threshold would find more cases of the rare classes."
    few = (c.truth.sum() - c.truth.max()) * effective(s) < FEW_CASES_OF_A_CLASS
    better = sign_test(*_against_the_majority(c, effective(s))) < SURE
    harmless = few or better or (known.by_scores and known.sure)
    return Observation(NOTE if harmless else WARNING, title, words, evidence)


@check(code="mislabelled-outputs", measures=("Acc", "AccRelabel"), diagram="confusion_matrix")
def mislabelled_outputs(s: Summary) -> Observation | None:
    """Would the accuracy be higher if the predicted classes had other names?"""
    c = s[Counts]
    if c.k != c.l or c.k < 2 or c.k > MOST_CLASSES:
        return None
    case, names = effective(s), s.source.classes
    cycles = exchanges(c.table, case)
    p = _chance_of_exchanges(c, cycles, case)
    if p >= SURE:
        return None
    ranks = ranking_of(s)
    # decisions that were given beside the scores may have other names than these
    by_scores = ranks.sure and s.source.decided is None
    wrong = [] if by_scores else cycles if ranks.reversed else [e for e in cycles if e.wrong]
    read = [(i, j) for e in wrong or cycles for i, j in e.pairs if c.table[i, j] > 0]
    before, best = float(accuracy(c)), float(accuracy_after_relabelling(c))
    after = before + float(sum(c.table[i, j] for i, j in read) - sum(c.hits[j] for _, j in read)) / float(c.table.sum())
    evidence = {"Acc": before, "AccRelabel": best, "MCC": float(matthews_correlation(c)), **ranks.evidence, "p": p}
    evidence |= {"read as": {str(names[j]): names[i] for i, j in read}, "names": "wrong" if wrong else "unsure"}
    swaps = listed([f"{class_words(names[j])} as {class_words(names[i])}" for i, j in read], MOST_NAMED)
    raised = f"would raise the accuracy from {number(before)} to {number(after)}"
    if wrong:
        words = (
            f"The difference is significant ({p_value(p)}): the column order or the label encoding is probably wrong. "
            "Correct it before reading anything else."
        )
        return Observation(PROBLEM, f"Classes seem to be mislabelled: reading {swaps} {raised}", words, evidence)
    biased = "the threshold is poorly chosen: move it"
    if c.k > 2:
        biased = "some classes are predicted too often: weight them by costs"
    if by_scores or all(e.before > 0 for e in cycles):
        reason = f"ROC AUC {number(ranks.value)}" if by_scores else f"MCC {number(evidence['MCC'])}"
        words = f"As labelled, predicted and true classes agree ({reason}), so the labels are right; {biased}."
        return Observation(WARNING, f"Reading {swaps} {raised}", words, evidence | {"names": "right"})
    words = f"Check the column order; the predictions alone do not show whether it is wrong. If it is right, {biased}."
    return Observation(WARNING, f"Reading {swaps} {raised}", words, evidence)


def _chance_of_exchanges(c: Counts, cycles: list[Exchange], case: float) -> float:
    """How likely it is by chance that another naming is right so much more often, of all that could have been."""
    moved = [pair for e in cycles for pair in e.pairs]
    gained = case * float(sum(c.table[i, j] for i, j in moved))
    lost = case * float(sum(c.hits[i] for i, _ in moved))
    ways = math.lgamma(c.k + 1) - math.lgamma(max(c.k - len(moved), 0) + 1)  # which classes could have been exchanged
    return min(1.0, sign_test(gained, lost) * math.exp(min(ways, 500.0)))


@check(
    code="decisions-contradict",
    needs=Needs.SCORES,
    measures=("Acc", "AUC"),
    diagram="confusion_matrix",
    restated=True,
)
def decisions_contradict(s: Summary) -> Observation | None:
    """Do the predictions contradict the scores that were given with them?"""
    p = s.source.cases
    if p is None or p.decided is None or p.scores is None or len(p.classes) > MOST_CLASSES_PAIRED:
        return None
    against, number = contradictions(p.decided[0], p.scores[0], p.probabilities)
    if against < max(CONTRADICTING_SHARE * number, FEW_CASES_OF_A_CLASS):
        return None
    what = "probabilities" if p.probabilities else "scores"
    title = f"{against} of {counted(number, 'prediction')} cannot come from these {what}"
    words = (
        f"No threshold and no costs of errors lead from the {what} to these predictions. They probably come from "
        f"another model, are in another order, or use other labels: check {option('y_pred')} against the {what}."
    )
    return Observation(WARNING, title, words, {"cases": against, "of": number, "share": against / number})


def contradictions(decided: Array, scores: Array, probabilities: bool) -> tuple[int, int]:
    """The least number of predictions that no threshold explains, and the number of those that were looked at.
    Whatever errors cost, cases predicted as a have a higher ratio of the probabilities of a and b (a difference of
    scores) than those predicted as b: of any two classes, some may be on the wrong side of the best threshold."""
    with np.errstate(divide="ignore"):
        x = np.log(scores) if probabilities else scores
    k = x.shape[1]
    worst = 0
    for a in range(k):
        for b in range(a):
            at = np.flatnonzero((decided == a) | (decided == b))
            with np.errstate(invalid="ignore"):
                ratio = np.nan_to_num(x[at, a] - x[at, b])
            worst = max(worst, _wrong_side(ratio, decided[at] == a))
    return worst, int((decided < k).sum())


def _wrong_side(x: Array, high: Array) -> int:
    """How many are on the wrong side of the best threshold on x; equal ones may be on either."""
    if high.all() or not high.any():
        return 0
    values, place = np.unique(x, return_inverse=True)
    ups, downs = (np.bincount(place[rows], minlength=len(values)) for rows in (high, ~high))
    missed = np.append(0, np.cumsum(ups))[:-1] + (downs.sum() - np.cumsum(downs))  # those at the threshold are excused
    return int(missed.min())


@check(
    code="less-accurate-than-possible", needs=Needs.PROBABILITIES, measures=("Acc", "MCC"), diagram="threshold_curve"
)
def less_accurate_than_possible(s: Summary) -> Observation | None:
    """Are the predictions less accurate than predicting the most probable class?"""
    p = s.source.cases
    if p is None or p.decided is None or p.scores is None:
        return None
    w = np.ones(p.n) if p.weight is None else p.weight[0]
    right, possible = p.right[0], p.scores[0].argmax(axis=1) == p.truth[0]
    gained, lost = (float(w[rows].sum()) for rows in (possible & ~right, right & ~possible))
    p_gain = sign_test(gained * effective(s), lost * effective(s))
    if gained - lost < ACCURACY_THAT_MATTERS * w.sum() or p_gain >= SURE:
        return None
    acc, best = (float(w[rows].sum() / w.sum()) for rows in (right, possible))
    title = (
        f"The predictions are correct for {share_of(acc, 'cases')}; predicting the most probable class would be "
        f"correct for {share_of(best, 'cases')}"
    )
    words = (
        f"The difference is significant (one-sided exact McNemar test, {p_value(p_gain)}). It is intended if errors "
        "have different costs and more cases of a rare class should be found. Otherwise the threshold is poorly "
        f"chosen: omit {option('y_pred')}, or choose the threshold by costs."
    )
    return Observation(NOTE, title, words, {"Acc": acc, "most probable": best, "gained": gained, "lost": lost})


@check(code="never-decided", measures=("TPR", "MAvG"), diagram="confusion_matrix", restated=True)
def never_decided(s: Summary) -> Observation | None:
    """Are there classes that occur but are never predicted?"""
    c = s[Counts]
    u = np.zeros(c.k)
    u[: min(c.k, c.l)] = c.decided[: min(c.k, c.l)]
    missing = np.flatnonzero((u == 0) & (c.truth > 0))
    if not len(missing):
        return None
    names, cases = [s.source.classes[j] for j in missing], c.truth[missing]
    title = f"The model never predicts {classes_words(names)}"
    belong = f"{amount(float(cases.sum()))} of {counted(float(c.truth.sum()))} belong to"
    if s.source.decreed:  # these are shares then, and no cases
        belong = f"{percent(float(cases.sum() / c.truth.sum()))} of the cases belong to"
    words = (
        f"{belong} {'it' if len(names) == 1 else 'them'}: recall is 0, precision is 0 by convention, and the geometric "
        "mean of the recalls (MAvG) is 0."
    )
    ranked = not s.source.lacks(Needs.SCORES) and not same_scores(s)
    if ranked:
        words += " A rare class may never be the most probable one: to find its cases, choose the threshold by costs."
    # of scores it is asked elsewhere whether they are what they should be
    grave = cases_of_classes(s)[missing].max() >= FEW_CASES_OF_A_CLASS and not ranked
    return Observation(WARNING if grave else NOTE, title, words, {"classes": names, "cases": cases.tolist()})


@check(code="absent-classes", measures=("MAvA", "AU1U"), diagram="confusion_matrix")
def absent_classes(s: Summary) -> Observation | None:
    """Are there classes without a single case?"""
    c = s[Counts]
    missing = np.flatnonzero(c.truth == 0)
    if not len(missing):
        return None
    names = [s.source.classes[j] for j in missing]
    decided = float(c.decided[[j for j in missing if j < c.l]].sum())
    title = f"There are no cases of {classes_words(names)}"
    them, their = ("it", "its") if len(names) == 1 else ("them", "their")
    one, which = amount(decided) == "1", class_words(names[0]) if len(names) == 1 else "one of them"
    wrong = f" {counted(decided)} {'is' if one else 'are'} predicted as {which}, {'' if one else 'all '}incorrectly."
    words = f"Averages over the classes leave {them} out, and {their} recall is unknown.{wrong if decided else ''}"
    evidence = {"classes": names, "decided": decided}
    return Observation(WARNING if _surely_missing(s, missing, decided) else NOTE, title, words, evidence)


def _surely_missing(s: Summary, places: Array, decided: float) -> bool:
    """Should there have been a case of these classes? By what the probabilities promise, or by the number of
    predictions of them."""
    p = s.source.cases
    if p is None or not p.probabilities or p.scores is None:
        return bool((1 - PRECISION_OF_RARE_CLASSES) ** (decided * effective(s)) < SURE)
    w = 1.0 if p.weight is None else p.weight[0] * effective(s)
    rest = np.clip(1 - p.scores[0][:, places].sum(axis=1), LEAST_REST, 1)
    return float((w * np.log(rest)).sum()) < math.log(SURE)


@check(code="few-cases", measures=("TPR",), diagram="confusion_matrix", restated=True)
def few_cases(s: Summary) -> Observation | None:
    """Are there classes with too few cases to judge?"""
    t = cases_of_classes(s)
    few = np.flatnonzero((t > 0) & (t < FEW_CASES_OF_A_CLASS))
    if not len(few):
        return None
    names = [s.source.classes[j] for j in few]
    title = f"Only {listed([f'{counted(t[j])} of {class_words(s.source.classes[j])}' for j in few], MOST_NAMED)}"
    fewest = int(t[few].argmin())
    moves = (
        f"one case more or less changes the recall of {class_words(names[fewest])} by {number(1 / t[few][fewest])}"
        if t[few][fewest] > 1 + NOTHING
        else f"the recall of {class_words(names[fewest])} can only be 0 or 1"
    )
    words = (
        "Recall, and every average with equal weights for the classes (such as balanced accuracy), depends on these "
        f"few cases: {moves}."
    )
    return Observation(NOTE, title, words, {"classes": names, "cases": t[few].tolist()})


@check(code="blocks", measures=("EMA", "NIT", "MI"), diagram="confusion_matrix")
def block_structure(s: Summary) -> Observation | None:
    """Do errors tend to stay within groups of classes?"""
    c = s[Counts]
    if not 4 <= c.k <= MOST_CLASSES or c.l < c.k:
        return None
    groups = class_groups(c.table[:, : c.k])
    if groups is None or groups.inside < EXCESS_INSIDE_GROUPS * groups.expected:
        return None
    n = groups.errors * effective(s)
    tail = binomial_tail(groups.inside * n, n, groups.expected)
    if not (tail == 0 or math.log(tail) + groups.log_partitions < math.log(SURE)):
        return None
    names = [[s.source.classes[j] for j in group] for group in groups.classes]
    listing = "; ".join(listed(group, MOST_NAMED) for group in names if len(group) > 1)
    title = f"Errors tend to stay within groups of classes: {listing}"
    words = (
        f"{percent(groups.inside)} of the errors are within a group; {percent(groups.expected)} are expected if errors "
        "do not depend on the true class. The model separates the groups better than their members: EMA and NIT reward "
        "that, accuracy and MCC do not."
    )
    return Observation(NOTE, title, words, {"groups": names, "inside": groups.inside, "expected": groups.expected})
