"""A measure: a formula on a statistic, and everything that is claimed about it."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from functools import partial, wraps
from typing import Any, Self, get_type_hints

from karat.core.cached import cached
from karat.core.elsewhere import aliases_elsewhere, refusal_of
from karat.core.hooks import measure_of_symbol, value_from_predictions
from karat.core.keywords import understand
from karat.core.registry import Registry, question_of
from karat.core.statistic import Statistic


class Claim(StrEnum):
    """A letter and what it stands for."""

    meaning: str

    def __new__(cls, letter: str, meaning: str) -> Self:
        claim = str.__new__(cls, letter)
        claim._value_ = letter
        claim.meaning = meaning
        return claim


class Trait(Claim):
    """What a measure is influenced by (Ferri et al. 2009, Table 1; Wang et al. 2013, Table 8)."""

    THRESHOLD = "T", "the predicted classes, the scores unchanged"
    CALIBRATION = "K", "the values of the probabilities, their order and the predicted classes unchanged"
    RANKING = "R", "the order of the cases, the predicted classes unchanged"
    FREQUENCIES = "F", "the frequencies of the classes"
    DISTRIBUTION = "D", "how the probability is spread over the wrong classes"


class Invariance(Claim):
    """What leaves a measure as it is."""

    RELABEL = "P", "renaming true and predicted classes together"
    OUTPUTS = "O", "renaming the predicted classes only"
    SCALE = "S", "multiplying all weights by a constant"
    TRANSPOSE = "X", "exchanging true and predicted classes"
    PRIOR = "C", "repeating the cases of one class"
    EMPTY_CLASS = "E", "declaring a class that never occurs"
    MONOTONE = "M", "a strictly increasing transformation of the scores"


class Spread(StrEnum):
    """How the standard error of a measure goes with its value, where that is known."""

    UNKNOWN = ""
    IN_PROPORTION = "in proportion to it, as of an exponential"
    OF_SHARE = "with the product of its distances from both ends of the range, as of a share"


THRESHOLD, CALIBRATION, RANKING, FREQUENCIES, DISTRIBUTION = Trait
RELABEL, OUTPUTS, SCALE, TRANSPOSE, PRIOR, EMPTY_CLASS, MONOTONE = Invariance


@dataclass(frozen=True, eq=False)
class Remark:
    """What should be known of a value: that it is one by convention, or what it can't tell."""

    words: str
    """of a convention: the value, where it is taken, and why the formula has none there"""
    applies: Callable[[Any], Any]
    """Of what the formula takes, over its leading axes (and classes): is it so? A function of a module, so that
    measures can be sent elsewhere. It is called when somebody looks, never while values are computed."""
    convention: bool = True

    def __str__(self) -> str:
        return f"by convention {self.words}" if self.convention else self.words


@dataclass(frozen=True, eq=False)
class Measure:
    """One measure. Call it on a statistic, or on labels and probabilities."""

    function: Callable[..., Any]
    symbol: str
    formula: str
    range: tuple[float, float]
    best: float | None
    chance: float | None = None
    traits: frozenset[Trait] = frozenset()
    invariant: frozenset[Invariance] = frozenset()
    cite: str = ""
    aliases: tuple[str, ...] = ()
    spelt: tuple[str, ...] = ()
    """Names that it has in this spelling alone, because the symbol of another differs from them by case."""
    undefined: str = ""
    """Where the formula has no value: the reason the user is given."""
    classwise: bool = False
    """One value for each class (against the rest); of the positive class where one is named."""
    either_class: bool = False
    """Of one class: of two classes without rejected cases it is the same, whichever is the positive one."""
    between_orders: bool = False
    """Does its value lie between those of the best and of the worst order of the scores? So it is with whatever is no
    worse for a ROC curve that is nowhere below another."""
    one_pass: bool = False
    """Of score tables: is it a sum over the scores, so that many tables at once are quick? (Hulls of ROC curves and
    smoothed densities are not.)"""
    caution: str = ""
    """What is to be said of its intervals, which cover less than they say."""
    over_predicted: bool = False
    """Do macro averages of it count a class that is predicted but has no case, as scikit-learn's do?"""
    remarks: tuple[Remark, ...] = ()
    """Conventions by which it has a value where its formula has none, and what else is to be known of values."""
    bounds: Callable[[int], tuple[float, float]] | None = None
    """The range for a given number of classes, where it depends on it."""
    bounds_of_table: Callable[[int, int], tuple[float, float]] | None = None
    """The range for given numbers of classes and of decisions (one may be to reject a case), where it needs both."""
    range_at: tuple[float, float] = (-math.inf, math.inf)
    """The range whatever the parameters are, as far as it is known: that of what `.at` gives."""
    rate: Callable[..., tuple[Any, Any]] | None = None
    """Of a number of cases over a number of cases: both, from the statistic. Its Wilson interval follows."""
    from_rate: Callable[[float], float] | None = None
    """Of a rising function of such a rate: that function. Its interval follows from that of the rate."""
    spread: Spread = Spread.UNKNOWN
    """How its standard error goes with its value: intervals are corrected for that, or have the form that it tells."""
    parameters: dict[str, Any] = field(default_factory=dict)
    title: str = ""
    """what most of the field calls it: the name of its row"""
    name: str = ""
    family: str = ""
    question: str = ""
    statistic: type[Statistic] = Statistic
    claims: bool = True
    """Does it claim anything beyond its range? What `.at` gives, and a plain function, do not."""

    def __call__(self, *data: Any, **options: Any) -> Any:
        """The value of this measure.

        Parameters
        ----------
        *data : y_true, y_proba, y_pred
            As `karat.evaluate` takes them. A measure of predicted classes takes these in the second place, too, as
            scikit-learn's functions do; one that needs only the order of the cases takes any real scores. Or a single
            statistic that the measure is a formula of.
        **options
            Those of `karat.evaluate`: `labels`, `positive`, `sample_weight`, ...

        Returns
        -------
        float
            nan where the formula has no value. Of a statistic with leading axes, an array over these.

        Raises
        ------
        InputError
            Predicted classes were given to a measure of probabilities, the positive class is ambiguous, or the data
            can't be evaluated.

        See Also
        --------
        karat.evaluate : Several measures of the same predictions.

        Examples
        --------
        >>> import karat
        >>> karat.measures.mcc([0, 0, 1, 1], [0, 1, 1, 1])
        0.5773502691896258
        >>> karat.measures.roc_auc([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
        0.75
        """
        if len(data) == 1 and isinstance(data[0], self.statistic):
            return self.value_of(data[0], **self.formula_parameters | options)
        return value_from_predictions(self, *data, **options)

    @cached
    def value_of(self) -> Callable[..., Any]:
        """Its formula, as everything asks for it that is no formula itself: what rounding took just out of the range
        is put back to its end."""
        from karat.core.arithmetic import value_within  # here, because who only looks at declarations need not wait

        low, high = self.range
        unbounded = low == -math.inf and high == math.inf
        return self.function if unbounded else partial(value_within, low, high, self.function)

    @cached
    def formula_parameters(self) -> dict[str, Any]:
        """The parameters that go to the formula (the others go to the statistic)."""
        return {k: v for k, v in self.parameters.items() if k not in self.statistic.parameters}

    @cached
    def statistic_parameters(self) -> dict[str, Any]:
        """The parameters that go to the statistic."""
        return {k: v for k, v in self.parameters.items() if k in self.statistic.parameters}

    @property
    def orientation(self) -> int:
        """1 if higher is better, -1 if lower is better, 0 if the measure only describes."""
        if self.best is None:
            return 0
        return 1 if self.best == self.range[1] else -1

    @property
    def label(self) -> str:
        """Its title, with the symbol of the literature behind it unless that is said already.

        >>> import karat
        >>> karat.measures.mcc.label, karat.measures.precision.label, karat.macro("Precision").label
        ('Matthews correlation coefficient (MCC)', 'Precision', 'Macro precision')
        """
        said = "(" in self.symbol or self.title.replace(" ", "").casefold() == self.symbol.casefold()
        return self.title if said else f"{self.title} ({self.symbol})"

    def range_for(self, classes: int, decisions: int | None = None) -> tuple[float, float]:
        """The range for this number of classes; of a table, that of its decisions may be told as well."""
        low, high = self.bounds(classes) if self.bounds else self.range
        if self.bounds_of_table and decisions is not None:
            low, high = self.bounds_of_table(classes, decisions)
        return float(low), float(high)

    def at(self, **parameters: Any) -> Measure:
        """The same measure with other parameters, as a measure of its own: `f_score.at(beta=2)`. It makes no claims
        but the better direction and `range_at`: what holds for the default may not hold for it."""
        known = {*self.statistic.parameters, *_options(self.function)}
        for name in parameters:
            if name not in known:
                has = f"it has {', '.join(sorted(known))}" if known else "it has none"
                raise TypeError(f"{self.symbol} has no parameter {name!r}: {has}.")
        settings = ",".join(f"{k}={_brief(v)}" for k, v in parameters.items())
        return replace(
            self,
            symbol=f"{self.symbol}({settings})",
            formula=rf"\text{{{self.symbol} with {settings}}}".replace("_", r"\_"),
            range=self.range_at,
            best=None if self.best is None else self.range_at[self.orientation > 0],
            parameters=self.parameters | parameters,
            name=f"{self.name}({settings})",
            title=f"{self.title}, {settings.replace(',', ', ')}",
            claims=False,
            **NO_CLAIMS,
        )

    def named(self, symbol: str, name: str, question: str, formula: str, **claims: Any) -> Measure:
        """This measure under a name of its own in the catalogue, with its own claims: for what `.at(...)` gives."""
        own: dict[str, Any] = {"symbol": symbol, "name": name, "question": question, "formula": formula}
        claims["aliases"] = _with_aliases_elsewhere((symbol, name), claims.get("aliases", ()))
        return measures.add(replace(self, **own | {"claims": True} | claims))

    def __repr__(self) -> str:
        return f"<measure {self.symbol}: {self.question}>"

    def __reduce__(self) -> Any:
        if measures.get(self.symbol) is self:
            return _declared, (self.symbol,)
        owner = next((m.symbol for m in measures.values() if m.function is self.function), None)
        if owner is None:
            return super().__reduce__()
        return _with, (owner, {f.name: getattr(self, f.name) for f in fields(self) if f.name != "function"})


NO_CLAIMS: dict[str, Any] = {
    "aliases": (),
    "spelt": (),
    "traits": frozenset(),
    "invariant": frozenset(),
    "chance": None,
    "either_class": False,
    "one_pass": False,
    "bounds": None,
    "bounds_of_table": None,
    "rate": None,
    "from_rate": None,
    "spread": Spread.UNKNOWN,
}
"""What is left of the claims of a measure when its formula becomes another."""


def _brief(value: Any) -> str:
    if hasattr(value, "tolist"):
        value = value.tolist()
    return str(value).replace(" ", "")


def _options(function: Callable[..., Any]) -> list[str]:
    return [p.name for p in inspect.signature(function).parameters.values() if p.kind is p.KEYWORD_ONLY]


def _with_aliases_elsewhere(names: tuple[str, ...], aliases: tuple[str, ...]) -> tuple[str, ...]:
    """The aliases that are declared, and the names that other libraries have for the measure; `names` are the symbol
    and what else is no alias."""
    known = {key.casefold() for key in (*names, *aliases)}
    return *aliases, *(alias for alias in aliases_elsewhere(names[0]) if alias.casefold() not in known)


measures: Registry[Measure] = Registry("measure", refusal_of)
"""All that were declared."""


def _declared(symbol: str) -> Measure:
    """What a pickled measure is when it comes back."""
    declared: Measure = measure_of_symbol(symbol)
    return declared


def _with(symbol: str, others: dict[str, Any]) -> Measure:
    """A measure with the formula of a declared one (what `.at` gives), when it comes back."""
    return replace(_declared(symbol), **others)


@understand
def measure(
    *,
    symbol: str,
    formula: str,
    range: tuple[float, float],
    best: float | None,
    cite: str = "",
    chance: float | None = None,
    traits: Iterable[Trait] = (),
    invariant: Iterable[Invariance] = (),
    aliases: tuple[str, ...] = (),
    spelt: tuple[str, ...] = (),
    undefined: str = "",
    classwise: bool = False,
    either_class: bool = False,
    between_orders: bool = False,
    one_pass: bool = False,
    caution: str = "",
    over_predicted: bool = False,
    remarks: tuple[Remark, ...] = (),
    bounds: Callable[[int], tuple[float, float]] | None = None,
    bounds_of_table: Callable[[int, int], tuple[float, float]] | None = None,
    range_at: tuple[float, float] = (-math.inf, math.inf),
    rate: Callable[..., tuple[Any, Any]] | None = None,
    from_rate: Callable[[float], float] | None = None,
    spread: Spread = Spread.UNKNOWN,
    parameters: dict[str, Any] | None = None,
    title: str = "",
) -> Callable[[Callable[..., Any]], Measure]:
    """Declare a measure: a formula of a statistic, which joins the catalogue, the command line and the scorers.

    Its name is the function's, its family the file's, its question the first line of the docstring, and the statistic
    it needs is the annotation of the function's first argument.

    Parameters
    ----------
    symbol : str
        What the literature calls it, such as "MCC".
    formula : str
        In LaTeX.
    range : two numbers
        Between which its values lie; one of them may be infinite.
    best : float or None
        The end of the range that is best; None: it only describes.
    cite : str
        A key of the bibliography.
    chance : float, optional
        Its value when the predictions tell nothing, where that is one number.
    traits, invariant : iterables of Trait and Invariance
        What it is influenced by, and what leaves it unchanged.
    aliases : tuple of str
        Other names that it is found by, in any case.
    spelt : tuple of str
        Names that it is found by in this spelling alone, though the symbol of another differs from them by case only.
    undefined : str
        Why it is undefined where its formula has no value.
    classwise : bool
        Has it one value for each class?
    either_class : bool
        Of two classes, is it the same whichever is the positive one?
    between_orders : bool
        Does its value lie between those of the best and of the worst order of the scores, as that of a measure does
        which is no worse for a ROC curve that is nowhere below another? Then it has certified bounds where the order
        was not kept.
    one_pass : bool
        Is it a sum over the scores of a table, so that many tables at once are quick?
    caution : str
        What is to be said of its intervals, if they cover less than they say.
    over_predicted : bool
        Do macro averages count a class that is predicted but has no case, as scikit-learn's do?
    remarks : tuple of Remark
        Conventions, and what else is to be known of its values.
    bounds : function of the number of classes, optional
        The range, where it depends on that.
    bounds_of_table : function of the numbers of classes and of decisions, optional
        The range, where it depends on both: a case may be rejected, which is one decision more.
    range_at : two numbers
        The range whatever the parameters are: of what `.at(...)` gives.
    rate : function, optional
        Of a number of cases over a number of cases: both, from the statistic; see `karat.measures.rate`.
    from_rate : function, optional
        Of a measure that is not such a rate but rises with it: its value for that of the rate.
    spread : Spread
        How its standard error goes with its value, where that is known: in proportion (an exponential), or as that of a
        share does.
    parameters : dict, optional
        Of the statistic or the formula, where they are not the default ones.
    title : str
        What most of the field calls it: the name of its row. By default the name of the function.

    Returns
    -------
    decorator
        It makes a `Measure` of the function.

    Raises
    ------
    TypeError
        The docstring asks no question, the argument has no annotation, or `best` is no end of the range.
    ValueError
        A name is taken.

    See Also
    --------
    karat.check_measure : Try what is declared on random problems.
    karat.measure_from_function : A measure from a plain function of labels and predictions.

    Examples
    --------
    >>> import karat
    >>> from karat.statistics import Counts
    >>> @measure(symbol="Share", title="Share correct", formula=r"\\text{correct} / n", range=(0, 1), best=1)
    ... def share(c: Counts):
    ...     "What share of the predictions is correct?"
    ...     return c.sums.trace / c.sums.total
    >>> karat.evaluate([0, 0, 1, 1], y_pred=[0, 1, 1, 1])["share"]
    0.75
    >>> karat.catalogue.measures.remove("Share")
    """

    def declare(function: Callable[..., Any]) -> Measure:
        hints = get_type_hints(function)
        first = next(iter(inspect.signature(function).parameters))
        statistic = hints[first]
        if not (isinstance(statistic, type) and issubclass(statistic, Statistic)):
            raise TypeError(f"{function.__name__}: annotate its first argument with the statistic it is a formula of.")
        question = question_of(function)
        if best is not None and best not in range:
            raise TypeError(f"{function.__name__}: best={best} is not an end of its range {range}.")
        declared = Measure(
            function=function,
            symbol=symbol,
            formula=formula,
            range=(float(range[0]), float(range[1])),
            best=None if best is None else float(best),
            chance=chance,
            traits=frozenset(traits),
            invariant=frozenset(invariant),
            cite=cite,
            aliases=_with_aliases_elsewhere((symbol, function.__name__, *spelt), aliases),
            spelt=spelt,
            undefined=undefined,
            classwise=classwise,
            either_class=either_class,
            between_orders=between_orders,
            one_pass=one_pass,
            caution=caution,
            over_predicted=over_predicted,
            remarks=remarks,
            bounds=bounds,
            bounds_of_table=bounds_of_table,
            range_at=range_at,
            rate=rate,
            from_rate=from_rate,
            spread=spread,
            parameters=parameters or {},
            title=title or function.__name__.replace("_", " ").capitalize(),
            name=function.__name__,
            family=(function.__module__ or "").rsplit(".", 1)[-1],
            question=question,
            statistic=statistic,
        )
        return measures.add(declared)

    return declare


def rate(
    *, range: tuple[float, float] = (0, 1), otherwise: float = math.nan, **claims: Any
) -> Callable[[Callable[..., Any]], Measure]:
    """Declare a measure that is a share: its function gives a number of cases, and the number of those that they are
    part of. Its value and its Wilson interval follow. `otherwise` is its value by convention where both are 0; the
    claims are those of `measure`."""

    def declare(cases: Callable[..., Any]) -> Measure:
        from karat.core.arithmetic import ratio  # here, because who only looks at declarations need not wait for numpy

        @wraps(cases)
        def share(statistic: Statistic) -> Any:
            part, whole = cases(statistic)
            return ratio(part, whole, otherwise)

        return measure(range=range, rate=cases, **claims)(share)

    return declare
