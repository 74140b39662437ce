"""All that was declared, found by symbol, name or alias: `karat.catalogue.measures["MCC"]`,
`karat.catalogue.diagrams["roc_curve"]`, `karat.catalogue.studies["census"]`."""

from typing import TYPE_CHECKING, Any

from karat import evaluation  # noqa: F401 - plugs in the evaluation, so that a measure can be called on predictions
from karat.core.finding import checks
from karat.core.measure import measures
from karat.findings import collection as _findings  # noqa: F401 - declares the checks
from karat.measures import HEADLINE

if TYPE_CHECKING:
    from karat.diagrams import diagrams
    from karat.studies import studies

headline = tuple(HEADLINE)
"""Symbols of the measures of the five papers."""


def __getattr__(name: str) -> Any:
    """The diagrams and studies, when they are first asked for: who wants numbers need not wait for them."""
    if name == "diagrams":
        from karat.diagrams import diagrams

        return diagrams
    if name == "studies":
        from karat.studies import studies

        return studies
    raise AttributeError(f"module 'karat.catalogue' has no attribute {name!r}")


__all__ = ["checks", "diagrams", "headline", "measures", "studies"]
