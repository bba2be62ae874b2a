"""Differences that are known, with why; `docs/apps/playwright.md` and `docs/apps/puppeteer.md` tell them, too."""

from __future__ import annotations

KNOWN: dict[str, dict[str, str]] = {}


def names(episode: str, number: int, part: str) -> bool:
    return part in KNOWN.get(f"{episode} {number}", {})
