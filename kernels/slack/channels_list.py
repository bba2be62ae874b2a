"""The `channels_list` tool."""

from __future__ import annotations

import base64

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.slack.rules import go_base64, identity
from soundstage.kernels.slack.rules.directory import Entry, as_csv, entries, kinds_named
from soundstage.kernels.slack.rules.limits import channel_limit, check_slice
from soundstage.kernels.slack.rules.values import comma_separated, go_text
from soundstage.kernels.types import Arguments

_TARGETS = {"name", "topic", "purpose"}


def run(context: AppContext, arguments: Arguments) -> str:
    """List conversations from the server's cache, without archived ones.

    The page is cut in the order of ids and only then sorted by member count. A cursor that is invalid Base64 or beyond
    the last id starts again from the first page, and a negative limit crashes the handler; both seen on the real
    server.
    """
    kinds = kinds_named(go_text(arguments, "channel_types", "public_channel"))
    limit = channel_limit(arguments)
    matches = entries(context, identity.person(context), kinds)
    if query := go_text(arguments, "query").lower():
        targets = _TARGETS & set(comma_separated(go_text(arguments, "query_targets", "name").lower())) or {"name"}
        matches = [e for e in matches if any(query in str(getattr(e, target)).lower() for target in targets)]
    matches.sort(key=lambda entry: entry.id)
    start = _start(matches, go_text(arguments, "cursor"))
    end = min(start + limit, len(matches))
    check_slice("channels_list", start, end)
    page = matches[start:end]
    cursor = base64.b64encode(matches[end - 1].id.encode()).decode() if 0 < end < len(matches) else ""
    if go_text(arguments, "sort", "popularity") == "popularity":
        page.sort(key=lambda entry: entry.members, reverse=True)
    return as_csv(page, cursor)


def _start(sorted_entries: list[Entry], cursor: str) -> int:
    try:
        last_id = go_base64.decode(cursor).decode(errors="replace")
    except ValueError:
        return 0
    return next((i for i, entry in enumerate(sorted_entries) if cursor and entry.id > last_id), 0)
