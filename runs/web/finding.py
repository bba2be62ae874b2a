"""What a page shows has to be there."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import TypeVar

from starlette.exceptions import HTTPException

from soundstage.runs.book import UnknownRun

T = TypeVar("T")


async def found(wanted: Awaitable[T]) -> T:
    """A run or a trial.

    Raises:
        HTTPException: 404, where there is none.
    """
    try:
        return await wanted
    except UnknownRun as error:
        raise HTTPException(404, str(error)) from None
