"""Measures from plain functions of labels and predictions: the shortest way to a measure of your own."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from karat.core.arithmetic import Number
from karat.core.errors import InputError
from karat.core.keywords import understand
from karat.core.measure import Measure, measures
from karat.core.validation import one_of
from karat.statistics.cases import Cases, DecidedCases, ScoredCases

STATISTICS: dict[str, type[Cases]] = {"y_proba": Cases, "y_score": ScoredCases, "y_pred": DecidedCases}


@dataclass(frozen=True, eq=False)
class OfCases:
    """A function of labels and predictions as a formula of a statistic (a class, so that it can be sent elsewhere)."""

    function: Callable[..., Any]

    def __call__(self, cases: Cases) -> Number:
        values = [float(self.function(y_true, predicted)) for y_true, predicted in cases.each()]
        return np.reshape(values, cases.lead) if cases.lead else values[0]


@understand
def measure_from_function(
    function: Callable[..., Any],
    *,
    greater_is_better: bool | None = True,
    takes: str = "y_proba",
    symbol: str = "",
    range: tuple[float, float] = (-math.inf, math.inf),
    undefined: str = "",
) -> Measure:
    """A measure from a plain function of labels and probabilities.

    It joins the catalogue, and with it intervals, comparisons, studies, scorers and the command line; it claims nothing
    but its range. A measure that is a formula of counts or sums is faster, and can be merged over batches: declare that
    with `karat.measure`.

    Parameters
    ----------
    function : function of (y_true, y_proba)
        Called with arrays: the true labels, and for each case the probability of the positive of two classes, or a row
        of probabilities of all classes in their order.
    greater_is_better : bool or None, default True
        None: it only describes.
    takes : {"y_proba", "y_score", "y_pred"}, default "y_proba"
        What it is given beside the labels: probabilities, any real scores, or predicted classes.
    symbol : str, optional
        What it is called; by default the name of the function.
    range : tuple of two floats, optional
        Between which its values lie.
    undefined : str, optional
        Why it is undefined where it gives nan.

    Returns
    -------
    Measure

    Raises
    ------
    InputError
        What was given is no function, or it has no name and `symbol` was not given.

    See Also
    --------
    karat.measure : Declare a measure as a formula of counts or sums.

    Examples
    --------
    >>> import karat
    >>> spread = measure_from_function(lambda y_true, y_proba: y_proba.std(), symbol="Spread", greater_is_better=None)
    >>> round(karat.evaluate([0, 0, 1], [0.1, 0.4, 0.8])["spread"], 4)
    0.2867
    >>> karat.catalogue.measures.remove("Spread")
    """
    if not callable(function):
        raise InputError(f"a {type(function).__name__} was given; give a function of y_true and {takes}.")
    one_of("takes", takes, STATISTICS)
    name = symbol or getattr(function, "__name__", type(function).__name__)
    if not name.isidentifier():
        raise InputError(f"the function is called {name!r}; pass symbol= to name the measure.")
    if name in measures:
        raise InputError(
            f"{name!r} is a name of the measure {measures[name].label}; use that, or pass symbol= to name yours."
        )
    low, high = (float(end) for end in range)
    first = (inspect.getdoc(function) or "").split("\n")[0].strip()
    return measures.add(
        Measure(
            function=OfCases(function),
            symbol=name,
            formula=rf"\text{{{name}}}".replace("_", r"\_"),
            range=(low, high),
            best=None if greater_is_better is None else high if greater_is_better else low,
            undefined=undefined,
            range_at=(low, high),
            title=name,
            name=name.lower(),
            family=(getattr(function, "__module__", "") or "").rsplit(".", 1)[-1],
            question=first if first.endswith("?") else f"What is {name}?",
            statistic=STATISTICS[takes],
            claims=False,
        )
    )
