"""The `slack_get_users` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.clock import to_s
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.slack.rules import identity
from soundstage.kernels.slack.rules.errors import SlackError
from soundstage.kernels.slack.rules.paging import cut, page_size
from soundstage.kernels.slack.rules.values import js_number, js_text, js_truthy
from soundstage.kernels.types import Arguments

LARGE_TEAM = 1000  # without a limit Slack lists at most this many users


def run(context: AppContext, arguments: Arguments) -> Object:
    """List the workspace's members, including bots and deleted users (users.list)."""
    who = identity.bot(context)
    who.calls("users.list")
    who.needs("users:read")
    limit = js_text(min(js_number(arguments.get("limit", 100)), 200.0))
    cursor = arguments.get("cursor")
    size = page_size(limit, default=0, most=200)
    users = context.list("user")
    if size == 0 and len(users) > LARGE_TEAM:
        raise SlackError("limit_required")
    page, next_cursor = cut(users, size or LARGE_TEAM, js_text(cursor) if js_truthy(cursor) else "")
    return {
        "ok": True,
        "members": page,
        "cache_ts": to_s(context.now()),
        "response_metadata": {"next_cursor": next_cursor},
    }
