"""Recognize app names in a query: on Slack, 用高德, the Google tool."""

from __future__ import annotations

import re
from collections.abc import Sequence

from soundstage.contexts.engine.words import is_cjk, words
from soundstage.gateway.search.documents import Document


class AppNames:
    """The app names of documents."""

    def __init__(self, documents: Sequence[Document]) -> None:
        self._positions: dict[str, list[int]] = {}
        for position, document in enumerate(documents):
            for name in document.called:
                self._positions.setdefault(name.casefold(), []).append(position)
        # Longest first: Google Maps is not Google.
        names = sorted(self._positions, key=lambda name: (-len(name), name))
        bounded = (re.escape(n) if is_cjk(n) else rf"(?<![A-Za-z0-9_]){re.escape(n)}(?![A-Za-z0-9_])" for n in names)
        self._pattern = re.compile("|".join(bounded), re.IGNORECASE) if names else None

    def read(self, query: str) -> tuple[list[int], str]:
        """Return the documents whose app a query names, and the query without these names unless nothing else remains."""
        if self._pattern is None:
            return [], query
        named = {match.casefold() for match in self._pattern.findall(query)}
        rest = self._pattern.sub(" ", query)
        return sorted({p for name in named for p in self._positions.get(name, ())}), rest if words(rest) else query
