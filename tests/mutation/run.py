"""Plant faults one by one, and see whether the tests notice: `python tests/mutation/run.py`.

The tests are run once without a fault, to learn which of them call which function. Then each fault is planted in a fork
of that process, where the tests that call its function are run, those of its room and the quick ones first, until one
fails. The same seed plants the same faults; what was tried is kept in the record, and a run goes on where the last one
ended. Tests that take more than `--slow` seconds of the processor, those in a browser and those that start programs are
left out; `--again` tries what survived with karat imported afresh, and every test of the files that call the function.
Faults in compiled kernels: `kernel_faults.py`.
"""

from __future__ import annotations

import argparse
import ast
import csv
import os
import pickle
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))
from mutation.callers import Map, Planting, apart, collected, mapped, read_otherwise, run_items
from mutation.faults import Fault, drawn, faults
from mutation.rooms import ROOT, distance, rooms

KEY = ("file", "line", "kind", "before", "after")
FIELDS = ("room", *KEY, "end", "by")
CAUGHT, SURVIVED, AFRESH = "caught", "survived", "to be imported afresh"
PRELOADED = ("numpy", "scipy.stats", "scipy.optimize", "pandas", "pyarrow", "sklearn.metrics", "sklearn.linear_model")
PRELOADED += ("matplotlib.pyplot", "typer.testing", "hypothesis", "narwhals")
NAMED = Path(__file__).with_name("named.csv")


def first_line(source: str, line: int) -> int | None:
    """Where the innermost function around a line begins; None outside of functions."""
    around = None
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef) and node.body[0].lineno <= line <= (node.end_lineno or 0):
            first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
            around = max(around or 0, first)
    return around


def relevant(known: Map, file: str, line: int, wide: bool = False) -> list[str]:
    """Tests that call the function of a line, the nearest and quickest first; of a line outside of functions those that
    call anything in the file. If `wide`, all tests of their files."""
    path = ROOT / file
    at = first_line(path.read_text(encoding="utf-8"), line)
    called = {
        test for test, (_, _, functions) in known.items()
        if any(name == str(path) and at in (None, first) for name, first in functions)
    }  # fmt: skip
    if wide:
        places = {test.split("::")[0] for test in called}
        called = {test for test in known if test.split("::")[0] in places}
    passing = [test for test in called if known[test][1] == ""]
    return sorted(passing, key=lambda test: (distance(test, path), known[test][0]))


class Trials:
    """What tests say of faults."""

    def __init__(self, known: Map, longest: float) -> None:
        self.known, self.longest = known, longest
        self.sound: dict[str, bool] = {}

    def within(self, tests: list[str]) -> list[str]:
        """As many as there is time for."""
        left, chosen = self.longest, []
        for test in tests:
            if self.known[test][0] < left:
                left -= self.known[test][0]
                chosen.append(test)
        return chosen

    def seconds(self, item: Any) -> float:
        return 5.0 + 5 * self.known[item.nodeid][0]

    def end(self, items: list[Any]) -> tuple[str, str]:
        """How tests end, which are run until one fails."""
        for item, end in run_items(items, self.seconds, nullcontext) if items else ():
            if end in ("failed", "too long"):
                return CAUGHT, item.nodeid
        return SURVIVED, ""

    def checked(self, answer: Any, alone: Any) -> tuple[str, str]:
        """An answer; a process that died has caught it. A test that also fails without the fault says nothing."""
        end, test = answer or (CAUGHT, "the process died, or did not end")
        if end == CAUGHT and test in self.known:
            if test not in self.sound:
                self.sound[test] = alone(test) == (SURVIVED, "")
            if not self.sound[test]:
                return "a test that fails alone", test
        return end, test


def in_place(trials: Trials, wanted: list[tuple[str, Fault]], items: list[Any], tell: Any) -> None:
    """Faults within functions, in forks of this process, which has imported everything."""
    by_name = {item.nodeid: item for item in items}
    planting = Planting()

    def alone(test: str) -> Any:
        return apart(lambda: trials.end([by_name[test]]), 100)

    for file, fault in wanted:
        tests = [by_name[test] for test in trials.within(relevant(trials.known, file, fault.line)) if test in by_name]

        def work(file: str = file, fault: Fault = fault, tests: list[Any] = tests) -> tuple[str, str]:
            path = str(ROOT / file)
            source = Path(path).read_text(encoding="utf-8")
            imported = any(getattr(m, "__file__", None) == path for m in list(sys.modules.values()))
            if not planting.planted(path, source, fault) and imported:
                return AFRESH, ""
            read_otherwise(path, fault.planted(source))
            return trials.end(tests)

        tell(file, fault, *trials.checked(apart(work, 4 * trials.longest), alone))


def afresh(trials: Trials, wanted: list[tuple[str, Fault]], wide: bool, tell: Any) -> None:
    """Faults outside of functions, each in a process that imports karat with the fault."""

    def ended(tests: list[str], file: str, text: str) -> Any:
        answer: list[tuple[str, str]] = []

        def chosen(items: list[Any]) -> None:
            by_name = {item.nodeid: item for item in items}
            answer.append(trials.end([by_name[test] for test in tests if test in by_name]))

        def work() -> Any:
            if text:
                read_otherwise(str(ROOT / file), text)
            collected([str(ROOT / place) for place in dict.fromkeys(test.split("::")[0] for test in tests)], chosen)
            return answer[0] if answer else (CAUGHT, "tests can't be imported")

        return apart(work, 4 * trials.longest)

    for file, fault in wanted:
        tests = trials.within(relevant(trials.known, file, fault.line, wide))[: None if wide else 400]
        text = fault.planted((ROOT / file).read_text(encoding="utf-8"))
        tell(file, fault, *trials.checked(ended(tests, file, text), lambda test: ended([test], "", "")))


def by_hand() -> list[tuple[str, Fault]]:
    """Faults that survived once (`named.csv`)."""
    found = []
    for row in read(NAMED):
        text, before = (ROOT / row["file"]).read_bytes(), row["before"].encode()
        assert text.count(before) == 1, row
        start = text.index(before)
        line = text[:start].count(b"\n") + 1
        found.append((row["file"], Fault("by hand", line, start, start + len(before), row["before"], row["after"])))
    return found


def at_random(wanted: list[str], count: int, seed: int) -> list[tuple[str, Fault]]:
    """So many faults of each room, in turns, so that a run that ends early has been everywhere."""
    every = []
    for room, paths in rooms().items():
        if not wanted or room in wanted:
            sites = {str(path.relative_to(ROOT)): faults(path.read_text(encoding="utf-8")) for path in paths}
            every += list(enumerate(drawn(sites, count, random.Random(f"{seed} {room}").randrange(10**9))))
    return [site for _, site in sorted(every, key=lambda turn: turn[0])]


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


def key(file: str, fault: Fault) -> tuple[str, ...]:
    return (file, str(fault.line), fault.kind, fault.before, fault.after)


def main() -> None:
    said = arguments()
    for name in PRELOADED:
        __import__(name)
    room_of = {str(path.relative_to(ROOT)): room for room, paths in rooms().items() for path in paths}
    tried = {tuple(row[k] for k in KEY): row for row in read(said.record)}
    wanted = by_hand() if said.named else at_random(said.rooms, said.count, said.seed)
    left = (SURVIVED, AFRESH) if said.again else ("", AFRESH)
    wanted = [site for site in wanted if tried.get(key(*site), {"end": ""})["end"] in left]
    until = time.monotonic() + said.seconds

    def tell(file: str, fault: Fault, end: str, by: str) -> None:
        row = {"room": room_of[file], **dict(zip(KEY, key(file, fault), strict=True)), "end": end, "by": by}
        tried[key(file, fault)] = row
        write(said.record, list(tried.values()))
        print(
            f"{end:22}{file}:{fault.line} {fault.kind}: {fault.before[:50]!r} -> {fault.after[:50]!r} {by}", flush=True
        )
        if time.monotonic() > until:
            sys.exit("the time is over")

    def serve(items: list[Any]) -> None:
        in_place(Trials(mapped(items, said.slow, said.map), said.longest), wanted, items, tell)

    if not said.again and beside(lambda: collected([str(ROOT / "tests"), str(ROOT / "src")], serve)) == 0:
        tried = {tuple(row[k] for k in KEY): row for row in read(said.record)}
        wanted = [site for site in wanted if tried[key(*site)]["end"] == AFRESH]
    if said.map.exists():
        afresh(Trials(pickle.loads(said.map.read_bytes()), said.longest), wanted, said.again, tell)
    print(Counter(row["end"] for row in tried.values()))


def beside(work: Callable[[], Any]) -> int:
    """Work in another process, which imports karat; this one does not. Its exit code."""
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            work()
            code = 0
        finally:
            sys.stdout.flush()
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rooms", nargs="*", help=f"some of {', '.join(rooms())}; all without")
    parser.add_argument("--count", type=int, default=7, help="faults in each room")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=float("inf"), help="end early")
    parser.add_argument("--slow", type=float, default=2.0, help="seconds that a test may take")
    parser.add_argument("--longest", type=float, default=60.0, help="seconds that all tests of a fault may take")
    parser.add_argument("--named", action="store_true", help="plant those of named.csv instead")
    parser.add_argument("--again", action="store_true", help="try again what survived, with more tests")
    parser.add_argument("--map", type=Path, default=Path(tempfile.gettempdir()) / "karat-calls.pickle")
    parser.add_argument("--record", type=Path, default=Path(__file__).with_name("record.csv"))
    return parser.parse_args()


if __name__ == "__main__":
    os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"
    main()
