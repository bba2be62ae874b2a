"""YAML's scalars: what a plain text means in the core schema, and the escapes of a double-quoted one."""

from __future__ import annotations

import math
import re
from typing import Any

from soundstage.kernels.obsidian.rules import javascript

_NAMED = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_INTEGER = re.compile(r"[-+]?[0-9]+")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+\.[0-9]*)|[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)[eE][-+]?[0-9]+")
_INFINITE = re.compile(r"[-+]?\.(?:inf|Inf|INF)")
_NAN = (".nan", ".NaN", ".NAN")
_OTHER_BASE = re.compile(r"0o[0-7]+|0x[0-9a-fA-F]+")
_ESCAPES = {
    "0": "\0", "a": "\a", "b": "\b", "e": "\x1b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "N": "\x85",
    "_": "\xa0", "L": "\u2028", "P": "\u2029", " ": " ", '"': '"', "/": "/", "\\": "\\", "\t": "\t",
}  # fmt: skip
_ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|\n[ \t]*|(.))", re.DOTALL)
_BREAK = re.compile(r"(?<!\\)([ \t]*)\n[ \t\n]*")


def resolved(plain: str) -> Any:
    """What a plain scalar means."""
    if plain in _NAMED:
        return _NAMED[plain]
    if plain[:1] not in "+-.0123456789":
        return plain
    if _OTHER_BASE.fullmatch(plain):
        return javascript.number(int(plain[2:], 8 if plain[1] == "o" else 16))
    if _INTEGER.fullmatch(plain) or _FLOAT.fullmatch(plain):
        return javascript.number(float(plain))
    if _INFINITE.fullmatch(plain):
        return -math.inf if plain[0] == "-" else math.inf
    return math.nan if plain in _NAN else plain


def unquoted_double(inner: str) -> str:
    """What stands between double quotes, with its breaks folded and its escapes read."""
    folded = _BREAK.sub(lambda found: "\n" * (found[0].count("\n") - 1) or " ", inner)
    return _ESCAPE.sub(_unescaped, folded)


def _unescaped(found: re.Match[str]) -> str:
    code = found[1] or found[2] or found[3]
    if code:
        return chr(int(code, 16)) if int(code, 16) <= 0x10FFFF else found[0]
    return _ESCAPES.get(found[4], found[0]) if found[4] else ""
