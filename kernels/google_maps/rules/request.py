"""What every service looks at first, and arguments as the tool's own code reads them: nobody has checked their types."""

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
    """Let a request in by the server's key.

    Raises:
        Status: REQUEST_DENIED, OVER_QUERY_LIMIT.
    """
    key = context.first("api_key") or {}
    if key.get("valid") is False:
        raise Status("REQUEST_DENIED", "The provided API key is invalid. ")
    if key.get("over_query_limit"):
        raise Status("OVER_QUERY_LIMIT", "You have exceeded your rate-limit for this API.")


def written(arguments: Arguments, name: str) -> str:
    """An argument as a query parameter: whatever it is becomes text, an absent one the word undefined."""
    return text(arguments.get(name, UNDEFINED))


def mode_of(arguments: Arguments) -> str:
    """The mode as it goes upstream; an absent one is driving."""
    return text(arguments["mode"]) if "mode" in arguments else "driving"


def check_mode(mode: str) -> None:
    if mode not in MODES:
        raise invalid("mode")


def array(arguments: Arguments, name: str, method: str) -> list[Any]:
    """An argument that the tool calls an array's method of.

    Raises:
        GoogleError: JavaScript's words for what has no such method.
    """
    value = arguments.get(name, UNDEFINED)
    if isinstance(value, list):
        return value
    if value is None or value is UNDEFINED:
        raise thrown(f"Cannot read properties of {text(value)} (reading '{method}')")
    raise thrown(f"{name}.{method} is not a function")


def member(value: Any, name: str) -> str:
    """A member of what ought to be an object, as text.

    Raises:
        GoogleError: JavaScript's words for a member of null.
    """
    if value is None:
        raise thrown(f"Cannot read properties of null (reading '{name}')")
    return text(value.get(name, UNDEFINED) if isinstance(value, dict) else UNDEFINED)


def told(**members: Any) -> Object:
    """An object without the members that are undefined: JSON.stringify leaves them out."""
    return {name: value for name, value in members.items() if value is not None}


def location(point: Point) -> Object:
    return {"lat": point.lat, "lng": point.lng}
