"""Entries of `volatile` that people wrote in words, read as masks."""

from __future__ import annotations

import re
from collections.abc import Callable

_Reading = Callable[[re.Match[str]], list[str]]

_PHRASES: list[tuple[re.Pattern[str], _Reading]] = [
    (re.compile(r"line starting ['\"](.+)['\"]"), lambda m: [rf"re:(?m)^\s*{re.escape(m[1])}.*$"]),
    (re.compile(r"(.+): line"), lambda m: [rf"re:(?m)^\s*{re.escape(m[1])}:.*$"]),
    (re.compile(r"text after the (?:last )?colon"), lambda _: [r"re:(?<=[:：])[^:：]*\Z"]),
    (re.compile(r"every number and timestamp"), lambda _: [r"re:\d[\dTZ.,:+-]*"]),
    # The line, if present, is the last one: it is masked together with the blank line before it.
    (re.compile(r"cache info line\b.*"), lambda _: [r"re:\n*\*[^\n]*(?:API response|[Cc]ache)[^\n]*\*\s*\Z"]),
    (re.compile(r"system label set and order"), lambda _: [r"re:(?s)(?<=System Labels:\n).*?(?=\n*User Labels:)"]),
]
_REMARK = re.compile(r"\s*\([^()]*\)\s*$")
_LIST = re.compile(r"[\w-]+(?:\s*,\s*[\w-]+)+")


def in_masks(entry: str) -> list[str]:
    """Return the masks that an informal entry describes; empty if it is not understood.

    An entry may be a phrase of the table, a list of keys (`ids` means those named `id`), a mask with a remark in brackets, or
    several of these separated by semicolons.
    """
    result: list[str] = []
    for part in re.split(r";\s*", entry.strip()):
        if (read := _read(part)) is None:
            return []
        result += read
    return result


def _read(part: str) -> list[str] | None:
    for phrase, reading in _PHRASES:
        if (match := phrase.fullmatch(part)) is not None:
            return reading(match)
    if _LIST.fullmatch(part):
        return ["id" if key == "ids" else key for key in re.split(r"\s*,\s*", part)]
    if part.startswith(("re:", "$")):
        return [part if part.startswith("re:") else _REMARK.sub("", part)]
    return None
