"""The `pay_order` tool."""

from __future__ import annotations

from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.paypal.rules.access import authorize
from soundstage.kernels.paypal.rules.errors import issue_error
from soundstage.kernels.paypal.rules.orders import CAPTURED, DECLINED, NOT_APPROVED, order, own_links, shown_capture
from soundstage.kernels.paypal.rules.payments import capture_links
from soundstage.kernels.paypal.rules.times import format_seconds
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> dict[str, Any]:
    """Capture the full amount of each purchase unit of an approved order, once.

    Returns `{status: "success", response: {id, status, purchase_units, payer?, links}}`.
    """
    authorize(context)
    row = order(context, arguments["id"])
    if row.get("status") == "COMPLETED":
        raise issue_error(CAPTURED)
    if row.get("status") != "APPROVED":
        raise issue_error(NOT_APPROVED)
    if row.get("declined") or row.get("awaited", {}).get("declined"):
        raise issue_error(DECLINED)
    units = []
    for unit in row.get("purchase_units", []):
        captured = _captured(context, row["id"], unit["amount"])
        shown = {**captured, "links": capture_links(captured["id"])}
        named = {"reference_id": unit["reference_id"]} if "reference_id" in unit else {}
        units.append({**named, "payments": {"captures": [shown]}})
    payer = {"payer": row["payer"]} if "payer" in row else {}
    context.update("order", row["id"], {"status": "COMPLETED", "update_time": format_seconds(context.now()), **payer})
    links = own_links(row["id"], "COMPLETED")
    completed = {"id": row["id"], "status": "COMPLETED", "purchase_units": units, **payer, "links": links}
    return {"status": "success", "response": completed}


def _captured(context: AppContext, order_id: str, amount: Object) -> Object:
    now = format_seconds(context.now())
    about = {"order_id": order_id, "status": "COMPLETED", "amount": amount, "final_capture": True}
    return shown_capture(context.create("capture", {**about, "create_time": now, "update_time": now}))
