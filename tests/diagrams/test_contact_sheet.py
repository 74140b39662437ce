"""Figures at the edges of their layout: many models and classes, long names, one score, perfect models. What was drawn
is asked where it is: no text leaves the paper, none lies on another."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import karat
from diagrams import CURVES, contact_sheet, legible
from diagrams.contact_sheet import LONG, OF_MODELS, SHORT
from karat.diagrams import DET, Attributes, DecisionCurve, Reliability, ROCCurve, diagrams

plt = pytest.importorskip("matplotlib.pyplot")
pytest.importorskip("mpltern")


def assert_legible(figure: Any) -> None:
    """No text leaves the paper, and none lies on another or a series."""
    figure.canvas.draw()
    assert legible.clipped(figure) == []
    assert legible.overprinted(figure) == []
    assert legible.covered(figure) == []


def some() -> Iterator[Any]:
    """A part of the sheet that is drawn within a minute: each diagram with long names, and what once went wrong."""
    yield from contact_sheet.of_tables(8, LONG)
    yield from contact_sheet.of_tables(30, SHORT)
    for kind in OF_MODELS:
        one, *_ = contact_sheet.of_models(kind, 1, LONG, 30)
        yield one
        yield from contact_sheet.on_given_axes(kind, 3, SHORT)
        if kind.apart != "always" and "triangle" not in kind.name:
            yield from list(contact_sheet.of_models(kind, 3, LONG))[:2]
        if kind.name in OF_ONE_CASE:
            yield from contact_sheet.of_models(kind, 1, SHORT, 1)
    for name in ("roc_curve", "lift", "reliability"):
        yield list(contact_sheet.of_classes(diagrams[name], 6, SHORT))[1]
    for name in ("confusion_matrix", "probabilistic_confusion_matrix"):
        yield from contact_sheet.of_models(diagrams[name], 3, LONG)
        yield from contact_sheet.of_classes(diagrams[name], 4, LONG)
    for name in ("lift_by_decile", "precision_recall"):
        yield next(iter(contact_sheet.of_classes(diagrams[name], 4, LONG)))
    yield from contact_sheet.of_models(diagrams["entropy_triangle"], 8, SHORT)
    yield from contact_sheet.on_given_axes(diagrams["entropy_triangle"], 8, LONG)


OF_ONE_CASE = ("attributes", "confusion_matrix", "coverage_risk", "decision_curve", "entropy_triangle",
               "information_chain", "lift", "lift_by_decile", "precision_recall", "probabilistic_confusion_matrix",
               "reliability", "split_entropy_triangle", "threshold_curve")  # fmt: skip
"""What can be drawn of it; the others need cases of both classes."""


@pytest.mark.parametrize("draw", [pytest.param(draw, id=title) for title, draw in some()])
def test_every_word_can_be_read(draw: Any) -> None:
    assert_legible(draw())


@pytest.mark.parametrize("kind", OF_MODELS, ids=lambda kind: kind.name)
def test_one_case_is_drawn_or_refused_in_a_sentence(kind: Any) -> None:
    """A figure that shows nothing is none."""
    if kind.name not in OF_ONE_CASE:
        with pytest.raises(karat.InputError, match="no negative case"):
            kind.of_models(contact_sheet.models(1, SHORT, 1))
        return
    figure = kind.of_models(contact_sheet.models(1, SHORT, 1)).plot().figure_
    figure.canvas.draw()
    assert any(map(legible.is_seen, figure.axes))


@pytest.mark.parametrize("kind", [Reliability, Attributes], ids=lambda kind: kind.name)
def test_more_models_than_a_legend_names(kind: Any) -> None:
    several = kind.of_models(contact_sheet.models(13, SHORT, 100)).plot()
    named = [line for line in several.ax_.lines if line.get_gid() == "series"]
    assert len(named) == 6
    assert "7 others" in legible.entries(several.ax_)
    bars = [c for c in several.ax_.collections if c.get_gid() == "refinement"]
    assert sum(c.get_visible() for c in bars) == 6  # those of the models that are named


def test_reliability_of_26_classes() -> None:
    several = Reliability.of_classes(contact_sheet.classes(26, SHORT)).plot()
    assert "20 others" in legible.entries(several.ax_)


def test_decision_curves_name_the_most_and_the_least_useful() -> None:
    several = DecisionCurve.of_models(contact_sheet.models(13, SHORT, 2000)).plot()
    named = {entry for entry in legible.entries(several.ax_) if entry.startswith("m")}
    assert named == {"m0", "m1", "m2", "m10", "m11", "m12"}  # made to be the worst and the best


@pytest.mark.parametrize("kind", [k for k in CURVES if k.name != "discrimination"], ids=lambda kind: kind.name)
def test_multiples_of_models_say_which_class_is_positive(kind: Any) -> None:
    several = kind.of_models(contact_sheet.models(3, SHORT, 100)).plot(layout="multiples")
    words = " ".join(t.get_text() for t in legible.shown(several.figure_))
    assert "positive: fraud" in words.replace("\n", " ")


@pytest.mark.parametrize("n", [30, 300])
def test_bars_fill_the_height_of_their_axes(n: int) -> None:
    """Lines across the whole axes, at the two means, once made them five times as high as the bars."""
    drawn = diagrams["discrimination"].of_models(contact_sheet.models(1, SHORT, n)).plot()
    (one,) = drawn.members
    highest = max(one.own.max(), one.rest.max())
    assert highest <= drawn.ax_.get_ylim()[1] <= 1.2 * highest


@pytest.mark.parametrize("name", ["roi", "lift_by_decile", "brier_curve", "discrimination"])
def test_multiples_have_one_scale(name: str) -> None:
    grid = diagrams[name].of_models(contact_sheet.models(3, SHORT, 100)).plot(layout="multiples").ax_
    places = [ax for ax in grid.ravel() if ax.get_visible()]
    assert len({(*ax.get_xlim(), *ax.get_ylim()) for ax in places}) == 1
    for ax in places:
        for line in (x for x in ax.lines if x.get_gid() == "series"):
            assert ax.get_ylim()[0] <= min(line.get_ydata())
            assert max(line.get_ydata()) <= ax.get_ylim()[1]


@pytest.mark.parametrize("name", ["discrimination", "precision_recall", "attributes"])
@pytest.mark.parametrize("layout", ["multiples", "overlaid"])
def test_a_legend_does_not_list_what_looks_the_same(name: str, layout: str) -> None:
    kind = diagrams[name]
    if kind.apart == "always" and layout == "overlaid":
        pytest.skip("it has axes of its own")
    figure = kind.of_classes(contact_sheet.classes(6, SHORT), averages=()).plot(layout=layout).figure_
    (legend,) = figure.legends
    texts = [t.get_text() for t in legend.get_texts()]
    stems = [text.rstrip("0123456789.") for text in texts if not text.startswith("m")]
    assert len(stems) == len(set(stems))
    assert not set(texts) & {f"m{i}" for i in range(6)}


def test_the_best_thresholds_of_each_model_are_drawn_in_its_colour() -> None:
    ax = diagrams["brier_curve"].of_models(contact_sheet.models(3, SHORT, 100)).plot().ax_
    curves = [line.get_color() for line in ax.lines if line.get_gid() == "series"]
    assert [
        line.get_color() for line in ax.lines if line.get_linewidth() == 0.8 and line.get_color() in curves
    ] == curves
    assert not [c for c in ax.collections if len(c.get_paths()) and len(c.get_paths()[0].vertices) > 3]


def test_one_distinct_score_is_a_point() -> None:
    ax = Reliability.from_predictions([0, 1, 1, 0], [0.3, 0.3, 0.3, 0.3]).plot().ax_
    (line,) = [x for x in ax.lines if x.get_gid() == "series"]
    assert line.get_marker() == "o"
    assert {tuple(p) for p in line.get_xydata().tolist()} == {(0.3, 0.5)}


def test_the_curve_of_a_perfect_model_lies_on_the_edges() -> None:
    d = DET.from_predictions([0, 0, 1, 1], [0.1, 0.2, 0.8, 0.9]).plot()
    (line,) = [x for x in d.ax_.lines if x.get_gid() == "series"]
    x, y = line.get_data()
    low, high = d.ax_.get_xlim()
    assert len(x) == 5
    assert low < x.min() < low + 0.05
    assert low < y.min() < low + 0.05
    assert high - 0.05 < x.max() < high


def test_labels_are_whole() -> None:
    for kind in OF_MODELS:
        if kind.projection is None:
            drawn = kind.of_models(contact_sheet.models(1, SHORT, 100)).plot()
            for ax in drawn.figure_.axes:
                assert not (ax.get_xlabel() + " ").endswith(" of ")
            plt.close(drawn.figure_)


def test_thirty_matrices_are_laid_out_once(monkeypatch: pytest.MonkeyPatch) -> None:
    from karat.diagrams import drawing

    calls = []
    true = drawing.lay_out
    monkeypatch.setattr(drawing, "lay_out", lambda figure: calls.append(true(figure)))
    diagrams["confusion_matrix"].of_models(contact_sheet.models(30, SHORT, 30)).plot()
    assert len(calls) == 1


def test_an_interval_stands_beside_the_area() -> None:
    models = contact_sheet.models(3, SHORT, 300)
    summary = models["m0"]
    d = ROCCurve.of(summary, name="m0", interval=0.9).plot()
    known = karat.intervals.intervals(summary, [karat.measures.find("AUC")], level=0.9)["AUC"]
    assert d.interval == (known.low, known.high, 0.9)
    entries = legible.entries(d.ax_)
    assert f"m0 (ROC AUC {d.area:.3f} [{known.low:.3f}, {known.high:.3f}])" in entries
    assert "in brackets: 90 % interval" in entries
    assert ROCCurve.of(summary).interval is None
    assert ROCCurve.of(summary, band=0.8, replicates=20).interval[2] == 0.8
    assert ROCCurve.of(summary, band=0.8, replicates=20, interval=False).interval is None
    assert ROCCurve.of(summary, interval=True).interval[2] == 0.95
    with pytest.raises(karat.InputError, match="interval is 2"):
        ROCCurve.of(summary, interval=2)


def test_intervals_of_the_groups_of_a_reliability_diagram() -> None:
    y, p = np.repeat([1, 0, 1, 0], [30, 170, 120, 80]), np.repeat([0.1, 0.1, 0.7, 0.7], [30, 170, 120, 80])
    d = Reliability.from_predictions(y, p, grouping="identical", interval=True).plot()
    z = 1.959963984540054
    for share, low, high in zip(
        (0.15, 0.6), *d.intervals, strict=True
    ):  # Wilson's: the roots of (p - q)^2 n = z^2 q (1 - q)
        for q in (low, high):
            assert (share - q) ** 2 * 200 == pytest.approx(z**2 * q * (1 - q), rel=1e-9)
    assert "95 % interval" in legible.entries(d.ax_)
    assert "share of cases (bar of height 0.2: 50 %)" in legible.entries(d.ax_)
    with pytest.raises(karat.InputError, match="isotonic regression"):
        Reliability.from_predictions(y, p, interval=True)


def test_bars_of_models_have_one_scale() -> None:
    models = contact_sheet.models(3, SHORT, 100)
    several = Reliability.of_models(models, bins=10).plot()
    most = max(float(m.share.max()) for m in several)
    bars = [c for c in several.ax_.collections if c.get_gid() == "refinement"]
    for m, drawn in zip(several, bars, strict=True):
        heights = [segment[1][1] for segment in drawn.get_segments()]
        assert heights == pytest.approx((0.2 * m.share / most).tolist())
    ax = None
    for m in sorted(several, key=lambda m: m.share.max()):  # one after the other, each with taller bars
        ax = m.plot(ax).ax_
    one_by_one = [c for c in ax.collections if c.get_gid() == "refinement"]
    tops = [max(segment[1][1] for segment in drawn.get_segments()) for drawn in one_by_one]
    assert tops == pytest.approx(sorted(0.2 * m.share.max() / most for m in several))
    (scale,) = [text for text in legible.entries(ax) if text.startswith("share of cases")]
    assert scale == f"share of cases (bar of height 0.2: {100 * most:.0f} %)"


@pytest.mark.parametrize("name", ["entropy_triangle", "split_entropy_triangle"])
def test_a_triangle_shows_the_part_that_holds_its_points(name: str) -> None:
    d = diagrams[name].of_models(contact_sheet.models(3, SHORT, 300)).plot(zoom=True)
    assert_legible(d.figure_)
    ends = np.array([d.ax_.get_rlim(), d.ax_.get_tlim(), d.ax_.get_llim()])  # imbalance, information, variation
    lengths = np.ptp(ends, axis=1)
    assert lengths == pytest.approx(np.full(3, lengths[0]))
    assert lengths[0] < 1
    for shares in d.shares.values():
        assert (shares >= ends[:, 0] - 1e-9).all()
        assert (shares <= ends[:, 1] + 1e-9).all()


@pytest.mark.parametrize("name", ["entropy_triangle", "split_entropy_triangle"])
def test_of_many_models_in_a_triangle_the_best_and_the_worst_are_named(name: str) -> None:
    models = contact_sheet.models(30, LONG, 300)
    d = diagrams[name].of_models(models).plot()
    assert_legible(d.figure_)
    values = dict(zip(d.models, d.values.tolist(), strict=True))
    order = sorted(values, key=lambda who: values[who])
    texts = [text.get_text().strip() for text in d.ax_.texts]
    named = [who for who in models if any(text.startswith(f"{who} (") for text in texts)]
    assert sorted(named) == sorted([*order[:3], *order[-3:]])


def test_the_default_panel_can_be_read() -> None:
    """The legend of the reliability diagram lay on its label, and the label of the ROC curve left the figure."""
    y = np.where(np.arange(200) % 3 == 0, "malignant", "benign")
    p = np.clip(0.6 * (y == "malignant") + 0.4 * np.random.default_rng(1).random(200), 0.01, 0.99)
    models = {f"model_{k}": karat.evaluate(y, p**k, positive="malignant") for k in (1, 2, 3)}
    assert_legible(karat.diagrams.panel_of(models).plot().figure_)


def test_a_legend_below_given_axes_needs_no_screen() -> None:
    """A canvas of SVG has no renderer of its own."""
    from matplotlib.backends.backend_svg import FigureCanvasSVG

    figure, ax = plt.subplots(figsize=(5, 5))
    FigureCanvasSVG(figure)
    ROCCurve.of_models(contact_sheet.models(8, SHORT, 100)).plot(ax)
    assert len(ax.get_legend().get_texts()) == 9


def test_two_classes_of_long_names_side_by_side() -> None:
    *_, (_, draw) = contact_sheet.of_classes(ROCCurve, 2, LONG)
    assert_legible(draw())


def test_a_triangle_is_as_wide_on_every_canvas() -> None:
    """Drawn for SVG, it was nearly twice as wide as its names need."""
    before = plt.get_backend()
    sizes = []
    try:
        for canvas in ("agg", "svg"):
            plt.switch_backend(canvas)
            picture = diagrams["entropy_triangle"].of_models(contact_sheet.models(3, SHORT, 30)).plot()
            sizes.append(tuple(picture.figure_.get_size_inches()))
    finally:
        plt.switch_backend(before)
    assert sizes[0] == sizes[1]


@pytest.mark.parametrize("name", ["attributes", "det"])
def test_long_names_on_given_axes_are_told_apart_and_leave_room_to_the_axes(name: str) -> None:
    """Once the legend kept "miscalibration 0.0128" and lost which model that is of, and the axes were a stamp."""
    ((_, draw),) = contact_sheet.on_given_axes(diagrams[name], 8, LONG)
    figure = draw()
    figure.canvas.draw()
    ax = figure.axes[0]
    said = legible.entries(ax)[:8]
    assert [re.search(r"e (\d)(?:$|:| \()", text)[1] for text in said] == list("01234567")
    assert ax.get_window_extent().height > 0.35 * figure.bbox.height


def test_what_stands_in_brackets_behind_a_name_is_not_torn_apart() -> None:
    figure = diagrams["coverage_risk"].of_models(contact_sheet.models(3, LONG, 30)).plot().figure_
    lines = [line for text in figure.legends[0].get_texts() for line in text.get_text().split("\n")]
    assert sum("(area 0." in line for line in lines) == 3
    assert all(line.count("(") == line.count(")") for line in lines)


def test_a_legend_of_measures_names_them_first() -> None:
    ((_, draw),) = contact_sheet.on_given_axes(diagrams["threshold_curve"], 1, LONG)
    names = ["Sensitivity", "Positive predictive value", "F1", "Matthews correlation coefficient"]
    assert legible.entries(draw().axes[0]) == names  # there is no room for that of the model, the same everywhere
    two = plt.subplots(figsize=(3, 3))[1]
    for i, one in enumerate(contact_sheet.models(2, LONG, 30).values()):
        diagrams["threshold_curve"].of(one).plot(two, name=LONG.format(i))
    assert len(set(legible.entries(two))) == 8  # of two models nothing is left out that tells them apart


def test_amounts_and_units_are_written_as_people_do() -> None:
    one = diagrams["information_chain"].of_models(contact_sheet.models(1, SHORT, 1)).plot()
    assert {t.get_text().split("\n")[-1] for t in one.ax_.texts if "\n" in t.get_text()} == {"1 bit"}
    curve = diagrams["roi"].of(contact_sheet.models(1, SHORT, 30)["m0"], cases=1_000_000).plot()
    assert re.search(r"best \d{3},\d{3} at", legible.entries(curve.ax_)[0])


@pytest.mark.parametrize("name", [SHORT, LONG], ids=["short", "long"])
@pytest.mark.parametrize("kind", OF_MODELS, ids=lambda kind: kind.name)
def test_eight_names_below_given_axes_leave_them_half_of_the_figure(kind: Any, name: str) -> None:
    """The legend once had as much of it as the curves; smaller letters in two columns do."""
    ((_, draw),) = contact_sheet.on_given_axes(kind, 8, name)
    figure = draw()
    assert_legible(figure)
    assert figure.axes[0].get_window_extent().height > 0.55 * figure.bbox.height
    legend = figure.axes[0].get_legend()
    assert legend is None or min(text.get_fontsize() for text in legend.get_texts()) > 7


def test_small_letters_of_a_legend_do_not_shrink_further() -> None:
    ax = plt.subplots(figsize=(4, 3), layout="constrained")[1]
    ROCCurve.of_models(contact_sheet.models(8, SHORT, 100)).plot(ax)
    assert min(text.get_fontsize() for text in ax.get_legend().get_texts()) >= 5.5


def test_measures_of_small_pictures_are_named_once() -> None:
    names = ["Sensitivity", "Positive predictive value", "F1", "Matthews correlation coefficient"]
    kind = diagrams["threshold_curve"]
    for several in (
        kind.of_models(contact_sheet.models(3, SHORT, 100)),
        kind.of_classes(contact_sheet.classes(4, SHORT)),
    ):
        (legend,) = several.plot().figure_.legends
        assert [text.get_text() for text in legend.get_texts()] == names


@pytest.mark.parametrize("shape", ["histogram", "step", "density"])
def test_the_two_means_are_told_apart_without_colours(shape: str) -> None:
    ax = diagrams["discrimination"].of(contact_sheet.models(1, SHORT, 30)["m0"], shape=shape).plot().ax_
    rest, positive = [line for line in ax.lines if line.get_gid() == "mean"]
    assert rest.get_xdata()[0] < positive.get_xdata()[0]
    assert max(rest._unscaled_dash_pattern[1]) < 2 < max(positive._unscaled_dash_pattern[1])
    assert re.search(r"mean 0\.\d+ \(dashed\), rest 0\.\d+ \(dotted\)", ax.get_title(loc="left"))


@pytest.mark.parametrize("kind", OF_MODELS, ids=lambda kind: kind.name)
def test_numbers_behind_names_are_left_out_of_all_or_of_none(kind: Any) -> None:
    """Those of the curves with shorter numbers once stayed."""
    for inches in (3.0, 3.6, 4.2):
        if kind.projection is not None or kind.apart == "always":
            return
        ax = plt.subplots(figsize=(inches, 3), layout="constrained")[1]
        kind.of_models(contact_sheet.models(8, LONG, 300)).plot(ax)
        said = [text for text in legible.entries(ax) if text.startswith("Gra") and "never" not in text]
        whole = [text for text in said if text.endswith(")")]
        assert len(whole) in (0, len(said)) or kind.name in ("roc_graph", "cost_lines")
        plt.close(ax.figure)


@pytest.mark.parametrize("name", ["roc_graph", "cost_lines"])
def test_of_very_many_points_those_that_may_be_best_are_named(name: str) -> None:
    """Thirty long names once were four times as high as the graph."""
    drawn = diagrams[name].of_models(contact_sheet.models(30, LONG, 300)).plot()
    assert_legible(drawn.figure_)
    said = [text.replace("\n", " ") for text in legible.entries(drawn.ax_)]
    best = [model for model in drawn.models if model in drawn.hull]
    assert [text for text in said if text.startswith("Gradient")] == best
    assert f"{30 - len(best)} others (never optimal)" in said
    assert drawn.ax_.get_window_extent().height > 0.5 * drawn.figure_.bbox.height
