"""`soundstage connect`, on copies of configurations as people have them."""

from __future__ import annotations

import json
import re
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest

from soundstage.gateway.connect import jsonc
from soundstage.gateway.connect.clients import CLIENTS, Machine, System
from tests.conftest import clean_environment, soundstage_command
from tests.gateway.connect.configurations import BY_CLIENT

MEMBERS = {"vscode": "servers", "codex": "mcp_servers"}


def _run(home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**clean_environment(), "HOME": str(home), "USERPROFILE": str(home), "XDG_CONFIG_HOME": ""}
    command = [*soundstage_command(), "connect", *arguments, "--data", str(home / "data")]
    return subprocess.run(command, capture_output=True, text=True, env=environment, timeout=60)


def _file(home: Path, client: str) -> Path:
    return CLIENTS[client].path(Machine("linux", home, {}))


def _placed(home: Path, client: str, text: str) -> Path:
    path = _file(home, client)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return path


def _servers(client: str, text: str) -> dict[str, Any]:
    if client == "codex":
        found: dict[str, Any] = tomllib.loads(text)["mcp_servers"]
    else:
        found = jsonc.get(text, (MEMBERS.get(client, "mcpServers"),)) or {}
    return found


@pytest.mark.parametrize("client", BY_CLIENT)
def test_a_server_is_added_and_taken_out_and_all_else_stays(client: str, tmp_path: Path) -> None:
    before = BY_CLIENT[client]
    path = _placed(tmp_path, client, before)
    there = set(_servers(client, before))

    shown = _run(tmp_path, client, "--session", "work", "--apps", "slack,lark", "--tools", "search", "--dry-run")
    assert shown.returncode == 0, shown.stderr
    assert "+" in shown.stdout
    assert path.read_bytes().decode() == before

    done = _run(tmp_path, client, "--session", "work", "--apps", "slack,lark", "--tools", "search")
    assert done.returncode == 0, done.stderr
    after = path.read_bytes().decode()
    servers = _servers(client, after)
    assert set(servers) == {*there, "soundstage-work"}
    entry = servers["soundstage-work"]
    assert Path(entry["command"]).is_absolute()
    assert entry["args"] == [
        "stdio", "--session", "work", "--apps", "lark,slack", "--tools", "search", "--data", str(tmp_path / "data"),
    ]  # fmt: skip
    copies = list(path.parent.glob(f"{path.name}.*.backup"))
    assert [c.read_bytes().decode() for c in copies] == [before]
    for comment in re.findall(r"//[^\n\"]*$|/\*.*?\*/|# [^\n]*", before, re.MULTILINE):
        assert comment in after
    lines = [line.strip().rstrip(",{}") for line in before.splitlines() if client != "cursor" and len(line.strip()) > 2]
    assert [line for line in lines if line not in after] == []
    assert ("\r\n" in after) == ("\r\n" in before)

    again = _run(tmp_path, client, "--session", "work", "--apps", "lark,slack", "--tools", "search")
    assert "has it already" in again.stdout
    changed = _run(tmp_path, client, "--session", "work")
    assert changed.returncode == 0
    assert "--apps" not in _servers(client, path.read_bytes().decode())["soundstage-work"]["args"]

    gone = _run(tmp_path, client, "--session", "work", "--remove")
    assert gone.returncode == 0, gone.stderr
    left = path.read_bytes().decode()
    assert set(_servers(client, left)) == there
    empty = '"mcpServers":{}' if client == "gemini-cli" else ""  # it had none at all before
    assert re.sub(r"[\s,]", "", left).replace(empty, "") == re.sub(r"[\s,]", "", before)


@pytest.mark.parametrize("client", BY_CLIENT)
def test_a_client_without_a_file_gets_one(client: str, tmp_path: Path) -> None:
    assert _run(tmp_path, client).returncode == 0
    assert set(_servers(client, _file(tmp_path, client).read_text())) == {"soundstage"}


@pytest.mark.parametrize("client", BY_CLIENT)
@pytest.mark.parametrize("broken", ['{"mcpServers": {"a": ', "[mcp_servers\n= 3", '{"a": 1,, "b": 2}', "\udcff"])
def test_a_broken_file_is_left_alone_and_told(client: str, broken: str, tmp_path: Path) -> None:
    path = _placed(tmp_path, client, "")
    path.write_bytes(broken.encode("utf-8", "surrogateescape"))
    before = path.read_bytes()
    for options in ([], ["--remove"], ["--dry-run"]):
        done = _run(tmp_path, client, *options)
        assert done.returncode == 1
        assert "left as it is" in done.stderr
        assert str(path) in done.stderr.replace("\n", "")
    assert path.read_bytes() == before
    assert list(path.parent.glob("*.backup")) == []


@pytest.mark.parametrize("client", [c for c in BY_CLIENT if c != "codex"])
def test_servers_of_another_shape_are_left_alone(client: str, tmp_path: Path) -> None:
    path = _placed(tmp_path, client, json.dumps({MEMBERS.get(client, "mcpServers"): []}))
    before = path.read_bytes()
    done = _run(tmp_path, client)
    assert done.returncode == 1
    assert "is no object" in done.stderr
    assert path.read_bytes() == before


@pytest.mark.parametrize("client", [c for c in BY_CLIENT if c != "claude-desktop"])
def test_by_address(client: str, tmp_path: Path) -> None:
    done = _run(tmp_path, client, "--http", "--dry-run")
    assert done.returncode == 0, done.stderr
    assert "http://127.0.0.1:8700/s/default/mcp" in done.stdout
    assert not (tmp_path / "data" / "sessions").exists() or not list((tmp_path / "data" / "sessions").iterdir())


def test_claude_desktop_takes_no_address_and_says_what_to_do(tmp_path: Path) -> None:
    done = _run(tmp_path, "claude-desktop", "--http")
    assert done.returncode == 1
    assert "Connectors" in done.stderr


def test_an_unknown_client_and_an_unknown_app_are_told(tmp_path: Path) -> None:
    assert "claude-desktop, claude-code" in _run(tmp_path, "emacs").stderr
    assert "there is no app 'mail'" in _run(tmp_path, "cursor", "--apps", "mail").stderr


def test_any_other_client_gets_the_entry_printed(tmp_path: Path) -> None:
    printed = json.loads(_run(tmp_path, "--print", "mcp-json", "--session", "x").stdout)
    assert printed["mcpServers"]["soundstage-x"]["args"][:3] == ["stdio", "--session", "x"]


def test_a_linked_file_stays_a_link_and_its_mode(tmp_path: Path) -> None:
    kept = tmp_path / "dotfiles" / "mcp.json"
    kept.parent.mkdir()
    kept.write_text("{}")
    kept.chmod(0o600)
    link = _file(tmp_path, "cursor")
    link.parent.mkdir()
    link.symlink_to(kept)
    assert _run(tmp_path, "cursor").returncode == 0
    assert link.is_symlink()
    assert "soundstage" in kept.read_text()
    assert kept.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    ("client", "system", "expected"),
    [
        ("claude-desktop", "linux", "/home/ada/.config/Claude/claude_desktop_config.json"),
        ("claude-desktop", "darwin", "/home/ada/Library/Application Support/Claude/claude_desktop_config.json"),
        ("claude-desktop", "win32", "/home/ada/AppData/Roaming/Claude/claude_desktop_config.json"),
        ("vscode", "linux", "/home/ada/.config/Code/User/mcp.json"),
        ("vscode", "darwin", "/home/ada/Library/Application Support/Code/User/mcp.json"),
        ("vscode", "win32", "/home/ada/AppData/Roaming/Code/User/mcp.json"),
        ("claude-code", "darwin", "/home/ada/.claude.json"),
        ("cursor", "win32", "/home/ada/.cursor/mcp.json"),
        ("windsurf", "linux", "/home/ada/.codeium/windsurf/mcp_config.json"),
        ("gemini-cli", "darwin", "/home/ada/.gemini/settings.json"),
        ("codex", "linux", "/home/ada/.codex/config.toml"),
    ],
)
def test_where_each_client_keeps_its_file(client: str, system: System, expected: str) -> None:
    assert CLIENTS[client].path(Machine(system, Path("/home/ada"), {})).as_posix() == expected


def test_folders_that_people_have_moved() -> None:
    machine = Machine(
        "linux", Path("/home/ada"), {"XDG_CONFIG_HOME": "/cfg", "CODEX_HOME": "/c", "CLAUDE_CONFIG_DIR": "/d"}
    )
    assert CLIENTS["vscode"].path(machine) == Path("/cfg/Code/User/mcp.json")
    assert CLIENTS["codex"].path(machine) == Path("/c/config.toml")
    assert CLIENTS["claude-code"].path(machine) == Path("/d/.claude.json")
