"""Failures of Baidu's web services: their messages, and httpx's errors for connections."""

from __future__ import annotations

from soundstage.kernels.baidu_maps.rules.errors import BaiduError, Refused, api_error
from soundstage.kernels.errors import ErrorKind
from soundstage.servers.faults import Hit, worded
from soundstage.servers.reply import Answer

SOURCES = {
    "rate_limit": "Baidu's list of status codes, 401 (https://lbsyun.baidu.com/index.php?title=webapi/appendix)",
    "unavailable": "httpx's HTTPStatusError of `raise_for_status` (503), which the server passes on",
    "server_error": "Baidu's list of status codes, 1",
    "auth_expired": "Baidu's list of status codes, 200, as recorded of a bad key",
    "timeout": "httpx's ConnectTimeout after its five seconds, whose text is empty",
}
_SERVICES = {
    "map_geocode": "geocoding/v3/",
    "map_reverse_geocode": "reverse_geocoding/v3/",
    "map_search_places": "place/v3/region",
    "map_place_details": "place/v2/detail",
    "map_directions_matrix": "routematrix/v2/driving",
    "map_directions": "directionlite/v1/driving",
    "map_weather": "weather/v1/?",
    "map_ip_location": "location/ip",
    "map_road_traffic": "traffic/v1/road?",
    "map_poi_extract": "api_mark/v1/submit",
}


def rate_limit(hit: Hit) -> Answer:
    """Return the reply to a call that exceeds the rate limit."""
    return _refused(hit, "rate_limited", "当前并发量已经超过约定并发配额，限制访问")


def server_error(hit: Hit) -> Answer:
    """Return the reply to a call that fails with a server error."""
    return _refused(hit, "internal", "服务器内部错误")


def auth_expired(hit: Hit) -> Answer:
    """Return the reply after the login has expired."""
    return _refused(hit, "unauthorized", "APP不存在，AK有误请检查再重试")


def unavailable(hit: Hit) -> Answer:
    """Return the reply while the service is unavailable."""
    address = f"https://api.map.baidu.com/{_SERVICES[hit.tool.name]}"
    error = (
        f"Server error '503 Service Unavailable' for url '{address}'\n"
        "For more information check: https://developer.mozilla.org/en-US/docs/Web/HTTP/Status/503"
    )
    return worded(hit, BaiduError("unavailable", f"HTTP request failed: {error}"))


def timeout(hit: Hit) -> Answer:
    """Return the reply to a call that times out."""
    return worded(hit, BaiduError("unavailable", "HTTP request failed: "))


def _refused(hit: Hit, kind: ErrorKind, message: str) -> Answer:
    return worded(hit, api_error(Refused(kind, message)))
