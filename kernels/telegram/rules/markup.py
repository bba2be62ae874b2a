"""Markdown and HTML as the client library reads them: the plain text and its marked parts.

Offsets and lengths count UTF-16 units, as in Telegram. A marked part is {type, offset, length, url?, user_id?,
document_id?}. Source: Telethon 1.x, extensions/markdown.py, extensions/html.py and client/messageparse.py.
"""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Any

from soundstage.contexts.engine.schema import Object
from soundstage.kernels.telegram.rules.errors import Failed

_DELIMITERS = {"```": "pre", "**": "bold", "__": "italic", "~~": "strike", "`": "code"}
_CODE = ("pre", "code")
_TAGS = {
    "strong": "bold", "b": "bold", "em": "italic", "i": "italic", "u": "underline", "del": "strike", "s": "strike",
    "blockquote": "blockquote", "pre": "pre",
}  # fmt: skip
_MENTION = re.compile(r"^@|\+|tg://user\?id=(\d+)")


def parse(text: str, mode: str | None) -> tuple[str, list[Object]]:
    """Return a text without its markup, and the marked parts; without a mode the text is unchanged.

    Raises:
        Failed: The library does not know the mode, or the text is nothing but markup.
    """
    if not mode:
        return text, []
    readers = {"md": _markdown, "markdown": _markdown, "htm": _html, "html": _html}
    if mode.lower() not in readers:
        raise Failed("ValueError", f"Unknown parse mode {mode}")
    if not text:
        return text, []
    units, parts = readers[mode.lower()](_to_units(text))
    units, parts = _stripped(units, parts)
    plain = _from_units(units)
    if not plain and not parts:
        raise Failed("ValueError", "Failed to parse message")
    return plain, [_as_mention(part) for part in parts]


def _markdown(text: str) -> tuple[str, list[Object]]:
    at = 0
    parts: list[Object] = []
    open_parts: list[Object] = []  # parts that end behind `at`; `at` never goes back
    missing: set[str] = set()  # delimiters and brackets that do not occur again in the rest of this text
    while at < len(text):
        delimiter = next((d for d in _DELIMITERS if text.startswith(d, at)), None)
        if delimiter is not None:
            size = len(delimiter)
            # One character further, so that **** marks nothing.
            end = -1 if delimiter in missing else text.find(delimiter, at + size + 1)
            if end == -1:
                missing.add(delimiter)
            else:
                missing.clear()
                text = text[:at] + text[at + size : end] + text[end + size :]
                open_parts = [part for part in open_parts if part["offset"] + part["length"] > at]
                for part in open_parts:
                    encloses = part["offset"] <= at and part["offset"] + part["length"] >= end + size
                    part["length"] -= size * 2 if encloses else size
                parts.append(_part(_DELIMITERS[delimiter], at, end - at - size))
                open_parts.append(parts[-1])
                if _DELIMITERS[delimiter] in _CODE:
                    at = end - size
                continue
        elif (link := _link_at(text, at, missing)) is not None:
            missing.clear()
            middle, end = link
            shown, url = text[at + 1 : middle], text[middle + 2 : end]
            text = text[:at] + shown + text[end + 1 :]
            open_parts = [part for part in open_parts if part["offset"] + part["length"] > at]
            for part in open_parts:
                part["length"] -= end + 1 - at - len(shown)
            parts.append(_part("text_url", at, len(shown), url=_from_units(url)))
            open_parts.append(parts[-1])
            at += len(shown)
            continue
        at += 1
    return text, parts


def _link_at(text: str, at: int, missing: set[str]) -> tuple[int, int] | None:
    """Return where `](` and `)` of a link `[shown](url)` are; None if no link begins here. Adds to `missing`."""
    if text[at] != "[" or "]" in missing:
        return None
    middle = text.find("]", at)
    if middle == -1:
        missing.add("]")
        return None
    if not text.startswith("](", middle) or ")" in missing:
        return None
    end = text.find(")", middle + 2)
    if end == -1:
        missing.add(")")
        return None
    return middle, end


def _html(text: str) -> tuple[str, list[Object]]:
    reader = _Html()
    reader.feed(text)
    reader.parts.reverse()
    return reader.text, sorted(reader.parts, key=lambda part: part["offset"])


class _Html(HTMLParser):
    """Collects text and marked parts; a tag nested in itself marks nothing."""

    def __init__(self) -> None:
        """Start with an empty text."""
        super().__init__()
        self.text = ""
        self.parts: list[Object] = []
        self._open: dict[str, Object] = {}
        self._tags: list[tuple[str, str | None]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Open a marked part."""
        shown, part = self._started(tag, {name: value or "" for name, value in attrs})
        self._tags.append((tag, shown))
        if part is not None and tag not in self._open:
            self._open[tag] = {**part, "offset": len(self.text), "length": 0}

    def handle_data(self, data: str) -> None:
        """Append text and extend the open parts."""
        tag, shown = self._tags[-1] if self._tags else ("", None)
        added = shown if tag == "a" and shown else data
        for part in self._open.values():
            part["length"] += len(added)
        self.text += added

    def handle_endtag(self, tag: str) -> None:
        """Close a marked part."""
        if self._tags:
            self._tags.pop()
        part = self._open.pop(tag, None)
        if part is not None:
            self.parts.append(part)

    def _started(self, tag: str, attrs: dict[str, str]) -> tuple[str | None, Object | None]:
        """Return the text that replaces a tag's content (mail addresses), and the part that the tag opens."""
        if tag in _TAGS:
            return None, {"type": _TAGS[tag]}
        if tag == "code" and "pre" not in self._open:
            return None, {"type": "code"}
        if tag == "a" and "href" in attrs:
            address = attrs["href"]
            if address.startswith("mailto:"):
                return address.removeprefix("mailto:"), {"type": "email"}
            return None, {"type": "text_url", "url": _from_units(address)}
        if tag == "tg-emoji" and attrs.get("emoji-id", "").isdigit():
            return None, {"type": "custom_emoji", "document_id": int(attrs["emoji-id"])}
        return None, None


def _stripped(text: str, parts: list[Object]) -> tuple[str, list[Object]]:
    """Remove whitespace at both ends of a text, and parts that become empty."""
    left = len(text) - len(text.lstrip())
    text = text.strip()
    remaining = []
    for part in parts:
        start, end = part["offset"] - left, part["offset"] + part["length"] - left
        start, end = max(start, 0), min(end, len(text))
        if part["length"] > 0 and end > start:
            remaining.append({**part, "offset": start, "length": end - start})
    return text, remaining


def _as_mention(part: Object) -> Object:
    """Turn a link to tg://user?id=… into a mention of the user."""
    match = _MENTION.match(part.get("url", ""))
    if match is None or match.group(1) is None:
        return part
    return {
        **{name: value for name, value in part.items() if name != "url"},
        "type": "mention_name",
        "user_id": int(match[1]),
    }


def _part(kind: str, offset: int, length: int, **more: Any) -> Object:
    return {"type": kind, "offset": offset, "length": length, **more}


def _to_units(text: str) -> str:
    """Split each character beyond the basic plane into two surrogates, so that indices count UTF-16 units."""
    data = text.encode("utf-16-le", "surrogatepass")
    return "".join(chr(int.from_bytes(data[i : i + 2], "little")) for i in range(0, len(data), 2))


def _from_units(text: str) -> str:
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
