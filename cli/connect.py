"""`soundstage connect`: one command instead of a configuration file edited by hand."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from soundstage.cli.client import Control
from soundstage.cli.options import controlled
from soundstage.cli.output import fail, print_note, print_text
from soundstage.gateway.settings import (
    DEFAULT_HOST,
    DEFAULT_PORT,
    DEFAULT_SESSION,
    DEFAULT_WORLD,
    ToolList,
)

if TYPE_CHECKING:
    from soundstage.gateway.connect.clients import ClientKind
    from soundstage.gateway.connect.weight import Weight


@controlled
def connect(
    control: Control,
    client: Annotated[
        str | None,
        typer.Argument(
            help="claude-desktop, claude-code, cursor, vscode, windsurf, gemini-cli or codex; mcp-json to print for any other."
        ),
    ] = None,
    session: Annotated[
        str | None,
        typer.Option(help="The session's name; made if it is missing.", show_default=DEFAULT_SESSION),
    ] = None,
    apps: Annotated[str | None, typer.Option(help="Apps, separated by commas; all when left out.")] = None,
    tools: Annotated[
        ToolList | None,
        typer.Option(
            help="Listed tools: all, or search for the search tools only.", show_default="as the client supports"
        ),
    ] = None,
    http: Annotated[
        bool, typer.Option("--http", help="By the gateway's address, instead of starting a process.")
    ] = False,
    name: Annotated[
        str | None, typer.Option(help="The server's name in the client.", show_default="soundstage")
    ] = None,
    printed: Annotated[
        bool, typer.Option("--print", help="Print what belongs into the client's file, and change nothing.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would change, and change nothing.")] = False,
    remove: Annotated[
        bool, typer.Option("--remove", help="Take the server out of the client's configuration.")
    ] = False,
) -> None:
    """Connect a client: add Soundstage to its configuration file. Everything else in the file is preserved."""
    from soundstage.gateway.connect.clients import Machine
    from soundstage.gateway.connect.files import CannotChange, snippet, with_server, without_server, write

    kind = _kind(client, printed=printed)
    server = name or ("soundstage" if session in (None, DEFAULT_SESSION) else f"soundstage-{session}")
    changing = not (printed or dry_run or remove)
    wanted = _Wanted(kind, session, None if apps is None else _apps(apps), tools, server)
    try:
        if printed:
            sys.stdout.write(snippet(kind, server, _entry(wanted, control, http=http, make=True)))
            return
        path = kind.path(Machine.this())
        if remove:
            change = without_server(kind, path, server)
        else:
            change = with_server(kind, path, server, _entry(wanted, control, http=http, make=changing))
        if change.nothing:
            print_text(f"{path} {'has no server' if remove else 'has it already:'} {server}")
            return
        if dry_run:
            print_text(change.difference())
            return
        copy = write(change)
    except CannotChange as error:
        fail(str(error))
    if change.after is None:
        print_text(f"{kind.title}: {server} is taken out, and {path} with it, which had nothing else")
    else:
        print_text(f"{kind.title}: {server} {'is taken out of' if remove else 'is in'} {path}")
    if copy is not None:
        print_text(f"as it was before: {copy}")
    print_text(kind.after if not remove else "Restart the client to forget it.")
    if http and not remove:
        print_text("The gateway has to run: soundstage serve")


@dataclass(frozen=True, slots=True)
class _Wanted:
    """The user's options; None for those left out."""

    client: ClientKind
    session: str | None
    apps: list[str] | None
    tools: ToolList | None
    server: str


def _kind(client: str | None, *, printed: bool) -> ClientKind:
    from soundstage.gateway.connect.clients import CLIENTS, MCP_JSON

    if printed and client in (None, MCP_JSON.name):
        return MCP_JSON
    if client == MCP_JSON.name:
        fail(f"{MCP_JSON.name} is a format, not a client. Print it with: soundstage connect {MCP_JSON.name} --print")
    kind = CLIENTS.get(client or "")
    return kind or fail(
        f"{'name a client' if client is None else f'unknown client {client!r}'}; known: {', '.join(CLIENTS)}"
    )


def _entry(wanted: _Wanted, control: Control, *, http: bool, make: bool) -> dict[str, Any]:
    """Return the server's entry in the client's configuration format. Create a missing session if `make` is true.

    Options that the client does not support are left out; known problems are reported on stderr.
    """
    kind = wanted.client
    if not http:
        tools = wanted.tools or _listing(kind, wanted.apps)
        start = command()
        return kind.command_entry(
            start[0],
            [*start[1:], *_arguments(wanted.session or DEFAULT_SESSION, wanted.apps, tools, control.named_data)],
        )
    if kind.url is None:
        fail(f"{kind.title}: {kind.without_url}")
    return kind.url_entry(_address(wanted, control, make=make)) or {}


def _listing(kind: ClientKind, apps: list[str] | None) -> ToolList | None:
    """Return the tool list of a new server; None for its default."""
    from soundstage.gateway.sessions.sessions import default_listing
    from soundstage.servers.catalogue import app_names

    everything = _weight(apps, "all")
    too_many, searched = everything.too_many(kind), default_listing(apps or app_names()) == "search"
    if kind.on_demand and not too_many:
        return "all" if searched else None
    if too_many or searched:
        why = (
            f"{kind.title} gives its model at most {kind.most_tools} tools, and there are {everything.tools}"
            if too_many
            else f"{everything.tools} tools are about {everything.tokens:,} tokens, which the model reads with every request"
        )
        print_note(
            f"{why}: it gets the {_weight(apps, 'search').tools} search tools, which find and call the others. For tools one "
            "by one, choose apps with --apps; --tools all lists them nevertheless"
        )
        return "search"
    if everything.heavy(kind):
        print_note(
            f"{everything.tools} tools are about {everything.tokens:,} tokens, which the model reads with every request; "
            f"--tools search lists {_weight(apps, 'search').tools} instead, about {_weight(apps, 'search').tokens:,} tokens; "
            "--apps lists fewer apps"
        )
    return None


def _weight(apps: Sequence[str] | None, listing: ToolList) -> Weight:
    from soundstage.gateway.calls.toolset import shared_toolset
    from soundstage.gateway.connect.weight import Weight
    from soundstage.servers.catalogue import app_names

    toolset = shared_toolset(tuple(apps or app_names()), listing)
    return Weight(len(toolset.tools), len(toolset.tools_json))


def command() -> list[str]:
    """Return the command that starts Soundstage with its full path, because a client's PATH often differs from a shell's."""
    beside = Path(sys.executable).with_name("soundstage.exe" if sys.platform == "win32" else "soundstage")
    if beside.exists():
        return [str(beside)]
    executable = shutil.which("soundstage")
    return [executable] if executable else [sys.executable, "-c", "from soundstage.cli.main import main; main()"]


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


def _address(wanted: _Wanted, control: Control, *, make: bool) -> str:
    """Return the address of a session with a tool list that the client supports. Create a missing session if `make` is true."""
    kind, name = wanted.client, wanted.session or DEFAULT_SESSION
    session = control.find_session(name)
    if session is not None and wanted.tools is None and session["tools"] == "all":
        listed = _weight(session["apps"], "all")
        if listed.too_many(kind) and wanted.session is None:
            name = kind.name
            print_note(
                f"{kind.title} gives its model at most {kind.most_tools} tools, and the session {DEFAULT_SESSION} lists "
                f"{listed.tools}: it gets a separate session, {name}, with the search tools"
            )
            session = control.find_session(name)
        elif listed.too_many(kind):
            print_note(
                f"{kind.title} gives its model at most {kind.most_tools} tools, and the session {name} lists {listed.tools}; "
                "a session made with --tools search, or with fewer apps, fits"
            )
    if session is None:
        tools = wanted.tools or _listing(kind, wanted.apps)
        if not make:
            return f"{control.url or f'http://{DEFAULT_HOST}:{DEFAULT_PORT}'}/s/{name}/mcp"
        body = {"name": name, "world": DEFAULT_WORLD, "apps": wanted.apps, "tools": tools}
        session = control.request("POST", "/api/sessions", json={k: v for k, v in body.items() if v is not None})
    elif wanted.apps is not None and sorted(session["apps"]) != wanted.apps:
        fail(f"the session {name} has the apps {', '.join(session['apps'])}; choose another name with --session")
    elif wanted.tools is not None and session["tools"] != wanted.tools:
        fail(f"the session {name} lists its tools as {session['tools']!r}; choose another name with --session")
    return str(session["mcp_url"])
