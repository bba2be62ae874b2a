"""The three tools that stand for all others: `search_tools`, `describe_tool` and `call_tool`.

They belong to no app. Where a session shows its tools through search they are all it lists, and every hidden tool can
still be called by its name; the list never changes.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from soundstage.contexts.engine.store import Context
from soundstage.gateway.dispatch import plain_json
from soundstage.gateway.search.finder import ToolFinder
from soundstage.gateway.search.record import record
from soundstage.servers.reply import Result, indented_json, text_block

if TYPE_CHECKING:
    from soundstage.gateway.mcp.faces import Face

SearchTool = Literal["search_tools", "describe_tool", "call_tool"]
MAX_QUERY = 2000
MAX_FOUND = 50
FOUND = 5
_NEAR = 3
_READS = {"readOnlyHint": True, "idempotentHint": True, "openWorldHint": False}

SEARCH_TOOLS: dict[str, dict[str, Any]] = {
    str(tool["name"]): tool
    for tool in (
        {
            "name": "search_tools",
            "title": "Find tools",
            "description": (
                "Find tools by what they do. Returns the best matches, the best first, each with app, name, what it does, "
                "a score (comparable within one answer) and its input schema. Call what you find by its name, or with "
                "call_tool. Describe one action at a time, such as 'add people to a group chat'."
            ),
            "inputSchema": {
                "type": "object",
                "properties": {
                    "query": {
                        "type": "string",
                        "minLength": 1,
                        "maxLength": MAX_QUERY,
                        "description": "What the tool should do, in your own words.",
                    },
                    "k": {
                        "type": "integer",
                        "minimum": 1,
                        "maximum": MAX_FOUND,
                        "default": FOUND,
                        "description": "How many tools to return.",
                    },
                    "app": {"type": "string", "description": "Only tools of this app."},
                },
                "required": ["query"],
                "additionalProperties": False,
            },
            "annotations": _READS,
        },
        {
            "name": "describe_tool",
            "title": "Describe a tool",
            "description": "Show one tool in full: its description with every argument explained, and its schemas.",
            "inputSchema": {
                "type": "object",
                "properties": {"name": {"type": "string", "description": "The tool's name as search_tools gives it."}},
                "required": ["name"],
                "additionalProperties": False,
            },
            "annotations": _READS,
        },
        {
            "name": "call_tool",
            "title": "Call a tool",
            "description": (
                "Call a tool that is not in the list, by the name that search_tools gives. The answer is the tool's own."
            ),
            "inputSchema": {
                "type": "object",
                "properties": {
                    "name": {"type": "string", "description": "The tool's name as search_tools gives it."},
                    "arguments": {"type": "object", "description": "Its arguments, as its input schema wants them."},
                },
                "required": ["name"],
                "additionalProperties": False,
            },
        },
    )
}


@dataclass(frozen=True, slots=True)
class Through:
    """A `call_tool` that names a tool: the call to be made instead."""

    name: str
    arguments: dict[str, Any] | None


@dataclass(frozen=True, slots=True)
class SearchAnswer:
    """What a search tool answered, and the step where the journal has it."""

    step: int
    result: Result
    duration_us: int


class _Refused(Exception):
    """The arguments are not what the tool takes; the message is for the agent."""


async def answer(
    finder: ToolFinder, context: Context, face: Face, tool: str, arguments: Mapping[str, Any] | None
) -> SearchAnswer | Through:
    """Answer a call of one of the three tools and record it, or say which call `call_tool` stands for.

    Raises:
        NestedTooDeeply: for such arguments.
        ContextError: the session's context cannot be used.
    """
    started = time.perf_counter_ns()
    sent = plain_json(arguments or {})
    try:
        made = await _answer(finder, face, tool, sent)
        if isinstance(made, Through):
            return made
        result = Result([text_block(indented_json(made))], ok=True, is_error=False, structured=made)
    except _Refused as refusal:
        result = Result([text_block(str(refusal))], ok=False, is_error=True, error_kind="invalid_arguments")
    duration_us = (time.perf_counter_ns() - started) // 1000
    return SearchAnswer(record(context, tool, sent, result, duration_us), result, duration_us)


async def _answer(finder: ToolFinder, face: Face, tool: str, sent: dict[str, Any]) -> dict[str, Any] | Through:
    _check_members(tool, sent)
    match tool:
        case "search_tools":
            return await _search(finder, face, sent)
        case "describe_tool":
            return _describe(face, _known_name(finder, face, sent))
        case _:
            given = sent.get("arguments")
            if given is not None and not isinstance(given, dict):
                raise _Refused(f"arguments: expected a JSON object with the tool's arguments, got {_kind(given)}")
            return Through(_known_name(finder, face, sent), given)


async def _search(finder: ToolFinder, face: Face, sent: dict[str, Any]) -> dict[str, Any]:
    query, k, app = sent.get("query"), sent.get("k", FOUND), sent.get("app")
    if not isinstance(query, str):
        raise _Refused(f"query: expected a text such as 'send a message to a channel', got {_kind(query)}")
    if not query.strip():
        raise _Refused("query: it is empty; say what the tool should do, such as 'send a message to a channel'")
    if len(query) > MAX_QUERY:
        raise _Refused(
            f"query: {len(query)} characters; at most {MAX_QUERY} are taken. Describe one action, without the data for it"
        )
    if isinstance(k, bool) or not isinstance(k, int | float) or k != int(k) or not 1 <= k <= MAX_FOUND:
        raise _Refused(f"k: expected a whole number from 1 to {MAX_FOUND}, got {_shown(k)}")
    owners = [t.app.name for t in face.targets.values()]
    if app is not None and app not in owners:
        raise _Refused(f"app: there is no app {_shown(app)} here; there are: {', '.join(dict.fromkeys(owners))}")
    keep = None if app is None else [owner == app for owner in owners]
    hits = await finder.find(face.catalogue, query, int(k), keep)
    names = list(face.targets)
    return {
        "tools": [
            {
                "app": owners[hit.position],
                "name": names[hit.position],
                "description": first_sentence(face.catalogue.documents[hit.position].description),
                "score": round(hit.score, 3),
                "inputSchema": _listed(face, names[hit.position])["inputSchema"],
            }
            for hit in hits
        ]
    }


def _describe(face: Face, name: str) -> dict[str, Any]:
    return {"app": face.targets[name].app.name, **_listed(face, name)}


def _listed(face: Face, name: str) -> dict[str, Any]:
    target = face.targets[name]
    return target.app.tools[target.tool].listed(name)


def _known_name(finder: ToolFinder, face: Face, sent: dict[str, Any]) -> str:
    name = sent.get("name")
    if not isinstance(name, str):
        raise _Refused(f"name: expected a tool's name as search_tools gives it, got {_kind(name)}")
    if name in face.targets:
        return name
    if name in SEARCH_TOOLS:
        raise _Refused(f"name: {name} is called directly; describe_tool and call_tool are for the tools of the apps")
    names = list(face.targets)
    hits = finder.index(face.catalogue).search(name[:MAX_QUERY], _NEAR)
    near = ", ".join(names[hit.position] for hit in hits)
    hint = f"did you mean: {near}?" if near else "search_tools finds tools by what they do"
    raise _Refused(f"name: there is no tool {_shown(name)} here; {hint}")


def _check_members(tool: str, sent: dict[str, Any]) -> None:
    known = SEARCH_TOOLS[tool]["inputSchema"]["properties"]
    strange = [name for name in sent if name not in known]
    if strange:
        raise _Refused(f"{_shown(strange[0])}: {tool} has no such argument; it takes: {', '.join(known)}")


def first_sentence(text: str) -> str:
    """What a description says first, on one line."""
    line = text.strip().partition("\n")[0]
    for mark in (". ", "。"):
        head, found, _ = line.partition(mark)
        if found:
            line = head + mark.strip()
    return line


def _shown(value: Any) -> str:
    shown = repr(value)
    return shown if len(shown) <= 100 else f"{shown[:100]}…"


def _kind(value: Any) -> str:
    names = {str: "a text", bool: "true or false", dict: "an object", list: "a list", type(None): "nothing"}
    return names.get(type(value), "a number")
