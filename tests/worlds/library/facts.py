"""Facts about pages, companies, prices, documentation, drugs, papers and passages, and how many of each are drawn."""

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
    """Return a page's title and one paragraph, from all apps that read or search the web."""
    facts: list[Fact] = []
    candidates = [(page, text) for page in ask.library.list("web", "page") if (text := _paragraph(page["html"]))]
    for page, paragraph in draw.sample(candidates, count):
        title, url = str(page["title"]), page["url"]
        holds = {"title": title, "text": paragraph}
        by_app: dict[str, Values] = {app: {"text": says(text, paragraph)} for app, text in ask.page(url).items()}
        titled = ask.text("puppeteer", "puppeteer_evaluate", script="document.title")
        by_app["puppeteer title"] = {"title": says(titled, title)}
        titled = ask.text("playwright", "playwright_evaluate", script="document.title")
        by_app["playwright title"] = {"title": says(titled, title)}
        named = f"{title} {paragraph[:60]}"
        results = ask.json("google_search", "search", query=named, num=10)
        by_app["google_search search"] = {"title": next((r["title"] for r in results if r["link"] == url), None)}
        site = {"include_domains": [page["site"]], "max_results": 20}
        listed = ask.text("tavily", "tavily-search", query=named, **site)
        by_app["tavily search"] = {"title": says(listed, f"Title: {title} URL: {url}") and title}
        listed = ask.text("firecrawl", "firecrawl_search", query=named, limit=10)
        by_app["firecrawl search"] = {"title": says(listed, f"URL: {url} Title: {title}") and title}
        prompt = ask.text("deep_research", "deep-research", question=title, keywords=[named])
        by_app["deep_research"] = {"title": says(prompt, f"Title: {title} Content:") and title}
        facts.append(Fact(f"page {url}", holds, by_app))
    return facts


def _paragraph(source: str) -> str | None:
    """Return the first plain paragraph of a page that is long enough to be unique."""
    for paragraph in html.fromstring(source).iterfind(".//main//p"):
        text = " ".join((paragraph.text or "").split())
        if not len(paragraph) and len(words(text)) > 40:
            return text
    return None


_HUNDRED_MILLION = 100_000_000


def companies(ask: Asking, draw: Random, count: int) -> list[Fact]:
    """Return a mainland company's record and its income of a year, from Tushare and from its page on the web."""
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
    by_app: dict[str, Values] = {
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
        by_app[app] = {
            "name": says(text, name),
            "code": says(text, f"代码{code}") and code,
            "industry": says(text, f"行业：{company['industry']}") and company["industry"],
            "area": says(text, f"{company['area']}企业") and company["area"],
            "listed": says(text, when) and listed,
            **{n: says(text, figures) and holds[n] for n in ("revenue", "profit", "per_share")},
        }
    return Fact(f"company {code}", holds, by_app)


def _fields(text: str) -> dict[str, str]:
    """Return the values of lines like "name: value"."""
    pairs = (line.partition(":") for line in text.splitlines() if ":" in line)
    return {name.strip(): value.strip() for name, _, value in pairs}


def _cell(table: str, row: str, column: str) -> str:
    """Return a cell of Tushare's table."""
    rows = [[cell.strip() for cell in line.split("|")] for line in table.splitlines() if "|" in line]
    place = rows[0].index(column)
    return next(cells[place] for cells in rows if cells[0] == row)


def quotes(ask: Asking, draw: Random, count: int) -> list[Fact]:
    """Return a current price and the close before, from Finance. Indian pages have no previous close."""
    listings = [one for one in ask.library.list("market", "listing") if one.get("company_id")]
    facts: list[Fact] = []
    for listing in draw.sample([one for one in listings if one["market"] != "NSE_INDIA"], count):
        expected_quote = quote(ask.library, listing, ask.moment)
        arguments = {"symbol_list": [listing["symbol"]], "market": listing["market"]}
        (reported,) = ask.json("finance", "get_stock_price_global_market", **arguments)
        mainland = listing["market"] == "CN_MAINLAND"
        prices = {
            "price": reported["current"] if mainland else reported["avg_price"],
            "before": reported["previous_close"],
        }
        holds = {"price": expected_quote.last / UNIT, "before": expected_quote.previous / UNIT}
        read = {name: float(re.sub(r"[^\d.]", "", str(price))) for name, price in prices.items()}
        facts.append(Fact(f"quote {listing['market']} {listing['symbol']}", holds, {"finance": read}))
    return facts


def snippets(ask: Asking, draw: Random, count: int) -> list[Fact]:
    """Return a piece of a library's documentation, from Context7 and from its page."""
    known = {page["url"] for page in ask.library.list("web", "page")}
    rows = [r for r in ask.library.list("docs", "snippet") if r["address"] in known and len(words(r["prose"])) > 40]
    facts: list[Fact] = []
    for row in draw.sample(rows, count):
        holds = {"title": row["title"], "prose": row["prose"]}
        named = "/".join([row["library_id"], *([row["version"]] if "version" in row else [])])
        arguments = {"libraryId": named, "query": f"{row['title']} {row['prose']}"}
        texts = {"context7": ask.text("context7", "query-docs", **arguments), **ask.page(row["address"])}
        by_app = {app: {"prose": says(text, row["prose"])} for app, text in texts.items()}
        by_app["context7"] = {name: says(texts["context7"], value) for name, value in holds.items()}
        facts.append(Fact(f"snippet {row['id']}", holds, by_app))
    return facts


def drugs(ask: Asking, draw: Random, count: int) -> list[Fact]:
    """Return a drug's record, from two searches and the details of Medical, and from its substance's leaflet on the web."""
    facts: list[Fact] = []
    for row in draw.sample(ask.library.list("medicine", "drug"), count):
        names = ("brand", "generic", "manufacturer", "route", "dosage_form")
        holds = {name: row[name] for name in names}
        details = ask.text("medical", "get-drug-details", ndc=row["ndc"])
        searched = ask.text("medical", "search-drugs", query=row["brand"], limit=50)
        by_app: dict[str, Values] = {
            "medical": {name: says(details, holds[name]) for name in names},
            "medical search": {name: says(searched, holds[name]) for name in names},
        }
        leaflet = f"https://leaflets.example/leaflets/{row['generic'].lower().replace(' ', '-')}"
        for app, text in ask.page(leaflet).items():
            by_app[app] = {name: says(text, holds[name]) for name in ("brand", "generic", "manufacturer")}
        facts.append(Fact(f"drug {row['ndc']}", holds, by_app))
    return facts


def papers(ask: Asking, draw: Random, count: int) -> list[Fact]:
    """Return an article, from three tools of Medical."""
    facts: list[Fact] = []
    for row in draw.sample(ask.library.list("medicine", "article"), count):
        holds = {"title": row["title"], "journal": row["journal"], "pmid": row["pmid"]}
        texts = {
            "medical": ask.text("medical", "get-article-details", pmid=row["pmid"]),
            "medical literature": ask.text("medical", "search-medical-literature", query=row["title"], max_results=20),
            "medical databases": ask.text("medical", "search-medical-databases", query=row["title"]),
        }
        by_app = {app: {name: says(text, value) for name, value in holds.items()} for app, text in texts.items()}
        facts.append(Fact(f"paper {row['pmid']}", holds, by_app))
    return facts


def passages(ask: Asking, draw: Random, count: int) -> list[Fact]:
    """Return passages written to be quoted, from the two apps that answer without a model."""
    facts: list[Fact] = []
    for row in draw.sample(ask.library.list("answers", "passage"), count):
        by_app = {
            "deepseek": {"text": ask.text("deepseek", "chat_completion", message=row["text"])},
            "mcpollinations": {"text": ask.text("mcpollinations", "respondText", prompt=row["text"])},
        }
        facts.append(Fact(f"passage {row['name']}", {"text": row["text"]}, by_app))
    return facts


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
"""The number of facts drawn of each kind."""
