"""Result tables for pages, computed in the background and cached for equal results."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from functools import lru_cache

from starlette.exceptions import HTTPException

from soundstage.runs.report import LineFilter, Report, report
from soundstage.runs.results import ResultLine

CUT_BY = ("kind", "app", "language", "length", "tag")
"""The query parameters that filter tables."""
_EVERY = LineFilter()
_CACHE_SIZE = 64


def filter_of(query: Mapping[str, str]) -> LineFilter:
    """Parse a query's filter; an empty value does not restrict.

    Raises:
        HTTPException: 400 for an invalid length range.
    """
    values = {name: query.get(name) or None for name in CUT_BY}
    length = values["length"]
    if length is None:
        return LineFilter(values["tag"], values["kind"], values["app"], values["language"])
    least, _, most = length.partition("-")
    if not (least.isdecimal() and most.isdecimal() and len(length) < 12):
        raise HTTPException(400, f"length={length[:40]!r} is not a range of the oracle's calls; write for example 4-8")
    return LineFilter(values["tag"], values["kind"], values["app"], values["language"], (int(least), int(most)))


async def report_of(lines: Sequence[ResultLine], line_filter: LineFilter = _EVERY) -> Report:
    """Compute the tables of these results."""
    return await asyncio.to_thread(_report, _CacheKey(lines), line_filter)


class _CacheKey:
    """A cache key of results: equal heads of trials mean equal results."""

    def __init__(self, lines: Sequence[ResultLine]) -> None:
        self.lines = lines
        self._heads = tuple(f"{line['trial']} {line['head']}" for line in lines)

    def __hash__(self) -> int:
        return hash(self._heads)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _CacheKey) and self._heads == other._heads


@lru_cache(maxsize=_CACHE_SIZE)
def _report(key: _CacheKey, line_filter: LineFilter) -> Report:
    return report(key.lines, line_filter)
