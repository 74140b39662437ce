"""One page about some models: `karat.report(models, path)` writes it, and it needs nothing else."""

from karat.page.report import Report, report

__all__ = ["Report", "report"]
