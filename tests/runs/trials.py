"""Sealed trials for tests: a script plays in a session in memory, with faults if wanted, and its trial is sealed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from soundstage.gateway.calls.dispatch import dispatch
from soundstage.gateway.faults.schedule import parse
from soundstage.grading.oracle import Script, ids_of, play
from soundstage.grading.task import Task
from soundstage.runs.dry_run import DryRun, read_reply
from soundstage.runs.sealed import Agent, Ended, Header, Sealed, Usage, seal
from soundstage.servers.catalogue import load_app


def sealed_trial(
    dry_run: DryRun,
    script: Script,
    *,
    task: Task | None = None,
    faults: Mapping[str, Any] | None = None,
    retries: int = 0,
    trial: str = "tr_01",
    run: str = "r_01",
    agent: str = "oracle",
    k: int = 1,
    seed: int = 7,
    ended: Ended = "answered",
    digest: str = "",
    usage: Usage | None = None,
) -> Sealed:
    """Play a script and seal its trial. With `retries`, a failed call is repeated up to that many times."""
    task = task or dry_run.task
    schedule = None if faults is None else parse(faults)
    with dry_run.open(seed, schedule) as session:

        def call(app: str, tool: str, arguments: Any) -> Any:
            for _ in range(retries + 1):
                made = dispatch(session, load_app(app), tool, arguments)
                if made.reply is not None and made.delivery.ok:
                    break
            return read_reply(made.reply)

        for _ in play(script, ids_of(dry_run.names, dry_run.people), call):
            pass
        header = Header(
            run=run,
            trial=trial,
            task=task.task,
            task_version=task.version,
            task_digest=digest,
            oracle_calls=len(task.oracle),
            k=k,
            seed=seed,
            faults="off" if faults is None else "on",
            variant="default",
            tools="all",
            world=dry_run.world.name,
            fingerprint=dry_run.fingerprint,
            user=task.user,
            zone=str(dry_run.zone),
            apps=task.apps,
            agent=Agent(agent),
            attempt=1,
            started_ms=1_800_000_000_000,
            ended_ms=1_800_000_012_500,
            ended=ended,
            outcome=script.outcome,  # type: ignore[arg-type]
            answer=script.answer,
            usage=usage,
        )
        return seal(session.context, task, header, dry_run.names, dry_run.people)
