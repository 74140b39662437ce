"""All commands: importing this module adds them to the app, in the order in which help lists them."""

from karat.cli import evaluate, gate, operating, plot, report  # noqa: F401 - each adds its commands
from karat.cli import study as _study  # noqa: F401
from karat.cli.app import app

__all__ = ["app"]
