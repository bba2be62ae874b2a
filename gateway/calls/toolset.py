"""Build the toolset of an address: its tools, their names, and their apps.

A toolset is created once for each set of apps and cached, so every connection receives the same bytes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

from soundstage.gateway.calls.answer_tool import SUBMIT_ANSWER
from soundstage.gateway.calls.call import Target, Toolset
from soundstage.gateway.search.declared import SEARCH_TOOLS
from soundstage.gateway.settings import ToolList, Unavailable
from soundstage.servers.catalogue import App, load_app, load_apps

_TOOLSETS_CACHED = 64
"""Clients choose a session's apps, so the number of toolsets is unlimited; the recently used ones are cached."""


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
        yield from (Target(whole, tool, is_available=False) for tool in app.unanswered)
