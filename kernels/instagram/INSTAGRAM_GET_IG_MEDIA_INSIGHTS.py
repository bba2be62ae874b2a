"""The `INSTAGRAM_GET_IG_MEDIA_INSIGHTS` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.instagram.rules.media import insights_of
from soundstage.kernels.instagram.rules.replies import Envelope, page_envelope
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> Envelope:
    """Return insights of an own post; the server requests reach instead of impressions."""
    metrics = [name for name in arguments["metric"] if name != "impressions"]
    if len(metrics) < len(arguments["metric"]) and "reach" not in metrics:
        metrics.append("reach")
    return page_envelope(insights_of(context, arguments["ig_media_id"], metrics, arguments["period"] or "lifetime"), {})
