"""Figures of studies: panels of the sensitivity figure, intervals of wins and losses."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from diagrams import legible
from karat.diagrams import Dendrogram, Ranks, SensitivityFigure, Several, WinLossEqualFigure

plt = pytest.importorskip("matplotlib.pyplot")

NOISE = [0, 50, 100]
ERRORS: dict[str, list[float]] = {
    "Acc": [0, 0.2, 0.5],
    "KapS": [0, 0.21, 0.49],
    "AUNU": [0, 0.3, 0.48],
    "AU1U": [0, 0.3, 0.48],  # the same line as AUNU
    "MSE": [0, 0.25, 0.58],
    "LogL": [0.01, 0.33, 0.5],
    "CalL": [0, 0.31, 0.5],
    "CalB": [0.97, 0.45, 0.5],  # wrong from the start
}


def series(ax: Any) -> dict[str, list[float]]:
    return {x.get_label(): list(x.get_ydata()) for x in ax.lines if x.get_gid() == "series"}


def test_a_panel_for_each_family() -> None:
    d = SensitivityFigure.of(NOISE, ERRORS, axis="labels redrawn (%)").plot()
    shown = {ax.get_title(loc="left"): ax for ax in d.figure_.axes if ax.get_visible()}
    families = [["Acc", "KapS"], ["AUNU, AU1U"], ["MSE", "LogL"], ["CalL"], ["CalB"]]
    assert [list(series(ax)) for ax in shown.values()] == families
    assert list(shown) == ["Agreement", "Ranking", "Probability", "Calibration", "Worse than guessing without noise"]
    for ax in shown.values():
        for names, line in series(ax).items():
            assert all(line == ERRORS[name] for name in names.split(", "))
    *same, own = (ax.get_ylim() for ax in shown.values())
    assert len(set(same)) == 1
    assert same[0][1] > 0.58
    assert own[1] > 0.97 > same[0][1]
    d.figure_.canvas.draw()
    assert legible.clipped(d.figure_) == []
    assert legible.overprinted(d.figure_) == []
    for ax in shown.values():  # a name means one line: each panel has its own legend
        assert [t.get_text() for t in ax.get_legend().get_texts()][: len(series(ax))] == list(series(ax))


def test_few_measures_and_given_axes_stay_on_one() -> None:
    few = {name: ERRORS[name] for name in ("Acc", "AUNU", "CalB")}
    one = SensitivityFigure.of(NOISE, few).plot()
    assert list(series(one.ax_)) == ["Acc", "AUNU", "CalB"]
    _, ax = plt.subplots()
    assert SensitivityFigure.of(NOISE, ERRORS).plot(ax).ax_ is ax
    assert len(series(ax)) == 7


def test_a_measure_that_karat_does_not_know() -> None:
    lines = {f"own {i}": np.array([0, 0.1, 0.2]) * i / 9 for i in range(1, 9)}
    d = SensitivityFigure.of(NOISE, lines, name="of my own").plot()
    (ax,) = d.figure_.axes
    assert ax.get_title(loc="left") == "Other measures"
    assert len(series(ax)) == 8
    assert d.figure_._suptitle.get_text() == "of my own"


def test_intervals_of_wins_are_shown_whole() -> None:
    """An interval of few rounds reaches further than the bars."""
    d = WinLossEqualFigure.of({"a": (0.2, 0.3)}, intervals={"a": (-0.6, 0.4)}).plot()
    low, high = d.ax_.get_xlim()
    assert low < -0.6
    assert high > 0.6


def row_names(ax: Any) -> list[str]:
    """What is written beside the rows of these axes, from the top."""
    side = "label2" if ax.yaxis.get_ticks_position() == "right" else "label1"
    found = [getattr(tick, side) for tick in ax.yaxis.get_major_ticks()]
    return [t.get_text() for t in found if t.get_visible() and t.get_text()]


def test_rows_in_another_order_have_their_own_names() -> None:
    """The names of the panel on the left would stand beside the numbers of others."""
    one = Ranks.of({"x": [1, 1, 2], "y": [2, 3, 3], "z": [3, 2, 1]}, name="one")
    two = Ranks.of({"x": [3, 3, 2], "y": [1, 1, 1], "z": [2, 2, 3]}, name="two")
    figure = Several.of([one, two, one, one]).plot(layout="multiples").figure_
    figure.canvas.draw()
    written = [row_names(ax) for ax in figure.axes[:4]]
    assert written == [["x", "z", "y"], ["y", "z", "x"], ["x", "z", "y"], []]  # the last: as on its left
    assert not legible.clipped(figure)
    assert not legible.overprinted(figure)


def test_names_of_a_dendrogram_stand_on_its_right_alone() -> None:
    rng = np.random.default_rng(0)
    members = [Dendrogram.of_values({n: rng.random(9) for n in "abcd"}, name=name) for name in ("one", "two")]
    figure = Several.of(members).plot(layout="multiples").figure_
    figure.canvas.draw()
    for ax, member in zip(figure.axes, members, strict=True):
        assert row_names(ax) == list(member.names)
        assert not any(tick.label1.get_visible() and tick.label1.get_text() for tick in ax.yaxis.get_major_ticks())
