"""Does karat hold what it says? `python benchmarks/coverage.py` writes `docs/coverage.md` (half an hour on two cores).

Samples of known populations: how often intervals hold the truth, how often `compare` tells equal models apart, how
often it tells unequal ones apart, how often a verdict names a false winner, how often bands hold the curve, and what
findings notice. Every part of the work is kept in `--rows`, so that an interrupted run goes on where it stopped;
`--samples` makes it shorter, and `--only` with `--measures` renews some rows of the page. Seeds belong to samples: any
number of workers gives the same page.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import re
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import ttest_1samp

import karat
from karat.intervals.rate_interval import wilson
from karat.measures import PAPERS
from karat.statistics.p_values import sign_test

PAGE = Path(__file__).resolve().parents[1] / "docs" / "coverage.md"
MEASURES = (*PAPERS, "F1", "AUC", "AP", "Brier", "ECE")
LEVEL = 0.95
SIZES = (20, 50, 100, 300, 2000)
KINDS = ("balanced", "5 % positive")
POPULATION = 200_000
"""Cases whose values are taken for those of the population: their own error is a tenth of that of 2,000 cases."""
Row = dict[str, Any]
Rng = np.random.Generator


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


def intervals(k: int, kind: str, n: int, apart: float, samples: int) -> Row:
    """Measure to (samples with a value, of these those with an interval, of these those above and below the truth)."""
    known = truth(sample, k, kind, apart)
    return _tally(known, samples, lambda rng: (*sample(rng, n, k, kind, apart), None), k, n)


def intervals_of_groups(k: int, groups: int, samples: int) -> Row:
    """The same of cases in groups."""
    return _tally(truth(grouped, k), samples, lambda rng: grouped(rng, groups, k), k, groups)


DRAWS = 400
"""Draws of outcomes for intervals of calibration errors; the others draw nothing."""


def _tally(known: dict[str, float], samples: int, make: Callable[[Rng], Any], *key: int) -> Row:
    counts = {m: [0, 0, 0, 0] for m in MEASURES}
    options: Any = {"level": LEVEL, "workers": 1, "replicates": DRAWS}
    for s in range(samples):
        y, p, groups = make(np.random.default_rng([s, *key]))
        e = karat.evaluate(y, p, labels=range(p.shape[1]), positive=0)
        for m, one in e.intervals(MEASURES, **options, seed=s, groups=groups).items():
            row = counts[m]
            row[0] += one.value == one.value
            row[1] += one.low == one.low
            row[2] += one.low > known[m] + 1e-9
            row[3] += one.high < known[m] - 1e-9
    return counts


def calibrated(k: int, n: int, samples: int) -> Row:
    """How often the interval of ECE holds the 0 of a calibrated model."""
    held = 0
    for s in range(samples):
        rng = np.random.default_rng([s, k, n])
        p = rng.dirichlet(np.full(k, 0.7), n)
        y = (p.cumsum(axis=1) > rng.random((n, 1))).argmax(axis=1)
        held += karat.evaluate(y, p, labels=range(k)).intervals(["ECE"], level=LEVEL, seed=s)["ECE"].low <= 1e-9
    return {"held": held / samples}


def posterior(k: int, n: int, samples: int) -> Row:
    """How often intervals of the posterior hold the truth."""
    symbols = ("Acc", "MCC", "MFM", "MAvA", "CEN", "EMA")
    known, held = truth(sample, k, KINDS[0], 1.5), dict.fromkeys(symbols, 0)
    for s in range(samples):
        y, p = sample(np.random.default_rng([s, k, n]), n, k, KINDS[0], 1.5)
        e = karat.evaluate(y, p, labels=range(k), positive=0)
        for m, one in e.intervals(symbols, level=LEVEL, method="bayes", seed=s).items():
            held[m] += one.low <= known[m] <= one.high
    return {m: x / samples for m, x in held.items()}


def two_models(rng: Rng, n: int, k: int, how: str) -> tuple[Any, Any, Any]:
    """Two models of one population: "exchangeable"; or "other errors": of equal value on every measure that treats
    classes alike, but each sure of other classes; or one "better" than the other."""
    y = rng.integers(0, k, n)
    shared = 0.8 * rng.normal(size=(n, k))
    models = []
    for i in range(2):
        z = shared + (0.6 if how != "better" or i == 0 else 0.6 + BETTER[n]) * rng.normal(size=(n, k))
        sure = np.linspace(0.7, 2.6, k)[(y + i) % k] if how == "other errors" else 1.5
        z[np.arange(n), y] += sure
        models.append(softmax(z))
    return y, *models


BETTER = {100: 0.8, 1000: 0.2}
"""How much noisier the worse model is, so that tests find it sometimes but not always."""
LEVEL_SIZES = (4, 6, 10, 20, 50, 200, 2000)
UNEQUAL = {2: ("F1",), 3: ("F1", "AUC", "AP")}
"""What differs in the population of "other errors", because it is of one class, of which one model is surer. Of two
classes the order of the cases is the same but for noise, and so are the area and, nearly, the average precision."""


ONE_NUMBER = {"MAE": "MPR", "Brier": "MSE"}
"""Measures that differ by a factor or a sign alone, so that their tests are one."""
AREAS = ("AU1U", "AU1P", "AUNU", "AUNP")
EXCHANGES = 199
"""Draws of an exchange test: its level is the same with more."""


def computed_as(m: str, k: int) -> str:
    """The measure whose test is the test of this one as well; of two classes all areas are one."""
    return "AUC" if k == 2 and m in AREAS else ONE_NUMBER.get(m, m)


def false_alarms(k: int, how: str, n: int, samples: int) -> Row:
    """Measure to (samples in which equal models are told apart, samples), and the same of verdicts with a winner."""
    told, winners = dict.fromkeys(MEASURES, 0), 0
    needed = sorted({computed_as(m, k) for m in MEASURES})
    for s in range(samples):
        y, a, b = two_models(np.random.default_rng([s, k, n]), n, k, how)
        models = {name: karat.evaluate(y, p, labels=range(k), positive=0) for name, p in (("a", a), ("b", b))}
        options: Any = {"level": LEVEL, "seed": s, "workers": 1, "replicates": EXCHANGES}
        found = karat.compare(models, measures=needed, **options)["a", "b"].differences
        for m in MEASURES:
            told[m] += found[computed_as(m, k)].p <= 1 - LEVEL + 1e-12
        if len(MEASURES) >= len(PAPERS):  # not where some rows are renewed
            winners += " is significantly better on " in karat.compare(models, **options).verdict
    out = {m: (x, samples) for m, x in told.items() if how != "other errors" or m not in UNEQUAL[k]}
    return out | ({"verdict": (winners, samples)} if len(MEASURES) >= len(PAPERS) else {})


def power(n: int, samples: int) -> Row:
    """How often a worse model is told, by karat and by the usual test of each measure."""
    peers = {"Acc": "McNemar, exact", "AUC": "DeLong", "LogL": "paired t", "MSE": "exchange", "MCC": "exchange"}
    mine, usual = dict.fromkeys(peers, 0), dict.fromkeys(peers, 0)
    for s in range(samples):
        y, a, b = two_models(np.random.default_rng([s, n]), n, 2, "better")
        pair = karat.compare({"a": a[:, 1], "b": b[:, 1]}, y, labels=(0, 1), measures=list(peers), seed=s)["a", "b"]
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
    return {m: (mine[m] / samples, usual[m] / samples, peers[m]) for m in peers}


def tasks(samples: int) -> Iterator[tuple[str, Callable[..., Row], tuple[Any, ...]]]:
    """All parts of the work: a name, and what to call."""
    for apart in (1.5, 3.0):
        for n in SIZES:
            for k in (2, 3, 10):
                for kind in KINDS:
                    yield f"intervals {apart} {n} {k} {kind}", intervals, (k, kind, n, apart, samples)
    for groups in (5, 10, 30):
        for k in (2, 3):
            yield f"groups {groups} {k}", intervals_of_groups, (k, groups, samples)
    for k in (2, 3, 5):
        for n in (100, 500, 2000):
            yield f"calibrated {k} {n}", calibrated, (k, n, samples)
    for k in (2, 8):
        for n in (100, 300):
            yield f"posterior {k} {n}", posterior, (k, n, samples)
    for how in ("exchangeable", "other errors"):
        for k in (2, 3):
            for n in LEVEL_SIZES:
                yield f"level {how} {k} {n}", false_alarms, (k, how, n, samples if n < 2000 else samples // 2)
    for n in (100, 1000):
        yield f"power {n}", power, (n, samples)


def done(path: Path, samples: int, workers: int, only: tuple[str, ...] = ("",)) -> dict[str, Row]:
    """The results of all parts whose names begin so; those that are in the file are not computed again."""
    kept: dict[str, Row] = {}
    if path.exists():
        lines = (json.loads(line) for line in path.read_text(encoding="utf-8").splitlines())
        kept = {line["name"]: line["row"] for line in lines if line["samples"] == samples}
    left = [task for task in tasks(samples) if task[0] not in kept and task[0].startswith(only)]
    total = len(kept) + len(left)
    with ProcessPoolExecutor(workers) as pool, path.open("a", encoding="utf-8") as file:
        for (name, _, _), row in zip(left, pool.map(_call, left), strict=True):
            kept[name] = row
            file.write(json.dumps({"name": name, "samples": samples, "row": row}) + "\n")
            file.flush()
            print(f"{name} ({len(kept)} of {total})", file=sys.stderr, flush=True)
    return kept


def _call(task: tuple[str, Callable[..., Row], tuple[Any, ...]]) -> Row:
    return task[1](*task[2])


def shown(share: float, samples: float, least: float, most: float) -> str:
    """A share, in bold where it is outside by more than chance explains: with its whole interval (Wilson's)."""
    low, high = wilson(share * samples, samples, LEVEL)
    return f"**{share:.3f}**" if high < least or low > most else f"{share:.3f}"


def covered(row: Row, m: str, n: int) -> str:
    """A cell: the share that holds the truth, of those that are given; in brackets the share that is not known."""
    values, given, above, below = row[m]
    if not values:
        return ""
    unknown = 1 - given / values
    note = f" ({100 * unknown:.0f} % not known)" if unknown >= 0.005 else ""
    if given < max(20, values / 10):
        return "not known" if given == 0 else f"mostly not known ({100 * unknown:.0f} %)"
    return shown(1 - (above + below) / given, given, *HOLDING[n >= 100]) + note


HOLDING = ((0.93, 1.0), (0.93, 0.975))
"""Which shares of intervals should hold the truth: of few cases, and from 100 on."""


def table(names: list[str], rows: list[tuple[str, list[str]]], corner: str = "") -> str:
    """In Markdown."""
    lines = [f"| {corner} | {' | '.join(names)} |", f"| --- |{' --- |' * len(names)}"]
    return "\n".join([*lines, *(f"| {name} | {' | '.join(cells)} |" for name, cells in rows)])


def page(results: dict[str, Row], samples: int, bands: str, findings: str) -> Iterator[str]:
    """The parts of the page."""
    yield HEAD.format(samples=samples, others="", cases=POPULATION, error=1.96 * math.sqrt(0.05 * 0.95 / samples))
    for apart, words in ((1.5, "A middling model"), (3.0, "A strong model")):
        yield f"\n## {words}\n"
        for n in SIZES:
            columns = [(k, kind) for k in (2, 3, 10) for kind in KINDS]
            rows = [results[f"intervals {apart} {n} {k} {kind}"] for k, kind in columns]
            cells = [(m, [covered(row, m, n) for row in rows]) for m in MEASURES]
            yield f"\n### n = {n:,}\n\n{table([f'{k} classes, {kind}' for k, kind in columns], cells)}\n"
    yield GROUPS
    columns = [(g, k) for k in (2, 3) for g in (5, 10, 30)]
    cells = [(m, [covered(results[f"groups {g} {k}"], m, 0) for g, k in columns]) for m in MEASURES]
    yield table([f"{g} groups, {k} classes" for g, k in columns], cells)
    yield CALIBRATED
    shares = {k: [results[f"calibrated {k} {n}"]["held"] for n in (100, 500, 2000)] for k in (2, 3, 5)}
    lines = [(f"{k} classes", [f"{share:.3f}" for share in row]) for k, row in shares.items()]
    yield table(["n = 100", "n = 500", "n = 2,000"], lines)
    yield POSTERIOR
    columns = [(k, n) for k in (2, 8) for n in (100, 300)]
    rows = [results[f"posterior {k} {n}"] for k, n in columns]
    lines = [(m, [f"{row[m]:.3f}" for row in rows]) for m in rows[0]]
    yield table([f"{k} classes, n = {n}" for k, n in columns], lines)
    yield LEVELS
    for how in ("exchangeable", "other errors"):
        for k in (2, 3):
            yield f"\n### {how.capitalize()}, {k} classes\n"
            by_size = {n: results[f"level {how} {k} {n}"] for n in LEVEL_SIZES}
            lines = [(m, [_alarm(*row[m], n, m) for n, row in by_size.items()]) for m in by_size[4]]
            yield table([f"n = {n:,}" for n in LEVEL_SIZES], lines)
    yield POWER
    lines = []
    for m, (_, _, peer) in results["power 100"].items():
        shown = []
        for n in (100, 1000):
            mine, usual, _ = results[f"power {n}"][m]
            shown.append(f"{mine:.3f} against {usual:.3f} ({mine / usual if usual else math.nan:.2f})")
        lines.append((f"{m} ({peer})", shown))
    yield table(["n = 100", "n = 1,000"], lines)
    yield f"\n## Bands of curves\n\n{bands}"
    yield f"\n## Findings\n\n{findings}"


def renewed(text: str, results: dict[str, Row], measures: tuple[str, ...]) -> str:
    """The page with other cells for these measures, where their parts were computed again; the others are marked."""
    apart, n, equal, lines = "", 0, "", []
    for line in text.splitlines():
        if line.startswith("## "):
            apart, equal = {"## A middling model": "1.5", "## A strong model": "3.0"}.get(line, ""), ""
        elif line.startswith("### n = "):
            n = int(line.removeprefix("### n = ").replace(",", ""))
        elif line.startswith("### "):
            equal = line.removeprefix("### ").removesuffix(" classes").lower().replace(",", "")
        m, *cells = (cell.strip() for cell in line.strip().strip("|").split("|"))
        if apart and m in MEASURES_OF_PAGE:
            columns = [(k, kind) for k in (2, 3, 10) for kind in KINDS]
            for i, (k, kind) in enumerate(columns):
                row = results.get(f"intervals {apart} {n} {k} {kind}", {})
                as_one = "AUC" if k == 2 and m == "AU1U" else m  # others need other numbers of cases
                if as_one in measures and as_one in row:
                    cells[i] = covered(row, as_one, n)
                else:
                    cells[i] = _marked(cells[i], *HOLDING[n >= 100])
            line = f"| {m} | {' | '.join(cells)} |"
        elif equal and m in (*MEASURES_OF_PAGE, "verdict"):
            for i, size in enumerate(LEVEL_SIZES):
                row = results.get(f"level {equal} {size}", {})
                if m in measures and m in row:
                    cells[i] = _alarm(*row[m], size, m)
                else:
                    old = 1000 if m == "Acc" else 200 if size < 2000 else 100
                    cells[i] = _alarm(float(cells[i].strip("*")) * old, old, size, m)
            line = f"| {m} | {' | '.join(cells)} |"
        lines.append(line)
    return "\n".join([*lines, ""])


MEASURES_OF_PAGE = MEASURES
OLD_SAMPLES = 500
"""Of cells of intervals that were written before."""


def _marked(cell: str, least: float, most: float) -> str:
    """A cell that was written before."""
    parts = re.fullmatch(r"\**([\d.]+)\**( \((\d+) % not known\))?", cell)
    if parts is None:
        return cell
    given = OLD_SAMPLES * (1 - int(parts[3] or 0) / 100)
    return shown(float(parts[1]), given, least, most) + (parts[2] or "")


def _alarm(told: float, samples: float, n: int, m: str) -> str:
    return shown(told / samples, samples, 0.03 if n >= 50 and m not in ("verdict", "CalB") else 0.0, 0.06)


HEAD = """# Does karat hold what it says?

Written by `python benchmarks/coverage.py`, not by hand: samples of known populations ({samples:,} of each kind, where
nothing else is said{others}), intervals of level 0.95 with the default method, and the share that holds the value of
the population ({cases:,} cases). A true share of 0.95 shows within {error:.3f}. The share of samples of which karat
says that it does not know is in brackets; the other share is of those that it gives an interval for. At least 0.93
should hold, and from 100 cases on at most 0.975. A share is set in bold where chance does not explain that it is
outside: where its own interval (Wilson's, of 95 %) is as well. Of two thousand cells some are so by chance.
"""
GROUPS = """
## Cases in groups

Groups of twenty cases that share an effect on how well they are separated.
"""
CALIBRATED = """
## The calibration error of a calibrated model

How often the interval of ECE holds 0. The other measures of calibration (CalB, cwECE) have no interval, and say why.
"""
POSTERIOR = """
## Bayes

`method="bayes"`: the posterior with a prior of one case in all.
"""
LEVELS = """
## How often equal models are called different

`karat.compare` at the level 0.95: the share of samples in which p is at most 0.05. "Exchangeable": two noisy versions
of one model. "Other errors": each model is sure of other classes, so that all measures that treat classes alike are
equal in the population (F1 of one class is not, since each model is surer of another class, so it is left out; with
three classes nor are AUC and AP of one class). The last line: how often the verdict, which speaks of four aspects,
names any winner. At most 0.06 should be called different, and from 50 cases on at least 0.03; shares are set in bold
where chance does not explain that they are outside. CalB has no test, and says why.
"""
POWER = """
## How often a worse model is told

karat against the usual valid test, and the ratio.
"""


def main() -> None:
    """Write the page, or print a short version."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=200, help="samples of each kind")
    parser.add_argument("--rows", type=Path, default=Path("coverage-rows.jsonl"), help="where results are kept")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--print", action="store_true", help="print the page instead of writing it")
    parser.add_argument("--only", default="", help="parts by the beginning of their names, such as 'intervals 1.5 20'")
    parser.add_argument("--measures", default="", help="with --only: whose rows of the page are written anew")
    asked = parser.parse_args()
    if asked.only:
        global MEASURES
        MEASURES = tuple(asked.measures.split(",")) if asked.measures else MEASURES
        results = done(asked.rows, asked.samples, asked.workers, tuple(asked.only.split(",")))
        PAGE.write_text(renewed(PAGE.read_text(encoding="utf-8"), results, MEASURES), encoding="utf-8")
        return
    import band_coverage
    import findings_check

    results = done(asked.rows, asked.samples, asked.workers)
    few = [band_coverage.Population(1.0, n, share) for n in (100, 200, 1000) for share in (0.5, 0.1)]
    rows = (row for population in few for row in band_coverage.coverage(population, asked.samples // 4))
    bands = "\n".join(band_coverage.table(rows))
    findings, _ = findings_check.tables(1000, 50)
    text = "\n".join([*page(results, asked.samples, bands, findings), ""])
    if asked.print:
        print(text)
    else:
        PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
