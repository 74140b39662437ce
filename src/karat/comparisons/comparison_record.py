"""What `karat.compare` returns: some models on the same cases, and how every two of them differ."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.comparisons import comparison_text
from karat.comparisons.corrections import tested_aspects
from karat.comparisons.difference import NOT_CORRECTED, Difference, Pair, alternative_in_words
from karat.comparisons.judgement import BOOTSTRAP
from karat.comparisons.measure_names import free_name
from karat.core import hooks
from karat.core.arithmetic import Array
from karat.core.errors import InputError, UnknownNameError, quoted
from karat.core.measure import Measure
from karat.core.other_names import OF_COMPARISON, instead
from karat.core.record import Verdict
from karat.core.table import Table
from karat.core.validation import too_few
from karat.core.words import Text, listed
from karat.data.pairing import pairing_of
from karat.evaluation import Evaluation
from karat.measures.lookup import find
from karat.statistics.added import needs_cases

if TYPE_CHECKING:
    from karat.concordance.rankings import Rankings
    from karat.core.finding import Findings
    from karat.decisions.dominance import Dominance


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Verdict):
    """Two or more models on the same cases: what `karat.compare` returns.

    `c.verdict` says which model is better, and how surely; `c["forest", "tree"]` are two models,
    `c["forest", "tree"]["MCC"]` is their difference on a measure; `c` itself shows the verdict and a table. It becomes
    a table by `to_markdown()`, `to_latex()`, `to_html()` or `to_frame()`, plain data by `to_dict()` or `to_json()`.

    Attributes
    ----------
    models : dict
        {name: Evaluation}, all with their cases in one order.
    measures : tuple of Measure
        What was compared.
    pairs : dict
        {(first, second): Pair} of every two models, or of each model and the baseline.
    baseline : str or None
        The model that all others were compared with.
    level : float
        Confidence of tests and intervals.
    replicates, seed : int
        Of the methods that resample.
    method : str
        How p-values and intervals were asked to be made.
    alternative : str
        "two-sided", or the side that was tested.
    paired : bool
        Were all models given the same cases?
    aspects : dict
        {aspect: symbol} of what the verdict speaks of.
    align : str
        "index" if rows were matched with the truth by the index of pandas.
    caveat : str
        Why p-values are smaller than they should be (copies of rows); the verdict ends with it.
    frequencies : str
        How intervals take class frequencies that were given (`at_prevalence`).

    See Also
    --------
    compare : makes one.
    karat.compare_across : models on many data sets.

    Examples
    --------
    >>> import karat
    >>> y = [0, 0, 0, 1, 1, 1] * 10
    >>> good, poor = [0.1, 0.2, 0.3, 0.9, 0.8, 0.7] * 10, [0.6, 0.2, 0.7, 0.4, 0.8, 0.3] * 10
    >>> c = karat.compare({"good": good, "poor": poor}, y, measures=["accuracy", "MSE"])
    >>> print(c["good", "poor"]["accuracy"].span)
    0.667 [0.467, 0.867]
    >>> c.models["good"]["accuracy"]
    1.0
    >>> c.keys()
    [('good', 'poor')]
    """

    models: dict[str, Evaluation]
    measures: tuple[Measure, ...]
    pairs: dict[tuple[str, str], Pair]
    baseline: str | None
    level: float
    replicates: int
    seed: int
    method: str = "auto"
    alternative: str = "two-sided"
    paired: bool = True
    aspects: dict[str, str] = field(default_factory=dict)
    align: str = "row"
    caveat: str = ""
    frequencies: str = ""

    def _no_attribute(self, name: str) -> AttributeError:
        own = {*dir(type(self)), *vars(self)}
        return instead("a Comparison", name, OF_COMPARISON, own, lambda _: "", "karat.Comparison")

    def __getitem__(self, names: tuple[str, str]) -> Pair:
        """Two of the models, in either order."""
        if names in self.pairs:
            return self.pairs[names]
        if isinstance(names, tuple) and names[::-1] in self.pairs:
            return self.pairs[names[::-1]].turned()
        raise UnknownNameError(self._no_pair(names))

    def _no_pair(self, names: Any) -> str:
        """What to write instead."""
        first = next(iter(self.pairs))
        two = ", ".join(map(repr, first))
        if names in self.models:
            return f"{names!r} is one model; write c.models[{names!r}] for its evaluation, c[{two}] for two models."
        if isinstance(names, str):
            return f"{names!r} is not a pair of models; write c[{two}][{names!r}] for their difference on a measure."
        return f"{names!r} was not compared; the pairs are {quoted(self.pairs, 6)}."

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return iter(self.pairs)

    def __len__(self) -> int:
        return len(self.pairs)

    def __contains__(self, names: object) -> bool:
        return names in self.pairs or (isinstance(names, tuple) and names[::-1] in self.pairs)

    def keys(self) -> list[tuple[str, str]]:
        """The pairs that were compared, by name.

        Examples
        --------
        >>> import karat
        >>> y, good, poor = [0, 0, 1, 1] * 10, [0.1, 0.2, 0.7, 0.9] * 10, [0.6, 0.2, 0.4, 0.8] * 10
        >>> c = karat.compare({"good": good, "poor": poor}, y, measures=["accuracy", "MSE"])
        >>> c.keys()
        [('good', 'poor')]
        """
        return list(self.pairs)

    def items(self) -> list[tuple[tuple[str, str], Pair]]:
        """The names of each pair, and the pair.

        Examples
        --------
        >>> import karat
        >>> y, good, poor = [0, 0, 1, 1] * 10, [0.1, 0.2, 0.7, 0.9] * 10, [0.6, 0.2, 0.4, 0.8] * 10
        >>> c = karat.compare({"good": good, "poor": poor}, y, measures=["accuracy", "MSE"])
        >>> [(names, round(pair["accuracy"].difference, 3)) for names, pair in c.items()]
        [(('good', 'poor'), 0.5)]
        """
        return list(self.pairs.items())

    def get(self, names: tuple[str, str], default: Any = None) -> Any:
        """Two of the models, in either order; `default` where they were not compared.

        Examples
        --------
        >>> import karat
        >>> y, good, poor = [0, 0, 1, 1] * 10, [0.1, 0.2, 0.7, 0.9] * 10, [0.6, 0.2, 0.4, 0.8] * 10
        >>> c = karat.compare({"good": good, "poor": poor}, y, measures=["accuracy", "MSE"])
        >>> c.get(("good", "best"), "not compared")
        'not compared'
        """
        try:
            return self[names]
        except UnknownNameError:
            return default

    @property
    def verdict(self) -> str:
        """What was found, in plain words.

        All it claims holds together: p-values are corrected (Holm) over all pairs of models and all measures that it
        speaks of.

        Examples
        --------
        >>> import karat
        >>> y, good, poor = [0, 0, 1, 1] * 10, [0.1, 0.2, 0.7, 0.9] * 10, [0.6, 0.2, 0.4, 0.8] * 10
        >>> c = karat.compare({"good": good, "poor": poor}, y, measures=["accuracy", "MSE"])
        >>> print(c.verdict)
        good is significantly better on accuracy (0.500 higher [0.300, 0.700], corrected p < 0.001) and mean squared
        error of the probabilities (0.162 lower [0.098, 0.227], corrected p < 0.001).
        """
        return " ".join(self.sentences)

    @property
    def sentences(self) -> list[str]:
        """The verdict, a sentence each: about two models one, about many one for each measure.

        Examples
        --------
        >>> import karat
        >>> y, good, poor = [0, 0, 1, 1] * 10, [0.1, 0.2, 0.7, 0.9] * 10, [0.6, 0.2, 0.4, 0.8] * 10
        >>> c = karat.compare({"good": good, "poor": poor, "twin": good}, y, measures=["accuracy"])
        >>> c.sentences
        ['Accuracy: good and twin are best (1), significantly better than all others.']
        """
        few = too_few(self.replicates, self.level) if self.method in BOOTSTRAP else ""
        return [*self._sentences(), *([f"({few}.)"] if few else []), *([self.caveat] if self.caveat else [])]

    def _sentences(self) -> list[str]:
        pairs = list(self.pairs.values())
        if self.baseline is not None and len(pairs) > 1:
            return [f"{pair.names[0]} against {self.baseline}: {pair.claim}" for pair in pairs]
        if len(pairs) == 1:
            return [pairs[0].claim]
        of_measure = comparison_text.standing if self.alternative == "two-sided" else comparison_text.one_sided
        return list(filter(None, (of_measure(self, key) for key in self.aspects.values()))) or [pairs[0].claim]

    @property
    def claims(self) -> int:
        """Number of tests that the verdict is corrected for.

        Examples
        --------
        >>> import karat
        >>> y, good, poor = [0, 0, 1, 1] * 10, [0.1, 0.2, 0.7, 0.9] * 10, [0.6, 0.2, 0.4, 0.8] * 10
        >>> c = karat.compare({"good": good, "poor": poor}, y, measures=["accuracy", "MSE"])
        >>> c.claims  # one pair of models, two measures
        2
        """
        return next(iter(self.pairs.values())).claims

    @property
    def measure_keys(self) -> tuple[str, ...]:
        """What was compared: symbols of measures, those of single classes as `symbol[class]`.

        Examples
        --------
        >>> import karat
        >>> y, good, poor = [0, 0, 1, 1] * 10, [0.1, 0.2, 0.7, 0.9] * 10, [0.6, 0.2, 0.4, 0.8] * 10
        >>> c = karat.compare({"good": good, "poor": poor}, y, measures=["accuracy", "MSE"])
        >>> c.measure_keys
        ('Acc', 'MSE')
        """
        return tuple(next(iter(self.pairs.values())).differences)

    def measure_of(self, key: str) -> Measure:
        """The measure of such a key.

        Examples
        --------
        >>> import karat
        >>> y, good, poor = [0, 0, 1, 1] * 10, [0.1, 0.2, 0.7, 0.9] * 10, [0.6, 0.2, 0.4, 0.8] * 10
        >>> c = karat.compare({"good": good, "poor": poor}, y, measures=["accuracy", "MSE"])
        >>> c.measure_of("Acc").question
        'What share of the cases is predicted correctly?'
        """
        return next(m for m in self.measures if key == m.symbol or key.startswith(f"{m.symbol}["))

    def title_of(self, key: str) -> str:
        """What most of the field calls the measure of such a key.

        Examples
        --------
        >>> import karat
        >>> y, good, poor = [0, 0, 1, 1] * 10, [0.1, 0.2, 0.7, 0.9] * 10, [0.6, 0.2, 0.4, 0.8] * 10
        >>> c = karat.compare({"good": good, "poor": poor}, y, measures=["accuracy", "MSE"])
        >>> c.title_of("Acc")
        'Accuracy'
        """
        return self._difference_on(key).title or key

    def label_of(self, key: str) -> str:
        """The same with the symbol behind it.

        Examples
        --------
        >>> import karat
        >>> y, good, poor = [0, 0, 1, 1] * 10, [0.1, 0.2, 0.7, 0.9] * 10, [0.6, 0.2, 0.4, 0.8] * 10
        >>> c = karat.compare({"good": good, "poor": poor}, y, measures=["accuracy", "MSE"])
        >>> c.label_of("Acc")
        'Accuracy (Acc)'
        """
        return self._difference_on(key).label

    def _difference_on(self, key: str) -> Difference:
        return next(iter(self.pairs.values())).differences[key]

    def values_of(self, key: str | Measure) -> dict[str, float]:
        """{model: value} of a measure, by symbol, name or alias; of one class by `symbol[class]`.

        Examples
        --------
        >>> import karat
        >>> y, good, poor = [0, 0, 1, 1] * 10, [0.1, 0.2, 0.7, 0.9] * 10, [0.6, 0.2, 0.4, 0.8] * 10
        >>> c = karat.compare({"good": good, "poor": poor}, y, measures=["accuracy", "MSE"])
        >>> c.values_of("accuracy")
        {'good': 1.0, 'poor': 0.5}
        """
        symbol = key if isinstance(key, str) and key in self.measure_keys else find(key).symbol
        values: dict[str, float] = {}
        for pair in self.pairs.values():
            values |= dict(zip(pair.names, pair[symbol].values, strict=True))
        return {name: values[name] for name in self.models}

    @property
    def pairing(self) -> str:
        """How the cases of the models were put beside each other: by id, by index, or by row.

        Examples
        --------
        >>> import karat
        >>> y, good, poor = [0, 0, 1, 1] * 10, [0.1, 0.2, 0.7, 0.9] * 10, [0.6, 0.2, 0.4, 0.8] * 10
        >>> c = karat.compare({"good": good, "poor": poor}, y, measures=["accuracy", "MSE"])
        >>> c.pairing
        'by row, as no ids were given'
        """
        if not self.paired:
            return "none: the models were given different cases"
        return pairing_of((_ids(e) for e in self.models.values()), self.align)

    @property
    def test(self) -> str:
        """The method by its other name: auto, bootstrap or permutation.

        Examples
        --------
        >>> import karat
        >>> y, good, poor = [0, 0, 1, 1] * 10, [0.1, 0.2, 0.7, 0.9] * 10, [0.6, 0.2, 0.4, 0.8] * 10
        >>> c = karat.compare({"good": good, "poor": poor}, y, measures=["accuracy", "MSE"])
        >>> c.test
        'auto'
        """
        return "bootstrap" if self.method in BOOTSTRAP else "permutation" if self.method == "exchange" else "auto"

    @property
    def pairs_in_all(self) -> int:
        """How many pairs of models p-values are corrected for: more than there are where these were chosen of many.

        Examples
        --------
        >>> import karat
        >>> y, good, poor = [0, 0, 1, 1] * 10, [0.1, 0.2, 0.7, 0.9] * 10, [0.6, 0.2, 0.4, 0.8] * 10
        >>> karat.compare({"good": good, "poor": poor, "other": poor}, y, measures="accuracy").pairs_in_all
        3
        """
        differences = {two: pair.differences for two, pair in self.pairs.items()}
        return self.claims // max(len(tested_aspects(differences, self.aspects)), 1)

    @property
    def corrections(self) -> str:
        """What p-values and intervals are corrected for, in two or three sentences; and what no correction mends.

        Examples
        --------
        >>> import karat
        >>> y, good, poor = [0, 0, 1, 1] * 10, [0.1, 0.2, 0.7, 0.9] * 10, [0.6, 0.2, 0.4, 0.8] * 10
        >>> c = karat.compare({"good": good, "poor": poor}, y, measures=["accuracy", "MSE"])
        >>> print(c.corrections)
        p-values are corrected (Holm) for 2 tests. 95 % intervals are of each difference alone, without correction.
        """
        each = f"{100 * self.level:g} % intervals are of each difference alone"
        within = NOT_CORRECTED if any(pair.has_margins for pair in self.pairs.values()) else ""
        alone = f"{each}, without correction." if self.claims > 1 else f"{each}."
        known = f"{self.frequencies[0].upper()}{self.frequencies[1:]}." if self.frequencies else ""
        return " ".join(filter(None, [f"p-values are {self._side}{self._of_what}.", alone, within, known]))

    @property
    def _side(self) -> str:
        """That one side alone was tested, and which."""
        if self.alternative == "two-sided":
            return ""
        first, second = next(iter(self.pairs)) if len(self.pairs) == 1 else ("the first model of a pair", "the second")
        return f"one-sided (is {first} {alternative_in_words(self.alternative)} than {second}?), "

    @property
    def all_corrected(self) -> bool:
        """Does the verdict speak of all that was compared, so that every p-value is corrected for all its tests?

        Examples
        --------
        >>> import karat
        >>> y, good, poor = [0, 0, 1, 1] * 10, [0.1, 0.2, 0.7, 0.9] * 10, [0.6, 0.2, 0.4, 0.8] * 10
        >>> karat.compare({"good": good, "poor": poor}, y, measures=["accuracy", "MSE"]).all_corrected
        True
        """
        return {*self.measure_keys} <= {*self.aspects.values()}

    @property
    def _of_what(self) -> str:
        """What p-values are corrected for."""
        pairs = self.pairs_in_all
        by_class = len(self.measure_keys) > len(self.measures)
        of_each = [*([f"{pairs} pairs of models"] if pairs > 1 else []), *(["the classes"] if by_class else [])]
        alone = f"corrected (Holm) for {listed(of_each)}" if of_each else "of each measure alone"
        if self.all_corrected and self.claims > pairs:
            of_pairs = f" of {pairs} pairs of models" if pairs > 1 else ""
            return f"corrected (Holm) for {self.claims} tests{of_pairs}{', the classes included' if by_class else ''}"
        family = "" if of_each else "are corrected (Holm) "
        verdict = (
            f"; those of the verdict's measures {family}for its {self.claims} tests" if self.claims > pairs else ""
        )
        return alone + verdict

    @property
    def methods(self) -> dict[str, list[str]]:
        """Where p-values come from: each method, and the measures that it was used for.

        Examples
        --------
        >>> import karat
        >>> y, good, poor = [0, 0, 1, 1] * 10, [0.1, 0.2, 0.7, 0.9] * 10, [0.6, 0.2, 0.4, 0.8] * 10
        >>> c = karat.compare({"good": good, "poor": poor}, y, measures=["accuracy", "MSE"])
        >>> c.methods
        {"McNemar's test, mid-p": ['Acc'], 'jackknife t test and permutation test': ['MSE']}
        """
        by_method: dict[str, dict[str, None]] = {}
        for pair in self.pairs.values():
            for d in pair.differences.values():
                by_method.setdefault(d.method, {})[d.measure] = None
        return {method: list(symbols) for method, symbols in by_method.items()}

    def rankings(self) -> Rankings:
        """Which measure would choose which model.

        Examples
        --------
        >>> import karat
        >>> y, good, poor = [0, 0, 1, 1] * 10, [0.1, 0.2, 0.7, 0.9] * 10, [0.6, 0.2, 0.4, 0.8] * 10
        >>> c = karat.compare({"good": good, "poor": poor}, y, measures=["accuracy", "MSE"])
        >>> c.rankings()
        <Rankings: 2 of 2 measures prefer good.>
        """
        from karat.concordance.rankings import rankings_of

        rankings = rankings_of(self.models, self.measures)
        if rankings is None:
            raise InputError("none of the measures has a value and a better direction for all models; compare others.")
        return rankings

    def dominance(self, **options: Any) -> Dominance:
        """Which model is best under which costs and class frequencies (two classes): see `karat.dominance`.

        Examples
        --------
        >>> import karat
        >>> y, good, poor = [0, 0, 1, 1] * 10, [0.1, 0.2, 0.7, 0.9] * 10, [0.6, 0.2, 0.4, 0.8] * 10
        >>> c = karat.compare({"good": good, "poor": poor}, y, measures=["accuracy", "MSE"])
        >>> c.dominance()
        best model by probability cost (PC)
        from PC  to PC  best
          0.000  1.000  good
        never best: poor
        """
        from karat.decisions.dominance import dominance

        return dominance(self.models, **options)

    def findings(self) -> Findings:
        """Findings about the models together: what a reviewer would point out, in plain words, the gravest first.

        Examples
        --------
        >>> import karat
        >>> y, good, poor = [0, 0, 1, 1] * 10, [0.1, 0.2, 0.7, 0.9] * 10, [0.6, 0.2, 0.4, 0.8] * 10
        >>> c = karat.compare({"good": good, "poor": poor}, y, measures=["accuracy", "MSE"])
        >>> c.findings()
        No findings.
        """
        from karat.findings.collection import findings_of

        return findings_of(self.models)

    def flipped(self, first: str, second: str) -> dict[str, list[int]]:
        """The rows of the cases on which just one of two models is correct.

        Parameters
        ----------
        first, second : str
            Names of the models.

        Returns
        -------
        dict
            {model: rows on which it is correct and the other is not}, counted from 0.

        Examples
        --------
        >>> import karat
        >>> y, good, poor = [0, 0, 1, 1] * 10, [0.1, 0.2, 0.7, 0.9] * 10, [0.6, 0.2, 0.4, 0.8] * 10
        >>> c = karat.compare({"good": good, "poor": poor}, y, measures=["accuracy", "MSE"])
        >>> {model: rows[:4] for model, rows in c.flipped("good", "poor").items()}
        {'good': [0, 2, 4, 6], 'poor': []}
        """
        for name in (first, second):
            if name not in self.models:
                raise InputError(f"{name!r} is not one of the models; choose one of {', '.join(self.models)}.")
        if not self.paired:
            raise InputError("the models were given different cases; compare them on the same cases to see flips.")
        a, b = (_right(self.models[name]) for name in (first, second))
        return {first: np.flatnonzero(a & ~b).tolist(), second: np.flatnonzero(b & ~a).tolist()}

    def summary(self, width: int = comparison_text.WIDTH) -> Text:
        """The verdict, then a table with one row for each measure and models as columns, as text.

        Parameters
        ----------
        width : int, default 80
            Characters in a line. Where not all models have room, those with the worst mean rank are left out.

        Returns
        -------
        Text
            A str that a terminal and a notebook show as it is.

        Examples
        --------
        >>> import karat
        >>> y, good, poor = [0, 0, 1, 1] * 10, [0.1, 0.2, 0.7, 0.9] * 10, [0.6, 0.2, 0.4, 0.8] * 10
        >>> c = karat.compare({"good": good, "poor": poor}, y, measures=["accuracy", "MSE"])
        >>> print(c.summary().splitlines()[0])
        good is significantly better on accuracy (0.500 higher [0.300, 0.700], corrected
        """
        return Text(comparison_text.summary(self, width))

    def displayed(self) -> Table:
        """The table as people read it: models as columns, the best value of each measure marked.

        Examples
        --------
        >>> import karat
        >>> y, good, poor = [0, 0, 1, 1] * 10, [0.1, 0.2, 0.7, 0.9] * 10, [0.6, 0.2, 0.4, 0.8] * 10
        >>> c = karat.compare({"good": good, "poor": poor}, y, measures=["accuracy", "MSE"])
        >>> c.displayed()
        good is significantly better on accuracy (0.500 higher [0.300, 0.700], corrected p < 0.001) and mean squared
        error of the probabilities (0.162 lower [0.098, 0.227], corrected p < 0.001).
        measure                                        good      poor     difference [95 %]        corrected p
        Accuracy (Acc)                                 1.000  *  0.500       0.500 [0.300, 0.700]      < 0.001
        Mean squared error of the probabilities (MSE)  0.0375 *  0.200    -0.162 [-0.227, -0.098]      < 0.001
        * significantly better (significant: p ≤ 0.05).
        p-values are corrected (Holm) for 2 tests. 95 % intervals are of each difference alone, without correction.
        Cases were paired by row, as no ids were given.
        """
        return comparison_text.table(self)

    def to_table(self) -> Table:
        """One row for each measure: the value of each model, and the model that is significantly better than all
        others that it was compared with. `c["forest", "tree"].to_table()` has differences, intervals and p-values.

        Examples
        --------
        >>> import karat
        >>> y, good, poor = [0, 0, 1, 1] * 10, [0.1, 0.2, 0.7, 0.9] * 10, [0.6, 0.2, 0.4, 0.8] * 10
        >>> c = karat.compare({"good": good, "poor": poor}, y, measures=["accuracy", "MSE"])
        >>> c.to_table().columns["significantly better"]
        ['good', 'good']
        """
        fixed = ("measure", "symbol", "significantly better")
        columns: dict[str, list[Any]] = {"measure": [self.title_of(key) for key in self.measure_keys]}
        columns["symbol"] = list(self.measure_keys)
        values = [self.values_of(key) for key in self.measure_keys]
        columns |= {free_name(name, fixed): [of_key[name] for of_key in values] for name in self.models}
        columns["significantly better"] = [self._winner(key) for key in self.measure_keys]
        return Table(columns, self.verdict)

    def _winner(self, key: str) -> str:
        for name in self.models:
            met = [pair for names, pair in self.pairs.items() if name in names]
            if met and all(pair.differences[key].winner(self.level) == name for pair in met):
                return name
        return ""

    def plot(self, name: str | None = None, *, ax: Any = None, **options: Any) -> Any:
        """Draw a diagram of all models, or without a name the panel of diagrams that fits what was given.

        Parameters
        ----------
        name : str, optional
            A diagram of the catalogue, such as "roc_curve", "cost_curve" or "reliability".
        ax : matplotlib axes, optional
            Where to draw it; by default a figure of its own.
        **options : of the diagram, such as `bins` or `band`.

        See Also
        --------
        Evaluation.plot : the same of one model.

        Examples
        --------
        >>> import karat
        >>> y, good, poor = [0, 0, 1, 1] * 10, [0.1, 0.2, 0.7, 0.9] * 10, [0.6, 0.2, 0.4, 0.8] * 10
        >>> c = karat.compare({"good": good, "poor": poor}, y, measures=["accuracy", "MSE"])
        >>> c.plot("roc_curve").ax_.get_ylabel()
        'True positive rate (recall) (positive: 1)'
        """
        from karat.diagrams import plot_of

        return plot_of(self.models, name, ax=ax, **options)

    def report(self, path: Any = None, **options: Any) -> Any:
        """An interactive page about these models: see `karat.report`.

        Parameters
        ----------
        path : str or path, optional
            The file to write; without it a notebook shows the page.
        **options : of `karat.report`.

        Examples
        --------
        >>> import karat
        >>> y, good, poor = [0, 0, 1, 1] * 10, [0.1, 0.2, 0.7, 0.9] * 10, [0.6, 0.2, 0.4, 0.8] * 10
        >>> c = karat.compare({"good": good, "poor": poor}, y, measures=["accuracy", "MSE"])
        >>> c.report()  # c.report("report.html") writes it to a file
        <report of ... MB>
        """
        return hooks.report(self, path, **options)

    def to_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON; undefined or infinite is None.

        Returns
        -------
        dict
            "models" ({name: evaluation}), "pairs" (a list, each with its differences), the options of the comparison,
            "pairing", "aspects", "corrections" and "verdict".

        Examples
        --------
        >>> import karat
        >>> y, good, poor = [0, 0, 1, 1] * 10, [0.1, 0.2, 0.7, 0.9] * 10, [0.6, 0.2, 0.4, 0.8] * 10
        >>> c = karat.compare({"good": good, "poor": poor}, y, measures=["accuracy", "MSE"])
        >>> c.to_dict()["aspects"]
        {'Acc': 'Acc', 'MSE': 'MSE'}
        """
        options = ("baseline", "level", "replicates", "seed", "test", "method", "alternative", "pairing", "aspects")
        return {
            "models": {name: e.to_dict(self.measures) for name, e in self.models.items()},
            "pairs": [pair.to_dict() for pair in self.pairs.values()],
            **{name: getattr(self, name) for name in (*options, "corrections", "verdict")},
        }

    def __repr__(self) -> str:
        return str(self.summary())

    def _repr_html_(self) -> str:
        return comparison_text.as_html(self)


def _ids(e: Evaluation) -> Any:
    """What tells the cases apart; None: their rows."""
    added = e.statistics.source.added
    return e.ids if added is None else added.identified or None


def _right(e: Evaluation) -> Array:
    p = e.statistics.source.cases
    if p is None:
        raise InputError(f"{needs_cases('a list of the cases on which models differ')}.")
    return np.asarray(p.right[0])
