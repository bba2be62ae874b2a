"""Write mosaics of coloured squares as JPEG, with the same bytes on every machine and without a library.

Each 8×8 block has one colour, so only the first of its 64 coefficients is not zero, and neighbouring blocks of the same colour
take a few bits. The tables are those of annex K of the standard.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

Colour = tuple[int, int, int]
"""Red, green and blue, 0 to 255."""

_BLOCK = 8
_QUANTUM = 8  # the first coefficient of a block with one colour is 8 times its level
_LENGTHS = (
    0,
    1,
    5,
    1,
    1,
    1,
    1,
    1,
    1,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
)  # number of codes with 1, 2, 3 … bits for differences
_END_OF_BLOCK = "00"  # the only code that the other 63 coefficients need


def mosaic(colours: Sequence[Sequence[Colour]], width: int, height: int) -> bytes:
    """Return a JPEG of `width` × `height` pixels, evenly covered by rows of coloured squares."""
    out = bytearray(b"\xff\xd8")
    out += _segment(0xE0, b"JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x00\x00")
    out += _segment(0xDB, b"\x00" + bytes([_QUANTUM] * 64))
    size = height.to_bytes(2, "big") + width.to_bytes(2, "big")
    out += _segment(0xC0, b"\x08" + size + b"\x03\x01\x11\x00\x02\x11\x00\x03\x11\x00")
    out += _segment(0xC4, b"\x00" + bytes(_LENGTHS) + bytes(range(12)))
    out += _segment(0xC4, b"\x10" + bytes((0, 1, *([0] * 14))) + b"\x00")
    out += _segment(0xDA, b"\x03\x01\x00\x02\x00\x03\x00\x00\x3f\x00")
    return bytes(out + _packed(_bits(colours, width, height)) + b"\xff\xd9")


def _segment(marker: int, content: bytes) -> bytes:
    return bytes((0xFF, marker)) + (len(content) + 2).to_bytes(2, "big") + content


def _bits(colours: Sequence[Sequence[Colour]], width: int, height: int) -> Iterator[str]:
    across, down = -(-width // _BLOCK), -(-height // _BLOCK)
    levels = [[_levels(colour) for colour in row] for row in colours]
    before = [0, 0, 0]
    for y in range(down):
        row = levels[y * len(levels) // down]
        for x in range(across):
            for i, level in enumerate(row[x * len(row) // across]):
                yield _difference(level - before[i]) + _END_OF_BLOCK
                before[i] = level


def _levels(colour: Colour) -> tuple[int, int, int]:
    """Return luminance and the two chrominance values as levels around zero, computed with integers."""
    red, green, blue = colour
    y = (299 * red + 587 * green + 114 * blue) // 1000
    return y - 128, (blue - y) * 564 // 1000, (red - y) * 713 // 1000


def _difference(value: int) -> str:
    """Return the code of a difference: its number of bits, then the bits."""
    size = abs(value).bit_length()
    bits = "" if not size else f"{value if value > 0 else value + (1 << size) - 1:0{size}b}"
    return _CODES[size] + bits


def _codes() -> list[str]:
    code, result = 0, []
    for length, count in enumerate(_LENGTHS, start=1):
        for _ in range(count):
            result.append(f"{code:0{length}b}")
            code += 1
        code <<= 1
    return result


_CODES = _codes()


def _packed(bits: Iterator[str]) -> bytes:
    text = "".join(bits)
    text += "1" * (-len(text) % 8)
    data = int(text, 2).to_bytes(len(text) // 8, "big")
    return data.replace(b"\xff", b"\xff\x00")
