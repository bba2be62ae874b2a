"""A copy for reading is of one moment, and the session goes on while it is made."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from soundstage.contexts.engine.problems import ContextError
from soundstage.contexts.engine.state import load
from soundstage.contexts.engine.store import digest
from soundstage.gateway.inspection import copies as module
from soundstage.gateway.inspection.copies import Copies
from soundstage.gateway.sessions.session import Session


def _put(session: Session, *names: str) -> None:
    with session.context.step("state", "state", {}) as step:
        load(session.context, {"lark": {"user": [{"open_id": f"ou_{n}", "name": n * 500} for n in names]}})
        step.ok = True


async def test_calls_go_on_while_a_copy_is_made_and_it_has_all_or_nothing_of_each(
    new_session: Callable[..., Session], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_PAGES_AT_ONCE", 8)
    session = new_session()
    _put(session, "a", "b")
    making = asyncio.ensure_future(Copies().of(session))
    made = 0
    while not making.done():
        _put(session, *"abcdefgh"[: made % 8 + 1])
        made += 1
        await asyncio.sleep(0)
    copy = making.result()
    assert made > 5
    names = copy.execute("SELECT count(*) FROM lark_user").fetchone()
    steps = copy.execute("SELECT max(step), (SELECT step FROM _meta) FROM _journal").fetchone()
    assert names is not None
    assert steps is not None
    assert steps[0] == steps[1]
    assert names[0] == (steps[0] - 2) % 8 + 1  # as that step left it
    copy.close()


async def test_a_session_that_is_closed_while_it_is_copied_is_told_and_nothing_is_left(
    new_session: Callable[..., Session], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_PAGES_AT_ONCE", 8)
    session = new_session()
    making = asyncio.ensure_future(Copies().of(session))
    await asyncio.sleep(0)
    session.context.close()
    with pytest.raises(ContextError, match="closed while it was copied"):
        await making
    assert session.users == 0


async def test_a_copy_is_the_readers_own(new_session: Callable[..., Session]) -> None:
    session = new_session()
    _put(session, "a")
    before = digest(session.context)
    copy = await Copies().of(session)
    copy.execute("DELETE FROM lark_user")
    copy.close()
    assert digest(session.context) == before
