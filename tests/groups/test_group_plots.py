"""Groups drawn: dots with intervals, and curves of every group on one axes."""

from __future__ import annotations

import numpy as np
import pytest

import karat
from karat.core.errors import InputError
from karat.diagrams import GroupDots

plt = pytest.importorskip("matplotlib.pyplot")
RNG = np.random.default_rng(0)
SITE = np.repeat(["north", "south", "tiny"], [100, 80, 20])
Y = RNG.integers(0, 2, 200)
G = karat.evaluate(Y, np.clip(0.3 * Y + 0.6 * RNG.random(200), 0, 1)).by(SITE)


def test_a_dot_and_an_interval_for_each_group_small_ones_faded() -> None:
    table = G["accuracy"]
    picture = G.plot("accuracy")
    assert isinstance(picture, GroupDots)
    dots = {round(float(line.get_xdata()[0]), 9): line for line in picture.ax_.lines if line.get_marker() == "o"}
    assert set(dots) == {round(v, 9) for v in table.value}
    assert dots[round(table.value[2], 9)].get_alpha() < dots[round(table.value[0], 9)].get_alpha()
    bars = [tuple(line.get_xdata()) for line in picture.ax_.lines if len(line.get_xdata()) == 2]
    assert (pytest.approx(table.low[0]), pytest.approx(table.high[0])) in bars
    assert picture.overall == pytest.approx(table.overall)
    plt.close("all")


@pytest.mark.parametrize("name", ["roc_curve", "reliability"])
def test_curves_of_every_group_are_on_one_axes(name: str) -> None:
    picture = G.plot(name)
    alone = karat.evaluate(Y[:100], G.p.column(1)[:100]).diagram(name)
    assert [one.model for one in picture.members] == ["north", "south", "tiny"]
    assert picture.members[0].to_dict() | {"model": ""} == alone.to_dict() | {"model": ""}
    assert hasattr(picture.ax_, "plot")
    assert len(G.plot(name, groups=["north", "tiny"]).members) == 2
    with pytest.raises(InputError, match="group has no group 'west'; its groups are 'north', 'south', 'tiny'"):
        G.plot(name, groups=["west"])
    plt.close("all")


def test_of_many_groups_the_lowest_and_the_highest_are_drawn() -> None:
    value = np.linspace(0.1, 0.9, 200)
    many = GroupDots.of([f"g{i}" for i in range(200)], value, value - 0.05, value + 0.05, np.full(200, 50)).plot()
    assert [t.get_text() for t in many.ax_.get_yticklabels()][:2] == ["g0 (50)", "g1 (50)"]
    assert len(many.drawn) == 60
    assert "140 between are not drawn" in " ".join(many.ax_.get_title(loc="left").split())
    plt.close("all")
    with pytest.raises(InputError, match="no group has a value"):
        GroupDots.of(["a"], [np.nan], [np.nan], [np.nan], [3])
