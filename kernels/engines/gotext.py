"""Text functions of Go's standard library, for apps whose real server is a Go program."""

from __future__ import annotations

_ESCAPES = {
    '"': '\\"', "\\": "\\\\", "\a": "\\a", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\v": "\\v",
}  # fmt: skip
_SPACE = "\t\n\v\f\r \x85\xa0\u1680" + "".join(map(chr, range(0x2000, 0x200B))) + "\u2028\u2029\u202f\u205f\u3000"


def quote(text: str) -> str:
    """Return what Go's `%q` prints (`strconv.Quote`)."""
    return '"' + "".join(_ESCAPES.get(c) or (c if c.isprintable() else _escaped(ord(c))) for c in text) + '"'


def trim_space(text: str) -> str:
    """Strip like `strings.TrimSpace`: only Unicode White_Space, not the separators 0x1C to 0x1F."""
    return text.strip(_SPACE)


def _escaped(code: int) -> str:
    if code < 0x20 or code == 0x7F:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
