"""The same bytes from any number of threads: sums of floats depend on their grouping, which is that of the files."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import karat
from karat.accumulation import model_states, row_states, strands
from karat.accumulation.strands import strands_of
from karat.core.errors import InputError

pa = pytest.importorskip("pyarrow")
csv = pytest.importorskip("pyarrow.csv")
parquet = pytest.importorskip("pyarrow.parquet")

N = 2000


@pytest.fixture(autouse=True)
def _few_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that few rows meet what many meet."""
    monkeypatch.setattr(strands, "LEAST_BYTES", 1000)
    monkeypatch.setattr(strands, "MOST_BYTES", 1000)
    monkeypatch.setattr(model_states, "FEW", 100)
    monkeypatch.setattr(model_states, "RUN", 300)
    monkeypatch.setattr(row_states, "PENDING_BYTES", 20_000)
    monkeypatch.setattr(row_states, "WORTH_FOLDING", 5_000)


def two(rng: np.random.Generator) -> dict[str, Any]:
    y = rng.integers(0, 2, N)
    return {"y_true": y, "p_1": 1 / (1 + np.exp(-(2 * y - 1 + 2 * rng.normal(size=N))))}


def narrow_here_and_there(rng: np.random.Generator) -> dict[str, Any]:
    t = two(rng)
    some = np.arange(N) // 250 % 2 == 0
    t["p_1"][some] = t["p_1"][some].astype(np.float32)
    return t


def three(rng: np.random.Generator) -> dict[str, Any]:
    return {"y_true": rng.integers(0, 3, N)} | {f"p_{i}": x for i, x in enumerate(rng.dirichlet(np.ones(3), N).T)}


def weighted(rng: np.random.Generator) -> dict[str, Any]:
    return two(rng) | {"weight": rng.gamma(1, 1, N)}


def grouped(rng: np.random.Generator) -> dict[str, Any]:
    return two(rng) | {"site": rng.integers(0, 5, N)}


def two_models(rng: np.random.Generator) -> dict[str, Any]:
    t = two(rng)
    return {"y_true": t["y_true"], "a_1": t["p_1"], "b_1": rng.random(N)}


def listed(rng: np.random.Generator) -> dict[str, Any]:
    p = rng.dirichlet(np.ones(3), N)
    p = np.sort(p, axis=1)[:, ::-1]
    places = rng.permuted(np.tile(np.arange(4), (N, 1)), axis=1)[:, :3]
    return {"y_true": rng.integers(0, 4, N), "classes": list(places), "p": list(p)}


def with_faults(rng: np.random.Generator) -> dict[str, Any]:
    t = two(rng)
    t["p_1"][[300, 900, 1700]] = 1.5
    return t


KINDS: dict[str, tuple[Callable[[np.random.Generator], dict[str, Any]], dict[str, Any]]] = {
    "two": (two, {}),
    "precisions": (narrow_here_and_there, {}),
    "three": (three, {}),
    "weighted": (weighted, {"weight": "weight"}),
    "groups": (grouped, {"by": "site"}),
    "models": (two_models, {"proba": {"a": "a_", "b": "b_"}}),
    "listed": (listed, {"proba": "classes,p", "rest": "even", "labels": [0, 1, 2, 3]}),
    "faults": (with_faults, {"on_error": "count"}),
}


def written(folder: Path, columns: dict[str, Any], ending: str) -> Path:
    folder.mkdir()
    t, step = pa.table(columns), 250
    for i in range(0, N, step):
        part = t.slice(i, step)
        if ending == "csv":
            csv.write_csv(part, folder / f"{i:05}.csv")
        else:
            if (
                "p_1" in columns
                and (columns["p_1"][i : i + step].astype(np.float32) == columns["p_1"][i : i + step]).all()
            ):
                part = part.set_column(1, "p_1", part["p_1"].cast(pa.float32()))
            parquet.write_table(part, folder / f"{i:05}.parquet", row_group_size=110)
    return folder


@pytest.mark.parametrize(
    "keep", [{"exact": False}, {}, {"memory": "20kB"}], ids=["added up", "kept", "kept for a while"]
)
@pytest.mark.parametrize("kind", KINDS)
def test_the_number_of_threads_changes_no_byte(kind: str, keep: dict[str, Any], tmp_path: Path) -> None:
    columns, options = KINDS[kind]
    folder = written(tmp_path / "parts", columns(np.random.default_rng(3)), "parquet")
    if kind == "listed":
        keep = keep if "exact" not in keep else {}
    states = [karat.accumulate(folder, workers=n, **keep, **options) for n in (1, 3)]
    assert len({repr(state.skipped) for state in states}) == 1
    assert len({state.to_bytes() for state in states}) == 1
    if "memory" in keep and kind != "listed":
        assert "added up" in repr(states[0])


@pytest.mark.parametrize("kind", ["two", "three", "weighted"])
def test_it_does_not_of_text_either(kind: str, tmp_path: Path) -> None:
    """Of which it is not known beforehand how many rows there are."""
    columns, options = KINDS[kind]
    folder = written(tmp_path / "parts", columns(np.random.default_rng(4)), "csv")
    states = [karat.accumulate(folder, workers=n, memory="20kB", **options).to_bytes() for n in (1, 3)]
    assert states[0] == states[1]


def test_a_run_that_goes_on_gives_the_same_bytes(tmp_path: Path) -> None:
    folder = written(tmp_path / "parts", two(np.random.default_rng(5)), "parquet")
    whole = karat.accumulate(folder, exact=False, workers=2, checkpoint=tmp_path / "kept")
    for i, part in enumerate(sorted((tmp_path / "kept").iterdir())):
        if i % 3:
            part.unlink()
    again = karat.accumulate(folder, exact=False, workers=3, checkpoint=tmp_path / "kept")
    assert again.files is not None
    assert again.files.resumed
    assert again.to_bytes() == whole.to_bytes()


def test_the_numbers_are_those_of_all_rows_at_once(tmp_path: Path) -> None:
    columns = two(np.random.default_rng(6))
    folder = written(tmp_path / "parts", columns, "parquet")
    found = karat.accumulate(folder, exact=False, workers=3).evaluation()
    whole = karat.evaluate(columns["y_true"], columns["p_1"])
    for symbol in ("Acc", "LogLoss", "BrierLoss", "ECE", "MCC"):
        assert found[symbol] == pytest.approx(whole[symbol], rel=1e-13), symbol
    low, high = found.bounds("AUNU")
    assert low <= whole["AUNU"] <= high


def test_parts_make_strands_by_their_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(strands, "LEAST_BYTES", 10)
    monkeypatch.setattr(strands, "MANY", 4)
    assert strands_of([]) == []
    assert strands_of([3]) == [range(1)]
    assert strands_of([4, 4, 4, 4, 4]) == [range(3), range(3, 5)]
    assert strands_of([0, 0, 4, 0]) == [range(1), range(1, 2), range(2, 4)]  # of those nobody knows
    assert strands_of([100] * 8) == [range(2), range(2, 4), range(4, 6), range(6, 8)]
    monkeypatch.setattr(strands, "MOST_BYTES", 100)
    assert strands_of([100] * 8) == [range(i, i + 1) for i in range(8)]


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_the_first_part_that_is_refused_is_named_and_few_are_read_after_it(threads: int) -> None:
    seen: list[int] = []

    def take_in(accumulator: karat.Accumulator, at: int) -> None:
        seen.append(at)
        time.sleep(0.02 if at == 3 else 0.005)
        if at in (3, 4, 6):
            raise InputError(f"part {at}")

    readers = strands.StrandReaders(karat.Accumulator, [range(i, i + 1) for i in range(100)], take_in)
    with pytest.raises(InputError, match="part 3"):
        readers.read(threads)
    assert max(seen) < 30


def test_threads_do_not_run_far_ahead_of_a_slow_part() -> None:
    """What they have read would wait for it, and take memory."""
    ended, ahead = [False], []

    def take_in(accumulator: karat.Accumulator, at: int) -> None:
        if at == 0:
            time.sleep(0.3)
            ended[0] = True
        elif not ended[0]:
            ahead.append(at)
        accumulator.update([0, 1], [0.1 + at / 1000, 0.8])

    readers = strands.StrandReaders(karat.Accumulator, [range(i, i + 1) for i in range(60)], take_in)
    assert readers.read(2).rows == 120
    assert max(ahead) <= strands.AHEAD * 2
