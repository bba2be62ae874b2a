"""Rows that a session adds complement the library's; rows that replace them are the only ones (which the cases show)."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from soundstage.contexts.engine import state
from soundstage.gateway.calls.dispatch import dispatch
from soundstage.gateway.sessions.session import Session
from soundstage.servers.catalogue import load_app

CAFE = {"location": "120.500010,30.200000", "type": "餐饮服务;咖啡厅;咖啡厅", "cityname": "云海市", "adname": "海天区"}
ADDED = {
    "poi": [{"id": "B0ADDED001", "name": "晨雾咖啡", "typecode": "050500", **CAFE}],
    "geocode": [{"formatted_address": "东岚省云海市晨雾弄3号", "location": "120.6,30.2", "city": "云海市"}],
    "route": [{"from": "120.5,30.2", "to": "120.53,30.21", "mode": "driving", "distance": "7", "duration": "8"}],
    "weather": [{"adcode": "990102", "city": "海天区", "casts": [{"date": "2026-11-20", "dayweather": "雾"}]}],
    "ip_location": [{"ip": "203.0.113.7", "province": "东岚省", "city": "砚州市", "adcode": "990200"}],
}


@pytest.fixture
def ask(new_session: Callable[..., Session]) -> Callable[..., Any]:
    session = new_session()
    with session.context.step("state", "add", {}):
        state.load(session.context, {"amap": ADDED}, "add")

    def call(tool: str, **arguments: str) -> Any:
        made = dispatch(session, load_app("amap"), tool, arguments)
        assert made.reply is not None
        return json.loads(made.reply["content"][0]["text"])

    return call


def test_added_places_are_found_with_the_librarys(ask: Callable[..., Any]) -> None:
    near = [poi["name"] for poi in ask("maps_around_search", location="120.5,30.2", radius="300")["pois"]]
    assert near[:2] == ["星河广场", "晨雾咖啡"]
    assert len(near) > 3
    places = ask("maps_text_search", keywords="咖啡", city="海天区", citylimit="true")["pois"]
    assert [poi["name"] for poi in places][:1] == ["晨雾咖啡"]
    assert len(places) > 1
    assert ask("maps_search_detail", id="B0ADDED001")["name"] == "晨雾咖啡"
    assert ask("maps_search_detail", id="B0YH000001")["name"] == "星河广场"


def test_added_addresses_routes_weather_and_networks_complement_the_librarys(ask: Callable[..., Any]) -> None:
    assert ask("maps_geo", address="晨雾弄3号")["return"][0]["location"] == "120.6,30.2"
    assert ask("maps_geo", address="云海站")["return"][0]["location"] == "120.530000,30.210000"
    distances = ask("maps_distance", origins="120.5,30.2|120.53,30.21", destination="120.53,30.21")["results"]
    assert [one["distance"] for one in distances] == ["7", "0"]
    assert ask("maps_weather", city="海天区")["forecasts"] == [{"date": "2026-11-20", "dayweather": "雾"}]
    assert ask("maps_weather", city="青石区")["city"] == "青石区"
    assert ask("maps_ip_location", ip="203.0.113.7")["city"] == "砚州市"
    assert ask("maps_ip_location", ip="203.0.113.8")["city"] == "云海市"
