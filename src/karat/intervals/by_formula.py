"""Intervals by a formula: of rates and of areas under ROC curves."""

from __future__ import annotations

from scipy.special import ndtri

from karat.core.arithmetic import TOLERANCE
from karat.intervals import delong
from karat.intervals.area_interval import AreaEstimate, of_area
from karat.intervals.bounds import REASON
from karat.intervals.interval_ends import Ends, no_ends
from karat.intervals.interval_way import RESTATED, UNEVEN, IntervalWay
from karat.intervals.rate_interval import most_unseen, of_rate
from karat.intervals.support import beyond_all_methods, unsupported
from karat.measures.value import MeasureOf
from karat.statistics.added import needs_cases

LARGE_CLASS = 1000
"""Cases of the smallest class from which on "auto" trusts the normal interval of an area."""

OTHERS = "use method 'auto', 'jackknife', 'bca', 'basic' or 'percentile'"
"""Methods that need no formula."""


def why_no_formula(way: IntervalWay, m: MeasureOf) -> str:
    """Where `by_formula` has nothing: is no formula known, or does it not fit these cases?"""
    if not (delong.has_error(m) or (m.measure.rate is not None and way.method != "logit")):
        return f"there is no formula for its interval: {OTHERS}"
    if way.summary.source.decreed:
        return f"its formula does not support {RESTATED}: {OTHERS}"
    if way.uneven:
        return f"its formula does not support {UNEVEN}: {OTHERS}"
    if way.summary.source.added is not None:
        return needs_cases("its interval", way.summary.source.added)
    return f"its formula needs the single cases, which a confusion matrix does not have: {OTHERS}"


def _of_share(way: IntervalWay, m: MeasureOf, cases: tuple[float, float]) -> Ends | None:
    """The interval of a rate, or of a measure that rises with one: the number that the rate is of is taken as given,
    as that of the predicted cases is for precision."""
    if (value := m.measure.from_rate) is None:
        return Ends(*of_rate(*cases, way.level))
    share, of = cases
    if not of or (share == of and way.method == "auto" and way.perfect):  # a bound of the table says more
        return None
    if reason := beyond_all_methods(m, way.summary):
        return no_ends(reason)
    if share == of and way.method == "auto":
        return Ends(value(1 - most_unseen(of, way.level)), value(1.0), "exact bound", REASON)
    low, high, method = of_rate(share, of, way.level, chosen=False)
    return Ends(value(low), value(high), method, REASON if share == of else "")


def by_formula(way: IntervalWay, m: MeasureOf, value: float) -> Ends | None:
    """The interval of a measure, where a formula is known and its assumptions hold."""
    source, auto = way.summary.source, way.method == "auto"
    if way.uneven or source.decreed or (way.resampling.stratified and auto) or not source.whole:
        return None
    cases = m.cases_behind(way.summary)
    if cases is not None and way.method != "logit":
        return _of_share(way, m, cases)
    if not delong.has_error(m) or not delong.has_pairs(m, way.summary):
        return None
    few = auto and source.class_weight[source.class_weight > 0].min() < LARGE_CLASS
    if few and source.added is None:
        return None
    error, method = delong.standard_error(m, way.summary)
    if error != error:
        return no_ends(delong.FEW_CASES)
    if error <= TOLERANCE:  # none but rounding
        return way.degenerate(m, value)
    least, most = way.extremes(m, value)
    if few and (sides := delong.sides_of_area(m, way.summary)):  # of cases that were added up
        if reason := unsupported(m, way.summary):
            return no_ends(reason)
        table = way.summary.table_of_class(1 if m.place is None else m.place)
        return of_area(AreaEstimate(value, error, delong.freedom_in_table(table)), way.level, (least, most), sides)
    if way.method == "logit" or few:
        low, high, reason = delong.logit_interval((value - least) / (most - least), error / (most - least), way.level)
        return Ends(least + low * (most - least), least + high * (most - least), f"{method}, logit", reason)
    half = float(ndtri((1 + way.level) / 2)) * error
    return Ends(max(value - half, least), min(value + half, most), method)
