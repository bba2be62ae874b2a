"""The `directory_tree` tool."""

from __future__ import annotations

from typing import NotRequired, TypedDict

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.engines.javascript import indented
from soundstage.kernels.filesystem.rules.glob import Glob, glob
from soundstage.kernels.filesystem.rules.paths import valid_path
from soundstage.kernels.filesystem.rules.system import readdir
from soundstage.kernels.types import Arguments


class Branch(TypedDict):
    """A file, or a folder with a (possibly empty) list of children."""

    name: str
    type: str
    children: NotRequired[list[Branch]]


def run(context: AppContext, arguments: Arguments) -> str:
    """Return everything below a folder as a JSON tree."""
    root = valid_path(context, arguments["path"])
    entries = readdir(context, root)
    # without entries no pattern is parsed, so none is rejected
    excluded = [one for pattern in arguments["excludePatterns"] for one in _meanings(pattern)] if entries else []
    return indented(_below(context, root, "", excluded))


def _meanings(pattern: str) -> list[Glob]:
    """Return the globs of a pattern; without a star it also matches a name at any depth and everything below it."""
    if "*" in pattern:
        return [glob(pattern)]
    return [glob(pattern), glob(f"**/{pattern}"), glob(f"**/{pattern}/**")]


def _below(context: AppContext, folder: str, start: str, excluded: list[Glob]) -> list[Branch]:
    branches: list[Branch] = []
    for name, kind in readdir(context, folder).items():
        if any(one.matches(start + name) for one in excluded):
            continue
        if kind == "directory":
            children = _below(context, f"{folder.rstrip('/')}/{name}", f"{start}{name}/", excluded)
            branches.append({"name": name, "type": "directory", "children": children})
        else:
            branches.append({"name": name, "type": "file"})
    return branches
