"""Determine the outcome of recorded calls by rules.

A server does a call, rejects it, crashes, or replies about something unrelated to the call (a rate limit, a lost login). It
reports failure on JSON-RPC's error channel, by `isError`, by a member of its JSON, by a first word, or in an ordinary sentence.
Such sentences are learned: texts that follow only calls which the schema forbids.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from soundstage.synthesis.traverse.places import walk_scalars
from soundstage.synthesis.traverse.recording import Call
from soundstage.synthesis.traverse.replies import content_of, text_of

Outcome = Literal["success", "refused", "accepted", "crashed", "unexpected", "unclear"]
"""`accepted`: meant to fail, but done. `unexpected`: concerns the server, not the call."""

_OUTAGE = re.compile(
    r"(?i)\b(429|too many requests|rate.?limit\w*|quota exceeded|50[234]|bad gateway|service unavailable|gateway time-?out|"
    r"unauthori[sz]ed|401|token expired|login required|ECONNREFUSED|ENOTFOUND|ETIMEDOUT|network error)\b"
)
_FAILS = re.compile(
    r"(?i)^\W{0,3}(error|failed|failure|invalid|unknown|exception|traceback|cannot|could ?n.t|unable|fatal|mcp error|"
    r"\d+ validation errors?|(?!no\b)(\w+ ){1,2}error(?=:))\b"
)
_SPOILT = re.compile(
    r"0x[0-9a-f]+|[0-9a-f]{8,}(?:-[0-9a-f]{4,})*|\d+(?:\.\d+)?|'[^']*'|\"[^\"]*\"|`[^`]*`", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Verdict:
    """The outcome of a call, with the rules that determined it."""

    outcome: Outcome
    rules: tuple[str, ...]

    @property
    def done(self) -> bool:
        """Whether the server did what it was asked."""
        return self.outcome in ("success", "accepted")


@dataclass(frozen=True, slots=True)
class FailureTemplates:
    """The forms in which a server words failure: templates of replies that follow only calls which its schemas forbid."""

    failing: Mapping[str, frozenset[str]]

    @classmethod
    def learned(cls, calls: Sequence[Call], forbidden: Iterable[str]) -> FailureTemplates:
        """Learn the templates from the calls of a recording; `forbidden` are the ids of calls that the schemas forbid."""
        against = set(forbidden)
        wrong: dict[str, set[str]] = defaultdict(set)
        right: dict[str, set[str]] = defaultdict(set)
        for call in calls:
            if call.reply is not None and "error" not in call.reply:
                (wrong if call.id in against else right)[call.tool].add(template(call))
        every = {one for templates in right.values() for one in templates}
        return cls({tool: frozenset(templates - every) for tool, templates in wrong.items()})


def template(call: Call) -> str:
    """Return the text of a reply without its variable parts: argument values, quoted text, numbers and ids."""
    text = text_of(call.reply)
    values = {value for _, value in walk_scalars(call.arguments) if isinstance(value, str) and len(value) > 2}
    for value in sorted(values, key=len, reverse=True):
        text = text.replace(value, "…")
    return _SPOILT.sub("…", text)[:400]


def judge(call: Call, tool: Mapping[str, Any] | None, failure_templates: FailureTemplates) -> Verdict:
    """Determine the outcome of a call; `tool`: None if the server does not have it."""
    if call.transport == "pending":
        return Verdict("unclear", ("the run ended before the reply arrived",))
    if call.transport != "answered":
        return Verdict("crashed", (f"no answer: {call.transport.replace('_', ' ')}",))
    failed = _failure(call, tool, failure_templates)
    if failed is not None and _OUTAGE.search(text_of(call.reply)) and not _concerns(call):
        return Verdict("unexpected", (failed, "the message concerns the server, not the call"))
    if failed is not None:
        return Verdict("refused", (failed,))
    done: Outcome = "accepted" if call.intent.is_adversarial else "success"
    return Verdict(done, ("no sign of failure",))


def _failure(call: Call, tool: Mapping[str, Any] | None, failure_templates: FailureTemplates) -> str | None:
    """Return the evidence that a call failed, or None."""
    reply = call.reply
    assert reply is not None
    if "error" in reply:
        return f"JSON-RPC error {reply['error'].get('code')}"
    if reply.get("isError"):
        return "isError"
    if tool is not None and tool.get("outputSchema"):
        return None if "structuredContent" in reply else "no structured content, which successes have"
    content = content_of(reply)
    if isinstance(content, dict):
        return _failing_member(content)
    if _FAILS.match(text_of(reply)):
        return "its first words"
    if template(call) in failure_templates.failing.get(call.tool, ()):
        return "words that only follow calls which the schema forbids"
    return None


def _failing_member(content: Mapping[str, Any]) -> str | None:
    for name in ("ok", "success", "successful"):
        if content.get(name) is False:
            return f"{name}: false"
    for name in ("error", "errors", "error_code", "errcode", "err_code"):
        if content.get(name) not in (None, False, 0, "", [], {}, "0"):
            return f"member {name}"
    return f"code: {content['code']}" if content.get("code") not in (None, 0, 200, "0", "200", "ok", "OK") else None


def _concerns(call: Call) -> bool:
    """Whether the words of a reply name what was changed about the call."""
    if call.intent.target is None:
        return False
    name = re.split(r"[.\[\]= ]+", call.intent.target.removeprefix("$."))
    text = text_of(call.reply)
    return any(len(part) > 2 and part in text for part in name)
