"""Handlers of the search tools `search_tools`, `describe_tool` and `call_tool`.

They belong to no app. A session with tool search lists only them, and every hidden tool can still be called by its name; the
list never changes.
"""

from __future__ import annotations

import time
from typing import Any

from soundstage.gateway.calls.call import CallRequest, CallResult, Delegate, Toolset
from soundstage.gateway.calls.fault_visibility import visible_toolset
from soundstage.gateway.calls.json_arguments import normalize_arguments
from soundstage.gateway.calls.unknown_tool import similar_names
from soundstage.gateway.delivery import Delivery
from soundstage.gateway.search.declared import (
    DEFAULT_RESULTS,
    MAX_QUERY,
    MAX_RESULTS,
    SEARCH_TOOLS,
    first_sentence,
    nothing_found,
)
from soundstage.gateway.search.finder import ToolFinder
from soundstage.servers.reply import Result, indented_json, text_block


class _InvalidArguments(Exception):
    """The arguments are invalid; the message is for the agent."""


class SearchToolsHandler:
    """Handles the search tools. The search runs before the session's step begins."""

    def __init__(self, finder: ToolFinder) -> None:
        self._finder = finder

    async def handle(self, request: CallRequest) -> CallResult | Delegate:
        """Answer a call of one of the three tools and record it, or return the call that `call_tool` delegates to."""
        started = time.perf_counter_ns()
        sent = normalize_arguments(request.arguments or {})
        try:
            made = await _answer(self._finder, _searched_toolset(request), request.tool, sent)
            if isinstance(made, Delegate):
                return made
            result = Result([text_block(indented_json(made))], ok=True, is_error=False, structured=made)
        except _InvalidArguments as refusal:
            result = Result([text_block(str(refusal))], ok=False, is_error=True, error_kind="invalid_arguments")
        took_us = (time.perf_counter_ns() - started) // 1000
        with request.session.context.step("search", request.tool, sent, caller=request.caller) as step:
            step.ok, step.is_error, step.error_kind = result.ok, result.is_error, result.error_kind
            step.reply, step.duration_us = result.wire(), took_us
        return CallResult("", request.tool, step.number, Delivery(result), took_us)


def _searched_toolset(request: CallRequest) -> Toolset:
    """Return the toolset that a search tool uses: the current list, or for `call_tool` also a hidden tool, which reports its
    absence.
    """
    wanted = None if request.arguments is None else request.arguments.get("name")
    reachable = request.tool == "call_tool" and isinstance(wanted, str) and wanted in request.toolset.targets
    return request.toolset if reachable else visible_toolset(request.session, request.toolset)


async def _answer(finder: ToolFinder, toolset: Toolset, tool: str, sent: dict[str, Any]) -> dict[str, Any] | Delegate:
    _check_members(tool, sent)
    match tool:
        case "search_tools":
            return await _search(finder, toolset, sent)
        case "describe_tool":
            return _describe(toolset, _tool_name(finder, toolset, sent))
        case _:
            given = sent.get("arguments")
            if given is not None and not isinstance(given, dict):
                raise _InvalidArguments(
                    f"arguments: expected a JSON object with the tool's arguments, got {_kind_of(given)}"
                )
            return Delegate(_tool_name(finder, toolset, sent), given)


async def _search(finder: ToolFinder, toolset: Toolset, sent: dict[str, Any]) -> dict[str, Any]:
    query, k, app = sent.get("query"), sent.get("k", DEFAULT_RESULTS), sent.get("app")
    if not isinstance(query, str):
        raise _InvalidArguments(f"query: expected a text such as 'send a message to a channel', got {_kind_of(query)}")
    if not query.strip():
        raise _InvalidArguments(
            "query: it is empty; say what the tool should do, such as 'send a message to a channel'"
        )
    if len(query) > MAX_QUERY:
        raise _InvalidArguments(
            f"query: {len(query)} characters; at most {MAX_QUERY} are taken. Describe one action, without the data for it"
        )
    if isinstance(k, bool) or not isinstance(k, int | float) or k != int(k) or not 1 <= k <= MAX_RESULTS:
        raise _InvalidArguments(f"k: expected a whole number from 1 to {MAX_RESULTS}, got {_repr(k)}")
    owners = [t.app.name for t in toolset.targets.values()]
    if app is not None and app not in owners:
        raise _InvalidArguments(
            f"app: there is no app {_repr(app)} here; there are: {', '.join(dict.fromkeys(owners))}"
        )
    keep = None if app is None else [owner == app for owner in owners]
    hits = await finder.find(toolset.catalogue, query, int(k), keep)
    if not hits:
        here = "" if app is not None else f"; tools of these apps are here: {', '.join(dict.fromkeys(owners))}"
        return {"tools": [], "hint": nothing_found(app) + here}
    names = list(toolset.targets)
    return {
        "tools": [
            {
                "app": owners[hit.position],
                "name": names[hit.position],
                "description": first_sentence(toolset.catalogue.documents[hit.position].description),
                "score": round(hit.score, 3),
                "inputSchema": _listing_of(toolset, names[hit.position])["inputSchema"],
            }
            for hit in hits
        ]
    }


def _describe(toolset: Toolset, name: str) -> dict[str, Any]:
    return {"app": toolset.targets[name].app.name, **_listing_of(toolset, name)}


def _listing_of(toolset: Toolset, name: str) -> dict[str, Any]:
    target = toolset.targets[name]
    return target.app.tools[target.tool].listed(name)


def _tool_name(finder: ToolFinder, toolset: Toolset, sent: dict[str, Any]) -> str:
    name = sent.get("name")
    if not isinstance(name, str):
        raise _InvalidArguments(f"name: expected a tool's name as search_tools gives it, got {_kind_of(name)}")
    if name in toolset.targets:
        return name
    if name in SEARCH_TOOLS:
        raise _InvalidArguments(
            f"name: {name} is called directly; describe_tool and call_tool are for the tools of the apps"
        )
    near = ", ".join(similar_names(finder, toolset, name))
    hint = f"did you mean: {near}?" if near else "search_tools finds tools by what they do"
    raise _InvalidArguments(f"name: there is no tool {_repr(name)} here; {hint}")


def _check_members(tool: str, sent: dict[str, Any]) -> None:
    known = SEARCH_TOOLS[tool]["inputSchema"]["properties"]
    strange = [name for name in sent if name not in known]
    if strange:
        raise _InvalidArguments(f"{_repr(strange[0])}: {tool} has no such argument; it takes: {', '.join(known)}")


def _repr(value: Any) -> str:
    shown = repr(value)
    return shown if len(shown) <= 100 else f"{shown[:100]}…"


def _kind_of(value: Any) -> str:
    names = {str: "a text", bool: "true or false", dict: "an object", list: "a list", type(None): "nothing"}
    return names.get(type(value), "a number")
