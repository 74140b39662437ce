"""Plant faults in compiled kernels, and see whether the tests notice: `python tests/mutation/kernel_faults.py`.

All faults are built into one extension, in a copy; a number, set while it runs, says which of them is there. Each place
also tells that it was reached, so that of the tests only those are run that come by, the quickest first.
"""

from __future__ import annotations

import argparse
import os
import pickle
import random
import re
import shutil
import subprocess
import sys
import tempfile
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))
from mutation.callers import apart, collected, few_of_each, run_items, spent
from mutation.records import CAUGHT, KEY, RECORD, SURVIVED, UNSEEN, Key, Record, read
from mutation.rooms import ROOT
from mutation.run import PRELOADED, beside, copied, surroundings

TESTS = ("kernels", "statistics", "oracles", "resampling", "accumulation", "test_hard_cases.py", "measures")
FLAGS = "-O1 -ffp-contract=off -fno-math-errno -fno-trapping-math"
SWITCH = """
cdef int karat_fault = 0
cdef unsigned char[100000] karat_seen


cdef inline bint planted(int number) noexcept nogil:
    karat_seen[number] = 1
    return karat_fault == number


def plant(int number):
    global karat_fault
    karat_fault = number
    memset(&karat_seen[0], 0, 100000)


def reached(int count):
    return [i for i in range(count) if karat_seen[i]]

"""
OTHER = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}
LINE = re.compile(r"^(?P<indent>\s+)(?P<code>[^#]*?)(?P<note>\s*(#.*)?)$")
CONDITION = re.compile(r"^(?P<word>if|elif|while) (?P<left>[^<>=!]+) (?P<op><|<=|>|>=|==|!=) (?P<right>[^<>=!]+):$")
SUM = re.compile(r"^(?P<to>[\w\[\] +*.]+) = (?P<left>[\w\[\].]+) (?P<op>[-+*]) (?P<right>[\w\[\].]+)$")
START = re.compile(r"^(?P<to>[\w\[\].]+) = 0(?P<real>\.0)?$")
ADDED = re.compile(r"^[\w\[\] +*.]+ [-+*]= .+$")
SIGNS = {"+": "-", "-": "+", "*": "+"}


@dataclass(frozen=True)
class Site:
    """One change of a line."""

    file: str
    line: int
    kind: str
    before: str
    after: str
    written: str
    """with NUMBER for the fault's number"""
    place: str
    """the function that it is in: lines move"""


def site(file: str, number: int, text: str, place: str) -> Site | None:
    """The fault of a line, if it can have one."""
    parts = LINE.match(text)
    if (
        parts is None
        or text.count("(") != text.count(")")
        or " and " in text
        or " or " in text
        or "not " in text
        or "cdef" in text
        or ";" in text  # plain C
    ):
        return None
    indent, code, note = parts["indent"], parts["code"], parts["note"]
    made: tuple[str, str, str] | None = None
    if m := CONDITION.match(code):
        other = f"{m['left']} {OTHER[m['op']]} {m['right']}"
        old = f"{m['left']} {m['op']} {m['right']}"
        made = "comparison", f"{m['word']} {other}:", f"{m['word']} (({other}) if planted(NUMBER) else ({old})):"
    elif m := SUM.match(code):
        other, old = f"{m['left']} {SIGNS[m['op']]} {m['right']}", f"{m['left']} {m['op']} {m['right']}"
        made = "operator", f"{m['to']} = {other}", f"{m['to']} = ({other}) if planted(NUMBER) else ({old})"
    elif m := START.match(code):
        one = "1.0" if m["real"] else "1"
        old = "0.0" if m["real"] else "0"
        made = "constant", f"{m['to']} = {one}", f"{m['to']} = {one} if planted(NUMBER) else {old}"
    elif ADDED.match(code):
        made = "line dropped", "pass", f"if not planted(NUMBER): {code}"
    return made and Site(file, number, made[0], code, made[1], f"{indent}{made[2]}{note}", place)


def sites(folder: Path) -> list[Site]:
    """Every fault that can be planted in the loops of the kernels."""
    found = []
    for path in [*sorted(folder.glob("*.pxi")), folder / "_native.pyx"]:
        inside, place = False, ""
        for number, text in enumerate(path.read_text().splitlines(), 1):
            if re.match(r"(cdef|cpdef|def) ", text):
                inside, name = True, re.match(r"[^(=]*?(\w+)\(", text)
                place = name[1] if name else place
            elif text and not text[0].isspace() and text[0] not in ")#":
                inside = False
            if inside and (one := site(path.name, number, text, place)):
                found.append(one)
    return found


def chosen(every: list[Site], count: int, seed: int) -> list[Site]:
    """So many of each chapter."""
    rng = random.Random(seed)
    kept = []
    for file in dict.fromkeys(s.file for s in every):
        here = [s for s in every if s.file == file]
        kept += rng.sample(here, min(count, len(here)))
    return kept


def built(faults: list[Site], tree: Path) -> None:
    """A copy of karat whose kernels hold all faults, none of them switched on."""
    shutil.rmtree(tree, ignore_errors=True)
    copied(tree)
    folder = tree / "src" / "karat" / "kernels"
    for old in folder.glob("_native*.so"):
        old.unlink()
    for file in {s.file for s in faults}:
        lines = (folder / file).read_text().splitlines()
        for number, s in enumerate(faults, 1):
            if s.file == file:
                lines[s.line - 1] = s.written.replace("NUMBER", str(number))
        (folder / file).write_text("\n".join(lines) + "\n")
    main = folder / "_native.pyx"
    main.write_text(main.read_text().replace("cnp.import_array()\n", "cnp.import_array()\n" + SWITCH, 1))
    words = [sys.executable, "setup.py", "-q", "build_ext", "--inplace"]
    setup = (tree / "setup.py").read_text()
    (tree / "setup.py").write_text(re.sub(r'FLAGS = \["-O3".*', f"FLAGS = {FLAGS.split()!r}", setup, count=1))
    subprocess.run(words, cwd=tree, env=os.environ | {"KARAT_BUILD": "portable"}, check=True)


def tried(faults: list[Site], caught: Any, slow: float, longest: float, kept: Path, tell: Any) -> None:
    """Run tests without a fault to see where they come by, then those that do with it."""

    def serve(items: list[Any]) -> None:
        from karat.kernels import _native

        by_name = {item.nodeid: item for item in items}

        def without(some: list[Any]) -> dict[str, Any]:
            def around() -> Reached:
                return Reached(_native, len(faults))

            return {
                item.nodeid: (Reached.seconds, end, Reached.places)
                for item, end in run_items(some, lambda _: slow, around)
            }

        if not kept.exists():
            files: dict[Path, list[Any]] = {}
            of_kernels = [item for item in items if "kernels" in Path(item.path).parts]  # a parameter is a kernel
            for item in dict.fromkeys([*of_kernels, *few_of_each(items, 6)]):
                files.setdefault(item.path, []).append(item)
            each = [apart(lambda some=some: without(some), 600) or {} for some in files.values()]
            kept.write_bytes(pickle.dumps({test: seen for some in each for test, seen in some.items()}))
        known = pickle.loads(kept.read_bytes())
        for number, fault in enumerate(faults, 1):
            if caught(fault):
                continue
            passing = [test for test, (_, end, places) in known.items() if end == "" and number in places]
            passing = [test for test in sorted(passing, key=lambda test: known[test][0]) if test in by_name]

            def work(number: int = number, passing: list[str] = passing) -> tuple[str, str]:
                _native.plant(number)
                left = longest
                for item, end in run_items([by_name[t] for t in passing], lambda _: 5.0 + slow, nullcontext):
                    if end in ("failed", "too long"):
                        return CAUGHT, item.nodeid
                    left -= known[item.nodeid][0]
                    if left < 0:
                        break
                return SURVIVED, "" if passing else "no test comes by"

            usual = min(longest, sum(known[test][0] for test in passing))  # loops without end are many
            end, by = (apart(work, 4 * usual + 10) if passing else None) or (
                (CAUGHT, "the process died, or did not end") if passing else (SURVIVED, "no test comes by")
            )
            tell(fault, end, by)

    collected([str(ROOT / "tests" / name) for name in TESTS], serve)


class Reached:
    """Which places are reached within."""

    seconds = 0.0
    places: tuple[int, ...] = ()

    def __init__(self, native: Any, count: int) -> None:
        self.native, self.count = native, count

    def __enter__(self) -> None:
        self.native.plant(0)
        self.begun = spent()

    def __exit__(self, *_: Any) -> None:
        Reached.seconds, Reached.places = spent() - self.begun, tuple(self.native.reached(self.count + 1))


def place_of(s: Site) -> Key:
    return (f"src/karat/kernels/{s.file}", s.place, s.kind, s.before, s.after)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=6, help="faults in each chapter")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--again", action="store_true", help="try again what was not caught")
    parser.add_argument("--slow", type=float, default=4.0, help="seconds that a test may take")
    parser.add_argument("--longest", type=float, default=60.0, help="seconds that all tests of a fault may take")
    parser.add_argument("--tree", type=Path, default=Path(tempfile.gettempdir()) / "karat-with-kernel-faults")
    parser.add_argument("--record", type=Path, default=RECORD)
    said = parser.parse_args()
    others = (*read(RECORD), *read(UNSEEN)) if said.record.name == UNSEEN.name else ()
    known = {tuple(row[k] for k in KEY) for row in others if row.get("seed") != str(said.seed)}
    every = [s for s in sites(ROOT / "src" / "karat" / "kernels") if place_of(s) not in known]
    faults = chosen(every, said.count, said.seed)
    if said.tree != ROOT:  # go on there
        if not said.tree.exists():
            built(faults, said.tree)
        words = [sys.executable, str(said.tree / "tests" / "mutation" / "kernel_faults.py"), *sys.argv[1:]]
        more = ["--tree", str(said.tree), "--record", str(said.record.absolute())]
        (said.tree / "faults.pickle").write_bytes(pickle.dumps([vars(s) for s in faults]))
        os.execve(sys.executable, words + more, surroundings(said.tree))
    faults = [Site(**fields) for fields in pickle.loads((said.tree / "faults.pickle").read_bytes())]
    record = Record(said.record, said.seed if said.record.name == UNSEEN.name else None, said.again)

    if said.again:
        places = {tuple(row[k] for k in KEY) for row in record.left()}

    def caught(s: Site) -> bool:
        return place_of(s) not in places if said.again else record.end(place_of(s)) == CAUGHT

    def tell(s: Site, end: str, by: str) -> None:
        record.tell("compiled kernels", place_of(s), end, by)
        print(f"{end:12}{s.file}:{s.line} {s.before!r} -> {s.after!r} {by}", flush=True)

    for name in PRELOADED:
        __import__(name)
    beside(lambda: tried(faults, caught, said.slow, said.longest, said.tree / "reached.pickle", tell))


if __name__ == "__main__":
    os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"
    main()
