"""The border: the one place where input is checked. Behind it everything is trusted."""

from karat.core.errors import InputError
from karat.data.matrix import Matrix
from karat.data.predictions import Predictions
from karat.data.source import Source

__all__ = ["InputError", "Matrix", "Predictions", "Source"]
