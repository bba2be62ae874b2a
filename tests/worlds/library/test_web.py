"""The web of the library: the pages that recorded calls contain, and valid forms, lists and languages."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from lxml import html

from soundstage.contexts.engine.schema import Object
from soundstage.worlds.library.web import rows
from soundstage.worlds.library.web.written import Unreadable, read

SITE = "name: x, title: x, description: x, lang: en"


@pytest.fixture(scope="module")
def web() -> dict[str, dict[str, Object]]:
    """Handwritten pages: entity → url or host → row."""
    rows_by_entity: dict[str, dict[str, Object]] = {"site": {}, "page": {}, "asset": {}, "endpoint": {}}
    for entity, row in rows({}):
        key = row["host" if entity == "site" else "url"]
        assert key not in rows_by_entity[entity], key
        rows_by_entity[entity][key] = row
    return rows_by_entity


def texts(page: Object) -> str:
    return " ".join(html.document_fromstring(page["html"]).text_content().split())


@pytest.mark.parametrize(
    ("url", "title", "content"),
    [
        ("http://site.test/", "Yunhai Portal", "City portal."),
        ("http://site.test/about", "About Yunhai", "Yunhai has 2.1 million inhabitants"),
        ("http://site.test/news/metro", "Metro line 3 opens", "Line 3 opened on 12 March 2026."),
        ("http://site.test/news/ferry", "Night ferry returns", "The night ferry returns on 18 November 2026."),
        ("http://site.test/news/bridge", "Bridge works end", "The harbor bridge reopened after works."),
        (
            "http://site.test/guide/lantern",
            "Lantern Festival | Yunhai",
            "The lantern festival starts at 18:30 on Old Bridge.",
        ),
        (
            "http://docs.site.test/harbor/",
            "Harbor guide",
            "costs twelve yuan for adults and six for children under twelve",
        ),
        ("http://docs.site.test/harbor/pier", "Pier four", "Pier four is the third on the left."),
        ("http://docs.site.test/api", "Yunhai open data API", "The API returns metro arrivals as JSON."),
        ("http://seagull.site.test/", "Seagull Cafe", "Coffee on Xinghe Road since 2014."),
        ("http://seagull.site.test/menu", "Seagull Cafe menu", "Flat white 28 yuan. Lemon tart 22 yuan."),
        ("http://seagull.site.test/menu/tea", "Tea list", "Jasmine tea 18 yuan."),
        ("http://seagull.site.test/about", "About Seagull Cafe", "Two sisters run the cafe."),
        ("http://shop.test/", "Yunhai Shop", "Pens and paper."),
        ("http://shop.test/about", "About", "We sell pens."),
        ("http://shop.test/search", "Results", "Pen 1.20"),
        ("https://wiki.example/stub", "Tram depots", "A stub page about tram depots."),
    ],
)
def test_pages_in_recorded_calls_have_their_recorded_content(
    web: dict[str, dict[str, Object]], url: str, title: str, content: str
) -> None:
    page = web["page"][url]
    assert page["title"] == title
    assert content in texts(page)
    assert html.document_fromstring(page["html"]).findtext(".//title") == title


def test_the_rows_are_reproducible() -> None:
    assert list(rows({})) == list(rows({}))


def test_every_page_is_a_complete_document_with_a_headline_and_a_home_link(web: dict[str, dict[str, Object]]) -> None:
    for url, page in web["page"].items():
        document = html.document_fromstring(page["html"])
        assert page["html"].startswith("<!doctype html>"), url
        assert document.get("lang"), url
        assert document.findtext(".//title") == page["title"], url
        if document.find(".//main") is not None:
            assert len(document.findall(".//h1")) == 1, url
            assert document.xpath("//header//a[@href='/']"), url
            assert page["description"], url


def _forms(page: Object) -> Iterator[tuple[str, str, set[str]]]:
    """Return the action, the method and the field names of each form of a page."""
    for form in html.document_fromstring(page["html"]).iter("form"):
        names = form.xpath(".//input/@name | .//select/@name | .//textarea/@name")
        yield form.get("action") or "", form.get("method", "get").upper(), {str(name) for name in names}


def test_every_form_has_an_endpoint_with_its_fields(web: dict[str, dict[str, Object]]) -> None:
    answered = 0
    for page in web["page"].values():
        for action, method, names in _forms(page):
            endpoint = web["endpoint"]["/".join(page["url"].split("/")[:3]) + action]
            assert endpoint["method"] == method
            if endpoint["kind"] == "search":
                assert endpoint["rule"]["param"] in names
            else:
                assert names == set(endpoint["rule"]["fields"])
                answered += 1
    assert answered > 40


def test_a_form_requires_the_fields_marked_as_required(web: dict[str, dict[str, Object]]) -> None:
    fields = web["endpoint"]["https://lanternstudio.example/training"]["rule"]["fields"]
    assert fields == {"name": "required", "email": "email", "date": "optional", "house": "optional", "diet": "optional"}


def test_an_order_uses_the_prices_of_its_items(web: dict[str, dict[str, Object]]) -> None:
    rule = web["endpoint"]["https://lampyard.example/basket"]["rule"]
    assert rule["prices"]["Saturn panel 2x1"] == "11900"
    assert (rule["item"], rule["quantity"], rule["currency"]) == ("item", "quantity", "CNY")
    assert "Order {id}: {quantity} × {item}" in rule["page"]


def test_a_search_page_shows_its_results_in_place(web: dict[str, dict[str, Object]]) -> None:
    rule = web["endpoint"]["http://shop.test/search"]["rule"]
    assert {"title": "Pen", "text": "1.20", "url": "/items/pen"} in rule["items"]
    assert "{results}" in rule["page"]


def test_a_page_with_a_chinese_title_declares_its_language(web: dict[str, dict[str, Object]]) -> None:
    for url, page in web["page"].items():
        assert (page["lang"] == "zh") == any("一" <= letter <= "鿿" for letter in page["title"]), url


def test_a_list_is_sorted_newest_first(web: dict[str, dict[str, Object]]) -> None:
    shown = texts(web["page"]["http://site.test/news"])
    assert (
        shown.index("Night ferry returns")
        < shown.index("Metro line 3 opens")
        < shown.index("Yunhai passes two million")
    )


@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [("index.md", "no front matter", "gives its title"), ("site.yaml", f"{{{SITE}, kind: den}}", "no layout")],
)
def test_an_unreadable_page_is_reported(tmp_path: Path, name: str, text: str, problem: str) -> None:
    home = tmp_path / "tea.test"
    home.mkdir()
    (home / "site.yaml").write_text(f"{{{SITE}, kind: wiki}}")
    (home / name).write_text(text)
    with pytest.raises(Unreadable, match=rf"tea\.test.*{problem}"):
        read(tmp_path)
