"""Ids in the real apps' formats, drawn from the session's seed.

An id format is a template such as `om_{hex:32}`, `tbl{alnum:13}` or `{uuid4}`. The characters come from a keyed BLAKE2
of (seed, entity, counter), so the same session gives the same ids in every process and on every machine.
"""

from __future__ import annotations

import hashlib
import re
import uuid
from collections.abc import Iterator

ALPHABETS = {
    "hex": "0123456789abcdef",
    "digits": "0123456789",
    "lower": "abcdefghijklmnopqrstuvwxyz0123456789",
    "upper": "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
    "alnum": "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
    "base64url": "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_",
}
_FIELD = re.compile(r"\{(\w+)(?::(\d+))?\}")


def keyed_bytes(seed: int, name: str, counter: int) -> Iterator[int]:
    """Endless bytes that depend on nothing but (seed, name, counter)."""
    key = seed.to_bytes(16, "big", signed=True)
    block = 0
    while True:
        message = f"{name}\x00{counter}\x00{block}".encode()
        yield from hashlib.blake2b(message, key=key, digest_size=64).digest()
        block += 1


def check_template(template: str) -> None:
    """Refuse a template that `make_id` could not fill.

    Raises:
        ValueError: naming the unknown or incomplete field.
    """
    for kind, length in _FIELD.findall(template):
        if kind == "uuid4":
            continue
        if kind not in ALPHABETS:
            raise ValueError(f"id template {template!r}: unknown alphabet {kind!r}; known: {', '.join(ALPHABETS)}, uuid4")
        if not length:
            raise ValueError(f"id template {template!r}: {{{kind}}} needs a length, such as {{{kind}:12}}")


def make_id(template: str, seed: int, name: str, counter: int) -> str:
    """The `counter`-th id of `name` in a session with this seed."""
    stream = keyed_bytes(seed, name, counter)

    def fill(field: re.Match[str]) -> str:
        kind, length = field.group(1), field.group(2)
        if kind == "uuid4":
            return str(uuid.UUID(bytes=bytes(next(stream) for _ in range(16)), version=4))
        alphabet = ALPHABETS[kind]
        # Rejection keeps every character equally likely; a leading digit is never 0, as in real numeric ids.
        limit = 256 - 256 % len(alphabet)
        characters: list[str] = []
        while len(characters) < int(length):
            byte = next(stream)
            character = alphabet[byte % len(alphabet)]
            if byte < limit and not (kind == "digits" and not characters and character == "0"):
                characters.append(character)
        return "".join(characters)

    return _FIELD.sub(fill, template)
