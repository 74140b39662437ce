"""`karat.check_measure`: does a measure behave as declared? Each trial takes a measure and returns its complaints."""

from __future__ import annotations

import importlib.util
import math
import re
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from karat.claims.trial_problems import (
    MEANINGS,
    NUMBERS_OF_CLASSES,
    PRIOR_ONLY,
    Meaning,
    extremes,
    of_two_classes,
    ordinary,
    perfect,
    telling_nothing,
    troubled,
)
from karat.core.errors import InputError
from karat.core.keywords import understand
from karat.core.measure import Invariance, Measure, Trait, measures
from karat.core.references import references
from karat.core.table import Table
from karat.core.validation import one_of
from karat.core.words import listed
from karat.evaluation import evaluate_matrix
from karat.measures.lookup import find
from karat.studies.traits import observe

Complaints = list[str]


def check_range(m: Measure) -> Complaints:
    """No value lies outside the range, for any number of classes."""
    complaints = []
    for k in NUMBERS_OF_CLASSES:
        low, high = m.range_for(k)
        if not (m.range[0] <= low <= high <= m.range[1]):
            complaints.append(f"the range for {k} classes, {low} to {high}, is not within {m.range}")
        for e in (*ordinary(k), *extremes(k)):
            if not (low - 1e-9 <= (v := e[m]) <= high + 1e-9 or v != v):
                complaints.append(f"the value {v} for {k} classes is outside {low} to {high}")
    return complaints


def check_ends(m: Measure) -> Complaints:
    """Both bounds of the range are reached: for every number of classes if each has its own, else for one."""
    complaints = []
    for sets in [(k,) for k in NUMBERS_OF_CLASSES] if m.bounds else [NUMBERS_OF_CLASSES]:
        tried = [e for k in sets for e in (*ordinary(k), *extremes(k))]
        tried += [] if m.bounds else [evaluate_matrix([[5]], positive=0)]
        values = [v for e in tried if (v := e[m]) == v]
        extent = (min(values), max(values)) if values else (math.nan, math.nan)
        for end, nearest in zip(m.range_for(sets[0]), extent, strict=True):
            if math.isfinite(end) and not abs(end - nearest) <= 2e-3:
                complaints.append(
                    f"the bound {end} for {listed(sets)} classes is never reached; the nearest value is {nearest}"
                )
    return complaints


def check_best(m: Measure, times: int = 3, more: int = 0) -> Complaints:
    """Correct and certain predictions have the best value. So many cases of each class, and some more of the first."""
    if m.best is None:
        return []
    problems = [e for k in NUMBERS_OF_CLASSES for e in perfect(k, [times + more, *[times] * (k - 1)])]
    return [
        f"perfect predictions of {len(e.classes)} classes have {e[m]}, not {m.best}"
        for e in problems
        if not near(e[m], m.best)
    ]


def check_orientation(m: Measure) -> Complaints:
    """The best value is the bound that the orientation implies, and perfect predictions are better than random ones."""
    complaints = []
    if m.orientation != {None: 0, m.range[0]: -1, m.range[1]: 1}[m.best]:
        complaints.append(f"the orientation is {m.orientation} with best={m.best} in the range {m.range}")
    for k in NUMBERS_OF_CLASSES if m.orientation else ():
        usual = [v for e in ordinary(k) if (v := e[m]) == v and math.isfinite(v)]
        if not m.orientation * (perfect(k, [3] * k)[0][m] - np.mean(usual)) > 0:
            complaints.append(f"perfect predictions are not better than random ones for {k} classes")
    return complaints


def check_chance(m: Measure) -> Complaints:
    """Predictions without information have the declared value; a value that is constant there is declared."""
    values = [v for e in telling_nothing(m.statistic.needs) if (v := e[m]) == v]
    if m.chance is None:
        constant = values and np.ptp(values) < 1e-9
        return (
            [f"it is always {values[0]} by chance, which is not declared; declare chance={values[0]:g}"]
            if constant
            else []
        )
    return (
        [f"by chance it is {v}, not {m.chance}" for v in values if not near(v, m.chance)]
        if values
        else ["it has no value by chance"]
    )


def check_traits(m: Measure) -> Complaints:
    """The traits and invariances are exactly those that experiments show."""
    traits, invariances = observe([m])[m.symbol]
    complaints = []
    if traits != m.traits:
        complaints.append(f"it is influenced by {_named(traits)}; declared: {_named(m.traits)}")
    if invariances != m.invariant:
        complaints.append(f"it is invariant under {_named(invariances)}; declared: {_named(m.invariant)}")
    return complaints


def check_formula(m: Measure) -> Complaints:
    """The formula is LaTeX with balanced braces that matplotlib, where installed, can render."""
    bare = re.sub(r"\\[{}]", "", m.formula)
    depth = np.cumsum([{"{": 1, "}": -1}.get(c, 0) for c in bare])
    if not m.formula.strip() or depth.min() < 0 or depth[-1] or bare.count(r"\left") != bare.count(r"\right"):
        return ["the formula is empty or its braces are not balanced"]
    if importlib.util.find_spec("matplotlib"):
        from matplotlib.mathtext import MathTextParser

        try:
            MathTextParser("path").parse(f"${m.formula}$")
        except ValueError as error:
            return [f"the formula can't be rendered: {error}"]
    return []


def check_citation(m: Measure) -> Complaints:
    """The citation, if there is one, is in the bibliography."""
    return [] if not m.cite or m.cite in references() else [f"{m.cite!r} is not in the bibliography"]


def check_names(m: Measure) -> Complaints:
    """The names belong to no other measure, in upper or lower case; the docstring begins with a question."""
    mine = {name.casefold() for name in (m.symbol, m.name, *m.aliases)}
    others = {n.casefold(): o.symbol for o in measures.values() if o is not m for n in (o.symbol, o.name, *o.aliases)}
    complaints = [f"{name} is also a name of {others[name]}" for name in mine & others.keys()]
    complaints += [
        f"{n} does not find it"
        for n in (m.symbol, m.name.upper(), *(alias.swapcase() for alias in m.aliases), *m.spelt)
        if measures[n] is not m
    ]
    if not re.fullmatch(r"[A-Z].*[^?]\?", m.question):
        complaints.append(f"its question is {m.question!r}")
    return complaints


def check_undefined(m: Measure, meaning: Meaning | None = None) -> Complaints:
    """It is undefined exactly where its reason holds, and that reason is reported.

    When the reason holds is said by `meaning`, or known to karat."""
    meaning = meaning or MEANINGS.get(m.undefined)
    if meaning is None:
        return [f"karat does not know when {m.undefined!r} holds; pass undefined_when="]
    complaints, reasons = [], {""}
    for e, f in troubled():
        if e.statistics.lacks(m.statistic):
            continue
        # a prior is the only parameter that can leave a measure without a value
        tried = m.at(prior=[1 / f.k] * f.k) if m.undefined == PRIOR_ONLY else m
        value, why = e[tried], e.undefined_because(tried)
        expected = m.undefined if meaning(f) else ""
        if why != expected or (value != value) != bool(expected) or e.undefined.get(tried.symbol, "") != expected:
            complaints.append(f"for {f.table} it is {value} with the reason {why!r}, where {expected!r} holds")
        reasons.add(why)
        if tried is not m and e[m] != e[m]:
            complaints.append(f"it is undefined for {f.table} without a prior")
    return complaints if m.undefined in reasons else [*complaints, f"it is never undefined because {m.undefined}"]


def check_either_class(m: Measure) -> Complaints:
    """For two classes it is the same whichever is positive, if and only if it is declared either_class=True."""
    if not m.classwise:
        return ["it is not a measure of one class"] if m.either_class else []
    pairs = [[problem.with_positive(j).evaluated()[m] for j in range(2)] for problem in of_two_classes()]
    differ = [pair for pair in pairs if pair[0] == pair[0] and not near(*pair)]
    if m.either_class:
        return [
            f"it is {a} or {b}, depending on which class is positive; it must not declare either_class=True"
            for a, b in differ
        ]
    return [] if differ else ["it is the same whichever of two classes is positive; declare either_class=True"]


def check_remarks(m: Measure) -> Complaints:
    """Conventions give finite values, and remarks apply to some problems and not to all."""
    complaints = []
    for remark in m.remarks:
        held = []
        for e, f in troubled():
            if e.statistics.lacks(m.statistic):
                continue
            held.append(str(remark) in e.why(m))
            if held[-1] and not math.isfinite(e[m]):
                complaints.append(f"{remark}: the value for {f.table} is {e[m]}")
        if len(set(held)) < 2:
            complaints.append(f"{remark}: this {'always' if any(held) else 'never'} applies")
    return complaints


def _named(claims: Iterable[Trait | Invariance]) -> str:
    return listed(sorted(claim.name.lower() for claim in claims) or ["nothing"])


def near(a: float, b: float) -> bool:
    """Equal, up to rounding."""
    return a == b or abs(a - b) <= 1e-9


ALWAYS: tuple[Callable[[Measure], Complaints], ...]
ALWAYS = (check_range, check_orientation, check_formula, check_citation, check_names)
OF_CLAIMS: tuple[Callable[[Measure], Complaints], ...]
OF_CLAIMS = (check_ends, check_best, check_chance, check_traits, check_either_class, check_remarks)
"""Of measures that claim something: one that was made from a plain function claims nothing."""
MOST_COMPLAINTS = 3
"""How many complaints of a trial are shown: the first tell what is wrong."""


class ClaimError(AssertionError):
    """A measure does not behave as declared."""


@understand
def check_measure(measure: Measure | str, *, undefined_when: Meaning | None = None, on_fail: str = "raise") -> Table:
    """Check that a measure behaves as declared: the test that all of karat's measures pass.

    Every field of the declaration is tried on hundreds of problems, in both directions: no value is outside the range
    and its bounds are reached, perfect predictions have the best value, predictions without information have the
    declared one, a declared trait shows and one that is not declared does not, the measure is undefined where its
    reason says so and nowhere else, it is the same for either of two classes if declared, and its conventions give
    values.

    Parameters
    ----------
    measure : Measure or str
        A measure that was declared with `karat.measure`, or the name of one.
    undefined_when : callable, optional
        For a measure that can be undefined: a function that says whether its reason holds. Its argument has the counts
        `tp`, `fn`, `fp`, `tn` of the positive class, `seen` (the number of classes with cases), `k` (classes), `l`
        (possible predictions), `n` (cases) and the confusion matrix `table`. Not needed for karat's own reasons.
    on_fail : {"raise", "report"}
        Raise a `ClaimError` (an AssertionError) with all complaints, or only report them.

    Returns
    -------
    Table
        One row for each trial: what is tried, and the complaint, if any.

    Raises
    ------
    ClaimError
        If the measure does not behave as declared, unless `on_fail="report"`.
    InputError
        If `measure` is not a measure or the name of one.

    See Also
    --------
    karat.measure : Declare a measure.

    Examples
    --------
    >>> check_measure("MCC").columns["complaint"]
    ['', '', '', '', '', '', '', '', '', '', '', '']
    """
    one_of("on_fail", on_fail, ("raise", "report"))
    if not isinstance(measure, Measure | str):
        raise InputError(f"a measure was given as {type(measure).__name__}; declare it with karat.measure first.")
    m = find(measure)
    trials: list[tuple[Callable[..., Complaints], tuple[Any, ...]]]
    trials = [(trial, (m,)) for trial in (*ALWAYS, *(OF_CLAIMS if m.claims else ()))]
    if m.claims or undefined_when is not None:
        trials.append((check_undefined, (m, undefined_when)))
    rows = [
        {
            "trial": trial.__name__.removeprefix("check_"),
            "what is tried": " ".join((trial.__doc__ or "").split()).split(". ")[0].rstrip("."),
            "complaint": _complaint(trial, *arguments),
        }
        for trial, arguments in trials
    ]
    wrong = [f"{row['trial']}: {row['complaint']}" for row in rows if row["complaint"]]
    if wrong and on_fail == "raise":
        raise ClaimError(f"{m.symbol} does not behave as declared.\n" + "\n".join(wrong))
    return Table.of(rows, f"Trials of {m.label}")


def _complaint(trial: Callable[..., Complaints], *arguments: Any) -> str:
    try:
        complaints = trial(*arguments)
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:  # the measure's own function failed
        return f"it raises {type(error).__name__}: {error}"
    left = len(complaints) - MOST_COMPLAINTS
    return "; ".join(complaints[:MOST_COMPLAINTS]) + (f"; and {left} more" if left > 0 else "")
