"""`karat evaluate`, `compare` and `advise`: what files of predictions are worth."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer

from karat.cli.app import AsJson, app
from karat.cli.files import Reader, reading
from karat.cli.terminal import in_options, say, show, working
from karat.core.words import arrow

Measures = Annotated[str | None, typer.Option(help="Measures by symbol or name, separated by commas; or `all`.")]
Level = Annotated[float, typer.Option(help="Level of the intervals.")]
Replicates = Annotated[int, typer.Option(help="Replicates of the bootstrap.")]
Seed = Annotated[int, typer.Option(help="Seed of the bootstrap.")]
MARK = "*"
"""Stands at an interval that there is something to know about."""


@app.command()
@reading
def evaluate(
    models: Reader,
    measures: Measures = None,
    intervals: Annotated[bool, typer.Option("--intervals", help="With an interval for each measure.")] = False,
    per_class: Annotated[bool, typer.Option("--per-class", help="Also each class against the rest.")] = False,
    level: Level = 0.95,
    replicates: Replicates = 1000,
    seed: Seed = 0,
    as_json: AsJson = False,
) -> None:
    """Every measure of predictions, with intervals on request, and what should be known about them."""
    chosen = named(measures)
    found: dict[str, Any] = {}
    for name, e in models.evaluations().items():
        facts = e.to_dict(chosen)
        if intervals:
            with working(f"intervals of {name}"):
                made = e.intervals(chosen, level=level, replicates=replicates, seed=seed)
            facts["intervals"] = made.to_dict()
        if per_class:
            facts["per_class"] = e.per_class().to_dict()
        facts["findings"] = e.findings().to_dict()
        found[name] = facts
        if not as_json:
            _tell(name, e, facts, chosen, per_class)
    if as_json:
        one = next(iter(found.values())) if len(found) == 1 else found
        print(json.dumps(one, indent=2, allow_nan=False))


@app.command()
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
    from karat.comparisons.model_comparison import compare as compared

    evaluations = models.evaluations()
    with working("paired bootstrap"):
        c = compared(
            evaluations,
            measures=named(measures),
            baseline=baseline,
            margin=margin,
            level=level,
            replicates=replicates,
            seed=seed,
        )
    two = next(iter(evaluations.values()))
    where = c.dominance() if len(two.classes) == 2 and two.positive is not None else None
    rankings = _rankings(c)
    if as_json:
        facts = c.to_dict() | {
            "findings": c.findings().to_dict(),
            "rankings": None if rankings is None else rankings.to_dict(),
            "dominance": None if where is None else where.to_dict(),
        }
        print(json.dumps(facts, indent=2, allow_nan=False))
        return
    if len(c.pairs) == 1:
        show_table(next(iter(c.pairs.values())).to_table())
    else:
        to = "the best of each measure" if c.baseline is None else c.baseline
        say(f"Differences to {to}, {100 * c.level:g} % intervals; p-values are corrected for the number of pairs.\n")
        show_table(_against(c))
        for (a, b), pair in c.pairs.items():
            equal = [f"{symbol} {d.equal}" for symbol, d in pair.differences.items() if d.equal]
            if equal:
                say(f"\n{a} and {b}: {'; '.join(equal)}.")
    for reason, symbols in _undefined(c).items():
        say(f"\n{', '.join(symbols)} can't be compared: {reason}.")
    say(f"\n{c.verdict}" + ("" if rankings is None else f"\n\n{rankings.verdict}"))
    if where is not None:
        say("\nUnder which conditions each is best (PC: share of the highest cost that missed positives have):\n")
        show_table(where.to_table())
    for finding in c.findings():
        say(f"\n{finding.severity}: {finding.title}. {finding.words}")


@app.command()
@reading
def advise(
    models: Reader,
    decision: Annotated[
        str | None, typer.Option(help="What it is for: classify, rank, probability, contact, ...")
    ] = None,
    costs: Annotated[bool | None, typer.Option(help="Are the costs of errors known?")] = None,
    as_json: AsJson = False,
) -> None:
    """Which measures and diagrams suit these predictions, with the reason and the source."""
    from karat.advice.advice import advise as advised

    found = {name: advised(e, decision=decision, costs=costs) for name, e in models.evaluations().items()}
    if as_json:
        facts = {name: advice.to_dict() for name, advice in found.items()}
        print(json.dumps(next(iter(facts.values())) if len(facts) == 1 else facts, indent=2, allow_nan=False))
        return
    for i, (name, advice) in enumerate(found.items()):
        task = advice.task
        about = [f"{task.classes} classes", task.outputs, *advice.circumstances]
        say(f"{chr(10) if i else ''}{name}: {'; '.join(about)}")
        for kind, rows in (("measure", advice.measures), ("diagram", advice.diagrams), ("rather not", advice.against)):
            if rows:
                say("")
                show([["to", kind, "because"], *([r.goal, r.name, f"{r.why} [{r.source}]"] for r in rows)])


def named(measures: str | None) -> list[str] | None:
    """The measures that an option names; None: those of the headline."""
    if measures is None:
        return None
    if measures == "all":
        from karat.catalogue import measures as declared

        return list(declared)
    found = [part.strip() for part in _split(measures) if part.strip()]
    if not found:
        from karat.core.errors import InputError

        raise InputError("--measures names none; write for example --measures 'MCC,macro(F1)', or leave it out.")
    return found


def _split(text: str) -> list[str]:
    """At commas that are not inside brackets: `macro(F1),MCC`."""
    parts, depth = [""], 0
    for character in text:
        depth += (character == "(") - (character == ")")
        if character == "," and not depth:
            parts.append("")
        else:
            parts[-1] += character
    return parts


def _tell(name: str, e: Any, facts: dict[str, Any], chosen: list[str] | None, per_class: bool) -> None:
    from karat.measures.lookup import measures_named

    classes = ", ".join(map(str, e.classes[:8])) + (", ..." if len(e.classes) > 8 else "")
    positive = f"; positive: {e.positive}" if e.positive is not None else ""
    weights = ", weighted" if facts["weighted"] else ""
    say(f"{name}: {e.n:,} cases{weights}{e.not_decided}, {len(e.classes)} classes ({classes}{positive})\n")
    intervals = facts.get("intervals", {})
    rows = []
    remarks: dict[str, list[str]] = {}
    methods: dict[str, list[str]] = {}
    for m in dict.fromkeys(measures_named(chosen)):
        value = facts["measures"][m.symbol]
        ends = intervals.get(m.symbol, {})
        between = _between(ends.get("low"), ends.get("high"))
        if ends.get("reason") and value is not None:
            between = f"{between or '-'}{MARK}"
            remarks.setdefault(in_options(ends["reason"]), []).append(m.symbol)
        if ends.get("method"):
            methods.setdefault(ends["method"], []).append(m.symbol)
        shown = "-" if value is None else f"{value:.4f}"
        said = in_options(facts["undefined"].get(m.symbol, "")) or m.question
        rows.append([m.symbol, arrow(m.orientation), shown, *([between] if intervals else []), said])
    head = ["measure", "", "value", *(["interval"] if intervals else []), "question, or why it is undefined"]
    show([head, *rows], right=2)
    if methods:
        level = next(iter(intervals.values()))["level"]
        made = "; ".join(f"{method}: {', '.join(symbols)}" for method, symbols in methods.items())
        say(f"\n{100 * level:g} % intervals by {made}.")
    for reason, symbols in remarks.items():
        say(f"{MARK} {', '.join(symbols)}: {reason}.")
    if per_class:
        say("")
        show_table(e.per_class())
    for finding in e.findings():
        say(f"\n{finding.severity}: {finding.title}. {finding.words}")
    say("")


def _between(low: float | None, high: float | None) -> str:
    """An interval; where only one end is finite the other is not."""
    if low is None and high is None:
        return ""
    return f"{'-∞' if low is None else f'{low:.4f}'} to {'∞' if high is None else f'{high:.4f}'}"


def _against(c: Any) -> Any:
    """One row for each measure and model: by how much it differs from the baseline, or from the best."""
    from karat.core.table import Table
    from karat.core.words import PValue

    columns: dict[str, list[Any]] = {}
    for m in c.measures:
        values = {name: e[m] for name, e in c.models.items() if e[m] == e[m]}
        if not values:
            continue
        to = c.baseline or max(values, key=lambda name: values[name] * m.orientation)
        for name in (to, *(name for name in c.models if name != to)):
            row: dict[str, Any] = {"measure": m.symbol, "model": name, "value": c.models[name][m]}
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


def _rankings(c: Any) -> Any:
    """Which measure would choose which model; None if no measure is finite for all of them."""
    from karat.core.errors import InputError

    try:
        return c.rankings()
    except InputError:
        return None


def _undefined(c: Any) -> dict[str, list[str]]:
    """Reason to the measures that could not be compared because of it."""
    found: dict[str, list[str]] = {}
    for m in c.measures:
        reason = next((why for why in (e.why(m) for e in c.models.values()) if why), "")
        if reason:
            found.setdefault(in_options(reason), []).append(m.symbol)
    return found


def show_table(table: Any) -> None:
    """A table on stdout."""
    from karat.core.table import shown

    numbers = [any(isinstance(v, int | float) for v in values) for values in table.columns.values()]
    show([list(table.columns), *([shown(v) for v in row] for row in table.rows)], numbers=numbers)
