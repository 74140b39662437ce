"""Vega, Vega-Lite and Vega-Embed as one text of JavaScript, out of an installed Python package: nothing is fetched."""

from __future__ import annotations

import contextlib
import os
import sys
from importlib import metadata
from pathlib import Path
from typing import Any

from karat.core.errors import InputError
from karat.core.whole_files import write_whole

END = "window.vegaLite="
"""What the bundle sets near its end: a text without it is no whole bundle."""


def charts() -> str:
    """The libraries. Bundling takes seconds, so the text is kept in the user's cache folder, if there is one."""
    kept = _kept()
    text = _read(kept)
    if text is None:
        import vl_convert

        bundler: Any = vl_convert  # its stubs ask for an argument that it can do without
        text = str(bundler.javascript_bundle())
        if kept is not None:
            with contextlib.suppress(OSError, InputError):
                kept.parent.mkdir(parents=True, exist_ok=True)
                write_whole(kept, text)
    return text


def ready() -> bool:
    """Need the libraries not be bundled any more?"""
    return _read(_kept()) is not None


def _kept() -> Path | None:
    try:
        version = metadata.version("vl-convert-python")
        return cache_folder() / f"vega-{version}.js"
    except (metadata.PackageNotFoundError, RuntimeError):  # no version, or no home
        return None


def cache_folder() -> Path:
    """Where programs of this user keep what they can make again."""
    folder = os.environ.get("KARAT_CACHE")
    if folder:
        return Path(folder)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "karat"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "karat"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "karat"


def _read(path: Path | None) -> str | None:
    try:
        text = None if path is None else path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return None
    return text if text is not None and END in text[-2000:] else None
