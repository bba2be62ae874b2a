"""What becomes of a path that stands in an address, on its way from `requests` to the plugin's Express.

The client writes paths into its addresses as they come, so `?` and `#` end them, `..` climbs, and `%41` is an A.
"""

from __future__ import annotations

import re
from typing import NamedTuple
from urllib.parse import unquote_to_bytes

_UNRESERVED = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
_KEPT = frozenset((_UNRESERVED + "!$&'()*+,;=:@/").encode())  # what urllib3 leaves alone in a path
_ESCAPE = re.compile(r"%[0-9A-Fa-f]{2}")


class Address(NamedTuple):
    """What the plugin is asked for: the first part of the path (`vault`), and the rest as it arrives, still percent-encoded.

    `slash` tells whether there was one behind the first part.
    """

    route: str
    rest: str
    slash: bool


def arriving(path: str) -> Address:
    """What arrives of the path of an address, `/vault/Projects/Apollo.md` for example."""
    path = re.split(r"[?#]", path, maxsplit=1)[0]
    sent = _unreserved(_encoded(_without_dots(path)))
    route, slash, rest = sent.removeprefix("/").partition("/")
    return Address(route.lower(), rest, bool(slash))


def decoded(rest: str) -> str | None:
    """`decodeURIComponent`; None where the bytes are no UTF-8."""
    try:
        return unquote_to_bytes(rest).decode()
    except UnicodeDecodeError:
        return None


def _without_dots(path: str) -> str:
    """urllib3's `_remove_path_dot_segments`, which keeps empty segments."""
    kept: list[str] = []
    for segment in path.split("/"):
        if segment == "..":
            del kept[-1:]
        elif segment != ".":
            kept.append(segment)
    if not kept or kept[0]:
        kept.insert(0, "")
    if path.endswith(("/.", "/..")):
        kept.append("")
    return "/".join(kept)


def _encoded(path: str) -> str:
    """Percent-encoded, as urllib3 does it: escapes stay only where every `%` begins one."""
    escapes = len(_ESCAPE.findall(path))
    path = _ESCAPE.sub(lambda escape: escape[0].upper(), path)
    kept = _KEPT | {ord("%")} if escapes == path.count("%") else _KEPT
    return "".join(chr(byte) if byte in kept else f"%{byte:02X}" for byte in path.encode("utf-8", "surrogatepass"))


def _unreserved(path: str) -> str:
    """Without escapes of what needs none, as `requests` has it."""

    def shown(escape: re.Match[str]) -> str:
        character = chr(int(escape[0][1:], 16))
        return character if character in _UNRESERVED else escape[0]

    return _ESCAPE.sub(shown, path)
