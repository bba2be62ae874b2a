"""The `create_product` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.paypal.rules.access import authorize
from soundstage.kernels.paypal.rules.products import check_product, own_links, summary
from soundstage.kernels.paypal.rules.times import format_seconds
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> Object:
    """Create a product in the catalogue; return `{id, name, description?, create_time, links}`."""
    authorize(context)
    check_product(arguments)
    now = format_seconds(context.now())
    made = context.create("product", {**arguments, "create_time": now, "update_time": now})
    return summary(made, own_links(made["id"]))
