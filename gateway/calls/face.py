"""What an address shows: which tools, under which names, and whom they belong to.

A face is made once per set of apps and kept, so its list is the same bytes for every connection.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

import orjson

from soundstage.gateway.calls.answering import SUBMIT, SUBMIT_TOOL
from soundstage.gateway.calls.kernels import Unanswered
from soundstage.gateway.search.declared import SEARCH_TOOLS
from soundstage.gateway.search.documents import Catalogue, document_of
from soundstage.gateway.settings import ToolList, Unavailable
from soundstage.servers.catalogue import App, load_app, load_apps

if TYPE_CHECKING:
    from soundstage.gateway.calls.call import Answerer

_UNANSWERED = Unanswered()
_FACES_KEPT = 64
"""Clients choose which apps a session has, so there may be any number of faces; those in use are kept."""


@dataclass(frozen=True, slots=True)
class Target:
    """A tool's app and its own name there, and what answers its calls: the app's kernels, unless it is said."""

    app: App
    tool: str
    answerer: Answerer | None = None


@dataclass(frozen=True)
class Face:
    """The tools behind one kind of address.

    `alone` is the app where the address serves one: its tools then have the real server's own names, and the server
    introduces itself as the real one does. Elsewhere the search tools are listed too: after all others, or (`search`)
    instead of them; and after those, where it `takes_answers`, the tool to answer with. It is not `lasting` where upstreams
    may change it. `answerer` is what answers at an address of one app, also names that the app does not have: its kernels,
    unless it is said.
    """

    alone: App | None
    targets: Mapping[str, Target]
    listing: ToolList = "all"
    lasting: bool = True
    answerer: Answerer | None = None
    takes_answers: bool = False

    @cached_property
    def tools(self) -> list[dict[str, Any]]:
        """The tools as `tools/list` shows them."""
        search = [] if self.alone is not None else list(SEARCH_TOOLS.values())
        if self.takes_answers:
            search.append(SUBMIT_TOOL)
        if self.listing == "search":
            return search
        return [*(t.app.tools[t.tool].listed(name) for name, t in self.targets.items()), *search]

    @cached_property
    def catalogue(self) -> Catalogue:
        """What search knows about the tools, in the order of `targets`."""
        return Catalogue(document_of(t.app, t.app.tools[t.tool]) for t in self.targets.values())

    def searches(self, name: str) -> bool:
        """Whether a called name is one of the search tools here."""
        return self.alone is None and name in SEARCH_TOOLS

    @cached_property
    def tools_json(self) -> bytes:
        """`tools` as JSON, made once."""
        return orjson.dumps(self.tools)

    def find(self, name: str) -> Target | None:
        """The target of a called name; None where nobody has it. At an app's own address all names are the app's, which
        refuses those that it does not have in its own words.
        """
        found = self.targets.get(name)
        if found is None and self.alone is not None:
            return Target(self.alone, name, self.answerer)
        return found


@lru_cache(maxsize=_FACES_KEPT)
def shared_face(
    apps: tuple[str, ...],
    listing: ToolList = "all",
    only: tuple[str, ...] | None = None,
    *,
    takes_answers: bool = False,
    unavailable: Unavailable = "hide",
) -> Face:
    """The face of several apps at one address, tool names prefixed with their app; with `only` just the tools of these names.
    `unavailable` says whether tools that nothing answers are listed, too.

    Raises:
        ValueError: when two tools would have one name.
    """
    targets: dict[str, Target] = {}
    for app in load_apps(apps).values():
        for target in _targets(app, unavailable):
            tool, name = target.tool, app.prefixed(target.tool)
            if name in SEARCH_TOOLS or name == SUBMIT:
                raise ValueError(f"{app.name} {tool} would be {name!r}, which is a tool of no app")
            if name in targets:
                raise ValueError(
                    f"{app.name} {tool} and {targets[name].app.name} {targets[name].tool} are both {name!r}"
                )
            if only is None or name in only:
                targets[name] = target
    return Face(None, targets, listing, takes_answers=takes_answers)


@lru_cache(maxsize=_FACES_KEPT)
def app_face(name: str, only: tuple[str, ...] | None = None, unavailable: Unavailable = "hide") -> Face:
    """The face of one app alone, with the real server's tool names; with `only` just the tools that have these names at a shared
    address. `unavailable` says whether tools that nothing answers are listed, too.

    Raises:
        UnknownApp: naming those there are.
    """
    app = load_app(name)
    if only is not None:
        app = replace(
            app,
            tools={n: tool for n, tool in app.tools.items() if app.prefixed(n) in only},
            unanswered={n: tool for n, tool in app.unanswered.items() if app.prefixed(n) in only},
        )
    return Face(app, {target.tool: target for target in _targets(app, unavailable)})


def _targets(app: App, unavailable: Unavailable) -> Iterator[Target]:
    """An app's tools, and behind them, where they are to be listed, those that nothing answers."""
    yield from (Target(app, tool) for tool in app.tools)
    if unavailable == "list" and app.unanswered:
        whole = replace(app, tools={**app.tools, **app.unanswered})
        yield from (Target(whole, tool, _UNANSWERED) for tool in app.unanswered)
