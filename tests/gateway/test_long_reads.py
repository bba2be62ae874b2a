"""No route reads a large session in the event loop: reader processes do. Small sessions are read directly, with the same
answer.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import orjson
import pytest

from soundstage.contexts.engine import checkpoints, journal
from soundstage.contexts.engine.schema import Entity
from soundstage.contexts.engine.state import load
from soundstage.gateway.app import build_app
from soundstage.gateway.delivery import ClientGone, unless_gone
from soundstage.gateway.inspection import reader as reading
from soundstage.gateway.sessions import offload
from soundstage.gateway.sessions.sessions import Sessions
from soundstage.gateway.settings import Settings
from tests import built_worlds

STEPS = 620
"""More steps than the event loop reads directly."""

ROUTES = (
    "/api/sessions/{id}",
    "/api/sessions/{id}/journal",
    "/api/sessions/{id}/journal?kind=state",
    "/api/sessions/{id}/journal?after=600&limit=5",
    "/api/sessions/{id}/journal.csv",
    "/api/sessions/{id}/diff?from=0",
    "/api/sessions/{id}/diff?from=600&to=10",
    "/api/sessions/{id}/faults/ledger",
    "/api/faults/report?session={id}",
    "/api/sessions/{id}/state",
    "/api/sessions/{id}/state?app=lark&at=1",
    "/api/sessions/{id}/tree?app=lark",
    "/api/sessions/{id}/tables",
    "/api/sessions/{id}/tables/lark/user",
    "/api/sessions/{id}/tables/lark/user?format=csv",
    "/api/sessions/{id}/search?q=user%2099",
    "/sessions/{id}",
    "/sessions/{id}?only=failed",
    "/sessions/{id}/apps/lark",
    "/sessions/{id}/apps/lark?at=1",
    "/sessions/{id}/diff?from=0",
    "/sessions/{id}/faults",
    "/sessions/{id}/data",
    "/sessions/{id}/search?q=user%2099",
)


class Staged:
    """A gateway in this process, its sessions, and the number of rows and objects read in its event loop."""

    def __init__(self, client: httpx2.AsyncClient, sessions: Sessions) -> None:
        self.client = client
        self.sessions = sessions
        self.read_here = 0

    async def large(self, durability: str) -> str:
        """Create a session with many steps and users, and return its id."""
        made = await self.client.post("/api/sessions", json={"world": "empty", "durability": durability})
        session = await self.sessions.by_id(made.json()["id"])
        for number in range(STEPS):
            with session.context.step("call", "some_tool", {"number": number}, app="lark") as step:
                user = {"open_id": f"ou_{number}", "name": f"user {number}"}
                load(session.context, {"lark": {"user": [user]}}, "add")
                step.reply = {"content": [{"type": "text", "text": "done"}]}
        return session.id


@asynccontextmanager
async def _staged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Staged]:
    made: list[Sessions] = []

    def noted(self: Sessions, *arguments: Any, **named: Any) -> None:
        made.append(self)
        begin(self, *arguments, **named)

    begin = Sessions.__init__
    monkeypatch.setattr(Sessions, "__init__", noted)
    app = build_app(Settings(data=tmp_path, built=built_worlds.folder()))
    transport = httpx2.ASGITransport(app=app, client=("127.0.0.1", 0))
    async with (
        app.router.lifespan_context(app),
        httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1:8700", timeout=60) as client,
    ):
        staged = Staged(client, made[0])
        loop = threading.get_ident()

        def counted(function: Callable[..., Any]) -> Callable[..., Any]:
            def count(*arguments: Any, **named: Any) -> Any:
                staged.read_here += threading.get_ident() == loop
                return function(*arguments, **named)

            return count

        monkeypatch.setattr(journal, "_row", counted(journal._row))
        monkeypatch.setattr(Entity, "decode", counted(Entity.decode))
        yield staged


@pytest.mark.parametrize(
    ("durability", "routes"),
    [
        pytest.param("durable", ROUTES[:8], id="durable"),
        pytest.param("durable", ROUTES, marks=pytest.mark.long, id="durable, every route"),
        pytest.param("memory", ROUTES, marks=pytest.mark.long, id="memory, every route"),
    ],
)
async def test_every_route_reads_a_large_session_outside_the_event_loop_with_the_same_answer(
    tmp_path: Path, durability: str, routes: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    async with _staged(tmp_path, monkeypatch) as staged:
        await _read_everywhere(staged, durability, routes, monkeypatch)


async def _read_everywhere(
    staged: Staged, durability: str, routes: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    session = await staged.large(durability)
    addresses = [route.format(id=session) for route in routes]
    monkeypatch.setattr(offload, "_BYTES_AT_ONCE", 0)
    elsewhere = await asyncio.gather(*map(staged.client.get, addresses))
    assert (
        staged.read_here <= 200
    )  # only the rows of pages: reading the whole session would need more for each single route
    monkeypatch.setattr(offload, "_STEPS_AT_ONCE", reading.ALL)
    monkeypatch.setattr(offload, "_BYTES_AT_ONCE", reading.ALL)
    for address, large in zip(addresses, elsewhere, strict=True):
        here = await staged.client.get(address)
        assert (large.status_code, here.status_code) == (200, 200), address
        assert _lasting(large.text) == _lasting(here.text), address
    lines = [orjson.loads(line) for line in elsewhere[1].text.splitlines()]
    assert [line["step"] for line in lines] == list(range(1, STEPS + 1))
    assert [orjson.loads(line)["step"] for line in elsewhere[3].text.splitlines()] == [601, 602, 603, 604, 605]
    assert elsewhere[2].text == ""
    counted = await staged.client.post(f"/api/sessions/{session}/query", json={"sql": "SELECT count(*) FROM lark_user"})
    assert counted.json()["rows"] == [[STEPS]]


@pytest.mark.long
@pytest.mark.parametrize("durability", ["durable", "memory"])
async def test_restoring_and_forking_a_large_session_never_exposes_a_partial_state(
    tmp_path: Path, durability: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with _staged(tmp_path, monkeypatch) as staged:
        await _put_back(staged, durability, monkeypatch)


async def _put_back(staged: Staged, durability: str, monkeypatch: pytest.MonkeyPatch) -> None:
    session = await staged.large(durability)
    path = f"/api/sessions/{session}"
    monkeypatch.setattr(offload, "_BYTES_AT_ONCE", 0)
    in_loop: list[str] = []
    loop = threading.get_ident()
    merge = checkpoints.merged

    def merged(*arguments: Any) -> bytes:
        if threading.get_ident() == loop:
            in_loop.append("merged")
        return merge(*arguments)

    monkeypatch.setattr(checkpoints, "merged", merged)
    client = staged.client
    snapshot = (await client.post(f"{path}/snapshots")).json()["id"]
    fork, shown = await asyncio.gather(
        client.post(f"{path}/fork", json={"at": 20}), client.get(f"{path}/journal?after=600")
    )
    assert fork.json()["step"] == 20
    assert len(shown.text.splitlines()) == 20
    opened = await staged.sessions.by_id(session)
    restoring = asyncio.ensure_future(client.post(f"{path}/restore", json={"step": 10}))
    while not opened.is_reserved:  # noqa: ASYNC110 for a moment
        await asyncio.sleep(0)
    calls = await asyncio.gather(*(client.post(f"{path}/clock", json={"tick_ms": tick}) for tick in range(3)))
    back = await restoring
    assert back.status_code == 200, back.text
    assert [call.status_code for call in calls] == [200] * 3
    assert (await client.get(path)).json()["step"] == 13
    assert (await client.post(f"{path}/restore", json={"snapshot": snapshot})).json()["step"] == STEPS
    assert (await client.post(f"{path}/reset")).json()["step"] == 0
    assert in_loop == []


async def test_deleting_a_session_during_its_journal_download_ends_it_cleanly(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with _staged(tmp_path, monkeypatch) as staged:
        await _deleted(staged)


async def _deleted(staged: Staged) -> None:
    session = await staged.large("durable")
    async with staged.client.stream("GET", f"/api/sessions/{session}/journal") as answer:
        assert (await staged.client.delete(f"/api/sessions/{session}")).status_code == 204
        lines = [orjson.loads(line) async for line in answer.aiter_lines()]
    assert len(lines) == STEPS  # as it was when the response began
    gone = await staged.client.get(f"/api/sessions/{session}/journal")
    assert (gone.status_code, "there is no session" in gone.json()["error"]) == (404, True)


def _lasting(page: str) -> str:
    """Return the lines of a page without the tokens of its forms, which change."""
    return "\n".join(line for line in page.splitlines() if "csrf" not in line)


@pytest.mark.long
async def test_a_world_is_built_outside_the_event_loop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def not_here(*arguments: Any) -> None:
        raise AssertionError("the world was built in the gateway's own process")

    monkeypatch.setattr("soundstage.worlds.content", not_here)
    async with _staged(tmp_path, monkeypatch) as staged:
        made = await asyncio.gather(
            *(
                staged.client.post("/api/sessions", json={"world": "campus", "durability": d})
                for d in ("memory", "durable")
            )
        )
        assert [one.status_code for one in made] == [201, 201]


async def test_work_is_cancelled_when_its_client_disconnects() -> None:
    messages = asyncio.Queue[dict[str, Any]]()
    messages.put_nowait({"type": "http.request", "body": b""})
    ended = asyncio.Event()

    async def work() -> str:
        try:
            return await asyncio.get_running_loop().create_future()
        finally:
            ended.set()

    task = asyncio.ensure_future(unless_gone(messages.get, work()))
    await asyncio.sleep(0)
    assert not task.done()
    messages.put_nowait({"type": "http.disconnect"})
    with pytest.raises(ClientGone):
        await task
    await asyncio.wait_for(ended.wait(), 60)
