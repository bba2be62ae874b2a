"""When gateways pause, fall silent, drain and return, only one at a time makes a context's steps, and no step is lost."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from sqlalchemy import update

from soundstage.contexts.engine import journal
from soundstage.contexts.engine.problems import ContextError, ContextTaken
from soundstage.contexts.engine.storage import DurableStorage
from soundstage.gateway.calls.dispatch import dispatch
from soundstage.gateway.registry.tables import GATEWAYS
from soundstage.gateway.sessions.problems import OwnedElsewhere
from soundstage.gateway.sessions.session import Session
from soundstage.gateway.sessions.sessions import NewSession, Sessions
from soundstage.gateway.settings import Settings
from soundstage.servers.catalogue import load_app
from tests import built_worlds

GATEWAY_COUNT = 3
LARK = load_app("lark")
_which = st.integers(0, GATEWAY_COUNT - 1)


class Ownership(RuleBasedStateMachine):
    """Gateways of one registry in this process. Each holds a session that it has opened, as a paused process would."""

    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.new_event_loop()
        self.folder = tempfile.TemporaryDirectory()
        data = Path(self.folder.name)
        self.gateways = [
            Sessions(Settings(data=data, built=built_worlds.folder(), advertise=f"http://127.0.0.1:{n}"), joins=True)
            for n in range(GATEWAY_COUNT)
        ]
        self.opened: list[Session | None] = [None] * GATEWAY_COUNT
        self.answered: list[str] = []
        self.newest: int | None = None  # the gateway that wrote last or took over the session after that
        self.files = DurableStorage(data)

    def run(self, work: Any) -> Any:
        return self.loop.run_until_complete(work)

    @initialize(by=_which)
    def make(self, by: int) -> None:
        for gateway in self.gateways:
            self.run(gateway.start())
        session = self.run(self.gateways[by].create(NewSession(world="empty")))
        self.record, self.opened[by], self.newest = session.record, session, by

    @rule(by=_which)
    def open(self, by: int) -> None:
        """Send a request: the gateway opens the session or reports its owner."""
        try:
            session = self.run(self.gateways[by].by_handle(self.record.handle))
        except OwnedElsewhere as error:
            elsewhere = error
        else:
            elsewhere = None
        if elsewhere is not None:
            assert elsewhere.owner.id != self.gateways[by].member.own.id
            return
        if session is not self.opened[by]:
            self.opened[by], self.newest = session, by

    @rule(by=_which)
    def write(self, by: int) -> None:
        """Dispatch a call, regardless of how long ago the gateway opened the session."""
        session = self.opened[by]
        if session is None:
            return
        text = f"call {len(self.answered)}"
        try:
            made = dispatch(session, LARK, "task_v2_task_create", {"data": {"summary": text}})
        except ContextTaken as error:
            assert self.newest != by, "the newest owner was refused"
            self.gateways[by].close_taken(error.context)
            self.opened[by] = None
            return
        except ContextError:
            if session.open_context is not None:
                raise
            assert self.newest != by, "the newest owner was refused"
            self.opened[by] = None  # another gateway closed it before it was opened here
            return
        assert self.newest == by, "a gateway wrote that had lost the session"
        self.answered.append(text)
        assert made.step == len(self.answered)

    @rule(by=_which)
    def fall_silent(self, by: int) -> None:
        """Pause the gateway or cut it off for longer than its leases last."""
        self._change(by, expires_ms=0)

    @rule(by=_which)
    def come_back(self, by: int) -> None:
        self.run(self.gateways[by].member.leases.renew())

    @rule(by=_which)
    def drain(self, by: int) -> None:
        self.run(self.gateways[by].member.leases.drain())

    @rule(by=_which)
    def serve_again(self, by: int) -> None:
        self._change(by, draining=False)

    @rule(by=_which)
    def let_go(self, by: int) -> None:
        session = self.opened[by]
        if session is not None:
            self.run(self.gateways[by].release(session))
            self.opened[by] = None

    @invariant()
    def nothing_answered_is_lost(self) -> None:
        if not hasattr(self, "record"):
            return
        context = self.files.open_read_only(self.record.id)
        rows = list(journal.read(context))
        context.close()
        assert [row.step for row in rows] == list(range(1, len(self.answered) + 1))
        assert [row.arguments["data"]["summary"] for row in rows] == self.answered

    def teardown(self) -> None:
        for gateway in self.gateways:
            self.run(gateway.stop())
        self.loop.close()
        self.folder.cleanup()

    def _change(self, by: int, **values: object) -> None:
        member = self.gateways[by].member

        changing = update(GATEWAYS).where(GATEWAYS.c.id == member.own.id).values(values)
        self.run(member.leases._database.write(lambda connection: connection.execute(changing)))


TestOwnership = Ownership.TestCase
TestOwnership.settings = settings(
    max_examples=20, stateful_step_count=30, deadline=None, suppress_health_check=list(HealthCheck)
)
