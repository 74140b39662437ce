"""Groups and courses of cases that were accumulated: a state for each group, added up."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import karat
from karat.accumulation.group_states import _is_time
from karat.core.errors import InputError

EXACT = ("Acc", "Recall", "Precision", "MCC", "LogLoss", "BrierLoss", "ECE")
N = 1500


def cases(seed: int = 0, n: int = N) -> dict[str, Any]:
    """Labels, probabilities, sites (one missing), ages, and days of ten weeks."""
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.35).astype(int)
    p = 1 / (1 + np.exp(-(rng.normal(size=n) + 1.8 * y - 1)))
    site = np.array([*rng.choice(["007", "north", "south"], n - 1), None], object)
    day = np.datetime64("2026-01-05") + rng.integers(0, 70, n)
    return {"y": y, "p": p, "site": site, "age": rng.integers(20, 90, n), "day": day}


def taken_in(c: dict[str, Any], parts: int, names: tuple[str, ...] = ("site", "age"), **options: Any) -> Any:
    """An accumulator of these, in parts."""
    a = karat.Accumulator(**options)
    for rows in np.array_split(np.arange(len(c["y"])), parts):
        a.update(c["y"][rows], c["p"][rows], by={name: c[name][rows] for name in names})
    return a


@pytest.mark.parametrize("exact", [True, False])
def test_groups_are_those_of_all_cases_at_once(exact: bool) -> None:
    c = cases()
    whole = karat.evaluate(c["y"], c["p"], by={"site": c["site"], "age": c["age"]})
    e = taken_in(c, 4, exact=exact).evaluation()
    for name in ("site", "age"):
        mine, theirs = e.by(name), whole.by(name)
        assert (mine.groups, mine.cases, mine.note) == (theirs.groups, theirs.cases, theirs.note)
        for symbol in EXACT:
            assert mine[symbol].value == pytest.approx(theirs[symbol].value, abs=1e-12, nan_ok=True)
            assert mine[symbol].difference == pytest.approx(theirs[symbol].difference, abs=1e-12, nan_ok=True)
        assert mine["AUC"].value == pytest.approx(theirs["AUC"].value, abs=1e-12 if exact else 1e-4, nan_ok=True)
        assert mine["Recall"].low == pytest.approx(theirs["Recall"].low, abs=1e-12, nan_ok=True)
    crossed = e.by(["site", "age"], cross=True)
    assert crossed.cases == whole.by(["site", "age"], cross=True).cases
    assert e["Acc"] == pytest.approx(whole["Acc"], abs=1e-12)


def test_gaps_without_rows() -> None:
    c = cases(1)
    whole, e = karat.evaluate(c["y"], c["p"]), taken_in(c, 3, exact=False).evaluation()
    g = whole.by(c["site"])
    for kind in ("difference", "worst"):
        mine, theirs = e.by("site").gap("recall", kind), g.gap("recall", kind)
        assert (mine.value, mine.low, mine.high, mine.p) == pytest.approx(
            (theirs.value, theirs.low, theirs.high, theirs.p), abs=1e-12
        )  # tables are enough to permute labels
    gap = e.by("site").gap("log_loss")
    assert gap.p != gap.p
    assert "needs the cases" in gap.reason
    assert gap.value == pytest.approx(g.gap("log_loss").value, abs=1e-12)
    assert gap.low < gap.value < gap.high


@pytest.mark.parametrize("exact", ["auto", False])
def test_bytes_and_sums(exact: Any) -> None:
    c = cases(2)
    halves = [{k: x[rows] for k, x in c.items()} for rows in np.array_split(np.arange(N), 2)]
    one, other = (taken_in(half, 2, exact=exact) for half in halves)
    both = karat.Accumulator.from_bytes(one.to_bytes()) + karat.Accumulator.from_bytes(other.to_bytes())
    direct = taken_in(c, 1, exact=exact)
    assert both.rows == N
    for symbol in ("Acc", "LogLoss", "AUC"):
        mine, theirs = (a.evaluation().by("site")[symbol].value for a in (both, direct))
        assert mine == pytest.approx(theirs, abs=1e-12, nan_ok=True)
    damaged = bytearray(one.to_bytes())
    damaged[-40] ^= 1
    with pytest.raises(InputError, match="damaged"):
        karat.Accumulator.from_bytes(bytes(damaged))


def test_several_classes_weights_and_models() -> None:
    rng = np.random.default_rng(3)
    n = 400
    y, site = rng.integers(0, 3, n), rng.choice(["a", "b"], n)
    models = {name: rng.dirichlet([1, 1, 1], n) for name in ("one", "two")}
    weight = rng.integers(1, 4, n).astype(float)
    a = karat.Accumulator(exact=False)
    for rows in np.array_split(np.arange(n), 3):
        parts = {name: p[rows] for name, p in models.items()}
        a.update(y[rows], parts, sample_weight=weight[rows], by=site[rows])
    for name, e in a.evaluations().items():
        g = karat.evaluate(y, models[name], sample_weight=weight).by(site)
        for symbol in ("Acc", "MAvA", "LogLoss"):
            assert e.by("group")[symbol].value == pytest.approx(g[symbol].value, abs=1e-12)


@pytest.mark.parametrize("exact", ["auto", False])
def test_a_course_without_rows(exact: Any) -> None:
    c = cases(4)
    late = c["day"] >= np.datetime64("2026-02-16")
    c["p"] = np.where(late, np.random.default_rng(0).permutation(c["p"]), c["p"])
    whole = karat.evaluate(c["y"], c["p"]).over(c["day"], measures=["Acc", "AUC", "LogLoss"])
    course = taken_in(c, 3, ("site", "day"), exact=exact).evaluation().over("day", measures=["Acc", "AUC", "LogLoss"])
    assert (course.periods, course.cases) == (whole.periods, whole.cases)
    for symbol, mine in course.items():
        assert mine.value == pytest.approx(whole[symbol].value, abs=1e-12 if symbol != "AUC" else 1e-3)
        assert mine.changed == whole[symbol].changed == "2026-02-16"
        limits = [x for x in mine.limit_low if x == x]
        assert limits == pytest.approx([x for x in whole[symbol].limit_low if x == x], abs=0.02)


def test_what_does_not_go_together_is_refused() -> None:
    c = cases(5)
    a = taken_in(c, 1)
    for by in (None, {"site": c["site"]}):
        with pytest.raises(InputError, match="give the same columns each time"):
            a.update(c["y"], c["p"], by=by)
    with pytest.raises(InputError, match="site has 3 values and there are 1,500 cases"):
        a.update(c["y"], c["p"], by={"site": ["a", "b", "c"], "age": c["age"]})
    assert a.rows == N
    with pytest.raises(InputError, match="add up accumulators of the same columns"):
        a += taken_in(c, 1, ("site",))
    e = taken_in(c, 1, exact=False).evaluation()
    for wrong in (c["site"], "sight", ["site", "sight"], ["sight", "age"], ["site", 5], {"site": c["site"]}):
        with pytest.raises(InputError, match="columns that were taken in are 'site', 'age'"):
            e.by(wrong)
    with pytest.raises(InputError, match="pass by= where they are accumulated"):
        e.over(c["day"])


def test_ids_and_very_many_groups_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    c = cases(6)
    c["id"] = np.arange(N).astype(str)
    for exact in ("auto", False):
        e = taken_in(c, 2, ("id",), exact=exact).evaluation()
        with pytest.raises(InputError, match="id has 1,500 distinct values in 1,500 cases, nearly one for each"):
            e.by("id")
    monkeypatch.setattr("karat.accumulation.group_states.MOST_CELLS", 1000)
    with pytest.raises(InputError, match="id has 1,500 groups in 1,500 cases, and at most 1,000 can be accumulated"):
        taken_in(c, 1, ("id",))
    with pytest.raises(InputError, match=r"site and id make .* accumulate by fewer columns at a time"):
        taken_in(c, 1, ("site", "id"))


def test_groups_of_files_keep_their_codes(tmp_path: Path) -> None:
    """What a CSV file writes as 007 is no number, and what is a number in all files is one."""
    lines = ["y_true,p_1,code,size,when"]
    lines += [f"{i % 2},0.{i % 10},00{i % 3},{i % 5}.5,2026-03-0{1 + i % 9}T10:0{i % 7}" for i in range(120)]
    path = tmp_path / "predictions.csv"
    path.write_text("\n".join(lines))
    for exact in (True, False):
        e = karat.accumulate(path, by=["code", "size", "when"], exact=exact).evaluation()
        assert e.by("code").groups == ("000", "001", "002")
        assert e.by("size").groups == ("0.5", "1.5", "2.5", "3.5", "4.5")
        assert e.by("size", bins=2).note == "size was cut into 2 quantile bins, at 2.5"
        assert len(e.by("when").groups) == 9  # by day
        assert e.over("when", "day").cases == (14, 14, 14, 13, 13, 13, 13, 13, 13)
    with pytest.raises(InputError, match="there is no column 'nothing'"):
        karat.accumulate(path, by="nothing")


def test_rows_that_are_kept_stay_in_their_order() -> None:
    """They go to their groups when they are let go; sums of accumulators, and bytes, are those of all cases."""
    c = cases(7)
    a = taken_in(c, 5, ("site",))
    source = a.evaluation().statistics.source
    assert source.scores[0, :, 1].tolist() == c["p"].tolist()
    assert a.evaluation().by("site").cases == karat.evaluate(c["y"], c["p"], by=c["site"]).by().cases
    a.update(c["y"], c["p"], by={"site": c["site"]})
    assert karat.Accumulator.from_bytes(a.to_bytes()).evaluation()["AUC"] == a.evaluation()["AUC"]


def test_intervals_of_areas_of_small_groups_without_rows() -> None:
    """Of a strong model and few positive cases the logit interval covered 92 %; it is now the one that rows give, and a
    group with too few cases of a class has none."""
    rng = np.random.default_rng(8)
    site = np.repeat([f"s{i}" for i in range(6)], 200)
    y = (rng.random(1200) < 0.2).astype(int)
    y[site == "s5"] = np.arange(200) < 3
    p = 1 / (1 + np.exp(-(rng.normal(size=1200) + 2.9 * y - 1.5)))
    with_rows, without = (taken_in({"y": y, "p": p, "site": site}, 2, ("site",), exact=x) for x in (True, False))
    mine, theirs = (a.evaluation().by("site")["AUC"] for a in (without, with_rows))
    for end in ("low", "high"):
        assert getattr(mine, end)[:5] == pytest.approx(getattr(theirs, end)[:5], abs=0.008)
        assert np.isnan(getattr(mine, end)[5])
    assert mine.reason[5] == theirs.reason[5] == "a class has only 3 cases; at least 5 of each are needed"


def test_an_evaluation_of_groups_stays_what_it_was() -> None:
    c = cases(3)
    a = taken_in(c, 2, ("site",), exact=False)
    e = a.evaluation()
    before = e.by("site").cases
    a.update(c["y"], 1 - c["p"], by={"site": c["site"]})
    a.evaluation().by("site")
    e.statistics.computed.clear()
    again = e.by("site")
    assert again.cases == before
    assert sum(before) == e.n == N
    assert again["Acc"].value == pytest.approx(karat.evaluate(c["y"], c["p"]).by(c["site"])["Acc"].value, abs=1e-12)


@pytest.mark.parametrize("positive", [0, 1])
@pytest.mark.parametrize("digits", [None, 2, "some"])
def test_groups_whose_cells_are_stacked_are_those_of_each_alone(positive: int, digits: Any) -> None:
    """Groups of very different sizes, one of a single case, one of one class; with and without exact ties."""
    from karat.groups import stacked_cells
    from karat.measures.certified import certain_value
    from karat.measures.value import MeasureOf

    rng = np.random.default_rng(5)
    group = np.repeat(np.arange(6), [1, 9, 60, 3000, 2900, 700])
    y = rng.integers(0, 2, len(group))
    y[group == 5] = 1
    crowded = 0.3 + 1e-7 * rng.random(len(group))  # cells of several scores
    p = np.where(rng.random(len(group)) < 0.3, crowded, rng.random(len(group)) * 0.6 + 0.3 * y)
    if digits is not None:
        p = np.where(group < (9 if digits == 2 else 3), p.round(2), p)
    a = karat.Accumulator(exact=False, positive=positive)
    a.update(y, p if positive else 1 - p, by={"g": group})
    g = a.evaluation().by("g")
    stacks = stacked_cells.stacked_cells(g.parts)
    assert sorted(i for some, _ in stacks for i in some) == list(range(6))
    taken = set()
    for measure in karat.catalogue.measures.values():
        m = MeasureOf.on(measure, g.whole)
        with np.errstate(all="ignore"):
            if m.why_not(g.whole) or (found := stacked_cells.values_of_cells(m, 6, stacks)) is None:
                continue
            taken.add(measure.symbol)
            expected = [certain_value(m, part)[0] for part in g.parts]
        assert found == pytest.approx(expected, abs=1e-12, nan_ok=True), measure.symbol
    assert {"AUC", "AP", "Gini", "AUPRC", "KS"} <= taken


def test_many_grids_are_added_up_as_two_are() -> None:
    from functools import reduce
    from operator import add

    from karat.statistics import score_grid
    from karat.statistics.score_grid import ScoreGrid

    rng = np.random.default_rng(6)
    a = karat.Accumulator(exact=False)
    p = rng.random(4000) ** np.where(rng.random(4000) < 0.1, 90, 1)  # some next to 0
    a.update(rng.integers(0, 2, 4000), p, by={"g": rng.integers(0, 7, 4000)})
    grids = [part.source.added.grids[0] for part in a.evaluation().by("g").parts]
    for sparse in (score_grid.SPARSE, 10**9):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(score_grid, "SPARSE", sparse)
            for some in (grids, grids[:1], [grids[0], ScoreGrid.of_keys(np.empty(0, np.uint64))]):
                one, other = ScoreGrid.sum_of(some), reduce(add, some)
                for field in ("cell", "ends", "weight"):
                    assert np.array_equal(getattr(one, field), getattr(other, field)), field
                assert (one.cell.dtype, one.own) == (other.cell.dtype, other.own)


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("2026-03-31T10:15:00", True),
        ("2026-03-31 10:15", True),
        ("2026-03-31", False),  # a day alone
        ("2026-02-30T10:15", False),  # one that there is not
        ("2026-03-31T25:00", False),
        ("20260331T101500", False),
        ("2026", False),
        ("north", False),
        ("", False),
    ],
)
def test_a_text_is_a_time_of_a_day_if_there_is_one(text: str, is_one: bool) -> None:
    assert _is_time(text) == is_one
