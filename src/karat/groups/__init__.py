"""For whom: every measure by group of cases, and gaps between the groups."""

from karat.groups.added_groups import AddedByGroup
from karat.groups.gap import Gap
from karat.groups.group_columns import GroupColumn, group_columns
from karat.groups.group_tables import ByColumn, ByGroup
from karat.groups.measure_by_group import MeasureByGroup

__all__ = ["AddedByGroup", "ByColumn", "ByGroup", "Gap", "GroupColumn", "MeasureByGroup", "group_columns"]
