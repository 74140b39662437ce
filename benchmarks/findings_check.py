"""Are findings made where they should be, and only there? `python benchmarks/findings_check.py` prints two tables.

Healthy models are calibrated by construction: probabilities are drawn and the truth from them, or they follow from the
classes by Bayes' rule; no more than 2 % of them may get a warning. Faults are planted into healthy models; each must be
noticed in 90 % of the seeds. `--healthy` and `--seeds` make it shorter, `--write FILE` stores the tables.
"""

from __future__ import annotations

import argparse
import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import karat
from karat.core.finding import Severity

MOST_WARNED, LEAST_NOTICED = 0.02, 0.9
"""Shares of healthy models with any warning, and of seeds in which a fault is noticed."""
HEALTHY, SEEDS = 1000, 50
APART = (0.4, 4.5)
"""How far classes lie apart, in standard deviations: by Bayes' rule an AUC of .61 to .9993, and of two classes that are
equally frequent an accuracy of .58 to .988."""
REFUSED = "refused"
"""A fault that `karat.evaluate` refuses with an `InputError`."""
Rng = np.random.Generator
Given = dict[str, Any]


# ------------------------------------------------------------------------------------------------------- healthy models


def drawn(rng: Rng, p: Any) -> Any:
    """A truth of each row, drawn from its probabilities."""
    return (p.cumsum(axis=1) < rng.random((len(p), 1))).sum(axis=1).clip(0, p.shape[1] - 1)


def priors(rng: Rng, k: int, rarest: float | None = None) -> Any:
    """Frequencies of k classes; that of the last one is between .01 and .5, evenly in logarithms."""
    rarest = math.exp(rng.uniform(math.log(0.01), math.log(0.5))) if rarest is None else rarest
    rarest = min(rarest, 1 / k) if k > 2 else rarest
    return np.append(rng.dirichlet(np.full(k - 1, 5.0)) * (1 - rarest), rarest)


def normalised(logs: Any) -> Any:
    p = np.exp(logs - logs.max(axis=1, keepdims=True))
    return p / p.sum(axis=1, keepdims=True)


def by_bayes(rng: Rng, n: int, prior: Any, apart: float) -> tuple[Any, Any]:
    """Normal classes in space, and what Bayes' rule says of each case."""
    k = len(prior)
    centre = apart * np.eye(k) / math.sqrt(2)  # any two of them are so far apart
    y = rng.choice(k, n, p=prior)
    x = centre[y] + rng.normal(size=(n, k))
    return y, normalised(np.log(prior) + x @ centre.T - (centre**2).sum(axis=1) / 2)


def by_drawing(rng: Rng, n: int, prior: Any, apart: float) -> tuple[Any, Any]:
    """Probabilities that spread normally in logarithms of odds, and the truth drawn from them."""
    p = normalised(np.log(prior) + rng.normal(size=(n, len(prior))) * apart / math.sqrt(2))
    return drawn(rng, p), p


def by_dirichlet(rng: Rng, n: int, prior: Any, apart: float) -> tuple[Any, Any]:
    """Probabilities from Dirichlet's distribution, and the truth drawn from them."""
    p = np.maximum(rng.dirichlet(prior * len(prior) / apart, n), 1e-300)
    p /= p.sum(axis=1, keepdims=True)
    return drawn(rng, p), p


def rounded(p: Any, digits: int) -> Any:
    """Rows rounded so that they still sum to 1: the largest remainders are rounded up."""
    units = p * 10**digits
    whole = np.floor(units)
    missing = np.rint(10**digits - whole.sum(axis=1)).astype(int)
    order = np.argsort(np.argsort(whole - units, axis=1), axis=1)
    return (whole + (order < missing[:, None])) / 10**digits


def balanced(p: Any, prior: Any) -> Any:
    """Decisions that do not let rare classes go: the class whose probability exceeds its frequency most."""
    return (p / prior).argmax(axis=1)


def healthy(rng: Rng, most: float = 1e5) -> tuple[str, Given]:
    """A healthy model: what kind it is, and what is given to `karat.evaluate`."""
    k = 2 if rng.random() < 0.5 else int(rng.integers(3, 11))
    n = int(math.exp(rng.uniform(math.log(50), math.log(most))))
    prior = priors(rng, k)
    source = (by_bayes, by_drawing, by_dirichlet)[rng.integers(3)]
    apart = math.exp(rng.uniform(*map(math.log, APART)))
    y, p = source(rng, n, prior, apart)
    labels: Given = {"labels": list(range(k))}
    kinds = ("probabilities", "probabilities", "rounded", "leaves", "decisions", "scores", "both", "weights")
    kind = kinds[rng.integers(len(kinds))]
    name = f"{kind}, {source.__name__[3:]}"
    decided = p.argmax(axis=1) if rng.random() < 0.5 else balanced(p, prior)
    if kind == "decisions":
        return name, labels | {"y_true": y, "y_pred": decided}
    if kind == "scores":
        logs = np.log(np.maximum(p, 1e-300))
        scores = logs[:, 1] - logs[:, 0] if k == 2 else logs
        return name, labels | {"y_true": y, "y_score": scores}
    if kind == "leaves":  # of a tree: few different rows of probabilities
        rows = p[rng.choice(n, min(n, int(rng.integers(5, 60))), replace=False)]
        p = rows[rng.integers(0, len(rows), n)]
        y = drawn(rng, p)
    if kind == "rounded":
        p = rounded(p, int(rng.integers(2, 5)))
    given = labels | {"y_true": y, "y_proba": p}
    if kind == "both":
        given["y_pred"] = decided
    if kind == "weights":
        given["sample_weight"] = rng.gamma(3.0, size=n)
    return name, given


# --------------------------------------------------------------------------------------------------------------- faults


@dataclass(frozen=True)
class Fault:
    """Something wrong, and the findings of which one must be made."""

    name: str
    codes: tuple[str, ...]
    least: Severity
    make: Callable[[Rng], Given]


FAULTS: dict[str, Fault] = {}


def fault(
    *codes: str, least: Severity = Severity.WARNING
) -> Callable[[Callable[[Rng], Given]], Callable[[Rng], Given]]:
    """Declare a fault, and what must be said of it, and how gravely at least."""

    def declare(make: Callable[[Rng], Given]) -> Callable[[Rng], Given]:
        name = make.__name__.replace("_", " ")
        FAULTS[name] = Fault(name, codes, least, make)
        return make

    return declare


def two(rng: Rng, rarest: float | None = None, n: int | None = None) -> tuple[Any, Any]:
    """Two classes, the second with 25 to 50 % unless said otherwise: truth and the probability of the second."""
    n = int(rng.integers(600, 2000)) if n is None else n
    y, p = by_bayes(rng, n, priors(rng, 2, rng.uniform(0.25, 0.5) if rarest is None else rarest), rng.uniform(1.5, 2.5))
    return y, p[:, 1]


def several(rng: Rng, k: int | None = None) -> tuple[Any, Any]:
    """Three to six classes, none of them rare."""
    k = int(rng.integers(3, 7)) if k is None else k
    n = int(rng.integers(1000, 3000))
    return by_bayes(rng, n, rng.dirichlet(np.full(k, 20.0)), rng.uniform(2.0, 3.0))


def bent(p: Any, power: float) -> Any:
    """More (power above 1) or less extreme, in the same order."""
    q = np.column_stack([1 - p, p]) if p.ndim == 1 else p
    q = normalised(power * np.log(np.maximum(q, 1e-300)))
    return q[:, 1] if p.ndim == 1 else q


def moved(p: Any, old: Any, new: Any) -> Any:
    """What a model says that was trained with other class frequencies."""
    q = p * (np.asarray(new) / old)
    return q / q.sum(axis=1, keepdims=True)


def given(y: Any, p: Any, **more: Any) -> Given:
    return {"y_true": y, "y_proba": p} | more


@fault("reversed-scores")
def probabilities_of_the_other_class(rng: Rng) -> Given:
    y, p = two(rng)
    return given(y, 1 - p)


@fault("reversed-scores")
def scores_with_the_wrong_sign(rng: Rng) -> Given:
    y, p = two(rng)
    return {"y_true": y, "y_score": -np.log(p / (1 - p))}


@fault("mislabelled-outputs")
def two_columns_exchanged(rng: Rng) -> Given:
    y, p = several(rng)
    order = np.arange(p.shape[1])
    order[:2] = 1, 0
    return given(y, p[:, order])


@fault("mislabelled-outputs")
def columns_in_another_order(rng: Rng) -> Given:
    y, p = several(rng)
    return given(y, np.roll(p, 1, axis=1))


@fault("mislabelled-outputs")
def labels_coded_from_another_start(rng: Rng) -> Given:
    y, p = several(rng)
    k = p.shape[1]
    return {"y_true": y, "y_pred": (p.argmax(axis=1) + 1) % k, "labels": list(range(k))}


@fault("no-better-than-majority")
def decisions_that_never_change(rng: Rng) -> Given:
    y, _ = two(rng)
    return {"y_true": y, "y_pred": np.zeros_like(y), "labels": [0, 1]}


@fault("no-better-than-majority")
def decisions_at_random(rng: Rng) -> Given:
    y, _ = two(rng)
    return {"y_true": y, "y_pred": rng.permutation(y)}


@fault("constant-scores")
def the_same_probability_for_all(rng: Rng) -> Given:
    y, _ = two(rng)
    return given(y, np.full(len(y), y.mean()))


@fault("constant-scores")
def the_same_probabilities_of_several_classes(rng: Rng) -> Given:
    y, p = several(rng)
    return given(y, np.tile(p.mean(axis=0) / p.mean(axis=0).sum(), (len(y), 1)))


@fault("no-better-than-majority")
def probabilities_of_other_cases(rng: Rng) -> Given:
    y, p = two(rng)
    return given(y, rng.permutation(p))


@fault("overconfident")
def too_sure(rng: Rng) -> Given:
    y, p = two(rng)
    return given(y, bent(p, 3.0))


@fault("overconfident")
def too_sure_of_several_classes(rng: Rng) -> Given:
    y, p = several(rng)
    return given(y, bent(p, 2.5))


@fault("underconfident")
def too_unsure(rng: Rng) -> Given:
    y, p = two(rng)
    return given(y, bent(p, 0.4))


@fault("underconfident")
def smoothed_labels(rng: Rng) -> Given:
    y, p = several(rng)
    return given(y, 0.75 * p + 0.25 / p.shape[1])


@fault("tilted-probabilities")
def trained_on_balanced_classes(rng: Rng) -> Given:
    y, p = two(rng, rarest=rng.uniform(0.05, 0.15))
    share = y.mean()
    return given(y, moved(np.column_stack([1 - p, p]), [1 - share, share], [0.5, 0.5]))


@fault("tilted-probabilities")
def trained_on_other_frequencies(rng: Rng) -> Given:
    y, p = several(rng)
    old = np.bincount(y, minlength=p.shape[1]) / len(y)
    return given(y, moved(p, old, np.roll(np.arange(1, p.shape[1] + 1) ** 2, int(rng.integers(5)))))


@fault("miscalibrated-region")
def wrong_in_one_region(rng: Rng) -> Given:
    p = np.concatenate([rng.uniform(0.71, 0.79, 1000), rng.uniform(0.81, 0.89, 1000), rng.uniform(0, 0.4, 1000)])
    shift = np.repeat([0.12, -0.12, 0.0], 1000)
    return given((rng.random(3000) < p + shift).astype(int), p)


@fault("hard-probabilities")
def decisions_passed_as_probabilities(rng: Rng) -> Given:
    y, p = two(rng)
    return given(y, np.column_stack([p <= 0.5, p > 0.5]).astype(float))


@fault("hard-probabilities", "impossible-truths")
def probabilities_rounded_to_none(rng: Rng) -> Given:
    y, p = several(rng)
    return given(y, np.eye(p.shape[1])[p.argmax(axis=1)])


@fault("impossible-truths")
def small_probabilities_cut_to_nothing(rng: Rng) -> Given:
    y, p = several(rng)
    q = np.where(p < 0.1, 0.0, p)
    return given(y, q / q.sum(axis=1, keepdims=True))


@fault("impossible-truths")
def a_column_of_nothing(rng: Rng) -> Given:
    y, p = several(rng)
    q = p * (np.arange(p.shape[1]) > 0) + 1e-12 * (np.arange(p.shape[1]) == 1)
    return given(y, q / q.sum(axis=1, keepdims=True))


@fault("clipped-probabilities")
def cut_at_both_ends(rng: Rng) -> Given:
    y, p = two(rng)
    return given(y, np.clip(p, 0.2, 0.8))


@fault("clipped-probabilities")
def cut_from_above(rng: Rng) -> Given:
    y, p = two(rng)
    return given(y, np.minimum(p, 0.5))


@fault("squeezed-scores")
def squeezed_votes(rng: Rng) -> Given:
    y, p = two(rng)
    return given(y, 0.5 + 0.15 * (p - 0.5))


@fault("scores-not-probabilities")
def ranks_for_probabilities(rng: Rng) -> Given:
    y, p = two(rng)
    return given(y, (p.argsort().argsort() + 0.5) / len(p))


@fault("scores-not-probabilities")
def scores_stretched_to_the_unit_interval(rng: Rng) -> Given:
    y, p = two(rng)
    x = np.log(p / (1 - p))
    return given(y, (x - x.min()) / np.ptp(x))


@fault(REFUSED)
def percentages(rng: Rng) -> Given:
    y, p = two(rng)
    return given(y, 100 * p)


@fault(REFUSED)
def logits(rng: Rng) -> Given:
    y, p = several(rng)
    return given(y, np.log(p))


@fault("tied-scores", least=Severity.NOTE)
def few_different_scores(rng: Rng) -> Given:
    y, p = two(rng)
    return given(y, np.round(p * 2) / 2)


@fault("tied-decisions", least=Severity.NOTE)
def two_classes_equally_probable(rng: Rng) -> Given:
    y, p = several(rng)
    at = rng.random(len(y)) < 0.05
    best = np.sort(p, axis=1)[:, -2:]
    q = np.where(p >= best[:, :1], best.mean(axis=1, keepdims=True), p)
    return given(y, np.where(at[:, None], q, p))


@fault("absent-classes")
def a_class_without_cases_that_is_predicted(rng: Rng) -> Given:
    y, p = several(rng)
    there = y > 0
    return given(y[there], p[there], labels=list(range(p.shape[1])))


@fault("tilted-probabilities")
def a_class_without_cases_that_is_promised(rng: Rng) -> Given:
    return a_class_without_cases_that_is_predicted(rng)


@fault("never-decided")
def a_class_that_is_never_predicted(rng: Rng) -> Given:
    y, p = several(rng)
    return {"y_true": y, "y_pred": 1 + p[:, 1:].argmax(axis=1), "labels": list(range(p.shape[1]))}


@fault("few-cases", least=Severity.NOTE)
def a_class_of_a_handful_of_cases(rng: Rng) -> Given:
    y, p = several(rng)
    keep = (y > 0) | (np.cumsum(y == 0) <= 5)
    return given(y[keep], p[keep])


@fault("specialised")
def accuracy_by_imbalance(rng: Rng) -> Given:
    y, p = by_bayes(rng, 2000, np.array([0.94, 0.06]), 1.2)
    return {"y_true": y, "y_pred": (p[:, 1] > 0.5).astype(int), "labels": [0, 1]}


@fault("rare-positive", least=Severity.NOTE)
def a_rare_class_ranked_in_part(rng: Rng) -> Given:
    y, p = two(rng, rarest=0.02, n=3000)
    return {"y_true": y, "y_score": np.log(p / (1 - p))}


@fault("blocks", least=Severity.NOTE)
def errors_inside_groups(rng: Rng) -> Given:
    y = rng.integers(0, 6, 2000)
    d = np.where(rng.random(2000) < 0.6, y, np.where(y < 3, rng.integers(0, 3, 2000), rng.integers(3, 6, 2000)))
    return {"y_true": y, "y_pred": d}


@fault("duplicated-rows")
def ten_copies_of_each_row(rng: Rng) -> Given:
    y, p = two(rng, n=int(rng.integers(100, 300)))
    at = rng.permutation(np.repeat(np.arange(len(y)), 10))
    return given(y[at], p[at])


@fault("duplicated-rows")
def the_rare_class_oversampled(rng: Rng) -> Given:
    y, p = two(rng, rarest=0.1)
    at = np.append(np.arange(len(y)), rng.choice(np.flatnonzero(y == 1), (y == 0).sum() - (y == 1).sum()))
    return given(y[at], p[at])


@fault("duplicated-rows")
def a_file_read_twice(rng: Rng) -> Given:
    y, p = several(rng)
    return given(np.tile(y, 2), np.tile(p, (2, 1)))


@fault("duplicated-rows")
def rows_drawn_with_replacement(rng: Rng) -> Given:
    y, p = several(rng)
    at = rng.integers(0, len(y), len(y))
    return given(y[at], p[at])


@fault("perfect-accuracy", "perfect-ranking")
def the_truth_among_the_features(rng: Rng) -> Given:
    y, _ = two(rng)
    return given(y, np.clip(rng.beta(1, 20, len(y)) + y * (0.9 - rng.beta(1, 20, len(y)) * 1.5), 0.001, 0.999))


@fault("perfect-accuracy", "perfect-ranking")
def the_truth_passed_as_predictions(rng: Rng) -> Given:
    y, _ = several(rng)
    return {"y_true": y, "y_pred": y.copy()}


@fault("decisions-contradict")
def predictions_of_another_model(rng: Rng) -> Given:
    y, p = two(rng)
    other = normalised(np.log(np.column_stack([1 - p, p])) + rng.normal(size=(len(y), 2)) * 1.5)
    return given(y, p, y_pred=other.argmax(axis=1))


@fault("decisions-contradict")
def predictions_in_another_order(rng: Rng) -> Given:
    y, p = several(rng)
    return given(y, p, y_pred=rng.permutation(p.argmax(axis=1)))


@fault("decisions-contradict")
def predictions_coded_the_other_way_round(rng: Rng) -> Given:
    y, p = two(rng)
    return given(y, p, y_pred=(p < 0.5).astype(int))


@fault("less-accurate-than-possible", least=Severity.NOTE)
def a_threshold_far_off(rng: Rng) -> Given:
    y, p = two(rng)
    return given(y, p, y_pred=(p > 0.95).astype(int))


@fault("uneven-weights")
def one_case_outweighs_the_rest(rng: Rng) -> Given:
    y, p = two(rng)
    w = np.ones(len(y))
    w[0] = len(y)
    return given(y, p, sample_weight=w)


@fault("calibration-loss-is-error", least=Severity.NOTE)
def calibration_by_segments_without_segments(rng: Rng) -> Given:
    return given(*two(rng))


# --------------------------------------------------------------------------------------------------------------- tables


def warnings_of(data: Given) -> list[str]:
    """Codes of the findings that are more than a note."""
    return [f.code for f in karat.evaluate(**data).findings() if f.severity != Severity.NOTE]


def notices(planted: Fault, seed: int) -> bool:
    """Is one of its findings made?"""
    data = planted.make(np.random.default_rng(seed))
    try:
        codes = {f.code for f in karat.evaluate(**data).findings() if f.severity.rank <= planted.least.rank}
    except karat.InputError:
        codes = {REFUSED}
    return bool(codes & set(planted.codes))


def check_healthy(
    models: int, seed: int = 0, most: float = 1e5
) -> tuple[int, Counter[str], list[tuple[int, str, Any]]]:
    """How many of the healthy models get a warning, which ones, and of which models."""
    codes: Counter[str] = Counter()
    warned: list[tuple[int, str, Any]] = []
    for i in range(models):
        kind, data = healthy(np.random.default_rng([seed, i]), most)
        if said := warnings_of(data):
            codes.update(said)
            warned.append((i, kind, said))
    return len(warned), codes, warned


def check_faults(seeds: int) -> dict[str, float]:
    """Fault to the share of seeds in which it is noticed."""
    return {name: float(np.mean([notices(f, seed) for seed in range(seeds)])) for name, f in FAULTS.items()}


def tables(models: int, seeds: int) -> tuple[str, bool]:
    """Both as Markdown, and whether all is as it should be."""
    warned, codes, _ = check_healthy(models)
    shares = check_faults(seeds)
    lines = [
        f"Of {models} healthy models (2 to 10 classes, prevalence .01 to .5, 50 to 100,000 cases) {warned} got a "
        f"warning: {warned / models:.1%} (at most {MOST_WARNED:.0%} may).",
        "",
    ]
    if codes:
        lines += ["| warning | healthy models |", "|---|---|", *(f"| {c} | {n} |" for c, n in codes.most_common()), ""]
    lines += [f"| planted fault | finding | at least a | noticed in {seeds} seeds |", "|---|---|---|---|"]
    lines += [f"| {f.name} | {' or '.join(f.codes)} | {f.least} | {shares[f.name]:.0%} |" for f in FAULTS.values()]
    fine = warned <= MOST_WARNED * models and min(shares.values()) >= LEAST_NOTICED
    return "\n".join(lines) + "\n", fine


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--healthy", type=int, default=HEALTHY, help="how many healthy models")
    parser.add_argument("--seeds", type=int, default=SEEDS, help="how often each fault is planted")
    parser.add_argument("--write", type=Path, help="a file for the tables")
    options = parser.parse_args()
    text, fine = tables(options.healthy, options.seeds)
    print(text)
    if options.write:
        options.write.write_text(text)
    return 0 if fine else 1


if __name__ == "__main__":
    raise SystemExit(main())
