"""Commands as tests run them."""

from __future__ import annotations

import io
from contextlib import redirect_stderr, redirect_stdout

import pytest

from karat.cli import main


def run(*words: str, columns: int = 400) -> str:
    """What a command that succeeds prints in a wide terminal."""
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(io.StringIO()) as out:
        patch.setenv("COLUMNS", str(columns))
        with redirect_stderr(io.StringIO()) as err, pytest.raises(SystemExit) as ended:
            main(list(words))
    assert ended.value.code == 0, err.getvalue()
    return out.getvalue()


def refused(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """The one line that says why a command is refused."""
    with pytest.raises(SystemExit) as ended:
        main(list(words))
    assert ended.value.code == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    return err
