"""From the task to a short list of measures and diagrams."""

from karat.advice.advice import Advice, Advised, Task, advise

__all__ = ["Advice", "Advised", "Task", "advise"]
