"""A folder belongs to one run at a time; the lock goes with the process that has it, however that ends."""

from __future__ import annotations

import os
import platform
from contextlib import suppress
from pathlib import Path
from typing import IO

from karat.core.errors import InputError

LOCK = ".lock"
"""The file that is locked; who has it stands in it."""
_own: set[Path] = set()
"""Folders that this process has: locks of files are between processes."""


class FolderLock:
    """Taken when it is made; `held` is False where the file system has no locks."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve()
        self.held = False
        self.file: IO[str] | None = None
        if self.folder in _own:
            raise InputError(self._in_use(f"process {os.getpid()}, which is this one"))
        self.file = (self.folder / LOCK).open("a+", encoding="utf-8")
        try:
            self.held = _locked(self.file)
        except BlockingIOError:
            self.file.seek(0)
            holder = self.file.read(200).strip() or "another process"
            self.file.close()
            raise InputError(self._in_use(holder)) from None
        _own.add(self.folder)
        self.file.truncate(0)
        self.file.write(f"process {os.getpid()} on {platform.node()}")
        self.file.flush()

    def _in_use(self, holder: str) -> str:
        folder = str(self.folder)
        return f"the folder {folder!r} is in use by a run ({holder}); wait for it to end, or name another folder."

    def release(self) -> None:
        """Let go: by the end of the run at the latest."""
        if self.file is not None and not self.file.closed:
            with suppress(OSError):
                self.file.truncate(0)
            self.file.close()  # which unlocks it
            _own.discard(self.folder)


def _locked(file: IO[str]) -> bool:
    """Lock it, unless somebody else has (BlockingIOError). Processes that were forked from this one do not share the
    lock, so that it does not outlive a run that was killed."""
    try:
        import fcntl
    except ImportError:
        return _locked_by_windows(file)
    try:
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        raise BlockingIOError from None
    except OSError:  # a file system without locks
        return False
    return True


def _locked_by_windows(file: IO[str]) -> bool:
    import msvcrt

    try:
        file.seek(0)
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
    except OSError:
        raise BlockingIOError from None
    return True
