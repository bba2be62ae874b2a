"""Find the server's own texts, which no recorder sent, so that a simulator may contain them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from soundstage.synthesis.traverse.places import wheres
from soundstage.synthesis.traverse.pool import Call
from soundstage.synthesis.traverse.replies import said


def always_said(calls: Sequence[Call], done: Collection[str]) -> list[str]:
    """Return texts in replies to argument-free calls that are equal at every start regardless of earlier calls.

    An example is the folder that the server was started with. `done` are the ids of successful calls.
    """
    told: dict[str, set[str]] = {}
    starts: dict[str, set[str]] = {}
    for call in calls:
        if not call.arguments and call.id in done:
            told.setdefault(call.tool, set()).add(said(call.reply))
            starts.setdefault(call.tool, set()).add(call.episode)
    return sorted(text for tool, texts in told.items() if len(texts) == 1 and len(starts[tool]) > 1 for text in texts)


def said_before_sent(calls: Sequence[Call], states: Sequence[Mapping[str, Any]]) -> set[str]:
    """Return argument texts that occurred in a reply before they were first sent, and in no recorded state.

    They are the server's own texts that a recorder then tried as arguments, such as `No matches found`.
    """
    kept = {value for state in states for _, value in wheres(state) if isinstance(value, str)}
    result: set[str] = set()
    heard: dict[str, list[str]] = {}
    sent: dict[str, set[str]] = {}
    for call in calls:
        known = sent.setdefault(call.episode, set())
        new = {value for _, value in wheres(call.arguments) if isinstance(value, str)} - known
        result |= {value for value in new - kept if any(value in text for text in heard.get(call.episode, ()))}
        known |= new
        heard.setdefault(call.episode, []).append(said(call.reply))
    return result
