"""`soundstage runs drive`: run an agent on the trials of a run."""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from soundstage.cli import options
from soundstage.cli.client import Control, data_folder
from soundstage.cli.options import Last, Run, chosen, controlled
from soundstage.cli.output import FAILED, fail, print_json, print_note, print_text

if TYPE_CHECKING:
    from soundstage.client.control import Control as Client
    from soundstage.runs.drive.agent import Agent
    from soundstage.runs.drive.driver import FinishedAttempt
    from soundstage.runs.models import RunShown

_INTERRUPTED = 130
_GRADING_S, _LOOK_S = 60.0, 0.5  # time limit for the grading of submitted trials, and the interval between checks
_SERVICES = ("http://", "https://")


@controlled
def drive(
    control: Control,
    agent: Annotated[
        str,
        typer.Option(
            help="The agent: a command, a service's address, or oracle, oracle-retry, noisy:P, reads, null, refuser, person.",
            metavar="COMMAND|URL|NAME",
        ),
    ],
    run: Run = None,
    last: Last = False,
    jobs: Annotated[int, typer.Option(min=1, max=256, help="How many trials at once.")] = 4,
    env: Annotated[
        list[str] | None,
        typer.Option(help="A variable of this environment that a command gets as well; repeatable.", metavar="NAME"),
    ] = None,
    tasks_dir: Annotated[
        Path | None,
        typer.Option(help="The folder of the run's tasks, for agents that read them.", show_default="those shipped"),
    ] = None,
    json: options.Json = False,
) -> None:
    """Run an agent on all open trials of a run.

    A command is started once for each trial, in an empty folder, with SOUNDSTAGE_MCP_URL, SOUNDSTAGE_INSTRUCTION and
    SOUNDSTAGE_DEADLINE in its environment; its output is its answer. If no gateway serves the data folder, this command starts
    one and ends it afterwards. Exits with 1 if a trial failed because of the infrastructure.
    """
    from soundstage.client.control import Control as Client
    from soundstage.client.problems import GatewayError
    from soundstage.runs.drive.builtin import InformedAgent, TaskUnavailable
    from soundstage.runs.drive.leases import RunRejected

    wanted = chosen(run, last)
    if os.name != "posix":
        fail("driving a run needs Unix: an agent is ended with its whole process group")
    try:
        with _served(control) as (url, token), contextlib.closing(Client(url, token)) as client:
            shown = _shown(client, wanted)
            working = _agent(agent, client, control, jobs, env or (), tasks_dir)
            if isinstance(working, InformedAgent):
                working.look_up(shown.tasks)
            try:
                asyncio.run(_work(url, _run_token(client, shown.id), working, jobs, _silent if json else _tell))
            except (KeyboardInterrupt, asyncio.CancelledError):
                print_note("stopped; the trials that were under way are given back")
                raise typer.Exit(_INTERRUPTED) from None
            shown = _graded(client, shown.id)
    except (GatewayError, RunRejected, TaskUnavailable) as error:
        fail(str(error))
    if json:
        print_json(shown.model_dump(mode="json"))
    else:
        _sum_up(shown)
    if shown.progress.ended.get("infra"):
        raise typer.Exit(FAILED)


@contextlib.contextmanager
def _served(control: Control) -> Iterator[tuple[str, str | None]]:
    """Yield address and token of the gateway that serves the data folder; start one for the block if there is none."""
    if control.url is not None:
        yield control.url, control.token
        return
    from soundstage.client import serve

    if "SOUNDSTAGE_REGISTRY" in os.environ:
        fail(
            "the registry is elsewhere (SOUNDSTAGE_REGISTRY): start a gateway on it, with a token, and name it by --url"
        )
    token = secrets.token_urlsafe(24)
    with serve(data=data_folder(control.data), token=token) as stage:
        yield stage.url, token


def _agent(
    wanted: str, client: Client, control: Control, jobs: int, env: Sequence[str], tasks_dir: Path | None
) -> Agent:
    from soundstage.runs.drive.builtin import AgentResources, UnknownAgent, builtin, is_builtin
    from soundstage.runs.drive.command import BadCommand, Command
    from soundstage.runs.drive.service import Service
    from soundstage.worlds import own_folder

    try:
        if is_builtin(wanted):
            built = data_folder(control.data) / "worlds"
            return builtin(wanted, AgentResources(client, tasks_dir, built, own_folder(built), print_text), jobs=jobs)
        if wanted.startswith(_SERVICES):
            return Service(wanted)
        return Command.read(wanted, env, os.environ)
    except (BadCommand, UnknownAgent) as error:
        fail(str(error))


async def _work(url: str, run_token: str, agent: Agent, jobs: int, tell: Callable[[FinishedAttempt], None]) -> None:
    from soundstage.runs.drive.driver import drive as drive_run
    from soundstage.runs.drive.leases import Leases

    working = asyncio.current_task()
    assert working is not None
    # SIGTERM behaves like the terminal's interrupt: running trials are ended in order.
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, working.cancel)
    async with Leases(url, run_token) as leases:
        await drive_run(leases, agent, jobs=jobs, tell=tell)


def _shown(client: Client, run: str) -> RunShown:
    from soundstage.client.requests import Request
    from soundstage.runs.models import RunShown

    return client.send(Request("GET", f"/api/runs/{run}", RunShown.model_validate_json))


def _graded(client: Client, run: str) -> RunShown:
    """Return the run as soon as all submitted trials are graded; a restarted gateway completes interrupted grading."""
    until = time.monotonic() + _GRADING_S
    while (shown := _shown(client, run)).progress.open and time.monotonic() < until:
        time.sleep(_LOOK_S)
    return shown


def _run_token(client: Client, run: str) -> str:
    from soundstage.client.requests import Request
    from soundstage.runs.models import TokenShown

    made = client.send(Request("POST", f"/api/runs/{run}/tokens", TokenShown.model_validate_json, body={}))
    return made.run_token


def _silent(driven: FinishedAttempt) -> None:
    """Print nothing: programs read the output at the end."""


def _tell(driven: FinishedAttempt) -> None:
    trial, submission = driven.trial, driven.submission
    if submission is None:
        result = "over, or assigned to another runner; the work so far counts"
    elif submission.error is not None:
        result = f"comes again: {submission.error}"
    else:
        result = submission.outcome + (f" ({submission.note})" if submission.note else "")
    again = "" if trial.attempt == 1 else f", attempt {trial.attempt}"
    print_text(f"{trial.trial}{again}: {result}, {driven.seconds:.1f} s")


def _sum_up(run: RunShown) -> None:
    ended = ", ".join(f"{number} {how}" for how, number in sorted(run.progress.ended.items()))
    print_text(f"\n{run.progress.done} of {run.progress.trials} trials are done" + (f": {ended}" if ended else ""))
    if run.progress.open:
        print_text(f"{run.progress.open} more are still being graded; soundstage runs watch {run.id} waits for them")
    if run.success is not None and run.score is not None:
        print_text(f"success {run.success:.1%}, score {run.score:.3f}; soundstage runs show {run.id} has the rest")
