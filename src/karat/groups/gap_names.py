"""What the literature on fairness calls gaps, and of which measures they are: names, not other numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from karat.core.measure import Measure
from karat.measures.lookup import find


class GapName(NamedTuple):
    """A gap that has a name of its own."""

    title: str
    measures: tuple[str, ...]
    """its largest difference is the larger of theirs"""


GAP_NAMES: Mapping[str, GapName] = {
    "demographic_parity": GapName("Demographic parity", ("PredPos",)),
    "equal_opportunity": GapName("Equal opportunity", ("Recall",)),
    "equalised_odds": GapName("Equalised odds", ("Recall", "FPR")),
    "predictive_parity": GapName("Predictive parity", ("Precision",)),
    "calibration_within_groups": GapName("Calibration within groups", ("ECE",)),
}
SPELT_ELSEWHERE = {
    "statistical_parity": "demographic_parity",
    "true_positive_rate_parity": "equal_opportunity",
    "equalized_odds": "equalised_odds",
    "calibration": "calibration_within_groups",
}


def gap_named(name: str | Measure) -> GapName:
    """A gap by its name, or that of a measure."""
    if isinstance(name, str):
        key = "_".join(name.casefold().replace("-", " ").replace("_", " ").split())
        key = key.removesuffix("_difference")
        key = SPELT_ELSEWHERE.get(key, key)
        if key in GAP_NAMES:
            return GAP_NAMES[key]
    measure = find(name)
    return GapName(measure.title, (measure.symbol,))
