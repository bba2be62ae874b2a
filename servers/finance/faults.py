"""Failures of the sites that the server reads, for which it has no words.

A broken connection loses the results of a market. An error page is parsed like a quote: each symbol yields an entry without
prices, and the results of mainland China and Hong Kong are unreadable.
"""

from __future__ import annotations

import json

from soundstage.kernels.errors import ErrorKind
from soundstage.kernels.finance.rules.sources import lse, us
from soundstage.servers.faults import Hit, said
from soundstage.servers.reply import Answer

_READS = "PyPI financeagent 0.0.6, stock/request_*.py: no status is looked at"
SOURCES = {
    "rate_limit": f"{_READS}, a page of the site is read as a quote",
    "unavailable": f"{_READS}, a page of the site is read as a quote",
    "server_error": f"{_READS}, a page of the site is read as a quote",
    "auth_expired": f"{_READS}; nothing logs in, a page that asks for it is read as a quote",
    "timeout": "PyPI financeagent 0.0.6, base.py: the exception of requests is printed, and the answer is empty",
}


def rate_limit(hit: Hit) -> Answer:
    """Return the reply to a call that exceeds the rate limit."""
    return _other_page(hit, "rate_limited")


def unavailable(hit: Hit) -> Answer:
    """Return the reply while the service is unavailable."""
    return _other_page(hit, "unavailable")


def server_error(hit: Hit) -> Answer:
    """Return the reply to a call that fails with a server error."""
    return _other_page(hit, "internal")


def auth_expired(hit: Hit) -> Answer:
    """Return the reply after the login has expired."""
    return _other_page(hit, "unauthorized")


def timeout(hit: Hit) -> Answer:
    """Return the reply to a call that times out."""
    return said(hit, "[]", "unavailable")


def _other_page(hit: Hit, kind: ErrorKind) -> Answer:
    given = hit.arguments.get("symbol_list")
    symbols = [s for s in given if isinstance(s, str)] if isinstance(given, list) else []
    match hit.arguments.get("market"):
        case "US":
            read = [us(symbol, None) for symbol in symbols]
        case "LSE":
            read = [lse(symbol, None) for symbol in symbols]
        case "HK" | "NSE_INDIA":
            read = [{} for _ in symbols]
        case _:
            read = []
    return said(hit, json.dumps(read), kind)
