"""A comparison of models as the terminal shows it: the verdict, a row for each measure, then what was asked for."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from karat.cli.measure_rows import (
    ValueColumn,
    best_first,
    between,
    heads_of,
    named,
    numbers_below,
    say_long_names,
    show_models,
    tables_of,
)
from karat.cli.output import Form, form, say, say_findings, say_no_positive, show_fitting, show_table
from karat.core.words import PValue, counted, difference_words, listed, p_value

if TYPE_CHECKING:
    from karat.comparisons.difference import Difference, Pair
    from karat.comparisons.model_comparison import Comparison
    from karat.concordance.rankings import Rankings
    from karat.core.finding import Findings
    from karat.decisions.dominance import Dominance
    from karat.measures.display import MeasureRow

FINDINGS_NAMED, PAIRS_NAMED = 2, 8
"""So many findings, and pairs with something to know, are named without --details and --pairs."""


@dataclass(frozen=True)
class View:
    """A comparison, and what of it shall be shown."""

    c: Comparison
    asked: bool = False
    """were measures named?"""
    grouped: bool = False
    hint: str = ""
    """how else they could have been paired"""
    everything: bool = False
    details: bool = False
    pairs: bool = False
    hinted: bool = True
    """say how to see more?"""

    @cached_property
    def rows(self) -> list[MeasureRow]:
        """Of measures that were named, or of the headline and those of the verdict; and of single classes."""
        from karat.comparisons.comparison_marks import rows_of

        return rows_of(self.c, usual=not self.asked)

    @cached_property
    def values(self) -> dict[str, dict[str, float]]:
        """Model to the value in each row."""
        by_key = {row.key: self.c.values_of(row.key) for row in self.rows}
        return {name: {key: of_key[name] for key, of_key in by_key.items()} for name in self.c.models}

    @cached_property
    def remarked(self) -> dict[str, dict[str, str]]:
        """Of each row and model what should be known of the value, if anything."""
        from karat.comparisons.comparison_marks import remarks_of

        return remarks_of(self.c, self.rows)

    def dagger(self, key: str, name: str) -> str:
        """The mark of such a value; empty if there is nothing to know."""
        from karat.measures.display import DAGGER

        return DAGGER if name in self.remarked.get(key, ()) else ""

    @cached_property
    def order(self) -> list[str]:
        """The models, best first by what the verdict speaks of."""
        c = self.c
        keys = [key for key in c.aspects.values() if key in c.measure_keys] or list(c.measure_keys)
        values = {key: c.values_of(key) for key in keys}
        by_model = {name: {key: values[key][name] for key in keys} for name in c.models}
        return best_first(by_model, {key: c.measure_of(key).orientation for key in keys})

    @cached_property
    def findings(self) -> Findings | None:
        """About the models together; None: they would take the cases for independent."""
        return self.c.findings() if self.c.paired and not self.grouped else None

    @cached_property
    def rankings(self) -> Rankings | None:
        """Which measure would choose which model."""
        from karat.concordance.rankings import rankings_of

        return rankings_of(self.c.models, self.c.measures)

    @cached_property
    def dominance(self) -> Dominance | None:
        """Which model is best under which costs and class frequencies."""
        first = next(iter(self.c.models.values()))
        two_classes = len(first.classes) == 2 and first.positive is not None
        return self.c.dominance() if self.c.paired and two_classes else None


def show_comparison(view: View) -> None:
    """All of it."""
    from karat.comparisons.comparison_marks import cautions, footnotes, without_interval

    c = view.c
    first = next(iter(c.models.values()))
    about = first.subject() if c.paired else "each model with cases of its own"
    say(f"{counted(len(c.models), 'model')}, {about}\n")
    say(f"{c.verdict}\n")
    if len(c.models) == 2:
        _show_two(view)
    else:
        _show_several(view)
    for reason, symbols in _undefined(view).items():
        say(f"- {named(view.rows, symbols)}: {reason}.")
    for remark in footnotes(c, view.rows):
        say(remark)
    shown = view.pairs or len(c.pairs) == 1
    for sentence in () if view.details else cautions(c, view.rows, intervals=shown):
        say(sentence)
    for sentence in without_interval(c, view.rows) if len(c.models) == 2 and not view.details else ():
        say(f"- {sentence}")
    _say_margins(view)
    if view.details:
        _show_details(view)
    else:
        _say_findings_in_short(view)
    if view.pairs:
        _show_pairs(view)
    if c.paired and view.hinted:
        say(f"\nPaired {c.pairing}{view.hint}.")
    if view.hinted and form() is Form.TABLE:
        say_no_positive(c.models, before="")
        _say_more(view)


def _say_more(view: View) -> None:
    more = ["--details adds tests and operating conditions"] * (not view.details)
    more += ["--pairs adds every pair of models"] * (not view.pairs)
    if more:
        say(f"{', '.join(more)}.")


# ------------------------------------------------------------------------------------------------- the table


def _show_two(view: View) -> None:
    """Both models, the difference with its interval where there is room, and p."""
    from karat.comparisons.comparison_marks import legend, signs_of

    c = view.c
    ((a, b), pair), *_ = c.pairs.items()
    heads = heads_of((a, b))
    models, by, span, p = _columns(view, pair, heads)
    show_fitting(tables_of(view.rows, [*models, by, span, p], fewer=[*models, by, p]))
    one_sided = "" if c.alternative == "two-sided" else f"; alternative: {a} is {c.alternative}"
    meaning = legend(c, signs_of(c, view.rows), corrections=False)
    say("\n" + "; ".join(filter(None, (meaning, f"difference: {a} minus {b}{one_sided}"))))
    say_long_names(heads)
    if not (view.details or view.pairs):
        _say_corrections(c)


def _columns(
    view: View, pair: Pair, heads: dict[str, str]
) -> tuple[list[ValueColumn], ValueColumn, ValueColumn, ValueColumn]:
    """The values of two models, their difference, its interval, and p."""
    from karat.comparisons.comparison_marks import p_head
    from karat.core.table import aligned

    differences = [pair.differences[row.key] for row in view.rows]
    models = [ValueColumn(heads[name], _marked(view, name, differences), model=True) for name in pair.names]
    texts = [between(d.difference, d.low, d.high, difference=True) for d in differences]
    by = ValueColumn("difference", aligned([difference for difference, _ in texts]))
    span = ValueColumn(f"{100 * view.c.level:g} % interval", [span for _, span in texts], number=False)
    return models, by, span, ValueColumn(p_head(view.c), [PValue(d.deciding_p).words for d in differences])


def _marked(view: View, name: str, differences: list[Difference]) -> list[str]:
    from karat.comparisons.comparison_marks import mark_of

    marks = [mark_of(view.c, d, name) + view.dagger(d.measure, name) for d in differences]
    return numbers_below(view.values[name].values(), marks)


def _show_several(view: View) -> None:
    """Models as columns, with marks."""
    from karat.comparisons.comparison_marks import legend, marks_of, signs_of

    c = view.c
    marks = {row.key: marks_of(c, row.key) for row in view.rows}
    heads = heads_of(c.models)

    def column(name: str) -> ValueColumn:
        signs = [marks[key][name] + view.dagger(key, name) for key in view.values[name]]
        return ValueColumn(heads[name], numbers_below(view.values[name].values(), signs), model=True)

    names = show_models(view.rows, c.models, view.order, column, everything=view.everything, first=c.baseline)
    say(f"\n{legend(c, signs_of(c, view.rows), corrections=True)}")
    say_long_names({name: heads[name] for name in names})
    if len(names) < len(c.models):
        from karat.cli.evaluate import more_models

        say(more_models(len(names), len(c.models)))


# ------------------------------------------------------------------------------------------------- below it


def _undefined(view: View) -> dict[str, list[str]]:
    """Reason to the measures that could not be compared because of it."""
    by_reason: dict[str, list[str]] = {}
    for row in view.rows:
        if row.of_class:
            continue
        whys = (e.undefined_because(row.measure) for e in view.c.models.values())
        if reason := next(filter(None, whys), ""):
            by_reason.setdefault(reason, []).append(row.symbol)
    return by_reason


def _say_margins(view: View) -> None:
    """What tests against margins gave; of several pairs what is equivalent, and of many only if they are asked for."""
    pairs = list(view.c.pairs.values())
    if len(pairs) == 1:
        for sentence in pairs[0].margins_in_words([row.key for row in view.rows]):
            say(sentence)
    elif view.pairs or len(pairs) <= PAIRS_NAMED:
        for pair in pairs:
            if equal := [f"{row.title} {d.equal}" for row in view.rows if (d := pair.differences[row.key]).equal]:
                say(f"{' and '.join(pair.names)}: {'; '.join(equal)}.")


def _say_findings_in_short(view: View) -> None:
    if view.findings:
        say("")
        for finding in view.findings[:FINDINGS_NAMED]:
            say(f"{finding.severity}: {finding.title}.")
        more = len(view.findings) - FINDINGS_NAMED
        if more > 0:
            say(f"{counted(more, 'more finding')} with --details.")


def _show_details(view: View) -> None:
    """How p-values were made, under which conditions each model is best, what measures would choose, findings."""
    from karat.comparisons.judgement import UNDEFINED

    c = view.c
    methods = {method: keys for method, keys in c.methods.items() if method != UNDEFINED}
    say(f"\nTests. {c.corrections}")
    for method, keys in methods.items():
        say(f"{method}: {', '.join(keys)}.")
    for reason, keys in _reasons(c).items():
        say(f"{listed(keys, PAIRS_NAMED)}: {reason}.")
    if view.rankings is not None:
        say(f"\nWhat measures would choose. {view.rankings.verdict}")
    if view.dominance is not None:
        say("\nBest model by operating condition (PC: what false negatives could cost, of what all errors could):\n")
        show_table(view.dominance.to_table())
    if view.findings:
        say_findings(view.findings)


def _reasons(c: Comparison) -> dict[str, list[str]]:
    """What is to be known about p-values and intervals, and of which measures and models."""
    reasons: dict[str, list[str]] = {}
    for (a, b), pair in c.pairs.items():
        of_pair = "" if len(c.pairs) == 1 else f" ({a}, {b})"
        for d in pair.differences.values():
            if d.reason and d.difference == d.difference:
                reasons.setdefault(d.reason, []).append(f"{d.measure}{of_pair}")
    return reasons


def _show_pairs(view: View) -> None:
    """Every pair: each measure, McNemar's and DeLong's tests."""
    for pair in view.c.pairs.values():
        a, b = pair.names
        say(f"\n{a} minus {b}" + (f". {pair.verdict}\n" if len(view.c.pairs) > 1 else "\n"))
        models, by, span, p = _columns(view, pair, heads_of(pair.names))
        show_fitting(tables_of(view.rows, [*models, by, span, p], fewer=[by, span, p]))
        if pair.flips is not None:
            say(f"McNemar's test: {pair.flips.verdict}")
        if pair.areas is not None:
            t = pair.areas
            say(f"DeLong's test: ROC AUC differs by {difference_words(t.difference, t.low, t.high)}, {p_value(t.p)}.")
    say("")
    if not view.details:
        _say_corrections(view.c)
    if any(pair.flips is not None or pair.areas is not None for pair in view.c.pairs.values()):
        say("McNemar's and DeLong's tests are not corrected.")


def _say_corrections(c: Comparison) -> None:
    """Why an interval may leave out 0 beside a p-value that is not small."""
    if c.claims > 1:
        say(c.corrections)
