"""Drawing again: which cases a replicate holds, the statistics of many replicates, and the measures' values in them."""

from karat.resampling.bands import Band, OperatingPoints, curve_band, heights_between
from karat.resampling.confusion_tables import bootstrap_tables, jackknife_tables, posterior
from karat.resampling.draws import Deletions, Draws, Resampling
from karat.resampling.exchanges import Exchanges
from karat.resampling.measure_values import paired_replicates, values_in_replicates
from karat.resampling.replicates import Replicates

__all__ = [
    "Band", "Deletions", "Draws", "Exchanges", "OperatingPoints", "Replicates", "Resampling",
    "bootstrap_tables", "curve_band", "heights_between", "jackknife_tables", "paired_replicates", "posterior",
    "values_in_replicates",
]  # fmt: skip
