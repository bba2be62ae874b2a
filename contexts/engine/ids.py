"""Ids in the real apps' formats, drawn from the session's seed.

An id format is a template such as `om_{hex:32}`, `tbl{alnum:13}` or `{uuid4}`. The characters come from a keyed BLAKE2
of (seed, entity, counter), so the same session gives the same ids in every process and on every machine.
"""

from __future__ import annotations

import hashlib
import re
import uuid
from functools import cache, lru_cache

ALPHABETS = {
    "hex": "0123456789abcdef",
    "digits": "0123456789",
    "lower": "abcdefghijklmnopqrstuvwxyz0123456789",
    "upper": "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
    "alnum": "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
    "base64url": "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_",
}
_FIELD = re.compile(r"\{(\w+)(?::(\d+))?\}")


def keyed_digest(seed: int, name: str, counter: int, block: int = 0) -> bytes:
    """Return 64 bytes that depend only on the arguments."""
    key = seed.to_bytes(16, "big", signed=True)
    return hashlib.blake2b(f"{name}\x00{counter}\x00{block}".encode(), key=key, digest_size=64).digest()


def drawn(seed: int, name: str, counter: int = 0) -> int:
    """Return a 64-bit number that depends only on the arguments."""
    return int.from_bytes(keyed_digest(seed, name, counter)[:8], "big")


def check_template(template: str) -> None:
    """Reject a template that `make_id` cannot fill.

    Raises:
        ValueError: names the unknown or incomplete field.
    """
    for kind, length in _FIELD.findall(template):
        if kind == "uuid4":
            continue
        if kind not in ALPHABETS:
            raise ValueError(
                f"id template {template!r}: unknown alphabet {kind!r}; known: {', '.join(ALPHABETS)}, uuid4"
            )
        if not length:
            raise ValueError(f"id template {template!r}: {{{kind}}} needs a length, such as {{{kind}:12}}")


def make_id(template: str, seed: int, name: str, counter: int) -> str:
    """Return the `counter`-th id of `name` in a session with this seed."""
    made = ""
    for position, (literal, kind, length) in enumerate(_parsed(template)):
        made += literal
        if kind == "uuid4":
            made += str(uuid.UUID(bytes=keyed_digest(seed, name, counter, position << 16)[:16], version=4))
        elif kind:
            made += _characters(kind, length, seed, name, counter, position << 16)
    return made


def _characters(kind: str, length: int, seed: int, name: str, counter: int, block: int) -> str:
    table, rejected = _tables(kind)
    characters = ""
    while len(characters) < length:
        characters += keyed_digest(seed, name, counter, block).translate(table, rejected).decode()
        if kind == "digits":
            characters = characters.lstrip("0")  # real numeric ids never start with 0
        block += 1
    return characters[:length]


@lru_cache(maxsize=1024)
def _parsed(template: str) -> tuple[tuple[str, str, int], ...]:
    """Parse a template into (literal, kind of the following field, its length)."""
    parts: list[tuple[str, str, int]] = []
    end = 0
    for field in _FIELD.finditer(template):
        parts.append((template[end : field.start()], field[1], int(field[2] or 0)))
        end = field.end()
    return (*parts, (template[end:], "", 0))


@cache
def _tables(kind: str) -> tuple[bytes, bytes]:
    """Return the arguments of `bytes.translate`: the character of each byte, and the bytes to drop for a uniform distribution."""
    alphabet = ALPHABETS[kind].encode()
    limit = 256 - 256 % len(alphabet)
    return bytes(alphabet[b % len(alphabet)] for b in range(256)), bytes(range(limit, 256))
