"""Rows that are too many to be kept are read again: what follows from pairs of cases is exact."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import karat
from karat.accumulation.second_reading import stretches
from karat.core.errors import InputError
from karat.statistics.score_grid import ScoreGrid

pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
pq = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")

N = 30_000


def rows(kind: str, dtype: Any) -> tuple[Any, Any]:
    rng = np.random.default_rng(5)
    z = rng.normal(-1, 2, N) * (12 if kind == "saturated" else 1)
    p = 1 / (1 + np.exp(-z))
    y = rng.random(N) < p
    p = np.round(p, 2) if kind == "rounded" else np.where(rng.random(N) < 0.5, 0.25, p) if kind == "heap" else p
    return y.astype(np.int8), p.astype(dtype)


def area(y: Any, p: Any) -> float:
    """The share of pairs that are in order, ties one half, by counting those below each score."""
    ones, zeros = p[y == 1], np.sort(p[y == 0])
    below = np.searchsorted(zeros, ones, "left") + np.searchsorted(zeros, ones, "right")
    return int(below.sum()) / 2 / (len(ones) * len(zeros))


def written(folder: Path, y: Any, p: Any, labels: Any = None) -> Path:
    truth = y if labels is None else np.array(labels)[y]
    for i, part in enumerate(np.array_split(np.arange(N), 3)):
        name = "p_1" if labels is None else f"p_{labels[0]}"
        pq.write_table(pa.table({"y_true": truth[part], name: p[part]}), folder / f"{i}.parquet", row_group_size=4000)
    return folder


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("kind", ["plain", "saturated", "rounded", "heap"])
def test_pairs_and_groups_are_exact_though_memory_holds_a_fifth_of_the_rows(
    tmp_path: Path, kind: str, dtype: Any
) -> None:
    y, p = rows(kind, dtype)
    folder = written(tmp_path, y, p)
    e = karat.accumulate(folder, exact=True, memory=N * p.itemsize // 5).evaluation()
    whole = karat.evaluate(y, p, labels=[0, 1])
    assert e.n == N
    assert e.bounds("AUC")[0] == e.bounds("AUC")[1] == pytest.approx(area(y, p), rel=1e-13)
    for symbol in ("SAUC", "CalL", "LogLoss"):
        assert e[symbol] == pytest.approx(whole[symbol], rel=1e-11), symbol
    low, high = e.bounds("AP")
    assert low - 1e-12 <= whole["AP"] <= high + 1e-12


def test_the_class_that_the_column_is_of_may_be_the_first(tmp_path: Path) -> None:
    y, p = rows("plain", np.float32)
    folder = written(tmp_path, y, p, labels=["no", "yes"])
    e = karat.accumulate(folder, positive="no", exact=True, memory=N).evaluation()
    assert e.bounds("AUC")[0] == pytest.approx(area(1 - y, p), rel=1e-13) == e.bounds("AUC")[1]


def test_stretches_hold_every_cell_once_and_no_more_cases_than_may_be_kept() -> None:
    y, p = rows("heap", np.float64)
    keys = np.sort((p.view(np.uint64) << np.uint64(1)) | y.astype(np.uint64))
    found = list(stretches(ScoreGrid.of_keys(keys), 2_000))
    assert sum(s.cases for s, _ in found) == N
    assert all(s.cases <= 2_000 for s, tie in found if tie is None)
    assert [s.low for s, tie in found if tie is not None] == [0.25]
    assert all(one.high < other.low for (one, _), (other, _) in pairwise(found))


def test_rows_that_crowd_in_a_cell_need_more_memory(tmp_path: Path) -> None:
    y, p = rows("plain", np.float64)
    folder = written(tmp_path, y, 0.5 + p * 1e-9)
    with pytest.raises(InputError, match=r"30,000 rows have almost the same probability.*memory=.*holds 6,000"):
        karat.accumulate(folder, exact=True, memory=48_000)


def test_what_is_taken_in_later_was_not_read_again(tmp_path: Path) -> None:
    y, p = rows("plain", np.float32)
    a = karat.accumulate(written(tmp_path, y, p), exact=True, memory=N)
    a.update(y[:10], p[:10])
    low, high = a.evaluation().bounds("AUC")
    assert low < high


def test_another_prevalence_does_not_use_the_order_of_other_weights() -> None:
    """Rows that were kept and are too many to be made into cases again."""
    y, p = rows("plain", np.float32)
    a = karat.Accumulator(labels=[0, 1], exact=True, memory=10 * N)
    a.update(y, p)
    e, whole = (x.at_prevalence(0.05) for x in (a.evaluation(), karat.evaluate(y, p)))
    for symbol in ("AUC", "AP", "PPV"):
        assert e[symbol] == pytest.approx(whole[symbol], abs=1e-4), symbol
