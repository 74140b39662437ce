"""Names that terminals, logs and spreadsheets would obey; full streams and disks; errors of karat's own."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from karat.cli import main
from karat.core import documents

EVIL = "x\n::error ::stolen\x1b]0;title\x07\x1b[31m##[error]y\u202e"
FORMULA = "=HYPERLINK(1)"
posix = pytest.mark.skipif(sys.platform == "win32", reason="of POSIX")


@pytest.fixture
def evil(tmp_path: Path) -> Path:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 40)
    p = np.clip(y * 0.4 + rng.random(40) * 0.6, 0, 1)
    with (tmp_path / "evil.csv").open("w", newline="") as stream:
        out = csv.writer(stream)
        out.writerow(["y_true", "p_1", "model"])
        out.writerows([a, round(b, 3), name] for name in (EVIL, FORMULA) for a, b in zip(y, p, strict=True))
    return tmp_path / "evil.csv"


def printed(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    with pytest.raises(SystemExit) as ended:
        main(list(words))
    assert ended.value.code in (0, 1, 2)
    return "\n".join(capsys.readouterr())


def harmless(text: str) -> None:
    assert not re.search(r"^\s*::", text, re.MULTILINE)
    assert "##[" not in text
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", text)


@pytest.mark.parametrize("form", ["table", "markdown", "latex", "json"])
@pytest.mark.parametrize("command", ["evaluate", "compare", "gate --require Acc>=2"])
@pytest.mark.parametrize("columns", ["40", "200"])
def test_nothing_obeys_a_name(
    command: str, form: str, columns: str, evil: Path, capsys: pytest.CaptureFixture[str], monkeypatch: Any
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    text = printed(capsys, *command.split(), str(evil), "--as", form)
    harmless(text)
    assert "stolen" in text
    if form == "json":
        assert EVIL in _names(json.loads(text))  # the data are what they were


def _names(held: Any) -> set[str]:
    """All texts in plain data."""
    if isinstance(held, dict):
        return {*held} | {name for value in held.values() for name in _names(value)}
    if isinstance(held, list):
        return {name for value in held for name in _names(value)}
    return {held} if isinstance(held, str) else set()


def test_annotations_and_junit(evil: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    junit = tmp_path / "j.xml"
    text = printed(capsys, "gate", str(evil), "--require", "Acc>=2", "--github", "--junit", str(junit))
    own = [line for line in text.splitlines() if re.match(r"\s*::", line)]
    assert len(own) == 2
    assert all(line.startswith("::error title=karat gate::") for line in own)
    assert "\x1b" not in text
    names = [case.get("classname") or "" for case in ElementTree.parse(junit).iter("testcase")]
    assert len(names) == 2
    for name in names:
        harmless(name)
        assert "\n" not in name


@pytest.mark.parametrize("words", [["--truth", EVIL], ["--score", EVIL], ["--positive", EVIL], ["--format", EVIL]])
def test_refusals(words: list[str], evil: Path, capsys: pytest.CaptureFixture[str]) -> None:
    harmless(printed(capsys, "evaluate", str(evil), *words))


def test_files_with_such_names(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    harmless(printed(capsys, "evaluate", str(tmp_path / EVIL.replace("/", ""))))


def test_markdown_calls_nobody() -> None:
    assert documents.in_markdown("@octocat (@org/team) v@2 a @ b") == "@\u200boctocat (@\u200borg/team) v@2 a @ b"


def test_cells_that_a_spreadsheet_would_compute() -> None:
    assert documents.in_csv("\uff1d1+1") == "'\uff1d1+1"
    assert documents.in_csv("\n=1+1") == "'\n=1+1"
    cells = [FORMULA, "@a", "+1+1", "-1", -1.5, "1e5", "a=b", "\t=1"]
    assert [documents.in_csv(c) for c in cells] == ["'=HYPERLINK(1)", "'@a", "'+1+1", "-1", -1.5, "1e5", "a=b", "'\t=1"]


@posix
@pytest.mark.parametrize("words", [["measures"], ["measures", "--json"]])
def test_a_full_stdout_is_one_line(words: list[str]) -> None:
    if not os.path.exists("/dev/full"):
        pytest.skip("no /dev/full")
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "karat", *words], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "can't be written (No space left on device)" in done.stderr


@posix
@pytest.mark.parametrize("words", [["plot", "roc_curve", "-o"], ["gate", "--require", "Acc>=0", "--junit"]])
def test_a_full_disk_keeps_the_old_file(words: list[str], evil: Path, tmp_path: Path) -> None:
    import resource

    place = tmp_path / ("old.svg" if words[0] == "plot" else "old.xml")
    place.write_text("old")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    from karat.diagrams import drawing

    with drawing.styled():  # so that matplotlib keeps its cache of fonts before the disk is full
        pass
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, limits[1]))
    try:
        with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()), pytest.raises(SystemExit) as ended:
            main([*words, str(place), str(evil)])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert ended.value.code == 2
    assert place.read_text() == "old"


def test_an_error_of_karats_own(evil: Path, monkeypatch: Any, capsys: pytest.CaptureFixture[str]) -> None:
    from karat.cli import options

    def broken(self: Any) -> None:
        raise TypeError("one\ntwo \x1b[31m")

    monkeypatch.setattr(options.Reader, "sources", broken)
    for asked in ("", "1"):
        monkeypatch.setenv("KARAT_TRACEBACK", asked)
        with pytest.raises(SystemExit) as ended:
            main(["gate", str(evil), "--require", "Acc>=0"])
        assert ended.value.code == 70
        out, err = capsys.readouterr()
        assert out == ""
        assert err.splitlines()[-1].startswith("karat: internal error in karat ")
        assert "TypeError: one two" in err.splitlines()[-1]
        assert ("Traceback" in err) == bool(asked)
        assert asked or err.count("\n") == 1


@pytest.mark.parametrize(("problem", "code"), [(MemoryError(), 2), (KeyboardInterrupt(), 130)])
def test_other_ends(problem: BaseException, code: int, evil: Path, monkeypatch: Any, capsys: Any) -> None:
    from karat.cli import options

    def broken(self: Any) -> None:
        raise problem

    monkeypatch.setattr(options.Reader, "sources", broken)
    with pytest.raises(SystemExit) as ended:
        main(["evaluate", str(evil)])
    assert ended.value.code == code
    assert capsys.readouterr().err.count("\n") == 1
