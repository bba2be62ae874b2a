"""Upstreams as apps of the catalogue, so that lists and search include them."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from soundstage.contexts.engine.app_context import AppContext
from soundstage.gateway.calls.call import CallHandler, Target, Toolset
from soundstage.gateway.upstream.upstream import Upstream
from soundstage.kernels.errors import AppError
from soundstage.kernels.types import Arguments, Reply
from soundstage.servers.catalogue import App
from soundstage.servers.reply import Answer, ProtocolFailure, Result, text_block
from soundstage.servers.tool import Tool

CATEGORY = "upstream"
_MAX_CACHED_TOOLSETS = 64


def upstream_app(upstream: Upstream) -> App:
    """Convert an upstream that is up to an app, with its tools under their own names."""
    return App(
        name=upstream.name,
        title=upstream.title,
        category=CATEGORY,
        description=upstream.description,
        server={},
        tools=dict(upstream.tools),
        dialect=_PlainWords(),
    )


class Toolsets:
    """Toolsets with the tools of upstreams. A toolset is the same object until an upstream's list changes."""

    def __init__(self, handler: Callable[[Upstream], CallHandler]) -> None:
        self._handler = handler
        self._cache: dict[
            tuple[int, ...], tuple[Toolset, Toolset]
        ] = {}  # the first one is referenced so that the id in its key stays valid

    def with_upstreams(self, toolset: Toolset, upstreams: Iterable[Upstream]) -> Toolset:
        """Return a shared toolset with the tools of the upstreams that are up after its own."""
        up = [u for u in upstreams if u.status == "up" and u.tools]
        if not up:
            return toolset
        key = (id(toolset), *(u.version for u in up))
        entry = self._cache.get(key)
        if entry is None:
            if len(self._cache) >= _MAX_CACHED_TOOLSETS:
                self._cache.clear()
            entry = self._cache[key] = (toolset, self._joined(toolset, up))
        return entry[1]

    def alone(self, upstream: Upstream) -> Toolset:
        """Return the toolset of an upstream's own address."""
        app, handler = upstream_app(upstream), self._handler(upstream)
        return Toolset(app, {tool: Target(app, tool, handler) for tool in app.tools}, is_static=False, handler=handler)

    def _joined(self, toolset: Toolset, upstreams: list[Upstream]) -> Toolset:
        targets = dict(toolset.targets)
        for upstream in upstreams:
            app, handler = upstream_app(upstream), self._handler(upstream)
            for tool in upstream.tools.values():
                name = tool.prefixed_name
                if name in targets or toolset.is_search_tool(name):
                    continue  # a simulated tool has the name; this one is available at the upstream's own address
                targets[name] = Target(app, tool.name, handler)
        return Toolset(None, targets, toolset.listing, is_static=False)


class _PlainWords:
    """Wordings for injected failures; an upstream words its real failures itself."""

    def check(self, tool: Tool, arguments: Arguments | None) -> Arguments:
        return arguments or {}

    def success(self, tool: Tool, reply: Reply) -> Answer:
        return Result([text_block(str(reply))], ok=True)

    def failure(self, tool: Tool, error: AppError, context: AppContext) -> Answer:
        return Result([text_block(error.message)], ok=False, is_error=True, error_kind=error.kind)

    def internal_error(self, tool: Tool, call_id: str) -> Answer:
        return Result([text_block(f"internal error ({call_id})")], ok=False, is_error=True, error_kind="internal")

    def unknown_tool(self, name: str) -> Answer:
        return ProtocolFailure(-32602, f"Unknown tool: {name}", "unknown_tool")
