"""What caught faults that were planted by hand and survived once; `run.py --named` plants them again."""

from __future__ import annotations

import dataclasses
import math
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import karat
from karat.measures.costs import expected_cost
from mutation.faults import drawn, faults


def test_a_macro_average_counts_classes_with_cases() -> None:
    """By hand: recalls 5/6 and 3/4; a third class has no case and is not predicted."""
    e = karat.evaluate_matrix([[5, 1, 0], [1, 3, 0], [0, 0, 0]])
    assert e["macro(TPR)"] == pytest.approx((5 / 6 + 3 / 4) / 2, abs=1e-15)
    assert e["precision_macro"] == pytest.approx((5 / 6 + 3 / 4) / 2, abs=1e-15)


def test_a_macro_average_of_scikit_learn_counts_predicted_classes_too() -> None:
    """By hand: precisions 4/5, 1, and 0 of a class that is predicted twice and has no case."""
    e = karat.evaluate_matrix([[4, 0, 2], [1, 3, 0], [0, 0, 0]])
    assert e["precision_macro"] == pytest.approx((4 / 5 + 1 + 0) / 3, abs=1e-15)
    assert e["macro(TPR)"] == pytest.approx((4 / 6 + 3 / 4) / 2, abs=1e-15)


def test_small_priors_count() -> None:
    """By hand: a class of one in ten thousand, half of whose cases are lost."""
    e = karat.evaluate_matrix([[90, 10], [5, 5]])
    assert e[expected_cost.at(prior=[0.9999, 0.0001])] == pytest.approx(0.9999 * 0.1 + 0.0001 * 0.5, abs=1e-15)
    none = karat.evaluate_matrix([[90, 10], [0, 0]])
    assert none[expected_cost.at(prior=[1.0, 0.0])] == pytest.approx(0.1, abs=1e-15)


def test_frequencies_that_differ_by_rounding_are_one_pool() -> None:
    """0.1 + 0.2 is more than 0.3 by its last digit; one in two thousand is a difference."""
    y, scores = [1, 0, 1, 1, 0], [0.2, 0.2, 0.6, 0.6, 0.6]
    e = karat.evaluate(y, y_score=scores, sample_weight=[0.3, 0.7, 0.1, 0.2, 0.7])
    table = e.statistics.table_of_class(1)
    assert (table.pools.tolist(), table.hull.tolist()) == ([0, 0], [0, 2])
    e = karat.evaluate([1, 0, 1, 0], y_score=[0.2, 0.2, 0.6, 0.6], sample_weight=[1000, 1000, 1001, 999])
    assert e.statistics.table_of_class(1).pools.tolist() == [0, 1]


@pytest.mark.parametrize("kind", [np.float64, np.float32])
@pytest.mark.parametrize("times", [1, 3000])
def test_minus_zero_ties_with_zero(kind: type, times: int) -> None:
    y = np.tile([0, 1, 0, 1, 1], times)
    score = np.tile(np.array([0.0, -0.0, -0.0, 0.0, 0.5], kind), times)
    by_hand = (2 * 2 * 0.5 + 2 * 1) / 6
    assert karat.evaluate(y, y_score=score)["AUC"] == pytest.approx(by_hand, abs=1e-12)
    both = np.stack([1 - score, score], axis=1)
    for p in (score, both):
        assert karat.evaluate(y, p)["AUC"] == pytest.approx(by_hand, abs=1e-12)
        for exact in (True, False):
            accumulated = karat.Accumulator(exact=exact)
            for part in range(2):
                accumulated.update(y[part::2], p[part::2])
            assert accumulated.evaluation()["AUC"] == pytest.approx(by_hand, abs=1e-12)
    drawn_again = karat.evaluate(y, score).intervals("AUC", method="percentile", replicates=99, seed=1)["AUC"]
    assert drawn_again.low <= by_hand <= drawn_again.high


def test_minus_zero_ties_with_zero_once_rows_are_given_up() -> None:
    """More rows than memory was allowed are folded into keys, which are sorted as bits."""
    y, score = np.tile([0, 1, 0, 1, 1], 4000), np.tile([0.0, -0.0, -0.0, 0.0, 0.5], 4000)
    folded = karat.Accumulator(memory=100_000)
    for part in range(8):
        folded.update(y[part::8], np.stack([1 - score, score], axis=1)[part::8])
    assert folded.evaluation()["AUC"] == pytest.approx((2 * 2 * 0.5 + 2 * 1) / 6, abs=1e-12)


def test_minus_zero_is_zero_in_scores_of_several_classes() -> None:
    y, score = np.arange(12) % 3, np.round(np.sin(np.arange(36.0)).reshape(12, 3), 0)
    assert np.signbit(score[score == 0]).any()
    one, other = (karat.evaluate(y, y_score=x) for x in (score, np.where(score == 0, 0.0, score)))
    assert one["AUNU"] == other["AUNU"]
    assert one.statistics.source.scores.tobytes() == other.statistics.source.scores.tobytes()  # type: ignore[union-attr]


@pytest.mark.parametrize("label", [2**63 - 1, 2**63, 2**64 - 1])
def test_labels_at_the_end_of_the_whole_numbers(label: int) -> None:
    for labels in (np.array([label, 1, label], np.uint64), [label, 1, label], [str(label), "1", str(label)]):
        e = karat.evaluate(labels, y_pred=labels)
        assert [str(c) for c in e.classes] == ["1", str(label)]
        assert e["Acc"] == 1


def test_labels_of_a_file_at_the_end_of_the_whole_numbers(tmp_path: Path) -> None:
    from karat.data.prediction_files import read

    file = tmp_path / "p.csv"
    file.write_text(f"y_true,y_pred\n{2**63},1\n1,1\n{2**63},{2**63}\n")
    (source,) = read(str(file)).values()
    assert [int(c) for c in source.classes] == [1, 2**63]


def test_texts_that_share_a_place_of_the_hash_table_are_told_apart() -> None:
    """A fault in a compiled kernel that shows only where a text belongs where the first one is."""
    for seed in range(20):
        texts = np.array([f"{seed}-{i}" for i in range(60)])
        assert len(karat.evaluate(texts, y_pred=texts).classes) == 60


def test_names_that_nothing_is_like_are_refused_without_a_guess() -> None:
    with pytest.raises(karat.InputError, match=r"^there is no measure 'zzqqxx'"):
        karat.catalogue.explain("zzqqxx")


SOURCE = '''
def f(a: int, b: int = 2) -> int:
    """A sentence with 3."""
    if a < b and not b:
        raise ValueError(f"{a} is 4")
    c = np.sum(a, axis=-1) + max(b, 5)
    c += 1
    return g(c, a)
'''


def test_faults_are_planted_one_by_one() -> None:
    found = faults(SOURCE)
    texts = {(f.kind, f.before, f.after) for f in found}
    assert ("comparison", "a < b", "(a <= b)") in texts
    assert ("and, or", "a < b and not b", "(a < b or not b)") in texts
    assert ("sign or not", "not b", "(b)") in texts
    assert ("check dropped", "a < b and not b", "(False)") in texts
    assert ("min, max", "max(b, 5)", "(min(b, 5))") in texts
    assert ("axis", "np.sum(a, axis=-1)", "(np.sum(a, axis=0))") in texts
    assert ("line dropped", "c += 1", "pass") in texts
    assert ("arguments swapped", "g(c, a)", "(g(a, c))") in texts
    assert ("constant", "2", "(3)") in texts
    assert not [f for f in found if f.before in ("3", "4")]
    for fault in found:
        compile(fault.planted(SOURCE), "planted", "exec")
        assert fault.planted(SOURCE) != SOURCE
    assert drawn({"a": found}, 99, 1) == drawn({"a": found}, 99, 1) != drawn({"a": found}, 99, 2)


def test_a_comma_in_quotes_separates_nothing_where_blanks_do() -> None:
    from karat.datasets.arff import parse_arff

    text = "@relation r\n@attribute a {'yes, sir', no}\n@attribute c {p, q}\n@data\n'yes, sir' q\nno p\n"
    data = parse_arff(text)
    assert (data.X.tolist(), data.y.tolist()) == ([[0.0], [1.0]], [1, 0])


def test_a_border_between_cases_and_a_point_has_no_interval() -> None:
    """By hand: the point has no cases that could be drawn."""
    rng = np.random.default_rng(3)
    y = np.arange(200) % 2
    model = karat.evaluate(y, np.clip(0.1 * y + 0.9 * rng.random(200), 0, 1), positive=1)
    found = karat.dominance({"model": model, "point": (0.05, 0.3)}, replicates=20)
    assert found.borders
    assert all(np.isnan(border.low) and np.isnan(border.seen) for border in found.borders)


def test_few_rows_of_one_model_are_not_taken_for_those_of_two() -> None:
    y, p = np.array([0, 1, 1, 0]), np.array([0.2, 0.7, 0.6, 0.4])
    added = karat.Accumulator(labels=[0, 1], positive=1)
    added.update(y, {"a": p, "b": 1 - p})
    added.update(y, {"a": p, "b": 1 - p})
    with pytest.raises(karat.InputError):
        added.update(y, p)


def test_a_table_says_nothing_of_intervals_that_are_there() -> None:
    rng = np.random.default_rng(2)
    y = np.arange(60) % 2
    e = karat.evaluate(y, np.clip(0.4 * y + 0.6 * rng.random(60), 0, 1), positive=1)
    few = ["Acc", "AUC", "MCC"]
    notes = e.displayed(few, e.intervals(few, replicates=50)).notes
    assert not [note for note in notes if note.startswith("Interval of")]


def test_a_label_of_2_to_the_63_beside_a_negative_one_is_no_float(tmp_path: Path) -> None:
    from karat.data.prediction_files import read

    file = tmp_path / "m.csv"
    file.write_text(f"y_true,y_pred\n{2**63},-1\n{2**63 + 1},{2**63}\n-1,-1\n")
    [source] = read(file).values()
    assert [int(c) for c in source.classes] == [-1, 2**63, 2**63 + 1]


def test_the_page_tells_what_was_recorded() -> None:
    from mutation.records import page, read

    here = Path(__file__)
    text = (here.parents[2] / "docs" / "trust.md").read_text(encoding="utf-8")
    assert page(read(here.with_name("record.csv")), text) == text


def test_what_a_study_takes_is_told() -> None:
    from karat.core.explanation import _facts_of_study

    taking = [s for s in karat.catalogue.studies.values() if s.takes]
    assert taking
    for study in taking:
        assert _facts_of_study(study)["takes"] == study.takes


def test_a_gap_of_three_classes_is_that_of_the_shares() -> None:
    """By hand: accuracy depends on how frequent the classes are; with three of them nobody tries two weights."""
    y = np.array([0, 1, 2] * 40)
    right = np.arange(120) % 4 > 0
    site = np.repeat(["north", "south"], 60)
    decided = np.where(right | (site == "north"), y, (y + 1) % 3)
    gap = karat.evaluate(y, y_pred=decided).by(site).gap("Acc", replicates=50)
    assert gap.value == pytest.approx(1 - 45 / 60)


@pytest.mark.parametrize("measure", ["Acc", "CEN"])
def test_a_loss_of_slices_is_lower_for_better_cases_and_their_mean(measure: str) -> None:
    """Accuracy is a mean over cases and no loss; CEN is lower for better models and no mean."""
    y = np.arange(60) % 2
    e = karat.evaluate(y, y_pred=np.where(np.arange(60) % 5, y, 1 - y), positive=1)
    with pytest.raises(karat.InputError, match="not the mean of a loss of each case"):
        karat.weak_slices(e, {"site": np.repeat(["a", "b", "c"], 20)}, loss=measure)


def test_a_library_that_is_not_there_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    from karat import versions

    monkeypatch.setattr(versions, "LIBRARIES", ("numpy", "no such library"))
    assert versions.show_versions()["no such library"] == "not installed"


@pytest.mark.parametrize("digits", [True, 1.5, -1, "2"])
def test_scores_are_rounded_to_whole_numbers_of_digits(digits: object) -> None:
    from karat.statistics import Segments

    e = karat.evaluate([0, 1, 1], [0.2, 0.7, 0.4])
    with pytest.raises(karat.InputError, match="give a whole number of at least 0"):
        Segments.of(e.statistics.source, digits=digits)


def test_a_class_that_nobody_has_in_one_of_many_matrices_is_told_of_that_one() -> None:
    """By hand: of two tables of three classes only the second has a class without a case that is never decided."""
    from karat.measures.confusion_entropies import idle, idle_classes
    from karat.statistics import Counts

    tables = np.array([[[3, 1, 1], [0, 4, 1], [1, 0, 5]], [[3, 1, 0], [0, 4, 0], [0, 0, 0]]], float)
    assert idle_classes(Counts(tables)).tolist() == [False, True]
    rejected = np.array([[[3, 1, 0], [0, 0, 2]], [[3, 0, 0], [0, 0, 0]]], float)  # a column of rejects
    assert idle(Counts(rejected)).tolist() == [[False, False], [False, False]]


def test_what_to_do_with_probabilities_that_are_none() -> None:
    """Rounding lies at both ends within its tolerance; one end alone is no sign of it."""
    for p, says in (
        ([[-0.2, 1.0], [0.5, 0.5]], "correct it, or pass scores"),
        ([[0.0, 1.7], [0.5, 0.5]], "divide percentages by 100"),
        ([[-1e-7, 1.0], [0.5, 0.5]], "if this is rounding"),
    ):
        with pytest.raises(karat.InputError, match=says):
            karat.evaluate([0, 1], p)


@pytest.mark.parametrize("name", [5, None, ["MCC"]])
def test_a_thing_that_is_explained_has_a_name(name: object) -> None:
    with pytest.raises(karat.InputError, match="name a measure, a diagram"):
        karat.explain(name)  # type: ignore[arg-type]


def test_openml_that_fails_is_not_taken_for_one_that_has_nothing() -> None:
    from urllib.error import HTTPError

    from karat.datasets.openml import from_openml

    def down(address: str) -> bytes:
        raise HTTPError(address, 500, "down", None, None)  # type: ignore[arg-type]

    with pytest.raises((HTTPError, karat.InputError)) as trouble:
        from_openml("iris", fetch=down)
    assert "no active data set" not in str(trouble.value)


@pytest.mark.parametrize("cell", [float("nan"), float("inf")])
def test_matrices_that_are_no_numbers(cell: float) -> None:
    with pytest.raises(karat.InputError):
        karat.evaluate_matrices(np.array([[[1.0, 2.0], [cell, 3.0]]]))


def test_one_matrix_of_one_class_is_not_many() -> None:
    with pytest.raises(karat.InputError, match=r"pass one matrix to karat\.evaluate_matrix"):
        karat.evaluate_matrices([[5]])


def test_a_measure_to_be_checked_is_declared() -> None:
    with pytest.raises(karat.InputError, match=r"declare it with karat\.measure first"):
        karat.check_measure(5)  # type: ignore[arg-type]


def test_an_empty_value_at_the_end_of_a_quoted_row() -> None:
    from karat.datasets.arff import _fields

    assert _fields("'a, b',", 1) == ["a, b", ""]
    assert _fields("'a, b', ", 1) == ["a, b", ""]


def test_a_class_without_cases_has_no_other_prevalence() -> None:
    from karat.statistics import ScoreTable

    table = ScoreTable(np.array([0.2, 0.7]), np.array([[1.0, 2.0], [0.0, 0.0]]), 1)
    with pytest.raises(karat.InputError, match="one of the classes has no case"):
        table.at_prevalence(0.3)


def test_classes_whose_values_are_asked_for_are_there() -> None:
    e = karat.evaluate_matrix([[3, 1, 0], [1, 3, 1], [0, 1, 4]])
    with pytest.raises(karat.InputError, match="holds 7, which is not among"):
        e.intervals("TPR", classes=[7])


def test_a_measure_without_a_value_where_the_class_is_nowhere() -> None:
    """F1 claims to be undefined where a class has no case and is never predicted, and there alone."""
    from karat.claims.trial_problems import MEANINGS
    from karat.measures.lookup import find

    assert find("F1").undefined in MEANINGS
    assert set(karat.check_measure("F1", on_fail="report").columns["complaint"]) == {""}


def test_whole_numbers_without_a_sign_are_compared_as_numbers() -> None:
    """By hand: 3 < 200 and 2^63 < 2^63 + 2 whatever the type; differences of uint8 would wrap around."""
    small, large = np.array([200, 3, 7], np.uint8), np.array([2**63 + 4, 2**63 - 1, 2**63], np.uint64)
    counts = karat.consistency(small, large).counts
    assert (counts.concordant, counts.discordant) == (3, 0)


def test_a_group_of_just_enough_cases_is_compared() -> None:
    """Five of each class are enough for rates; four are not."""
    y = np.array([0, 1] * 5 + [0, 1] * 9 + [0] * 5 + [1] * 4)
    site = np.array(["five"] * 10 + ["many"] * 18 + ["four"] * 9)
    decided = np.where(np.arange(len(y)) % 3, y, 1 - y)
    gap = karat.evaluate(y, y_pred=decided, positive=1).by(site).gap("TPR", replicates=20, smallest=2)
    assert set(gap.left_out) == {"four"}


@pytest.mark.parametrize("kind", ["numpy", "native"])
def test_cases_without_weight_are_no_ties(kind: str) -> None:
    """By hand: two of four cases are tied, or lost to a probability of 0; those of them that weigh nothing are not
    counted."""
    from karat import kernels

    if kind == "native" and kernels.native is None:
        pytest.skip("no compiled kernels")
    p = np.array([[0.5, 0.5], [0.5, 0.5], [1.0, 0.0], [1.0, 0.0]])
    w = np.array([1.0, 0.0, 2.0, 0.0])
    sums, _ = kernels.twin("probability_facts", kind)(np.array([0, 0, 1, 1], np.int32), p, w, w * w)
    assert sums[[6, 7]].tolist() == [1.0, 1.0]


def test_modified_confusion_entropy_by_hand() -> None:
    """Every wrong cell c counts twice, in the row and the column of a class with d = row + column - hits:
    c ln(d / c); of 10 cases of two classes the sum is divided by 2 * 10 ln 2. PyCM says 0.608847613416814."""
    expected = (math.log(7) + 2 * math.log(7 / 2) + 2 * math.log(6 / 2) + math.log(6)) / (20 * math.log(2))
    assert expected == pytest.approx(0.608847613416814, abs=1e-15)
    assert karat.evaluate_matrix([[4, 1], [2, 3]])["MCEN"] == pytest.approx(expected, abs=1e-14)


def test_slices_and_other_cases_of_the_same_loss_are_not_apart() -> None:
    from karat.slices.slice_value import _welch

    loss = np.full(6, 0.25)
    assert _welch(loss, np.ones(6), np.array([0, 1, 2]))[0] == 0
    loss = np.array([0.0, 0.0, 0.0, 1.0, 1.0, 1.0])
    assert _welch(loss, np.ones(6), np.array([0, 1, 2]))[0] == -math.inf
    assert _welch(loss, np.ones(6), np.array([3, 4, 5]))[0] == math.inf


def test_forecasts_of_a_row_of_one_case() -> None:
    """By hand: the forecasts of a class are the shares of its row, also where that holds a single case."""
    from karat.claims.trial_problems import forecast_table

    e = forecast_table(2, [[1, 0], [1, 3]], 1)
    assert e["MSE"] == pytest.approx((2 * 0 + 4 * 2 * 0.25**2) / (5 * 2))


def test_yules_q_of_an_odds_ratio_of_six() -> None:
    from karat.conformance.definitions import rebuilt

    e = karat.evaluate_matrix([[4, 1], [2, 3]], positive=1)
    assert e["OR"] == pytest.approx(6)
    assert rebuilt(e, "yules_q") == pytest.approx(5 / 7)


@pytest.mark.parametrize(("letter", "read"), [(0xD7FF, True), (0xD800, False), (0xDFFF, False), (0xE000, True)])
def test_characters_of_numpy(letter: int, read: bool) -> None:
    """Numbers from 0xD800 to 0xDFFF are halves of characters in UTF-16, and no characters."""
    from karat.data.npz_files import _with_characters

    texts = np.array([letter], np.uint32).view("<U1" if sys.byteorder == "little" else ">U1")
    if read:
        assert _with_characters(texts).tolist() == [chr(letter)]
    else:
        with pytest.raises(ValueError, match="no character"):
            _with_characters(texts)


def test_lines_of_training_come_now_and_then(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A model a second, and ten seconds between lines: 10, 20 and the last."""
    from karat.adapters import cross_validation

    now = [0.0]
    monkeypatch.setattr(cross_validation.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(cross_validation, "EVERY", 10.0)
    step = cross_validation._Lines(25)
    for _ in range(25):
        now[0] += 1.0
        step()
    assert [line.split()[1] for line in capsys.readouterr().err.splitlines()] == ["10", "20", "25"]


def test_the_least_evil_is_avoided_by_no_circumstance() -> None:
    from types import SimpleNamespace as Circumstances

    from karat.advice.advice import _restated
    from karat.advice.guidelines import GOALS

    here: list[Any] = [Circumstances(avoid=("Acc",), without=()), Circumstances(avoid=("F1",), without=())]
    goal = next(iter(GOALS.values())) if isinstance(GOALS, dict) else GOALS[0]
    assert [one.name for one in _restated(goal, ["Acc", "F1", "MCC"], here)] == ["MCC"]


def test_a_last_cell_of_few_cases_goes_to_the_one_before() -> None:
    """By hand: five cases of each set are enough; the last cell has two."""
    from karat.changes.label_shift import FEWEST_EXPECTED, _merged

    assert FEWEST_EXPECTED == 5
    cell = np.repeat([0, 1, 2], [5, 6, 2])
    assert [places.tolist() for places in _merged(cell, cell)] == [[0] * 5 + [1] * 8] * 2


def test_the_table_of_a_comparison_names_who_is_better() -> None:
    y = np.arange(200) % 2
    good, bad = np.where(np.arange(200) % 20, y, 1 - y), np.where(np.arange(200) % 3, y, 1 - y)
    models = {name: karat.evaluate(y, y_pred=d, positive=1) for name, d in (("good", good), ("bad", bad))}
    table = karat.compare(models, measures=["Acc"]).to_table()
    assert table.columns["significantly better"] == ["good"]


def test_versions_of_programs_that_answer_here_and_of_those_that_answered_once() -> None:
    from karat.conformance.conformance import VERSIONS, Row, fixed_data, versions

    here = Row("numpy", fixed_data()[0].name, "", "", 0, 0, "", "")
    program = next(iter(VERSIONS))
    stored = Row(program, "of another file", "", "", 0, 0, "", "")
    assert versions([here, stored]) == {"numpy": np.__version__, program: VERSIONS[program]}


def test_shares_of_the_largest_and_the_smallest_class_of_a_data_set() -> None:
    """By hand: 3, 2 and 5 of ten cases."""
    from types import SimpleNamespace as Data

    from karat.datasets.published import Published

    data: Any = Data(y=np.repeat([0, 1, 2], [3, 2, 5]), X=np.zeros((10, 4)), classes=("a", "b", "c"), nominal=(1,))
    about = {"cases": 10, "attributes": 4, "classes": 3, "nominal": 1, "numeric": 3}
    assert Published("", "", "", **about, majority=50.0, minority=20.0, why="").differences(data) == {}
    other = Published("", "", "", **about, majority=20.0, minority=50.0, why="").differences(data)
    assert other == {"majority": (20.0, 50.0), "minority": (50.0, 20.0)}


def test_classes_given_for_probabilities_are_refused_in_their_own_words() -> None:
    """Zeros and ones that are floats may be probabilities of two classes; whole numbers are not."""
    for given, hint in (([0.0, 1.0, 1.0], True), ([0, 1, 1], False)):
        with pytest.raises(karat.InputError) as refused:
            karat.measures.log_loss([0, 1, 0], given)
        assert ("if they are probabilities" in str(refused.value)) is hint


def test_classes_of_many_tables_that_are_not_square_have_no_confusion_entropy() -> None:
    from karat.measures.confusion_entropies import class_confusion_entropy
    from karat.statistics import Counts

    values = class_confusion_entropy.function(Counts(np.ones((4, 2, 3))))
    assert values.shape == (4, 2)
    assert np.isnan(values).all()


def test_what_is_said_of_a_cell_that_is_not_reproduced() -> None:
    from karat.reproductions.cell import FAILED, Cell

    cells = [
        Cell(where="Table 1", what="Acc", published=0.5, ours=0.9, digits=2, why=why) for why in ("", "another seed")
    ]
    assert [cell.verdict for cell in cells] == [FAILED, FAILED]
    assert [cell.note for cell in cells] == ["no explanation is known", "another seed"]


@pytest.mark.parametrize("option", ["bayes", "stratified"])
def test_of_very_many_classes_only_the_plain_bootstrap_is_drawn(option: str) -> None:
    y = np.arange(6000) % 3000
    e = karat.evaluate(y, y_pred=np.where(y % 3, y, 0))
    chosen: dict[str, Any] = {"method": "bayes"} if option == "bayes" else {"method": "basic", "stratified": True}
    with pytest.raises(karat.InputError, match="only the unstratified bootstrap is available"):
        e.intervals("Acc", replicates=20, **chosen)


def test_kernels_that_were_not_built_are_not_insisted_on_in_vain() -> None:
    text = "import sys; sys.modules['karat.kernels._native'] = None; import karat.kernels"
    surroundings = os.environ | {"KARAT_KERNELS": "native"}
    done = subprocess.run([sys.executable, "-c", text], env=surroundings, capture_output=True, text=True, check=False)
    assert "none were built" in done.stderr


def test_nothing_is_the_matter_with_a_task_unless_that_is_said() -> None:
    from karat.advice.advice import Task

    assert not any((Task().frequencies_change, Task().noisy_labels, Task().distorted))


def test_facts_are_explained_in_a_column() -> None:
    from commands import run

    lines = run("explain", "MCC", columns=80).splitlines()
    [symbol] = [line for line in lines if line.startswith("symbol")]
    assert symbol.index("MCC") == 20


def test_blas_has_one_thread_while_a_unit_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    from karat.engines import one_thread

    class Limits:
        def __init__(self) -> None:
            seen.append("limited")

        def restore_original_limits(self) -> None:
            seen.append("restored")

    seen: list[str] = []
    monkeypatch.setattr(one_thread, "_limited", Limits)
    with one_thread.one_thread(), one_thread.one_thread():
        assert seen == ["limited"]
    assert seen == ["limited", "restored"]


def test_a_function_that_can_not_be_hashed_can_be_a_measure() -> None:
    from karat.measures.functions import OfCases

    class Function:
        __hash__ = None  # type: ignore[assignment]

        def __eq__(self, other: object) -> bool:
            raise AssertionError

        def __call__(self, y_true: Any, y_pred: Any) -> float:
            return 1.0

    formula = OfCases(Function())
    assert {formula: 1}[formula] == 1


def test_a_function_may_have_any_value() -> None:
    m = karat.measure_from_function(lambda y_true, y_pred: -7.0, symbol="MinusSeven", takes="y_pred")
    try:
        assert tuple(m.range) == (-math.inf, math.inf)
        assert karat.evaluate([0, 1], y_pred=[0, 1])[m] == -7
    finally:
        karat.catalogue.measures.remove("MinusSeven")


@pytest.mark.parametrize("symbol", ["NEC", "ETX_DH", "NIT"])
def test_shares_are_between_0_and_1(symbol: str) -> None:
    from karat.measures.lookup import find

    low, high = find(symbol).range
    assert low == 0
    assert high == 1


def test_a_row_with_a_row_in_it_is_no_row_of_numbers() -> None:
    with pytest.raises(karat.InputError) as refused:
        karat.evaluate_matrices([[1, [2]]])
    assert "pass one matrix" not in str(refused.value)


def test_the_table_of_two_models_names_who_is_better() -> None:
    y = np.arange(200) % 2
    good, bad = np.where(np.arange(200) % 20, y, 1 - y), np.where(np.arange(200) % 3, y, 1 - y)
    models = {name: karat.evaluate(y, y_pred=d, positive=1) for name, d in (("good", good), ("bad", bad))}
    table = karat.compare(models, measures=["Acc"])["good", "bad"].to_table()
    assert table.columns["significantly better"] == ["good"]


def test_zones_of_an_entropy_triangle_are_named() -> None:
    pyplot = pytest.importorskip("matplotlib.pyplot")
    from karat.diagrams.information_diagrams import ZONES, EntropyTriangle

    e = karat.evaluate_matrix([[4, 1], [2, 3]])
    e.diagram("entropy_triangle").plot()
    assert len(pyplot.gca().lines) == 1, "the name is joined to its point"
    written = {text.get_text() for text in pyplot.gcf().findobj(pyplot.Text)}
    pyplot.close("all")
    assert {text for text, _ in ZONES} <= written
    assert {*EntropyTriangle.corner_labels} <= written


def test_a_seed_of_diagrams_may_be_0() -> None:
    e = karat.evaluate([0, 1, 1, 0, 1], [0.2, 0.7, 0.4, 0.5, 0.9])
    assert e.diagram("roc_curve", band=0.9, replicates=200, seed=0)
    with pytest.raises(karat.InputError):
        e.diagram("roc_curve", seed=-1)


INFINITE = math.inf
DECLARED: dict[str, tuple[tuple[float, float], float | None]] = {
    "BrierLoss": ((0, 2), 0),
    "ETX_DH": ((0, 1), None),
    "ET_2MI": ((0, 1), 1),
    "H_X|Y": ((0, INFINITE), 0),
    "Jaccard": ((0, 1), 1),
    "MK": ((-1, 1), 1),
    "NEC": ((0, 1), 0),
    "NIT": ((0, 1), 1),
    "TPR": ((0, 1), 1),
    "cwECE": ((0, 1), 0),
}
"""What papers say: the least and the greatest value, and the best."""


@pytest.mark.parametrize("symbol", DECLARED)
def test_ranges_and_best_values_are_those_of_the_papers(symbol: str) -> None:
    from karat.measures.lookup import find

    m = find(symbol)
    (low, high), best = DECLARED[symbol]
    assert tuple(m.range) == (low, high)
    assert m.best == best
    if symbol in ("BrierLoss", "NEC", "cwECE"):  # whatever their parameters are
        assert tuple(m.range_at) == (low, high)


def test_names_of_f_scores() -> None:
    from karat.measures.lookup import find

    m = find("F0.5")
    assert (m.symbol, m.name) == ("F0.5", "f_score_for_precision")
    e = karat.evaluate_matrix([[4, 1], [2, 3]], positive=1)
    precision, recall = 3 / 4, 3 / 5
    assert e["F0.5"] == pytest.approx(1.25 * precision * recall / (0.25 * precision + recall))


def test_levels_are_0_95_unless_another_is_asked_for() -> None:
    from karat.across import Wilcoxon, wilcoxon

    e = karat.evaluate([0, 1, 1, 0, 1, 0], [0.2, 0.7, 0.4, 0.5, 0.9, 0.6])
    assert str(e.operating(cost={"fp": 1, "fn": 2})) == str(e.operating(cost={"fp": 1, "fn": 2}, level=0.95))
    rng = np.random.default_rng(1)
    a, b = rng.random(12), rng.random(12)
    assert Wilcoxon.__dataclass_fields__["level"].default == 0.95
    assert wilcoxon(a, b).level == 0.95


def test_the_smallest_set_tells_nine_tenths_unless_told_otherwise() -> None:
    rng = np.random.default_rng(3)
    columns = {name: rng.random(20) for name in "abcde"}
    rankings = karat.compare_measures(columns, lower_is_better=dict.fromkeys(columns, False))
    assert str(rankings.smallest_set()) == str(rankings.smallest_set(0.9))


@pytest.mark.parametrize(("predicted", "level"), [(40, "note"), (80, "warning")])
def test_a_class_that_is_predicted_often_should_have_had_cases(predicted: int, level: str) -> None:
    """By hand: were one in ten predictions right, 40 in vain would happen in .9^40 = 1.5 %, 80 in .02 %."""
    y = np.array(["a", "b"] * 100)
    found = karat.evaluate(y, y_pred=np.where(np.arange(200) < predicted, "c", y), labels=["a", "b", "c"]).findings()
    [finding] = [f for f in found if f.code == "absent-classes"]
    assert str(finding).startswith(level)


def test_remarks_are_sentences_and_conditions() -> None:
    for m in karat.catalogue.measures.values():
        assert all(isinstance(remark.words, str) and callable(remark.applies) for remark in m.remarks), m
    e = karat.evaluate(["a", "a"], y_pred=["a", "a"], labels=["a"])
    assert e["CEN"] == e["rCEN"] == 0
    assert any("0 for a single class" in str(note) for note in e.displayed(["CEN", "rCEN"]).notes)


def test_a_function_takes_no_name_of_a_measure() -> None:
    with pytest.raises(karat.InputError, match=r"is a name of the measure .* use that, or pass symbol="):
        karat.measure_from_function(lambda y_true, y_pred: 0.0, symbol="MCC", takes="y_pred")


def test_classes_that_wang_prints_are_the_most_probable_ones() -> None:
    from karat.reproductions.wang2013 import _tables_1_to_7

    cells = [cell for cell in _tables_1_to_7() if cell.what.startswith("predicted")]
    assert cells
    assert [cell.ours for cell in cells] == [cell.published for cell in cells]


def test_trees_all_of_whose_columns_have_many_values() -> None:
    """By hand: of ten cases three values are many. The first tree has columns of 5 and 6, the second one of 2."""
    from types import SimpleNamespace

    from karat.learners.kernel import _many_valued

    columns: Any = SimpleNamespace(values=np.array([5, 2, 6]))
    left_out = np.array([[0, 1, 0], [0, 0, 1]])
    assert _many_valued(columns, np.ones(10), left_out).tolist() == [1, 0]


def test_only_what_is_printed_upside_down_is_corrected() -> None:
    """Equation (4) of Valverde-Albacete and Pelaez-Moreno, that of NIT."""
    from karat.reproductions.valverde2014 import _table_1

    corrected = {cell.what.split()[0] for cell in _table_1({}) if "upside down" in cell.correction}
    assert corrected == {"NIT"}


def test_trees_are_grown_as_j48_does_unless_told_otherwise() -> None:
    """Weka's defaults: -M 2 -C 0.25, subtrees collapsed, pruned and raised, no binary splits."""
    from karat.learners.rules import Rules

    r = Rules()
    assert (r.least, r.binary, r.collapse, r.prune, r.raising, r.confidence) == (2, False, True, True, True, 0.25)


def test_a_study_is_explained_with_what_its_size_means() -> None:
    """Census counts cases, and takes no data."""
    facts = karat.explain("census").facts
    assert (facts["size"], facts["takes"]) == ("cases", None)


def test_numbers_of_other_libraries_stand_under_their_own_name() -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    from karat.conformance.fixed_data import fixed_data
    from karat.conformance.live_peers import scikit_learn

    said = [one for one in scikit_learn(fixed_data()[0]) if "(" not in one.measure]  # averages are scorers
    assert said
    for one in said:
        assert hasattr(metrics, one.name), one
        assert one.measure in karat.catalogue.measures, one


@pytest.mark.parametrize("name", ["table.txt", "table", "table.xlsx"])
def test_a_table_of_a_study_is_written_as_csv_or_parquet_alone(name: str, tmp_path: Path, capsys: Any) -> None:
    from karat.cli import main

    with pytest.raises(SystemExit, match="2"):
        main(["study", "census", "--size", "4", "-o", str(tmp_path / name)])
    assert "name it .csv or .parquet" in capsys.readouterr().err.replace("\n", " ")
    assert not list(tmp_path.iterdir())


def test_the_share_of_signed_ranks_that_prati_is_answered_with_is_that_of_the_positive_cases() -> None:
    """By the definition of the signed rank statistic: the ranks of the sizes of differences above 0."""
    from karat.reproductions.prati2011_sketches import _curves

    rng = np.random.default_rng(2)
    apart = rng.normal(1, 1, 40) - rng.normal(0, 1, 40)
    ranks = np.abs(apart).argsort().argsort() + 1
    [cell] = [cell for cell in _curves() if "signed rank" in cell.what]
    assert f"signed rank {ranks[apart > 0].sum() / ranks.sum():.3f}" in cell.why


def test_cells_of_too_few_cases_altogether_are_one() -> None:
    from karat.changes.label_shift import _merged

    few, other = _merged(np.array([0, 1, 2]), np.array([0, 2, 2]))
    assert (few.tolist(), other.tolist()) == ([0, 0, 0], [0, 0, 0])


@pytest.mark.parametrize("wrong", [30_000, 70_000, (1 << 19) + 60])
def test_a_wrong_row_of_many_is_found_in_whatever_part_it_is(wrong: int) -> None:
    """More than 2^19 rows are looked at in parts of 2^16; none of them is taken in."""
    from karat.accumulation.model_states import KeyState

    p = np.full((1 << 19) + 100, 0.5)
    p[wrong] = 1.5
    state = KeyState(None, 1, keep=False)  # type: ignore[arg-type]
    assert state.add_columns(np.zeros(len(p), np.int8), p) == wrong
    assert state.rows == 0


def test_bytes_with_a_place_beyond_the_classes_are_refused() -> None:
    from karat.accumulation.state_bytes import _check_places
    from karat.data import Predictions

    p = Predictions.of([0, 1, 1], [0.2, 0.7, 0.9], labels=[0, 1], positive=1)
    _check_places(p)
    for places in ([0, 1, 2], [2, 2, 2], [-1, 0, 1]):
        wrong = dataclasses.replace(p, truth=np.array([places], p.truth.dtype))
        with pytest.raises(ValueError, match="places"):
            _check_places(wrong)


def test_of_several_tables_each_must_have_cases_of_both_classes() -> None:
    from karat.statistics import ScoreTable

    weight = np.array([[[1.0, 2.0], [0.0, 1.0]], [[1.0, 2.0], [0.0, 0.0]]])  # [tables, (rest, own), scores]
    with pytest.raises(karat.InputError, match="one of the classes has no case"):
        ScoreTable(np.array([0.2, 0.8]), weight).at_prevalence(0.3)
    ScoreTable(np.array([0.2, 0.8]), weight[:1]).at_prevalence(0.3)


def test_a_gap_whose_p_is_just_the_level_is_significant() -> None:
    y, wrong = np.arange(80) % 2, np.isin(np.arange(80), [*range(7), 30, 40, 50])  # 7 of 30, and 3 of 50
    g = karat.evaluate(y, y_pred=np.where(wrong, 1 - y, y)).by(np.where(np.arange(80) < 30, "a", "b"))
    p = g.gap("accuracy", replicates=199).p
    assert 0.005 <= p < 0.5
    at, below = (g.gap("accuracy", replicates=199, level=1 - x).low for x in (p, p - 0.001))
    assert at > 0 == below


@pytest.mark.parametrize("groups", [19, 20])
def test_twenty_groups_of_one_size_are_copies(groups: int) -> None:
    from karat.findings.copies import FEWEST_REGULAR_GROUPS, _are_in_table

    assert FEWEST_REGULAR_GROUPS == 20
    scores = np.repeat(np.arange(1, groups + 1) / 40, 2)
    truth = np.tile([0, 1], groups)  # unlike within each score, so that nothing else speaks for copies
    e = karat.evaluate(truth, scores)
    assert _are_in_table(e.statistics) == (groups >= 20)


def test_a_column_is_certain_only_if_all_of_it_is() -> None:
    from karat.data.prediction_columns import _are_certain

    column = np.append(np.ones(1000), 0.5)
    assert not _are_certain(column)
    assert not _are_certain(column[::-1])
    assert _are_certain(column[:-1])


@pytest.mark.parametrize("largest", [3, 40_000])
def test_small_numbers_are_ordered_whatever_their_type_holds(largest: int) -> None:
    from karat.resampling._sums import in_order_of

    codes = np.array([largest, 1, 0, 1, largest])
    assert in_order_of(codes).tolist() == [2, 1, 3, 0, 4]


def test_a_fault_is_known_by_its_place_wherever_its_line_is() -> None:
    """Lines move with every change above them: a record that names lines forgets what was tried."""
    from mutation.run import key

    source = (
        f"LEAST = 3\n\n\nclass C:\n    N = 1\n{SOURCE}\n\n@rate(range=(0, 1))\ndef share(c):\n    return c.tp / c.n\n"
    )
    before, after = ([key("a.py", f) for f in faults(text)] for text in (source, f"# more\n\n\n{source}"))
    assert before == after
    assert {place for _, place, *_ in before} == {"LEAST", "C.N", "f", "share"}


def test_kernel_faults_are_known_by_their_function(tmp_path: Path) -> None:
    from mutation.kernel_faults import place_of, sites

    code = "def total(x):\n    cdef double s\n    s = 0.0\n    for i in range(3):\n        s += x[i]\n    return s\n"
    code += "\n\ncdef inline double twice(double x) noexcept nogil:\n    x += x\n    return x\n"
    found = []
    for text in (code, f"# more\n\n{code}"):
        (tmp_path / "_one.pxi").write_text(text)
        (tmp_path / "_native.pyx").write_text("")
        found.append([place_of(s) for s in sites(tmp_path)])
    assert found[0] == found[1]
    assert [place for _, place, *_ in found[0]] == ["total", "total", "twice"]
