"""The real data sets that come with scikit-learn: always there, no network, no folder."""

from __future__ import annotations

import importlib

import numpy as np

from karat.core.errors import InputError
from karat.datasets.data_set import DataSet

NAMES = ("breast_cancer", "digits", "iris", "wine")


def bundled(name: str) -> DataSet:
    """One of `NAMES`; all attributes are numeric, nothing is missing."""
    try:
        datasets = importlib.import_module("sklearn.datasets")
    except ImportError:
        raise InputError(
            f"The data set {name!r} comes with scikit-learn, which is not installed: pip install karat[sklearn]."
        ) from None
    bunch = getattr(datasets, f"load_{name}")()
    attributes = [str(attribute) for attribute in bunch.feature_names]
    classes = [str(c) for c in bunch.target_names]
    X = np.asarray(bunch.data, float)
    return DataSet.of(name, X, bunch.target, attributes, [None] * X.shape[1], classes, source="scikit-learn")
