"""`soundstage demo`: a real MCP client runs the oracle of a task over HTTP, and the task's checks are shown as they pass.

Each call is shown with the rows it changed. The checks are computed from the gateway's record of the session.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import orjson
from mcp.client import Client

from soundstage.cli.client import Control
from soundstage.cli.composed import build
from soundstage.cli.output import fail, print_json, print_text, print_title, shortened
from soundstage.cli.sessions import change_line
from soundstage.contexts.engine.clock import parse_moment, to_ms
from soundstage.contexts.engine.schema import Object
from soundstage.gateway.serving.server import GatewayServer
from soundstage.gateway.settings import DEFAULT_HOST, DEFAULT_PORT, Settings
from soundstage.grading.cast import find_names, find_people
from soundstage.grading.declarations import EntityDeclaration, declaration_of
from soundstage.grading.evidence import InjectedFault, Key, Step, key_of, read_evidence
from soundstage.grading.oracle import OracleError, ids_of, oracle, play
from soundstage.grading.task import Task, read_task
from soundstage.grading.verdict import Verdict, grade
from soundstage.runs.dry_run import read_reply
from soundstage.runs.task_files import task_folder
from soundstage.worlds import load_world, names

_SESSION = "demo"
_TASK = "studio/errand"
_SHOWN = 300


class GatewayRecord:
    """A session's record, read through its gateway."""

    def __init__(self, gateway: Control, session: str) -> None:
        self._gateway = gateway
        self._path = f"/api/sessions/{session}"
        self._rows: dict[tuple[str, str], dict[Key, Object]] = {}

    def steps(self) -> Iterator[Step]:
        """Yield the steps of the session's journal."""
        lines: str = self._gateway.request("GET", f"{self._path}/journal") or ""
        for line in map(orjson.loads, lines.splitlines()):
            now = to_ms(parse_moment(line["at"])) // 1000
            yield Step(now=now, **{k: line[k] for k in Step.__dataclass_fields__ if k not in ("now", "fault", "fits")})

    def struck(self) -> tuple[InjectedFault, ...]:
        """Return the injected faults: none, because the demo's session has no schedule."""
        return ()  # the demo's session has no faults

    def declaration(self, app: str, entity: str) -> EntityDeclaration:
        """Return the declaration of an app's entity."""
        return declaration_of(app, entity)

    def row(self, key: Key) -> Object | None:
        """Return the object with this key, or None."""
        return self._of_entity(*key[:2]).get(key)

    def rows(self, app: str, entity: str) -> Iterator[tuple[Key, Object]]:
        """Yield the objects of an entity with their keys."""
        return iter(self._of_entity(app, entity).items())

    def _of_entity(self, app: str, entity: str) -> dict[Key, Object]:
        if (app, entity) not in self._rows:
            state = self._gateway.request("GET", f"{self._path}/state", params={"app": app, "entity": entity})
            objects = state.get(app, {}).get(entity, [])
            self._rows[app, entity] = {
                key_of(app, entity, row, declaration_of(app, entity).key): row for row in objects
            }
        return self._rows[app, entity]


def run_demo(control: Control, data: Path, *, as_json: bool) -> None:
    """Run the task's oracle in a new session named `demo`, which remains afterwards."""
    task, _ = read_task(task_folder(_TASK))
    world = load_world(task.world)
    named, zone = names(world, data / "worlds"), ZoneInfo(world.zone)
    with _gateway(control, data) as gateway:
        session = _fresh_session(gateway, task.world)
        if not as_json:
            print_text(f"{task.title}\n\n{task.instruction}\nAn MCP client connects to {session['mcp_url']}\n")
        record = GatewayRecord(gateway, _SESSION)
        people = find_people(record, named, task.apps)
        rows = find_names(task, record, named, people, zone)
        steps = asyncio.run(_run(gateway, session, task, ids_of(rows, people), quiet=as_json))
        evidence = read_evidence(GatewayRecord(gateway, _SESSION), task, rows, people, zone, answer=task.oracle_answer)
        verdict = grade(task, evidence)
        changes = gateway.request("GET", f"/api/sessions/{_SESSION}/diff")
    address = session["mcp_url"] if control.url else f"http://{DEFAULT_HOST}:{DEFAULT_PORT}/s/{_SESSION}/mcp"
    if as_json:
        print_json(
            {
                "steps": steps,
                "changes": changes,
                "checks": list(verdict.checks),
                "score": verdict.score,
                "mcp_url": address,
            }
        )
        return
    print_title("Changes of the whole task")
    print_text("\n".join(change_line(c) for c in changes))
    _tick(task, verdict)
    print_text("")
    start = "" if control.url else "start the gateway with `soundstage serve`, then "
    print_text(f"The session stays: {start}connect an MCP client to\n  {address}")


def _tick(task: Task, verdict: Verdict) -> None:
    print_text("")
    print_title("Score")
    titles = {check.id: check.title for check in task.checks}
    for check in verdict.checks:
        print_text(f"{'✓' if check.passed else '✗'} {titles[check.id]}" + ("" if check.passed else f": {check.why}"))
    for breach in verdict.breaches:
        print_text(f"✗ unrequested: {breach.op} of {breach.app} {breach.entity} {breach.id}")
    print_text(f"score {verdict.score:g}")


async def _run(gateway: Control, session: dict[str, Any], task: Task, ids: Any, *, quiet: bool) -> list[Any]:
    steps: list[Any] = []
    says = {call.as_: call.say for call in task.oracle}
    async with Client(session["mcp_url"]) as client:
        loop = asyncio.get_running_loop()

        def call(app: str, tool: str, arguments: Any) -> Any:
            """Make a call from the script's thread and wait for the reply."""
            pending = client.call_tool(f"{app}_{tool}", arguments)
            result = asyncio.run_coroutine_threadsafe(pending, loop).result()
            line = _last_line(gateway)
            reply = read_reply(result.model_dump(mode="json", by_alias=True))
            steps.append({"tool": f"{app}_{tool}", "arguments": arguments, "reply": reply, "changes": line["changes"]})
            if not line["ok"]:
                raise OracleError(f"{tool} was refused: {reply}")
            return reply

        def script() -> None:
            for label, _ in play(oracle(task), ids, call):
                steps[-1] = {"say": says[label], **steps[-1]}
                if not quiet:
                    _show(steps[-1])

        try:
            await asyncio.to_thread(script)
        except OracleError as error:
            fail(str(error))
    return steps


def _show(step: dict[str, Any]) -> None:
    print_title(step["say"])
    print_text(f"  → {step['tool']} {orjson.dumps(step['arguments']).decode()}")
    text = step["reply"] if isinstance(step["reply"], str) else orjson.dumps(step["reply"]).decode()
    print_text(f"  ← {shortened(text, _SHOWN)}")
    for change in step["changes"]:
        print_text(f"  {change_line(change)}")
    print_text("")


def _last_line(gateway: Control) -> Any:
    step = gateway.request("GET", f"/api/sessions/{_SESSION}")["step"]
    return orjson.loads(gateway.request("GET", f"/api/sessions/{_SESSION}/journal", params={"after": step - 1}))


def _fresh_session(gateway: Control, world: str) -> dict[str, Any]:
    gateway.ensure_session(_SESSION, world)
    session: dict[str, Any] = gateway.request("POST", f"/api/sessions/{_SESSION}/reset")
    return session


@contextlib.contextmanager
def _gateway(control: Control, data: Path) -> Iterator[Control]:
    """Yield the running gateway, or start one in this process for the duration of the block."""
    if control.url is not None:
        yield control
        return
    settings = Settings(data=data, port=0)
    server = GatewayServer(build(settings), settings)
    listener = socket.create_server((DEFAULT_HOST, 0))
    thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
    thread.start()
    while not server.started:
        if not thread.is_alive():
            fail("the demo's gateway did not start")
        time.sleep(0.02)
    try:
        yield Control(data, f"http://{DEFAULT_HOST}:{listener.getsockname()[1]}", None)
    finally:
        server.should_exit = True
        thread.join()
