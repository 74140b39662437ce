"""Arrays by name out of an .npz archive: what its headers claim is compared with what is there before any of it is
unpacked."""

from __future__ import annotations

import io
import math
import sys
import zipfile
from typing import Any

import numpy as np
from numpy.lib import format as npy

from karat.core.errors import InputError
from karat.data.limits import refuse_larger, refuse_wider

WAYS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""How numpy packs."""
ENCRYPTED = 0x1
KINDS = "biufSU"
"""Truth values, numbers, texts."""


def arrays_of(source: str | bytes, title: str, limit: int) -> dict[str, Any]:
    """The arrays that have a row for each case; what is no such archive is a ValueError."""
    with zipfile.ZipFile(source if isinstance(source, str) else io.BytesIO(source)) as archive:
        entries = archive.infolist()
        refuse_wider(len(entries), title)
        refuse_larger(sum(entry.file_size for entry in entries), limit, title, ", unpacked")
        arrays = {}
        for entry in entries:
            name = entry.filename.removesuffix(".npy")
            if name in arrays:
                raise InputError(f"{title} holds two arrays {name!r}; save it again with numpy.savez.")
            arrays[name] = _array(archive, entry)
        return {name: array for name, array in arrays.items() if array.ndim}


def _array(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> Any:
    if entry.flag_bits & ENCRYPTED:
        raise ValueError("it is encrypted")
    if entry.compress_type not in WAYS:
        raise ValueError("it is packed in a way that numpy does not know")
    with archive.open(entry) as file:
        content = file.read(entry.file_size + 1)  # no more than it said, and its checksum is looked at
    stream = io.BytesIO(content)
    version = npy.read_magic(stream)
    header = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
    shape, _, kind = header(stream)
    if kind.hasobject:
        raise ValueError("Object arrays are not read")
    if kind.kind not in KINDS or not kind.itemsize:
        raise ValueError(f"an array holds {kind}, not numbers or texts")
    if min(shape, default=0) < 0 or math.prod(shape) * kind.itemsize > len(content):
        raise ValueError("an array is said to be larger than what is there")
    stream.seek(0)
    return _with_characters(npy.read_array(stream, allow_pickle=False))


def _with_characters(array: Any) -> Any:
    """Texts of numpy are numbers of characters, of which not all numbers are some."""
    if array.dtype.kind == "U" and array.size:
        numbers = np.ascontiguousarray(array).reshape(-1).view(np.dtype(np.uint32).newbyteorder(array.dtype.byteorder))
        if (numbers > sys.maxunicode).any() or ((numbers >= 0xD800) & (numbers < 0xE000)).any():
            raise ValueError("a text holds what is no character")
    return array
