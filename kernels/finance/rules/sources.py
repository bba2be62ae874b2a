"""The server's result for the site of each market: one object per symbol, with prices as text including the unit.

Source: PyPI financeagent 0.0.6, `stock/request_*.py`. Its threads return in the order of completion; here the order is that of
the symbols. Values that a site lacks are empty strings, to which the unit is added nevertheless.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.finance.rules.pages import told_of

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_HUNDRED_MILLION = 100_000_000
_XUEQIU = (
    "symbol", "current", "percent", "chg", "high", "low", "avg_price", "timestamp", "open", "last_close", "market_capital",
)  # fmt: skip


def answers(context: AppContext, market: str, symbols: Sequence[str]) -> tuple[list[Object], bool]:
    """Return the results for the symbols, and whether a site knew any of them; empty for an unknown market."""
    match market:
        case "CN_MAINLAND":
            return _mainland(context, symbols)
        case "US":
            told = [(s, told_of(context, market, s.upper())) for s in symbols]
            made = [us(symbol, page) for symbol, page in told]
        case "HK":
            told = [(s, told_of(context, market, s)) for s in symbols]
            made = [{} if page is None else _hk(page) for _, page in told]
        case "LSE":
            told = [(s, told_of(context, market, s.upper())) for s in symbols]
            made = [lse(symbol, page) for symbol, page in told]
        case "NSE_INDIA":
            told = [(s, told_of(context, market, s.upper())) for s in symbols]
            made = [{} if page is None else _nse(page) for _, page in told]
        case _:
            return [], False
    return made, any(page is not None for _, page in told)


def _mainland(context: AppContext, symbols: Sequence[str]) -> tuple[list[Object], bool]:
    """Return quotes of xueqiu.com, which is queried for all symbols at once and omits unknown ones.

    If a symbol lacks a number with which the server computes, the whole result is lost.
    """
    asked = [symbol for symbol in ",".join(s.upper() for s in symbols if s).split(",") if symbol]
    told = [page for symbol in asked if (page := told_of(context, "CN_MAINLAND", symbol)) is not None]
    try:
        made = [_xueqiu(context, page) for page in told]
    except (KeyError, TypeError, ValueError, OverflowError):
        return [], False
    return made, bool(made)


def _xueqiu(context: AppContext, page: Object) -> Object:
    found: Object = {name: "" if page.get(name) is None else page[name] for name in _XUEQIU}
    found["change"] = f"{page.get('chg', '-')}({page.get('percent', '-')}%)"
    found["previous_close"] = page.get("last_close", "")
    found["market_capitalization"] = f"{float(page['market_capital']) / _HUNDRED_MILLION:.2f} 亿"
    found["pe_ratio"] = page.get("pe", "")
    found["update_time"] = _local(context, int(page.get("timestamp", 0)))
    _add_unit(found, "CNY")
    address = f"https://xueqiu.com/S/{found['symbol']}"
    return {**found, "source": f"XUEQIU.COM, {address}", "data_source": "xueqiu.com", "source_url": address}


def us(symbol: str, page: Mapping[str, Any] | None) -> Object:
    """Return the quote of morningstar.com, which the server queries for one exchange only; None means a page without prices."""
    told = page or {}
    found: Object = {
        "avg_price": told.get("avg_price", ""),
        "high": told.get("high", ""),
        "low": told.get("low", ""),
        "symbol": symbol if page is not None else "",
        "update_time": told.get("update_time", ""),
        "previous_close": told.get("previous_close", ""),
        "change": told.get("change", ""),
        "market_capitalization": told.get("market_capitalization", ""),
        "pe_ratio": told.get("pe_ratio", ""),
        "data_source": "morningstar.com",
        "source_url": f"https://www.morningstar.com/stocks/xnas/{symbol.lower()}/quote",
    }
    return _add_unit(found, "USD", "$")


def _hk(page: Object) -> Object:
    """Return the quote of hkex.com, the only site that is queried per symbol with a token."""
    symbol = page["symbol"]
    address = f"https://www.hkex.com.hk/Market-Data/Securities-Prices/Equities/Equities-Quote?sym={symbol}&sc_lang=en"
    found: Object = {
        "avg_price": page.get("avg_price", ""),
        "high": page.get("high", ""),
        "low": page.get("low", ""),
        "previous_close": page.get("previous_close", ""),
        "symbol": symbol,
        "symbol_hk": f"{symbol:>04}.HK",
        "symbol_name_hk": page.get("company_name", ""),
        "timestamp": page.get("update_time", ""),
        "update_time": page.get("update_time", ""),
        "market_capitalization": page.get("market_capitalization", " "),
        "pe_ratio": page.get("pe_ratio", ""),
        "change": page.get("change", ""),
    }
    _add_unit(found, "HKD")
    return {**found, "source": f"HKEX, {address}", "data_source": "hkex.com", "source_url": address}


def lse(symbol: str, page: Mapping[str, Any] | None) -> Object:
    """Return the quote of stockanalysis.com; for an unknown symbol, even the URL is missing."""
    told = page or {}
    address = f"https://stockanalysis.com/quote/lon/{symbol.upper()}"
    found: Object = {
        "avg_price": told.get("avg_price", told.get("previous_close", "")),
        "high": told.get("high", ""),
        "low": told.get("low", ""),
        "symbol": symbol,
        "timestamp": told.get("update_time", ""),
        "previous_close": told.get("previous_close", ""),
        "update_time": told.get("update_time", ""),
        "change": told.get("change", ""),
        "source": f"stockanalysis.com,{address}" if page is not None else "",
        "market_capitalization": told.get("market_capitalization", ""),
        "pe_ratio": told.get("pe_ratio", ""),
    }
    _add_unit(found, "GBP", ",")
    known = page is not None
    return {**found, "data_source": "stockanalysis.com" if known else "", "source_url": address if known else ""}


def _nse(page: Object) -> Object:
    """Return a row of moneycontrol.com's index table, in which high, low and previous close equal the last price."""
    address = page.get("company_url", "https://www.moneycontrol.com")
    price = page.get("avg_price", "")
    found: Object = {
        "avg_price": price,
        "high": price,
        "low": price,
        "symbol": page["symbol"],
        "company_name": page.get("company_name", ""),
        "timestamp": "",
        "previous_close": price,
        "update_time": "",
        "change": page.get("change", ""),
        "source": f"moneycontrol.com,{address}",
        "market_capitalization": page.get("market_capitalization", ""),
        "pe_ratio": "",
    }
    _add_unit(found, "INR", ",")
    return {**found, "data_source": "moneycontrol.com", "source_url": address}


def _add_unit(found: Object, unit: str, without: str = "") -> Object:
    """Add the unit to prices, and remove a character that the site includes."""
    for name in ("avg_price", "high", "low", "previous_close", "market_capitalization"):
        told = str(found[name]).replace(without, "") if without else str(found[name])
        found[name] = told if unit in told else f"{told} {unit}"
    return found


def _local(context: AppContext, ms: int) -> str:
    zone = context.get("server", "zone")
    moment = _EPOCH + timedelta(seconds=int(ms / 1000.0))
    return moment.astimezone(ZoneInfo(zone["value"] if zone is not None else "UTC")).strftime("%Y-%m-%d %H:%M:%S")
