"""Repeat recorded calls on their real server, to verify the recordings and their declared volatile parts."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Collection, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from soundstage.synthesis.fidelity.episodes import ComparedCall, by_episode, episodes_on
from soundstage.synthesis.fidelity.report import Report, read, reported
from soundstage.synthesis.fidelity.traces import Line, Problem, Trace
from soundstage.synthesis.targets.live import LiveConnection, LiveTarget
from soundstage.synthesis.targets.target import DEFAULT_START, CallResult, NotPossible, ServerDescription, Start
from soundstage.synthesis.traverse.goals import PROBE
from soundstage.synthesis.traverse.judge import FailureTemplates, judge
from soundstage.synthesis.traverse.places import map_texts, walk_scalars
from soundstage.synthesis.traverse.plan import Planned
from soundstage.synthesis.traverse.recording import Call, Intent
from soundstage.synthesis.traverse.replies import content_of
from soundstage.synthesis.traverse.run import PAUSES_S, with_scratch
from soundstage.synthesis.traverse.scrub import HIDDEN, SCRATCH, Scrubber


class PlannedConnection:
    """A connection to a recording's server that enforces its plan.

    Calls that the plan forbids are not sent. Temporary errors such as rate limits are retried after a pause. Replies are
    scrubbed and judged like those of the recording.
    """

    def __init__(self, live: LiveConnection, of: PlannedTarget) -> None:
        self._live = live
        self._of = of
        self._hidden: dict[str, str] = {}
        self.scratch = Path(SCRATCH)

    @property
    def is_open(self) -> bool:
        """Whether the server still answers."""
        return self._live.is_open

    async def describe(self) -> ServerDescription:
        """Return the server's self-description."""
        return await self._live.describe()

    async def call(self, tool: str, arguments: dict[str, Any] | None) -> CallResult:
        """Make a call within the plan; scrubbed values from this connection's replies are sent in their original form.

        Raises:
            NotPossible: The plan forbids the call.
        """
        planned = self._of.planned
        if tool in planned.tools and (refusal := planned.plan.refusal(planned.tools[tool])) is not None:
            raise NotPossible(f"{tool} is not called: {refusal}")
        named = self._of.named(tool, arguments)
        shown = map_texts(named, lambda text: self._hidden.get(text, text))
        sent = with_scratch(shown, str(self._live.scratch))
        for pause_s in (*PAUSES_S, None):
            await self._wait_turn()
            result = await self._live.call(tool, sent)
            call = Call("", "", 0, tool, arguments, Intent("nominal", PROBE), result.transport, "", reply=result.reply)
            verdict = judge(call, planned.tools.get(tool), self._of.failure_templates)
            if verdict.outcome != "unexpected" or pause_s is None:
                break
            await asyncio.sleep(pause_s)
        reply = self._of.scrubber.value(result.reply, self._live.scratch)
        here = str(self._live.scratch)
        placed_here = map_texts(content_of(result.reply), lambda text: text.replace(here, SCRATCH))
        self._hidden |= dict(_changed(placed_here, content_of(reply)))
        return replace(result, reply=reply, ok=verdict.done)

    async def _wait_turn(self) -> None:
        """Keep to the pace of the plan."""
        await asyncio.sleep(max(0.0, self._of.next_call_s - time.monotonic()))
        self._of.next_call_s = time.monotonic() + self._of.planned.plan.pause_s


@dataclass(slots=True)
class PlannedTarget:
    """A recording's server that is called only as its plan allows.

    Attributes:
        failure_templates: How the server words failure, as the recording shows.
        next_call_s: The earliest time of the next call (`time.monotonic`).
    """

    planned: Planned
    live: LiveTarget
    scrubber: Scrubber
    failure_templates: FailureTemplates
    next_call_s: float = 0.0

    def named(self, tool: str, arguments: Any) -> Any:
        """Arguments whose addressing parameters have the values that the plan names, and not what a recording shows of them.

        Raises:
            NotPossible: one has another value.
        """
        planned = self.planned.plan.tools.get(tool)
        for parameter, value in (planned.sentinels if planned is not None else {}).items():
            if isinstance(arguments, dict) and parameter in arguments:
                if arguments[parameter] not in (value, self.scrubber.value(value)):
                    raise NotPossible(
                        f"{tool} is not called: the plan names another {parameter} than {arguments[parameter]!r}"
                    )
                arguments = {**arguments, parameter: value}
        return arguments

    @asynccontextmanager
    async def fresh(self, start: Start = DEFAULT_START) -> AsyncIterator[PlannedConnection]:
        """A new start of the server.

        Raises:
            Unreachable: it does not start.
            NotPossible: it is to have a state.
        """
        async with self.live.fresh(start) as connection:
            yield PlannedConnection(connection, self)


async def run_live(
    files: Sequence[Path], target: PlannedTarget, episodes: Collection[str] | None = None
) -> tuple[Report, list[ComparedCall]]:
    """Replay the traces of these files, or only of some episodes, on the server of a recording.

    Tools that its plan does not allow are left out.

    Raises:
        Unreachable: the server does not start.
    """
    plan, info = target.planned.plan, target.planned.server["serverInfo"]
    lines, problems = read(files, (plan.app,))
    chosen = [line for line in lines if episodes is None or line.trace.episode in episodes]
    compared, further = await episodes_again(chosen, target)
    version = f"{info.get('name', '')} {info.get('version', '')}, live".strip()
    pairs = [(one.line, one.comparison) for one in compared]
    return reported(files, pairs, [*problems, *further], {plan.app: version}), compared


async def episodes_again(lines: Sequence[Line], target: PlannedTarget) -> tuple[list[ComparedCall], list[Problem]]:
    """Make those of the recorded calls again that the plan allows, each episode from a new start of the server, and compare.

    Raises:
        Unreachable: the server does not start.
    """
    planned = target.planned
    problems: list[Problem] = []
    allowed: list[Line] = []
    for line in lines:
        if (refusal := _refusal(planned, line.trace)) is not None:
            problems.append(Problem(line.file, line.number, refusal))
        else:
            allowed.append(line)
    result: list[ComparedCall] = []
    for calls in by_episode(allowed).values():
        try:
            result += await episodes_on(target, calls)
        except NotPossible as error:
            problems += [Problem(line.file, line.number, str(error)) for line in calls]
    return result, problems


def _changed(raw: Any, shown: Any) -> Iterator[tuple[str, str]]:
    """Yield scrubbed values by their replacement; ambiguous replacements are left out."""
    there = dict(walk_scalars(raw))
    for place, value in walk_scalars(shown):
        real = there.get(place)
        if isinstance(value, str) and isinstance(real, str) and real != value and HIDDEN not in value:
            yield value, real


def _refusal(planned: Planned, trace: Trace) -> str | None:
    """Why a recorded call is not made again; None where it may be."""
    if trace.given:
        return "its `given` cannot be put into a real server"
    for name in (trace.tool, *(before.tool for before in trace.before), *(probe.tool for probe in trace.probes)):
        if name in planned.tools and (refusal := planned.plan.refusal(planned.tools[name])) is not None:
            return f"{name} is not called: {refusal}"
    return None
