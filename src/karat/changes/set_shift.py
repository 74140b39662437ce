"""`karat.shift`: what changed from a reference to the current set, and what changed class frequencies explain of it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import ndtri, stdtrit

from karat.changes.recalibration import Recalibration, recalibration
from karat.changes.unlabelled import Estimate, Unlabelled, shares_of
from karat.comparisons.difference import ASPECTS, ASPECTS_OF_POSITIVE, CALLED
from karat.comparisons.measure_names import in_sentence
from karat.comparisons.paired_models import PairedModels
from karat.core.arithmetic import Array
from karat.core.comparison import SETS, comparison
from karat.core.errors import InputError, option, quoted
from karat.core.keywords import understand
from karat.core.measure import Measure
from karat.core.record import Record, Verdict
from karat.core.table import Table
from karat.core.validation import checked_level, false_alarms, whole
from karat.core.words import PValue, interval, listed, number, p_value, percent
from karat.evaluation import Evaluation
from karat.measures.lookup import Named, by_name, measures_named
from karat.measures.value import MeasureOf, measures_of
from karat.resampling.draws import Resampling
from karat.statistics.p_values import effective, holm, normal_tail

NAN = math.nan
COLUMNS = ("measure", "reference", "current", "change", "low", "high", "by_frequencies", "remaining", "p")
INTERCEPT, SLOPE = "calibration intercept", "calibration slope"
MOST_CLASSES = 50
"""Of which the slope of the calibration is fitted."""
ASSUMPTION = (
    "Estimated without labels. This holds if only the frequencies of the classes changed, each class having the same "
    "scores as in the reference; it fails, and nothing here can show it for sure, if the cases of a class became "
    "harder, easier or different, or if a new class appeared."
)
ROUNDING = 1e-12
"""Changes below it are those of the computer's numbers."""


@dataclass(frozen=True, eq=False, repr=False)
class MeasureShift(Record):
    """The change of one measure: what `s["MCC"]` gives.

    Attributes
    ----------
    measure, title : str
        Symbol and title.
    reference, current : float
        Its values; that of the current set is estimated where there are no labels.
    change, low, high : float
        Current less reference, and its interval (Welch's t from leaving out cases; without labels from replicates).
    p : float
        Of no change; nan where it was not tested.
    by_frequencies : float
        The change of the reference alone, if its classes had the frequencies of the current set.
    remaining, remaining_low, remaining_high, p_remaining : float
        What that does not explain, its interval, and the p-value of "nothing remains", the class frequencies of the
        current set being given.
    reason : str
        Why something of this is nan.
    """

    measure: str
    title: str
    reference: float
    current: float
    change: float
    low: float = NAN
    high: float = NAN
    p: float = NAN
    by_frequencies: float = NAN
    remaining: float = NAN
    remaining_low: float = NAN
    remaining_high: float = NAN
    p_remaining: float = NAN
    reason: str = ""

    @property
    def span(self) -> str:
        """The change and its interval in words."""
        return number(self.change) if self.low != self.low else interval(self.change, self.low, self.high)

    @property
    def left(self) -> str:
        """What remains, and its interval, in words."""
        if self.remaining_low != self.remaining_low:
            return number(self.remaining)
        return interval(self.remaining, self.remaining_low, self.remaining_high)


@dataclass(frozen=True, eq=False, repr=False)
class SetShift(Verdict, Mapping[str, MeasureShift]):
    """What `karat.shift` returns: a mapping from measures to `MeasureShift`.

    Attributes
    ----------
    measures : dict
        {symbol: MeasureShift}.
    calibration : dict
        {"calibration slope": MeasureShift, ...}: how the probabilities would have to be stretched (slope) and, of two
        classes, moved (intercept) to fit the truth; 1 and 0 are calibrated. Empty without labels.
    frequencies : dict
        {class: (share in the reference, share in the current set)}.
    p_frequencies : float
        Of equal class frequencies; nan without labels.
    labelled : bool
        Had the current set labels?
    assumption : str
        What the numbers rest on where it had none.
    p_assumption : float
        Of "only the frequencies changed", from the scores alone; nan with labels.
    aspects : dict
        {aspect: symbol} of what the verdict speaks of.
    level : float
    """

    measures: dict[str, MeasureShift]
    calibration: dict[str, MeasureShift]
    frequencies: dict[Any, tuple[float, float]]
    p_frequencies: float
    labelled: bool
    assumption: str
    p_assumption: float
    aspects: dict[str, str]
    level: float

    def __getitem__(self, key: str | Measure) -> MeasureShift:
        if isinstance(key, str) and key in self.calibration:
            return self.calibration[key]
        return by_name(self.measures, key)

    def __iter__(self) -> Iterator[str]:
        return iter(self.measures)

    def __len__(self) -> int:
        return len(self.measures)

    @property
    def verdict(self) -> str:
        """What changed: class frequencies, class predictions, ranking, probabilities, calibration, in sentences."""
        return " ".join(self.sentences)

    @property
    def sentences(self) -> list[str]:
        """The verdict, sentence by sentence."""
        said = [_of_frequencies(self.frequencies, self.p_frequencies, self.level)]
        if not self.labelled:
            if self.p_assumption <= false_alarms(self.level):
                fit = p_value(self.p_assumption)
                said.append(
                    f"The scores do not fit a change of frequencies alone ({fit}): do not rely on the estimates."
                )
            return [*said, self.assumption]
        rows = {s: self.measures[s] for s in self.aspects.values() if s in self.measures} | self.calibration
        tested = {name: row for name, row in rows.items() if row.p_remaining == row.p_remaining}
        corrected = dict(zip(tested, holm([row.p_remaining for row in tested.values()]).tolist(), strict=True))
        aspect = {symbol: CALLED.get(name, name) for name, symbol in self.aspects.items() if name != symbol}
        for name, p in corrected.items():
            if p <= false_alarms(self.level):
                row, head = rows[name], f"{_first_upper(aspect[name])}: " if name in aspect else ""
                title = in_sentence(row.title) if head else _first_upper(in_sentence(row.title))
                ends = f"{number(row.reference)} to {number(row.current)}"
                left = f"{row.left} of that is not explained by class frequencies ({p_value(p)})"
                said.append(f"{head}{title} changed from {ends}; {left}.")
        alike = [in_sentence(rows[name].title) for name, p in corrected.items() if p > false_alarms(self.level)]
        if alike:
            said.append(f"No significant change beyond class frequencies in {listed(alike)}.")
        return said

    def to_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON; classes as texts."""
        plain = super().to_dict()
        return plain | {"frequencies": {str(c): list(pair) for c, pair in self.frequencies.items()}}

    def to_table(self) -> Table:
        """One row for each measure: measure, reference, current, change, low, high, by_frequencies, remaining, p (of
        "nothing remains")."""
        rows = [*self.measures.values(), *self.calibration.values()]
        columns: dict[str, list[Any]] = {name: [getattr(row, name) for row in rows] for name in COLUMNS[1:-1]}
        names = [
            row.title if row.title.casefold() == row.measure.casefold() else f"{row.title} ({row.measure})"
            for row in rows
        ]
        p = {"p": [PValue(row.p_remaining) for row in rows]} if self.labelled else {}
        reasons: dict[str, list[str]] = {}
        for row in rows:
            if row.reason:
                reasons.setdefault(row.reason, []).append(row.measure)
        notes = tuple(f"{', '.join(symbols)}: {reason}." for reason, symbols in reasons.items())
        return Table({"measure": names, **columns, **p}, self.verdict, notes)

    def __repr__(self) -> str:
        return repr(self.to_table())


def _first_upper(words: str) -> str:
    return words[:1].upper() + words[1:]


def _of_frequencies(frequencies: Mapping[Any, tuple[float, float]], p: float, level: float) -> str:
    rarest_first = sorted(frequencies.items(), key=lambda pair: pair[1][0])  # of two classes both change as much
    label, (old, new) = max(rarest_first, key=lambda pair: round(abs(pair[1][1] - pair[1][0]), 9))
    if p != p:
        return f"Estimated frequency of {label}: {percent(new)} of the cases, in the reference {percent(old)}."
    if p > false_alarms(level):
        return f"No significant change of class frequencies ({p_value(p)})."
    seen = f"{percent(new)} of the cases are {label}, in the reference {percent(old)}"
    return f"Class frequencies changed: {seen} ({p_value(p)})."


@comparison(of=SETS, cite="saerens2002", aliases=("drift", "label shift", "dataset shift"))
@understand
def shift(
    reference: Evaluation,
    current: Any,
    *,
    measures: Named | None = None,
    y_pred: Any = None,
    level: float = 0.95,
    seed: int = 0,
    replicates: int = 200,
) -> SetShift:
    """What changed from a reference to the current set, and how much of it do changed class frequencies explain?

    Every measure moves when classes become rarer, although the model is the same. `by_frequencies` is how much the
    reference alone would change if its classes had the frequencies of the current set; `remaining` is the rest.

    Parameters
    ----------
    reference : Evaluation
    current : Evaluation, or array-like of shape (n, classes) or (n,), or data frame
        Of other cases; or probabilities of cases without labels. Their measures are then estimated: probabilities are
        recalibrated on the reference, class frequencies found by expectation maximisation [saerens2002], and every case
        counted for each class with the weight of its probability. That assumes that each class has the same scores as
        in the reference; `p_assumption` tests it as far as scores can show.
    measures : names of measures, "papers" or "all", optional
        By default those that the reference shows.
    y_pred : array-like of shape (n,), optional
        Predicted labels of a current set without true ones, where the reference has its own.
    level : float, default 0.95
        Confidence of intervals and tests.
    seed, replicates : int
        Of the intervals without labels; fewer replicates are drawn of many cases.

    Returns
    -------
    SetShift

    See Also
    --------
    compare : two models, on the same cases or (paired=False) on different ones.
    Evaluation.at_prevalence : every measure at other class frequencies.

    Examples
    --------
    >>> import karat
    >>> before = karat.evaluate([0, 0, 0, 1] * 50, y_pred=[0, 0, 1, 1] * 50)
    >>> after = karat.evaluate([0, 0, 0, 1, 1, 1] * 50, y_pred=[0, 0, 1, 1, 1, 1] * 50)
    >>> s = karat.shift(before, after, measures="precision")
    >>> one = s["precision"]
    >>> one.reference, one.current, round(one.by_frequencies, 9), round(one.remaining, 9)
    (0.5, 0.75, 0.25, 0.0)
    """
    level, replicates = checked_level(level), whole("replicates", replicates, 2)
    if not isinstance(reference, Evaluation):
        raise InputError("the reference is not an evaluation; pass karat.evaluate(y_true, y_proba) of it first.")
    named = measures_named(measures, reference.statistics)
    two = len(reference.classes) == 2 and reference.positive is not None
    spoken = ASPECTS_OF_POSITIVE if two else ASPECTS
    symbols = [m.symbol for m in named]
    aspects = {name: s for name, s in spoken.items() if s in symbols} if measures is None else {s: s for s in symbols}
    if isinstance(current, Evaluation):
        if y_pred is not None:
            raise InputError("the current set is an evaluation, which has its predictions; leave y_pred out.")
        _refuse_other_classes(reference, current)
        rows, calibration = _labelled(reference, current, named, level, seed)
        new, p, assumption, fits = shares_of(current), _p_frequencies(reference, current), "", NAN
    else:
        unlabelled = Unlabelled.of(reference, current, y_pred)
        found = unlabelled.estimate()
        rows, calibration = _estimated(unlabelled, found, named, level, seed, replicates), {}
        new = dict(zip(reference.classes, found.frequencies.tolist(), strict=True))
        p, assumption, fits = NAN, ASSUMPTION, unlabelled.p_assumption(found.frequencies)
    old = shares_of(reference)
    frequencies = {c: (old[c], new[c]) for c in reference.classes}
    labelled = isinstance(current, Evaluation)
    return SetShift(rows, calibration, frequencies, p, labelled, assumption, fits, aspects, level)


def _refuse_other_classes(reference: Evaluation, current: Evaluation) -> None:
    if reference.classes != current.classes:
        raise InputError(
            f"the reference has the classes {quoted(reference.classes)} and the current set {quoted(current.classes)}; "
            f"give both the same {option('labels')}, also where a class has no case."
        )
    if reference.positive != current.positive:
        raise InputError(
            f"the positive class of the reference is {quoted([reference.positive])} and that of the current set "
            f"{quoted([current.positive])}; give both the same {option('positive')}."
        )


# ------------------------------------------------------------------------------------------------- with labels


def _labelled(
    reference: Evaluation, current: Evaluation, named: list[Measure], level: float, seed: int
) -> tuple[dict[str, MeasureShift], dict[str, MeasureShift]]:
    wanted = measures_of(named, None, reference.statistics)
    restated, why = _restated(reference, shares_of(current))
    as_seen = _judges({"current": current, "reference": reference}, wanted, level, seed, False)
    given = None
    if restated is not None:
        given = _judges({"current": current, "restated": restated}, wanted, level, seed, True)
    rows = {}
    for m in wanted:
        d = as_seen.difference(m, ("current", "reference"))
        row: dict[str, Any] = {"change": _difference(*d.values), "low": d.low, "high": d.high, "p": d.p}
        reason = d.reason
        if given is None:
            reason = reason or why
        else:
            left = given.difference(m, ("current", "restated"))
            row |= {"by_frequencies": _difference(left.values[1], d.values[1])}
            row |= {"remaining": _difference(left.values[0], left.values[1])}
            row |= {"remaining_low": left.low, "remaining_high": left.high, "p_remaining": left.p}
            reason = reason or left.reason.replace("restated", "reference")
        rows[m.key] = MeasureShift(m.key, m.measure.title, d.values[1], d.values[0], **row, reason=reason)
    return rows, _calibration(reference, current, restated, level)


def _difference(one: float, other: float) -> float:
    """0 where it is only rounding."""
    apart = one - other
    return 0.0 if abs(apart) <= ROUNDING * max(1.0, abs(one)) else apart


def _judges(
    models: dict[str, Evaluation], wanted: list[MeasureOf], level: float, seed: int, stratified: bool
) -> PairedModels:
    """Independent sets; with the numbers of cases of each class given, or not."""
    return PairedModels(models, wanted, Resampling.of(level, seed=seed, stratified=stratified), {}, paired=False)


def _restated(reference: Evaluation, shares: dict[Any, float]) -> tuple[Evaluation | None, str]:
    """The reference at these frequencies; or why it can't be."""
    old = shares_of(reference)
    new = [c for c, share in shares.items() if share > 0 and old[c] == 0]
    if new:
        return None, f"the reference has no case of {quoted(new)}, so it can't be restated"
    return reference.at_prevalence(shares), ""


def _p_frequencies(reference: Evaluation, current: Evaluation) -> float:
    """Pearson's chi-squared test of equal frequencies, weights counting as many cases as they are worth."""
    from scipy.stats import chi2_contingency

    table = np.array([e.statistics.source.class_weight * effective(e.statistics) for e in (reference, current)])
    table = table[:, table.sum(axis=0) > 0]
    return float(chi2_contingency(table, correction=False).pvalue) if table.shape[1] > 1 else 1.0


def _calibration(
    reference: Evaluation, current: Evaluation, restated: Evaluation | None, level: float
) -> dict[str, MeasureShift]:
    """Slope, and of two classes intercept (the slope being 1), of the truth on the logarithms of the probabilities."""
    out: dict[str, MeasureShift] = {}
    k = len(reference.classes)
    for name in (INTERCEPT, SLOPE) if k == 2 else (SLOPE,):
        if k > MOST_CLASSES or restated is None:
            continue
        fits = [_fit(e, name == SLOPE) for e in (reference, restated, current)]
        if any(fit is None for fit in fits):
            continue
        (old, _), (moved, moved_error), (new, new_error) = (_of_fit(f, name) for f in fits if f is not None)
        old_error = _of_fit(fits[0], name)[1] if fits[0] is not None else NAN
        wide = float(ndtri((1 + level) / 2))
        half, left_half = wide * math.hypot(old_error, new_error), wide * math.hypot(moved_error, new_error)
        change, left = new - old, new - moved
        out[name] = MeasureShift(
            name, _first_upper(name), old, new, change, change - half, change + half,
            _two_sided(change, half / wide), moved - old, left, left - left_half, left + left_half,
            _two_sided(left, left_half / wide),
        )  # fmt: skip
    return out


def _two_sided(value: float, error: float) -> float:
    return min(1.0, 2 * normal_tail(abs(value) / error)) if error > 0 else NAN


def _fit(e: Evaluation, slope: bool) -> Recalibration | None:
    """The positive of two classes last, so that its intercept is the fitted one."""
    cases = e.statistics.source.cases
    if cases is None or cases.held is None or not cases.probabilities or cases.scores is None:
        return None
    scores, truth = cases.scores[0], cases.truth[0]
    if scores.shape[1] == 2 and cases.positive == 0:
        scores, truth = scores[:, ::-1], 1 - truth
    return recalibration(scores, truth, None if cases.weight is None else cases.weight[0], slope=slope)


def _of_fit(fit: Recalibration | None, name: str) -> tuple[float, float]:
    assert fit is not None
    value = fit.slope if name == SLOPE else float(fit.intercepts[-1])
    return value, fit.slope_error


# ------------------------------------------------------------------------------------------------- without labels


def _estimated(
    unlabelled: Unlabelled, found: Estimate, named: list[Measure], level: float, seed: int, replicates: int
) -> dict[str, MeasureShift]:
    reference = unlabelled.reference
    restated = reference.at_prevalence(dict(zip(reference.classes, found.frequencies.tolist(), strict=True)))
    estimated = unlabelled.evaluation(found.posteriors)
    symbols = [m.symbol for m in named]
    drawn = unlabelled.replicates(found, symbols, seed, replicates)
    rows = {}
    for m in named:
        old, moved, new = (e.value_or_nan(m) for e in (reference, restated, estimated))
        values = drawn[m.symbol]
        row = {"by_frequencies": _difference(moved, old), "remaining": _difference(new, moved)}
        reason = estimated.undefined_because(m)
        if m.statistic.bends:
            reason = reason or "no interval is known of calibration errors that are estimated without labels"
        else:
            row |= dict(zip(("low", "high"), _ends(new - old, values[:, 2] - values[:, 0], level), strict=True))
            ends = _ends(new - moved, values[:, 2] - values[:, 1], level)
            row |= dict(zip(("remaining_low", "remaining_high"), ends, strict=True))
        rows[m.symbol] = MeasureShift(m.symbol, m.title, old, new, new - old, **row, reason=reason)
    return rows


def _ends(value: float, drawn: Array, level: float) -> tuple[float, float]:
    """So many standard errors around a value, by Student's t."""
    known = drawn[np.isfinite(drawn)]
    if len(known) < max(2, 0.9 * len(drawn)) or not math.isfinite(value):
        return NAN, NAN
    half = float(stdtrit(len(known) - 1, (1 + level) / 2)) * float(known.std(ddof=1))
    return value - half, value + half
