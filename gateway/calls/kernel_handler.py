"""Call handlers of simulated apps: their kernels, with a language model's replies to kernels' questions if configured."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

from soundstage.contexts.engine.library import NotPrepared, raising_unprepared
from soundstage.contexts.engine.model_questions import ModelAnswer, store_answer, stored_answer
from soundstage.contexts.engine.model_questions import Question as KernelQuestion
from soundstage.gateway.calls.call import CallRequest, CallResult
from soundstage.gateway.calls.dispatch import dispatch, model_question
from soundstage.gateway.log import log
from soundstage.models.asking import Answer, Message, Model, ModelError, Question
from soundstage.servers.catalogue import load_app

_MAX_QUESTIONS = 8
"""Maximum number of model questions of one call. After that, the kernel runs without further replies."""
_MAX_CONCURRENT = 16

T = TypeVar("T")
U = TypeVar("U")


class KernelHandler:
    """Handles the tools of simulated apps. Only ungraded sessions use `model`, because a trial must be repeatable."""

    def __init__(self, model: Model | None = None) -> None:
        self._model = model
        self._slots = asyncio.Semaphore(_MAX_CONCURRENT)
        self._preparing: dict[str, asyncio.Future[None]] = {}

    async def handle(self, request: CallRequest) -> CallResult:
        assert request.app is not None
        if self._model is not None and request.session.record.bounds is None:
            tool = request.app.tools.get(request.tool)
            if tool is not None and tool.asks_a_model:
                await self._ask(self._model, request)
        while True:
            try:
                with raising_unprepared():
                    return dispatch(
                        request.session, request.app, request.tool, request.arguments, caller=request.caller
                    )
            except NotPrepared as missing:  # the step was rolled back
                unprepared = missing
            with request.session.in_use():
                await self._prepare(unprepared)
            if request.session.is_reserved:
                await request.session.wait_until_free()

    async def _prepare(self, missing: NotPrepared) -> None:
        """Make what calls need from the library, once for all calls that wait for it, in a thread: it can take seconds."""
        preparing = self._preparing.get(missing.name)
        if preparing is None:
            preparing = self._preparing[missing.name] = asyncio.ensure_future(_prepared(missing))
            preparing.add_done_callback(lambda _: self._preparing.pop(missing.name, None))
        await asyncio.shield(preparing)

    async def _ask(self, model: Model, request: CallRequest) -> None:
        """Ask the model the questions of the call's kernel, and store the replies where the kernel reads them."""
        session, app = request.session, request.app
        assert app is not None
        for _ in range(_MAX_QUESTIONS):
            question = model_question(session, app, request.tool, request.arguments, caller=request.caller)
            if question is None:
                return
            answer = await self._answer(model, question)
            if session.is_reserved:
                await session.wait_until_free()
            # Another call may have asked the same question meanwhile.
            if stored_answer(session.context, app.name, question) is None:
                store_answer(session.context, app.name, request.tool, question, answer, caller=request.caller)

    async def _answer(self, model: Model, wanted: KernelQuestion) -> ModelAnswer:
        """Return the model's reply, or the reason why there is none."""
        messages = tuple(Message(m["role"], m["content"]) for m in wanted["messages"])
        question = Question(messages, most_tokens=wanted["most_tokens"])
        try:
            async with self._slots:
                answer = await _ask_model(model, question)
        except ModelError as error:
            log.warning("a model gave no answer to a kernel", model=model.name, reason=str(error))
            return {"text": None, "error": str(error), "model": model.name}
        return {"text": answer.text, "error": None, "model": model.name}


async def _ask_model(model: Model, question: Question) -> Answer:
    """Return what a model answers."""
    return await _in_daemon(lambda: model.ask(question))


async def _in_daemon(work: Callable[[], T]) -> T:
    """Return the result of work in a daemon thread, which a gateway that ends does not wait for."""
    loop = asyncio.get_running_loop()
    result: asyncio.Future[T] = loop.create_future()

    def run() -> None:
        try:
            value = work()
        except Exception as error:
            tell(result.set_exception, error)
        else:
            tell(result.set_result, value)

    def tell(how: Callable[[U], None], what: U) -> None:
        def now() -> None:
            if not result.done():  # the caller may have been cancelled
                how(what)

        with suppress(RuntimeError):  # the event loop has been closed meanwhile
            loop.call_soon_threadsafe(now)

    threading.Thread(target=run, name="call-work", daemon=True).start()
    return await result


async def _prepared(missing: NotPrepared) -> None:
    await _in_daemon(missing.prepare)


class UnavailableToolHandler:
    """Handles tools that are listed but not implemented: a call returns an error that the tool is unavailable."""

    async def handle(self, request: CallRequest) -> CallResult:
        assert request.app is not None
        app = load_app(request.app.name)  # the unmodified app, which does not have this tool
        return dispatch(request.session, app, request.tool, request.arguments, caller=request.caller)
