"""Does karat hold what it says? `python benchmarks/coverage.py` writes `docs/coverage.md` (an hour on two cores).

Samples of known populations: how often intervals hold the truth, how often `compare` tells equal models apart, how
often it tells unequal ones apart, how often a verdict names a false winner, how often bands hold the curve, and what
findings notice. The work is done in pieces of some samples each, which are kept in `--rows`: an interrupted run goes on
where it stopped, more samples add to those that there are, and `--only` does some parts without writing the page. Seeds
belong to samples: any number of workers, and any order of the pieces, gives the same page. `--write` writes it with
what there is: parts without a piece are taken from the page as it is; those that a change of the code may have moved
are named by `--earlier`, and marked until they are made again. Nothing there is edited by hand.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import re
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial
from pathlib import Path
from typing import Any

import band_coverage
import findings_check
import numpy as np
from scipy.optimize import brentq
from scipy.special import expit
from scipy.stats import ttest_1samp

import karat
from karat.intervals.rate_interval import wilson
from karat.measures import PAPERS
from karat.statistics.p_values import sign_test

PAGE = Path(__file__).resolve().parents[1] / "docs" / "coverage.md"
MEASURES = (*PAPERS, "F1", "AUC", "AP", "Brier", "ECE")
ASKED = {*MEASURES, "verdict"}
"""What is made, of intervals and of levels."""
LEVEL = 0.95
SIZES = (20, 50, 100, 300, 2000)
KINDS = ("balanced", "5 % positive")
POPULATION = 200_000
"""Cases whose values are taken for those of the population: their own error is a tenth of that of 2,000 cases."""
PIECE = 125
"""Samples that are done at a time."""
SAMPLES, MORE_SAMPLES = 500, 1000
"""Of each part (0.95 shows within 0.019); of intervals, and of two models from 50 cases on (0.05 within 0.014)."""
Row = dict[str, list[int]]
"""Name to counts, which add up over pieces; the last of them is the number of samples."""
Rng = np.random.Generator


# --------------------------------------------------------------------------------------------------------- populations


def softmax(z: Any) -> Any:
    p = np.exp(z - z.max(axis=1, keepdims=True))
    return p / p.sum(axis=1, keepdims=True)


def frequencies(k: int, kind: str) -> Any:
    """Of the classes: equal, or the first has 5 %."""
    return np.full(k, 1 / k) if kind == KINDS[0] else np.append(0.05, np.full(k - 1, 0.95 / (k - 1)))


def sample(rng: Rng, n: int, k: int, kind: str, apart: float) -> tuple[Any, Any]:
    """Truths, and the softmax of normal numbers around the log frequencies, that of the true class higher."""
    share = frequencies(k, kind)
    y = rng.choice(k, n, p=share)
    z = rng.normal(size=(n, k)) + np.log(share)
    z[np.arange(n), y] += apart
    return y, softmax(z)


def grouped(rng: Rng, groups: int, k: int) -> tuple[Any, Any, Any]:
    """Groups of twenty cases that share an effect on how well they are told apart, and on their classes."""
    group = np.repeat(np.arange(groups), 20)
    y = rng.integers(0, k, len(group))
    z = rng.normal(size=(len(group), k))
    z[np.arange(len(group)), y] += (1.5 + 0.5 * rng.normal(size=groups))[group]
    return y, softmax(z), group


@cache
def truth(make: Callable[..., Any], *settings: Any) -> dict[str, float]:
    """Of samples so large that their own error does not matter."""
    cases = 50_000 if make is grouped else POPULATION  # fifty thousand groups
    y, p = make(np.random.default_rng(1), cases, *settings)[:2]
    return karat.evaluate(y, p, labels=range(p.shape[1]), positive=0).values(MEASURES)


EXCHANGEABLE, OTHER, BETTER_ONE = "exchangeable", "other errors", "better"
SURE = {2: (0.7, 2.6), 3: (1.65, 0.7, 2.6)}
"""How much higher the true class is, for each of them, where models make other errors: the other model has the last two
the other way round. By symmetry all measures that treat classes alike are equal then, and of three classes those of
the first class as well."""
UNEQUAL = {2: ("F1",), 3: ()}
"""What differs there nonetheless. Of two classes the order of the cases is the same but for noise, and so are the area
and, nearly, the average precision."""


def two_models(rng: Rng, n: int, k: int, how: str) -> tuple[Any, Any, Any]:
    """Two models of one population: exchangeable; of equal value with other errors; or one better than the other."""
    y = rng.integers(0, k, n)
    shared = 0.8 * rng.normal(size=(n, k))
    models = []
    for i in range(2):
        z = shared + (0.6 if how != BETTER_ONE or i == 0 else 0.6 + BETTER[n]) * rng.normal(size=(n, k))
        sure = np.array(SURE[k] if i == 0 else (*SURE[k][:-2], SURE[k][-1], SURE[k][-2])) if how == OTHER else None
        z[np.arange(n), y] += 1.5 if sure is None else sure[y]
        models.append(softmax(z))
    return y, *models


BETTER = {50: 1.3, 100: 0.8, 1000: 0.2}
"""How much noisier the worse model is, so that tests find it sometimes but not always."""
CROSSING = ("AUC", "AP", "F1")
"""Measures of one of two classes, for which there is a pair of models of equal value whose ROC curves cross."""


def crossing(rng: Rng, n: int, apart: float) -> tuple[Any, Any, Any]:
    """Two models of two classes: the scores of the second spread twice as far in the positive class."""
    y = rng.integers(0, 2, n)
    shared = rng.normal(size=n)
    first, second = (0.6 * shared + 0.8 * rng.normal(size=n) for _ in range(2))
    return y, expit(first + 1.2 * y - 0.6), expit(np.where(y == 1, 2 * second + apart, second) - 0.6)


def overconfident(rng: Rng, n: int, apart: float) -> tuple[Any, Any, Any]:
    """Two models of two classes: the first is not sure enough, the second three times as sure, which is too much."""
    y = rng.integers(0, 2, n)
    shared = 0.6 * rng.normal(size=n)
    first, second = (shared + 0.8 * rng.normal(size=n) + a * (2 * y - 1) for a in (1.2, apart))
    return y, expit(first), expit(3 * second)


OF_EQUAL_VALUE: dict[str, tuple[Callable[[Rng, int, float], Any], tuple[str, ...], str]] = {
    "crossing": (crossing, CROSSING, "Crossing ROC curves, 2 classes"),
    "overconfident": (overconfident, ("LogL", "Brier"), "Overconfident, 2 classes"),
}
"""Pairs of models that are of equal value by one measure at a time, those measures, and the title of their table."""


@cache
def equal_value(how: str, m: str) -> float:
    """How far apart the classes of the second model are, so that the measure is that of the first."""

    def excess(apart: float) -> float:
        y, *scores = OF_EQUAL_VALUE[how][0](np.random.default_rng(1), POPULATION, apart)
        one, other = (karat.evaluate(y, p, labels=(0, 1), positive=1)[m] for p in scores)
        return other - one

    return float(brentq(excess, 0.5, 4.0, xtol=1e-4))


# --------------------------------------------------------------------------------------------------------------- counts


def intervals(k: int, kind: str, n: int, apart: float, seeds: range) -> Row:
    """Measure to (samples with a value, of these those with an interval, of these those above and below the truth)."""
    known = truth(sample, k, kind, apart)
    return _tally(known, seeds, lambda rng: (*sample(rng, n, k, kind, apart), None), k, n)


def intervals_of_groups(k: int, groups: int, seeds: range) -> Row:
    """The same of cases in groups."""
    return _tally(truth(grouped, k), seeds, lambda rng: grouped(rng, groups, k), k, groups)


DRAWS = 400
"""Draws of outcomes for intervals of calibration errors; the others draw nothing."""


def _tally(known: dict[str, float], seeds: range, make: Callable[[Rng], Any], *key: int) -> Row:
    counts = {m: [0, 0, 0, 0, len(seeds)] for m in MEASURES if m in ASKED}
    options: Any = {"level": LEVEL, "workers": 1, "replicates": DRAWS}
    for s in seeds:
        y, p, groups = make(np.random.default_rng([s, *key]))
        e = karat.evaluate(y, p, labels=range(p.shape[1]), positive=0)
        for m, one in e.intervals(list(counts), **options, seed=s, groups=groups).items():
            row = counts[m]
            row[0] += one.value == one.value
            row[1] += one.low == one.low
            row[2] += one.low > known[m] + 1e-9
            row[3] += one.high < known[m] - 1e-9
    return counts


def calibrated(k: int, n: int, seeds: range) -> Row:
    """How often the interval of ECE holds the 0 of a calibrated model."""
    held = 0
    for s in seeds:
        rng = np.random.default_rng([s, k, n])
        p = rng.dirichlet(np.full(k, 0.7), n)
        y = (p.cumsum(axis=1) > rng.random((n, 1))).argmax(axis=1)
        held += karat.evaluate(y, p, labels=range(k)).intervals(["ECE"], level=LEVEL, seed=s)["ECE"].low <= 1e-9
    return {"held": [held, len(seeds)]}


OF_POSTERIOR = ("Acc", "MCC", "MFM", "MAvA", "CEN", "EMA")


def posterior(k: int, n: int, seeds: range) -> Row:
    """Measure to (intervals of the posterior, of these those that hold the truth, those said to be too narrow)."""
    known, counts = truth(sample, k, KINDS[0], 1.5), {m: [0, 0, 0, len(seeds)] for m in OF_POSTERIOR}
    for s in seeds:
        y, p = sample(np.random.default_rng([s, k, n]), n, k, KINDS[0], 1.5)
        e = karat.evaluate(y, p, labels=range(k), positive=0)
        for m, one in e.intervals(OF_POSTERIOR, level=LEVEL, method="bayes", seed=s).items():
            row = counts[m]
            row[0] += one.low == one.low
            row[1] += one.low <= known[m] <= one.high
            row[2] += "too narrow" in one.reason
    return counts


LEVEL_SIZES = (4, 6, 10, 20, 50, 200, 2000)
ONE_NUMBER = {"MAE": "MPR", "Brier": "MSE"}
"""Measures that differ by a factor or a sign alone, so that their tests are one."""
AREAS = ("AU1U", "AU1P", "AUNU", "AUNP")
UNTESTED = ("CalB", "CalL")
"""Measures that no test is known for, or that are another one where no two probabilities are equal; karat says so."""
EXCHANGES = 199
"""Draws of an exchange test: its level is the same with more."""


def computed_as(m: str, k: int) -> str:
    """The measure whose test is the test of this one as well; of two classes all areas are one."""
    return "AUC" if k == 2 and m in AREAS else ONE_NUMBER.get(m, m)


def false_alarms(k: int, how: str, n: int, seeds: range) -> Row:
    """Measure to (samples in which equal models are told apart, samples), and the same of verdicts with a winner."""
    told, winners = dict.fromkeys((m for m in MEASURES if m in ASKED), 0), 0
    needed = sorted({computed_as(m, k) for m in told} - set(UNTESTED))
    for s in seeds:
        y, a, b = two_models(np.random.default_rng([s, k, n]), n, k, how)
        models = {name: karat.evaluate(y, p, labels=range(k), positive=0) for name, p in (("a", a), ("b", b))}
        options: Any = {"level": LEVEL, "seed": s, "workers": 1, "replicates": EXCHANGES}
        found = karat.compare(models, measures=needed, **options)["a", "b"].differences
        for m in told:
            told[m] += m not in UNTESTED and found[computed_as(m, k)].p <= 1 - LEVEL + 1e-12
        if "verdict" in ASKED:
            winners += " is significantly better on " in karat.compare(models, **options).verdict
    kept = {m: x for m, x in told.items() if how != OTHER or m not in UNEQUAL[k]}
    return {m: [x, len(seeds)] for m, x in (kept | ({"verdict": winners} if "verdict" in ASKED else {})).items()}


def false_alarms_of_equal_value(how: str, n: int, seeds: range) -> Row:
    """The same of models that are of equal value by one measure at a time."""
    make, measures, _ = OF_EQUAL_VALUE[how]
    told = dict.fromkeys(measures, 0)
    for s in seeds:
        for m in measures:
            y, a, b = make(np.random.default_rng([s, n]), n, equal_value(how, m))
            options: Any = {"measures": [m], "level": LEVEL, "seed": s, "workers": 1, "replicates": EXCHANGES}
            found = karat.compare({"a": a, "b": b}, y, labels=(0, 1), positive=1, **options)
            told[m] += found["a", "b"].differences[m].p <= 1 - LEVEL + 1e-12
    return {m: [x, len(seeds)] for m, x in told.items()}


PEERS = {"Acc": "McNemar, exact", "AUC": "DeLong", "LogL": "paired t", "MSE": "exchange", "MCC": "exchange"}


def power(n: int, seeds: range) -> Row:
    """How often a worse model is told, by karat and by the usual test of each measure."""
    mine, usual = dict.fromkeys(PEERS, 0), dict.fromkeys(PEERS, 0)
    for s in seeds:
        y, a, b = two_models(np.random.default_rng([s, n]), n, 2, BETTER_ONE)
        pair = karat.compare({"a": a[:, 1], "b": b[:, 1]}, y, labels=(0, 1), measures=list(PEERS), seed=s)["a", "b"]
        for m, d in pair.differences.items():
            mine[m] += d.p <= 1 - LEVEL
        right = [(p.argmax(axis=1) == y) for p in (a, b)]
        gained, lost = int((right[0] & ~right[1]).sum()), int((right[1] & ~right[0]).sum())
        losses = [-np.log2(np.maximum(p[np.arange(n), y], 1e-15)) for p in (a, b)]
        t = losses[0] - losses[1]
        usual["Acc"] += sign_test(gained, lost, sides=2) <= 1 - LEVEL
        usual["AUC"] += pair.areas is not None and pair.areas.p <= 1 - LEVEL
        usual["LogL"] += bool(ttest_1samp(t, 0).pvalue <= 1 - LEVEL)
        for m in ("MSE", "MCC"):
            test = karat.permutation_test(m, y, (a, b), labels=(0, 1), positive=1, replicates=500, seed=s)
            usual[m] += test.p <= 1 - LEVEL
    return {m: [mine[m], usual[m], len(seeds)] for m in PEERS}


# --------------------------------------------------------------------------------------------------------------- pieces


def parts() -> Iterator[tuple[str, Callable[[range], Row]]]:
    """All parts of the work: a name, and what to call with some seeds."""
    for apart in (1.5, 3.0):
        for n in SIZES:
            for k in (2, 3, 10):
                for kind in KINDS:
                    yield f"intervals {apart} {n} {k} {kind}", partial(intervals, k, kind, n, apart)
    for groups in (5, 10, 30):
        for k in (2, 3):
            yield f"groups {groups} {k}", partial(intervals_of_groups, k, groups)
    for k in (2, 3, 5):
        for n in (100, 500, 2000):
            yield f"calibrated {k} {n}", partial(calibrated, k, n)
    for k in (2, 8):
        for n in (100, 300):
            yield f"posterior {k} {n}", partial(posterior, k, n)
    yield from parts_of_comparisons()
    for population in BANDS:
        yield f"bands {population.words}", partial(band_coverage.held, population)


def parts_of_comparisons() -> Iterator[tuple[str, Callable[[range], Row]]]:
    """Those of two models."""
    for n in LEVEL_SIZES:
        for how in (EXCHANGEABLE, OTHER):
            for k in (2, 3):
                yield f"level {how} {k} {n}", partial(false_alarms, k, how, n)
        for how in OF_EQUAL_VALUE:
            yield f"level {how} {n}", partial(false_alarms_of_equal_value, how, n)
    for n in BETTER:
        yield f"power {n}", partial(power, n)


BANDS = band_coverage.POPULATIONS


def read(path: Path) -> dict[str, dict[int, Row]]:
    """Pieces that were done: name to the first seed to counts."""
    kept: dict[str, dict[int, Row]] = {}
    if path.exists():
        for line in path.read_text(encoding="utf-8").splitlines():
            piece = json.loads(line)
            kept.setdefault(piece["name"], {})[piece["first"]] = piece["row"]
    return kept


def samples_of(name: str) -> int:
    """How many there should be of a part."""
    more = name.startswith("intervals") or (name.startswith("level") and int(name.split()[-1]) >= 50)
    return MORE_SAMPLES if more else SAMPLES


def do(path: Path, samples: int | None, workers: int, only: tuple[str, ...], minutes: float) -> bool:
    """Do the pieces that are not in the file; is nothing left?"""
    kept, end = read(path), time.monotonic() + 60 * minutes
    pieces = [
        (name, call, range(first, first + PIECE))
        for first in range(0, samples or MORE_SAMPLES, PIECE)
        for name, call in parts()
        if name.startswith(only) and first not in kept.get(name, {}) and first < (samples or samples_of(name))
    ]
    with ProcessPoolExecutor(workers) as pool, path.open("a", encoding="utf-8") as file:
        for start in range(0, len(pieces), workers):
            if time.monotonic() > end:
                return False
            some = pieces[start : start + workers]
            for (name, _, seeds), row in zip(some, pool.map(_call, some), strict=True):
                file.write(json.dumps({"name": name, "first": seeds.start, "row": row}) + "\n")
                file.flush()
            print(f"{start + len(some)} of {len(pieces)}: {some[-1][0]}", file=sys.stderr, flush=True)
    return True


def _call(piece: tuple[str, Callable[[range], Row], range]) -> Row:
    return piece[1](piece[2])


def added(path: Path) -> dict[str, Row]:
    """Name to counts of all pieces together, of parts that have enough of them to be shown."""
    kept = {name: pieces for name, pieces in read(path).items() if len(pieces) * PIECE >= SAMPLES}
    return {name: _sum(list(pieces.values())) for name, pieces in kept.items()}


def _sum(rows: list[Row]) -> Row:
    return {m: [sum(x) for x in zip(*(row[m] for row in rows), strict=True)] for m in rows[0]}


# ----------------------------------------------------------------------------------------------------------------- page


def shown(share: float, samples: float, least: float, most: float) -> str:
    """A share, in bold where it is outside by more than chance explains: with its whole interval (Wilson's)."""
    low, high = wilson(share * samples, samples, LEVEL)
    return f"**{share:.3f}**" if high < least or low > most else f"{share:.3f}"


HOLDING = ((0.93, 1.0), (0.93, 0.975))
"""Which shares of intervals should hold the truth: of few cases, and from 100 on."""
NO_TEST = ("verdict", *UNTESTED)
"""Rows that need not reject at least 0.03."""


def covered(row: Row, m: str, n: int) -> str:
    """A cell: the share that holds the truth, of those that are given; in brackets the share that is not known."""
    values, given, above, below, _ = row[m]
    if not values:
        return ""
    unknown = 1 - given / values
    note = f" ({100 * unknown:.0f} % not known)" if unknown >= 0.005 else ""
    if given < max(20, values / 10):
        return "not known" if given == 0 else f"mostly not known ({100 * unknown:.0f} %)"
    return shown(1 - (above + below) / given, given, *HOLDING[n >= 100]) + note


def alarm(row: Row, m: str, n: int) -> str:
    """A cell: how often equal models are told apart."""
    if m not in row:  # where this measure differs
        return ""
    told, samples = row[m]
    return shown(told / samples, samples, 0.03 if n >= 50 and m not in NO_TEST else 0.0, 0.06)


def of_posterior(row: Row, m: str) -> str:
    """A cell: the share that holds, and how often the result says that it may be too narrow."""
    given, held, narrow, _ = row[m]
    if not given:
        return "not known"
    said = f" (said to be too narrow in {100 * narrow / given:.0f} %)" if narrow else ""
    return shown(held / given, given, 0.93, 1.0) + said


def holds_zero(row: Row, _: str) -> str:
    """A cell: how often an interval holds 0."""
    held, samples = row["held"]
    return shown(held / samples, samples, 0.93, 1.0)


def against_peer(row: Row, line: str) -> str:
    """A cell: how often a worse model is told, by karat and by the usual test."""
    *counts, samples = row[line.split(" ")[0]]
    a, b = (x / samples for x in counts)
    return f"{a:.3f} against {b:.3f} ({a / b if b else math.nan:.2f})"


EARLIER = " †"
"""Behind the name of a column, or of a line of bands, that was made by earlier code."""


class Page:
    """The page: from the counts that there are, and from the page as it is where there are none."""

    def __init__(self, rows: dict[str, Row], before: str, earlier: tuple[str, ...] = ()) -> None:
        self.rows = rows
        self.marked: set[tuple[str, str]] = set()
        """what of it was made by earlier code: columns by section, and lines of bands (section "")"""
        self.earlier = earlier
        """beginnings of the names of parts that are from now on"""
        self.sizes: dict[str, list[int]] = {}
        """numbers of samples that its chapters speak of"""
        self.before: dict[tuple[str, str, str], str] = {}
        """cells of the page as it is: section, line and column to text"""
        self.lines: dict[str, list[str]] = {}
        """lines of its bands, by population"""
        self.findings = before.partition(FINDINGS)[2]
        chapter, section = "", ""
        names: list[str] = []
        for text in before.splitlines():
            line = text.replace(EARLIER, "")
            cells = [cell.strip() for cell in line.strip("|").split(" | ")]
            marked = [cell.strip().endswith(EARLIER.strip()) for cell in text.strip("|").split(" | ")]
            if line.startswith("#"):
                title = line.lstrip("# ")
                chapter, section = title if line.startswith("## ") else chapter, title
            if not line.startswith("|"):
                names = []
                if found := re.search(r"([\d,]+)(?: to ([\d,]+))? samples", line):
                    self.sizes.setdefault(section, [int(x.replace(",", "")) for x in found.groups() if x])
            elif not names:
                names = cells[1:]
                self.marked |= {(chapter + section, x) for x, mark in zip(names, marked[1:], strict=True) if mark}
            elif not cells[0].startswith("---"):
                self.lines.setdefault(cells[0], []).append(line)
                self.marked |= {("", cells[0])} if marked[0] else set()
                self.before |= {(chapter + section, cells[0], x): y for x, y in zip(names, cells[1:], strict=True)}

    def table(self, section: str, parts: dict[str, str], lines: Iterable[str], cell: Callable[[Row, str], str]) -> str:
        """In Markdown: of columns, each with its part of the work."""
        names = [name + EARLIER * self.is_earlier(part, (section, name)) for name, part in parts.items()]
        out = [f"|  | {' | '.join(names)} |", f"| --- |{' --- |' * len(names)}"]
        for line in lines:
            cells = [
                cell(self.rows[part], line) if self._made(part, line) else self.before.get((section, line, name), "")
                for name, part in parts.items()
            ]
            out.append(f"| {line} | {' | '.join(cells)} |")
        return "\n".join(out)

    def _made(self, part: str, line: str) -> bool:
        """Was it made anew? A part may be of some measures only."""
        row = self.rows.get(part, {})
        return "held" in row or line.split(" ")[0] in row

    def bands(self) -> str:
        """The table of all bands."""
        new = [p for p in BANDS if f"bands {p.words}" in self.rows]
        out = [band_coverage.table((p, self.rows[f"bands {p.words}"]) for p in new)]
        for p in BANDS:
            if p not in new:
                named = p.words + EARLIER * self.is_earlier(f"bands {p.words}", ("", p.words))
                out += [x.replace(p.words, named, 1) for x in self.lines.get(p.words, ())]
        return "\n".join(out)

    def is_earlier(self, part: str, place: tuple[str, str]) -> bool:
        """Was it made by earlier code, and not again?"""
        return part not in self.rows and (place in self.marked or part.startswith(self.earlier))

    def samples(self, part: str, chapter: str) -> str:
        """How many there are of each kind."""
        numbers = {counts[-1] for name, row in self.rows.items() if name.startswith(part) for counts in row.values()}
        if any(name.startswith(part) and name not in self.rows for name, _ in parts()):
            numbers |= {*self.sizes.get(chapter, ())}
        ends = [f"{x:,}" for x in sorted({min(numbers), max(numbers)})] if numbers else ["some"]
        return f"{' to '.join(ends)} samples"

    def chapters(self) -> Iterator[str]:
        """All of it."""
        of_intervals = [*self._of_intervals()]
        others = [*self._other_chapters()]
        samples = self.samples("intervals", "Does karat hold what it says?")
        yield HEAD.format(cases=POPULATION, samples=samples, outside=outside(of_intervals))
        if any(EARLIER in made for made in (*of_intervals, *others)):
            yield NOT_ANEW
        yield from of_intervals
        yield from others

    def _other_chapters(self) -> Iterator[str]:
        columns = {f"{g} groups, {k} classes": f"groups {g} {k}" for k in (2, 3) for g in (5, 10, 30)}
        yield GROUPS.format(samples=self.samples("groups", "Cases in groups"))
        yield self.table(2 * "Cases in groups", columns, MEASURES, lambda row, m: covered(row, m, 0))
        yield CALIBRATED.format(samples=self.samples("calibrated", "The calibration error of a calibrated model"))
        yield self._calibrated()
        yield POSTERIOR.format(samples=self.samples("posterior", "Bayes"))
        columns = {f"{k} classes, n = {n}": f"posterior {k} {n}" for k in (2, 8) for n in (100, 300)}
        yield self.table(2 * "Bayes", columns, OF_POSTERIOR, of_posterior)
        yield from self._levels()
        yield POWER.format(samples=self.samples("power", "How often a worse model is told"))
        columns = {f"n = {n:,}": f"power {n}" for n in BETTER}
        lines = [f"{m} ({peer})" for m, peer in PEERS.items()]
        yield self.table(2 * "How often a worse model is told", columns, lines, against_peer)
        yield BANDS_OF_CURVES.format(samples=self.samples("bands", "Bands of curves"))
        yield self.bands()

    def _of_intervals(self) -> Iterator[str]:
        for apart, words in ((1.5, "A middling model"), (3.0, "A strong model")):
            yield f"\n## {words}\n"
            for n in SIZES:
                columns = {
                    f"{k} classes, {kind}": f"intervals {apart} {n} {k} {kind}" for k in (2, 3, 10) for kind in KINDS
                }
                title = f"n = {n:,}"
                cells = self.table(words + title, columns, MEASURES, partial(_covered_of, n))
                yield f"\n### {title}\n\n{cells}\n"

    def _calibrated(self) -> str:
        """Here each line is of some parts: a line for each number of classes."""
        sizes, out = (100, 500, 2000), []
        for k in (2, 3, 5):
            columns = {f"n = {n:,}": f"calibrated {k} {n}" for n in sizes}
            made = self.table(2 * "The calibration error of a calibrated model", columns, [f"{k} classes"], holds_zero)
            out += made.splitlines()[0 if k == 2 else 2 :]
        return "\n".join(out)

    def _levels(self) -> Iterator[str]:
        chapter, chapters = "How often equal models are called different", []
        tables = [(f"{how.capitalize()}, {k} classes", f"{how} {k}") for how in (EXCHANGEABLE, OTHER) for k in (2, 3)]
        for title, part in (*tables, *((title, how) for how, (*_, title) in OF_EQUAL_VALUE.items())):
            lines = (
                OF_EQUAL_VALUE[part][1]
                if part in OF_EQUAL_VALUE
                else [
                    m for m in (*MEASURES, "verdict") if not part.startswith(OTHER) or m not in UNEQUAL[int(part[-1])]
                ]
            )
            sizes = {n: f"level {part} {n}" for n in LEVEL_SIZES}
            made = [
                self.table(chapter + title, {f"n = {n:,}": name}, lines, partial(_alarm_of, n))
                for n, name in sizes.items()
            ]
            chapters.append(f"\n### {title}\n\n{_side_by_side(made)}\n")
        yield LEVELS.format(samples=self.samples("level", chapter), outside=outside_of_levels(chapters))
        yield from chapters


def _covered_of(n: int, row: Row, m: str) -> str:
    return covered(row, m, n)


def _alarm_of(n: int, row: Row, m: str) -> str:
    return alarm(row, m, n)


def _side_by_side(tables: list[str]) -> str:
    """Tables of the same lines as one."""
    first, *others = (made.splitlines() for made in tables)
    for other in others:
        first = [line + cells.split("|", 2)[2] for line, cells in zip(first, other, strict=True)]
    return "\n".join(first)


def outside(tables: list[str]) -> str:
    """How many shares of intervals are below and above what they should be."""
    counts = dict.fromkeys(("all", "below", "too_low", "above", "too_high"), 0)
    for made in tables:
        few = made.strip().startswith(("### n = 20\n", "### n = 50\n"))
        for cell in re.findall(r"\| (\*{0,2}[01]\.\d{3}\*{0,2})(?= )", made):
            share, bold = float(cell.strip("*")), "*" in cell
            low, high = share < HOLDING[0][0], share > HOLDING[not few][1]
            for key, found in (("all", True), ("below", low), ("above", high)):
                counts[key] += found
            counts["too_low"] += low and bold
            counts["too_high"] += high and bold
    return OUTSIDE.format(**counts)


def outside_of_levels(tables: list[str]) -> str:
    """How many shares of equal models that were told apart are above and below what they should be."""
    counts = dict.fromkeys(("all", "below", "too_low", "above", "too_high"), 0)
    for made in tables:
        head, _, *lines = (line.strip("|").split(" | ") for line in made.splitlines() if line.startswith("|"))
        sizes = [int(re.sub(r"\D", "", name)) for name in head[1:]]
        for name, *cells in lines:
            for n, cell in zip(sizes, map(str.strip, cells), strict=True):
                share, bold = float(cell.strip("*")), "*" in cell
                low, high = share < 0.03 and n >= 50 and name.strip() not in NO_TEST, share > 0.06
                for key, found in (("all", True), ("below", low), ("above", high)):
                    counts[key] += found
                counts["too_low"] += low and bold
                counts["too_high"] += high and bold
    return OUTSIDE_OF_LEVELS.format(**counts)


HEAD = """# Does karat hold what it says?

Written by `python benchmarks/coverage.py`, not by hand: samples of known populations, intervals of level 0.95 with the
default method, and the share that holds the value of the population ({cases:,} cases); {samples} of each kind. The
share of samples of which karat says that it does not know is in brackets; the other share is of those that it gives an
interval for. At least 0.93 should hold, and from 100 cases on at most 0.975. A share is set in bold where chance does
not explain that it is outside: where its own interval (Wilson's, of 95 %) is as well; of two thousand some are so by
chance. All measures see the same samples, so that whole columns move together. {outside}

What stays above 0.975, and why ([decision 35](decisions/0035-what-an-interval-is-refused-for.md)): counts of a handful
of cases jump, so that the next possible number of hits may be missed or not, but nothing between; the average precision
and the areas of five to eight positive cases, where no sample can put the lower end above the truth, and one badly
ranked case does not rule out that few are; average precision of some hundred cases, which allows for a badly ranked one
that was not seen ([decision 30](decisions/0030-intervals-of-rankings.md)); and the calibration error of a strong model,
of which 100 cases show two errors, and which is smaller than the standard error of the accuracy alone.
"""
NOT_ANEW = """
Columns (and lines of bands) with a † were made by earlier code and not again.
"""
OUTSIDE = "Of {all:,} shares {below} lie below 0.93 ({too_low} of them bold), {above} above 0.975 ({too_high} bold)."
OUTSIDE_OF_LEVELS = (
    "Of {all:,} shares {above} lie above 0.06 ({too_high} of them bold), and {below} of 50 cases and more below 0.03 "
    "({too_low} bold)."
)
GROUPS = """
## Cases in groups

Groups of twenty cases that share an effect on how well they are separated; {samples}.
"""
CALIBRATED = """
## The calibration error of a calibrated model

How often the interval of ECE holds 0; {samples}. The other measures of calibration (CalB, cwECE) have no
interval, and say why.
"""
POSTERIOR = """
## Bayes

`method="bayes"`: the posterior with a prior of one case in all; {samples}. Of more than two classes, one of them with
fewer than 15 cases, the result says that an interval may be too narrow. Measures of disorder are not known where tables
drawn from a posterior are more mixed than the true one.
"""
LEVELS = """
## How often equal models are called different

`karat.compare` at the level 0.95: the share of samples in which p is at most 0.05; {samples}.
"Exchangeable": two noisy versions of one model. "Other errors": each model is sure of
other classes, so that all measures that treat classes alike are equal in the population, and of three classes those of
the first class, too (of two, F1 of one class is not equal, and left out). "Crossing": the scores of one model spread
farther, its ROC curve crosses the other, and the measure is equal. "Overconfident": one model is not sure enough, the
other three times as sure, and the measure is equal (of few cases the rare, large losses of the second are mostly not
seen). The last line: how often the verdict, which speaks
of four aspects, names any winner. At most 0.06 should be called different, and from 50 cases on at least 0.03; shares
are set in bold where chance does not explain that they are outside. {outside}
CalB has no test, and says why; nor has CalL, which is the squared error where no two probabilities are equal. Measures
of disorder of more classes are not compared where there are fewer than five cases for each cell of the table and fewer
errors of both models than twice the kinds of error ([decision 33](decisions/0033-bends-and-flat-ends.md)).
"""
POWER = """
## How often a worse model is told

karat against the usual valid test, and the ratio; {samples}.
"""
BANDS_OF_CURVES = """
## Bands of curves

How often bands hold the curve: place by place, on average in five regions of the horizontal axis and at the place where
they do least often (the lowest of 45 is below the average by chance alone), and the simultaneous band as a whole;
{samples}. Shares below 0.93 are set in bold where chance does not explain them.
"""
FINDINGS = "\n## Findings\n\n"


def main() -> None:
    """Do what is left, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--samples", type=int, help=f"of each kind, in pieces of {PIECE}; by default as many as it needs"
    )
    parser.add_argument("--rows", type=Path, default=Path("coverage-rows.jsonl"), help="where results are kept")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--minutes", type=float, default=math.inf, help="after which no other piece is begun")
    parser.add_argument("--only", default="", help="parts by the beginning of their names, such as 'level,power'")
    parser.add_argument("--print", action="store_true", help="print the page instead of writing it")
    parser.add_argument("--write", action="store_true", help="do nothing more, and write the page with what there is")
    parser.add_argument("--earlier", default="", help="parts, as for --only, that a change of the code may have moved")
    parser.add_argument("--measures", default="", help="only these (and 'verdict'), of intervals and levels")
    asked = parser.parse_args()
    if asked.measures:
        ASKED.clear()
        ASKED.update(asked.measures.split(","))
    if not asked.write:
        whole = do(asked.rows, asked.samples, asked.workers, tuple(asked.only.split(",")), asked.minutes)
        if asked.only or not whole:
            return
    earlier = tuple(filter(None, asked.earlier.split(",")))
    page = Page(added(asked.rows), PAGE.read_text(encoding="utf-8"), earlier)
    findings = page.findings if asked.write else findings_check.tables(1000, 50)[0]
    text = "\n".join(page.chapters()) + "\n" + FINDINGS + findings.rstrip() + "\n"
    if asked.print:
        print(text)
    else:
        PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
