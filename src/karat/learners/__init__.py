"""Learners that studies of measures need and that must be exactly what was published; see `C45Classifier`.

Importing this folder imports scikit-learn; `import karat` does not.
"""

from karat.learners.c45 import C45Classifier, fit_masked
from karat.learners.columns import Columns

__all__ = ["C45Classifier", "Columns", "fit_masked"]
