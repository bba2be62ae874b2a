"""The `maps_regeocode` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.amap.rules.errors import Info, failed
from soundstage.kernels.amap.rules.geocoding import component
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> Object:
    """Return the province, city and district of a point, each [] if there is none."""
    try:
        result = component(context, arguments["location"])
    except Info as refusal:
        raise failed("RGeocoding", refusal) from None
    return {name: result.get(name) or [] for name in ("province", "city", "district")}
