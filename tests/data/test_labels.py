"""Columns of many labels: of any kind, held by anything, they give the codes that a dictionary of Python's gives."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import karat
from karat.data.arrays import FEW_TEXTS
from karat.data.labels import distinct
from optional import pandas as pd
from optional import polars as pl

WORDS = ["zebra", "ant", "", "Ärger", "ant eater", "\U0001f600"]
DRAWN = np.random.default_rng(2).integers(0, len(WORDS), FEW_TEXTS + 1000)
TEXTS = [WORDS[i] for i in DRAWN]
UNUSED = [*WORDS, "never"]


def twice(texts: list[str]) -> Any:
    """An Arrow dictionary that holds each text twice, in two chunks with dictionaries of their own."""
    parts = [pa.array(texts[:99]).dictionary_encode(), pa.array(texts[99:]).dictionary_encode()]
    again = [
        pa.DictionaryArray.from_arrays(p.indices, pa.array([*p.dictionary.to_pylist(), *p.dictionary.to_pylist()]))
        for p in parts
    ]
    return pa.chunked_array(again)


TEXT_HOLDERS: dict[str, Callable[[], Any]] = {
    "list": lambda: TEXTS,
    "numpy": lambda: np.array(TEXTS),
    "numpy, swapped bytes": lambda: np.array(TEXTS).astype(np.array(TEXTS).dtype.newbyteorder()),
    "numpy, every other": lambda: np.repeat(np.array(TEXTS), 2)[::2],
    "numpy's own": lambda: np.array(TEXTS, np.dtypes.StringDType()),
    "objects": lambda: np.array(TEXTS, object),
    "objects of numpy": lambda: np.array([np.str_(t) for t in TEXTS], object),
    "objects, each its own": lambda: np.array(TEXTS).astype(object),
    "pandas": lambda: pd.Series(TEXTS),
    "pandas objects": lambda: pd.Series(TEXTS, dtype=object),
    "pandas of Arrow": lambda: pd.Series(TEXTS, dtype=pd.ArrowDtype(pa.string())),
    "polars": lambda: pl.Series(TEXTS),
    "polars categories": lambda: pl.Series(TEXTS).cast(pl.Categorical),
    "Arrow": lambda: pa.array(TEXTS),
    "Arrow chunks": lambda: pa.chunked_array([TEXTS[:7], TEXTS[7:]]),
    "Arrow views": lambda: pa.array(TEXTS, pa.string_view()),
    "Arrow dictionary": lambda: pa.array(TEXTS).dictionary_encode(),
    "Arrow dictionary, twice": lambda: twice(TEXTS),
}


@pytest.mark.parametrize("make", TEXT_HOLDERS.values(), ids=TEXT_HOLDERS)
def test_many_texts_are_coded(make: Callable[[], Any]) -> None:
    values, codes, categories = distinct(make(), "y_true")
    assert values == sorted(WORDS)
    assert {type(v) for v in values} == {str}
    assert codes.dtype == np.int32
    assert [values[i] for i in codes.tolist()] == TEXTS
    assert categories is None


DECLARED: dict[str, Callable[[], Any]] = {
    "pandas": lambda: pd.Series(pd.Categorical(TEXTS, categories=UNUSED)),
    "polars": lambda: pl.Series(TEXTS, dtype=pl.Enum(UNUSED)),
    "Arrow": lambda: pa.DictionaryArray.from_arrays(DRAWN.astype(np.int8), pa.array(UNUSED), ordered=True),
}


@pytest.mark.parametrize("make", DECLARED.values(), ids=DECLARED)
def test_declared_categories_are_kept_in_their_order(make: Callable[[], Any]) -> None:
    values, codes, categories = distinct(make(), "y_true")
    assert values == sorted(WORDS)
    assert [values[i] for i in codes.tolist()] == TEXTS
    assert categories == UNUSED


NUMBERS: dict[str, tuple[Any, type]] = {
    "floats": (DRAWN.astype(float) - 2, float),
    "float16": (DRAWN.astype(np.float16) - 2, float),
    "huge floats": ((DRAWN - 2.0) * 2.0**60, float),
    "objects": (np.array((DRAWN - 2).tolist(), object), int),
    "huge objects": (np.array([(i - 2) * 2**70 for i in DRAWN.tolist()], object), int),
    "objects of numpy": (np.array([np.int16(i - 2) for i in DRAWN], object), int),
    "decimals": (np.array([Decimal(int(i) - 2) for i in DRAWN], object), int),
    "objects that are floats": (np.array((DRAWN - 2.0).tolist(), object), float),
}


@pytest.mark.parametrize(("labels", "kind"), NUMBERS.values(), ids=NUMBERS)
def test_many_numbers_are_coded(labels: Any, kind: type) -> None:
    values, codes, _ = distinct(labels, "y_true")
    assert values == sorted(set(labels.tolist()))
    assert {type(v) for v in values} == {kind}
    assert [values[i] for i in codes.tolist()] == labels.tolist()


@pytest.mark.parametrize(
    ("odd", "says"),
    [(None, "missing"), (float("nan"), "missing"), (1, "mixes int and str"), ([1], "mixes list and str")],
)
@pytest.mark.parametrize("hold", [lambda x: np.array(x, object), lambda x: pd.Series(x, dtype=object)])
def test_one_odd_value_among_many_texts_is_refused(odd: Any, says: str, hold: Callable[[Any], Any]) -> None:
    labels = [*TEXTS[:50], odd, *TEXTS[50:]]
    held = np.empty(len(labels), object)
    held[:] = labels
    with pytest.raises(karat.InputError, match=says):
        distinct(hold(held), "y_true")


def test_a_real_number_is_named_with_its_case() -> None:
    with pytest.raises(karat.InputError, match=r"the real number 2\.5 at case 3"):
        distinct(np.array([Decimal(1), Decimal(2), Decimal(2), Decimal("2.5")], object), "y_true")
    with pytest.raises(karat.InputError, match=r"the real number 2\.5 at case 3"):
        distinct(np.array([1.0, 2.0, 2.0, 2.5], object), "y_true")


def test_missing_texts_of_numpy_are_refused() -> None:
    texts = np.array(["a", None, "b"], np.dtypes.StringDType(na_object=None))
    with pytest.raises(karat.InputError, match="missing labels"):
        distinct(texts, "y_true")


class Counted(str):
    """A text that counts how often it is compared."""

    compared = 0
    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        Counted.compared += 1
        return str.__eq__(self, other)


def test_objects_that_occur_often_are_compared_once() -> None:
    held = [Counted(word) for word in WORDS]
    labels = np.array(held, object)[DRAWN]
    Counted.compared = 0
    values, codes, _ = distinct(labels, "y_true")
    assert Counted.compared <= 4 * len(WORDS)
    assert [values[i] for i in codes.tolist()] == TEXTS
