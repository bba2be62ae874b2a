"""The `users_search` tool."""

from __future__ import annotations

import re

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.slack.rules import channels, identity
from soundstage.kernels.slack.rules.csv_rows import csv_text
from soundstage.kernels.slack.rules.errors import Refusal, SlackError
from soundstage.kernels.slack.rules.identity import Identity
from soundstage.kernels.slack.rules.values import go_integer, go_text
from soundstage.kernels.types import Arguments

_COLUMNS = ("UserID", "UserName", "RealName", "DisplayName", "Email", "Title", "DMChannelID")


def run(context: AppContext, arguments: Arguments) -> str:
    """Find users whose name, real name, display name or email contains a text, without deleted users.

    A query that looks like a user id is looked up (users.info); an unknown id is an error.
    """
    query = go_text(arguments, "query").strip()
    if not query:
        raise Refusal("query is required")
    limit = go_integer(arguments, "limit", 10)
    limit = min(limit, 100) if limit > 0 else 10
    who = identity.person(context)
    if re.fullmatch(r"[UW][A-Z0-9]{2,}", query):
        matches = [_by_id(context, who, query)]
    else:
        matches = [user for user in context.list("user") if _matches(user, query.lower())]
    matches = [user for user in matches if not user.get("deleted")][:limit]
    if not matches:
        return "No users found matching the query."
    direct = {channels.other_side(c, who): c["id"] for c in reversed(channels.conversations(context, who, ["im"]))}
    return csv_text(_COLUMNS, [_row(user, direct.get(user["id"], "")) for user in matches])


def _by_id(context: AppContext, who: Identity, user_id: str) -> Object:
    try:
        who.calls("users.info")
        who.needs("users:read")
        if user := context.get("user", user_id):
            return user
        raise SlackError("user_not_found")
    except SlackError as error:
        raise error.prefixed("users search failed: ") from None


def _matches(user: Object, query: str) -> bool:
    profile = user.get("profile") or {}
    texts = (user.get("name"), user.get("real_name"), profile.get("display_name"), profile.get("email"))
    return any(query in str(text).lower() for text in texts if text)


def _row(user: Object, direct_message: str) -> list[str]:
    profile = user.get("profile") or {}
    names = [user["id"], user.get("name", ""), user.get("real_name", "")]
    return [*names, *(str(profile.get(key) or "") for key in ("display_name", "email", "title")), direct_message]
