"""Studies: questions about measures, answered by experiments. Importing this package declares them all."""

from karat.core.study import Study, studies, study
from karat.studies.census import Census
from karat.studies.sensitivity import Sensitivity

__all__ = ["Census", "Sensitivity", "Study", "studies", "study"]
