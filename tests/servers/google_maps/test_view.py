"""The views of the three map apps: streets, places, details of a place, a route, and the session's own places."""

from __future__ import annotations

import re
from typing import Any

import httpx2
import pytest

from soundstage.servers.view import load_view
from tests.conftest import Gateway

_HOSTILE = '<script>alert("x")</script>'
_SEAGULL = {"amap": "B0YH000002", "baidu_maps": "yh0000000000000000000002", "google_maps": "ChIJYunhaiSeagullCafe02"}
_PARK = {"google_maps": "ChIJYunhaiQingshiPark0009", "amap": "B0YH000004"}
_OWN: dict[str, dict[str, Any]] = {
    "amap": {"poi": [{"id": "B0OWN00001", "name": _HOSTILE, "address": []}]},
    "baidu_maps": {"poi": [{"uid": "u1", "name": _HOSTILE, "address": "盐道街9号"}]},
    "google_maps": {"place": [{"place_id": "ChIJOwn", "name": _HOSTILE, "formatted_address": "9 Salt Lane"}]},
}
_APPS = tuple(_SEAGULL)


def _page(gateway: Gateway, session: str, app: str, **query: str) -> str:
    response = httpx2.get(f"{gateway.url}/sessions/{session}/apps/{app}", params=query, timeout=30)
    assert response.status_code == 200, response.text
    return response.text


def _words(page: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", page))


@pytest.fixture(scope="module")
def session(gateway: Gateway) -> str:
    return str(gateway.session(world="empty")["id"])


@pytest.mark.parametrize("app", _APPS)
def test_a_city_shows_streets_and_places_and_a_place_its_details(gateway: Gateway, session: str, app: str) -> None:
    page = _page(gateway, session, app)
    assert page.count("<polyline") >= 25
    assert page.count("<circle") > 50
    english = app == "google_maps"
    shown = _page(gateway, session, app, place=_SEAGULL[app])
    words = _words(shown)
    assert ("18 Xinghe Road" if english else "星河路18号") in words
    assert ("Seagull Cafe" if english else "海鸥咖啡馆") in words
    assert "★ 4.3 (51) · ¥32" in words
    assert "seagull.site.test" in words
    assert ("Dengying Road" if english else "灯影路") in _words(_page(gateway, session, app, section="studio"))


@pytest.mark.parametrize("app", _PARK)
def test_the_route_to_another_place_is_drawn_and_described(gateway: Gateway, session: str, app: str) -> None:
    page = _page(gateway, session, app, place=_SEAGULL[app], to=_PARK[app])
    assert page.count('class="way"') == 1
    assert re.search(r"→ (Qingshi Park|青石公园): \d\.\d km, \d+ min", _words(page))


@pytest.mark.parametrize("app", _APPS)
def test_places_of_a_state_are_listed_and_escaped(gateway: Gateway, app: str) -> None:
    session = str(gateway.session(world="empty")["id"])
    put = gateway.api("PUT", f"/sessions/{session}/state", json={app: _OWN[app]})
    assert put.is_success, put.text
    key = next(iter(next(iter(_OWN[app].values()))[0].values()))
    for query in ({}, {"place": str(key)}, {"place": "nowhere", "to": "x", "section": "y"}):
        page = _page(gateway, session, app, **query)
        assert _HOSTILE not in page
        assert "&lt;script&gt;" in page
        assert "<polyline" not in page


@pytest.mark.parametrize("app", _APPS)
def test_strange_queries_show_the_first_city(gateway: Gateway, session: str, app: str) -> None:
    for strange in ({"section": "x"}, {"place": "x", "to": "y"}, {"to": _SEAGULL[app]}):
        assert "<polyline" in _page(gateway, session, app, **strange)


@pytest.mark.parametrize("app", _APPS)
def test_places_alone_have_a_place(app: str) -> None:
    view = load_view(app)
    assert view is not None
    nowhere: Any = None
    (entity,) = _OWN[app]
    row = _OWN[app][entity][0]
    assert view.place(nowhere, entity, row) == {"place": next(iter(row.values()))}
    assert view.place(nowhere, "api_key", {"key": "x"}) is None
