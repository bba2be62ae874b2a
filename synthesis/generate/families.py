"""Choose how a server checks arguments and words errors, from `soundstage.servers.families` by the recording."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from soundstage.servers.declared import JSON_LAYOUTS, JsonLayout
from soundstage.servers.families import NO_CHECK, Family, families
from soundstage.servers.tool import Tool
from soundstage.servers.wording import InvalidArguments
from soundstage.synthesis.traverse.recording import Call
from soundstage.synthesis.traverse.replies import text_of


@dataclass(frozen=True, slots=True)
class FamilyChoice:
    """The family that fits a recording best: it words `right` of the `of` calls that it rejects as recorded."""

    family: Family
    right: int
    of: int

    @property
    def fits(self) -> bool:
        """Whether the family words at least nine tenths of the rejections as recorded."""
        return self.of == 0 or self.right >= 0.9 * self.of


def choose(tools: Mapping[str, Tool], calls: Sequence[Call], refused: Mapping[str, bool]) -> FamilyChoice:
    """Choose the family whose error messages match the recording's.

    `refused`: whether each call failed. If no family fits, the one without checks is chosen, and kernels check arguments.
    """
    relevant = [call for call in calls if call.tool in tools and call.id in refused]
    none = families()[NO_CHECK]
    candidates = [_fit(family, tools, relevant, refused) for family in families().values() if family is not none]
    best = max(candidates, key=lambda one: one.right / one.of if one.of else 0.0)
    return best if best.of and best.fits else FamilyChoice(none, 0, 0)


def _fit(family: Family, tools: Mapping[str, Tool], calls: Sequence[Call], refused: Mapping[str, bool]) -> FamilyChoice:
    right = of = 0
    for call in calls:
        try:
            family.check(tools[call.tool], call.arguments)
        except InvalidArguments as error:
            of += 1
            worded = _words_of(family.fails(tools[call.tool], error).wire())
            right += refused[call.id] and worded == _words_of(call.reply or {})
        except Exception:
            of += 1  # a schema that the family cannot read
    return FamilyChoice(family, right, of)


def _words_of(reply: Mapping[str, Any]) -> tuple[str, str]:
    """Return a reply's channel and text."""
    return ("error" if "error" in reply else "result", text_of(reply))


@dataclass(frozen=True, slots=True)
class Envelope:
    """The outer form of replies.

    It consists of the layout of JSON in texts (one of `JSON_LAYOUTS`), whether replies have structured content, and whether
    failures are JSON-RPC errors with a code or results with a flag.
    """

    layout: JsonLayout = "indented"
    structured: frozenset[str] = field(default_factory=frozenset)
    error_code: int | None = None
    is_error: bool = True
    unknown: tuple[int | None, bool, str] | None = None
    """How unknown names are refused: a JSON-RPC code or none, the flag, the words with `{}` for the name."""


def _refusal_form(reply: Mapping[str, Any]) -> tuple[int | None, bool]:
    """Return the form of a rejection: the code of a JSON-RPC error, or None and the flag of a result."""
    error = reply.get("error")
    return (error["code"], True) if error else (None, bool(reply.get("isError")))


def unknown_words(calls: Sequence[Call], tools: Collection[str]) -> tuple[int | None, bool, str] | None:
    """Return the common form and text of rejected calls of unknown tools; None if there is none, or more than one."""
    result: set[tuple[int | None, bool, str]] = set()
    for call in calls:
        if call.tool not in tools and call.reply is not None and "{}" not in text_of(call.reply):
            result.add((*_refusal_form(call.reply), text_of(call.reply).replace(call.tool, "{}")))
    return result.pop() if len(result) == 1 else None


def envelope(
    calls: Sequence[Call], done: Mapping[str, bool], worded: frozenset[str], tools: Collection[str]
) -> Envelope:
    """Return the form of most replies; `worded` are the calls whose error comes from the checking family."""
    votes: dict[JsonLayout, int] = {}
    structured: set[str] = set()
    codes: dict[tuple[int | None, bool], int] = {}
    for call in calls:
        if call.reply is None or call.id not in done:
            continue
        if done[call.id]:
            if "structuredContent" in call.reply:
                structured.add(call.tool)
            text = text_of(call.reply)
            try:
                value = json.loads(text)
            except ValueError:
                continue
            if isinstance(value, dict | list):
                for name, write in JSON_LAYOUTS.items():
                    votes[name] = votes.get(name, 0) + (write(value) == text)
        elif call.id not in worded:
            shown = _refusal_form(call.reply)
            codes[shown] = codes.get(shown, 0) + 1
    layout: JsonLayout = max(votes, key=lambda name: votes[name]) if votes else "indented"
    code, flag = max(codes, key=lambda shown: codes[shown]) if codes else (None, True)
    return Envelope(layout, frozenset(structured), code, flag, unknown_words(calls, tools))
