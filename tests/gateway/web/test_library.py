"""The library's pages: the overview, search, one fact, and maps."""

from __future__ import annotations

import httpx2

from tests.conftest import Gateway


def _page(gateway: Gateway, path: str, **query: str) -> httpx2.Response:
    return httpx2.get(f"{gateway.url}{path}", params=query)


def test_a_search_result_links_to_the_page_of_the_fact(gateway: Gateway) -> None:
    results = _page(gateway, "/library", q="seagull cafe").text
    assert "places venue" in results
    counts = httpx2.get(f"{gateway.url}/api/library").json()["realms"]
    assert f"{counts['places']['venue']:,}" in results
    (fact, *_) = httpx2.get(f"{gateway.url}/api/library/find", params={"q": "海鸥咖啡馆", "limit": 1}).json()
    shown = _page(gateway, f"/library/{fact['realm']}/{fact['entity']}", key=fact["key"])
    assert shown.status_code == 200
    assert "海鸥咖啡馆" in shown.text


def test_web_pages_are_shown_as_text(gateway: Gateway) -> None:
    listed = _page(gateway, "/library/web/page").text
    assert "Older" in listed
    results = httpx2.get(f"{gateway.url}/api/library/find", params={"q": "Yunhai Portal", "limit": 1}).json()
    (key,) = (one["key"] for one in results if one["entity"] == "page")
    page = _page(gateway, "/library/web/page", key=key).text
    assert "&lt;title&gt;Yunhai Portal&lt;/title&gt;" in page


def test_a_city_with_streets_has_a_map(gateway: Gateway) -> None:
    home = _page(gateway, "/library").text
    assert "/library/map/990100" in home
    drawn = _page(gateway, "/library/map/990100")
    assert drawn.headers["content-type"] == "image/svg+xml"
    assert drawn.text.count("<circle") > 300
    assert "海鸥咖啡馆" in drawn.text


def test_unknown_facts_answer_404(gateway: Gateway) -> None:
    for path in ("/library/places/nothing", "/library/nowhere/venue", "/library/map/110000"):
        assert _page(gateway, path).status_code == 404
    assert _page(gateway, "/library/places/venue", key="nobody").status_code == 404
