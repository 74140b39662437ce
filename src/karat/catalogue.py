"""All that was declared, found by symbol, name or alias: `karat.catalogue.measures["MCC"]`,
`karat.catalogue.diagrams["roc_curve"]`, `karat.catalogue.comparisons["friedman"]`,
`karat.catalogue.studies["census"]`."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from karat.core.finding import checks
from karat.core.measure import measures
from karat.findings import collection as _findings  # noqa: F401 - declares the checks
from karat.measures import PAPERS

if TYPE_CHECKING:
    from karat.core.comparison import comparisons
    from karat.diagrams import diagrams
    from karat.studies import studies

papers = tuple(PAPERS)
"""Symbols of the measures of the five papers."""

DECLARE_COMPARISONS = ("karat.comparisons", "karat.intervals", "karat.across", "karat.decisions", "karat.concordance")
LATER = {
    "comparisons": ("karat.core.comparison", *DECLARE_COMPARISONS),
    "diagrams": ("karat.diagrams",),
    "studies": ("karat.studies",),
}
"""Registries that are fetched when they are first asked for, because who wants numbers need not wait for them: where
they are, and who else declares something in them."""


def __getattr__(name: str) -> Any:
    if name not in LATER:
        raise AttributeError(f"module 'karat.catalogue' has no attribute {name!r}")
    home, *_ = [import_module(module) for module in LATER[name]]
    return getattr(home, name)


__all__ = ["checks", "comparisons", "diagrams", "measures", "papers", "studies"]
