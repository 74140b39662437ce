"""Files that are damaged, hostile or far too large: each is refused in one sentence, none ends the program."""

from __future__ import annotations

import gzip
import io
import json
import struct
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

import karat
from karat.core.errors import InputError
from karat.data import limits
from karat.data.json_lines import Nesting, keys_of
from karat.data.prediction_files import read

pa = pytest.importorskip("pyarrow")


def refusal(path: Path, **options: object) -> str:
    with pytest.raises(InputError) as refused:
        read(path, **options)  # type: ignore[arg-type]
    message = str(refused.value)
    assert "\n" not in message
    return message


def ends(path: Path, *words: str) -> tuple[int, str]:
    """How a command ends, in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "karat", *words, str(path)], capture_output=True, text=True, timeout=120, check=False
    )
    return done.returncode, done.stderr


def arrow_file(path: Path) -> bytes:
    table = pa.table({"y_true": ["ill", "well", "ill"], "y_pred": ["ill", "well", "well"]})
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    return path.read_bytes()


@pytest.mark.parametrize("command", [("evaluate",), ("evaluate", "--workers", "1")])
def test_an_offset_of_a_text_that_points_elsewhere(tmp_path: Path, command: tuple[str, ...]) -> None:
    path = tmp_path / "a.arrow"
    content = arrow_file(path)
    offsets = struct.pack("<4i", 0, 3, 7, 10)  # of ill, well, ill
    assert content.count(offsets) == 1
    path.write_bytes(content.replace(offsets, struct.pack("<4i", 0, 3, 1 << 30, 10)))
    code, words = ends(path, *command)
    assert (code, words.count("\n")) == (2, 1), words


DEEP = ['{"y_true":' + "[" * 100_000 + "]" * 100_000 + "}", '{"a":' * 100_000 + "1" + "}" * 100_000]


@pytest.mark.parametrize("record", DEEP, ids=["arrays", "records"])
@pytest.mark.parametrize("lines", [False, True])
def test_deep_records(tmp_path: Path, record: str, lines: bool) -> None:
    path = tmp_path / "deep.jsonl"
    path.write_text((record.replace("[", "[\n") if lines else record) + "\n")
    assert "nested more than 64 deep" in refusal(path)
    with pytest.raises(InputError, match="nested more than 64 deep"):
        karat.accumulate(path)


def test_deep_array(tmp_path: Path) -> None:
    path = tmp_path / "deep.json"
    path.write_text("[" * 100_000)
    assert "nested more than 64 deep" in refusal(path)


def depth(text: bytes) -> int:
    nesting = Nesting()
    nesting.add(text)
    return nesting.deepest


def test_depth_is_that_of_a_parser() -> None:
    def deep(value: object) -> int:
        inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
        return 0 if inner is None else 1 + max(map(deep, inner), default=0)

    rng = np.random.default_rng(1)

    def anything(left: int) -> object:
        kind = rng.integers(5 if left else 3)
        if kind < 3:
            return ["]]}}", 'a"[[{', "\\", '\\"[', "x"][rng.integers(5)]
        inside = [anything(left - 1) for _ in range(rng.integers(4))]
        return inside if kind == 3 else {str(i) + '"{': v for i, v in enumerate(inside)}

    for _ in range(300):
        value = [anything(6)]
        text = json.dumps(value).encode()
        assert depth(text) == deep(value)
        pieces = Nesting()
        for start in range(0, len(text), 7):
            pieces.add(text[start : start + 7])
        assert pieces.deepest == deep(value)
    assert depth(b'"\n' + b"[" * 100) == 100  # a parser may begin at any line
    assert depth(b"]" * 50 + b"[" * 100) == 100


RECORD = '{"y_true": 0, "p_0": 0.2, "p_1": 0.8}\n'


@pytest.mark.parametrize("text", ["null", "nulltrue" + RECORD, "\ufeff null\n" + RECORD, RECORD + "null\n" + RECORD])
@pytest.mark.parametrize("ending", ["json", "jsonl"])
def test_null_instead_of_a_record(tmp_path: Path, text: str, ending: str) -> None:
    """The first three of these end the process if Arrow reads them."""
    path = tmp_path / f"a.{ending}"
    path.write_text(text, encoding="utf-8")
    assert "null, or another word, where a record should be or a line begins" in refusal(path)
    if ending == "jsonl":
        with pytest.raises(InputError, match="null, or another word, where a record should be"):
            karat.accumulate(path)


def test_null_is_found_where_a_parser_may_begin() -> None:
    """Arrow reads blocks, each of which begins with some line."""
    for text, found in (
        (b'{"a": null}\n{"a":null, "b": [null, "null"]}', False),
        (b'{\n "a": null}', False),
        (b'{"a}null": "\\"}null{"}', False),
        (b'{"a":\nnull}', True),
        (b'{"a":\r  null}', True),
        (b'{"a": 1} null', True),
    ):
        for size in (1, 3, len(text)):
            nesting = Nesting()
            for start in range(0, len(text), size):
                nesting.add(text[start : start + size])
            assert nesting.null == found, (text, size)


def test_names_of_records_are_counted() -> None:
    assert keys_of(b'{"a": 1, "b": ":"}\n{"b": 1, "c": 2}') == 3
    assert keys_of(b'{"a":1}\n' * 1000) == 1
    assert keys_of(b'{"x1\\"a":1}\n{"x2\\"a":1}') == 2


def test_records_that_have_each_a_name_of_their_own(tmp_path: Path) -> None:
    path = tmp_path / "sparse.jsonl"
    path.write_text("".join(f'{{"k{i}":1}}\n' for i in range(40_000)))
    assert "of values" in refusal(path, limit="1GB")
    path.write_text("".join(f'{{"k{i}":1}}\n' for i in range(60_000)))
    assert "at most 50,000 are read" in refusal(path)


def test_a_file_that_unpacks_to_more_than_the_limit(tmp_path: Path) -> None:
    path = tmp_path / "bomb.csv.gz"
    path.write_bytes(gzip.compress(b"y_true,p_1\n" + b"1,0.9\n0,0.2\n" * 200_000))
    assert path.stat().st_size < 20_000
    assert "holds more than 1 MB, unpacked" in refusal(path, limit="1MB")
    assert "--limit" in ends(path, "evaluate", "--limit", "1MB")[1]
    assert list(read(path, limit="20MB")) == ["bomb"]


def test_short_values_count_by_what_they_take_in_memory(tmp_path: Path) -> None:
    path = tmp_path / "commas.csv.gz"
    path.write_bytes(gzip.compress(b"y_true,p_1\n" + b"1,1\n" * 200_000))
    assert "of values" in refusal(path, limit="2MB")


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="no /dev/zero")
def test_a_device_that_never_ends() -> None:
    assert "holds more than 10 MB" in refusal(Path("/dev/zero"), file_format="csv", limit="10MB")


@pytest.mark.parametrize("how", ["cut", "changed", "not gzip"])
@pytest.mark.parametrize("name", ["a.csv.gz", "a.jsonl.gz", "a.parquet.gz"])
def test_damaged_gzip(tmp_path: Path, name: str, how: str) -> None:
    content = gzip.compress(b"y_true,y_pred\n" + b"a,b\nb,b\n" * 100)
    content = {"cut": content[:-9], "changed": content[:12] + b"\xff\xff" + content[14:], "not gzip": b"y_true"}[how]
    path = tmp_path / name
    path.write_bytes(content)
    assert "can't be unpacked" in refusal(path)


def archive(**members: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as file:
        for name, content in members.items():
            file.writestr(f"{name}.npy", content)
    return out.getvalue()


def array(values: object, header: str | None = None) -> bytes:
    out = io.BytesIO()
    np.save(out, np.asarray(values))
    content = out.getvalue()
    return content if header is None else content[:8] + struct.pack("<H", len(header)) + header.encode()


CLAIMS = {
    "8 TB": array([1], "{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000,), }\n"),
    "no bytes": array([1], "{'descr': '|S0', 'fortran_order': False, 'shape': (1000000000000,), }\n"),
    "negative": array([1], "{'descr': '<f8', 'fortran_order': False, 'shape': (-5,), }\n"),
    "no characters": array(["ab"]).replace("ab".encode("utf-32-le"), b"\xff" * 8),
    "records": array(np.zeros(2, [("a", int)])),
    "deep": array([1], "(" * 5000),
}


@pytest.mark.parametrize("claim", CLAIMS)
def test_arrays_that_are_not_what_they_claim(tmp_path: Path, claim: str) -> None:
    path = tmp_path / "a.npz"
    path.write_bytes(archive(y_true=CLAIMS[claim], y_pred=array([0, 1])))
    assert "can't be read as npz" in refusal(path)


def test_archives_that_numpy_did_not_write(tmp_path: Path) -> None:
    path, sound = tmp_path / "a.npz", archive(y_true=array([0, 1]), y_pred=array([0, 1]))
    for at, value, words in ((6, 1, "encrypted"), (8, 99, "packed in a way")):
        content = bytearray(sound)
        for magic, offset in ((b"PK\x03\x04", 0), (b"PK\x01\x02", 2)):
            content[content.index(magic) + at + offset] = value
        path.write_bytes(bytes(content))
        assert words in refusal(path)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("y_true.npy", array(np.zeros(1_000_000)))
    assert "holds more than 1 MB, unpacked" in refusal(path, limit="1MB")
    path.write_bytes(archive(y_true=array([[0, 1], [1, 0]]), y_pred=array([0, 1])))
    refusal(path)


def test_parquet_of_more_rows_than_the_limit_allows(tmp_path: Path) -> None:
    from pyarrow import parquet

    path = tmp_path / "a.parquet"
    parquet.write_table(pa.table({"y_true": np.zeros(500_000, int), "p_1": np.full(500_000, 0.5)}), path)
    assert path.stat().st_size < 50_000
    assert "holds more than 5 MB of values" in refusal(path, limit="5MB")


def test_statistics_of_parquet_that_are_no_text(tmp_path: Path) -> None:
    from pyarrow import parquet

    path = tmp_path / "a.parquet"
    table = pa.table({"y_true": [0, 1, 1], "p_1": [0.2, 0.9, 0.4], "site": ["abcdefg"] * 3})
    parquet.write_table(table, path, compression="none")
    path.write_bytes(path.read_bytes().replace(b"abcdefg", b"abc\xff\xfefg"))
    assert karat.accumulate(path).evaluation()["Acc"] == pytest.approx(2 / 3)


def test_a_column_of_parquet_that_states_two_types(tmp_path: Path) -> None:
    """Arrow ends the process where it is asked for the statistics of such a column."""
    from pyarrow import parquet

    path, table = tmp_path / "a.parquet", pa.table({"y_true": [0, 1, 1], "p_1": [0.2, 0.9, 0.4]})
    parquet.write_table(table, path, compression="none")
    content = path.read_bytes()
    at = content.rindex(b"\x19\x18\x06y_true")  # after the type and the encodings of the first column, in the end
    type_at = content.rindex(b"\x15\x04\x19", 0, at)  # INT64
    path.write_bytes(content[: type_at + 1] + b"\x0a" + content[type_at + 2 :])  # DOUBLE
    assert parquet.ParquetFile(path).metadata.row_group(0).column(0).physical_type == "DOUBLE"
    code, words = ends(path, "evaluate", "--workers", "1", "--positive", "1")
    assert code == 0 or (code, words.count("\n")) == (2, 1), words


def test_levels_of_parquet_that_a_column_does_not_have(tmp_path: Path) -> None:
    """Arrow ends the process where it is asked for such a column; a list, a record and a map have levels."""
    from pyarrow import parquet

    from karat.data.parquet_ends import Thrift, leaves, refuse_contradictions

    nested = {"a": [[{"x": 1, "y": "k"}], None], "b": [{"q": [1, 2]}, None], "y_true": [0, 1], "p_1": [0.2, 0.9]}
    path = tmp_path / "a.parquet"
    parquet.write_table(pa.table(nested), path, compression="none")
    content = path.read_bytes()
    about = Thrift(content[-8 - int.from_bytes(content[-8:-4], "little") : -8]).record()
    schema = parquet.ParquetFile(path).schema
    columns = [schema.column(j) for j in range(5)]
    levels = [(c.max_definition_level, c.max_repetition_level) for c in columns]
    assert [tuple(leaf[1:]) for leaf in leaves(about[2])] == levels
    refuse_contradictions(pa.BufferReader(content))
    wrong = content.replace(b"\x15\x04\x25\x02\x18\x06y_true", b"\x15\x04\x25\x00\x18\x06y_true")  # required
    assert wrong != content
    path.write_bytes(wrong)
    code, words = ends(path, "evaluate", "--workers", "1", "--positive", "1")
    assert (code, words.count("\n")) == (2, 1), words
    older = "can't be read: Unexpected end of stream"  # Arrow 18 writes no such sizes, and reads what there is
    assert "sizes are stated of other levels than a column has" in words or older in words


def contradictory(folder: Path, columns: int = 0) -> Path:
    """A Parquet file, among sound ones, of which the schema says of a column what its sizes contradict."""
    from pyarrow import parquet

    folder.mkdir()
    sound = pa.table({"y_true": [0, 1, 1], "p_1": [0.2, 0.9, 0.4], **{f"x{i}": [1, 2, 3] for i in range(columns)}})
    nested = sound.append_column("a", [[[{"x": 1, "y": "k"}], None, None]])
    parquet.write_table(sound, folder / "0.parquet", compression="none")
    path = folder / "1.parquet"
    parquet.write_table(nested, path, compression="none")
    content = path.read_bytes()
    wrong = content.replace(b"\x15\x04\x25\x02\x18\x06y_true", b"\x15\x04\x25\x00\x18\x06y_true")  # required
    assert wrong != content
    path.write_bytes(wrong)
    return path


def test_the_end_of_a_parquet_file_of_thousands_of_columns_is_looked_at(tmp_path: Path) -> None:
    path = contradictory(tmp_path / "many", 2500)
    assert int.from_bytes(path.read_bytes()[-8:-4], "little") > 1 << 18
    code, words = ends(path, "evaluate", "--workers", "1", "--positive", "1")
    assert (code, words.count("\n")) == (2, 1), words
    assert "sizes are stated of other levels" in words or "Unexpected end of stream" in words  # Arrow 18 writes none


def test_what_contradicts_itself_is_counted_and_not_given_to_arrow(tmp_path: Path) -> None:
    """Arrow ends the process where it asks the statistics of such a column whether a condition can hold."""
    contradictory(tmp_path / "few")
    text = "import karat, sys; a = karat.accumulate(sys.argv[1], labels=[0, 1], positive=1, where='y_true >= 0', "
    text += "on_error='count'); print(a.evaluation().n, a.skipped)"
    done = subprocess.run(
        [sys.executable, "-c", text, str(tmp_path / "few")], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("3 "), done.stdout


def test_ends_of_parquet_written_by_hand() -> None:
    """Thrift's compact protocol: a byte holds by how much the number of a field grows, and its type."""
    from karat.data.parquet_ends import refuse_contradictions

    def refused(end: bytes) -> None:
        refuse_contradictions(pa.BufferReader(b"PAR1" + end + len(end).to_bytes(4, "little") + b"PAR1"))

    schema = b"\x29\x2c" + b"\x55\x02\x00" + b"\x15\x04\x25\x00\x18\x01a\x00"  # a root, and a required INT64 "a"
    chunk = b"\x3c" + b"\x15\x04\x00" + b"\x00"  # its third field says INT64
    groups = b"\x29\x1c"  # one of them
    refused(schema + groups + b"\x19\x1c" + chunk + b"\x00" + b"\x00")
    for end, says in (
        (b"\x49\x0c" + b"\x00", "before the schema"),
        (schema + groups + b"\x00" + b"\x00", "more or fewer columns"),
        (schema + groups + b"\x19\x2c" + chunk + chunk + b"\x00" + b"\x00", "more or fewer columns"),
        (schema + groups + b"\x19\x1c" + chunk.replace(b"\x04", b"\x0a") + b"\x00" + b"\x00", "another type"),
    ):
        with pytest.raises(ValueError, match=says):
            refused(end)


def test_a_name_of_parquet_that_is_no_text(tmp_path: Path) -> None:
    """The name that stands beside the values is not that of the schema: nobody needs it."""
    from pyarrow import parquet

    path, table = tmp_path / "a.parquet", pa.table({"y_true": [0, 1, 1], "p_1": [0.2, 0.9, 0.4]})
    parquet.write_table(table, path, compression="none", store_schema=False)
    content = path.read_bytes()
    at = content.rindex(b"y_true")
    assert content.count(b"y_true") == 2
    path.write_bytes(content[:at] + b"y_\xffrue" + content[at + 6 :])
    assert karat.accumulate(path).evaluation()["Acc"] == pytest.approx(2 / 3)


def test_too_many_columns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "COLUMNS", 30)
    path = tmp_path / "wide.csv"
    path.write_text(",".join(["y_true", *(f"p_{i}" for i in range(40))]) + "\n" + ",".join(["0"] * 41) + "\n")
    assert "41 columns, and at most 30 are read" in refusal(path)


def test_a_column_without_a_name(tmp_path: Path) -> None:
    """The fuzzer found it: the column of no name was taken for the decisions of a table that has none."""
    path = tmp_path / "nameless.csv"
    path.write_text("3,\n1,0.5\n0,0.25\n")
    assert "has no column 'y_true'" in refusal(path)


def test_records_without_a_field(tmp_path: Path) -> None:
    path = tmp_path / "a.arrow"
    table = pa.table({"y_true": pa.array([{}, {}], pa.struct([])), "p_1": [0.2, 0.9]})
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    with pytest.raises(InputError, match="have no field; give one for each class"):
        karat.accumulate(path)


def test_a_line_without_end(tmp_path: Path) -> None:
    path = tmp_path / "line.csv"
    path.write_bytes(b"y" * (17 * 2**20))
    assert "a line of more than 16 MiB" in refusal(path)


def test_limits_are_refused_in_a_sentence() -> None:
    for wrong in ("much", "-1GB", "0GB", 0, True, "1e400GB"):
        with pytest.raises(InputError, match="give a size such as"):
            limits.limit_of(wrong)
    assert limits.limit_of("1.5GB") == 1_500_000_000
    assert limits.limit_of() >= limits.LEAST


def test_the_limit_follows_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "memory_of_machine", lambda: 16 * 10**9)
    assert limits.limit_of() == 2 * 10**9
    monkeypatch.setattr(limits, "memory_of_machine", lambda: None)
    assert limits.limit_of() == limits.UNKNOWN
