"""`soundstage.serve` and `soundstage.connect`: a gateway for a block, which leaves nothing behind however the block ends."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import httpx2
import pytest
from mcp.client import Client

import soundstage
from tests import built_worlds
from tests.conftest import REPOSITORY, Gateway
from tests.gateway.upstream.conftest import EVERYTHING


@pytest.fixture(autouse=True)
def _folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything that a stage creates outside its data folder is below the test's folder."""
    for variable, name in (("TMPDIR", "temporary"), ("XDG_CACHE_HOME", "cache")):
        folder = tmp_path / name
        folder.mkdir()
        monkeypatch.setenv(variable, str(folder))
    built_worlds.link_into(tmp_path / "cache" / "soundstage")
    monkeypatch.setattr("tempfile.tempdir", None)


def _left(tmp_path: Path) -> list[str]:
    return sorted(path.name for path in (tmp_path / "temporary").iterdir())


def _command_lines() -> str:
    lines = []
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):  # it has ended meanwhile
            lines.append(file.read_text(errors="replace"))
    return "\n".join(lines)


def _wait_until_gone(url: str) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            httpx2.get(f"{url}/healthz", timeout=2)
        except httpx2.HTTPError:
            return
        time.sleep(0.05)
    raise AssertionError(f"the gateway at {url} still answers")


def test_a_stage_serves_an_mcp_client_and_leaves_nothing_behind(tmp_path: Path) -> None:
    async def errand(url: str) -> bool:
        async with Client(url) as client:
            result = await client.call_tool("lark_task_v2_task_create", {"data": {"summary": "Order gaffer tape"}})
            return bool(result.is_error)

    with soundstage.serve("studio") as stage:
        assert _left(tmp_path), "there is a data folder while it serves"
        session = stage.session(apps=["lark"], seed=4)
        assert asyncio.run(errand(session.mcp_url)) is False
        (line,) = session.journal()
        assert (line["app"], line["tool"], line["ok"]) == ("lark", "task_v2_task_create", True)
        assert "Order gaffer tape" in json.dumps(session.diff())
        url = stage.url
    _wait_until_gone(url)
    assert _left(tmp_path) == []


async def test_a_stage_serves_an_mcp_client_in_async_code(tmp_path: Path) -> None:
    async with soundstage.serve("empty") as stage:
        async with await stage.session(name="one") as session:
            assert (await session.examine())["world"] == "empty"
            fork = await session.fork()
            assert fork.id != session.id
        with pytest.raises(soundstage.GatewayError, match="no session"):
            await stage.find("one")
    assert _left(tmp_path) == []


@pytest.mark.long
def test_a_given_data_folder_is_not_removed(tmp_path: Path) -> None:
    for expected in ("made", "found"):
        with soundstage.serve("empty", data=tmp_path / "data") as stage:
            if expected == "made":
                stage.session(name="kept", durability="durable")
            assert stage.find("kept").world == "empty"


@pytest.mark.long
def test_sessions_without_a_world_start_from_the_stages_world() -> None:
    with soundstage.serve("empty") as stage:
        assert stage.session().world == "empty"
        assert stage.find("default").world == "empty"
        assert stage.session(world="studio").world == "studio"


@pytest.mark.long
def test_several_stages_run_side_by_side() -> None:
    with soundstage.serve("empty") as one, soundstage.serve("empty") as other:
        assert one.url != other.url
        one.session(name="mine")
        with pytest.raises(soundstage.GatewayError, match="no session"):
            other.find("mine")


def test_a_failed_start_raises_the_gateways_message(tmp_path: Path) -> None:
    with pytest.raises(soundstage.GatewayError, match=r"there is no world 'atlantis'; known: .*studio") as caught:
        soundstage.serve("atlantis").__enter__()
    assert caught.value.status is None
    with pytest.raises(soundstage.GatewayError, match=r"missing\.json"):
        soundstage.serve("empty", options=("--upstream", str(tmp_path / "missing.json"))).__enter__()
    assert _left(tmp_path) == []


def test_a_gateway_that_starts_too_slowly_is_ended() -> None:
    with pytest.raises(soundstage.GatewayError, match=r"did not answer within 0\.05 s"):
        soundstage.serve("empty", start_s=0.05).__enter__()


@pytest.mark.long
async def test_a_gateway_cancelled_during_its_start_is_ended(tmp_path: Path) -> None:
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.2), soundstage.serve("empty"):
            pass
    assert _left(tmp_path) == []


@pytest.mark.long
def test_built_worlds_are_cached_for_the_next_stage_if_possible(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with soundstage.serve("empty"):
        pass
    assert list((tmp_path / "cache").rglob("empty-*.db"))
    monkeypatch.setenv("XDG_CACHE_HOME", os.devnull)
    with soundstage.serve("empty") as stage:
        stage.session()


@pytest.mark.long
def test_several_workers_serve_and_end_together() -> None:
    with soundstage.serve("empty", options=("--workers", "2")) as stage:
        assert stage.session(durability="memory").fork().journal() == []
    _wait_until_gone(stage.url)


@pytest.mark.long
def test_settings_in_the_environment_do_not_affect_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOUNDSTAGE_DATA", str(tmp_path / "elsewhere"))
    monkeypatch.setenv("SOUNDSTAGE_TOKEN", "unknown-to-the-stage")
    monkeypatch.setenv("SOUNDSTAGE_PORT", "nonsense")
    with soundstage.serve("empty") as stage:
        stage.session()
    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.long
def test_a_token_closes_the_control_plane_to_others() -> None:
    with soundstage.serve("empty", token="kept-from-the-agent") as stage:
        session = stage.session()
        with soundstage.connect(stage.url, token="kept-from-the-agent") as again:
            assert again.find(session.id).id == session.id
        with pytest.raises(soundstage.GatewayError, match="token") as caught:
            soundstage.connect(stage.url).find(session.id)
        assert caught.value.status == 401


def test_connect_uses_a_running_gateway(gateway: Gateway) -> None:
    stage = soundstage.connect(gateway.url)
    made = gateway.session(world="empty")
    assert stage.find(made["id"]).mcp_url == made["mcp_url"]
    stage.close()


async def test_connect_uses_a_running_gateway_in_async_code(gateway: Gateway) -> None:
    async with soundstage.connect(gateway.url) as stage:
        session = await stage.session(world="empty", durability="memory")
        await session.delete()
    httpx2.get(f"{gateway.url}/healthz").raise_for_status()


def test_a_missing_gateway_is_reported() -> None:
    with pytest.raises(soundstage.GatewayError, match=r"127\.0\.0\.1:9 did not answer") as caught:
        soundstage.connect("http://127.0.0.1:9").find("anything")
    assert caught.value.status is None


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="looks at processes in /proc")
def test_a_gateway_and_its_upstreams_end_when_the_program_is_killed(tmp_path: Path) -> None:
    upstream = tmp_path / "upstream.json"
    marker = f"upstream-of-{os.getpid()}"
    command = {
        "command": sys.executable,
        "args": ["-X", marker, "-m", EVERYTHING, "stdio"],
        "env": {"PYTHONPATH": os.pathsep.join([str(REPOSITORY), str(REPOSITORY / "src")])},
    }
    upstream.write_text(json.dumps({"mcpServers": {"beside": command}}))
    program = (
        "import sys, time, soundstage\n"
        f"with soundstage.serve('empty', options=('--upstream', {str(upstream)!r})) as stage:\n"
        "    print(stage.url, flush=True)\n"
        "    time.sleep(600)\n"
    )
    process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    url = process.stdout.readline().strip()
    session = httpx2.post(f"{url}/api/sessions", json={"durability": "memory"}).json()
    body = {"app": "beside", "tool": "echo", "arguments": {"text": "there"}}
    made = httpx2.post(f"{url}/api/sessions/{session['id']}/calls", json=body, timeout=30)
    assert made.json()["ok"], "the upstream runs, and goes on for the session"
    assert marker in _command_lines()
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close()
    _wait_until_gone(url)
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and (left := [name for name in _left(tmp_path) if not name.endswith(".log")]):
        time.sleep(0.05)
    assert left == [], "its data folder goes with it"
    assert marker not in _command_lines()
