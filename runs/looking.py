"""Looking at results beside the gateway's other work: tables are counted in a thread, and once for the same lines."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, cast

from starlette.exceptions import HTTPException

from soundstage.runs.book import Book
from soundstage.runs.report import Comparison, Only, Report, compare, report
from soundstage.runs.results import ResultLine

CUT_BY = ("kind", "app", "language", "length", "tag")
"""What tables of results can be narrowed by, as the members of a query."""
_KEPT = 64


async def lines_of(book: Book, run: str) -> list[ResultLine]:
    """The lines of `results.jsonl` of a run's trials that are graded."""
    return [cast(ResultLine, result) for result in await book.results(run)]


def only_of(query: Mapping[str, str]) -> Only:
    """What a query narrows tables to; an empty value narrows nothing.

    Raises:
        HTTPException: 400, for a length that is no range.
    """
    told: dict[str, Any] = {name: query.get(name) or None for name in CUT_BY}
    if told["length"] is not None:
        least, _, most = told["length"].partition("-")
        if not (least.isdecimal() and most.isdecimal() and len(told["length"]) < 12):
            raise HTTPException(400, f"length={told['length'][:40]!r} is no range of the oracle's calls; right is 4-8")
        told["length"] = (int(least), int(most))
    return Only(**told)


async def report_of(lines: Sequence[ResultLine], only: Only = Only()) -> Report:  # noqa: B008 a frozen value
    """The tables of these results."""
    return await asyncio.to_thread(_reports, _Held(lines), only)


async def compared(first: Sequence[ResultLine], second: Sequence[ResultLine]) -> Comparison:
    """Two runs beside each other.

    Raises:
        HTTPException: 409, where nothing of one of them is graded yet.
    """
    if not first or not second:
        raise HTTPException(409, "no trial of one of these runs has been graded yet; compare them later")
    return await asyncio.to_thread(compare, first, second)


class _Held:
    """Results, told apart by the heads of their trials: equal ones need not be counted again."""

    def __init__(self, lines: Sequence[ResultLine]) -> None:
        self.lines = lines
        self._heads = tuple(f"{line['trial']} {line['head']}" for line in lines)

    def __hash__(self) -> int:
        return hash(self._heads)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Held) and self._heads == other._heads


@lru_cache(maxsize=_KEPT)
def _reports(held: _Held, only: Only) -> Report:
    return report(held.lines, only)
