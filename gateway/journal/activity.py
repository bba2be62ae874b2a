"""The activity of sessions, for lists of them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass

from soundstage.contexts.engine.clock import from_ms, wall_ms
from soundstage.gateway.journal.overview import Totals, TotalsCache
from soundstage.gateway.registry.records import SessionRecord
from soundstage.gateway.sessions.sessions import Sessions


@dataclass(frozen=True, slots=True)
class ListedSession:
    """A session in a list. `totals` is None if its context cannot be used; `state` gives the reason."""

    record: SessionRecord
    totals: Totals | None
    state: str | None


async def list_with_activity(
    sessions: Sessions, tally: TotalsCache, records: Iterable[SessionRecord]
) -> list[ListedSession]:
    """Return sessions with the totals of their calls. Other calls run between two sessions."""
    listed = list[ListedSession]()
    for record in records:
        counted, state = None, None
        if record.expires_ms is not None and record.expires_ms <= wall_ms():
            state = "expired"
        else:
            try:
                with sessions.open_read_only(record) as context:
                    counted = _shown(await tally.of(record.id, context))
            except Exception as error:  # an error of one session must not affect the list
                problem = sessions.cause_of(error, record.id)
                state = (
                    f"it cannot be read ({error}); reset it, or restore a snapshot" if problem is None else str(problem)
                )
        listed.append(ListedSession(record, counted, state))
        await asyncio.sleep(0)
    return listed


def _shown(totals: Totals) -> Totals:
    """Check that the time of the last call is a valid date.

    Raises:
        OverflowError: it is not.
    """
    if totals.last_at_ms is not None:
        from_ms(totals.last_at_ms)
    return totals
