"""Calls that agents made to a real server through the gateway, as entries of a pool: a sample of what agents really ask."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from soundstage.synthesis.traverse.plan import Planned
from soundstage.synthesis.traverse.pool import EPISODES, Call, Intent
from soundstage.synthesis.traverse.scrub import Scrubber


def add_journal(planned: Planned, lines: Iterable[Mapping[str, Any]], scrubber: Scrubber) -> int:
    """Add the calls of a journal that were made to the pool's server, as one episode. Returns how many.

    The state in which they were made is not known, so they tell what was asked and answered, and no state before or after.
    """
    numbers = {call.episode for call in planned.pool.calls()}
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
            intent=Intent("nominal" if line.get("ok") else "imported", f"imported:{episode}-{step}", by="agent"),
            transport="answered",
            server=planned.plan.server,
            reply=scrubber.value(line["reply"]),
            at=str(line.get("at", "")),
            ms=int(line.get("duration_us", 0)) // 1000,
        )
        planned.pool.append(EPISODES, call.line())
    return step
