"""A small library passes its check until one thing in it is wrong."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import Column, Text

from soundstage.contexts.engine.library import Library
from soundstage.contexts.engine.schema import AppTables, Json, Object
from soundstage.contexts.library import web
from soundstage.worlds import library as building
from soundstage.worlds.library.check import check

Rows = list[tuple[str, Object]]
Facts = dict[str, Rows]
CheckOf = Callable[[Facts], list[str]]

PLACES = AppTables("places")
PLACES.entity("venue", Column("id", Text, primary_key=True), Column("name", Text), Column("site", Text))

MARKET = AppTables("market")
MARKET.entity(
    "listing",
    Column("market", Text, primary_key=True),
    Column("symbol", Text, primary_key=True),
    Column("ts_code", Text),
)

MEDICINE = AppTables("medicine")
MEDICINE.entity("drug", Column("ndc", Text, primary_key=True), Column("sections", Json))
MEDICINE.entity("article", Column("pmid", Text, primary_key=True))

REALMS = {"market": MARKET, "medicine": MEDICINE, "places": PLACES, "web": web.TABLES}


def page(url: str, title: str, body: str, site: str = "tea.test") -> tuple[str, Object]:
    html = f"<!doctype html><html><head><title>{title}</title></head><body><main>{body}</main></body></html>"
    return "page", {"url": url, "site": site, "title": title, "html": html}


def small() -> Facts:
    """Return a tea house with two pages, a picture, a form, and one fact of every other realm."""
    return {
        "places": [("venue", {"id": "v1", "name": "Tea house", "site": "tea.test"})],
        "market": [("listing", {"market": "CN_MAINLAND", "symbol": "SZ990001", "ts_code": "990001.SZ"})],
        "medicine": [
            ("drug", {"ndc": "99999-001", "sections": {"warnings": ["Ask at care@tea.test first."]}}),
            ("article", {"pmid": "99000001"}),
        ],
        "web": [
            ("site", {"host": "tea.test", "name": "Tea"}),
            page("http://tea.test/", "Tea", '<a href="/pots">Pots</a> <img src="/pot.png" alt="">'),
            page("http://tea.test/pots", "Pots", '<form action="/ask"></form><a href="https://tea.test">A</a><a href="#b">B</a>'),
            ("asset", {"url": "http://tea.test/pot.png", "content_type": "image/png", "base64": "AAAA"}),
            ("endpoint", {"url": "http://tea.test/ask", "method": "POST", "kind": "contact", "rule": {}}),
            ("endpoint", {"url": "http://tea.test/api", "method": "*", "kind": "echo", "rule": {"below": True}}),
        ],
    }  # fmt: skip


@pytest.fixture
def findings_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CheckOf:
    def build(facts: Facts) -> list[str]:
        monkeypatch.setattr(building, "realms", lambda: REALMS)
        monkeypatch.setattr(building, "shipped_tables", dict)
        monkeypatch.setattr(building, "_rows", lambda realm, _facts: iter(facts[realm]))
        building.build(tmp_path / "library.db")
        return [str(mistake) for mistake in check(Library(tmp_path / "library.db", REALMS))]

    return build


def test_a_consistent_library_has_no_findings(findings_of: CheckOf) -> None:
    assert findings_of(small()) == []


@pytest.mark.parametrize(
    "element",
    ['<a href="/cups">', '<img src="/cup.png">', '<iframe src="/cups"></iframe>', '<form action="/cups"></form>'],
)
def test_a_broken_link_is_found(findings_of: CheckOf, element: str) -> None:
    facts = small()
    facts["web"].append(page("http://tea.test/more", "More", element))
    (mistake,) = findings_of(facts)
    assert mistake.startswith("web page http://tea.test/more: leads to /cup")


def test_links_may_have_another_scheme_a_query_or_a_path_below_an_endpoint(findings_of: CheckOf) -> None:
    facts = small()
    links = ["https://tea.test/pots/?sort=size", "/api/pots/7", "mailto:ask@tea.test", "tel:0990-5550102"]
    facts["web"].append(page("http://tea.test/more", "More", "".join(f'<a href="{link}">x</a>' for link in links)))
    assert findings_of(facts) == []


def test_an_address_that_could_be_registered_is_found_in_any_text(findings_of: CheckOf) -> None:
    facts = small()
    facts["medicine"][0][1]["sections"] = {"warnings": ["See https://health.org/a."], "notes": [{"by": "ann@corp.cn"}]}
    assert findings_of(facts) == [
        "medicine drug 99999-001 sections: names health.org; addresses end in .test or .example",
        "medicine drug 99999-001 sections: names corp.cn; addresses end in .test or .example",
    ]


def test_reserved_addresses_are_accepted(findings_of: CheckOf) -> None:
    facts = small()
    facts["places"][0][1]["name"] = (
        "Tea house, pictures at https://cdn.example.com/photos/, ask tea@example.com, kit@1.9.3, http://localhost:80 or http://192.0.2.7."
    )
    assert findings_of(facts) == []


@pytest.mark.parametrize("word", ["zzzzqq", "NoSuchLib", "不存在的地方xyz", "Atlantis", "of demo data"])
def test_a_forbidden_word_is_found(findings_of: CheckOf, word: str) -> None:
    facts = small()
    facts["places"][0][1]["name"] = f"Tea house {word}"
    (mistake,) = findings_of(facts)
    assert mistake.startswith("places venue v1 name: says")


@pytest.mark.parametrize(
    ("realm", "row", "place"),
    [
        (
            "market",
            ("listing", {"market": "CN_MAINLAND", "symbol": "SZ000001"}),
            "market listing CN_MAINLAND/SZ000001 symbol",
        ),
        ("market", ("listing", {"market": "HK", "symbol": "00700"}), "market listing HK/00700 symbol"),
        ("market", ("listing", {"market": "US", "symbol": "AAPL"}), "market listing US/AAPL symbol"),
        ("market", ("listing", {"market": "MARS", "symbol": "DUST"}), "market listing MARS/DUST symbol"),
        (
            "market",
            ("listing", {"market": "CN_MAINLAND", "symbol": "SZ990009", "ts_code": "000001.SZ"}),
            "market listing CN_MAINLAND/SZ990009 ts_code",
        ),
        ("medicine", ("drug", {"ndc": "00002-123"}), "medicine drug 00002-123 ndc"),
        ("medicine", ("article", {"pmid": "12345678"}), "medicine article 12345678 pmid"),
    ],
)
def test_a_code_that_could_be_real_is_found(
    findings_of: CheckOf, realm: str, row: tuple[str, Object], place: str
) -> None:
    facts = small()
    facts[realm].append(row)
    (mistake,) = findings_of(facts)
    assert mistake.startswith(f"{place}: ")
    assert "could be a real one" in mistake


@pytest.mark.parametrize("site", ["coffee.test", "https://tea.test/cups"])
def test_a_venue_with_an_unknown_site_is_found(findings_of: CheckOf, site: str) -> None:
    facts = small()
    facts["places"].append(("venue", {"id": "v2", "name": "Coffee", "site": site}))
    assert findings_of(facts) == [f"places venue v2 site: names {site}, where there is no page"]


def test_two_pages_of_a_site_with_one_title_are_found(findings_of: CheckOf) -> None:
    facts = small()
    facts["web"] += [page("http://tea.test/cups", "Pots", ""), page("http://milk.test/", "Pots", "", site="milk.test")]
    facts["web"].append(("site", {"host": "milk.test"}))
    (mistake,) = findings_of(facts)
    assert mistake.startswith("web page http://tea.test/cups: has the title of http://tea.test/pots")


@pytest.mark.parametrize(
    ("text", "changed"),
    [
        (" ".join(f"word{n}" for n in range(60)), " ".join(f"word{n}" for n in range(59))),
        ("云海市星河路十八号海鸥咖啡馆由姐妹二人经营，姐姐做咖啡，妹妹烤点心，靠窗那张桌子不预订。",) * 2,
    ],
)
def test_two_pages_with_nearly_the_same_text_are_found(findings_of: CheckOf, text: str, changed: str) -> None:
    facts = small()
    facts["web"] += [page("http://tea.test/one", "One", text), page("http://tea.test/two", "Two", changed)]
    assert findings_of(facts) == ["web page http://tea.test/two: says nearly what http://tea.test/one says"]


def test_pages_that_share_half_their_text_are_accepted(findings_of: CheckOf) -> None:
    words = [f"word{n}" for n in range(90)]
    facts = small()
    facts["web"] += [
        page("http://tea.test/one", "One", " ".join(words[:60])),
        page("http://tea.test/two", "Two", " ".join(words[30:])),
    ]
    assert findings_of(facts) == []
