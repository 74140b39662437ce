"""`karat conformance`: karat's numbers beside those of other programs."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from karat.cli.main import command
from karat.cli.options import AsJson
from karat.cli.output import print_json, say, show
from karat.cli.study import Out
from karat.cli.table_files import check_written, write_tables

WIDEST = 60
"""Characters of an answer of many numbers that are printed."""


@command
def conformance(
    programs: Annotated[
        list[str] | None, typer.Argument(help="Programs to compare with, such as scikit-learn; all without.")
    ] = None,
    out: Out = None,
    as_json: AsJson = False,
) -> None:
    """Compare karat's numbers with those of other programs, on fixed data: equal, or different for a stated reason.

    Installed libraries are asked; answers of R, MATLAB and Weka are kept in the package. Exit code 1: a number differs
    without a reason.

    Examples
    --------
    karat conformance
    karat conformance scikit-learn pROC
    karat conformance -o conformance.csv
    """
    from karat.conformance.conformance import UNEXPLAINED, conformance
    from karat.core.plain_data import plain

    check_written(out)
    table = conformance(programs or None)
    if out is not None:
        write_tables({"conformance": table}, out)
    if as_json:
        print_json({"summary": table.title, "numbers": plain(table.columns)}, indent=None)
    elif out is None:
        _show(table)
    if UNEXPLAINED in table.columns["verdict"]:
        raise typer.Exit(1)


def _show(table: Any) -> None:
    """What is different, each name once, with the first data where it is; then how many are equal."""
    seen: set[tuple[str, str]] = set()
    lines = [["program", "name", "measure", "theirs", "ours", "why"]]
    for program, _, name, measure, theirs, ours, verdict, why in table.rows:
        if verdict != "equal" and (program, name) not in seen:
            seen.add((program, name))
            lines.append([program, name, measure, _cell(theirs), _cell(ours), why or verdict])
    if len(lines) > 1:
        show(lines, numbers=[False, False, False, True, True, False])
    say(f"\n{table.title}. -o FILE.csv writes all of them.")


def _cell(value: Any) -> str:
    text = f"{value:.10g}" if isinstance(value, float) else str(value)
    return text if len(text) <= WIDEST else f"{text[: WIDEST - 4]} ..."
