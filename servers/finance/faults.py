"""How the server words what goes wrong around the sites that it reads. It has no words of its own for any of it.

A connection that breaks leaves nothing of a market. A page that is no quote is read like one: of each symbol, what stands there
without figures; from mainland China and Hong Kong nothing comes that can be read.
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
    "timeout": "PyPI financeagent 0.0.6, base.py: what requests raises is printed, and the answer is empty",
}


def rate_limit(hit: Hit) -> Answer:
    return _other_page(hit, "rate_limited")


def unavailable(hit: Hit) -> Answer:
    return _other_page(hit, "unavailable")


def server_error(hit: Hit) -> Answer:
    return _other_page(hit, "internal")


def auth_expired(hit: Hit) -> Answer:
    return _other_page(hit, "unauthorized")


def timeout(hit: Hit) -> Answer:
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
