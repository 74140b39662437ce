"""What holds for every diagram that is declared: numbers, a drawing, plain data, a citation."""

from __future__ import annotations

import io
import json
from dataclasses import dataclass, fields
from typing import Any, ClassVar

import numpy as np
import pytest

import karat
from diagrams import CURVES, legible
from karat.core.references import references
from karat.data import Predictions
from karat.diagrams import (
    AccuracyTriangle,
    CourseChart,
    CriticalDifferenceFigure,
    Dendrogram,
    Diagram,
    GroupDots,
    MeasureScatter,
    Ranks,
    SensitivityFigure,
    Several,
    WinLossEqualFigure,
    diagram,
    diagrams,
)
from karat.diagrams.prediction_diagram import ModelsDiagram, PredictionDiagram
from karat.statistics import ScoreTable, Summary

plt = pytest.importorskip("matplotlib.pyplot")
datasets = pytest.importorskip("sklearn.datasets")


def models() -> dict[str, Summary]:
    """Four models of one real data set: forecasts of a malignant tumour from one attribute each."""
    data = datasets.load_breast_cancer()
    truth = np.array(["malignant", "benign"])[data.target]
    found = {}
    for name, column in (("radius", 0), ("texture", 1), ("smoothness", 4), ("symmetry", 8)):
        x = data.data[:, column]
        p = np.round(1 / (1 + np.exp(-1.5 * (x - x.mean()) / x.std())), 2)
        found[name] = Summary(Predictions.of(truth, p, labels=["benign", "malignant"], positive="malignant"))
    return found


MODELS = models()
RNG = np.random.default_rng(0)
OF_OTHER: dict[str, Any] = {
    "critical_difference": lambda: CriticalDifferenceFigure.of({"a": 1.4, "b": 1.9, "c": 2.7}, 0.8, datasets=12),
    "course": lambda: CourseChart.of(
        "abc", [0.8, 0.6, 0.5], [0.7, 0.5, 0.4], [0.9, 0.7, 0.6], [np.nan, 0.65, 0.65], [np.nan, 0.9, 0.9], changed="b"
    ),
    "group_dots": lambda: GroupDots.of(["a", "b"], [0.8, 0.6], [0.7, 0.4], [0.9, 0.8], [100, 12], overall=0.7),
    "dendrogram": lambda: Dendrogram.of_values({s: RNG.random(9) for s in ("Acc", "AUC", "MCC", "CEN")}),
    "win_loss_equal": lambda: WinLossEqualFigure.of({"Acc": (0.5, 0.2), "AUC": (0.3, 0.3)}),
    "ranks": lambda: Ranks.of({"Acc": [1, 2, 2], "AUC": [2, 1, 1]}),
    "accuracy_triangle": lambda: AccuracyTriangle.of([0.5, 0.5, 1], [0.1, 0.2, 0.1], [0.1, 0.3, 0.9]),
    "measure_scatter": lambda: MeasureScatter.of([0.1, 0.5, 1], [0.9, 0.4, 0], axes=("MCC", "CEN"), colours=[2, 3, 4]),
    "sensitivity": lambda: SensitivityFigure.of([0, 10, 20], {"Acc": [0.1, 0.2, 0.4], "AUC": [0, 0.1, 0.2]}),
}


def made(kind: type[Any], name: str = "radius") -> Any:
    """A diagram of this kind, of the real data set where it is one of predictions."""
    if issubclass(kind, PredictionDiagram | ModelsDiagram):
        return kind.of(MODELS[name], name=name)
    return OF_OTHER[kind.name]()


every = pytest.mark.parametrize("kind", list(diagrams.values()), ids=list(diagrams))


def plain(value: Any) -> bool:
    """Is it what JSON knows?"""
    if isinstance(value, dict):
        return all(isinstance(k, str) and plain(v) for k, v in value.items())
    return (
        all(map(plain, value)) if isinstance(value, list) else value is None or type(value) in (str, int, float, bool)
    )


def texts(figure: Any) -> str:
    """All that can be read."""
    from matplotlib.text import Text

    return "\n".join(t.get_text() for t in figure.findobj(Text) if t.get_visible())


@every
def test_declaration(kind: type[Any]) -> None:
    assert kind.cite in references()
    assert kind.shows
    assert kind.shows[0].isupper()
    assert kind.shows[-1] in ".?"
    assert "of" in vars(kind) or issubclass(kind, PredictionDiagram | ModelsDiagram)
    for alias in kind.aliases:
        assert karat.catalogue.diagrams[alias] is kind
    assert karat.catalogue.diagrams[kind.name.upper()] is kind
    assert issubclass(kind, Diagram)


AXES: dict[str, tuple[str, str]] = {
    "confusion_matrix": ("Predicted class", "True class"),
    "probabilistic_confusion_matrix": ("Class, by its predicted probability", "True class"),
    "roc_curve": ("False positive rate", "True positive rate (recall)"),
    "cost_curve": ("Probability cost $PC$", "Normalised expected cost"),
    "brier_curve": ("Cost proportion of false positives", "Expected cost"),
    "course": ("", "value"),
    "group_dots": ("value", ""),
    "discrimination": ("Predicted probability", "Share of cases"),
    "precision_recall_gain": ("Recall gain", "Precision gain"),
    "information_chain": ("Bits", ""),
    "lift": ("Share of all cases, top-ranked first", "Share of the positives found"),
    "lift_by_decile": ("Decile of the ranking, from the top", "Lift"),
    "measure_scatter": ("MCC", "CEN"),
    "threshold_curve": ("Threshold", "Value of the measure"),
    "decision_curve": ("Threshold probability", "Net benefit"),
    "det": ("False positive rate", "False negative rate"),
    "precision_recall": ("Recall", "Precision"),
    "roi": ("Share of all cases acted on", "Total profit"),
    "rate_driven_curve": ("Cost proportion of false positives", "Expected cost"),
    "reliability": ("Predicted probability", "Observed frequency"),
    "attributes": ("Predicted probability", "Observed frequency"),
    "roc_graph": ("False positive rate", "True positive rate (recall)"),
    "cost_lines": ("Probability cost $PC$", "Normalised expected cost"),
    "coverage_risk": ("Coverage (share of cases predicted)", "Error rate among them (risk)"),
    "dendrogram": ("Distance (1 \u2212 correlation)", ""),
    "win_loss_equal": ("Share of rounds (losses left, wins right)", ""),
    "ranks": ("Rank (1 is best)", ""),
    "sensitivity": ("Noise (%)", "Share of wrong choices"),
}
"""As those who drew them first call their axes; triangles have corners, and critical differences a scale of ranks."""


@every
def test_drawn_saved_and_plain(kind: type[Any]) -> None:
    before = dict(plt.rcParams)
    d = made(kind)
    data = d.to_dict()
    assert plain(data)
    assert json.loads(json.dumps(data, allow_nan=False)) == data
    assert data["diagram"] == kind.name
    assert {f.name for f in fields(d)} <= set(data)
    assert not plt.get_fignums()  # nothing is drawn before it is asked for
    assert d.plot() is d
    assert d.figure_ is d.ax_.figure
    assert len(plt.get_fignums()) == 1
    axes = d.figure_.axes[0]
    said = [text.split("(positive")[0].strip() for text in (axes.get_xlabel(), axes.get_ylabel())]
    assert tuple(said) == AXES.get(kind.name, ("", ""))
    if kind in CURVES:
        assert d.positive == "malignant"
        assert "malignant" in texts(d.figure_)
    if kind.projection is None:
        d.figure_.canvas.draw()
        assert legible.covered(d.figure_) == []
        assert legible.clipped(d.figure_) == []
        assert legible.overprinted(d.figure_) == []
    d.figure_.set_layout_engine("none")  # all has its place by now
    file = io.StringIO()
    d.figure_.savefig(file, format="svg")
    assert 3_000 < len(file.getvalue()) < 300_000
    assert dict(plt.rcParams) == before
    assert d.to_dict() == data  # drawing changes no number


@every
def test_axes_that_are_given(kind: type[Any]) -> None:
    if kind.projection:
        pytest.importorskip("mpltern")
    figure, ax = plt.subplots(subplot_kw={"projection": kind.projection})
    d = made(kind).plot(ax)
    assert d.ax_ is ax
    assert d.figure_ is figure
    again = made(kind).plot(ax=ax, name="a name of its own")  # twice on the same axes
    if isinstance(d, PredictionDiagram):
        assert "a name of its own" in texts(figure)
        assert again.model == "radius"


@pytest.mark.parametrize("kind", [diagrams["roc_graph"], diagrams["cost_lines"]])
def test_the_positive_class_of_points_can_be_read(kind: type[Any]) -> None:
    d = kind.of_models(MODELS).plot()
    assert "positive: malignant" in texts(d.figure_)
    assert all(name in texts(d.figure_) for name in MODELS)


def assert_all_within(ax: Any) -> None:
    """Every series lies within the limits of the axes."""
    for line in (x for x in ax.lines if x.get_gid() == "series"):
        for values, (low, high) in zip(line.get_data(), (ax.get_xlim(), ax.get_ylim()), strict=True):
            assert low <= min(values)
            assert max(values) <= high


PARTLY = ("det", "decision_curve", "cost_curve")
"""diagrams whose axes show a part on purpose"""
ONE_LINE = [k for k in CURVES if k.name not in ("discrimination", "threshold_curve")] + [diagrams["coverage_risk"]]


@pytest.mark.parametrize("kind", ONE_LINE, ids=[k.name for k in ONE_LINE])
def test_many_models_on_one_axes(kind: type[Any]) -> None:
    several = kind.of_models(MODELS).plot()
    assert isinstance(several, Several)
    assert len(several) == 4
    lines = [x for x in several.ax_.lines if x.get_gid() == "series"]
    assert len(lines) == 4
    assert len({x.get_color() for x in lines}) == 4
    assert len({str(x._unscaled_dash_pattern) for x in lines}) == 4
    legend = legible.entries(several.ax_)
    for name in MODELS:
        assert sum(entry.startswith(name) for entry in legend) == 1
    assert len(legend) == len(set(legend))  # what they are compared with is named once
    assert json.loads(json.dumps(several.to_dict(), allow_nan=False))["members"][0]["model"] == "radius"
    assert several["texture"].model == "texture"
    if kind.name not in PARTLY:
        assert_all_within(several.ax_)


@pytest.mark.parametrize("kind", [k for k in ONE_LINE if k.name not in PARTLY], ids=str)
def test_no_series_is_cut_off(kind: type[Any]) -> None:
    assert_all_within(kind.of_models(dict(reversed(MODELS.items()))).plot().ax_)


def test_words_of_a_triangle() -> None:
    pytest.importorskip("mpltern")
    d = made(diagrams["entropy_triangle"]).plot()
    d.figure_.canvas.draw()
    assert legible.clipped(d.figure_) == []
    figure, ax = plt.subplots(subplot_kw={"projection": "ternary"}, figsize=(6, 4))
    diagrams["entropy_triangle"].of_models(MODELS).plot(ax)
    figure.canvas.draw()
    assert legible.clipped(figure) == []


@pytest.mark.parametrize("kind", [diagrams[n] for n in ("roc_graph", "cost_lines", "attributes", "lift", "det")])
def test_words_of_four_models(kind: type[Any]) -> None:
    figure = kind.of_models(MODELS).plot().figure_
    figure.canvas.draw()
    assert legible.clipped(figure) == []
    assert legible.overprinted(figure) == []


EIGHT = MODELS | {f"another model, by {name}": s for name, s in MODELS.items()}
OF_MODELS = [k for k in diagrams.values() if hasattr(k, "of_models")]


@pytest.mark.parametrize(
    ("kind", "number"),
    [(k, 8) for k in OF_MODELS if k.name != "split_entropy_triangle"] + [(k, 3) for k in OF_MODELS if k in CURVES],
)
def test_a_legend_covers_nothing(kind: type[Any], number: int) -> None:
    figure = kind.of_models(dict(list(EIGHT.items())[:number])).plot().figure_
    figure.canvas.draw()
    assert legible.covered(figure) == []
    assert legible.clipped(figure) == []
    if number < 8 or kind.apart != "always":
        assert legible.overprinted(figure) == []


def test_multiples_say_which_colour_is_the_class() -> None:
    figure = diagrams["discrimination"].of_models(MODELS).plot().figure_
    legends = [*figure.legends, *(ax.get_legend() for ax in figure.axes if ax.get_legend() is not None)]
    words = " ".join(t.get_text() for legend in legends for t in legend.get_texts())
    assert "malignant" in words


def test_a_new_diagram_joins_the_catalogue() -> None:
    @diagram(name="weight_of_the_tests", cite="prati2011", aliases=("test_weight",))
    @dataclass(frozen=True, eq=False, kw_only=True)
    class New(PredictionDiagram):
        """How many cases are there?

        More.
        """

        statistic: ClassVar[Any] = ScoreTable
        cases: float

        @classmethod
        def compute(cls, statistic: ScoreTable, *, times: float = 1.0) -> Any:
            return cls(cases=times * float(statistic.weight.sum()))

        def draw(self, ax: Any, label: str, **style: Any) -> None:
            ax.plot([0, self.cases], label=label or None, **style)

    try:
        assert karat.catalogue.diagrams["test_weight"] is New
        assert (New.shows, New.symbol) == ("How many cases are there?", "weight_of_the_tests")
        d = New.from_predictions([0, 1, 1], [0.1, 0.2, 0.3], times=2).plot()
        assert (d.cases, d.positive, d.to_dict()["cases"]) == (6, 1, 6)
        assert d.ax_.lines[0].get_ydata().tolist() == [0, 6]
        assert len(New.for_each_class([0, 1, 2], np.eye(3))) == 3
        with pytest.raises(karat.InputError, match="has no option 'twice'; it has times"):
            New.from_predictions([0, 1, 1], [0.1, 0.2, 0.3], twice=2)
    finally:
        diagrams.remove("weight_of_the_tests")


@every
def test_repr_is_short(kind: type[Any]) -> None:
    d = made(kind)
    assert repr(d).startswith(f"<{kind.name}")
    assert len(repr(d)) < 250
    assert "\n" not in repr(d)
    assert "radius" in repr(d) or kind.name in OF_OTHER


def test_repr_of_several_is_a_line_for_each() -> None:
    d = diagrams["roc_curve"].for_each_class(MODELS["radius"])
    lines = repr(d).split("\n")
    assert len(lines) == 3
    assert lines[2].startswith("<average of macro average: area")
    assert f"area {d['malignant'].area:.3f}" in repr(d)
