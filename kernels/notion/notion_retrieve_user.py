"""The `notion_retrieve_user` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.notion.rules import access, ids, records
from soundstage.kernels.notion.rules.errors import server_error
from soundstage.kernels.notion.rules.replies import Shown, of_object
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> Shown:
    """Return a person or bot of the workspace; `me` is the connection's own bot, as in the API."""
    if not arguments["user_id"]:
        raise server_error("Missing required argument: user_id")
    if arguments["user_id"] == "me":
        access.check(context)
        return of_object(context, arguments, records.user(access.bot(context)))
    access.check(context, "read_user")
    identifier = ids.path_id(arguments["user_id"], "user_id")
    bot = access.bot(context)
    user = bot if bot["id"] == identifier else context.get("user", identifier)
    if user is None:
        raise access.not_found(context, "user", identifier)
    return of_object(context, arguments, records.user(user))
