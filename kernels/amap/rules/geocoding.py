"""Geocoding and reverse geocoding (v3/geocode/geo and v3/geocode/regeo)."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.geometry import metres, parse_lng_lat
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.amap.rules.errors import ENGINE_RESPONSE_DATA_ERROR, Info
from soundstage.kernels.amap.rules.request import admit, point, written
from soundstage.kernels.engines.places import addresses
from soundstage.kernels.engines.places.addresses import Spot
from soundstage.kernels.engines.places.atlas import Atlas, atlas_of

_LEVELS = {
    "country": "国家",
    "province": "省",
    "city": "市",
    "district": "区县",
    "street": "道路",
    "number": "门牌号",
    "crossing": "道路交叉路口",
    "venue": "兴趣点",
}
_MUNICIPALITIES = frozenset({"110000", "120000", "310000", "500000"})
_NEAR = 10_000
"""Maximum distance in metres of the known point that represents a place."""


def geocodes(context: AppContext, address: str, city: str | None) -> list[Object]:
    """Return the geocodes of an address, restricted to `city` (name or code) if given.

    Raises:
        Info: The access checks of `admit` failed, or ENGINE_RESPONSE_DATA_ERROR for no result.
    """
    admit(context, address)
    source = context.source("geocode")
    results: list[Object] = []
    if source != "library":
        rows = [row for row in context.list("geocode") if row.get("location")]
        results += [row for row in rows if address in row["formatted_address"] and (not city or _lies_in(row, city))]
    if source != "own":
        atlas = atlas_of(context)
        results += [_geocode(atlas, spot) for spot in addresses.find(atlas, address, city)]
    if not results:
        raise Info(ENGINE_RESPONSE_DATA_ERROR)
    return results


def component(context: AppContext, location: str) -> Object:
    """Return province, city and district of a point, each [] if there is none.

    Raises:
        Info: The checks of `admit` or `point` failed.
    """
    admit(context, location)
    place = point(location)
    source = context.source("geocode")
    if source != "library":
        known = ((at, row) for row in context.list("geocode") if (at := parse_lng_lat(row.get("location") or "")))
        nearest = min(((metres(place, at), row) for at, row in known), key=lambda pair: pair[0], default=None)
        if nearest is not None and nearest[0] <= _NEAR:
            return nearest[1]
    spot = addresses.at(atlas_of(context), place) if source != "own" else None
    return _geocode(atlas_of(context), spot) if spot else {}


def _lies_in(row: Object, city: str) -> bool:
    """Return whether a row is in the city or district with this name or code; 990100 is the city of 990102."""
    adcode = str(row.get("adcode", ""))
    if city.isdigit() and city.endswith("00") and adcode.startswith(city[:4] if city[2:4] != "00" else city[:2]):
        return True
    names = [row.get("city"), row.get("district")]
    short = [name[:-1] for name in names if isinstance(name, str)]
    return city in (*names, *short, row.get("citycode"), adcode)


def _geocode(atlas: Atlas, spot: Spot) -> Object:
    """Return a place of the library in the service's format; for a municipality only the province has a name."""
    chain = atlas.chain(spot.adcode)
    city = chain.get("city")
    municipal = city is not None and city.adcode in _MUNICIPALITIES
    names = {level: chain[level].zh if level in chain else [] for level in ("country", "province", "city", "district")}
    if municipal and city is not None:
        names |= {"province": city.zh, "city": []}
    numbered = spot.number is not None
    return {
        **names,
        "citycode": city.citycode if city else [],
        "street": spot.street.zh if spot.street and (numbered or spot.venue is None) else [],
        "number": f"{spot.number}号" if numbered else [],
        "adcode": spot.adcode,
        "location": written(spot.point),
        "level": _LEVELS[spot.level],
    }
