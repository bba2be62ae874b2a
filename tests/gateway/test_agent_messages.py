"""Errors that reach agents name no path, address or command of the gateway; the log has the full text."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import pytest
from structlog.testing import capture_logs

from soundstage.contexts.engine.problems import DiskFull
from soundstage.gateway.calls.kernel_handler import KernelHandler
from soundstage.gateway.refusals import INTERNAL, agent_message
from soundstage.gateway.registry.database import RegistryBusy, RegistryFull, RegistryUnavailable
from soundstage.gateway.sessions.sessions import Sessions
from soundstage.gateway.settings import Settings
from soundstage.servers.catalogue import BrokenApp
from tests import built_worlds
from tests.gateway.agent_requests import request_for
from tests.runs.conftest import serve

OLDER, MODERN = "2025-11-25", "2026-07-28"


@dataclass(frozen=True)
class Stage:
    """A gateway in a thread of this process, and a durable session."""

    url: str
    data: Path
    session: dict[str, Any]

    @property
    def file(self) -> Path:
        return self.data / "sessions" / f"{self.session['id']}.db"

    def call(self, revision: str, *, plain: bool = True) -> httpx2.Response:
        """Have Lark create a task. A request that is not `plain` goes through the SDK."""
        path, body, headers = request_for(self.session["handle"], "x")
        if revision == OLDER:
            headers = {"Accept": headers["Accept"], "MCP-Protocol-Version": OLDER}
            del body["params"]["_meta"]
        if not plain:
            body["params"]["_meta"] = {**body["params"].get("_meta", {}), "progressToken": 1}
        return httpx2.post(f"{self.url}{path}", json=body, headers=headers)

    def message(self, revision: str, *, plain: bool = True) -> str:
        """Return the error message of a refused call, after checking that it does not contain the location of the gateway's
        files.
        """
        response = self.call(revision, plain=plain)
        assert str(self.data) not in response.text
        assert "Traceback" not in response.text
        assert ".db" not in response.text
        message: str = response.json()["error"]["message"]
        return message


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    server, thread, port = serve(Settings(data=tmp_path, built=built_worlds.folder()))
    url = f"http://127.0.0.1:{port}"
    made = httpx2.post(f"{url}/api/sessions", json={"world": "empty", "durability": "durable"}).json()
    stage = Stage(url, tmp_path, made)
    assert "result" in stage.call(MODERN).json()
    yield stage
    server.should_exit = True
    thread.join()


def _raising(patch: pytest.MonkeyPatch, owner: type, method: str, error: Exception) -> None:
    async def fail(*arguments: object, **named: object) -> None:
        raise error

    patch.setattr(owner, method, fail)


def _overwrite(file: Path) -> None:
    with sqlite3.connect(file) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    spare = file.with_suffix(".spare")
    spare.write_bytes(b"no database " * 4096)
    for suffix in ("-wal", "-shm"):
        Path(f"{file}{suffix}").unlink(missing_ok=True)
    spare.replace(file)


def _remove(file: Path) -> None:
    for suffix in ("", "-wal", "-shm"):
        Path(f"{file}{suffix}").unlink(missing_ok=True)


def _folder(file: Path) -> None:
    _remove(file)
    file.mkdir()


@pytest.mark.parametrize("plain", [True, False], ids=["fast path", "SDK"])
@pytest.mark.parametrize("revision", [OLDER, MODERN])
def test_a_full_disk_is_reported_without_paths(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, revision: str, plain: bool
) -> None:
    _raising(monkeypatch, KernelHandler, "handle", DiskFull(f"cannot write {stage.file}"))
    with capture_logs() as logs:
        assert "free disk space" in stage.message(revision, plain=plain)
    assert any(str(stage.file) in str(entry.get("reason")) for entry in logs)


@pytest.mark.parametrize("plain", [True, False], ids=["fast path", "SDK"])
@pytest.mark.parametrize("revision", [OLDER, MODERN])
def test_an_internal_error_is_reported_without_details(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, revision: str, plain: bool
) -> None:
    _raising(monkeypatch, KernelHandler, "handle", PermissionError(13, "Permission denied", str(stage.file)))
    with capture_logs() as logs:
        assert stage.message(revision, plain=plain) == (INTERNAL if revision == OLDER else "Internal server error")
    assert revision == MODERN or any("exc_info" in entry for entry in logs)


@pytest.mark.parametrize("harm", [_overwrite, _remove, _folder], ids=["damaged", "missing", "folder"])
@pytest.mark.parametrize("revision", [OLDER, MODERN])
def test_an_unusable_context_file_is_reported_without_paths(stage: Stage, revision: str, harm: Any) -> None:
    harm(stage.file)
    with capture_logs() as logs:
        message = stage.message(revision)
    assert "the session's context is damaged; reset the session, restore a snapshot of it, or delete it" in message
    assert [entry["reason"] for entry in logs if entry["event"] == "a session's context is damaged"]
    if stage.file.is_dir():
        shutil.rmtree(stage.file)


@pytest.mark.parametrize("revision", [OLDER, MODERN])
@pytest.mark.parametrize("kind", [RegistryFull, RegistryBusy, RegistryUnavailable, BrokenApp])
def test_an_unusable_registry_or_app_is_reported_without_paths(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, kind: type[Exception], revision: str
) -> None:
    monkeypatch.setattr(Sessions, "live", lambda *arguments: None)
    _raising(monkeypatch, Sessions, "by_handle", kind(stage.data / "registry.db"))
    with capture_logs() as logs:
        response = stage.call(revision)
    assert str(stage.data) not in response.text
    assert response.status_code == {RegistryFull: 507, BrokenApp: 500}.get(kind, 503)
    assert any(str(stage.data) in str(entry.get("reason")) for entry in logs)


def test_unexpected_exceptions_have_one_message() -> None:
    assert agent_message(OSError(2, "No such file", "/srv/soundstage/registry.db")) == INTERNAL


def test_the_control_plane_still_reports_where_a_file_is(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    _raising(monkeypatch, Sessions, "by_id", RegistryFull(stage.data / "registry.db"))
    refused = httpx2.get(f"{stage.url}/api/sessions/{stage.session['id']}/state")
    assert refused.status_code == 507
    assert str(stage.data) in refused.json()["error"]
