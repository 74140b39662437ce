"""Commands that write, and something that goes wrong meanwhile: `python tests/faults/commands_under_faults.py`.

Faults: the process is killed or interrupted at a random moment; a write, a flush or a renaming fails (a full disk);
memory runs out at a random call of a function; files may not exceed a size; the clock jumps; two runs share a folder.
Whatever happens: the file is the old one or the whole new one, nothing is printed but a line, and the same command then
gives the same bytes as if nothing had happened. The same `--seed` makes the same faults, but for moments of killing,
which the machine has a say in.
"""

from __future__ import annotations

import argparse
import errno
import json
import os
import random
import re
import resource
import shutil
import signal
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

OLD = b"what was there before"
FAULTS = ("kill", "interrupt", "write", "memory", "size", "clock", "two runs")
PRELOADED = ("scipy.stats", "matplotlib.pyplot", "rich.console", "pyarrow", "karat.cli", "karat.page.report")
ALLOWED = {"kill": {0, -9}, "interrupt": {0, 130}, "write": {0, 2}, "memory": {0, 2, 70}, "size": {0, 2}}
ALLOWED |= {"clock": {0}, "two runs": {0, 2}}
"""How a command may end; 2 is one line that says what to do, 130 an interruption, 70 an internal error in one line."""


def commands(folder: Path) -> dict[str, tuple[list[str], str]]:
    """Name to words and the file that is written."""
    a, b, parts = (str(folder / name) for name in ("a.csv", "b.csv", "parts"))
    kept, study = ["--folder", str(folder / "run"), "--workers", "1"], ["study", "sensitivity", "--size", "2"]
    cells = ["reproduce", "valverde2014", "--share", "0.05"]
    beside = ["compare", parts, str(folder / "others"), "--positive", "1", "--checkpoint", str(folder / "kept")]
    return {
        "report": (["report", a, b, "--positive", "1", "-o", str(folder / "out.html")], "out.html"),
        "plot": (["plot", "roc_curve", a, b, "--positive", "1", "-o", str(folder / "out.svg")], "out.svg"),
        "gate": (["gate", a, "--require", "Acc>=0.1", "--junit", str(folder / "out.xml")], "out.xml"),
        "conformance": (["conformance", "eve", "-o", str(folder / "out.csv")], "out.csv"),
        "study": ([*study, *kept, "-o", str(folder / "table.csv")], "table.csv"),
        "reproduce": ([*cells, *kept[:2], "-o", str(folder / "cells.csv")], "cells.csv"),
        "demo": (["demo", "-o", str(folder / "demo.html")], "demo.html"),
        "checkpoint": (["evaluate", parts, "--checkpoint", str(folder / "kept"), "--json"], ""),
        "compare": ([*beside, "--json"], ""),
    }


def prepared(folder: Path) -> None:
    """Predictions of two models, and a folder of parts of each."""
    rng = random.Random(5)
    parts = (f"{model}/{i}.csv" for model in ("parts", "others") for i in range(3))
    for name in ("a.csv", "b.csv", *parts):
        lines = ["y_true,p_0,p_1"]
        for case in range(60):
            y, p = case * case % 7 % 2, rng.randrange(1, 100) / 100
            lines.append(f"{y},{1 - p:.2f},{p:.2f}")
        file = folder / name
        file.parent.mkdir(exist_ok=True)
        file.write_text("\n".join(lines) + "\n")


def failing_writes(at: int) -> None:
    """The at-th opening, flush or renaming of a file that karat writes fails."""
    count = 0

    def wrapped(function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **more: Any) -> Any:
            nonlocal count
            writes = function is not os_open or (len(arguments) > 1 and arguments[1] & os.O_CREAT)
            count += bool(writes)
            if writes and count == at:
                raise OSError(errno.ENOSPC, "No space left on device")
            return function(*arguments, **more)

        return call

    os_open = os.open
    for name in ("open", "fsync", "replace", "chmod"):
        setattr(os, name, wrapped(getattr(os, name)))


def failing_memory(at: int) -> None:
    """Memory runs out at the at-th call of a function of karat."""
    count = 0

    def seen(frame: Any, event: str, _: Any) -> None:
        nonlocal count
        if event == "call" and f"{os.sep}karat{os.sep}" in frame.f_code.co_filename:
            count += 1
            if count == at:
                sys.setprofile(None)
                raise MemoryError

    sys.setprofile(seen)


def jumping_clock(rng: random.Random) -> None:
    """Time goes on, or back, by up to two years at any look at the clock."""
    real, jump = time.time, [0.0]

    def now() -> float:
        if rng.random() < 0.2:
            jump[0] = rng.uniform(-6e7, 6e7)
        return real() + jump[0]

    time.time = now


def forked() -> int:
    """`os.fork`; the threads of numerical libraries, of which Python warns, are idle then."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return os.fork()


def run(words: list[str], err: Path, out: Path, before: Callable[[], None], after: float | None, how: int) -> int:
    """A command in a process of its own, that is sent a signal after so many seconds: its exit code."""
    pid = forked()
    if pid == 0:
        code = 99
        try:
            for stream, path in ((1, out), (2, err)):
                os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), stream)
            sys.stdout, sys.stderr = (os.fdopen(stream, "w", closefd=False) for stream in (1, 2))
            from karat.cli import main

            before()
            main(words)
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 0
        except BaseException as trouble:
            print(f"Traceback: {type(trouble).__name__}: {trouble}", file=sys.stderr)
        finally:
            sys.setprofile(None)
            try:
                sys.stdout.flush()
                sys.stderr.flush()
            finally:
                os._exit(code)
    if after is not None:
        time.sleep(after)
        with suppress(ProcessLookupError):
            os.kill(pid, how)
    _, status = os.waitpid(pid, 0)
    return os.waitstatus_to_exitcode(status)


class Trials:
    """A folder, what commands write when nothing happens, and how long they take."""

    def __init__(self, folder: Path, wanted: list[str]) -> None:
        self.folder, self.known, self.seconds = folder, {}, {}
        prepared(folder)
        for name in wanted:
            self.clean()
            begun = time.monotonic()
            assert self.end(name) == 0, (folder / "err").read_text()
            self.seconds[name] = time.monotonic() - begun
            self.known[name] = self.written(name)

    def clean(self) -> None:
        for kept in ("run", "kept"):
            shutil.rmtree(self.folder / kept, ignore_errors=True)

    def end(self, name: str, before: Any = lambda: None, after: float | None = None, how: int = signal.SIGKILL) -> int:
        words, _ = commands(self.folder)[name]
        return run(words, self.folder / "err", self.folder / "printed", before, after, how)

    def written(self, name: str) -> bytes:
        file = commands(self.folder)[name][1]
        found = (self.folder / (file or "printed")).read_bytes()
        return re.sub(rb'"resumed": \d+', b"", found)  # how much of an earlier run was used is told, and may differ

    def trial(self, name: str, fault: str, rng: random.Random) -> str:
        """What is wrong afterwards; empty if nothing is."""
        self.clean()
        file = commands(self.folder)[name][1]
        if file:
            (self.folder / file).write_bytes(OLD)
        at = rng.random()
        if fault in ("kill", "interrupt"):
            how = signal.SIGKILL if fault == "kill" else signal.SIGINT
            code = self.end(name, after=at * self.seconds[name], how=how)
        elif fault == "two runs":
            code = self.two(name)
        else:
            size = 1 << rng.randrange(4, 16)
            faults = {
                "write": lambda: failing_writes(1 + int(at * 8)),
                "memory": lambda: failing_memory(2 + int(at**3 * 30000)),  # the first is that of main itself
                "size": lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size)),
                "clock": lambda: jumping_clock(rng),
            }
            code = self.end(name, faults[fault])
        return self.wrong(name, fault, code)

    def two(self, name: str) -> int:
        """The same command twice at once; the exit code of the second."""
        other = forked()
        if other == 0:
            os._exit(
                run(commands(self.folder)[name][0], self.folder / "err2", self.folder / "out2", lambda: None, None, 9)
            )
        code = self.end(name)
        _, status = os.waitpid(other, 0)
        first = os.waitstatus_to_exitcode(status)
        return code if first in (0, 2) and 0 in (first, code) else 99

    def wrong(self, name: str, fault: str, code: int) -> str:
        err = (self.folder / "err").read_text(errors="replace")
        file = commands(self.folder)[name][1]
        if code not in ALLOWED[fault]:
            return f"it ended with {code}: {err[-300:]}"
        if "Traceback" in err or (code == 2 and len([x for x in err.splitlines() if x.startswith("karat: ")]) != 1):
            return f"it said: {err[-300:]}"
        if file:
            found = (self.folder / file).read_bytes()
            if found != OLD and found != self.known[name]:
                return f"{file} is neither the old nor the new one"
            if code == 0 and found == OLD:
                return f"{file} was not written"
        left = [str(p) for p in self.folder.glob(".*.part")]
        if left and fault != "kill":
            return f"left behind: {left}"
        for path in left:
            os.unlink(path)
        if self.end(name) != 0:
            return f"the same command then ends otherwise: {(self.folder / 'err').read_text()[-300:]}"
        return "" if self.written(name) == self.known[name] else "the same command then writes something else"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--first", type=int, default=0, help="the number of the first; each command in turn")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--record", type=Path, help="a file of JSON lines to which the end of each is added")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="end early")
    parser.add_argument("--only", nargs="*", default=[], help="commands")
    parser.add_argument("--faults", nargs="*", default=FAULTS, choices=FAULTS)
    said = parser.parse_args()
    begun = time.monotonic()
    for name in (
        "numpy",
        "scipy.stats",
        "matplotlib.pyplot",
        "typer",
        "rich.console",
        "pyarrow",
        "karat.cli",
        "karat.page.report",
    ):
        __import__(name)
    ends: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        trials = Trials(Path(folder), said.only or list(commands(Path(folder))))
        for number in range(said.first, said.first + said.count):
            if time.monotonic() - begun > said.seconds:
                break
            names = list(trials.known)
            name = names[number // len(said.faults) % len(names)]
            fault = said.faults[number % len(said.faults)]
            trouble = trials.trial(name, fault, random.Random(f"{said.seed}/{number}"))
            ends[f"{fault} of {name}: {'wrong' if trouble else 'well'}"] += 1
            if trouble:
                print(json.dumps({"number": number, "command": name, "fault": fault, "wrong": trouble}), flush=True)
            if said.record is not None:
                told = {"number": number, "command": name, "fault": fault, "wrong": trouble}
                with said.record.open("a", encoding="utf-8") as lines:
                    lines.write(json.dumps(told) + "\n")
    print(json.dumps({"ends": dict(sorted(ends.items()))}))


if __name__ == "__main__":
    main()
