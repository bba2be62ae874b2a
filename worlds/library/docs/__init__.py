"""Libraries' documentation: some hand-written (`written/*.markdown`), some generated from API descriptions (`listed/*.yaml`)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from soundstage.contexts.engine.ids import drawn
from soundstage.contexts.engine.schema import Object
from soundstage.worlds.library import Facts
from soundstage.worlds.library.docs.listed import Snippet, listed
from soundstage.worlds.library.docs.written import written

_FOLDER = Path(__file__).parent
_CHARACTERS_A_TOKEN = 4
_NO_SIGN = re.compile(r"[^a-z0-9]+")


def rows(facts: Facts) -> Iterator[tuple[str, Object]]:
    """Yield (entity, row) for every documented library and its snippets."""
    for library, snippets in (*written(_FOLDER / "written"), *listed(_FOLDER / "listed")):
        made = [_snippet(library, number, snippet) for number, snippet in enumerate(snippets, start=1)]
        yield "library", _library(library, made)
        yield from (("snippet", row) for row in made)


def _library(library: dict[str, Any], snippets: list[Object]) -> Object:
    """Return the library's row; values that its file leaves out are drawn or counted."""
    key = library["id"]
    text = sum(len(row["prose"]) + len(row["code"] or "") for row in snippets)
    month = 1 + _drawn(f"{key} updated", 10)
    guessed = {
        "updated": f"2026-{month:02}-{1 + _drawn(f'{key} day', 28):02}T00:00:00.000Z",
        "stars": 40 + _drawn(f"{key} stars", 9000),
        "trust": (35 + _drawn(f"{key} trust", 61)) / 10,
        "benchmark": (520 + _drawn(f"{key} benchmark", 440)) / 10,
        "snippets": len(snippets),
        "pages": len({row["address"] for row in snippets}),
        "tokens": text // _CHARACTERS_A_TOKEN,
    }
    return {**guessed, **library}


def _snippet(library: dict[str, Any], number: int, snippet: Snippet) -> Object:
    page = snippet.page or _NO_SIGN.sub("-", snippet.title.lower()).strip("-")
    return {
        "id": f"{library['id']}#{number}",
        "library_id": library["id"],
        "title": snippet.title,
        "address": f"{library['site']}/{page}",
        "prose": snippet.prose,
        "language": snippet.language,
        "code": snippet.code,
        "version": snippet.version,
    }


def _drawn(name: str, count: int) -> int:
    return drawn(0, f"docs {name}", 1) % count
