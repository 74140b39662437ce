"""The command line: `main` runs a command; each command is a file of this folder."""

from karat.cli.main import main

__all__ = ["main"]
