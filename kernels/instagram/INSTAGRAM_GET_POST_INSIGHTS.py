"""Read figures about an own post. The preset that goes along means nothing to the Graph API, which wants metrics."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.instagram.rules.insights import of_media
from soundstage.kernels.instagram.rules.media import own_post
from soundstage.kernels.instagram.rules.replies import Envelope, paged
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> Envelope:
    post = own_post(context, arguments["ig_post_id"])
    return paged(of_media(context, post, arguments.get("metric") or [], "lifetime"), {})
