"""What influences a measure, and what leaves it unchanged? Found by experiment.

Each experiment changes one thing in a classification problem and keeps the rest. A measure has a trait if its value
ever changes, and an invariance if it never does. This is how Table 1 of Ferri et al. (2009) and Table 8 of Wang et al.
(2013) come to be computed instead of argued.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from karat.core.arithmetic import Array
from karat.core.measure import Invariance, Measure, Trait
from karat.core.statistic import Needs
from karat.core.study import Part, Study, Tables, study
from karat.core.table import Table, packaged_rows
from karat.core.validation import whole
from karat.evaluation import Evaluation, evaluate
from karat.studies.inputs import study_measures, suitable_headline, why_not_batched

TOLERANCE = 1e-9


@dataclass(frozen=True, eq=False)
class Problem:
    """Places of the true classes, scores, decisions, weights; k classes; which is positive."""

    y: Array
    p: Array
    d: Array
    k: int
    positive: int = 1
    w: Array | None = None
    scores: bool = False

    def evaluated(self) -> Evaluation:
        """The measures of the problem."""
        given: dict[str, Any] = {"y_score": self.p} if self.scores else {"y_proba": self.p}
        return evaluate(
            self.y, y_pred=self.d, labels=range(self.k), positive=self.positive, sample_weight=self.w, **given
        )

    def repeated(self, times: Array) -> Problem:
        """Each case as often as said."""
        at = np.repeat(np.arange(len(self.y)), times)
        return replace(self, y=self.y[at], p=self.p[at], d=self.d[at])


def random_problem(rng: np.random.Generator, n: int = 57, k: int = 4) -> Problem:
    """Probabilities that know something of the truth, on a grid (so that equal ones occur), and their decisions."""
    y = np.concatenate([np.arange(k), rng.integers(0, k, n - k)])
    z = rng.normal(size=(n, k))
    z[np.arange(n), y] += 0.8
    p = np.exp(z) / np.exp(z).sum(axis=1, keepdims=True)
    parts = np.floor(p * 64)
    parts[np.arange(n), p.argmax(axis=1)] += 64 - parts.sum(axis=1)
    p = parts / 64
    return Problem(y, p, p.argmax(axis=1), k)


Experiment = Callable[[np.random.Generator, Problem], Problem]


def other_decisions(rng: np.random.Generator, q: Problem) -> Problem:
    """Some cases are decided otherwise, the scores staying as they are."""
    changed = rng.random(len(q.y)) < 0.3
    return replace(q, d=np.where(changed, rng.integers(0, q.k, len(q.y)), q.d))


def flatter_probabilities(rng: np.random.Generator, q: Problem) -> Problem:
    """All probabilities move towards 1/k: every column keeps its order, every case its decision."""
    share = rng.uniform(0.2, 0.6)
    return replace(q, p=(1 - share) * q.p + share / q.k)


def exchanged_cases(rng: np.random.Generator, q: Problem) -> Problem:
    """Cases with the same decision exchange their probabilities: the decisions stay, the order changes."""
    at = np.arange(len(q.y))
    for decision in range(q.k):
        same = np.flatnonzero(q.d == decision)
        at[same] = rng.permutation(same)
    return replace(q, p=q.p[at])


def other_frequencies(rng: np.random.Generator, q: Problem) -> Problem:
    """The cases of one class occur several times."""
    times = np.ones(len(q.y), int)
    times[q.y == rng.integers(q.k)] = rng.integers(2, 4)
    return q.repeated(times)


def other_wrong_classes(rng: np.random.Generator, q: Problem) -> Problem:
    """Probability moves between wrong classes; the true class keeps its own, and every case its decision."""
    p = q.p.copy()
    for i, (y, d) in enumerate(zip(q.y, q.d, strict=True)):
        wrong = rng.permutation([j for j in range(q.k) if j != y])
        a, b = wrong[:2]
        moved = rng.uniform(0, p[i, a])
        trial = p[i].copy()
        trial[a] -= moved
        trial[b] += moved
        if trial.argmax() == d and (trial == trial.max()).sum() == 1:
            p[i] = trial
    return replace(q, p=p)


def renamed_classes(rng: np.random.Generator, q: Problem) -> Problem:
    """Truth and decisions get other names together."""
    name = rng.permutation(q.k)
    p = np.empty_like(q.p)
    p[:, name] = q.p
    return replace(q, y=name[q.y], d=name[q.d], p=p, positive=int(name[q.positive]))


def renamed_outputs(rng: np.random.Generator, q: Problem) -> Problem:
    """Only the decisions get other names."""
    name = np.roll(np.arange(q.k), rng.integers(1, q.k))
    return replace(q, d=name[q.d])


def more_of_all(rng: np.random.Generator, q: Problem) -> Problem:
    """Every case occurs several times."""
    return q.repeated(np.full(len(q.y), rng.integers(2, 4)))


def exchanged_roles(rng: np.random.Generator, q: Problem) -> Problem:
    """What was true is decided, what was decided is true."""
    return replace(q, y=q.d, d=q.y)


def empty_class(rng: np.random.Generator, q: Problem) -> Problem:
    """One more class is declared that never occurs and gets no probability."""
    lowest = -1.0 if q.scores else 0.0
    return replace(q, k=q.k + 1, p=np.column_stack([q.p, np.full(len(q.y), lowest)]))


def stretched_scores(rng: np.random.Generator, q: Problem) -> Problem:
    """The scores are transformed by a strictly increasing function."""
    return replace(q, p=np.sinh(3 * q.p) + q.p**3, scores=True)


TRAITS: dict[Trait, Experiment] = {
    Trait.THRESHOLD: other_decisions,
    Trait.CALIBRATION: flatter_probabilities,
    Trait.RANKING: exchanged_cases,
    Trait.FREQUENCIES: other_frequencies,
    Trait.DISTRIBUTION: other_wrong_classes,
}

INVARIANCES: dict[Invariance, Experiment] = {
    Invariance.RELABEL: renamed_classes,
    Invariance.OUTPUTS: renamed_outputs,
    Invariance.SCALE: more_of_all,
    Invariance.TRANSPOSE: exchanged_roles,
    Invariance.PRIOR: other_frequencies,
    Invariance.EMPTY_CLASS: empty_class,
    Invariance.MONOTONE: stretched_scores,
}

EXPERIMENTS: list[tuple[Trait | Invariance, Experiment]] = [*TRAITS.items(), *INVARIANCES.items()]

SAID_OF = dict.fromkeys((Invariance.OUTPUTS, Invariance.TRANSPOSE), Needs.DECISIONS) | {
    Invariance.MONOTONE: Needs.SCORES
}
"""Invariances that are said only of measures of decisions (no probability plays a part in them) or of any scores."""


def applies(invariance: Invariance, measure: Measure) -> bool:
    """Can this be asked of the measure at all?"""
    return invariance not in SAID_OF or measure.statistic.needs is SAID_OF[invariance]


def observe(
    measures: list[Measure], rounds: int = 12, seed: int = 20131115
) -> dict[str, tuple[frozenset[Trait], frozenset[Invariance]]]:
    """The traits and invariances of each measure, as they show in random problems."""
    changes: dict[tuple[str, Any], bool] = {}
    rng = np.random.default_rng(seed)
    for _ in range(rounds):
        for key, differs in changed(measures, rng).items():
            changes[key] = changes.get(key, False) or differs
    return {
        m.symbol: (
            frozenset(t for t in TRAITS if changes[m.symbol, t]),
            frozenset(i for i in INVARIANCES if applies(i, m) and not changes[m.symbol, i]),
        )
        for m in measures
    }


def changed(measures: list[Measure], rng: np.random.Generator) -> dict[tuple[str, Trait | Invariance], bool]:
    """One round: does each measure of a random problem change in each experiment?"""
    problem = random_problem(rng)
    before = _values(measures, problem)
    changes: dict[tuple[str, Trait | Invariance], bool] = {}
    for what, experiment in EXPERIMENTS:
        after = _values(measures, experiment(rng, problem))
        for m, a, b in zip(measures, before, after, strict=True):
            same = abs(a - b) <= TOLERANCE * max(1.0, abs(a)) or a == b or (a != a and b != b)
            changes[m.symbol, what] = not same
    return changes


def _values(measures: list[Measure], problem: Problem) -> list[float]:
    e = problem.evaluated()
    return [e.value_or_nan(m) for m in measures]


def table(measures: list[Measure]) -> Table:
    """The declared traits and invariances, one row for each measure."""
    return Table(
        {
            "symbol": [m.symbol for m in measures],
            "influenced by": [" ".join(t for t in Trait if t in m.traits) for m in measures],
            "invariant under": [" ".join(i for i in Invariance if i in m.invariant) for m in measures],
        }
    )


@study(name="traits", cite="ferri2009", aliases=("taxonomy",))
@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Traits(Study):
    """What influences each measure, what leaves it unchanged, and where do published tables say otherwise?

    Each experiment changes one thing in a random problem of four classes and keeps everything else. A measure has a
    trait if its value ever changes, and an invariance if it never does.

    Parameters
    ----------
    measures : names
        Measures to try. By default those of the papers.
    rounds : int
        Random problems for each experiment.
    """

    size: ClassVar[str] = "rounds"
    example: ClassVar[str] = "--measures Acc,MCC,LogL"
    measures: Any = None
    rounds: int = 12

    def __post_init__(self) -> None:
        super().__post_init__()
        measures = study_measures(self.measures, suitable_headline(why_not_batched), lambda m: "")
        self._set(measures=measures, rounds=whole("rounds", self.rounds))

    def units(self) -> list[str]:
        """Rounds."""
        return [f"round-{i:05d}" for i in range(self.rounds)]

    def measured(self, unit: str, rng: np.random.Generator) -> Part:
        """Did it change? [measures, experiments]."""
        changes = changed(list(self.measures), rng)
        return {"changed": np.array([[changes[m.symbol, what] for what, _ in EXPERIMENTS] for m in self.measures])}

    def tables(self, parts: Mapping[str, Part]) -> Tables:
        """Traits and invariances as they show, whether they were declared, and the printed cells."""
        shows = np.any([p["changed"] for p in parts.values()], axis=0)
        seen = {
            (m.symbol, what): bool(shows[i, j])
            for i, m in enumerate(self.measures)
            for j, (what, _) in enumerate(EXPERIMENTS)
        }
        rows = []
        for m in self.measures:
            traits = {t for t in Trait if seen[m.symbol, t]}
            kept = {i for i in Invariance if applies(i, m) and not seen[m.symbol, i]}
            row: dict[str, Any] = {"measure": m.symbol}
            row |= {t.name.lower(): "yes" if t in traits else "no" for t in Trait}
            row |= {"invariant under": " ".join(i for i in Invariance if i in kept)}
            rows.append(row | {"as declared": traits == m.traits and kept == m.invariant})
        return {"traits": Table.of(rows, f"traits observed in {self.rounds} rounds"), "printed": self._printed(seen)}

    def _printed(self, seen: dict[tuple[str, Any], bool]) -> Table:
        symbols = {m.symbol for m in self.measures}
        rows = []
        for row in packaged_rows(__package__, "printed_traits"):
            if row["measure"] in symbols:
                shows = seen[row["measure"], Trait[row["trait"].upper()]]
                agrees = (row["printed"] != "no") == shows
                why = row["why"] if not agrees else ""
                verdict = {"shows": "yes" if shows else "no", "verdict": "agrees" if agrees else "wrong", "why": why}
                rows.append({name: row[name] for name in ("paper", "measure", "trait", "printed")} | verdict)
        return Table.of(rows, "published tables of traits, and what is observed")


def printed_measures(paper: str) -> tuple[str, ...]:
    """The measures of Table 1 of Ferri et al. (2009) or of Table 8 of Wang et al. (2013)."""
    rows = packaged_rows(__package__, "printed_traits")
    return tuple(dict.fromkeys(row["measure"] for row in rows if row["paper"] == paper))
