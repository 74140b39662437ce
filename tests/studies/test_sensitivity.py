"""The sensitivity study against Ferri et al. (2009), section 6, and against a literal transcription of its protocol."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import karat
from karat import InputError
from karat.core.arithmetic import Number
from karat.core.measure import measure, measures
from karat.statistics import Counts
from karat.studies import Census, MccAndCen, Redundancy, Sensitivity, noise


@pytest.fixture(scope="module")
def averages() -> dict[tuple[str, str], dict[str, Any]]:
    found = Sensitivity(repetitions=1000, seed=5, kinds=("labels", "probabilities")).run(workers=1)["averages"]
    rows = [dict(zip(found.columns, row, strict=True)) for row in found.rows]
    return {(row["noise"], row["measure"]): row for row in rows}


PUBLISHED = [
    ("labels", 0.292, "Acc KapS MFM MAvA MAvG"),
    ("labels", 0.314, "AU1U AU1P AUNU AUNP PAUC MSE MPR CalL"),
    ("labels", 0.333, "LogL"),
    ("probabilities", 0.0876, "AU1U AU1P AUNU AUNP MSE"),
    ("probabilities", 0.1275, "MPR MAPR MAE PAUC"),
    ("probabilities", 0.1555, "SAUC"),
    ("probabilities", 0.1785, "Acc KapS MFM MAvA MAvG"),
]


@pytest.mark.parametrize(("kind", "expected", "symbols"), PUBLISHED)
def test_averages_are_those_of_the_paper(averages: Any, kind: str, expected: float, symbols: str) -> None:
    for symbol in symbols.split():
        found = averages[kind, symbol]
        assert 0.001 < found["error"] < 0.004
        assert found["wrong"] == pytest.approx(expected, abs=0.0015 + 3 * found["error"])


def test_measures_that_say_the_same_are_of_one_cluster(averages: Any) -> None:
    def cluster(kind: str, symbols: str) -> set[int]:
        return {averages[kind, s]["cluster"] for s in symbols.split()}

    for symbols in ("Acc KapS MFM MAvA MAvG MCC", "AU1U AU1P AUNU AUNP MSE", "MPR MAE"):
        assert len(cluster("probabilities", symbols)) == 1
    assert len(cluster("probabilities", "Acc AUNU MPR CalB")) == 4
    assert all(("labels", s) in averages for s in ("MCC", "CEN", "rCEN", "pCEN", "rpCEN", "EMA", "NIT"))


def test_frequencies_and_ranking() -> None:
    found = Sensitivity(repetitions=300, measures="Acc,MAvA,AUNU,SAUC", kinds="frequencies,ranking", seed=2).run(
        workers=1
    )
    wrong = {(r[0], r[1]): r for r in found["averages"].rows}
    assert wrong["frequencies", "Acc"][4] < 0.04 + 3 * 0.01  # the highest of all levels
    line = found["frequencies"].columns["MAvA"]
    assert 0.10 < max(line) < 0.20
    assert line[-1] < max(line)  # not monotonic
    assert wrong["frequencies", "SAUC"][2] > wrong["frequencies", "AUNU"][2] > wrong["frequencies", "Acc"][2]
    assert wrong["frequencies", "AUNU"][7] > 0  # without a class there is no area
    assert wrong["ranking", "Acc"][2] > wrong["ranking", "AUNU"][2]
    assert found["ranking"].columns["noise"][-1] == 80


def literal(rng: np.random.Generator, level: float, kind: str) -> float:
    """One repetition as the paper tells it, with loops, judged by accuracy."""
    p = sorted(rng.random(100), reverse=True)
    label = [int(x > 0.5) for x in p]
    places = rng.permutation(100).tolist()
    m1 = list(p)
    for i in places[:10]:
        m1[i] = rng.random()
    m2 = list(m1)
    for i in places[10:20]:
        m2[i] = rng.random()
    accuracy = []
    for model in (m1, m2):
        truth, scores = list(label), list(model)
        if kind == "labels":
            for i in rng.permutation(100).tolist()[: round(level)]:
                truth[i] = int(rng.integers(2))
        elif kind == "probabilities":
            scores = [min(max(s + rng.uniform(-0.005 * level, 0.005 * level), 0), 1) for s in scores]
        elif kind == "frequencies":
            ones = [i for i in rng.permutation(100).tolist() if truth[i] == 1]
            gone = set(ones[: round(level)])
            truth, scores = ([x for i, x in enumerate(xs) if i not in gone] for xs in (truth, scores))
        else:
            order = sorted(range(100), key=lambda i: scores[i])
            truth, scores = [truth[i] for i in order], [scores[i] for i in order]
            for at in rng.integers(0, 99, round(1250 * level)).tolist():
                truth[at], truth[at + 1] = truth[at + 1], truth[at]
        accuracy.append(sum((s > 0.5) == t for s, t in zip(scores, truth, strict=True)) / len(truth))
    return 0.5 if accuracy[0] == accuracy[1] else float(accuracy[0] < accuracy[1])


@pytest.mark.parametrize(("kind", "place"), [("labels", 1), ("probabilities", 2), ("frequencies", 1), ("ranking", 1)])
def test_each_noise_is_that_of_the_paper(kind: str, place: int) -> None:
    many, few = (200, 40) if kind == "ranking" else (1000, 400)
    study = Sensitivity(repetitions=many, measures="Acc", kinds=kind, steps=20 if kind == "ranking" else 2, seed=3)
    found = study.run(workers=1)["levels"]
    row = dict(zip(found.columns, found.rows[place], strict=True))
    rng = np.random.default_rng(4)
    drawn = [literal(rng, row["level"], kind) for _ in range(few)]
    error = np.hypot(row["error"], np.std(drawn) / np.sqrt(few))
    assert row["wrong"] == pytest.approx(np.mean(drawn), abs=3.5 * error)
    assert row["error"] == pytest.approx(np.sqrt(np.var(drawn) / many), rel=0.35)


def test_common_noise_is_another_experiment() -> None:
    told: dict[str, Any] = {"measures": "Acc", "kinds": "labels", "repetitions": 1000, "seed": 6}
    apart, common = (
        Sensitivity(**told, common=c).run(workers=1)["averages"].columns["wrong"][0] for c in (False, True)
    )
    assert apart == pytest.approx(0.292, abs=0.01)
    assert common == pytest.approx(0.17, abs=0.015)


def test_the_better_model_is_better() -> None:
    m = noise.models(np.random.default_rng(1), 2000)
    found = karat.evaluate_batch(m.truth, m.p, ["Acc"])["Acc"].mean(axis=1)
    assert found == pytest.approx([0.95, 0.90], abs=2e-3)
    assert ((m.p[0] != m.p[1]).sum(axis=1) == 10).all()


def test_any_measure_can_be_put_through() -> None:
    @measure(symbol="MyOwn", formula="x", range=(0, 1), best=1, cite="ferri2009")
    def my_own_share(c: Counts) -> Number:
        """How many are right, in my own words?"""
        return c.sums.trace / c.sums.total

    try:
        found = Sensitivity(measures=[my_own_share, "Acc"], repetitions=50, steps=2).run(workers=1)["averages"]
    finally:
        measures.remove("MyOwn")
    mine, acc = ([r[2:5] for r in found.rows if r[1] == symbol] for symbol in ("MyOwn", "Acc"))
    assert mine == acc


def test_a_measure_that_fails_is_refused_before_any_work() -> None:
    @measure(symbol="Broken", formula="x", range=(0, 1), best=1, cite="ferri2009")
    def broken_share(c: Counts) -> Number:
        """What can't be computed?"""
        raise ZeroDivisionError("on purpose")

    @measure(symbol="Wide", formula="x", range=(0, 1), best=1, cite="ferri2009")
    def wide_share(c: Counts) -> Number:
        """What has too many values?"""
        return c.table

    try:
        for kind in (Sensitivity, Census, MccAndCen):
            with pytest.raises(InputError, match=r"Broken can't be computed .*ZeroDivisionError: on purpose"):
                kind(measures=["Acc", broken_share])
            with pytest.raises(InputError, match="Wide returns the shape"):
                kind(measures=["Acc", wide_share])
    finally:
        measures.remove("Broken")
        measures.remove("Wide")


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ({"repetitions": 0}, "repetitions is 0"),
        ({"repetitions": 2.5}, "repetitions is 2.5"),
        ({"steps": 0}, "steps is 0"),
        ({"seed": -1}, "seed is -1"),
        ({"kinds": "labels,colour"}, "a kind of noise is 'colour'"),
        ({"kinds": ()}, "no kind of noise"),
        ({"measures": "Acc,Nonsense"}, "no measure 'Nonsense'"),
        ({"measures": "AUC"}, "AUC is not available in this study: it is a measure of one class"),
        ({"measures": "k_X"}, "k_X is not available in this study: it has no better direction"),
        ({"measures": []}, "the list of measures is empty"),
        ({"common": "maybe"}, "common is"),
    ],
)
def test_bad_input_is_refused(told: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        Sensitivity(**told)


def test_blanks_around_names_in_a_list_do_not_count() -> None:
    assert Sensitivity(kinds=[" labels", "ranking ", "labels"]).kinds == ("labels", "ranking")
    values = {"Acc": [0.1, 0.2, 0.3], "MCC": [0.3, 0.2, 0.4]}
    assert Redundancy(values=values, methods=[" pearson", "kendall "]).methods == ("pearson", "kendall")
