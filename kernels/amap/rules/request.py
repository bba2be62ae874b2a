"""Checks of all web services: the key, then required parameters, then their syntax."""

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
    """Check the key and that required parameters are not empty.

    Raises:
        Info: INVALID_USER_KEY, DAILY_QUERY_OVER_LIMIT or MISSING_REQUIRED_PARAMS.
    """
    key = context.first("api_key") or {}
    if key.get("valid") is False:
        raise Info(INVALID_USER_KEY)
    if key.get("over_query_limit"):
        raise Info(DAILY_QUERY_OVER_LIMIT)
    if "" in required:
        raise Info(MISSING_REQUIRED_PARAMS)


def point(text: str) -> Point:
    """Parse "longitude,latitude".

    Raises:
        Info: INVALID_PARAMS.
    """
    result = parse_lng_lat(text)
    if result is None:
        raise Info(INVALID_PARAMS)
    return result


def written(place: Point) -> str:
    """Format a point like AMap, with six decimals."""
    return f"{place.lng:.6f},{place.lat:.6f}"
