"""Checks of all services, and Baidu's format of points."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote, quote_plus

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.geometry import Point, parse_lat_lng
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.baidu_maps.rules.errors import KEY, BaiduError, Refused, invalid, not_found_page

_HOST = "https://api.map.baidu.com"
_PATH = "!$%&'()*+,-./:;=@[\\]^_|~"
_FRAGMENT = f"{_PATH}?{{}}#"
"""Characters that httpx does not escape in a path, and in a fragment."""


def admit(context: AppContext) -> None:
    """Check the server's key.

    Raises:
        Refused: The key is invalid or has exceeded its daily limit.
    """
    key = context.first("api_key") or {}
    if key.get("valid") is False:
        raise Refused("unauthorized", "APP不存在，AK有误请检查再重试")
    if key.get("over_query_limit"):
        raise Refused("limit", "天配额超限，限制访问")


def point(text: str) -> Point:
    """Parse "latitude,longitude".

    Raises:
        Refused: The text is not a point.
    """
    result = parse_lat_lng(text)
    if result is None:
        raise invalid()
    return result


def written(place: Point) -> Object:
    """Return a point in the format of responses."""
    return {"lng": place.lng, "lat": place.lat}


def of_row(value: Object | None) -> Point | None:
    """Return the point of a row."""
    if not value or "lng" not in value or "lat" not in value:
        return None
    return Point(float(value["lng"]), float(value["lat"]))


def no_page(path: str, **parameters: Any) -> BaiduError:
    """Return the error for a URL that the service does not have, such as that of an unknown `model`.

    The path is formatted like httpx: quoted, dots resolved, without its query, and with a fragment after the parameters. A
    control character is rejected before the request, which is not an HTTP error.
    """
    address = f"{_HOST}/{path}"
    for place, character in enumerate(address):
        if character.isascii() and not character.isprintable():
            message = f"Invalid non-printable ASCII character in URL, {character!r} at position {place}."
            return BaiduError("invalid", message)
    page, hash_, fragment = path.partition("#")
    request = {"ak": KEY, "output": "json", **parameters, "from": "py_mcp"}
    query = "&".join(f"{name}={quote_plus(str(value))}" for name, value in request.items())
    resolved = _resolved(quote(page.partition("?")[0], safe=_PATH))
    return not_found_page(f"{_HOST}/{resolved}?{query}{hash_ and fragment and '#'}{quote(fragment, safe=_FRAGMENT)}")


def _resolved(path: str) -> str:
    parts: list[str] = []
    for part in path.split("/"):
        if part == "..":
            del parts[-1:]
        elif part != ".":
            parts.append(part)
    return "/".join(parts)
