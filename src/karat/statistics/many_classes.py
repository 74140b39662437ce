"""Statistics of very many classes: what formulas ask of tables over pairs of classes, gathered some rows at a time. The
tables themselves, which would be larger than the data, are made only if someone looks at them."""

from __future__ import annotations

from typing import Any

import numpy as np

from karat import kernels
from karat.core.arithmetic import Array
from karat.core.cached import cached
from karat.data import Predictions
from karat.kernels.margins import TableMargins, first_floats, rest_of
from karat.kernels.records import PairSums, TableDigest, TableSums
from karat.statistics import scans
from karat.statistics.counts import Counts
from karat.statistics.order import Margins, Pairs, Segments, Windows
from karat.statistics.probability_sums import LossSums, ProbabilitySums


class ManyPairs(Pairs):
    """Pairs whose matrix is made when it is asked for."""

    def __init__(self, cases: Predictions, known: dict[str, Any]) -> None:
        self.cases, self.weight = cases, cases.class_weight
        self.__dict__.update(known)

    @cached
    def matrix(self) -> Array:
        """All pairs of classes: large."""
        return Pairs.of(self.cases).matrix


class ManyMargins(Margins):
    """Margins whose matrix is made when it is asked for."""

    def __init__(self, cases: Predictions, known: dict[str, Any]) -> None:
        self.cases, self.weight = cases, cases.class_weight
        self.__dict__.update(known)

    @cached
    def matrix(self) -> Array:
        """All pairs of classes: large."""
        return Margins.of(self.cases).matrix


class ManySums(ProbabilitySums):
    """Sums of probabilities whose table is made when it is asked for."""

    def __init__(self, cases: Predictions, table: TableDigest, relative: TableDigest) -> None:
        self.cases, self.weight = cases, cases.class_weight
        self.__dict__.update(table=ManyCells(cases, table), relative=ManyCells(cases, relative, given_class=True))

    @cached
    def sums(self) -> Array:
        """All pairs of classes: large."""
        return ProbabilitySums.of(self.cases).sums


class ManyCells(Counts):
    """The sums as a table, or the means given the class."""

    def __init__(self, cases: Predictions, digest: TableDigest, given_class: bool = False) -> None:
        self.cases, self.given_class = cases, given_class
        known = self.__dict__
        known["k"], known["ln_errors"], known["sums"], known["diagonal"], known["confusion"] = digest
        known["l"], known["lead"] = self.k, ()

    @cached
    def table(self) -> Array:
        """All cells: large."""
        whole = ProbabilitySums.of(self.cases)
        return whole.relative.table if self.given_class else whole.sums


def column_statistics(p: Predictions) -> tuple[Pairs, Margins, Segments, Windows]:
    """From one sort of each score column. A case counts for the class it has among those that have cases."""
    assert p.held is not None
    k, weight = len(p.classes), p.class_weight
    present = np.unique(p.truth)
    m = len(present)
    place = np.full(k, m, np.int32)
    place[present] = np.arange(m)
    each = np.append(weight[present], 0.0)
    np.divide(1.0, each, out=each, where=each > 0)
    of_case = None if p.weight is None else p.weight[0]
    facts = kernels.class_columns(place[p.truth[0]], p.held[0], of_case, place, each, scans.window(p.n))
    wins, gains, won, gained, deviation, refinement, error = facts
    return (
        ManyPairs(p, _pair_facts(wins, won, weight)),
        ManyMargins(p, _pair_facts(gains, gained, weight)),
        Segments(deviation, refinement, weight),
        Windows(error, weight),
    )


def _pair_facts(by_pair: Array, won: Array, weight: Array) -> dict[str, Any]:
    """From the sums of each class over its pairs, divided by the weight of the other class or not."""
    pairs = weight * rest_of(weight)
    rest = np.divide(won, pairs, out=np.full(len(pairs), np.nan), where=pairs > 0)
    there, some = weight > 0, pairs > 0
    total = weight.sum()
    sums = PairSums(
        float(there.sum()),
        float((by_pair[there] / weight[there]).sum()),
        float(by_pair[there].sum() / total),
        float(rest[some].sum()),
        float((rest[some] * weight[some]).sum() / total),
    )
    return {"sums": sums, "against_rest": rest}


def row_statistics(p: Predictions) -> tuple[ProbabilitySums, LossSums]:
    """From one pass over the rows, class by class."""
    assert p.held is not None
    weight, of_case = p.class_weight, None if p.weight is None else p.weight[0]
    order = np.argsort(p.truth[0], kind="stable")
    losses, whole, relative, *spread = kernels.class_rows(p.truth[0], p.held[0], of_case, order, weight, scans.FLOOR)
    digests = (_digest(*parts) for parts in zip((whole, relative), spread, strict=True))
    return ManySums(p, *digests), LossSums(losses[0], losses[1], weight)


def _digest(parts: Array, spread: float) -> TableDigest:
    """What formulas ask of a table, from its diagonal, missed and alarms, and the sum of c ln c off the diagonal."""
    diagonal, missed, alarms = (x[None] for x in parts)
    none = np.empty(0, int)
    margins = TableMargins(missed + diagonal, alarms + diagonal, diagonal, missed, alarms, none[None], none, none)
    k = parts.shape[1]
    confusion = float(margins.confusion_of(np.array([spread]))[0])
    logs = float(margins.diagonal_logs()[0])
    return k, float(np.log(2.0 * k - 2)), TableSums(*first_floats(margins.sums())), logs, confusion
