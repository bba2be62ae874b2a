"""Requests and results of calls: the types that all addresses and call handlers share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from soundstage.contexts.engine.journal import Caller
from soundstage.gateway.delivery import Answer, Delivery
from soundstage.servers.catalogue import App

if TYPE_CHECKING:
    from soundstage.gateway.calls.toolset import Toolset
    from soundstage.gateway.sessions.session import Session


@dataclass(frozen=True, slots=True)
class CallResult:
    """The result of one call.

    `app` is empty for tools of no app. `tool` is the app's own name for the tool, as in the journal. `step` is None if the call
    could not be recorded; its answer is valid all the same.
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

    `app` is None for tools of no app. `tool` is the app's own name for the tool. `extra_params` holds further members of the
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
