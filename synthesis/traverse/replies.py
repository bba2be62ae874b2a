"""Read the content of replies, and classify them by kind."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from soundstage.synthesis.traverse.places import walk_scalars, without_indices

T = TypeVar("T")

_WORDS = 4


def text_of(reply: Mapping[str, Any] | None) -> str:
    """Return the text of a reply, or the message of its error."""
    if reply is None:
        return ""
    if "error" in reply:
        return str(reply["error"].get("message", ""))
    return "\n".join(str(b.get("text", "")) for b in reply.get("content", ()) if b.get("type") == "text")


def content_of(reply: Mapping[str, Any] | None) -> Any:
    """Return a reply's content: its structured content, or its text parsed as JSON, or else the text."""
    if reply is not None and "structuredContent" in reply:
        return reply["structuredContent"]
    text = text_of(reply)
    if text[:1] in ("{", "["):
        try:
            return json.loads(text)
        except ValueError:
            return text
    return text


def shape_of(reply: Mapping[str, Any] | None) -> str:
    """Return the shape of a reply: the places in its JSON, or its first words."""
    content = content_of(reply)
    if isinstance(content, str):
        return " ".join(content.split()[:_WORDS])
    return ",".join(sorted({without_indices(path) for path, _ in walk_scalars(content)}))


def covering(
    episodes: Collection[Sequence[T]], kind: Callable[[T], Hashable], seen: Collection[Hashable] = ()
) -> Iterator[Sequence[T]]:
    """Yield the episodes, in the given order, that show a kind of reply not in `seen` or in an earlier one."""
    known = set(seen)
    for calls in episodes:
        kinds = {kind(call) for call in calls}
        if kinds - known:
            known |= kinds
            yield calls
