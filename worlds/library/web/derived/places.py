"""Guides generated from the places: comparisons of the venues of a kind in a district, and a page for each popular place.

There are two sites, one in English and one in Chinese, with different kinds of venues.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from math import sqrt

from soundstage.contexts.engine.schema import Object
from soundstage.worlds.library.web.written import Page, Site

_WRITTEN = "2026-11-09"
_FEWEST, _MOST = 3, 12
_METRES_EAST, _METRES_NORTH = 96_200, 110_900
"""Metres per degree at 30 degrees north."""
_DAYS = {
    "en": ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"),
    "zh": ("周一", "周二", "周三", "周四", "周五", "周六", "周日"),
}
_NEIGHBOURHOODS = {
    "studio": ("round Dengying Road, Shanghai", "上海灯影路一带"),
    "campus": ("round Pujiang Polytechnic, Shanghai", "上海浦江理工周边"),
}
_GUIDES = {
    "en": {
        "coffee": "Coffee",
        "noodles": "Noodles",
        "restaurant": "Restaurants",
        "hotel": "Beds",
        "bookshop": "Bookshops",
    },
    "zh": {
        "noodles": "面馆",
        "restaurant": "馆子",
        "tea": "茶与奶茶",
        "bakery": "面包点心",
        "pharmacy": "药店",
        "hotel": "住处",
    },
}
_SIGHTS = (
    "sight",
    "museum",
    "park",
    "library",
    "hospital",
    "market",
    "pier",
    "stage",
    "station",
    "school",
    "cinema",
    "sports",
)
_KINDS_ZH = {
    "sight": "景点", "museum": "博物馆", "park": "公园", "library": "图书馆", "hospital": "医院", "market": "市场",
    "pier": "码头", "stage": "剧场与场馆", "station": "车站", "school": "学校", "cinema": "影院", "sports": "体育场馆",
}  # fmt: skip

ENGLISH = Site(
    host="roundtable.example",
    name="Round Table",
    title="Round Table: where to sit in Donglan",
    description="Places of one kind, side by side: prices, hours, what guests say.",
    lang="en",
    kind="portal",
    colour="#9a3412",
    footer="Round Table is written by people who pay their own bills. Figures of November 2026.",
    nav=(("Guides", "/guides"), ("Sights and offices", "/places"), ("中文", "https://quchu.example/")),
)
CHINESE = Site(
    host="quchu.example",
    name="东岚去处",
    title="东岚去处",
    description="同类放在一起比：价钱、钟点、客人怎么说。",
    lang="zh",
    kind="portal",
    colour="#166534",
    footer="自己付账，自己写。数据截至2026年11月。",
    nav=(("分区指南", "/guides"), ("地方", "/places"), ("English", "https://roundtable.example/")),
)


@dataclass(frozen=True, slots=True)
class Gazetteer:
    """The venues, with the names of their areas and streets."""

    venues: Sequence[Object]
    areas: Mapping[str, Object]
    streets: Mapping[str, Object]

    def address(self, venue: Object, lang: str) -> str:
        """18 Xinghe Road; 星河路18号."""
        street = self.streets.get(venue.get("street", ""))
        if street is None:
            return str(self.areas[venue["adcode"]][lang])
        number = venue.get("number")
        if lang == "zh":
            return f"{street['zh']}{number}号" if number else str(street["zh"])
        return f"{number} {street['en']}" if number else str(street["en"])

    def where(self, venue: Object) -> str:
        """Return the area that a guide covers: a neighbourhood of a world, a district of Yunhai, or another city."""
        area = self.areas[venue["adcode"]]
        return str(venue.get("region") or (area["adcode"] if area["parent"] == "990100" else area["parent"]))

    def name(self, where: str, lang: str) -> str:
        """How a guide names it: Haitian District, Yunhai; 云海海天区."""
        if where in _NEIGHBOURHOODS:
            return _NEIGHBOURHOODS[where][lang == "zh"]
        area = self.areas[where]
        if area["level"] == "city":
            return area["zh"] if lang == "zh" else f"in {area['en']}"
        return f"云海{area['zh']}" if lang == "zh" else f"in {area['en']}, Yunhai"


def pages(facts: Mapping[tuple[str, str], Sequence[Object]]) -> tuple[list[Site], list[Page]]:
    """Both sites, or nothing where no places have been built."""
    venues = facts.get(("places", "venue"), ())
    if not venues:
        return [], []
    areas = {area["adcode"]: area for area in facts["places", "area"]}
    streets = {street["id"]: street for street in facts["places", "street"]}
    known = Gazetteer(venues, areas, streets)
    return [ENGLISH, CHINESE], [page for site in (ENGLISH, CHINESE) for page in _site(site, known)]


def _site(site: Site, known: Gazetteer) -> Iterator[Page]:
    zh = site.lang == "zh"
    words = ("分区指南", "地方") if zh else ("Guides", "Sights and offices")
    opening = (
        "每一篇把一个区里同一类的店摆在一起。"
        if zh
        else "Every guide puts the places of one kind in one part of town side by side."
    )
    for path, title, text in (
        ("/", site.title, f"{opening}\n\n[[list /guides/ 8]]\n\n[[list /places/ 8]]"),
        ("/guides", words[0], f"{opening}\n\n[[list /guides/]]"),
        ("/places", words[1], "[[list /places/]]"),
    ):
        yield Page(site.host, path, title, site.description, text, site.lang)
    groups: dict[tuple[str, str], list[Object]] = defaultdict(list)
    for venue in known.venues:
        groups[known.where(venue), venue["category"]].append(venue)
    for (where, category), venues in groups.items():
        if category in _GUIDES[site.lang] and len(venues) >= _FEWEST:
            yield _guide(site, known, where, category, venues)
    for venue in known.venues:
        if venue["category"] in _SIGHTS and not venue["id"][0].isdigit() and "site" not in venue:
            yield _place(site, known, venue)


def _guide(site: Site, known: Gazetteer, where: str, category: str, venues: Sequence[Object]) -> Page:
    zh = site.lang == "zh"
    kind = _GUIDES[site.lang][category]
    place = known.name(where, site.lang)
    best = sorted(venues, key=lambda venue: (-(venue.get("rating") or 0), venue["id"]))[:_MOST]
    title = f"{place}的{kind}" if zh else f"{kind} {place}"
    about = f"{len(best)}家，按评分排。" if zh else f"{len(best)} places, best rated first."
    head = "| 名字 | 地址 | 人均 | 钟点 | 评分 |" if zh else "| Name | Address | A head | Hours | Rating |"
    rows = [f"| {' | '.join(_cells(site, known, venue))} |" for venue in best]
    text = "\n".join(
        [
            *_remarks(site.lang, known, best),
            "",
            head,
            "|---|---|---|---|---|",
            *rows,
            "",
            *_review_lines(site.lang, best),
        ]
    )
    return Page(site.host, f"/guides/{where}-{category}", title, about, text, site.lang, published=_WRITTEN)


def _cells(site: Site, known: Gazetteer, venue: Object) -> Iterator[str]:
    yield _linked(venue, site.lang)
    yield known.address(venue, site.lang)
    yield _price(venue)
    yield hours(venue, site.lang)
    yield _rating(venue)


def _remarks(lang: str, known: Gazetteer, venues: Sequence[Object]) -> Iterator[str]:
    """Yield remarks: the cheapest venue, the last to close, two venues next to each other."""
    priced = sorted((venue for venue in venues if venue.get("price")), key=lambda venue: (venue["price"], venue["id"]))
    if len(priced) > 1:
        low, high = priced[0], priced[-1]
        if lang == "zh":
            yield f"最便宜的是{low['zh']}，人均{low['price']}元；最贵的{high['zh']}要{high['price']}元。"
        else:
            yield f"{low['en']} is the cheapest at ¥{low['price']} a head; {high['en']} asks ¥{high['price']}."
    late = [venue for venue in venues if any(venue.get("hours") or ())]
    if late:
        last = max(late, key=lambda venue: (max(day[-5:] for day in venue["hours"] if day), venue["id"]))
        closing = max(day[-5:] for day in last["hours"] if day)
        yield (
            f"关得最晚的是{last['zh']}（{closing}）。"
            if lang == "zh"
            else f"{last['en']} stays open longest, until {closing}."
        )
    pairs = [(metres(one, other), one, other) for i, one in enumerate(venues) for other in venues[i + 1 :]]
    if pairs:
        length, one, other = min(pairs, key=lambda pair: (pair[0], pair[1]["id"]))
        if lang == "zh":
            yield f"{one['zh']}和{other['zh']}相隔只有{length}米，可以一起去。"
        else:
            yield f"{one['en']} and {other['en']} are {length} metres apart."


def _review_lines(lang: str, venues: Sequence[Object]) -> Iterator[str]:
    """Yield the three newest reviews of guests."""
    reviews = [(review["time"], venue, review) for venue in venues for review in venue.get("reviews") or ()]
    if not reviews:
        return
    yield "## 客人说" if lang == "zh" else "## What guests say"
    for time, venue, review in sorted(reviews, key=lambda one: (-one[0], one[1]["id"]))[:3]:
        day = datetime.fromtimestamp(time, UTC).date().isoformat()
        yield f"\n> “{review['text']}” {review['author']}, {venue[lang]}, {day}, {review['rating']}/5"


def _place(site: Site, known: Gazetteer, venue: Object) -> Page:
    zh = site.lang == "zh"
    area = known.areas[venue["adcode"]]
    city = known.areas[area["parent"]] if area["level"] == "district" and area["parent"] in known.areas else area
    kind = _KINDS_ZH[venue["category"]] if zh else venue["category"]
    other = venue["en" if zh else "zh"]
    lines = [
        f"**{venue[site.lang]}** ({other})"
        + (f"，{city['zh']}{area['zh']}。" if zh else f", {area['en']}, {city['en']}.")
    ]
    facts = [
        ("地址" if zh else "Address", known.address(venue, site.lang)),
        ("电话" if zh else "Telephone", venue.get("phone")),
        ("开放" if zh else "Hours", hours(venue, site.lang)),
        ("票价" if zh else "Ticket", _price(venue)),
        ("评分" if zh else "Rating", _rating(venue)),
        ("又名" if zh else "Also called", venue.get("alias")),
    ]
    lines += ["", *(f"- {name}: {value}" for name, value in facts if value)]
    lines += [
        "",
        "## 附近" if zh else "## Close by",
        "",
        *_near(site, known, venue),
        "",
        *_review_lines(site.lang, [venue]),
    ]
    about = f"{kind}，{known.address(venue, 'zh')}。" if zh else f"{kind.capitalize()} at {known.address(venue, 'en')}."
    title = venue[site.lang]
    return Page(site.host, f"/places/{venue['id']}", title, about, "\n".join(lines), site.lang, published=_WRITTEN)


def _near(site: Site, known: Gazetteer, venue: Object) -> Iterator[str]:
    """Four places within reach, with how far it is as the crow flies."""
    others = sorted((metres(venue, other), other["id"], other) for other in known.venues if other["id"] != venue["id"])
    for length, _, other in others[:4]:
        address = known.address(other, site.lang)
        yield (
            f"- {other['zh']}，{address}，直线{length}米"
            if site.lang == "zh"
            else f"- {other['en']}, {address}, {length} m"
        )


def metres(one: Object, other: Object) -> int:
    """As the crow flies, to ten metres."""
    east = (one["lng"] - other["lng"]) * _METRES_EAST
    north = (one["lat"] - other["lat"]) * _METRES_NORTH
    return round(sqrt(east * east + north * north) / 10) * 10


def hours(venue: Object, lang: str) -> str:
    """Seven days in as few words as they need: Daily 09:00-22:00; Mon closed, Tue to Sun 10:00-20:00."""
    opening: Sequence[str] = venue.get("hours") or ()
    if len(opening) != len(_DAYS[lang]):
        return ""
    runs: list[tuple[int, int]] = []
    for day, span in enumerate(opening):
        if runs and opening[runs[-1][0]] == span:
            runs[-1] = (runs[-1][0], day)
        else:
            runs.append((day, day))
    parts = []
    for first, last in runs:
        joined = "至" if lang == "zh" else " to "
        days = _DAYS[lang][first] if first == last else f"{_DAYS[lang][first]}{joined}{_DAYS[lang][last]}"
        if (first, last) == (0, len(opening) - 1):
            days = "每天" if lang == "zh" else "Daily"
        parts.append(f"{days} {opening[first] or ('休息' if lang == 'zh' else 'closed')}")
    return ("，" if lang == "zh" else ", ").join(parts)


def _linked(venue: Object, lang: str) -> str:
    """The name, leading to the place's own site where it has one."""
    return f"[{venue[lang]}]({venue['site']})" if venue.get("site") else str(venue[lang])


def _price(venue: Object) -> str:
    return f"¥{venue['price']}" if venue.get("price") else ""


def _rating(venue: Object) -> str:
    rating = venue.get("rating")
    return f"{rating // 10}.{rating % 10}" if rating else ""
