"""Truncation of a page's text or HTML."""

from __future__ import annotations

from typing import Any

from soundstage.kernels.engines.javascript import is_number, utf16_length, utf16_slice

_MOST = 20_000


def cut(text: str, most: Any, mark: str) -> str:
    """Return a text, or its beginning followed by a mark on a separate line.

    `most` is the limit in UTF-16 units; values that are not numbers mean 20000.
    """
    limit = int(most) if is_number(most) else _MOST
    return (
        text if utf16_length(text) <= (most if is_number(most) else _MOST) else f"{utf16_slice(text, 0, limit)}\n{mark}"
    )
