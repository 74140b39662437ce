"""Whatever is passed to the border comes out as an evaluation, or as an InputError of one sentence or two."""

from __future__ import annotations

import array
import collections
import datetime as dt
import decimal
import enum
import fractions
import io
import pathlib
import re
import uuid
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
import scipy.sparse as sp

import karat
from optional import pandas as pd
from optional import polars as pl

nan, inf = float("nan"), float("inf")
Y, S, p = [0, 0, 1, 1], list("aabb"), [0.1, 0.4, 0.35, 0.8]
P = np.array([[0.9, 0.1], [0.6, 0.4], [0.65, 0.35], [0.2, 0.8]])


class Thing:
    """Nothing in particular."""


class Things:
    def __iter__(self) -> Any:
        return iter([Thing()] * 4)


class Colour(enum.Enum):
    RED = 1


class FailingArray:
    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        raise RuntimeError("It is far away. Not here.\nReally.")


class FailingLength:
    def __len__(self) -> int:
        raise RuntimeError("no length")

    def __iter__(self) -> Any:
        raise RuntimeError("no values")


class Incomparable:
    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("not with me")


DECIMAL = decimal.Decimal
ODD: dict[str, Callable[[], Any]] = {
    # single things
    **{
        repr(x): lambda x=x: x
        for x in (None, 3, 0.5, nan, "abc", "", b"ab", True, 1j, ..., NotImplemented, slice(4), int)
    },
    "object": Thing,
    "class": lambda: Thing,
    "function": lambda: test_what_is_odd_is_refused_in_words,
    "module": lambda: np,
    "exception": lambda: ValueError("x"),
    "path": lambda: pathlib.Path("x"),
    "date": lambda: dt.date(2020, 1, 1),
    # Python's containers
    **{repr(x): lambda x=x: x for x in ({}, {0: 1}, [], (), {1, 2}, frozenset("ab"))},
    "nested": lambda: [[0, 1], [1, 0]] * 2,
    "ragged": lambda: [[0], [1, 2], [3], [4]],
    "deep": lambda: [[[0]]] * 4,
    "mixed": lambda: [0, "a", None, 1.5],
    "generator": lambda: (x for x in Y),
    "zip": lambda: zip(Y, Y, strict=True),
    "keys": lambda: dict.fromkeys(range(4)).keys(),
    "items": lambda: dict.fromkeys(range(4), 0).items(),
    "deque": lambda: collections.deque(Y),
    "counter": lambda: collections.Counter(Y),
    "array": lambda: array.array("d", p),
    "memory": lambda: memoryview(b"\0\0\1\1"),
    "bytearray": lambda: bytearray(b"\0\0\1\1"),
    "file": lambda: io.StringIO("a\nb"),
    "things": Things,
    "failing": FailingLength,
    "failing array": FailingArray,
    # lists of odd values
    **{
        f"list of {name}": lambda x=x: [x] * 4
        for name, x in {
            "None": None,
            "nan": nan,
            "inf": inf,
            "-inf": -inf,
            "complex": 1j,
            "bytes": b"a",
            "dates": dt.date(2020, 1, 1),
            "times": dt.datetime(2020, 1, 1),
            "objects": Thing(),
            "incomparable": Incomparable(),
            "enums": Colour.RED,
            "uuids": uuid.UUID(int=1),
            "decimals": DECIMAL("0.1"),
            "decimal nan": DECIMAL("nan"),
            "huge": 10**400,
            "large": 1e308,
            "fractions": fractions.Fraction(1, 3),
            "dicts": {"a": 1},
            "sets": {1},
            "tuples": (0, 1),
            "long texts": "x" * 10000,
            "lines": "a\nb",
            "0-d": np.array(0),
            "rows": np.array([0.9, 0.1]),
        }.items()
    },
    "list of tables": lambda: [P, P],
    "list of parts": lambda: [np.array([0, 1]), np.array([1])],
    "list of texts": lambda: list(map(str, p)),
    # numpy
    **{
        f"shape {shape}": lambda shape=shape: np.zeros(shape)
        for shape in ((), 0, (0, 2), (4, 0), (1, 4), (4, 1), (4, 2, 2))
    },
    **{
        f"type {kind}": lambda kind=kind: np.zeros(4, kind)
        for kind in ("M8[D]", "m8[s]", "V3", "i4,f4", "G", "g", "f2", "?", "S2", "O", np.dtypes.StringDType())
    },
    "uint64": lambda: np.array([2**64 - 1, 1, 2, 3], np.uint64),
    "masked": lambda: np.ma.masked_array(Y, [1, 0, 0, 0]),
    "sparse": lambda: sp.csr_array(P),
    "objects in rows": lambda: np.array([[0, "a"]] * 4, object),
    # pandas
    "pd.NA": lambda: pd.NA,
    "Timestamp": lambda: pd.Timestamp("2020-01-01"),
    "nullable": lambda: pd.Series([0, None, 1, 1], dtype="Int64"),
    "nullable array": lambda: pd.array([0, None, 1, 1], dtype="Int64"),
    "categories with gaps": lambda: pd.Categorical(["a", None, "b", "a"]),
    "intervals": lambda: pd.Series(pd.interval_range(0, 4)),
    "periods": lambda: pd.Series(pd.period_range("2020", periods=4)),
    "durations": lambda: pd.Series(pd.to_timedelta([1] * 4)),
    "MultiIndex": lambda: pd.MultiIndex.from_product([[0, 1], [0, 1]]),
    "sparse column": lambda: pd.Series(pd.arrays.SparseArray(Y)),
    "groups": lambda: pd.DataFrame({"a": Y, "b": p}).groupby("a"),
    "lists": lambda: pd.Series([[1]] * 4),
    "objects": lambda: pd.Series([0, "a", None, 2.0], dtype=object),
    "window": lambda: pd.Series(p).rolling(2),
    "empty table": lambda: pd.DataFrame(),
    "two columns": lambda: pd.DataFrame({"a": Y, "b": p}),
    "equal names": lambda: pd.DataFrame(P, columns=["a", "a"]),
    "levels of names": lambda: pd.DataFrame(P, columns=pd.MultiIndex.from_product([["p"], ["a", "b"]])),
    "table of texts": lambda: pd.DataFrame({"a": S, "b": S}),
    # polars
    "polars empty": lambda: pl.Series([]),
    "polars null": lambda: pl.Series([0, None, 1, 1]),
    "polars empty table": lambda: pl.DataFrame(),
    "polars expression": lambda: pl.col("a"),
    "polars lazy": lambda: pl.LazyFrame({"a": [1]}).select("z"),
    "polars lists": lambda: pl.Series([[1]] * 4),
    "polars records": lambda: pl.Series([{"a": 1}] * 4),
    "polars objects": lambda: pl.Series([Thing()] * 4, dtype=pl.Object),
    "polars groups": lambda: pl.DataFrame({"a": Y}).group_by("a"),
    # Arrow
    "arrow null": lambda: pa.array([0, None, 1, 1]),
    "arrow nulls": lambda: pa.nulls(4),
    "arrow scalar": lambda: pa.scalar(1),
    "arrow lists": lambda: pa.array([[1]] * 4),
    "arrow records": lambda: pa.array([{"a": 1}] * 4),
    "arrow decimals": lambda: pa.array([DECIMAL("0.1")] * 4),
    "arrow schema": lambda: pa.schema([("a", pa.int32())]),
    "arrow empty table": lambda: pa.table({}),
    "arrow dictionary null": lambda: pa.array(["a", None, "b", "b"]).dictionary_encode(),
}


def table() -> Any:
    return pd.DataFrame({"x": p, "y": p})


DOORS: dict[str, Callable[[Any], Any]] = {
    "y_true": lambda odd: karat.evaluate(odd, p),
    "y_true of a table": lambda odd: karat.evaluate(odd, P),
    "y_true of labels": lambda odd: karat.evaluate(odd, y_pred=Y),
    "y_proba": lambda odd: karat.evaluate(Y, odd),
    "y_proba of words": lambda odd: karat.evaluate(S, odd),
    "y_pred": lambda odd: karat.evaluate(Y, y_pred=odd),
    "y_score": lambda odd: karat.evaluate(Y, y_score=odd),
    "sample_weight": lambda odd: karat.evaluate(Y, p, sample_weight=odd),
    "labels": lambda odd: karat.evaluate(Y, P, labels=odd),
    "positive": lambda odd: karat.evaluate(S, p, positive=odd),
    "reject": lambda odd: karat.evaluate(Y, y_pred=Y, reject=odd),
    "columns": lambda odd: karat.evaluate(S, table(), columns=odd),
    "a column": lambda odd: karat.evaluate(S, table(), columns={"a": odd, "b": "y"}),
    "ids": lambda odd: karat.evaluate(Y, p, ids=odd),
    "normalise": lambda odd: karat.evaluate(Y, P, normalise=odd),
    "align": lambda odd: karat.evaluate(Y, P, align=odd),
    "align by index": lambda odd: karat.evaluate(pd.Series(Y), odd, align="index"),
    "both": lambda odd: karat.evaluate(odd, odd),
    "matrix": lambda odd: karat.evaluate_matrix(odd),
    "labels of a matrix": lambda odd: karat.evaluate_matrix([[1, 2], [3, 4]], odd),
    "truth of a batch": lambda odd: karat.evaluate_batch(odd, [p]),
    "batch": lambda odd: karat.evaluate_batch([Y], odd),
    "matrices": lambda odd: karat.evaluate_matrices(odd),
    "one of the matrices": lambda odd: karat.evaluate_matrices([[[1, 2], [3, 4]], odd]),
}


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("door", DOORS.values(), ids=DOORS)
def test_what_is_odd_is_refused_in_words(door: Callable[[Any], Any]) -> None:
    refused = 0
    for name, odd in ODD.items():
        try:
            door(odd())
        except karat.InputError as problem:
            text, refused = str(problem), refused + 1
            assert "\n" not in text, (name, text)
            assert len(text) < 300, (name, text)
            assert len(re.findall(r"[.?!] [A-Z]", text)) < 2, (name, text)
            assert re.search(r"[.?]$", text), (name, text)
        except Exception as problem:
            raise AssertionError(f"{name} ends in {type(problem).__name__}: {problem}") from problem
    assert refused > len(ODD) / 3
