"""QR codes (ISO/IEC 18004) as squares of modules and as PayPal's picture.

Supports byte mode only (an address, up to 180 bytes), correction level M, versions 4 to 9 and always the chessboard
mask; every reader accepts that.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator
from typing import NamedTuple

from soundstage.kernels.paypal.rules.png import png

_QUIET = 4  # width of the white border in modules
_FORMAT = 0b101010000010010  # level M, mask 0, with its own error correction
_VERSION_POLYNOMIAL = 0x1F25
_FIELD_POLYNOMIAL = 0x11D
_PADDING = (0xEC, 0x11)


class _Version(NamedTuple):
    """The block structure of a version: correction words per block and data words of each block."""

    correction: int
    blocks: tuple[int, ...]
    alignment: tuple[int, ...]


_VERSIONS = {
    4: _Version(18, (32, 32), (6, 26)),
    5: _Version(24, (43, 43), (6, 30)),
    6: _Version(16, (27, 27, 27, 27), (6, 34)),
    7: _Version(18, (31, 31, 31, 31), (6, 22, 38)),
    8: _Version(22, (38, 38, 39, 39), (6, 24, 42)),
    9: _Version(22, (36, 36, 36, 37, 37), (6, 26, 46)),
}

Square = list[list[bool | None]]
"""Rows of modules: dark, light, or None if not assigned yet."""


def picture(text: str, width: int, height: int) -> str:
    """Return a PNG in Base64 with the code of a text in the middle."""
    modules = code(text)
    scale = max(min(width, height) // (len(modules) + 2 * _QUIET), 1)
    size = scale * len(modules)
    left, top = (width - size) // 2, (height - size) // 2
    white = [False] * width
    lines = [
        [*white[:left], *(dark for dark in row for _ in range(scale)), *white[left + size :]]
        for row in modules
        for _ in range(scale)
    ]
    return b64encode(png([*[white] * top, *lines, *[white] * (height - size - top)])).decode()


def code(text: str) -> list[list[bool]]:
    """Return the modules of a text's code without the quiet zone; True is dark.

    Raises:
        ValueError: The text has more than 180 bytes.
    """
    data = text.encode()
    number = next((n for n, v in _VERSIONS.items() if sum(v.blocks) >= len(data) + 2), None)
    if number is None:
        raise ValueError(f"{len(data)} bytes are more than the largest version holds")
    version = _VERSIONS[number]
    square = _patterns(number, version)
    bits = _bits(_interleaved(_codewords(data, sum(version.blocks)), version))
    for x, y in _bit_positions(len(square)):
        if square[y][x] is None:
            square[y][x] = next(bits, False) ^ ((x + y) % 2 == 0)
    return [[bool(module) for module in row] for row in square]


def _codewords(data: bytes, capacity: int) -> list[int]:
    """Return mode, length, the bytes, the terminator and padding."""
    stream = 0b0100 << 8 | len(data)
    for byte in data:
        stream = stream << 8 | byte
    filled = (stream << 4).to_bytes(len(data) + 2, "big")
    return [*filled, *(_PADDING[i % 2] for i in range(capacity - len(filled)))]


def _interleaved(words: list[int], version: _Version) -> list[int]:
    """Interleave the data words of the blocks, then their correction words."""
    blocks = []
    for size in version.blocks:
        blocks.append(words[:size])
        words = words[size:]
    data = [block[i] for i in range(max(version.blocks)) for block in blocks if i < len(block)]
    corrections = [_correction(block, version.correction) for block in blocks]
    return data + [words[i] for i in range(version.correction) for words in corrections]


def _correction(block: list[int], size: int) -> list[int]:
    """Return the remainder of a block divided by the Reed-Solomon generator polynomial with `size` roots."""
    divisor = [1]
    root = 1
    for _ in range(size):
        shifted = [*divisor, 0]
        divisor = [high ^ _times(low, root) for high, low in zip(shifted, [0, *divisor], strict=True)]
        root = _times(root, 2)
    rest = [*block, *([0] * size)]
    for i in range(len(block)):
        factor = rest[i]
        for j, part in enumerate(divisor):
            rest[i + j] ^= _times(part, factor)
    return rest[len(block) :]


def _times(a: int, b: int) -> int:
    """Multiply two elements of the field with 256 elements."""
    product = 0
    while b:
        product ^= a if b & 1 else 0
        a = a << 1 ^ (_FIELD_POLYNOMIAL if a & 0x80 else 0)
        b >>= 1
    return product


def _bits(words: list[int]) -> Iterator[bool]:
    return (bool(word >> place & 1) for word in words for place in range(7, -1, -1))


def _patterns(number: int, version: _Version) -> Square:
    """Return the fixed patterns of a version: finders, alignment, timing, format and version."""
    size = 17 + 4 * number
    square: Square = [[None] * size for _ in range(size)]
    for x, y in ((3, 3), (size - 4, 3), (3, size - 4)):
        _rings(square, x, y, 4, (0, 1, 3))
    for i in range(8, size - 8):
        square[6][i] = square[i][6] = i % 2 == 0
    for y in version.alignment:
        for x in version.alignment:
            if square[y][x] is None or (6 in (x, y) and 8 < max(x, y) < size - 9):
                _rings(square, x, y, 2, (0, 2))
    _put_format(square, size)
    if number >= 7:
        _put_version(square, size, number)
    return square


def _rings(square: Square, x: int, y: int, radius: int, dark: tuple[int, ...]) -> None:
    for dy in range(-radius, radius + 1):
        for dx in range(-radius, radius + 1):
            if 0 <= y + dy < len(square) and 0 <= x + dx < len(square):
                square[y + dy][x + dx] = max(abs(dx), abs(dy)) in dark


def _put_format(square: Square, size: int) -> None:
    """Write the 15 format bits twice: around the first finder, and next to the two others."""
    for i in range(15):
        bit = bool(_FORMAT >> i & 1)
        square[i if i < 6 else i + 1 if i < 8 else size - 15 + i][8] = bit
        square[8][size - 1 - i if i < 8 else 7 if i == 8 else 14 - i] = bit
    square[size - 8][8] = True


def _put_version(square: Square, size: int, number: int) -> None:
    rest = number
    for _ in range(12):
        rest = rest << 1 ^ (_VERSION_POLYNOMIAL if rest >> 11 & 1 else 0)
    bits = number << 12 | rest
    for i in range(18):
        bit = bool(bits >> i & 1)
        square[i // 3][size - 11 + i % 3] = square[size - 11 + i % 3][i // 3] = bit


def _bit_positions(size: int) -> Iterator[tuple[int, int]]:
    """Yield the positions of the data bits in column pairs from the right, alternately up and down.

    The vertical timing column is skipped.
    """
    columns = [*range(size - 1, 6, -2), *range(5, 0, -2)]
    for turn, right in enumerate(columns):
        rows = range(size) if turn % 2 else range(size - 1, -1, -1)
        for y in rows:
            yield right, y
            yield right - 1, y
