"""Models whose rows were let go, compared by random blocks of their cases: as sure as the rows would be, no surer."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import karat
from karat import Accumulator
from karat.core.errors import InputError
from karat.statistics.case_blocks import BLOCKS, blocks_of, numbers_of_ids

N = 6000


def models(n: int = N, seed: int = 0, dtype: Any = np.float32) -> tuple[Any, dict[str, Any]]:
    """Two models on the same cases, the first the better one."""
    rng = np.random.default_rng(seed)
    z = rng.normal(0, 1.5, n)
    y = (rng.random(n) < 1 / (1 + np.exp(-z))).astype(np.int8)
    noisy = {name: z + rng.normal(0, sd, n) for name, sd in (("a", 0.4), ("b", 0.9))}
    return y, {name: (1 / (1 + np.exp(-x))).astype(dtype) for name, x in noisy.items()}


def accumulated(y: Any, proba: Any, parts: int = 5, shuffle: bool = False, **options: Any) -> Accumulator:
    """Part by part, perhaps in another order."""
    about = {name: options.pop(name) for name in ("labels", "paired", "memory") if name in options}
    a, cut = Accumulator(exact=False, **about), np.array_split(np.arange(len(y)), parts)
    for at in cut[::-1] if shuffle else cut:
        given = {name: p[at] for name, p in proba.items()} if isinstance(proba, dict) else proba[at]
        more = {name: x[at] for name, x in options.items()}
        a.update(y[at], given, first_row=int(at[0]), **more)
    return a


def pair(c: Any) -> Any:
    return c["a", "b"]


def test_a_difference_is_that_of_the_rows_and_its_error_that_of_blocks_left_out_by_hand() -> None:
    y, p = models()
    d = pair(karat.compare(accumulated(y, p).evaluations(), measures=["BrierLoss"]))["BrierLoss"]
    losses = (p["a"].astype(float) - y) ** 2 - (p["b"].astype(float) - y) ** 2
    assert d.difference == pytest.approx(losses.mean(), rel=1e-12)
    block = blocks_of(np.arange(N))
    left = np.array([losses[block != b].mean() for b in range(BLOCKS)])  # the jackknife, written out
    share = np.bincount(block, minlength=BLOCKS) / N
    moves = (losses.mean() - left) * (1 - share)
    moves -= share * moves.sum()
    error = math.sqrt((moves**2).sum() * BLOCKS / (BLOCKS - 1))
    assert (d.high - d.low) / 2 == pytest.approx(1.97196 * error, rel=1e-4)  # Student's t with 199 degrees of freedom
    assert error == pytest.approx(losses.std() / math.sqrt(N), rel=0.25)
    assert d.effect == pytest.approx(losses.mean() / losses.std(), rel=0.25)


@pytest.mark.parametrize("kind", ["two", "float64", "weighted", "three", "labels"])
def test_every_difference_is_that_of_the_rows_with_about_their_interval(kind: str) -> None:
    y, p = models(dtype=np.float64 if kind == "float64" else np.float32)
    more: dict[str, Any] = {}
    if kind == "weighted":
        more["sample_weight"] = np.random.default_rng(1).uniform(0.5, 2, N)
    if kind == "three":
        y = y + (np.arange(N) % 3 == 0)
        p = {name: np.column_stack([(1 - x) * 0.7, x * 0.7, np.full(N, 0.3)]) for name, x in p.items()}
    measures = ["Acc", "MCC", "F1", "AUC", "AP", "LogLoss", "BrierLoss", "SAUC", "MAPR"]
    if kind == "three":
        measures = ["Acc", "MCC", "AUNU", "AU1U", "LogLoss", "Brier", "MAPR"]
    if kind == "labels":
        decided = {name: (x > 0.5).astype(int) for name, x in p.items()}
        a = Accumulator(exact=False)
        a.update(y, y_pred=decided)
        mine, measures = pair(karat.compare(a.evaluations(), measures=["Acc", "MCC"])), ["Acc", "MCC"]
        theirs = pair(karat.compare(decided, y, kind="decisions", measures=measures))
    else:
        mine = pair(karat.compare(accumulated(y, p, **more).evaluations(), measures=measures))
        theirs = pair(karat.compare(p, y, measures=measures, **more))
    for symbol in measures:
        d, known = mine[symbol], theirs[symbol]
        width = known.high - known.low
        assert d.difference == pytest.approx(known.difference, abs=1e-4 * width + 3e-6), symbol
        assert d.high - d.low == pytest.approx(width, rel=0.3), symbol
        assert d.better == known.better, symbol
    if kind in ("two", "labels"):
        assert mine.flips.to_dict() == theirs.flips.to_dict()
        assert (mine["Acc"].low, mine["Acc"].high, mine["Acc"].p) == pytest.approx(
            (theirs["Acc"].low, theirs["Acc"].high, theirs["Acc"].p)
        )


def test_models_that_do_not_differ_are_not_told_apart() -> None:
    y, p = models()
    twins = {"a": p["a"], "b": p["a"].copy()}
    c = karat.compare(accumulated(y, twins).evaluations(), measures=["MCC", "AUC", "LogLoss"])
    assert "no significant difference" in c.verdict.lower()
    rejected = 0
    for seed in range(40):  # at a level of 5 % more than 7 of 40 rejections have a probability of 0.1 %
        y, p = models(800, seed)
        swap = np.random.default_rng(seed + 1000).random(800) < 0.5
        fair = {"a": np.where(swap, p["a"], p["b"]), "b": np.where(swap, p["b"], p["a"])}
        e = accumulated(y, fair, parts=2).evaluations()
        rejected += pair(karat.compare(e, measures=["LogLoss"]))["LogLoss"].p < 0.05
    assert rejected <= 7


def test_blocks_depend_on_neither_chunks_nor_their_order_nor_workers() -> None:
    y, p = models()
    whole = accumulated(y, p, parts=1)
    for other in (accumulated(y, p, parts=7), accumulated(y, p, parts=9, shuffle=True)):
        for name in p:
            one, two = (a.evaluations()[name].statistics.source.added.blocks for a in (whole, other))
            np.testing.assert_array_equal(one.cases, two.cases)
            for key, statistic in one.sums.items():
                for field in vars(statistic):
                    if not field.startswith("_") and isinstance(getattr(statistic, field), np.ndarray):
                        theirs = getattr(two.sums[key], field)
                        np.testing.assert_allclose(getattr(statistic, field), theirs, rtol=1e-12, atol=1e-12)
            np.testing.assert_array_equal(one.tables[0].weight, two.tables[0].weight)
    halves = accumulated(y[:3000], {n: x[:3000] for n, x in p.items()}, parts=2)
    rest = Accumulator(exact=False)
    rest.update(y[3000:], {n: x[3000:] for n, x in p.items()}, first_row=3000)
    halves += Accumulator.from_bytes(rest.to_bytes())
    one, two = (pair(karat.compare(a.evaluations(), measures=["AUC"])) for a in (whole, halves))
    assert (two["AUC"].low, two["AUC"].high) == pytest.approx((one["AUC"].low, one["AUC"].high), rel=1e-9)
    assert one.flips.to_dict() == two.flips.to_dict()


def test_models_accumulated_apart_are_paired_by_row_or_by_id() -> None:
    y, p = models()
    named_measures = ["LogLoss", "AUC", "MCC"]
    together = pair(karat.compare(accumulated(y, p).evaluations(), measures=named_measures))
    apart = {name: accumulated(y, x, parts=3, paired=True).evaluation() for name, x in p.items()}
    beside = pair(karat.compare(apart, measures=named_measures))
    for symbol in named_measures:
        one, other = together[symbol], beside[symbol]
        assert (other.low, other.high) == pytest.approx((one.low, one.high), rel=1e-9), symbol
    ids = np.array([f"case {i}" for i in range(N)])
    order = np.random.default_rng(5).permutation(N)
    named = {}
    for name, at in (("a", np.arange(N)), ("b", order)):
        a = Accumulator(exact=False, paired=True)
        a.update(y[at], p[name][at], ids=ids[at])
        named[name] = a.evaluation()
    d = pair(karat.compare(named, measures=["LogLoss"]))["LogLoss"]
    assert (d.high - d.low) == pytest.approx(together["LogLoss"].high - together["LogLoss"].low, rel=0.3)
    mixed = apart | {"b": accumulated(y[order], p["b"][order], paired=True).evaluation()}
    with pytest.raises(InputError, match="different orders"):
        karat.compare(mixed)
    with pytest.raises(InputError, match="6,000 and 5,999"):
        karat.compare(apart | {"b": accumulated(y[1:], p["b"][1:], paired=True).evaluation()})


def test_what_was_not_kept_is_said() -> None:
    y, p = models()
    lone = {name: accumulated(y, x).evaluation() for name, x in p.items()}
    with pytest.raises(InputError, match="paired=True"):
        karat.compare(lone)
    c = karat.compare(accumulated(y, p).evaluations(), measures=["AUC", "CalL", "LogLoss"], method="exchange")
    assert pair(c)["AUC"].method == "jackknife t test"  # which does not add up over blocks, so none are exchanged
    assert "CalL" in pair(c)["CalL"].reason
    assert pair(c)["LogLoss"].method == "permutation test"
    with pytest.raises(InputError, match="group"):
        karat.compare(accumulated(y, p).evaluations(), groups=np.arange(N) // 2)


def test_rows_kept_without_their_order_are_not_paired_by_row() -> None:
    y = np.arange(200) % 2
    rng = np.random.default_rng(0)
    p, q = np.where(y, 0.9, 0.1) + rng.uniform(-0.05, 0.05, 200), np.where(y, 0.6, 0.4) + rng.uniform(-0.1, 0.1, 200)
    kept = {}
    for name, x in (("a", p), ("b", q)):  # both rank perfectly: sorted, their true labels are the same
        a = Accumulator()
        a.update(y, x)
        kept[name] = a.evaluation()
    with pytest.raises(InputError, match="without their order"):
        karat.compare(kept)
    with pytest.raises(InputError, match="without their order"):
        kept["a"].intervals("accuracy", groups=np.arange(200) // 4)
    ordered = {}
    for name, x in (("a", p), ("b", q)):
        a = Accumulator(paired=True)
        a.update(y, x)
        ordered[name] = a.evaluation()
    mine, theirs = karat.compare(ordered), karat.compare({"a": p, "b": q}, y)
    assert pair(mine)["LogLoss"].to_dict() == pair(theirs)["LogLoss"].to_dict()


def test_replicates_are_draws_of_blocks() -> None:
    y, p = models()
    e = accumulated(y, p).evaluations()
    d = pair(karat.compare(e, measures=["LogLoss", "AUC"], method="percentile", replicates=600))
    known = pair(karat.compare(p, y, measures=["LogLoss", "AUC"], method="percentile", replicates=600))
    for symbol in ("LogLoss", "AUC"):
        assert d[symbol].high - d[symbol].low == pytest.approx(known[symbol].high - known[symbol].low, rel=0.3)


def test_bytes_with_blocks_are_small() -> None:
    y, p = models(200_000)
    raw = accumulated(y, p["a"], paired=True).to_bytes()
    assert len(raw) < 8_000_000


def test_numbers_of_ids() -> None:
    numbers = numbers_of_ids(np.array(["a", "b", "a"]))
    assert numbers[0] == numbers[2] != numbers[1]
    assert numbers_of_ids(np.array([-1, 5])).tolist() == [2**64 - 1, 5]
    sizes = np.bincount(blocks_of(np.arange(200_000)), minlength=BLOCKS)
    assert abs(sizes - 1000).max() < 5 * math.sqrt(1000)
    assert len(sizes) == BLOCKS


def test_arrays_that_are_used_again_are_copied() -> None:
    rng = np.random.default_rng(0)
    y, p = np.empty(50, int), np.empty((50, 3))
    a, all_y, all_p = Accumulator(labels=[0, 1, 2]), [], []
    for _ in range(4):
        y[:], p[:] = rng.integers(0, 3, 50), rng.dirichlet([1, 1, 1], 50)
        all_y.append(y.copy())
        all_p.append(p.copy())
        a.update(y, p)
    whole = karat.evaluate(np.concatenate(all_y), np.concatenate(all_p))
    assert a.evaluation()["LogLoss"] == pytest.approx(whole["LogLoss"], rel=1e-12)


def test_several_models_of_one_file_and_of_several_files_in_any_cut(tmp_path: Any) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    import pyarrow as pa

    y, p = models()
    wide = pa.table({"y_true": y, "a_1": p["a"], "b_1": p["b"], "case": np.arange(N)})
    parquet.write_table(wide, tmp_path / "wide.parquet", row_group_size=700)
    whole = karat.accumulate(tmp_path / "wide.parquet", proba={"a": "a_", "b": "b_"}, exact=False)
    assert whole.models == ("a", "b")
    expected = pair(karat.compare(whole.evaluations(), measures=["LogLoss", "Acc"]))
    assert expected.flips.to_dict() == pair(karat.compare(p, y, measures=["Acc"])).flips.to_dict()
    apart = {}
    for name, files in (("a", 4), ("b", 3)):
        (tmp_path / name).mkdir()
        table = pa.table({"y_true": y, "p_1": p[name], "case": np.arange(N)})
        for i in range(files):
            part = table.slice(N // files * i, N // files)
            parquet.write_table(part, tmp_path / name / f"{i}.parquet", row_group_size=900)
        apart[name] = karat.accumulate(tmp_path / name, exact=False, paired=True, workers=2).evaluation()
    d = pair(karat.compare(apart, measures=["LogLoss"]))["LogLoss"]
    assert (d.low, d.high) == pytest.approx((expected["LogLoss"].low, expected["LogLoss"].high), rel=1e-9)
    named = {n: karat.accumulate(tmp_path / n, exact=False, paired=True, ids="case").evaluation() for n in apart}
    assert karat.compare(named, measures=["LogLoss"]).pairing.startswith("by id")
    for options, words in (
        ({"proba": {"a": "a_", "c": "c_"}}, "c_"),
        ({"proba": {}}, "names no model"),
        ({"proba": {"a": "a_", "b": "b_"}, "ids": "nobody"}, "no column 'nobody'"),
    ):
        with pytest.raises(InputError, match=words):
            karat.accumulate(tmp_path / "wide.parquet", **options)
