"""Damage: the same seed makes the same damaged bytes."""

from __future__ import annotations

import random

NUMBERS = (0, 1, 2, 3, 7, 8, 63, 64, 127, 128, 255, 256, 32767, 65535, 1 << 20, (1 << 31) - 1, 1 << 31, (1 << 32) - 1,
           (1 << 32) - 2, 1 << 62, (1 << 63) - 1, (1 << 64) - 1)  # fmt: skip
"""Lengths and offsets that readers may trip over; large ones as signed numbers are negative."""
TOKENS = (
    b"\x00", b"\xff\xfe", b"\xc3\x28", b"\xed\xa0\x80", b"\xef\xbb\xbf", b'"', b"'", b"\\", b"\n", b"\r\n", b"\r",
    b",", b";", b"\t", b"{", b"}", b"[", b"]", b":", b"[" * 3000, b'{"a":' * 3000, b"null", b"true", b"nan", b"-inf",
    b"1e400", b"-0.0", b"5e-324", b"9" * 400, b"18446744073709551616", b"-9223372036854775809", b"0x1", b"1_0",
    b"\x1b[31m", b"\n::error ::x", b"p_", b"y_true", b"y_pred", b"weight", b"model", b"score", b"=1+1",
    "\u2028\U0001f600".encode(),
)  # fmt: skip
"""Words that mean something to readers of text."""


def damaged(content: bytes, rng: random.Random, text: bool, other: bytes = b"") -> bytes:
    """The content with one to a few faults; `other` is what it may be spliced with."""
    raw = bytearray(content)
    for _ in range(1 + int(rng.expovariate(0.7))):
        if not raw:
            return bytes(raw)
        at = rng.randrange(len(raw))
        kind = rng.randrange(9)
        if text and kind < 4:
            token = rng.choice(TOKENS)
            raw[at : at + rng.choice((0, 0, 1, len(token)))] = token
        elif kind == 0:
            raw[at] ^= 1 << rng.randrange(8)
        elif kind == 1:
            raw[at] = rng.randrange(256)
        elif kind in (2, 3):
            size = rng.choice((1, 2, 4, 4, 8))
            at -= at % size
            value = rng.choice(NUMBERS) if rng.random() < 0.7 else rng.randrange(-40, 400)
            raw[at : at + size] = (value & ((1 << 8 * size) - 1)).to_bytes(size, "little")
        elif kind == 4:
            del raw[at : at + rng.choice((1, 2, 8, 100))]
        elif kind == 5:
            piece = raw[at : at + rng.choice((1, 4, 16, 300))]
            where = rng.randrange(len(raw))
            raw[where:where] = piece
        elif kind == 6:
            del raw[at:]
        elif kind == 7 and other:
            raw[at:] = other[rng.randrange(len(other)) :]
        else:
            size = rng.choice((1, 4, 8, 64))
            raw[at : at + size] = rng.randbytes(size)
    return bytes(raw)
