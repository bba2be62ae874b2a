"""Pages and page tokens; a token holds a position in a list and is sealed with its query.

A token looks like the real ones (64 bytes in padded base64url). It is valid in every process, only for its query, and
cannot be edited.
"""

from __future__ import annotations

import binascii
import hashlib
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from soundstage.contexts.engine.schema import Object
from soundstage.kernels.lark.rules.errors import LarkError

# A fixed key: it prevents accidental matches and protects no secret.
_KEY = b"soundstage lark page token"
_POSITION, _QUERY, _SEAL = 8, 16, 40


@dataclass(frozen=True, slots=True)
class Page:
    """One page; `token` is "" on the last one."""

    items: list[Object]
    token: str

    @property
    def has_more(self) -> bool:
        """Whether another page follows."""
        return bool(self.token)


def page(
    rows: Sequence[Object] | Callable[[int, int], list[Object]],
    size: int,
    token: str | None,
    query: Mapping[str, Any],
    *,
    invalid: LarkError,
    changed: LarkError | None = None,
) -> Page:
    """Return the page after `token` (none or "": the first).

    Args:
        rows: All objects, or a function that fetches some: (limit, offset) → objects.
        size: How many objects a page holds, at least 1.
        token: The page token of the call.
        query: The query of the token: the tool and its arguments without page_token and page_size.
        invalid: Raised for a token that was never issued.
        changed: Raised for a token of another query; by default `invalid`.
    """
    offset = position(token, query, invalid=invalid, changed=changed) if token else 0
    items = rows(size + 1, offset) if callable(rows) else list(rows[offset : offset + size + 1])
    return Page(items[:size], token_for(offset + size, query) if len(items) > size else "")


def token_for(place: int, query: Mapping[str, Any]) -> str:
    """Return a token with a position in the list of `query`: any number from 0 to 2^63 - 1."""
    body = place.to_bytes(_POSITION, "big") + _digest(orjson.dumps(query, option=orjson.OPT_SORT_KEYS), _QUERY)
    seal = _digest(body, _SEAL)
    return urlsafe_b64encode(seal + _mask(body, seal)).decode()


def position(token: str, query: Mapping[str, Any], *, invalid: LarkError, changed: LarkError | None = None) -> int:
    """Return the position in a token; see `page` for the errors."""
    try:
        raw = urlsafe_b64decode(token.encode("ascii"))
    except (UnicodeEncodeError, binascii.Error):
        raise invalid from None
    seal, body = raw[:_SEAL], _mask(raw[_SEAL:], raw[:_SEAL])
    if len(body) != _POSITION + _QUERY or seal != _digest(body, _SEAL) or urlsafe_b64encode(raw).decode() != token:
        raise invalid
    place = int.from_bytes(body[:_POSITION], "big")
    if token != token_for(place, query):
        raise changed or invalid
    return place


def _digest(data: bytes, size: int) -> bytes:
    return hashlib.blake2b(data, key=_KEY, digest_size=size).digest()


def _mask(body: bytes, seal: bytes) -> bytes:
    """Mask or unmask the body with its seal, so that tokens of adjacent pages look unrelated."""
    return bytes(a ^ b for a, b in zip(body, _digest(seal, 64), strict=False))
