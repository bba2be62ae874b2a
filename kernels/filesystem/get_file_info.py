"""The `get_file_info` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.filesystem.rules import moments
from soundstage.kernels.filesystem.rules.paths import valid_path
from soundstage.kernels.filesystem.rules.roots import setting
from soundstage.kernels.filesystem.rules.system import stat
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str:
    """Return the metadata of a file or folder."""
    entry, zone = stat(context, valid_path(context, arguments["path"])), setting(context, "time_zone")
    fields = {
        "size": str(entry.size),
        "created": moments.format_time(entry.created, zone),
        "modified": moments.format_time(entry.modified, zone),
        "accessed": moments.format_time(entry.accessed, zone),
        "isDirectory": "true" if entry.kind == "directory" else "false",
        "isFile": "true" if entry.kind == "file" else "false",
        "permissions": entry.mode,
    }
    return "\n".join(f"{name}: {value}" for name, value in fields.items())
