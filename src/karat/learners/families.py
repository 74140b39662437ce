"""The six learners of Ferri, Hernandez-Orallo & Modroiu (2009, section 4), and others by a telling label."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier

from karat.core.errors import InputError
from karat.learners.boosting import AdaBoostM1
from karat.learners.c45 import C45Classifier
from karat.learners.encoding import Encoded
from karat.learners.naive_bayes import NaiveBayes
from karat.learners.neighbours import NearestNeighbours

Maker = TypeVar("Maker", bound=Callable[[Any, int], Any])


class Family(NamedTuple):
    """What a learner is, and how it is made for a data set, with a seed."""

    words: str
    make: Callable[[Any, int], Any]


FAMILIES: dict[str, Family] = {}
"""All that were declared, by name."""


def learner(name: str, words: str) -> Callable[[Maker], Maker]:
    """Declare a learner: a function that gives a scikit-learn classifier for a data set and a seed."""

    def declare(make: Maker) -> Maker:
        FAMILIES[name] = Family(words, make)
        return make

    return declare


def family(name: str, data: Any, seed: int) -> Any:
    """A learner for a data set, by its name; `kNN(5)` is kNN of five neighbours."""
    neighbours = re.fullmatch(r"kNN\((\d+)\)", name)
    if neighbours and int(neighbours[1]) > 0:
        return NearestNeighbours.of(data, k=int(neighbours[1]))
    if name not in FAMILIES:
        raise InputError(
            f"there is no learner {name!r}; the learners are {', '.join(FAMILIES)}, and kNN(5) and so on for other k."
        )
    return FAMILIES[name].make(data, seed)


@learner("C4.5", "C4.5 with Weka's J48 defaults: pruned, no Laplace correction")
def _c45(data: Any, seed: int) -> C45Classifier:
    return C45Classifier.of(data)


@learner("NB", "naive Bayes as Weka's")
def _naive_bayes(data: Any, seed: int) -> NaiveBayes:
    return NaiveBayes.of(data)


@learner("LR", "scikit-learn's logistic regression, C = 1e8 (Weka's ridge is 1e-8), 200 iterations")
def _logistic(data: Any, seed: int) -> Encoded:
    return Encoded.of(data, model=LogisticRegression(C=1e8, max_iter=200))


@learner(
    "MLP", "scikit-learn's perceptron, (attributes + classes) / 2 hidden logistic units as Weka's, 200 steps of lbfgs"
)
def _perceptron(data: Any, seed: int) -> Encoded:
    hidden = max(1, (data.X.shape[1] + len(data.classes)) // 2)
    start = {"random_state": seed, "solver": "lbfgs", "max_iter": 200}
    return Encoded.of(data, model=MLPClassifier((hidden,), activation="logistic", **start))


@learner("kNN", "the nearest neighbour as Weka's IBk; kNN(5) has five")
def _neighbour(data: Any, seed: int) -> NearestNeighbours:
    return NearestNeighbours.of(data)


@learner("AdaBoost", "AdaBoost.M1 of ten C4.5 trees as Weka's")
def _boosting(data: Any, seed: int) -> AdaBoostM1:
    return AdaBoostM1.of(data)
