"""The command line. Heavy things are imported when a command needs them: `karat --help` must feel instant."""

from __future__ import annotations

import sys


def main(arguments: list[str] | None = None) -> None:
    """Run; bad input is one line on stderr and exit code 2, never a traceback."""
    from karat.cli.app import app

    try:
        app(arguments)
    except (ValueError, KeyError) as problem:
        from karat.core.registry import UnknownNameError
        from karat.data.errors import InputError

        if not isinstance(problem, InputError | UnknownNameError):
            raise
        print(f"karat: {problem}", file=sys.stderr)
        raise SystemExit(2) from None
