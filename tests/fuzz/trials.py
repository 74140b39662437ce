"""Damaged input of one kind after the other, in a process of its own: `python trials.py FOLDER FIRST COUNT KIND...`.

Each input must be read, or refused with an InputError. Anything else (another exception, too much memory, too long a
time) is told on stdout as a line of JSON; the number of the input that is being tried is in FOLDER/now, for who finds
this process dead.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import random
import signal
import sys
import time
import traceback
import warnings
import zipfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parent))

from corpus import columns, seeds
from mutations import TOKENS, damaged

from karat.core.errors import InputError

MEMORY, SECONDS = 6 * 10**9, 20
"""What one input may take."""
TEXTS = ("csv", "tsv", "jsonl", "json")
PARTS = ("csv", "csv.gz", "jsonl", "jsonl.gz", "parquet", "arrow", "feather")
"""Formats that are read part by part, too."""
EVALUATED = 4
"""One in so many inputs that could be read is also evaluated."""
HANDLERS = ("replace", "surrogateescape", "backslashreplace", "ignore")
"""What is made of bytes that are no text, in a name."""

Trial = Callable[[random.Random, Path], None]


def _file(kind: str, whole: bool) -> Trial:
    """A damaged file; those that are packed are damaged outside, or inside and packed again."""
    ending, files = seeds()[kind]

    def trial(rng: random.Random, folder: Path) -> None:
        from karat.accumulation import accumulate
        from karat.data.prediction_files import read
        from karat.evaluation import Evaluation

        sound, other = rng.choice(files), rng.choice(files)
        if kind.endswith(".gz") and rng.random() < 0.5:
            content = gzip.compress(damaged(gzip.decompress(sound), rng, True, gzip.decompress(other)), 1, mtime=0)
        elif kind == "npz" and rng.random() < 0.5:
            content = _array_damaged(sound, rng)
        else:
            content = damaged(sound, rng, kind in TEXTS, other)
        path = folder / f"damaged{ending}"
        path.write_bytes(content)
        if whole:
            for source in read(path).values():
                if rng.randrange(EVALUATED) == 0:
                    Evaluation(source).to_dict()
        else:
            where = "y_true is not null" if rng.randrange(5) == 0 else None  # readers look at statistics for it
            evaluation = accumulate(path, workers=1, where=where).evaluation()
            if rng.randrange(EVALUATED) == 0:
                evaluation.to_dict()

    return trial


def _array_damaged(archive: bytes, rng: random.Random) -> bytes:
    """One of its arrays is damaged; the archive is sound."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(archive)) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        hit = rng.choice(old.namelist())
        for name in old.namelist():
            new.writestr(name, damaged(old.read(name), rng, False) if name == hit else old.read(name))
    return out.getvalue()


def _accumulator() -> Trial:
    """Its bytes, signed again behind the damage, as no accident would."""
    from karat.accumulation import Accumulator

    states = []
    for given in columns()[:2]:
        labels = sorted({*given["y_true"]}) if isinstance(given["y_true"], list) else [0, 1, 2]
        proba = [given[f"p_{c}"] for c in labels]
        for exact in (True, False):
            a = Accumulator(labels=labels, positive=labels[0] if len(labels) == 2 else None, exact=exact)
            a.update(given["y_true"], [list(row) for row in zip(*proba, strict=True)])
            states.append(a.to_bytes())

    def trial(rng: random.Random, folder: Path) -> None:
        content = rng.choice(states)
        head = 10 + 32
        if rng.random() < 0.9:
            body = damaged(content[head:], rng, rng.random() < 0.5)
            content = content[:10] + hashlib.sha256(body).digest() + body
        else:
            content = damaged(content, rng, False)
        Accumulator.from_bytes(content).evaluation().to_dict()

    return trial


def _requirement() -> Trial:
    """The language of `karat gate --require`, and the stored evaluations that it names."""
    import numpy as np

    from karat import evaluate

    e = evaluate(np.arange(12) % 2, np.linspace(0.1, 0.9, 12))
    stored = json.dumps(e.to_dict()).encode()
    words = ["MCC>=0.6", "roc_auc.lo>=0.9", "LogL<=base.json+0.01", "Acc == 1", "macro(F1)>0.5-1e-3", "Acc>=base.json"]

    def trial(rng: random.Random, folder: Path) -> None:
        from karat.cli.gate import Requirement

        base = folder / "base.json"
        base.write_bytes(damaged(stored, rng, True) if rng.random() < 0.5 else stored)
        text = rng.choice(words).replace("base.json", str(base))
        if rng.random() < 0.6:
            text = damaged(text.encode(), rng, True).decode(errors="surrogateescape")
        Requirement.of(text).bound("model", e)

    return trial


def _arff() -> Trial:
    sound = (
        b"@relation 'a b'\n% a comment\n@attribute x real\n@attribute 'y z' {no, 'yes, sir'}\n"
        b"@attribute c {a,b}\n@data\n"
        b"1,no,a\n?,'yes, sir',b\n"
    )

    def trial(rng: random.Random, folder: Path) -> None:
        from karat.datasets.arff import read_arff

        packed = rng.random() < 0.2
        path = folder / ("damaged.arff.gz" if packed else "damaged.arff")
        path.write_bytes(damaged(gzip.compress(sound, mtime=0), rng, False) if packed else damaged(sound, rng, True))
        read_arff(path)

    return trial


def _matrices() -> Trial:
    sound = [b'{"a": [[5, 1], [2, 7]], "b": [[1, 0], [0, 1]]}', b'[{"name": "a", "matrix": [[5, 1], [2, 7]]}]']

    def trial(rng: random.Random, folder: Path) -> None:
        from karat import evaluate_matrix
        from karat.cli.table_files import matrices_of

        path = folder / "damaged.json"
        path.write_bytes(damaged(rng.choice(sound), rng, True))
        for matrix in matrices_of([str(path)]).values():
            evaluate_matrix(matrix)

    return trial


def _page() -> Trial:
    """What a page carries: names of classes, models and groups, and values at their ends, through JSON to its shape."""
    import numpy as np

    from karat import evaluate
    from karat.page.content import Content
    from karat.page.group_section import group_section
    from karat.page.json_numbers import embedded
    from karat.page.payload import page_data
    from page.data_shape import wrong

    ends = (0.0, 1.0, 0.5, 1e-320, 1e-300, 1 - 2**-53, 1e-17)

    def name(rng: random.Random, number: int) -> str:
        text = damaged(rng.choice(TOKENS) + b"class", rng, True)[:400].decode(errors=rng.choice(HANDLERS))
        return f"{text}{number}"

    def trial(rng: random.Random, folder: Path) -> None:
        k, n = rng.choice((2, 2, 3, 5)), rng.choice((1, 2, 5, 30))
        labels = [name(rng, j) for j in range(k)]
        y = [rng.choice(labels) for _ in range(n)]
        models: dict[str, Any] = {}
        for i in range(rng.choice((1, 1, 2, 3))):
            p = np.array([[rng.choice(ends) if rng.random() < 0.3 else rng.random() for _ in labels] for _ in y])
            p = p / p.sum(axis=1, keepdims=True)
            weight = [10 ** rng.uniform(-60, 60) for _ in y] if rng.random() < 0.2 else None
            by = {name(rng, 0): [rng.choice(labels) for _ in y]} if rng.random() < 0.2 else None
            models[name(rng, i)] = evaluate(y, p, labels=labels, sample_weight=weight, by=by)
        content = Content.of(models, intervals=False, replicates=10)
        data = page_data(content)
        data["groups"] = group_section(content)[1] if rng.random() < 0.1 else []
        text = embedded(data)
        assert "<" not in text, "the element could be ended"
        found = wrong(json.loads(text, parse_constant=lambda word: f"{word} is no JSON"))
        assert not found, found[0]

    return trial


def trials() -> dict[str, Callable[[], Trial]]:
    """Kind of input to what makes and tries one."""
    kinds: dict[str, Callable[[], Trial]] = {kind: lambda kind=kind: _file(kind, True) for kind in seeds()}
    kinds |= {f"{kind}, by parts": lambda kind=kind: _file(kind, False) for kind in PARTS}
    return kinds | {
        "accumulator": _accumulator,
        "requirement": _requirement,
        "arff": _arff,
        "matrices": _matrices,
        "page": _page,
    }


def _limit() -> None:
    try:
        import resource
    except ImportError:  # not on Windows
        return
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def _too_long(*_: Any) -> None:
    raise TimeoutError


def run(folder: Path, first: int, count: int, kinds: list[str]) -> None:
    """Try so many of each kind, and tell what was wrong."""
    _limit()
    sys.setrecursionlimit(1000)
    warnings.simplefilter("ignore")
    for late in (signal.SIGALRM, signal.SIGPROF):
        signal.signal(late, _too_long)
    known = trials()
    with (folder / "now").open("w") as now:
        for kind in kinds:
            trial, ends = known[kind](), Counter[str]()
            start = time.monotonic()
            for number in range(first, first + count):
                now.seek(0)
                now.write(f"{number:12d} {kind:<30}")
                now.flush()
                ends[_end(trial, kind, number, folder)] += 1
            print(json.dumps({"kind": kind, "ends": ends, "seconds": time.monotonic() - start}), flush=True)


def _end(trial: Trial, kind: str, number: int, folder: Path) -> str:
    """How it ends: "read", "refused", or wrong."""
    signal.setitimer(signal.ITIMER_PROF, SECONDS)  # of the processor; of the clock, thirty times as long
    signal.alarm(30 * SECONDS)
    try:
        trial(random.Random(f"{kind} {number}"), folder)
    except InputError:
        return "refused"
    except BaseException as problem:
        if isinstance(problem, KeyboardInterrupt):
            raise
        places = traceback.extract_tb(problem.__traceback__)
        place = ([f for f in places if "karat" in f.filename] or places)[-1]
        where = f"{Path(place.filename).name}:{place.lineno}"
        words = f"{type(problem).__name__}: {str(problem)[:200]}"
        print(json.dumps({"kind": kind, "number": number, "wrong": words, "where": where}), flush=True)
        return "wrong"
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.alarm(0)
    return "read"


if __name__ == "__main__":
    run(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), sys.argv[4:] or list(trials()))
