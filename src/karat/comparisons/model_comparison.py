"""`karat.compare`: which of some models is better, on which measures, by how much, and how surely."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.comparisons.corrections import corrected, tested_aspects
from karat.comparisons.difference import ASPECTS, Difference, Pair, alternative_in_words
from karat.comparisons.equivalence import margin_ends
from karat.comparisons.exchange_law import exchanges_needed
from karat.comparisons.judgement import BOOTSTRAP, SIDES
from karat.comparisons.paired_models import USUAL_EXCHANGES, PairedModels
from karat.core.arithmetic import Array
from karat.core.errors import InputError, option
from karat.core.measure import Measure
from karat.core.record import Record, Verdict
from karat.core.table import Table
from karat.core.validation import false_alarms, one_of, too_few, whole
from karat.core.words import listed, number, p_value, within
from karat.data.pairing import of_model, pairing_of, refuse_own_orders
from karat.evaluation import Evaluation, evaluate, evaluations_in_one_order, identified
from karat.measures.choices import refuse_unchosen
from karat.measures.lookup import Named, find, measures_named, papers
from karat.measures.value import measures_of
from karat.resampling.draws import Resampling
from karat.statistics.summary import same_cases, summaries_of

if TYPE_CHECKING:
    from karat.concordance.rankings import Rankings
    from karat.core.finding import Findings
    from karat.decisions.dominance import Dominance

KINDS = {"probabilities": "y_proba", "scores": "y_score", "decisions": "y_pred"}
TESTS = {"auto": "auto", "bootstrap": "percentile", "permutation": "exchange"}
METHODS = ("auto", "jackknife", "exchange", *BOOTSTRAP)
MOST_EXCHANGES = 10_000
"""So many are drawn at most, unless more replicates were asked for."""
_STARVED = "with too few replicates to tell it from"
ALTERNATIVES = (*SIDES, "better", "worse")


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Verdict):
    """Several models: `c["forest", "logistic"]["MCC"]`, `c.verdict`, `c.to_table()`."""

    models: dict[str, Evaluation]
    measures: tuple[Measure, ...]
    pairs: dict[tuple[str, str], Pair]
    baseline: str | None
    level: float
    replicates: int
    seed: int
    method: str = "auto"
    """how p-values and intervals were asked to be found"""
    alternative: str = "two-sided"
    paired: bool = True
    aspects: dict[str, str] = field(default_factory=dict)
    """what the verdict speaks of: aspect, and the measure that it is judged by"""

    def __getitem__(self, names: tuple[str, str]) -> Pair:
        if names in self.pairs:
            return self.pairs[names]
        if isinstance(names, tuple) and names[::-1] in self.pairs:
            return self.pairs[names[::-1]].turned()
        raise InputError(
            f"{names!r} is no pair that was compared; there are {', '.join(map(repr, list(self.pairs)[:6]))}."
        )

    @property
    def verdict(self) -> str:
        """What was found, in plain words. All it claims holds together: p-values are corrected (Holm) over all pairs of
        models and all aspects that it speaks of."""
        few = too_few(self.replicates, self.level) if self.method in BOOTSTRAP else ""
        return f"{self._sentences()} ({few}.)" if few else self._sentences()

    def _sentences(self) -> str:
        if len(self.pairs) == 1:
            return next(iter(self.pairs.values())).verdict
        if self.baseline is not None:
            return " ".join(f"{pair.names[0]} against {self.baseline}: {pair.verdict}" for pair in self.pairs.values())
        of_aspect = self._standing if self.alternative == "two-sided" else self._one_sided
        clauses = [clause for aspect, key in self.aspects.items() if (clause := of_aspect(aspect, key))]
        text = "; ".join(clauses)
        return f"{text[0].upper()}{text[1:]}." if text else next(iter(self.pairs.values())).verdict

    def _standing(self, aspect: str, key: str) -> str:
        """Which model is best on an aspect, and from which it can't be told apart; empty if that can't be said."""
        m = self.measure_of(key)
        values = {name: value for name, value in self.values_of(key).items() if value == value}
        if not m.orientation or len(values) < 2:
            return ""
        best = max(values, key=lambda name: values[name] * m.orientation)
        differences = {name: self[best, name].differences[key] for name in values if name != best}
        open_still = {name: d for name, d in differences.items() if d.winner(self.level) is None and not d.equal}
        claims = next(iter(self.pairs.values())).claims
        kinds: dict[str, list[str]] = {"not to be told apart from": [], "not tested against": [], _STARVED: []}
        for name, d in open_still.items():
            starved = _STARVED if d.starved(claims, self.level) else "not to be told apart from"
            kinds[starved if d.p == d.p else "not tested against"].append(name)
        rest = "".join(f", {what} {listed(names)}" for what, names in kinds.items() if names)
        for name, d in differences.items():
            if d.winner(self.level) is None and d.equal:
                rest += f", equal to {name} within {within(d.margin)} ({p_value(d.p_equivalent)})"
        measured = number(values[best]) if aspect == key else f"{key} {number(values[best])}"
        return f"on {aspect} {best} is best ({measured}{rest or ', significantly'})"

    def _one_sided(self, aspect: str, key: str) -> str:
        """What was shown of each model against those after it: the other side was not asked."""
        word, sentences = alternative_in_words(self.alternative), []
        if self.alternative in ("better", "worse") and not self.measure_of(key).orientation:
            return ""
        for name in self.models:
            parts: dict[str, list[str]] = {}
            for (first, second), pair in self.pairs.items():
                d = pair.differences[key]
                if first == name and d.difference == d.difference:
                    shown = d.familywise <= false_alarms(self.level)
                    what = f"{word} than" if shown else f"not shown to be {word} than"
                    if not shown and d.equal:
                        what = f"equal, within {within(d.margin)}, to"
                    parts.setdefault(what if d.p == d.p else "not tested against", []).append(second)
            texts = [f"{what} {listed(parts[what])}" for what in sorted(parts, key=lambda x: x.startswith("not"))]
            sentences += [f"{name} is {', and '.join(texts)}"] if texts else []
        return f"on {aspect} {'; '.join(sentences)}" if sentences else ""

    @property
    def measure_keys(self) -> tuple[str, ...]:
        """What was compared: symbols of measures, those of single classes as `symbol[class]`."""
        return tuple(next(iter(self.pairs.values())).differences)

    def measure_of(self, key: str) -> Measure:
        """The measure that such a key names."""
        return next(m for m in self.measures if key == m.symbol or key.startswith(f"{m.symbol}["))

    def values_of(self, key: str) -> dict[str, float]:
        """Of each model."""
        values: dict[str, float] = {}
        for pair in self.pairs.values():
            values |= dict(zip(pair.names, pair.differences[key].values, strict=True))
        return {name: values[name] for name in self.models}

    @property
    def pairing(self) -> str:
        """How the cases of the models were put beside each other: by id, or by row."""
        if not self.paired:
            return "none: the models were given different cases"
        return pairing_of(e.ids for e in self.models.values())

    @property
    def test(self) -> str:
        """The method by its other name: auto, bootstrap or permutation."""
        return "bootstrap" if self.method in BOOTSTRAP else "permutation" if self.method == "exchange" else "auto"

    @property
    def corrections(self) -> str:
        """What p-values and intervals are corrected for, in two sentences."""
        claims = next(iter(self.pairs.values())).claims
        differences = {two: pair.differences for two, pair in self.pairs.items()}
        pairs = claims // max(len(tested_aspects(differences, self.aspects)), 1)
        by_class = len(self.measure_keys) > len(self.measures)
        of_each = [*([f"{pairs} pairs of models"] if pairs > 1 else []), *(["the classes"] if by_class else [])]
        alone = f"corrected (Holm) over {listed(of_each)}" if of_each else "of each measure alone"
        verdict = f"; the verdict is corrected for all {claims} tests that it rests on" if claims > 1 else ""
        return f"p-values are {alone}{verdict}. {100 * self.level:g} % intervals are of each difference alone."

    @property
    def methods(self) -> dict[str, list[str]]:
        """Where p-values come from: each method, and the measures that it was used for."""
        by_method: dict[str, dict[str, None]] = {}
        for pair in self.pairs.values():
            for d in pair.differences.values():
                by_method.setdefault(d.method, {})[d.measure] = None
        return {method: list(symbols) for method, symbols in by_method.items()}

    def rankings(self) -> Rankings:
        """Which measure would choose which model."""
        from karat.concordance.rankings import rankings_of

        rankings = rankings_of(self.models, self.measures)
        if rankings is None:
            raise InputError("none of the measures says of every model how good it is; compare others.")
        return rankings

    def dominance(self, **options: Any) -> Dominance:
        """Which model is best under which costs and class frequencies (two classes): see `karat.dominance`."""
        from karat.decisions.dominance import dominance

        return dominance(self.models, **options)

    def findings(self) -> Findings:
        """What should be known about the models together."""
        from karat.findings.collection import findings_of

        return findings_of(self.models)

    def flipped(self, first: str, second: str) -> dict[str, list[int]]:
        """The places of the cases that only one of two models decides rightly."""
        for name in (first, second):
            if name not in self.models:
                raise InputError(f"{name!r} is no model that was compared; name one of {', '.join(self.models)}.")
        if not self.paired:
            raise InputError("the models were given different cases, of which none can flip; compare them on the same.")
        a, b = (_right(self.models[name]) for name in (first, second))
        return {first: np.flatnonzero(a & ~b).tolist(), second: np.flatnonzero(b & ~a).tolist()}

    def to_table(self) -> Table:
        """One row for each measure: the value of each model, and which are better than all others beyond chance."""
        columns: dict[str, list[Any]] = {"measure": list(self.measure_keys)}
        values = [self.values_of(key) for key in self.measure_keys]
        columns |= {name: [of_key[name] for of_key in values] for name in self.models}
        columns["better beyond chance"] = [self._winner(key) for key in self.measure_keys]
        return Table(columns, self.verdict)

    def _winner(self, key: str) -> str:
        for name in self.models:
            met = [pair for names, pair in self.pairs.items() if name in names]
            if met and all(pair.differences[key].better == name for pair in met):
                return name
        return ""

    def to_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON."""
        options = ("baseline", "level", "replicates", "seed", "test", "method", "alternative", "pairing", "aspects")
        return {
            "models": {name: e.to_dict(self.measures) for name, e in self.models.items()},
            "pairs": [pair.to_dict() for pair in self.pairs.values()],
            **{name: getattr(self, name) for name in (*options, "corrections", "verdict")},
        }

    __repr__ = Record.__repr__


def compare(
    models: Mapping[str, Any],
    y_true: Any = None,
    *,
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
    """Which of these models is better, on which measures, by how much, and how surely.

    Parameters
    ----------
    models : {name: probabilities} of the same cases, or {name: evaluation}.
    y_true : the true labels; left out if the models are evaluations.
    measures : those to compare, of which the verdict then speaks; unless said, the headline, and the verdict speaks of
        decisions (MCC), ranking (AUNU), probabilities (LogL) and calibration (ECE).
    baseline : compare each model with this one only, instead of every two.
    kind : what the models are given as: "probabilities", "scores" or "decisions".
    labels, positive, sample_weight, align : as in `karat.evaluate`.
    ids : the id of each case. Evaluations that have ids are joined by them, in the order of the first; so are arrays in
        orders of their own, if `ids` and `y_true` (and `sample_weight`) are {model: ...}. Missing, doubled or foreign
        ids are an error. Without ids models are paired by row, and `c.pairing` says so. `groups` are in the order of
        the first model.
    margin : the smallest difference that matters, or {measure: it}: then equivalence (two one-sided tests) and
        non-inferiority of the first are tested, too.
    alternative : "two-sided"; "greater" or "less": the first value less the second is above, below 0; "better" or
        "worse": the same of the merit, which for a loss is the other way round.
    classes : compare measures of one class for these ("all"), under `symbol[class]`, corrected for their number.
    method : how the p-value and the interval of a difference are made, both in one way, so that the interval holds
        0 exactly if p is above 1 - level. "auto": McNemar's exact test for accuracy, exchanges for ECE, for all others
        Student's t of the difference without its bias, from leaving out cases ("jackknife"). "exchange": exchanging
        the predictions of the models case by case (or group by group), in all ways or `replicates` at random.
        "percentile", "basic" or "bca": from replicates of the paired bootstrap. Where there are few cases or groups
        (below 50; 100 for measures of decisions; a handful of a class), the larger p-value of that and of exchanges.
        p-values are corrected for the number of pairs and classes (Holm), those of the verdict for all that it claims;
        intervals are of each difference alone (`c.corrections`).
    test : "bootstrap" and "permutation" are `method` "percentile" and "exchange".
    paired : False if each model was given cases of its own; then its t is Welch's.
    level, replicates, seed, stratified, groups, workers : as in `Evaluation.intervals`; the same cases (or groups) are
        left out, exchanged or drawn for all models.
    among : of how many models these were chosen as the best, to correct for the choice.

    >>> y = [0, 0, 0, 1, 1, 1, 0, 1, 0, 1, 0, 1]
    >>> a = [.1, .2, .3, .9, .8, .7, .2, .9, .2, .9, .1, .8]
    >>> b = [.6, .2, .7, .4, .8, .3, .5, .9, .3, .5, .4, .6]
    >>> compare({"a": a, "b": b}, y, measures=["MSE"])["a", "b"]["MSE"].better
    'a'
    """
    method = _method(method, test)
    one_of("alternative", alternative, ALTERNATIVES)
    resampling = Resampling.of(level, replicates, seed, stratified, groups, workers)
    evaluations = _evaluations(models, y_true, kind, labels, positive, sample_weight, ids, align, paired)
    next(iter(evaluations.values())).refuse_other_cases(groups=groups)
    if not paired and (groups is not None or method != "auto"):
        raise InputError(
            "models on different cases are compared by Welch's t of single cases; leave out groups and method."
        )
    names = _pairs(list(evaluations), baseline)
    if method == "exchange":
        _check_exchanges(resampling, len(names))
    named = compared_measures(measures)
    first = next(iter(evaluations.values())).statistics
    for m in named if measures is not None and classes is None else ():
        refuse_unchosen(m, first, f"; {option('compared_classes')} compares each class")
    wanted = measures_of(named, classes, first)
    aspects = {m.key: m.key for m in wanted} if measures is not None else dict(ASPECTS)
    all_pairs = _pairs_of_all(len(names), len(evaluations), among)
    claims = all_pairs * len(aspects)
    drawn = resampling.replicates
    if method != "exchange":  # so many that the verdict could claim something
        needed = min(exchanges_needed(claims, resampling.level), MOST_EXCHANGES)
        drawn = max(drawn, USUAL_EXCHANGES, needed)
    choices = (_margins(margin, named), method, alternative, paired, drawn, [*aspects.values()])
    judges = PairedModels(evaluations, wanted, resampling, *choices)
    alone = {two: {m.key: judges.difference(m, two) for m in wanted} for two in names}
    tested = tested_aspects(alone, aspects)
    judged = corrected(wanted, alone, resampling.level, all_pairs, tested)
    made = all_pairs * max(len(tested), 1)
    pairs = {
        two: Pair(two, of_two, judges.flips(two), judges.areas(two), aspects, resampling.level, made, alternative)
        for two, of_two in judged.items()
    }
    options = (resampling.level, resampling.replicates, resampling.seed, method, alternative, paired, aspects)
    return Comparison(evaluations, named, pairs, baseline, *options)


def _pairs_of_all(pairs: int, models: int, among: int | None) -> int:
    """How many pairs are to be corrected for: those compared, or all of the models that these were chosen from."""
    if among is None:
        return pairs
    among = whole("among", among)
    if among < models:
        raise InputError(f"among is {among}, and {models} models were given; say of how many these are the best.")
    return max(pairs, among * (among - 1) // 2)


def _method(method: str, test: str) -> str:
    one_of("test", test, TESTS)
    one_of("method", method, METHODS)
    if test != "auto" and method != "auto":
        raise InputError(f"both method={method!r} and test={test!r} were given; give method alone.")
    return method if test == "auto" else TESTS[test]


def compared_measures(measures: Named | None = None) -> tuple[Measure, ...]:
    """The measures that were named, or those of the papers and the verdict."""
    if measures is not None:
        return tuple(measures_named(measures))
    return tuple({m.symbol: m for m in (*papers(), *map(find, ASPECTS.values()))}.values())


def _evaluations(
    models: Mapping[str, Any],
    y_true: Any,
    kind: str,
    labels: Any,
    positive: Any,
    sample_weight: Any,
    ids: Any = None,
    align: str = "row",
    paired: bool = True,
) -> dict[str, Evaluation]:
    if not isinstance(models, Mapping) or not models:
        raise InputError(f"models is a {type(models).__name__}; give {{name: probabilities}} of two models or more.")
    one_of("kind", kind, KINDS)
    refuse_own_orders(y_true, ids, sample_weight)
    evaluations = {}
    for name, given in models.items():
        if isinstance(given, Evaluation):
            if y_true is not None:
                raise InputError(f"{name} is an evaluation, which knows its y_true; leave y_true out.")
            evaluations[str(name)] = given if ids is None else identified(name, given, of_model("ids", ids, name))
        elif y_true is None:
            raise InputError(f"{name} is given as {type(given).__name__} and y_true is missing; give the true labels.")
        else:
            own = {"ids": of_model("ids", ids, name), "sample_weight": of_model("sample_weight", sample_weight, name)}
            options = {"labels": labels, "positive": positive, "align": align, KINDS[kind]: given}
            evaluations[str(name)] = evaluate(of_model("y_true", y_true, name), **own, **options)
    if len(evaluations) < 2:
        raise InputError("only one model was given; give two or more, or evaluate the one.")
    if paired:
        evaluations = evaluations_in_one_order(evaluations)
    summaries = summaries_of({name: e.statistics for name, e in evaluations.items()})  # of the same classes
    if paired and not same_cases(summaries):
        raise InputError("a model is a bare matrix, which does not say which cases are whose; give its predictions.")
    return evaluations


def _pairs(names: list[str], baseline: str | None) -> list[tuple[str, str]]:
    """Every two models, or each with the baseline."""
    if baseline is None:
        return list(combinations(names, 2))
    if baseline not in names:
        raise InputError(f"the baseline {baseline!r} is no model; name one of {', '.join(names)}.")
    return [(name, baseline) for name in names if name != baseline]


def _check_exchanges(resampling: Resampling, pairs: int) -> None:
    """Could a permutation test of so many pairs tell anything?"""
    least = exchanges_needed(pairs, resampling.level)
    if 2 * pairs > (1 - resampling.level) * (resampling.replicates + 1):
        raise InputError(
            f"replicates is {resampling.replicates}, with which no difference of {pairs} pairs could be told from "
            f"chance; give at least {least}, or a baseline."
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
            f"margin speaks of {listed(others)}, not compared here; leave it out, or say {option('measures')}."
        )
    return margins


def _right(e: Evaluation) -> Array:
    p = e.statistics.source.cases
    assert p is not None
    return np.asarray(p.right[0])


__all__ = ["Comparison", "Difference", "Pair", "compare"]
