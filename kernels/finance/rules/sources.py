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
            entries = [(s, told_of(context, market, s.upper())) for s in symbols]
            made = [us(symbol, page) for symbol, page in entries]
        case "HK":
            entries = [(s, told_of(context, market, s)) for s in symbols]
            made = [{} if page is None else _hk(page) for _, page in entries]
        case "LSE":
            entries = [(s, told_of(context, market, s.upper())) for s in symbols]
            made = [lse(symbol, page) for symbol, page in entries]
        case "NSE_INDIA":
            entries = [(s, told_of(context, market, s.upper())) for s in symbols]
            made = [{} if page is None else _nse(page) for _, page in entries]
        case _:
            return [], False
    return made, any(page is not None for _, page in entries)


def _mainland(context: AppContext, symbols: Sequence[str]) -> tuple[list[Object], bool]:
    """Return quotes of xueqiu.com, which is queried for all symbols at once and omits unknown ones.

    If a symbol lacks a number with which the server computes, the whole result is lost.
    """
    requested = [symbol for symbol in ",".join(s.upper() for s in symbols if s).split(",") if symbol]
    entries = [page for symbol in requested if (page := told_of(context, "CN_MAINLAND", symbol)) is not None]
    try:
        made = [_xueqiu(context, page) for page in entries]
    except (KeyError, TypeError, ValueError, OverflowError):
        return [], False
    return made, bool(made)


def _xueqiu(context: AppContext, page: Object) -> Object:
    result: Object = {name: "" if page.get(name) is None else page[name] for name in _XUEQIU}
    result["change"] = f"{page.get('chg', '-')}({page.get('percent', '-')}%)"
    result["previous_close"] = page.get("last_close", "")
    result["market_capitalization"] = f"{float(page['market_capital']) / _HUNDRED_MILLION:.2f} 亿"
    result["pe_ratio"] = page.get("pe", "")
    result["update_time"] = _local(context, int(page.get("timestamp", 0)))
    _add_unit(result, "CNY")
    address = f"https://xueqiu.com/S/{result['symbol']}"
    return {**result, "source": f"XUEQIU.COM, {address}", "data_source": "xueqiu.com", "source_url": address}


def us(symbol: str, page: Mapping[str, Any] | None) -> Object:
    """Return the quote of morningstar.com, which the server queries for one exchange only; None means a page without prices."""
    quote = page or {}
    result: Object = {
        "avg_price": quote.get("avg_price", ""),
        "high": quote.get("high", ""),
        "low": quote.get("low", ""),
        "symbol": symbol if page is not None else "",
        "update_time": quote.get("update_time", ""),
        "previous_close": quote.get("previous_close", ""),
        "change": quote.get("change", ""),
        "market_capitalization": quote.get("market_capitalization", ""),
        "pe_ratio": quote.get("pe_ratio", ""),
        "data_source": "morningstar.com",
        "source_url": f"https://www.morningstar.com/stocks/xnas/{symbol.lower()}/quote",
    }
    return _add_unit(result, "USD", "$")


def _hk(page: Object) -> Object:
    """Return the quote of hkex.com, the only site that is queried per symbol with a token."""
    symbol = page["symbol"]
    address = f"https://www.hkex.com.hk/Market-Data/Securities-Prices/Equities/Equities-Quote?sym={symbol}&sc_lang=en"
    result: Object = {
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
    _add_unit(result, "HKD")
    return {**result, "source": f"HKEX, {address}", "data_source": "hkex.com", "source_url": address}


def lse(symbol: str, page: Mapping[str, Any] | None) -> Object:
    """Return the quote of stockanalysis.com; for an unknown symbol, even the URL is missing."""
    quote = page or {}
    address = f"https://stockanalysis.com/quote/lon/{symbol.upper()}"
    result: Object = {
        "avg_price": quote.get("avg_price", quote.get("previous_close", "")),
        "high": quote.get("high", ""),
        "low": quote.get("low", ""),
        "symbol": symbol,
        "timestamp": quote.get("update_time", ""),
        "previous_close": quote.get("previous_close", ""),
        "update_time": quote.get("update_time", ""),
        "change": quote.get("change", ""),
        "source": f"stockanalysis.com,{address}" if page is not None else "",
        "market_capitalization": quote.get("market_capitalization", ""),
        "pe_ratio": quote.get("pe_ratio", ""),
    }
    _add_unit(result, "GBP", ",")
    known = page is not None
    return {**result, "data_source": "stockanalysis.com" if known else "", "source_url": address if known else ""}


def _nse(page: Object) -> Object:
    """Return a row of moneycontrol.com's index table, in which high, low and previous close equal the last price."""
    address = page.get("company_url", "https://www.moneycontrol.com")
    price = page.get("avg_price", "")
    result: Object = {
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
    _add_unit(result, "INR", ",")
    return {**result, "data_source": "moneycontrol.com", "source_url": address}


def _add_unit(result: Object, unit: str, without: str = "") -> Object:
    """Add the unit to prices, and remove a character that the site includes."""
    for name in ("avg_price", "high", "low", "previous_close", "market_capitalization"):
        text = str(result[name]).replace(without, "") if without else str(result[name])
        result[name] = text if unit in text else f"{text} {unit}"
    return result


def _local(context: AppContext, ms: int) -> str:
    zone = context.get("server", "zone")
    moment = _EPOCH + timedelta(seconds=int(ms / 1000.0))
    return moment.astimezone(ZoneInfo(zone["value"] if zone is not None else "UTC")).strftime("%Y-%m-%d %H:%M:%S")
