"""Make calls: the single entry point for all addresses and call handlers."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from soundstage.contexts.engine.journal import SESSION_USER, Caller
from soundstage.contexts.engine.problems import ContextDamaged, ContextError, ContextTaken, DiskFull
from soundstage.gateway.calls.answer_tool import SUBMIT_ANSWER
from soundstage.gateway.calls.call import CallHandler, CallRequest, CallResult, Delegate, Toolset
from soundstage.gateway.calls.call_log import log_call
from soundstage.gateway.calls.fault_visibility import find_target
from soundstage.gateway.calls.json_arguments import NestedTooDeeply
from soundstage.gateway.calls.kernel_handler import KernelHandler, UnavailableToolHandler
from soundstage.gateway.calls.search_tools import SearchToolsHandler
from soundstage.gateway.calls.submit_answer import SubmitAnswerHandler
from soundstage.gateway.calls.unknown_tool import UnknownToolHandler
from soundstage.gateway.log import log
from soundstage.gateway.search.finder import ToolFinder
from soundstage.gateway.sessions.session import Session
from soundstage.models.asking import Model

Notify = Callable[[str], Awaitable[None]]
"""Sends a client a message in addition to the answer."""

_NOTHING: Mapping[str, Any] = {}


class CallService:
    """Makes the calls of a gateway: selects the handler, logs, counts, and applies a fault's delivery."""

    def __init__(self, finder: ToolFinder, model: Model | None = None) -> None:
        self.submit_answer = SubmitAnswerHandler()
        self.on_storage_failure: Callable[[Session, ContextError], None] = lambda session, problem: None
        self.finder = finder
        self._searching: CallHandler = SearchToolsHandler(finder)
        self._kernels: CallHandler = KernelHandler(model)
        self._unavailable: CallHandler = UnavailableToolHandler()
        self._unknown: CallHandler = UnknownToolHandler(finder)

    async def make_call(
        self,
        session: Session,
        toolset: Toolset,
        name: str,
        arguments: Mapping[str, Any] | None,
        *,
        caller: Caller = SESSION_USER,
        extra_params: Mapping[str, Any] = _NOTHING,
        notify: Notify | None = None,
    ) -> CallResult:
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
        if toolset.is_search_tool(name):
            request, handler = (
                CallRequest(session, toolset, None, name, arguments, caller, extra_params),
                self._searching,
            )
        elif toolset.has_submit_answer and name == SUBMIT_ANSWER:
            request, handler = (
                CallRequest(session, toolset, None, name, arguments, caller, extra_params),
                self.submit_answer,
            )
        elif (target := find_target(session, toolset, name)) is not None:
            request = CallRequest(session, toolset, target.app, target.tool, arguments, caller, extra_params)
            handler = target.handler or (self._kernels if target.is_available else self._unavailable)
            known = target.tool in target.app.tools
        else:
            request, handler = CallRequest(session, toolset, None, name, arguments, caller, extra_params), self._unknown
            known = False
        if (bounds := session.record.bounds) is not None and (bounds.over or not session.calls_left):
            session.check_open()  # several requests may have arrived at once
        try:
            call = await handler.handle(request)
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
        if isinstance(call, Delegate):
            return await self.make_call(
                session, toolset, call.name, call.arguments, caller=caller, extra_params=extra_params, notify=notify
            )
        log_call(session, call, known=known)
        if session.calls_left and request.app is not None:
            session.calls_left -= 1
        delivery = call.delivery
        if delivery.wait is not None and delivery.wait.real_ms:
            await asyncio.sleep(delivery.wait.real_ms / 1000)
        if delivery.notice is not None and notify is not None:
            await notify(delivery.notice)
        return call
