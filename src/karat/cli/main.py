"""Run a command. Commands declare themselves, in files of this folder; what is heavy is imported when a command needs
it: `karat --help` must feel instant."""

from __future__ import annotations

import errno
import inspect
import io
import os
import re
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from pkgutil import iter_modules
from typing import Annotated, Any, NoReturn, TypeVar

import typer

from karat.cli.options import formatted
from karat.cli.plain_values import PlainCommand, PlainGroup, of_older_typer
from karat.core.documents import in_line
from karat.core.errors import InputError, speaking

Command = TypeVar("Command", bound=Callable[..., None])

ORDER = (
    "demo", "evaluate", "compare", "report", "plot", "gate", "slices", "shift", "operating", "advise", "explain",
    "measures", "diagrams", "comparisons", "findings", "studies", "study", "reproduce", "conformance", "versions",
)  # fmt: skip
"""In which order help lists the commands. One that is not named here comes after them."""

EXAMPLES = "\n\nExamples\n--------\n"
"""In the docstring of a command, what follows this are lines that can be typed."""

INTERRUPTED = 130
TRACEBACK = "KARAT_TRACEBACK"
"""In the environment: say where an internal error comes from."""

commands: dict[str, Callable[..., None]] = {}
"""All that were declared."""


def command(function: Command) -> Command:
    """Declare a command: it is called as the function is, and its docstring is its help, with examples below. One
    that has `as_json` also gets `--as`."""
    commands[function.__name__] = formatted(function)
    return function


def help_of(function: Callable[..., None]) -> tuple[str, list[str]]:
    """What the docstring of a command says, and its examples."""
    text, _, examples = inspect.cleandoc(function.__doc__ or "").partition(EXAMPLES)
    return text, examples.splitlines()


def _epilog(examples: list[str]) -> str | None:
    """Below the options; the first line keeps click from filling the others."""
    return "\n".join(["\b", "Examples:", *(f"  {line}" for line in examples)]) if examples else None


def main(arguments: list[str] | None = None) -> None:
    """Run; bad input is one line on stderr and exit code 2, never a traceback."""
    if sys.unraisablehook is sys.__unraisablehook__:
        sys.unraisablehook = _unheard
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # an arrow that can't be shown must not end the program
    try:
        with speaking(command_line):
            code = application(sys.argv[1:] if arguments is None else arguments)(arguments, standalone_mode=False)
        sys.stdout.flush()
    except InputError as problem:
        _refuse(str(problem))
    except BrokenPipeError:
        _leave()
    except SystemExit:
        if type(sys.stdout).__name__.endswith("PacifyFlushWrapper"):  # typer met the same; its 1 is a failed gate
            _leave()
        raise
    except KeyboardInterrupt:
        _interrupted()
    except MemoryError:
        _refuse("there is not enough memory for this; give fewer rows, classes or replicates.")
    except Exception as problem:
        if isinstance(problem, OSError) and problem.errno in (errno.ENOSPC, errno.EFBIG, errno.EDQUOT):
            _unwritable(problem)
        if not hasattr(problem, "format_message"):  # only wrong usage, as typer found it, has this
            _internal(problem)
        _refuse(_usage(problem))
    if code == INTERRUPTED:  # what typer makes of Ctrl-C
        _interrupted()
    raise SystemExit(code if isinstance(code, int) else 0)


def application(arguments: Sequence[str] = ()) -> typer.Typer:
    """All commands, in their order; only the one that the arguments begin with, if that has a file of its own: typer
    looks at all it is given, which takes as long as to read the predictions."""
    files = [module.name for module in iter_modules(sys.modules["karat.cli"].__path__)]
    asked = [name for name in arguments[:1] if name in files and name in ORDER]
    for name in asked or files:
        import_module(f"karat.cli.{name}")
    app = typer.Typer(
        name="karat",
        cls=PlainGroup,
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        callback=karat,
        epilog=_epilog(FIRST_STEPS),
    )
    for name in asked or sorted(commands, key=lambda name: (ORDER.index(name) if name in ORDER else len(ORDER), name)):
        text, examples = help_of(commands[name])
        short = " ".join(text.partition("\n\n")[0].split())
        app.command(cls=PlainCommand, help=text, short_help=short, epilog=_epilog(examples))(commands[name])
    return app


def _print_version(wanted: bool) -> None:
    if wanted:
        from karat.core.version import __version__

        print(f"karat {__version__}")
        raise typer.Exit


def karat(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Evaluate and compare classifiers: measures with intervals, tests, diagrams, reports. Each command has --help."""


FIRST_STEPS = [
    "karat demo",
    "karat evaluate predictions.csv --positive yes --intervals",
    "karat compare a.csv b.csv --positive yes",
    "karat report a.csv b.csv --positive yes -o report.html",
]
"""What help shows first."""


OWN_WORDS = {
    "classes": "classes= in Python",
    "compared_classes": "--classes",
    "ids": "--id",
    "macro": "macro(...)",
    "micro": "micro(...)",
    "paired": "--unpaired",
    "per_class": "evaluate --per-class",
    "sample_weight": "--weight",
    "weighted": "weighted(...)",
    "y_pred": "--pred",
    "y_proba": "--proba",
    "y_score": "--score",
    "y_true": "--truth",
}
"""What users of the command line write, where it is not `--name`."""


def command_line(name: str) -> str:
    """An option as users of the command line write it.

    >>> command_line("positive"), command_line("each_class"), command_line("y_score")
    ('--positive', '--each-class', '--score')
    """
    return OWN_WORDS.get(name, f"--{name.replace('_', '-')}")


def _leave() -> NoReturn:
    """Whoever read our output has seen enough (`karat measures | head`): end as other programs do then."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    raise SystemExit(141) from None


def _unheard(trouble: sys.UnraisableHookArgs) -> None:
    """What goes wrong where nobody can be told, as while Python lets go of something. Of memory that ran out there
    Python would print a traceback beside output that is whole."""
    if os.environ.get(TRACEBACK) or not isinstance(trouble.exc_value, MemoryError):
        sys.__unraisablehook__(trouble)


def _interrupted() -> NoReturn:
    print("karat: interrupted.", file=sys.stderr)
    raise SystemExit(INTERRUPTED) from None


def _refuse(reason: str) -> NoReturn:
    print(f"karat: {in_line(reason)}", file=sys.stderr)
    raise SystemExit(2) from None


def _unwritable(trouble: OSError) -> NoReturn:
    """Nobody can take what we print; the stream is let go, so that Python does not try again at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    _refuse(f"the output can't be written ({trouble.strerror or trouble}); free some space, or write it elsewhere.")


def _internal(problem: Exception) -> NoReturn:
    """What nobody foresaw: not the input's fault, and not a failed gate's exit code."""
    import traceback

    from karat.core.version import __version__

    if os.environ.get(TRACEBACK):
        traceback.print_exception(problem)
    place = traceback.extract_tb(problem.__traceback__)[-1]
    where = f"{os.path.basename(place.filename)}:{place.lineno}"
    how = (
        "report it with what stands above"
        if os.environ.get(TRACEBACK)
        else f"to report it, run again with {TRACEBACK}=1"
    )
    words = f"internal error in karat {__version__} ({type(problem).__name__}: {problem}, {where}); {how}."
    print(f"karat: {in_line(words)}", file=sys.stderr)
    raise SystemExit(70) from None


def _usage(problem: Any) -> str:
    """What is wrong with the words that were typed, and where to look."""
    context = getattr(problem, "ctx", None)
    if type(problem).__name__ == "NoArgsIsHelpError":
        print(context.get_help() if context is not None else "", file=sys.stderr)
        raise SystemExit(2)
    if meant := _meant(problem, context):
        return meant
    words = problem.format_message().strip().rstrip(".")
    path = getattr(context, "command_path", "karat").split(" ")
    of_command = [path[-1]] if context is not None and getattr(context, "parent", None) is not None else []
    words += "" if words.endswith("?") else ";"
    return f"{words[:1].lower()}{words[1:]} `{' '.join(['karat', *of_command])} --help` shows how."


COMMANDS_ELSEWHERE = {
    "calibration": "karat plot reliability",
    "confusion_matrix": "karat plot confusion_matrix",
    "eval": "karat evaluate",
    "help": "karat --help",
    "list": "karat measures",
    "metrics": "karat measures",
    "precision_recall": "karat plot precision_recall",
    "roc": "karat plot roc_curve",
    "roc_curve": "karat plot roc_curve",
    "score": "karat evaluate",
    "test": "karat compare",
    "threshold": "karat operating",
    "version": "karat versions",
}
"""Commands that people try first, and what to write."""


def _meant(problem: Any, context: Any) -> str:
    """What to write for an option or a command by its name in other programs; empty if that is not known."""
    command = re.fullmatch(r"No such command '([^']+)'\.?.*", problem.format_message().strip(), re.DOTALL)
    if command is not None:
        use = COMMANDS_ELSEWHERE.get(command[1].lower().replace("-", "_"))
        return f"no such command {command[1]!r}; write `{use}`." if use else ""
    if sentence := of_older_typer(problem.format_message()):
        return sentence
    given = str(getattr(problem, "option_name", "") or "")
    word = given.lstrip("-").replace("-", "_").lower()
    known = {name for p in getattr(getattr(context, "command", None), "params", ()) for name in p.opts}
    from karat.core.keywords import CALLED_ELSEWHERE

    if word in CALLED_ELSEWHERE[("path",)].split():
        file = "-o FILE" if "-o" in known else "> FILE (with --json for every number)"
        return f"no such option: {given}; write {file}."
    for words, elsewhere in CALLED_ELSEWHERE.items():
        mine = [command_line(name) for name in words if command_line(name) in known]
        if mine and word in elsewhere.split():
            return f"no such option: {given}; write {mine[0]}."
    return ""
