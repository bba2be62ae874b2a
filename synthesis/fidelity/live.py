"""Recorded calls made again to the real server that they are of: whether the recordings, and what they say varies, hold.

Calls of an episode are made one after another from a new start of the server, as they were recorded; one whose answer is about
the server's day, such as a rate limit, is made again a little later.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from soundstage.synthesis.fidelity.compare import Comparison, compare
from soundstage.synthesis.fidelity.replay import Reply
from soundstage.synthesis.fidelity.report import Report, read, reported
from soundstage.synthesis.fidelity.traces import Line, Problem, Trace
from soundstage.synthesis.target.live import Connection, Heard, LiveTarget
from soundstage.synthesis.traverse.judge import Envelope, Verdict, judge
from soundstage.synthesis.traverse.places import at_path, put_at, with_texts
from soundstage.synthesis.traverse.plan import Planned
from soundstage.synthesis.traverse.pool import Call, Intent
from soundstage.synthesis.traverse.replies import said, told
from soundstage.synthesis.traverse.run import PAUSES_S, placed
from soundstage.synthesis.traverse.scrub import Scrubber


async def run_live(
    files: Sequence[Path], planned: Planned, target: LiveTarget, scrubber: Scrubber, envelope: Envelope
) -> Report:
    """Make the traces of these files again to the server of a pool. Tools that its plan does not allow are left out.

    Raises:
        Unreachable: the server does not start.
    """
    lines, problems = read(files, (planned.plan.app,))
    compared, further = await episodes_again(lines, planned, target, scrubber, envelope)
    info = planned.server["serverInfo"]
    version = f"{info.get('name', '')} {info.get('version', '')}, live".strip()
    return reported(files, compared, [*problems, *further], {planned.plan.app: version})


async def episodes_again(
    lines: Sequence[Line], planned: Planned, target: LiveTarget, scrubber: Scrubber, envelope: Envelope
) -> tuple[list[tuple[Line, Comparison]], list[Problem]]:
    """Make recorded calls again, each episode from a new start of the server, and compare.

    Raises:
        Unreachable: the server does not start.
    """
    problems: list[Problem] = []
    episodes: dict[str, list[Line]] = {}
    for line in lines:
        refusal = planned.plan.refusal(planned.tools[line.trace.tool]) if line.trace.tool in planned.tools else None
        if refusal is not None:
            problems.append(Problem(line.file, line.number, f"{line.trace.tool} is not called: {refusal}"))
        else:
            episodes.setdefault(line.trace.episode or line.trace.id, []).append(line)
    compared: list[tuple[Line, Comparison]] = []
    for calls in episodes.values():
        async with target.fresh() as connection:
            heard: dict[int, Any] = {}
            names: dict[str, str] = {}
            for line in sorted(calls, key=lambda one: one.trace.step or 0):
                if not connection.is_open:
                    problems.append(Problem(line.file, line.number, "the server had ended before this call"))
                    continue
                answer, verdict = await _asked(connection, line.trace, heard, names, planned, envelope)
                heard[line.trace.step or 0] = told(answer.reply)
                reply = _renamed(scrubber.value(answer.reply, connection.scratch), names)
                ours = _reply(reply, done=verdict.done)
                compared.append((line, compare(line.trace.app, line.trace.expect, ours)))
    return compared, problems


async def _asked(
    connection: Connection,
    trace: Trace,
    heard: dict[int, Any],
    names: dict[str, str],
    planned: Planned,
    envelope: Envelope,
) -> tuple[Heard, Verdict]:
    """Make a trace's call, again a little later where the answer is about the server's day."""
    for pause_s in (*PAUSES_S, None):
        answer = await _made(connection, trace, heard, names)
        intent = Intent("nominal", "")
        call = Call(trace.id, "", 0, trace.tool, trace.arguments, intent, answer.transport, "", reply=answer.reply)
        verdict = judge(call, planned.tools.get(trace.tool), envelope)
        if verdict.outcome != "unexpected" or pause_s is None:
            break
        await asyncio.sleep(pause_s)
    return answer, verdict


async def _made(connection: Connection, trace: Trace, heard: dict[int, Any], names: dict[str, str]) -> Heard:
    """Make a trace's call, with what this time's replies told where its arguments came from replies. `names` learns what each
    such value was called when the trace was recorded.
    """
    arguments: Any = trace.arguments
    for place, origin in trace.refs.items():
        try:
            now, then = at_path(heard[origin.step], origin.path), at_path(trace.arguments, place)
        except (LookupError, TypeError):
            continue
        arguments = put_at(arguments, place, now)
        if now != then and isinstance(now, str) and isinstance(then, str):
            names.setdefault(now, then)
    return await connection.call(trace.tool, placed(arguments, str(connection.scratch)))


def _reply(reply: dict[str, Any] | None, *, done: bool) -> Reply:
    """What was heard, as what a simulated app's session tells of a call."""
    if reply is None:
        return Reply("result", False, "internal", "")
    if "error" in reply:
        return Reply("jsonrpc_error", False, None, said(reply), code=reply["error"]["code"])
    blocks = tuple(reply.get("content", ()))
    flag = bool(reply.get("isError"))
    return Reply("result", done, None, said(reply), flag, blocks=blocks, structured=reply.get("structuredContent"))


def _renamed(reply: Any, names: dict[str, str]) -> Any:
    """A reply with the recorded names of what has another one this time."""

    def then(text: str) -> str:
        for now, recorded in names.items():
            text = text.replace(now, recorded)
        return text

    return with_texts(reply, then)
