"""What sessions have been doing, for lists of them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass

from soundstage.contexts.engine.clock import from_ms, wall_ms
from soundstage.gateway.journal.overview import Tally, Totals
from soundstage.gateway.registry.records import SessionRecord
from soundstage.gateway.sessions.sessions import Sessions


@dataclass(frozen=True, slots=True)
class Listed:
    """A session in the list. `totals` is None where its context cannot be used; `state` says why."""

    record: SessionRecord
    totals: Totals | None
    state: str | None


async def look_at(sessions: Sessions, tally: Tally, records: Iterable[SessionRecord]) -> list[Listed]:
    """Sessions with what their calls came to. Gives way to calls between two sessions."""
    found = list[Listed]()
    for record in records:
        counted, state = None, None
        if record.expires_ms is not None and record.expires_ms <= wall_ms():
            state = "expired"
        else:
            try:
                with sessions.look(record) as context:
                    counted = _shown(await tally.of(record.id, context))
            except Exception as error:  # of one session; the list is of all
                problem = sessions.behind(error, record.id)
                state = (
                    f"it cannot be read ({error}); reset it, or restore a snapshot" if problem is None else str(problem)
                )
        found.append(Listed(record, counted, state))
        await asyncio.sleep(0)
    return found


def _shown(totals: Totals) -> Totals:
    """Totals whose last moment is one.

    Raises:
        OverflowError: for a time that no calendar has.
    """
    if totals.last_at_ms is not None:
        from_ms(totals.last_at_ms)
    return totals
