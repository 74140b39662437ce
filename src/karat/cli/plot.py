"""`karat plot`: every diagram of the catalogue from files, into a file."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from karat.cli.app import AsJson, app
from karat.cli.files import Reader, reading
from karat.cli.terminal import show


@app.command()
@reading
def plot(
    models: Reader,
    diagram: Annotated[str, typer.Argument(help="Name of the diagram; `karat diagrams` lists them.")],
    out: Annotated[
        Path | None, typer.Option("-o", "--out", help="Where to: .svg, .pdf or .png [default: NAME.svg]")
    ] = None,
    each_class: Annotated[bool, typer.Option("--each-class", help="Each class against the rest.")] = False,
    multiples: Annotated[bool, typer.Option("--multiples", help="Each class or model on axes of its own.")] = False,
    option: Annotated[
        list[str] | None, typer.Option("--set", help="An option of the diagram, as name=value; several can be set.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Draw a diagram of predictions (or, for figures of studies, of a table) into a file."""
    from karat.catalogue import diagrams
    from karat.core.errors import InputError

    chosen = diagrams[diagram]
    options = dict(_option(text) for text in option or [])
    if hasattr(chosen, "of_models"):
        made = _made(chosen, models.summaries(), each_class, options)
    else:
        from karat.data.sources import table_of

        if len(models.files) != 1:
            raise InputError(f"{chosen.name} is drawn from one table; {len(models.files)} files were given.")
        made = _from_table(chosen, table_of(models.files[0], models.how["format_"]), options)
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
    rows = [[d.name, " ".join(d.options()), d.shows] for d in declared.values()]
    show([["diagram", "options (--set)", "what it shows"], *rows])


def _made(chosen: Any, models: dict[str, Any], each_class: bool, options: dict[str, Any]) -> Any:
    from karat.core.errors import InputError

    if not each_class:
        return chosen.of_models(models, **options)
    if len(models) != 1:
        raise InputError(f"--each-class shows the classes of one model; {len(models)} were given: give one file.")
    return chosen.of_classes(next(iter(models.values())), **options)


def _from_table(chosen: Any, table: Mapping[str, Any], options: dict[str, Any]) -> Any:
    """A figure of a study from its table; ranks of models, if it is a long table of results."""
    from karat.core.errors import InputError

    if chosen.name == "critical_difference" and {"model", "dataset", "value"} <= set(table):
        from karat.comparisons.across import compare_across

        found = compare_across(table, **options).critical_difference
        ranks = dict(zip(found.names, found.average_ranks, strict=True))
        return chosen.of(ranks, found.cd, cliques=found.cliques, level=1 - found.level, datasets=found.n)
    unknown = [name for name in options if name not in chosen.options()]
    if unknown:
        raise InputError(f"{chosen.name} has no option {unknown[0]!r}; it has {', '.join(chosen.options())}.")
    return chosen.from_table(table, **options)


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
    from karat.core.errors import InputError

    if not out.parent.is_dir():
        raise InputError(f"there is no folder {str(out.parent)!r} to write {out.name} to; make it first.")
    try:
        import matplotlib as mpl

        mpl.use("Agg")
    except ImportError:
        pass  # plot() says what to install
    made.plot(**({"layout": "multiples"} if multiples and hasattr(made, "members") else {}))
    made.save(out)
    print(f"karat: {out}", file=sys.stderr)
