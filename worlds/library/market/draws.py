"""Numbers that look drawn and are always the same: each from its own name."""

from __future__ import annotations

from soundstage.contexts.engine import ids


def drawn(name: str, least: int, most: int) -> int:
    """A whole number from `least` to `most`."""
    return least + ids.drawn(0, f"market {name}", 1) % (most - least + 1)


def share(whole: int, parts: int) -> int:
    """Return `parts` ten-thousandths of a sum."""
    return whole * parts // 10_000
