"""What the data say about a model's measures, and about two or more models: intervals, replicates, tests."""

from karat.comparisons.delong import AreaTest, delong_paired, delong_unpaired
from karat.comparisons.intervals import Interval, Intervals
from karat.comparisons.replicated import paired_replicates

__all__ = ["AreaTest", "Interval", "Intervals", "delong_paired", "delong_unpaired", "paired_replicates"]
