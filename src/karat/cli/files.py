"""Options of all commands that read predictions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from karat.statistics import Summary

Files = Annotated[list[str], typer.Argument(help="Predictions: CSV, Parquet, Arrow, JSON lines or .npz; - is stdin.")]
Truth = Annotated[str, typer.Option(help="Column of the true labels.")]
Proba = Annotated[str, typer.Option(help="What the names of the columns of probabilities begin with.")]
Score = Annotated[str | None, typer.Option(help="Column of scores for two classes [default: score, if there].")]
Pred = Annotated[str | None, typer.Option(help="Column of decisions [default: y_pred, if there].")]
Weight = Annotated[str | None, typer.Option(help="Column of weights [default: weight, if there].")]
ModelColumn = Annotated[str | None, typer.Option(help="Column that names the model [default: model, if there].")]
Positive = Annotated[str | None, typer.Option(help="The positive class of two-class measures and diagrams.")]
Labels = Annotated[str | None, typer.Option(help="All classes in their order, separated by commas.")]
Normalise = Annotated[bool, typer.Option(help="Divide each row of probabilities by its sum.")]
Format = Annotated[
    str | None,
    typer.Option("--format", help="csv, tsv, parquet, arrow, jsonl or npz, if the file's name does not say."),
]


def summaries(
    files: list[str],
    *,
    truth: str,
    proba: str,
    score: str | None,
    pred: str | None,
    weight: str | None,
    model_column: str | None,
    positive: str | None,
    labels: str | None,
    normalise: bool,
    kind: str | None,
) -> dict[str, Summary]:
    """Model to its statistics, of all files; equal names get the number of their file."""
    from karat.data.sources import Names, read
    from karat.statistics import Summary

    names = Names(truth, proba, score, pred, weight, model_column)
    classes = [c.strip() for c in labels.split(",")] if labels else None
    found: dict[str, Summary] = {}
    for i, file in enumerate(files, 1):
        for model, source in read(
            file, names, kind=kind, positive=positive, labels=classes, normalise=normalise
        ).items():
            found[f"{model} ({i})" if model in found else model] = Summary(source)
    return found
