"""`karat compare`: which of several models is best."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from karat.cli.large_files import LargeFiles, facts_of, part_by_part, words_of
from karat.cli.main import command
from karat.cli.options import (
    ID,
    AsJson,
    By,
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
from karat.cli.output import Form, form, print_json, say, show_table, working
from karat.core.errors import InputError

if TYPE_CHECKING:
    from karat.comparisons.model_comparison import Comparison
    from karat.core.table import Table


@command
@own_measures
@part_by_part
@reading
def compare(
    models: Reader,
    large: LargeFiles,
    measures: Measures = None,
    baseline: Annotated[
        str | None, typer.Option(metavar="MODEL", help="Compare each model with this one only, instead of every pair.")
    ] = None,
    details: Annotated[
        bool,
        typer.Option("--details", help="Also tests, operating conditions, what each measure would choose, findings."),
    ] = False,
    pairs: Annotated[
        bool, typer.Option("--pairs", help="Also every pair of models: differences, intervals and p-values.")
    ] = False,
    all_: Annotated[bool, typer.Option("--all", help="All models, even those that do not fit side by side.")] = False,
    margin: Annotated[
        list[str] | None,
        typer.Option(
            metavar="[MEASURE=]NUMBER",
            help="Smallest difference that matters, 0.02 or MCC=0.02: tests equivalence and non-inferiority.",
        ),
    ] = None,
    alternative: Annotated[
        str,
        typer.Option(help="Alternative hypothesis: two-sided, or the first model is greater, less, better or worse."),
    ] = "two-sided",
    classes: Annotated[
        bool, typer.Option("--classes", help="Compare precision, recall, F1, ... of every class.")
    ] = False,
    method: Annotated[
        str,
        typer.Option(help="Method of p-values and intervals: auto, jackknife, exchange, percentile, basic or bca."),
    ] = "auto",
    test: Annotated[
        str, typer.Option(help="An alias of --method: auto, bootstrap (percentile) or permutation (exchange).")
    ] = "auto",
    among: Annotated[
        int | None,
        typer.Option(metavar="N", help="Number of models that these were chosen from: p-values are corrected for it."),
    ] = None,
    unpaired: Annotated[bool, typer.Option("--unpaired", help="The models were evaluated on different cases.")] = False,
    by: By = None,
    groups: Groups = None,
    stratified: Stratified = False,
    level: Level = 0.95,
    replicates: Replicates = 1000,
    seed: Seed = 0,
    as_json: AsJson = False,
) -> None:
    """Compare models: which is best, and is it significant?

    The verdict first; then one row for each measure, the best model marked, and which others differ significantly.

    Examples
    --------
    karat compare forest.csv boosting.csv --positive malignant
    karat compare forest.csv boosting.csv bayes.csv --baseline bayes
    karat compare forest.csv boosting.csv --id id --groups patient --measures MCC,roc_auc
    karat compare forest.csv boosting.csv --margin MCC=0.02 --measures MCC
    karat compare forest.csv boosting.csv bayes.csv --details --pairs
    karat compare forest.csv boosting.csv --as markdown
    karat compare forest.csv boosting.csv --by site --measures MCC,roc_auc
    """
    from karat.comparisons.model_comparison import compare as comparison_of

    if unpaired and (groups or models.options["id_"]):
        raise InputError("--unpaired is for models with different cases; leave out --groups and --id.")
    if by and (unpaired or groups):
        raise InputError("--by compares models on the cases of each group; leave out --unpaired and --groups.")
    models.options |= {"groups": groups, "beside": by or ()}
    read = large.accumulators(models, paired=True)
    evaluations = {name: a.evaluation() for name, a in read.items()} or models.evaluations()
    if not unpaired:
        models.refuse_other_rows()
    which: dict[str, Any] = {"measures": measure_names(measures), "baseline": baseline, "margin": margins(margin)}
    which |= {"alternative": alternative, "classes": "all" if classes else None, "method": method, "test": test}
    which |= {"groups": None if read else models.common_groups(), "stratified": stratified, "paired": not unpaired}
    which |= {"among": among}
    with working(f"comparison of {len(evaluations)} models"):
        c = comparison_of(evaluations, level=level, replicates=replicates, seed=seed, **which)
    within = None
    if by:
        asked = {key: which[key] for key in ("baseline", "alternative", "method", "stratified")}
        asked |= {"level": level, "replicates": replicates, "seed": seed}
        within = _within_groups(models, evaluations, which["measures"], asked)
    if as_json:
        more: dict[str, Any] = {} if within is None else {"by": within.to_dict()}
        if read:
            more["read"] = {name: facts_of(a) for name, a in read.items()}
        print_json(_facts(c, groups is not None) | more)
        return
    from karat.cli.comparison_view import View, show_comparison

    show_comparison(View(c, measures is not None, groups is not None, _hint(models), all_, details, pairs))
    if within is not None:
        _show_groups(within, c)
    for name, a in read.items():
        say(f"{name}: {a.rows:,} rows, {words_of(a, evaluations[name].statistics.source.added)}")


def _show_groups(within: Table, c: Comparison) -> None:
    """Differences within groups: one table as text for other programs, one for each measure for people."""
    from karat.comparisons.grouped_comparison import tables_by_measure

    two = f"{' minus '.join(c.models)}; " if len(c.models) == 2 else ""
    say(f"\n{within.title} ({two}p-values: Holm's over all rows)")
    if form() is not Form.TABLE:
        show_table(within)
        return
    for table in tables_by_measure(within):
        say(f"\n{table.title}")
        show_table(table)
    for note in within.notes:
        say(note)


def _within_groups(models: Reader, evaluations: Any, measures: list[str] | None, asked: dict[str, Any]) -> Table:
    """Differences of the models in each group: of the measures that were named, or of those of the verdict."""
    from karat.comparisons.difference import ASPECTS, ASPECTS_OF_POSITIVE
    from karat.comparisons.grouped_comparison import compare_by_group
    from karat.groups import group_columns
    from karat.measures.lookup import find

    first = next(iter(evaluations.values()))
    aspects = ASPECTS_OF_POSITIVE if first.positive is not None and len(first.classes) == 2 else ASPECTS
    usual = [s for s in aspects.values() if not first.statistics.lacks(find(s).statistic)]
    columns = group_columns(models.common_columns(), first.n)
    with working("comparison within groups"):
        return compare_by_group(evaluations, columns, usual if measures is None else measures, **asked)


def _facts(c: Comparison, grouped: bool) -> dict[str, Any]:
    """Everything, as plain data."""
    from karat.cli.comparison_view import View

    view = View(c, grouped=grouped)
    more = {"findings": view.findings, "rankings": view.rankings, "dominance": view.dominance}
    return c.to_dict() | {key: None if facts is None else facts.to_dict() for key, facts in more.items()}


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
            raise InputError(f"--margin {text!r} is not a number; write --margin 0.02 or --margin MCC=0.02.") from None
        if not equals and len(texts) == 1:
            return value
        if not name.strip():
            raise InputError(f"--margin {text!r} is one of {len(texts)} and names no measure; write --margin MCC=0.02.")
        by_measure[name.strip()] = value
    return by_measure


def _hint(models: Reader) -> str:
    """Could they have been paired by id?"""
    if models.options["id_"] is not None or models.with_id_column < len(models.files):
        return ""
    return f" (--id {ID}: by the column '{ID}')"
