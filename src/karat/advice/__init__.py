"""From the task to a short list of measures and diagrams."""

from karat.advice.advice import Advice, advise

__all__ = ["Advice", "advise"]
