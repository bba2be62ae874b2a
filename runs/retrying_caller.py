"""A persistent caller: it repeats failed calls, and checks the state before it repeats a call that may have succeeded."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from soundstage.contexts.engine import journal
from soundstage.gateway.calls.dispatch import dispatch
from soundstage.gateway.faults.record import read_record
from soundstage.gateway.sessions.session import Session
from soundstage.servers.catalogue import App

REPEATS = 4


class GaveUp(RuntimeError):
    """A call failed in every attempt."""


class RetryingCaller:
    """Makes calls in a session with injected faults.

    It retries failed calls and affected reads at most four times and follows renamed tools. After a lost reply it checks
    whether the call took effect, and continues if so.
    """

    def __init__(self, session: Session, apps: Mapping[str, App]) -> None:
        self._session = session
        self._apps = apps
        self._renamed: dict[tuple[str, str], str] = {}

    def make(self, app: str, tool: str, arguments: Any) -> Any:
        """Return the reply of a successful call.

        Raises:
            GaveUp: No attempt succeeded.
        """
        reads = tool in self._apps[app].tools and self._apps[app].tools[tool].effect == "read"
        for _ in range(1 + REPEATS):
            called = self._renamed.get((app, tool), tool)
            made = dispatch(self._session, self._apps[app], called, arguments)
            assert made.step is not None
            (row,) = journal.read(self._session.context, after=made.step - 1, limit=1)
            fault = read_record(row.fault) if row.fault else None
            if fault is None or not fault.landed:
                if made.delivery.ok:
                    return made.delivery.reply
                continue
            detail = fault.detail or {}
            if "now" in detail:
                self._renamed[app, tool] = detail["now"]
            elif "lost" in detail:  # the state shows that the call took effect
                return detail["lost"]
            elif made.delivery.ok and not reads and not made.delivery.dropped:
                return made.delivery.reply
        raise GaveUp(f"{app} {tool} failed {1 + REPEATS} times")
