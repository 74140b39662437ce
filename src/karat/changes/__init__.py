"""What changed from one set of cases to another, or over time, and why: class frequencies, ranking, calibration."""

from karat.changes.set_shift import MeasureShift, SetShift, shift
from karat.changes.time_course import MeasureCourse, TimeCourse, course

__all__ = ["MeasureCourse", "MeasureShift", "SetShift", "TimeCourse", "course", "shift"]
