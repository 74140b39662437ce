"""Jurman & Furlanello: closed forms and ranges of CEN and MCC, and how far the two agree."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.stats import chi2_contingency

import karat
from published import compositions, of, of_all, printed, tables_with


def z(n: int, a: float) -> Any:
    """Z_A: all cells 1 but the last row's first."""
    table = np.ones((n, n))
    table[-1, 0] = a
    return table


def last_row(n: int, a: float) -> Any:
    """The random unbalanced problem: all cells 1, A in the last row."""
    return np.vstack([np.ones((n - 1, n)), np.full((1, n), a)])


@pytest.mark.parametrize("n", range(2, 9))
def test_jurman_closed_forms(n: int) -> None:
    log = lambda x: math.log(x) / math.log(2 * n - 2) if n > 2 else math.log2(x)  # noqa: E731
    assert of(np.ones((n, n)), "MCC", "CEN") == pytest.approx([0, (1 - 1 / n) * log(2 * n)], abs=1e-12)
    total = 1 - np.eye(n)
    assert of(total, "MCC", "CEN") == pytest.approx([-1 / (n - 1), 1], abs=1e-12)
    for a in (1, 2, 10, 1e6):
        cen = ((n - 2) * (n - 1) * log(2 * n) + (2 * n + a - 3) * log(2 * n + a - 1) - a * log(a)) / (n * n + a - 1)
        expected = [n / (n * n + a - 1), -(a - 1) / ((n - 1) * (n * n + 2 * a - 2)), cen]
        assert of(z(n, a), "Acc", "MCC", "CEN") == pytest.approx(expected, abs=1e-9)
        inner = (2 * n + a - 3) * log(2 * n + a - 1) - 2 * a * log(a) + (a + 1) * log(n + n * a + a - 1)
        expected = [0, (n - 1) / (2 * n * (n + a - 1)) * inner]
        assert of(last_row(n, a), "MCC", "CEN") == pytest.approx(expected, abs=1e-9)
    for t, f in [(17, 4), (3, 3), (1, 9)]:
        whole = t + (n - 1) * f
        cen = (n - 1) * f / whole * log(2 * whole / f)
        b = f + (t - f) * np.eye(n)
        assert of(b, "MCC", "CEN", "coreMCC") == pytest.approx([(t - f) / whole, cen, cen], abs=1e-12)


def test_jurman_check_values() -> None:
    assert [of(np.ones((n, n)), "CEN") for n in (2, 3, 4, 5)] == printed([1, 0.861654167, 0.870418816, 0.885847492], 9)
    assert of(z(4, 10), "MCC", "CEN") == printed([-0.088235294, 0.713243022], 9)  # as printed the MCC would be +.5
    assert of(last_row(4, 10), "CEN") == printed(0.645901042, 9)
    assert of(4 + 13 * np.eye(5), "MCC", "CEN") == printed([0.393939394, 0.653639454], 9)
    limits = [of(last_row(n, 1e12), "CEN") for n in (2, 3, 5, 10)]
    assert limits == printed([0.396241, 0.333333, 0.344662, 0.373327], 6)
    assert [of(last_row(n, 1e12), "CEN") for n in (2, 3, 4, 5)] == printed([0.3962, 0.3333, 0.3368, 0.3447], 4)
    assert [of(z(n, 1e9), "MCC") for n in (2, 3, 6)] == pytest.approx([-1 / 2, -1 / 4, -1 / 10], abs=1e-7)
    for n, factor in [(3, 1.105863), (10, 1.063512), (30, 1.048215)]:
        core, transformed = of(np.ones((n, n)), "coreMCC", "tMCC")
        assert core / transformed == printed(factor, 6)
    assert of([[3, 0, 0], [2, 0, 0], [4, 0, 0]], "CEN", "MCC") == printed([0.319715972, 0], 9)
    assert of([[3, 0, 0], [0, 1, 2], [2, 1, 3]], "CEN", "MCC") == printed([0.463811300, 0.366666667], 9)  # PyCM's page
    assert of([[40, 10], [5, 45]], "CEN") == printed(0.54801837, 8)
    assert of([[0, 9, 0], [9, 0, 0], [0, 0, 0]], "MCC", "MCC01") == pytest.approx([-1, 0], abs=1e-12)


def test_confusion_entropy_range() -> None:
    """Jurman & Furlanello, section 2: the range is not [0, 1] for two classes, and 0 does not mean perfect."""
    assert of([[0, 5], [0, 0]], "Acc", "CEN") == [0, 0]
    assert of([[0, 5, 0], [0, 0, 0], [0, 0, 7]], "CEN") == 0
    assert of([[36, 100], [100, 36]], "CEN") == printed(1.061475479, 9)
    f = 1e6
    assert of([[f * (math.e / 2 - 1), f], [f, f * (math.e / 2 - 1)]], "CEN") == pytest.approx(
        2 / (math.e * math.log(2)), abs=1e-12
    )
    assert 2 / (math.e * math.log(2)) == printed(1.061476, 6)
    assert karat.catalogue.measures["CEN"].range[1] == printed(1.061476, 6)
    ratios = np.arange(1, 100) / 100
    (cen,) = of_all([[[t, 1], [1, t]] for t in [0, *ratios, 1]], "CEN")
    assert (cen[1:-1] > 1).all()
    assert (cen[0], cen[-1]) == pytest.approx((1, 1), abs=1e-14)
    assert ratios[cen[1:-1].argmax()] == printed(0.3591, 2)
    (cen,) = of_all(compositions(20, 4).reshape(-1, 2, 2), "CEN")
    assert (len(cen), int((cen > 1 + 1e-12).sum())) == (1771, 152)


def test_confusion_entropy_of_all_small_tables() -> None:
    tables = compositions(6, 9).reshape(-1, 3, 3)
    cen, mcc = of_all(tables, "CEN", "MCC")
    assert cen.max() == pytest.approx(1, abs=1e-12)  # at most 1 for three classes ...
    assert (tables[cen > 1 - 1e-12] == 1 - np.eye(3, dtype=int)).all()  # ... and only if all is wrong, evenly
    d = tables.sum(axis=1) + tables.sum(axis=2)
    alone = (tables == 0) | ((tables == d[:, :, None]) & (tables == d[:, None, :])) | np.eye(3, dtype=bool)
    assert ((np.abs(cen) < 1e-12) == alone.all(axis=(1, 2))).all()
    hits = np.diagonal(tables, axis1=1, axis2=2)
    off = tables * (1 - np.eye(3, dtype=int))
    key = (d ** (d - 2 * hits)).prod(axis=1) / (off.astype(float) ** (2 * off)).prod(axis=(1, 2))
    assert np.exp(2 * 6 * math.log(4) * cen) == pytest.approx(key, rel=1e-10)  # the exact key of whole counts
    lowest = tables[mcc < -1 + 1e-12].reshape(-1, 9)
    assert (len(lowest), int((lowest > 0).sum(axis=1).max())) == (15, 2)  # only where two classes are interchanged


def test_two_by_two_formulas() -> None:
    tables = compositions(14, 4).reshape(-1, 2, 2)
    cen, mcc = of_all(tables, "CEN", "MCC")
    for (tn, fp, fn, tp), c, m in zip(tables.reshape(-1, 4).tolist(), cen, mcc, strict=True):
        inside = sum(x * math.log2(x) for x in (fn, fp) if x)
        wrong = (fn + fp) * math.log2(14**2 - (tp - tn) ** 2) / 28 if fn + fp else 0
        assert c == pytest.approx(wrong - inside / 14, abs=1e-12)
        if min(tn + fp, fn + tp, tn + fn, fp + tp) > 0:
            chi2 = chi2_contingency([[tn, fp], [fn, tp]], correction=False).statistic
            assert abs(m) == pytest.approx(math.sqrt(chi2 / 14), abs=1e-9)
        else:
            assert m == 0  # 0/0, a convention


def test_jurman_degree_of_discriminancy() -> None:
    """Section 2, "about 6": 5.377 over the 900 matrices with the row sums (2, 4, 3), equality within 1e-12."""
    tables = tables_with((2, 4, 3))
    assert len(tables) == 900
    cen, mcc = of_all(tables, "CEN", "MCC")

    def counts(chosen: Any) -> tuple[int, int, int, int]:
        a, b = (np.subtract.outer(x[chosen], x[chosen]) for x in (-cen, mcc))
        a, b = (np.where(np.abs(x) <= 1e-12, 0, np.sign(x)) for x in (a, b))
        cells = ((a > 0) & (b == 0), (a == 0) & (b > 0), a * b > 0, a * b < 0)
        return tuple(int(cell.sum()) for cell in cells)  # type: ignore[return-value]

    over, under, agree, differ = counts(slice(None))
    assert (over, under) == (3178, 591)
    assert over / under == printed(5.377326565, 9)
    assert agree / (agree + differ) == printed(0.785817, 6)
    used = (tables.sum(axis=1) > 0).sum(axis=1)
    for least, ratio in [(2, 5.254), (3, 6.331)]:
        over, under, _, _ = counts(used >= least)
        assert over / under == printed(ratio, 3)


def test_jurman_random_matrices() -> None:
    """Section 3: N uniform in 3..30, diagonal U{1..1000}, elsewhere U{1..1000 rho}; 56,000 of them, not 200,000."""
    rng = np.random.default_rng(2012)
    found = []
    for n in range(3, 31):
        high = np.floor(1000 * rng.uniform(0.01, 1, 2000)).astype(int)
        tables = rng.integers(1, high[:, None, None] + 1, (2000, n, n))
        tables[:, range(n), range(n)] = rng.integers(1, 1001, (2000, n))
        mcc, cen, core, t2, te = of_all(tables, "MCC", "CEN", "coreMCC", "tMCC", "tMCC_ln")
        found.append([mcc, cen, core, t2, te, core / t2 * cen, core / te * cen])
    mcc, cen, core, t2, te, k2_cen, ke_cen = np.concatenate(found, axis=1)
    for a, b, expected in [
        (mcc, cen, -0.9724),
        (core, cen, 0.9928),
        (t2, k2_cen, 0.99403),  # published .9941477
        (te, ke_cen, 0.99244),
        (t2, cen, 0.99558),
    ]:
        assert np.corrcoef(a, b)[0, 1] == pytest.approx(expected, abs=1.5e-3)
    means = [np.mean(core / cen), np.mean(core / k2_cen), np.mean(core / ke_cen)]
    assert means == pytest.approx([1.0658, 1.00508, 0.98879], abs=6e-4)
