"""Files read part by part: the numbers are those of all rows at once, and what is wrong is said with its place."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
import pytest
from pyarrow import csv, feather, fs, parquet

import karat
from karat.accumulation import datasets, strands
from karat.core.errors import InputError

N = 900
Table = Any


def table(kind: str = "int8", n: int = N, seed: int = 0) -> Table:
    """Two classes, one column of probabilities."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    p = np.round(np.clip(0.5 * rng.random(n) + 0.4 * y, 0, 1), 5).astype(np.float32)
    names = {"int8": (y.astype(np.int8), "1"), "bool": (y == 1, "true"), "text": (np.array(["ham", "spam"])[y], "spam")}
    labels, positive = names[kind]
    extra = {"age": rng.integers(20, 90, n), "site": np.array(["north", "south", "west"])[np.arange(n) % 3]}
    return pa.table({"y_true": labels, f"p_{positive}": p, **extra})


def several(n: int = N, weights: bool = False, predictions: bool = False) -> Table:
    """Three classes, a column for each."""
    rng = np.random.default_rng(4)
    p = rng.dirichlet([1, 1, 1], n)
    columns: dict[str, Any] = {"y_true": np.array(["a", "b", "c"])[rng.integers(0, 3, n)]}
    columns |= {f"p_{c}": p[:, j] for j, c in enumerate("abc")}
    if weights:
        columns["weight"] = rng.integers(1, 5, n).astype(float)
    if predictions:
        columns["y_pred"] = np.array(["a", "b", "c"])[rng.integers(0, 3, n)]
    return pa.table(columns)


def expected(t: Table, **options: Any) -> karat.Evaluation:
    """`karat.evaluate` of all rows at once."""
    columns = {name: np.asarray(t[name].to_pylist()) for name in t.column_names}
    proba = [n for n in t.column_names if n.startswith("p_")]
    given = t[proba[0]].to_numpy() if len(proba) == 1 else np.column_stack([t[n].to_numpy() for n in proba])
    if len(proba) == 1:
        options.setdefault("positive", {"p_1": 1, "p_true": True, "p_spam": "spam", "p_007": "007"}[proba[0]])
    return karat.evaluate(
        columns["y_true"], given, columns.get("y_pred"), sample_weight=columns.get("weight"), **options
    )


def same(a: karat.Accumulator, e: karat.Evaluation) -> None:
    found = a.evaluation()
    assert (found.n, found.classes, found.positive) == (e.n, e.classes, e.positive)
    assert found.matrix().columns == e.matrix().columns
    for symbol, value in e.values("papers").items():
        assert found.value_or_nan(symbol) == pytest.approx(value, rel=1e-12, abs=1e-13, nan_ok=True), symbol


WRITERS: dict[str, Any] = {
    "parquet": lambda t, f: parquet.write_table(t, f, row_group_size=250),
    "arrow": lambda t, f: feather.write_feather(t, f, compression="uncompressed"),
    "feather": lambda t, f: feather.write_feather(t, f),
    "csv": lambda t, f: csv.write_csv(t, f),
    "tsv": lambda t, f: csv.write_csv(t, f, csv.WriteOptions(delimiter="\t")),
    "jsonl": lambda t, f: Path(f).write_text("".join(f"{_json(row)}\n" for row in t.to_pylist())),
}


def _json(row: dict[str, Any]) -> str:
    import json

    return json.dumps(row)


def written(t: Table, file: Path) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    WRITERS[file.suffix[1:]](t, file)
    return file


# ------------------------------------------------------------------------------------------------- what is read


@pytest.mark.parametrize("kind", ["int8", "bool", "text"])
@pytest.mark.parametrize("ending", list(WRITERS))
def test_every_format_and_kind_of_label(tmp_path: Path, ending: str, kind: str) -> None:
    t = table(kind)
    if ending in ("csv", "tsv", "jsonl"):  # which write the shortest decimals, read as float64
        t = t.set_column(1, t.column_names[1], t.column(1).cast(pa.float64()))
    file = written(t, tmp_path / f"model.{ending}")
    if ending in ("csv", "tsv"):
        t = csv.read_csv(file, parse_options=csv.ParseOptions(delimiter="\t" if ending == "tsv" else ","))
    same(karat.accumulate(file), expected(t))


@pytest.mark.parametrize("ending", list(WRITERS))
@pytest.mark.parametrize(("weights", "predictions"), [(False, False), (True, False), (False, True), (True, True)])
def test_several_classes_weights_and_predictions(tmp_path: Path, ending: str, weights: bool, predictions: bool) -> None:
    t = several(weights=weights, predictions=predictions)
    same(karat.accumulate(written(t, tmp_path / f"model.{ending}")), expected(t))


def test_predicted_labels_alone(tmp_path: Path) -> None:
    t = pa.table({"y_true": ["a", "b", "b", "c"] * 50, "y_pred": ["a", "b", "c", "c"] * 50})
    found = karat.accumulate(written(t, tmp_path / "m.parquet")).evaluation()
    assert found["MCC"] == pytest.approx(karat.evaluate(t["y_true"].to_pylist(), y_pred=t["y_pred"].to_pylist())["MCC"])


def test_labels_of_csv_keep_their_type(tmp_path: Path) -> None:
    rows = "".join(f"{'007' if i % 3 else '042'},{0.2 + 0.005 * i}\n" for i in range(100))
    (tmp_path / "m.csv").write_text(f"y_true,p_007\n{rows}")
    assert karat.accumulate(tmp_path / "m.csv").evaluation().classes == ("007", "042")
    (tmp_path / "n.csv").write_text("y_true,p_1\n" + "0,0\n" * 5 + "1,1\n" * 5 + "1,0.25\n")
    e = karat.accumulate(tmp_path / "n.csv").evaluation()
    assert (e.classes, e.positive, e.n) == ((0, 1), 1, 11)
    given = karat.accumulate(tmp_path / "n.csv", labels=["0", "1"]).evaluation()
    assert given.classes == (0, 1)


def test_zeros_and_ones_are_probabilities_if_they_are_called_so(tmp_path: Path) -> None:
    t = pa.table({"y_true": ["no", "yes"] * 20, "p_yes": pa.array([0.0, 1.0, 1.0, 0.0] * 10, pa.float32())})
    e = karat.accumulate(written(t, tmp_path / "m.parquet")).evaluation()
    assert (e["Acc"], e.positive) == (0.5, "yes")
    whole = pa.table({"y_true": [0, 1] * 20, "p_1": [0, 1, 1, 0] * 10})  # whole numbers
    assert karat.accumulate(written(whole, tmp_path / "n.parquet")).evaluation()["Acc"] == 0.5


@pytest.mark.parametrize("way", ["pattern", "folder", "list", "deep pattern", "hive", "dataset", "uri"])
def test_several_files_in_every_way(tmp_path: Path, way: str) -> None:
    t = table()
    folders = {"hive": ["site=north", "site=south"], "deep pattern": ["north", "south"]}.get(way, ["", ""])
    files = [
        written(t.slice(i * 300, 300), tmp_path / "preds" / folders[i % 2] / f"part-{i}.parquet") for i in range(3)
    ]
    (tmp_path / "preds" / "_SUCCESS").write_text("")
    (tmp_path / "preds" / "README.txt").write_text("not these")
    if way == "hive":
        for f in files:
            written(parquet.read_table(f, partitioning=None).drop_columns(["site"]), f)
    source: Any = {
        "pattern": str(tmp_path / "preds" / "*.parquet"),
        "deep pattern": str(tmp_path / "preds" / "**" / "*.parquet"),
        "list": files,
        "dataset": ds.dataset(files),
        "uri": f"file://{tmp_path}/preds",
    }.get(way, tmp_path / "preds")
    a = karat.accumulate(source)
    same(a, expected(t))
    assert a.files.files == 3
    if way == "hive":
        assert karat.accumulate(source, where="site = 'south'").rows == 300


def test_a_filesystem(tmp_path: Path) -> None:
    t = table()
    written(t, tmp_path / "inside" / "a.parquet")
    local = fs.SubTreeFileSystem(str(tmp_path), fs.LocalFileSystem())
    for source in ("inside", "inside/a.parquet", "inside/*.parquet"):
        same(karat.accumulate(source, filesystem=local), expected(t))
    fsspec = pytest.importorskip("fsspec", reason="fsspec is not installed")
    same(karat.accumulate(str(tmp_path / "inside"), filesystem=fsspec.filesystem("file")), expected(t))


def test_files_of_other_precision_are_not_forced_into_that_of_the_first(tmp_path: Path) -> None:
    t = table()
    wide = t.slice(450).set_column(1, "p_1", pa.array(np.random.default_rng(1).random(450)))
    written(t.slice(0, 450), tmp_path / "a.parquet")
    written(wide, tmp_path / "b.parquet")
    y = np.concatenate([t["y_true"].to_numpy()[:450], wide["y_true"].to_numpy()])
    p = np.concatenate([t["p_1"].to_numpy()[:450].astype(float), wide["p_1"].to_numpy()])
    found = karat.accumulate(tmp_path).evaluation()["LogLoss"]
    assert found == pytest.approx(karat.evaluate(y, p)["LogLoss"], rel=1e-14)


# ------------------------------------------------------------------------------------------------- who reads it


@pytest.mark.parametrize("exact", [True, False])
def test_any_number_of_workers_gives_the_same(tmp_path: Path, exact: bool) -> None:
    for t in (table(), several(weights=True)):
        file = written(t, tmp_path / "m.parquet")
        found = [karat.accumulate(file, workers=w, exact=exact).evaluation() for w in (1, 2, 3)]
        with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
            found.append(karat.accumulate(file, executor=pool, exact=exact).evaluation())
        whole = expected(t)
        for e in found:
            assert e.matrix().columns == whole.matrix().columns
            for symbol in ("LogLoss", "BrierLoss", "MCC", "ECE", "pCEN"):
                assert e[symbol] == pytest.approx(whole[symbol], rel=1e-13), symbol
            for symbol in ("AUNU", "AP") if len(e.classes) == 2 else ("AUNU",):
                low, high = e.bounds(symbol)
                assert low - 1e-12 <= whole[symbol] <= high + 1e-12
                assert exact is False or low == high


def test_progress_counts_every_row_once(tmp_path: Path) -> None:
    file = written(table(n=4000), tmp_path / "m.parquet")
    seen: list[tuple[int, int | None]] = []
    karat.accumulate(file, workers=3, progress=lambda rows, total: seen.append((rows, total)))
    assert len(seen) == 16
    assert max(rows for rows, _ in seen) == 4000
    assert {total for _, total in seen} == {4000}
    with pytest.raises(InputError, match="workers= is 0"):
        karat.accumulate(file, workers=0)


# ------------------------------------------------------------------------------------------------- which rows


@pytest.mark.parametrize(
    ("where", "kept"),
    [
        ("site = 'north' and age > 60", lambda r: r["site"] == "north" and r["age"] > 60),
        ("not (site = 'north' or age <= 60)", lambda r: not (r["site"] == "north" or r["age"] <= 60)),
        ("site in ('north', 'west') and age != 50", lambda r: r["site"] in ("north", "west") and r["age"] != 50),
        ("site not in ('north') AND \"age\" >= 6.5e1", lambda r: r["site"] != "north" and r["age"] >= 65),
        ("site = 'west' or age > 50 and age < 60", lambda r: r["site"] == "west" or 50 < r["age"] < 60),
        (pc.field("age") > 60, lambda r: r["age"] > 60),
        ("age is not null and p_1 > .3", lambda r: r["p_1"] > 0.3),
    ],
)
def test_rows_that_are_asked_for(tmp_path: Path, where: Any, kept: Any) -> None:
    t = table()
    part = pa.Table.from_pylist([row for row in t.to_pylist() if kept(row)], schema=t.schema)
    same(karat.accumulate(written(t, tmp_path / "m.parquet"), where=where), expected(part))


@pytest.mark.parametrize(
    ("where", "words"),
    [
        ("sit = 'north'", "names the column 'sit'"),
        ("site = north", "'north' stands where a value is expected"),
        ("site == ", "'the end' stands where a value"),
        ("__import__('os').system('x')", "is not a condition"),
        ("site = 'north' age > 3", "'age' is not expected"),
        ("(age > 3", "'the end' stands where ')' is expected"),
        ("age ; 3", "can't be understood"),
        ("site > 3", "does not fit the columns"),
        ("", "stands where a column is expected"),
        (3, "where= is int"),
    ],
)
def test_conditions_that_can_not_be_understood(tmp_path: Path, where: Any, words: str) -> None:
    with pytest.raises(InputError) as problem:
        karat.accumulate(written(table(), tmp_path / "m.parquet"), where=where)
    assert words in str(problem.value)
    assert "\n" not in str(problem.value)


# ------------------------------------------------------------------------------------------------- what is wrong

BAD_VALUES = {
    "nan": ("p_1", float("nan"), "column 'p_1' holds nan, which is not a probability in [0, 1]"),
    "null": ("p_1", None, "column 'p_1' has no value"),
    "above 1": ("p_1", 1.5, "column 'p_1' holds 1.5, which is not a probability in [0, 1]"),
    "no label": ("y_true", None, "column 'y_true' has no value"),
    "other label": ("y_true", 7, "column 'y_true' holds 7, which is not among the classes 0, 1"),
}


def with_value(t: Table, row: int, name: str, value: Any) -> Table:
    column = t[name].to_pylist()
    column[row] = value
    return t.set_column(t.column_names.index(name), name, pa.array(column, t.schema.field(name).type))


@pytest.mark.parametrize("ending", ["parquet", "csv", "arrow"])
@pytest.mark.parametrize("kind", list(BAD_VALUES))
def test_a_bad_row_is_named_by_file_row_group_and_row(tmp_path: Path, kind: str, ending: str) -> None:
    name, value, words = BAD_VALUES[kind]
    if ending == "csv":
        words = words.replace("holds 7", "holds '7'")
        words = words if kind != "nan" else "column 'p_1' has no value"
        words = "column 'y_true' holds ''" if kind == "no label" else words
    written(table(), tmp_path / f"a.{ending}")
    file = written(with_value(table(), 701, name, value), tmp_path / f"b.{ending}")
    place = f"{file}, row group 2, row 701 " if ending == "parquet" else f"{file}, row 701 "
    for workers in (1, 2):
        with pytest.raises(InputError) as problem:
            karat.accumulate(tmp_path, labels=[0, 1], workers=workers)
        assert place in str(problem.value)
        assert words in str(problem.value)
        assert "\n" not in str(problem.value)


def test_the_row_is_that_of_the_file_though_others_are_filtered_out(tmp_path: Path) -> None:
    t = with_value(table(), 701, "p_1", 1.5)
    t = t.set_column(2, "age", pa.array(np.arange(N)))
    file = written(t, tmp_path / "m.parquet")
    for where in ("age > 690", "age > 3 and age != 699", pc.field("age") == 701):
        with pytest.raises(InputError, match="row group 2, row 701 "):
            karat.accumulate(file, where=where)
    assert karat.accumulate(file, where="age < 700").rows == 700


def test_sums_and_weights_of_rows_are_looked_at(tmp_path: Path) -> None:
    t = several(weights=True)
    for name, value, words in (("p_b", 0.99, "probabilities sum to"), ("weight", -1.0, "not a weight of at least 0")):
        file = written(with_value(t, 333, name, value), tmp_path / "m.parquet")
        with pytest.raises(InputError, match=f"row group 1, row 333 .*{words}"):
            karat.accumulate(file)


@pytest.mark.parametrize("executor", [False, True])
def test_bad_rows_are_left_out_and_counted_if_that_is_asked_for(tmp_path: Path, executor: bool) -> None:
    t = table()
    for row, (name, value, _) in zip((3, 249, 250, 600, 899), BAD_VALUES.values(), strict=True):
        t = with_value(t, row, name, value)
    sound = table().filter(pa.array([row not in (3, 249, 250, 600, 899) for row in range(N)]))
    options: dict[str, Any] = {"labels": [0, 1], "on_error": "count"}
    if executor:
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
            a = karat.accumulate(written(t, tmp_path / "m.parquet"), executor=pool, **options)
    else:
        a = karat.accumulate(written(t, tmp_path / "m.parquet"), **options)
    same(a, expected(sound))
    assert (a.skipped.rows, a.skipped.parts, a.rows) == (5, 0, 895)
    assert "row 3 " in a.skipped.first
    assert "5 rows left out" in repr(a)
    assert "895 cases (5 rows left out)" in a.evaluation().subject()
    assert (
        "left out" not in karat.accumulate(written(table(), tmp_path / "n.parquet"), **options).evaluation().subject()
    )
    assert karat.Accumulator.from_bytes(a.to_bytes()).skipped == a.skipped
    with pytest.raises(InputError, match="on_error"):
        karat.accumulate(tmp_path, on_error="skip")


def damaged_group(file: Path) -> None:
    """Bytes in the middle of the second row group's probabilities are changed."""
    group = parquet.ParquetFile(file).metadata.row_group(1)
    column = next(group.column(j) for j in range(group.num_columns) if group.column(j).path_in_schema == "p_1")
    raw = bytearray(file.read_bytes())
    at = column.dictionary_page_offset or column.data_page_offset
    raw[at : at + column.total_compressed_size] = bytes(column.total_compressed_size)
    file.write_bytes(bytes(raw))


def damaged(file: Path, how: str) -> None:
    if how == "group":
        damaged_group(file)
    elif how == "cut":
        file.write_bytes(file.read_bytes()[:-100])
    else:
        file.write_bytes(b"no parquet at all")


@pytest.mark.parametrize("how", ["group", "cut", "other"])
@pytest.mark.parametrize("name", ["a.parquet", "b.parquet"])
def test_damaged_files_stop_or_are_counted(tmp_path: Path, how: str, name: str) -> None:
    t = table()
    for i, file in enumerate(("a.parquet", "b.parquet")):
        written(t.slice(450 * i, 450), tmp_path / file)
    damaged(tmp_path / name, how)
    with pytest.raises(InputError) as problem:
        karat.accumulate(tmp_path)
    words = str(problem.value)
    assert f"{tmp_path / name}{', row group 1' if how == 'group' else ''} can't be read" in words
    assert "\n" not in words
    a = karat.accumulate(tmp_path, on_error="count")
    start = 450 * (name == "b.parquet")
    gone = range(start + 250, start + 450) if how == "group" else range(start, start + 450)
    same(a, expected(t.filter(pa.array([row not in gone for row in range(N)]))))
    assert a.skipped.parts == 1
    assert a.skipped.rows == (200 if how == "group" else 0)
    assert "1 unreadable part" in a.evaluation().subject()


def test_other_columns_and_types_are_named_with_the_file(tmp_path: Path) -> None:
    t = table()
    written(t, tmp_path / "a.parquet")
    other = written(t.rename_columns(["y_true", "q", "age", "site"]), tmp_path / "b.parquet")
    with pytest.raises(InputError, match=r"b\.parquet has no column 'p_1'"):
        karat.accumulate(tmp_path)
    written(t.set_column(1, "p_1", pa.array(["much"] * N)), other)
    with pytest.raises(InputError, match=r"b\.parquet, row group 0: column 'p_1' holds string"):
        karat.accumulate(tmp_path)
    written(t.set_column(0, "y_true", pa.array(["0", "1"] * (N // 2))), other)
    with pytest.raises(InputError, match=r"b\.parquet, row group 0, row 0 .*'y_true' holds '0'"):
        karat.accumulate(tmp_path, labels=[0, 1])
    other.unlink()
    for source, words in (
        (tmp_path / "none.parquet", "there is no file"),
        (f"{tmp_path}/*.csv", "no file matches"),
        ([], "no file was given"),
    ):
        with pytest.raises(InputError, match=words):
            karat.accumulate(source)
    (tmp_path / "c.csv").write_text("y_true,p_1\n")
    with pytest.raises(InputError, match="several formats"):
        karat.accumulate(tmp_path)


# ------------------------------------------------------------------------------------------------- interruptions


class InterruptionError(Exception):
    pass


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("exact", [True, False])
def test_an_interrupted_run_goes_on(tmp_path: Path, workers: int, exact: bool) -> None:
    t, kept = table(n=2000), tmp_path / "kept"
    file = written(t, tmp_path / "m.parquet")  # 8 row groups
    options: dict[str, Any] = {"checkpoint": kept, "workers": workers, "exact": exact}

    def interrupt(rows: int, total: int | None) -> None:
        if rows >= 1000:
            raise InterruptionError

    with pytest.raises(InterruptionError):
        karat.accumulate(file, progress=interrupt, **options)
    done = len(list(kept.iterdir()))
    assert 4 <= done <= 5
    a = karat.accumulate(file, **options)
    assert (a.files.parts, a.files.resumed, a.rows) == (8, done, 2000)
    afresh = karat.accumulate(file, **options | {"checkpoint": tmp_path / "other"})
    assert a.evaluation().to_dict() == afresh.evaluation().to_dict()
    same(karat.accumulate(file, **options | {"exact": True}), expected(t))
    assert karat.accumulate(file, **options).files.resumed == 8
    assert karat.accumulate(file, where="age > 30", **options).files.resumed == 0
    written(t.slice(0, 1999), file)
    assert karat.accumulate(file, **options).files.resumed == 0


def test_damaged_checkpoints_are_read_again_and_no_folder_is_refused(tmp_path: Path) -> None:
    file = written(table(), tmp_path / "m.parquet")
    karat.accumulate(file, checkpoint=tmp_path / "kept")
    for part in (tmp_path / "kept").iterdir():
        part.write_bytes(part.read_bytes()[:-1])
        break
    a = karat.accumulate(file, checkpoint=tmp_path / "kept")
    assert (a.rows, a.files.resumed) == (N, 3)
    with pytest.raises(InputError, match="checkpoint="):
        karat.accumulate(file, checkpoint=file)
    with pytest.raises(InputError, match="is for files"):
        karat.accumulate(ds.dataset(table()), checkpoint=tmp_path / "kept")
    same(karat.accumulate(ds.dataset(table())), expected(table()))


def test_of_several_faults_the_first_is_named_whoever_finds_one_first(tmp_path: Path) -> None:
    t = table(n=4000)
    p = t["p_1"].to_numpy().copy()
    p[[1007, 1100, 2300, 3900]] = np.nan
    written = tmp_path / "a.parquet"
    parquet.write_table(t.set_column(1, "p_1", pa.array(p)), written, row_group_size=100)
    for workers in (1, 2, 3, 8) * 3:
        with pytest.raises(InputError, match=r"row group 10, row 1,007 "):
            karat.accumulate(written, workers=workers)


def test_a_column_itself_is_named(tmp_path: Path) -> None:
    t = table("text")
    parquet.write_table(t.rename_columns(["y", "lgbm", "age", "site"]), tmp_path / "a.parquet")
    same(karat.accumulate(tmp_path, truth="y", proba="lgbm", positive="spam"), expected(t))
    with pytest.raises(InputError, match="the positive class was not given"):
        karat.accumulate(tmp_path, truth="y", proba="lgbm")


def test_classes_between_the_ends_that_parquet_states_are_found(tmp_path: Path) -> None:
    """Ends of 0 and 1 tell all of whole numbers; ends of 0 and 2 do not."""
    path = tmp_path / "a.parquet"
    parquet.write_table(pa.table({"y_true": [0, 1, 2, 1], "p_1": [0.1, 0.2, 0.3, 0.4]}), path)
    with pytest.raises(InputError, match="the classes are 0, 1, 2 "):
        karat.accumulate(path)


def test_few_bytes_are_read_by_one_thread_unless_more_are_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every thread has a table of cells, which five million rows would pay for with a fifth of their time."""
    parquet.write_table(table(), tmp_path / "one.parquet", row_group_size=250)
    begun: list[int] = []

    class Counted(strands.ThreadPoolExecutor):  # type: ignore[misc]
        def __init__(self, many: int) -> None:
            begun.append(many)
            super().__init__(many)

    monkeypatch.setattr(strands, "ThreadPoolExecutor", Counted)
    monkeypatch.setattr(strands, "LEAST_BYTES", 1)
    monkeypatch.setenv("KARAT_WORKERS", "3")
    same(karat.accumulate(tmp_path), expected(table()))
    assert begun == []
    same(karat.accumulate(tmp_path, workers=2), expected(table()))
    for name in ("one.csv", "other.csv"):  # text takes far longer to read than a table to make
        csv.write_csv(table(), tmp_path.parent / name)
    karat.accumulate([str(tmp_path.parent / "one.csv"), str(tmp_path.parent / "other.csv")])
    monkeypatch.setattr(datasets, "BYTES_OF_A_WORKER", 1)
    same(karat.accumulate(tmp_path), expected(table()))
    assert begun == [2, 2, 3]
