"""Predictions out of files: every format gives the same numbers, labels keep their type, and what can't be understood
is refused in one sentence that says what would help."""

from __future__ import annotations

import datetime
import gzip
import io
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import feather, parquet

import karat
from karat.core.errors import InputError, speaking
from karat.data.prediction_files import Names, read
from karat.evaluation import Evaluation

TRUTH = ["a", "b", "c", "a", "b", "a"]
PROBA = [[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.3, 0.3, 0.4], [0.4, 0.5, 0.1], [0.2, 0.6, 0.2], [0.9, 0.05, 0.05]]
COLUMNS: dict[str, Any] = {"y_true": TRUTH} | {f"p_{c}": [row[j] for row in PROBA] for j, c in enumerate("abc")}
GOOD = "y_true,p_a,p_b\na,0.9,0.1\nb,0.2,0.8\na,0.6,0.4\nb,0.7,0.3\n"


def csv_of(columns: dict[str, list[Any]], separator: str = ",") -> str:
    rows = [list(columns), *zip(*columns.values(), strict=True)]
    return "".join(separator.join(map(str, row)) + "\n" for row in rows)


def records(columns: dict[str, list[Any]]) -> list[dict[str, Any]]:
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def write(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def one(path: Any, **options: Any) -> Evaluation:
    (source,) = read(path, **options).values()
    return Evaluation(source)


def refusal(path: Any, **options: Any) -> str:
    with pytest.raises(InputError) as refused:
        read(path, **options)
    assert "\n" not in str(refused.value)
    return str(refused.value)


def stream_of(table: pa.Table) -> bytes:
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue()


def file_of(table: pa.Table, kind: str) -> bytes:
    sink = io.BytesIO()
    {"parquet": parquet.write_table, "feather": feather.write_feather}[kind](table, sink)
    return sink.getvalue()


def views() -> dict[str, bytes]:
    """Labels as views of text, where this pyarrow writes them."""
    table = TABLE.set_column(0, "y_true", pa.array(TRUTH, pa.string_view()))
    try:
        return {"view.arrow": stream_of(table), "view.parquet": file_of(table, "parquet")}
    except pa.ArrowNotImplementedError:
        return {"view.arrow": stream_of(table)}


def npz_of(**arrays: Any) -> bytes:
    sink = io.BytesIO()
    np.savez(sink, **arrays)
    return sink.getvalue()


TABLE = pa.table(COLUMNS)
CONTENTS = {
    "m.csv": csv_of(COLUMNS),
    "m.tsv": csv_of(COLUMNS, "\t"),
    "m.csv.gz": gzip.compress(csv_of(COLUMNS).encode()),
    "crlf.csv": csv_of(COLUMNS).replace("\n", "\r\n"),
    "bom.csv": b"\xef\xbb\xbf" + csv_of(COLUMNS).encode(),
    "m.parquet": file_of(TABLE, "parquet"),
    "m.feather": file_of(TABLE, "feather"),
    "m.arrow": stream_of(TABLE),
    "m.jsonl": "".join(json.dumps(record) + "\n" for record in records(COLUMNS)),
    "m.jsonl.gz": gzip.compress("".join(json.dumps(record) + "\n" for record in records(COLUMNS)).encode()),
    "m.json": json.dumps(records(COLUMNS), indent=1),
    "m.npz": npz_of(y_true=np.array(TRUTH), y_proba=np.array(PROBA), labels=np.array(list("abc"))),
    "sorted.npz": npz_of(y_true=np.array(TRUTH), y_proba=np.array(PROBA)),
    "bytes.npz": npz_of(y_true=np.array(TRUTH, "S"), y_proba=np.array(PROBA)),
    "columns.npz": npz_of(**{name: np.array(values) for name, values in COLUMNS.items()}),
    "text.csv": csv_of(COLUMNS | {"comment": ["", "x", "NA", "7", "", ""]}),
    "dictionary.parquet": file_of(
        TABLE.set_column(0, "y_true", pa.array(TRUTH).dictionary_encode()), "parquet"
    ),
    "binary.parquet": file_of(TABLE.set_column(0, "y_true", pa.array(TRUTH, pa.binary())), "parquet"),
    **views(),
    "lists.parquet": file_of(TABLE.append_column("embedding", pa.array([[1.0]] * 6)), "parquet"),
    "chunks.arrow": stream_of(pa.concat_tables([TABLE.slice(0, 2), TABLE.slice(2)])),
}  # fmt: skip


@pytest.mark.parametrize("name", CONTENTS)
def test_every_format_gives_the_same_numbers(name: str, tmp_path: Path) -> None:
    expected = karat.evaluate(TRUTH, PROBA, labels=["a", "b", "c"])
    found = one(write(tmp_path, name, CONTENTS[name]))
    assert found.classes == expected.classes
    assert found.values() == pytest.approx(expected.values(), nan_ok=True)


@pytest.mark.parametrize("name", ["m.csv", "m.tsv", "m.csv.gz", "m.parquet", "m.feather", "m.arrow", "m.jsonl",
                                  "m.json", "m.npz"])  # fmt: skip
def test_stdin_and_pipes(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    content = CONTENTS[name]
    content = content.encode() if isinstance(content, str) else content
    kind = {"gz": "csv", "feather": "arrow", "json": "jsonl"}.get(name.rpartition(".")[2], name.rpartition(".")[2])
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))
    (model, source), *_ = read("-", file_format=kind).items()
    assert (model, source.n) == ("stdin", 6)


def test_columns_are_matched_by_name_in_the_sorted_order(tmp_path: Path) -> None:
    shuffled = {name: COLUMNS[name] for name in ("p_c", "y_true", "p_a", "p_b")}
    found = one(write(tmp_path, "m.csv", csv_of(shuffled)))
    assert found.classes == ("a", "b", "c")  # as karat.evaluate has it for a data frame
    assert found.values() == pytest.approx(karat.evaluate(TRUTH, PROBA).values(), nan_ok=True)
    assert one(tmp_path / "m.csv", labels=["c", "a", "b"]).classes == ("c", "a", "b")


# ------------------------------------------------------------------------------------------------- labels


@pytest.mark.parametrize(
    ("texts", "names", "classes"),
    [
        (["0", "1"], ["0", "1"], (0, 1)),
        (["0", "1"], ["0.0", "1.0"], (0, 1)),
        (["0.0", "1.0"], ["0", "1"], (0.0, 1.0)),
        (["-1", "1"], ["-1", "1"], (-1, 1)),
        (["007", "010"], ["007", "010"], ("007", "010")),
        (["True", "False"], ["True", "False"], (False, True)),
        (["true", "false"], ["true", "false"], (False, True)),
        (["2024-01-01", "2024-01-02"], ["2024-01-01", "2024-01-02"], ("2024-01-01", "2024-01-02")),
        (["12:30", "13:30"], ["12:30", "13:30"], ("12:30", "13:30")),
        (["NA", "b"], ["NA", "b"], ("NA", "b")),
        (['"x, y"', "big cat"], ['"p_x, y"', "p_big cat"], ("big cat", "x, y")),
        (['"it\'s ""q"""', "ü-😀"], ['"p_it\'s ""q"""', "p_ü-😀"], ('it\'s "q"', "ü-😀")),
        (["99999999999999999999", "1"], ["99999999999999999999", "1"], (1, 99999999999999999999)),
    ],
)
def test_labels_of_csv(texts: list[str], names: list[str], classes: tuple[Any, ...], tmp_path: Path) -> None:
    columns = [name if "p_" in name else f"p_{name}" for name in names]
    rows = [f"y_true,{columns[0]},{columns[1]}", f"{texts[0]},.9,.1", f"{texts[1]},.2,.8", f"{texts[1]},.4,.6"]
    found = one(write(tmp_path, "m.csv", "\n".join(rows) + "\n"))
    assert found.classes == classes
    assert [type(c) for c in found.classes] == [type(c) for c in classes]
    assert found["Acc"] == 1


@pytest.mark.parametrize(
    ("column", "names", "kind"),
    [
        (pa.array([0, 1]), ["0", "1"], int),
        (pa.array([0, 1], pa.int8()), ["0", "1"], int),
        (pa.array([0, 1], pa.uint16()), ["0", "1"], int),
        (pa.array(["0", "1"]), ["0", "1"], str),
        (pa.array(["0", "1"]).dictionary_encode(), ["0", "1"], str),
        (pa.array([7, 8]).dictionary_encode(), ["007", "008"], int),
        (pa.array([True, False]), ["True", "False"], bool),
        (pa.array([0.0, 1.0]), ["0", "1"], float),
    ],
)
def test_labels_of_parquet(column: Any, names: list[str], kind: type, tmp_path: Path) -> None:
    table = pa.table(
        {"y_true": column, f"p_{names[0]}": [0.9, 0.2], f"p_{names[1]}": pa.array([0.1, 0.8], pa.float32())}
    )
    parquet.write_table(table, tmp_path / "m.parquet")
    found = one(tmp_path / "m.parquet", normalise=True)
    assert {type(c) for c in found.classes} == {kind}
    assert found["Acc"] == 1


def test_a_label_that_is_typed_has_the_type_of_the_others(tmp_path: Path) -> None:
    path = write(tmp_path, "m.csv", "y_true,p_0,p_1\n0,.9,.1\n1,.2,.8\n")
    assert one(path, positive="0").positive == 0
    assert one(path, labels=["1", "0"]).classes == (1, 0)
    assert "is not one of the classes 0, 1" in refusal(path, positive="z")


def test_decisions_have_the_type_of_the_truth(tmp_path: Path) -> None:
    found = one(write(tmp_path, "m.csv", "y_true,y_pred\n007,007\n12,12\n12,12\n"))
    assert (found.classes, found["Acc"]) == (("007", "12"), 1)
    mixed = refusal(write(tmp_path, "mixed.csv", "y_true,y_pred\n0,a\n1,b\n"))
    assert "y_true holds int labels and y_pred holds str labels" in mixed
    rejected = write(tmp_path, "r.csv", "y_true,y_pred\n0,0\n1,?\n1,1\n")
    assert one(rejected, reject="?").matrix().to_dict() == {"truth": ["0", "1"], "0": [1, 0], "1": [0, 1], "?": [0, 1]}
    numbered = write(tmp_path, "n.csv", "y_true,y_pred\n0,0\n1,-1\n1,1\n")
    assert one(numbered, reject="-1").classes == (0, 1)


# ------------------------------------------------------------------------------------------------- what is in a file


def test_scores_weights_and_other_names(tmp_path: Path) -> None:
    path = write(tmp_path, "m.csv", "label,points,times\nno,-3,1\nyes,2,2\nno,1,0\nyes,.5,1\n")
    names = Names(truth="label", score="points", weight="times")
    found = one(path, names=names, positive="yes")
    expected = karat.evaluate(["no", "yes", "no", "yes"], y_score=[-3, 2, 1, 0.5], sample_weight=[1, 2, 0, 1],
                              positive="yes")  # fmt: skip
    assert found["AUC"] == expected["AUC"] == 1
    assert "pass positive=" in refusal(path, names=names)
    prefixed = write(tmp_path, "n.csv", GOOD.replace("p_", "prob_"))
    assert one(prefixed, names=Names(proba="prob_"))["Acc"] == 0.75
    bare = write(tmp_path, "b.csv", "y_true,a,b,other\na,.9,.1,x\nb,.2,.8,y\n")
    assert one(bare, names=Names(proba=""))["Acc"] == 1
    both = write(tmp_path, "both.csv", "y_true,p_0,p_1,score\n0,.9,.1,5\n1,.2,.8,4\n")
    assert one(both)["AUC"] == 1
    assert one(both, names=Names(score="score"))["AUC"] == 0  # what is said goes before what is found


def test_a_column_has_one_meaning(tmp_path: Path) -> None:
    path = write(tmp_path, "m.csv", "p_label,p_a,p_b,p_hat\na,.9,.1,b\nb,.2,.8,b\n")
    found = one(path, names=Names(truth="p_label", decided="p_hat"))
    assert (found.classes, found["Acc"]) == (("a", "b"), 0.5)


def test_one_column_of_two_classes(tmp_path: Path) -> None:
    path = write(tmp_path, "m.csv", "y_true,p_sick\nwell,.1\nsick,.8\nwell,.6\n")
    found = one(path)
    assert (found.classes, found.positive) == (("sick", "well"), "sick")
    assert found["AUC"] == 1
    assert one(path, labels=["well", "sick"]).classes == ("well", "sick")
    assert "has the probability of 'sick' only" in refusal(path, positive="well")
    whole = write(tmp_path, "w.csv", "y_true,p_1\n0,0\n1,1\n1,1\n")  # whole numbers, but named as probabilities
    assert one(whole)["Acc"] == 1
    absent = write(tmp_path, "a.csv", "y_true,p_sick\nwell,.1\nwell,.2\n")
    assert one(absent).classes == ("sick", "well")
    lonely = write(tmp_path, "l.csv", "y_true,p_sick\nsick,0\nsick,1\n")
    assert "y_true holds only 'sick'; name both classes with labels=" in refusal(lonely)


def test_a_column_for_each_model(tmp_path: Path) -> None:
    path = write(tmp_path, "m.csv", "y,lgbm,logit,age\nok,.1,.6,30\nfraud,.8,.7,40\nok,.6,.2,50\nfraud,.4,.9,60\n")
    y = ["ok", "fraud", "ok", "fraud"]
    found = read(path, Names("y", "lgbm,logit"), positive="fraud")
    assert list(found) == ["lgbm", "logit"]
    for name, p in {"lgbm": [0.1, 0.8, 0.6, 0.4], "logit": [0.6, 0.7, 0.2, 0.9]}.items():
        expected = karat.evaluate(y, p, positive="fraud")
        assert Evaluation(found[name]).values() == expected.values()
    assert list(read(path, Names("y", "lgbm"), positive="fraud")) == ["m"]
    assert one(path, names=Names("y", "logit"), positive="fraud")["MSE"] == pytest.approx(
        (0.36 + 0.09 + 0.04 + 0.01) / 4
    )
    assert "pass proba='lgbm,logit' and positive=" in refusal(path, names=Names("y"))
    assert "one column lgbm for the labels 'ok', 'fraud'" in refusal(path, names=Names("y", "lgbm"))
    assert "has no column 'xgb', which proba= names" in refusal(path, names=Names("y", "lgbm,xgb"), positive="fraud")
    numbered = write(tmp_path, "n.csv", "y_true,a,b,y_pred\n0,.1,.6,0\n1,.8,.7,1\n")
    assert "the column 'y_pred' beside the probabilities of 2 models" in refusal(numbered, names=Names(proba="a,b"))
    assert one(numbered, names=Names(proba="a")).positive == 1  # of labels 0 and 1


def test_columns_keep_the_precision_of_their_type(tmp_path: Path) -> None:
    """Sums of float32 may be off by 3.5e-4, of float64 by 1e-6."""
    p = {"p_a": np.array([0.7, 0.2]), "p_b": np.array([0.3002, 0.8001])}
    short = {name: column.astype(np.float32) for name, column in p.items()}
    truth = pa.array(["a", "b"])
    assert one(write(tmp_path, "s.parquet", file_of(pa.table({"y_true": truth, **short}), "parquet")))["Acc"] == 1
    long = write(tmp_path, "l.parquet", file_of(pa.table({"y_true": truth, **p}), "parquet"))
    assert "sums to 1.0002 instead of 1" in refusal(long)


def test_a_class_without_a_case(tmp_path: Path) -> None:
    path = write(tmp_path, "m.csv", "y_true,p_a,p_b,p_c\na,.9,.1,0\nb,.2,.8,0\n")
    assert one(path).classes == ("a", "b", "c")


def test_models_in_one_file(tmp_path: Path) -> None:
    rows = "".join(f"a,.9,.1,m{i}\nb,{0.2 + i / 50},{0.8 - i / 50},m{i}\n" for i in range(30))
    found = read(write(tmp_path, "m.csv", "y_true,p_a,p_b,model\n" + rows))
    assert list(found) == [f"m{i}" for i in range(30)]
    for i, source in enumerate(found.values()):
        expected = karat.evaluate(["a", "b"], [[0.9, 0.1], [0.2 + i / 50, 0.8 - i / 50]])
        assert Evaluation(source)["MSE"] == pytest.approx(expected["MSE"])
    numbered = read(write(tmp_path, "n.csv", "y_true,y_pred,model\na,a,001\nb,a,001\na,c,2\nb,b,2\n"))
    assert list(numbered) == ["001", "2"]
    assert {source.classes for source in numbered.values()} == {("a", "b", "c")}
    assert "empty names" in refusal(write(tmp_path, "e.csv", "y_true,y_pred,model\na,a,\nb,a,x\n"))


def test_the_name_of_a_model_is_that_of_its_file(tmp_path: Path) -> None:
    for name, model in (("a.csv", "a"), ("v1.2.csv", "v1.2"), (".csv.csv", ".csv"), ("my model.CSV", "my model")):
        assert list(read(write(tmp_path, name, GOOD))) == [model]
    assert list(read(write(tmp_path, "z.csv.gz", gzip.compress(GOOD.encode())))) == ["z"]
    assert list(read(write(tmp_path, "noend", GOOD), file_format="csv")) == ["noend"]


def test_weights_of_zero(tmp_path: Path) -> None:
    path = write(tmp_path, "m.csv", "y_true,p_a,p_b,weight\na,.9,.1,0\nb,.2,.8,1\na,.2,.8,0\nb,.6,.4,3\n")
    assert one(path)["Acc"] == 0.25
    assert "sums to 0" in refusal(write(tmp_path, "z.csv", "y_true,p_a,p_b,weight\na,.9,.1,0\nb,.2,.8,0\n"))


# ------------------------------------------------------------------------------------------------- matrices


@pytest.mark.parametrize(
    ("content", "classes", "table"),
    [
        ("truth,a,b\na,5,1\nb,2,7\n", ("a", "b"), [[5, 1], [2, 7]]),
        (",a,b,refused\na,5,1,3\nb,2,7,0\n", ("a", "b"), [[5, 1, 3], [2, 7, 0]]),
        (",b,a\na,1,5\nb,7,2\n", ("a", "b"), [[5, 1], [2, 7]]),
        (",0,1\n0,5,1\n1,2,7\n", (0, 1), [[5, 1], [2, 7]]),
        (",001,002\n001,5,1\n002,2,7\n", ("001", "002"), [[5, 1], [2, 7]]),
        (",a,b\na,5,1\nb,2,7\nc,1,1\n", ("a", "b", "c"), [[5, 1, 0], [2, 7, 0], [1, 1, 0]]),
        (",a,b\na,5.5,1\nb,2,7\n", ("a", "b"), [[5.5, 1], [2, 7]]),
    ],
)
def test_matrices(content: str, classes: tuple[Any, ...], table: list[list[float]], tmp_path: Path) -> None:
    found = one(write(tmp_path, "m.csv", content))
    assert found.classes == classes
    assert found.statistics.source.table.tolist() == table


def test_a_matrix_is_reordered_not_renamed(tmp_path: Path) -> None:
    path = write(tmp_path, "m.csv", ",a,b\na,5,1\nb,2,7\n")
    found = one(path, labels=["b", "a"], positive="b")
    assert found.statistics.source.table.tolist() == [[7, 2], [1, 5]]
    assert found["TPR"] == pytest.approx(7 / 9)
    assert "name the same classes" in refusal(path, labels=["x", "y"])
    assert "column 'b' of" in refusal(write(tmp_path, "t.csv", ",a,b\na,5,x\nb,2,7\n"))
    assert "missing values" in refusal(write(tmp_path, "g.csv", ",a,b\na,5,\nb,2,7\n"))
    assert "negative count" in refusal(write(tmp_path, "n.csv", ",a,b\na,5,-1\nb,2,7\n"))
    totals = ",a,b,All\na,5,1,6\nb,2,7,9\nAll,7,8,15\n"
    assert "totals in the row and column 'All'" in refusal(write(tmp_path, "s.csv", totals))
    assert "first row and its first column" in refusal(write(tmp_path, "b.csv", "5,1\n2,7\n"))


# ------------------------------------------------------------------------------------------------- refusals


GARBAGE = np.random.default_rng(0).bytes(2000)
REFUSED = {
    "empty.csv": ("", "is empty"),
    "empty.parquet": ("", "is empty"),
    "empty.npz": ("", "is empty"),
    "head.csv": ("y_true,p_a,p_b\n", "holds no cases"),
    "garbage.csv": (GARBAGE, "not UTF-8 text"),
    "garbage.parquet": (GARBAGE, "can't be read as parquet"),
    "garbage.arrow": (GARBAGE, "can't be read as arrow"),
    "garbage.jsonl": (GARBAGE, "can't be read as jsonl"),
    "garbage.npz": (GARBAGE, "can't be read as npz"),
    "garbage.csv.gz": (GARBAGE, "drop .gz"),
    "short.csv.gz": (gzip.compress(GOOD.encode() * 99)[:40], "can't be"),
    "noending": (GOOD, "pass file_format="),
    "sheet.xlsx": (GOOD, "pass file_format="),
    "csv.parquet": (GOOD, "file_format='csv'"),
    "parquet.csv": (CONTENTS["m.parquet"], "file_format='parquet'"),
    "arrow.csv": (CONTENTS["m.feather"], "file_format='arrow'"),
    "npz.csv": (CONTENTS["m.npz"], "file_format='npz'"),
    "json.csv": (CONTENTS["m.jsonl"], "file_format='jsonl'"),
    "cut.parquet": (CONTENTS["m.parquet"][:200], "cut short"),
    "semicolon.csv": (GOOD.replace(",", ";"), "semicolons"),
    "decimals.csv": ("y_true;p_a;p_b\na;0,9;0,1\nb;0,2;0,8\n", "semicolons"),
    "tabs.csv": (GOOD.replace(",", "\t"), "file_format='tsv'"),
    "commas.tsv": (GOOD, "file_format='csv'"),
    "utf16.csv": (GOOD.encode("utf-16"), "UTF-16"),
    "latin.csv": (GOOD.replace("a", "ä").encode("latin-1"), "UTF-8"),
    "latin2.csv": ("y_true,y_pred\nä,ä\nb,b\n".encode("latin-1"), "UTF-8"),
    "twice.csv": ("y_true,p_a,p_b,p_a\na,.9,.1,.9\nb,.2,.8,.2\n", "more than one column named 'p_a'"),
    "ragged.csv": ("y_true,p_a,p_b\na,.9\nb,.2,.8\n", "every row as many values"),
    "no_label.csv": ("y_true,p_a,p_b\na,.9,.1\n,.2,.8\n", "column 'y_true' of"),
    "no_number.csv": ("y_true,p_a,p_b\na,.9,\nb,.2,.8\n", "column 'p_b' of"),
    "na.csv": ("y_true,p_0,p_1\n0,.9,.1\nNA,.2,.8\n", "column 'y_true' of"),
    "nan.csv": ("y_true,p_a,p_b\na,.9,nan\nb,.2,.8\n", "missing"),
    "no_column.csv": ("y_true,p_a,p_b\na,.9,.1\nb,.2,.8\nc,.2,.8\n", "no column 'p_c' (1 cases of 3)"),
    "one_of_three.csv": ("y_true,p_a\na,.9\nb,.2\nc,.3\n", "no column 'p_b', 'p_c'"),
    "other.csv": ("y_true,p_x\n0,.9\n1,.2\n", "has the column 'p_x', but y_true holds 0, 1"),
    "percent.csv": ("y_true,p_a,p_b\na,90,10\nb,20,80\n", "divide percentages by 100"),
    "percent_sign.csv": ("y_true,p_a,p_b\na,90%,10%\nb,20%,80%\n", "leave the % out"),
    "comma.csv": ('y_true,p_a,p_b\na,"0,9","0,1"\nb,"0,2","0,8"\n', "decimals with a point"),
    "text.csv": ("y_true,p_a,p_b\na,high,.1\nb,.2,.8\n", "holds 'high' in row 0"),
    "sums.csv": ("y_true,p_a,p_b\na,.9,.2\nb,.2,.8\n", "sums to 1.1"),
    "p_value.csv": ("y_true,p_a,p_b,p_value\na,.9,.1,.5\nb,.2,.8,.5\n", "No case is of 'value'"),
    "target.csv": (GOOD.replace("y_true", "target"), "truth='target'"),
    "prob.csv": (GOOD.replace("p_", "prob_"), "proba='prob_'"),
    "y_score.csv": ("y_true,y_score\n0,1\n1,2\n", "score='y_score'"),
    "prediction.csv": ("y_true,prediction\n0,1\n1,0\n", "decided='prediction'"),
    "nothing.csv": ("y_true,x\na,1\nb,2\n", "its columns are 'y_true', 'x'"),
    "seven.csv": ("y_true,p_7,p_007\n7,.5,.5\n8,.5,.5\n", "two columns for the class 7"),
    "real.csv": ("y_true,y_pred\n0.5,0.5\n1.5,1.5\n", "real number"),
    "weight.csv": ("y_true,p_a,p_b,weight\na,.9,.1,x\nb,.2,.8,1\n", "column 'weight' of"),
    "negative.csv": ("y_true,p_a,p_b,weight\na,.9,.1,-1\nb,.2,.8,1\n", "negative"),
    "nested.jsonl": ('{"y_true": ["a"], "p_a": 1}\n', "holds list"),
    "mixed.jsonl": ('{"y_true": "a", "p_a": 1}\n{"y_true": 1, "p_a": 1}\n', "values of one type"),
    "key.jsonl": ('{"y_true": "a", "p_a": 0.9}\n{"y_true": "b", "p_a": 0.2, "p_b": 0.8}\n', "missing"),
    "columns.json": ('{"y_true": ["a", "b"], "p_a": [0.9, 0.2]}', "in JSON one record"),
    "kinds.json": ('[{"y_true": "a"}, {"y_true": 1}]', "can't be read as jsonl"),
    "refused.csv": ("y_true,p_a,p_b,y_pred\na,.9,.1,?\nb,.2,.8,b\n", "pass reject="),
    "nan.parquet": (file_of(pa.table({"y_true": [0.0, float("nan")], "p_0": [0.1, 0.2], "p_1": [0.9, 0.8]}), "parquet"),
                    "column 'y_true' of"),
    "scalars.json": ("[1, 2]", "records"),
    "lengths.npz": (npz_of(y_true=np.arange(3), y_pred=np.arange(2)), "different lengths (y_true 3, y_pred 2)"),
    "square.npz": (npz_of(y_true=np.zeros((2, 2)), y_pred=np.zeros(2)), "shape (2, 2)"),
    "objects.npz": (npz_of(y_true=np.array(["a", 1], object)), "Python objects"),
    "which.npz": (npz_of(y_true=np.array(["a", "b"]), y_proba=np.array([0.1, 0.2])), "pass positive="),
    "labels.npz": (npz_of(y_true=np.array([0, 1]), y_proba=np.ones((2, 3)) / 3), "with labels="),
    "dates.parquet": (file_of(pa.table({"y_true": [datetime.date(2024, 1, 1)], "y_pred": [datetime.date(2024, 1, 1)]}),
                              "parquet"), "give labels that are str, int or bool"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_refusals_say_what_would_help(name: str, tmp_path: Path) -> None:
    content, says = REFUSED[name]
    message = refusal(write(tmp_path, name, content))
    assert says in message
    assert name in message


IN_OPTIONS = {
    "csv.parquet": "pass --format csv",
    "target.csv": "with --truth target",
    "prediction.csv": "pass --pred prediction",
    "refused.csv": "pass --reject",
    "which.npz": "pass --positive",
}


@pytest.mark.parametrize("name", IN_OPTIONS)
def test_another_surface_reads_its_own_words(name: str, tmp_path: Path) -> None:
    path = write(tmp_path, name, REFUSED[name][0])
    with speaking(lambda option: f"--{option}"):
        message = refusal(path)
    assert IN_OPTIONS[name] in message
    assert not re.search(r"\b(labels|positive|reject|file_format)=", message)


def test_no_file_no_pipe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "there is no file" in refusal(tmp_path / "none.csv")
    assert "is a folder" in refusal(tmp_path)
    assert "can't be opened" in refusal("x" * 5000 + ".csv")
    assert "the format is 'xls'" in refusal(write(tmp_path, "m.csv", GOOD), file_format="xls")
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"")))
    assert "stdin is empty" in refusal("-")


def test_a_file_that_may_not_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path, "m.csv", GOOD)

    def refuse(*_: Any) -> Any:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)  # who runs as root may read everything
    assert "can't be opened (Permission denied)" in refusal(path)


def test_names_that_are_not_there(tmp_path: Path) -> None:
    path = write(tmp_path, "m.csv", GOOD)
    for role in ("weight", "decided", "score", "model"):
        names = Names(**{role: "none"})
        message = refusal(path, names=names)
        assert f"which {role}= names" in message
        assert "its columns are 'y_true', 'p_a', 'p_b'" in message
    assert "no column 'p_c'" in refusal(path, labels=["a", "b", "c"])
    assert "y_true holds 'b'" in refusal(path, labels=["a", "x"]) or "no column 'p_x'" in refusal(
        path, labels=["a", "x"]
    )


def test_a_great_many_columns(tmp_path: Path) -> None:
    k = 1500
    rows = [",".join(["y_true", *(f"p_c{i}" for i in range(k))])]
    rows += [",".join([f"c{r}", *("1" if j == r else "0" for j in range(k))]) for r in range(3)]
    path = write(tmp_path, "m.csv", "\n".join(rows) + "\n")
    found = one(path)
    assert (len(found.classes), found["Acc"]) == (k, 1)
    message = refusal(path, names=Names(truth="x"))
    assert "more" in message
    assert len(message) < 400


def test_ids_of_every_format_are_the_same(tmp_path: Path) -> None:
    ids = [12, 3, 7, 1, 40, 5]
    columns = {"p_id": ids} | COLUMNS
    table = pa.table(columns)
    parquet.write_table(table, tmp_path / "m.parquet")
    parquet.write_table(table.set_column(0, "p_id", pa.array(ids, pa.float64())), tmp_path / "floats.parquet")
    feather.write_feather(table, tmp_path / "m.feather")
    np.savez(tmp_path / "m.npz", p_id=ids, y_true=TRUTH, y_proba=PROBA)
    write(tmp_path, "m.csv", csv_of(columns))
    write(tmp_path, "m.jsonl", "\n".join(map(json.dumps, records(columns))))
    for name in ("m.parquet", "floats.parquet", "m.feather", "m.npz", "m.csv", "m.jsonl"):
        e = one(tmp_path / name, names=Names(ids="p_id"))
        assert e.ids.tolist() == [str(i) for i in ids], name
        assert e.values() == karat.evaluate(TRUTH, PROBA).values()  # it is no probability of a class called id
    np.savez(tmp_path / "wide.npz", p_id=[[i, i] for i in ids], y_true=TRUTH, y_proba=PROBA)
    assert "has the shape (6, 2); give one id" in refusal(tmp_path / "wide.npz", names=Names(ids="p_id"))
    zeros = write(tmp_path, "zeros.csv", csv_of({"case": ["007", "7", "", "x", "y", "z"]} | COLUMNS))
    assert "zeros.csv: ids are missing in 1 of 6 rows (counted from 0: 2)" in refusal(zeros, names=Names(ids="case"))
    assert one(zeros).ids is None


def test_a_column_of_ids_is_read_only_if_it_is_named(tmp_path: Path) -> None:
    path = write(tmp_path, "m.csv", csv_of({"id": [1, 1, 1, 2, 2, 2]} | COLUMNS))
    assert one(path).ids is None
    assert "ids are not unique: '1', '2'" in refusal(path, names=Names(ids="id"))
    assert "has no column 'case', which ids= names" in refusal(path, names=Names(ids="case"))
    assert tuple(read(path).columns) == ("id", "y_true", "p_a", "p_b", "p_c")
