"""A session contains and loads only the tables of its apps, and refuses other apps with a message."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import apsw
import httpx2
import pytest

from soundstage.servers.catalogue import load_app
from tests.conftest import REPOSITORY, Gateway, clean_environment


@pytest.fixture
def slack(gateway: Gateway) -> dict[str, Any]:
    made = httpx2.post(f"{gateway.url}/api/sessions", json={"apps": ["slack"]}).json()
    session: dict[str, Any] = made
    return session


def _tables(gateway: Gateway, session: str) -> set[str]:
    file = gateway.data / "sessions" / f"{session}.db"
    connection = apsw.Connection(str(file), flags=apsw.SQLITE_OPEN_READONLY)
    rows = connection.execute(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_%' ESCAPE '\\'"
    )
    names = {str(name).partition("_")[0] for (name,) in rows.fetchall()}
    connection.close()
    return names


def test_context_fork_and_reset_contain_only_the_tables_of_the_sessions_apps(
    gateway: Gateway, slack: dict[str, Any]
) -> None:
    address = f"{gateway.url}/api/sessions/{slack['id']}"
    fork = httpx2.post(f"{address}/fork").json()
    httpx2.post(f"{address}/reset").raise_for_status()
    assert _tables(gateway, slack["id"]) == _tables(gateway, fork["id"]) == {"slack"}
    assert httpx2.get(f"{address}/state").json().keys() == {"slack"}


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("PUT", "state", {"lark": {"chat": []}}),
        ("GET", "state?app=lark", None),
        ("GET", "tree?app=lark", None),
        ("GET", "tree?app=lark&path=chat[x]", None),
        ("PUT", "tree?app=lark", {"chat": {}}),
    ],
)
def test_an_app_outside_the_session_is_refused_with_the_apps_it_has(
    gateway: Gateway, slack: dict[str, Any], method: str, path: str, body: object
) -> None:
    refused = httpx2.request(method, f"{gateway.url}/api/sessions/{slack['id']}/{path}", json=body)
    assert refused.status_code == 400
    assert "lark: is not an app of this session; its apps: slack" in refused.text


def test_a_session_reports_the_app_versions_it_was_created_with(gateway: Gateway, slack: dict[str, Any]) -> None:
    shown = httpx2.get(f"{gateway.url}/api/sessions/{slack['id']}").json()
    assert shown["versions"] == {"slack": load_app("slack").version}


@pytest.mark.long
def test_creating_and_opening_a_session_loads_only_the_tables_of_its_apps(tmp_path: Path) -> None:
    program = """
import asyncio, sys
from pathlib import Path
from soundstage.gateway.sessions.sessions import NewSession, Sessions
from soundstage.gateway.settings import Settings

async def run() -> None:
    sessions = Sessions(Settings(data=Path(sys.argv[1])))
    await sessions.start()
    await sessions.by_name("mine", NewSession(name="mine", apps=("slack",)))
    await sessions.stop()

asyncio.run(run())
print(sorted(m for m in sys.modules if m.startswith("soundstage.contexts.apps.")))
"""
    environment = {**clean_environment(), "PYTHONPATH": str(REPOSITORY / "src")}
    loaded = []
    for _ in ("builds the world", "makes the session", "opens the session"):
        done = subprocess.run(
            [sys.executable, "-c", program, str(tmp_path)], capture_output=True, text=True, env=environment, check=True
        )
        loaded.append(done.stdout.strip().replace("'", '"'))
        if len(loaded) == 1:
            (tmp_path / "registry.db").unlink()
            for file in (tmp_path / "sessions").iterdir():
                file.unlink()
    assert [json.loads(line) for line in loaded[1:]] == [["soundstage.contexts.apps.slack"]] * 2
