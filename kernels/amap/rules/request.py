"""What every web service looks at first: the key, then what has to be there, then whether it can be read."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.geometry import Point, parse_lng_lat
from soundstage.kernels.amap.rules.errors import (
    DAILY_QUERY_OVER_LIMIT,
    INVALID_PARAMS,
    INVALID_USER_KEY,
    MISSING_REQUIRED_PARAMS,
    Info,
)


def admit(context: AppContext, *required: str) -> None:
    """Let a request in whose required parameters are not empty.

    Raises:
        Info: INVALID_USER_KEY, DAILY_QUERY_OVER_LIMIT, MISSING_REQUIRED_PARAMS.
    """
    key = context.first("api_key") or {}
    if key.get("valid") is False:
        raise Info(INVALID_USER_KEY)
    if key.get("over_query_limit"):
        raise Info(DAILY_QUERY_OVER_LIMIT)
    if "" in required:
        raise Info(MISSING_REQUIRED_PARAMS)


def point(text: str) -> Point:
    """A pair of "longitude,latitude".

    Raises:
        Info: INVALID_PARAMS.
    """
    found = parse_lng_lat(text)
    if found is None:
        raise Info(INVALID_PARAMS)
    return found


def written(place: Point) -> str:
    """A point as AMap writes it, with six decimals."""
    return f"{place.lng:.6f},{place.lat:.6f}"
