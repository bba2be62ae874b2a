"""The toolset of an address: its tools, their names, and their apps.

A toolset is created once for each set of apps and cached, so every connection receives the same bytes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

import orjson

from soundstage.gateway.calls.kernel_handler import UnavailableToolHandler
from soundstage.gateway.calls.submit_answer import SUBMIT_ANSWER, SUBMIT_ANSWER_TOOL
from soundstage.gateway.search.declared import SEARCH_TOOLS
from soundstage.gateway.search.documents import Catalogue, document_of
from soundstage.gateway.settings import ToolList, Unavailable
from soundstage.servers.catalogue import App, load_app, load_apps

if TYPE_CHECKING:
    from soundstage.gateway.calls.call import CallHandler

_UNAVAILABLE = UnavailableToolHandler()
_TOOLSETS_CACHED = 64
"""Clients choose a session's apps, so the number of toolsets is unlimited; the recently used ones are cached."""


@dataclass(frozen=True, slots=True)
class Target:
    """A tool's app, the app's own name for it, and its call handler (default: the app's kernels)."""

    app: App
    tool: str
    handler: CallHandler | None = None


@dataclass(frozen=True)
class Toolset:
    """The tools behind one kind of address."""

    single_app: App | None
    """The app of an address that serves one app, with the real server's tool names and introduction; None if shared."""
    targets: Mapping[str, Target]
    listing: ToolList = "all"
    """Whether a shared address lists the search tools after all others, or alone."""
    is_static: bool = True
    """False if upstreams may change the list."""
    handler: CallHandler | None = None
    """The handler of all calls at an address of one app, unknown names included; the default is the app's kernels."""
    has_submit_answer: bool = False
    """Whether `submit_answer` comes last."""

    @cached_property
    def tools(self) -> list[dict[str, Any]]:
        """The tools as `tools/list` returns them."""
        search = [] if self.single_app is not None else list(SEARCH_TOOLS.values())
        if self.has_submit_answer:
            search.append(SUBMIT_ANSWER_TOOL)
        if self.listing == "search":
            return search
        return [*(t.app.tools[t.tool].listed(name) for name, t in self.targets.items()), *search]

    @cached_property
    def catalogue(self) -> Catalogue:
        """The search documents of the tools, in the order of `targets`."""
        return Catalogue(document_of(t.app, t.app.tools[t.tool]) for t in self.targets.values())

    def is_search_tool(self, name: str) -> bool:
        """Whether a called name is one of the search tools here."""
        return self.single_app is None and name in SEARCH_TOOLS

    @cached_property
    def tools_json(self) -> bytes:
        """`tools` as JSON, serialized once."""
        return orjson.dumps(self.tools)

    def find(self, name: str) -> Target | None:
        """Return the target of a called name, or None if no tool has it.

        At an app's own address all names belong to the app, which rejects unknown ones in its dialect.
        """
        target = self.targets.get(name)
        if target is None and self.single_app is not None:
            return Target(self.single_app, name, self.handler)
        return target


@lru_cache(maxsize=_TOOLSETS_CACHED)
def shared_toolset(
    apps: tuple[str, ...],
    listing: ToolList = "all",
    only: tuple[str, ...] | None = None,
    *,
    has_submit_answer: bool = False,
    unavailable: Unavailable = "hide",
) -> Toolset:
    """Return the toolset of several apps at one address, with tool names prefixed by their app.

    With `only`, it contains just the tools of these names. `unavailable` decides whether tools without a handler are listed.

    Raises:
        ValueError: two tools would have the same name.
    """
    targets: dict[str, Target] = {}
    for app in load_apps(apps).values():
        for target in _targets(app, unavailable):
            tool, name = target.tool, app.prefixed(target.tool)
            if name in SEARCH_TOOLS or name == SUBMIT_ANSWER:
                raise ValueError(f"{app.name} {tool} would be {name!r}, which is a tool of no app")
            if name in targets:
                raise ValueError(
                    f"{app.name} {tool} and {targets[name].app.name} {targets[name].tool} are both {name!r}"
                )
            if only is None or name in only:
                targets[name] = target
    return Toolset(None, targets, listing, has_submit_answer=has_submit_answer)


@lru_cache(maxsize=_TOOLSETS_CACHED)
def app_toolset(name: str, only: tuple[str, ...] | None = None, unavailable: Unavailable = "hide") -> Toolset:
    """Return the toolset of one app, with the real server's tool names.

    With `only`, it contains just the tools that have these names at a shared address. `unavailable` decides whether tools
    without a handler are listed.

    Raises:
        UnknownApp: the message lists the known apps.
    """
    app = load_app(name)
    if only is not None:
        app = replace(
            app,
            tools={n: tool for n, tool in app.tools.items() if app.prefixed(n) in only},
            unanswered={n: tool for n, tool in app.unanswered.items() if app.prefixed(n) in only},
        )
    return Toolset(app, {target.tool: target for target in _targets(app, unavailable)})


def _targets(app: App, unavailable: Unavailable) -> Iterator[Target]:
    """Yield an app's tools and, if they are to be listed, the tools without a handler."""
    yield from (Target(app, tool) for tool in app.tools)
    if unavailable == "list" and app.unanswered:
        whole = replace(app, tools={**app.tools, **app.unanswered})
        yield from (Target(whole, tool, _UNAVAILABLE) for tool in app.unanswered)
