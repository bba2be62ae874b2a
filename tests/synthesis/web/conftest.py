"""A handmade data folder with pools and a synthesised app, and a gateway on it. The server's texts all contain markup, and some
runs failed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from soundstage.app_roots import LOCK
from soundstage.synthesis.generate.accept import Thresholds
from soundstage.synthesis.generate.bench import score
from soundstage.synthesis.generate.lock import Lock, write_lock
from soundstage.synthesis.targets.target import ServerDescription
from soundstage.synthesis.traverse.goals import Goal
from soundstage.synthesis.traverse.plan import TargetSource, write_plan
from soundstage.synthesis.traverse.recording import EPISODES, PLAN, SERVER, Call, Intent, Recording, server_json
from tests.conftest import Gateway, start_gateway, stop_gateway
from tests.gateway.web.conftest import browser, new_page

__all__ = ["browser", "new_page"]
MARKUP = '<script>alert("of a stranger")</script>'
NOTHING = score([]).as_json()
SOME = NOTHING | {"cases": 40, "exact": {"count": 30, "of": 40, "rate": 0.75, "low": 0.6, "high": 0.86}}
_READ = {"readOnlyHint": True, "openWorldHint": False}


def _tool(name: str, **annotations: bool) -> dict[str, Any]:
    schema = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
    return {"name": name, "description": MARKUP, "inputSchema": schema, "annotations": annotations}


def _call(number: int, tool: str, name: str, says: str, *, refused: bool = False) -> Call:
    intent = Intent("semantic.not_found" if refused else "nominal", Goal(f"goal {MARKUP}"))
    reply = {"content": [{"type": "text", "text": says}], **({"isError": True} if refused else {})}
    return Call(
        f"kiosk-e0001-{number:02}", "e0001", number, tool, {"name": name}, intent, "answered", "blake2:0", reply=reply,
        at="2026-11-20T09:00:00Z", ms=3,
    )  # fmt: skip


def put_pool(folder: Path, calls: int = 0) -> Recording:
    """Write a pool of the kiosk, with `calls` further calls."""
    pool = Recording(folder)
    folder.mkdir(parents=True)
    tools = (_tool("look", **_READ), _tool("tell", **_READ), _tool("publish"))
    server = server_json(
        ServerDescription({"name": f"kiosk {MARKUP}", "version": "1"}, "2026-07-28", {}, None, tools), "kiosk"
    )
    pool.write_json(SERVER, server)
    pool.write_text(PLAN, write_plan(server, "kiosk", TargetSource(command="kiosk"), {}, "2026-11-20T09:00:00Z"))
    made = [
        _call(1, "look", f"a {MARKUP}", f"seen {MARKUP}"),
        _call(2, "look", "nothing", f"there is no {MARKUP}", refused=True),
        _call(3, "tell", f"a {MARKUP}", f"told {MARKUP}"),
        *(_call(number, "look", f"thing {number}", f"seen thing {number}") for number in range(4, calls + 4)),
    ]
    pool.write_lines(EPISODES, (call.line() for call in made))
    return pool


def put_lock(root: Path) -> None:
    """Write an app synthesised from it."""
    tool = {"rounds": 2, "tokens_in": 900, "tokens_out": 80, "seconds": 1.5, "thin": False, "chosen_round": 2}
    difference = f"  --- expected\n  +++ got\n  -sold {MARKUP}\n  +bought"
    worst = f"kiosk-e0001-03 ({MARKUP}; 2 of this kind)\n  arguments: {{}}\n{difference}"
    lock = Lock("kiosk", {"name": MARKUP, "version": "1"}, "blake2:0", f"scripted: {MARKUP}", looks=3)
    lock.tools = {
        "publish": tool
        | {"answered_by": "none", "why": [f"exact: 30 of 40 {MARKUP}"], "held_out": SOME, "worst": [worst]},
        "look": tool | {"answered_by": "kernel", "why": [], "held_out": NOTHING, "worst": []},
    }
    lock.whole = {"held_out": SOME, "episodes": {"agree": 3, "of": 4}, "enough": False, "thresholds": Thresholds().as_json(),
                  "sandbox": ["limits", "audit"]}  # fmt: skip
    write_lock(root, lock)


@pytest.fixture(scope="package")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`kiosk` is complete, and so is `torn`, whose run was killed during a write. The others are damaged."""
    folder = tmp_path_factory.mktemp("syntheses")
    pools = folder / "pools"
    put_pool(pools / "kiosk")
    with open(put_pool(pools / "torn").folder / EPISODES, "ab") as file:
        file.write(b'{"id":"kiosk-e0001-04","epis')
    (put_pool(pools / "planless").folder / PLAN).unlink()
    with open(put_pool(pools / "scribbled").folder / EPISODES, "r+b") as file:
        file.write(b"\xff\x00 no line")
    (put_pool(pools / "otherwise").folder / EPISODES).write_bytes(b"[1, 2]\n")
    (put_pool(pools / "no-json").folder / SERVER).write_text("{")
    with open(put_pool(pools / "huge").folder / EPISODES, "ab") as file:
        file.truncate(60 * 2**20)
    (pools / "a folder").mkdir()
    put_lock(folder / "apps")
    for name, lock in (("garbage", "{"), ("empty", json.dumps({"format": 1}))):
        (folder / "apps/servers" / name).mkdir()
        (folder / "apps/servers" / name / LOCK).write_text(lock)
    (folder / "apps/.candidates").mkdir()
    (folder / "apps/.candidates/begun.generations.jsonl").write_text("{}\n{}\n")
    return folder


@pytest.fixture(scope="package")
def synthesis_gateway(data: Path) -> Iterator[Gateway]:
    gateway = start_gateway(data)
    yield gateway
    stop_gateway(gateway)
