"""Routes between addresses: the session's rows, or routes on the library's street graph in English.

A route is `{summary, legs: [{distance, duration, steps: [{html_instructions, distance, duration, travel_mode}]}]}`.
"""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.geometry import Point, sector
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.engines.places.atlas import Atlas, atlas_of
from soundstage.kernels.engines.places.routes import Mode, Part, Way, route
from soundstage.kernels.engines.places.transit import Journey, Walk, journey
from soundstage.kernels.google_maps.rules.geocoding import located, of_library
from soundstage.kernels.google_maps.rules.texts import distance, duration

_MODES: dict[str, Mode] = {"driving": "car", "walking": "foot", "bicycling": "bicycle"}
_SECTORS = ("north", "northeast", "east", "southeast", "south", "southwest", "west", "northwest")
_VEHICLES = {"bus": "Bus", "metro": "Subway", "rail": "Train"}


def end(context: AppContext, text: str) -> Object | None:
    """Return the address row of a route's end; the library is used if routes are the library's and the session has no row."""
    result = located(context, text)
    return of_library(context, text) if result is None and context.source("route") != "own" else result


def way(context: AppContext, mode: str, origin: Object, destination: Object) -> Object | None:
    """Return the route between two address rows, or None if there is none in that mode."""
    key = (origin["formatted_address"], destination["formatted_address"], mode)
    source = context.source("route")
    row = context.get("route", key) if source != "library" else None
    if row is not None or source == "own":
        return row
    start, goal = (Point(row["lng"], row["lat"]) for row in (origin, destination))
    atlas = atlas_of(context)
    if mode == "transit":
        ridden = journey(atlas, start, goal)
        return _ridden(ridden, destination["formatted_address"]) if ridden else None
    result = route(atlas, _MODES[mode], start, goal)
    return _route(atlas, mode, result) if result else None


def _route(atlas: Atlas, mode: str, result: Way) -> Object:
    steps: list[Object] = []
    for before, part in zip([None, *result.parts], result.parts, strict=False):
        steps.append(
            {
                "html_instructions": _instruction(atlas, mode, before, part),
                "distance": distance(part.metres),
                "duration": duration(part.seconds),
                "travel_mode": mode.upper(),
            }
        )
    leg = {"distance": distance(result.metres), "duration": duration(result.seconds), "steps": steps}
    longest = max(result.parts, key=lambda part: part.metres, default=None)
    return {"summary": _name(atlas, longest) if longest else "", "legs": [leg]}


def _instruction(atlas: Atlas, mode: str, before: Part | None, part: Part) -> str:
    name = _name(atlas, part)
    if before is None:
        verb = "Walk" if mode == "walking" else "Head"
        return f"{verb} <b>{_SECTORS[sector(part.heading)]}</b>" + (f" on <b>{name}</b>" if name else "")
    degrees = before.turn_to(part)
    onto = f" onto <b>{name}</b>" if name else ""
    if abs(degrees) < 25:
        return f"Continue{onto or ' straight'}"
    if abs(degrees) > 155:
        return f"Make a <b>U-turn</b>{onto}"
    return f"Turn <b>{'right' if degrees > 0 else 'left'}</b>{onto}"


def _name(atlas: Atlas, part: Part) -> str:
    return atlas.streets[part.street].short if part.street else ""


def _ridden(result: Journey, destination: str) -> Object:
    aim = ", ".join(destination.split(", ")[:3])
    steps: list[Object] = []
    for leg in result.legs:
        if isinstance(leg, Walk):
            words, travel = f"Walk to {leg.to.en if leg.to else aim}", "WALKING"
        else:
            words, travel = f"{_VEHICLES[leg.line.kind]} towards {leg.towards.en}", "TRANSIT"
        lengths = {"distance": distance(leg.metres), "duration": duration(leg.seconds)}
        steps.append({"html_instructions": words, **lengths, "travel_mode": travel})
    whole = {"distance": distance(result.metres), "duration": duration(result.seconds), "steps": steps}
    return {"summary": "", "legs": [whole]}
