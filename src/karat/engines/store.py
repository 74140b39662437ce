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
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from karat import kernels
from karat.core.errors import InputError
from karat.core.study import Part, Study
from karat.core.whole_files import PART, write_whole
from karat.engines.folder_lock import LOCK, FolderLock

MANIFEST = "manifest.json"
IDENTITY = "karat.identity"
"""The array of a unit's file that says what it is of."""
LIBRARIES = ("numpy", "scipy", "scikit-learn")
"""Numbers depend on their versions."""
DECIDES = ("study", "arguments", "units", "numbers")
"""What two runs must have in common to share a folder."""


@dataclass(frozen=True)
class Folder:
    """Where finished units are kept: one .npz file each, which says of what unit and run it is, and a manifest that
    says what the run was told."""

    path: Path
    study: str
    run: str
    """what all units of this run have in common, as a short text"""
    lock: FolderLock

    @classmethod
    def of(cls, path: str | os.PathLike[str], study: Study, units: list[str]) -> Folder:
        """Open a folder for a run: a new or empty one, or that of an earlier run that was told the same; nobody else
        may use it until `close`."""
        place, mine = Path(path), manifest(study, units)
        try:
            place.mkdir(parents=True, exist_ok=True)
            if not (place / MANIFEST).exists() and any(map(_foreign, place.iterdir())):
                raise InputError(f"the folder {str(place)!r} holds other files; name an empty or new one.")
            lock = FolderLock(place)
            for left in place.glob(f"*{PART}") if lock.held else ():
                left.unlink(missing_ok=True)  # half written when an earlier run was killed: nobody else is here
            with tempfile.TemporaryFile(dir=place):
                pass
        except OSError as trouble:
            why = trouble.strerror or trouble
            raise InputError(f"the folder {str(path)!r} can't be written ({why}); name another.") from None
        decisive = json.dumps({name: mine[name] for name in DECIDES}, sort_keys=True)
        folder = cls(place, study.name, hashlib.sha256(decisive.encode()).hexdigest(), lock)
        try:
            folder._agree(mine)
        except BaseException:
            folder.close()
            raise
        return folder

    def close(self) -> None:
        """Others may use it."""
        self.lock.release()

    def _agree(self, mine: dict[str, Any]) -> None:
        """Write the manifest, or see that the one there is of the same run."""
        file = self.path / MANIFEST
        if not file.exists():
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
                part = {name: stored[name] for name in stored.files}
            says = json.loads(str(part.pop(IDENTITY)))
            whole = says["checksum"] == _checksum(part)
        except Exception:  # each fault of an archive has an exception of its own
            return None  # not what was written: do the unit again
        if whole and (says["unit"], says["run"]) != (unit, self.run):
            raise InputError(
                f"{str(file)!r} is of another unit or run ({says['unit']} of {says['study']}); remove it, then run the "
                "same command again."
            )
        return part if whole else None

    def keep(self, unit: str, part: Part) -> None:
        """Store what a unit found: all of it or nothing."""
        says = {"study": self.study, "unit": unit, "run": self.run, "checksum": _checksum(part)}
        buffer = io.BytesIO()
        np.savez(buffer, **part, **{IDENTITY: np.array(json.dumps(says))})  # type: ignore[arg-type]
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
        "numbers": {"karat": __version__, "kernels": kernels.name} | {name: _version(name) for name in LIBRARIES},
        "versions": {"python": platform.python_version(), "machine": f"{platform.system()} {platform.machine()}"},
    }


def _version(library: str) -> str:
    try:
        return importlib.metadata.version(library)
    except importlib.metadata.PackageNotFoundError:
        return "not installed"


def _foreign(file: Path) -> bool:
    return file.name != LOCK and file.suffix != PART


def _checksum(part: Part) -> str:
    """Of names, types, shapes and values."""
    digest = hashlib.sha256()
    for name in sorted(part):
        array = np.ascontiguousarray(part[name])
        digest.update(f"{name}|{array.dtype.str}|{np.shape(part[name])}|".encode())
        digest.update(array.tobytes())
    return digest.hexdigest()


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
