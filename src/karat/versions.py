"""What karat runs on."""

from __future__ import annotations

import platform
from importlib import metadata

from karat import kernels
from karat.core.version import __version__

LIBRARIES = ("numpy", "scipy", "narwhals", "scikit-learn", "pandas", "polars", "pyarrow")


def show_versions() -> dict[str, str]:
    """What karat runs on; "kernels" says whether the compiled loops are in use or their numpy twins."""
    versions = {"karat": __version__, "kernels": kernels.name, "python": platform.python_version()}
    for library in LIBRARIES:
        try:
            versions[library] = metadata.version(library)
        except metadata.PackageNotFoundError:
            versions[library] = "not installed"
    return versions
