"""The values of measures in every replicate: of one model, or of several on the same draws of cases."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from karat.core.arithmetic import Array
from karat.core.errors import InputError
from karat.core.measure import Measure
from karat.core.measure import measures as declared
from karat.core.workers import cores, in_threads
from karat.data import Predictions
from karat.measures.value import MeasureOf, measures_of
from karat.resampling._sums import joined
from karat.resampling.draws import Resampling, Weighting, blocks
from karat.resampling.replicates import Replicates
from karat.resampling.without_groups import applies, precisions_apply, precisions_of_class, without_each_group
from karat.statistics import Pairs, ScoreTable, Sequences, Summary
from karat.statistics.summary import same_cases, summaries_of

FEW_CLASSES = 64
"""Up to so many the statistics of all replicates are held together before they are measured."""
WORTH_A_THREAD = 1 << 24
"""Draws below which a second thread would not pay."""


def values_in_replicates(
    wanted: list[MeasureOf], replicates: Replicates, drawn: Weighting, workers: int | None = None
) -> dict[str, Array]:
    """key: [R], the measure of each row of counts; nan where it is undefined."""
    kinds: dict[Any, list[MeasureOf]] = {}
    values: dict[str, Array] = {}
    precise = [m for m in wanted if precisions_apply(drawn, m)]
    if precise:
        values |= _of_precisions(precise, replicates, drawn, workers)
    for m in (m for m in wanted if m.key not in values):
        kinds.setdefault((m.kind, *sorted(m.measure.statistic_parameters.items())), []).append(m)
    if (alone := kinds.pop((Pairs,), None)) is not None:
        kinds[(Pairs,)] = alone  # last: a walk for other statistics tells the pairs, too
    k = len(replicates.p.classes)
    for key, group in list(kinds.items()):
        kind, parameters = group[0].kind, group[0].measure.statistic_parameters
        if k <= FEW_CLASSES and not group[0].of_score_tables and applies(drawn, replicates, kind):
            values |= _valued(kinds.pop(key), without_each_group(kind, parameters, replicates, drawn), drawn.rows)
        else:
            replicates.arrange(kind, parameters, {j for m in group for j in m.classes(k)})

    @np.errstate(all="ignore")
    def of_each_kind(part: slice) -> list[Any]:
        counts = drawn.counts(part)
        walked: dict[Any, Any] = {}
        return [_block(group, replicates, counts, walked) for group in kinds.values()]

    parts = list(blocks(drawn.rows, drawn.cases)) if kinds else []
    rows = in_threads(of_each_kind, parts, _threads(workers, drawn))
    for group, column in zip(kinds.values(), zip(*rows, strict=True), strict=True):
        if isinstance(column[0], dict):
            values |= {m.key: np.concatenate([block[m.key] for block in column]) for m in group}
        else:
            values |= _valued(group, joined(list(column)), drawn.rows)
    return {m.key: values[m.key] for m in wanted}


@np.errstate(all="ignore")
def _valued(group: list[MeasureOf], statistic: Any, rows: int) -> dict[str, Array]:
    return {m.key: np.broadcast_to(m.values(statistic), (rows,)) for m in group}


@np.errstate(all="ignore")
def _of_precisions(group: list[MeasureOf], replicates: Replicates, drawn: Any, workers: int | None) -> dict[str, Array]:
    k = len(replicates.p.classes)
    classes = sorted({j for m in group for j in m.classes(k)})
    replicates.arrange(ScoreTable, {}, classes)
    found = in_threads(lambda j: precisions_of_class(j, replicates, drawn), classes, _threads(workers, drawn))
    tables: dict[int, Any] = dict(zip(classes, found, strict=True))
    return {m.key: m.values(list(tables.values()) if m.place is None else tables[m.place]) for m in group}


def _threads(workers: int | None, drawn: Weighting) -> int:
    return cores(workers) if workers is not None or drawn.rows * drawn.cases > WORTH_A_THREAD else 1


def _block(group: list[MeasureOf], replicates: Replicates, counts: Array, walked: dict[Any, Any]) -> Any:
    """The statistic of some replicates; where it is as large as the data, the values of the measures."""
    first, k = group[0], len(replicates.p.classes)
    parameters = first.measure.statistic_parameters
    if first.of_score_tables:
        tables = {j: replicates.table_of_class(j, counts) for m in group for j in m.classes(k)}
        return {m.key: m.values(list(tables.values()) if m.place is None else tables[m.place]) for m in group}
    if first.kind is Sequences:  # one at a time: replicates need not hold the same number of cases
        rows = [replicates.get(Sequences, parameters, counts[r : r + 1]) for r in range(len(counts))]
        return {m.key: np.concatenate([m.values(row) for row in rows]) for m in group}
    if replicates.knows(first.kind):
        statistic = replicates.get(first.kind, parameters, counts, walked)
        if k <= FEW_CLASSES:
            return statistic
        return {m.key: np.broadcast_to(m.values(statistic), (len(counts),)) for m in group}
    singles = list(replicates.one_by_one(counts, first.kind.weighted))
    return {m.key: np.array([m.value(single) for single in singles]) for m in group}


def paired_replicates(
    models: Mapping[str, Summary | Predictions],
    measures: Iterable[Measure | str],
    resampling: Resampling,
    *,
    classes: Any = None,
) -> dict[str, dict[str, Array]]:
    """{model: {key: values[R]}}: measures of several models on the same replicates of the same cases, so that
    differences can be taken replicate by replicate. nan where a measure is undefined.

    All models must be given the same truth and weights. The key of a measure is its symbol, or `symbol[class]` where
    `classes` asks for those of single classes (see `Evaluation.intervals`).
    """
    summaries = summaries_of(models)
    if not same_cases(summaries):
        raise InputError(
            "a model is a confusion matrix, which has no individual cases; give the predictions of each case."
        )
    named = [declared[m] if isinstance(m, str) else m for m in measures]
    wanted = measures_of(named, classes, next(iter(summaries.values())))
    return values_of_models(wanted, summaries, resampling)


def values_of_models(
    wanted: list[MeasureOf], summaries: Mapping[str, Summary], resampling: Resampling
) -> dict[str, dict[str, Array]]:
    """The same of models that were checked before."""
    cluster = resampling.clusters(int(next(iter(summaries.values())).source.n))
    undefined = np.full(resampling.replicates, np.nan)
    values = {}
    for name, summary in summaries.items():
        p = summary.source.cases
        assert p is not None
        replicates = Replicates(p, np.argsort(p.truth[0], kind="stable"))
        known = [m for m in wanted if not m.why_not(summary)]
        own = values_in_replicates(known, replicates, replicates.draws(resampling, cluster), resampling.workers)
        values[name] = {m.key: own.get(m.key, undefined) for m in wanted}
    return values
