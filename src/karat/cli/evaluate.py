"""`karat evaluate`: what files of predictions are worth."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from karat.cli.course_view import Every, show_courses
from karat.cli.group_view import GroupView
from karat.cli.large_files import LargeFiles, facts_of, part_by_part, words_of
from karat.cli.main import command
from karat.cli.measure_rows import (
    ValueColumn,
    best_first,
    between,
    by_sentence,
    heads_of,
    named,
    numbers_below,
    say_long_names,
    show_models,
    tables_of,
)
from karat.cli.options import (
    AsJson,
    By,
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
from karat.cli.output import (
    Form,
    form,
    print_json_by_model,
    say,
    say_findings,
    say_no_positive,
    show_fitting,
    show_table,
    steps,
)
from karat.core.errors import InputError
from karat.core.validation import checked_level
from karat.core.words import counted

if TYPE_CHECKING:
    from karat.accumulation import Accumulator
    from karat.evaluation import Evaluation
    from karat.intervals.interval import Intervals
    from karat.measures.display import MeasureRow

MOST_FINDINGS = 8
"""Of several models, that are named."""
MARK = "*"
"""Stands at an interval that there is something to know about."""

SOME_FINDINGS = "Findings that need the cases, such as copied rows, were not looked for"


@command
@own_measures
@part_by_part
@reading
def evaluate(
    models: Reader,
    large: LargeFiles,
    measures: Measures = None,
    intervals: Annotated[bool, typer.Option("--intervals", help="A confidence interval for each measure.")] = False,
    per_class: Annotated[bool, typer.Option("--per-class", help="Also precision, recall, ... of each class.")] = False,
    explain: Annotated[bool, typer.Option("--explain", help="The question that each measure answers.")] = False,
    all_: Annotated[bool, typer.Option("--all", help="All models, even those that do not fit side by side.")] = False,
    by: By = None,
    cross: Annotated[bool, typer.Option("--cross", help="Combinations of the columns of --by.")] = False,
    bins: Annotated[
        int | None, typer.Option(help="Numbers of --by are cut into so many quantile bins.  [default: 4]")
    ] = None,
    drop_missing: Annotated[
        bool, typer.Option("--drop-missing", help="Leave out cases without a group; they are a group otherwise.")
    ] = False,
    every: Every = None,
    figure: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Draw the course of --every: .svg, .pdf or .png."),
    ] = None,
    method: IntervalMethod = "auto",
    groups: Groups = None,
    stratified: Stratified = False,
    level: Level = 0.95,
    replicates: Replicates = 1000,
    seed: Seed = 0,
    as_json: AsJson = False,
) -> None:
    """Evaluate predictions: measures, intervals, findings.

    Accuracy, F1, ROC AUC, log loss, ..., as far as the predictions allow; --measures chooses others. Patterns
    (quoted), folders and files of more than 10 million rows are read part by part.

    Examples
    --------
    karat evaluate forest.csv --positive malignant
    karat evaluate forest.csv --positive malignant --intervals
    karat evaluate forest.csv boosting.csv --measures f1_macro,roc_auc,MCC
    karat evaluate forest.csv --measures papers --explain
    karat evaluate forest.csv --intervals --groups patient
    karat evaluate forest.csv --by site --by age
    karat evaluate forest.csv --by date --every week --figure course.svg
    karat evaluate forest.csv --positive malignant --as markdown
    karat evaluate 'preds/*.parquet' --where "site = 'north' and age > 60"
    """
    names = measure_names(measures)
    checked_level(level)  # also where no interval was asked for
    models.options |= {"groups": groups, "beside": by or ()}
    if by and groups:
        raise InputError(
            "--by takes cases to be independent, and --groups says that they are not; leave one of them out."
        )
    if every is not None:
        show_courses(models, large, by, every, names, {"level": level, "seed": seed}, as_json, figure)
        return
    if figure is not None:
        raise InputError("--figure draws a measure over time; add --by DATE --every week, or use `karat plot`.")
    if not by and (cross or bins is not None or drop_missing):
        raise InputError("--cross, --bins and --drop-missing are about groups; add --by.")
    if not intervals and (groups or stratified or method != "auto"):
        raise InputError("--method, --groups and --stratified are about intervals; add --intervals.")
    read = large.accumulators(models)
    evaluations = {name: a.evaluation() for name, a in read.items()} or models.evaluations()
    for e in evaluations.values() if measures != "all" else ():
        e.values(names)  # whatever fails does so before anything is printed
    asked: dict[str, Any] = {"level": level, "replicates": replicates, "seed": seed, "method": method}
    asked["stratified"] = stratified
    ends = _intervals(models, evaluations, names, asked) if intervals else {}
    view = GroupView(names, intervals, all_, level, seed)
    which = {"cross": cross, "bins": bins, "missing": "drop" if drop_missing else "group"}
    grouped = {model: view.of(e, **which) for model, e in evaluations.items()} if by else {}
    if as_json:
        facts = {model: _facts(e, names, ends.get(model), per_class) for model, e in evaluations.items()}
        facts = {model: f | ({"by": grouped[model].facts()} if by else {}) for model, f in facts.items()}
        print_json_by_model({model: f | (facts_of(read[model]) if read else {}) for model, f in facts.items()})
    elif len(evaluations) == 1 or ends or explain:
        for model, e in evaluations.items():
            _show_one(model, e, ends.get(model), names, explain, read.get(model))
            if model in grouped:
                grouped[model].show(f"{model}: " * (len(evaluations) > 1))
            _show_more({model: e}, per_class)
    else:
        _show_several(evaluations, names, all_)
        for model, a in read.items():
            say(f"{model}: {words_of(a, evaluations[model].statistics.source.added)}")
        for model, of_model in grouped.items():
            of_model.show(f"{model}: ")
        _show_more(evaluations, per_class)


def _intervals(
    models: Reader, evaluations: Mapping[str, Evaluation], names: list[str] | None, asked: dict[str, Any]
) -> dict[str, Intervals]:
    from karat.intervals.interval import intervals
    from karat.measures.lookup import measures_named

    ends = {}
    with steps(len(evaluations)) as step:
        for model, e in evaluations.items():
            step(f"intervals of {model}")
            chosen = measures_named(names, e.statistics)
            ends[model] = intervals(e.statistics, chosen, groups=models.groups.get(model), **asked)
    return ends


def _facts(e: Evaluation, names: list[str] | None, ends: Intervals | None, per_class: bool) -> dict[str, Any]:
    facts = e.to_dict(names)
    if ends is not None:
        facts["intervals"] = ends.to_dict()
    if per_class:
        facts["per_class"] = e.per_class().to_dict()
    return facts | {"findings": e.findings().to_dict()}


def _show_more(evaluations: Mapping[str, Evaluation], per_class: bool) -> None:
    """Each class, and findings; with the name of the model, if there are several."""
    alone = len(evaluations) == 1
    say_no_positive(evaluations)
    for model, e in evaluations.items() if per_class else ():
        say("" if alone else f"\n{model}:")
        show_table(of_classes(e))
    if alone:
        say_findings(next(iter(evaluations.values())).findings())
    else:
        _say_findings_in_short(evaluations)
    added = [e.statistics.source.added for e in evaluations.values()]
    if any(a is not None for a in added):
        say(f"\n{SOME_FINDINGS}{'' if any(a is not None and a.top for a in added) else '; --exact keeps the rows'}.")
    say("")


def _say_findings_in_short(evaluations: Mapping[str, Evaluation]) -> None:
    """The titles of what was found about several models, without notes."""
    findings = [(model, f) for model, e in evaluations.items() for f in e.findings() if f.severity != "note"]
    if not findings:
        return
    say("")
    for model, finding in findings[:MOST_FINDINGS]:
        say(f"{model}: {finding.severity}: {finding.title}.")
    more = len(findings) - MOST_FINDINGS
    others = f"{counted(more, 'more finding')}: " if more > 0 else ""
    say(f"{others}`karat evaluate` of one model explains its findings.")


def of_classes(e: Evaluation) -> Any:
    """One row for each class; measures by their titles."""
    from karat.catalogue import measures
    from karat.core.table import Table

    columns = e.per_class().columns
    return Table({measures[name].title if name in measures else name: v for name, v in columns.items()})


# ------------------------------------------------------------------------------------------------- one model


def _show_one(
    model: str,
    e: Evaluation,
    ends: Intervals | None,
    names: list[str] | None,
    explain: bool,
    read: Accumulator | None = None,
) -> None:
    """A row for each measure of one model; then why some have no value, and what to know about others."""
    from karat.measures.display import DAGGER, interval_beside, measure_rows
    from karat.measures.lookup import measures_named

    files = "" if read is None else f"{words_of(read, e.statistics.source.added)}\n"
    say(f"{model}: {e.subject()}\n{files}")
    asked = measures_named(names, e.statistics)
    facts = e.to_dict(asked)
    remarks = facts["conventions"] | facts["notes"] | _wide_bounds(facts)
    rows = measure_rows(asked, [e.statistics], interval_beside(ends))
    marks = [DAGGER if row.symbol in remarks else "" for row in rows]
    values = [e.value_or_nan(row.measure) for row in rows]
    columns = [ValueColumn("value", numbers_below(values, marks))]
    if ends is not None:
        columns = _with_intervals(rows, ends, marks)
    questions = [ValueColumn("question", [row.measure.question for row in rows], number=False)]
    if explain:
        show_fitting([next(tables_of(rows, [*columns, *questions]))])
    else:  # the questions too, where there is room for them in the terminal
        show_fitting(tables_of(rows, [*columns, *(questions if form() is Form.TABLE else [])], fewer=columns))
    shown = {row.symbol for row in rows}
    for title, sentence in by_sentence(rows, {s: why for s, why in facts["undefined"].items() if s in shown}):
        say(f"- {title}: {sentence}.")
    for title, sentence in by_sentence(rows, {s: why for s, why in remarks.items() if s in shown}):
        say(f"{DAGGER} {title}: {sentence}.")
    if ends is not None:
        _say_methods(rows, ends)


def _wide_bounds(facts: Mapping[str, Any]) -> dict[str, str]:
    """Symbol to sentence, of the measures that are not known to the digits that are shown."""
    from karat.core.table import shown

    return {
        symbol: f"it certainly lies in {between(low, low, high)[1]}; --exact gives the value"
        for symbol, (low, high) in facts.get("bounds", {}).items()
        if symbol not in facts["undefined"] and shown(low) != shown(high)
    }


def _with_intervals(rows: list[MeasureRow], ends: Intervals, marks: list[str]) -> list[ValueColumn]:
    from karat.core.table import aligned

    intervals = [ends[row.symbol] for row in rows]
    texts = [between(i.value, i.low, i.high) for i in intervals]
    level = f"{100 * intervals[0].level:g} % interval" if intervals else "interval"
    doubts = [MARK if i.reason and isfinite(i.value) else "" for i in intervals]
    values = [f"{text}{mark}" for text, mark in zip(aligned([value for value, _ in texts]), marks, strict=True)]
    spans = [f"{span or '-' * bool(doubt)}{doubt}" for (_, span), doubt in zip(texts, doubts, strict=True)]
    return [ValueColumn("value", values), ValueColumn(level, spans, number=False)]


def _say_methods(rows: list[MeasureRow], ends: Intervals) -> None:
    """How the intervals were made, and what is to be known about some."""
    methods: dict[str, list[str]] = {}
    for row in rows:
        if ends[row.symbol].method:
            methods.setdefault(ends[row.symbol].method, []).append(row.symbol)
    if methods:
        *others, usual = sorted(methods, key=lambda method: len(methods[method]))
        made_by = [f"{method} for {named(rows, methods[method])}" for method in others]
        made_by.append(f"{usual} for {'the others' if others else 'all'}")
        say(f"\nMethods of the intervals: {', '.join(made_by)}.")
    doubtful = {row.symbol: ends[row.symbol] for row in rows}
    reasons = {symbol: i.reason for symbol, i in doubtful.items() if i.reason and isfinite(i.value)}
    for title, reason in by_sentence(rows, reasons):
        say(f"{MARK} {title}: {reason}.")


# ------------------------------------------------------------------------------------------------- several models


def _show_several(evaluations: Mapping[str, Evaluation], names: list[str] | None, everything: bool) -> None:
    """Models as columns; of many the best that fit."""
    from karat.measures.display import measure_rows
    from karat.measures.lookup import measures_named

    first = next(iter(evaluations.values()))
    subjects = {model: e.subject() for model, e in evaluations.items()}
    if len(set(subjects.values())) == 1:
        say(f"{len(evaluations)} models, {first.subject()}\n")
    else:
        say("\n".join(f"{model}: {subject}" for model, subject in subjects.items()) + "\n")
    chosen = dict.fromkeys(m for e in evaluations.values() for m in measures_named(names, e.statistics))
    rows = measure_rows(chosen, [e.statistics for e in evaluations.values()])
    values = {model: {row.symbol: e.value_or_nan(row.measure) for row in rows} for model, e in evaluations.items()}
    marks = best_marks(rows, values)

    heads = heads_of(evaluations)

    def column(model: str) -> ValueColumn:
        return ValueColumn(heads[model], numbers_below(values[model].values(), marks[model].values()), model=True)

    order = best_first(values, {row.symbol: row.measure.orientation for row in rows})
    best = show_models(rows, evaluations, order, column, everything=everything)
    say(f"\n{MARK} the best value of the row")
    say_long_names({model: heads[model] for model in best})
    if len(best) < len(evaluations):
        say(more_models(len(best), len(evaluations)))
    reasons = {
        row.symbol: why for row in rows for e in evaluations.values() if (why := e.undefined_because(row.measure))
    }
    for title, sentence in by_sentence(rows, reasons):
        say(f"- {title}: {sentence}.")


def more_models(shown: int, models: int) -> str:
    """That not all models are shown, and how to see them."""
    return f"The best {shown} of {counted(models, 'model')}; --all shows all of them, --json has every number."


def best_marks(rows: list[MeasureRow], values: Mapping[str, Mapping[str, float]]) -> dict[str, dict[str, str]]:
    """Model to measure to the mark of the best value, if so."""
    from karat.core.arithmetic import TOLERANCE

    marks: dict[str, dict[str, str]] = {model: {} for model in values}
    for row in rows:
        way = row.measure.orientation
        best = max((v[row.symbol] * way for v in values.values() if isfinite(v[row.symbol])), default=0.0) - TOLERANCE
        for model, of_model in values.items():
            marks[model][row.symbol] = MARK if way and of_model[row.symbol] * way >= best else ""
    return marks
