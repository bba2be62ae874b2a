"""The view of Google search: the results of each query, and the pages that were read."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.servers.results.view import Answer, Engine, Result, show_results
from soundstage.servers.results.view import place_in_results as place
from soundstage.servers.view import Call, Calls, Query, View

__all__ = ["place", "show_calls"]

_VERBS = {"search": "Search", "read_webpage": "Read a page"}


def show_calls(context: AppContext, query: Query, now: datetime, calls: Calls) -> View:
    """Show the results (`show_results`)."""
    engine = Engine("Google", _VERBS, ("query", "url"), read, _troubles(context))
    return show_results(context, query, calls, engine)


def read(call: Call) -> Answer:
    """Parse a reply's JSON; return it unchanged if a fault replaced it."""
    try:
        payload = json.loads(call.text)
    except ValueError:
        payload = None
    result = payload if call.tool == "search" else [payload]
    if not isinstance(result, list) or not all(isinstance(one, dict) for one in result):
        return Answer(text=call.text)
    return Answer([_result(one, whole=call.tool != "search") for one in result])


def _result(fields: dict[str, Any], *, whole: bool) -> Result:
    title, url = _text(fields, "title", "url", "link"), _text(fields, "link", "url")
    return Result(title, url, _text(fields, "snippet", "text"), whole)


def _text(value: dict[str, Any], *names: str) -> str:
    return next((str(value[name]) for name in names if value.get(name)), "")


def _troubles(context: AppContext) -> list[str]:
    key = context.first("api_key") or {}
    entries = [(key.get("valid") is False, "The API key is not valid: searches are refused.")]
    entries.append((bool(key.get("exhausted")), "The day’s queries are used up: searches are refused."))
    return [words for holds, words in entries if holds]
