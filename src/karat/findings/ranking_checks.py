"""Findings about rankings: read from pairs of cases and score tables."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from karat.core.arithmetic import Array
from karat.core.finding import NOTE, PROBLEM, Observation, check
from karat.core.statistic import Needs
from karat.core.words import counted, listed, number, percent
from karat.findings.class_words import MOST_NAMED, class_words
from karat.measures.ranking import area_under_roc, mean_precision
from karat.statistics import Pairs, Summary
from karat.statistics.p_values import SURE, cases_of_classes, normal_tail

RARE_CLASS_SHARE = 0.05
"""A class rarer than this makes false positive rates look small while most alarms are false."""
LOW_PRECISION = 0.5
"""Below it, most of the cases at the top of the ranking are not of the class."""
AREA_AND_PRECISION = 0.1
"""An average precision that is no further below the area shows nothing that the area hides."""
HIGH_AREA = 0.8
"""An area that people report with pride."""
MOST_CLASSES_TABLED = 50
"""Score tables are taken one by one up to this number of classes."""
MANY_TIED_PAIRS = 0.1
"""Ties count one half in the AUC: with this share of tied pairs it could be .05 higher or lower."""

CASES_OF_A_CONSTANT = 10
"""Fewer cases may have the same scores by accident: of a tree, or by rounding."""
NOTHING = 1e-9
"""Scores that differ by less than this share of themselves are the same: arithmetic leaves that much."""
SOME = 1000
"""Cases that are looked at first: hardly ever are the scores of so many the same."""


@dataclass(frozen=True)
class Ranking:
    """Do the scores of two classes rank their cases?"""

    symbol: str = "AUC"
    value: float = math.nan
    sure: bool = False
    """does it surely exceed one half?"""
    reversed: bool = False
    """is it surely below one half?"""
    chance: float = 1.0
    """of that or more, if the scores knew nothing"""

    @property
    def evidence(self) -> dict[str, Any]:
        """What is known."""
        return {} if math.isnan(self.value) else {self.symbol: self.value}


def ranking_of(s: Summary) -> Ranking:
    """The area under the curve of two classes, and whether it surely exceeds one half (Mann and Whitney's test)."""
    if len(s.source.classes) != 2 or s.lacks(Pairs):
        return Ranking()
    place = 1 if s.source.positive is None else s.source.positive
    value = float(area_under_roc(s[Pairs])[place])
    m, n = cases_of_classes(s).tolist()
    if not (m > 0 and n > 0):
        return Ranking()
    z = (value - 0.5) / math.sqrt((m + n + 1) / (12 * m * n))
    return Ranking("AUC", value, normal_tail(z) < SURE, normal_tail(-z) < SURE, normal_tail(z))


def same_scores(s: Summary) -> bool:
    """Do all cases have the same scores (but for what arithmetic leaves)?"""
    p, added = s.source.cases, s.source.added
    if added is not None:
        return bool(added.grids) and all(_same(np.concatenate(g.ends)[:, None]) for g in added.grids)
    if p is None or p.held is None or p.n < 2:
        return False
    return all(_same(part) for part in (p.held[0, :SOME], p.held[0]))  # mostly the first of them tell


def _same(scores: Array) -> bool:
    low, high = scores.min(axis=0), scores.max(axis=0)
    return bool((high - low <= NOTHING * np.maximum(np.abs(low), np.abs(high))).all())


def _first_scores(s: Summary) -> Array:
    """[k]: of the first case, or of the lowest of each class."""
    p = s.source.cases
    if p is not None and p.scores is not None:
        return np.asarray(p.scores[0][0])
    return np.array([s.table_of_class(j).scores[0] for j in range(len(s.source.classes))])


@check(code="constant-scores", needs=Needs.SCORES, measures=("AUC", "MCC"), diagram="discrimination", restated=True)
def constant_scores(s: Summary) -> Observation | None:
    """Do all cases have the same probabilities, or scores?"""
    p = s.source
    if not same_scores(s) or len(p.classes) < 2:
        return None
    values = _first_scores(s)
    what = "probabilities" if p.probabilities else "scores"
    of_each = listed(
        [f"{number(float(x))} for {class_words(name)}" for x, name in zip(values, p.classes, strict=True)], MOST_NAMED
    )
    title = f"All {counted(p.n)} have the same {what}" + (f": {of_each}" if p.probabilities else "")
    words = (
        "The output does not depend on the case, so nothing can be ranked or separated: the model has learnt "
        f"{'at most the class frequencies' if p.probabilities else 'nothing'}, or a constant was passed by mistake."
    )
    enough = p.n >= CASES_OF_A_CONSTANT
    return Observation(PROBLEM if enough else NOTE, title, words, {"scores": values.tolist()})


@check(code="reversed-scores", needs=Needs.SCORES, measures=("AUC", "Gini"), diagram="roc_curve", restated=True)
def reversed_scores(s: Summary) -> Observation | None:
    """Do the scores rank the cases in reverse?"""
    ranks = ranking_of(s)
    if not ranks.reversed:
        return None
    name = class_words(s.source.classes[1 if s.source.positive is None else s.source.positive])
    title = f"The scores rank the cases in reverse (ROC AUC {number(ranks.value)})"
    words = (
        f"Cases of {name} tend to have lower scores for {name} than the others (Mann-Whitney test, p < {SURE}); with "
        f"reversed scores the ROC AUC would be {number(1 - ranks.value)}. The scores probably belong to the other "
        "class: pass the other column, or change the sign."
    )
    return Observation(PROBLEM, title, words, ranks.evidence)


@check(
    code="rare-positive", needs=Needs.SCORES, measures=("AUC", "AP", "AUPRC"), diagram="precision_recall", restated=True
)
def rare_positive(s: Summary) -> Observation | None:
    """Is the positive class so rare that the ROC AUC looks better than the ranking is?"""
    place = s.source.positive
    if len(s.source.classes) != 2 or place is None:
        return None
    weight = s.source.class_weight
    share = float(weight[place] / weight.sum())
    if not 0 < share < RARE_CLASS_SHARE:
        return None
    area = float(area_under_roc(s[Pairs])[place])
    precision = float(mean_precision(s.table_of_class(place)))
    if area - precision < AREA_AND_PRECISION:
        return None
    name = class_words(s.source.classes[place])
    title = f"Only {percent(share)} of the cases are {name}: a ROC AUC of {number(area)} can be misleading"
    false = "most" if precision < LOW_PRECISION else f"on average {percent(1 - precision)} of the"
    words = (
        f"Average precision is {number(precision)}, that of a random ranking {number(share)}: going down the ranking, "
        f"{false} positive predictions are false"
        + (", although the false positive rate is low. " if area >= HIGH_AREA else ". ")
        + "Look at the precision-recall curve as well as the ROC curve."
    )
    return Observation(NOTE, title, words, {"share": share, "AUC": area, "AP": precision})


@check(code="tied-scores", needs=Needs.SCORES, measures=("AUC", "CalL"), diagram="roc_curve", restated=True)
def tied_scores(s: Summary) -> Observation | None:
    """Do many cases of different classes have the same score?"""
    k = len(s.source.classes)
    places = [s.source.positive] if s.source.positive is not None else range(k if k <= MOST_CLASSES_TABLED else 0)
    worst = (0.0, 0, 0)
    for j in places:
        t = s.table_of_class(j)
        pairs = float(t.positive.sum() * t.negative.sum())
        if pairs > 0:
            worst = max(worst, (t.mixed[0] / pairs, len(t.scores), j))
    share, values, j = worst
    if share < MANY_TIED_PAIRS or values < 2:  # one value for all is another finding
        return None
    name = s.source.classes[j]
    title = f"Many tied scores: only {values} distinct scores of {class_words(name)} for {counted(s.source.n)}"
    words = (
        f"{percent(share)} of the pairs of a case of {class_words(name)} and a case of another class are tied; each "
        f"counts one half in the ROC AUC, and curves have only {values} steps. Thresholds between two neighbouring "
        "scores all give the same predictions."
    )
    return Observation(NOTE, title, words, {"class": name, "tied pairs": share, "scores": values})
