"""Geocoding and reverse geocoding (geocoding/v3 and reverse_geocoding/v3)."""

from __future__ import annotations

from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.geometry import Point, metres, sector
from soundstage.contexts.engine.geometry import heading as heading_of
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.baidu_maps.rules.errors import Refused
from soundstage.kernels.baidu_maps.rules.request import admit, written
from soundstage.kernels.engines.places import addresses
from soundstage.kernels.engines.places.addresses import Spot
from soundstage.kernels.engines.places.atlas import Atlas, atlas_of

_LONGEST = 84
"""Maximum length of an address in bytes."""
_NEAR = 10_000
"""Maximum distance in metres of the known point that represents a place."""
_PRECISION: dict[str, tuple[int, int, str]] = {
    "number": (1, 80, "门址"),
    "venue": (0, 60, "生活服务"),
    "crossing": (1, 75, "交叉路口"),
    "street": (0, 50, "道路"),
    "district": (0, 20, "区县"),
    "city": (0, 20, "城市"),
    "province": (0, 10, "省"),
    "country": (0, 10, "国家"),
}
_VENUE_LEVELS = {"station": "火车站", "park": "旅游景点", "sight": "旅游景点", "school": "教育", "hospital": "医疗"}
SECTORS = ("北", "东北", "东", "东南", "南", "西南", "西", "西北")


def geocode(context: AppContext, address: str, is_china: str) -> Object:
    """Geocode an address: {location: {lng, lat}, precise, confidence, comprehension, level}.

    Raises:
        Refused: The checks of `admit` failed; the address is empty, too long or not found (without a message).
    """
    admit(context)
    if not address or len(address.encode()) > _LONGEST:
        raise Refused("invalid", None)
    source = context.source("geocode")
    if source != "library":
        for row in context.list("geocode"):
            if address in row["address"]:
                location = {"location": {"lng": row["lng"], "lat": row["lat"]}}
                names = {"precise": 1, "confidence": 80, "comprehension": 100, "level": "门址"}
                return {**location, **{name: row.get(name, usual) for name, usual in names.items()}}
    if source != "own":
        atlas = atlas_of(context)
        for spot in addresses.find(atlas, address):
            if _is_there(atlas, spot, is_china):
                precise, confidence, level = _PRECISION[spot.level]
                level = _VENUE_LEVELS.get(spot.venue.category, level) if spot.venue else level
                figures = {"precise": precise, "confidence": confidence, "comprehension": 100, "level": level}
                return {"location": written(spot.point), **figures}
    raise Refused("not_found", None)


def reverse(context: AppContext, place: Point) -> Object:
    """Return the components of the address at a point; they are empty strings far from all known places.

    Raises:
        Refused: The checks of `admit` failed.
    """
    admit(context)
    source = context.source("geocode")
    result: Object = {}
    if source != "library":
        rows = [(metres(place, Point(row["lng"], row["lat"])), row) for row in context.list("geocode") if "lng" in row]
        nearest = min(rows, key=lambda pair: pair[0], default=None)
        result = _of_row(context, nearest[1]) if nearest is not None and nearest[0] <= _NEAR else {}
    if not result and source != "own":
        result = _of_library(context, place)
    component = result.get("addressComponent") or _component(None, None)
    area = atlas_of(context).areas.get(component["adcode"])
    city = atlas_of(context).city_of(area.adcode) if area else None
    return {
        "location": written(place),
        "formatted_address": result.get("address", ""),
        "edz": {"name": ""},
        "business": result.get("business", ""),
        "business_info": [],
        "addressComponent": component,
        "pois": result.get("pois", []),
        "roads": result.get("roads", []),
        "poiRegions": [],
        "sematic_description": result.get("sematic_description", ""),
        "formatted_address_poi": "",
        "cityCode": city.baidu_code if city else 0,
    }


def _is_there(atlas: Atlas, spot: Spot, is_china: str) -> bool:
    """Return whether the requested service covers a place: China or abroad."""
    country = atlas.chain(spot.adcode).get("country")
    inside = country is None or country.adcode == "CN"
    return inside == (is_china == "true")


def _of_row(context: AppContext, row: Object) -> Object:
    """Return a row with its address components, which the library completes."""
    if row.get("addressComponent"):
        return row
    atlas = atlas_of(context)
    spot = next(iter(addresses.find(atlas, row["address"])), None)
    return {**row, "addressComponent": _component(atlas, spot)}


def _of_library(context: AppContext, place: Point) -> Object:
    atlas = atlas_of(context)
    spot = addresses.at(atlas, place)
    if spot is None:
        return {}
    near = sorted(
        ((metres(place, v.point), v) for v in atlas.venues.values() if abs(v.point.lat - place.lat) < 0.01),
        key=lambda pair: (pair[0], pair[1].id),
    )
    pois = [(away, venue) for away, venue in near[:10] if away <= 1000]
    nearest = pois[0][1] if pois else None
    closest = f"{nearest.zh}{'内' if pois[0][0] < 20 else f'附近{round(pois[0][0])}米'}" if nearest else ""
    areas = [venue.row["business_area"] for _, venue in pois if "business_area" in venue.row]
    return {
        "address": addresses.chinese_address(atlas, spot),
        "business": areas[0] if areas else "",
        "addressComponent": _component(atlas, spot),
        "sematic_description": closest,
        "roads": [{"name": spot.street.zh, "distance": "0"}] if spot.street else [],
        "pois": [
            {
                "addr": addresses.chinese_address(atlas, addresses.spot_of(atlas, venue)),
                "direction": SECTORS[sector(heading_of(place, venue.point))] if away >= 1 else "内",
                "distance": str(round(away)),
                "name": venue.zh,
                "poiType": venue.row["baidu_tag"].split(";")[0],
                "point": {"x": venue.point.lng, "y": venue.point.lat},
                "tag": venue.row["baidu_tag"],
                "tel": venue.row.get("phone", ""),
                "uid": venue.row["baidu_uid"],
            }
            for away, venue in pois
        ],
    }


def _component(atlas: Atlas | None, spot: Spot | None) -> Object:
    """Return the components of an address, empty strings if there is none."""
    chain = atlas.chain(spot.adcode) if atlas is not None and spot is not None else {}
    city = chain.get("city")
    names: dict[str, Any] = {level: chain[level].zh if level in chain else "" for level in ("province", "district")}
    if city is not None and not names["province"]:
        names["province"] = city.zh
    numbered = spot is not None and spot.number is not None
    return {
        "country": "中国" if chain else "",
        "country_code": 0 if chain else -1,
        "country_code_iso": "CHN" if chain else "",
        "country_code_iso2": "CN" if chain else "",
        "province": names["province"],
        "city": city.zh if city else "",
        "city_level": 2,
        "district": names["district"],
        "town": "",
        "town_code": "",
        "distance": "10" if numbered else "",
        "direction": "东" if numbered else "",
        "adcode": spot.adcode if spot is not None else "0",
        "street": spot.street.zh if spot is not None and spot.street else "",
        "street_number": f"{spot.number}号" if spot is not None and numbered else "",
    }
