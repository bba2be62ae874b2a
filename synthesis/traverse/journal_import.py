"""Import calls that agents made to a real server through the gateway: a sample of real usage."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from soundstage.synthesis.traverse.goals import Goal
from soundstage.synthesis.traverse.plan import Planned
from soundstage.synthesis.traverse.recording import EPISODES, Call, Intent, RecordingError
from soundstage.synthesis.traverse.scrub import Scrubber


def add_journal(planned: Planned, lines: Iterable[Mapping[str, Any]], scrubber: Scrubber) -> int:
    """Add a journal's calls to the recording's server as one episode; return their number.

    The states before and after these calls are unknown, so only requests and replies are used.

    Raises:
        RecordingError: A line is not a line of a journal; nothing is added then.
    """
    lines = list(lines)
    for number, line in enumerate(lines, 1):
        if (problem := _problem(line)) is not None:
            raise RecordingError(f"line {number} is not a line of a journal: {problem}")
    numbers = {call.episode for call in planned.recording.calls()}
    episode = f"e{len(numbers) + 1:04}"
    step = 0
    for line in lines:
        if line.get("tool") not in planned.tools or line.get("app") != planned.plan.app or line.get("reply") is None:
            continue
        step += 1
        call = Call(
            id=f"{planned.plan.app}-{episode}-{step:02}",
            episode=episode,
            step=step,
            tool=str(line["tool"]),
            arguments=scrubber.value(line.get("arguments")),
            intent=Intent(
                "nominal" if line.get("ok") else "imported", Goal("imported", f"{episode}-{step}"), by="agent"
            ),
            transport="answered",
            server=planned.plan.server,
            reply=scrubber.value(line["reply"]),
            at=str(line.get("at", "")),
            ms=int(line.get("duration_us", 0)) // 1000,
        )
        planned.recording.append(EPISODES, call.line())
    return step


def _problem(line: Any) -> str | None:
    if not isinstance(line, dict):
        return f"expected an object, got {type(line).__name__}"
    for member in ("arguments", "reply"):
        if not isinstance(line.get(member), dict | None):
            return f"{member}: expected an object"
    if not isinstance(line.get("duration_us", 0), int | float):
        return "duration_us: expected a number"
    return None
