"""The `show_product_details` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.paypal.rules.access import authorize
from soundstage.kernels.paypal.rules.products import details, product
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> Object:
    """Return all fields of a product."""
    authorize(context)
    return details(context, product(context, arguments["product_id"]))
