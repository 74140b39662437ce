"""Weights and probabilities at the ends of the range: exact fractions say what is right, the border what is refused."""

from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import karat
from karat import InputError

Y = [0, 1, 2, 0, 1, 2, 1, 0]
P = [[0.5, 0.3, 0.2], [0.2, 0.5, 0.3], [0.1, 0.2, 0.7], [0.3, 0.4, 0.3], [0.6, 0.2, 0.2], [0.3, 0.3, 0.4],
     [0.1, 0.8, 0.1], [0.9, 0.05, 0.05]]  # fmt: skip


@pytest.mark.parametrize("tiny", [5e-324, 1e-310, 1e-300, 1e-100])
@pytest.mark.parametrize("cases", ["some", "all"])
def test_weights_that_cannot_be_squared_are_refused(tiny: float, cases: str) -> None:
    weight = [tiny if y == 2 or cases == "all" else 1.0 for y in Y]
    with pytest.raises(InputError, match="to be squared"):
        karat.evaluate(Y, P, sample_weight=weight)
    with pytest.raises(InputError, match="to be squared"):
        karat.evaluate(Y, P, sample_weight=[1e300, *weight[1:]])
    assert karat.evaluate(Y, P, sample_weight=[0.0, 1e-60, *[1.0] * 6])["Acc"] == pytest.approx(4 / 6, abs=1e-15)


def test_counts_that_cannot_be_squared_are_refused() -> None:
    for tiny in (5e-324, 1e-100):
        with pytest.raises(InputError, match="to be squared"):
            karat.evaluate_matrix([[5, 1], [tiny, 7]])


def exact(y: list[int], p: list[list[float]], w: list[float], k: int) -> dict[str, Any]:
    """The definitions, in fractions."""
    weight = [Fraction(x) for x in w]
    decided = [row.index(max(row)) for row in p]
    cells = [[Fraction(0)] * k for _ in range(k)]
    for truth, decision, x in zip(y, decided, weight, strict=True):
        cells[truth][decision] += x
    rows, total = [sum(row) for row in cells], sum(weight)
    columns = [sum(row[j] for row in cells) for j in range(k)]
    right = sum(cells[j][j] for j in range(k)) / total
    chance = sum(a * b for a, b in zip(rows, columns, strict=True)) / total**2
    cases = [[i for i, truth in enumerate(y) if truth == j] for j in range(k)]

    def auc(j: int, own: list[int], others: list[int]) -> Fraction:
        won = [(a, b, Fraction((p[a][j] > p[b][j]) + (p[a][j] >= p[b][j]), 2)) for a in own for b in others]
        area = sum(weight[a] * weight[b] * share for a, b, share in won)
        return Fraction(area, sum(weight[a] for a in own) * sum(weight[b] for b in others))

    rest = [[i for i in range(len(y)) if y[i] != j] for j in range(k)]
    ranks = [auc(j, cases[j], rest[j]) for j in range(k)]
    pairs = [auc(j, cases[j], cases[m]) for j in range(k) for m in range(k) if m != j]
    shares = [cell / total for row in cells for cell in row]
    return {
        "Acc": right,
        "KapS": (right - chance) / (1 - chance),
        "MAvA": sum(cells[j][j] / rows[j] for j in range(k)) / k,
        "AUNU": sum(ranks) / k,
        "AUNP": sum(rows[j] / total * ranks[j] for j in range(k)),
        "AU1U": sum(pairs) / (k * (k - 1)),
        "MCC": quotient(decimal(right - chance), (spread(rows, total) * spread(columns, total)).sqrt()),
        "EMA": Decimal(2) ** (entropy([c / total for c in columns]) - entropy(shares)),
        "RCI": 1 + (entropy([c / total for c in columns]) - entropy(shares)) / entropy([r / total for r in rows]),
    }


def decimal(x: Fraction) -> Decimal:
    return Decimal(x.numerator) / Decimal(x.denominator)


def quotient(a: Decimal, b: Decimal) -> Decimal:
    return a / b if b else Decimal(0)  # the convention of MCC


def spread(weights: list[Fraction], total: Fraction) -> Decimal:
    return decimal(1 - sum((x / total) ** 2 for x in weights))


def entropy(shares: list[Fraction]) -> Decimal:
    decimals = [decimal(x) for x in shares if x]
    return -sum((x * x.ln() for x in decimals), Decimal(0)) / Decimal(2).ln()


@pytest.mark.parametrize("power", [5, 10, 30, 68])
def test_weights_far_from_each_other(power: int) -> None:
    rng = np.random.default_rng(power)
    with localcontext() as context:
        context.prec = 300
        for _ in range(15):
            k = int(rng.integers(2, 4))
            n = int(rng.integers(k + 1, 9))
            y = [*range(k), *rng.integers(0, k, n - k).tolist()]
            p = rng.dirichlet(np.ones(k), n)
            p[0] = [1.0, *[0.0] * (k - 1)]
            w = (10.0 ** rng.uniform(-power, power, n)).tolist()
            e = karat.evaluate(y, p, sample_weight=w, labels=list(range(k)))
            for name, value in exact(y, p.tolist(), w, k).items():
                assert abs(e[name] - float(value)) < 1e-12, (name, w)


@pytest.mark.parametrize("tiny", [5e-324, 1e-320, 1e-308, 1e-300])
def test_probabilities_near_zero(tiny: float) -> None:
    p = np.array([[1 - tiny, tiny], [tiny, 1 - tiny], [0.5, 0.5], [1.0, 0.0]])
    e = karat.evaluate([0, 1, 1, 1], p)
    assert e["AUC"] == pytest.approx(2 / 3, abs=1e-15)  # above tiny are 1 and 0.5, below it is 0
    assert all(value is None or np.isfinite(value) for value in e.to_dict()["measures"].values())
