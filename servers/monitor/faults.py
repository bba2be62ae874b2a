"""Failures of the server's machine, and concurrent changes on it."""

from __future__ import annotations

from random import Random

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.errors import ErrorKind
from soundstage.kernels.monitor.rules.disks import mounts
from soundstage.kernels.monitor.rules.processes import processes
from soundstage.servers.faults import Hit, said
from soundstage.servers.reply import Answer

SOURCES = {
    "rate_limit": "Go's os package: EMFILE, as the process has too many files open",
    "unavailable": "Go's os package: /proc is not mounted",
    "server_error": "Go's os package: EIO",
    "auth_expired": "Go's os package: EACCES of a kernel with hidepid",
    "timeout": "context.DeadlineExceeded of Go",
}

_DOING = {
    "get_cpu_info": ("get CPU usage", "/proc/stat"),
    "get_memory_info": ("get memory information", "/proc/meminfo"),
    "get_disk_info": ("get disk usage information", "/proc/diskstats"),
    "get_network_info": ("get network IO counters", "/proc/net/dev"),
    "get_host_info": ("get host information", "/proc/uptime"),
    "get_process_info": ("get process list", "/proc"),
}


def rate_limit(hit: Hit) -> Answer:
    """Return the reply to a call that exceeds the rate limit."""
    return _refused(hit, "rate_limited", "too many open files")


def unavailable(hit: Hit) -> Answer:
    """Return the reply while the service is unavailable."""
    return _refused(hit, "unavailable", "no such file or directory")


def server_error(hit: Hit) -> Answer:
    """Return the reply to a call that fails with a server error."""
    return _refused(hit, "internal", "input/output error")


def auth_expired(hit: Hit) -> Answer:
    """Return the reply after the login has expired."""
    return _refused(hit, "unauthorized", "permission denied")


def timeout(hit: Hit) -> Answer:
    """Return the reply to a call that times out."""
    doing, _ = _DOING[hit.tool.name]
    return said(hit, f"Failed to {doing}: context deadline exceeded", "unavailable")


def process_ends(context: AppContext, random: Random) -> bool:
    """A process ends."""
    process = random.choice(processes(context))
    if context.get("process", process.pid) is None:
        context.create("process", {"pid": process.pid, "gone": True})
    else:
        context.update("process", process.pid, {"gone": True})
    return True


def disk_fills(context: AppContext, random: Random) -> bool:
    """A file system fills up."""
    mount = random.choice(mounts(context))
    if context.get("disk", mount.mountpoint) is None:
        context.create("disk", {"mountpoint": mount.mountpoint, "used": mount.total})
    else:
        context.update("disk", mount.mountpoint, {"used": mount.total})
    return True


DRIFTS = {"process_ends": process_ends, "disk_fills": disk_fills}


def _refused(hit: Hit, kind: ErrorKind, words: str) -> Answer:
    doing, file = _DOING[hit.tool.name]
    return said(hit, f"Failed to {doing}: open {file}: {words}", kind)
