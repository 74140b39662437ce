"""Plant faults one by one, and see whether the tests notice: `python tests/mutation/run.py`.

It is done in a copy of karat. Tests are collected once, in a process that has imported everything, and run once
without a fault to see which come by which lines (`reach.py`). Each fault is then written into its file, and into the
function that is imported, in a fork of that process, where the tests that come by are run, the quickest first, until
one fails or the time is over. The same seed plants the same faults; what was tried is kept in the record, and a run
goes on where the last one ended. Tests in a browser are left out. `--again --longest 300 --each 1000` tries what
survived with more tests. Faults in compiled kernels: `kernel_faults.py`. It needs `coverage`.
"""

from __future__ import annotations

import argparse
import ast
import compileall
import os
import random
import re
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))
from mutation.callers import Planting, apart, collected, few_of_each, run_items, spent
from mutation.faults import Fault, drawn, faults
from mutation.reach import Reach, statement
from mutation.records import AFRESH, CAUGHT, KEY, LATE, RECORD, SURVIVED, UNSEEN, Key, Record, read, told
from mutation.rooms import ROOT, rooms

PRELOADED = ("numpy", "scipy.stats", "scipy.optimize", "pandas", "pyarrow", "sklearn.metrics", "sklearn.linear_model")
PRELOADED += ("matplotlib.pyplot", "typer.testing", "hypothesis", "narwhals")
NAMED = Path(__file__).with_name("named.csv")


def around(source: str, line: int) -> tuple[str, ...]:
    """The names of the function and of the class around a line."""
    names = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.lineno <= line <= (node.end_lineno or 0):
            names.append(node.name)
    return tuple(reversed(names))


def in_browser(item: Any) -> bool:
    return "browser" in getattr(item, "fixturenames", ())


class Tests:
    """The tests, and which may notice a fault."""

    def __init__(self, items: list[Any], reach: Reach, each: int) -> None:
        self.items = {item.nodeid: item for item in items if not in_browser(item)}
        self.reach, self.few = reach, few_of_each(list(self.items.values()), each)
        self.texts = {path: path.read_text(encoding="utf-8") for path in {Path(x.path) for x in self.items.values()}}

    def near(self, file: str, line: int) -> list[Any]:
        """Those whose parameters are named like what is around; those that come by, the quickest first; then others of
        the same names and files: what is made once for many tests was seen with the first of them, only some of their
        parameters were looked at, and what other programs do was not seen."""
        source = (ROOT / file).read_text(encoding="utf-8")
        first = self.reach.coming_by(file, statement(source, line)) or self.reach.of_file(file)
        words = [re.compile(rf"\b{name}\b") for name in around(source, line) if not name.startswith("__")]
        called = [t for t in self.items if "[" in t and any(word.search(t.split("[", 1)[1]) for word in words)]
        words.append(re.compile(rf"\b{Path(file).stem.strip('_')}\b"))
        named = {test.split("[")[0] for test in first}
        files = {test.split("::")[0] for test in first}

        mentions = {path: sum(bool(word.search(text)) for word in words) for path, text in self.texts.items()}

        def far(item: Any) -> tuple[bool, int, bool, float]:
            known = self.reach.seconds.get(item.nodeid)
            return item.nodeid.split("[")[0] not in named, -mentions[Path(item.path)], known is None, known or 0.0

        first = list(dict.fromkeys(called[:60] + first))
        seen = set(first)
        others = [
            item
            for item in self.few
            if item.nodeid not in seen and (item.nodeid.split("::")[0] in files or mentions[Path(item.path)])
        ]
        return [self.items[test] for test in first if test in self.items] + sorted(others, key=far)


def ended(items: list[Any], longest: float, known: dict[str, float]) -> tuple[str, str]:
    """How tests end, which are run until one fails, takes too long, or the time of all is over."""
    begun = spent()
    for item, end in run_items(items, lambda item: 5 + 4 * known.get(item.nodeid, 3.0), nullcontext) if items else ():
        if end == "failed" or (end == "too long" and item.nodeid in known):
            return CAUGHT, item.nodeid
        if spent() - begun > longest:
            return LATE, ""
    return SURVIVED, "" if items else "no test comes by"


class Sound:
    """Whether tests pass where there is no fault; otherwise they say nothing."""

    def __init__(self, known: dict[str, float]) -> None:
        self.known: dict[str, bool] = {}
        self.seconds = known

    def answer(self, work: Callable[[list[Any]], Any], items: list[Any]) -> tuple[str, str]:
        """What the tests say of a fault; a process that dies has caught it, too."""
        left = [item for item in items if self.known.get(item.nodeid, True)]
        while True:
            end, test = work(left) or (CAUGHT, "the process died, or did not end")
            item = next((item for item in left if item.nodeid == test), None)
            if end != CAUGHT or item is None:
                return end, test
            if test not in self.known:
                alone = apart(lambda item=item: ended([item], 100, self.seconds), 100)
                self.known[test] = alone == (SURVIVED, "")
            if self.known[test]:
                return CAUGHT, test
            left.remove(item)


@contextmanager
def written(file: str, fault: Fault) -> Iterator[str]:
    """A file with the fault, for whoever reads it; afterwards it is as it was."""
    path = ROOT / file
    source = path.read_text(encoding="utf-8")
    for old in (path.parent / "__pycache__").glob(f"{path.stem}.*.pyc"):
        old.unlink()
    path.write_text(fault.planted(source), encoding="utf-8")
    try:
        yield source
    finally:
        path.write_text(source, encoding="utf-8")


def in_place(tests: Tests, wanted: list[tuple[str, Fault]], longest: float, tell: Any) -> None:
    """Faults within functions, in forks of this process, which has imported everything."""
    planting, sound = Planting(), Sound(tests.reach.seconds)
    for file, fault in wanted:
        items, path = tests.near(file, fault.line), str(ROOT / file)

        def work(items: list[Any], path: str = path, fault: Fault = fault, file: str = file) -> Any:
            def inside() -> tuple[str, str]:
                imported = any(getattr(m, "__file__", None) == path for m in list(sys.modules.values()))
                if not planting.planted(path, source, fault) and imported:
                    return AFRESH, ""
                return ended(items, longest, tests.reach.seconds)

            with written(file, fault) as source:
                return apart(inside, 4 * longest + 20)

        tell(file, fault, *sound.answer(work, items))


def afresh(wanted: list[tuple[str, Fault]], reach: Reach, longest: float, tell: Any) -> None:
    """Faults outside of functions, each in a process that imports karat with the fault. A test that fails without it,
    too, says nothing, and is left out."""
    failing: dict[str, bool] = {}

    def end_of(file: str, fault: Fault) -> tuple[str, str]:
        def asked(only: str = "") -> tuple[str, str]:
            answer: list[tuple[str, str]] = []

            def chosen(items: list[Any]) -> None:
                near = Tests(items, reach, 6).near(file, fault.line)
                near = [x for x in near if (x.nodeid == only if only else not failing.get(x.nodeid))]
                answer.append(ended(near, longest, reach.seconds))

            def work() -> Any:
                collected(near_files(file, reach), chosen)
                return answer[0] if answer else (CAUGHT, "karat or its tests can't be imported")

            return apart(work, 4 * longest + 60) or (CAUGHT, "the process died, or did not end")

        while True:
            with written(file, fault):
                end, by = asked()
            if end != CAUGHT or "::" not in by:
                return end, by
            if by not in failing:
                failing[by] = asked(by)[0] == CAUGHT
            if not failing[by]:
                return end, by

    for file, fault in wanted:
        tell(file, fault, *end_of(file, fault))


def near_files(file: str, reach: Reach) -> list[str]:
    """The file itself, its folder's tests, those that come by it most, and those of all measures."""
    often = Counter(test.split("::")[0] for test in reach.of_file(file))
    own = ROOT / "tests" / (ROOT / file).parent.name
    places = [ROOT / file, own, ROOT / "tests" / "mutation", *(ROOT / name for name, _ in often.most_common(8))]
    return list(dict.fromkeys(str(path) for path in places if path.exists()))


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


def by_lines(count: int, seed: int) -> list[tuple[str, Fault]]:
    """So many faults in all that no other seed has planted, of each room as many as its share of the lines, and of
    every kind the same."""
    every = []
    for room, paths in rooms().items():
        texts = {str(path.relative_to(ROOT)): path.read_text(encoding="utf-8") for path in paths}
        lines = sum(len(text.splitlines()) for text in texts.values())
        every.append((room, lines, {file: faults(text) for file, text in texts.items()}))
    all_lines, found, rng = sum(lines for _, lines, _ in every), [], random.Random(seed)
    known = {tuple(row[k] for k in KEY) for row in (*read(RECORD), *read(UNSEEN)) if row.get("seed") != str(seed)}
    for room, lines, sites in every:
        new = {file: [fault for fault in here if key(file, fault) not in known] for file, here in sites.items()}
        share = count * lines / all_lines
        some = int(share) + (rng.random() < share % 1)
        found += drawn(new, some, random.Random(f"{seed} {room}").randrange(10**9), any_kind_first=True)
    rng.shuffle(found)
    return found


def once_more(record: Record) -> list[tuple[str, Fault]]:
    """The faults of a record that were not caught, in the same definition or where they are now."""
    found = []
    for row in record.left():
        source = (ROOT / row["file"]).read_text(encoding="utf-8")
        same = [f for f in faults(source) if (f.kind, f.before, f.after) == (row["kind"], row["before"], row["after"])]
        if same:
            found.append((row["file"], min(same, key=lambda f: f.place != row["place"])))
    return found


def key(file: str, fault: Fault) -> Key:
    return (file, fault.place, fault.kind, fault.before, fault.after)


def main() -> None:
    said = arguments()
    if said.page:
        told()
        return
    if said.tree != ROOT:  # go on there
        if not said.tree.exists():
            copied(said.tree)
        words = [sys.executable, str(said.tree / "tests" / "mutation" / "run.py"), *sys.argv[1:]]
        more = ["--tree", str(said.tree), "--record", str(said.record.absolute())]
        os.chdir(said.tree)
        os.execve(sys.executable, words + more, surroundings(said.tree))
    for name in (*PRELOADED, "coverage"):  # without which nobody sees which tests come by
        __import__(name)
    room_of = {str(path.relative_to(ROOT)): room for room, paths in rooms().items() for path in paths}
    of_seed = said.seed if said.record.name == UNSEEN.name else None
    record = Record(said.record, of_seed, said.again, said.decide)
    wanted = by_hand() if said.named else at_random(said.rooms, said.count, said.seed)
    if said.all:
        wanted = by_lines(said.all, said.seed)
    if said.again or said.decide:
        wanted = once_more(record)
    wanted = [site for site in wanted if record.end(key(*site)) in ("", AFRESH)]
    until = time.monotonic() + said.seconds

    def tell(file: str, fault: Fault, end: str, by: str) -> None:
        record.tell(room_of[file], key(file, fault), end, by)
        print(
            f"{end:22}{file}:{fault.line} {fault.kind}: {fault.before[:50]!r} -> {fault.after[:50]!r} {by}", flush=True
        )
        if time.monotonic() > until:
            over()

    kept = said.tree / "reach.pickle"

    def serve(items: list[Any]) -> None:
        reach = Reach(kept)
        slow = [x for x in items if not in_browser(x) and "tests" in Path(x.path).relative_to(ROOT).parts]
        if not reach.look(slow, 2, until):  # examples of docstrings are quick
            over()
        now = [site for site in wanted if record.end(key(*site)) != AFRESH]
        in_place(Tests(items, reach, said.each), now, said.longest, tell)

    if beside(lambda: collected([str(ROOT / "tests"), str(ROOT / "src")], serve)) == 0:
        record.read(begun=True)
        afresh([site for site in wanted if record.end(key(*site)) == AFRESH], Reach(kept), said.longest, tell)
        print("all were tried:", Counter(row["end"] for row in record.rows.values()))


def over() -> None:
    """The end of this process, and of no other; pytest would go on after an exit."""
    print("the time is over", flush=True)
    os._exit(3)


def copied(tree: Path) -> None:
    """A copy of karat, in which faults may be planted."""
    left_out = (".git", ".venv", "build", "*.c", ".mypy_cache", ".ruff_cache", "__pycache__")
    shutil.copytree(ROOT, tree, ignore=shutil.ignore_patterns(*left_out))
    compileall.compile_dir(tree / "src", quiet=2)


def surroundings(tree: Path) -> dict[str, str]:
    """The environment in which Python finds the copy before anything else."""
    paths = os.pathsep.join([str(tree / "src"), str(tree / "tests"), os.environ.get("PYTHONPATH", "")])
    return os.environ | {"PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1"}


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
    parser.add_argument("--all", type=int, help="faults in all rooms together, by their lines, instead")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=float("inf"), help="end early")
    parser.add_argument("--longest", type=float, default=40.0, help="seconds that the tests of a fault may take")
    parser.add_argument("--each", type=int, default=4, help="parameters of a test that are tried")
    parser.add_argument("--tree", type=Path, default=Path(tempfile.gettempdir()) / "karat-with-faults", help="the copy")
    parser.add_argument("--named", action="store_true", help="plant those of named.csv instead")
    parser.add_argument("--again", action="store_true", help="try again what survived, with more tests")
    parser.add_argument("--decide", action="store_true", help="try again that for which the time did not suffice")
    parser.add_argument("--page", action="store_true", help="only write docs/trust.md from the record")
    parser.add_argument("--record", type=Path, default=RECORD)
    return parser.parse_args()


if __name__ == "__main__":
    os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"
    main()
