"""The `map_ip_location` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.baidu_maps.rules.errors import Refused, api_error
from soundstage.kernels.baidu_maps.rules.request import admit
from soundstage.kernels.engines.places.atlas import Area, Atlas, atlas_of
from soundstage.kernels.engines.places.ground import area_of_ip, is_ip, parse_ip
from soundstage.kernels.types import Arguments

_OWN = "203.0.113.7"
"""The IP address of the server itself."""
_DEGREE = 111319.49
"""Metres of a degree along the equator in Baidu's projection."""


def run(context: AppContext, arguments: Arguments) -> Object:
    """Locate an IP address, by default that of the server: {address, content: {address, address_detail, point}, status}."""
    ip = arguments.get("ip", "")
    try:
        admit(context)
        result = _located(context, "" if ip is None else f"{ip}")  # httpx sends None as an empty string
    except Refused as refused:
        raise api_error(refused) from None
    return {**result, "status": 0}


def _located(context: AppContext, ip: str) -> Object:
    if ip and not is_ip(ip):
        raise Refused("invalid", "Request Parameter Error:ip illegal")
    source = context.source("ip_location")
    if source != "library":
        row = context.get("ip_location", ip) if ip else context.first("ip_location")
        if row is not None:
            return {"address": row.get("address"), "content": row.get("content")}
    number = parse_ip(ip or _OWN)
    atlas = atlas_of(context)
    area = area_of_ip(atlas, number) if number is not None and source != "own" else None
    if area is None:
        raise Refused("not_found", f"Internal Service Error:ip[{ip}] loc failed")
    return _described(atlas, area)


def _described(atlas: Atlas, area: Area) -> Object:
    province = atlas.chain(area.adcode)["province"].zh
    x, y = (area.mercator or f"{area.point.lng * _DEGREE:.2f},{area.point.lat * _DEGREE * 1.0437:.2f}").split(",")
    detail = {"adcode": area.adcode, "city": area.zh, "city_code": area.baidu_code, "district": ""}
    return {
        "address": f"CN|{province}|{area.zh}|None|None|100|100",
        "content": {
            "address": f"{province}{area.zh}",
            "address_detail": {**detail, "province": province, "street": "", "street_number": ""},
            "point": {"x": x, "y": y},
        },
    }
