"""`karat evaluate`: what files of predictions are worth."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from karat.cli.main import command
from karat.cli.options import (
    AsJson,
    Groups,
    IntervalMethod,
    Level,
    Measures,
    Reader,
    Replicates,
    Seed,
    Stratified,
    measure_names,
    own_measures,
    reading,
)
from karat.cli.output import print_json_by_model, say, say_findings, show, show_table, working
from karat.core.errors import InputError
from karat.core.words import arrow

if TYPE_CHECKING:
    from karat.evaluation import Evaluation
    from karat.intervals.interval import Intervals

MARK = "*"
"""Stands at an interval that there is something to know about."""


@command
@own_measures
@reading
def evaluate(
    models: Reader,
    measures: Measures = None,
    intervals: Annotated[bool, typer.Option("--intervals", help="With an interval for each measure.")] = False,
    per_class: Annotated[bool, typer.Option("--per-class", help="Also each class against the rest.")] = False,
    method: IntervalMethod = "auto",
    groups: Groups = None,
    stratified: Stratified = False,
    level: Level = 0.95,
    replicates: Replicates = 1000,
    seed: Seed = 0,
    as_json: AsJson = False,
) -> None:
    """Every measure of predictions, with intervals on request, and what should be known about them."""
    from karat.intervals.interval import intervals as intervals_of
    from karat.measures.lookup import measures_named

    names = measure_names(measures)
    models.options["groups"] = groups
    asked: dict[str, Any] = {"level": level, "replicates": replicates, "seed": seed, "method": method}
    if not intervals and (groups or stratified or method != "auto"):
        raise InputError("--method, --groups and --stratified are about intervals; say --intervals, too.")
    facts: dict[str, Any] = {}
    for model, e in models.evaluations().items():
        if measures != "all":
            e.values(names)  # whatever fails does so before anything is printed
        ends = None
        if intervals:
            with working(f"intervals of {model}"):
                which: Any = {"groups": models.groups.get(model), "stratified": stratified}
                ends = intervals_of(e.statistics, measures_named(names), **asked, **which)
        if not as_json:
            _show(model, e, ends, names, per_class)
            continue
        facts[model] = e.to_dict(names)
        if ends is not None:
            facts[model]["intervals"] = ends.to_dict()
        if per_class:
            facts[model]["per_class"] = e.per_class().to_dict()
        facts[model]["findings"] = e.findings().to_dict()
    if as_json:
        print_json_by_model(facts)


def _show(model: str, e: Evaluation, ends: Intervals | None, names: list[str] | None, per_class: bool) -> None:
    say(f"{model}: {e.subject()}\n")
    _show_values(e, ends, names)
    if ends is not None:
        _say_methods(ends)
    if per_class:
        say("")
        show_table(e.per_class())
    say_findings(e.findings())
    say("")


def _show_values(e: Evaluation, ends: Intervals | None, names: list[str] | None) -> None:
    """A row for each measure."""
    from karat.measures.display import DAGGER, by_sentence
    from karat.measures.lookup import measures_named

    facts = e.to_dict(names)
    undefined, said = facts["undefined"], facts["conventions"] | facts["notes"]
    rows = []
    for m in dict.fromkeys(measures_named(names)):
        mark = f"{DAGGER} " if m.symbol in said else ""  # before the number, so that the points stand below each other
        value = "-" if m.symbol in undefined else f"{mark}{e[m]:.4f}"
        between = [] if ends is None else [_between(ends[m.symbol])]
        rows.append([m.symbol, arrow(m.orientation), value, *between, undefined.get(m.symbol) or m.question])
    heads = ["measure", "", "value", *([] if ends is None else ["interval"]), "question, or why it is undefined"]
    show([heads, *rows], right=2)
    for sentence, symbols in by_sentence(said).items():
        say(f"{DAGGER} {', '.join(symbols)}: {sentence}.")


def _between(interval: Any) -> str:
    """An interval, marked if there is something to know about it; where only one end is finite the other is not."""
    from math import isfinite

    low, high = (f"{end:.4f}" if isfinite(end) else "" for end in (interval.low, interval.high))
    text = f"{low or '-∞'} to {high or '∞'}" if low or high else ""
    return f"{text or '-'}{MARK}" if interval.reason and isfinite(interval.value) else text


def _say_methods(ends: Intervals) -> None:
    """How the intervals were made, and what is to be known about some."""
    from math import isfinite

    methods: dict[str, list[str]] = {}
    remarks: dict[str, list[str]] = {}
    for symbol, interval in ends.items():
        if interval.method:
            methods.setdefault(interval.method, []).append(symbol)
        if interval.reason and isfinite(interval.value):
            remarks.setdefault(interval.reason, []).append(symbol)
    if methods:
        level = next(iter(ends.values())).level
        made_by = "; ".join(f"{method}: {', '.join(symbols)}" for method, symbols in methods.items())
        say(f"\n{100 * level:g} % intervals by {made_by}.")
    for reason, symbols in remarks.items():
        say(f"{MARK} {', '.join(symbols)}: {reason}.")
