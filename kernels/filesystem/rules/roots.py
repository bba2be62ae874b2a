"""The machine that the server runs on, and the folders that it was started with."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext

_DEFAULT_ROOTS = ["/srv/workspace"]
_DEFAULTS = {"home": "/home/agent", "time_zone": "UTC"}


def started_with(context: AppContext) -> list[str]:
    """The folders of the command line, as they were written there."""
    return [row["path"] for row in context.list("allowed_directory")] or _DEFAULT_ROOTS


def allowed(context: AppContext) -> list[str]:
    """The folders that the server lets in: each as it was written, and where it leads when it is a symlink."""
    found: list[str] = []
    for root in started_with(context):
        found.append(root)
        if (place := context.disk.resolve(root)) != root:
            found.append(place)
    return found


def setting(context: AppContext, name: str) -> str:
    """A setting of the machine: `home`, `time_zone`."""
    row = context.get("setting", name)
    return str(row["value"]) if row is not None and row.get("value") else _DEFAULTS[name]
