"""`karat compare`: which of several models wins."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from karat.cli.main import command
from karat.cli.options import (
    ID,
    AsJson,
    Groups,
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
from karat.cli.output import print_json, say, say_findings, show_table, working
from karat.core.errors import InputError
from karat.core.words import listed

if TYPE_CHECKING:
    from karat.comparisons.model_comparison import Comparison
    from karat.core.table import Table

MOST_NAMED = 8
"""Measures that are named before a reason."""


@command
@own_measures
@reading
def compare(
    models: Reader,
    measures: Measures = None,
    baseline: Annotated[str | None, typer.Option(help="Compare each model with this one only.")] = None,
    margin: Annotated[
        list[str] | None,
        typer.Option(
            help="The smallest difference that matters, .02 or MCC=.02: tests equivalence and non-inferiority."
        ),
    ] = None,
    alternative: Annotated[
        str, typer.Option(help="What is tested: two-sided, or that the first is greater, less, better or worse.")
    ] = "two-sided",
    classes: Annotated[bool, typer.Option("--classes", help="Measures of one class for every class.")] = False,
    method: Annotated[
        str, typer.Option(help="Of p-values and intervals: auto, jackknife, exchange, percentile, basic or bca.")
    ] = "auto",
    test: Annotated[
        str, typer.Option(help="The same: auto, bootstrap (percentile) or permutation (exchange).")
    ] = "auto",
    unpaired: Annotated[bool, typer.Option("--unpaired", help="Each model has cases of its own.")] = False,
    groups: Groups = None,
    stratified: Stratified = False,
    level: Level = 0.95,
    replicates: Replicates = 1000,
    seed: Seed = 0,
    as_json: AsJson = False,
) -> None:
    """Which model wins, on which measures, by how much, how surely, and under which conditions."""
    from karat.comparisons.model_comparison import compare as comparison_of
    from karat.concordance.rankings import rankings_of

    if unpaired and (groups or models.options["id_"]):
        raise InputError("--unpaired says that each model has cases of its own; leave out --groups and --id.")
    models.options["groups"] = groups
    evaluations = models.evaluations()
    which: dict[str, Any] = {"measures": measure_names(measures), "baseline": baseline, "margin": margins(margin)}
    which |= {"alternative": alternative, "classes": "all" if classes else None, "method": method, "test": test}
    which |= {"groups": _groups(models), "stratified": stratified, "paired": not unpaired}
    with working("comparison"):
        c = comparison_of(evaluations, level=level, replicates=replicates, seed=seed, **which)
    first = next(iter(evaluations.values()))
    dominance = c.dominance() if c.paired and len(first.classes) == 2 and first.positive is not None else None
    rankings = rankings_of(c.models, c.measures)
    findings = c.findings() if c.paired and groups is None else None  # they take cases for independent
    if as_json:
        more = {"findings": findings, "rankings": rankings, "dominance": dominance}
        print_json(c.to_dict() | {key: None if facts is None else facts.to_dict() for key, facts in more.items()})
        return
    _show_differences(c)
    _say_methods(c)
    paired = f"The models were paired {c.pairing}{_hint(models)}." if c.paired else "Each model has cases of its own."
    say(f"\n{paired}")
    for reason, symbols in _undefined(c).items():
        say(f"\n{', '.join(symbols)} can't be compared: {reason}.")
    say(f"\n{c.verdict}" + ("" if rankings is None else f"\n\n{rankings.verdict}"))
    if dominance is not None:
        say("\nUnder which conditions each is best (PC: share of the highest cost that missed positives have):\n")
        show_table(dominance.to_table())
    if findings is not None:
        say_findings(findings)


def margins(texts: list[str] | None) -> Any:
    """What --margin says: one number for all measures, or {measure: number}."""
    if not texts:
        return None
    by_measure: dict[str, float] = {}
    for text in texts:
        name, equals, words = text.rpartition("=")
        try:
            value = float(words)
        except ValueError:
            raise InputError(f"--margin {text!r} is no number; write --margin .02 or --margin MCC=.02.") from None
        if not equals and len(texts) == 1:
            return value
        if not name.strip():
            raise InputError(f"--margin {text!r} is one of {len(texts)}, and names no measure; write --margin MCC=.02.")
        by_measure[name.strip()] = value
    return by_measure


def _groups(models: Reader) -> Any:
    """The groups of the first model, which are in its order; by row, the others must have the same."""
    by_model = [list(groups) for groups in models.groups.values()]
    if models.options["id_"] is None and any(groups != by_model[0] for groups in by_model):
        raise InputError("the files have different groups, row by row; give the cases in one order, or say --id.")
    return by_model[0] if by_model else None


def _hint(models: Reader) -> str:
    """Could they have been paired by id?"""
    if models.options["id_"] is not None or models.with_id_column < len(models.files):
        return ""
    has = "the file has" if len(models.files) == 1 else "the files have"
    return f"; {has} a column '{ID}': --id {ID} pairs by it"


def _show_differences(c: Comparison) -> None:
    if len(c.pairs) == 1:
        show_table(next(iter(c.pairs.values())).to_table())
        return
    to = "the best of each measure" if c.baseline is None else c.baseline
    say(f"Differences to {to}:\n")
    show_table(_against(c))
    for (a, b), pair in c.pairs.items():
        equal = [f"{symbol} {d.equal}" for symbol, d in pair.differences.items() if d.equal]
        if equal:
            say(f"\n{a} and {b}: {'; '.join(equal)}.")


def _say_methods(c: Comparison) -> None:
    """How p-values and intervals were made, what they were corrected for, and what is to be known about some."""
    from karat.comparisons.judgement import UNDEFINED

    made_by = "; ".join(f"{method}: {', '.join(keys)}" for method, keys in c.methods.items() if method != UNDEFINED)
    say(f"\n{c.corrections}" + (f" By {made_by}." if made_by else ""))
    reasons: dict[str, list[str]] = {}
    for (a, b), pair in c.pairs.items():
        of_pair = "" if len(c.pairs) == 1 else f" ({a}, {b})"
        for d in pair.differences.values():
            if d.reason and d.difference == d.difference:
                reasons.setdefault(d.reason, []).append(f"{d.measure}{of_pair}")
    for reason, keys in reasons.items():
        say(f"{listed(keys, MOST_NAMED)}: {reason}.")


def _against(c: Comparison) -> Table:
    """One row for each measure and model: by how much it differs from the baseline, or from the best."""
    from karat.core.table import Table
    from karat.core.words import PValue

    columns: dict[str, list[Any]] = {}
    for key in c.measure_keys:
        m, every = c.measure_of(key), c.values_of(key)
        values = {name: v for name, v in every.items() if v == v}
        if not values:
            continue
        to = c.baseline or max(values, key=lambda name: values[name] * m.orientation)
        for name in (to, *(name for name in c.models if name != to)):
            row: dict[str, Any] = {"measure": key, "model": name, "value": every[name]}
            if name == to:
                row |= dict.fromkeys(("difference", "low", "high", "p"), "")
                row["better"] = "(baseline)" if c.baseline else "(best)"
            else:
                d = c[name, to][key]
                row |= {"difference": d.difference, "low": d.low, "high": d.high, "p": PValue(d.adjusted)}
                row["better"] = d.better or ""
            for column, value in row.items():
                columns.setdefault(column, []).append(value)
    return Table(columns or {"measure": []})


def _undefined(c: Comparison) -> dict[str, list[str]]:
    """Reason to the measures that could not be compared because of it."""
    by_reason: dict[str, list[str]] = {}
    for m in c.measures:
        if m.symbol not in c.measure_keys:
            continue  # it was compared for each class
        if reason := next(filter(None, (e.undefined_because(m) for e in c.models.values())), ""):
            by_reason.setdefault(reason, []).append(m.symbol)
    return by_reason
