"""Failures of Google's web services: their messages, and node-fetch's errors for connections."""

from __future__ import annotations

from soundstage.kernels.errors import ErrorKind
from soundstage.kernels.google_maps.rules.errors import GoogleError, Status, failed, thrown
from soundstage.servers.faults import Hit, worded
from soundstage.servers.reply import Answer

SOURCES = {
    "rate_limit": "recorded: the message of OVER_QUERY_LIMIT",
    "unavailable": "node-fetch's FetchError where the answer of a proxy (503) is a page and no JSON: no status is read",
    "server_error": "Google's list of statuses, UNKNOWN_ERROR (https://developers.google.com/maps/documentation/directions)",
    "auth_expired": "Google's message for a key that has expired (REQUEST_DENIED)",
    "timeout": "node-fetch's FetchError where a connection comes to nothing; the server sets no limit itself",
}
_SERVICES = {
    "maps_geocode": ("geocode", "Geocoding"),
    "maps_reverse_geocode": ("geocode", "Reverse geocoding"),
    "maps_search_places": ("place/textsearch", "Place search"),
    "maps_place_details": ("place/details", "Place details request"),
    "maps_distance_matrix": ("distancematrix", "Distance matrix request"),
    "maps_elevation": ("elevation", "Elevation request"),
    "maps_directions": ("directions", "Directions request"),
}
"""The service that each tool queries, and its prefix."""


def rate_limit(hit: Hit) -> Answer:
    """Return the reply to a call that exceeds the rate limit."""
    return _refused(hit, "rate_limited", "OVER_QUERY_LIMIT", "You have exceeded your rate-limit for this API.")


def server_error(hit: Hit) -> Answer:
    """Return the reply to a call that fails with a server error."""
    return _refused(hit, "internal", "UNKNOWN_ERROR")


def auth_expired(hit: Hit) -> Answer:
    """Return the reply after the login has expired."""
    return _refused(hit, "unauthorized", "REQUEST_DENIED", "The provided API key is expired. ")


def unavailable(hit: Hit) -> Answer:
    """Return the reply while the service is unavailable."""
    reason = "Unexpected token '<', \"<!DOCTYPE \"... is not valid JSON"
    return _thrown(hit, f"invalid json response body at {_address(hit)} reason: {reason}")


def timeout(hit: Hit) -> Answer:
    """Return the reply to a call that times out."""
    return _thrown(hit, f"request to {_address(hit)} failed, reason: connect ETIMEDOUT 203.0.113.95:443")


def _address(hit: Hit) -> str:
    return f"https://maps.googleapis.com/maps/api/{_SERVICES[hit.tool.name][0]}/json"


def _refused(hit: Hit, kind: ErrorKind, status: str, message: str | None = None) -> Answer:
    error = failed(_SERVICES[hit.tool.name][1], Status(status, message))
    return worded(hit, GoogleError(kind, error.message))


def _thrown(hit: Hit, message: str) -> Answer:
    return worded(hit, GoogleError("unavailable", thrown(message).message))
