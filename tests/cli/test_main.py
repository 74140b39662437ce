"""Commands declare themselves; sentences name options as their reader writes them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import karat
from commands import run as output_of
from karat.cli.main import ORDER, application, command, command_line, commands
from karat.core.errors import option, speaking

ROOT = Path(karat.__file__).parent


# ------------------------------------------------------------------------------------------------- commands


def test_a_declared_command_is_found() -> None:
    @command
    def greet(name: str = "you") -> None:
        """Say hello."""
        print(f"hello, {name}")

    try:
        assert output_of("greet", "--name", "all") == "hello, all\n"
        assert re.search(r"versions .*\n  greet +Say hello\.\n", output_of("--help"))  # no place: it comes last
    finally:
        del commands["greet"]


def test_every_command_is_where_it_is_looked_for_and_has_a_place() -> None:
    application()
    assert sorted(commands) == sorted(ORDER)
    for name, function in commands.items():  # those that list and explain what is declared share a file
        assert function.__module__ in (f"karat.cli.{name}", "karat.cli.listings"), name


# ------------------------------------------------------------------------------------------------- sentences


def constants(path: Path) -> Iterator[str]:
    """Texts in a file that are no docstrings."""
    tree = ast.parse(path.read_text())
    spoken = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in spoken:
            yield node.value


def test_the_library_names_no_option_of_the_command_line() -> None:
    examples = {study.example for study in karat.catalogue.studies.values()}
    for path in ROOT.rglob("*.py"):
        if path.parent.name != "cli":
            for text in constants(path):
                if text in examples:  # what a study shows of the command line is data
                    continue
                assert not re.search(r"(^|\s)--[a-z]", text), f"{path.relative_to(ROOT)}: {text}"


def test_options_are_worded_for_the_reader() -> None:
    assert (option("positive"), option("normalise")) == ("positive=", "normalise=True")
    with speaking(command_line):
        assert [option(name) for name in ("positive", "each_class", "y_score", "normalise", "per_class", "macro")] == [
            "--positive", "--each-class", "--score", "--normalise", "evaluate --per-class", "macro(...)",
        ]  # fmt: skip
    assert option("positive") == "positive="


def test_a_refused_command_leaves_python_its_words(run: Any, tmp_path: Path) -> None:
    (tmp_path / "m.csv").write_text("y_true,p_a,p_b\na,.9,.1\nb,.2,.8\n")
    assert "--positive" in run("plot", "roc_curve", tmp_path / "m.csv", code=2)
    with pytest.raises(karat.InputError, match=r"positive=, or use for_each_class\(\)"):
        karat.evaluate(["a", "b"], [[0.9, 0.1], [0.2, 0.8]]).diagram("roc_curve")


AB = "y_true,p_a,p_b\na,.9,.1\nb,.2,.8\na,.6,.4\nb,.7,.3\n"
THREE = "y_true,p_a,p_b,p_c\na,.5,.3,.2\nb,.2,.7,.1\nc,.3,.3,.4\n"
REFUSED: list[tuple[str, str]] = [
    ("plot roc_curve FILE", AB),
    ("plot roc_curve FILE FILE --positive a --set layout=overlaid", AB),
    ("plot confusion_matrix FILE FILE --each-class", AB),
    ("plot reliability FILE --positive a --set grouping=equal --set bins=4", AB),
    ("plot cd FILE", "model,rank\na,1\nb,2\n"),
    ("plot cd FILE", "model,dataset,value\na,x,1\nb,x,2\na,y,1\nb,y,3\n"),
    ("plot cd FILE", "model,dataset,value,measure\na,x,1,u\nb,x,2,v\na,y,1,u\nb,y,3,v\n"),
    ("gate FILE --require F1>=.5", AB),
    ("gate FILE --require F1>=.5", THREE),
    ("gate FILE --require micro(CEN_j)>=.5", THREE),
    ("evaluate FILE --positive z", AB),
    ("evaluate FILE --labels a", AB),
    ("evaluate FILE --labels a,b,c", AB),
    ("evaluate FILE --reject a", AB),
    ("evaluate FILE --reject a", "y_true,y_pred\na,a\nb,b\n"),
    ("evaluate FILE", "y_true,p_a,p_b\na,.9,.3\nb,.2,.8\n"),
    ("evaluate FILE", "y_true,p_a,p_b\na,9,3\nb,2,8\n"),
    ("evaluate FILE", "y_true,score\na,1\na,3\n"),
    ("evaluate FILE --score score", "y_true,score\na,1\nb,3\nc,3\n"),
    ("evaluate FILE", "y_true,p_a\na,.1\nb,.3\nc,.4\n"),
    ("evaluate FILE", "y_true\na\nb\n"),
    ("evaluate FILE", "truth,p_a,p_b\na,.1,.9\nb,.3,.7\n"),
    ("evaluate FILE --normalise", "y_true,y_pred\na,a\nb,b\n"),
    ("evaluate FILE --format parquet", AB),
    ("evaluate FILE --weight w", AB),
    ("evaluate FILE --level 2 --intervals", AB),
    ("compare FILE", AB),
    ("compare FILE FILE --baseline x", AB),
    ("compare FILE FILE --margin -1", AB),
    ("operating FILE --prior 2", AB),
    ("study meg FILE --set method=bootstrap", ",a,b\na,1.5,2\nb,1,1\n"),
    ("study correlation --set datasets=none", AB),
    ("study redundancy FILE", AB),
]
PARAMETERS = r"(?<!--set )\b(?!name=value|fp=|fn=|cat=|dog=)[a-z_]+="


@pytest.mark.parametrize(("words", "content"), REFUSED)
def test_no_refusal_names_a_parameter_of_python(words: str, content: str, tmp_path: Path, run: Any) -> None:
    file = tmp_path / "m.csv"
    file.write_text(content)
    sentence = run(*(str(file) if word == "FILE" else word for word in words.split()), code=2)
    unquoted = re.sub(r"'[^']*'", "''", sentence.replace(str(file), "FILE"))
    assert not re.search(PARAMETERS, unquoted), sentence
    assert not re.search(r"per_class\(\)|macro\(\)|for_each_class|\b(as|to|give|pass) y_\w+", unquoted), sentence
