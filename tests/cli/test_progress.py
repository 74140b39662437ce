"""Progress on stderr: a line now and then where it is no terminal, nothing with --quiet."""

from __future__ import annotations

import io
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import karat
from karat.cli import main, progress

DEMO = Path(karat.__file__).parent / "cli" / "demo_data"
BOOST = DEMO / "adaboost.csv"


@pytest.fixture(autouse=True)
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "EVERY", 0.05)


def test_a_line_now_and_then(capsys: pytest.CaptureFixture[str]) -> None:
    with progress.steps(3) as step:
        step("reading")
        time.sleep(0.12)
        step("intervals of forest")
        time.sleep(0.12)
    lines = capsys.readouterr().err.splitlines()
    assert "karat: reading: 1 of 3, 0 s" in lines
    assert "karat: intervals of forest: 2 of 3, 0 s" in lines
    assert len(lines) <= 5


def test_nothing_of_what_is_quick_and_nothing_afterwards(capsys: pytest.CaptureFixture[str]) -> None:
    with progress.working("a moment"):
        pass
    time.sleep(0.12)
    assert capsys.readouterr().err == ""


def test_an_error_ends_it(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(KeyError), progress.working("a fault"):
        raise KeyError
    time.sleep(0.12)
    assert capsys.readouterr().err == ""


def test_a_bar_in_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    with progress.steps(2) as step:
        step("one [bold]")
        time.sleep(0.2)
    assert "one [bold] ..." in terminal.getvalue()


@pytest.mark.parametrize("quiet", [False, True])
def test_commands_are_quiet_if_asked(quiet: bool, capsys: pytest.CaptureFixture[str], monkeypatch: Any) -> None:
    from karat.comparisons import model_comparison

    compare = model_comparison.compare

    def slowly(*given: Any, **options: Any) -> Any:
        time.sleep(0.15)
        return compare(*given, **options)

    monkeypatch.setattr(model_comparison, "compare", slowly)
    with pytest.raises(SystemExit) as stopped:
        main(["compare", str(BOOST), str(BOOST), "--measures", "MCC", *(["--quiet"] if quiet else [])])
    assert stopped.value.code == 0
    said = capsys.readouterr().err
    assert said == "" if quiet else said.startswith("karat: comparison of 2 models: 0 s\n")


def test_a_report_tells_of_every_step_and_of_how_many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from karat.cli import report

    told: list[tuple[int | None, str]] = []

    @contextmanager
    def steps(total: int | None = None) -> Iterator[Any]:
        yield lambda what: told.append((total, what))

    monkeypatch.setattr(report, "steps", steps)
    monkeypatch.setattr("karat.page.bundle.ready", lambda: True)
    monkeypatch.setattr("karat.page.bundle.charts", lambda: "window.vegaLite=0;")
    files = [str(DEMO / f"{name}.csv") for name in ("adaboost", "naive_bayes")]
    words = ["report", *files, "--positive", "malignant", "--replicates", "10", "-o", str(tmp_path / "page.html")]
    with pytest.raises(SystemExit):
        main(words)
    counted = [what for total, what in told if total is not None]
    assert {total for total, _ in told if total is not None} == {len(counted)}
    assert counted == [
        "measures of adaboost", "intervals of adaboost", "measures of naive_bayes", "intervals of naive_bayes",
        "comparison", "findings", "curves",
    ]  # fmt: skip
