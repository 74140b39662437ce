"""`karat versions`: what karat runs on."""

from __future__ import annotations

from karat.cli.main import command
from karat.cli.options import AsJson
from karat.cli.output import Form, form, print_json, show


@command
def versions(as_json: AsJson = False) -> None:
    """Print the versions of karat and its libraries.

    Examples
    --------
    karat versions
    karat versions --json
    """
    from karat import show_versions

    libraries = show_versions()
    if as_json:
        print_json(libraries)
    elif form() is Form.TABLE:
        print("\n".join(f"{name:<14}{version}" for name, version in libraries.items()))
    else:
        show([["library", "version"], *([name, str(version)] for name, version in libraries.items())])
