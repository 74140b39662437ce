"""The tests, collected once, and what they say of karat with a fault.

A fault within a function is planted by giving that function other code, in a fork of a process that has imported
everything; others by importing karat afresh in a fork of a process that has imported what karat needs.
"""

from __future__ import annotations

import gc
import os
import pickle
import resource
import signal
import tempfile
import time
import traceback
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import pytest

from mutation.faults import Fault
from mutation.rooms import KEPT_ANSWERS, LEFT_OUT, ROOT

WORDS = [
    "-q",
    "-s",
    "-p",
    "no:cacheprovider",
    "-p",
    "no:faulthandler",
    "-W",
    "ignore::pytest.PytestAssertRewriteWarning",
]


class TooLong(BaseException):
    """A test takes longer than it may."""


STILL = 120.0
"""Seconds after which a process that computes nothing is taken for one that waits for ever."""


def apart(work: Callable[[], Any], seconds: float) -> Any:
    """What a function gives in a process of its own; None if that dies, takes longer than so many seconds of the
    processor, or stands still."""
    descriptor, answer = tempfile.mkstemp()  # not a pipe, which programs that are left behind would keep open
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            os.setpgid(0, 0)  # a group, not a session: who freezes this work freezes all of it
            silent = os.open(os.devnull, os.O_RDWR)
            for stream in (0, 1, 2):
                os.dup2(silent, stream)
            resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + 1, int(seconds) + 5))
            with os.fdopen(descriptor, "wb") as out:
                pickle.dump(work(), out)
            code = 0
        except BaseException:
            Path(tempfile.gettempdir(), "karat-with-faults.txt").write_text(traceback.format_exc())
        finally:
            os._exit(code)
    status = _waited(pid)
    with suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)  # what it has started and left
    with os.fdopen(descriptor, "rb") as out:
        out.seek(0)
        content = out.read()
    os.unlink(answer)
    return pickle.loads(content) if content and status == 0 else None


def _waited(pid: int) -> int:
    """The exit code of a process, which is killed once it stands still: by what it has computed, not by the clock, as
    both it and this one may be frozen for a while."""
    pause, still, before = 0.002, 0.0, ""
    while True:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        now = " ".join(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:15])
        still = 0.0 if now != before else still + pause
        before = now
        if still > STILL:
            with suppress(ProcessLookupError):
                os.killpg(pid, signal.SIGKILL)
        time.sleep(pause)
        pause = min(2 * pause, 0.2)


class Loop:
    """A plugin of pytest: tests are collected, and given to somebody instead of run."""

    def __init__(self, work: Callable[[list[Any]], None]) -> None:
        self.work = work

    def pytest_runtestloop(self, session: Any) -> bool:
        self.work(session.items)
        return True


def collected(paths: list[str], work: Callable[[list[Any]], None]) -> None:
    """Collect tests and work with them."""
    from hypothesis import Phase, settings

    os.environ["OMP_NUM_THREADS"] = "1"
    phases = [Phase.explicit, Phase.generate]
    settings.register_profile("faults", phases=phases, database=None, derandomize=True, deadline=None)
    settings.load_profile("faults")
    left_out = [f"--ignore={ROOT / 'tests' / name}" for name in LEFT_OUT]
    pytest.main([*WORDS, *left_out, *paths], plugins=[Loop(work)])


class Reports:
    """A plugin: whether something failed; the time of a test is limited, that of its report is not."""

    def __init__(self) -> None:
        self.failed = self.skipped = self.late = False
        self.seconds = 0.0

    def pytest_runtest_logreport(self, report: Any) -> None:
        self.failed |= report.failed
        self.skipped |= report.skipped

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self) -> Iterator[None]:
        signal.setitimer(signal.ITIMER_PROF, self.seconds, 5.0)
        try:
            return (yield)
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)


def run_items(
    items: list[Any], seconds: Callable[[Any], float], around: Callable[[], Any]
) -> Iterator[tuple[Any, str]]:
    """Run tests: each with whether it failed, was skipped or took too long."""

    def slow(*_: Any) -> None:
        reports.late = True
        raise TooLong

    reports = Reports()
    items[0].config.pluginmanager.register(reports)
    signal.signal(signal.SIGPROF, slow)
    for item, following in zip(items, [*items[1:], None], strict=True):
        reports.failed = reports.skipped = reports.late = False
        reports.seconds = seconds(item)
        with around():
            try:
                item.ihook.pytest_runtest_protocol(item=item, nextitem=following)
            except BaseException:  # the time was over while pytest was at work
                reports.late = True
                with suppress(BaseException):
                    item.session._setupstate.teardown_exact(None)
        ends = {"too long": reports.late, "failed": reports.failed, "skipped": reports.skipped}
        yield item, next((end for end, true in ends.items() if true), "")


def spent() -> float:
    """Seconds of the processor, with those of the programs that were started."""
    return sum(os.times()[:4])


def few_of_each(items: list[Any], most: int = 3) -> list[Any]:
    """Of each test no more than so many of its parameters, the first, the last and those between; of kept answers
    all, as each is about something else."""
    siblings: dict[str, list[Any]] = defaultdict(list)
    for item in items:
        name = item.nodeid
        siblings[name if name.startswith(KEPT_ANSWERS) else name.split("[")[0]].append(item)
    kept = set()
    for every in siblings.values():
        step = max(len(every) - 1, 1) / max(min(most, len(every)) - 1, 1)
        kept |= {id(every[round(i * step)]) for i in range(min(most, len(every)))}
    return [item for item in items if id(item) in kept]


def codes(code: CodeType) -> Iterator[CodeType]:
    """The functions of a module and of its classes, in order; not those within functions."""
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            if inner.co_flags & 1:  # a function; bodies of classes are none
                yield inner
            else:
                yield from codes(inner)


class Planting:
    """Functions that are imported, to be given other code."""

    def __init__(self) -> None:
        gc.collect()
        self.functions: dict[tuple[str, str, int], list[FunctionType]] = defaultdict(list)
        for thing in gc.get_objects():
            if type(thing) is FunctionType and "karat" in thing.__code__.co_filename:
                code = thing.__code__
                self.functions[code.co_filename, code.co_qualname, code.co_firstlineno].append(thing)
        gc.freeze()

    def planted(self, path: str, source: str, fault: Fault) -> bool:
        """Give the functions that differ their new code; False if none is imported."""
        old, new = (list(codes(compile(text, path, "exec"))) for text in (source, fault.planted(source)))
        changed = [
            (a, b) for a, b in zip(old, new, strict=True) if a.co_firstlineno <= fault.line <= max_line(a) and a != b
        ]
        hit = [(f, b) for a, b in changed for f in self.functions[path, a.co_qualname, a.co_firstlineno]]
        for function, code in hit:
            function.__code__ = code
        return bool(hit)


def max_line(code: CodeType) -> int:
    """The last line of a function."""
    lines = [line for *_, line in code.co_lines() if line is not None]
    return max(lines + [max_line(c) for c in code.co_consts if isinstance(c, CodeType)])
