"""What is compared: a long table of results - model, data set, fold, seed, measure, value - with nothing missing and
nothing twice, or the values of two models in pairs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from karat.core.arithmetic import Array
from karat.core.errors import InputError, ShapeError, option, quoted
from karat.core.measure import measures
from karat.data.arrays import named_columns, numbers
from karat.data.labels import distinct
from karat.measures.lookup import lower_is_better_of

REPETITIONS = ("fold", "seed")
"""Columns that tell apart several values of a model on a data set; any of them can be absent."""
COLUMNS = ("model", "dataset", *REPETITIONS, "measure", "value")


@dataclass(frozen=True, eq=False)
class Results:
    """Values of one measure, of every model on every data set."""

    models: tuple[str, ...]
    datasets: tuple[str, ...]
    values: tuple[Array, ...]
    """for each data set [folds, models]"""
    measure: str
    lower_is_better: bool

    @property
    def means(self) -> Array:
        """[data sets, models]: the mean over the folds."""
        return np.stack([v.mean(axis=0) for v in self.values])

    def model(self, name: Any) -> int:
        """The place of a model."""
        if str(name) not in self.models:
            raise InputError(f"there is no model {name!r} in the table; it has {quoted(self.models, 8)}.")
        return self.models.index(str(name))

    def folds(self, dataset: Any) -> Array:
        """[folds, models] of one data set."""
        if str(dataset) not in self.datasets:
            raise InputError(f"there is no data set {dataset!r} in the table; it has {quoted(self.datasets, 8)}.")
        return self.values[self.datasets.index(str(dataset))]

    @classmethod
    def of(
        cls,
        table: Any,
        measure: str | None = None,
        *,
        lower_is_better: bool | None = None,
        columns: Mapping[str, str] | None = None,
    ) -> Results:
        """From a data frame or a dict of columns; `columns` says where the table has other names than model, dataset,
        fold, seed, measure and value."""
        given = named_columns(table, "the table of results")
        name = _column_names(given, dict(columns or {}))
        value, _ = numbers(given[name["value"]], f"column {name['value']!r}", "one number for each row")
        if value.ndim != 1 or not len(value):
            raise InputError(f"column {name['value']!r} has the shape {value.shape}; give one number for each row.")
        coded = {w: _coded(given[c], c, len(value)) for w, c in name.items() if w != "value" and c in given}
        kept = np.ones(len(value), bool)
        if "measure" in coded:
            measure, kept = _rows_of_measure(measure, *coded["measure"])
        lower = lower_is_better_of(measure, lower_is_better)
        if not np.isfinite(value[kept]).all():
            row = int(np.flatnonzero(kept & ~np.isfinite(value))[0])
            here = ", ".join(f"{w} {coded[w][0][coded[w][1][row]]!r}" for w in ("model", "dataset"))
            raise InputError(
                f"row {row} ({here}) has the value {value[row]}; give a finite value, or leave the data set out for "
                "all models."
            )
        models, model = _occurring(*coded["model"], kept)
        datasets, dataset = _occurring(*coded["dataset"], kept)
        repeated = [(w, *_occurring(*coded[w], kept)) for w in REPETITIONS if w in coded]
        return cls._arranged(models, model, datasets, dataset, repeated, value[kept], measure or "value", lower)

    @classmethod
    def _arranged(
        cls,
        models: list[Any],
        model: Array,
        datasets: list[Any],
        dataset: Array,
        repeated: list[tuple[str, list[Any], Array]],
        value: Array,
        measure: str,
        lower: bool,
    ) -> Results:
        k = len(models)
        if k < 2:
            raise InputError(f"the table of results has only the model {quoted(models)}; give at least two models.")
        fold, folds = np.zeros(len(value), np.int64), 1
        for _, names, place in repeated:
            fold, folds = fold * len(names) + place, folds * len(names)
        blocks, block = np.unique(dataset * folds + fold, return_inverse=True)  # what no model has is not missing
        count = np.zeros((len(blocks), k), np.int64)
        np.add.at(count, (block, model), 1)

        def words(b: int, m: int) -> str:
            d, f = divmod(int(blocks[b]), folds)
            parts = [f"model {models[m]!r}", f"data set {datasets[d]!r}"]
            for word, names, _ in reversed(repeated):
                f, at = divmod(f, len(names))
                parts.append(f"{word} {names[at]!r}")
            return ", ".join(parts)

        if (count > 1).any():
            at = np.argwhere(count > 1)[0]
            hint = "aggregate them" if repeated else "add a column fold or seed that distinguishes them"
            raise InputError(f"{words(*at)} has {count[tuple(at)]} values; give one, or {hint}.")
        missing = int((count == 0).sum())
        if missing:
            at = np.argwhere(count == 0)[0]
            raise InputError(
                f"{words(*at)} has no value ({missing} missing in all); give every model a value wherever "
                "another has one, or leave the data set out for all models."
            )
        filled = np.zeros(count.shape)
        filled[block, model] = value
        ends = np.searchsorted(blocks, np.arange(1, len(datasets)) * folds)
        values = tuple(np.split(filled, ends))
        return cls(tuple(map(str, models)), tuple(map(str, datasets)), values, measure, lower)


def _column_names(given: Mapping[str, Any], names: dict[str, str]) -> dict[str, str]:
    """What the table calls each of the columns."""
    unknown = [word for word in names if word not in COLUMNS]
    if unknown:
        raise InputError(
            f"columns= names {quoted(unknown)}; it can name model, dataset, fold, seed, measure and value."
        )
    name = {word: names.get(word, word) for word in COLUMNS}
    for word in ("model", "dataset", "value", *names):
        if name[word] not in given:
            raise InputError(
                f"the table of results has no column {name[word]!r}; it has {quoted(given, 8)}: name the column of "
                f"each with columns={{'{word}': ...}}."
            )
    return name


def _coded(data: Any, what: str, n: int) -> tuple[list[Any], Array]:
    names, place, _ = distinct(data, f"column {what!r}")
    if len(place) != n:
        raise InputError(f"column {what!r} has {len(place)} rows and the values have {n}; give columns of one length.")
    return names, place


def _occurring(names: list[Any], place: Array, kept: Array) -> tuple[list[Any], Array]:
    """Only the names that occur in the rows kept."""
    occur, again = np.unique(place[kept], return_inverse=True)
    return [names[i] for i in occur], again


def _rows_of_measure(measure: str | None, names: list[Any], place: Array) -> tuple[str, Array]:
    """The measure as the table names it, and which rows hold it."""
    if measure is None:
        if len(names) > 1:
            raise InputError(
                f"the table of results has the measures {quoted(names, 8)}; choose one with {option('measure')}."
            )
        return str(names[0]), np.ones(len(place), bool)
    wanted = [i for i, name in enumerate(names) if str(name) == measure]
    if not wanted and measure in measures:
        known = [(i, str(name)) for i, name in enumerate(names) if str(name) in measures]
        wanted = [i for i, name in known if measures[name] is measures[measure]]
    if not wanted:
        raise InputError(f"the table of results has no measure {measure!r}; it has {quoted(names, 8)}.")
    return str(names[wanted[0]]), place == wanted[0]


def advantages(first: Any, second: Any, lower_is_better: bool = False, least: int = 2) -> Array:
    """How much better the first model is than the second, of each pair of values."""
    a, b = (
        numbers(x, f"the values of the {which} model", "one number for each data set or fold")[0]
        for x, which in ((first, "first"), (second, "second"))
    )
    if a.ndim != 1 or a.shape != b.shape:
        raise ShapeError(
            f"the first model's values have the shape {a.shape} and the second's {b.shape}; give both in pairs, of "
            "shape (n,)."
        )
    if len(a) < least:
        raise InputError(f"there are {len(a)} pairs of values; give at least {least}.")
    wrong = ~(np.isfinite(a) & np.isfinite(b))
    if wrong.any():
        at = int(np.argmax(wrong))
        raise InputError(f"pair {at} is ({a[at]}, {b[at]}); give finite values, or leave the pair out.")
    return np.asarray(b - a if lower_is_better else a - b)


def checked_rope(rope: float) -> float:
    """The half width of the region of practical equivalence."""
    if not (np.isfinite(rope) and rope >= 0):
        raise InputError(f"rope is {rope}; give the largest difference that does not matter, of at least 0.")
    return float(rope)


def checked_ratio(ratio: float) -> float:
    """Cases tested on per case trained on."""
    if not (np.isfinite(ratio) and ratio >= 0):
        raise InputError(
            f"ratio is {ratio}; give the number of test cases over that of training cases, 1 / (k - 1) for k folds."
        )
    return float(ratio)
