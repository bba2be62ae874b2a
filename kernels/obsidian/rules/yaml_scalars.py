"""YAML scalars: plain scalars in the core schema, escapes of double-quoted ones, and folded lines."""

from __future__ import annotations

import math
import re
from typing import Any

from soundstage.kernels.engines import javascript

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
    """Return the value of a plain scalar."""
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
    """Return the text of a double-quoted scalar with line breaks folded and escapes decoded."""
    folded = _BREAK.sub(lambda match: "\n" * (match[0].count("\n") - 1) or " ", inner)
    return _ESCAPE.sub(_unescaped, folded)


def _unescaped(match: re.Match[str]) -> str:
    code = match[1] or match[2] or match[3]
    if code:
        return chr(int(code, 16)) if int(code, 16) <= 0x10FFFF else match[0]
    return _ESCAPES.get(match[4], match[0]) if match[4] else ""


def joined(lines: list[str]) -> str:
    """Join the lines of a flow scalar: a line break becomes a space, and each empty line a line break."""
    text, breaks = lines[0], 0
    for line in lines[1:]:
        if not line:
            breaks += 1
            continue
        text += "\n" * breaks + line if breaks else " " + line
        breaks = 0
    return text + ("\n" * breaks if breaks and len(lines) > 1 else "")


def trimmed(line: str, index: int, whole: str) -> str:
    """Trim the whitespace around the line breaks of a quoted scalar."""
    last = whole.count("\n")
    line = line if index == 0 else line.lstrip(" \t")
    return line if index == last else line.rstrip(" \t")


def block_text(lines: list[str], style: str, chomp: str) -> str:
    """Return the text of a block scalar with the given style and chomping indicator."""
    empty = 0
    while lines and not lines[-1].strip(" "):
        lines.pop()
        empty += 1
    if not lines:
        return "\n" * empty if chomp == "+" else ""
    body = "\n".join(lines) if style == "|" else _folded(lines)
    return body + {"-": "", "+": "\n" * (empty + 1)}.get(chomp, "\n")


def _folded(lines: list[str]) -> str:
    text = before = ""
    breaks = -1  # the number of empty lines, except before the first line
    for line in lines:
        if not line:
            breaks += 1
            continue
        indented = line[0] in " \t" or before[:1] in (" ", "\t")
        begins = not before
        text += "\n" * (breaks + 1) + line if begins else ("\n" * (breaks + indented) or " ") + line
        before, breaks = line, 0
    return text
