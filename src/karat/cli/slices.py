"""`karat slices`: for which cases a model is worse than for the others."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING, Annotated, Any

import typer

from karat.cli.main import command
from karat.cli.options import AsJson, Level, Reader, Seed, reading
from karat.cli.output import print_json_by_model, say, show_table, working
from karat.core.errors import InputError

if TYPE_CHECKING:
    from karat.slices import WeakSlices

LOSSES = ("error", "log_loss", "brier_score")


@command
@reading
def slices(
    models: Reader,
    attributes: Annotated[
        str, typer.Option(metavar="COLUMN,...", help="Columns of attributes to search, separated by commas.")
    ],
    loss: Annotated[
        str, typer.Option(help="error, log_loss, brier_score, or a column with the cost of each case.")
    ] = "error",
    depth: Annotated[int, typer.Option(help="How many attributes a slice may combine: 1, 2 or 3.")] = 3,
    bins: Annotated[int, typer.Option(help="Numbers are cut into so many quantile bins.")] = 10,
    smallest: Annotated[float, typer.Option(help="Smallest share of the cases that is a slice.")] = 0.01,
    level: Level = 0.95,
    seed: Seed = 0,
    as_json: AsJson = False,
) -> None:
    """Find weak slices: cases with a significantly higher loss.

    Conditions on up to three attributes are searched on half of the cases, and valued on the other half. Where no slice
    is weak, nothing is reported with a chance of 95 %.

    Examples
    --------
    karat slices forest.csv --attributes age,site
    karat slices forest.csv --attributes age,site --loss log_loss --depth 2
    karat slices forest.csv --attributes age,site --loss euros
    """
    from karat.slices import weak_slices

    names = [name.strip() for name in next(csv.reader([attributes], skipinitialspace=True), []) if name.strip()]
    if not names:
        raise InputError("--attributes names no column; write for example --attributes age,site.")
    of_cost = [] if loss in LOSSES or _is_measure(loss) else [loss]
    models.options["beside"] = list(dict.fromkeys([*names, *of_cost]))
    evaluations = models.evaluations()
    found: dict[str, WeakSlices] = {}
    asked: dict[str, Any] = {"depth": depth, "bins": bins, "smallest": smallest, "level": level, "seed": seed}
    with working(f"search of {len(names)} attributes"):
        for model, e in evaluations.items():
            columns = models.beside[model]
            cost = columns[loss] if of_cost else loss
            found[model] = weak_slices(e, {name: columns[name] for name in names}, loss=cost, **asked)
    if as_json:
        print_json_by_model({model: result.to_dict() for model, result in found.items()})
        return
    for model, result in found.items():
        _show(model, result)


def _show(model: str, result: WeakSlices) -> None:
    say(f"{model}: {result.verdict}\n")
    for one in result:
        say(f"{one}.")
    if len(result):
        say("")
        show_table(result.to_table())
        say("")


def _is_measure(name: str) -> bool:
    from karat.catalogue import measures

    return name in measures
