"""`karat.compare`: which of some models is better, on which measures, by how much, and how surely."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.comparisons.difference import (
    ASPECTS,
    BOOTSTRAP,
    BOOTSTRAP_OF_GROUPS,
    DELONG,
    MCNEMAR,
    PERMUTATION,
    Difference,
    Pair,
    no_difference,
)
from karat.comparisons.equivalence import equivalence_of_replicates
from karat.comparisons.mcnemar import McNemar, mcnemar_of
from karat.comparisons.permutation import permutation_of_predictions
from karat.core.arithmetic import Array
from karat.core.errors import InputError, option
from karat.core.measure import Measure
from karat.core.record import Record, Verdict
from karat.core.table import Table
from karat.core.validation import one_of, too_few
from karat.core.words import listed, number, p_value, within
from karat.data.pairing import of_model, pairing_of, refuse_own_orders
from karat.evaluation import Evaluation, evaluate, evaluations_in_one_order, identified
from karat.intervals.delong import AreaTest, delong_paired
from karat.measures.lookup import Named, find, measures_named
from karat.resampling.draws import Resampling
from karat.resampling.measure_values import paired_replicates
from karat.statistics import Counts, Pairs
from karat.statistics.p_values import holm

if TYPE_CHECKING:
    from karat.concordance.rankings import Rankings
    from karat.core.finding import Findings
    from karat.decisions.dominance import Dominance

KINDS = {"probabilities": "y_proba", "scores": "y_score", "decisions": "y_pred"}
TESTS = ("auto", "bootstrap", "permutation")


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Verdict):
    """Several models on the same cases: `c["forest", "logistic"]["MCC"]`, `c.verdict`, `c.to_table()`."""

    models: dict[str, Evaluation]
    measures: tuple[Measure, ...]
    pairs: dict[tuple[str, str], Pair]
    baseline: str | None
    level: float
    replicates: int
    seed: int
    test: str = "auto"
    """where p-values were asked to come from"""

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
        """What was found, in plain words."""
        few = too_few(self.replicates, self.level)
        return f"{self._sentences()} ({few}.)" if few else self._sentences()

    def _sentences(self) -> str:
        if len(self.pairs) == 1:
            return next(iter(self.pairs.values())).verdict
        if self.baseline is not None:
            return " ".join(f"{pair.names[0]} against {self.baseline}: {pair.verdict}" for pair in self.pairs.values())
        clauses = []
        for aspect, symbol in ASPECTS.items():
            m = next((m for m in self.measures if m.symbol == symbol), None)
            values = {} if m is None else {n: v for n, e in self.models.items() if (v := e.get(m)) == v}
            if m is None or len(values) < 2:
                continue
            best = max(values, key=lambda name: values[name] * m.orientation)
            differences = {name: self[best, name][symbol] for name in values if name != best}
            alike = [name for name, d in differences.items() if d.better is None and not d.equal]
            rest = f", not to be told apart from {listed(alike)}" if alike else ""
            for name, d in differences.items():
                if d.better is None and d.equal:
                    rest += f", equal to {name} within {within(d.margin)} ({p_value(d.p_equivalent)})"
            rest = rest or ", beyond chance"
            clauses.append(f"on {aspect} {best} is best ({symbol} {number(values[best], 3)}{rest})")
        text = "; ".join(clauses)
        return f"{text[0].upper()}{text[1:]}." if text else "Nothing that the models have can be compared."

    @property
    def pairing(self) -> str:
        """How the cases of the models were put beside each other: by id, or by row."""
        return pairing_of(e.ids for e in self.models.values())

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
        a, b = (_right(self.models[name]) for name in (first, second))
        return {first: np.flatnonzero(a & ~b).tolist(), second: np.flatnonzero(b & ~a).tolist()}

    def to_table(self) -> Table:
        """One row for each measure: the value of each model, and which are better than all others beyond chance."""
        columns: dict[str, list[Any]] = {"measure": [m.symbol for m in self.measures]}
        columns |= {name: [e.get(m) for m in self.measures] for name, e in self.models.items()}
        columns["better beyond chance"] = [self._winner(m.symbol) for m in self.measures]
        return Table(columns, self.verdict)

    def _winner(self, symbol: str) -> str:
        for name in self.models:
            met = [pair for names, pair in self.pairs.items() if name in names]
            if met and all(pair.differences[symbol].better == name for pair in met):
                return name
        return ""

    def to_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON."""
        options = ("baseline", "level", "replicates", "seed", "test", "pairing", "verdict")
        return {
            "models": {name: e.to_dict(self.measures) for name, e in self.models.items()},
            "pairs": [pair.to_dict() for pair in self.pairs.values()],
            **{name: getattr(self, name) for name in options},
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
    margin: float | Mapping[str, float] | None = None,
    test: str = "auto",
    level: float = 0.95,
    replicates: int = 1000,
    seed: int = 0,
    stratified: bool = False,
    groups: Any = None,
    workers: int | None = None,
) -> Comparison:
    """Which of these models is better, on which measures, by how much, and how surely.

    Parameters
    ----------
    models : {name: probabilities} of the same cases, or {name: evaluation}.
    y_true : the true labels; left out if the models are evaluations.
    measures : those to compare; all of the headline that the models have, unless said.
    baseline : compare each model with this one only, instead of every two.
    kind : what the models are given as: "probabilities", "scores" or "decisions".
    labels, positive, sample_weight, align : as in `karat.evaluate`.
    ids : the id of each case. Evaluations that have ids are joined by them, in the order of the first; so are arrays in
        orders of their own, if `ids` and `y_true` (and `sample_weight`) are {model: ...}. Missing, doubled or foreign
        ids are an error. Without ids models are paired by row, and `c.pairing` says so. `groups` are in the order of
        the first model.
    margin : the smallest difference that matters, or {measure: it}: then equivalence is tested, too (two one-sided
        tests).
    test : where p-values come from. "bootstrap": from the replicates of the difference, like intervals, and where none
        is beyond 0 from the tail of a normal distribution with their standard error; "permutation":
        from exchanging the predictions of two models case by case (`replicates` times); "auto": the bootstrap, but
        McNemar's exact test for accuracy and DeLong's for the area under the ROC curve of the positive class (with its
        interval), unless there are weights or groups, of which they know nothing. They are corrected for the number of
        pairs (Holm).
    level, replicates, seed, stratified, groups, workers : of the paired bootstrap: the same cases are drawn for all
        models, and intervals follow from the replicates of the difference.

    >>> y = [0, 0, 0, 1, 1, 1, 0, 1]
    >>> c = compare({"a": [.1, .2, .3, .9, .8, .7, .2, .9], "b": [.6, .2, .7, .4, .8, .3, .5, .9]}, y, measures=["MSE"])
    >>> c["a", "b"]["MSE"].better
    'a'
    """
    one_of("test", test, TESTS)
    resampling = Resampling.of(level, replicates, seed, stratified, groups, workers)
    if resampling.level < 0.5:
        raise InputError(f"level is {level}; it is that of intervals, and 1 - level of tests: give at least 0.5.")
    evaluations = _evaluations(models, y_true, kind, labels, positive, sample_weight, ids, align)
    next(iter(evaluations.values())).refuse_other_cases(groups=groups)
    names = _pairs(list(evaluations), baseline)
    if test == "permutation":
        _check_exchanges(resampling, len(names))
    named = tuple(measures_named(measures))
    margins = _margins(margin, named)
    summaries = {name: e.statistics for name, e in evaluations.items()}
    paired = PairedModels(evaluations, paired_replicates(summaries, named, resampling), resampling, margins, test)
    own_tests = {two: (paired.flips(two), paired.areas(two)) for two in names}
    differences = {
        m.symbol: _corrected(m, [paired.difference(m, two, *own_tests[two]) for two in names], names, resampling.level)
        for m in named
    }
    pairs = {
        two: Pair(two, {m.symbol: differences[m.symbol][i] for m in named}, *own_tests[two])
        for i, two in enumerate(names)
    }
    return Comparison(
        evaluations, named, pairs, baseline, resampling.level, resampling.replicates, resampling.seed, test
    )


def _evaluations(
    models: Mapping[str, Any],
    y_true: Any,
    kind: str,
    labels: Any,
    positive: Any,
    sample_weight: Any,
    ids: Any = None,
    align: str = "row",
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
    return evaluations_in_one_order(evaluations)


def _pairs(names: list[str], baseline: str | None) -> list[tuple[str, str]]:
    """Every two models, or each with the baseline."""
    if baseline is None:
        return list(combinations(names, 2))
    if baseline not in names:
        raise InputError(f"the baseline {baseline!r} is no model; name one of {', '.join(names)}.")
    return [(name, baseline) for name in names if name != baseline]


def _check_exchanges(resampling: Resampling, pairs: int) -> None:
    """Could a permutation test of so many pairs tell anything?"""
    if resampling.groups is not None:
        raise InputError("exchanging single cases takes no account of groups; use test='bootstrap' with them.")
    least = math.ceil(2 * pairs / (1 - resampling.level))
    if 2 * pairs > (1 - resampling.level) * (resampling.replicates + 1):
        raise InputError(
            f"replicates is {resampling.replicates}, with which no difference of {pairs} pairs could be told from "
            f"chance; give at least {least}, or a baseline."
        )


def _margins(margin: float | Mapping[str, float] | None, named: tuple[Measure, ...]) -> dict[str, float]:
    """{symbol: the smallest difference that matters}, of the measures that it was said of."""
    if margin is None:
        return {}
    if not isinstance(margin, Mapping):
        return {m.symbol: margin for m in named}
    margins = {find(key).symbol: value for key, value in margin.items()}
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


@dataclass(frozen=True, eq=False)
class PairedModels:
    """Some models, the values of their measures on the same replicates, and how differences are judged."""

    models: Mapping[str, Evaluation]
    replicates: Mapping[str, Mapping[str, Array]]
    resampling: Resampling
    margins: Mapping[str, float]
    test: str

    def flips(self, names: tuple[str, str]) -> McNemar | None:
        """McNemar's test of two models, where it has a meaning."""
        two = [self.models[name] for name in names]
        if any(e.statistics.lacks(Counts) or e.statistics.source.weight is not None for e in two):
            return None
        if self.resampling.groups is not None:
            return None
        return mcnemar_of(*map(_right, two), names=names, level=1 - self.resampling.level)

    def areas(self, names: tuple[str, str]) -> AreaTest | None:
        """DeLong's test of two models, where it has a meaning."""
        two = [self.models[name].statistics for name in names]
        if self.resampling.groups is not None or any(s.lacks(Pairs) or s.source.weight is not None for s in two):
            return None
        p = two[0].source
        if p.cases is None or p.positive is None:
            return None
        smallest = min(float(p.class_weight[p.positive]), p.n)
        if smallest < 2 or p.n - smallest < 2:
            return None
        return delong_paired(two[0], two[1], level=self.resampling.level)

    def difference(
        self, m: Measure, names: tuple[str, str], flips: McNemar | None, areas: AreaTest | None
    ) -> Difference:
        """First less second: from the replicates, with the p-value of the test that was asked for."""
        a, b = (self.models[name].get(m) for name in names)
        with np.errstate(invalid="ignore"):
            drawn = self.replicates[names[0]][m.symbol] - self.replicates[names[1]][m.symbol]
        drawn = drawn[np.isfinite(drawn)]
        if not (math.isfinite(a - b) and len(drawn) > 1):
            return Difference(m.symbol, (a, b), math.nan, math.nan, math.nan, math.nan, math.nan, None, "undefined")
        d, level = self._from_replicates(m, (a, b), drawn), self.resampling.level
        if (margin := self.margins.get(m.symbol)) is not None:
            same = equivalence_of_replicates(drawn, margin, estimate=a - b, level=1 - level, names=names)
            d = replace(d, equivalent=same.equivalent, margin=margin, p_equivalent=same.p)
        if self.test == "permutation":
            return replace(d, p=self._p_by_exchanges(m, names), method=PERMUTATION) if d.p == d.p else d
        if self.test == "auto" and m.symbol == "Acc" and flips is not None:
            return replace(d, p=flips.p, method=MCNEMAR)
        if self.test == "auto" and m.symbol == "AUC" and areas is not None and areas.p == areas.p:
            return replace(d, low=areas.low, high=areas.high, p=areas.p, method=DELONG)
        return d

    def _from_replicates(self, m: Measure, values: tuple[float, float], drawn: Array) -> Difference:
        tail = (1 - self.resampling.level) / 2
        difference = values[0] - values[1]
        low, high = np.quantile(drawn, [tail, (1 + self.resampling.level) / 2], method="weibull").tolist()
        p = no_difference(difference, drawn)
        method = BOOTSTRAP if self.resampling.groups is None else BOOTSTRAP_OF_GROUPS
        return Difference(m.symbol, values, difference, low, high, p, p, None, method)

    def _p_by_exchanges(self, m: Measure, names: tuple[str, str]) -> float:
        first, second = (self.models[name].statistics.source.cases for name in names)
        assert first is not None
        assert second is not None
        r = self.resampling
        return permutation_of_predictions(m, first, second, replicates=r.replicates, seed=r.seed).p


def _corrected(m: Measure, rows: list[Difference], pairs: Iterable[tuple[str, str]], level: float) -> list[Difference]:
    """With p-values corrected for the number of pairs, and who is better by them."""
    tested = [i for i, d in enumerate(rows) if d.p == d.p]
    adjusted = dict(zip(tested, holm([rows[i].p for i in tested]).tolist(), strict=True)) if tested else {}
    out = []
    for i, (d, (a, b)) in enumerate(zip(rows, pairs, strict=True)):
        p = adjusted.get(i, math.nan)
        better = None
        if p <= 1 - level and m.orientation and d.difference:
            better = a if d.difference * m.orientation > 0 else b
        out.append(replace(d, adjusted=p, better=better))
    return out


__all__ = ["Comparison", "Difference", "Pair", "compare"]
