"""The `maps_ip_location` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.amap.rules.errors import INVALID_PARAMS, Info, failed
from soundstage.kernels.amap.rules.request import admit
from soundstage.kernels.amap.rules.shown import only
from soundstage.kernels.engines.places.atlas import atlas_of
from soundstage.kernels.engines.places.ground import area_of_ip, parse_ip
from soundstage.kernels.types import Arguments

_SHOWN = ("province", "city", "adcode", "rectangle")


def run(context: AppContext, arguments: Arguments) -> Object:
    """Locate an IP address: {province, city, adcode, rectangle}, each [] if it is unknown."""
    try:
        return _located(context, arguments["ip"])
    except Info as refusal:
        raise failed("IP Location", refusal) from None


def _located(context: AppContext, ip: str) -> Object:
    admit(context, ip)
    address = parse_ip(ip)
    if address is None:
        raise Info(INVALID_PARAMS)
    source = context.source("ip_location")
    row = context.get("ip_location", ip) if source != "library" else None
    if row is not None:
        return only(row, *_SHOWN)
    atlas = atlas_of(context)
    area = area_of_ip(atlas, address) if source != "own" else None
    if area is None:
        return {name: [] for name in _SHOWN}
    province = atlas.chain(area.adcode)["province"]
    return {"province": province.zh, "city": area.zh, "adcode": area.adcode, "rectangle": area.bounds}
