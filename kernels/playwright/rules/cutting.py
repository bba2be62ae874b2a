"""How long a page's text or HTML may be that is told."""

from __future__ import annotations

from typing import Any

from soundstage.kernels.engines.javascript import is_number, utf16_length, utf16_slice

_MOST = 20_000


def cut(text: str, most: Any, mark: str) -> str:
    """A text, or its beginning with a mark on a line of its own; `most` is a number of UTF-16 units, 20000 where it is none."""
    limit = int(most) if is_number(most) else _MOST
    return (
        text if utf16_length(text) <= (most if is_number(most) else _MOST) else f"{utf16_slice(text, 0, limit)}\n{mark}"
    )
