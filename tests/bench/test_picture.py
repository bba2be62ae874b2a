"""The picture of a call's time is computed from its profile only."""

from __future__ import annotations

import orjson

from bench.picture import PICTURE, drawn
from bench.profile import FILE, made


def test_the_picture_in_the_docs_agrees_with_its_profile() -> None:
    assert drawn(orjson.loads(FILE.read_bytes())) == PICTURE.read_text(encoding="utf-8"), (
        "draw it anew: python -m bench.picture"
    )


def test_the_picture_shows_each_part_of_the_program_with_its_time() -> None:
    program = ["soundstage.cli.main", "asyncio.runners", "uvicorn.server"]
    http = [*program, "asyncio.runners", "uvicorn.protocols.http.httptools_impl"]
    step = [*http, "soundstage.gateway.mcp.fast_path", "soundstage.gateway.calls.dispatch"]
    kernel = [*step, "soundstage.kernels.lark.im_v1_message_create", "soundstage.kernels.lark.rules.identity"]
    profile = made([(program, 1), (http, 3), (step, 2), (kernel, 4)], us=100.0)

    assert [(room["name"], room["us"]) for room in profile["rooms"]] == [("uvicorn", 90.0), ("uvloop", 10.0)]
    (short,) = profile["rooms"][0]["calls"]
    (dispatch,) = short["calls"]
    assert (short["name"], short["us"]) == ("gateway/mcp/fast_path", 60.0)
    assert (dispatch["us"], [(room["name"], room["us"]) for room in dispatch["calls"]]) == (
        60.0,
        [("kernels/lark", 40.0)],
    )
    picture = drawn(profile)
    for text in ("wire 40 µs", "protocol 0 µs", "step 60 µs", "<title>kernels/lark: 40.0 µs</title>"):
        assert text in picture
