"""What a server says by itself, and no recorder put into its mouth: words of its own that a simulator may have in its code."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from soundstage.synthesis.traverse.places import wheres
from soundstage.synthesis.traverse.pool import Call
from soundstage.synthesis.traverse.replies import said


def always_said(calls: Sequence[Call], done: Collection[str]) -> list[str]:
    """What tools tell that are asked for nothing, where it is the same at every start of the server, whatever was done before:
    such as the folder that it was started with. `done` are the ids of calls that succeeded.
    """
    told: dict[str, set[str]] = {}
    starts: dict[str, set[str]] = {}
    for call in calls:
        if not call.arguments and call.id in done:
            told.setdefault(call.tool, set()).add(said(call.reply))
            starts.setdefault(call.tool, set()).add(call.episode)
    return sorted(text for tool, texts in told.items() if len(texts) == 1 and len(starts[tool]) > 1 for text in texts)


def said_before_sent(calls: Sequence[Call], states: Sequence[Mapping[str, Any]]) -> set[str]:
    """The texts among all arguments that a reply of the same start had in it before they were first sent, and that stand in no
    recorded state: words of replies that a recorder then tried as arguments, such as `No matches found`.
    """
    kept = {value for state in states for _, value in wheres(state) if isinstance(value, str)}
    found: set[str] = set()
    heard: dict[str, list[str]] = {}
    sent: dict[str, set[str]] = {}
    for call in calls:
        known = sent.setdefault(call.episode, set())
        new = {value for _, value in wheres(call.arguments) if isinstance(value, str)} - known
        found |= {value for value in new - kept if any(value in text for text in heard.get(call.episode, ()))}
        known |= new
        heard.setdefault(call.episode, []).append(said(call.reply))
    return found
