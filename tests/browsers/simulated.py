"""Our browser, called as by a client of a session."""

from __future__ import annotations

import itertools
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from soundstage.contexts.engine import state
from soundstage.contexts.engine.clock import Clock, parse_moment, to_ms
from soundstage.contexts.engine.storage import MemoryStorage
from soundstage.gateway.calls.dispatch import dispatch
from soundstage.gateway.registry.records import SessionRecord
from soundstage.gateway.sessions.session import Session
from soundstage.servers.catalogue import load_app
from soundstage.worlds import load_world, start_for

_storage = MemoryStorage()
_numbers = itertools.count()
_MORNING = to_ms(parse_moment("2026-03-10T09:00:00Z"))


class Simulated:
    """A session of one app with a given web. `disk` contains the machine's files by their paths."""

    def __init__(self, app: str, web: dict[str, list[dict[str, Any]]], disk: dict[str, str], worlds: Path) -> None:
        self._app = load_app(app)
        self._name = f"browsers-{next(_numbers)}"
        clock = Clock("frozen", _MORNING)
        with start_for(load_world("empty"), worlds, (app,)) as start:
            self._whole = _storage.create(self._name, start, seed=0, clock=clock)
        with self._whole.transaction():
            state.load(self._whole, {app: web})
            for path, text in disk.items() if app == "playwright" else ():
                self.context.disk.write(path, text.encode())
        record = SessionRecord(self._name, self._name, None, "empty", (app,), 0, clock, 0, None, durability="memory")
        self._session = Session(record, self._whole)

    @property
    def context(self) -> Any:
        """Return the app's part of the session."""
        return self._whole.app(self._app.name)

    def changing(self) -> AbstractContextManager[object]:
        """Return a block in which the session's rows may be changed directly."""
        return self._whole.transaction()

    def call(self, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """Return the result that a client gets."""
        return dict(dispatch(self._session, self._app, f"{self._app.name}_{tool}", arguments).reply)

    def console(self) -> list[str]:
        """Return every line of the console."""
        return [f"[{row['type']}] {row.get('text') or ''}" for row in self.context.list("console")]

    def close(self) -> None:
        _storage.delete(self._name)
