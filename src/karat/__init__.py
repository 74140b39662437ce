"""karat says what a classifier is really worth.

>>> import karat
>>> e = karat.evaluate([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
>>> round(e["MCC"], 4), round(e["LogL"], 4)
(0.5774, 0.681)
"""

from typing import Any

from karat import catalogue
from karat.data import InputError
from karat.evaluation import Evaluation, evaluate, evaluate_batch, evaluate_matrix
from karat.measures.averaging import macro, micro, weighted

__version__ = "0.1.0"


def scorer(symbol: str, *, positive: Any = None) -> Any:
    """The measure as a scikit-learn scorer, turned so that higher is better.

    >>> scorer("LogL")
    karat.scorer('LogL')
    """
    from karat.adapters.sklearn import scorer as made

    return made(symbol, positive=positive)


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
    "catalogue",
    "evaluate",
    "evaluate_batch",
    "evaluate_matrix",
    "macro",
    "micro",
    "scorer",
    "show_versions",
    "weighted",
]
