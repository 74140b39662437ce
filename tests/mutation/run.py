"""Plant faults one by one, and see whether the tests notice: `python tests/mutation/run.py`.

Tests are collected once, in a process that has imported everything. Each fault is planted in a fork of it, where the
tests that are nearest to the fault are run until one fails or the time is over. The same seed plants the same faults;
what was tried is kept in the record, and a run goes on where the last one ended. Tests in a browser, and those that
start programs, are left out. `--again --longest 60 --each 1000` tries what survived with more tests.
Faults in compiled kernels: `kernel_faults.py`.
"""

from __future__ import annotations

import argparse
import ast
import csv
import inspect
import os
import random
import re
import sys
import time
from collections import Counter
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))
from mutation.callers import Planting, apart, collected, few_of_each, read_otherwise, run_items, spent
from mutation.faults import Fault, drawn, faults
from mutation.rooms import ROOT, rooms

KEY = ("file", "line", "kind", "before", "after")
FIELDS = ("room", *KEY, "end", "by")
CAUGHT, SURVIVED, AFRESH, LATE = "caught", "survived", "to be imported afresh", "too long"
PRELOADED = ("numpy", "scipy.stats", "scipy.optimize", "pandas", "pyarrow", "sklearn.metrics", "sklearn.linear_model")
PRELOADED += ("matplotlib.pyplot", "typer.testing", "hypothesis", "narwhals")
SLOW = 1.5
"""Seconds of the processor that a test may take."""
NAMED = Path(__file__).with_name("named.csv")


def around(source: str, line: int) -> tuple[str, ...]:
    """The names of the function and of the class around a line."""
    names = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.lineno <= line <= (node.end_lineno or 0):
            names.append(node.name)
    return tuple(reversed(names))


PROGRAMS = re.compile(r"subprocess|n_jobs|workers=[2-9]|Pool|Cluster|os\.fork|Timer")


def _starts_others(item: Any) -> bool:
    """Whether a test starts a browser or other programs, in which there is no fault."""
    function = getattr(item, "function", None)
    text = inspect.getsource(function) if function is not None and hasattr(function, "__code__") else ""
    return "browser" in getattr(item, "fixturenames", ()) or PROGRAMS.search(text) is not None


class Tests:
    """The tests, and how near they are to a line."""

    def __init__(self, items: list[Any], each: int) -> None:
        self.items = few_of_each([item for item in items if not _starts_others(item)], each)
        self.texts = {path: path.read_text(encoding="utf-8") for path in {Path(item.path) for item in self.items}}

    def near(self, file: str, line: int) -> list[Any]:
        """Those that name the function, its file or its class, or are in the folder of its tests; the nearest first."""
        path = ROOT / file
        names = around(path.read_text(encoding="utf-8"), line)
        module = re.compile(rf"\b{path.stem.strip('_')}\b")
        words = [re.compile(rf"\b{name}\b") for name in names if not name.startswith("__")]
        known = {
            place: (
                sum(bool(word.search(text)) for word in words),
                bool(module.search(text)),
                place.stem.removeprefix("test_") == path.stem.strip("_"),
                place.parent.name == path.parent.name,
            )
            for place, text in self.texts.items()
        }

        def distance(item: Any) -> tuple[int, ...]:
            code = getattr(getattr(item, "function", None), "__code__", None)
            called = code is not None and any(name in code.co_names for name in names)
            mentions, named, own, beside = known[Path(item.path)]
            return (Path(item.path) != path, -called, -own, -mentions, -named, -beside)

        far = (True, 0, 0, 0, 0, 0)
        return sorted((item for item in self.items if distance(item) != far), key=distance)


def ended(items: list[Any], longest: float, slow: float = SLOW) -> tuple[str, str]:
    """How tests end, which are run until one fails, takes too long, or the time of all is over."""
    begun, late = spent(), ""
    for item, end in run_items(items, lambda _: slow, nullcontext) if items else ():
        if end == "failed":
            return CAUGHT, item.nodeid
        late = late or (item.nodeid if end == "too long" else "")
        if spent() - begun > longest:
            break
    return (LATE, late) if late else (SURVIVED, "")


class Sound:
    """Whether tests pass where there is no fault, and in less time; otherwise they say nothing."""

    def __init__(self) -> None:
        self.known: dict[str, bool] = {}

    def answer(self, work: Callable[[list[Any]], Any], items: list[Any]) -> tuple[str, str]:
        """What the tests say of a fault; a process that dies has caught it, too."""
        left = [item for item in items if self.known.get(item.nodeid, True)]
        while True:
            end, test = work(left) or (CAUGHT, "the process died, or did not end")
            item = next((item for item in left if item.nodeid == test), None)
            if end not in (CAUGHT, LATE) or item is None:
                return end, test
            if test not in self.known:
                self.known[test] = apart(lambda item=item: ended([item], 100, 0.6 * SLOW), 100) == (SURVIVED, "")
            if self.known[test]:
                return CAUGHT, test
            if end == LATE:
                return SURVIVED, ""
            left.remove(item)


def in_place(tests: Tests, wanted: list[tuple[str, Fault]], longest: float, tell: Any) -> None:
    """Faults within functions, in forks of this process, which has imported everything."""
    planting, sound = Planting(), Sound()
    for file, fault in wanted:
        path = str(ROOT / file)
        source = Path(path).read_text(encoding="utf-8")

        def work(items: list[Any], path: str = path, source: str = source, fault: Fault = fault) -> Any:
            def inside() -> tuple[str, str]:
                imported = any(getattr(m, "__file__", None) == path for m in list(sys.modules.values()))
                if not planting.planted(path, source, fault) and imported:
                    return AFRESH, ""
                read_otherwise(path, fault.planted(source))
                return ended(items, longest)

            return apart(inside, 4 * longest)

        tell(file, fault, *sound.answer(work, tests.near(file, fault.line)))


def afresh(wanted: list[tuple[str, Fault]], longest: float, tell: Any) -> None:
    """Faults outside of functions, each in a process that imports karat with the fault."""
    for file, fault in wanted:
        text = fault.planted((ROOT / file).read_text(encoding="utf-8"))
        answer: list[tuple[str, str]] = []

        def chosen(items: list[Any], file: str = file, fault: Fault = fault, answer: Any = answer) -> None:
            answer.append(ended(Tests(items, 2).near(file, fault.line), longest))

        def work(file: str = file, text: str = text, chosen: Any = chosen, answer: Any = answer) -> Any:
            read_otherwise(str(ROOT / file), text)
            folders = [str(path) for path in near_folders(file)]
            collected([*folders, str(ROOT / file)], chosen)
            return answer[0] if answer else (CAUGHT, "karat or its tests can't be imported")

        tell(file, fault, *(apart(work, 4 * longest + 60) or (CAUGHT, "the process died, or did not end")))


def near_folders(file: str) -> list[Path]:
    """The tests of a file's folder, and those of all measures."""
    own = ROOT / "tests" / (ROOT / file).parent.name
    return [path for path in (own, ROOT / "tests" / "measures", ROOT / "tests" / "test_evaluation.py") if path.exists()]


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
        in_place(Tests(items, said.each), wanted, said.longest, tell)

    if beside(lambda: collected([str(ROOT / "tests"), str(ROOT / "src")], serve)) == 0:
        tried = {tuple(row[k] for k in KEY): row for row in read(said.record)}
        afresh([site for site in wanted if tried[key(*site)]["end"] == AFRESH], 10 * said.longest, tell)
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
    parser.add_argument("--longest", type=float, default=4.0, help="seconds that the tests of a fault may take")
    parser.add_argument("--each", type=int, default=2, help="parameters of a test that are tried")
    parser.add_argument("--named", action="store_true", help="plant those of named.csv instead")
    parser.add_argument("--again", action="store_true", help="try again what survived, with more tests")
    parser.add_argument("--record", type=Path, default=Path(__file__).with_name("record.csv"))
    return parser.parse_args()


if __name__ == "__main__":
    os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"
    main()
