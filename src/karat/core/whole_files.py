"""Every file that karat writes appears whole or not at all: whatever happens meanwhile, the old one is there."""

from __future__ import annotations

import errno
import os
import secrets
import stat
from contextlib import suppress
from pathlib import Path

from karat.core.errors import InputError

PART = ".part"
"""How the name of a file that is being written ends."""
REMEDY = "name a file in a folder that exists and can be written"


def write_whole(path: str | os.PathLike[str], content: bytes | str, remedy: str = REMEDY) -> None:
    """Write a file beside its place, flush it to disk, and put it there. A link is followed, a file's permissions are
    kept, a device or a pipe is written to. InputError, with the remedy, if that can't be done."""
    data = content.encode("utf-8", errors="replace") if isinstance(content, str) else content
    try:
        place = Path(os.path.realpath(path))
        if place.is_symlink():
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
        if place.exists() and not place.is_file():
            with place.open("wb") as out:
                out.write(data)
            return
        if place.exists() and not os.access(place, os.W_OK):
            raise PermissionError(13, "Permission denied")
        _replace(place, data)
    except (OSError, ValueError) as trouble:
        why = getattr(trouble, "strerror", None) or str(trouble)
        raise InputError(f"{str(path)!r} can't be written ({why}); {remedy}.") from None


def _replace(place: Path, data: bytes) -> None:
    half = place.with_name(f".{place.name[:80]}.{os.getpid()}.{secrets.token_hex(4)}{PART}")
    handle = os.open(half, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
    try:
        with os.fdopen(handle, "wb") as out:
            out.write(data)
            out.flush()
            os.fsync(out.fileno())
        if place.exists():
            os.chmod(half, stat.S_IMODE(place.stat().st_mode))
        os.replace(half, place)
    except BaseException:
        with suppress(OSError):
            half.unlink()
        raise
    with suppress(OSError):  # the name lasts, too; not every system can say so
        folder = os.open(place.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
