"""Read figures about an own post; the server asks for reach in place of impressions."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.instagram.rules.media import insights_of
from soundstage.kernels.instagram.rules.replies import Envelope, paged
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> Envelope:
    metrics = [name for name in arguments["metric"] if name != "impressions"]
    if len(metrics) < len(arguments["metric"]) and "reach" not in metrics:
        metrics.append("reach")
    return paged(insights_of(context, arguments["ig_media_id"], metrics, arguments["period"] or "lifetime"), {})
