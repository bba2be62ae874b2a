"""The `INSTAGRAM_GET_USER_INFO` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.instagram.rules.account import own_user
from soundstage.kernels.instagram.rules.fields import parse
from soundstage.kernels.instagram.rules.nodes import USER, Node, project
from soundstage.kernels.instagram.rules.replies import Envelope, success_envelope
from soundstage.kernels.types import Arguments

_FIELDS = "id,username,website,biography,profile_picture_url,followers_count,follows_count,media_count"


def run(context: AppContext, arguments: Arguments) -> Envelope:
    """Return the account's profile."""
    return success_envelope(project(context, Node(USER, own_user(context, arguments)), parse(_FIELDS)))
