"""What should be known about a model, or about several, in plain words: one declared check for each."""

from karat.findings.collection import findings, findings_of

__all__ = ["findings", "findings_of"]
