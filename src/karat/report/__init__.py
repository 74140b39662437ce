"""The live report: `karat.report(models, path)` writes one page that needs nothing else."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

from karat.report.page import Report, report


class _Callable(ModuleType):
    """`karat.report` is this package and the function that is named like it: whoever imports the one gets the other."""

    def __call__(self, *args: Any, **options: Any) -> Report:
        return report(*args, **options)


sys.modules[__name__].__class__ = _Callable

__all__ = ["Report", "report"]
