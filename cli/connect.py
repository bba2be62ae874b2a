"""`soundstage connect`: one command instead of a configuration file edited by hand."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from soundstage.cli import options
from soundstage.cli.client import Control
from soundstage.cli.output import fail, print_json, print_text
from soundstage.gateway.settings import DEFAULT_HOST, DEFAULT_PORT, DEFAULT_SESSION, DEFAULT_WORLD, ToolList

_PRINTED = "mcp-json"


def connect(
    client: Annotated[
        str | None,
        typer.Argument(help="claude-desktop, claude-code, cursor, vscode, windsurf, gemini-cli or codex."),
    ] = None,
    session: Annotated[str, typer.Option(help="The session's name; made if it is missing.")] = DEFAULT_SESSION,
    apps: Annotated[str | None, typer.Option(help="Apps, separated by commas; all when left out.")] = None,
    tools: Annotated[
        ToolList | None, typer.Option(help="What is listed: all, or search for the search tools alone.")
    ] = None,
    http: Annotated[
        bool, typer.Option("--http", help="By the gateway's address, instead of starting a process.")
    ] = False,
    name: Annotated[
        str | None, typer.Option(help="The server's name in the client.", show_default="soundstage")
    ] = None,
    printed: Annotated[
        str | None, typer.Option("--print", help="Print the entry instead, for any other client.", metavar=_PRINTED)
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would change, and change nothing.")] = False,
    remove: Annotated[
        bool, typer.Option("--remove", help="Take the server out of the client's configuration.")
    ] = False,
    data: options.Data = None,
    url: options.Url = None,
    token: options.Token = None,
) -> None:
    """Connect a client: write Soundstage into its own configuration, and leave everything else there as it is."""
    from soundstage.gateway.connect.clients import CLIENTS, Machine
    from soundstage.gateway.connect.files import CannotChange, with_server, without_server, write

    server = name or ("soundstage" if session == DEFAULT_SESSION else f"soundstage-{session}")
    chosen = None if apps is None else _apps(apps)
    if printed is not None:
        if printed != _PRINTED:
            fail(f"--print knows {_PRINTED}, not {printed!r}")
        entry: dict[str, Any] = (
            {"type": "http", "url": _address(session, chosen, tools, Control(data, url, token), make=True)}
            if http
            else {"command": command()[0], "args": [*command()[1:], *_arguments(session, chosen, tools, data)]}
        )
        print_json({"mcpServers": {server: entry}})
        return
    kind = CLIENTS.get(client or "")
    if kind is None:
        fail(f"{'name a client' if client is None else f'unknown client {client!r}'}; known: {', '.join(CLIENTS)}")
    path = kind.path(Machine.this())
    try:
        if remove:
            change = without_server(kind, path, server)
        else:
            if http:
                if kind.url is None:
                    fail(f"{kind.title}: {kind.without_url}")
                written = kind.url_entry(_address(session, chosen, tools, Control(data, url, token), make=not dry_run))
            else:
                start = command()
                written = kind.command_entry(start[0], [*start[1:], *_arguments(session, chosen, tools, data)])
            change = with_server(kind, path, server, written or {})
        if change.nothing:
            print_text(f"{path} {'has no server' if remove else 'has it already:'} {server}")
            return
        if dry_run:
            print_text(change.difference())
            return
        copy = write(change)
    except CannotChange as error:
        fail(str(error))
    print_text(f"{kind.title}: {server} {'taken out of' if remove else 'is in'} {path}")
    if copy is not None:
        print_text(f"as it was before: {copy}")
    print_text(kind.after if not remove else "Restart the client to forget it.")
    if http and not remove:
        print_text("The gateway has to run: soundstage serve")


def command() -> list[str]:
    """What starts Soundstage, by its full path: a client's PATH is seldom a shell's."""
    beside = Path(sys.executable).with_name("soundstage.exe" if sys.platform == "win32" else "soundstage")
    if beside.exists():
        return [str(beside)]
    found = shutil.which("soundstage")
    return [found] if found else [sys.executable, "-c", "from soundstage.cli.main import main; main()"]


def _arguments(session: str, apps: list[str] | None, tools: ToolList | None, data: Path | None) -> list[str]:
    arguments = ["stdio", "--session", session]
    if apps is not None:
        arguments += ["--apps", ",".join(apps)]
    if tools is not None:
        arguments += ["--tools", tools]
    return arguments if data is None else [*arguments, "--data", str(data.resolve())]


def _apps(text: str) -> list[str]:
    from soundstage.servers.catalogue import UnknownApp, load_app

    names = [a.strip() for a in text.split(",") if a.strip()]
    for one in names:
        try:
            load_app(one)
        except UnknownApp as error:
            fail(str(error))
    return sorted(set(names)) or fail("--apps names no app")


def _address(session: str, apps: list[str] | None, tools: ToolList | None, control: Control, *, make: bool) -> str:
    """The session's address; the session is made where it is missing, if it may be."""
    found = control.find_session(session)
    if found is None and not make:
        return f"{control.url or f'http://{DEFAULT_HOST}:{DEFAULT_PORT}'}/s/{session}/mcp"
    if found is None:
        body: dict[str, Any] = {"name": session, "world": DEFAULT_WORLD, "apps": apps, "tools": tools}
        found = control.request("POST", "/api/sessions", json={k: v for k, v in body.items() if v is not None})
    elif apps is not None and sorted(found["apps"]) != apps:
        fail(f"the session {session} has the apps {', '.join(found['apps'])}; choose another name with --session")
    elif tools is not None and found["tools"] != tools:
        fail(f"the session {session} lists its tools as {found['tools']!r}; choose another name with --session")
    return str(found["mcp_url"])
