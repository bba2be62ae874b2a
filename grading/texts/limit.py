"""How long a text may be to be graded."""

from __future__ import annotations

MOST_TEXT_BYTES = 32 * 1024
"""Bytes in UTF-8. A longer text fails every condition on text."""

TOO_LONG = f"is longer than the {MOST_TEXT_BYTES:,} bytes of a text that are graded"


def is_too_long(text: str) -> bool:
    """Return whether a text exceeds the limit."""
    if len(text) * 4 <= MOST_TEXT_BYTES:
        return False
    return len(text) > MOST_TEXT_BYTES or len(text.encode("utf-8", "surrogatepass")) > MOST_TEXT_BYTES
