"""The border: the one place where input is checked. Behind it everything is trusted."""

from karat.data.errors import InputError
from karat.data.matrices import Matrix
from karat.data.predictions import Predictions

__all__ = ["InputError", "Matrix", "Predictions"]
