"""The `get_process_info` tool."""

from __future__ import annotations

import math
from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.monitor.rules.errors import Panic, Refusal
from soundstage.kernels.monitor.rules.processes import Process, processes
from soundstage.kernels.types import Arguments

_USUAL_LIMIT = 10
_INT32, _INT64 = 2**31, 2**63


def run(context: AppContext, arguments: Arguments) -> dict[str, Any]:
    """Return the busiest processes, or one process; the schema's defaults are not applied, and wrong types count as absent."""
    if "pid" in arguments:
        return _process(context, arguments["pid"]).details(context)
    limit = _limit(arguments.get("limit"))
    sort_by = arguments.get("sort_by")
    sort_by = sort_by if isinstance(sort_by, str) else ""
    result = _sorted(context, processes(context), sort_by)
    shown = [process.summary(context) for process in result[:limit]]
    return {
        "processes": shown if result else None,
        "returned_count": len(shown),
        "sort_by": sort_by,
        "total_count": len(result),
    }


def _process(context: AppContext, given: Any) -> Process:
    if not _is_number(given):
        raise Refusal("invalid", "PID must be a number")
    pid = int(given) if abs(given) < _INT32 else -_INT32  # the result of int32() for a float64 that is too large
    if pid <= 0:
        raise Refusal("invalid", f"Failed to get process information: invalid pid {pid}")
    result = next((process for process in processes(context) if process.pid == pid), None)
    if result is None:
        raise Refusal("not_found", "Failed to get process information: process does not exist")
    return result


def _limit(given: Any) -> int:
    """Return the number of processes to list. A limit that exceeds int becomes negative and crashes the process."""
    if not _is_number(given) or given <= 0:
        return _USUAL_LIMIT
    if given >= _INT64:
        raise Panic
    limit: int = math.floor(given)
    return limit


def _sorted(context: AppContext, results: list[Process], sort_by: str) -> list[Process]:
    match sort_by:
        case "memory":
            return sorted(results, key=lambda process: -process.share_of_memory(context))
        case "pid":
            return results
        case "name":
            return sorted(results, key=lambda process: process.name.encode())
        case _:
            return sorted(results, key=lambda process: -process.cpu_percent)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
