"""The view of quotes: the symbols of a market with their prices, and the open one with its last weeks."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.engines.market import MARKETS, UNIT, quote
from soundstage.kernels.finance.rules.pages import told_of
from soundstage.servers.view import Query, View

_MOST = 150
_DAYS = 90
_WIDE, _HIGH = 600, 160
_SHOWN = {
    "current": "Price", "avg_price": "Average", "chg": "Change", "change": "Change", "percent": "Percent", "open": "Open",
    "high": "High", "low": "Low", "last_close": "Close before", "previous_close": "Close before",
    "market_capital": "Capital", "market_capitalization": "Capital", "pe_ratio": "P/E", "update_time": "As of",
}  # fmt: skip


def show(context: AppContext, query: Query, now: datetime) -> View:
    """Show a market; the query's `market` is the open market, `symbol` the open symbol."""
    market = query.get("market", "")
    if market not in MARKETS:
        first = context.first("quote")
        market = str(first["market"]) if first is not None and first["market"] in MARKETS else next(iter(MARKETS))
    rows = [
        _row(context, market, result["symbol"]) for result in context.list("quote", {"market": market}, limit=_MOST)
    ]
    opened = next((row for row in rows if row["symbol"] == query.get("symbol")), rows[0] if rows else None)
    data: dict[str, Any] = {"markets": list(MARKETS), "market": market, "rows": rows, "opened": opened, "line": None}
    if opened is not None:
        data["figures"] = [
            (name, _figure(opened["told"][field])) for field, name in _SHOWN.items() if field in opened["told"]
        ]
        data["line"] = _line(context, market, opened["symbol"])
    return View("board.html.jinja", {**data, "wide": _WIDE, "high": _HIGH})


def place(context: AppContext, entity: str, value: Object) -> Query | None:
    """Return the query for a quote on the page of its market."""
    if entity != "quote":
        return None
    return {"market": str(value.get("market") or ""), "symbol": str(value.get("symbol") or "")}


def _row(context: AppContext, market: str, symbol: str) -> dict[str, Any]:
    stated = told_of(context, market, symbol) or {}
    listing = context.library.get("market", "listing", (market, symbol)) or {}
    company = context.library.get("market", "company", listing["company_id"]) if listing.get("company_id") else None
    return {
        "symbol": symbol,
        "name": stated.get("company_name") or (company or {}).get("name") or "",
        "price": stated.get("current", stated.get("avg_price", "")),
        "change": stated.get("chg", stated.get("change", "")),
        "told": stated,
    }


def _figure(stated: object) -> object:
    """Format a number; large ones with thousands separators."""
    return f"{stated:,.0f}" if isinstance(stated, int | float) and abs(stated) >= 1_000_000 else stated


def _line(context: AppContext, market: str, symbol: str) -> dict[str, Any] | None:
    """Return the closes of the last weeks as a polyline, for listings of the library."""
    listing = context.library.get("market", "listing", (market, symbol))
    if listing is None or context.source("quote") == "own":
        return None
    drawn = {
        result.day: result.last
        for ago in range(_DAYS, -1, -1)
        for result in [quote(context.library, listing, context.now() - timedelta(days=ago))]
    }
    low, high = min(drawn.values()), max(drawn.values())
    step = _WIDE / max(len(drawn) - 1, 1)
    points = " ".join(
        f"{n * step:.1f},{_HIGH - (price - low) * _HIGH / max(high - low, 1):.1f}"
        for n, price in enumerate(drawn.values())
    )
    return {"points": points, "low": f"{low / UNIT:,.2f}", "high": f"{high / UNIT:,.2f}", "since": min(drawn)}
