"""Parts of the area under a ROC curve: their numbers, their shade and what the legend says."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import karat
from diagrams import contact_sheet, legible
from diagrams.contact_sheet import SHORT
from karat.diagrams import ROCCurve

pytest.importorskip("matplotlib.pyplot")


def cases(n: int = 200) -> tuple[Any, Any]:
    rng = np.random.default_rng(5)
    y = np.append([0, 1], rng.integers(0, 2, n - 2))
    return y, np.round(1 / (1 + np.exp(-rng.normal(size=n) - (2 * y - 1))), 2)  # with ties


def by_hand(y: Any, p: Any, low: float, high: float, along: str) -> float:
    """The height of the polygon of thresholds, at the middle of each of many narrow strips."""
    cuts = [np.inf, *sorted(set(p.tolist()), reverse=True)]
    fpr = [float(np.mean(p[y == 0] >= c)) for c in cuts]
    tpr = [float(np.mean(p[y == 1] >= c)) for c in cuts]
    strips = 200_000
    middle = low + (high - low) * (np.arange(strips) + 0.5) / strips
    heights = np.interp(middle, fpr, tpr) if along == "fpr" else 1 - np.interp(middle, tpr, fpr)
    return float(heights.mean() * (high - low))


@pytest.mark.parametrize("along", ["fpr", "tpr"])
@pytest.mark.parametrize("ends", [(0, 0.1), (0.15, 0.4), (0.8, 1), (0, 1)])
def test_the_number_is_the_area(along: str, ends: tuple[float, float]) -> None:
    y, p = cases()
    part = karat.diagrams.roc_curve(y, p, **{f"{along}_range": ends}).partial
    assert (part.rate, part.low, part.high) == (along, *ends)
    assert part.area == pytest.approx(by_hand(y, p, *ends, along), abs=2e-6)


def test_scikit_learn_has_the_same_area() -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    y, p = cases()
    f = 0.1
    part = karat.diagrams.roc_curve(y, p, fpr_range=f).partial
    standardised = (1 + (part.area - f * f / 2) / (f - f * f / 2)) / 2  # McClish
    assert standardised == pytest.approx(metrics.roc_auc_score(y, p, max_fpr=f), abs=1e-12)


def test_one_number_is_an_end_of_the_range() -> None:
    y, p = cases()
    high = karat.diagrams.roc_curve(y, p, tpr_range=0.8).partial
    assert (high.low, high.high) == (0.8, 1)


@pytest.mark.parametrize("along", ["fpr", "tpr"])
def test_what_is_shaded_is_the_area(along: str) -> None:
    y, p = np.repeat([1, 0, 1, 0], [6, 2, 4, 8]), np.repeat([0.8, 0.8, 0.3, 0.1], [6, 2, 4, 8])  # steps at both ends
    d = karat.diagrams.roc_curve(y, p, name="forest", **{f"{along}_range": (0.5, 1)}).plot()
    (shade,) = [c for c in d.ax_.collections if c.get_gid() == "band"]
    corners = shade.get_paths()[0].vertices
    x, h = corners.T
    inside = abs(float(np.sum(x[:-1] * h[1:] - x[1:] * h[:-1]))) / 2
    assert inside == pytest.approx(by_hand(y, p, 0.5, 1, along), abs=1e-5)
    entries = legible.entries(d.ax_)
    assert f"forest (ROC AUC {d.area:.3f}, partial {d.partial.area:.3f})" in entries
    name = {"fpr": "false", "tpr": "true"}[along]
    assert f"partial area: {name} positive rate 0.5 to 1 (at most 0.5)" in entries


def test_of_many_models_those_that_are_named_are_shaded() -> None:
    several = ROCCurve.of_models(contact_sheet.models(13, SHORT, 60), fpr_range=0.2).plot()
    shades = [c for c in several.ax_.collections if c.get_gid() == "band"]
    assert len(shades) == 13
    assert sum(c.get_visible() for c in shades) == 6


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"fpr_range": (0.3, 0.1)}, "lower number first"),
        ({"fpr_range": (0, 1.5)}, "fpr_range is 1.5"),
        ({"fpr_range": "low"}, "two numbers"),
        ({"fpr_range": (0, 0.1, 0.2)}, "two numbers"),
        ({"tpr_range": 1}, "lower number first"),
        ({"tpr_range": True}, "two numbers"),
        ({"fpr_range": 0.1, "tpr_range": 0.9}, "give one of them"),
    ],
)
def test_ranges_that_are_none(options: dict[str, Any], words: str) -> None:
    with pytest.raises(karat.InputError, match=words):
        karat.diagrams.roc_curve(*cases(), **options)
