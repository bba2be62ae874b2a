"""Company pages out of the market: in Chinese what mainland companies earn, in English a list for each market."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from soundstage.contexts.engine.schema import Object
from soundstage.worlds.library.web.written import Page, Site

_WRITTEN = "2026-11-02"
_HUNDRED_MILLION = 100_000_000
_YEARS_SHOWN, _QUARTERS_SHOWN = 3, 3
_PERCENT, _TENTHS = 100, 1000
_MARKETS = {
    "CN_MAINLAND": "Mainland China",
    "HK": "Hong Kong",
    "US": "United States",
    "LSE": "London",
    "NSE_INDIA": "India",
}

CHINESE = Site(
    host="gongsilu.example",
    name="公司录",
    title="公司录：东岚与长三角上市公司",
    description="一家一页：做什么，挣多少，和同行比。",
    lang="zh",
    kind="wiki",
    colour="#7c2d12",
    footer="数字取自各公司定期报告，四舍五入；不构成任何建议。",
    nav=(("全部公司", "/companies"), ("按行业", "/industries"), ("English", "https://ledgerbook.example/")),
)
ENGLISH = Site(
    host="ledgerbook.example",
    name="Ledger Book",
    title="Ledger Book: who is listed where",
    description="Five markets, their companies, and when they were listed.",
    lang="en",
    kind="wiki",
    colour="#1e3a8a",
    footer="Ledger Book gives no advice. Earnings are of the last four quarters.",
    nav=(("Markets", "/markets"), ("中文", "https://gongsilu.example/")),
)


def pages(facts: Mapping[tuple[str, str], Sequence[Object]]) -> tuple[list[Site], list[Page]]:
    """Both sites, or nothing where no market has been built."""
    if not facts.get(("market", "company")):
        return [], []
    companies = {company["id"]: company for company in facts["market", "company"]}
    listings = [listing for listing in facts["market", "listing"] if listing.get("company_id") in companies]
    statements: dict[str, list[Object]] = defaultdict(list)
    for statement in facts["market", "statement"]:
        statements[statement["company_id"]].append(statement)
    mainland = [(companies[listing["company_id"]], listing) for listing in listings if listing.get("ts_code")]
    chinese = list(_chinese(mainland, statements))
    return [CHINESE, ENGLISH], [*chinese, *_english(companies, listings)]


def _chinese(mainland: Sequence[tuple[Object, Object]], statements: Mapping[str, list[Object]]) -> Iterator[Page]:
    host = CHINESE.host
    opening = "每家一页，先写做什么，再写三年的账，最后同行里排第几。"
    yield Page(
        host,
        "/",
        CHINESE.title,
        CHINESE.description,
        f"{opening}\n\n- [全部公司](/companies)\n- [按行业](/industries)\n",
        "zh",
    )
    everyone = [
        f"- [{company['name']}](/companies/{company['id']})，{listing['ts_code']}，{company['area']}"
        for company, listing in mainland
    ]
    yield Page(host, "/companies", "全部公司", f"{len(everyone)}家，按代码。", "\n".join(everyone), "zh")
    by_industry: dict[str, list[Object]] = defaultdict(list)
    for company, _ in mainland:
        by_industry[company["industry"]].append(company)
    lines = [
        f"- **{industry}**："
        + "、".join(f"[{company['name']}](/companies/{company['id']})" for company in by_industry[industry])
        for industry in sorted(by_industry)
    ]
    yield Page(host, "/industries", "按行业", f"{len(lines)}个行业。", "\n".join(lines), "zh")
    latest = [years[0] for company, _ in mainland if (years := _years(statements[company["id"]]))]
    ranked = sorted(latest, key=lambda row: (-row["total_revenue"], row["company_id"]))
    places = {row["company_id"]: place for place, row in enumerate(ranked, start=1)}
    for company, listing in mainland:
        text = "\n".join(_company(company, listing, statements[company["id"]], places.get(company["id"]), len(ranked)))
        about = f"{company['industry']}，{company['area']}，{listing['ts_code']}。"
        title = f"{company['name']}（{listing['ts_code']}）"
        yield Page(host, f"/companies/{company['id']}", title, about, text, "zh", published=_WRITTEN)


def _company(
    company: Object, listing: Object, statements: Sequence[Object], place: int | None, of: int
) -> Iterator[str]:
    listed = listing["listed"]
    day = f"{listed[:4]}年{int(listed[4:6])}月{int(listed[6:])}日"
    seat = f"{company['area']}企业，行业：{company['industry']}"
    yield f"**{company['name']}**（{company.get('english') or company['name']}），{seat}。"
    code = f"代码{listing['ts_code']}，拼音缩写 {listing['spell']}"
    yield f"{day}在{listing['board']}上市，{code}，总股本{_yi(listing['shares'])}亿股。\n"
    years = _years(statements)[:_YEARS_SHOWN]
    if not years:
        return
    yield "| 年度 | 营业收入（亿元） | 净利润（亿元） | 每股收益（元） | 净利率 |\n|---|---|---|---|---|"
    for row in years:
        margin = _share(row["n_income"], row["total_revenue"])
        yield f"| {row['period'][:4]} | {_yi(row['total_revenue'])} | {_yi(row['n_income'])} | {_eps(row)} | {margin} |"
    yield ""
    if len(years) > 1:
        yield _growth(years[0], years[1])
    now = years[0]
    debt = _share(now["total_liabilities"], now["total_assets"])
    research = _share(now["rd_exp"], now["total_revenue"])
    yield f"{now['period'][:4]}年末资产负债率{debt}，货币资金{_yi(now['cash'])}亿元；研发费用占营收{research}。"
    if place is not None:
        yield f"按{now['period'][:4]}年营收，在本站{of}家公司里排第{place}。"
    later = [row for row in statements if row["period"] > now["period"]][-_QUARTERS_SHOWN:]
    if later:
        yield "\n## 今年以来\n"
        for row in later:
            month = int(row["period"][4:6])
            announced = row["announced"]
            published = f"{int(announced[4:6])}月{int(announced[6:])}日披露"
            yield f"- 前{month}个月：营收{_yi(row['total_revenue'])}亿元，净利{_yi(row['n_income'])}亿元（{published}）"


def _growth(now: Object, before: Object) -> str:
    def change(field: str) -> str:
        if before[field] <= 0 or now[field] <= 0:
            return "不可比"
        tenths = round((now[field] - before[field]) * _TENTHS / before[field])
        word = "增" if tenths >= 0 else "降"
        return f"{word}{abs(tenths) // 10}.{abs(tenths) % 10}%"

    year = now["period"][:4]
    return f"{year}年营收同比{change('total_revenue')}，净利润同比{change('n_income')}。"


def _years(statements: Sequence[Object]) -> list[Object]:
    """The statements of whole years, the newest first."""
    return sorted(
        (row for row in statements if row["period"].endswith("1231")), key=lambda row: row["period"], reverse=True
    )


def _english(companies: Mapping[str, Object], listings: Sequence[Object]) -> Iterator[Page]:
    host = ENGLISH.host
    text = "Pick a market.\n\n[[list /markets/]]"
    yield Page(host, "/", ENGLISH.title, ENGLISH.description, text, "en")
    yield Page(host, "/markets", "Markets", "Five of them.", "[[list /markets/]]", "en")
    for market, name in _MARKETS.items():
        rows = [(companies[listing["company_id"]], listing) for listing in listings if listing["market"] == market]
        if not rows:
            continue
        rows.sort(key=lambda row: row[1]["listed"])
        oldest, youngest = (
            f"{_name(company)} ({_date(listing['listed'])})" for company, listing in (rows[0], rows[-1])
        )
        sentences = [
            f"The oldest listing is {oldest}, the youngest {youngest}.\n",
            "| Company | Symbol | Industry | Seat | Listed | Shares (million) |",
            "|---|---|---|---|---|---|",
        ]
        for company, listing in rows:
            shares = f"{round(listing['shares'] / 1_000_000):,}"
            seat = (company["industry"], company["area"], _date(listing["listed"]), shares)
            sentences.append(f"| {_name(company)} | {listing['symbol']} | " + " | ".join(seat) + " |")
        about = f"{len(rows)} companies by the day of their listing."
        title = f"Companies listed in {name}"
        yield Page(host, f"/markets/{market.lower()}", title, about, "\n".join(sentences), "en")


def _name(company: Object) -> str:
    return str(company.get("english") or company["name"])


def _date(listed: str) -> str:
    return f"{listed[:4]}-{listed[4:6]}-{listed[6:]}"


def _yi(amount: int) -> str:
    """Hundred millions, two digits: 25.00."""
    cents = round(amount * _PERCENT / _HUNDRED_MILLION)
    sign = "-" if cents < 0 else ""
    return f"{sign}{abs(cents) // _PERCENT}.{abs(cents) % _PERCENT:02}"


def _eps(row: Object) -> str:
    cents = round(row["basic_eps"] / _PERCENT)
    sign = "-" if cents < 0 else ""
    return f"{sign}{abs(cents) // _PERCENT}.{abs(cents) % _PERCENT:02}"


def _share(part: int, whole: int) -> str:
    if not whole:
        return "—"
    tenths = round(part * _TENTHS / whole)
    sign = "-" if tenths < 0 else ""
    return f"{sign}{abs(tenths) // 10}.{abs(tenths) % 10}%"
