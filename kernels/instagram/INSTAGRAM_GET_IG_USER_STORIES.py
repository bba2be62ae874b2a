"""The `INSTAGRAM_GET_IG_USER_STORIES` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.instagram.rules.account import own_user
from soundstage.kernels.instagram.rules.media import edge, stories
from soundstage.kernels.instagram.rules.replies import Envelope
from soundstage.kernels.types import Arguments

_FIELDS = "id,media_type,media_url,permalink,timestamp"


def run(context: AppContext, arguments: Arguments) -> Envelope:
    """List the account's stories that are still visible."""
    user = own_user(context, arguments)
    return edge(context, stories(context, user["id"], context.now()), f"{user['id']}/stories", arguments, _FIELDS)
