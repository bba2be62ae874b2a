"""Make calls: the single entry point for all addresses and call handlers."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from soundstage.contexts.engine.journal import SESSION_USER, Caller
from soundstage.contexts.engine.problems import ContextDamaged, ContextError, ContextTaken, DiskFull
from soundstage.gateway.calls.answering import SUBMIT, Answering
from soundstage.gateway.calls.call import Answerer, Asked, Call, Through
from soundstage.gateway.calls.face import Face
from soundstage.gateway.calls.kernels import Kernels
from soundstage.gateway.calls.listing import found_now
from soundstage.gateway.calls.note import note_call
from soundstage.gateway.calls.plain import NestedTooDeeply
from soundstage.gateway.calls.searching import Searching
from soundstage.gateway.calls.unknown import Unknown
from soundstage.gateway.log import log
from soundstage.gateway.search.finder import ToolFinder
from soundstage.gateway.sessions.session import Session
from soundstage.models.asking import Model

Notify = Callable[[str], Awaitable[None]]
"""Sends a client a message in addition to the answer."""

_NOTHING: Mapping[str, Any] = {}


class Calls:
    """Makes the calls of a gateway: selects the handler, logs, counts, and applies a fault's delivery."""

    def __init__(self, finder: ToolFinder, model: Model | None = None) -> None:
        self.answering = Answering()
        self.on_storage_failure: Callable[[Session, ContextError], None] = lambda session, problem: None
        self.finder = finder
        self._searching: Answerer = Searching(finder)
        self._kernels: Answerer = Kernels(model)
        self._unknown: Answerer = Unknown(finder)

    async def make_call(
        self,
        session: Session,
        face: Face,
        name: str,
        arguments: Mapping[str, Any] | None,
        *,
        caller: Caller = SESSION_USER,
        came_with: Mapping[str, Any] = _NOTHING,
        notify: Notify | None = None,
    ) -> Call:
        """Call the tool with this name at this toolset. Returns when the answer is due; the caller must drop a dropped one.

        Raises:
            NestedTooDeeply: the arguments are nested too deeply.
            ContextTaken: another gateway has the session now.
            ContextError: the session's context cannot be used.
            ExpiredSession: its bounds are reached.
        """
        if session.is_reserved:
            await session.wait_until_free()
        known = True
        if face.searches(name):
            request, answerer = Asked(session, face, None, name, arguments, caller, came_with), self._searching
        elif face.takes_answers and name == SUBMIT:
            request, answerer = Asked(session, face, None, name, arguments, caller, came_with), self.answering
        elif (target := found_now(session, face, name)) is not None:
            request = Asked(session, face, target.app, target.tool, arguments, caller, came_with)
            answerer = target.answerer or self._kernels
            known = target.tool in target.app.tools
        else:
            request, answerer = Asked(session, face, None, name, arguments, caller, came_with), self._unknown
            known = False
        if (bounds := session.record.bounds) is not None and (bounds.over or not session.calls_left):
            session.check_open()  # several requests may have arrived at once
        try:
            call = await answerer.answer(request)
        except (ContextTaken, NestedTooDeeply):
            raise
        except Exception as error:
            problem = session.cause_of(error)
            if problem is None:
                raise
            if not isinstance(problem, ContextDamaged):  # damage has already been logged once
                app = "" if request.app is None else request.app.name
                log.error("call failed", session=session.id, app=app, tool=request.tool, reason=str(problem))
            if session.record.bounds is not None and isinstance(problem, DiskFull | ContextDamaged):
                self.on_storage_failure(session, problem)
            raise problem from None
        if isinstance(call, Through):
            return await self.make_call(
                session, face, call.name, call.arguments, caller=caller, came_with=came_with, notify=notify
            )
        note_call(session, call, known=known)
        if session.calls_left and request.app is not None:
            session.calls_left -= 1
        delivery = call.delivery
        if delivery.wait is not None and delivery.wait.real_ms:
            await asyncio.sleep(delivery.wait.real_ms / 1000)
        if delivery.notice is not None and notify is not None:
            await notify(delivery.notice)
        return call
