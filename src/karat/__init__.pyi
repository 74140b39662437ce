"""What editors and type checkers know of karat: the names of `PUBLIC` in `__init__.py`, from where it says."""

from karat import catalogue as catalogue
from karat import diagrams as diagrams
from karat import measures as measures
from karat.accumulation import Accumulator as Accumulator
from karat.accumulation import accumulate as accumulate
from karat.across import compare_across as compare_across
from karat.adapters import compare_estimators as compare_estimators
from karat.adapters import evaluate_estimator as evaluate_estimator
from karat.adapters import scorer as scorer
from karat.advice import advise as advise
from karat.batches import evaluate_batch as evaluate_batch
from karat.batches import evaluate_matrices as evaluate_matrices
from karat.catalogue import explain as explain
from karat.changes import course as course
from karat.changes import shift as shift
from karat.claims import check_measure as check_measure
from karat.comparisons import Comparison as Comparison
from karat.comparisons import bowker as bowker
from karat.comparisons import cochran as cochran
from karat.comparisons import compare as compare
from karat.comparisons import equivalence as equivalence
from karat.comparisons import mcnemar as mcnemar
from karat.comparisons import permutation_test as permutation_test
from karat.concordance import compare_measures as compare_measures
from karat.concordance import consistency as consistency
from karat.concordance import smallest_set as smallest_set
from karat.core.errors import InputError as InputError
from karat.core.measure import measure as measure
from karat.decisions import dominance as dominance
from karat.evaluation import Evaluation as Evaluation
from karat.evaluation import evaluate as evaluate
from karat.evaluation import evaluate_matrix as evaluate_matrix
from karat.findings import findings_of as findings_of
from karat.measures import macro as macro
from karat.measures import measure_from_function as measure_from_function
from karat.measures import micro as micro
from karat.measures import weighted as weighted
from karat.page import report as report
from karat.slices import weak_slices as weak_slices
from karat.versions import show_versions as show_versions

__version__: str
PUBLIC: dict[str, str]
