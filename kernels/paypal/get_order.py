"""The `get_order` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.paypal.rules.access import authorize
from soundstage.kernels.paypal.rules.orders import details, order
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> Object:
    """Return all fields of an order."""
    authorize(context)
    return details(order(context, arguments["id"]))
