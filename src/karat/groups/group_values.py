"""The measures of every group: one statistic with the groups as its leading axis, and the formulas once.

The cases are put in the order of their groups; each group is then a slice of every array, and its statistics are made
by the same scans as those of all cases. Stacked, they are what a formula takes for replicates and batches, too."""

from __future__ import annotations

from dataclasses import fields
from itertools import pairwise
from typing import Any

import numpy as np

from karat.core.arithmetic import Array
from karat.data import Predictions
from karat.groups.stacked_cells import Stacks, stacked_cells, values_of_cells
from karat.measures.certified import certain_value, of_cells
from karat.measures.value import MeasureOf
from karat.resampling.draws import Deletions
from karat.resampling.measure_values import values_in_replicates
from karat.resampling.replicates import Replicates
from karat.statistics import Binary, Counts, Summary, scans
from karat.statistics.bins import ClassBins, ConfidenceBins
from karat.statistics.counts import DENSE
from karat.statistics.order import Margins, Pairs, Segments, Windows
from karat.statistics.probability_sums import Certainty, LossSums, ProbabilitySums
from karat.statistics.summary import ROWS

STACKED = (Counts, ProbabilitySums, LossSums, Certainty, Pairs, Margins, Segments, Windows, ConfidenceBins, ClassBins)
"""Statistics whose arrays have one shape, whatever the number of cases."""
AT_ONCE = 1 << 22
"""Numbers of one array of stacked statistics held at a time."""
AFFORDABLE = 1 << 34
"""Cases that may be gone over to leave out each group in turn."""


def slices_of(p: Predictions, codes: Array, groups: int) -> list[Predictions]:
    """The predictions of each group: views of one copy in the order of the groups."""
    order = np.argsort(codes.astype(np.int16 if groups < 1 << 15 else np.int64), kind="stable")
    ends = np.cumsum(np.bincount(codes, minlength=groups)).tolist()
    by_group = p.take(order)
    return [by_group.part(slice(a, b)) for a, b in pairwise([0, *ends])]


@np.errstate(all="ignore")
def values_by_group(wanted: list[MeasureOf], parts: list[Summary]) -> dict[str, Array]:
    """key: [groups]; nan where a measure is undefined."""
    by_kind: dict[Any, list[MeasureOf]] = {}
    for m in wanted:
        by_kind.setdefault((m.kind, *sorted(m.measure.statistic_parameters.items())), []).append(m)
    asked = {m.kind for m in wanted}
    for part in parts:
        part.asked = asked
    values: dict[str, Array] = {}
    scanned: dict[int, Any] = {}
    cell_stacks: Stacks = []
    for alike in by_kind.values():
        first = alike[0]
        kind = Counts if first.kind is Binary else first.kind
        cells = parts[0].source.cases is None and any(of_cells(first.measure, part) for part in parts)
        cell_stacks = cell_stacks or (stacked_cells(parts) if cells else [])
        if kind in STACKED and not cells and not _sparse(kind, parts[0]):
            size = max(1, len(parts[0].source.classes) * len(parts[0].source.outputs))
            step = max(1, AT_ONCE // size)
            stacks = [_stacked(first, parts[i : i + step], scanned) for i in range(0, len(parts), step)]
            for m in alike:
                values[m.key] = np.concatenate([np.broadcast_to(m.values(s), (len(_any(s)),)) for s in stacks])
        else:
            for m in alike:
                found = values_of_cells(m, len(parts), cell_stacks) if cells else None
                values[m.key] = np.array([certain_value(m, x)[0] for x in parts]) if found is None else found
    return {m.key: values[m.key] for m in wanted}


def _sparse(kind: type, part: Summary) -> bool:
    return kind in ROWS and len(part.source.classes) * len(part.source.outputs) > DENSE


def _stacked(first: MeasureOf, parts: list[Summary], scanned: dict[int, Any]) -> Any:
    """The statistic of all these groups. What comes out of the rows together is looked for once (`scanned`), and
    without what a single evaluation would ask of it at the same time."""
    kind: Any = Counts if first.kind is Binary else first.kind
    parameters = first.measure.statistic_parameters
    if kind in ROWS and not parameters and all(_has_rows(part) for part in parts):
        place = ROWS.index(kind)
        for part in parts:
            if id(part) not in scanned:
                scanned[id(part)] = scans.rows(part.source)  # type: ignore[arg-type]
        return kind(*(np.stack(x) for x in zip(*(scanned[id(part)][place] for part in parts), strict=True)))
    return stacked_statistic(first, parts)


def stacked_statistic(m: MeasureOf, parts: list[Summary]) -> Any:
    """The statistic that a measure takes, of all these groups."""
    kind: Any = Counts if m.kind is Binary else m.kind
    of_each = [part.get(kind, **m.measure.statistic_parameters) for part in parts]
    names = [field.name for field in fields(of_each[0])]
    return kind(*(np.stack([np.asarray(getattr(one, name)) for one in of_each]) for name in names))


def _has_rows(part: Summary) -> bool:
    """Has it scores, decisions and nothing that was computed of them already?"""
    p = part.source.cases
    return p is not None and p.held is not None and p.decides and p.probabilities and Counts not in part.computed


def _any(statistic: Any) -> Array:
    return np.asarray(getattr(statistic, fields(statistic)[0].name))


def values_of_rest(wanted: list[MeasureOf], p: Predictions, codes: Array, groups: int) -> dict[str, Array]:
    """key: [groups]; the measures of all cases but those of the group."""
    replicates = Replicates(p)
    out = Deletions(codes[replicates.order].astype(np.int64), np.zeros(groups, np.int64))
    cheap = all(m.kind in STACKED or m.kind is Binary for m in wanted)
    if not cheap and groups * len(codes) > AFFORDABLE:
        return {m.key: np.full(groups, np.nan) for m in wanted}
    return values_in_replicates(wanted, replicates, out)
