"""A change over time is found in its week, none is claimed more often than stated, and dates are read or refused."""

from __future__ import annotations

import math
from datetime import date, datetime
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom, norm

import karat
from karat.changes.change_point import case_influences, steps
from karat.changes.period_limits import ReferenceCases, drawn_limits
from karat.changes.periods import dates_of, periods_of
from karat.measures.lookup import measures_named
from karat.measures.value import measures_of
from levels import keeps_its_level
from optional import pandas as pd

MONDAY = np.datetime64("2026-01-05")


def drawn(seed: int, n: int = 2000, weeks: int = 20, noise: float = 0.0, since: int = 12) -> tuple[Any, Any]:
    """Evaluation and dates; from a week on the scores are blurred."""
    rng = np.random.default_rng(seed)
    day = rng.integers(0, 7 * weeks, n)
    y = (rng.random(n) < 0.3).astype(int)
    x = rng.normal(size=n) + 2 * y - 1 + noise * (day >= 7 * since) * rng.normal(size=n)
    return karat.evaluate(y, 1 / (1 + np.exp(-(2 * x - 0.85)))), MONDAY + day


def test_a_change_is_found_and_its_week_is_named() -> None:
    e, dates = drawn(1, noise=1.5)
    c = e.over(dates, every="week")
    assert list(c) == ["MCC", "AUC", "LogLoss"]
    assert c.periods[0] == "2026-01-05"
    assert len(c.periods) == 20
    assert sum(c.cases) == e.n
    for one in c.values():
        assert one.changed in ("2026-03-23", "2026-03-30", "2026-04-06"), one.measure
        assert one.p < 0.01
    assert c["AUC"].after < c["AUC"].before
    assert "ROC AUC fell from 0.9" in c.verdict
    assert " in the week of 2026-03-" in c.verdict
    assert c["LogLoss"].outside


def test_values_are_those_of_the_weeks_alone() -> None:
    e, dates = drawn(2)
    y, p = e.statistics.source.cases.truth[0], e.statistics.source.cases.scores[0][:, 1]
    c = karat.course(e, dates, measures=["MCC", "AUC"])
    week = (dates - MONDAY).astype(int) // 7
    for i in (0, 7, 19):
        alone = karat.evaluate(y[week == i], p[week == i])
        assert c["MCC"].value[i] == pytest.approx(alone["MCC"], abs=1e-12)
        assert c["AUC"].value[i] == pytest.approx(alone["AUC"], abs=1e-12)
    at = c.periods.index("2026-03-02")
    assert c["AUC"].low[at] < c["AUC"].value[at] < c["AUC"].high[at]


def test_without_a_change_one_is_claimed_as_seldom_as_stated() -> None:
    changed, beyond = [], []
    for seed in range(60):
        e, dates = drawn(100 + seed, 800, 10)
        c = karat.course(e, dates, measures=["Acc", "AUC"], replicates=199)
        changed.append(any(one.changed for one in c.values()))
        beyond.append(bool(c["Acc"].outside))
    assert keeps_its_level(changed, 0.05)
    assert keeps_its_level(beyond, 0.05, exactly=False)


def test_the_largest_step_is_that_of_all_times() -> None:
    """Of a mean, by loops: the difference of the means before and after, in standard errors of random order."""
    rng = np.random.default_rng(3)
    x, place = rng.normal(size=300), np.sort(rng.integers(0, 8, 300))
    x[place >= 5] += 0.4
    sizes = {}
    for t in range(1, 8):
        old, new = x[place < t], x[place >= t]
        sizes[t] = abs(new.mean() - old.mean()) / (x.std() * math.sqrt(1 / len(old) + 1 / len(new)))
    found = steps({"x": x}, place, 8, 999, rng)["x"]
    assert found.place == max(sizes, key=sizes.__getitem__)
    assert found.size == pytest.approx(max(sizes.values()))
    apart = []
    for _ in range(2000):
        z = rng.permutation(x)
        ends = [np.searchsorted(place, t) for t in range(1, 8)]
        apart.append(max(abs(z[:i].mean() - z[i:].mean()) / (x.std() * math.sqrt(1 / i + 1 / (300 - i))) for i in ends))
    assert found.p == pytest.approx(np.mean(np.array(apart) >= found.size), abs=0.02)


def test_random_order_of_very_many_cases_is_normal(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(4)
    moves = {"x": rng.exponential(size=600), "y": rng.normal(size=600)}
    place = np.repeat(np.arange(6), 100)
    exact = steps(moves, place, 6, 1999, np.random.default_rng(0))
    monkeypatch.setattr("karat.changes.change_point.MANY", 10)
    normal = steps(moves, place, 6, 1999, np.random.default_rng(0))
    for name in moves:
        assert normal[name].size == exact[name].size
        assert normal[name].p == pytest.approx(exact[name].p, abs=0.05)


def test_influences_are_what_single_cases_move() -> None:
    e, _ = drawn(5, 300)
    cases = e.statistics.source.cases
    wanted = measures_of([karat.catalogue.measures[s] for s in ("Acc", "AUC", "LogLoss")], None, e.statistics)
    found = case_influences(cases, wanted, {m.key: e[m.key] for m in wanted})
    rows = np.arange(300)
    for i in (0, 17, 299):
        less = karat.Evaluation(cases.take(rows[rows != i]))
        for m in wanted:
            assert found[m.key][i] == pytest.approx(299 * (e[m.key] - less[m.key]), abs=1e-9)


def test_limits_of_a_mean_hold_so_many_new_means() -> None:
    rng = np.random.default_rng(6)
    right = rng.random(20_000) < 0.9
    y = np.tile([0, 1], 10_000)
    e = karat.evaluate(y, y_pred=np.where(right, y, 1 - y))
    (m,) = measures_of(measures_named(["accuracy"]), None, e.statistics)
    reference = ReferenceCases(e["accuracy"], right - right.mean(), len(y))
    low, high = drawn_limits(e.statistics.source.cases, m, reference, np.array([200]), 0.01, rng)
    exact = binom(200, right.mean())  # whose steps are 1/200 wide
    assert low[0] == pytest.approx(exact.ppf(0.005) / 200, abs=0.006)
    assert high[0] == pytest.approx(exact.ppf(0.995) / 200, abs=0.006)
    low, high = drawn_limits(e.statistics.source.cases, m, reference, np.array([9000]), 0.01, rng)
    error = math.sqrt(0.9 * 0.1 * (1 / 9000 + 1 / len(y)))
    assert (low[0], high[0]) == pytest.approx(e["accuracy"] + norm.ppf([0.005, 0.995]) * error, abs=3e-4)


@pytest.mark.parametrize(
    ("every", "labels"),
    [
        ("hour", ("2026-03-01 23:00", "2026-03-02 00:00", "2026-03-02 01:00")),
        ("day", ("2026-03-01", "2026-03-02")),
        ("week", ("2026-02-23", "2026-03-02")),
    ],
)
def test_periods(every: str, labels: tuple[str, ...]) -> None:
    p = periods_of(["2026-03-01T23:10", "2026-03-02T01:59:59Z"], every, 2)
    assert p.labels == labels
    assert p.place.tolist() == [0, len(labels) - 1]


def test_longer_periods() -> None:
    months = periods_of(["2025-11", "2026-02-28"], "month", 2)
    assert months.labels == ("2025-11", "2025-12", "2026-01", "2026-02")
    assert months.cases.tolist() == [1, 0, 0, 1]
    assert periods_of(["2025-11-30", "2026-02-28"], "quarter", 2).labels == ("2025-Q4", "2026-Q1")
    assert periods_of([date(2024, 12, 31), datetime(2026, 1, 1)], "year", 2).labels == ("2024", "2025", "2026")


@pytest.mark.parametrize(
    "dates",
    [
        lambda: ["2026-03-09", "2026-03-10"],
        lambda: np.array(["2026-03-09", "2026-03-10"], "datetime64[D]"),
        lambda: pd.Series(pd.to_datetime(["2026-03-09", "2026-03-10"])),
        lambda: pd.to_datetime(["2026-03-09", "2026-03-10"]).tz_localize("UTC"),
        lambda: [date(2026, 3, 9), date(2026, 3, 10)],
    ],
)
def test_dates_of_any_kind(dates: Any) -> None:
    assert dates_of(dates(), 2).astype("datetime64[D]").astype(str).tolist() == ["2026-03-09", "2026-03-10"]


E, DATES = drawn(7, 400)


@pytest.mark.parametrize(
    ("dates", "options", "words"),
    [
        (["yesterday"] * 400, {}, "'yesterday' in row 0 is not a date; write dates as 2026-03-09"),
        (["2026-03-09"] * 399 + ["09.03.2026"], {}, "'09.03.2026' in row 399 is not a date"),
        ([20260309] * 400, {}, "20260309 in row 0 is not a date"),
        (["2026-03-09"] * 399 + [None], {}, "dates has 1 missing value among 400"),
        (["2026-03-09"] * 399, {}, "dates has 399 values and there are 400 cases"),
        (["2026-03-09"] * 400, {}, "all cases are in one week (2026-03-09); choose a shorter period"),
        (["1900-01-01"] * 399 + ["2026-01-01"], {"every": "day"}, "the dates span 46,022 days"),
        (DATES, {"every": "fortnight"}, "every is 'fortnight'; it is one of hour, day, week, month, quarter, year"),
        (DATES, {"reference": 20}, "leaves 20 of 20 weeks for the reference"),
        (DATES, {"reference": "2026-01-05"}, "leaves 0 of 20 weeks for the reference"),
        (DATES, {"reference": "spring"}, "'spring' is not a date"),
        (DATES, {"replicates": 5}, "replicates is 5"),
        (DATES, {"freq": "W"}, "freq"),
    ],
)
def test_bad_input_is_refused_in_a_sentence(dates: Any, options: dict[str, Any], words: str) -> None:
    with pytest.raises(karat.InputError) as refused:
        karat.course(E, dates, **options)
    assert words in str(refused.value)


def test_what_has_no_cases_is_refused() -> None:
    with pytest.raises(karat.InputError, match="case by case"):
        karat.course(karat.evaluate_matrix([[5, 1], [1, 5]]), ["2026-03-09"])
    with pytest.raises(karat.InputError, match="needs an evaluation"):
        karat.course([0, 1], ["2026-03-09"])
    with pytest.raises(karat.InputError, match="positive"):
        karat.course(karat.evaluate(["a", "b"] * 9, y_pred=["a", "b"] * 9), ["2026-03-09"] * 9 + ["2026-04-09"] * 9,
                     measures="recall")  # fmt: skip


def test_what_can_t_be_tested_says_why() -> None:
    c = karat.course(E, DATES, measures=["ECE", "Acc"], reference="2026-02-02")
    assert c.reference == 4
    assert c["ECE"].reason == "no test of a change of ECE over time is known"
    assert math.isnan(c["ECE"].p)
    assert c["ECE"].value[3] > 0
    few = karat.course(karat.evaluate([0, 1, 0], y_pred=[0, 1, 1]), ["2026-03-09", "2026-03-16", "2026-03-23"])
    assert few["MCC"].reason.startswith("there are too few cases before and after any change")
    assert few.verdict == "No measure could be tested for a change."
    one_class = karat.course(
        karat.evaluate([0] * 60, [0.2, 0.3] * 30, labels=[0, 1]), ["2026-03-09", "2026-03-16"] * 30
    )
    assert one_class["AUC"].reason


def test_everything_of_a_record() -> None:
    c = karat.course(E, DATES, measures="accuracy")
    assert list(c.to_table().columns) == [
        "period", "cases", "value", "low", "high", "limit_low", "limit_high", "outside",
    ]  # fmt: skip
    assert c.to_dict()["courses"]["Acc"]["title"] == "Accuracy"
    assert c.to_json()
    assert c.to_markdown().startswith("No significant change of accuracy over 20 weeks (p = 0.")
    assert "Limits from the first 5 weeks." in repr(c)


def test_why_there_are_no_limits_is_said() -> None:
    e, dates = drawn(8, 400)
    early = dates < MONDAY + np.timedelta64(7, "D")
    few = e.over(dates, measures="accuracy", reference=1)["accuracy"]
    assert "no limits, as the reference has" in few.reason if early.sum() < 30 else few.reason == ""
    y = np.tile([0, 1], 100)
    never_wrong = np.r_[y[:100], 1 - y[100:110], y[110:]]
    weekly = MONDAY + (np.arange(200) // 4).astype("timedelta64[D]")
    alike = karat.evaluate(y, y_pred=never_wrong).over(weekly, measures="accuracy", reference=3)
    assert alike["accuracy"].reason.startswith("no limits, as the measure does not vary in the reference")
    assert "no limits" in repr(alike)
