"""What people know from scikit-learn's displays is understood, or refused with karat's word; their settings hold."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import karat
import karat.diagrams as kd
from diagrams import OF_PREDICTIONS
from karat.diagrams import DET, ConfusionMatrix, PrecisionRecall, Reliability, ROCCurve, ROCGraph, drawing

plt = pytest.importorskip("matplotlib.pyplot")
metrics = pytest.importorskip("sklearn.metrics")
calibration = pytest.importorskip("sklearn.calibration")

RNG = np.random.default_rng(15)
Y = np.append([0, 1], RNG.integers(0, 2, 98))
P = np.clip(0.3 * Y + 0.7 * RNG.random(100), 0, 1)
LABELS = (P > 0.5).astype(int)


def refused(call: Any, words: str) -> None:
    with pytest.raises(karat.InputError, match=words) as raised:
        call()
    sentence = str(raised.value)
    assert sentence.endswith((".", "?"))
    assert "\n" not in sentence


@pytest.fixture(autouse=True)
def _own_settings() -> Iterator[None]:
    with plt.rc_context():
        yield


# ------------------------------------------------------------------------------------------- keywords

PAIRS = [
    (ROCCurve, metrics.RocCurveDisplay),
    (PrecisionRecall, metrics.PrecisionRecallDisplay),
    (DET, metrics.DetCurveDisplay),
    (Reliability, calibration.CalibrationDisplay),
    (ConfusionMatrix, metrics.ConfusionMatrixDisplay),
]
VALUES = {
    "sample_weight": np.ones(100), "pos_label": 1, "name": "mine", "curve_kwargs": {"alpha": 0.5},
    "labels": [0, 1], "normalize": "true", "display_labels": ["no", "yes"], "n_bins": 4, "strategy": "quantile",
    "plot_chance_level": True, "despine": True, "colorbar": False, "include_values": False, "values_format": ".1f",
    "cmap": "Greens", "im_kw": {"vmin": 0}, "ref_line": True, "drop_intermediate": True, "color": "red",
    "xticks_rotation": "vertical",
}  # fmt: skip
TAKE_ANYTHING = {"name", "despine", "colorbar", "include_values"}
DATA = {"y_true": Y, "y_score": 7 * P, "y_prob": P, "y_pred": LABELS}


def words_of(theirs: Any, method: str) -> dict[str, Any]:
    """The keywords of a method of a display that are no data, and their defaults."""
    parameters = inspect.signature(getattr(theirs, method)).parameters.values()
    named = [p for p in parameters if p.kind is not p.VAR_KEYWORD and p.name not in (*DATA, "self", "ax")]
    return {p.name: p.default for p in named}


def drawn_with(kind: Any, method: str, word: str, value: Any) -> Any:
    _, ax = plt.subplots()
    first = LABELS if kind is ConfusionMatrix else P
    if method == "plot":
        return kind.from_predictions(Y, first).plot(ax, **{word: value})
    return kind.from_predictions(Y, first, ax=ax, **{word: value})


@pytest.mark.parametrize("method", ["from_predictions", "plot"])
@pytest.mark.parametrize(("ours", "theirs"), PAIRS, ids=[k.name for k, _ in PAIRS])
def test_every_keyword_of_the_displays_is_understood(ours: Any, theirs: Any, method: str) -> None:
    words = words_of(theirs, method)
    assert set(words) - set(VALUES) <= {"chance_level_kw", "text_kw"}
    for word in words:
        assert drawn_with(ours, method, word, VALUES.get(word)).is_drawn
        plt.close("all")


@pytest.mark.parametrize("method", ["from_predictions", "plot"])
@pytest.mark.parametrize(("ours", "theirs"), PAIRS, ids=[k.name for k, _ in PAIRS])
def test_nonsense_is_refused_in_a_sentence(ours: Any, theirs: Any, method: str) -> None:
    for word in set(words_of(theirs, method)) - TAKE_ANYTHING:
        refused(lambda word=word: drawn_with(ours, method, word, "nonsense"), " ")
        plt.close("all")


def test_the_numbers_are_those_of_the_displays() -> None:
    for normalize in (None, "true", "pred", "all"):
        ours = ConfusionMatrix.from_predictions(Y, LABELS, normalize=normalize)
        assert ours.table == pytest.approx(metrics.confusion_matrix(Y, LABELS, normalize=normalize))
    roc = ROCCurve.from_predictions(Y, y_score=7 * P, pos_label=0)
    assert roc.area == pytest.approx(1 - metrics.roc_auc_score(Y, P))
    for strategy in ("uniform", "quantile"):
        found = Reliability.from_predictions(Y, y_prob=P, n_bins=5, strategy=strategy)
        observed, predicted = calibration.calibration_curve(Y, P, n_bins=5, strategy=strategy)
        assert (found.forecast, found.observed) == (pytest.approx(predicted), pytest.approx(observed))


def test_bins_alone_have_equal_width() -> None:
    observed, predicted = calibration.calibration_curve(Y, P, n_bins=10, strategy="uniform")
    for found in (kd.reliability(Y, P, bins=10), Reliability.from_predictions(Y, P, bins=10)):
        assert found.grouping == "width"
        assert (found.forecast, found.observed) == (pytest.approx(predicted), pytest.approx(observed))
    assert kd.reliability(Y, P).grouping == "corp"
    assert kd.reliability(Y, P, bins=10, grouping="mass").grouping == "mass"


@pytest.mark.parametrize("labels", [[0, 1], [1, 2], [-1, 1], ["no", "yes"], [False, True]])
def test_predicted_labels_in_the_second_place(labels: list[Any]) -> None:
    names = np.array(labels)
    wanted = metrics.confusion_matrix(Y, LABELS)
    for truth, predicted in ((names[Y], names[LABELS]), (names[Y].tolist(), names[LABELS].tolist())):
        assert ConfusionMatrix.from_predictions(truth, predicted).counts.tolist() == wanted.tolist()
        assert kd.confusion_matrix(truth, predicted).counts.tolist() == wanted.tolist()
        both = kd.confusion_matrix({"a": predicted, "b": truth}, truth)
        assert both["a"].counts.tolist() == wanted.tolist()
        graph = ROCGraph.from_predictions(truth, {"a": predicted}, positive=labels[1])
        assert graph.tpr[0] == pytest.approx(metrics.recall_score(Y, LABELS))
    assert ConfusionMatrix.from_predictions(Y, P).counts.tolist() == wanted.tolist()  # probabilities still are
    assert ConfusionMatrix.from_predictions(Y, LABELS.astype(float)).counts.tolist() == wanted.tolist()
    three = np.arange(100) % 3
    assert ConfusionMatrix.from_predictions(three, three * 1.0).counts.trace() == 100


def test_axes_that_are_given_are_drawn_on_at_once() -> None:
    for kind in OF_PREDICTIONS:
        if kind.projection is None:
            _, ax = plt.subplots()
            assert kind.from_predictions(Y, P, ax=ax).ax_ is ax
            _, ax = plt.subplots()
            assert getattr(kd, kind.name)(Y, P, ax=ax).ax_ is ax
            plt.close("all")


def test_how_it_looks_can_be_said_before_it_is_drawn() -> None:
    d = kd.roc_curve(Y, P, lw=3, color="red", curve_kwargs={"alpha": 0.4}, label="mine", despine=False, hull=True)
    assert d.model == "mine"
    d.plot(linewidth=5)
    (line,) = [x for x in d.ax_.lines if x.get_gid() == "series"]
    assert (line.get_color(), line.get_alpha(), line.get_linewidth()) == ("red", 0.4, 5)
    assert d.ax_.spines["top"].get_visible()
    assert len([x for x in d.ax_.lines if len(x.get_xdata())]) == 3
    several = kd.roc_curve({"a": P, "b": P}, Y, linewidth=3).plot()
    assert [x.get_linewidth() for x in several.ax_.lines if x.get_gid() == "series"] == [3, 3]
    matrix = kd.confusion_matrix(Y, LABELS, cmap="Greens", display_labels=["no", "yes"], colorbar=False).plot()
    assert matrix.ax_.images[0].get_cmap().name == "Greens"
    assert [t.get_text() for t in matrix.ax_.get_xticklabels()] == ["no", "yes"]
    assert len(matrix.figure_.axes) == 1
    texts = kd.confusion_matrix(Y, LABELS).plot(values_format=".2e").ax_.texts
    assert [t.get_text() for t in texts] == [f"{v:.2e}" for v in metrics.confusion_matrix(Y, LABELS).ravel()]
    assert not kd.confusion_matrix(Y, LABELS).plot(include_values=False).ax_.texts


def test_averages_take_no_options_of_their_curves() -> None:
    y = np.arange(60) % 3
    p = RNG.dirichlet(np.ones(3), 60)
    several = kd.roc_curve(y, p, each_class=True).plot(hull=True)
    assert sum("average" in str(line.get_label()) for line in several.ax_.lines) == 1


REFUSED = {
    "plot_chance_level": (lambda: kd.roc_curve(Y, P, plot_chance_level=False), "chance line is always drawn"),
    "response_method": (lambda: kd.roc_curve(Y, P, response_method="predict"), "from_predictions"),
    "both words": (lambda: kd.roc_curve(Y, P, positive=1, pos_label=1), "pos_label is positive in karat, and both"),
    "other diagram": (lambda: kd.roc_curve(Y, P, n_bins=3), "roc_curve has no option 'n_bins'"),
    "other value": (lambda: kd.confusion_matrix(Y, LABELS, normalize="rows"), "use view= with one of 'counts'"),
    "several styles": (lambda: kd.roc_curve(Y, P, curve_kwargs=[{}, {}]), "give one dictionary"),
    "numbers in plot": (lambda: kd.reliability(Y, P).plot(bins=3), "changes the numbers"),
    "translated in plot": (lambda: kd.confusion_matrix(Y, P).plot(view="truth"), "changes the numbers"),
    "no property": (lambda: kd.roc_curve(Y, P).plot(wide=3), "can't be drawn with wide=3"),
    "no property of several": (lambda: kd.roc_curve({"a": P}, Y).plot(wide=3), "can't be drawn with wide=3"),
    "no property of a map": (lambda: kd.confusion_matrix(Y, P).plot(wide=3), "can't be drawn with wide=3"),
    "too few names": (lambda: kd.confusion_matrix(Y, P, display_labels=["a"]), "give 2 names"),
    "no colours": (lambda: kd.confusion_matrix(Y, P).plot(cmap="none such"), "can't be drawn with cmap"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refusals(name: str) -> None:
    refused(*REFUSED[name])


# ------------------------------------------------------------------------------------------- the user's settings


def series(d: Any) -> list[Any]:
    return [line for line in d.ax_.lines if line.get_gid() == "series"]


def test_karat_has_a_style_of_its_own() -> None:
    d = kd.roc_curve({"a": P, "b": P}, Y).plot()
    assert [line.get_color() for line in series(d)] == list(drawing.COLOURS[:2])
    assert tuple(d.figure_.get_size_inches()) == (3.6, 3.4)
    assert d.ax_.xaxis.label.get_fontsize() == 8
    assert not d.ax_.spines["top"].get_visible()


def test_sizes_fonts_colours_and_widths_are_the_users() -> None:
    plt.rcParams["figure.figsize"] = (7, 5)
    plt.rcParams["lines.linewidth"] = 4.5
    plt.rcParams["axes.prop_cycle"] = plt.cycler(color=["#111111", "#ff0000"])
    plt.rcParams["font.family"] = "monospace"
    plt.rcParams["axes.labelsize"] = 17
    plt.rcParams["axes.titlelocation"] = "right"
    many = dict.fromkeys(("a", "b", "c", "d", "e", "f", "g"), P)  # a long legend makes karat's own figures grow
    d = kd.roc_curve(many, Y).plot()
    assert [line.get_color() for line in series(d)][:3] == ["#111111", "#ff0000", "#111111"]
    assert {line.get_linewidth() for line in series(d)} == {4.5}
    assert tuple(d.figure_.get_size_inches()) == (7, 5)
    assert d.ax_.xaxis.label.get_fontsize() == 17
    assert d.ax_.xaxis.label.get_fontfamily() == ["monospace"]
    assert d.ax_.get_xticklabels()[0].get_fontsize() == 7.5  # what was not set is karat's
    grid = kd.roc_curve({"a": P, "b": P}, Y).plot(layout="multiples")
    assert tuple(grid.figure_.get_size_inches()) == (7, 5)
    panel = kd.panel_of(karat.evaluate(Y, P)).plot()
    assert tuple(panel.figure_.get_size_inches()) == (7, 5)


def test_other_sizes_follow_the_font_size() -> None:
    plt.rcParams["font.size"] = 16
    d = kd.roc_curve(Y, P, threshold=0.5).plot()
    assert d.ax_.xaxis.label.get_fontsize() == 16
    assert d.ax_.get_xticklabels()[0].get_fontsize() == 16
    assert d.ax_.texts[0].get_fontsize() == 14  # 7 of 8
    assert tuple(d.figure_.get_size_inches()) == (7.2, 6.8)


def test_a_style_sheet_holds() -> None:
    from matplotlib.colors import to_hex

    plt.style.use("dark_background")
    cycle = plt.rcParams["axes.prop_cycle"].by_key()["color"]
    d = kd.roc_curve({"a": P, "b": P}, Y).plot()
    assert [line.get_color() for line in series(d)] == cycle[:2]
    assert to_hex(d.figure_.get_facecolor()) == to_hex(d.ax_.get_facecolor()) == "#000000"
    assert to_hex(d.ax_.xaxis.label.get_color()) == "#ffffff"
    assert to_hex(d.ax_.get_xticklabels()[0].get_color()) == "#ffffff"
    graph = kd.roc_graph(Y, P).plot()
    assert to_hex(graph.ax_.lines[1].get_color()) == "#ffffff"  # the hull, which is black on white
    average = kd.roc_curve(np.arange(30) % 3, RNG.dirichlet(np.ones(3), 30), each_class=True).plot()
    assert to_hex(average.ax_.lines[-1].get_color()) == "#ffffff"


def test_drawing_leaves_the_settings_as_they_were() -> None:
    plt.rcParams["font.size"] = 13
    before = dict(plt.rcParams)
    kd.plot_of(karat.evaluate(Y, P))
    assert dict(plt.rcParams) == before
