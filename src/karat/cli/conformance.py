"""`karat conformance`: karat's numbers beside those of other programs."""

from __future__ import annotations

from collections import Counter
from typing import Annotated, Any

import typer

from karat.cli.main import command
from karat.cli.options import AsJson
from karat.cli.output import print_json, say, show
from karat.cli.study import Out
from karat.cli.table_files import check_written, write_tables


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
    """How many numbers of each program are equal; then what is different and why, each name once."""
    from karat.conformance.conformance import EQUAL

    counts: dict[str, Counter[str]] = {}
    lines: dict[tuple[str, str], str] = {}
    for program, _, name, measure, theirs, ours, verdict, why in table.rows:
        counts.setdefault(program, Counter())[verdict] += 1
        if verdict != EQUAL:
            both = "" if isinstance(theirs, str) else f" ({theirs:.4g}, karat {ours:.4g})"
            lines.setdefault((program, name), f"{program}, {name} and {measure}{both}: {why or verdict}")
    rows = [[program, str(n.total()), str(n[EQUAL]), str(n.total() - n[EQUAL])] for program, n in counts.items()]
    show([["program", "numbers", "equal", "different"], *rows], numbers=[False, True, True, True])
    if lines:
        say("\nDifferent, the first of each name:")
        for line in lines.values():
            say(f"- {line}")
    say(f"\n{table.title}. -o FILE.csv writes all of them.")
