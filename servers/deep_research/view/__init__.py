"""The view of Deep Research: each round with its question, its keywords, and their results."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime

from soundstage.contexts.engine.app_context import AppContext
from soundstage.servers.results.view import Answer, Engine, Result, show_results
from soundstage.servers.results.view import place_in_results as place
from soundstage.servers.view import Call, Calls, Query, View

__all__ = ["place", "show_calls"]

# The server's headings of known information and results.
_KNOWN, _AFTER = "\n# Known Information\n", "\n\n# Analysis Steps\n"
_SEARCH = re.compile(r"^## Search Results for `(.*)`$", re.MULTILINE)
_RESULT = re.compile(
    r"^### Reference \d+:\nTitle: (.*)\nContent: ([\s\S]*?)\n?(?=^### Reference \d+:$|\Z)", re.MULTILINE
)


def show_calls(context: AppContext, query: Query, now: datetime, calls: Calls) -> View:
    """Show the results (`show_results`)."""
    engine = Engine("Deep Research", {"deep-research": "Research"}, ("question",), read, _troubles(context))
    return show_results(context, query, calls, engine)


def read(call: Call) -> Answer:
    """Return the results of a round, or the prompt unchanged if it has none."""
    results = list(_results(call))
    return Answer(results) if results else Answer(text=call.text)


def _results(call: Call) -> Iterator[Result]:
    known = call.text.partition(_KNOWN)[2].rpartition(_AFTER)[0]
    _, *searches = _SEARCH.split(known.removeprefix(str(call.arguments.get("reference") or "")))
    for words, stated in zip(searches[::2], searches[1::2], strict=True):
        for title, content in _RESULT.findall(stated):
            yield Result(title, "", content, found_by=words)


def _troubles(context: AppContext) -> list[str]:
    key = context.first("api_key") or {}
    if key.get("missing"):
        return ["The server was started without a key for Tavily: it refuses."]
    return ["Tavily does not know the key: nothing is found."] if key.get("valid") is False else []
