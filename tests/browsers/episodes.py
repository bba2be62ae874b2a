"""The scenarios of the comparison: written ones, and walks drawn from a seed.

A line of `episodes.jsonl` is `{episode, app, page, calls: [[tool, arguments], …]}`: tools without their app's name; the page
is opened first. A walk opens a page and repeatedly draws an action and an element of the page for it, in our browser.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.browsers.comparison import Action, Driver, value_of
from tests.browsers.sites import OWN

_WRITTEN = Path(__file__).parent / "episodes.jsonl"
FILES = {"/home/agent/notes.txt": "Notes.\n"}
"""The uploaded files, by their paths on the session's disk. The real servers start in a folder with them."""

_KEYS = (
    "Tab", "Shift+Tab", "Enter", "Escape", "Space", "ArrowDown", "ArrowUp", "ArrowLeft", "Backspace", "Delete", "Home", "End",
    "a", "7", "Control+A",
)  # fmt: skip
_VALUES = (
    "",
    "a",
    "Ada Lin",
    "ada@site.test",
    "7",
    "12.5",
    "2026-03-11",
    "09:30",
    "AB-123",
    "云海",
    "two\nlines",
    "x" * 12,
)
_ELEMENTS = (Path(__file__).parent / "found.js").read_text().strip()


@dataclass(frozen=True, slots=True)
class Episode:
    """Consecutive actions in one browser, of which the first opens a page."""

    name: str
    app: str
    actions: list[Action]


def written() -> list[Episode]:
    """Return the scenarios of `episodes.jsonl`."""
    lines = [json.loads(line) for line in _WRITTEN.read_text().splitlines() if line.strip()]
    return [
        Episode(
            line["episode"],
            line["app"],
            [("navigate", {"url": f"{OWN}/{line['page']}"}), *((tool, arguments) for tool, arguments in line["calls"])],
        )
        for line in lines
    ]


def walk(driver: Driver, app: str, start: str, steps: int, draw: random.Random) -> Iterator[Action]:
    """Draw `steps` actions on a page and the pages that it leads to. The driver carries out each action as it is drawn."""
    driver.call("navigate", {"url": start})
    yield "navigate", {"url": start}
    for _ in range(steps):
        elements = value_of(driver.call("evaluate", {"script": _ELEMENTS})) or []
        action = _drawn(app, [one for one in elements if one["shown"] and not one["off"]], start, draw)
        driver.call(*action)
        yield action


def _drawn(app: str, elements: list[dict[str, Any]], start: str, draw: random.Random) -> Action:
    if not elements or draw.random() < 0.04:
        return ("go_back", {}) if app == "playwright" else ("navigate", {"url": start})
    one = draw.choice(elements)
    chance, selector = draw.random(), one["selector"]
    if one["tag"] == "select" and one["options"] and chance < 0.7:
        return "select", {"selector": selector, "value": draw.choice(one["options"])}
    typed = one["tag"] in ("input", "textarea") and one["type"] not in (
        "checkbox", "radio", "submit", "reset", "button", "file", "range", "color", "date", "time",
    )  # fmt: skip
    if typed and not one["fixed"] and chance < 0.6 and not (one["type"] == "number" and app == "playwright"):
        return "fill", {"selector": selector, "value": draw.choice(_VALUES)}
    if app == "playwright" and chance < 0.8 and one["tag"] not in ("label", "summary"):
        return "press_key", {"selector": selector, "key": draw.choice(_KEYS)}
    if chance > 0.95:
        return "hover", {"selector": selector}
    return "click", {"selector": selector}
