"""The census of all tables: complete, without repetition, and every fact of it that of the table itself."""

from __future__ import annotations

import gc
import itertools
import weakref
from typing import Any

import numpy as np
import pytest

import karat
from karat.statistics import Counts, RaggedCounts, many_classes, many_tables


@pytest.mark.parametrize(("classes", "total"), [(2, 1), (2, 7), (2, 40), (3, 1), (3, 2), (3, 5), (4, 2)])
def test_every_table_is_there_once(classes: int, total: int) -> None:
    cells = classes * classes
    found = np.concatenate([block.table for block in many_tables.tables(classes, total)]).reshape(-1, cells)
    assert len(found) == many_tables.size(classes, total)
    if (total + 1) ** cells < 20_000:  # a literal loop over all ways
        every = {way for way in itertools.product(range(total + 1), repeat=cells) if sum(way) == total}
        assert {tuple(map(int, table)) for table in found} == every
    assert len(np.unique(found, axis=0)) == len(found)
    assert (found.sum(axis=1) == total).all()


def test_measures_of_the_census_are_those_of_its_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(many_tables, "BLOCK", 500)
    everything = [m for m in karat.catalogue.measures.values() if m.statistic is Counts and not m.classwise]
    with np.errstate(all="ignore"):
        blocks = list(many_tables.tables(3, 6))
        for block in (blocks[0], blocks[len(blocks) // 2], blocks[-1]):
            plain = Counts(block.table.copy())
            for m in everything:
                np.testing.assert_allclose(m(block), m(plain), rtol=1e-12, atol=1e-12, err_msg=m.symbol)
    assert len(blocks) > 5


def test_what_is_known_of_tables_is_gone_with_them() -> None:
    """Statistics that point at each other wait for Python's collector, and their memory with them."""
    rng = np.random.default_rng(1)
    of_classes = karat.evaluate(rng.integers(0, 200, 300), rng.dirichlet(np.ones(200), 300), labels=range(200))
    kept: list[weakref.ref[Any]] = []
    gc.collect()
    gc.disable()
    try:
        for counts in (
            next(many_tables.tables(3, 6)),
            RaggedCounts([np.eye(2), np.eye(3)], np.array([[2.0, 3.0], [2.0, 3.0]])),
            many_classes.row_statistics(of_classes.statistics.source)[0],  # type: ignore[arg-type]
        ):
            asked = (counts.relative.sums.trace, counts.relative.confusion)  # type: ignore[attr-defined]
            kept.append(weakref.ref(counts))
            del counts, asked
        assert [one() for one in kept] == [None] * 3
    finally:
        gc.enable()


@pytest.mark.parametrize(("classes", "total"), [(1, 5), (3, 0), (3, -2), (2.5, 5), (True, 5), (3, "5")])
def test_nonsense_is_refused(classes: object, total: object) -> None:
    with pytest.raises(karat.InputError, match="whole number"):
        next(many_tables.tables(classes, total))  # type: ignore[arg-type]
