"""get_order: all of an order."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.paypal.rules.access import authorize
from soundstage.kernels.paypal.rules.orders import details, order
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> Object:
    authorize(context)
    return details(order(context, arguments["id"]))
