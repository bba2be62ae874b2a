"""The machine's memory: its size and its usage, including processes of the session's rows."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.monitor.rules.figures import as_go, level

_GB = 1024**3
_TOTAL, _SWAP = 16 * _GB, 2 * _GB
_PAGE = 4096
_MOST = 0.985
"""Maximum share of memory in use; beyond it the system would kill processes."""

Sizes = dict[str, float]


def total_memory(context: AppContext) -> int:
    """Return the size of the memory in bytes."""
    return int(_host(context).get("memory_total") or _TOTAL)


def virtual(context: AppContext) -> Sizes:
    """Return `available`, `free`, `total` and `used` in bytes, and the usage in percent."""
    total = total_memory(context)
    used_bytes = _host(context).get("memory_used")
    planted = sum(int(row.get("rss") or 0) for row in context.list("process") if not row.get("gone"))
    usual = int(level(context, "memory.used", 0.30, 0.38) * total) + planted
    used = min(int(used_bytes) if used_bytes is not None else usual, int(total * _MOST)) // _PAGE * _PAGE
    cached = int((total - used) * level(context, "memory.cached", 0.45, 0.55)) // _PAGE * _PAGE
    free = total - used - cached
    return {
        "available": free + cached * 9 // 10,
        "free": free,
        "total": total,
        "used": used,
        "used_percent": as_go(used / total * 100),
    }


def swap(context: AppContext) -> Sizes:
    """Return `free`, `total` and `used` of the swap space in bytes, and the usage in percent (0 without swap)."""
    host = _host(context)
    total = int(host.get("swap_total", _SWAP))
    used = min(int(host.get("swap_used", level(context, "swap.used", 0.0, 0.04) * total)), total)
    percent = used / total * 100 if total else 0
    return {"free": total - used, "total": total, "used": used, "used_percent": as_go(percent)}


def _host(context: AppContext) -> Object:
    return context.first("host") or {}
