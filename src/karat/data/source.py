"""What is evaluated, whatever it is: predictions of cases, a bare confusion matrix."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from karat.core.arithmetic import Array
from karat.core.statistic import Needs

if TYPE_CHECKING:
    from karat.data.predictions import Predictions


class Source(Protocol):
    """What all that can be evaluated knows of itself. Who needs more asks for its `cases`, which not every source has:
    a matrix, or statistics that were added up, have none."""

    @property
    def classes(self) -> tuple[Any, ...]: ...  # the classes in their order
    @property
    def outputs(self) -> tuple[Any, ...]: ...  # the decisions: the classes, and perhaps one for rejected cases
    @property
    def positive(self) -> int | None: ...  # the place of the positive class; None if none was said
    @property
    def probabilities(self) -> bool: ...  # are its scores, if it has any, probabilities?
    @property
    def kind(self) -> str: ...  # what was given, in words
    @property
    def n(self) -> int | float: ...  # number of cases
    @property
    def class_weight(self) -> Array: ...  # [..., k]: the weight of the cases of each class
    @property
    def weight(self) -> Array | None: ...  # [B, n]: the weight of each case; None: all ones
    @property
    def rejected(self) -> int | float: ...  # number of cases for which no class was decided
    @property
    def whole(self) -> bool: ...  # does it hold a number of cases, not of shares?
    @property
    def cases(self) -> Predictions | None: ...  # the predictions case by case; None if they are not known
    @property
    def added(self) -> Any: ...  # its statistics, if these were added up and the cases let go; None if not
    @property
    def decided(self) -> Array | None: ...  # [B, n]: decisions that were given beside scores; None: none were
    @property
    def decreed(self) -> bool: ...  # were its class frequencies said, not seen?
    @property
    def table(self) -> Array | None: ...  # [k, l]: the confusion matrix, if that is what was given

    def lacks(self, needs: Needs) -> str:
        """Why a statistic that needs this can't be had; empty if it can."""

    def with_classes_times(self, factor: Array) -> Source:
        """The same with the weight of the cases of each class times a factor [k]."""
