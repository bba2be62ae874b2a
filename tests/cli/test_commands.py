"""The command `soundstage`, with and without a running gateway."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests import built_worlds
from tests.conftest import Gateway, clean_environment, run_here, soundstage_command, start_gateway, stop_gateway
from tests.ports import free_port


@dataclass(frozen=True, slots=True)
class Done:
    """The exit code and output of a command."""

    returncode: int
    stdout: str
    stderr: str


def soundstage(*arguments: str, data: Path) -> Done:
    """Run a command in this process, because starting a process takes longer than most commands."""
    built_worlds.link_into(data)
    done = run_here(*arguments, environment={"SOUNDSTAGE_DATA": str(data), "COLUMNS": "200", "NO_COLOR": "1"})
    raised = done.exception
    if raised is not None and not isinstance(raised, SystemExit):
        raise raised
    return Done(done.exit_code, done.stdout, done.stderr)


def process(*arguments: str, data: Path) -> Done:
    """Run a command as a user does, in a separate process."""
    built_worlds.link_into(data)
    env = {**clean_environment(), "SOUNDSTAGE_DATA": str(data)}
    done = subprocess.run([*soundstage_command(), *arguments], capture_output=True, text=True, env=env, timeout=120)
    return Done(done.returncode, done.stdout, done.stderr)


def _digest(session: str, data: Path) -> str:
    return str(made(soundstage("sessions", "show", session, "--json", data=data))["digest"])


def made(done: Done) -> Any:
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.long
def test_a_session_is_used_by_command_only(tmp_path: Path) -> None:
    created = made(soundstage("sessions", "create", "--name", "one", "--seed", "3", "--json", data=tmp_path))
    assert (created["name"], created["handle"], created["seed"]) == ("one", "one", 3)
    fresh = _digest("one", tmp_path)
    arguments = json.dumps({"data": {"summary": "Order cables"}})
    called = made(
        soundstage("call", "lark", "task_v2_task_create", arguments, "--session", "one", "--json", data=tmp_path)
    )
    assert called["ok"]
    assert called["step"] == 1
    assert "Order cables" in soundstage("sessions", "journal", "one", data=tmp_path).stdout
    assert (
        "Order cables"
        in soundstage("sessions", "journal", "one", "--kind", "call", "--limit", "1", data=tmp_path).stdout
    )
    assert soundstage("sessions", "journal", "one", "--kind", "clock", "--json", data=tmp_path).stdout == ""
    (change,) = (
        c for c in made(soundstage("sessions", "diff", "one", "--json", data=tmp_path)) if c["entity"] == "task"
    )
    assert change["op"] == "insert"
    snapshot = made(soundstage("sessions", "snapshot", "one", "--json", data=tmp_path))
    fork = made(soundstage("sessions", "fork", "one", "--at", "0", "--json", data=tmp_path))
    assert _digest(fork["id"], tmp_path) == fresh
    assert made(soundstage("sessions", "reset", "one", "--json", data=tmp_path))["step"] == 0
    back = made(soundstage("sessions", "restore", "one", "--snapshot", snapshot["id"], "--json", data=tmp_path))
    assert back["step"] == 1
    assert [s["id"] for s in made(soundstage("sessions", "snapshots", "one", "--json", data=tmp_path))] == [
        snapshot["id"]
    ]
    soundstage("sessions", "delete", "one", data=tmp_path)
    listed = made(soundstage("sessions", "list", "--json", data=tmp_path))
    assert [s["id"] for s in listed["sessions"]] == [fork["id"]]


@pytest.mark.long
def test_an_exported_and_imported_state_has_an_equal_digest(tmp_path: Path) -> None:
    soundstage("sessions", "create", "--name", "source", data=tmp_path)
    for name, options in (("state", []), ("tree", ["--app", "lark", "--tree"])):
        file = tmp_path / f"{name}.json"
        assert soundstage("sessions", "export", "source", *options, "-o", str(file), data=tmp_path).returncode == 0
        soundstage("sessions", "create", "--name", name, "--world", "empty", data=tmp_path)
        given = ["--tree", "lark"] if name == "tree" else []
        assert soundstage("sessions", "import", name, str(file), *given, data=tmp_path).returncode == 0
        if name == "state":
            assert _digest(name, tmp_path) == _digest("source", tmp_path)
    exported = [made(soundstage("sessions", "export", s, "--app", "lark", data=tmp_path)) for s in ("source", "tree")]
    by_key = [{k: sorted(map(json.dumps, v)) for k, v in e["lark"].items()} for e in exported]
    assert by_key[0] == by_key[1]


def test_commands_use_a_gateway_that_runs_on_the_folder(tmp_path: Path) -> None:
    started = start_gateway(tmp_path)
    try:
        in_memory = started.session(name="only-here")
        shown = made(soundstage("sessions", "show", "only-here", "--json", data=tmp_path))
        assert shown["id"] == in_memory["id"]
        assert shown["mcp_url"].startswith(started.url)
    finally:
        stop_gateway(started)
    gone = soundstage("sessions", "show", "only-here", data=tmp_path)
    assert gone.returncode == 1
    assert "'only-here'" in gone.stderr


@pytest.mark.long
def test_the_demo_runs_and_its_session_stays(tmp_path: Path) -> None:
    done = soundstage("demo", data=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "http://127.0.0.1:8700/s/demo/mcp" in done.stdout
    demo = made(soundstage("demo", "--json", data=tmp_path))
    assert len(demo["steps"]) >= 4
    assert {c["op"] for c in demo["changes"]} >= {"insert"}
    assert ([c["passed"] for c in demo["checks"]], demo["score"]) == ([True, True], 1)
    tools = {s["tool"] for s in demo["steps"]}
    assert all(any(word in t for t in tools) for word in ("calendar", "im_v1", "contact"))
    assert made(soundstage("sessions", "show", "demo", "--json", data=tmp_path))["step"] == len(demo["steps"])


def test_apps_tools_and_worlds_are_listed(gateway: Gateway) -> None:
    assert "lark" in {a["name"] for a in made(soundstage("apps", "--json", data=gateway.data))}
    assert len(made(soundstage("tools", "lark", "--json", data=gateway.data))) == 31
    assert {"empty", "studio"} <= {w["name"] for w in made(soundstage("worlds", "--json", data=gateway.data))}
    for command in (["apps"], ["tools", "lark"], ["worlds"], ["sessions", "list"]):
        assert soundstage(*command, data=gateway.data).returncode == 0


@pytest.mark.long
def test_a_refused_call_exits_with_1_and_shows_the_apps_words(tmp_path: Path) -> None:
    done = soundstage("call", "lark", "im_v1_message_create", '{"data": {}}', data=tmp_path)
    assert done.returncode == 1
    assert "Invalid arguments for tool im_v1_message_create" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["call", "lark", "im_v1_chat_list", "{"], 1, "not valid JSON"),
        (["call", "lark", "im_v1_chat_list", "[]"], 1, "JSON object"),
        (["call", "myspace", "x"], 1, "no app 'myspace'"),
        (["tools", "myspace"], 1, "known: "),
        (["app", "myspace"], 1, "known: "),
        (["stdio", "--session", "not-yet", "--world", "nowhere"], 1, "known: "),
        (["stdio", "--session", "Not A Name"], 1, "session name"),
        (["sessions", "show", "nobody"], 1, "'nobody'"),
        (["sessions", "create", "--world", "nowhere"], 1, "known: "),
        (["sessions", "create", "--clock", "backwards"], 1, "clock"),
        (["sessions", "import", "nobody", "/no/such/file"], 1, "/no/such/file cannot be read"),
        (["sessions", "export", "nobody", "--tree"], 1, "--app"),
        (["sessions", "restore", "nobody", "--step", "-1"], 2, "--step"),
        (["serve", "--host", "0.0.0.0"], 1, "needs a token"),
        (["serve", "--port", "99999"], 2, "--port"),
        (["nonsense"], 2, "nonsense"),
    ],
)
def test_mistakes_are_reported_on_stderr_without_a_traceback(
    gateway: Gateway, arguments: list[str], code: int, message: str
) -> None:
    run = process if arguments[0] in ("serve", "stdio", "app") else soundstage
    done = run(*arguments, data=gateway.data)
    assert done.returncode == code, done.stderr
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_a_port_in_use_is_reported(tmp_path: Path) -> None:
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", free_port()))
        holder.listen()
        port = holder.getsockname()[1]
        done = process("serve", "--port", str(port), data=tmp_path)
    assert done.returncode == 1
    assert f"port {port}" in done.stderr
    assert "choose another" in done.stderr


@pytest.mark.long
def test_an_unwritable_data_folder_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for command in (["serve"], ["stdio"], ["sessions", "list"], ["app", "lark"], ["demo"]):
        done = process(*command, data=tmp_path / "file" / "below")
        assert done.returncode == 1, command
        assert "cannot be written" in done.stderr
        assert "Traceback" not in done.stderr


@pytest.mark.long
def test_a_damaged_registry_is_reported(tmp_path: Path) -> None:
    (tmp_path / "registry.db").write_bytes(b"this is no database" * 500)
    for command in (["serve", "--port", str(free_port())], ["stdio"], ["sessions", "list"]):
        done = process(*command, data=tmp_path)
        assert done.returncode == 1, (command, done.stderr)
        assert "registry" in done.stderr
        assert "damaged" in done.stderr
        assert "Traceback" not in done.stderr
    assert (tmp_path / "registry.db").read_bytes().startswith(b"this is no database")


@pytest.mark.long
def test_a_damaged_context_is_reported_and_reset_repairs_it(tmp_path: Path) -> None:
    created = made(soundstage("sessions", "create", "--name", "one", "--json", data=tmp_path))
    fresh = _digest("one", tmp_path)
    file = tmp_path / "sessions" / f"{created['id']}.db"
    file.write_bytes(b"scribble" * 10_000)
    for command in (
        ["sessions", "show", "one"],
        ["stdio", "--session", "one"],
        ["call", "lark", "x", "--session", "one"],
    ):
        done = process(*command, data=tmp_path)
        assert done.returncode == 1, command
        assert "damaged" in done.stderr
        assert "Traceback" not in done.stderr
    assert file.read_bytes().startswith(b"scribble")
    assert "damaged: its file is not a database" in soundstage("sessions", "list", data=tmp_path).stdout
    assert soundstage("sessions", "reset", "one", data=tmp_path).returncode == 0
    assert _digest("one", tmp_path) == fresh
    assert soundstage("sessions", "delete", "one", data=tmp_path).returncode == 0


def test_a_deleted_session_is_reported_over_mcp(gateway: Gateway) -> None:
    import httpx2

    made_session = gateway.session(durability="durable")
    fork = gateway.api("POST", f"/sessions/{made_session['id']}/fork").json()
    gateway.api("DELETE", f"/sessions/{made_session['id']}")
    answer = httpx2.post(made_session["mcp_url"], json={})
    assert answer.status_code == 404
    assert "no session has this handle" in answer.json()["error"]["message"]
    assert gateway.api("GET", f"/sessions/{fork['id']}").status_code == 200


def test_serve_ends_quietly_on_sigterm_and_removes_its_address_file(tmp_path: Path) -> None:
    started = start_gateway(tmp_path)
    assert (tmp_path / "gateway.json").exists()
    started.process.send_signal(signal.SIGTERM)
    assert started.process.wait(60) in (0, -signal.SIGTERM)
    assert not (tmp_path / "gateway.json").exists()


def test_help_names_every_command(tmp_path: Path) -> None:
    shown = process("--help", data=tmp_path).stdout
    for command in ("serve", "stdio", "app", "sessions", "apps", "tools", "call", "demo"):
        assert command in shown
    assert os.linesep in shown


@pytest.mark.long
def test_a_token_file_is_created_and_opens_the_control_plane(tmp_path: Path) -> None:
    file = tmp_path / "secrets" / "token"
    gateway = start_gateway(tmp_path / "data", "--token-file", str(file), log=tmp_path / "log")
    try:
        token = file.read_text()
        assert len(token) >= 32
        assert file.stat().st_mode & 0o777 == 0o600
        assert gateway.api("GET", "/sessions").status_code == 401
        assert gateway.api("GET", "/sessions", headers={"Authorization": f"Bearer {token}"}).status_code == 200
        environment = {**clean_environment(), "SOUNDSTAGE_TOKEN_FILE": str(file)}
        command = [*soundstage_command(), "sessions", "list", "--url", gateway.url]
        assert subprocess.run(command, env=environment, capture_output=True).returncode == 0
    finally:
        stop_gateway(gateway)
    again = start_gateway(tmp_path / "data", "--token-file", str(file), log=tmp_path / "log")
    stop_gateway(again)
    assert file.read_text() == token
    assert token not in (tmp_path / "log").read_text()


def test_an_unusable_token_file_is_reported(tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    for file, message in ((tmp_path / "empty", "is empty"), (tmp_path, "cannot be used")):
        command = [*soundstage_command(), "serve", "--data", str(tmp_path / "data"), "--token-file", str(file)]
        ended = subprocess.run(command, env=clean_environment(), capture_output=True, text=True, timeout=120)
        assert ended.returncode != 0
        assert message in ended.stderr


@pytest.mark.long
def test_a_gateway_that_ends_leaves_the_address_file_of_another(tmp_path: Path) -> None:
    first = start_gateway(tmp_path / "data")
    second = start_gateway(tmp_path / "data")
    stop_gateway(first)
    try:
        assert made(soundstage("sessions", "list", "--json", data=tmp_path / "data"))
        assert json.loads((tmp_path / "data" / "gateway.json").read_text())["url"] == second.url
    finally:
        stop_gateway(second)
    assert not (tmp_path / "data" / "gateway.json").exists()


def test_the_advertised_address_must_have_a_scheme(tmp_path: Path) -> None:
    for wrong in ("10.0.0.5:8700", "http://", "http://host:none", "ftp://host", "http://host/below"):
        command = [*soundstage_command(), "serve", "--data", str(tmp_path / "data"), "--advertise", wrong]
        refused = subprocess.run(command, env=clean_environment(), capture_output=True, text=True)
        assert refused.returncode != 0
        assert "such as http://10.0.0.5:8700" in refused.stderr


@pytest.mark.long
def test_on_port_0_the_gateway_prints_its_port(tmp_path: Path) -> None:
    command = [*soundstage_command(), "serve", "--port", "0", "--temporary", "--world", "empty"]
    environment = {**clean_environment(), "TMPDIR": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment)
    try:
        assert process.stdout is not None
        address = process.stdout.readline().split()[2]
        assert httpx2.get(address.replace("/mcp", "/healthz"), timeout=30).status_code == 200
        assert list(tmp_path.glob("soundstage-*")), "its data folder"
    finally:
        process.terminate()
        process.communicate(timeout=60)
    assert list(tmp_path.glob("soundstage-*")) == []


@pytest.mark.parametrize(
    "pause_s",
    [
        0,
        pytest.param(0.5, marks=pytest.mark.long),
        pytest.param(1, marks=pytest.mark.long),
        pytest.param(2, marks=pytest.mark.long),
    ],
)
def test_an_attached_gateway_ends_with_its_input_at_any_stage_of_its_start(pause_s: float, tmp_path: Path) -> None:
    command = [*soundstage_command(), "serve", "--attached", "--port", "0", "--world", "empty", "--data", str(tmp_path)]
    with subprocess.Popen(
        command,
        env=clean_environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert json.loads(process.stdout.readline())["url"].startswith("http://127.0.0.1:")
        time.sleep(pause_s)
        _, stderr = process.communicate(timeout=60)
    assert process.returncode == 0
    assert "Traceback" not in stderr
    assert not (tmp_path / "gateway.json").exists()
