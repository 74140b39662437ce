"""Heat maps, entropy triangles, and the figures of comparisons and studies."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import karat
from diagrams import legible, many
from karat.diagrams import (
    ConfusionMatrix,
    CriticalDifferenceFigure,
    Dendrogram,
    EntropyTriangle,
    InformationChain,
    ProbabilisticConfusionMatrix,
    Ranks,
    SensitivityFigure,
    SplitEntropyTriangle,
    WinLossEqualFigure,
)
from karat.statistics import Counts, ProbabilitySums


def close(expected: Any, atol: float = 1e-12) -> Any:
    return pytest.approx(expected, abs=atol, nan_ok=True)


def test_confusion_by_hand() -> None:
    truth, said = list("aaabbcccc"), list("aabbaccba")
    d = ConfusionMatrix.from_predictions(truth, y_pred=said)
    expected = [[sum((t, s) == (i, j) for t, s in zip(truth, said, strict=True)) for j in "abc"] for i in "abc"]
    assert d.counts.tolist() == d.table.tolist() == expected
    assert (d.classes, d.outputs) == (("a", "b", "c"), ("a", "b", "c"))
    m = np.array(expected, float)
    for view, table in (("truth", m / m.sum(1, keepdims=True)), ("decided", m / m.sum(0)), ("joint", m / m.sum())):
        assert ConfusionMatrix.from_predictions(truth, y_pred=said, view=view).table == close(table)
    top = d.top_confusions(2).columns
    assert (top["truth"][0], top["decided"][0], top["cases"][0]) == ("a", "b", 1)
    assert len(d.top_confusions(100).columns["truth"]) == sum(m[i, j] > 0 for i in range(3) for j in range(3) if i != j)


def test_confusion_with_rejects_orders_and_few_classes() -> None:
    rng = np.random.default_rng(2)
    m = rng.integers(0, 20, (6, 7))
    classes = list("abcdef")
    given = ConfusionMatrix.from_matrix(m, classes)
    assert given.counts.shape == (6, 7)
    for order, top in itertools.product(("given", "blocks", "frequency"), (None, 4)):
        d = ConfusionMatrix.from_matrix(m, classes, order=order, top=top)
        assert len(d.outputs) == len(d.classes) + 1
        for i, truth in enumerate(d.classes):
            for j, said in enumerate(d.outputs[:-1]):
                assert d.counts[i, j] == m[classes.index(truth), classes.index(said)]
            assert d.counts[i, -1] == m[classes.index(truth), 6]
    by_size = ConfusionMatrix.from_matrix(m, classes, order="frequency").counts.sum(axis=1)
    assert (np.diff(by_size) <= 0).all()
    wrong = m[:, :6] * (1 - np.eye(6))
    worst = np.unravel_index(wrong.argmax(), wrong.shape)
    assert {classes[i] for i in worst} == set(ConfusionMatrix.from_matrix(m, classes, top=2).classes)
    blocks = np.kron(np.eye(3), np.full((2, 2), 5)) + np.eye(6)  # pairs that are mixed up, far apart
    mixed = blocks[np.ix_([0, 2, 4, 1, 3, 5], [0, 2, 4, 1, 3, 5])]
    found = ConfusionMatrix.from_matrix(mixed, classes, order="blocks").classes
    pairs = [set(found[i : i + 2]) for i in (0, 2, 4)]
    assert sorted(map(sorted, pairs)) == [["a", "d"], ["b", "e"], ["c", "f"]]


def test_numbers_in_the_cells_are_the_table() -> None:
    m = [[50, 3], [7, 40]]
    for view in ("counts", "truth", "decided", "joint"):
        d = ConfusionMatrix.from_matrix(m, view=view).plot()
        shown = [float(t.get_text()) for t in d.ax_.texts]
        assert shown == close(d.table.ravel(), 0 if view == "counts" else 0.005001)
        assert np.array_equal(d.ax_.images[0].get_array(), d.table)
        assert (d.ax_.get_xlabel(), d.ax_.get_ylabel()) == ("Predicted class", "True class")


@pytest.mark.parametrize("weighted", [False, True])
def test_probabilistic_matrix(weighted: bool) -> None:
    y, p = many(4, 50)
    w = np.random.default_rng(0).random(50) if weighted else np.ones(50)
    d = ProbabilisticConfusionMatrix.from_predictions(y, p, sample_weight=w if weighted else None)
    expected = np.array([sum((w[i] * p[i] for i in range(50) if y[i] == c), np.zeros(4)) for c in range(4)])
    assert d.table == close(expected)
    shares = ProbabilisticConfusionMatrix.from_predictions(y, p, sample_weight=w if weighted else None, view="truth")
    e = karat.evaluate(y, p, sample_weight=w if weighted else None)
    assert shares.table == close(e.statistics[ProbabilitySums].relative.table)  # what rpCEN is the entropy of
    assert shares.table.sum(axis=1) == close(np.ones(4))
    assert karat.evaluate_matrix(shares.table)["CEN"] == close(e["rpCEN"])


def matrices(number: int = 12) -> dict[str, Any]:
    rng = np.random.default_rng(14)
    return {f"m{i}": rng.integers(0 if i % 2 else 1, 30, (3, 3)) + np.eye(3) * 5 for i in range(number)}


def entropy(p: Any) -> float:
    return -sum(float(x) * np.log2(float(x)) for x in np.ravel(p) if x > 0)


def test_triangles_by_hand() -> None:
    tables = matrices()
    both, split = EntropyTriangle.from_matrices(tables), SplitEntropyTriangle.from_matrices(tables)
    for i, m in enumerate(tables.values()):
        p = m / m.sum()
        hx, hy, hxy = entropy(p.sum(1)), entropy(p.sum(0)), entropy(p)
        room = 2 * np.log2(3)
        mutual = hx + hy - hxy
        expected = [(room - hx - hy) / room, 2 * mutual / room, (2 * hxy - hx - hy) / room]
        assert both.shares["both"][i] == close(expected)
        for name, h in (("truth", hx), ("decisions", hy)):
            one = room / 2
            assert split.shares[name][i] == close([(one - h) / one, mutual / one, (h - mutual) / one])
        e = karat.evaluate_matrix(m)
        assert both.shares["both"][i] == close([e["ET_DH"], e["ET_2MI"], e["ET_VI"]])
        assert both.values[i] == close(e["EMA"])
        best = max(sum(m[i, j] for i, j in enumerate(order)) for order in itertools.permutations(range(3)))
        assert both.cross_labelled[i] == (best > np.trace(m) + 1e-9)
    for d in (both, split):
        for shares in d.shares.values():
            assert shares.sum(axis=1) == close(np.ones(len(tables)))
            assert (shares >= -1e-12).all()
    assert (split.shares["truth"] + split.shares["decisions"]) / 2 == close(both.shares["both"])
    mcc = EntropyTriangle.from_matrices(tables, colour="MCC")
    assert mcc.values == close([karat.evaluate_matrix(m)["MCC"] for m in tables.values()])


def test_points_of_the_triangle_lie_where_they_should() -> None:
    pytest.importorskip("mpltern")
    corners = {"told": np.eye(3) * 9, "noise": np.ones((3, 3)), "majority": [[0, 0, 0], [0, 90, 0], [0, 0, 0]]}
    d = EntropyTriangle.from_matrices(corners).plot()
    (points,) = [c for c in d.ax_.collections if len(c.get_offsets()) == 3]
    x, y = np.asarray(points.get_offsets()).T
    assert y[0] > y[1] == pytest.approx(y[2], abs=1e-9)  # all information is on top
    assert x[1] < x[0] < x[2]  # pure noise on the left, one class on the right
    assert d.shares["both"] == close(np.array([[0, 1, 0], [0, 0, 1], [1, 0, 0]]))


def test_clouds_surround_their_points() -> None:
    tables = {"large": np.array([[900, 50, 20], [30, 800, 90], [10, 60, 700]]), "small": np.eye(3) * 3 + 1}
    d = EntropyTriangle.from_matrices(tables, cloud=400, seed=3)
    cloud = d.cloud["both"]
    assert cloud.shape == (2, 400, 3)
    assert cloud.sum(axis=2) == close(np.ones((2, 400)))
    spread = cloud.std(axis=1)
    assert (np.abs(cloud[0].mean(axis=0) - d.shares["both"][0]) < 3 * spread[0] + 0.01).all()
    assert (spread[1] > 3 * spread[0]).all()  # fewer cases, wider clouds
    again = EntropyTriangle.from_matrices(tables, cloud=400, seed=3)
    assert np.array_equal(again.cloud["both"], cloud)
    assert not np.array_equal(EntropyTriangle.from_matrices(tables, cloud=400, seed=4).cloud["both"], cloud)


def test_information_chain() -> None:
    for m in matrices(6).values():
        d, e = InformationChain.from_matrix(m), karat.evaluate_matrix(m)
        for of in ("truth", "decisions"):
            assert sum(d.bits[of].values()) == close(np.log2(3))
            assert d.bits[of]["MI"] == close(e["MI"])
        k, seems, left = d.perplexity["truth"]
        p = m / m.sum()
        assert (k, seems) == (3, close(2 ** entropy(p.sum(1))))
        assert left == close(2 ** (entropy(p) - entropy(p.sum(0))))
        k, seems, left = d.perplexity["decisions"]
        assert (seems, left) == (close(2 ** entropy(p.sum(0))), close(2 ** (entropy(p) - entropy(p.sum(1)))))


def test_critical_difference() -> None:
    rng = np.random.default_rng(8)
    for size in (2, 3, 6, 11):
        ranks = {f"m{i}": float(r) for i, r in enumerate(np.round(rng.uniform(1, size, size), 2))}
        for cd in (0.013, 0.517, 1.713, 9.0):
            d = CriticalDifferenceFigure.of(ranks, cd)
            assert list(d.models) == sorted(ranks, key=lambda m: (ranks[m], m))
            groups = []  # brute force: sets within the difference that can't be made larger
            for n in range(2, size + 1):
                for run in (d.models[i : i + n] for i in range(size - n + 1)):
                    if ranks[run[-1]] - ranks[run[0]] < cd:
                        groups.append(set(run))
            maximal = [g for g in groups if not any(g < h for h in groups)]
            assert sorted(map(sorted, d.cliques)) == sorted(map(sorted, maximal))
            d.plot()
            bars = [x for x in d.ax_.lines if x.get_linewidth() == 3]
            assert len(bars) == len(maximal)


def test_critical_difference_of_results() -> None:
    """Demsar (2006): q(.05, 3) = 2.343, so that CD = 2.343 sqrt(3 * 4 / (6 N))."""
    rows = [(m, d, (m + d) % 3 if d == 0 else m) for m in range(3) for d in range(6)]
    table = {"model": [f"m{m}" for m, _, _ in rows], "dataset": [d for _, d, _ in rows], "value": [v for *_, v in rows]}
    kind = karat.catalogue.diagrams["critical_difference"]
    record = kind.from_table(table, measure="MCC")
    assert record.models == ("m2", "m1", "m0")
    assert record.critical_difference == pytest.approx(2.343 * np.sqrt(12 / 36), abs=1e-3)
    assert record.datasets == 6
    assert kind.from_table(table, lower_is_better=True).models == ("m0", "m1", "m2")
    for options, says in (
        ({}, "pass measure=, or pass lower_is_better=True"),
        ({"measure": "MCC", "critical_difference": 1}, "leave critical_difference out"),
        ({"measure": "MCC", "level": 95}, "level is 95"),
    ):
        with pytest.raises(karat.InputError, match=says):
            kind.from_table(table, **options)
    ranks = {"model": ["a", "b"], "rank": [1.0, 2.0]}
    with pytest.raises(karat.InputError, match="and rank and critical_difference=NUMBER"):
        kind.from_table(ranks)
    with pytest.raises(karat.InputError, match="leave measure and lower_is_better out"):
        kind.from_table(ranks, critical_difference=1, measure="MCC")


def test_a_difference_as_large_as_the_critical_one_is_one() -> None:
    assert (
        CriticalDifferenceFigure.of({"a": 1, "b": 2}, 1).cliques == ()
    )  # Demsar 2006: "by at least the critical difference"
    assert (
        CriticalDifferenceFigure.of({"a": 1.1, "b": 1.4}, 0.3).cliques == ()
    )  # 14/10 - 11/10 is 3/10, whatever is rounded


def test_dendrogram_joins_what_correlates() -> None:
    hierarchy = pytest.importorskip("scipy.cluster.hierarchy")
    rng = np.random.default_rng(9)
    base = rng.normal(size=(2, 40))
    values = {f"{g}{i}": base["ab".index(g)] + 0.1 * (i + 1) * rng.normal(size=40) for g in "ab" for i in range(3)}
    d = Dendrogram.of_values(values)
    assert sorted(d.names) == sorted(values)
    assert {n[0] for n in d.names[:3]} in ({"a"}, {"b"})
    r = np.corrcoef(list(values.values()))
    expected = hierarchy.linkage((1 - r)[np.triu_indices(6, 1)], "average")
    assert d.links == close(expected, 1e-9)
    d.plot()
    assert [t.get_text() for t in d.ax_.get_yticklabels()] == list(d.names)


def test_wins_ranks_and_sensitivity() -> None:
    d = WinLossEqualFigure.of({"Acc": (0.5, 0.2), "AUC": (0.25, 0.75)})
    assert (d.win.tolist(), d.loss.tolist(), d.equal) == ([0.5, 0.25], [0.2, 0.75], close([0.3, 0]))
    widths = [round(float(b.get_width()), 9) for b in d.plot().ax_.patches]
    assert sorted(widths) == [-0.75, -0.2, 0.25, 0.5]
    ranks = Ranks.of({"x": [3, 3, 2], "y": [1, 2, 3], "z": [2, 1, 1]})
    assert ranks.names == ("z", "y", "x")
    assert ranks.mean == close([4 / 3, 2, 8 / 3])
    s = SensitivityFigure.of([0, 5], {"Acc": [0.1, 0.3]}).plot()
    assert s.ax_.lines[0].get_xydata().tolist() == [[0, 0.1], [5, 0.3]]


def test_counts_are_not_changed() -> None:
    y, p = many(3)
    e = karat.evaluate(y, p)
    before = e.statistics[Counts].table.copy()
    for kind in (ConfusionMatrix, ProbabilisticConfusionMatrix, InformationChain, EntropyTriangle):
        kind.of(e.statistics).plot()
    assert np.array_equal(e.statistics[Counts].table, before)


def glasses(rng: Any, cases: int) -> Any:
    """Six classes with long names."""
    names = ["float glass of buildings", "other glass of buildings", "vehicles", "containers", "tableware", "headlamps"]
    return names, np.diag([cases] * 6) + rng.integers(0, 9, (6, 6))


def test_heat_maps_side_by_side_have_one_scale_and_numbers_that_fit() -> None:
    from karat.data import Matrix
    from karat.statistics import Summary

    rng = np.random.default_rng(0)
    models = {}
    for model, cases in (("one", 40), ("other", 4000)):
        names, table = glasses(rng, cases)
        models[model] = Summary(Matrix.of(table, names, None))
    figure = ConfusionMatrix.of_models(models).plot().figure_
    figure.canvas.draw()
    maps = [ax for ax in figure.axes if ax.images]
    highest = max(float(s[Counts].table.max()) for s in models.values())
    assert [ax.images[0].get_clim() for ax in maps] == [(0, highest)] * 2
    assert len(figure.axes) == 3  # one bar for both
    for ax in maps:
        width = ax.get_window_extent().width / 6
        assert all(t.get_visible() and t.get_window_extent().width < width for t in ax.texts)
    assert legible.clipped(figure) == []


def test_numbers_that_do_not_fit_are_left_out() -> None:
    plt = pytest.importorskip("matplotlib.pyplot")
    _, ax = plt.subplots(figsize=(1.2, 1.2))
    ConfusionMatrix.from_matrix(np.full((9, 9), 123456), list("abcdefghi")).plot(ax)
    assert not any(t.get_visible() for t in ax.texts)


def test_what_a_cell_of_probabilities_holds() -> None:
    truth, proba = list("aab"), [[0.9, 0.1], [0.6, 0.4], [0.3, 0.7]]
    sums = ProbabilisticConfusionMatrix.from_predictions(truth, proba)
    assert sums.table == close(np.array([[1.5, 0.5], [0.3, 0.7]]))
    assert sums.unit == "sum of probabilities (expected cases)"
    means = ProbabilisticConfusionMatrix.from_predictions(truth, proba, view="truth")
    assert means.table == close(np.array([[0.75, 0.25], [0.3, 0.7]]))
    assert means.unit == "mean probability in cases of the true class"


@pytest.mark.parametrize("options", [{}, {"order": "blocks"}, {"order": "frequency"}, {"top": 2}])
def test_a_class_that_has_no_column(options: dict[str, Any]) -> None:
    diagram = karat.evaluate_matrix([[9, 2], [3, 8], [5, 1]]).diagram("confusion_matrix", **options)
    assert set(diagram.outputs) <= {0, 1}
    for truth, row in zip(diagram.classes, diagram.counts, strict=True):
        expected = {0: [9, 2], 1: [3, 8], 2: [5, 1]}[truth]
        assert row.tolist() == [expected[j] for j in diagram.outputs]
