"""`soundstage traverse …`: record the behaviour of a real MCP server, within permitted calls."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from soundstage.cli import options
from soundstage.cli.output import FAILED, fail, print_json, print_table, print_text, shortened

if TYPE_CHECKING:
    from soundstage.models.asking import Model
    from soundstage.synthesis.traverse.derive import Derived
    from soundstage.synthesis.traverse.plan import Planned
    from soundstage.synthesis.traverse.scrub import Scrubber

app = typer.Typer(help="Record how a real MCP server behaves, within what its plan allows.", no_args_is_help=True)

PoolPath = Annotated[Path, typer.Argument(help="The pool's folder.", metavar="POOL")]
TRIPPED = 4
"""Exit code of a recording that was stopped because of the server."""


@app.command()
def plan(
    command: Annotated[
        list[str] | None, typer.Argument(help="The command that starts the server, after --.", metavar="-- COMMAND…")
    ] = None,
    pool: Annotated[Path, typer.Option("-o", "--pool", help="The pool's folder; made if it is missing.")] = Path(
        "pool"
    ),
    name: Annotated[str, typer.Option("--app", help="The app's name.")] = "app",
    at_url: Annotated[
        str | None, typer.Option("--at", help="The address of a server that runs elsewhere.", metavar="URL")
    ] = None,
    config: Annotated[
        Path | None, typer.Option(help="An mcpServers file that has the server; --app says which one it is.")
    ] = None,
    reset_scratch: Annotated[
        list[str] | None,
        typer.Option(
            help="A variable of the server's environment that names its data folder: each start gets a new folder, so that "
            "the server may be written to and reset. NAME, or NAME={scratch}/file.",
            metavar="NAME",
        ),
    ] = None,
) -> None:
    """Ask a server for its tools, and write a plan of permitted calls. No other request is sent."""
    import asyncio

    from soundstage.gateway.upstream.config import UpstreamConfigError
    from soundstage.synthesis.targets.live import LiveTarget
    from soundstage.synthesis.targets.target import Unreachable
    from soundstage.synthesis.traverse.package import package_of
    from soundstage.synthesis.traverse.plan import TargetSource, declaration_of, write_plan
    from soundstage.synthesis.traverse.recording import PLAN, SERVER, Recording, RecordingError, server_json

    if sum(given is not None for given in (command or None, at_url, config)) != 1:
        raise typer.BadParameter("name one server: `-- COMMAND…`, --at URL or --config FILE")
    if command:
        target = TargetSource(command=command[0], args=command[1:], cwd=os.getcwd())
    elif at_url is not None:
        target = TargetSource(url=at_url)
    else:
        target = TargetSource(config=str(config), name=name)
    if reset_scratch and not command:
        raise typer.BadParameter("--reset-scratch is for a server that is started by a command")
    scratch = dict(_scratch(given) for given in reset_scratch or ())
    with _problems():
        try:
            declaration = declaration_of(target, os.environ)
        except (UpstreamConfigError, RecordingError) as error:
            fail(str(error))

        async def ask() -> dict[str, object]:
            questions = []
            for _ in range(2):
                async with LiveTarget(declaration, scratch).fresh() as connection:
                    questions.append(
                        server_json(await connection.describe(), declaration.shown, package_of(command or ()))
                    )
            if questions[0]["id"] != questions[1]["id"]:
                raise Unreachable(
                    f"{declaration.shown} lists different tools each time; varying tools cannot be simulated"
                )
            return questions[0]

        server = asyncio.run(ask())
        made = Recording(pool)
        with made.alone():
            if (pool / SERVER).exists() and made.server["id"] == server["id"] and (pool / PLAN).exists():
                fail(f"{pool} has a plan for this version of the server already; edit {pool / PLAN}")
            made.write_json(SERVER, server)
            at = datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
            made.write_text(PLAN, write_plan(server, name, target, scratch, at))
        _show_plan(pool)


def _scratch(given: str) -> tuple[str, str]:
    name, _, place = given.partition("=")
    return name, place or "{scratch}/data"


def _show_plan(pool: Path) -> None:
    from soundstage.synthesis.traverse.plan import estimate

    planned = _planned(pool)
    rows = [
        [name, planned.plan.tools[name].class_, planned.plan.refusal(tool) or "will be called"]
        for name, tool in planned.tools.items()
    ]
    print_table(["tool", "class", "planned calls"], rows)
    print_text(f"\nAbout {estimate(planned)} calls. Change {pool / 'plan.yaml'} where it is not what you want, then:")
    print_text(f"  soundstage traverse run {pool}")


@app.command()
def run(
    pool: PoolPath,
    max_calls: Annotated[
        int,
        typer.Option(
            min=1,
            help="Maximum number of recorded calls, not counting repeated calls that detect varying replies.",
        ),
    ] = 2500,
    minutes: Annotated[float, typer.Option(min=0.01, help="How long it may take at most.")] = 30.0,
    rate: Annotated[
        str | None, typer.Option(help="Calls a second or minute, rather than the plan's.", metavar="2/s")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="With another one, what is made up is something else.")] = 0,
    model: Annotated[
        bool,
        typer.Option(
            "--model",
            help="Have the model that SOUNDSTAGE_LLM_BASE_URL names suggest further calls. Its answers are stored.",
        ),
    ] = False,
    tokens: Annotated[
        int, typer.Option(min=1, help="With --model: how many tokens it may read and write at most.")
    ] = 200_000,
) -> None:
    """Make the calls that the plan allows, and record them. A stopped recording continues where it stopped.

    Exits with 4 if the server failed too often or a read-only tool changed something, and with 1 if the model gave no answer.
    """
    import asyncio

    from soundstage.synthesis.traverse.derive import Derived
    from soundstage.synthesis.traverse.plan import live
    from soundstage.synthesis.traverse.report import REPORT, page
    from soundstage.synthesis.traverse.run import LimitReached, Limits, ReadOnlyViolation, Run, ServerUnstable

    planned = _planned(pool)
    if rate is not None:
        try:
            planned = replace(planned, plan=planned.plan.at_rate(rate))
        except ValueError as error:
            raise typer.BadParameter(f"--rate: {error}") from None
    if not planned.allowed:
        fail(f"the plan allows no tool to be called; see {pool / 'plan.yaml'}")
    ended = 0
    with _problems(), planned.recording.alone():
        target = live(planned.plan, os.environ)
        limits = Limits(max_calls, time.monotonic() + minutes * 60)
        answers = _model(planned, tokens) if model else None
        running = Run(planned, target, _scrubber(planned), limits, print_text, answers, seed=seed)
        try:
            asyncio.run(running.all())
        except LimitReached:
            print_text("the calls or minutes of this run are used up; run it again to go on")
        except (ServerUnstable, ReadOnlyViolation) as stopped:
            print_text(f"ended: {stopped}")
            ended = TRIPPED
        derived = Derived(planned)
        derived.rebuild()
        planned.recording.write_text(REPORT, page(planned, derived))
        _show(planned, derived)
    if running.progress.model_failed is not None:
        fail(f"the model failed: {running.progress.model_failed}; its answers are stored")
    if ended:
        raise typer.Exit(ended)


def _model(planned: Planned, tokens: int) -> Model:
    """Return the model that the environment names, with its stored answers; without one, only the stored answers."""
    from soundstage.models.cassette import Cassette
    from soundstage.models.chat import BASE_URL, Chat
    from soundstage.models.spend import Budget, Spend
    from soundstage.synthesis.traverse.recording import MODEL

    try:
        import soundstage.synthesis.traverse.proposals  # noqa: F401 (whether it can be loaded)
    except ModuleNotFoundError as error:
        fail(
            f"{error.name} is missing; --model needs the extra `fidelity`: pip install 'soundstage[fidelity]' "
            "(in a checkout: .venv/bin/pip install -e '.[fidelity]')"
        )
    file = planned.recording.folder / MODEL
    chat = Chat.from_environment()
    if chat is None and not file.exists():
        fail(f"--model: set {BASE_URL} to an OpenAI-compatible endpoint, such as http://127.0.0.1:8000/v1")
    return Cassette(file, None if chat is None else Spend(chat, Budget(tokens=tokens)))


@app.command()
def status(pool: PoolPath, json: options.Json = False) -> None:
    """Show the content of a recording: calls, outcomes and goals reached for each tool."""
    _tell(pool, json)


@app.command()
def report(
    pool: PoolPath,
    json: options.Json = False,
    html: Annotated[Path | None, typer.Option(help="Write the page here, rather than into the pool.")] = None,
) -> None:
    """Write the same report as a page with examples, rejected calls and dependencies between tools."""
    from soundstage.synthesis.traverse.report import REPORT, page

    planned = _planned(pool)
    with _problems():
        derived = _derived(planned)
        (html or pool / REPORT).write_text(page(planned, derived), encoding="utf-8")
    _tell(pool, json)


@app.command()
def rebuild(pool: PoolPath) -> None:
    """Rebuild the derived files: traces, values, graph, variations, coverage, split. The same calls give the same bytes."""
    planned = _planned(pool)
    with _problems(), planned.recording.alone():
        _derived(planned).rebuild()


@app.command()
def review(
    pool: PoolPath,
    decide: Annotated[
        list[str] | None,
        typer.Option(
            "--set", help="Decide one call, such as memory-e0003-02=refused; repeatable.", metavar="CALL=OUTCOME"
        ),
    ] = None,
    by: Annotated[str, typer.Option(help="Who decides.")] = "a person",
) -> None:
    """Review the calls that the rules could not decide, one by one."""
    from typing import get_args

    from soundstage.synthesis.traverse.judge import Outcome
    from soundstage.synthesis.traverse.recording import VERDICTS
    from soundstage.synthesis.traverse.replies import text_of

    planned = _planned(pool)
    with _problems(), planned.recording.alone():
        derived = _derived(planned)
        calls = {call.id: call for call in derived.calls}
        decisions: dict[str, str] = {}
        for one in decide or ():
            call_id, _, outcome = one.partition("=")
            if call_id not in calls or outcome not in get_args(Outcome):
                raise typer.BadParameter(
                    f"--set {one}: expected a call of this pool = one of {', '.join(get_args(Outcome))}"
                )
            decisions[call_id] = outcome
        if not decide:
            if not sys.stdin.isatty():
                raise typer.BadParameter("name decisions with --set where no terminal is")
            for call in (c for c in derived.calls if derived.verdicts[c.id].outcome == "unclear"):
                print_text(f"{call.id} {call.tool} {call.arguments}\n  {shortened(text_of(call.reply), 600)}")
                answer = typer.prompt("outcome (empty: later)", default="", show_default=False)
                if answer in get_args(Outcome):
                    decisions[call.id] = answer
        for call_id, outcome in decisions.items():
            planned.recording.append(VERDICTS, {"id": call_id, "outcome": outcome, "by": by})
        _derived(planned).rebuild()
    print_text(f"{len(decisions)} decided")


@app.command("import")
def import_calls(
    pool: PoolPath,
    journal: Annotated[
        Path,
        typer.Argument(help="A session's journal, as `soundstage sessions journal` prints it.", metavar="FILE.jsonl"),
    ],
) -> None:
    """Import calls that agents made to this server through the gateway."""
    from soundstage.bounded_input import JSON_LIMITS, Refused, file_bytes, read_json
    from soundstage.synthesis.traverse.journal_import import add_journal

    planned = _planned(pool)
    try:
        lines = [read_json(row) for row in file_bytes(journal, JSON_LIMITS).splitlines() if row.strip()]
    except OSError as error:
        fail(f"{journal} cannot be read ({error.strerror})")
    except Refused as refused:
        fail(f"{journal}: {refused}")
    with _problems(), planned.recording.alone():
        count = add_journal(planned, lines, _scrubber(planned))
        _derived(planned).rebuild()
    print_text(f"{count} calls taken in")
    if not count:
        raise typer.Exit(FAILED)


def _tell(pool: Path, json: bool) -> None:
    from soundstage.synthesis.traverse.report import as_json

    planned = _planned(pool)
    with _problems():
        derived = _derived(planned)
        if json:
            print_json(as_json(planned, derived))
        else:
            _show(planned, derived)


def _show(planned: Planned, derived: Derived) -> None:
    names = ("success", "accepted", "refused", "crashed", "unexpected", "unclear")
    rows = [
        [
            name,
            str(c.calls),
            *(str(c.outcomes.get(n, 0)) for n in names),
            f"{c.covered}/{c.applicable}",
            f"{c.unseen:.0%}",
        ]
        for name, c in derived.coverage.items()
    ]
    print_table(["tool", "calls", *names, "goals", "unseen"], rows)


def _planned(pool: Path) -> Planned:
    from soundstage.synthesis.traverse.plan import read_plan
    from soundstage.synthesis.traverse.recording import Recording

    with _problems():
        return read_plan(Recording(pool))
    raise AssertionError


def _derived(planned: Planned) -> Derived:
    from soundstage.synthesis.traverse.derive import Derived

    return Derived(planned)


def _scrubber(planned: Planned) -> Scrubber:
    from soundstage.synthesis.traverse.plan import declaration_of
    from soundstage.synthesis.traverse.scrub import Scrubber

    declaration = declaration_of(planned.plan.target, os.environ)
    return Scrubber(declaration.secrets, planned.plan.server)


@contextmanager
def _problems() -> Iterator[None]:
    """Exit with an error message on problems with a recording, its plan, its server or a model."""
    from soundstage.gateway.upstream.config import UpstreamConfigError
    from soundstage.models.asking import ModelError
    from soundstage.source import SourceError
    from soundstage.synthesis.targets.target import Unreachable
    from soundstage.synthesis.traverse.recording import RecordingError

    try:
        yield
    except (ModelError, RecordingError, SourceError, Unreachable, UpstreamConfigError) as error:
        fail(str(error))
