"""New sessions over HTTP, and the first call of each, which opens it.

The yardstick is a file copy, or an image in memory alone. A session with all apps is compared with one with four.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

import orjson

from bench.control import FOUR_APPS, Control, Made
from bench.figures import Bound, Line, Plan, Series, Unit, compare
from bench.load import Ask, Target, WrongReply, requests
from bench.processes import Server, gateway
from bench.project import SIZED, copy_project, sized_world
from bench.rows.many_sessions import message
from bench.wire import Connection, connect, frame
from bench.yardsticks import Deserialized, FileCopy

_UNIT: Unit = "ms"
_PER_ROUND = 20
_LARGE = "large_sized"
_LARGE_MB = 20
_WARM = 32
_CALM_S = 0.5
"""Seconds until the pool of prepared sessions is full again."""
# With their yardsticks in the table, for 2 MB: a file copy of 1.2 ms, `deserialize` in 0.34 ms.
_BOUNDS = {"durable": Bound(3, 3 / 1.2), "memory": Bound(1, 1 / 0.34)}
_BOUND_OF_ALL = Bound(times=1.5)


async def measure(plan: Plan) -> list[Line]:
    """Measure new sessions of several worlds, with and without a warm pool."""
    root = copy_project(plan.folder / "project")
    sized_world(root, megabytes=2)
    sized_world(root, megabytes=_LARGE_MB, name=_LARGE)
    lines: list[Line] = []
    for warm in (0, _WARM):
        with ExitStack() as running:
            folder = plan.folder / f"gateway-{warm}"
            server = running.enter_context(gateway(folder, "--warm", str(warm), root=root))
            control = Control(server)
            for world in (SIZED, "studio", _LARGE) if not warm else ("studio", _LARGE):
                lines += await _of_world(plan, folder, server, control, world, warm)
            if not warm:
                for durability in _BOUNDS:
                    lines.append(await _of_all_apps(plan, server, control, durability))
                    lines += await _first_calls(plan, server, control, durability)
    return lines


async def _of_all_apps(plan: Plan, server: Server, control: Control, durability: str) -> Line:
    """Compare a session with all apps with one of four apps."""
    connection = await connect(server.port)
    few, all_apps = [], []
    for _ in range(plan.rounds):
        few.append((await _created(server, connection, durability, "studio", FOUR_APPS))[0])
        all_apps.append((await _created(server, connection, durability, "studio", None))[0])
    connection.close()
    what = f"{durability}, world studio, all apps, {control.tool_count()} tools"
    note = "from request to answer, in turns"
    return compare(
        "session", Series(what, all_apps), Series("four apps", few), unit=_UNIT, bound=_BOUND_OF_ALL, note=note
    )


async def _first_calls(plan: Plan, server: Server, control: Control, durability: str) -> list[Line]:
    """The first call of sessions, in which they are opened; in memory also on connections of sessions that have ended."""
    ask = message(control)
    lines = []
    for what, apps in (("four apps", FOUR_APPS), ("all apps", None)):
        open_sessions: list[Made] = []
        for ended in (False, True) if durability == "memory" else (False,):
            first: list[float] = []
            second: list[float] = []
            for _ in range(plan.rounds):
                made = [control.session(durability, apps=apps) for _ in range(_PER_ROUND)]
                connection = await connect(server.port)
                took = [await _called_twice(server, connection, one, ask) for one in made]
                connection.close()
                first.append(sorted(a for a, _ in took)[_PER_ROUND // 2])
                second.append(sorted(b for _, b in took)[_PER_ROUND // 2])
                open_sessions += made
                if ended:
                    _end(control, open_sessions)
            label = f"{durability}, first call, {what}" + (", after others have ended" if ended else "")
            note = "from request to answer; a message is sent"
            lines.append(
                compare(
                    "session",
                    Series(label, first),
                    Series("the next call", second),
                    unit=_UNIT,
                    bound=Bound(),
                    note=note,
                )
            )
            _end(control, open_sessions)
    return lines


async def _called_twice(server: Server, connection: Connection, made: Made, ask: Ask) -> tuple[float, float]:
    """How many ms a session's first two calls take."""
    (request,) = requests(Target("", server, (made.path(),), ask))
    took = []
    for _ in range(2):
        began = time.perf_counter()
        reply = await connection.request(request)
        took.append((time.perf_counter() - began) * 1e3)
        if reply.status != 200 or ask.expect not in reply.body:
            raise WrongReply(f"a call was answered {reply.status} {reply.body!r}")
    return took[0], took[1]


def _end(control: Control, made: list[Made]) -> None:
    for one in made:
        control.request("DELETE", f"/api/sessions/{one.id}")
    made.clear()


async def _of_world(plan: Plan, folder: Path, server: Server, control: Control, world: str, warm: int) -> list[Line]:
    control.session("durable", world=world, apps=FOUR_APPS)  # builds the world
    connection = await connect(server.port)
    (database,) = (folder / "worlds" / "parts").glob(f"{world}-*.db")
    yardsticks: dict[str, FileCopy | Deserialized] = {
        "durable": FileCopy(database, plan.folder),
        "memory": Deserialized(database),
    }
    lines: list[Line] = []
    for durability, yardstick in yardsticks.items():
        rounds = []
        if warm:
            control.session(
                durability, world=world, apps=FOUR_APPS
            )  # the gateway prepares further sessions of this kind
        for _ in range(plan.rounds):
            theirs = _median_ms(yardstick)
            if warm:
                await asyncio.sleep(_CALM_S)
            rounds.append((await _created(server, connection, durability, world, FOUR_APPS), theirs))
        lines.append(_line(durability, world + (f", --warm {warm}" if warm else ""), database, rounds))
    connection.close()
    return lines


def _line(durability: str, world: str, database: Path, rounds: list[tuple[tuple[float, float], float]]) -> Line:
    cpu = sorted(cpu for (_, cpu), _ in rounds)[len(rounds) // 2]
    size = database.stat().st_size / 2**20
    return compare(
        "session",
        Series(f"{durability}, world {world}, four apps, {size:.1f} MB", [ours for (ours, _), _ in rounds]),
        Series(
            "file copied and opened" if durability == "durable" else "deserialized", [theirs for _, theirs in rounds]
        ),
        unit=_UNIT,
        bound=_BOUNDS[durability],
        note=f"from request to answer; {cpu:.1f} ms of server CPU",
    )


async def _created(
    server: Server, connection: Connection, durability: str, world: str, apps: Sequence[str] | None
) -> tuple[float, float]:
    """The median ms to the answer and the mean ms of CPU; the sessions are removed again."""
    body = orjson.dumps({"durability": durability, "world": world} | ({} if apps is None else {"apps": apps}))
    took, made = [], []
    cpu = server.cpu_s()
    for _ in range(_PER_ROUND):
        began = time.perf_counter()
        reply = await connection.request(frame("POST", "/api/sessions", server.port, body))
        took.append((time.perf_counter() - began) * 1e3)
        if reply.status != 201:
            raise WrongReply(f"POST /api/sessions was answered {reply.status} {reply.body!r}")
        made.append(orjson.loads(reply.body)["id"])
    cpu = server.cpu_s() - cpu
    for session_id in made:
        await connection.request(frame("DELETE", f"/api/sessions/{session_id}", server.port))
    return sorted(took)[_PER_ROUND // 2], cpu / _PER_ROUND * 1e3


def _median_ms(yardstick: FileCopy | Deserialized) -> float:
    took = []
    for number in range(_PER_ROUND):
        began = time.perf_counter()
        yardstick(number)
        took.append((time.perf_counter() - began) * 1e3)
    return sorted(took)[_PER_ROUND // 2]
