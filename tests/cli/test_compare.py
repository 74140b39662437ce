"""`karat compare` on files: models are joined by the column that --id names, and what is printed says how they were
paired."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import karat

OPTIONS = ("--measures", "Acc,MCC,LogL", "--replicates", "99", "--positive", "b")
BY_ROW = "Paired by row, as no ids were given"
N = 60


def write(path: Path, rows: list[dict[str, Any]]) -> Path:
    lines = [",".join(rows[0]), *(",".join(map(str, row.values())) for row in rows)]
    path.write_text("\n".join(lines) + "\n")
    return path


def rows_of(seed: int, clear: float) -> list[dict[str, Any]]:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, N)
    shared = rng.normal(0, 1, N)
    p = 1 / (1 + np.exp(-(clear * (2 * truth - 1) + shared + np.random.default_rng(seed).normal(0, 0.4, N))))
    return [
        {"id": f"{7 * i:03d}", "y_true": "ab"[t], "p_a": 1 - x, "p_b": x}
        for i, (t, x) in enumerate(zip(truth, p.round(6).tolist(), strict=True))
    ]


def shuffled_within_classes(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """So that the truth looks the same, row by row."""
    rng = np.random.default_rng(5)
    left = {c: rng.permutation([i for i, row in enumerate(rows) if row["y_true"] == c]).tolist() for c in "ab"}
    return [rows[left[row["y_true"]].pop()] for row in rows]


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    one, two = rows_of(1, 1.0), rows_of(2, 0.6)
    (tmp_path / "shuffled").mkdir()
    return {
        "one": write(tmp_path / "one.csv", one),
        "two": write(tmp_path / "two.csv", two),
        "shuffled": write(tmp_path / "shuffled" / "two.csv", shuffled_within_classes(two)),
    }


def test_shuffled_files_are_joined(files: dict[str, Path], told: Any, run: Any) -> None:
    expected = told("compare", files["one"], files["two"], *OPTIONS)
    assert expected["pairing"] == "by row, as no ids were given"
    for command in ("compare", "report"):  # the truths are the same, row by row; the ids are not
        refusal = run(command, files["one"], files["shuffled"], "--positive", "b", code=2)
        assert "one and two would be paired by row, but their columns 'id' differ (row 0: " in refusal
        assert "pass --id id to pair them by it." in refusal
    by_id = told("compare", files["one"], files["shuffled"], *OPTIONS, "--id", "id")
    assert by_id["pairing"] == "by id"
    assert by_id | {"pairing": ""} == expected | {"pairing": ""}
    text = run("compare", files["one"], files["shuffled"], *OPTIONS, "--id", "id")
    assert "\nPaired by id.\n" in text


def test_what_is_printed_says_that_ids_are_there(files: dict[str, Path], run: Any, tmp_path: Path) -> None:
    text = run("compare", files["one"], files["two"], *OPTIONS)
    assert f"\n{BY_ROW} (--id id: by the column 'id').\n" in text
    bare = [{k: v for k, v in row.items() if k != "id"} for row in rows_of(1, 1.0)]
    assert f"\n{BY_ROW}.\n" in run("compare", files["one"], write(tmp_path / "bare.csv", bare), *OPTIONS)


def test_models_of_one_file_are_joined_too(files: dict[str, Path], told: Any, run: Any, tmp_path: Path) -> None:
    expected = told("compare", files["one"], files["two"], *OPTIONS)
    both = [{"model": "one"} | row for row in rows_of(1, 1.0)]
    both += [{"model": "two"} | row for row in shuffled_within_classes(rows_of(2, 0.6))]
    path = write(tmp_path / "both.csv", both)
    assert told("compare", path, *OPTIONS, "--id", "id")["pairs"] == expected["pairs"]
    assert "one and two would be paired by row, but their columns 'id' differ" in run("compare", path, *OPTIONS, code=2)
    ordered = write(
        tmp_path / "ordered.csv",
        [{"model": m} | row for m, s, c in (("one", 1, 1.0), ("two", 2, 0.6)) for row in rows_of(s, c)],
    )
    assert f"{BY_ROW} (--id id: by the column 'id')." in run("compare", ordered, *OPTIONS)


def test_other_commands_join_and_check_too(files: dict[str, Path], told: Any, run: Any, tmp_path: Path) -> None:

    def page(*words: Any) -> str:
        run("report", *words, "--replicates", "20", "-o", tmp_path / "page.html")
        return (tmp_path / "page.html").read_text(encoding="utf-8")

    expected = page(files["one"], files["two"]).replace("by row, as no ids were given", "by id")
    assert page(files["one"], files["shuffled"], "--id", "id") == expected
    named = {"--id": "id", "--positive": "b"}
    words = [word for option in named.items() for word in option]
    plots = [told("plot", "roc_curve", files["one"], files[other], *words) for other in ("two", "shuffled")]
    assert plots[0] == plots[1]
    assert told("evaluate", files["two"], *words) == told("evaluate", files["two"], "--positive", "b")
    assert told("gate", files["shuffled"], "--id", "id", "--require", "Acc>=0.1")["passed"] is True


def test_refusals(files: dict[str, Path], run: Any, tmp_path: Path) -> None:
    rows = rows_of(2, 0.6)
    fewer, other = write(tmp_path / "fewer.csv", rows[:-6]), [dict(row) for row in rows]
    for row in other[:7]:
        row["id"] = f"x{row['id']}"
    foreign = write(tmp_path / "foreign.csv", other)
    doubled = write(tmp_path / "doubled.csv", [*rows, *rows[:6]])
    lost = write(tmp_path / "lost.csv", [row | {"id": "" if i in (2, 5) else row["id"]} for i, row in enumerate(rows)])
    turned = write(tmp_path / "turned.csv", [row | {"y_true": "ab"[row["y_true"] == "a"]} for row in rows])

    def refusal(*words: Any) -> str:
        return str(run(*words, "--id", "id", code=2))

    lacking = "fewer lacks the ids '378', '385', '392', '399', '406' and 1 more of one; give all models the same cases."
    drawn = (("report",),)
    for command in (("compare",), *drawn, ("plot", "roc_curve")):
        assert lacking in refusal(*command, files["one"], fewer)
    message = refusal("compare", files["one"], foreign)
    assert "foreign lacks the ids '000', '007', '014', '021', '028' and 2 more of one" in message
    assert "foreign has the ids 'x000', 'x007', 'x014', 'x021', 'x028' and 2 more, which one lacks" in message
    assert "ids are not unique: '000', '007', '014', '021', '028' and 1 more" in refusal("evaluate", doubled)
    assert (
        "lost.csv: ids are missing in 2 of 60 rows (counted from 0: 2, 5); give every case an id, or leave --id "
        in (refusal("gate", lost, "--require", "Acc>=0"))
    )
    message = refusal("compare", files["one"], turned)
    assert "one and turned have different y_true for the ids '000', '007', '014', '021', '028' and 55 more" in message
    assert "has no column 'case', which --id names" in run("compare", files["one"], fewer, "--id", "case", code=2)
    matrix = tmp_path / "matrix.csv"
    matrix.write_text("truth,a,b\na,3,1\nb,1,3\n")
    assert "is a confusion matrix, whose cases have no ids" in refusal("evaluate", matrix)


# ------------------------------------------------------------------------------------------- what can be asked for

PLAIN = ("--measures", "LogL", "--positive", "b")


def difference(facts: Any, symbol: str = "LogL") -> Any:
    return facts["pairs"][0]["differences"][symbol]


def test_groups_are_a_column(files: dict[str, Path], told: Any, run: Any, tmp_path: Path) -> None:
    """Each case ten times, under the name of its patient: as much is known as of the cases alone, each a group."""
    once = [rows_of(1, 1.0)[:12], rows_of(2, 0.2)[:12]]
    ten = [
        write(tmp_path / f"{name}.csv", [row | {"patient": row["id"]} for row in rows for _ in range(10)])
        for name, rows in zip(("one", "two"), once, strict=True)
    ]
    one = [write(tmp_path / f"{name}_once.csv", rows) for name, rows in zip(("one", "two"), once, strict=True)]
    alone, copied = told("compare", *one, *PLAIN, "--groups", "id"), told("compare", *ten, *PLAIN)
    grouped = told("compare", *ten, *PLAIN, "--groups", "patient")
    assert difference(copied)["p"] < difference(alone)["p"] / 2
    assert difference(grouped)["p"] == pytest.approx(difference(alone)["p"], rel=1e-6)
    assert difference(grouped)["high"] == pytest.approx(difference(alone)["high"], rel=0.02)  # t of as many
    assert "has no column 'doctor', which --groups names" in run("compare", *ten, "--groups", "doctor", code=2)
    other = [row | {"patient": 7} for row in once[1] for _ in range(10)]
    refused = run("compare", ten[0], write(tmp_path / "other.csv", other), "--groups", "patient", code=2)
    assert "the files have different groups, row by row" in " ".join(refused.split())


def test_a_case_is_in_one_group(run: Any, tmp_path: Path) -> None:
    """Whatever the order of the files: the same id has the same group, and the same value of any column of --by."""
    one = [row | {"patient": i // 4} for i, row in enumerate(rows_of(1, 1.0))]
    two = [row | {"patient": i // 4} for i, row in enumerate(rows_of(2, 0.2))]
    for i in (1, 5, 9, 13, 17, 21, 25):
        two[i]["patient"] = 99
    paths = [write(tmp_path / "one.csv", one), write(tmp_path / "turned.csv", two[::-1])]
    words = (
        "one and turned have different values of 'patient' for the ids '007', '035', '063', '091', '119' and 2 more; a "
        "case has one value: correct it or --id."
    )
    page = ("-o", tmp_path / "page.html", "--no-intervals")
    for command in (("compare", *paths, *PLAIN, "--groups"), ("compare", *paths, *PLAIN, "--by")):
        assert words in " ".join(run(*command, "patient", "--id", "id", code=2).split())
    refused = run("report", *paths, "--groups", "patient", "--id", "id", *page, code=2)
    assert words in " ".join(refused.split())
    right = write(tmp_path / "right.csv", [row | {"patient": i // 4} for i, row in enumerate(rows_of(2, 0.2))][::-1])
    run("compare", paths[0], right, *PLAIN, "--groups", "patient", "--id", "id")
    fewer = write(tmp_path / "fewer.csv", two[2:5])  # whose cases are missing is said first
    said = run("compare", paths[0], fewer, *PLAIN, "--groups", "patient", "--id", "id", code=2)
    assert "fewer lacks the ids '000', '007'" in said


def test_a_case_has_one_weight(run: Any, tmp_path: Path) -> None:
    one, two = ([row | {"weight": 1 + i % 3} for i, row in enumerate(rows_of(s, 1.0))] for s in (1, 2))
    two[4]["weight"] = 7
    paths = [write(tmp_path / "one.csv", one), write(tmp_path / "two.csv", two[::-1])]
    said = run("compare", *paths, *PLAIN, "--id", "id", code=2)
    assert "one and two have different weights; a case has one weight, whoever predicts it" in said


def test_sides_margins_and_methods(files: dict[str, Path], told: Any, run: Any) -> None:
    two = files["one"], files["two"]
    plain = difference(told("compare", *two, *PLAIN))
    less = difference(told("compare", *two, *PLAIN, "--alternative", "less"))
    assert less["p"] == pytest.approx(plain["p"] / 2 if plain["difference"] < 0 else 1 - plain["p"] / 2)
    assert less["low"] is None  # no end
    better = told("compare", *two, *PLAIN, "--alternative", "better")
    assert difference(better)["p"] == less["p"]
    assert better["alternative"] == "better"
    for words in (".3", "LogL=.3"):
        d = difference(told("compare", *two, *PLAIN, "--margin", words))
        assert d["margin"] == 0.3
        assert d["noninferior"] is True
        assert d["p_noninferior"] < less["p"]  # worse by .3 is farther than worse at all
    assert "is not a number; write --margin 0.02" in run("compare", *two, "--margin", "x", code=2)
    assert "names no measure" in " ".join(run("compare", *two, "--margin", ".1", "--margin", "MCC=1", code=2).split())
    bca, exchange = (difference(told("compare", *two, *PLAIN, "--method", m)) for m in ("bca", "exchange"))
    assert "BCa" in bca["method"]
    assert exchange["method"] not in (plain["method"], bca["method"])
    assert difference(told("compare", *two, *PLAIN, "--test", "permutation")) == exchange
    assert "method is 'guess'" in run("compare", *two, "--method", "guess", code=2)


def test_classes_and_models_on_different_cases(files: dict[str, Path], told: Any, run: Any, tmp_path: Path) -> None:
    two = files["one"], files["two"]
    facts = told("compare", *two, "--measures", "F1,Acc", "--classes")
    assert list(facts["pairs"][0]["differences"]) == ["F1[a]", "F1[b]", "Acc"]
    fewer = write(tmp_path / "fewer.csv", rows_of(2, 0.2)[:50])
    facts = told("compare", files["one"], fewer, *PLAIN, "--unpaired")
    assert difference(facts)["method"] != difference(told("compare", *two, *PLAIN))["method"]
    assert facts["findings"] is None
    text = run("compare", files["one"], fewer, *PLAIN, "--unpaired")
    assert text.startswith("2 models, each model with cases of its own\n")
    told("compare", *two, *PLAIN, "--stratified")


def test_the_table_says_what_was_corrected(files: dict[str, Path], run: Any, told: Any, tmp_path: Path) -> None:
    three = files["one"], files["two"], write(tmp_path / "three.csv", rows_of(3, 0.6))
    how = ("compare", *three, "--measures", "LogL,CalB", "--positive", "b")
    assert "(significant: p ≤ 0.05, corrected (Holm) over 3 pairs of models)" in run(*how)
    text, facts = " ".join(run(*how, "--details").split()), told(*how)
    assert f"Tests. {facts['corrections']} {difference(facts)['method']}: LogL" in text
    assert "CalB (one, two), CalB (one, three) and CalB (two, three): " in text
    assert "bootstrap" not in text


def test_values_by_convention_are_marked(run: Any, tmp_path: Path) -> None:
    paths = []
    for name, last in (("a", 0.1), ("b", 0.9), ("c", 0.1)):
        paths.append(tmp_path / f"{name}.csv")
        rows = [f"{i // 5},{last if i == 9 else 0.1}" for i in range(10)]
        paths[-1].write_text("\n".join(["y_true,p_1", *rows]) + "\n")
    never = "by convention 0 where the class was never predicted, its formula being 0/0."
    text = run("compare", *paths[:2], "--measures", "precision,MCC")
    assert "0.000†" in text
    assert f"† Precision (a): {never}" in " ".join(text.split())
    several = " ".join(run("compare", *paths, "--measures", "precision,MCC").split())
    assert several.count("0.000†") + several.count("0.000~†") == 4
    assert f"† Precision (a and c): {never}" in several


def test_models_on_different_cases_are_told_the_ways_out(run: Any, tmp_path: Path) -> None:
    a, b = write(tmp_path / "a.csv", rows_of(1, 1.0)), write(tmp_path / "b.csv", rows_of(2, 0.8)[:50])
    said = run("compare", a, b, *OPTIONS, code=2)
    assert "60 and 50 cases" in said
    assert "--id" in said
    assert "--unpaired" in said
    assert "leave out --groups and --id" in run("compare", a, b, *OPTIONS, "--unpaired", "--id", "id", code=2)
    assert "each model with cases of its own" in run("compare", a, b, *OPTIONS, "--unpaired")
    said = run("report", a, b, "--positive", "b", "-o", tmp_path / "page.html", code=2)  # which has no such option
    assert (
        "60 and 50 cases; give predictions of the same cases in the same order, or the id of each case (--id)." in said
    )
    models = {n: karat.evaluate(np.arange(n) % 2, np.linspace(0, 1, n)) for n in (60, 50)}
    with pytest.raises(karat.InputError, match=r"or the id of each case \(ids=\)\.$"):
        karat.findings_of(models)


def test_findings_do_not_contradict_a_verdict_of_three_cases(run: Any, tmp_path: Path) -> None:
    rows = [{"y_true": t, "p_b": p} for t, p in (("b", 0.9), ("a", 0.1), ("b", 0.8))]
    other = [{**row, "p_b": p} for row, p in zip(rows, (0.6, 0.4, 0.55), strict=True)]
    said = run("compare", write(tmp_path / "a.csv", rows), write(tmp_path / "b.csv", other), "--positive", "b")
    assert "too few cases" in said
    assert "are better" not in said


def test_a_difference_without_an_interval_says_why(run: Any, tmp_path: Path) -> None:
    rows = [{"y_true": "ab"[i % 2], "y_pred": "ab"[i % 2]} for i in range(40)]
    other = [row | {"y_pred": "a"} if i in (1, 3, 5) else row for i, row in enumerate(rows)]
    files = [write(tmp_path / f"{name}.csv", part) for name, part in (("one", rows), ("two", other))]
    text = " ".join(run("compare", *files, "--measures", "Acc", "--positive", "b").split())
    why = "just one of the models is correct on 3 cases (or groups) only, so p can't be below 0.250."
    assert f"- Accuracy: no interval: {why}" in text
    assert text.count(why) == 1


def test_intervals_beside_corrected_p_values_are_labelled(files: dict[str, Path], run: Any, tmp_path: Path) -> None:
    three = write(tmp_path / "three.csv", rows_of(3, 0.8))
    label = "95 % intervals are of each difference alone, without correction."
    two = (files["one"], files["two"], *OPTIONS)
    for options in ((), ("--pairs",), ("--details",), ("--details", "--pairs")):
        assert " ".join(run("compare", *two, *options).split()).count(label) == 1, options
    several = " ".join(run("compare", *two[:2], three, *OPTIONS, "--pairs").split())
    assert several.count(label) == 1
    assert "McNemar's and DeLong's tests are not corrected." in several
    one_test = " ".join(run("compare", *two[:2], "--measures", "MCC", "--positive", "b").split())
    assert label not in one_test


def test_finalists_are_corrected_for_the_models_that_they_were_chosen_from(files: dict[str, Path], told: Any) -> None:
    alone, chosen = (told("compare", files["one"], files["two"], *PLAIN, *more) for more in ((), ("--among", "20")))
    assert difference(alone)["familywise"] == difference(alone)["p"]
    assert difference(chosen)["familywise"] == pytest.approx(min(190 * difference(alone)["p"], 1))
