"""Fixtures of the tests of commands."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from karat.cli import main


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """Run a command in a wide terminal: what it prints; of a refusal (code 2) the one line that says why. What should
    have been refused and is drawn after all lands in a folder of the test, not among the sources."""
    monkeypatch.setenv("COLUMNS", "300")
    monkeypatch.chdir(tmp_path)

    def command(*words: Any, code: int = 0) -> str:
        capsys.readouterr()
        with pytest.raises(SystemExit) as stopped:
            main([str(word) for word in words])
        shown = capsys.readouterr()
        assert stopped.value.code == code, shown.err
        if code == 2:
            assert shown.out == ""
            assert shown.err.startswith("karat: ")
            assert shown.err.count("\n") == 1
        return shown.err if code == 2 else shown.out

    return command


def no_number(word: str) -> None:
    raise AssertionError(f"{word} is no JSON")


@pytest.fixture
def told(run: Any) -> Any:
    """The JSON that a command prints: no NaN, no Infinity."""
    return lambda *words: json.loads(run(*words, "--json"), parse_constant=no_number)
