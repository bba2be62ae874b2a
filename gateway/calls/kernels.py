"""What answers the tools of simulated apps: their kernels, and where a model is at hand, what it says to a kernel's questions."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

from soundstage.contexts.engine.asked import ModelAnswer, keep_answer, kept_answer
from soundstage.contexts.engine.asked import Question as Wanted
from soundstage.gateway.calls.call import Asked, Call
from soundstage.gateway.calls.dispatch import dispatch, wants
from soundstage.gateway.log import log
from soundstage.models.asking import Answer, Message, Model, ModelError, Question
from soundstage.servers.catalogue import load_app

_MOST_QUESTIONS = 8
"""Of one call. What its kernel wants to know after so many it has to know by itself."""
_AT_ONCE = 16

T = TypeVar("T")


class Kernels:
    """Answers the tools of simulated apps. `model` is asked for sessions that nobody grades: a trial has to be repeatable."""

    def __init__(self, model: Model | None = None) -> None:
        self._model = model
        self._room = asyncio.Semaphore(_AT_ONCE)

    async def answer(self, asked: Asked) -> Call:
        assert asked.app is not None
        if self._model is not None and asked.session.record.bounds is None:
            tool = asked.app.tools.get(asked.tool)
            if tool is not None and tool.asks_a_model:
                await self._ask(self._model, asked)
        return dispatch(asked.session, asked.app, asked.tool, asked.arguments, caller=asked.caller)

    async def _ask(self, model: Model, asked: Asked) -> None:
        """Ask what the call's kernel wants to know, and keep the answers where it finds them."""
        session, app = asked.session, asked.app
        assert app is not None
        for _ in range(_MOST_QUESTIONS):
            question = wants(session, app, asked.tool, asked.arguments, caller=asked.caller)
            if question is None:
                return
            answer = await self._answer(model, question)
            if session.is_occupied:
                await session.free()
            # Another call may have asked the same meanwhile.
            if kept_answer(session.context, app.name, question) is None:
                keep_answer(session.context, app.name, asked.tool, question, answer, caller=asked.caller)

    async def _answer(self, model: Model, wanted: Wanted) -> ModelAnswer:
        """What it says, or why it says nothing."""
        messages = tuple(Message(m["role"], m["content"]) for m in wanted["messages"])
        question = Question(messages, most_tokens=wanted["most_tokens"])
        try:
            async with self._room:
                answer = await _said(model, question)
        except ModelError as error:
            log.warning("a model gave no answer to a kernel", model=model.name, reason=str(error))
            return {"text": None, "error": str(error), "model": model.name}
        return {"text": answer.text, "error": None, "model": model.name}


async def _said(model: Model, question: Question) -> Answer:
    """What a model says. It is asked in a thread that nobody waits for when the gateway ends, as an executor's would be."""
    loop = asyncio.get_running_loop()
    told: asyncio.Future[Answer] = loop.create_future()

    def ask() -> None:
        try:
            answer = model.ask(question)
        except Exception as error:
            tell(told.set_exception, error)
        else:
            tell(told.set_result, answer)

    def tell(how: Callable[[T], None], what: T) -> None:
        def now() -> None:
            if not told.done():  # whoever called may have gone
                how(what)

        with suppress(RuntimeError):  # the gateway has ended meanwhile
            loop.call_soon_threadsafe(now)

    threading.Thread(target=ask, name="asking", daemon=True).start()
    return await told


class Unanswered:
    """Answers tools that are listed though nothing stands behind them: whoever calls one is told that it is not available."""

    async def answer(self, asked: Asked) -> Call:
        assert asked.app is not None
        app = load_app(asked.app.name)  # as it is: there this is no tool
        return dispatch(asked.session, app, asked.tool, asked.arguments, caller=asked.caller)
