"""The kernels that fold rows of two classes: what is compiled gives the numbers of what can be read."""

from __future__ import annotations

import math
import os
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from karat import kernels
from karat.accumulation import pair_keys
from karat.accumulation.pair_keys import KeyPile, KeySums, edges_of, sums_of_each
from karat.kernels import native
from karat.kernels._piling import PLACES

KEYS = {np.float32: np.uint32, np.float64: np.uint64}


@pytest.fixture(autouse=True)
def _compiled() -> None:
    if native is None:
        message = "the compiled kernels were not built, so the twins can't be compared"
        if os.environ.get("CI") == "true":
            pytest.fail(message)
        pytest.skip(message)


def both(kernel: str) -> tuple[Any, Any]:
    return kernels.twin(kernel, "native"), kernels.twin(kernel, "numpy")


def rows(kind: Any, n: int, truth: Any = np.int8) -> tuple[Any, Any]:
    rng = np.random.default_rng(n)
    z = rng.normal(0, 3, n) * rng.choice([0.1, 1, 5, 40], n)
    p = (1 / (1 + np.exp(-z))).astype(kind)
    p[: min(n, 6)] = np.array([0, 1, 0.5, 1e-30, -0.0, 1 / 64])[: min(n, 6)]
    return (rng.random(n) < p).astype(truth), p


def sorted_keys(kind: Any, n: int) -> Any:
    y, p = rows(kind, n)
    keys = np.empty(n, KEYS[kind])
    assert kernels.twin("pack_pairs", "numpy")(y, p, keys) == -1
    keys.sort()
    return keys


@pytest.mark.parametrize("kind", KEYS)
@pytest.mark.parametrize("truth", [np.int8, np.uint8, np.bool_, np.int32, np.int64, np.uint16])
def test_packing(kind: Any, truth: Any) -> None:
    y, p = rows(kind, 500, truth)
    one, other = (np.empty(500, KEYS[kind]) for _ in range(2))
    native_pack, numpy_pack = both("pack_pairs")
    assert native_pack(y, p, one) == numpy_pack(y, p, other) == -1
    assert np.array_equal(one, other)
    for place, value in ((7, np.nan), (9, 1.5), (11, -0.1), (13, np.inf)):
        bad = p.copy()
        bad[place] = value
        assert native_pack(y, bad, one) == numpy_pack(y, bad, other) == place
    if truth is not np.bool_:
        wrong = y.copy()
        wrong[20] = 2
        assert native_pack(wrong, p, one) == numpy_pack(wrong, p, other) == 20


@pytest.mark.parametrize("kind", KEYS)
@pytest.mark.parametrize("n", [0, 1, 2, 1000, 70_000])
def test_sorting(kind: Any, n: int) -> None:
    y, p = rows(kind, n)
    keys = np.empty(n, KEYS[kind])
    kernels.pack_pairs(y, p, keys)
    for sort in both("sort_pairs"):
        mine = keys.copy()
        sort(mine)
        assert np.array_equal(mine, np.sort(keys))


@pytest.mark.parametrize("kind", KEYS)
@pytest.mark.parametrize("n", [1, 2, 700, 60_000])
def test_cells_and_order(kind: Any, n: int) -> None:
    keys = sorted_keys(kind, n)
    for one, other in zip(*(f(keys) for f in both("cells_of_keys")), strict=True):
        assert np.array_equal(one, other)
    one, other = (f(keys) for f in both("order_sums"))
    assert one == pytest.approx(other, rel=1e-12)
    scores, also = (f(keys) for f in both("scores_of_keys"))
    assert np.array_equal(scores, also)
    cells, expected = (f(scores) for f in both("cells_of_scores"))
    assert np.array_equal(cells, expected)
    assert (np.diff(cells) >= 0).all()  # cells rise with the scores


@pytest.mark.parametrize("kind", KEYS)
def test_cells_of_two_parts_are_those_of_the_whole(kind: Any) -> None:
    keys = sorted_keys(kind, 9000)
    of = kernels.twin("cells_of_keys", "numpy")
    parts = [of(np.ascontiguousarray(keys[i::2])) for i in range(2)]
    for join in both("cells_joined"):
        for joined, whole in zip(join(*parts), of(keys), strict=True):
            assert np.array_equal(joined, whole)
    empty = of(keys[:0])
    for join in both("cells_joined"):
        for joined, whole in zip(join(empty, parts[0]), parts[0], strict=True):
            assert np.array_equal(joined, whole)


@pytest.mark.parametrize("best", [True, False])
@pytest.mark.parametrize("own", [0, 1, 2])
def test_cells_apart(own: int, best: bool) -> None:
    # a cell of one score, one of two, one that only others are in, and one that only the class itself is in
    ends = np.array([[0.1, 0.2, 0.4, 0.6, 0.8], [0.1, 0.3, 0.5, 0.7, 0.8]])
    weight = np.zeros((3, 5))
    weight[own] = [1, 2, 0, 4, 0]
    weight[own - 1] = [5, 6, 7, 0, 8]
    weight[own - 2] = [0, 1, 0.5, 0, 0]
    own_at = [0.1, 0.3, 0.7] if best else [0.1, 0.2, 0.6]
    rest_at = [0.1, 0.2, 0.4, 0.8] if best else [0.1, 0.3, 0.5, 0.8]
    scores = sorted({*own_at, *rest_at})
    put = {own: dict(zip(own_at, [1, 2, 4], strict=True)), (own - 1) % 3: dict(zip(rest_at, [5, 6, 7, 8], strict=True)),
           (own - 2) % 3: dict(zip(rest_at, [0, 1, 0.5, 0], strict=True))}  # fmt: skip
    for apart in both("cells_apart"):
        found = apart(ends, weight, own, best)
        assert found[0].tolist() == scores
        assert found[1].tolist() == [[put[c].get(x, 0) for x in scores] for c in range(3)]
        assert found[2].tolist() == [x not in (0.1, 0.8) for x in scores]
        assert [len(x) for x in apart(ends[:, :0], weight[:, :0], own, best)] == [0, 3, 0]


def piled_sums(kernel: Any, keys: Any) -> tuple[Any, Any]:
    edges = edges_of(keys.dtype.type)
    ranges, totals = np.zeros((len(edges.side), 2, 4)), np.zeros((2, 2, 4))
    ranges[:, :, 1] = 1
    kernel(keys, edges.steps, edges.keys, ranges, totals)
    return np.stack([ranges[:, :, 0], ranges[:, :, 1] - 1 + ranges[:, :, 2]]), totals.sum(axis=0)


@pytest.mark.parametrize("kind", KEYS)
@pytest.mark.parametrize("n", [1, 2, 700, 60_000])
def test_sums_of_keys_in_any_order(kind: Any, n: int) -> None:
    keys = np.random.default_rng(n).permutation(sorted_keys(kind, n))
    (one, losses), (other, expected) = (piled_sums(f, keys) for f in both("pile_sums"))
    np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-16 * n)
    np.testing.assert_allclose(losses, expected, rtol=1e-12, atol=1e-16 * n)  # logarithms next to 0


@pytest.mark.parametrize("kind", KEYS)
def test_keys_at_the_edges_of_bins(kind: Any) -> None:
    exact = np.arange(121) / 120
    p = np.unique(np.concatenate([np.nextafter(exact.astype(kind), kind(to)) for to in (-1, 0.5, 2)]).clip(0, 1))
    keys = np.empty(len(p), KEYS[kind])
    kernels.pack_pairs(np.zeros(len(p), np.int8), p, keys)
    (one, _), (other, _) = (piled_sums(f, keys) for f in both("pile_sums"))
    assert np.array_equal(one[0], other[0])


@pytest.mark.parametrize("kind", KEYS)
@pytest.mark.parametrize("n", [1, 2, 700, 60_000])
def test_a_table_of_cells_is_what_sorted_keys_give(kind: Any, n: int) -> None:
    keys = sorted_keys(kind, n)
    mixed = np.random.default_rng(n).permutation(keys)
    for pile, cells in zip(both("pile_cells"), both("piled_cells"), strict=True):
        table = np.zeros((PLACES + 3, 2 if kind is np.float32 else 3), np.uint64)
        tiny = np.concatenate([pile(part, table) for part in np.array_split(mixed, 3)])
        rest = kernels.scores_of_keys(np.sort(tiny))
        assert ((rest > 0) & (rest < 2.0**-38)).all()
        left = np.sort(keys[~np.isin(keys, tiny)])
        for one, other in zip(cells(table, kind is np.float32), kernels.cells_of_keys(left), strict=True):
            assert np.array_equal(one, other)


@pytest.mark.parametrize("kind", KEYS)
def test_piles_that_are_put_together_are_the_pile_of_all(kind: Any) -> None:
    keys = np.random.default_rng(3).permutation(sorted_keys(kind, 30_000))
    cells = [KeyPile(keys.dtype) for _ in range(3)]
    middle = np.abs(kernels.scores_of_keys(keys) - 0.5) < 0.2  # stretches that one of the piles has nothing in
    for pile, own in zip(cells, (keys[middle], keys[~middle], keys), strict=True):
        pile.add(own)
    both, other, whole = cells
    both.take_in(other)
    assert both.rows == whole.rows
    for field in ("cell", "ends", "weight"):
        assert np.array_equal(getattr(both.grid(1), field), getattr(whole.grid(1), field)), field
    together, expected = both.ended(1), whole.ended(1)
    assert together is not None
    assert expected is not None
    for key, sums in together.items():
        for field in vars(expected[key]):
            np.testing.assert_allclose(getattr(sums, field), getattr(expected[key], field), rtol=1e-13)
    assert whole.ended(1) is None  # what comes now is added up apart


@pytest.mark.parametrize("kind", KEYS)
@pytest.mark.parametrize("place", [0, 1])
def test_sums_of_several_heaps_are_those_of_each(kind: Any, place: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pair_keys, "HEAPS", 2)
    heaps = [np.random.default_rng(n).permutation(sorted_keys(kind, n)) for n in (1, 40, 3000)]
    for keys, together in zip(heaps, sums_of_each(heaps, place), strict=True):
        piled = KeySums(keys.dtype)
        piled.add(keys)
        for key, alone in piled.sums(place).items():
            for field in vars(alone):
                assert np.array_equal(getattr(together[key], field), getattr(alone, field)), (key, field)


@pytest.mark.parametrize("kind", KEYS)
def test_logarithms_of_many_improbable_truths_are_all_added(kind: Any) -> None:
    """Products of 32 probabilities of 1e-4 are as good as 0: their logarithms are added before that. By hand."""
    p = np.full(5000, 1e-4, kind)
    keys = np.empty(len(p), KEYS[kind])
    kernels.pack_pairs(np.ones(len(p), np.int8), p, keys)
    expected = 5000 * math.log2(float(p[0]))
    for kernel in both("pile_sums"):
        _, losses = piled_sums(kernel, keys)
        assert losses[1, 1] == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("place", [0, 1])
@pytest.mark.parametrize("kind", KEYS)
def test_a_table_of_keys_is_that_of_their_rows(kind: Any, place: int) -> None:
    """By brute force: the distinct probabilities of a class, and how many cases of it, and of the other, have each."""
    rng = np.random.default_rng(3)
    for n in (0, 1, 2, 300):
        y, p = rng.integers(0, 2, n).astype(np.int8), (rng.integers(0, 9, n) / 8).astype(kind)
        keys = np.empty(n, KEYS[kind])
        kernels.pack_pairs(y, p, keys)
        table = pair_keys.table_of_keys(np.sort(keys), place)
        own, rest = ([int(((p == s) & (y == k)).sum()) for s in np.unique(p)] for k in (1, 0))
        assert table.scores.tolist() == np.unique(p).tolist()
        assert (table.positive.tolist(), table.negative.tolist()) == (own, rest)
        assert table.weight[place].tolist() == own


@pytest.mark.parametrize("twin", ["native", "numpy"])
@pytest.mark.parametrize("kind", KEYS)
def test_sums_of_the_order_lose_nothing(kind: Any, twin: str) -> None:
    """Against exact fractions: pairs in the right order, counting ties half, and by how much they are apart."""
    keys = sorted_keys(kind, 6000)
    pairs, gained, refinement = kernels.twin("order_sums", twin)(keys)
    scores, own = kernels.twin("scores_of_keys", "numpy")(keys).tolist(), (keys & keys.dtype.type(1)).tolist()
    below, mass, twice, apart, refined, at = 0, Fraction(0), 0, Fraction(0), Fraction(0), 0
    while at < len(keys):
        stop = at
        while stop < len(keys) and scores[stop] == scores[at]:
            stop += 1
        ones = sum(own[at:stop])
        zeros = stop - at - ones
        twice += ones * (2 * below + zeros)
        apart += ones * (Fraction(scores[at]) * below - mass)
        refined += Fraction(ones * zeros, stop - at)
        below, mass, at = below + zeros, mass + zeros * Fraction(scores[at]), stop
    assert pairs == twice / 2
    assert gained == pytest.approx(float(apart), rel=1e-15)
    assert refinement == pytest.approx(float(refined), rel=1e-13)


@pytest.mark.parametrize("twin", ["native", "numpy"])
@pytest.mark.parametrize("kind", KEYS)
def test_what_was_added_up_swallows_nothing_of_what_comes(kind: Any, twin: str) -> None:
    """Sums of 2^44 have steps of 1/256; what is smaller is kept beside them."""
    keys = np.random.default_rng(5).permutation(sorted_keys(kind, 4000))
    edges, kernel = edges_of(keys.dtype.type), kernels.twin("pile_sums", twin)
    few, many = (np.zeros((len(edges.side), 2, 4)) for _ in range(2))
    little, much = (np.zeros((2, 2, 4)) for _ in range(2))
    many[:, :, 1] = much[0, :, :2] = 2.0**44
    for ranges, totals in ((few, little), (many, much)):
        for part in np.array_split(keys, 7):
            kernel(part, edges.steps, edges.keys, ranges, totals)
    expected = few[:, :, 1] + few[:, :, 2]
    assert expected.sum() > 100
    np.testing.assert_allclose((many[:, :, 1] - 2.0**44) + many[:, :, 2], expected, rtol=1e-12, atol=1e-12)
    losses = (much[0, :, :2] - 2.0**44) + much[1, :, :2]
    np.testing.assert_allclose(losses, little.sum(axis=0)[:, :2], rtol=1e-12, atol=1e-12)
