"""Literal oracles: every measure transcribed from its definition with loops, as an independent check."""

from . import agreement, calibration, confusion_entropy, costs, familiar, information, probability, ranking, rates
from .case import Case, Oracle
from .costs import NEC, EC_weighted
from .ranking import h_measure

ORACLES: dict[str, Oracle] = {
    **agreement.ORACLES,
    **rates.ORACLES,
    **information.ORACLES,
    **confusion_entropy.ORACLES,
    **ranking.ORACLES,
    **probability.ORACLES,
    **calibration.ORACLES,
    **costs.ORACLES,
    **familiar.ORACLES,
}

__all__ = ["NEC", "ORACLES", "Case", "EC_weighted", "Oracle", "h_measure"]
