"""The `get_dispute` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.paypal.rules.access import authorize
from soundstage.kernels.paypal.rules.disputes import details, dispute
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> Object:
    """Return all fields of a dispute."""
    authorize(context)
    return details(dispute(context, arguments["dispute_id"]))
