"""Tests of the comparisons."""
