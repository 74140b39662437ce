"""One evaluation: all that formulas ask of it, and the formulas."""

from __future__ import annotations

from typing import Any

import numpy as np

from karat.kernels._rows import row_sums
from karat.kernels._tables import class_sums, pair_sums, relative
from karat.kernels.margins import TableMargins
from karat.kernels.records import OPERATIONS, ROUNDING, Array


@np.errstate(over="ignore", invalid="ignore")  # of huge scores, which nobody asks these of
def row_facts(
    truth: Array,
    proba: Array,
    decided: Array | None,
    weight: Array | None,
    class_weight: Array,
    l: int,
    floor: float,
    given: int = -1,
) -> tuple[tuple[Array, Array, Array, Array], Array]:
    """Of one evaluation, for which the calls cost more than the sums: counts, sums of probabilities, squares and
    logarithms, and the facts of these three statistics (see `records`)."""
    counts, sums, squares, logs = row_sums(truth, proba, decided, weight, l, floor, given)
    weights = class_weight[None]
    losses = [class_sums(values, weights)[:, 0] for values in (squares, logs)]
    of_counts = TableMargins.of(counts)
    parts: list[Any] = [
        _table_facts(counts), of_counts.logs()[:, 0], of_counts.overlap(), _table_facts(relative(counts, None)),
        [losses[0][1]], _table_facts(sums), _table_facts(relative(sums, weights)),
        [counts.shape[1]], *losses,
    ]  # fmt: skip
    return (counts[0], sums[0], squares[0], logs[0]), np.concatenate(parts)


def _table_facts(tables: Array) -> Array:
    _, k, l = tables.shape
    m = TableMargins.of(tables)
    with np.errstate(divide="ignore"):
        ln_errors = np.log(2.0 * k - 2)
    confusion = m.confusion()[0] if k == l else np.nan
    return np.array([k, l, ln_errors, *m.sums()[:, 0], m.diagonal_logs()[0], confusion])


def column_facts(wins: Array, gains: Array, sums: Array, class_weight: Array) -> Array:
    """Of one evaluation: the facts of its statistics of order, from wins[1, k, k], gains[1, k, k], (deviation,
    refinement, error)[.., 1, k] and the class weights[k]."""
    weights = class_weight[None]
    deviation, _, error = sums[:3]
    parts = [*(pair_sums(x, weights) for x in (wins, gains)), *(class_sums(x, weights) for x in (deviation, error))]
    return np.concatenate(parts)[:, 0]


def follow(
    steps: Array, constants: Array, outputs: Array, facts: Array, symbols: tuple[str, ...], out: dict[str, float]
) -> bool:
    """Puts the values of formulas that are written down as steps under their symbols; is none of them nan? Numbers are
    facts, constants, and what each step[operation, number, number, number] gives; the outputs say which of them are the
    values."""
    numbers = _followed(steps, [*facts, *constants])
    found = [float(numbers[i]) for i in outputs]
    out.update(zip(symbols, found, strict=True))
    return not any(value != value for value in found)


def follow_many(steps: Array, constants: Array, outputs: Array, facts: list[Any], out: Array) -> None:
    """The same of many evaluations: the facts have n numbers each, or one that is the same of all (None: no step needs
    it), and the values are put into out[values, n]."""
    given = (None if x is None else np.asarray(x, np.float64).ravel() for x in facts)
    numbers = _followed(steps, [*given, *constants])
    for row, i in zip(out, outputs, strict=True):
        row[:] = numbers[i]


def _followed(steps: Array, numbers: list[Any]) -> list[Any]:
    with np.errstate(all="ignore"):
        for code, *places in steps.tolist():
            name, arguments = OPERATIONS[code]
            function = _within if name == "within" else getattr(np, name)
            numbers.append(np.asarray(function(*(numbers[i] for i in places[:arguments])), np.float64))
    return numbers


def _within(x: Array, low: Array, high: Array) -> Array:
    """x, or an end of its range where rounding left it just beyond."""
    nearest = np.clip(x, low, high)
    return np.where(np.abs(x - nearest) <= ROUNDING, nearest, x)
