"""`karat plot`: every diagram of the catalogue from files, into a file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from karat.cli import files
from karat.cli.app import AsJson, app
from karat.cli.terminal import show


@app.command()
def plot(
    diagram: Annotated[str, typer.Argument(help="Name of the diagram; `karat diagrams` lists them.")],
    predictions: files.Files,
    out: Annotated[
        Path | None, typer.Option("-o", "--out", help="Where to: .svg, .pdf or .png [default: NAME.svg].")
    ] = None,
    each_class: Annotated[bool, typer.Option(help="Each class against the rest.")] = False,
    multiples: Annotated[bool, typer.Option(help="Each class or model on axes of its own.")] = False,
    option: Annotated[
        list[str] | None, typer.Option("--set", help="An option of the diagram, as name=value; several can be set.")
    ] = None,
    truth: files.Truth = "y_true",
    proba: files.Proba = "p_",
    score: files.Score = None,
    pred: files.Pred = None,
    weight: files.Weight = None,
    model_column: files.ModelColumn = None,
    positive: files.Positive = None,
    labels: files.Labels = None,
    normalise: files.Normalise = False,
    kind: files.Format = None,
    as_json: AsJson = False,
) -> None:
    """Draw a diagram of predictions (or, for figures of studies, of a table) into a file."""
    from karat.catalogue import diagrams
    from karat.core.errors import InputError

    chosen = diagrams[diagram]
    options = dict(_option(text) for text in option or [])
    if hasattr(chosen, "of_models"):
        models = files.summaries(
            predictions, truth=truth, proba=proba, score=score, pred=pred, weight=weight, model_column=model_column,
            positive=positive, labels=labels, normalise=normalise, kind=kind,
        )  # fmt: skip
        made = _made(chosen, models, each_class, options)
    else:
        from karat.data.sources import table_of

        if len(predictions) != 1:
            raise InputError(f"{chosen.name} is drawn from one table; {len(predictions)} files were given.")
        made = chosen.from_table(table_of(predictions[0], kind), **options)
    if as_json:
        print(json.dumps(made.to_dict(), allow_nan=False))
        if out is None:
            return
    _save(made, out or Path(f"{chosen.name}.svg"), multiples)


@app.command()
def diagrams(as_json: AsJson = False) -> None:
    """List every diagram and what it shows."""
    from karat.catalogue import diagrams as declared

    if as_json:
        facts = [
            {"name": d.name, "aliases": list(d.aliases), "shows": d.shows, "options": d.options(), "cite": d.cite}
            for d in declared.values()
        ]
        print(json.dumps(facts, indent=2))
        return
    show(
        [
            ["diagram", "options", "what it shows"],
            *([d.name, " ".join(d.options()), d.shows] for d in declared.values()),
        ]
    )


def _made(chosen: Any, models: dict[str, Any], each_class: bool, options: dict[str, Any]) -> Any:
    from karat.core.errors import InputError

    if not each_class:
        return chosen.of_models(models, **options)
    if len(models) != 1:
        raise InputError(f"--each-class shows the classes of one model; {len(models)} were given: give one file.")
    return chosen.of_classes(next(iter(models.values())), **options)


def _option(text: str) -> tuple[str, Any]:
    from karat.core.errors import InputError

    name, equals, value = text.partition("=")
    if not equals or not name:
        raise InputError(f"--set {text!r} is not name=value; write for example --set bins=20.")
    try:
        return name, json.loads(value)
    except json.JSONDecodeError:
        return name, value.split(",") if "," in value else value


def _save(made: Any, out: Path, multiples: bool) -> None:
    import sys

    try:
        import matplotlib

        matplotlib.use("Agg")
    except ImportError:
        pass  # plot() says what to install
    made.plot(**({"layout": "multiples"} if multiples and hasattr(made, "members") else {}))
    made.save(out)
    print(f"karat: {out}", file=sys.stderr)
