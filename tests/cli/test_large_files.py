"""Patterns, folders and files of very many rows on the command line."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

import karat
from karat.cli import large_files, progress

N = 3000


@pytest.fixture
def preds(tmp_path: Path) -> Path:
    """A folder of three files, each of three row groups."""
    rng = np.random.default_rng(2)
    y = rng.integers(0, 2, N).astype(np.int8)
    p = np.clip(0.5 * rng.random(N) + 0.4 * y, 0, 1).astype(np.float32)
    table = pa.table(
        {"y_true": y, "p_1": p, "site": np.array(["north", "south"])[np.arange(N) % 2], "age": np.arange(N)}
    )
    folder = tmp_path / "preds"
    folder.mkdir()
    for i in range(3):
        parquet.write_table(table.slice(1000 * i, 1000), folder / f"part-{i}.parquet", row_group_size=400)
    return folder


def whole(folder: Path, kept: Any = slice(None)) -> karat.Evaluation:
    table = parquet.read_table(folder)
    return karat.evaluate(table["y_true"].to_numpy()[kept], table["p_1"].to_numpy()[kept])


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """So few rows are very many."""
    monkeypatch.setattr(large_files, "MANY_ROWS", 500)


NEED_CASES = {"calibration-loss-is-error", "duplicated-rows", "less-accurate-than-possible", "decisions-contradict"}


@pytest.mark.parametrize("way", ["pattern", "folder"])
def test_several_files_are_one_model(told: Any, preds: Path, way: str) -> None:
    e = whole(preds)
    found = told("evaluate", f"{preds}/*.parquet" if way == "pattern" else preds)
    assert found["measures"] == pytest.approx(e.to_dict()["measures"], rel=1e-12)
    assert [f["title"] for f in found["findings"]] == [f.title for f in e.findings()]
    size = sum(f.stat().st_size for f in preds.iterdir())
    assert (found["rows"], found["files"], found["parts"], "bounds" in found) == (N, 3, 9, False)
    assert 0 < found["bytes_read"] < size


def test_very_many_rows_are_added_up(told: Any, run: Any, preds: Path, few: None) -> None:
    e = whole(preds)
    found = told("evaluate", preds, "--measures", "AUC,LogLoss,CalL")
    low, high = found["bounds"]["AUC"]
    assert low <= e["AUC"] <= high
    assert found["measures"]["LogLoss"] == pytest.approx(e["LogLoss"], rel=1e-13)
    titles = {f["code"]: f["title"] for f in found["findings"] if f["code"] not in NEED_CASES}
    assert titles == {f.code: f.title for f in e.findings() if f.code not in NEED_CASES}
    assert titles
    shown = run("evaluate", preds)
    assert "preds: 3,000 cases" in shown
    assert "3 files" in shown
    assert "rows were added up, not kept (--exact keeps them)" in shown
    assert "Findings that need the cases" in shown
    exact = run("evaluate", preds, "--exact")
    assert "added up" not in exact
    assert "need the cases" not in exact
    assert told("evaluate", preds, "--exact", "--measures", "CalL")["measures"]["CalL"] == pytest.approx(e["CalL"])


def test_one_file_of_very_many_rows(told: Any, preds: Path, few: None) -> None:
    file = preds / "part-0.parquet"
    found = told("evaluate", file)
    assert (found["rows"], found["files"]) == (1000, 1)
    assert found["measures"]["MCC"] == pytest.approx(whole(preds, slice(1000))["MCC"])
    assert "rows" not in told("evaluate", file, "--format", "parquet")  # which is read as a whole


def test_bounds_that_differ_in_the_digits_shown_are_said(
    run: Any, preds: Path, few: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "certainly lies" not in run("evaluate", preds)
    monkeypatch.setattr(karat.Evaluation, "bounds", lambda e, measure: (0.8, 0.9))
    shown = run("evaluate", preds)
    assert "ROC AUC and Average precision: it certainly lies in [0.800, 0.900]; --exact gives the value." in shown


def test_models_stand_side_by_side(run: Any, told: Any, preds: Path, few: None) -> None:
    shown = run("evaluate", preds, preds / "part-1.parquet")
    assert "preds: 3,000 cases" in shown
    assert "part-1: 1,000 cases" in shown
    assert list(told("evaluate", preds, preds / "part-1.parquet")) == ["preds", "part-1"]


def test_some_rows_by_some_workers_with_a_checkpoint(told: Any, preds: Path, tmp_path: Path) -> None:
    words = (
        "evaluate",
        preds,
        "--where",
        "site = 'north' and age >= 600",
        "--workers",
        2,
        "--checkpoint",
        tmp_path / "c",
    )
    age = np.arange(N)
    expected = whole(preds, (age % 2 == 0) & (age >= 600)).to_dict()["measures"]
    for resumed in (0, 9):
        found = told(*words, "--checkpoint", tmp_path / "kept")
        assert (found["n"], found["resumed"]) == (1200, resumed)
        assert found["measures"] == pytest.approx(expected, rel=1e-12)


def test_rows_that_can_not_be_read(run: Any, told: Any, preds: Path) -> None:
    table = parquet.read_table(preds / "part-1.parquet")
    p = table["p_1"].to_numpy().copy()
    p[[5, 801]] = 2, np.nan
    parquet.write_table(table.set_column(1, "p_1", pa.array(p)), preds / "part-1.parquet", row_group_size=400)
    refusal = run("evaluate", preds, "--workers", 1, code=2)
    assert "part-1.parquet, row group 0, row 5 (the first is 0): column 'p_1' holds 2.0" in refusal
    assert "--on-error count" in refusal
    shown = run("evaluate", preds, "--on-error", "count")
    assert "2,998 cases (2 rows left out)" in shown
    assert "Left out, the first of them: " in shown
    skipped = told("evaluate", preds, "--on-error", "count")["skipped"]
    assert (skipped["rows"], skipped["parts"]) == (2, 0)


def test_a_damaged_file_among_very_many_rows(run: Any, preds: Path, few: None) -> None:
    (preds / "part-0.parquet").write_bytes((preds / "part-2.parquet").read_bytes()[:-50])
    assert "part-0.parquet can't be read" in run("evaluate", preds, code=2)
    shown = run("evaluate", preds, "--on-error", "count")
    assert "2,000 cases (1 unreadable part left out)" in shown
    assert "rows were added up" in shown


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["none/*.parquet"], "no file matches 'none/*.parquet'"),
        (["preds", "--where", "site = north"], "--where 'site = north' is not a condition"),
        (["preds", "--score", "age"], "--score needs a file as a whole"),
        (["preds", "--workers", "0"], "--workers is 0"),
        (["preds", "--on-error", "skip"], "--on-error is 'skip'"),
        (["preds", "--truth", "label"], "there is no column 'label'"),
        (["preds", "--memory", "much"], "memory is 'much'"),
        (["-", "--where", "age > 3"], "stdin (-) can't be read part by part"),
        (["preds/part-0.parquet", "--exact", "--on-error", "count", "--memory", "1kB"], "--memory is 0 MB"),
    ],
)
def test_bad_input_is_one_line(run: Any, preds: Path, words: list[str], reason: str) -> None:
    assert reason in run("evaluate", *words, code=2)


def test_intervals_of_added_rows_are_given_or_say_why_not(run: Any, told: Any, preds: Path, few: None) -> None:
    shown = told("evaluate", preds, "--intervals", "--measures", "Acc,LogLoss,AP")["intervals"]
    exact = whole(preds).intervals(["Acc", "LogLoss"])
    for symbol in ("Acc", "LogLoss"):
        width = exact[symbol].high - exact[symbol].low
        assert shown[symbol]["low"] == pytest.approx(exact[symbol].low, abs=width / 4)
    assert shown["AP"]["low"] is None
    assert "keep the rows" in shown["AP"]["reason"]
    assert "95 % interval" in run("evaluate", preds, "--intervals", "--exact", "--measures", "F1")


def test_progress_says_how_fast_and_how_long(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(progress, "EVERY", 0.02)
    with large_files._telling("preds") as tell:
        time.sleep(0.1)
        tell(1000, 4000)
        time.sleep(0.1)
    lines = capsys.readouterr().err.splitlines()
    assert lines[0].startswith("karat: reading preds: ")
    assert any("karat: preds: 1,000 of 4,000 rows, " in line and "rows/s, 0 s left" in line for line in lines)
    assert large_files.progress_words(10, None, 1.0) == "10 rows, 10 rows/s"
    assert large_files.progress_words(250, 1000, 50.0) == "250 of 1,000 rows, 5 rows/s, 150 s left"


@pytest.fixture
def two(tmp_path: Path) -> list[Path]:
    """Two models on the same rows, in one file and in three."""
    rng = np.random.default_rng(5)
    z = rng.normal(0, 1.5, N)
    y = (rng.random(N) < 1 / (1 + np.exp(-z))).astype(np.int8)
    folders = []
    for name, sd, files in (("forest", 0.3, 1), ("bayes", 0.9, 3)):
        p = (1 / (1 + np.exp(-(z + rng.normal(0, sd, N))))).astype(np.float32)
        table = pa.table({"y_true": y, "p_1": p, "case": np.arange(N)})
        (tmp_path / name).mkdir()
        for i in range(files):
            part = table.slice(N // files * i, N // files)
            parquet.write_table(part, tmp_path / name / f"{i}.parquet", row_group_size=400)
        folders.append(tmp_path / name)
    return folders


def test_models_in_very_large_files_are_compared(told: Any, run: Any, two: list[Path], few: None) -> None:
    tables = {f.name: parquet.read_table(f) for f in two}
    y = tables["forest"]["y_true"].to_numpy()
    known = karat.compare({n: t["p_1"].to_numpy() for n, t in tables.items()}, y)["forest", "bayes"]
    for options, pairing in (((), "by row"), (("--id", "case"), "by id")):
        found = told("compare", *two, *options, "--measures", "LogLoss,AUC,MCC")
        assert found["pairing"].startswith(pairing)
        assert found["read"]["bayes"]["rows"] == N
        assert found["read"]["bayes"]["files"] == 3
        for symbol, one in found["pairs"][0]["differences"].items():
            d = known[symbol]
            assert one["difference"] == pytest.approx(d.difference, abs=5e-6)
            assert one["high"] - one["low"] == pytest.approx(d.high - d.low, rel=0.3)
    text = run("compare", *two, "--measures", "LogLoss")
    assert "rows were added up, not kept" in text
    shuffled = two[1] / "0.parquet"
    parquet.write_table(parquet.read_table(shuffled).take(np.random.default_rng(0).permutation(1000)), shuffled)
    assert "different orders" in run("compare", *two, code=2)
    found = told("compare", *two, "--id", "case", "--measures", "LogLoss")
    assert found["pairs"][0]["differences"]["LogLoss"]["difference"] == pytest.approx(
        known["LogLoss"].difference, rel=1e-9
    )


def test_a_scheduler_that_does_not_answer_is_said(run: Any, preds: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed", reason="dask.distributed is not installed")
    monkeypatch.setattr(large_files, "SECONDS_TO_CONNECT", 0.2)
    found = run("evaluate", preds, "--scheduler", "tcp://127.0.0.1:9", code=2)
    assert "no scheduler answers at 'tcp://127.0.0.1:9'" in found
    assert "no scheduler answers at" in run("evaluate", preds, "--scheduler", "nowhere", code=2)
