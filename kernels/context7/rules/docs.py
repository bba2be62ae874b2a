"""The shown part of a library's documentation, or the message if nothing matches."""

from __future__ import annotations

from soundstage.contexts.engine.schema import Object
from soundstage.kernels.context7.rules.ranking import Text, ranked
from soundstage.kernels.context7.rules.server import Context7Error

_BETWEEN = "\n--------------------------------\n\n"
_CHARACTERS_A_TOKEN = 4


def shown(pieces: list[Object], question: str, tokens: float, most: int | None = None) -> str:
    """Return the pieces that match a question, best first, up to the token limit but at least one.

    Raises:
        Context7Error: No piece matches.
    """
    texts = [Text(str(piece.get("heading") or ""), str(piece.get("text") or "")) for piece in pieces]
    left = tokens * _CHARACTERS_A_TOKEN
    result: list[str] = []
    for position in ranked(question, texts)[:most]:
        left -= len(texts[position].body)
        if result and left < 0:
            break
        result.append(texts[position].body)
    if not (text := _BETWEEN.join(result)):
        raise Context7Error(
            "not_found",
            "Documentation not found or not finalized for this library. This might have happened because you used an invalid "
            "Context7-compatible library ID. To get a valid Context7-compatible library ID, use the 'resolve-library-id' with "
            "the package name you wish to retrieve documentation for.",
        )
    return text
