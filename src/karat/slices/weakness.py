"""`karat.weak_slices`: for which cases is a model worse than for the others?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, NamedTuple

import numpy as np

from karat.core.arithmetic import Array
from karat.core.comparison import GROUPS, comparison
from karat.core.errors import InputError
from karat.core.finding import WARNING, Finding, Findings
from karat.core.keywords import understand
from karat.core.plain_data import plain
from karat.core.record import Record, Verdict
from karat.core.table import Table
from karat.core.validation import checked_level, false_alarms, number_between, whole
from karat.core.words import PValue, counted, interval, number, p_value, percent
from karat.data.predictions import Predictions
from karat.evaluation import Evaluation
from karat.resampling.draws import stream
from karat.slices.attributes import Attribute, attributes_of, refuse_other_columns
from karat.slices.case_losses import CaseLoss, case_loss
from karat.slices.slice_search import Candidate, Losses, slices_in_turn, slices_searched
from karat.slices.slice_value import mean_loss, p_of_slice, slice_value
from karat.statistics.p_values import holm

SPLIT, DRAWN = 1 << 29, 1 << 30
"""Purposes of random numbers: which cases search, and subsets that slices are held against."""
MOST_SEARCHING = 100_000
"""Cases that search, at most; all others value what was found."""
FEWEST_CASES = 20
"""Of a slice, in all; half of them find it, half value it."""
FEWEST_IN_ALL = 40
DEEPEST = 3
COLUMNS = ("slice", "cases", "share", "value", "low", "high", "rest", "p")


@dataclass(frozen=True, eq=False, repr=False)
class WeakSlice(Record):
    """Cases for which the mean loss is significantly higher than for the others.

    Attributes
    ----------
    slice : str
        What its cases have in common: "age > 70 and site = north".
    cases, share : int, float
        How many there are, and which share (of the weight) of all cases they are.
    value, low, high : float
        The mean loss and its interval, on those cases that did not find the slice.
    rest : float
        The mean loss of the cases that no weak slice holds, of those that did not find any.
    p : float
        Of no difference, outside the slices above it, corrected (Holm) for all slices that were tested.
    valued : int
        How many cases it was valued on.
    loss : str
        Which loss.
    inside : array of bool
        Which of all cases it holds.
    """

    slice: str
    cases: int
    share: float
    value: float
    low: float
    high: float
    rest: float
    p: float
    valued: int
    loss: str
    inside: Array

    def to_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON; without the single cases."""
        return {f.name: plain(getattr(self, f.name)) for f in fields(self) if f.name != "inside"}

    def __str__(self) -> str:
        seen = number(self.value) if self.low != self.low else interval(self.value, self.low, self.high)
        return f"{self.slice}: {self.loss} {seen} against {number(self.rest)}; {percent(self.share)} of the cases"

    def __repr__(self) -> str:
        return f"<{self}>"


@dataclass(frozen=True, eq=False, repr=False)
class WeakSlices(Verdict, Sequence[WeakSlice]):
    """What `karat.weak_slices` returns: a sequence of `WeakSlice`, the surest first, none of them a variant of another.

    Attributes
    ----------
    slices : tuple of WeakSlice
    loss : str
    level : float
        The chance that nothing is reported where no slice is weak.
    examined : int
        How many slices there were to choose from.
    tested : int
        How many tests there were of slices that one part of the cases found, on the other: both parts may find a slice.
    found_on, valued_on : int
        How many cases these parts have, in the first of two searches.
    """

    slices: tuple[WeakSlice, ...]
    loss: str
    level: float
    examined: int
    tested: int
    found_on: int
    valued_on: int

    def __getitem__(self, key: Any) -> Any:
        return self.slices[key]

    def __iter__(self) -> Iterator[WeakSlice]:
        return iter(self.slices)

    def __len__(self) -> int:
        return len(self.slices)

    @property
    def verdict(self) -> str:
        """What was found, in a sentence."""
        among = f"{counted(self.examined, 'slice')} ({counted(self.tested, 'test')} on cases that did not find them)"
        if not self.slices:
            return f"No weak slice: none of {among} has a significantly higher {self.loss} than the other cases."
        return f"{counted(len(self.slices), 'weak slice')} of {among}, the surest first."

    def to_table(self) -> Table:
        """One row for each slice: slice, cases, share, value, low, high, rest, p."""
        rows = [{name: getattr(s, name) for name in COLUMNS} | {"p": PValue(s.p)} for s in self.slices]
        empty: dict[str, list[Any]] = {name: [] for name in COLUMNS}
        return Table(Table.of(rows).columns or empty, self.verdict)

    def findings(self) -> Findings:
        """The same in plain words."""
        words = (
            f"Measured on {{}} that took no part in the search; {{}}, corrected for {counted(self.tested, 'test')}. "
            "Look at these cases before the average is trusted: collect more of them, or predict them otherwise."
        )
        return Findings(
            Finding("weak-slice", WARNING, str(s), words.format(counted(s.valued), p_value(s.p)), s.to_dict())
            for s in self.slices
        )

    def __repr__(self) -> str:
        return "\n".join([self.verdict, *map(str, self.slices)])


@comparison(of=GROUPS, cite="chung2019", aliases=("slices", "weak slices", "weak_segments"))
@understand
def weak_slices(
    e: Evaluation,
    attributes: Any,
    *,
    loss: Any = "error",
    depth: int = 3,
    bins: Any = 10,
    smallest: float = 0.01,
    level: float = 0.95,
    seed: int = 0,
) -> WeakSlices:
    """For which cases is the loss significantly higher than for the others?

    Half of the cases, drawn at random, are searched for conjunctions of conditions on up to three attributes whose mean
    loss is high [chung2019]; the others value and test what was found, and then the halves change places (of more than
    200,000 cases 100,000 search, once). So no slice is valued on cases that found it. p-values are corrected (Holm),
    also for there being two searches: where no slice is weak, nothing is reported with the chance `level`, or more.

    Parameters
    ----------
    e : Evaluation
        Of predictions case by case, assumed to be independent.
    attributes : dict or data frame
        {name: column}, one value for each case: numbers, texts or truth values. Missing values are a value, too.
    loss : {"error", "log_loss", "brier_score", ...} or array-like of shape (n,), default "error"
        The loss of each case: 1 for a wrong prediction, a measure that is a mean over cases, or any cost of each case.
    depth : int, default 3
        How many attributes a slice may combine: 1, 2 or 3.
    bins : int or sequence of quantiles, default 10
        Numbers are cut at the quantiles of so many bins of equal size, or at these quantiles (0.25, 0.5, 0.75); a
        condition holds any bins in a row.
    smallest : float, default 0.01
        The smallest share of the cases that is a slice; never fewer than 20 cases.
    level : float, default 0.95
        Confidence of the intervals and of the test.
    seed : int, default 0
        Another seed draws another half to search.

    Returns
    -------
    WeakSlices

    See Also
    --------
    Evaluation.findings : what should be known of all cases.

    Examples
    --------
    >>> import karat
    >>> import numpy as np
    >>> rng = np.random.default_rng(1)
    >>> age, site = rng.integers(20, 90, 4000), rng.choice(["north", "south", "west"], 4000)
    >>> wrong = rng.random(4000) < np.where((age > 70) & (site == "north"), 0.5, 0.1)
    >>> y = rng.integers(0, 2, 4000)
    >>> karat.weak_slices(karat.evaluate(y, y_pred=np.where(wrong, 1 - y, y)), {"age": age, "site": site})
    1 weak slice of 219 slices (6 tests on cases that did not find them), the surest first.
    age > 69 and site = north: error 0.530 [0.461, 0.597] against 0.100; 10 % of the cases
    """
    level, depth = checked_level(level), whole("depth", depth)
    if depth > DEEPEST:
        raise InputError(f"depth is {depth}; a slice combines at most {DEEPEST} attributes.")
    number_between("smallest", smallest, 0, 0.5, ends="()")
    cases = _cases_of(e)
    refuse_other_columns(attributes)
    named = attributes.items() if isinstance(attributes, Mapping) else [("attributes", attributes)]
    e.refuse_other_cases(**{str(name): column for name, column in named})
    fewest = max(FEWEST_CASES, round(smallest * cases.n))
    known = attributes_of(attributes, cases.n, bins, fewest)
    of_each = case_loss(e, cases, loss)
    everything = Losses(of_each.values, None if cases.weight is None else cases.weight[0])
    parts = _parts_of(cases.n, seed)
    how = (depth, fewest, seed, len(parts))
    tests = [t for i, finders in enumerate(parts) for t in _tested(known, everything, finders, i, *how)]
    slices = _weak(tests, known, everything, of_each, level, seed)
    searched = sum(slices_searched(known, depth))
    sizes = int(parts[0].sum()), int((~parts[0]).sum())
    return WeakSlices(tuple(slices), of_each.name, level, searched, len(tests), *sizes)


def _parts_of(n: int, seed: int) -> list[Array]:
    """[n] each: the cases that search. Each half once; of very many cases one part is enough."""
    finders = np.zeros(n, bool)
    finders[stream(seed, SPLIT).permutation(n)[: min(n // 2, MOST_SEARCHING)]] = True
    return [finders, ~finders] if n // 2 <= MOST_SEARCHING else [finders]


def _cases_of(e: Any) -> Predictions:
    """Known case by case, and enough of them to be searched and valued."""
    if not isinstance(e, Evaluation):
        raise InputError("weak_slices needs an evaluation; pass karat.evaluate(y_true, y_proba) first.")
    cases = e.statistics.source.cases
    if cases is None:
        raise InputError("weak slices need predictions case by case; this is a confusion matrix, or was added up.")
    if cases.n < FEWEST_IN_ALL:
        raise InputError(f"there are {counted(cases.n)}; at least {FEWEST_IN_ALL} are needed to search and to value.")
    return cases


def _part(a: Attribute, at: Array) -> Attribute:
    return Attribute(a.name, a.cell[at], a.words, a.cuts, a.ordered, a.gaps)


class _Test(NamedTuple):
    """A slice that was found, and tested on other cases."""

    candidate: Candidate
    inside: Array
    others: Array
    """[n]: the cases that did not search"""
    p: float
    """corrected for all that this search found, and for the number of searches"""
    second: bool


def _tested(
    known: list[Attribute], losses: Losses, finders: Array, turn: int, depth: int, fewest: int, seed: int, turns: int
) -> list[_Test]:
    """What some of the cases find, tested on the others. Each slice is tested on cases that none found before it holds,
    so that what is claimed of one slice is not claimed of its neighbours, too."""
    searching = [_part(a, finders) for a in known]
    least = max(FEWEST_CASES // 2, round(fewest * int(finders.sum()) / len(finders)))
    free, rng, tests = ~finders, stream(seed, DRAWN + turn), []
    for candidate in slices_in_turn(searching, losses.of(finders), depth, least):
        inside = candidate.holds(known)
        tests.append((candidate, inside, p_of_slice(losses.of(free), inside[free], rng)))
        free = free & ~inside
    corrected = np.minimum(turns * holm([p for *_, p in tests]), 1.0) if tests else []
    return [
        _Test(candidate, inside, ~finders, float(p), turn > 0)
        for (candidate, inside, _), p in zip(tests, corrected, strict=True)
    ]


def _weak(
    tests: list[_Test], attributes: list[Attribute], losses: Losses, of_each: CaseLoss, level: float, seed: int
) -> list[WeakSlice]:
    """Those that are significant; of the second search those that are weak also without the slices of the first."""
    weight = np.ones(len(losses.loss)) if losses.weight is None else losses.weight
    rng, taken = stream(seed, DRAWN + 2), np.zeros(len(losses.loss), bool)
    weak: list[_Test] = []
    for t in tests:
        left = t.others & ~taken
        alone = t.second and p_of_slice(losses.of(left), t.inside[left], rng) > false_alarms(level)
        if t.p <= false_alarms(level) and not alone:
            weak.append(t)
            taken |= t.inside
    slices = []
    for t in weak:
        own = t.others & t.inside
        value = slice_value(losses.of(own), level, (of_each.least, of_each.most))
        counts = int(t.inside.sum()), float(weight[t.inside].sum() / weight.sum())
        rest, words = mean_loss(losses.of(t.others & ~taken)), t.candidate.said(attributes)
        slices.append(WeakSlice(words, *counts, *value, rest, t.p, int(own.sum()), of_each.name, t.inside))
    return sorted(slices, key=lambda s: s.p)
