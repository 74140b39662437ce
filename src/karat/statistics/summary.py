"""All that is known of one set of predictions: each statistic computed once, when first asked for."""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import Any, TypeVar

import numpy as np

from karat.core.errors import InputError, option, positive_missing, quoted, type_words
from karat.core.statistic import Statistic
from karat.data import Matrix, Predictions, Source
from karat.data.pairing import joined
from karat.data.row_labels import refuse_unlike_models
from karat.statistics import many_classes, scans
from karat.statistics.counts import DENSE, Binary, Counts, ListedCounts
from karat.statistics.order import Margins, Pairs, Placements, Segments, Windows
from karat.statistics.probability_sums import LossSums, ProbabilitySums
from karat.statistics.score_table import ScoreTable

S = TypeVar("S", bound=Statistic)

ROWS, COLUMNS = (Counts, ProbabilitySums, LossSums), (Pairs, Margins, Segments, Windows)
"""Statistics that come out of one scan together."""
OF_COLUMNS: Set[type[Statistic]] = frozenset(COLUMNS)
Kinds = tuple[type[Statistic], ...]
TOGETHER: dict[type[Statistic], Kinds] = {kind: together for together in (ROWS, COLUMNS) for kind in together}


FEW_CELLS, MOST_AT_HAND = 1 << 14, 1 << 16
"""Up to so many cells tables over pairs of classes are made whatever the data, and from the other number on never."""
TABLES = 7
"""Such tables, on the way to all measures."""


def _is_large(p: Predictions) -> bool:
    """Would such tables take more than half of the memory of the probabilities?"""
    cells = len(p.classes) * len(p.outputs)
    if p.lead or p.held is None or cells <= FEW_CELLS:
        return False
    return cells > MOST_AT_HAND or 2 * TABLES * cells * 8 > p.held.nbytes


def _cells(p: Predictions) -> Counts:
    """Counts; of many classes and few cases the cells that are not empty."""
    k, l = len(p.classes), len(p.outputs)
    if 8 * p.n < k * l <= DENSE:
        return ListedCounts.of_cells(p.truth[0], p.decisions[0], p.weight, (k, l))
    return Counts.of_decisions(p)


class Summary:
    """The statistics of some predictions, or of a bare matrix."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.computed: dict[Any, Any] = {}
        """The statistics computed so far; those without parameters by their class."""
        self._scanned: dict[Kinds, tuple[Any, Any]] = {}
        """Of scans for the facts: their sums, of which who asks for a statistic makes it, and the facts."""
        self.asked = OF_COLUMNS
        """Those that will be asked for, as far as is known: pairs alone cost less than what comes out with them."""

    def lacks(self, kind: type[Statistic]) -> str:
        """Why this statistic is not available; empty if it is."""
        added = self.source.added
        lacking = self.source.lacks(kind.needs) if added is None else added.lacks_statistic(kind)
        if not lacking and not kind.weighted and self.source.weight is not None:
            return "it counts cases and can't take weights"
        return lacking

    def __getitem__(self, kind: type[S]) -> S:
        return self.get(kind)

    def get(self, kind: type[S], **parameters: Any) -> S:
        """The statistic, computed now if it was not yet."""
        key = (kind, *sorted(parameters.items())) if parameters else kind
        statistic = self.computed.get(key)
        if statistic is None:
            statistic = self.computed[key] = self._compute(kind, parameters)
        return statistic

    def _compute(self, kind: type[S], parameters: dict[str, Any]) -> S:
        if kind is Binary:
            return self.get(Counts).binary  # type: ignore[return-value]
        if self.source.added is not None:
            return self.source.added.statistic(kind, parameters)  # type: ignore[no-any-return]
        p = self.source.cases
        together: Any = TOGETHER.get(kind)
        if together in self._scanned and not parameters:
            fields: Any = scans.row_fields if together is ROWS else scans.column_fields
            return kind(*fields(p, self._scanned[together][0])[together.index(kind)])
        large = p is not None and _is_large(p)
        if kind is Pairs and self.asked.isdisjoint(COLUMNS[1:]) and not large:
            together = None
        if together is None or parameters or p is None or p.held is None:
            return kind.of(self.source, **parameters)
        computed, complete = self.computed, p.weight is None and p.probabilities
        if large:
            computed.update(self._of_many_classes(p, kind))
        else:
            parts: Any = scans.rows(p) if together is ROWS else scans.columns(p)
            for other, fields in zip(together, parts, strict=True):
                if complete or not self.lacks(other):
                    computed[other] = other(*fields)
        return computed[kind]  # type: ignore[no-any-return]

    def facts(self, together: Kinds) -> Any:
        """What formulas of the statistics of one scan ask of one evaluation, by a kernel that scans the data; None
        where they have to take the statistics themselves."""
        scanned = self._scanned.get(together)
        if scanned is None:
            p = self.source.cases
            if p is None or p.held is None or p.weight is not None or not p.probabilities or p.lead:
                return None
            if len(p.outputs) > scans.FEW_OUTPUTS or _is_large(p) or not self.computed.keys().isdisjoint(together):
                return None
            scanned = self._scanned[together] = scans.row_facts(p) if together is ROWS else scans.column_facts(p)
        return scanned[1]

    def _of_many_classes(self, p: Predictions, kind: type[Statistic]) -> dict[Any, Any]:
        """The statistics that come with this one; few cells of tables so large are not empty, or are looked at."""
        if kind is Counts:
            return {Counts: _cells(p)}
        if kind in COLUMNS:
            parts = zip(COLUMNS, many_classes.column_statistics(p), strict=True)
        else:
            parts = zip(ROWS[1:], many_classes.row_statistics(p), strict=True)
        return {other: statistic for other, statistic in parts if not self.lacks(other)}

    def seen_as(self, view: str) -> Summary:
        """Of added statistics: the same, cases in one cell of a grid being supposed to be ordered otherwise."""
        key = ("seen as", view)
        if key not in self.computed:
            self.computed[key] = Summary(self.source.added.seen_as(view))
        return self.computed[key]  # type: ignore[no-any-return]

    def table_of_class(self, j: int) -> ScoreTable:
        """The score table of class j against the rest."""
        key = (ScoreTable, j)
        if key not in self.computed:
            source = self.source
            if source.added is not None:
                self.computed.update({(ScoreTable, c): table for c, table in enumerate(source.added.tables())})
            else:
                assert source.cases is not None
                self.computed[key] = ScoreTable.of_class(source.cases, j)
        return self.computed[key]  # type: ignore[no-any-return]

    def placements_of_class(self, j: int) -> Placements:
        """The placements of class j against the rest. Of two columns that mirror each other they also give the pairs,
        which are then not looked for by another sort."""
        key = (Placements, j)
        if key not in self.computed:
            p = self.source.cases
            assert p is not None
            placements = self.computed[key] = Placements.of_class(p, j)
            if len(p.classes) == 2 and p.extent is not None and p.extent.given is not None and p.weight is None:
                pairs = Pairs(np.array([[0.0, placements.won], [placements.won, 0.0]]), p.class_weight)
                self.computed.setdefault(Pairs, pairs)
        return self.computed[key]  # type: ignore[no-any-return]


def summary_of(model: Any) -> Summary:
    """The statistics of a model."""
    summary = getattr(model, "statistics", model)
    if isinstance(summary, Predictions | Matrix):
        return Summary(summary)
    if not isinstance(summary, Summary):
        raise InputError(
            f"a model is given as {type_words(model)}; give what karat.evaluate or karat.evaluate_matrix returns."
        )
    return summary


def summaries_of(models: Any, join: bool = True) -> dict[str, Summary]:
    """Name to statistics, of models about the same classes; where their cases have ids, in the order of the first,
    unless each has cases of its own."""
    if not isinstance(models, Mapping) or not models:
        raise InputError(f"models is {type_words(models)}; give them by name: {{name: evaluation, ...}}.")
    summaries = {str(name): summary_of(model) for name, model in models.items()}
    (first, one), *others = summaries.items()
    for name, other in others:
        if other.source.classes != one.source.classes:
            raise InputError(
                f"{first} has the classes {quoted(one.source.classes)} and {name} has {quoted(other.source.classes)}; "
                f"give all models the same classes in the same order ({option('labels')})."
            )
    return paired(summaries) if join else summaries


def paired(summaries: Mapping[str, Summary]) -> dict[str, Summary]:
    """The same, the cases of all models in one order if they have ids: the one place where models are joined."""
    cases = {name: s.source.cases for name, s in summaries.items() if s.source.cases is not None}
    in_order = joined(cases) if cases else {}
    return {name: Summary(in_order[name]) if in_order.get(name) is not cases.get(name) else s
            for name, s in summaries.items()}  # fmt: skip


def positive_of(summary: Summary) -> int:
    """The place of the positive of two classes."""
    source = summary.source
    if len(source.classes) != 2:
        raise InputError(
            f"there are {len(source.classes)} classes; thresholds and ROC points need two: merge the others first."
        )
    if source.positive is None:
        raise InputError(f"{positive_missing(source.classes)}.")
    return source.positive


def same_cases(summaries: Mapping[str, Summary], unpaired: bool = False) -> bool:
    """Are all models about the same cases, case by case? Two sets of predictions with other ids, truths or weights are
    an error; a bare matrix does not say which cases are whose. `unpaired`: whoever asks can compare different cases."""
    cases = {name: s.source.cases for name, s in summaries.items() if s.source.cases is not None}
    if not cases:
        return False
    (first, a), *others = cases.items()
    refuse_shuffled(cases)
    for name, b in others:
        if a.ids is not b.ids and not (a.ids is not None and b.ids is not None and np.array_equal(a.ids, b.ids)):
            raise InputError(
                f"{first} and {name} have different ids, or the same in another order; give both the same."
            )
        if a.ids is None:
            refuse_unlike_models(first, a.row_labels, name, b.row_labels)
        if not np.array_equal(a.truth, b.truth):
            many = f"{a.n:,} and {b.n:,} cases" if a.n != b.n else "different y_true"
            way_out = f", or compare them as models on different cases ({option('paired')})" if unpaired else ""
            raise InputError(
                f"{first} and {name} have {many}; give predictions of the same cases in the same order, or the id of "
                f"each case ({option('ids')}){way_out}."
            )
        if not _same_weights(a, b):
            raise InputError(
                f"{first} and {name} have different weights; a case has one weight, whoever predicts it: give both the "
                f"same {option('sample_weight')}."
            )
    return len(cases) == len(summaries)


def refuse_shuffled(cases: Mapping[str, Predictions]) -> None:
    """Cases that are not in the order in which they were given can't be put beside others."""
    for name, p in cases.items():
        if p.shuffled and len(cases) > 1:
            raise InputError(
                f"the rows of {name} were accumulated without their order; accumulate all models at once, or each of "
                "them with paired=True."
            )


def _same_weights(a: Predictions, b: Predictions) -> bool:
    if a.weight is None or b.weight is None:
        return a.weight is b.weight
    return np.array_equal(a.weight, b.weight)
