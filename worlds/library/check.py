"""Whether the library holds together: links, addresses, codes, names, and pages that say the same.

Every finding names the fact by realm, entity and key, and says what would be right.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urljoin, urlsplit

from lxml import html

from soundstage.contexts.engine.library import Library, key_text
from soundstage.contexts.engine.schema import Entity, Object
from soundstage.source import Mistake

FORBIDDEN = (
    "zzzzqq",
    "nosuchlib",
    "不存在的地方",
    "atlantis",
    "volcano",
    "nowhere 999",
    "lorem ipsum",
    "simulated data",
    "fake data",
    "mock data",
    "demo data",
)
"""Words that searches must not find because the recorded calls found nothing for them, and words that reveal a simulation."""

_RESERVED = re.compile(r"(?:[a-z0-9-]+\.)*(?:test|example|example\.(?:com|org|net))", re.IGNORECASE)
_NEAR = re.compile(r"[\w-]+|(?:127\.0\.0|192\.0\.2|198\.51\.100|203\.0\.113)\.\d+|0\.0\.0\.0")
"""Local hosts and networks, and the addresses reserved for documentation (RFC 5737)."""
_ADDRESS = re.compile(r"\bhttps?://([\w.-]+)|[\w.+-]+@((?:[A-Za-z0-9-]+\.)+[A-Za-z]{2,})")
_LINKS = (("href", "a"), ("href", "link"), ("src", "img"), ("src", "iframe"), ("src", "script"), ("action", "form"))
_SITE = re.compile(r"https?://\S+|[a-z0-9-]+(?:\.[a-z0-9-]+)+")
_NO_PAGES = ("mailto:", "tel:", "#", "data:")
_SITE_FIELDS = ("site", "page", "website", "homepage", "url", "address")
_RUN_WORDS, _RUN_LETTERS = 5, 8
_FEWEST_RUNS = 25
_SAME = 0.8

# Codes by realm, entity and field. 600999 and ACME come from recorded calls; all other codes are in ranges that no exchange
# uses.
_CODES: tuple[tuple[str, str, str, re.Pattern[str], str], ...] = (
    ("market", "listing", "ts_code", re.compile(r"99\d{4}\.(?:SZ|SH|BJ)|600999\.SH"), "990000 to 999999"),
    ("medicine", "drug", "ndc", re.compile(r"99999-\d{3}"), "99999-000 to 99999-999"),
    ("medicine", "concept", "rxcui", re.compile(r"999\d{4}"), "9990000 to 9999999"),
    ("medicine", "article", "pmid", re.compile(r"99\d{6}"), "99000000 to 99999999"),
    ("medicine", "trial", "nct_id", re.compile(r"NCT99\d{6}"), "NCT99000000 to NCT99999999"),
)
_SYMBOLS = {
    "CN_MAINLAND": (re.compile(r"(?:SH|SZ|BJ)99\d{4}|SH600999"), "SH, SZ or BJ with 99 and four digits"),
    "HK": (re.compile(r"99\d{3}"), "99 and three digits"),
    "US": (re.compile(r"[A-Z]{4}Z|ACME"), "four letters and Z"),
    "LSE": (re.compile(r"[A-Z]{5}"), "five letters, of which London gives four at most"),
    "NSE_INDIA": (re.compile(r"Z[A-Z]{2}\d{2}"), "Z, two letters, two digits"),
}
_UNKNOWN = (re.compile(r"(?!)"), "a market that has a range")


def check(library: Library) -> list[Mistake]:
    """Everything that does not hold, in the order of the rules below; none where all does."""
    rules: tuple[Callable[[Library], Iterator[Mistake]], ...] = (_texts, _codes, _sites, _links, _titles, _alike)
    return [problem for rule in rules for problem in rule(library)]


def _facts(library: Library) -> Iterator[tuple[str, Entity, Object]]:
    for realm, tables in library.realms.items():
        for entity in tables.entities.values():
            for row in library.list(realm, entity.name):
                yield realm, entity, row


def _place(realm: str, entity: Entity, row: Object) -> str:
    return f"{realm} {entity.name} {key_text(entity, row)}"


def _rows(library: Library, realm: str, entity: str) -> Iterator[tuple[str, Object]]:
    """The rows of one entity with the place of each; none where there is no such realm."""
    declared = library.declared(realm, entity)
    if declared is not None:
        yield from ((_place(realm, declared, row), row) for row in library.list(realm, entity))


def _texts_of(value: Any) -> Iterator[str]:
    """Every text in a value, also as a key."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield str(name)
            yield from _texts_of(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts_of(inner)


def _texts(library: Library) -> Iterator[Mistake]:
    """Find forbidden words and addresses that could be real."""
    for realm, entity, row in _facts(library):
        for field, value in row.items():
            if (realm, entity.name, field) == ("web", "asset", "base64"):
                continue
            for text in _texts_of(value):
                lowered = text.lower()
                for word in FORBIDDEN:
                    if word in lowered:
                        yield Mistake(
                            f"{_place(realm, entity, row)} {field}", f"says {word!r}, which must occur nowhere"
                        )
                for host in _hosts(text):
                    if not _RESERVED.fullmatch(host) and not _NEAR.fullmatch(host):
                        problem = f"names {host}; addresses end in .test or .example"
                        yield Mistake(f"{_place(realm, entity, row)} {field}", problem)


def _hosts(text: str) -> Iterator[str]:
    for site, mail in _ADDRESS.findall(text):
        yield (site or mail).rstrip(".")


def _codes(library: Library) -> Iterator[Mistake]:
    """Codes that an exchange or an office could have given lie in ranges that none gives."""
    for realm, entity, field, pattern, right in _CODES:
        for place, row in _rows(library, realm, entity):
            code = row.get(field)
            if code is not None and not pattern.fullmatch(str(code)):
                yield Mistake(f"{place} {field}", f"{code!r} could be a real one; right: {right}")
    for place, row in _rows(library, "market", "listing"):
        pattern, right = _SYMBOLS.get(row["market"], _UNKNOWN)
        if not pattern.fullmatch(row["symbol"]):
            yield Mistake(f"{place} symbol", f"{row['symbol']!r} could be a real one; right: {right}")


def _sites(library: Library) -> Iterator[Mistake]:
    """A fact that names its site or page has one."""
    web = _Web(library)
    for realm, entity, row in _facts(library):
        if realm == "web":
            continue
        for field in _SITE_FIELDS:
            named = row.get(field)
            if (
                isinstance(named, str)
                and _SITE.fullmatch(named)
                and not web.has(named if "//" in named else f"//{named}")
            ):
                yield Mistake(f"{_place(realm, entity, row)} {field}", f"names {named}, where there is no page")


class _Web:
    """The pages and endpoints of the web by address, for any scheme."""

    def __init__(self, library: Library) -> None:
        exact = [row["url"] for entity in ("page", "asset", "endpoint") for _, row in _rows(library, "web", entity)]
        self._answered = {_address(url) for url in exact}
        self._hosts = {host for host, _, _ in self._answered}
        below = [row["url"] for _, row in _rows(library, "web", "endpoint") if (row.get("rule") or {}).get("below")]
        self._below = tuple(_address(url)[:2] for url in below)

    def has(self, url: str) -> bool:
        """Whether something is there; a query is looked up with and without."""
        host, path, query = _address(url)
        if (host, path, query) in self._answered or (host, path, "") in self._answered:
            return True
        return any(host == home and path.startswith(f"{root}/") for home, root in self._below)


def _address(url: str) -> tuple[str, str, str]:
    parts = urlsplit(url)
    return parts.netloc, parts.path.rstrip("/"), parts.query


def _links(library: Library) -> Iterator[Mistake]:
    """Every link, picture, frame and form of every page leads to a page, an asset or an endpoint."""
    web = _Web(library)
    for place, page in _rows(library, "web", "page"):
        for target in _targets(page["html"]):
            if not target.startswith(_NO_PAGES) and not web.has(urljoin(page["url"], target)):
                yield Mistake(place, f"leads to {target}, where there is nothing")


def _targets(document: str) -> Iterator[str]:
    root = html.document_fromstring(document)
    for attribute, tag in _LINKS:
        for element in root.iter(tag):
            target = element.get(attribute)
            if target:
                yield target.strip()


def _titles(library: Library) -> Iterator[Mistake]:
    """No site has two pages of one title."""
    first: dict[tuple[str, str], str] = {}
    for place, page in _rows(library, "web", "page"):
        known = first.setdefault((page["site"], page["title"]), page["url"])
        if known != page["url"]:
            yield Mistake(place, f"has the title of {known}, {page['title']!r}; a site's titles differ")


def _alike(library: Library) -> Iterator[Mistake]:
    """No two pages of nearly the same text: of their runs of words (or Chinese letters) less than four fifths are shared."""
    runs = {page["url"]: (place, _runs(page["html"])) for place, page in _rows(library, "web", "page")}
    having: dict[str, list[str]] = defaultdict(list)
    for url, (place, own) in runs.items():
        if len(own) < _FEWEST_RUNS:
            continue
        shared: dict[str, int] = defaultdict(int)
        for run in own:
            for other in having[run]:
                shared[other] += 1
            having[run].append(url)
        for other, count in sorted(shared.items()):
            if count >= _SAME * (len(own) + len(runs[other][1]) - count):
                yield Mistake(place, f"says nearly what {other} says")


def _runs(document: str) -> frozenset[str]:
    """The runs of a page's own text: five words each, eight letters where there are few blanks, as in Chinese."""
    root = html.document_fromstring(document)
    main = root.find(".//main")
    words = (root if main is None else main).text_content().lower().split()
    text = " ".join(words)
    if len(text) > len(words) * _RUN_LETTERS:
        return frozenset(text[i : i + _RUN_LETTERS] for i in range(len(text) - _RUN_LETTERS + 1))
    return frozenset(" ".join(words[i : i + _RUN_WORDS]) for i in range(len(words) - _RUN_WORDS + 1))
