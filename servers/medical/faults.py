"""Failures of the sources, which the server does not report: a failing source looks empty, and cached results remain available.

Source: src/utils.ts of JamesANZ/medical-mcp c004e88, which catches each request's exceptions.
"""

from __future__ import annotations

from random import Random

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.errors import ErrorKind
from soundstage.kernels.medical.rules.errors import NothingFound
from soundstage.kernels.medical.rules.nothing import nothing
from soundstage.kernels.medical.rules.sources import FDA, PUBMED, WHO
from soundstage.servers.faults import Hit, said, worded
from soundstage.servers.reply import Answer

_CODE = "github:JamesANZ/medical-mcp src/utils.ts"
SOURCES = {
    "rate_limit": f"{_CODE} (superagent throws at 429, and the search goes on without)",
    "unavailable": f"{_CODE} (superagent throws at 503; a browser finds no hit on the page)",
    "server_error": f"{_CODE} (superagent throws at 500; a browser finds no hit on the page)",
    "auth_expired": f"{_CODE} (the sources want no login; a 401 would be caught like the others)",
    "timeout": f"{_CODE} (what superagent and puppeteer throw is caught like the others)",
}


def rate_limit(hit: Hit) -> Answer:
    """Return the reply to a call that exceeds the rate limit."""
    return _nothing(hit, "rate_limited")


def unavailable(hit: Hit) -> Answer:
    """Return the reply while the service is unavailable."""
    return _nothing(hit, "unavailable")


def server_error(hit: Hit) -> Answer:
    """Return the reply to a call that fails with a server error."""
    return _nothing(hit, "internal")


def auth_expired(hit: Hit) -> Answer:
    """Return the reply after the login has expired."""
    return _nothing(hit, "unauthorized")


def timeout(hit: Hit) -> Answer:
    """Return the reply to a call that times out."""
    return _nothing(hit, "unavailable")


def server_restarts(context: AppContext, random: Random) -> bool:
    """The server's process restarts with an empty cache."""
    forgotten = [context.delete("cache_entry", entry["id"]) for entry in context.list("cache_entry")]
    counted = [context.delete("cache", cache["id"]) for cache in context.list("cache")]
    return bool(forgotten or counted)


def source_goes_out(context: AppContext, random: Random) -> bool:
    """One of the major sources responds with 503 from now on."""
    up = [host for host in (FDA, PUBMED, WHO) if context.get("outage", host) is None]
    if up:
        context.create("outage", {"host": random.choice(up), "status": 503})
    return bool(up)


DRIFTS = {"server_restarts": server_restarts, "source_goes_out": source_goes_out}


def _nothing(hit: Hit, kind: ErrorKind) -> Answer:
    """Return the tool's reply for an empty result; the tool without a source has none."""
    if hit.tool.name == "get-cache-stats":
        return said(hit, "Unknown error", kind)
    found_nothing = nothing(hit.tool.name, {**_MISSING, **hit.arguments}, "\n\n*🔄 Fresh API response*")
    return worded(hit, NothingFound(found_nothing.message, kind))


# Arguments that a call may lack if it is rejected before validation.
_MISSING = {"query": "", "indicator": "", "ndc": "", "pmid": "", "source": "all"}
