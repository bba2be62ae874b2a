"""A damaged, truncated, replaced or missing session file: every interface reports it with a remedy, and other sessions are not
affected.
"""

from __future__ import annotations

import random
import shutil
import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import pytest
from structlog.testing import capture_logs

from soundstage.gateway.app import build_app
from soundstage.gateway.settings import Settings
from tests import built_worlds
from tests.gateway.agent_requests import request_for
from tests.gateway.faults.small_state import READS, SMALL_STATE, WRITES

PAGE = 4096
FAULTS = {
    "rules": [
        {"name": "busy", "fault": "rate_limit", "when": {"probability": 0.2}},
        {"name": "cut", "fault": "truncate", "when": {"probability": 0.2}},
    ]
}
Damaging = Callable[[Path], None]


@dataclass(frozen=True)
class Stage:
    """A gateway in this process with one session that has made some calls under faults, and a second session."""

    client: httpx2.AsyncClient
    data: Path
    session: dict[str, Any]
    other: dict[str, Any]
    snapshot: str
    sound: bytes

    @property
    def file(self) -> Path:
        return self.data / "sessions" / f"{self.session['id']}.db"

    async def api(self, method: str, path: str = "", **arguments: Any) -> httpx2.Response:
        return await self.client.request(method, f"/api/sessions/{self.session['id']}{path}", **arguments)

    async def call(self) -> httpx2.Response:
        path, body, headers = request_for(self.session["handle"], "x")
        return await self.client.post(path, json=body, headers=headers)

    def exchange(self, damage: Damaging) -> None:
        """Replace the session's file with a damaged copy of itself."""
        shutil.rmtree(self.file, ignore_errors=True)
        for suffix in ("", "-wal", "-shm"):
            Path(f"{self.file}{suffix}").unlink(missing_ok=True)
        spare = self.file.with_suffix(".spare")
        spare.write_bytes(self.sound)
        damage(spare)
        if spare.exists():
            spare.replace(self.file)
        for suffix in ("-wal", "-shm"):
            if Path(f"{spare}{suffix}").exists():
                Path(f"{spare}{suffix}").replace(f"{self.file}{suffix}")


@asynccontextmanager
async def _staged(data: Path) -> AsyncIterator[Stage]:
    app = build_app(Settings(data=data, built=built_worlds.folder()))
    transport = httpx2.ASGITransport(app=app, client=("127.0.0.1", 0), raise_app_exceptions=False)
    async with (
        app.router.lifespan_context(app),
        httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1:8700") as client,
    ):
        made = []
        for faults in (FAULTS, "off"):
            made.append((await client.post("/api/sessions", json={"world": "empty", "faults": faults})).json())
        session, other = made
        path = f"/api/sessions/{session['id']}"
        assert (await client.put(f"{path}/state", json=SMALL_STATE)).status_code == 200
        for _ in range(4):
            for app_name, (tool, arguments) in (*WRITES.items(), *READS.items()):
                body = {"app": app_name, "tool": tool, "arguments": arguments}
                assert (await client.post(f"{path}/calls", json=body)).status_code == 200
        snapshot = (await client.post(f"{path}/snapshots")).json()["id"]
        file = data / "sessions" / f"{session['id']}.db"
        with sqlite3.connect(file) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        connection.close()
        yield Stage(client, data, session, other, snapshot, file.read_bytes())


def _cut(to: float) -> Damaging:
    def damage(file: Path) -> None:
        whole = file.read_bytes()
        file.write_bytes(whole[: int(len(whole) * to)])

    return damage


def _overwritten(seed: int, *, from_page: int = 0, pages: int = 1, with_byte: int | None = None) -> Damaging:
    """Overwrite some pages. With `with_byte` None, overwrite single bytes of them instead."""

    def damage(file: Path) -> None:
        chance, whole = random.Random(seed), bytearray(file.read_bytes())
        last = len(whole) // PAGE - 1
        for _ in range(pages):
            start = chance.randint(min(from_page, last), last) * PAGE
            if with_byte is None:
                for _ in range(12):
                    whole[start + chance.randrange(PAGE)] ^= 1 << chance.randrange(8)
            else:
                whole[start : start + PAGE] = bytes([with_byte]) * PAGE
        file.write_bytes(whole)

    return damage


def _header(at: int, value: bytes) -> Damaging:
    def damage(file: Path) -> None:
        whole = bytearray(file.read_bytes())
        whole[at : at + len(value)] = value
        file.write_bytes(whole)

    return damage


def _sql(*statements: str) -> Damaging:
    """Write content that no context has into a file that SQLite considers intact, like a flipped bit in a text."""

    def damage(file: Path) -> None:
        connection = sqlite3.connect(file)
        connection.execute("PRAGMA writable_schema=ON")
        for statement in statements:
            connection.execute(statement)
        connection.commit()
        connection.execute("PRAGMA journal_mode=DELETE")
        connection.close()

    return damage


def _log_cut(file: Path) -> None:
    """Leave the last steps in a write-ahead log whose end is missing."""
    connection = sqlite3.connect(file)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA wal_autocheckpoint=0")
    connection.execute("UPDATE _meta SET step = step + 1")
    connection.execute("INSERT INTO slack_emoji (name, _seq) VALUES ('x', 1)")
    connection.commit()
    log = Path(f"{file}-wal").read_bytes()
    connection.close()
    Path(f"{file}-wal").write_bytes(log[: len(log) - 2000])


def _another_database(file: Path) -> None:
    file.unlink()
    connection = sqlite3.connect(file)
    connection.execute("CREATE TABLE notes (text)")
    connection.commit()
    connection.close()


def _folder(file: Path) -> None:
    file.unlink()
    file.mkdir()
    (file / "something").write_text("x")


FILES: dict[str, Damaging] = {
    "gone": lambda file: file.unlink(),
    "empty": _cut(0),
    "cut in its first page": _cut(0.002),
    **{f"cut at {percent} %": _cut(percent / 100) for percent in (10, 40, 70, 95)},
    "a folder": _folder,
    "another database": _another_database,
    "no database": lambda file: file.write_bytes(b"scribble" * 5000),
    "its log cut": _log_cut,
}
HEADERS: dict[str, Damaging] = {
    "another magic": _header(0, b"SQLate format 3\0"),
    "another page size": _header(16, b"\x02\x00"),
    "another encoding": _header(56, b"\0\0\0\2"),
    "another format": _header(60, b"\0\0\0\7"),
    "a schema of another version": _header(44, b"\0\0\0\x63"),
    "first page zeroed": _header(0, bytes(PAGE)),
}
PAGES: dict[str, Damaging] = {
    **{f"zeroed pages {seed}": _overwritten(seed, from_page=2, pages=12, with_byte=0) for seed in range(4)},
    **{f"filled pages {seed}": _overwritten(seed, from_page=2, pages=12, with_byte=0xEE) for seed in range(4)},
    **{f"flipped bits {seed}": _overwritten(seed, from_page=1, pages=25) for seed in range(8)},
}
ROWS: dict[str, Damaging] = {
    "no own row": _sql("DELETE FROM _meta"),
    "own row no JSON": _sql("UPDATE _meta SET counters = '{\"a\":'"),
    "a clock beyond time": _sql(f"UPDATE _meta SET clock_at = {2**61}, clock_mode = 'never'"),
    "journal rows no JSON": _sql("UPDATE _journal SET arguments = '{', reply = substr(reply, 1, 20)"),
    "faults no JSON": _sql("UPDATE _journal SET fault = '{oh'"),
    "journal no UTF-8": _sql("UPDATE _journal SET tool = CAST(x'ff41fe' AS TEXT)"),
    "receipts cut": _sql("UPDATE _journal SET changeset = substr(changeset, 1, 40) WHERE length(changeset) > 40"),
    "a step out of time": _sql(f"UPDATE _journal SET at = {2**60}"),
    "JSON column no JSON": _sql("UPDATE slack_channel SET members = '[\"U0'", "UPDATE lark_message SET body = '{'"),
    "JSON column no UTF-8": _sql("UPDATE slack_channel SET members = CAST(x'5b22ff225d' AS TEXT)"),
    "texts no UTF-8": _sql("UPDATE slack_message SET text = CAST(x'ff41fe' AS TEXT)"),
    "a table gone": _sql("DROP TABLE slack_message"),
    "an app unknown": _sql("UPDATE _app SET name = 'nobody' WHERE name = 'slack'"),
    "a fingerprint unknown": _sql("UPDATE _app SET fingerprint = 'feed' WHERE name = 'slack'"),
    "a world's name no UTF-8": _sql("UPDATE _meta SET world = CAST(x'ff' AS TEXT), counters = CAST(x'ff' AS TEXT)"),
}

READ = (
    *("", "/state", "/state?app=slack", "/state?at=1", "/journal", "/journal?after=5&limit=2", "/diff", "/diff?from=0&to=1"),
    *("/tree?app=slack", "/tree?app=notion", "/faults", "/faults/ledger", "/seats", "/snapshots"),
)  # fmt: skip
SHOWN = (
    "",
    "/calls/1",
    "/diff",
    "/try",
    "/faults",
    *(f"/apps/{app}" for app in SMALL_STATE),
    "/apps/slack?view=tables&at=1",
)


async def _ask_everything(stage: Stage) -> dict[str, httpx2.Response]:
    """Request everything that reads a session, and make a call of each kind."""
    answers = {f"GET {path}": await stage.api("GET", path) for path in READ}
    answers["report"] = await stage.client.get("/api/faults/report", params={"session": stage.session["id"]})
    for path in SHOWN:
        answers[f"page {path}"] = await stage.client.get(f"/sessions/{stage.session['id']}{path}")
    for app, (tool, arguments) in (*WRITES.items(), *READS.items()):
        body = {"app": app, "tool": tool, "arguments": arguments}
        answers[f"call {tool}"] = await stage.api("POST", "/calls", json=body)
    answers["clock"] = await stage.api("POST", "/clock", json={"mode": "frozen"})
    answers["MCP call"] = await stage.call()
    path, body, headers = request_for(stage.session["handle"], "x")
    listing = {**body, "method": "tools/list", "params": {"_meta": body["params"]["_meta"]}}
    kind = {k: v for k, v in headers.items() if k != "Mcp-Name"} | {"Mcp-Method": "tools/list"}
    answers["MCP list"] = await stage.client.post(path, json=listing, headers=kind)
    return answers


def _is_told(what: str, answer: httpx2.Response) -> None:
    """Check that an answer is a success or an understandable error."""
    assert answer.status_code in (200, 409, 410, 503, 507), (what, answer.status_code, answer.text[:300])
    assert "Traceback" not in answer.text, what
    assert "internal error" not in answer.text, (what, answer.text[:300])
    if answer.status_code == 503:
        assert "delete" in answer.text, (what, answer.text[:300])


async def _damage_and_heal(stage: Stage, name: str, damage: Damaging) -> bool:
    """Damage and reset the session, and return whether the damage was reported. Afterwards the session works again."""
    stage.exchange(damage)
    with capture_logs() as logs:
        answers = await _ask_everything(stage)
        for what, answer in answers.items():
            _is_told(f"{name}: {what}", answer)
        (listed,) = [s for s in await _listed(stage) if s["id"] == stage.session["id"]]
        assert (await stage.client.get("/sessions")).status_code == 200, name
    reports = [entry for entry in logs if entry["event"] == "a session's context is damaged"]
    assert len(reports) <= 1, (name, reports)
    assert not any("exc_info" in entry for entry in logs), (name, logs)
    assert (listed["damaged"] is not None) == bool(reports), name

    assert (await stage.api("POST", "/reset")).json()["step"] == 0, name
    assert [s["damaged"] for s in await _listed(stage)] == [None, None], name
    assert (await stage.api("PUT", "/state", json=SMALL_STATE)).status_code == 200, name
    for what, answer in (await _ask_everything(stage)).items():
        assert answer.status_code == 200, (name, what, answer.text[:300])
    return any(answer.status_code == 503 for answer in answers.values())


async def _listed(stage: Stage) -> list[dict[str, Any]]:
    sessions: list[dict[str, Any]] = (await stage.client.get("/api/sessions")).json()["sessions"]
    return sessions


@pytest.mark.long
async def test_a_damaged_session_is_reported_everywhere_and_reset_repairs_it(tmp_path: Path) -> None:
    async with _staged(tmp_path) as stage:
        beside = (await stage.client.get(f"/api/sessions/{stage.other['id']}")).json()
        for name in ("gone", "no database", "JSON column no JSON"):
            assert await _damage_and_heal(stage, name, {**FILES, **ROWS}[name]), name
        assert (await stage.client.get(f"/api/sessions/{stage.other['id']}")).json() == beside


@pytest.mark.long
@pytest.mark.parametrize("kind", [FILES, HEADERS, PAGES, ROWS], ids=["files", "headers", "pages", "rows"])
async def test_any_kind_of_damage_is_reported(tmp_path: Path, kind: dict[str, Damaging]) -> None:
    async with _staged(tmp_path) as stage:
        reported = {name: await _damage_and_heal(stage, name, damage) for name, damage in kind.items()}
    # Lost log content never existed, and a flipped bit may be in an unused place.
    assert all(reported[name] for name in reported if kind is not PAGES and name != "its log cut"), reported
    assert sum(reported.values()) > len(reported) / 2, reported


async def test_a_file_deleted_under_an_open_session_is_noticed_at_the_next_call(tmp_path: Path) -> None:
    async with _staged(tmp_path) as stage:
        assert "result" in (await stage.call()).json()
        stage.file.unlink()
        refused = await stage.call()
        assert refused.status_code == 503
        assert "reset the session, restore a snapshot of it, or delete it" in refused.json()["error"]["message"]
        state = await stage.api("GET", "/state")
        assert state.status_code == 503
        assert "retry-after" not in refused.headers | state.headers, "waiting mends nothing"
        assert (await stage.api("POST", "/reset")).status_code == 200
        assert "result" in (await stage.call()).json()


@pytest.mark.parametrize("damage", ["gone", "a folder", "cut at 40 %"])
async def test_restoring_a_snapshot_repairs_a_damaged_session(tmp_path: Path, damage: str) -> None:
    async with _staged(tmp_path) as stage:
        before = (await stage.api("GET", "/state")).json()
        stage.exchange(FILES[damage])
        assert [s["id"] for s in (await stage.api("GET", "/snapshots")).json()] == [stage.snapshot]
        assert (await stage.api("POST", "/restore", json={"snapshot": "snp_none"})).status_code == 400
        restored = await stage.api("POST", "/restore", json={"snapshot": stage.snapshot})
        assert restored.status_code == 200, restored.text
        assert (await stage.api("GET", "/state")).json() == before
        assert "result" in (await stage.call()).json()


async def test_restoring_a_damaged_snapshot_changes_nothing(tmp_path: Path) -> None:
    async with _staged(tmp_path) as stage:
        before = (await stage.api("GET")).json()
        _overwritten(1, from_page=2, pages=12, with_byte=0)(tmp_path / "snapshots" / f"{stage.snapshot}.db")
        refused = await stage.api("POST", "/restore", json={"snapshot": stage.snapshot})
        assert refused.status_code == 503
        assert "nothing was changed" in refused.json()["error"]
        assert (await stage.api("GET")).json() == before


@pytest.mark.parametrize("damage", ["gone", "a folder", "no database", "cut at 40 %"])
async def test_a_damaged_session_can_be_deleted(tmp_path: Path, damage: str) -> None:
    async with _staged(tmp_path) as stage:
        stage.exchange(FILES[damage])
        assert (await stage.api("DELETE")).status_code == 204
        assert [s["id"] for s in await _listed(stage)] == [stage.other["id"]]
        assert not list((tmp_path / "sessions").glob(f"{stage.session['id']}*"))
