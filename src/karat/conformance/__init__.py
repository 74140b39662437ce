"""Conformance: what other programs say about the same data, beside what karat says."""

from karat.conformance.conformance import conformance

__all__ = ["conformance"]
