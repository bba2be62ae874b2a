"""Base64 as Go's StdEncoding decodes it, with the position of errors."""

from __future__ import annotations

import base64

_ALPHABET = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
_IGNORED = "\r\n"


def decode(text: str) -> bytes:
    """Return the decoded bytes.

    Raises:
        ValueError: The text is invalid, with Go's message.
    """
    data = text.encode()
    wrong = _first_wrong_byte(data.decode("latin-1"))
    if wrong is not None:
        raise ValueError(f"illegal base64 data at input byte {wrong}")
    return base64.b64decode(data)


def _first_wrong_byte(data: str) -> int | None:
    position, in_group = 0, 0
    while position < len(data):
        character = data[position]
        if character in _ALPHABET:
            in_group = (in_group + 1) % 4
        elif character == "=":
            return _wrong_padding(data, position, in_group)
        elif character not in _IGNORED:
            return position
        position += 1
    return len(data) - in_group if in_group else None


def _wrong_padding(data: str, position: int, in_group: int) -> int | None:
    """Return the position of an error from the first `=` on, or None.

    A group of two characters ends with two of them, a group of three with one.
    """
    if in_group < 2:
        return position
    rest = [i for i in range(position + 1, len(data)) if data[i] not in _IGNORED]
    if in_group == 2:
        if not rest:
            return len(data)
        if data[rest[0]] != "=":
            return rest[0]
        rest = rest[1:]
    return rest[0] if rest else None
