# ruff: noqa: E501 what a candidate does reads best in one line
"""What candidates can do to this machine when no gate has looked at them: nothing that is seen outside their process."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest

import soundstage
from soundstage.synthesis.generate.sandbox import Ran, Run, Sandbox, SandboxFailed, Step
from tests.synthesis.generate.escapes import ALL, RUN
from tests.synthesis.generate.small_app import APP, app_files

WORD = "canary-5d1f7c"
HONEST = RUN + "    context.create('goods', {'name': arguments['name']})\n    return context.count('goods')\n"
OS = "    import sys\n    os = sys.modules['os']\n"
LIMIT_S = 4.0

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
    "says too much": OS + "    while 1:\n        os.write(3, b'x' * 65536)\n",
    "says too much in lines": OS + "    while 1:\n        os.write(3, b'{{\"calls\": []}}\\n' * 4096)\n",
    "answers too much": "    return 'x' * 200_000_000\n",
    "says what is no JSON": OS + "    os.write(3, b'nothing\\n[[\\n\\xff\\xfe\\n')\n",
    "says what nests too deep": OS + "    os.write(3, b'[' * 200000 + b'\\n')\n    os._exit(0)\n",
    "closes its pipe": OS + "    os.close(3)\n    while 1:\n        pass\n",
    "speaks for its parent": OS + "    os.write(1, b'{{\"lines\": [], \"ended\": \"done\"}}\\n')\n    os.write(2, b'{word}')\n",
}  # fmt: skip
"""What a kernel does, each as the body of `run`."""
SLOW = {
    name
    for name in EVIL
    if "never" in name or name in ("sleeps", "closes its pipe", "forks", "starts a thread that stays")
}
FORGED = [
    [], {}, "reply", {"calls": 1, "state": {}}, {"calls": [1], "state": {}}, {"calls": [{}], "state": {}},
    {"calls": [], "state": [1]}, {"calls": [], "state": {"goods": 1}},
    {"calls": [{"reply": 1, "ok": True, "is_error": False, "error_kind": None, "changed": 0, "us": 1, "raised": None}], "state": {}},
    {"calls": [{"reply": {"error": 1}, "ok": 1, "is_error": 0, "error_kind": None, "changed": 0, "us": 1, "raised": None}], "state": {}},
    {"calls": [{"reply": {"content": [1]}, "ok": 1, "is_error": 0, "error_kind": [], "changed": 0, "us": 1, "raised": 5}], "state": {}},
    {"calls": [{"reply": {}, "ok": 1, "is_error": 0, "error_kind": None, "changed": float("inf"), "us": 1, "raised": None}], "state": {}},
]  # fmt: skip
"""Lines that no honest process says."""


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox() as made:
        yield made


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder that everybody may write to, with a file in it that everybody may read."""
    tmp_path.chmod(0o777)
    (tmp_path / "canary").write_text(WORD)
    (tmp_path / "canary").chmod(0o666)
    return tmp_path


def answer(sandbox: Sandbox, code: str, *, seconds: float = LIMIT_S) -> Ran:
    runs = [Run([Step("tool", {"name": "a"})])]
    (ran,) = sandbox.run(APP, app_files(tool=code), runs, seconds=seconds)
    return ran


def answers_well(sandbox: Sandbox) -> bool:
    ran = answer(sandbox, HONEST)
    return ran.problem is None and ran.answers[0].ok and ran.state == {"goods": [{"name": "a"}]}


def candidates_left(sandbox: Sandbox) -> set[int]:
    """The processes that candidates have left: forks have their parent's command line, and orphans no other parent than the first process."""
    found = set()
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            parent = int((path.parent / "stat").read_text().rpartition(")")[2].split()[1])
            if b"synthesis.generate.child" in path.read_bytes() and parent in (1, sandbox.process):
                found.add(int(path.parent.name))
        except OSError:
            continue
    return found


def shown(ran: Ran) -> str:
    return json.dumps([[a.reply, a.raised] for a in ran.answers]) + str(ran.problem)


def trouble(sandbox: Sandbox, body: str, folder: Path, *, at_import: bool = False) -> list[str]:
    """What a kernel leaves outside of its process."""
    before, here = candidates_left(sandbox), sorted(p.name for p in folder.iterdir())
    with socket.create_server(("127.0.0.1", 0)) as listening, socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
        free.close()
        listening.settimeout(0)
        filled = body.format(
            file=folder / "canary", folder=folder, parent=os.getpid(), port=port,
            open_port=listening.getsockname()[1], word=WORD,
        )  # fmt: skip
        code = textwrap.dedent(filled) + RUN + "    return 1\n" if at_import else RUN + filled
        ran = answer(sandbox, code, seconds=1.0 if at_import else LIMIT_S)
        found = []
        try:
            listening.accept()
            found.append("somebody called")
        except BlockingIOError:
            pass
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                found.append("a port is open")
    if WORD in shown(ran):
        found.append(f"it was read: {shown(ran)}")
    if sorted(p.name for p in folder.iterdir()) != here or (folder / "canary").read_text() != WORD:
        found.append("the folder has changed")
    if candidates_left(sandbox) != before:
        found.append("a process is left")
    if not answers_well(sandbox):
        found.append("the next job is not answered")
    return found


@pytest.mark.parametrize("name", [name for name in EVIL if name not in SLOW])
def test_nothing_of_it_is_seen_outside(sandbox: Sandbox, folder: Path, name: str) -> None:
    assert trouble(sandbox, EVIL[name], folder) == []


@pytest.mark.long
@pytest.mark.parametrize("name", sorted(SLOW))
def test_what_never_ends_is_ended(sandbox: Sandbox, folder: Path, name: str) -> None:
    assert trouble(sandbox, EVIL[name], folder) == []


@pytest.mark.long
@pytest.mark.parametrize("name", EVIL)
def test_nothing_of_it_is_seen_when_it_runs_at_import(sandbox: Sandbox, folder: Path, name: str) -> None:
    body = EVIL[name].replace("return ", "_ = ")
    assert trouble(sandbox, body, folder, at_import=True) == []


@pytest.mark.long
@pytest.mark.parametrize("name", ALL)
def test_ways_out_of_python_are_held_without_a_gate(sandbox: Sandbox, name: str) -> None:
    before = candidates_left(sandbox)
    ran = answer(sandbox, ALL[name], seconds=2.0)
    assert "root:" not in shown(ran)
    assert candidates_left(sandbox) == before
    assert answers_well(sandbox)


@pytest.mark.parametrize("line", FORGED, ids=range(len(FORGED)))
def test_a_line_that_a_candidate_forges_is_a_problem_of_its_own(sandbox: Sandbox, line: object) -> None:
    said = json.dumps(line).encode() + b"\n"
    ran = answer(sandbox, RUN + OS + f"    os.write(3, {said!r})\n    os._exit(0)\n")
    assert ran.answers == ()
    assert ran.problem
    assert answers_well(sandbox)


def test_one_run_that_is_stopped_leaves_those_before_it(sandbox: Sandbox) -> None:
    code = RUN + OS + "    if arguments['name'] == 'b':\n        os._exit(0)\n    return arguments['name']\n"
    runs = [Run([Step("tool", {"name": name})]) for name in "abc"]
    first, second, third = sandbox.run(APP, app_files(tool=code), runs, seconds=LIMIT_S)
    assert first.answers[0].reply["content"][0]["text"] == "a"
    assert second.problem is not None
    assert "was stopped" in second.problem
    assert third.problem == second.problem


def test_a_candidate_that_cannot_be_imported_says_where(sandbox: Sandbox) -> None:
    ran = answer(sandbox, "x = 1 / 0\n" + RUN + "    return 1\n")
    assert ran.problem is not None
    assert ran.problem.startswith("ZeroDivisionError: division by zero < kernels/shop/tool.py:1")


def test_what_a_call_changed_is_told_and_nothing_stays_for_the_next(sandbox: Sandbox) -> None:
    runs = [Run([Step("tool", {"name": name})], {"goods": [{"name": "there"}]}) for name in "ab"]
    ran = sandbox.run(APP, app_files(tool=HONEST), runs)
    assert [one.state["goods"] for one in ran] == [
        [{"name": "there"}, {"name": "a"}],
        [{"name": "there"}, {"name": "b"}],
    ]
    assert [one.answers[0].changed for one in ran] == [1, 1]


def test_everything_that_the_system_gives_is_used(sandbox: Sandbox) -> None:
    assert answers_well(sandbox)
    wanted = {"limits", "audit"} | ({"nobody", "chroot"} if os.geteuid() == 0 else set())
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
def test_nothing_of_it_is_seen_outside_where_nobody_runs_it(folder: Path) -> None:
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
    layers, found = json.loads(done.stdout.splitlines()[-1])
    assert found == {}
    assert {"limits", "audit"} <= set(layers)


def _may_be_read_by_all(path: Path) -> bool:
    return all(parent.stat().st_mode & 0o005 == 0o005 for parent in (path, *path.parents))


def test_the_process_ends_with_its_block() -> None:
    with Sandbox() as made:
        assert answers_well(made)
        os.kill(made.process, 0)
    with pytest.raises(ProcessLookupError):
        os.kill(made.process, 0)


@pytest.mark.parametrize("gone", [False, True], ids=["going", "gone"])
def test_a_process_that_is_gone_is_told_in_words(gone: bool) -> None:
    with Sandbox() as made:
        os.kill(made.process, signal.SIGKILL)
        if gone:  # the job cannot be written at all
            os.waitid(os.P_PID, made.process, os.WEXITED | os.WNOWAIT)
        with pytest.raises(SandboxFailed, match="the process for candidates has ended"):
            answer(made, HONEST)
