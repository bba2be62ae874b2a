"""The view of the machine: its load, memory, disks and network, and the busiest processes."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.monitor.rules import memory
from soundstage.kernels.monitor.rules.disks import mounts
from soundstage.kernels.monitor.rules.networks import interfaces
from soundstage.kernels.monitor.rules.processes import processes
from soundstage.kernels.monitor.rules.processors import usage
from soundstage.servers.view import Query, View

_MOST_PROCESSES = 25
_UNITS = ("B", "KB", "MB", "GB", "TB", "PB")


class _AtMoment(AppContext):
    """A context at a given time of its session's clock; viewing a page takes no step, which would carry the time."""

    def __init__(self, context: AppContext, now: datetime) -> None:
        self.__dict__.update(vars(context))
        self._moment = now

    def now(self) -> datetime:
        return self._moment


def show(context: AppContext, query: Query, now: datetime) -> View:
    """Show the metrics at the session's time."""
    context = _AtMoment(context, now)
    results = sorted(processes(context), key=lambda process: -process.cpu_percent)
    stored, swap = memory.virtual(context), memory.swap(context)
    data: dict[str, Any] = {
        "host": context.first("host"),
        "cores": [round(core, 1) for core in usage(context, each=True)],
        "memory": [_meter("Memory", stored["used"], stored["total"]), _meter("Swap", swap["used"], swap["total"])],
        "disks": [
            {**_meter(mount.mountpoint, mount.used, mount.total), "key": mount.mountpoint, "device": mount.device}
            for mount in mounts(context)
        ],
        "interfaces": [
            {
                "name": one.name,
                "down": one.down,
                "addrs": ", ".join(one.addrs),
                "sent": _size(one.packets[0] * one.bytes_each),
                "received": _size(one.packets[1] * one.bytes_each),
            }
            for one in interfaces(context)
        ],
        "processes": [
            {"pid": p.pid, "name": p.name, "user": p.username, "cpu": round(p.cpu_percent, 1), "rss": _size(p.rss)}
            for p in results[:_MOST_PROCESSES]
        ],
        "count": len(results),
    }
    return View("monitor.html.jinja", data)


def place(context: AppContext, entity: str, value: Object) -> Query | None:
    """Return the query for a row; everything is on one page."""
    return {} if entity in ("host", "process", "disk", "interface") else None


def _meter(name: str, used: float, total: float) -> dict[str, Any]:
    percent = min(max(used / total * 100 if total else 0, 0), 100)
    return {"name": name, "percent": round(percent, 1), "used": _size(used), "total": _size(total)}


def _size(amount: float) -> str:
    unit = 0
    while amount >= 1024 and unit < len(_UNITS) - 1:
        amount /= 1024
        unit += 1
    return f"{amount:.0f} {_UNITS[unit]}" if unit == 0 else f"{amount:.1f} {_UNITS[unit]}"
