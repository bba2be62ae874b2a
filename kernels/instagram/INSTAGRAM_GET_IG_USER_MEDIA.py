"""The `INSTAGRAM_GET_IG_USER_MEDIA` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.instagram.rules.account import own_user
from soundstage.kernels.instagram.rules.media import edge, feed
from soundstage.kernels.instagram.rules.replies import Envelope
from soundstage.kernels.instagram.rules.times import within
from soundstage.kernels.types import Arguments

_FIELDS = "id,caption,media_type,media_url,permalink,thumbnail_url,timestamp,username"


def run(context: AppContext, arguments: Arguments) -> Envelope:
    """List the account's posts with the requested fields, optionally between two days."""
    user = own_user(context, arguments)
    posts = [post for post in feed(context, user["id"]) if within(post.get("timestamp"), arguments)]
    return edge(context, posts, f"{user['id']}/media", arguments, _FIELDS)
