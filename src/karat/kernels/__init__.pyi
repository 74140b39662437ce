# ruff: noqa: F403
from collections.abc import Callable
from types import ModuleType
from typing import Any

from karat.kernels._native import *

CHAPTERS: dict[str, tuple[str, ...]]
native: ModuleType | None
name: str

def twin(kernel: str, kind: str) -> Callable[..., Any]: ...
