"""The few loops that cost time, in twins: `_native` (Cython) where it was built, `_numpy` everywhere.

`KARAT_KERNELS=numpy` in the environment chooses the numpy twins, `native` insists on the others;
`karat.show_versions()` says which are in use.
"""

from __future__ import annotations

import importlib
import os
from typing import Any

from karat.kernels import _numpy, _numpy_laboratory, _numpy_replicates, _numpy_tables

try:
    native: Any = importlib.import_module("karat.kernels._native")
    native_replicates: Any = importlib.import_module("karat.kernels._native_replicates")
    native_laboratory: Any = importlib.import_module("karat.kernels._native_laboratory")
except ImportError:
    native = native_replicates = native_laboratory = None

asked = os.environ.get("KARAT_KERNELS", "")
if asked not in ("", "numpy", "native"):
    raise ImportError(f"KARAT_KERNELS is {asked!r}; set it to numpy or native, or leave it out.")
if asked == "native" and native is None:
    raise ImportError("KARAT_KERNELS asks for native kernels, and none were built; install karat where a compiler is.")
in_use: Any = _numpy if native is None or asked == "numpy" else native
name = "numpy" if in_use is _numpy else "native"

Margins = _numpy_tables.Margins
rest_of = _numpy_tables._rest_of
integer_classes = in_use.integer_classes
inspect = in_use.inspect
plain_arrays = in_use.plain_arrays
plain_batch = in_use.plain_batch
row_sums = in_use.row_sums
cell_weights = in_use.cell_weights
class_weights = in_use.class_weights
pack = in_use.pack
scan = in_use.scan
sorted_scan = in_use.sorted_scan
table_sums = in_use.table_sums
table_overlap = in_use.table_overlap
table_logs = in_use.table_logs
table_diagonal = in_use.table_diagonal
confusion = in_use.confusion
facts = in_use.facts
ragged_extent = in_use.ragged_extent
ragged_sums = in_use.ragged_sums
ragged_logs = in_use.ragged_logs
census = in_use.census
census_tables = in_use.census_tables
one_against_rest = in_use.one_against_rest
relative = in_use.relative
pair_sums = in_use.pair_sums
class_sums = in_use.class_sums
row_digest = in_use.row_digest
column_digest = in_use.column_digest

replicates: Any = _numpy_replicates if in_use is _numpy else native_replicates
"""The kernels of resampling."""

laboratory: Any = _numpy_laboratory if in_use is _numpy else native_laboratory
"""The kernels of the studies."""
