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
    from karat.across.across import compare_across
    from karat.adapters.sklearn import scorer
    from karat.advice.advice import advise
    from karat.batches import evaluate_batch, evaluate_matrices
    from karat.comparisons.comparison import Comparison, compare
    from karat.comparisons.equivalence import equivalence
    from karat.comparisons.mcnemar import mcnemar
    from karat.comparisons.permutation import permutation_test
    from karat.concordance.consistency import consistency
    from karat.concordance.rankings import compare_measures
    from karat.concordance.smallest_set import smallest_set
    from karat.data import InputError
    from karat.decisions.dominance import dominance
    from karat.evaluation import Evaluation, evaluate, evaluate_matrix
    from karat.findings.collection import findings_of
    from karat.measures.averaging import macro, micro, weighted

__version__ = "0.1.0"

HOMES = {
    "Comparison": "karat.comparisons.comparison",
    "Evaluation": "karat.evaluation",
    "InputError": "karat.core.errors",
    "advise": "karat.advice.advice",
    "compare": "karat.comparisons.comparison",
    "compare_across": "karat.across.across",
    "compare_measures": "karat.concordance.rankings",
    "consistency": "karat.concordance.consistency",
    "dominance": "karat.decisions.dominance",
    "equivalence": "karat.comparisons.equivalence",
    "evaluate": "karat.evaluation",
    "evaluate_batch": "karat.batches",
    "evaluate_matrices": "karat.batches",
    "evaluate_matrix": "karat.evaluation",
    "findings_of": "karat.findings.collection",
    "macro": "karat.measures",
    "mcnemar": "karat.comparisons.mcnemar",
    "micro": "karat.measures",
    "permutation_test": "karat.comparisons.permutation",
    "scorer": "karat.adapters.sklearn",
    "smallest_set": "karat.concordance.smallest_set",
    "weighted": "karat.measures",
}
"""Where the public names live. They are imported when first used, so that `karat --help` does not wait for numpy."""


def __getattr__(name: str) -> Any:
    if name in ("catalogue", "report"):  # `karat.report` is a package that can be called
        return importlib.import_module(f"karat.{name}")
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
    "Comparison",
    "Evaluation",
    "InputError",
    "__version__",
    "advise",
    "catalogue",
    "compare",
    "compare_across",
    "compare_measures",
    "consistency",
    "dominance",
    "equivalence",
    "evaluate",
    "evaluate_batch",
    "evaluate_matrices",
    "evaluate_matrix",
    "findings_of",
    "macro",
    "mcnemar",
    "micro",
    "permutation_test",
    "scorer",
    "show_versions",
    "smallest_set",
    "weighted",
]
