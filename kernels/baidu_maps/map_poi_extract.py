"""The `map_poi_extract` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.baidu_maps.rules.errors import BaiduError, Refused, api_error, invalid
from soundstage.kernels.baidu_maps.rules.request import admit
from soundstage.kernels.baidu_maps.rules.sdk import sendable
from soundstage.kernels.engines.places.atlas import atlas_of
from soundstage.kernels.types import Arguments

_POLLS, _BETWEEN_MS = 5, 2000
_MOST = 20


def run(context: AppContext, arguments: Arguments) -> Object | BaiduError:
    """Find the places that a text mentions: {status, message, result: {map_id, data: [{link: {title}, pois: [{name, uid}]}]}}.

    The server polls the service five times, two seconds apart.
    """
    text = f"{arguments.get('text_content', '')}"
    try:
        admit(context)
        if not text:
            raise invalid()
    except Refused as refused:
        raise api_error(refused) from None
    job = _job(context, text)
    if job is None:
        raise BaiduError("not_found", "Can not found map_id")
    if job.get("pending"):
        context.wait((_POLLS - 1) * _BETWEEN_MS)
        return BaiduError("unavailable", "Timeout to get the result")
    result = {"map_id": job["map_id"], "data": job["data"]}
    return sendable(context, {"status": 0, "message": "success", "result": result})


def _job(context: AppContext, text: str) -> Object | None:
    source = context.source("poi_extract")
    row = context.first("poi_extract", {"text_content": text}) if source != "library" else None
    if row is not None or source == "own":
        return row
    named = [(text.index(v.zh), v) for v in atlas_of(context).venues.values() if v.zh in text]
    named.sort(key=lambda pair: (pair[0], pair[1].id))
    pois = [{"name": venue.zh, "uid": venue.row["baidu_uid"]} for _, venue in named[:_MOST]]
    return {"map_id": context.new_id("poi_extract"), "data": [{"link": {"title": text[:20]}, "pois": pois}]}
