"""Real MCP clients, both wire revisions, HTTP and stdio: each creates, reads and changes an event."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import fastmcp
import pytest
from fastmcp.client.transports import StdioTransport
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from soundstage.gateway.search.declared import SEARCH_TOOLS
from soundstage.servers.catalogue import load_app, load_apps
from tests import built_worlds
from tests.conftest import REPOSITORY, Gateway, clean_environment, run_here, soundstage_command

INSPECTOR = "@modelcontextprotocol/inspector@2.12.0"
TIMES = {
    "start_time": {"timestamp": "1795420800", "timezone": "Asia/Shanghai"},
    "end_time": {"timestamp": "1795424400", "timezone": "Asia/Shanghai"},
}
CallTool = Callable[[str, dict[str, Any]], Any]


def _text(result: Any) -> Any:
    """Return the JSON in a result of either client."""
    assert not getattr(result, "is_error", False), result
    return json.loads(result.content[0].text)


async def _errand(call: CallTool, prefix: str = "") -> None:
    """Create, read and change an event of the signed-in user."""
    path = {"calendar_id": "primary"}
    created = _text(
        await call(
            f"{prefix}calendar_v4_calendarEvent_create",
            {"path": path, "data": {"summary": "Colour check", **TIMES}, "useUAT": True},
        )
    )
    path["event_id"] = created["event"]["event_id"]
    read = _text(await call(f"{prefix}calendar_v4_calendarEvent_get", {"path": path, "useUAT": True}))
    assert read["event"]["summary"] == "Colour check"
    patch = {"path": path, "data": {"summary": "Colour check, moved"}, "useUAT": True}
    changed = _text(await call(f"{prefix}calendar_v4_calendarEvent_patch", patch))
    assert changed["event"]["summary"] == "Colour check, moved"


def _check_journal(lines: list[dict[str, Any]]) -> None:
    assert [(line["tool"].rpartition("_")[2], line["ok"]) for line in lines] == [
        ("create", True),
        ("get", True),
        ("patch", True),
    ]
    assert [[c["op"] for c in line["changes"]] for line in lines] == [["insert"], [], ["update"]]


@pytest.mark.parametrize("mode", ["auto", "legacy", "2026-07-28"])
@pytest.mark.parametrize("alone", [True, False], ids=["one app", "all apps"])
async def test_the_mcp_client_over_http(gateway: Gateway, mode: str, alone: bool) -> None:
    session = gateway.session()
    url = session["apps"]["lark"] if alone else session["mcp_url"]
    async with Client(url, mode=mode) as client:
        listed = (await client.list_tools()).tools
        assert len(listed) == (
            len(load_app("lark").tools)
            if alone
            else sum(len(a.tools) for a in load_apps().values()) + len(SEARCH_TOOLS)
        )
        await _errand(client.call_tool, "" if alone else "lark_")
        if mode != "2026-07-28":  # a client with a pinned revision does not request an introduction
            assert client.server_info is not None
            assert client.server_info.name == ("Feishu/Lark MCP Server" if alone else "apps")
    _check_journal(gateway.journal(session["id"]))


async def test_the_fastmcp_client_over_http(gateway: Gateway) -> None:
    session = gateway.session()
    async with fastmcp.Client(session["mcp_url"]) as client:
        assert "lark_im_v1_message_create" in {t.name for t in await client.list_tools()}
        await _errand(client.call_tool, "lark_")
    _check_journal(gateway.journal(session["id"]))


@pytest.mark.parametrize("mode", ["auto", pytest.param("legacy", marks=pytest.mark.long)])
async def test_the_mcp_client_over_stdio_continues_its_session_in_a_second_run(tmp_path: Path, mode: str) -> None:
    built_worlds.link_into(tmp_path)
    command, *options = soundstage_command()
    arguments = [*options, "stdio", "--session", "desk", "--tools", "all", "--data", str(tmp_path)]
    parameters = StdioServerParameters(command=command, args=arguments, env=clean_environment())
    for run in (1, 2):
        with (tmp_path / "log").open("a") as log:
            async with Client(stdio_client(parameters, errlog=log), mode=mode) as client:
                assert "lark_calendar_v4_calendarEvent_create" in {t.name for t in (await client.list_tools()).tools}
                await _errand(client.call_tool, "lark_")
        shown = _soundstage("sessions", "show", "desk", "--json", data=tmp_path)
        assert shown["step"] == 3 * run


async def test_the_fastmcp_client_over_stdio_with_one_app(tmp_path: Path) -> None:
    built_worlds.link_into(tmp_path)
    command, *options = soundstage_command()
    arguments = [*options, "app", "lark", "--data", str(tmp_path)]
    async with fastmcp.Client(StdioTransport(command, arguments, env=clean_environment())) as client:
        assert "im_v1_message_create" in {t.name for t in await client.list_tools()}
        await _errand(client.call_tool)


async def test_a_stdio_client_and_the_gateway_share_a_session(gateway: Gateway, tmp_path: Path) -> None:
    session = gateway.session(durability="durable", name="shared-desk")
    command, *options = soundstage_command()
    arguments = [*options, "stdio", "--session", "shared-desk", "--data", str(gateway.data)]
    parameters = StdioServerParameters(command=command, args=arguments, env=clean_environment())
    with (tmp_path / "log").open("a") as log:
        async with Client(stdio_client(parameters, errlog=log)) as at_desk, Client(session["mcp_url"]) as over_http:
            for client in (at_desk, over_http, at_desk):
                await _errand(client.call_tool, "lark_")
    steps = [line["step"] for line in gateway.journal(session["id"])]
    assert steps == list(range(1, 10))
    gateway.api("DELETE", f"/sessions/{session['id']}")


@pytest.mark.long
def test_the_inspector_over_http(gateway: Gateway, tmp_path_factory: pytest.TempPathFactory) -> None:
    inspect = _inspector(tmp_path_factory)
    session = gateway.session()
    url = session["apps"]["lark"]
    listed = inspect(url, "--method", "tools/list")
    assert {t["name"] for t in listed["tools"]} == set(load_app("lark").tools)

    def call(tool: str, **arguments: Any) -> Any:
        given = [part for name, value in arguments.items() for part in ("--tool-arg", f"{name}={json.dumps(value)}")]
        result = inspect(url, "--method", "tools/call", "--tool-name", tool, *given)
        return json.loads(result["content"][0]["text"])

    path = {"calendar_id": "primary"}
    created = call(
        "calendar_v4_calendarEvent_create", path=path, data={"summary": "Colour check", **TIMES}, useUAT=True
    )
    path["event_id"] = created["event"]["event_id"]
    call("calendar_v4_calendarEvent_get", path=path, useUAT=True)
    changed = call("calendar_v4_calendarEvent_patch", path=path, data={"summary": "moved"}, useUAT=True)
    assert changed["event"]["summary"] == "moved"
    _check_journal(gateway.journal(session["id"]))


def _inspector(factory: pytest.TempPathFactory) -> Callable[..., Any]:
    """Returns a function that runs the MCP Inspector on the command line, installed from npm on the Node 22 that npm provides."""
    if shutil.which("npm") is None:
        pytest.skip("needs npm, to install the MCP Inspector")
    folder = Path(os.environ.get("SOUNDSTAGE_TEST_NODE", REPOSITORY / ".venv" / "node"))
    binary = folder / "node_modules" / ".bin" / "mcp-inspector"
    if not binary.exists():
        folder.mkdir(parents=True, exist_ok=True)
        if not (folder / "package.json").exists():  # leaves the packages of other tests in place
            (folder / "package.json").write_text('{"private": true}')
        command = ["npm", "install", "--no-audit", "--no-fund", "--no-package-lock", "node@22", INSPECTOR]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr[-2000:]
    environment = {**os.environ, "PATH": f"{binary.parent}{os.pathsep}{os.environ['PATH']}"}

    def inspect(url: str, *arguments: str) -> Any:
        command = [str(binary), "--cli", url, "--transport", "http", *arguments]
        done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=120)
        assert done.returncode == 0, done.stderr[-2000:] + done.stdout[-2000:]
        return json.loads(done.stdout)

    return inspect


def _soundstage(*arguments: str, data: Path) -> Any:
    done = run_here(*arguments, "--data", str(data))
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


@pytest.mark.long
def test_closing_stdin_at_once_still_delivers_every_answer(tmp_path: Path) -> None:
    command, *options = soundstage_command()
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "hasty", "version": "1"}}
    calls = [{"name": "lark_task_v2_task_create", "arguments": {"data": {"summary": str(n)}}} for n in range(20)]
    lines = [
        {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        *({"jsonrpc": "2.0", "id": n, "method": "tools/call", "params": call} for n, call in enumerate(calls, start=1)),
    ]
    arguments = [*options, "stdio", "--session", "hasty", "--world", "empty", "--data", str(tmp_path)]
    done = subprocess.run(
        [command, *arguments],
        input="".join(json.dumps(line) + "\n" for line in lines),
        capture_output=True,
        text=True,
        timeout=60,
        env=clean_environment(),
    )
    answers = {answer["id"]: answer for answer in map(json.loads, done.stdout.splitlines())}
    assert sorted(answers) == list(range(21)), done.stderr
    assert all("result" in answer for answer in answers.values())
    assert done.returncode == 0
