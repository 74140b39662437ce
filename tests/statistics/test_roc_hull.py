"""Hulls, envelopes and slopes, against the papers' numbers and brute force."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import isotonic_regression

from karat.statistics.roc_hull import (
    lower_envelope,
    probability_cost,
    probability_cost_at,
    rising_frequency,
    slope_at,
    slope_of,
    upper_hull,
)


def test_slopes_and_probability_costs_of_prati() -> None:
    # Prati 2011, section 3.3, with the costs the right way round: FP 6.5 times as costly at equal frequencies
    assert slope_of(6.5, 1.0, 0.5) == 6.5
    assert probability_cost(6.5, 1.0, 0.5) == pytest.approx(1 / 7.5)
    assert probability_cost_at(6.5) == pytest.approx(0.133333, abs=5e-7)
    assert probability_cost_at(1.5) == pytest.approx(0.4)
    assert slope_at(0.4) == pytest.approx(1.5)
    assert slope_of(1.0, 1.0, 0.0) == np.inf
    assert probability_cost(1.0, 1.0, 0.0) == 0


@pytest.mark.parametrize("whole", [True, False])
def test_rising_frequencies_are_those_of_isotonic_regression(whole: bool) -> None:
    rng = np.random.default_rng(5)
    for m in (1, 2, 3, 10, 200, 3000):
        for most in (1, 2, 50):
            own = rng.binomial(most, np.linspace(0.1, 0.9, m)).astype(float)
            rest = most - own + rng.integers(0, 2, m)
            scale = 1.0 if whole else rng.random(m) + 0.5
            expected = isotonic_regression(own / (own + rest), weights=(own + rest) * scale).x
            found = rising_frequency(own * scale, rest * scale)
            np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-15)
            assert (np.diff(found) >= -1e-15).all()


def test_break_points_of_the_insurance_example() -> None:
    # Prati 2011, section 7: .11 / .25 / .50 / .58; the closest whole counts of 238 positives and 3762 negatives
    points = [(0.0, 0.0), (8 / 3762, 4 / 238), (436 / 3762, 83 / 238), (720 / 3762, 101 / 238), (1.0, 1.0)]
    breaks, which = lower_envelope([(x, 1 - y) for x, y in points])
    assert which.tolist() == [0, 1, 2, 3, 4]
    assert breaks[1:-1] == pytest.approx([0.1123, 0.2553, 0.4995, 0.5842], abs=5e-5)


def triangle(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> float:
    return float((c[0] - a[0]) * (b[1] - a[1]) - (b[0] - a[0]) * (c[1] - a[1]))


def test_hull_against_all_pairs() -> None:
    rng = np.random.default_rng(3)
    for _ in range(200):
        x = np.concatenate([[0, 1], rng.integers(0, 9, 12) / 8])
        y = np.concatenate([[0, 1], rng.integers(0, 9, 12) / 8])
        points = np.unique(np.stack([x, y], axis=1), axis=0)
        inner = []  # a strict vertex lies above every line between two others around it
        for b in points:
            around = [(a, c) for a in points for c in points if a[0] <= b[0] <= c[0] and a[0] < c[0]]
            around = [(a, c) for a, c in around if not (a == b).all() and not (c == b).all()]
            lower = any((a[0] == b[0]) and a[1] > b[1] for a in points)
            if not lower and all(triangle(a, b, c) > 1e-12 for a, c in around):
                inner.append(tuple(b))
        ends = {(0.0, 0.0), (1.0, 1.0)}
        at = upper_hull(x, y)
        assert {(float(x[i]), float(y[i])) for i in at} == {(float(a), float(b)) for a, b in inner} | ends
        assert (x[at[0]], y[at[0]]) == (0, 0)
        assert (x[at[-1]], y[at[-1]]) == (1, 1)


def test_hull_drops_points_on_a_line() -> None:
    x = np.linspace(0, 1, 11)
    assert upper_hull(x, x).tolist() == [0, 10]
    assert upper_hull([0, 0, 0.3, 1], [0, 0.6, 0.6 + 0.4 * 0.3, 1]).tolist() == [0, 1, 3]
    with pytest.raises(ValueError, match=r"must include \(0, 0\)"):
        upper_hull([0.1, 1], [0.2, 1])


def test_hull_of_a_fine_curve_keeps_its_shape() -> None:
    x = np.linspace(0, 1, 100_001)
    at = upper_hull(x, np.sqrt(x))
    assert np.abs(np.interp(x, x[at], np.sqrt(x[at])) - np.sqrt(x)).max() < 1e-6


def test_envelope_against_a_grid() -> None:
    rng = np.random.default_rng(4)
    grid = np.linspace(0, 1, 501)
    for size in (1, 2, 5, 30):
        for _ in range(50):
            lines = rng.integers(0, 11, (size, 2)) / 10
            breaks, which = lower_envelope(lines)
            assert (np.diff(breaks) > 0).all()
            assert len(which) == len(breaks) - 1
            lowest = (lines[:, :1] * (1 - grid) + lines[:, 1:] * grid).min(axis=0)
            piece = which[np.clip(np.searchsorted(breaks, grid, side="right") - 1, 0, len(which) - 1)]
            found = lines[piece, 0] * (1 - grid) + lines[piece, 1] * grid
            assert found == pytest.approx(lowest, abs=1e-12)


def test_envelope_names_the_first_of_equals() -> None:
    assert lower_envelope([[0.2, 0.3], [0.2, 0.3]])[1].tolist() == [0]
    breaks, which = lower_envelope([[0, 1], [0.5, 0.5], [1, 0]])  # three lines through one point
    assert breaks.tolist() == [0, 0.5, 1]
    assert which.tolist() == [0, 2]


def test_envelope_has_no_pieces_of_no_width() -> None:
    breaks, which = lower_envelope([[0, 1], [1e-14, 0.5], [0.6, 0.5 - 1e-14]])
    assert breaks.tolist() == [0, 1]
    assert which.tolist() == [1]
