"""Numbers that look drawn and are always the same: each from its own name."""

from __future__ import annotations

from soundstage.contexts.engine.ids import keyed_digest


def drawn(name: str, least: int, most: int) -> int:
    """A whole number from `least` to `most`."""
    return least + int.from_bytes(keyed_digest(0, f"market {name}", 1)[:8], "big") % (most - least + 1)


def share(whole: int, parts: int) -> int:
    """So many ten-thousandths of a sum."""
    return whole * parts // 10_000
