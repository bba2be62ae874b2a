"""An episode in both browsers: what each action said, and how the page was after it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

PARTS = ("outcome", "reply", "address", "controls", "text", "console", "log")

PROBE = (Path(__file__).parent / "probe.js").read_text().strip()

Action = tuple[str, dict[str, Any]]


class Driver(Protocol):
    """A browser that tools are called on."""

    def call(self, tool: str, arguments: dict[str, Any]) -> dict[str, Any]: ...
    def console(self) -> list[str]: ...
    def close(self) -> None: ...


_TRIES = 5
"""How often a page is asked that is being left just then."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What came of one action. The parts are those of `PARTS`; `log` is what the page itself wrote down since the last one."""

    parts: dict[str, Any]


def seen(driver: Driver, actions: list[Action]) -> Iterator[Seen]:
    """Do the actions one after the other."""
    heard, log = 0, []
    for tool, arguments in actions:
        reply = driver.call(tool, arguments)
        state = next(
            filter(None, (_state(driver) for _ in range(_TRIES))), dict.fromkeys(("address", "controls", "text", "log"))
        )
        lines, whole = driver.console(), state["log"] or []
        yield Seen({
            "outcome": "fails" if reply.get("isError") or "error" in reply else "works",
            "reply": [one.get("text", one["type"]) for one in reply["content"]] if "content" in reply else reply,
            **state,
            "console": lines[heard:],
            "log": whole[len(log) :] if whole[: len(log)] == log else whole,
        })  # fmt: skip
        heard, log = len(lines), whole


def differing(ours: Seen, real: Seen, parts: tuple[str, ...] = PARTS) -> list[str]:
    """The parts in which two browsers differ."""
    return [part for part in parts if _compared(ours, part) != _compared(real, part)]


def _compared(one: Seen, part: str) -> Any:
    """A part without what depends on how busy a machine is, and without Chromium's advice to who writes pages."""
    if part != "console":
        return one.parts[part]
    return [line for line in one.parts[part] if not line.startswith("[verbose] [DOM]") and "status of 404" not in line]


def _state(driver: Driver) -> Any:
    return value_of(driver.call("evaluate", {"script": PROBE}))


def value_of(reply: dict[str, Any]) -> Any:
    """What a script came to, out of either server's reply; None where it told no value."""
    text = "\n".join(one.get("text", "") for one in reply.get("content", ()))
    for before, after in (("Execution result:\n", "\n\nConsole output:"), ("Result:\n", None)):
        _, found, rest = text.partition(before)
        if found:
            try:
                return json.loads(rest.rpartition(after)[0] if after else rest)
            except ValueError:
                return None
    return None
