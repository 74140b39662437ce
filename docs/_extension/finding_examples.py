"""For each finding an example in which it is made: lines of Python, run when the site is built, and what they say."""

from __future__ import annotations

import textwrap
from functools import cache
from typing import Any

import numpy as np

import karat

PRELUDE = """\
rng = np.random.default_rng(7)
p = 1 / (1 + np.exp(-rng.normal(0, 2, 1500)))
y = (rng.random(1500) < p).astype(int)  # drawn from p: a healthy model"""
EXAMPLES = {
    "overconfident": "e = karat.evaluate(y, p**2.5 / (p**2.5 + (1 - p) ** 2.5))  # more extreme",
    "underconfident": "e = karat.evaluate(y, p**0.4 / (p**0.4 + (1 - p) ** 0.4))  # less extreme",
    "tilted-probabilities": "e = karat.evaluate(y, p**1.7)  # all too low",
    "miscalibrated-region": (
        "ranges = ((0.71, 0.79), (0.81, 0.89), (0, 0.4))\n"
        "q = np.concatenate([rng.uniform(low, high, 1000) for low, high in ranges])\n"
        "e = karat.evaluate((rng.random(3000) < q + np.repeat([0.12, -0.12, 0], 1000)).astype(int), q)"
    ),
    "duplicated-rows": "e = karat.evaluate(np.tile(y, 2), np.tile(p, 2))",
    "uneven-weights": "e = karat.evaluate(y, p, sample_weight=np.where(np.arange(1500) == 7, 1500, 1))",
    "perfect-accuracy": "e = karat.evaluate(y, np.where(y == 1, 0.9, 0.1) + 0.09 * (p - 0.5))  # it saw the label",
    "perfect-ranking": "e = karat.evaluate(y, y_score=np.where(y == 1, 2.0, 1.0) + 0.5 * p)",
    "constant-scores": "e = karat.evaluate(y, np.full(1500, 0.3))",
    "reversed-scores": "e = karat.evaluate(1 - y, p)  # the columns were exchanged",
    "rare-positive": (
        "few = (np.arange(4000) < 120).astype(int)  # 3 %\n"
        "e = karat.evaluate(few, np.clip(rng.normal(0.3 + 0.2 * few, 0.1), 0.001, 0.999))"
    ),
    "tied-scores": "e = karat.evaluate(y, np.round(p * 3) / 3)",
    "no-better-than-majority": "e = karat.evaluate_matrix([[930, 10], [50, 10]])",
    "specialised": "e = karat.evaluate_matrix([[930, 10], [50, 10]])",
    "mislabelled-outputs": "e = karat.evaluate_matrix([[5, 40, 1], [45, 3, 2], [2, 1, 50]])  # two outputs exchanged",
    "decisions-contradict": "e = karat.evaluate(y, p, np.roll((p > 0.5).astype(int), 1))  # predictions of other rows",
    "less-accurate-than-possible": "e = karat.evaluate(y, p, (p > 0.95).astype(int))  # a threshold far too high",
    "never-decided": "e = karat.evaluate_matrix([[40, 5, 0], [3, 45, 0], [20, 10, 0]])",
    "absent-classes": "e = karat.evaluate([0, 1] * 20, y_pred=[0, 1] * 20, labels=[0, 1, 2])",
    "few-cases": "e = karat.evaluate_matrix([[40, 5], [1, 4]])",
    "blocks": (
        "table = np.full((6, 6), 2)\n"
        "table[:3, :3] = table[3:, 3:] = 12\n"
        "np.fill_diagonal(table, 60)\n"
        'e = karat.evaluate_matrix(table, labels=list("abcdef"))'
    ),
    "hard-probabilities": "e = karat.evaluate(y, np.eye(2)[(p > 0.5).astype(int)])",
    "tied-decisions": "e = karat.evaluate(y, np.where(np.arange(1500) < 3, 0.5, p))",
    "impossible-truths": "e = karat.evaluate(y, np.where(np.arange(1500) == 3, 1.0 - y, p))",
    "squeezed-scores": "e = karat.evaluate(y, 0.5 + 0.12 * (p - 0.5))",
    "clipped-probabilities": "e = karat.evaluate(y, p.clip(0.2, 0.8))",
    "calibration-loss-is-error": "e = karat.evaluate(y, p)  # no two probabilities are equal",
    "scores-not-probabilities": "e = karat.evaluate(y, (p**2 - (p**2).min()) / np.ptp(p**2))  # min-max scaled",
    "measures-disagree": (
        'models = {"a": karat.evaluate_matrix([[930, 10], [50, 10]]), "b": karat.evaluate_matrix([[850, 90], [5, 55]])}'
    ),
    "constant-preferred": (
        "one, other = [[940, 0], [60, 0]], [[850, 90], [10, 50]]\n"
        'models = {"constant": karat.evaluate_matrix(one), "b": karat.evaluate_matrix(other)}'
    ),
    "too-few-cases": (
        'models = {"a": karat.evaluate_matrix([[26, 4], [5, 25]]), "b": karat.evaluate_matrix([[25, 5], [6, 24]])}'
    ),
    "probabilities-differ": (
        'models = {"a": karat.evaluate(y, p), "b": karat.evaluate(y, p**3 / (p**3 + (1 - p) ** 3))}'
    ),
}
"""Code of a finding to lines that make `e`, or `models`."""


@cache
def made(code: str) -> Any:
    """The finding that an example makes; None if it does not."""
    held: dict[str, Any] = {"karat": karat, "np": np}
    exec(f"{PRELUDE}\n{EXAMPLES[code]}", held)
    found = karat.findings_of(held["models"]) if "models" in held else held["e"].findings()
    return next((finding for finding in found if finding.code == code), None)


def example_of(code: str) -> str:
    """The section of a finding's page; empty where there is none."""
    if code not in EXAMPLES or made(code) is None:
        return ""
    lines = EXAMPLES[code]
    uses = any(name in lines for name in ("p", "rng")) and "evaluate_matrix" not in lines
    says = "karat.findings_of(models)" if "models" in lines else "e.findings()"
    finding = made(code)
    told = "\n".join([*textwrap.wrap(f"{finding.severity}: {finding.title}", 76), *textwrap.wrap(finding.words, 76)])
    head = f"{PRELUDE}\n\n" if uses else ""
    return f"## An example\n\n```python\n{head}{lines}\n{says}\n```\n\n```text\n{told}\n```"
