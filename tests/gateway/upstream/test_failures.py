"""Upstreams that die, hang, answer garbage or contradict themselves: each is named, and nothing else is affected."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from mcp.client import Client
from mcp.shared.exceptions import MCPError

from tests.conftest import Gateway, stop_gateway, wait_until
from tests.gateway.upstream.conftest import (
    EVERYTHING,
    ODD,
    program,
    running,
    start_before,
    upstream,
)
from tests.ports import free_port

OVER_STDIO = ["dies", "mute", "nothing", "banner", "twins", "broken"]
OVER_HTTP = ["html", "stranger", "redirect", "mute"]


@pytest.fixture(scope="module")
def trouble(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateway]:
    """A gateway with one upstream for each kind of failure, and one that works."""
    servers: dict[str, Any] = {way: program(ODD, "stdio", way) for way in OVER_STDIO}
    servers["mute"]["timeout"] = 2  # the others answer or end, however slow the machine is
    servers["process"] = program(EVERYTHING, "stdio")
    servers["absent"] = {"command": "/no/such/program"}
    servers["cat"] = {"command": "cat", "timeout": 1}
    servers["dead"] = {"url": f"http://127.0.0.1:{free_port()}/mcp"}
    with ExitStack() as stack:
        for way in OVER_HTTP:
            _, port = stack.enter_context(running(ODD, "http", way))
            servers[f"http-{way}"] = {"url": f"http://127.0.0.1:{port}/mcp", "timeout": 2}
        gateway = start_before(servers, tmp_path_factory.mktemp("trouble"))
        stack.callback(stop_gateway, gateway)
        yield gateway


def _address(gateway: Gateway, session: dict[str, Any], name: str) -> str:
    return f"{gateway.url}/s/{session['handle']}/{name}/mcp"


async def _failure(gateway: Gateway, name: str) -> tuple[str, dict[str, Any]]:
    """Make a call that fails at an upstream's own address, and return the client's error and the journal line."""
    session = gateway.session(world="empty")
    async with Client(_address(gateway, session, name), mode="legacy") as client:
        with pytest.raises(MCPError) as caught:
            await client.call_tool("same")
    (line,) = gateway.journal(session["id"])
    return str(caught.value), line


async def test_failing_upstreams_do_not_affect_the_others(trouble: Gateway) -> None:
    async with Client(trouble.session()["mcp_url"]) as client:
        names = {t.name for t in (await client.list_tools()).tools}
        assert {"process_echo", "lark_im_v1_message_create", "banner_same"} <= names
        assert not any(n.startswith(("dead_", "absent_", "broken_", "cat_", "http-redirect")) for n in names)
        assert (await client.call_tool("process_structured")).structured_content == {"n": 1}


def test_a_dead_upstream_is_marked_with_its_reason_and_logged(trouble: Gateway) -> None:
    apps = {a["name"]: a for a in trouble.api("GET", "/apps").json()}
    assert (apps["dead"]["status"], apps["process"]["status"], apps["lark"]["status"]) == ("down", "up", None)
    assert "the upstream 'dead' cannot be reached" in apps["dead"]["reason"]
    assert upstream(trouble, "dead")["retry_in"] is not None
    assert "upstream is down" in trouble.data.parent.joinpath("log").read_text()


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("broken", "its last words: no licence found"),
        ("absent", "the upstream 'absent' cannot be started"),
        ("cat", "the upstream 'cat'"),
        ("http-redirect", "a redirect (307) to http://169.254.169.254/latest/meta-data is not followed"),
    ],
)
def test_a_server_that_does_not_start_is_shown_with_the_reason(trouble: Gateway, name: str, reason: str) -> None:
    wait_until(lambda: upstream(trouble, name)["status"] == "down")
    assert reason in upstream(trouble, name)["reason"]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("dies", "the upstream 'dies' ended before it answered"),
        ("mute", "the upstream 'mute' sent nothing for 2 s"),
        ("http-mute", "the upstream 'http-mute' sent nothing for 2 s"),
        ("http-html", "did not answer with a JSON-RPC response (HTTP 200, 'text/html'): '<html>Please sign in"),
        ("http-stranger", "the upstream 'http-stranger' did not answer with a JSON-RPC response"),
    ],
)
async def test_a_failed_call_names_the_upstream_and_is_recorded(trouble: Gateway, name: str, message: str) -> None:
    error, line = await _failure(trouble, name)
    assert message in error
    assert (line["app"], line["ok"], line["error_kind"]) == (name, False, "unavailable")
    assert line["reply"]["error"]["message"] == error
    wait_until(lambda: upstream(trouble, name)["status"] == "up")  # one failed call does not mark the upstream as down


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("mute", "the upstream 'mute' sent nothing for 2 s"),
        ("nothing", "the upstream 'nothing' answered with neither a result nor an error"),
        ("dies", "the upstream 'dies' ended before it answered"),
    ],
)
async def test_a_failed_call_at_the_shared_address_names_the_upstream(
    trouble: Gateway, name: str, message: str
) -> None:
    async with Client(trouble.session()["mcp_url"]) as client:
        with pytest.raises(MCPError, match=message):
            await client.call_tool(f"{name}_same")


async def test_a_banner_on_stdout_harms_nothing(trouble: Gateway) -> None:
    async with Client(_address(trouble, trouble.session(world="empty"), "banner"), mode="legacy") as client:
        assert (await client.call_tool("same")).content[0].text == "done"  # type: ignore[union-attr]
    assert "Welcome to the server!" in trouble.data.parent.joinpath("log").read_text()


async def test_the_first_of_two_tools_with_one_name_is_shown(trouble: Gateway) -> None:
    async with Client(trouble.session()["mcp_url"]) as client:
        shown = {t.name: t.description for t in (await client.list_tools()).tools if t.name.startswith("twins_")}
    assert shown == {"twins_same": "same 0", "twins_other": "other 2"}
    assert upstream(trouble, "twins")["problems"] == ["two tools are named 'same'; the first one is shown"]


@pytest.mark.long
async def test_a_killed_process_is_restarted(trouble: Gateway) -> None:
    address = _address(trouble, trouble.session(world="empty"), "process")
    async with Client(address) as client:
        pid = int((await client.call_tool("count")).content[0].text.split()[-1])  # type: ignore[union-attr]
        os.kill(pid, signal.SIGKILL)
        await asyncio.sleep(0.5)
        assert (await client.call_tool("count")).content[0].text.startswith("1 in")  # type: ignore[union-attr]
    assert upstream(trouble, "process")["status"] == "up"


@pytest.mark.long
async def test_a_restarted_server_is_connected_again(before: Callable[..., Gateway]) -> None:
    with running(ODD, "http", "fine") as (process, port):
        gateway = before({"odd": {"url": f"http://127.0.0.1:{port}/mcp"}})
        session = gateway.session(world="empty")
        address = _address(gateway, session, "odd")
        async with Client(address, mode="legacy") as client:
            await client.call_tool("same")
            process.kill()
            process.wait()
            with pytest.raises(MCPError, match="the upstream 'odd' cannot be reached"):
                await client.call_tool("same")
        wait_until(lambda: upstream(gateway, "odd")["status"] == "down")
    with running(ODD, "http", "fine", port=port):
        wait_until(lambda: upstream(gateway, "odd")["status"] == "up")
        async with Client(address, mode="legacy") as client:
            await client.call_tool("same")
    lines = gateway.journal(session["id"])
    assert [(line["ok"], line["error_kind"]) for line in lines] == [(True, None), (False, "unavailable"), (True, None)]
