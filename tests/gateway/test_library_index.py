"""A library index that a call needs first is built once, in a thread, while calls of other sessions continue."""

from __future__ import annotations

import asyncio
import threading
import uuid
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from soundstage.contexts.engine import journal
from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.journal import SESSION_USER
from soundstage.contexts.engine.library import Library
from soundstage.gateway.calls.call import CallRequest
from soundstage.gateway.calls.kernel_handler import KernelHandler
from soundstage.gateway.calls.toolset import app_toolset
from soundstage.gateway.sessions.session import Session
from soundstage.kernels.types import Arguments
from soundstage.servers.catalogue import load_app

NewSession = Callable[..., Session]
SEARCH, FOLDERS = "tavily-search", "list_allowed_directories"


def call_of(session: Session, app: str, tool: str, arguments: Mapping[str, Any]) -> CallRequest:
    return CallRequest(session, app_toolset(app), load_app(app), tool, arguments, SESSION_USER, {})


async def test_other_sessions_are_answered_while_an_index_is_built(
    new_session: NewSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads: list[threading.Thread] = []
    may_end = threading.Event()
    name = f"test.{uuid.uuid4()}"

    def make(library: Library) -> str:
        threads.append(threading.current_thread())
        may_end.wait(30)
        return "found"

    def run(context: AppContext, arguments: Arguments) -> str:
        context.wait(1000)
        return context.library.cached(name, make)

    monkeypatch.setitem(load_app("tavily").tools[SEARCH].__dict__, "kernel", run)
    kernels = KernelHandler()
    first, second, other = (new_session(world="studio") for _ in range(3))
    before = first.context.read_meta().clock.at_ms
    searches = [
        asyncio.ensure_future(kernels.handle(call_of(session, "tavily", SEARCH, {"query": "lantern"})))
        for session in (first, second)
    ]
    try:
        while not threads:  # noqa: ASYNC110 a thread starts
            await asyncio.sleep(0.001)
        assert (await kernels.handle(call_of(other, "filesystem", FOLDERS, {}))).delivery.answer.ok
        assert not any(search.done() for search in searches)
    finally:
        may_end.set()
    for session, search in zip((first, second), searches, strict=True):
        assert "found" in str((await search).delivery.answer.wire())
        assert [row.tool for row in journal.read(session.context)] == [SEARCH]
        clock = session.context.read_meta().clock
        assert clock.at_ms - before == clock.tick_ms + 1000  # the abandoned run did not move the clock
    assert len(threads) == 1
    assert threads[0] is not threading.main_thread()
