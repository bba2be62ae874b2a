"""Handle calls of unknown names at a shared address: the error repeats the name and suggests similar ones."""

from __future__ import annotations

import difflib

from soundstage.gateway.calls.call import CallRequest, CallResult, Toolset
from soundstage.gateway.calls.fault_visibility import visible_toolset
from soundstage.gateway.calls.json_arguments import normalize_arguments
from soundstage.gateway.delivery import Delivery
from soundstage.gateway.search.declared import MAX_QUERY, SEARCH_TOOLS
from soundstage.gateway.search.finder import ToolFinder
from soundstage.servers.reply import ProtocolFailure

_INVALID_PARAMS = -32602  # MCP's error code for an unknown tool
_MAX_SUGGESTIONS = 3
_MIN_SIMILARITY = 0.7
_MAX_COMPARED = 2000  # comparing spellings with more names would block other calls
_MAX_SHOWN = 200


class UnknownToolHandler:
    """Handles unknown tool names. They are recorded as steps, because the names that an agent invents are worth knowing."""

    def __init__(self, finder: ToolFinder) -> None:
        self._finder = finder

    async def handle(self, request: CallRequest) -> CallResult:
        sent = None if request.arguments is None else normalize_arguments(request.arguments)
        refusal = ProtocolFailure(_INVALID_PARAMS, self._message(request), "unknown_tool")
        with request.session.context.step("search", request.tool, sent, caller=request.caller) as step:
            step.ok, step.is_error, step.error_kind = refusal.ok, refusal.is_error, refusal.error_kind
            step.reply = refusal.wire()
        assert step.duration_us is not None
        return CallResult("", request.tool, step.number, Delivery(refusal), step.duration_us)

    def _message(self, request: CallRequest) -> str:
        name = request.tool if len(request.tool) <= _MAX_SHOWN else f"{request.tool[:_MAX_SHOWN]}…"
        near = similar_names(self._finder, visible_toolset(request.session, request.toolset), request.tool)
        meant = f" Did you mean {_either(near)}?" if near else ""
        where = "search_tools finds" if request.toolset.listing == "search" else "tools/list names"
        return f"Unknown tool: {name}.{meant} {where} those at this address."


def similar_names(finder: ToolFinder, toolset: Toolset, name: str) -> list[str]:
    """Return a few tools with names similar to `name`, then tools that match its words, nearest first."""
    name = name[:MAX_QUERY]
    names = list(toolset.targets)
    alike = [*names, *SEARCH_TOOLS] if len(names) <= _MAX_COMPARED else list(SEARCH_TOOLS)
    spelled = difflib.get_close_matches(name, alike, _MAX_SUGGESTIONS, _MIN_SIMILARITY)
    about = [names[hit.position] for hit in finder.index(toolset.catalogue).search(name, _MAX_SUGGESTIONS)]
    return list(dict.fromkeys([*spelled, *about]))[:_MAX_SUGGESTIONS]


def _either(names: list[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} or {last}" if others else last
