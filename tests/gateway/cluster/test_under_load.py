"""200 sessions behind nginx, two gateways and PostgreSQL: one gateway is drained and one is killed while agents work."""

from __future__ import annotations

import asyncio
import json
import signal
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from zlib import crc32

import httpx2
import pytest
from mcp.client import Client

from tests.conftest import Gateway, start_gateway, stop_gateway
from tests.gateway.agent_requests import ENVELOPE, TOOL, metric
from tests.ports import free_port
from tests.services import start_nginx, start_postgres

pytestmark = pytest.mark.long

SESSIONS = 200
PAUSE_S = 0.8  # between an agent's calls
LEFT_ALONE_S = 6.0  # nginx sends no requests to a gateway for this many seconds after it did not answer
TOKEN = "token-of-the-test"
HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}


@dataclass(slots=True)
class Agent:
    """One session's agent: the answers and the errors that it got, by phase. It never repeats a call."""

    session: dict[str, Any]
    modern: bool
    turn: int = 0
    answered: list[tuple[int, str]] = field(default_factory=list)
    failed: Counter[str] = field(default_factory=Counter)

    async def work(self, client: httpx2.AsyncClient, site: Site) -> None:
        await asyncio.sleep(PAUSE_S * (crc32(self.session["id"].encode()) % 100) / 100)
        if not self.modern:
            assert "result" in (await self._send(client, {"id": 0, "method": "initialize", "params": HELLO})).json()
            await self._send(client, {"method": "notifications/initialized"})
        while not site.over:
            await self.call(client, site)
            await asyncio.sleep(PAUSE_S)

    async def call(self, client: httpx2.AsyncClient, site: Site) -> None:
        self.turn += 1
        summary = f"turn {self.turn}"
        params: dict[str, Any] = {"name": TOOL, "arguments": {"data": {"summary": summary}}}
        if self.modern:
            params["_meta"] = ENVELOPE
        try:
            answer = await self._send(client, {"id": self.turn, "method": "tools/call", "params": params})
            guid = json.loads(answer.json()["result"]["content"][0]["text"])["task"]["guid"]
        except (httpx2.HTTPError, ValueError, KeyError) as error:
            seen = type(error).__name__ if isinstance(error, httpx2.HTTPError) else f"HTTP {answer.status_code}"
            self.failed[site.phase] += 1
            site.errors[f"{site.phase}: {seen}"] += 1
        else:
            self.answered.append((self.turn, guid))

    async def _send(self, client: httpx2.AsyncClient, message: dict[str, Any]) -> httpx2.Response:
        headers = {"Accept": "application/json, text/event-stream"}
        if message["method"] == "tools/call":
            headers["MCP-Protocol-Version"] = "2026-07-28" if self.modern else "2025-11-25"
            if self.modern:
                headers |= {"Mcp-Method": "tools/call", "Mcp-Name": TOOL}
        return await client.post(self.session["mcp_url"], json={"jsonrpc": "2.0", **message}, headers=headers)


@dataclass(slots=True)
class Site:
    """The services at one address."""

    url: str
    data: Path
    registry: str
    gateways: list[Gateway]
    log: Path  # the log of nginx
    phase: str = "quiet"
    over: bool = False
    errors: Counter[str] = field(default_factory=Counter)

    def api(self, method: str, path: str, **arguments: Any) -> httpx2.Response:
        headers = {"Authorization": f"Bearer {TOKEN}"}
        return httpx2.request(method, f"{self.url}/api{path}", headers=headers, timeout=30, **arguments)

    def refused(self) -> Counter[str]:
        """Count the requests that nginx refused by second, status and gateway status, and the exceptions in the gateways' log."""
        failures: Counter[str] = Counter()
        for line in self.log.read_text().splitlines():
            if (seen := json.loads(line))["status"] >= 500:
                failures[f"{seen['at'][11:19]} {seen['status']} ({seen['gateway']}: {seen['gateway_status']})"] += 1
        for line in (self.data.parent / "gateway.log").read_text().splitlines():
            if '"exception"' in line:
                failures[json.loads(line)["exception"][-200:]] += 1
        return failures

    def start(self, port: int | None = None) -> Gateway:
        options = ["--registry", self.registry, "--token", TOKEN]
        return start_gateway(self.data, *options, port=port, log=self.data.parent / "gateway.log")


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    postgres = start_postgres(tmp_path / "postgres")
    made = Site("", tmp_path / "data", postgres.url, [], tmp_path / "nginx" / "nginx.log")
    nginx = None
    try:
        made.gateways += [made.start(), made.start()]
        (tmp_path / "nginx").mkdir()
        nginx = start_nginx(tmp_path / "nginx", [g.url.removeprefix("http://") for g in made.gateways], free_port())
        made.url = nginx.url
        yield made
    finally:
        if nginx is not None:
            nginx.stop()
        for gateway in made.gateways:
            stop_gateway(gateway)
        postgres.stop()


async def _events(site: Site) -> None:
    """Drain and kill gateways while the agents work."""
    await asyncio.sleep(4)
    first, second = site.gateways
    shares = [metric(g.url, "soundstage_calls_total", token=TOKEN) for g in site.gateways]
    assert min(shares) > sum(shares) / 5, shares
    site.phase = "drain"
    first.process.send_signal(signal.SIGTERM)
    assert await asyncio.to_thread(first.process.wait, 20) == 0
    await asyncio.sleep(2)
    site.gateways[0] = await asyncio.to_thread(site.start, int(first.url.rpartition(":")[2]))
    await asyncio.sleep(LEFT_ALONE_S)
    site.phase = "kill"
    second.process.kill()
    await asyncio.to_thread(second.process.wait)
    await asyncio.sleep(3)
    site.gateways[1] = await asyncio.to_thread(site.start, int(second.url.rpartition(":")[2]))
    await asyncio.sleep(LEFT_ALONE_S)
    site.phase = "after"
    await asyncio.sleep(3)
    site.over = True


async def test_draining_and_killing_gateways_loses_no_answered_call(site: Site) -> None:
    agents = []
    for number in range(SESSIONS):
        made = site.api("POST", "/sessions", json={"world": "empty"})
        assert made.status_code == 201, made.text
        agents.append(Agent(made.json(), modern=number % 2 == 0))

    limits = httpx2.Limits(max_connections=SESSIONS, max_keepalive_connections=SESSIONS)
    async with httpx2.AsyncClient(timeout=30, limits=limits) as client, asyncio.TaskGroup() as group:
        group.create_task(_events(site))
        for agent in agents:
            group.create_task(agent.work(client, site))

    # Clients notice nothing of the drain. The kill breaks only the calls that were open.
    failed = {
        phase: [a.failed[phase] for a in agents if a.failed[phase]] for phase in ("quiet", "drain", "kill", "after")
    }
    summary = f"{dict(site.errors)} of {sum(len(a.answered) for a in agents)} answered; {site.refused()}"
    print(summary)
    assert failed["quiet"] == failed["drain"] == failed["after"] == [], summary
    assert all(count == 1 for count in failed["kill"]), summary

    # Every answered call is stored once, and nothing but those and the broken calls is stored.
    for agent in agents:
        path = f"/sessions/{agent.session['id']}"
        lines = [json.loads(line) for line in site.api("GET", f"{path}/journal").text.splitlines()]
        assert [line["step"] for line in lines] == list(range(1, len(lines) + 1))
        tasks = {t["guid"]: t["summary"] for t in site.api("GET", f"{path}/state").json()["lark"]["task"]}
        assert len(set(tasks.values())) == len(tasks)
        assert {guid: f"turn {turn}" for turn, guid in agent.answered}.items() <= tasks.items()
        assert len(agent.answered) <= len(tasks) <= len(agent.answered) + agent.failed.total()

    # Every session continues for real clients of either revision.
    for agent in agents:
        async with Client(agent.session["mcp_url"], mode="2026-07-28" if agent.modern else "legacy") as client:
            result = await client.call_tool(TOOL, {"data": {"summary": "afterwards"}})
            assert json.loads(result.content[0].text)["task"]["summary"] == "afterwards"
