"""A data set by its name, from a folder, from scikit-learn's bundled ones or from OpenML."""

from __future__ import annotations

import csv
import importlib
import os
from dataclasses import replace
from pathlib import Path

import numpy as np

from karat.core.errors import InputError, UnknownNameError, option
from karat.datasets.arff import read_arff
from karat.datasets.csv_tables import read_csv
from karat.datasets.data_set import DataSet
from karat.datasets.openml import from_openml

NAMES = ("breast_cancer", "digits", "iris", "wine")
"""The real data sets that come with scikit-learn: always there, no network, no folder."""
VARIABLE = "KARAT_DATA"
"""The environment variable that names the folder, unless the caller does."""
ENDINGS = (".arff", ".arff.gz", ".csv", ".csv.gz")
LISTING = "MANIFEST.csv"
"""A folder may say in this file, with columns name and file, which data set is where."""


def load(name: str, data: str | Path | None = None) -> DataSet:
    """Load a data set by name.

    Parameters
    ----------
    name : str
        Name of a data set in the folder, or one of scikit-learn's (breast_cancer, digits, iris, wine); the path of an
        ARFF or CSV file; or "openml:NAME" to download one from OpenML, the only use of the network.
    data : path, optional
        Folder of ARFF or CSV files; by default that of the environment variable KARAT_DATA.

    Returns
    -------
    DataSet

    Raises
    ------
    UnknownNameError
        If there is no such data set.

    See Also
    --------
    available : Names that can be loaded without a network.

    Examples
    --------
    >>> load("iris")
    DataSet('iris': 150 cases, 0 nominal and 4 numeric attributes, 0 values missing, 3 classes)
    """
    if name.startswith("openml:"):
        return from_openml(name.removeprefix("openml:"))
    if name.endswith(ENDINGS):
        return read_file(Path(name))
    where = folder(data)
    if where is not None:
        path = files(where).get(name)
        if path is not None:
            return read_file(path, name)
    if name in NAMES:
        return bundled(name)
    looked = f"the folder {where}" if where else f"no folder (name one with {option('data')} or {VARIABLE})"
    raise UnknownNameError(
        f"there is no data set {name!r} in {looked}, and scikit-learn has only {', '.join(NAMES)}; "
        "'openml:NAME' downloads one from OpenML."
    )


def available(data: str | Path | None = None) -> tuple[str, ...]:
    """Names of the data sets that `load` finds without a network."""
    where = folder(data)
    return tuple(sorted({*NAMES, *(files(where) if where else ())}))


def folder(data: str | Path | None = None) -> Path | None:
    """The folder in use, None if nobody named one."""
    named = data if data is not None else os.environ.get(VARIABLE)
    if not named:
        return None
    path = Path(named)
    if not path.is_dir():
        raise InputError(f"{path} is not a folder; name one with ARFF or CSV files by {option('data')} or {VARIABLE}.")
    return path


def files(where: Path) -> dict[str, Path]:
    """Names and files: those of the folder's listing, and every other ARFF or CSV file under its own name."""
    paths: dict[str, Path] = {}
    for path in sorted(where.iterdir()):
        ending = next((e for e in ENDINGS if path.name.endswith(e)), None)
        if ending and path.name != LISTING:
            paths.setdefault(path.name.removesuffix(ending), path)
    listing = where / LISTING
    if listing.is_file():
        with listing.open(encoding="utf-8", newline="") as lines:
            for row in csv.DictReader(lines):
                if row.get("name") and row.get("file") and (where / row["file"]).is_file():
                    paths[row["name"]] = where / row["file"]
    return paths


def read_file(path: Path, name: str | None = None) -> DataSet:
    """By its ending; the class is the last column."""
    data = read_csv(path) if ".csv" in path.name else read_arff(path)
    return data if name is None else replace(data, name=name)


def bundled(name: str) -> DataSet:
    """One of `NAMES`; all attributes are numeric, nothing is missing."""
    try:
        datasets = importlib.import_module("sklearn.datasets")
    except ImportError:
        raise InputError(
            f"the data set {name!r} comes with scikit-learn, which is not installed; `pip install scikit-learn`."
        ) from None
    bunch = getattr(datasets, f"load_{name}")()
    attributes = [str(attribute) for attribute in bunch.feature_names]
    classes = [str(c) for c in bunch.target_names]
    X = np.asarray(bunch.data, float)
    return DataSet.of(name, X, bunch.target, attributes, [None] * X.shape[1], classes, source="scikit-learn")
