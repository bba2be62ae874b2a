"""What apps tell of pages, companies, prices, documentation, drugs, papers and passages; how many facts are drawn."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from random import Random

from lxml import html

from soundstage.contexts.engine.schema import Object
from soundstage.kernels.engines.market import UNIT, quote
from tests.worlds.library.app_facts import Asking, Fact, Values, says, words
from tests.worlds.library.facts_of_places import lines, places, ways, weather


def pages(ask: Asking, draw: Random, count: int) -> list[Fact]:
    """A page's title and a paragraph of it, of all that read or search the web."""
    found: list[Fact] = []
    candidates = [(page, text) for page in ask.library.list("web", "page") if (text := _paragraph(page["html"]))]
    for page, paragraph in draw.sample(candidates, count):
        title, url = str(page["title"]), page["url"]
        holds = {"title": title, "text": paragraph}
        told: dict[str, Values] = {app: {"text": says(text, paragraph)} for app, text in ask.page(url).items()}
        titled = ask.text("puppeteer", "puppeteer_evaluate", script="document.title")
        told["puppeteer title"] = {"title": says(titled, title)}
        titled = ask.text("playwright", "playwright_evaluate", script="document.title")
        told["playwright title"] = {"title": says(titled, title)}
        named = f"{title} {paragraph[:60]}"
        results = ask.json("google_search", "search", query=named, num=10)
        told["google_search search"] = {"title": next((r["title"] for r in results if r["link"] == url), None)}
        site = {"include_domains": [page["site"]], "max_results": 20}
        listed = ask.text("tavily", "tavily-search", query=named, **site)
        told["tavily search"] = {"title": says(listed, f"Title: {title} URL: {url}") and title}
        listed = ask.text("firecrawl", "firecrawl_search", query=named, limit=10)
        told["firecrawl search"] = {"title": says(listed, f"URL: {url} Title: {title}") and title}
        prompt = ask.text("deep_research", "deep-research", question=title, keywords=[named])
        told["deep_research"] = {"title": says(prompt, f"Title: {title} Content:") and title}
        found.append(Fact(f"page {url}", holds, told))
    return found


def _paragraph(source: str) -> str | None:
    """The first plain paragraph of a page's own text that is long enough to be nobody else's."""
    for paragraph in html.fromstring(source).iterfind(".//main//p"):
        text = " ".join((paragraph.text or "").split())
        if not len(paragraph) and len(words(text)) > 40:
            return text
    return None


_HUNDRED_MILLION = 100_000_000


def companies(ask: Asking, draw: Random, count: int) -> list[Fact]:
    """A mainland company's record and what it earned in a year, of Tushare and of its page on the web."""
    ask.text("tushare", "setup_tushare_token", token="0" * 56)
    listings = [one for one in ask.library.list("market", "listing") if one.get("ts_code") and one.get("company_id")]
    by_year = {row["company_id"]: row for row in ask.library.list("market", "statement") if row["period"] == "20251231"}
    listings = [one for one in listings if one["company_id"] in by_year]
    return [_company(ask, listing, by_year[listing["company_id"]]) for listing in draw.sample(listings, count)]


def _company(ask: Asking, listing: Object, year: Object) -> Fact:
    company, code = ask.library.get("market", "company", listing["company_id"]) or {}, listing["ts_code"]
    name, listed = company["name"], str(listing["listed"])
    holds = {
        "name": name,
        "code": code,
        "industry": company["industry"],
        "area": company["area"],
        "listed": listed,
        "revenue": f"{year['total_revenue'] / _HUNDRED_MILLION:.2f}",
        "profit": f"{year['n_income'] / _HUNDRED_MILLION:.2f}",
        "per_share": f"{year['basic_eps'] / UNIT:.2f}",
    }
    basic = _fields(ask.text("tushare", "get_stock_basic_info", ts_code=code))
    searched = ask.text("tushare", "search_stocks", keyword=name)
    table = ask.text("tushare", "get_income_statement", ts_code=code, start_date="20260101", end_date="20261231")
    told: dict[str, Values] = {
        "tushare": {
            "name": basic["股票名称"],
            "code": basic["股票代码"],
            "industry": basic["所属行业"],
            "area": basic["所属地区"],
            "listed": basic["上市日期"],
        },
        "tushare search": {"name": name if code in searched and name in searched else None},
        "tushare statement": {
            "revenue": _cell(table, "营业总收入", "2025Q4").removesuffix("亿"),
            "profit": _cell(table, "净利润", "2025Q4").removesuffix("亿"),
            "per_share": _cell(table, "每股收益", "2025Q4"),
        },
    }
    when = f"{listed[:4]}年{int(listed[4:6])}月{int(listed[6:])}日"
    figures = f"2025 {holds['revenue']} {holds['profit']} {holds['per_share']}"
    for app, text in ask.page(f"https://gongsilu.example/companies/{listing['company_id']}").items():
        told[app] = {
            "name": says(text, name),
            "code": says(text, f"代码{code}") and code,
            "industry": says(text, f"行业：{company['industry']}") and company["industry"],
            "area": says(text, f"{company['area']}企业") and company["area"],
            "listed": says(text, when) and listed,
            **{n: says(text, figures) and holds[n] for n in ("revenue", "profit", "per_share")},
        }
    return Fact(f"company {code}", holds, told)


def _fields(text: str) -> dict[str, str]:
    """Lines of "name: value"."""
    pairs = (line.partition(":") for line in text.splitlines() if ":" in line)
    return {name.strip(): value.strip() for name, _, value in pairs}


def _cell(table: str, row: str, column: str) -> str:
    """A cell of Tushare's table."""
    rows = [[cell.strip() for cell in line.split("|")] for line in table.splitlines() if "|" in line]
    place = rows[0].index(column)
    return next(cells[place] for cells in rows if cells[0] == row)


def quotes(ask: Asking, draw: Random, count: int) -> list[Fact]:
    """A price of the moment and the close before, of Finance; Indian pages tell no close before."""
    listings = [one for one in ask.library.list("market", "listing") if one.get("company_id")]
    found: list[Fact] = []
    for listing in draw.sample([one for one in listings if one["market"] != "NSE_INDIA"], count):
        held = quote(ask.library, listing, ask.moment)
        asked = {"symbol_list": [listing["symbol"]], "market": listing["market"]}
        (told,) = ask.json("finance", "get_stock_price_global_market", **asked)
        mainland = listing["market"] == "CN_MAINLAND"
        prices = {"price": told["current"] if mainland else told["avg_price"], "before": told["previous_close"]}
        holds = {"price": held.last / UNIT, "before": held.previous / UNIT}
        read = {name: float(re.sub(r"[^\d.]", "", str(price))) for name, price in prices.items()}
        found.append(Fact(f"quote {listing['market']} {listing['symbol']}", holds, {"finance": read}))
    return found


def snippets(ask: Asking, draw: Random, count: int) -> list[Fact]:
    """A piece of a library's documentation, of Context7 and of the page where it stands."""
    known = {page["url"] for page in ask.library.list("web", "page")}
    rows = [r for r in ask.library.list("docs", "snippet") if r["address"] in known and len(words(r["prose"])) > 40]
    found: list[Fact] = []
    for row in draw.sample(rows, count):
        holds = {"title": row["title"], "prose": row["prose"]}
        named = "/".join([row["library_id"], *([row["version"]] if "version" in row else [])])
        asked = {"libraryId": named, "query": f"{row['title']} {row['prose']}"}
        texts = {"context7": ask.text("context7", "query-docs", **asked), **ask.page(row["address"])}
        told = {app: {"prose": says(text, row["prose"])} for app, text in texts.items()}
        told["context7"] = {name: says(texts["context7"], value) for name, value in holds.items()}
        found.append(Fact(f"snippet {row['id']}", holds, told))
    return found


def drugs(ask: Asking, draw: Random, count: int) -> list[Fact]:
    """A drug's record, of two searches and the details of Medical, and of its substance's leaflet on the web."""
    found: list[Fact] = []
    for row in draw.sample(ask.library.list("medicine", "drug"), count):
        names = ("brand", "generic", "manufacturer", "route", "dosage_form")
        holds = {name: row[name] for name in names}
        details = ask.text("medical", "get-drug-details", ndc=row["ndc"])
        searched = ask.text("medical", "search-drugs", query=row["brand"], limit=50)
        told: dict[str, Values] = {
            "medical": {name: says(details, holds[name]) for name in names},
            "medical search": {name: says(searched, holds[name]) for name in names},
        }
        leaflet = f"https://leaflets.example/leaflets/{row['generic'].lower().replace(' ', '-')}"
        for app, text in ask.page(leaflet).items():
            told[app] = {name: says(text, holds[name]) for name in ("brand", "generic", "manufacturer")}
        found.append(Fact(f"drug {row['ndc']}", holds, told))
    return found


def papers(ask: Asking, draw: Random, count: int) -> list[Fact]:
    """An article, of three tools of Medical."""
    found: list[Fact] = []
    for row in draw.sample(ask.library.list("medicine", "article"), count):
        holds = {"title": row["title"], "journal": row["journal"], "pmid": row["pmid"]}
        texts = {
            "medical": ask.text("medical", "get-article-details", pmid=row["pmid"]),
            "medical literature": ask.text("medical", "search-medical-literature", query=row["title"], max_results=20),
            "medical databases": ask.text("medical", "search-medical-databases", query=row["title"]),
        }
        told = {app: {name: says(text, value) for name, value in holds.items()} for app, text in texts.items()}
        found.append(Fact(f"paper {row['pmid']}", holds, told))
    return found


def passages(ask: Asking, draw: Random, count: int) -> list[Fact]:
    """What was written to be quoted, of the two apps that answer without a model."""
    found: list[Fact] = []
    for row in draw.sample(ask.library.list("answers", "passage"), count):
        told = {
            "deepseek": {"text": ask.text("deepseek", "chat_completion", message=row["text"])},
            "mcpollinations": {"text": ask.text("mcpollinations", "respondText", prompt=row["text"])},
        }
        found.append(Fact(f"passage {row['name']}", {"text": row["text"]}, told))
    return found


KINDS: Mapping[Callable[[Asking, Random, int], list[Fact]], int] = {
    places: 50,
    ways: 24,
    lines: 12,
    weather: 16,
    pages: 24,
    companies: 20,
    quotes: 10,
    snippets: 20,
    drugs: 12,
    papers: 6,
    passages: 6,
}
"""How many facts of each kind are drawn."""
