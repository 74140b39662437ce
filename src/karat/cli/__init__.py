"""The command line. Heavy things are imported when a command needs them: `karat --help` must feel instant."""

from __future__ import annotations

import io
import os
import sys


def main(arguments: list[str] | None = None) -> None:
    """Run; bad input is one line on stderr and exit code 2, never a traceback."""
    from karat.cli.commands import app
    from karat.cli.terminal import in_options
    from karat.core.errors import InputError

    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # an arrow that can't be shown must not end the program
    try:
        code = app(arguments, standalone_mode=False)
        sys.stdout.flush()
    except InputError as problem:
        _refuse(in_options(str(problem)))
    except BrokenPipeError:
        _leave()
    except SystemExit:
        if type(sys.stdout).__name__.endswith("PacifyFlushWrapper"):  # typer met the same; its 1 is a failed gate
            _leave()
        raise
    except Exception as problem:
        if not hasattr(problem, "format_message"):  # only wrong usage, as typer found it, has this
            raise
        _refuse(_usage(problem))
    raise SystemExit(code if isinstance(code, int) else 0)


def _leave() -> None:
    """Whoever read our output has seen enough (`karat measures | head`): end as other programs do then."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    raise SystemExit(141) from None


def _refuse(reason: str) -> None:
    print(f"karat: {' '.join(reason.split())}", file=sys.stderr)
    raise SystemExit(2) from None


def _usage(problem: object) -> str:
    """What is wrong with the words that were typed, and where to look."""
    context = getattr(problem, "ctx", None)
    if type(problem).__name__ == "NoArgsIsHelpError":
        print(context.get_help() if context is not None else "", file=sys.stderr)
        raise SystemExit(2)
    words = problem.format_message().strip().rstrip(".")  # type: ignore[attr-defined]
    path = getattr(context, "command_path", "karat").split(" ")
    command = path[-1] if context is not None and getattr(context, "parent", None) is not None else ""
    words += "" if words.endswith("?") else ";"
    return f"{words[:1].lower()}{words[1:]} `{' '.join(['karat', *([command] if command else [])])} --help` shows how."
