"""The values of measures in every replicate: of one model, or of several on the same draws of cases."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from karat.core.arithmetic import Array
from karat.core.errors import InputError
from karat.core.measure import Measure
from karat.core.measure import measures as declared
from karat.core.validation import whole
from karat.data import Predictions
from karat.data.labels import distinct
from karat.measures.value import Target, targets
from karat.resampling.draws import Draws, Weighting, blocks
from karat.resampling.replicates import Replicates
from karat.resampling.sums import stacked
from karat.statistics import Sequences, Summary
from karat.statistics.summary import same_cases, summaries_of

FEW = 64
"""Classes up to which the statistics of all replicates are held together before they are measured."""
WORTH_A_THREAD = 1 << 24
"""Draws below which a second thread would not pay."""


def values(wanted: list[Target], of: Replicates, drawn: Weighting, workers: int | None = None) -> dict[str, Array]:
    """key: [R], the measure of each row of counts; nan where it is undefined."""
    kinds: dict[Any, list[Target]] = {}
    for t in wanted:
        parameters = t.measure.statistic_parameters
        kinds.setdefault((t.statistic, *sorted(parameters.items())), []).append(t)
        of.arrange(t.statistic, parameters, t.classes(len(of.p.classes)))

    @np.errstate(all="ignore")
    def some(part: slice) -> list[Any]:
        counts = drawn.counts(part)
        return [_block(group, of, counts) for group in kinds.values()]

    parts = list(blocks(drawn.rows, drawn.cases))
    threads = min(_threads(workers, drawn), len(parts))
    if threads > 1:
        with ThreadPoolExecutor(threads) as pool:
            found = list(pool.map(some, parts))
    else:
        found = [some(part) for part in parts]
    out: dict[str, Array] = {}
    for group, made in zip(kinds.values(), zip(*found, strict=True), strict=True):
        if isinstance(made[0], dict):
            out |= {t.key: np.concatenate([x[t.key] for x in made]) for t in group}
        else:
            statistic = stacked(list(made))
            with np.errstate(all="ignore"):
                out |= {t.key: np.broadcast_to(t.over(statistic), (drawn.rows,)) for t in group}
    return {t.key: out[t.key] for t in wanted}


def _threads(workers: int | None, drawn: Weighting) -> int:
    if workers is not None:
        return whole("workers", workers)
    return (os.cpu_count() or 1) if drawn.rows * drawn.cases > WORTH_A_THREAD else 1


def _block(group: list[Target], of: Replicates, counts: Array) -> Any:
    """The statistic of some replicates; where it is as large as the data, the values of the measures."""
    first = group[0]
    parameters = first.measure.statistic_parameters
    if first.tables:
        made = {j: of.table_of_class(j, counts) for t in group for j in t.classes(len(of.p.classes))}
        return {t.key: t.over(list(made.values()) if t.place is None else made[t.place]) for t in group}
    if first.statistic is Sequences:  # one at a time: replicates need not hold the same number of cases
        rows = [of.get(Sequences, parameters, counts[r : r + 1]) for r in range(len(counts))]
        return {t.key: np.concatenate([t.over(row) for row in rows]) for t in group}
    if of.knows(first.statistic):
        statistic = of.get(first.statistic, parameters, counts)
        if len(of.p.classes) <= FEW:
            return statistic
        return {t.key: np.broadcast_to(t.over(statistic), (len(counts),)) for t in group}
    singles = list(of.one_by_one(counts, first.statistic.weighted))
    return {t.key: np.array([t.of(single) for single in singles]) for t in group}


def clusters(groups: Any, n: int) -> Array:
    """[n]: the place of each case's group, checked."""
    _, codes, _ = distinct(groups, "groups")
    if len(codes) != n:
        raise InputError(f"groups has {len(codes)} entries and there are {n} cases; give the group of each case.")
    return np.unique(codes, return_inverse=True)[1].astype(np.int32)


def draws(of: Replicates, replicates: int, seed: Any, stratified: bool, cluster: Array | None) -> Draws:
    """Draws of the cases in the order of these replicates."""
    n = len(of.order)
    if cluster is not None:
        return Draws.of(seed, replicates, (int(cluster.max()) + 1,), cluster[of.order])
    sizes = tuple(int(x) for x in np.diff(of.starts)) if stratified else (n,)
    return Draws.of(seed, replicates, sizes)


def checked(replicates: Any, stratified: bool, groups: Any) -> int:
    """The number of replicates; refuses what can't be drawn."""
    number = whole("replicates", replicates)
    if stratified and groups is not None:
        raise InputError("both stratified and groups were given; groups are drawn whole, so leave out one of them.")
    return number


def paired_replicates(
    models: Mapping[str, Summary | Predictions],
    measures: Iterable[Measure | str],
    *,
    replicates: int = 1000,
    seed: int = 0,
    stratified: bool = False,
    groups: Any = None,
    classes: Any = None,
    workers: int | None = None,
) -> dict[str, dict[str, Array]]:
    """{model: {key: values[R]}}: measures of several models on the same replicates of the same cases, so that
    differences can be taken replicate by replicate. nan where a measure is undefined.

    All models must be given the same truth and weights. The key of a measure is its symbol, or `symbol[class]` where
    `classes` asks for those of single classes (see `Evaluation.intervals`).
    """
    replicates = checked(replicates, stratified, groups)
    summaries = summaries_of(models)
    if not same_cases(summaries):
        raise InputError("a model is a bare matrix, which does not say which cases are whose; give its predictions.")
    chosen, made = [declared[m] if isinstance(m, str) else m for m in measures], {}
    for name, summary in summaries.items():
        p = summary.source.cases
        assert p is not None
        of = Replicates(p, np.argsort(p.truth[0], kind="stable"))
        cluster = None if groups is None else clusters(groups, p.n)
        asked = targets(chosen, classes, summary)
        known = [t for t in asked if not t.why_undefined(summary)]
        found = values(known, of, draws(of, replicates, seed, stratified, cluster), workers)
        made[name] = {t.key: found.get(t.key, np.full(replicates, np.nan)) for t in asked}
    return made
