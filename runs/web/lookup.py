"""Convert missing runs and trials to HTTP errors."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import TypeVar

from starlette.exceptions import HTTPException

from soundstage.runs.store import UnknownRun

T = TypeVar("T")


async def or_not_found(wanted: Awaitable[T]) -> T:
    """Return a run or a trial.

    Raises:
        HTTPException: 404 if it does not exist.
    """
    try:
        return await wanted
    except UnknownRun as error:
        raise HTTPException(404, str(error)) from None
