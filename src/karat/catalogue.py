"""All that was declared, found by symbol, name or alias: `karat.catalogue.measures["MCC"]`,
`karat.catalogue.diagrams["roc_curve"]`."""

from karat import evaluation  # noqa: F401 - plugs in the evaluation, so that a measure can be called on predictions
from karat.core.measure import measures
from karat.diagrams import diagrams
from karat.measures import HEADLINE

headline = tuple(HEADLINE)
"""Symbols of the measures of the five papers."""

__all__ = ["diagrams", "headline", "measures"]
