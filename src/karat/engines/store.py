"""A folder that holds the finished units of one run, so that a run that was killed goes on where it was."""

from __future__ import annotations

import hashlib
import importlib.metadata
import io
import json
import os
import platform
import re
import tempfile
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from karat.core.errors import InputError
from karat.core.study import Part, Study
from karat.core.whole_files import write_whole

MANIFEST = "manifest.json"
DECIDES = ("study", "arguments", "units", "numbers")
"""What two runs must have in common to share a folder."""


@dataclass(frozen=True)
class Folder:
    """Where finished units are kept: one .npz file each, and a manifest that says of what run they are."""

    path: Path

    @classmethod
    def of(cls, path: str | os.PathLike[str], study: Study, units: list[str]) -> Folder:
        """Open a folder for a run: a new or empty one, or that of an earlier run that was told the same."""
        folder = cls(Path(path))
        try:
            folder.path.mkdir(parents=True, exist_ok=True)
            for left in folder.path.glob("*.part"):
                left.unlink(missing_ok=True)  # half written when an earlier run was killed
            with tempfile.TemporaryFile(dir=folder.path):
                pass
        except OSError as trouble:
            why = trouble.strerror or trouble
            raise InputError(f"the folder {str(path)!r} can't be written ({why}); name another.") from None
        folder._agree(manifest(study, units))
        return folder

    def _agree(self, mine: dict[str, Any]) -> None:
        """Write the manifest, or see that the one there is of the same run."""
        file = self.path / MANIFEST
        if not file.exists():
            if any(self.path.iterdir()):
                raise InputError(f"the folder {str(self.path)!r} holds other files; name an empty or new one.")
            self._replace(file, json.dumps(mine, indent=1).encode())
            return
        try:
            stored = json.loads(file.read_text())
            differ = [name for name in DECIDES if stored[name] != mine[name]]
        except (OSError, ValueError, KeyError, TypeError):
            raise InputError(f"{str(file)!r} is not the manifest of a run; name an empty or new folder.") from None
        if differ:
            what = "; ".join(f"{k} {_short(a)}, now {_short(b)}" for k, a, b in _differences(stored, mine))
            raise InputError(f"the folder {str(self.path)!r} holds another run ({what}); name another folder.")

    def finished(self, unit: str) -> Part | None:
        """What a unit found, if it was finished."""
        file = self.path / f"{_file(unit)}.npz"
        if not file.exists():
            return None
        try:
            with np.load(io.BytesIO(file.read_bytes()), allow_pickle=False) as stored:
                return {name: stored[name] for name in stored.files}
        except (OSError, ValueError, EOFError, zipfile.BadZipFile):
            return None  # not what was written: do the unit again

    def keep(self, unit: str, part: Part) -> None:
        """Store what a unit found: all of it or nothing."""
        buffer = io.BytesIO()
        np.savez(buffer, **part)  # type: ignore[arg-type]
        self._replace(self.path / f"{_file(unit)}.npz", buffer.getvalue())

    def _replace(self, file: Path, content: bytes) -> None:
        write_whole(file, content, "free some space, then run the same command again")


def manifest(study: Study, units: list[str]) -> dict[str, Any]:
    """What a run is of: the study, what it was told, its units, and the versions that its numbers depend on."""
    from karat.core.version import __version__

    arguments = json.loads(json.dumps(study.arguments()))
    return {
        "study": study.name,
        "arguments": arguments,
        "units": units,
        "numbers": {"karat": __version__, "numpy": np.__version__},
        "versions": {"python": platform.python_version(), "scipy": importlib.metadata.version("scipy")},
    }


def _differences(theirs: dict[str, Any], mine: dict[str, Any]) -> list[tuple[str, Any, Any]]:
    """(name, there, here) of what is not the same, no deeper than arguments."""
    out: list[tuple[str, Any, Any]] = []
    for name in DECIDES:
        a, b = theirs[name], mine[name]
        if a == b:
            continue
        if isinstance(a, Mapping) and isinstance(b, Mapping):
            out += [(k, a.get(k), b.get(k)) for k in {**a, **b} if a.get(k) != b.get(k)]
        elif not (name == "units" and out):  # other arguments explain other units
            out.append((name, a, b))
    return out


def _short(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _file(unit: str) -> str:
    """What a unit's file is called; with a hash if its name could not be kept, so that no other has the same."""
    name = re.sub(r"[^A-Za-z0-9_.=+-]+", "_", unit)
    return name if name == unit else f"{name}-{hashlib.sha256(unit.encode()).hexdigest()[:8]}"
