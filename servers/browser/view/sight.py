"""The visible content of a page: texts and boxes of the browser's layout, and field values.

The page is rebuilt from its tab's log as in each call; the view neither changes nor stores it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import orjson
import quickjs

from soundstage.contexts.engine.execution_limits import Executions
from soundstage.kernels.engines.browser.document import Document, Stopped

_MOST_MARKS = 6_000
_LONGEST_PX = 4_000
"""Maximum height, as in a screenshot; longer pages are cropped."""
_MOST_TEXT = 2_000
_FIELDS = "input, select, textarea"
_NO_FIELDS = frozenset({"hidden", "submit", "reset", "button", "image"})
_NARROW = frozenset("iljt.,:;'|!()[] ")
_COLOUR = re.compile(r"#[0-9a-fA-F]{3,8}|[a-zA-Z]{3,25}|rgba?\([\d., %]{5,40}\)")


class Unseen(Exception):
    """A page cannot be displayed; the message is the reason."""


@dataclass(frozen=True, slots=True)
class Text:
    """Words at a position in pixels; `width` is their width in the layout."""

    x: float
    y: float
    width: float
    size: float
    words: str
    colour: str
    bold: bool


@dataclass(frozen=True, slots=True)
class Box:
    """The outline of a control in pixels."""

    x: float
    y: float
    width: float
    height: float
    fill: str
    line: str | None


@dataclass(frozen=True, slots=True)
class Field:
    """A field with its label and its current value. `ticked` is only set for checkboxes and radio buttons."""

    name: str
    kind: str
    value: str
    ticked: bool | None


@dataclass(frozen=True, slots=True)
class Sight:
    """A page in its window, in pixels.

    `fold` is the height of the window; `left_out` is true if parts of the page are not painted.
    """

    title: str
    width: float
    height: float
    fold: float
    boxes: list[Box]
    texts: list[Text]
    fields: list[Field]
    left_out: bool


def seen(log: str) -> Sight:
    """Return the visible content of a tab's page.

    Raises:
        Unseen: The page takes too long to build, or the state contains an invalid log.
    """
    try:
        entries = orjson.loads(log)
        document = Document(entries, Executions())
        painted = document.ask("paint")
        window = _window(entries)
        height = float(painted["height"])
        boxes, texts = _marks(painted["paints"][:_MOST_MARKS])
        return Sight(
            title=str(document.ask("title"))[:_MOST_TEXT],
            width=window[0],
            height=min(max(height, window[1]), _LONGEST_PX),
            fold=window[1],
            boxes=boxes,
            texts=_lines(texts),
            fields=list(_fields(document)),
            left_out=height > _LONGEST_PX or len(painted["paints"]) > _MOST_MARKS,
        )
    except Stopped:
        raise Unseen("its scripts take too long to be run again") from None
    except (quickjs.JSException, ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        raise Unseen("its log is none that a browser wrote") from None


def _window(entries: list[Any]) -> tuple[float, float]:
    """Return the width and height of the window at the time of loading, or after the last resize."""
    size = {"width": 800, "height": 600}
    for name, argument in entries:
        size = argument["viewport"] if name == "load" else argument if name == "size" else size
    return float(size["width"]), float(size["height"])


def _marks(paints: list[dict[str, Any]]) -> tuple[list[Box], list[Text]]:
    boxes: list[Box] = []
    texts: list[Text] = []
    for one in paints:
        if "box" in one:
            x, y, width, height = map(float, one["box"])
            if y < _LONGEST_PX:
                line = _colour(one["line"]) if one.get("line") else None
                boxes.append(Box(x, y, max(width, 0), max(height, 0), _colour(one["fill"]), line))
        else:
            x, y = map(float, one["at"])
            if y < _LONGEST_PX:
                words = str(one["text"])[:_MOST_TEXT]
                size = float(one["size"])
                colour = _colour(one["fill"])
                texts.append(Text(x, y, round(_width(words, size), 2), size, words, colour, bool(one.get("bold"))))
    return boxes, texts


def _lines(texts: list[Text]) -> list[Text]:
    """Join adjacent words with the same style, which the layout returns separately."""
    lines: list[Text] = []
    for one in texts:
        before = lines[-1] if lines else None
        if before is not None and (before.y, before.size, before.colour, before.bold) == (
            one.y,
            one.size,
            one.colour,
            one.bold,
        ):
            gap = one.x - before.x - before.width
            blank = _width(" ", one.size)
            if abs(gap) < 0.5 or abs(gap - blank) < 0.5:
                words = before.words + (" " if gap > blank / 2 else "") + one.words
                lines[-1] = replace(before, words=words, width=round(one.x + one.width - before.x, 2))
                continue
        lines.append(one)
    return lines


def _width(words: str, size: float) -> float:
    """Return the width of words by the layout's fixed character widths (`letters` in `page.rendering`).

    It is used to fit the words into their space with any font.
    """
    return sum(
        size
        * (
            1
            if ord(c) > 0x2E7F
            else 0.28
            if c in _NARROW
            else 0.8
            if c in "mwMW@"
            else 0.66
            if "A" <= c <= "Z"
            else 0.47
        )
        for c in words
    )


def _fields(document: Document) -> Iterator[Field]:
    """Yield the values of the first fifty visible fields."""
    known = dict(_elements(document.ask("tree")))
    for result in document.find(_FIELDS, "playwright"):
        if not result["rendered"] or result["type"] in _NO_FIELDS:
            continue
        kind = str(result["type"] or result["tag"])
        message = str(document.ask("held", {"at": {"frame": None, "index": result["index"]}}))
        attributes = known.get(result["index"], {})
        called = (attributes.get(name) for name in ("aria-label", "name", "id", "placeholder"))
        yield Field(
            name=next((text for text in called if text), result["tag"])[:_MOST_TEXT],
            kind=kind,
            value="•" * len(message) if kind == "password" else _chosen(result, message)[:_MOST_TEXT],
            ticked=bool(result["checked"]) if kind in ("checkbox", "radio") else None,
        )


def _chosen(result: dict[str, Any], value: str) -> str:
    """Return a field's value as displayed to users."""
    options = result.get("options") or []
    return next((str(option["label"]) for option in options if option["value"] == value), value)


def _elements(node: Any) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield the numbers of a tree's elements with their attributes."""
    waiting = [node]
    while waiting:
        at = waiting.pop()
        if isinstance(at, list):
            _, attributes, number, kids = at
            yield int(number), {str(name): str(value) for name, value in attributes}
            waiting += kids


def _colour(message: object) -> str:
    """Return a colour that is valid in an attribute, or black."""
    text = str(message)
    return text if _COLOUR.fullmatch(text) else "#000000"
