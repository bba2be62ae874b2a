"""Failures of AMap's web services: their `info`, and the errors of `requests` for connections."""

from __future__ import annotations

from urllib.parse import urlencode

from soundstage.kernels.amap.rules.errors import AmapError
from soundstage.kernels.errors import ErrorKind
from soundstage.servers.faults import Hit, worded
from soundstage.servers.reply import Answer

SOURCES = {
    "rate_limit": "AMap's list of error codes, 10021 (https://lbs.amap.com/api/webservice/guide/tools/info)",
    "unavailable": "requests' HTTPError of `raise_for_status` (503), which the server passes on",
    "server_error": "AMap's list of error codes, 10016",
    "auth_expired": "AMap's list of error codes, 10013: the key was deleted",
    "timeout": "requests' ConnectTimeout as urllib3 words it; the server sets no limit itself",
}
_HOST = "restapi.amap.com"
_GEOCODING = ("/v3/geocode/geo", "Geocoding", {"address": "origin_address", "city": "origin_city"})
_SERVICES: dict[str, tuple[str, str]] = {
    "maps_regeocode": ("/v3/geocode/regeo", "RGeocoding"),
    "maps_geo": ("/v3/geocode/geo", "Geocoding"),
    "maps_ip_location": ("/v3/ip", "IP Location"),
    "maps_weather": ("/v3/weather/weatherInfo", "Get weather"),
    "maps_bicycling_by_coordinates": ("/v4/direction/bicycling", "Direction bicycling"),
    "maps_direction_walking_by_coordinates": ("/v3/direction/walking", "Direction Walking"),
    "maps_direction_driving_by_coordinates": ("/v3/direction/driving", "Direction Driving"),
    "maps_direction_transit_integrated_by_coordinates": (
        "/v3/direction/transit/integrated",
        "Direction Transit Integrated",
    ),
    "maps_distance": ("/v3/distance", "Direction Distance"),
    "maps_text_search": ("/v3/place/text", "Text Search"),
    "maps_around_search": ("/v3/place/around", "Around Search"),
    "maps_search_detail": ("/v3/place/detail", "Get poi detail"),
}
"""The service that each tool queries, and its prefix. Tools with addresses first query the geocoder."""
_KEY = "demo"


def rate_limit(hit: Hit) -> Answer:
    """Return the reply to a call that exceeds the rate limit."""
    return _refused(hit, "rate_limited", "CUQPS_HAS_EXCEEDED_THE_LIMIT")


def server_error(hit: Hit) -> Answer:
    """Return the reply to a call that fails with a server error."""
    return _refused(hit, "internal", "SERVER_IS_BUSY")


def auth_expired(hit: Hit) -> Answer:
    """Return the reply after the login has expired."""
    return _refused(hit, "unauthorized", "USER_KEY_RECYCLED")


def unavailable(hit: Hit) -> Answer:
    """Return the reply while the service is unavailable."""
    path, query = _request(hit)
    error = f"503 Server Error: Service Unavailable for url: https://{_HOST}{path}?{query}"
    return _answer(hit, "unavailable", f"Request failed: {error}")


def timeout(hit: Hit) -> Answer:
    """Return the reply to a call that times out."""
    path, query = _request(hit)
    connection = f"<HTTPSConnection(host='{_HOST}', port=443) at 0x7f3a5c1d2e90>"
    cause = f"ConnectTimeoutError({connection}, 'Connection to {_HOST} timed out. (connect timeout=None)')"
    pool = f"HTTPSConnectionPool(host='{_HOST}', port=443): Max retries exceeded with url: {path}?{query}"
    return _answer(hit, "unavailable", f"Request failed: {pool} (Caused by {cause})")


def _request(hit: Hit) -> tuple[str, str]:
    """Return path and query of the tool's first request."""
    if hit.tool.name in _SERVICES:
        return _SERVICES[hit.tool.name][0], urlencode({"key": _KEY, **hit.arguments})
    path, _, names = _GEOCODING
    parameters = {name: hit.arguments[given] for name, given in names.items() if hit.arguments.get(given)}
    return path, urlencode({"key": _KEY, **parameters})


def _refused(hit: Hit, kind: ErrorKind, info: str) -> Answer:
    doing = _SERVICES[hit.tool.name][1] if hit.tool.name in _SERVICES else "Geocoding"
    shown = (
        "None" if doing == "Direction bicycling" else info
    )  # the tool reads the reason from a member that does not exist
    return _answer(hit, kind, f"{doing} failed: {shown}")


def _answer(hit: Hit, kind: ErrorKind, message: str) -> Answer:
    by_address = hit.tool.name not in _SERVICES
    return worded(hit, AmapError(kind, f"Failed to geocode origin address: {message}" if by_address else message))
