"""Which tests come by which lines of karat, and how long they take: seen once, with coverage, and kept.

A test that does not come by a fault can't catch it; of those that do, the quickest are run first.
"""

from __future__ import annotations

import ast
import pickle
import time
import zlib
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np

from mutation.callers import apart, few_of_each, run_items, spent
from mutation.rooms import ROOT, SOURCE

SLOWEST = 3.0
"""Seconds of the processor that a test may take while it is looked at."""


class Reach:
    """What was seen, kept in a file that grows with every file of tests."""

    def __init__(self, kept: Path) -> None:
        self.kept = kept
        self.seconds: dict[str, float] = {}
        """of every test that passes"""
        self.lines: dict[str, dict[int, list[Any]]] = defaultdict(dict)
        """the tests that come by a line, as places in `names`"""
        self.names: list[str] = []
        self.done: dict[str, int] = {}
        """the files of tests that were looked at, as they were"""
        if kept.exists():
            self.seconds, self.lines, self.names, self.done = pickle.loads(kept.read_bytes())

    def look(self, items: list[Any], each: int, until: float) -> bool:
        """Run so many parameters of every test where there is no fault; whether all files of tests were looked at."""
        files: dict[str, list[Any]] = {}
        for item in few_of_each(items, each):
            files.setdefault(str(Path(item.path).relative_to(ROOT)), []).append(item)
        for file, some in files.items():
            now = zlib.crc32((ROOT / file).read_bytes())
            if self.done.get(file) == now:
                continue
            if time.monotonic() > until:
                return False
            begun = time.monotonic()
            seconds, lines = apart(lambda some=some: _seen(some), 600) or ({}, {})
            self._add(seconds, lines)
            self.done[file] = now
            print(f"{time.monotonic() - begun:6.1f} s: {len(seconds)} of {len(some)} tests of {file}", flush=True)
            self.kept.write_bytes(pickle.dumps((self.seconds, self.lines, self.names, self.done)))
        return True

    def _add(self, seconds: dict[str, float], lines: dict[str, dict[int, list[str]]]) -> None:
        self.seconds |= seconds
        number = {test: i for i, test in enumerate(seconds, len(self.names))}
        self.names += list(seconds)
        for file, here in lines.items():
            for line, tests in here.items():
                places = np.array([number[test] for test in tests if test in number], np.uint32)
                if len(places):
                    self.lines[file].setdefault(line, []).append(places)

    def coming_by(self, file: str, lines: range) -> list[str]:
        """The tests that come by any of the lines, the quickest first."""
        here = self.lines.get(file, {})
        found = {int(place) for line in lines for places in here.get(line, ()) for place in places}
        return sorted({self.names[place] for place in found}, key=self.seconds.__getitem__)

    def of_file(self, file: str) -> list[str]:
        """The tests that come by any line of a file."""
        return self.coming_by(file, range(max(self.lines.get(file, {0: []})) + 1))


def _seen(items: list[Any]) -> tuple[dict[str, float], dict[str, dict[int, list[str]]]]:
    """Seconds of the tests of one file that pass, and the lines that they come by."""
    import coverage

    watch = coverage.Coverage(data_file=None, source=[str(SOURCE)], config_file=False, messages=False)
    seconds: dict[str, float] = {}
    watch.start()
    names = {str(i): item.nodeid for i, item in enumerate(items)}

    class Around:
        number, begun = -1, 0.0

        def __enter__(self) -> None:
            Around.number += 1
            watch.switch_context(str(Around.number))
            Around.begun = spent()

        def __exit__(self, *_: Any) -> None:
            Around.begun = spent() - Around.begun

    for item, end in run_items(items, lambda _: SLOWEST, Around):
        if end == "" and Around.begun < SLOWEST:
            seconds[item.nodeid] = Around.begun
    watch.stop()
    data = watch.get_data()
    lines = {}
    for file in data.measured_files():
        found = data.contexts_by_lineno(file)
        lines[str(Path(file).relative_to(ROOT))] = {
            line: [names[place] for place in places if place] for line, places in found.items()
        }
    return seconds, lines


def statement(source: str, line: int) -> range:
    """The lines of the statement around a line; of one that holds others, those of its head."""
    best = range(line, line + 1)
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.stmt) or not node.lineno <= line <= (node.end_lineno or 0):
            continue
        body = getattr(node, "body", None)
        last = body[0].lineno - 1 if body else node.end_lineno or line
        if node.lineno <= line <= max(last, node.lineno):
            best = range(node.lineno, max(last, node.lineno) + 1)
    return best
