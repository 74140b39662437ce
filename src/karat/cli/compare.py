"""`karat compare`: which of several models wins."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from karat.cli.main import command
from karat.cli.options import (
    ID,
    AsJson,
    Level,
    Measures,
    Reader,
    Replicates,
    Seed,
    measure_names,
    own_measures,
    reading,
)
from karat.cli.output import print_json, say, say_findings, show_table, working

if TYPE_CHECKING:
    from karat.comparisons.model_comparison import Comparison
    from karat.core.table import Table


@command
@own_measures
@reading
def compare(
    models: Reader,
    measures: Measures = None,
    baseline: Annotated[str | None, typer.Option(help="Compare each model with this one only.")] = None,
    margin: Annotated[
        float | None, typer.Option(help="The smallest difference that matters: tests equivalence.")
    ] = None,
    level: Level = 0.95,
    replicates: Replicates = 1000,
    seed: Seed = 0,
    as_json: AsJson = False,
) -> None:
    """Which model wins, on which measures, by how much, how surely, and under which conditions."""
    from karat.comparisons.model_comparison import compare as comparison_of
    from karat.concordance.rankings import rankings_of

    evaluations = models.evaluations()
    with working("paired bootstrap"):
        which: dict[str, Any] = {"measures": measure_names(measures), "baseline": baseline, "margin": margin}
        c = comparison_of(evaluations, level=level, replicates=replicates, seed=seed, **which)
    first = next(iter(evaluations.values()))
    dominance = c.dominance() if len(first.classes) == 2 and first.positive is not None else None
    rankings = rankings_of(c.models, c.measures)
    if as_json:
        more = {"findings": c.findings(), "rankings": rankings, "dominance": dominance}
        print_json(c.to_dict() | {key: None if facts is None else facts.to_dict() for key, facts in more.items()})
        return
    _show_differences(c)
    say(f"\nThe models were paired {c.pairing}{_hint(models)}.")
    for reason, symbols in _undefined(c).items():
        say(f"\n{', '.join(symbols)} can't be compared: {reason}.")
    say(f"\n{c.verdict}" + ("" if rankings is None else f"\n\n{rankings.verdict}"))
    if dominance is not None:
        say("\nUnder which conditions each is best (PC: share of the highest cost that missed positives have):\n")
        show_table(dominance.to_table())
    say_findings(c.findings())


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
    say(f"Differences to {to}, {100 * c.level:g} % intervals; p-values are corrected for the number of pairs.\n")
    show_table(_against(c))
    for (a, b), pair in c.pairs.items():
        equal = [f"{symbol} {d.equal}" for symbol, d in pair.differences.items() if d.equal]
        if equal:
            say(f"\n{a} and {b}: {'; '.join(equal)}.")


def _against(c: Comparison) -> Table:
    """One row for each measure and model: by how much it differs from the baseline, or from the best."""
    from karat.core.table import Table
    from karat.core.words import PValue

    columns: dict[str, list[Any]] = {}
    for m in c.measures:
        values = {name: v for name, e in c.models.items() if (v := e.get(m)) == v}
        if not values:
            continue
        to = c.baseline or max(values, key=lambda name: values[name] * m.orientation)
        for name in (to, *(name for name in c.models if name != to)):
            row: dict[str, Any] = {"measure": m.symbol, "model": name, "value": c.models[name].get(m)}
            if name == to:
                row |= dict.fromkeys(("difference", "low", "high", "p"), "")
                row["better"] = "(baseline)" if c.baseline else "(best)"
            else:
                d = c[name, to][m.symbol]
                row |= {"difference": d.difference, "low": d.low, "high": d.high, "p": PValue(d.adjusted)}
                row["better"] = d.better or ""
            for key, value in row.items():
                columns.setdefault(key, []).append(value)
    return Table(columns or {"measure": []})


def _undefined(c: Comparison) -> dict[str, list[str]]:
    """Reason to the measures that could not be compared because of it."""
    by_reason: dict[str, list[str]] = {}
    for m in c.measures:
        if reason := next(filter(None, (e.undefined_because(m) for e in c.models.values())), ""):
            by_reason.setdefault(reason, []).append(m.symbol)
    return by_reason
