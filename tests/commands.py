"""Commands as tests run them."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from karat.cli import main
from karat.cli.commands import app


def run(*words: str) -> str:
    result = CliRunner(env={"COLUMNS": "400"}).invoke(app, list(words))
    assert result.exit_code == 0, result.output
    return result.stdout


def refused(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    with pytest.raises(SystemExit) as ended:
        main(list(words))
    assert ended.value.code == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    return err
