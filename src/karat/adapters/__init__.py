"""Where karat meets other libraries."""

from karat.adapters.sklearn import scorer

__all__ = ["scorer"]
