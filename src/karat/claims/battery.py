"""`karat.check_measure`: does a measure keep what its declaration says?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from karat.claims import trials
from karat.claims.reasons import Meaning
from karat.claims.trials import Complaints
from karat.core.errors import InputError
from karat.core.measure import Measure
from karat.core.table import Table
from karat.core.validation import one_of
from karat.measures.lookup import find

ALWAYS: tuple[Callable[[Measure], Complaints], ...] = (
    trials.check_range,
    trials.check_orientation,
    trials.check_formula,
    trials.check_citation,
    trials.check_names,
)
OF_CLAIMS: tuple[Callable[[Measure], Complaints], ...] = (
    trials.check_ends,
    trials.check_best,
    trials.check_chance,
    trials.check_traits,
)
"""Of measures that claim something: one that was made from a plain function claims nothing."""
MOST_COMPLAINTS = 3
"""How many complaints of a trial are shown: the first tell what is wrong."""


class ClaimError(AssertionError):
    """A measure does not keep what its declaration says."""


def check_measure(measure: Measure | str, *, undefined_when: Meaning | None = None, on_fail: str = "raise") -> Table:
    """Does a measure keep what its declaration says? The battery that all of karat's measures pass.

    Every field is tried on hundreds of problems, in both directions: no value is outside the range and its ends are
    reached, perfect predictions have the best value, predictions that tell nothing have the declared one, a declared
    trait shows and one that is not declared does not, it is undefined where its reason says so and nowhere else.

    Parameters
    ----------
    measure : Measure or str
        What `karat.measure` gave, or its name in the catalogue.
    undefined_when : function of a table's facts, optional
        When the reason of a measure that can be undefined holds: of `tp, fn, fp, tn` of the positive class, `seen`
        (classes with cases), `k` classes, `l` decisions, `n` cases and the `table`. karat knows its own reasons.
    on_fail : {"raise", "report"}
        Raise a `ClaimError` (an AssertionError) that tells all complaints, or only report them.

    Returns
    -------
    Table
        One row for each trial: what it tries, and what it complains of.

    >>> check_measure("MCC").columns["complaint"]
    ['', '', '', '', '', '', '', '', '', '']
    """
    one_of("on_fail", on_fail, ("raise", "report"))
    if not isinstance(measure, Measure | str):
        raise InputError(f"a measure was given as {type(measure).__name__}; declare it with karat.measure first.")
    m = find(measure)
    rows = [(trial, _complaints(trial, m)) for trial in (*ALWAYS, *(OF_CLAIMS if m.claims else ()))]
    if m.claims or undefined_when is not None:
        rows.append((trials.check_undefined, _complaints(trials.check_undefined, m, undefined_when)))
    table = Table(
        {
            "trial": [trial.__name__.removeprefix("check_") for trial, _ in rows],
            "what is tried": [
                (trial.__doc__ or "").split(". ")[0].rstrip(".").replace("\n    ", " ") for trial, _ in rows
            ],
            "complaint": [_brief(complaints) for _, complaints in rows],
        },
        f"{m.symbol}: what its declaration says",
    )
    wrong = [f"{trial.__name__.removeprefix('check_')}: {_brief(found)}" for trial, found in rows if found]
    if wrong and on_fail == "raise":
        raise ClaimError(f"{m.symbol} does not keep what its declaration says.\n" + "\n".join(wrong))
    return table


def _complaints(trial: Callable[..., Complaints], m: Measure, *more: Any) -> Complaints:
    try:
        return trial(m, *more)
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:  # the measure's own function failed
        return [f"it ends in {type(error).__name__}: {error}"]


def _brief(complaints: Complaints) -> str:
    left = len(complaints) - MOST_COMPLAINTS
    return "; ".join(complaints[:MOST_COMPLAINTS]) + (f"; and {left} more" if left > 0 else "")
