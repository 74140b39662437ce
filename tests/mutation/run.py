"""Plant faults one by one in a copy of karat, and see whether its tests notice: `python tests/mutation/run.py`.

The same seed plants the same faults; what was tried is kept in the record, and a run goes on where the last one ended.
A fault is caught if a relevant test fails that passes without it. Tests that take more than `--slow` seconds are left
out, and tests end after `--longest`, both of the processor's time; `--again --slow 1000 --longest 1000` tries what was
not caught with more. `--seconds` ends a run early.
"""

from __future__ import annotations

import argparse
import csv
import os
import pickle
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))
from mutation.faults import Fault, drawn, faults
from mutation.rooms import ROOT, TESTS, files, ordered

KEY = ("file", "line", "kind", "before", "after")
FIELDS = ("room", *KEY, "end", "by")
CAUGHT, SURVIVED, ENDLESS = "caught", "survived", "not caught in time"
PRELOADED = ("numpy", "scipy.stats", "scipy.optimize", "pandas", "pyarrow", "sklearn.metrics", "sklearn.linear_model")
PRELOADED += ("matplotlib.pyplot", "typer.testing")


def copied(to: Path) -> Path:
    """A copy of what is tested, and built: faults are never planted in the original."""
    if not to.exists():
        out = shutil.ignore_patterns("__pycache__", ".git", ".venv", "build", "*.c")
        shutil.copytree(ROOT, to, ignore=out, symlinks=True)
    return to


class Quick:
    """A plugin of pytest: slow tests are left out, and the first that fails is told."""

    def __init__(self, seconds: float, told: Path) -> None:
        self.seconds, self.told = seconds, told

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self, item: Any) -> Iterator[None]:
        """Seconds of the processor, so that a busy machine leaves out the same tests."""

        def slow(*_: Any) -> None:
            pytest.skip("it takes too long for so many faults")

        signal.signal(signal.SIGPROF, slow)
        signal.setitimer(signal.ITIMER_PROF, self.seconds)
        yield
        signal.setitimer(signal.ITIMER_PROF, 0)

    def pytest_runtest_logreport(self, report: Any) -> None:
        """A test that fails."""
        if report.failed:
            self.told.write_text(report.nodeid)

    def pytest_collectreport(self, report: Any) -> None:
        """A file of tests that can't be imported."""
        if report.failed:
            self.told.write_text(report.nodeid)


def child(work: Callable[[], int], seconds: float) -> int | None:
    """What a process of its own answers; None if it doesn't end in time."""
    pid = os.fork()
    if pid == 0:
        os.setsid()
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        silent = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(silent, stream)
        code = 99
        try:
            code = work()
        except BaseException:
            Path(tempfile.gettempdir(), "karat-with-faults.txt").write_text(traceback.format_exc())
        finally:
            os._exit(code)
    until, done = time.monotonic() + seconds, 0
    try:
        while time.monotonic() < until:
            done, status = os.waitpid(pid, os.WNOHANG)
            if done:
                return os.waitstatus_to_exitcode(status)
            time.sleep(0.02)
        return None
    finally:
        if not done:
            os.killpg(pid, signal.SIGKILL)
            os.waitpid(pid, 0)


def run_tests(tree: Path, words: list[str], slow: float, seconds: float, told: Path) -> int | None:
    """Run tests of a tree in a process of its own: pytest's answer."""

    def work() -> int:
        resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds) + 5))
        os.chdir(tree)
        os.environ |= {"PYTHONPATH": str(tree / "src"), "HYPOTHESIS_STORAGE_DIRECTORY": str(tree / ".h")}
        sys.path[:0] = [str(tree / "src")]
        told.unlink(missing_ok=True)
        return int(pytest.main(["-x", "-q", "-p", "no:cacheprovider", *words], plugins=[Quick(slow, told)]))

    return child(work, 20 * seconds)


class Trial:
    """A copy with faults, and what its tests say of each."""

    def __init__(self, tree: Path, slow: float, seconds: float, tests: list[str]) -> None:
        self.tree, self.slow, self.seconds, self.tests = copied(tree), slow, seconds, tests
        self.sound: dict[str, bool] = {}
        self.told = tree.with_suffix(".told")

    def passes_without(self, test: str) -> bool:
        """Whether a test that failed passes where there is no fault; otherwise it says nothing."""
        if test not in self.sound:
            self.sound[test] = run_tests(ROOT, [test], 1000, 300, self.told) == 0
        return self.sound[test]

    def end(self, room: str, file: str, text: str) -> tuple[str, str]:
        """Whether the tests of a room notice that a file reads otherwise, and which of them."""
        path, words = self.tree / file, self.tests or [*ordered(room, file, self.tree), str(self.tree / file)]
        silent: list[str] = []
        try:
            path.write_text(text, encoding="utf-8")
            forget(path)
            while True:
                without = [word for test in silent for word in ("--deselect", test)]
                code = run_tests(self.tree, words + without, self.slow, self.seconds, self.told)
                if code in (None, -signal.SIGXCPU, -signal.SIGKILL):
                    return ENDLESS, ""
                if code == 0 or not self.told.exists():
                    return (SURVIVED, "") if code == 0 else (CAUGHT, f"pytest ended with {code}")
                test = self.told.read_text()
                if self.passes_without(test):
                    return CAUGHT, test
                silent.append(test)
        finally:
            shutil.copyfile(ROOT / file, path)
            forget(path)


def forget(path: Path) -> None:
    """What was compiled of a file, which may be as long and as old as its next version."""
    for compiled in (path.parent / "__pycache__").glob(f"{path.stem}.*.pyc"):
        compiled.unlink()


def by_hand() -> dict[str, list[tuple[str, Fault]]]:
    """Faults that survived once (`named.csv`)."""
    found: dict[str, list[tuple[str, Fault]]] = {}
    for row in read(Path(__file__).with_name("named.csv")):
        text, before = (ROOT / row["file"]).read_bytes(), row["before"].encode()
        assert text.count(before) == 1, row
        start = text.index(before)
        line = text[:start].count(b"\n") + 1
        fault = Fault("by hand", line, start, start + len(before), row["before"], row["after"])
        found.setdefault(row["room"], []).append((row["file"], fault))
    return found


def chosen_in(rooms: Iterable[str], count: int, seed: int, kept: Path) -> dict[str, list[tuple[str, Any]]]:
    """The faults of each room; those of an earlier run with the same seed are kept beside the copy."""
    if not kept.exists():
        kept.write_bytes(pickle.dumps({room: chosen(room, count, seed) for room in TESTS}))
    known = pickle.loads(kept.read_bytes())
    return {room: known[room] for room in rooms}


def chosen(room: str, count: int, seed: int) -> list[tuple[str, Any]]:
    """The faults of a room."""
    sites = {str(path.relative_to(ROOT)): faults(path.read_text(encoding="utf-8")) for path in files(room)}
    return drawn(sites, count, seed)


def read(record: Path) -> list[dict[str, str]]:
    """What was tried before."""
    if not record.exists():
        return []
    with record.open(newline="", encoding="utf-8") as lines:
        return list(csv.DictReader(lines))


def write(record: Path, rows: list[dict[str, str]]) -> None:
    with record.open("w", newline="", encoding="utf-8") as lines:
        writer = csv.DictWriter(lines, FIELDS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def main() -> None:
    said = arguments()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that no tests go on and no fault stays
    for name in PRELOADED:
        __import__(name)
    trial = Trial(said.tree, said.slow, said.longest, said.tests)
    rows = read(said.record)
    known = {tuple(row[key] for key in KEY): row for row in rows}
    sites = said.tree.with_suffix(f".{said.seed}-{said.count}")
    chosen_ones = by_hand() if said.named else chosen_in(said.rooms or TESTS, said.count, said.seed, sites)
    until = time.monotonic() + said.seconds
    for place in range(said.count):  # one of each room in turn, so that a run that ends early has been everywhere
        for room, drawn_here in chosen_ones.items():
            if place >= len(drawn_here) or time.monotonic() > until:
                continue
            file, fault = drawn_here[place]
            key = (file, str(fault.line), fault.kind, fault.before, fault.after)
            row = known.setdefault(key, {"room": room, **dict(zip(KEY, key, strict=True))})
            if "end" in row and not (said.again and row["end"] != CAUGHT):
                continue
            row["end"], row["by"] = trial.end(room, file, fault.planted((ROOT / file).read_text(encoding="utf-8")))
            write(said.record, list(known.values()))
            print(
                f"{row['end']:20}{file}:{fault.line} {fault.kind}: {fault.before[:40]!r} -> {fault.after[:40]!r}",
                flush=True,
            )


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rooms", nargs="*", help=f"some of {', '.join(TESTS)}; all without")
    parser.add_argument("--count", type=int, default=10, help="faults in each room")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--slow", type=float, default=2.0, help="seconds that a test may take")
    parser.add_argument("--longest", type=float, default=120.0, help="seconds that all tests of a fault may take")
    parser.add_argument("--named", action="store_true", help="plant those of named.csv instead")
    parser.add_argument("--tests", nargs="*", default=[], help="tests to run instead of those of the room")
    parser.add_argument("--again", action="store_true", help="try again what survived")
    parser.add_argument("--tree", type=Path, default=Path(tempfile.gettempdir()) / "karat-with-faults")
    parser.add_argument("--record", type=Path, default=Path(__file__).parent / "record.csv")
    return parser.parse_args()


if __name__ == "__main__":
    main()
