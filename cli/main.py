"""The `soundstage` command."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from soundstage.cli import limits, options
from soundstage.cli.client import Control, announce, data_folder, withdraw
from soundstage.cli.elsewhere import Commands
from soundstage.cli.options import controlled
from soundstage.cli.output import (
    AT_TERMINAL,
    FAILED,
    UNBOUND,
    fail,
    print_json,
    print_table,
    print_text,
    reply_text,
    tell_error,
)
from soundstage.contexts.app_errors import BrokenApp
from soundstage.gateway.settings import (
    DEFAULT_BODY_S,
    DEFAULT_HEAD_S,
    DEFAULT_IDLE_S,
    DEFAULT_MAX_BODY,
    DEFAULT_MAX_IN_FLIGHT,
    DEFAULT_MAX_OPEN,
    DEFAULT_MAX_SESSION_BYTES,
    DEFAULT_MIN_FREE,
    DEFAULT_SESSION,
    DEFAULT_WORLD,
    MOST_WORKERS,
    Settings,
    ToolList,
    built_worlds_cache,
    is_origin,
    own_address,
)

if TYPE_CHECKING:
    from starlette.applications import Starlette

    from soundstage.gateway.upstream.config import Declaration

# Commands import modules on use: every client starts its own `soundstage stdio`, which must start fast.

app = typer.Typer(
    name="soundstage",
    cls=Commands,
    help="Simulated apps for software agents: real MCP servers over private, resettable, replayable contexts.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
    # Frames and wrapped lines are for people; a pipe receives plain text.
    rich_markup_mode="rich" if AT_TERMINAL else None,
    context_settings={} if AT_TERMINAL else {"terminal_width": UNBOUND, "max_content_width": UNBOUND},
)


def main() -> None:
    """Run the command line."""
    gc.disable()  # startup creates little garbage; long-running commands enable collection afterwards
    problem: BaseException | None = None
    try:
        app()
    except* (BrokenApp, ModuleNotFoundError) as group:
        problem = group
    if problem is not None:
        while isinstance(problem, BaseExceptionGroup):
            problem = problem.exceptions[0]
        if isinstance(problem, ModuleNotFoundError):
            if problem.name is None or problem.name.partition(".")[0] == "soundstage":
                raise problem
            tell_error(_missing_package(problem.name))
        else:
            tell_error(str(problem))
        sys.exit(FAILED)


def _missing_package(module: str) -> str:
    """Return the message for a command whose packages are not installed: a client needs few, the gateway needs many."""
    return (
        f"this command needs the gateway's packages, and {module} is not installed: pip install 'soundstage[server]' "
        "(in a checkout: pip install '.[server]')"
    )


@app.callback()
def _before_any() -> None:
    from soundstage.gateway import log

    log.configure(level="warning")


@app.command()
def serve(
    context: typer.Context,
    host: options.Host = options.HOST,
    port: options.Port = options.PORT,
    data: options.Data = None,
    temporary: Annotated[
        bool, typer.Option("--temporary", help="Use a temporary data folder, removed at the end.")
    ] = False,
    world: Annotated[str, typer.Option(help="The world of sessions made without one.")] = DEFAULT_WORLD,
    token: options.Token = None,
    token_file: options.TokenFile = None,
    allow_host: options.AllowHost = None,
    max_body: Annotated[
        int, typer.Option(envvar="SOUNDSTAGE_MAX_BODY", min=1024, help="Largest body in bytes.")
    ] = DEFAULT_MAX_BODY,
    max_in_flight: limits.MaxInFlight = DEFAULT_MAX_IN_FLIGHT,
    head_timeout: limits.HeadTimeout = DEFAULT_HEAD_S,
    body_timeout: limits.BodyTimeout = DEFAULT_BODY_S,
    faults: Annotated[
        str | None,
        typer.Option(
            envvar="SOUNDSTAGE_FAULTS",
            help="The fault schedule of sessions made without one: a preset's name or a file.",
            metavar="PRESET|FILE",
        ),
    ] = None,
    ask_model: Annotated[
        int,
        typer.Option(
            envvar="SOUNDSTAGE_ASK_MODEL",
            min=0,
            help="Let apps that are language models send at most N questions to SOUNDSTAGE_LLM_BASE_URL.",
            metavar="QUESTIONS",
        ),
    ] = 0,
    upstream: Annotated[
        Path | None,
        typer.Option(
            envvar="SOUNDSTAGE_UPSTREAM",
            help='Real MCP servers to add to the simulated ones: a file with {"mcpServers": …}.',
            metavar="FILE",
        ),
    ] = None,
    registry: options.Registry = None,
    advertise: Annotated[
        str | None,
        typer.Option(
            envvar="SOUNDSTAGE_ADVERTISE",
            help="The address at which other gateways reach this one; by default its own address.",
            metavar="URL",
        ),
    ] = None,
    max_sessions: limits.MaxSessions = None,
    max_session_bytes: limits.MaxSessionBytes = DEFAULT_MAX_SESSION_BYTES,
    max_rate: limits.MaxRate = None,
    min_free: limits.MinFree = DEFAULT_MIN_FREE,
    idle: limits.Idle = DEFAULT_IDLE_S,
    max_open: limits.MaxOpen = DEFAULT_MAX_OPEN,
    warm: limits.Warm = 0,
    allow_private: Annotated[
        bool, typer.Option("--allow-private", help="Let upstreams be at private and link-local addresses.")
    ] = False,
    workers: Annotated[
        int,
        typer.Option(envvar="SOUNDSTAGE_WORKERS", min=1, max=MOST_WORKERS, help="Processes that share the sessions."),
    ] = 1,
    allow_unconfined: options.AllowUnconfined = False,
    attached: Annotated[
        bool,
        typer.Option(
            "--attached", help="For programs: say as a line of JSON where it listens, and end when standard input does."
        ),
    ] = False,
) -> None:
    """Run the gateway: every session over HTTP, and the control plane."""
    options.allow_unconfined(allow_unconfined)
    declared = [] if upstream is None else _declarations(upstream)
    if advertise is not None and not is_origin(advertise):
        fail(f"--advertise {advertise}: not a valid address; include the scheme, such as http://10.0.0.5:8700")
    if token is None and token_file is not None:
        token = _token_in(token_file)
    if temporary:
        from tempfile import TemporaryDirectory

        data = Path(context.with_resource(TemporaryDirectory(prefix="soundstage-", ignore_cleanup_errors=True)))
    settings = Settings(
        data=data_folder(data),
        host=host,
        port=port,
        world=world,
        built=built_worlds_cache() if temporary else None,
        token=token,
        allowed_hosts=tuple(allow_host or ()),
        max_body=max_body,
        max_in_flight=max_in_flight,
        head_s=head_timeout,
        body_s=body_timeout,
        faults=None if faults is None else _schedule(faults),
        allow_private=allow_private,
        registry=registry,
        advertise=advertise,
        max_sessions=max_sessions,
        max_session_bytes=max_session_bytes,
        max_rate=max_rate,
        min_free=min_free,
        idle_s=idle,
        max_open=max_open,
        warm=warm,
        model_questions=ask_model,
    )
    if not settings.loopback and token is None:
        fail(f"{host} can be reached from other machines, so the control plane needs a token: --token or --token-file")
    if workers > 1 and os.name != "posix":
        fail("--workers needs Unix: connections are handed from one process to another; leave it out here")
    if ask_model:
        _check_model()
    _known_world(settings)
    _serve(settings, "/mcp", announced=True, declared=declared, workers=workers, attached=attached)


@app.command()
def stdio(
    session: Annotated[
        str, typer.Option(help="The session's name; created if it is missing, preserved between runs.")
    ] = DEFAULT_SESSION,
    world: Annotated[str, typer.Option(help="The world that a new session starts from.")] = DEFAULT_WORLD,
    tools: Annotated[
        ToolList | None, typer.Option(help="Listed tools: all, or search for the search tools only.")
    ] = None,
    apps: Annotated[str | None, typer.Option(help="Apps, separated by commas; all when left out.")] = None,
    data: options.Data = None,
    registry: options.Registry = None,
) -> None:
    """Serve one session over stdin and stdout, with all or some of its apps."""
    chosen = None if apps is None else tuple(sorted({a.strip() for a in apps.split(",") if a.strip()}))
    for name in chosen or ():
        _known_app(name)
    _stdio(session, world, None, data, registry, tools, chosen)


@app.command("app")
def serve_app(
    name: Annotated[str, typer.Argument(help="The app, such as lark.")],
    http: Annotated[bool, typer.Option("--http", help="Serve over HTTP instead of stdin and stdout.")] = False,
    session: Annotated[str, typer.Option(help="The session's name; made if it is missing.")] = DEFAULT_SESSION,
    world: Annotated[str, typer.Option(help="The world that a new session starts from.")] = DEFAULT_WORLD,
    host: options.Host = options.HOST,
    port: options.Port = options.PORT,
    data: options.Data = None,
    registry: options.Registry = None,
    token: options.Token = None,
) -> None:
    """Serve one app as its own MCP server, with the real server's tool names."""
    if not http:
        _stdio(session, world, name, data, registry)
        return
    _known_app(name)
    settings = Settings(data=data_folder(data), host=host, port=port, token=token, registry=registry)
    Control(settings.data, None, token).ensure_session(session, world)
    _serve(settings, f"/s/{session}/{name}/mcp", announced=False)


@app.command()
@controlled
def apps(control: Control, json: options.Json = False) -> None:
    """List the apps."""
    listed = control.request("GET", "/api/apps")
    if json:
        print_json(listed)
    else:
        rows = [
            [a["name"], a["title"], str(a["tools"]), a["version"] or "", a["category"],
             ", ".join(a["general_faults"]) or "none"]
            for a in listed
        ]  # fmt: skip
        print_table(["app", "title", "tools", "version", "category", "faults in general words"], rows)
        for a in listed:
            if a["unfinished"]:
                print_text(f"{a['name']} has no kernel yet for: {', '.join(a['unfinished'])}")


@app.command()
@controlled
def tools(
    control: Control,
    name: Annotated[str, typer.Argument(help="The app, such as lark.", metavar="APP")],
    json: options.Json = False,
) -> None:
    """List an app's tools."""
    listed = control.request("GET", f"/api/apps/{name}/tools")
    if json:
        print_json(listed)
    else:
        rows = [[t["name"], t["effect"], t["description"].partition("\n")[0]] for t in listed]
        print_table(["tool", "effect", "what it does"], rows)


@app.command()
@controlled
def call(
    control: Control,
    name: Annotated[str, typer.Argument(help="The app, such as lark.", metavar="APP")],
    tool: Annotated[str, typer.Argument(help="The tool's own name.")],
    arguments: Annotated[str, typer.Argument(help="The arguments as a JSON object.", metavar="JSON")] = "{}",
    session: Annotated[str, typer.Option(help="A session's id or name.")] = DEFAULT_SESSION,
    json: options.Json = False,
) -> None:
    """Call a tool as an agent would. Exits with 1 if the app did not carry it out."""
    body = {"app": name, "tool": tool, "arguments": _parse_object(arguments)}
    if session == DEFAULT_SESSION:
        control.ensure_session(session, DEFAULT_WORLD)
    made: dict[str, Any] = control.request("POST", f"/api/sessions/{session}/calls", json=body)
    if json:
        print_json(made)
    else:
        reply = made["reply"]
        print_text("(no answer: the connection broke)" if reply is None else reply_text(reply))
    if not made["ok"]:
        raise typer.Exit(1)


@app.command()
@controlled
def demo(control: Control, json: options.Json = False) -> None:
    """Watch an MCP client complete a small task in Lark, with the changes of each call and the checks as they pass."""
    from soundstage.cli.demo import run_demo

    run_demo(control, data_folder(control.data), as_json=json)


def _check_model() -> None:
    """Exit with an error message if the environment configures no language model."""
    from soundstage.models.asking import ModelError
    from soundstage.models.chat import BASE_URL, Chat

    try:
        chat = Chat.from_environment()
    except ModelError as error:
        fail(str(error))
    if chat is None:
        fail(f"--ask-model needs a model to ask: set {BASE_URL} to its address, such as http://127.0.0.1:8000/v1")


def _build(settings: Settings, *, warm: bool, declared: Sequence[Declaration]) -> Starlette:
    from soundstage.cli.composed import (
        build,  # imported on use: a supervisor, which only starts processes, does not need it
    )

    return build(settings, warm=warm, declared=declared)


def _serve(
    settings: Settings,
    path: str,
    *,
    announced: bool,
    declared: Sequence[Declaration] = (),
    workers: int = 1,
    attached: bool = False,
) -> None:
    import asyncio

    from soundstage.gateway import log
    from soundstage.gateway.registry.database import RegistryDamaged, RegistryUnavailable
    from soundstage.gateway.registry.records import check_registry
    from soundstage.gateway.serving.attached import attach
    from soundstage.gateway.serving.listener import CannotListen, listen
    from soundstage.gateway.serving.serve import serve_on
    from soundstage.gateway.serving.starting import Starting
    from soundstage.servers.catalogue import broken_apps, load_apps
    from soundstage.worlds import BrokenWorld

    log.configure(level="info")
    load_apps()  # report a broken app before the server listens
    for why in broken_apps().values():
        typer.echo(f"left out: {why}", err=True)
    try:
        asyncio.run(check_registry(settings.data, settings.registry))
        listener = listen(settings.host, settings.port)
    except (RegistryDamaged, RegistryUnavailable, CannotListen) as error:
        fail(str(error))
    port = listener.getsockname()[1]  # the port chosen by the system if 0 was requested
    settings = replace(settings, port=port, advertise=settings.advertise or own_address(settings.host, port))
    try:
        with Starting() as starting:
            if attached:
                attach(settings.local_url)
            else:
                print_text(f"Soundstage serves {settings.base_url}{path}  (data: {settings.data})")
            if announced:
                announce(settings.data, settings.local_url)
            code = serve_on(
                listener,
                settings,
                _build,
                declared=declared,
                workers=workers,
                worker="soundstage.cli.worker",
                starting=starting,
            )
    except BrokenWorld as error:
        fail(str(error))
    finally:
        listener.close()
        if announced:
            withdraw(settings.data, settings.local_url)
    sys.exit(code)


def _stdio(
    session: str,
    world: str,
    app_name: str | None,
    data: Path | None,
    registry: str | None,
    tools: ToolList | None = None,
    apps: tuple[str, ...] | None = None,
) -> None:
    import asyncio

    from soundstage.cli.stdio import run_stdio
    from soundstage.contexts.engine.budget import interrupt_runs
    from soundstage.gateway import log

    log.configure(level="info")
    folder = data_folder(data)
    if app_name is not None:
        _known_app(app_name)
    try:
        interrupt_runs()
        asyncio.run(run_stdio(Settings(data=folder, registry=registry), session, world, app_name, tools, apps))
    except KeyboardInterrupt:
        raise typer.Exit(130) from None
    except Exception as error:
        from soundstage.cli.stdio import EXPECTED

        if isinstance(error, EXPECTED):
            fail(str(error))
        raise


def _token_in(file: Path) -> str:
    import secrets

    from soundstage.gateway.files import made_once

    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        token = made_once(file, secrets.token_urlsafe(24))
    except (OSError, UnicodeDecodeError) as error:
        fail(f"the token's file {file} cannot be used ({getattr(error, 'strerror', None) or error})")
    return token or fail(f"the token's file {file} is empty; write a token into it, or remove it to have one made")


def _schedule(what: str) -> object:
    """Read a fault schedule by a preset's name or from a file, and validate it before the gateway starts."""
    from soundstage.cli.faults import schedule_bytes
    from soundstage.gateway.faults.check import read_schedule
    from soundstage.gateway.faults.schedule import ScheduleMistakes, document_of, read_yaml, with_lines
    from soundstage.servers.catalogue import load_apps

    lines: dict[str, int] = {}
    try:
        wanted, lines = read_yaml(schedule_bytes(what))
        document = document_of(wanted)
        return None if document is None else read_schedule(document, load_apps()).document
    except ScheduleMistakes as error:
        fail(f"--faults {what}: " + "; ".join(str(m) for m in with_lines(error, lines).mistakes))


def _declarations(path: Path) -> list[Declaration]:
    from soundstage.gateway.upstream.config import UpstreamConfigError, read_declarations

    try:
        return read_declarations(path, os.environ)
    except UpstreamConfigError as error:
        fail(str(error))


def _known_app(name: str) -> None:
    from soundstage.servers.catalogue import UnknownApp, load_app

    try:
        load_app(name)
    except UnknownApp as error:
        fail(str(error))


def _known_world(settings: Settings) -> None:
    from soundstage.worlds import BrokenWorld, UnknownWorld, load_world, own_folder

    try:
        load_world(settings.world, own_folder(settings.worlds))
    except (UnknownWorld, BrokenWorld) as error:
        fail(str(error))


def _parse_object(text: str) -> dict[str, Any]:
    from soundstage.bounded_input import Refused, read_json

    try:
        value = read_json(text)
    except Refused as refused:
        fail(f"the value of the arguments {refused}")
    if not isinstance(value, dict):
        fail('the arguments must be a JSON object, such as {"data": {…}}')
    return value
