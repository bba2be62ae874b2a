"""The `get_disk_info` tool."""

from __future__ import annotations

from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.monitor.rules.disks import counters, mount_of, partitions
from soundstage.kernels.monitor.rules.errors import Refusal
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> dict[str, Any]:
    """Return the usage of the file system of a path; the schema's default is not applied, so no path means no result."""
    given = arguments.get("path")
    path = given if isinstance(given, str) else ""
    mount = mount_of(context, path)
    if mount is None:
        raise Refusal("not_found", "Failed to get disk usage information: no such file or directory")
    fields: dict[str, Any] = {"io_counters": counters(context)}
    if arguments.get("all_partitions") is True:
        fields["partitions"] = partitions(context)
    return {**dict(sorted({**fields, "path": path}.items())), "usage": mount.usage(path)}
