"""A long table of results - model, data set, fold, seed, measure, value - checked: nothing missing, nothing twice."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from karat.core.arithmetic import Array
from karat.core.errors import InputError, quoted
from karat.core.measure import measures
from karat.data.arrays import named_columns, numbers
from karat.data.labels import distinct
from karat.measures.lookup import lower_is_better_of

REPETITIONS = ("fold", "seed")
"""Columns that tell apart several values of a model on a data set; any of them can be absent."""


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
        found = named_columns(table, "the table of results")
        said = dict(columns or {})
        unknown = [word for word in said if word not in ("model", "dataset", *REPETITIONS, "measure", "value")]
        if unknown:
            raise InputError(
                f"columns= speaks of {quoted(unknown)}; it can name model, dataset, fold, seed, measure and value."
            )
        name = {word: said.get(word, word) for word in ("model", "dataset", *REPETITIONS, "measure", "value")}
        for word in ("model", "dataset", "value", *said):
            if name[word] not in found:
                raise InputError(
                    f"the table of results has no column {name[word]!r}; it has {quoted(found, 8)}: name the column of "
                    f"each with columns={{'{word}': ...}}."
                )
        value, _ = numbers(found[name["value"]], f"column {name['value']!r}", "one number for each row")
        if value.ndim != 1 or not len(value):
            raise InputError(f"column {name['value']!r} has the shape {value.shape}; give one number for each row.")
        coded = {w: _coded(found[c], c, len(value)) for w, c in name.items() if w != "value" and c in found}
        kept = np.ones(len(value), bool)
        if "measure" in coded:
            measure, kept = _chosen_measure(measure, *coded["measure"])
        lower = lower_is_better_of(measure, lower_is_better)
        if not np.isfinite(value[kept]).all():
            row = int(np.flatnonzero(kept & ~np.isfinite(value))[0])
            here = ", ".join(f"{w} {coded[w][0][coded[w][1][row]]!r}" for w in ("model", "dataset"))
            raise InputError(
                f"row {row} ({here}) holds the value {value[row]}; give a finite value, or leave the data set out for "
                "all models."
            )
        models, model = _seen(*coded["model"], kept)
        datasets, dataset = _seen(*coded["dataset"], kept)
        repeated = [(w, *_seen(*coded[w], kept)) for w in REPETITIONS if w in coded]
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
            raise InputError(f"the table of results holds only the model {quoted(models)}; give at least two models.")
        fold, folds = np.zeros(len(value), np.int64), 1
        for _, names, place in repeated:
            fold, folds = fold * len(names) + place, folds * len(names)
        blocks, block = np.unique(
            dataset * folds + fold, return_inverse=True
        )  # a fold that no model has is not missing
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
            hint = "aggregate them" if repeated else "add a column fold or seed that tells them apart"
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


def _coded(data: Any, what: str, n: int) -> tuple[list[Any], Array]:
    names, place, _ = distinct(data, f"column {what!r}")
    if len(place) != n:
        raise InputError(f"column {what!r} has {len(place)} rows and the values have {n}; give columns of one length.")
    return names, place


def _seen(names: list[Any], place: Array, kept: Array) -> tuple[list[Any], Array]:
    """Only the names that occur in the rows kept."""
    occur, again = np.unique(place[kept], return_inverse=True)
    return [names[i] for i in occur], again


def _chosen_measure(measure: str | None, names: list[Any], place: Array) -> tuple[str, Array]:
    if measure is None:
        if len(names) > 1:
            raise InputError(f"the table of results holds the measures {quoted(names, 8)}; name one with measure=.")
        return str(names[0]), np.ones(len(place), bool)
    wanted = [i for i, name in enumerate(names) if str(name) == measure]
    if not wanted and measure in measures:
        known = [(i, str(name)) for i, name in enumerate(names) if str(name) in measures]
        wanted = [i for i, name in known if measures[name] is measures[measure]]
    if not wanted:
        raise InputError(f"the table of results has no measure {measure!r}; it has {quoted(names, 8)}.")
    return str(names[wanted[0]]), place == wanted[0]
