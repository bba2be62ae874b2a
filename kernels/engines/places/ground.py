"""Elevation, traffic and IP geolocation."""

from __future__ import annotations

from datetime import datetime
from ipaddress import AddressValueError, IPv4Address, ip_address

from soundstage.contexts.engine.geometry import Point, metres
from soundstage.contexts.engine.ids import keyed_digest
from soundstage.kernels.engines.places.atlas import Area, Atlas, Street
from soundstage.kernels.engines.places.weather import local

_FINE, _COARSE = 9.543951988220215, 152.7032318115234
"""Resolution of elevations in metres: in cities, and elsewhere."""
_LATTICE = 0.02
_RUSH = {7: 2, 8: 3, 9: 2, 12: 1, 17: 2, 18: 3, 19: 2}
"""How much traffic slows down at each hour of a weekday."""


def height(atlas: Atlas, point: Point) -> tuple[float, float]:
    """Return the elevation of a point and its resolution, both in metres.

    The library's value takes precedence; other elevations are interpolated from a deterministic lattice.
    """
    recorded = atlas.recorded_elevations.get(Point(round(point.lng, 6), round(point.lat, 6)))
    if recorded is not None:
        return recorded
    x, y = point.lng / _LATTICE, point.lat / _LATTICE
    west, south = int(x // 1), int(y // 1)
    right, up = _smooth(x - west), _smooth(y - south)
    low = _corner(west, south) * (1 - right) + _corner(west + 1, south) * right
    high = _corner(west, south + 1) * (1 - right) + _corner(west + 1, south + 1) * right
    near = any(metres(point, node) < 3000 for node in list(atlas.nodes.values())[::20])
    return round(low * (1 - up) + high * up, 6), _FINE if near else _COARSE


def _smooth(part: float) -> float:
    return part * part * (3 - 2 * part)


def _corner(x: int, y: int) -> float:
    return int.from_bytes(keyed_digest(0, f"places.height.{x}", y)[:4], "big") % 4000 / 100


def traffic(atlas: Atlas, street: Street, moment: datetime) -> int:
    """Return a street's traffic in the current hour: 1 clear, 2 slow, 3 congested, 4 jammed."""
    here = local(moment)
    recorded = atlas.recorded_traffic.get((street.id, here.date().isoformat()))
    if recorded is not None:
        return recorded
    drawn = keyed_digest(0, f"places.traffic.{street.id}", here.toordinal() * 24 + here.hour)[0] % 10
    rush = _RUSH.get(here.hour, 0) if here.weekday() < 5 else _RUSH.get(here.hour, 0) // 2
    return 1 + sum(drawn < limit for limit in (2 + 2 * rush, rush + 1 if rush else 0, 1 if rush > 2 else 0))


def speed(street: Street, moment: datetime, status: int) -> float:
    """Return the speed of cars in km/h on a street with this traffic status, with one decimal."""
    drawn = keyed_digest(0, f"places.speed.{street.id}", local(moment).toordinal() * 24 + local(moment).hour)[0] % 50
    return round((38.0, 22.0, 13.0, 6.0)[status - 1] + drawn / 10, 1)


def parse_ip(text: str) -> int | None:
    """Return an IPv4 address as a number, or None if the text is not one."""
    try:
        return int(IPv4Address(text))
    except AddressValueError:
        return None


def is_ip(text: str) -> bool:
    """Return whether a text is an IPv4 or IPv6 address."""
    try:
        ip_address(text)
    except ValueError:
        return False
    return True


def area_of_ip(atlas: Atlas, address: int) -> Area | None:
    """Return the city to which an IP address belongs, or None."""
    for first, last, adcode in atlas.ip_ranges:
        if first <= address <= last:
            return atlas.areas[adcode]
    return None
