"""The `get_cache_stats` tool."""

from __future__ import annotations

import math

import orjson

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.clock import iso, to_ms
from soundstage.kernels.engines.javascript import number_text, plain, utf16_length
from soundstage.kernels.medical.rules.cache import what_is_kept
from soundstage.kernels.medical.rules.operations import OPERATIONS
from soundstage.kernels.types import Arguments

_ENTRY_ITSELF = 200
_MEGABYTE = 1024 * 1024


def run(context: AppContext, arguments: Arguments) -> str:
    """Report the contents of the server's cache and its hit rate."""
    cache = context.first("cache") or {}
    hits, misses = cache.get("hits", 0), cache.get("misses", 0)
    stored = what_is_kept(context, OPERATIONS)
    size = sum(utf16_length(orjson.dumps(plain(data)).decode()) + _ENTRY_ITSELF for _, data in stored)
    moments = sorted(to_ms(moment) for moment, _ in stored)
    return (
        "**Cache Statistics**\n\n"
        f"Total Entries: {len(stored)}\n"
        f"Cache Hits: {hits}\n"
        f"Cache Misses: {misses}\n"
        f"Hit Rate: {_percent(hits, hits + misses)}%\n"
        f"Miss Rate: {_percent(misses, hits + misses)}%\n"
        f"Memory Usage (estimate): {size / _MEGABYTE:.2f} MB\n"
        + (f"Oldest Entry: {iso(moments[0])}\nNewest Entry: {iso(moments[-1])}\n" if moments else "")
    )


def _percent(part: int, whole: int) -> str:
    """Return a percentage with at most two decimals."""
    return number_text(math.floor(part / whole * 100 * 100 + 0.5) / 100) if whole else "0"
