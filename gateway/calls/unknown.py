"""Handle calls of unknown names at a shared address: the error repeats the name and suggests similar ones."""

from __future__ import annotations

import difflib

from soundstage.gateway.calls.call import Asked, Call
from soundstage.gateway.calls.face import Face
from soundstage.gateway.calls.listing import listed_now
from soundstage.gateway.calls.plain import plain_json
from soundstage.gateway.delivery import Delivery
from soundstage.gateway.search.declared import MAX_QUERY, SEARCH_TOOLS
from soundstage.gateway.search.finder import ToolFinder
from soundstage.servers.reply import ProtocolFailure

_INVALID_PARAMS = -32602  # MCP's error code for an unknown tool
_NEAR = 3
_ALIKE = 0.7
_SPELLED_AMONG = 2000  # comparing spellings with more names would block other calls
_SHOWN = 200


class Unknown:
    """Handles unknown tool names. They are recorded as steps, because the names that an agent invents are worth knowing."""

    def __init__(self, finder: ToolFinder) -> None:
        self._finder = finder

    async def answer(self, request: Asked) -> Call:
        sent = None if request.arguments is None else plain_json(request.arguments)
        refusal = ProtocolFailure(_INVALID_PARAMS, self._message(request), "unknown_tool")
        with request.session.context.step("search", request.tool, sent, caller=request.caller) as step:
            step.ok, step.is_error, step.error_kind = refusal.ok, refusal.is_error, refusal.error_kind
            step.reply = refusal.wire()
        assert step.duration_us is not None
        return Call("", request.tool, step.number, Delivery(refusal), step.duration_us)

    def _message(self, request: Asked) -> str:
        name = request.tool if len(request.tool) <= _SHOWN else f"{request.tool[:_SHOWN]}…"
        near = near_names(self._finder, listed_now(request.session, request.face), request.tool)
        meant = f" Did you mean {_either(near)}?" if near else ""
        where = "search_tools finds" if request.face.listing == "search" else "tools/list names"
        return f"Unknown tool: {name}.{meant} {where} those at this address."


def near_names(finder: ToolFinder, face: Face, name: str) -> list[str]:
    """Return a few tools with names similar to `name`, then tools that match its words, nearest first."""
    name = name[:MAX_QUERY]
    names = list(face.targets)
    alike = [*names, *SEARCH_TOOLS] if len(names) <= _SPELLED_AMONG else list(SEARCH_TOOLS)
    spelled = difflib.get_close_matches(name, alike, _NEAR, _ALIKE)
    about = [names[hit.position] for hit in finder.index(face.catalogue).search(name, _NEAR)]
    return list(dict.fromkeys([*spelled, *about]))[:_NEAR]


def _either(names: list[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} or {last}" if others else last
