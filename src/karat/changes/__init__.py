"""What changed from one set of cases to another, and why: class frequencies, ranking, calibration."""

from karat.changes.set_shift import MeasureShift, SetShift, shift

__all__ = ["MeasureShift", "SetShift", "shift"]
