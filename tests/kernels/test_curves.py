"""What curves are made of, in twins, and against what defines it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from karat import kernels

TWINS = ["numpy", pytest.param("native", marks=pytest.mark.skipif(kernels.native is None, reason="not compiled"))]


def weights(whole: bool) -> tuple[Any, Any]:
    rng = np.random.default_rng(5)
    sides = rng.integers(0, 3, (6, 2, 60)).astype(float) if whole else rng.random((6, 2, 60))
    sides[1, 1] = 0  # a class without cases
    return sides[:, 1], sides[:, 0]


@pytest.mark.parametrize("kind", TWINS)
def test_average_precision_is_that_of_scikit_learn(kind: str) -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    positive, negative = weights(whole=True)
    found = kernels.twin("precision_sums", kind)(positive, negative)
    for own, rest, value in zip(positive, negative, found, strict=True):
        if not own.any():
            assert value == 0
            continue
        y, w = np.repeat([1, 0], 60), np.concatenate([own, rest])
        expected = metrics.average_precision_score(y, np.tile(np.arange(60), 2), sample_weight=w)
        assert value / own.sum() == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("kind", TWINS)
def test_hulls_are_those_of_scipy(kind: str) -> None:
    spatial = pytest.importorskip("scipy.spatial")
    positive, negative = weights(whole=True)
    places, reached, ends = kernels.twin("hulls", kind)(positive, negative)
    for r in (0, 2, 3):
        at = slice(ends[r], ends[r + 1])
        x, y = (np.append(0, np.cumsum(side[r][::-1])) for side in (negative, positive))
        np.testing.assert_array_equal(reached[:, at], [x[places[at]], y[places[at]]])
        points = np.append(np.stack([x, y], axis=1), [[x[-1] + 1, -1], [-1e-9, -1]], axis=0)
        corners = points[spatial.ConvexHull(points).vertices]
        expected = {(0.0, 0.0), *(tuple(c) for c in corners.tolist() if c[1] >= 0)}  # both ends are always there
        assert {(a, b) for a, b in reached[:, at].T.tolist()} == expected


@pytest.mark.skipif(kernels.native is None, reason="not compiled")
def test_twins_give_the_same_numbers() -> None:
    for whole in (True, False):
        for name in ("precision_sums", "hulls"):
            expected, found = (kernels.twin(name, kind)(*weights(whole)) for kind in ("numpy", "native"))
            for a, b in zip(np.atleast_1d(expected) if name == "precision_sums" else expected, found, strict=True):
                np.testing.assert_allclose(b, a, rtol=1e-12)
    rng = np.random.default_rng(8)
    for n in (1, 2, 40):
        for lines in (rng.random((2, n)), rng.integers(0, 4, (2, n)) / 3):
            expected, found = (kernels.twin("envelope", kind)(*lines, 1e-12) for kind in ("numpy", "native"))
            for a, b in zip(expected, found, strict=True):
                np.testing.assert_allclose(b, a, rtol=1e-12)
