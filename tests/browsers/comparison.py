"""A scenario in both browsers: the reply to each action, and the page after it."""

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
    """A browser whose tools are called."""

    def call(self, tool: str, arguments: dict[str, Any]) -> dict[str, Any]: ...
    def console(self) -> list[str]: ...
    def close(self) -> None: ...


_TRIES = 5
"""How many times a page that is being left is read again."""


@dataclass(frozen=True, slots=True)
class Seen:
    """The result of one action. The parts are those of `PARTS`; `log` contains the page's own entries since the last action."""

    parts: dict[str, Any]


def seen(driver: Driver, actions: list[Action]) -> Iterator[Seen]:
    """Make the calls in order, and yield their results."""
    lines_read, log = 0, []
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
            "console": lines[lines_read:],
            "log": whole[len(log) :] if whole[: len(log)] == log else whole,
        })  # fmt: skip
        lines_read, log = len(lines), whole


def differing(ours: Seen, real: Seen, parts: tuple[str, ...] = PARTS) -> list[str]:
    """Return the parts in which two browsers differ."""
    return [part for part in parts if _compared(ours, part) != _compared(real, part)]


def _compared(one: Seen, part: str) -> Any:
    """Return a part without lines that depend on the machine's load, and without Chromium's advice to authors of pages."""
    if part != "console":
        return one.parts[part]
    return [line for line in one.parts[part] if not line.startswith("[verbose] [DOM]") and "status of 404" not in line]


def _state(driver: Driver) -> Any:
    return value_of(driver.call("evaluate", {"script": PROBE}))


def value_of(reply: dict[str, Any]) -> Any:
    """Return a script's value from either server's reply, or None if the reply has no value."""
    text = "\n".join(one.get("text", "") for one in reply.get("content", ()))
    for before, after in (("Execution result:\n", "\n\nConsole output:"), ("Result:\n", None)):
        _, marker, rest = text.partition(before)
        if marker:
            try:
                return json.loads(rest.rpartition(after)[0] if after else rest)
            except ValueError:
                return None
    return None
