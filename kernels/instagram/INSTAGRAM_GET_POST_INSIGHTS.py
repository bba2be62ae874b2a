"""Read figures about an own post. The preset that goes along means nothing to the Graph API, which wants metrics."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.instagram.rules.media import insights_of
from soundstage.kernels.instagram.rules.replies import Envelope, paged
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> Envelope:
    return paged(insights_of(context, arguments["ig_post_id"], arguments.get("metric") or [], None), {})
