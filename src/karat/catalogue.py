"""All that was declared, found by symbol, name or alias: `karat.catalogue.measures["MCC"]`."""

from karat import evaluation  # noqa: F401 - plugs in the evaluation, so that a measure can be called on predictions
from karat.comparisons import findings as _findings  # noqa: F401 - declares the checks
from karat.core.finding import checks
from karat.core.measure import measures
from karat.measures import HEADLINE

headline = tuple(HEADLINE)
"""Symbols of the measures of the five papers."""

__all__ = ["checks", "headline", "measures"]
