"""Where a model is weak: a search over what is known of the cases, valued on cases that did not take part in it."""

from karat.slices.weakness import WeakSlice, WeakSlices, weak_slices

__all__ = ["WeakSlice", "WeakSlices", "weak_slices"]
