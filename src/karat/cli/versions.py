"""`karat versions`: what karat runs on."""

from __future__ import annotations

from karat.cli.main import command
from karat.cli.options import AsJson
from karat.cli.output import print_json


@command
def versions(as_json: AsJson = False) -> None:
    """Print what karat runs on."""
    from karat import show_versions

    libraries = show_versions()
    if as_json:
        print_json(libraries)
    else:
        print("\n".join(f"{name:<14}{version}" for name, version in libraries.items()))
