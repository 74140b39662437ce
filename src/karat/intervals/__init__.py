"""How sure a number is: an interval for every measure."""

from karat.intervals.interval import Interval, Intervals

__all__ = ["Interval", "Intervals"]
