"""Repeat recorded calls on their real server, to verify the recordings and their declared volatile parts."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Collection, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from soundstage.synthesis.fidelity.episodes import Compared, by_episode, episodes_on
from soundstage.synthesis.fidelity.report import Report, read, reported
from soundstage.synthesis.fidelity.traces import Line, Problem, Trace
from soundstage.synthesis.target.live import Connection, LiveTarget
from soundstage.synthesis.target.target import AT_REST, Heard, Introduced, NotPossible, Start
from soundstage.synthesis.traverse.judge import Envelope, judge
from soundstage.synthesis.traverse.places import wheres, with_texts
from soundstage.synthesis.traverse.plan import Planned
from soundstage.synthesis.traverse.pool import Call, Intent
from soundstage.synthesis.traverse.replies import told
from soundstage.synthesis.traverse.run import PAUSES_S, placed
from soundstage.synthesis.traverse.scrub import HIDDEN, SCRATCH, Scrubber


class PlannedConnection:
    """A connection to a recording's server that enforces its plan.

    Calls that the plan forbids are not sent. Temporary errors such as rate limits are retried after a pause. Replies are
    scrubbed and judged like those of the recording.
    """

    def __init__(self, live: Connection, of: PlannedTarget) -> None:
        self._live = live
        self._of = of
        self._hidden: dict[str, str] = {}
        self.scratch = Path(SCRATCH)

    @property
    def is_open(self) -> bool:
        """Whether the server still answers."""
        return self._live.is_open

    async def introduced(self) -> Introduced:
        """Return the server's self-description."""
        return await self._live.introduced()

    async def call(self, tool: str, arguments: dict[str, Any] | None) -> Heard:
        """Make a call within the plan; scrubbed values from this connection's replies are sent in their original form.

        Raises:
            NotPossible: The plan forbids the call.
        """
        planned = self._of.planned
        if tool in planned.tools and (refusal := planned.plan.refusal(planned.tools[tool])) is not None:
            raise NotPossible(f"{tool} is not called: {refusal}")
        named = self._of.named(tool, arguments)
        shown = with_texts(named, lambda text: self._hidden.get(text, text))
        sent = placed(shown, str(self._live.scratch))
        for pause_s in (*PAUSES_S, None):
            await self._wait_turn()
            heard = await self._live.call(tool, sent)
            call = Call("", "", 0, tool, arguments, Intent("nominal", ""), heard.transport, "", reply=heard.reply)
            verdict = judge(call, planned.tools.get(tool), self._of.envelope)
            if verdict.outcome != "unexpected" or pause_s is None:
                break
            await asyncio.sleep(pause_s)
        reply = self._of.scrubber.value(heard.reply, self._live.scratch)
        here = str(self._live.scratch)
        placed_here = with_texts(told(heard.reply), lambda text: text.replace(here, SCRATCH))
        self._hidden |= dict(_changed(placed_here, told(reply)))
        return replace(heard, reply=reply, ok=verdict.done)

    async def _wait_turn(self) -> None:
        """Keep to the pace of the plan."""
        await asyncio.sleep(max(0.0, self._of.next_call_s - time.monotonic()))
        self._of.next_call_s = time.monotonic() + self._of.planned.plan.pause_s


@dataclass(slots=True)
class PlannedTarget:
    """The server of a pool, within its plan. `envelope` is how it words failure, as the pool shows it; `next_call_s` is when it
    may be asked again (`time.monotonic`).
    """

    planned: Planned
    live: LiveTarget
    scrubber: Scrubber
    envelope: Envelope
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
    async def fresh(self, start: Start = AT_REST) -> AsyncIterator[PlannedConnection]:
        """A new start of the server.

        Raises:
            Unreachable: it does not start.
            NotPossible: it is to have a state.
        """
        async with self.live.fresh(start) as connection:
            yield PlannedConnection(connection, self)


async def run_live(
    files: Sequence[Path], target: PlannedTarget, episodes: Collection[str] | None = None
) -> tuple[Report, list[Compared]]:
    """Make the traces of these files again to the server of a pool, or of these episodes alone. Tools that its plan does not
    allow are left out.

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


async def episodes_again(lines: Sequence[Line], target: PlannedTarget) -> tuple[list[Compared], list[Problem]]:
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
    result: list[Compared] = []
    for calls in by_episode(allowed).values():
        try:
            result += await episodes_on(target, calls)
        except NotPossible as error:
            problems += [Problem(line.file, line.number, str(error)) for line in calls]
    return result, problems


def _changed(raw: Any, shown: Any) -> Iterator[tuple[str, str]]:
    """Yield scrubbed values by their replacement; ambiguous replacements are left out."""
    there = dict(wheres(raw))
    for place, value in wheres(shown):
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
