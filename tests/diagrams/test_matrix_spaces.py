"""Many confusion matrices at once: places of the triangle, and two measures against each other."""

from __future__ import annotations

import numpy as np
import pytest

import karat
from diagrams import legible
from karat.diagrams import AccuracyTriangle, MeasureScatter

plt = pytest.importorskip("matplotlib.pyplot")


def test_places_of_the_triangle() -> None:
    pytest.importorskip("mpltern")
    table = {"accuracy": [0.5, 1, 1], "imbalance": [0.2, 0.2, 0], "information": [0.3, 0.3, 1]}
    d = AccuracyTriangle.from_table(table).plot()
    (points,) = (c for c in d.ax_.collections if c.get_gid() == "series")
    x, y = np.asarray(points.get_offsets()).T
    # the triangle has the height 1: its top is information 1, its right corner imbalance 1, its left corner neither,
    # so that a point lies (imbalance + information / 2) of a side from the left
    side = 2 / np.sqrt(3)
    assert (x / side + 0.5).tolist() == pytest.approx([0.35, 0.35, 0.5], abs=0.01)
    assert y.tolist() == pytest.approx([0.3, 0.3, 1], abs=0.01)
    assert np.hypot(x[0] - x[1], y[0] - y[1]) > 0  # one place, two accuracies: both are seen
    d.figure_.canvas.draw()
    (legend,) = (a for a in d.ax_.get_children() if type(a).__name__ == "Legend")
    assert [t.get_text() for t in legend.get_texts()] == ["0.500", "1"]
    box, room = legend.get_window_extent(), d.figure_.bbox
    assert box.x0 >= room.x0
    assert box.x1 <= room.x1
    assert box.y1 <= room.y1


def test_a_scatter_of_two_measures() -> None:
    table = {"name": list("abcd"), "MCC": [0, 0.5, 0.7, 1], "CEN": [0.9, 0.6, 0.2, 0], "classes": [3, 4, 5, 6]}
    d = MeasureScatter.from_table(table, colour="classes")
    assert d.axes == ("MCC", "CEN")
    assert d.correlation == pytest.approx(np.corrcoef(table["MCC"], table["CEN"])[0, 1], abs=1e-12)
    assert d.plot().ax_.collections[0].get_offsets().tolist() == list(
        map(list, zip(table["MCC"], table["CEN"], strict=True))
    )
    d.figure_.canvas.draw()
    assert legible.clipped(d.figure_) == []
    turned = MeasureScatter.from_table(table, x="CEN", y="classes")
    assert (turned.axes, list(turned.x)) == (("CEN", "classes"), table["CEN"])
    flat = MeasureScatter.of([1, 1], [0, 1])
    assert np.isnan(flat.correlation)
    assert flat.to_dict()["correlation"] is None


def test_what_is_refused() -> None:
    with pytest.raises(karat.InputError, match="needs two"):
        MeasureScatter.from_table({"name": ["a", "b"], "MCC": [0, 1]})
    with pytest.raises(karat.InputError, match="no column 'CEN'"):
        MeasureScatter.from_table({"MCC": [0, 1], "Acc": [0, 1]}, y="CEN")
    with pytest.raises(karat.InputError, match="differ in length"):
        MeasureScatter.of([1, 2], [1])
    with pytest.raises(karat.InputError, match="between 0 and 1"):
        AccuracyTriangle.of([0.5], [1.2], [0.1])
    with pytest.raises(karat.InputError, match="differ in length"):
        AccuracyTriangle.of([], [], [])


def test_triangles_side_by_side_keep_their_legends_and_ticks() -> None:
    """Those of the second left the paper, and the first had no numbers."""
    from matplotlib.legend import Legend

    from karat.diagrams import AccuracyTriangle, Several

    one = AccuracyTriangle.of([0.5, 0.75, 1], [0.1, 0.2, 0.3], [0.1, 0.2, 0.6], name="2 classes")
    several = Several.of([one, one, one]).plot(layout="multiples")
    figure = several.figure_
    figure.canvas.draw()
    for ax in several.ax_.ravel()[:3]:
        (legend,) = [artist for artist in ax.get_children() if isinstance(artist, Legend)]
        box, paper = legend.get_window_extent(), figure.bbox
        assert box.x0 >= paper.x0
        assert box.x1 <= paper.x1
        assert box.y1 <= paper.y1
        assert all(tick.label1.get_visible() for tick in ax.taxis.get_major_ticks())
        assert not any(box.overlaps(t.label1.get_window_extent()) for t in ax.taxis.get_major_ticks())
