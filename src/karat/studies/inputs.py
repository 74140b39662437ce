"""The measures and data sets of a study: found, read and checked before any work is done."""

from __future__ import annotations

import copy
import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from karat.core.errors import InputError, option
from karat.core.measure import Measure
from karat.core.study import Study
from karat.core.validation import listed_words
from karat.datasets import DataSet, Published, load, published
from karat.datasets.folders import NAMES, files, folder
from karat.measures import PAPERS
from karat.measures.lookup import find
from karat.statistics import Counts

SAMPLE = "@"
"""connect-4@5960 is a random sample of 5,960 cases, the same in every run."""
CUT = 2
"""A published set is cut down to its published number of cases if so many times more were found."""


def study_measures(wanted: Any, own: Iterable[str], suits: Callable[[Measure], str]) -> tuple[Measure, ...]:
    """Measures by symbol, name, alias or themselves (None: the study's own), each once. `suits` says why one is not
    available here, or nothing."""
    suitable: dict[str, Measure] = {}
    for key in own if wanted is None else [wanted] if isinstance(wanted, Measure) else listed_words(wanted):
        measure = find(key.strip() if isinstance(key, str) else key)
        reason = suits(measure)
        if reason:
            raise InputError(f"{measure.symbol} is not available in this study: {reason}; leave it out.")
        suitable[measure.symbol] = measure
    if not suitable:
        raise InputError("the list of measures is empty; name at least one, or leave it out for the study's own.")
    return tuple(suitable.values())


def names_of(listed: Any) -> tuple[str, ...]:
    """Names of a list or of a text that commas part, without blanks around them, each once."""
    return tuple(dict.fromkeys(str(name).strip() for name in listed_words(listed)))


def refuse_uncomputable(measures: Iterable[Measure], value: Callable[[Measure], Any]) -> None:
    """Compute each measure once on a little of the study's data: one that can't be is refused now, not hours later."""
    for measure in measures:
        try:
            with np.errstate(all="ignore"):
                values = np.asarray(value(measure), float)
        except Exception as trouble:
            reason = f"{type(trouble).__name__}: {trouble}".strip(": ")
            raise InputError(
                f"{measure.symbol} can't be computed on the study's data ({reason}); leave it out."
            ) from trouble
        if values.ndim != 1:
            shape = values.shape
            raise InputError(
                f"{measure.symbol} returns the shape {shape} for several evaluations; it must return one value each."
            )


def why_not_batched(measure: Measure) -> str:
    """Why a measure is not available for a batch of predictions."""
    if measure.classwise:
        return "it is a measure of one class"
    return "it needs the scores of each class one by one" if measure.statistic.per_class == "each" else ""


def why_not_choosing(measure: Measure) -> str:
    """Why a measure can't choose between models of a batch."""
    return why_not_batched(measure) or ("" if measure.orientation else "it has no better direction")


def why_not_of_matrices(measure: Measure) -> str:
    """Why a measure is not available from a confusion matrix alone."""
    if measure.classwise:
        return "it is a measure of one class"
    return "" if measure.statistic is Counts else "it can't be computed from a confusion matrix"


def suitable_headline(suits: Callable[[Measure], str]) -> list[str]:
    """The measures of the papers that suit."""
    return [symbol for symbol in PAPERS if not suits(find(symbol))]


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class DataStudy(Study):
    """A study that trains on data sets; the unit `iris-003` is of iris.

    Parameters
    ----------
    measures : names
        Measures to compare. By default those of the paper.
    datasets : names
        Data sets; connect-4@5960 is a random sample of 5,960 cases. By default those of the paper that the folder
        holds, or all that it holds; without a folder those of scikit-learn: breast_cancer, digits, iris, wine.
    data : folder
        Folder of ARFF or CSV files. By default that of the environment variable KARAT_DATA.
    """

    measures: Any = None
    datasets: Any = None
    data: Any = None

    def arguments(self) -> dict[str, Any]:
        """What the study was told; data sets by their checksums, wherever they are."""
        arguments = super().arguments() | {"datasets": checksums(self.datasets)}
        del arguments["data"]
        return arguments

    def data_set(self, unit: str) -> DataSet:
        """The data set of a unit."""
        data: DataSet = next(d for d in self.datasets if d.name == unit.rpartition("-")[0])
        return data

    def sent(self, unit: str) -> Self:
        """A copy with the unit's data set alone, for a worker elsewhere."""
        light = copy.copy(self)
        light._set(datasets=(self.data_set(unit),))
        return light


def data_sets(wanted: Any, where: Any, paper: str, *, attributes: int = 1, cases: int = 10) -> tuple[DataSet, ...]:
    """The data sets asked for: names for `karat.datasets.load`, or data sets. Unless some are named, those of the paper
    that the folder holds, or all that it holds if it has none of them; without a folder, scikit-learn's.

    Cases without a class are left out. A set of fewer attributes or cases than these, or of one class, is refused if it
    was named, and passed over if it was not.
    """
    names = wanted if wanted is None else [wanted] if isinstance(wanted, DataSet) else listed_words(wanted)
    sets: dict[str, DataSet] = {}
    for name in _own(where, paper) if names is None else names:
        data = _loaded(name, where)
        trouble = _unfit(data, attributes, cases)
        if trouble and names is not None:
            raise InputError(f"the data set {data.name!r} {trouble}; leave it out.")
        if data.name in sets:
            raise InputError(f"two data sets are named {data.name!r}; rename one, or leave it out.")
        if not trouble:
            sets[data.name] = data
    if not sets:
        raise InputError(
            f"there is no usable data set; name some with {option('datasets')}, and their folder with {option('data')}."
        )
    return tuple(sets.values())


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
        raise InputError(f"a data set was given as {type(name).__name__}; pass its name, or a karat.datasets.DataSet.")
    plain, at, count = name.partition(SAMPLE)
    if at and not count.isdigit():
        raise InputError(f"{name!r} asks for a sample of {count!r} cases; write for example {plain}{SAMPLE}5000.")
    data = load(plain, where).labelled()
    return _sample(data, int(count)) if at and int(count) < len(data.y) else data


def _sample(data: DataSet, count: int) -> DataSet:
    name = f"{data.name}{SAMPLE}{count}"
    words = np.frombuffer(hashlib.sha256(name.encode()).digest(), "<u4")
    rows = np.sort(np.random.default_rng(words.tolist()).choice(len(data.y), count, replace=False))
    return replace(data.take(rows), name=name)


def _unfit(data: DataSet, attributes: int, cases: int) -> str:
    if data.X.shape[1] < attributes:
        return f"has {data.X.shape[1]} attributes where at least {attributes} are needed"
    if len(data.y) < cases:
        return f"has {len(data.y)} cases with a class where at least {cases} are needed"
    return "has cases of only one class" if len(np.unique(data.y)) < 2 else ""


def checksum(data: DataSet) -> str:
    """Of all that a learner sees of it."""
    declared = repr((data.attributes, data.values, data.classes)).encode()
    cells = np.ascontiguousarray(data.X).tobytes() + np.ascontiguousarray(data.y).tobytes()
    return hashlib.sha256(declared + cells).hexdigest()[:16]


def checksums(sets: Iterable[DataSet]) -> dict[str, str]:
    """Data sets as an argument of a study: what is in them, wherever they are."""
    return {data.name: checksum(data) for data in sets}


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
    members: dict[str, Iterable[str]] = {"all": like, "two-class": two, "multi-class": set(like) - set(two), **halves}
    return {kind: [n for n in like if n in set(of)] for kind, of in members.items()}
