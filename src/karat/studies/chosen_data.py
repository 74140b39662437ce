"""The data sets that a study is told, read and checked before any work is done."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from karat.core.errors import InputError
from karat.core.table import Table
from karat.datasets import DataSet, Published, load, published
from karat.datasets.bundled import NAMES
from karat.datasets.sources import files, folder

SAMPLE = "@"
"""connect-4@5960 is a random sample of 5,960 cases, the same in every run."""
CUT = 2
"""A published set is cut down to its published number of cases if so many times more were found."""


def data_sets(asked: Any, where: Any, paper: str, least: int) -> tuple[DataSet, ...]:
    """The data sets asked for: names for `karat.datasets.load`, or data sets. Unless some are named, those of the paper
    that the folder holds, or all that it holds if it has none of them; without a folder, scikit-learn's.

    Cases without a class are left out. A set of fewer than `least` attributes, of fewer than ten cases or of one class
    is refused if it was named, and passed over if it was not.
    """
    names = [asked] if isinstance(asked, str | DataSet) else asked
    if isinstance(asked, str):
        names = [word.strip() for word in asked.split(",") if word.strip()]
    found: dict[str, DataSet] = {}
    for name in _own(where, paper) if names is None else names:
        data = _loaded(name, where)
        trouble = _unfit(data, least)
        if trouble and names is not None:
            raise InputError(f"the data set {data.name!r} {trouble}; leave it out.")
        if data.name in found:
            raise InputError(f"two data sets are called {data.name!r}; give each a name of its own, or leave one out.")
        if not trouble:
            found[data.name] = data
    if not found:
        raise InputError("no data set can be used; name some with datasets=, and their folder with data=.")
    return tuple(found.values())


def _own(where: Any, paper: str) -> Iterable[Any]:
    path = folder(where)
    if path is None:
        return NAMES
    held = files(path)
    theirs = [p for p in published(paper) if p.found_as in held]
    return theirs or held


def _loaded(name: Any, where: Any) -> DataSet:
    if isinstance(name, DataSet):
        return name.labelled()
    if isinstance(name, Published):
        data = name.load(where).labelled()
        return _sample(data, name.cases) if len(data.y) >= CUT * name.cases else data
    if not isinstance(name, str):
        raise InputError(f"a data set is given as {type(name).__name__}; give its name, or a karat.datasets.DataSet.")
    plain, at, count = name.partition(SAMPLE)
    if at and not count.isdigit():
        raise InputError(f"the data set {name!r} asks for {count!r} cases; write for example {plain}{SAMPLE}5000.")
    data = load(plain, where).labelled()
    return _sample(data, int(count)) if at and int(count) < len(data.y) else data


def _sample(data: DataSet, count: int) -> DataSet:
    name = f"{data.name}{SAMPLE}{count}"
    words = np.frombuffer(hashlib.sha256(name.encode()).digest(), "<u4")
    rows = np.sort(np.random.default_rng(words.tolist()).choice(len(data.y), count, replace=False))
    return replace(data.take(rows), name=name)


def _unfit(data: DataSet, least: int) -> str:
    if data.X.shape[1] < least:
        return f"has {data.X.shape[1]} attributes where at least {least} are needed"
    if len(data.y) < 10:
        return f"has {len(data.y)} cases with a class where at least 10 are needed"
    return "has cases of one class alone" if len(np.unique(data.y)) < 2 else ""


def said(data: DataSet) -> dict[str, Any]:
    """A data set as an argument of a study: its name, its shape, and a digest of all that is in it."""
    digest = hashlib.sha256(np.ascontiguousarray(data.X).tobytes() + np.ascontiguousarray(data.y).tobytes())
    digest.update(repr((data.values, data.classes)).encode())
    return {"name": data.name, "shape": list(data.X.shape), "digest": digest.hexdigest()[:12]}


def described(sets: Iterable[DataSet]) -> Table:
    """One row for each data set: its shape, and what in it calls for a word."""
    rows: dict[str, list[Any]] = {}
    for d in sets:
        known = np.isfinite(d.X)
        counts = np.bincount(d.y, minlength=len(d.classes))
        with np.errstate(invalid="ignore"):
            low = np.where(known, d.X, np.inf).min(axis=0)
            high = np.where(known, d.X, -np.inf).max(axis=0)
        row = {
            "data set": d.name,
            "cases": len(d.y),
            "attributes": d.X.shape[1],
            "nominal": len(d.nominal),
            "values missing": d.missing,
            "classes": len(d.classes),
            "classes without cases": int((counts == 0).sum()),
            "classes of one case": int((counts == 1).sum()),
            "constant attributes": int((low == high).sum()),
            "attributes all missing": int((~known.any(axis=0)).sum()),
        }
        for name, value in row.items():
            rows.setdefault(name, []).append(value)
    return Table(rows, "the data sets")
