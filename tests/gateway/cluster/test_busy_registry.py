"""A gateway that sends its registry more statements than its connections can run at a time."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import pytest
from sqlalchemy import text

from soundstage.gateway.registry import database as registry
from soundstage.gateway.registry.database import Database, RegistryUnavailable
from soundstage.gateway.registry.leases import Leases, Peer

STATEMENT_S, STATEMENTS = 0.3, 48


@pytest.mark.long
async def test_a_queue_for_the_registry_is_not_an_outage_and_expires_no_lease(
    tmp_path: Path, postgres: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(registry, "_PATIENCE_S", 3 * STATEMENT_S)  # the queue is twice as long
    database = Database(tmp_path, postgres)
    leases = Leases(database, Peer("gw_busy", "http://127.0.0.1:1", "key", "vol"))
    await database.connect()
    await leases.join()
    queue = [asyncio.create_task(_ask(database)) for _ in range(STATEMENTS)]
    await asyncio.sleep(STATEMENT_S / 3)
    began = time.monotonic()
    there = await leases.renew()
    await leases.drain()
    assert time.monotonic() - began < STATEMENT_S  # the first statement in the queue has not ended by then
    assert [peer.id for peer in there] == ["gw_busy"]
    assert not any(task.done() for task in queue)
    await asyncio.gather(*queue)
    await leases.leave()
    await database.close()


@pytest.mark.long
async def test_a_stuck_queue_is_reported(tmp_path: Path, postgres: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_TURN_S", STATEMENT_S / 2)
    database = Database(tmp_path, postgres)
    await database.connect()
    results = await asyncio.gather(*(_ask(database) for _ in range(12)), return_exceptions=True)
    refused = [error for error in results if error is not None]
    assert [str(error) for error in refused if isinstance(error, RegistryUnavailable)] == [
        "all connections to the registry have been in use for 0.15 s; try again in a moment"
    ] * 4
    assert (
        await asyncio.gather(*(_ask(database) for _ in range(8))) == [None] * 8
    )  # all places in the queue were released
    await database.close()


async def _ask(database: Database) -> None:
    async with database.reading() as connection:
        await connection.execute(text("SELECT pg_sleep(:seconds)"), {"seconds": STATEMENT_S})
