"""Every number that karat gives, bit for bit, so that a change that should change none can be shown to change none.

    python snapshot.py write before.json            # before the change: about five minutes on one core
    python snapshot.py write after.json             # after it
    python snapshot.py compare before.json after.json [--texts]

`--fast` leaves out what takes long (most intervals, studies, the command line) and changes nothing else: what it writes
is a part of what a full run writes. Only what `import karat` and `python -m karat` offer is used, so that the code
behind them may move. The predictions are made here, with numpy and fixed seeds.

The file holds {key: value}. Keys are paths such as `set07/measure/MCC` or `set07/interval/bca/MCC` (value, low, high,
share of undefined replicates). Floats are hexadecimal texts (`float.hex`), long arrays a checksum and their first
values. What was refused is under `refusals/`, with the type and the words of the error; an error that is not karat's
own under `crashes/`, a Python warning under `warnings/`.

`compare` counts values and texts by category: values are numbers and names (texts without a blank, such as the code of
a finding or the better model), texts are wordings, which may change on purpose. It exits with 1 if a value differs or
is missing, or if something crashes that did not. A largest difference of `inf` is one that is not of two numbers.

`KARAT_KERNELS=numpy python snapshot.py write ...` does the same for the kernels that are not compiled.
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import hashlib
import io
import itertools
import json
import math
import os
import struct
import subprocess
import sys
import tempfile
import time
import warnings
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = os.environ["MKL_NUM_THREADS"] = "1"
os.environ.pop("KARAT_DATA", None)  # studies take scikit-learn's data sets, not those of this machine

import numpy as np

import karat

LONG, FIRST = 2000, 8
"""Arrays longer than this are kept as a checksum and so many of their first values."""
SEED = 7
REPLICATES = 100
SHOWN = 40
"""Differences that are listed."""
FEW_CASES, MANY_CASES = 250, 5000
"""Up to so many cases a fast run has intervals of all measures; from so many on only the cheap things are done."""
NOT_VALUES = ("refusals", "crashes", "warnings")

# ------------------------------------------------------------------------------------------------ writing things down


class Snapshot:
    """Collects values under keys; what is refused is a value, too."""

    def __init__(self) -> None:
        self.found: dict[str, Any] = {}

    def attempt(self, key: str, call: Callable[..., Any], /, *given: Any, **options: Any) -> Any:
        """What a call returns; None if it raises, which is written down."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                return call(*given, **options)
            except Exception as error:
                kind = "refusals" if isinstance(error, karat.InputError) else "crashes"
                self.found[f"{kind}/{key}"] = f"{type(error).__name__}: {error}"
                return None
            finally:
                if caught:
                    said = sorted({f"{w.category.__name__}: {w.message}" for w in caught})
                    self.found[f"warnings/{key}"] = said

    def take(self, key: str, call: Callable[..., Any], /, *given: Any, **options: Any) -> Any:
        """The same, and what was returned is written down."""
        value = self.attempt(key, call, *given, **options)
        if value is not None:
            self.attempt(key, self.put, key, value)
        return value

    def record(self, key: str, call: Callable[..., Any], /, *given: Any, **options: Any) -> Any:
        """The same, with what it looks like as a table and as text."""
        found = self.take(key, call, *given, **options)
        if found is not None:
            self.take(f"{key}/as table", found.to_table)
            self.take(f"{key}/as text", repr, found)
        return found

    def put(self, key: str, value: Any) -> None:
        """Write a value down: dictionaries and records by their parts."""
        if isinstance(value, Mapping):
            for name, part in value.items():
                self.put(f"{key}/{' - '.join(map(str, name)) if isinstance(name, tuple) else name}", part)
        elif hasattr(value, "to_dict"):
            if isinstance(getattr(value, "title", None), str):
                self.put(f"{key}/title", value.title)
            self.put(key, value.to_dict())
        elif isinstance(value, list | tuple | np.ndarray) and not _plain(value):
            for i, part in enumerate(value):
                self.put(f"{key}/{i}", part)
        elif key in self.found:
            raise AssertionError(f"{key} is written twice")
        else:
            self.found[key] = _stored(value)


def _plain(value: Any) -> bool:
    """Is it a list of numbers and texts, perhaps of such lists?"""
    if isinstance(value, np.ndarray):
        return value.dtype != object
    if isinstance(value, list | tuple):
        return all(map(_plain, value))
    return value is None or isinstance(value, bool | int | float | str | np.generic)


def _stored(value: Any) -> Any:
    """A number or text, or a list of them, as it is written."""
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, list | tuple):
        parts = [_stored(part) for part in value]
        if _length(parts) <= LONG:
            return parts
        checksum = hashlib.sha256(json.dumps(parts).encode()).hexdigest()
        return {"sha256": checksum, "length": _length(parts), "first": _flat(parts[:FIRST])[:FIRST]}
    if isinstance(value, set | frozenset):
        return sorted(map(str, value))
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return str(value)
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return float(value).hex()
    raise TypeError(f"a {type(value).__name__} can't be written down")


def _flat(value: Any) -> list[Any]:
    return [x for part in value for x in _flat(part)] if isinstance(value, list) else [value]


def _length(value: Any) -> int:
    return sum(map(_length, value)) if isinstance(value, list) else 1


# ------------------------------------------------------------------------------------------------ the predictions


@dataclass(frozen=True)
class Case:
    """A set of predictions, or a matrix; `rivals` are other models of the same cases."""

    name: str
    about: str
    given: dict[str, Any]
    """what `karat.evaluate` (or `evaluate_matrix`) is given"""
    rivals: dict[str, dict[str, Any]] = field(default_factory=dict)
    """name to what is given instead"""
    groups: Any = None

    @property
    def matrix(self) -> bool:
        """Is it a bare matrix?"""
        return "matrix" in self.given

    @property
    def size(self) -> int:
        """Number of cases."""
        return 1 if self.matrix else len(self.given["y_true"])

    def evaluation(self, **changed: Any) -> Any:
        """A new evaluation of it."""
        given = self.given | changed
        return karat.evaluate_matrix(**given) if self.matrix else karat.evaluate(**given)

    def models(self) -> dict[str, Any]:
        """It and its rivals."""
        return {"first": self.evaluation()} | {name: self.evaluation(**g) for name, g in self.rivals.items()}


def _softmax(z: Any) -> Any:
    p = np.exp(z - z.max(axis=1, keepdims=True))
    return p / p.sum(axis=1, keepdims=True)


def _problem(seed: int, n: int, k: int, skill: float = 1.2, shares: Any = None) -> tuple[Any, Any, dict[str, Any]]:
    """Places of the true classes, probabilities, and those of two other models of the same cases."""
    rng = np.random.default_rng(seed)
    y = rng.choice(k, n, p=shares)
    z = rng.normal(size=(n, k))
    z[np.arange(n), y] += skill
    second = z + 0.7 * rng.normal(size=(n, k))
    third = 2.5 * (z + 0.3 * rng.normal(size=(n, k)))
    return y, _softmax(z), {"second": _softmax(second), "third": _softmax(third)}


def cases() -> list[Case]:
    """All sets of predictions."""
    found: list[Case] = []

    def add(about: str, given: dict[str, Any], rivals: Mapping[str, Any] | None = None, groups: Any = None) -> None:
        other = {name: r if isinstance(r, dict) else {"y_proba": r} for name, r in (rivals or {}).items()}
        found.append(Case(f"set{len(found) + 1:02d}", about, given, other, groups))

    def named(y: Any, *names: Any) -> Any:
        return np.array(names)[y]

    y, p, more = _problem(1, 200, 2)
    one = {name: q[:, 1] for name, q in more.items()}
    add("two classes 0 and 1, one column", {"y_true": y, "y_proba": p[:, 1]}, one, groups=np.arange(200) // 4)
    y, p, more = _problem(2, 150, 2, shares=(0.7, 0.3))
    tied = {name: q.round(1) for name, q in more.items()}
    text = named(y, "well", "sick")
    add(
        "two classes by name, tied scores",
        {"y_true": text, "y_proba": p.round(1), "labels": ["well", "sick"], "positive": "sick"},
        tied,
    )
    y, p, more = _problem(3, 120, 2)
    add("two classes, truth values", {"y_true": y == 1, "y_proba": p}, more)
    y, p, more = _problem(4, 240, 3)
    add("three classes of whole numbers", {"y_true": y + 5, "y_proba": p}, more, groups=np.arange(240) % 30)
    y, p, more = _problem(5, 150, 3, shares=(0.5, 0.3, 0.2))
    d = np.where(np.random.default_rng(55).random(150) < 0.2, (y + 1) % 3, p.argmax(axis=1))
    p, (second, third) = p.round(2), (q.round(2) for q in more.values())
    names = ("ant", "bee", "cat")
    add(
        "three classes by name, ties, decisions of their own, normalised",
        {"y_true": named(y, *names), "y_proba": p, "y_pred": named(d, *names), "normalise": True},
        {"second": second, "third": {"y_proba": third, "y_pred": named(third.argmax(axis=1), *names)}},
    )
    y, p, more = _problem(6, 400, 5)
    single = {name: q.astype(np.float32) for name, q in more.items()}
    add("five classes, float32", {"y_true": y, "y_proba": p.astype(np.float32)}, single)
    y, p, more = _problem(7, 600, 12, skill=2.0, shares=np.arange(1, 13) / 78)
    add("twelve classes by name", {"y_true": named(y, *"abcdefghijkl"), "y_proba": p}, more)
    y, p, more = _problem(8, 200, 2)
    weight = np.random.default_rng(88).gamma(2.0, size=200)
    add("two classes, weights", {"y_true": y, "y_proba": p, "sample_weight": weight}, more, groups=np.arange(200) // 5)
    y, p, more = _problem(9, 180, 3)
    whole = np.random.default_rng(99).integers(0, 4, 180)
    add("three classes, whole weights and none", {"y_true": y, "y_proba": p, "sample_weight": whole}, more)
    y, p, more = _problem(10, 100, 5, shares=(0.4, 0.0, 0.35, 0.0, 0.25))
    add(
        "five classes, two absent",
        {"y_true": named(y, *"abcde"), "y_proba": p, "labels": list("abcde")},
        more,
    )
    y, p, more = _problem(11, 1000, 2, skill=2.0, shares=(0.995, 0.005))
    add("extreme imbalance, two classes", {"y_true": y, "y_proba": p}, more)
    y, p, more = _problem(12, 500, 5, shares=(0.95, 0.03, 0.01, 0.005, 0.005))
    add("extreme imbalance, five classes", {"y_true": y, "y_proba": p, "labels": range(5)}, more)
    y, p, more = _problem(13, 90, 3)
    add("a perfect model of three classes", {"y_true": y, "y_proba": np.eye(3)[y]}, more)
    y, p, more = _problem(14, 60, 2)
    add("a perfect model of two classes", {"y_true": y, "y_proba": y.astype(float)}, {"second": more["second"]})
    add("a constant model of two classes", {"y_true": y, "y_proba": np.full(60, 0.3)}, {"second": np.full(60, 0.5)})
    y, p, more = _problem(16, 80, 4)
    add("a constant model of four classes, all tied", {"y_true": y, "y_proba": np.full((80, 4), 0.25)}, {"second": p})
    add("one case", {"y_true": [1], "y_proba": [[0.2, 0.8]], "labels": [0, 1]}, {"second": [[0.6, 0.4]]})
    add("two cases", {"y_true": [0, 1], "y_proba": [0.3, 0.4]}, {"second": [0.6, 0.7]})
    add(
        "three cases of three classes",
        {"y_true": ["a", "b", "c"], "y_proba": [[0.5, 0.3, 0.2], [0.4, 0.35, 0.25], [0.1, 0.2, 0.7]]},
        {"second": [[0.2, 0.3, 0.5], [0.3, 0.4, 0.3], [0.3, 0.3, 0.4]]},
    )
    y, p, more = _problem(20, 10, 2)
    add("ten cases", {"y_true": y, "y_proba": p}, more)
    rng = np.random.default_rng(21)
    y = rng.integers(2, size=160)
    s = rng.normal(size=160) + y
    add(
        "one column of scores",
        {"y_true": y, "y_score": s},
        {"second": {"y_score": (s + rng.normal(size=160)).round(1)}},
    )
    y, p, more = _problem(22, 200, 4)
    score = {name: {"y_score": np.log(q)} for name, q in more.items()}
    add("scores of four classes", {"y_true": named(y, *"abcd"), "y_score": np.log(p)}, score)
    y, p, more = _problem(23, 220, 3)
    d = {name: {"y_pred": named(q.argmax(axis=1), *names)} for name, q in more.items()}
    add("decisions only", {"y_true": named(y, *names), "y_pred": named(p.argmax(axis=1), *names)}, d)
    y, p, more = _problem(24, 200, 2)
    unsure = {"first": p} | more
    said = {
        name: np.where(q.max(axis=1) < 0.6, "?", named(q.argmax(axis=1), "no", "yes")) for name, q in unsure.items()
    }
    add(
        "decisions only, some rejected",
        {"y_true": named(y, "no", "yes"), "y_pred": said.pop("first"), "reject": "?", "positive": "yes"},
        {name: {"y_pred": d} for name, d in said.items()},
    )
    y, p, more = _problem(25, 160, 3)
    said = np.where(p.max(axis=1) < 0.5, -1, p.argmax(axis=1))
    add("probabilities and decisions, some rejected", {"y_true": y, "y_proba": p, "y_pred": said, "reject": -1}, more)
    add("matrix 2 x 2", {"matrix": [[50, 3], [8, 20]], "positive": 1}, {"second": {"matrix": [[48, 5], [4, 24]]}})
    add(
        "matrix 3 x 4, names",
        {"matrix": [[30, 2, 1, 4], [3, 25, 5, 0], [0, 6, 40, 7]], "labels": ["a", "b", "c"]},
        {"second": {"matrix": [[29, 3, 3, 2], [2, 27, 4, 0], [1, 9, 41, 2]]}},
    )
    add("matrix 2 x 5", {"matrix": [[10, 1, 2, 0, 3], [1, 8, 0, 2, 4]], "positive": 1})
    add("matrix of shares, an empty row", {"matrix": [[0.5, 0.25, 0.1], [0.0, 0.0, 0.0], [1.5, 0.2, 3.3]]})
    rng = np.random.default_rng(30)
    add("matrix 12 x 12 of large counts", {"matrix": rng.integers(0, 10**8, (12, 12)) + np.diag([10**9] * 12)})
    add("matrix 3 x 2, a class that can't be decided", {"matrix": [[9, 2], [3, 8], [5, 1]], "labels": ["a", "b", "c"]})
    add("matrix of one decision", {"matrix": [[40, 0], [9, 0]], "positive": 1})
    y, p, more = _problem(32, 1000, 2, skill=0.8)
    add("1000 cases, two classes", {"y_true": y, "y_proba": p}, more, groups=np.arange(1000) % 90)
    y, p, more = _problem(33, 1000, 5)
    g = np.char.add("patient ", (np.arange(1000) // 8).astype(str))
    add("1000 cases, five classes, groups", {"y_true": named(y, *"abcde"), "y_proba": p}, more, groups=g)
    y, p, more = _problem(34, 20_000, 2, shares=(0.8, 0.2))
    add("20000 cases, two classes", {"y_true": y, "y_proba": p[:, 1]}, {name: q[:, 1] for name, q in more.items()})
    y, p, more = _problem(35, 20_000, 5)
    add("20000 cases, five classes", {"y_true": y, "y_proba": p}, more)
    y, p, more = _problem(36, 150, 2)
    add("worse than chance", {"y_true": y, "y_proba": 1 - p}, more)
    y, p, more = _problem(37, 200, 3, skill=1.0)
    hard = np.eye(3)[p.argmax(axis=1)]
    add("hard probabilities, impossible truths", {"y_true": y, "y_proba": hard}, {"second": _softmax(20 * np.log(p))})
    y, p, more = _problem(38, 140, 2)
    add("two classes by name, no positive one said", {"y_true": named(y, "x", "y"), "y_proba": p}, more)
    y, p, more = _problem(39, 40, 3, shares=(0.0, 1.0, 0.0))
    add("one class only", {"y_true": y, "y_proba": p, "labels": range(3)}, more)
    y, p, more = _problem(40, 160, 3)
    rng = np.random.default_rng(40)
    add(
        "text labels, weights, groups, ties",
        {
            "y_true": named(y, *names),
            "y_proba": (10 * p).round() + 0.1,
            "normalise": True,
            "sample_weight": rng.random(160),
        },
        {"second": (10 * more["second"]).round() + 0.1},
        groups=rng.integers(0, 25, 160),
    )
    k = 2100  # so many that the table is kept by its cells
    rng = np.random.default_rng(41)
    y = np.concatenate([np.arange(k), rng.integers(k, size=900)])
    d = [np.where(rng.random(3000) < right, y, rng.integers(k, size=3000)) for right in (0.7, 0.6)]
    add("2100 classes, decisions only", {"y_true": y, "y_pred": d[0]}, {"second": {"y_pred": d[1]}})
    return found


MANY_CLASSES = 1000
"""Beyond so many classes what is made of dense tables is left out."""
ALL = list(karat.catalogue.measures)
CLASSWISE = [symbol for symbol, m in karat.catalogue.measures.items() if m.classwise]
SLOW_WITH_MANY_CLASSES = ("AccRelabel",)

# ------------------------------------------------------------------------------------------------ one model


def evaluation(snap: Snapshot, case: Case) -> Any:
    """Every measure, tables, words, and what else an evaluation says of itself."""
    key = case.name
    snap.put(f"{key}/input/about", case.about)
    snap.put(f"{key}/input/checksum", _checksum(case.given))
    e = snap.attempt(key, case.evaluation)
    if e is None:
        return None
    few = len(e.classes) <= MANY_CLASSES
    snap.put(f"{key}/evaluation", {"n": e.n, "classes": e.classes, "positive": e.positive, "rejected": e.rejected})
    snap.take(f"{key}/evaluation/to_dict", e.to_dict)  # all at once, before any measure is asked for alone
    snap.take(f"{key}/evaluation/to_table", e.to_table)
    snap.take(f"{key}/shown/evaluation", repr, e)
    alone = case.evaluation()
    for symbol in [s for s in ALL if few or s not in SLOW_WITH_MANY_CLASSES]:
        snap.take(f"{key}/measure/{symbol}", alone.__getitem__, symbol)
        if why := snap.attempt(f"{key}/reason/{symbol}", alone.why, symbol):
            snap.put(f"{key}/reason/{symbol}", why)
    for symbol in CLASSWISE if few else ("TPR", "F1"):
        for average in ("macro", "micro", "weighted"):
            snap.take(f"{key}/average/{average}({symbol})", alone.__getitem__, f"{average}({symbol})")
        snap.take(f"{key}/per_class/{symbol}", alone.per_class, [symbol])
    snap.take(f"{key}/per_class/usual", e.per_class)
    snap.take(f"{key}/pairs", e.pairs)
    if few:
        snap.take(f"{key}/matrix", e.matrix)
    snap.take(f"{key}/parameters/F1(beta=3)", alone.__getitem__, karat.catalogue.measures["F1"].at(beta=3))
    snap.take(f"{key}/parameters/ECE(bins=7)", alone.__getitem__, karat.catalogue.measures["ECE"].at(bins=7))
    _findings(snap, key, e.findings)
    if few:
        snap.record(f"{key}/advice", karat.advise, e)
    return e


def _checksum(given: Mapping[str, Any]) -> str:
    """Of what was made by numpy: if it differs, so does everything else."""
    plain = {name: np.asarray(value).tolist() for name, value in given.items()}
    return hashlib.sha256(json.dumps(plain).encode()).hexdigest()


def _findings(snap: Snapshot, key: str, findings: Callable[..., Any], *given: Any) -> None:
    found = snap.attempt(f"{key}/findings", findings, *given)
    if found is not None:
        snap.put(f"{key}/findings/codes", found.codes)
        snap.put(f"{key}/findings", {one["code"]: one for one in found.to_dict()})
        snap.put(f"{key}/shown/findings", repr(found))


METHODS = ("auto", "percentile", "basic", "bca", "bayes", "analytic")
CHEAP_METHODS = ("auto", "bayes", "analytic")


def intervals(snap: Snapshot, case: Case, e: Any, fast: bool) -> None:
    """Intervals of all measures by all methods; of large sets of the usual measures."""
    how = {"replicates": REPLICATES, "seed": SEED, "workers": 1}
    if case.size >= MANY_CASES or len(e.classes) > MANY_CLASSES:
        if not fast:
            _intervals(snap, case, e, "auto", **how)
            _intervals(snap, case, e, "percentile", method="percentile", **how)
            _intervals(snap, case, e, "analytic", measures=ALL, method="analytic", **how)
        return
    if fast and case.size > FEW_CASES:
        return
    for method in CHEAP_METHODS if fast else METHODS:
        _intervals(snap, case, e, method, measures=ALL, method=method, **how)
    _intervals(snap, case, e, "bayes, prior 1", method="bayes", prior=1.0, **how)
    _intervals(snap, case, e, "80 %", method="percentile", level=0.8, **how)
    _intervals(snap, case, e, "of classes", measures=["TPR", "PPV", "AUC", "CEN_j", "AP"], classes="all", **how)
    if fast:
        return
    for method in ("percentile", "bca", "bayes"):
        _intervals(snap, case, e, f"stratified {method}", stratified=True, method=method, **how)
    _intervals(snap, case, e, "usual")  # as a user asks for them: 1000 replicates, all threads
    if case.groups is not None:
        _intervals(snap, case, e, "groups", measures=ALL, groups=case.groups, **how)
        _intervals(snap, case, e, "groups basic", groups=case.groups, method="basic", **how)


def _intervals(snap: Snapshot, case: Case, e: Any, name: str, **options: Any) -> None:
    key = f"{case.name}/interval/{name}"
    found = snap.attempt(key, e.intervals, **options)
    for symbol, one in (found or {}).items():
        snap.put(f"{key}/{symbol}", [one.value, one.low, one.high, one.undefined])
        snap.put(f"{key}/{symbol}/method", one.method)
        if one.reason:
            snap.put(f"{key}/{symbol}/reason", one.reason)
    if name == "usual":
        snap.take(f"{case.name}/shown/intervals", repr, found)


def operating(snap: Snapshot, case: Case, e: Any) -> None:
    """Costs, thresholds, and other class frequencies."""
    k = len(e.classes)
    if k > MANY_CLASSES:
        return
    far = np.abs(np.subtract.outer(np.arange(k), np.arange(k))).astype(float)
    rising = np.arange(1, k + 1) / np.arange(1, k + 1).sum()
    ways: dict[str, dict[str, Any]] = {
        "plain": {},
        "costs": {"cost": (far * (1 + np.arange(k)[:, None])).tolist()},
        "prior": {"prior": rising.tolist()},
        "prior and assumed": {"prior": rising.tolist(), "assumed": rising[::-1].tolist(), "cost": far.tolist()},
        "priced rejection": {"cost": np.column_stack([far, np.full(k, 0.2)]).tolist()},
        "by name": {"cost": {(a, b): 1.0 + i for i, a in enumerate(e.classes) for b in e.classes if a != b}},
    }
    if k == 2:
        ways["rare"] = {"cost": [[0, 1], [20, -3]], "prior": 0.05}
    for name, options in ways.items():
        key = f"{case.name}/operating/{name}"
        found = snap.take(key, e.operating, **options)
        if found is not None:
            snap.put(f"{key}/best", found.best.name)
            snap.put(f"{case.name}/shown/operating/{name}", f"{found!r}\n{found.threshold!r}")
    shares: dict[str, Any] = {"rising": dict(zip(e.classes, rising.tolist(), strict=True))}
    if k == 2:
        shares |= {"0.01": 0.01, "0.9": 0.9}
    for name, share in shares.items():
        key = f"{case.name}/at_prevalence/{name}"
        moved = snap.attempt(key, e.at_prevalence, share)
        for symbol in ALL if moved is not None else ():
            snap.take(f"{key}/{symbol}", moved.__getitem__, symbol)


# ------------------------------------------------------------------------------------------------ several models


def comparison(snap: Snapshot, case: Case, fast: bool) -> None:
    """All that is said of several models of the same cases."""
    if not case.rivals:
        return
    key = f"{case.name}/compare"
    models = snap.attempt(key, case.models)
    if models is None:
        return
    how = {"replicates": REPLICATES, "seed": SEED, "workers": 1}
    c = _compare(snap, f"{key}/usual", models, **how)
    two = dict(list(models.items())[:2])
    if c is not None:
        snap.put(f"{key}/usual", {k: v for k, v in c.to_dict().items() if k not in ("pairs", "verdict")})
        _more_of_comparison(snap, case, c)
    large = case.size >= MANY_CASES or len(models["first"].classes) > MANY_CLASSES
    if not (fast and case.size > FEW_CASES) and not large:
        _compare(snap, f"{key}/all measures", two, measures=ALL, test="bootstrap", **how)
    if not large:
        _ways_to_compare(snap, case, models, two, how)
    _findings(snap, f"{case.name}/models", karat.findings_of, models)
    if len(models["first"].classes) == 2:
        for name, options in (("thresholds", {}), ("as decided", {"thresholds": False, "level": 0.9})):
            found = snap.take(
                f"{case.name}/dominance/{name}", karat.dominance, models, replicates=50, seed=SEED, **options
            )
            if found is not None:
                snap.put(
                    f"{case.name}/dominance/{name}/best at", {pc: found.best_at(pc) for pc in (0.0, 0.3, 0.5, 1.0)}
                )
                snap.put(f"{case.name}/shown/dominance/{name}", repr(found))


DIFFERENCE = ("values", "difference", "low", "high", "p", "adjusted", "margin", "p_equivalent")
FOUND = ("better", "method", "equivalent")


def _compare(snap: Snapshot, key: str, *given: Any, **options: Any) -> Any:
    """A comparison, written down by pairs of models: a list of numbers (`DIFFERENCE`) for each measure."""
    c = snap.attempt(key, karat.compare, *given, **options)
    if c is not None:
        snap.put(f"{key}/verdict", c.verdict)
        for pair in c.to_dict()["pairs"]:
            _pair(snap, f"{key}/{' - '.join(pair['models'])}", pair)
    return c


def _pair(snap: Snapshot, key: str, pair: dict[str, Any]) -> None:
    for symbol, d in pair["differences"].items():
        snap.put(f"{key}/{symbol}", [d[name] for name in DIFFERENCE])
        snap.put(f"{key}/{symbol}/found", [d[name] for name in FOUND])
    snap.put(key, {name: part for name, part in pair.items() if name not in ("models", "differences")})


def _ways_to_compare(
    snap: Snapshot, case: Case, models: dict[str, Any], two: dict[str, Any], how: dict[str, Any]
) -> None:
    key = f"{case.name}/compare"
    few = ["Acc", "MCC", "AUNU", "LogL", "AUC", "CalB", "macro(F1)"]
    margins = {"Acc": 0.05, "MCC": (-0.1, 0.2)}
    plenty = how | {"replicates": 150}  # fewer can't tell three pairs from chance
    ways: dict[str, tuple[Any, dict[str, Any]]] = {
        "baseline": (models, {"baseline": "first", "measures": few, **how}),
        "margin": (models, {"margin": 0.05, "measures": few, **how}),
        "margins": (two, {"margin": margins, "measures": few, "level": 0.9, **how}),
        "stratified": (two, {"stratified": True, "measures": few, **how}),
        "permutation": (models, {"test": "permutation", "measures": few, **plenty}),
        "bootstrap": (two, {"test": "bootstrap", "measures": few, **how}),
        "few replicates": (two, {"measures": few, **how | {"replicates": 10}}),
    }
    if case.groups is not None:
        ways["groups"] = models, {"groups": case.groups, **how}
        ways["groups and permutation"] = two, {"groups": case.groups, "test": "permutation", **how}
    for name, (given, options) in ways.items():
        _compare(snap, f"{key}/{name}", given, **options)
    for name, kind in (("y_proba", "probabilities"), ("y_score", "scores"), ("y_pred", "decisions")):
        rivals = [r for r in case.rivals.values() if set(r) == {name}]
        if name in case.given and rivals and not {"normalise", "reject"} & set(case.given):
            known = {k: v for k, v in case.given.items() if k in ("labels", "positive", "sample_weight")}
            raw = {"first": case.given[name], "second": rivals[0][name]}
            options = {"kind": kind, "measures": few, **known, **how}
            _compare(snap, f"{key}/{kind}", raw, case.given["y_true"], **options)
    weight = case.given.get("sample_weight")
    for symbol in () if case.matrix else ("Acc", "MCC", "AUNU", "LogL", "CalB", "macro(F1)", "macro(AP)"):
        given = {n: case.given.get(n) for n in ("y_proba", "y_pred", "y_score")}
        other = given | next(iter(case.rivals.values()))
        pairs = {n: (given[n], other[n]) for n in given if given[n] is not None}
        known = {k: v for k, v in case.given.items() if k in ("labels", "positive")}
        options = {**pairs, **known, "sample_weight": weight, "replicates": REPLICATES, "seed": SEED}
        snap.take(
            f"{case.name}/permutation_test/{symbol}", karat.permutation_test, symbol, case.given["y_true"], **options
        )


def _more_of_comparison(snap: Snapshot, case: Case, c: Any) -> None:
    key = f"{case.name}/compare/usual"
    first, second = list(c.models)[:2]
    snap.take(f"{key}/methods", getattr, c, "methods")
    snap.take(f"{key}/table", c.to_table)
    snap.take(f"{case.name}/shown/compare", repr, c)
    _pair(snap, f"{key}/turned", c[second, first].to_dict())
    snap.take(f"{case.name}/shown/pair", repr, c[first, second])
    snap.take(f"{key}/flipped", c.flipped, first, second)
    _findings(snap, f"{case.name}/compare/usual", c.findings)
    snap.take(f"{key}/dominance", c.dominance, replicates=20, seed=SEED)
    ranking = snap.attempt(f"{case.name}/rankings", c.rankings)
    if ranking is not None:
        _rankings(snap, f"{case.name}/rankings", ranking)


def _rankings(snap: Snapshot, key: str, ranking: Any) -> None:
    snap.put(key, ranking)
    snap.take(f"{key}/table", ranking.to_table)
    snap.take(f"{key}/correlations", ranking.correlations)
    snap.put(f"{key}/chosen by", ranking.chosen_by)
    snap.put(f"{key}/undecided", ranking.undecided)
    for threshold in (0.9, 0.5):
        snap.record(f"{key}/smallest set {threshold}", ranking.smallest_set, threshold)
    if len(ranking.measures) > 1:
        snap.record(f"{key}/consistency", ranking.consistency, *ranking.measures[:2])


# ------------------------------------------------------------------------------------------------ many results


def across(snap: Snapshot) -> None:
    """Models over data sets, measures against each other, and tests that need no predictions."""
    rng = np.random.default_rng(50)
    models, datasets, folds = ["tree", "net", "forest", "boost"], [f"data {i}" for i in range(9)], range(5)
    level = {"tree": 0.70, "net": 0.72, "forest": 0.76, "boost": 0.76}
    hard = dict(zip(datasets, rng.normal(0, 0.05, 9), strict=True))
    rows = [(m, d, f, level[m] + hard[d] + rng.normal(0, 0.02)) for m in models for d in datasets for f in folds]
    table = dict(zip(("model", "dataset", "fold", "value"), map(list, zip(*rows, strict=True)), strict=True))
    tied = table | {"value": [round(v, 1) for v in table["value"]]}
    renamed = {"algorithm": table["model"], "problem": table["dataset"], "seed": table["fold"], "score": table["value"]}
    columns = {"model": "algorithm", "dataset": "problem", "value": "score"}
    two = {name: [v for v, m in zip(values, table["model"], strict=True) if m in models[:2]]
           for name, values in table.items()}  # fmt: skip
    both = {name: values + values for name, values in table.items()}
    both["measure"] = ["Acc"] * len(rows) + ["LogL"] * len(rows)
    ways: dict[str, tuple[Any, dict[str, Any]]] = {
        "plain": (table, {"measure": "Acc"}),
        "lower is better": (table, {"measure": "LogL"}),
        "own measure": (table, {"lower_is_better": True, "level": 0.1}),
        "ties": (tied, {"measure": "MCC"}),
        "renamed": (renamed, {"measure": "MCC", "columns": columns}),
        "two models": (two, {"measure": "Acc"}),
        "of two measures": (both, {"measure": "LogL"}),
        "unnamed": (both, {}),
    }
    for name, (given, options) in ways.items():
        _across(snap, f"across/{name}", snap.attempt(f"across/{name}", karat.compare_across, given, **options))
    _measures_compared(snap, rng)
    _bare_tests(snap, rng)


def _across(snap: Snapshot, key: str, found: Any) -> None:
    if found is None:
        return
    snap.put(key, found)
    first, second, dataset = *found.results.models[:2], found.results.datasets[0]
    snap.take(f"{key}/table", found.to_table)
    snap.take(f"{key}/ranks", _ranks, found)
    for name in ("friedman", "critical_difference"):
        snap.take(f"{key}/{name}/as table", getattr(found, name).to_table)
    snap.record(f"{key}/nemenyi", found.nemenyi)
    for correction in ("holm", "hochberg", "bonferroni", "none"):
        snap.record(f"{key}/against, {correction}", found.against, first, correction)
        snap.take(f"{key}/wilcoxon_pairs, {correction}", found.wilcoxon_pairs, correction)
    for zeros in ("wilcox", "pratt", "zsplit"):
        for method in ("auto", "exact", "normal"):
            snap.record(f"{key}/wilcoxon, {zeros}, {method}", found.wilcoxon, first, second, zeros=zeros, method=method)
    for rope in (0.0, 0.01):
        options = {"rope": rope, "draws": 2000, "seed": SEED}
        snap.record(f"{key}/bayes_ranks, rope {rope}", found.bayes_ranks, first, second, **options)
        snap.record(f"{key}/bayes_t, rope {rope}", found.bayes_t, first, second, dataset, 0.25, rope=rope)
    snap.record(f"{key}/corrected_t", found.corrected_t, first, second, dataset, 0.25)


def _ranks(found: Any) -> Any:
    """The table of ranks, as far as it has fields."""
    return {name: value for name, value in vars(found.ranks()).items() if not name.startswith("_")}


def _measures_compared(snap: Snapshot, rng: np.random.Generator) -> None:
    base = rng.random(30)
    values = {
        s: (base + 0.2 * i * rng.random(30)).tolist() for i, s in enumerate(("MCC", "Acc", "KapS", "AUNU", "MAvG"))
    }
    values |= {"LogL": (1 - base).round(1).tolist(), "mine": rng.random(30).round(1).tolist()}
    turned = {"mine": True}
    ranking = snap.attempt("measures/compared", karat.compare_measures, values, lower_is_better=turned)
    if ranking is not None:
        _rankings(snap, "measures/compared", ranking)
    few = {s: v[:3] for s, v in values.items() if s != "mine"}
    ranking = snap.attempt("measures/three models", karat.compare_measures, few, ["a", "b", "c"], tolerance=0.01)
    if ranking is not None:
        _rankings(snap, "measures/three models", ranking)
    for name in ("Acc", "LogL", "mine"):
        for tolerance in (1e-12, 0.05):
            options = {"names": ("MCC", name), "lower_is_better": (False, name == "LogL"), "tolerance": tolerance}
            snap.record(
                f"measures/consistency, {name}, {tolerance}", karat.consistency, values["MCC"], values[name], **options
            )
    far = np.abs(np.subtract.outer(np.arange(40), np.arange(40)))
    ring = 1 - 0.05 * np.minimum(far, 40 - far)
    snap.record("measures/smallest set of very many", karat.smallest_set, ring, threshold=0.95)
    tau = np.corrcoef(rng.normal(size=(12, 5)) @ rng.normal(size=(5, 9)), rowvar=False)
    for threshold in (0.95, 0.7, 0.3):
        snap.record(f"measures/smallest set, {threshold}", karat.smallest_set, tau, threshold=threshold)


def _bare_tests(snap: Snapshot, rng: np.random.Generator) -> None:
    for i, (margin, df) in enumerate(((0.01, math.inf), (0.01, 9.0), ((-0.02, 0.005), math.inf), (0.001, 3.0))):
        snap.record(f"tests/equivalence {i}", karat.equivalence, 0.004, 0.003, margin, df=df, names=("one", "two"))
    y = rng.integers(3, size=80)
    first, second = (np.where(rng.random(80) < right, y, (y + 1) % 3) for right in (0.8, 0.65))
    for method in ("exact", "mid-p", "chi-square", "chi-square-corrected"):
        snap.record(f"tests/mcnemar {method}", karat.mcnemar, y, first, second, method=method)
        snap.record(f"tests/mcnemar {method}, equal", karat.mcnemar, y, first, first, method=method)
    few = np.arange(80) < 8
    close = np.where(few, second, first)
    snap.record("tests/permutation, exact", karat.permutation_test, "MCC", y, y_pred=(first, close))
    snap.record(
        "tests/permutation, drawn", karat.permutation_test, "CEN", y, y_pred=(first, second), replicates=300, seed=3
    )
    points = {"a": (0.1, 0.6), "b": (0.4, 0.9), "c": (0.5, 0.55), "d": (0.1, 0.6)}
    snap.take("tests/dominance of points", karat.dominance, points)
    tasks: dict[str, dict[str, Any]] = {
        "nothing said": {},
        "rank a rare class": {"decision": "rank", "balance": 0.01, "n": 500},
        "classify, costs known": {"decision": "classify", "costs": True, "classes": 4, "balance": 0.02},
        "classify, costs unknown": {"decision": "classify", "costs": False, "frequencies_change": True},
        "probability, noise": {"decision": "probability", "noisy_labels": True, "distorted": True},
        "contact": {"decision": "contact", "outputs": "scores"},
        "decisions": {"outputs": "decisions", "classes": 12, "n": 60, "balance": 0.01},
        "impossible": {"decision": "rank", "outputs": "decisions"},
        "unknown": {"decision": "dance"},
    }
    for name, task in tasks.items():
        snap.record(f"tests/advise, {name}", karat.advise, **task)


# ------------------------------------------------------------------------------------------------ many at once


def batches(snap: Snapshot) -> None:
    """Batches, many matrices, measures that are called, scorers."""
    rng = np.random.default_rng(60)
    shapes = {"flat": (30, 50, 2), "three classes": (6, 40, 3), "nested": (2, 3, 25, 4), "one": (20, 5)}
    for name, shape in shapes.items():
        z = rng.normal(size=shape)
        y = rng.integers(shape[-1], size=shape[:-1])
        p = np.exp(z + 1.2 * np.eye(shape[-1])[y])
        p /= p.sum(axis=-1, keepdims=True)
        snap.take(f"batch/{name}", karat.evaluate_batch, y, p)
        for symbol in ALL if name in ("three classes", "one") else ():
            snap.take(f"batch/{name}, alone/{symbol}", karat.evaluate_batch, y, p, [symbol])
    y = rng.integers(2, size=(9000, 8))
    p = (rng.random((9000, 8)) + y) / 2
    snap.take("batch/long, one column", karat.evaluate_batch, y, p.round(1))
    tables = [rng.integers(0, 9, (k, k + (k % 3 == 0))) for k in rng.integers(2, 7, 300)]
    tables[5][1] = 0
    snap.take("matrices/usual", karat.evaluate_matrices, tables)
    snap.take("matrices/none", karat.evaluate_matrices, [])
    for symbol in ALL:
        snap.take(f"matrices/alone/{symbol}", karat.evaluate_matrices, tables[:40], [symbol])
    y, p, more = _problem(61, 90, 3)
    for symbol in ALL:
        snap.take(f"called/three classes/{symbol}", karat.catalogue.measures[symbol], y, p)
        snap.take(f"called/two classes/{symbol}", karat.catalogue.measures[symbol], y > 0, p[:, 1:].sum(axis=1))
        snap.take(f"called/decisions/{symbol}", karat.catalogue.measures[symbol], y, y_pred=p.argmax(axis=1))
    X, weight = np.arange(90), rng.random(90)
    for symbol in ALL:
        scorer = snap.attempt(f"scorer/{symbol}", karat.scorer, symbol)
        if scorer is not None:
            snap.take(f"scorer/{symbol}/probabilities", scorer, Model(p), X, y)
            snap.take(f"scorer/{symbol}/weights", scorer, Model(p), X, y, sample_weight=weight)
            snap.take(f"scorer/{symbol}/scores", scorer, Scores(np.log(p)), X, y)
        positive = snap.attempt(f"scorer/{symbol}/positive", karat.scorer, symbol, positive=0)
        if positive is not None:
            snap.take(f"scorer/{symbol}/positive", positive, Model(more["second"][:, :2]), X[y < 2], y[y < 2])


def containers(snap: Snapshot) -> None:
    """The same predictions in other forms."""
    import pyarrow

    y, p, _ = _problem(65, 60, 3)
    names = np.array(["a", "b", "c"])[y]
    table = pyarrow.table({f"p_{c}": p[:, j] for j, c in reversed(list(enumerate("abc")))})
    renamed = table.rename_columns(["z", "y", "x"])
    forms: dict[str, dict[str, Any]] = {
        "lists": {"y_true": names.tolist(), "y_proba": p.tolist()},
        "Fortran order": {"y_true": names, "y_proba": np.asfortranarray(p)},
        "every second row": {"y_true": np.repeat(names, 2)[::2], "y_proba": np.repeat(p, 2, axis=0)[::2]},
        "objects": {"y_true": names.astype(object), "y_proba": p},
        "float16": {"y_true": names, "y_proba": p.astype(np.float16), "normalise": True},
        "int8": {"y_true": y.astype(np.int8), "y_proba": p},
        "floats for labels": {"y_true": y.astype(float), "y_proba": p},
        "table": {"y_true": pyarrow.array(names.tolist()), "y_proba": table},
        "table, columns named": {"y_true": names, "y_proba": renamed, "columns": {"a": "x", "b": "y", "c": "z"}},
        "other order": {"y_true": names, "y_proba": p[:, ::-1], "labels": ["c", "b", "a"]},
    }
    for name, given in forms.items():
        e = snap.attempt(f"containers/{name}", karat.evaluate, **given)
        if e is not None:
            snap.put(f"containers/{name}/classes", e.classes)
            snap.take(f"containers/{name}", e.values, ALL)
    snap.take("containers/to_frame", e.to_frame(backend="pyarrow").to_pydict)


class Decisions:
    """A stand-in for a fitted classifier: X are places of rows."""

    def __init__(self, rows: Any) -> None:
        self.rows, self.classes_ = rows / rows.sum(axis=1, keepdims=True), np.arange(rows.shape[1])

    def predict(self, X: Any) -> Any:
        """The most probable class."""
        return self.classes_[self.rows[X].argmax(axis=1)]


class Model(Decisions):
    """... with probabilities."""

    def predict_proba(self, X: Any) -> Any:
        """Of each class."""
        return self.rows[X]


class Scores(Decisions):
    """... with scores; of two classes one column."""

    def decision_function(self, X: Any) -> Any:
        """Of each class."""
        return np.log(self.rows[X]) if self.rows.shape[1] > 2 else np.log(self.rows[X, 1])


# ------------------------------------------------------------------------------------------------ diagrams

OPTIONS: dict[str, list[dict[str, Any]]] = {
    "confusion_matrix": [{"view": "truth", "order": "blocks"}, {"view": "decided", "order": "frequency", "top": 2},
                         {"view": "joint"}],
    "probabilistic_confusion_matrix": [{"view": "truth", "order": "blocks"}, {"view": "joint", "top": 2}],
    "roc_curve": [{"band": 0.9, "replicates": 50, "seed": 3}, {"cost_fp": 1.0, "cost_fn": 5.0, "prevalence": 0.1},
                  {"threshold": 0.4}],
    "brier_curve": [{"prevalence": 0.1}],
    "discrimination": [{"shape": "step"}, {"shape": "density"}, {"bins": 7}],
    "entropy_triangle": [{"cloud": 20, "seed": 3, "prior": 1.0}, {"colour": "MCC"}],
    "split_entropy_triangle": [{"cloud": 20, "seed": 3}],
    "lift": [{"prevalence": 0.1, "parts": 4}],
    "lift_by_decile": [{"prevalence": 0.1, "parts": 4}],
    "precision_recall": [{"prevalence": 0.1}],
    "reliability": [{"grouping": "identical"}, {"grouping": "width", "bins": 5}, {"grouping": "mass"},
                    {"band": 0.9, "replicates": 50, "seed": 3}],
    "attributes": [{"grouping": "width", "bins": 8, "band": 0.95, "replicates": 50}],
    "roc_graph": [{"cost_fp": 1.0, "cost_fn": 4.0, "prevalence": 0.2}],
    "cost_lines": [{"cost_fp": 1.0, "cost_fn": 4.0, "prevalence": 0.2}],
    "roi": [{"tp": 5.0, "fp": -1.0, "fn": -0.5, "tn": 0.1, "cases": 1000.0, "prevalence": 0.1}],
    "threshold_curve": [{"measures": ["MCC", "F1", "TPR"]}],
    "decision_curve": [{"points": 21, "prevalence": 0.1}],
}  # fmt: skip
"""What diagrams can be told."""
TOGETHER = ("roc_curve", "cost_curve", "precision_recall", "reliability")
"""Of these several models are put into one; it is the same for all."""


def diagrams(snap: Snapshot, case: Case, e: Any) -> None:
    """Every diagram of one set: as it comes, with options, of each class, of several models, of folds."""
    if len(e.classes) > MANY_CLASSES:
        return
    given = case.given | {"positive": e.classes[-1] if e.positive is None else e.positive}
    for name, kind in karat.catalogue.diagrams.items():
        key = f"{case.name}/diagram/{name}"
        if not hasattr(kind, "from_predictions"):
            snap.attempt(key, e.diagram, name)  # says what to do instead
            continue
        if case.matrix:
            plain = snap.take(f"{key}/plain", e.diagram, name, positive=given["positive"], label="it")
            _more_of_diagram(snap, key, plain)
            several = hasattr(kind, "from_matrices")
            of = {"first": case.given["matrix"]} | {n: r["matrix"] for n, r in case.rivals.items()}
            known = {k: v for k, v in given.items() if k != "matrix"}
            made = kind.from_matrices if several else kind.from_matrix
            snap.take(f"{key}/from matrix", made, of if several else case.given["matrix"], **known)
            continue
        plain = snap.take(f"{key}/plain", kind.from_predictions, **given, name="it")
        _more_of_diagram(snap, key, plain)
        if case.size >= MANY_CASES:
            continue
        for i, options in enumerate(OPTIONS.get(name, ())):
            snap.take(f"{key}/options {i}", kind.from_predictions, **given, **options)
        if "positive" not in case.given:
            snap.attempt(f"{key}/no positive", kind.from_predictions, **case.given)
        if hasattr(kind, "for_each_class"):
            known = {k: v for k, v in case.given.items() if k != "positive"}
            each = snap.take(f"{key}/each class", kind.for_each_class, **known, averages=("macro", "weighted"))
            others = {n: case.evaluation(**r) for n, r in case.rivals.items()} if name in TOGETHER else {}
            if each is not None and others:
                both = snap.take(f"{key}/models", _together, type(each), e, others, name, given["positive"])
                if both is not None and name == "cost_curve":
                    snap.take(f"{key}/crossings", both["first"].crossings, both["second"])
        elif case.rivals and "y_proba" in case.given and all(set(r) == {"y_proba"} for r in case.rivals.values()):
            of = {"first": case.given["y_proba"]} | {n: r["y_proba"] for n, r in case.rivals.items()}
            known = {k: v for k, v in given.items() if k not in ("y_true", "y_proba", "y_pred")}
            both = snap.take(f"{key}/models", kind.from_predictions, case.given["y_true"], of, **known)
            _more_of_diagram(snap, f"{key}/models", both)


def _more_of_diagram(snap: Snapshot, key: str, record: Any) -> None:
    """What some diagrams tell beside their fields."""
    if record is None:
        return
    snap.take(f"{key}/as text", repr, record)
    for name in ("top_confusions", "deciles", "operating_ranges", "envelope"):
        if hasattr(type(record), name):
            snap.take(f"{key}/{name}", _told, record, name)


def _told(record: Any, name: str) -> Any:
    found = getattr(record, name)
    return found() if callable(found) else found


def _together(several: Any, e: Any, others: dict[str, Any], name: str, positive: Any) -> Any:
    """The diagram of each model, in one."""
    members = {"first": e} | others
    return several.of([m.diagram(name, positive=positive, label=n) for n, m in members.items()])


def other_diagrams(snap: Snapshot) -> None:
    """Of estimators and folds, and those that are not made from predictions."""
    rng = np.random.default_rng(70)
    for k in (2, 3):
        y, p, more = _problem(70 + k, 120, k)
        X, folds = np.arange(120), [np.arange(i, 120, 3) for i in range(3)]
        fitted = [Model(p), Model(more["second"]), Model(more["third"])]
        results = {"estimator": fitted, "indices": {"test": folds}}
        for name, kind in karat.catalogue.diagrams.items():
            if hasattr(kind, "from_estimator"):
                key = f"estimators/{k} classes/{name}"
                options = {"positive": 1} if kind.two_classes else {}
                snap.take(f"{key}/probabilities", kind.from_estimator, fitted[0], X, y, **options)
                snap.take(f"{key}/scores", kind.from_estimator, Scores(p), X, y, **options)
                snap.take(f"{key}/decisions", kind.from_estimator, Decisions(p), X, y, **options)
                if hasattr(kind, "from_cv_results"):
                    snap.take(f"{key}/folds", kind.from_cv_results, results, X, y, **options)
                else:
                    several = {"one": fitted[0], "two": fitted[1]}
                    snap.take(f"{key}/several", kind.from_estimator, several, X, y, **options)
    names = ["MCC", "Acc", "LogL", "AUNU"]
    of = karat.catalogue.diagrams
    ranks = {"model": list("abcd"), "rank": [1.5, 2.0, 3.1, 3.4]}
    snap.take("figures/critical_difference", of["critical_difference"].from_table, ranks, critical_difference=1.2)
    values = {n: rng.random(12).tolist() for n in names}
    snap.take("figures/dendrogram", of["dendrogram"].from_table, values)
    shares = {"name": names, "win": [0.5, 0.4, 0.3, 0.1], "loss": [0.2, 0.4, 0.5, 0.6]}
    snap.take("figures/win_loss_equal", of["win_loss_equal"].from_table, shares)
    ends = {"low": [0.1, -0.1, -0.3, -0.6], "high": [0.5, 0.1, -0.1, -0.4]}
    snap.take("figures/win_loss_equal, intervals", of["win_loss_equal"].from_table, shares | ends)
    places = {"name": names, "iris": [1.0, 2.0, 3.5, 3.5], "wine": [2.0, 1.0, 3.0, 4.0]}
    snap.take("figures/ranks", of["ranks"].from_table, places)
    snap.take("figures/sensitivity", of["sensitivity"].from_table, {"noise": list(range(12))} | values)


# ------------------------------------------------------------------------------------------------ studies, catalogue


def studies(snap: Snapshot) -> None:
    """The tables of every study at a small size."""
    rng = np.random.default_rng(80)
    values = {s: rng.random(24).tolist() for s in ("MCC", "Acc", "LogL", "AUNU")} | {"dataset": ["a", "b", "c"] * 8}
    matrices = {"a": [[50, 10, 3], [20, 40, 2], [1, 2, 30]], "b": [[40, 20, 3], [10, 50, 2], [3, 0, 30]]}
    sizes: dict[str, list[dict[str, Any]]] = {
        "census": [{"classes": 2, "cases": 8}, {"classes": 3, "cases": 8, "measures": "MCC,CEN,RCI"}],
        "redundancy": [{"values": values}, {"values": values, "measures": ["MCC", "LogL"], "cuts": (0.5,)}],
        "correlation": [{"datasets": "iris,wine", "learners": "NB,kNN,LR", "repetitions": 1}],
        "mcc_and_cen": [{"matrices": 150, "spaces": ((1, 2), (2, 3, 2)), "points": 20}],
        "meg": [{"matrices": matrices, "draws": 200}, {"matrices": matrices, "draws": 200, "method": "bootstrap"}],
        "sensitivity": [{"repetitions": 20, "steps": 2}, {"repetitions": 10, "steps": 1, "common": True}],
        "traits": [{"rounds": 2}, {"rounds": 1, "measures": "MCC,AUNU,Brier"}],
        "win_loss_equal": [{"datasets": "iris,wine", "rounds": 3, "replicates": 20},
                           {"datasets": "iris", "rounds": 2, "replicates": 20, "ties": "random"}],
    }  # fmt: skip
    for name, kind in karat.catalogue.studies.items():
        for i, told in enumerate(sizes.get(name, [{}])):
            study = snap.attempt(f"study/{name} {i}", kind, seed=SEED, **told)
            if study is not None:
                snap.put(f"study/{name} {i}/units", study.units())
                tables = snap.take(f"study/{name} {i}", study.run, workers=1)
                if hasattr(study, "figures") and tables is not None:
                    snap.take(f"study/{name} {i}/figures", study.figures, tables)


def catalogue(snap: Snapshot) -> None:
    """What is declared."""
    snap.put("about/kernels", karat.show_versions()["kernels"])
    snap.put("catalogue/headline", list(karat.catalogue.papers))
    for symbol, m in karat.catalogue.measures.items():
        said = ("name", "aliases", "family", "question", "formula", "range", "best", "chance", "cite", "undefined",
                "classwise", "orientation", "traits", "invariant")  # fmt: skip
        snap.put(f"catalogue/measures/{symbol}", {name: getattr(m, name) for name in said})
        snap.put(f"catalogue/measures/{symbol}/ranges", [m.range_for(k) for k in (2, 3, 10)])
    for name, kind in karat.catalogue.diagrams.items():
        said = {"aliases": kind.aliases, "cite": kind.cite, "shows": kind.shows, "options": kind.options()}
        snap.put(f"catalogue/diagrams/{name}", said)
    for name, kind in karat.catalogue.studies.items():
        snap.put(f"catalogue/studies/{name}", {"aliases": kind.aliases, "cite": kind.cite, "question": kind.question})
    for code, check in karat.catalogue.checks.items():
        said = {n: getattr(check, n) for n in ("name", "question", "measures", "diagram", "several")}
        snap.put(f"catalogue/checks/{code}", said)


# ------------------------------------------------------------------------------------------------ what is refused


def refusals(snap: Snapshot) -> None:
    """Bad input; what it is answered with may be worded differently one day, but must stay an answer."""
    y, p = [0, 1, 1, 0], [[0.8, 0.2], [0.3, 0.7], [0.4, 0.6], [0.9, 0.1]]
    bad: dict[str, tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]] = {
        "nothing given": (karat.evaluate, (y,), {}),
        "no cases": (karat.evaluate, ([], []), {}),
        "lengths": (karat.evaluate, (y, p[:3]), {}),
        "sum": (karat.evaluate, (y, [[0.8, 0.3]] * 4), {}),
        "negative": (karat.evaluate, (y, [[1.2, -0.2]] * 4), {}),
        "nan": (karat.evaluate, (y, [[math.nan, 0.2]] * 4), {}),
        "nan in labels": (karat.evaluate, ([0, 1, math.nan, 1], p), {}),
        "None in labels": (karat.evaluate, (["a", None, "b", "b"], p), {}),
        "columns": (karat.evaluate, ([0, 1, 2, 1], p), {}),
        "labels": (karat.evaluate, (y, p), {"labels": [0, 2]}),
        "labels twice": (karat.evaluate, (y, p), {"labels": [0, 0]}),
        "one column, no positive": (karat.evaluate, (["a", "b", "b", "a"], [0.1, 0.2, 0.7, 0.4]), {}),
        "positive": (karat.evaluate, (y, p), {"positive": 7}),
        "weights": (karat.evaluate, (y, p), {"sample_weight": [1, -1, 1, 1]}),
        "weights, none": (karat.evaluate, (y, p), {"sample_weight": [0, 0, 0, 0]}),
        "weights, number": (karat.evaluate, (y, p), {"sample_weight": [1, 1]}),
        "scores and probabilities": (karat.evaluate, (y, p), {"y_score": p}),
        "infinite score": (karat.evaluate, (y,), {"y_score": [0.1, math.inf, 0.3, 0.4]}),
        "texts for numbers": (karat.evaluate, (y, ["a", "b", "c", "d"]), {}),
        "three axes": (karat.evaluate, (y, [p]), {}),
        "unknown decision": (karat.evaluate, (y,), {"y_pred": ["x", "y", "x", "y"]}),
        "reject, no decisions": (karat.evaluate, (y, p), {"reject": "?"}),
        "matrix, narrow": (karat.evaluate_matrix, ([[1], [2]],), {}),
        "matrix, negative": (karat.evaluate_matrix, ([[1, -1], [2, 2]],), {}),
        "matrix, ragged": (karat.evaluate_matrix, ([[1, 1], [2]],), {}),
        "matrix, empty": (karat.evaluate_matrix, ([[0, 0], [0, 0]],), {}),
        "matrix, nan": (karat.evaluate_matrix, ([[math.nan, 0], [0, 1]],), {}),
        "matrix, labels": (karat.evaluate_matrix, ([[1, 0], [0, 1]], ["a"]), {}),
        "matrices": (karat.evaluate_matrices, ([[[1, 0], [0, 1]], [[1, 2, 3]], "x"],), {}),
        "batch": (karat.evaluate_batch, ([[0, 1]], [[0.1, 0.2, 0.3]]), {}),
        "batch, place": (karat.evaluate_batch, ([[0, 5]], [[0.1, 0.2]]), {}),
        "compare one": (karat.compare, ({"a": p}, y), {}),
        "compare, no truth": (karat.compare, ({"a": p, "b": p},), {}),
        "compare, a list": (karat.compare, ([p, p], y), {}),
        "compare, test": (karat.compare, ({"a": p, "b": p}, y), {"test": "guess"}),
        "compare, level": (karat.compare, ({"a": p, "b": p}, y), {"level": 0.1}),
        "compare, baseline": (karat.compare, ({"a": p, "b": p}, y), {"baseline": "c"}),
        "compare, margin": (karat.compare, ({"a": p, "b": p}, y), {"margin": {"AP": 0.1}}),
        "compare, kind": (karat.compare, ({"a": p, "b": p}, y), {"kind": "opinions"}),
        "compare, replicates": (karat.compare, ({"a": p, "b": p}, y), {"replicates": 0}),
        "dominance, nothing": (karat.dominance, ({},), {}),
        "dominance, point": (karat.dominance, ({"a": (1.2, 0.4)},), {}),
        "findings of one": (karat.findings_of, ({"a": karat.evaluate(y, p)},), {}),
        "across, one data set": (
            karat.compare_across, ({"model": ["a", "b"], "dataset": [1, 1], "value": [0.1, 0.2]}, "Acc"), {}),
        "across, missing": (
            karat.compare_across, ({"model": list("abb"), "dataset": [1, 1, 2], "value": [0.1, 0.2, 0.3]}, "Acc"), {}),
        "across, column": (karat.compare_across, ({"model": ["a"], "value": [1.0]},), {}),
        "consistency": (karat.consistency, ([1, 2], [1, 2, 3]), {}),
        "smallest set": (karat.smallest_set, ([[1, 0.5]],), {}),
        "equivalence": (karat.equivalence, (0.1, 0.1, -1.0), {}),
        "mcnemar, weights": (karat.mcnemar, (y, y, y), {"sample_weight": [1, 2, 3, 4]}),
        "mcnemar, method": (karat.mcnemar, (y, y, y), {"method": "guess"}),
        "permutation": (karat.permutation_test, ("MCC", y), {"y_pred": y}),
        "measure": (karat.catalogue.measures.__getitem__, ("MCK",), {}),
        "diagram": (karat.catalogue.diagrams.__getitem__, ("rock",), {}),
        "study": (karat.catalogue.studies.__getitem__, ("censos",), {}),
        "macro of all": (karat.macro, ("MCC",), {}),
        "micro": (karat.micro, ("AUC",), {}),
        "scorer": (karat.scorer, ("Prev",), {}),
        "parameter": (karat.catalogue.measures["F1"].at, (), {"gamma": 2}),
        "intervals, method": (karat.evaluate(y, p).intervals, (), {"method": "guess"}),
        "intervals, level": (karat.evaluate(y, p).intervals, (), {"level": 95}),
        "intervals, groups": (karat.evaluate(y, p).intervals, (), {"groups": [1, 2]}),
        "intervals, classes": (karat.evaluate(y, p).intervals, (), {"classes": ["x"]}),
        "intervals, prior": (karat.evaluate(y, p).intervals, (), {"method": "bayes", "prior": -1}),
        "per class": (karat.evaluate(y, p).per_class, (["MCC"],), {}),
        "operating, cost": (karat.evaluate(y, p).operating, ([[0, 1]],), {}),
        "operating, no cost of errors": (karat.evaluate(y, p).operating, ([[1, 0], [0, 1]],), {}),
        "operating, prior": (karat.evaluate(y, p).operating, (), {"prior": [0.5, 0.6]}),
        "at prevalence": (karat.evaluate(y, p).at_prevalence, (1.5,), {}),
        "diagram option": (karat.evaluate(y, p).diagram, ("roc_curve",), {"colour": "red"}),
    }  # fmt: skip
    for name, (call, given, options) in bad.items():
        found = snap.attempt(f"bad input/{name}", call, *given, **options)
        snap.put(f"bad input/{name}/refused", found is None)


# ------------------------------------------------------------------------------------------------ the command line


def command_line(snap: Snapshot) -> None:
    """What commands print, with and without `--json`, of files in a folder of their own."""
    with tempfile.TemporaryDirectory() as folder:
        _files(Path(folder))
        stored = _run(snap, folder, "cli/evaluate", ["evaluate", "first.csv", "--positive", "sick", "--json"])
        (Path(folder) / "stored.json").write_text(stored)
        sick, fast = ["--positive", "sick"], ["--replicates", "100", "--seed", "3"]
        of_two = ["first.csv", "second.csv", *sick]
        with_intervals = ["evaluate", "three.jsonl", "--intervals", "--per-class", *fast]
        gate = ["gate", *of_two, "--require", "MCC>=0.1", "--require", "AUC.lo>=0.5", "--require"]
        commands: dict[str, list[str]] = {
            "evaluate all": ["evaluate", "first.csv", *sick, "--measures", "all", "--json"],
            "evaluate with intervals": [*with_intervals, "--json"],
            "evaluate several": ["evaluate", "models.tsv", "--measures", "MCC,macro(F1),AUNU", "--json"],
            "evaluate matrix": ["evaluate", "matrix.csv", "--json"],
            "evaluate decisions": ["evaluate", "decisions.csv", "--reject", "?", "--json"],
            "evaluate scores": ["evaluate", "scores.npz", "--positive", "1", "--json"],
            "compare": ["compare", *of_two, *fast, "--json"],
            "compare with margin": ["compare", "models.tsv", "--baseline", "c", "--margin", "0.05", *fast, "--json"],
            "gate": ["gate", "first.csv", *sick, "--require", "LogL<=stored.json+0.01", *fast, "--json"],
            "gate, not met": [*gate, "MCC>=0.99", *fast, "--json", "--github"],
            "operating": ["operating", *of_two, "--cost", "fp=1,fn=5", "--prior", ".1", "--json"],
            "operating, three classes": ["operating", "three.jsonl", "--cost", "[[0,1,2],[1,0,1],[4,1,0]]", "--json"],
            "advise": ["advise", "first.csv", *sick, "--decision", "rank", "--json"],
            "measures": ["measures", "--json"],
            "diagrams": ["diagrams", "--json"],
            "studies": ["studies", "--json"],
            "explain": ["explain", "rpCEN", "--json"],
            "study": ["study", "census", "--size", "6", "--workers", "2", "--folder", "census", "--json"],
            "study again": ["study", "census", "--size", "6", "--folder", "census", "--json"],
            "reproduce ferri2009": ["reproduce", "ferri2009", "--share", "0.01", "--json"],
            "reproduce jurman2012": ["reproduce", "jurman2012", "--share", "0.01", "--json"],
            "reproduce valverde2014": ["reproduce", "valverde2014", "--share", "0.1", "--json"],
            "text of evaluate": ["evaluate", *of_two],
            "text of evaluate with intervals": with_intervals,
            "text of evaluate decisions": ["evaluate", "decisions.csv", "--reject", "?", "--per-class"],
            "text of compare": ["compare", *of_two, *fast],
            "text of compare several": ["compare", "models.tsv", *fast],
            "text of gate": [*gate, "MCC>=0.99", *fast],
            "text of operating": ["operating", "first.csv", *sick, "--cost", "fp=1,fn=5"],
            "text of advise": ["advise", "first.csv", *sick],
            "text of measures": ["measures", "--traits"],
            "text of explain": ["explain", "h_measure"],
            "no file": ["evaluate", "nowhere.csv"],
            "no measure": ["explain", "MCK"],
            "no option": ["evaluate", "first.csv", "--colour", "red"],
        }
        for name, arguments in commands.items():
            _run(snap, folder, f"cli/{name}", arguments)


def _run(snap: Snapshot, folder: str, key: str, arguments: list[str]) -> str:
    environment = os.environ | {"COLUMNS": "80", "TERM": "dumb", "PYTHONIOENCODING": "utf-8", "NO_COLOR": "1"}
    command = [sys.executable, "-m", "karat", *arguments]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, encoding="utf-8", check=False)
    snap.put(f"{key}/exit code", done.returncode)
    if "Traceback" in done.stderr:
        snap.put(f"crashes/{key}", done.stderr.splitlines()[-1])
    elif done.stderr:
        snap.put(f"refusals/{key}", done.stderr.replace(folder, "FOLDER"))
    if "--json" in arguments and done.stdout:
        printed = json.loads(done.stdout)
        if isinstance(printed, dict):
            printed.pop("arguments", None)  # of a study: they tell where formulas are, and versions
        listed = isinstance(printed, list) and all(isinstance(one, dict) for one in printed)
        snap.put(key, {one.get("symbol", one.get("name")): one for one in printed} if listed else printed)
    elif done.stdout:
        snap.put(f"{key}/stdout", done.stdout.replace(folder, "FOLDER"))
    return done.stdout


def _files(folder: Path) -> None:
    def write(name: str, head: list[str], rows: Iterable[Iterable[Any]], separator: str = ",") -> None:
        with (folder / name).open("w", newline="") as file:
            writer = csv.writer(file, delimiter=separator)
            writer.writerow(head)
            writer.writerows([x.item() if isinstance(x, np.generic) else x for x in row] for row in rows)

    y, p, more = _problem(90, 150, 2, shares=(0.7, 0.3))
    truth = np.array(["well", "sick"])[y]
    for name, q in {"first": p, "second": more["second"]}.items():
        write(f"{name}.csv", ["y_true", "p_well", "p_sick"], zip(truth, *q.T, strict=True))
    y, p, more = _problem(91, 90, 3)
    models = {"a": p, "b": more["second"], "c": more["third"]}
    rows = [(m, f"k{t}", *row) for m, q in models.items() for t, row in zip(y, q, strict=True)]
    write("models.tsv", ["model", "y_true", "p_k0", "p_k1", "p_k2"], rows, "\t")
    weight = np.random.default_rng(92).random(90)
    with (folder / "three.jsonl").open("w") as file:
        for t, row, w in zip(y.tolist(), p.round(3).tolist(), weight.tolist(), strict=True):
            total = sum(row)
            record = {"y_true": t, **{f"p_{j}": x / total for j, x in enumerate(row)}, "weight": w}
            file.write(json.dumps(record) + "\n")
    said = np.where(p.max(axis=1) < 0.5, "?", p.argmax(axis=1).astype(str))
    write("decisions.csv", ["y_true", "y_pred"], zip(y, said, strict=True))
    write("matrix.csv", ["", "a", "b", "c"], [("a", 30, 2, 1), ("b", 3, 25, 5), ("c", 0, 6, 40)])
    np.savez(folder / "scores.npz", y_true=(y > 0).astype(int), score=np.log(p[:, 1]))


# ------------------------------------------------------------------------------------------------ writing, comparing


def written(fast: bool) -> dict[str, Any]:
    """All that is recorded."""
    snap = Snapshot()
    start = time.perf_counter()

    def say(what: str) -> None:
        print(f"{time.perf_counter() - start:6.1f} s  {len(snap.found):7,} values  {what}", file=sys.stderr)

    catalogue(snap)
    for case in cases():
        e = evaluation(snap, case)
        if e is not None:
            intervals(snap, case, e, fast)
            operating(snap, case, e)
            diagrams(snap, case, e)
            if not (fast and case.size >= MANY_CASES):
                comparison(snap, case, fast)
        say(f"{case.name}: {case.about}")
    steps = {
        "results": across,
        "batches": batches,
        "containers": containers,
        "diagrams": other_diagrams,
        "bad input": refusals,
    }
    if not fast:
        steps |= {"studies": studies, "command line": command_line}
    for name, step in steps.items():
        step(snap)
        say(name)
    return snap.found


def category(key: str) -> str:
    """What a key is about, whichever set it belongs to."""
    first, _, rest = key.partition("/")
    return rest.partition("/")[0] if first[:3] == "set" and first[3:].isdigit() else first


def is_text(value: Any) -> bool:
    """Is it wording, rather than a number or a name?"""
    if isinstance(value, list):
        return any(map(is_text, value))
    return isinstance(value, str) and any(c.isspace() for c in value)


def reworded(a: Any, b: Any) -> bool:
    """Do they differ in their wording alone?"""
    if isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        return all(x == y or reworded(x, y) for x, y in zip(a, b, strict=True))
    return isinstance(a, str) and isinstance(b, str) and is_text(a) and is_text(b)


def number(value: Any) -> float | None:
    """The number that is written; None if it is something else."""
    if isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if isinstance(value, str) and ("0x" in value or value in ("nan", "inf", "-inf")):
        with contextlib.suppress(ValueError):
            return float.fromhex(value)
    return None


def ulps(a: float, b: float) -> float:
    """How many floats lie between two."""
    if math.isnan(a) or math.isnan(b):
        return 0.0 if math.isnan(a) and math.isnan(b) else math.inf
    places = []
    for x in (a, b):
        (bits,) = struct.unpack("<q", struct.pack("<d", x))
        places.append(bits if bits >= 0 else -(bits & 0x7FFF_FFFF_FFFF_FFFF))
    return float(abs(places[0] - places[1]))


def distance(a: Any, b: Any) -> tuple[float, float] | None:
    """The largest difference of two values, in ulps and relative; None if it is not one of numbers."""
    if isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        parts = [distance(x, y) for x, y in zip(a, b, strict=True) if x != y]
        known = [part for part in parts if part is not None]
        return (max(u for u, _ in known), max(r for _, r in known)) if known and len(known) == len(parts) else None
    x, y = number(a), number(b)
    if x is None or y is None:
        return None
    finite = math.isfinite(x) and math.isfinite(y)
    return ulps(x, y), 0.0 if x == y else abs(x - y) / max(abs(x), abs(y)) if finite else math.inf


def readable(value: Any, width: int = 150) -> str:
    """A value as it is listed."""
    if isinstance(value, list):
        text = f"[{', '.join(readable(part) for part in value)}]"
    else:
        found = number(value)
        text = repr(found if found is not None and isinstance(value, str) else value)
    return text if len(text) <= width else f"{text[:width]}..."


def parted(a: str, b: str, width: int = 150) -> tuple[str, str]:
    """Two texts from shortly before the place where they part."""
    at = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
    start = max(0, at - 50)
    return tuple(("..." if start else "") + repr(t[start : start + width]) for t in (a, b))  # type: ignore[return-value]


def compared(before: dict[str, Any], after: dict[str, Any], texts: bool) -> int:
    """Print how two snapshots differ; 1 if a value does."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    furthest: dict[str, tuple[float, float]] = defaultdict(lambda: (0.0, 0.0))
    differing: dict[str, list[str]] = {"values": [], "texts": [], "missing": [], "new": []}
    failed = False
    for key in sorted(before.keys() | after.keys()):
        of = category(key)
        if key not in after:
            counts[of]["missing"] += 1
            differing["missing"].append(key)
            failed |= of not in NOT_VALUES and not is_text(before[key])
        elif key not in before:
            counts[of]["new"] += 1
            differing["new"].append(key)
            failed |= of == "crashes"
        elif before[key] == after[key]:
            counts[of]["equal"] += 1
        elif of in NOT_VALUES or reworded(before[key], after[key]):
            counts[of]["texts"] += 1
            differing["texts"].append(key)
        else:
            counts[of]["values"] += 1
            differing["values"].append(key)
            far = distance(before[key], after[key]) or (math.inf, math.inf)
            furthest[of] = tuple(map(max, furthest[of], far))  # type: ignore[assignment]
            failed = True
    heads = ("equal", "values", "texts", "missing", "new")
    print(f"{'category':<18}{''.join(f'{h:>10}' for h in heads)}{'max ulp':>12}{'max relative':>14}")
    rows = sorted(counts.items())
    for of, row in [*rows, ("all", sum((row for _, row in rows), Counter()))]:
        far = furthest.get(of)
        end = f"{far[0]:>12.6g}{far[1]:>14.3g}" if far else ""
        print(f"{of:<18}{''.join(f'{row[h]:>10,}' for h in heads)}{end}")
    for kind, keys in differing.items():
        if keys and (kind != "texts" or texts):
            print(f"\n{kind if kind in ('missing', 'new') else f'{kind} that differ'}: {len(keys):,}")
            shown = _some(keys)
            for key in shown:
                print("\n".join(_listed(kind, key, before.get(key), after.get(key))))
            if len(keys) > len(shown):
                print(f"  ... {len(keys) - len(shown):,} more")
    return int(failed)


def _some(keys: list[str]) -> list[str]:
    """The first keys, so many of each category that all have some."""
    groups: dict[str, list[str]] = defaultdict(list)
    for key in keys:
        groups[category(key)].append(key)
    turns = [key for turn in itertools.zip_longest(*groups.values()) for key in turn if key is not None]
    return sorted(turns[:SHOWN])


def _listed(kind: str, key: str, a: Any, b: Any) -> list[str]:
    if kind in ("missing", "new"):
        return [f"  {key}: {readable(a if kind == 'missing' else b, 80)}"]
    if isinstance(a, str) and isinstance(b, str) and number(a) is None:
        return [f"  {key}", *(f"    {text}" for text in parted(a, b))]
    far = distance(a, b)
    how = f"  ({far[0]:g} ulp, {far[1]:.3g} relative)" if far else ""
    if isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        places = [i for i, (x, y) in enumerate(zip(a, b, strict=True)) if x != y]
        how += f"  at {places[:5]}{' ...' if len(places) > 5 else ''}"
        a, b = ([of[i] for i in places[:5]] for of in (a, b))
    return [f"  {key}{how}", f"    {readable(a)}", f"    {readable(b)}"]


def main() -> int:
    """Write or compare."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    write = commands.add_parser("write", help="record every number")
    write.add_argument("out", type=Path)
    write.add_argument("--fast", action="store_true", help="without most intervals, studies and the command line")
    compare = commands.add_parser("compare", help="what differs between two records")
    compare.add_argument("before", type=Path)
    compare.add_argument("after", type=Path)
    compare.add_argument("--texts", action="store_true", help="list texts that differ, too")
    told = parser.parse_args()
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")
    if told.command == "write":
        found = written(told.fast)
        lines = [f"{json.dumps(key)}: {json.dumps(found[key])}" for key in sorted(found)]  # a line for each, for grep
        told.out.write_text("{\n" + ",\n".join(lines) + "\n}\n")
        print(f"{len(found):,} values in {told.out}")
        return 0
    return compared(json.loads(told.before.read_text()), json.loads(told.after.read_text()), told.texts)


if __name__ == "__main__":
    sys.exit(main())
