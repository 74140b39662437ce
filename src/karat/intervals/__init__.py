"""How sure a number is: an interval for every measure, and DeLong's test of two areas."""

from karat.intervals.delong import AreaTest, delong_paired, delong_unpaired, logit_interval
from karat.intervals.interval import Interval, Intervals, intervals
from karat.intervals.rate_interval import wilson

__all__ = [
    "AreaTest", "Interval", "Intervals", "delong_paired", "delong_unpaired", "intervals", "logit_interval", "wilson",
]  # fmt: skip
