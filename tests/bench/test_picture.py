"""The picture of where a call's time goes is made from its profile, and nothing else."""

from __future__ import annotations

import orjson

from bench.picture import PICTURE, drawn
from bench.profile import FILE, made


def test_picture_of_the_docs_is_the_one_of_its_profile() -> None:
    assert drawn(orjson.loads(FILE.read_bytes())) == PICTURE.read_text(encoding="utf-8"), (
        "draw it anew: python -m bench.picture"
    )


def test_profile_tells_rooms_by_the_time_spent_in_them() -> None:
    program = ["soundstage.cli.main", "asyncio.runners", "uvicorn.server"]
    http = [*program, "asyncio.runners", "uvicorn.protocols.http.httptools_impl"]
    step = [*http, "soundstage.gateway.mcp.fast_path", "soundstage.gateway.calls.dispatch"]
    kernel = [*step, "soundstage.kernels.lark.im_v1_message_create", "soundstage.kernels.lark.rules.identity"]
    found = made([(program, 1), (http, 3), (step, 2), (kernel, 4)], us=100.0)

    assert [(room["name"], room["us"]) for room in found["rooms"]] == [("uvicorn", 90.0), ("uvloop", 10.0)]
    (short,) = found["rooms"][0]["calls"]
    (dispatch,) = short["calls"]
    assert (short["name"], short["us"]) == ("gateway/mcp/fast_path", 60.0)
    assert (dispatch["us"], [(room["name"], room["us"]) for room in dispatch["calls"]]) == (
        60.0,
        [("kernels/lark", 40.0)],
    )
    picture = drawn(found)
    for told in ("wire 40 µs", "protocol 0 µs", "step 60 µs", "<title>kernels/lark: 40.0 µs</title>"):
        assert told in picture
