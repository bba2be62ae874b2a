"""`soundstage connect` on copies of realistic configuration files."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from soundstage.gateway.connect import jsonc
from soundstage.gateway.connect.clients import CLIENTS, Machine, System
from tests.conftest import Gateway, run_here
from tests.gateway.connect.configurations import BY_CLIENT

MEMBERS = {"vscode": "servers", "codex": "mcp_servers"}


def _run(home: Path, *arguments: str, data: Path | None = None) -> Result:
    environment = {"HOME": str(home), "USERPROFILE": str(home), "XDG_CONFIG_HOME": "", "SOUNDSTAGE_URL": None}
    return run_here("connect", *arguments, "--data", str(data or home / "data"), environment=environment)


def _file(home: Path, client: str) -> Path:
    return CLIENTS[client].path(Machine("linux", home, {}))


def _placed(home: Path, client: str, text: str) -> Path:
    path = _file(home, client)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return path


def _copies(path: Path) -> list[Path]:
    return [p for p in path.parent.iterdir() if p.name.startswith(path.name) and p != path]


def _tools_of(home: Path, client: str) -> str | None:
    arguments = json.loads(_file(home, client).read_text())["mcpServers"]["soundstage"]["args"]
    return arguments[arguments.index("--tools") + 1] if "--tools" in arguments else None


def _servers(client: str, text: str) -> dict[str, Any]:
    if client == "codex":
        servers: dict[str, Any] = tomllib.loads(text)["mcp_servers"]
    else:
        servers = jsonc.get(text, (MEMBERS.get(client, "mcpServers"),)) or {}
    return servers


@pytest.mark.parametrize("client", BY_CLIENT)
def test_adding_and_removing_a_server_leaves_the_rest_unchanged(client: str, tmp_path: Path) -> None:
    before = BY_CLIENT[client]
    path = _placed(tmp_path, client, before)
    there = set(_servers(client, before))

    shown = _run(tmp_path, client, "--session", "work", "--apps", "slack,lark", "--tools", "search", "--dry-run")
    assert shown.exit_code == 0, shown.stderr
    assert "+" in shown.stdout
    assert path.read_bytes().decode() == before

    done = _run(tmp_path, client, "--session", "work", "--apps", "slack,lark", "--tools", "search")
    assert done.exit_code == 0, done.stderr
    after = path.read_bytes().decode()
    servers = _servers(client, after)
    assert set(servers) == {*there, "soundstage-work"}
    entry = servers["soundstage-work"]
    assert Path(entry["command"]).is_absolute()
    assert entry["args"] == [
        "stdio", "--session", "work", "--apps", "lark,slack", "--tools", "search", "--data", str(tmp_path / "data"),
    ]  # fmt: skip
    assert [c.read_bytes().decode() for c in _copies(path)] == [before]
    for comment in re.findall(r"//[^\n\"]*$|/\*.*?\*/|# [^\n]*", before, re.MULTILINE):
        assert comment in after
    lines = [line.strip().rstrip(",{}") for line in before.splitlines() if client != "cursor" and len(line.strip()) > 2]
    assert [line for line in lines if line not in after] == []
    assert ("\r\n" in after) == ("\r\n" in before)

    again = _run(tmp_path, client, "--session", "work", "--apps", "lark,slack", "--tools", "search")
    assert "has it already" in again.stdout
    changed = _run(tmp_path, client, "--session", "work")
    assert changed.exit_code == 0
    assert "--apps" not in _servers(client, path.read_bytes().decode())["soundstage-work"]["args"]

    gone = _run(tmp_path, client, "--session", "work", "--remove")
    assert gone.exit_code == 0, gone.stderr
    assert path.read_bytes().decode() == before
    assert _copies(path) == []


@pytest.mark.parametrize("client", BY_CLIENT)
def test_a_client_without_a_file_gets_one_which_is_removed_with_its_last_server(client: str, tmp_path: Path) -> None:
    path = _file(tmp_path, client)
    for session in ("default", "work"):
        assert _run(tmp_path, client, "--session", session).exit_code == 0
    assert set(_servers(client, path.read_text())) == {"soundstage", "soundstage-work"}
    assert _run(tmp_path, client, "--remove").exit_code == 0
    assert set(_servers(client, path.read_text())) == {"soundstage-work"}
    shown = _run(tmp_path, client, "--session", "work", "--remove", "--dry-run")
    assert "(no file)" in shown.stdout
    assert path.exists()
    assert "and" in _run(tmp_path, client, "--session", "work", "--remove").stdout
    assert list(path.parent.iterdir()) == []


@pytest.mark.parametrize(
    "text", ["", "{}", "{ }\n", '{\n  "mcpServers": {}\n}', '{"mcpServers":{}, "a":[1,2,]}', "\ufeff{}\n"]
)
def test_small_files_are_restored_exactly(text: str, tmp_path: Path) -> None:
    path = _placed(tmp_path, "cursor", text)
    assert _run(tmp_path, "cursor").exit_code == 0
    assert "soundstage" in path.read_text()
    assert _run(tmp_path, "cursor", "--remove").exit_code == 0
    assert path.read_bytes().decode() == text


def test_servers_are_removed_in_any_order_and_one_backup_stays_until_the_last(tmp_path: Path) -> None:
    path = _placed(tmp_path, "vscode", BY_CLIENT["vscode"])
    for session in ("a", "b", "c"):
        _run(tmp_path, "vscode", "--session", session)
    _run(tmp_path, "vscode", "--session", "b", "--apps", "slack")  # another entry in the same place
    for session in ("b", "a", "c"):
        assert [c.read_bytes().decode() for c in _copies(path)] == [BY_CLIENT["vscode"]]
        _run(tmp_path, "vscode", "--session", session, "--remove")
    assert path.read_bytes().decode() == BY_CLIENT["vscode"]
    assert _copies(path) == []


@pytest.mark.parametrize("client", BY_CLIENT)
def test_edits_by_others_stay_when_the_server_is_removed(client: str, tmp_path: Path) -> None:
    before = BY_CLIENT[client]
    path = _placed(tmp_path, client, before)
    _run(tmp_path, client)
    ours = path.read_bytes().decode()
    other = "# mine\n" if client == "codex" else "\n// mine\n"
    path.write_bytes((other + ours).encode())
    gone = _run(tmp_path, client, "--remove")
    assert gone.exit_code == 0, gone.stderr
    left = path.read_bytes().decode()
    if client == "windsurf":  # the blanks inside its empty object are not preserved
        assert re.sub(r"\s", "", left) == re.sub(r"\s", "", other + before)
    else:
        assert left == other + before
    assert [c.read_bytes().decode() for c in _copies(path)] == [other + ours]


def test_a_client_with_a_tool_limit_gets_the_search_tools_and_an_explanation(tmp_path: Path) -> None:
    for client, most in (("cursor", 40), ("windsurf", 100)):
        done = _run(tmp_path, client)
        assert f"at most {most} tools" in done.stderr
        assert "--apps" in done.stderr
        assert _tools_of(tmp_path, client) == "search"
        assert _run(tmp_path, client, "--apps", "lark").stderr == ""
        assert _tools_of(tmp_path, client) is None, "an app's tools fit"
    assert "gives its model" in _run(tmp_path, "cursor", "--apps", "lark,slack").stderr
    assert _tools_of(tmp_path, "cursor") == "search"
    _run(tmp_path, "cursor", "--tools", "all")
    assert _tools_of(tmp_path, "cursor") == "all", "who insists gets them"


def test_token_counts_are_reported_where_they_matter(tmp_path: Path) -> None:
    assert re.search(r"533 tools are about \d\d\d,\d\d\d tokens", _run(tmp_path, "claude-desktop").stderr)
    assert _run(tmp_path, "claude-desktop", "--apps", "slack").stderr == ""
    assert _run(tmp_path, "claude-desktop", "--tools", "search").stderr == ""
    assert _run(tmp_path, "claude-code").stderr == "", "it looks tools up when it needs them"


@pytest.mark.long
def test_by_address_a_client_with_a_tool_limit_gets_a_session_that_fits(gateway: Gateway, tmp_path: Path) -> None:
    gateway.api("DELETE", "/sessions/default")
    gateway.session(name="default", tools="all")  # a session that lists every tool
    done = _run(tmp_path, "cursor", "--http", data=gateway.data)
    assert done.exit_code == 0, done.stderr
    assert "a separate session, cursor" in done.stderr
    url = json.loads(_file(tmp_path, "cursor").read_text())["mcpServers"]["soundstage"]["url"]
    assert url == f"{gateway.url}/s/cursor/mcp"
    assert gateway.api("GET", "/sessions/cursor").json()["tools"] == "search"
    assert _run(tmp_path, "gemini-cli", "--http", data=gateway.data).exit_code == 0
    entry = json.loads(_file(tmp_path, "gemini-cli").read_text())["mcpServers"]["soundstage"]
    assert entry == {"httpUrl": f"{gateway.url}/s/default/mcp"}
    gateway.api("DELETE", "/sessions/cursor")
    gateway.api("DELETE", "/sessions/default")


def test_by_address_the_default_session_fits_a_client_with_a_tool_limit(gateway: Gateway, tmp_path: Path) -> None:
    assert _run(tmp_path, "cursor", "--http", data=gateway.data).exit_code == 0
    url = json.loads(_file(tmp_path, "cursor").read_text())["mcpServers"]["soundstage"]["url"]
    assert url == f"{gateway.url}/s/default/mcp"
    assert gateway.api("GET", "/sessions/default").json()["tools"] == "search"


def test_over_stdio_many_tools_are_searched_and_the_command_explains_it(tmp_path: Path) -> None:
    done = _run(tmp_path, "gemini-cli")
    assert "search tools, which find and call the others" in done.stderr
    arguments = json.loads(_file(tmp_path, "gemini-cli").read_text())["mcpServers"]["soundstage"]["args"]
    assert arguments[arguments.index("--tools") + 1] == "search"


@pytest.mark.parametrize("client", BY_CLIENT)
@pytest.mark.parametrize("broken", ['{"mcpServers": {"a": ', "[mcp_servers\n= 3", '{"a": 1,, "b": 2}', "\udcff"])
def test_an_invalid_file_is_left_alone_and_reported(client: str, broken: str, tmp_path: Path) -> None:
    path = _placed(tmp_path, client, "")
    path.write_bytes(broken.encode("utf-8", "surrogateescape"))
    before = path.read_bytes()
    for options in ([], ["--remove"], ["--dry-run"]):
        done = _run(tmp_path, client, *options)
        assert done.exit_code == 1
        assert "left as it is" in done.stderr
        assert str(path) in done.stderr.replace("\n", "")
    assert path.read_bytes() == before
    assert _copies(path) == []


@pytest.mark.parametrize("client", [c for c in BY_CLIENT if c != "codex"])
def test_servers_of_another_shape_are_left_alone(client: str, tmp_path: Path) -> None:
    path = _placed(tmp_path, client, json.dumps({MEMBERS.get(client, "mcpServers"): []}))
    before = path.read_bytes()
    done = _run(tmp_path, client)
    assert done.exit_code == 1
    assert "is not an object" in done.stderr
    assert path.read_bytes() == before


@pytest.mark.parametrize("client", [c for c in BY_CLIENT if c != "claude-desktop"])
def test_a_client_can_connect_by_address(client: str, tmp_path: Path) -> None:
    done = _run(tmp_path, client, "--http", "--dry-run")
    assert done.exit_code == 0, done.stderr
    assert "http://127.0.0.1:8700/s/default/mcp" in done.stdout
    assert not (tmp_path / "data" / "sessions").exists() or not list((tmp_path / "data" / "sessions").iterdir())


def test_claude_desktop_accepts_no_address_and_the_command_explains_the_alternative(tmp_path: Path) -> None:
    done = _run(tmp_path, "claude-desktop", "--http")
    assert done.exit_code == 1
    assert "Connectors" in done.stderr


def test_an_unknown_client_and_an_unknown_app_are_reported(tmp_path: Path) -> None:
    assert "claude-desktop, claude-code" in _run(tmp_path, "emacs").stderr
    assert "there is no app 'mail'" in _run(tmp_path, "cursor", "--apps", "mail").stderr


def test_the_entry_for_any_other_client_is_printed(tmp_path: Path) -> None:
    printed = json.loads(_run(tmp_path, "mcp-json", "--print", "--session", "x").stdout)
    assert printed["mcpServers"]["soundstage-x"]["args"][:3] == ["stdio", "--session", "x"]
    assert json.loads(_run(tmp_path, "--print", "--session", "x").stdout) == printed
    assert "--print" in _run(tmp_path, "mcp-json").stderr


@pytest.mark.long
def test_the_printed_entry_is_in_each_clients_format(tmp_path: Path) -> None:
    for client in BY_CLIENT:
        printed = _run(tmp_path, client, "--print")
        assert set(_servers(client, printed.stdout)) == {"soundstage"}
        assert not _file(tmp_path, client).exists()
        assert _run(tmp_path, client).exit_code == 0
        assert _file(tmp_path, client).read_text() == printed.stdout
    by_address = json.loads(_run(tmp_path, "vscode", "--print", "--http").stdout)
    assert by_address["servers"]["soundstage"]["type"] == "http"


def test_a_symlinked_file_stays_a_link_with_its_mode(tmp_path: Path) -> None:
    target = tmp_path / "dotfiles" / "mcp.json"
    target.parent.mkdir()
    target.write_text("{}")
    target.chmod(0o600)
    link = _file(tmp_path, "cursor")
    link.parent.mkdir()
    link.symlink_to(target)
    assert _run(tmp_path, "cursor").exit_code == 0
    assert link.is_symlink()
    assert "soundstage" in target.read_text()
    assert target.stat().st_mode & 0o777 == 0o600


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
def test_the_location_of_each_clients_file(client: str, system: System, expected: str) -> None:
    assert CLIENTS[client].path(Machine(system, Path("/home/ada"), {})).as_posix() == expected


def test_moved_configuration_folders_are_respected() -> None:
    machine = Machine(
        "linux", Path("/home/ada"), {"XDG_CONFIG_HOME": "/cfg", "CODEX_HOME": "/c", "CLAUDE_CONFIG_DIR": "/d"}
    )
    assert CLIENTS["vscode"].path(machine) == Path("/cfg/Code/User/mcp.json")
    assert CLIENTS["codex"].path(machine) == Path("/c/config.toml")
    assert CLIENTS["claude-code"].path(machine) == Path("/d/.claude.json")
