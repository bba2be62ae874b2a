"""The `INSTAGRAM_GET_IG_USER_LIVE_MEDIA` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.instagram.rules.account import own_user
from soundstage.kernels.instagram.rules.media import edge, live
from soundstage.kernels.instagram.rules.replies import Envelope
from soundstage.kernels.types import Arguments

_FIELDS = "id,media_type,media_url,timestamp,permalink"


def run(context: AppContext, arguments: Arguments) -> Envelope:
    """Return the account's live broadcasts."""
    user = own_user(context, arguments)
    return edge(context, live(context, user["id"]), f"{user['id']}/live_media", arguments, _FIELDS)
