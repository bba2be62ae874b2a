"""The `notion_retrieve_bot_user` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.notion.rules import access, records
from soundstage.kernels.notion.rules.replies import Shown, of_object
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> Shown:
    """Return the bot of the connection whose token the server holds."""
    access.check(context)
    return of_object(context, arguments, records.user(access.bot(context)))
