"""Which measure selects the classifier that turns out to be best, by whichever measure that is judged?"""

from __future__ import annotations

import importlib
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from karat.batches import evaluate_batch
from karat.core.arithmetic import Array
from karat.core.errors import InputError
from karat.core.study import Part, Tables, study
from karat.core.table import Table
from karat.core.validation import checked_level, one_of, whole
from karat.datasets import DataSet
from karat.studies.contest import Contests, choices, figures, regrets
from karat.studies.inputs import DataStudy, data_sets, likeness, study_measures, why_not_choosing

OWN = ["Acc", "CEN", "rCEN", "pCEN", "rpCEN", "MAE", "MSE", "AUNU", "AUNP", "AU1U", "AU1P", "MCC", "EMA", "NIT", "LogL"]
BLOCK = 50
"""Rounds in a unit."""
TRAINING, VALIDATION = 0.5, 0.1
"""Shares of the cases; the rest is the test set."""


@study(name="win_loss_equal", cite="wang2013", aliases=("wle", "contest"))
@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class WinLossEqual(DataStudy):
    """Which measure, selecting a classifier on a small validation set, selects the one that is best on the test set, as
    judged by itself and by every other measure?

    In each round a data set is split at random into 50 % training, 10 % validation and 40 % test cases. Ten unpruned
    C4.5 trees with Laplace correction are grown, each without three attributes drawn at random. Every measure selects
    one of them on the validation cases; every measure is the arbiter of all choices on the test cases. The regret of a
    choice is its distance to the best of the ten there (Wang et al. 2013, section 5).

    Where the paper leaves a choice, karat's is this. Classifiers within 1e-12 of each other on the validation cases are
    tied. The splits are not stratified; a class without cases in a split is left out of averages over classes, as
    everywhere in karat. Sets of attributes are drawn independently and may repeat. Rounds in which the arbiter is
    undefined are left out; a measure that is undefined on the validation cases selects the first classifier. Constant
    and empty attributes are kept: they can be drawn but never split on. A data set needs at least one attribute more
    than are removed.

    Parameters
    ----------
    rounds : int
        Rounds on each data set.
    classifiers : int
        Trees in each round.
    removed : int
        Attributes that each tree does without.
    ties : {"first", "random"}
        Which of the tied classifiers is selected.
    level : float
        Confidence level.
    replicates : int
        Bootstrap replicates of the rounds, for the intervals of the ranks.
    """

    size: ClassVar[str] = "rounds"
    example: ClassVar[str] = "--size 50 --set datasets=wine"
    rounds: int = 2_000
    classifiers: int = 10
    removed: int = 3
    ties: str = "first"
    level: float = 0.95
    replicates: int = 1_000

    def __post_init__(self) -> None:
        super().__post_init__()
        checked_level(self.level)
        self._set(
            measures=study_measures(self.measures, OWN, why_not_choosing),
            rounds=whole("rounds", self.rounds),
            classifiers=whole("classifiers", self.classifiers, least=2),
            removed=whole("removed", self.removed, least=0),
            ties=one_of("ties", self.ties, ("first", "random")),
            replicates=whole("replicates", self.replicates, least=2),
        )
        if len(self.measures) < 2:
            raise InputError("only one measure was given; the study compares two measures or more.")
        _learners()
        self._set(datasets=data_sets(self.datasets, self.data, "wang2013", attributes=self.removed + 1), data=None)

    def units(self) -> list[str]:
        """Blocks of rounds of each data set."""
        blocks = range(-(-self.rounds // BLOCK))
        return [f"{data.name}-{block:05d}" for data in self.datasets for block in blocks]

    def measured(self, unit: str, rng: np.random.Generator) -> Part:
        """The value of every measure for every classifier on both parts, [rounds, 2, classifiers, measures]; and the
        CPU seconds that growing, predicting and measuring took."""
        data, block = self.data_set(unit), int(unit.rpartition("-")[2])
        rounds = min(BLOCK, self.rounds - block * BLOCK)
        values = np.empty((rounds, 2, self.classifiers, len(self.measures)))
        seconds = np.zeros(3)
        contest = TreeRounds(data, self.classifiers, self.removed)
        for r in range(rounds):
            start = time.thread_time()
            parts, trees = contest.trees(rng)
            grown = time.thread_time()
            p = contest.probabilities(trees, np.concatenate(parts))
            answered = time.thread_time()
            cut = len(parts[0])
            for part, (rows, of) in enumerate(zip(parts, (p[:, :cut], p[:, cut:]), strict=True)):
                truth = np.broadcast_to(data.y[rows], (self.classifiers, len(rows)))
                by_measure = evaluate_batch(truth, of, self.measures)
                values[r, part] = np.stack([by_measure[m.symbol] for m in self.measures], axis=-1)
            seconds += (grown - start, answered - grown, time.thread_time() - answered)
        return {"values": values, "seconds": seconds}

    def values(self, parts: Mapping[str, Part], data: DataSet) -> Array:
        """Of a data set: [rounds, 2, classifiers, measures]; validation cases come first."""
        mine = [part["values"] for unit, part in parts.items() if unit.rpartition("-")[0] == data.name]
        return np.concatenate(mine)

    def regrets(self, parts: Mapping[str, Part], data: DataSet) -> Array:
        """Of a data set: [rounds, arbiters, measures]."""
        better = self.values(parts, data) * np.array([m.orientation for m in self.measures])
        luck = self.generator(f"ties-{data.name}") if self.ties == "random" else None
        return regrets(better[:, 1], choices(better[:, 0], luck))

    def tables(self, parts: Mapping[str, Part]) -> Tables:
        """Findings; wins, losses and equals, on average and of each data set; ranks of mean regrets; the data sets."""
        regrets = {d.name: (self.regrets(parts, d), self.generator(f"replicates-{d.name}")) for d in self.datasets}
        contests = Contests.of(regrets, [m.symbol for m in self.measures], self.level, self.replicates)
        data = Table.of([{"data set": d.name, **likeness(d)} for d in self.datasets], "the data sets")
        return {**contests.tables(), "data": data}

    def figures(self, tables: Tables) -> dict[str, Any]:
        """Bars of wins and losses for each arbiter of the paper, and ranks for each of its figures."""
        return figures(tables)


class TreeRounds:
    """One data set, ready for rounds."""

    def __init__(self, data: DataSet, classifiers: int, removed: int) -> None:
        columns, c45, self.fit = _learners()
        self.data, self.classifiers, self.removed = data, classifiers, removed
        self.columns = columns.of(data.X, data.nominal)
        self.model = c45.of(data, unpruned=True, laplace=True)

    def trees(self, rng: np.random.Generator) -> tuple[tuple[Array, Array], Any]:
        """Part the cases and grow the trees of a round: (validation cases, test cases), trees."""
        cases, width = self.data.X.shape
        order = rng.permutation(cases)
        first = round(TRAINING * cases)
        second = first + max(1, round(VALIDATION * cases))
        masks = rng.random((self.classifiers, width)).argsort(axis=1)[:, : self.removed]
        trees = self.fit(self.model, self.columns, self.data.y, masks, order[:first])
        return (order[first:second], order[second:]), trees

    def probabilities(self, trees: Any, rows: Array) -> Array:
        """[classifiers, cases, classes]; as a tree gives them, with fractions of cases rounded to ten digits, so that
        leaves that should be equal are and their ranking is not that of rounding noise."""
        X = np.ascontiguousarray(self.data.X[rows])
        return np.stack([model.tree_.probabilities(X, True) for model in trees])


def _learners() -> tuple[Any, Any, Any]:
    """What trees are grown with; without scikit-learn they say so, before any work is done."""
    learners = importlib.import_module("karat.learners")
    return learners.Columns, learners.C45Classifier, learners.fit_masked
