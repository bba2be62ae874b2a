"""The market: 120 fictitious companies on five markets, with statements of twelve quarters for those of mainland China.

Read from companies.yaml, `told.yaml` (figures from recorded calls) and holidays.yaml next to this file.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from soundstage.contexts.engine.schema import Object
from soundstage.source import read
from soundstage.worlds.library import Facts
from soundstage.worlds.library.market.draws import drawn, share
from soundstage.worlds.library.market.statements import Year, statements, years

_FOLDER = Path(__file__).parent
_UNIT = 10_000
_HUNDRED_MILLION = 100_000_000
_MAINLAND = "CN_MAINLAND"


def rows(facts: Facts) -> Iterator[tuple[str, Object]]:
    """Yield (entity, row) for holidays, companies, their listings and their statements."""
    recorded = _read("told.yaml")
    for market, days in _read("holidays.yaml").items():
        yield from (("holiday", {"market": market, "day": day}) for day in days)
    for entry in _read("companies.yaml"):
        company, market = entry["id"], entry["market"]
        names = {"name": entry["name"], "english": entry.get("english"), "chinese": entry.get("chinese")}
        yield "company", {"id": company, **names, "industry": entry["industry"], "area": entry["area"]}
        by_year = years(company, entry.get("revenue", 0) * _HUNDRED_MILLION, recorded["years"].get(company, {}))
        speaks = market == _MAINLAND and company not in recorded["silent"]
        listing = {
            **entry,
            **recorded["listings"].get(entry["symbol"], {}),
            "company": company,
            "day": recorded["days"][market],
        }
        yield "listing", _listing(listing, by_year["2025"] if speaks else None)
        if speaks:
            yield from (("statement", statement) for statement in statements(company, by_year))
    for entry in recorded["nameless"]:
        yield "listing", _listing({**entry, "day": recorded["days"][entry["market"]]}, None)
    for entry in recorded["quotes"]:
        yield "told", {**entry, "day": recorded["days"][entry["market"]]}


def _listing(entry: dict[str, Any], last: Year | None) -> Object:
    """Return a listing; for a company with statements, the price is a multiple of the earnings per share."""
    key = f"{entry['market']} {entry['symbol']}"
    times = drawn(f"{key} earnings", 110, 420)
    if last is not None:
        earned = sum(last.lines[n] * s for n, s in _SIGNS.items())
        eps, shares = earned * _UNIT // last.shares, last.shares
        price = max(eps * times // 10, _UNIT) // 100 * 100
    else:
        price = round(entry["price"] * _UNIT)
        eps = round(entry["eps"] * _UNIT) if "eps" in entry else price * 10 // times
        shares = entry.get("shares") or drawn(f"{key} shares", 900, 42_000) * 100_000
    previous = round(entry["previous"] * _UNIT) if "previous" in entry else price - share(price, drawn(key, -220, 240))
    return {
        "market": entry["market"],
        "symbol": entry["symbol"],
        "company_id": entry.get("company"),
        "ts_code": entry.get("code"),
        "spell": entry.get("spell"),
        "board": entry.get("board"),
        "listed": entry.get("listed"),
        "shares": shares,
        "price": price,
        "previous": previous // 100 * 100,
        "day": entry["day"],
        "eps": eps,
    }


_SIGNS = {
    "total_revenue": 1, "oper_cost": -1, "biz_tax": -1, "sell_exp": -1, "admin_exp": -1, "rd_exp": -1, "fin_exp": -1,
    "non_oper": 1, "income_tax": -1,
}  # fmt: skip


def _read(name: str) -> Any:
    return read(_FOLDER / name).value
