# ruff: noqa: E501 what a candidate does reads best in one line
"""Candidates that no gate has checked cannot affect this machine: nothing is visible outside their process."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

import soundstage
from soundstage import app_roots
from soundstage.servers.confined import host
from soundstage.servers.confined.host import READY
from soundstage.synthesis.generate.sandbox import Run, RunResult, Sandbox, SandboxFailed, Step
from tests.synthesis.generate.escapes import ALL, RUN
from tests.synthesis.generate.small_app import APP, app_files

WORD = "canary-5d1f7c"
HONEST = RUN + "    context.create('goods', {'name': arguments['name']})\n    return context.count('goods')\n"
OS = "    import sys\n    os = sys.modules['os']\n"
PIPES = (
    OS
    + "    def is_pipe(n):\n        try:\n            os.write(n, b'')\n        except OSError:\n            return False\n"
    + "        return True\n    pipes = [n for n in range(3, 64) if is_pipe(n)]\n"
)
"""The open descriptors of a worker, one of which is its connection to the gateway."""
LIMIT_S = 30.0
_EXPECTED = 2 + READY + 4
"""The number of processes: the confined one, the first one of its namespace, waiting workers, and some that are about to end."""

EVIL = {
    "reads a file": "    return open('{file}').read()\n",
    "reads a file past open": OS + "    return os.read(os.open('{file}', 0), 100)\n",
    "reads a file by io": "    import sys\n    return sys.modules['io'].FileIO('{file}').read()\n",
    "reads what its parent was told": "    return open('/proc/{parent}/environ').read()\n",
    "reads its environment": OS + "    return dict(os.environ)\n",
    "writes a file": "    open('{folder}/written', 'w').write('x')\n",
    "writes a file past open": OS + "    os.write(os.open('{folder}/written', os.O_CREAT | os.O_WRONLY), b'x')\n",
    "writes over a file": "    open('{file}', 'w').write('x')\n",
    "takes a file away": OS + "    os.unlink('{file}')\n",
    "makes a folder": OS + "    os.mkdir('{folder}/made')\n",
    "makes a link": OS + "    os.symlink('{file}', '{folder}/link')\n",
    "renames a file": OS + "    os.rename('{file}', '{folder}/other')\n",
    "lists a folder": OS + "    return os.listdir('{folder}')\n",
    "opens a database": "    import apsw\n    apsw.Connection('{folder}/made.db').execute('create table a(b)')\n",
    "attaches a database": "    import apsw\n    apsw.Connection(':memory:').execute(\"attach '{folder}/made.db' as a; create table a.b(c)\")\n",
    "starts a program": OS + "    os.system('touch {folder}/started')\n",
    "starts a program past os": "    import subprocess\n    subprocess.run(['touch', '{folder}/started'])\n",
    "becomes a program": OS + "    os.execv('/bin/touch', ['touch', '{folder}/started'])\n",
    "forks": OS + "    if os.fork() == 0:\n        os.setsid()\n        while 1:\n            pass\n    return 'forked'\n",
    "starts a thread that stays": "    import threading\n    threading.Thread(target=lambda: [0 for _ in iter(int, 1)]).start()\n",
    "listens": "    import socket\n    s = socket.socket()\n    s.bind(('127.0.0.1', {port}))\n    s.listen()\n    import time\n    time.sleep(2)\n",
    "calls out": "    import socket\n    socket.create_connection(('127.0.0.1', {open_port})).send(b'{word}')\n",
    "calls out past socket": "    import _socket\n    s = _socket.socket(2, 1)\n    s.connect(('127.0.0.1', {open_port}))\n    s.send(b'{word}')\n",
    "ends its parent": OS + "    os.kill(os.getppid(), 9)\n",
    "ends the process that judges": OS + "    os.kill({parent}, 9)\n",
    "ends everybody": OS + "    os.kill(-1, 9)\n",
    "loads a library": "    import ctypes\n    ctypes.CDLL(None).system(b'touch {folder}/started')\n",
    "imports a module": "    import http.server\n    return http.server.__file__\n",
    "hooks what others run": "    import sys\n    sys.addaudithook(print)\n",
    "lifts its limits": "    import resource\n    resource.setrlimit(resource.RLIMIT_FSIZE, (-1, -1))\n    open('{folder}/written', 'w')\n",
    "leaves by the end": OS + "    os._exit(0)\n",
    "ends the interpreter": "    raise SystemExit\n",
    "is killed by itself": OS + "    os.abort()\n",
    "never ends": "    while 1:\n        pass\n",
    "never ends in a pattern": "    import re\n    re.match('(a+)+$', 'a' * 60 + 'b')\n",
    "sleeps": "    import time\n    time.sleep(1000)\n",
    "takes ten gigabytes": "    return len(b'x' * 10_000_000_000)\n",
    "calls itself": "    return run(context, arguments)\n",
    "floods the pipe": PIPES + "    while 1:\n        [os.write(n, b'x' * 65536) for n in pipes]\n",
    "sends zeros": PIPES + "    while 1:\n        [os.write(n, bytes(4096)) for n in pipes]\n",
    "asks without end": PIPES + "    while 1:\n        [os.write(n, b'\\0\\0\\0\\x0a[\"random\"]') for n in pipes]\n",
    "answers too much": "    return 'x' * 200_000_000\n",
    "sends what is not JSON": PIPES + "    [os.write(n, b'\\0\\0\\0\\4\\xff\\xfe[[') for n in pipes]\n",
    "sends what nests too deep": PIPES + "    [os.write(n, (99999).to_bytes(4, 'big') + b'[' * 99999) for n in pipes]\n",
    "closes its pipe": PIPES + "    [os.close(n) for n in pipes]\n    while 1:\n        pass\n",
}  # fmt: skip
"""Attempts of a kernel, each as the body of `run`."""
SLOW = {
    name
    for name in EVIL
    if "never" in name
    or name in ("sleeps", "closes its pipe", "asks without end", "forks", "starts a thread that stays")
}
FORGED = [
    [], {}, "reply", 5, None, {"reply": 1, "pair": [1, None]}, {"pair": 1}, {"pair": [1]}, {"pair": [1, [2]]}, {"refused": 1},
    {"refused": ["no kind", "x"]}, {"refused": ["invalid", 5]}, {"returned": ["invalid"]}, {"raised": 1}, {"other": 1},
    ["get"], ["get", "goods"], ["get", 1, ["a"]], ["get", "goods", "a"], ["get", "goods", [[1]]], ["get", "goods", []],
    ["list", "goods", [], [], None, 0], ["list", "goods", None, "name", None, 0], ["list", "goods", None, [], None],
    ["list", "goods", {"name in": "a"}, [], None, 0], ["list", "goods", {"a" * 300: 1}, [], None, 0], ["nothing"], [1], [[]],
    ["create", "goods", []], ["update", "goods", ["a"], {}, "x"], ["new_id", "x", 5], ["new_id", "x" * 300, "{hex:9}"],
    ["execute", "ATTACH 'x' AS y"], ["__class__"],
]  # fmt: skip
"""Messages that no regular worker sends."""
REFUSED = {
    "another app's entity": "    return context.get('lark_message', 'a')\n",
    "the engine's own tables": "    return context.list('_journal')\n",
    "a condition that is SQL": "    return context.list('goods', {'name = 1 OR 1': 1})\n",
    "an order that is SQL": "    return context.list('goods', order='name; DROP TABLE shop_goods')\n",
    "an id of a gigabyte": "    return context.new_id('x', '{hex:999999999}')\n",
    "the clock put back": "    return context.wait(-5)\n",
    "a billion random bits": "    return context.random.getrandbits(1_000_000_000)\n",
    "a field that is not declared": "    return context.create('goods', {'name': 'x', '_seq': 5})\n",
}
"""Requests that are well-formed and refused: the kernel gets an exception."""


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox() as made:
        yield made


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder that every user can write to, with a file in it that every user can read."""
    tmp_path.chmod(0o777)
    (tmp_path / "canary").write_text(WORD)
    (tmp_path / "canary").chmod(0o666)
    return tmp_path


def answer(sandbox: Sandbox, code: str, *, seconds: float = LIMIT_S) -> RunResult:
    runs = [Run([Step("tool", {"name": "a"})])]
    (ran,) = sandbox.run(APP, app_files(tool=code), runs, seconds=seconds)
    return ran


def answers_well(sandbox: Sandbox) -> bool:
    ran = answer(sandbox, HONEST)
    return ran.problem is None and ran.answers[0].ok and ran.state == {"goods": [{"name": "a"}]}


def candidates_left(sandbox: Sandbox) -> int:
    """Return the number of processes below the confined one beyond those that may wait for calls."""
    parents: dict[int, int] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            state, parent = path.read_text().rpartition(")")[2].split()[:2]
            if state != "Z":
                parents[int(path.parent.name)] = int(parent)
    below = {sandbox.process}
    while more := {one for one, parent in parents.items() if parent in below} - below:
        below |= more
    return max(0, len(below) - _EXPECTED)


def shown(ran: RunResult) -> str:
    return json.dumps([[a.reply, a.raised] for a in ran.answers]) + str(ran.problem)


def trouble(sandbox: Sandbox, body: str, folder: Path, *, at_import: bool = False) -> list[str]:
    """Return the effects of a kernel outside its process."""
    here = sorted(p.name for p in folder.iterdir())
    with socket.create_server(("127.0.0.1", 0)) as listening, socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
        free.close()
        listening.settimeout(0)
        filled = body.format(
            file=folder / "canary", folder=folder, parent=os.getpid(), port=port,
            open_port=listening.getsockname()[1], word=WORD,
        )  # fmt: skip
        code = textwrap.dedent(filled) + RUN + "    return 1\n" if at_import else RUN + filled
        ran = answer(sandbox, code)
        effects = []
        try:
            listening.accept()
            effects.append("somebody called")
        except BlockingIOError:
            pass
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                effects.append("a port is open")
    if WORD in shown(ran):
        effects.append(f"it was read: {shown(ran)}")
    if sorted(p.name for p in folder.iterdir()) != here or (folder / "canary").read_text() != WORD:
        effects.append("the folder has changed")
    if candidates_left(sandbox):
        effects.append("a process is left")
    if not answers_well(sandbox):
        effects.append("the next job is not answered")
    return effects


@pytest.mark.parametrize("name", [name for name in EVIL if name not in SLOW])
def test_an_attempt_has_no_effect_outside(sandbox: Sandbox, folder: Path, name: str) -> None:
    assert trouble(sandbox, EVIL[name], folder) == []


@pytest.mark.long
@pytest.mark.parametrize("name", sorted(SLOW))
def test_an_endless_call_is_ended(sandbox: Sandbox, folder: Path, name: str) -> None:
    assert trouble(sandbox, EVIL[name], folder) == []


@pytest.mark.long
@pytest.mark.parametrize("name", EVIL)
def test_an_attempt_at_import_has_no_effect_outside(sandbox: Sandbox, folder: Path, name: str) -> None:
    body = EVIL[name].replace("return ", "_ = ")
    assert trouble(sandbox, body, folder, at_import=True) == []


@pytest.mark.long
@pytest.mark.parametrize("name", ALL)
def test_python_escapes_are_contained_without_a_gate(sandbox: Sandbox, name: str) -> None:
    ran = answer(sandbox, ALL[name])
    assert "root:" not in shown(ran)
    assert candidates_left(sandbox) == 0
    assert answers_well(sandbox)


@pytest.mark.parametrize("message", FORGED, ids=range(len(FORGED)))
def test_a_forged_message_is_the_apps_internal_error(sandbox: Sandbox, message: object) -> None:
    body = json.dumps(message).encode()
    sent = len(body).to_bytes(4, "big") + body
    ran = answer(sandbox, RUN + PIPES + f"    [os.write(n, {sent!r}) for n in pipes]\n    os._exit(0)\n")
    assert ran.answers[0].error_kind == "internal"
    assert ran.state == {"goods": []} or ran.state == {}
    assert answers_well(sandbox)


@pytest.mark.parametrize("name", REFUSED)
def test_a_request_beyond_the_protocol_is_refused_with_an_exception(sandbox: Sandbox, name: str) -> None:
    caught = (
        RUN
        + "    try:\n    "
        + REFUSED[name]
        + "    except Exception as error:\n        return ['refused', str(error)]\n"
    )
    (text,) = [block["text"] for block in answer(sandbox, caught).answers[0].reply["content"]]
    assert text.startswith('["refused", ')
    assert answers_well(sandbox)


def test_a_call_that_ends_its_worker_does_not_affect_calls_before_and_after_it(sandbox: Sandbox) -> None:
    code = RUN + OS + "    if arguments['name'] == 'b':\n        os._exit(0)\n    return arguments['name']\n"
    runs = [Run([Step("tool", {"name": name})]) for name in "abc"]
    first, second, third = sandbox.run(APP, app_files(tool=code), runs, seconds=LIMIT_S)
    assert first.answers[0].reply["content"][0]["text"] == "a"
    assert second.answers[0].error_kind == "internal"
    assert second.answers[0].raised == "the worker ended without an outcome"
    assert third.answers[0].reply["content"][0]["text"] == "c"


def test_a_candidate_that_cannot_be_imported_is_reported_with_the_place(sandbox: Sandbox) -> None:
    ran = answer(sandbox, "x = 1 / 0\n" + RUN + "    return 1\n")
    assert str(ran.answers[0].raised).startswith("ZeroDivisionError: division by zero < kernels/shop/tool.py:1")


def test_a_candidate_that_is_not_python_is_reported_with_the_place(sandbox: Sandbox) -> None:
    ran = answer(sandbox, "def run(context, arguments:\n")
    assert "SyntaxError" in str(ran.answers[0].raised)
    assert "kernels/shop/tool.py" in str(ran.answers[0].raised) or "line 1" in str(ran.answers[0].raised)


def test_nothing_that_a_kernel_stores_is_visible_to_the_next_call(sandbox: Sandbox) -> None:
    code = (
        "SEEN = []\n\n\n" + RUN + "    import sys, dataclasses\n"
        "    from soundstage.contexts.engine.app_context import AppContext\n"
        "    found = [*SEEN, *getattr(sys, 'left', []), *getattr(AppContext, 'left', [])]\n"
        "    SEEN.append(arguments['name'])\n    sys.left = AppContext.left = [arguments['name']]\n"
        "    dataclasses.dataclass(frozen=True)(AppContext)\n    return found\n"
    )
    runs = [Run([Step("tool", {"name": name}) for name in "abc"])]
    (ran,) = sandbox.run(APP, app_files(tool=code), runs)
    assert [one.reply["content"][0]["text"] for one in ran.answers] == ["[]", "[]", "[]"]


@pytest.mark.parametrize(
    "code", ["    while 1:\n        pass\n", "    return len(b'x' * 10_000_000_000)\n"], ids=["time", "memory"]
)
def test_a_call_over_its_budget_is_a_timeout_and_its_changes_are_undone(sandbox: Sandbox, code: str) -> None:
    ran = answer(sandbox, RUN + "    context.create('goods', {'name': 'x'})\n" + code)
    assert ran.answers[0].error_kind == "budget_exceeded"
    assert ran.answers[0].changed == 0
    assert not ran.state.get("goods")


def test_changes_of_a_call_are_reported_and_not_visible_to_the_next_run(sandbox: Sandbox) -> None:
    runs = [Run([Step("tool", {"name": name})], {"goods": [{"name": "there"}]}) for name in "ab"]
    ran = sandbox.run(APP, app_files(tool=HONEST), runs)
    assert [one.state["goods"] for one in ran] == [
        [{"name": "there"}, {"name": "a"}],
        [{"name": "there"}, {"name": "b"}],
    ]
    assert [one.answers[0].changed for one in ran] == [1, 1]


def test_every_protection_of_the_system_is_used(sandbox: Sandbox) -> None:
    assert answers_well(sandbox)
    wanted = {"limits", "audit", "no new rights"} | ({"nobody", "empty root"} if os.geteuid() == 0 else set())
    assert wanted <= set(sandbox.layers)


AS_NOBODY = """
import json, sys
from pathlib import Path
from tests.synthesis.generate.test_sandbox import EVIL, SLOW, Sandbox, trouble
folder = Path(sys.argv[1])
with Sandbox() as sandbox:
    found = {name: trouble(sandbox, EVIL[name], folder) for name in EVIL if name not in SLOW}
    print(json.dumps([sandbox.layers, {name: one for name, one in found.items() if one}]))
"""


@pytest.mark.long
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
def test_an_attempt_has_no_effect_outside_for_an_unprivileged_user(folder: Path) -> None:
    for parent in list(folder.parents)[:3]:
        parent.chmod(parent.stat().st_mode | 0o011)
    places = [str(Path(soundstage.__file__).parent.parent), str(Path(__file__).parents[3])]
    if not os.environ.get("SOUNDSTAGE_OTHERS_PYTHON") and not _may_be_read_by_all(Path(sys.executable).resolve()):
        pytest.skip("this Python lies where only root may read it; SOUNDSTAGE_OTHERS_PYTHON may name another")
    done = subprocess.run(
        [os.environ.get("SOUNDSTAGE_OTHERS_PYTHON", sys.executable), "-c", AS_NOBODY, str(folder)],
        user=65534, group=65534, extra_groups=[], capture_output=True, text=True, cwd="/",
        env={"PYTHONPATH": os.pathsep.join(places), "PYTHONDONTWRITEBYTECODE": "1", "HOME": str(folder)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    layers, effects = json.loads(done.stdout.splitlines()[-1])
    assert effects == {}
    assert {"namespaces", "empty root", "limits", "audit"} <= set(layers)


def _may_be_read_by_all(path: Path) -> bool:
    return all(parent.stat().st_mode & 0o005 == 0o005 for parent in (path, *path.parents))


def test_the_process_ends_with_its_block() -> None:
    with Sandbox() as made:
        assert answers_well(made)
        os.kill(made.process, 0)
    with pytest.raises(ProcessLookupError):
        os.kill(made.process, 0)


def test_a_killed_process_is_started_again() -> None:
    with Sandbox() as made:
        assert answers_well(made)
        os.killpg(made.process, signal.SIGKILL)
        assert any(answers_well(made) for _ in range(20))  # a call may reach a worker that is being killed


def test_candidates_do_not_run_on_a_system_without_confinement(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host.ConfinedProcess, "layers", ("limits", "audit"))
    with (
        pytest.raises(
            SandboxFailed, match=r"does not confine candidates \(missing: namespaces.*--allow-unconfined-kernels"
        ),
        Sandbox(),
    ):
        pass
    monkeypatch.setenv(app_roots.ALLOW_UNCONFINED, "1")
    with Sandbox():
        pass
