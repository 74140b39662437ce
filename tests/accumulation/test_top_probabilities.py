"""Probabilities of the most probable classes: those of a full table, whose rest is what was said of it."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import karat
from karat import Accumulator
from karat.core.errors import InputError

K, N, LISTED = 40, 600, 4


def rows(seed: int = 0) -> tuple[Any, list[dict[int, float]], Any]:
    """True labels, the most probable classes of each case, and a full table."""
    rng = np.random.default_rng(seed)
    table = rng.dirichlet(np.full(K, 0.1), N)
    truth = np.array([rng.choice(K, p=p) for p in table])
    best = np.argsort(-table, axis=1)[:, :LISTED]
    return truth, [{int(c): float(p[c]) for c in top} for top, p in zip(best, table, strict=True)], table


def filled(top: list[dict[int, float]], rest: str) -> Any:
    """The full table that is supposed, by loops."""
    out = np.zeros((N, K))
    for i, row in enumerate(top):
        total = sum(row.values())
        for c in range(K):
            out[i, c] = row[c] if c in row else (1 - total) / (K - len(row)) if rest == "even" else 0
            if rest == "scaled":
                out[i, c] /= total
    return out


@pytest.mark.parametrize("rest", ["even", "scaled"])
def test_measures_are_those_of_the_table_that_is_supposed(rest: str) -> None:
    truth, top, _ = rows()
    a = Accumulator(labels=range(K))
    for part in np.array_split(np.arange(N), 3):
        a.update(truth[part], [top[i] for i in part], rest=rest)
    e, whole = a.evaluation(), karat.evaluate(truth, filled(top, rest), labels=range(K))
    assert e.n == N
    for symbol in ("Acc", "MCC", "LogLoss", "BrierLoss", "LogL", "ECE", "MFM"):
        assert e[symbol] == pytest.approx(whole[symbol], rel=1e-9), symbol
    again = Accumulator.from_bytes(a.to_bytes())
    again += a
    assert again.rows == 2 * N
    assert again.evaluation()["LogLoss"] == pytest.approx(e["LogLoss"], rel=1e-12)
    e.findings()  # those that need every class are not looked for
    assert ("share the rest evenly" if rest == "even" else "have 0") in str(e)


def test_what_needs_every_class_says_so() -> None:
    truth, top, _ = rows()
    a = Accumulator(labels=range(K))
    a.update(truth, top, rest="even")
    e = a.evaluation()
    assert np.isnan(e["AUNU"])
    assert "needs the probability of every class" in e.undefined["AUNU"]


def test_nothing_is_supposed_silently() -> None:
    truth, top, _ = rows()
    a = Accumulator(labels=range(K))
    with pytest.raises(InputError, match=r"of a case sum to .*; choose rest='even'"):
        a.update(truth, top)
    with pytest.raises(InputError, match="rest"):
        a.update(truth, top, rest="none")
    assert a.rows == 0
    a.update(truth[:2], [{int(t): 1.0} for t in truth[:2]])  # nothing is left
    assert a.evaluation()["Acc"] == 1
    with pytest.raises(InputError, match="does not tell all classes"):
        Accumulator().update(truth, top, rest="even")


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ({0: 0.7, 1: 0.6}, "sum to 1.3"),
        ({0: -0.1}, "between 0 and 1"),
        ({0: float("nan")}, "between 0 and 1"),
        ({}, "of one class or more"),
        ({99: 0.5}, "99 is not among the classes"),
        ({0: 0.001, 1: 0.002}, "more probable than all that are"),
    ],
)
def test_rows_that_can_not_be(row: Any, words: str) -> None:
    a = Accumulator(labels=range(K))
    with pytest.raises(InputError, match=words):
        a.update([0, 1], [{0: 1.0}, row], rest="even")
    assert a.rows == 0


def test_a_column_of_maps() -> None:
    pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    truth, top, _ = rows()
    column = pa.array([list(row.items()) for row in top], pa.map_(pa.int32(), pa.float64()))
    one, other = (Accumulator(labels=range(K)) for _ in range(2))
    one.update(pa.array(truth)[5:], column[5:], rest="even")
    other.update(truth[5:], top[5:], rest="even")
    assert one.evaluation()["LogLoss"] == other.evaluation()["LogLoss"]


def test_places_and_probabilities_in_two_arrays() -> None:
    truth, top, _ = rows()
    places, values = np.array([list(row) for row in top]), np.array([list(row.values()) for row in top])
    of_maps = Accumulator(labels=range(K))
    of_maps.update(truth, top, rest="even")
    pairs: list[Any] = [(places, values), (values.astype(np.float64), places.astype(np.int32))]
    with contextlib.suppress(ImportError):
        import pyarrow as pa

        pairs.append((pa.array(places.tolist())[:], pa.array(values.tolist())))
    for pair in pairs:
        a = Accumulator(labels=range(K))
        a.update(truth, pair, rest="even")
        assert a.evaluation().values() == of_maps.evaluation().values()
    with pytest.raises(InputError, match="places of classes, whole numbers, and their probabilities"):
        Accumulator(labels=range(K)).update(truth, (values, values), rest="even")
    with pytest.raises(
        InputError, match="the class at place 40 is not among the classes, which have the places 0 to 39"
    ):
        Accumulator(labels=range(K)).update(truth, (np.where(places == places[0, 0], K, places), values), rest="even")


def test_very_many_classes_need_no_table() -> None:
    k = 100_000
    a = Accumulator(labels=range(k))
    a.update([7, 99_999, 5], [{7: 0.9, 8: 0.05}, {99_999: 0.5}, {6: 0.6, 5: 0.3}], rest="even")
    e = a.evaluation()
    logs = -(np.log(0.9) + np.log(0.5) + np.log(0.3)) / 3
    assert e["LogLoss"] == pytest.approx(logs, rel=1e-12)
    assert e["Acc"] == pytest.approx(2 / 3)
    assert len(a.to_bytes()) < 5e6  # names of classes


@pytest.mark.parametrize("rest", ["even", "scaled"])
def test_evaluate_takes_them_in_every_form(rest: str) -> None:
    truth, top, _ = rows()
    weight = np.random.default_rng(1).uniform(0.5, 2, N)
    whole = karat.evaluate(truth, filled(top, rest), labels=range(K), sample_weight=weight)
    forms: list[Any] = [top, np.array(top, dtype=object), [{str(c): p for c, p in row.items()} for row in top]]
    forms.append((np.array([list(row) for row in top]), np.array([list(row.values()) for row in top])))
    with contextlib.suppress(ImportError):
        import pandas as pd

        forms.append(pd.Series(top))
    with contextlib.suppress(ImportError):
        import pyarrow as pa

        forms.append(pa.chunked_array([pa.array([list(r.items()) for r in top], pa.map_(pa.int16(), pa.float64()))]))
        forms.append(pa.array([{str(c): row.get(c) for c in range(K)} for row in top]))
    for form in forms:
        e = karat.evaluate(truth, form, labels=range(K), rest=rest, sample_weight=weight)
        for symbol in ("Acc", "MCC", "LogLoss", "BrierLoss", "ECE"):
            assert e[symbol] == pytest.approx(whole[symbol], rel=1e-9), (type(form), symbol)
    assert ("share the rest evenly" if rest == "even" else "have 0") in str(e)
    a = Accumulator(labels=range(K))
    a.update(truth, top, rest=rest, sample_weight=weight)
    assert Accumulator.from_bytes(a.to_bytes()).evaluation().values() == a.evaluation().values()
    assert a.evaluation()["LogLoss"] == pytest.approx(whole["LogLoss"], rel=1e-9)


def test_evaluate_finds_the_classes_and_refuses_what_it_does_not_understand() -> None:
    e = karat.evaluate(["b", "c"], [{"a": 0.6, "b": 0.4}, {"c": 1.0}])
    assert e.classes == ("a", "b", "c")
    assert e["Acc"] == 0.5
    two = karat.evaluate(["ill", "well"], [{"ill": 1.0}, {"ill": 0.3, "well": 0.7}], positive="ill")
    assert (two.positive, two["recall"]) == ("ill", 1.0)
    for given, words in (
        ({"y_true": ["b", "c"], "y_proba": [{"b": 0.4}, {"c": 1.0}]}, "sum to 0.4; choose rest='even'"),
        ({"y_true": ["b", "c"], "y_proba": [{"b": 0.4, "c": 0.4}] * 2}, "all classes are listed.*sum to 0.8"),
        ({"y_true": ["b", None], "y_proba": [{"b": 1.0}] * 2}, "missing value at case 1"),
        ({"y_true": ["b"], "y_proba": [{"b": 1.0}] * 2}, "1 true labels and 2 rows"),
        ({"y_true": ["b", "b"], "y_proba": [{"b": 1.0}, {"b": "much"}]}, "no numbers"),
        ({"y_true": ["b", "b"], "y_proba": [{"b": 1.0}, {"a": 0.9, "b": 0.4}]}, r"row 1 .* sum to 1.3"),
        ({"y_true": ["b"], "y_proba": [{"b": 1.0}], "y_pred": ["b"]}, "y_pred= can't be given"),
        ({"y_true": [0, 1], "y_proba": [0.2, 0.9], "rest": "even"}, "leave it out"),
        ({"y_true": [0], "y_proba": (np.array([[0]]), np.array([[1.0]]))}, "places of classes don't tell"),
    ):
        with pytest.raises(InputError, match=words):
            karat.evaluate(**given)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    import pyarrow.parquet as pq

    truth, top, _ = rows()
    lists = {"class": [list(row) for row in top], "p": [list(row.values()) for row in top]}
    maps = {"top": pa.array([list(row.items()) for row in top], pa.map_(pa.int32(), pa.float64()))}
    pq.write_table(pa.table({"y_true": truth, **lists}), tmp_path / "lists.parquet", row_group_size=100)
    pq.write_table(pa.table({"y_true": truth, **maps}), tmp_path / "maps.parquet", row_group_size=100)
    order = np.argsort([min(row) for row in top], kind="stable")  # classes that the first rows do not have
    lines = [json.dumps({"y_true": int(truth[i]), "top": top[i], "site": int(i % 2)}) for i in order]
    (tmp_path / "lines.jsonl").write_text("\n".join(lines) + "\n")
    return tmp_path


@pytest.mark.parametrize(
    ("file", "proba"),
    [("lists.parquet", "p,class"), ("maps.parquet", "top"), ("maps.parquet", "p_"), ("lines.jsonl", "top")],
)
def test_files_list_them_too(folder: Path, file: str, proba: str) -> None:
    truth, top, _ = rows()
    whole = karat.evaluate(truth, filled(top, "even"), labels=range(K))
    a = karat.accumulate(folder / file, proba=proba, rest="even", workers=2)
    assert a.rows == N
    for symbol in ("Acc", "MCC", "LogLoss", "BrierLoss", "ECE"):
        assert a.evaluation()[symbol] == pytest.approx(whole[symbol], rel=1e-9), symbol


def test_classes_that_only_late_lines_of_json_have_are_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from karat.accumulation import dataset_files

    monkeypatch.setattr(dataset_files, "LINES", 50)
    truth, top, _ = rows()
    half = np.flatnonzero(np.arange(N) % 2 == 1)
    a = karat.accumulate(folder / "lines.jsonl", rest="scaled", labels=range(K), where="site = 1")
    whole = karat.evaluate(truth[half], filled(top, "scaled")[half], labels=range(K))
    assert a.evaluation()["LogLoss"] == pytest.approx(whole["LogLoss"], rel=1e-9)


def test_a_file_says_what_was_supposed_and_where_something_is_wrong(folder: Path, run: Any) -> None:
    shown = run("evaluate", str(folder / "maps.parquet"), "--rest", "even")
    assert "the others share the rest evenly" in shown
    assert "--exact" not in shown
    told = run("evaluate", str(folder / "maps.parquet"), "--proba", "top", code=2)
    assert "say with --rest what the others have" in told
    import pyarrow as pa
    import pyarrow.parquet as pq

    truth, top, _ = rows()
    broken = [list(row.items()) for row in top]
    broken[123] = [(0, 0.9), (1, 0.4)]
    table = pa.table({"y_true": truth, "top": pa.array(broken, pa.map_(pa.int32(), pa.float64()))})
    pq.write_table(table, folder / "broken.parquet", row_group_size=100)
    told = run("evaluate", str(folder / "broken.parquet"), "--rest", "even", code=2)
    assert "row group 1, row 123 (the first is 0): the listed probabilities sum to 1.3" in told
    counted = karat.accumulate(folder / "broken.parquet", rest="even", on_error="count")
    assert (counted.rows, counted.skipped.rows) == (N - 1, 1)
    for options in ({"by": "y_true"}, {"exact": True}, {"paired": True}, {"pred": "y_pred"}, {"rest": "none"}):
        with pytest.raises(InputError, match=r"leave|one of even"):
            karat.accumulate(folder / "maps.parquet", **{"rest": "even", **options})
    with pytest.raises(InputError, match="name them with proba="):
        karat.accumulate(folder / "lists.parquet", rest="even")


def test_everything_works_from_them_or_says_what_it_needs(tmp_path: Path) -> None:
    from karat.intervals.interval import METHODS

    truth, top, _ = rows()
    e = karat.evaluate(truth, top, labels=range(K), rest="even")

    def answer(function: Any) -> Any:
        try:
            return function()
        except InputError as refusal:
            return str(refusal)

    known = [
        m for m in karat.catalogue.measures.values() if np.isfinite(e.value_or_nan(m)) or not e.undefined_because(m)
    ]
    assert all(np.isfinite(e.value_or_nan(m)) for m in known)
    assert len(known) > 50
    made = {n for n in karat.catalogue.diagrams if not isinstance(answer(lambda n=n: e.diagram(n, positive=1)), str)}
    assert {"confusion_matrix", "entropy_triangle"} <= made
    for method in METHODS:
        ends = e.intervals(["Acc", "MCC", "LogLoss", "AUNU"], method=method, replicates=50)
        assert all(np.isfinite(i.low) or i.reason for i in ends.values()), method
        assert not any("exact" in i.reason for i in ends.values())  # which is refused of listed classes
    for text in (e.summary(), e.to_markdown(), e.to_json(), repr(e.per_class()), repr(e.findings())):
        assert text
    assert e.to_dict()["supposed"] == "the others share the rest evenly"
    answer(e.operating)
    e.report(tmp_path / "page.html")
    for refused in (lambda: karat.compare({"a": e, "b": e}), lambda: e.by(truth)):
        assert "exact" not in answer(refused)
    refusals = [answer(lambda n=n: e.diagram(n, positive=1)) for n in karat.catalogue.diagrams]
    refusals += [e.undefined_because(m) for m in karat.catalogue.measures.values()]
    refusals += [e.summary(), repr(e.findings())]
    assert not any("exact" in one for one in refusals if isinstance(one, str))


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('{"y_true": "b", "top": {"b": 0.6,', "line 40,001 of .*lines.jsonl is not a record of JSON; give one record"),
        ("[1, 2]", "line 40,001 of .*lines.jsonl is not a record of JSON"),
        ('{"y_true": 3, "top": {"b": 0.5}}', "column 'y_true' of .*lines.jsonl holds values of several kinds"),
        ('{"y_true": "b", "top": 0.5}', "column 'top' of .*lines.jsonl holds values of several kinds"),
        ('{"y_true": "b", "top": {"b": "x"}}', "column 'top' of .* or {class: p} with numbers, in every record"),
    ],
)
def test_a_wrong_line_far_down_is_told_in_words(tmp_path: Path, line: str, words: str) -> None:
    """Below what Arrow looks at to learn the columns."""
    path = tmp_path / "lines.jsonl"
    path.write_text('{"y_true": "a", "top": {"a": 0.7, "b": 0.2}}\n' * 40_000 + line + "\n")
    with pytest.raises(karat.InputError, match=words):
        karat.accumulate(path, rest="even")


def test_a_report_of_very_many_classes_has_the_worst_confusions(tmp_path: Path) -> None:
    """Every measure has a value or a reason, and no table of all classes is made."""
    import json
    import re

    k, rng = 100_000, np.random.default_rng(0)
    truth = rng.integers(0, k, 3000)
    truth[:40] = 77
    top = [{int(c): 0.7} for c in truth]
    for row in top[:40]:
        row |= {77: 0.1, 99_000: 0.8}
    e = karat.evaluate(truth, top, labels=range(k), rest="even")
    for measure in karat.catalogue.measures.values():
        assert np.isfinite(e.value_or_nan(measure)) or e.undefined_because(measure), measure.symbol
    assert e["AccRelabel"] >= e["Acc"] == pytest.approx(2960 / 3000, abs=2e-3)
    with pytest.raises(InputError, match=r"100,000 by 100,000 classes would take 80 GB"):
        e.diagram("confusion_matrix")
    e.report(tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert len(text) < 6e6
    (found,) = re.findall(r'"confusion":\s*(\[\{"model":0.*?\}\])', text)
    (worst,) = json.loads(found)
    assert {77, 99_000} <= set(worst["rows"])
    assert worst["cells"][worst["rows"].index(77)][worst["columns"].index(99_000)] == 40


def test_cells_that_are_not_empty_are_enough() -> None:
    """Against whole tables: the measures that look at cells, and the classes that are mixed up most."""
    from karat.diagrams import ConfusionMatrix
    from karat.measures.lookup import find
    from karat.page.confused_classes import cells_of, mixed_up, part_of
    from karat.statistics import Counts

    rng = np.random.default_rng(1)
    for k, extra in ((2, 0), (3, 1), (8, 0), (8, 2)):
        for density in (0.2, 0.9):
            table = np.round(rng.exponential(5, (k, k + extra))) * (rng.random((k, k + extra)) < density)
            table[0, 0] += 1
            whole, cells = Counts(table), cells_of(Counts(table))
            for symbol in ("AccRelabel", "CEN_offdiagonal", "rCEN_offdiagonal", "MCEN", "CEN_j"):
                formula = find(symbol).function
                with np.errstate(all="ignore"):
                    np.testing.assert_allclose(formula(cells), formula(whole), rtol=1e-12, err_msg=symbol)
            names = tuple(range(k)), tuple(range(k + extra))
            for number in (1, 2, k):
                expected = ConfusionMatrix.compute((table, *names), top=number)
                assert tuple(mixed_up(cells, number)) == expected.classes
                assert np.array_equal(part_of(cells, [*expected.classes], [*expected.outputs]), expected.counts)


def test_very_many_classes_without_any_error() -> None:
    k, y = 100_000, np.random.default_rng(0).integers(0, 100_000, 500)
    a = karat.Accumulator(labels=range(k))
    a.update(y, [{int(c): 0.8, int((c + 1) % k): 0.1} for c in y], rest="even")
    a.evaluation().summary()
    ends = a.evaluation().intervals()
    assert ends["Acc"].low > 0.99
    for symbol, one in ends.items():
        assert one.reason or np.isfinite([one.low, one.high]).all(), symbol
