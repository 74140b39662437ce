"""Where bytes come in: files, pipes and stdin, unpacked as far as the limit allows, and no further."""

from __future__ import annotations

import gzip
import sys
import zlib
from pathlib import Path
from typing import IO, Any

from karat.core.errors import InputError, quoted
from karat.data.limits import refuse_larger

GZIP = b"\x1f\x8b"
BLOCK = 1 << 20
PACKED = {".gz": "gzip", ".bz2": "bz2", ".zst": "zstd", ".lz4": "lz4", ".br": "brotli"}
"""What a file is packed by, by the end of its name."""


def content_of(path: str | Path, title: str, limit: int) -> str | bytes:
    """The path of a plain file, which readers open themselves; the content of all else: of a packed file, of stdin or a
    pipe, which can be read only once, of a device, which may have no end."""
    if str(path) == "-":
        return _unzipped(sys.stdin.buffer, title, limit)
    shown = quoted([title], widest=200)
    try:
        place = Path(path)
        there, folder = place.exists(), place.is_dir()
        if there and not folder:
            with place.open("rb") as file:
                plain = place.is_file() and place.stat().st_size > 0  # what /proc holds has no size
                packed = PACKED.get(place.suffix.lower())
                if plain and packed is None:
                    return str(path)
                return _unzipped(file, title, limit) if packed in (None, "gzip") else _unpacked(file, title, limit)
    except (OSError, ValueError) as trouble:
        if isinstance(trouble, InputError):
            raise
        why = getattr(trouble, "strerror", None) or str(trouble)
        raise InputError(f"{shown} can't be opened ({why}); give a file that can be read.") from None
    if folder:
        raise InputError(f"{shown} is a folder; give the path of a predictions file in it.")
    raise InputError(f"there is no file {shown}; give the path of a predictions file.")


def beginning_of(source: str | bytes, size: int = 64) -> bytes:
    """Its first bytes."""
    if isinstance(source, bytes):
        return source[:size]
    with Path(source).open("rb") as file:
        return file.read(size)


def whole_content(source: str | bytes, title: str, limit: int) -> bytes:
    """All of it."""
    if isinstance(source, bytes):
        return source
    with Path(source).open("rb") as file:
        return _up_to(file, title, limit)


def _unzipped(file: IO[bytes], title: str, limit: int) -> bytes:
    """The content, unpacked if it is gzip, whatever its name."""
    begins = file.read(len(GZIP))
    rest: Any = _Rest(begins, file)
    if begins != GZIP:
        if title.lower().endswith(".gz") and begins:
            raise InputError(f"{title} can't be unpacked (it is not gzip); give a file that gzip made, or drop .gz.")
        return _up_to(rest, title, limit)
    try:
        return _up_to(gzip.GzipFile(fileobj=rest), title, limit, ", unpacked")
    except (OSError, EOFError, zlib.error) as trouble:
        raise InputError(
            f"{title} begins like gzip and can't be unpacked ({trouble}); give the whole of it, as gzip made it."
        ) from None


def _unpacked(file: IO[bytes], title: str, limit: int) -> bytes:
    """What other programs packed, as far as Arrow knows them."""
    import pyarrow as pa

    try:
        codec = PACKED[Path(title).suffix.lower()]
        with pa.input_stream(file, compression=codec) as stream:
            return _up_to(stream, title, limit, ", unpacked")
    except (pa.ArrowException, OSError, ValueError) as trouble:
        if isinstance(trouble, InputError):
            raise
        raise InputError(f"{title} can't be unpacked ({_line(trouble)}); unpack it first.") from None


def _up_to(file: Any, title: str, limit: int, what: str = "") -> bytes:
    """The content in pieces: no more of it is held than the limit and a piece."""
    pieces, size = [], 0
    while piece := file.read(BLOCK):
        pieces.append(bytes(piece))
        size += len(piece)
        refuse_larger(size, limit, title, what)
    return b"".join(pieces)


def _line(trouble: Exception) -> str:
    return (str(trouble).splitlines() or [type(trouble).__name__])[0]


class _Rest:
    """A stream of which the beginning was read already."""

    def __init__(self, begins: bytes, file: IO[bytes]) -> None:
        self.begins, self.file = begins, file

    def read(self, size: int = -1) -> bytes:
        begins, self.begins = self.begins, b""
        return begins + self.file.read(size - len(begins) if size > 0 else size)
