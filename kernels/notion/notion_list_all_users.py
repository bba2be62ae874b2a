"""The `notion_list_all_users` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.notion.rules import access, paging, records
from soundstage.kernels.notion.rules.replies import Shown, answer
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> Shown:
    """List the workspace's people and bots."""
    access.check(context, "read_user")
    window = paging.window(arguments, "query", any_cursor=True)
    listing = paging.listing(context, "user", context.list("user"), window, records.user)
    return answer(context, arguments, listing, long_lists=True)
