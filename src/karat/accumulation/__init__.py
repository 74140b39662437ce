"""Predictions of any number, taken in part by part: what they add up to is evaluated."""

from karat.accumulation.accumulator import Accumulator
from karat.accumulation.datasets import accumulate

__all__ = ["Accumulator", "accumulate"]
