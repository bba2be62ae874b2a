"""The `map_road_traffic` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.baidu_maps.rules import traffic
from soundstage.kernels.baidu_maps.rules.errors import Refused, api_error, invalid
from soundstage.kernels.baidu_maps.rules.request import admit, no_page
from soundstage.kernels.types import Arguments

_REQUIRED = {
    "road": ("road_name", "city"),
    "bound": ("bounds",),
    "polygon": ("vertexes",),
    "around": ("center", "radius"),
}
"""The parameters of each model."""


def run(context: AppContext, arguments: Arguments) -> Object:
    """Return the traffic on a street or in an area.

    The result is {status, message, description, evaluation: {status, status_desc}, road_traffic: [{road_name,
    congestion_sections?}]}.
    """
    model = f"{arguments.get('model', '')}"
    if model not in _REQUIRED:
        raise no_page(f"traffic/v1/{model}")
    parameters = {name: f"{arguments.get(name, '')}" for name in _REQUIRED[model]}
    try:
        admit(context)
        result = _response(context, model, parameters)
    except Refused as refused:
        raise api_error(refused) from None
    shown = {name: result.get(name) for name in ("description", "evaluation", "road_traffic")}
    return {"status": 0, "message": "success", **shown}


def _response(context: AppContext, model: str, parameters: dict[str, str]) -> Object:
    if "" in parameters.values():
        raise invalid()
    source = context.source("road_traffic")
    inside = None
    if model == "around":
        inside = traffic.circle(parameters["center"], parameters["radius"])
    elif model == "bound":
        inside = traffic.rectangle(parameters["bounds"])
    elif model == "polygon":
        inside = traffic.polygon(parameters["vertexes"])
    if source != "library":
        row = context.first("road_traffic", {name: value for name, value in parameters.items() if name != "radius"})
        if row is not None:
            return row
    if source == "own":
        raise invalid()
    return (
        traffic.of_area(context, inside)
        if inside
        else traffic.of_road(context, parameters["road_name"], parameters["city"])
    )
