"""The gap between groups as a comparison of the catalogue, and those that have names of their own."""

from __future__ import annotations

from typing import Any

from karat.core.comparison import GROUPS, comparison
from karat.core.errors import InputError
from karat.groups.gap import Gap
from karat.groups.group_tables import ByGroup


@comparison(of=GROUPS, cite="westfall1993", aliases=("gap", "gap between groups", "fairness gap"))
def group_gap(e: Any, by: Any, measure: str = "accuracy", **options: Any) -> Gap:
    """How far is a measure apart between groups of the cases?

    The same as `e.by(site).gap(measure)`: group labels are permuted, and the largest deviation of any group is compared
    [westfall1993].
    """
    groups = e.by(by)
    if not isinstance(groups, ByGroup):
        raise InputError("a gap is one of a single column of groups; pass the group of each case.")
    return groups.gap(measure, **options)


@comparison(of=GROUPS, cite="dwork2012", aliases=("demographic parity", "statistical_parity", "statistical parity"))
def demographic_parity(e: Any, by: Any, **options: Any) -> Gap:
    """Are the cases of all groups predicted as positive equally often?

    The same as `e.by(site).gap("demographic_parity")` [dwork2012].
    """
    return group_gap(e, by, "demographic_parity", **options)


@comparison(of=GROUPS, cite="hardt2016", aliases=("equal opportunity",))
def equal_opportunity(e: Any, by: Any, **options: Any) -> Gap:
    """Is the recall the same in all groups?

    The same as `e.by(site).gap("equal_opportunity")` [hardt2016].
    """
    return group_gap(e, by, "equal_opportunity", **options)


@comparison(of=GROUPS, cite="hardt2016", aliases=("equalised odds", "equalized_odds", "equalized odds"))
def equalised_odds(e: Any, by: Any, **options: Any) -> Gap:
    """Are recall and false positive rate the same in all groups?

    The same as `e.by(site).gap("equalised_odds")` [hardt2016].
    """
    return group_gap(e, by, "equalised_odds", **options)


@comparison(of=GROUPS, cite="chouldechova2017", aliases=("predictive parity",))
def predictive_parity(e: Any, by: Any, **options: Any) -> Gap:
    """Is the precision the same in all groups?

    The same as `e.by(site).gap("predictive_parity")` [chouldechova2017].
    """
    return group_gap(e, by, "predictive_parity", **options)


@comparison(of=GROUPS, cite="chouldechova2017", aliases=("calibration within groups",))
def calibration_within_groups(e: Any, by: Any, **options: Any) -> Gap:
    """Is the calibration error the same in all groups?

    The same as `e.by(site).gap("calibration_within_groups")` [chouldechova2017].
    """
    return group_gap(e, by, "calibration_within_groups", **options)
