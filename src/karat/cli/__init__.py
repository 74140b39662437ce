"""The command line. Heavy things are imported when a command needs them: `karat --help` must feel instant."""

from __future__ import annotations

import io
import sys


def main(arguments: list[str] | None = None) -> None:
    """Run; bad input is one line on stderr and exit code 2, never a traceback."""
    from karat.cli.commands import app
    from karat.core.errors import InputError

    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # an arrow that can't be shown must not end the program
    try:
        app(arguments)
    except InputError as problem:
        print(f"karat: {problem}", file=sys.stderr)
        raise SystemExit(2) from None
