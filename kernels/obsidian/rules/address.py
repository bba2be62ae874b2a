"""How a file path in a URL changes between Python's `requests` and the plugin's Express server.

The client inserts paths into URLs unescaped, so `?` and `#` end them, `..` moves up, and `%41` is an A.
"""

from __future__ import annotations

import re
from typing import NamedTuple
from urllib.parse import unquote_to_bytes

_UNRESERVED = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
_UNESCAPED = frozenset((_UNRESERVED + "!$&'()*+,;=:@/").encode())  # characters that urllib3 does not escape in a path
_ESCAPE = re.compile(r"%[0-9A-Fa-f]{2}")
_BYTES = tuple(f"%{byte:02X}" for byte in range(256))
_ENCODED = tuple(chr(byte) if byte in _UNESCAPED else _BYTES[byte] for byte in range(256))
_ENCODED_KEEPING_PERCENT = tuple("%" if byte == ord("%") else text for byte, text in enumerate(_ENCODED))
_UNRESERVED_ESCAPE = re.compile("|".join(_BYTES[ord(character)] for character in _UNRESERVED), re.IGNORECASE)


class Address(NamedTuple):
    """A request path as the plugin receives it: its first segment (`vault`) and the rest, still percent-encoded.

    `slash` is true if a slash follows the first segment.
    """

    route: str
    rest: str
    slash: bool


def arriving(path: str) -> Address:
    """Return the path that arrives for a URL path such as `/vault/Projects/Apollo.md`."""
    path = re.split(r"[?#]", path, maxsplit=1)[0]
    sent = _unreserved(_encoded(_without_dots(path)))
    route, slash, rest = sent.removeprefix("/").partition("/")
    return Address(route.lower(), rest, bool(slash))


def decoded(rest: str) -> str | None:
    """Return `decodeURIComponent(rest)`, or None if the bytes are not valid UTF-8."""
    try:
        return unquote_to_bytes(rest).decode()
    except UnicodeDecodeError:
        return None


def _without_dots(path: str) -> str:
    """Remove dot segments like urllib3's `_remove_path_dot_segments`, which preserves empty segments."""
    result: list[str] = []
    for segment in path.split("/"):
        if segment == "..":
            del result[-1:]
        elif segment != ".":
            result.append(segment)
    if not result or result[0]:
        result.insert(0, "")
    if path.endswith(("/.", "/..")):
        result.append("")
    return "/".join(result)


def _encoded(path: str) -> str:
    """Percent-encode a path like urllib3: existing escapes survive only if every `%` begins one."""
    escapes = len(_ESCAPE.findall(path))
    path = _ESCAPE.sub(lambda escape: escape[0].upper(), path)
    encoded = _ENCODED_KEEPING_PERCENT if escapes == path.count("%") else _ENCODED
    return "".join(map(encoded.__getitem__, path.encode("utf-8", "surrogatepass")))


def _unreserved(path: str) -> str:
    """Decode escapes of unreserved characters, like `requests`."""
    return _UNRESERVED_ESCAPE.sub(lambda escape: chr(int(escape[0][1:], 16)), path)
