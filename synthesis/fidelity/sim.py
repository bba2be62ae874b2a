"""Replay recorded episodes on the simulated apps, each call on the state that the replayed calls produced."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

from soundstage.servers.catalogue import UnknownApp, load_app
from soundstage.synthesis.fidelity.compare import Comparison
from soundstage.synthesis.fidelity.episodes import ComparedCall, by_episode, episodes_on
from soundstage.synthesis.fidelity.report import Report, read, reported
from soundstage.synthesis.fidelity.traces import Line, Problem
from soundstage.synthesis.targets.sim import SimTarget, gateway_here
from soundstage.synthesis.targets.target import NotPossible, State


async def run_sim(
    files: Sequence[Path],
    apps: Collection[str] = (),
    given: State | None = None,
    episodes: Collection[str] | None = None,
) -> tuple[Report, list[ComparedCall]]:
    """Replay the episodes of these files on the simulated apps, optionally only of some apps or some `episodes`.

    `given` is the state of a server that was reset.
    """
    lines, problems = read(files, apps)
    chosen = [line for line in lines if episodes is None or line.trace.episode in episodes]
    compared: list[ComparedCall] = []
    async with gateway_here() as http:
        for calls in by_episode(chosen).values():
            try:
                load_app(calls[0].trace.app)
                compared += await episodes_on(SimTarget(http, calls[0].trace.app, given or {}), calls)
            except (UnknownApp, NotPossible) as error:
                problems += [Problem(line.file, line.number, str(error)) for line in calls]
    return reported(files, _compared(compared), problems), compared


def _compared(calls: Sequence[ComparedCall]) -> list[tuple[Line, Comparison]]:
    return [(one.line, one.comparison) for one in calls]
