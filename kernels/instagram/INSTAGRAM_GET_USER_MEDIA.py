"""The `INSTAGRAM_GET_USER_MEDIA` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.instagram.rules.account import own_user
from soundstage.kernels.instagram.rules.fields import Field
from soundstage.kernels.instagram.rules.media import feed
from soundstage.kernels.instagram.rules.nodes import MEDIA, project_all
from soundstage.kernels.instagram.rules.pages import page
from soundstage.kernels.instagram.rules.replies import Envelope, page_envelope
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> Envelope:
    """List the ids of the account's posts with the default fields."""
    user = own_user(context, arguments)
    page_arguments = {**arguments, "limit": arguments["limit"] or None}
    rows, paging = page(feed(context, user["id"]), f"{user['id']}/media", page_arguments)
    return page_envelope(project_all(context, MEDIA, rows, [Field("id")]), paging)
