"""What answers the tools of simulated apps: their kernels, and where a model is at hand, what it says to a kernel's questions."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor

from soundstage.contexts.engine.asked import ModelAnswer, keep_answer, kept_answer
from soundstage.contexts.engine.asked import Question as Wanted
from soundstage.gateway.calls.call import Asked, Call
from soundstage.gateway.calls.dispatch import dispatch, wants
from soundstage.gateway.log import log
from soundstage.models.asking import Message, Model, ModelError, Question
from soundstage.servers.catalogue import load_app

_MOST_QUESTIONS = 8
"""Of one call. What its kernel wants to know after so many it has to know by itself."""
_AT_ONCE = 16


class Kernels:
    """Answers the tools of simulated apps. `model` is asked for sessions that nobody grades: a trial has to be repeatable."""

    def __init__(self, model: Model | None = None) -> None:
        self._model = model
        self._threads = ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="asking")  # started when there is a question

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
            answer = await asyncio.get_running_loop().run_in_executor(self._threads, model.ask, question)
        except ModelError as error:
            log.warning("a model gave no answer to a kernel", model=model.name, reason=str(error))
            return {"text": None, "error": str(error), "model": model.name}
        return {"text": answer.text, "error": None, "model": model.name}


class Unanswered:
    """Answers tools that are listed though nothing stands behind them: whoever calls one is told that it is not available."""

    async def answer(self, asked: Asked) -> Call:
        assert asked.app is not None
        app = load_app(asked.app.name)  # as it is: there this is no tool
        return dispatch(asked.session, app, asked.tool, asked.arguments, caller=asked.caller)
