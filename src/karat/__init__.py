"""karat says what a classifier is really worth.

>>> import karat
>>> e = karat.evaluate([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
>>> round(e["MCC"], 4), round(e["LogL"], 4)
(0.5774, 0.6814)
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from karat import catalogue
    from karat.adapters.sklearn import scorer
    from karat.advice import advise
    from karat.comparisons.dominance import dominance
    from karat.comparisons.findings import findings_of
    from karat.data import InputError
    from karat.evaluation import Evaluation, evaluate, evaluate_batch, evaluate_matrices, evaluate_matrix
    from karat.measures.averaging import macro, micro, weighted

__version__ = "0.1.0"

HOMES = {
    "Evaluation": "karat.evaluation",
    "InputError": "karat.data.errors",
    "advise": "karat.advice",
    "dominance": "karat.comparisons.dominance",
    "evaluate": "karat.evaluation",
    "evaluate_batch": "karat.evaluation",
    "evaluate_matrices": "karat.evaluation",
    "evaluate_matrix": "karat.evaluation",
    "findings_of": "karat.comparisons.findings",
    "macro": "karat.measures",
    "micro": "karat.measures",
    "scorer": "karat.adapters.sklearn",
    "weighted": "karat.measures",
}
"""Where the public names live. They are imported when first used, so that `karat --help` does not wait for numpy."""


def __getattr__(name: str) -> Any:
    if name == "catalogue":
        return importlib.import_module("karat.catalogue")
    if name in HOMES:
        value = getattr(importlib.import_module(HOMES[name]), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'karat' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def show_versions() -> dict[str, str]:
    """What karat runs on; "kernels" says whether the compiled loops are in use or their numpy twins."""
    import platform
    from importlib import metadata

    from karat import kernels

    found = {"karat": __version__, "kernels": kernels.name, "python": platform.python_version()}
    for name in ("numpy", "scipy", "narwhals", "scikit-learn", "pandas", "polars", "pyarrow"):
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            found[name] = "not installed"
    return found


__all__ = [
    "Evaluation",
    "InputError",
    "__version__",
    "advise",
    "catalogue",
    "dominance",
    "evaluate",
    "evaluate_batch",
    "evaluate_matrices",
    "evaluate_matrix",
    "findings_of",
    "macro",
    "micro",
    "scorer",
    "show_versions",
    "weighted",
]
