"""A PNG encoder for black and white pictures, with the same bytes on every machine and library version.

Libraries compress differently from each other and from version to version. Rows repeat, so this encoder copies bytes
from the row above or from the byte before and writes the rest as literals (RFC 1951, fixed codes; RFC 2083).
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_SHORTEST, _LONGEST = 3, 258
_END = 256
# Smallest length or distance of each code, and its number of extra bits.
_LENGTHS = [
    *((length, 0) for length in range(3, 11)),
    *(
        (base + step * 2**extra, extra)
        for extra, base in enumerate((11, 19, 35, 67, 131), start=1)
        for step in range(4)
    ),
    (258, 0),
]
_DISTANCES = [(n + 1, 0) for n in range(4)] + [
    (2 ** (extra + 1) * half // 2 + 1, extra) for extra in range(1, 6) for half in (2, 3)
]


class _Bits:
    """A bit stream that fills each byte from its lowest bit."""

    def __init__(self) -> None:
        """Start an empty stream."""
        self.value = 0
        self.size = 0

    def number(self, value: int, size: int) -> None:
        """Append a number, lowest bit first."""
        self.value |= value << self.size
        self.size += size

    def code(self, value: int, size: int) -> None:
        """Append a Huffman code, highest bit first."""
        self.number(int(f"{value:0{size}b}"[::-1], 2), size)

    def to_bytes(self) -> bytes:
        """Return the stream as bytes, padded with zero bits."""
        return self.value.to_bytes((self.size + 7) // 8, "little")


def png(rows: Sequence[Sequence[bool]]) -> bytes:
    """Encode rows of pixels of equal length as a PNG; True is black."""
    width = len(rows[0])
    stride = (width + 7) // 8
    lines = b"".join(b"\x00" + _packed(row, stride) for row in rows)
    head = struct.pack(">IIBBBBB", width, len(rows), 1, 0, 0, 0, 0)
    compressed = b"\x78\x01" + _deflated(lines, (1, stride + 1)) + struct.pack(">I", zlib.adler32(lines))
    return _SIGNATURE + _chunk(b"IHDR", head) + _chunk(b"IDAT", compressed) + _chunk(b"IEND", b"")


def _packed(row: Sequence[bool], stride: int) -> bytes:
    bits = "".join("0" if black else "1" for black in row).ljust(8 * stride, "0")
    return int(bits, 2).to_bytes(stride, "big")


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _deflated(data: bytes, distances: tuple[int, ...]) -> bytes:
    """Deflate data into one block of fixed codes that copies only from these distances, none of them above 64."""
    bits = _Bits()
    bits.number(0b011, 3)
    place = 0
    while place < len(data):
        length, distance = max((_repeats(data, place, back), -back) for back in distances)
        if length < _SHORTEST:
            _symbol(bits, data[place])
            place += 1
            continue
        code = max(i for i, (base, _) in enumerate(_LENGTHS) if base <= length)
        _symbol(bits, _END + 1 + code)
        bits.number(length - _LENGTHS[code][0], _LENGTHS[code][1])
        code = max(i for i, (base, _) in enumerate(_DISTANCES) if base <= -distance)
        bits.code(code, 5)
        bits.number(-distance - _DISTANCES[code][0], _DISTANCES[code][1])
        place += length
    _symbol(bits, _END)
    return bits.to_bytes()


def _repeats(data: bytes, place: int, back: int) -> int:
    """Count the bytes from `place` on that repeat those `back` bytes before."""
    length = 0
    most = min(_LONGEST, len(data) - place) if place >= back else 0
    while length < most and data[place + length] == data[place + length - back]:
        length += 1
    return length


def _symbol(bits: _Bits, symbol: int) -> None:
    if symbol < 144:
        bits.code(0b00110000 + symbol, 8)
    elif symbol < _END:
        bits.code(0b110010000 + symbol - 144, 9)
    elif symbol < 280:
        bits.code(symbol - _END, 7)
    else:
        bits.code(0b11000000 + symbol - 280, 8)
