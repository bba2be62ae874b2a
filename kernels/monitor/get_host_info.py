"""The `get_host_info` tool."""

from __future__ import annotations

from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.monitor.rules.errors import Refusal
from soundstage.kernels.monitor.rules.figures import boot_time, formatted, uptime
from soundstage.kernels.monitor.rules.processes import processes
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> dict[str, Any]:
    """Return the machine, its boot time and the logged-in users, which are unavailable in a container."""
    host = context.first("host")
    if host is None:
        reason = "open /var/run/utmp: no such file or directory"
        raise Refusal("unavailable", f"Failed to get user information: {reason}")
    booted, seconds = boot_time(context), uptime(context)
    info = {
        "hostname": host["hostname"],
        "uptime": seconds,
        "bootTime": booted,
        "procs": len(processes(context)),
        "os": "linux",
        "platform": "debian",
        "platformFamily": "debian",
        "platformVersion": "12.12",
        "kernelVersion": "6.1.0-40-amd64",
        "kernelArch": "x86_64",
        "virtualizationSystem": "kvm",
        "virtualizationRole": "guest",
        "hostId": f"{context.drawn('machine-id'):016x}".ljust(32, "0"),
    }
    return {
        "boot_time": booted,
        "boot_time_formatted": formatted(booted),
        "info": info,
        "uptime": seconds,
        "uptime_formatted": _in_words(seconds),
        "users": host.get("users") or None,
    }


def _in_words(seconds: int) -> str:
    minutes, rest = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    return f"{days} days {hours} hours {minutes} minutes {rest} seconds"
