"""The `conversations_search_messages` tool."""

from __future__ import annotations

import base64
import re

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.slack.rules import go_base64, identity
from soundstage.kernels.slack.rules.csv_rows import hit_row, messages_csv
from soundstage.kernels.slack.rules.errors import Refusal, tool_is_missing
from soundstage.kernels.slack.rules.query import build_query
from soundstage.kernels.slack.rules.search import search
from soundstage.kernels.slack.rules.values import go_atoi, go_integer, go_quote, go_text
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str:
    """Search messages (search.messages); with a bot's token the tool does not exist.

    Without `limit` the real server requests 100 hits, whatever its schema says. Hits show neither reactions nor files.
    """
    who = identity.person(context)
    if who.is_bot:
        raise tool_is_missing("conversations_search_messages")
    query = build_query(context, who, arguments)
    page = _page(go_text(arguments, "cursor"))
    hits, more = search(context, who, query, go_integer(arguments, "limit", 100), page)
    rows = [
        hit_row(context, hit.message, f"{hit.message['channel']} (#{hit.channel_name})", hit.permalink) for hit in hits
    ]
    cursor = base64.b64encode(f"page:{page + 1}".encode()).decode() if more else ""
    return messages_csv([row for row in rows if row], cursor)


def _page(cursor: str) -> int:
    """Return the page number in a cursor, Base64 of `page:N`."""
    if not cursor:
        return 1
    try:
        parts = go_base64.decode(cursor).decode(errors="replace").split(":")
    except ValueError as error:
        raise Refusal(f"invalid cursor: {error}") from None
    if len(parts) != 2:
        raise Refusal(f"invalid cursor: {cursor}")
    page = go_atoi(parts[1])
    if page is None:
        problem = "value out of range" if re.fullmatch(r"[+-]?\d+", parts[1], re.ASCII) else "invalid syntax"
        raise Refusal(f"invalid cursor page: strconv.Atoi: parsing {go_quote(parts[1])}: {problem}")
    if page < 1:
        raise Refusal("invalid cursor page: <nil>")
    return page
