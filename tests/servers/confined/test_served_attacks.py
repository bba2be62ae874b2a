"""Kernels that passed the gate, served by a gateway: it survives, other sessions work, nothing leaks, the journal records it."""

from __future__ import annotations

import json
import os
import signal
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import apsw
import httpx2
import pytest

from soundstage import app_roots
from soundstage.app_roots import digest
from tests.conftest import Gateway, start_gateway, stop_gateway, wait_until
from tests.synthesis.generate.small_app import app_files

RUN = "def run(context, arguments):\n"
OS = "    import sys\n    os = sys.modules['os']\n"
ATTACKS: dict[str, tuple[str, set[str | None]]] = {
    "sql": (
        "from dataclasses import dataclass\n\n\n@dataclass\nclass Sql:\n    delete_sql: str\n\n\ndef run(c, arguments):\n"
        "    c.remove(Sql('INSERT INTO shop_goods SELECT handle FROM r.session'), ())\n    return c.list('goods')\n",
        {"internal"},
    ),
    "sql_by_request": (
        RUN + "    return context._ask('execute', \"ATTACH '/tmp/x.db' AS r\")\n", {"internal"},
    ),
    "attach": (RUN + "    import apsw\n    apsw.Connection('{folder}/made.db')\n", {"internal"}),
    "monkey": (
        "from dataclasses import dataclass\nfrom soundstage.contexts.engine.app_context import AppContext\n\n\n"
        + RUN + "    dataclass(frozen=True)(AppContext)\n    return 1\n",
        {None},
    ),
    "fin": (
        "def busy():\n    try:\n        yield 1\n    finally:\n        while True:\n            pass\n\n\n"
        + RUN + "    for i in range(9):\n        next(busy())\n    return 1\n",
        {"budget_exceeded"},
    ),
    "iter": (
        "from functools import partial\n\n\n" + RUN + "    return any(iter(*[partial(int), 1]))\n",
        {"budget_exceeded"},
    ),
    "segv": (
        RUN + "    m = 'a'\n    for i in range(200000):\n        m = map(str, m)\n    return list(m)\n",
        {"internal", "budget_exceeded"},
    ),
    "grow": (RUN + "    items = [1]\n    return any(map(items.append, items))\n", {"budget_exceeded"}),
    "loop": (RUN + "    while True:\n        pass\n", {"budget_exceeded"}),
    "sleep": (RUN + "    import time\n    time.sleep(100)\n", {"internal", "budget_exceeded"}),
    "memory": (RUN + "    return len(bytearray(10_000_000_000))\n", {"budget_exceeded"}),
    "clock": (
        "from datetime import datetime as context\n\n\n"
        "def run(c, arguments):\n    return context.now().isoformat()\n",
        {"internal"},
    ),
    "write_file": (RUN + OS + "    os.close(os.open('{folder}/made', os.O_CREAT | os.O_WRONLY))\n", {"internal"}),
    "read_file": (RUN + "    return open('{folder}/canary').read()\n", {"internal"}),
    "network": (RUN + "    import _socket\n    s = _socket.socket(2, 1)\n    s.connect(('127.0.0.1', {port}))\n", {"internal"}),
    "kill_parent": (RUN + OS + "    os.kill(arguments['gateway'], 9)\n    return 1\n", {"internal"}),
    "kill_all": (RUN + OS + "    os.kill(-1, 9)\n    return 1\n", {"internal"}),
    "forks": (RUN + OS + "    while os.fork() >= 0:\n        pass\n", {"internal"}),
    "flood": (
        RUN + OS + "    while 1:\n        for n in range(3, 64):\n            try:\n                os.write(n, b'x' * 65536)\n"
        "            except OSError:\n                pass\n",
        {"internal", "budget_exceeded"},
    ),
    "other_app": (RUN + "    return context.list('monitor_process')\n", {"internal"}),
    "dies_late": (RUN + OS + "    context.create('goods', {{'name': 'half'}})\n    os._exit(3)\n", {"internal"}),
    "slow_late": (RUN + "    context.create('goods', {{'name': 'half'}})\n    while True:\n        pass\n", {"budget_exceeded"}),
}  # fmt: skip
STATE = "SEEN = []\n\n\n" + RUN + "    alias = SEEN\n    alias.append(arguments.get('text'))\n    return alias\n"
HONEST = (
    RUN + "    made = context.create('goods', {'name': arguments['name']})\n"
    "    return {'made': made, 'at': context.now().isoformat(), 'id': context.new_id('goods', 'gd_{hex:6}'),\n"
    "            'drawn': context.random.randint(1, 10**9), 'number': context.next_number('n'), 'all': context.list('goods')}\n"
)


@pytest.fixture(scope="module")
def listening() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as made:
        made.settimeout(0)
        yield made


@pytest.fixture(scope="module")
def outside(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that every user may read and write, with a file."""
    folder = tmp_path_factory.mktemp("outside")
    folder.chmod(0o777)
    (folder / "canary").write_text("canary-7c1")
    return folder


@pytest.fixture(scope="module")
def gateway(tmp_path_factory: pytest.TempPathFactory, listening: socket.socket, outside: Path) -> Iterator[Gateway]:
    data = tmp_path_factory.mktemp("data")
    port = listening.getsockname()[1]
    kernels = {
        name: code.replace("{folder}", str(outside)).replace("{port}", str(port)).replace("{{", "{").replace("}}", "}")
        for name, (code, _) in ATTACKS.items()
    }
    put_app(data / "apps", {**kernels, "state": STATE, "honest": HONEST})
    result = start_gateway(data, log=data.with_name("log"))
    yield result
    stop_gateway(result)


def put_app(root: Path, kernels: dict[str, str]) -> None:
    """Write an app into a root with a lock that accepts it, without any gate."""
    files = app_files(**kernels)
    for path, content in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(content)
    lock = {"accepted": {path: digest(content) for path, content in files.items()}}
    (root / "servers/shop" / app_roots.LOCK).write_text(json.dumps(lock))


def call(session: dict[str, Any], tool: str, arguments: dict[str, Any] | None = None) -> dict[str, Any]:
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments or {}}}
    headers = {"Accept": "application/json, text/event-stream"}
    text = httpx2.post(session["apps"]["shop"], json=body, headers=headers, timeout=60).text
    line = next((part[5:] for part in text.splitlines() if part.startswith("data:")), text)
    result: dict[str, Any] = json.loads(line)
    return result


def text_of(answer: dict[str, Any]) -> str:
    return "".join(block.get("text", "") for block in answer["result"]["content"])


@pytest.fixture(scope="module")
def other(gateway: Gateway) -> dict[str, Any]:
    """A session that attacks on other sessions must not reach."""
    made = gateway.session(world="empty", apps=["shop"])
    call(made, "honest", {"name": "mine"})
    return made


@pytest.mark.parametrize("name", ATTACKS)
def test_an_attack_ends_as_an_ordinary_answer(
    gateway: Gateway, other: dict[str, Any], listening: socket.socket, outside: Path, name: str
) -> None:
    session = gateway.session(world="empty", apps=["shop", "monitor"])
    registry = _registry(gateway)
    answer = call(session, name, {"gateway": gateway.process.pid})
    (line,) = [line for line in gateway.journal(session["id"]) if line["tool"] == name]
    assert line["error_kind"] in ATTACKS[name][1], (line, answer)
    assert line["reply"] == answer["result"]
    for secret in (other["handle"], "canary-7c1", "mine"):
        assert secret not in json.dumps(answer)
    assert sorted(path.name for path in outside.iterdir()) == ["canary"]
    with pytest.raises(BlockingIOError):
        listening.accept()
    assert gateway.process.poll() is None
    assert _registry(gateway) == registry
    assert "half" not in gateway.api("GET", f"/sessions/{session['id']}/state?app=shop").text
    made = json.loads(text_of(call(session, "honest", {"name": "after"})))
    assert made["all"] == [{"name": "after"}]
    fresh = gateway.session(world="empty", apps=["shop"])
    assert not call(fresh, "honest", {"name": "new"})["result"].get("isError")
    assert "mine" in gateway.api("GET", f"/sessions/{other['id']}/state?app=shop").text


def test_nothing_that_one_call_leaves_is_visible_to_another(gateway: Gateway) -> None:
    first, second = (gateway.session(world="empty", apps=["shop"]) for _ in range(2))
    answers = [
        text_of(call(session, "state", {"text": text})) for session in (first, second, first) for text in ("a", "b")
    ]
    assert answers == ['["a"]', '["b"]'] * 3


def test_calls_of_several_sessions_at_once_are_answered_from_their_own_rows(gateway: Gateway) -> None:
    sessions = [gateway.session(world="empty", apps=["shop"]) for _ in range(6)]
    result: dict[int, list[Any]] = {}

    def use(number: int) -> None:
        made = [json.loads(text_of(call(sessions[number], "honest", {"name": f"{number}-{i}"}))) for i in range(10)]
        result[number] = made[-1]["all"]

    threads = [threading.Thread(target=use, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert result == {number: [{"name": f"{number}-{i}"} for i in range(10)] for number in range(6)}


def test_ids_clock_and_randomness_belong_to_the_session_and_repeat(gateway: Gateway) -> None:
    answers = []
    for _ in range(2):
        session = gateway.session(world="empty", apps=["shop"], seed=5)
        answers.append([text_of(call(session, "honest", {"name": name})) for name in ("a", "b")])
    assert answers[0] == answers[1]
    assert json.loads(answers[0][1])["number"] == 2


def test_a_killed_confined_process_is_started_again(gateway: Gateway) -> None:
    session = gateway.session(world="empty", apps=["shop"])
    call(session, "honest", {"name": "a"})
    for process in _confined(gateway.process.pid):
        os.kill(process, signal.SIGKILL)
    wait_until(lambda: not text_of(call(session, "state", {"text": "a"})).startswith("Internal"), "it answers again")
    assert text_of(call(session, "state", {"text": "b"})) == '["b"]'


def _confined(gateway: int) -> list[int]:
    """Return the ids of the processes that the gateway has started for kernels."""
    result = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(path.read_text().rpartition(")")[2].split()[1])
            if parent == gateway and b"servers.confined" in (path.parent / "cmdline").read_bytes():
                result.append(int(path.parent.name))
        except OSError:
            continue
    return result


def _registry(gateway: Gateway) -> list[Any]:
    """Return the upstreams of the registry, to which an attacker would add a program."""
    connection = apsw.Connection(str(gateway.data / "registry.db"), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        return connection.execute("SELECT * FROM upstream").fetchall()
    finally:
        connection.close()
