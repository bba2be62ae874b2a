"""Find the server's own texts, which no recorder sent, so that a simulator may contain them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from soundstage.synthesis.traverse.places import walk_scalars
from soundstage.synthesis.traverse.recording import Call
from soundstage.synthesis.traverse.replies import text_of


def constant_texts(calls: Sequence[Call], done: Collection[str]) -> list[str]:
    """Return texts in replies to argument-free calls that are equal at every start regardless of earlier calls.

    An example is the folder that the server was started with. `done` are the ids of successful calls.
    """
    by_tool: dict[str, set[str]] = {}
    starts: dict[str, set[str]] = {}
    for call in calls:
        if not call.arguments and call.id in done:
            by_tool.setdefault(call.tool, set()).add(text_of(call.reply))
            starts.setdefault(call.tool, set()).add(call.episode)
    return sorted(
        text for tool, texts in by_tool.items() if len(texts) == 1 and len(starts[tool]) > 1 for text in texts
    )


def server_texts(calls: Sequence[Call], states: Sequence[Mapping[str, Any]]) -> set[str]:
    """Return argument texts that occurred in a reply before they were first sent, and in no recorded state.

    They are the server's own texts that a recorder then tried as arguments, such as `No matches found`.
    """
    state_texts = {value for state in states for _, value in walk_scalars(state) if isinstance(value, str)}
    result: set[str] = set()
    replies: dict[str, list[str]] = {}
    sent: dict[str, set[str]] = {}
    for call in calls:
        known = sent.setdefault(call.episode, set())
        new = {value for _, value in walk_scalars(call.arguments) if isinstance(value, str)} - known
        result |= {value for value in new - state_texts if any(value in text for text in replies.get(call.episode, ()))}
        known |= new
        replies.setdefault(call.episode, []).append(text_of(call.reply))
    return result
