"""The `list_directory_with_sizes` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.engines.collation import sort_key
from soundstage.kernels.engines.javascript import utf16_length
from soundstage.kernels.filesystem.rules import sizes
from soundstage.kernels.filesystem.rules.errors import Refusal
from soundstage.kernels.filesystem.rules.paths import valid_path
from soundstage.kernels.filesystem.rules.system import readdir, stat
from soundstage.kernels.types import Arguments

_NAME_WIDTH, _SIZE_WIDTH = 30, 10


def run(context: AppContext, arguments: Arguments) -> str:
    """List the entries of a folder with the sizes of files and their total."""
    path = valid_path(context, arguments["path"])
    entries = readdir(context, path)
    result = {name: _size(context, f"{path.rstrip('/')}/{name}") for name in entries}
    by_size = arguments["sortBy"] == "size"
    order = sorted(result, key=(lambda name: -result[name]) if by_size else sort_key)
    files = [name for name, kind in entries.items() if kind != "directory"]
    lines = [_line(name, result[name] if name in files else None) for name in order]
    total = sum(result[name] for name in files)
    summary = [
        "",
        f"Total: {len(files)} files, {len(entries) - len(files)} directories",
        f"Combined size: {sizes.format_size(total)}",
    ]
    return "\n".join([*lines, *summary])


def _size(context: AppContext, path: str) -> int:
    """Return the size of an entry; a symlink has the size of its target, or 0 if it is broken."""
    try:
        return stat(context, path).size
    except Refusal:
        return 0


def _line(name: str, size: int | None) -> str:
    padded = name + " " * (_NAME_WIDTH - utf16_length(name))
    mark, stated = ("[DIR]", "") if size is None else ("[FILE]", sizes.format_size(size).rjust(_SIZE_WIDTH))
    return f"{mark} {padded} {stated}"
