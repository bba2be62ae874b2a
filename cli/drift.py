"""`soundstage drift`: check whether a real server still lists and returns what a recording contains."""

from __future__ import annotations

import os
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from soundstage.cli import options
from soundstage.cli.output import fail, print_json, print_table, print_text

if TYPE_CHECKING:
    from soundstage.synthesis.drift import Drift

SCHEMA_CHANGED, BEHAVIOUR_CHANGED, UNREACHABLE = 3, 4, 5


def drift(
    pool: Annotated[Path, typer.Argument(help="The pool's folder.", metavar="POOL")],
    command: Annotated[
        list[str] | None,
        typer.Argument(
            help="Another server to hold against it than the one of its plan, after --.", metavar="-- COMMAND…"
        ),
    ] = None,
    reads_only: Annotated[bool, typer.Option("--reads-only", help="Make no call of a tool that may write.")] = False,
    accept: Annotated[bool, typer.Option("--accept", help="Take what has changed for known from now on.")] = False,
    by: Annotated[str, typer.Option(help="Who accepts it.")] = "",
    json: options.Json = False,
) -> None:
    """List a real server's tools and repeat recorded calls of every kind. Reports changes that are not accepted.

    Exit codes: 0 nothing has changed, 3 schemas have changed, 4 replies have changed, 5 the server cannot be reached.
    """
    import asyncio

    from soundstage.gateway.upstream.config import UpstreamConfigError
    from soundstage.source import SourceError
    from soundstage.synthesis.drift import HISTORY, SCHEMA, behaviour_drift, schema_drift, unaccepted
    from soundstage.synthesis.drift import accept as accept_changes
    from soundstage.synthesis.targets.live import LiveTarget
    from soundstage.synthesis.targets.target import Unreachable
    from soundstage.synthesis.traverse.derive import Derived
    from soundstage.synthesis.traverse.plan import TargetSource, declaration_of, live, read_plan
    from soundstage.synthesis.traverse.recording import Recording, RecordingError, server_json

    at = datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    try:
        planned = read_plan(Recording(pool))
        derived = Derived(planned)
        target = live(planned.plan, os.environ)
        if command:
            other = TargetSource(command=command[0], args=command[1:], cwd=os.getcwd())
            target = LiveTarget(declaration_of(other, os.environ), planned.plan.reset.scratch)

        async def look() -> list[Drift]:
            async with target.fresh() as connection:
                now = server_json(await connection.describe(), target.declaration.shown)
            names = {tool["name"] for tool in now["tools"]}
            schema_changes = schema_drift(planned, derived, now)
            say = (lambda _: None) if json else print_text
            return schema_changes + await behaviour_drift(
                planned, derived, target, names, reads_only=reads_only, say=say
            )

        differences = asyncio.run(look())
        new = unaccepted(planned.recording, differences)
        with planned.recording.alone():
            planned.recording.append(HISTORY, {"at": at, "changes": [one.key for one in differences]})
            if accept:
                accept_changes(planned.recording, new, by, at)
    except Unreachable as error:
        print_text(str(error))
        raise typer.Exit(UNREACHABLE) from None
    except (RecordingError, SourceError, UpstreamConfigError) as error:
        fail(str(error))
    if json:
        print_json({"changes": [asdict(one) | {"new": one in new} for one in differences]})
    elif new:
        print_table(["what", "tool", "how", "calls"], [[d.kind, d.tool, d.what, " ".join(d.calls[:3])] for d in new])
    else:
        print_text("nothing has changed" if not differences else f"{len(differences)} changes, all of them accepted")
    if accept or not new:
        return
    if any(one.kind == "behaviour" for one in new):
        raise typer.Exit(BEHAVIOUR_CHANGED)
    if any(one.kind in SCHEMA for one in new):
        raise typer.Exit(SCHEMA_CHANGED)
