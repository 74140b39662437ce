"""Findings: each is made where it should be, and not for the healthy twin; healthy models are left in peace."""

from __future__ import annotations

import csv
import importlib.util
import json
import math
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest

import karat
from cases import Problem, probabilities, problems
from karat import Evaluation
from karat.catalogue import checks, diagrams, measures
from karat.conformance.stored import stored_data
from karat.core.errors import speaking
from karat.core.finding import Observation, Severity, check
from karat.core.words import number
from karat.data import InputError
from karat.findings.class_groups import class_groups, expected_errors
from karat.findings.data_checks import errors_expected
from karat.findings.rivalry_checks import needed_cases, needed_cases_unpaired
from karat.statistics.p_values import binomial_tail, sign_test
from peers import ORACLES, stored


def healthy(seed: int, n: int, k: int = 2, sharpness: float = 2.0) -> tuple[Any, Any]:
    """Truth drawn from the very probabilities."""
    rng = np.random.default_rng(seed)
    p = probabilities(rng, n, k, sharpness)
    return (p.cumsum(axis=1) < rng.random((n, 1))).sum(axis=1).clip(0, k - 1), p


def bent(p: Any, power: float) -> Any:
    """More (power > 1) or less extreme probabilities in the same order."""
    q = p**power
    return q / q.sum(axis=1, keepdims=True)


Y, P = healthy(7, 1500)
Y3, P3 = healthy(8, 1500, 3)
FINE = karat.evaluate(Y, P)
FINE3 = karat.evaluate(Y3, P3)


def rare(precision: float) -> Evaluation:
    """3 % positive: the top scores hold positives with this precision."""
    rng = np.random.default_rng(5)
    y = (np.arange(4000) < 120).astype(int)
    return karat.evaluate(y, np.clip(rng.normal(0.3 + (0.2 if precision < 0.5 else 0.6) * y, 0.1), 0.001, 0.999))


def blocky(inside: int, outside: int) -> Evaluation:
    table = np.full((6, 6), outside)
    table[:3, :3] = table[3:, 3:] = inside
    np.fill_diagonal(table, 60)
    return karat.evaluate_matrix(table, labels=list("abcdef"))


def local_error(distance: float) -> Evaluation:
    """Wrong in one region in both directions, so that confidence and accuracy agree on the whole."""
    rng = np.random.default_rng(9)
    p = np.concatenate([rng.uniform(0.71, 0.79, 1000), rng.uniform(0.81, 0.89, 1000), rng.uniform(0, 0.4, 1000)])
    shift = np.repeat([distance, -distance, 0.0], 1000)
    return karat.evaluate((rng.random(3000) < p + shift).astype(int), p)


squeezed = 0.5 + 0.12 * (P[:, 1] - 0.5)
stretched = (P[:, 1] ** 2 - (P[:, 1] ** 2).min()) / np.ptp(P[:, 1] ** 2)
one_zero = P.copy()
one_zero[3] = 1 - np.eye(2)[Y[3]]
perfect = np.where(Y == 1, 0.9, 0.1) + 0.09 * (P[:, 1] - 0.5)


RATIO = "multiply each probability by the ratio of new to old class frequency"
"""The remedy for other class frequencies in training."""


def alarming(e: Evaluation) -> list[str]:
    """Codes of all that is more than a note."""
    return [f.code for f in e.findings() if f.severity != "note"]


# code: (where it must be found, its twin where it must not)
MADE: dict[str, tuple[Callable[[], Evaluation], Callable[[], Evaluation]]] = {
    "no-better-than-majority": (
        lambda: karat.evaluate_matrix([[930, 10], [50, 10]]),
        lambda: karat.evaluate_matrix([[930, 10], [20, 40]]),
    ),
    "specialised": (
        lambda: karat.evaluate_matrix([[930, 10], [50, 10]]),
        lambda: karat.evaluate_matrix([[930, 10], [10, 50]]),
    ),
    "mislabelled-outputs": (
        lambda: karat.evaluate_matrix([[5, 40, 1], [45, 3, 2], [2, 1, 50]]),
        lambda: karat.evaluate_matrix([[40, 5, 1], [3, 45, 2], [2, 1, 50]]),
    ),
    "never-decided": (
        lambda: karat.evaluate_matrix([[40, 5, 0], [3, 45, 0], [20, 10, 0]]),
        lambda: karat.evaluate_matrix([[40, 5, 0], [3, 45, 0], [10, 9, 11]]),
    ),
    "absent-classes": (
        lambda: karat.evaluate([0, 1] * 20, y_pred=[0, 1] * 20, labels=[0, 1, 2]),
        lambda: karat.evaluate([0, 1] * 20, y_pred=[0, 1] * 20),
    ),
    "few-cases": (
        lambda: karat.evaluate_matrix([[40, 5], [1, 4]]),
        lambda: karat.evaluate_matrix([[40, 5], [10, 40]]),
    ),
    "blocks": (lambda: blocky(12, 2), lambda: blocky(5, 5)),
    "reversed-scores": (lambda: karat.evaluate(1 - Y, P), lambda: FINE),
    "rare-positive": (lambda: rare(0.3), lambda: FINE),
    "tied-scores": (lambda: karat.evaluate(Y, np.round(P[:, 1] * 3) / 3), lambda: FINE),
    "overconfident": (lambda: karat.evaluate(Y3, bent(P3, 2.5)), lambda: FINE3),
    "underconfident": (lambda: karat.evaluate(Y3, bent(P3, 0.4)), lambda: FINE3),
    "tilted-probabilities": (lambda: karat.evaluate(Y, P[:, 1] ** 1.7), lambda: FINE),
    "miscalibrated-region": (lambda: local_error(0.12), lambda: local_error(0.0)),
    "hard-probabilities": (lambda: karat.evaluate(Y, np.eye(2)[P.argmax(axis=1)]), lambda: FINE),
    "tied-decisions": (
        lambda: karat.evaluate(Y, np.where(np.arange(1500)[:, None] < 3, 0.5, P)),
        lambda: karat.evaluate(Y, np.where(np.arange(1500)[:, None] < 3, 0.5, P), P.argmax(axis=1)),
    ),
    "impossible-truths": (lambda: karat.evaluate(Y, one_zero), lambda: FINE),
    "squeezed-scores": (
        lambda: karat.evaluate(Y, squeezed),
        # the same narrow band, and no more known than it says
        lambda: karat.evaluate((np.random.default_rng(0).random(1500) < squeezed).astype(int), squeezed),
    ),
    "scores-not-probabilities": (lambda: karat.evaluate(Y, stretched), lambda: FINE),
    "clipped-probabilities": (
        lambda: karat.evaluate(Y, P[:, 1].clip(0.2, 0.8)),
        # as many cases at one value, which comes true
        lambda: karat.evaluate(
            (np.random.default_rng(2).random(1500) < P[:, 1].clip(0.2, 0.8)), P[:, 1].clip(0.2, 0.8)
        ),
    ),
    "calibration-loss-is-error": (lambda: FINE, lambda: karat.evaluate(Y, np.round(P[:, 1], 1))),
    "constant-scores": (lambda: karat.evaluate(Y, np.full(1500, 0.3)), lambda: FINE),
    "decisions-contradict": (
        lambda: karat.evaluate(Y3, P3, np.roll(P3.argmax(axis=1), 1)),
        lambda: karat.evaluate(Y3, P3, (P3 * [1.0, 3.0, 0.7]).argmax(axis=1)),  # by costs
    ),
    "less-accurate-than-possible": (
        lambda: karat.evaluate(Y, P, (P[:, 1] > 0.95).astype(int)),
        lambda: karat.evaluate(Y, P, (P[:, 1] > 0.45).astype(int)),
    ),
    "duplicated-rows": (lambda: karat.evaluate(np.tile(Y, 2), np.tile(P, (2, 1))), lambda: FINE),
    "uneven-weights": (
        lambda: karat.evaluate(Y, P, sample_weight=np.where(np.arange(1500) == 7, 1500, 1)),
        lambda: karat.evaluate(Y, P, sample_weight=np.random.default_rng(0).exponential(size=1500)),
    ),
    "perfect-accuracy": (lambda: karat.evaluate(Y, perfect), lambda: karat.evaluate(Y[:40], perfect[:40])),
    "perfect-ranking": (lambda: karat.evaluate(Y, y_score=perfect), lambda: karat.evaluate(Y, y_score=P[:, 1])),
}


@pytest.mark.parametrize("code", MADE)
def test_each_finding_is_made_and_not_for_its_twin(code: str) -> None:
    ill, well = (make().findings() for make in MADE[code])
    assert code in ill.codes
    assert code not in well.codes
    found = ill[ill.codes.index(code)]
    assert found.evidence
    assert json.dumps(found.to_dict())
    assert str(found).startswith(str(found.severity))


RIVALS = {"measures-disagree", "constant-preferred", "too-few-cases", "probabilities-differ"}


def test_every_declared_check_is_tried() -> None:
    mine = {code for code, c in checks.items() if not c.several}
    assert mine == set(MADE)
    assert {code for code, c in checks.items() if c.several} == RIVALS


@pytest.mark.parametrize("code", sorted(checks))
def test_declarations_point_to_things_that_exist(code: str) -> None:
    c = checks[code]
    assert all(symbol in measures for symbol in c.measures)
    assert c.diagram in diagrams
    assert c.question.endswith("?")


# ------------------------------------------------------------------------------------------------------- false alarms


@pytest.mark.parametrize(("n", "seeds"), [(300, 150), (10_000, 12)])
@pytest.mark.parametrize("k", [2, 4])
def test_healthy_models_are_left_in_peace(n: int, seeds: int, k: int) -> None:
    alarmed = sum(bool(alarming(karat.evaluate(*healthy(seed, n, k)))) for seed in range(seeds))
    assert alarmed <= 0.02 * seeds + 1


def test_healthy_models_with_weights_are_left_in_peace() -> None:
    alarmed = 0
    for seed in range(100):
        y, p = healthy(seed, 400, 3)
        w = np.random.default_rng(seed).exponential(size=400)
        alarmed += bool(alarming(karat.evaluate(y, p, sample_weight=w)))
    assert alarmed <= 3


def test_random_errors_are_no_blocks_and_random_guesses_no_wrong_names() -> None:
    rng = np.random.default_rng(3)
    found = []
    for _ in range(100):
        k = int(rng.integers(4, 9))
        popular = rng.dirichlet(np.full(k, 2.0))  # some classes are named more often by mistake
        table = np.array([rng.multinomial(60, popular) for _ in range(k)])
        found += [c for c in karat.evaluate_matrix(table).findings().codes if c in ("blocks", "mislabelled-outputs")]
    assert len(found) <= 1


def named(e: Evaluation) -> str:
    """What is said of the names of the outputs: nothing, or "problem" where they are called wrong."""
    return next((str(f.severity) for f in e.findings() if f.code == "mislabelled-outputs"), "")


def test_a_biased_threshold_is_no_wrong_name() -> None:
    known = karat.evaluate_matrix([[300, 600], [5, 95]])  # 5 % against 33 %: decisions follow the truth
    (found,) = (f for f in known.findings() if f.code == "mislabelled-outputs")
    assert found.severity == "warning"
    assert (
        found.title == "Reading class 1 as class 0 and class 0 as class 1 would raise the accuracy from 0.395 to 0.605"
    )
    assert "the labels are right; the threshold is poorly chosen: move it." in found.words
    assert "(MCC 0.185)" in found.words


@pytest.mark.parametrize("share", [0.5, 0.7, 0.9, 0.95, 0.99])
def test_biased_thresholds_and_exchanged_columns(share: float) -> None:
    """Scores that are normal in both classes, cut anywhere; and good ones, cut at the best place and exchanged."""
    rng = np.random.default_rng(12)
    said, missed = [], 0
    for _ in range(60):
        n = int(rng.choice([100, 1000, 3000]))
        y, apart = (rng.random(n) < share).astype(int), rng.uniform(0.3, 2.5)
        x = rng.normal(apart * y)
        said.append(named(karat.evaluate(y, y_pred=(x > rng.uniform(-1, apart + 1)).astype(int), labels=[0, 1])))
        y = rng.permutation(np.arange(2000) < 2000 * share).astype(int)
        apart = rng.uniform(1.5, 2.5)  # AUC .86 to .96
        p = share / (share + (1 - share) * np.exp(apart**2 / 2 - apart * rng.normal(apart * y)))
        missed += named(karat.evaluate(y, 1 - p)) != "problem"
    assert "problem" not in said
    assert share < 0.9 or "warning" in said  # another naming would often be more accurate
    assert missed <= 3


@pytest.mark.parametrize("k", [3, 6])
def test_biases_and_exchanged_columns_of_more_classes(k: int) -> None:
    """Normal classes in space: decisions with a bias for some of them, and good ones with outputs in another order."""
    rng = np.random.default_rng(k)
    alarms = missed = tried = 0
    for _ in range(150):
        prior = rng.dirichlet(np.full(k, 2.0))
        y, centre = rng.choice(k, 1500, p=prior), rng.normal(size=(k, 3)) * rng.uniform(0.3, 2.5)
        x = centre[y] + rng.normal(size=(1500, 3))
        best = np.log(prior) - ((x[:, None] - centre) ** 2).sum(axis=2) / 2
        biased = karat.evaluate(y, y_pred=(best + rng.normal(size=k) * 2).argmax(axis=1), labels=range(k))
        alarms += named(biased) == "problem"
        good = karat.evaluate(y, y_pred=best.argmax(axis=1), labels=range(k))
        common = np.flatnonzero(np.bincount(y[best.argmax(axis=1) == y], minlength=k) >= 20)
        if good["MCC"] > 0.6 and len(common) > 1:
            order = np.arange(k)
            order[common] = np.roll(common, 1) if rng.random() < 0.5 else common[::-1]
            tried += 1
            missed += named(karat.evaluate(y, y_pred=order[best.argmax(axis=1)], labels=range(k))) != "problem"
    assert alarms <= 1
    assert tried >= 50
    assert missed <= 0.05 * tried


# ------------------------------------------------------------------------------------------------------ what they say


def test_words() -> None:
    e = karat.evaluate_matrix([[940, 0], [60, 0]], labels=[0, 1])
    first = e.findings()[0]
    assert first.title == "Accuracy (0.940) is no higher than that of always predicting class 0 (0.940)"
    assert first.words.startswith("The model makes the same prediction for every case.")
    assert first.severity == "problem"
    over = karat.evaluate(Y3, bent(P3, 2.5)).findings()[0]
    sure = bent(P3, 2.5).max(axis=1).mean()
    right = (P3.argmax(axis=1) == Y3).mean()
    assert over.title == f"Overconfident: the mean confidence is {sure:.3f}, the accuracy {right:.3f}"
    assert "cases with a confidence of 0.9 to 1 (mean confidence 0.9" in over.words
    swapped = MADE["mislabelled-outputs"][0]().findings()
    assert swapped[0].evidence["read as"] == {"0": 1, "1": 0}
    assert swapped[0].evidence["AccRelabel"] == pytest.approx(135 / 149)
    assert FINE.findings().codes == ["calibration-loss-is-error"]
    nothing = karat.evaluate(Y, y_score=P[:, 1]).findings()
    assert repr(nothing) == "No findings."
    assert "No findings." in nothing._repr_html_()
    assert max(map(len, repr(karat.evaluate(Y3, bent(P3, 2.5)).findings()).split("\n"))) <= 100
    assert "<b>" in e.findings()._repr_html_()


def test_ties_are_told_where_they_can_be_seen() -> None:
    y = ["sick"] * 40 + ["well"] * 60
    p = [[0.8, 0.2]] * 35 + [[0.5, 0.5]] * 5 + [[0.2, 0.8]] * 60
    e = karat.evaluate(y, p, labels=["sick", "well"])
    found = {f.code: f for f in e.findings()}["tied-decisions"]
    turned = karat.evaluate(y, [row[::-1] for row in p], labels=["well", "sick"])
    assert found.title == "5 cases have a tie for the highest probability"
    assert "They are predicted as the first tied class in class order (sick)." in found.words
    assert f"would change Cohen's kappa ({number(turned['KapS'])} against 1)" in found.words
    assert (found.severity, found.evidence["cases"], found.evidence["decided for"]) == ("note", 5, ["sick"])
    assert found.evidence["KapS"] == pytest.approx(e["KapS"])
    assert found.evidence["KapS in reverse order"] == pytest.approx(turned["KapS"])
    assert turned["KapS"] < e["KapS"] == 1
    weighted = karat.evaluate(y, p, labels=["sick", "well"], sample_weight=np.arange(1, 101) / 7).findings()
    turned = karat.evaluate(y, [row[::-1] for row in p], labels=["well", "sick"], sample_weight=np.arange(1, 101) / 7)
    (found,) = [f for f in weighted if f.code == "tied-decisions"]
    assert found.evidence["KapS in reverse order"] == pytest.approx(turned["KapS"])
    few = np.where(np.arange(30_000)[:, None] < 2, 0.5, healthy(3, 30_000)[1])  # two of thirty thousand
    assert "tied-decisions" not in karat.evaluate(healthy(3, 30_000)[0], few).findings().codes


def test_the_gravest_come_first_and_can_be_chosen() -> None:
    found = karat.evaluate(1 - Y, np.round(P, 1)).findings()
    order = [list(Severity).index(f.severity) for f in found]
    assert order == sorted(order)
    assert {f.severity for f in found.of("problem")} == {"problem"}
    assert found.to_dict()[0]["code"] == found[0].code


def test_a_model_that_ranks_is_told_so() -> None:
    rng = np.random.default_rng(1)
    p = rng.beta(0.3, 3, 3000) / 2
    e = karat.evaluate((rng.random(3000) < p).astype(int), p)
    found = {f.code: f for f in e.findings()}
    assert f"The scores do rank the cases (ROC AUC {e['AUC']:.3f}, p < 0.001)" in found["no-better-than-majority"].words
    assert found["no-better-than-majority"].evidence["AUC"] == pytest.approx(e["AUC"])
    assert "rare-positive" in found
    assert alarming(e) == []  # a calibrated model of a rare class is healthy


def test_where_a_model_is_overconfident() -> None:
    rng = np.random.default_rng(4)
    p = rng.uniform(0.5, 1, 6000)
    top = rng.integers(0, 3, 6000)
    wrong = (p > 0.8) & (p < 0.9) & (top == 2)  # only there, only for class 2
    right = rng.random(6000) < np.where(wrong, p - 0.5, p)
    y = np.where(right, top, (top + rng.integers(1, 3, 6000)) % 3)
    rows = np.repeat(((1 - p) / 2)[:, None], 3, axis=1)
    rows[np.arange(6000), top] = p
    found = karat.evaluate(y, rows).findings()[0]
    assert found.code == "overconfident"
    assert found.evidence["region"] == pytest.approx([0.8, 0.9])
    assert found.evidence["class"] == 2


def tilted(y: Any, p: Any) -> Any:
    return next(f for f in karat.evaluate(y, p).findings() if f.code == "tilted-probabilities")


@pytest.mark.parametrize("apart", [1.0, 2.0])
def test_other_class_frequencies_in_training_are_found_out(apart: float) -> None:
    """Bayes' rule for normal classes with the frequencies of training, on cases with others."""
    rng = np.random.default_rng(5)
    old, new = np.array([0.3, 0.5, 0.2]), np.array([0.8, 0.15, 0.05])
    y = rng.choice(3, 6000, p=new)
    centre = apart * np.eye(3)
    x = centre[y] + rng.normal(size=(6000, 3))
    likely = np.exp(-((x[:, None] - centre) ** 2).sum(axis=2) / 2)
    p = old * likely / (likely @ old)[:, None]
    found = tilted(y, p)
    assert found.evidence["in training"] == pytest.approx(old, abs=0.06)
    assert RATIO in found.words
    mended = p * new / old
    loss = karat.evaluate(y, mended / mended.sum(axis=1, keepdims=True))["LogLoss"]
    assert f"(log loss {number(loss)} instead of " in found.words


def test_probabilities_that_are_too_extreme_are_not_called_a_shift() -> None:
    """Naive Bayes that sees ten copies of a biased attribute, trained with the true frequencies."""
    rng = np.random.default_rng(6)
    y = (rng.random(3000) < 0.06).astype(int)
    x = rng.normal(1.5 * y) + 0.6  # measured on another scale than in training
    odds = 0.06 / 0.94 * np.exp(10 * (1.5 * x - 1.5**2 / 2))
    p = odds / (1 + odds)
    assert p.mean() > 0.2
    naive = p * (0.06 / p.mean()) / (p * (0.06 / p.mean()) + (1 - p) * (0.94 / (1 - p.mean())))
    assert naive.mean() > 0.15  # p new / old by what was promised hardly moves them
    found = tilted(y, p)
    assert found.evidence["in training"] is None
    assert "recalibrate (Platt scaling or isotonic regression)" in found.words
    assert RATIO not in found.words


def test_tests_agree_with_scipy() -> None:
    stats = pytest.importorskip("scipy.stats")
    for hits, n, p in ((7, 10, 0.5), (0, 5, 0.3), (5, 5, 0.2), (30, 100, 0.25)):
        assert binomial_tail(hits, n, p) == pytest.approx(stats.binom.sf(hits - 1, n, p))
    assert sign_test(12, 3) == pytest.approx(stats.binomtest(12, 15, 0.5, alternative="greater").pvalue)
    assert sign_test(0, 0) == 1


def test_a_check_is_one_declaration() -> None:
    @check(code="odd-number")
    def odd_number(s: Any) -> Observation | None:
        """Is the number of cases odd?"""
        return (
            Observation(Severity.NOTE, "odd", "an odd number of cases", {"n": s.source.n}) if s.source.n % 2 else None
        )

    try:
        assert "odd-number" in karat.evaluate([0, 1, 1], y_pred=[0, 1, 1]).findings().codes
        assert "odd-number" not in karat.evaluate([0, 1], y_pred=[0, 1]).findings().codes
    finally:
        checks.remove("odd-number")
    with pytest.raises(TypeError, match="question"):
        check(code="x")(lambda s: None)


# ------------------------------------------------------------------------------------------- sentences that were wrong


def of_code(e: Evaluation, code: str) -> Any:
    return next((f for f in e.findings() if f.code == code), None)


def test_a_constant_has_no_slope() -> None:
    y = np.random.default_rng(0).random(500) < 0.3
    e = karat.evaluate(y.astype(int), np.full(500, 0.3))
    assert of_code(e, "squeezed-scores") is None  # "frequency rises 1801439850948198.5 times as fast"
    found = of_code(e, "constant-scores")
    assert found.title == "All 500 cases have the same probabilities: 0.700 for class 0 and 0.300 for class 1"
    assert found.severity == "problem"
    scores = of_code(karat.evaluate(y.astype(int), y_score=np.full(500, 3.0)), "constant-scores")
    assert scores.title == "All 500 cases have the same scores"
    assert not any("1 steps" in f.words for f in e.findings())


@pytest.mark.parametrize("n", [30, 37, 90])
@pytest.mark.parametrize("p", [0.7, 0.55, 0.2])
def test_all_cases_of_one_class_are_all_of_them(n: int, p: float) -> None:
    """Sums of probabilities and of what they lack were taken for 99.99999999999997 % of the cases."""
    e = karat.evaluate(np.ones(n, int), np.tile([1 - p, p], (n, 1)), labels=[0, 1])
    found = of_code(e, "tilted-probabilities")
    there = {0: (1 - p, "no case is"), 1: (p, "all cases are")}  # both columns tell the same, and either may be named
    promised, words = there[found.evidence["class"]]
    of_class = f"class {found.evidence['class']}"
    assert found.title == f"Mean predicted probability of {of_class} is {promised:.3f}; {words} {of_class}"
    assert found.evidence["share"] == found.evidence["class"]


def test_an_absent_class_was_no_share_of_the_training_cases() -> None:
    rng = np.random.default_rng(1)
    p = rng.dirichlet([3, 3], 600)
    y = (rng.random(600) < p[:, 1]).astype(int)
    q = np.column_stack([0.7 * p, np.full(600, 0.3)])  # calibrated but for a class that does not occur
    e = karat.evaluate(y, q, labels=[0, 1, 2])
    found = of_code(e, "tilted-probabilities")
    assert found.title == "Mean predicted probability of class 2 is 0.300; no case is class 2"
    assert "training cases" not in found.words  # "as if 0 % of the training cases were class 2"
    assert RATIO not in found.words  # which would multiply it by 0
    assert "drop its column and renormalise the rows" in found.words


def test_a_column_of_zeros_is_not_multiplied() -> None:
    y, p = healthy(3, 600, 3)
    q = p * [1, 1, 0]
    found = of_code(karat.evaluate(y, q / q.sum(axis=1, keepdims=True), labels=[0, 1, 2]), "tilted-probabilities")
    assert found.evidence["class"] == 2
    assert RATIO not in found.words
    assert "Every probability of class 2 is 0, which no rescaling can correct" in found.words


def test_frequencies_in_training_are_told_only_where_they_can_be() -> None:
    y, p = healthy(4, 2000, 3)
    tilt = p * [4.0, 1.0, 1.0]
    q = tilt / tilt.sum(axis=1, keepdims=True)
    assert RATIO in tilted(y, q).words
    found = of_code(karat.evaluate(y[y < 2], q[y < 2], labels=[0, 1, 2]), "tilted-probabilities")
    assert found.evidence["class"] != 2  # a class that occurs, while nothing is known of the last one
    assert found.evidence["in training"] is None
    assert RATIO not in found.words
    assert "cannot be estimated without cases of all classes" in found.words
    alone = of_code(karat.evaluate(y[y == 0], p[y == 0], labels=[0, 1, 2]), "tilted-probabilities")
    assert "training cases" not in alone.words
    extreme = np.where(np.arange(2000)[:, None] < 1000, [0.999999999, 5e-10, 5e-10], [0.9999, 5e-5, 5e-5])
    assert of_code(karat.evaluate(y, extreme), "tilted-probabilities").evidence["in training"] is None


def test_one_case_is_no_cases() -> None:
    e = karat.evaluate_matrix([[40, 5], [0, 1]], labels=["well", "ill"])
    assert of_code(e, "few-cases").title == "Only 1 case of ill"
    assert "the recall of ill can only be 0 or 1" in of_code(e, "few-cases").words
    p = sum(math.comb(6, k) for k in range(1, 7)) / 2**6
    test = f"(one-sided exact McNemar test, p = {p:.3f})"
    assert (
        f"The model wins 1 case and loses 5 against that constant prediction {test}. 1 case of classes other than well "
        "is too few to tell whether the model is any better" in of_code(e, "no-better-than-majority").words
    )
    absent = of_code(karat.evaluate([0, 1] * 9, y_pred=[0, 1] * 8 + [0, 2], labels=[0, 1, 2]), "absent-classes")
    assert absent.title == "There are no cases of class 2"
    assert absent.words.endswith(" 1 case is predicted as class 2, incorrectly.")
    three = karat.evaluate_matrix([[40, 5, 3], [3, 30, 0], [1, 0, 0]])
    assert not any(f" {f}s" in str(found) for found in three.findings() for f in ("1 case", "1 step"))


def test_one_case_is_too_few_for_two_models() -> None:
    models = {name: karat.evaluate([0], y_pred=[d], labels=[0, 1]) for name, d in (("a", 0), ("b", 1))}
    assert karat.findings_of(models)[0].title == "1 case is too few to show that a is more accurate than b"


def test_specialised_decisions_are_a_warning_unless_accuracy_is_earned() -> None:
    idle = of_code(karat.evaluate_matrix([[930, 10], [50, 10]]), "specialised")
    earned = of_code(karat.evaluate_matrix([[9300, 20], [600, 80]]), "specialised")
    assert (idle.severity, earned.severity) == ("warning", "note")


def test_twelve_cases_prove_nothing_against_a_model() -> None:
    e = karat.evaluate([0, 1] * 6, [0.2, 0.7, 0.3, 0.6, 0.6, 0.4, 0.2, 0.8, 0.7, 0.6, 0.4, 0.4])
    found = of_code(e, "no-better-than-majority")
    assert found.severity == "note"
    assert "no evidence" not in found.words
    assert "12 cases are too few to tell" in found.words
    idle = of_code(karat.evaluate(Y, np.roll(P, 1, axis=0)), "no-better-than-majority")
    assert "Accuracy is no evidence that this model is useful" in idle.words


@pytest.mark.parametrize("share", [0.01, 0.04, 0.1])
def test_a_calibrated_model_of_a_rare_class_is_healthy(share: float) -> None:
    rng = np.random.default_rng(6)
    for n in (200, 1000, 10_000):
        p = rng.beta(0.4, 0.4 * (1 - share) / share, n)
        e = karat.evaluate((rng.random(n) < p).astype(int), p, labels=[0, 1])
        assert alarming(e) == []


def test_alarms_are_mostly_right_only_where_they_are() -> None:
    rng = np.random.default_rng(2)
    y = (np.arange(4000) < 120).astype(int)
    found = of_code(karat.evaluate(y, y_score=rng.normal(0.5 * y)), "rare-positive")  # an AUC of .64
    assert found.evidence["AP"] < 0.1
    assert "most positive predictions are false." in found.words
    assert found.title.startswith("Only 3 % of the cases are class 1: a ROC AUC of 0.6")


def test_all_of_the_cases_are_not_one_of_them() -> None:
    e = karat.evaluate(Y, perfect)
    assert of_code(e, "underconfident").title.endswith(", the accuracy 1")
    assert not any("1 of the" in str(f) for f in e.findings())
    hard = karat.evaluate(Y, np.eye(2)[1 - Y])
    assert "The true class has probability 0 in all cases." in of_code(hard, "hard-probabilities").words


ODD_WORDS = re.compile(r"(?<![.\d])1 (cases|rows|steps)\b|\binf\b|\bnan\b|∞|e\+\d|(?<![.\d])[01] of the|of the these")


def odd_predictions(seed: int) -> dict[str, Any]:
    """Few cases, absent classes, constants, hard and rounded probabilities, weights, copies."""
    rng = np.random.default_rng(seed)
    k, n = int(rng.integers(1, 6)), int(rng.choice([1, 2, 3, 5, 12, 30, 100]))
    y = np.minimum(rng.integers(0, k, n), rng.integers(0, k, n))
    p = rng.dirichlet(np.full(k, rng.choice([0.05, 0.5, 5])), n)
    p = (p, np.eye(k)[rng.integers(0, k, n)], np.tile(p[:1], (n, 1)), np.eye(k)[y] * 0.9 + 0.1 / k)[rng.integers(4)]
    given: dict[str, Any] = {"y_true": y, "y_proba": p}
    kind = rng.integers(5)
    if kind == 0:
        given = {"y_true": y, "y_pred": p.argmax(axis=1)}
    elif kind == 1:
        given["y_pred"] = rng.integers(0, k, n)
    elif kind == 2:
        given["sample_weight"] = rng.integers(0, 3, n) * 0.3 + 1e-3
    elif kind == 3 and k > 1:
        given = {"y_true": y, "y_score": p * 7 - 2}
    at = np.repeat(np.arange(n), 3) if rng.random() < 0.2 else np.arange(n)
    return {name: values[at] for name, values in given.items()} | {"labels": list(range(k))}


def test_sentences_hold_on_odd_data() -> None:
    sentences = [str(f) for seed in range(600) for f in karat.evaluate(**odd_predictions(seed)).findings()]
    assert len(sentences) > 1000
    assert [s for s in sentences if ODD_WORDS.search(s)] == []


BANNED = re.compile(
    r"\bdecid(ed|ing)\b|\bdecisions?\b|told apart|tell \w+ apart|beyond chance|flatter|can't|was not said|\bsay \w+=|"
    r"promise|surely|\balarm|\bhits?\b|\bmiss(es)?\b|come true|(?<![\w.])\.\d|  |\.\.|\[[^\]]*\]",
    re.IGNORECASE,
)
"""Words that the field does not use, numbers without a leading zero, and slips of the pen."""


def benchmark() -> Any:
    """benchmarks/findings_check.py, with its planted faults."""
    path = Path(__file__).resolve().parents[2] / "benchmarks" / "findings_check.py"
    if not path.exists():
        pytest.skip("a source distribution has no benchmarks")
    spec = importlib.util.spec_from_file_location("findings_check", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["findings_check"] = module  # its dataclasses look for their module
    try:
        spec.loader.exec_module(module)
    finally:
        del sys.modules["findings_check"]
    return module


def planted() -> Iterator[karat.core.finding.Findings]:
    """Findings of all kinds: of what must be found, of planted faults, of odd data, of models together."""
    yield from (make().findings() for pair in MADE.values() for make in pair)
    for fault in benchmark().FAULTS.values():
        if fault.codes != ("refused",):
            yield from (karat.evaluate(**fault.make(np.random.default_rng(seed))).findings() for seed in range(3))
    yield from (karat.evaluate(**odd_predictions(seed)).findings() for seed in range(200))
    matrices = {"fair": [[850, 50], [50, 50]], "lazy": [[899, 1], [95, 5]], "constant": [[900, 0], [100, 0]]}
    tables = {name: karat.evaluate_matrix(table) for name, table in matrices.items()}
    for pair in (("fair", "lazy"), ("lazy", "constant"), ("fair", "constant")):
        yield karat.findings_of({name: tables[name] for name in pair})
    models = {"fine": FINE, "bent": karat.evaluate(Y, bent(P, 3.0)), "other": karat.evaluate(Y, bent(P**1.1, 1.0))}
    yield karat.findings_of(models)
    yield karat.findings_of({name: models[name] for name in ("fine", "other")})


def test_sentences_are_in_the_words_of_the_field() -> None:
    every = [f for its in planted() for f in its]
    assert {f.code for f in every} == set(checks)
    for f in every:
        for text in (f.title, f.words):
            assert not BANNED.search(text), text
        assert not f.title.endswith("."), f.title
        assert f.words.endswith("."), f.words
        assert all(part[0].isupper() or part[0].isdigit() for part in re.split(r"(?<=\.) ", f.words)), f.words


# --------------------------------------------------------------------------------------- what was never noticed before


def test_copies_of_rows_are_noticed_and_count_once() -> None:
    alarmed = 0
    for seed in range(40):
        y, p = healthy(seed, 200, 2 + seed % 2)
        found = karat.evaluate(np.tile(y, 10), np.tile(p, (10, 1))).findings()
        single = karat.evaluate(y, p).findings()
        copied = [f for f in found if f.code != "duplicated-rows"]
        assert len(found) == len(copied) + 1
        assert [(f.code, f.severity, f.title) for f in copied] == [(f.code, f.severity, f.title) for f in single]
        alarmed += any(f.severity != "note" for f in copied)
    assert alarmed <= 2
    found = of_code(karat.evaluate(np.tile(Y, 10), np.tile(P, (10, 1))), "duplicated-rows")
    assert found.severity == "warning"
    assert found.title == "Rows are duplicated: 15000 cases, but only 1500 distinct rows"
    assert found.words.startswith("13500 rows repeat another one in the true class and in every score")
    assert found.evidence == {"rows": 15_000, "different": 1500, "most copies": 10}
    assert "groups=" in found.words


@pytest.mark.parametrize("times", [1, 2, 5, 10])
@pytest.mark.parametrize("digits", [2, 3])
def test_healthy_rounded_probabilities_are_no_stretched_scores(digits: int, times: int) -> None:
    for seed in range(60):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(60, 300))
        q = (rng.beta(0.5, 0.5, n) if seed % 2 else 1 / (1 + np.exp(-rng.normal(0, 3, n)))).round(digits)
        y = (rng.random(n) < q).astype(int)
        e = karat.evaluate(np.tile(y, times), np.tile(np.c_[1 - q, q], (times, 1)))
        assert of_code(e, "scores-not-probabilities") is None


def test_stretched_scores_that_were_copied_are_counted_by_copy() -> None:
    rows = np.tile(np.column_stack([Y, stretched]), (3, 1))
    found = of_code(karat.evaluate(rows[:, 0].astype(int), rows[:, 1]), "scores-not-probabilities")
    once = "The probabilities of class 1 are 0 and 1 exactly once each in each of 3 copies of the data"
    assert found.title == f"{once}: they look like min-max scaled scores"
    drawn = np.append(np.arange(1500), np.flatnonzero(stretched == 0))  # 0 occurs twice
    assert of_code(karat.evaluate(Y[drawn], stretched[drawn]), "scores-not-probabilities") is None


def test_copies_do_not_decide_between_models() -> None:
    rng = np.random.default_rng(1)
    y, p = healthy(2, 150)
    q = bent(p * np.exp(rng.normal(scale=0.2, size=p.shape)), 1.0)
    one = {"a": karat.evaluate(y, p), "b": karat.evaluate(y, q)}
    ten = {
        "a": karat.evaluate(np.tile(y, 10), np.tile(p, (10, 1))),
        "b": karat.evaluate(np.tile(y, 10), np.tile(q, (10, 1))),
    }
    assert [f.to_dict() for f in karat.findings_of(ten)] == [f.to_dict() for f in karat.findings_of(one)]
    assert karat.findings_of(one)


@pytest.mark.parametrize(("n", "severity"), [(60, None), (200, "note"), (600, "warning")])
def test_a_perfect_model_is_suspicious_on_many_cases(n: int, severity: str | None) -> None:
    y = np.arange(n) % 2
    right = of_code(karat.evaluate(y, y_pred=y), "perfect-accuracy")
    ranked = of_code(karat.evaluate(y, y_score=y + np.random.default_rng(0).random(n) / 2), "perfect-ranking")
    assert [None if f is None else str(f.severity) for f in (right, ranked)] == [severity] * 2
    if right is not None:
        assert right.title == f"All {n} cases are predicted correctly"
        assert "leak" in right.words
    one_wrong = np.append(1 - y[:1], y[1:])
    assert of_code(karat.evaluate(y, y_pred=one_wrong), "perfect-accuracy") is None


@pytest.mark.parametrize(
    ("rare", "n", "severity"),
    # errors that are expected of classes 3.76 (4.65) standard deviations apart, at the threshold of their frequencies:
    # 1.35 (0.38), 5.72 (2.13), 10.0 (3.65), 58 (27); of 3.0 one model in twenty makes none
    [(4, 1000, None), (20, 1000, "note"), (40, 1000, "warning"), (100, 100_000, "warning")],
)
def test_a_perfect_model_of_a_rare_class_is_suspicious(rare: int, n: int, severity: str | None) -> None:
    y = (np.arange(n) < rare).astype(int)
    e = karat.evaluate(y, np.eye(2)[y] * 0.98 + 0.01)
    right = of_code(e, "perfect-accuracy")
    assert (None if right is None else str(right.severity)) == severity
    assert of_code(e, "rare-positive") is None  # average precision is 1, too


def test_as_strong_a_model_of_equal_classes_would_make_no_error_as_seldom() -> None:
    """Of two normal classes as far apart as 97 % of right decisions need, drawn."""
    rng = np.random.default_rng(0)
    y = (np.arange(1000) < 20).astype(int)
    middle = NormalDist().inv_cdf(0.97)
    x = rng.normal(size=(2000, 1000)) + np.where(y == 1, middle, -middle)
    errors = ((x > np.log(980 / 20) / (2 * middle)) != y).sum(axis=1)
    assert errors_expected(np.array([980.0, 20.0]), 0.97) == pytest.approx(errors.mean(), rel=0.03)
    assert (errors == 0).mean() < 0.05


def test_a_rare_class_that_is_ranked_as_well_as_the_area_says_is_no_news() -> None:
    rng = np.random.default_rng(1)
    y = (np.arange(4000) < 120).astype(int)
    strong, middling = (karat.evaluate(y, y_score=rng.normal(distance * y)) for distance in (5.0, 3.0))
    assert strong["AUC"] - strong["AP"] < 0.1
    assert of_code(strong, "rare-positive") is None
    found = of_code(middling, "rare-positive")
    assert found.evidence["AP"] == pytest.approx(0.84, abs=0.005)
    assert re.search(r"on average 16 % of the positive predictions are false", found.words)
    assert "correct" not in found.words


def test_one_rare_case_among_many_makes_no_miracle() -> None:
    y = (np.arange(5000) < 3).astype(int)
    assert of_code(karat.evaluate(y, y_pred=y), "perfect-accuracy") is None


def test_zeros_that_rounding_explains_are_a_note() -> None:
    rng = np.random.default_rng(0)
    p = rng.beta(0.2, 0.2, 20_000)
    y = (rng.random(20_000) < p).astype(int)
    rounded = karat.evaluate(y, np.round(p, 2))
    found = of_code(rounded, "impossible-truths")
    assert found.severity == "note"
    assert "rounding to 2 digits explains the zeros" in found.words
    wrong = np.where(rng.random(20_000) < 0.05, np.round(1 - p), np.round(p, 2))
    assert of_code(karat.evaluate(y, wrong), "impossible-truths").severity == "warning"


def test_calibration_loss_is_the_squared_error_where_nothing_is_equal() -> None:
    found = of_code(FINE, "calibration-loss-is-error")
    assert found.severity == "note"
    assert FINE["CalL"] == pytest.approx(FINE["MSE"], rel=1e-12)
    assert found.evidence == pytest.approx({"CalL": FINE["CalL"], "MSE": FINE["MSE"]})
    coarse = karat.evaluate(Y, np.round(P[:, 1], 1))
    assert coarse["CalL"] < coarse["MSE"] / 10
    absent = karat.evaluate(Y, np.column_stack([0.8 * P, np.full(1500, 0.2)]), labels=[0, 1, 2])
    assert "squared error of the classes that occur" in of_code(absent, "calibration-loss-is-error").words


def test_the_benchmark_in_small() -> None:
    """Sixty healthy models, and five seeds of each planted fault: benchmarks/findings_check.py has the large run."""
    warned, codes, _ = benchmark().check_healthy(60, seed=1, most=5000)
    noticed = benchmark().check_faults(5)
    assert warned <= 3, codes  # of 60 at 2 %, more is as likely as one in thirty
    assert len(noticed) >= 30
    assert min(noticed.values()) >= 0.8, noticed
    assert float(np.mean(list(noticed.values()))) >= 0.95


# ------------------------------------------------------------------------------------------------------------- blocks


def test_blocks_are_found_by_trying_all_partitions_too() -> None:
    table = blocky(9, 3).statistics.source.table
    expected = expected_errors(table)
    off = table * (1 - np.eye(6))
    assert expected.sum(axis=0) == pytest.approx(off.sum(axis=0))
    assert expected.sum(axis=1) == pytest.approx(off.sum(axis=1))
    best, excess = None, -1.0
    for code in range(6**6):  # every way to give six classes a group
        member = np.array([code // 6**i % 6 for i in range(6)])
        if len(set(member.tolist())) > 1 and member[0] == 0:
            same = member[:, None] == member
            gain = float((off - expected)[same].sum())
            if gain > excess + 1e-9:
                best, excess = member, gain
    found = class_groups(table)
    assert found is not None
    assert best is not None
    assert {frozenset(g) for g in found.classes} == {frozenset(np.flatnonzero(best == b).tolist()) for b in set(best)}
    assert (found.inside - found.expected) * found.errors == pytest.approx(excess)
    assert np.exp(found.log_partitions) == pytest.approx(203, rel=1e-6)  # Bell's number of 6
    assert class_groups(np.diag([3.0, 4.0, 5.0, 6.0])) is None


def test_grown_groups_come_close_to_the_best_of_all() -> None:
    rng = np.random.default_rng(11)
    share = []
    for _ in range(12):
        table = rng.poisson(6, (5, 5)) * 1.0
        table[:2, :2] += rng.poisson(15, (2, 2))
        table[:, 4] += 25  # everything is taken for the last class
        np.fill_diagonal(table, 50)
        off = table * (1 - np.eye(5))
        excess = off - expected_errors(table)
        gains = []
        for code in range(5**4):
            member = np.array([0, *(code // 5**i % 5 for i in range(4))])
            gains.append(excess[member[:, None] == member].sum())
        found = class_groups(table)
        assert found is not None
        share.append((found.inside - found.expected) * found.errors / max(gains))
    assert np.mean(share) > 0.95
    assert max(share) <= 1 + 1e-9


def test_the_mind_reading_task() -> None:
    """Valverde 2014: the stimuli are of two categories; accuracy chooses C1 and EMA C4; C10 is barely above chance."""
    models = {n.removeprefix("meg_"): d.evaluated() for n, d in stored_data().items() if n.startswith("meg_")}
    for name, e in models.items():
        found = {f.code: f for f in e.findings()}
        if name == "C_10":
            assert "no-better-than-majority" in found
        else:
            groups = [set(g) for g in found["blocks"].evidence["groups"]]
            assert groups == [{"artificial", "nature", "football"}, {"bean", "chaplin"}]
    together = {f.code: f for f in karat.findings_of(models)}
    chosen = together["measures-disagree"].evidence["chosen"]
    assert (chosen["Acc"], chosen["EMA"]) == ("C_1", "C_4")
    assert together["too-few-cases"].evidence["second"] == "C_2"


# ----------------------------------------------------------------------------------------------------- several models


def decisions(rng: np.random.Generator, y: Any, accuracy: float) -> Any:
    return np.where(rng.random(len(y)) < accuracy, y, 1 - y)


def test_too_few_cases_and_how_many_would_do() -> None:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 200)
    models = {name: karat.evaluate(y, y_pred=decisions(rng, y, a)) for name, a in (("a", 0.8), ("b", 0.77))}
    found = {f.code: f for f in karat.findings_of(models)}
    assert found["too-few-cases"].evidence["needed"] > 200
    y = rng.integers(0, 2, 5000)
    models = {name: karat.evaluate(y, y_pred=decisions(rng, y, a)) for name, a in (("a", 0.85), ("b", 0.75))}
    assert "too-few-cases" not in karat.findings_of(models).codes
    same = karat.findings_of({"a": models["a"], "twin": models["a"]})
    assert [f.severity for f in same if f.code == "too-few-cases"] == ["note"]
    six = karat.findings_of(dict.fromkeys("fedcba", models["a"]) | {"less": models["b"]})
    titles = [f.title for f in six if f.code == "too-few-cases"]
    assert len(titles) == 1
    assert titles[0].startswith("f, e, d and 3 more are equally accurate (")


@pytest.mark.parametrize("paired", [True, False])
def test_the_cases_needed_give_the_power_they_promise(paired: bool) -> None:
    rng = np.random.default_rng(6)
    a, b = 0.85, 0.78
    changed = a * (1 - b) + b * (1 - a)
    n = int(needed_cases(changed, a - b) if paired else needed_cases_unpaired(a, b))
    right = rng.random((2, 400, n)) < np.array([a, b])[:, None, None]
    if paired:
        only = (right[0] & ~right[1]).sum(axis=1), (right[1] & ~right[0]).sum(axis=1)
        z = (only[0] - only[1]) / np.sqrt(only[0] + only[1])
    else:
        one, two = right.mean(axis=2)
        mean = (one + two) / 2
        z = (one - two) / np.sqrt(2 * mean * (1 - mean) / n)
    assert (z > 1.96).mean() == pytest.approx(0.8, abs=0.06)


def test_measures_that_disagree_and_that_do_not() -> None:
    fair, lazy = [[850, 50], [50, 50]], [[899, 1], [95, 5]]
    one, two = (karat.evaluate_matrix(m) for m in (fair, lazy))
    assert one["Acc"] < two["Acc"]
    assert one["MCC"] > two["MCC"]
    found = karat.findings_of({"fair": one, "lazy": two})
    assert "measures-disagree" in found.codes
    assert found[found.codes.index("measures-disagree")].evidence["chosen"]["MCC"] == "fair"
    even = karat.evaluate_matrix([[825, 75], [21, 79]])  # as accurate as the lazy one: accuracy has no choice to make
    assert even["Acc"] == two["Acc"]
    assert even["MCC"] > two["MCC"]
    assert "measures-disagree" not in karat.findings_of({"lazy": two, "even": even}).codes
    better = karat.evaluate_matrix([[890, 10], [10, 90]])
    assert "measures-disagree" not in karat.findings_of({"fair": one, "better": better}).codes


def test_measures_that_prefer_a_constant_answer_are_named() -> None:
    constant, telling = (karat.evaluate_matrix(m) for m in ([[3541, 0], [231, 0]], [[3490, 51], [84, 147]]))
    assert constant["rCEN"] < telling["rCEN"]
    assert telling["MCC"] > 0.6
    found = {f.code: f for f in karat.findings_of({"constant": constant, "model": telling})}
    assert "rCEN" in found["constant-preferred"].evidence["measures"]
    labels = [measures[symbol].label for symbol in found["constant-preferred"].evidence["measures"]]
    assert found["constant-preferred"].title == (
        f"constant, which always predicts class 0, is better than model by {' and '.join(labels)}"
    )
    assert not {"MCC", "NIT", "KapS", "Acc"} & set(found["constant-preferred"].evidence["measures"])
    assert "constant-preferred" not in karat.findings_of({"a": telling, "b": telling}).codes


def test_probabilities_that_differ_where_accuracy_does_not() -> None:
    models = {"good": FINE, "bent": karat.evaluate(Y, bent(P, 3.0))}
    found = {f.code: f for f in karat.findings_of(models)}
    assert found["probabilities-differ"].title == (
        "No significant difference in accuracy between good and bent, but good has better probabilities"
    )
    assert "(paired t-test, p < 0.001)" in found["probabilities-differ"].words
    assert "probabilities-differ" not in karat.findings_of({"good": FINE, "twin": karat.evaluate(Y, P)}).codes


def test_models_that_cannot_be_compared_are_refused() -> None:
    with pytest.raises(InputError, match="only one model"):
        karat.findings_of({"a": FINE})
    with pytest.raises(InputError, match="same classes"):
        karat.findings_of({"a": FINE, "b": FINE3})
    with pytest.raises(InputError, match="by name"):
        karat.findings_of([FINE, FINE])


@stored
def test_real_models_of_rare_positives() -> None:
    with (ORACLES / "tic" / "naive_bayes.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    found = karat.evaluate([int(r["y_true"]) for r in rows], [float(r["p_1"]) for r in rows]).findings()
    # Prati 2011, section 7: 21 % errors where always saying no makes 6 %
    right = [(float(r["p_1"]) > 0.5) == (r["y_true"] == "1") for r in rows]
    no = [r["y_true"] == "0" for r in rows]
    accuracies = [sum(x) / len(rows) for x in (right, no)]
    assert accuracies == pytest.approx([0.79, 0.94], abs=0.005)
    assert found[0].title == (
        f"Accuracy ({accuracies[0]:.3f}) is significantly lower than that of always predicting class 0 "
        f"({accuracies[1]:.3f})"
    )
    assert "overconfident" in found.codes


# ---------------------------------------------------------------------------------------------------------- hard cases


@pytest.mark.parametrize("problem", problems(), ids=repr)
def test_hard_cases(problem: Problem) -> None:
    """Nothing crashes or warns, and everything can be stored as JSON."""
    e = problem.evaluated()
    assert json.dumps(e.findings().to_dict(), allow_nan=False)
    assert json.dumps(e.operating().to_dict(), allow_nan=False)
    assert json.dumps(karat.findings_of({"a": e, "b": e}).to_dict(), allow_nan=False)
    if problem.k > 1:
        assert json.dumps(karat.advise(e).to_dict(), allow_nan=False)


@pytest.mark.parametrize("matrix", [[[5, 1, 2], [1, 9, 0]], [[5, 1], [1, 9], [3, 3]], [[3]], [[0, 4], [0, 0]]])
def test_matrices_of_any_shape(matrix: Any) -> None:
    e = karat.evaluate_matrix(matrix)
    assert json.dumps(e.findings().to_dict(), allow_nan=False)
    assert json.dumps(e.operating().to_dict(), allow_nan=False)


def test_scores_without_decisions() -> None:
    codes = karat.evaluate(1 - Y, y_score=P[:, 1] * 30 - 7).findings().codes
    assert codes == ["reversed-scores"]
    assert karat.evaluate(Y, y_score=P[:, 1] * 30 - 7).findings() == ()


def test_very_many_classes() -> None:
    y, p = healthy(1, 3000, 100, 4.0)
    assert [f.code for f in karat.evaluate(y, p, labels=range(100)).findings() if f.severity != "note"] == []
    rng = np.random.default_rng(0)
    y = rng.integers(0, 5000, 20_000)
    assert karat.evaluate(y, y_pred=np.roll(y, 3), labels=range(5000)).findings().codes


def test_findings_are_records_the_gravest_first() -> None:
    found = karat.evaluate_matrix([[940, 0], [60, 0]], labels=["well", "ill"]).findings()
    assert [f.severity.rank for f in found] == sorted(f.severity.rank for f in found)
    assert [s.rank for s in (Severity.PROBLEM, Severity.WARNING, Severity.NOTE)] == [0, 1, 2]
    assert found.to_table().columns["title"] == [f.title for f in found]
    pytest.importorskip("pandas")
    assert len(found.to_frame("pandas")) == len(found)
    assert dict(zip(*found[0].to_table().columns.values(), strict=True))["code"] == found[0].code


def test_a_finding_names_options_as_its_reader_writes_them() -> None:
    tied = karat.evaluate([0, 1, 1, 0], [[0.5, 0.5], [0.5, 0.5], [0.2, 0.8], [0.7, 0.3]])
    words = {f.code: f.words for f in tied.findings()}["tied-decisions"]
    assert words.endswith("Pass labels= in the order in which to break ties, or pass class predictions as y_pred.")
    with speaking(lambda name: f"--{name}"):
        words = {f.code: f.words for f in tied.findings()}["tied-decisions"]
    assert "Pass --labels in the order" in words


def test_the_cases_needed_are_more_than_there_are() -> None:
    """Of n cases that all speak for one model, as many more are needed as the sign test takes."""
    for n in (1, 3, 5):
        y = np.ones(n, int)
        models = {
            "right": karat.evaluate(y, y_pred=y, labels=[0, 1]),
            "wrong": karat.evaluate(y, y_pred=1 - y, labels=[0, 1]),
        }
        needed = next(f for f in karat.findings_of(models) if f.code == "too-few-cases").evidence["needed"]
        assert needed >= 6


def test_findings_speak_of_the_log_loss_that_the_headline_shows() -> None:
    """They named LogL, which is in bits, beside a headline in nats."""
    named = {symbol for finding in karat.catalogue.checks.values() for symbol in finding.measures}
    assert "LogLoss" in named
    assert "LogL" not in named
    e = karat.evaluate([0, 1, 1, 0], [[1, 0], [0.5, 0.5], [1, 0], [0.3, 0.7]])
    found = of_code(e, "impossible-truths")
    assert f"36.0 nats, so its value ({number(e['LogLoss'])})" in found.words


def test_precision_of_a_class_that_is_never_predicted_is_what_the_table_shows() -> None:
    """0, and said to be so by convention, in both."""
    e = karat.evaluate([0, 0, 1, 1, 1], y_pred=[0, 0, 0, 0, 0], positive=1)
    [finding] = [f for f in e.findings() if f.code == "never-decided"]
    assert e["Precision"] == 0
    assert e.conventions("Precision")["Precision"].startswith("by convention 0 where the class was never predicted")
    assert "precision is 0 by convention" in str(finding)


def restated(positives: int, share: float, n: int = 400) -> tuple[Evaluation, Evaluation]:
    """A calibrated model of so many positive cases, and the same at another prevalence."""
    rng = np.random.default_rng(0)
    y = (np.arange(n) < positives).astype(int)
    odds = math.log(positives / (n - positives)) + rng.normal(size=n) * 1.6 + 2.56 * (y - 0.5)
    e = karat.evaluate(y, 1 / (1 + np.exp(-odds)))
    return e, e.at_prevalence(share)


def test_class_frequencies_that_were_given_are_no_finding() -> None:
    """The mean probability of 0.3 is not the 2 % that somebody decreed, and nobody has seen a fraction of a case."""
    _, e = restated(129, 0.02)
    for finding in e.findings():
        assert finding.code in {"rare-positive", "calibration-loss-is-error"}, finding
        assert "test" not in finding.words
        assert "cases of class" not in finding.title


def test_few_cases_are_those_that_were_given_whatever_they_weigh() -> None:
    few, many = restated(6, 0.5), restated(129, 0.001)
    for e in few:
        found = next(f for f in e.findings() if f.code == "few-cases")
        assert found.title == "Only 6 cases of class 1"
        assert "changes the recall of class 1 by 0.167" in found.words
    for e in many:
        assert "few-cases" not in e.findings().codes
        assert "uneven-weights" not in e.findings().codes
    matrix = karat.evaluate_matrix([[300, 40], [30, 100]]).at_prevalence(0.001)
    assert matrix.findings().codes == [], "a matrix no longer shows how many cases a class had"


def test_a_class_that_is_never_predicted_is_one_at_any_frequency() -> None:
    e = karat.evaluate([0] * 60 + [1] * 40, y_pred=[0] * 100).at_prevalence(0.05)
    found = next(f for f in e.findings() if f.code == "never-decided")
    assert found.severity == "warning"
    assert found.words.startswith("5 % of the cases belong to it")


def test_ranks_are_tested_with_the_cases_that_were_given() -> None:
    """Thirty cases of each class show that an area of 0.9 is no chance; at a prevalence of 0.001 they are no fewer."""
    rng = np.random.default_rng(1)
    y = np.repeat([0, 1], 30)
    e = karat.evaluate(y, y_score=rng.normal(size=60) - 1.8 * y)
    assert "reversed-scores" in e.findings().codes
    assert "reversed-scores" in e.at_prevalence(0.001).findings().codes


def test_models_at_given_frequencies_are_compared_by_compare_alone() -> None:
    """Numbers of cases that would show a difference, and exact tests, need cases as they were seen."""
    y = np.repeat([0, 1], [271, 129])
    rng = np.random.default_rng(2)
    models = {name: karat.evaluate(y, 1 / (1 + np.exp(-rng.normal(size=400) - y))) for name in ("a", "b")}
    assert karat.findings_of(models)
    assert karat.findings_of({name: e.at_prevalence(0.02) for name, e in models.items()}).codes == []
