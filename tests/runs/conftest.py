"""A gateway in this process, and runs on it from the view of a grader, a runner and an agent."""

from __future__ import annotations

import itertools
import json
import socket
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import httpx2
import pytest

from soundstage.cli.composed import build
from soundstage.gateway.serving.server import GatewayServer
from soundstage.gateway.settings import Settings
from soundstage.grading.oracle import ids_of, oracle, play
from soundstage.grading.task import Task, read_task
from soundstage.runs.dry_run import DryRun, read_reply
from soundstage.runs.task_files import task_folder
from tests.gateway.agent_requests import ENVELOPE

TOKEN = "the-graders-token"
ERRAND = "studio/errand"
DRY_RUN = "studio/move-the-dry-run"
_START_S = 60.0
_numbers = itertools.count(1)


@dataclass(frozen=True, slots=True)
class Agent:
    """A client that knows only an MCP address. It records every reply."""

    url: str
    replies: list[str] = field(default_factory=list)

    def ask(self, method: str, params: dict[str, Any] | None = None, *, app: str | None = None) -> httpx2.Response:
        """Send a request of revision 2026-07-28."""
        params = {"_meta": ENVELOPE, **(params or {})}
        headers = {
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": "2026-07-28",
            "Mcp-Method": method,
        }
        if "name" in params:
            headers["Mcp-Name"] = params["name"]
        url = self.url if app is None else self.url.removesuffix("/mcp") + f"/{app}/mcp"
        body = {"jsonrpc": "2.0", "id": next(_numbers), "method": method, "params": params}
        response = httpx2.post(url, json=body, headers=headers, timeout=30)
        self.replies.append(response.text)
        return response

    def call(self, tool: str, /, **arguments: Any) -> httpx2.Response:
        return self.ask("tools/call", {"name": tool, "arguments": arguments})

    def tools(self, app: str | None = None) -> list[str]:
        return [tool["name"] for tool in self.ask("tools/list", app=app).json()["result"]["tools"]]

    def solve(self, task: str, worlds: Path) -> str:
        """Make the calls of the task's oracle, and return its answer."""
        dry_run = rehearsal_of(task, worlds)
        script = oracle(dry_run.task)

        def make(app: str, tool: str, arguments: Any) -> Any:
            name = tool if tool.startswith(f"{app}_") else f"{app}_{tool}"
            return read_reply(self.call(name, **arguments).json().get("result"))

        for _ in play(script, ids_of(dry_run.names, dry_run.people), make):
            pass
        return script.answer


@cache
def rehearsal_of(task: str, worlds: Path) -> DryRun:
    """Return a task's dry run, cached."""
    return DryRun(read(task), worlds)


def read(task: str) -> Task:
    return read_task(task_folder(task))[0]


@dataclass(frozen=True, slots=True)
class Runner:
    """A client with the token of a run. It records every reply."""

    url: str
    run: str
    token: str
    replies: list[str] = field(default_factory=list)

    def post(self, path: str, body: dict[str, Any] | None = None) -> httpx2.Response:
        headers = {"Authorization": f"Bearer {self.token}"}
        response = httpx2.post(f"{self.url}/run/{path}", json=body or {}, headers=headers, timeout=60)
        self.replies.append(response.text)
        return response

    def lease(self, n: int = 1, wait_s: float = 0) -> list[dict[str, Any]]:
        response = self.post("lease", {"n": n, "wait_s": wait_s})
        assert response.status_code == 200, response.text
        trials: list[dict[str, Any]] = response.json()["trials"]
        return trials

    def take(self) -> tuple[dict[str, Any], Agent]:
        """Lease the next trial, and return it with an agent for it."""
        trial = self.lease()[0]
        return trial, Agent(trial["mcp"]["url"])

    def submit(self, trial: dict[str, Any], answer: str = "", **more: Any) -> httpx2.Response:
        return self.post(f"trials/{trial['trial']}/submit", {"attempt": trial["attempt"], "answer": answer, **more})


@dataclass(frozen=True, slots=True)
class Stage:
    """A gateway whose control plane has a token."""

    url: str
    data: Path
    worlds: Path

    def api(self, method: str, path: str, **arguments: Any) -> httpx2.Response:
        headers = {"Authorization": f"Bearer {TOKEN}"}
        return httpx2.request(method, f"{self.url}/api{path}", headers=headers, timeout=60, **arguments)

    def begin(self, *tasks: str, **plan: Any) -> Runner:
        """Start a run of these tasks (of the example task by default), and return a runner with its token."""
        body = {"durability": "memory", "tasks": list(tasks or (ERRAND,)), **plan}
        response = self.api("POST", "/runs", json=body)
        assert response.status_code == 201, response.text
        made = response.json()
        return Runner(self.url, made["id"], made["run_token"])

    def run(self, runner: Runner) -> dict[str, Any]:
        shown: dict[str, Any] = self.api("GET", f"/runs/{runner.run}").json()
        return shown

    def trials(self, runner: Runner) -> list[dict[str, Any]]:
        shown: list[dict[str, Any]] = self.api("GET", f"/runs/{runner.run}/trials").json()
        return shown

    def results(self, runner: Runner) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.api("GET", f"/runs/{runner.run}/results").text.splitlines()]

    def until_done(self, runner: Runner, trials: int = 1) -> list[dict[str, Any]]:
        """Wait until `trials` trials have results, and return the results."""
        deadline = time.monotonic() + 60
        while len(results := self.results(runner)) < trials:
            assert time.monotonic() < deadline, self.trials(runner)
            time.sleep(0.05)
        return results

    def in_registry(self, statement: str, *values: object) -> None:
        """Change the registry as elapsed time or the end of a process would have changed it."""
        with sqlite3.connect(self.data / "registry.db", timeout=60) as registry:
            registry.execute(statement, values)


def serve(settings: Settings) -> tuple[GatewayServer, threading.Thread, int]:
    """Serve in a thread of this process."""
    server = GatewayServer(build(settings), settings)
    listener = socket.create_server(("127.0.0.1", 0))
    thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
    thread.start()
    deadline = time.monotonic() + _START_S
    while not server.started:
        assert thread.is_alive(), "the gateway ended"
        assert time.monotonic() < deadline, "the gateway did not start"
        time.sleep(0.02)
    return server, thread, listener.getsockname()[1]


@pytest.fixture(scope="session")
def stage(tmp_path_factory: pytest.TempPathFactory, worlds_folder: Path) -> Iterator[Stage]:
    """One gateway for all tests of this folder that leave it running."""
    data = tmp_path_factory.mktemp("stage")
    server, thread, port = serve(Settings(data=data, token=TOKEN, built=worlds_folder))
    yield Stage(f"http://127.0.0.1:{port}", data, worlds_folder)
    server.should_exit = True
    thread.join()


@pytest.fixture
def solve(stage: Stage) -> Callable[[Agent, str], str]:
    """Make the calls of a task's oracle: solve(agent, task)."""
    return lambda agent, task: agent.solve(task, stage.worlds)
