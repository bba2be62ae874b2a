"""Checks of all services, and unvalidated arguments as the tool's own code reads them."""

from __future__ import annotations

from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.geometry import Point
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.engines.javascript import UNDEFINED, text
from soundstage.kernels.google_maps.rules.errors import Status, invalid, thrown
from soundstage.kernels.types import Arguments

MODES = ("driving", "walking", "bicycling", "transit")


def admit(context: AppContext) -> None:
    """Check the server's key.

    Raises:
        Status: REQUEST_DENIED or OVER_QUERY_LIMIT.
    """
    key = context.first("api_key") or {}
    if key.get("valid") is False:
        raise Status("REQUEST_DENIED", "The provided API key is invalid. ")
    if key.get("over_query_limit"):
        raise Status("OVER_QUERY_LIMIT", "You have exceeded your rate-limit for this API.")


def written(arguments: Arguments, name: str) -> str:
    """Return an argument as a query parameter; a missing one is the word undefined."""
    return text(arguments.get(name, UNDEFINED))


def mode_of(arguments: Arguments) -> str:
    """Return the travel mode as sent to the service; the default is driving."""
    return text(arguments["mode"]) if "mode" in arguments else "driving"


def check_mode(mode: str) -> None:
    """Check the travel mode."""
    if mode not in MODES:
        raise invalid("mode")


def array(arguments: Arguments, name: str, method: str) -> list[Any]:
    """Return an argument on which the tool calls an array method.

    Raises:
        GoogleError: The value has no such method; the message is JavaScript's.
    """
    value = arguments.get(name, UNDEFINED)
    if isinstance(value, list):
        return value
    if value is None or value is UNDEFINED:
        raise thrown(f"Cannot read properties of {text(value)} (reading '{method}')")
    raise thrown(f"{name}.{method} is not a function")


def member(value: Any, name: str) -> str:
    """Return a member of an unvalidated object as text.

    Raises:
        GoogleError: The value is null; the message is JavaScript's.
    """
    if value is None:
        raise thrown(f"Cannot read properties of null (reading '{name}')")
    return text(value.get(name, UNDEFINED) if isinstance(value, dict) else UNDEFINED)


def present(**members: Any) -> Object:
    """Return an object without undefined members, like JSON.stringify."""
    return {name: value for name, value in members.items() if value is not None}


def location(point: Point) -> Object:
    """Return a point as {lat, lng}."""
    return {"lat": point.lat, "lng": point.lng}
