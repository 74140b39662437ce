"""What karat runs on."""

from __future__ import annotations

import platform
from importlib import metadata

from karat import kernels
from karat.core.version import __version__

LIBRARIES = ("numpy", "scipy", "narwhals", "scikit-learn", "pandas", "polars", "pyarrow")


def show_versions() -> dict[str, str]:
    """The versions of karat and its libraries: what to put into a bug report.

    Returns
    -------
    dict of str to str
        Name to version; "kernels" is "native" if the compiled kernels are in use, otherwise "numpy".

    Examples
    --------
    >>> show_versions()["kernels"] in ("native", "numpy")
    True
    """
    versions = {"karat": __version__, "kernels": kernels.name, "python": platform.python_version()}
    for library in LIBRARIES:
        try:
            versions[library] = metadata.version(library)
        except metadata.PackageNotFoundError:
            versions[library] = "not installed"
    return versions
