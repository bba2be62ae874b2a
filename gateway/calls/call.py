"""What became of one call, and what answers one: the shapes that every face and every answerer share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from soundstage.contexts.engine.journal import Caller
from soundstage.gateway.delivery import Answer, Delivery
from soundstage.servers.catalogue import App

if TYPE_CHECKING:
    from soundstage.gateway.calls.face import Face
    from soundstage.gateway.sessions.session import Session


@dataclass(frozen=True, slots=True)
class Call:
    """What became of one call. `app` is empty for the tools of no app, `tool` the app's own name for it, as the journal has it.

    `step` is None where the call could not be recorded, though its answer stands.
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
        """What the client gets; None when the connection breaks instead."""
        return self.delivery.reply


@dataclass(slots=True)
class Asked:
    """A call on its way to what answers it.

    `app` is None for the tools that belong to no app; `tool` is the name that the app itself has for it. `came_with` are
    further members of the request, such as `inputResponses`, which only a real server makes something of.
    """

    session: Session
    face: Face
    app: App | None
    tool: str
    arguments: Mapping[str, Any] | None
    caller: Caller
    came_with: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Through:
    """The call stands for another: that of the tool with this name at the same face."""

    name: str
    arguments: Mapping[str, Any] | None


class Answerer(Protocol):
    """What answers the calls of a target: a kernel, a real server, the search. What takes long it awaits before it makes the
    step; the step itself is short and gives up the event loop nowhere.
    """

    async def answer(self, asked: Asked) -> Call | Through:
        """Answer the call and record it as a step.

        Raises:
            NestedTooDeeply, ContextError: see `soundstage.gateway.calls.dispatch.dispatch`.
        """
