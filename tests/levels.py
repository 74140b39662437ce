"""Does a test keep its level? For simulations."""

from __future__ import annotations

import math
from typing import Any

import numpy as np


def keeps_its_level(rejections: Any, level: float, exactly: bool = True) -> bool:
    """Is the share of rejections within four standard errors of the level (or below it)?"""
    share, error = np.mean(rejections), math.sqrt(level * (1 - level) / len(rejections))
    return bool(share < level + 4 * error and (not exactly or share > level - 4 * error))
