"""What is left of rounding is not a difference."""

TOLERANCE = 1e-12
"""Values that differ by no more are equal: another order of adding, or another processor, gives as much."""
