"""`soundstage demo`: a real MCP client runs the errand that comes with the default world, over HTTP.

The errand is data (`errand.json` of the world): what to call, and where a later call takes a value from an earlier
reply. Each call is shown with the rows it changed.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import uvicorn
from mcp.client import Client
from mcp_types import TextContent

from soundstage.cli.client import Control
from soundstage.cli.output import fail, print_json, print_text, print_title, shortened
from soundstage.cli.sessions import change_line
from soundstage.gateway.app import build_app
from soundstage.gateway.settings import DEFAULT_HOST, DEFAULT_PORT, DEFAULT_WORLD, Settings
from soundstage.worlds import load_world

_SESSION = "demo"
_SHOWN = 300


def run_demo(control: Control, data: Path, *, as_json: bool) -> None:
    """Run the errand in a fresh session named `demo`, which stays."""
    errand = orjson.loads((load_world(DEFAULT_WORLD).folder / "errand.json").read_bytes())
    with _gateway(control, data) as gateway:
        session = _fresh_session(gateway)
        if not as_json:
            print_text(f"{errand['title']}\n\nAn MCP client connects to {session['mcp_url']}\n")
        told = asyncio.run(_run(gateway, session, errand["steps"], quiet=as_json))
        changes = gateway.request("GET", f"/api/sessions/{_SESSION}/diff")
    address = session["mcp_url"] if control.url else f"http://{DEFAULT_HOST}:{DEFAULT_PORT}/s/{_SESSION}/mcp"
    if as_json:
        print_json({"steps": told, "changes": changes, "mcp_url": address})
        return
    print_title("What the whole errand changed")
    print_text("\n".join(change_line(c) for c in changes))
    print_text("")
    start = "" if control.url else "start the gateway with `soundstage serve`, then "
    print_text(f"The session stays: {start}connect an MCP client to\n  {address}")


async def _run(gateway: Control, session: dict[str, Any], steps: list[dict[str, Any]], *, quiet: bool) -> list[Any]:
    told: list[Any] = []
    replies: list[Any] = []
    async with Client(session["mcp_url"]) as client:
        for step in steps:
            arguments = _filled(step["arguments"], replies)
            result = await client.call_tool(step["tool"], arguments)
            text = "".join(block.text for block in result.content if isinstance(block, TextContent))
            replies.append(_parsed(text))
            line = await asyncio.to_thread(_last_line, gateway)
            told.append({"say": step["say"], "tool": step["tool"], "arguments": arguments, "reply": replies[-1]})
            told[-1]["changes"] = line["changes"]
            if not quiet:
                _show(told[-1], text)
            if not line["ok"]:
                fail(f"{step['tool']} was refused: {text}")
    return told


def _show(step: dict[str, Any], text: str) -> None:
    print_title(step["say"])
    print_text(f"  → {step['tool']} {orjson.dumps(step['arguments']).decode()}")
    print_text(f"  ← {shortened(text, _SHOWN)}")
    for change in step["changes"]:
        print_text(f"  {change_line(change)}")
    print_text("")


def _filled(value: Any, replies: list[Any]) -> Any:
    """Arguments with each {"$reply": n, "at": [path]} replaced by that value of the n-th reply (from 0)."""
    if isinstance(value, dict):
        if "$reply" in value:
            found = replies[value["$reply"]]
            for key in value["at"]:
                found = found[key]
            return found
        return {k: _filled(v, replies) for k, v in value.items()}
    return [_filled(v, replies) for v in value] if isinstance(value, list) else value


def _parsed(text: str) -> Any:
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return text


def _last_line(gateway: Control) -> Any:
    step = gateway.request("GET", f"/api/sessions/{_SESSION}")["step"]
    return orjson.loads(gateway.request("GET", f"/api/sessions/{_SESSION}/journal", params={"after": step - 1}))


def _fresh_session(gateway: Control) -> dict[str, Any]:
    gateway.ensure_session(_SESSION, DEFAULT_WORLD)
    session: dict[str, Any] = gateway.request("POST", f"/api/sessions/{_SESSION}/reset")
    return session


@contextlib.contextmanager
def _gateway(control: Control, data: Path) -> Iterator[Control]:
    """The running gateway, or one of this process for as long as the errand takes."""
    if control.url is not None:
        yield control
        return
    settings = Settings(data=data, port=0)
    config = uvicorn.Config(build_app(settings), port=0, log_config=None, access_log=False)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        if not thread.is_alive():
            fail("the demo's gateway did not start")
        time.sleep(0.02)
    port = server.servers[0].sockets[0].getsockname()[1]
    try:
        yield Control(data, f"http://{DEFAULT_HOST}:{port}", None)
    finally:
        server.should_exit = True
        thread.join()
