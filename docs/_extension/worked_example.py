"""A measure on twelve cases, step by step: the cases, the sums or letters of the formula, the value."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import numpy as np
from worked_steps import label
from worked_sums import INTEGRALS, PROBABILITIES, TRUTH, note_of, steps_of

import karat
from karat.page.mathml import mathml
from karat.statistics import Binary, Counts

POSITIVE = "a"


def slug(key: str) -> str:
    """The name of a page."""
    return re.sub(r"\W+", "-", key).strip("-")


@cache
def evaluation() -> Any:
    return karat.evaluate(TRUTH, PROBABILITIES)


def example_of(measure: Any) -> str:
    """The section of its page: the cases, each step of the formula, the value."""
    e = evaluation()
    value = _value(e, measure)
    if value is None:
        return ""
    parts = ["## Worked example", f"Twelve cases of three classes: five of a, four of b, three of c.{_cases(measure)}"]
    if measure.statistic in (Counts, Binary):
        parts.append(f"Their confusion matrix, rows being the true classes:\n\n{_matrix(e)}")
    parts.append(f"For class {POSITIVE} against the rest:" if measure.classwise else "")
    if steps := steps_of(measure.symbol):
        parts += [note_of(measure.symbol), *map(_formula, steps.lines)]
    elif measure.symbol in INTEGRALS:
        parts.append(f"{INTEGRALS[measure.symbol]} The integral over them is **{measure.symbol} = {value:.4g}**.")
    else:
        known = letters(e, measure)
        parts.append(", ".join(f"{_linked(name)} = {x:.4g}" for name, x in known.items()) + ".")
        parts.append(_formula(f"{label(measure.symbol)} = {substituted(measure.formula, known)} = {value:.4g}"))
    return "\n\n".join(filter(None, parts))


def _formula(latex: str) -> str:
    return f'<div class="formula">{mathml(latex)}</div>'


TOKEN = re.compile(r"\\Delta H(?:_[XY])?|\\[A-Za-z]+|[A-Za-z]+(?:_\{[^}]*\}|_[A-Za-z]+)?'?")
"""A command, or a letter with its index."""
INSERTED = "\N{SECTION SIGN}"
"""Before a number that stands for a letter: behind another number, or a bracket, it is multiplied."""
DERIVED = {r"\Delta H_X": "DH_X", r"\Delta H_Y": "DH_Y", r"\Delta H": "DH", r"\mu": "mu"}


def _name(token: str) -> str:
    return DERIVED.get(token, token.replace("{", "").replace("}", ""))


@cache
def _counted() -> dict[str, float]:
    """Numbers of class a against the rest, and sizes."""
    table = evaluation().statistics[Counts].table
    hits, missed, alarms = table[0, 0], table[0, 1:].sum(), table[1:, 0].sum()
    return {"TP": hits, "FN": missed, "FP": alarms, "TN": 12 - hits - missed - alarms, "n": 12}


def letters(e: Any, measure: Any) -> dict[str, float]:
    """What stands for a number in a formula: counts of the class, numbers of classes, other measures."""
    known: dict[str, float] = {}
    for token in TOKEN.findall(main_part(measure.formula)):
        name = _name(token)
        if measure.classwise and name in _counted():
            known[name] = float(_counted()[name])
        elif name in ("k", "l", "N") and measure.statistic is Counts and r"\sum" not in measure.formula:
            known[name] = 3.0
        elif name in karat.catalogue.measures and name != measure.symbol:
            other = _value(e, karat.catalogue.measures[name])
            if other is not None:
                known[name] = other
    return known


def main_part(formula: str) -> str:
    """Without what is said behind it, such as where it applies."""
    return formula.partition(r",\quad")[0]


def substituted(formula: str, known: dict[str, float]) -> str:
    """The formula with numbers for its letters; empty if some letter is no number."""
    unknown = []

    def number(match: re.Match[str]) -> str:
        token = match[0]
        if _name(token) in known:
            return f"{INSERTED}{known[_name(token)]:.4g}"
        if not token.startswith("\\") or token in (r"\sum", r"\prod", r"\max", r"\min", r"\beta", r"\alpha", r"\text"):
            unknown.append(token)
        return token

    text = TOKEN.sub(number, main_part(formula).split("=")[0])
    times = re.sub(rf"(?<!_\d)(?<=[\d)}}])\s*{INSERTED}", r" \\cdot ", text).replace(INSERTED, "")
    return times.strip() if known and not unknown else ""


def _linked(name: str) -> str:
    return f"[{name}]({slug(name)}.md)" if name in karat.catalogue.measures else name


def _cases(measure: Any) -> str:
    """All probabilities, where more than the confusion matrix is needed."""
    if measure.statistic in (Counts, Binary):
        return ""
    order = np.argsort(-PROBABILITIES[:, 0], kind="stable") if measure.classwise else np.arange(12)
    sorted_by = " sorted by the probability of a" if measure.classwise else ""
    head = "| true class | " + " | ".join(TRUTH[i] for i in order) + " |\n|---" + "|---" * 12 + "|\n"
    rows = [
        f"| p({name}) | " + " | ".join(f"{PROBABILITIES[i, j]:g}" for i in order) + " |" for j, name in enumerate("abc")
    ]
    return f" Their probabilities{sorted_by}:\n\n" + head + "\n".join(rows)


def _matrix(e: Any) -> str:
    """The confusion matrix as a table."""
    table = e.statistics[Counts].table
    rows = [f"| **{c}** | {' | '.join(f'{x:.0f}' for x in row)} |" for c, row in zip(e.classes, table, strict=True)]
    return "\n".join([f"| | {' | '.join(e.classes)} |", "|---|" + "---|" * len(e.classes), *rows])


def _value(e: Any, measure: Any) -> float | None:
    try:
        if measure.classwise:
            columns = e.per_class([measure]).columns
            column = next(values for name, values in columns.items() if name == measure.symbol)
            value = float(column[0])
        else:
            value = float(e[measure])
    except (karat.InputError, KeyError, StopIteration, ValueError):
        return None
    return value if np.isfinite(value) else None
