"""Are weak slices found where there are some, and only there; is a shift put down to what caused it; are changes over
time claimed as seldom as stated? `python benchmarks/slices_and_shifts.py` writes `docs/slices_and_shifts.md` (a quarter
of an hour on one core). Seeds belong to samples; `--samples` makes it shorter, and some parts alone are printed."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import karat

PAGE = Path(__file__).resolve().parents[1] / "docs" / "slices_and_shifts.md"
Rows = list[list[str]]


def of_slices(rng: Any, n: int, numbers: int, planted: bool) -> tuple[Any, Any, dict[str, Any], Any]:
    """Twenty attributes, of which two make 5 % of the cases; their errors, and which cases these are."""
    values = {f"number {i}": rng.normal(size=n) for i in range(numbers)}
    values |= {f"word {i}": rng.choice(list("abcde"), n) for i in range(20 - numbers)}
    if numbers:
        inside = (values["number 0"] > np.quantile(values["number 0"], 0.75)) & (values["word 0"] == "a")
    else:
        inside = (values["word 0"] == "a") & np.isin(values["word 1"], ["a"])
    wrong = rng.random(n) < np.where(inside & planted, 0.68, 0.18)
    y = rng.integers(0, 2, n)
    return y, np.where(wrong, 1 - y, y), values, inside


def slices(samples: int) -> Rows:
    """How often anything is reported, and how often the planted slice."""
    rows = []
    for n, loss, planted in (
        (3000, "error", True),
        (1500, "error", True),
        (3000, "log_loss", True),
        (3000, "error", False),
        (1500, "error", False),
        (3000, "log_loss", False),
    ):
        anything = found = variants = 0
        began = time.process_time()
        for seed in range(samples):
            rng = np.random.default_rng([n, planted, seed])
            y, decided, values, inside = of_slices(rng, n, 10, planted)
            p = np.clip(0.2 + 0.6 * decided + rng.normal(0, 0.08, n), 0.01, 0.99)
            result = karat.weak_slices(karat.evaluate(y, p), values, loss=loss)
            anything += len(result) > 0
            shared = [(s.inside & inside).sum() / (s.inside | inside).sum() for s in result]
            found += planted and bool(shared) and max(shared) >= 0.5
            variants += sum(x < 0.1 for x in shared)
        seconds = (time.process_time() - began) / samples
        rows.append(
            [
                *(f"{n:,}", loss, "yes" if planted else "no", f"{anything} of {samples}"),
                *(f"{found} of {samples}" if planted else "-", str(variants), f"{seconds:.1f}"),
            ]
        )
    return rows


def binormal(rng: Any, n: int, share: float, noise: float) -> Any:
    """Calibrated where a fifth is positive; noise blurs the scores."""
    y = (rng.random(n) < share).astype(int)
    x = rng.normal(size=n) + 2 * y - 1 + noise * rng.normal(size=n)
    return karat.evaluate(y, 1 / (1 + np.exp(-(2 * x + np.log(0.25)))))


MOVED = ("Acc", "Precision", "F1", "MCC", "AP", "LogLoss", "BrierLoss")


def shifts(samples: int) -> Rows:
    """The share of the change that class frequencies explain: mean, and over samples the 5th and 95th percentile."""
    rows = []
    for what, share, noise in (("class frequencies, 0.2 to 0.5", 0.5, 0.0), ("scores, blurred", 0.2, 1.0)):
        parts: dict[str, list[tuple[float, float]]] = {name: [] for name in MOVED}
        for seed in range(samples):
            rng = np.random.default_rng([seed, round(noise)])
            s = karat.shift(binormal(rng, 20_000, 0.2, 0), binormal(rng, 20_000, share, noise), measures=MOVED)
            for name in MOVED:
                parts[name].append((s[name].by_frequencies, s[name].change))
        for name, pairs in parts.items():
            explained, change = np.array(pairs).T
            if abs(change.mean()) < 0.02:
                continue  # a measure that hardly moves
            ends = np.quantile(explained / change, [0.05, 0.95])
            part = explained.mean() / change.mean()
            rows.append([what, name, f"{change.mean():.3f}", f"{part:.3f}", f"{ends[0]:.3f} to {ends[1]:.3f}"])
    return rows


def blind(samples: int) -> Rows:
    """How often intervals of estimates without labels hold what labels of very many cases would show."""
    rows = []
    truth = karat.shift(
        binormal(np.random.default_rng(1), 400_000, 0.2, 0),
        binormal(np.random.default_rng(2), 400_000, 0.5, 0),
        measures=MOVED,
    )
    held: dict[str, list[bool]] = {name: [] for name in MOVED}
    doubted = []
    for seed in range(samples):
        rng = np.random.default_rng([9, seed])
        reference, current = binormal(rng, 2000, 0.2, 0), binormal(rng, 2000, 0.5, 0)
        scores = current.statistics.source.cases.scores[0]
        s = karat.shift(reference, scores, measures=MOVED, replicates=60)
        doubted.append(s.p_assumption <= 0.05)
        for name in MOVED:
            held[name].append(s[name].low <= truth[name].change <= s[name].high)
    for name, found in held.items():
        rows.append([name, f"{truth[name].change:.3f}", f"{np.mean(found):.2f}"])
    rows.append(["assumption doubted at 0.05", "-", f"{np.mean(doubted):.2f}"])
    return rows


OVER_TIME = ("Acc", "MCC", "AUC", "LogLoss")


def alarms(samples: int) -> Rows:
    """How often a change is claimed, and how often a week is beyond its limits, where nothing changes; and with what
    chance a change is found, and its week named within one week."""
    rows = []
    for cases, noise in ((100, 0.0), (40, 0.0), (100, 0.7)):
        changed, near = [], []
        beyond: dict[str, list[bool]] = {name: [] for name in OVER_TIME}
        for seed in range(4 * samples):
            rng = np.random.default_rng([7, seed])
            n = 20 * cases
            day = rng.integers(0, 140, n)
            y = (rng.random(n) < 0.3).astype(int)
            x = rng.normal(size=n) + 2 * y - 1 + noise * (day >= 84) * rng.normal(size=n)
            e = karat.evaluate(y, 1 / (1 + np.exp(-(2 * x - 0.85))))
            c = karat.course(e, np.datetime64("2026-01-05") + day, measures=OVER_TIME, replicates=399)
            found = [one.changed for one in c.values() if one.changed]
            changed.append(bool(found))
            near.append(any(abs(c.periods.index(week) - 12) <= 1 for week in found))
            for name in OVER_TIME:
                beyond[name].append(bool(c[name].outside))
        shares = [f"{np.mean(beyond[name]):.3f}" for name in OVER_TIME]
        named = f"{np.mean(near):.3f}" if noise else "-"
        rows.append([str(cases), "blurred" if noise else "nothing", f"{np.mean(changed):.3f}", named, *shares])
    return rows


PARTS: dict[str, tuple[str, list[str], Callable[[int], Rows]]] = {
    "slices": (
        "Weak slices: twenty attributes (ten numbers, ten categories of five values), 5 % of the cases planted by two "
        "of them with an error of 0.68 instead of 0.18. Found: the reported slice and the planted one share at least "
        "half of the cases that either holds.",
        ["cases", "loss", "planted", "reports anything", "finds it", "other slices", "CPU s each"],
        slices,
    ),
    "shifts": (
        "Shifts: the share of the mean change that class frequencies explain (20,000 cases each), and its 5th and 95th "
        "percentile over samples.",
        ["what changed", "measure", "change", "explained", "90 % of the samples"],
        shifts,
    ),
    "blind": (
        "Without labels: 2,000 cases each, class frequencies 0.2 to 0.5, and how often the 95 % interval of the change "
        "holds that of 400,000 cases.",
        ["measure", "change", "held"],
        blind,
    ),
    "alarms": (
        "Over time: twenty weeks, the stated rate being 0.05. How often a change is claimed (of four measures "
        "together), and named within one week of where it began; how often any of fifteen weeks is beyond the limits.",
        ["cases a week", "what changes", "a change is claimed", "near its week", *(f"limits: {m}" for m in OVER_TIME)],
        alarms,
    ),
}


def table(head: list[str], rows: Rows) -> str:
    lines = [head, ["--"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", help=f"some of {', '.join(PARTS)}; all of them are written to the page")
    parser.add_argument("--samples", type=int, default=100)
    options = parser.parse_args()
    chosen = {name: PARTS[name] for name in options.parts or PARTS}
    texts = [f"{words}\n\n{table(head, rows(options.samples))}" for words, head, rows in chosen.values()]
    if len(chosen) < len(PARTS):
        print("\n\n".join(texts))
        return
    how = (
        f"`python benchmarks/slices_and_shifts.py --samples {options.samples}`: so many samples in each row, over time"
    )
    page = ["# Slices, shifts and changes over time", f"{how} four times as many.", *texts]
    PAGE.write_text("\n\n".join(page) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
