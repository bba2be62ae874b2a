"""Properties shared by all commands: the options that select a gateway, and the output format."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from soundstage.cli.main import app
from tests.cli.test_commands import made, soundstage
from tests.conftest import Gateway, clean_environment, soundstage_command

_SHARED = ("data", "url", "token", "json")
_WITHOUT_LIST = {
    "serve",
    "stdio",
    "app",
    "connect",
    "runs export",
    "runs key",
    "worlds new",
    "worlds export",
    "worlds import",
    "library build",
    "traverse plan",
    "traverse run",
    "traverse rebuild",
    "traverse review",
    "traverse import",
    "synthesise accept",
    "synthesise adopt",
}
"""Commands that serve or write files have no output for programs."""


def _command(group: Any, name: str) -> Any:
    return group.resolve_command(group.context_class(group), [name])[1]


def _commands(group: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    for word in group.commands:
        below, path = _command(group, word), f"{name} {word}".strip()
        if hasattr(below, "commands"):
            yield from _commands(below, path)
        else:
            yield path, below


SOUNDSTAGE = get_command(app)
COMMANDS = dict(_commands(SOUNDSTAGE))


def _option(command: Any, name: str) -> Any:
    return next((p for p in command.params if p.name == name), None)


@pytest.mark.parametrize("name", _SHARED)
def test_a_shared_option_is_the_same_in_every_command(name: str) -> None:
    variants = {
        (tuple(option.opts), option.envvar, option.help, str(option.default))
        for path, command in COMMANDS.items()
        if (option := _option(command, name)) is not None
        and path != "sessions export"  # it prints JSON without conversion
    }
    assert len(variants) == 1, variants


def test_a_command_that_uses_a_gateway_accepts_its_folder_address_and_token() -> None:
    reaching = [path for path, command in COMMANDS.items() if _option(command, "url") is not None]
    assert {"sessions create", "faults report", "worlds list", "call", "connect"} <= set(reaching)
    for path in reaching:
        assert all(_option(COMMANDS[path], name) is not None for name in ("data", "token")), path


def test_every_command_with_output_has_a_json_option() -> None:
    assert [p for p, c in COMMANDS.items() if _option(c, "json") is None] == sorted(
        _WITHOUT_LIST, key=list(COMMANDS).index
    )


def test_the_list_of_commands_agrees_with_the_help_of_each(tmp_path: Path) -> None:
    listed = soundstage("--help", data=tmp_path).stdout.partition("Commands:")[2].split("\n")
    summaries = dict(line.split(maxsplit=1) for line in listed if line.strip())
    assert list(summaries) == list(SOUNDSTAGE.commands)
    for name, short in summaries.items():
        assert " ".join(_command(SOUNDSTAGE, name).help.split()).startswith(short), name


def test_listing_the_commands_imports_none_of_them() -> None:
    program = (
        "import sys; sys.argv = ['soundstage', '--help']\nfrom soundstage.cli.main import main\n"
        "try:\n    main()\nexcept SystemExit:\n    print([m for m in sys.modules if m.startswith("
        "('soundstage.cli.s', 'soundstage.servers', 'asyncio', 'structlog', 'httpx2', 'rich.', 'mcp'))])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=clean_environment())
    assert done.stdout.splitlines()[-1] == "[]"


def _piped(*arguments: str, gateway: Gateway) -> str:
    """Return a command's output into a pipe, in an environment whose terminal is narrow."""
    environment = {**clean_environment(), "COLUMNS": "40", "SOUNDSTAGE_DATA": str(gateway.data)}
    return subprocess.run(
        [*soundstage_command(), *arguments], capture_output=True, text=True, env=environment, check=True, timeout=60
    ).stdout


def test_output_into_a_pipe_has_one_complete_line_per_row(gateway: Gateway) -> None:
    results = made(soundstage("search", "send a message", "-k", "20", "--json", data=gateway.data))
    head, *rows = _piped("search", "send a message", "-k", "20", gateway=gateway).splitlines()
    assert head.split()[:3] == ["score", "app", "tool"]
    assert [row.split(maxsplit=3)[3] for row in rows] == [
        " ".join(t["description"].split("\n")).rstrip() for t in results
    ]


def test_long_values_are_not_cut_in_a_pipe(gateway: Gateway) -> None:
    session = gateway.session()
    text = "word " * 400
    gateway.api(
        "POST", f"/sessions/{session['id']}/calls",
        json={"app": "lark", "tool": "task_v2_task_create", "arguments": {"data": {"summary": text}}},
    )  # fmt: skip
    (line,) = (c for c in _piped("sessions", "diff", session["id"], gateway=gateway).splitlines() if "] {" in c)
    assert text in line


def test_help_and_error_messages_have_no_frames_in_a_pipe(tmp_path: Path) -> None:
    shown = soundstage("sessions", "fork", "--help", data=tmp_path).stdout
    assert "Create a session equal to this one, now or after a step." in shown
    assert "│" not in shown
    refused = soundstage("sessions", "fork", data=tmp_path)
    assert refused.returncode == 2
    assert refused.stderr.splitlines()[-1] == "Error: Missing argument 'SESSION'."
