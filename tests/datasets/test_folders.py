"""Data sets: what files say is kept, what karat can't read is refused in one sentence."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from urllib.error import HTTPError

import numpy as np
import pytest

pytest.importorskip("hypothesis", reason="hypothesis is not installed")

from hypothesis import given
from hypothesis import strategies as st

from karat import InputError
from karat.datasets import (
    NO_CLASS,
    DataSet,
    available,
    from_openml,
    load,
    parse_arff,
    parse_csv,
    published,
    read_arff,
    read_csv,
    studies,
)

HEAD = "@relation r\n@attribute x numeric\n@attribute c {a,b}\n"


def test_quotes_commas_blanks_comments_and_any_case_of_keywords() -> None:
    data = parse_arff(
        "% a comment\n"
        "@RELATION 'odd, indeed'\n"
        "@Attribute 'first, name' REAL % of something\n"
        "@ATTRIBUTE \"two words\"\t{ 'a b', \"c, d\", 'e\\'f' , 50% }\n"
        "@attribute plain INTEGER\n"
        "\n"
        "  @attribute class {'no', yes, 'never seen'}\n"
        "@Data\n"
        "1.5, 'a b', 3, yes\n"
        "% between\n"
        "-2e3,\"c, d\",?, 'no' % behind\n"
        "?,'e\\'f', 7 ,yes\n"
        "0,50%,-1,?\n"
    )
    assert data.name == "odd, indeed"
    assert data.attributes == ("first, name", "two words", "plain")
    assert data.values == (None, ("a b", "c, d", "e'f", "50%"), None)
    assert data.kinds == ("numeric", "nominal", "numeric")
    assert data.nominal == {1: 4}
    assert (data.target, data.classes) == ("class", ("no", "yes", "never seen"))
    np.testing.assert_array_equal(data.X, [[1.5, 0, 3], [-2000, 1, np.nan], [np.nan, 2, 7], [0, 3, -1]])
    assert data.y.tolist() == [1, 0, 1, NO_CLASS]
    assert data.labels.tolist() == ["yes", "no", "yes", None]
    assert data.missing == 2
    assert len(data.labelled().y) == 3


def test_a_question_mark_in_quotes_is_a_value() -> None:
    data = parse_arff("@relation r\n@attribute x {'?',b}\n@attribute c {a,b}\n@data\n'?',a\n?,b")
    np.testing.assert_array_equal(data.X[:, 0], [0, np.nan])


WORDS = st.text(
    st.characters(codec="utf-8", exclude_categories=("C", "Z")) | st.sampled_from(" ,'\\\\%?{}"), min_size=1
)


def quoted(word: str) -> str:
    return "'" + word.replace("\\", "\\\\").replace("'", "\\'") + "'"


@given(
    st.lists(WORDS, min_size=2, max_size=6, unique=True), st.lists(st.integers(-1, 5), max_size=6), st.floats(-1e9, 1e9)
)
def test_whatever_stands_in_quotes_comes_back(names: list[str], codes: list[int], x: float) -> None:
    known = [code if code < len(names) else -1 for code in codes]
    cells = [[repr(x), "?" if code < 0 else quoted(names[code])] for code in known]
    text = "\n".join(
        [
            f"@relation {quoted(names[0])}",
            f"@attribute {quoted(names[0])} numeric",
            f"@attribute {quoted(names[1])} {{{', '.join(map(quoted, names))}}}",
            "@data",
            *map(",".join, cells),
        ]
    )
    data = parse_arff(text)
    assert (data.name, data.attributes, data.target, data.classes) == (names[0], (names[0],), names[1], tuple(names))
    assert data.y.tolist() == known
    assert (data.X[:, 0] == x).all()


def test_an_apostrophe_within_a_word_is_a_letter() -> None:
    text = (
        "@relation r\n@attribute x {don't, 'do it', o\u0085k}\n@attribute c {a,b}\n@data\ndon't,a % isn't\r\n'do it',b"
    )
    data = parse_arff(text)
    assert data.values == (("don't", "do it", "o\u0085k"),)
    assert data.X[:, 0].tolist() == [0, 1]


def test_rows_parted_by_blanks() -> None:
    data = parse_arff(HEAD + "@attribute d {u v 'w x'}\n@data\n1 a u\n?\tb 'w x'")
    assert data.classes == ("u", "v", "w x")
    assert data.y.tolist() == [0, 2]


def test_the_class_by_name() -> None:
    data = parse_arff("@relation r\n@attribute c {a,b}\n@attribute x numeric\n@data\nb,1\na,2", target="c")
    assert data.y.tolist() == [1, 0]
    assert data.attributes == ("x",)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (HEAD + "@data\n{0 3, 1 a}", "line 5 is sparse"),
        (HEAD + "@data\n1,a,{2}", "ends with a weight"),
        (HEAD.replace("numeric", "relational") + "@data\n", "flatten the table first"),
        (HEAD.replace("numeric", "string") + "@data\n", "type string"),
        (HEAD.replace("numeric", 'DATE "yyyy"') + "@data\n", "type date"),
        (HEAD.replace("numeric", "complex") + "@data\n", "type 'complex'"),
        (HEAD + "@data\n1", "1 values, but 2 attributes"),
        (HEAD + "@data\nred,a", "'red' for 'x'; expected a number"),
        (HEAD + "@data\n1,d", "'d' for 'c'; expected one of 'a', 'b'"),
        (HEAD + "@data\n1,'a", "never closed"),
        (HEAD + "@data\n1,'a'b", "after a closing quote"),
        (HEAD, "no @data line"),
        ("@data\n1", "no @attribute"),
        ("x,y\n1,2", "begins with 'x,y'"),
        ("@relation r\n@attribute x numeric\n@attribute y numeric\n@data\n1,2", "is numeric"),
        ("@relation r\n@attribute x numeric\n@attribute x {a}\n@data\n", "declared twice"),
        ("@relation r\n@attribute x {a,b,a}\n@data\n", "'a' twice"),
        ("@relation r\n@attribute x {a,b\n@data\n", "closing brace"),
        ("@relation r\n@attribute\n@data\n", "line 2 lacks a name"),
    ],
)
def test_what_is_refused(text: str, says: str) -> None:
    with pytest.raises(InputError, match=says) as caught:
        parse_arff(text)
    assert "\n" not in str(caught.value)


def test_an_unknown_target_is_refused() -> None:
    with pytest.raises(InputError, match="no attribute 'z'"):
        parse_arff(HEAD + "@data\n", target="z")


def test_a_table_of_no_cases() -> None:
    data = parse_arff(HEAD + "@data\n")
    assert data.X.shape == (0, 1)


def test_files_gzipped_or_in_latin_1(tmp_path: Path) -> None:
    text = HEAD.replace("{a,b}", "{ä,b}") + "@data\n1,ä\n"
    (tmp_path / "one.arff").write_bytes(text.encode("latin-1"))
    (tmp_path / "two.arff.gz").write_bytes(gzip.compress(text.encode("utf-8")))
    assert read_arff(tmp_path / "one.arff").classes == read_arff(tmp_path / "two.arff.gz").classes == ("ä", "b")
    with pytest.raises(InputError, match="can't be read"):
        read_arff(tmp_path / "three.arff")


def test_csv_finds_kinds_and_keeps_missing_values(tmp_path: Path) -> None:
    text = 'size,colour,code,kind\n1.5,red,10,b\nNA,"blue, dark",9,a\n,red,?,b\n'
    data = parse_csv(text, nominal=["code"])
    assert data.values == (None, ("blue, dark", "red"), ("9", "10"))
    assert data.classes == ("a", "b")
    np.testing.assert_array_equal(data.X, [[1.5, 1, 1], [np.nan, 0, 0], [np.nan, 1, np.nan]])
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress(text.encode()))
    assert read_csv(tmp_path / "t.csv.gz", target="colour").classes == ("blue, dark", "red")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "empty"),
        ("a,b\n1", "line 2 has 1 cells, but the header has 2"),
        ("a,a\n1,2", "twice"),
        ("a,b\n1,2", "no column 'z'"),
    ],
)
def test_csv_that_is_refused(text: str, says: str) -> None:
    with pytest.raises(InputError, match=says):
        parse_csv(text, nominal=["z"] if "z" in says else ())


def test_the_record_refuses_what_does_not_fit() -> None:
    with pytest.raises(InputError, match="X has the shape \\(1, 1\\), y 2 cases"):
        DataSet.of("d", [[1.0]], [0, 1], ["x"], [None], ["a"])
    with pytest.raises(InputError, match="number them from 0"):
        DataSet.of("d", [[2.0]], [0], ["x"], [["u", "v"]], ["a"])
    with pytest.raises(InputError, match="class codes 3 to 3 do not fit 1 classes"):
        DataSet.of("d", [[2.0]], [3], ["x"], [None], ["a"])
    data = DataSet.of("d", [[2.0, 1], [3, 0]], [0, 1], ["x", "y"], [None, ["u", "v"]], ["a", "b"])
    assert not data.X.flags.writeable
    assert data.without("x").nominal == {0: 2}
    assert data.take([1]).X.tolist() == [[3, 0]]
    with pytest.raises(InputError, match="no attribute 'z'"):
        data.without("z")


def test_bundled_data_are_always_there(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("sklearn")
    monkeypatch.delenv("KARAT_DATA", raising=False)
    assert available() == ("breast_cancer", "digits", "iris", "wine")
    for name in available():
        data = load(name)
        assert data.X.shape == (len(data.y), len(data.attributes))
        assert data.missing == 0
    assert load("wine").X.shape == (178, 13)
    with pytest.raises(InputError, match="no folder"):
        load("nursery")


def test_a_folder_by_argument_or_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("sklearn")
    (tmp_path / "one.arff").write_text(HEAD + "@data\n1,a\n")
    (tmp_path / "odd name 7.csv").write_text("x,c\n1,a\n2,b\n")
    (tmp_path / "MANIFEST.csv").write_text("name,file\ntwo,odd name 7.csv\nlost,lost.arff\n")
    assert load("one", tmp_path).y.tolist() == [0]
    monkeypatch.setenv("KARAT_DATA", str(tmp_path))
    two = load("two")
    assert (two.name, two.classes) == ("two", ("a", "b"))
    assert {"one", "two", "iris"} <= set(available())
    assert load(str(tmp_path / "one.arff")).name == "one"
    assert load("iris").source == "scikit-learn"
    with pytest.raises(InputError, match="'lost' in the folder"):
        load("lost")
    with pytest.raises(InputError, match="is not a folder"):
        load("one", tmp_path / "nowhere")


API = "https://www.openml.org/api/v1/json/data"
OPENML = {
    f"{API}/list/data_name/two%20moons/status/active": json.dumps(
        {"data": {"dataset": [{"did": 7, "version": 1}, {"did": 9, "version": 2}]}}
    ),
    f"{API}/9": json.dumps(
        {
            "data_set_description": {
                "id": "9",
                "name": "two moons",
                "version": "2",
                "url": "https://example.org/moons.arff",
                "default_target_attribute": "moon",
                "row_id_attribute": "id",
                "ignore_attribute": ["note", "gone"],
            }
        }
    ),
    "https://example.org/moons.arff": "@relation m\n@attribute id numeric\n@attribute moon {old,new}\n"
    "@attribute note {u,v}\n@attribute x real\n@data\n1,new,u,0.5\n2,old,?,?\n",
}


def stored_answer(address: str) -> bytes:
    if address not in OPENML:
        raise HTTPError(address, 412, "no results", None, None)  # type: ignore[arg-type]
    return OPENML[address].encode()


def test_openml_answers_are_understood() -> None:
    data = from_openml("two moons", fetch=stored_answer)
    assert (data.name, data.target, data.classes, data.attributes) == ("two moons", "moon", ("old", "new"), ("x",))
    assert data.source == "OpenML 9, version 2"
    assert data.y.tolist() == [1, 0]
    with pytest.raises(InputError, match="no active data set 'mars'"):
        from_openml("mars", fetch=stored_answer)


def test_the_published_lists() -> None:
    assert studies() == ("wang2013", "ferri2009")
    assert [len(published(s)) for s in studies()] == [19, 30]
    wang = {p.name: p for p in published("wang2013")}
    assert (wang["pendigits"].cases, wang["pendigits"].attributes, wang["pendigits"].classes) == (7494, 16, 10)
    assert sum(p.cases for p in wang.values()) == 57909
    ferri = published("ferri2009")
    assert sum(p.classes == 2 for p in ferri) == 15
    assert all(p.attributes == (p.nominal or 0) + (p.numeric or 0) for p in ferri)
    with pytest.raises(InputError, match="no list of data sets for 'nobody'"):
        published("nobody")
