"""The files and folders below a folder whose path from it is the pattern, in which stars stand for anything but a slash."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.files.rules.paths import folder
from soundstage.kernels.types import Arguments, Reply


def fits(text: str, pattern: str) -> bool:
    first, *rest = pattern.split("*")
    if not rest:
        return text == pattern
    if not text.startswith(first):
        return False
    at = len(first)
    for part in rest[:-1]:
        at = text.find(part, at)
        if at < 0:
            return False
        at += len(part)
    return len(text) - len(rest[-1]) >= at and text.endswith(rest[-1]) and "/" not in text


def run(context: AppContext, arguments: Arguments) -> Reply:
    whole, without = folder(context, arguments["path"]), arguments.get("excludePatterns") or []
    found = []
    for one in context.list("entry"):
        below = one["path"].removeprefix(f"{whole}/")
        left_out = any(fits(below, pattern) for pattern in without)
        if one["path"].startswith(f"{whole}/") and fits(below, arguments["pattern"]) and not left_out:
            found.append(one["path"])
    said = "\n".join(sorted(found)) or "No matches found"
    return said, {"content": said}
