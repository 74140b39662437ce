"""`karat plot`: every diagram of the catalogue from files, into a file."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from karat.cli.app import AsJson, app
from karat.cli.files import OPTIONS, Reader, reading
from karat.cli.tables import results_of
from karat.cli.terminal import show
from karat.core.errors import InputError


def _names(incomplete: str) -> list[str]:
    """For the shell to complete."""
    from karat.catalogue import diagrams

    return [name for name in diagrams if name.startswith(incomplete)]


@app.command()
@reading
def plot(
    models: Reader,
    diagram: Annotated[
        str, typer.Argument(metavar="DIAGRAM", help="Its name; `karat diagrams` lists them.", autocompletion=_names)
    ],
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

    chosen: Any = diagrams[diagram]
    options = dict(typed_option(text) for text in option or [])
    if chosen.made_from != "table":
        made = _made(chosen, models.summaries(), each_class, options)
    else:
        if len(models.files) != 1:
            raise InputError(f"{chosen.name} is drawn from one table; {len(models.files)} files were given.")
        table = results_of(models.files[0], chosen.name, _taken(chosen), models.how)
        made = _from_table(chosen, table, options)
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
    known = [*chosen.options(), *(["averages"] if each_class and chosen.averages else [])]
    _check(chosen, options, known)
    if not each_class:
        return _told(chosen, options, lambda: chosen.of_models(models, **options))
    if not (chosen.made_from == "predictions" and chosen.two_classes):
        raise InputError(f"{chosen.name} does not show one class against the rest; leave --each-class out.")
    if len(models) != 1:
        raise InputError(f"--each-class shows the classes of one model; {len(models)} were given: give one.")
    return _told(chosen, options, lambda: chosen.of_classes(next(iter(models.values())), **options))


def _check(chosen: Any, options: Mapping[str, Any], known: Iterable[str]) -> None:
    """Options of the drawing; how predictions are read is said by options of the command."""
    for name in options:
        if name not in known:
            said = f"; say --{name}" if name in OPTIONS else ""
            raise InputError(f"{chosen.name} has no option {name!r}{said}; it has {', '.join(known) or 'none'}.")


RANKED = (
    "a table with the columns model, dataset and value, or with model and rank and --set critical_difference=NUMBER"
)


def _taken(chosen: Any) -> str:
    """Which table a figure of a study is drawn from."""
    if chosen.name == "critical_difference":
        return RANKED
    return str(chosen.columns)


def _from_table(chosen: Any, table: Mapping[str, Any], options: dict[str, Any]) -> Any:
    """A figure of a study from its table; ranks of models, if it is a long table of results."""
    if chosen.name == "critical_difference" and {"model", "dataset", "value"} <= set(table):
        return _ranked(chosen, table, options)
    _check(chosen, options, chosen.options())
    if chosen.name == "critical_difference" and "critical_difference" not in options:
        raise InputError(f"critical_difference is drawn from {RANKED}; the columns are {', '.join(list(table)[:12])}.")
    return _told(chosen, options, lambda: chosen.from_table(table, **options))


def _ranked(chosen: Any, table: Mapping[str, Any], options: dict[str, Any]) -> Any:
    """Average ranks, and by how much they must differ, from a row for each model and data set."""
    from karat.across.across import compare_across

    known = ("measure", "lower_is_better", "level")
    _check(chosen, options, known)
    said = dict(options)
    level = said.pop("level", 0.95)
    if not isinstance(level, int | float) or not 0 < level < 1:
        raise InputError(f"level is {level!r}; give a number between 0 and 1, for example 0.95.")
    if not isinstance(said.get("lower_is_better", False), bool):
        raise InputError(f"lower_is_better is {said['lower_is_better']!r}; say true or false.")
    if "measure" not in said and "lower_is_better" not in said and len(set(table.get("measure", ()))) != 1:
        raise InputError(
            "whether a high value is good was not said; say it with --set measure=MCC (or another that karat knows), "
            "or --set lower_is_better=false."
        )
    if "measure" not in said and "measure" in table:
        said["measure"] = str(next(iter(table["measure"])))
    found = _told(chosen, said, lambda: compare_across(table, level=1 - level, **said)).critical_difference
    ranks = dict(zip(found.names, found.average_ranks, strict=True))
    return chosen.of(ranks, found.cd, cliques=found.cliques, level=level, datasets=found.n)


def _told(chosen: Any, options: dict[str, Any], make: Callable[[], Any]) -> Any:
    """What is made; a value that no option can have is bad input, not a fault of karat."""
    try:
        return make()
    except InputError:
        raise
    except (TypeError, ValueError) as trouble:
        if not options:
            raise
        told = ", ".join(f"{name}={value!r}" for name, value in options.items())
        raise InputError(f"{chosen.name} can't be drawn with {told} ({trouble}); correct what --set says.") from None


def typed_option(text: str) -> tuple[str, Any]:
    """`bins=20`, `band=true`, `prior=.3,.7`, `prior=[0.3, 0.7]`, `averages=macro,weighted`, `axis=some, words`."""
    name, equals, value = text.partition("=")
    if not equals or not name.strip():
        raise InputError(f"--set {text!r} is not name=value; write for example --set bins=20.")
    found = _value(value.strip())
    if isinstance(found, str) and "," in found and ", " not in found:
        found = [_value(part.strip()) for part in found.split(",")]
    return name.strip(), found


def _value(text: str) -> Any:
    try:
        return json.loads(WORDS.get(text, text), parse_constant=str)
    except json.JSONDecodeError:
        try:
            return float(text) if text[-1:].isdigit() or text[-1:] == "." else text  # .5 is no JSON
        except ValueError:
            return text


WORDS = {"True": "true", "False": "false", "None": "null"}


def _save(made: Any, out: Path, multiples: bool) -> None:
    import warnings

    from karat.diagrams import Several

    if not out.parent.is_dir():
        raise InputError(f"there is no folder {str(out.parent)!r} to write {out.name} to; make it first.")
    try:
        import matplotlib as mpl

        mpl.use("Agg")
    except ImportError:
        pass  # plot() says what to install
    with warnings.catch_warnings(record=True) as notes:
        warnings.simplefilter("always")
        try:
            made.plot(**({"layout": "multiples"} if multiples and isinstance(made, Several) else {}))
            made.save(out)
            sys.modules["matplotlib.pyplot"].close(made.figure_)
        except OSError as trouble:
            raise InputError(f"{out} can't be written ({trouble.strerror}); name another file with -o.") from None
    for note in dict.fromkeys(" ".join(str(note.message).split()) for note in notes):
        print(f"karat: {note}", file=sys.stderr)
    print(f"karat: wrote {out}", file=sys.stderr)
