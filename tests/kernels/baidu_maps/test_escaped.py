"""The result of `map_poi_extract` passes through the SDK's `json.dumps`, unlike the bodies that other tools return."""

from __future__ import annotations

from collections.abc import Callable

from soundstage.gateway.calls.dispatch import dispatch
from soundstage.gateway.sessions.session import Session
from soundstage.servers.catalogue import load_app


def test_extracted_places_are_escaped_in_the_text_alone(new_session: Callable[..., Session]) -> None:
    made = dispatch(new_session(), load_app("baidu_maps"), "map_poi_extract", {"text_content": "去云海灯塔"})
    assert made.reply is not None
    text = made.reply["content"][0]["text"]
    assert text.isascii()
    assert '"name": "\\u4e91\\u6d77\\u706f\\u5854"' in text
    assert made.reply["structuredContent"]["result"]["data"][0]["pois"][0]["name"] == "云海灯塔"


def test_bodies_that_are_passed_on_are_not_escaped(new_session: Callable[..., Session]) -> None:
    made = dispatch(new_session(), load_app("baidu_maps"), "map_geocode", {"address": "云海灯塔"})
    assert made.reply is not None
    assert '"level":"旅游景点"' in made.reply["content"][0]["text"]
