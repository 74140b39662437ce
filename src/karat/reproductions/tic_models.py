"""Models of the insurance example of Prati et al. (2011): stored predictions, or those of our own learners."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

from karat.core.errors import InputError
from karat.data.prediction_files import read
from karat.datasets import load
from karat.datasets.folders import files, folder
from karat.evaluation import Evaluation, evaluate

NB, BN, TREE = "naive Bayes", "Bayesian network", "NBTree"
OURS = "naive Bayes (ours)"
STORED = {NB: "naive_bayes", BN: "bayes_net", TREE: "nbtree"}
"""The paper's models and the names of their predictions files (y_true, p_0, p_1)."""
PARTS = ("tic_train", "tic_test")


def stored(predictions: Any) -> dict[str, Evaluation]:
    """The paper's models from a folder of predictions files; those that it holds."""
    if predictions is None:
        return {}
    where = Path(predictions)
    if not where.is_dir():
        raise InputError(
            f"{str(where)!r} is no folder; name one that holds {', '.join(STORED.values())} as .csv files."
        )
    models = {}
    for model, name in STORED.items():
        if (where / f"{name}.csv").is_file():
            (source,) = read(where / f"{name}.csv", positive=1).values()
            models[model] = Evaluation(source)
    if not models:
        raise InputError(f"the folder {str(where)!r} holds none of {', '.join(f'{n}.csv' for n in STORED.values())}.")
    return models


def learnt(data: Any) -> dict[str, Evaluation]:
    """Naive Bayes and C4.5 with the options that Weka has by default, if the data are there."""
    where = folder(data)
    if where is None or not set(PARTS) <= set(files(where)):
        return {}
    train, test = (load(name, where).labelled() for name in PARTS)
    learners = importlib.import_module("karat.learners")
    models = {OURS: learners.NaiveBayes.of(train), "C4.5": learners.C45Classifier.of(train)}
    answers = {name: model.fit(train.X, train.y).predict_proba(test.X) for name, model in models.items()}
    return {name: evaluate(test.y, p, labels=[0, 1], positive=1, normalise=True) for name, p in answers.items()}
