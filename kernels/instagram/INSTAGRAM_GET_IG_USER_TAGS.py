"""The `INSTAGRAM_GET_IG_USER_TAGS` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.instagram.rules.account import own_user
from soundstage.kernels.instagram.rules.media import edge, tagging
from soundstage.kernels.instagram.rules.replies import Envelope
from soundstage.kernels.types import Arguments

_FIELDS = "id,caption,media_type,media_url,permalink,timestamp,username"


def run(context: AppContext, arguments: Arguments) -> Envelope:
    """List other accounts' posts in which the account is tagged."""
    user = own_user(context, arguments)
    return edge(context, tagging(context, user), f"{user['id']}/tags", arguments, _FIELDS)
