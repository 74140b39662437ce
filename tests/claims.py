"""What can be checked of a declaration: each check takes a measure and returns its complaints, so liars too."""

from __future__ import annotations

import importlib.util
import math
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import SimpleNamespace as Facts
from typing import Any

import numpy as np

import karat
from cases import Problem, probabilities, problems, rounded
from karat.core.measure import Measure
from karat.core.statistic import Needs
from karat.evaluation import Evaluation
from karat.studies.traits import observe

MEASURES = karat.catalogue.measures
DECLARED = list(MEASURES.values())
SETS = (2, 3, 4, 5)
"""Numbers of classes."""

Complaints = list[str]


# --------------------------------------------------------------------------------------------- what to evaluate


def certain(k: int, y: Any, d: Any, positive: int = 1) -> Evaluation:
    """Cases decided with probability one."""
    y, d = np.asarray(y), np.asarray(d)
    return karat.evaluate(y, np.eye(k)[d], d, labels=range(k), positive=positive)


def perfect(k: int, counts: list[int]) -> list[Evaluation]:
    """Everything right and certain; every class positive once."""
    y = np.repeat(np.arange(k), counts)
    return [certain(k, y, y, j) for j in range(k)]


def forecast_table(k: int, table: Any, positive: int) -> Evaluation:
    """Decisions as in the table, and the same forecast for all cases of a class: its row."""
    table = np.asarray(table)
    y, d = (np.repeat(axis, table.ravel()) for axis in np.indices(table.shape).reshape(2, -1))
    p = (table / np.maximum(table.sum(axis=1, keepdims=True), 1))[y]
    return karat.evaluate(y, p, d, labels=range(k), positive=positive)


@cache
def extremes(k: int) -> tuple[Evaluation, ...]:
    """Problems at the corners: all right; all wrong, in order and in disorder; one class; no information."""
    cycle = np.arange(3 * k) % k
    two = np.arange(4) % 2
    offs = np.ones((k, k), int) - np.eye(k, dtype=int)
    made = perfect(k, [3] * k)
    for j in range(k):
        made += [
            certain(k, cycle, (cycle + 1) % k, j),
            certain(k, two, 1 - two, j),  # two classes taken for one another, the others without cases
            certain(k, [j] * 4, [j] * 4, j),
            certain(k, [j] * 4, [(j + 1) % k] * 4, j),
            certain(k, cycle, np.full(3 * k, j), j),
            certain(k, cycle, np.full(3 * k, (j + 1) % k), j),
            certain(k, np.r_[j, np.full(999, (j + 1) % k)], np.r_[(j + 1) % k, np.full(999, j)], j),
            forecast_table(k, 2 * offs, j),
            forecast_table(k, 36 * np.eye(k, dtype=int) + 100 * offs, j),
            forecast_table(k, offs + np.eye(k, dtype=int), j),
        ]
    return tuple(made)


@cache
def ordinary(k: int) -> tuple[Evaluation, ...]:
    """Random problems and random tables, skewed and not, with and without classes that lack cases."""
    rng = np.random.default_rng(k)
    made = []
    for n in (1, 2, 5, 12, 25, 60):
        for sharpness in (0.5, 3.0):
            y, p = rng.choice(k, n, p=rng.dirichlet(np.ones(k))), probabilities(rng, n, k, sharpness)
            given: dict[str, Any] = {"labels": range(k), "positive": int(rng.integers(k))}
            made += [karat.evaluate(y, p, **given), karat.evaluate(y, rounded(p, 8), rng.integers(0, k, n), **given)]
            made += [karat.evaluate(y, p, sample_weight=rng.random(n) + 0.01, **given)]
    for highest in (2, 4, 30, 10**6):
        for _ in range(6):
            table = rng.integers(0, highest, (k, k)) * rng.integers(0, 2, (k, k)) + np.eye(k, dtype=int)
            made.append(karat.evaluate_matrix(rng.permutation(table), positive=0))
    return tuple(made)


@cache
def telling_nothing(needs: Needs) -> tuple[Evaluation, ...]:
    """Decisions independent of the truth; or the frequencies of the classes, forecast for every case."""
    rng = np.random.default_rng(5)
    made = []
    for k in (2, 3, 4):
        for _ in range(8):
            if needs is Needs.DECISIONS:
                decided = rng.integers(0, 5, k) + (np.arange(k) == rng.integers(k))
                made.append(karat.evaluate_matrix(np.outer(rng.integers(1, 9, k), decided), positive=1))
            else:
                shares = rng.multinomial(64 - k, rng.dirichlet(np.ones(k))) + 1  # of 64, so that frequencies are exact
                y = rng.permutation(np.repeat(np.arange(k), shares))
                made.append(karat.evaluate(y, np.tile(shares / 64, (64, 1)), labels=range(k), positive=1))
    return tuple(made)


# --------------------------------------------------------------------------------------------------- the checks


def check_range(m: Measure) -> Complaints:
    """No value lies outside the range, for any number of classes."""
    found = []
    for k in SETS:
        low, high = m.range_for(k)
        if not (m.range[0] <= low <= high <= m.range[1]):
            found.append(f"its range for {k} classes, {low} to {high}, is not within {m.range}")
        for e in (*ordinary(k), *extremes(k)):
            if not (low - 1e-9 <= (v := e[m]) <= high + 1e-9 or v != v):
                found.append(f"{v} of {k} classes is outside {low} to {high}")
    return found


def check_ends(m: Measure) -> Complaints:
    """Both ends of the range are reached: for every number of classes if the range is said for each, else for one."""
    found = []
    for sets in [(k,) for k in SETS] if m.bounds else [SETS]:
        tried = [e for k in sets for e in (*ordinary(k), *extremes(k))]
        tried += [] if m.bounds else [karat.evaluate_matrix([[5]], positive=0)]
        values = [v for e in tried if (v := e[m]) == v]
        for end, nearest in zip(m.range_for(sets[0]), (min(values), max(values)), strict=True):
            if math.isfinite(end) and abs(end - nearest) > 2e-3:
                found.append(f"the end {end} of its range for {sets} classes is never reached: {nearest} is nearest")
    return found


def check_best(m: Measure, times: int = 3, more: int = 0) -> Complaints:
    """All right and certain: the best value. So many cases of each class, and some more of the first."""
    if m.best is None:
        return []
    problems = [e for k in SETS for e in perfect(k, [times + more, *[times] * (k - 1)])]
    return [f"perfect is {e[m]} of {len(e.classes)} classes, not {m.best}" for e in problems if not near(e[m], m.best)]


def check_orientation(m: Measure) -> Complaints:
    """The best value is the end of the range that the orientation names, and perfect is better than ordinary."""
    found = []
    if m.orientation != {None: 0, m.range[0]: -1, m.range[1]: 1}[m.best]:
        found.append(f"orientation {m.orientation} with best={m.best} in {m.range}")
    for k in SETS if m.orientation else ():
        usual = [v for e in ordinary(k) if (v := e[m]) == v and math.isfinite(v)]
        if not m.orientation * (perfect(k, [3] * k)[0][m] - np.mean(usual)) > 0:
            found.append(f"perfect is not better than ordinary for {k} classes")
    return found


def check_chance(m: Measure) -> Complaints:
    """Output that tells nothing gives the declared value; a value that is always the same there is declared."""
    values = [v for e in telling_nothing(m.statistic.needs) if (v := e[m]) == v]
    if m.chance is None:
        return [f"it is always {values[0]} by chance, and does not say so"] if np.ptp(values) < 1e-9 else []
    return [f"by chance it is {v}, not {m.chance}" for v in values if not near(v, m.chance)] if values else ["no value"]


def check_traits(m: Measure) -> Complaints:
    """What it is influenced by and what leaves it as it is: exactly what experiments show."""
    traits, invariances = (observed() if m in DECLARED else observe([m]))[m.symbol]
    found = []
    if traits != m.traits:
        found.append(f"influenced by {sorted(traits)}, declared {sorted(m.traits)}")
    if invariances != m.invariant:
        found.append(f"invariant under {sorted(invariances)}, declared {sorted(m.invariant)}")
    return found


@cache
def observed() -> Any:
    """Of all measures at once, which is cheaper."""
    return observe(DECLARED)


def check_formula(m: Measure) -> Complaints:
    """LaTeX with balanced braces, that matplotlib can set where it is installed."""
    bare = re.sub(r"\\[{}]", "", m.formula)
    depth = np.cumsum([{"{": 1, "}": -1}.get(c, 0) for c in bare])
    if not m.formula.strip() or depth.min() < 0 or depth[-1] or bare.count(r"\left") != bare.count(r"\right"):
        return ["its formula is empty or its braces do not balance"]
    if importlib.util.find_spec("matplotlib"):
        from matplotlib.mathtext import MathTextParser

        try:
            MathTextParser("path").parse(f"${m.formula}$")
        except ValueError as error:
            return [f"its formula can't be set: {error}"]
    return []


REFERENCES = Path(karat.__file__).parent / "core" / "references.bib"


def check_citation(m: Measure) -> Complaints:
    """The citation is in the bibliography."""
    keys = re.findall(r"@\w+\{\s*([^,\s]+)\s*,", REFERENCES.read_text(encoding="utf-8"))
    return [] if m.cite in keys else [f"{m.cite} is not in the bibliography"]


def check_names(m: Measure) -> Complaints:
    """Its names are nobody else's, in any case; its question is one; its family is a file."""
    mine = {name.casefold() for name in (m.symbol, m.name, *m.aliases)}
    others = {n.casefold(): o.symbol for o in MEASURES.values() if o is not m for n in (o.symbol, o.name, *o.aliases)}
    found = [f"{name} is also a name of {others[name]}" for name in mine & others.keys()]
    found += [
        f"{n} does not find it" for n in (m.symbol.swapcase(), m.name.upper(), *m.aliases) if MEASURES[n] is not m
    ]
    if not re.fullmatch(r"[A-Z].*[^?]\?", m.question):
        found.append(f"its question is {m.question!r}")
    return found


# -------------------------------------------------------------------------------------------------- undefined


def facts(table: Any, j: int, n: int) -> Facts:
    """Of a table, counted cell by cell: class j against the rest (`side`: one of them has no case), classes seen."""
    tp = fn = fp = tn = 0.0
    for a, row in enumerate(table):
        for b, x in enumerate(row):
            tp, fn = tp + x * (a == b == j), fn + x * (a == j != b)
            fp, tn = fp + x * (a != j == b), tn + x * (a != j and b != j)
    side = tp + fn == 0 or fp + tn == 0
    seen, k, l = sum(sum(row) > 0 for row in table), len(table), len(table[0])
    return Facts(table=table, tp=tp, fn=fn, fp=fp, tn=tn, side=side, seen=seen, k=k, l=l, n=n)


ONE_CELL = "there is only one class and one decision, so the triangle has no extent"
SQUARE = "there are more or fewer decisions than classes, and it is defined for square tables only"
COMPLETE = "all cases are of one class and all decisions name it, so agreement by chance is already complete"
PRIOR_ONLY = "a class has a prior but no case"
MEANINGS: dict[str, Callable[[Facts], bool]] = {
    "": lambda f: False,
    SQUARE: lambda f: f.k != f.l,
    COMPLETE: lambda f: any(row[i : i + 1] == [sum(map(sum, f.table))] for i, row in enumerate(f.table)),
    ONE_CELL: lambda f: f.k == f.l == 1,
    "there is only one class, so the triangle has no extent": lambda f: f.k == 1,
    "there is only one decision, so the triangle has no extent": lambda f: f.l == 1,
    PRIOR_ONLY: lambda f: f.seen < f.k,
    "all cases are of one class, so there is nothing to be told": lambda f: f.seen == 1,
    "fewer than two classes have cases": lambda f: f.seen < 2,
    "no case is of the class": lambda f: f.tp + f.fn == 0,
    "every case is of the class": lambda f: f.fp + f.tn == 0,
    "one of the two sides, the class or the rest, has no case": lambda f: f.side,
    "the class was never decided": lambda f: f.tp + f.fp == 0,
    "the class was always decided": lambda f: f.fn + f.tn == 0,
    "the class was never or always decided": lambda f: f.tp + f.fp == 0 or f.fn + f.tn == 0,
    "no case is of the class and it was never decided": lambda f: f.tp + f.fn + f.fp == 0,
    "no case is of the class, or it was never decided": lambda f: f.tp + f.fn == 0 or f.tp + f.fp == 0,
    "the class is never decided, or one of the two sides has no case": lambda f: f.tp + f.fp == 0 or f.side,
    "the class is always decided, or one of the two sides has no case": lambda f: f.fn + f.tn == 0 or f.side,
    "both products of the 2 x 2 table are 0": lambda f: f.tp * f.tn == 0 == f.fp * f.fn,
    "there are as few cases as one window holds": lambda f: f.n == max(1, f.n // 10),
    "some case was rejected, and a rejection has no probability": lambda f: sum(sum(r[f.k :]) for r in f.table) > 0,
}
"""When each reason holds, said a second time."""
ODD = ([[3.0, 2.0]], [[3.0], [2.0]], [[0.0], [2.0]], [[5.0]], [[0.0, 0.0], [0.0, 4.0]], [[0.0, 4.0], [0.0, 0.0]])


@cache
def troubled() -> tuple[tuple[Evaluation, Facts], ...]:
    """The problems that make trouble, and bare tables of odd shapes."""
    one = Problem("k1-rejects", [0, 0, 0], np.ones((3, 1)), [0, 1, 0], k=1, l=2, positive=0)
    made = [(q.evaluated(), facts(q.case().C, q.positive, len(q.y))) for q in (*problems(), one)]
    return *made, *((karat.evaluate_matrix(t, positive=0), facts(t, 0, int(sum(map(sum, t))))) for t in ODD)


def check_undefined(m: Measure) -> Complaints:
    """It is undefined exactly where its reason holds, and the reason is what the user is told."""
    if m.undefined not in MEANINGS:
        return [f"when does it hold that {m.undefined}?"]
    found, told = [], {""}
    for e, f in troubled():
        if e.statistics.lacks(m.statistic):
            continue
        # a prior is the only parameter that can leave a measure without a value
        asked = m.at(prior=[1 / f.k] * f.k) if m.undefined == PRIOR_ONLY else m
        value, why = e[asked], e.why(asked)
        expected = m.undefined if MEANINGS[m.undefined](f) else ""
        if why != expected or (value != value) != bool(expected) or e.undefined.get(asked.symbol, "") != expected:
            found.append(f"it is {value} of {f.table} because {why!r}, where {expected!r} holds")
        told.add(why)
        if asked is not m and e[m] != e[m]:
            found.append(f"it is undefined of {f.table} without a prior")
    return found if m.undefined in told else [*found, f"it was never undefined because {m.undefined}"]


def near(a: float, b: float) -> bool:
    return a == b or abs(a - b) <= 1e-9
