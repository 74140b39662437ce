"""The six learners of Ferri, Hernandez-Orallo & Modroiu (2009, section 4), and others by a telling label."""

from __future__ import annotations

import re
from typing import Any

from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier

from karat.core.errors import InputError
from karat.learners.boosting import AdaBoostM1
from karat.learners.c45 import C45Classifier
from karat.learners.encoding import Encoded
from karat.learners.naive_bayes import NaiveBayes
from karat.learners.neighbours import NearestNeighbours

FAMILIES = {
    "C4.5": "C4.5 with Weka's J48 defaults: pruned, no Laplace correction",
    "NB": "naive Bayes as Weka's",
    "LR": "scikit-learn's logistic regression, C = 1e8 (Weka's ridge is 1e-8), 200 iterations",
    "MLP": "scikit-learn's perceptron, (attributes + classes) / 2 hidden logistic units as Weka's, 200 steps of lbfgs",
    "kNN": "the nearest neighbour as Weka's IBk; kNN(5) has five",
    "AdaBoost": "AdaBoost.M1 of ten C4.5 trees as Weka's",
}


def family(name: str, data: Any, seed: int) -> Any:
    """A learner for a data set; only the perceptron starts at random."""
    neighbours = re.fullmatch(r"kNN\((\d+)\)", name)
    if neighbours and int(neighbours[1]) > 0:
        return NearestNeighbours.of(data, k=int(neighbours[1]))
    if name == "C4.5":
        return C45Classifier.of(data)
    if name == "NB":
        return NaiveBayes.of(data)
    if name == "LR":
        return Encoded.of(data, model=LogisticRegression(C=1e8, max_iter=200))
    if name == "MLP":
        hidden = max(1, (data.X.shape[1] + len(data.classes)) // 2)
        start = {"random_state": seed, "solver": "lbfgs", "max_iter": 200}
        return Encoded.of(data, model=MLPClassifier((hidden,), activation="logistic", **start))
    if name == "kNN":
        return NearestNeighbours.of(data)
    if name == "AdaBoost":
        return AdaBoostM1.of(data)
    raise InputError(f"there is no learner {name!r}; there are {', '.join(FAMILIES)}, and kNN(5) for other k.")
