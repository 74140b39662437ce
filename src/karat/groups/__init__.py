"""For whom: every measure by group of cases, and gaps between the groups."""

from karat.groups.added_groups import AddedByGroup
from karat.groups.gap import Gap
from karat.groups.group_columns import GroupColumn, group_columns
from karat.groups.group_tables import ByColumn, ByGroup
from karat.groups.measure_by_group import MeasureByGroup
from karat.groups.named_gaps import (
    calibration_within_groups,
    demographic_parity,
    equal_opportunity,
    equalised_odds,
    group_gap,
    predictive_parity,
)

__all__ = [
    "AddedByGroup", "ByColumn", "ByGroup", "Gap", "GroupColumn", "MeasureByGroup", "calibration_within_groups",
    "demographic_parity", "equal_opportunity", "equalised_odds", "group_columns", "group_gap", "predictive_parity",
]  # fmt: skip
