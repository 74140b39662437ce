"""A value that an option can't have is refused in karat's own words, which name the choices."""

from __future__ import annotations

import inspect
import os
import subprocess
import sys
from enum import Enum
from pathlib import Path
from types import NoneType
from typing import Any, get_args, get_origin

import pytest

from commands import refused
from karat.cli.main import application, commands
from karat.cli.plain_values import of_older_typer


def _is_choice(kind: Any) -> bool:
    return get_origin(kind) is None and issubclass(kind, Enum)  # list[str] is no class


def options() -> list[tuple[str, str, type]]:
    """Command, option and type of every option whose value is a number or a choice."""
    application()
    found = []
    for command, function in commands.items():
        for name, parameter in inspect.signature(function, eval_str=True).parameters.items():
            asked, about = get_args(parameter.annotation)[:2]
            kinds = [kind for kind in get_args(asked) or (asked,) if kind is not NoneType]
            declared = (getattr(about, "default", ""), *(getattr(about, "param_decls", None) or ()))
            flags = [word for word in declared if isinstance(word, str) and word.startswith("--")]
            if (type(about).__name__ == "OptionInfo" and kinds[0] in (int, float)) or _is_choice(kinds[0]):
                found.append((command, (flags or [f"--{name.replace('_', '-')}"])[0], kinds[0]))
    return found


def test_numbers_and_choices_are_asked_for_in_our_words(capsys: pytest.CaptureFixture[str]) -> None:
    expected = {int: "give a whole number", float: "give a number"}
    asked = options()
    assert {kind for _, _, kind in asked} > {int, float}
    assert len(asked) > 40
    for command, option, kind in asked:
        words = expected.get(kind) or f"it is one of {', '.join(choice.value for choice in kind)}"  # type: ignore[attr-defined]
        assert refused(capsys, command, option, "no such") == f"karat: {option} is 'no such'; {words}.\n"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("evaluate", "a.csv", "--as", "md"), "--as is 'md'; it is one of table, markdown, latex, json."),
        (("evaluate", "a.csv", "--level", "x"), "--level is 'x'; give a number."),
        (("evaluate", "a.csv", "--seed", "1.5"), "--seed is '1.5'; give a whole number."),
        (("study", "sensitivity", "--size", ""), "--size is ''; give a whole number."),
    ],
)
def test_some_of_them(words: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert refused(capsys, *words) == f"karat: {said}\n"


def test_a_significance_level_is_answered_with_the_option_to_write(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "a.csv"
    file.write_text("y_true,p_1\n1,0.7\n0,0.2\n1,0.6\n0,0.4\n")
    assert refused(capsys, "evaluate", str(file), "--intervals", "--level", "0.05").endswith("give --level 0.95.\n")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("Invalid value for '--seed': 'x' is not a valid integer.", "--seed is 'x'; give a whole number."),
        ("Invalid value for '--size' / '--n': 'x' is not a valid integer.", "--size is 'x'; give a whole number."),
        ("Invalid value for '--level': 'it's' is not a valid float.", '--level is "it\'s"; give a number.'),
        ("Invalid value for '--as': 'md' is not one of 'a', 'b'.", "--as is 'md'; it is one of a, b."),
        ("Invalid value for '--path': 'x' is a directory.", ""),
        ("No such option: --x", ""),
    ],
)
def test_versions_of_typer_that_check_values_are_translated(words: str, said: str) -> None:
    assert of_older_typer(words) == said


LETTING_GO = """
from karat.cli import main
class Last:
    def __del__(self):
        raise {what}
last = Last()
try:
    main(["--version"])
except SystemExit:
    pass
del last
"""


@pytest.mark.parametrize(("what", "heard"), [("MemoryError", False), ("ValueError", True)])
def test_memory_that_runs_out_while_something_is_let_go_is_no_traceback(what: str, heard: bool, tmp_path: Path) -> None:
    """The output is whole then; other faults there are faults."""
    program = tmp_path / "program.py"
    program.write_text(LETTING_GO.format(what=what))
    environment = {k: v for k, v in os.environ.items() if k != "KARAT_TRACEBACK"}
    ended = subprocess.run([sys.executable, program], capture_output=True, text=True, check=True, env=environment)
    assert ended.stdout.startswith("karat ")
    assert ("ignored" in ended.stderr) == heard
    assert heard or ended.stderr == ""
