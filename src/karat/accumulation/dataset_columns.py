"""Which columns of a dataset are read, and the classes that they speak of."""

from __future__ import annotations

import csv
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from karat.accumulation.dataset_parts import DatasetPart, ReadColumns
from karat.core.errors import InputError, LabelError, option, quoted
from karat.core.validation import one_of
from karat.data.arrow_readers import stated_ends
from karat.data.labels import MISSING, label_reader, typed
from karat.data.prediction_columns import Names, positive_of_one
from karat.data.top_rows import RESTS, is_list, is_listing, is_real_list, rows_of

if TYPE_CHECKING:
    import pyarrow.dataset as ds


def of_models(models: dict[str, ReadColumns]) -> ReadColumns:
    """The columns of several models, which have the same classes; of one without a name, its own."""
    (first, one), *others = models.items()
    if first == "" and not others:
        return one
    for name, other in others:
        if (one.labels, one.positive) != (other.labels, other.positive) or not other.proba:
            raise InputError(
                f"{first} has columns {quoted(one.proba, 6)} and {name} has {quoted(other.proba, 6)}; give all models "
                "the same classes."
            )
    proba = tuple(column for columns in models.values() for column in columns.proba)
    each = tuple((name, columns.proba) for name, columns in models.items())
    return replace(one, proba=proba, decided=None, models=each)


def with_more(dataset: ds.Dataset, columns: ReadColumns, ids: str | None, by: tuple[str, ...]) -> ReadColumns:
    """The same with a column of ids, if one is named, and with columns of groups."""
    there = dataset.schema.names
    for name in (*([] if ids is None else [ids]), *by):
        if name not in there:
            raise InputError(f"there is no column {name!r}; the columns are {quoted(there, 12)}.")
    return replace(columns, ids=ids, by=by, untyped=bool(by) and _is_untyped(dataset))


def _is_untyped(dataset: ds.Dataset) -> bool:
    """Is all that a file holds texts, in truth?"""
    return type(getattr(dataset, "format", None)).__name__ == "CsvFileFormat"


def columns_of(
    dataset: ds.Dataset, names: Names, labels: Any, positive: Any, distinct: Callable[[list[str]], list[Any]]
) -> ReadColumns:
    """Which columns there are, by their names, and the classes; `distinct` gives the distinct values of columns."""
    there = dataset.schema.names
    if names.truth not in there:
        raise InputError(
            f"there is no column {names.truth!r} for the true labels; the columns are {quoted(there, 12)}: name it "
            f"with {option('truth')}."
        )
    decided, weight = (_named(there, names, role) for role in ("decided", "weight"))
    others = {names.truth, decided, weight, *names.beside}
    proba = [n for n in there if n.startswith(names.proba) and n != names.proba and n not in others]
    alone = names.proba if names.proba in there and not proba else None  # a column itself: of the positive class
    if not proba and decided is None and alone is None:
        raise InputError(
            f"there are no columns {names.proba}<class> of probabilities and no predicted labels; the columns are "
            f"{quoted(there, 12)}: name them with {option('proba')} or {option('pred')}."
        )
    read = [names.truth] if proba or alone or decided is None else [names.truth, decided]
    seen, reader = _labels(dataset, read, labels, distinct)
    of_class = {typed(n[len(names.proba) :], seen): n for n in proba}
    if alone is not None:
        of_class = {positive_of_one(alone, positive, seen): alone}
    classes = list(seen) if labels is not None else sorted({*seen, *of_class}, key=lambda c: (str(type(c)), c))
    if labels is None and len(classes) == 1 and classes[0] in (0, 1):
        classes = [type(classes[0])(0), type(classes[0])(1)]  # whose other class has no case here
    _refuse_lacking(classes, of_class, proba)
    kept: dict[str, Any] = {"labels": tuple(classes), "reader": reader}
    if len(of_class) == 1:
        ((alone, column),) = of_class.items()
        if positive is not None and typed(positive, classes) != alone:
            raise LabelError(f"there is the probability of {alone!r} only, and {option('positive')} is {positive!r}.")
        return ReadColumns(names.truth, (column,), decided, weight, positive=alone, **kept)
    ordered = tuple(of_class[c] for c in classes if c in of_class)
    return ReadColumns(names.truth, ordered, decided, weight, positive=typed(positive, classes), **kept)


def top_columns_of(
    dataset: ds.Dataset, names: Names, labels: Any, positive: Any, rest: str, distinct: Callable[[list[str]], list[Any]]
) -> ReadColumns:
    """Where the most probable classes of each case are listed. The prediction is the most probable one."""
    one_of(option("rest"), rest, RESTS)
    there = dataset.schema.names
    if names.decided is not None:
        raise InputError(f"the prediction is the most probable class that is listed; leave {option('pred')} out.")
    for name in (names.truth, *([] if names.weight is None else [names.weight])):
        if name not in there:
            raise InputError(f"there is no column {name!r}; the columns are {quoted(there, 12)}.")
    top = _listing_columns(dataset.schema, names)
    found = distinct([names.truth, *top]) if labels is None else list(labels)
    kind = dataset.schema.field(names.truth).type
    like = _like(kind) if labels is not None else [v for v in found if not isinstance(v, str)][:1] or [""]
    classes = list(dict.fromkeys(typed(label, like) for label in found))
    if labels is None:
        classes.sort(key=lambda label: (str(type(label)), label))
    weight = _named(there, names, "weight")
    return ReadColumns(names.truth, (), None, weight, tuple(classes), typed(positive, classes), top=top, rest=rest)


def _listing_columns(schema: Any, names: Names) -> tuple[str, ...]:
    """A column of {class: p}, or two of lists, that of the classes first."""
    kinds = dict(zip(schema.names, schema.types, strict=True))
    given = [name for name in next(csv.reader([names.proba], skipinitialspace=True), []) if name in kinds]
    chosen = given or [name for name, kind in kinds.items() if is_listing(kind) and name != names.truth]
    if len(chosen) == 1 and is_listing(kinds[chosen[0]]):
        return tuple(chosen)
    if len(chosen) == 2 and all(is_list(kinds[name]) for name in chosen):
        return tuple(sorted(chosen, key=lambda name: is_real_list(kinds[name])))
    raise InputError(
        f"with {option('rest')} the most probable classes are listed in a column of {{class: p}}, or in two of lists, "
        f"classes and probabilities; the columns are {quoted(schema.names, 12)}: name them with {option('proba')}."
    )


def _refuse_lacking(classes: list[Any], of_class: dict[Any, str], proba: list[str]) -> None:
    """Every class needs its column, but for one of two."""
    unknown = [label for label in of_class if label not in classes]
    lacking = [label for label in classes if label not in of_class]
    if unknown or (lacking and of_class and not (len(of_class) == 1 and len(classes) == 2)):
        raise LabelError(
            f"the classes are {quoted(classes)} and there are columns {quoted(proba, 12)}; give one for each class, or "
            f"name the classes with {option('labels')}."
        )


def _named(there: list[str], names: Names, role: str) -> str | None:
    name = getattr(names, role)
    if name is not None and name not in there:
        raise InputError(f"there is no column {name!r}; the columns are {quoted(there, 12)}.")
    return names.called(role) if names.called(role) in there else None


def _labels(
    dataset: ds.Dataset, read: list[str], given: Any, distinct: Callable[[list[str]], list[Any]]
) -> tuple[list[Any], Any]:
    """The distinct labels of some columns (those that were given, in the type of these), and what makes them of texts,
    where the files know no types."""
    kind = dataset.schema.field(read[0]).type
    untyped = _is_untyped(dataset)
    if given is not None and not untyped:
        return [typed(label, _like(kind)) for label in given], None
    found = list(given) if given is not None else distinct(read)
    if not untyped:
        return sorted(found, key=lambda label: (str(type(label)), label)), None
    reader = label_reader([str(label) for label in found])
    absent = {""} if reader is str else MISSING
    values = [reader(str(label)) for label in found if str(label) not in absent]
    return values if given is not None else sorted(values), reader


def _like(kind: Any) -> list[Any]:
    """A value of the type that a column has."""
    import pyarrow as pa

    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    if pa.types.is_boolean(kind):
        return [True]
    return [0] if pa.types.is_integer(kind) else [0.0] if pa.types.is_floating(kind) else [""]


def _span(units: list[DatasetPart], truth: str) -> tuple[int, int] | None:
    """The smallest and the largest of whole numbers, if the files say so."""
    ends: list[Any] = []
    for unit in units:
        if unit.group is None:
            return None
        try:
            ends += stated_ends(unit.fragment.metadata, unit.group, truth)
        except Exception:  # what is stated is damaged: the values themselves tell
            return None
    return (min(ends), max(ends)) if ends and all(type(end) is int for end in ends) else None


@dataclass
class DistinctLabels:
    """The distinct values of columns, looked for once: from the statistics of Parquet where these tell, else by a pass
    over the columns. Missing ones are left out, which is noticed later."""

    units: list[DatasetPart]
    where: Any
    tolerant: bool
    found: dict[tuple[str, ...], list[Any]] = field(default_factory=dict)

    def __call__(self, read: list[str]) -> list[Any]:
        if tuple(read) not in self.found:
            span = _span(self.units, read[0]) if len(read) == 1 else None
            told = span is not None and span[1] - span[0] <= 1  # nothing can lie between
            self.found[tuple(read)] = sorted(set(span or ())) if told else self._passed(read)
        return self.found[tuple(read)]

    def _passed(self, read: list[str]) -> list[Any]:
        distinct: dict[Any, None] = {}
        for unit in self.units:
            try:
                for batch in unit.batches(read, self.where):
                    for column in batch.columns:
                        distinct.update(dict.fromkeys(_labels_in(column)))
            except InputError:
                if not self.tolerant:
                    raise
        return [label for label in distinct if label is not None and label == label]


def _labels_in(column: Any) -> list[Any]:
    """The distinct labels of a column, whose values may list several; probabilities are none."""
    import pyarrow.compute as pc

    if is_listing(column.type):
        return list(rows_of(column.drop_null()).names or ())
    if is_list(column.type):
        return [] if is_real_list(column.type) else list(pc.unique(column.flatten()).to_pylist())
    return list(pc.unique(column).to_pylist())
