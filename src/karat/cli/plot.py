"""`karat plot`: every diagram of the catalogue from files, into a file."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from karat.cli.main import command
from karat.cli.options import READING, AsJson, Groups, Reader, own_measures, reading, setting, settings
from karat.cli.output import Form, draw_without_a_screen, form, note, print_json
from karat.cli.table_files import results_of
from karat.core.errors import InputError, speaking

if TYPE_CHECKING:
    from karat.statistics import Summary


def _names(incomplete: str) -> list[str]:
    """For the shell to complete."""
    from karat.catalogue import diagrams

    return [name for name in (*diagrams, OVERVIEW) if name.startswith(incomplete)]


OVERVIEW = "overview"
"""Stands for the default diagrams side by side, in the place of a name."""


@command
@own_measures
@reading
def plot(
    models: Reader,
    diagram: Annotated[
        str,
        typer.Argument(
            metavar="DIAGRAM",
            help="Name of the diagram (`karat diagrams` lists them), or `overview` for the usual ones side by side.",
            autocompletion=_names,
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option("-o", "--out", metavar="FILE", help="File to write: .svg, .pdf or .png.  [default: DIAGRAM.svg]"),
    ] = None,
    each_class: Annotated[bool, typer.Option("--each-class", help="Show each class against the rest.")] = False,
    multiples: Annotated[bool, typer.Option("--multiples", help="Draw each class or model on its own axes.")] = False,
    option: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="Option of the diagram or of its drawing; can be repeated."),
    ] = None,
    groups: Groups = None,
    as_json: AsJson = False,
) -> None:
    """Draw a diagram of predictions, or of a table of results, into a file.

    Several files (or models in one file) are drawn together. With --json the numbers are printed, and drawn only if -o
    is given.

    Examples
    --------
    karat plot roc_curve forest.csv boosting.csv --positive malignant -o roc.svg
    karat plot overview forest.csv --positive malignant -o overview.png
    karat plot roc_curve forest.csv --positive malignant --set band=0.95
    karat plot roc_curve forest.csv --positive malignant --set band=0.95 --groups patient
    karat plot reliability forest.csv --positive malignant --set bins=10
    karat plot confusion_matrix forest.csv --set normalize=true
    karat plot precision_recall digits.parquet --each-class --multiples
    karat plot critical_difference results.csv --set measure=accuracy
    """
    if form() in (Form.MARKDOWN, Form.LATEX):
        raise InputError(f"--as {form().value} is for tables, and a diagram is a picture; use -o FILE.svg, or --json.")
    from karat.catalogue import diagrams
    from karat.diagrams.familiar_keywords import apart

    options = settings(option)
    models.options["groups"] = groups
    if diagram == OVERVIEW and groups:
        raise InputError("--groups goes with the band of one diagram; name it instead of `overview`.")
    if diagram == OVERVIEW:
        _overview(models, options, each_class or multiples, out, as_json)
        return
    kind: Any = diagrams[diagram]
    known = [*kind.options(), *(["averages"] if each_class and kind.averages else [])]
    with speaking(setting([name for name in known if name != "groups"])):
        own, look = apart(kind, options)
        if groups and "groups" not in known:
            raise InputError(f"{kind.name} has no band that groups of cases could widen; leave --groups out.")
        if kind.made_from == "table":
            if len(models.files) != 1:
                raise InputError(f"{kind.name} is drawn from one table; {len(models.files)} files were given.")
            table = results_of(models.files[0], kind.name, kind.columns, models.options, kind.may_lack)
            _check(kind, own, known)
            drawing = _computed(kind, own, lambda: kind.from_table(table, **own))
        else:
            summaries = _summaries(models)
            if groups:
                own |= {"groups": models.common_groups()}
            _check(kind, own, known)
            drawing = _of_models(kind, summaries, each_class, own)
        drawing.keep_look(look)
        _put_out(drawing, kind.name, out, as_json, multiples)


def _overview(models: Reader, options: dict[str, Any], apart: bool, out: Path | None, as_json: bool) -> None:
    """The default diagrams, chosen by what the files hold."""
    from karat.diagrams import panel_of

    if apart:
        raise InputError("--each-class and --multiples go with one diagram; name it instead of `overview`.")
    with speaking(setting(options)):
        _put_out(panel_of(_summaries(models), **options), OVERVIEW, out, as_json, False)


def _summaries(models: Reader) -> Mapping[str, Summary]:
    """Model to its statistics, paired by their ids if there are any."""
    summaries = models.summaries()
    if models.options["id_"] is not None:
        from karat.statistics.summary import paired

        summaries = paired(summaries)
    return summaries


def _put_out(drawing: Any, name: str, out: Path | None, as_json: bool, multiples: bool) -> None:
    if out is not None or not as_json:  # before anything is printed, whose reader may leave before its end
        _save(drawing, out or Path(f"{name}.svg"), multiples)
    if as_json:
        print_json(drawing.to_dict(), indent=None)


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
    """Options of the diagram; how predictions are read is said by options of the command."""
    for name in options:
        if name not in known:
            hint = f"; use --{name}" if name in READING else ""
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
        raise InputError(f"{kind.name} can't be made with {values} ({trouble}); correct the values of --set.") from None


def _save(drawing: Any, out: Path, multiples: bool) -> None:
    from karat.diagrams import Several

    if not out.parent.is_dir():
        raise InputError(f"there is no folder {str(out.parent)!r} to write {out.name} to; make it first.")
    draw_without_a_screen()
    with warnings.catch_warnings(record=True) as remarks:
        warnings.simplefilter("always")
        drawing.plot(**({"layout": "multiples"} if multiples and isinstance(drawing, Several) else {}))
        drawing.save(out)
        sys.modules["matplotlib.pyplot"].close(drawing.figure_)
    for remark in dict.fromkeys(" ".join(str(remark.message).split()) for remark in remarks):
        note(remark)
    note(f"wrote {out}")
