"""`karat plot`: every diagram of the catalogue from files, into a file."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from karat.cli.main import command
from karat.cli.options import READING, AsJson, Reader, own_measures, reading, setting, settings
from karat.cli.output import draw_without_a_screen, note, print_json
from karat.cli.table_files import results_of
from karat.core.errors import InputError, speaking

if TYPE_CHECKING:
    from karat.statistics import Summary


def _names(incomplete: str) -> list[str]:
    """For the shell to complete."""
    from karat.catalogue import diagrams

    return [name for name in diagrams if name.startswith(incomplete)]


@command
@own_measures
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

    kind: Any = diagrams[diagram]
    options = settings(option)
    known = [*kind.options(), *(["averages"] if each_class and kind.averages else [])]
    with speaking(setting(known)):
        if kind.made_from == "table":
            if len(models.files) != 1:
                raise InputError(f"{kind.name} is drawn from one table; {len(models.files)} files were given.")
            table = results_of(models.files[0], kind.name, kind.columns, models.options)
            _check(kind, options, known)
            drawing = _computed(kind, options, lambda: kind.from_table(table, **options))
        else:
            summaries = models.summaries()
            if models.options["id_"] is not None:
                from karat.statistics.summary import paired

                summaries = paired(summaries)
            _check(kind, options, known)
            drawing = _of_models(kind, summaries, each_class, options)
        if as_json:
            print_json(drawing.to_dict(), indent=None)
        if out is not None or not as_json:
            _save(drawing, out or Path(f"{kind.name}.svg"), multiples)


def _of_models(kind: Any, models: Mapping[str, Summary], each_class: bool, options: dict[str, Any]) -> Any:
    """A diagram of predictions, or of each class of those of one model."""
    if not each_class:
        return _computed(kind, options, lambda: kind.of_models(models, **options))
    if kind.made_from != "predictions" or not kind.two_classes:
        raise InputError(f"{kind.name} does not show one class against the rest; leave --each-class out.")
    if len(models) != 1:
        raise InputError(f"--each-class shows the classes of one model; {len(models)} were given: give one.")
    return _computed(kind, options, lambda: kind.of_classes(next(iter(models.values())), **options))


def _check(kind: Any, options: Collection[str], known: Collection[str]) -> None:
    """Options of the drawing; how predictions are read is said by options of the command."""
    for name in options:
        if name not in known:
            hint = f"; say --{name}" if name in READING else ""
            raise InputError(f"{kind.name} has no option {name!r}{hint}; it has {', '.join(known) or 'none'}.")


def _computed(kind: Any, options: Mapping[str, Any], compute: Callable[[], Any]) -> Any:
    """The diagram; a value that no option can have is bad input, not a fault of karat."""
    try:
        return compute()
    except InputError:
        raise
    except (TypeError, ValueError) as trouble:
        if not options:
            raise
        values = ", ".join(f"{name}={value!r}" for name, value in options.items())
        raise InputError(f"{kind.name} can't be drawn with {values} ({trouble}); correct what --set says.") from None


def _save(drawing: Any, out: Path, multiples: bool) -> None:
    from karat.diagrams import Several

    if not out.parent.is_dir():
        raise InputError(f"there is no folder {str(out.parent)!r} to write {out.name} to; make it first.")
    draw_without_a_screen()
    with warnings.catch_warnings(record=True) as remarks:
        warnings.simplefilter("always")
        try:
            drawing.plot(**({"layout": "multiples"} if multiples and isinstance(drawing, Several) else {}))
            drawing.save(out)
            sys.modules["matplotlib.pyplot"].close(drawing.figure_)
        except OSError as trouble:
            raise InputError(f"{out} can't be written ({trouble.strerror}); name another file with -o.") from None
    for remark in dict.fromkeys(" ".join(str(remark.message).split()) for remark in remarks):
        note(remark)
    note(f"wrote {out}")
