"""The `INSTAGRAM_GET_USER_INSIGHTS` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.instagram.rules.account import own_user
from soundstage.kernels.instagram.rules.insights import of_user
from soundstage.kernels.instagram.rules.replies import Envelope, page_envelope
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> Envelope:
    """Return insights of the account."""
    user = own_user(context, arguments)
    return page_envelope(of_user(context, user["id"], arguments["metric"], arguments), {})
