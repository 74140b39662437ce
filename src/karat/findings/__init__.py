"""Findings about a model, or about several, in plain words: one declared check for each."""

from karat.core.finding import Finding, Findings, Observation, Severity, check
from karat.findings.collection import findings, findings_of

__all__ = ["Finding", "Findings", "Observation", "Severity", "check", "findings", "findings_of"]
