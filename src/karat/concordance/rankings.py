"""Two measures that rank the same things (`karat.consistency`), and the models that each of many measures prefers
(`karat.compare_measures`)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from karat.concordance.smallest_set import SmallestSet, smallest_set, title_of
from karat.core.arithmetic import TOLERANCE, Array, ratio
from karat.core.comparison import MEASURES, comparison
from karat.core.errors import InputError, ShapeError, quoted, type_words
from karat.core.keywords import understand
from karat.core.measure import Measure
from karat.core.measure import measures as declared
from karat.core.plain_data import plain
from karat.core.record import Verdict
from karat.core.table import Table
from karat.core.validation import listed_words, number_between, two_names
from karat.core.words import counted, listed, percent
from karat.data.arrays import column, named_columns, numbers
from karat.evaluation import Evaluation
from karat.measures.lookup import by_name, lower_is_better_of
from karat.statistics.ranks import mid_ranks, places


class PairCounts(NamedTuple):
    """Pairs of things that two measures rank in the same order, in opposite order, or not at all."""

    concordant: int
    discordant: int
    only_first: int
    """pairs that the first measure distinguishes and the second does not"""
    only_second: int
    neither: int

    @property
    def consistency(self) -> float:
        """R / (R + S): the share of pairs in the same order, among those that both measures distinguish."""
        both = self.concordant + self.discordant
        return self.concordant / both if both else math.nan

    @property
    def discriminancy(self) -> float:
        """P / Q: pairs that only the first measure distinguishes, per pair that only the second does."""
        if self.only_second:
            return self.only_first / self.only_second
        return math.inf if self.only_first else math.nan

    @property
    def tau(self) -> float:
        """Kendall's tau-b: 1 for the same order, -1 for the opposite one; nan if a measure is constant."""
        both = self.concordant + self.discordant
        first, second = both + self.only_first, both + self.only_second
        return float(tau_b(self.concordant - self.discordant, first, second))


def tau_b(more: Any, first: Any, second: Any) -> Any:
    """Kendall's tau-b [kendall1945]: concordant less discordant pairs, over the geometric mean of the numbers of pairs
    that each measure distinguishes; nan where one of them is constant."""
    return ratio(np.asarray(more, float), np.sqrt(np.multiply(first, second, dtype=float)))


@dataclass(frozen=True, eq=False, repr=False)
class Consistency(Verdict):
    """Degrees of consistency and of discriminancy of two measures; `karat.consistency` returns it.

    Attributes
    ----------
    names : tuple of str
        The two measures.
    n : int
        Number of models (or other things) that they were computed for.
    counts : PairCounts
        Numbers of pairs: `concordant`, `discordant`, `only_first`, `only_second`, `neither`.
    """

    names: tuple[str, str]
    n: int
    counts: PairCounts

    @property
    def consistency(self) -> float:
        """Share of pairs in the same order, among those that both measures distinguish."""
        return self.counts.consistency

    @property
    def discriminancy(self) -> float:
        """Pairs that only the first measure distinguishes, per pair that only the second does."""
        return self.counts.discriminancy

    @property
    def tau(self) -> float:
        """Kendall's tau-b."""
        return self.counts.tau

    def to_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON; undefined or infinite is None."""
        degrees = {"consistency": self.consistency, "discriminancy": self.discriminancy, "tau": self.tau}
        return super().to_dict() | {"counts": self.counts._asdict(), **plain(degrees)}

    @property
    def verdict(self) -> str:
        """What the counts say, in one sentence."""
        a, b = map(title_of, self.names)
        c = self.counts
        if math.isnan(self.consistency):
            alike = f"{a} and {b} have no pair that both distinguish"
        else:
            alike = f"{a} and {b} agree on {percent(self.consistency)} of the pairs that both distinguish"
        if c.only_first == c.only_second:
            return f"{alike}; neither distinguishes more pairs than the other."
        more, less, over, under = (a, b, c.only_first, c.only_second)
        if over < under:
            more, less, over, under = less, more, under, over
        seen = f"{more} distinguishes {counted(over, 'pair')} that {less} does not"
        return f"{alike}; {seen}, and {less} {under or 'none'} that {more} does not."


@comparison(of=MEASURES, cite="huang2005")
@understand
def consistency(
    first: Any,
    second: Any,
    *,
    lower_is_better: tuple[bool, bool] = (False, False),
    names: tuple[str, str] = ("f", "g"),
    tolerance: float = TOLERANCE,
) -> Consistency:
    """Do two measures rank the same things in the same order, and which distinguishes more of them?

    Degree of consistency and degree of discriminancy of two measures [huang2005, jurman2012]. All pairs are counted, in
    n log n time.

    Parameters
    ----------
    first, second : array-like
        Values of the two measures for the same models (or confusion matrices, ...), at least two. For exact arithmetic
        pass whole numbers or fractions.
    lower_is_better : tuple of bool
        For each measure, whether lower values are better.
    names : tuple of str
        Names of the measures, for the verdict.
    tolerance : float
        Values that differ by no more are equal.

    Returns
    -------
    Consistency
        With `consistency`, `discriminancy`, `tau` (Kendall's tau-b), `counts` and a `verdict`.

    Raises
    ------
    InputError
        If values are missing or not finite, or the two lengths differ.

    See Also
    --------
    compare_measures : Which of many measures prefers which model.
    smallest_set : The fewest measures that represent all.

    Examples
    --------
    >>> degrees = consistency([1, 2, 3, 4], [1, 1, 2, 3])
    >>> degrees.consistency, degrees.discriminancy, degrees.counts.only_first
    (1.0, inf, 1)
    """
    names, tolerance = two_names(names), _checked_tolerance(tolerance)
    if not isinstance(lower_is_better, tuple | list) or len(lower_is_better) != 2:
        raise InputError(f"lower_is_better is {quoted([lower_is_better])}; give two of True and False.")
    f, g = (_values(x, name) for x, name in ((first, names[0]), (second, names[1])))
    if len(f) != len(g):
        raise ShapeError(
            f"{names[0]} has {len(f)} values and {names[1]} has {len(g)}; pass values for the same models."
        )
    turned = [places(x, tolerance) * (-1 if lower else 1) for x, lower in zip((f, g), lower_is_better, strict=True)]
    return Consistency(names, len(f), pair_counts(turned[0] - turned[0].min(), turned[1] - turned[1].min()))


def pair_counts(x: Array, y: Array) -> PairCounts:
    """Of places (whole numbers from 0) by two measures [kendall1945]."""
    n = len(x)
    order = np.lexsort((y, x))
    xs, ys = x[order], y[order]
    tied_x = _pairs(np.bincount(x))
    tied_y = _pairs(np.bincount(y))
    new = np.flatnonzero(np.append(True, (xs[1:] != xs[:-1]) | (ys[1:] != ys[:-1])))
    tied_both = _pairs(np.diff(np.append(new, n)))
    discordant = inversions(ys)
    concordant = n * (n - 1) // 2 - tied_x - tied_y + tied_both - discordant
    return PairCounts(concordant, discordant, tied_y - tied_both, tied_x - tied_both, tied_both)


def inversions(sequence: Array) -> int:
    """Number of pairs in which the earlier whole number (of at least 0) is the larger [kendall1945].

    The numbers are told apart by their highest differing bit: one pass for each bit, from the top. Before each pass the
    numbers with equal higher bits stand together, in their old order; a 1 before a 0 among them is an inversion.

    >>> inversions(np.array([2, 0, 1, 1]))
    3
    """
    s = np.asarray(sequence, np.int64)
    at = np.arange(len(s))
    inverted = 0
    for bit in range(int(s.max(initial=0)).bit_length() - 1, -1, -1):
        one = (s >> bit) & 1
        group = s >> (bit + 1)
        starts = np.flatnonzero(np.append(True, group[1:] != group[:-1]))
        size = np.diff(np.append(starts, len(s)))
        before = np.cumsum(one) - one
        ones = before - np.repeat(before[starts], size)
        inverted += int(ones[one == 0].sum())
        start = np.repeat(starts, size)
        zeros = np.repeat(size - np.add.reduceat(one, starts), size)
        moved = np.empty_like(s)
        moved[start + np.where(one == 1, zeros + ones, at - start - ones)] = s
        s = moved
    return inverted


def _whole(ranks: Array) -> list[int | float]:
    """Whole numbers where no rank is shared."""
    return [int(rank) if rank == int(rank) else rank for rank in ranks.tolist()]


def _pairs(counts: Array) -> int:
    return int((counts * (counts - 1) // 2).sum())


def _values(data: Any, name: str) -> Array:
    """Floats, whole numbers, or exact fractions as objects."""
    values = np.asarray(data)
    if values.ndim != 1 or len(values) < 2:
        raise ShapeError(f"{name} has the shape {values.shape}; pass one value for each of at least two models.")
    if values.dtype.kind not in "biufO":
        raise InputError(f"{name} has values of type {values.dtype}; pass numbers.")
    if values.dtype.kind == "f" and not np.isfinite(values).all():
        wrong = counted(int((~np.isfinite(values)).sum()), "infinite or missing value")
        raise InputError(f"{name} has {wrong}; leave them out of both measures.")
    return values.astype(np.int64) if values.dtype.kind in "bu" and values.dtype != np.uint64 else values


MODELS_AT_ONCE = 1000
"""Models whose pairs are all held in turn; more are sorted."""


MOST_TITLES = 3
"""Measures that a sentence names; of more it counts the rest."""


@dataclass(frozen=True, eq=False, repr=False)
class Rankings(Verdict):
    """Models ranked by many measures; `karat.compare_measures` returns it.

    Attributes
    ----------
    measures, models : tuple of str
        Their names.
    ranks : array of shape (measures, models)
        1 is best; ties share their mean rank.
    choices : dict
        For each measure the best model, or several that tie.
    tau : array of shape (measures, measures)
        Kendall's tau-b; nan for a measure that is the same for all models.
    place : array of shape (measures, models)
        Place among the distinct values, 0 the worst.
    repeated : dict
        Measures that are equal to an earlier one for every model, and which that is (for two classes all variants of
        the AUC are the same number): they count once.
    """

    measures: tuple[str, ...]
    models: tuple[str, ...]
    ranks: Array
    choices: dict[str, tuple[str, ...]]
    tau: Array
    place: Array = field(default_factory=lambda: np.empty(0))
    repeated: dict[str, str] = field(default_factory=dict)

    @property
    def chosen_by(self) -> dict[str, tuple[str, ...]]:
        """Each model that is the single best one by some measure: those measures; the model with most of them first."""
        sole = {m: choice[0] for m, choice in self.choices.items() if len(choice) == 1}
        votes = {model: tuple(m for m in self.measures if sole.get(m) == model) for model in self.models}
        return dict(sorted(((model, v) for model, v in votes.items() if v), key=lambda vote: -len(vote[1])))

    @property
    def undecided(self) -> tuple[str, ...]:
        """Measures by which several models tie for best."""
        return tuple(m for m in self.measures if len(self.choices[m]) > 1)

    @property
    def verdict(self) -> str:
        """What the rankings say, in one sentence."""
        distinct = [m for m in self.measures if m not in self.repeated]
        parts = []
        for i, (model, voters) in enumerate(self.chosen_by.items()):
            own = [title_of(m) for m in voters if m in distinct]
            verb = "prefers" if len(own) == 1 else "prefer"
            what = "distinct measures" if self.repeated else "measures"
            parts.append(
                f"{len(own)} of {len(distinct)} {what} {verb} {model}"
                if i == 0
                else f"{listed(own, MOST_TITLES)} {verb} {model}"
            )
        tied = [title_of(m) for m in self.undecided if m in distinct]
        if tied:
            parts.append(f"the best models tie by {listed(tied, MOST_TITLES)}")
        sentence = f"{'; '.join(parts)}."
        return sentence[:1].upper() + sentence[1:]

    def to_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON; undefined is None."""
        data = super().to_dict()
        del data["place"]
        return data

    def to_table(self) -> Table:
        """One row for each measure: the model that it prefers, and the rank of each model."""
        choices = {"measure": list(self.measures), "chooses": [listed(self.choices[m]) for m in self.measures]}
        ranks: dict[str, list[Any]] = {f"rank of {m}": _whole(self.ranks[:, j]) for j, m in enumerate(self.models)}
        return Table(choices | ranks, self.verdict)

    def _repr_html_(self) -> str:
        """With measures by their titles."""
        table = self.to_table()
        labels = [declared[m].label if m in declared else m for m in self.measures]
        return Table(table.columns | {"measure": labels}, table.title)._repr_html_()

    def correlations(self) -> Table:
        """Kendall's tau-b of each pair of measures [kendall1945]."""
        columns: dict[str, list[Any]] = {m: self.tau[:, j].tolist() for j, m in enumerate(self.measures)}
        return Table({"measure": list(self.measures)} | columns, "Kendall's tau-b")

    def consistency(self, first: str, second: str) -> Consistency:
        """Degrees of consistency and discriminancy of two of the measures [huang2005]."""
        at = {m: i for i, m in enumerate(self.measures)}
        i, j = (by_name(at, m) for m in (first, second))
        names = self.measures[i], self.measures[j]
        return Consistency(names, len(self.models), pair_counts(self.place[i], self.place[j]))

    def smallest_set(self, threshold: float = 0.9) -> SmallestSet:
        """The fewest measures that tell what all do [ferri2009]; see `smallest_set`."""
        return smallest_set(self.tau, self.measures, threshold=threshold)


@comparison(of=MEASURES, cite="kendall1945")
@understand
def compare_measures(
    values: Any, models: Any = None, *, lower_is_better: Mapping[str, bool] | None = None, tolerance: float = TOLERANCE
) -> Rankings:
    """Which measure prefers which model, and how far do measures rank models alike?

    Models are ranked by each measure; how far two rankings agree is told by Kendall's tau-b [kendall1945].

    Parameters
    ----------
    values : dict or data frame
        A column for each measure, with one value for each model.
    models : list of str or str, optional
        Names of the models, or of the column that holds them.
    lower_is_better : dict of str to bool, optional
        For measures that karat does not know.
    tolerance : float
        Values that differ by no more are equal.

    Returns
    -------
    Rankings
        With `choices`, `ranks`, `tau`, a `verdict`, and the methods `correlations`, `consistency` and `smallest_set`.

    Raises
    ------
    InputError
        If a value is missing or not finite, or a measure is not known and `lower_is_better` does not name it.

    See Also
    --------
    compare : Compare models on the same cases, with tests and intervals.
    consistency : Two measures in detail.
    smallest_set : The fewest measures that represent all.

    Examples
    --------
    >>> values = {"MCC": [0.6, 0.5, 0.4], "accuracy": [0.8, 0.75, 0.7], "speed": [0.6, 0.9, 0.7]}
    >>> rankings = compare_measures(values, ["forest", "boosting", "tree"], lower_is_better={"speed": False})
    >>> rankings.verdict
    '2 of 3 measures prefer forest; speed prefers boosting.'
    >>> rankings.smallest_set().kept
    ('MCC', 'speed')
    """
    columns = named_columns(values, "the table of values")
    if isinstance(models, str):
        if models not in columns:
            raise InputError(f"the table of values has no column {models!r}; it has {quoted(columns, 8)}.")
        models = [str(m) for m in column(columns.pop(models), f"column {models!r}")[0].tolist()]
    if not isinstance(lower_is_better, Mapping | None):
        raise InputError(f"lower_is_better is {type_words(lower_is_better)}; give {{measure: True or False}}.")
    rows = _rows(columns, lower_is_better or {})
    place = places(rows, _checked_tolerance(tolerance))
    names = tuple(map(str, columns))
    numbered = [f"model {j + 1}" for j in range(rows.shape[1])]
    models = tuple(map(str, numbered if models is None else listed_words(models)))
    if len(models) != rows.shape[1] or len(set(models)) != len(models):
        raise InputError(
            f"there are {rows.shape[1]} models and the names {quoted(models)}; pass one distinct name for each."
        )
    best = place == place.max(axis=1, keepdims=True)
    choices = {names[i]: tuple(models[j] for j in np.flatnonzero(row)) for i, row in enumerate(best)}
    ranks = mid_ranks(place.max(axis=1, keepdims=True) - place)[0]
    return Rankings(names, models, ranks, choices, _taus(place), place, _repeated(names, rows, tolerance))


def _checked_tolerance(tolerance: Any) -> float:
    return number_between("tolerance", tolerance, 0, math.inf, ends="[)")


def _rows(columns: Mapping[str, Any], lower_is_better: Mapping[str, bool]) -> Array:
    """[measures, models]: checked values, turned so that higher is better."""
    if not columns:
        raise InputError("the table of values has no measures; pass a column of values for each.")
    unknown = [m for m in lower_is_better if m not in columns]
    if unknown:
        raise InputError(
            f"lower_is_better names {quoted(unknown)}, which the table of values does not have; leave them out."
        )
    rows: list[Array] = []
    for measure, values in columns.items():
        row, _ = numbers(values, f"the values of {measure}", "one number for each model")
        if row.ndim != 1 or len(row) < 2:
            raise ShapeError(f"{measure} has the shape {row.shape}; pass one value for each of at least two models.")
        if rows and len(row) != len(rows[0]):
            raise ShapeError(f"{measure} has {len(row)} values and others {len(rows[0])}; pass one for each model.")
        if not np.isfinite(row).all():
            at = int(np.argmax(~np.isfinite(row)))
            raise InputError(f"{measure} is {row[at]} for model {at}; leave the measure or the model out.")
        rows.append(-row if lower_is_better_of(str(measure), lower_is_better.get(measure)) else row)
    return np.stack(rows)


def _repeated(names: tuple[str, ...], rows: Array, tolerance: float) -> dict[str, str]:
    """Names of rows with the numbers of an earlier row: theirs to its name."""
    repeated: dict[str, str] = {}
    for i, name in enumerate(names):
        for j in range(i):
            if names[j] not in repeated and np.abs(rows[i] - rows[j]).max() <= tolerance:
                repeated[name] = names[j]
                break
    return repeated


def rankings_of(models: Mapping[str, Evaluation], measures: Iterable[Measure]) -> Rankings | None:
    """The same of models that were evaluated, leaving out measures that only describe, and those that some model has no
    value of; None if no measure is left [kendall1945]."""
    values = {m: [e.value_or_nan(m) for e in models.values()] for m in measures if m.orientation}
    kept = {m: v for m, v in values.items() if np.isfinite(v).all()}
    lower = {m.symbol: m.orientation < 0 for m in kept}
    by_symbol = {m.symbol: v for m, v in kept.items()}
    return compare_measures(by_symbol, list(models), lower_is_better=lower) if kept else None


def _taus(place: Array) -> Array:
    """Kendall's tau-b of all pairs of measures: for few models from the signs of all differences at once, for many by
    sorting, a pair of measures at a time."""
    m, n = place.shape
    if n <= MODELS_AT_ONCE:
        more = np.zeros((m, m))
        apart = np.zeros(m)
        for i in range(n - 1):
            sign = np.sign(place[:, i + 1 :] - place[:, i : i + 1]).astype(float)
            more += sign @ sign.T
            apart += np.abs(sign).sum(axis=1)
        return np.asarray(tau_b(more, apart[:, None], apart))
    tau = np.empty((m, m))
    for i in range(m):
        for j in range(i + 1):
            tau[i, j] = tau[j, i] = pair_counts(place[i], place[j]).tau
    return tau
