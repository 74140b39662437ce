"""Commands that read predictions share the arguments and options that say where and what they are."""

from __future__ import annotations

import csv
import inspect
from collections import Counter
from collections.abc import Callable, Iterable
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from karat.statistics import Summary

ARGUMENT = Annotated[
    list[str],
    typer.Argument(
        metavar="PREDICTIONS",
        help="Files with a column y_true and columns p_<class>, a score or y_pred; or confusion matrices. CSV, TSV, "
        "Parquet, Arrow, JSON lines or .npz; - is stdin.",
    ),
]
OPTIONS: dict[str, tuple[Any, Any]] = {
    "truth": (Annotated[str, typer.Option(help="Column of the true labels.")], "y_true"),
    "proba": (Annotated[str, typer.Option(help="What the names of the probability columns begin with.")], "p_"),
    "score": (Annotated[str | None, typer.Option(help="Column of scores, for two classes.  [default: score]")], None),
    "pred": (Annotated[str | None, typer.Option(help="Column of decisions.  [default: y_pred]")], None),
    "weight": (Annotated[str | None, typer.Option(help="Column of weights.  [default: weight]")], None),
    "model_column": (
        Annotated[str | None, typer.Option(help="Column that names the model of each row.  [default: model]")],
        None,
    ),
    "positive": (
        Annotated[str | None, typer.Option(help="The positive class, for measures and diagrams of one.")],
        None,
    ),
    "labels": (
        Annotated[str | None, typer.Option(help="All classes in their order, separated by commas (quoted if needed).")],
        None,
    ),
    "reject": (Annotated[str | None, typer.Option(help="The decision that stands for no decision.")], None),
    "normalise": (
        Annotated[bool, typer.Option("--normalise", help="Divide each row of probabilities by its sum.")],
        False,
    ),
    "format_": (
        Annotated[
            str | None,
            typer.Option("--format", help="csv, tsv, parquet, arrow, jsonl or npz, if the name does not say."),
        ],
        None,
    ),
}


def reading(function: Callable[..., None]) -> Callable[..., None]:
    """A command whose first parameter `models` is made from files: it gets the files as an argument, and all options
    that say how to read them."""
    own = list(inspect.signature(function, eval_str=True).parameters.values())
    before = [p for p in own if isinstance(getattr(p.annotation, "__metadata__", (None,))[0], _argument_kind())]
    after = [p for p in own if p not in before and p.name != "models"]
    keyword = inspect.Parameter.KEYWORD_ONLY
    shared = [inspect.Parameter(n, keyword, annotation=a, default=d) for n, (a, d) in OPTIONS.items()]
    files = inspect.Parameter("predictions", keyword, annotation=ARGUMENT)
    parameters = [p.replace(kind=keyword) for p in before] + [files, *(p.replace(kind=keyword) for p in after), *shared]

    @wraps(function)
    def command(**said: Any) -> None:
        how = {name: said.pop(name) for name in OPTIONS}
        predictions = said.pop("predictions")
        function(models=Reader(predictions, how), **said)

    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {p.name: p.annotation for p in parameters}
    return command


def _argument_kind() -> type:
    return type(typer.Argument())


class Reader:
    """Files that were named, and how to read them."""

    def __init__(self, files: list[str], how: dict[str, Any]) -> None:
        self.files, self.how = files, how

    def summaries(self) -> dict[str, Summary]:
        """Model to its statistics, of all files; equal names get the folder of their file, or a number."""
        from karat.core.errors import InputError
        from karat.data.prediction_files import Names, read
        from karat.statistics import Summary

        how = self.how
        names = Names(how["truth"], how["proba"], how["score"], how["pred"], how["weight"], how["model_column"])
        options = {name: how[name] for name in ("positive", "reject", "normalise")} | {"labels": _listed(how["labels"])}
        if self.files.count("-") > 1:
            raise InputError("stdin (-) was given more than once, and can be read once; give each file once.")
        read_files = [(file, read(file, names, file_format=how["format_"], **options)) for file in self.files]
        taken = Counter(model for _, models in read_files for model in models)
        found: dict[str, Summary] = {}
        for file, models in read_files:
            for model, source in models.items():
                found[_called(model, file, found) if taken[model] > 1 else model] = Summary(source)
        return found

    def evaluations(self) -> dict[str, Any]:
        """Model to its evaluation."""
        from karat.evaluation import Evaluation

        return {name: Evaluation(summary.source) for name, summary in self.summaries().items()}


def _listed(text: str | None) -> list[str] | None:
    """Labels that commas separate; one that has a comma itself is quoted, as in CSV."""
    return next(csv.reader([text], skipinitialspace=True)) if text else None


def _called(model: str, file: str, taken: Iterable[str]) -> str:
    """A model whose name another file has, too."""
    folder = Path(file).resolve().parent.name if file != "-" else ""
    names = [f"{folder}/{model}" if folder else model, *(f"{model} ({i})" for i in range(2, 2 + len(list(taken))))]
    return next((name for name in names if name not in taken), f"{model} ({len(list(taken)) + 2})")
