"""Pages derived from the facts of other realms: guides, company records, leaflets, reviews."""

from __future__ import annotations

from typing import Any

import pytest

from soundstage.contexts.engine.schema import Object
from soundstage.worlds.library.web.derived import derived
from soundstage.worlds.library.web.derived.places import hours, metres
from soundstage.worlds.library.web.written import Page

AREAS = [
    {"adcode": "990100", "level": "city", "zh": "云海市", "en": "Yunhai", "parent": "990000"},
    {"adcode": "990102", "level": "district", "zh": "海天区", "en": "Haitian District", "parent": "990100"},
]
STREETS = [{"id": "s1", "zh": "星河路", "en": "Xinghe Road", "city": "990100"}]


def venue(number: int, **more: Any) -> Object:
    return {
        "id": f"990100-{number}",
        "zh": f"茶馆{number}",
        "en": f"Cafe {number}",
        "category": "coffee",
        "lng": 120.5 + number / 1000,
        "lat": 30.2,
        "adcode": "990102",
        "street": "s1",
        "number": number,
        "rating": 40,
        **more,
    }


def derived_pages(facts: dict[tuple[str, str], list[Object]]) -> dict[str, Page]:
    """Return every derived page by its host and path."""
    return {page.site + page.path: page for page in derived(facts)[1]}


def places(*venues: Object) -> dict[tuple[str, str], list[Object]]:
    return {("places", "venue"): list(venues), ("places", "area"): AREAS, ("places", "street"): STREETS}


def test_missing_realms_give_no_pages() -> None:
    assert derived({}) == ([], [])


def test_a_guide_puts_the_best_rated_first_and_names_the_cheapest() -> None:
    daily = ["09:00-22:00"] * 7
    cafes = venue(1, price=30), venue(2, price=20, rating=47, hours=daily), venue(3, price=40, site="http://c.test/")
    page = derived_pages(places(*cafes))["roundtable.example/guides/990102-coffee"]
    assert page.title == "Coffee in Haitian District, Yunhai"
    rows = [line for line in page.text.splitlines() if line.startswith("|")][2:]
    assert rows[0] == "| Cafe 2 | 2 Xinghe Road | ¥20 | Daily 09:00-22:00 | 4.7 |"
    assert rows[2].startswith("| [Cafe 3](http://c.test/) | 3 Xinghe Road |")
    assert "Cafe 2 is the cheapest at ¥20 a head; Cafe 3 asks ¥40." in page.text
    assert "Cafe 2 stays open longest, until 22:00." in page.text
    assert (
        "Cafe 1 and Cafe 2 are 100 metres apart." in page.text or "Cafe 2 and Cafe 1 are 100 metres apart." in page.text
    )


def test_two_places_are_too_few_for_a_guide() -> None:
    assert "roundtable.example/guides/990102-coffee" not in derived_pages(places(venue(1), venue(2)))


def test_guests_are_quoted_newest_first() -> None:
    reviews = [
        {"author": "A. Lin", "rating": 5, "text": "Good coffee.", "time": 1767225600},
        {"author": "B. Reed", "rating": 2, "text": "Too loud.", "time": 1767312000},
    ]
    page = derived_pages(places(venue(1, reviews=reviews), venue(2), venue(3)))[
        "roundtable.example/guides/990102-coffee"
    ]
    assert page.text.index("Too loud.") < page.text.index("“Good coffee.” A. Lin, Cafe 1, 2026-01-01, 5/5")


def test_a_sight_without_a_site_has_a_page_in_both_languages() -> None:
    tower = venue(9, id="tower", zh="灯塔", en="Tower", category="sight", price=20)
    pages = derived_pages(places(tower, venue(1), venue(2, site="http://c.test/", id="named", category="sight")))
    assert "- Ticket: ¥20" in pages["roundtable.example/places/tower"].text
    assert "- 地址: 星河路9号" in pages["quchu.example/places/tower"].text
    assert "roundtable.example/places/named" not in pages


@pytest.mark.parametrize(
    ("week", "lang", "words"),
    [
        (["09:00-22:00"] * 7, "en", "Daily 09:00-22:00"),
        (["", *["10:00-20:00"] * 6], "en", "Mon closed, Tue to Sun 10:00-20:00"),
        ([*["09:00-17:00"] * 5, "", ""], "zh", "周一至周五 09:00-17:00，周六至周日 休息"),
        ([], "en", ""),
    ],
)
def test_weekly_hours_are_written_briefly(week: list[str], lang: str, words: str) -> None:
    assert hours({"hours": week}, lang) == words


def test_distances_are_straight_lines() -> None:
    assert metres({"lng": 120.5, "lat": 30.2}, {"lng": 120.53, "lat": 30.21}) == 3090


def test_a_company_page_has_its_years_in_hundred_millions() -> None:
    sums: Object = dict.fromkeys(("rd_exp", "cash", "total_liabilities"), 0) | {
        "total_assets": 1,
        "announced": "20260418",
    }
    now = {"period": "20251231", "total_revenue": 2_500_000_000, "n_income": 580_000_000, "basic_eps": 15000}
    before = {"period": "20241231", "total_revenue": 2_000_000_000, "n_income": 420_000_000, "basic_eps": 12000}
    years: list[Object] = [{"company_id": "x", **year, **sums} for year in (before, now)]
    company: Object = {
        "id": "x",
        "name": "星河科技",
        "english": "Xinghe Technology",
        "industry": "软件",
        "area": "云海",
    }
    listing: Object = {"market": "CN_MAINLAND", "symbol": "SZ990002", "company_id": "x", "ts_code": "990002.SZ"}
    listing |= {"spell": "xhkj", "board": "创业板", "listed": "20150618", "shares": 386_666_666}
    pages = derived_pages(
        {("market", "company"): [company], ("market", "listing"): [listing], ("market", "statement"): years}
    )
    text = pages["gongsilu.example/companies/x"].text
    assert "| 2025 | 25.00 | 5.80 | 1.50 | 23.2% |\n| 2024 | 20.00 | 4.20 | 1.20 | 21.0% |" in text
    assert "2015年6月18日在创业板上市" in text
    assert "2025年营收同比增25.0%，净利润同比增38.1%。" in text
    assert "| Xinghe Technology | SZ990002 |" in pages["ledgerbook.example/markets/cn_mainland"].text


def test_a_substance_has_one_leaflet_and_reviews_at_their_addresses() -> None:
    drug: Object = {
        "ndc": "99999-100",
        "brand": "Duskara",
        "generic": "SOMNAREL",
        "manufacturer": "Labs",
        "theme": "sleep",
    }
    drug |= {
        "route": "ORAL",
        "dosage_form": "TABLET",
        "effective_time": "20250509",
        "sections": {"overdosage": ["Sleep."]},
    }
    review = {
        "url": "https://reviews.test/cdsr/CD99",
        "title": "Dimmers",
        "authors": "Zora N., Vera K.",
        "theme": "sleep",
    }
    review |= {"abstract": "It begins. We looked. It helps."}
    other = drug | {"ndc": "99999-101", "brand": "Duskara Forte"}
    pages = derived_pages({("medicine", "drug"): [drug, other], ("medicine", "review"): [review]})
    leaflet = pages["leaflets.example/leaflets/somnarel"]
    assert leaflet.published == "2025-05-09"
    assert "## Too much\n\nSleep." in leaflet.text
    assert "Duskara Forte (Labs)" in leaflet.text
    assert "[Dimmers](https://reviews.test/cdsr/CD99)" in leaflet.text
    assert "[Somnarel](https://leaflets.example/leaflets/somnarel)" in pages["reviews.test/cdsr/CD99"].text


def test_snippets_with_one_address_are_one_page_of_their_library() -> None:
    library: Object = {"id": "/acme/widgetkit", "title": "WidgetKit", "description": "A toolkit."}
    library |= {"site": "https://docs.kit.test/widgetkit", "versions": ["v2.1.0", "v1.9.3"], "updated": "2026-10-01"}
    snippets: list[Object] = [
        {"title": "Create a widget", "prose": "Call `create()`.", "language": "python", "code": "w = create('clock')"},
        {"title": "Create two", "prose": "Call it twice.", "language": None, "code": None},
    ]  # fmt: skip
    where = {"library_id": "/acme/widgetkit", "address": "https://docs.kit.test/widgetkit/create"}
    pages = derived_pages(
        {("docs", "library"): [library], ("docs", "snippet"): [snippet | where for snippet in snippets]}
    )
    page = pages["docs.kit.test/widgetkit/create"]
    assert page.title == "Create a widget"
    assert page.text.startswith("Call `create()`.\n\n```python\nw = create('clock')\n```\n\n## Create two\n")
    assert "- [Create a widget](/widgetkit/create)" in pages["docs.kit.test/widgetkit"].text
    assert "Newest version: v2.1.0. Older: v1.9.3." in pages["docs.kit.test/widgetkit"].text
