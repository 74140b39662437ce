"""Learners that studies of measures need and that must be exactly what was published; see `C45Classifier`.
`family` gives those of Ferri et al. (2009).

The names are imported when first used: what needs scikit-learn imports it, `import karat` and `Columns` do not. Where
it is not installed, one sentence says so.
"""

from importlib import import_module

from karat.core.errors import InputError

HOMES = {
    "FAMILIES": "karat.learners.families",
    "AdaBoostM1": "karat.learners.boosting",
    "C45Classifier": "karat.learners.c45",
    "Columns": "karat.learners.columns",
    "Encoded": "karat.learners.encoding",
    "NaiveBayes": "karat.learners.naive_bayes",
    "NearestNeighbours": "karat.learners.neighbours",
    "family": "karat.learners.families",
    "fit_masked": "karat.learners.c45",
    "learner": "karat.learners.families",
}
"""Every public name and its module. The stub beside this file says the same to editors; a test compares the two."""

__all__ = [*HOMES]


def __getattr__(name: str) -> object:
    if name not in HOMES:
        raise AttributeError(f"module 'karat.learners' has no attribute {name!r}")
    try:
        value = getattr(import_module(HOMES[name]), name)
    except ModuleNotFoundError as missing:
        if (missing.name or "").split(".")[0] != "sklearn":
            raise
        needs = f"{name} needs scikit-learn, which is not installed; `pip install scikit-learn`."
        raise InputError(needs) from None
    globals()[name] = value
    return value
