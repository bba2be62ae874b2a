"""The `get_refund` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.paypal.rules.access import authorize
from soundstage.kernels.paypal.rules.errors import UNKNOWN_ID, issue_error
from soundstage.kernels.paypal.rules.payments import capture_of, refund_links
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> Object:
    """Return a refund: `{id, amount, status, note_to_payer?, invoice_id?, create_time, update_time, links}`."""
    authorize(context)
    row = context.get("refund", arguments["refund_id"])
    if row is None:
        raise issue_error(UNKNOWN_ID)
    fields = {name: value for name, value in row.items() if name != "capture_id"}
    return {**fields, "links": refund_links(row["id"], capture_of(row))}
