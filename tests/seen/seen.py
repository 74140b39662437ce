"""What people see, question by question: `python tests/seen/seen.py` writes every answer anew, for `git diff`.

The `.txt` files beside this one hold questions, lines that begin with `$ ` (a command, in 80 columns) or `>>> `
(Python, with the names of `scene.py`), and below each what karat answers: texts, tables, refusals, numbers as they are
rounded. A new question is written without an answer. The answers were made by karat itself and read by a person: they
say that nothing has changed unnoticed, not that a number is right, which is for oracles, papers and peers to say.
"""

from __future__ import annotations

import io
import json
import math
import os
import shlex
import sys
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

from karat.cli import main

sys.path.insert(0, str(Path(__file__).parents[1]))
from seen import scene

HERE = Path(__file__).parent
ASKED = ("$ ", ">>> ")
WIDTH = 120
DIGITS = 6
SHORT = 35


def files() -> list[Path]:
    """The kept texts."""
    return sorted(HERE.glob("*.txt"))


def kept(file: Path) -> dict[str, str]:
    """The questions of a file with their answers."""
    found: dict[str, list[str]] = {}
    for line in file.read_text(encoding="utf-8").splitlines():
        if line.startswith(ASKED):
            assert line not in found, f"asked twice: {line}"
            found[line] = []
        elif line or found:
            found[[*found][-1]].append(line)
    return {question: "\n".join(answer).strip("\n") for question, answer in found.items()}


def answer(question: str) -> str:
    """What karat says now."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        said = _command(question[2:]) if question.startswith("$ ") else _python(question[4:])
    own = sorted({str(w.message) for w in told if "karat" in str(w.filename)})
    lines = [*said.splitlines(), *(f"warning: {words}" for words in own)]
    text = "\n".join(line.rstrip() for line in lines).strip("\n")
    assert not any(line.startswith(ASKED) for line in text.splitlines()), question
    return text


def _command(line: str) -> str:
    out, err = io.StringIO(), io.StringIO()
    words = shlex.split(line)
    assert words.pop(0) == "karat"
    with in_folder(), redirect_stdout(out), redirect_stderr(err):
        try:
            main(words)
            code: Any = 0
        except SystemExit as ended:
            code = ended.code
    said = out.getvalue()
    if code in (0, 1) and {"--json", "json"} & set(words):
        said = laid_out(json.loads(said))
    ends = [f"! {x}" for x in err.getvalue().splitlines()] + ([f"exit {code}"] if code else [])
    return "\n".join([*said.splitlines(), *ends])


def _python(expression: str) -> str:
    with in_folder():
        try:
            return shown(eval(expression, scene.names()))
        except Exception as refused:
            return f"{type(refused).__name__}: {refused}"


def shown(value: Any) -> str:
    """Text as it is, and anything else as its data are."""
    return value if isinstance(value, str) else laid_out(value)


@contextmanager
def in_folder() -> Iterator[None]:
    """In the folder of the scene's files, on a screen of 80 columns."""
    before, columns = Path.cwd(), os.environ.get("COLUMNS")
    with tempfile.TemporaryDirectory() as folder:
        scene.write(Path(folder))
        os.chdir(folder)
        os.environ["COLUMNS"] = "80"
        try:
            yield
        finally:
            os.chdir(before)
            del os.environ["COLUMNS"]
            if columns is not None:
                os.environ["COLUMNS"] = columns


def rounded(value: Any) -> Any:
    """Plain data without the digits in which machines and libraries may differ."""
    if isinstance(value, dict):
        return {str(k): rounded(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [rounded(v) for v in value]
    if hasattr(value, "tolist"):
        return rounded(value.tolist())
    if isinstance(value, float):
        short = 0.0 if abs(value) < 1e-12 else float(f"{value:.{DIGITS}g}")
        return int(short) if short.is_integer() and abs(short) < 1e15 else short if math.isfinite(short) else str(short)
    return value if value is None or isinstance(value, bool | int | str) else str(value)


def laid_out(value: Any, indent: int = 0, room: int = WIDTH) -> str:
    """JSON to be read: on one line what fits."""
    return _laid_out(rounded(value), indent, room)


def _laid_out(value: Any, indent: int, room: int) -> str:
    line = json.dumps(value, ensure_ascii=False)
    if len(line) + indent <= room or not isinstance(value, dict | list) or not value:
        return line
    inner = " " * (indent + 1)
    if isinstance(value, dict):
        names = [f"{json.dumps(key, ensure_ascii=False)}: " for key in value]
        parts = [
            f"{name}{_laid_out(v, indent + 1, room - len(name))}" for name, v in zip(names, value.values(), strict=True)
        ]
    else:
        parts = [_laid_out(v, indent + 1, room) for v in value]
    lines = [""]
    for part in parts:  # numbers and names beside each other, all else below
        short = len(part) < 2 * SHORT and len(lines[-1]) + len(part) < room - indent - 2 and not _holds_words(value)
        if lines[-1] and not short:
            lines.append("")
        lines[-1] += (" " if lines[-1] else "") + part + ","
    opened, closed = ("{", "}") if isinstance(value, dict) else ("[", "]")
    return f"{opened}\n{inner}" + f"\n{inner}".join(lines).removesuffix(",") + closed


def _holds_words(value: Any) -> bool:
    held = value.values() if isinstance(value, dict) else value
    return any(isinstance(v, dict | list) or (isinstance(v, str) and len(v) > SHORT) for v in held)


def rewritten(file: Path) -> str:
    """The file with every answer as it is now."""
    return "\n\n".join(f"{question}\n{answer(question)}".rstrip("\n") for question in kept(file)) + "\n"


if __name__ == "__main__":
    for one in files():
        if not sys.argv[1:] or one.stem in sys.argv[1:]:
            one.write_text(rewritten(one), encoding="utf-8")
