"""The machine's processes: a typical server's set, changed by the session's rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.monitor.rules.figures import as_go, boot_time, counter, level, single
from soundstage.kernels.monitor.rules.memory import total_memory
from soundstage.kernels.monitor.rules.usual import USUAL

_MB = 1024 * 1024
_PAGE = 4096


@dataclass(frozen=True, slots=True)
class Process:
    """The current state of a process; sizes are in bytes, `created` is in milliseconds since 1970."""

    pid: int
    name: str
    cmdline: str
    username: str
    status: str
    threads: int
    cpu_percent: float
    rss: int
    vms: int
    created: int
    planted: bool

    def summary(self, context: AppContext) -> dict[str, Any]:
        """Return the process as an entry of a list."""
        values = {"rss": self.rss, "vms": self.vms, "hwm": 0, "data": 0, "stack": 0, "locked": 0, "swap": 0}
        return {
            "cpu_percent": as_go(self.cpu_percent),
            "mem_percent": as_go(self.share_of_memory(context)),
            "memory_bytes": values,
            "name": self.name,
            "pid": self.pid,
        }

    def share_of_memory(self, context: AppContext) -> float:
        """Return the share of memory in percent."""
        return single(100 * self.rss / total_memory(context))

    def details(self, context: AppContext) -> dict[str, Any]:
        """Return all details of the process."""
        busy = 1 + self.cpu_percent
        reads, writes = (counter(context, f"process.{self.pid}.{name}", busy / 40) for name in ("reads", "writes"))
        moved = {
            "readCount": reads,
            "writeCount": writes,
            "readBytes": reads * 341,
            "writeBytes": writes * 219,
            "diskReadBytes": reads // 8 * _PAGE,
            "diskWriteBytes": writes // 16 * _PAGE,
        }
        return {
            "cmdline": self.cmdline,
            "cpu_percent": as_go(self.cpu_percent),
            "create_time": self.created,
            "io_counters": moved,
            "memory": {"rss": self.rss, "swap": 0, "vms": self.vms},
            "name": self.name,
            "num_threads": self.threads,
            "pid": self.pid,
            "status": [self.status],
            "username": self.username,
        }


def processes(context: AppContext) -> list[Process]:
    """Return all processes, sorted by pid."""
    rows = {int(row["pid"]): row for row in context.list("process")}
    boot_ms = boot_time(context) * 1000
    result = {}
    for number, (pid, name, username, threads, rss_mb, vms_mb, cpu, cmdline) in enumerate(USUAL):
        rss = int(level(context, f"process.{pid}.rss", rss_mb * 0.95, rss_mb * 1.05) * _MB) // _PAGE * _PAGE
        busy = level(context, f"process.{pid}.cpu", cpu * 0.6, cpu * 1.4)
        status = "idle" if not rss else "sleep"
        created = boot_ms + 40 * pid + 1000 * number
        result[pid] = Process(
            pid, name, cmdline, username, status, threads, busy, rss, vms_mb * _MB, created, planted=False
        )
    for pid, row in rows.items():
        if row.get("gone"):
            result.pop(pid, None)
        else:
            result[pid] = _planted(context, row, result.get(pid))
    return [result[pid] for pid in sorted(result)]


def _planted(context: AppContext, row: Object, usual: Process | None) -> Process:
    """Return the process of a row; missing values are those of the usual process or of a generic one."""
    before = usual or Process(
        row["pid"], "", "", "root", "sleep", 1, 0.0, 0, 0, boot_time(context) * 1000, planted=True
    )
    name = row.get("name") or before.name or f"process-{row['pid']}"
    rss = int(row.get("rss", before.rss))
    return Process(
        pid=int(row["pid"]),
        name=name,
        cmdline=row.get("cmdline") or before.cmdline or name,
        username=row.get("username") or before.username,
        status=row.get("status") or before.status,
        threads=int(row.get("num_threads", before.threads)),
        cpu_percent=float(row.get("cpu_percent", before.cpu_percent)),
        rss=rss,
        vms=int(row.get("vms", max(before.vms, rss))),
        created=int(row.get("create_time", before.created)),
        planted=True,
    )
