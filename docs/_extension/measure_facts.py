"""What is computed of a measure for its page: how it relates to others, and how well its intervals cover."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from worked_example import evaluation, letters, slug

import karat

COVERAGE = Path(__file__).parents[1] / "coverage.md"
SHOWN = ("2 classes, balanced", "2 classes, 5 % positive", "3 classes, balanced")
PROBLEMS = 80
"""Random problems on which measures are compared."""


@cache
def values() -> tuple[list[str], np.ndarray]:
    """Symbols, and [problems, measures]: every measure with an orientation on random problems of three classes."""
    symbols = [s for s, m in karat.catalogue.measures.items() if m.orientation and not m.classwise]
    rng = np.random.default_rng(1)
    rows = []
    for _ in range(PROBLEMS):
        y = rng.choice(3, 90, p=rng.dirichlet([4, 4, 4]))
        logits = rng.normal(size=(90, 3)) + rng.uniform(0.8, 1.8) * np.eye(3)[y]
        p = np.exp(rng.uniform(0.4, 2.5) * logits)
        e = karat.evaluate(y, p / p.sum(axis=1, keepdims=True), labels=[0, 1, 2])
        rows.append([karat.catalogue.measures[s].orientation * e.value_or_nan(s) for s in symbols])
    return symbols, np.array(rows)


@cache
def correlations() -> tuple[list[str], np.ndarray]:
    """Spearman's, of the measures that have a value on all problems."""
    symbols, table = values()
    whole = np.isfinite(table).all(axis=0) & (np.ptp(table, axis=0) > 0)
    ranks = np.argsort(np.argsort(np.round(table[:, whole], 10), axis=0), axis=0)
    return [s for s, kept in zip(symbols, whole, strict=True) if kept], np.corrcoef(ranks.T)


def relations_of(measure: Any) -> str:
    """What it is made of, what is made of it, and which measures rank models as it does."""
    e = evaluation()
    others = karat.catalogue.measures
    made_of = [name for name in letters(e, measure) if name in others]
    used_in = [key for key, other in others.items() if measure.symbol in letters(e, other)]
    lines = [f"- made of {_links(made_of)}"] if made_of else []
    lines += [f"- part of {_links(used_in)}"] if used_in else []
    symbols, square = correlations()
    if measure.symbol in symbols:
        row = square[symbols.index(measure.symbol)]
        order = [i for i in np.argsort(-row, kind="stable") if symbols[i] != measure.symbol]
        same = [symbols[i] for i in order if row[i] > 1 - 1e-9]
        near = [i for i in order if row[i] <= 1 - 1e-9][:3]
        lines += [f"- the same ranking as {_links(same)}"] if same else []
        told = ", ".join(f"{_links([symbols[i]])} ({row[i]:.3f})" for i in near)
        lines.append(f"- nearest by rank correlation: {told}")
    if not lines:
        return ""
    about = (
        f"Rankings were compared on {PROBLEMS} random problems of three classes and 90 cases."
        if measure.symbol in symbols
        else ""
    )
    return "\n\n".join(filter(None, ["## Relations", "\n".join(lines), about]))


def _links(symbols: list[str]) -> str:
    return ", ".join(f"[{s}]({slug(s)}.md)" for s in symbols)


@cache
def coverage() -> dict[str, list[tuple[str, str, list[str]]]]:
    """Measure to (model, cases, shares of intervals that held the truth), from the page that a script writes."""
    rows: dict[str, list[tuple[str, str, list[str]]]] = {}
    model = size = ""
    columns: list[str] = []
    for line in COVERAGE.read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            model, size = line[3:], ""
        elif match := re.fullmatch(r"### n = ([\d,]+)", line):
            size = match[1]
        elif size and line.startswith("|  |"):
            columns = [cell.strip() for cell in line.strip("|").split("|")][1:]
        elif size and line.startswith("| ") and "---" not in line:
            name, *cells = (cell.strip() for cell in line.strip("|").split("|"))
            shown = dict(zip(columns, cells, strict=False))
            if set(SHOWN) <= set(shown):
                rows.setdefault(name, []).append((model, size, [shown[c] for c in SHOWN]))
    return rows


@cache
def two_classes() -> Any:
    """200 cases whose classes overlap."""
    rng = np.random.default_rng(2)
    y = np.arange(200) % 2
    return karat.evaluate(y, 1 / (1 + np.exp(-rng.normal(2 * y - 1, 1.2))))


def intervals_of(measure: Any) -> str:
    """By which method, and how often intervals held the truth in simulation."""
    e = two_classes()
    try:
        method = next(iter(e.intervals([measure]).values())).method
    except (karat.InputError, ValueError, KeyError, StopIteration):
        method = ""
    parts = ["## Intervals"]
    if method:
        parts.append(f'On 200 cases of two classes `e.intervals("{measure.symbol}")` uses the method "{method}".')
    rows = coverage().get(measure.symbol, [])
    if rows:
        head = "| model | cases | " + " | ".join(SHOWN) + " |\n|---|---|" + "---|" * len(SHOWN)
        body = "\n".join(f"| {model} | {n} | {' | '.join(cells)} |" for model, n, cells in rows)
        parts.append("How often 95 % intervals held the true value in simulation ([all of them](../../coverage.md)):")
        parts.append(f"{head}\n{body}")
    return "\n\n".join(parts) if len(parts) > 1 else ""
