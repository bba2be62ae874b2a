"""The cache of the server process: results are reused until they expire.

Source: src/cache/manager.ts and config.ts of JamesANZ/medical-mcp c004e88, with its defaults.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import permutations
from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.clock import iso, parse_moment, to_ms
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.medical.rules.sources import Sources

MOST_ENTRIES = 1000
_SWEEP = timedelta(minutes=5)

HOUR = 3600
DAY = 24 * HOUR

Params = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Operation:
    """A cached operation and its time to live in seconds."""

    source: str
    name: str
    seconds: int
    ask: Callable[[Sources, Params], Any]


@dataclass(frozen=True, slots=True)
class Findings:
    """The result of an operation, and the line that reports whether it was cached."""

    data: Any
    line: str


def remembered(context: AppContext, operation: Operation, params: Mapping[str, Any]) -> Findings:
    """Run an operation or return its cached result; parameters with the value None are omitted."""
    parameters = {name: value for name, value in params.items() if value is not None}
    _sweep(context)
    entry = _entry(context, operation, parameters)
    now = context.now()
    if entry is not None and now > parse_moment(entry["expiresAt"]):
        context.delete("cache_entry", entry["id"])
        entry = None
    if entry is not None:
        _count(context, "hits")
        context.update("cache_entry", entry["id"], {"lastAccessed": _written(now)})
        return Findings(_data(context, operation, entry), f"\n\n*📦 Cached ({_age(entry, now)}s old)*")
    _count(context, "misses")
    sources = Sources(context)
    data = operation.ask(sources, parameters)
    context.wait(sources.waited_ms)
    _keep(context, operation, parameters, data, now + timedelta(milliseconds=sources.waited_ms))
    return Findings(data, "\n\n*🔄 Fresh API response*")


def what_is_kept(context: AppContext, operations: Mapping[str, Operation]) -> list[tuple[datetime, Any]]:
    """Return the creation time and content of each entry. Expired entries count until they are swept."""
    swept = _next_sweep(context)
    return [
        (parse_moment(entry["timestamp"]), _data(context, operations[entry["operation"]], entry))
        for entry in context.list("cache_entry")
        if swept is None or parse_moment(entry["expiresAt"]) >= swept
    ]


def _entry(context: AppContext, operation: Operation, params: Params) -> Object | None:
    """Return the entry with these parameters in any order, or None."""
    orders = [dict(order) for order in permutations(params.items())]
    return context.first("cache_entry", {"source": operation.source, "operation": operation.name, "params in": orders})


def _data(context: AppContext, operation: Operation, entry: Object) -> Any:
    """Return the content of an entry. A recorded entry may state what the source contained at that time."""
    if "found" in entry:
        return entry["found"]
    then = _rows(entry["data"]) if "data" in entry else None
    return operation.ask(Sources(context, as_before=True, then=then), entry["params"])


def _rows(data: list[Object] | Object | None) -> list[Object]:
    return data if isinstance(data, list) else [data] if data else []


def _age(entry: Object, now: datetime) -> int:
    """Return the age in whole seconds; at least 0, because a stopped clock excludes the server's own waiting time."""
    return max(0, int((now - parse_moment(entry["timestamp"])).total_seconds()))


def _keep(context: AppContext, operation: Operation, params: Params, data: Any, now: datetime) -> None:
    size = context.count("cache_entry")
    if size >= MOST_ENTRIES:
        _forget_oldest(context, max(-(-size // 10), size - MOST_ENTRIES + 1))
    context.create(
        "cache_entry",
        {
            "source": operation.source,
            "operation": operation.name,
            "params": params,
            "timestamp": _written(now),
            "expiresAt": _written(now + timedelta(seconds=operation.seconds)),
            "lastAccessed": _written(now),
            "found": data,
        },
    )


def _forget_oldest(context: AppContext, number: int) -> None:
    """Remove the least recently used entries."""
    entries = context.list("cache_entry")
    entries.sort(
        key=lambda entry: parse_moment(entry["lastAccessed"] if "lastAccessed" in entry else entry["timestamp"])
    )
    for entry in entries[:number]:
        context.delete("cache_entry", entry["id"])


def _count(context: AppContext, counter: str) -> None:
    cache = _cache(context)
    context.update("cache", cache["id"], {counter: cache.get(counter, 0) + 1})


def _cache(context: AppContext) -> Object:
    return context.first("cache") or context.create("cache", {"hits": 0, "misses": 0})


def _sweep(context: AppContext) -> None:
    """Remove the entries that had expired at the last sweep. Sweeps run every five minutes from the first call on."""
    cache, swept = _cache(context), _next_sweep(context)
    if swept is not None:
        for entry in context.list("cache_entry"):
            if parse_moment(entry["expiresAt"]) < swept:
                context.delete("cache_entry", entry["id"])
    if swept is not None or "swept" not in cache:
        context.update("cache", cache["id"], {"swept": _written(swept or context.now())})


def _next_sweep(context: AppContext) -> datetime | None:
    """Return the time of the last sweep that is due but not yet simulated, or None."""
    cache = context.first("cache")
    if cache is None or "swept" not in cache:
        return None
    before = parse_moment(cache["swept"])
    sweeps = (context.now() - before) // _SWEEP
    return before + sweeps * _SWEEP if sweeps > 0 else None


def _written(moment: datetime) -> str:
    return iso(to_ms(moment))
