"""`karat.compare`: which of some models is better, on which measures, by how much, and how surely."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np

from karat.comparisons.comparison_record import Comparison
from karat.comparisons.corrections import corrected, tested_aspects
from karat.comparisons.difference import ASPECTS, ASPECTS_OF_PAPERS, ASPECTS_OF_POSITIVE, Difference, Pair
from karat.comparisons.difference_test import USUAL_EXCHANGES
from karat.comparisons.equivalence import margin_ends
from karat.comparisons.exchange_law import exchanges_needed
from karat.comparisons.judgement import BOOTSTRAP, SIDES
from karat.comparisons.model_inputs import BY_NAME, evaluations_of, models_by_name
from karat.comparisons.paired_blocks import PairedBlocks, without_cases
from karat.comparisons.paired_models import PairedModels
from karat.core.arithmetic import TOLERANCE
from karat.core.errors import InputError, option
from karat.core.keywords import understand
from karat.core.measure import Measure
from karat.core.validation import one_of, whole
from karat.core.words import counted, listed
from karat.evaluation import Evaluation
from karat.findings.copies import told_of_copies
from karat.intervals.interval_way import known_frequencies
from karat.measures.choices import refuse_unchosen
from karat.measures.lookup import Named, find, headline, headline_of_one, measures_named, one_word
from karat.measures.value import MeasureOf, measures_of
from karat.resampling.draws import Resampling
from karat.statistics import Summary

TESTS = {"auto": "auto", "bootstrap": "percentile", "permutation": "exchange"}
"""Other names of methods."""
METHODS = ("auto", "jackknife", "exchange", *BOOTSTRAP)
MOST_EXCHANGES = 10_000
"""So many are drawn at most, unless more replicates were asked for."""
ALTERNATIVES = (*SIDES, "better", "worse")


@understand(usage=f"karat.{BY_NAME}")
def compare(
    models: Any,
    y_true: Any = None,
    *others: Any,
    measures: Named | None = None,
    baseline: str | None = None,
    kind: str = "probabilities",
    labels: Any = None,
    positive: Any = None,
    sample_weight: Any = None,
    ids: Any = None,
    align: str = "row",
    margin: float | tuple[float, float] | Mapping[Any, Any] | None = None,
    alternative: str = "two-sided",
    classes: Any = None,
    method: str = "auto",
    test: str = "auto",
    paired: bool = True,
    level: float = 0.95,
    replicates: int = 1000,
    seed: int = 0,
    stratified: bool = False,
    groups: Any = None,
    workers: int | None = None,
    among: int | None = None,
) -> Comparison:
    """Compare two or more models on the same cases.

    Parameters
    ----------
    models : dict
        {name: probabilities}, or {name: evaluation}. Evaluations may also be given without names,
        `compare(e1, e2)` or `compare([e1, e2])`; they are then called "model 1", "model 2", ...
    y_true : array-like of shape (n,), optional
        True labels; left out if the models are evaluations.
    measures : names of measures, "papers" or "all", optional
        What to compare. By default what an evaluation shows, and the verdict speaks of MCC, ROC AUC, log loss and
        calibration error; so it does with the 27 measures of the papers ("papers") and with all of them ("all"). If
        measures are named, the verdict speaks of these.
    baseline : str, optional
        Compare each model with this one only, instead of every two.
    kind : {"probabilities", "scores", "decisions"}, default "probabilities"
        What the models are given as; "decisions" are predicted labels.
    labels, positive, sample_weight, align
        As in `karat.evaluate`.
    ids : array-like of shape (n,) or dict, optional
        The id of each case. Evaluations that have ids are joined by them, in the order of the first; so are arrays in
        orders of their own, if `ids` and `y_true` (and `sample_weight`) are {model: ...}. Missing, duplicate or unknown
        ids are an error. Without ids models are paired by row, and `c.pairing` says so.
    margin : float, tuple or dict, optional
        The smallest difference that matters, a pair (below 0, above 0), or {measure: one of these}: equivalence (two
        one-sided tests) and non-inferiority of the first model are then tested, too.
    alternative : {"two-sided", "greater", "less", "better", "worse"}, default "two-sided"
        What is tested: that the first value is greater or less than the second; or that the first model is better or
        worse, which for a loss is the other way round.
    classes : "all" or sequence of labels, optional
        Compare measures of one class for these classes, under `symbol[class]`, corrected for their number; where no
        measures are named, precision, recall, F1, ROC AUC and average precision. What is one number for both of two
        classes (ROC AUC) is compared once, under its symbol.
    method : {"auto", "jackknife", "exchange", "percentile", "basic", "bca"}, default "auto"
        How the p-value and the interval of a difference are made, both in one way, so that the interval holds 0
        exactly if p is above 1 - level. "auto": McNemar's test for accuracy (mid-p), draws of outcomes and permutations
        for ECE, permutations (of ranks, below 100 cases) for areas and other measures of order, and for all others
        Student's t of the bias-corrected difference, from leaving out cases ("jackknife"), of mean losses as if part of
        a case more had had another outcome, since few cases do not show rare, large losses. "exchange" (or
        "permutation"): exchanging the predictions of the models case by case (or group by group), in all ways or
        `replicates` at random. "percentile" (or "bootstrap"), "basic" or "bca": the paired bootstrap. Where there are
        few cases or groups (below 50; 100 for measures of predicted classes; 10 that the models differ on; a handful of
        a class), the larger p-value of that and of permutations.
    test : {"auto", "bootstrap", "permutation"}, default "auto"
        The same as `method` "percentile" and "exchange".
    paired : bool, default True
        False if each model was given cases of its own (they must share no ids); the t test is then Welch's. Where a
        model shows no error the difference has its interval from those of both models.
    level : float, default 0.95
        Confidence of tests and intervals.
    replicates : int, default 1000
        Of bootstrap and permutations.
    seed : int, default 0
        The same seed gives the same numbers.
    stratified : bool, default False
        Resample within classes; so it is done after `at_prevalence`, unless there are groups.
    groups : array-like of shape (n,), optional
        Cases of one group (a patient, a user) belong together; in the order of the first model.
    workers : int, optional
        Threads; by default all cores where that pays.
    among : int, optional
        Of how many models these were chosen as the best, to correct for the choice.

    Returns
    -------
    Comparison
        `c.verdict`, `c["forest", "tree"]["MCC"]`, `c.to_table()`, `c.plot()`, `c.report(path)`. p-values are corrected
        (Holm) for the number of pairs and classes, those of the verdict for all its tests; intervals are of each
        difference alone (`c.corrections`).

    Raises
    ------
    InputError
        Where the input is not what it should be; the message says what to do.

    See Also
    --------
    evaluate : one model.
    compare_across : models on many data sets.
    compare_estimators : models with scikit-learn's methods, by cross-validation.
    mcnemar, cochran, bowker, permutation_test, equivalence : single tests.

    Examples
    --------
    >>> y = [0, 0, 0, 1, 1, 1, 0, 1, 0, 1, 0, 1] * 5
    >>> a = [.1, .2, .3, .9, .8, .7, .2, .9, .2, .9, .1, .8] * 5
    >>> b = [.6, .2, .7, .4, .8, .3, .5, .9, .3, .5, .4, .6] * 5
    >>> c = compare({"a": a, "b": b}, y, measures=["MSE"])
    >>> c["a", "b"]["MSE"].better
    'a'
    """
    method = _method(method, test)
    one_of("alternative", alternative, ALTERNATIVES)
    resampling = Resampling.of(level, replicates, seed, stratified, groups, workers)
    models, y_true = models_by_name(models, y_true, others)
    given: dict[str, Any] = {"kind": kind, "ids": ids, "sample_weight": sample_weight, "paired": paired}
    evaluations = evaluations_of(models, y_true, labels=labels, positive=positive, align=align, **given)
    next(iter(evaluations.values())).refuse_other_cases(groups=groups)
    decreed = all(e.statistics.source.decreed for e in evaluations.values())
    resampling = resampling.keeping(decreed)
    if not paired and (groups is not None or method != "auto"):
        raise InputError(
            "models on different cases are compared by Welch's t test of single cases; leave out groups and method."
        )
    names = _pairs(list(evaluations), baseline)
    if method == "exchange":
        _check_exchanges(resampling, len(names))
    chosen = not _unchosen(measures)
    aspects = {} if chosen else _aspects(evaluations, measures, classes)
    named = compared_measures(measures, evaluations, aspects)
    first = next(iter(evaluations.values())).statistics
    for m in named if chosen and classes is None else ():
        refuse_unchosen(m, first, f"; {option('compared_classes')} compares each class")
    if classes is not None and not any(m.classwise for m in named):
        named = _with_single_classes(named, first, chosen)
    wanted = _each_once(measures_of(named, classes, first), [e.statistics for e in evaluations.values()])
    aspects |= {m.key: m.key for m in wanted if chosen}
    all_pairs = _pairs_of_all(len(names), len(evaluations), among)
    claims = all_pairs * len(aspects)
    drawn = resampling.replicates
    if method != "exchange":  # so many that the verdict could claim something
        needed = min(exchanges_needed(claims, resampling.level), MOST_EXCHANGES)
        drawn = max(drawn, USUAL_EXCHANGES, needed)
    choices = (_margins(margin, named), method, alternative, paired, drawn, [*aspects.values()])
    judges = (PairedBlocks if without_cases(evaluations) else PairedModels)(evaluations, wanted, resampling, *choices)
    alone = {two: {m.key: judges.difference(m, two) for m in wanted} for two in names}
    tested = tested_aspects(alone, aspects)
    judged = corrected(wanted, alone, resampling.level, all_pairs, tested)
    made = all_pairs * max(len(tested), 1)
    caveat = told_of_copies({name: e.statistics for name, e in evaluations.items()}, judges.cluster) if paired else ""
    common = (aspects, resampling.level, made, alternative, caveat)
    pairs = {two: Pair(two, of_two, judges.flips(two), judges.areas(two), *common) for two, of_two in judged.items()}
    options = (resampling.level, resampling.replicates, resampling.seed, method, alternative, paired, aspects)
    align = "row" if y_true is None else align
    frequencies = known_frequencies(first, grouped=groups is not None) if decreed else ""
    return Comparison(evaluations, named, pairs, baseline, *options, align, caveat, frequencies)


def _pairs_of_all(pairs: int, models: int, among: int | None) -> int:
    """How many pairs are to be corrected for: those compared, or all of the models that these were chosen from."""
    if among is None:
        return pairs
    among = whole("among", among)
    if among < models:
        raise InputError(
            f"among is {among}, and {models} models were given; give the number that these were chosen from."
        )
    return max(pairs, among * (among - 1) // 2)


def _method(method: str, test: str) -> str:
    one_of("test", test, TESTS)
    method = one_of("method", TESTS.get(method, method) if isinstance(method, str) else method, METHODS)
    if test != "auto" and method != "auto":
        raise InputError(f"both method={method!r} and test={test!r} were given; give method alone.")
    return method if test == "auto" else TESTS[test]


def _unchosen(measures: Named | None) -> bool:
    """Were no measures named, but perhaps one word for many?"""
    return measures is None or one_word(measures)


def _aspects(models: Mapping[str, Evaluation], measures: Named | None, classes: Any) -> dict[str, str]:
    """What a verdict about these models speaks of unless measures were named, as far as what was given allows it."""
    summaries = [e.statistics for e in models.values()]
    source = summaries[0].source
    of_positive = len(source.classes) == 2 and source.positive is not None and classes is None
    aspects = ASPECTS_OF_PAPERS if measures == "papers" else ASPECTS_OF_POSITIVE if of_positive else ASPECTS
    return {
        aspect: symbol
        for aspect, symbol in aspects.items()
        if not all(summary.lacks(find(symbol).statistic) for summary in summaries)
    }


def _with_single_classes(named: tuple[Measure, ...], summary: Summary, chosen: bool) -> tuple[Measure, ...]:
    """Measures of one class as well, since classes shall be compared."""
    of_one = headline_of_one(summary)
    if chosen:
        given, choices = (listed([m.symbol for m in some]) for some in (named, of_one))
        raise InputError(
            f"{option('compared_classes')} compares measures of one class, and {given} "
            f"{'are' if len(named) > 1 else 'is'} of all classes; name one as well: {choices}."
        )
    return (*named, *of_one)


def _each_once(wanted: list[MeasureOf], summaries: list[Summary]) -> list[MeasureOf]:
    """One number of both of two classes (ROC AUC) is one measure, by its symbol: tested twice it would count twice."""
    once: dict[str, MeasureOf] = {}
    for m in wanted:
        both = [one for one in wanted if one.measure is m.measure and one.place is not None]
        if len(both) == 2 == len(summaries[0].source.classes) and m.measure.either_class and _equal(both, summaries):
            m = replace(both[1], key=m.measure.symbol)
        once.setdefault(m.key, m)
    return list(once.values())


def _equal(both: list[MeasureOf], summaries: list[Summary]) -> bool:
    """Has every model one value of them, or none?"""
    with np.errstate(all="ignore"):
        values = [[m.value(s) for m in both] for s in summaries if not any(m.why_not(s) for m in both)]
    first, second = np.reshape(values, (-1, 2)).T
    return np.allclose(first, second, rtol=1e-9, atol=TOLERANCE, equal_nan=True)


def compared_measures(
    measures: Named | None = None,
    models: Mapping[str, Evaluation] | None = None,
    aspects: Mapping[str, str] = ASPECTS,
) -> tuple[Measure, ...]:
    """The measures that were named; otherwise those that evaluations of the models show (without models those of the
    papers), and those of the verdict."""
    if measures is None and models:
        named = [m for e in models.values() for m in headline(e.statistics)]
    else:
        named = measures_named(measures)
    spoken = map(find, aspects.values()) if _unchosen(measures) else ()
    return tuple({m.symbol: m for m in (*named, *spoken)}.values())


def _pairs(names: list[str], baseline: str | None) -> list[tuple[str, str]]:
    """Every two models, or each with the baseline."""
    if baseline is None:
        return list(combinations(names, 2))
    if baseline not in names:
        raise InputError(f"the baseline {baseline!r} is not one of the models; choose one of {', '.join(names)}.")
    return [(name, baseline) for name in names if name != baseline]


def _check_exchanges(resampling: Resampling, pairs: int) -> None:
    """Could a permutation test of so many pairs tell anything?"""
    least = exchanges_needed(pairs, resampling.level)
    if 2 * pairs > (1 - resampling.level) * (resampling.replicates + 1):
        raise InputError(
            f"replicates is {resampling.replicates}, with which no difference of {counted(pairs, 'pair')} could be "
            f"significant; give at least {least}, or a baseline."
        )


def _margins(
    margin: float | tuple[float, float] | Mapping[Any, Any] | None, named: tuple[Measure, ...]
) -> dict[str, tuple[float, float]]:
    """{symbol: the differences between which none matters}, of the measures that it was said of."""
    if margin is None:
        return {}
    if not isinstance(margin, Mapping):
        return {m.symbol: margin_ends(margin) for m in named}
    margins = {find(key).symbol: margin_ends(value) for key, value in margin.items()}
    others = [symbol for symbol in margins if symbol not in {m.symbol for m in named}]
    if others:
        raise InputError(
            f"margin names {listed(others)}, which is not compared; leave it out, or add it to {option('measures')}."
        )
    return margins


__all__ = ["Comparison", "Difference", "Pair", "compare"]
