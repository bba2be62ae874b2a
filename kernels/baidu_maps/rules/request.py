"""What every service looks at first, and points as Baidu writes them."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote_plus

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.geometry import Point, parse_lat_lng
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.baidu_maps.rules.errors import KEY, BaiduError, Refused, invalid, not_found_page

_HOST = "https://api.map.baidu.com"


def admit(context: AppContext) -> None:
    """Let a request in by the server's key.

    Raises:
        Refused: for a key that is not good, or has asked for too much today.
    """
    key = context.first("api_key") or {}
    if key.get("valid") is False:
        raise Refused("unauthorized", "APP不存在，AK有误请检查再重试")
    if key.get("over_query_limit"):
        raise Refused("limit", "天配额超限，限制访问")


def point(text: str) -> Point:
    """A pair of "latitude,longitude".

    Raises:
        Refused: Parameter Invalid.
    """
    found = parse_lat_lng(text)
    if found is None:
        raise invalid()
    return found


def written(place: Point) -> Object:
    """A point as it stands in answers."""
    return {"lng": place.lng, "lat": place.lat}


def of_row(value: Object | None) -> Point | None:
    """A point as a row has it."""
    if not value or "lng" not in value or "lat" not in value:
        return None
    return Point(float(value["lng"]), float(value["lat"]))


def no_page(path: str, **parameters: Any) -> BaiduError:
    """The refusal of an address that the service does not have, such as that of an unknown `model`."""
    asked = {"ak": KEY, "output": "json", **parameters, "from": "py_mcp"}
    return not_found_page(f"{_HOST}/{path}?" + "&".join(f"{name}={quote_plus(str(v))}" for name, v in asked.items()))
