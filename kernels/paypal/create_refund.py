"""The `create_refund` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.paypal.rules.access import authorize
from soundstage.kernels.paypal.rules.errors import issue_error
from soundstage.kernels.paypal.rules.money import amount, value_of
from soundstage.kernels.paypal.rules.payments import (
    FULLY_REFUNDED,
    capture,
    check_amount,
    check_schema,
    refund_links,
    rest_of,
)
from soundstage.kernels.paypal.rules.times import format_seconds
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> Object:
    """Refund a captured payment in part, or all that is left of it; return `{id, status, links}`.

    The server never sends a PayPal-Request-Id, so the same partial refund sent twice is refunded twice.
    """
    authorize(context)
    check_schema(arguments)
    row = capture(context, arguments["capture_id"])
    rest = rest_of(context, row)
    if rest <= 0:
        raise issue_error(FULLY_REFUNDED)
    wanted = arguments.get("amount")
    if wanted is not None:
        check_amount(wanted, row, rest)
    given_back = amount(row["amount"]["currency_code"], rest if wanted is None else value_of(wanted))
    now, refund_id = format_seconds(context.now()), context.new_id("refund")
    links = refund_links(refund_id, row["id"])
    refund: Object = {
        "id": refund_id,
        "capture_id": row["id"],
        "status": "COMPLETED",
        "amount": given_back,
        "create_time": now,
        "update_time": now,
        "links": links,
        **{name: arguments[name] for name in ("note_to_payer", "invoice_id") if name in arguments},
    }
    context.create("refund", refund)
    status = "REFUNDED" if value_of(given_back) == rest else "PARTIALLY_REFUNDED"
    context.update("capture", row["id"], {"status": status, "update_time": now})
    return {"id": refund_id, "status": "COMPLETED", "links": links}
