"""Tools with addresses: both ends are geocoded, the first hits are used, and the tool for coordinates plans the route."""

from __future__ import annotations

from collections.abc import Callable

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.amap.rules.errors import AmapError, Info, failed
from soundstage.kernels.amap.rules.geocoding import geocodes
from soundstage.kernels.types import Arguments


def between(context: AppContext, arguments: Arguments, route: Callable[[AppContext, str, str], Object]) -> Object:
    """Return the route between two addresses, together with the addresses.

    Raises:
        AmapError: An address cannot be geocoded, or the route fails.
    """
    ends = {
        end: {"address": arguments[f"{end}_address"], "coordinates": _located(context, arguments, end)}
        for end in ("origin", "destination")
    }
    result = route(context, ends["origin"]["coordinates"], ends["destination"]["coordinates"])
    return {**result, "addresses": ends}


def _located(context: AppContext, arguments: Arguments, end: str) -> str:
    try:
        first = geocodes(context, arguments[f"{end}_address"], arguments[f"{end}_city"])[0]
    except Info as refusal:
        error = failed("Geocoding", refusal)
        raise AmapError(error.kind, f"Failed to geocode {end} address: {error.message}") from None
    return str(first["location"])
