"""What a report says about some models: their measures with intervals, how they compare, and findings."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from karat.comparisons.difference import ASPECTS, ASPECTS_OF_PAPERS, ASPECTS_OF_POSITIVE
from karat.comparisons.model_comparison import Comparison, compare, compared_measures
from karat.concordance.rankings import Rankings, rankings_of
from karat.core.arithmetic import TOLERANCE
from karat.core.errors import InputError, option, type_words
from karat.core.finding import Finding, Findings
from karat.core.measure import Measure
from karat.core.validation import whole
from karat.decisions.dominance import Dominance, dominance
from karat.evaluation import Evaluation, evaluate, evaluations_in_one_order, refuse_restated
from karat.findings.collection import findings, findings_of
from karat.intervals.interval import Intervals
from karat.intervals.interval import intervals as intervals_of
from karat.measures.display import MeasureRow, interval_beside, measure_rows
from karat.measures.lookup import Named, headline
from karat.measures.value import MeasureOf
from karat.page.recommendation import Recommendation, recommendation
from karat.statistics import Summary
from karat.statistics.summary import same_cases

NOTHING = "none of the measures is available for these models"
TOO_LONG = "with so many cases and classes, resampling would take too long"
MOST_MODELS = 100
"""Models in one report."""
FAMILIAR = {"TPR": "Recall", "PPV": "Precision"}
"""Measures of one class that are called here as they are in the headline, whatever their titles."""
PRICED = 10
"""Classes for which the costs of every kind of error can be typed in."""
FINALISTS = 8
"""Models of which every two are compared by tests: of more, the first two of each aspect of a verdict, and those with
the best mean rank."""
BORDERS, FEW_CASES = 200, 100_000
"""Replicates for the borders between conditions, and cases of all models together up to which they are drawn."""
DRAWS, CELLS = 100_000_000, 20_000_000
"""Scores that are drawn for a comparison of models, and cells of tables: with more there are fewer replicates, but
never fewer than FEWEST, and none at all if that would take LONG times what is meant."""
FEWEST, LONG = 100, 4

Progress = Callable[[str], None]
"""Is called with what is being done."""


@dataclass(frozen=True, eq=False)
class Content:
    """All that a report says."""

    models: dict[str, Evaluation]
    measures: tuple[Measure, ...]
    """the headline first"""
    headline: int
    """how many of them are shown first; the others are behind a fold"""
    intervals: dict[str, Intervals]
    """of each model; empty if none were asked for"""
    comparison: Comparison | None
    findings: dict[str, Findings]
    """of each model"""
    together: Findings
    """of all of them"""
    level: float
    replicates: int
    """those that cases were drawn in"""
    wanted: int
    """those that were asked for: with very many cases there are fewer"""
    title: str = ""
    not_compared: str = ""
    """why there is no comparison"""
    grouped: bool = False
    """do cases belong together in groups?"""
    dominance: Dominance | None = None
    """which model is best under which conditions; for two classes and few models"""
    recommendation: Recommendation | None = None
    """which model to use, if every error costs the same"""
    grouped_models: Mapping[str, Evaluation] = field(default_factory=dict)
    """those that came with columns of groups"""

    @classmethod
    def of(
        cls,
        models: Any,
        *,
        y_true: Any = None,
        measures: Named | None = None,
        intervals: bool = True,
        level: float = 0.95,
        replicates: int = 1000,
        seed: int = 0,
        groups: Any = None,
        by: Any = None,
        title: str = "",
        progress: Progress = lambda step: None,
        **options: Any,
    ) -> Content:
        """Compute it. `models` are as in `karat.report`; `options` are those of `karat.evaluate`, for probabilities."""
        replicates = whole("replicates", replicates, least=0)
        if not isinstance(title, str):
            raise InputError(f"title is {type_words(title)}; give a str.")
        comparison = models if isinstance(models, Comparison) else None
        given = _evaluations(models, y_true, options)
        by_group = _with_columns(given, by)
        if by_group and groups is not None:
            raise InputError(
                f"{option('by')} takes cases to be independent, and {option('groups')} says that they are not; leave "
                "one of them out."
            )
        evaluations = evaluations_in_one_order(given)
        table, first_rows = _measures(evaluations, comparison, measures)
        summaries = {name: e.statistics for name, e in evaluations.items()}
        same_cases(summaries)
        first = next(iter(evaluations.values()))
        groups = getattr(first, "groups", None) if groups is None else groups
        first.refuse_other_cases(groups=groups)
        drawn: Any = {"level": level, "seed": seed, "groups": groups}
        fewer = affordable(replicates, int(first.n), len(first.classes))
        ends: dict[str, Intervals] = {}
        for name, e in evaluations.items():
            progress(f"measures of {name}")
            e.to_dict(table)
            if intervals and fewer:
                progress(f"intervals of {name}")
                ends[name] = intervals_of(e.statistics, table, replicates=replicates, **drawn)
        why = ""
        if comparison is None:
            finalists = _finalists(evaluations, table)
            named = None if measures is None else _to_be_had(table, first)
            why = _unpaired(summaries) or ("" if fewer else TOO_LONG) or (NOTHING if named == [] else "")
            if not why:
                progress("comparison")
                kept = {name: evaluations[name] for name in finalists}
                comparison = compare(kept, measures=named, replicates=fewer, among=len(evaluations), **drawn)
        progress("findings")
        return cls(
            models=evaluations,
            measures=table,
            headline=first_rows,
            intervals=ends,
            comparison=comparison,
            findings={name: findings(e) for name, e in evaluations.items()},
            together=findings_of(evaluations) if len(evaluations) > 1 else Findings(),
            level=level,
            replicates=fewer,
            wanted=replicates,
            title=title,
            not_compared=why,
            grouped=groups is not None,
            dominance=_dominance(evaluations, seed),
            recommendation=recommendation(evaluations, level, groups, seed, comparison),
            grouped_models=by_group,
        )

    @property
    def first(self) -> Evaluation:
        """One of the models: all are about the same classes."""
        return next(iter(self.models.values()))

    @property
    def names(self) -> list[str]:
        """Of the models."""
        return list(self.models)

    @property
    def classes(self) -> list[str]:
        """Names of the classes, as they are shown."""
        return [str(c) for c in self.first.classes]

    def rows(self) -> dict[Measure, list[Measure]]:
        """The measures that have a row, and of each those that are the same number here and share it."""
        return {row.measure: list(row.others) for row in self._rows}

    @cached_property
    def _rows(self) -> list[MeasureRow]:
        beside = [interval_beside(ends) for ends in self.intervals.values()]
        summaries = [e.statistics for e in self.models.values()]
        return measure_rows(self.measures, summaries, lambda symbol: tuple(of_model(symbol) for of_model in beside))

    def row_of(self, m: Measure) -> Measure:
        """The measure whose row shows this one."""
        return next((row.measure for row in self._rows if m in (row.measure, *row.others)), m)

    def rankings(self) -> Rankings | None:
        """Which measure favours which model, each number once; None for one model."""
        if len(self.models) < 2:
            return None
        return rankings_of(self.models, tuple(self.rows()))

    def best(self, m: Measure) -> list[str]:
        """The models with the best value of a measure; none if it only describes, or nobody has it."""
        values = {name: e.value_or_nan(m) * m.orientation for name, e in self.models.items() if m.orientation}
        best = max((v for v in values.values() if v == v), default=math.nan)
        return [name for name, v in values.items() if v >= best - TOLERANCE]

    def remarks(self) -> list[tuple[list[str], Finding]]:
        """All findings and the models they are about (none: all of them), the gravest first; equal words about several
        models once."""
        everyone: list[tuple[list[str], Finding]] = [([], f) for f in self.together]
        by_words: dict[tuple[str, str], tuple[list[str], Finding]] = {}
        for name, its in self.findings.items():
            for f in its:
                by_words.setdefault((f.title, f.words), ([], f))[0].append(name)
        single = len(self.models) == 1
        everyone += [([] if single else names, f) for names, f in by_words.values()]
        return sorted(everyone, key=lambda remark: remark[1].severity.rank)


def _with_columns(models: Mapping[str, Evaluation], by: Any) -> dict[str, Evaluation]:
    """The models that have columns of groups, or all of them with those that are given now."""
    if by is None:
        return {name: e for name, e in models.items() if e.columns}
    found = {name: Evaluation(e.statistics.source) for name, e in models.items()}
    for e in found.values():
        e.take_columns(by)  # refused before any work is done
    return found


def _measures(
    models: Mapping[str, Evaluation], comparison: Comparison | None, named: Named | None
) -> tuple[tuple[Measure, ...], int]:
    """What the table shows, and how many of them first: those that were named; or the headline of these models, and
    behind it the measures of the papers and the verdict."""
    usual = comparison is None or comparison.aspects in (ASPECTS, ASPECTS_OF_POSITIVE, ASPECTS_OF_PAPERS)
    if named is not None or not usual:
        chosen = compared_measures(named) if named is not None or comparison is None else comparison.measures
        return chosen, len(chosen)
    first = dict.fromkeys(m for e in models.values() for m in headline(e.statistics))
    return tuple(dict.fromkeys((*first, *compared_measures()))), len(first)


def _evaluations(models: Any, y_true: Any, options: Mapping[str, Any]) -> dict[str, Evaluation]:
    """The models by name: evaluations as they are, probabilities evaluated."""
    if isinstance(models, Comparison | Evaluation):
        models = models.models if isinstance(models, Comparison) else {"model": models}
    elif not isinstance(models, Mapping):
        raise InputError(
            f"models is {type_words(models)}; pass karat.report({{'model': y_proba}}, y_true), or an evaluation: "
            "karat.report(karat.evaluate(y_true, y_proba))."
        )
    if not models:
        raise InputError("no model was given; pass {name: evaluation}, or {name: probabilities} and y_true.")
    if len(models) > MOST_MODELS:
        raise InputError(f"{len(models)} models were given; a report shows at most {MOST_MODELS}: choose some.")
    evaluations = {str(name): _evaluated(name, given, y_true, options) for name, given in models.items()}
    if len(evaluations) < len(models):
        raise InputError(f"two of the names {list(models)[:6]} are written the same way; rename one of them.")
    return evaluations


def _evaluated(name: object, given: Any, y_true: Any, options: Mapping[str, Any]) -> Evaluation:
    if isinstance(given, Evaluation):
        refuse_restated(name, y_true=y_true, **options)
        return given
    if y_true is None:
        raise InputError(
            f"{name} is {type_words(given)} and y_true was not given; pass karat.report(models, y_true), or what "
            "karat.evaluate returns."
        )
    return evaluate(y_true, given, **options)


def affordable(replicates: int, n: int, classes: int) -> int:
    """As many replicates as time and memory allow; 0 if they are too few to be of use."""
    allowed = min(DRAWS // max(n * classes // 2, 1), CELLS // classes**2)
    if allowed * LONG < min(FEWEST, replicates):
        return 0
    return max(min(replicates, allowed), min(FEWEST, replicates))


def _to_be_had(measures: tuple[Measure, ...], e: Evaluation) -> list[Measure]:
    """Those that need nothing which was not given, such as a positive class."""
    return [m for m in measures if not MeasureOf.on(m, e.statistics).why_not(e.statistics)]


def _finalists(models: dict[str, Evaluation], measures: tuple[Measure, ...]) -> list[str]:
    """All models, or of many the best of each aspect of a verdict and those with the best mean rank over them."""
    if len(models) <= FINALISTS:
        return list(models)
    scores = dict.fromkeys(models, 0.0)
    leading: list[str] = []
    spoken = [m for m in measures if m.symbol in ASPECTS.values()] or [m for m in measures if m.orientation]
    for m in spoken:
        values = {name: e.value_or_nan(m) * m.orientation for name, e in models.items()}
        defined = [name for name, v in values.items() if v == v]
        leading += sorted(defined, key=lambda name: -values[name])[:2]
        for name, v in values.items():
            better = sum(1 for other in values.values() if other > v)
            scores[name] += better if v == v else len(models)
    kept = list(dict.fromkeys([*leading, *sorted(models, key=lambda name: scores[name])]))[:FINALISTS]
    return [name for name in models if name in kept]


def _dominance(models: dict[str, Evaluation], seed: int) -> Dominance | None:
    first = next(iter(models.values()))
    if len(first.classes) != 2 or first.positive is None or not 1 < len(models) <= FINALISTS:
        return None
    cases = sum(float(e.n) for e in models.values())
    try:
        return dominance(models, replicates=BORDERS if cases <= FEW_CASES else 0, seed=seed)
    except InputError:  # a class without cases, or a model called as a trivial one is
        return None


def _unpaired(summaries: Mapping[str, Summary]) -> str:
    if len(summaries) < 2:
        return "there is only one model"
    why = "confusion matrices do not show which cases are the same, so models cannot be compared case by case"
    return "" if same_cases(summaries) else why
