"""The data sets that a study learns from: which, what is refused, what they are like, and halves of them."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from karat.core.arithmetic import Array
from karat.core.errors import InputError
from karat.datasets import DataSet, load, published
from karat.datasets.bundled import NAMES
from karat.datasets.sources import files, folder

Problems = dict[str, DataSet]


def problems(data: Any, names: Any, folds: int, study: str = "ferri2009") -> Problems:
    """Data sets by name, checked. Of a folder: those named, or those of the published study that it holds, or all;
    without one, scikit-learn's. Data sets themselves can be given too, in a list or by name."""
    if isinstance(names, str):
        names = [n.strip() for n in names.split(",") if n.strip()]
    if isinstance(data, DataSet):
        data = [data]
    if isinstance(data, Mapping):
        held: Problems = dict(data)
    elif data is None or isinstance(data, str | os.PathLike):
        where = folder(data)  # type: ignore[arg-type]
        if names is None and where is None:
            names = NAMES
        elif names is None and where is not None:
            there = files(where)
            names = [p.found_as for p in published(study) if p.found_as in there] or sorted(there)
        held = {name: load(name, data) for name in names}  # type: ignore[arg-type]
    else:
        held = {d.name: d for d in data}
    wanted = list(held) if names is None else [str(n) for n in names]
    for name in wanted:
        if name not in held:
            raise InputError(f"there is no data set {name!r} among those given: {', '.join(held)}.")
    if not wanted:
        raise InputError("no data set was found; name a folder that holds ARFF or CSV files, or none at all.")
    return {name: _checked(name, held[name], folds) for name in wanted}


def _checked(name: str, data: Any, folds: int) -> DataSet:
    if not isinstance(data, DataSet):
        raise InputError(f"{name} is {type(data).__name__}; give a karat.datasets.DataSet.")
    known = data.labelled()
    if len(known.y) < 2 * folds or len(np.unique(known.y)) < 2 or not known.X.shape[1]:
        raise InputError(
            f"{name} has {len(known.y)} cases of known class, {len(np.unique(known.y))} classes with cases "
            f"and {known.X.shape[1]} attributes; learning in {folds} folds needs {2 * folds} cases, two classes and an "
            "attribute: leave it out."
        )
    return known


def stratified(y: Array, folds: int, rng: np.random.Generator) -> Array:
    """The fold of each case: shuffled cases are dealt class by class, so that each fold has its share of each class. A
    class of fewer cases than folds is missing from some of them, and one of a single case is learnt or tested, never
    both."""
    order = rng.permutation(len(y))
    order = order[np.argsort(y[order], kind="stable")]
    found = np.empty(len(y), int)
    found[order] = np.arange(len(y)) % folds
    return found


def checksum(data: DataSet) -> str:
    """Of all that a learner sees of it."""
    told = repr((data.attributes, data.values, data.classes)).encode()
    return hashlib.sha256(told + data.X.tobytes() + data.y.tobytes()).hexdigest()[:16]


def likeness(data: DataSet) -> dict[str, Any]:
    """What a data set is like, and what needs a treatment in it."""
    counts = np.bincount(data.y)
    counts = counts[counts > 0]
    some = [np.unique(column[~np.isnan(column)]) for column in data.X.T]
    return {
        "cases": len(data.y),
        "nominal": len(data.nominal),
        "numeric": data.X.shape[1] - len(data.nominal),
        "classes": len(counts),
        "majority": float(counts.max() / counts.sum()),
        "minority": float(counts.min() / counts.sum()),
        "values missing": data.missing,
        "constant attributes": sum(len(v) == 1 for v in some),
        "attributes without values": sum(len(v) == 0 for v in some),
        "classes of one case": int((counts == 1).sum()),
        "classes without cases": len(data.classes) - len(counts),
    }


def subsets(like: Mapping[str, Mapping[str, Any]]) -> dict[str, list[str]]:
    """Names of the data sets of each kind. Balanced and small are the lower halves by the ratio of the largest class to
    the smallest and by the number of cases (of an odd number the middle one too)."""
    halves: dict[str, list[str]] = {}
    for lower, upper, by in (
        ("balanced", "imbalanced", {n: k["majority"] / k["minority"] for n, k in like.items()}),
        ("small", "large", {n: k["cases"] for n, k in like.items()}),
    ):
        order = sorted(like, key=lambda n, by=by: by[n])  # type: ignore[misc]
        middle = (len(order) + 1) // 2
        halves |= {lower: order[:middle], upper: order[middle:]}
    two = [n for n, k in like.items() if k["classes"] == 2]
    found: dict[str, Iterable[str]] = {"all": like, "two-class": two, "multi-class": set(like) - set(two), **halves}
    return {kind: [n for n in like if n in set(of)] for kind, of in found.items()}
