"""Many clients under the preset `storm`: afterwards journal, rows and ledger agree."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any

import httpx2
import pytest

from soundstage.contexts.apps import tables_of
from soundstage.contexts.engine import disk
from soundstage.gateway.faults.ledger import HORIZON
from tests.conftest import Gateway
from tests.gateway.faults.small_state import READS, SMALL_STATE, WRITES

pytestmark = pytest.mark.long
CLIENTS, CALLS = 50, 10_000
_HEADERS = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-11-25"}


async def test_journal_rows_and_ledger_agree_after_ten_thousand_calls_by_fifty_clients(gateway: Gateway) -> None:
    session = gateway.session(world="empty", faults="storm", seed=9)
    gateway.api("PUT", f"/sessions/{session['id']}/state", json=SMALL_STATE)
    answered, broken = await _storm(session)
    assert answered + broken == CALLS
    journal = gateway.journal(session["id"])
    state = gateway.api("GET", f"/sessions/{session['id']}/state").json()
    ledger = httpx2.get(f"{gateway.url}/api/sessions/{session['id']}/faults/ledger", timeout=300).json()
    _check_steps(journal, answered, broken)
    _check_rows(journal, state)
    _check_ledger(journal, ledger, broken)


async def _storm(session: dict[str, Any]) -> tuple[int, int]:
    """Let the clients make calls in turn. A broken connection counts as an answer."""
    outcome: Counter[str] = Counter()
    apps = list(SMALL_STATE)

    async def client(number: int) -> None:
        async with httpx2.AsyncClient(timeout=120) as http:
            for turn in range(CALLS // CLIENTS):
                app = apps[(number + turn) % len(apps)]
                name, arguments = (WRITES if turn % 3 == 0 else READS)[app]
                params = {"name": name, "arguments": arguments}
                body = {"jsonrpc": "2.0", "id": turn, "method": "tools/call", "params": params}
                try:
                    response = await http.post(session["apps"][app], json=body, headers=_HEADERS)
                    assert response.status_code == 200, response.text
                    outcome["answered"] += 1
                except httpx2.RemoteProtocolError:
                    outcome["broken"] += 1

    await asyncio.gather(*(client(number) for number in range(CLIENTS)))
    return outcome["answered"], outcome["broken"]


def _check_steps(journal: list[dict[str, Any]], answered: int, broken: int) -> None:
    assert [line["step"] for line in journal] == list(range(1, len(journal) + 1))
    calls = [line for line in journal if line["app"] is not None]
    unheard = [line for line in calls if line["reply"] is None]
    twice = sum(line["fault"] == "duplicate_delivery" for line in unheard)
    assert len(calls) - len(unheard) == answered
    assert len(unheard) - twice == broken


def _check_rows(journal: list[dict[str, Any]], state: dict[str, Any]) -> None:
    """Check that the receipts, applied in order, give the present rows."""
    net: Counter[str] = Counter()
    for line in journal:
        if line["tool"] == "state":
            continue
        for change in line["changes"]:
            weight = {"insert": 1, "delete": -1, "update": 0}[change["op"]]
            net[f"{change['app']}.{change['entity']}"] += weight
    given: Counter[tuple[str, str]] = Counter()
    for app, entities in SMALL_STATE.items():
        for entity, objects in entities.items():
            view = tables_of(app).views.get(entity)  # a view in an app's state may be stored on the session's disk
            given[(app, entity) if view is None else (disk.NAME, view.kind)] += len(objects)
    for (app, entity), count in given.items():
        left = state.get(app, {}).get(
            entity, []
        )  # entities without rows are left out; a drift may have removed all rows
        assert len(left) == count + net[f"{app}.{entity}"], (app, entity)


def _check_ledger(journal: list[dict[str, Any]], ledger: list[dict[str, Any]], broken: int) -> None:
    by_step = {line["step"]: line for line in journal}
    landed = [e for e in ledger if e["landed"]]
    assert len({e["fault"] for e in landed}) >= 12
    assert all(by_step[e["step"]]["fault"] == e["fault"] for e in landed)
    assert all(by_step[e["step"]]["reply"] == e["saw"] for e in landed)
    before = sum(line["fault"] == "drift" and line["app"] is None for line in journal)
    twice = sum(line["fault"] == "duplicate_delivery" and line["reply"] is None for line in journal)
    assert len(landed) == sum(line["fault"] is not None for line in journal) - before - twice
    assert sum(e["saw"] is None for e in landed) == broken
    lost = [e for e in landed if e["fault"] == "lost_ack"]
    assert lost
    assert all(e["effects"] == _effects(journal, e) for e in lost)


def _effects(journal: list[dict[str, Any]], lost: dict[str, Any]) -> int:
    """Count the effects of the lost call and its repetitions, up to the first one that was fully answered."""
    calls = [
        line
        for line in journal
        if line["step"] >= lost["step"] and line["app"] is not None and not _delivered_before(line)
    ]
    effects = 0
    for line in calls[: HORIZON + 1]:
        if (line["tool"], line["arguments"]) != (lost["tool"], lost["arguments"]):
            continue
        effects += any(c["op"] == "insert" for c in line["changes"])
        if line["ok"] and line["reply"] is not None and line["fault"] not in ("lost_ack", "partial_page"):
            break
    return effects


def _delivered_before(line: dict[str, Any]) -> bool:
    return line["fault"] == "duplicate_delivery" and line["reply"] is None
