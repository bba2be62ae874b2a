"""The server's machine, and the folders on its command line."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext

_DEFAULT_ROOTS = ["/srv/workspace"]
_DEFAULTS = {"home": "/home/agent", "time_zone": "UTC"}


def started_with(context: AppContext) -> list[str]:
    """Return the folders of the command line as written there."""
    return [row["path"] for row in context.list("allowed_directory")] or _DEFAULT_ROOTS


def allowed(context: AppContext) -> list[str]:
    """Return the allowed folders: each as written, and its target if it is a symlink."""
    results: list[str] = []
    for root in started_with(context):
        results.append(root)
        if (place := context.disk.resolve(root)) != root:
            results.append(place)
    return results


def setting(context: AppContext, name: str) -> str:
    """Return a setting of the machine: `home` or `time_zone`."""
    row = context.get("setting", name)
    return str(row["value"]) if row is not None and row.get("value") else _DEFAULTS[name]
