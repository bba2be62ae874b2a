"""Runs continue after drivers and gateways were killed, and each trial is graded once."""

from __future__ import annotations

import asyncio
import json
import sqlite3
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx2
import pytest
from sqlalchemy import update

from soundstage.gateway.registry.database import Database
from soundstage.runs.tables import TRIALS
from tests.conftest import Gateway, clean_environment, soundstage_command, start_gateway, stop_gateway
from tests.gateway.cluster.conftest import postgres
from tests.ports import free_port
from tests.runs.conftest import ERRAND, TOKEN, Agent, Runner

__all__ = ["postgres"]
pytestmark = pytest.mark.long
_TRIALS = 16
_SILENT_S = 5.0
"""Longer than the interval at which a gateway checks for calls of agents."""
_HEADERS = {"Authorization": f"Bearer {TOKEN}"}


class Scene:
    """A run on gateways that are separate processes, and the drivers of the run."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self.folder = folder
        self._stack = stack

    def gateway(self, *options: str, port: int | None = None) -> Gateway:
        data, log = self.folder / "data", self.folder / "log"
        started = start_gateway(data, "--token", TOKEN, *options, port=port, log=log)
        self._stack.callback(stop_gateway, started)
        return started

    def begin(self, gateway: Gateway, **plan: Any) -> str:
        body = {"tasks": [ERRAND], "k": _TRIALS // 2, "faults": ["off", "flaky"], **plan}
        made = httpx2.post(f"{gateway.url}/api/runs", json=body, headers=_HEADERS, timeout=60)
        assert made.status_code == 201, made.text
        run: str = made.json()["id"]
        return run

    def driver(self, gateway: Gateway, run: str) -> subprocess.Popen[bytes]:
        options = ["--agent", "oracle-retry", "--jobs", "2", "--data", str(self.folder / "data")]
        reach = ["--url", gateway.url, "--token", TOKEN]
        log = (self.folder / "driver.log").open("ab")
        command = [*soundstage_command(), "runs", "drive", run, *options, *reach]
        process = subprocess.Popen(command, stdout=log, stderr=log, env=clean_environment())
        self._stack.callback(process.wait)
        self._stack.callback(process.kill)
        return process

    def lines(self, gateway: Gateway, run: str) -> list[dict[str, Any]]:
        text = httpx2.get(f"{gateway.url}/api/runs/{run}/results", headers=_HEADERS, timeout=30).text
        return [json.loads(line) for line in text.splitlines()]

    def until(self, gateway: Gateway, run: str, lines: int) -> list[dict[str, Any]]:
        deadline = time.monotonic() + 240
        while len(lines_so_far := self.lines(gateway, run)) < lines:
            assert time.monotonic() < deadline, (self.folder / "driver.log").read_text()[-2000:]
            time.sleep(0.2)
        return lines_so_far

    def let_leases_run_out(self) -> None:
        """Expire the leases of a killed driver, which would otherwise take two minutes."""
        time.sleep(_SILENT_S)
        with sqlite3.connect(self.folder / "data" / "registry.db", timeout=10) as registry:
            registry.execute("UPDATE trial SET until_ms = 0 WHERE state = 'open'")


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    with ExitStack() as stack:
        yield Scene(tmp_path, stack)


def _check(lines: list[dict[str, Any]]) -> None:
    """Check that there is one line per trial, each with the oracle's result."""
    assert len(lines) == len({line["trial"] for line in lines}) == _TRIALS
    assert len({(line["task"], line["k"], line["faults"]) for line in lines}) == _TRIALS
    assert all(line["success"] and line["ended"] == "answered" for line in lines)


def _kill(*processes: subprocess.Popen[bytes]) -> None:
    for process in processes:
        process.kill()
        process.wait()


def test_a_run_continues_on_a_killed_and_restarted_gateway(scene: Scene) -> None:
    port = free_port()
    gateway = scene.gateway(port=port)
    run = scene.begin(gateway)
    driver = scene.driver(gateway, run)
    scene.until(gateway, run, 3)
    _kill(gateway.process)
    gateway = scene.gateway(port=port)
    driver.wait()  # its agent also calls the control plane, and finds that it does not answer
    scene.let_leases_run_out()
    scene.driver(gateway, run)
    _check(scene.until(gateway, run, _TRIALS))


def test_a_run_continues_with_a_killed_and_restarted_driver(scene: Scene) -> None:
    gateway = scene.gateway()
    run = scene.begin(gateway)
    driver = scene.driver(gateway, run)
    scene.until(gateway, run, 3)
    _kill(driver)
    scene.let_leases_run_out()
    scene.driver(gateway, run)
    _check(scene.until(gateway, run, _TRIALS))


def test_a_run_continues_after_both_are_killed_at_once(scene: Scene) -> None:
    gateway = scene.gateway()
    run = scene.begin(gateway)
    driver = scene.driver(gateway, run)
    scene.until(gateway, run, 3)
    _kill(gateway.process, driver)
    gateway = scene.gateway()
    scene.let_leases_run_out()
    scene.driver(gateway, run)
    _check(scene.until(gateway, run, _TRIALS))


@pytest.mark.parametrize("on_postgres", [False, True], ids=["registry in a file", "registry on PostgreSQL"])
def test_two_gateways_share_a_run_and_one_is_killed(
    scene: Scene, on_postgres: bool, request: pytest.FixtureRequest
) -> None:
    options = ["--registry", request.getfixturevalue("postgres")] if on_postgres else []
    one, other = scene.gateway(*options), scene.gateway(*options)
    run = scene.begin(one)
    drivers = [scene.driver(one, run), scene.driver(other, run)]
    scene.until(other, run, 4)
    _kill(one.process, drivers[0])
    if on_postgres:
        _let_leases_run_out_there(options[1])
    else:
        scene.let_leases_run_out()
    _check(scene.until(other, run, _TRIALS))


def _let_leases_run_out_there(address: str) -> None:
    time.sleep(_SILENT_S)

    async def work() -> None:
        database = Database(Path("unused"), address)
        lapsed = update(TRIALS).where(TRIALS.c.state == "open").values(until_ms=0)
        await database.write(lambda connection: connection.execute(lapsed))
        await database.close()

    asyncio.run(work())


async def test_a_trial_leased_at_one_gateway_is_called_and_submitted_at_another(scene: Scene) -> None:
    one, other = scene.gateway(), scene.gateway()
    run = scene.begin(one, k=1, faults=["off"])
    token = httpx2.post(f"{one.url}/api/runs/{run}/tokens", headers=_HEADERS).json()["run_token"]
    [trial] = Runner(one.url, run, token).lease()
    beside = Agent(trial["mcp"]["url"].replace(one.url, other.url))
    assert beside.call("lark_calendar_v4_calendar_primary", useUAT=True).status_code == 200
    there = Runner(other.url, run, token)
    assert there.post(f"trials/{trial['trial']}/heartbeat", {"attempt": 1}).json() == {"cancel": False}
    assert there.submit(trial, "Nothing was done.").status_code == 202
    assert [(line["calls"], line["ended"]) for line in scene.lines(one, run)] == [(1, "answered")]
    assert beside.ask("tools/list").status_code == 410
    assert Agent(trial["mcp"]["url"]).ask("tools/list").status_code == 410


def test_workers_of_one_gateway_share_a_run(scene: Scene) -> None:
    gateway = scene.gateway("--workers", "2")
    run = scene.begin(gateway)
    scene.driver(gateway, run)
    _check(scene.until(gateway, run, _TRIALS))
