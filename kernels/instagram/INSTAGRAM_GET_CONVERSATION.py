"""The `INSTAGRAM_GET_CONVERSATION` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.instagram.rules.account import page_of
from soundstage.kernels.instagram.rules.errors import ServerError
from soundstage.kernels.instagram.rules.fields import parse
from soundstage.kernels.instagram.rules.nodes import find, project
from soundstage.kernels.instagram.rules.replies import Envelope, success_envelope
from soundstage.kernels.types import Arguments

_NO_PAGE = "Could not find Facebook Page ID. Connect your Instagram account to a Facebook Page or set FACEBOOK_PAGE_ID."


def run(context: AppContext, arguments: Arguments) -> Envelope:
    """Return the participants of a direct conversation and the time of its last message."""
    if page_of(context) is None:
        raise ServerError("unauthorized", _NO_PAGE)
    node = find(context, arguments["conversation_id"])
    return success_envelope(project(context, node, parse("id,participants,updated_time")))
