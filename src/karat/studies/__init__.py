"""Studies: questions about measures, answered by experiments. Importing this package declares them all."""

from karat.core.study import Study, studies, study
from karat.studies.census import Census
from karat.studies.correlation import Correlation
from karat.studies.mcc_and_cen import MccAndCen
from karat.studies.population import Population
from karat.studies.redundancy import Redundancy
from karat.studies.sensitivity import Sensitivity
from karat.studies.traits import Traits
from karat.studies.win_loss_equal import WinLossEqual

__all__ = [
    "Census",
    "Correlation",
    "MccAndCen",
    "Population",
    "Redundancy",
    "Sensitivity",
    "Study",
    "Traits",
    "WinLossEqual",
    "studies",
    "study",
]
