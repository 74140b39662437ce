"""Engines: ways of doing the units of a study, on all cores, on a cluster, with a folder to go on from."""

from karat.engines.scheduler import run

__all__ = ["run"]
