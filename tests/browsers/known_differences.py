"""Known differences, by their reason. `docs/apps/playwright.md` and `docs/apps/puppeteer.md` list them, too."""

from __future__ import annotations

KNOWN: dict[str, list[tuple[str, tuple[int, ...], tuple[str, ...]]]] = {
    "Chromium had done it, or told of it, only after the server had looked; ours is done when a call is": [
        ("order of events in clicks", (16, 17), ("log",)),
        ("order of events in fields", (11,), ("log",)),
        ("scripts make events", (11,), ("log",)),
        ("puppeteer: events", (13, 14), ("log",)),
        ("a modal dialog", (7,), ("text",)),
        ("frames", (6,), ("address", "controls")),
        ("frames", (11,), ("controls",)),
        ("frames and the history", (17, 19), ("controls",)),
        ("frames and the history", (20,), ("reply",)),
        ("frames and states in the history", (2, 8), ("controls",)),
        ("frames that scripts make", (6, 9), ("controls",)),
        ("a part of a text is selected by keys", (65,), ("reply",)),
        ("what is shown and what is not", (3,), ("text",)),
        ("requests", (1, 2, 3, 4), ("text",)),
        ("puppeteer: console", (8,), ("text",)),
        ("walk 0-1", (10, 11), ("log",)),
        ("walk 0-11", (11,), ("address", "controls", "text", "console")),
        ("walk 0-11", (12,), ("console",)),
        ("walk 0-12", (7, 8), ("address", "controls", "text")),
        ("walk 0-18", (6,), ("address", "controls", "text")),
        ("walk 0-23", (7,), ("address", "controls", "text", "console")),
        ("walk 0-23", (8,), ("outcome", "reply", "address", "controls", "text", "console", "log")),
        ("walk 0-23", (9, 10, 11, 12), ("address",)),
    ],
    "how often an action was tried in thirty seconds is the machine's": [("what never comes", (3,), ("reply",))],
    "frames have no scripts of their own": [
        ("frames", (12,), ("console",)),
        ("frames and the history", (6, 17, 22), ("console",)),
    ],
    "elements of a drawing are all of one class": [("names of the window", (12,), ("reply",))],
    "a text that was marked by a drag is not what the next drag takes": [
        ("dragging and pointing", (4,), ("text", "log")),
        ("dragging and pointing", (5, 6, 7), ("text",)),
    ],
    "stacks on the console have no lines, and rejections that nobody hears are not told": [
        ("the console", (4, 5, 6), ("console",)),
    ],
    "the page of a browser that was given no address answers no script there": [
        ("addresses", (3,), ("address", "controls", "text")),
    ],
    "the page about what could not be reached is without Chromium's advice, styles and scripts": [
        ("addresses", (4,), ("text",)),
        ("pages that cannot be reached", (1, 2, 3), ("text",)),
        ("pages that cannot be reached", (2, 6, 8), ("reply",)),
    ],
    "a window is not told that it has the focus": [
        ("puppeteer: events", (1,), ("log",)),
        ("walk 0-11", (1, 3), ("log",)),
    ],
    "members of events are their own, and the window's have another order": [
        ("numbers and dates in words", (12,), ("reply",)),
        ("events that scripts and keys make", (15,), ("reply",)),
    ],
}


def names(episode: str, number: int, part: str) -> bool:
    """Return whether this part of an action is known to differ."""
    return any(
        episode == name and number in numbers and part in parts
        for differences in KNOWN.values()
        for name, numbers, parts in differences
    )
