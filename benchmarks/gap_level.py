"""How often the test of a gap rejects where there is none, and finds one that was planted; with what fairlearn says of
the same data, if it is installed.

    python benchmarks/gap_level.py level [repetitions]        # karat: rejections where groups are drawn at random
    python benchmarks/gap_level.py power [repetitions]        # a planted gap of 0.10 in recall; Fisher's told where
    python benchmarks/gap_level.py coverage [repetitions]     # how often the intervals of planted gaps hold them
    python benchmarks/gap_level.py fairlearn [repetitions]    # difference_ci of MetricFrame
    python benchmarks/gap_level.py speed                      # seconds for each measure and replicate, both (if there)
    python benchmarks/gap_level.py many                       # 1,000 groups of a million cases, against no groups

3,000 cases, three groups. A second number is the seed, so that a simulation can be run in parts; of fairlearn a third
one is the number of bootstrap replicates.
"""

from __future__ import annotations

import sys
import time
from typing import Any

import numpy as np

MEASURES = ("Accuracy", "Recall", "Precision", "AUC", "MCC", "LogLoss")
N, GROUPS = 3000, 3


def drawn(rng: np.random.Generator, prevalence: Any = 0.4) -> tuple[Any, Any, Any]:
    """Truth, probability and group, the group drawn at random."""
    group = rng.integers(0, GROUPS, N)
    y = (rng.random(N) < np.broadcast_to(prevalence, GROUPS)[group]).astype(int)
    p = 1 / (1 + np.exp(-(rng.normal(size=N) + 1.5 * y - 0.75)))
    return y, p, group


def level(repetitions: int, start: int = 1) -> None:
    """Rejections at 5 % of each measure, by the permutations alone: an interval holds 0 wherever they do not reject."""
    import karat
    from karat.groups.gap import permuted
    from karat.groups.group_gaps import free_of_prevalence
    from karat.groups.group_values import values_by_group
    from karat.groups.reassignments import Labelling
    from karat.measures.lookup import find
    from karat.measures.value import MeasureOf

    rejected = dict.fromkeys(MEASURES, 0)
    rng = np.random.default_rng(start)
    for seed in range(repetitions):
        y, p, group = drawn(rng)
        e = karat.evaluate(y, p)
        g = e.by(group)
        for name in MEASURES:
            m = MeasureOf.on(find(name), e.statistics)
            within = "classes" if free_of_prevalence(m, e.statistics) else "all"
            dealt, _ = Labelling(g.p, g.codes, GROUPS, within).values(m, 199, seed)
            rejected[name] += permuted(values_by_group([m], g.parts)[m.key], dealt, 0.95).p <= 0.05
    for name in MEASURES:
        print(f"{name:10} rejects {rejected[name]} of {repetitions}")


def planted(rng: np.random.Generator, gap: float, prevalence: float = 0.4) -> tuple[Any, Any, Any]:
    """Recall 0.80, in group 0 by so much less; otherwise all the same."""
    group = rng.integers(0, GROUPS, N)
    y = (rng.random(N) < prevalence).astype(int)
    recall = np.where(group == 0, 0.8 - gap, 0.8)
    d = np.where(y == 1, rng.random(N) < recall, rng.random(N) < 0.1).astype(int)
    return y, d, group


def power(repetitions: int, start: int = 2) -> None:
    """Of the test of a gap in recall, and of Fisher's exact test of group 0 against the others."""
    from scipy.stats import fisher_exact

    import karat

    for prevalence in (0.4, 0.15):
        found = told = 0
        rng = np.random.default_rng(start)
        for seed in range(repetitions):
            y, d, group = planted(rng, 0.10, prevalence)
            found += karat.evaluate(y, y_pred=d).by(group).gap("recall", replicates=999, seed=seed).p <= 0.05
            own, hit = group[y == 1] == 0, d[y == 1] == 1
            cells = [(a & b).sum() for a in (own, ~own) for b in (hit, ~hit)]
            told += fisher_exact(np.reshape(cells, (2, 2))).pvalue <= 0.05
        shares = f"gap test {found / repetitions:.3f}, Fisher's {told / repetitions:.3f}, ratio {found / told:.3f}"
        print(f"{prevalence:.0%} positive: {shares}")


def coverage(repetitions: int, start: int = 3) -> None:
    """Of the intervals of the largest difference, of the worst group and of the ratio in recall."""
    import karat

    for gap in (0.0, 0.05, 0.1, 0.3):
        held = dict.fromkeys(("difference", "worst", "ratio", "spread"), 0)
        true = {"difference": gap, "worst": -gap, "ratio": (0.8 - gap) / 0.8, "spread": gap / np.sqrt(3)}
        rng = np.random.default_rng(start)
        for seed in range(repetitions):
            y, d, group = planted(rng, gap)
            g = karat.evaluate(y, y_pred=d).by(group)
            for kind in held:
                one = g.gap("recall", kind, replicates=399, seed=seed)
                held[kind] += one.low - 1e-9 <= true[kind] <= one.high + 1e-9
        print(gap, {kind: round(x / repetitions, 3) for kind, x in held.items()})


def _frames() -> dict[str, tuple[Any, bool]]:
    from sklearn import metrics

    return {
        "Accuracy": (metrics.accuracy_score, False),
        "Recall": (metrics.recall_score, False),
        "Precision": (metrics.precision_score, False),
        "AUC": (metrics.roc_auc_score, True),
        "MCC": (metrics.matthews_corrcoef, False),
        "LogLoss": (metrics.log_loss, True),
    }


def fairlearn(repetitions: int, start: int = 1, replicates: int = 100) -> None:
    """How often `difference_ci` at 95 % leaves out 0, where there is no gap."""
    from fairlearn.metrics import MetricFrame

    rng = np.random.default_rng(start)
    without = dict.fromkeys(MEASURES, 0)
    for seed in range(repetitions):
        y, p, group = drawn(rng)
        for name, (metric, scores) in _frames().items():
            frame = MetricFrame(
                metrics=metric, y_true=y, y_pred=p if scores else (p > 0.5).astype(int), sensitive_features=group,
                n_boot=replicates, ci_quantiles=[0.025, 0.975], random_state=seed,
            )  # fmt: skip
            without[name] += frame.difference_ci()[0] > 0
    for name in MEASURES:
        print(f"{name:10} difference_ci leaves out 0 in {without[name] / repetitions:.3f}")


def speed() -> None:
    """CPU seconds for one measure and replicate: of karat with intervals and the test, of fairlearn the values."""
    y, p, group = drawn(np.random.default_rng(0))
    try:
        import karat

        g = karat.evaluate(y, p).by(group)
        for name in MEASURES:
            g.gap(name, replicates=10)
        start = time.process_time()
        for name in MEASURES:
            g.gap(name, replicates=1999, seed=1)
        print(f"karat {(time.process_time() - start) / 1999 / len(MEASURES):.3g} s")
    except ImportError:
        print("karat is not installed here")
    try:
        from fairlearn.metrics import MetricFrame
    except ImportError:
        print("fairlearn is not installed here")
        return
    start, times = time.process_time(), 20
    for metric, scores in _frames().values():
        MetricFrame(
            metrics=metric, y_true=y, y_pred=p if scores else (p > 0.5).astype(int), sensitive_features=group,
            n_boot=times, ci_quantiles=[0.025, 0.975], random_state=0,
        )  # fmt: skip
    print(f"fairlearn {(time.process_time() - start) / (times + 1) / len(MEASURES):.3g} s")


def many() -> None:
    """CPU seconds of all headline measures of 1,000 groups of a million cases, and how many times those of no groups:
    of arrays, and of an accumulator with and without rows. The least of five."""
    import karat

    rng = np.random.default_rng(0)
    y = (rng.random(1_000_000) < 0.4).astype(int)
    p = 1 / (1 + np.exp(-(rng.normal(size=len(y)) + 1.5 * y - 0.75)))
    site = np.array([f"site {i}" for i in range(1000)])[rng.integers(0, 1000, len(y))]

    def accumulated(exact: Any, by: Any) -> Any:
        a = karat.Accumulator(exact=exact)
        a.update(y, p, by=by)
        return a.evaluation()

    def least(function: Any) -> float:
        times = []
        for _ in range(5):
            start = time.process_time()
            function()
            times.append(time.process_time() - start)
        return min(times)

    sites = {"site": site}
    ways = {
        "arrays": (lambda: karat.evaluate(y, p).values(), lambda: karat.evaluate(y, p).by(site).values()),
        "accumulator, rows kept": (
            lambda: accumulated("auto", None).values(),
            lambda: accumulated("auto", sites).by("site").values(),
        ),
        "accumulator, without rows": (
            lambda: accumulated(False, None).values(),
            lambda: accumulated(False, sites).by("site").values(),
        ),
    }
    for name, (together, grouped) in ways.items():
        alone, by_group = least(together), least(grouped)
        print(f"{name}: {alone:.3f} s together, {by_group:.3f} s by group, {by_group / alone:.1f} times")


if __name__ == "__main__":
    what, *more = sys.argv[1:] or ["level"]
    if what in ("speed", "many"):
        {"speed": speed, "many": many}[what]()
    else:
        {"level": level, "power": power, "coverage": coverage, "fairlearn": fairlearn}[what](
            *map(int, more or ["1000"])
        )
