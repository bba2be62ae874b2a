"""Toolsets, and requests and results of calls: the types that all addresses and call handlers share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import orjson

from soundstage.contexts.engine.journal import Caller
from soundstage.gateway.calls.answer_tool import SUBMIT_ANSWER_TOOL
from soundstage.gateway.delivery import Answer, Delivery
from soundstage.gateway.search.declared import SEARCH_TOOLS
from soundstage.gateway.search.documents import Catalogue, document_of
from soundstage.gateway.settings import ToolList
from soundstage.servers.catalogue import App

if TYPE_CHECKING:
    from soundstage.gateway.sessions.session import Session


@dataclass(frozen=True, slots=True)
class CallResult:
    """The result of one call.

    `app` is empty for tools of no app. `tool` is the app's own name for the tool, as in the journal. A call that could
    not be recorded has no `step`; its answer is valid all the same.
    """

    app: str
    tool: str
    step: int | None
    delivery: Delivery
    duration_us: int

    @property
    def answer(self) -> Answer:
        return self.delivery.answer

    @property
    def reply(self) -> dict[str, Any] | None:
        """The reply to the client; None if the connection breaks instead."""
        return self.delivery.reply


@dataclass(slots=True)
class CallRequest:
    """A call on its way to a call handler.

    Tools of no app have no `app`. `tool` is the app's own name for the tool. `extra_params` holds further members of the
    request, such as `inputResponses`, which only upstreams use.
    """

    session: Session
    toolset: Toolset
    app: App | None
    tool: str
    arguments: Mapping[str, Any] | None
    caller: Caller
    extra_params: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Delegate:
    """A delegation: the call is replaced by a call of the named tool at the same address."""

    name: str
    arguments: Mapping[str, Any] | None


class CallHandler(Protocol):
    """Handles the calls of a target: a kernel, an upstream, or the search.

    A handler awaits slow work before the step. The step itself is short and never yields to the event loop.
    """

    async def handle(self, request: CallRequest) -> CallResult | Delegate:
        """Answer the call and record it as a step.

        Raises:
            NestedTooDeeply, ContextError: see `soundstage.gateway.calls.dispatch.dispatch`.
        """


@dataclass(frozen=True, slots=True)
class Target:
    """A tool's app, the app's own name for it, and its call handler (default: the app's kernels)."""

    app: App
    tool: str
    handler: CallHandler | None = None
    is_available: bool = True
    """False if the tool is listed although it has no handler."""


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
