"""The few loops that cost time, in twins: a chapter of them is a Python file, which anyone can read, and a file of the
same name that is included in `_native.pyx` and compiled where a compiler is found; once more for processors with AVX2,
which give the same bits sooner.

`KARAT_KERNELS=numpy` in the environment chooses the numpy twins, `native` insists on the others, `portable` on those of
them that run on every processor; `karat.show_versions()` says which are in use.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

CHAPTERS = {
    "_border": (
        *("integer_classes", "text_classes", "object_classes", "sizes", "inspect"),
        *("plain_list", "plain_arrays", "plain_batch"),
    ),
    "_rows": ("row_sums", "cell_weights", "class_weights"),
    "_columns": ("pack", "scan", "sorted_scan"),
    "_tables": (
        *("table_sums", "table_overlap", "table_logs", "table_diagonal", "confusion", "facts"),
        *("one_against_rest", "relative", "pair_sums", "class_sums"),
    ),
    "_facts": ("row_facts", "column_facts", "follow", "follow_many"),
    "_many_classes": ("class_columns", "class_rows"),
    "_ragged": (
        "ragged_floats",
        "ragged_extent",
        "ragged_facts",
        "ragged_relative",
    ),
    "_census": ("census", "census_tables"),
    "_resampling": (
        *("draw", "totals", "weighted_sums", "ranks", "two_class_wins", "wins", "walk", "walk_without", "sides"),
        *("precisions_without", "window_errors"),
    ),
    "_tallies": ("score_counts", "confidence_bins", "class_bins", "probability_facts"),
    "_curves": ("precision_sums", "hulls", "envelope"),
    "_laboratory": ("adjacent_swaps", "by_group"),
    "_folding": (
        *("pack_pairs", "sort_pairs", "scores_of_keys", "order_sums"),
        *("cells_of_scores", "cells_of_keys", "cells_joined", "cells_apart"),
    ),
    "_piling": ("pile_cells", "piled_cells", "pile_sums"),
}
"""The kernels, by the chapter that holds them; each is a name of this package."""

wanted = os.environ.get("KARAT_KERNELS", "")
if wanted not in ("", "numpy", "native", "portable"):
    raise ImportError(f"KARAT_KERNELS is {wanted!r}; set it to numpy, native or portable, or leave it out.")
native: ModuleType | None
try:
    native = importlib.import_module("karat.kernels._native")
    if wanted != "portable" and getattr(native, "processor_has_avx2", bool)():  # older builds can't say
        native = importlib.import_module("karat.kernels._native_avx2")
except ImportError:
    native = sys.modules.get("karat.kernels._native")
if wanted in ("native", "portable") and native is None:
    raise ImportError("KARAT_KERNELS asks for native kernels, and none were built; install karat where a compiler is.")
if native is not None and not all(hasattr(native, kernel) for names in CHAPTERS.values() for kernel in names):
    raise ImportError("compiled kernels are older than karat; build them again: python setup.py build_ext -i.")
name = "numpy" if native is None or wanted == "numpy" else "native"
"""Which twins are in use."""


def twin(kernel: str, kind: str) -> Callable[..., Any]:
    """A kernel, "numpy" or "native"."""
    [chapter] = (chapter for chapter, names in CHAPTERS.items() if kernel in names)
    module = native if kind == "native" else importlib.import_module(f"karat.kernels.{chapter}")
    return getattr(module, kernel)  # type: ignore[no-any-return]


globals().update({kernel: twin(kernel, name) for names in CHAPTERS.values() for kernel in names})
