"""Learners that studies of measures need and that must be exactly what was published; see `C45Classifier`.
`family` gives those of Ferri et al. (2009).

Importing this folder imports scikit-learn; `import karat` does not.
"""

from karat.learners.boosting import AdaBoostM1
from karat.learners.c45 import C45Classifier, fit_masked
from karat.learners.columns import Columns
from karat.learners.encoded import Encoded
from karat.learners.families import FAMILIES, family
from karat.learners.naive_bayes import NaiveBayes
from karat.learners.neighbours import NearestNeighbours

__all__ = [
    "FAMILIES",
    "AdaBoostM1",
    "C45Classifier",
    "Columns",
    "Encoded",
    "NaiveBayes",
    "NearestNeighbours",
    "family",
    "fit_masked",
]
