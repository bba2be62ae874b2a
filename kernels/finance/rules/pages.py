"""A site's quote of a symbol: that of the session's state, or one that is derived for the session's time."""

from __future__ import annotations

import re
from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.clock import to_ms
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.engines.market import UNIT, Quote, quote

_BILLION, _MILLION, _TRILLION, _CRORE = 10**9, 10**6, 10**12, 10**7
_PENCE = 100


def told_of(context: AppContext, market: str, symbol: str) -> Object | None:
    """Return the site's quote with the members of the entity `quote`, or None if it does not know the symbol."""
    own = context.get("quote", (market, symbol))
    if own is None:
        return None
    known = context.library.get("market", "told", (market, symbol))
    if context.source("quote") == "own":
        # Members that the state omits are those of the derived quote.
        return {**(known["figures"] if known is not None else {}), **own}
    listing = context.library.get("market", "listing", (market, symbol))
    if listing is None:
        return own
    drawn = quote(context.library, listing, context.now())
    figures = _AS_TOLD[market](context, listing, drawn)
    if known is not None and known["day"] == drawn.day and drawn.over:
        figures |= known["figures"]
    return {**figures, **own}


def _xueqiu(context: AppContext, listing: Object, drawn: Quote) -> dict[str, Any]:
    return {
        "current": drawn.last / UNIT,
        "percent": _percent(drawn),
        "chg": drawn.change / UNIT,
        "high": drawn.high / UNIT,
        "low": drawn.low / UNIT,
        "avg_price": round(drawn.average / UNIT, 3),
        "timestamp": to_ms(drawn.at),
        "open": drawn.opened / UNIT,
        "last_close": drawn.previous / UNIT,
        "market_capital": drawn.cap / UNIT,
    }


def _morningstar(context: AppContext, listing: Object, drawn: Quote) -> dict[str, Any]:
    return {
        **_prices(drawn, 2),
        "change": f"{drawn.change / UNIT:.2f}",
        "market_capitalization": _in_words(
            drawn.cap // UNIT, ((_TRILLION, "Tril"), (_BILLION, "Bil"), (_MILLION, "Mil"))
        ),
        "pe_ratio": f"{drawn.last / drawn.eps:.1f}",
    }


def _hkex(context: AppContext, listing: Object, drawn: Quote) -> dict[str, Any]:
    cap = drawn.cap // UNIT
    return {
        **_prices(drawn, 3),
        "change": f"{drawn.change / UNIT:+.3f}",
        "update_time": f"{drawn.at:%d %b %Y %H:%M}",
        "market_capitalization": f"{cap / _BILLION:,.2f} B" if cap >= _BILLION else f"{cap / _MILLION:,.2f} M",
        "pe_ratio": f"{drawn.last / drawn.eps:.2f}",
        "company_name": _name(context, listing).upper(),
    }


def _stockanalysis(context: AppContext, listing: Object, drawn: Quote) -> dict[str, Any]:
    pounds = drawn.cap // UNIT // _PENCE
    at = f"{drawn.at:%b} {drawn.at.day}, {drawn.at:%Y}"
    return {
        **_prices(drawn, 2),
        "change": f"{drawn.change / UNIT:+.2f} ({_percent(drawn):.2f}%)",
        "update_time": f"At close: {at}" if drawn.over else f"{at}, {drawn.at:%I:%M %p %Z}".replace(" 0", " "),
        "market_capitalization": f"{pounds / _BILLION:.2f}B" if pounds >= _BILLION else f"{pounds / _MILLION:.2f}M",
        "pe_ratio": f"{drawn.last / drawn.eps:.2f}",
    }


def _moneycontrol(context: AppContext, listing: Object, drawn: Quote) -> dict[str, Any]:
    company = context.library.get("market", "company", listing["company_id"]) or {}
    place = "/".join(re.sub(r"[^a-z0-9]", "", str(company.get(part, "")).lower()) for part in ("industry", "name"))
    return {
        "avg_price": f"{drawn.last / UNIT:,.2f}",
        "change": f"{drawn.change / UNIT:.2f}({_percent(drawn):.2f}%)",
        "market_capitalization": f"{drawn.cap / UNIT / _CRORE:,.2f}",
        "company_name": _name(context, listing),
        "company_url": f"https://www.moneycontrol.com/india/stockpricequote/{place}/{listing['symbol']}",
    }


_AS_TOLD = {
    "CN_MAINLAND": _xueqiu,
    "US": _morningstar,
    "HK": _hkex,
    "LSE": _stockanalysis,
    "NSE_INDIA": _moneycontrol,
}


def _prices(drawn: Quote, places: int) -> dict[str, str]:
    prices = {"avg_price": drawn.last, "high": drawn.high, "low": drawn.low, "previous_close": drawn.previous}
    return {name: f"{price / UNIT:,.{places}f}" for name, price in prices.items()}


def _percent(drawn: Quote) -> float:
    return round(drawn.change / drawn.previous * 100, 2)


def _in_words(amount: int, sizes: tuple[tuple[int, str], ...]) -> str:
    size, word = next((s for s in sizes if amount >= s[0]), sizes[-1])
    return f"{amount / size:.1f} {word}"


def _name(context: AppContext, listing: Object) -> str:
    company = context.library.get("market", "company", listing["company_id"]) if listing.get("company_id") else None
    return "" if company is None else str(company["name"])
