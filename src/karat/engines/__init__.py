"""Engines: where the units of a study run (all cores, a cluster), with a folder to resume from."""

from karat.engines.scheduler import run

__all__ = ["run"]
