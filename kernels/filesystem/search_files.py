"""The `search_files` tool."""

from __future__ import annotations

from collections.abc import Iterator

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.filesystem.rules.errors import Refusal
from soundstage.kernels.filesystem.rules.glob import Glob, glob
from soundstage.kernels.filesystem.rules.paths import valid_path
from soundstage.kernels.filesystem.rules.system import readdir
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str:
    """Find everything below a folder whose relative path matches a glob; unreadable entries are skipped silently."""
    root = valid_path(context, arguments["path"])
    readdir(context, root)
    try:
        wanted, excluded = glob(arguments["pattern"]), [glob(pattern) for pattern in arguments["excludePatterns"]]
    except Refusal:
        return _NOTHING
    return "\n".join(_matches(context, root, "", wanted, excluded)) or _NOTHING


_NOTHING = "No matches found"


def _matches(context: AppContext, folder: str, start: str, wanted: Glob, excluded: list[Glob]) -> Iterator[str]:
    for name, kind in readdir(context, folder).items():
        path, relative = f"{folder.rstrip('/')}/{name}", start + name
        try:
            valid_path(context, path)
        except Refusal:
            continue
        if any(one.matches(relative) for one in excluded):
            continue
        if wanted.matches(relative):
            yield path
        if kind == "directory":
            yield from _matches(context, path, f"{relative}/", wanted, excluded)
