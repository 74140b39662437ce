"""Prati, Batista & Monard 2011: returns, cost lines, discrimination."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.stats import mannwhitneyu

import karat
from karat.diagrams import ROI, Attributes, CostCurve, CostLines, Discrimination, Lift, ROCCurve, ROCGraph
from karat.diagrams.profit_curves import total_profit
from karat.measures.costs import expected_cost, normalised_expected_cost
from karat.statistics import Counts
from karat.statistics.roc_hull import Condition, slope_at
from published import of, printed


def mailed(fpr: float, tpr: float) -> karat.Evaluation:
    """100,000 customers, 5,000 of whom would answer a mail."""
    return karat.evaluate_matrix([[95_000 * (1 - fpr), 95_000 * fpr], [5_000 * (1 - tpr), 5_000 * tpr]])


@pytest.mark.parametrize(
    ("fpr", "tpr", "profit", "each_mail", "share"),
    [
        (0.10, 0.50, 96_500, 89_000, 0.120),  # A, section 4.5 (profits) and 4.4 (lift)
        (0.10, 0.28, 41_500, 37_300, 0.109),  # B
        (0.40, 0.78, 81_000, 69_300, 0.419),  # A
        (0.40, 0.87, 103_500, 90_450, 0.4235),  # B
        (0.15, 0.65, 119_750, 110_000, 0.175),  # A at its maximum
    ],
)
def test_prati_returns(fpr: float, tpr: float, profit: float, each_mail: float, share: float) -> None:
    e = mailed(fpr, tpr)
    assert -100_000 * e[expected_cost.at(cost=[[0, 3], [0, -50]])] == pytest.approx(profit, abs=1e-6)
    assert -100_000 * e[expected_cost.at(cost=[[0, 3], [0, -47]])] == pytest.approx(each_mail, abs=1e-6)
    assert e["PredPos"] == pytest.approx(share, abs=1e-12)
    assert e["PPV"] == pytest.approx(tpr * 0.05 / share, abs=1e-12)
    any_share = karat.evaluate_matrix([[1 - fpr, fpr], [1 - tpr, tpr]])
    with_prior = expected_cost.at(cost=[[0, 3], [0, -50]], prior=[0.95, 0.05])
    assert -100_000 * any_share[with_prior] == pytest.approx(profit, abs=1e-6)


def test_prati_equation_8_as_printed() -> None:
    literal = [[0, 0], [0.05 * 3, 0.05 * -50]]  # -3 in the wrong cell of Table 3, and p(X) once too often
    assert -100_000 * mailed(0.10, 0.50)[expected_cost.at(cost=literal)] == pytest.approx(5_875, abs=1e-6)


def test_prati_cost_lines() -> None:
    rng = np.random.default_rng(2)
    for fn, fp, tn, tp in rng.integers(1, 50, (20, 4)):
        c_fn, c_fp = rng.random(2) + 0.1
        e = karat.evaluate_matrix([[tn, fp], [fn, tp]])
        pi = e["Prev"]
        highest = pi * c_fn + (1 - pi) * c_fp
        slope = c_fp * (1 - pi) / (c_fn * pi)
        cost = e[expected_cost.at(cost=[[0, c_fp], [c_fn, 0]])]
        assert cost == pytest.approx(pi * (1 - e["TPR"]) * c_fn + (1 - pi) * e["FPR"] * c_fp, abs=1e-12)
        assert e[normalised_expected_cost.at(pc=1 / (1 + slope))] == pytest.approx(cost / highest, abs=1e-12)
        assert [e[normalised_expected_cost.at(pc=pc)] for pc in (0, 1)] == pytest.approx(
            [e["FPR"], e["FNR"]], abs=1e-15
        )
        assert e["EC"] == pytest.approx(1 - e["Acc"], abs=1e-12)
    for slope, pc, digits in [(6.5, 0.133333, 6), (6.5, 0.13, 2), (1.5, 0.4, 12)]:  # sections 3.2, 3.3 and 4.2
        assert 1 / (1 + slope) == printed(pc, digits)
        at = normalised_expected_cost.at(pc=1 / (1 + slope))
        lower, upper = [[100 - 20, 20], [50, 50]], [[100 - 24, 24], [50 - 4 * slope, 50 + 4 * slope]]
        assert of(lower, "Acc") != of(upper, "Acc")
        assert karat.evaluate_matrix(lower)[at] == pytest.approx(karat.evaluate_matrix(upper)[at], abs=1e-12)
        never, always, coin = [[9, 0], [4, 0]], [[0, 9], [0, 4]], [[5, 5], [2, 2]]
        found = [karat.evaluate_matrix(m)[at] for m in (never, always)]
        assert found == pytest.approx([1 / (1 + slope), slope / (1 + slope)], abs=1e-12)
        assert karat.evaluate_matrix(coin)["NEC"] == 0.5


def test_prati_section_7() -> None:
    """TIC: 4,000 customers, 238 buyers; NBTree, BN and NB as whole counts that explain all that was printed."""
    points = [(0, 0), (4, 8), (83, 436), (101, 720), (238, 3762)]
    found = [karat.evaluate_matrix([[3762 - fp, fp], [238 - tp, tp]]) for tp, fp in points]
    assert [round(4000 * e["EC"]) for e in found[1:4]] == [242, 591, 857]
    assert [100 * e["EC"] for e in found[1:4]] == printed([6.05, 14.775, 21.43], 2)
    ends = [[e[normalised_expected_cost.at(pc=pc)] for pc in (0, 1)] for e in found]
    crossings = [(a[0] - b[0]) / (a[0] - b[0] - a[1] + b[1]) for a, b in itertools.pairwise(ends)]
    assert crossings == printed([0.1123, 0.2553, 0.4995, 0.5842], 4)
    assert crossings == pytest.approx([0.11, 0.25, 0.50, 0.58], abs=0.01)  # as published


@pytest.mark.parametrize(
    ("positives", "negatives", "overlap", "area", "distance"),
    [
        ([0.2, 0.6], [0.2, 0.6], 1, 0.5, 0),  # section 5.4: "the overlapped area is equivalent to the AUC" is not so
        ([0.8, 0.9], [0.1, 0.2], 0, 1, 0.7),
        ([0.5, 0.5], [0.1, 0.9], 0, 0.5, 0),
        ([0.65, 0.65], [0.35, 0.35], 0, 1, 0.3),  # the same distance of means, two AUCs
        ([0.8, 0.4], [0.1, 0.5], 0, 0.75, 0.3),
    ],
)
def test_prati_discrimination(
    positives: list[float], negatives: list[float], overlap: float, area: float, distance: float
) -> None:
    e = karat.evaluate([1, 1, 0, 0], positives + negatives)
    assert [e[s] for s in ("OVL", "AUC", "DD", "Gini")] == pytest.approx(
        [overlap, area, distance, 2 * area - 1], abs=1e-12
    )
    assert mannwhitneyu(positives, negatives).statistic / 4 == e["AUC"]  # the rank sum, not the signed ranks


def test_prati_reference_of_figures_9_and_19() -> None:
    e = karat.evaluate([1, 1, 1, 0, 0, 0, 0, 0], [[0.0, 1.0]] * 8)  # always positive, with probability 1
    assert (e["BS"], e["UNC"]) == (1 - 3 / 8, 3 / 8 * 5 / 8)


FIGURES = {
    "A": [(0.0, 0.0), (0.10, 0.50), (0.15, 0.65), (0.40, 0.78), (1.0, 1.0)],
    "B": [(0.0, 0.0), (0.10, 0.28), (0.40, 0.87), (1.0, 1.0)],
}
"""the corners that the text gives"""


def ranked(points: list[tuple[float, float]]) -> dict[str, np.ndarray]:
    """Cases whose ROC curve has these corners; 95,000 of the rest and 5,000 customers, as weights."""
    steps = np.diff(points, axis=0)
    score = np.arange(len(steps), 0, -1) / (len(steps) + 1)
    return {
        "y_true": np.repeat([0, 1], len(steps)),
        "y_proba": np.tile(score, 2),
        "sample_weight": np.concatenate([95_000 * steps[:, 0], 5_000 * steps[:, 1]]),
    }


def test_prati_return_curves() -> None:
    """The five dollar figures, as points of the curves."""
    asked = {"tp": 50, "fp": -3}
    a, b = (ROI.from_predictions(**ranked(points), **asked) for points in FIGURES.values())
    assert (a.cases, a.prevalence) == (pytest.approx(100_000), pytest.approx(0.05))
    assert a.profit == pytest.approx([0, 96_500, 119_750, 81_000, -35_000], abs=1e-6)
    assert b.profit == pytest.approx([0, 41_500, 103_500, -35_000], abs=1e-6)
    assert (a.best_profit, a.best_share) == (pytest.approx(119_750), pytest.approx(0.175))  # "18 %"
    assert (b.best_profit, b.best_share) == (pytest.approx(103_500), pytest.approx(0.4235))  # "42 %"
    # from data of any other size and share of customers
    data = ranked(FIGURES["A"])
    other = data | {"sample_weight": data["sample_weight"] * np.where(data["y_true"] == 1, 13.7, 0.01)}
    again = ROI.from_predictions(**other, **asked, cases=100_000, prevalence=0.05)
    assert (again.profit, again.contacted) == (pytest.approx(a.profit, abs=1e-6), pytest.approx(a.contacted))
    each_mail = ROI.from_predictions(**data, tp=47, fp=-3)
    assert each_mail.profit[1:4] == pytest.approx([89_000, 110_000, 69_300], abs=1e-6)
    tables = Counts(np.array([[[95_000 * (1 - f), 95_000 * f], [5_000 * (1 - t), 5_000 * t]] for f, t in FIGURES["B"]]))
    assert total_profit(tables, 100_000, tp=50, fp=-3) == pytest.approx(b.profit, abs=1e-6)


def test_prati_lift_and_roc() -> None:
    a, b = (Lift.from_predictions(**ranked(points)) for points in FIGURES.values())
    assert a.reached == pytest.approx([0, 0.12, 0.175, 0.419, 1])
    assert b.reached == pytest.approx([0, 0.109, 0.4235, 1])
    for name, points in FIGURES.items():
        d = ROCCurve.from_predictions(**ranked(points))
        assert np.column_stack([d.fpr, d.tpr]) == pytest.approx(np.array(points))
        if name == "A":
            assert d.area == pytest.approx(0.76755, abs=0.03)  # with its fitted corner


def test_prati_operating_conditions() -> None:
    assert (slope_at(1 / 7.5), slope_at(0.4)) == (pytest.approx(6.5), pytest.approx(1.5))
    assert Condition(cost_fp=6.5, cost_fn=1, prevalence=0.5).pc == printed(0.1333, 4)
    assert Condition(cost_fp=6.5, cost_fn=1, prevalence=0.5).slope == pytest.approx(6.5)  # eq. (2) as printed: .154
    assert Condition(cost_fp=1, cost_fn=1, prevalence=0.4).slope == pytest.approx(1.5)
    a, b = (CostCurve.from_predictions(**ranked(points)) for points in FIGURES.values())
    (crossing,) = a.crossings(b)
    for pc, cheaper in ((crossing["pc"] - 0.02, a), (crossing["pc"] + 0.02, b)):
        costs = {id(c): np.interp(pc, c.pc, c.cost) for c in (a, b)}
        assert min(costs, key=costs.__getitem__) == id(cheaper)
    assert crossing["pc"] == pytest.approx(0.5, abs=0.05)


def test_prati_operating_ranges() -> None:
    """Section 7: NBTree, then BN, then NB, from the whole counts that explain what was printed."""
    counts = {"NBTree": (4, 8), "BN": (83, 436), "NB": (101, 720)}
    tables = {name: [[3762 - fp, fp], [238 - tp, tp]] for name, (tp, fp) in counts.items()}
    for kind in (ROCGraph, CostLines):
        d = kind.from_matrices(tables, labels=[0, 1])
        assert d.hull == ("always negative", "NBTree", "BN", "NB", "always positive")
        assert d.never_optimal == ()
        ranges = d.operating_ranges.columns
        assert ranges["best"] == list(d.hull)
        assert ranges["pc_to"][:-1] == printed([0.1123, 0.2553, 0.4995, 0.5842], 4)
        assert ranges["pc_to"][:-1] == pytest.approx([0.11, 0.25, 0.50, 0.58], abs=0.01)
        assert ranges["pc_from"] == [0, *ranges["pc_to"][:-1]]
        assert ranges["slope_from"][:-1] == pytest.approx([1 / pc - 1 for pc in ranges["pc_to"][:-1]])
    x, y = CostLines.from_matrices(tables, labels=[0, 1]).envelope
    assert (x[0], x[-1], y[0], y[-1]) == (0, 1, 0, 0)
    assert y == pytest.approx([min([pc, 1 - pc] + [(1 - tp / 238) * pc + fp / 3762 * (1 - pc)
                               for tp, fp in counts.values()]) for pc in x])  # fmt: skip
    chosen = {pc: ROCGraph.from_matrices(tables, labels=[0, 1], cost_fp=1 - pc, cost_fn=pc, prevalence=0.5).best
              for pc in (0.05, 0.2, 0.4, 0.55, 0.9)}  # fmt: skip
    assert list(chosen.values()) == ["always negative", "NBTree", "BN", "NB", "always positive"]


def test_prati_discrimination_diagrams() -> None:
    for positives, negatives, overlap, distance in (
        ([0.2, 0.6], [0.2, 0.6], 1, 0),
        ([0.8, 0.9], [0.1, 0.2], 0, 0.7),
        ([0.5, 0.5], [0.1, 0.9], 0, 0),
    ):
        d = Discrimination.from_predictions([1, 1, 0, 0], positives + negatives, shape="step")
        assert (d.overlap, d.drawn_overlap, d.distance) == pytest.approx((overlap, overlap, distance), abs=1e-12)


def test_prati_line_of_no_skill() -> None:
    """It has the slope one half: 26.6 degrees, not 45."""
    d = Attributes.from_predictions([0, 0, 0, 1, 1], [0.1, 0.3, 0.3, 0.3, 0.9], grouping="identical")
    for f, o, gain in zip(d.forecast, d.observed, d.contributions, strict=True):
        assert (gain > 0) == ((o - 0.4) ** 2 > (f - o) ** 2)
    on_it = Attributes.from_predictions(
        [0, 1, 0, 1], [0.9, 0.9, 0.1, 0.1], sample_weight=[3, 7, 7, 3], grouping="identical"
    )
    assert on_it.observed == pytest.approx((on_it.forecast + 0.5) / 2)
    assert on_it.contributions == pytest.approx([0, 0], abs=1e-12)
    assert on_it.skill == pytest.approx(0, abs=1e-12)
