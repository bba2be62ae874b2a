"""Upstreams as apps of the catalogue, so that lists and search include them."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from soundstage.contexts.engine.app_context import AppContext
from soundstage.gateway.calls.call import Answerer
from soundstage.gateway.calls.face import Face, Target
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


class Faces:
    """Toolsets with the tools of upstreams. A toolset is the same object until an upstream's list changes."""

    def __init__(self, answerer: Callable[[Upstream], Answerer]) -> None:
        self._answerer = answerer
        self._cache: dict[
            tuple[int, ...], tuple[Face, Face]
        ] = {}  # the first one is referenced so that the id in its key stays valid

    def with_upstreams(self, face: Face, upstreams: Iterable[Upstream]) -> Face:
        """Return a shared toolset with the tools of the upstreams that are up after its own."""
        up = [u for u in upstreams if u.status == "up" and u.tools]
        if not up:
            return face
        key = (id(face), *(u.version for u in up))
        entry = self._cache.get(key)
        if entry is None:
            if len(self._cache) >= _MAX_CACHED_TOOLSETS:
                self._cache.clear()
            entry = self._cache[key] = (face, self._joined(face, up))
        return entry[1]

    def alone(self, upstream: Upstream) -> Face:
        """Return the toolset of an upstream's own address."""
        app, answerer = upstream_app(upstream), self._answerer(upstream)
        return Face(app, {tool: Target(app, tool, answerer) for tool in app.tools}, lasting=False, answerer=answerer)

    def _joined(self, face: Face, upstreams: list[Upstream]) -> Face:
        targets = dict(face.targets)
        for upstream in upstreams:
            app, answerer = upstream_app(upstream), self._answerer(upstream)
            for tool in upstream.tools.values():
                name = tool.prefixed_name
                if name in targets or face.searches(name):
                    continue  # a simulated tool has the name; this one is available at the upstream's own address
                targets[name] = Target(app, tool.name, answerer)
        return Face(None, targets, face.listing, lasting=False)


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
